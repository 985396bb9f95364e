"""Models as people have them: shards, GGUF files, the Hugging Face cache; and bad ones of each."""
import json
import os
import random
import resource
import shutil
import struct
import subprocess

from program import ProgramTest, main, read_safetensors, write_safetensors

MEMORY_LIMIT = 2 << 30  # address space
TEXT = "the old sailor told a story"


class Formats(ProgramTest):
    def setUp(self):
        super().setUp()
        self.out = self.folder / "out.safetensors"
        self.gguf = self.source / "tests" / "golden" / "gguf"

    def run_limited(self, *arguments):
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))

        return subprocess.run([self.program, *map(str, arguments)], capture_output=True, text=True, timeout=60, check=False,
                              preexec_fn=limit)

    def refused(self, model, *mentions, ids="1,2,3"):
        done = self.run_limited("attend", "--model", model, "--ids", ids, "--out", self.out)
        self.assertEqual(done.returncode, 1, f"{model}: {done.returncode} {done.stderr}")
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertTrue(lines[0].startswith("headscope: "), lines[0])
        for word in mentions:
            self.assertIn(word, lines[0])
        self.assertFalse(self.out.exists())

    def attention(self, model, *inputs):
        out = self.folder / "attention.safetensors"
        self.succeed("attend", "--model", model, *inputs, "--out", out)
        metadata, tensors = read_safetensors(out)
        return metadata, tensors["attention"]

    def shard_the_probe(self):
        """The built-in model in three files, behind symbolic links as the cache has them."""
        folder, blobs = self.folder / "shards", self.folder / "blobs"
        folder.mkdir()
        blobs.mkdir()
        data = (self.probe / "model.safetensors").read_bytes()
        (length,) = struct.unpack("<Q", data[:8])
        header, body = json.loads(data[8:8 + length]), data[8 + length:]
        header.pop("__metadata__", None)
        index = {"metadata": {"total_size": len(body)}, "weight_map": {}}
        for shard in range(3):
            name = f"model-{shard + 1:05}-of-00003.safetensors"
            part, bytes_of = {}, b""
            for tensor in list(header)[shard::3]:
                begin, end = header[tensor]["data_offsets"]
                part[tensor] = {**header[tensor], "data_offsets": [len(bytes_of), len(bytes_of) + end - begin]}
                bytes_of += body[begin:end]
                index["weight_map"][tensor] = name
            write_safetensors(blobs / str(shard), part, bytes_of)
            (folder / name).symlink_to(f"../blobs/{shard}")
        for name in ("config.json", "tokenizer.json", "tokenizer_config.json"):
            shutil.copy(self.probe / name, folder)
        (folder / "model.safetensors.index.json").write_text(json.dumps(index))
        return folder, index

    # --- shards

    def test_shards_are_the_same_model(self):
        folder, _ = self.shard_the_probe()
        self.assertEqual(self.attention(folder, "--text", TEXT)[1], self.attention(self.probe, "--text", TEXT)[1])
        info = json.loads(self.succeed("info", "--model", folder, "--json"))
        whole = json.loads(self.succeed("info", "--model", self.probe, "--json"))
        self.assertEqual((info["parameters"], info["layers"]), (whole["parameters"], whole["layers"]))

    def test_bad_shards(self):
        folder, index = self.shard_the_probe()
        path = folder / "model.safetensors.index.json"

        def change(edit):
            changed = json.loads(json.dumps(index))
            edit(changed)
            path.write_text(json.dumps(changed))

        tensor = next(iter(index["weight_map"]))
        for shard in ("../blobs/0", "/etc/passwd", "..", "", 7, "sub/x", "a\\..\\b"):
            change(lambda i, s=shard: i["weight_map"].update({tensor: s}))
            self.refused(folder, "index.json", tensor)
        change(lambda i: i["weight_map"].update({tensor: "missing.safetensors"}))
        self.refused(folder, "missing.safetensors")
        change(lambda i: i["weight_map"].update({"nobody.weight": index["weight_map"][tensor]}))
        self.refused(folder, "nobody.weight")
        # What the index leaves out its shard holds, and what it says of sizes is not needed.
        for size in ("17", "48.5", "1000000000000000019884624838656", "NaN"):
            changed = json.loads(json.dumps(index))
            changed["weight_map"].pop(tensor)
            changed["metadata"]["total_size"] = "size"
            path.write_text(json.dumps(changed).replace('"size"', size))
            self.succeed("info", "--model", folder)
        for text in ("", "{", "[]", '{"weight_map": 3}', "[" * 100000):
            path.write_text(text)
            self.refused(folder, "index.json")
        path.write_text(json.dumps(index))
        (self.folder / "blobs" / "1").unlink()
        self.refused(folder, "model-00002-of-00003.safetensors")
        (self.folder / "blobs" / "1").write_bytes(b"\x10")
        self.refused(folder, "model-00002-of-00003.safetensors")

    # --- GGUF

    def test_gguf_in_every_type_is_the_same_model(self):
        metadata, expected = self.attention(self.gguf / "llama" / "f32.gguf", "--ids", "1,2,3,4,5,6,7")
        self.assertEqual(metadata["family"], "llama")
        for name in ("f16", "q8_0", "q4_0"):
            metadata, attention = self.attention(self.gguf / "llama" / f"{name}.gguf", "--ids", "1,2,3,4,5,6,7")
            self.assertEqual(metadata["model"], name)
            self.assertEqual(attention[0], expected[0])
            self.assertLess(max(abs(a - b) for a, b in zip(attention[1], expected[1])), 1e-5)
        info = json.loads(self.succeed("info", "--model", self.gguf / "llama" / "q8_0.gguf", "--json"))
        self.assertEqual(info["precision"], "Q8_0")

    def test_cut_gguf_files(self):
        data = (self.gguf / "gpt2" / "q8_0.gguf").read_bytes()
        path = self.folder / "cut.gguf"
        for size in (1, 3, 4, 8, 24, 100, 1000, len(data) // 2, len(data) - 40):
            path.write_bytes(data[:size])
            self.refused(path, "cut.gguf")
        path.write_bytes(b"")
        self.refused(path, "cut.gguf")

    def test_damaged_gguf_files(self):
        """Whatever is in it: an answer or one sentence, no crash, little memory."""
        whole = (self.gguf / "gpt2" / "q8_0.gguf").read_bytes()
        path = self.folder / "damaged.gguf"
        draw = random.Random(5)
        for _ in range(60):
            data = bytearray(whole)
            for _ in range(draw.randint(1, 4)):
                at = draw.randrange(2500)
                data[at] = draw.choice((0, 1, 0x7F, 0x80, 0xFF, draw.randrange(256)))
            path.write_bytes(data)
            done = self.run_limited("attend", "--model", path, "--ids", "1,2,3", "--out", self.out)
            self.assertIn(done.returncode, (0, 1), done.stderr)
            if done.returncode == 1:
                self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
                self.assertTrue(done.stderr.startswith("headscope: "), done.stderr)

    def test_gguf_lengths_past_the_file(self):
        whole = (self.gguf / "gpt2" / "q8_0.gguf").read_bytes()
        path = self.folder / "long.gguf"
        for at in (8, 16, 24):  # tensors, entries, the first key
            for value in (2**31, 2**40, 2**63, 2**64 - 1):
                path.write_bytes(whole[:at] + struct.pack("<Q", value) + whole[at + 8:])
                self.refused(path, "long.gguf")

    def test_not_a_number_in_gguf_weights(self):
        data = (self.gguf / "gpt2" / "q8_0.gguf").read_bytes()
        path = self.folder / "nan.gguf"
        path.write_bytes(data[:-8192] + b"\xff" * 8192)
        self.refused(path, "nan.gguf", "blk.")

    def test_other_files(self):
        path = self.folder / "model.gguf"
        path.write_bytes(b"PK\x03\x04 archive/data.pkl, a pickle of torch")
        self.refused(path, "pickle", "save_pretrained")
        path.write_bytes(b"something else")
        self.refused(path, "model.gguf")
        self.refused(self.folder / "none.gguf", "none.gguf")

    # --- the Hugging Face cache

    def test_models_in_the_cache(self):
        hub = self.folder / "hf" / "hub"
        repository = hub / "models--someone--probe"
        snapshot = repository / "snapshots" / "0123abcd"
        snapshot.mkdir(parents=True)
        (repository / "refs").mkdir()
        (repository / "refs" / "main").write_text("0123abcd")
        for name in ("config.json", "model.safetensors", "tokenizer.json"):
            (snapshot / name).symlink_to(self.probe / name)
        environment = {**os.environ, "HF_HOME": str(self.folder / "hf")}
        environment.pop("HF_HUB_CACHE", None)
        for model in ("someone/probe", repository, snapshot):
            done = self.run_program("info", "--model", model, "--json", env=environment)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(json.loads(done.stdout)["name"], "someone/probe")
        done = self.run_program("info", "--model", "someone/else", env=environment)
        self.assertEqual(done.returncode, 1)
        self.assertIn("someone/else", done.stderr)
        (snapshot / "model.safetensors").unlink()
        done = self.run_program("info", "--model", "someone/probe", env=environment)
        self.assertEqual(done.returncode, 1)
        self.assertIn("model.safetensors", done.stderr)


if __name__ == "__main__":
    main()
