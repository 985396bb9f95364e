"""Writes golden training runs: small random GPT-2 models, the gradient of a batch and the weights after ten steps of Adam, by PyTorch.

    python3 -m venv venv && venv/bin/pip install torch==2.15.0 transformers==5.23.0
    venv/bin/python tests/golden/make_training_golden.py

README.md beside this file says what is in training/.
"""

import json
import pathlib

import numpy as np
import safetensors.torch
import torch
import transformers

DATA = pathlib.Path(__file__).parent / "training"
STEPS, BATCH, WARM_UP, RATE = 10, 3, 4, 3e-3

# name: (seed, layers, heads, width, inner or 0 for attention only, tied, vocabulary, context, lengths of rows)
CASES = {
    "attention_only": (801, 2, 2, 16, 0, False, 11, 10, (11, 11, 8, 2, 11, 5, 9)),
    "one_layer": (802, 1, 4, 20, 0, False, 13, 9, (10, 10, 10)),
    "mlp_tied": (803, 2, 3, 18, 14, True, 9, 12, (13, 7, 13, 12)),
}


def make_model(case):
    seed, layers, heads, width, inner, tied, vocabulary, context, _ = case
    config = transformers.GPT2Config(
        n_layer=layers, n_head=heads, n_embd=width, n_inner=inner or 1, n_positions=context, vocab_size=vocabulary, tie_word_embeddings=tied,
        attn_pdrop=0.0, embd_pdrop=0.0, resid_pdrop=0.0, bos_token_id=0, eos_token_id=0, attn_implementation="eager")
    model = transformers.GPT2LMHeadModel(config)
    random = np.random.default_rng(seed)
    with torch.no_grad():
        for name, value in sorted(model.named_parameters()):
            draw = 0.3 * random.standard_normal(tuple(value.shape))
            value.copy_(torch.from_numpy(draw + (1.0 if ".ln_" in name and name.endswith("weight") else 0.0)))
            if not inner and (".mlp." in name or ".ln_2." in name):
                # The layout's MLP is there, adds nothing, and is not trained.
                value.copy_(torch.ones_like(value) if name.endswith("ln_2.weight") else torch.zeros_like(value))
                value.requires_grad_(False)
    return config, model.float()


def mean_loss(model, rows):
    """Over all next ids of rows of any length."""
    losses = []
    for row in rows:
        ids = torch.tensor([row])
        logits = model(ids[:, :-1]).logits[0]
        losses.append(torch.nn.functional.cross_entropy(logits, ids[0, 1:], reduction="none"))
    return torch.cat(losses).mean()


def train(model, rows):
    """(losses, gradients of the first step by name) of STEPS steps; the model has the weights after them."""
    parameters = {name: value for name, value in model.named_parameters() if value.requires_grad}
    optimizer = torch.optim.Adam(parameters.values(), lr=RATE, betas=(0.9, 0.99), eps=1e-8)
    losses, gradients = [], {}
    for step in range(STEPS):
        batch = [rows[(step * BATCH + i) % len(rows)] for i in range(BATCH)]
        optimizer.param_groups[0]["lr"] = RATE * min(1.0, (step + 1) / WARM_UP)
        optimizer.zero_grad()
        loss = mean_loss(model, batch)
        loss.backward()
        if step == 0:
            gradients = {name: value.grad.detach().clone() for name, value in parameters.items()}
        torch.nn.utils.clip_grad_norm_(parameters.values(), 1.0)
        optimizer.step()
        losses.append(float(loss.detach()))
    return losses, gradients


def write_case(name):
    case = CASES[name]
    config, model = make_model(case)
    random = np.random.default_rng(case[0] + 1)
    rows = [random.integers(0, case[6], length).tolist() for length in case[8]]
    folder = DATA / name
    folder.mkdir(parents=True, exist_ok=True)
    about = {key: getattr(config, key) for key in (
        "activation_function", "layer_norm_epsilon", "n_embd", "n_head", "n_inner", "n_layer", "n_positions", "tie_word_embeddings", "vocab_size")}
    (folder / "config.json").write_text(json.dumps({"model_type": "gpt2", **about}, indent=1) + "\n", encoding="utf-8")
    (folder / "rows.ids").write_text("".join(",".join(map(str, row)) + "\n" for row in rows), encoding="utf-8")
    weights = {n: v.detach().clone() for n, v in model.named_parameters()}
    safetensors.torch.save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    model = model.double()
    losses, gradients = train(model, rows)
    expected = {f"gradient.{n}": v.float().contiguous() for n, v in gradients.items()}
    expected |= {f"after.{n}": v.detach().float().contiguous() for n, v in model.named_parameters() if v.requires_grad}
    settings = {"losses": json.dumps(losses), "steps": str(STEPS), "batch": str(BATCH), "warm_up": str(WARM_UP), "rate": str(RATE)}
    safetensors.torch.save_file(expected, folder / "expected.safetensors", metadata=settings)
    for path in folder.iterdir():
        path.chmod(0o644)


if __name__ == "__main__":
    for case_name in CASES:
        write_case(case_name)
