"""Writes data/tokenizers/folders.json: ids that transformers gives for folders without a tokenizer.json, or beside one.

    venv/bin/python tests/golden/make_folder_vectors.py

A case has the files of a folder (a text, or "@" and the name of a file of data/tokenizers), and texts with their ids, special tokens
included. Needs transformers, sentencepiece and protobuf.
"""

import json
import os
import pathlib
import shutil
import tempfile

os.environ["HF_HUB_OFFLINE"] = "1"

import tokenizers
import transformers
from tokenizers import models, normalizers, pre_tokenizers, processors

transformers.logging.set_verbosity_error()

OUT = pathlib.Path(__file__).parent / "data" / "tokenizers"
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
PIECES = SPECIAL + ["hello", "Hello", "he", "##llo", "world", "W", "##orld", "ent", "x", "E", "##NT", "[", "]", "é", "e", "##e"]
BERT_TEXTS = ["Hello World é [ENT] x [ent] EnT", "xEnTx hello[ENT]hello", "[MASK] ÉE ent [CLS]", "  Hello   EnT  world "]
GPT2_TEXTS = ["the cat", "the <ent>cat", " <ent> the thecat<x> ", "<|endoftext|>cat<ENT>"]
LLAMA_TEXTS = ["the cat", "the<ent>cat the", "<x>the<ent>"]  # SentencePiece's blanks are not those of transformers here
# Whether a mask takes the blank before it differs between transformers 4 and 5.
NAMED_TEXTS = ["the <unk> cat", "the<pad>cat", "<s>the</s> cat", "<mask>the<mask>cat", "<|endoftext|>the"]
TWICE_TEXTS = ["a b c ab", "a b <x> c", "<x><y> a", "c u c"]
SENTENCE_TEXTS = ["the cat", "the<ent>cat the", " the  <ent> <x>the ", "<mask> the<mask> cat</s>", "the 中 <unk>"]
CODES_TEXTS = ["the cat", "  the  thecat\nthe\n\n ca t ", "<s>the <mask>cat</s><unk>", "tthe é中 c athé", "a\u00a0the\u3000cat\u001cthe", "",
               "the@@ cat</w> catcatca"]


def text_of(value):
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def bert_json(lowercase):
    made = tokenizers.Tokenizer(models.WordPiece({piece: i for i, piece in enumerate(PIECES)}, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=lowercase)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1",
                                                        special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    made.add_special_tokens(SPECIAL)
    return made.to_str()


def bert(**files):
    return {"config.json": {"model_type": "bert"}} | {name.replace("__", "."): content for name, content in files.items()}


def gpt2(**files):
    letters = sorted(set("thecan<>|x") | {"Ġ"})
    vocabulary = {piece: i for i, piece in enumerate(letters + ["th", "the", "Ġthe", "ca", "<|endoftext|>"])}
    return {"config.json": {"model_type": "gpt2"}, "vocab.json": vocabulary,
            "merges.txt": "#version: 0.2\nt h\nth e\nĠ the\nc a\n"} | {name.replace("__", "."): content for name, content in files.items()}


def named(model_type, tokenizer_class, **files):
    """As gpt2(), with the names of special tokens among the pieces, which some settings call special and others do not."""
    marks = ["<unk>", "<pad>", "<s>", "</s>", "<mask>", "<|endoftext|>"]
    letters = sorted(set("thecanunkpdsmdoftx<>|/") | {"Ġ"})
    vocabulary = {piece: i for i, piece in enumerate(marks + letters + ["th", "the", "Ġthe", "ca"])}
    made = {"config.json": {"model_type": model_type}, "vocab.json": vocabulary,
            "merges.txt": "#version: 0.2\nt h\nth e\nĠ the\nc a\n"} | {name.replace("__", "."): content for name, content in files.items()}
    if tokenizer_class:
        made["tokenizer_config.json"] = {"tokenizer_class": tokenizer_class} | made.get("tokenizer_config.json", {})
    return made


def twice(model, added=()):
    """A tokenizer.json as text, since no dict holds a key twice."""
    tokens = [{"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True} | token for token in added]
    return {"config.json": {"model_type": "gpt2"}, "tokenizer_config.json": {"tokenizer_class": "PreTrainedTokenizerFast"},
            "tokenizer.json": f'{{"version":"1.0","added_tokens":{json.dumps(tokens)},"normalizer":null,"pre_tokenizer":'
                              f'{{"type":"WhitespaceSplit"}},"post_processor":null,"decoder":null,"model":{model}}}'}


def sentences(model, model_type, name="tokenizer.model", **files):
    return {"config.json": {"model_type": model_type}, name: "@" + model} | {
        key.replace("__", "."): content for key, content in files.items()}


def codes(tokenizer_class, **files):
    """fastBPE's files. Some pieces that merges make are not in the vocabulary; a pair is there twice, and one line is none."""
    pieces = ["the", "cat", "th@@", "ca@@", "t", "c@@", "a@@", "t@@", "h@@", "e@@", "a", "e", "cat@@", "@@"]
    merges = ["t h 9", "th e</w> 8", "c a 7", "ca t</w> 6", "t</w> x", "th e 5", "ca t 4", "h e 3", "t h 2", "a\u00a0b c 1", "e é</w> 1"]
    return {"config.json": {"model_type": "roberta"}, "tokenizer_config.json": {"tokenizer_class": tokenizer_class},
            "vocab.txt": "".join(f"{piece} {90 - i}\n" for i, piece in enumerate(pieces)),
            "bpe.codes": "\n".join(merges) + "\n"} | {name.replace("__", "."): content for name, content in files.items()}


def cases():
    lines = "\n".join(PIECES) + "\n"
    added = {"[ENT]": 21, "EnT": 22}
    yield "bert_added", BERT_TEXTS, bert(vocab__txt=lines, added_tokens__json=added)
    yield "bert_added_cased", BERT_TEXTS, bert(vocab__txt=lines, added_tokens__json=added,
                                               tokenizer_config__json={"do_lower_case": False})
    yield "bert_added_special", BERT_TEXTS, bert(vocab__txt=lines, added_tokens__json=added,
                                                 tokenizer_config__json={"additional_special_tokens": ["[ENT]"]})
    yield "bert_added_map", BERT_TEXTS, bert(vocab__txt=lines, added_tokens__json=added,
                                             special_tokens_map__json={"additional_special_tokens": ["[ENT]"]})
    yield "bert_map_alone", BERT_TEXTS, bert(vocab__txt=lines, special_tokens_map__json={
        "additional_special_tokens": ["[ENT]"], "mask_token": {"content": "[MASK]", "lstrip": True, "rstrip": False,
                                                               "normalized": False, "single_word": False}})
    yield "bert_decoder_wins", BERT_TEXTS, bert(
        vocab__txt=lines, added_tokens__json=added, special_tokens_map__json={"additional_special_tokens": ["EnT"]},
        tokenizer_config__json={"added_tokens_decoder": {"21": {"content": "x hello", "special": False, "normalized": True}}})
    for lowercase in (False, True):
        name = "bert_json_lower" if lowercase else "bert_json_cased"
        yield name, BERT_TEXTS, bert(tokenizer__json=bert_json(lowercase))
        for setting in (False, True):
            yield f"{name}_{setting}", BERT_TEXTS, bert(tokenizer__json=bert_json(lowercase),
                                                        tokenizer_config__json={"do_lower_case": setting})
        yield f"{name}_as_it_is", BERT_TEXTS, bert(
            tokenizer__json=bert_json(lowercase),
            tokenizer_config__json={"do_lower_case": not lowercase, "tokenizer_class": "PreTrainedTokenizerFast"})
        yield f"{name}_accents", BERT_TEXTS, bert(
            tokenizer__json=bert_json(lowercase),
            tokenizer_config__json={"do_lower_case": False, "strip_accents": True, "tokenizer_class": "BertTokenizerFast"})
    added = {"<ent>": 16, "<x>": 17}
    yield "gpt2_plain", GPT2_TEXTS, gpt2()
    yield "gpt2_added", GPT2_TEXTS, gpt2(added_tokens__json=added)
    yield "gpt2_added_special", GPT2_TEXTS, gpt2(added_tokens__json=added, special_tokens_map__json={
        "pad_token": "<ent>", "extra_special_tokens": ["<ENT>"], "eos_token": "<|endoftext|>"})
    for model_type, name in (("gpt2", ""), ("gpt2", "GPT2Tokenizer"), ("roberta", ""), ("bart", "BartTokenizer"), ("qwen2", "")):
        for case, files in {
                "silent": {}, "unknown_null": {"tokenizer_config__json": {"unk_token": None}},
                "padding_null": {"tokenizer_config__json": {"pad_token": None}},
                "mask_null": {"tokenizer_config__json": {"mask_token": None}},
                "begin_null": {"tokenizer_config__json": {"bos_token": None, "eos_token": None}},
                "unknown_named": {"tokenizer_config__json": {"unk_token": "<unk>", "pad_token": "<pad>", "mask_token": "<mask>"}},
                "map_null": {"tokenizer_config__json": {"unk_token": "<unk>"}, "special_tokens_map__json": {"unk_token": None}},
                "map_named": {"tokenizer_config__json": {"pad_token": None}, "special_tokens_map__json": {"pad_token": "<pad>"}},
        }.items():
            yield f"{name or model_type}_{case}", NAMED_TEXTS, named(model_type, name, **files)
    words = '{"type":"WordLevel","vocab":{"a":0,"b":1,"c":2,"u":3},"unk_token":"u"}'
    x, y = {"content": "<x>"}, {"content": "<y>"}
    for case, model, added in (
            ("bpe", '{"type":"BPE","vocab":{"a":0,"b":1,"c":2,"ab":3,"a":4,"ab":5},"merges":["a b"]}', []),
            ("words", '{"type":"WordLevel","vocab":{"a":0,"b":1,"a":2,"c":3,"u":4,"u":5},"unk_token":"u"}', []),
            ("word_pieces", '{"type":"WordPiece","vocab":{"a":0,"##b":1,"a":2,"b":3,"u":4,"##b":6},"unk_token":"u",'
                            '"continuing_subword_prefix":"##","max_input_chars_per_word":100}', []),
            ("unigram", '{"type":"Unigram","unk_id":0,"vocab":[["u",0.0],["a",-1.0],["b",-2.0],["ab",-9.0],["a",-5.0],["ab",-2.5],["c",-1]]}',
             [x | {"id": 7}]),
            ("id", '{"type":"WordLevel","vocab":{"a":0,"b":0,"c":1,"u":2},"unk_token":"u"}', []),
            ("added", words, [x | {"id": 4}, x | {"id": 5}]),
            ("added_otherwise", words, [x | {"id": 4}, x | {"id": 5, "lstrip": True, "rstrip": True}, y | {"id": 6}]),
            ("added_gap", words, [x | {"id": 7}, y | {"id": 9}]),
            ("added_taken", words, [x | {"id": 2}, y | {"id": 4}]),
            ("added_one_id", words, [x | {"id": 4}, y | {"id": 4}]),
            ("added_piece", words, [{"content": "b", "id": 9}, y | {"id": 4}])):
        yield f"twice_{case}", TWICE_TEXTS, twice(model, added)
    yield "llama_added", LLAMA_TEXTS, sentences(
        "bpe.model", "llama", added_tokens__json={"<ent>": 400, "<x>": 401},
        tokenizer_config__json={"tokenizer_class": "LlamaTokenizer", "add_bos_token": True, "legacy": True})
    yield "xlm_roberta", SENTENCE_TEXTS, sentences("unigram.model", "xlm-roberta", "sentencepiece.bpe.model")
    yield "xlm_roberta_added", SENTENCE_TEXTS, sentences("unigram.model", "xlm-roberta", "sentencepiece.bpe.model",
                                                         added_tokens__json={"<ent>": 118})
    yield "xlm_roberta_class", SENTENCE_TEXTS, sentences("unigram.model", "roberta", "sentencepiece.bpe.model",
                                                         tokenizer_config__json={"tokenizer_class": "XLMRobertaTokenizer"})
    yield "camembert", SENTENCE_TEXTS, sentences("unigram.model", "camembert", "sentencepiece.bpe.model")
    yield "phobert", CODES_TEXTS, codes("PhobertTokenizer")
    yield "phobert_added", CODES_TEXTS, codes("PhobertTokenizer", added_tokens__json={"<mask>": 18, "athe": 19})
    yield "phobert_mask", CODES_TEXTS, codes("PhobertTokenizer", vocab__txt="the 3\n<mask> 2\nc@@ 1\n", bpe__codes="t h 1\nth e</w> 1")
    yield "bertweet", CODES_TEXTS, codes("BertweetTokenizer", tokenizer_config__json={
        "tokenizer_class": "BertweetTokenizer", "unk_token": "<none>"})


def main():
    made = {}
    for name, texts, files in cases():
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary)
            for file, content in files.items():
                if isinstance(content, str) and content.startswith("@"):
                    shutil.copyfile(OUT / content[1:], folder / file)
                else:
                    (folder / file).write_text(text_of(content), encoding="utf-8")
            tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
            made[name] = {"files": {file: text_of(content) for file, content in files.items()},
                          "texts": [[text, tokenizer(text)["input_ids"]] for text in texts]}
            print(name, type(tokenizer).__name__, made[name]["texts"][1])
    lines = ",\n".join(f" {json.dumps(name)}: {json.dumps(case, ensure_ascii=False)}" for name, case in made.items())
    (OUT / "folders.json").write_text("{\n" + lines + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
