#!/usr/bin/env bash
# Headscope and transformers on one model, in turns on the same cores, and a table of both (Markdown).
#   bench_compare.sh MODEL_FOLDER [TOKENS]      TOKENS: 128,512,1024
# HEADSCOPE: the program (./run); PYTHON: a Python with torch and transformers; ROUNDS: 3; THREADS: all cores.
# A cell is the least of the rounds' medians: what the machine can do when nothing else runs.
set -euo pipefail

[ $# -ge 1 ] || { sed -n '2,5p' "$0" | cut -c3- >&2; exit 2; }
here="$(cd "$(dirname "$0")" && pwd)"
model="$1"
tokens="${2:-128,512,1024}"
headscope="${HEADSCOPE:-$here/../../run}"
python="${PYTHON:-python3}"
rounds="${ROUNDS:-3}"
export OMP_NUM_THREADS="${THREADS:-$(nproc)}"

results="$(mktemp -d)"
trap 'rm -rf "$results"' EXIT
for round in $(seq "$rounds"); do
  "$headscope" bench --model "$model" --tokens "$tokens" --json > "$results/headscope.$round.json"
  "$python" "$here/bench_transformers.py" "$model" --tokens "$tokens" --threads "$OMP_NUM_THREADS" \
    > "$results/transformers.$round.json"
done
"$python" "$here/bench_table.py" "$results"
