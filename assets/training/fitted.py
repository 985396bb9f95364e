"""Queries and keys of single heads of the first layer, fitted before the network goes on to learn: where such a head begins to look.

A head whose pattern no gradient finds in the time there is begins with it; whether it keeps it, and what it reads and writes, the text
decides. Only what the first layer's queries and keys read is computed, so a fit takes seconds.
"""

import dataclasses

import torch

import corpus

ROWS = 4
REST = 0.3  # what rows without anything to look at count: they are asked to look at the begin mark
SMALL = 1e-4  # on the squares of the matrices: weights stay soft


def earlier_copies(ids, separators):
    """[rows, queries, keys]: earlier keys of the query's own token."""
    same = (ids[:, :, None] == ids[:, None, :]) & (ids[:, :, None] != 0)
    return same.tril(-1)


def seen_separators(ids, separators):
    """[rows, queries, keys]: tokens of nothing but punctuation."""
    return separators[ids][:, None, :].expand(-1, ids.shape[1], -1).tril()


KINDS = {"duplicate_token": earlier_copies, "separator": seen_separators}


def fit(model, recipe, one, ids, separators, seed, say=False):
    """Sets queries and keys of head `one` (a settings.Fitted) of a GPT-2 network's first layer."""
    layer, width = model.h[0], recipe.width // model.h[0].heads
    attention = layer.c_attn
    places = [slice(start + one.head * width, start + (one.head + 1) * width) for start in (0, recipe.width)]
    generator = torch.Generator().manual_seed(1000 * seed + one.head)
    matrices = [(0.06 * torch.randn(width, recipe.width, generator=generator)).requires_grad_() for _ in places]
    biases = [torch.zeros(width, requires_grad=True) for _ in places]
    adam = torch.optim.Adam(matrices + biases, lr=one.rate, betas=(0.9, 0.99))
    batches = corpus.TextBatches(ids, dataclasses.replace(recipe, rows=ROWS, repeat_share=one.repeat_share), 1000 * seed + 500 + one.head)
    seen = torch.ones(recipe.context, recipe.context, dtype=torch.bool).tril()
    for step in range(one.steps):
        inputs, _ = batches.batch(step)
        with torch.no_grad():
            read = layer.ln_1(model.wte(inputs) + model.wpe.weight[: recipe.context])
        query, key = (read @ matrix.T + bias for matrix, bias in zip(matrices, biases))
        weights = (query @ key.mT / width**0.5).masked_fill(~seen, float("-inf")).softmax(-1)
        wanted = KINDS[one.role](inputs, separators)
        has_any = wanted.any(-1)
        mass = (weights * wanted).sum(-1)[has_any]
        rest = weights[..., 0][~has_any]
        loss = -(mass + 1e-6).log().mean() - REST * (rest + 1e-6).log().mean() + SMALL * sum(matrix.square().sum() for matrix in matrices)
        adam.zero_grad()
        loss.backward()
        for group in adam.param_groups:
            group["lr"] = one.rate * min(1.0, 2 * (one.steps - step) / one.steps)
        adam.step()
    if say:
        print(f"L0H{one.head} begins as {one.role}: {float(mass.detach().mean()):.2f} of its weight in the last batch", flush=True)
    with torch.no_grad():
        for place, matrix, bias in zip(places, matrices, biases):
            attention.weight[place], attention.bias[place] = matrix, bias
