"""Holds the shape of the tree: who may include whom, which files may name which library, how long a file may be.

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
HEADS = ATTENTION + ["core/heads", "core/headcount", "core/figure"]
CORE = HEADS + ["core/session"]
STATE = CORE + ["app/state"]
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
    "core/figure": ATTENTION + ["core/heads", "core/headcount"],
    "core/session": HEADS,
    "app/state": CORE,
    "app/platform": STATE,
    "app/gl": STATE,
    "app/render": PLATFORM,
    "app/views": RENDER,
    "app/cli": STATE,
    "app": RENDER + ["app/views", "app/cli"],
}

# Headers that only some files may name.
ONLY = [
    (re.compile(r"dnnl"), re.compile(r"^core/compute/onednn_[a-z_]+\.(cpp|h)$"), "oneDNN"),
    (re.compile(r"^(GLFW/|epoxy/|GL/)"), re.compile(r"^(app/platform|app/gl|app/render|tests)/"), "OpenGL or GLFW"),
    (re.compile(r"^imgui|^backends/imgui"), re.compile(r"^(app/platform|app/views|tests)/"), "Dear ImGui"),
    (re.compile(r"^simdjson"), re.compile(r"^(core/(io|text|model)|tests)/"), "simdjson"),
    (re.compile(r"^CLI/"), re.compile(r"^(app/cli/|app/main\.cpp)"), "CLI11"),
    (re.compile(r"^(cairo|pango)"), re.compile(r"^(core/figure|tests)/"), "cairo or pango"),
]

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
CORE_FORBIDDEN = re.compile(r"\b(std::cout|std::cerr|printf|std::puts|puts|exit|std::exit|std::abort|abort)\s*[(<]")
MAX_LINES = 500
SOURCE_FOLDERS = ("core", "app", "tests")


def folder_of(path):
    """core/io/json.h -> core/io; core/model/families/gpt2.cpp -> core/model; app/main.cpp -> app."""
    parts = path.split("/")
    return "/".join(parts[:2]) if len(parts) > 2 else parts[0]


def check_file(path, text):
    """Faults of one file; `path` is relative to the root, with forward slashes."""
    faults = []
    lines = text.splitlines()
    folder = folder_of(path)
    if len(lines) > MAX_LINES:
        faults.append(f"{path}: {len(lines)} lines, at most {MAX_LINES}; split it along a seam")
    if path.endswith(".h") and "#pragma once" not in text:
        faults.append(f"{path}: a header without #pragma once")
    if path.startswith(("core/", "app/")) and path.endswith(".h") and not text.startswith("//"):
        faults.append(f"{path}: a header starts with what it is, as a comment")
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
        if folder not in ALLOWED:
            faults.append(f"{where}: {folder} is not a folder of the design; give it a place in the order")
        elif target != folder and target not in ALLOWED[folder]:
            faults.append(f"{where}: {folder} may not include {name}: it stands to the right, or outside the order")
    return faults


def check_tree(root):
    faults = []
    for top in SOURCE_FOLDERS:
        for file in sorted(pathlib.Path(root, top).rglob("*")):
            if file.suffix in (".h", ".cpp"):
                faults += check_file(file.relative_to(root).as_posix(), file.read_text(encoding="utf-8"))
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
