"""Test that the doctor's page diagnoses samples, files and pasted numbers, or else says why not."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from built import PHONE, SITE, Open, ids
from playwright.sync_api import Page, expect

from pe_lib import encode, frequencies
from pe_lib.doctor.__main__ import main


@pytest.fixture
def page(open_page: Open) -> Page:
    """Open the doctor's page on the smallest screen, on which diagnoses must still fit."""
    path = "chapters/appendix-doctor.html"
    return open_page(path, viewport=PHONE, has_touch=True, is_mobile=True)


def test_it_opens_with_a_case_and_diagnose_keeps_it(page: Page) -> None:
    case = "Llama 3.1 loaded with base 10,000, beside its configuration"
    for _ in range(2):
        expect(page.locator(".om-given")).to_have_text(case)
        expect(page.locator(".om-diagnoses")).to_contain_text("The base is 10,000")
        expect(page.locator(".om-pictures circle")).to_have_count(64)
        assert (
            page.get_by_label("Or choose an example").evaluate("(s) => s.selectedOptions[0].text")
            == case
        )
        page.get_by_role("button", name="Diagnose").click()


def test_each_sample_is_known_and_shown(page: Page) -> None:
    samples = page.get_by_label("Or choose an example")
    count = samples.locator("option").count() - 1
    assert count >= 12
    for k in range(count):
        samples.select_option(str(k))
        name = samples.locator(f"option[value='{k}']").inner_text()
        expect(page.locator(".om-given")).to_have_text(name)
        expect(page.locator(".om-diagnoses article").first).to_be_visible()
        text = page.locator(".om-diagnoses").inner_text()
        assert "I am not sure" not in text and "I do not recognise" not in text
        links = page.locator(".om-finding a").evaluate_all("(all) => all.map((a) => a.href)")
        assert bool(links) != ("No problem found." in text)
        for link in links:
            path, _, anchor = link.partition("/chapters/")[2].partition("#")
            assert anchor in ids(SITE / "chapters" / path) | {""}, link
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_files_are_read_and_compared_with_their_configuration(page: Page, tmp_path: Path) -> None:
    table = encode(range(16), 8)
    np.save(tmp_path / "inv_freq.npy", frequencies(128).astype(np.float32))
    np.save(tmp_path / "large.npy", encode(range(4096), 512, dtype=np.float32))
    np.savez_compressed(tmp_path / "cache.npz", pe=encode(range(1, 65), 32), other=np.ones(3))
    np.savetxt(tmp_path / "table.csv", table, delimiter=",")
    heads = {"hidden_size": 4096, "num_attention_heads": 32}
    config = {"model_type": "llama", **heads, "num_hidden_layers": 32, "rope_theta": 5e5}
    (tmp_path / "config.json").write_text(json.dumps(config), "utf-8")
    one = {"dtype": "F32", "shape": [16, 8], "data_offsets": [0, 512]}
    header = json.dumps({"wpe.weight": one}).encode()
    packed = len(header).to_bytes(8, "little") + header + table.astype("<f4").tobytes()
    (tmp_path / "m.safetensors").write_bytes(packed)
    for names, expected in [
        (["inv_freq.npy", "config.json"], "but the configuration says 500,000"),
        (["large.npy"], "width 512"),
        (["cache.npz"], "Row 0 is position 1."),
        (["table.csv"], "No problem found."),
        (["m.safetensors"], "float32 values"),
        (["config.json"], "The configuration asks this of all 32 layers."),
    ]:
        page.get_by_label("Files").set_input_files([tmp_path / name for name in names])
        expect(page.locator(".om-diagnoses")).to_contain_text(expected)


DROP = """(form, files) => {
  const dropped = new DataTransfer();
  for (const [name, numbers] of files)
    dropped.items.add(new File([Uint8Array.from(numbers)], name));
  form.dispatchEvent(new DragEvent("drop", { dataTransfer: dropped, cancelable: true }));
}"""


def test_a_configuration_and_its_tensors_are_dropped_together(page: Page, tmp_path: Path) -> None:
    np.save(tmp_path / "cos.npy", np.cos(np.outer(range(64), frequencies(128))))
    np.save(tmp_path / "sin.npy", np.sin(np.outer(range(64), frequencies(128))))
    config = {"model_type": "llama", "head_dim": 128, "num_hidden_layers": 2, "rope_theta": 5e5}
    (tmp_path / "config.json").write_text(json.dumps(config), "utf-8")
    names = ["sin.npy", "config.json", "cos.npy"]
    files = [[name, list((tmp_path / name).read_bytes())] for name in names]
    page.locator(".om-doctor").evaluate(DROP, files)
    expect(page.locator(".om-given")).to_have_text("cos, sin")
    expect(page.locator(".om-diagnoses")).to_contain_text("but the configuration says 500,000")
    page.get_by_role("button", name="Diagnose").click()
    expect(page.locator(".om-diagnoses")).to_contain_text("but the configuration says 500,000")


def test_no_file_is_passed_over(page: Page, tmp_path: Path) -> None:
    """Check that the page diagnoses two arrays of the same name, but rejects two configurations."""
    for base in (10_000, 500_000):
        np.save(tmp_path / f"{base}.npy", frequencies(128, base))
        config = {"model_type": "llama", "head_dim": 128, "num_hidden_layers": 2}
        text = json.dumps({**config, "rope_theta": base})
        (tmp_path / f"{base}.json").write_text(text, "utf-8")
    np.savez(tmp_path / "10000.npz", frequencies(128, 500_000))
    names = ["10000.npy", "10000.npz", "500000.json"]
    files = page.get_by_label("Files")
    files.set_input_files([tmp_path / name for name in names])
    expect(page.locator(".om-given")).to_have_text(["10000", "1/10000"])
    expect(page.locator(".om-diagnoses")).to_contain_text("but the configuration says 500,000")
    expect(page.locator(".om-diagnoses")).to_contain_text("As configured: this fits all 2 layers.")
    files.set_input_files([tmp_path / name for name in [*names, "10000.json"]])
    expect(page.locator(".om-refused")).to_contain_text("there are several configurations")


def test_a_folder_is_told_apart(page: Page, tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    box = page.locator(".om-doctor").bounding_box()
    assert box
    data = {"items": [], "files": [str(tmp_path / "model")], "dragOperationsMask": 1}
    tab = page.context.new_cdp_session(page)
    for kind in ("dragEnter", "dragOver", "drop"):
        place = {"x": box["x"] + 30, "y": box["y"] + 20}
        tab.send("Input.dispatchDragEvent", {"type": kind, **place, "data": data})
    expect(page.locator(".om-refused")).to_contain_text("model: a folder")


def test_what_was_found_is_copied(page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy as text").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("Rotary embeddings.") and "    Fix: Set rope_theta" in copied


UNREADABLE = {
    "tensor([1.0, ..., 2.0])": "the printout is cut",
    "[[1, 2], [3]]": "different lengths",
    "one two": "no number",
    '{"a": 1}': "neither a list",
    "": "nothing to read yet",
}
DAMAGED = {
    "cut.npy": b"\x93NUMPY\x01\x00",
    "long.safetensors": (2**40).to_bytes(8, "little"),
    "half.npz": b"PK\x03\x04",
    "bad.gguf": b"GGUF" + bytes(4),
}
REFUSED = {  # the Python version rejects these files with the same message
    "model.pt": b"PK",
    "empty.npy": b"",
    "words.npy": b"nothing of numpy's",
    "words.txt": b"one\ntwo\n",
    "rows.csv": b"1,2\n3\n",
    "bytes.csv": b"\xff\xfe",
    "nothing.txt": b"# a comment\n",
}


def test_what_cannot_be_read_is_told_in_a_line(page: Page, tmp_path: Path) -> None:
    """Check that the page rejects unreadable text and damaged files in a one-line message."""
    for text, why in UNREADABLE.items():
        page.get_by_label("Or paste numbers").fill(text)
        page.get_by_role("button", name="Diagnose").click()
        expect(page.locator(".om-refused")).to_contain_text(why)
    for name, content in DAMAGED.items():
        (tmp_path / name).write_bytes(content)
        page.get_by_label("Files").set_input_files(tmp_path / name)
        expect(page.locator(".om-refused")).to_contain_text(f"Cannot read this: {name}: ")


def test_what_is_no_table_is_refused_in_the_words_of_python(
    page: Page, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, content in REFUSED.items():
        (tmp_path / name).write_bytes(content)
    arrays = {
        "object": np.array([{}], dtype=object),
        "text": np.array(["one", "two"]),
        "records": np.zeros(3, [("a", "<f8")]),
        "none": np.zeros((0, 8)),
        "one": np.zeros(1),
        "row": np.zeros((8, 1)),
    }
    for name, array in arrays.items():
        np.save(tmp_path / f"{name}.npy", array, allow_pickle=True)
    for name in (*REFUSED, *(f"{name}.npy" for name in arrays)):
        assert main([str(tmp_path / name)]), name
        out, err = capsys.readouterr()
        match = re.search(r"Not examined: (.*)\.", out)
        text = match[1] if match else err.strip().removeprefix(str(tmp_path / name)).lstrip(": ")
        assert text, name
        page.get_by_label("Files").set_input_files(tmp_path / name)
        expect(page.locator(".om-diagnoses")).to_contain_text(text)
    (tmp_path / "package.json").write_text('{"name": "x", "version": "1.0.0"}', "utf-8")
    page.get_by_label("Files").set_input_files(tmp_path / "package.json")
    expect(page.locator(".om-refused")).to_contain_text("it has no model_type")


def test_masks_and_decimal_commas_are_numbers(page: Page, tmp_path: Path) -> None:
    table = encode(range(16), 8)
    lines = [";".join(f"{v:.9f}".replace(".", ",") for v in row) for row in table]
    (tmp_path / "commas.csv").write_text("\n".join(lines), "utf-8")
    np.save(tmp_path / "mask.npy", np.tri(16, dtype=bool))
    for name, text in (("mask.npy", "A mask."), ("commas.csv", "base 10,000; exponent 2i/d")):
        page.get_by_label("Files").set_input_files(tmp_path / name)
        expect(page.locator(".om-given")).to_have_text(name.partition(".")[0])
        expect(page.locator(".om-diagnoses")).to_contain_text(text)
