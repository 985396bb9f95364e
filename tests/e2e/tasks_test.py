"""What people sit down to do, in the real window: each in no more clicks than was promised, which are counted.

Keys are not: a view's letter, the path of a file, which each dialog takes as it opens.
"""
import re
import time
import xml.etree.ElementTree

from program import main
from window import WindowTest, read_png

HEADS, COMPARE = (32, 196), (32, 254)  # on the rail
EXPORT = (1518, 85)  # on a head's page


def treebank(sentences):
    """CoNLL-U: a determiner before its noun, the noun before its verb."""
    lines = []
    for i in range(sentences):
        noun = ("sailor", "captain", "girl", "doctor", "farmer")[i % 5]
        verb = ("told", "gave", "asked")[i % 3]
        lines.append(f"# sent_id = {i}\n# text = the old {noun} {verb} a story")
        for place, (word, kind, head, relation) in enumerate((
                ("the", "DET", 3, "det"), ("old", "ADJ", 3, "amod"), (noun, "NOUN", 4, "nsubj"), (verb, "VERB", 0, "root"),
                ("a", "DET", 6, "det"), ("story", "NOUN", 4, "obj")), 1):
            lines.append("\t".join((str(place), word, word, kind, "_", "_", str(head), relation, "_", "_")))
        lines.append("")
    return "\n".join(lines) + "\n"


class Tasks(WindowTest):
    clicks = 0
    begun = 0.0

    def begin(self):
        self.clicks, self.begun = 0, time.time()

    def click(self, place):
        self.xdotool("mousemove", *place, "click", 1)
        self.settle()
        self.clicks += 1

    def type(self, text):
        """Into the field that has the keys: a dialog's or a menu's, as it opens."""
        self.xdotool("type", "--delay", 15, str(text))
        self.xdotool("key", "Return")
        self.settle(60)

    def ended(self, most, what):
        print(f"{what}: {self.clicks} clicks, {time.time() - self.begun:.1f} s with a machine's hands")
        self.assertLessEqual(self.clicks, most)

    def save_as(self, name):
        """Export, which opens with what is seen, and a name whose ending is the format."""
        path = self.folder / name
        self.click(EXPORT)
        self.xdotool("key", "ctrl+a")
        self.type(path)
        self.wait_for(path.exists)
        return path

    def test_a_head_as_lines_into_a_slide(self):
        self.start_bare("--model", "english")
        self.begin()
        self.click((500, 300))  # a head of the grid
        self.xdotool("key", "o")
        self.settle()
        path = self.save_as("lines.png")
        self.assertGreater(read_png(path)[2], 30)
        self.ended(4, "a head as lines into a slide")

    def test_a_page_for_the_class(self):
        self.start_bare("--model", "english")
        self.begin()
        page = self.save_as("class.html").read_text()
        self.assertIn("<script", page)
        self.assertNotRegex(page, r"(src|href)=[\"']https?:")
        self.ended(3, "a page for the class")

    def test_the_relation_table_of_a_treebank_into_latex(self):
        bank = self.folder / "bank.conllu"
        bank.write_text(treebank(60))
        self.start_bare("--model", "english")
        self.begin()
        self.click(HEADS)
        self.click((577, 79))  # Test texts
        self.type(bank)
        kept = self.folder / "cache" / "headscope" / "scans"
        self.wait_for(lambda: list(kept.glob("*-probe-*.scan")), 60)
        self.settle()
        self.click((455, 79))  # Relations
        table = self.save_as("relations.tex").read_text()
        self.assertIn("\\toprule", table)
        # The heads are the command's best.
        scores = self.folder / "command.csv"
        self.succeed("score", "--model", "english", "--probe", bank, "--out", scores)
        best = re.search(r"^det & .* & (L\dH\d) & 100 ", table, re.MULTILINE)
        self.assertTrue(best, table)
        self.assertRegex(scores.read_text(), rf"(?m)^{best[1]},dep:det:[a-z-]+,1,")
        self.ended(5, "the relation table of a treebank into LaTeX")

    def test_a_minimal_pair_side_by_side_as_svg(self):
        self.start_bare("--model", "english", "--text", "the old captain gave the girl a map")
        self.begin()
        self.click(COMPARE)
        self.xdotool("key", "b")
        self.type("the old girl gave the captain a map")
        picture = self.save_as("pair.svg")
        words = " ".join("".join(node.itertext()) for node in xml.etree.ElementTree.parse(picture).iter(
            "{http://www.w3.org/2000/svg}text"))
        self.assertRegex(words, "B reads “the old girl gave the captain a map”")
        self.ended(5, "a minimal pair side by side as SVG")


if __name__ == "__main__":
    main()
