"""RESULTS.md from metrics.json: what came out, in tables."""

import numpy

import cards
import scores


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows])


def best(entry, kind, role):
    score, head = scores.best_head(entry[kind], role)
    return score, f"{score:.2f} ({head})"


def losses(family):
    """Validation loss over steps, a column for each number of heads."""
    heads = list(family["heads"])
    first = {h: next(iter(k for k in family["heads"][h] if k != "dependencies")) for h in heads}
    runs = {h: {e["step"]: e["validation_loss"] for e in family["heads"][h][first[h]]["checkpoints"]} for h in heads}
    steps = sorted(set.intersection(*(set(run) for run in runs.values())))
    rows = [[s, f"{s * family['tokens_per_step']:,}", *(f"{runs[h][s]:.3f}" for h in heads)] for s in steps]
    return table(["step", "tokens", *(f"h = {h}" for h in heads)], rows)


def finals(family):
    for heads, runs in family["heads"].items():
        for seed, run in runs.items():
            if seed != "dependencies":
                yield heads, seed, run["checkpoints"]


def text_heads(family):
    rows = []
    for heads, _, entries in finals(family):
        last = entries[-1]
        divergence = ", ".join(f"{d:.2f}" for d in last["text"]["divergence"]) if int(heads) > 1 else "one head"
        rows.append(
            [
                heads,
                f"{last['validation_loss']:.3f}",
                best(last, "text", "previous_token")[1],
                best(last, "repeats", "previous_token")[1],
                best(last, "repeats", "induction")[1],
                divergence,
            ]
        )
    head = ["heads", "loss", "previous token, text", "previous token, repeats", "induction, repeats", "divergence by layer (nats)"]
    return table(head, rows)


def when(entries, role, least):
    """The first kept step at which a head reaches `least`."""
    return next((entry["step"] for entry in entries if best(entry, "repeats", role)[0] >= least), "never")


def copy_heads(family):
    rows = []
    for heads, seed, entries in finals(family):
        last = entries[-1]
        right = min(p["right"] for p in last["repeats"]["second_copy"].values())
        induction = numpy.array(last["repeats"]["scores"]["induction"]["score"])
        rows.append(
            [
                heads,
                seed,
                when(entries, "induction", 0.4),
                best(last, "repeats", "induction")[1],
                int((induction >= 0.4).sum()),
                when(entries, "previous_token", 0.5),
                best(last, "repeats", "previous_token")[1],
                f"{right:.1%}",
            ]
        )
    head = ["heads", "seed", "induction from step", "best induction", "heads over 0.4", "previous token from step", "best previous token", "second copy right"]
    return table(head, rows)


def relations(family):
    """Relations that some head of some member follows; accuracy, over its best control, and which head."""
    members = {h: runs["dependencies"]["relations"] for h, runs in family["heads"].items() if "dependencies" in runs}
    names = sorted({name for found in members.values() for name, one in found.items() if one["follows"]})
    rows = []
    for name in names:
        row = [name]
        for found in members.values():
            one = found.get(name)
            follows = one and one["follows"]
            row.append(f"**{one['score']:.2f}**, {one['best_control']} {one['controls'][one['best_control']]:.2f} ({', '.join(one['heads'])})" if follows else "")
        rows.append([*row, next(found[name] for found in members.values() if name in found)["cases"]])
    return table(["relation", *(f"h = {h}" for h in members), "cases"], rows) if names else "No head of any member follows one."


def english_steps(made):
    """Losses and heads over the phases, where heads were scored."""
    rows = []
    for entry in made["steps"]:
        if "heads" in entry:
            heads = [f"{score:.2f} ({head})" for score, head in (v for k, v in entry["heads"].items() if isinstance(v, list))]
            rows.append([entry["phase"], entry["step"], f"{entry['tokens']:,}", f"{entry['train']:.2f}", f"{entry['val']:.3f}", *heads])
    kinds = ["induction, even", "previous token, even", "induction, frequent", "previous token, frequent"]
    head = ["phase", "step", "tokens", "loss", "on held-out text", *kinds]
    return table(head, rows)


def english_relations(made):
    rows = []
    for name, one in made.get("dependencies", {"relations": {}})["relations"].items():
        if one["follows"]:
            controls = [f"{value:.2f}" for value in one["controls"].values()]
            rows.append([name, f"**{one['score']:.2f}** ({', '.join(one['heads'])})", *controls, f"{one['z']:.1f}", one["cases"]])
    head = ["relation", "head", "offset", "popularity", "rarest", "pieces", "z", "cases"]
    return table(head, rows) if rows else "No head follows one."


def english(made):
    names, error = made["names"], made["float_error"]
    return f"""
## The English model

One model in phases: repeats alone with growing tokens and no MLP; then text with 13 % repeats at one rate; then the rate falls to zero; then two heads
begin anew with a fitted pattern, and all goes on with a small rate that falls again.
Loss on held-out text: {made["validation_loss"]:.3f} nats for each token, {made["validation_loss_per_character"]:.3f} for each character ({made["sister"]["name"]}:
{made["sister"]["validation_loss_per_character"]:.3f}). A unigram count model of the same tokens has {made["baselines"]["unigram"]:.3f} for each token, a bigram one {made["baselines"]["bigram"]:.3f}.

{english_steps(made)}

Best heads at the end; repeats are the least over periods, drawn evenly over the vocabulary or as often as in text:

{table(["role", "head", "score", "chance"], cards.english_roles(made))}

Names that come again: {names["lift"]:.1f} times chance over {names["rows"]} rows ({names["head"]}). Float32 itself is off by at most {error["largest"]:.1e} against float64; the mean largest
weight of a row is {error["mean_row_maximum"]:.2f}.

Dependency relations by the same rule:

{english_relations(made)}
"""


def write(path, metrics):
    text, copy = metrics["families"]["gpt"], metrics["families"]["copy"]
    periods = ", ".join(str(p) for p in metrics["held_out_periods"])
    path.write_text(
        f"""# What came out

Made by `train.py` from `assets/models/metrics.json`, which holds every number; every score is measured with transformers (eager,
float32) on the bundled F16 weights. Repeats: a begin mark and a block of distinct random tokens, twice; periods {periods} as far as the
context allows, none of which was trained on; the least over periods counts.

## The text family

Validation loss, nats for each token, on five whole novels held out. A unigram count model has {text["baselines"]["unigram"]:.3f}, a bigram one
(Witten-Bell) {text["baselines"]["bigram"]:.3f}.

{losses(text)}

Heads at the end. "Text" is held-out text, "repeats" uniform random tokens, most of which are rare and hardly trained:

{text_heads(text)}

Dependency relations of UD English EWT (dev), each direction by itself, that a head follows ten points better than every one of four controls
(`relations.py`: the commonest offset, the words the head likes whatever the row, the rarest word, the word of most pieces), cross-fitted, p < 0.01 after
Holm. For each pair of words that a relation joins, the later word's row must look at the earlier one more than at any other word; beside the
score stands the best control's:

{relations(text)}

## The copy family

When induction appears (a head reaches 0.4), when the previous-token head does (0.5), and what holds at the end:

{copy_heads(copy)}
{english(metrics["english"]) if "english" in metrics else ""}""",
        encoding="utf-8",
    )
