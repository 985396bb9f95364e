"""Every type of model that opens, as transformers saves it: the maps are transformers' own."""
import json

from program import ProgramTest, main, read_safetensors


class Families(ProgramTest):
    def setUp(self):
        super().setUp()
        self.types = json.loads(self.succeed("families", "--json"))
        self.folders = self.source / "tests" / "golden" / "families"

    def test_each_type_opens_with_the_maps_of_transformers(self):
        variants = self.source / "tests" / "golden" / "variants"  # of types that have a folder
        for folder in sorted([*self.folders.iterdir(), *variants.iterdir()]):
            with self.subTest(folder.name):
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
                    # Of transformers in float32, where that is more than a third of the bound.
                    bound = max(1e-5, 3.0 * float(metadata["own_error"]))
                    self.assertLess(max(abs(a - b) for a, b in zip(weights, expected)), bound)

    def test_the_list_names_every_type_with_its_layout_and_parts(self):
        names = [one["type"] for one in self.types]
        self.assertEqual(names, sorted(set(names)))
        layouts = {one["type"]: one["layout"] for one in self.types}
        parts = {one["type"]: one["parts"] for one in self.types}
        self.assertEqual(layouts["xlm-roberta"], "roberta")
        self.assertEqual(layouts["gemma3_text"], "gemma2")
        self.assertEqual(parts["mbart"], ["encoder", "decoder", "cross"])
        self.assertEqual(parts["modernbert"], ["encoder"])
        self.assertEqual(parts["modernbert-decoder"], ["decoder"])

    def test_every_type_with_a_folder_is_in_the_list(self):
        names = {one["type"] for one in self.types}
        folders = {folder.name for folder in self.folders.iterdir()}
        self.assertEqual(folders - names, set())
        self.assertGreater(len(folders), 60)

    def test_what_does_not_work_on_a_type_says_why(self):
        why_not = {one["type"]: one["why_not"] for one in self.types}
        self.assertEqual(why_not["llama"], {})
        self.assertIn("norms", why_not["olmo2"]["walk"])
        self.assertIn("next token", why_not["bert"]["ablate"])

    def test_the_table_of_the_readme_is_this_list(self):
        said = {}
        for line in (self.source / "README.md").read_text().splitlines():
            cells = [cell.strip() for cell in line.split("|")]
            if len(cells) == 6 and cells[1] not in ("layout", "---"):
                said[cells[1]] = cells[2].split(", ")
        listed = {}
        for one in self.types:
            listed.setdefault(one["layout"], []).append(one["type"])
        self.assertEqual(said, listed)

    def test_lines_say_the_same(self):
        lines = self.succeed("families").splitlines()
        self.assertEqual([line.split()[0] for line in lines], [one["type"] for one in self.types])


if __name__ == "__main__":
    main()
