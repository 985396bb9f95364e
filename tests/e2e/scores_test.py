"""Figures and tables of scores: what `score` wrote, drawn and put into tables, held against its own numbers."""
import csv
import json
import xml.etree.ElementTree

from program import ProgramTest, main
from svg_test import texts_of

# As files call the roles that have other names in tables.
ROLES = {"separator or sink": "separator", "rare word": "rare", "pieces of a word": "subword"}


def best_of_relations(scores):
    """relation -> (head, direction's id, score, control, n): furthest above the control, ten pairs at least."""
    best = {}
    for head in scores["heads"]:
        for name, one in head["scores"].items():
            if not name.startswith("dep:") or one["score"] is None or one["queries"] < 10:
                continue
            above = one["score"] - (one["control"] or 0.0)
            relation = name.split(":")[1] if name.count(":") == 2 else ":".join(name.split(":")[1:-1])
            if relation not in best or above > best[relation][0] + 1e-12:
                best[relation] = (above, head["head"], name, one)
    return best


class Scores(ProgramTest):
    @classmethod
    def setUpClass(cls):
        cls.kept = {}

    def scores_of(self, model, *words):
        """Made once for all tests."""
        key = (model, *words)
        if key not in self.kept:
            out = self.folder / "scores.json"
            self.succeed("score", "--model", model, *words, "--out", out)
            self.kept[key] = out.read_text(encoding="utf-8")
        path = self.folder / f"{model.replace('/', '-')}-{len(words)}.json"
        path.write_text(self.kept[key], encoding="utf-8")
        return path

    def repeats(self, model):
        return self.scores_of(model, "--seed", "1")

    def relations(self):
        probe = self.source / "assets" / "probes" / "probes.conllu"
        return self.scores_of("english", "--probe", probe, "--sentences", "60")

    def draw(self, *words, out="out.svg"):
        self.succeed("render", *words, "--out", self.folder / out)
        return self.folder / out

    def test_every_view_of_one_model_is_drawn(self):
        scores = self.repeats("copy-h4")
        read = json.loads(scores.read_text())
        heads = {head["head"]: head for head in read["heads"]}
        best = max(heads.values(), key=lambda head: head["scores"]["induction"]["score"])
        number = f"{best['scores']['induction']['score']:.2f}"
        for view, words in ((None, [number, "H0", "L1", "chance"]), ("scatter", ["induction", "previous token"]),
                            ("list", [best["head"], number]), ("roles", ["induction", best["head"]])):
            more = ["--view", view] if view else []
            metric = "previous_token" if view == "scatter" else "induction"
            svg = self.draw("--scores", scores, "--metric", metric, *more)
            text = " ".join(texts_of(svg))
            for word in words:
                self.assertIn(word, text, view)
            self.assertIn("copy-h4", text)
            for ending in (".png", ".pdf"):
                self.assertGreater(self.draw("--scores", scores, *more, out="out" + ending).stat().st_size, 2000)

    def test_models_in_a_row_are_a_series(self):
        files = [word for model in ("copy-h2", "copy-h4", "copy-h8") for word in ("--scores", self.repeats(model))]
        svg = self.draw(*files, "--metric", "induction")
        texts = texts_of(svg)
        for label in ("2", "4", "8"):
            self.assertIn(label, texts)
        circles = list(xml.etree.ElementTree.parse(svg).iter("{http://www.w3.org/2000/svg}circle"))
        self.assertEqual(len(circles), 2 * (2 + 4 + 8) + 3)  # every head, and the best of each model
        table = self.draw(*files, "--view", "roles", out="roles.csv")
        with table.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        found = {row["model"] for row in rows if row["role"] == "induction"}
        self.assertEqual(found, {"copy-h2", "copy-h4", "copy-h8"})
        for row in rows:
            scores = json.loads(self.repeats(row["model"]).read_text())
            holders = [(one["verdict"] == "strong", one["score"], head["head"]) for head in scores["heads"]
                       for one in head["suggested"] if one["role"] == ROLES.get(row["role"], row["role"])]
            self.assertEqual(row["head"], max(holders)[2], row)
            self.assertEqual(float(row["score"]), max(holders)[1])
            self.assertEqual(int(float(row["strong"])), sum(strong for strong, _, _ in holders))

    def test_models_of_other_head_counts_stand_side_by_side(self):
        models = ("copy-h1", "copy-h4", "copy-h16")
        made = {model: self.scores_of(model, "--seed", "1", "--across") for model in models}
        read = {model: json.loads(path.read_text()) for model, path in made.items()}
        for model, scores in read.items():
            self.assertEqual((scores["loss"]["of"], scores["loss"]["texts"]), ("repeats", 20), model)
            self.assertLess(scores["loss"]["score"], 0.6)
            self.assertGreater(scores["loss"]["error"], 0.0)
        self.assertNotIn("overlap", read["copy-h1"])  # a head alone overlaps with none
        self.assertEqual(read["copy-h4"]["overlap"]["chance"], 0.25)
        self.assertEqual(read["copy-h16"]["overlap"]["chance"], 0.0625)
        self.assertNotIn("loss", json.loads(self.repeats("copy-h4").read_text()))
        self.fail_with(2, "score", "--model", "copy-h4", "--across", "--shard", "0/2", "--out", self.folder / "part.json")
        files = [word for path in made.values() for word in ("--scores", path)]
        table = self.draw(*files, "--view", "across", out="across.csv")
        with table.open(encoding="utf-8", newline="") as file:
            rows = {row["heads"]: row for row in csv.DictReader(file)}
        self.assertEqual(list(rows), ["1", "4", "16"])
        for model, count in (("copy-h1", "1"), ("copy-h4", "4"), ("copy-h16", "16")):
            heads = read[model]["heads"]
            row = rows[count]
            self.assertEqual(float(row["loss"]), read[model]["loss"]["score"])
            self.assertEqual(float(row["loss_error"]), read[model]["loss"]["error"])
            strong = sum(any(one["verdict"] == "strong" for one in head["suggested"]) for head in heads)
            self.assertAlmostEqual(float(row["with_role"]), strong / len(heads))
            apart = [head["scores"]["layer_divergence"]["score"] for head in heads]
            if count == "1":
                self.assertEqual(row["divergence"], "")
            else:
                self.assertAlmostEqual(float(row["divergence"]), sum(apart) / len(apart))
                self.assertEqual(float(row["overlap"]), read[model]["overlap"]["score"])
        text = " ".join(texts_of(self.draw(*files, "--view", "across")))
        for word in ("loss", "effective heads", "overlap", "ring: chance", "One run each"):
            self.assertIn(word, text)

    def test_a_family_over_steps_has_a_line_for_each_number_of_heads(self):
        models = ("copy-h1/step-0", "copy-h1", "copy-h4/step-0", "copy-h4/step-600", "copy-h4")
        bundled = self.source / "assets" / "models"
        made = {model: self.scores_of(str(bundled / model), "--seed", "1", "--across") for model in models}
        files = [word for path in made.values() for word in ("--scores", path)]
        table = self.draw(*files, "--view", "curves", "--metric", "induction", out="curves.csv")
        with table.open(encoding="utf-8", newline="") as file:
            rows = {(row["heads"], row["step"], row["quantity"]): row for row in csv.DictReader(file)}
        places = [key[:2] for key in rows if key[2] == "induction"]
        self.assertEqual(places, [("1", "0"), ("1", "trained"), ("4", "0"), ("4", "600"), ("4", "trained")])
        for model, place in zip(models, places):
            read = json.loads(made[model].read_text())
            best = max(head["scores"]["induction"]["score"] for head in read["heads"])
            row = rows[(*place, "induction")]
            self.assertEqual((float(row["mean"]), row["error"], row["runs"]), (best, "", "1"))  # one run: no error
            self.assertGreater(float(row["control"]), 0.0)
            self.assertEqual(float(rows[(*place, "loss")]["mean"]), read["loss"]["score"])
        text = " ".join(texts_of(self.draw(*files, "--view", "curves", "--metric", "induction")))
        for word in ("h 1 (1 run)", "h 4 (1 run)", "induction", "loss", "divergence", "trained", "no bars"):
            self.assertIn(word, text)

    def test_the_relation_table_is_the_scores_own(self):
        scores = self.relations()
        best = best_of_relations(json.loads(scores.read_text()))
        self.assertGreaterEqual(set(best), {"det", "nsubj", "obj"})
        self.assertGreater(max(one[0] for one in best.values()), 0.1)  # some head is above its control
        with self.draw("--scores", scores, "--view", "relations", out="t.csv").open(encoding="utf-8", newline="") as file:
            rows = {row["relation"]: row for row in csv.DictReader(file)}
        self.assertEqual(set(rows) - {"coreference"}, set(best))
        for relation, (_, head, _, one) in best.items():
            row = rows[relation]
            self.assertAlmostEqual(float(row["score"]) - float(row["control"] or 0), best[relation][0], 12, relation)
            if float(row["score"]) == one["score"]:
                self.assertEqual(int(float(row["n"])), one["queries"], relation)
            self.assertRegex(row["head"], r"^L\d+H\d+$")
        tex = self.draw("--scores", scores, "--view", "relations", out="t.tex").read_text(encoding="utf-8")
        for part in (r"\toprule", r"\bottomrule", r"$\rightarrow$", r"\%"):
            self.assertIn(part, tex)
        self.assertEqual(tex.count(r" \\"), 1 + len(rows))
        markdown = self.draw("--scores", scores, "--view", "relations", out="t.md").read_text(encoding="utf-8")
        self.assertEqual(sum(line.startswith("| ") for line in markdown.splitlines()), 2 + len(rows))
        text = " ".join(texts_of(self.draw("--scores", scores, "--view", "relations")))
        for relation in best:
            self.assertIn(relation, text)

    def test_what_is_wrong_is_said(self):
        scores = self.repeats("copy-h4")
        out = self.folder / "o.svg"
        self.assertIn("nonsense", self.fail_with(1, "render", "--scores", scores, "--metric", "nonsense", "--out", out))
        self.assertIn("ten pairs", self.fail_with(1, "render", "--scores", scores, "--view", "relations", "--out", out))
        self.assertIn("--ablate L0H1", self.fail_with(1, "render", "--scores", scores, "--view", "ablation", "--head",
                                                     "L0H1", "--out", out))
        self.assertIn("scatter", self.fail_with(2, "render", "--scores", scores, "--view", "nothing", "--out", out))
        self.assertIn(".svg", self.fail_with(2, "render", "--scores", scores, "--out", self.folder / "o.csv"))
        broken = self.folder / "broken.json"
        broken.write_text(scores.read_text()[:-200])
        self.assertIn("broken.json", self.fail_with(1, "render", "--scores", broken, "--out", out))
        self.assertFalse(out.exists())

    def test_a_head_taken_away_and_its_distances_are_drawn(self):
        scores = self.scores_of("copy-h4", "--sequences", "5", "--ablate", "L1H0")
        text = " ".join(texts_of(self.draw("--scores", scores, "--view", "ablation", "--head", "L1H0")))
        for words in ("Without L1H0", "gives nothing", "patterns kept", "nats a token"):
            self.assertIn(words, text)
        svg = self.draw("--model", "probe", "--text", "the old sailor told a story", "--head", "L0H0", "--view", "relative")
        self.assertIn("-1", texts_of(svg))


if __name__ == "__main__":
    main()
