"""What the heads of a network do, by the definitions of the program's `score`: maps come from transformers, sums are in double.

Every score is a mean over query rows; its chance level is the mean, over the same rows, of what uniform attention over the
visible keys would give.
"""


import numpy
import torch

PERIODS = (10, 20, 40)
SEQUENCES = 10


def repeats(vocabulary, context, seed=0, periods=PERIODS, frequencies=None):
    """{period: ids [sequences, 1 + 2 period]}: BEGIN and a block of distinct tokens, twice; only what fits.

    All tokens are equally likely, or as likely as `frequencies` [vocabulary] says."""
    random = numpy.random.default_rng((seed, 11))
    out = {}
    for period in periods:
        if 2 * period + 1 <= context and period < vocabulary:
            if frequencies is None:
                blocks = [random.permutation(numpy.arange(1, vocabulary))[:period] for _ in range(SEQUENCES)]
            else:
                blocks = [random.choice(vocabulary, period, replace=False, p=frequencies) for _ in range(SEQUENCES)]
            out[period] = torch.tensor(numpy.stack([numpy.concatenate(([0], block, block)) for block in blocks]))
    return out


@torch.no_grad()
def maps_and_loss(model, ids):
    """Weights [layers, sequences, heads, n, n] in double, and the loss of each next token [sequences, n - 1]."""
    result = model(ids, output_attentions=True)
    logits = result.logits[:, :-1].double().log_softmax(-1)
    loss = -logits.gather(-1, ids[:, 1:, None])[..., 0]
    right = (result.logits[:, :-1].argmax(-1) == ids[:, 1:]).double()
    return torch.stack(result.attentions).double(), loss, right


def row_scores(maps, ids):
    """{name: (score [layers, heads], chance, rows)} of one batch of texts that begin with BEGIN, whose row does not qualify."""
    layers, sequences, heads, tokens, _ = maps.shape
    visible = torch.arange(1, tokens + 1).double()
    rows = torch.arange(1, tokens)
    lower = torch.tril(torch.ones(tokens, tokens), -1).bool()
    equal = (ids[:, :, None] == ids[:, None, :]) & (ids[:, None, :] != 0) & lower
    follower = torch.zeros_like(equal)
    follower[:, :, 1:] = equal[:, :, :-1]
    follower &= lower
    distance = (torch.arange(tokens)[:, None] - torch.arange(tokens)[None, :]).abs().double()
    entropy = -(maps * maps.clamp_min(1e-300).log()).sum(-1)
    full = {
        "previous_token": (maps[..., rows, rows - 1], 1 / visible[rows]),
        "first_token": (maps[..., rows, 0], 1 / visible[rows]),
        "self": (maps[..., rows, rows], 1 / visible[rows]),
        "entropy": (entropy[..., rows], visible[rows].log()),
        "confidence": (maps.amax(-1)[..., rows], 1 / visible[rows]),
        "distance": ((maps * distance).sum(-1)[..., rows], (distance * lower).sum(-1)[rows] / visible[rows]),
    }
    out = {n: (v.mean((1, 3)).numpy(), float(c.mean()), sequences * (tokens - 1)) for n, (v, c) in full.items()}
    for name, pattern in (("duplicate_token", equal), ("induction", follower)):
        chosen = pattern.any(-1)
        count = int(chosen.sum())
        if count:
            mass = (maps * pattern[None, :, None]).sum(-1)
            score = (mass * chosen[None, :, None]).sum((1, 3)) / count
            chance = (pattern.double().sum(-1) / visible)[chosen].mean()
            out[name] = (score.numpy(), float(chance), count)
    return out


def repeat_scores(model, vocabulary, context, seed=0, periods=PERIODS, frequencies=None):
    """The least over periods of each score, and the loss and hits on the second copy."""
    by_period = {}
    behaviour = {}
    for period, ids in repeats(vocabulary, context, seed, periods, frequencies).items():
        maps, loss, right = maps_and_loss(model, ids)
        by_period[period] = row_scores(maps, ids)
        second = slice(period + 1, 2 * period)  # of the second copy, but for its first token, which nothing foretells
        behaviour[period] = {"loss": round(float(loss[:, second].mean()), 4), "right": round(float(right[:, second].mean()), 4)}
    least = {}
    for name in ("previous_token", "duplicate_token", "induction", "first_token", "self"):
        parts = {period: scores[name] for period, scores in by_period.items()}
        chance_of = min(parts, key=lambda p: float(parts[p][0].max()))
        least[name] = {
            "score": numpy.min([s for s, _, _ in parts.values()], axis=0).round(4).tolist(),
            "chance": round(parts[chance_of][1], 4),
            "queries": sum(rows for _, _, rows in parts.values()),
        }
    return {"periods": sorted(by_period), "second_copy": behaviour, "scores": least}


def text_scores(model, ids):
    maps, loss, _ = maps_and_loss(model, ids)
    scores = {n: {"score": s.round(4).tolist(), "chance": round(c, 4), "queries": q} for n, (s, c, q) in row_scores(maps, ids).items()}
    return {"loss": round(float(loss.mean()), 4), "scores": scores, "divergence": divergence(maps).round(4).tolist()}


@torch.no_grad()
def separator_scores(model, ids, separators):
    """What `text_scores` lacks: weight on punctuation, whose tokens `separators` [vocabulary] marks."""
    maps = torch.stack(model(ids, output_attentions=True).attentions).double()
    keys = separators[ids].double()
    rows = torch.arange(1, ids.shape[1])
    score = (maps * keys[None, :, None, None, :]).sum(-1)[..., rows].mean((1, 3))
    chance = (keys.cumsum(-1) / torch.arange(1, ids.shape[1] + 1))[:, rows].mean()
    return {"score": score.numpy().round(4).tolist(), "chance": round(float(chance), 4), "queries": ids.shape[0] * len(rows)}


def best_head(measured, role):
    """The highest score among all heads, and the head's name."""
    table = numpy.array(measured["scores"][role]["score"])
    layer, head = numpy.unravel_index(int(table.argmax()), table.shape)
    return table[layer, head], f"L{layer}H{head}"


def divergence(maps):
    """Mean Jensen-Shannon divergence in nats [layers], over pairs of heads and rows with at least two visible keys; 0 for one head."""
    layers, _, heads, _, _ = maps.shape
    rows = maps[..., 1:, :]

    def entropy(p):
        return -(p * p.clamp_min(1e-300).log()).sum(-1)

    own = entropy(rows)
    total, pairs = torch.zeros(layers, dtype=torch.float64), 0
    for a in range(heads):
        for b in range(a + 1, heads):
            mixed = entropy((rows[:, :, a] + rows[:, :, b]) / 2)
            total += (mixed - (own[:, :, a] + own[:, :, b]) / 2).mean((1, 2))
            pairs += 1
    return (total / max(pairs, 1)).numpy()


def baselines(train, val_inputs, val_targets, vocabulary):
    """Validation loss of a unigram and of a bigram count model (Witten-Bell), in nats for each token, on the same rows."""
    counts = numpy.bincount(train, minlength=vocabulary).astype(numpy.float64) + 1e-3
    unigram = counts / counts.sum()
    pairs = numpy.bincount(train[:-1].astype(numpy.int64) * vocabulary + train[1:], minlength=vocabulary * vocabulary)
    pairs = pairs.reshape(vocabulary, vocabulary)
    kinds = (pairs > 0).sum(1)
    seen = pairs.sum(1)
    inputs, targets = val_inputs.numpy().ravel(), val_targets.numpy().ravel()
    mixed = (pairs[inputs, targets] + kinds[inputs] * unigram[targets]) / numpy.maximum(seen[inputs] + kinds[inputs], 1)
    return {"unigram": round(float(-numpy.log(unigram[targets]).mean()), 4), "bigram": round(float(-numpy.log(mixed).mean()), 4)}


