"""One model trained in phases, by several processes side by side. It can be killed at any moment and goes on from its last state.

The second phase is a plateau as long as one likes; `cut` starts the third, in which the rate falls to zero, from whatever has been
reached, in a folder of its own, while the plateau goes on.
"""

import dataclasses
import pathlib
import shutil
import time

import numpy
import torch

import corpus
import fitted
import layouts
import optimizer
import scores
import settings
import side_by_side
import training

STATE_EVERY = 50  # steps; the loss noted is the mean of so many
VALIDATE_EVERY = 250
SCORE_EVERY = 500
KEEP_EVERY = 2000  # states that are not overwritten


def batches_of(recipe, ids, seed, number):
    kind = corpus.GrowingBatches if recipe.growing else corpus.TextBatches
    return kind(ids, recipe, 1000 * seed + number)


def head_scores(recipe, heads, model, frequencies):
    """Best induction and previous-token head on repeats of uniform and of frequent tokens, least over periods."""
    weights = {name: value.detach().cpu() for name, value in model.state_dict().items()}
    config, tensors = layouts.layout(recipe, heads, weights)
    network = layouts.in_transformers(config, tensors)
    found = {}
    for kind, chosen in (("uniform", None), ("frequent", frequencies)):
        measured = scores.repeat_scores(network, recipe.vocabulary, recipe.context, frequencies=chosen)
        for role in ("induction", "previous_token"):
            score, head = scores.best_head(measured, role)
            found[f"{role}, {kind}"] = [round(float(score), 4), head]
        found[f"right, {kind}"] = min(period["right"] for period in measured["second_copy"].values())
    return found


class PhasedRun:
    """`phases`: {name: recipe} in order; `data`: {"train", "val": token ids, "separators": [vocabulary], which tokens are punctuation}."""

    def __init__(self, phases, heads, seed, data, folder, workers=None, device="cpu"):
        self.phases, self.heads, self.seed, self.data, self.device = phases, heads, seed, data, device
        self.workers = workers or side_by_side.Workers()
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.validation = training.validation_rows(data["val"], next(iter(phases.values())).context)
        self.frequencies = corpus.unigram_frequencies(data["train"], next(iter(phases.values())).vocabulary)
        self.phase, self.step, self.done, self.tokens, self.log = None, 0, False, 0, []
        self.model = self.optimizers = None
        self.restore()

    @property
    def recipe(self):
        return self.phases[self.phase]

    def enter(self, phase):
        """Sets up a phase; the weights of the one before stay, its optimizers too where they are of the same kind."""
        before, optimizers_before = self.model, self.optimizers
        same = self.phase is not None and (self.recipe.mlp, self.recipe.muon_rate > 0) == (self.phases[phase].mlp, self.phases[phase].muon_rate > 0)
        self.phase, self.step, self.done = phase, 0, False
        self.model = training.build(self.recipe, self.heads, self.seed).to(self.device)
        if before is not None:
            self.model.load_state_dict(before.state_dict(), strict=False)
            with torch.no_grad():
                self.model.lm_head.weight.mul_(self.recipe.output_scale)
        for one in self.recipe.fitted:
            fitted.fit(self.model, self.recipe, one, self.data["train"], self.data["separators"], self.seed, self.workers.rank == 0)
        self.optimizers = optimizer.make_optimizers(self.model, self.recipe, self.workers)
        if same:
            for one, old in zip(self.optimizers, optimizers_before):
                self.take_moments(one, old.state_dict())
        self.set_up()

    def set_up(self):
        self.batches = batches_of(self.recipe, self.data["train"], self.seed, list(self.phases).index(self.phase))
        self.forward = torch.compile(self.model)
        self.low_type = torch.bfloat16 if self.device == "cuda" else None

    @staticmethod
    def take_moments(one, saved):
        """The state of an optimizer, but the rates of its own recipe."""
        rates = [(group["full_rate"], group["lr"]) for group in one.param_groups]
        one.load_state_dict(saved)
        for group, (full, now) in zip(one.param_groups, rates):
            group["full_rate"], group["lr"] = full, now

    def restore(self):
        state_file = self.folder / "state.pt"
        if not state_file.exists():
            self.enter(next(iter(self.phases)))
            return
        state = torch.load(state_file, map_location=self.device, weights_only=True)
        self.phase = state["phase"]
        self.model = training.build(self.recipe, self.heads, self.seed).to(self.device)
        self.model.load_state_dict(state["model"])
        self.optimizers = optimizer.make_optimizers(self.model, self.recipe, self.workers)
        for one, saved in zip(self.optimizers, state["optimizers"]):
            self.take_moments(one, saved)
        self.step, self.done, self.tokens, self.log = state["step"], state["done"], state["tokens"], state["log"]
        self.set_up()
        if self.recipe.growing:
            self.batches.known = state["known"]

    def keep_state(self):
        if self.workers.rank:
            return
        state = {"phase": self.phase, "step": self.step, "done": self.done, "tokens": self.tokens, "log": self.log}
        state |= {"known": self.batches.known} if self.recipe.growing else {}
        state |= {"model": self.model.state_dict(), "optimizers": [one.state_dict() for one in self.optimizers]}
        training.save_whole(state, self.folder / "state.pt")
        if self.done or self.step % KEEP_EVERY == 0:
            shutil.copyfile(self.folder / "state.pt", self.folder / f"{self.phase}-{self.step}.pt")

    def train_step(self):
        recipe = self.recipe
        factor = optimizer.rate_factor(self.step, recipe.steps, recipe.warm_up, recipe.decay_share)
        for one in self.optimizers:
            for group in one.param_groups:
                group["lr"] = group["full_rate"] * factor
            one.zero_grad()
        inputs, targets = self.batches.batch(self.step)
        counted = int((targets != corpus.IGNORED).sum())
        mine = slice(self.workers.rank, None, self.workers.count)
        inputs, targets = inputs[mine].to(self.device), targets[mine].to(self.device)
        with torch.autocast(self.device, torch.bfloat16, enabled=self.low_type is not None):
            loss = self.forward(inputs, targets).sum() / counted
        loss.backward()
        loss = loss.detach()
        self.workers.add([loss, *(parameter.grad for parameter in self.model.parameters())])
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        for one in self.optimizers:
            one.step()
        self.step += 1
        self.tokens += recipe.tokens_per_step
        return loss

    def note(self, loss, started, first):
        entry = {"phase": self.phase, "step": self.step, "tokens": self.tokens, "train": round(loss, 4)}
        if self.recipe.growing:
            entry["known"] = self.batches.known
        if self.workers.rank == 0 and (self.done or self.step % VALIDATE_EVERY == 0):
            rows = (part.to(self.device) for part in self.validation)
            entry["val"] = round(training.mean_loss(self.model, *rows), 4)
        if self.workers.rank == 0 and (self.done or self.step % SCORE_EVERY == 0):
            entry["heads"] = head_scores(self.recipe, self.heads, self.model, self.frequencies)
        self.log.append(entry)
        if self.workers.rank == 0:
            speed = (self.step - first) * self.recipe.tokens_per_step / (time.monotonic() - started)
            print(f"{time.strftime('%H:%M:%S')} step {self.step} of {self.recipe.steps}, {speed:.0f} tokens/s, {entry}", flush=True)

    def train_phase(self):
        started, first, losses = time.monotonic(), self.step, []
        while not self.done:
            losses.append(self.train_step())
            last = self.step == self.recipe.steps
            if last or self.step % STATE_EVERY == 0:
                mean, losses = float(torch.stack(losses).mean()), []
                self.done = (bool(self.recipe.growing) and self.batches.learnt(mean)) or last
                self.note(mean, started, first)
                self.keep_state()

    def train(self):
        """To the end of the last phase; returns at once when that was reached before."""
        for phase in list(self.phases)[list(self.phases).index(self.phase) :]:
            if phase != self.phase:
                self.enter(phase)
            self.train_phase()
        if self.workers.rank == 0:
            training.save_whole({k: v.detach().to("cpu") for k, v in self.model.state_dict().items()}, self.folder / "final.pt")


def go_on(phases, folder, weights, tokens, log):
    """Lets a run whose state is gone go on in `folder` from the weights that its last phase but one left."""
    if (folder / "state.pt").exists():
        return
    before = list(phases)[-2]
    recipe = phases[before]
    model = training.build(recipe, settings.ENGLISH_HEADS, recipe.seeds[0])
    model.load_state_dict(weights)
    optimizers = [one.state_dict() for one in optimizer.make_optimizers(model, recipe)]
    state = {"phase": before, "step": recipe.steps, "done": True, "tokens": tokens, "log": log, "model": model.state_dict(), "optimizers": optimizers}
    folder.mkdir(parents=True, exist_ok=True)
    training.save_whole(state, folder / "state.pt")


def cut(phases, plateau, steps):
    """(phases, folder) of a run that begins its third phase, of so many steps, at the present state of the second, in `plateau`."""
    before, last = list(phases)[1:3]
    phases = {**phases, last: dataclasses.replace(phases[last], steps=steps)}
    begun = sorted(plateau.parent.glob(f"{plateau.name}-cut*"))
    unfinished = [folder for folder in begun if not (folder / "final.pt").exists()]
    if unfinished:
        return phases, unfinished[-1]
    state = torch.load(plateau / "state.pt", weights_only=True)
    if state["phase"] != before:
        raise SystemExit(f"{plateau} is in its phase {state['phase']}; only {before} can be cut, so let it go on")
    folder = plateau.with_name(f"{plateau.name}-cut{state['tokens'] // 1_000_000}M")
    folder.mkdir(parents=True, exist_ok=True)
    training.save_whole(state | {"phase": last, "step": 0, "done": False}, folder / "state.pt")
    return phases, folder
