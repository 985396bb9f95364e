"""Every command with --precision bf16. Skipped, and says so, where the processor has no bfloat16 products."""
import json
import sys

from program import ProgramTest, main, read_safetensors

TEXT = "the old sailor told a story and the old sailor told a story"
UNIT = 2.0**-8  # of bfloat16, which keeps eight bits


def largest(left, right):
    return max(abs(a - b) for a, b in zip(left, right, strict=True))


class Bfloat16(ProgramTest):
    def setUp(self):
        super().setUp()
        done = self.run_program("attend", "--ids", "1", "--precision", "bf16", "--out", self.folder / "possible.npz")
        if done.returncode != 0 and "bfloat16" in done.stderr:
            print("not run:", done.stderr.strip(), file=sys.stderr)
            self.skipTest(done.stderr)

    def attend(self, model, precision):
        out = self.folder / f"{precision}.safetensors"
        self.succeed("attend", "--model", model, "--text", TEXT, "--precision", precision, "--out", out)
        metadata, tensors = read_safetensors(out)
        self.assertEqual(metadata["precision"], precision)
        shape, values = tensors["attention"]
        for begin in range(0, len(values), shape[-1]):
            self.assertAlmostEqual(sum(values[begin:begin + shape[-1]]), 1.0, delta=1e-6)
        return values

    def test_attend_is_near_to_float32_and_not_the_same(self):
        for model in ("probe", "gpt-h1", "gpt-h8"):
            with self.subTest(model):
                rounded, full = self.attend(model, "bf16"), self.attend(model, "f32")
                # Scores of at most 30 off by two roundings in a thousand move a weight by less than 0.06; most are smaller.
                self.assertGreater(largest(rounded, full), 1e-5)
                self.assertLess(largest(rounded, full), 30 * UNIT)
                mean = sum(abs(a - b) for a, b in zip(rounded, full)) / len(full)
                self.assertLess(mean, UNIT)

    def test_split_of_the_trained_count_is_the_model_in_bfloat16_too(self):
        whole = self.attend("probe", "bf16")
        out = self.folder / "s.safetensors"
        self.succeed("split", "--text", TEXT, "--layer", "1", "--heads", "1,4", "--precision", "bf16", "--out", out)
        metadata, tensors = read_safetensors(out)
        self.assertEqual(metadata["precision"], "bf16")
        trained = tensors["heads_4"][1]
        self.assertLess(largest(trained, whole[-len(trained):]), 1e-6)
        about = self.folder / "s.json"
        self.succeed("split", "--text", TEXT, "--layer", "1", "--heads", "1,4", "--precision", "bf16", "--out", about)
        one, four = json.loads(about.read_text())["counts"]
        self.assertLess(four["output_difference"], UNIT)
        self.assertGreater(one["output_difference"], UNIT)

    def test_render_says_that_it_is_bfloat16(self):
        pictures = {}
        for precision in ("f32", "bf16"):
            out = self.folder / f"{precision}.png"
            self.succeed("render", "--text", TEXT, "--head", "L1H0", "--precision", precision, "--out", out)
            pictures[precision] = out.read_bytes()
        self.assertNotEqual(pictures["f32"], pictures["bf16"])

    def test_bench_measures_bfloat16(self):
        about = json.loads(self.succeed("bench", "--tokens", "16,64", "--precision", "bf16", "--json"))
        self.assertEqual(about["precision"], "bf16")
        self.assertIn("bfloat16", about["backend"])
        for case in about["cases"]:
            self.assertGreater(case["median_ms"], 0.0)
            self.assertGreater(case["onednn_ms"], 0.0)


if __name__ == "__main__":
    main()
