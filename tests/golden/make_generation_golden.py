"""Writes data/generation.json: what transformers' generate() says, greedily, under settings of generation_config.json.

    venv/bin/python tests/golden/make_generation_golden.py

The models are the golden ones that make_encoder_golden.py has written. A case is a model, settings, the ids of a text and what
generate() makes of them, without the token that ends it. Cases in which float32 and float64 do not agree are left out.
"""

import json
import os
import pathlib
import random
import shutil
import sys
import tempfile

os.environ["HF_HUB_OFFLINE"] = "1"

import torch
import transformers

transformers.logging.set_verbosity_error()
transformers.logging.disable_progress_bar()

DATA = pathlib.Path(__file__).parent / "data"
MODELS = ("bart_plain", "marian_plain", "t5_plain", "bart_untied")
CASES = 12
MOST = 24


def settings_of(draw, config):
    """A few settings, so that each counts; starts, ends and a greatest length always."""
    ids = lambda count: [draw.randrange(config.vocab_size) for _ in range(count)]
    every = {
        "forced_bos_token_id": lambda: draw.randrange(config.vocab_size),
        "forced_eos_token_id": lambda: draw.choice([config.eos_token_id, ids(2)]),
        "bad_words_ids": lambda: [ids(draw.choice([1, 1, 2])) for _ in range(8)] + [[config.eos_token_id]],
        "suppress_tokens": lambda: ids(12),
        "begin_suppress_tokens": lambda: ids(20),
        "no_repeat_ngram_size": lambda: draw.randint(1, 3),
        "encoder_no_repeat_ngram_size": lambda: draw.randint(1, 2),
        "repetition_penalty": lambda: draw.choice([0.7, 1.3, 2.5]),
        "encoder_repetition_penalty": lambda: draw.choice([0.6, 1.8]),
        "min_length": lambda: draw.randint(2, 12),
        "min_new_tokens": lambda: draw.randint(2, 12),
        "exponential_decay_length_penalty": lambda: [draw.randint(1, 6), 1.5],
        "sequence_bias": lambda: [[ids(draw.choice([1, 2])), draw.choice([-4.0, 3.5])] for _ in range(10)],
    }
    chosen = draw.sample(sorted(every), draw.randint(1, 4))
    settings = {name: every[name]() for name in chosen}
    settings["eos_token_id"] = draw.choice([config.eos_token_id, [config.eos_token_id] + ids(2)])
    if draw.random() < 0.1:
        del settings["eos_token_id"]
        for name in ("min_length", "min_new_tokens", "exponential_decay_length_penalty"):
            settings.pop(name, None)
    settings["decoder_start_token_id"] = draw.choice([config.decoder_start_token_id, draw.randrange(config.vocab_size)])
    settings[draw.choice(["max_length", "max_new_tokens"])] = draw.randint(4, MOST)
    return settings


def generate(folder, settings, ids, dtype):
    (folder / "generation_config.json").write_text(json.dumps(settings))
    model = transformers.AutoModelForSeq2SeqLM.from_pretrained(folder, attn_implementation="eager", dtype=dtype).eval()
    with torch.no_grad():
        made = model.generate(torch.tensor([ids]), do_sample=False, num_beams=1)[0].tolist()
    ends = settings.get("eos_token_id", [])
    ends = ends if isinstance(ends, list) else [ends]
    return made[:-1] if len(made) > 1 and made[-1] in ends else made


def cases_of(name, seed, count):
    draw = random.Random(seed)
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary) / name
        shutil.copytree(DATA / name, folder)
        config = transformers.AutoConfig.from_pretrained(folder)
        while count > 0:
            settings = settings_of(draw, config)
            ids = [draw.randrange(config.vocab_size) for _ in range(draw.randint(1, 9))]
            try:
                made, exact = (generate(folder, settings, ids, dtype) for dtype in (torch.float32, torch.float64))
            except ValueError:  # settings that contradict each other
                continue
            if made == exact:
                count -= 1
                yield {"model": name, "settings": settings, "ids": ids, "generated": made}


def main():
    torch.set_num_threads(1)
    cases = [case for index, name in enumerate(MODELS) for case in cases_of(name, 6000 + index, CASES)]
    lines = ",\n".join(json.dumps(case) for case in cases)
    (DATA / "generation.json").write_text('{"transformers": "%s", "cases": [\n%s\n]}\n' % (transformers.__version__, lines))
    used = {name for case in cases for name in case["settings"]}
    print(f"{len(cases)} cases, {len(used)} settings, lengths {sorted(len(case['generated']) for case in cases)}")


if __name__ == "__main__":
    sys.exit(main())
