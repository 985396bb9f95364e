"""The real window under mouse and keys: what is typed, chosen and looked at, and what an idle window costs."""
import json
import pathlib
import time

from program import main
from window import WindowTest

TEXT = "The cat sat on the mat."


class Window(WindowTest):
    def test_click_type_flag_undo_and_open_again(self):
        path = self.folder / "work.json"
        preferences = self.folder / "preferences.json"
        preferences.write_text('{"doors": false}')  # no cards above the grid
        self.start("--session", path, "--preferences", preferences)
        self.xdotool("mousemove", 440, 240, "click", 1)  # L0H1 in the grid
        self.xdotool("mousemove", 700, 28, "click", 1)  # the sentence
        self.xdotool("key", "ctrl+a")
        self.xdotool("type", "--delay", 40, "the cat told the cat a story")
        self.xdotool("key", "Escape")
        self.xdotool("key", "f")
        self.xdotool("key", "1")
        self.xdotool("type", "--delay", 40, "copies")
        self.xdotool("key", "Return")
        session = self.session(path)
        self.assertEqual(session["text"], "the cat told the cat a story")
        self.assertEqual([(flag["layer"], flag["head"], flag["note"]) for flag in session["flags"]],
                         [(0, 1, "copies")])
        self.xdotool("key", "ctrl+z")
        self.wait_for(lambda: not self.session(path)["flags"])
        self.xdotool("key", "ctrl+y")
        self.wait_for(lambda: self.session(path)["flags"])
        self.xdotool("key", "ctrl+q")
        self.assertEqual(self.window.wait(20), 0)
        self.start("--session", path)  # all is there again, and stays when another head is flagged
        self.xdotool("type", "--delay", 60, "L1H2")
        self.xdotool("key", "Return")
        self.xdotool("key", "f")
        self.xdotool("key", "1")
        self.xdotool("key", "Return")
        self.wait_for(lambda: len(self.session(path)["flags"]) == 2)
        self.assertEqual(self.session(path)["flags"][1]["head"], 2)

    def test_letters_faster_than_frames_all_arrive_in_their_order(self):
        path = self.folder / "work.json"
        self.start("--session", path)
        self.xdotool("mousemove", 440, 240, "click", 1)
        self.xdotool("mousemove", 700, 28, "click", 1)
        self.xdotool("key", "ctrl+a")
        text = "the cat told the cat a story and the dog told the dog a story"
        self.xdotool("type", "--delay", 0, text)
        time.sleep(2)  # in which nobody touches anything
        for key in ("Escape", "f", "1", "Return"):
            self.xdotool("key", key)
        self.assertEqual(self.session(path)["text"], text)

    def held_text(self, path):
        """The sentence as the session keeps it when the window is closed; the window is gone then."""
        self.xdotool("key", "Escape")
        self.xdotool("key", "ctrl+q")
        self.assertEqual(self.window.wait(20), 0)
        return json.loads(path.read_text())["text"]

    def test_every_key_counts_however_fast(self):
        path = self.folder / "work.json"
        self.start("--session", path)
        self.xdotool("mousemove", 700, 28, "click", 1)
        # All of it selected within a few milliseconds, typed over, twenty letters taken back. GLFW takes a
        # key that is pressed twice within a millisecond for one.
        self.xdotool("key", "--delay", 4, "ctrl+a")
        self.xdotool("type", "--delay", 0, "the cat told the dog a very long story")
        self.xdotool("key", "--delay", 4, *["BackSpace"] * 20)
        self.xdotool("key", "--delay", 4, "Home", "Delete", "Delete", "Delete", "Delete", "End")
        self.xdotool("type", "--delay", 0, "12")
        self.assertEqual(self.held_text(path), "cat told the d12")

    def test_any_script_is_cut_pasted_edited_and_undone(self):
        path = self.folder / "work.json"
        start = "\u4e2d\u6587 \u0627\u0644\u0633 \u0939\u093f \U0001f600"
        self.start_bare("--model", "gpt-h8", "--text", start, "--session", path)
        self.xdotool("mousemove", 900, 28, "click", 1)
        self.xdotool("key", "ctrl+a", "ctrl+x")
        self.xdotool("key", "ctrl+v", "ctrl+v", "BackSpace")  # the smile goes whole
        self.xdotool("key", "Home", "Right", "a", "b")
        self.xdotool("key", "ctrl+z", "x")
        self.assertEqual(self.held_text(path), start[0] + "x" + start[1:] + start[:-1])

    def test_ids_are_typed_in_place_of_a_text(self):
        path = self.folder / "work.json"
        self.start("--session", path)
        self.xdotool("key", "ctrl+l", "ctrl+a")
        self.xdotool("type", "--delay", 0, "ids: 5, 6, 7")
        self.xdotool("key", "Escape", "ctrl+e", "Return")
        picture = self.folder / "probe-L0H0.png"
        self.wait_for(picture.exists)
        done = self.run_program("render", "--model", "probe", "--ids", "5,6,7", "--head", "L0H0",
                                "--out", self.folder / "line.png")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(picture.read_bytes(), (self.folder / "line.png").read_bytes())
        self.xdotool("key", "Escape")
        self.assertEqual(self.held_text(path), "ids: 5, 6, 7")

    def test_a_bare_start_opens_the_trained_default(self):
        self.start_bare()
        self.xdotool("key", "ctrl+e")
        self.xdotool("key", "Return")
        self.assertTrue(self.wait_for(lambda: list(self.folder.glob("english-L?H?*.png"))))

    def test_a_comparison_is_exported_as_the_command_line_writes_it(self):
        other = self.source / "assets" / "models" / "gpt-h4"
        self.start_bare("--model", "gpt-h8", "--text", TEXT, "--view", "compare")
        self.xdotool("key", "b")
        self.xdotool("type", "--delay", 20, other)
        self.xdotool("key", "Return")
        self.settle()
        self.xdotool("key", "ctrl+e")
        self.settle()
        self.xdotool("key", "Return")
        self.assertTrue(self.wait_for(lambda: list(self.folder.glob("gpt-h8-gpt-h4-comparison.png"))))
        line = self.folder / "line.png"
        done = self.run_program("compare", "--model", "gpt-h8", "--model", "gpt-h4", "--text", TEXT, "--out", line)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.folder / "gpt-h8-gpt-h4-comparison.png").read_bytes(), line.read_bytes())

    def test_the_jump_box_takes_a_head_in_words(self):
        path = self.folder / "work.json"
        self.start("--session", path)
        self.xdotool("key", "ctrl+k")
        self.xdotool("type", "--delay", 60, "layer 1 head 3")
        self.xdotool("key", "Return")
        self.xdotool("key", "f")
        self.xdotool("key", "1")
        self.xdotool("key", "Return")
        flag = self.wait_for(lambda: self.session(path)["flags"])[0]
        self.assertEqual((flag["layer"], flag["head"]), (1, 3))

    def test_an_encoder_decoder_shows_its_parts(self):
        path = self.folder / "work.json"
        model = self.source / "tests" / "golden" / "data" / "bart_plain"
        self.start_bare("--model", model, "--ids", "5,6,7,8,9,10", "--session", path)
        self.xdotool("type", "--delay", 60, "X1H2")  # the target is generated
        self.xdotool("key", "Return")
        self.xdotool("key", "ctrl+e")
        self.xdotool("key", "Return")
        picture = self.folder / "bart_plain-X1H2.png"
        self.wait_for(picture.exists)
        done = self.run_program("render", "--model", model, "--ids", "5,6,7,8,9,10", "--head", "X1H2",
                                "--out", self.folder / "line.png")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(picture.read_bytes(), (self.folder / "line.png").read_bytes())
        self.xdotool("key", "Escape")
        self.xdotool("key", "f")
        self.xdotool("key", "1")
        self.xdotool("key", "Return")
        flag = self.wait_for(lambda: self.session(path)["flags"])[0]
        self.assertEqual((flag["part"], flag["layer"], flag["head"]), ("cross", 1, 2))
        self.xdotool("key", "p")  # the encoder again
        self.xdotool("key", "f")
        self.xdotool("key", "1")
        self.xdotool("key", "Return")
        self.wait_for(lambda: len(self.session(path)["flags"]) == 2)
        self.assertEqual(self.session(path)["flags"][0]["part"], "encoder")

    def test_the_frame_log_has_a_line_for_each_frame(self):
        log = self.folder / "frames.csv"
        self.start("--frame-log", log)
        for step in range(10):
            self.xdotool("mousemove", 150 + 40 * step, 300)
        self.window.kill()
        self.window.wait()
        lines = log.read_text().splitlines()
        self.assertGreater(len(lines), 10)
        for line in lines[:-1]:
            seconds, milliseconds, _ = line.split(",", 2)
            self.assertGreater(float(seconds), 0.0)
            self.assertGreaterEqual(float(milliseconds), 0.0)

    def test_a_field_with_the_keys_uses_no_processor_time(self):
        self.start()
        self.xdotool("key", "ctrl+l")
        time.sleep(1)
        before = self.cpu_seconds()
        time.sleep(4)
        self.assertLessEqual(self.cpu_seconds() - before, 0.02)

    def test_threads_that_wait_do_not_take_the_renderer_s_processor(self):
        def spins():
            given = pathlib.Path(f"/proc/{self.window.pid}/environ").read_text().split("\0")
            return [variable for variable in given if variable.startswith(("GOMP_", "OMP_"))]

        for variable in ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY"):
            self.environment.pop(variable, None)
        self.start()
        self.assertEqual(spins(), ["GOMP_SPINCOUNT=2000"])
        self.window.kill()
        self.window.wait()
        self.environment["OMP_WAIT_POLICY"] = "active"
        self.start()
        self.assertEqual(spins(), ["OMP_WAIT_POLICY=active"])

    def test_idle_uses_no_processor_time(self):
        self.start("--frame-log", self.folder / "frames.csv")
        time.sleep(1)
        before = self.cpu_seconds()
        time.sleep(4)
        self.assertLessEqual(self.cpu_seconds() - before, 0.02)
        self.xdotool("mousemove", 1300, 400)
        self.xdotool("key", "ctrl+q")
        self.window.wait(20)
        self.assertGreater(len((self.folder / "frames.csv").read_text().splitlines()), 5)


if __name__ == "__main__":
    main()
