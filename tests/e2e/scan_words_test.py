"""What a scan by command says beside its scores: notes, with their places, and the seed that it was made with."""
import array
import json
import random
import shutil
import struct

from program import ProgramTest, main, write_safetensors


class ScanWords(ProgramTest):
    def score(self, model, *options):
        out = self.folder / "score.json"
        self.succeed("score", "--model", model, *options, "--out", out)
        return json.loads(out.read_text(encoding="utf-8"))

    def test_kappa_is_how_far_a_score_gets_from_its_control(self):
        made = self.score("copy-h4")
        scores = [score for head in made["heads"] for score in head["scores"].values()]
        for score in scores:
            if score["score"] is None or score["control"] is None:
                self.assertIsNone(score["kappa"])
            else:
                self.assertAlmostEqual(score["kappa"], (score["score"] - score["control"]) / (1 - score["control"]), 12)
        self.assertGreater(max(score["kappa"] or 0 for score in scores), 0.9)

    def test_notes_name_the_first_place_and_say_what_became_of_the_texts(self):
        corpus = self.folder / "corpus.txt"
        corpus.write_text("the old sailor told a story .\n" + "the " * 280 + "\n" + "the " * 300 + "\n", encoding="utf-8")
        notes = self.score("gpt-h8", "--probe", corpus)["notes"]
        self.assertEqual(notes, [f"{corpus}: line 2, and 1 text more: longer than the 256 tokens that the model reads; "
                                 "they are left out"])
        corpus = self.folder / "corpus.conllu"
        corpus.write_text("".join(f"# text = the {word}\n1\tthe\t_\t_\t_\t_\t2\tdet\t_\t_\n2\t{word}\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
                                  for word in ["sailor"] * 40 + ["zyx"] * 3), encoding="utf-8")
        for options, outcome in (((), "kept"), (("--sentences", "40"), "left out")):
            note = self.score("probe", "--probe", corpus, *options)["notes"][0]
            self.assertRegex(note, fr"^{corpus}: line 1\d\d, and 2 texts more: with words that the model does not know; they are {outcome}$")

    def test_unknown_words_are_counted_and_are_no_repeats(self):
        """Scrambled copying heads on texts of words that they do not know: one token again and again."""
        model = self.folder / "scrambled"
        model.mkdir()
        source = self.source / "assets" / "models" / "copy-h8"
        for name in ("config.json", "tokenizer.json", "tokenizer_config.json"):
            shutil.copy(source / name, model)
        data = (source / "model.safetensors").read_bytes()
        size = struct.unpack("<Q", data[:8])[0]
        header, body, draw = json.loads(data[8:8 + size]), bytearray(data[8 + size:]), random.Random(5)
        for name, tensor in header.items():
            if name != "__metadata__" and len(tensor["shape"]) == 2:
                begin, end = tensor["data_offsets"]
                values = list(array.array("f", bytes(body[begin:end])))
                draw.shuffle(values)
                body[begin:end] = array.array("f", values).tobytes()
        write_safetensors(model / "model.safetensors", header, bytes(body))
        words = "the old sailor told a story of the sea and the girl gave him a map".split()
        lines = [" ".join(draw.choice(words) for _ in range(20)) + " a1" for _ in range(40)]
        corpus = self.folder / "corpus.txt"
        corpus.write_text("\n".join(lines) + "\n", encoding="utf-8")
        made = self.score(model, "--probe", corpus)
        self.assertEqual([one["role"] for head in made["heads"] for one in head["suggested"]], [])
        self.assertTrue(made["notes"][1].startswith("800 of 840 words of these texts are unknown to the model; "), made["notes"])
        for head in made["heads"]:
            self.assertIsNone(head["scores"]["duplicate_token"]["score"])
            self.assertIn("why_not", head["scores"]["induction"])

    def test_a_seed_is_of_the_twins_too_and_is_written(self):
        ids = self.folder / "a.ids"
        ids.write_text("".join(",".join(str((7 * i + j) % 40) for j in range(20)) + "\n" for i in range(12)), encoding="utf-8")
        one, same, other = (self.score("copy-h8", "--probe", ids, "--twins", "1", "--seed", seed) for seed in ("1", "1", "18446744073709551615"))
        self.assertEqual(one, same)
        self.assertEqual((one["seed"], other["seed"]), (1, 2**64 - 1))
        self.assertEqual(self.score("copy-h8", "--probe", ids)["seed"], 1)
        self.assertNotEqual(*([[each["twin"] for head in made["heads"] for each in head["suggested"]] for made in (one, other)]))
        for seed in ("18446744073709551616", "99999999999999999999", "-1", "x"):
            error = self.fail_with(2, "score", "--seed", seed, "--out", self.folder / "x.json")
            self.assertIn(f'--seed: "{seed}" is not a whole number from 0 to 18446744073709551615', error)
            self.assertLess(len(error), 150)


if __name__ == "__main__":
    main()
