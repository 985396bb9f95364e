"""Pages, and figures as SVG, opened and used in a browser with the network off."""
import json
import struct
import subprocess

from browser import Browser
from figures_test import TEXT, read_png
from program import ProgramTest, main, write_safetensors
from svg_test import near


def read_floats(path, name):
    """An array of a safetensors file, flat, and its shape."""
    data = path.read_bytes()
    (size,) = struct.unpack("<Q", data[:8])
    about = json.loads(data[8:8 + size])[name]
    begin, end = (8 + size + one for one in about["data_offsets"])
    return struct.unpack(f"<{(end - begin) // 4}f", data[begin:end]), about["shape"]


class Pages(ProgramTest):
    def opened(self, browser, *words):
        out = self.folder / "page.html"
        self.succeed("page", *words, "--out", out)
        browser.open(out)
        self.assertEqual(browser.faults, [])
        self.assertEqual(browser.requests, [out.resolve().as_uri()])
        return out

    def test_a_page_tells_the_weights_that_attend_writes(self):
        file = self.folder / "maps.safetensors"
        self.succeed("attend", "--text", TEXT, "--model", "probe", "--out", file)
        weights, (_, heads, n, _) = read_floats(file, "attention")
        with Browser() as browser:
            self.opened(browser, "--text", TEXT, "--model", "probe")
            x, y, wide, tall = browser.box("#map")
            names = browser.value("data.heads.map(head => head.name)")
            self.assertEqual(names, [f"L{layer}H{head}" for layer in range(2) for head in range(heads)])
            at = browser.box(".head", 6)  # L1H2
            browser.click(at[0] + at[2] / 2, at[1] + at[3] / 2)
            self.assertTrue(browser.text("#name").startswith("L1H2"))
            # The cell of query 8 and key 6, from the map's own place of cells.
            size = browser.value("Math.max(4, Math.floor(Math.min(520 / data.keys.length, 520 / data.queries.length, 34)))")
            right, bottom = browser.value(
                "(() => { const c = document.getElementById('map'); return [c.width, c.height]; })()")
            top = bottom - 4 - n * size
            left = right - top - n * size
            part = wide / right
            cell = (x + part * (left + 6.5 * size), y + part * (top + 8.5 * size))
            browser.point(*cell)
            expected = weights[((1 * heads + 2) * n + 8) * n + 6]
            told = browser.text("#words")
            self.assertIn("(8) looks at", told)
            self.assertIn(f"(6): {expected:.3f},", told)
            browser.point(2, 2)
            self.assertIn("Point at the map", browser.text("#words"))
            browser.click(*cell)
            browser.point(2, 2)
            self.assertIn(f"(6): {expected:.3f},", browser.text("#words"))  # kept
            browser.press("ArrowLeft")
            self.assertTrue(browser.text("#name").startswith("L1H1"))
            expected = weights[((1 * heads + 1) * n + 8) * n + 6]
            self.assertIn(f"(6): {expected:.3f},", browser.text("#words"))
            browser.press("ArrowUp", shift=True)
            self.assertIn("(7) looks at", browser.text("#words"))
            browser.press("Escape")
            self.assertIn("Point at the map", browser.text("#words"))
            self.assertEqual(browser.faults, [])
            self.assertEqual(len(browser.requests), 1)

    def test_a_text_cannot_leave_its_page(self):
        tokens = ["</script><script>document.title='x'</script>", "<img src=x onerror=alert(1)>", "{data}", "&amp;"]
        n = len(tokens)
        given = self.folder / "given.safetensors"
        weights = [1.0 / (row + 1) if key <= row else 0.0 for row in range(n) for key in range(n)]
        write_safetensors(given, {"attention": {"dtype": "F32", "shape": [1, 1, n, n], "data_offsets": [0, 4 * n * n]},
                                  "__metadata__": {"tokens": json.dumps(tokens)}}, struct.pack(f"<{n * n}f", *weights))
        with Browser() as browser:
            self.opened(browser, "--attention", given)
            self.assertEqual(browser.value("document.images.length"), 0)
            self.assertNotEqual(browser.value("document.title"), "x")
            shown = browser.value("[...document.querySelectorAll('#text span')].map(span => span.textContent)")
            for token, words in zip(tokens, shown):
                self.assertIn(token.replace(" ", "␣"), words)

    def test_144_heads_of_64_tokens_are_small_and_soon_there(self):
        n, heads = 64, 12
        row = [[1.0 / (query + 1) if key <= query else 0.0 for key in range(n)] for query in range(n)]
        flat = struct.pack(f"<{n * n}f", *[weight for one in row for weight in one]) * (heads * heads)
        given = self.folder / "given.safetensors"
        write_safetensors(given, {"attention": {"dtype": "F32", "shape": [heads, heads, n, n],
                                                "data_offsets": [0, len(flat)]},
                                  "__metadata__": {"tokens": json.dumps([f"word{i}" for i in range(n)]),
                                                   "causal": "false"}}, flat)
        with Browser() as browser:
            out = self.opened(browser, "--attention", given)
            self.assertLess(out.stat().st_size, 3_000_000)
            self.assertEqual(browser.value("document.querySelectorAll('.head canvas').length"), 144)
            milliseconds = int(browser.value("document.documentElement.dataset.ready"))
            print(f"{out.stat().st_size} bytes, drawn after {milliseconds} ms", flush=True)

    def test_a_comparison_and_roles_are_pages(self):
        scores = self.folder / "scores.json"
        self.succeed("score", "--model", "copy-h4", "--sequences", "5", "--out", scores)
        with Browser() as browser:
            out = self.folder / "compare.html"
            self.succeed("compare", "--model", "copy-h4", "--model", "copy-h4/step-0", "--ids",
                         ",".join(map(str, range(1, 17))), "--out", out)
            browser.open(out)
            at = browser.box(".cell", 0)
            browser.point(at[0] + 4, at[1] + 4)
            self.assertIn("goes with", browser.text("#words"))
            self.maps_side_by_side(browser)
            self.opened_scores(browser, scores)
            self.assertEqual(browser.faults, [])

    def maps_side_by_side(self, browser):
        """Both maps of the pair, cell by cell, as attend writes them."""
        ids = ",".join(map(str, range(1, 17)))
        weights = []
        for side, model in enumerate(("copy-h4", "copy-h4/step-0")):
            file = self.folder / f"side-{side}.safetensors"
            self.succeed("attend", "--ids", ids, "--model", model, "--out", file)
            weights.append(read_floats(file, "attention"))
        at = browser.box(".cell", 0)
        browser.click(at[0] + 4, at[1] + 4)
        pair = browser.value("data.pairs[data.heads[0].pair]")
        browser.press("ArrowDown", shift=True)
        browser.press("ArrowDown", shift=True)
        browser.press("ArrowRight", shift=True)
        told = browser.value("document.querySelector('#words + p').textContent")
        for side, name in ((0, pair["a"]), (1, pair["b"])):
            flat, (_, heads, n, _) = weights[side]
            layer, head = map(int, name[1:].split("H"))
            expected = flat[((layer * heads + head) * n + 2) * n + 1]
            self.assertIn(f"{'AB'[side]} {expected:.3f}", told)
        self.assertIn("(2) looks at", told)
        browser.value("document.querySelector('#map').scrollIntoView()")
        x, y, wide, tall = browser.box("#map")
        browser.point(x + 0.75 * wide, y + tall - 10)  # the last row of the right map
        self.assertIn("(15) looks at", browser.value("document.querySelector('#words + p').textContent"))
        browser.press("Escape")
        self.assertIn("goes with", browser.text("#words"))  # the cell goes first

    def opened_scores(self, browser, scores):
        out = self.folder / "roles.html"
        self.succeed("page", "--scores", scores, "--metric", "induction", "--out", out)
        browser.open(out)
        read = json.loads(scores.read_text())
        named = browser.value("data.heads.map(head => head.name)")
        self.assertEqual(named, [head["head"] for head in read["heads"]])
        best = max(read["heads"], key=lambda head: head["scores"]["induction"]["score"])
        at = browser.box(".cell", named.index(best["head"]))
        browser.click(at[0] + 4, at[1] + 4)
        self.assertEqual(browser.text("#name"), best["head"])
        self.assertIn("induction", browser.text("#more"))
        self.assertIn(f"{best['scores']['induction']['score']:.2f}", browser.text("#words"))
        browser.press("ArrowLeft")
        self.assertNotEqual(browser.text("#name"), best["head"])

    def test_an_svg_is_the_pngs_picture_in_a_browser_too(self):
        for name, words in (("head", ["--head", "L1H0"]), ("all", ["--all"])):
            for ending in (".png", ".svg"):
                self.succeed("render", *words, "--text", TEXT, "--size", 700, "--out", self.folder / f"{name}{ending}")
            expected = read_png(self.folder / f"{name}.png")
            width, height, _ = expected
            with Browser(width, height) as browser:
                browser.open(self.folder / f"{name}.svg")
                self.assertEqual(browser.faults, [])
                browser.picture(self.folder / "seen.png")
            found = read_png(self.folder / "seen.png")
            self.assertEqual(found[:2], (width, height))
            self.assertGreater(near(expected, found), 0.95, name)


if __name__ == "__main__":
    main()
