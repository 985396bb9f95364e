"""Writes causes.json: what transformers in float64 says of the next word, of the shares of a logit, and of patching between two texts,
for some of the models of data/ and families/.

    venv/bin/python tests/golden/make_causes_golden.py

Shares are summed from the models' own hidden states: every norm is held at what it is for the row and applied to each part apart. Patching
replaces what an attention function or a hook is given. README.md beside this file says what the keys mean.
"""
import json
import os
import pathlib

os.environ["HF_HUB_OFFLINE"] = "1"

import numpy as np
import torch
import transformers
from safetensors import safe_open
from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS

transformers.logging.set_verbosity_error()
transformers.logging.disable_progress_bar()
HERE = pathlib.Path(__file__).parent

# name: (folder, class)
PREDICTED = {
    "gpt2": ("data/gpt2_plain", "AutoModelForCausalLM"),
    "llama": ("data/llama_grouped", "AutoModelForCausalLM"),
    "llama_biases": ("data/llama_biases", "AutoModelForCausalLM"),
    "gemma2": ("data/gemma2_plain", "AutoModelForCausalLM"),
    "gpt_neox": ("data/gpt_neox_parallel", "AutoModelForCausalLM"),
    "gpt_neox_serial": ("data/gpt_neox_serial", "AutoModelForCausalLM"),
    "opt": ("data/opt_plain", "AutoModelForCausalLM"),
    "opt_projected": ("data/opt_projected", "AutoModelForCausalLM"),
    "bert": ("data/bert_plain", "AutoModelForMaskedLM"),
    "t5": ("data/t5_plain", "AutoModelForSeq2SeqLM"),
}
# Logits alone.
MASKED = {
    "roberta": "data/roberta_plain",
    "distilbert": "data/distilbert_plain",
    "modernbert": "families/modernbert",
    "eurobert": "families/eurobert",
    "albert": "families/albert",
    "mpnet": "families/mpnet",
    "gte": "families/gte",
    "nomic_bert": "families/nomic_bert",
    "deberta": "families/deberta",
}
PATCHED = {"gpt2": "data/gpt2_plain", "llama": "data/llama_grouped", "gemma2": "data/gemma2_plain", "gpt_neox": "data/gpt_neox_parallel"}
TWO_STACKS = {"t5": "data/t5_plain", "bart": "data/bart_plain"}
ONE_ROW = 5  # of what is taken over, in one case


def numbers(tensor):
    return [float(f"{x:.9g}") for x in np.asarray(tensor, np.float64).ravel()]


def opened(folder, kind, attention="eager"):
    model = getattr(transformers, kind).from_pretrained(HERE / folder, dtype=torch.float32)
    model = model.double().eval()
    model.set_attn_implementation(attention)
    return model


def ids_of(folder):
    with safe_open(HERE / folder / "attention.safetensors", "np") as file:
        about = file.metadata()
    return json.loads(about["token_ids"]), json.loads(about.get("target_ids", "[]"))


class Stream:
    """Parts of one row's residual stream by name."""

    def __init__(self):
        self.parts = {}

    def add(self, name, row):
        self.parts[name] = self.parts.get(name, 0.0) + row

    def take(self, other):
        for name, row in other.parts.items():
            self.add(name, row)

    def total(self):
        return sum(self.parts.values())

    def norm(self, module, row, bias_name):
        """Holds a norm at what it is for `row`."""
        is_layer = isinstance(module, torch.nn.LayerNorm)
        weight = module.weight
        if type(module).__name__.startswith("Gemma"):
            weight = 1.0 + weight
        epsilon = getattr(module, "eps", getattr(module, "variance_epsilon", None))
        mean = row.mean() if is_layer else 0.0
        scale = 1.0 / torch.sqrt(((row - mean) ** 2).mean() + epsilon)
        for name, part in self.parts.items():
            self.parts[name] = (part - (part.mean() if is_layer else 0.0)) * scale * weight
        if getattr(module, "bias", None) is not None:
            self.add(bias_name, module.bias)


class Watch:
    """What modules were given and gave, of the one text."""

    def __init__(self):
        self.given, self.gave = {}, {}

    def on(self, name, module):
        def hook(_, given, gave):
            made = gave[0] if isinstance(gave, tuple) else gave
            self.given[name] = given[0][0] if given else None
            self.gave[name] = made[0] if made.dim() == 3 else made

        module.register_forward_hook(hook)
        return module


def heads_of(stream, prefix, watch, name, module, heads, row, value_bias):
    """Adds heads without the value's bias, and one part for the biases."""
    context = watch.given[name][row]
    matrix = module.weight.T if not type(module).__name__ == "Conv1D" else module.weight
    width = context.shape[0] // heads
    part, layer = prefix
    for head in range(heads):
        own = slice(head * width, (head + 1) * width)
        bias = value_bias[own] if value_bias is not None else 0.0
        stream.add(f"{part}{layer}H{head}", (context[own] - bias) @ matrix[own])
    if value_bias is not None:
        stream.add(f"{part}{layer} bias", value_bias @ matrix)
    if module.bias is not None:
        stream.add(f"{part}{layer} bias", module.bias)


def key_split(attention, values, head, row, width, matrix, bias):
    own = slice(head * width, (head + 1) * width)
    return [(attention[head, row, key] * (values[key] - bias)) @ matrix[own] for key in range(attention.shape[2])]


def split_gpt2(model, watch, row):
    stream = Stream()
    stream.add("embedding", watch.gave["tokens"][row])
    stream.add("position", model.transformer.wpe.weight[row])
    for i, block in enumerate(model.transformer.h):
        bias = block.attn.c_attn.bias
        heads_of(stream, ("L", i), watch, f"o{i}", block.attn.c_proj, model.config.n_head, row, bias[2 * bias.shape[0] // 3:])
        stream.add(f"L{i} MLP", watch.gave[f"m{i}"][row])
    return stream, model.transformer.ln_f, model.lm_head.weight, None


def watch_gpt2(model, watch):
    watch.on("tokens", model.transformer.wte)
    watch.on("final", model.transformer.ln_f)
    for i, block in enumerate(model.transformer.h):
        watch.on(f"o{i}", block.attn.c_proj)
        watch.on(f"m{i}", block.mlp)


def split_llama(model, watch, row):
    """Llama, and Gemma 2 with norms inside both halves."""
    stream = Stream()
    stream.add("embedding", watch.given["first"][row])
    is_sandwich = hasattr(model.model.layers[0], "pre_feedforward_layernorm")
    groups = model.config.num_attention_heads // model.config.num_key_value_heads
    for i, block in enumerate(model.model.layers):
        bias = block.self_attn.v_proj.bias
        if bias is not None:
            bias = bias.view(model.config.num_key_value_heads, -1).repeat_interleave(groups, 0).reshape(-1)
        half = Stream()
        heads_of(half, ("L", i), watch, f"o{i}", block.self_attn.o_proj, model.config.num_attention_heads, row, bias)
        if is_sandwich:
            half.norm(block.post_attention_layernorm, watch.given[f"pa{i}"][row], f"L{i} bias")
        stream.take(half)
        half = Stream()
        half.add(f"L{i} MLP", watch.gave[f"m{i}"][row])
        if is_sandwich:
            half.norm(block.post_feedforward_layernorm, watch.given[f"pm{i}"][row], f"L{i} bias")
        stream.take(half)
    return stream, model.model.norm, model.lm_head.weight, model.lm_head.bias


def watch_llama(model, watch):
    watch.on("final", model.model.norm)
    watch.on("first", model.model.layers[0].input_layernorm)
    for i, block in enumerate(model.model.layers):
        watch.on(f"o{i}", block.self_attn.o_proj)
        watch.on(f"m{i}", block.mlp)
        if hasattr(block, "pre_feedforward_layernorm"):
            watch.on(f"pa{i}", block.post_attention_layernorm)
            watch.on(f"pm{i}", block.post_feedforward_layernorm)


def split_neox(model, watch, row):
    stream = Stream()
    stream.add("embedding", watch.gave["tokens"][row])
    heads = model.config.num_attention_heads
    for i, block in enumerate(model.gpt_neox.layers):
        bias = block.attention.query_key_value.bias
        bias = bias.view(heads, 3, -1)[:, 2].reshape(-1) if bias is not None else None
        heads_of(stream, ("L", i), watch, f"o{i}", block.attention.dense, heads, row, bias)
        stream.add(f"L{i} MLP", watch.gave[f"m{i}"][row])
    return stream, model.gpt_neox.final_layer_norm, model.embed_out.weight if hasattr(model, "embed_out") else model.lm_head.weight, None


def watch_neox(model, watch):
    watch.on("tokens", model.gpt_neox.embed_in)
    watch.on("final", model.gpt_neox.final_layer_norm)
    for i, block in enumerate(model.gpt_neox.layers):
        watch.on(f"o{i}", block.attention.dense)
        watch.on(f"m{i}", block.mlp)


def split_opt(model, watch, row):
    decoder = model.model.decoder
    stream = Stream()
    tokens = watch.gave["tokens"][row]
    stream.add("embedding", decoder.project_in(tokens) if decoder.project_in is not None else tokens)
    stream.add("position", watch.gave["positions"][row])
    is_after = not model.config.do_layer_norm_before
    for i, block in enumerate(decoder.layers):
        heads_of(stream, ("L", i), watch, f"o{i}", block.self_attn.out_proj, model.config.num_attention_heads, row,
                 block.self_attn.v_proj.bias)
        if is_after:
            stream.norm(block.self_attn_layer_norm, watch.given[f"pa{i}"][row], f"L{i} bias")
        stream.add(f"L{i} MLP", watch.gave[f"m{i}"][row])
        if is_after:
            stream.norm(block.final_layer_norm, watch.given[f"pm{i}"][row], f"L{i} bias")
    matrix = model.lm_head.weight
    if decoder.project_out is not None:
        matrix = matrix @ decoder.project_out.weight
    return stream, decoder.final_layer_norm, matrix, None


def watch_opt(model, watch):
    decoder = model.model.decoder
    watch.on("tokens", decoder.embed_tokens)
    watch.on("positions", decoder.embed_positions)
    if decoder.final_layer_norm is not None:
        watch.on("final", decoder.final_layer_norm)
    for i, block in enumerate(decoder.layers):
        watch.on(f"o{i}", block.self_attn.out_proj)
        watch.on(f"m{i}", block.fc2)  # [n, d] or [1, n, d]
        watch.on(f"pa{i}", block.self_attn_layer_norm)
        watch.on(f"pm{i}", block.final_layer_norm)


def split_bert(model, watch, row):
    stream = Stream()
    stream.add("embedding", watch.gave["embeddings"][row])
    for i, block in enumerate(model.bert.encoder.layer):
        out = block.attention.output
        heads_of(stream, ("L", i), watch, f"o{i}", out.dense, model.config.num_attention_heads, row, block.attention.self.value.bias)
        stream.norm(out.LayerNorm, watch.given[f"pa{i}"][row], f"L{i} bias")
        stream.add(f"L{i} MLP", watch.gave[f"m{i}"][row])
        stream.norm(block.output.LayerNorm, watch.given[f"pm{i}"][row], f"L{i} bias")
    transform = model.cls.predictions.transform
    end = stream.total()
    made = transform.dense(end)
    factor = transform.transform_act_fn(made) / made
    for name, part in stream.parts.items():
        stream.parts[name] = (transform.dense.weight @ part) * factor
    stream.add("final bias", transform.dense.bias * factor)
    stream.norm(transform.LayerNorm, made * factor, "final bias")
    return stream, None, model.cls.predictions.decoder.weight, model.cls.predictions.decoder.bias


def watch_bert(model, watch):
    watch.on("embeddings", model.bert.embeddings)
    for i, block in enumerate(model.bert.encoder.layer):
        watch.on(f"o{i}", block.attention.output.dense)
        watch.on(f"m{i}", block.output.dense)
        watch.on(f"pa{i}", block.attention.output.LayerNorm)
        watch.on(f"pm{i}", block.output.LayerNorm)


def split_t5(model, watch, row):
    stream = Stream()
    stream.add("embedding", watch.given["first"][row])
    for i, block in enumerate(model.decoder.block):
        heads = model.config.num_heads
        heads_of(stream, ("D", i), watch, f"o{i}", block.layer[0].SelfAttention.o, heads, row, None)
        heads_of(stream, ("X", i), watch, f"x{i}", block.layer[1].EncDecAttention.o, heads, row, None)
        stream.add(f"D{i} MLP", watch.gave[f"m{i}"][row])
    factor = model.config.d_model**-0.5 if model.config.tie_word_embeddings else 1.0
    return stream, model.decoder.final_layer_norm, model.lm_head.weight * factor, None


def watch_t5(model, watch):
    watch.on("first", model.decoder.block[0].layer[0].layer_norm)
    watch.on("final", model.decoder.final_layer_norm)
    for i, block in enumerate(model.decoder.block):
        watch.on(f"o{i}", block.layer[0].SelfAttention.o)
        watch.on(f"x{i}", block.layer[1].EncDecAttention.o)
        watch.on(f"m{i}", block.layer[2].DenseReluDense)


LAYOUTS = {"gpt2": (watch_gpt2, split_gpt2), "llama": (watch_llama, split_llama), "gemma2": (watch_llama, split_llama),
           "gpt_neox": (watch_neox, split_neox), "opt": (watch_opt, split_opt), "bert": (watch_bert, split_bert), "t5": (watch_t5, split_t5)}


def predicted(name, folder, kind):
    model = opened(folder, kind)
    ids, target = ids_of(folder)
    inputs = {"input_ids": torch.tensor([ids])}
    if target:
        inputs["decoder_input_ids"] = torch.tensor([target])
    read = target or ids
    row = len(read) - 3
    watch = Watch()
    attend, split = next(pair for layout, pair in LAYOUTS.items() if name.startswith(layout))
    attend(model, watch)
    with torch.no_grad():
        logits = model(**inputs).logits[0]
        stream, norm, matrix, bias = split(model, watch, row)
        if norm is not None:
            stream.norm(norm, watch.given["final"][row], "final bias")
        if bias is not None:
            stream.add("final bias", 0.0 * stream.total())
        id, against = int(logits[row].argmax()), int(logits[row].argsort()[-4])
        shares = {part: float(vector @ matrix[id]) for part, vector in stream.parts.items()}
        leads = {part: float(vector @ (matrix[id] - matrix[against])) for part, vector in stream.parts.items()}
        if bias is not None:
            shares["final bias"] += float(bias[id])
            leads["final bias"] += float(bias[id] - bias[against])
        next_ids = torch.tensor(read[1:])
        losses = torch.nn.functional.cross_entropy(logits[:-1], next_ids, reduction="none")
    cap = getattr(model.config, "final_logit_softcapping", None)
    total = sum(shares.values())
    expected = float(logits[row, id])
    assert abs((cap * np.tanh(total / cap) if cap else total) - expected) < 1e-6 * abs(expected), (name, total, expected)
    made = {"name": name, "folder": folder, "ids": ids, "target_ids": target, "row": row, "id": id, "against": against,
            "logits": numbers(logits), "shares": shares, "leads": leads}
    if kind != "AutoModelForMaskedLM":
        made["losses"] = numbers(losses)
    return made


def masked(name, folder):
    model = opened(folder, "AutoModelForMaskedLM")
    ids, _ = ids_of(folder)
    with torch.no_grad():
        logits = model(input_ids=torch.tensor([ids])).logits[0]
    return {"name": name, "folder": folder, "ids": ids, "logits": numbers(logits[:4])}


class Plan:
    """What the attention function replaces, by layer: (what, head, source)."""
    now, kept = None, None


def weights_of(made, scale, softcap, mask):
    scores = made["queries"] @ made["keys"].transpose(2, 3) * scale
    if softcap is not None:
        scores = softcap * torch.tanh(scores / softcap)
    if mask is not None:
        scores = scores + mask[:, :, :, : scores.shape[-1]]
    else:
        scores = scores + torch.full(scores.shape[-2:], -torch.inf, dtype=scores.dtype).triu(1)
    return torch.softmax(scores, -1)


def attend(module, query, key, value, mask, scaling=None, softcap=None, **_):
    groups = query.shape[1] // key.shape[1]
    made = {"queries": query, "keys": key.repeat_interleave(groups, 1), "values": value.repeat_interleave(groups, 1)}
    layer = module.layer_idx
    if Plan.kept is not None:
        Plan.kept[layer] = {what: rows.clone() for what, rows in made.items()}
    weights = None
    scale = scaling if scaling is not None else query.shape[-1]**-0.5
    if Plan.now and Plan.now[0] == layer and len(Plan.now) == 5:
        _, what, head, source, at = Plan.now
        if what == "pattern":
            weights = weights_of(made, scale, softcap, mask)
            weights[:, head, at] = weights_of(source[layer], scale, softcap, mask)[:, head, at]
        else:
            made[what] = made[what].clone()
            made[what][:, head, at] = source[layer][what][:, head, at]
    elif Plan.now and Plan.now[0] == layer:
        _, what, head, source = Plan.now
        for part in ("queries", "keys") if what == "pattern" else (what,):
            made[part] = made[part].clone()
            made[part][:, head] = source[layer][part][:, head]
    weights = weights_of(made, scale, softcap, mask) if weights is None else weights
    return (weights @ made["values"]).transpose(1, 2).contiguous(), weights


ALL_ATTENTION_FUNCTIONS.register("patched", attend)
transformers.masking_utils.ALL_MASK_ATTENTION_FUNCTIONS.register("patched", transformers.masking_utils.eager_mask)


def blocks_of(name, model):
    """(layer, output projection, attention, MLP) of each layer, and the number of heads."""
    if name == "gpt2":
        return [(b, b.attn.c_proj, b.attn.c_proj, b.mlp) for b in model.transformer.h], model.config.n_head
    if name == "gpt_neox":
        return [(b, b.attention.dense, b.attention.dense, b.mlp) for b in model.gpt_neox.layers], model.config.num_attention_heads
    return [(b, b.self_attn.o_proj, b.self_attn.o_proj, b.mlp) for b in model.model.layers], model.config.num_attention_heads


class Hooks:
    """Keeps or replaces what modules are given (before) or give."""

    def __init__(self):
        self.handles = []

    def before(self, module, change):
        self.handles.append(module.register_forward_pre_hook(lambda m, given: (change(given[0]), *given[1:])))

    def stream(self, module, change):
        def hook(m, given, named):
            if given:
                return (change(given[0]), *given[1:]), named
            named["hidden_states"] = change(named["hidden_states"])
            return given, named

        self.handles.append(module.register_forward_pre_hook(hook, with_kwargs=True))

    def after(self, module, change):
        self.handles.append(module.register_forward_hook(
            lambda m, given, gave: (change(gave[0]), *gave[1:]) if isinstance(gave, tuple) else change(gave)))

    def drop(self):
        for handle in self.handles:
            handle.remove()


def patched(name, folder):
    model = opened(folder, "AutoModelForCausalLM", "patched")
    clean, _ = ids_of(folder)
    clean = clean[:9]
    corrupted = list(clean)
    corrupted[2], corrupted[5] = corrupted[5], (corrupted[2] + 7) % 29
    blocks, heads = blocks_of(name, model)
    a, b = 3, 11
    row = len(clean) - 2

    def metric(ids):
        logits = model(input_ids=torch.tensor([ids])).logits[0, row]
        return float(logits[a] - logits[b])

    def run(ids, keep):
        hooks = Hooks()
        Plan.kept = keep["attention"] = {}

        def keeper(what, layer):
            return lambda rows: keep.setdefault((what, layer), rows.clone())

        for layer, (block, out, attention, mlp) in enumerate(blocks):
            hooks.stream(block, keeper("stream", layer))
            hooks.before(out, keeper("output", layer))
            hooks.after(attention, keeper("attention", layer))
            hooks.after(mlp, keeper("mlp", layer))
        made = metric(ids)
        hooks.drop()
        Plan.kept = None
        return made

    def scores(base, source, ids, base_metric, source_metric, at=None):
        def score(metric_now):
            return (metric_now - base_metric) / (source_metric - base_metric)

        width = None
        found = {}
        for what in ("output", "pattern", "queries", "keys", "values"):
            found[what] = []
            for layer, (block, out, _, _) in enumerate(blocks):
                for head in range(heads):
                    hooks = Hooks()
                    if what == "output":
                        width = source[("output", layer)].shape[-1] // heads

                        def put(rows):
                            rows = rows.clone()
                            own = slice(head * width, (head + 1) * width)
                            taken = slice(None) if at is None else at
                            rows[:, taken, own] = source[("output", layer)][:, taken, own]
                            return rows

                        hooks.before(out, put)
                    else:
                        Plan.now = (layer, what, head, source["attention"]) + (() if at is None else (at,))
                    found[what].append(score(metric(ids)))
                    Plan.now = None
                    hooks.drop()
        for what in ("stream", "mlp", "attention") if at is None else ():
            found[what] = []
            for layer, (block, _, attention, mlp) in enumerate(blocks):
                for position in range(len(ids)):
                    def put(rows):
                        rows = rows.clone()
                        rows[:, position] = source[(what, layer)][:, position]
                        return rows

                    hooks = Hooks()
                    if what == "stream":
                        hooks.stream(block, put)
                    else:
                        hooks.after(mlp if what == "mlp" else attention, put)
                    found[what].append(score(metric(ids)))
                    hooks.drop()
        return found

    with torch.no_grad():
        of_clean, of_corrupted = {}, {}
        m_clean, m_corrupted = run(clean, of_clean), run(corrupted, of_corrupted)
        made = {"name": name, "folder": folder, "clean": clean, "corrupted": corrupted, "right": a, "wrong": b, "row": row,
                "clean_metric": m_clean, "corrupted_metric": m_corrupted,
                "denoise": scores(of_corrupted, of_clean, corrupted, m_corrupted, m_clean),
                "noise": scores(of_clean, of_corrupted, clean, m_clean, m_corrupted)}
        made["at"] = ONE_ROW
        made["one_row"] = scores(of_corrupted, of_clean, corrupted, m_corrupted, m_clean, ONE_ROW)
        made["path"] = path_patched(name, model, blocks, heads, clean, of_clean, of_corrupted, metric, m_clean, m_corrupted)
    return made


def path_patched(name, model, blocks, heads, clean, of_clean, of_corrupted, metric, m_clean, m_corrupted):
    """Every head of layer 0 to the queries, keys and values of head 1 in the last layer, MLPs recomputed and frozen."""
    last = len(blocks) - 1
    made = {}
    for frozen in (False, True):
        for what in ("queries", "keys", "values"):
            found = []
            for sender in range(heads):
                hooks = Hooks()
                for layer, (_, out, _, mlp) in enumerate(blocks):
                    def put(rows, layer=layer):
                        rows = of_clean[("output", layer)].clone()
                        if layer == 0:
                            width = rows.shape[-1] // heads
                            own = slice(sender * width, (sender + 1) * width)
                            rows[..., own] = of_corrupted[("output", layer)][..., own]
                        return rows

                    hooks.before(out, put)
                    if frozen:
                        hooks.after(mlp, lambda rows, layer=layer: of_clean[("mlp", layer)])
                Plan.kept = {}
                metric(clean)
                read, Plan.kept = Plan.kept, None
                hooks.drop()
                Plan.now = (last, what, 1, read)
                found.append((metric(clean) - m_clean) / (m_corrupted - m_clean))
                Plan.now = None
            made[what + ("_frozen" if frozen else "")] = found
    return made


class Attention:
    """An attention of an encoder-decoder: what it reads, its output projection, the MLP behind it (the last of a layer), its place."""

    def __init__(self, part, layer, module, out, mlp):
        self.part, self.layer, self.out, self.mlp = part, layer, out, mlp
        q, k, v = (module.q, module.k, module.v) if hasattr(module, "q") else (module.q_proj, module.k_proj, module.v_proj)
        self.reads = {"queries": q, "keys": k, "values": v}
        self.name = f"{part}{layer}"


def attentions_of(name, model):
    if name == "t5":
        found = [Attention("E", i, b.layer[0].SelfAttention, b.layer[0].SelfAttention.o, b.layer[1].DenseReluDense)
                 for i, b in enumerate(model.encoder.block)]
        for i, b in enumerate(model.decoder.block):
            found.append(Attention("D", i, b.layer[0].SelfAttention, b.layer[0].SelfAttention.o, None))
            found.append(Attention("X", i, b.layer[1].EncDecAttention, b.layer[1].EncDecAttention.o, b.layer[2].DenseReluDense))
        return found, model.config.num_heads
    found = [Attention("E", i, b.self_attn, b.self_attn.out_proj, b.fc2) for i, b in enumerate(model.model.encoder.layers)]
    for i, b in enumerate(model.model.decoder.layers):
        found.append(Attention("D", i, b.self_attn, b.self_attn.out_proj, None))
        found.append(Attention("X", i, b.encoder_attn, b.encoder_attn.out_proj, b.fc2))
    return found, model.config.encoder_attention_heads


# Receiver, its input, and the attentions whose heads reach it directly.
TWO_STACK_PATHS = [("E1", "queries", ["E0"]), ("E1", "keys", ["E0"]), ("E1", "values", ["E0"]),
                   ("X1", "keys", ["E0", "E1"]), ("X1", "values", ["E0", "E1"]), ("X0", "values", ["E0", "E1"]),
                   ("X1", "queries", ["D0", "X0", "D1"]), ("D1", "queries", ["D0", "X0"]), ("D1", "keys", ["D0", "X0"]),
                   ("D1", "values", ["D0", "X0"]), ("logits", None, ["D0", "X0", "D1", "X1"])]


def two_stacks(name, folder):
    """Paths in an encoder-decoder, noising, from every head that reaches head 1 of the receiver, MLPs recomputed and frozen."""
    model = opened(folder, "AutoModelForSeq2SeqLM")
    clean, target = ids_of(folder)
    corrupted = list(clean)
    corrupted[2], corrupted[4] = corrupted[4], (corrupted[2] + 7) % 29
    attentions, heads = attentions_of(name, model)
    a, b = 3, 11
    row = len(target) - 2

    def metric(ids):
        logits = model(input_ids=torch.tensor([ids]), decoder_input_ids=torch.tensor([target]), use_cache=False).logits[0, row]
        return float(logits[a] - logits[b])

    def run(ids):
        keep, hooks = {}, Hooks()
        for one in attentions:
            hooks.before(one.out, lambda rows, key=("output", one.name): keep.setdefault(key, rows.clone()))
            if one.mlp is not None:
                hooks.after(one.mlp, lambda rows, key=("mlp", one.name): keep.setdefault(key, rows.clone()))
        made = metric(ids)
        hooks.drop()
        return made, keep

    def along(sender, head, to, what, frozen):
        read, hooks = {}, Hooks()
        for one in attentions:
            def put(rows, one=one):
                rows = of_clean[("output", one.name)].clone()
                if one.name == sender:
                    width = rows.shape[-1] // heads
                    own = slice(head * width, (head + 1) * width)
                    rows[..., own] = of_corrupted[("output", one.name)][..., own]
                return rows

            hooks.before(one.out, put)
            if frozen and one.mlp is not None:
                hooks.after(one.mlp, lambda rows, one=one: of_clean[("mlp", one.name)])
            if one.name == to:
                hooks.after(one.reads[what], lambda rows: read.setdefault("rows", rows.clone()))
        made = metric(clean)
        hooks.drop()
        if to == "logits":
            return made

        def receive(rows):
            rows = rows.clone()
            width = rows.shape[-1] // heads
            rows[..., width:2 * width] = read["rows"][..., width:2 * width]
            return rows

        hooks = Hooks()
        hooks.after(next(one for one in attentions if one.name == to).reads[what], receive)
        made = metric(clean)
        hooks.drop()
        return made

    with torch.no_grad():
        (m_clean, of_clean), (m_corrupted, of_corrupted) = run(clean), run(corrupted)
        paths = []
        for to, what, senders in TWO_STACK_PATHS:
            one = {"to": to, "what": what, "senders": [f"{sender}H{head}" for sender in senders for head in range(heads)]}
            for key, frozen in (("scores", False), ("frozen", True)):
                one[key] = [(along(sender, head, to, what, frozen) - m_clean) / (m_corrupted - m_clean)
                            for sender in senders for head in range(heads)]
            paths.append(one)
    return {"name": name, "folder": folder, "clean": clean, "corrupted": corrupted, "target_ids": target, "right": a, "wrong": b,
            "row": row, "clean_metric": m_clean, "corrupted_metric": m_corrupted, "paths": paths}


if __name__ == "__main__":
    golden = {"versions": {"torch": torch.__version__, "transformers": transformers.__version__},
              "predicted": [predicted(name, *about) for name, about in PREDICTED.items()],
              "masked": [masked(name, folder) for name, folder in MASKED.items()],
              "patched": [patched(name, folder) for name, folder in PATCHED.items()],
              "two_stacks": [two_stacks(name, folder) for name, folder in TWO_STACKS.items()]}
    (HERE / "causes.json").write_text(json.dumps(golden, separators=(",", ":")) + "\n")
