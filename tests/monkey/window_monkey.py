#!/usr/bin/env python3
"""A monkey at the real window: random mouse, keys, text, drops and sizes under a virtual screen.

usage: window_monkey.py PROGRAM SOURCE_FOLDER DROP_FILES [EVENTS [SEED]]

It fails when the program ends by itself, says anything on standard error (a sanitizer, or Mesa, which names every wrong
OpenGL call there), does not close when asked to, keeps a session file that is not JSON, or takes ever more memory. The
seed is printed: a walk with the same seed does the same, at the pace of the machine.
"""
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

WIDTH, HEIGHT = 1600, 1000
KEYS = ("Escape Escape Return Tab f n m s c r v t p 1 2 3 4 5 6 0 plus minus space slash question BackSpace Delete Home End Left "
        "Right Up Down shift+Left shift+Right ctrl+Left ctrl+shift+Right ctrl+e ctrl+k ctrl+z ctrl+y ctrl+l ctrl+a ctrl+c ctrl+x "
        "ctrl+v ctrl+period").split()
TEXTS = ["the cat sat", "L1H2", "a" * 40, "ids: 5, 17, 3", "1,2,3", "/nowhere", "~/", "naïve 我喜欢", "مرحبا", "नमस्ते", "e\u0301😀"]
SIZES = [(1600, 1000), (1000, 700), (640, 480), (1199, 801), (1600, 300), (300, 900)]
MOST_GROWTH_KB = 150_000  # from a third of the walk to its end; what was freed stays with a sanitizer for a while


class Walk:
    def __init__(self, program, source, drop_files, seed):
        self.rng = random.Random(seed)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="headscope_monkey_"))
        self.drop_files = drop_files
        read, write = os.pipe()
        self.screen = subprocess.Popen(["Xvfb", "-noreset", "-displayfd", str(write), "-screen", "0", f"{WIDTH}x{HEIGHT}x24"],
                                       pass_fds=[write], stderr=subprocess.DEVNULL)
        os.close(write)
        with os.fdopen(read) as pipe:
            display = pipe.readline().strip()
        # A bound on what a sanitizer keeps of freed memory, so that growth is the program's. No search for leaks: the driver
        # is unloaded by then, and what it lost has no name.
        sanitizer = ":".join(filter(None, [os.environ.get("ASAN_OPTIONS"), "quarantine_size_mb=8:detect_leaks=0"]))
        self.environment = dict(
            os.environ, DISPLAY=f":{display}", LIBGL_ALWAYS_SOFTWARE="1", MESA_GL_VERSION_OVERRIDE="3.3", MESA_DEBUG="1",
            ASAN_OPTIONS=sanitizer, HOME=str(self.folder), XDG_DATA_HOME=str(self.folder / "data"),
            XDG_STATE_HOME=str(self.folder / "state"), XDG_CONFIG_HOME=str(self.folder / "config"),
            XDG_CACHE_HOME=str(self.folder / "cache"), HF_HOME=str(self.folder / "hub"))
        models = source / "assets" / "models"
        golden = source / "tests" / "golden"
        self.models = [models / "probe", models / "copy-h4", models / "english", models / "gpt-h8", models / "gpt-h16", golden / "data" / "bart_plain",
                       golden / "data" / "bert_plain", golden / "data" / "probe_attention.safetensors"]
        self.drops = [*self.models]
        for name, text in (("short.txt", "the cat sat\n"), ("b %20 é\n.txt", "the old sailor " * 40), ("long.txt", "the sailor " * 3000),
                           ("empty.txt", ""), ("thing.unknown", "?"), ("none.json", "{")):
            path = self.folder / name
            path.write_text(text, encoding="utf-8")
            self.drops.append(path)
        self.session = self.folder / "session.json"
        arguments = ["--model", self.rng.choice(self.models), "--session", self.session]
        arguments += self.rng.choice([[], ["--view", "counts"], ["--scale", "2"], ["--scale", "1.5"]])
        self.arguments = list(map(str, arguments))
        self.errors = open(self.folder / "stderr", "w+", encoding="utf-8", errors="replace")
        self.window = subprocess.Popen([program, *self.arguments], env=self.environment, cwd=self.folder, stderr=self.errors,
                                       stdout=subprocess.DEVNULL)
        self.hands = subprocess.Popen(["xdotool", "-"], env=self.environment, stdin=subprocess.PIPE, text=True,
                                      stderr=subprocess.DEVNULL)
        try:
            found = subprocess.run(["xdotool", "search", "--sync", "--onlyvisible", "--name", "Headscope"], env=self.environment,
                                   capture_output=True, text=True, timeout=120, check=False)
        except subprocess.TimeoutExpired:
            self.close()
            sys.exit(f"window monkey: no window came within two minutes, seed {seed}")
        self.id = found.stdout.split()[0] if found.stdout.split() else "0"
        self.size = (WIDTH, HEIGHT)
        self.trail = []

    def send(self, words):
        self.trail.append(words)
        self.hands.stdin.write(words + "\n")
        self.hands.stdin.flush()

    def place(self):
        return f"{self.rng.randrange(self.size[0])} {self.rng.randrange(self.size[1])}"

    def step(self):
        kind = self.rng.random()
        if kind < 0.25:
            self.send(f"mousemove {self.place()}")
        elif kind < 0.5:
            button = self.rng.choice([1, 1, 1, 1, 1, 2, 3, 4, 5])
            self.send(f"mousemove {self.place()} click {'--repeat 2 ' if self.rng.random() < 0.1 else ''}{button}")
        elif kind < 0.6:
            self.send(f"mousemove {self.place()} mousedown 1 mousemove {self.place()} mousemove {self.place()} mouseup 1")
        elif kind < 0.9:
            self.send(f"key {self.rng.choice(KEYS)}")
        elif kind < 0.96:
            self.send(f"type --delay 2 '{self.rng.choice(TEXTS)}'")
        elif kind < 0.98:
            files = [str(self.rng.choice(self.drops)) for _ in range(self.rng.choice([1, 1, 1, 3]))]
            self.trail.append(f"drop {files}")
            subprocess.run([self.drop_files, self.id, *files], env=self.environment, timeout=60, check=False, capture_output=True)
        else:
            self.size = self.rng.choice(SIZES)
            self.send(f"windowsize {self.id} {self.size[0]} {self.size[1]}")
        time.sleep(self.rng.choice([0.0, 0.01, 0.01, 0.03, 0.1]))

    def memory_kb(self):
        status = pathlib.Path(f"/proc/{self.window.pid}/status").read_text(encoding="ascii")
        return int(status.split("VmRSS:")[1].split()[0])

    def run(self, events):
        faults, memory = [], []
        for event in range(events):
            self.step()
            if self.window.poll() is not None:
                break
            if event in (events // 3, events - 1):
                time.sleep(2)
                memory.append(self.memory_kb())
        if self.window.poll() is None:
            for _ in range(4):
                self.send("key Escape sleep 0.2")
            self.send("key ctrl+q")
            try:
                self.window.wait(60)
            except subprocess.TimeoutExpired:
                faults.append("the window does not close")
                self.window.kill()
                self.window.wait()
        if self.window.returncode != 0:
            faults.append(f"the program ended with {self.window.returncode}")
        if len(memory) == 2 and memory[1] - memory[0] > MOST_GROWTH_KB:
            faults.append(f"it grew from {memory[0]} to {memory[1]} KB")
        if self.session.exists():
            try:
                json.loads(self.session.read_text(encoding="utf-8"))
            except ValueError as error:
                faults.append(f"the session file is not JSON: {error}")
        self.errors.seek(0)
        said = self.errors.read().strip()
        if said:
            faults.append(f"on standard error: {said[:6000]}")
        return faults, memory

    def close(self):
        for process in (self.window, self.hands, self.screen):
            if process.poll() is None:
                process.kill()
            process.wait()


def main():
    program, source, drop_files = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).absolute(), os.path.abspath(sys.argv[3])
    events = int(sys.argv[4]) if len(sys.argv) > 4 else 300
    seed = int(sys.argv[5]) if len(sys.argv) > 5 else int(time.time())
    walk = Walk(program, source, drop_files, seed)
    print(f"window monkey: {events} events, seed {seed}, {' '.join(walk.arguments)}", flush=True)
    try:
        faults, memory = walk.run(events)
    finally:
        walk.close()
    print(f"window monkey: {len(walk.trail)} done, resident {memory} KB: " + ("; ".join(faults) or "nothing broke"))
    if faults:
        print("the last events: " + "; ".join(walk.trail[-15:]))
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
