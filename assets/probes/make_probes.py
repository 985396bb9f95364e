"""Expands probes.brackets, our sentences in a short notation, to probes.conllu, and says what is in it.

    python3 assets/probes/make_probes.py            # writes probes.conllu
    python3 assets/probes/make_probes.py --check    # whether it is what probes.brackets gives; writes nothing
    python3 assets/probes/make_probes.py --report   # counts, distances, words by class, and what to read again

README.md describes the notation. Needs no package. The program and its tests need only probes.conllu.
"""

import argparse
import collections
import pathlib
import re
import sys

import lexicon

HERE = pathlib.Path(__file__).parent
SOURCE, TARGET = HERE / "probes.brackets", HERE / "probes.conllu"

# *sailor#a, gave/VERB, he:nsubj: a star for the head of its bracket, who is meant, the class, the relation.
TOKEN = re.compile(r"\*?(?P<form>[^\s\[\]#/:*]+)(?:#(?P<entity>\w+))?(?:/(?P<upos>[A-Z]+))?(?::(?P<rel>[a-z:]+))?$")
PUNCTUATION = set(",.;?!")
SUFFIXES = {"n't", "'s"}  # one token with the word before
CLAUSES = {"root", "ccomp", "xcomp", "advcl", "advcl:relcl", "acl", "acl:relcl", "csubj", "parataxis"}
UPOS_OF = {"det": "DET", "det:predet": "DET", "amod": "ADJ", "aux": "AUX", "aux:pass": "AUX", "cop": "AUX", "case": "ADP",
           "cc": "CCONJ", "nummod": "NUM", "compound:prt": "ADP", "expl": "PRON", "punct": "PUNCT", "flat": "PROPN",
           "discourse": "INTJ"}
# What refers to something, so that a pronoun could mean it.
REFERS = {"nsubj", "nsubj:pass", "obj", "iobj", "obl", "obl:agent", "nmod", "nmod:poss", "conj", "appos", "root"}
# Dependents that stand within a mention of their head.
WITHIN = {"det", "det:predet", "amod", "nummod", "compound", "nmod", "nmod:poss", "nmod:desc", "flat", "acl", "acl:relcl"}


class Word:
    def __init__(self, form, entity, upos, relation):
        self.form, self.entity, self.upos, self.relation = form, entity, upos, relation
        self.head = None
        self.dependents = []
        self.index = -1


class Fault(Exception):
    pass


def read_tree(text):
    """The root word of a sentence, and its words in order."""
    words = []
    items = text.replace("[", " [ ").replace("]", " ] ").split()
    root, end = read_group(items, 0, "root", words)
    if end != len(items):
        raise Fault("a bracket too many")
    for number, word in enumerate(words):
        word.index = number
    complete(root)
    return root, words


def read_group(items, at, relation, words):
    """A head with its dependents, from items[at] to the bracket that closes it. Without a star the last of its own words is
    the head, as in [obl to me]."""
    head, dependents = None, []
    while at < len(items) and items[at] != "]":
        if items[at] == "[":
            if at + 1 >= len(items):
                raise Fault("an open bracket")
            dependent, at = read_group(items, at + 2, items[at + 1], words)
            if at >= len(items):
                raise Fault("an open bracket")
            dependents.append(dependent)
        else:
            word = read_word(items[at])
            words.append(word)
            if items[at].startswith("*"):
                if head:
                    raise Fault(f"two heads in [{relation}]: {head.form}, {word.form}")
                head, word.relation = word, relation
            else:
                dependents.append(word)
        at += 1
    if not head:
        plain_words = [d for d in dependents if d.relation is None and d.form not in PUNCTUATION]
        closed = (lexicon.DETERMINERS | lexicon.LINKS | lexicon.POSSESSIVES | lexicon.CONJUNCTIONS | lexicon.AUXILIARIES
                  | lexicon.NUMBERS | lexicon.ADVERBS)
        if not plain_words or sum(plain(d) not in closed for d in plain_words) > 1:
            raise Fault(f"no head in [{relation}]")
        head = plain_words[-1]
        dependents.remove(head)
        head.relation = relation
    for dependent in dependents:
        dependent.head = head
    head.dependents = dependents
    return head, at


def read_word(item):
    match = TOKEN.match(item)
    if not match:
        raise Fault(f"cannot read {item}")
    return Word(match["form"], match["entity"], match["upos"], match["rel"])


def plain(word):
    """As the lexicon has it: names keep their capital."""
    return word.form if word.form in lexicon.NAMES else word.form.lower()


def complete(head):
    """Relations of the plain words around a head, and every word's class."""
    clause_has_copula = any(d.relation == "cop" for d in head.dependents)
    forms = [plain(d) for d in head.dependents if d.relation is None]
    may_be_copula = any(form in lexicon.BE for form in forms)
    if head.upos is None:
        head.upos = class_of_head(head, clause_has_copula or may_be_copula)
    is_clause = head.upos in ("VERB", "AUX") or may_be_copula or clause_has_copula
    plain_be = [d for d in head.dependents if d.relation is None and plain(d) in lexicon.BE]
    is_passive = any(d.relation == "nsubj:pass" for d in head.dependents)
    for dependent in head.dependents:
        if dependent.relation is None:
            form = plain(dependent)
            if dependent.form in PUNCTUATION:
                dependent.relation = "punct"
            elif form in lexicon.BE and (head.upos != "VERB" or is_passive) and dependent is plain_be[-1]:
                dependent.relation = "aux:pass" if head.upos == "VERB" else "cop"
            elif form in lexicon.AUXILIARIES and is_clause:
                dependent.relation = "aux"
            elif form == "'s":
                dependent.relation = "case"
            elif form == "that":
                dependent.relation = "mark" if is_clause else "det"
            elif form in lexicon.DETERMINERS:
                dependent.relation = "det"
            elif form in lexicon.POSSESSIVES:
                dependent.relation = "nmod:poss"
            elif form in lexicon.NUMBERS:
                dependent.relation = "nummod"
            elif form in lexicon.CONJUNCTIONS:
                dependent.relation = "cc"
            elif form in lexicon.LINKS:
                is_mark = is_clause and (head.upos == "VERB" or form in lexicon.CLAUSE_LINKS)
                dependent.relation = "mark" if is_mark else "case"
            elif form in lexicon.ADJECTIVES and head.upos in ("NOUN", "PROPN"):
                dependent.relation = "amod"
            elif form in lexicon.ADVERBS:
                dependent.relation = "advmod"
            else:
                raise Fault(f"{dependent.form}: no relation is given, and none is plain below {head.form}")
    for dependent in head.dependents:
        if dependent.upos is None and not dependent.dependents:
            dependent.upos = class_of(dependent)
        complete(dependent)


def class_of_head(word, has_copula):
    first = word
    while first.relation == "conj":
        first = first.head
    relation = first.relation
    if relation in CLAUSES:
        form = plain(word)
        helpers = [plain(d) for d in word.dependents if d.relation in (None, "aux")]
        has_be = any(each in lexicon.BE for each in helpers)
        has_verb_s = any(each in lexicon.AUXILIARIES or each == "to" for each in helpers) or any(
            d.relation in ("nsubj", "obj") for d in word.dependents)
        if has_verb_s and not has_be:
            return "VERB"
        for names, upos in ((lexicon.ADJECTIVES, "ADJ"), (lexicon.ADVERBS, "ADV"), (lexicon.PRONOUNS, "PRON"),
                            (lexicon.POSSESSIVES, "PRON")):
            if form in names:
                return upos
        if has_copula and not form.endswith("ing"):
            return "PROPN" if word.form in lexicon.NAMES else "NOUN"
        return word.head.upos if word.relation == "conj" and word.head.upos in ("VERB", "ADJ") else "VERB"
    return class_of(word)


def class_of(word):
    form = plain(word)
    if form in ("not", "n't"):
        return "PART"
    if word.relation == "mark":
        return "PART" if form == "to" else "SCONJ"
    if form == "'s" and word.relation == "case":
        return "PART"
    if word.relation in UPOS_OF:
        return UPOS_OF[word.relation]
    if form in lexicon.PRONOUNS or (word.relation == "nmod:poss" and form in lexicon.POSSESSIVES):
        return "PRON"
    if word.form in lexicon.NAMES:
        return "PROPN"
    if form in lexicon.NUMBERS:
        return "NUM"
    if word.relation in ("advmod",):
        return "ADV"
    if word.relation == "conj" and word.head.upos in ("ADJ", "ADV", "VERB"):
        return "ADJ" if form in lexicon.ADJECTIVES else "ADV" if form in lexicon.ADVERBS else word.head.upos
    if word.relation in CLAUSES:
        return "ADJ" if form in lexicon.ADJECTIVES else "ADV" if form in lexicon.ADVERBS else "VERB"
    return "NOUN"


def span_of(word):
    """First and last word of the mention that `word` heads."""
    def yielded(each):
        return [each.index] + [i for d in each.dependents for i in yielded(d)]

    indices = [word.index]
    for dependent in word.dependents:
        is_ending = dependent.relation == "case" and dependent.form == "'s"
        if dependent.relation in WITHIN or is_ending:
            indices += yielded(dependent)
    return min(indices), max(indices)


def mentions_of(words):
    """(first, last, head, name): those named in the source, and every other noun or pronoun that refers."""
    mentions, free = [], 0
    for word in words:
        is_predicate = any(d.relation == "cop" for d in word.dependents)
        is_part_of_name = word.relation == "conj" and word.head.relation == "compound"  # milk and bread prices
        refers = (word.relation in REFERS and word.upos in ("NOUN", "PROPN", "PRON") and plain(word) not in lexicon.RELATIVE
                  and not is_predicate and not is_part_of_name)
        if word.entity or refers:
            free += 0 if word.entity else 1
            mentions.append((*span_of(word), word, word.entity or f"n{free}"))
    return mentions


def is_joined(word):
    """Whether no blank stands before it."""
    return word.form in PUNCTUATION or word.form in SUFFIXES


def rows_of(number, words):
    opens, closes = collections.defaultdict(list), collections.defaultdict(list)
    names = {}
    for first, last, _, name in sorted(mentions_of(words), key=lambda each: (each[0], -each[1])):
        entity = names.setdefault(name, f"s{number}e{len(names) + 1}")
        if first == last:
            opens[first].append(f"({entity})")
        else:
            opens[first].append(f"({entity}")
            closes[last].insert(0, (first, f"{entity})"))
    rows, text = [], ""
    for i, word in enumerate(words):
        follower = words[i + 1] if i + 1 < len(words) else None
        is_token = follower is not None and follower.form in SUFFIXES
        has_no_blank = follower is None or is_joined(follower)
        # What closes here opened before: the last to open closes first.
        ends = "".join(text for _, text in sorted(closes[i], key=lambda each: -each[0]))
        misc = []
        if opens[i] or ends:
            misc.append("Entity=" + "".join(opens[i]) + ends)
        if is_token:
            end = words[i + 2] if i + 2 < len(words) else None
            space = "SpaceAfter=No" if end is None or is_joined(end) else "_"
            rows.append(f"{i + 1}-{i + 2}\t{word.form}{follower.form}" + "\t_" * 7 + f"\t{space}")
        elif has_no_blank and word.form not in SUFFIXES:
            misc.append("SpaceAfter=No")
        head = word.head.index + 1 if word.head else 0
        rows.append("\t".join([str(i + 1), word.form, "_", word.upos, "_", "_", str(head), word.relation, "_",
                               "|".join(sorted(misc)) or "_"]))
        text += word.form + ("" if has_no_blank else " ")
    return text, rows


def read_source():
    sentences, faults = [], []
    for number, line in enumerate(SOURCE.read_text(encoding="utf-8").splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("%"):
            continue
        try:
            sentences.append(read_tree(line)[1])
        except Fault as fault:
            faults.append(f"{SOURCE.name}: line {number}: {fault}")
    if faults:
        sys.exit("\n".join(faults))
    return sentences


def conllu_of(sentences):
    lines = ["# newdoc id = headscope-probes", "# global.Entity = eid"]
    for number, words in enumerate(sentences, 1):
        text, rows = rows_of(number, words)
        lines += [f"# sent_id = probe-{number:03d}", f"# text = {text}", *rows, ""]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--report", action="store_true")
    options = parser.parse_args()
    sentences = read_source()
    text = conllu_of(sentences)
    if options.report:
        import report
        report.print_all(sentences, mentions_of)
    elif options.check:
        if TARGET.read_text(encoding="utf-8") != text:
            sys.exit(f"{TARGET.name} is not what {SOURCE.name} gives; run make_probes.py")
    else:
        TARGET.write_text(text, encoding="utf-8")
        print(f"{len(sentences)} sentences")


if __name__ == "__main__":
    main()
