"""docs/notebook.md, line by line, with a bundled model. Without torch and transformers: not run."""
import json
import os
import re
import subprocess
import sys

from program import ProgramTest, main

try:
    import numpy
    import torch  # noqa: F401: the page asks for it
    import transformers
except ImportError as error:
    print("not run:", error, flush=True)
    sys.exit(0)


class Page(ProgramTest):
    def blocks(self):
        page = (self.source / "docs" / "notebook.md").read_text(encoding="utf-8")
        return re.findall(r"```python( lens)?\n(.*?)```", page, re.S)

    def command(self, line, names):
        """What a notebook does with a line that begins with !; a window is only asked for its picture."""
        line = line[1:].replace("$text", names["text"])
        words = re.sub(r"^headscope", f'"{self.program}"', line)
        if re.match(r"headscope (?!attend|render|score|page)", line):
            file = line.split()[1]
            words = re.sub(r"^headscope \S+", "", line)
            if file.endswith(".npz"):
                words = f'"{self.program}" render --attention {file} --all --out opened.png'
            else:
                words = f'"{self.program}" info --model {file} --json'
        done = subprocess.run(words, shell=True, capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(done.returncode, 0, f"{line}: {done.stderr}")

    def run_block(self, block, names):
        for line in block.splitlines():
            if line.startswith("!"):
                self.command(line, names)
            else:
                exec(line, names)  # noqa: S102: the page's own lines


class Notebook(Page):
    def test_every_line_runs_and_the_maps_are_the_programs(self):
        folder = self.source / "assets" / "models" / "english"
        names = {"text": "the old sailor told a story and the old sailor told a story",
                 "model": transformers.AutoModelForCausalLM.from_pretrained(folder, attn_implementation="eager").eval(),
                 "tokenizer": transformers.AutoTokenizer.from_pretrained(folder)}
        os.chdir(self.folder)
        for is_lens, block in self.blocks():
            if not is_lens:
                self.run_block(block, names)
        given, back = numpy.load("attention.npz"), numpy.load("maps.npz")
        self.assertEqual(given["attention"][:, 0].shape, back["attention"].shape)
        self.assertLess(numpy.abs(given["attention"][:, 0] - back["attention"]).max(), 1e-4)
        self.assertEqual(list(given["tokens"]), list(back["tokens"]))
        self.assertIn("induction", json.dumps(names["scores"]))
        for name in ("head.svg", "scores.svg", "page.html"):
            self.assertGreater((self.folder / name).stat().st_size, 1000)


if __name__ == "__main__":
    main()
