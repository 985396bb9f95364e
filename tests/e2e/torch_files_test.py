"""Files that torch.save wrote: their models open with transformers' maps, and nothing in them is run."""
import json
import pathlib

from program import ProgramTest, main, read_safetensors


class TorchFiles(ProgramTest):
    def cases(self, refused):
        folders = self.source / "tests" / "golden" / "torch"
        for case in json.loads((folders / "manifest.json").read_text())["cases"]:
            if ("refused" in case) == refused:
                yield case, folders / case["name"]

    def test_states_open_with_the_maps_of_transformers(self):
        for case, folder in self.cases(refused=False):
            with self.subTest(case["name"]):
                metadata, golden = read_safetensors(folder / "attention.safetensors")
                ids = ",".join(map(str, json.loads(metadata["token_ids"])))
                out = self.folder / "made.safetensors"
                self.succeed("attend", "--model", folder / case["opens"], "--ids", ids, "--out", out)
                shape, weights = read_safetensors(out)[1]["attention"]
                self.assertEqual(shape, golden["attention"][0])
                self.assertLess(max(abs(a - b) for a, b in zip(weights, golden["attention"][1])), 1e-5)

    def test_what_is_more_than_a_state_is_refused_by_its_name(self):
        for case, folder in self.cases(refused=True):
            with self.subTest(case["name"]):
                sentence = self.fail_with(1, "info", "--model", folder)
                for words in case["refused"] + ["pytorch_model.bin"]:
                    self.assertIn(words, sentence)
        self.assertFalse(pathlib.Path("headscope_ran_this").exists())
        self.assertFalse((self.folder / "headscope_ran_this").exists())

    def test_a_file_cut_anywhere_is_refused_in_one_sentence(self):
        whole = (self.source / "tests/golden/torch/plain/pytorch_model.bin").read_bytes()
        config = (self.source / "tests/golden/torch/plain/config.json").read_bytes()
        model = self.folder / "cut"
        model.mkdir()
        (model / "config.json").write_bytes(config)
        for size in (0, 3, 4, 30, 200, len(whole) // 3, len(whole) - 30, len(whole) - 1):
            (model / "pytorch_model.bin").write_bytes(whole[:size])
            self.fail_with(1, "info", "--model", model)

    def test_weights_need_their_config(self):
        file = self.folder / "lonely.pt"
        file.write_bytes((self.source / "tests/golden/torch/plain/pytorch_model.bin").read_bytes())
        self.assertIn("config.json", self.fail_with(1, "info", "--model", file))


if __name__ == "__main__":
    main()
