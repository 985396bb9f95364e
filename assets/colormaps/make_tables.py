"""Writes the colour maps, tables.json: the build makes C++ of it (core/figure/CMakeLists.txt).

    venv/bin/pip install matplotlib==3.11.2 numpy && venv/bin/python assets/colormaps/make_tables.py

viridis and cividis are public domain (CC0) data that matplotlib carries. Blues, greys and the diverging maps are made
here: straight lines in lightness (OKLab), so that equal steps in weight look like equal steps.
"""

import json
import pathlib

import matplotlib
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
SIZE = 256
ZERO = 128  # the index of 0 on a diverging map: round(0.5 * 255)
PANEL = {"light": (0xFF, 0xFF, 0xFF), "dark": (0x15, 0x1A, 0x21)}
MASKED = {"light": (0xE6, 0xEA, 0xF0), "dark": (0x1D, 0x24, 0x2D)}  # MaskedColor in core/figure/color_scale.cpp
BLUE, RED = np.radians(255.0), np.radians(27.0)

LMS_FROM_LAB = np.array([[1.0, 0.3963377774, 0.2158037573], [1.0, -0.1055613458, -0.0638541728],
                         [1.0, -0.0894841775, -1.2914855480]])
RGB_FROM_LMS = np.array([[4.0767416621, -3.3077115913, 0.2309699292], [-1.2684380046, 2.6097574011, -0.3413193965],
                         [-0.0041960863, -0.7034186147, 1.7076147010]])


def to_oklab(rgb):
    encoded = np.asarray(rgb) / 255.0
    linear = np.where(encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4)
    return np.linalg.inv(LMS_FROM_LAB) @ np.cbrt(np.linalg.inv(RGB_FROM_LMS) @ linear)


def linear_rgb(lightness, chroma, hue):
    lab = np.array([lightness, chroma * np.cos(hue), chroma * np.sin(hue)])
    return RGB_FROM_LMS @ (LMS_FROM_LAB @ lab) ** 3


def to_rgb(lightness, chroma, hue):
    """8-bit sRGB; a colour out of reach gives up chroma, never lightness."""
    while np.any((linear := linear_rgb(lightness, chroma, hue)) < 0) or np.any(linear > 1):
        chroma -= 0.001
        if chroma < 0:
            linear = np.clip(linear_rgb(lightness, 0.0, hue), 0, 1)
            break
    encoded = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    return [int(c) for c in np.round(255 * encoded)]


def from_matplotlib(name):
    return [[int(c) for c in np.round(255 * np.array(rgb))] for rgb in matplotlib.colormaps[name](range(SIZE))[:, :3]]


def ramp(low, high, chroma, hue=BLUE, first=0.12):
    """Lightness straight from low to high, most colourful in the middle; `first`: how soon it is."""
    steps = np.linspace(0, 1, SIZE)
    return [to_rgb(low + t * (high - low), chroma * np.sin(np.pi * (first + (0.88 - first) * t)), hue) for t in steps]


def diverging(theme, end, chroma):
    """Blue below, red above, the panel's own colour at 0; both arms reach the same lightness."""
    start = to_oklab(PANEL[theme])

    def at(t, hue):
        own = np.hypot(start[1], start[2])
        tint = np.arctan2(start[2], start[1])
        # The panel's faint tint fades out as the arm's hue fades in.
        a = (1 - t) * own * np.cos(tint) + t**0.8 * chroma * np.cos(hue)
        b = (1 - t) * own * np.sin(tint) + t**0.8 * chroma * np.sin(hue)
        return to_rgb(start[0] + t * (end - start[0]), np.hypot(a, b), np.arctan2(b, a))

    below = [at((ZERO - i) / ZERO, BLUE) for i in range(ZERO)]
    above = [at((i - ZERO) / (SIZE - 1 - ZERO), RED) for i in range(ZERO + 1, SIZE)]
    return below + [list(PANEL[theme])] + above


def tables():
    return {
        "viridis": from_matplotlib("viridis"),
        "cividis": from_matplotlib("cividis"),
        "blues_light": ramp(0.99, 0.30, 0.15),
        # Light and blue enough at 0 to be told from the window's ground and from what is masked.
        "blues_dark": ramp(0.27, 0.97, 0.15, first=0.25),
        "greys_light": ramp(0.99, 0.16, 0.0),
        "greys_dark": ramp(0.17, 0.99, 0.0),
        "diverging_light": diverging("light", 0.42, 0.17),
        "diverging_dark": diverging("dark", 0.80, 0.13),
    }


def check(name, table):
    lab = np.array([to_oklab(rgb) for rgb in table])
    steps = np.diff(lab[:, 0])
    if name.startswith("diverging"):
        assert np.all(steps[:ZERO] * steps[0] >= 0) and np.all(steps[ZERO:] * -steps[0] >= 0), name
    else:
        assert np.all(steps * np.sign(lab[-1, 0] - lab[0, 0]) >= -1e-3), name
    if name.startswith(("blues", "greys")):  # even in lightness, but for 8 bits
        assert np.abs(lab[:, 0] - np.linspace(lab[0, 0], lab[-1, 0], SIZE)).max() < 0.006, name
    for theme, rgb in MASKED.items():
        if not name.endswith({"light": "dark", "dark": "light"}[theme]):
            gap = np.linalg.norm(lab - to_oklab(rgb), axis=1).min()
            assert gap > 0.008, f"{name}: a colour is too close to the masked colour ({gap:.3f})"


def main():
    made = tables()
    for name, table in made.items():
        assert len(table) == SIZE
        check(name, table)
    rows = ",\n".join(f'"{name}": {json.dumps(table, separators=(",", ":"))}' for name, table in made.items())
    (ROOT / "assets/colormaps/tables.json").write_text("{\n" + rows + "\n}\n")


if __name__ == "__main__":
    main()
