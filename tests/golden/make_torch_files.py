"""Writes what torch.save makes of models, good and bad, with the attention that transformers computes for the good ones.

    venv5/bin/pip install torch==2.15.0 transformers==5.24.0
    venv5/bin/python tests/golden/make_torch_files.py

torch/<case>/ is a folder with config.json and the file that torch/manifest.json names. Weights come from a seeded generator.
"""

import io
import json
import os
import pathlib
import shutil
import zipfile

import numpy as np
import torch
from make_folders import made, run, save_in_order

FOLDER = pathlib.Path(__file__).parent / "torch"
IDS = [5, 9, 4, 12, 7, 9, 4, 15]


class Runs:
    """What reading a pickle may do: this would leave a file behind."""

    def __reduce__(self):
        return os.system, ("touch headscope_ran_this",)


def repacked(path, change, method=zipfile.ZIP_STORED):
    """The same zip with its entries changed."""
    data = path.read_bytes()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(path, "w", method) as new:
        for entry in old.infolist():
            new.writestr(entry.filename, change(entry.filename, old.read(entry)))


def shards(state, folder):
    names = sorted(state)
    weight_map = {}
    for part in range(2):
        file = f"pytorch_model-0000{part + 1}-of-00002.bin"
        mine = names[part::2]
        torch.save({name: state[name].clone() for name in mine}, folder / file)
        weight_map |= dict.fromkeys(mine, file)
    (folder / "pytorch_model.bin.index.json").write_text(json.dumps({"metadata": {}, "weight_map": weight_map}))


def views(state, folder):
    """Every tensor is a part of one storage, at a place of its own."""
    flat = torch.cat([torch.zeros(3)] + [value.reshape(-1) for value in state.values()])
    parts, at = {}, 3
    for name, value in state.items():
        parts[name] = flat[at:at + value.numel()].view(value.shape)
        at += value.numel()
    torch.save(parts, folder / "pytorch_model.bin")


def good():
    def plain(state, folder):
        torch.save(state, folder / "pytorch_model.bin")

    def parameters(state, folder):
        torch.save({name: torch.nn.Parameter(value) for name, value in state.items()}, folder / "weights.pt")

    def checkpoint(state, folder):
        optimizer = torch.optim.Adam([torch.nn.Parameter(torch.ones(2))])
        torch.save({"epoch": 3, "loss": 0.25, "state_dict": {"module." + name: value for name, value in state.items()},
                    "optimizer": optimizer.state_dict(), "note": None}, folder / "last.ckpt")

    def bfloat16(state, folder):
        torch.save({name: value.to(torch.bfloat16) for name, value in state.items()}, folder / "pytorch_model.bin")

    def old(state, folder):
        torch.save(state, folder / "pytorch_model.bin", _use_new_zipfile_serialization=False)

    yield "plain", "gpt2", plain, "."
    yield "shards", "bert", shards, "."
    yield "parameters", "llama", parameters, "weights.pt"
    yield "checkpoint", "gpt2", checkpoint, "last.ckpt"
    yield "views", "opt", views, "."
    yield "bfloat16", "qwen2", bfloat16, "."
    yield "old", "bert", old, "."


def bad():
    def runs(state, folder):
        torch.save({**state, "other": Runs()}, folder / "pytorch_model.bin")

    def whole(state, folder):
        torch.save(torch.nn.Linear(2, 2), folder / "pytorch_model.bin")

    def transposed(state, folder):
        name = "transformer.h.0.mlp.c_fc.weight"
        torch.save({**state, name: state[name].t().contiguous().t()}, folder / "pytorch_model.bin")

    def scalar(state, folder):
        torch.save({**state, "step": np.float64(3.0)}, folder / "pytorch_model.bin")

    def packed(state, folder):
        torch.save(state, folder / "pytorch_model.bin")
        repacked(folder / "pytorch_model.bin", lambda name, data: data, zipfile.ZIP_DEFLATED)

    def big(state, folder):
        torch.save(state, folder / "pytorch_model.bin")
        repacked(folder / "pytorch_model.bin", lambda name, data: b"big" if name.endswith("byteorder") else data)

    def short(state, folder):
        torch.save(state, folder / "pytorch_model.bin")
        repacked(folder / "pytorch_model.bin", lambda name, data: data[:8] if name.endswith("data/2") else data)

    def empty(state, folder):
        torch.save({"epoch": 3}, folder / "pytorch_model.bin")

    def old_runs(state, folder):
        torch.save({**state, "other": Runs()}, folder / "pytorch_model.bin", _use_new_zipfile_serialization=False)

    def old_short(state, folder):
        torch.save(state, folder / "pytorch_model.bin", _use_new_zipfile_serialization=False)
        (folder / "pytorch_model.bin").write_bytes((folder / "pytorch_model.bin").read_bytes()[:-8])

    yield "runs", runs, ["system", "not run"]
    yield "whole", whole, ["Linear", "state_dict"]
    yield "transposed", transposed, ["c_fc", "contiguous"]
    yield "scalar", scalar, ["numpy", "not run"]
    yield "packed", packed, ["packed"]
    yield "big", big, ["highest byte"]
    yield "short", short, ["beyond"]
    yield "empty", empty, ["state_dict"]
    yield "old_runs", old_runs, ["system", "not run"]
    yield "old_short", old_short, ["beyond the file"]


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    cases = []
    for seed, (name, model_type, save, opens) in enumerate(good(), 400):
        folder = FOLDER / name
        folder.mkdir(parents=True)
        model = made(model_type, seed)
        if name == "bfloat16":
            with torch.no_grad():  # not the buffers, which no file holds
                for value in model.parameters():
                    value.copy_(value.to(torch.bfloat16))
        model.config.save_pretrained(folder)
        save(model.state_dict(), folder)
        save_in_order(run(model, IDS, None), folder / "attention.safetensors", {"token_ids": json.dumps(IDS)})
        cases.append({"name": name, "opens": opens})
    for seed, (name, save, words) in enumerate(bad(), 500):
        folder = FOLDER / name
        folder.mkdir(parents=True)
        model = made("gpt2", seed, n_layer=1)
        model.config.save_pretrained(folder)
        save(model.state_dict(), folder)
        cases.append({"name": name, "refused": words})
    (FOLDER / "manifest.json").write_text(json.dumps({"torch": torch.__version__, "cases": cases}, indent=1) + "\n")


if __name__ == "__main__":
    main()
