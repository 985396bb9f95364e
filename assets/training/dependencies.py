"""A treebank's sentences, and maps of words.

Weights to a word are summed over its pieces, from a word averaged.
"""

import torch


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
