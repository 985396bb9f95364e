"""What is in the probes, for the one who reads them again: printed by make_probes.py --report."""

import collections
import json
import pathlib

WANTED = """nsubj obj iobj det amod advmod aux case nmod nmod:poss obl mark cop conj cc compound xcomp advcl acl:relcl ccomp
nummod""".split()
# Whose head usually stands to the right, and to the left.
TO_THE_RIGHT = "det amod aux aux:pass case cop mark nmod:poss nummod nsubj nsubj:pass expl cc compound".split()
TO_THE_LEFT = "obj iobj obl:agent nmod conj xcomp ccomp acl acl:relcl flat compound:prt appos".split()


def print_all(sentences, mentions_of):
    cases, holders, offsets = collections.Counter(), collections.defaultdict(set), collections.defaultdict(collections.Counter)
    classes = collections.defaultdict(collections.Counter)
    for number, words in enumerate(sentences, 1):
        for word in words:
            classes[word.upos][word.form.lower()] += 1
            cases[word.relation] += 1
            holders[word.relation].add(number)
            if word.head:
                offset = word.head.index - word.index
                offsets[word.relation][offset] += 1
                if word.relation in TO_THE_RIGHT and offset < 0 and not (word.relation == "case" and word.form == "'s"):
                    print(f"look: {number}: {word.form} {word.relation} <- {word.head.form}")
                if word.relation in TO_THE_LEFT and offset > 0:
                    print(f"look: {number}: {word.head.form} <- {word.form} {word.relation}")
        crossing = [w for w in words if w.head and any(
            not under(words[i], w.head) for i in range(min(w.index, w.head.index) + 1, max(w.index, w.head.index)))]
        for word in crossing:
            print(f"not projective: {number}: {word.form}")
        if not 6 <= len([w for w in words if w.upos != 'PUNCT']) <= 25:
            print(f"length: {number}: {len(words)}")
    words = sum(map(len, sentences))
    print(f"{len(sentences)} sentences, {words} words with punctuation, {words / len(sentences):.1f} a sentence\n")
    print("| relation | cases | sentences | most frequent distance to the governor | its share |\n|---|---|---|---|---|")
    for relation in sorted(set(cases) - {"punct", "root"}, key=lambda each: (-cases[each], each)):
        offset, count = offsets[relation].most_common(1)[0]
        short = " too few" if relation in WANTED and (cases[relation] < 50 or len(holders[relation]) < 30) else ""
        print(f"| {relation} | {cases[relation]} | {len(holders[relation])} | {offset:+} | {count / cases[relation]:.2f} |{short}")
    print()
    print_coreference(sentences, mentions_of)
    vocabulary = json.loads((pathlib.Path(__file__).parents[1] / "models/gpt-h8/tokenizer.json").read_text())["model"]["vocab"]
    for upos in sorted(classes):
        print(f"\n{upos}:", " ".join(form if "\u0120" + form in vocabulary else form + "-" for form in sorted(classes[upos])))


def under(word, head):
    while word:
        if word is head:
            return True
        word = word.head
    return False


def print_coreference(sentences, mentions_of):
    with_chain, pronouns, nearer, repeated, distances = set(), 0, set(), set(), collections.Counter()
    for number, words in enumerate(sentences, 1):
        mentions = mentions_of(words)
        for i, (_, _, head, name) in enumerate(sorted(mentions, key=lambda each: each[2].index)):
            earlier = [m for m in sorted(mentions, key=lambda each: each[2].index)[:i]]
            mine = [m for m in earlier if m[3] == name]
            if not mine:
                continue
            with_chain.add(number)
            pronouns += head.upos == "PRON"
            if head.upos != "PRON":
                repeated.add(number)
            distances[head.index - mine[-1][2].index] += 1
            if earlier[-1][3] != name:
                nearer.add(number)
    print(f"coreference: {len(with_chain)} sentences, {sum(distances.values())} later mentions, of them {pronouns} pronouns; in "
          f"{len(nearer)} sentences something else is mentioned in between; a name or noun comes back in {len(repeated)}; the most "
          f"frequent distances are {distances.most_common(3)}")
