"""Writes scores.json: scores of decoder and cross-attention heads, by transformers in float64, for models of data/.

    python3 -m venv venv && venv/bin/pip install torch==2.15.0 transformers==5.23.0
    venv/bin/python tests/golden/make_scores_golden.py

Per case some texts, what the decoder reads of each (transformers' own shift of the text), and by head and metric the mean over the
rows that count and their number. What counts is written out here once more, as docs/reference.md has it.
"""

import json
import math
import os
import pathlib
import random

os.environ["HF_HUB_OFFLINE"] = "1"

import torch
import transformers
from transformers import AutoModelForSeq2SeqLM

transformers.logging.set_verbosity_error()
transformers.logging.disable_progress_bar()

FOLDER = pathlib.Path(__file__).parent
CASES = ["bart_plain", "marian_plain", "t5_plain"]
LENGTHS = [9, 12, 12, 17]
SPECIAL_KEYS = ["bos_token_id", "eos_token_id", "pad_token_id", "decoder_start_token_id"]
FURTHEST = 2


def draw_text(rng, length, end):
    half = [rng.randint(4, 30) for _ in range(length // 2)]
    return (half + half + [rng.randint(4, 30)])[:length - 1] + [end]


def entropy(row):
    return -sum(weight * math.log(weight) for weight in row if weight > 0)


def decoder_row(target, query, row):
    copies = [key for key in range(1, query) if target[key] == target[query]]
    after = [key + 1 for key in copies if key + 1 < query]
    shares = {"previous_token": row[query - 1], "self": row[query], "first_token": row[0], "confidence": max(row),
              "entropy": entropy(row), "distance": sum(row[key] * abs(query - key) for key in range(query + 1))}
    if copies:
        shares["duplicate_token"] = sum(row[key] for key in copies)
    if after:
        shares["induction"] = sum(row[key] for key in after)
    return shares


def cross_row(source, token, place, row, special):
    keys = range(len(source))
    copies = [key for key in keys if source[key] == token]
    after = [key + 1 for key in copies if key + 1 < len(source)]
    shares = {"first_token": row[0], "confidence": max(row), "entropy": entropy(row),
              "distance": sum(row[key] * abs(place - key) for key in keys),
              "separator": sum(row[key] for key in keys if source[key] in special)}
    for offset in range(-FURTHEST, FURTHEST + 1):
        if 0 <= place + offset < len(source):
            shares[f"source:{offset:+d}"] = row[place + offset]
    if copies:
        shares["source_token"] = sum(row[key] for key in copies)
    if after:
        shares["source_next_token"] = sum(row[key] for key in after)
    return shares


def make_case(name):
    rng = random.Random(name)
    model = AutoModelForSeq2SeqLM.from_pretrained(FOLDER / "data" / name, attn_implementation="eager").double().eval()
    special = {getattr(model.config, key, None) for key in SPECIAL_KEYS} - {None}
    texts = [draw_text(rng, length, model.config.eos_token_id) for length in LENGTHS]
    targets, found = [], {}

    def add(head, shares):
        for metric, share in shares.items():
            entry = found.setdefault(head, {}).setdefault(metric, [0.0, 0])
            entry[0] += share
            entry[1] += 1

    for text in texts:
        shifted = model.prepare_decoder_input_ids_from_labels(torch.tensor([text]))
        target = shifted[0].tolist()
        targets.append(target)
        with torch.no_grad():
            out = model(input_ids=torch.tensor([text]), decoder_input_ids=shifted, output_attentions=True)
        for layer, (own, cross) in enumerate(zip(out.decoder_attentions, out.cross_attentions)):
            for head in range(own.shape[1]):
                for query in range(1, len(target)):
                    if target[query] in special:
                        continue
                    own_row = own[0, head, query].tolist()
                    cross_map_row = cross[0, head, query].tolist()
                    add(f"D{layer}H{head}", decoder_row(target, query, own_row[:query + 1]))
                    add(f"X{layer}H{head}", cross_row(text, target[query], query - 1, cross_map_row, special))
    scores = {head: {metric: [total / rows, rows] for metric, (total, rows) in metrics.items()}
              for head, metrics in sorted(found.items())}
    return {"name": name, "texts": texts, "targets": targets, "scores": scores}


def main():
    made = {"versions": {"torch": torch.__version__, "transformers": transformers.__version__},
            "cases": [make_case(name) for name in CASES]}
    (FOLDER / "scores.json").write_text(json.dumps(made) + "\n")


if __name__ == "__main__":
    main()
