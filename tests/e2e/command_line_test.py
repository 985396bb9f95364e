"""Every subcommand does on the built-in model what docs/reference.md says."""
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import zipfile

from program import ProgramTest, main, read_safetensors, write_npy

TEXT = "the old sailor told a story and the old sailor told a story"


def rows(shape, values):
    """Rows of the last axis."""
    width = shape[-1]
    return [values[i:i + width] for i in range(0, len(values), width)]


def png_size(path):
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    return struct.unpack(">II", data[16:24])


class CommandLine(ProgramTest):
    def test_help_and_version(self):
        self.assertIn("attend", self.succeed("--help"))
        self.assertRegex(self.succeed("--version"), r"^headscope \d+\.\d+\.\d+\n$")
        self.assertIn("--layers", self.succeed("attend", "--help"))

    def test_the_reference_names_every_command_and_option(self):
        commands = re.findall(r"(?m)^  ([a-z]+) +\S", self.succeed("--help").split("Subcommands:")[1])
        self.assertIn("attend", commands)
        for command in ([], *([each] for each in commands)):
            options = re.findall(r"(?m)^  (?:-\w,)?(--[a-z][a-z-]*)", self.succeed(*command, "--help"))
            self.assertGreater(len(options), 0)
            for option in options:
                self.assertRegex(self.reference(), rf"{option}(?![a-z-])", f"{command} {option}")
        for command in commands:
            self.assertIn(f"`{command}`", self.reference())

    def test_the_reference_names_every_key_that_is_written(self):
        out = self.folder / "a.safetensors"
        self.succeed("attend", "--text", TEXT, "--out", out)
        self.assert_named("attend", read_safetensors(out)[0])
        self.assert_named("info", json.loads(self.succeed("info", "--json")))
        self.assert_named("tokenize", json.loads(self.succeed("tokenize", "--text", TEXT)))
        bench = json.loads(self.succeed("bench", "--tokens", "4", "--json"))
        self.assert_named("bench", [*bench, *bench["cases"][0]])
        split = self.folder / "s.json"
        self.succeed("split", "--layer", "0", "--text", TEXT, "--heads", "2", "--out", split)
        made = json.loads(split.read_text(encoding="utf-8"))
        self.assert_named("split", [*made, *made["counts"][0]])
        tensors = split.with_suffix(".safetensors")
        self.succeed("split", "--layer", "0", "--text", TEXT, "--heads", "2", "--out", tensors)
        metadata, arrays = read_safetensors(tensors)
        self.assert_named("split", [*metadata, *(name.replace("_2", "_<h>") for name in arrays)])

    def score(self, model, *options):
        out = self.folder / "score.json"
        self.succeed("score", "--model", model, *options, "--out", out)
        return json.loads(out.read_text(encoding="utf-8"))

    def test_score_names_the_probe_models_heads_rightly_all_and_only_those(self):
        made = self.score("probe")
        self.assert_named("score", [*made, *made["heads"][0], *made["heads"][0]["scores"]["induction"]])
        self.assert_named("score", made["heads"][0]["suggested"][0])
        for metric, score in made["heads"][0]["scores"].items():
            if not metric.startswith("offset:"):
                self.assert_named("score", [metric])
            self.assertEqual(score["score"] is None, "why_not" in score, metric)
        found = {head["head"]: [(each["verdict"], each["metric"]) for each in head["suggested"]] for head in made["heads"]}
        self.assertEqual(found, {
            "L0H0": [("strong", "previous_token")], "L0H1": [("strong", "duplicate_token")], "L0H2": [("strong", "first_token")],
            "L0H3": [], "L1H0": [("strong", "induction"), ("strong", "copy_effect")], "L1H1": [("strong", "self")], "L1H2": [("strong", "offset:-2")], "L1H3": []})

    def test_assets_without_tables_of_words_leave_those_out_with_the_reason(self):
        out = self.folder / "score.json"
        assets = self.folder / "assets"
        assets.mkdir()
        self.succeed("score", "--model", self.probe, "--draw", "uniform", "--out", out, env={**os.environ, "HEADSCOPE_ASSETS": str(assets)})
        made = json.loads(out.read_text(encoding="utf-8"))["heads"][4]["scores"]
        for name in ("plural", "successor", "capital", "past"):
            self.assertIsNone(made[f"token_map:{name}"]["score"])
            self.assertIn(str(assets / "token_maps.txt"), made[f"token_map:{name}"]["why_not"])
        self.assertIsNotNone(made["induction"]["score"])
        self.assertIsNotNone(made["copying"]["score"])

    def test_twins_score_less_than_heads_that_learnt(self):
        made = self.score("copy-h8", "--sequences", "20", "--twins", "3")
        found = [each for head in made["heads"] for each in head["suggested"] if each["role"] == "induction"]
        self.assertEqual(len(found), 8)
        for each in found:
            self.assertLess(each["twin"], 0.15)
            self.assertIn("best shuffled copy", each["why"])

    def test_an_induction_head_whose_output_is_negated_suppresses(self):
        negated = self.folder / "negated"
        shutil.copytree(self.probe, negated)
        weights = bytearray((negated / "model.safetensors").read_bytes())
        size, = struct.unpack("<Q", weights[:8])
        name, about = next((name, about) for name, about in json.loads(weights[8:8 + size]).items()
                           if name.endswith("h.1.attn.c_proj.weight"))
        first = 8 + size + about["data_offsets"][0]
        for cell in range(about["shape"][0] // 4 * about["shape"][1]):  # the rows of the first of four heads
            weights[first + 4 * cell + 3] ^= 0x80
        (negated / "model.safetensors").write_bytes(weights)
        before, after = (self.score(model)["heads"][4] for model in ("probe", negated))
        self.assertEqual(before["scores"]["induction"], after["scores"]["induction"], name)
        self.assertEqual([each["role"] for each in before["suggested"]], ["induction", "copies"])
        self.assertEqual([each["role"] for each in after["suggested"]], ["induction", "suppresses"])
        self.assertAlmostEqual(before["scores"]["copy_effect"]["score"], -after["scores"]["copy_effect"]["score"], delta=0.5)
        self.assertIn("it suppresses", after["suggested"][0]["why"])

    def test_score_finds_induction_in_the_copying_model(self):
        made = self.score("copy-h8", "--sequences", "20")
        self.assertIn("period 40 takes 81 tokens", made["notes"][0])
        for head in made["heads"]:
            is_induction = any(each["role"] == "induction" for each in head["suggested"])
            self.assertEqual(is_induction, head["layer"] == 1, head["head"])

    def test_shares_of_a_scan_merge_to_one_run_exactly(self):
        whole = self.score("copy-h4", "--sequences", "100")
        parts = [self.folder / f"part-{share}.json" for share in range(4)]
        for share, part in enumerate(parts):
            self.succeed("score", "--model", "copy-h4", "--sequences", "100", "--shard", f"{share}/4", "--out", part)
        merged = self.folder / "merged.json"
        self.succeed("merge", *parts, "--out", merged)
        self.assertEqual(json.loads(merged.read_text(encoding="utf-8")), whole)
        self.assertIn("is missing", self.fail_with(1, "merge", *parts[1:], "--out", merged))
        self.succeed("score", "--model", "copy-h8", "--sequences", "100", "--shard", "0/4", "--out", parts[0])
        self.assertIn("another scan", self.fail_with(1, "merge", *parts[1:], parts[0], "--out", merged))

    def test_a_scan_that_was_stopped_is_resumed(self):
        out = self.folder / "resumed.json"
        arguments = ("score", "--model", "copy-h8", "--sequences", "100", "--out", out)
        self.succeed(*arguments)
        whole = out.read_bytes()
        progress = self.folder / "resumed.json.progress"
        self.assertFalse(progress.exists())
        part = self.folder / "part.json"
        self.succeed(*arguments[:-1], part, "--shard", "0/2")
        done = part.read_bytes()
        progress.write_bytes(done[:-20])  # killed while it wrote
        self.succeed(*arguments, "--resume")
        self.assertEqual(out.read_bytes(), whole)
        self.assertFalse(progress.exists())
        progress.write_bytes(done[:40])
        refused = self.run_program(*arguments, "--resume")
        self.assertEqual(refused.returncode, 1)
        error = refused.stderr.splitlines()[-1]
        self.assertIn("resumed.json.progress: not the progress of a scan", error)
        self.assertIn("delete it, or leave --resume out", error)
        self.succeed(*arguments)  # begins anew

    def test_score_has_the_heads_of_every_part_of_an_encoder_decoder(self):
        model = self.source / "tests" / "golden" / "data" / "bart_plain"
        made = self.score(model, "--sequences", "100", "--twins", "1")
        names = [f"{part}{layer}H{head}" for part in "EDX" for layer in range(2) for head in range(4)]
        self.assertEqual([head["head"] for head in made["heads"]], names)
        parts = {"E": "encoder", "D": "decoder", "X": "cross"}
        own = {"E": "next_token", "D": "induction", "X": "source:+0"}
        for head in made["heads"]:
            self.assertEqual(head["part"], parts[head["head"][0]])
            self.assertEqual(list(sorted(head["scores"])), list(sorted(made["heads"][0]["scores"])))
            for metric, score in head["scores"].items():
                self.assertEqual(score["score"] is None, "why_not" in score, metric)
            self.assertIsNotNone(head["scores"][own[head["head"][0]]]["score"])
            self.assertEqual(head["suggested"], [])  # its weights are random
        self.assert_named("score", ["source:+0", "source_token", "source_next_token"])
        shares = [self.folder / f"share{share}.json" for share in range(4)]
        for share, path in enumerate(shares):
            self.succeed("score", "--model", model, "--sequences", "100", "--twins", "1", "--shard", f"{share}/4", "--out", path)
        merged = self.folder / "merged.json"
        self.succeed("merge", *reversed(shares), "--out", merged)
        self.assertEqual(merged.read_bytes(), (self.folder / "score.json").read_bytes())
        error = self.fail_with(2, "score", "--model", model, "--ablate", "D0H1", "--out", self.folder / "x.json")
        self.assertIn("models of one stack only", error)

    def test_score_tells_relations_from_liking_a_kind_of_word(self):
        made = self.score("gpt-h8", "--probe", self.source / "assets" / "probes" / "probes.conllu")
        found = {(head["head"], each["relation"]) for head in made["heads"] for each in head["suggested"]
                 if each["role"] == "syntactic"}
        self.assertIn(("L3H1", "obj"), found)
        obj = made["heads"][3 * 8 + 1]["scores"]["dep:obj:dependent-to-head"]
        self.assertGreater(obj["score"], obj["control"] + 0.1)
        # Right in more pairs than any distance is, and no more often than the words that it likes.
        self.assertNotIn("advcl", {relation for _, relation in found})

    def test_score_refuses_what_it_cannot_read(self):
        for arguments in (("--draw", "none"), ("--sequences", "0"), ("--shard", "4/4"), ("--shard", "x"), ("--out", "x.txt")):
            out = () if arguments[0] == "--out" else ("--out", self.folder / "x.json")
            self.fail_with(2, "score", *arguments, *out)
        ids = self.folder / "a.ids"
        ids.write_text("1,2,3,1,2\n1,2,9999999\n", encoding="utf-8")
        made = self.score("copy-h8", "--probe", ids)
        self.assertEqual(made["sequences"], 1)
        self.assertIn("line 2, column 5", made["notes"][0])
        ids.write_text("one\n", encoding="utf-8")
        self.assertIn("line 1, column 1", self.fail_with(1, "score", "--model", "copy-h8", "--probe", ids, "--out", self.folder / "x.json"))
        report = self.folder / "score.json"
        self.assertIn("a part that headscope score --shard wrote", self.fail_with(1, "merge", report, "--out", self.folder / "x.json"))

    def test_each_line_that_a_scan_leaves_out_is_counted(self):
        lines = [b"The old captain gave the girl a map."] + [b"caf\xe9"] * 23 + [b"sea " * 400]
        corpus = self.folder / "corpus.txt"
        corpus.write_bytes(b"\n".join(lines) + b"\n")
        made = self.score("english", "--probe", corpus)
        self.assertEqual(made["sequences"], 1)
        self.assertIn("corpus.txt: line 2: ", made["notes"][0])
        self.assertIn("left out", made["notes"][0])
        self.assertEqual(made["notes"][20], "and 3 more like these")
        self.assertIn("corpus.txt: line 25: longer than the 256 tokens that the model reads; it is left out", made["notes"][21])

    def test_info_says_what_the_model_is(self):
        about = json.loads(self.succeed("info", "--model", self.probe, "--json"))
        for key, value in {"family": "gpt2", "layers": 2, "heads": 4, "kv_heads": 4, "precision": "F32"}.items():
            self.assertEqual(about[key], value, key)
        self.assertEqual(about["model_dim"], about["heads"] * about["head_dim"])
        self.assertEqual(about["parts"], {"decoder": {"layers": 2, "heads": 4}})
        self.assertIn("gpt2", self.succeed("info", "--model", "probe"))
        self.assertEqual(self.succeed("info", "--json"), self.succeed("info", "--model", "english", "--json"))
        untrained = json.loads(self.succeed("info", "--model", "gpt-h8/step-0", "--json"))
        self.assertEqual(untrained["heads"], 8)

    def test_names_that_are_not_utf8_are_said_with_replacements(self):
        folder = os.fsencode(self.folder) + b"/caf\xe9"
        shutil.copytree(os.fsencode(self.probe), folder)
        shown = "caf\ufffd"
        for command in (["info", "--json"], ["bench", "--tokens", "4", "--json"]):
            about = json.loads(self.succeed_bytes(*command, "--model", folder))
            self.assertEqual(about.get("name", about.get("model")), shown)
        self.assertIn(shown, self.succeed_bytes("info", "--model", folder))
        self.succeed_bytes("tokenize", "--model", folder, "--text", TEXT)
        out = self.folder / "a.safetensors"
        self.succeed_bytes("attend", "--model", folder, "--text", TEXT, "--out", out)
        self.assertEqual(read_safetensors(out)[0]["model"], shown)
        split = self.folder / "s.json"
        self.succeed_bytes("split", "--model", folder, "--layer", "0", "--text", TEXT, "--out", split)
        json.loads(split.read_text(encoding="utf-8"))
        self.succeed_bytes("render", "--model", folder, "--text", TEXT, "--all", "--out", self.folder / "a.png")
        done = subprocess.run([self.program, "info", "--model", folder + b"x"], capture_output=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn(shown + "x", done.stderr.decode())

    def succeed_bytes(self, *arguments):
        done = subprocess.run([self.program, *map(os.fsencode, map(os.fspath, arguments))], capture_output=True,
                              timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.decode()

    def test_empty_values_and_options_in_place_of_values_are_wrong_usage(self):
        self.assertIn("--text: expected a value", self.fail_with(2, "tokenize", "--text", "--pair=x"))
        self.assertIn("the text is empty", self.fail_with(1, "attend", "--text=", "--pair=x", "--out", "a.safetensors"))
        with_text = ["--text", TEXT, "--out", self.folder / "a.png"]
        for options in (["info", "--model", ""], ["info", "--model="], [""], ["--session="], ["--view", ""],
                        ["--screenshot", ""], ["--frame-log="], ["--attention", ""], ["tokenize", "--ids="],
                        ["tokenize", "--text-file="], ["render", "--head", "", *with_text],
                        ["render", "--layer", "", *with_text], ["render", "--all", "--tensor=", *with_text],
                        ["render", "--all", "--size", "", *with_text], ["attend", "--layers", "", *with_text],
                        ["attend", "--part=", *with_text], ["split", "--layer", "0", "--heads", "", *with_text],
                        ["split", "--layer", "0", "--seed", "", *with_text], ["bench", "--tokens="]):
            self.assertIn("found nothing", self.fail_with(2, *options), options)
        self.fail_with(2, "info", "--model", "probe", "--model", "gpt-h8")
        self.fail_with(2, "split", "--seed", "-5", "--layer", "0", *with_text)
        self.fail_with(2, "--target", "x", "--screenshot", self.folder / "w.png")  # a target of no text
        self.fail_with(2, "tokenize", "--text", "a", "--target", "b")

    def test_a_text_that_is_too_long_is_refused_with_the_option_that_cuts_it(self):
        long = "the cat sat. " * 2000
        out = self.folder / "a.safetensors"
        said = self.fail_with(1, "attend", "--text", long, "--out", out)
        self.assertFalse(out.exists())
        (count,) = re.findall(r"--first-tokens (\d+)", said)
        self.succeed("attend", "--text", long, "--first-tokens", "12", "--out", out)
        tokens = json.loads(read_safetensors(out)[0]["tokens"])
        self.assertEqual(len(tokens), 12)
        whole = json.loads(self.succeed("tokenize", "--text", long))["tokens"]
        self.assertEqual(tokens, whole[:12])  # the tokenizer's own first token counts
        self.assertGreater(len(whole), int(count))
        self.fail_with(2, "attend", "--text", long, "--first-tokens", "0", "--out", out)

    def test_a_tilde_is_the_home_folder_in_any_path(self):
        environment = dict(os.environ, HOME=str(self.folder))
        (self.folder / "a.txt").write_text("the cat")
        done = self.run_program("render", "--text-file=~/a.txt", "--head", "L0H0", "--out=~/a.png", env=environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((self.folder / "a.png").exists())

    def test_a_name_that_is_not_in_the_cache_says_that_nothing_is_downloaded(self):
        for name in ("nobody/has-this", "has-this-not"):
            said = self.fail_with(1, "info", "--model", name)
            self.assertIn("Nothing is downloaded", said)
            self.assertIn(f"hf download {name}", said)
        self.assertNotIn("downloaded", self.fail_with(1, "info", "--model", self.folder / "none"))

    def test_a_text_file_gives_the_caption_that_the_text_gives(self):
        (self.folder / "a.txt").write_bytes(b"\xef\xbb\xbf" + TEXT.encode() + b"\n")
        for name, given in (("a.png", ("--text", TEXT)), ("b.png", ("--text-file", self.folder / "a.txt"))):
            self.succeed("render", *given, "--head", "L0H0", "--out", self.folder / name)
        self.assertEqual((self.folder / "a.png").read_bytes(), (self.folder / "b.png").read_bytes())

    def test_tokenize_gives_ids_tokens_and_words(self):
        said = json.loads(self.succeed("tokenize", "--text", TEXT))
        self.assertEqual(len(said["ids"]), len(said["tokens"]))
        self.assertEqual(len(said["ids"]), len(said["words"]))
        self.assertIsNone(said["words"][0])  # the first token is the tokenizer's own
        self.assertEqual(said["words"][1:], list(range(len(said["ids"]) - 1)))
        self.assertEqual(said["ids"][1], said["ids"][8])

    def test_attend_writes_maps_that_sum_to_one_and_are_masked(self):
        out = self.folder / "a.safetensors"
        self.succeed("attend", "--text", TEXT, "--out", out)
        metadata, tensors = read_safetensors(out)
        shape, values = tensors["attention"]
        ids = json.loads(metadata["token_ids"])
        n = len(ids)
        self.assertEqual(shape, [2, 4, n, n])
        self.assertEqual(len(json.loads(metadata["tokens"])), n)
        for key in ("model", "family", "precision", "layers"):
            self.assertIsInstance(metadata[key], str)
        for index, row in enumerate(rows(shape, values)):
            query = index % n
            self.assertAlmostEqual(sum(row), 1.0, delta=1e-5)
            self.assertTrue(all(weight == 0.0 for weight in row[query + 1:]))

    def test_attend_of_ids_equals_attend_of_their_text(self):
        ids = json.loads(self.succeed("tokenize", "--text", TEXT))["ids"]
        one, two = self.folder / "1.safetensors", self.folder / "2.safetensors"
        self.succeed("attend", "--text", TEXT, "--out", one)
        self.succeed("attend", "--ids", ",".join(map(str, ids)), "--out", two)
        self.assertEqual(read_safetensors(one)[1], read_safetensors(two)[1])

    def test_bfloat16_is_refused_where_the_processor_lacks_it(self):
        lacking = self.held_to("AVX2")
        out = self.folder / "a.safetensors"
        for command in (["attend", "--text", TEXT, "--out", out], ["bench", "--tokens", "8"],
                        ["split", "--text", TEXT, "--layer", "0", "--heads", "1", "--out", out],
                        ["render", "--text", TEXT, "--head", "L0H0", "--out", self.folder / "a.png"]):
            self.assertIn("bfloat16", self.fail_with(1, *command, "--precision", "bf16", env=lacking))
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_attend_takes_layers_and_a_file(self):
        text = self.folder / "t.txt"
        text.write_text(TEXT + "\n", encoding="utf-8")
        out = self.folder / "a.safetensors"
        self.succeed("attend", "--text-file", text, "--layers", "1", "--out", out)
        metadata, tensors = read_safetensors(out)
        self.assertEqual(tensors["attention"][0][0], 1)
        whole = self.folder / "w.safetensors"
        self.succeed("attend", "--text", TEXT, "--layers", "0-1", "--out", whole)
        shape, values = read_safetensors(whole)[1]["attention"]
        self.assertEqual(tensors["attention"][1], values[len(values) // shape[0]:])

    def test_attend_writes_npz(self):
        out = self.folder / "a.npz"
        self.succeed("attend", "--text", TEXT, "--out", out)
        with zipfile.ZipFile(out) as archive:
            names = set(archive.namelist())
            self.assertTrue({"attention.npy", "tokens.npy", "token_ids.npy", "model.npy"} <= names, names)
            self.assertIsNone(archive.testzip())
            self.assertIn(b"'<f4'", archive.read("attention.npy")[:128])

    def test_attend_of_embeddings(self):
        width = json.loads(self.succeed("info", "--model", "probe", "--json"))["model_dim"]
        path = self.folder / "e.npy"
        write_npy(path, [3, width], [0.01 * (i % 7) for i in range(3 * width)])
        out = self.folder / "a.safetensors"
        self.succeed("attend", "--embeddings", path, "--out", out)
        self.assertEqual(read_safetensors(out)[1]["attention"][0], [2, 4, 3, 3])

    def test_render_writes_pictures_of_the_asked_size(self):
        for choice in (["--head", "L1H0"], ["--layer", "1"], ["--all"]):
            for more in ([], ["--theme", "dark", "--curve", "log", "--range", "row", "--colormap", "greys"]):
                out = self.folder / "p.png"
                self.succeed("render", "--text", TEXT, *choice, *more, "--size", "700", "--out", out)
                self.assertEqual(max(png_size(out)), 700)

    def test_render_is_the_same_every_time(self):
        one, two = self.folder / "1.png", self.folder / "2.png"
        for out in (one, two):
            self.succeed("render", "--text", TEXT, "--all", "--out", out)
        self.assertEqual(one.read_bytes(), two.read_bytes())

    def test_split_of_the_trained_count_is_the_model(self):
        attend, split = self.folder / "a.safetensors", self.folder / "s.safetensors"
        self.succeed("attend", "--text", TEXT, "--layers", "1", "--out", attend)
        self.succeed("split", "--text", TEXT, "--layer", "1", "--heads", "1,2,4,8", "--out", split)
        tensors = read_safetensors(split)[1]
        shape, values = read_safetensors(attend)[1]["attention"]
        self.assertEqual(tensors["heads_4"][0], shape[1:])
        self.assertLess(max(abs(a - b) for a, b in zip(tensors["heads_4"][1], values)), 1e-6)
        self.assertEqual(sum(tensors["widths_8"][1]), len(tensors["columns_8"][1]))
        self.assertEqual(list(tensors["columns_1"][1]), list(range(tensors["widths_1"][1][0])))

    def test_split_json_has_the_keys_of_the_reference(self):
        out = self.folder / "s.json"
        self.succeed("split", "--text", TEXT, "--layer", "0", "--heads", "1,4", "--out", out)
        said = json.loads(out.read_text())
        self.assertEqual((said["layer"], said["trained_heads"]), (0, 4))
        one, trained = said["counts"]
        for key in ("heads", "widths", "parameters", "multiplies", "softmax_cells", "map_bytes", "milliseconds",
                    "output_difference", "mean_divergence", "effective_heads", "unowned_columns"):
            self.assertIn(key, one)
        self.assertIsNone(one["mean_divergence"])
        self.assertLess(trained["output_difference"], 1e-6)
        self.assertGreater(one["output_difference"], 1e-3)
        self.assertEqual(one["parameters"], trained["parameters"])
        self.assertEqual(one["multiplies"], trained["multiplies"])
        picture = self.folder / "s.png"
        self.succeed("split", "--text", TEXT, "--layer", "0", "--heads", "1,2,4", "--out", picture)
        self.assertGreater(png_size(picture)[0], 300)

    def test_an_encoder_decoder_has_three_kinds_of_maps(self):
        model = self.source / "tests" / "golden" / "data" / "t5_plain"
        info = json.loads(self.succeed("info", "--model", model, "--json"))
        self.assertEqual(info["parts"], {part: {"layers": 2, "heads": 3} for part in ("encoder", "decoder", "cross")})
        out = self.folder / "t5.safetensors"
        self.succeed("attend", "--model", model, "--ids", "5,6,7,8", "--target-ids", "0,9,3", "--out", out)
        metadata, tensors = read_safetensors(out)
        self.assertEqual({name: shape for name, (shape, _) in tensors.items()},
                         {"encoder": [2, 3, 4, 4], "decoder": [2, 3, 3, 3], "cross": [2, 3, 3, 4]})
        self.assertEqual(json.loads(metadata["target_ids"]), [0, 9, 3])
        self.succeed("attend", "--model", model, "--ids", "5,6,7,8", "--part", "cross", "--layers", "1", "--out", out)
        metadata, tensors = read_safetensors(out)
        said = json.loads(metadata["target_ids"])
        self.assertEqual({name: shape for name, (shape, _) in tensors.items()}, {"cross": [1, 3, len(said), 4]})
        picture = self.folder / "cross.png"
        self.succeed("render", "--model", model, "--ids", "5,6,7,8", "--head", "X1H2", "--out", picture)
        self.assertGreater(png_size(picture)[0], 300)
        split = self.folder / "split.json"
        self.succeed("split", "--model", model, "--ids", "5,6,7,8", "--layer", "0", "--heads", "1,3", "--out", split)
        self.assertIn("bias", json.loads(split.read_text())["left_out"])
        for arguments in (["--model", model, "--ids", "5", "--head", "L0H7"], ["--ids", "5", "--head", "X0H0"],
                          ["--model", model, "--ids", "5", "--part", "decoder", "--head", "E0H0"]):
            self.fail_with(1, "render", *arguments, "--out", picture)

    def test_bench_reports_every_length(self):
        said = json.loads(self.succeed("bench", "--tokens", "8,16", "--json"))
        self.assertEqual([case["tokens"] for case in said["cases"]], [8, 16])
        for case in said["cases"]:
            for key in ("first_ms", "median_ms", "onednn_ms", "share", "resident_bytes", "map_bytes", "appended_ms",
                        "weights_ms", "weight_passes", "head_off_ms", "head_off_again_ms", "head_off_forwards"):
                self.assertGreater(case[key], 0, key)
            self.assertEqual(case["map_bytes"], 2 * 4 * case["tokens"] ** 2 * 4)

    def test_bench_times_steps_of_training(self):
        said = json.loads(self.succeed("bench", "--train", "--steps", "3", "--json"))
        self.assertEqual((said["threads"], said["steps"]), (1, 3))
        self.assertEqual([(one["task"], one["heads"]) for one in said["trainings"]], [("copy", 1), ("copy", 4), ("copy", 16), ("mixture", 4)])
        for one in said["trainings"]:
            self.assertLessEqual(one["low_ms"], one["median_ms"])
            self.assertLessEqual(one["median_ms"], one["high_ms"])
            for part in ("batch_ms", "forward_ms", "backward_ms", "adam_ms"):
                self.assertGreater(one[part], 0, part)
        self.assertEqual([one["heads"] for one in said["stops"] if one["task"] == "mixture"], [[1], [4], [16], [1, 4, 8, 16]])
        self.assertEqual(len(said["stops"]), 8)
        for one in said["stops"]:
            self.assertGreater(one["stopped_ms"], 0)
            self.assertLessEqual(one["stopped_ms"], one["most_stopped_ms"])
            self.assertLessEqual(one["most_stopped_ms"], one["most_measured_ms"])
        self.assert_named("bench", [*said, *said["trainings"][0], *said["stops"][0]])
        table = self.succeed("bench", "--train", "--steps", "2").splitlines()
        self.assertEqual(len(table), 2 + len(said["trainings"]) + 3 + len(said["stops"]))
        for arguments in (["--train", "--tokens", "8"], ["--train", "--model", "probe"], ["--train", "--precision", "f32"],
                          ["--model", "probe", "--steps", "3"], ["--train", "--steps", "0"]):
            self.assertIn("--", self.fail_with(2, "bench", *arguments))

    def test_a_view_is_a_screen(self):
        self.assertIn("inspect, counts, heads, compare, figures, help or train", self.fail_with(2, "--view", "nothing"))

    def test_wrong_usage_is_told_apart_from_failure(self):
        out = self.folder / "a.npz"
        for arguments in (["attend", "--out", out], ["attend", "--text", "a"], ["attend", "--text", "a", "--out", "a.txt"],
                          ["attend", "--text", "a", "--ids", "1", "--out", out], ["--nonsense"], ["nonsense"],
                          ["attend", "--text", "a", "--precision", "f8", "--out", out],
                          ["attend", "--ids", "1,x", "--out", out], ["attend", "--text", "a", "--layers", "b", "--out", out],
                          ["render", "--text", "a", "--out", "a.png"],
                          ["render", "--text", "a", "--head", "L0", "--out", "a.png"],
                          ["render", "--text", "a", "--head", "L0H0", "--all", "--out", "a.png"],
                          ["split", "--text", "a", "--out", "a.json"],
                          ["split", "--text", "a", "--layer", "0", "--head-dim", "3", "--out", "a.json"]):
            self.fail_with(2, *arguments)
        self.assertFalse(out.exists())


if __name__ == "__main__":
    main()
