"""Scoring heads on a file of one's own in the real window: its table is the command's, and a wrong file changes nothing."""
from program import main
from window import WindowTest

HEADER = "ID\tText\tPronoun\tPronoun-offset\tA\tA-offset\tA-coref\tB\tB-offset\tB-coref\tURL"
TROUBLE = bytes((0x00, 0x5E, 0xD5))  # the edge of a card that tells an error, as the screen keeps it


def gap_table(rows):
    """GAP's format: in each row two persons, and the pronoun of the first or of the second."""
    names = ["Anna", "Mary", "Julia", "Maria", "Emma"]
    lines = [HEADER]
    for i in range(rows):
        first, second = names[i % 5], names[(i + 1) % 5]
        text = f"The old sailor told {first} a story. {second} hid the map in the garden before she went home."
        is_first = i % 3 == 0
        lines.append("\t".join([
            f"row-{i}", text, "she", str(text.rindex("she")), first, str(text.index(first)), str(is_first).upper(),
            second, str(text.rindex(second)), str(not is_first).upper(), "http://example.org"]))
    return "\n".join(lines) + "\n"


class Probes(WindowTest):
    def choose(self, path):
        self.xdotool("mousemove", 626, 79, "click", 1)  # Test texts, in the toolbar of Heads
        self.xdotool("type", "--delay", 20, str(path))
        self.xdotool("key", "Return")

    def tells_trouble(self):
        seen = self.seen()
        size = seen.depth_bytes
        # Rings of roles have the colour, too, but few pixels of it.
        return 150 < sum(row[at:at + 3] == TROUBLE
                         for row in seen.part(70, 90, 960, 240) for at in range(0, len(row), size))

    def save(self):
        """The scan that is shown, as a table: Files, the last row of its menu, and where it proposes."""
        table, text = self.folder / "probe-scan-probe.csv", self.folder / "probe-scan.txt"
        for place in (self.FILES, self.SAVE):
            self.xdotool("mousemove", *place, "click", 1)
            self.settle()
        self.xdotool("key", "Return")
        self.wait_for(lambda: table.exists() and text.exists())
        self.xdotool("key", "Escape")
        saved = table.read_bytes(), text.read_text()
        table.unlink()
        text.unlink()
        return saved

    FILES = (742, 79)
    SAVE = (760, 410)

    def test_a_gap_file_is_scored_as_the_command_does_and_a_wrong_one_leaves_it(self):
        probe = self.folder / "gap.tsv"
        probe.write_text(gap_table(60) + "row-x\tAnna left.\tshe\t0\tAnna\t0\tTRUE\tAnna\t0\tFALSE\thttp://example.org\n")
        self.start("--view", "heads")
        self.choose(probe)
        kept = self.folder / "cache" / "headscope" / "scans"
        self.wait_for(lambda: list(kept.glob("*-probe-*.scan")), 60)
        self.settle()
        self.assertFalse(self.tells_trouble())
        table, text = self.save()
        by_command = self.folder / "command.csv"
        self.succeed("score", "--model", self.probe, "--probe", probe, "--out", by_command)
        self.assertEqual(table, by_command.read_bytes())
        coreference = [line for line in table.decode().splitlines() if ",coreference," in line]
        self.assertEqual(len(coreference), 8)
        for line in coreference:
            head, _, score, error, chance, control, cases = line.split(",")
            self.assertTrue(0 <= float(score) <= 1 and error and control, head)
            self.assertEqual((float(chance), cases), (0.5, "60"))
        self.assertIn(f"--probe {probe} --out probe-scan-probe.csv", text)
        self.assertIn(f"{probe}: line 62, column ", text)

        wrong = self.folder / "wrong.tsv"
        wrong.write_text("a\tb\n1\t2\n")
        self.choose(wrong)
        self.wait_for(self.tells_trouble)
        self.xdotool("key", "Escape")
        self.wait_for(lambda: not self.tells_trouble())
        self.assertEqual(self.save()[0], table)
        self.leave()


if __name__ == "__main__":
    main()
