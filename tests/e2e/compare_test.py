"""headscope compare does what docs/reference.md says, on models, on models that were changed, and on files."""
import json
import math
import shutil
import struct

from program import ProgramTest, main, read_safetensors, write_safetensors

TEXT = "the old sailor told a story and the old sailor told a story"
LAYERS, HEADS, WIDTH = 2, 4, 192
HEAD = WIDTH // HEADS


class Weights:
    """The tensors of a model's file, to be read and changed in place."""

    def __init__(self, path):
        self.path = path
        self.data = bytearray(path.read_bytes())
        size, = struct.unpack("<Q", self.data[:8])
        self.header = json.loads(self.data[8:8 + size])
        self.start = 8 + size

    def tensor(self, ending):
        """(shape, numbers, where they begin) of the tensor whose name ends so."""
        about = next(about for name, about in self.header.items() if name.endswith(ending))
        begin, end = (self.start + each for each in about["data_offsets"])
        return about["shape"], list(struct.unpack(f"<{(end - begin) // 4}f", self.data[begin:end])), begin

    def write(self, begin, numbers):
        self.data[begin:begin + 4 * len(numbers)] = struct.pack(f"<{len(numbers)}f", *numbers)

    def save(self):
        self.path.write_bytes(self.data)


class Compare(ProgramTest):
    def compare(self, *arguments, out="c.json"):
        path = self.folder / out
        self.succeed("compare", *arguments, "--out", path)
        return json.loads(path.read_text(encoding="utf-8"))

    def changed(self, name):
        """A copy of the probe to change."""
        folder = self.folder / name
        shutil.copytree(self.probe, folder)
        return folder, Weights(folder / "model.safetensors")

    def test_the_reference_names_every_key_that_is_written(self):
        made = self.compare("--model", "probe", "--model", "probe", "--text", TEXT)
        self.assert_named("compare", [*made, *made["heads"][0], *made["layers"][0]])
        out = self.folder / "c.safetensors"
        self.succeed("compare", "--model", "probe", "--model", "probe", "--text", TEXT, "--out", out)
        metadata, tensors = read_safetensors(out)
        self.assert_named("compare", [*metadata, *tensors])
        self.assertEqual(tensors["partner"], ([LAYERS, HEADS], tuple(range(HEADS)) * LAYERS))
        self.assertEqual(tensors["pairs"][0], [LAYERS, HEADS, HEADS])

    def test_equal_models_lie_0_apart_and_every_head_stays_in_its_place(self):
        made = self.compare("--model", "probe", "--model", "probe", "--text", TEXT)
        tokens = json.loads(self.succeed("tokenize", "--model", "probe", "--text", TEXT))["tokens"]
        self.assertEqual((made["a"], made["b"], made["tokens"]), ("probe", "probe", tokens))
        names = [f"L{layer}H{head}" for layer in range(LAYERS) for head in range(HEADS)]
        self.assertEqual(made["heads"], [{"a": name, "b": name, "divergence": 0.0} for name in names])
        self.assertEqual(made["matrix"], [[0.0] * HEADS] * LAYERS)
        self.assertEqual([layer["mean"] for layer in made["layers"]], [0.0] * LAYERS)
        self.assertEqual(made["ranking"], names)
        self.assertEqual(made["notes"], [])

    def test_heads_in_another_order_are_found_again(self):
        order = [2, 0, 3, 1]  # head i of the copy is head order[i]
        folder, weights = self.changed("permuted")
        for layer in range(LAYERS):
            shape, numbers, begin = weights.tensor(f"h.{layer}.attn.c_attn.weight")
            self.assertEqual(shape, [WIDTH, 3 * WIDTH])
            moved = []
            for row in range(WIDTH):
                moved += self.moved(numbers[row * 3 * WIDTH:(row + 1) * 3 * WIDTH], order)
            weights.write(begin, moved)
            _, numbers, begin = weights.tensor(f"h.{layer}.attn.c_attn.bias")
            weights.write(begin, self.moved(numbers, order))
            shape, numbers, begin = weights.tensor(f"h.{layer}.attn.c_proj.weight")
            self.assertEqual(shape, [WIDTH, WIDTH])
            size = HEAD * WIDTH
            weights.write(begin, [each for head in order for each in numbers[head * size:(head + 1) * size]])
        weights.save()
        made = self.compare("--model", folder, "--model", "probe", "--text", TEXT)
        self.assertEqual([head["b"] for head in made["heads"]],
                         [f"L{layer}H{head}" for layer in range(LAYERS) for head in order])
        # The second layer reads sums that were added in another order.
        self.assertEqual(made["layers"][0]["mean"], 0.0)
        self.assertLess(made["layers"][1]["mean"], 1e-9)

    def moved(self, row, order):
        """Columns of queries, keys and values, head by head in another order."""
        return [each for part in range(3) for head in order
                for each in row[part * WIDTH + head * HEAD:part * WIDTH + (head + 1) * HEAD]]

    def test_the_head_whose_weights_were_changed_stands_first(self):
        for layer, head in ((1, 0), (0, 2), (0, 1)):
            folder, weights = self.changed(f"changed-{layer}-{head}")
            shape, numbers, begin = weights.tensor(f"h.{layer}.attn.c_attn.weight")
            for row in range(shape[0]):
                for column in range(head * HEAD, (head + 1) * HEAD):  # of the queries
                    numbers[row * shape[1] + column] *= -1.0
            weights.write(begin, numbers)
            _, numbers, begin = weights.tensor(f"h.{layer}.attn.c_attn.bias")
            own = slice(head * HEAD, (head + 1) * HEAD)
            weights.write(begin, numbers[:own.start] + [-each for each in numbers[own]] + numbers[own.stop:])
            weights.save()
            made = self.compare("--model", "probe", "--model", folder, "--text", TEXT)
            name = f"L{layer}H{head}"
            self.assertEqual(made["ranking"][0], name)
            self.assertEqual(made["largest"]["a"], name)
            self.assertGreater(made["largest"]["divergence"], 0.01)
            self.assertEqual(made["largest"]["divergence"], max(head["divergence"] for head in made["heads"]))
            self.assertEqual(made["matrix"][layer][head], made["largest"]["divergence"])

    def test_divergences_are_those_of_the_maps_that_attend_writes(self):
        models = ("gpt-h4", "gpt-h4/step-0")
        maps = []
        for i, model in enumerate(models):
            out = self.folder / f"{i}.safetensors"
            self.succeed("attend", "--model", model, "--text", "The cat sat on the mat.", "--out", out)
            maps.append(read_safetensors(out)[1]["attention"])
        (layers, heads, n, _), values = maps[0]
        made = self.compare("--model", models[0], "--model", models[1], "--text", "The cat sat on the mat.")

        def divergence(layer, one, two):
            total = 0.0
            for query in range(1, n):
                at = [((layer * heads + head) * n + query) * n for head in (one, two)]
                p, q = (maps[i][1][at[i]:at[i] + n] for i in range(2))
                total += sum(0.5 * x * math.log(2.0 * x / (x + y)) for x, y in zip(p, q) if x > 0.0)
                total += sum(0.5 * y * math.log(2.0 * y / (x + y)) for x, y in zip(p, q) if y > 0.0)
            return total / (n - 1)

        for layer in range(layers):
            for one in range(heads):
                for two in range(heads):
                    expected = divergence(layer, one, two)
                    self.assertAlmostEqual(made["pairs"][layer][one][two], expected, delta=1e-5 * expected + 1e-12)
        files = self.compare("--attention", self.folder / "0.safetensors", "--attention", self.folder / "1.safetensors")
        self.assertEqual([(head["a"], head["b"]) for head in files["heads"]],
                         [(head["a"], head["b"]) for head in made["heads"]])
        one = self.compare("--model", models[0], "--attention", self.folder / "0.safetensors", "--text", "The cat sat on the mat.")
        self.assertLess(one["largest"]["divergence"], 1e-9)
        self.assertEqual((one["a"], one["b"]), ("gpt-h4", "gpt-h4"))
        turned = self.compare("--attention", self.folder / "1.safetensors", "--model", models[0], "--text", "The cat sat on the mat.")
        self.assertAlmostEqual(turned["largest"]["divergence"], made["largest"]["divergence"], delta=1e-6)

    def test_tokens_that_are_merged_or_hidden_are_so_on_both_sides(self):
        text = "The sailors hid a map under the stones."
        models = ("gpt-h4", "gpt-h4/step-0")
        for look in (("--hide", "first,punctuation"), ("--hide", "first,stop-words", "--renormalise"), ("--words",),
                     ("--words", "--hide", "special")):
            maps, rests = [], []
            for i, model in enumerate(models):
                out = self.folder / f"{i}.safetensors"
                self.succeed("attend", "--model", model, "--text", text, *look, "--out", out)
                metadata, tensors = read_safetensors(out)
                self.assertIn("look", metadata)
                (layers, heads, n, m), values = tensors["attention"]
                rows = [values[at:at + m] for at in range(0, len(values), m)]
                rests.append([max(0.0, 1.0 - math.fsum(row)) for row in rows])
                maps.append([(*row, rest) for row, rest in zip(rows, rests[-1])])
            made = self.compare("--model", models[0], "--model", models[1], "--text", text, *look)
            self.assertEqual(made["tokens"], json.loads(metadata["tokens"]))
            self.assertTrue(made["notes"][0].startswith(metadata["look"]))
            self.assertEqual("--hide" in look and "--renormalise" not in look, "counts as one key" in made["notes"][0])
            if "--renormalise" in look or look == ("--words",):
                self.assertLess(max(map(max, rests)), 1e-6)

            def divergence(layer, one, two):
                total = 0.0
                for query in range(1, n):
                    p, q = (maps[i][(layer * heads + (one, two)[i]) * n + query] for i in range(2))
                    total += sum(0.5 * x * math.log(2.0 * x / (x + y)) for x, y in zip(p, q) if x > 0.0)
                    total += sum(0.5 * y * math.log(2.0 * y / (x + y)) for x, y in zip(p, q) if y > 0.0)
                return total / (n - 1)

            for layer in range(layers):
                for one in range(heads):
                    expected = divergence(layer, one, one)
                    self.assertAlmostEqual(made["pairs"][layer][one][one], expected, delta=2e-5 * expected + 1e-7, msg=look)

    def test_a_list_of_stop_words_without_words_is_refused(self):
        words = self.folder / "stop.txt"
        for content, code, sentence in ((b" \n\n", 2, "found none"), (b"the\n\xff", 1, "not UTF-8 from byte 4")):
            words.write_bytes(content)
            self.assertIn(sentence, self.fail_with(code, "attend", "--model", "gpt-h4", "--text", "The cat", "--stop-words", words,
                                                   "--out", self.folder / "x.npz"))

    def test_other_numbers_of_heads_are_matched_as_far_as_they_go(self):
        made = self.compare("--model", "gpt-h8", "--model", "gpt-h2", "--text", "The cat sat on the mat.")
        self.assertEqual(len(made["heads"]), 2 * len(made["layers"]))
        self.assertEqual(sum(each is None for each in made["matrix"][0]), 6)
        self.assertIn("A has 8 heads in a layer and B 2", made["notes"][0])

    def test_other_tokenizers_are_compared_word_by_word(self):
        made = self.compare("--model", "probe", "--model", "gpt-h4", "--text", TEXT)
        self.assertEqual(made["tokens"], TEXT.split())
        self.assertIn("words are compared", " ".join(made["notes"]))
        said = self.fail_with(1, "compare", "--model", "probe", "--model", "gpt-h4", "--ids", "1,2,3", "--out", self.folder / "x.json")
        self.assertIn("other tokens", said)

    def test_files_of_other_tokens_are_refused(self):
        for name, tokens in (("a", ["one", "two"]), ("b", ["one", "three"]), ("c", ["one", "two", "three"])):
            n = len(tokens)
            numbers = [1.0 / (i + 1) if j <= i else 0.0 for i in range(n) for j in range(n)]
            write_safetensors(self.folder / f"{name}.safetensors",
                              {"__metadata__": {"tokens": json.dumps(tokens)},
                               "attention": {"dtype": "F32", "shape": [1, 1, n, n], "data_offsets": [0, 4 * n * n]}},
                              struct.pack(f"<{n * n}f", *numbers))
        for other in "bc":
            said = self.fail_with(1, "compare", "--attention", self.folder / "a.safetensors", "--attention",
                                  self.folder / f"{other}.safetensors", "--out", self.folder / "x.json")
            self.assertIn("other tokens", said)
            self.assertIn("make both files from one text", said)  # no option of this command does
        self.assertEqual(self.compare("--attention", self.folder / "a.safetensors", "--attention", self.folder / "a.safetensors")["matrix"], [[0.0]])

    def test_pictures_are_drawn(self):
        for view in ("heatmap", "pairs"):
            for name, start in (("c.png", b"\x89PNG"), ("c.pdf", b"%PDF-")):
                out = self.folder / name
                self.succeed("compare", "--model", "gpt-h4", "--model", "gpt-h8", "--text", TEXT, "--view", view,
                             "--size", "700", "--theme", "dark", "--range", "0:0.5", "--out", out)
                self.assertTrue(out.read_bytes().startswith(start))

    def test_parts_of_an_encoder_decoder(self):
        model = self.source / "tests" / "golden" / "data" / "t5_plain"
        for part, letter in (("encoder", "E"), ("decoder", "D"), ("cross", "X")):
            made = self.compare("--model", model, "--model", model, "--ids", "5,6,7,8", "--target-ids", "0,9,3", "--part", part)
            self.assertEqual(made["heads"][0], {"a": f"{letter}0H0", "b": f"{letter}0H0", "divergence": 0.0})

    def test_wrong_usage_is_told(self):
        out = ("--out", self.folder / "c.json")
        both = ("--model", "probe", "--model", "probe", "--text", TEXT)
        for arguments in ((*both[:2], *both[4:], *out), (*both, "--model", "probe", *out), both, (*both[:4], *out),
                          (*both, "--out", "c.txt"), (*both, "--view", "nothing", *out), (*both, "--range", "row", *out),
                          ("--attention", "a.npz", "--attention", "b.npz", "--text", TEXT, *out), (*both, "--renormalise", *out),
                          (*both, "--hide", "last", *out), ("--attention", "a.npz", *both[2:], "--words", *out)):
            self.fail_with(2, "compare", *arguments)
        self.assertIn("found 1", self.fail_with(2, "compare", *both[:2], *both[4:], *out))


if __name__ == "__main__":
    main()
