"""Prints the table of roles that README.md has: what `headscope score` finds in each bundled model.

    python3 assets/models/tell_roles.py build/release/headscope
"""

import json
import pathlib
import subprocess
import sys
import tempfile

MODELS = pathlib.Path(__file__).parent
PROBES = {"english": [MODELS.parent / "probes" / "probes.conllu", "repeats"], "gpt": [MODELS.parent / "probes" / "probes.conllu"], "copy": ["repeats"], "probe": ["repeats"]}
NAMES = {"previous_token": "previous token", "first_token": "first token", "duplicate_token": "duplicate", "subword": "pieces of a word",
         "self": "itself", "offset:-2": "two tokens back"}


def roles(program, model, probe):
    """{name: [heads]} of the strong ones."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "scores.json"
        subprocess.run([program, "score", "--model", MODELS / model, "--probe", probe, "--sequences", "20", "--out", out],
                       check=True, stderr=subprocess.DEVNULL)
        scores = json.loads(out.read_text(encoding="utf-8"))
    found = {}
    for head in scores["heads"]:
        for one in head["suggested"]:
            if one["verdict"] == "strong" and one["role"] not in ("copies", "suppresses"):
                name = one["relation"] or NAMES.get(one["metric"], one["metric"])
                heads = found.setdefault(name, [])
                if head["head"] not in heads:
                    heads.append(head["head"])
    return found


def main():
    program = sys.argv[1]
    names = ["english"] + [f"{family}-h{heads}" for family in ("gpt", "copy") for heads in (1, 2, 4, 8, 16)] + ["probe"]
    print("| model | heads with a role |\n|---|---|")
    for name in names:
        found = {}
        for probe in PROBES[name.split("-")[0]]:
            for role, heads in roles(program, name, probe).items():
                found[role] = sorted({*found.get(role, []), *heads})
        print(f"| {name} | " + "; ".join(f"{role}: {' '.join(heads)}" for role, heads in found.items()) + " |")


if __name__ == "__main__":
    main()
