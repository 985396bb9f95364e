"""States of torch.nn.MultiheadAttention as models: what torch makes of them, and what they refuse."""
import json

from program import ProgramTest, main, read_safetensors, write_npy, write_safetensors


class AttentionModules(ProgramTest):
    def setUp(self):
        super().setUp()
        self.modules = self.source / "tests" / "golden" / "modules"
        self.out = self.folder / "out.safetensors"

    def cases(self):
        for case in json.loads((self.modules / "manifest.json").read_text())["cases"]:
            _, golden = read_safetensors(self.modules / case["name"] / "attention.safetensors")
            options = ["--model", self.modules / case["name"] / "module.safetensors", "--head-count", case["heads"]]
            for name in ("embeddings", "key_embeddings", "value_embeddings"):
                if name in golden:
                    path = self.folder / f"{name}.npy"
                    write_npy(path, *golden[name])
                    options += ["--" + name.replace("_", "-"), path]
            yield case, golden, options

    def assert_close(self, made, expected, tolerance=1e-5):
        self.assertEqual(len(made), len(expected))
        self.assertLess(max(abs(a - b) for a, b in zip(made, expected)), tolerance)

    def test_every_module_gives_what_torch_gives(self):
        for case, golden, options in self.cases():
            with self.subTest(case["name"]):
                self.succeed("attend", *options, "--out", self.out)
                metadata, made = read_safetensors(self.out)
                self.assertEqual(made["attention"][0], [1, case["heads"], case["queries"], case["keys"]])
                self.assert_close(made["attention"][1], golden["attention"][1])
                self.assertEqual(json.loads(metadata["tokens"]), [str(i) for i in range(case["queries"])])
                self.assertEqual("key_tokens" in metadata, "key_embeddings" in golden)

                cut = self.folder / "split.safetensors"
                self.succeed("split", *options, "--layer", 0, "--heads", f"1,{case['heads']}", "--out", cut)
                tensors = read_safetensors(cut)[1]
                self.assert_close(tensors[f"heads_{case['heads']}"][1], golden["attention"][1])
                self.assert_close(tensors[f"output_{case['heads']}"][1], golden["attn_output"][1], 5e-5)

    def test_multiplies_count_keys_and_values_once_for_each_key(self):
        for case, golden, options in self.cases():
            with self.subTest(case["name"]):
                cut = self.folder / "split.json"
                self.succeed("split", *options, "--layer", 0, "--heads", "1", "--out", cut)
                count = json.loads(cut.read_text(encoding="utf-8"))["counts"][0]
                widths = {name: golden[name][0][-1] if name in golden else golden["embeddings"][0][-1]
                          for name in ("embeddings", "key_embeddings", "value_embeddings")}
                if "value_embeddings" not in golden:
                    widths["value_embeddings"] = widths["key_embeddings"]
                d, n, m = widths["embeddings"], case["queries"], case["keys"]
                self.assertEqual(count["multiplies"], 2 * n * d * d + m * d * (widths["key_embeddings"] +
                                                                             widths["value_embeddings"]) + 2 * n * m * d)

    def test_info_bench_and_pictures(self):
        case, _, options = next(each for each in self.cases() if each[0]["name"] == "separate")
        about = json.loads(self.succeed("info", *options[:4], "--json"))
        self.assertEqual((about["family"], about["layers"], about["heads"], about["model_dim"], about["head_dim"]),
                         ("multihead_attention", 1, case["heads"], 24, 4))
        self.assertIsNone(about["vocabulary"])
        self.assertIn("keys [m,10], values [m,14]", self.succeed("info", *options[:4]))
        for choice in (["--head", "L0H5"], ["--layer", "0"], ["--all"]):
            self.succeed("render", *options, *choice, "--out", self.folder / "a.png")
        said = json.loads(self.succeed("bench", *options[:4], "--tokens", "8", "--json"))
        self.assertGreater(said["cases"][0]["median_ms"], 0)

    def test_the_number_of_heads_comes_from_the_file_or_the_command(self):
        case, golden, options = next(each for each in self.cases() if each[0]["name"] == "fused")
        path = options[1]
        self.assertIn("--head-count", self.fail_with(1, "info", "--model", path))
        self.assertIn("5 heads", self.fail_with(1, "info", "--model", path, "--head-count", "5"))
        self.assertIn("0 heads", self.fail_with(1, "info", "--model", path, "--head-count", "0"))
        self.assertIn("--head-count", self.fail_with(1, "info", "--model", "probe", "--head-count", "4"))
        data = path.read_bytes()
        length = int.from_bytes(data[:8], "little")
        header = json.loads(data[8:8 + length])
        named = self.folder / "named.safetensors"
        header["__metadata__"] = {"num_heads": "4"}
        write_safetensors(named, header, data[8 + length:])
        self.succeed("attend", "--model", named, *options[4:], "--out", self.out)
        self.assert_close(read_safetensors(self.out)[1]["attention"][1], golden["attention"][1])
        self.assertEqual(json.loads(self.succeed("info", "--model", named, "--head-count", "8", "--json"))["heads"], 8)
        for key in ("add_zero_attn", "num_heads"):
            header["__metadata__"] = {"num_heads": "4", key: "True"}
            write_safetensors(named, header, data[8 + length:])
            self.assertIn(key, self.fail_with(1, "info", "--model", named))
        header["__metadata__"] = {"num_heads": "4"}
        header["bias_k"] = {"dtype": "F32", "shape": [1, 1, 24], "data_offsets": [len(data) - 8 - length,
                                                                                  len(data) - 8 - length + 96]}
        write_safetensors(named, header, data[8 + length:] + bytes(96))
        self.assertIn("bias_k", self.fail_with(1, "info", "--model", named))

    def test_inputs_that_do_not_fit_are_refused(self):
        case, golden, options = next(each for each in self.cases() if each[0]["name"] == "separate")
        model, own, keys, values = options[:4], options[4:6], options[6:8], options[8:]
        out = ["--out", self.out]
        self.assertIn("--key-embeddings", self.fail_with(1, "attend", *model, *own, *out))
        self.assertIn("--value-embeddings", self.fail_with(1, "attend", *model, *own, *keys, *out))
        self.assertIn("--embeddings", self.fail_with(1, "attend", *model, "--text", "a", *out))
        self.assertIn("--embeddings", self.fail_with(1, "attend", *model, "--ids", "1,2", *out))
        self.assertIn("tokenizer", self.fail_with(1, "tokenize", *model, "--text", "a"))
        self.fail_with(2, "attend", *model, *keys, *out)
        short = self.folder / "short.npy"
        write_npy(short, [3, 14], [0.5] * 42)
        self.assertIn("3 tokens for the keys of 12", self.fail_with(
            1, "attend", *model, *own, *keys, "--value-embeddings", short, *out))
        self.assertIn("expected [m,10]", self.fail_with(
            1, "attend", *model, *own, "--key-embeddings", short, *values, *out))
        write_npy(short, [2, 24], [0.5] * 47 + [float("nan")])
        self.assertIn("NaN", self.fail_with(1, "attend", *model, "--embeddings", short, *keys, *values, *out))
        self.assertFalse(self.out.exists())


if __name__ == "__main__":
    main()
