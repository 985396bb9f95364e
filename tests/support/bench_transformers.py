"""Times transformers on a model folder: eager attention, float32, all attention maps returned. Prints JSON.

    venv/bin/python tests/support/bench_transformers.py FOLDER [--tokens 128,512,1024] [--threads N] [--repeats 7]

`resident_bytes` is what the process holds after the runs of that length, its last maps included; `map_bytes` is what those take.
"""

import argparse
import json
import os
import pathlib
import statistics
import time

os.environ["HF_HUB_OFFLINE"] = "1"

import torch
import transformers


def resident_bytes():
    pages = int(pathlib.Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--tokens", default="128,512,1024")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--repeats", type=int, default=7)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    # The base model: no logits, as Headscope computes none either.
    model = transformers.AutoModel.from_pretrained(options.folder, attn_implementation="eager", dtype=torch.float32).eval()
    random = torch.Generator().manual_seed(1)
    cases = []
    for tokens in map(int, options.tokens.split(",")):
        ids = torch.randint(0, model.config.vocab_size, (1, tokens), generator=random)
        times = []
        result = None
        with torch.inference_mode():
            for _ in range(options.repeats + 1):
                result = None
                start = time.perf_counter()
                result = model(ids, output_attentions=True, use_cache=False)
                times.append(1000 * (time.perf_counter() - start))
        cases.append({"tokens": tokens, "first_ms": round(times[0], 3), "median_ms": round(statistics.median(times[1:]), 3),
                      "resident_bytes": resident_bytes(),
                      "map_bytes": sum(a.numel() * a.element_size() for a in result.attentions)})
    print(json.dumps({"model": options.folder, "threads": options.threads, "precision": "f32",
                      "torch": torch.__version__, "transformers": transformers.__version__, "cases": cases}))


if __name__ == "__main__":
    main()
