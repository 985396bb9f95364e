"""Writes what tests/golden/gguf.tests.cpp reads.

gguf/types.gguf: a tensor of every GGUF type that opens, and gguf/types.safetensors: the numbers they stand for. The judge
is the gguf package: its dequantize gives the numbers. Codes are random bytes, so that every bit of a block counts; scales
are ordinary halves, one of them negative and one subnormal.

gguf/ARCHITECTURE/*.gguf: one random model in several types, and attention.safetensors: the attention that transformers
gives it (eager, float32). Its weights are few steps of a power of two, so that every type holds them exactly and all the
files are the same model. What converters do to the tensors on the way from transformers to GGUF is done here.

Usage: make_gguf.py OUT_FOLDER
"""
import json
import pathlib
import sys

import numpy as np
import torch
import transformers
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType as Type, GGUFWriter
from gguf.quants import dequantize, quantize
from safetensors.numpy import save_file

ROWS, COLUMNS = 2, 512
# Where a block keeps its half-precision scales.
SCALES_AT = {Type.Q4_0: [0], Type.Q4_1: [0, 2], Type.Q5_0: [0], Type.Q5_1: [0, 2], Type.Q8_0: [0], Type.Q4_K: [0, 2],
             Type.Q5_K: [0, 2], Type.Q6_K: [208], Type.Q2_K: [80, 82], Type.Q3_K: [108], Type.IQ4_NL: [0],
             Type.IQ4_XS: [0], Type.MXFP4: []}


def quantised(kind, random):
    elements, size = GGML_QUANT_SIZES[kind]
    blocks = random.integers(0, 256, (ROWS * COLUMNS // elements, size), dtype=np.uint8)
    for at in SCALES_AT[kind]:
        scales = random.normal(0, 0.02, len(blocks)).astype(np.float16)
        scales[0] = -0.0123
        scales[1] = 3e-6
        blocks[:, at:at + 2] = scales.view(np.uint8).reshape(-1, 2)
    if kind == Type.MXFP4:  # a power of two; the least are subnormal, and the largest give infinities
        blocks[:, 0] = random.integers(0, 253, len(blocks))
        blocks[:3, 0] = [0, 1, 2]
    return blocks.reshape(ROWS, -1)


def write_types(folder, random):
    writer = GGUFWriter(folder / "types.gguf", "none")
    expected = {}
    for kind in SCALES_AT:
        data = quantised(kind, random)
        writer.add_tensor(kind.name, data, raw_dtype=kind)
        expected[kind.name] = dequantize(data, kind).reshape(ROWS, COLUMNS)
    plain = random.normal(0, 1, (ROWS, COLUMNS)).astype(np.float32)
    writer.add_tensor("F32", plain)
    expected["F32"] = plain
    writer.add_tensor("F16", plain.astype(np.float16))
    expected["F16"] = plain.astype(np.float16).astype(np.float32)
    bits = (plain.view(np.uint32) >> 16).astype(np.uint16)
    writer.add_tensor("BF16", bits.view(np.uint8), raw_dtype=Type.BF16)
    expected["BF16"] = (bits.astype(np.uint32) << 16).view(np.float32)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    save_file(expected, folder / "types.safetensors")


# --- models

COMMON = {"vocab_size": 40, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64,
          "max_position_embeddings": 48}
MODELS = {
    "llama": ("LlamaModel", {**COMMON, "num_key_value_heads": 2, "head_dim": 16, "rms_norm_eps": 1e-5,
                             "rope_parameters": {"rope_type": "default", "rope_theta": 5e4}}),
    # Its angles are scaled by a tensor of the file.
    "llama3": ("LlamaModel", {**COMMON, "num_key_value_heads": 4, "rms_norm_eps": 1e-5, "attention_bias": True,
                              "rope_parameters": {"rope_type": "llama3", "rope_theta": 1e4, "factor": 8.0,
                                                  "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                                                  "original_max_position_embeddings": 16}}),
    "gpt2": ("GPT2Model", {"vocab_size": 40, "n_embd": 32, "n_layer": 2, "n_head": 4, "n_inner": 64, "n_positions": 48}),
    "qwen2": ("Qwen2Model", {**COMMON, "num_key_value_heads": 2, "rms_norm_eps": 1e-6}),
    "qwen3": ("Qwen3Model", {**COMMON, "num_key_value_heads": 2, "head_dim": 16, "rms_norm_eps": 1e-6}),
    "gemma": ("GemmaModel", {**COMMON, "num_key_value_heads": 1, "head_dim": 16, "rms_norm_eps": 1e-6}),
    "gemma2": ("Gemma2Model", {**COMMON, "num_key_value_heads": 2, "head_dim": 16, "rms_norm_eps": 1e-6,
                               "query_pre_attn_scalar": 16, "sliding_window": 8, "attn_logit_softcapping": 50.0,
                               "final_logit_softcapping": 30.0}),
    "phi2": ("PhiModel", {**COMMON, "head_dim": 8, "partial_rotary_factor": 0.5, "layer_norm_eps": 1e-5}),
    "gptneox": ("GPTNeoXModel", {**COMMON, "rotary_pct": 0.25, "layer_norm_eps": 1e-5, "use_parallel_residual": True}),
    "bert": ("BertModel", {**COMMON, "type_vocab_size": 2, "layer_norm_eps": 1e-12}),
}
FILES = {"llama": ["f32", "f16", "bf16", "q8_0", "q4_0", "q4_1", "q5_0"], "gpt2": ["f32", "q8_0"]}
NAMES = {
    "llama": {"embed_tokens": "token_embd", "norm": "output_norm", "input_layernorm": "attn_norm",
              "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v",
              "self_attn.o_proj": "attn_output", "self_attn.q_norm": "attn_q_norm", "self_attn.k_norm": "attn_k_norm",
              "post_attention_layernorm": "ffn_norm", "mlp.up_proj": "ffn_up", "mlp.gate_proj": "ffn_gate",
              "mlp.down_proj": "ffn_down"},
    "gpt2": {"wte": "token_embd", "wpe": "position_embd", "ln_f": "output_norm", "ln_1": "attn_norm",
             "attn.c_attn": "attn_qkv", "attn.c_proj": "attn_output", "ln_2": "ffn_norm", "mlp.c_fc": "ffn_up",
             "mlp.c_proj": "ffn_down"},
    "phi2": {"embed_tokens": "token_embd", "final_layernorm": "output_norm", "input_layernorm": "attn_norm",
             "self_attn.dense": "attn_output", "mlp.fc1": "ffn_up", "mlp.fc2": "ffn_down"},
    "gptneox": {"embed_in": "token_embd", "final_layer_norm": "output_norm", "input_layernorm": "attn_norm",
                "attention.query_key_value": "attn_qkv", "attention.dense": "attn_output",
                "post_attention_layernorm": "ffn_norm", "mlp.dense_h_to_4h": "ffn_up", "mlp.dense_4h_to_h": "ffn_down"},
    "bert": {"embeddings.word_embeddings": "token_embd", "embeddings.position_embeddings": "position_embd",
             "embeddings.token_type_embeddings": "token_types", "embeddings.LayerNorm": "token_embd_norm",
             "attention.self.query": "attn_q", "attention.self.key": "attn_k", "attention.self.value": "attn_v",
             "attention.output.dense": "attn_output", "attention.output.LayerNorm": "attn_output_norm",
             "intermediate.dense": "ffn_up", "output.dense": "ffn_down", "output.LayerNorm": "layer_output_norm"},
}
NAMES["gemma2"] = {**NAMES["llama"], "post_attention_layernorm": "post_attention_norm",
                   "pre_feedforward_layernorm": "ffn_norm", "post_feedforward_layernorm": "post_ffw_norm"}


def few_steps(shape, random, step):
    """Codes from -8 to 7 times a power of two; each block of 32 holds both ends, so that its scale is the step."""
    codes = random.integers(-8, 8, shape)
    blocks = codes.reshape(-1, 32)
    for block in blocks:
        block[random.choice(32, 2, replace=False)] = [-8, 7]
    return (codes * step).astype(np.float32)


def fill(model, random):
    state = {}
    for name, tensor in model.state_dict().items():
        if tensor.dim() == 2 and min(tensor.shape) > 2:
            # Across a transposed matrix the blocks of the file lie along the other axis.
            turned = isinstance(model, transformers.GPT2Model) and ".c_" in name
            shape = tuple(reversed(tensor.shape)) if turned else tuple(tensor.shape)
            values = few_steps(shape, random, 2.0 ** (-2 if "emb" in name or "wte" in name else -4))
            values = values.T.copy() if turned else values
        else:
            about = 1.0 if name.endswith("weight") and "norm" in name.lower() or ".ln_" in name else 0.0
            values = (about + 0.2 * random.normal(0, 1, tuple(tensor.shape))).astype(np.float32)
        state[name] = torch.from_numpy(values)
    model.load_state_dict(state)
    return {name: tensor.numpy() for name, tensor in state.items()}


def to_gguf(architecture, config, state):
    """Names and tensors as the format's converters make them."""
    names = NAMES.get(architecture, NAMES["llama"])
    tensors = {}
    for name, values in state.items():
        stem, ending = name.rsplit(".", 1)
        parts = stem.split(".")
        layer = next((part for part in parts if part.isdigit()), None)
        inner = stem.split(f".{layer}.", 1)[1] if layer else stem
        heads = getattr(config, "num_attention_heads", 0)
        if architecture == "phi2" and inner.endswith(("q_proj", "k_proj", "v_proj")):
            tensors.setdefault(f"blk.{layer}.attn_qkv.{ending}", []).append(values)
            continue
        if inner not in names:
            assert "pooler" in name or name.endswith(("attn.bias", "masked_bias", "inv_freq", "position_ids")), name
            continue
        theirs = names[inner]
        if architecture in ("llama", "llama3") and theirs in ("attn_q", "attn_k"):
            count = heads if theirs == "attn_q" else config.num_key_value_heads
            values = values.reshape(count, 2, -1, *values.shape[1:]).swapaxes(1, 2).reshape(values.shape)
        if architecture.startswith("gemma") and theirs.endswith("norm"):
            values = values + np.float32(1)
        if architecture == "gpt2" and values.ndim == 2 and theirs.startswith(("attn", "ffn")):
            values = values.T.copy()
        if architecture == "gptneox" and theirs == "attn_qkv":
            values = np.moveaxis(values.reshape(heads, 3, -1, *values.shape[1:]), 1, 0).reshape(values.shape)
        tensors[f"blk.{layer}.{theirs}.{ending}" if layer else f"{theirs}.{ending}"] = values
    return {name: np.concatenate(value) if isinstance(value, list) else value for name, value in tensors.items()}


def encode(values, kind):
    if kind == Type.Q8_0:  # the package's own scale would not be the step
        blocks = values.reshape(-1, 32)
        step = np.abs(blocks).max(axis=1, keepdims=True) / 8
        data = np.concatenate([step.astype(np.float16).view(np.uint8),
                               np.round(blocks / step).astype(np.int8).view(np.uint8)], axis=1)
        return data.reshape(values.shape[0], -1)
    return quantize(values, kind)


def write_model(path, architecture, config, tensors, kind):
    writer = GGUFWriter(path, "llama" if architecture == "llama3" else architecture)
    heads = config.num_attention_heads
    writer.add_block_count(config.num_hidden_layers)
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_feed_forward_length(config.n_inner if architecture == "gpt2" else config.intermediate_size)
    writer.add_head_count(heads)
    head_dim = getattr(config, "head_dim", None) or config.hidden_size // heads
    if getattr(config, "num_key_value_heads", None):
        writer.add_head_count_kv(config.num_key_value_heads)
    if architecture not in ("gpt2", "bert"):
        rope = config.rope_parameters
        writer.add_rope_freq_base(rope["rope_theta"])
        writer.add_rope_dimension_count(int(head_dim * rope.get("partial_rotary_factor", 1.0)))
        if head_dim * heads != config.hidden_size:
            writer.add_key_length(head_dim)
            writer.add_value_length(head_dim)
    if hasattr(config, "rms_norm_eps"):
        writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    else:
        writer.add_layer_norm_eps(config.layer_norm_epsilon if architecture == "gpt2" else config.layer_norm_eps)
    if architecture == "gemma2":
        writer.add_attn_logit_softcapping(config.attn_logit_softcapping)
        writer.add_final_logit_softcapping(config.final_logit_softcapping)
        writer.add_sliding_window(config.sliding_window)
    if architecture == "gptneox":
        writer.add_parallel_residual(config.use_parallel_residual)
    if architecture == "bert":
        writer.add_causal_attention(False)
    if architecture == "llama3":
        rope = config.rope_parameters
        base = rope["rope_theta"] ** (-np.arange(0, head_dim, 2) / head_dim)
        wave, original = 2 * np.pi / base, rope["original_max_position_embeddings"]
        low, high = original / rope["low_freq_factor"], original / rope["high_freq_factor"]
        smooth = (original / wave - rope["low_freq_factor"]) / (rope["high_freq_factor"] - rope["low_freq_factor"])
        factors = np.where(wave < high, 1, np.where(wave > low, rope["factor"], 1 / ((1 - smooth) / rope["factor"] + smooth)))
        writer.add_tensor("rope_freqs.weight", factors.astype(np.float32))
    for name, values in tensors.items():
        if kind == Type.F32 or values.ndim == 1 or name.startswith("token_types"):
            writer.add_tensor(name, values)
        elif kind == Type.F16:
            writer.add_tensor(name, values.astype(np.float16))
        else:
            data = encode(values, kind)
            assert np.array_equal(dequantize(data, kind).reshape(values.shape), values), (name, kind)
            writer.add_tensor(name, data, raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def make_model(folder, architecture, random):
    class_name, settings = MODELS[architecture]
    model_class = getattr(transformers, class_name)
    config = model_class.config_class(**settings, attn_implementation="eager")
    model = model_class(config).float().eval()
    state = fill(model, random)
    ids = random.integers(0, 40, 14).tolist()
    with torch.no_grad():
        attention = model(torch.tensor([ids]), output_attentions=True).attentions
    folder.mkdir(exist_ok=True)
    save_file({"attention": torch.cat(attention).numpy()}, folder / "attention.safetensors",
              {"token_ids": json.dumps(ids)})
    tensors = to_gguf(architecture, config, state)
    for name in FILES.get(architecture, ["q8_0"]):
        write_model(folder / f"{name}.gguf", architecture, config, tensors, Type[name.upper()])


def main(folder):
    write_types(folder, np.random.default_rng(17))
    for seed, architecture in enumerate(MODELS):
        make_model(folder / architecture, architecture, np.random.default_rng(100 + seed))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
