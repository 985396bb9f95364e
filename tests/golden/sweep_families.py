"""Every type of text model that transformers can build, with random weights, opened by the program beside transformers.

    venv5/bin/pip install torch==2.15.0 transformers==5.24.0
    venv5/bin/python tests/golden/sweep_families.py build/release/headscope [--types gpt2,llama] [--seed 1] [--tokens 17]
        [--layers 4] [--width 24] [--heads 3] [--kv-heads 1] [--set key=value ...] [--keep FOLDER] [--table FILE.md]

Prints a line a type: opens, with the largest difference between the program's attention and transformers' in float32
(attn_implementation "eager"), and transformers' own between float32 and float64; or the sentence that refuses it. A type agrees
within the larger of 1e-5 and three times transformers' own error.
"""

import argparse
import contextlib
import importlib
import inspect
import json
import multiprocessing
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

os.environ["HF_HUB_OFFLINE"] = "1"

import numpy as np
import torch
import transformers
from transformers.models.auto import modeling_auto
from transformers.models.auto.configuration_auto import CONFIG_MAPPING

torch.set_num_threads(1)  # processes are forked
transformers.logging.set_verbosity_error()
transformers.utils.logging.disable_progress_bar()

LISTS = {"causal": modeling_auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES, "masked": modeling_auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES,
         "seq2seq": modeling_auto.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES, "base": modeling_auto.MODEL_MAPPING_NAMES}
# Types whose text models stand in no list of language models.
ALSO = ["dpr", "bros", "visual_bert", "splinter", "lilt", "markuplm", "canine", "mistral4", "qwen2_vl_text", "qwen2_5_vl_text",
        "qwen3_vl_text", "qwen3_vl_moe_text", "glm4v_text", "clip_text_model", "layoutlmv3"]
# Halves of models that AutoModel does not know by themselves.
CLASSES = {"align_text_model": "AlignTextModel", "altclip_text_model": "AltCLIPTextModel",
           "chinese_clip_text_model": "ChineseCLIPTextModel", "clap_text_model": "ClapTextModel",
           "clipseg_text_model": "CLIPSegTextModel", "groupvit_text_model": "GroupViTTextModel",
           "metaclip_2_text_model": "MetaClip2TextModel", "mllama": "MllamaForCausalLM", "owlv2_text_model": "Owlv2TextModel",
           "owlvit_text_model": "OwlViTTextModel", "siglip2_text_model": "Siglip2TextModel",
           "siglip_text_model": "SiglipTextModel", "xclip_text_model": "XCLIPTextModel"}
# Of these only speech, pictures or states that are no attention come in.
NOT_TEXT = ["audioflamingo3", "glmasr", "granite_speech", "granite_speech_plus", "moss_transcribe_diarize", "musicflamingo",
            "nemo_speechlm", "omniasr", "qwen2_audio", "qwen3_asr", "seamless_m4t", "seamless_m4t_v2", "vibevoice_asr", "voxtral",
            "voxtral_realtime", "musicgen", "musicgen_melody", "moshi", "whisper", "trocr", "perceiver", "git",
            "got_ocr2", "emu3", "fuyu", "beam"]
# Tokens that stand for a picture see each other, which a text alone has none of.
PICTURES_LOOK_AHEAD = ["gemma4", "gemma4_unified"]

MOST_CELLS = 20_000_000
EAGER = {"attn_implementation": "eager", "experts_implementation": "eager"}


def text_types():
    names = set()
    for kind in ("causal", "masked", "seq2seq"):
        names |= set(LISTS[kind])
    return sorted((names | {name for name in [*ALSO, *CLASSES] if name in CONFIG_MAPPING}) - set(NOT_TEXT))


def sizes_of(options):
    """What is set where a configuration has a key of that name."""
    width, heads, inner = options.width, options.heads, options.width + 8
    return {
        **dict.fromkeys(["vocab_size", "src_vocab_size", "tgt_vocab_size", "decoder_vocab_size"], 48),
        **dict.fromkeys(["hidden_size", "d_model", "n_embd", "dim", "emb_dim", "embedding_size", "word_embed_proj_dim"], width),
        **dict.fromkeys(["num_hidden_layers", "n_layer", "n_layers", "num_layers", "encoder_layers", "decoder_layers",
                         "num_decoder_layers", "num_encoder_layers"], options.layers),
        **dict.fromkeys(["num_attention_heads", "n_head", "n_heads", "num_heads", "encoder_attention_heads",
                         "decoder_attention_heads", "num_encoder_attention_heads", "num_decoder_attention_heads"], heads),
        **dict.fromkeys(["num_key_value_heads", "num_kv_heads"], options.kv_heads),
        **dict.fromkeys(["head_dim", "d_kv"], width // heads),
        **dict.fromkeys(["intermediate_size", "n_inner", "ffn_dim", "d_ff", "encoder_ffn_dim", "decoder_ffn_dim", "hidden_dim",
                         "ffn_hidden_size", "dim_ff", "dff", "moe_intermediate_size", "shared_expert_intermediate_size",
                         "expert_ffn_hidden_size"], inner),
        **dict.fromkeys(["max_position_embeddings", "n_positions", "n_ctx", "max_seq_len"], 64),
        **dict.fromkeys(["num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts"], 4),
        **dict.fromkeys(["num_experts_per_tok", "moe_topk", "num_experts_per_token", "top_k_experts"], 2),
        **dict.fromkeys(["global_head_dim", "linear_key_head_dim", "linear_value_head_dim"], width // heads),
        **dict.fromkeys(["linear_num_key_heads", "linear_num_value_heads"], heads),
        "n_group": 1, "topk_group": 1, "first_k_dense_replace": 1, "n_shared_experts": 1, "num_shared_experts": 1,
        "sliding_window": 5, "window_size": 5, "local_attention": 8, "type_vocab_size": 2,
        "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 2, "forced_eos_token_id": 2,
        "relative_attention_num_buckets": 32, "relative_attention_max_distance": 40, "entity_vocab_size": 10, "entity_emb_size": 8,
        "attention_type": "original_full", "attention_window": 4, "local_radius": 3,
        "max_encoder_position_embeddings": 64, "max_decoder_position_embeddings": 64,
        "shape_embed_dim": 5, "shape_vocab_size": 6, "pronunciation_embed_dim": 7, "pronunciation_vocab_size": 6,
        "max_depth": 3, "xpath_unit_hidden_size": 5, "default_language": "en_XX",
        "q_lora_rank": 12, "kv_lora_rank": 10, "qk_nope_head_dim": 6, "qk_rope_head_dim": 4, "v_head_dim": 6, "index_n_heads": 2, "index_head_dim": 8,
        "query_pre_attn_scalar": width // heads, "rotary_dim": max(2, width // heads // 4 * 2),
        "position_buckets": 8, "max_relative_positions": 9, "vocab_size_per_layer_input": 48, "hidden_size_per_layer_input": 8,
        "depth": 2, "image_size": 16, "patch_size": 4, "embed_dim": width, "out_hidden_size": width, "vision_output_dim": width,
        "image_token_id": 40, "image_token_index": 40, "video_token_id": 41, "vision_start_token_id": 42, "vision_end_token_id": 43,
        "boi_token_index": 44, "eoi_token_index": 45, "output_attentions": False, "use_cache": True, "rescale_prenorm_residual": False, "max_trained_positions": 64,
    }


def nested_rope(options):
    """Positions by the kind of a layer; what turns is a part of a head."""
    return {"rope_parameters": {kind: {"rope_type": "default", "rope_theta": theta, "partial_rotary_factor": 0.5}
                                for kind, theta in (("full_attention", 5e4), ("sliding_attention", 1e4))}}


def sections(options):
    half = options.width // options.heads // 2
    return {"rope_parameters": {"rope_type": "default", "rope_theta": 1e4, "mrope_section": [half - 2, 1, 1]}}


def both_kinds(options):
    return {"layer_types": ["sliding_attention", "full_attention"] * (options.layers // 2)}


# What these types need beside sizes_of: keys that depend on each other, or the setting of files on the Hub.
OWN_SIZES = {
    "gpt_neo": lambda o: {"attention_types": [[["global", "local"], o.layers // 2]]},
    **dict.fromkeys(["electra", "albert"], lambda o: {"embedding_size": o.width - 8}),
    "rembert": lambda o: {"input_embedding_size": o.width - 8, "output_embedding_size": o.width},
    "nemotron": lambda o: {"num_key_value_heads": o.kv_heads, "head_dim": o.width // o.heads},
    "codegen": lambda o: {"n_head": 4, "num_attention_heads": 4, "n_embd": o.width // 4 * 4, "rotary_dim": 2},
    "bros": lambda o: {"dim_bbox": 4, "dim_bbox_sinusoid_emb_2d": 8, "dim_bbox_sinusoid_emb_1d": 2,
                       "dim_bbox_projection": o.width // o.heads},
    **dict.fromkeys(["qwen2_vl_text", "qwen2_5_vl_text", "qwen3_vl_text", "qwen3_vl_moe_text", "glm4v_text"], sections),
    **dict.fromkeys(["esm", "luke"], lambda o: {"pad_token_id": 1, "mask_token_id": 47}),
    **dict.fromkeys(["deberta", "deberta-v2"], lambda o: {
        "relative_attention": True, "pos_att_type": ["p2c", "c2p"], "position_biased_input": False, "max_relative_positions": -1}),
    "esmc": lambda o: {"num_key_value_heads": o.heads, "mask_token_id": 47},
    "diffllama": lambda o: {"num_attention_heads": 4, "num_key_value_heads": 2, "hidden_size": o.width // 4 * 4},
    "mobilebert": lambda o: {"embedding_size": o.width - 8, "intra_bottleneck_size": o.heads * 4, "true_hidden_size": o.heads * 4},
    "funnel": lambda o: {"attention_type": "relative_shift", "block_sizes": [2, o.layers - 2], "block_repeats": [1, 1], "d_head": 4, "d_inner": o.width + 8},
    "squeezebert": lambda o: {"q_groups": 2, "k_groups": 3, "v_groups": 1, "post_attention_groups": 4,
                              "intermediate_groups": 2, "output_groups": 4},
    "layoutlmv3": lambda o: {"coordinate_size": o.width // 6, "shape_size": o.width // 2 - 2 * (o.width // 6), "pad_token_id": 1,
                             "max_2d_position_embeddings": 9, "rel_pos_bins": 8, "max_rel_pos": 9, "input_size": 16},
    "mllama_text_model": lambda o: {"cross_attention_layers": [1], "rope_parameters": {"rope_type": "default", "rope_theta": 1e4}},
    "flint": lambda o: {"layer_types": (["full_attention", "sliding_attention"] * o.layers)[:o.layers], "mlp_only_layers": [0]},
    "xmod": lambda o: {"pad_token_id": 1, "languages": ["de_DE", "en_XX"]},
    "longformer": lambda o: {"pad_token_id": 1, "attention_window": [4, 8] * (o.layers // 2)},
    "led": lambda o: {"attention_window": [4, 8] * (o.layers // 2)},
    "dbrx": lambda o: {
        "attn_config": with_settings("DbrxAttentionConfig", kv_n_heads=o.kv_heads, clip_qkv=0.7, rope_theta=1e4),
        "ffn_config": {"hidden_size": o.width, "ffn_hidden_size": o.width + 8, "moe_num_experts": 4, "moe_top_k": 2}},
    "mimo_v2_flash": lambda o: {**both_kinds(o), **nested_rope(o), "num_key_value_heads": o.heads // 2 // o.kv_heads or 1,
                                "num_attention_heads": o.heads // 2 * 2 or 2},
    "laguna": lambda o: {**both_kinds(o), **nested_rope(o)},
    "cohere_compass_text": lambda o: {**both_kinds(o), "rope_parameters": {
        "full_attention": None,
        "sliding_attention": {"rope_type": "default", "rope_theta": 1e4, "mrope_section": [2, 1, 1]}}},
    "cohere2_moe": lambda o: {"first_k_dense_replace": 1},
    "mistral4": lambda o: {"head_dim": 10, "rope_parameters": {
        "rope_type": "yarn", "rope_theta": 1e4, "factor": 4.0, "original_max_position_embeddings": 8, "beta_fast": 32.0,
        "beta_slow": 1.0, "mscale_all_dim": 1.0, "mscale": 1.0, "llama_4_scaling_beta": 0.3, "partial_rotary_factor": 0.4}},
    "ministral3": lambda o: {"rope_parameters": {
        "rope_type": "yarn", "rope_theta": 1e4, "factor": 4.0, "original_max_position_embeddings": 8, "beta_fast": 32.0,
        "beta_slow": 1.0, "mscale_all_dim": 1.0, "mscale": 1.0, "llama_4_scaling_beta": 0.3}},
    "llama4_text": lambda o: {"attention_chunk_size": 6, "floor_scale": 3, "interleave_moe_layer_step": 2, "intermediate_size_mlp": 40},
    **dict.fromkeys(["gemma4_text", "gemma4_unified_text"], lambda o: {
        "layer_types": (["sliding_attention", "full_attention"] * o.layers)[:o.layers], "global_head_dim": 2 * (o.width // o.heads),
        "num_kv_shared_layers": o.layers // 2, "use_double_wide_mlp": True}),
    "gemma3n_text": lambda o: {"num_kv_shared_layers": 1, "layer_types": (["sliding_attention", "full_attention"] * o.layers)[:o.layers],
                               "activation_sparsity_pattern": [0.0] * o.layers, "laurel_rank": 4},
    "switch_transformers": lambda o: {"num_sparse_encoder_layers": 2, "num_sparse_decoder_layers": 2, "tie_word_embeddings": False},
    "nllb-moe": lambda o: {"encoder_sparse_step": 2, "decoder_sparse_step": 2},
    "longcat_flash": lambda o: {"zero_expert_num": 2, "num_layers": o.layers // 2},
    "dory": lambda o: {"n_input_layers": 1, "n_output_layers": 1, "n_recurrent_layers": None, "sliding_window": 64},
    "reformer": lambda o: {"is_decoder": True, "axial_pos_shape": [8, 8], "axial_pos_embds_dim": [8, o.width - 8]},
    "qwen4_exp_text": lambda o: {"layer_types": ["full_attention", "conv"] * (o.layers // 2)},
    "lfm2_moe": lambda o: {"layer_types": (["conv", "full_attention", "conv"] * o.layers)[:o.layers], "conv_bias": True,
                           "num_dense_layers": 1},
    "bamba": lambda o: {"attn_layer_indices": list(range(2, o.layers, 2)), "mamba_n_heads": 2 * o.heads, "mamba_d_head": o.width // o.heads,
                        "mamba_n_groups": 2, "mamba_d_state": 5},
    "granitemoehybrid": lambda o: {"layer_types": (["linear_attention", "linear_attention", "full_attention"] * o.layers)[:o.layers],
                                   "mamba_n_heads": 2 * o.heads, "mamba_d_head": o.width // o.heads, "mamba_n_groups": 2,
                                   "mamba_d_state": 5, "shared_intermediate_size": 20, "residual_multiplier": 0.4},
    "nemotron_h": lambda o: {"layers_block_type": (["linear_attention", "full_attention", "mlp", "linear_attention", "moe", "full_attention"]
                                                   * o.layers)[:o.layers + 4], "num_hidden_layers": None, "mamba_num_heads": 2 * o.heads,
                             "mamba_head_dim": 7, "n_groups": 2, "ssm_state_size": 5, "moe_shared_expert_intermediate_size": 9},
    "lfm2": lambda o: {"layer_types": (["conv", "full_attention", "conv"] * o.layers)[:o.layers], "conv_bias": True, "block_multiple_of": 8},
    **dict.fromkeys(["qwen3_5_text", "qwen3_5_moe_text", "qwen3_next"], lambda o: {
        "layer_types": (["linear_attention", "full_attention", "linear_attention"] * o.layers)[:o.layers],
        "linear_num_key_heads": 2, "linear_num_value_heads": 4, "linear_key_head_dim": 6, "linear_value_head_dim": 5}),
    "mamba2": lambda o: {"num_heads": o.heads, "head_dim": 2 * o.width // o.heads},
    "zaya": lambda o: {"num_experts_per_tok": 1},
    **dict.fromkeys(["inkling2_text", "inkling2_loop_text"], lambda o: {"unpadded_vocab_size": 48}),
}
OWN_SIZES["deberta-v2"] = lambda o: {  # as files of version 3
    **OWN_SIZES["deberta"](o), **{key: value for key, value in o.changes.items() if key.startswith("conv_")}, "position_buckets": 8, "norm_rel_ebd": "layer_norm", "share_att_key": True, "type_vocab_size": 0}
OWN_SIZES["gemma4_assistant"] = lambda o: {"text_config": {**small(CONFIG_MAPPING["gemma4_text"], "gemma4_text", o).to_dict(),
                                                           "hidden_size_per_layer_input": 0}}


def with_settings(name, **settings):
    """A part of a configuration with a setting that its class does not list."""
    from transformers.models.dbrx import configuration_dbrx
    made = getattr(configuration_dbrx, name)(**{key: value for key, value in settings.items() if key != "rope_theta"})
    made.rope_theta = settings["rope_theta"]
    return made


def small(kind, model_type, options):
    default = kind().to_dict()
    known = set(default) | set(getattr(kind, "attribute_map", {})) | set(inspect.signature(kind.__init__).parameters)
    chosen = {key: value for key, value in sizes_of(options).items() if key in known and key not in ("self", "kwargs")}
    for key in ("sliding_window", "pad_token_id", "n_inner", "head_dim", "num_key_value_heads", "q_lora_rank"):
        if key in chosen and default.get(key, 0) is None and key != "head_dim" and key != "q_lora_rank":
            del chosen[key]
    if "kv_lora_rank" in known:  # keys are each head's own
        chosen["num_key_value_heads"] = options.heads
        if "head_dim" in chosen:
            chosen["head_dim"] = chosen["qk_rope_head_dim"]
    for key in getattr(kind, "sub_configs", {}):
        part = type(getattr(kind(), key, None))
        if default.get(key) is not None and hasattr(part, "model_type") and model_type != "dbrx":
            chosen[key] = small(part, part.model_type, options).to_dict()
    chosen.update(OWN_SIZES.get(model_type, lambda _: {})(options))
    chosen.update({key: value for key, value in options.changes.items() if key in known or "sub_configs" not in dir(kind)})
    try:
        return kind(**chosen)
    except Exception:
        chosen.pop("head_dim", None)
        return kind(**chosen)


def config_of(model_type, options):
    kind = CONFIG_MAPPING[model_type]
    if model_type == "encoder-decoder":  # of the types "encoder" and "decoder" (--set), BERTs unless given
        halves = {}
        for name in ("encoder", "decoder"):
            half = options.changes.get(name, "bert")
            given = argparse.Namespace(**vars(options) | {"changes": {}})
            halves[name] = small(CONFIG_MAPPING[half], half, given).to_dict()
        halves["decoder"] |= {"is_decoder": True, "add_cross_attention": True, "num_hidden_layers": max(options.layers - 1, 1)}
        return kind(**halves, pad_token_id=0, bos_token_id=1, eos_token_id=2, decoder_start_token_id=2)
    if model_type != "t5gemma":
        return small(kind, model_type, options)
    half = {key: value for key, value in sizes_of(options).items() if key in type(kind().encoder)().to_dict()}
    half |= {"sliding_window": 5} | options.changes
    return kind(encoder=dict(half), decoder=half | {"hidden_size": options.width}, vocab_size=48, pad_token_id=0, bos_token_id=1,
                eos_token_id=2, decoder_start_token_id=2)


class OneClass:
    """As transformers' Auto classes, for a type that they do not know."""

    def __init__(self, name):
        self.made = getattr(transformers, name)
        self.from_pretrained = self.made.from_pretrained

    def from_config(self, config, **options):
        return self.made._from_config(config, attn_implementation=options["attn_implementation"])


def kind_of(model_type):
    if model_type in CLASSES:
        return "base" if model_type != "mllama" else "causal", OneClass(CLASSES[model_type])
    for kind, auto in (("seq2seq", transformers.AutoModelForSeq2SeqLM), ("causal", transformers.AutoModelForCausalLM),
                       ("masked", transformers.AutoModelForMaskedLM)):
        if model_type in LISTS[kind]:
            return kind, auto
    return "base", transformers.AutoModel


def fill(model, seed):
    """Weights of enough spread that attention is far from uniform."""
    random = np.random.default_rng(seed)
    seen = set()
    with torch.no_grad():
        for name, value in sorted(model.named_parameters()):
            if value.data_ptr() in seen or not value.is_floating_point() or not value.requires_grad:
                continue  # tied, or a table that is computed
            seen.add(value.data_ptr())
            draw = random.standard_normal(tuple(value.shape))
            if value.dim() <= 1:
                around_one = float(value.float().mean()) > 0.5 if value.numel() else False
                draw = (1.0 if around_one else 0.0) + 0.2 * draw
            else:
                draw = draw / np.sqrt(value.shape[-1]) * (1.6 if min(value.shape) >= 8 else 1.0)
            value.copy_(torch.from_numpy(np.asarray(draw)))
        # What corrects a router's scores is no parameter that is trained.
        for name, value in sorted([*model.named_buffers(), *model.named_parameters()]):
            if name.endswith(("score_correction_bias", "expert_bias")):
                value.copy_(torch.from_numpy(0.2 * random.standard_normal(tuple(value.shape))))
            if name.endswith("layer_scalar"):
                value.copy_(torch.from_numpy(random.uniform(0.5, 1.5, tuple(value.shape))))
    return model.eval()


def show_sinks(model_type):
    """Granite SWA applies what the sinks leave to the result of attention: here its weights show it, too."""
    module = importlib.import_module(f"transformers.models.{model_type}.modeling_{model_type}")
    plain = module.eager_attention_forward

    def attend_with_sinks(layer, query, key, value, mask, scaling, **others):
        result, weights = plain(layer, query, key, value, mask, scaling, **others)
        scores = query @ key.repeat_interleave(layer.num_key_value_groups, dim=1).transpose(2, 3) * scaling
        scores = scores if mask is None else scores + mask
        return result, weights * (scores.logsumexp(dim=-1, keepdim=True) - layer.sinks.view(1, -1, 1, 1)).sigmoid()

    module.eager_attention_forward = attend_with_sinks


def whole(band, reach):
    """[1, heads, n, 2 reach + 1], keys by their distance: as [1, heads, n, n]."""
    tokens = band.shape[2]
    maps = band.new_zeros(*band.shape[:3], tokens + 2 * reach)
    for query in range(tokens):
        maps[:, :, query, query:query + 2 * reach + 1] = band[:, :, query]
    return maps[..., reach:reach + tokens]


def unblocked(blocks, tokens):
    """[1, blocks, heads, length, 3 length], keys of a block and the two beside it: as [1, heads, n, n]."""
    _, count, heads, length, _ = blocks.shape
    maps = blocks.new_zeros(1, heads, count * length, (count + 2) * length)
    for block in range(count):
        maps[:, :, block * length:(block + 1) * length, block * length:(block + 3) * length] = blocks[:, block]
    return maps[:, :, :tokens, length:length + tokens]


def run(model, ids, target):
    """{part: [layer, head, query, key]}"""
    with torch.no_grad():
        inputs = {"input_ids": torch.tensor([ids])}
        if target:
            inputs["decoder_input_ids"] = torch.tensor([target])
        if "langs" in inspect.signature(model.forward).parameters and getattr(model.config, "use_lang_emb", False):
            inputs["langs"] = torch.zeros(1, len(ids), dtype=torch.long)
        if model.config.model_type == "fsmt":
            inputs["use_cache"] = False  # with it, its decoder sees the tokens that follow
        if model.config.model_type == "bros":
            inputs["bbox"] = torch.zeros(1, len(ids), 4, dtype=model.dtype)
        result = model(**inputs, output_attentions=True)
    if model.config.model_type in ("longformer", "led"):
        windows = model.config.attention_window
        name = "encoder_attentions" if target else "attentions"
        result[name] = tuple(whole(layer, window // 2) for layer, window in zip(result[name], windows))
    elif model.config.model_type == "longt5":
        result["encoder_attentions"] = tuple(unblocked(layer, len(ids)) for layer in result["encoder_attentions"])
    elif model.config.model_type == "squeezebert":  # gives scores
        result["attentions"] = tuple(layer.softmax(-1) for layer in result["attentions"])
    if target:
        parts = {"encoder": result.encoder_attentions, "decoder": result.decoder_attentions, "cross": result.cross_attentions}
    else:
        parts = {"attention": result.attentions}
    assert all(part and all(layer is not None for layer in part) for part in parts.values()), "transformers gives no attention"
    return {name: torch.cat([layer.double() for layer in part]).numpy() for name, part in parts.items()}


def read_safetensors(path):
    data = pathlib.Path(path).read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + length])
    header.pop("__metadata__", None)
    return {name: np.frombuffer(data[8 + length + entry["data_offsets"][0]:8 + length + entry["data_offsets"][1]], "<f4")
            .reshape(entry["shape"]) for name, entry in header.items() if entry["dtype"] == "F32"}


def attend(program, folder, ids, target):
    out = folder / "made.safetensors"
    command = [program, "attend", "--model", str(folder), "--ids", ",".join(map(str, ids)), "--out", str(out)]
    if target:
        command += ["--target-ids", ",".join(map(str, target))]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        return None, (done.stderr.strip().splitlines() or [f"exit {done.returncode}"])[-1]
    made = read_safetensors(out)
    sinks = made.pop("sinks", None)
    if sinks is not None and np.abs(made["attention"].sum(axis=-1, dtype=np.float64) + sinks - 1.0).max() > 1e-5:
        return None, "rows and what their sinks take do not add up to 1"
    return made, ""


def difference(one, other):
    if set(one) != set(other):
        return f"parts {sorted(one)} and {sorted(other)}"
    for name in one:
        if one[name].shape != other[name].shape:
            return f"{name}: shapes {one[name].shape} and {other[name].shape}"
    return max(float(np.abs(one[name] - other[name]).max()) for name in one)


def sweep(model_type, program, folder, options):
    """(verdict, words)"""
    kind, auto = kind_of(model_type)
    if model_type in ("granite_swa", "granitemoe_swa"):
        show_sinks(model_type)
    try:
        config = config_of(model_type, options)
        with torch.device("meta"):
            cells = sum(value.numel() for value in auto.from_config(config, **EAGER).parameters())
        if cells > MOST_CELLS:
            return "not built", f"its smallest configuration here has {cells} parameters"
        torch.manual_seed(options.seed)
        model = fill(auto.from_config(config, **EAGER), options.seed)
        most = 40 if model_type in PICTURES_LOOK_AHEAD else 48  # from 40 on they stand for pictures
        ids = np.random.default_rng(options.seed).integers(4, most, options.tokens).tolist()
        target = ids[:7] if kind == "seq2seq" else None
        model.save_pretrained(folder)
    except Exception as error:  # transformers cannot build it so: there is no folder
        return "not built", f"{type(error).__name__}: {error}".splitlines()[0][:150]
    if not options.golden:
        made, why = attend(program, folder, ids, target)
        if made is None:
            return "refused", why.replace(str(folder), "")[:230]
    try:
        # What the file means is what transformers reads in it.
        model = auto.from_pretrained(folder, dtype=torch.float32, **EAGER).eval()
        single = run(model, ids, target)
        double = in_double(model, ids, target, single)
    except Exception as error:  # nor run it: nothing to compare
        return "not built", f"{type(error).__name__}: {error}".splitlines()[0][:150]
    if options.golden:
        return "written", write_golden(folder, single, ids, target, difference(single, double))
    own = difference(single, double)
    if not isinstance(own, float):
        return "not built", own
    ours = difference(made, single)
    if not isinstance(ours, float):
        return "differs", ours
    peak = max(float(part.max(axis=-1).mean()) for part in double.values())
    words = f"{ours:.1e} (transformers' own {own:.1e}, mean of row maxima {peak:.2f})"
    return ("agrees" if ours <= max(1e-5, 3 * own) else "differs"), words


@contextlib.contextmanager
def no_float32():
    """Norms and softmaxes of a model in float64 would otherwise still be computed in float32."""
    single, to_single = torch.float32, torch.Tensor.float
    torch.float32, torch.Tensor.float = torch.float64, torch.Tensor.double
    try:
        yield
    finally:
        torch.float32, torch.Tensor.float = single, to_single


def in_double(model, ids, target, single):
    """Some classes only run in float32: then their own error counts as none."""
    try:
        model = model.double()
        with no_float32():
            return run(model, ids, target)
    except (RuntimeError, TypeError):
        return single


def write_golden(folder, maps, ids, target, own):
    """The folder as it is kept for tests: what transformers saved without its notes, and its attention."""
    metadata = {"token_ids": json.dumps(ids), "own_error": f"{own:.1e}"} | ({"target_ids": json.dumps(target)} if target else {})
    header, body = {"__metadata__": metadata}, b""
    for name, part in sorted(maps.items()):
        data = part.astype("<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": list(part.shape), "data_offsets": [len(body), len(body) + len(data)]}
        body += data
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    (folder / "attention.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + body)
    (folder / "generation_config.json").unlink(missing_ok=True)
    return f"transformers' own error {own:.1e}, {sum(file.stat().st_size for file in folder.iterdir())} bytes"


def in_a_process(*arguments):
    """A type that hangs or takes all memory is one line of the table, too."""
    ours, theirs = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=lambda: theirs.send(sweep(*arguments)))
    process.start()
    theirs.close()
    try:
        return ours.recv() if ours.poll(90) else ("not built", "takes more than 90 s")
    except EOFError:
        return "not built", "transformers ended the process"
    finally:
        process.kill()
        process.join()


def parsed(text):
    key, value = text.split("=", 1)
    try:
        return key, json.loads(value)
    except ValueError:
        return key, value


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--types")
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--golden", type=pathlib.Path, help="write folders for tests there instead of comparing")
    parser.add_argument("--table", type=pathlib.Path)
    parser.add_argument("--set", action="append", default=[], type=parsed, dest="changes")
    for name, value in (("seed", 1), ("tokens", 17), ("layers", 4), ("width", 24), ("heads", 3), ("kv-heads", 1)):
        parser.add_argument(f"--{name}", type=int, default=value)
    options = parser.parse_args()
    options.changes = dict(options.changes)
    options.keep = options.keep or options.golden
    rows = []
    for model_type in options.types.split(",") if options.types else text_types():
        folder = (options.keep or pathlib.Path(tempfile.mkdtemp())) / model_type
        folder.mkdir(parents=True, exist_ok=True)
        rows.append((model_type, *in_a_process(model_type, options.program, folder, options)))
        print("{:24} {:10} {}".format(*rows[-1]), flush=True)
        if not options.keep:
            shutil.rmtree(folder.parent)
    counts = {verdict: sum(row[1] == verdict for row in rows) for verdict in sorted({row[1] for row in rows})}
    print(", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
    if options.table:
        options.table.write_text("| type | | |\n|---|---|---|\n" + "".join("| {} | {} | {} |\n".format(*row) for row in rows))
    return 1 if counts.get("differs") else 0


if __name__ == "__main__":
    sys.exit(main())
