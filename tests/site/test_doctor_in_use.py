"""The doctor on its page: samples, files, pasted numbers, and what cannot be read."""

import json
from pathlib import Path

import numpy as np
from built import PHONE, SITE, Open
from playwright.sync_api import Page, expect

from pe_lib import encode, frequencies

PAGE = "chapters/appendix-doctor.html"


def said(page: Page) -> str:
    """The diagnosis, once there is one."""
    expect(page.locator(".om-diagnoses :is(article, .om-refused)").first).to_be_visible()
    return page.locator(".om-diagnoses").inner_text()


def test_each_sample_is_known_and_shown(open_page: Open) -> None:
    page = open_page(PAGE)
    samples = page.get_by_label("Or a sample")
    count = samples.locator("option").count() - 1
    assert count >= 12
    for k in range(count):
        samples.select_option(str(k))
        expect(page.locator(".om-given")).to_have_text(
            samples.locator(f"option[value='{k}']").inner_text()
        )
        assert "Nothing I know" not in said(page)
        links = page.locator(".om-finding a").evaluate_all("(all) => all.map((a) => a.href)")
        assert bool(links) != ("No problem found." in said(page))
        for link in links:
            path, _, anchor = link.partition("/chapters/")[2].partition("#")
            html = (SITE / "chapters" / path).read_text("utf-8")
            assert not anchor or f'id="{anchor}"' in html or f"id={anchor}" in html, link


def test_files_are_read_and_compared_with_their_configuration(
    open_page: Open, tmp_path: Path
) -> None:
    np.save(tmp_path / "inv_freq.npy", frequencies(128).astype(np.float32))
    np.savez_compressed(tmp_path / "cache.npz", pe=encode(range(1, 65), 32), other=np.ones(3))
    np.savetxt(tmp_path / "table.csv", encode(range(16), 8), delimiter=",")
    config = {
        "model_type": "llama",
        "hidden_size": 4096,
        "num_attention_heads": 32,
        "rope_theta": 5e5,
    }
    (tmp_path / "config.json").write_text(json.dumps(config), "utf-8")
    header = json.dumps(
        {"wpe.weight": {"dtype": "F32", "shape": [16, 8], "data_offsets": [0, 512]}}
    ).encode()
    body = encode(range(16), 8).astype("<f4").tobytes()
    (tmp_path / "m.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + body)
    page = open_page(PAGE)
    field = page.get_by_label("Files")
    for names, expected in [
        (["inv_freq.npy", "config.json"], "the configuration says 500,000"),
        (["cache.npz"], "Row 0 is position 1."),
        (["table.csv"], "No problem found."),
        (["m.safetensors"], "float32 values"),
        (["config.json"], "Read from a configuration"),
    ]:
        field.set_input_files([tmp_path / name for name in names])
        expect(page.locator(".om-diagnoses")).to_contain_text(expected)


UNREADABLE = {
    "": "nothing to read yet",
    "tensor([1.0, ..., 2.0])": "the printout is cut",
    "[[1, 2], [3]]": "different lengths",
    "one two": "no number",
    "[5]": "more than one number",
    '{"a": 1}': "neither a list",
}


def test_what_cannot_be_read_is_told_in_a_line(open_page: Open, tmp_path: Path) -> None:
    """Pasted, or damaged and hostile files, by their name."""
    page = open_page(PAGE)
    for text, why in UNREADABLE.items():
        page.get_by_label("Or paste numbers").fill(text)
        page.get_by_role("button", name="Diagnose").click()
        expect(page.locator(".om-refused")).to_contain_text(why)
    np.save(tmp_path / "cut.npy", np.ones((64, 64)))
    (tmp_path / "cut.npy").write_bytes((tmp_path / "cut.npy").read_bytes()[:900])
    np.save(tmp_path / "object.npy", np.array([{}], dtype=object), allow_pickle=True)
    (tmp_path / "long.safetensors").write_bytes((2**40).to_bytes(8, "little"))
    (tmp_path / "model.pt").write_bytes(b"PK")
    (tmp_path / "half.npz").write_bytes(b"PK\x03\x04")
    (tmp_path / "bad.gguf").write_bytes(b"GGUF" + bytes(4))
    for name in ("cut.npy", "object.npy", "long.safetensors", "model.pt", "half.npz", "bad.gguf"):
        page.get_by_label("Files").set_input_files(tmp_path / name)
        expect(page.locator(".om-refused")).to_contain_text(f"Cannot read this: {name}: ")


def test_on_a_phone_a_large_table_is_known_at_once_and_fits(
    open_page: Open, tmp_path: Path
) -> None:
    np.save(tmp_path / "large.npy", encode(range(4096), 512, dtype=np.float32))
    page = open_page(PAGE, viewport=PHONE, has_touch=True, is_mobile=True)
    page.get_by_label("Files").set_input_files(tmp_path / "large.npy")
    expect(page.locator(".om-diagnoses")).to_contain_text("width 512")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
