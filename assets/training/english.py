"""The English model: what it is measured by, and its folder, card and numbers."""

import json
import pathlib

import numpy
import safetensors.torch
import tokenizers
import torch

import cards
import corpus
import layouts
import publish
import relations
import results
import scores
import sentences
import settings
import training

NAME = "english"
FIRST_NAMES = ("Mary", "John", "Anna", "Peter", "Alice", "Henry", "Sarah", "James", "Emma", "George", "Jane", "Robert")
LAST_NAMES = ("Gordon", "Smith", "Brown", "Wilson", "Clark", "Palmer", "Stone", "Field", "King", "Marsh", "Hall", "Woods")
STORIES = (
    "In the morning {a} met {b} near the old bridge, and they talked about the weather. Later {a} wrote a letter, and {b} read it twice.",
    "{a} had never liked the sea. {b} loved it, and every summer {b} asked {a} to come along.",
    "The house of {a} stood beside a mill. When the river rose, {b} came with a boat, and {a} thanked {b} for the help.",
)
NAMED_TEXTS = 12


def named_texts(seed=0):
    """[(text, places where a first name that was said before ends)] about two people, each with a first and a last name."""
    random = numpy.random.default_rng((seed, 17))
    out = []
    for number in range(NAMED_TEXTS):
        first, last = random.permutation(FIRST_NAMES)[:2], random.permutation(LAST_NAMES)[:2]
        text = STORIES[number % len(STORIES)].format(a=f"{first[0]} {last[0]}", b=f"{first[1]} {last[1]}")
        ends = []
        for name in first:
            places = [place for place in range(len(text)) if text.startswith(f"{name} ", place)]
            ends += [place + len(name) for place in places[1:]]
        out.append((text, ends))
    return out


@torch.no_grad()
def named_induction(model, tokenizer):
    """The best head's weight on what followed a name, where the name comes again; chance; and over how many rows."""
    total, chance, rows = 0, 0.0, 0
    for text, ends in named_texts():
        encoding = tokenizer.encode(text)
        ids = torch.tensor([encoding.ids])
        maps = torch.stack(model(ids, output_attentions=True).attentions)[:, 0].double()
        for row, (start, end) in enumerate(encoding.offsets):
            if end not in ends or start == end:
                continue
            followers = [k + 1 for k in range(1, row) if encoding.ids[k] == encoding.ids[row] and k + 1 < row]
            if followers:
                total = total + maps[:, :, row, followers].sum(-1)
                chance += len(followers) / (row + 1)
                rows += 1
    table = (total / rows).numpy()
    layer, head = numpy.unravel_index(int(table.argmax()), table.shape)
    return {
        "score": round(float(table[layer, head]), 4),
        "head": f"L{layer}H{head}",
        "chance": round(chance / rows, 4),
        "lift": round(float(table[layer, head]) * rows / chance, 2),
        "rows": rows,
    }


def loss_per_character(model, tokenizer, ids, context, rows=256):
    """(nats a token, nats a character) on rows spread evenly over held-out text."""
    inputs, targets = training.validation_rows(ids, context, rows)
    characters = sum(len(text) for text in tokenizer.decode_batch(targets.tolist()))
    loss = publish.mean_validation_loss(model, inputs, targets)
    return round(loss, 4), round(loss * targets.numel() / characters, 4)


@torch.no_grad()
def float_error(model, ids):
    """The largest difference that float32 itself makes to a weight, and the mean largest weight of a row."""
    single = torch.stack(model(ids, output_attentions=True).attentions).double()
    double = torch.stack(model.double()(ids, output_attentions=True).attentions)
    model.float()
    return {"largest": float(f"{(single - double).abs().max():.2g}"), "mean_row_maximum": round(float(double.amax(-1).mean()), 4)}


def measure(config, tensors, recipe, data, tokenizer, treebank=None):
    """Every score that the bounds of README.md name, in transformers, on the F16 weights."""
    model = layouts.in_transformers(config, tensors)
    frequencies = corpus.unigram_frequencies(data["train"], recipe.vocabulary)
    inputs, targets = training.validation_rows(data["val"], recipe.context)
    loss, by_character = loss_per_character(model, tokenizer, data["val"], recipe.context)
    made = {
        "validation_loss": loss,
        "validation_loss_per_character": by_character,
        "baselines": scores.baselines(data["train"], inputs, targets, recipe.vocabulary),
        "repeats": scores.repeat_scores(model, recipe.vocabulary, recipe.context),
        "frequent_repeats": scores.repeat_scores(model, recipe.vocabulary, recipe.context, frequencies=frequencies),
        "text": scores.text_scores(model, inputs[:8, :128]),
        "names": named_induction(model, tokenizer),
        "float_error": float_error(model, inputs[:8, :128]),
    }
    made["text"]["scores"]["separator"] = scores.separator_scores(model, inputs[:8, :128], data["separators"])
    made["sentences"] = sentences.at_work(model, tokenizer, made["frequent_repeats"])
    if treebank:
        made["dependencies"] = relations.follow(model, tokenizer, treebank, recipe.context, frequencies)
    return made


def sister_loss(out, name, val_text):
    """Nats a character of another bundled text model, on the same held-out text."""
    folder = out / name
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    encodings = tokenizer.encode_batch(pathlib.Path(val_text).read_text(encoding="utf-8").split(corpus.DOCUMENT_LINE))
    ids = numpy.concatenate([numpy.array(encoding.ids, dtype=numpy.uint16) for encoding in encodings])
    model = layouts.in_transformers(config, safetensors.torch.load_file(folder / "model.safetensors"))
    return loss_per_character(model, tokenizer, ids, config["max_position_embeddings"])[1]


def write(work, run_folder, out, data, val_text, treebank=None):
    """The folder of the model that `run_folder` holds, its card, and its part of metrics.json and RESULTS.md."""
    recipe, heads = settings.REFINING, settings.ENGLISH_HEADS
    folder = out / NAME
    weights = torch.load(run_folder / "final.pt", weights_only=True)
    config, tensors = publish.write_model(folder, recipe, heads, weights)
    publish.write_tokenizer(work, recipe, folder)
    tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    made = measure(config, tensors, recipe, data, tokenizer, treebank)
    made["sister"] = {"name": "gpt-h8", "validation_loss_per_character": sister_loss(out, "gpt-h8", val_text)}
    made["steps"] = torch.load(run_folder / "state.pt", weights_only=True)["log"]
    path = out / "metrics.json"
    metrics = json.loads(path.read_text(encoding="utf-8")) | {NAME: made}
    path.write_text(json.dumps(metrics, separators=(",", ":")) + "\n", encoding="utf-8")
    (folder / "README.md").write_text(cards.english(recipe, heads, made), encoding="utf-8")
    results.write(pathlib.Path(__file__).with_name("RESULTS.md"), metrics)
    publish.write_manifest(out)
