"""Folders as people's tools write them: each opens with transformers' maps, or is refused for what it is."""
import json

from program import ProgramTest, main, read_safetensors


class Folders(ProgramTest):
    def cases(self, refused):
        folders = self.source / "tests" / "golden" / "folders"
        for case in json.loads((folders / "manifest.json").read_text())["cases"]:
            if ("refused" in case) == refused:
                yield case, folders / case["name"]

    def test_each_folder_opens_with_the_maps_of_transformers(self):
        tried = 0
        for case, folder in self.cases(refused=False):
            with self.subTest(case["name"]):
                metadata, golden = read_safetensors(folder / "attention.safetensors")
                run = ["--ids", ",".join(map(str, json.loads(metadata["token_ids"])))]
                if "target_ids" in metadata:
                    run += ["--target-ids", ",".join(map(str, json.loads(metadata["target_ids"])))]
                out = self.folder / "attention.safetensors"
                self.succeed("attend", "--model", folder, *run, "--out", out)
                made = read_safetensors(out)[1]
                for part, (shape, expected) in golden.items():
                    made_shape, weights = made[part]
                    self.assertEqual(made_shape, shape)
                    self.assertLess(max(abs(a - b) for a, b in zip(weights, expected)), 1e-5)
                tried += 1
        self.assertGreater(tried, 40)

    def test_texts_give_the_ids_of_the_library(self):
        tried = 0
        for case, folder in self.cases(refused=False):
            if "text" in case:
                with self.subTest(case["name"]):
                    said = json.loads(self.succeed("tokenize", "--model", folder, "--text", case["text"]))
                    self.assertEqual(said["ids"], case["ids"])
                    tried += 1
        self.assertGreater(tried, 3)

    def test_what_cannot_be_run_is_named_for_what_it_is(self):
        for case, folder in self.cases(refused=True):
            with self.subTest(case["name"]):
                sentence = self.fail_with(1, "info", "--model", folder)
                for words in case["refused"]:
                    self.assertIn(words, sentence)


if __name__ == "__main__":
    main()
