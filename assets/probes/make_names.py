"""Writes names.tsv: pairs of texts for `patch --evidence`, in which heads are to find the name that is not said twice.

    python3 assets/probes/make_names.py            # writes names.tsv
    python3 assets/probes/make_names.py --check    # whether it is what this gives; writes nothing

Each line: clean, corrupted, right, wrong. In the corrupted text a third name stands where the clean one repeats the subject.
Needs no package.
"""

import pathlib
import sys

TARGET = pathlib.Path(__file__).parent / "names.tsv"
NAMES = ["Mary", "John", "Emily", "George", "Jane", "Peter", "Alice", "Henry", "Lucy", "Charles", "Sarah", "Tom"]
SENTENCES = ["When {a} and {b} went to the {place}, {s} gave a {thing} to",
             "When {b} and {a} went to the {place}, {s} gave a {thing} to",
             "After {a} and {b} came to the {place}, {s} gave the {thing} to",
             "After {b} and {a} came to the {place}, {s} gave the {thing} to"]
PLACES = ["church", "market", "garden", "village", "river", "house"]
THINGS = ["book", "letter", "key", "flower", "bag"]


def lines():
    count = len(NAMES)
    for number in range(48):
        a, b = NAMES[number % count], NAMES[(number + 1 + number // count) % count]
        third = NAMES[(number + 6 + number // count) % count]
        sentence = SENTENCES[(number + number // len(SENTENCES)) % len(SENTENCES)]
        words = {"a": a, "b": b, "place": PLACES[number % len(PLACES)], "thing": THINGS[number % len(THINGS)]}
        yield "\t".join([sentence.format(s=b, **words), sentence.format(s=third, **words), f" {a}", f" {b}"])


def main():
    text = "".join(f"{line}\n" for line in lines())
    if "--check" in sys.argv[1:]:
        if TARGET.read_text(encoding="utf-8") != text:
            sys.exit(f"{TARGET.name} is not what {pathlib.Path(__file__).name} gives; run it")
    else:
        TARGET.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
