"""Trained weights to folders, scores and a manifest: what the program bundles."""

import hashlib
import json
import pathlib

import numpy
import safetensors.torch
import tokenizers
import torch

import cards
import corpus
import layouts
import relations
import results
import scores
import settings
import training

BUDGET_BYTES = 90_000_000


def weights_at(work, recipe, heads, seed, name):
    return torch.load(work / "runs" / f"{recipe.family}-h{heads}-seed{seed}" / f"{name}.pt", weights_only=True)


def saved_steps(work, recipe, heads, seed):
    folder = work / "runs" / f"{recipe.family}-h{heads}-seed{seed}"
    return sorted(int(path.stem.removeprefix("step")) for path in folder.glob("step*.pt") if int(path.stem.removeprefix("step")) < recipe.steps)


def write_tokenizer(work, recipe, folder):
    if recipe.is_text:
        (folder / "tokenizer.json").write_bytes((work / "tokenizer.json").read_bytes())
    else:
        corpus.copy_tokenizer(recipe, folder / "tokenizer.json")
    corpus.write_json(
        folder / "tokenizer_config.json",
        {"bos_token": corpus.BEGIN, "model_max_length": recipe.context, "tokenizer_class": "PreTrainedTokenizerFast"},
    )


def write_model(folder, recipe, heads, weights):
    config, tensors = layouts.layout(recipe, heads, weights)
    folder.mkdir(parents=True, exist_ok=True)
    corpus.write_json(folder / "config.json", config)
    safetensors.torch.save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    return config, tensors


def borrow(link, target):
    link.unlink(missing_ok=True)
    link.symlink_to(target)


def write_folder(work, out, recipe, heads):
    """The final model of the first seed, its checkpoints as folders of their own that borrow its tokenizer."""
    folder = out / f"{recipe.family}-h{heads}"
    seed = recipe.seeds[0]
    final = write_model(folder, recipe, heads, weights_at(work, recipe, heads, seed, "final"))
    write_tokenizer(work, recipe, folder)
    for step in recipe.shipped_steps:
        if step != 0 and heads not in recipe.shipped_checkpoints:
            continue
        inside = folder / f"step-{step}"
        write_model(inside, recipe, heads, weights_at(work, recipe, heads, seed, f"step{step}"))
        for name in ("tokenizer.json", "tokenizer_config.json"):
            borrow(inside / name, pathlib.Path("..") / name)
        if step == 0 and heads != min(settings.HEAD_COUNTS):
            first = pathlib.Path("..", "..", f"{recipe.family}-h{min(settings.HEAD_COUNTS)}", "step-0")
            borrow(inside / "model.safetensors", first / "model.safetensors")
    return final


def measure(recipe, config, tensors, validation):
    model = layouts.in_transformers(config, tensors)
    entry = {"repeats": scores.repeat_scores(model, recipe.vocabulary, recipe.context)}
    if validation is not None:
        inputs, targets = validation
        entry["validation_loss"] = round(mean_validation_loss(model, inputs, targets), 4)
        entry["text"] = scores.text_scores(model, inputs[:8, :128])
    else:
        ids = torch.cat([ids[:, :21] for ids in scores.repeats(recipe.vocabulary, recipe.context, periods=(10,)).values()])
        entry["text"] = {"divergence": scores.divergence(scores.maps_and_loss(model, ids)[0]).round(4).tolist()}
    return entry


@torch.no_grad()
def mean_validation_loss(model, inputs, targets):
    losses = []
    for start in range(0, len(inputs), 8):
        logits = model(inputs[start : start + 8]).logits
        losses.append(torch.nn.functional.cross_entropy(logits.flatten(0, 1), targets[start : start + 8].flatten()))
    return float(torch.stack(losses).mean())


def roles(entry):
    """Heads over the thresholds that the program uses on repeats."""
    out = []
    for role, least in (("induction", 0.4), ("previous_token", 0.5)):
        table = numpy.array(entry["repeats"]["scores"][role]["score"])
        out += [f"{role} L{layer}H{head} {table[layer, head]:.2f}" for layer, head in numpy.argwhere(table >= least)]
    return out


def once(path, make):
    """What `make` gives, kept in a file: a scoring that was stopped goes on where it was."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        corpus.write_json(path, make())
    return json.loads(path.read_text(encoding="utf-8"))


def measure_family(work, recipe, data):
    """{h: {seed: [entry of each kept step]}}: every kept checkpoint, scored on periods that were never trained."""
    validation = training.validation_rows(data["val"], recipe.context) if data else None
    family = {}
    for heads in sorted({int(p.name.split("-h")[1].split("-")[0]) for p in (work / "runs").glob(f"{recipe.family}-h*")}):
        family[heads] = {}
        for seed in recipe.seeds:
            entries = []
            for step in [*saved_steps(work, recipe, heads, seed), recipe.steps]:
                name = "final" if step == recipe.steps else f"step{step}"
                config, tensors = layouts.layout(recipe, heads, weights_at(work, recipe, heads, seed, name))
                kept = work / "scores" / f"{recipe.family}-h{heads}-seed{seed}-{name}.json"
                entry = once(kept, lambda: measure(recipe, config, tensors, validation))  # noqa: B023
                entry = {"step": step, "tokens": step * recipe.tokens_per_step, **entry}
                entry["roles"] = roles(entry)
                entries.append(entry)
                print(f"scored {recipe.family}-h{heads} seed {seed} step {step}: {entry.get('validation_loss', '')} {entry['roles']}", flush=True)
            log = torch.load(work / "runs" / f"{recipe.family}-h{heads}-seed{seed}" / "state.pt", weights_only=True)["log"]
            family[heads][seed] = {"checkpoints": entries, "train_loss": [[e["step"], e["train"]] for e in log]}
    return family


LEFT_OUT = ["gpt-large", "a bidirectional model in BERT layout", "three seeds of the text family", "checkpoints of gpt-h1, but for step 0"]


def manifest(out, names):
    folders = {}
    total = 0
    for folder in sorted(p for name in names for p in out.glob(name) if p.is_dir()):
        for weights in sorted(folder.rglob("model.safetensors")):
            name = weights.parent.relative_to(out).as_posix()
            size = weights.stat().st_size
            total += 0 if weights.is_symlink() else size
            folders[name] = {"bytes": size, "sha256": hashlib.sha256(weights.read_bytes()).hexdigest()}
    for path in out.rglob("*"):
        if path.is_file() and not path.is_symlink() and path.name != "model.safetensors":
            total += path.stat().st_size
    return {"models": folders, "bytes": total, "left_out": LEFT_OUT}


def write_manifest(out):
    made = manifest(out, ("english", "gpt-h*", "copy-h*"))
    corpus.write_json(out / "manifest.json", made)
    if made["bytes"] > BUDGET_BYTES:
        raise SystemExit(f"the models take {made['bytes']} bytes, expected at most {BUDGET_BYTES}; ship fewer checkpoints")


def publish(recipes, work, out, treebank=None):
    path = out / "metrics.json"
    metrics = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"families": {}}
    metrics["held_out_periods"] = list(scores.PERIODS)
    for recipe in recipes:
        data = {s: numpy.memmap(work / f"{s}.bin", dtype=numpy.uint16, mode="r") for s in ("train", "val")} if recipe.is_text else None
        family = {"steps": recipe.steps, "tokens_per_step": recipe.tokens_per_step, "heads": measure_family(work, recipe, data)}
        if recipe.is_text:
            validation = training.validation_rows(data["val"], recipe.context)
            family["baselines"] = scores.baselines(data["train"], *validation, recipe.vocabulary)
        for heads in family["heads"]:
            config, tensors = write_folder(work, out, recipe, heads)
            if recipe.is_text and treebank:
                model = layouts.in_transformers(config, tensors)
                tokenizer = tokenizers.Tokenizer.from_file(str(work / "tokenizer.json"))
                kept = work / "scores" / f"{recipe.family}-h{heads}-dependencies.json"
                frequencies = corpus.unigram_frequencies(data["train"], recipe.vocabulary)
                followed = once(kept, lambda: relations.follow(model, tokenizer, treebank, recipe.context, frequencies))  # noqa: B023
                family["heads"][heads]["dependencies"] = followed
        metrics["families"][recipe.family] = family
        cards.write(out, recipe, family)
    text = json.dumps(metrics, separators=(",", ":"))
    path.write_text(text + "\n", encoding="utf-8")
    metrics = json.loads(text)
    if len(metrics["families"]) == 2:
        results.write(pathlib.Path(__file__).with_name("RESULTS.md"), metrics)
    write_manifest(out)
