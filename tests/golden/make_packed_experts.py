"""Writes variants/gpt_oss_mxfp4/: a small random GPT-OSS as OpenAI publishes one, experts as MXFP4 codes and scales apart and the rest BF16,
with the attention that transformers gives to the numbers which its own convert_moe_packed_tensors makes of them (eager, float32).

    venv5/bin/python tests/golden/make_packed_experts.py tests/golden/variants
    venv5/bin/python tests/golden/make_packed_experts.py FOLDER --check PROGRAM [--seed 1] [--tokens 17] [--width 64] [--inner 32]
"""
import argparse
import json
import pathlib

import numpy as np
import torch
import transformers
from safetensors.torch import save_file
from transformers.integrations.mxfp4 import convert_moe_packed_tensors

import sweep_families as sweep


def pack(shape, random):
    """Codes [experts, out, groups, 16] and scales of matrices that differ enough for attention far from uniform."""
    experts, into, out = shape
    codes = random.integers(0, 256, (experts, out, into // 32, 16)).astype(np.uint8)
    scales = random.integers(121, 125, codes.shape[:3]).astype(np.uint8)
    return torch.from_numpy(codes), torch.from_numpy(scales)


def make(folder, options):
    settings = {"hidden_size": options.width, "intermediate_size": options.inner, "head_dim": 16, "num_hidden_layers": options.layers,
                "num_attention_heads": 4, "num_key_value_heads": 2, "num_local_experts": 4, "num_experts_per_tok": 2, "sliding_window": 5,
                "max_position_embeddings": 256, "vocab_size": 48, "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": None}
    config = transformers.GptOssConfig(**settings)
    config.dtype = torch.bfloat16
    model = sweep.fill(transformers.AutoModelForCausalLM.from_config(config, dtype=torch.float32, **sweep.EAGER), options.seed)
    random = np.random.default_rng(options.seed)
    stored = {}
    with torch.no_grad():
        for name, value in model.state_dict().items():
            if name.endswith(("gate_up_proj", "down_proj")):
                codes, scales = pack(value.shape, random)
                value.copy_(convert_moe_packed_tensors(codes, scales, dtype=torch.float32))
                stored[name + "_blocks"], stored[name + "_scales"] = codes, scales
            else:
                value.copy_(value.bfloat16().float())
                stored[name] = value.bfloat16().contiguous()
    folder.mkdir(parents=True, exist_ok=True)
    save_file(stored, folder / "model.safetensors", {"format": "pt"})
    about = config.to_dict() | {"architectures": ["GptOssForCausalLM"], "dtype": "bfloat16", "quantization_config": {
        "quant_method": "mxfp4", "modules_to_not_convert": ["model.layers.*.self_attn", "model.layers.*.mlp.router", "model.embed_tokens",
                                                            "lm_head"]}}
    (folder / "config.json").write_text(json.dumps(about, indent=2, default=str))
    ids = random.integers(4, 48, options.tokens).tolist()
    single = sweep.run(model, ids, None)
    return ids, single, sweep.difference(single, sweep.run(model.double(), ids, None))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--check")
    for name, value in (("seed", 1), ("tokens", 17), ("width", 64), ("inner", 32), ("layers", 2)):
        parser.add_argument(f"--{name}", type=int, default=value)
    options = parser.parse_args()
    folder = options.out / "gpt_oss_mxfp4"
    ids, maps, own = make(folder, options)
    if options.check:
        made, why = sweep.attend(options.check, folder, ids, None)
        print(why or f"{sweep.difference(made, maps):.1e} (transformers' own {own:.1e})")
    else:
        print(sweep.write_golden(folder, maps, ids, None, own))


if __name__ == "__main__":
    main()
