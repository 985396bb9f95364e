"""Holds the shape of the tree: who may include whom, which files may name which library, how long a file may be. Every
document that a comment names, or that another document links to, is there, with the sections that are named.

Usage: check_tree.py ROOT. Prints one line per fault and exits 1 if there is any.
"""
import pathlib
import re
import sys

# What each folder may include besides itself: the folders to its left in the one-direction rule.
BASE = ["core/base"]
IO = BASE + ["core/io"]
MODEL_INPUTS = IO + ["core/text", "core/compute"]
MODEL = MODEL_INPUTS + ["core/model"]
ATTENTION = MODEL + ["core/attention"]
HEADS = ATTENTION + ["core/heads", "core/headcount", "core/causes", "core/compare", "core/figure"]
CORE = HEADS + ["core/train", "core/worker"]
STATE = CORE + ["app/files", "app/state"]
PLATFORM = STATE + ["app/platform", "app/gl"]
RENDER = PLATFORM + ["app/render"]
ALLOWED = {
    "core/base": [],
    "core/io": BASE,
    "core/text": IO,
    "core/compute": IO,
    "core/model": MODEL_INPUTS,
    "core/attention": MODEL,
    "core/heads": ATTENTION,
    "core/headcount": ATTENTION,
    "core/train": ATTENTION,
    "core/causes": ATTENTION + ["core/heads"],
    "core/compare": ATTENTION + ["core/heads"],
    "core/figure": ATTENTION + ["core/heads", "core/headcount", "core/causes", "core/compare"],
    "core/worker": HEADS + ["core/train"],
    "app/files": CORE,
    "app/state": CORE + ["app/files"],
    "app/platform": STATE,
    "app/gl": STATE,
    "app/render": PLATFORM,
    "app/views": RENDER,
    "app/window": RENDER + ["app/views"],
    "app/cli": STATE,
    "app": RENDER + ["app/views", "app/window", "app/cli"],
}
# Rooms of a folder, in their order: each may include itself and those before it.
ROOMS = {"core/heads": ["probe", "measure", "effect", "decide", "scan", "flags"]}

# Headers that only some files may name.
ONLY = [
    (re.compile(r"dnnl"), re.compile(r"^core/compute/onednn_[a-z_]+\.(cpp|h)$"), "oneDNN"),
    (re.compile(r"^(GLFW/|epoxy/|GL/)"), re.compile(r"^(app/platform|app/gl|app/render|tests)/"), "OpenGL or GLFW"),
    (re.compile(r"^imgui|^backends/imgui"), re.compile(r"^(app/platform|app/views|app/window|tests)/"), "Dear ImGui"),
    (re.compile(r"^simdjson"), re.compile(r"^(core/(io|text|model)|tests)/"), "simdjson"),
    (re.compile(r"^CLI/"), re.compile(r"^(app/cli/|app/main\.cpp)"), "CLI11"),
    (re.compile(r"^(cairo|pango)"), re.compile(r"^(core/figure|tests)/"), "cairo or pango"),
]

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
CORE_FORBIDDEN = re.compile(r"\b(std::cout|std::cerr|printf|std::puts|puts|exit|std::exit|std::abort|abort)\s*[(<]")
# What a header says of itself, and where the text of that begins.
LABEL = re.compile(r"// (Shapes|Units|Errors|Threads|Cost|Source) ")
LABEL_LINE = re.compile(r"// (Shapes|Units|Errors|Threads|Cost|Source) +(?<=^.{12})\S|// {10}\s*\S")
MAX_LINES = 500
MAX_FAMILY_LINES = 150  # what families share is a layout
SOURCE_FOLDERS = ("core", "app", "tests")

# A document by its path from the root, and sections of it: docs/reference.md, "split" and "render".
DOCUMENT = re.compile(r'([\w./-]*\w\.md)\b((?:(?:,| and|, and) "[^"]+")*)')
LINK = re.compile(r"\]\(([^)\s]+)\)")
# What a line of C++ may hold that looks like a comment, and a comment.
LITERAL_OR_COMMENT = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)\'|//.*')


def folder_of(path):
    """core/io/json.h -> core/io; core/model/families/gpt2.cpp -> core/model; app/main.cpp -> app."""
    parts = path.split("/")
    return "/".join(parts[:2]) if len(parts) > 2 else parts[0]


def check_room(where, rooms, path, name):
    """Faults of one include of a file of another room, or of the same."""
    own, other = (each.split("/")[2] for each in (path, name))
    for room in (own, other):
        if room not in rooms:
            return [f"{where}: {room} is no room of this folder: one of {', '.join(rooms)}"]
    if rooms.index(other) > rooms.index(own):
        return [f"{where}: {own} may not include {name}: {other} comes after it"]
    return []


def check_labels(path, lines):
    """Labels of the first comment: each begins a line, and what it says stands in a column of its own."""
    faults = []
    labelled = False
    for number, line in enumerate(lines, 1):
        if not line.startswith("//"):
            break
        labelled = (labelled or LABEL.match(line)) and line != "//"
        if labelled and not LABEL_LINE.match(line):
            faults.append(f"{path}:{number}: a label's text, and the lines that go on with it, begin in the thirteenth column")
    return faults


def check_file(path, text):
    """Faults of one file; `path` is relative to the root, with forward slashes."""
    faults = []
    lines = text.splitlines()
    folder = folder_of(path)
    most = MAX_FAMILY_LINES if path.startswith("core/model/families/") else MAX_LINES
    if len(lines) > most:
        faults.append(f"{path}: {len(lines)} lines, at most {most}; split it along a seam")
    if path.endswith(".h") and "#pragma once" not in text:
        faults.append(f"{path}: a header without #pragma once")
    if path.startswith(("core/", "app/")) and path.endswith(".h") and not text.startswith("//"):
        faults.append(f"{path}: a header starts with what it is, as a comment")
    if path.startswith(("core/", "app/")):
        faults += check_labels(path, lines)
    for number, line in enumerate(lines, 1):
        where = f"{path}:{number}"
        if path.startswith("core/") and path != "core/base/check.cpp":
            code = line.split("//")[0]
            if CORE_FORBIDDEN.search(re.sub(r'"[^"]*"', '""', code)):
                faults.append(f"{where}: the core neither prints nor exits")
        match = INCLUDE.match(line)
        if not match:
            continue
        quoted, name = match.group(1) == '"', match.group(2)
        for pattern, where_allowed, library in ONLY:
            if pattern.search(name) and not where_allowed.match(path):
                faults.append(f"{where}: {library} may not be included here")
        if not quoted or "/" not in name:
            continue
        if path.startswith("tests/") or name.startswith("registry/"):
            continue
        target = folder_of(name)
        if target == folder in ROOMS:
            faults += check_room(where, ROOMS[folder], path, name)
        if folder not in ALLOWED:
            faults.append(f"{where}: {folder} has no place in the order; give it one here and in docs/architecture.md")
        elif target != folder and target not in ALLOWED[folder]:
            faults.append(f"{where}: {folder} may not include {name}: it stands to the right, or outside the order")
    return faults


def comments(text):
    """[number of the first line, text] of each comment of a source; those on lines that follow each other are one."""
    blocks = []
    last = 0
    for number, line in enumerate(text.splitlines(), 1):
        found = [each.group() for each in LITERAL_OR_COMMENT.finditer(line) if each.group().startswith("//")]
        if not found:
            continue
        words = found[0].lstrip("/").strip()
        if blocks and last == number - 1:
            blocks[-1][1] += " " + words
        else:
            blocks.append([number, words])
        last = number
    return blocks


class Documents:
    """The documents below a root, with their headings."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.known = {}

    def headings(self, path):
        """Of the document at `path`, in order; None if there is none."""
        if path not in self.known:
            file = self.root / path
            found = None
            if file.is_file():
                text = re.sub(r"(?ms)^```.*?^```", "", file.read_text(encoding="utf-8"))
                found = [match.strip() for match in re.findall(r"(?m)^#+ (.+)$", text)]
            self.known[path] = found
        return self.known[path]

    def check_source(self, path, text):
        """Documents and sections that the comments of a header or source name."""
        faults = []
        for number, words in comments(text):
            for name, sections in DOCUMENT.findall(words):
                headings = self.headings(name)
                if headings is None:
                    faults.append(f"{path}:{number}: names {name}, which is not there; a document is named from the root")
                    continue
                for section in re.findall(r'"([^"]+)"', sections):
                    if section not in headings:
                        faults.append(f'{path}:{number}: {name} has no section "{section}"')
        return faults

    def check_links(self, path, text):
        """Files and sections that a document links to."""
        faults = []
        for link in LINK.findall(text):
            if "://" in link:
                continue
            name, _, anchor = link.partition("#")
            target = pathlib.PurePosixPath(path).parent / name if name else pathlib.PurePosixPath(path)
            if not (self.root / target).exists():
                faults.append(f"{path}: links to {link}, which is not there")
            elif anchor:
                plain = pathlib.Path(self.root / target).resolve().relative_to(self.root.resolve()).as_posix()
                anchors = [re.sub(r"[^\w\- ]", "", each.lower()).replace(" ", "-") for each in self.headings(plain) or []]
                if anchor not in anchors:
                    faults.append(f"{path}: links to {link}, a section that is not there")
        return faults


def check_tree(root):
    faults = []
    documents = Documents(root)
    for top in SOURCE_FOLDERS:
        for file in sorted(pathlib.Path(root, top).rglob("*")):
            if file.suffix in (".h", ".cpp"):
                path, text = file.relative_to(root).as_posix(), file.read_text(encoding="utf-8")
                faults += check_file(path, text) + documents.check_source(path, text)
    for file in sorted(pathlib.Path(root).rglob("*.md")):
        path = file.relative_to(root).as_posix()
        if not path.startswith("build/"):
            faults += documents.check_links(path, file.read_text(encoding="utf-8"))
    packages = re.compile(r"\b(find_package|pkg_check_modules|find_library)\s*\(")
    for file in sorted(pathlib.Path(root).rglob("CMakeLists.txt")):
        path = file.relative_to(root).as_posix()
        if path.startswith(("build/", "third_party/")):
            continue
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            if packages.search(line) and "Python3" not in line:
                faults.append(f"{path}:{number}: libraries are looked for in third_party only")
    return faults


if __name__ == "__main__":
    found = check_tree(sys.argv[1])
    for fault in found:
        print(fault)
    print(f"{len(found)} faults")
    sys.exit(1 if found else 0)
