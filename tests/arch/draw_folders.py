"""Draws the folders of the tree and who includes whom, from the includes themselves: docs/folders.svg.

An arrow goes from a folder to one that it includes; those that follow from others are left out.

Usage: draw_folders.py ROOT [--check]. With --check nothing is written; exits 1 if the picture is not what the tree is.
"""
import pathlib
import sys

from check_tree import INCLUDE, ROOMS, folder_of

WIDTH, HEIGHT, GAP_X, GAP_Y, MARGIN = 150, 34, 46, 26, 24
STYLE = """<style>
  text { font: 14px Inter, sans-serif; fill: #1f2430; text-anchor: middle; dominant-baseline: central }
  .room { font-size: 12px }
  rect { fill: #fff; stroke: #7a8699; rx: 6px }
  .core rect { fill: #e8f1fb } .app rect { fill: #f3ecdd } .heads rect { fill: #e4f3ea }
  path { fill: none; stroke: #7a8699; stroke-width: 1.2; marker-end: url(#tip) }
</style>
<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto">
  <polygon points="0,0 8,4 0,8" fill="#7a8699"/></marker></defs>"""


def includes(root, place_of):
    """{place: places it includes}, places being what `place_of` says of a path, or None."""
    edges = {}
    for top in ("core", "app"):
        for path in sorted((root / top).rglob("*")):
            if path.suffix not in (".h", ".cpp"):
                continue
            own = place_of(path.relative_to(root).as_posix())
            if own is None:
                continue
            targets = edges.setdefault(own, set())
            for line in path.read_text(encoding="utf-8").splitlines():
                match = INCLUDE.match(line)
                target = match and match.group(1) == '"' and "/" in match.group(2) and place_of(match.group(2))
                if target and target != own and not match.group(2).startswith("registry/"):
                    targets.add(target)
    return edges


def reach(edges, place, seen):
    for target in edges.get(place, ()):
        if target not in seen:
            seen.add(target)
            reach(edges, target, seen)
    return seen


def reduced(edges):
    """Without arrows that follow from others."""
    return {place: {target for target in targets
                    if not any(target in reach(edges, other, set()) for other in targets if other != target)}
            for place, targets in edges.items()}


def layers(edges):
    """Places in rows: each below all that it includes."""
    depth = {}

    def of(place):
        if place not in depth:
            depth[place] = 1 + max((of(target) for target in edges.get(place, ())), default=-1)
        return depth[place]

    for place in sorted(edges):
        of(place)
    rows = [[] for _ in range(max(depth.values()) + 1)]
    for place in sorted(depth, key=lambda each: (not each.startswith("core"), each)):
        rows[depth[place]].append(place)
    return rows


def draw(edges, left, top, group_of, label_of):
    """Lines of SVG, and the width and height that they take."""
    rows = layers(edges)
    width = max(len(row) for row in rows) * (WIDTH + GAP_X) - GAP_X
    at, lines = {}, []
    for y, row in enumerate(rows):
        offset = (width + GAP_X - len(row) * (WIDTH + GAP_X)) / 2
        for x, place in enumerate(row):
            at[place] = (left + offset + x * (WIDTH + GAP_X), top + y * (HEIGHT + GAP_Y))
    for place, targets in sorted(reduced(edges).items()):
        for target in sorted(targets):
            (x, y), (to_x, to_y) = at[place], at[target]
            x, y, to_x, to_y = x + WIDTH / 2, y, to_x + WIDTH / 2, to_y + HEIGHT
            bend = (y - to_y) / 2
            lines.append(f'<path d="M{x:g},{y:g} C{x:g},{y - bend:g} {to_x:g},{to_y + bend:g} {to_x:g},{to_y:g}"/>')
    for place, (x, y) in sorted(at.items()):
        lines.append(f'<g class="{group_of(place)}"><rect x="{x:g}" y="{y:g}" width="{WIDTH}" height="{HEIGHT}"/>'
                     f'<text x="{x + WIDTH / 2:g}" y="{y + HEIGHT / 2:g}">{label_of(place)}</text></g>')
    return lines, width, len(rows) * (HEIGHT + GAP_Y) - GAP_Y


def picture(root):
    """The whole tree, and beside it the rooms of its folders."""
    folders = includes(root, lambda path: folder_of(path) if folder_of(path).count("/") else "app/main")
    lines, width, height = draw(folders, MARGIN, MARGIN + 2 * GAP_Y, lambda place: place.split("/")[0], str)
    left = MARGIN + width
    for folder in ROOMS:
        def room_of(path, folder=folder):
            parts = path.split("/")
            return parts[2] if folder_of(path) == folder and len(parts) > 3 else None

        left += 2 * GAP_X
        more, more_width, more_height = draw(includes(root, room_of), left, MARGIN + 2 * GAP_Y, lambda place: "heads", str)
        lines += more + [f'<text x="{left + more_width / 2:g}" y="{MARGIN}">rooms of {folder}</text>']
        left, height = left + more_width, max(height, more_height)
    lines.append(f'<text x="{MARGIN + width / 2:g}" y="{MARGIN}">folders</text>')
    size = f'width="{left + MARGIN:g}" height="{height + 2 * MARGIN + 2 * GAP_Y:g}"'
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" {size}>', STYLE,
                      '<rect width="100%" height="100%" style="stroke: none"/>', *lines, "</svg>", ""])


def main():
    root = pathlib.Path(sys.argv[1])
    target = root / "docs/folders.svg"
    made = picture(root)
    if "--check" in sys.argv[2:]:
        if not target.is_file() or target.read_text(encoding="utf-8") != made:
            print(f"{target}: the tree is another than this picture; make it again: {sys.argv[0]} {root}")
            return 1
        return 0
    target.write_text(made, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
