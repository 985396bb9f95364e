"""headscope weights and headscope compare --view weights do what docs/reference.md says, against the files' own numbers."""
import csv
import json
import math
import shutil
import struct
import zipfile

from program import ProgramTest, main, read_safetensors


KINDS = {"F32": "f", "F16": "e"}


def read_model(folder):
    """{name: (shape, values)} of a model's file."""
    data = (folder / "model.safetensors").read_bytes()
    size, = struct.unpack("<Q", data[:8])
    tensors = {}
    for name, about in json.loads(data[8:8 + size]).items():
        if name != "__metadata__":
            begin, end = about["data_offsets"]
            raw = data[8 + size + begin:8 + size + end]
            kind = KINDS[about["dtype"]]
            tensors[name] = (about["shape"], struct.unpack(f"<{len(raw) // struct.calcsize(kind)}{kind}", raw))
    return tensors


def rows_of(tensor):
    (rows, columns), values = tensor
    return [values[row * columns:(row + 1) * columns] for row in range(rows)]


def turned(rows):
    return [list(column) for column in zip(*rows)]


def flat(rows):
    return tuple(value for row in rows for value in row)


def read_npz(path):
    """{name: (shape, values)} of the float32 arrays of an .npz."""
    arrays = {}
    with zipfile.ZipFile(path) as file:
        for name in file.namelist():
            data = file.read(name)
            length, = struct.unpack("<H", data[8:10])
            header = data[10:10 + length].decode()
            if "<f4" not in header:
                continue
            shape = [int(size) for size in header.split("'shape': (")[1].split(")")[0].split(",") if size.strip()]
            raw = data[10 + length:]
            arrays[name.removesuffix(".npy")] = (shape, struct.unpack(f"<{len(raw) // 4}f", raw))
    return arrays


class Weights(ProgramTest):
    def weights(self, *arguments, out="w.safetensors"):
        self.succeed("weights", *arguments, "--out", self.folder / out)
        return self.folder / out

    def golden(self, name):
        return self.source / "tests" / "golden" / "families" / name

    def test_a_heads_matrices_are_the_files_own_to_the_last_bit_where_the_file_holds_inputs_by_outputs(self):
        stored = read_model(self.probe)  # GPT-2: x W, queries, keys and values side by side
        d, heads, width = 192, 4, 48
        for layer in range(2):
            joined = rows_of(next(t for n, t in stored.items() if n.endswith(f"h.{layer}.attn.c_attn.weight")))
            bias = next(t for n, t in stored.items() if n.endswith(f"h.{layer}.attn.c_attn.bias"))[1]
            output = rows_of(next(t for n, t in stored.items() if n.endswith(f"h.{layer}.attn.c_proj.weight")))
            output_bias = next(t for n, t in stored.items() if n.endswith(f"h.{layer}.attn.c_proj.bias"))[1]
            for head in range(heads):
                metadata, made = read_safetensors(self.weights("--model", "probe", "--head", f"L{layer}H{head}"))
                for kind, letter in enumerate("QKV"):
                    first = kind * d + head * width
                    self.assertEqual(made[f"W_{letter}"],
                                     ([d, width], flat(row[first:first + width] for row in joined)))
                    self.assertEqual(made[f"b_{letter}"], ([width], bias[first:first + width]))
                self.assertEqual(made["W_O"], ([width, d], flat(output[head * width:(head + 1) * width])))
                self.assertEqual(made["b_O"], ([d], output_bias))
                self.assertEqual((metadata["layer"], metadata["head"], metadata["key_heads"]),
                                 (str(layer), str(head), f"[{head}]"))
                self.assert_named("weights", [*metadata, *made])

    def test_a_layer_of_a_llama_has_every_head_and_no_bias_and_npz_holds_the_same(self):
        stored = read_model(self.source / "assets" / "models" / "gpt-h4")
        d, heads, width = 128, 4, 32
        made = read_safetensors(self.weights("--model", "gpt-h4", "--layer", "1"))[1]
        self.assertEqual(sorted(made), ["W_K", "W_O", "W_Q", "W_V"])
        for letter in "qkvo":
            matrix = turned(rows_of(stored[f"model.layers.1.self_attn.{letter}_proj.weight"]))  # x W
            if letter == "o":
                expected = flat(matrix)
                self.assertEqual(made["W_O"], ([heads, width, d], expected))
            else:
                expected = tuple(value for head in range(heads)
                                 for value in flat(row[head * width:(head + 1) * width] for row in matrix))
                self.assertEqual(made[f"W_{letter.upper()}"], ([heads, d, width], expected))
        self.assertEqual(read_npz(self.weights("--model", "gpt-h4", "--layer", "1", out="w.npz")), made)

    def test_matrices_that_a_file_holds_head_by_head_are_found(self):
        stored = read_model(self.golden("bloom"))
        rows = rows_of(stored["transformer.h.0.self_attention.query_key_value.weight"])
        bias = stored["transformer.h.0.self_attention.query_key_value.bias"][1]
        heads = json.loads(self.succeed("info", "--model", self.golden("bloom"), "--json"))["heads"]
        width = len(rows) // (3 * heads)
        made = read_safetensors(self.weights("--model", self.golden("bloom"), "--head", "L0H1"))[1]
        for kind, letter in enumerate("QKV"):
            first = (3 * 1 + kind) * width
            self.assertEqual(made[f"W_{letter}"][1], flat(turned(rows[first:first + width])))
            self.assertEqual(made[f"b_{letter}"][1], bias[first:first + width])

    def test_cross_attention_has_its_own(self):
        stored = read_model(self.golden("mbart"))
        made = read_safetensors(self.weights("--model", self.golden("mbart"), "--head", "X0H1"))[1]
        name = "model.decoder.layers.0.encoder_attn"
        width = made["W_Q"][0][1]
        rows = slice(width, 2 * width)
        self.assertEqual(made["W_K"][1], flat(turned(rows_of(stored[f"{name}.k_proj.weight"])[rows])))
        self.assertEqual(made["W_O"][1], flat(turned(rows_of(stored[f"{name}.out_proj.weight"]))[rows]))
        self.assertEqual(made["b_V"][1], stored[f"{name}.v_proj.bias"][1][rows])

    def test_heads_that_share_keys_have_the_same_and_the_file_says_which(self):
        folder = self.source / "tests" / "golden" / "data" / "llama_grouped"
        info = json.loads(self.succeed("info", "--model", folder, "--json"))
        metadata, made = read_safetensors(self.weights("--model", folder, "--layer", "0"))
        group = info["heads"] // info["kv_heads"]
        self.assertGreater(group, 1)
        key_heads = [head // group for head in range(info["heads"])]
        self.assertEqual(json.loads(metadata["key_heads"]), key_heads)
        size = info["model_dim"] * info["head_dim"]
        keys = [made["W_K"][1][head * size:(head + 1) * size] for head in range(info["heads"])]
        for head, key_head in enumerate(key_heads):
            self.assertEqual(keys[head], keys[key_head * group])
        self.assertNotEqual(keys[0], keys[-1])

    def test_what_cannot_be_written_is_said_in_a_sentence(self):
        out = self.folder / "w.npz"
        self.assertIn("one of --head and --layer", self.fail_with(2, "weights", "--model", "probe", "--out", out))
        self.assertIn("heads 0 to 3", self.fail_with(1, "weights", "--model", "probe", "--head", "L0H4", "--out", out))
        self.assertIn("layers 0 to 1", self.fail_with(1, "weights", "--model", "probe", "--layer", "2", "--out", out))
        self.assertIn("latent", self.fail_with(
            1, "weights", "--model", self.golden("deepseek_v3"), "--layer", "0", "--out", out))
        self.assertIn(".safetensors or .npz", self.fail_with(
            2, "weights", "--model", "probe", "--layer", "0", "--out", self.folder / "w.json"))
        self.assertFalse(out.exists())


class Changes(ProgramTest):
    def changes(self, a, b):
        out = self.folder / "c.json"
        self.succeed("compare", "--view", "weights", "--model", a, "--model", b, "--out", out)
        return json.loads(out.read_text(encoding="utf-8"))

    def doubled(self, name, ending):
        """A copy of gpt-h4 in which one tensor is twice as large."""
        folder = self.folder / name
        shutil.copytree(self.source / "assets" / "models" / "gpt-h4", folder)
        path = folder / "model.safetensors"
        data = bytearray(path.read_bytes())
        size, = struct.unpack("<Q", data[:8])
        header = json.loads(data[8:8 + size])
        about = next(about for tensor, about in header.items() if tensor.endswith(ending))
        begin, end = (each + 8 + size for each in about["data_offsets"])
        form = f"<{math.prod(about['shape'])}{KINDS[about['dtype']]}"
        data[begin:end] = struct.pack(form, *(2.0 * number for number in struct.unpack(form, data[begin:end])))
        path.write_bytes(data)
        return folder

    def test_a_model_beside_itself_has_not_changed(self):
        made = self.changes("gpt-h4", "gpt-h4")
        self.assertEqual({part["change"] for part in made["parts"]}, {0.0})
        self.assertEqual({part["cosine"] for part in made["parts"]}, {1.0})
        self.assertIn("L1H3", [part["head"] for part in made["parts"]])
        self.assertIn("token embedding", [part["part"] for part in made["parts"]])
        self.assert_named("compare", [*made, *made["parts"][0]])
        tensors = read_model(self.source / "assets" / "models" / "gpt-h4")
        numbers = sum(math.prod(shape) for shape, _ in tensors.values())
        self.assertEqual(sum(part["numbers"] for part in made["parts"]), numbers)  # each once

    def test_doubled_queries_change_by_their_own_norm_and_stay_parallel(self):
        made = self.changes("gpt-h4", self.doubled("queries", "layers.1.self_attn.q_proj.weight"))
        parts = {part["part"]: part for part in made["parts"]}
        self.assertEqual({name for name, part in parts.items() if part["change"] > 0.0},
                         {f"L1H{head}" for head in range(4)})
        self.assertEqual([part["head"][:2] for part in made["parts"][:4]], ["L1"] * 4)
        stored = read_model(self.source / "assets" / "models" / "gpt-h4")
        square = {letter: rows_of(stored[f"model.layers.1.self_attn.{letter}_proj.weight"]) for letter in "qkvo"}
        for head in range(4):
            part = parts[f"L1H{head}"]
            self.assertEqual(part["matrices"]["W_Q"]["change"], 1.0)
            self.assertAlmostEqual(part["matrices"]["W_Q"]["cosine"], 1.0, places=12)
            self.assertEqual(part["matrices"]["W_K"]["change"], 0.0)
            own = slice(head * 32, (head + 1) * 32)
            norm = {letter: math.fsum(x * x for row in rows[own] for x in row)
                    for letter, rows in square.items() if letter != "o"}
            norm["o"] = math.fsum(x * x for row in square["o"] for x in row[own])
            self.assertAlmostEqual(part["change"], math.sqrt(norm["q"] / sum(norm.values())), places=12)

    def test_the_tables_hold_the_same_and_the_largest_change_comes_first(self):
        step = self.source / "assets" / "models" / "copy-h4" / "step-0"
        made = self.changes("copy-h4", step)
        changes = [part["change"] for part in made["parts"]]
        self.assertEqual(changes, sorted(changes, reverse=True))
        self.assertGreater(changes[0], 0.0)
        for ending in (".csv", ".tex", ".md", ".svg"):
            self.succeed("compare", "--view", "weights", "--model", "copy-h4", "--model", step,
                         "--out", self.folder / f"c{ending}")
        with open(self.folder / "c.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([row["part"] for row in rows], [part["part"] for part in made["parts"]])
        for row, part in zip(rows, made["parts"]):
            self.assertAlmostEqual(float(row["change"]), part["change"], places=6)
        self.assert_named("compare", rows[0])

    def test_other_shapes_files_and_texts_are_refused_in_a_sentence(self):
        out = self.folder / "x.json"
        view = ("compare", "--view", "weights", "--out", out)
        said = self.fail_with(1, *view, "--model", "gpt-h4", "--model", "gpt-h8")
        self.assertIn("gpt-h4 has 4 layers of 4 heads", said)
        self.assertIn("gpt-h8 has 4 layers of 8 heads", said)
        said = self.fail_with(2, *view, "--model", "gpt-h4", "--model", "gpt-h4", "--text", "a")
        self.assertIn("leave the input out", said)
        said = self.fail_with(2, *view, "--model", "gpt-h4", "--attention", "x.npz")
        self.assertIn("holds no weights", said)
        self.fail_with(2, *view, "--model", "gpt-h4")
        self.assertFalse(out.exists())


if __name__ == "__main__":
    main()
