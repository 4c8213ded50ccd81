"""Test that `python -m pe_lib.doctor` reads all types of files and survives malicious ones."""

import json
import os
import pickle
import re
import struct
import subprocess
import sys
import time
import tracemalloc
import zipfile
from pathlib import Path

import doctor_bank as bank
import numpy as np
import pytest
from gguf_files import gguf
from test_doctor_checkpoints import LLAMA, read_stored_config

import pe_lib
from pe_lib.doctor.__main__ import main

ROOT = str(Path(pe_lib.__file__).parents[1])
W = 1e4 ** (-np.arange(64) / 64)
ANGLES = np.outer(np.arange(128), W)
COS, SIN = (f(np.concatenate([ANGLES, ANGLES], 1)) for f in (np.cos, np.sin))
CONFIG = {**LLAMA, "rope_theta": 1e4}


def safetensors(path, tensors, header=None):
    """Write a safetensors file: the length of the header, a JSON header, and then the numbers."""
    kinds = {"float64": "F64", "float32": "F32", "float16": "F16", "uint16": "BF16"}
    entries, data = {}, b""
    for name, x in tensors.items():
        entries[name] = {"dtype": kinds[str(x.dtype)], "shape": list(x.shape),
                         "data_offsets": [len(data), len(data) + x.nbytes]}  # fmt: skip
        data += x.tobytes()
    text = json.dumps(entries).encode() if header is None else header
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def run(capsys, *arguments):
    status = main([str(a) for a in arguments])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_each_kind_of_file(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("freq.npy", W.astype("f4"))
    np.savez("cache.npz", cos_cached=COS, sin_cached=SIN, weights=np.ones((3, 3)))
    np.savetxt("table.csv", np.concatenate([np.sin(ANGLES), np.cos(ANGLES)], 1)[:40], delimiter=",")
    Path("list.json").write_text(json.dumps(W.tolist()))
    Path("config.json").write_text(json.dumps(CONFIG))
    bits = (bank.to("bfloat16", W).astype("f4").view("u4") >> 16).astype("u2")
    safetensors(Path("half.safetensors"), {"model.layers.0.rotary_emb.inv_freq": bits,
                                           "lm_head.weight": np.ones((4, 4), "f4")})  # fmt: skip
    gguf(Path("model.gguf"), {"llama.rope.freq_base": 5e5, "llama.rope.dimension_count": 128},
         {"rope_freqs.weight": 5e5 ** (-np.arange(64) / 64) / bank.llama3(128, 8, 8192, 5e5),
          "output.weight": np.ones((2, 2))})  # fmt: skip
    for name, status, words in (
        ("freq.npy", 0, "base 10,000; exponent 2i/d; width 128; float32 frequencies"),
        ("cache.npz", 0, "all columns, then all again"),
        ("table.csv", 0, "all sines first"),
        ("list.json", 0, "float64 frequencies"),
        ("config.json", 3, "pairs of entries i and i + d/2.\nThe configuration asks this of"),
        ("half.safetensors", 1, "The frequencies were rounded to bfloat16"),
        ("model.gguf", 0, "llama3 by 8; trained on 8,192 positions"),
    ):
        actual, out, err = run(capsys, name)
        assert actual == status and words in out and not err, (name, actual, out, err)
    actual, out, _ = run(capsys, "freq.npy", "cache.npz", "--json")
    lines = [json.loads(line) for line in out.splitlines()]
    assert actual == 0 and [d["scheme"] for d in lines] == ["rotary", "rotary"]
    assert lines[1]["tensor"] == "cos_cached, sin_cached" and lines[1]["problems"] == []


def test_against_a_configuration(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("freq.npy", W)
    nothing = (2, "", "config.json: there is no such file\n")
    assert run(capsys, "freq.npy", "--against", "config.json") == nothing
    for theta, status in ((1e4, 0), (5e5, 1)):
        Path("config.json").write_text(json.dumps({**CONFIG, "rope_theta": theta}))
        actual, out, _ = run(capsys, "freq.npy", "--against", "config.json")
        assert actual == status
        assert ("The base is 10,000, but the configuration says 500,000." in out) == (theta > 1e4)


def test_the_readme_shows_what_is_said(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    readme = Path(ROOT, "README.md").read_text("utf-8")
    (example,) = re.findall(
        r"^\$ python -m pe_lib\.doctor (.+)\n…\n([^`]+)…\n```", readme, re.MULTILINE
    )
    np.save("inv_freq.npy", W.astype("f4"))
    Path("config.json").write_text(json.dumps({**CONFIG, "rope_theta": 5e5}))
    status, out, _ = run(capsys, *example[0].split())
    assert status == 1 and example[1] in out


def test_tensors_are_chosen_by_name(tmp_path, capsys):
    path = tmp_path / "x.safetensors"
    safetensors(path, {f"layer.{i}.weight": np.ones((4, 4), "f4") for i in range(3)})
    for more, status in ((), 2), (("--tensor", "layer.1"), 1), (("--tensor", "nothing"), 2):
        assert run(capsys, path, *more)[0] == status


def npy(shape, descr="<f8", fortran=False, data=b""):
    header = repr({"descr": descr, "fortran_order": fortran, "shape": shape}).encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data


class Harm:
    def __reduce__(self):
        return Path.touch, (Path("harmed"),)


def write_hostile_files(folder):
    """Write invalid, truncated and malicious files. Return each path with part of the error."""
    good = npy((64,), data=W.tobytes())
    entry = {"dtype": "F32", "shape": [64], "data_offsets": [0, 256]}
    bad = {
        "empty.npy": (b"", "the file is empty"),
        "empty.json": (b"", "the file is empty"),
        "words.npy": (b"1,2,3", "this is not numpy's format"),
        "x.png": (b"1,2,3", "cannot read files of the kind .png"),
        "lengths.csv": (b"1,2\n3\n", "line 2 has 1 numbers and the first has 2"),
        "cut.npy": (good[:200], "cut short"),
        "cut header.npy": (good[:20], ""),
        "huge.npy": (npy((10**9, 10**9)), ""),
        "negative.npy": (npy((-5, 4)), "must be positive"),
        "fortran.npy": (npy((10**5, 10**4), fortran=True), "cut short"),
        "objects.npy": (npy((2,), "|O", data=pickle.dumps([Harm(), 1])), "pickled objects"),
        "not.npz": (b"PK\x03\x04 nonsense", "not an archive of numpy (.npz)"),
        "words.csv": (b"1,2\n3,four\n", "line 2 must hold numbers alone, got 'four'"),
        "bytes.csv": (b"\xff\xfe\x00\x01", "not text in UTF-8"),
        "nested.json": (b"[" * 100_000, "cannot be read: maximum recursion depth"),
        "words.json": (b'["a", "b"]', "holds <U1, which cannot be read"),
        "list config.json": (b'{"model_type": "llama", "rope_scaling": [1]}', ""),
        "nan.json": (b'{"model_type": "llama", "rope_theta": NaN}', ""),
        "pickle.pt": (pickle.dumps(Harm()), "python -c"),
        "long header.safetensors": (struct.pack("<Q", 2**62) + b"{}", "claims a header"),
        "list.safetensors": (struct.pack("<Q", 2) + b"[]", ""),
        "not.gguf": (b"GGML" + b"\0" * 40, "is no GGUF file"),
        "many.gguf": (b"GGUF" + struct.pack("<IQQ", 3, 2**60, 2**60), "cut short"),
        "cut.gguf": (b"GGUF" + struct.pack("<IQQ", 3, 1, 1) + struct.pack("<Q", 2**50), "cut"),
        "list.gguf": (b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q", 1) + b"a"
                      + struct.pack("<IIQ", 9, 4, 2**60), ""),
    }  # fmt: skip
    for name, (data, _) in bad.items():
        (folder / name).write_bytes(data)
    places = ([0, 10**9], [-256, 0], [256, 0], [0, 255], ["a", 256], None)
    wrong = [{"dtype": "F8_E4M3"}, *({"data_offsets": place} for place in places)]
    for k, what in enumerate(wrong):
        text = json.dumps({"inv_freq": {**entry, **what}}).encode()
        safetensors(folder / f"entry {k}.safetensors", {}, text)
    (folder / "folder.npy").mkdir()
    return [(path, bad.get(path.name, ("", ""))[1]) for path in sorted(folder.iterdir())]


def test_hostile_files_get_one_line(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files = tmp_path / "files"
    files.mkdir()
    tracemalloc.start()
    for path, words in write_hostile_files(files):
        status, out, err = run(capsys, path)
        assert status == 2 and not out and err.count("\n") == 1 and len(err) < 450, (path, out, err)
        assert words in err and "\\x" not in err, (path, err)
    assert tracemalloc.get_traced_memory()[1] < 100e6
    tracemalloc.stop()
    assert not (tmp_path / "harmed").exists()


def test_a_zip_bomb_is_not_unpacked(tmp_path, capsys):
    """Test that the doctor rejects an archive of 300 kB that would unpack to 300 MB of zeros."""
    with (
        zipfile.ZipFile(tmp_path / "bomb.npz", "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("pe.npy", "w", force_zip64=True) as file,
    ):
        file.write(npy((300_000, 128)))
        for _ in range(300):
            file.write(b"\0" * 1_024_000)
    tracemalloc.start()
    status, _, err = run(capsys, tmp_path / "bomb.npz")
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert status == 2 and "pe has more than 256 MB" in err and most < 10e6


def write_sparse_file(path, sizes, arrays):
    """Write a safetensors file with large tensors that take up no space on disk."""
    header, at = {}, 0
    for name, x in arrays.items():
        header[name] = {"dtype": "F32", "shape": list(x.shape), "data_offsets": [at, at + x.nbytes]}
        at += x.nbytes
    for name, size in sizes.items():
        header[name] = {"dtype": "F32", "shape": [size // 4096, 1024],
                        "data_offsets": [at, at + size]}  # fmt: skip
        at += size
    text = json.dumps(header).encode()
    with path.open("wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for x in arrays.values():
            file.write(x.tobytes())
        file.truncate(8 + len(text) + at)


def test_thirty_gigabytes_cost_what_holds_positions(tmp_path, capsys):
    """Test a downloaded model's folder with three sparse shards, an index and a configuration."""
    (tmp_path / "config.json").write_text(json.dumps(CONFIG))
    index = {}
    for i in range(3):
        name = f"model-{i}.safetensors"
        big = {f"model.layers.{i}.mlp.up_proj.weight": 10 * 2**30}
        inv_freq = {f"model.layers.{i}.self_attn.rotary_emb.inv_freq": W.astype("f4")}
        write_sparse_file(tmp_path / name, big, inv_freq)
        index |= dict.fromkeys([*big, *inv_freq], name)
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps({"weight_map": index}))
    tracemalloc.start()
    begin = time.process_time()
    status, out, _ = run(capsys, tmp_path)
    seconds, most = time.process_time() - begin, tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert status == 0 and "rotary_emb.inv_freq and 2 more (layers 0–2)" in out
    assert "fits all 32 layers" in out and most < 20e6 and seconds < 5
    (tmp_path / "model-2.safetensors").unlink()
    status, _, err = run(capsys, tmp_path)
    assert status == 2 and "the index names files that are missing: model-2.safetensors" in err


def test_of_a_huge_table_the_first_rows_are_read(tmp_path, capsys):
    write_sparse_file(tmp_path / "model.safetensors", {"transformer.wpe.weight": 8 * 2**30}, {})
    tracemalloc.start()
    status, out, _ = run(capsys, tmp_path / "model.safetensors")
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert status == 1 and "Everything is zero" in out and most < 500e6


def test_a_folder_whose_buffers_nobody_filled(tmp_path, capsys):
    (tmp_path / "config.json").write_text(json.dumps(CONFIG))
    safetensors(tmp_path / "model.safetensors", {"rotary_emb.inv_freq": np.zeros(64, "f4")})
    status, out, _ = run(capsys, tmp_path)
    assert status == 1 and "Everything is zero" in out
    (tmp_path / "config.json").write_text('{"model_type": "nobodys"}')
    status, out, _ = run(capsys, tmp_path)
    assert status == 1 and "Compared with no configuration" in out
    safetensors(tmp_path / "model.safetensors", {"rotary_emb.inv_freq": W})
    status, out, _ = run(capsys, tmp_path)
    assert status == 3 and "Nothing was compared with the configuration" in out
    assert "No problem found" not in out
    (tmp_path / "model.safetensors").unlink()
    (tmp_path / "pytorch_model.bin").write_bytes(b"PK\x03\x04")
    status, _, err = run(capsys, tmp_path)
    assert status == 2 and "torch.load(sys.argv[1], map_location='cpu', weights_only=True)" in err


BASE_DIFFERS = "The base is 10,000, but the configuration says 500,000."


@pytest.fixture
def folder(tmp_path):
    """Return a folder with a configuration whose base differs from the base of the array W."""
    path = tmp_path / "model"
    path.mkdir()
    (path / "config.json").write_text(json.dumps({**CONFIG, "rope_theta": 5e5}))
    return path


def test_arrays_of_a_folder_are_compared_with_its_configuration(folder, capsys):
    """Test that files of all types are read if their names say that they encode positions."""
    np.save(folder / "inv_freq.npy", W.astype("f4"))
    np.savez(folder / "inv_freq.npz", W)  # numpy stores this array without a name
    np.savez(folder / "buffers.npz", **{"layers.0.inv_freq": W, "mlp": np.ones((3, 3))})
    np.savetxt(folder / "rotary_emb.inv_freq.csv", W)
    (folder / "INV_FREQ.json").write_text(json.dumps(W.tolist()))
    (folder / "lists.inv_freq.json").write_text(json.dumps({"model.inv_freq": W.tolist()}))
    np.save(folder / "cos_cached.npy", COS)
    np.save(folder / "sin_cached.npy", SIN)
    status, out, err = run(capsys, folder)
    assert status == 1 and not err and out.count(BASE_DIFFERS) == 6, out
    assert "cos_cached, sin_cached" in out and "buffers.npz (mlp)" in out
    assert "Not read: INV_FREQ.json." in out
    _, lines, _ = run(capsys, folder, "--json")
    tensors = [json.loads(line) for line in lines.splitlines()]
    assert sum(tensor["problems"] == ["base_differs"] for tensor in tensors) == len(tensors) == 6
    assert all(x["unread"] == ["buffers.npz (mlp)", "INV_FREQ.json"] for x in tensors)


def test_what_in_a_folder_was_not_read_is_named(folder, capsys):
    np.save(folder / "inv_freq.npy", 5e5 ** (-np.arange(64) / 64))
    np.save(folder / "steering.npy", np.ones((3, 3)))
    (folder / "optimizer.pt").write_bytes(pickle.dumps(Harm()))
    (folder / "README.md").write_text("A model.")
    (folder / "onnx").mkdir()
    status, out, _ = run(capsys, folder)
    assert status == 0 and "No problem found." in out
    assert out.endswith(
        "Not examined, because no name says that they hold positions: steering.npy. "
        "To examine one, give its own path.\n"
        "Not opened, because a pickle can run code: optimizer.pt.\n"
        "Not read: README.md, onnx/.\n\n"
    )
    status, out, _ = run(capsys, folder, "--tensor", "steering")
    assert status == 1 and "\nsteering\nI am not sure." in out
    (folder / "inv_freq.npy").unlink()
    safetensors(folder / "model.safetensors", {"lm_head.weight": np.ones((4, 4), "f4")})
    status, out, _ = run(capsys, folder)
    assert status == 3 and "no tensor in model.safetensors has a name that says" in out
    assert "Nothing was compared" in out and "No problem found" not in out


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["weights.npy"], "no name says that an array holds positions: weights.npy"),
        (["weights.npz", "table.csv"], "positions: table.csv, weights.npz"),
        (["pytorch_model.bin", "weights.npy"], "pickled files can run code"),
    ],
)
def test_a_folder_of_which_no_tensor_was_read_is_no_success(names, words, folder, capsys):
    for name in names:
        with (folder / name).open("wb") as file:
            np.savez(file, W) if name.endswith("z") else np.save(file, W)
    status, out, err = run(capsys, folder)
    assert status == 2 and not out and words in err and err.count("\n") == 1
    (folder / "config.json").unlink()
    assert run(capsys, folder)[0] == 2


def test_a_folder_without_tensors(folder, capsys):
    status, out, _ = run(capsys, folder)
    assert status == 3 and "Only config.json was read; no tensors were compared with it." in out
    assert "Nothing was compared" in out and "No problem found" not in out
    (folder / "config.json").rename(folder / "params.json")
    for k in range(30):
        (folder / f"{k:02}.txt").write_text("")
    status, _, err = run(capsys, folder)
    assert status == 2 and "this folder has neither tensors nor a config.json" in err
    assert "19.txt and 11 more" in err


def test_a_damaged_file_of_a_folder_is_named(folder, capsys):
    np.save(folder / "cos_cached.npy", COS)
    (folder / "inv_freq.npy").write_bytes(npy((64,), data=W.tobytes())[:200])
    status, _, err = run(capsys, folder)
    assert status == 2 and "inv_freq.npy: " in err and "cut short" in err


def test_one_name_in_two_files_is_examined_twice(folder, capsys):
    np.save(folder / "inv_freq.npy", W)
    safetensors(folder / "model.safetensors", {"inv_freq": 5e5 ** (-np.arange(64) / 64)})
    status, out, _ = run(capsys, folder)
    assert status == 1 and BASE_DIFFERS in out and "ok: model.safetensors/inv_freq" in out


def test_files_are_compared_with_the_configuration_among_them(folder, tmp_path, capsys):
    np.save(tmp_path / "inv_freq.npy", W)
    config = folder / "config.json"
    for files in ([tmp_path / "inv_freq.npy", config], [config, tmp_path / "inv_freq.npy"]):
        status, out, _ = run(capsys, *files)
        assert status == 1 and BASE_DIFFERS in out and "The configuration asks this of" in out
    status, out, _ = run(capsys, tmp_path / "inv_freq.npy")
    assert status == 0 and "No problem found." in out


def test_each_line_of_json_has_its_status(tmp_path, capsys):
    """Test that a missing file and a file without tensors each give one line of JSON, too."""
    np.save(tmp_path / "inv_freq.npy", W)
    (tmp_path / "config.json").write_text(json.dumps(CONFIG))
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "config.json").write_text(json.dumps(CONFIG))
    paths = [tmp_path / x for x in ("inv_freq.npy", "nothing.npy", "config.json", "model")]
    status, out, _ = run(capsys, *paths, "--json")
    lines = [json.loads(line) for line in out.splitlines()]
    assert status == 2 and [x["status"] for x in lines] == [0, 2, 0, 3]
    verdicts = ["healthy", "unreadable", "healthy", "not compared"]
    assert [x["verdict"] for x in lines] == verdicts
    assert lines[0]["base"] == 1e4 and lines[0]["tensor"] == "inv_freq" and lines[0]["healthy"]
    assert lines[1]["error"] == "there is no such file" and lines[2]["layers"] == [*range(32)]
    own = {key: lines[3][key] for key in ("file", "status", "verdict")}
    assert lines[3] == {**lines[2], **own}


@pytest.mark.parametrize(("kind", "reason"), [("bacformer", "not known"), ("xlnet", "cannot be")])
def test_a_kind_of_model_that_is_not_read_leaves_nothing_compared(kind, reason, tmp_path, capsys):
    config = tmp_path / "config.json"
    config.write_text(json.dumps({"model_type": kind, "hidden_size": 64}))
    w = 10000.0 ** (-np.arange(32) / 32)
    files = {"inv_freq": w, "alibi_slopes": 2.0 ** -np.arange(1.0, 9.0)}
    for name, array in files.items():
        np.save(tmp_path / f"{name}.npy", array.astype(np.float32))
        status, out, _ = run(capsys, tmp_path / f"{name}.npy", "--against", config)
        assert status == 3 and f"'{kind}', which" in out and reason in out, out
        assert "Nothing was compared with the configuration" in out
    status, out, _ = run(capsys, config)
    assert status == 3 and reason in out and "cannot say whether the model is healthy" in out
    status, out, _ = run(capsys, tmp_path / "inv_freq.npy", config, "--json")
    assert status == 3 and [json.loads(line)["status"] for line in out.splitlines()] == [3, 3]
    # Numbers that are wrong by themselves are found all the same.
    np.save(tmp_path / "inv_freq.npy", w.astype(np.float16))
    status, out, _ = run(capsys, tmp_path / "inv_freq.npy", "--against", config)
    assert status == 1 and "rounded to float16" in out
    # A mistake in a configuration of a known kind is still an error.
    config.write_text(json.dumps({"model_type": "llama", "hiden_size": 64}))
    assert run(capsys, tmp_path / "inv_freq.npy", "--against", config)[0] == 2


def test_layers_that_differ_each_fit_their_own(tmp_path, capsys):
    (tmp_path / "gemma3.json").write_text(json.dumps(read_stored_config("gemma-3-1b")))
    (tmp_path / "modernbert.json").write_text(json.dumps(read_stored_config("modernbert-base")))
    for base, status, words in (
        (1e4, 0, "fits the 22 sliding layers."),
        (1e6, 0, "fits the 4 full layers."),
        (5e5, 1, "The base is 500,000, but the configuration says"),
    ):
        np.save(tmp_path / "inv_freq.npy", base ** (-np.arange(128) / 128))
        actual, out, _ = run(
            capsys, tmp_path / "inv_freq.npy", "--against", tmp_path / "gemma3.json"
        )
        assert actual == status and words in out, out
    status, out, _ = run(capsys, tmp_path / "modernbert.json")
    assert status == 3 and "the 14 sliding layers (layers 1–2, 4–5, …" in out
    assert "rotary embeddings, base 160,000" in out


def test_a_window_in_doubt_is_noted_and_the_rotation_compared(tmp_path, capsys):
    """Test a draft of a public model, which lists sliding layers and leaves out their switch."""
    draft = {"model_type": "qwen3", "head_dim": 128, "hidden_size": 2688, "num_hidden_layers": 6,
             "num_attention_heads": 32, "rope_theta": 10000, "sliding_window": 1024,
             "layer_types": ["sliding_attention"] * 6}  # fmt: skip
    (tmp_path / "config.json").write_text(json.dumps(draft))
    np.save(tmp_path / "inv_freq.npy", W)
    status, out, _ = run(capsys, tmp_path)
    assert status == 0 and "fits all 6 layers" in out
    assert "The configuration: sliding_window = 1024 is in doubt, and no window is taken" in out


@pytest.mark.parametrize(
    "config",
    [{}, {"name": "a-package", "version": "1.0"}, [1, 2], {**CONFIG, "num_attention_heads": 0},
     {**CONFIG, "hidden_size": "x"}, {**CONFIG, "rope_scaling": {"type": "linear", "factor": 0}}],
)  # fmt: skip
def test_what_is_no_configuration_that_makes_sense_is_an_error(config, tmp_path, capsys):
    np.save(tmp_path / "inv_freq.npy", W)
    (tmp_path / "config.json").write_text(json.dumps(config))
    path = tmp_path / "config.json"
    status, out, err = run(capsys, tmp_path / "inv_freq.npy", "--against", path)
    assert status == 2 and not out and err.startswith(f"{path}: config") and err.count("\n") == 1


@pytest.mark.parametrize(
    ("line", "separator"), [("{:.6f}", ";"), ("{:.6f}", "\t"), ("{:.6f}", " "), ("{:.6f}", None)]
)
def test_decimal_commas_are_told_from_separators(line, separator, tmp_path, capsys):
    table = np.concatenate([np.sin(ANGLES), np.cos(ANGLES)], 1)[:40]
    rows = table if separator else W[:, None]
    text = "\n".join((separator or "").join(line.format(x) for x in row) for row in rows)
    (tmp_path / "points.csv").write_text(text)
    (tmp_path / "commas.csv").write_text(text.replace(".", ","))
    _, points, _ = run(capsys, tmp_path / "points.csv")
    _, commas, _ = run(capsys, tmp_path / "commas.csv")
    assert points.replace("points", "commas") == commas
    assert ("halves" if separator else "otary") in commas or "sines first" in commas


@pytest.mark.parametrize("name", ["bias", "position_bias", "embedding_weight", "attn.bias", "ids"])
def test_the_only_array_in_a_file_is_read_whatever_its_name(name, tmp_path, capsys):
    slopes = 2.0 ** -np.arange(1, 9)
    np.save(tmp_path / f"{name}.npy", slopes)
    np.savez(tmp_path / "model.npz", **{name: slopes})
    (tmp_path / "model.json").write_text(json.dumps({name: slopes.tolist()}))
    safetensors(tmp_path / "model.safetensors", {name: slopes})
    for file in (f"{name}.npy", "model.npz", "model.json", "model.safetensors"):
        status, out, err = run(capsys, tmp_path / file)
        assert status == 0 and "ALiBi." in out and not err, (file, out, err)


ADAPTERS = ["layers.0.q_proj.lora_A.weight", "base_model.model.h.0.attn.ia3_l.weight",
            "prompt_embeddings", "unet.mid.attn_to_q.lora_down.weight"]  # fmt: skip


@pytest.mark.parametrize("name", ADAPTERS)
def test_an_adapter_is_refused_in_a_sentence(name, tmp_path, capsys):
    file, settings = tmp_path / "adapter_model.safetensors", tmp_path / "adapter_config.json"
    safetensors(file, {name: np.ones((4, 4), "f4")})
    status, _, err = run(capsys, file)
    assert status == 2 and "this is an adapter" in err and "folder of that model\n" in err
    settings.write_text('{"peft_type": "LORA", "base_model_name_or_path": "owner/base"}')
    for path in (tmp_path, file, settings):
        status, _, err = run(capsys, path)
        assert status == 2 and "folder of that model: owner/base\n" in err, err
    gguf(tmp_path / "adapter.gguf", {"general.type": "adapter"}, {"blk.0.lora_a": np.ones((2, 2))})
    status, _, err = run(capsys, tmp_path / "adapter.gguf")
    assert status == 2 and "this is an adapter" in err
    (tmp_path / "adapter.gguf").unlink()
    # a merged model keeps the configuration of its adapter, and is read
    (tmp_path / "config.json").write_text(json.dumps(CONFIG))
    safetensors(tmp_path / "model.safetensors", {"rotary_emb.inv_freq": W})
    assert run(capsys, tmp_path)[0] == 0


@pytest.fixture
def hub(tmp_path, monkeypatch):
    """Return the folder of a model in a local cache as huggingface_hub lays it out."""
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    model = tmp_path / "hub" / "models--owner--name"
    snapshot = model / "snapshots" / "0123abc"
    snapshot.mkdir(parents=True)
    (model / "refs").mkdir()
    (model / "refs" / "main").write_text("0123abc")
    (snapshot / "config.json").write_text(json.dumps(CONFIG))
    return snapshot


def test_models_in_the_cache_of_the_hub(hub, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("inv_freq.npy", W)
    np.save("wrong.npy", 5e5 ** (-np.arange(64) / 64))
    for name in ("owner/name", "owner/name@0123abc", "owner/name@main", hub, hub / "config.json"):
        assert run(capsys, "inv_freq.npy", "--against", name)[0] == 0, name
        assert run(capsys, "wrong.npy", "--against", name)[0] == 1, name
    safetensors(hub / "model.safetensors", {"rotary_emb.inv_freq": W})
    status, out, _ = run(capsys, "owner/name")
    assert status == 0 and "fits all 32 layers" in out
    for name in ("owner/another", "owner/name@dev"):
        for arguments in ((name,), ("inv_freq.npy", "--against", name)):
            status, _, err = run(capsys, *arguments)
            assert status == 2 and "nothing is downloaded" in err and str(tmp_path) in err
    (hub / "config.json").unlink()
    _, _, err = run(capsys, "inv_freq.npy", "--against", "owner/name")
    assert err == "owner/name: this folder has no config.json\n"


def test_annotations_for_github(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("inv_freq.npy", W)
    np.save("noise.npy", np.sort(np.random.default_rng(0).random(64))[::-1])
    np.save("learned.npy", np.random.default_rng(0).normal(size=(7, 5)))
    Path("right.json").write_text(json.dumps(CONFIG))
    Path("wrong.json").write_text(json.dumps({**CONFIG, "rope_theta": 5e5}))
    for arguments, status, begin in (
        (["inv_freq.npy", "--against", "right.json"], 0,
         "::notice file=inv_freq.npy,title=healthy::No problem found."),
        (["inv_freq.npy", "--against", "wrong.json"], 1,
         "::error file=inv_freq.npy,title=inv_freq%3A base_differs::The base is 10,000, but the "
         "configuration says 500,000.%0A    Evidence: "),
        (["right.json"], 3, "::warning file=right.json,title=not compared::Nothing was compared"),
        (["learned.npy"], 0, "::notice file=learned.npy,title=healthy::learned%0AI am not sure."),
        (["noise.npy"], 1, "::warning file=noise.npy,title=noise::I do not recognise"),
        (["nothing.npy"], 2, "::error file=nothing.npy,title=unreadable::there is no such file"),
    ):  # fmt: skip
        actual, out, _ = run(capsys, *arguments, "--format", "github")
        assert actual == status and out.startswith(begin) and out.count("\n") == 1, out


def test_help_has_three_examples_and_every_exit_status(capsys):
    for option, words in (("--help", ["examples:", *"0123", "nothing compared"]),
                          ("--version", [f"pe-lib {pe_lib.__version__}"])):  # fmt: skip
        with pytest.raises(SystemExit) as ended:
            main([option])
        out = capsys.readouterr().out
        assert ended.value.code == 0 and all(word in out for word in words), out
    assert main.__module__ == "pe_lib.doctor.__main__"


def test_the_worst_file_decides_the_exit_status(tmp_path, capsys):
    np.save(tmp_path / "good.npy", W)
    np.save(tmp_path / "zeros.npy", np.zeros(64))
    (tmp_path / "alone.json").write_text(json.dumps(CONFIG))
    statuses = {"good.npy": 0, "alone.json": 3, "zeros.npy": 1, "nothing.npy": 2}
    for last, status in enumerate(statuses.values()):
        names = [*statuses][: last + 1]
        assert run(capsys, *(tmp_path / name for name in names))[0] == status, names


def test_tensors_that_are_no_positions_are_not_guessed_at(tmp_path, capsys):
    path = tmp_path / "model.safetensors"
    rng = np.random.default_rng(0)
    safetensors(path, {"model.embed_tokens.weight": rng.normal(size=(40, 16)).astype("f4"),
                       "q_proj.weight": rng.normal(size=(16, 16)).astype("f4")})  # fmt: skip
    status, out, err = run(capsys, path)
    assert status == 2 and not out and "no tensor has a name that says it holds positions" in err


def test_as_a_command(tmp_path):
    """Test that the command exits with the correct status and without a traceback."""
    np.save(tmp_path / "pe.npy", -np.concatenate([np.sin(ANGLES), np.cos(ANGLES)], 1))
    command = [sys.executable, "-m", "pe_lib.doctor"]
    done = subprocess.run([*command, "pe.npy"], cwd=tmp_path, capture_output=True, text=True,
                          env=os.environ | {"PYTHONPATH": ROOT}, check=False)  # fmt: skip
    assert done.returncode == 1 and "Every entry is negated." in done.stdout and not done.stderr
