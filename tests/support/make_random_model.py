"""Writes a model of a chosen shape with random weights, for benchmarks: by default GPT-2 small's shape.

    venv/bin/python tests/support/make_random_model.py FOLDER [--family gpt2|bert|llama] [--layers 12] [--heads 12]
        [--kv-heads 12] [--dim 768] [--inner 3072] [--positions 1024] [--vocab 50257] [--type f32|f16|bf16]
        [--seed 1] [--shards 1] [--tokenizer FOLDER]

BERT's bench shape: --family bert --layers 6 --heads 12 --dim 384 --vocab 30522.
A long text's: --family llama --layers 4 --heads 8 --dim 128 --positions 8192.
4 GB in bfloat16: --family llama --layers 24 --heads 20 --dim 2560 --inner 6912 --vocab 32000 --type bf16 --shards 3.
Needs torch and safetensors. `--tokenizer` copies the tokenizer's files from a folder.
"""

import argparse
import json
import pathlib
import shutil

import safetensors.torch
import torch

TYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}
TOKENIZER_FILES = ("tokenizer.json", "tokenizer_config.json", "vocab.json", "merges.txt", "special_tokens_map.json")


def gpt2(options):
    d, inner = options.dim, options.inner or 4 * options.dim
    shapes = {"transformer.wte.weight": (options.vocab, d), "transformer.wpe.weight": (options.positions, d),
              "transformer.ln_f.weight": (d,), "transformer.ln_f.bias": (d,)}
    for layer in range(options.layers):
        name = f"transformer.h.{layer}."
        for norm in ("ln_1", "ln_2"):
            shapes |= {f"{name}{norm}.weight": (d,), f"{name}{norm}.bias": (d,)}
        for linear, rows, columns in (("attn.c_attn", d, 3 * d), ("attn.c_proj", d, d), ("mlp.c_fc", d, inner),
                                      ("mlp.c_proj", inner, d)):
            shapes |= {f"{name}{linear}.weight": (rows, columns), f"{name}{linear}.bias": (columns,)}
    config = {"architectures": ["GPT2LMHeadModel"], "model_type": "gpt2", "activation_function": "gelu_new",
              "n_layer": options.layers, "n_head": options.heads, "n_embd": d, "n_inner": inner,
              "n_positions": options.positions, "vocab_size": options.vocab, "layer_norm_epsilon": 1e-5}
    return config, shapes, lambda shape: shape[0]


def llama(options):
    d, inner = options.dim, options.inner or 8 * options.dim // 3
    head_dim = d // options.heads
    kv_heads = options.kv_heads or options.heads
    shapes = {"model.embed_tokens.weight": (options.vocab, d), "model.norm.weight": (d,)}
    for layer in range(options.layers):
        name = f"model.layers.{layer}."
        shapes |= {name + "input_layernorm.weight": (d,), name + "post_attention_layernorm.weight": (d,)}
        for linear, rows, columns in (("self_attn.q_proj", d, d), ("self_attn.k_proj", kv_heads * head_dim, d),
                                      ("self_attn.v_proj", kv_heads * head_dim, d), ("self_attn.o_proj", d, d),
                                      ("mlp.gate_proj", inner, d), ("mlp.up_proj", inner, d), ("mlp.down_proj", d, inner)):
            shapes[f"{name}{linear}.weight"] = (rows, columns)
    config = {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_act": "silu",
              "num_hidden_layers": options.layers, "num_attention_heads": options.heads, "num_key_value_heads": kv_heads,
              "hidden_size": d, "intermediate_size": inner, "max_position_embeddings": options.positions,
              "vocab_size": options.vocab, "rms_norm_eps": 1e-5, "rope_theta": 10000.0, "tie_word_embeddings": True}
    return config, shapes, lambda shape: shape[1]


def bert(options):
    d, inner = options.dim, options.inner or 4 * options.dim
    shapes = {"embeddings.word_embeddings.weight": (options.vocab, d), "embeddings.position_embeddings.weight": (options.positions, d),
              "embeddings.token_type_embeddings.weight": (2, d)}
    norms, linears = ["embeddings.LayerNorm"], []
    for layer in range(options.layers):
        name = f"encoder.layer.{layer}."
        linears += [(f"{name}attention.self.{part}", d, d) for part in ("query", "key", "value")]
        linears += [(name + "attention.output.dense", d, d), (name + "intermediate.dense", inner, d), (name + "output.dense", d, inner)]
        norms += [name + "attention.output.LayerNorm", name + "output.LayerNorm"]
    for linear, rows, columns in linears:
        shapes |= {f"{linear}.weight": (rows, columns), f"{linear}.bias": (rows,)}
    for norm in norms:
        shapes |= {f"{norm}.weight": (d,), f"{norm}.bias": (d,)}
    config = {"architectures": ["BertModel"], "model_type": "bert", "hidden_act": "gelu", "num_hidden_layers": options.layers,
              "num_attention_heads": options.heads, "hidden_size": d, "intermediate_size": inner,
              "max_position_embeddings": options.positions, "type_vocab_size": 2, "vocab_size": options.vocab,
              "layer_norm_eps": 1e-12, "pad_token_id": 0}
    return config, shapes, lambda shape: shape[1]


def save(folder, tensors, shards):
    if shards == 1:
        safetensors.torch.save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
        return
    names = list(tensors)
    weight_map = {}
    for shard in range(shards):
        file = f"model-{shard + 1:05}-of-{shards:05}.safetensors"
        own = names[shard * len(names) // shards:(shard + 1) * len(names) // shards]
        safetensors.torch.save_file({name: tensors[name] for name in own}, folder / file, metadata={"format": "pt"})
        weight_map |= dict.fromkeys(own, file)
    total = sum(tensor.numel() * tensor.element_size() for tensor in tensors.values())
    index = {"metadata": {"total_size": total}, "weight_map": weight_map}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index, indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--family", choices=("gpt2", "bert", "llama"), default="gpt2")
    for name, value in (("layers", 12), ("heads", 12), ("kv-heads", 0), ("dim", 768), ("inner", 0), ("positions", 1024),
                        ("vocab", 50257), ("seed", 1), ("shards", 1)):
        parser.add_argument("--" + name, type=int, default=value)
    parser.add_argument("--type", choices=TYPES, default="f32")
    parser.add_argument("--tokenizer", type=pathlib.Path)
    options = parser.parse_args()
    if options.dim % options.heads or options.heads % (options.kv_heads or options.heads):
        parser.error("heads must divide dim, and kv-heads must divide heads")

    config, shapes, fan_in = {"gpt2": gpt2, "bert": bert, "llama": llama}[options.family](options)
    random = torch.Generator().manual_seed(options.seed)
    tensors = {}
    for name, shape in shapes.items():
        if len(shape) == 1:
            value = torch.ones(shape) if name.endswith("weight") else torch.zeros(shape)
        else:
            is_embedding = any(part in name for part in ("wte", "wpe", "embed"))
            value = torch.randn(shape, generator=random) * (0.5 if is_embedding else fan_in(shape) ** -0.5)
        tensors[name] = value.to(TYPES[options.type])
    options.folder.mkdir(parents=True, exist_ok=True)
    save(options.folder, tensors, options.shards)
    config["torch_dtype"] = str(TYPES[options.type]).removeprefix("torch.")
    (options.folder / "config.json").write_text(json.dumps(config, indent=1) + "\n")
    for file in TOKENIZER_FILES if options.tokenizer else ():
        if (options.tokenizer / file).exists():
            shutil.copyfile(options.tokenizer / file, options.folder / file)
    print(f"{options.folder}: {sum(t.numel() for t in tensors.values())} parameters")


if __name__ == "__main__":
    main()
