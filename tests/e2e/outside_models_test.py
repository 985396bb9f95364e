"""Real models from outside: the program's answers against what was published with them. Needs the outside data folder."""
import base64
import json
import pathlib
import struct

from program import ProgramTest, main, read_safetensors


class OutsideModels(ProgramTest):
    @property
    def data(self):
        return pathlib.Path(self.extra[0])

    def test_stories_attention_equals_the_reference(self):
        folder = self.data / "models" / "stories260K"
        for index, reference in enumerate(json.loads((folder / "reference_attention.json").read_text())["refs"]):
            out = self.folder / f"{index}.safetensors"
            self.succeed("attend", "--model", folder / "hf", "--text", reference["text"], "--out", out)
            metadata, tensors = read_safetensors(out)
            self.assertEqual(json.loads(metadata["token_ids"]), reference["ids"])
            self.assertEqual(json.loads(metadata["tokens"]), reference["tokens"])
            flat = [weight for layer in reference["attention"] for head in layer for row in head for weight in row]
            _, values = tensors["attention"]
            self.assertEqual(len(flat), len(values))
            self.assertLess(max(abs(a - b) for a, b in zip(flat, values)), 1e-4)

    def test_nanogpt_attention_equals_its_partials(self):
        folder = self.data / "models" / "nanogpt"
        partials = json.loads((folder / "gpt-nano-sort-t0-partials.json").read_text())

        def array(name):
            raw = base64.b64decode(partials[name]["data"])
            return partials[name]["shape"], struct.unpack(f"<{len(raw) // 4}f", raw)

        (batch, length), ids = array("idx")
        _, expected = array("attSm")  # [batch, head, query, key] of layer 0
        per_row = len(expected) // batch
        for row in range(batch):
            out = self.folder / f"{row}.safetensors"
            numbers = ",".join(str(int(token)) for token in ids[row * length:(row + 1) * length])
            self.succeed("attend", "--model", folder / "hf", "--ids", numbers, "--layers", "0", "--out", out)
            _, values = read_safetensors(out)[1]["attention"]
            self.assertLess(
                max(abs(a - b) for a, b in zip(values, expected[row * per_row:(row + 1) * per_row])), 1e-5)


if __name__ == "__main__":
    main()
