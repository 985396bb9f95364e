"""Writes the golden models: small random models with the attention that transformers computes for them.

    python3 -m venv venv && venv/bin/pip install torch==2.15.0 transformers==5.23.0
    venv/bin/python tests/golden/make_golden.py

README.md beside this file says what is in data/. Weights come from a seeded numpy generator and are the same
everywhere; attention may differ in its last bits between machines.
"""

import json
import os
import pathlib
import sys
import tempfile

os.environ["HF_HUB_OFFLINE"] = "1"

import numpy as np
import safetensors.torch
import torch
import transformers
from transformers import (AutoConfig, AutoModel, AutoModelForCausalLM, GPT2Config, GPT2LMHeadModel, GPT2Model, LlamaConfig,
                          LlamaForCausalLM)

transformers.logging.set_verbosity_error()
transformers.logging.disable_progress_bar()

DATA = pathlib.Path(__file__).parent / "data"
MAX_MODEL_BYTES = 150_000
MAX_FILE_BYTES = 200_000


def gpt2(**changes):
    config = dict(vocab_size=61, n_positions=40, n_embd=20, n_layer=2, n_head=4, bos_token_id=0, eos_token_id=0)
    config.update(changes)
    return GPT2LMHeadModel, GPT2Config(**config)


def gpt2_base(**changes):
    return GPT2Model, gpt2(**changes)[1]


def llama(**changes):
    config = dict(vocab_size=53, max_position_embeddings=48, hidden_size=24, intermediate_size=38, num_hidden_layers=2,
                  num_attention_heads=4, num_key_value_heads=4, bos_token_id=1, eos_token_id=2)
    config.update(changes)
    return LlamaForCausalLM, LlamaConfig(**config)


def small(model_type, **changes):
    """A model as small as shows its settings, of any family with these keys."""
    config = dict(vocab_size=31, max_position_embeddings=32, hidden_size=16, intermediate_size=22, num_hidden_layers=2,
                  num_attention_heads=2, bos_token_id=1, eos_token_id=2, pad_token_id=None)
    if model_type == "opt":
        config["ffn_dim"] = config.pop("intermediate_size")
    config.update(changes)
    return AutoModelForCausalLM.from_config, AutoConfig.for_model(model_type, **config)


def rope(rope_type, **changes):
    return small("llama", num_attention_heads=1, rope_parameters={"rope_type": rope_type, "rope_theta": 10000.0, **changes})


# name: (seed, model, lengths of the inputs, gain of queries and keys, what it tests)
CASES = {
    "gpt2_plain": (101, gpt2(n_layer=3), (17, 1, 2, 40), 1.5, "the plain layout; one text fills every position"),
    "gpt2_inverse_layer_scaling": (102, gpt2(n_layer=3, scale_attn_by_inverse_layer_idx=True), (15, 1, 2), 1.9,
                                   "scores divided by the layer's number, from one"),
    "gpt2_unscaled": (103, gpt2(scale_attn_weights=False, activation_function="gelu"), (15, 1, 2), 1.0,
                      "scores not divided by sqrt(d_k); the exact gelu"),
    "gpt2_relu": (104, gpt2(activation_function="relu"), (15, 1, 2), 1.5, "relu in the MLP"),
    "gpt2_n_inner": (105, gpt2(n_inner=37, n_embd=21, n_head=3), (19, 1, 2), 1.5,
                     "an odd MLP width, an odd model width, d_k = 7"),
    "gpt2_no_prefix": (106, gpt2_base(n_embd=22, n_head=2), (16, 1, 2), 1.5,
                       "tensor names without 'transformer.', with the causal masks old files carry; d_k = 11"),
    "gpt2_f16": (107, gpt2(n_embd=26, n_head=2), (16, 1, 2), 1.5, "weights stored as F16, run in float32; d_k = 13"),
    "gpt2_one_head": (108, gpt2(n_embd=13, n_head=1, n_layer=1, n_positions=9, vocab_size=7), (9, 1, 2), 1.5,
                      "one layer, one head, d_k = 13"),
    "gpt2_epsilon": (109, gpt2(layer_norm_epsilon=0.3), (14, 1, 2), 1.7, "a large layer norm epsilon"),
    "llama_plain": (201, llama(), (17, 1, 2, 48), 1.5, "as many key and value heads as query heads; old rotary keys"),
    "llama_grouped": (202, llama(num_attention_heads=6, num_key_value_heads=2, num_hidden_layers=3), (18, 1, 2), 1.5,
                      "three query heads share each key and value head"),
    "llama_one_kv_head": (203, llama(num_key_value_heads=1, tie_word_embeddings=True), (13, 1, 2), 1.5,
                          "all query heads share one key and value head; tied embeddings"),
    "llama_head_dim": (204, llama(head_dim=10, num_attention_heads=3, num_key_value_heads=3), (14, 1, 2), 1.5,
                       "head_dim is 10 where d / h is 8"),
    "llama_biases": (205, llama(attention_bias=True, mlp_bias=True, num_key_value_heads=2), (16, 1, 2), 1.4,
                     "biases in the attention and in the MLP"),
    "llama_rope_theta": (206, llama(rope_parameters={"rope_type": "default", "rope_theta": 523.0}, rms_norm_eps=1e-3),
                         (29, 1, 2), 1.5, "another rotary base; a larger RMS norm epsilon"),
    "llama_rope_linear": (208, rope("linear", factor=3.0), (25, 1, 2, 80), 1.7,
                          "linear scaling, as old files spell it; a text three times the original length"),
    "llama_rope_dynamic": (209, rope("dynamic", factor=2.5), (45, 1, 2, 32, 33, 80), 1.7,
                           "dynamic scaling, as old files spell it; texts up to, at and past the original length"),
    "llama_rope_llama3": (210, rope("llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0,
                                    original_max_position_embeddings=24), (31, 1, 2), 1.7,
                          "llama3 scaling with pairs in all three bands"),
    "llama_rope_yarn": (211, small("llama", num_attention_heads=1, max_position_embeddings=64,
                                   rope_parameters={"rope_type": "yarn", "rope_theta": 700.0, "factor": 4.0, "beta_fast": 4.0,
                                                    "original_max_position_embeddings": 16}), (40, 1, 2, 64), 1.7,
                        "yarn scaling, its attention factor made from the factor"),
    "llama_rope_yarn_mscale": (212, rope("yarn", factor=6.0, beta_fast=3.0, beta_slow=0.5, mscale=0.9, mscale_all_dim=0.4,
                                         truncate=False, original_max_position_embeddings=20), (29, 1, 2), 1.7,
                               "yarn with both mscales, its bounds not rounded; old keys"),
    "llama_rope_yarn_factor": (213, rope("yarn", factor=2.0, attention_factor=1.3, beta_fast=3.0), (29, 1, 2), 1.4,
                               "yarn with its attention factor given and no original length"),
    "llama_rope_longrope": (214, rope("longrope", original_max_position_embeddings=20,
                                      short_factor=[1.0, 1.1, 1.2, 1.5, 2.0, 2.0, 2.5, 3.0],
                                      long_factor=[1.0, 1.4, 2.0, 3.0, 4.5, 6.0, 8.0, 9.0]), (30, 1, 2, 20, 21), 1.7,
                            "longrope: other angles past the original length"),
    "llama_bf16": (207, llama(num_key_value_heads=2), (16, 1, 2), 1.5, "weights stored as BF16, run in float32"),
    "mistral_window": (301, small("mistral", num_key_value_heads=1, sliding_window=7), (23, 1, 2, 7, 8), 1.7,
                       "each token sees the last seven"),
    "mistral_no_window": (302, small("mistral", num_key_value_heads=2, sliding_window=None, head_dim=12), (14, 1, 2), 1.7,
                          "a window that is null; head_dim is 12 where d / h is 8"),
    "qwen2_plain": (311, small("qwen2", num_attention_heads=4, num_key_value_heads=2, sliding_window=3), (15, 1, 2), 1.5,
                    "biases of queries, keys and values; a window that is not used"),
    "qwen2_window": (312, small("qwen2", num_key_value_heads=1, num_hidden_layers=3, use_sliding_window=True,
                                sliding_window=5, max_window_layers=1), (15, 1, 2), 1.5,
                     "a window in the layers from the second on"),
    "qwen3_plain": (321, small("qwen3", num_attention_heads=4, num_key_value_heads=2, head_dim=10), (15, 1, 2), 1.6,
                    "norms of the queries and keys of each head"),
    "qwen3_layer_types": (322, small("qwen3", num_key_value_heads=1, num_hidden_layers=3, head_dim=8, attention_bias=True,
                                     use_sliding_window=True, sliding_window=4, tie_word_embeddings=True,
                                     layer_types=["sliding_attention", "full_attention", "sliding_attention"]),
                          (15, 1, 2), 1.6, "layer_types; biases in the attention; tied embeddings"),
    "smollm3_nope": (331, small("smollm3", num_attention_heads=4, num_key_value_heads=2, num_hidden_layers=4,
                                intermediate_size=18), (15, 1, 2), 1.5, "every fourth layer knows no positions"),
    "gpt_neox_parallel": (401, small("gpt_neox", hidden_size=24, num_attention_heads=3,
                                     rope_parameters={"rope_type": "default", "rope_theta": 900.0,
                                                      "partial_rotary_factor": 0.5}), (17, 1, 2), 1.7,
                          "attention and MLP side by side; half of each head turns, as old files spell it"),
    "gpt_neox_serial": (402, small("gpt_neox", use_parallel_residual=False, attention_bias=False, hidden_act="gelu_new",
                                   layer_norm_eps=1e-3,
                                   rope_parameters={"rope_type": "linear", "factor": 2.0, "rope_theta": 900.0,
                                                    "partial_rotary_factor": 0.4}), (17, 1, 2, 50), 1.7,
                        "one after the other; no attention biases; three columns of each head turn, scaled"),
    "phi_plain": (411, small("phi", hidden_size=24, num_attention_heads=3), (17, 1, 2), 1.6,
                  "one norm for attention and MLP; half of each head turns"),
    "phi_norms": (412, small("phi", num_key_value_heads=1, qk_layernorm=True, partial_rotary_factor=0.25, rope_theta=500.0,
                             hidden_act="relu"), (17, 1, 2), 1.5,
                  "layer norms of queries and keys; grouped heads; a quarter turns, as old files spell it"),
    "opt_plain": (421, small("opt", num_attention_heads=4), (17, 1, 2, 32), 1.7,
                  "learned positions from row 2 on, relu; one text fills every position"),
    "opt_projected": (422, small("opt", do_layer_norm_before=False, word_embed_proj_dim=10), (17, 1, 2), 1.5,
                      "norms after each half, no final norm; embeddings projected to the model's width"),
    "opt_bare": (423, small("opt", enable_bias=False, layer_norm_elementwise_affine=False, activation_function="gelu",
                            _remove_final_layer_norm=True), (17, 1, 2), 1.7,
                 "no biases, norms without weights, no final norm; gelu"),
    "gemma_plain": (431, small("gemma", num_attention_heads=3, num_key_value_heads=1, head_dim=10), (17, 1, 2), 1.4,
                    "norm weights around 0, scaled embeddings, head_dim of its own; gelu where tanh is meant"),
    "gemma_biases": (432, small("gemma", num_key_value_heads=2, head_dim=8, attention_bias=True, tie_word_embeddings=False),
                     (17, 1, 2), 1.4, "biases in the attention"),
    "gemma2_plain": (441, small("gemma2", hidden_size=18, num_hidden_layers=3, num_attention_heads=3, num_key_value_heads=1, head_dim=10,
                                sliding_window=5, query_pre_attn_scalar=3, attn_logit_softcapping=4.0),
                     (17, 1, 2), 1.4, "norms inside, capped scores, a window in every other layer, its own scale"),
    "gemma2_layer_types": (442, small("gemma2", num_key_value_heads=2, head_dim=8, sliding_window=6, query_pre_attn_scalar=8,
                                      attn_logit_softcapping=None, layer_types=["full_attention", "sliding_attention"]),
                           (17, 1, 2), 1.4, "layer_types the other way round; a cap that is null"),
}
OLD_ROTARY_KEYS = {"gpt_neox_parallel", "phi_norms", "llama_plain", "llama_rope_linear", "llama_rope_dynamic", "llama_rope_yarn_mscale"}
STORED_TYPE = {"gpt2_f16": torch.float16, "llama_bf16": torch.bfloat16}


def fill_weights(model, seed, gain):
    """Random weights with enough spread that attention is far from uniform."""
    random = np.random.default_rng(seed)
    model_dim = model.config.hidden_size
    with torch.no_grad():
        for name, value in sorted(model.named_parameters()):
            draw = random.standard_normal(tuple(value.shape))
            if value.dim() == 1:
                is_norm = "ln_" in name or "norm" in name
                draw = 1.0 + 0.2 * draw if is_norm and name.endswith("weight") else 0.2 * draw
                if is_norm and model.config.model_type.startswith("gemma"):
                    draw -= 1.0  # the model adds it
                if name.endswith(("q_norm.weight", "k_norm.weight", "q_layernorm.weight", "k_layernorm.weight")):
                    draw *= gain  # the projections' own gain is normed away
            elif "wte" in name or "wpe" in name or "embed" in name:
                draw *= 0.7
            else:
                is_conv1d = ".c_" in name  # GPT-2 keeps [in, out], all others [out, in]
                draw /= np.sqrt(value.shape[0] if is_conv1d else value.shape[1])
                if "c_attn" in name:
                    draw[:, : 2 * model_dim] *= gain
                elif "query_key_value" in name:
                    draw.reshape(model.config.num_attention_heads, 3, -1)[:, :2] *= gain
                elif "q_proj" in name or "k_proj" in name:
                    draw *= gain
            value.copy_(torch.from_numpy(draw))


def save_model(name, model, folder):
    """A Hugging Face folder with config.json and model.safetensors only, the weights in their stored type."""
    with tempfile.TemporaryDirectory() as temporary:
        model.to(STORED_TYPE.get(name, torch.float32)).save_pretrained(temporary)
        saved = pathlib.Path(temporary)
        tensors = safetensors.torch.load_file(saved / "model.safetensors")
        if name == "gpt2_no_prefix":
            positions = model.config.n_positions
            for layer in range(model.config.n_layer):
                tensors[f"h.{layer}.attn.bias"] = torch.ones(positions, positions).tril()[None, None].contiguous()
                tensors[f"h.{layer}.attn.masked_bias"] = torch.tensor(-1e4)
        config = json.loads((saved / "config.json").read_text())
    if name in OLD_ROTARY_KEYS:
        rotary = config.pop("rope_parameters")
        config["rope_theta"] = rotary.pop("rope_theta")
        kind = rotary.pop("rope_type")
        if name == "gpt_neox_parallel":
            config["rotary_emb_base"] = config.pop("rope_theta")
            config["rotary_pct"] = rotary.pop("partial_rotary_factor")
        elif "partial_rotary_factor" in rotary:
            config["partial_rotary_factor"] = rotary.pop("partial_rotary_factor")
        config["rope_scaling"] = None if kind == "default" else {"type": kind, **rotary}
        config["torch_dtype"] = config.pop("dtype")
    if name == "gemma_plain":
        config["hidden_act"] = "gelu"
    (folder / "config.json").write_text(json.dumps(config, indent=2, sort_keys=True) + "\n")
    safetensors.torch.save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})


def save_in_order(tensors, path, metadata):
    """Safetensors with tensors and metadata in a fixed order: the library's own order of metadata varies."""
    header, body = {"__metadata__": dict(sorted(metadata.items()))}, b""
    for name, value in sorted(tensors.items()):
        data = value.to(torch.float32).contiguous().numpy().tobytes()
        header[name] = {"dtype": "F32", "shape": list(value.shape), "data_offsets": [len(body), len(body) + len(data)]}
        body += data
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(len(text).to_bytes(8, "little") + text + body)


def attention_modules(model):
    if hasattr(model, "h"):
        return [block.attn for block in model.h]
    layers = model.decoder.layers if hasattr(model, "decoder") else model.layers
    return [block.attention if hasattr(block, "attention") else block.self_attn for block in layers]


def run(model, ids):
    """Attention [L, H, n, n], and what enters and leaves each attention module."""
    inputs, outputs = [], []

    def keep(_module, args, kwargs, output):
        inputs.append(args[0] if args else kwargs["hidden_states"])
        outputs.append(output[0])

    hooks = [m.register_forward_hook(keep, with_kwargs=True) for m in attention_modules(model)]
    with torch.no_grad():
        result = model(input_ids=torch.tensor([ids]), output_attentions=True, use_cache=False)
    for hook in hooks:
        hook.remove()
    attention = torch.cat(result.attentions)
    return attention, [x[0] for x in inputs], [x[0] for x in outputs]


def write_case(name):
    seed, (model_class, config), lengths, gain, shows = CASES[name]
    folder = DATA / name
    folder.mkdir(parents=True, exist_ok=True)
    model = model_class(config)
    fill_weights(model, seed, gain)
    save_model(name, model, folder)

    single = AutoModel.from_pretrained(folder, attn_implementation="eager", dtype=torch.float32).eval()
    double = AutoModel.from_pretrained(folder, attn_implementation="eager", dtype=torch.float64).eval()
    random = np.random.default_rng(seed + 1000)
    tensors, metadata, difference = {}, {"transformers": transformers.__version__}, 0.0
    for index, length in enumerate(lengths):
        suffix = f"_{index}" if index else ""
        ids = random.integers(0, config.vocab_size, length).tolist()
        attention, inputs, outputs = run(single, ids)
        difference = max(difference, (attention - run(double, ids)[0]).abs().max().item())
        tensors["attention" + suffix] = attention
        metadata["token_ids" + suffix] = json.dumps(ids)
        if index == 0:
            for layer, (before, after) in enumerate(zip(inputs, outputs)):
                tensors[f"attn_input_{layer}"] = before
                tensors[f"attn_output_{layer}"] = after
    save_in_order(tensors, folder / "attention.safetensors", metadata)

    attention = tensors["attention"]
    rows = torch.arange(1, lengths[0] + 1, dtype=torch.float32).log()[1:]
    entropy = torch.special.entr(attention).sum(-1)[:, :, 1:]
    model_bytes = (folder / "model.safetensors").stat().st_size
    assert model_bytes <= MAX_MODEL_BYTES, f"{name}: {model_bytes} bytes"
    assert (folder / "attention.safetensors").stat().st_size <= MAX_FILE_BYTES
    assert torch.all(attention.triu(1) == 0), f"{name}: a masked cell is not 0"
    share = (entropy / rows).mean().item()
    assert share < 0.75, f"{name}: attention is close to uniform ({share})"
    assert difference < 3e-6, f"{name}: float32 itself is off by {difference}"
    print(f"{name:28} {model_bytes:7} bytes, entropy {share:.2f} of uniform, float32 against float64 {difference:.1e}")
    return {"name": name, "family": config.model_type, "seed": seed, "inputs": list(lengths), "shows": shows,
            "float64_difference": float(f"{difference:.1e}"), "entropy_of_uniform": round(share, 2)}


def main():
    torch.set_num_threads(1)
    wanted = sys.argv[1:] or list(CASES)
    cases = [write_case(name) for name in wanted]
    manifest_path = DATA / "manifest.json"
    known = {case["name"]: case for case in json.loads(manifest_path.read_text())["cases"]}
    known.update({case["name"]: case for case in cases})
    manifest = {"torch": torch.__version__.split("+")[0], "transformers": transformers.__version__,
                "numpy": np.__version__, "tolerance": 1e-5, "cases": [known[name] for name in CASES if name in known]}
    manifest_path.write_text(json.dumps(manifest, indent=1) + "\n")


if __name__ == "__main__":
    main()
