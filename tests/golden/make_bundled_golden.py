"""Writes what transformers computes for the bundled, trained models: data/bundled/<name>.safetensors.

    venv/bin/python tests/golden/make_bundled_golden.py        # after the weights of assets/models have changed

Each file holds `attention` F32 [L, H, n, n] (eager, float32) of the final weights; its metadata holds `text`, `token_ids`,
`tokens`, and `model`, the folder under assets/models.
"""

import json
import os
import pathlib

os.environ["HF_HUB_OFFLINE"] = "1"

import torch
import transformers
from make_golden import save_in_order
from tokenizers import Tokenizer
from transformers import AutoModel

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = ROOT / "assets" / "models"
DATA = pathlib.Path(__file__).parent / "data" / "bundled"
TEXTS = {
    "english": "The old sailor saw the small harbour, and the old sailor sang.",
    "gpt": "The old sailor saw the small harbour, and the old sailor sang.",
    "copy": "a0 c3 f7 b1 h2 e5 g4 a0 c3 f7 b1 h2 e5 g4 a0",
}


def write(folder):
    text = TEXTS[folder.name.split("-")[0]]
    encoding = Tokenizer.from_file(str(folder / "tokenizer.json")).encode(text)
    kept = {}
    for kind in (torch.float32, torch.float64):
        model = AutoModel.from_pretrained(folder, attn_implementation="eager", dtype=kind).eval()
        with torch.no_grad():
            kept[kind] = torch.cat(model(torch.tensor([encoding.ids]), output_attentions=True, use_cache=False).attentions)
    single = kept[torch.float32]
    assert torch.all(single.triu(1) == 0), f"{folder.name}: a masked cell is not 0"
    difference = (single - kept[torch.float64]).abs().max().item()
    metadata = {
        "model": folder.name,
        "text": text,
        "token_ids": json.dumps(encoding.ids),
        "tokens": json.dumps(encoding.tokens, ensure_ascii=False),
        "transformers": transformers.__version__,
    }
    save_in_order({"attention": single}, DATA / f"{folder.name}.safetensors", metadata)
    print(f"{folder.name:12} {tuple(single.shape)}, float32 against float64 {difference:.1e}")


def main():
    torch.set_num_threads(1)
    DATA.mkdir(parents=True, exist_ok=True)
    for folder in sorted(MODELS.iterdir()):
        if folder.name.split("-")[0] in TEXTS and (folder / "config.json").exists():
            write(folder)


if __name__ == "__main__":
    main()
