"""headscope predict and patch do what docs/reference.md says."""
import csv
import io
import json
import re
import math
import os
import shutil

from program import ProgramTest, main

TEXT = "the old captain saw the young boy and the old"


class Predict(ProgramTest):
    def predict(self, *arguments, out="p.json"):
        path = self.folder / out
        self.succeed("predict", *arguments, "--out", path)
        text = path.read_text(encoding="utf-8")
        return json.loads(text) if out.endswith(".json") else text

    def golden(self, name):
        return self.source / "tests" / "golden" / "data" / name

    def test_the_reference_names_every_key_that_is_written(self):
        made = self.predict("--model", "english", "--text", TEXT, "--rows", "1,10", "--lens", "--keys", "L1H1", "--without", "L0H0")
        self.assert_named("predict", [*made, *made["rows"][0], *made["rows"][0]["next"], *made["rows"][0]["top"][0], *made["shares"],
                                      *made["shares"]["parts"][0], *made["lens"][0]])
        header = self.predict("--model", "english", "--text", TEXT, out="p.csv").splitlines()[0]
        self.assert_named("predict", header.split(","))

    def test_it_says_the_next_word_and_how_likely_the_real_one_was(self):
        made = self.predict("--model", "english", "--text", TEXT, "--rows", "all", "--top", "3")
        self.assertEqual([row["row"] for row in made["rows"]], list(range(len(made["tokens"]))))
        self.assertEqual([row["token"] for row in made["rows"]], made["tokens"])
        for row, token in zip(made["rows"], made["tokens"][1:]):
            self.assertEqual(row["next"]["token"], token)
            self.assertAlmostEqual(row["next"]["loss"], -math.log(row["next"]["probability"]), 6)
            if row["next"]["rank"] <= 3:
                self.assertEqual(row["top"][row["next"]["rank"] - 1]["id"], row["next"]["id"])
        self.assertIsNone(made["rows"][-1]["next"])
        self.assertAlmostEqual(made["loss"], sum(row["next"]["loss"] for row in made["rows"][:-1]) / (len(made["rows"]) - 1), 9)

    def test_shares_add_up_and_leads_are_differences(self):
        one = self.predict("--model", "english", "--text", TEXT, "--id", " captain", "--keys", "L1H1")["shares"]
        other = self.predict("--model", "english", "--text", TEXT, "--id", " man")["shares"]
        lead = self.predict("--model", "english", "--text", TEXT, "--id", " captain", "--against", f"#{other['id']}")["shares"]
        self.assertAlmostEqual(sum(part["share"] for part in one["parts"]), one["logit"], 4)
        share = {part["part"]: part["share"] for part in one["parts"]}
        self.assertAlmostEqual(sum(one["keys"]["L1H1"]), share["L1H1"], 5)
        self.assertEqual([part["part"] for part in one["parts"]][:3], ["embedding", "position", "L0H0"])
        for mine, theirs, difference in zip(one["parts"], other["parts"], lead["parts"]):
            self.assertAlmostEqual(mine["share"] - theirs["share"], difference["share"], 6)
            self.assertEqual(difference["share"], difference["above_mean"])

    def test_heads_are_taken_away(self):
        whole = self.predict("--model", "copy-h4", "--ids", "0,5,9,3,7,5,9,3,7", "--rows", "5,6,7")
        heads = ",".join(f"L1H{head}" for head in range(4))
        without = self.predict("--model", "copy-h4", "--ids", "0,5,9,3,7,5,9,3,7", "--rows", "5,6,7", "--without", heads)
        self.assertLess(whole["loss"], 0.5)
        self.assertGreater(without["loss"], 2.0)
        self.assertEqual((without["without"], without["replaced_by"]), (heads.split(","), "zero"))
        self.assertEqual([part["share"] for part in without["shares"]["parts"] if part["part"] in heads], [0.0] * 4)
        for replacement in ("mean", "text"):
            made = self.predict("--model", "english", "--text", TEXT, "--rows", "9", "--without", "L1H1", "--replace", replacement)
            self.assertEqual(made["replaced_by"], replacement)
            self.assertNotEqual(made["loss"], self.predict("--model", "english", "--text", TEXT, "--rows", "9")["loss"])
        english = ("--model", "english", "--text", TEXT, "--rows", "all", "--without", "L1H1", "--replace", "mean")
        by_position = self.predict(*english, "--by-position", "--control")
        self.assertEqual(by_position["replaced_by"], "position")
        self.assertNotEqual(by_position["loss"], self.predict(*english)["loss"])
        self.assertGreater(len(by_position["control"]["draws"]), 1)
        self.assertIn("--replace mean", self.fail_with(2, "predict", "--model", "english", "--text", TEXT, "--without", "L1H1", "--by-position", "--out", "x.json"))

    def test_edges_are_cut(self):
        ids = "0,5,9,3,7,5,9,3,7"
        copy = ("--model", "copy-h4", "--ids", ids, "--rows", "5", "--id", "#9")
        whole = self.predict(*copy, "--keys", "L1H0")
        cut = self.predict(*copy, "--keys", "L1H0", "--cut", "L1H0:5:2,L1H1:2")
        self.assertEqual((cut["cut"], cut["renormalised"], cut["without"]), (["L1H0:5:2", "L1H1:2"], False, None))
        self.assertNotIn("cut", whole)
        # The induction head's own row: the key that follows the first copy is gone, the others stay.
        keys, left = whole["shares"]["keys"]["L1H0"], cut["shares"]["keys"]["L1H0"]
        self.assertEqual(left[2], 0.0)
        self.assertLess(cut["rows"][0]["next"]["probability"], whole["rows"][0]["next"]["probability"])
        self.assertGreater(abs(keys[2]), 10 * max(abs(key) for key in left))
        again = self.predict(*copy, "--keys", "L1H0", "--cut", "L1H0:5:2", "--renormalise")
        self.assertTrue(again["renormalised"])
        self.assertEqual(again["shares"]["keys"]["L1H0"][2], 0.0)
        # All keys of a head: the head is off.
        every = ",".join(f"L1H2:{key}" for key in range(9))
        all_rows = ("--model", "copy-h4", "--ids", ids, "--rows", "all")
        self.assertAlmostEqual(self.predict(*all_rows, "--cut", every)["loss"], self.predict(*all_rows, "--without", "L1H2")["loss"], 6)

    def test_other_heads_are_the_control(self):
        copy = ("--model", "copy-h4", "--ids", "0,5,9,3,7,5,9,3,7", "--rows", "all")
        made = self.predict(*copy, "--without", "L1H1", "--control")
        control = made["control"]
        self.assert_named("predict", [*control, *control["draws"][0], "cut", "renormalised"])
        self.assertEqual(sorted(draw["heads"] for draw in control["draws"]), [["L1H0"], ["L1H2"], ["L1H3"]])
        whole = self.predict(*copy)["loss"]
        self.assertAlmostEqual(control["cost"], made["loss"] - whole, 5)
        for draw in control["draws"]:
            self.assertAlmostEqual(draw["cost"], self.predict(*copy, "--without", draw["heads"][0])["loss"] - whole, 5)
        self.assertAlmostEqual(control["mean"], sum(draw["cost"] for draw in control["draws"]) / 3, 9)
        self.assertEqual(self.predict(*copy, "--without", "L1H1", "--control", "--seed", "1")["control"], control)
        out = ("--out", self.folder / "x.json")
        self.assertIn("fewer than the 3", self.fail_with(1, "predict", *copy, "--without", "L1H1,L1H0,L1H2", "--control", *out))
        self.assertIn("--without or --cut", self.fail_with(2, "predict", *copy, "--control", *out))
        self.assertIn("--control", self.fail_with(2, "predict", *copy, "--seed", "3", *out))
        self.assertIn("--cut", self.fail_with(2, "predict", *copy, "--renormalise", *out))
        self.assertIn("L1H0:5:3", self.fail_with(1, "predict", *copy, "--cut", "L1H0", *out))
        self.assertIn("the keys 0 to 8", self.fail_with(1, "predict", *copy, "--cut", "L1H0:9", *out))
        self.assertIn("L7H0", self.fail_with(1, "predict", *copy, "--cut", "L7H0:1", *out))

    def test_masked_models_and_targets(self):
        made = self.predict("--model", self.golden("bert_plain"), "--ids", "1,2,3,4")
        self.assertIsNone(made["loss"])
        self.assertIn("final bias", [part["part"] for part in made["shares"]["parts"]])
        self.assertIn("names no mask", self.fail_with(
            1, "predict", "--model", self.golden("bert_plain"), "--ids", "1,2,3", "--mask", "1", "--out", self.folder / "x.json"))
        masked = self.folder / "masked"
        shutil.copytree(self.source / "tests" / "golden" / "folders" / "v5_bert_python_numbers", masked)
        for name in ("tokenizer.json", "tokenizer_config.json"):
            text = (masked / name).read_text(encoding="utf-8")
            (masked / name).write_text(text.replace("<pad>", "[MASK]"), encoding="utf-8")
        made = self.predict("--model", masked, "--text", "the old captain saw", "--mask", "1,2", "--top", "16")
        self.assertEqual(made["tokens"], ["the", "[MASK]", "[MASK]", "saw"])
        self.assertEqual([(row["row"], row["next"]["token"]) for row in made["rows"]], [(1, "old"), (2, "captain")])
        self.assertAlmostEqual(made["loss"], sum(row["next"]["loss"] for row in made["rows"]) / 2, 9)
        typed = self.predict("--model", masked, "--text", "the [MASK] captain saw", "--rows", "1", "--top", "16")
        self.assertIsNone(typed["rows"][0]["next"])
        made = self.predict("--model", self.golden("t5_plain"), "--ids", "3,4,5", "--target-ids", "0,6,7", "--rows", "all")
        self.assertEqual([row["next"] and row["next"]["id"] for row in made["rows"]], [6, 7, None])
        self.assertIn("X0H1", [part["part"] for part in made["shares"]["parts"]])

    def test_pictures(self):
        for ending, start in ((".png", b"\x89PNG"), (".pdf", b"%PDF"), (".svg", b"<")):
            path = self.folder / f"p{ending}"
            self.succeed("predict", "--model", "english", "--text", TEXT, "--without", "L0H1", "--out", path)
            self.assertTrue(path.read_bytes().startswith(start))
        self.assertIn("Without L0H1", path.read_text(encoding="utf-8").replace("</tspan>", ""))

    def test_bad_input_is_refused_in_a_sentence(self):
        out = ("--out", self.folder / "x.json")
        english = ("predict", "--model", "english", "--text", TEXT, *out)
        self.assertIn("expected one token, found 2", self.fail_with(1, *english, "--id", " old captain"))
        self.assertIn('" captain" (#3179)', self.fail_with(1, *english, "--id", " old captain"))  # as --id takes it
        self.assertIn('or " captain" with the space before it', self.fail_with(1, *english, "--id", "captain"))
        self.assertNotIn("with the space", self.fail_with(1, *english, "--id", "captaingirl"))
        self.assertIn("expected an id from #0 to #", self.fail_with(1, *english, "--id", "#99999999"))
        probe = ("predict", "--model", "probe", "--text", "the cat sat", *out)
        self.assertIn("not in this vocabulary, which reads it as \"[UNK]\" (#1)", self.fail_with(1, *probe, "--id", "Zebra"))
        for typed in ("[UNK]", "#1"):
            self.succeed(*probe, "--id", typed)
            (self.folder / "x.json").unlink()
        self.assertIn("bf16", self.fail_with(2, *english, "--precision", "bf16"))
        self.assertIn("L9H0", self.fail_with(1, *english, "--without", "L9H0"))
        self.assertIn("zero, mean or text", self.fail_with(2, *english, "--without", "L0H0", "--replace", "half"))
        self.assertIn("--without", self.fail_with(2, *english, "--replace", "zero"))
        self.assertIn("taken away", self.fail_with(2, *english, "--without", "L0H0", "--keys", "L0H0"))
        bare = self.folder / "assets"
        bare.mkdir()
        missing = self.fail_with(1, "predict", "--model", self.source / "assets" / "models" / "english", "--text", TEXT, "--without", "L0H0",
                                 "--replace", "mean", *out, env={**os.environ, "HEADSCOPE_ASSETS": str(bare)})
        self.assertIn(f"{bare / 'probes'}: the bundled sentences are missing", missing)
        self.assertIn("HEADSCOPE_ASSETS", missing)
        self.assertIn("--id", self.fail_with(2, *english, "--against", " man"))
        self.assertIn("--id and --against are both", self.fail_with(2, *english, "--id", " man", "--against", " man"))
        self.assertIn("does not see key 5 from query 2", self.fail_with(1, *english, "--cut", "L0H0:2:5"))
        self.assertIn("rows 0 to 10", self.fail_with(1, *english, "--row", "11"))
        self.assertIn("masked", self.fail_with(2, *english, "--mask", "1"))
        self.fail_with(2, *english, "--rows", "11")
        self.fail_with(2, *english, "--top", "0")
        headless = ("--model", self.golden("bert_no_prefix"), "--ids", "1,2,3", *out)
        self.assertIn("AutoModelForMaskedLM", self.fail_with(1, "predict", *headless))
        self.assertFalse((self.folder / "x.json").exists())


class Patch(ProgramTest):
    # Two orders of the same symbols; the second block of the first repeats it.
    CLEAN, CORRUPTED = "0,5,9,3,7,5,9", "0,5,3,9,7,5,9"

    def patch(self, *arguments, out="x.json"):
        path = self.folder / out
        self.succeed("patch", *arguments, "--out", path)
        text = path.read_text(encoding="utf-8")
        return json.loads(text) if out.endswith(".json") else text

    def of_copy(self, *arguments, **options):
        return self.patch("--model", "copy-h4", "--ids", self.CLEAN, "--corrupted-ids", self.CORRUPTED, "--right", "#3", "--wrong", "#7",
                          *arguments, **options)

    def test_the_reference_names_every_key_that_is_written(self):
        made = self.of_copy()
        self.assert_named("patch", [*made, *made["scores"][0]])
        self.assert_named("patch", [*self.of_copy("--from", "all", "--to", "L1H0:q")])
        self.assert_named("patch", self.of_copy(out="x.csv").splitlines()[0].split(","))

    def test_evidence_for_roles(self):
        made = self.of_copy("--evidence")
        self.assert_named("patch", [*made, *made["evidence"][0]])
        moves = {one["head"]: one for one in made["evidence"] if one["role"] == "moves_names"}
        self.assertEqual(sorted(moves), sorted(f"L{layer}H{head}" for layer in range(2) for head in range(4)))
        # The induction heads, all of the last layer, move the symbol; none of the first does.
        self.assertGreater(sum(moves[f"L1H{head}"]["score"] for head in range(4)), 3.0)
        for head, one in moves.items():
            self.assertEqual((one["cases"], one["error"], one["chance"]), (1, None, 0))
            if head.startswith("L0"):
                self.assertLess(abs(one["score"]), 1.0)
        copied = {one["head"]: one["score"] for one in made["evidence"] if one["role"] == "suppresses_copy"}
        self.assertLess(sum(copied[f"L1H{head}"] for head in range(4)), 0.0)
        lines = self.of_copy("--evidence", out="x.csv").splitlines()
        self.assertEqual(len(lines), 1 + len(made["evidence"]))
        out = ("--out", self.folder / "x.json")
        clean = ("patch", "--model", "copy-h4", "--ids", self.CLEAN, "--corrupted-ids", self.CORRUPTED, "--evidence")
        self.assertIn("does not stand", self.fail_with(1, *clean, "--right", "#4", "--wrong", "#7", *out))
        self.assertIn("--what", self.fail_with(2, *clean, "--right", "#3", "--wrong", "#7", "--what", "keys", *out))
        self.fail_with(2, *clean, "--right", "#3", "--wrong", "#7", "--out", self.folder / "x.png")

    def test_one_position_carries_the_difference_through_the_layers(self):
        for direction in ("denoise", "noise"):
            made = self.of_copy("--what", "stream", "--direction", direction)
            self.assertEqual([len(made["stream"]), len(made["stream"][0])], [2, 7])
            self.assertEqual(made["scores"], [])
            for position in (0, 1, 4, 5, 6):  # the same token in both
                self.assertAlmostEqual(made["stream"][0][position], 0.0, 5)
        rows = list(csv.DictReader(io.StringIO(self.of_copy("--what", "mlp", out="x.csv"))))
        self.assertEqual([(row["layer"], row["position"]) for row in rows[:8]], [("0", str(i)) for i in range(7)] + [("1", "0")])

    def test_a_head_is_its_pattern_and_its_values(self):
        made = {what: self.of_copy("--what", what) for what in ("output", "pattern", "queries", "keys", "values")}
        names = [f"L{layer}H{head}" for layer in range(2) for head in range(4)]
        for what, one in made.items():
            self.assertEqual([score["head"] for score in one["scores"]], names)
            self.assertEqual((one["what"], one["direction"], one["row"], one["pairs"]), (what, "denoise", 6, 1))
        last = self.of_copy("--at", "6")["scores"]
        for whole, row in zip(made["output"]["scores"][4:], last[4:]):
            self.assertAlmostEqual(whole["score"], row["score"], 5)  # nothing behind the last layer mixes rows

    def test_paths(self):
        made = self.of_copy("--from", "L0H0,L0H2", "--to", "L1H0:k,L1H1:q")
        self.assertEqual([score["head"] for score in made["scores"]], ["L0H0", "L0H2"])
        self.assertEqual((made["what"], made["direction"], made["to"]), ("path", "noise", ["L1H0:k", "L1H1:q"]))
        self.assertIn("score", made["together"])
        # To the logits: behind the last layer's heads there is no other, so that their path is all they do.
        direct = self.of_copy("--from", "all", "--to", "logits")
        whole = self.of_copy("--direction", "noise")
        self.assertEqual(direct["to"], ["logits"])
        self.assertEqual([score["head"] for score in direct["scores"]], [score["head"] for score in whole["scores"]])
        for path, output in zip(direct["scores"][4:], whole["scores"][4:]):
            self.assertAlmostEqual(path["score"], output["score"], 5)
        self.assertIn("no direct path leads", self.fail_with(1, "patch", "--model", "copy-h4", "--ids", self.CLEAN, "--corrupted-ids",
                                                              self.CORRUPTED, "--right", "#3", "--wrong", "#7", "--from", "L1H0", "--to",
                                                              "L1H1:q", "--out", self.folder / "x.json"))

    def write_pairs(self):
        lines = ["clean\tcorrupted\tright\twrong"]
        for animal in ("dog", "cat", "boy", "girl", "man"):
            lines.append(f"the old captain saw the {animal} and the old\tthe young woman saw the {animal} and the old\t captain\t woman")
        path = self.folder / "pairs.tsv"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return path

    def test_pairs_have_errors_and_shares_are_merged_to_the_last_byte(self):
        pairs = ("--model", "english", "--pairs", self.write_pairs())
        made = self.patch(*pairs)
        whole = (self.folder / "x.json").read_bytes()
        self.assertEqual((made["pairs"], made["clean"]), (5, None))
        self.assert_named("patch", made["scores"][0])
        self.assertTrue(all(score["error"] > 0.0 for score in made["scores"]))
        picture = self.folder / "x.svg"
        self.succeed("patch", *pairs, "--out", picture)
        lines = " ".join(re.findall(r">([^<]+)<", picture.read_text(encoding="utf-8")))
        self.assertIn(f"{made['clean_metric']:.3f} in the clean texts", lines)
        self.assertIn(f"at most {max(score['error'] for score in made['scores']):.3f}", lines)
        parts = [self.folder / f"part{share}.json" for share in range(3)]
        for share, part in enumerate(parts):
            self.succeed("patch", *pairs, "--shard", f"{share}/3", "--out", part)
        self.succeed("merge", *reversed(parts), "--out", self.folder / "merged.json")
        self.assertEqual((self.folder / "merged.json").read_bytes(), whole)
        self.assertIn("pairs are there", self.fail_with(1, "merge", parts[0], "--out", self.folder / "y.json"))
        progress = self.folder / "x.json.progress"
        self.assertFalse(progress.exists())
        progress.write_bytes(parts[1].read_bytes()[:-20])  # killed while it wrote
        self.patch(*pairs, "--resume")
        self.assertEqual((self.folder / "x.json").read_bytes(), whole)
        progress.write_bytes(parts[1].read_bytes())
        error = self.fail_with(1, "patch", *pairs, "--resume", "--direction", "noise", "--out", self.folder / "x.json")
        self.assertIn("delete it, or leave --resume out", error)

    def test_a_damaged_model_is_named_and_no_line_of_the_pairs(self):
        damaged = self.folder / "damaged"
        shutil.copytree(self.source / "assets" / "models" / "english", damaged)
        weights = bytearray((damaged / "model.safetensors").read_bytes())
        header = int.from_bytes(weights[:8], "little")
        tensors = json.loads(weights[8:8 + header])
        name = "transformer.h.0.attn.c_attn.bias" if "transformer.h.0.attn.c_attn.bias" in tensors else "h.0.attn.c_attn.bias"
        begin = 8 + header + tensors[name]["data_offsets"][0]
        size = {"F32": 4, "F16": 2, "BF16": 2}[tensors[name]["dtype"]]
        weights[begin:begin + size] = b"\xff" * size
        (damaged / "model.safetensors").write_bytes(weights)
        out = ("--out", self.folder / "x.json")
        error = self.fail_with(1, "patch", "--model", damaged, "--pairs", self.write_pairs(), *out)
        alone = self.fail_with(1, "patch", "--model", damaged, "--text", "the old captain", "--corrupted", "the young woman", "--right",
                               " captain", "--wrong", " woman", *out)
        self.assertEqual(error, alone)
        self.assertNotIn("line", error)

    def test_paths_lead_into_cross_attention(self):
        t5 = ("--model", self.source / "tests" / "golden" / "data" / "t5_plain", "--ids", "3,4,5,6", "--corrupted-ids", "3,9,5,6", "--target-ids",
              "0,7", "--right", "#3", "--wrong", "#11")
        made = self.patch(*t5, "--from", "all", "--to", "X1H0:v")
        self.assertEqual([score["head"] for score in made["scores"]], [f"E{layer}H{head}" for layer in range(2) for head in range(3)])
        self.assertTrue(any(abs(score["score"]) > 1e-3 for score in made["scores"]))
        svg = self.folder / "p.svg"
        self.succeed("patch", *t5, "--from", "all", "--to", "X1H0:v", "--out", svg)
        out = ("--out", self.folder / "y.json")
        self.assertIn("ask for them apart", self.fail_with(1, "patch", *t5, "--from", "all", "--to", "X1H0:v,X1H0:q", *out))
        self.assertIn("no direct path leads from it to the logits", self.fail_with(1, "patch", *t5, "--from", "E0H0", "--to", "logits", *out))
        rows = self.patch(*t5, "--at", "3")
        self.assertEqual({score["head"][0] for score in rows["scores"]}, {"E"})

    def test_pictures(self):
        self.of_copy_picture("p.png", b"\x89PNG")
        self.of_copy_picture("p.svg", b"<", "--what", "stream")

    def of_copy_picture(self, name, start, *arguments):
        path = self.folder / name
        self.succeed("patch", "--model", "copy-h4", "--ids", self.CLEAN, "--corrupted-ids", self.CORRUPTED, "--right", "#3", "--wrong",
                     "#7", *arguments, "--out", path)
        self.assertTrue(path.read_bytes().startswith(start))

    def test_bad_input_is_refused_in_a_sentence(self):
        out = ("--out", self.folder / "x.json")
        english = ("patch", "--model", "english", *out)
        tokens = ("--right", " captain", "--wrong", " boy")
        unequal = self.fail_with(1, *english, "--text", "the old captain", "--corrupted", "the captain", *tokens)
        self.assertIn("4 tokens", unequal)
        self.assertIn("one 3", unequal)
        same = ("--text", "the old captain", "--corrupted", "the old captain")
        self.assertIn("no difference", self.fail_with(1, *english, *same, *tokens))
        texts = ("--text", "the old captain", "--corrupted", "the young captain")
        self.assertIn("found 2", self.fail_with(1, *english, *texts, "--right", " old captain", "--wrong", " boy"))
        self.assertIn("--right", self.fail_with(2, *english, *texts))
        self.assertIn("--corrupted", self.fail_with(2, *english, "--text", "the old captain", *tokens))
        self.assertIn("bf16", self.fail_with(2, *english, *texts, *tokens, "--precision", "bf16"))
        self.assertIn("--what", self.fail_with(2, *english, *texts, *tokens, "--what", "all"))
        self.assertIn("--direction", self.fail_with(2, *english, *texts, *tokens, "--direction", "up"))
        self.assertIn("go together", self.fail_with(2, *english, *texts, *tokens, "--from", "L0H0"))
        self.assertIn(":q", self.fail_with(1, *english, *texts, *tokens, "--from", "L0H0", "--to", "L2H0"))
        self.assertIn("no direct path", self.fail_with(1, *english, *texts, *tokens, "--from", "L2H0", "--to", "L2H0:q"))
        self.assertIn("--right and --wrong are both", self.fail_with(2, *english, *texts, "--right", " boy", "--wrong", " boy"))
        self.assertIn("rows 0 to 3", self.fail_with(1, *english, *texts, *tokens, "--at", "4"))
        self.assertIn("rows 0 to 3", self.fail_with(1, *english, *texts, *tokens, "--row", "4"))
        pairs = self.folder / "bad.tsv"
        pairs.write_text("the old captain\tthe captain\t captain\t boy\n", encoding="utf-8")
        self.assertIn("bad.tsv: line 1: ", self.fail_with(1, *english, "--pairs", pairs))
        pairs.write_text("the old captain\tthe young captain\t boy\t boy\n", encoding="utf-8")
        self.assertIn("bad.tsv: line 1: right and wrong are both", self.fail_with(1, *english, "--pairs", pairs))
        pairs.write_text("one\n", encoding="utf-8")
        self.assertIn("expected 4 cells", self.fail_with(1, *english, "--pairs", pairs))
        self.assertFalse((self.folder / "x.json").exists())


if __name__ == "__main__":
    main()
