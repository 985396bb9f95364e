"""Which dependency relations a head of a causal model follows better than four controls do, cross-fitted.

A pair of words that a relation joins is one case: the later word's row is asked for the earlier word that it looks at most (weights to a
word summed over its pieces, from a word averaged; BEGIN and the word itself left out). Controls answer the same cases:

- offset: the word so many places back as is commonest for the relation;
- popularity: the word that this head likes whatever the row, by the mean of the other later rows, each times what even attention would leave;
- rarest: the earlier word whose rarest piece is rarest in the training text;
- pieces: the earlier word of most pieces, the nearest of them.

Head and offset are chosen on one half of the sentences and counted on the other, both ways. The unit is the sentence: z is the sum over sentences
of (head right - control right) over the root of the sum of their squares, the least over controls.
"""

import collections
import math

import numpy
import torch

import dependencies

CONTROLS = ("offset", "popularity", "rarest", "pieces")
MARGIN = 0.10  # over the best control
CASES = 50
SENTENCES = 30  # in which head and control differ
LEVEL = 0.01  # after Holm over relations and directions


def popular(looks):
    """The favourite earlier word [L, H, words] of each row: other rows' mean weight on it, times the words that each of them sees."""
    words = looks.shape[-1]
    below = torch.tril(torch.ones(words, words, dtype=looks.dtype), -1)
    raised = looks * below * torch.arange(1, words + 1, dtype=looks.dtype)[:, None]
    rows_below = below.sum(0)  # of each key
    mean_of_others = (raised.sum(-2, keepdim=True) - raised) / (rows_below[None, :] - below).clamp_min(1)
    return (mean_of_others * below - (1 - below)).argmax(-1)


def nearest_largest(values, row):
    """The index below `row` of the largest value, the last of equal ones."""
    below = values[:row]
    return row - 1 - int(numpy.argmax(below[::-1]))


class Sentence:
    """Per relation and direction: cases, hits of each head [L, H] and of each control, and the cases' offsets."""

    def __init__(self):
        self.cases = collections.Counter()
        self.offsets = collections.defaultdict(collections.Counter)
        self.head = collections.defaultdict(lambda: 0)
        self.popularity = collections.defaultdict(lambda: 0)
        self.rarest = collections.Counter()
        self.pieces = collections.Counter()

    def add(self, key, later, earlier, choice, favourite, rarity, pieces):
        self.cases[key] += 1
        self.offsets[key][later - earlier] += 1
        self.head[key] = self.head[key] + (choice[:, :, later] == earlier).astype(numpy.int64)
        self.popularity[key] = self.popularity[key] + (favourite[:, :, later] == earlier).astype(numpy.int64)
        self.rarest[key] += nearest_largest(rarity, later) == earlier
        self.pieces[key] += nearest_largest(pieces, later) == earlier

    def control(self, name, key, place, offset):
        if name == "offset":
            return self.offsets[key][offset]
        return int(self.popularity[key][place]) if name == "popularity" else getattr(self, name)[key]


@torch.no_grad()
def read(model, tokenizer, path, context, frequencies):
    """(one Sentence for each of the treebank's, how many did not fit)."""
    out, left_out = [], 0
    for text, words in dependencies.sentences(path):
        found = dependencies.aligned(tokenizer, text, words, context) if text else None
        if found is None:
            left_out += 1
            continue
        ids, owner = found
        maps = torch.stack(model(torch.tensor([ids]), output_attentions=True).attentions)[:, 0].double()
        looks = dependencies.word_maps(maps, owner, len(words))
        looks.diagonal(dim1=-2, dim2=-1).zero_()
        choice, favourite = looks.argmax(-1).numpy(), popular(looks).numpy()
        rarity, pieces = numpy.zeros(len(words)), numpy.zeros(len(words))
        for token, word in zip(ids, owner):
            if word >= 0:
                rarity[word] = max(rarity[word], -frequencies[token]) if pieces[word] else -frequencies[token]
                pieces[word] += 1
        sentence = Sentence()
        for dependent, (_, head, relation) in enumerate(words):
            if head >= 0 and relation != "punct":
                key = (relation, "dependent looks" if head < dependent else "governor looks")
                sentence.add(key, max(dependent, head), min(dependent, head), choice, favourite, rarity, pieces)
        out.append(sentence)
    return out, left_out


def chosen(half, key):
    """The head that is furthest above its best control in these sentences, and the commonest offset."""
    those = [s for s in half if s.cases[key]]
    offsets = sum((s.offsets[key] for s in those), collections.Counter())
    offset = offsets.most_common(1)[0][0]
    fixed = max(offsets[offset], sum(s.rarest[key] for s in those), sum(s.pieces[key] for s in those))
    lift = sum(s.head[key] for s in those) - numpy.maximum(sum(s.popularity[key] for s in those), fixed)
    return numpy.unravel_index(int(lift.argmax()), lift.shape), offset


def judge(halves, key):
    """One relation in one direction, cross-fitted; None where there are too few cases."""
    if sum(s.cases[key] for half in halves for s in half) < CASES or any(not any(s.cases[key] for s in half) for half in halves):
        return None
    cases, right = 0, 0
    hits = dict.fromkeys(CONTROLS, 0)
    differences = {name: [] for name in CONTROLS}
    heads, offsets = [], []
    for number in (0, 1):
        place, offset = chosen(halves[number], key)
        heads.append(f"L{place[0]}H{place[1]}")
        offsets.append(-int(offset))
        for sentence in halves[1 - number]:
            if not sentence.cases[key]:
                continue
            cases += sentence.cases[key]
            mine = int(sentence.head[key][place])
            right += mine
            for name in CONTROLS:
                other = sentence.control(name, key, place, offset)
                hits[name] += other
                differences[name].append(mine - other)
    worst, z = "", math.inf
    for name, values in differences.items():
        values = numpy.array(values, dtype=numpy.float64)
        one = values.sum() / max(math.sqrt((values**2).sum()), 1e-12) if (values != 0).sum() >= SENTENCES else 0.0
        worst, z = (name, one) if one < z else (worst, z)
    best = max(CONTROLS, key=lambda name: hits[name])
    return {
        "heads": sorted(set(heads)),
        "score": round(right / cases, 4),
        "controls": {name: round(hits[name] / cases, 4) for name in CONTROLS},
        "offsets": sorted(set(offsets)),
        "best_control": best,
        "lift": round((right - hits[best]) / cases, 4),
        "cases": cases,
        "z": round(float(z), 2),
        "z_over": worst,
        "p": 0.5 * math.erfc(float(z) / math.sqrt(2)),
    }


def follow(model, tokenizer, path, context, frequencies):
    """{"relation, who looks": what `judge` found, and whether the head follows it}, and what was left out."""
    sentences, left_out = read(model, tokenizer, path, context, frequencies)
    halves = (sentences[::2], sentences[1::2])
    keys = sorted({key for sentence in sentences for key in sentence.cases})
    found = {key: one for key in keys if (one := judge(halves, key))}
    held = True
    for place, key in enumerate(sorted(found, key=lambda key: found[key]["p"])):
        held = held and found[key]["p"] * (len(found) - place) < LEVEL
        found[key]["follows"] = bool(held and found[key]["lift"] >= MARGIN)
    for one in found.values():
        one["p"] = float(f"{one['p']:.2g}")
    return {"relations": {", ".join(key): one for key, one in found.items()}, "sentences_left_out": left_out}
