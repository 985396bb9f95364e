"""The real window and files: screenshots, preferences, sessions, exports, what is dropped or cannot be opened."""
import json
import os
import pathlib
import subprocess
import tempfile
import time

from program import main, write_npy
from window import TEXT, WindowTest, read_png


CONLLU = """# text = the old sailor met Anna
1\tthe\tthe\tDET\t_\t_\t3\tdet\t_\t_
2\told\told\tADJ\t_\t_\t3\tamod\t_\t_
3\tsailor\tsailor\tNOUN\t_\t_\t4\tnsubj\t_\t_
4\tmet\tmeet\tVERB\t_\t_\t0\troot\t_\t_
5\tAnna\tAnna\tPROPN\t_\t_\t4\tobj\t_\t_

"""


class WindowFiles(WindowTest):
    def test_screenshot_saves_what_is_computed(self):
        done = self.run_program("--screenshot", self.folder / "a.png", env=self.environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        width, height, colours = read_png(self.folder / "a.png")
        self.assertEqual((width, height), (1600, 1000))
        self.assertGreater(colours, 60)
        done = self.run_program("--view", "counts", "--scale", "2", "--screenshot", self.folder / "b.png",
                                env=self.environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotEqual((self.folder / "a.png").read_bytes(), (self.folder / "b.png").read_bytes())

    @property
    def preferences(self):
        return self.folder / "config" / "headscope" / "preferences.json"

    def test_a_session_opens_by_its_name_alone(self):
        path = self.folder / "work.json"
        path.write_text(json.dumps({"headscope_session": 1, "model_path": str(self.probe), "text": "the old captain slept",
                                    "selected_layer": 1, "selected_head": 2}))
        self.start_bare(path)
        for key in ("f", "1", "Return"):
            self.xdotool("key", key)
        flags = self.wait_for(lambda: self.session(path).get("flags"))
        self.assertEqual([(flag["layer"], flag["head"]) for flag in flags], [(1, 2)])
        self.assertEqual(self.session(path)["text"], "the old captain slept")
        self.window.kill()
        path.write_text('{"headscope_session": 1, "fla')
        done = self.run_program(path, "--screenshot", self.folder / "a.png", env=self.environment)
        self.assertEqual(done.returncode, 1)
        self.assertIn("work.json", done.stderr)
        self.assertIn("session", done.stderr)

    def test_the_desktop_knows_the_window_by_its_entry(self):
        (entry,) = (self.source / "packaging").glob("*.desktop")
        self.start()
        self.assertIn(f"\nStartupWMClass={entry.stem}\n", entry.read_text())
        self.xdotool("search", "--sync", "--onlyvisible", "--class", entry.stem)

    def test_the_window_comes_back_as_it_was_left(self):
        self.start()
        self.xdotool("key", "t")
        self.xdotool("key", "v")
        kept = self.wait_for(lambda: self.preferences.exists() and json.loads(self.preferences.read_text()))
        self.leave()
        kept = json.loads(self.preferences.read_text())
        self.assertEqual((kept["theme"], kept["colormap"], kept["width"]), ("light", "cividis", 1600))
        kept["width"], kept["height"], kept["x"], kept["y"] = 1300, 800, 30, 40
        self.preferences.write_text(json.dumps(kept))
        self.start()
        found = subprocess.run(["xdotool", "search", "--onlyvisible", "--name", "Headscope", "getwindowgeometry"],
                               env=self.environment, check=True, capture_output=True, text=True).stdout
        self.assertIn("1300x800", found)
        self.assertIn("30,40", found)
        self.leave()
        self.assertEqual(json.loads(self.preferences.read_text())["theme"], "light")

    def test_the_window_is_in_whole_on_its_screen(self):
        # (screen, dots per inch, options, what the window is)
        for width, height, dots, options, expected in (
                (1920, 1080, 120, (), (1920, 1080)), (1280, 720, 96, (), (1280, 720)),
                (2560, 1440, 120, (), (2000, 1250)), (1024, 600, 96, ("--scale", 2), (1024, 600)),
                (1920, 1080, 96, ("--scale", 1.25), (1920, 1080)), (1920, 1080, 96, (), (1600, 1000))):
            self.open_screen(width, height, dots)
            self.start(*options)
            self.assertEqual(self.geometry()[2:], expected, (width, height, dots, options))
            self.leave()
            self.preferences.unlink(missing_ok=True)

    def test_a_remembered_place_on_a_larger_screen_is_mended(self):
        self.preferences.parent.mkdir(parents=True)
        for x, y, width, height, expected in ((30, 40, 900, 500, (30, 40, 900, 500)), (1000, 300, 900, 600, (380, 120, 900, 600)),
                                              (400, -10, 900, 500, (380, 0, 900, 500)), (300, 200, 1900, 1100, (0, 0, 1280, 720)),
                                              (5000, 200, 900, 500, (0, 0, 900, 500))):
            self.preferences.write_text(json.dumps({"x": x, "y": y, "width": width, "height": height}))
            self.open_screen(1280, 720)
            self.start()
            self.assertEqual(self.geometry(), expected)
            self.leave()

    def test_a_broken_file_of_preferences_harms_nothing(self):
        self.preferences.parent.mkdir(parents=True)
        for text in ("{", '{"width": -4}', '{"theme": "pink"}'):
            self.preferences.write_text(text)
            self.start()
            self.assertIsNone(self.window.poll())
            self.leave()
            self.assertEqual(self.preferences.read_text(), text)  # nothing was changed in the window

    def test_a_screenshot_has_no_preferences_and_leaves_none(self):
        given = self.folder / "given.npz"  # its picture tells no time that it took
        self.succeed("attend", "--text", TEXT, "--out", given)
        alone = self.picture("a.png", given)
        self.assertFalse(self.preferences.exists())
        self.preferences.parent.mkdir(parents=True)
        self.preferences.write_text('{"theme": "light"}')
        self.assertEqual(alone, self.picture("b.png", given))
        self.assertNotEqual(alone, self.picture("c.png", given, "--preferences", self.preferences))

    def test_what_a_killed_run_left_is_swept_at_the_next_start(self):
        folders = [self.folder / "data" / "headscope" / "sessions", self.folder / "elsewhere"]
        left = [folder / ".headscope-0123abcd" for folder in folders]
        for path in left:
            path.parent.mkdir(parents=True)
            path.write_text("half a session")
            os.utime(path, (1_000_000_000, 1_000_000_000))
        self.start("--session", self.folder / "elsewhere" / "work.json")
        self.wait_for(lambda: not any(path.exists() for path in left))
        self.leave()

    def test_screenshot_of_what_cannot_be_opened_fails_with_the_sentence(self):
        done = self.run_program("--model", self.folder / "none", "--screenshot", self.folder / "a.png",
                                env=self.environment)
        self.assertEqual(done.returncode, 1)
        self.assertIn("none", done.stderr)
        self.assertFalse((self.folder / "a.png").exists())

    def test_attention_from_a_file_opens_by_any_of_its_ways(self):
        given = self.folder / "given.npz"
        self.succeed("attend", "--text", TEXT, "--out", given)
        alone = self.picture("a.png", given)
        self.assertEqual(alone, self.picture("b.png", "--attention", given))
        self.assertNotEqual(alone, self.picture("c.png", given, "--view", "counts"))
        parts = self.folder / "parts.safetensors"
        self.succeed("attend", "--model", self.source / "tests" / "golden" / "data" / "t5_plain", "--ids", "5,6,7,8",
                     "--target-ids", "0,9,3", "--out", parts)
        self.picture("d.png", parts)
        self.fail_with(2, given, "--model", "probe")
        self.fail_with(2, self.folder / "missing.npz")

    def test_an_attention_module_asks_for_what_it_lacks(self):
        module = self.source / "tests" / "golden" / "modules" / "fused_other_keys" / "module.safetensors"
        queries, keys = self.folder / "q.npy", self.folder / "k.npy"
        write_npy(queries, [4, 24], [0.1 * (i % 13) for i in range(96)])
        write_npy(keys, [6, 24], [0.1 * (i % 11) for i in range(144)])
        asks_heads = self.picture("a.png", module)
        asks_embeddings = self.picture("b.png", module, "--head-count", "3")
        self.assertNotEqual(asks_heads, asks_embeddings)
        own = self.picture("c.png", module, "--head-count", "3", "--embeddings", queries)
        other = self.picture("d.png", module, "--head-count", "3", "--embeddings", queries, "--key-embeddings", keys)
        self.assertNotEqual(own, other)
        self.assertNotEqual(own, asks_embeddings)

    def test_export_writes_a_png_and_asks_before_it_overwrites(self):
        self.start()
        self.xdotool("key", "ctrl+e")
        self.xdotool("key", "Return")
        picture = self.folder / "probe-L0H0.png"
        self.wait_for(picture.exists)
        self.assertGreater(read_png(picture)[2], 20)
        picture.write_bytes(b"mine")
        self.xdotool("key", "Escape")
        self.xdotool("key", "ctrl+e")
        self.xdotool("key", "Return")
        time.sleep(1)
        self.assertEqual(picture.read_bytes(), b"mine")

    def test_figures_are_kept_on_several_screens_and_saved_together(self):
        self.start()
        self.xdotool("key", "ctrl+shift+e", "key", "2")
        self.settle()
        self.xdotool("key", "ctrl+shift+e", "key", "1", "key", "Down", "key", "o", "key", "ctrl+shift+e")
        self.settle()
        self.xdotool("key", "5")
        self.settle()
        shown = self.seen()
        self.xdotool("key", "ctrl+e")
        time.sleep(1)
        self.xdotool("key", "ctrl+a")
        self.xdotool("type", "--delay", "20", str(self.folder / "paper.svg"))
        self.xdotool("key", "Return")
        files = [self.folder / f"paper-{name}.svg" for name in ("1-probe-L0H0", "2-probe-L0-counts", "3-probe-L1H0-lines")]
        for file in files:
            self.wait_for(file.exists)
        self.assertEqual(sorted(self.folder.glob("paper*")), files)
        for file, word in zip(files, ("L0H0", "Layer 0", "L1H0")):
            self.assertIn(word, file.read_text())
        # One is removed: the others are there.
        self.xdotool("key", "Escape")
        self.settle()
        self.assertTrue(self.seen().pixels == shown.pixels)
        self.xdotool("key", "Left", "key", "Delete")
        self.settle()
        self.assertFalse(self.seen().pixels == shown.pixels)

    def pasted(self, kind):
        done = subprocess.run(["xclip", "-selection", "clipboard", "-target", kind, "-out"], env=self.environment,
                              capture_output=True, timeout=20)
        return done.stdout

    def test_a_picture_is_copied_and_another_program_pastes_it(self):
        self.start()
        for _ in range(2):
            self.xdotool("key", "ctrl+shift+p")
            self.xdotool("type", "--delay", "20", "copy the pict")
            self.xdotool("key", "Return")
            self.wait_for(lambda: b"image/png" in self.pasted("TARGETS"))
            png = self.pasted("image/png")
            (self.folder / "pasted.png").write_bytes(png)
            width, height, colours = read_png(self.folder / "pasted.png")
            self.assertEqual(max(width, height), 1600)
            self.assertGreater(colours, 20)
            self.xdotool("key", "Escape")
            # What another program copies takes its place.
            subprocess.run(["xclip", "-selection", "clipboard"], input=b"words", env=self.environment, check=True)
            self.assertEqual(self.pasted("UTF8_STRING"), b"words")
        self.leave()
        self.assertEqual(list(pathlib.Path(tempfile.gettempdir()).glob(f"headscope-{self.window.pid}-*.png")), [])

    def drop(self, *paths):
        """As a file manager drops them; the window takes them or the test fails."""
        found = subprocess.run(["xdotool", "search", "--onlyvisible", "--name", "Headscope"], env=self.environment,
                               check=True, capture_output=True, text=True, timeout=30)
        subprocess.run([self.extra[0], found.stdout.split()[0], *paths], env=self.environment, check=True, timeout=60)
        time.sleep(1)

    def title(self):
        found = subprocess.run(["xdotool", "search", "--onlyvisible", "--name", "Headscope", "getwindowname"],
                               env=self.environment, check=True, capture_output=True, text=True, timeout=30)
        return found.stdout.strip()

    def test_what_is_dropped_opens(self):
        path = self.folder / "work.json"
        self.start("--session", path)
        self.xdotool("mousemove", 440, 240, "click", 1)  # L0H1: flagging it writes the session
        flags = 0

        def text_now():
            nonlocal flags
            self.xdotool("key", "f")
            self.xdotool("key", "1")
            self.xdotool("type", "--delay", 20, f"note {flags}")
            self.xdotool("key", "Return")
            flags += 1
            self.wait_for(lambda: f"note {flags - 1}" in self.session(path)["flags"][0]["note"])
            return self.session(path)["text"]

        (self.folder / "short.txt").write_text("the cat sat\n")
        self.drop(self.folder / "short.txt")
        self.assertEqual(text_now(), "the cat sat")
        strange = os.fsencode(self.folder) + b"/a %20 \xc3\xa9\n100% \xe9.txt"
        with open(strange, "w", encoding="ascii") as file:
            file.write("the dog ran")
        self.drop(strange)
        self.assertEqual(text_now(), "the dog ran")
        self.drop(self.folder / "short.txt", strange)  # one after the other
        self.assertEqual(text_now(), "the dog ran")
        models = self.source / "assets" / "models"
        self.drop(models / "copy-h4")
        self.wait_for(lambda: self.title().startswith("copy-h4"))
        self.drop(models / "probe" / "config.json", models / "probe" / "model.safetensors")
        self.wait_for(lambda: self.title().startswith("probe"))
        (self.folder / "thing.unknown").write_text("?")
        self.drop(self.folder / "thing.unknown")
        self.assertIsNone(self.window.poll())
        self.assertTrue(self.title().startswith("probe"))

    def test_texts_to_score_heads_on_are_scanned_wherever_they_are_dropped(self):
        self.start()
        heads = self.seen_screen("3")
        for key, name, text in (("1", "own.ids", "5,6,7,8\n9,10,11\n"), ("3", "tree.conllu", CONLLU), ("6", "more.ids", "5,6,7\n")):
            self.xdotool("key", key)
            (self.folder / name).write_text(text)
            self.drop(self.folder / name)
            self.settle()
            self.assertEqual(self.rail(), heads, name)  # Heads is lit
        self.assertIsNone(self.window.poll())

    def test_a_treebank_that_is_dropped_gives_its_first_sentence(self):
        path = self.folder / "work.json"
        self.start("--session", path)
        inspect = self.seen_screen("1")
        self.xdotool("key", "2")
        (self.folder / "tree.conllu").write_text(CONLLU)
        self.drop(self.folder / "tree.conllu")
        self.settle()
        self.assertEqual(self.rail(), inspect)
        self.xdotool("key", "Escape")
        self.xdotool("key", "f")
        self.xdotool("key", "1")
        self.xdotool("key", "Return")
        self.assertEqual(self.session(path)["text"], "the old sailor met Anna")

    def seen_screen(self, key):
        self.xdotool("key", key)
        self.settle()
        return self.rail()

    def rail(self):
        return self.seen().part(0, 60, 60, 340)

    def test_a_bad_model_leaves_the_one_before(self):
        (self.folder / "broken").mkdir()
        (self.folder / "broken" / "config.json").write_text("{")
        path = self.folder / "work.json"
        self.start("--session", path)
        self.xdotool("key", "m")
        self.xdotool("type", "--delay", 40, str(self.folder / "broken"))
        self.xdotool("key", "Return")
        time.sleep(1)
        self.xdotool("key", "Escape")
        self.xdotool("key", "Escape")
        self.xdotool("key", "f")
        self.xdotool("key", "1")
        self.xdotool("key", "Return")
        self.assertIsNone(self.window.poll())
        session = self.session(path)
        self.assertEqual(session["model_name"], "probe")
        self.assertEqual(len(session["flags"]), 1)

    def test_a_session_that_is_cut_short_is_left_alone(self):
        path = self.folder / "work.json"
        path.write_text('{"headscope_session": 1, "fla')
        self.start("--session", path)
        self.xdotool("key", "Escape")
        self.xdotool("key", "f")
        self.xdotool("key", "1")
        self.xdotool("key", "Return")
        self.xdotool("key", "ctrl+q")
        self.assertEqual(self.window.wait(20), 0)
        self.assertEqual(path.read_text(), '{"headscope_session": 1, "fla')

    def flag(self, window, role):
        """The selected head, in one of several windows."""
        self.xdotool("search", "--sync", "--onlyvisible", "--pid", window.pid, "--name", "Headscope",
                     "windowraise", "windowfocus", "--sync")
        for key in ("f", role, "Return"):
            self.xdotool("key", key)

    def test_two_windows_that_flag_one_head_ask_which_flag_stays(self):
        path = self.folder / "work.json"
        self.start("--session", path)
        first = self.window
        try:
            self.start("--session", path)
            self.flag(first, "1")
            theirs = self.wait_for(lambda: self.session(path).get("flags"))
            self.flag(self.window, "4")
            # Asked, and until it is answered the file has what the first one wrote.
            time.sleep(1.0)
            self.assertEqual(self.session(path)["flags"], theirs)
            self.xdotool("key", "ctrl+q")
            self.assertEqual(self.window.wait(20), 0)
            self.assertEqual(self.session(path)["flags"], theirs)
        finally:
            first.kill()
            first.wait()

    def test_what_is_no_session_is_never_overwritten(self):
        path = self.folder / "work.json"
        for before in (b'{"x": 1}', b'{"headscope_session": 999}', b"", b"\xff"):
            path.write_bytes(before)
            self.start("--session", path)
            self.xdotool("mousemove", 220, 480, "click", 1)
            self.xdotool("key", "f")
            self.xdotool("key", "1")
            self.xdotool("key", "Return")
            self.assertIsNone(self.window.poll())
            self.window.kill()
            self.window.wait()
            self.assertEqual(path.read_bytes(), before)


if __name__ == "__main__":
    main()
