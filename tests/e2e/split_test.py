"""headscope split cuts with every kind of segments, weights and input, as docs/reference.md says."""
import json
import math

from program import ProgramTest, main, read_safetensors

TEXT = "the old sailor told a story and the old sailor told a story"
WIDTH = 192  # columns of a layer of the probe


class Split(ProgramTest):
    def split(self, *options, heads="1,4,5", out="s.json", layer="1"):
        path = self.folder / out
        self.succeed("split", "--text", TEXT, "--layer", layer, "--heads", heads, *options, "--out", path)
        return json.loads(path.read_text(encoding="utf-8")) if out.endswith(".json") else read_safetensors(path)

    def columns(self, count, *options):
        """Of each head of one count, as the file has them."""
        tensors = self.split(*options, heads=str(count), out="s.safetensors")[1]
        flat, columns = list(tensors[f"columns_{count}"][1]), []
        for width in tensors[f"widths_{count}"][1]:
            columns.append(flat[:width])
            flat = flat[width:]
        self.assertEqual(flat, [])
        return columns

    def test_contiguous_and_strided_columns(self):
        parts = [WIDTH // 5 + (i < WIDTH % 5) for i in range(5)]
        starts = [sum(parts[:i]) for i in range(5)]
        self.assertEqual(self.columns(5), [list(range(start, start + size)) for start, size in zip(starts, parts)])
        self.assertEqual(self.columns(5, "--segments", "strided"), [list(range(i, WIDTH, 5)) for i in range(5)])

    def test_overlapping_and_random_columns(self):
        for more, own in (([], WIDTH // 5), (["--head-dim", "100"], 100)):
            self.assertEqual(self.columns(5, "--segments", "overlapping", *more),
                             [list(range(i * (WIDTH - own) // 4, i * (WIDTH - own) // 4 + own)) for i in range(5)])
            drawn = self.columns(5, "--segments", "random", *more)
            for head in drawn:
                self.assertEqual(head, sorted(set(head)))
                self.assertEqual(len(head), own)
            self.assertEqual(self.columns(5, "--segments", "random", *more), drawn)
            self.assertNotEqual(self.columns(5, "--segments", "random", "--seed", "2", *more), drawn)
        self.assertEqual(self.columns(1, "--segments", "overlapping", "--head-dim", "7"), [list(range(7))])

    def test_unowned_columns_are_counted(self):
        one, four = self.split("--segments", "overlapping", "--head-dim", "10", heads="1,4")["counts"]
        self.assertEqual((one["unowned_columns"], four["unowned_columns"]), (WIDTH - 10, WIDTH - 40))
        self.assertEqual(four["widths"], [10] * 4)
        n = len(json.loads(self.succeed("tokenize", "--text", TEXT))["ids"])
        self.assertEqual(four["multiplies"] - one["multiplies"], 2 * n * n * 30)

    def test_only_the_contiguous_trained_count_is_the_model(self):
        self.assertLess(self.split(heads="4")["counts"][0]["output_difference"], 1e-6)
        for segments in ("strided", "random"):
            self.assertGreater(self.split("--segments", segments, heads="4")["counts"][0]["output_difference"], 1e-3)

    def test_equal_weights_make_equal_heads_and_even_maps_of_a_norm(self):
        made = self.split("--weights", "ones", "--input-scale", "0.01")
        self.assertEqual((made["weights"], made["input"], made["input_scale"], made["seed"]), ("ones", "normal", 0.01, 1))
        for count in made["counts"]:
            self.assertAlmostEqual(count["effective_heads"], 1.0, delta=1e-3)
        self.assertGreater(made["counts"][0]["output_difference"], 0.0)
        # Of what each query reads of itself the maps are far from even; of a norm's output they are even.
        maps = self.split("--weights", "ones", "--input-scale", "0.1", heads="4", out="s.safetensors")[1]["heads_4"]
        self.assertGreater(self.unevenness(*maps), 0.1)

    def unevenness(self, shape, values):
        n = shape[-1]
        return max(abs(values[q * n + k] - 1.0 / (q + 1)) for q in range(n) for k in range(q + 1))

    def test_random_weights_and_inputs_come_from_the_seed(self):
        for options in (["--weights", "random"], ["--input", "normal"], ["--weights", "random", "--input", "normal"]):
            one, same, other = (self.split(*options, "--seed", seed, heads="2", out="s.safetensors")[1]["heads_2"][1]
                                for seed in ("1", "1", "2"))
            self.assertEqual(one, same)
            self.assertNotEqual(one, other)
            self.assertTrue(all(math.isfinite(weight) for weight in one))
        made = self.split("--weights", "random", heads="4")
        self.assertEqual(made["input"], "layer")
        self.assertEqual(made["counts"][0]["output_difference"], 0.0)

    def test_the_scale_multiplies_the_layers_own_input(self):
        plain, scaled = (self.split(*options, heads="4", out="s.safetensors")[1]["heads_4"][1]
                         for options in ([], ["--input-scale", "3"]))
        self.assertNotEqual(plain, scaled)
        again = self.split("--input", "layer", "--input-scale", "1", heads="4", out="s.safetensors")[1]["heads_4"][1]
        self.assertEqual(plain, again)
        even = self.split("--input-scale", "0", "--weights", "ones", heads="4", out="s.safetensors")[1]["heads_4"]
        self.assertLess(self.unevenness(*even), 1e-6)

    def test_equal_weights_tell_where_the_number_of_heads_counts(self):
        made = self.split("--weights", "ones", heads="1,4,64")
        self.assertEqual([scale["input_scale"] for scale in made["scales"]], [1, 0.1, 0.01, 0.001])
        for scale in made["scales"]:
            cut = self.split("--weights", "ones", "--input-scale", str(scale["input_scale"]), heads="1,4,64")
            for told, count in zip(scale["counts"], cut["counts"]):
                self.assertEqual(told["heads"], count["heads"])
                self.assertAlmostEqual(told["output_difference"], count["output_difference"], delta=1e-4)
                self.assertAlmostEqual(told["largest_weight"], count["largest_weight"], delta=1e-4)
        # One token takes each row of ordinary numbers, whatever h is; a tenth of them leaves room for h.
        self.assertGreater(min(count["largest_weight"] for count in made["scales"][0]["counts"]), 0.97)
        self.assertLess(max(count["output_difference"] for count in made["scales"][0]["counts"]), 0.02)
        self.assertGreater(max(count["output_difference"] for count in made["scales"][1]["counts"]), 0.02)
        self.assertNotIn("scales", self.split(heads="4"))

    def test_files_say_what_was_cut(self):
        made = self.split("--segments", "random", "--head-dim", "7", heads="2")
        self.assertEqual((made["text"], made["part"], made["head_dim"]), (TEXT, "decoder", 7))
        self.assertEqual(made["model"], "probe")
        self.assertIsNone(self.split(heads="2")["head_dim"])
        metadata = self.split(heads="2", out="s.safetensors")[0]
        self.assertEqual((metadata["text"], metadata["part"], metadata["head_dim"]), (TEXT, "decoder", "D/h"))
        path = self.folder / "ids.json"
        self.succeed("split", "--ids", "5,6,7", "--layer", "0", "--heads", "2", "--out", path)
        made = json.loads(path.read_text(encoding="utf-8"))
        self.assertEqual(made["ids"], [5, 6, 7])
        self.assertNotIn("text", made)

    def test_heads_that_do_not_overlap_are_told(self):
        given = ("split", "--text", TEXT, "--layer", "0", "--heads", "4", "--segments", "overlapping")
        for more, noted in (((), True), (("--head-dim", "96"), False)):
            said = self.run_program(*given, *more, "--out", self.folder / "s.json").stderr
            self.assertEqual("--head-dim" in said, noted)

    def test_pictures_say_what_is_not_as_in_the_model(self):
        for name in ("s.png", "s.pdf"):
            self.succeed("split", "--text", TEXT, "--layer", "0", "--heads", "1,4", "--segments", "strided", "--weights",
                         "ones", "--out", self.folder / name)
            self.assertGreater((self.folder / name).stat().st_size, 1000)

    def test_the_rank_of_scores_is_a_picture_and_a_table(self):
        given = ("--text", TEXT, "--layer", "0", "--heads", "2,4,8")
        self.succeed("split", *given, "--out", self.folder / "s.json")
        counts = json.loads((self.folder / "s.json").read_text(encoding="utf-8"))["counts"]
        self.succeed("split", *given, "--view", "rank", "--out", self.folder / "ranks.csv")
        lines = (self.folder / "ranks.csv").read_text(encoding="utf-8").splitlines()
        self.assertEqual(lines[0], "heads,head,head_dim,bound,rank,effective_rank,left_out")
        rows = [line.split(",") for line in lines[1:]]
        self.assertEqual(len(rows), 14)
        for count in counts:
            own = [row for row in rows if int(row[0]) == count["heads"]]
            self.assertEqual([int(row[4]) for row in own], count["score_ranks"])
            for row, effective in zip(own, count["effective_score_ranks"], strict=True):
                self.assertAlmostEqual(float(row[5]), effective, delta=1e-9)
        # The trained count's heads are those that render draws.
        self.succeed("render", "--text", TEXT, "--head", "L0H1", "--view", "rank", "--out", self.folder / "rank.csv")
        values = [line.split(",") for line in (self.folder / "rank.csv").read_text(encoding="utf-8").splitlines()[1:]]
        self.assertEqual([int(row[0]) for row in values], list(range(1, len(values) + 1)))
        self.assertTrue(all(float(a[2]) >= float(b[2]) for a, b in zip(values, values[1:])))
        for ending, start in ((".png", b"\x89PNG"), (".pdf", b"%PDF"), (".svg", b"<svg "), (".tex", b"% needs"), (".md", b"**")):
            for command in (("split", *given), ("render", "--text", TEXT, "--head", "L0H1")):
                picture = self.folder / f"rank{ending}"
                self.succeed(*command, "--view", "rank", "--out", picture)
                self.assertTrue(picture.read_bytes().startswith(start))
        self.assertIn("weights only", self.fail_with(
            1, "render", "--text", TEXT, "--head", "L0H1", "--view", "rank", "--words", "--out", self.folder / "no.png"))

    def test_every_family_that_reads_one_text(self):
        data = self.source / "tests" / "golden" / "data"
        for model in ("gpt_neox_parallel", "llama_grouped", "bert_plain", "gemma2_plain", "opt_plain", "phi_norms"):
            self.succeed("split", "--model", data / model, "--ids", "5,6,7,8", "--layer", "0", "--heads", "1,2",
                         "--segments", "random", "--input", "normal", "--out", self.folder / "s.json")

    def test_cross_attention_takes_no_other_input(self):
        model = self.source / "tests" / "golden" / "data" / "t5_plain"
        given = ("split", "--model", model, "--ids", "5,6,7,8", "--target-ids", "0,9,3", "--layer", "0", "--heads", "1,3")
        self.succeed(*given, "--part", "cross", "--segments", "strided", "--out", self.folder / "s.json")
        said = self.fail_with(1, *given, "--part", "cross", "--weights", "ones", "--out", self.folder / "t.json")
        self.assertIn("another text", said)
        self.succeed(*given, "--part", "decoder", "--weights", "ones", "--out", self.folder / "u.json")
        self.assertNotIn("left_out", json.loads((self.folder / "u.json").read_text(encoding="utf-8")))

    def test_what_fits_nothing_is_wrong_usage(self):
        given = ("split", "--text", TEXT, "--layer", "0", "--heads", "2", "--out", self.folder / "s.json")
        for options in (["--segments", "square"], ["--weights", "zeros"], ["--input", "text"], ["--head-dim", "3"],
                        ["--segments", "strided", "--head-dim", "3"], ["--input-scale", "inf"], ["--seed", "-1"]):
            self.fail_with(2, *given, *options)
        for width in ("0", str(WIDTH + 1)):
            self.assertIn(str(WIDTH), self.fail_with(1, *given, "--segments", "random", "--head-dim", width))


if __name__ == "__main__":
    main()
