"""Sentences as a new user may type them, written before the model was trained: does a head that repeats made known do its work in them?

A row counts whose token was said before. Of an induction head its largest weight must be on what followed an earlier copy, of a duplicate
head on an earlier copy; the weight must be LEAST or more, and three times what even attention gives those keys.
"""

import numpy
import torch

import scores

SENTENCES = (
    "The quick brown fox jumps over the lazy dog.",
    "I went to the store because I was out of milk, and the store was closed.",
    "Alice told Bob that she loved the book, and Bob told Alice that he did not.",
    "My mother said that my father was in the garden with the dog.",
    "It was the best of times, it was the worst of times.",
    "The cat sat on the mat and the dog sat on the floor.",
    "To be or not to be, that is the question.",
    "She sells sea shells by the sea shore, and the shells she sells are sea shells.",
    "John gave Mary a letter, and then Mary gave John a kiss.",
    "When the king saw the queen, the king smiled and the queen laughed.",
    "We walked along the river until the river met the road.",
    "The doctor asked the nurse a question, but the nurse did not know the answer.",
)
LEAST = 0.3
KNOWN = 0.4  # what a head must reach on repeats of frequent tokens to be called by a role


def known_heads(measured, role):
    return [tuple(place) for place in numpy.argwhere(numpy.array(measured["scores"][role]["score"]) >= KNOWN)]


def targets(ids, row, role):
    """Keys that the role's head looks at in this row."""
    step = 1 if role == "induction" else 0
    return [key + step for key in range(1, row) if ids[key] == ids[row] and key + step < row]


@torch.no_grad()
def at_work(model, tokenizer, measured):
    """[{sentence, role, head, row, key, weight}]: of each sentence the best case; without a head where there is none."""
    out = []
    for sentence in SENTENCES:
        encoding = tokenizer.encode(sentence)
        ids = encoding.ids
        words = [sentence[start:end].strip() for start, end in encoding.offsets]
        maps = torch.stack(model(torch.tensor([ids]), output_attentions=True).attentions)[:, 0].double().numpy()
        found = []
        for role in ("induction", "duplicate_token"):
            for layer, head in known_heads(measured, role):
                for row in range(2, len(ids)):
                    keys = targets(ids, row, role)
                    weight = float(maps[layer, head, row, keys].sum())
                    best = int(maps[layer, head, row, : row + 1].argmax())
                    if best in keys and weight >= max(LEAST, 3 * len(keys) / (row + 1)):
                        found.append((weight, {"role": role, "head": f"L{layer}H{head}", "row": words[row], "key": words[best], "weight": round(weight, 2)}))
        out.append({"sentence": sentence, **(max(found, key=lambda one: one[0])[1] if found else {})})
    return out
