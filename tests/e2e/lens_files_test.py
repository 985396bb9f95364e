"""Models of TransformerLens, checkpoints of nanoGPT and LoRA adapters: the maps are their own libraries'."""
import json
import pathlib
import shutil

from program import ProgramTest, main, read_safetensors


class LensFiles(ProgramTest):
    def setUp(self):
        super().setUp()
        self.golden = self.source / "tests" / "golden"

    def folders(self):
        for name in ("lens", "nano_gpt", "adapters"):
            for folder in sorted((self.golden / name).iterdir()):
                if (folder / "attention.safetensors").exists() and folder.name != "dora":
                    yield folder

    def test_each_opens_with_the_maps_of_its_library(self):
        count = 0
        for folder in self.folders():
            with self.subTest(folder.name):
                metadata, golden = read_safetensors(folder / "attention.safetensors")
                out = self.folder / "made.safetensors"
                ids = ",".join(map(str, json.loads(metadata["token_ids"])))
                self.succeed("attend", "--model", folder, "--ids", ids, "--out", out)
                shape, weights = read_safetensors(out)[1]["attention"]
                self.assertEqual(shape, golden["attention"][0])
                bound = max(1e-5, 3.0 * float(metadata["own_error"]))
                self.assertLess(max(abs(a - b) for a, b in zip(weights, golden["attention"][1])), bound)
                count += 1
        self.assertGreaterEqual(count, 8)

    def test_a_checkpoint_of_nano_gpt_reads_texts_by_its_characters(self):
        said = json.loads(self.succeed("tokenize", "--model", self.golden / "nano_gpt/plain/ckpt.pt", "--text", "ab c!"))
        self.assertEqual(said["ids"], [6, 7, 1, 8, 2])
        self.assertIn("no \"é\"", self.fail_with(1, "tokenize", "--model", self.golden / "nano_gpt/plain", "--text", "é"))

    def test_an_adapter_says_that_it_is_merged_and_another_kind_why_not(self):
        said = self.succeed("info", "--model", self.golden / "adapters/llama_queries")
        self.assertIn("LoRA adapter of rank 4 merged", said)
        self.assertIn("use_dora", self.fail_with(1, "info", "--model", self.golden / "adapters/dora"))

    def test_files_cut_anywhere_are_refused_in_one_sentence(self):
        shutil.copytree(self.golden / "adapters/llama", self.folder / "llama")
        for source, file in (("adapters/llama_queries", "adapter_model.safetensors"), ("nano_gpt/plain", "ckpt.pt"),
                             ("lens/othello", "synthetic.pth"), ("lens/no_norm", "model.safetensors")):
            model = self.folder / "cut"
            shutil.copytree(self.golden / source, model)
            (model / "attention.safetensors").unlink()
            whole = (model / file).read_bytes()
            for size in (0, 3, 30, 200, len(whole) // 3, len(whole) - 30, len(whole) - 1):
                with self.subTest(file, size=size):
                    (model / file).write_bytes(whole[:size])
                    self.fail_with(1, "info", "--model", model)
                    self.fail_with(1, "info", "--model", model / file)
            shutil.rmtree(model)

    def test_a_vocabulary_with_a_command_runs_nothing(self):
        model = self.folder / "nano"
        shutil.copytree(self.golden / "nano_gpt/plain", model)
        (model / "meta.pkl").write_bytes(b"cos\nsystem\n(S'touch headscope_ran_this'\ntR.")
        self.assertIn("not run", self.fail_with(1, "tokenize", "--model", model, "--text", "abc"))
        self.succeed("info", "--model", model)
        self.assertFalse(pathlib.Path("headscope_ran_this").exists())

    def test_weights_of_another_size_than_the_settings_are_refused_by_the_tensor(self):
        model = self.folder / "lens"
        shutil.copytree(self.golden / "lens/no_norm", model)
        settings = json.loads((model / "cfg.json").read_text())
        (model / "cfg.json").write_text(json.dumps(settings | {"d_head": 7}))
        sentence = self.fail_with(1, "info", "--model", model)
        self.assertIn("[5,24,6]", sentence)
        self.assertIn("[5,24,7]", sentence)
        (model / "cfg.json").write_text(json.dumps(settings | {"n_layers": 2}))
        self.assertIn("layer 2", self.fail_with(1, "info", "--model", model))


if __name__ == "__main__":
    main()
