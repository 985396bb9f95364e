"""What is installed: the program runs from any prefix, and shells, man and the desktop know it by its own table of options."""
import json
import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import time
import unittest

from program import ProgramTest, main, read_safetensors

ID = "org.headscope.Headscope"
NEEDED = ("zsh", "fish", "man", "desktop-file-validate", "appstreamcli", "update-mime-database", "gio", "rsvg-convert")


def run(*command, **options):
    return subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=120, check=False, **options)


def needs(tool):
    return unittest.skipUnless(shutil.which(tool), f"not run: needs {tool}")


class Install(ProgramTest):
    prefix = None

    @classmethod
    def setUpClass(cls):
        import tempfile
        cls._prefix = tempfile.TemporaryDirectory(prefix="headscope_e2e_")
        cls.prefix = pathlib.Path(cls._prefix.name) / "usr"
        cmake, build = cls.extra
        done = run(cmake, "--install", build, "--prefix", cls.prefix)
        assert done.returncode == 0, done.stderr
        cls.program = cls.prefix / "bin" / "headscope"

    @classmethod
    def tearDownClass(cls):
        cls._prefix.cleanup()

    def table(self):
        """{command: its options}, as --help has them; "" is the window."""
        commands = re.findall(r"(?m)^  ([a-z]+) +\S", self.succeed("--help").split("Subcommands:")[1])
        table = {}
        for command in ("", *commands):
            text = self.succeed(*filter(None, [command]), "--help").split("Subcommands:")[0]
            table[command] = re.findall(r"(?m)^  (?:-\w,)?(--[a-z][a-z-]*)", text)
        self.assertGreater(len(table["attend"]), 5)
        return table

    def test_it_runs_from_there_with_the_models_that_came_with_it(self):
        out = self.folder / "a.safetensors"
        version = re.search(r"project\(headscope VERSION (\S+)", (self.source / "CMakeLists.txt").read_text()).group(1)
        self.assertEqual(self.succeed("--version", cwd=self.folder), f"headscope {version}\n")
        self.succeed("attend", "--model", "english", "--text", "The old captain slept.", "--out", out, cwd=self.folder)
        self.assertEqual(read_safetensors(out)[1]["attention"][0][:2], [4, 8])
        # Its own come first, whatever lies above it.
        assets = self.prefix / "share" / "headscope" / "assets"
        other = self.prefix.parent / "assets" / "models"
        other.mkdir(parents=True)
        (assets / "models" / "gpt-h4").rename(assets / "models" / "moved")
        self.succeed("info", "--model", "moved")
        self.assertEqual([], [*assets.rglob("*.py")])
        (assets / "models" / "moved").rename(assets / "models" / "gpt-h4")
        shutil.rmtree(other.parent)

    def test_a_changed_prefix_is_all_that_a_move_needs(self):
        moved = self.folder / "elsewhere"
        shutil.copytree(self.prefix, moved)
        done = run(moved / "bin" / "headscope", "info", "--model", "english", "--json")
        self.assertEqual(json.loads(done.stdout)["layers"], 4, done.stderr)

    def complete_in_bash(self, *words):
        script = (self.prefix / "share/bash-completion/completions/headscope").read_text(encoding="utf-8")
        words = ("headscope", *words)
        quoted = " ".join(f"'{word}'" for word in words)
        done = run("bash", "--norc", "-c",
                   f"{script}\nCOMP_WORDS=({quoted}) COMP_CWORD={len(words) - 1}\n_headscope\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"",
                   cwd=self.folder)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_bash_completes_each_command_option_and_choice(self):
        table = self.table()
        self.assertLessEqual(set(table) - {""}, set(self.complete_in_bash("")))
        for command, options in table.items():
            found = self.complete_in_bash(*filter(None, [command]), "--")
            self.assertEqual(sorted(options), sorted(each for each in found if each.startswith("--")), command)
        self.assertEqual(self.complete_in_bash("render", "--theme", ""), ["light", "dark", "print"])
        self.assertEqual(self.complete_in_bash("render", "--theme", "=", "d"), ["dark"])
        self.assertEqual(self.complete_in_bash("render", "--theme", "="), ["light", "dark", "print"])
        self.assertEqual(self.complete_in_bash("attend", "--text", ""), [])
        self.assertIn("english", self.complete_in_bash("attend", "--model", "eng"))
        (self.folder / "mine.safetensors").touch()
        self.assertEqual(self.complete_in_bash("attend", "--out", "mi"), ["mine.safetensors"])
        self.assertIn("inspect", self.complete_in_bash("--view", "ins"))
        self.assertNotIn("inspect", self.complete_in_bash("render", "--view", ""))

    @needs("fish")
    def test_fish_completes_each_command_option_and_choice(self):
        script = self.prefix / "share/fish/vendor_completions.d/headscope.fish"

        def complete(line):
            done = run("fish", "--no-config", "-c", f"source {script}; complete -C '{line}'", cwd=self.folder,
                       env={**os.environ, "HOME": str(self.folder)})
            self.assertEqual(done.stderr, "", line)
            return [each.split("\t")[0] for each in done.stdout.splitlines()]

        table = self.table()
        self.assertLessEqual(set(table) - {""}, set(complete("headscope ")))
        for command, options in table.items():
            self.assertEqual(sorted(set(options)), sorted(set(complete(f"headscope {command} --"))), command)
        self.assertEqual(sorted(complete("headscope render --theme ")), ["dark", "light", "print"])
        self.assertIn("english", complete("headscope attend --model "))

    @needs("zsh")
    def test_zsh_completes_each_command_option_and_choice(self):
        script = self.prefix / "share/zsh/vendor-completions/_headscope"

        def complete(line):
            """What zsh lists after the line; in a terminal of its own, as it completes nowhere else."""
            child, terminal = pty.fork()
            if child == 0:
                os.chdir(self.folder)
                os.execvpe("zsh", ["zsh", "-f", "-i"], {"PATH": os.environ["PATH"], "HOME": str(self.folder), "TERM": "dumb"})
            text = ""

            def read_until(mark, seconds=20):
                nonlocal text
                end = time.monotonic() + seconds
                while mark not in text and time.monotonic() < end:
                    if select.select([terminal], [], [], 0.1)[0]:
                        text += os.read(terminal, 65536).decode(errors="replace")

            try:
                setup = (f"PS1=''; stty rows 200 cols 250; autoload -U compinit; compinit -u -D; source {script}; "
                         "zstyle ':completion:*' verbose no; setopt no_list_ambiguous list_rows_first; LISTMAX=1000; "
                         "listed() { echo list''ed; }; zle -N listed; "
                         "bindkey '^F' list-choices; bindkey '^G' listed; echo rea''dy\n")
                os.write(terminal, setup.encode())
                read_until("ready")
                text = ""
                os.write(terminal, f"{line}\x06\x07".encode())
                read_until("listed")
            finally:
                os.close(terminal)
                os.waitpid(child, 0)
            return text

        table = self.table()
        commands = complete("headscope ")
        for command, options in table.items():
            if command:
                self.assertIn(command, commands)
            listed = complete(f"headscope {command} --".replace("  ", " "))
            for option in options:
                self.assertRegex(listed, rf"{option}(?![a-z-])", f"{command}: {listed}")
        listed = complete("headscope render --theme ")
        self.assertRegex(listed, r"dark\s+light|light\s+dark")

    @needs("man")
    def test_the_manual_page_has_each_option_and_no_fault(self):
        page = self.prefix / "share/man/man1/headscope.1"
        done = run("man", "--warnings", "-l", page, env={**os.environ, "MANWIDTH": "200", "LC_ALL": "C.UTF-8"})
        self.assertEqual(done.stderr, "")
        text = re.sub(r".\x08", "", done.stdout)
        for command, options in self.table().items():
            part = text
            if command:
                part = re.split(rf"(?m)^   {command}$", text)[1]
                part = re.split(r"(?m)^ {0,3}\S", part)[0]
            for option in options:
                self.assertRegex(part, rf"{option}(?![a-z-])", command)

    @needs("desktop-file-validate")
    def test_the_desktop_entry_is_valid_and_starts_what_is_installed(self):
        entry = self.prefix / "share/applications" / f"{ID}.desktop"
        done = run("desktop-file-validate", entry)
        self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))
        self.assertRegex(entry.read_text(), r"(?m)^Exec=headscope %f$")
        self.assertTrue((self.prefix / "share/icons/hicolor/scalable/apps" / f"{ID}.svg").is_file())

    @needs("rsvg-convert")
    def test_icons_have_the_sizes_of_their_folders(self):
        icons = sorted((self.prefix / "share/icons/hicolor").glob("*x*/apps/*.png"))
        self.assertEqual(len(icons), 8)
        for icon in icons:
            size = int(icon.parts[-3].split("x")[0])
            head = icon.read_bytes()[16:24]
            self.assertEqual(head, size.to_bytes(4, "big") * 2)

    @needs("appstreamcli")
    def test_the_software_catalogue_takes_the_metainfo(self):
        done = run("appstreamcli", "validate", "--no-net", self.prefix / "share/metainfo" / f"{ID}.metainfo.xml")
        self.assertEqual(done.returncode, 0, done.stdout)

    @needs("update-mime-database")
    @needs("gio")
    def test_files_are_known_by_what_they_hold(self):
        data = self.folder / "share"
        (data / "mime/packages").mkdir(parents=True)
        shutil.copy(self.prefix / "share/mime/packages" / f"{ID}.xml", data / "mime/packages")
        for system in pathlib.Path("/usr/share/mime/packages").glob("freedesktop.org.xml"):
            shutil.copy(system, data / "mime/packages")
        self.assertEqual(run("update-mime-database", data / "mime").returncode, 0)
        files = {
            "work.json": ('{\n  "headscope_session": 1,\n  "flags": []\n}\n', "application/x-headscope-session+json"),
            "other.json": ('{\n  "sessions": 1\n}\n', "application/json"),
            "m.gguf": ("GGUF\x03", "application/x-gguf"),
            "m.safetensors": ("\x08\0\0\0\0\0\0\0{}      ", "application/x-safetensors"),
        }
        entry = (self.prefix / "share/applications" / f"{ID}.desktop").read_text()
        for name, (text, kind) in files.items():
            (self.folder / name).write_text(text)
            done = run("gio", "info", "-a", "standard::content-type", self.folder / name,
                       env={**os.environ, "XDG_DATA_DIRS": str(data), "XDG_DATA_HOME": str(self.folder / "none")})
            self.assertIn(f"content-type: {kind}\n", done.stdout, name)
            self.assertEqual(kind in entry, name != "other.json")


if __name__ == "__main__":
    for tool in NEEDED:
        if not shutil.which(tool):
            print(f"not run: {tool} is missing")
    main()
