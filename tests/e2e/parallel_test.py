"""Shares of a scan under GNU parallel, merged: exactly what one run gives. Without the program: not run."""
import os
import shutil
import subprocess

from program import ProgramTest, main


class Parallel(ProgramTest):
    def test_four_shares_under_gnu_parallel_merge_to_one_run(self):
        parallel = shutil.which("parallel")
        told = parallel and subprocess.run([parallel, "--version"], capture_output=True, text=True, check=False).stdout
        if not told or "GNU parallel" not in told:
            print("not run: GNU parallel is not installed", flush=True)
            self.skipTest("GNU parallel is not installed")
        corpus = self.folder / "corpus.ids"
        lines = [",".join(str(1 + (7 * line + 3 * place) % 11) for place in range(6 + line % 9)) for line in range(2000)]
        corpus.write_text("\n".join(lines) + "\n")
        scan = ["score", "--model", str(self.probe), "--probe", str(corpus)]
        self.succeed(*scan, "--out", self.folder / "one.json")
        environment = dict(os.environ, OMP_NUM_THREADS="1", HOME=str(self.folder))
        done = subprocess.run(
            [parallel, "--will-cite", "-j2", self.program, *scan, "--shard", "{}/4", "--out", str(self.folder / "part-{}.json"),
             ":::", "0", "1", "2", "3"],
            env=environment, capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        parts = sorted(self.folder.glob("part-?.json"))
        self.assertEqual(len(parts), 4)
        # Each share has done something, so that the sum is of all four.
        for part in parts:
            self.assertGreater(len(part.read_text().splitlines()), 1, part.name)
        self.succeed("merge", *reversed(parts), "--out", self.folder / "four.json")
        self.assertEqual((self.folder / "four.json").read_bytes(), (self.folder / "one.json").read_bytes())
        self.succeed(*scan, "--out", self.folder / "one.csv")
        self.succeed("merge", *parts, "--out", self.folder / "four.csv")
        self.assertEqual((self.folder / "four.csv").read_bytes(), (self.folder / "one.csv").read_bytes())


if __name__ == "__main__":
    main()
