"""Writes the golden attention modules: random states of torch.nn.MultiheadAttention with the maps that torch gives for them.

    python3 -m venv venv && venv/bin/pip install torch==2.15.0 safetensors numpy
    venv/bin/python tests/golden/make_module_golden.py

README.md beside this file says what is in modules/.
"""

import json
import pathlib

import numpy as np
import safetensors.torch
import torch

from make_golden import save_in_order

DATA = pathlib.Path(__file__).parent / "modules"

# name: (seed, d, heads, arguments of the module, n, m or None where the keys are the queries' own, stored type, what it tests)
CASES = {
    "fused": (701, 24, 4, {}, 13, None, torch.float32, "one matrix of queries, keys and values, with biases"),
    "fused_plain": (702, 20, 5, {"bias": False}, 9, None, torch.float32, "no biases"),
    "fused_one_head": (703, 18, 1, {}, 7, None, torch.float32, "one head as wide as the module"),
    "fused_narrow_heads": (704, 12, 12, {}, 10, None, torch.float32, "heads of one column"),
    "fused_other_keys": (705, 24, 3, {}, 6, 11, torch.float32, "keys and values of another text, one matrix"),
    "fused_f16": (706, 16, 2, {}, 8, None, torch.float16, "weights stored as F16, run in float32"),
    "separate": (707, 24, 6, {"kdim": 10, "vdim": 14}, 8, 12, torch.float32, "keys and values of other widths"),
    "separate_plain": (708, 16, 4, {"kdim": 9, "vdim": 5, "bias": False}, 5, 3, torch.float32, "the same without biases"),
    "separate_keys": (709, 20, 2, {"kdim": 7, "vdim": 7}, 6, 6, torch.float32, "values made of what the keys are made of"),
    "separate_values": (710, 20, 4, {"vdim": 13}, 7, 7, torch.float32, "keys of the queries' text, values of another width"),
}


def write_case(name):
    seed, width, heads, arguments, queries, keys, stored, shows = CASES[name]
    random = np.random.default_rng(seed)
    module = torch.nn.MultiheadAttention(width, heads, **arguments).eval()
    with torch.no_grad():
        for tensor_name, value in sorted(module.named_parameters()):
            draw = random.standard_normal(tuple(value.shape))
            draw = 0.3 * draw if value.dim() == 1 else 1.5 * draw / np.sqrt(value.shape[1])
            value.copy_(torch.from_numpy(draw))
    module = module.to(stored)
    state = module.state_dict()
    module = module.float()

    def embeddings(count, columns):
        return torch.from_numpy(random.standard_normal((count, columns))).float()

    query = embeddings(queries, width)
    key = value = query
    golden = {"embeddings": query}
    if keys is not None and (keys, arguments.get("kdim", width)) != (queries, width):
        key = value = golden["key_embeddings"] = embeddings(keys, arguments.get("kdim", width))
    if arguments.get("vdim", arguments.get("kdim", width)) != key.shape[1]:
        value = golden["value_embeddings"] = embeddings(len(key), arguments["vdim"])
    with torch.no_grad():
        output, attention = module(query, key, value, average_attn_weights=False)
        double = module.double()(query.double(), key.double(), value.double(), average_attn_weights=False)[1]
    difference = (attention - double).abs().max().item()
    assert difference < 1e-6, f"{name}: float32 itself is off by {difference}"
    golden |= {"attention": attention[None], "attn_output": output}
    folder = DATA / name
    folder.mkdir(parents=True, exist_ok=True)
    safetensors.torch.save_file(state, folder / "module.safetensors")
    save_in_order(golden, folder / "attention.safetensors", {"torch": torch.__version__.split("+")[0]})
    print(f"{name:20} float32 against float64 {difference:.1e}")
    return {"name": name, "seed": seed, "model_dim": width, "heads": heads, "queries": queries, "keys": len(key), "shows": shows}


def main():
    torch.set_num_threads(1)
    cases = [write_case(name) for name in CASES]
    manifest = {"torch": torch.__version__.split("+")[0], "numpy": np.__version__, "tolerance": 1e-5, "cases": cases}
    (DATA / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n")


if __name__ == "__main__":
    main()
