"""The golden models through the command line: what each says of itself, its attention, and its heads cut as trained."""
import json
import os

from program import ProgramTest, main, read_safetensors

INFO_KEYS = {"family", "layers", "heads", "kv_heads", "model_dim", "head_dim", "value_dim", "parameters", "positions",
             "vocabulary", "precision", "parts"}


class GoldenModels(ProgramTest):
    def cases(self):
        data = self.source / "tests" / "golden" / "data"
        for manifest in ("manifest.json", "encoders.json", "encoder_decoders.json"):
            for case in json.loads((data / manifest).read_text())["cases"]:
                yield case, data / case["name"]

    def test_each_model_opens_as_its_family(self):
        for case, folder in self.cases():
            with self.subTest(case["name"]):
                about = json.loads(self.succeed("info", "--model", folder, "--json"))
                self.assertLessEqual(INFO_KEYS, set(about))
                self.assertEqual(about["family"], case["family"])

    def test_fewer_threads_than_were_asked_for_give_the_same_maps(self):
        # Of a size that several threads share.
        words = "the old captain saw the small ship near the shore " * 6
        run = ["attend", "--model", "gpt-h8", "--text", words, "--out"]
        self.succeed(*run, self.folder / "all.safetensors")
        _, expected = read_safetensors(self.folder / "all.safetensors")[1]["attention"]
        for setting in ({"OMP_THREAD_LIMIT": "1"}, {"OMP_DYNAMIC": "true"}, {"OMP_NUM_THREADS": "1"}):
            with self.subTest(setting):
                self.succeed(*run, self.folder / "few.safetensors", env={**os.environ, **setting})
                _, made = read_safetensors(self.folder / "few.safetensors")[1]["attention"]
                self.assert_close(made, expected)

    def test_attention_and_the_trained_cut_equal_the_golden_arrays(self):
        for case, folder in self.cases():
            with self.subTest(case["name"]):
                metadata, golden = read_safetensors(folder / "attention.safetensors")
                if "attention" not in golden:
                    continue
                shape, expected = golden["attention"]
                run = ["--model", folder, "--ids", ",".join(map(str, json.loads(metadata["token_ids"])))]
                if "segment_ids" in metadata:
                    run += ["--segment-ids", ",".join(map(str, json.loads(metadata["segment_ids"])))]
                out = self.folder / "attention.safetensors"
                self.succeed("attend", *run, "--out", out)
                made_shape, made = read_safetensors(out)[1]["attention"]
                self.assertEqual(made_shape, shape)
                self.assert_close(made, expected)

                if case["family"] == "t5":
                    continue  # its bias belongs to the trained heads, and a cut leaves it out
                layer, heads = shape[0] - 1, shape[1]
                cut = self.folder / "split.safetensors"
                self.succeed("split", *run, "--layer", layer, "--heads", heads, "--out", cut)
                _, maps = read_safetensors(cut)[1][f"heads_{heads}"]
                self.assert_close(maps, expected[-len(maps):])

    def assert_close(self, made, expected):
        self.assertEqual(len(made), len(expected))
        self.assertLess(max(abs(a - b) for a, b in zip(made, expected)), 1e-5)


if __name__ == "__main__":
    main()
