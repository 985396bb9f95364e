"""headscope train: lines of numbers, the folder, knobs that do not fit, a run that is killed, rows and weights given."""
import json
import math
import signal
import statistics
import subprocess

from program import ProgramTest, main, read_safetensors
from svg_test import texts_of

SMALL = ("--heads", "2", "--model-dim", "16", "--vocabulary", "30", "--context", "44", "--batch", "4", "--periods", "4-12")

PRESETS = {}  # lines of the cards' runs


class Train(ProgramTest):
    def train(self, *options, out="run"):
        """The lines of a run, and its folder."""
        folder = self.folder / out
        lines = [json.loads(line) for line in self.succeed("train", *options, "--out", folder).splitlines()]
        return lines, folder

    def weights(self, folder):
        return read_safetensors(folder / "model.safetensors")[1]

    def test_lines_come_every_so_many_steps_and_after_the_last(self):
        lines, _ = self.train(*SMALL, "--steps", "25", "--every", "10")
        self.assertEqual([line["step"] for line in lines], [10, 20, 25])
        for line in lines:
            self.assertEqual(set(line), {"step", "loss", "previous_token", "induction", "duplicate_token", "divergence", "milliseconds"})
            self.assertTrue(math.isfinite(line["loss"]))
            for name in ("previous_token", "induction", "duplicate_token"):
                self.assertEqual([len(layer) for layer in line[name]], [2, 2])
                self.assertTrue(all(0.0 <= score <= 1.0 for layer in line[name] for score in layer))
            self.assertEqual(len(line["divergence"]), 2)
        times = [line["milliseconds"] for line in lines]
        self.assertEqual(times, sorted(times))
        self.assert_named("train", [*lines[0], "accuracy"])

    def test_one_head_has_no_divergence_and_a_short_context_no_scores(self):
        lines, _ = self.train("--heads", "1", *SMALL[2:], "--steps", "1")
        self.assertEqual(lines[0]["divergence"], [None, None])
        lines, _ = self.train("--context", "12", "--steps", "1", out="short")
        self.assertIsNone(lines[0]["induction"])

    def test_the_scores_are_those_of_score(self):
        lines, folder = self.train(*SMALL, "--steps", "40", "--rate", "0.02", "--every", "40")
        out = self.folder / "scores.json"
        self.succeed("score", "--model", folder, "--out", out)
        for head in json.loads(out.read_text(encoding="utf-8"))["heads"]:
            for name in ("previous_token", "induction", "duplicate_token"):
                mine = lines[-1][name][head["layer"]][head["index"]]
                self.assertAlmostEqual(head["scores"][name]["score"], mine, delta=1e-5)

    def test_the_folder_opens_with_its_steps(self):
        _, folder = self.train(*SMALL, "--steps", "120")
        self.assertEqual(sorted(path.name for path in folder.iterdir()),
                         ["config.json", "model.safetensors", "optimizer.safetensors", "step-0", "step-100", "step-50", "tokenizer.json",
                          "tokenizer_config.json", "training.json"])
        about = json.loads(self.succeed("info", "--model", folder, "--json"))
        self.assertEqual((about["family"], about["layers"], about["heads"], about["vocabulary"]), ("gpt2", 2, 2, 30))
        self.assertEqual(json.loads(self.succeed("tokenize", "--model", folder, "--text", "a0 b1"))["ids"], [0, 1, 10])
        self.assertNotEqual(self.weights(folder / "step-100"), self.weights(folder))
        self.succeed("attend", "--model", folder / "step-50", "--text", "a0 b1 a0", "--out", self.folder / "a.npz")

    def test_the_same_seed_gives_the_same_bytes(self):
        one, same, other = (self.train(*SMALL, "--steps", "20", "--seed", seed, out=out)
                            for seed, out in (("3", "one"), ("3", "same"), ("4", "other")))
        for line in (*one[0], *same[0], *other[0]):
            del line["milliseconds"]
        self.assertEqual(one[0], same[0])
        self.assertEqual(self.weights(one[1]), self.weights(same[1]))
        self.assertNotEqual(one[0], other[0])

    def test_the_mixture_tells_how_much_of_each_kind_is_right(self):
        lines, folder = self.train("--task", "mixture", "--model-dim", "32", "--steps", "60", "--every", "60", "--rate", "0.01")
        self.assertEqual(list(lines[0]["accuracy"]), ["copy", "mark", "bar", "closer"])
        self.assertGreater(lines[0]["accuracy"]["closer"], 0.2)
        self.assertEqual(json.loads(self.succeed("tokenize", "--model", folder, "--text", "B ! | ? a6"))["ids"], [0, 2, 4, 5, 6, 7])

    def files(self, folder):
        """Every file of a run with its bytes."""
        return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}

    def note(self, *arguments):
        """What a run that succeeds says on standard error."""
        done = self.run_program(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def kill_at(self, folder, step, *options):
        """Kills a run once it has told of a step, and returns the last step that it told of."""
        arguments = [self.program, "train", *options, "--out", folder]
        last = 0
        with subprocess.Popen(list(map(str, arguments)), stdout=subprocess.PIPE, text=True) as running:
            for line in running.stdout:
                last = json.loads(line)["step"]
                if last >= step:
                    running.send_signal(signal.SIGKILL)
                    break
        return last

    def test_a_run_that_is_killed_and_resumed_leaves_the_files_of_one_that_was_not(self):
        options = (*SMALL, "--steps", "420", "--every", "10")
        lines, whole = self.train(*options, out="whole")
        expected = self.files(whole)
        self.assertIn("step-400/optimizer.safetensors", expected)
        # Before the first hundred, just after one, between two, and near the end; two of them in one run.
        folder = self.folder / "killed"
        for step in (10, 110, 160, 310, 410):
            self.kill_at(folder, step, *options, "--resume")
        later = [json.loads(line) for line in self.succeed("train", *options, "--resume", "--out", folder).splitlines()]
        for line in (*later, *lines):
            del line["milliseconds"]
        self.assertEqual(later, lines[-len(later):])
        self.assertEqual(self.files(folder), expected)
        # What is done already is not done again.
        self.assertEqual(self.succeed("train", *options, "--resume", "--out", folder), "")
        self.assertEqual(self.files(folder), expected)

    def test_a_state_that_is_torn_or_missing_is_named_and_the_last_whole_one_is_taken(self):
        options = (*SMALL, "--steps", "120")
        _, folder = self.train(*options)
        expected = self.files(folder)
        state = folder / "optimizer.safetensors"
        state.write_bytes(state.read_bytes()[:-7])
        said = self.note("train", *options, "--resume", "--out", folder)
        self.assertIn("optimizer.safetensors", said)
        self.assertIn("goes on from step 100", said)
        self.assertEqual(self.files(folder), expected)
        for path in folder.rglob("optimizer.safetensors"):
            path.unlink()
        said = self.note("train", *options, "--resume", "--out", folder)
        self.assertIn("first weights", said)
        self.assertEqual(self.files(folder), expected)

    def test_a_run_is_resumed_with_its_own_options_only_and_may_go_further(self):
        _, folder = self.train(*SMALL, "--steps", "60")
        self.assertIn("--rate is 0.01, there 0.003",
                      self.fail_with(2, "train", *SMALL, "--steps", "60", "--rate", "0.01", "--resume", "--out", folder))
        self.assertIn("--steps 40", self.fail_with(2, "train", *SMALL, "--steps", "40", "--resume", "--out", folder))
        other = self.folder / "other"
        other.mkdir()
        (other / "letter.txt").write_text("dear", encoding="utf-8")
        self.assertIn("no training run", self.fail_with(1, "train", *SMALL, "--resume", "--out", other))
        self.succeed("train", *SMALL, "--steps", "110", "--resume", "--out", folder)
        _, through = self.train(*SMALL, "--steps", "110", out="through")
        self.assertEqual(self.weights(folder), self.weights(through))
        self.assertEqual((folder / "training.json").read_bytes(), (through / "training.json").read_bytes())

    def test_runs_become_curves_by_head_count_with_errors_over_seeds(self):
        runs = self.folder / "runs"
        runs.mkdir()
        for heads, seed in (("1", "1"), ("2", "1"), ("2", "2"), ("2", "3")):
            self.train(*SMALL[2:], "--heads", heads, "--seed", seed, "--steps", "40", "--every", "20", out=f"runs/tiny-h{heads}-{seed}")
        self.train(*SMALL[2:], "--heads", "4", "--rate", "0.01", "--steps", "20", out="runs/other")
        out = self.folder / "curves.csv"
        self.succeed("render", "--runs", runs, "--out", out)
        rows = [line.split(",") for line in out.read_text(encoding="utf-8").splitlines()]
        self.assertEqual(rows[0], ["heads", "step", "quantity", "mean", "error", "runs"])
        losses = {(row[0], row[1]): row[3:] for row in rows[1:] if row[2] == "loss"}
        self.assertEqual(sorted(losses), [("1", "20"), ("1", "40"), ("2", "20"), ("2", "40")])
        told = [json.loads((runs / f"tiny-h2-{seed}" / "training.json").read_text(encoding="utf-8"))["lines"][-1]["loss"] for seed in (1, 2, 3)]
        mean, error, count = losses["2", "40"]
        self.assertEqual(count, "3")
        self.assertAlmostEqual(float(mean), statistics.mean(told), delta=1e-9)
        self.assertAlmostEqual(float(error), statistics.stdev(told) / math.sqrt(3), delta=1e-9)
        self.assertEqual(losses["1", "40"][1:], ["", "1"])
        for ending, start in ((".pdf", b"%PDF"), (".svg", b"<svg "), (".png", b"\x89PNG"), (".md", b"**")):
            picture = self.folder / f"curves{ending}"
            self.succeed("render", "--runs", runs, "--out", picture)
            self.assertTrue(picture.read_bytes().startswith(start))
        svg = " ".join(texts_of(self.folder / "curves.svg"))
        for words in ("3 seeds", "standard error", "other is left out"):
            self.assertIn(words, svg)
        self.assertIn("no training run", self.fail_with(1, "render", "--runs", self.folder, "--out", out))

    def test_rows_and_weights_that_are_given_make_pytorchs_run(self):
        golden = self.source / "tests" / "golden" / "training"
        for case, more in (("attention_only", ()), ("one_layer", ()), ("mlp_tied", ("--tied", "--mlp", "14"))):
            config = json.loads((golden / case / "config.json").read_text(encoding="utf-8"))
            metadata, expected = read_safetensors(golden / case / "expected.safetensors")
            lines, folder = self.train(
                "--from", golden / case, "--data", golden / case / "rows.ids", "--layers", config["n_layer"], "--heads", config["n_head"],
                "--model-dim", config["n_embd"], "--vocabulary", config["vocab_size"], "--context", config["n_positions"], *more,
                "--steps", metadata["steps"], "--batch", metadata["batch"], "--warmup", metadata["warm_up"], "--rate", metadata["rate"],
                "--every", "1", out=case)
            for line, loss in zip(lines, json.loads(metadata["losses"]), strict=True):
                self.assertAlmostEqual(line["loss"], loss, delta=1e-5)
            made = self.weights(folder)
            for name, (shape, values) in expected.items():
                if name.startswith("after."):
                    self.assertEqual(made[name[6:]][0], shape)
                    self.assertLess(max(abs(a - b) for a, b in zip(made[name[6:]][1], values)), 1e-5, name)

    def test_weights_of_another_layout_or_size_are_refused(self):
        golden = self.source / "tests" / "golden" / "training" / "attention_only"
        sizes = {"--layers": "2", "--heads": "2", "--model-dim": "16", "--vocabulary": "11", "--context": "10"}
        for change, word in (({"--heads": "4"}, "n_head"), ({"--vocabulary": "12"}, "vocab_size"), ({"--mlp": "4"}, "n_inner"),
                             ({"--tied": None}, "--tied"), ({"--head-dim": "4"}, "--head-dim")):
            options = [word for pair in {**sizes, **change}.items() for word in pair if word is not None]
            said = self.fail_with(1, "train", "--from", golden, *options, "--out", self.folder / "run")
            self.assertIn(word, said)
        self.assertFalse((self.folder / "run").exists())

    def test_a_bundled_model_goes_on(self):
        lines, _ = self.train("--from", self.source / "assets" / "models" / "copy-h4", "--vocabulary", "65", "--steps", "1")
        self.assertGreater(max(lines[0]["induction"][1]), 0.9)

    def test_a_run_that_is_killed_loses_less_than_a_hundred_steps(self):
        folder = self.folder / "run"
        arguments = [self.program, "train", *SMALL, "--steps", "1000000", "--every", "10", "--out", folder]
        with subprocess.Popen(list(map(str, arguments)), stdout=subprocess.PIPE, text=True) as running:
            for line in running.stdout:
                if json.loads(line)["step"] >= 230:
                    running.send_signal(signal.SIGKILL)
                    break
        self.assertEqual(json.loads(self.succeed("info", "--model", folder, "--json"))["layers"], 2)
        _, whole = self.train(*SMALL, "--steps", "200", out="whole")
        # Between the line and the signal it may have come to the next hundred.
        _, later = self.train(*SMALL, "--steps", "300", out="later")
        self.assertIn(self.weights(folder), [self.weights(whole), self.weights(later)])

    def test_a_rate_that_diverges_says_so_and_stops(self):
        done = self.run_program("train", *SMALL, "--rate", "50", "--steps", "2000", "--out", self.folder / "run")
        self.assertEqual(done.returncode, 1)
        self.assertIn("--rate 50 is too high", done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1)
        self.succeed("info", "--model", self.folder / "run")

    def test_heads_of_any_width_open(self):
        for columns in ("3", "20"):
            lines, folder = self.train(*SMALL, "--head-dim", columns, "--steps", "30", "--every", "30", out=f"k{columns}")
            out = self.folder / f"{columns}.json"
            self.succeed("score", "--model", folder, "--out", out)
            scores = [head["scores"]["previous_token"]["score"] for head in json.loads(out.read_text(encoding="utf-8"))["heads"]]
            for score, mine in zip(scores, sum(lines[0]["previous_token"], [])):
                self.assertAlmostEqual(score, mine, delta=1e-5)

    def test_knobs_that_do_not_fit_are_wrong_usage(self):
        out = ("--out", self.folder / "run")
        for options, word in ((("--heads", "5"), "--head-dim"), (("--periods", "10"), "kept for measuring"), (("--periods", "9-x"), "8-50"),
                              (("--periods", "8-70"), "--vocabulary"), (("--noise", "0.1"), "--alike"), (("--ones", "--alike"), "--ones"),
                              (("--own-segments", "--alike"), "--own-segments"), (("--disagreement", "-1"), "--disagreement"),
                              (("--task", "sort"), "mixture"), (("--optimizer", "sgd"), "adam"), (("--rate", "0"), "--rate"),
                              (("--every", "0"), "--every"), (("--layers", "0"), "--layers"), (("--steps", "-1"), "--steps"),
                              (("--task", "mixture", "--vocabulary", "20"), "--vocabulary"), (("--from", "x", "--ones"), "--from"),
                              (("--data", "x.ids", "--periods", "8"), "--data")):
            self.assertIn(word, self.fail_with(2, "train", *options, *out))
        self.assertIn("--out", self.fail_with(2, "train"))
        self.assertFalse((self.folder / "run").exists())

    def test_a_folder_that_holds_something_is_left_alone(self):
        kept = self.folder / "run" / "mine.txt"
        kept.parent.mkdir()
        kept.write_text("mine", encoding="utf-8")
        self.assertIn("holds files already", self.fail_with(1, "train", "--steps", "1", "--out", kept.parent))
        self.assertEqual([path.name for path in kept.parent.iterdir()], ["mine.txt"])
        bad = self.folder / "bad.ids"
        bad.write_text("0,1\n0,99\n", encoding="utf-8")
        self.assertIn("bad.ids:2", self.fail_with(1, "train", "--data", bad, "--out", self.folder / "new"))

    def test_induction_comes_with_a_head_for_the_token_before(self):
        lines, _ = self.train("--heads", "1", "--steps", "650", "--every", "50", "--seed", "1")
        induction = [line["induction"][1][0] for line in lines]
        previous = [line["previous_token"][0][0] for line in lines]
        self.assertLess(induction[4], 0.1)  # after 250 steps
        self.assertGreater(induction[-1], 0.9)
        # The first layer looks at the token before by the time the second one copies.
        begun = next(i for i, score in enumerate(induction) if score > 0.5)
        self.assertGreater(previous[begun], 0.2)

    # What the cards of the Train screen say (app/views/train/panel.cpp), with their own knobs.

    def preset(self, *options, steps, every=50):
        """{step: its line} of a run of a card; the tests share them."""
        key = (*options, steps)
        if key not in PRESETS:
            lines, _ = self.train(*options, "--steps", steps, "--every", every, out="-".join(("card", *map(str, key))))
            PRESETS[key] = {line["step"]: line for line in lines}
        return PRESETS[key]

    def test_card_watch_induction_heads_form(self):
        """In some 500 steps, at once, after a head of the first layer has found the token before."""
        lines = self.preset(steps=900)
        induction = {step: max(line["induction"][1]) for step, line in lines.items()}
        self.assertLess(max(induction[step] for step in range(50, 401, 50)), 0.2)
        self.assertGreater(induction[500], 0.5)
        self.assertGreater(induction[600], 0.9)
        # Before anything copies a head looks at the token before more than it did.
        before = {step: max(line["previous_token"][0]) for step, line in lines.items()}
        self.assertGreater(before[400], 1.4 * before[200])
        self.assertGreater(before[500], 0.3)

    def test_card_heads_that_start_alike(self):
        """They stay one and the same head: the divergence stays 0."""
        lines, folder = self.train("--alike", "--steps", "300", "--every", "50")
        for line in lines:
            self.assertEqual(line["divergence"], [0.0, 0.0])
            for name in ("induction", "previous_token", "duplicate_token"):
                for layer in line[name]:
                    self.assertEqual(layer, [layer[0]] * 4)
        for layer in range(2):
            (rows, columns), values = self.weights(folder)[f"transformer.h.{layer}.attn.c_attn.weight"]
            for row in range(rows):
                for part in range(3):
                    begin = row * columns + part * 64
                    heads = [values[begin + 16 * head:begin + 16 * (head + 1)] for head in range(4)]
                    self.assertEqual(heads, heads[:1] * 4)

    def test_card_how_much_noise_parts_them(self):
        """A hundredth of the first weights parts heads about as far as a draw, a thousandth hardly in 900 steps."""
        def apart(lines):
            return lines[900]["divergence"][0]
        thousandth, hundredth, tenth = (self.preset("--alike", "--noise", noise, steps=900) for noise in ("0.0001", "0.001", "0.01"))
        drawn = self.preset(steps=900)
        self.assertLess(apart(thousandth), 0.055)
        self.assertGreater(apart(hundredth), 0.05)
        self.assertLess(apart(hundredth), 0.19)
        self.assertGreater(apart(tenth), apart(hundredth))
        self.assertGreater(apart(drawn), 0.07)
        self.assertLess(apart(drawn), 0.15)
        # Heads that begin a hundred times as far apart do not end so: training parts them, not the noise.
        self.assertGreater(tenth[100]["divergence"][0], 50 * hundredth[100]["divergence"][0])
        self.assertLess(apart(tenth), 10 * apart(hundredth))

    def test_card_one_layer_alone(self):
        """No head of a single layer is an induction head, where two layers have one by step 600."""
        lines = self.preset("--layers", "1", steps=900)
        self.assertLess(max(max(line["induction"][0]) for line in lines.values()), 0.06)
        self.assertGreater(max(self.preset(steps=900)[600]["induction"][1]), 0.9)

    def test_card_blocks_of_one_length(self):
        """The loss is that of the first block alone, and no head is an induction head at other lengths."""
        lines = self.preset("--periods", "32", steps=1000)
        # Of 80 targets 32 are of the first block, which nothing foretells.
        self.assertLess(lines[1000]["loss"], 1.15 * math.log(63) * 32 / 80)
        self.assertLess(max(max(max(layer) for layer in line["induction"]) for line in lines.values()), 0.06)

    def test_card_how_many_heads(self):
        """One head by step 450, four by 600, sixteen not yet at 900."""
        def best(lines, step):
            return max(lines[step]["induction"][1])
        one, four, sixteen = self.preset("--heads", "1", steps=450), self.preset(steps=900), self.preset("--heads", "16", steps=900)
        self.assertGreater(best(one, 450), 0.9)
        self.assertLess(best(four, 450), 0.5)
        self.assertGreater(best(four, 600), 0.9)
        self.assertLess(best(sixteen, 900), 0.2)

    def test_card_a_task_that_asks_heads_to_differ(self):
        """On copying a divergence of 0.03 after 900 steps, in the mixture 0.24, and it goes on growing."""
        copy, mixture = self.preset(steps=900)[900], self.preset("--task", "mixture", steps=1500, every=100)
        self.assertGreater(min(copy["induction"][1]), 0.5)  # all four
        self.assertLess(copy["divergence"][1], 0.06)
        self.assertGreater(mixture[900]["accuracy"]["copy"], 0.8)
        self.assertAlmostEqual(mixture[900]["divergence"][1], 0.24, delta=0.03)
        for layer in range(2):
            self.assertGreater(mixture[1500]["divergence"][layer], mixture[900]["divergence"][layer])

    def test_card_push_heads_apart(self):
        """By .03 some 100 steps later, and a divergence of 0.20 where it was 0.03; by .1 they flee before they have learnt anything."""
        copy, apart = self.preset(steps=900), self.preset("--disagreement", "0.03", steps=900)
        begun, later = (next(step for step, line in sorted(lines.items()) if max(line["induction"][1]) > 0.6) for lines in (copy, apart))
        self.assertIn(later - begun, (50, 100, 150))
        self.assertGreater(max(apart[900]["induction"][1]), 0.9)
        self.assertAlmostEqual(apart[900]["divergence"][1], 0.2, delta=0.04)
        self.assertLess(copy[900]["divergence"][1], 0.06)
        flee = self.preset("--disagreement", "0.1", steps=300)[300]
        self.assertGreater(min(flee["divergence"]), 0.4)
        self.assertLess(max(flee["induction"][1]), 0.1)

    def test_most_of_sixteen_heads_copy_in_the_end(self):
        lines, _ = self.train("--from", self.source / "assets" / "models" / "copy-h16", "--heads", "16", "--vocabulary", "65", "--steps", "1")
        self.assertGreaterEqual(sum(score > 0.6 for score in lines[0]["induction"][1]), 12)

    def test_own_segments_are_zeros_in_a_file_that_opens_and_goes_on(self):
        _, folder = self.train(*SMALL, "--own-segments", "--steps", "40")
        shape, values = self.weights(folder)["transformer.h.1.attn.c_attn.weight"]
        for row in range(shape[0]):
            for column in range(shape[1]):
                self.assertEqual(values[row * shape[1] + column] != 0.0, row // 8 == column % 16 // 8, (row, column))
        self.succeed("attend", "--model", folder, "--text", "a0 b1 a0", "--out", self.folder / "a.npz")
        self.train(*SMALL, "--own-segments", "--from", folder, "--steps", "1", out="on")
        _, shared = self.train(*SMALL, "--steps", "1", out="shared")
        said = self.fail_with(1, "train", *SMALL, "--own-segments", "--from", shared, "--out", self.folder / "no")
        self.assertIn("--own-segments", said)

    def test_alike_heads_stay_alike_in_the_file(self):
        _, folder = self.train(*SMALL, "--alike", "--steps", "60")
        shape, values = self.weights(folder)["transformer.h.1.attn.c_attn.weight"]
        for row in range(shape[0]):
            for part in range(3):
                first = values[row * 48 + part * 16:row * 48 + part * 16 + 8]
                self.assertEqual(first, values[row * 48 + part * 16 + 8:row * 48 + part * 16 + 16])


if __name__ == "__main__":
    main()
