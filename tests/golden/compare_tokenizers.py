"""Compares Headscope's tokenizers with the tokenizers and sentencepiece libraries on mixed text, and says how fast each is.

    python3 -m venv venv && venv/bin/pip install tokenizers==0.23.3 sentencepiece==0.2.3
    cmake --build --preset dev --target tokenize_lines
    venv/bin/python tests/golden/compare_tokenizers.py build/dev/tests/unit/text/tokenize_lines ../shared/data [--write] [--only=PREFIX]

The program given writes 5,000 lines of mixed text (tests/support/mixed_lines.cpp). Small tokenizers of every kind are trained
on them in a temporary folder; with the data folder, gpt2, bert-base-uncased and stories260K are compared too. --write puts
the hashes of those three into data/tokenizers/mixed_<name>.txt: per line of text "count hash", FNV-1a (64 bits) over the
ids as little-endian 32-bit numbers, special tokens included.
"""

import collections
import io
import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import time

import sentencepiece
import tokenizers
from tokenizers import models, normalizers, pre_tokenizers, processors, trainers

OUT = pathlib.Path(__file__).parent / "data" / "tokenizers"
COUNT = 5000
SPEED_BYTES = 1_000_000


def run(program, *arguments, text=None):
    return subprocess.run([program, *arguments], input=text, stdout=subprocess.PIPE, check=True).stdout


def fnv1a(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return value


def proto_fields(message):
    """(number, value) of each field of a protocol buffer; value is bytes for texts and messages."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(message):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
            continue
        size = {1: 8, 5: 4}[key & 7] if key & 7 != 2 else varint()
        yield key >> 3, message[at:at + size]
        at += size


def charsmap():
    """The table of replacements of SentencePiece's nmt_nfkc, taken from a model trained with it."""
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(["a b c"] * 4), model_writer=model, vocab_size=8,
                                             hard_vocab_limit=False, normalization_rule_name="nmt_nfkc", minloglevel=2)
    return dict(proto_fields(dict(proto_fields(model.getvalue()))[3]))[2]


def train_library(folder, lines, only):
    """Writes a tokenizer.json per kind; the names say what each has."""
    digits = pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True),
                                      pre_tokenizers.ByteLevel(add_prefix_space=False)])
    llama3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
              r"|\s+(?!\S)|\s+")
    split = pre_tokenizers.Sequence([pre_tokenizers.Split(tokenizers.Regex(llama3), "isolated"),
                                     pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    nfkc = normalizers.Precompiled(charsmap())
    squeeze = normalizers.Replace(tokenizers.Regex(" {2,}"), " ")
    made = {}
    counts = collections.Counter("".join(lines))
    common = ["".join(c for c in line if counts[c] >= 60) for line in lines]  # others are unknown to the unigram models

    def add(name, model, trainer, normalizer=None, pre_tokenizer=None, post_processor=None, change=None):
        if not name.startswith(only):
            return
        tokenizer = tokenizers.Tokenizer(model)
        if normalizer is not None:
            tokenizer.normalizer = normalizer
        if pre_tokenizer is not None:
            tokenizer.pre_tokenizer = pre_tokenizer
        tokenizer.train_from_iterator(common if isinstance(model, models.Unigram) else lines, trainer)
        if post_processor is not None:
            tokenizer.post_processor = post_processor(tokenizer)
        description = json.loads(tokenizer.to_str())
        if change is not None:
            change(description)
        path = folder / f"{name}.json"
        path.write_text(json.dumps(description, ensure_ascii=False), encoding="utf-8")
        made[name] = tokenizers.Tokenizer.from_file(str(path))

    def bpe(**settings):
        return trainers.BpeTrainer(vocab_size=1200, show_progress=False, **settings)

    def unigram(**settings):
        return trainers.UnigramTrainer(vocab_size=800, show_progress=False, unk_token="<unk>", **settings)

    def word_piece(**settings):
        return trainers.WordPieceTrainer(vocab_size=900, show_progress=False, special_tokens=["[UNK]", "[CLS]", "[SEP]"],
                                         **settings)

    def bert(tokenizer):
        return processors.BertProcessing(("[SEP]", tokenizer.token_to_id("[SEP]")), ("[CLS]", tokenizer.token_to_id("[CLS]")))

    add("bpe_byte_level", models.BPE(), bpe(initial_alphabet=alphabet), pre_tokenizer=pre_tokenizers.ByteLevel())
    add("bpe_digits", models.BPE(), bpe(initial_alphabet=alphabet), normalizers.NFC(), digits)
    add("bpe_llama3", models.BPE(ignore_merges=True), bpe(initial_alphabet=alphabet), None, split)
    add("bpe_suffix", models.BPE(unk_token="<unk>", end_of_word_suffix="</w>"),
        bpe(special_tokens=["<unk>"], end_of_word_suffix="</w>", limit_alphabet=150), normalizers.Lowercase(),
        pre_tokenizers.Whitespace())
    add("bpe_prefix", models.BPE(unk_token="<unk>", continuing_subword_prefix="@@", fuse_unk=True),
        bpe(special_tokens=["<unk>"], continuing_subword_prefix="@@", limit_alphabet=150), normalizers.NFKD(),
        pre_tokenizers.BertPreTokenizer())
    byte_pieces = [f"<0x{byte:02X}>" for byte in range(256)]
    add("bpe_byte_fallback", models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True),
        bpe(special_tokens=["<unk>", *byte_pieces], limit_alphabet=120),
        normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]))
    for scheme in ("always", "first", "never"):
        add(f"unigram_metaspace_{scheme}", models.Unigram(), unigram(special_tokens=["<unk>"]),
            normalizers.Sequence([nfkc, squeeze]), pre_tokenizers.Metaspace("▁", scheme))

    def fall_back(description):
        vocab = description["model"]["vocab"]
        description["model"]["vocab"] = vocab + [[piece, -20.0] for piece in byte_pieces]
        description["model"]["byte_fallback"] = True

    add("unigram_bytes", models.Unigram(), unigram(special_tokens=["<unk>"]), normalizers.Nmt(),
        pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()]), change=fall_back)
    add("unigram_whole", models.Unigram(), unigram(special_tokens=["<unk>"]), normalizers.NFKC(),
        pre_tokenizers.Metaspace("▁", "always", split=False))
    add("unigram_scripts", models.Unigram(), unigram(special_tokens=["<unk>"]), normalizers.StripAccents(),
        pre_tokenizers.UnicodeScripts())
    add("word_piece_bert", models.WordPiece(unk_token="[UNK]"), word_piece(), normalizers.BertNormalizer(),
        pre_tokenizers.BertPreTokenizer(), bert)
    add("word_piece_cased", models.WordPiece(unk_token="[UNK]", max_input_chars_per_word=12), word_piece(),
        normalizers.BertNormalizer(lowercase=False), pre_tokenizers.BertPreTokenizer(), bert)
    add("word_piece_accents", models.WordPiece(unk_token="[UNK]"), word_piece(),
        normalizers.BertNormalizer(strip_accents=False, handle_chinese_chars=False), pre_tokenizers.Punctuation())
    words = trainers.WordLevelTrainer(show_progress=False, special_tokens=["[UNK]"])
    add("word_level", models.WordLevel(unk_token="[UNK]"), words, normalizers.Strip(), pre_tokenizers.Whitespace())
    add("word_level_delimiter", models.WordLevel(unk_token="[UNK]"), words, None, pre_tokenizers.CharDelimiterSplit("e"))
    add("word_level_length", models.WordLevel(unk_token="[UNK]"), words, normalizers.NFD(), pre_tokenizers.FixedLength(3))
    return made


def train_sentencepiece(folder, lines, only):
    rules = folder / "rules.tsv"
    rules.write_text("41\t61\n42\t62\n41 42\t78\nE4\t61 65\nDF\t73 73\n20AC\t45 55 52\n3000\t20\n61 308\t61 65\n200B\t\n",
                     encoding="utf-8")
    made = {}

    def add(name, **settings):
        if not name.startswith(only):
            return
        model = io.BytesIO()
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(line.replace("\n", " ") for line in lines), model_writer=model, hard_vocab_limit=False,
            minloglevel=2, max_sentence_length=20000, character_coverage=0.98, **settings)
        path = folder / f"{name}.model"
        path.write_bytes(model.getvalue())
        made[name] = sentencepiece.SentencePieceProcessor(model_file=str(path))

    add("sp_unigram", model_type="unigram", vocab_size=1700, normalization_rule_name="nmt_nfkc")
    add("sp_unigram_rules", model_type="unigram", vocab_size=1400, normalization_rule_tsv=str(rules), byte_fallback=True)
    add("sp_unigram_user", model_type="unigram", vocab_size=1500, normalization_rule_name="identity",
        user_defined_symbols=["the ", "ß", "▁und", "  "], remove_extra_whitespaces=False)
    add("sp_bpe", model_type="bpe", vocab_size=1900, normalization_rule_name="identity", byte_fallback=True,
        remove_extra_whitespaces=False, split_digits=True,
        allow_whitespace_only_pieces=True)
    add("sp_bpe_nfkc", model_type="bpe", vocab_size=2400, normalization_rule_name="nfkc_cf")
    add("sp_bpe_user", model_type="bpe", vocab_size=1800, normalization_rule_name="nmt_nfkc", add_dummy_prefix=False,
        user_defined_symbols=["the", "中", "\n", "▁▁"])
    add("sp_suffix", model_type="unigram", vocab_size=1500, treat_whitespace_as_suffix=True)
    return made


def library_ids(tokenizer, text):
    if isinstance(tokenizer, sentencepiece.SentencePieceProcessor):
        return tokenizer.encode(text)
    return tokenizer.encode(text).ids


def compare(program, name, path, tokenizer, texts, blob):
    expected = [library_ids(tokenizer, text) for text in texts]
    found = [[int(part) for part in line.split()] for line in run(program, "ids", path, text=blob).decode().splitlines()]
    wrong = [i for i, (a, b) in enumerate(zip(expected, found)) if a != b]
    if len(found) != len(expected):
        sys.exit(f"{name}: {len(found)} lines, expected {len(expected)}")
    long_text = "\n".join(texts)
    while len(long_text.encode()) > SPEED_BYTES:
        long_text = long_text[: len(long_text) * 9 // 10]
    start = time.perf_counter()
    library_ids(tokenizer, long_text)
    library_seconds = time.perf_counter() - start
    seconds = float(run(program, "time", path, text=long_text.encode()).split()[0])
    print(f"{name:28} {len(wrong):5} of {len(texts)} differ   {len(long_text.encode()) / 1e6:.2f} MB: {seconds:.3f} s, "
          f"library {library_seconds:.3f} s, ratio {library_seconds / seconds:.1f}", flush=True)
    for i in wrong[:3]:
        at = next((k for k, (a, b) in enumerate(zip(expected[i], found[i])) if a != b), min(len(expected[i]), len(found[i])))
        print(f"    line {i}: {texts[i]!r}\n      token {at}: expected {expected[i][at:at + 8]}, found {found[i][at:at + 8]}")
    return expected, len(wrong)


def main():
    options = [argument for argument in sys.argv[1:] if argument.startswith("--")]
    arguments = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    if len(arguments) not in (1, 2):
        sys.exit(__doc__)
    program = arguments[0]
    only = "".join(option[len("--only="):] for option in options if option.startswith("--only="))
    blob = run(program, "text", str(COUNT))
    texts = [text.decode() for text in blob.split(b"\0")[:-1]]
    num_wrong = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for name, tokenizer in train_library(folder, texts, only).items():
            num_wrong += compare(program, name, folder / f"{name}.json", tokenizer, texts, blob)[1]
        for name, tokenizer in train_sentencepiece(folder, texts, only).items():
            num_wrong += compare(program, name, folder / f"{name}.model", tokenizer, texts, blob)[1]
    if len(arguments) == 2:
        data = pathlib.Path(arguments[1])
        vocab = str(data / "tokenizers/bert-base-uncased/vocab.txt")
        bert = tokenizers.BertWordPieceTokenizer(vocab, lowercase=True)
        real = {
            "gpt2": ("tokenizers/gpt2", tokenizers.Tokenizer.from_file(str(data / "tokenizers/gpt2/tokenizer.json"))),
            "bert-base-uncased": ("tokenizers/bert-base-uncased", bert),
            "stories260k": ("models/stories260K/hf",
                            tokenizers.Tokenizer.from_file(str(data / "models/stories260K/hf/tokenizer.json"))),
        }
        for name, (path, tokenizer) in real.items():
            if not name.startswith(only):
                continue
            expected, wrong = compare(program, name, data / path, tokenizer, texts, blob)
            num_wrong += wrong
            if "--write" in options:
                lines = [f"# tokenizers {tokenizers.__version__}, {path}, {COUNT} mixed lines"]
                lines += [f"{len(ids)} {fnv1a(struct.pack(f'<{len(ids)}I', *ids)):016x}" for ids in expected]
                (OUT / f"mixed_{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    sys.exit(1 if num_wrong else 0)


if __name__ == "__main__":
    main()
