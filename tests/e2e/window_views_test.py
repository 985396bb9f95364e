"""The ways in which Inspect shows one head, in the real window, by real keys and a real pointer."""
import json

from program import main
from window import WindowTest

PANEL = (1044, 200, 552, 740)  # left, top, width, height: of the head in full
FIELD = (1044, 300, 552, 320)  # of it where lines are drawn, under the tools and above the words
VIEWS = ("map", "lines", "arcs", "text", "query_key")


class WindowViews(WindowTest):
    def panel(self):
        return self.seen().part(*PANEL)

    def rows_changed(self, before):
        """How many rows of the panel are others than they were."""
        return sum(old != new for old, new in zip(before, self.panel()))

    def field_changed(self, before):
        return sum(old != new for old, new in zip(before, self.seen().part(*FIELD)))

    def away(self):
        """The pointer where nothing follows it."""
        self.xdotool("mousemove", 500, 20)
        self.settle()

    def kept_view(self):
        kept = self.folder / "config" / "headscope" / "preferences.json"
        return kept.exists() and json.loads(kept.read_text()).get("head_view")

    def test_each_key_shows_another_view_and_the_last_is_kept(self):
        self.start()
        self.away()
        pictures = [self.panel()]
        for view in VIEWS[1:]:
            self.xdotool("key", "o")
            self.settle()
            for name, picture in zip(VIEWS, pictures):
                self.assertGreater(self.rows_changed(picture), 60, f"{view} looks like {name}")
            pictures.append(self.panel())
            self.wait_for(lambda: self.kept_view() == view)
        self.xdotool("key", "o")
        self.settle()
        self.assertLess(self.rows_changed(pictures[0]), 5)
        self.xdotool("key", "shift+o")
        self.settle()
        self.assertLess(self.rows_changed(pictures[4]), 5)
        self.leave()
        self.start()
        self.assertEqual(self.kept_view(), "query_key")
        self.away()
        self.assertLess(self.rows_changed(pictures[4]), 5)

    def test_pointing_at_a_word_leaves_its_own_lines_and_the_pointer_gone_brings_them_back(self):
        self.start()
        self.xdotool("key", "o")
        self.away()
        whole = self.seen().part(*FIELD)
        self.xdotool("mousemove", 1080, 480)  # a name at the left
        self.settle()
        row = self.seen().part(*FIELD)
        self.assertGreater(self.field_changed(whole), 100)
        self.xdotool("mousemove", 1575, 480)  # and at the right
        self.settle()
        self.assertGreater(self.field_changed(whole), 100)
        self.assertGreater(self.field_changed(row), 25)
        self.away()
        self.assertEqual(self.field_changed(whole), 0)

    def test_lines_of_a_thousand_tokens_do_not_hold_up_a_frame(self):
        log = self.folder / "frames.csv"
        text = self.folder / "long.txt"
        text.write_text(" ".join(["the old sailor told the old sailor a story"] * 110))
        self.start_bare("--model", self.drawn_model(2, 4, 64, 1024), "--text-file", text, "--frame-log", log)
        self.xdotool("key", "o")
        self.settle(40)
        before = len(log.read_text().splitlines())
        for y in range(300, 640, 12):
            self.xdotool("mousemove", 1080, y)
        self.away()
        self.leave()
        spent = sorted(float(line.rsplit(",", 1)[1].split(" ms")[0].split()[-1]) for line in log.read_text().splitlines()[before:])
        self.assertGreater(len(spent), 30)
        print(f"frames {len(spent)}: median {spent[len(spent) // 2]:.1f} ms, 95 % {spent[len(spent) * 95 // 100]:.1f}, "
              f"most {spent[-1]:.1f}")
        # Of the window's own processor time, which other programs do not lengthen.
        self.assertLess(spent[len(spent) // 2], 16.7)
        self.assertLess(spent[len(spent) * 95 // 100], 25.0)
        self.assertLess(spent[-1], 50.0)


if __name__ == "__main__":
    main()
