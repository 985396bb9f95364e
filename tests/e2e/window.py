"""A real window under a virtual screen, with real mouse and key events: what the tests of windows share."""
import array
import ctypes
import json
import os
import pathlib
import random
import shutil
import struct
import subprocess
import time
import zlib

from program import ProgramTest, write_safetensors


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


def read_or(path, otherwise):
    """What is in a file that may go at any time."""
    try:
        return path.read_text()
    except OSError:
        return otherwise


class Screen:
    """The pixels of a virtual screen, as Xvfb keeps them in its file (X window dump)."""

    def __init__(self, path):
        data = path.read_bytes()
        fields = struct.unpack(">25I", data[:100])
        header, self.width, self.height, self.stride = fields[0], fields[4], fields[5], fields[12]
        self.depth_bytes = fields[11] // 8
        self.pixels = data[header + 12 * fields[19]:]

    def part(self, left, top, width, height):
        """Rows of pixels, a bytes object each."""
        size = self.depth_bytes
        return [self.pixels[row * self.stride + left * size:row * self.stride + (left + width) * size]
                for row in range(top, top + height)]

    def colours(self, left, top, width, height):
        """How many different ones there are in that part."""
        size = self.depth_bytes
        return len({row[at:at + size] for row in self.part(left, top, width, height)
                    for at in range(0, len(row), size)})


TEXT = "When the old sailor met Anna, he told Anna a story; and later Anna told the old sailor a secret."


def tell_dots_per_inch(display, dots):
    """As a desktop does: among the resources of the root window."""
    resource_manager, string, replace = 23, 31, 0
    x11 = ctypes.CDLL("libX11.so.6")
    x11.XOpenDisplay.restype = ctypes.c_void_p
    x11.XDefaultRootWindow.restype = ctypes.c_ulong
    opened = ctypes.c_void_p(x11.XOpenDisplay(display.encode()))
    text = f"Xft.dpi:\t{dots}\n".encode()
    x11.XChangeProperty(opened, ctypes.c_ulong(x11.XDefaultRootWindow(opened)), ctypes.c_ulong(resource_manager),
                        ctypes.c_ulong(string), 8, replace, text, len(text))
    x11.XCloseDisplay(opened)


class WindowTest(ProgramTest):
    screen = None

    def setUp(self):
        super().setUp()
        self.window = None
        self.open_screen(1600, 1000)

    def open_screen(self, width, height, dots_per_inch=96):
        """In place of the one that is there, if any."""
        self.close_screen()
        read, write = os.pipe()
        self.screen = subprocess.Popen(
            ["Xvfb", "-noreset", "-displayfd", str(write), "-screen", "0", f"{width}x{height}x24",
             "-fbdir", str(self.folder)],
            pass_fds=[write], stderr=subprocess.DEVNULL)
        os.close(write)
        with os.fdopen(read) as pipe:
            display = pipe.readline().strip()
        tell_dots_per_inch(f":{display}", dots_per_inch)
        self.environment = dict(
            os.environ, DISPLAY=f":{display}", LIBGL_ALWAYS_SOFTWARE="1", MESA_GL_VERSION_OVERRIDE="3.3",
            XDG_DATA_HOME=str(self.folder / "data"), XDG_STATE_HOME=str(self.folder / "state"),
            XDG_CONFIG_HOME=str(self.folder / "config"), XDG_CACHE_HOME=str(self.folder / "cache"), DBUS_SESSION_BUS_ADDRESS="disabled:")

    def close_screen(self):
        for process in (self.window, self.screen):
            if process is not None:
                process.kill()
                process.wait()
        self.window = self.screen = None

    def tearDown(self):
        self.close_screen()
        super().tearDown()

    def geometry(self):
        """(x, y, width, height) of the window."""
        found = subprocess.run(["xdotool", "search", "--onlyvisible", "--name", "Headscope", "getwindowgeometry", "--shell"],
                               env=self.environment, check=True, capture_output=True, text=True, timeout=30).stdout
        told = dict(line.split("=") for line in found.split() if "=" in line)
        return tuple(int(told[key]) for key in ("X", "Y", "WIDTH", "HEIGHT"))

    def start(self, *arguments):
        """On the hand-made model, whose heads never change; `start_bare` starts as a new user would."""
        self.start_bare("--model", "probe", "--text", TEXT, *arguments)

    def start_bare(self, *arguments):
        self.window = subprocess.Popen(
            [self.program, *map(str, arguments)], env=self.environment, cwd=self.folder,
            stderr=subprocess.DEVNULL)
        self.xdotool("search", "--sync", "--onlyvisible", "--name", "Headscope")
        self.settle()

    def drawn_model(self, layers, heads, width, positions):
        """A model of random weights with the probe's words."""
        folder = self.folder / f"drawn-{layers}-{positions}"
        folder.mkdir()
        config = json.loads((self.probe / "config.json").read_text())
        config.update(n_layer=layers, n_head=heads, n_embd=width, n_inner=width, n_positions=positions)
        (folder / "config.json").write_text(json.dumps(config))
        for name in ("tokenizer.json", "tokenizer_config.json"):
            shutil.copy(self.probe / name, folder)
        draw = random.Random(3)
        numbers = array.array("f", [draw.gauss(0.0, 0.06) for _ in range(1 << 16)]).tobytes()
        shapes = {"wte.weight": [config["vocab_size"], width], "wpe.weight": [positions, width],
                  "ln_f.weight": [width], "ln_f.bias": [width]}
        for layer in range(layers):
            for name, shape in (("ln_1.weight", [width]), ("ln_1.bias", [width]), ("ln_2.weight", [width]),
                                ("ln_2.bias", [width]), ("attn.c_attn.weight", [width, 3 * width]),
                                ("attn.c_attn.bias", [3 * width]), ("attn.c_proj.weight", [width, width]),
                                ("attn.c_proj.bias", [width]), ("mlp.c_fc.weight", [width, width]),
                                ("mlp.c_fc.bias", [width]), ("mlp.c_proj.weight", [width, width]),
                                ("mlp.c_proj.bias", [width])):
                shapes[f"h.{layer}.{name}"] = shape
        header, body = {}, b""
        for name, shape in shapes.items():
            size = 4
            for side in shape:
                size *= side
            header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(body), len(body) + size]}
            body += (numbers * (size // len(numbers) + 1))[:size]
        write_safetensors(folder / "model.safetensors", header, body)
        return folder

    def settle(self, seconds=20):
        """Waits until no thread of the window has had anything to do for a while."""
        end = time.time() + seconds
        still, used = time.time(), None
        while time.time() < min(end, still + 0.6):
            time.sleep(0.05)
            if self.window.poll() is not None:
                return
            threads = pathlib.Path(f"/proc/{self.window.pid}/task").glob("*/stat")
            busy = any(read_or(thread, " ) S").rsplit(")", 1)[1].split()[0] in "RD" for thread in threads)
            if busy or self.cpu_seconds() != used:
                still, used = time.time(), self.cpu_seconds()

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

    def seen(self):
        """What is on the screen now."""
        return Screen(self.folder / "Xvfb_screen0")

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

    def leave(self):
        self.xdotool("key", "ctrl+q")
        self.assertEqual(self.window.wait(timeout=20), 0)

    def picture(self, name, *arguments):
        path = self.folder / name
        done = self.run_program(*arguments, "--screenshot", path, env=self.environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(read_png(path)[2], 30)
        return path.read_bytes()
