"""Writes the probe model: a GPT-2-layout model whose heads are known by construction. Nothing is trained.

    python3 -m venv venv && venv/bin/pip install numpy==2.4.6 safetensors==0.8.0
    venv/bin/python assets/models/make_probe.py

probe/README.md says which head does what, and why these weights do it. probe_words.txt holds the vocabulary.
measure_probe.py runs the model in transformers and holds every head to its promise.
"""

import json
import math
import pathlib

import numpy as np
from safetensors.numpy import save_file

HERE = pathlib.Path(__file__).parent
FOLDER = HERE / "probe"

LAYERS, HEADS, MODEL_DIM, HEAD_DIM = 2, 4, 192, 48
POSITIONS, INNER_DIM, EPSILON = 128, 8, 1e-5
BOS, UNK = "<bos>", "[UNK]"

# Words: chirps in 11 complex dimensions. Two different ones have a dot product of at most 1 / sqrt(11) = 0.30.
CHIRP = 11
WORD_DIM = 2 * CHIRP
# Positions: waves whose frequencies are a perfect difference set of 133 (every difference occurs exactly once), so that
# two different positions have a dot product of at most sqrt(11) / 12 = 0.28.
CYCLE = 133
FREQUENCIES = (0, 1, 3, 12, 20, 34, 38, 81, 88, 94, 104, 109)
POSITION_DIM = 2 * len(FREQUENCIES)

# What every head is for. `metric`: previous_token, duplicate_token, first_token, induction and self are as docs/reference.md has them;
# two_back is A[q][q-2]; same_class is the mass on words of the row's own class, itself included; uniform is 1 less the
# largest distance from an even spread.
ROLES = {
    "L0H0": ("positional", "previous_token", 0.95, "looks at the previous token"),
    "L0H1": ("duplicate", "duplicate_token", 0.9, "looks at earlier copies of the same word, else rests on the first token"),
    "L0H2": ("separator", "first_token", 0.95, "rests on the first token"),
    "L0H3": ("broad", "uniform", 0.99999, "spreads evenly over all visible tokens"),
    "L1H0": ("induction", "induction", 0.9, "after [A][B] ... [A] looks at [B], else rests on the first token"),
    "L1H1": ("positional", "self", 0.95, "looks at the token itself"),
    "L1H2": ("positional", "two_back", 0.95, "looks two tokens back"),
    "L1H3": ("syntactic", "same_class", 0.95, "spreads over the words so far that are of the same class, itself included"),
}

TRACE_GAIN = 0.5    # what a head writes into its own corner, which nothing reads
PREDICT_GAIN = 6.0  # what the induction head adds to the word it predicts


def read_words():
    """[(class, [words])] in file order."""
    classes = []
    for line in (HERE / "probe_words.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            name, words = line.split(":", 1)
            classes.append((name, words.split()))
    return classes


def real(complex_rows):
    """Complex [n, k] as real [n, 2k]; dot products become the real parts."""
    return np.stack([complex_rows.real, complex_rows.imag], axis=-1).reshape(len(complex_rows), -1)


def word_codes(count):
    assert count <= 4 * CHIRP**2, "more words than codes"
    k = np.arange(CHIRP)
    codes = []
    for n in range(count):
        turn, rest = divmod(n, CHIRP**2)
        bend, slope = divmod(rest, CHIRP)
        codes.append(1j**turn * np.exp(2j * math.pi * ((bend * k * k + slope * k) % CHIRP) / CHIRP) / math.sqrt(CHIRP))
    return real(np.array(codes))


def position_codes(positions):
    angle = 2j * math.pi * np.outer(np.asarray(positions), FREQUENCIES) / CYCLE
    return real(np.exp(angle) / math.sqrt(len(FREQUENCIES)))


def step_back(steps):
    """The matrix that takes the code of position t to the code of t - steps, for every t."""
    matrix = np.zeros((POSITION_DIM, POSITION_DIM))
    for m, frequency in enumerate(FREQUENCIES):
        angle = -2 * math.pi * frequency * steps / CYCLE
        turn = [[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]]
        matrix[2 * m : 2 * m + 2, 2 * m : 2 * m + 2] = turn
    return matrix


def class_codes(count):
    """Corners of a regular simplex: unit length, dot product -1 / (count - 1)."""
    k = np.arange(1, count)
    helmert = np.tril(np.ones((count, count)), -1)[1:] - np.diag(np.arange(count, dtype=float))[1:]
    return (helmert / np.sqrt(k * (k + 1.0))[:, None]).T * math.sqrt(count / (count - 1.0))


class Stream:
    """Where things stand in the residual stream: each named part owns directions that no other part touches.

    Directions are cosines (DCT-II) without the constant one, so that every state has mean zero and a layer norm only
    divides by a number."""

    def __init__(self, parts):
        i = np.arange(MODEL_DIM) + 0.5
        self.basis = math.sqrt(2 / MODEL_DIM) * np.cos(math.pi * np.outer(np.arange(1, MODEL_DIM), i) / MODEL_DIM)
        self.place = {}
        start = 0
        for name, width in parts:
            self.place[name] = slice(start, start + width)
            start += width
        assert start <= MODEL_DIM - 1, "the parts do not fit"

    def __getitem__(self, name):
        """Orthonormal rows [width, d]."""
        return self.basis[self.place[name]]


class Head:
    """Query and key of one head, row by row: a row is one of the 48 numbers that q and k multiply."""

    def __init__(self):
        self.query, self.bias, self.key = [], [], []

    def match(self, score, query, key, constant=None):
        """Adds score x (query . x_q + constant) . (key . x_k); query and key are [rows, d]."""
        rows = len(key)
        root = math.sqrt(abs(score) * math.sqrt(HEAD_DIM))  # the model divides by sqrt(48)
        self.query += list(root * (query if query is not None else np.zeros((rows, MODEL_DIM))))
        self.bias += list(root * (constant if constant is not None else np.zeros(rows)))
        self.key += list(math.copysign(root, score) * key)
        return self

    def columns(self, scale):
        """[d, 48] twice and [48]; scale is what the layer norm multiplies a state by."""
        assert len(self.key) <= HEAD_DIM, f"{len(self.key)} rows"
        query, key = np.zeros((HEAD_DIM, MODEL_DIM)), np.zeros((HEAD_DIM, MODEL_DIM))
        bias = np.zeros(HEAD_DIM)
        if self.key:
            query[: len(self.query)], key[: len(self.key)] = self.query, self.key
            bias[: len(self.bias)] = self.bias
        return query.T / scale, key.T / scale, bias


def build():
    classes = read_words()
    vocabulary = [BOS, UNK] + [word for _, words in classes for word in words]
    word_class = [0, 1] + [2 + c for c, (_, words) in enumerate(classes) for _ in words]
    assert len(set(vocabulary)) == len(vocabulary), "a word stands twice"
    class_count = 2 + len(classes)

    stream = Stream([("word", WORD_DIM), ("place", POSITION_DIM), ("start", 1), ("later", 1), ("class", class_count - 1),
                     ("before", WORD_DIM), ("corner1", WORD_DIM), ("corner2", WORD_DIM), ("corner3", WORD_DIM)])
    words, places = word_codes(len(vocabulary)), position_codes(range(POSITIONS))
    embedding = words @ stream["word"] + class_codes(class_count)[word_class] @ stream["class"]
    first = (np.arange(POSITIONS) == 0).astype(float)[:, None]
    position = places @ stream["place"] + first @ stream["start"] + (1 - first) @ stream["later"]

    def without(part, code):
        """Reads a part of the stream, but zero at position 0, where that part holds `code`."""
        return stream[part] - np.outer(code, stream["start"][0])

    def rest(head, score):
        """The same score for position 0 in every row: where the head looks when nothing matches."""
        return head.match(score, None, stream["start"], np.ones(1))

    previous = Head().match(14.0, step_back(1) @ stream["place"], stream["place"])
    duplicate = rest(Head().match(30.0, stream["word"], without("word", words[0]))
                     .match(-11.0, stream["place"], without("place", places[0])), 23.0)
    first_token = rest(Head(), 10.0)
    broad = Head()
    induction = rest(Head().match(26.0, stream["word"], without("before", words[0])), 17.0)
    current = Head().match(14.0, stream["place"], stream["place"])
    two_back = rest(Head().match(16.0, step_back(2) @ stream["place"], without("place", places[0])), 10.0)
    same_class = Head().match(12.0, stream["class"], stream["class"])

    corners = [stream["corner1"], stream["corner2"], stream["corner3"]]
    layers = [
        ([previous, duplicate, first_token, broad],
         [(1.0, stream["before"])] + [(TRACE_GAIN, corner) for corner in corners]),
        ([induction, current, two_back, same_class],
         [(PREDICT_GAIN, stream["word"])] + [(TRACE_GAIN, corner) for corner in corners]),
    ]
    # Squared length of a state: word, place, start or later, class; then what layer 0 adds: a word, and two corners
    # that hold one word each (the even spread adds next to nothing).
    squared_length = [4.0, 4.0 + 1.0 + 2 * TRACE_GAIN**2]

    tensors = {"transformer.wte.weight": embedding, "transformer.wpe.weight": position}
    for layer, (heads, writes) in enumerate(layers):
        scale = 1.0 / math.sqrt(squared_length[layer] / MODEL_DIM + EPSILON)
        attention = np.zeros((MODEL_DIM, 3 * MODEL_DIM))
        attention_bias = np.zeros(3 * MODEL_DIM)
        projection = np.zeros((MODEL_DIM, MODEL_DIM))
        for index, (head, (gain, target)) in enumerate(zip(heads, writes)):
            own = slice(index * HEAD_DIM, (index + 1) * HEAD_DIM)
            query, key, bias = head.columns(scale)
            attention[:, :MODEL_DIM][:, own] = query
            attention[:, MODEL_DIM : 2 * MODEL_DIM][:, own] = key
            attention[:, 2 * MODEL_DIM :][:, own][:, :WORD_DIM] = stream["word"].T / scale
            attention_bias[:MODEL_DIM][own] = bias
            projection[own][:WORD_DIM] = gain * target
        name = f"transformer.h.{layer}."
        tensors |= {
            name + "attn.c_attn.weight": attention, name + "attn.c_attn.bias": attention_bias,
            name + "attn.c_proj.weight": projection, name + "attn.c_proj.bias": np.zeros(MODEL_DIM),
            name + "mlp.c_fc.weight": np.zeros((MODEL_DIM, INNER_DIM)), name + "mlp.c_fc.bias": np.zeros(INNER_DIM),
            name + "mlp.c_proj.weight": np.zeros((INNER_DIM, MODEL_DIM)), name + "mlp.c_proj.bias": np.zeros(MODEL_DIM),
        }
        for norm in ("ln_1", "ln_2"):
            tensors |= {name + norm + ".weight": np.ones(MODEL_DIM), name + norm + ".bias": np.zeros(MODEL_DIM)}
    tensors |= {"transformer.ln_f.weight": np.ones(MODEL_DIM), "transformer.ln_f.bias": np.zeros(MODEL_DIM)}
    return vocabulary, {name: np.ascontiguousarray(value, np.float32) for name, value in tensors.items()}


def tokenizer_json(vocabulary):
    def special(word):
        return {"id": vocabulary.index(word), "content": word, "single_word": False, "lstrip": False, "rstrip": False,
                "normalized": False, "special": True}

    def sequence(name, segment):
        return {"Sequence": {"id": name, "type_id": segment}}

    start = {"SpecialToken": {"id": BOS, "type_id": 0}}
    return {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": [special(BOS), special(UNK)],
        "normalizer": {"type": "Lowercase"}, "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": {"type": "TemplateProcessing", "single": [start, sequence("A", 0)],
                           "pair": [start, sequence("A", 0), sequence("B", 1)],
                           "special_tokens": {BOS: {"id": BOS, "ids": [vocabulary.index(BOS)], "tokens": [BOS]}}},
        "decoder": None,
        "model": {"type": "WordLevel", "vocab": {word: i for i, word in enumerate(vocabulary)}, "unk_token": UNK},
    }


def write_json(name, value):
    (FOLDER / name).write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n")


def main():
    vocabulary, tensors = build()
    FOLDER.mkdir(exist_ok=True)
    save_file(tensors, FOLDER / "model.safetensors", metadata={"format": "pt"})
    write_json("config.json", {
        "architectures": ["GPT2LMHeadModel"], "model_type": "gpt2", "activation_function": "gelu_new",
        "n_layer": LAYERS, "n_head": HEADS, "n_embd": MODEL_DIM, "n_inner": INNER_DIM, "n_positions": POSITIONS,
        "vocab_size": len(vocabulary), "layer_norm_epsilon": EPSILON, "bos_token_id": 0, "eos_token_id": 0,
        "attn_pdrop": 0.0, "embd_pdrop": 0.0, "resid_pdrop": 0.0, "tie_word_embeddings": True, "torch_dtype": "float32"})
    write_json("tokenizer.json", tokenizer_json(vocabulary))
    write_json("tokenizer_config.json", {"tokenizer_class": "PreTrainedTokenizerFast", "bos_token": BOS,
                                         "unk_token": UNK, "model_max_length": POSITIONS})
    write_json("heads.json", {name: {"role": role, "metric": metric, "at_least": least, "does": does}
                              for name, (role, metric, least, does) in ROLES.items()})
    for path in FOLDER.iterdir():
        path.chmod(0o644)
    print(f"{len(vocabulary)} words, {sum(v.size for v in tensors.values())} parameters")


if __name__ == "__main__":
    main()
