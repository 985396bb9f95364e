"""Writes families/jina_bert/, gguf/jina-bert-v2/ and gguf/jina-bert-v2_apart/: random models as Jina's second embeddings store
them, and their attention. transformers has no class for them: the formula is written out here, in float64.

    venv5/bin/pip install torch==2.15.0 safetensors gguf
    venv5/bin/python tests/golden/make_jina_bert.py tests/golden

GGUF's weights are few steps of a power of two, which Q8_0 holds exactly.
"""

import json
import math
import pathlib
import sys

import numpy as np
import torch
from gguf import GGMLQuantizationType as Type, GGUFWriter
from safetensors.numpy import save_file

from make_gguf import encode, few_steps

CONFIG = {"architectures": ["JinaBertForMaskedLM"], "attention_probs_dropout_prob": 0.0, "feed_forward_type": "geglu",
          "auto_map": {"AutoModel": "jinaai/jina-bert-implementation--modeling_bert.JinaBertModel"},
          "hidden_act": "gelu", "layer_norm_eps": 1e-12, "max_position_embeddings": 64, "model_type": "bert",
          "num_hidden_layers": 2, "pad_token_id": 0, "position_embedding_type": "alibi", "type_vocab_size": 2, "vocab_size": 40}
THEIRS = {"attention.self.query": "attn_q", "attention.self.key": "attn_k", "attention.self.value": "attn_v",
          "attention.output.dense": "attn_output", "attention.output.LayerNorm": "attn_output_norm",
          "mlp.gated_layers": "ffn_up", "mlp.wo": "ffn_down", "mlp.layernorm": "layer_output_norm"}


def slopes(heads):
    """The paper's: of the next smaller power of two, then every second of twice as many."""
    power = 2 ** math.floor(math.log2(heads))
    of = lambda count: [2.0 ** (-8.0 * (i + 1) / count) for i in range(count)]
    return (of(power) + of(2 * power)[::2])[:heads]


def random_weights(config, random):
    width, inner = config["hidden_size"], config["intermediate_size"]
    shapes = {"embeddings.word_embeddings.weight": (config["vocab_size"], width),
              "embeddings.token_type_embeddings.weight": (config["type_vocab_size"], width)}
    norms = ["embeddings.LayerNorm"]
    for layer in range(config["num_hidden_layers"]):
        at = f"encoder.layer.{layer}."
        for name in ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"):
            shapes[f"{at}{name}.weight"], shapes[f"{at}{name}.bias"] = (width, width), (width,)
        shapes[at + "mlp.gated_layers.weight"] = (2 * inner, width)
        shapes[at + "mlp.wo.weight"], shapes[at + "mlp.wo.bias"] = (width, inner), (width,)
        norms += [at + "attention.output.LayerNorm", at + "mlp.layernorm"]
    weights = {}
    for name, shape in shapes.items():
        scale = 0.5 if "bias" in name else 1.0 if "embeddings" in name else 1.6 / math.sqrt(shape[-1])
        if len(shape) == 2 and shape[-1] % 32 == 0:
            weights[name] = few_steps(shape, random, 2.0 ** round(math.log2(scale / 4.6)))
        else:
            weights[name] = random.normal(0.0, scale, shape).astype(np.float32)
    for name in norms:
        weights[name + ".weight"] = random.uniform(0.6, 1.4, width).astype(np.float32)
        weights[name + ".bias"] = random.normal(0.0, 0.2, width).astype(np.float32)
    return weights


def attention(config, weights, ids, dtype):
    tensor = {name: torch.tensor(values, dtype=dtype) for name, values in weights.items()}
    heads, width, inner = config["num_attention_heads"], config["hidden_size"], config["intermediate_size"]
    place = torch.arange(len(ids))
    bias = -torch.tensor(slopes(heads), dtype=dtype)[:, None, None] * (place[None] - place[:, None]).abs()
    linear = lambda name, x: x @ tensor[name + ".weight"].T + tensor.get(name + ".bias", 0)
    norm = lambda name, x: torch.nn.functional.layer_norm(x, (width,), tensor[name + ".weight"], tensor[name + ".bias"],
                                                          config["layer_norm_eps"])
    x = norm("embeddings.LayerNorm",
             tensor["embeddings.word_embeddings.weight"][ids] + tensor["embeddings.token_type_embeddings.weight"][0])
    maps = []
    for layer in range(config["num_hidden_layers"]):
        at = f"encoder.layer.{layer}."
        query, key, value = (linear(f"{at}attention.self.{name}", x).reshape(len(ids), heads, -1).transpose(0, 1)
                             for name in ("query", "key", "value"))
        maps.append(torch.softmax(query @ key.transpose(1, 2) / math.sqrt(width // heads) + bias, -1))
        joined = (maps[-1] @ value).transpose(0, 1).reshape(len(ids), width)
        x = norm(at + "attention.output.LayerNorm", x + linear(at + "attention.output.dense", joined))
        gate, up = linear(at + "mlp.gated_layers", x).split(inner, -1)
        x = norm(at + "mlp.layernorm", x + linear(at + "mlp.wo", torch.nn.functional.gelu(gate) * up))
    return torch.stack(maps).numpy()


def write_maps(folder, config, weights, ids):
    exact = attention(config, weights, ids, torch.float64)
    single = attention(config, weights, ids, torch.float32)
    about = {"token_ids": json.dumps(ids), "own_error": f"{np.abs(exact - single).max():.1e}"}
    save_file({"attention": exact.astype(np.float32)}, folder / "attention.safetensors", about)


def write_gguf(path, config, weights, is_apart):
    writer = GGUFWriter(path, "jina-bert-v2")
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(config["num_attention_heads"])
    writer.add_layer_norm_eps(config["layer_norm_eps"])
    writer.add_causal_attention(False)
    names = {"embeddings.word_embeddings": "token_embd", "embeddings.token_type_embeddings": "token_types",
             "embeddings.LayerNorm": "token_embd_norm"}
    for layer in range(config["num_hidden_layers"]):
        names |= {f"encoder.layer.{layer}.{ours}": f"blk.{layer}.{theirs}" for ours, theirs in THEIRS.items()}
    tensors = {}
    for name, values in sorted(weights.items()):
        ours, ending = name.rsplit(".", 1)
        if is_apart and ours.endswith("gated_layers"):
            start = names[ours].removesuffix("ffn_up")
            tensors[start + "ffn_gate.weight"], tensors[start + "ffn_up.weight"] = np.split(values, 2)
        else:
            tensors[f"{names[ours]}.{ending}"] = values
    for name, values in tensors.items():
        if values.ndim == 1 or "token_types" in name:
            writer.add_tensor(name, np.ascontiguousarray(values))
        else:
            writer.add_tensor(name, encode(np.ascontiguousarray(values), Type.Q8_0), raw_dtype=Type.Q8_0)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def main():
    golden = pathlib.Path(sys.argv[1])
    random = np.random.default_rng(2023)
    # Three heads: no power of two.
    config = {**CONFIG, "hidden_size": 24, "intermediate_size": 20, "num_attention_heads": 3}
    folder = golden / "families" / "jina_bert"
    folder.mkdir(parents=True, exist_ok=True)
    weights = random_weights(config, random)
    write_maps(folder, config, weights, random.integers(1, 40, 13).tolist())
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    save_file({name: weights[name] for name in sorted(weights)}, folder / "model.safetensors", {"format": "pt"})
    for name in ("jina-bert-v2", "jina-bert-v2_apart"):
        config = {**CONFIG, "hidden_size": 32, "intermediate_size": 64, "num_attention_heads": 4}
        folder = golden / "gguf" / name
        folder.mkdir(parents=True, exist_ok=True)
        weights = random_weights(config, random)
        write_maps(folder, config, weights, random.integers(1, 40, 14).tolist())
        write_gguf(folder / "q8_0.gguf", config, weights, name.endswith("apart"))


main()
