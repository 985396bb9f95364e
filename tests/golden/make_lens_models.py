"""Small models of TransformerLens with random weights, beside the attention that it computes.

    python3 -m venv venvtl; venvtl/bin/pip install "transformer-lens==2.18.0"
    venvtl/bin/python tests/golden/make_lens_models.py [--sweep build/release/headscope] [--seed 1] [--tokens 17]

Without --sweep writes lens/<case>/: the settings, the state and its attention. With it, compares the program's attention with
TransformerLens' own in float32 ("hook_pattern"), within the larger of 1e-5 and three times its distance from float64, and writes
nothing.
"""

import argparse
import copy
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

import numpy as np
import torch
from safetensors.numpy import load_file, save_file
from transformer_lens import HookedTransformer, HookedTransformerConfig

FOLDER = pathlib.Path(__file__).parent / "lens"
SIZES = {"n_layers": 3, "d_model": 24, "d_head": 8, "n_heads": 3, "d_mlp": 32, "n_ctx": 20, "d_vocab": 48, "act_fn": "gelu",
         "seed": 1, "device": "cpu"}
CASES = {
    "attention_only": ({"attn_only": True, "act_fn": None, "d_mlp": None}, "model_final.pth", "config.json"),
    "shortformer": ({"positional_embedding_type": "shortformer", "act_fn": "solu_ln"}, "model.safetensors", "config.json"),
    "no_norm": ({"normalization_type": None, "attn_only": True, "d_head": 6, "n_heads": 5}, "model.safetensors", "cfg.json"),
    "othello": ({"normalization_type": "LNPre"}, "synthetic.pth", "cfg.json"),
    "gelu": ({"act_fn": "gelu_new"}, "model.safetensors", "cfg.json"),
    "solu_pre": ({"act_fn": "solu_ln", "normalization_type": "LNPre"}, "model.safetensors", "cfg.json"),
    "solu": ({"act_fn": "solu", "final_rms": True}, "model.safetensors", "cfg.json"),
    "rotary": ({"positional_embedding_type": "rotary", "rotary_dim": 4, "normalization_type": "RMS", "act_fn": "silu",
                "gated_mlp": True, "n_heads": 4, "d_head": 6, "n_key_value_heads": 2}, "model.safetensors", "cfg.json"),
    "adjacent": ({"positional_embedding_type": "rotary", "rotary_adjacent_pairs": True, "parallel_attn_mlp": True,
                  "normalization_type": "RMSPre", "act_fn": "relu"}, "model.safetensors", "cfg.json"),
    "both_ways": ({"attention_dir": "bidirectional", "d_vocab_out": 5}, "model.safetensors", "cfg.json"),
    "local": ({"use_local_attn": True, "window_size": 4, "attn_types": ["global", "local", "local"], "use_attn_scale": False},
              "model.safetensors", "cfg.json"),
    "odd": ({"normalization_type": "RMS", "attn_scores_soft_cap": 3.0, "use_qk_norm": True,
             "use_normalization_before_and_after": True, "post_embedding_ln": True, "positional_embedding_type": "rotary",
             "scale_attn_by_inverse_layer_idx": True, "attn_scale": 2.0}, "model.safetensors", "cfg.json"),
}
KEPT = ["attention_only", "shortformer", "no_norm", "othello"]


def fill(model, seed):
    random = np.random.default_rng(seed)
    with torch.no_grad():
        for name, value in sorted(model.named_parameters()):
            draw = random.standard_normal(tuple(value.shape))
            if name.endswith((".w",)):
                draw = 1.0 + 0.2 * draw
            elif ".b" in name or name.endswith("b_U"):
                draw = 0.2 * draw
            else:
                draw = draw / np.sqrt(value.shape[-2]) * 1.5
            if model.cfg.gated_mlp and name.endswith("mlp.b_in"):
                draw = np.zeros_like(draw)
            value.copy_(torch.from_numpy(np.asarray(draw)))
    return model.eval()


def patterns(model, ids):
    with torch.no_grad():
        _, cache = model.run_with_cache(torch.tensor([ids]))
    return np.stack([cache["pattern", layer][0].double().numpy() for layer in range(model.cfg.n_layers)])


def in_double(model, ids):
    other = copy.deepcopy(model).double()
    for module in other.modules():
        if hasattr(module, "cfg"):
            module.cfg.dtype = torch.float64
    return patterns(other, ids)


def write(case, folder, seed, tokens):
    """(what TransformerLens computes, its distance from float64)"""
    changes, weights, settings = CASES[case]
    cfg = HookedTransformerConfig(**(SIZES | changes))
    model = fill(HookedTransformer(cfg), seed)
    ids = np.random.default_rng(seed).integers(0, cfg.d_vocab, min(tokens, cfg.n_ctx)).tolist()
    maps = patterns(model, ids)
    own = float(np.abs(maps - in_double(model, ids)).max())
    state = model.state_dict()
    if weights.endswith(".safetensors"):
        save_file({name: value.detach().numpy() for name, value in state.items()}, folder / weights)
    else:
        torch.save(state, folder / weights)
    kept = dict(sorted(cfg.to_dict().items()))
    if settings == "config.json":  # the first models' authors wrote these names
        kept["normalization"] = kept.pop("normalization_type")
        kept["shortformer_pos"] = kept.pop("positional_embedding_type") == "shortformer"
    (folder / settings).write_text(json.dumps(kept, indent=1, default=str) + "\n")
    metadata = {"token_ids": json.dumps(ids), "own_error": f"{own:.1e}"}
    save_file({"attention": maps.astype("f4")}, folder / "attention.safetensors", metadata)
    return maps, own, ids


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sweep")
    parser.add_argument("--cases")
    for name, value in (("seed", 1), ("tokens", 17)):
        parser.add_argument(f"--{name}", type=int, default=value)
    options = parser.parse_args()
    cases = options.cases.split(",") if options.cases else CASES if options.sweep else KEPT
    failed = 0
    for case in cases:
        folder = pathlib.Path(tempfile.mkdtemp()) if options.sweep else FOLDER / case
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        maps, own, ids = write(case, folder, options.seed, options.tokens)
        if not options.sweep:
            print(f"{case:16} own error {own:.1e}, {sum(file.stat().st_size for file in folder.iterdir())} bytes")
            continue
        made = folder / "made.safetensors"
        done = subprocess.run([options.sweep, "attend", "--model", folder, "--ids", ",".join(map(str, ids)), "--out", made],
                              capture_output=True, text=True)
        if done.returncode:
            print(f"{case:16} {done.stderr.strip()}")
            failed += 1
            continue
        off = float(np.abs(load_file(made)["attention"].reshape(maps.shape) - maps).max())
        agrees = off <= max(1e-5, 3 * own)
        failed += not agrees
        print(f"{case:16} {'agrees' if agrees else 'DIFFERS'} {off:.1e} (own {own:.1e}, mean of row maxima "
              f"{maps.max(axis=-1).mean():.2f})")
        shutil.rmtree(folder)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
