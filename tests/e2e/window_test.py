"""The real window under a virtual screen, with real mouse and key events."""
import json
import os
import pathlib
import struct
import subprocess
import time
import zlib

from program import ProgramTest, main, write_npy


def read_png(path):
    """(width, height, how many different bytes its decompressed rows hold)."""
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", data[16:24])
    packed, at = b"", 8
    while at < len(data):
        (length,) = struct.unpack(">I", data[at:at + 4])
        if data[at + 4:at + 8] == b"IDAT":
            packed += data[at + 8:at + 8 + length]
        at += length + 12
    return width, height, len(set(zlib.decompress(packed)))


TEXT = "When the old sailor met Anna, he told Anna a story; and later Anna told the old sailor a secret."


class Window(ProgramTest):
    def setUp(self):
        super().setUp()
        read, write = os.pipe()
        self.screen = subprocess.Popen(
            ["Xvfb", "-displayfd", str(write), "-screen", "0", "1600x1000x24"],
            pass_fds=[write], stderr=subprocess.DEVNULL)
        os.close(write)
        with os.fdopen(read) as pipe:
            display = pipe.readline().strip()
        self.environment = dict(
            os.environ, DISPLAY=f":{display}", LIBGL_ALWAYS_SOFTWARE="1", MESA_GL_VERSION_OVERRIDE="3.3",
            XDG_DATA_HOME=str(self.folder / "data"), XDG_STATE_HOME=str(self.folder / "state"),
            XDG_CONFIG_HOME=str(self.folder / "config"), DBUS_SESSION_BUS_ADDRESS="disabled:")
        self.window = None

    def tearDown(self):
        for process in (self.window, self.screen):
            if process is not None:
                process.kill()
                process.wait()
        super().tearDown()

    def start(self, *arguments):
        """On the hand-made model, whose heads never change; `start_bare` starts as a new user would."""
        self.start_bare("--model", "probe", "--text", TEXT, *arguments)

    def start_bare(self, *arguments):
        self.window = subprocess.Popen(
            [self.program, *map(str, arguments)], env=self.environment, cwd=self.folder,
            stderr=subprocess.DEVNULL)
        self.xdotool("search", "--sync", "--onlyvisible", "--name", "Headscope")
        time.sleep(3)

    def xdotool(self, *arguments):
        subprocess.run(["xdotool", *map(str, arguments)], env=self.environment, check=True, timeout=30,
                       stdout=subprocess.DEVNULL)
        time.sleep(0.3)

    def wait_for(self, what, seconds=20):
        end = time.time() + seconds
        while time.time() < end:
            found = what()
            if found:
                return found
            time.sleep(0.1)
        self.fail("waited in vain")
        return None

    def session(self, path):
        def read():
            try:
                return json.loads(pathlib.Path(path).read_text())
            except (OSError, ValueError):
                return None
        return self.wait_for(read)

    def cpu_seconds(self):
        fields = pathlib.Path(f"/proc/{self.window.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

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

    def leave(self):
        self.xdotool("key", "ctrl+q")
        self.assertEqual(self.window.wait(timeout=20), 0)

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
        left = self.folder / "data" / "headscope" / "sessions" / ".headscope-0123abcd"
        left.parent.mkdir(parents=True)
        left.write_text("half a session")
        os.utime(left, (1_000_000_000, 1_000_000_000))
        self.start()
        self.wait_for(lambda: not left.exists())
        self.leave()

    def test_screenshot_of_what_cannot_be_opened_fails_with_the_sentence(self):
        done = self.run_program("--model", self.folder / "none", "--screenshot", self.folder / "a.png",
                                env=self.environment)
        self.assertEqual(done.returncode, 1)
        self.assertIn("none", done.stderr)
        self.assertFalse((self.folder / "a.png").exists())

    def picture(self, name, *arguments):
        path = self.folder / name
        done = self.run_program(*arguments, "--screenshot", path, env=self.environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(read_png(path)[2], 30)
        return path.read_bytes()

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

    def test_click_type_flag_undo_and_open_again(self):
        path = self.folder / "work.json"
        self.start("--session", path)
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

    def test_a_bare_start_opens_the_trained_default(self):
        self.start_bare()
        self.xdotool("key", "ctrl+e")
        self.xdotool("key", "Return")
        self.assertTrue(self.wait_for(lambda: list(self.folder.glob("gpt-h8-L1H0*.png"))))

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
