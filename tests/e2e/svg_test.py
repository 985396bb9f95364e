"""Figures as SVG: rsvg-convert draws the PNG's picture, and every word is text."""
import json
import struct
import subprocess
import xml.etree.ElementTree

from figures_test import TEXT, TOKENS, read_png
from program import ProgramTest, main, write_safetensors

SVG = "{http://www.w3.org/2000/svg}"


def texts_of(svg):
    return ["".join(one.itertext()) for one in xml.etree.ElementTree.parse(svg).iter(SVG + "text")]


def near(expected, found, apart=2):
    """The share of pixels that are the same but for so much."""
    width, height, rows = expected
    same = sum(max(abs(a - b) for a, b in zip(one[i:i + 3], two[i:i + 3])) <= apart
               for one, two in zip(rows, found[2]) for i in range(0, 3 * width, 3))
    return same / (width * height)


class Svg(ProgramTest):
    def drawn(self, svg):
        """The pixels that another program draws."""
        png = self.folder / "drawn.png"
        subprocess.run(["rsvg-convert", svg, "-o", png], check=True, timeout=60)
        return read_png(png)

    def both(self, name, *words, size=700):
        for ending in (".png", ".svg"):
            self.succeed(*words, "--size", size, "--out", self.folder / f"{name}{ending}")
        return read_png(self.folder / f"{name}.png"), self.folder / f"{name}.svg"

    def test_an_svg_is_the_pngs_picture(self):
        long = " ".join([TEXT] * 9)
        for name, words in (("head", ["render", "--head", "L1H0"]), ("layer", ["render", "--layer", "1"]),
                            ("all", ["render", "--all"]), ("dark", ["render", "--head", "L0H1", "--theme", "dark"]),
                            ("counts", ["split", "--layer", "0", "--heads", "1,2,4"]),
                            ("pairs", ["compare", "--model", "probe", "--model", "gpt-h4/step-0", "--view", "pairs"])):
            text = TEXT if name != "all" else long
            expected, svg = self.both(name, *words, "--text", text)
            found = self.drawn(svg)
            self.assertEqual(found[:2], expected[:2], name)
            # All but the edges of letters, of which "pairs" has most: maps are the same cell by cell.
            self.assertGreater(near(expected, found), 0.9 if name == "pairs" else 0.95, name)
            # A picture that lies one pixel beside is another one.
            self.assertLess(near(expected, (*found[:2], [row[3:] + row[:3] for row in found[2]])),
                            near(expected, found), name)

    def test_titles_tokens_and_captions_are_text(self):
        _, svg = self.both("head", "render", "--head", "L1H0", "--text", TEXT, size=1600)
        texts = texts_of(svg)
        for word in ("story (6)", "story (13)", "told (4)"):
            self.assertEqual(texts.count(word), 2, word)
        self.assertEqual(sum(word.startswith("L1H0") for word in texts), 1)
        words = " ".join(texts)
        for word in ("probe, gpt2, 2 layers", "square root, 0 to 1"):
            self.assertIn(word, words)

    def test_tokens_of_every_script_are_text_and_stand_where_the_png_has_them(self):
        n = len(TOKENS)
        weights = [1.0 / (row + 1) if key <= row else 0.0 for row in range(n) for key in range(n)]
        given = self.folder / "given.safetensors"
        write_safetensors(given, {"attention": {"dtype": "F32", "shape": [1, 1, n, n], "data_offsets": [0, 4 * n * n]},
                                  "__metadata__": {"tokens": json.dumps(TOKENS)}}, struct.pack(f"<{n * n}f", *weights))
        expected, svg = self.both("given", "render", "--attention", given, "--head", "L0H0")
        texts = texts_of(svg)
        for token in TOKENS:
            self.assertEqual(texts.count(token), 2, token)
        self.assertGreater(near(expected, self.drawn(svg), 40), 0.97)

    def test_signs_of_a_token_are_not_joined(self):
        given = self.folder / "given.safetensors"
        write_safetensors(given, {"attention": {"dtype": "F32", "shape": [1, 1, 2, 2], "data_offsets": [0, 16]},
                                  "__metadata__": {"tokens": json.dumps(["->", "!="])}}, struct.pack("<4f", 1, 0, .5, .5))
        expected, svg = self.both("given", "render", "--attention", given, "--head", "L0H0")
        self.assertEqual(texts_of(svg).count("->"), 2)
        self.assertGreater(near(expected, self.drawn(svg), 40), 0.985)

    def test_an_svg_is_the_same_every_time(self):
        _, svg = self.both("head", "render", "--head", "L1H0", "--text", TEXT)
        before = svg.read_bytes()
        self.both("head", "render", "--head", "L1H0", "--text", TEXT)
        self.assertEqual(svg.read_bytes(), before)


if __name__ == "__main__":
    main()
