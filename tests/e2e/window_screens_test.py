"""Counts, the walk and Compare in the real window, by real keys and a real pointer; and models and texts that
change while they compute."""
import time

from program import main
from window import TEXT, WindowTest

MIDDLE = (80, 190, 950, 760)  # left, top, width, height: under the toolbar, beside the panel
WORDS = "the old sailor told the old sailor a story"


class WindowScreens(WindowTest):
    def assert_drawn(self, what, left=MIDDLE[0], top=MIDDLE[1], width=MIDDLE[2], height=MIDDLE[3]):
        """Maps have many colours; a screen of words and panels alone has few."""
        self.assertIsNone(self.window.poll(), f"{what}: the window is gone")
        self.assertGreater(self.seen().colours(left, top, width, height), 200, what)

    def change_by(self, do):
        """How many rows of the screen's middle are others afterwards."""
        before = self.seen().part(*MIDDLE)
        do()
        self.settle()
        return sum(old != new for old, new in zip(before, self.seen().part(*MIDDLE)))

    def point_at(self, x, y):
        self.xdotool("mousemove", x, y)

    def test_keys_open_counts_the_walk_and_compare_and_a_head_is_pointed_at(self):
        self.start_bare("--model", "gpt-h8", "--text", TEXT)
        self.point_at(1590, 990)
        self.assertGreater(self.change_by(lambda: self.xdotool("key", "2")), 300)
        self.assert_drawn("counts")
        self.assertGreater(self.change_by(lambda: self.point_at(560, 330)), 20)  # the map of one head
        self.assertGreater(self.change_by(lambda: self.xdotool("key", "w")), 300)
        self.assert_drawn("the walk")
        self.assertGreater(self.change_by(lambda: self.point_at(200, 300)), 10)  # a cell of X
        self.assertGreater(self.change_by(lambda: self.xdotool("key", "Right")), 100)  # the next step
        self.assert_drawn("the walk's second step")
        self.assertGreater(self.change_by(lambda: self.xdotool("key", "4")), 300)
        self.xdotool("key", "b")
        self.xdotool("type", "--delay", 20, "gpt-h4")
        self.xdotool("key", "Return")
        self.settle()
        self.assert_drawn("the comparison")
        # A head of the first layer, then a cell of a map: each is told of where the pointer is.
        self.assertGreater(self.change_by(lambda: self.point_at(300, 150)), 0)
        self.xdotool("click", 1)
        self.settle()
        self.assert_drawn("another pair")
        self.assertGreater(self.change_by(lambda: self.point_at(300, 700)), 20)
        for way in ("swipe", "difference", "side by side"):
            self.assertGreater(self.change_by(lambda: self.xdotool("key", "w")), 20, way)
        self.leave()

    def test_a_new_text_or_model_while_they_compute_ends_nothing(self):
        busy = self.drawn_model(4, 8, 256, 1024)  # computes for seconds
        words = "the old sailor told the young captain a story and "
        text = self.folder / "long.txt"
        text.write_text(words * (900 // len(words.split())))
        self.start_bare("--model", busy, "--text-file", text)
        for round_, screen in enumerate(("2", "w", "4", "2", "4")):
            if screen == "w":
                self.xdotool("key", "1", "2")
            self.xdotool("key", screen)
            if screen == "4" and round_ < 4:
                self.xdotool("key", "b")
                self.xdotool("type", "--delay", 5, self.probe)
                self.xdotool("key", "Return")
            time.sleep(0.1 * round_)
            self.xdotool("key", "ctrl+l", "End")  # another text
            self.xdotool("type", "--delay", 5, "and the captain told a story ")
            self.xdotool("key", "Escape", "2", "4", "1", screen)
            self.assertIsNone(self.window.poll(), screen)
        for model in (self.probe, busy, self.probe):  # another model, in the middle of it
            self.xdotool("key", "2", "m")
            self.xdotool("type", "--delay", 5, model)
            self.xdotool("key", "Return", "4", "2", "w")
            self.assertIsNone(self.window.poll(), model)
        self.xdotool("key", "ctrl+l", "ctrl+a")
        self.xdotool("type", "--delay", 5, "the old sailor told a story and the captain told a story")
        self.xdotool("key", "Escape", "1", "2")
        self.settle(60)
        self.assert_drawn("counts of the last text")
        self.assertGreater(self.change_by(lambda: self.xdotool("key", "4")), 100)
        self.assertIsNone(self.window.poll(), "compare")
        self.leave()

    def compare_with(self, other):
        self.xdotool("key", "b")
        self.xdotool("type", "--delay", 20, other)
        self.xdotool("key", "Return")
        self.settle(60)

    def test_attention_from_a_file_and_a_model_of_other_tokens_stand_as_side_b(self):
        maps = self.folder / "maps.safetensors"
        self.succeed("attend", "--model", "gpt-h4", "--text", WORDS, "--out", maps)
        self.start_bare("--model", "gpt-h8", "--text", WORDS, "--view", "compare")
        for option, other, name in (("--attention", maps, "gpt-h4"), ("--model", self.probe, "probe")):
            self.compare_with(other)
            self.assert_drawn(f"beside {name}")
            self.xdotool("key", "ctrl+e")
            self.settle()
            self.xdotool("key", "Return")
            shown = self.folder / f"gpt-h8-{name}-comparison.png"
            self.assertTrue(self.wait_for(shown.exists), name)
            self.xdotool("key", "Escape")
            line = self.folder / f"{name}.png"
            self.succeed("compare", "--model", "gpt-h8", option, other, "--text", WORDS, "--out", line)
            self.assertEqual(shown.read_bytes(), line.read_bytes(), name)
        self.leave()

    def test_the_wheel_zooms_a_pair_of_4096_tokens_and_a_double_click_goes_back(self):
        long = self.drawn_model(1, 2, 64, 4096)
        text = self.folder / "long.txt"
        text.write_text(" ".join([WORDS] * (4000 // len(WORDS.split()))))
        self.start_bare("--model", long, "--text-file", text, "--view", "compare")
        self.compare_with(long)
        self.point_at(300, 600)
        self.settle(60)
        self.assert_drawn("the pair")
        whole = self.seen().part(*MIDDLE)
        for turn in range(3):
            self.assertGreater(self.change_by(lambda: self.xdotool("click", 4)), 100, turn)
        finer = self.seen().part(*MIDDLE)
        self.assertGreater(self.change_by(lambda: self.xdotool("click", 5)), 100)
        self.assertGreater(self.change_by(lambda: self.xdotool("click", 4)), 100)
        self.assertTrue(self.seen().part(*MIDDLE) == finer, "another picture")  # their difference as text takes minutes
        for _ in range(3):  # where frames are slow, two clicks may come too far apart
            self.xdotool("click", "--repeat", 2, "--delay", 60, 1)
            self.xdotool("key", "Escape")
            self.settle(60)
            if self.seen().part(*MIDDLE) == whole:
                break
        else:
            self.fail("the whole pair did not come back")
        self.leave()


if __name__ == "__main__":
    main()
