"""Compares where Headscope finds the patterns of tokenizer.json with where the tokenizers library finds them.

    python3 -m venv venv && venv/bin/pip install tokenizers==0.23.3
    cmake --build --preset dev --target tokenize_lines
    venv/bin/python tests/golden/compare_patterns.py build/dev/tests/unit/text/tokenize_lines [--seed=N] [--count=N] [--quiet]

Four sweeps: patterns of published tokenizers and random patterns, both on random text of every script; patterns with a fault;
and each class, property and bracket on all of Unicode (of Han, Hangul, private use and the like every 997th character). Characters newer than Unicode 14 are counted by themselves,
because the two libraries may have tables of different ages.
"""

import collections
import random
import subprocess
import sys
import unicodedata

import tokenizers
from tokenizers import normalizers

assert unicodedata.unidata_version >= "14"
MARK = "\U000f1234"

PUBLISHED = [
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+"
    r"|\s+(?!\S)|\s+",
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
    r"|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+",
    r"[\r\n]|\s?[A-Za-zµÀ-ÖØ-öø-ƺƼ-ƿΑ-Ρα-ωА-я]+|\s?[!-/:-~！-／：-～‘-‟　-。]+|\s+$|[一-龥ࠀ-一가-힣]+|\p{N}+",
    r"\p{N}{1,3}|[一-龥\u3040-ゟ゠-ヿ]+",
    r" ?[^(\s|[.,!?…。，、।۔،])]+",
    r" ?[^(\s|.,!?…。，、।۔،)]+",
    r"[\p{P}\$\+<=>\^~\|`]+",
    r"\s?\p{L}+|\s?\p{N}+|\s?[^\s\p{L}\p{N}]++|\s+(?!\S)|\s+",
    r"[0-9][0-9][0-9]|\d{1,3}(?=(?:\d{3})*\b)",
    r"\s+|\w+|[^\w\s]+",
    r"\w+|[^\w\s]",
    r"(?<=[^\d])(?=\d)|(?<=\d)(?=[^\d])",
    r"(?<!^)(?=[A-Z])",
    r" {2,}|\n+|\t+",
    r"<\|im_(?:start|end)\|>|[^<]+|<",
    r"[\u4e00-\u9fff]|[\uac00-\ud7a3]+|[^\s]+",
    r"\b\w+\b|\B\W\B",
    r"[[:punct:]]|[[:space:]]+|[[:alnum:]]+",
    r"(?:\r?\n)+|[^\r\n]+",
    r".", r"(?m).", r"\X", r"\R", r"^.*$", r"(?m)\A.{5}", r"$", r"^", r"", r"\S*", r"\z", r"\Z|x", r"\b", r"\y",
]

PROPERTIES = """Any Assigned L Lu Ll Lt Lm Lo LC M Mn Mc Me N Nd Nl No P Pc Pd Ps Pe Pi Pf Po S Sm Sc Sk So Z Zs Zl Zp C Cc Cf Cs Co Cn
Letter Uppercase_Letter Lowercase_Letter Titlecase_Letter Modifier_Letter Other_Letter Mark Nonspacing_Mark Spacing_Mark
Enclosing_Mark Number Decimal_Number Letter_Number Other_Number Punctuation Connector_Punctuation Dash_Punctuation
Open_Punctuation Close_Punctuation Initial_Punctuation Final_Punctuation Other_Punctuation Symbol Math_Symbol Currency_Symbol
Modifier_Symbol Other_Symbol Separator Space_Separator Line_Separator Paragraph_Separator Other Control Format Surrogate
Private_Use Unassigned Cased_Letter
Latin Greek Cyrillic Armenian Hebrew Arabic Syriac Thaana Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam
Sinhala Thai Lao Tibetan Myanmar Georgian Hangul Ethiopic Cherokee Ogham Runic Khmer Mongolian Hiragana Katakana Bopomofo Han Yi
Old_Italic Gothic Inherited Common Coptic Braille Linear_B Han Balinese Nko Adlam Toto Vithkuqi
Alphabetic Lowercase Uppercase White_Space Dash Diacritic Emoji Emoji_Presentation Emoji_Modifier Extended_Pictographic Extender
Hex_Digit ASCII_Hex_Digit ID_Start ID_Continue XID_Start XID_Continue Ideographic Unified_Ideograph Math Quotation_Mark
Join_Control Variation_Selector Default_Ignorable_Code_Point Case_Ignorable Cased Grapheme_Extend Grapheme_Base Sentence_Terminal
Terminal_Punctuation Regional_Indicator Noncharacter_Code_Point Pattern_White_Space Radical Soft_Dotted
Alnum Alpha Ascii Blank Cntrl Digit Graph Lower Print Punct Space Upper Word XDigit XPosixPunct
In_Basic_Latin InCJK_Unified_Ideographs In_Cyrillic Age=6.0 Script=Greek sc=Grek Grek Hira letter""".split()
BRACKETS = "alnum alpha ascii blank cntrl digit graph lower print punct space upper word xdigit".split()

SCRIPTS = [(0x20, 0x7e), (0x20, 0x7e), (0x20, 0x7e), (0x61, 0x7a), (0x61, 0x64), (0x30, 0x39), (0xa0, 0x24f), (0x2b0, 0x36f), (0x370, 0x52f),
           (0x590, 0x6ff), (0x900, 0x97f), (0xe00, 0xe7f), (0x1e00, 0x1fff), (0x2000, 0x20cf), (0x2100, 0x2bff), (0x3000, 0x30ff),
           (0x4e00, 0x4eff), (0xac00, 0xacff), (0xfb00, 0xfb1d), (0xfe00, 0xfeff), (0xff00, 0xffef), (0x1d400, 0x1d7ff), (0x1f1e6, 0x1f1ff),
           (0x1f300, 0x1f6ff), (0xe000, 0xe010)]
PIECES = ["'s", "'LL", "don't", "  ", "   ", "\n", "\r\n", "\n\n", "\t", " ", " ", " ", "\u00a0", "\u3000", "\u2028", "\u0085", "\u200b", "\u180e", "\u200d",
          "a", "b", "c", "ab", "abc", "x", "aB", "HEllo", "word", "Word", " the", "ſ", "ß", "İ", "ı", "Σςσ", "ﬁ", "K", "Å", "ẞ", "ŉ", "ΐ", "12345", "1,234.5", "²", "½", "Ⅷ",
          "٣", "...", "!?", "_", "-", "$", "+", "^", "|", "`", "(", ")", "[", "]", "é", "e\u0301", "中文", "。", "カナ", "한국", "👍🏽", "👩‍🔬", "🇩🇪", "\x00", "\x1b", "\x7f"]


def random_text(rng, size):
    parts = []
    for _ in range(rng.randint(0, size)):
        kind = rng.random()
        if kind < 0.6:
            parts.append(rng.choice(PIECES))
        elif kind < 0.95:
            first, last = rng.choice(SCRIPTS)
            parts.append("".join(chr(rng.randint(first, last)) for _ in range(rng.randint(1, 6))))
        else:
            parts.append(chr(rng.choice([rng.randint(0, 0xd7ff), rng.randint(0xe000, 0xffff), rng.randint(0x10000, 0x10ffff)])))
    return "".join(parts).replace("\0", "").replace(MARK, "")


def is_old(text):
    """All of it in Unicode 14, whose tables are Python 3.11's."""
    return all(unicodedata.category(c) != "Cn" for c in text)


class Patterns:
    """Random patterns: what people write in tokenizer.json, and some that nobody does."""

    def __init__(self, rng):
        self.rng = rng

    def property(self):
        rng = self.rng
        name = rng.choice(["L", "N", "P", "S", "M", "Z", "Lu", "Ll", "Lo", "Nd", "Pd", "Sc", "Zs", "Han", "Latin", "Hiragana", "Greek",
                           "Cyrillic", "Alpha", "Digit", "Space", "Word", "Punct", "Letter", "Alphabetic", "Emoji"])
        hat = "^" if rng.random() < 0.1 else ""
        return rng.choice("ppppP") + "{" + hat + name + "}"

    def escape(self):
        return "\\" + self.rng.choice(["s", "S", "w", "W", "d", "D", "h", "H", "r", "n", "t", self.property(), self.property(), self.property()])

    def literal(self):
        return self.rng.choice(["a", "b", "c", "A", "x", "'", " ", " ", "é", "ß", "中", "1", "_", "-", "\\.", "\\$", "\\u0301", "\\x{3002}", "\\x41",
                                "k", "ſ", "ﬁ", "Σ", "\\n", "İ", "\\|", ",", "=", "\\^", "#", "\\]"])

    def in_class(self, depth):
        rng = self.rng
        kind = rng.random()
        if kind < 0.35:
            return self.escape()
        if kind < 0.55:
            return self.literal()
        if kind < 0.75:
            return rng.choice(["a-z", "A-Z", "0-9", "À-ÿ", "一-龥", "\\u3040-\\u30ff", "!-/", "\\x21-\\x2f", ".-", "α-ω"])
        if kind < 0.85:
            return "[:" + rng.choice(["", "", "^"]) + rng.choice(BRACKETS) + ":]"
        if kind < 0.93 and depth < 2:
            return self.set(depth + 1)
        if kind < 0.97 and depth < 2:
            return "&&" + self.set(depth + 1)
        return rng.choice(["$", "+", "|", ".", "(", ")", "*", "?", "^", "&", "\\-", "\\\\", "{", "}"])

    def set(self, depth=0):
        return "[" + self.rng.choice(["", "", "^"]) + "".join(self.in_class(depth) for _ in range(self.rng.randint(1, 4))) + "]"

    def atom(self, depth):
        rng = self.rng
        kind = rng.random()
        if kind < 0.3:
            return self.escape()
        if kind < 0.55:
            return self.literal()
        if kind < 0.75:
            return self.set()
        if kind < 0.8:
            return rng.choice([".", "^", "$", "\\b", "\\B", "\\A", "\\z", "\\Z", "\\G", "\\R", "\\X"])
        if depth > 2:
            return self.literal()
        inner = self.alternatives(depth + 1)
        return rng.choice(["(", "(?:", "(?:", "(?i:", "(?m:", "(?>", "(?=", "(?!", "(?!", "(?<=", "(?<!"]) + inner + ")"

    def quantified(self, depth):
        rng = self.rng
        atom = self.atom(depth)
        if rng.random() < 0.55:
            return atom
        return atom + rng.choice(["?", "+", "*", "+", "?", "{1,3}", "{2}", "{2,}", "{,2}", "{0,2}", "+?", "*?", "??", "{1,2}?", "{2}?", "++", "?+", "*+",
                                  "{1,3}+", "{2}+", "+*", "?*", "{2}{2}"])

    def alternatives(self, depth=0):
        rng = self.rng
        return "|".join("".join(self.quantified(depth) for _ in range(rng.randint(1, 3))) for _ in range(rng.choice([1, 1, 2, 2, 3, 4])))

    def pattern(self):
        found = self.alternatives()
        return ("(?i)" if self.rng.random() < 0.06 else "") + found


FAULTS = ["(", ")", "[", "]", "{", "}", "\\", "*", "+", "?", "|", "(?", "(?<", "(?P<n>", "[:", "[[:foo:]]", "\\p{", "\\p{Nope}", "\\x{", "\\x{110000}",
          "\\u12", "\\1", "\\k<n>", "\\g<0>", "\\g<n>", "(?<n>a)", "(?R)", "(?#", "(?~a)", "(?{a})", "(*FAIL)", "&&", "{1", "{3,1}", "{99999999}", "(?z)", "(?i",
          "(?x) a #b", "\\Q", "\\E", "\\K", "\\C", "\\N", "\\O", "\\y", "\\Y", "\\cA", "\\M-a", "\\C-a", "\\012", "\\o{101}", "(?(1)a|b)", "(?~|a|b)", "(?y{g})\\X", "(?W:\\w)",
          "\\pL", "\\p{^L}", "\\p{l_u}", "\\p{ lu }", "\\p{gc=Lu}", "[a-\\d]", "[z-a]", "[\\d-z]", "[]", "[^]", "[]a]", "[a&&]", "[&&a]", "(?<=a+)", "(?<!a|bc)", "(?<=(?=a)b)"]


def faulty(rng, patterns):
    pattern = patterns.pattern()
    for _ in range(rng.randint(1, 2)):
        at = rng.randint(0, len(pattern))
        if rng.random() < 0.3 and pattern:
            pattern = pattern[:at] + pattern[at + 1:]
        else:
            pattern = pattern[:at] + rng.choice(FAULTS) + pattern[at:]
    return pattern


def library(pattern, text):
    """The text with a mark for each match; None where the library refuses the pattern or gives up."""
    try:
        return normalizers.Replace(tokenizers.Regex(pattern), MARK).normalize_str(text)
    except BaseException as error:  # the library panics where matching meets a limit
        if isinstance(error, KeyboardInterrupt):
            raise
        return None


def ours(program, pairs):
    blob = b"".join(pattern.encode() + b"\0" + text.encode() + b"\0" for pattern, text in pairs)
    lines = subprocess.run([program, "matches", "-"], input=blob, stdout=subprocess.PIPE, check=True).stdout.decode().split("\n")[:-1]
    assert len(lines) == len(pairs), f"{len(lines)} lines for {len(pairs)} pairs"
    for (_, text), line in zip(pairs, lines):
        if line.startswith("pattern: "):
            yield None, line
            continue
        numbers = [int(number) for number in line.split()]
        raw, parts, position = text.encode(), [], 0
        for begin, end in zip(numbers[::2], numbers[1::2]):
            parts += [raw[position:begin], MARK.encode()]
            position = end
        yield b"".join(parts + [raw[position:]]).decode(), line


def compare(name, program, pairs, quiet):
    """Prints how many differ: with old characters, with new ones, and where only one of the two answers."""
    counts = collections.Counter()
    shown = 0
    for (pattern, text), (found, line) in zip(pairs, ours(program, pairs)):
        expected = library(pattern, text)
        age = "" if is_old(text) else " with characters after Unicode 14"
        counts["cases" + age] += 1
        if expected == found:
            counts["both refuse"] += expected is None
            continue
        kind = ("only the library answers" if found is None else "only Headscope answers" if expected is None else "differ") + age
        counts[kind] += 1
        if not quiet and shown < 40 and not age:
            shown += 1
            print(f"  {kind}: {pattern!r} on {text[:200]!r}\n    expected {expected!r:.300}\n    found    {found!r:.300} {line if found is None else ''}")
    print(f"{name}: " + ", ".join(f"{key} {value}" for key, value in sorted(counts.items())), flush=True)
    return sum(value for key, value in counts.items() if key in ("differ", "only the library answers", "only Headscope answers"))


def classes():
    patterns = [rf"\{letter}{{{name}}}" for name in PROPERTIES for letter in "pP"] + [rf"[\p{{{name}}}]" for name in PROPERTIES]
    patterns += [rf"[[:{hat}{name}:]]" for name in BRACKETS for hat in ("", "^")]
    patterns += [rf"\{letter}" for letter in "swdhSWDHRXNO"] + [rf"[\{letter}]" for letter in "swdhSWDH"] + [rf"[^\{letter}]" for letter in "swdhSWDH"]
    patterns += [".", "(?m).", r"\b", r"(?i)[a-z]", r"(?i)k", r"(?i)s", r"(?i)ss", r"(?i)\u00e9", r"(?i)[^k]", r"(?i)\p{Lu}", r"(?i)[[:upper:]]", r"(?i)[\u1e9e]", r"(?i)i", r"(?i)ﬁ", r"(?i)ʼn"]
    return patterns


def sweep_classes(program, quiet):
    """Every class on every character outside the large blocks of one kind, each between two line feeds."""
    bulk = [(0x3400, 0x4dbf), (0x4e00, 0x9fff), (0xac00, 0xd7a3), (0xd800, 0xdfff), (0xe000, 0xf8ff), (0x17000, 0x18cd5), (0x20000, 0x10ffff)]
    every = [chr(c) for c in range(1, 0x110000)
             if not any(first <= c <= last for first, last in bulk) or (c % 997 == 0 and not 0xd800 <= c < 0xe000)]
    old = [c for c in every if unicodedata.category(c) != "Cn"]
    new = [c for c in every if unicodedata.category(c) == "Cn"]
    wrong = 0
    counts = collections.Counter()
    for pattern in classes():
        for age, characters in (("old", old), ("new", new)):
            text = "\n".join(characters)
            expected = library(pattern, text)
            found = next(ours(program, [(pattern, text)]))[0]
            counts[f"patterns on {age} characters"] += 1
            if expected is None or found is None:
                if (expected is None) != (found is None):
                    counts["only the library answers" if found is None else "only Headscope answers"] += 1
                    wrong += 1
                    if not quiet:
                        print(f"  {'only the library answers' if found is None else 'only Headscope answers'}: {pattern!r}")
                continue
            if expected != found:
                one_each = len(expected) == len(found) == len(text)  # a character for each, a mark or itself
                different = [c for c, a, b in zip(text, expected, found) if a != b] if one_each else ["?"]
                counts[f"differ on {age} characters"] += 1
                counts[f"{age} characters that differ"] += len(different)
                wrong += age == "old"
                if not quiet:
                    print(f"  differ on {age} characters: {pattern!r}: {len(different)}, such as {[hex(ord(c)) for c in different[:8]]}")
    print("classes: " + ", ".join(f"{key} {value}" for key, value in sorted(counts.items())), flush=True)
    return wrong


def main():
    options = dict(option[2:].partition("=")[::2] for option in sys.argv[1:] if option.startswith("--"))
    arguments = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    if len(arguments) != 1:
        sys.exit(__doc__)
    program, quiet = arguments[0], "quiet" in options
    rng = random.Random(int(options.get("seed", 1)))
    count = int(options.get("count", 20000))
    patterns = Patterns(rng)
    wrong = compare("published patterns", program, [(pattern, random_text(rng, 60)) for pattern in PUBLISHED for _ in range(count // 50)], quiet)
    wrong += compare("random patterns", program, [(patterns.pattern(), random_text(rng, 30)) for _ in range(count)], quiet)
    wrong += compare("faulty patterns", program, [(faulty(rng, patterns), random_text(rng, 20)) for _ in range(count // 2)], quiet)
    wrong += sweep_classes(program, quiet)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
