"""Adds logits.safetensors to folders of families/: the logits of each position, [n, vocabulary], that transformers gives in float64 for
the tokens of attention.safetensors (of an encoder-decoder, for its target), and its own error in float32 (metadata).

    venv5/bin/python tests/golden/add_logits.py tests/golden/families/cohere [FOLDER ...]
"""
import json
import pathlib
import sys

import numpy as np
import torch
import transformers
from safetensors import safe_open
from safetensors.numpy import save_file

import sweep_families as sweep


def logits_of(model, ids, target):
    inputs = {"input_ids": torch.tensor([ids])}
    if target:
        inputs["decoder_input_ids"] = torch.tensor([target])
    if model.config.model_type == "fsmt":
        inputs["use_cache"] = False
    with torch.no_grad():
        return model(**inputs).logits[0].double().numpy()


def add(folder):
    config = json.loads((folder / "config.json").read_text())
    kind = getattr(transformers, config["architectures"][0])
    with safe_open(folder / "attention.safetensors", "np") as file:
        about = file.metadata()
    ids, target = json.loads(about["token_ids"]), json.loads(about.get("target_ids", "[]"))
    model = kind.from_pretrained(folder, dtype=torch.float32, **sweep.EAGER).eval()
    single = logits_of(model, ids, target)
    exact = logits_of(model.double(), ids, target)
    own = float(np.abs(single - exact).max())
    save_file({"logits": exact.astype(np.float32)}, folder / "logits.safetensors", {"own_error": f"{own:.1e}"})
    return f"{exact.shape}, largest {np.abs(exact).max():.1f}, transformers' own error {own:.1e}"


if __name__ == "__main__":
    for name in sys.argv[1:]:
        try:
            print(pathlib.Path(name).name, add(pathlib.Path(name)), flush=True)
        except Exception as error:
            print(pathlib.Path(name).name, "none:", str(error).splitlines()[0][:100], flush=True)
