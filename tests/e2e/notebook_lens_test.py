"""docs/notebook.md's lines for TransformerLens, with a bundled model. Without the library (version 4): not run."""
import os
import sys

import notebook_test
from program import main

try:
    import numpy
    from transformer_lens.model_bridge import TransformerBridge
except ImportError as error:
    print("not run:", error, flush=True)
    sys.exit(0)


class NotebookOfLens(notebook_test.Page):
    def test_every_line_runs_and_the_maps_are_the_programs(self):
        folder = self.source / "assets" / "models" / "english"
        text = "the old sailor told a story"
        names = {"text": text, "lens": TransformerBridge.boot_transformers(str(folder))}
        os.chdir(self.folder)
        blocks = [block for is_lens, block in self.blocks() if is_lens]
        self.assertEqual(len(blocks), 1)
        self.run_block(blocks[0], names)
        self.succeed("attend", "--model", folder, "--text", text, "--out", "own.npz")
        given, own = numpy.load("lens.npz"), numpy.load("own.npz")
        self.assertLess(numpy.abs(given["attention"] - own["attention"]).max(), 1e-4)
        self.assertEqual(len(given["tokens"]), len(own["tokens"]))


if __name__ == "__main__":
    main()
