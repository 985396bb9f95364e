"""Runs the program for the end-to-end tests, and reads what it writes."""
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest


class ProgramTest(unittest.TestCase):
    """Tests get self.program, self.source, self.extra and a fresh folder self.folder."""

    program = None
    source = None
    extra = []

    def setUp(self):
        self._temporary = tempfile.TemporaryDirectory(prefix="headscope_e2e_")
        self.folder = pathlib.Path(self._temporary.name)

    def tearDown(self):
        self._temporary.cleanup()

    def run_program(self, *arguments, **options):
        """On the hand-made model where the arguments name none: its words and heads never change."""
        needs_model = arguments and arguments[0] in ("attend", "bench", "render", "split", "tokenize")
        if needs_model and not {"--model", "--attention", "--scores", "--runs", "--train"} & set(map(str, arguments)):
            arguments = (*arguments, "--model", "probe")
        return subprocess.run(
            [self.program, *map(str, arguments)], capture_output=True, text=True, timeout=900, check=False, **options)

    def held_to(self, instructions):
        """The environment that holds the arithmetic to a plainer processor."""
        return {**os.environ, "ONEDNN_MAX_CPU_ISA": instructions}

    def succeed(self, *arguments, **options):
        done = self.run_program(*arguments, **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def fail_with(self, code, *arguments, **options):
        """The one line on standard error; there must be exactly one, and nothing on standard output."""
        done = self.run_program(*arguments, **options)
        self.assertEqual(done.returncode, code, f"{arguments}: {done.stderr}")
        self.assertEqual(done.stdout, "")
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertTrue(lines[0].startswith("headscope: "), lines[0])
        return lines[0]

    def reference(self, section=None):
        """docs/reference.md, or one of its sections."""
        text = (self.source / "docs" / "reference.md").read_text(encoding="utf-8")
        return text if section is None else text.split(f"\n## {section}\n")[1].split("\n## ")[0]

    def assert_named(self, section, keys):
        for key in keys:
            self.assertIn(f"`{key}`", self.reference(section), f"{section}: {key}")

    @property
    def probe(self):
        return self.source / "assets" / "models" / "probe"


def read_safetensors(path):
    """(metadata, {name: (shape, values)}) of a file of F32 and I32 tensors."""
    data = pathlib.Path(path).read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + length])
    metadata = header.pop("__metadata__", {})
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        kind = {"F32": "f", "I32": "i"}[entry["dtype"]]
        raw = data[8 + length + begin:8 + length + end]
        tensors[name] = (entry["shape"], struct.unpack(f"<{len(raw) // 4}{kind}", raw))
    return metadata, tensors


def write_safetensors(path, header, body):
    """A file with exactly this header (a dict or bytes) and body, right or wrong."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    pathlib.Path(path).write_bytes(struct.pack("<Q", len(text)) + text + body)


def write_npy(path, shape, values, kind="<f4"):
    """A .npy file of numbers."""
    shape_text = "(" + "".join(f"{size}, " for size in shape) + ")"
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape_text}, }}"
    header += " " * (117 - len(header)) + "\n"
    code = {"<f4": "f", "<f8": "d", "<f2": "e", "<i8": "q"}[kind]
    pathlib.Path(path).write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() +
                                   struct.pack(f"<{len(values)}{code}", *values))


def main():
    program, source, *ProgramTest.extra = sys.argv[1:]
    ProgramTest.program = program
    ProgramTest.source = pathlib.Path(source)
    unittest.main(module="__main__", argv=[sys.argv[0], "-v"])
