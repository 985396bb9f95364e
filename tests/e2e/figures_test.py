"""Figures on the command line: what other programs read from a PDF, and that it is the PNG's picture."""
import json
import struct
import subprocess
import zlib

from program import ProgramTest, main, write_safetensors

TEXT = "the old sailor told a story and the old sailor told a story"
TOKENS = ["old", "\u05e9\u05dc\u05d5\u05dd", "\u4e2d\u6587", "na\u00efve", "\U0001f600", "\u0643\u062a\u0627\u0628"]
PIXELS_PER_INCH = 150


def run(*command):
    return subprocess.run(list(map(str, command)), capture_output=True, check=True, timeout=60).stdout


def text_of(pdf, *options):
    return run("pdftotext", *options, pdf, "-").decode()


def fonts_of(pdf):
    """Of each font whether it is embedded, a subset, and with its text."""
    lines = run("pdffonts", pdf).decode().splitlines()[2:]
    return [tuple(line.split()[-5:-2]) for line in lines]


def page_of(pdf):
    (line,) = [line for line in run("pdfinfo", pdf).decode().splitlines() if line.startswith("Page size:")]
    words = line.split()
    return float(words[2]), float(words[4])


def read_png(path):
    """(width, height, rows of RGB bytes) of an opaque PNG as cairo writes them."""
    data = path.read_bytes()
    width, height, depth, kind = struct.unpack(">IIBB", data[16:26])
    assert depth == 8 and kind in (2, 6)
    wide = 3 if kind == 2 else 4
    packed, at = b"", 8
    while at < len(data):
        (length,) = struct.unpack(">I", data[at:at + 4])
        if data[at + 4:at + 8] == b"IDAT":
            packed += data[at + 8:at + 8 + length]
        at += 12 + length
    raw, stride, rows, before = zlib.decompress(packed), wide * width, [], bytes(wide * width)
    for row in range(height):
        how, line = raw[row * (stride + 1)], bytearray(raw[row * (stride + 1) + 1:(row + 1) * (stride + 1)])
        for i, _ in enumerate(line):
            left, up = (line[i - wide] if i >= wide else 0), before[i]
            corner = before[i - wide] if i >= wide else 0
            paeth = min((left, up, corner), key=lambda value: abs(left + up - corner - value))
            line[i] = (line[i] + (0, left, up, (left + up) // 2, paeth)[how]) % 256
        before = bytes(line)
        if wide == 4:
            assert set(line[3::4]) == {255}
            del line[3::4]
        rows.append(bytes(line))
    return width, height, rows


def drawn(pdf):
    """The same of a PDF's page, with a pixel for each of the PNG's."""
    data = run("pdftoppm", "-r", PIXELS_PER_INCH, pdf)
    kind, width, height, most, pixels = data.split(maxsplit=4) if data[:2] == b"P6" else (b"",) * 5
    assert (kind, most) == (b"P6", b"255")
    width, height = int(width), int(height)
    pixels = data[-3 * width * height:]
    return width, height, [pixels[3 * width * row:3 * width * (row + 1)] for row in range(height)]


class Figures(ProgramTest):
    def figures(self, ending, size=700):
        """A file of each kind of figure."""
        for name, words in (("head", ["render", "--head", "L1H0"]), ("layer", ["render", "--layer", "1"]),
                            ("all", ["render", "--all"]), ("counts", ["split", "--layer", "0", "--heads", "1,2,4"])):
            out = self.folder / f"{name}{ending}"
            self.succeed(*words, "--text", TEXT, "--size", size, "--out", out)
            yield name, out

    def test_a_pdf_is_the_same_every_time_and_has_its_fonts(self):
        for name, out in self.figures(".pdf"):
            before = out.read_bytes()
            self.assertTrue(before.startswith(b"%PDF-"), name)
            out.unlink()
            dict(self.figures(".pdf"))
            self.assertEqual(out.read_bytes(), before, name)
            fonts = fonts_of(out)
            self.assertGreater(len(fonts), 0)
            self.assertEqual(set(fonts), {("yes", "yes", "yes")}, name)
            about = run("pdfinfo", out).decode()
            self.assertNotIn("Date:", about)
            self.assertRegex(about, r"Title: +\w")
            self.assertRegex(about, r"Pages: +1\n")

    def test_titles_tokens_and_captions_are_text(self):
        files = dict(self.figures(".pdf", 1600))
        for name, words in (("head", ["L1H0", "sailor", "story"]), ("layer", ["Layer 1", "L1H3"]),
                            ("all", ["Every head", "L0", "H3"]), ("counts", ["d_k 96", "trained", "multiplies"])):
            text = text_of(files[name], "-layout")
            for word in [*words, "probe, gpt2, 2 layers", "square root, 0 to 1"]:
                self.assertIn(word, text, name)
        # Those along the top are slanted, and words all the same.
        for word in ("story (6)", "story (13)", "told (4)"):
            self.assertEqual(text_of(files["head"]).count(word), 2, word)

    def test_tokens_of_every_script_are_text(self):
        n = len(TOKENS)
        weights = [1.0 / (row + 1) if key <= row else 0.0 for row in range(n) for key in range(n)]
        given, out = self.folder / "given.safetensors", self.folder / "given.pdf"
        write_safetensors(given, {"attention": {"dtype": "F32", "shape": [1, 1, n, n], "data_offsets": [0, 4 * n * n]},
                                  "__metadata__": {"tokens": json.dumps(TOKENS)}}, struct.pack(f"<{n * n}f", *weights))
        self.succeed("render", "--attention", given, "--head", "L0H0", "--out", out)
        text = text_of(out)
        for token in TOKENS:
            if token != "\U0001f600":  # drawn as a picture
                self.assertIn(token, text)
        self.assertGreater(run("pdfimages", "-list", out).count(b"image"), 0)

    def test_a_pdf_is_the_pictures_page(self):
        pngs = dict(self.figures(".png"))
        for name, pdf in self.figures(".pdf"):
            width, height, expected = read_png(pngs[name])
            page = page_of(pdf)
            self.assertAlmostEqual(page[0], width * 72 / PIXELS_PER_INCH, delta=0.01)
            self.assertAlmostEqual(page[1], height * 72 / PIXELS_PER_INCH, delta=0.01)
            found = drawn(pdf)
            self.assertEqual(found[:2], (width, height), name)
            # All but the edges of letters: maps are the same cell by cell.
            same = sum(max(abs(a - b) for a, b in zip(one[i:i + 3], two[i:i + 3])) <= 2
                       for one, two in zip(expected, found[2]) for i in range(0, 3 * width, 3))
            self.assertGreater(same / (width * height), 0.95, name)

    def test_a_pdf_that_cannot_be_written_leaves_nothing_behind(self):
        folder = self.folder / "a.pdf"
        folder.mkdir()
        head = ["render", "--text", "a", "--head", "L0H0"]
        self.assertIn("a.pdf", self.fail_with(1, *head, "--out", folder))
        self.fail_with(1, *head, "--out", self.folder / "none" / "a.pdf")
        self.fail_with(2, *head, "--size", "20", "--out", self.folder / "b.pdf")
        self.fail_with(1, "split", "--text", TEXT, "--layer", "0", "--size", "160", "--out", self.folder / "b.pdf")
        self.assertEqual(sorted(self.folder.iterdir()), [folder])
        old = self.folder / "old.pdf"
        old.write_bytes(b"mine")
        limited = ["bash", "-c", 'ulimit -f 1; exec "$@"', "bash", self.program, *head, "--model", "probe", "--out", old]
        done = subprocess.run(list(map(str, limited)), capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(old.read_bytes(), b"mine")


if __name__ == "__main__":
    main()
