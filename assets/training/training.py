"""One run: a recipe, a number of heads, a seed. It can be killed at any moment and goes on from its last state."""

import os
import pathlib
import time

import numpy
import torch

import corpus
import network
import optimizer

STATE_EVERY = 50  # steps between states
SAY_EVERY = 50


def fast_type(device):
    """bfloat16 where the processor multiplies it, else nothing: elsewhere it is far slower than float32."""
    if device == "cuda":
        return torch.bfloat16
    try:
        flags = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return None
    return torch.bfloat16 if "avx512_bf16" in flags else None


def save_whole(value, path):
    part = path.with_suffix(path.suffix + ".part")
    torch.save(value, part)
    os.replace(part, path)


def build(recipe, heads, seed):
    kind = network.LlamaNetwork if recipe.layout == "llama" else network.Gpt2Network
    model = kind(recipe, heads)
    model.draw(torch.Generator().manual_seed(1000 + seed))  # the same draw for every number of heads
    return model


def validation_rows(ids, context, rows=64):
    """Rows of [BEGIN] + text, spread evenly over the validation text."""
    stride = (len(ids) - context) // rows
    text = torch.from_numpy(numpy.stack([ids[i * stride : i * stride + context].astype(numpy.int64) for i in range(rows)]))
    inputs = torch.cat((torch.zeros((rows, 1), dtype=torch.int64), text[:, :-1]), dim=1)
    return inputs, text


@torch.no_grad()
def mean_loss(model, inputs, targets, rows=8):
    losses = [model(inputs[i : i + rows], targets[i : i + rows]) for i in range(0, len(inputs), rows)]
    return torch.cat(losses).mean().item()


class Run:
    def __init__(self, recipe, heads, seed, data, folder, device="cpu", compiled=True):
        self.recipe, self.heads, self.seed, self.device = recipe, heads, seed, device
        self.folder = pathlib.Path(folder) / f"{recipe.family}-h{heads}-seed{seed}"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.model = build(recipe, heads, seed).to(device)
        self.optimizers = optimizer.make_optimizers(self.model, recipe)
        self.batches = corpus.TextBatches(data["train"], recipe, seed) if data else corpus.CopyBatches(recipe, seed)
        self.validation = validation_rows(data["val"], recipe.context) if data else None
        self.step = 0
        self.log = []
        self.restore()
        self.forward = torch.compile(self.model) if compiled else self.model
        self.low_type = fast_type(device) if data else None

    def restore(self):
        state_file = self.folder / "state.pt"
        if state_file.exists():
            state = torch.load(state_file, map_location=self.device, weights_only=True)
            self.model.load_state_dict(state["model"])
            for one, saved in zip(self.optimizers, state["optimizers"]):
                one.load_state_dict(saved)
            self.step, self.log = state["step"], state["log"]

    def keep_state(self):
        state = {"model": self.model.state_dict(), "optimizers": [o.state_dict() for o in self.optimizers], "step": self.step, "log": self.log}
        save_whole(state, self.folder / "state.pt")

    def keep_weights(self, name):
        save_whole({k: v.detach().to("cpu") for k, v in self.model.state_dict().items()}, self.folder / f"{name}.pt")

    def train_step(self):
        factor = optimizer.rate_factor(self.step, self.recipe.steps, self.recipe.warm_up, self.recipe.decay_share)
        for one in self.optimizers:
            for group in one.param_groups:
                group["lr"] = group["full_rate"] * factor
            one.zero_grad()
        inputs, targets = (part.to(self.device) for part in self.batches.batch(self.step))
        with torch.autocast(self.device, self.low_type or torch.bfloat16, enabled=self.low_type is not None):
            losses = self.forward(inputs, targets)
        loss = losses.sum() / (targets != corpus.IGNORED).sum()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        for one in self.optimizers:
            one.step()
        self.step += 1
        return loss

    def note(self, loss, started, first):
        entry = {"step": self.step, "train": round(float(loss.detach()), 4)}
        if self.validation is not None and self.step % (SAY_EVERY * 4) == 0:
            entry["val"] = round(mean_loss(self.model, *(part.to(self.device) for part in self.validation)), 4)
        self.log.append(entry)
        pace = (time.monotonic() - started) / (self.step - first)
        left = pace * (self.recipe.steps - self.step) / 60
        speed = self.recipe.tokens_per_step / pace
        print(f"{self.folder.name}: step {self.step} of {self.recipe.steps}, {entry}, {speed:.0f} tokens/s, {left:.1f} min left", flush=True)

    def train(self):
        """To the last step; returns at once when that was done before."""
        started, first = time.monotonic(), self.step
        if self.step == 0:
            self.keep_weights("step0")
        while self.step < self.recipe.steps:
            loss = self.train_step()
            if self.step in self.recipe.save_steps and self.step < self.recipe.steps:
                self.keep_weights(f"step{self.step}")
            if self.step % SAY_EVERY == 0:
                self.note(loss, started, first)
            if self.step % STATE_EVERY == 0 or self.step == self.recipe.steps:
                self.keep_state()
        self.keep_weights("final")
