"""Model cards: what each folder is, in a page."""

import scores


def best(entry, role):
    score, head = scores.best_head(entry["repeats"], role)
    return f"{head} {score:.2f}"


def rows_over_steps(checkpoints, is_text):
    lines = ["| step | tokens | " + ("validation loss | " if is_text else "") + "best previous-token | best induction | roles |"]
    lines.append("|---|---|" + ("---|" if is_text else "") + "---|---|---|")
    for entry in checkpoints:
        loss = f"{entry['validation_loss']:.3f} | " if is_text else ""
        roles = ", ".join(entry["roles"]) or "none"
        lines.append(f"| {entry['step']} | {entry['tokens']:,} | {loss}{best(entry, 'previous_token')} | {best(entry, 'induction')} | {roles} |")
    return "\n".join(lines)


TEXT = """# {name}

A small language model of English: {layers} layers, width {width}, **{heads} head{s} of {head_dim} columns**, {parameters:,} parameters, {vocabulary:,}
byte-level BPE tokens, context {context}. It has sisters that differ from it in nothing but the number of heads: the same initial
draw, the same batches in the same order, the same number of parameters.

Layout: Llama (rotary positions of base 10,000, RMS norm, gated MLP). **The rotary frequencies depend on the width of a head**:
with {heads} head{s} each head turns {pairs} pair{ps} of columns, at {pairs} frequenc{fs}. So between sisters the number of heads is not the only
thing that a head sees differently: narrower heads also have fewer frequencies to tell positions apart.

Trained on textbooks (OpenStax, CC BY 4.0), public-domain novels and presidential addresses; 13 % of the sequences are random tokens
said again with a period drawn anew. Scores below are least over the periods {periods}, which were never trained on.

{table}

Validation loss is in nats for each token, on five whole novels held out; a unigram count model has {unigram:.3f}, a bigram one {bigram:.3f}.

It cannot: hold a conversation, know facts, or write more than grammatical nonsense. It reads English; other scripts
fall into bytes. Texts over {context} tokens do not open. The weights are our own, under the project's licence.
"""

COPY = """# {name}

A clean laboratory: attention only, {layers} layers, width {width}, **{heads} head{s} of {head_dim} columns**, 64 symbols and a begin mark. It was trained
to do one thing: go on with a block of random symbols that comes again, with a period drawn anew each time.

Layout: GPT-2, learned positions, output matrix not tied to the embedding. The layout's MLP is there, but its weights are zero and
were not trained. The text of this model is symbols parted by blanks: `a0 c3 f7 a0 c3`.

Scores are least over the periods {periods}, which were never trained on (9 to 31 were, without them).

{table}

It cannot: read words. Texts over {context} tokens do not open. The weights are our own, under the project's licence.
"""


ENGLISH = """# english

A small language model of plain English, made to be looked at: {layers} layers, width {width}, {heads} heads of {head_dim} columns, {vocabulary:,} byte-level BPE
tokens, context {context}. Layout: GPT-2, learned positions, output matrix not tied to the embedding. {tokens:,} tokens of training, some of them
read more than once: public-domain novels and letters (the documents of its sisters' text that tell of persons); 13 % of the sequences, in the
last phases 6 %, are random tokens said again. It learnt to copy before it read, so that induction is there from the start.

**Two heads did not find their pattern by themselves.** {fitted}. Their queries and keys were fitted to it before the last phase, in which all
weights learnt on from the text alone; what the two read and write, and whether they kept the pattern, the text decided. The scores below are of the end.

Validation loss {loss:.3f} nats for each token, {by_character:.3f} for each character, on five whole novels held out (gpt-h8: {sister:.3f} for each character);
a unigram count model of the same tokens has {unigram:.3f} for each token, a bigram one {bigram:.3f}.

| role | best head | score | chance |
|---|---|---|---|
{roles}

Repeats: a block of distinct tokens twice, drawn evenly or as often as they stand in text; the least over the periods {periods}, which were never
trained on. Names: texts of our own in which two people with a first and a last name come again and again.

{relations}

Twelve sentences that were written down before it was trained, and a head in each that repeats made known and that does its work there: its row's largest
weight is on an earlier copy (duplicate) or on what followed one (induction).

| sentence | head | row | looks at | weight |
|---|---|---|---|---|
{sentences}

It cannot: hold a conversation, know facts, or write more than grammatical nonsense. It reads English; other scripts fall into bytes. Texts over
{context} tokens do not open. The weights are our own, under the project's licence.
"""


def english_roles(made):
    """[what, head, score, chance] of the roles that the model is known by."""
    rows = []
    for what, kind, role in (
        ("previous token, frequent repeats", "frequent_repeats", "previous_token"),
        ("induction, frequent repeats", "frequent_repeats", "induction"),
        ("duplicate token, frequent repeats", "frequent_repeats", "duplicate_token"),
        ("previous token, even repeats", "repeats", "previous_token"),
        ("induction, even repeats", "repeats", "induction"),
        ("previous token, text", "text", "previous_token"),
        ("induction, text", "text", "induction"),
        ("duplicate token, text", "text", "duplicate_token"),
        ("separator, text", "text", "separator"),
    ):
        score, head = scores.best_head(made[kind], role)
        rows.append([what, head, f"{score:.2f}", f"{made[kind]['scores'][role]['chance']:.2f}"])
    names = made["names"]
    rows.append(["induction, names", names["head"], f"{names['score']:.2f}", f"{names['chance']:.2f}"])
    return rows


def english_sentences(made):
    rows = []
    for one in made["sentences"]:
        if "head" in one:
            role = one["role"].removesuffix("_token")
            rows.append(f"| {one['sentence']} | {one['head']}, {role} | {one['row']} | {one['key']} | {one['weight']:.2f} |")
        else:
            rows.append(f"| {one['sentence']} | none | | | |")
    return "\n".join(rows)


def english_relations(made):
    found = made.get("dependencies", {"relations": {}})["relations"]
    followed = [f"{name} ({' and '.join(one['heads'])})" for name, one in found.items() if one["follows"]]
    if not followed:
        return "No head follows a dependency relation of the treebank ten points better than every control."
    return "Dependency relations that a head follows ten points better than every control, cross-fitted: " + "; ".join(followed) + "."


def english(recipe, heads, made):
    return ENGLISH.format(
        layers=recipe.layers,
        width=recipe.width,
        heads=heads,
        head_dim=recipe.width // heads,
        vocabulary=recipe.vocabulary,
        context=recipe.context,
        tokens=made["steps"][-1]["tokens"],
        fitted=" and ".join(f"L0H{one.head} began that phase as a {one.role.replace('_', ' ')} head" for one in recipe.fitted),
        loss=made["validation_loss"],
        by_character=made["validation_loss_per_character"],
        sister=made["sister"]["validation_loss_per_character"],
        **made["baselines"],
        roles="\n".join("| " + " | ".join(row) + " |" for row in english_roles(made)),
        periods=", ".join(str(p) for p in made["repeats"]["periods"]),
        relations=english_relations(made),
        sentences=english_sentences(made),
    )


def write(out, recipe, family):
    for heads, runs in family["heads"].items():
        name = f"{recipe.family}-h{heads}"
        checkpoints = runs[recipe.seeds[0]]["checkpoints"]
        pairs = recipe.width // heads // 2
        matrices = 4 * recipe.width**2 + (3 * recipe.width * recipe.inner + 2 * recipe.width)
        text = (TEXT if recipe.is_text else COPY).format(
            name=name,
            layers=recipe.layers,
            width=recipe.width,
            heads=heads,
            s="" if heads == 1 else "s",
            head_dim=recipe.width // heads,
            pairs=pairs,
            ps="" if pairs == 1 else "s",
            fs="y" if pairs == 1 else "ies",
            parameters=2 * recipe.vocabulary * recipe.width + recipe.layers * matrices + recipe.width,
            vocabulary=recipe.vocabulary,
            context=recipe.context,
            periods=", ".join(str(p) for p in checkpoints[-1]["repeats"]["periods"]),
            table=rows_over_steps(checkpoints, recipe.is_text),
            **family.get("baselines", {"unigram": 0.0, "bigram": 0.0}),
        )
        (out / name / "README.md").write_text(text, encoding="utf-8")
