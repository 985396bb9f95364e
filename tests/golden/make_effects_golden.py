"""Writes effects.json: what heads do to logits and to later scores, by PyTorch in float64, for models of data/.

    python3 -m venv venv && venv/bin/pip install torch==2.15.0 transformers==5.23.0
    venv/bin/python tests/golden/make_effects_golden.py

Per case:
  effect   [layers, heads]: over the rows, summed, the direct effect on the logit of the token that the row looks at most, less
           the mean over the vocabulary; norms frozen by detaching their scale, the effect by multiplying the head's slice through.
  sources  for one cell (layer, head, query, key): what each writer of the key's residual stream adds to the score q . k / sqrt(dk).
           By automatic differentiation: with frozen norms the score is linear in each writer, so gradient times writer is its part.
"""

import json
import os
import pathlib

os.environ["HF_HUB_OFFLINE"] = "1"

import torch
import transformers
from transformers import AutoModel, AutoModelForCausalLM

transformers.logging.set_verbosity_error()
transformers.logging.disable_progress_bar()
torch.set_default_dtype(torch.float64)

FOLDER = pathlib.Path(__file__).parent
IDS = [0, 5, 9, 3, 5, 9, 14, 12, 20, 5]
SPECIAL_ID = 0
# By family: the layers, and in a layer the attention, its output projection, the norm before the attention, the MLP.
LAYOUTS = {
    "gpt2": dict(base="transformer", layers="h", attention="attn", output="c_proj", norm="ln_1", mlp="mlp", embed=["wte", "wpe"],
                 final="ln_f"),
    "llama": dict(base="model", layers="layers", attention="self_attn", output="o_proj", norm="input_layernorm", mlp="mlp",
                  embed=["embed_tokens"], final="norm"),
    "gpt_neox": dict(base="gpt_neox", layers="layers", attention="attention", output="dense", norm="input_layernorm", mlp="mlp",
                     embed=["embed_in"], final="final_layer_norm"),
    "phi": dict(base="model", layers="layers", attention="self_attn", output="dense", norm="input_layernorm", mlp="mlp",
                embed=["embed_tokens"], final="final_layernorm"),
    "opt": dict(base="model.decoder", layers="layers", attention="self_attn", output="out_proj", norm="self_attn_layer_norm",
                mlp="fc2", embed=["embed_tokens", "embed_positions"], final="final_layer_norm"),
}
MLP_OUTPUTS = ("c_proj", "down_proj", "dense_4h_to_h", "fc2")
LAYOUTS["gemma2"] = LAYOUTS["qwen3"] = LAYOUTS["llama"]
EFFECTS = ["gpt2_plain", "gpt2_n_inner", "llama_grouped", "gpt_neox_parallel", "gemma2_plain", "opt_plain", "opt_projected", "phi_plain",
           "qwen3_plain"]
# Layers of which the cell is, its head, query and key; no capped scores: a gradient would go through the cap.
SOURCES = {"gpt2_plain": (2, 1, 7, 4), "llama_grouped": (1, 3, 8, 2), "gpt_neox_parallel": (1, 1, 9, 5), "phi_plain": (1, 0, 6, 3),
           "qwen3_plain": (1, 1, 9, 1)}


def open_model(case):
    model = AutoModelForCausalLM.from_pretrained(FOLDER / "data" / case, dtype=torch.float64, attn_implementation="eager").eval()
    layout = LAYOUTS[model.config.model_type]
    base = model
    for name in layout["base"].split("."):
        base = getattr(base, name)
    return model, base, layout


def is_norm(module):
    return "norm" in type(module).__name__.lower()


def frozen(module, term, seen):
    """The norm of one term of the row `seen`, with the scale that the row has; its bias is left out."""
    weight = module.weight
    if "Gemma" in type(module).__name__:
        weight = 1.0 + weight
    if isinstance(module, torch.nn.LayerNorm):
        scale = 1.0 / torch.sqrt(seen.var(-1, unbiased=False, keepdim=True) + module.eps)
        return (term - term.mean(-1, keepdim=True)) * scale * weight
    epsilon = getattr(module, "variance_epsilon", getattr(module, "eps", None))
    return term / torch.sqrt(seen.pow(2).mean(-1, keepdim=True) + epsilon) * weight


def output_matrix(module, heads, head):
    """[dv, d] of one head."""
    weight = module.weight if isinstance(module, transformers.pytorch_utils.Conv1D) else module.weight.T
    width = weight.shape[0] // heads
    return weight[head * width:(head + 1) * width]


def effects(case):
    model, base, layout = open_model(case)
    layers = getattr(base, layout["layers"])
    heads = model.config.num_attention_heads
    contexts, seen = {}, {}
    for index, layer in enumerate(layers):
        output = getattr(getattr(layer, layout["attention"]), layout["output"])
        output.register_forward_pre_hook(lambda module, args, index=index: contexts.__setitem__(index, args[0][0]))
    for module in model.modules():
        if is_norm(module):
            module.register_forward_pre_hook(lambda module, args: seen.__setitem__(module, args[0][0]))
    ids = torch.tensor([IDS])
    with torch.no_grad():
        maps = model(ids, output_attentions=True).attentions
        matrix = model.get_output_embeddings().weight
        result = []
        for index, layer in enumerate(layers):
            output = getattr(getattr(layer, layout["attention"]), layout["output"])
            inside = layer.post_attention_layernorm if model.config.model_type == "gemma2" else None
            for head in range(heads):
                width = contexts[index].shape[-1] // heads
                term = contexts[index][:, head * width:(head + 1) * width] @ output_matrix(output, heads, head)
                if inside is not None:
                    term = frozen(inside, term, seen[inside])
                if getattr(model.config, "do_layer_norm_before", True):
                    final = getattr(base, layout["final"])
                    term = frozen(final, term, seen[final])
                else:
                    for later in layers[index:]:
                        term = frozen(later.self_attn_layer_norm, term, seen[later.self_attn_layer_norm])
                        term = frozen(later.final_layer_norm, term, seen[later.final_layer_norm])
                if getattr(base, "project_out", None) is not None:
                    term = term @ base.project_out.weight.T
                logits = term @ matrix.T
                total = 0.0
                for row, token in enumerate(IDS):
                    if token == SPECIAL_ID:
                        continue
                    keys = [key for key in range(row + 1) if IDS[key] != SPECIAL_ID]
                    key = max(keys, key=lambda key: maps[index][0, head, row, key].item())
                    total += (logits[row, IDS[key]] - logits[row].mean()).item()
                result.append(total)
    return result


def sources(case):
    """Parts of the score by writer of the key's stream, and the score's own parts of both streams together."""
    model, base, layout = open_model(case)
    target, head, query, key = SOURCES[case]
    layers = getattr(base, layout["layers"])
    heads = model.config.num_attention_heads
    writers = {}

    def leaf(name, value):
        writers[name] = value.detach().clone().requires_grad_()
        return writers[name]

    for name, embedding in zip(("token", "position"), layout["embed"]):
        getattr(base, embedding).register_forward_hook(lambda module, args, output, name=name: leaf(name, output))
    for index, layer in enumerate(layers):
        attention = getattr(layer, layout["attention"])
        output = getattr(attention, layout["output"])

        def split(module, args, result, index=index):
            width = args[0].shape[-1] // heads
            parts = [leaf(f"L{index}H{head}", args[0][..., head * width:(head + 1) * width] @ output_matrix(module, heads, head))
                     for head in range(heads)]
            total = sum(parts)
            if module.bias is not None:
                total = total + leaf(f"attention bias L{index}", module.bias.expand_as(total))
            return total

        def split_mlp(module, args, result, index=index):
            bias = next(child for name, child in module.named_modules() if name in MLP_OUTPUTS).bias
            if bias is None:
                return leaf(f"MLP L{index}", result)
            return leaf(f"MLP L{index}", result - bias) + leaf(f"MLP bias L{index}", bias.expand_as(result))

        output.register_forward_hook(split)
        getattr(layer, layout["mlp"]).register_forward_hook(split_mlp)

    def freeze(module, args, result):
        made = frozen(module, args[0], args[0].detach())
        bias = getattr(module, "bias", None)
        return made if bias is None else made + bias

    for module in model.modules():
        if is_norm(module):
            module.register_forward_hook(freeze)
    logged = torch.log(base(torch.tensor([IDS]), output_attentions=True).attentions[target][0, head, query, key])
    weight = torch.exp(logged).item()
    # Those of earlier layers: the name of a later one's layer is not below the target's.
    chosen = [name for name in writers if all(name.find(f"L{layer}") < 0 for layer in range(target, len(layers)))]
    gradients = torch.autograd.grad(logged, [writers[name] for name in chosen], allow_unused=True)
    parts = {}
    for name, gradient in zip(chosen, gradients):
        if gradient is not None:  # the key's token moves one score of the row, whose log weight moves by 1 - weight of that
            value = writers[name] if writers[name].dim() == 3 else writers[name][None]
            gradient = gradient if gradient.dim() == 3 else gradient[None]
            parts[name] = (gradient[0, key] @ value[0, key]).item() / (1.0 - weight)
    return {"cell": [target, head, query, key], "keys": parts}


def main():
    found = {"versions": {"torch": torch.__version__, "transformers": transformers.__version__}, "ids": IDS, "special_id": SPECIAL_ID,
             "cases": []}
    for case in EFFECTS:
        entry = {"name": case, "effect": effects(case)}
        if case in SOURCES:
            entry |= sources(case)
        found["cases"].append(entry)
        print(case, entry)
    (FOLDER / "effects.json").write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
