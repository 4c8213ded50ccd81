"""`python -m pe_lib.doctor`: every kind of file, what it exits with, and files that mean harm."""

import json
import os
import pickle
import re
import struct
import subprocess
import sys
import tracemalloc
import zipfile
from pathlib import Path

import doctor_bank as bank
import numpy as np

import pe_lib
from pe_lib.doctor.__main__ import main

ROOT = str(Path(pe_lib.__file__).parents[1])
W = 1e4 ** (-np.arange(64) / 64)
ANGLES = np.outer(np.arange(128), W)
COS, SIN = (f(np.concatenate([ANGLES, ANGLES], 1)) for f in (np.cos, np.sin))
CONFIG = {"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "rope_theta": 1e4,
          "num_hidden_layers": 32, "max_position_embeddings": 4096}  # fmt: skip


def safetensors(path, tensors, header=None):
    """The published layout, written by hand: length, JSON, numbers."""
    kinds = {"float64": "F64", "float32": "F32", "float16": "F16", "uint16": "BF16"}
    entries, data = {}, b""
    for name, x in tensors.items():
        entries[name] = {"dtype": kinds[str(x.dtype)], "shape": list(x.shape),
                         "data_offsets": [len(data), len(data) + x.nbytes]}  # fmt: skip
        data += x.tobytes()
    text = json.dumps(entries).encode() if header is None else header
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def gguf(path, facts, tensors):
    """llama.cpp's layout, version 3: facts as float32 or uint32, tensors as float32."""

    def text(s):
        return struct.pack("<Q", len(s)) + s.encode()

    out = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(facts) + 1)
    out += text("tokenizer.ggml.tokens") + struct.pack("<IIQ", 9, 8, 2) + text("a") + text("b")
    for name, value in facts.items():
        kind = (6, "<f") if isinstance(value, float) else (4, "<I")
        out += text(name) + struct.pack("<I", kind[0]) + struct.pack(kind[1], value)
    data = b""
    for name, x in tensors.items():
        out += text(name) + struct.pack("<I", x.ndim)
        out += b"".join(struct.pack("<Q", n) for n in x.shape[::-1])
        out += struct.pack("<IQ", 0, len(data))
        data += x.astype("<f4").tobytes() + b"\0" * (-x.nbytes % 32)
    path.write_bytes(out + b"\0" * (-len(out) % 32) + data)


def run(capsys, *arguments):
    status = main([str(a) for a in arguments])
    said = capsys.readouterr()
    return status, said.out, said.err


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
        ("config.json", 0, "Asked for by a configuration"),
        ("half.safetensors", 1, "The frequencies were rounded to bfloat16"),
        ("model.gguf", 0, "llama3 by 8; trained on 8,192 positions"),
    ):
        got, out, err = run(capsys, name)
        assert got == status and words in out and not err, (name, got, out, err)
    got, out, _ = run(capsys, "freq.npy", "cache.npz", "--json")
    lines = [json.loads(line) for line in out.splitlines()]
    assert got == 0 and [d["scheme"] for d in lines] == ["rotary", "rotary"]
    assert lines[1]["tensor"] == "cos_cached, sin_cached" and lines[1]["problems"] == []


def test_against_a_configuration(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("freq.npy", W)
    nothing = (2, "", "config.json: no such file\n")
    assert run(capsys, "freq.npy", "--against", "config.json") == nothing
    for theta, status in ((1e4, 0), (5e5, 1)):
        Path("config.json").write_text(json.dumps({**CONFIG, "rope_theta": theta}))
        got, out, _ = run(capsys, "freq.npy", "--against", "config.json")
        assert got == status
        assert ("The base is 10,000, the configuration says 500,000." in out) == (theta > 1e4)


def test_the_readme_shows_what_is_said(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    readme = Path(ROOT, "README.md").read_text("utf-8")
    (shown,) = re.findall(r"^\$ python -m pe_lib\.doctor (.+)\n…\n([^`]+)…\n```", readme, re.M)
    np.save("inv_freq.npy", W.astype("f4"))
    Path("config.json").write_text(json.dumps({**CONFIG, "rope_theta": 5e5}))
    status, out, _ = run(capsys, *shown[0].split())
    assert status == 1 and shown[1] in out


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


def hostile(folder):
    """Writes files that lie, end early, or would run code."""
    good = npy((64,), data=W.tobytes())
    entry = {"dtype": "F32", "shape": [64], "data_offsets": [0, 256]}
    bad = {
        "empty.npy": b"",
        "cut.npy": good[:200],
        "cut header.npy": good[:20],
        "huge.npy": npy((10**9, 10**9)),
        "negative.npy": npy((-5, 4)),
        "fortran.npy": npy((10**5, 10**4), fortran=True),
        "objects.npy": npy((2,), "|O", data=pickle.dumps([Harm(), 1])),
        "not.npz": b"PK\x03\x04 nonsense",
        "words.csv": b"1,2\n3,four\n",
        "bytes.csv": b"\xff\xfe\x00\x01",
        "nested.json": b"[" * 100_000,
        "words.json": b'["a", "b"]',
        "list config.json": b'{"model_type": "llama", "rope_scaling": [1]}',
        "nan.json": b'{"model_type": "llama", "rope_theta": NaN}',
        "pickle.pt": pickle.dumps(Harm()),
        "long header.safetensors": struct.pack("<Q", 2**62) + b"{}",
        "list.safetensors": struct.pack("<Q", 2) + b"[]",
        "not.gguf": b"GGML" + b"\0" * 40,
        "many.gguf": b"GGUF" + struct.pack("<IQQ", 3, 2**60, 2**60),
        "cut.gguf": b"GGUF" + struct.pack("<IQQ", 3, 1, 1) + struct.pack("<Q", 2**50),
        "list.gguf": b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q", 1) + b"a"
        + struct.pack("<IIQ", 9, 4, 2**60),
    }  # fmt: skip
    for name, data in bad.items():
        (folder / name).write_bytes(data)
    places = ([0, 10**9], [-256, 0], [256, 0], [0, 255], ["a", 256], None)
    wrong = [{"dtype": "F8_E4M3"}, *({"data_offsets": place} for place in places)]
    for k, what in enumerate(wrong):
        text = json.dumps({"inv_freq": {**entry, **what}}).encode()
        safetensors(folder / f"entry {k}.safetensors", {}, text)
    (folder / "folder.npy").mkdir()
    return sorted(folder.iterdir())


def test_hostile_files_get_one_line(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files = tmp_path / "files"
    files.mkdir()
    tracemalloc.start()
    for path in hostile(files):
        status, out, err = run(capsys, path)
        assert status == 2 and not out and err.count("\n") == 1 and len(err) < 450, (path, out, err)
    assert tracemalloc.get_traced_memory()[1] < 100e6
    tracemalloc.stop()
    assert not (tmp_path / "harmed").exists()


def test_a_zip_bomb_is_unpacked_no_further_than_looked_at(tmp_path, capsys):
    """300 MB of zeros, packed into a third of one, in the shape of a table."""
    with (
        zipfile.ZipFile(tmp_path / "bomb.npz", "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("pe.npy", "w", force_zip64=True) as file,
    ):
        file.write(npy((300_000, 128)))
        for _ in range(300):
            file.write(b"\0" * 1_024_000)
    tracemalloc.start()
    status, out, _ = run(capsys, tmp_path / "bomb.npz")
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert status == 1 and "Everything is zero" in out and most < 400e6


def test_a_large_file_costs_its_one_tensor(tmp_path, capsys):
    """Two gigabytes, sparse on the disk: nothing but the header and 256 bytes is read."""
    text = json.dumps({
        "big": {"dtype": "F32", "shape": [2**29 - 64], "data_offsets": [256, 2**31]},
        "model.inv_freq": {"dtype": "F32", "shape": [64], "data_offsets": [0, 256]},
    }).encode()  # fmt: skip
    path = tmp_path / "large.safetensors"
    with path.open("wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + W.astype("f4").tobytes())
        file.truncate(8 + len(text) + 2**31)
    tracemalloc.start()
    status, _, _ = run(capsys, path)
    assert status == 0 and tracemalloc.get_traced_memory()[1] < 2e6
    tracemalloc.stop()


def test_as_a_command(tmp_path):
    """A process of its own: exit status, no traceback, and a reader that goes away."""
    np.save(tmp_path / "pe.npy", np.concatenate([np.sin(ANGLES), np.cos(ANGLES)], 1)[2:])
    command = [sys.executable, "-m", "pe_lib.doctor"]
    done = subprocess.run([*command, "pe.npy"], cwd=tmp_path, capture_output=True, text=True,
                          env=os.environ | {"PYTHONPATH": ROOT})  # fmt: skip
    assert done.returncode == 1 and "Row 0 is position 2." in done.stdout and not done.stderr
