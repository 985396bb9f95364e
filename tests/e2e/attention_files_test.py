"""Attention made elsewhere: what attend wrote, what Python would write, and what is wrong with some of it."""
import json
import math
import pathlib
import resource
import struct
import subprocess
import unittest
import zipfile

from program import ProgramTest, main, read_safetensors, write_npy, write_safetensors

TEXT = "the old sailor told a story"
MEMORY_LIMIT = 2 << 30  # address space


def causal_maps(layers, heads, tokens):
    """Softmax rows over the keys up to the query."""
    values = []
    for row in range(layers * heads * tokens):
        query = row % tokens
        scores = [math.exp(math.sin(row * 7.0 + key)) for key in range(query + 1)]
        values += [score / sum(scores) for score in scores] + [0.0] * (tokens - query - 1)
    return values


class AttentionFiles(ProgramTest):
    def setUp(self):
        super().setUp()
        self.picture = self.folder / "a.png"

    def render(self, path, *arguments):
        """What is said of the file; the picture is made."""
        done = self.run_program("render", "--attention", path, *(arguments or ["--all"]), "--out", self.picture)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, "")
        lines = done.stderr.splitlines()
        for line in lines:
            self.assertTrue(line.startswith(f"headscope: {path}: "), line)
        return lines

    def refused(self, path, *mentions):
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))

        picture = self.folder / "none.png"
        done = subprocess.run([self.program, "render", "--attention", path, "--all", "--out", picture], capture_output=True,
                              text=True, timeout=60, check=False, preexec_fn=limit)
        self.assertEqual(done.returncode, 1, done.stderr)
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertTrue(lines[0].startswith(f"headscope: {path}"), lines[0])
        for word in mentions:
            self.assertIn(word, lines[0])
        self.assertFalse(picture.exists())

    def write(self, values, shape, metadata=None, name="attention"):
        path = self.folder / "given.safetensors"
        body = struct.pack(f"<{len(values)}f", *values)
        header = {name: {"dtype": "F32", "shape": shape, "data_offsets": [0, len(body)]}}
        write_safetensors(path, {"__metadata__": metadata or {}, **header}, body)
        return path

    # --- what the program wrote itself

    def test_what_attend_wrote_opens_again_with_the_same_picture(self):
        for ending in (".safetensors", ".npz"):
            out = self.folder / ("a" + ending)
            self.succeed("attend", "--text", TEXT, "--out", out)
            self.assertEqual(self.render(out), [])
            self.assertEqual(self.render(out, "--head", "L1H3", "--range", "global"), [])
            self.assertEqual(self.render(out, "--layer", "1"), [])
        self.assertIn("layers 0 to 1", self.fail_with(
            1, "render", "--attention", out, "--head", "L2H0", "--out", self.picture))

    def test_the_layers_that_were_written_keep_their_numbers(self):
        out = self.folder / "a.safetensors"
        self.succeed("attend", "--text", TEXT, "--layers", "1", "--out", out)
        self.render(out, "--head", "L1H0")
        self.assertIn("layers 1 only", self.fail_with(
            1, "render", "--attention", out, "--head", "L0H0", "--out", self.picture))

    def test_the_parts_of_an_encoder_decoder(self):
        out = self.folder / "a.safetensors"
        model = self.source / "tests" / "golden" / "data" / "t5_plain"
        self.succeed("attend", "--model", model, "--ids", "5,6,7,8", "--target-ids", "0,9,3", "--out", out)
        for choice in (["--head", "E0H0"], ["--head", "D1H2"], ["--head", "X1H0"], ["--part", "cross", "--all"]):
            self.assertEqual(self.render(out, *choice), [])
        self.fail_with(1, "render", "--attention", out, "--head", "L0H9", "--out", self.picture)

    def test_a_window_stays_masked(self):
        out = self.folder / "a.safetensors"
        model = self.source / "tests" / "golden" / "data" / "mistral_window"
        self.succeed("attend", "--model", model, "--ids", ",".join("123456789123"), "--out", out)
        self.assertEqual(json.loads(read_safetensors(out)[0]["windows"]), [7, 7])
        self.assertEqual(self.render(out), [])

    # --- what others wrote

    def test_files_as_python_writes_them(self):
        values = causal_maps(2, 3, 4)
        path = self.folder / "maps.npy"
        for kind in ("<f4", "<f8", "<f2"):
            write_npy(path, [2, 3, 4, 4], values, kind)
            self.assertEqual(len(self.render(path)), 1)  # there are no tokens
        tokens = "".join(f"{word:\0<5}" for word in ("the", "old", "cat", "sat"))
        for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            packed = self.folder / "maps.npz"
            with zipfile.ZipFile(packed, "w", method) as archive:
                write_npy(path, [2, 3, 4, 4], values)
                archive.write(path, "attention.npy")
                header = "{'descr': '<U5', 'fortran_order': False, 'shape': (4,), }".ljust(117) + "\n"
                archive.writestr("tokens.npy", b"\x93NUMPY\x01\x00v\x00" + header.encode() + tokens.encode("utf-32-le"))
            self.assertEqual(self.render(packed), [])
            self.assertEqual(self.render(packed, "--head", "L1H2"), [])

    def test_one_array_for_each_layer(self):
        path, maps = self.folder / "maps.npy", self.folder / "maps.npz"
        with zipfile.ZipFile(maps, "w") as archive:
            for layer in range(11):
                write_npy(path, [1, 3, 4, 4], causal_maps(1, 3, 4))
                archive.write(path, f"layer_{layer}.npy")
        self.assertEqual(len(self.render(maps, "--head", "L10H0")), 1)

    def test_the_numbers_in_names_of_arrays_are_kept(self):
        one, maps = self.folder / "one.npy", self.folder / "maps.npz"
        write_npy(one, [3, 4, 4], causal_maps(1, 3, 4))
        with zipfile.ZipFile(maps, "w") as archive:
            for layer in (10, 11):
                archive.write(one, f"layer_{layer}.npy")
        self.render(maps, "--head", "L11H2")
        self.assertIn("layers 10 to 11", self.fail_with(1, "render", "--attention", maps, "--head", "L0H0", "--out", self.folder / "x.png"))
        out = self.folder / "compared.json"
        self.succeed("compare", "--attention", maps, "--attention", maps, "--out", out)
        self.assertEqual([head["a"] for head in json.loads(out.read_text())["heads"]],
                         [f"L{layer}H{head}" for layer in (10, 11) for head in range(3)])

    def test_each_of_two_files_has_an_array_of_its_own(self):
        one, two = self.folder / "one.npy", self.folder / "two.npy"
        write_npy(one, [1, 2, 3, 3], causal_maps(1, 2, 3))
        write_npy(two, [1, 2, 3, 3], list(reversed(causal_maps(1, 2, 3))))
        for name, arrays in (("a.npz", ("x", "y")), ("b.npz", ("p", "q"))):
            with zipfile.ZipFile(self.folder / name, "w") as archive:
                for array, file in zip(arrays, (one, two)):
                    archive.write(file, f"{array}.npy")
        a, b, out = self.folder / "a.npz", self.folder / "b.npz", self.folder / "compared.json"

        def largest(*arguments):
            self.succeed("compare", *arguments, "--out", out)
            return json.loads(out.read_text())["largest"]["divergence"]

        self.assertEqual(largest("--attention", a, "--tensor", "x", "--attention", b, "--tensor", "p"), 0.0)
        self.assertEqual(largest("--attention", a, "--attention", b, "--tensor", "x", "--tensor", "p"), 0.0)
        self.assertGreater(largest("--attention", a, "--tensor", "x", "--attention", b, "--tensor", "q"), 0.0)
        self.assertEqual(largest("--attention", a, "--attention", a, "--tensor", "x"), 0.0)
        self.assertIn("no --attention left", self.fail_with(
            2, "compare", "--attention", a, "--tensor", "x", "--tensor", "y", "--model", "probe", "--ids", "1,2,3", "--out", out))

    # --- defects

    def test_defects_are_said_and_the_picture_is_made(self):
        tokens = {"tokens": '["a", "b", "c", "d"]'}
        good = causal_maps(1, 2, 4)
        self.assertEqual(self.render(self.write(good, [1, 2, 4, 4], tokens)), [])
        for change, value, mention in ((5, 5.0, "does not sum to 1 within 0.0001"), (5, -0.5, "below 0"),
                                       (4, float("nan"), "not finite"), (4, float("inf"), "not finite"),
                                       (4, 1.5, "above 1"), (1, 0.25, "later tokens")):
            values = list(good)
            values[change] = value
            said = "\n".join(self.render(self.write(values, [1, 2, 4, 4], tokens)))
            self.assertIn(mention, said)
        said = self.render(self.write(good, [1, 2, 4, 4], {"tokens": '["a"]'}))
        self.assertIn('1 "tokens" for maps of 4', said[0])
        said = self.render(self.write([0.25] * 24, [1, 2, 3, 4], {"tokens": '["a", "b", "c"]'}))
        self.assertIn("not square, [3,4]", "\n".join(said))

    def test_what_holds_no_attention_is_refused(self):
        good = causal_maps(1, 2, 4)
        self.refused(self.write(good, [8, 4]), "[L,H,n,n]")
        self.refused(self.write(good, [32]), "[L,H,n,n]")
        self.refused(self.write([], [1, 2, 0, 4]), "at least one")
        self.refused(self.write(good, [1, 2, 1, 1, 4, 4]), "[L,H,n,n]")
        self.refused(self.write(good, [1, 2, 1, 4, 4]), "batch")
        self.refused(self.probe / "model.safetensors", "expected attention")
        path = self.folder / "bad"
        for content in (b"", b"PK\x03\x04", b"PK\x05\x06" + bytes(18), b"\x93NUMPY\x01\x00", b"text", bytes(100)):
            path.write_bytes(content)
            self.refused(path)
        self.refused(self.folder)
        self.refused(self.folder / "missing.npz", "missing.npz")
        lies = self.folder / "lies.safetensors"
        write_safetensors(lies, {"attention": {"dtype": "F32", "shape": [1 << 20, 1 << 20, 1 << 20, 1 << 20],
                                               "data_offsets": [0, 16]}}, bytes(16))
        self.refused(lies, "attention")

    def test_a_bomb_is_not_unpacked(self):
        path, bomb = self.folder / "zeros.npy", self.folder / "bomb.npz"
        write_npy(path, [1, 1, 4096, 4096], [])
        with path.open("ab") as file:
            file.truncate(128 + 4096 * 4096 * 4)
        with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.write(path, "attention.npy")
        self.refused(bomb, "numpy.savez")

    def test_a_model_and_an_attention_file_are_told_apart(self):
        path = self.write(causal_maps(1, 2, 4), [1, 2, 4, 4])
        self.assertIn("--attention", self.fail_with(1, "info", "--model", path))
        self.fail_with(2, "render", "--attention", path, "--text", "a", "--all", "--out", self.picture)
        self.fail_with(2, "render", "--attention", path, "--model", "probe", "--all", "--out", self.picture)

    # --- outside data, where it is there

    def test_published_attention(self):
        folder = pathlib.Path(self.extra[0]) / "attention" if self.extra else None
        if folder is None or not folder.is_dir():
            raise unittest.SkipTest("no outside data")
        for name in ("prompt0.safetensors", "prompt1.npz", "prompt2.safetensors", "prompt3.npz"):
            self.assertEqual(self.render(folder / "gpt2-small" / name), [])
        several = folder / "bert-sst2" / "attention.safetensors"
        self.refused(several, "--tensor")
        said = self.render(several, "--tensor", "6", "--head", "L7H10")
        self.assertEqual(len(said), 1, said)  # there are no tokens


if __name__ == "__main__":
    main()
