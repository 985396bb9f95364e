"""docs/notebook.md's lines for TransformerLens, with a small random model. Without the library: not run."""
import os
import sys

import notebook_test
from program import main

try:
    import numpy
    import torch
    import transformers
    from transformer_lens import HookedTransformer, HookedTransformerConfig
except ImportError as error:
    print("not run:", error, flush=True)
    sys.exit(0)


class NotebookOfLens(notebook_test.Page):
    def test_every_line_runs(self):
        folder = self.source / "assets" / "models" / "english"
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        torch.manual_seed(0)
        lens = HookedTransformer(HookedTransformerConfig(
            n_layers=2, d_model=32, n_ctx=64, d_head=8, n_heads=4, d_vocab=len(tokenizer), attn_only=True,
            act_fn="relu", device="cpu"), tokenizer=tokenizer)
        names = {"text": "the old sailor told a story", "lens": lens}
        os.chdir(self.folder)
        blocks = [block for is_lens, block in self.blocks() if is_lens]
        self.assertEqual(len(blocks), 1)
        self.run_block(blocks[0], names)
        maps = numpy.load("lens.npz")
        self.assertEqual(maps["attention"].shape[:2], (2, 4))
        self.assertEqual(maps["attention"].shape[2], len(maps["tokens"]))


if __name__ == "__main__":
    main()
