"""A trained network as Hugging Face names it: config.json and tensors, for files and for transformers itself."""

import torch


def llama_config(recipe, heads):
    return {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "attention_bias": False,
        "bos_token_id": 0,
        "eos_token_id": 0,
        "head_dim": recipe.width // heads,
        "hidden_act": "silu",
        "hidden_size": recipe.width,
        "initializer_range": 0.02,
        "intermediate_size": recipe.inner,
        "max_position_embeddings": recipe.context,
        "mlp_bias": False,
        "num_attention_heads": heads,
        "num_hidden_layers": recipe.layers,
        "num_key_value_heads": heads,
        "rms_norm_eps": 1e-5,
        "rope_theta": 10000.0,
        "tie_word_embeddings": False,
        "torch_dtype": "float16",
        "vocab_size": recipe.vocabulary,
    }


def llama_tensors(weights):
    """Our names but for the folders that the Hugging Face class puts them in."""
    tensors = {}
    for name, value in weights.items():
        parts = name.split(".")
        if parts[0] == "layers":
            place = {"o": "self_attn.", "q": "self_attn.", "k": "self_attn.", "v": "self_attn."}.get(parts[2].removesuffix("_proj"), "mlp.")
            place = "" if parts[2].endswith("layernorm") else place
            name = f"layers.{parts[1]}.{place}{'.'.join(parts[2:])}"
        tensors[name if parts[0] == "lm_head" else f"model.{name}"] = value
    return tensors


def gpt2_config(recipe, heads):
    return {
        "architectures": ["GPT2LMHeadModel"],
        "model_type": "gpt2",
        "activation_function": "gelu_new",
        "bos_token_id": 0,
        "eos_token_id": 0,
        "layer_norm_epsilon": 1e-5,
        "n_ctx": recipe.context,
        "n_embd": recipe.width,
        "n_head": heads,
        "n_inner": recipe.inner,
        "n_layer": recipe.layers,
        "n_positions": recipe.context,
        "tie_word_embeddings": False,
        "torch_dtype": "float16",
        "vocab_size": recipe.vocabulary,
    }


def gpt2_tensors(weights, recipe):
    """GPT-2 keeps its matrices as [in, out], and its layout has an MLP: where none was trained it is zero."""
    tensors = {}
    for name, value in weights.items():
        parts = name.split(".")
        if parts[0] == "h":
            place = "attn." if parts[2] in ("c_attn", "c_proj") else ""
            turned = value.T.contiguous() if value.dim() == 2 else value
            tensors[f"transformer.h.{parts[1]}.{place}{'.'.join(parts[2:])}"] = turned
        else:
            tensors[name if parts[0] == "lm_head" else f"transformer.{name}"] = value
    for layer in range(0 if recipe.mlp else recipe.layers):
        start = f"transformer.h.{layer}"
        tensors[f"{start}.ln_2.weight"] = torch.ones(recipe.width)
        tensors[f"{start}.ln_2.bias"] = torch.zeros(recipe.width)
        tensors[f"{start}.mlp.c_fc.weight"] = torch.zeros(recipe.width, recipe.inner)
        tensors[f"{start}.mlp.c_fc.bias"] = torch.zeros(recipe.inner)
        tensors[f"{start}.mlp.c_proj.weight"] = torch.zeros(recipe.inner, recipe.width)
        tensors[f"{start}.mlp.c_proj.bias"] = torch.zeros(recipe.width)
    return tensors


def gpt2_weights(tensors, names):
    """Back from a folder's tensors to the weights of these names, in float32."""
    weights = {}
    for name in names:
        parts = name.split(".")
        place = "attn." if parts[0] == "h" and parts[2] in ("c_attn", "c_proj") else ""
        full = f"h.{parts[1]}.{place}{'.'.join(parts[2:])}" if parts[0] == "h" else name
        value = tensors[full if parts[0] == "lm_head" else f"transformer.{full}"].float()
        weights[name] = value.T.contiguous() if parts[0] == "h" and value.dim() == 2 else value
    return weights


def layout(recipe, heads, weights):
    """(config, tensors in F16) as a folder holds them."""
    if recipe.layout == "llama":
        config, tensors = llama_config(recipe, heads), llama_tensors(weights)
    else:
        config, tensors = gpt2_config(recipe, heads), gpt2_tensors(weights, recipe)
    return config, {name: value.to(torch.float16).contiguous() for name, value in tensors.items()}


def in_transformers(config, tensors):
    """The folder's content run by transformers, eager attention, float32: the judge of every number."""
    import transformers

    kind = {"llama": (transformers.LlamaConfig, transformers.LlamaForCausalLM), "gpt2": (transformers.GPT2Config, transformers.GPT2LMHeadModel)}
    config_class, model_class = kind[config["model_type"]]
    settings = {k: v for k, v in config.items() if k not in ("architectures", "model_type", "torch_dtype")}
    model = model_class(config_class(**settings, attn_implementation="eager")).eval()
    missing, unexpected = model.load_state_dict({k: v.float() for k, v in tensors.items()}, strict=False)
    if [name for name in missing if not name.endswith("attn.bias")] or unexpected:
        raise ValueError(f"tensors missing {missing}, unexpected {unexpected}")
    return model
