"""LoRA adapters beside their bases, and checkpoints of nanoGPT, with the attention that peft's merged models and transformers give.

    venv5/bin/pip install torch==2.15.0 transformers==5.24.0 peft==0.21.2
    venv5/bin/python tests/golden/make_adapters.py [--sweep build/release/headscope] [--seed 1]

Without --sweep writes adapters/<base> and adapters/<case>, and nano_gpt/<case>. With it, compares the program's attention with
theirs in float32, within the larger of 1e-5 and three times its distance from float64, and writes nothing.
"""

import argparse
import copy
import json
import pathlib
import pickle
import shutil
import subprocess
import sys
import tempfile

import numpy as np
import peft
import torch
import transformers
from safetensors.numpy import load_file, save_file

HERE = pathlib.Path(__file__).parent
IDS = [5, 9, 4, 12, 7, 9, 4, 15, 3, 8, 1]
EAGER = {"attn_implementation": "eager"}
BASES = {
    "gpt2": transformers.GPT2Config(n_layer=2, n_head=3, n_embd=24, n_positions=24, vocab_size=32, **EAGER),
    "llama": transformers.LlamaConfig(num_hidden_layers=2, num_attention_heads=3, num_key_value_heads=1, hidden_size=24,
                                      intermediate_size=32, max_position_embeddings=24, vocab_size=32, tie_word_embeddings=False,
                                      **EAGER),
    "bert": transformers.BertConfig(num_hidden_layers=2, num_attention_heads=3, hidden_size=24, intermediate_size=32,
                                    max_position_embeddings=24, vocab_size=32, **EAGER),
}
CASES = {
    "llama_queries": ("llama", {"r": 4, "lora_alpha": 8, "target_modules": ["q_proj", "v_proj"]}),
    "llama_patterns": ("llama", {"r": 4, "lora_alpha": 6, "target_modules": "all-linear", "use_rslora": True,
                                 "rank_pattern": {"k_proj": 2, "layers.1.self_attn.q_proj": 3}, "alpha_pattern": {"k_proj": 5}}),
    "llama_embeddings": ("llama", {"r": 3, "lora_alpha": 6, "target_modules": ["embed_tokens", "o_proj"]}),
    "gpt2_conv": ("gpt2", {"r": 4, "lora_alpha": 16, "target_modules": ["c_attn", "c_proj"], "fan_in_fan_out": True}),
    "gpt2_biases": ("gpt2", {"r": 2, "lora_alpha": 4, "target_modules": ["c_attn"], "fan_in_fan_out": True, "bias": "all",
                             "modules_to_save": ["wpe", "ln_f"]}),
    "bert_whole": ("bert", {"r": 2, "lora_alpha": 4, "target_modules": ["query", "key"], "bias": "lora_only",
                            "modules_to_save": ["word_embeddings"]}),
    "dora": ("llama", {"r": 2, "lora_alpha": 4, "target_modules": ["q_proj"], "use_dora": True}),
}
NANO = {"plain": {"bias": True}, "no_bias": {"bias": False}}
KEPT = ["llama_queries", "gpt2_conv", "dora"]


def fill(model, seed):
    random = np.random.default_rng(seed)
    with torch.no_grad():
        for name, value in sorted(model.named_parameters()):
            draw = random.standard_normal(tuple(value.shape))
            if value.dim() <= 1:
                draw = float(value.mean() > 0.5) + 0.2 * draw
            else:
                draw = 1.4 * draw / np.sqrt(max(value.shape[-1], 8))
            value.copy_(torch.from_numpy(np.asarray(draw)))
    return model.eval()


def maps_of(model):
    with torch.no_grad():
        result = model(input_ids=torch.tensor([IDS]), output_attentions=True)
    return np.stack([layer[0].double().numpy() for layer in result.attentions])


def keep_maps(model, folder):
    maps = maps_of(model)
    own = float(np.abs(maps - maps_of(copy.deepcopy(model).double())).max())
    save_file({"attention": maps.astype("f4")}, folder / "attention.safetensors",
              {"token_ids": json.dumps(IDS), "own_error": f"{own:.1e}"})
    return maps, own


def build(config):
    if config.model_type == "bert":
        return transformers.BertForMaskedLM(config)
    return transformers.AutoModelForCausalLM.from_config(config)


def write_adapter(case, root, seed):
    base, settings = CASES[case]
    if not (root / base).exists():
        fill(build(BASES[base]), seed).save_pretrained(root / base)
        (root / base / "generation_config.json").unlink(missing_ok=True)
    auto = transformers.AutoModelForMaskedLM if base == "bert" else transformers.AutoModelForCausalLM
    model = auto.from_pretrained(root / base, **EAGER)
    torch.manual_seed(seed)  # peft draws A
    model = peft.get_peft_model(model, peft.LoraConfig(task_type="CAUSAL_LM" if base != "bert" else None, **settings))
    random = np.random.default_rng(seed + 1)
    with torch.no_grad():
        for _, value in sorted((name, value) for name, value in model.named_parameters() if value.requires_grad):
            value.add_(torch.from_numpy(0.5 * random.standard_normal(tuple(value.shape))))
    model.peft_config["default"].base_model_name_or_path = f"somewhere/{base}"
    model.save_pretrained(root / case)
    (root / case / "README.md").unlink()
    about = root / case / "adapter_config.json"
    kept = json.loads(about.read_text())
    kept = {key: sorted(value) if key == "target_modules" and isinstance(value, list) else value for key, value in kept.items()}
    about.write_text(json.dumps(kept, indent=2) + "\n")
    return keep_maps(model.eval().merge_and_unload(), root / case)


def write_nano(case, folder, seed):
    bias = NANO[case]["bias"]
    config = copy.deepcopy(BASES["gpt2"])
    config.activation_function = "gelu"
    model = fill(build(config), seed)
    state = {}
    with torch.no_grad():
        for name, value in model.state_dict().items():
            if name.endswith(".bias") and not bias:
                value.zero_()
            turned = name.endswith(("c_attn.weight", "c_proj.weight", "c_fc.weight"))
            if bias or not name.endswith(".bias"):
                state["_orig_mod." + name] = value.t().contiguous() if turned else value.clone()
    folder.mkdir(parents=True)
    optimizer = torch.optim.AdamW([torch.nn.Parameter(torch.ones(40))], betas=(0.9, 0.95))
    optimizer.param_groups[0]["params"][0].grad = torch.ones(40)
    optimizer.step()
    sizes = {"n_layer": config.n_layer, "n_head": config.n_head, "n_embd": config.n_embd, "block_size": config.n_positions,
             "bias": bias, "vocab_size": config.vocab_size, "dropout": 0.0}
    torch.save({"model": state, "optimizer": optimizer.state_dict(), "model_args": sizes, "iter_num": 3,
                "best_val_loss": torch.tensor(1.5), "config": {"dataset": "letters", "learning_rate": 1e-3, "compile": True}},
               folder / "ckpt.pt")
    letters = "\n !,.?abcdefghijklmnopqrstuvwxyzé"[:config.vocab_size]
    if case == "plain":
        (folder / "meta.pkl").write_bytes(pickle.dumps({"vocab_size": len(letters), "itos": dict(enumerate(letters)),
                                                        "stoi": {letter: number for number, letter in enumerate(letters)}}))
    return keep_maps(model, folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sweep")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    root = pathlib.Path(tempfile.mkdtemp()) if options.sweep else HERE
    if not options.sweep:
        for name in ("adapters", "nano_gpt"):
            shutil.rmtree(root / name, ignore_errors=True)
    (root / "adapters").mkdir()
    failed = 0
    for case in (list(CASES) if options.sweep else KEPT) + list(NANO):
        folder = root / ("nano_gpt" if case in NANO else "adapters") / case
        maps, own = write_nano(case, folder, options.seed) if case in NANO else write_adapter(case, root / "adapters", options.seed)
        if not options.sweep:
            print(f"{case:16} own error {own:.1e}, {sum(file.stat().st_size for file in folder.iterdir())} bytes")
            continue
        made = folder / "made.safetensors"
        done = subprocess.run([options.sweep, "attend", "--model", folder, "--ids", ",".join(map(str, IDS)), "--out", made],
                              capture_output=True, text=True)
        if done.returncode:
            print(f"{case:16} {done.stderr.strip()}")
            failed += case != "dora"
            continue
        off = float(np.abs(load_file(made)["attention"].reshape(maps.shape) - maps).max())
        agrees = off <= max(1e-5, 3 * own)
        failed += not agrees
        print(f"{case:16} {'agrees' if agrees else 'DIFFERS'} {off:.1e} (own {own:.1e}, mean of row maxima "
              f"{maps.max(axis=-1).mean():.2f})")
    if options.sweep:
        shutil.rmtree(root)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
