"""Trains small SentencePiece models and writes what the sentencepiece library makes of a few texts with each.

    python3 -m venv venv && venv/bin/pip install sentencepiece==0.2.3 transformers torch
    venv/bin/python tests/golden/make_sentencepiece.py

data/tokenizers/<name>.model are the models, data/tokenizers/sentencepiece.json the ids: {name: [[text, [id, ...]], ...]}.
data/tokenizers/marian.json is what Marian's tokenizer of transformers makes of two of the models and a vocabulary of its own.
"""

import io
import json
import os
import pathlib
import tempfile

import sentencepiece
import transformers

OUT = pathlib.Path(__file__).resolve().parent / "data" / "tokenizers"
SENTENCES = [
    "The keys to the cabinet are on the table.", "The cat sat on the mat, and the hat was on the cat.",
    "When the others had gone, the other one went there.", "Der Hund bellt, und die Hunde bellen auf der Straße.",
    "Über den Wolken muss die Freiheit groß sein.", "for i in range(10): total += values[i] * weights[i]",
    "我们在图书馆读书。", "Кошка сидит на окне.", "12 + 34 = 46, and 100 % of 3.5 is 3.5", "naïve café, déjà vu",
]
TEXTS = SENTENCES + [
    "", " ", "   ", "the", " the", "the ", "  the   cats\tsat\n on  ", "thethethe    the", "ÄÄ ß ŁŁ zz", "<unk> </s> <s>x",
    "日本 図書 😀😀 e\u0301 a\u0308", "A B AB ABA \u3000x\u200by ﬁ ①", "Straße\u00a0groß", "the▁cat ▁▁ on", "1234567890",
    "und undund  ▁und", "x" * 70, " " * 70, "the " * 30,
]
MARKED = [">>de<< the cats", ">>xx<< the cats", " >>de<< the", ">>de<<the", ">>de<<", "the >>de<< cats", ">>de<< >>de<< the", ">>a>>de<< the",
          ">> the << cat", ">>de< the", "</s>>>de<< the", "the</s> >>de<< the", "the <unk>>>xx<< the", ">><<the"]
RULES = "41\t61\n42\t62\n41 42\t78\nC4\t41 65\nDF\t73 73\n3000\t20\n61 308\t61 65\n200B\t\nFB01\t66 69\n"


def marian():
    """Both languages, with ids from a vocabulary that lacks some pieces and has one that no model knows."""
    folder = pathlib.Path(tempfile.mkdtemp())
    pieces = []
    for side, name in (("source", "unigram"), ("target", "bpe_rules")):
        (folder / f"{side}.spm").write_bytes((OUT / f"{name}.model").read_bytes())
        processor = sentencepiece.SentencePieceProcessor(model_file=str(folder / f"{side}.spm"))
        pieces += [processor.id_to_piece(i) for i in range(processor.get_piece_size()) if not processor.is_control(i)]
    kept = [piece for i, piece in enumerate(dict.fromkeys(pieces)) if i % 7 and not piece.startswith("<")]
    vocab = {piece: i for i, piece in enumerate(["</s>", "<unk>", ">>de<<", "日", *kept, "<pad>"])}
    (folder / "vocab.json").write_text(json.dumps(vocab), encoding="utf-8")
    tokenizer = transformers.MarianTokenizer(*(str(folder / name) for name in ("source.spm", "target.spm", "vocab.json")))
    texts = [text for text in TEXTS if "<" not in text] + ["日", "a日b"]
    source = [[text, tokenizer(text)["input_ids"]] for text in [*texts, *MARKED]]
    target = [[text, tokenizer(text_target=text)["input_ids"]] for text in texts]
    lines = [f'"vocab": {json.dumps(vocab)}']
    lines += [f'"{side}": [\n' + ",\n".join(json.dumps(row) for row in rows) + "\n]" for side, rows in (("source", source), ("target", target))]
    (OUT / "marian.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def main():
    os.chdir(tempfile.mkdtemp())  # the models say where their rules were
    rules = pathlib.Path("rules.tsv")
    rules.write_text(RULES, encoding="utf-8")
    settings = {
        "unigram": {"model_type": "unigram", "vocab_size": 120, "normalization_rule_tsv": str(rules)},
        "unigram_bytes": {"model_type": "unigram", "vocab_size": 380, "byte_fallback": True,
                          "normalization_rule_name": "identity", "user_defined_symbols": ["und", "the "]},
        "bpe": {"model_type": "bpe", "vocab_size": 400, "byte_fallback": True, "normalization_rule_name": "identity",
                "remove_extra_whitespaces": False, "split_digits": True, "allow_whitespace_only_pieces": True,
                "character_coverage": 0.98},
        "bpe_rules": {"model_type": "bpe", "vocab_size": 130, "normalization_rule_tsv": str(rules),
                      "add_dummy_prefix": False, "user_defined_symbols": ["und", "  "]},
        "suffix": {"model_type": "unigram", "vocab_size": 120, "treat_whitespace_as_suffix": True,
                   "normalization_rule_name": "identity"},
    }
    ids = {}
    for name, setting in settings.items():
        model = io.BytesIO()
        sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(SENTENCES * 5), model_writer=model, num_threads=1,
                                                 hard_vocab_limit=False, minloglevel=2, **setting)
        (OUT / f"{name}.model").write_bytes(model.getvalue())
        processor = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
        # The library takes no control or unknown piece from a text; Headscope does, as transformers does.
        ids[name] = [[text, processor.encode(text)] for text in TEXTS if "<" not in text]
    rows = [f"{json.dumps(name)}: [\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]" for name, rows in ids.items()]
    (OUT / "sentencepiece.json").write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")
    marian()


if __name__ == "__main__":
    main()
