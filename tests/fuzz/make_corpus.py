#!/usr/bin/env python3
"""Writes tests/fuzz/corpus: small files, good ones and nasty ones, for every fuzz target.

Run it from anywhere after a change; it replaces the files that it names and leaves others (inputs that a
fuzzer found) alone. Needs nothing but Python.
"""
import base64
import io
import json
import pathlib
import pickle
import struct
import zipfile

CORPUS = pathlib.Path(__file__).resolve().parent / "corpus"


def put(target, name, content):
    folder = CORPUS / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())


def tensor(dtype, shape, begin, end):
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


def safetensors(header, data=b"", length=None):
    text = header if isinstance(header, bytes) else json.dumps(header, separators=(",", ":")).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + data


def make_safetensors():
    eight = bytes(range(8))
    good = {"a": tensor("F32", [2], 0, 8)}
    huge = 2**63 - 1
    files = {
        "good": safetensors({"__metadata__": {"format": "pt"}, **good, "b": tensor("BF16", [2, 2], 8, 16)}, eight * 2),
        "no_tensors": safetensors({}),
        "scalar_and_empty": safetensors({"s": tensor("U8", [], 0, 1), "e": tensor("F64", [0, 7], 1, 1)}, b"x"),
        "unaligned": safetensors({"u": tensor("U8", [1], 0, 1), "f": tensor("F16", [2], 1, 5)}, bytes(5)),
        "every_type": safetensors(
            {t: tensor(t, [1], i * 8, i * 8 + 8) for i, t in enumerate(["F64", "I64", "U64"])}, eight * 3),
        "padded_header": safetensors(json.dumps(good).encode() + b"   ", eight),
        "empty": b"",
        "short_length": b"\x10\0\0",
        "header_past_end": safetensors(good, length=2**20),
        "header_100_mb": safetensors(good, length=10**8 + 1),
        "header_length_max": safetensors(good, length=2**64 - 1),
        "header_length_wraps": safetensors(good, length=2**64 - 8),
        "not_json": safetensors(b"{'a': 1}"),
        "not_utf8": safetensors(b'{"\xc3\x28":{}}'),
        "list": safetensors(b"[]"),
        "deep": safetensors(b"[" * 3000),
        "deep_in_tensor": safetensors(b'{"a":' + b"[" * 2000 + b"]" * 2000 + b"}"),
        "hole": safetensors({"a": tensor("F32", [2], 4, 12)}, eight + b"1234"),
        "overlap": safetensors({**good, "b": tensor("F32", [2], 4, 12)}, eight + b"1234"),
        "same_bytes": safetensors({**good, "b": tensor("F32", [2], 0, 8)}, eight),
        "bytes_behind": safetensors(good, eight + b"more"),
        "huge_offsets": safetensors({"a": tensor("F32", [2], 2**64 - 8, 2**64 - 1)}, eight),
        "offset_past_64_bits": safetensors({"a": tensor("F32", [2], 0, 2**64)}, eight),
        "offsets_reversed": safetensors({"a": tensor("F32", [2], 8, 0)}, eight),
        "offsets_negative": safetensors({"a": tensor("F32", [2], -8, 0)}, eight),
        "offsets_three": safetensors({"a": {**tensor("F32", [2], 0, 4), "data_offsets": [0, 4, 8]}}, eight),
        "product_overflow": safetensors({"a": tensor("F32", [2**32, 2**32, 2], 0, 8)}, eight),
        "product_behind_zero": safetensors({"a": tensor("F32", [0, huge, huge], 0, 0)}),
        "dimension_negative": safetensors({"a": tensor("F32", [-2], 0, 8)}, eight),
        "dimensions_33": safetensors({"a": tensor("U8", [1] * 33, 0, 1)}, b"x"),
        "dtype_unknown": safetensors({"a": tensor("FLOAT", [2], 0, 8)}, eight),
        "dtype_f8": safetensors({"a": tensor("F8_E4M3", [8], 0, 8)}, eight),
        "dtype_number": safetensors({"a": tensor(4, [2], 0, 8)}, eight),
        "name_twice": safetensors(
            b'{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}}',
            b"xy"),
        "metadata_number": safetensors({"__metadata__": {"heads": 12}}),
        "name_of_control_characters": safetensors({"\n\x1b[2J" * 40: 1}),
        "git_lfs": b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n",
    }
    for name, content in files.items():
        put("safetensors", name, content)


def text(value):
    data = value if isinstance(value, bytes) else value.encode()
    return struct.pack("<Q", len(data)) + data


def entry(key, value, kind=None):
    """A metadata entry; `kind` with bytes as they are, else by the Python type."""
    if kind is not None:
        return text(key) + struct.pack("<I", kind) + value
    if isinstance(value, bool):
        return text(key) + struct.pack("<I?", 7, value)
    if isinstance(value, int):
        return text(key) + struct.pack("<II", 4, value)
    if isinstance(value, float):
        return text(key) + struct.pack("<If", 6, value)
    if isinstance(value, str):
        return text(key) + struct.pack("<I", 8) + text(value)
    kinds = {str: (8, text), float: (6, lambda v: struct.pack("<f", v)), int: (5, lambda v: struct.pack("<i", v)),
             bool: (7, lambda v: struct.pack("<?", v))}
    number, pack = kinds[type(value[0])]
    return text(key) + struct.pack("<IIQ", 9, number, len(value)) + b"".join(map(pack, value))


def info(name, kind, sizes, offset):
    return text(name) + struct.pack(f"<I{len(sizes)}QIQ", len(sizes), *sizes, kind, offset)


def gguf(entries=(), infos=(), data=b"", version=3, tensors=None, count=None, alignment=32):
    head = b"GGUF" + struct.pack("<IQQ", version, len(infos) if tensors is None else tensors,
                                 len(entries) if count is None else count)
    head += b"".join(entries) + b"".join(infos)
    return head + bytes(-len(head) % alignment) + data


def gguf_model(architecture, settings, tensors, more=()):
    """All weights in F32 and alike; `tensors` gives the sizes as the file lists them."""
    entries = [entry("general.architecture", architecture)]
    entries += [entry(f"{architecture}.{key}", value) for key, value in settings.items()]
    infos, data = [], b""
    for name, sizes in tensors.items():
        infos.append(info(name, 0, sizes, len(data)))
        count = 1
        for size in sizes:
            count *= size
        data += struct.pack("<f", 0.25) * count
        data += bytes(-len(data) % 32)
    return gguf([*entries, *more], infos, data)


LLAMA = {"block_count": 1, "embedding_length": 8, "feed_forward_length": 6, "attention.head_count": 2,
         "attention.head_count_kv": 1, "context_length": 16, "attention.layer_norm_rms_epsilon": 1e-5}
LLAMA_TENSORS = {"token_embd.weight": [8, 5], "output_norm.weight": [8], "rope_freqs.weight": [2],
                 "blk.0.attn_norm.weight": [8], "blk.0.attn_q.weight": [8, 8], "blk.0.attn_k.weight": [8, 4],
                 "blk.0.attn_v.weight": [8, 4], "blk.0.attn_output.weight": [8, 8], "blk.0.ffn_norm.weight": [8],
                 "blk.0.ffn_up.weight": [8, 6], "blk.0.ffn_gate.weight": [8, 6], "blk.0.ffn_down.weight": [6, 8]}
EXPERT_TENSORS = {**{name: sizes for name, sizes in LLAMA_TENSORS.items() if "ffn_" not in name or "norm" in name},
                  "blk.0.ffn_gate_inp.weight": [8, 3], "blk.0.ffn_gate_exps.weight": [8, 6, 3],
                  "blk.0.ffn_up_exps.weight": [8, 6, 3], "blk.0.ffn_down_exps.weight": [6, 8, 3]}
T5_TENSORS = {"token_embd.weight": [8, 5], "enc.output_norm.weight": [8], "dec.output_norm.weight": [8],
              **{f"{side}.blk.0.{name}.weight": sizes for side in ("enc", "dec") for name, sizes in
                 {"attn_norm": [8], "attn_q": [8, 8], "attn_k": [8, 8], "attn_v": [8, 8], "attn_o": [8, 8], "attn_rel_b": [2, 8],
                  "ffn_norm": [8], "ffn_up": [8, 6], "ffn_down": [6, 8]}.items()},
              **{f"dec.blk.0.cross_attn_{name}.weight": [8] if name == "norm" else [8, 8]
                 for name in ("norm", "q", "k", "v", "o")}}
GPT2 = {"block_count": 1, "embedding_length": 4, "feed_forward_length": 6, "attention.head_count": 2, "context_length": 8,
        "attention.layer_norm_epsilon": 1e-5}
GPT2_TENSORS = {"token_embd.weight": [4, 5], "position_embd.weight": [4, 8], "output_norm.weight": [4],
                "output_norm.bias": [4], **{f"blk.0.{name}.{part}": [4] for name in ("attn_norm", "ffn_norm")
                                            for part in ("weight", "bias")},
                "blk.0.attn_qkv.weight": [4, 12], "blk.0.attn_qkv.bias": [12], "blk.0.attn_output.weight": [4, 4],
                "blk.0.attn_output.bias": [4], "blk.0.ffn_up.weight": [4, 6], "blk.0.ffn_up.bias": [6],
                "blk.0.ffn_down.weight": [6, 4], "blk.0.ffn_down.bias": [4]}


def make_gguf():
    huge = 2**64 - 1
    vocabulary = [entry("tokenizer.ggml.model", "gpt2"), entry("tokenizer.ggml.pre", "gpt-2"),
                  entry("tokenizer.ggml.tokens", ["a", "b", "ab", "<|end|>", "\u0120"]),
                  entry("tokenizer.ggml.token_type", [1, 1, 1, 3, 1]), entry("tokenizer.ggml.merges", ["a b"]),
                  entry("tokenizer.ggml.bos_token_id", 3)]
    pieces = [entry("tokenizer.ggml.model", "llama"), entry("tokenizer.ggml.tokens", ["<unk>", "\u2581", "a", "\u2581a"]),
              entry("tokenizer.ggml.scores", [0.0, -1.0, -2.0, -3.0]), entry("tokenizer.ggml.token_type", [2, 1, 1, 1]),
              entry("tokenizer.ggml.unknown_token_id", 0), entry("tokenizer.ggml.add_bos_token", True)]
    words = [entry("tokenizer.ggml.model", "bert"), entry("tokenizer.ggml.tokens", ["[UNK]", "\u2581a", "b", "[CLS]", "[SEP]"]),
             entry("tokenizer.ggml.cls_token_id", 3), entry("tokenizer.ggml.seperator_token_id", 4)]
    sizes = {8: (32, 34), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 12: (256, 144), 13: (256, 176),
             14: (256, 210), 10: (256, 84), 11: (256, 110), 20: (32, 18), 23: (256, 136), 39: (32, 17), 0: (1, 4), 1: (1, 2), 30: (1, 2), 24: (1, 1), 28: (1, 8)}
    types = [info(f"t{kind}", kind, [elements], 256 * i) for i, (kind, (elements, _)) in enumerate(sizes.items())]
    good = gguf_model("llama", LLAMA, LLAMA_TENSORS, pieces)
    files = {
        "llama": good,
        "gpt2": gguf_model("gpt2", GPT2, GPT2_TENSORS, vocabulary),
        "words": gguf(words),
        "empty": b"",
        "magic": b"GGUF",
        "no_entries": gguf(),
        "version_1": gguf(version=1),
        "big_endian": gguf(version=3 << 24),
        "tensors_huge": gguf(tensors=huge),
        "entries_huge": gguf(count=huge),
        "every_type": gguf([], types, bytes(range(256)) * len(sizes)),
        "every_value": gguf([entry(f"k{kind}", bytes(size), kind) for kind, size in enumerate([1, 1, 2, 2, 4, 4, 4, 1])] +
                            [entry("u64", bytes(8), 10), entry("i64", bytes(8), 11), entry("f64", bytes(8), 12)]),
        "type_13": gguf([entry("k", bytes(8), 13)]),
        "string_past_end": gguf([entry("k", struct.pack("<Q", huge), 8)]),
        "list_past_end": gguf([entry("k", struct.pack("<IQ", 4, huge // 4 + 2), 9)]),
        "list_of_strings_past_end": gguf([entry("k", struct.pack("<IQ", 8, 1 << 40), 9)]),
        "lists_deep": gguf([entry("k", struct.pack("<IQ", 9, 1) * 2000, 9)]),
        "list_of_lists": gguf([entry("k", struct.pack("<IQIQ", 9, 1, 4, 2) + bytes(8), 9)]),
        "lists_empty": gguf([entry("k", struct.pack("<IQ", 9, 50) + struct.pack("<IQ", 0, 0) * 50, 9)]),
        "key_twice": gguf([entry("k", 1), entry("k", 2)]),
        "key_empty": gguf([entry("", 1)]),
        "key_of_control_characters": gguf([entry("\n\x1b[2J" * 40, 1), entry("general.architecture", "\n\x1b")]),
        "alignment_0": gguf([entry("general.alignment", 0)]),
        "alignment_24": gguf([entry("general.alignment", 24)]),
        "alignment_huge": gguf([entry("general.alignment", 1 << 31)], [info("t", 0, [1], 0)], b"1234"),
        "alignment_text": gguf([entry("general.alignment", "32")]),
        "split": gguf([entry("split.count", 4)]),
        "dimensions_5": gguf([], [info("t", 0, [1] * 5, 0)], b"1234"),
        "dimension_huge": gguf([], [info("t", 0, [huge], 0)], b"1234"),
        "product_overflow": gguf([], [info("t", 0, [2**32, 2**32, 2], 0)], b"1234"),
        "product_behind_zero": gguf([], [info("t", 0, [2**62, 2**62, 0], 0)], b"1234"),
        "scalar": gguf([], [info("t", 0, [], 0)], b"1234"),
        "half_a_block": gguf([], [info("t", 8, [16, 2], 0)], bytes(34)),
        "type_iq": gguf([], [info("t", 16, [256], 0)], bytes(256)),
        "type_unknown": gguf([], [info("t", 2**31, [256], 0)], bytes(256)),
        "offset_huge": gguf([], [info("t", 0, [1], huge - 31)], b"1234"),
        "offset_unaligned": gguf([], [info("t", 0, [1], 4)], bytes(8)),
        "overlap": gguf([], [info("t", 0, [16], 0), info("u", 0, [1], 32)], bytes(64)),
        "name_twice": gguf([], [info("t", 0, [1], 0), info("t", 0, [1], 32)], bytes(64)),
        "cut": good[:len(good) // 2],
        "heads_0": gguf_model("llama", {**LLAMA, "attention.head_count": 0, "rope.dimension_count": 4}, LLAMA_TENSORS),
        "heads_uneven": gguf_model("llama", {**LLAMA, "attention.head_count": 3}, LLAMA_TENSORS),
        "layers_huge": gguf_model("llama", {**LLAMA, "block_count": 2**32 - 1}, LLAMA_TENSORS),
        "layers_1024": gguf_model("llama", {**LLAMA, "block_count": 1024}, LLAMA_TENSORS),
        "experts": gguf_model("llama", {**LLAMA, "expert_count": 8}, LLAMA_TENSORS),
        "experts_merged": gguf_model("llama", {**LLAMA, "expert_count": 3, "expert_used_count": 2}, EXPERT_TENSORS),
        "experts_past_end": gguf_model("llama", {**LLAMA, "expert_count": 4, "expert_used_count": 2}, EXPERT_TENSORS),
        "experts_huge": gguf_model("llama", {**LLAMA, "expert_count": 2**31, "expert_used_count": 2}, EXPERT_TENSORS),
        "experts_each_alone": gguf_model("llama", {**LLAMA, "expert_count": 2, "expert_used_count": 1}, {
            **{name: sizes for name, sizes in EXPERT_TENSORS.items() if "exps" not in name}, "blk.0.ffn_gate_inp.weight": [8, 2],
            **{f"blk.0.ffn_{part}.{i}.weight": [6, 8] if part == "down" else [8, 6]
               for part in ("gate", "up", "down") for i in range(2)}}),
        "experts_sigmoid": gguf_model("qwen3moe", {**LLAMA, "expert_count": 3, "expert_used_count": 2,
                                                   "expert_gating_func": 2}, EXPERT_TENSORS),
        "windows_short": gguf_model("exaone4", {**LLAMA, "attention.sliding_window": 3,
                                                "attention.sliding_window_pattern": [True, False, True]}, LLAMA_TENSORS),
        "phi3_factors": gguf_model("phi3", {**LLAMA, "rope.scaling.original_context_length": 8}, {
            "token_embd.weight": [8, 5], "output_norm.weight": [8], "rope_factors_short.weight": [2],
            "rope_factors_long.weight": [2], "blk.0.attn_norm.weight": [8], "blk.0.attn_qkv.weight": [8, 16],
            "blk.0.attn_output.weight": [8, 8], "blk.0.ffn_norm.weight": [8], "blk.0.ffn_up.weight": [8, 12],
            "blk.0.ffn_down.weight": [6, 8]}),
        "t5": gguf_model("t5", {"block_count": 1, "embedding_length": 8, "feed_forward_length": 6, "attention.head_count": 2,
                                "attention.key_length": 4, "attention.relative_buckets_count": 8, "decoder_block_count": 1,
                                "attention.layer_norm_rms_epsilon": 1e-6}, T5_TENSORS),
        "falcon_grouped": gguf_model("falcon", {**LLAMA, "attention.layer_norm_epsilon": 1e-5}, {
            "token_embd.weight": [8, 5], **{f"{name}.{part}": [8] for name in ("output_norm", "blk.0.attn_norm", "blk.0.attn_norm_2")
                                            for part in ("weight", "bias")},
            "blk.0.attn_qkv.weight": [8, 16], "blk.0.attn_output.weight": [8, 8], "blk.0.ffn_up.weight": [8, 6],
            "blk.0.ffn_down.weight": [6, 8]}),
        "split_past_count": gguf([entry("split.count", 2), entry("split.no", 9)]),
        "split_huge": gguf([entry("split.count", 2**32 - 1), entry("split.tensors.count", 2**32 - 1)]),
        "rotary_odd": gguf_model("llama", {**LLAMA, "attention.key_length": 3}, LLAMA_TENSORS),
        "unknown_architecture": gguf([entry("general.architecture", "mamba")]),
        "tokens_number": gguf([entry("tokenizer.ggml.model", "gpt2"), entry("tokenizer.ggml.tokens", 7)]),
        "tokens_missing": gguf([entry("tokenizer.ggml.model", "llama")]),
        "scores_short": gguf([*pieces[:2], entry("tokenizer.ggml.scores", [0.5])]),
        "ids_past_end": gguf([*pieces[:4], entry("tokenizer.ggml.unknown_token_id", 99)]),
        "merge_of_strangers": gguf([*vocabulary[:4], entry("tokenizer.ggml.merges", ["a zz", "b"])]),
        "pre_unknown": gguf([vocabulary[0], entry("tokenizer.ggml.pre", "riddle"), *vocabulary[2:]]),
    }
    for name, content in files.items():
        put("gguf", name, content)


def make_shards():
    files = {
        "good": {"metadata": {"total_size": 8}, "weight_map": {"a": "one.safetensors", "b": "two.safetensors"}},
        "no_metadata": {"weight_map": {"a": "one.safetensors"}},
        "no_map": {"metadata": {}},
        "map_list": {"weight_map": []},
        "map_empty": {"weight_map": {}},
        "shard_number": {"weight_map": {"a": 1}},
        "shard_empty": {"weight_map": {"a": ""}},
        "shard_root": {"weight_map": {"a": "/etc/passwd"}},
        "shard_below": {"weight_map": {"a": "x/one.safetensors"}},
        "shard_above": {"weight_map": {"a": "../one.safetensors"}},
        "shard_dots": {"weight_map": {"a": ".."}},
        "shard_backslash": {"weight_map": {"a": "..\\one"}},
        "shard_zero": {"weight_map": {"a": "one\0two"}},
        "name_of_control_characters": {"weight_map": {"\n\x1b[2J" * 40: 7}},
        "total_negative": {"metadata": {"total_size": -1}, "weight_map": {"a": "one"}},
        "total_huge": {"metadata": {"total_size": 2**64}, "weight_map": {"a": "one"}},
        "total_text": {"metadata": {"total_size": "8"}, "weight_map": {"a": "one"}},
    }
    for name, content in files.items():
        put("shards", name, json.dumps(content))
    put("shards", "name_twice", '{"weight_map":{"a":"one","a":"two"}}')
    put("shards", "deep", "[" * 3000)
    put("shards", "empty", b"")
    put("shards", "list", "[]")
    put("shards", "cut", '{"weight_map":{"a":"o')


def npy(dictionary, data=b"", version=1):
    text = dictionary.encode()
    length = struct.pack("<H" if version == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes([version, 0]) + length + text + data


def make_npy():
    four = struct.pack("<2f", 1.0, 2.0)
    plain = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n"
    files = {
        "good_v1": npy(plain, four),
        "good_v2": npy(plain, four, 2),
        "good_v3_half": npy(plain.replace("f4", "f2"), four[:4], 3),
        "single": npy(plain.replace("(2,)", "()"), four[:4]),
        "empty_array": npy(plain.replace("(2,)", "(3, 0)")),
        "empty": b"",
        "zip": b"PK\x03\x04",
        "cut_length": b"\x93NUMPY\x02\0\x01\0",
        "huge_header": b"\x93NUMPY\x02\0\xff\xff\xff\xff{}",
        "version_4": npy(plain, four, 4),
        "fortran": npy(plain.replace("False", "True"), four),
        "object": npy(plain.replace("<f4", "|O"), four),
        "named_fields": npy(plain.replace("'<f4'", "[('a', '<f4', (2,))]"), four),
        "open_fields": npy("{'descr': " + "[" * 500, four),
        "shape_overflow": npy(plain.replace("2,", "4294967296, 4294967296, 2"), four),
        "shape_negative": npy(plain.replace("2,", "-2,"), four),
        "shape_huge": npy(plain.replace("2,", "9" * 40), four),
        "code": npy("__import__('os')", four),
    }
    for name, content in files.items():
        put("npy", name, content)


def npz(files, method=zipfile.ZIP_STORED):
    """A zip without dates."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", method) as archive:
        for name, body in files.items():
            entry = zipfile.ZipInfo(name)
            entry.compress_type = method
            archive.writestr(entry, body)
    return content.getvalue()


def make_attention():
    def maps(shape, kind="<f4", cell=b"\0\0\0\x3f"):
        count = 1
        for size in shape:
            count *= size
        sizes = ", ".join(map(str, shape))
        return npy(f"{{'descr': '{kind}', 'fortran_order': False, 'shape': ({sizes},), }}", cell * count)

    def given(shape, metadata=None, name="attention", dtype="F32"):
        size = 4 if dtype == "F32" else 2
        for each in shape:
            size *= each
        body = (b"\0\0\0\x3f" * size)[:size]
        return safetensors({"__metadata__": metadata or {}, name: tensor(dtype, shape, 0, size)}, body)

    words = npy("{'descr': '<U3', 'fortran_order': False, 'shape': (2,), }", "the".encode("utf-32-le") + "ca\0".encode("utf-32-le"))
    triangle = struct.pack("<4f", 1.0, 0.0, 0.5, 0.5)
    diagonal = npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, 2, 2), }", triangle)
    good = {"attention.npy": diagonal, "tokens.npy": words}
    stored, deflated = npz(good), npz(good, zipfile.ZIP_DEFLATED)
    first, last = stored.index(b"PK\x01\x02"), stored.rindex(b"PK\x01\x02")
    twice = bytearray(stored)
    twice[last + 20:last + 28], twice[last + 42:last + 46] = stored[first + 20:first + 28], stored[first + 42:first + 46]
    files = {
        "good.safetensors": given([2, 2, 2, 2], {"tokens": '["a", "b"]', "token_ids": "[1, 2]", "layers": "0-1"}),
        "half": given([1, 2, 3, 3], dtype="F16"),
        "bfloat": given([1, 2, 3, 3], dtype="BF16"),
        "windows": given([1, 1, 2, 2], {"windows": "[1]", "causal": "true", "family": "gpt2"}),
        "layers_wrong": given([2, 1, 2, 2], {"layers": "7-3,x", "windows": "[[1]]", "tokens": "{}"}),
        "encoder": given([1, 1, 2, 2], {"tokens": "[1]"}, "encoder"),
        "cross": given([1, 1, 2, 3], None, "cross"),
        "list": npz({f"l{i}.npy": maps([2, 3, 3]) for i in range(3)}),
        "not_square": given([1, 1, 2, 3]),
        "no_cells": given([1, 0, 2, 2]),
        "one_cell": given([1, 1, 1, 1]),
        "flat": given([4]),
        "integers": npz({"attention.npy": maps([1, 1, 2, 2], "<i4")}),
        "nan": npz({"attention.npy": maps([1, 1, 2, 2], cell=b"\0\0\xc0\x7f")}),
        "double": npz({"attention.npy": maps([1, 1, 2, 2], "<f8", bytes(6) + b"\xe0\x3f")}),
        "good.npy": diagonal,
        "good.npz": stored,
        "deflated.npz": deflated,
        "bomb": npz({"attention.npy": maps([1, 1, 3000, 3000], "<f4", bytes(4))}, zipfile.ZIP_DEFLATED),
        "cut": stored[:-30],
        "end_only": b"PK\x05\x06" + bytes(18),
        "twice": bytes(twice),
        "far_directory": stored[:-6] + b"\xff\xff\xff\x7f\0\0",
        "objects": npz({"attention.npy": maps([1, 1, 2, 2], "|O")}),
        "text_of_nothing": npz({"attention.npy": diagonal, "tokens.npy": npy(
            "{'descr': '<U0', 'fortran_order': False, 'shape': (99999999999,), }")}),
    }
    for name, content in files.items():
        put("attention", name, content)


def make_session():
    flag = {"layer": 5, "head": 1, "role": "induction", "colour": "#56B4E9", "note": "n"}
    good = {"headscope_session": 1, "model_path": "/m", "model_name": "m", "model_fingerprint": "0f", "text": "é\n",
            "pair": "", "selected_layer": 5, "selected_head": 1, "flags": [flag]}
    files = {
        "good": json.dumps(good),
        "least": '{"headscope_session":1}',
        "unknown_keys": json.dumps({**good, "zoom": {"x": [1, 2.5, None, -0.0, 1e300]}, "flags": [{**flag, "by": "A"}]}),
        "unknown_key_twice": '{"headscope_session":1,"a":{"b":1,"b":2},"a":3}',
        "known_key_twice": '{"headscope_session":1,"text":"a","text":"b"}',
        "flags_twice": json.dumps({**good, "flags": [flag, flag]}),
        "newer": '{"headscope_session":2,"text":[]}',
        "version_text": '{"headscope_session":"1"}',
        "other_json": '{"model_type":"gpt2"}',
        "cut": json.dumps(good)[:60],
        "list": "[]",
        "index_huge": json.dumps({**good, "selected_layer": 2**63 - 1}),
        "colour_wrong": json.dumps({**good, "flags": [{**flag, "colour": "red"}]}),
        "deep": '{"headscope_session":1,"x":' + "[" * 1000 + "]" * 1000 + "}",
        "too_deep": '{"headscope_session":1,"x":' + "[" * 2000 + "]" * 2000 + "}",
        "patching": json.dumps({**good, "view": {"screen": "compare", "compares": True, "patching": {
            "shown": True, "heads": "keys", "direction": "noise", "right": " x", "to": ["L1H2", "?"], "row": 3}}}),
        "patching_wrong": json.dumps({**good, "view": {"patching": {"heads": 3, "direction": [], "to": {"a": 1}}}}),
        "empty": "",
    }
    for name, content in files.items():
        put("session", name, content)


def make_config():
    gpt2 = {"model_type": "gpt2", "n_layer": 2, "n_head": 4, "n_embd": 32, "n_positions": 64, "vocab_size": 100,
            "layer_norm_epsilon": 1e-5, "activation_function": "gelu_new"}
    llama = {"model_type": "llama", "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
             "hidden_size": 32, "intermediate_size": 64, "max_position_embeddings": 64, "vocab_size": 100,
             "rms_norm_eps": 1e-5, "hidden_act": "silu", "rope_theta": 10000.0}
    hooked = {"n_layers": 2, "n_heads": 4, "d_model": 32, "d_head": 8, "d_mlp": 16, "n_ctx": 64, "d_vocab": 100, "act_fn": "gelu"}
    nano = {"model_type": "nanogpt", "n_layer": 2, "n_head": 4, "n_embd": 32, "block_size": 64, "vocab_size": 100}
    files = {
        "gpt2": gpt2,
        "gpt2_settings": {**gpt2, "n_inner": 7, "scale_attn_weights": False, "scale_attn_by_inverse_layer_idx": True,
                          "activation_function": "relu", "tie_word_embeddings": False},
        "gpt2_layers_huge": {**gpt2, "n_layer": 2**62},
        "gpt2_layers_many": {**gpt2, "n_layer": 1024},
        "gpt2_layers_text": {**gpt2, "n_layer": "twelve"},
        "gpt2_layers_zero": {**gpt2, "n_layer": 0},
        "gpt2_heads_odd": {**gpt2, "n_head": 5},
        "gpt2_width_huge": {**gpt2, "n_embd": 2**31},
        "gpt2_positions_negative": {**gpt2, "n_positions": -1},
        "gpt2_inner_huge": {**gpt2, "n_inner": 2**63 - 1},
        "gpt2_epsilon_huge": {**gpt2, "layer_norm_epsilon": 1e308},
        "gpt2_activation_unknown": {**gpt2, "activation_function": "\n\x1b[2J" * 50},
        "gpt2_empty": {"model_type": "gpt2"},
        "llama": llama,
        "llama_head_dim": {**llama, "head_dim": 16, "attention_bias": True, "mlp_bias": True},
        "llama_kv_uneven": {**llama, "num_key_value_heads": 3},
        "llama_kv_zero": {**llama, "num_key_value_heads": 0},
        "llama_head_dim_odd": {**llama, "head_dim": 7},
        "llama_head_dim_huge": {**llama, "head_dim": 2**40},
        "llama_theta_zero": {**llama, "rope_theta": 0},
        "llama_rope_scaling": {**llama, "rope_scaling": {"rope_type": "llama3", "factor": 8.0}},
        "llama_rope_scaling_list": {**llama, "rope_scaling": []},
        "llama_rope_parameters": {**llama, "rope_parameters": {"rope_type": "default", "rope_theta": 500.0}},
        "llama_window": {**llama, "sliding_window": 16},
        "llama_empty": {"model_type": "llama"},
        "llama_rope_linear": {**llama, "rope_scaling": {"type": "linear", "factor": 4}},
        "llama_rope_dynamic": {**llama, "rope_scaling": {"type": "dynamic", "factor": 1e5}},
        "llama_rope_yarn": {**llama, "rope_parameters": {"rope_type": "yarn", "factor": 4.0, "mscale": 1, "beta_fast": 0.001}},
        "llama_rope_longrope": {**llama, "rope_scaling": {"type": "longrope", "short_factor": [1, 2], "long_factor": []}},
        "mistral": {**llama, "model_type": "mistral", "sliding_window": None},
        "qwen2": {**llama, "model_type": "qwen2", "use_sliding_window": True, "sliding_window": 8, "max_window_layers": 0},
        "qwen3": {**llama, "model_type": "qwen3", "layer_types": ["full_attention", "sliding_attention", 3]},
        "smollm3": {**llama, "model_type": "smollm3", "no_rope_layers": [1]},
        "gemma": {**llama, "model_type": "gemma", "hidden_act": "gelu"},
        "gemma2": {**llama, "model_type": "gemma2", "attn_logit_softcapping": 1e-30, "query_pre_attn_scalar": 1e-3},
        "gpt_neox": {**llama, "model_type": "gpt_neox", "rotary_pct": 0.01, "num_attention_heads": 4096, "hidden_size": 4096,
                     "num_hidden_layers": 1024},
        "phi": {**llama, "model_type": "phi", "qk_layernorm": True, "partial_rotary_factor": 1e-9},
        "opt": {**llama, "model_type": "opt", "ffn_dim": 8, "word_embed_proj_dim": 3, "do_layer_norm_before": False},
        "hooked": hooked,
        "hooked_toy": {**hooked, "attn_only": True, "act_fn": None, "normalization_type": None, "shortformer_pos": True},
        "hooked_all": {**hooked, "act_fn": "solu_ln", "positional_embedding_type": "rotary", "rotary_dim": 3, "final_rms": True,
                       "n_key_value_heads": 2, "use_local_attn": True, "window_size": 1, "attn_types": ["local", 3]},
        "hooked_heads_many": {**hooked, "n_heads": 4096, "n_layers": 1024},
        "hooked_scale_tiny": {**hooked, "attn_scale": 1e-320, "d_head": 131072},
        "nano": {**nano, "bias": False},
        "nano_huge": {**nano, "block_size": 2**60},
        "unknown_family": {"model_type": "mamba"},
        "no_family": {"n_layer": 2},
        "family_number": {"model_type": 7},
    }
    for name, content in files.items():
        put("config", name, json.dumps(content))
    put("config", "empty", "")
    put("config", "list", "[1]")
    put("config", "cut", json.dumps(gpt2)[:50])
    put("config", "not_a_number", '{"model_type":"gpt2","layer_norm_epsilon":NaN}')
    put("config", "python_numbers", "\ufeff" + json.dumps({**gpt2, "a": float("nan"), "b": [-float("inf"), 10**40], "c": "\ud83d"})
        .replace("10000", "1e400,10000"))
    put("config", "python_numbers_cut", '{"a": NaN, "b": "\\ud8')
    put("config", "deep", '{"model_type":' + "[" * 2000)
    put("config", "layers_twice", '{"model_type":"gpt2","n_layer":1,"n_layer":2,"n_head":1,"n_embd":2,"n_positions":4,'
                                  '"vocab_size":8}')


def make_characters():
    letters = "\n abcdeTor,é"
    meta = {"vocab_size": len(letters), "itos": dict(enumerate(letters)), "stoi": {letter: i for i, letter in enumerate(letters)}}
    for protocol in (2, 4, 5):
        put("characters", f"meta_{protocol}", pickle.dumps(meta, protocol=protocol))
    put("characters", "cut", pickle.dumps(meta)[:60])
    put("characters", "system", b"cos\nsystem\n(S'true'\ntR.")
    put("characters", "itself", b"\x80\x04}\x94\x8c\x04stoih\x00s.")
    put("characters", "twice", pickle.dumps({"stoi": {"a": 1, "ab": 1, "": 2}}))
    put("characters", "negative", pickle.dumps({"stoi": {"a": -1}}))
    put("characters", "huge", pickle.dumps({"stoi": {"a": 2**62}}))
    put("characters", "list", pickle.dumps([("stoi", {"a": 1})]))
    put("characters", "empty", b"")


def tokenizer(model, **parts):
    return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "normalizer": None,
            "pre_tokenizer": None, "post_processor": None, "decoder": None, "model": model, **parts}


def added(number, content, **settings):
    return {"id": number, "content": content, "single_word": False, "lstrip": False, "rstrip": False,
            "normalized": False, "special": True, **settings}


def template(token, number):
    return {"type": "TemplateProcessing",
            "single": [{"SpecialToken": {"id": token, "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
            "pair": [{"SpecialToken": {"id": token, "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
                     {"Sequence": {"id": "B", "type_id": 1}}],
            "special_tokens": {token: {"id": token, "ids": [number], "tokens": [token]}}}


def double_array(rules):
    """SentencePiece's table of replacements: a trie as a double array, then the texts, each ended by a zero byte."""
    texts, places = b"", {}
    for source, target in rules.items():
        places[source] = len(texts)
        texts += target + b"\0"
    units, used = {}, {0}

    def place(prefix, node):
        """Puts the children of the node that `prefix` leads to; gives the offset of its unit."""
        children = sorted({source[len(prefix)] for source in places
                           if len(source) > len(prefix) and source.startswith(prefix)})
        labels = ([0] if prefix in places else []) + children
        offset = 1
        while any(((node ^ offset) ^ label) in used for label in labels):
            offset += 1
        base = node ^ offset
        used.update(base ^ label for label in labels)
        if prefix in places:
            units[base] = 0x80000000 | places[prefix]
        for child in children:
            position = base ^ child
            source = prefix + bytes([child])
            below, has_leaf = place(source, position)
            units[position] = below << 10 | (256 if has_leaf else 0) | child
        return offset, prefix in places

    offset, _ = place(b"", 0)
    units[0] = offset << 10
    count = max(units) + 256
    trie = b"".join(struct.pack("<I", units.get(i, 0)) for i in range(count))
    return struct.pack("<I", len(trie)) + trie + texts


RULES = {"A".encode(): b"a", "AB".encode(): b"x", "é".encode(): b"e", "e\u0301".encode(): b"e", "\u3000".encode(): b" ",
         "\u200b".encode(): b""}


def make_tokenizer_kinds(words, bpe):
    """A file per kind of normalizer, pre-tokenizer, model and post-processor, the text after its last zero byte."""
    text = "\0The cats'  sat\u3000on Äé e\u0301 AB中文カナ 12½\t\u200bмат \r\n x".encode()
    table = double_array(RULES)
    string, regex = {"String": "a"}, {"Regex": "[aeiou]+"}
    normalizer = {
        "bert": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "strip_accents": None,
                 "lowercase": True},
        "strip": {"type": "Strip", "strip_left": True, "strip_right": True},
        "strip_accents": {"type": "StripAccents"}, "nmt": {"type": "Nmt"}, "byte_level": {"type": "ByteLevel"},
        "lowercase": {"type": "Lowercase"}, "prepend": {"type": "Prepend", "prepend": "▁"},
        "replace": {"type": "Replace", "pattern": string, "content": "oo"},
        "replace_regex": {"type": "Replace", "pattern": regex, "content": ""},
        "precompiled": {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(table).decode()},
        "precompiled_cut": {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(table[:-9][:40]).decode()},
        "precompiled_wild": {"type": "Precompiled",
                             "precompiled_charsmap": base64.b64encode(struct.pack("<I", 64) + b"\xff\x01" * 40).decode()},
        "precompiled_no_base64": {"type": "Precompiled", "precompiled_charsmap": "%%%"},
    }
    normalizer.update({form.lower(): {"type": form} for form in ("NFC", "NFD", "NFKC", "NFKD")})
    pre_tokenizer = {
        "bert": {"type": "BertPreTokenizer"}, "whitespace": {"type": "Whitespace"},
        "whitespace_split": {"type": "WhitespaceSplit"}, "scripts": {"type": "UnicodeScripts"},
        "delimiter": {"type": "CharDelimiterSplit", "delimiter": "a"},
        "fixed_length": {"type": "FixedLength", "length": 2},
        "fixed_length_zero": {"type": "FixedLength", "length": 0},
        "punctuation": {"type": "Punctuation", "behavior": "Contiguous"},
        "digits": {"type": "Digits", "individual_digits": True},
        "byte_level": {"type": "ByteLevel", "add_prefix_space": True, "use_regex": False},
    }
    for behavior in ("Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"):
        for invert in (False, True):
            pre_tokenizer[f"split_{behavior.lower()}_{'inverted' if invert else 'plain'}"] = {
                "type": "Split", "pattern": regex, "behavior": behavior, "invert": invert}
    patterns = {"classes": r"[^a[bc\W]&&[^\S\h]][[:^alpha:]\p{^Han}]", "repeats": r"(?:t|(?m:.)){1,2}+\w{,3}?\b{2}+a{",
                "escapes": r"\u00e9\v\Q\p{old italic}[\p{Graph}\b^-]", "class_open": "[a[b&&[^", "classes_deep": "[a" * 300}
    for name, pattern in patterns.items():
        pre_tokenizer[f"pattern_{name}"] = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated",
                                            "invert": False}
    for scheme in ("always", "first", "never"):
        pre_tokenizer[f"metaspace_{scheme}"] = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": scheme,
                                                "split": scheme != "never"}
    pairs = [[piece, -1.0 - i / 7] for i, piece in enumerate("▁theca smon▁")][:11]
    pairs = [["<unk>", 0.0]] + pairs + [["▁the", -2.5], ["at", -2.0]]
    vocab = {piece: i for i, piece in enumerate(["[UNK]", "[CLS]", "[SEP]", "the", "cat", "##s", "c", "##a", "##t", "."])}
    piece = {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100,
             "vocab": vocab}
    unigram = {"type": "Unigram", "unk_id": 0, "vocab": pairs, "byte_fallback": False}
    letters = {letter: i for i, letter in enumerate("theca smoniĠ▁")}
    model = {
        "unigram": unigram, "unigram_no_unknown": {**unigram, "unk_id": None},
        "unigram_unknown_past_end": {**unigram, "unk_id": 99},
        "unigram_bytes": {**unigram, "vocab": pairs + [[f"<0x{b:02X}>", -9.0] for b in range(256)], "byte_fallback": True},
        "unigram_scores": {**unigram, "vocab": pairs + [["x", 1e308], ["xx", -1e308], ["xxx", 0.1]]},
        "unigram_pair_of_three": {**unigram, "vocab": [["a", -1.0, 2]]},
        "unigram_twice": {**unigram, "vocab": [["a", -1.0], ["a", -2.0]]},
        "unigram_empty": {**unigram, "vocab": []},
        "word_piece": piece, "word_piece_short_words": {**piece, "max_input_chars_per_word": 2},
        "word_piece_no_unknown": {**piece, "unk_token": "nowhere"},
        "word_piece_no_prefix": {**piece, "continuing_subword_prefix": ""},
        "word_piece_long_piece": {**piece, "vocab": {**vocab, "a" * 2000: 20}},
        "bpe_suffix": {**bpe, "vocab": {**letters, "e</w>": 30, "he</w>": 31}, "merges": ["h e</w>"],
                       "end_of_word_suffix": "</w>"},
        "bpe_prefix": {**bpe, "vocab": {**letters, "@@h": 30, "@@e": 31, "th": 32}, "merges": ["t @@h"],
                       "continuing_subword_prefix": "@@"},
        "bpe_ignore_merges": {**bpe, "ignore_merges": True}, "bpe_dropout": {**bpe, "dropout": 0.5},
    }
    post_processor = {
        "bert": {"type": "BertProcessing", "sep": ["[SEP]", 2], "cls": ["[CLS]", 1]},
        "bert_no_id": {"type": "BertProcessing", "sep": ["[SEP]"], "cls": ["[CLS]", 1]},
        "roberta": {"type": "RobertaProcessing", "sep": ["[SEP]", 2], "cls": ["[CLS]", 1], "trim_offsets": True,
                    "add_prefix_space": True},
        "sequence": {"type": "Sequence", "processors": [{"type": "ByteLevel"}, template("[CLS]", 1)]},
    }
    for name, part in normalizer.items():
        put("tokenizer", f"normalizer_{name}", kind_file(unigram, text, normalizer=part))
    for name, part in pre_tokenizer.items():
        put("tokenizer", f"pre_tokenizer_{name}", kind_file(unigram, text, pre_tokenizer=part))
    for name, part in model.items():
        put("tokenizer", f"model_{name}", kind_file(part, text, pre_tokenizer={"type": "WhitespaceSplit"}))
    for name, part in post_processor.items():
        put("tokenizer", f"post_processor_{name}", kind_file(piece, text, post_processor=part))


def kind_file(model, text, **parts):
    return json.dumps(tokenizer(model, **parts), ensure_ascii=False).encode() + text


def varint(value):
    result = b""
    while value > 127:
        result += bytes([value & 127 | 128])
        value >>= 7
    return result + bytes([value])


def proto(*fields):
    """(number, value) pairs: whole numbers, floats, texts and messages."""
    result = b""
    for number, value in fields:
        if isinstance(value, int):
            result += varint(number << 3) + varint(value)
        elif isinstance(value, float):
            result += varint(number << 3 | 5) + struct.pack("<f", value)
        else:
            value = value.encode() if isinstance(value, str) else value
            result += varint(number << 3 | 2) + varint(len(value)) + value
    return result


def make_tokenizer_model():
    def pieces(*more):
        plain = [("<unk>", 0.0, 2), ("<s>", 0.0, 3), ("</s>", 0.0, 3), ("▁", -2.0, 1), ("t", -2.5, 1), ("h", -2.25, 1),
                 ("e", -3.0, 1), ("he", -1.5, 1), ("the", -1.0, 1), ("▁the", -0.5, 1), ("on", -4.0, 1), *more]
        return b"".join(proto((1, proto((1, text), (2, score), (3, kind)))) for text, score, kind in plain)

    def model(kind, more=(), trainer=(), normalizer=()):
        return pieces(*more) + proto((2, proto((3, kind), *trainer))) + proto((3, proto(*normalizer)))

    byte_pieces = [(f"<0x{b:02X}>", 0.0, 6) for b in range(256)]
    table = double_array(RULES)
    files = {
        "unigram": model(1), "bpe": model(2), "word": model(3), "character": model(4), "kind_huge": model(2**63),
        "unigram_bytes": model(1, byte_pieces, [(35, 1)]), "bpe_bytes": model(2, byte_pieces, [(35, 1)]),
        "unigram_user": model(1, [("cat", 0.0, 4), (" the", 0.0, 4)]), "bpe_user": model(2, [("cat", 0.0, 4), ("▁", 0.0, 4)][:1]),
        "bpe_unused": model(2, [("th", -0.1, 5), ("hee", -0.2, 5)]), "unigram_unused": model(1, [("th", -0.1, 5)]),
        "suffix": model(1, trainer=[(24, 1)]), "charsmap": model(1, normalizer=[(2, table)]),
        "charsmap_bpe": model(2, normalizer=[(2, table), (3, 0), (4, 0), (5, 0)]),
        "charsmap_cut": model(1, normalizer=[(2, table[:30])]), "charsmap_short": model(1, normalizer=[(2, b"\x04")]),
        "charsmap_wild": model(1, normalizer=[(2, struct.pack("<I", 64) + b"\xff\x01" * 40)]),
        "charsmap_no_utf8": model(1, normalizer=[(2, table + b"\xff")]),
        "score_nan": model(1, [("x", float("nan"), 1)]), "score_infinite": model(2, [("x", float("inf"), 1)]),
        "piece_empty": model(1, [("", 0.0, 1)]), "piece_twice": model(1, [("the", 0.0, 1)]),
        "piece_no_utf8": model(1, [(b"\xff", 0.0, 1)]), "piece_long": model(1, [("a" * 3000, 0.0, 1)]),
        "piece_type_9": model(1, [("x", 0.0, 9)]), "unknown_twice": model(1, [("x", 0.0, 2)]),
        "unknown_missing": proto((1, proto((1, "a"), (2, -1.0)))), "no_pieces": proto((2, proto((3, 1)))),
        "cut": model(1)[:50], "length_huge": b"\x0a\xff\xff\xff\xff\x0f", "varint_endless": b"\xff" * 20,
        "group": b"\x0b\x0c", "field_zero": b"\x00\x00", "json": b"{}", "empty": b"",
        "git_lfs": b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n",
    }
    for name, content in files.items():
        put("tokenizer_model", name, content)


def make_tokenizer():
    letters = {letter: i for i, letter in enumerate("theca smoniĠ▁")}
    merged = {**letters, "th": 20, "the": 21, "at": 22}
    bpe = {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None,
           "end_of_word_suffix": None, "fuse_unk": False, "byte_fallback": False, "vocab": merged,
           "merges": ["t h", "th e", "a t"]}
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    fallback = {**bpe, "vocab": {**merged, **{f"<0x{b:02X}>": 100 + b for b in range(256)}, "<unk>": 400},
                "unk_token": "<unk>", "byte_fallback": True, "fuse_unk": True}
    metaspace = {"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "▁"},
                                                     {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}]}
    words = {"type": "WordLevel", "vocab": {"<bos>": 0, "[UNK]": 1, "the": 2, "cat": 3}, "unk_token": "[UNK]"}
    split = {"type": "Split", "pattern": {"Regex": "\\p{L}+|\\s+"}, "behavior": "Isolated", "invert": False}
    files = {
        "byte_level": tokenizer(bpe, pre_tokenizer=byte_level, decoder=byte_level),
        "byte_level_pairs": tokenizer({**bpe, "merges": [["t", "h"], ["th", "e"]]}, pre_tokenizer=byte_level),
        "byte_fallback": tokenizer(fallback, normalizer=metaspace, post_processor=template("<unk>", 400)),
        "metaspace": tokenizer(fallback, pre_tokenizer={"type": "Metaspace", "replacement": "▁",
                                                        "prepend_scheme": "always", "split": True}),
        "word_level": tokenizer(words, normalizer={"type": "Lowercase"}, pre_tokenizer={"type": "Whitespace"},
                                added_tokens=[added(0, "<bos>"), added(1, "[UNK]")],
                                post_processor=template("<bos>", 0)),
        "split": tokenizer(bpe, pre_tokenizer={"type": "Sequence", "pretokenizers": [split, byte_level]}),
        "added_inside": tokenizer(words, added_tokens=[added(7, " "), added(8, "é", lstrip=True, rstrip=True)]),
        "added_empty": tokenizer(words, added_tokens=[added(7, "")]),
        "added_negative": tokenizer(words, added_tokens=[added(-1, "x")]),
        "id_huge": tokenizer({**words, "vocab": {"the": 2**40}}),
        "id_gap": tokenizer({**words, "vocab": {"[UNK]": 0, "the": 2**31 - 1}}),
        "id_negative": tokenizer({**words, "vocab": {"the": -5}}),
        "id_twice": tokenizer({**words, "vocab": {"[UNK]": 0, "the": 1, "cat": 1}}),
        "vocab_list": tokenizer({**words, "vocab": []}),
        "vocab_empty": tokenizer({**words, "vocab": {}}),
        "unknown_missing": tokenizer({**words, "unk_token": "absent"}),
        "merge_of_strangers": tokenizer({**bpe, "merges": ["x y"]}, pre_tokenizer=byte_level),
        "merge_without_space": tokenizer({**bpe, "merges": ["th"]}, pre_tokenizer=byte_level),
        "merge_number": tokenizer({**bpe, "merges": [7]}, pre_tokenizer=byte_level),
        "pattern_broken": tokenizer(bpe, pre_tokenizer={**split, "pattern": {"Regex": "(["}}),
        "pattern_slow": tokenizer(bpe, pre_tokenizer={**split, "pattern": {"Regex": "(\\w+\\s?)+$"}}),
        "pattern_recursive": tokenizer(bpe, pre_tokenizer={**split, "pattern": {"Regex": "(?R)*"}}),
        "pattern_calls": tokenizer(bpe, pre_tokenizer={**split, "pattern": {"Regex": "".join(
            f"(?<a{i}>\\g<a{i + 1}>\\g<a{i + 1}>)" for i in range(60)) + "(?<a60>x)"}}),
        "pattern_behind": tokenizer(bpe, pre_tokenizer={**split, "pattern": {"Regex": "(?<=a*|(?<!\\w+)b)(?~at|s)(?>.*)\\X"}}),
        "pattern_empty": tokenizer(bpe, pre_tokenizer={**split, "pattern": {"Regex": ""}}),
        "pattern_long": tokenizer(bpe, pre_tokenizer={**split, "pattern": {"Regex": "(" * 300 + ")" * 300}}),
        "template_unknown": tokenizer(words, post_processor={**template("<bos>", 0), "special_tokens": {}}),
        "template_ids_huge": tokenizer(words, post_processor=template("<bos>", 2**40)),
        "sequence_empty": tokenizer(bpe, pre_tokenizer={"type": "Sequence", "pretokenizers": []}),
        "unknown_parts": tokenizer({"type": "Bigram"}, normalizer={"type": "Nothing"}),
        "unigram": tokenizer({"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0], ["a", -1.5]]}),
        "model_null": tokenizer(None),
    }
    nested = {"type": "Lowercase"}
    for _ in range(200):
        nested = {"type": "Sequence", "normalizers": [nested]}
    files["normalizer_nested"] = tokenizer(words, normalizer=nested)
    for name, content in files.items():
        put("tokenizer", name, json.dumps(content, ensure_ascii=False))
    grown = tokenizer(words, normalizer={"type": "Sequence", "normalizers": [
        {"type": "Replace", "pattern": {"String": "a"}, "content": "a" * 100}] * 5})
    put("tokenizer", "normalizer_grows", json.dumps(grown) + "\0" + "a" * 100)
    make_tokenizer_kinds(words, bpe)
    fine = json.dumps(files["byte_level"], ensure_ascii=False).encode()
    put("tokenizer", "text_not_utf8", fine + b"\0the \xff\xc3 cat")
    put("tokenizer", "text_long_word", fine + b"\0" + b"the" * 2000)
    put("tokenizer", "text_control", fine + "\0\u202ethe\u0000cat\u200d\U0001f469\u200d\U0001f52c".encode())
    put("tokenizer", "empty", "")
    put("tokenizer", "list", "[]")
    put("tokenizer", "cut", fine[:100])
    put("tokenizer", "deep", "[" * 3000)


if __name__ == "__main__":
    make_safetensors()
    make_gguf()
    make_shards()
    make_npy()
    make_attention()
    make_session()
    make_config()
    make_characters()
    make_tokenizer()
    make_tokenizer_model()
