"""Files from strangers: each fault gives one sentence that names the thing, exit 1, quickly and in little memory."""
import json
import os
import pathlib
import resource
import shutil
import struct
import subprocess

from program import ProgramTest, main, write_safetensors

MEMORY_LIMIT = 3 << 30  # address space; a header must not make the program allocate what its file does not hold
TEXT = "the old sailor told a story"


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))


class BadInput(ProgramTest):
    def setUp(self):
        super().setUp()
        self.model = self.folder / "model"
        shutil.copytree(self.probe, self.model)
        self.out = self.folder / "out.safetensors"

    def refused(self, *arguments, mentions=()):
        """One sentence, exit 1, no crash, nothing written."""
        done = subprocess.run([self.program, *map(str, arguments)], capture_output=True, text=True, timeout=60,
                              check=False, preexec_fn=limit_memory)
        self.assertEqual(done.returncode, 1, f"{arguments}: {done.returncode} {done.stderr}")
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertTrue(lines[0].startswith("headscope: "), lines[0])
        for word in mentions:
            self.assertIn(word, lines[0])
        self.assertFalse(self.out.exists())
        return lines[0]

    def attend(self, *mentions, model=None, text=TEXT):
        return self.refused("attend", "--model", model or self.model, "--text", text, "--out", self.out, mentions=mentions)

    def set_config(self, **changes):
        path = self.model / "config.json"
        config = json.loads((self.probe / "config.json").read_text())
        for key, value in changes.items():
            if value is None:
                config.pop(key, None)
            else:
                config[key] = value
        path.write_text(json.dumps(config))

    def weights(self):
        data = (self.probe / "model.safetensors").read_bytes()
        (length,) = struct.unpack("<Q", data[:8])
        return json.loads(data[8:8 + length]), data[8 + length:]

    def set_weights(self, header, body):
        write_safetensors(self.model / "model.safetensors", header, body)

    # --- folders

    def test_missing_folder(self):
        self.attend("nowhere", model=self.folder / "nowhere")

    def test_empty_folder(self):
        empty = self.folder / "empty"
        empty.mkdir()
        self.attend("config.json", model=empty)

    def test_a_file_in_place_of_a_folder(self):
        file = self.folder / "file.txt"
        file.write_text("x")
        self.attend("file.txt", model=file)

    def test_no_weights(self):
        (self.model / "model.safetensors").unlink()
        self.attend("model.safetensors")

    def test_a_pickle_is_refused_with_the_way_out(self):
        (self.model / "model.safetensors").unlink()
        (self.model / "pytorch_model.bin").write_bytes(b"\x80\x02}q\x00.")
        self.attend("pytorch_model.bin", "safetensors")
        self.attend("safetensors", model=self.model / "pytorch_model.bin")

    # --- safetensors

    def test_truncated_files(self):
        data = (self.probe / "model.safetensors").read_bytes()
        for size in (0, 1, 7, 8, 9, 100, len(data) // 2, len(data) - 1):
            (self.model / "model.safetensors").write_bytes(data[:size])
            self.attend("model.safetensors")

    def test_header_length_past_the_end(self):
        data = (self.probe / "model.safetensors").read_bytes()
        for length in (len(data), 2**31, 2**40, 2**63, 2**64 - 1):
            (self.model / "model.safetensors").write_bytes(struct.pack("<Q", length) + data[8:])
            self.attend("model.safetensors")

    def test_header_that_is_not_json(self):
        for header in (b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"a":1}', b"[" * 100000, b'{"a":{"dtype":"F32"}}'):
            self.set_weights(header, b"\0" * 64)
            self.attend("model.safetensors")

    def test_offsets(self):
        header, body = self.weights()
        name = next(key for key in header if key.endswith("c_attn.weight"))
        begin, end = header[name]["data_offsets"]
        for offsets in ([begin, end + 4], [end, begin], [0, end - begin], [2**62, 2**62 + end - begin],
                        [-4, end], [begin], [begin, end, end], "x", [begin + 0.5, end], [len(body), len(body) + end - begin]):
            changed = json.loads(json.dumps(header))
            changed[name]["data_offsets"] = offsets
            self.set_weights(changed, body)
            self.attend("model.safetensors")

    def test_shapes(self):
        header, body = self.weights()
        name = next(key for key in header if key.endswith("c_attn.weight"))
        right = header[name]["shape"]
        for shape in ([2**32, 2**32], [2**63, 2], [-1, right[1]], [right[1], right[0]], [right[0] * right[1]], [], "x",
                      [right[0], right[1], 1], [0, right[1]], [right[0] + 0.5, right[1]]):
            changed = json.loads(json.dumps(header))
            changed[name]["shape"] = shape
            self.set_weights(changed, body)
            self.attend(name)

    def test_dtypes(self):
        header, body = self.weights()
        name = next(key for key in header if key.endswith("c_attn.weight"))
        for dtype in ("I32", "F16", "Q4", "", 7, None):
            changed = json.loads(json.dumps(header))
            changed[name]["dtype"] = dtype
            self.set_weights(changed, body)
            self.attend(name)

    def test_missing_tensor(self):
        header, body = self.weights()
        name = next(key for key in header if key.endswith("h.1.attn.c_proj.weight"))
        header[name + ".renamed"] = header.pop(name)
        self.set_weights(header, body)
        self.attend("attn.c_proj.weight")

    def test_not_a_number_in_the_weights(self):
        header, body = self.weights()
        for name in (key for key in header if key.endswith(("h.1.attn.c_attn.weight", "wte.weight"))):
            begin, _ = header[name]["data_offsets"]
            for value in (float("nan"), float("inf")):
                # The whole first rows, so that the embedding rows of this text are among them.
                count = 64 * 1024 // 4
                end = header[name]["data_offsets"][1]
                count = min(count, (end - begin) // 4)
                spoilt = struct.pack("<f", value) * ((end - begin) // 4)
                self.set_weights(header, body[:begin] + spoilt + body[end:])
                self.attend(name.split(".", 1)[1])

    # --- config

    def test_absurd_configs(self):
        for key in ("n_layer", "n_head", "n_embd", "n_positions", "vocab_size"):
            for value in (0, -1, 2**31, 2**63 - 1, 1.5, "12", [], {}, True):
                self.set_config(**{key: value})
                self.attend("config.json", key)
            self.set_config(**{key: 10**30})  # more than the JSON reader takes for a number
            self.attend("config.json")
        self.set_config(n_head=5)
        self.attend("config.json")
        for value in (-1, "x", 1e400):
            self.set_config(layer_norm_epsilon=value)
            self.attend("config.json")
        self.set_config(activation_function="swirl")
        self.attend("config.json", "swirl")

    def test_unknown_family(self):
        self.set_config(model_type="perceptron9000")
        self.attend("perceptron9000", "headscope families")
        self.set_config(model_type=None)
        self.attend("config.json", "model_type")

    def test_configs_that_are_not_json(self):
        for text in ("", "{", "[1]", "null", "\x00", '{"model_type": "gpt2"', "{" * 5000, '{"model_type": "\\ud800"}'):
            (self.model / "config.json").write_text(text, encoding="utf-8")
            self.attend("config.json")
        (self.model / "config.json").write_bytes(b'{"model_type": "\xff\xff"}')
        self.attend("config.json")
        (self.model / "config.json").write_bytes(b" " * (5 << 20))
        self.attend("config.json")

    def test_more_layers_than_weights(self):
        self.set_config(n_layer=1000)
        self.attend("h.2.")

    # --- tokenizer

    def test_bad_tokenizers(self):
        for text in ("", "{", "[]", "{}", '{"model": {}}', '{"model": {"type": "Riddle"}}',
                     '{"model": {"type": "WordLevel", "vocab": {"a": -1}, "unk_token": "a"}}',
                     '{"model": {"type": "WordLevel", "vocab": {"a": "x"}, "unk_token": "a"}}',
                     '{"model": {"type": "BPE", "vocab": {"a": 0}, "merges": ["a b"]}}',
                     '{"model": {"type": "BPE", "vocab": [], "merges": {}}}'):
            (self.model / "tokenizer.json").write_text(text)
            self.attend("tokenizer.json")

    def test_a_tokenizer_that_cannot_be_read_closes_nothing_else(self):
        ids, tokens = "5,6,7,5,6,7", self.model / "tokenizer.json"
        whole = ("--model", self.model, "--ids", ids)
        for text, reason in (("{", "tokenizer.json"), ('{"model": {"type": "Riddle"}}', "Riddle"),
                             ("version https://git-lfs.github.com/spec/v1\noid sha256:12\nsize 5\n", "tokenizer.json")):
            tokens.write_text(text)
            advised = self.attend(reason, "--ids")
            self.assertNotIn("ids instead", advised)
            probe = self.folder / "probe.ids"
            probe.write_text(f"{ids}\n{ids}\n")
            for arguments in (("info", "--model", self.model), ("info", "--model", self.model, "--json"),
                              ("attend", *whole, "--out", self.folder / "a.npz"),
                              ("split", *whole, "--layer", "0", "--heads", "1,2", "--out", self.folder / "a.json"),
                              ("compare", "--model", self.model, *whole, "--out", self.folder / "b.json"),
                              ("render", *whole, "--head", "L0H0", "--out", self.folder / "a.png"),
                              ("score", "--model", self.model, "--probe", probe, "--out", self.folder / "c.json"),
                              ("score", "--model", self.model, "--sequences", "1", "--out", self.folder / "c.json")):
                done = self.run_program(*arguments)
                self.assertEqual(done.returncode, 0, f"{arguments}: {done.stderr}")
                self.assertIn(reason, done.stderr)
            self.assertEqual(self.run_program("bench", "--model", self.model, "--tokens", "8").returncode, 0)
            for arguments in (("tokenize", "--model", self.model, "--text", TEXT),
                              ("score", "--model", self.model, "--probe", "retrieval", "--out", self.folder / "d.json")):
                self.assertIn(reason, self.fail_with(1, *arguments))

    # --- text and ids

    def test_text_past_the_positions(self):
        positions = json.loads((self.probe / "config.json").read_text())["n_positions"]
        self.attend(str(positions), text="story " * (positions + 1))
        self.refused("attend", "--model", "probe", "--ids", ",".join(["1"] * (positions + 1)), "--out", self.out, mentions=[str(positions)])

    def test_empty_text(self):
        self.attend("empty", text="")

    def test_ids_past_the_vocabulary(self):
        vocabulary = json.loads((self.probe / "config.json").read_text())["vocab_size"]
        for number in (vocabulary, 2**31 - 1):
            self.refused("attend", "--model", "probe", "--ids", f"1,{number}", "--out", self.out, mentions=[str(number), str(vocabulary - 1)])

    def test_invalid_utf8(self):
        path = self.folder / "t.txt"
        for text in (b"the \xff sailor", b"\xc0\x80", b"\xed\xa0\x80", b"abc\xe2\x82"):
            path.write_bytes(text)
            self.refused("attend", "--model", self.model, "--text-file", path, "--out", self.out)
        done = subprocess.run([os.fsencode(self.program), b"tokenize", b"--text", b"a\xffb"], capture_output=True,
                              timeout=60, check=False)
        self.assertEqual(done.returncode, 1)

    def test_missing_and_odd_text_files(self):
        for path in (self.folder / "none.txt", self.folder, pathlib.Path("/dev/null")):
            self.refused("attend", "--text-file", path, "--out", self.out)

    def test_faults_of_a_text_file_name_it(self):
        text = self.folder / "text.txt"
        text.write_bytes(b"the old sailor to\xff")
        for command in ("attend", "tokenize"):
            out = ("--out", self.out) if command == "attend" else ()
            self.refused(command, "--model", self.model, "--text-file", text, *out,
                         mentions=[f"{text}: not UTF-8 from byte 17", "0xff"])
        text.write_bytes(b"")
        self.refused("attend", "--model", self.model, "--text-file", text, "--out", self.out,
                     mentions=[f"{text}: the file is empty"])
        self.refused("score", "--model", "gpt-h8", "--probe", text, "--out", self.folder / "x.json",
                     mentions=[f"{text}: it is empty"])

    def test_an_attention_module_has_no_tokenizer(self):
        module = self.source / "tests" / "golden" / "modules" / "fused" / "module.safetensors"
        self.refused("tokenize", "--model", module, "--text", TEXT, mentions=[str(module), "reads embeddings, no text"])

    def test_heads_and_layers_that_are_not_there(self):
        png = self.folder / "a.png"
        self.refused("render", "--text", TEXT, "--head", "L9H0", "--out", png, mentions=["L9H0"])
        self.refused("render", "--text", TEXT, "--layer", "9", "--out", png, mentions=["9"])
        self.refused("split", "--text", TEXT, "--layer", "9", "--out", self.folder / "s.json", mentions=["9"])
        self.refused("split", "--text", TEXT, "--layer", "0", "--heads", "100000", "--out", self.folder / "s.json")
        self.refused("split", "--text", TEXT, "--layer", "0", "--heads", "0", "--out", self.folder / "s.json")
        self.assertFalse(png.exists())

    # --- output

    def test_output_that_cannot_be_written(self):
        self.out = self.folder / "nowhere" / "a.safetensors"
        self.refused("attend", "--text", TEXT, "--out", self.out, mentions=["nowhere"])
        self.refused("render", "--text", TEXT, "--all", "--out", self.folder / "nowhere" / "a.png", mentions=["nowhere"])

    def test_full_output(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([self.program, "info"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60,
                                  check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("standard output", done.stderr)

    def test_a_file_limit_leaves_the_old_output_whole(self):
        self.out = self.folder / "a.safetensors"
        old = b"what was there before"
        for name in ("a.safetensors", "a.npz"):
            target = self.folder / name
            target.write_bytes(old)

            def small_files():
                resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

            done = subprocess.run([self.program, "attend", "--text", " ".join([TEXT] * 10), "--out", str(target)],
                                  capture_output=True, text=True, timeout=60, check=False, preexec_fn=small_files)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertRegex(done.stderr, fr"^headscope: .*{name}: .*at most 4096 bytes.*ulimit -f.*\n$")
            self.assertEqual(target.read_bytes(), old)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["a.npz", "a.safetensors", "model"])


if __name__ == "__main__":
    main()
