"""A step of training by Headscope and by PyTorch, in turns on this machine with one thread each, as a table (Markdown).

    python3 tests/support/bench_training.py [--headscope ./run] [--rounds 3] [--steps 200] [--compile]

Needs torch and nothing else. PyTorch trains the same networks on rows of the same sizes, its attention both by
scaled_dot_product_attention and by plain products, of which the faster one counts; with --compile also by torch.compile.
A cell is the least of the rounds' medians: what the machine can do when nothing else runs.
"""

import argparse
import json
import math
import pathlib
import statistics
import subprocess
import time

import torch
from torch import nn
from torch.nn import functional

STEPS_BEFORE = 20


class Block(nn.Module):
    def __init__(self, width, heads, plain):
        super().__init__()
        self.heads, self.plain = heads, plain
        self.ln_1 = nn.LayerNorm(width)
        self.c_attn, self.c_proj = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x, mask):
        rows, tokens, width = x.shape
        query, key, value = (part.view(rows, tokens, self.heads, -1).transpose(1, 2) for part in self.c_attn(self.ln_1(x)).split(width, dim=-1))
        if self.plain:
            scores = query @ key.transpose(2, 3) / math.sqrt(width // self.heads) + mask
            mixed = scores.softmax(-1) @ value
        else:
            mixed = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        return x + self.c_proj(mixed.transpose(1, 2).reshape(rows, tokens, width))


class Network(nn.Module):
    """GPT-2's layout with attention only, as headscope train has it."""

    def __init__(self, case, plain):
        super().__init__()
        width = case["model_dim"]
        self.wte, self.wpe = nn.Embedding(case["vocabulary"], width), nn.Embedding(case["context"], width)
        self.h = nn.ModuleList(Block(width, case["heads"], plain) for _ in range(case["layers"]))
        self.ln_f, self.lm_head = nn.LayerNorm(width), nn.Linear(width, case["vocabulary"], bias=False)
        self.register_buffer("mask", torch.full((case["context"], case["context"]), -math.inf).triu(1), persistent=False)

    def forward(self, ids, targets):
        x = self.wte(ids) + self.wpe.weight
        for block in self.h:
            x = block(x, self.mask)
        return functional.cross_entropy(self.lm_head(self.ln_f(x)).flatten(0, 1), targets.flatten())


def torch_milliseconds(case, steps, plain, compiles):
    torch.manual_seed(1)
    network = Network(case, plain)
    parameters = list(network.parameters())
    step_of = torch.compile(network) if compiles else network
    optimizer = torch.optim.Adam(parameters, lr=3e-3, betas=(0.9, 0.99), eps=1e-8, foreach=True)
    times = []
    for step in range(-STEPS_BEFORE, steps):
        begun = time.perf_counter()
        rows = torch.randint(case["vocabulary"], (case["batch"], case["context"] + 1))  # a task's own draw takes longer
        optimizer.zero_grad(set_to_none=True)
        step_of(rows[:, :-1], rows[:, 1:]).backward()
        nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        if step >= 0:
            times.append(1e3 * (time.perf_counter() - begun))
    return statistics.median(times)


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--headscope", default=str(root / "run"))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--compile", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(1)
    ways = [(False, False), (True, False)] + ([(False, True), (True, True)] if options.compile else [])
    ours, theirs, cases = {}, {}, {}
    for _ in range(options.rounds):
        said = subprocess.run([options.headscope, "bench", "--train", "--steps", str(options.steps), "--json"], capture_output=True, text=True, check=True)
        for case in json.loads(said.stdout)["trainings"]:
            key = (case["task"], case["heads"])
            cases[key] = case
            ours[key] = min(ours.get(key, math.inf), case["median_ms"])
        for key, case in cases.items():
            for way in ways:
                theirs[key, way] = min(theirs.get((key, way), math.inf), torch_milliseconds(case, options.steps, *way))
    print(f"One thread, torch {torch.__version__}; the least of {options.rounds} medians of {options.steps} steps, in milliseconds a step\n")
    print("| task | heads | Headscope | PyTorch | by | Headscope / PyTorch |\n|---|---:|---:|---:|---|---:|")
    for key, mine in ours.items():
        fastest = min(ways, key=lambda way: theirs[key, way])
        other = theirs[key, fastest]
        by = ("plain products" if fastest[0] else "scaled_dot_product_attention") + (", compiled" if fastest[1] else "")
        print(f"| {key[0]} | {key[1]} | {mine:.2f} | {other:.2f} | {by} | {mine / other:.2f} |")


if __name__ == "__main__":
    main()
