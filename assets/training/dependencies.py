"""Which dependency relations a head of a causal model follows better than the best fixed offset does.

For each pair of words joined by a relation, the later word's row is asked for the word that it looks at most (weights to a word
summed over its pieces, from a word averaged; BEGIN and the word itself left out). Heads are chosen on the sentences of even number
and reported on the odd ones.
"""

import collections
import math

import numpy
import torch

MARGIN = 0.10  # a head must beat the best offset by so much
CASES = 50  # with at least so many pairs on either half
LEVEL = 0.01  # after Bonferroni over relations; heads were chosen on the other half


def sentences(path):
    """[(text, [(form, head, relation)])] with heads from zero, -1 at the root."""
    text, words = None, []
    for line in open(path, encoding="utf-8"):
        line = line.rstrip("\n")
        if line.startswith("# text = "):
            text = line[9:]
        elif line and not line.startswith("#"):
            columns = line.split("\t")
            if columns[0].isdigit():
                words.append((columns[1], int(columns[6]) - 1, columns[7]))
        elif not line and words:
            yield text, words
            text, words = None, []


def aligned(tokenizer, text, words, context):
    """(ids, word of each token or -1), or None where the words are not found in the text one after another."""
    places, start = [], 0
    for form, _, _ in words:
        at = text.find(form, start)
        if at < 0:
            return None
        places.append((at, at + len(form)))
        start = at + len(form)
    encoding = tokenizer.encode(text)
    if len(encoding.ids) > context:
        return None
    owner = []
    for (begin, end), special in zip(encoding.offsets, encoding.special_tokens_mask):
        while begin < end and text[begin].isspace():
            begin += 1
        inside = [i for i, (a, b) in enumerate(places) if a < end and begin < b]
        owner.append(-1 if special or not inside else inside[0])
    return encoding.ids, owner


def word_maps(maps, owner, words):
    """[L, H, words, words] from token maps [L, H, n, n]: summed over the pieces looked at, averaged over those that look."""
    gather = torch.zeros(len(owner), words, dtype=maps.dtype)
    for token, word in enumerate(owner):
        if word >= 0:
            gather[token, word] = 1
    pieces = gather.sum(0).clamp_min(1)
    return torch.einsum("lhqk,qa,kb->lhab", maps, gather / pieces, gather)


def binomial_tail(hits, cases, chance):
    """P(at least `hits` of `cases`) by chance."""
    chance = min(max(chance, 1e-12), 1 - 1e-12)
    logs = [
        math.lgamma(cases + 1) - math.lgamma(k + 1) - math.lgamma(cases - k + 1) + k * math.log(chance) + (cases - k) * math.log(1 - chance)
        for k in range(hits, cases + 1)
    ]
    top = max(logs)
    return min(1.0, math.exp(top) * sum(math.exp(x - top) for x in logs))


@torch.no_grad()
def follow(model, tokenizer, path, context, limit=None):
    """{relation: best head by the even half, its accuracy and the best offset's on the odd half}, and what was left out."""
    hits = [collections.defaultdict(lambda: 0), collections.defaultdict(lambda: 0)]
    cases = [collections.Counter(), collections.Counter()]
    offsets = [collections.defaultdict(collections.Counter), collections.defaultdict(collections.Counter)]
    left_out = 0
    for number, (text, words) in enumerate(sentences(path)):
        if limit and number >= limit:
            break
        found = aligned(tokenizer, text, words, context) if text else None
        if found is None:
            left_out += 1
            continue
        ids, owner = found
        maps = torch.stack(model(torch.tensor([ids]), output_attentions=True).attentions)[:, 0].double()
        looks = word_maps(maps, owner, len(words))
        looks.diagonal(dim1=-2, dim2=-1).zero_()
        choice = looks.argmax(-1).numpy()  # [L, H, words]
        half = number % 2
        for dependent, (_, head, relation) in enumerate(words):
            if head < 0 or relation == "punct":
                continue
            later, earlier = max(dependent, head), min(dependent, head)
            cases[half][relation] += 1
            offsets[half][relation][later - earlier] += 1
            hits[half][relation] = hits[half][relation] + (choice[:, :, later] == earlier).astype(numpy.int64)
    relations = {}
    tried = sum(1 for r in cases[0] if cases[0][r] >= CASES and cases[1][r] >= CASES)
    for relation in sorted(cases[0]):
        if cases[0][relation] < CASES or cases[1][relation] < CASES:
            continue
        table = hits[0][relation] / cases[0][relation]
        layer, head = numpy.unravel_index(int(table.argmax()), table.shape)
        offset = offsets[0][relation].most_common(1)[0][0]
        held_hits, held = int(hits[1][relation][layer, head]), cases[1][relation]
        baseline = offsets[1][relation][offset] / held
        corrected = min(1.0, binomial_tail(held_hits, held, baseline) * tried)
        relations[relation] = {
            "head": f"L{layer}H{head}",
            "score": round(held_hits / held, 4),
            "baseline": round(baseline, 4),
            "offset": -int(offset),
            "cases": int(held),
            "p_corrected": float(f"{corrected:.2g}"),
            "follows": bool(held_hits / held >= baseline + MARGIN and corrected < LEVEL),
        }
    return {"relations": relations, "sentences_left_out": left_out}
