"""Runs the probe model in transformers, holds every head to heads.json, and writes its golden attention.

    venv/bin/pip install torch==2.15.0 transformers==5.23.0 && venv/bin/python assets/models/measure_probe.py

Scores are as docs/reference.md has them: pooled over the rows that qualify, special tokens' rows left out. On `repeats` a score is
the least over the periods.
"""

import importlib.util
import json
import pathlib

import numpy as np
import torch
import transformers

from make_probe import FOLDER, POSITIONS, read_words

transformers.logging.set_verbosity_error()
transformers.logging.disable_progress_bar()

ROOT = pathlib.Path(__file__).resolve().parents[2]
SPECIAL = 2  # ids below are special tokens
PERIODS, SEQUENCES, SEED = (10, 20, 40), 10, 1


def word_classes():
    """Class of every id."""
    classes = [-2, -1]
    for index, (_, words) in enumerate(read_words()):
        classes += [index] * len(words)
    return np.array(classes)


def targets(metric, ids, query, classes):
    """The keys that a metric counts in one row; None if the row does not qualify."""
    before = np.arange(query)
    if ids[query] < SPECIAL or query == 0:
        return None
    if metric == "previous_token":
        return [query - 1]
    if metric == "two_back":
        return [query - 2] if query >= 2 else None
    if metric == "first_token":
        return [0]
    if metric == "self":
        return [query]
    if metric == "duplicate_token":
        keys = before[ids[:query] == ids[query]]
    elif metric == "induction":
        keys = before[ids[:query] == ids[query]] + 1
        keys = keys[keys < query]
    elif metric == "same_class":
        keys = np.arange(query + 1)[classes[ids[: query + 1]] == classes[ids[query]]]
    return list(keys) if len(keys) else None


def score(metric, weights, sequences, classes):
    """Pooled over all qualifying rows of all sequences; weights: [n, n] per sequence."""
    if metric == "uniform":  # 1 less the largest distance from an even spread
        return 1 - max(np.abs(a - np.tril(np.ones_like(a)) / np.arange(1, len(a) + 1)[:, None]).max() for a in weights)
    shares = [a[q, keys].sum() for a, ids in zip(weights, sequences) for q in range(len(ids))
              if (keys := targets(metric, ids, q, classes)) is not None]
    return float(np.mean(shares))


def run(model, sequences):
    with torch.no_grad():
        return [torch.cat(model(torch.tensor([list(ids)]), output_attentions=True).attentions).numpy() for ids in sequences]


def write_golden(model, tokenizer):
    """tests/golden/data/probe_attention.safetensors, laid out as tests/golden/README.md says."""
    spec = importlib.util.spec_from_file_location("make_golden", ROOT / "tests/golden/make_golden.py")
    golden = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(golden)
    text = sample_texts()[0]
    ids = tokenizer(text)["input_ids"]
    attention, inputs, outputs = golden.run(model.transformer, ids)
    tensors = {"attention": attention}
    for layer, (before, after) in enumerate(zip(inputs, outputs)):
        tensors |= {f"attn_input_{layer}": before, f"attn_output_{layer}": after}
    metadata = {"text": text, "token_ids": json.dumps(ids), "tokens": json.dumps(tokenizer.convert_ids_to_tokens(ids)),
                "transformers": transformers.__version__}
    golden.save_in_order(tensors, ROOT / "tests/golden/data/probe_attention.safetensors", metadata)


def sample_texts():
    """The probe's own samples, the default first."""
    listed = json.loads((ROOT / "assets/samples/samples.json").read_text())
    own = [s for s in listed["samples"] if s["model"] == "probe"]
    own.sort(key=lambda s: s["id"] != listed["default"])
    return [(ROOT / "assets/samples" / s["file"]).read_text() for s in own]


def main():
    torch.set_num_threads(1)
    tokenizer = transformers.AutoTokenizer.from_pretrained(FOLDER)
    model = transformers.AutoModelForCausalLM.from_pretrained(FOLDER, attn_implementation="eager", dtype=torch.float32)
    model.eval()
    classes = word_classes()
    random = np.random.default_rng(SEED)

    samples = [np.array(tokenizer(text)["input_ids"]) for text in sample_texts()]
    for text, ids in zip(sample_texts(), samples):
        assert 1 not in ids, f"a word is not in the vocabulary: {text}"
    probes = {"samples": [samples]}
    repeats = []
    for period in PERIODS:
        blocks = [random.choice(np.arange(SPECIAL, len(classes)), period, replace=False) for _ in range(SEQUENCES)]
        repeats.append([np.concatenate([[0], block, block]) for block in blocks])
    probes["repeats"] = repeats
    common = np.arange(SPECIAL, SPECIAL + 60)  # few words, so that many come back
    probes["long"] = [[np.concatenate([[0], random.choice(common, POSITIONS - 1)]) for _ in range(SEQUENCES)]]

    heads = json.loads((FOLDER / "heads.json").read_text())
    weights = {name: [run(model, group) for group in groups] for name, groups in probes.items()}
    print("| head | metric | " + " | ".join(probes) + " | promised |\n|" + "---|" * (len(probes) + 3))
    for name, head in heads.items():
        layer, index = int(name[1]), int(name[3])
        row = []
        for probe, groups in probes.items():
            found = [score(head["metric"], [a[layer, index] for a in weights[probe][g]], group, classes)
                     for g, group in enumerate(groups)]
            row.append(min(found))
        print(f"| {name} | {head['metric']} | " + " | ".join(f"{v:.4f}" for v in row) + f" | {head['at_least']} |")
        assert min(row) >= head["at_least"], name

    right = total = 0
    for ids in repeats[-1]:
        with torch.no_grad():
            best = model(torch.tensor([list(ids)])).logits[0].argmax(-1).numpy()
        right += (best[PERIODS[-1] + 1 : -1] == ids[PERIODS[-1] + 2 :]).sum()
        total += PERIODS[-1] - 1
    print(f"next word right in the second half of a repeat: {right} of {total}")
    write_golden(model, tokenizer)


if __name__ == "__main__":
    main()
