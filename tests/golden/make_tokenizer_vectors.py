"""Writes what the tokenizers library makes of 2,000 English sentences, as one hash for each.

    python3 -m venv venv && venv/bin/pip install tokenizers==0.23.3
    venv/bin/python tests/golden/make_tokenizer_vectors.py ../shared/data

The sentences are the "# text = " lines of ud/en_ewt-ud-dev.conllu in the data folder, which has tokenizers/gpt2 and
models/stories260K/hf too. They do not get into the repository: data/tokenizers/<name>.txt has a line "count hash" per
sentence, FNV-1a (64 bits) over the ids as little-endian 32-bit numbers, special tokens included.
"""

import pathlib
import struct
import sys

import tokenizers

OUT = pathlib.Path(__file__).parent / "data" / "tokenizers"
NUM_SENTENCES = 2000
TOKENIZERS = {"gpt2": "tokenizers/gpt2", "stories260k": "models/stories260K/hf"}


def sentences(data):
    prefix = "# text = "
    with open(data / "ud" / "en_ewt-ud-dev.conllu", encoding="utf-8", newline="\n") as lines:
        found = [line[len(prefix):].rstrip("\n") for line in lines if line.startswith(prefix)]
    if len(found) < NUM_SENTENCES:
        sys.exit(f"expected at least {NUM_SENTENCES} sentences, found {len(found)}")
    return found[:NUM_SENTENCES]


def fnv1a(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return value


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    data = pathlib.Path(sys.argv[1])
    OUT.mkdir(parents=True, exist_ok=True)
    for name, folder in TOKENIZERS.items():
        tokenizer = tokenizers.Tokenizer.from_file(str(data / folder / "tokenizer.json"))
        lines = [f"# tokenizers {tokenizers.__version__}, {folder}, {NUM_SENTENCES} sentences"]
        for sentence in sentences(data):
            ids = tokenizer.encode(sentence).ids
            lines.append(f"{len(ids)} {fnv1a(struct.pack(f'<{len(ids)}I', *ids)):016x}")
        (OUT / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
        print(f"{OUT / name}.txt: {NUM_SENTENCES} sentences")


if __name__ == "__main__":
    main()
