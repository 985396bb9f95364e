"""Runs of the Train screen, in a real window: kept as they train, offered after a kill, and gone on with to the same bits."""
import json
import pathlib
import signal
import struct

from program import main
from window import WindowTest


def state_of(folder):
    """(step, the bytes of weights, Adam's moments and losses) of a run on disk; None: there is none that is whole."""
    try:
        data = (folder / "optimizer.safetensors").read_bytes()
    except OSError:
        return None
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + length])
    begins = {name: entry["data_offsets"] for name, entry in header.items() if name != "__metadata__"}
    body = data[8 + length:]
    return int(header["__metadata__"]["step"]), {name: body[begin:end] for name, (begin, end) in begins.items()}


class TrainWindow(WindowTest):
    @property
    def shelf(self):
        return self.folder / "state" / "headscope" / "trainings"

    def step(self, name="copy-h4-seed-1"):
        found = state_of(self.shelf / name)
        return -1 if found is None else found[0]

    def press(self, place):
        self.xdotool("mousemove", *place)
        self.xdotool("click", "1")

    def wait_for_step(self, step, **more):
        self.wait_for(lambda: self.step(**more) >= step, 120)

    def kill(self):
        self.window.send_signal(signal.SIGKILL)
        self.window.wait()

    # At 1600 x 1000: in the toolbar, the only line of kept runs, the buttons of the first run.
    TRAIN = (965, 78)
    GO_ON = (703, 238)
    DISCARD = (775, 238)
    PAUSE = (108, 206)

    def test_a_run_of_a_killed_window_goes_on_in_the_next_with_the_bits_of_one_that_was_not(self):
        self.start("--view", "train")
        self.assertFalse(self.shelf.exists())
        self.press(self.TRAIN)
        self.wait_for_step(200)
        self.kill()
        stopped = self.step()
        self.assertGreaterEqual(stopped, 200)
        # Nothing trains until it is asked for.
        self.start("--view", "train")
        self.settle()
        self.assertEqual(self.step(), stopped)
        self.press(self.GO_ON)
        self.wait_for_step(stopped + 100)
        self.press(self.PAUSE)
        self.settle()
        self.leave()
        folder = self.shelf / "copy-h4-seed-1"
        step, numbers = state_of(folder)
        self.assertGreaterEqual(step, stopped + 100)
        whole = self.folder / "whole"
        self.succeed("train", "--heads", "4", "--steps", step, "--every", "25", "--out", whole)
        self.assertEqual(state_of(whole), (step, numbers))
        self.assertEqual((folder / "model.safetensors").read_bytes(), (whole / "model.safetensors").read_bytes())
        self.assertEqual(state_of(folder / "step-200"), state_of(whole / "step-200"))
        record, expected = (json.loads((each / "training.json").read_text(encoding="utf-8")) for each in (folder, whole))
        self.assertEqual(record["lines"], [line for line in expected["lines"] if line["step"] % 25 == 0])
        self.assertEqual(record["settings"], expected["settings"])  # so many steps, not those of a default
        # The command line goes on with it, too.
        self.succeed("train", "--heads", "4", "--steps", step + 5, "--every", "25", "--resume", "--out", folder)
        self.succeed("train", "--heads", "4", "--steps", step + 5, "--every", "25", "--resume", "--out", whole)
        self.assertEqual(state_of(folder), state_of(whole))

    def test_a_window_that_is_closed_loses_no_step_and_what_is_discarded_is_gone(self):
        self.start("--view", "train")
        self.press(self.TRAIN)
        self.wait_for_step(50)
        self.press(self.PAUSE)
        self.settle()
        paused = self.step()  # it is at rest, and on disk
        self.assertGreaterEqual(paused, 50)
        self.leave()
        self.assertEqual(self.step(), paused)
        self.start("--view", "train")
        self.press(self.DISCARD)
        self.wait_for(lambda: not any(self.shelf.iterdir()))
        self.leave()

    def test_two_windows_leave_each_others_runs_alone(self):
        self.start("--view", "train")
        self.press(self.TRAIN)
        self.wait_for_step(50)
        first = self.window
        self.assertIn("another window", self.fail_with(
            1, "train", "--heads", "4", "--steps", "100000", "--resume", "--out", self.shelf / "copy-h4-seed-1"))
        self.start("--view", "train")
        second = self.window
        # It offers nothing: its first line is a question, and a run that begins has a folder of its own.
        self.press(self.TRAIN)
        self.wait_for_step(50, name="copy-h4-seed-1-2")
        second.send_signal(signal.SIGKILL)
        second.wait()
        self.window = first
        now = self.step()
        self.wait_for_step(now + 100)
        self.assertEqual(sorted(path.name for path in self.shelf.iterdir()), ["copy-h4-seed-1", "copy-h4-seed-1-2"])
        self.kill()

    def test_a_disk_that_cannot_be_written_does_not_stop_a_run(self):
        self.shelf.parent.mkdir(parents=True)
        self.shelf.write_text("no folder", encoding="utf-8")
        self.start("--view", "train")
        used = self.cpu_seconds()
        self.press(self.TRAIN)
        self.wait_for(lambda: self.cpu_seconds() > used + 2.0)
        self.assertTrue(self.shelf.is_file())
        pathlib.Path(self.shelf).unlink()
        self.wait_for_step(100)
        self.leave()


if __name__ == "__main__":
    main()
