"""Writes gguf/ARCHITECTURE/ of the architectures that make_gguf.py does not have: a random model of transformers, as
llama.cpp's converter stores it, and the attention that transformers gives it (eager, float32).

Names are the gguf package's own (tensor_mapping); what the converter does to tensors and settings is done here. Weights
are few steps of a power of two, which Q8_0 holds exactly.

Usage: make_gguf_architectures.py OUT_FOLDER [--check PROGRAM] [--only ARCHITECTURE,...]
"""
import argparse
import json
import pathlib
import subprocess
import tempfile
import types

import numpy as np
import torch
import transformers
from gguf import GGUFWriter, get_tensor_name_map, MODEL_ARCH, MODEL_ARCH_NAMES
from gguf import ExpertGatingFuncType, GGMLQuantizationType as Type, RopeScalingType
from safetensors.numpy import load_file, save_file

from make_gguf import encode, few_steps

BASE = {"vocab_size": 40, "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
        "max_position_embeddings": 48, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
GROUPED = {**BASE, "num_key_value_heads": 2}
EXPERTS = {**GROUPED, "num_experts_per_tok": 2, "moe_intermediate_size": 32}
HALF = {"rope_type": "default", "rope_theta": 1e4, "partial_rotary_factor": 0.5}
GEMMA4 = {**BASE, "num_hidden_layers": 4, "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 32, "global_head_dim": 64,
          "sliding_window": 5, "layer_types": ["sliding_attention", "full_attention"] * 2, "num_kv_shared_layers": 0,
          "hidden_size_per_layer_input": 0, "final_logit_softcapping": 30.0}
GEMMA4_LARGE = {**GEMMA4, "num_key_value_heads": 2, "num_global_key_value_heads": 1, "attention_k_eq_v": True}
SPACES = {"num_hidden_layers": 4, "layer_types": ["linear_attention", "full_attention"] * 2, "mamba_n_heads": 4, "mamba_n_groups": 2,
          "mamba_d_state": 8, "shared_intermediate_size": 64, "attention_multiplier": 0.3, "embedding_multiplier": 6.0,
          "residual_multiplier": 0.5, "logits_scaling": 2.0}
MEMORY = {"num_hidden_layers": 4, "head_dim": 16, "layer_types": ["linear_attention", "full_attention"] * 2, "linear_num_key_heads": 2,
          "linear_num_value_heads": 6, "linear_key_head_dim": 16, "linear_value_head_dim": 16, "linear_conv_kernel_dim": 4,
          "rope_parameters": {"rope_type": "default", "rope_theta": 1e6, "partial_rotary_factor": 0.5, "mrope_section": [2, 1, 1],
                              "mrope_interleaved": True}}
WINDOWS = {"sliding_window": 5, "layer_types": ["sliding_attention", "full_attention"]}
# By the folder's name: the file's architecture, the class, its settings.
MODELS = {
    "mixtral": ("llama", "MixtralModel", {**GROUPED, "num_local_experts": 4, "num_experts_per_tok": 2}),
    "mixtral_old": ("llama", "MixtralModel", {**GROUPED, "num_local_experts": 4, "num_experts_per_tok": 2}),
    "qwen2moe": ("qwen2moe", "Qwen2MoeModel", {**EXPERTS, "num_experts": 4, "shared_expert_intermediate_size": 64}),
    "qwen3moe": ("qwen3moe", "Qwen3MoeModel", {**EXPERTS, "num_experts": 4, "head_dim": 16, "norm_topk_prob": True}),
    "olmo": ("olmo", "OlmoModel", GROUPED),
    "olmo2": ("olmo2", "Olmo2Model", GROUPED),
    "olmo3": ("olmo2", "Olmo3Model", {**GROUPED, **WINDOWS}),
    "olmoe": ("olmoe", "OlmoeModel", {**GROUPED, "num_experts": 4, "num_experts_per_tok": 2}),
    "smollm3": ("smollm3", "SmolLM3Model", {**GROUPED, "num_hidden_layers": 4}),
    "granite": ("granite", "GraniteModel", {**GROUPED, "attention_multiplier": 0.3, "embedding_multiplier": 6.0,
                                            "residual_multiplier": 0.5, "logits_scaling": 2.0}),
    "arcee": ("arcee", "ArceeModel", GROUPED),
    "ernie4_5": ("ernie4_5", "Ernie4_5Model", {**GROUPED, "head_dim": 8, "use_bias": False}),
    "seed_oss": ("seed_oss", "SeedOssModel", {**GROUPED, "head_dim": 16}),
    "exaone4": ("exaone4", "Exaone4Model", {**GROUPED, **WINDOWS}),
    "exaone4_small": ("exaone4", "Exaone4Model", {**GROUPED, "sliding_window": None,
                                                  "layer_types": ["full_attention"] * 2}),
    "hunyuan": ("hunyuan-dense", "HunYuanDenseV1Model", {**GROUPED, "head_dim": 8}),
    "eurobert": ("eurobert", "EuroBertModel", GROUPED),
    "gemma3": ("gemma3", "Gemma3TextModel", {**GROUPED, "head_dim": 16, "query_pre_attn_scalar": 16, "sliding_window": 5,
                                             "num_hidden_layers": 6}),
    "phi3": ("phi3", "Phi3Model", {**GROUPED, "sliding_window": 6, "original_max_position_embeddings": 48}),
    "phi3_long": ("phi3", "Phi3Model", {
        **GROUPED, "original_max_position_embeddings": 24, "rope_parameters": {
            "rope_type": "longrope", "rope_theta": 1e4, "short_factor": [1.0, 1.1, 1.2, 1.3],
            "long_factor": [1.0, 2.0, 3.0, 4.0], "original_max_position_embeddings": 24}}),
    "chatglm": ("chatglm", "GlmModel", {**GROUPED, "head_dim": 8, "attention_bias": True, "rope_parameters": HALF}),
    "glm4": ("glm4", "Glm4Model", {**GROUPED, "head_dim": 8, "attention_bias": True, "rope_parameters": HALF}),
    "command-r": ("command-r", "CohereModel", GROUPED),
    "cohere2": ("cohere2", "Cohere2Model", {**GROUPED, "sliding_window": 5, "num_hidden_layers": 4}),
    "starcoder2": ("starcoder2", "Starcoder2Model", {**GROUPED, "use_bias": True, "sliding_window": None}),
    "stablelm": ("stablelm", "StableLmModel", {**GROUPED, "use_qkv_bias": True, "rope_parameters": {
        **HALF, "partial_rotary_factor": 0.25}}),
    "stablelm_parallel": ("stablelm", "StableLmModel", {**GROUPED, "use_parallel_residual": True, "rope_parameters": HALF}),
    "nemotron": ("nemotron", "NemotronModel", {**GROUPED, "rope_parameters": HALF}),
    "falcon": ("falcon", "FalconModel", {**BASE, "multi_query": True, "parallel_attn": True, "alibi": False,
                                         "new_decoder_architecture": False, "bias": False}),
    "falcon_grouped": ("falcon", "FalconModel", {**BASE, "num_kv_heads": 2, "new_decoder_architecture": True,
                                                 "alibi": False, "bias": False}),
    "bloom": ("bloom", "BloomModel", {"vocab_size": 40, "hidden_size": 32, "n_layer": 2, "n_head": 4, "pad_token_id": 0,
                                      "bos_token_id": 1, "eos_token_id": 2}),
    "mpt": ("mpt", "MptModel", {"vocab_size": 40, "d_model": 32, "n_heads": 4, "n_layers": 2, "max_seq_len": 48}),
    "nomic-bert": ("nomic-bert", "NomicBertModel", {**BASE, "type_vocab_size": 2}),
    "t5": ("t5", "T5Model", {"vocab_size": 40, "d_model": 32, "d_kv": 8, "d_ff": 64, "num_layers": 2,
                             "num_decoder_layers": 3, "num_heads": 4, "feed_forward_proj": "gated-gelu"}),
    "t5_plain": ("t5", "T5Model", {"vocab_size": 40, "d_model": 32, "d_kv": 8, "d_ff": 64, "num_layers": 2, "num_heads": 4}),
    "t5encoder": ("t5encoder", "T5EncoderModel", {"vocab_size": 40, "d_model": 32, "d_kv": 8, "d_ff": 64, "num_layers": 2,
                                                  "num_heads": 4}),
    # Seeds go by the place in this list.
    "gpt-oss": ("gpt-oss", "GptOssModel", {**GROUPED, "head_dim": 16, "intermediate_size": 32, "num_local_experts": 4,
                                           "num_experts_per_tok": 2, "sliding_window": 5, "rope_parameters": {
                                               "rope_type": "yarn", "rope_theta": 1.5e5, "factor": 4.0, "beta_fast": 32.0, "beta_slow": 1.0,
                                               "original_max_position_embeddings": 12, "truncate": False}}),
    "exaone": ("exaone", "LlamaModel", GROUPED),  # the same computation under other names
    "internlm2": ("internlm2", "LlamaModel", GROUPED),
    "xverse": ("xverse", "LlamaModel", BASE),
    "baichuan": ("baichuan", "LlamaModel", BASE),
    "qwen2vl": ("qwen2vl", "Qwen2VLTextModel", {**GROUPED, "rope_parameters": {
        "rope_type": "default", "rope_theta": 1e6, "mrope_section": [2, 1, 1]}}),
    "qwen3vl": ("qwen3vl", "Qwen3VLTextModel", {**GROUPED, "head_dim": 16, "rope_parameters": {
        "rope_type": "default", "rope_theta": 5e6, "mrope_section": [4, 2, 2]}}),
    "command-r_norms": ("command-r", "CohereModel", {**GROUPED, "use_qk_norm": True}),
    "stablelm_norms": ("stablelm", "StableLmModel", {**GROUPED, "qk_layernorm": True, "rope_parameters": HALF}),
    "gemma4": ("gemma4", "Gemma4TextModel", {
        **GEMMA4, "num_kv_shared_layers": 2, "use_double_wide_mlp": True, "hidden_size_per_layer_input": 32,
        "vocab_size_per_layer_input": 40}),
    "gemma4_large": ("gemma4", "Gemma4TextModel", GEMMA4_LARGE),
    "gemma4_experts": ("gemma4", "Gemma4TextModel", {
        **GEMMA4_LARGE, "enable_moe_block": True, "num_experts": 4, "top_k_experts": 2, "moe_intermediate_size": 32}),
    "lfm2": ("lfm2", "Lfm2Model", {**GROUPED, "num_hidden_layers": 5, "block_auto_adjust_ff_dim": False,
                                   "layer_types": ["conv", "full_attention", "conv", "conv", "full_attention"]}),
    "lfm2moe": ("lfm2moe", "Lfm2MoeModel", {**EXPERTS, "num_hidden_layers": 5, "num_experts": 4, "num_dense_layers": 2,
                                            "layer_types": ["conv", "full_attention", "conv", "conv", "full_attention"]}),
    "granitehybrid": ("granitehybrid", "GraniteMoeHybridModel", {**GROUPED, **SPACES, "num_local_experts": 4, "num_experts_per_tok": 2,
                                                                 "intermediate_size": 32}),
    "granitehybrid_dense": ("granitehybrid", "GraniteMoeHybridModel", {**GROUPED, **SPACES, "num_local_experts": 0, "num_experts_per_tok": 0, "mamba_n_groups": 1,
                                                                       "intermediate_size": 64}),
    "qwen35": ("qwen35", "Qwen3_5TextModel", {**GROUPED, **MEMORY}),
    "qwen35moe": ("qwen35moe", "Qwen3_5MoeTextModel", {**EXPERTS, **MEMORY, "num_experts": 4, "shared_expert_intermediate_size": 64}),
}
INTERLEAVED = {"llama", "olmo", "smollm3", "granite", "granitehybrid", "arcee", "internlm2", "xverse", "baichuan"}
ADDS_ONE = {"gemma3", "nemotron", "qwen35", "qwen35moe"}


def fill(model, random):
    state = {}
    is_unscaled = isinstance(model, (transformers.T5Model, transformers.T5EncoderModel))
    for name, tensor in model.state_dict().items():
        if not tensor.is_floating_point():
            continue
        if name.endswith(("experts.gate_up_proj", "experts.down_proj")) and not isinstance(model, transformers.Gemma4TextModel):  # [experts, in, out], and MXFP4 holds these steps, too
            steps = random.choice([-8, -6, -4, -3, -2, -1, 0, 1, 2, 3, 4, 6], (tensor.shape[0], tensor.shape[2], tensor.shape[1]))
            steps[..., ::32] = -8
            values = steps.swapaxes(1, 2) * 2.0**-5
        elif tensor.dim() >= 2 and tensor.shape[-1] % 32 == 0:
            flat = few_steps((int(np.prod(tensor.shape[:-1])), tensor.shape[-1]), random,
                             2.0 ** (-2 if "emb" in name or "wte" in name or "shared" in name else -6 if is_unscaled else -4))
            values = flat.reshape(tuple(tensor.shape))
        else:
            about = 1.0 if name.endswith(("weight", "scale", "scalar")) and tensor.dim() == 1 else 0.0
            values = about + 0.2 * random.normal(0, 1, tuple(tensor.shape))
        state[name] = torch.from_numpy(np.ascontiguousarray(values, dtype=np.float32))
    model.load_state_dict(state, strict=False)


def saved(model):
    """The tensors by the names of the Hub's files."""
    with tempfile.TemporaryDirectory() as folder:
        model.save_pretrained(folder)
        return {name: values.astype(np.float32)
                for path in pathlib.Path(folder).glob("*.safetensors") for name, values in load_file(path).items()}


def interleave(values, heads):
    return values.reshape(heads, 2, -1, *values.shape[1:]).swapaxes(1, 2).reshape(values.shape)


def in_order(entry):
    """Queries before keys before values, where they are joined."""
    parts = entry[0].split(".")
    return [str("qkv".find(part[0])) if part in ("q_proj", "k_proj", "v_proj") else part for part in parts]


def settings_of(name):
    """transformers' own config spreads them over layers."""
    usual = {"use_double_wide_mlp": False, "attention_k_eq_v": False, "enable_moe_block": False}
    return types.SimpleNamespace(**{**usual, **MODELS[name][2]})


def convert_gemma4(config, state):
    known = get_tensor_name_map(MODEL_ARCH.GEMMA4, config.num_hidden_layers)
    tensors = {}
    for name, values in sorted(state.items()):
        if name.endswith("_scale"):
            tensors[f"blk.{name.split('.')[1]}.ffn_down_exps.scale"] = values
        elif name.endswith("router.scale"):
            tensors[f"blk.{name.split('.')[1]}.ffn_gate_inp.scale"] = values
        else:
            theirs = known.get_name("model." + name, try_suffixes=(".weight",))
            tensors[theirs.removesuffix(".weight") + ".weight"] = values
    # Of a wide head's pairs of columns a quarter turns.
    pairs = config.global_head_dim // 2
    tensors["rope_freqs.weight"] = np.array([1.0] * (pairs // 4) + [1e30] * (pairs - pairs // 4), dtype=np.float32)
    return tensors


def write_gemma4(writer, config):
    """What differs from layer to layer."""
    own = config.num_hidden_layers - config.num_kv_shared_layers
    slides = [kind == "sliding_attention" for kind in config.layer_types]
    keys = [config.num_key_value_heads if one or not config.attention_k_eq_v else config.num_global_key_value_heads for one in slides]
    inner = [config.intermediate_size * (2 if config.use_double_wide_mlp and i >= own else 1) for i in range(len(slides))]
    writer.add_feed_forward_length(inner if len(set(inner)) > 1 else inner[0])
    writer.add_head_count_kv(keys if len(set(keys)) > 1 else keys[0])
    writer.add_key_length(config.global_head_dim)
    writer.add_value_length(config.global_head_dim)
    writer.add_key_length_swa(config.head_dim)
    writer.add_value_length_swa(config.head_dim)
    writer.add_sliding_window(config.sliding_window)
    writer.add_sliding_window_pattern(slides)
    writer.add_shared_kv_layers(config.num_kv_shared_layers)
    writer.add_embedding_length_per_layer_input(config.hidden_size_per_layer_input)
    writer.add_rope_freq_base(1e6)
    writer.add_rope_freq_base_swa(1e4)
    writer.add_rope_dimension_count(config.global_head_dim)
    writer.add_rope_dimension_count_swa(config.head_dim)
    writer.add_final_logit_softcapping(config.final_logit_softcapping)
    if config.enable_moe_block:
        writer.add_expert_count(config.num_experts)
        writer.add_expert_used_count(config.top_k_experts)
        writer.add_expert_feed_forward_length(config.moe_intermediate_size)


def tiled(config, name, values):
    """A head of values from each head of keys in turn, where Qwen 3.5 has those of one side by side."""
    keys, heads, width = config.linear_num_key_heads, config.linear_num_value_heads, config.linear_value_head_dim
    order = np.arange(heads).reshape(keys, -1).T.ravel()
    columns = (order[:, None] * width + np.arange(width)).ravel()
    if name.endswith("out_proj.weight"):
        return values[:, columns]
    if len(values) == heads:
        return values[order]
    before = len(values) - heads * width
    return np.concatenate([values[:before], values[before:][columns]])


def convert_memory(config, name, values):
    """What stands in place of attention in Qwen 3.5."""
    part = name.split("linear_attn.")[1]
    values = values if part == "norm.weight" else tiled(config, name, values)
    theirs = {"A_log": "ssm_a", "dt_bias": "ssm_dt.bias", "in_proj_qkv.weight": "attn_qkv.weight", "in_proj_z.weight": "attn_gate.weight",
              "in_proj_b.weight": "ssm_beta.weight", "in_proj_a.weight": "ssm_alpha.weight", "conv1d.weight": "ssm_conv1d.weight",
              "norm.weight": "ssm_norm.weight", "out_proj.weight": "ssm_out.weight"}[part]
    values = -np.exp(values) if part == "A_log" else values.squeeze(1) if part == "conv1d.weight" else values
    return f"blk.{name.split('layers.')[1].split('.')[0]}.{theirs}", values


def convert_space(config, name, values):
    """What stands in place of attention in Granite 4, and its MLPs: by the file's names."""
    start = f"blk.{name.split('layers.')[1].split('.')[0]}."
    part = name.split(".mamba.")[-1].split(".shared_mlp.")[-1].split(".block_sparse_moe.")[-1]
    if part == "norm.weight":
        return {start + "ssm_norm.weight": values.reshape(config.mamba_n_groups, -1)}
    if part in ("A_log", "D"):
        return {start + ("ssm_d" if part == "D" else "ssm_a"): (values if part == "D" else -np.exp(values))[:, None]}
    if "input_linear" in part:
        experts = "_exps" if "block_sparse_moe" in name else "_shexp" if config.num_local_experts else ""
        gate, up = np.split(values, 2, axis=-2)
        return {f"{start}ffn_gate{experts}.weight": gate, f"{start}ffn_up{experts}.weight": up}
    if "output_linear" in part:
        experts = "_exps" if "block_sparse_moe" in name else "_shexp" if config.num_local_experts else ""
        return {f"{start}ffn_down{experts}.weight": values}
    theirs = {"in_proj.weight": "ssm_in.weight", "conv1d.weight": "ssm_conv1d.weight", "conv1d.bias": "ssm_conv1d.bias",
              "dt_bias": "ssm_dt.bias", "out_proj.weight": "ssm_out.weight", "router.layer.weight": "ffn_gate_inp.weight"}[part]
    return {start + theirs: values.squeeze(1) if part == "conv1d.weight" else values}


def convert(folder, architecture, config, state):
    if architecture == "gemma4":
        return convert_gemma4(settings_of(folder), state)
    arch = next(key for key, name in MODEL_ARCH_NAMES.items() if name == architecture)
    layers = max(getattr(config, "num_hidden_layers", 0), getattr(config, "num_decoder_layers", None) or 0)
    known = get_tensor_name_map(arch, layers)
    heads = getattr(config, "num_attention_heads", 0)
    kv_heads = getattr(config, "num_key_value_heads", None) or heads
    tensors, experts, heads_of = {}, {}, {}
    for name, values in sorted(state.items(), key=in_order):
        if "inv_freq" in name or name in ("encoder.embed_tokens.weight", "decoder.embed_tokens.weight"):
            continue
        if folder == "chatglm" and ".self_attn." in name and "o_proj" not in name:
            whole, ending = name.split(".self_attn.")[0], name.rsplit(".", 1)[1]
            tensors.setdefault(f"blk.{whole.rsplit('.', 1)[1]}.attn_qkv.{ending}", []).append(values)
            continue
        parts = name.split(".")
        if folder == "gpt-oss" and "experts" in parts:
            ending = "bias" if name.endswith("_bias") else "weight"
            values = values if ending == "bias" else values.swapaxes(1, 2)
            start = f"blk.{parts[parts.index('layers') + 1]}.ffn_"
            if "down" in name:
                tensors[f"{start}down_exps.{ending}"] = values
            else:
                tensors[f"{start}gate_exps.{ending}"], tensors[f"{start}up_exps.{ending}"] = values[:, ::2], values[:, 1::2]
            continue
        if architecture == "granitehybrid" and {"mamba", "shared_mlp", "block_sparse_moe"} & set(parts):
            tensors |= convert_space(config, name, values)
            continue
        if "linear_attn" in parts:
            theirs, values = convert_memory(config, name, values)
            tensors[theirs] = values
            continue
        if name.endswith(("experts.gate_up_proj", "experts.down_proj")):
            start = f"blk.{parts[parts.index('layers') + 1]}.ffn_"
            halves = {"down": values} if "down" in name else dict(zip(("gate", "up"), np.split(values, 2, axis=1)))
            tensors |= {f"{start}{key}_exps.weight": half for key, half in halves.items()}
            continue
        if name.endswith("expert_bias"):
            tensors[f"blk.{parts[parts.index('layers') + 1]}.exp_probs_b.bias"] = values
            continue
        if "experts" in parts:
            at = parts.index("experts")
            key = {"w1": "gate", "w2": "down", "w3": "up"}.get(parts[at + 2], parts[at + 2].split("_")[0])
            layer = parts[parts.index("layers") + 1]
            if folder == "mixtral_old":
                tensors[f"blk.{layer}.ffn_{key}.{parts[at + 1]}.weight"] = values
            else:
                experts.setdefault(f"blk.{layer}.ffn_{key}_exps.weight", {})[int(parts[at + 1])] = values
            continue
        if ".norms." in name:  # of each head
            name, head = name.split(".norms.")[0] + ".weight", int(name.split(".norms.")[1].split(".")[0])
            theirs = known.get_name("model." + name, try_suffixes=(".weight",)) or known.get_name(name, try_suffixes=(".weight",))
            heads_of.setdefault(theirs, {})[head] = values
            continue
        theirs = None
        for prefix in ("", "model.", "transformer."):
            theirs = theirs or known.get_name(prefix + name, try_suffixes=(".weight", ".bias"))
        theirs = theirs + ".weight" if name.endswith(".sinks") else theirs
        assert theirs, (folder, name)
        if architecture in INTERLEAVED and (".attn_q." in theirs or ".attn_k." in theirs):
            values = interleave(values, heads if ".attn_q." in theirs else kv_heads)
        if architecture in ADDS_ONE and theirs.endswith("norm.weight"):
            values = values + np.float32(1)
        if architecture == "bloom" and ".attn_qkv." in theirs:
            values = np.moveaxis(values.reshape(heads, 3, -1, *values.shape[1:]), 1, 0).reshape(values.shape)
        if architecture == "falcon" and ".attn_qkv." in theirs:
            groups = config.num_kv_heads if config.new_decoder_architecture else 1
            grouped = values.reshape(groups, heads // groups + 2, -1, values.shape[-1])
            values = np.concatenate([grouped[:, :-2].reshape(-1, values.shape[-1]),
                                     grouped[:, -2].reshape(-1, values.shape[-1]),
                                     grouped[:, -1].reshape(-1, values.shape[-1])])
        tensors[theirs] = values.squeeze() if "shexp" in theirs or "shortconv.conv" in theirs else values
    for name, values in [*experts.items(), *heads_of.items()]:
        tensors[name] = np.stack([values[i] for i in sorted(values)])
    return {name: np.concatenate(values) if isinstance(values, list) else values for name, values in tensors.items()}


def write(path, architecture, config, tensors, kind):
    writer = GGUFWriter(path, architecture)
    config.allow_global_per_layer_attribute_access = True  # Gemma 4's differ by layer
    get = lambda *names: next((getattr(config, name) for name in names if getattr(config, name, None) is not None), None)
    heads = get("num_attention_heads", "n_heads", "n_head", "num_heads")
    width = get("hidden_size", "d_model")
    writer.add_block_count(get("num_hidden_layers", "n_layers", "n_layer"))
    writer.add_context_length(get("max_position_embeddings", "max_seq_len", "seq_length") or 512)
    writer.add_embedding_length(width)
    if architecture == "gemma4":
        writer.add_layer_norm_rms_eps(config.rms_norm_eps)
        writer.add_head_count(heads)
        write_gemma4(writer, settings_of(path.parent.name))
        return finish(writer, tensors, kind)
    if architecture == "granitehybrid":
        writer.add_ssm_conv_kernel(config.mamba_d_conv)
        writer.add_ssm_state_size(config.mamba_d_state)
        writer.add_ssm_group_count(config.mamba_n_groups)
        writer.add_ssm_time_step_rank(config.mamba_n_heads)
        writer.add_ssm_inner_size(2 * width)
        writer.add_rope_scaling_finetuned(False)
        if config.num_local_experts:
            writer.add_expert_shared_feed_forward_length(config.shared_intermediate_size)
    if architecture in ("qwen35", "qwen35moe"):
        writer.add_ssm_conv_kernel(config.linear_conv_kernel_dim)
        writer.add_ssm_state_size(config.linear_key_head_dim)
        writer.add_ssm_group_count(config.linear_num_key_heads)
        writer.add_ssm_time_step_rank(config.linear_num_value_heads)
        writer.add_ssm_inner_size(config.linear_value_head_dim * config.linear_num_value_heads)
        writer.add_full_attention_interval(2)
    inner = {"bloom": 4 * width, "mpt": 4 * width, "falcon": 4 * width}.get(architecture) or get("intermediate_size", "d_ff")
    if inner:
        writer.add_feed_forward_length(inner)
    writer.add_head_count(heads)
    if architecture == "falcon":
        writer.add_head_count_kv(config.num_kv_heads if config.new_decoder_architecture else 1)
    elif architecture == "granitehybrid":
        writer.add_head_count_kv([config.num_key_value_heads if kind == "full_attention" else 0 for kind in config.layer_types])
    elif architecture in ("lfm2", "lfm2moe"):
        writer.add_head_count_kv([config.num_key_value_heads if kind != "conv" else 0 for kind in config.layer_types])
        writer.add_shortconv_l_cache(config.conv_L_cache)
        writer.add_layer_norm_rms_eps(config.norm_eps)
        if architecture == "lfm2moe":
            writer.add_leading_dense_block_count(config.num_dense_layers)
            writer.add_expert_gating_func(ExpertGatingFuncType.SIGMOID)
    elif get("num_key_value_heads"):
        writer.add_head_count_kv(config.num_key_value_heads)
    rope = get("rope_parameters") or {}
    by_layer = rope.get("full_attention", rope)
    if "rope_theta" in by_layer and "t5" not in architecture:
        writer.add_rope_freq_base(by_layer["rope_theta"])
    head_dim = get("head_dim", "d_kv") or width // heads
    part = by_layer.get("partial_rotary_factor", 1.0)
    if architecture not in ("bloom", "mpt", "t5", "t5encoder"):
        writer.add_rope_dimension_count(int(head_dim * part))
    if get("head_dim", "d_kv"):
        writer.add_key_length(head_dim)
        writer.add_value_length(head_dim)
    if get("rms_norm_eps") is not None:
        writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    epsilon = get("layer_norm_eps", "layer_norm_epsilon", "norm_epsilon", "norm_eps")
    if epsilon is not None:
        writer.add_layer_norm_eps(epsilon)
    for key, add in (("num_experts_per_tok", "add_expert_used_count"),
                     ("moe_intermediate_size", "add_expert_feed_forward_length"),
                     ("shared_expert_intermediate_size", "add_expert_shared_feed_forward_length")):
        if get(key) is not None:
            getattr(writer, add)(get(key))
    if get("num_experts", "num_local_experts"):
        writer.add_expert_count(get("num_experts", "num_local_experts"))
    if get("sliding_window"):
        writer.add_sliding_window(config.sliding_window)
        if architecture in ("olmo2", "exaone4"):  # gpt-oss has every second layer's, unsaid
            writer.add_sliding_window_pattern([kind == "sliding_attention" for kind in config.layer_types])
    if architecture in ("granite", "granitehybrid"):
        writer.add_attention_scale(config.attention_multiplier)
        writer.add_embedding_scale(config.embedding_multiplier)
        writer.add_residual_scale(config.residual_multiplier)
        writer.add_logit_scale(config.logits_scaling)
    if architecture == "stablelm":
        writer.add_parallel_residual(config.use_parallel_residual)
    if architecture in ("eurobert", "nomic-bert"):
        writer.add_causal_attention(False)
    if architecture == "mpt":
        writer.add_max_alibi_bias(8)
    if "t5" in architecture:
        writer.add_layer_norm_rms_eps(config.layer_norm_epsilon)
        writer.add_relative_attn_buckets_count(config.relative_attention_num_buckets)
    if architecture == "t5":
        writer.add_decoder_block_count(config.num_decoder_layers)
        writer.add_decoder_start_token_id(0)
    if "mrope_section" in by_layer:
        writer.add_rope_dimension_sections([*by_layer["mrope_section"], 0])
    if architecture == "gpt-oss":
        writer.add_expert_feed_forward_length(config.intermediate_size)
    if by_layer.get("rope_type") == "yarn":
        writer.add_rope_scaling_type(RopeScalingType.YARN)
        writer.add_rope_scaling_factor(by_layer["factor"])
        writer.add_rope_scaling_orig_ctx_len(by_layer["original_max_position_embeddings"])
    if by_layer.get("rope_type") == "longrope":
        original = by_layer["original_max_position_embeddings"]
        factor = config.max_position_embeddings / original
        writer.add_rope_scaling_orig_ctx_len(original)
        writer.add_rope_scaling_attn_factors(float(np.sqrt(1 + np.log(factor) / np.log(original))))
        for length in ("short", "long"):
            writer.add_tensor(f"rope_factors_{length}.weight", np.array(by_layer[f"{length}_factor"], dtype=np.float32))
    finish(writer, tensors, kind)


def finish(writer, tensors, kind):
    for name, values in sorted(tensors.items()):
        flat = values.reshape(-1, values.shape[-1])
        of_this = Type.Q8_0 if kind == Type.MXFP4 and "_exps" not in name else kind
        if kind == Type.F32 or values.ndim == 1 or values.shape[-1] % 32 or "attn_rel_b" in name or "token_types" in name or name.endswith(("bias", "_norm.weight")):
            writer.add_tensor(name, np.ascontiguousarray(values))
        else:
            data = encode(flat, of_this)
            writer.add_tensor(name, data.reshape(*values.shape[:-1], -1), raw_dtype=of_this)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def make(out, name, random, kinds):
    architecture, class_name, settings = MODELS[name]
    model_class = getattr(transformers, class_name)
    config = model_class.config_class(**settings, attn_implementation="eager")
    model = model_class(config).float().eval()
    fill(model, random)
    folder = out / name
    folder.mkdir(parents=True, exist_ok=True)
    ids = random.integers(3, 40, 14).tolist()
    target = random.integers(3, 40, 9).tolist()
    about = {"token_ids": json.dumps(ids)}
    with torch.no_grad():
        if architecture == "t5":
            result = model(torch.tensor([ids]), decoder_input_ids=torch.tensor([target]), output_attentions=True)
            golden = {part: result[f"{part}_attentions"] for part in ("encoder", "decoder", "cross")}
            about["target_ids"] = json.dumps(target)
        else:
            golden = {"attention": model(torch.tensor([ids]), output_attentions=True).attentions}
    golden = {key: torch.cat(maps).numpy() for key, maps in golden.items()}
    save_file(golden, folder / "attention.safetensors", about)
    tensors = convert(name, architecture, config, saved(model))
    for kind in kinds:
        write(folder / f"{kind}.gguf", architecture, config, tensors, Type[kind.upper()])
    return golden, ids, target


def check(program, folder, golden, ids, target):
    worst = 0.0
    for path in sorted(folder.glob("*.gguf")):
        out = folder / "got.safetensors"
        command = [program, "attend", "--model", path, "--ids", ",".join(map(str, ids)), "--out", out]
        if "encoder" in golden:
            command += ["--target-ids", ",".join(map(str, target))]
        done = subprocess.run([str(one) for one in command], capture_output=True, text=True, check=False)
        if done.returncode:
            return done.stderr.strip()
        got = load_file(out)
        out.unlink()
        for key, maps in golden.items():
            worst = max(worst, float(np.abs(got[key] - maps).max()))
    return f"{worst:.2e}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--check")
    parser.add_argument("--only", default="")
    parser.add_argument("--kinds", default="q8_0")
    options = parser.parse_args()
    for seed, name in enumerate(MODELS):
        if options.only and name not in options.only.split(","):
            continue
        golden, ids, target = make(options.out, name, np.random.default_rng(300 + seed), options.kinds.split(","))
        if options.check:
            print(f"{name:20}", check(options.check, options.out / name, golden, ids, target), flush=True)


if __name__ == "__main__":
    main()
