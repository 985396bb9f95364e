"""Makes the bundled models: vocabulary, training, checkpoints, scores, folders, manifest.

    python assets/training/train.py --data FOLDER [--work FOLDER] [--family text|copy|english|all] [--jobs N] [--out FOLDER] [--treebank FILE.conllu]
    python assets/training/train.py --data FOLDER --family english --cut STEPS    (ends a plateau that goes on elsewhere)

FOLDER of --data holds train.txt and val.txt. It can be stopped and started again at any time. README.md beside this file has the
recipe and what came out.
"""

import argparse
import dataclasses
import json
import multiprocessing
import multiprocessing.connection
import os
import pathlib
import sys
import tempfile
import threading

import numpy

import corpus
import settings


def prepare(data, work, vocabulary, narrative=False):
    """The vocabulary and the token ids, made once; `narrative`: of what tells of persons alone."""
    work.mkdir(parents=True, exist_ok=True)
    train_text = data / "train.txt"
    if narrative:
        train_text = work / "narrative.txt"
        if not train_text.exists():
            part = work / "narrative.part"
            corpus.narrative_part(data / "train.txt", part)
            part.replace(train_text)
    tokenizer = work / "tokenizer.json"
    if not tokenizer.exists():
        print("training the vocabulary", flush=True)
        part = work / "tokenizer.json.part"
        corpus.train_vocabulary(train_text, vocabulary, part)
        part.replace(tokenizer)
    for split, text in (("train", train_text), ("val", data / "val.txt")):
        ids = work / f"{split}.bin"
        if not ids.exists():
            print(f"tokenizing {text.name}", flush=True)
            part = work / f"{split}.part"
            corpus.encode(text, tokenizer, part)
            part.replace(ids)


def token_ids(work):
    return {split: numpy.memmap(work / f"{split}.bin", dtype=numpy.uint16, mode="r") for split in ("train", "val")}


def english_data(work):
    return token_ids(work) | {"separators": corpus.separators(work / "tokenizer.json")}


def train_one(recipe, heads, seed, work, device, threads):
    import torch

    import training

    torch.set_num_threads(threads)
    os.nice(5 if device == "cpu" else 0)
    data = token_ids(work) if recipe.family == settings.TEXT.family else None
    run = training.Run(recipe, heads, seed, data, work / "runs", device, compiled=data is not None)
    run.train()


def train_all(recipes, work, device, jobs):
    """Every run is a process of one thread: small networks gain nothing from more, and `jobs` of them go side by side."""
    context = multiprocessing.get_context("spawn")
    waiting = [(r, h, s) for r in recipes for s in r.seeds for h in settings.HEAD_COUNTS]
    running, failed = [], 0
    while waiting or running:
        while waiting and len(running) < jobs:
            recipe, heads, seed = waiting.pop(0)
            process = context.Process(target=train_one, args=(recipe, heads, seed, work, device, 1))
            process.start()
            running.append(process)
        multiprocessing.connection.wait([process.sentinel for process in running])
        for process in [p for p in running if not p.is_alive()]:
            process.join()
            failed += process.exitcode != 0
            running.remove(process)
    return failed


def end_with_parent():
    """Ends this process when the one that started it is gone, killed or not."""
    multiprocessing.parent_process().join()
    os._exit(1)


def train_share(rank, count, meeting, work, folder, phases, device):
    """One of `count` processes that train the English model together."""
    import torch

    import phases as phased
    import side_by_side

    threading.Thread(target=end_with_parent, daemon=True).start()
    torch.set_num_threads(1)
    workers = side_by_side.Workers(rank, count, meeting)
    phased.PhasedRun(phases, settings.ENGLISH_HEADS, phases_seed(phases), english_data(work), folder, workers, device).train()


def phases_seed(phases):
    return next(iter(phases.values())).seeds[0]


def go_on_from(bundled, folder):
    """Where the run's state is gone: its weights and its log as `bundled`, the folder of the model, has them."""
    import safetensors.torch

    import layouts
    import phases as phased
    import training

    metrics = json.loads((bundled.parent / "metrics.json").read_text(encoding="utf-8"))["english"]
    names = training.build(settings.SETTLING, settings.ENGLISH_HEADS, 0).state_dict()
    weights = layouts.gpt2_weights(safetensors.torch.load_file(bundled / "model.safetensors"), names)
    phased.go_on(settings.ENGLISH, folder, weights, metrics["steps"][-1]["tokens"], metrics["steps"])


def train_english(work, device, count, cut_steps=None, bundled=None):
    """The run of the English model, or a branch that ends it: the folder in which its final weights are."""
    phases, seed = settings.ENGLISH, phases_seed(settings.ENGLISH)
    folder = work / "runs" / f"english-h{settings.ENGLISH_HEADS}-seed{seed}"
    if bundled:
        go_on_from(bundled, folder)
    if cut_steps:
        import phases as phased

        phases, folder = phased.cut(phases, folder, cut_steps)
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as place:
        meeting = pathlib.Path(place) / "meeting"
        told = (count, meeting, work, folder, phases, device)
        shares = [context.Process(target=train_share, args=(rank, *told), daemon=True) for rank in range(count)]
        for share in shares:
            share.start()
        multiprocessing.connection.wait([share.sentinel for share in shares])  # the first to end: none goes on without another
        for share in shares:
            share.join(timeout=60)
        if any(share.exitcode != 0 for share in shares):
            sys.exit("a process of the run failed; start again to go on with it")
    return folder


def main():
    import torch

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("training-work"))
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[1] / "models")
    parser.add_argument("--family", choices=("text", "copy", "english", "all"), default="all")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--steps", type=int, help="instead of the recipe's; the rate falls at the end of them")
    parser.add_argument("--cut", type=int, metavar="STEPS", help="of the English model: end a branch of its plateau, as far as that is, in so many steps")
    parser.add_argument("--go-on", type=pathlib.Path, metavar="MODEL", help="of the English model: begin its last phase with the weights in this folder")
    parser.add_argument("--treebank", type=pathlib.Path, help="a .conllu file, for the dependency relations that heads follow")
    parser.add_argument("--train-only", action="store_true", help="no folders, scores and manifest yet")
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    recipes = [r for r in (settings.TEXT, settings.COPY) if arguments.family in ("all", {"gpt": "text"}.get(r.family, r.family))]
    if arguments.steps:
        recipes = [dataclasses.replace(r, steps=arguments.steps) for r in recipes]
    if settings.TEXT.family in {r.family for r in recipes}:
        prepare(arguments.data, arguments.work, settings.TEXT.vocabulary)
    failed = train_all(recipes, arguments.work, device, arguments.jobs)
    if failed:
        sys.exit(f"{failed} runs failed; start again to go on with them")
    if recipes and not arguments.train_only:
        import publish

        publish.publish(recipes, arguments.work, arguments.out, arguments.treebank)
    if arguments.family == "english":
        work = arguments.work / "english"
        prepare(arguments.data, work, settings.COPYING.vocabulary, narrative=True)
        folder = train_english(work, device, arguments.jobs if device == "cpu" else 1, arguments.cut, arguments.go_on)
        if not arguments.train_only:
            import english

            english.write(work, folder, arguments.out, english_data(work), arguments.data / "val.txt", arguments.treebank)


if __name__ == "__main__":
    main()
