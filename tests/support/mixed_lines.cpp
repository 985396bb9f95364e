#include "tests/support/mixed_lines.h"

#include <array>
#include <random>
#include <span>
#include <string_view>
#include <utility>

namespace headscope {
namespace {

constexpr std::string_view kSentences[] = {
    "The keys to the cabinet are on the table.",
    "When Mary and John went to the store, John gave a drink to Mary.",
    "She said she'd've gone, but they weren't ready (yet)!",
    "It's 3.14159, not 22/7; that is about 0.04% off, i.e. 12,345,678 parts in 10^10.",
    "an unbelievably long-winded, half-baked re-examination of pseudo-Victorian misattributions",
    "Dr. O'Neil's e-mail: o.neil@example.org -- see https://example.org/a_b?c=d&e=%20#f",
    "Die Straßenbahn fährt um halb fünf über die Brücke nach Köln-Süd.",
    "Größere Übungsgeräte für Äpfel- und Öltests, Donaudampfschifffahrtsgesellschaft!",
    "»Warum«, fragte er, „weißt du das nicht?“ – ‚Weil es naïve Café-Träume sind.‘",
    "我们昨天在图书馆读了一本关于语言模型的书。",
    "注意力头看向前一个词，然后看向句号。「真的吗？」",
    "東京タワーは高さ333メートルです。ﾊﾝｶｸ文字とｱｲｳ。",
    "한국어 문장은 띄어쓰기가 있습니다.",
    "ذهب الولد إلى المدرسة، ثم عاد إلى البيت.",
    "اَلْعَرَبِيَّةُ لُغَةٌ جَمِيلَةٌ ١٢٣",
    "बच्चे स्कूल जाते हैं और क्षमा माँगते हैं।",
    "हिन्दी में १२३ अंक और श्रीमती ज्ञान।",
    "שלום עולם, מה שלומך היום?",
    "Кошка сидит на окне; Ёлка стоит в углу.",
    "Ο Σωκράτης έφυγε νωρίς ΣΊΣΥΦΟΣ.",
    "สวัสดีชาวโลก การทดสอบ",
    "Việt Nam đất nước tôi; Tiếng Việt có dấu.",
    "İstanbul'da ıssız bir gün, ǆungla Ǆ ǅ ß ẞ ﬁ ﬂ ﬃ",
    "for (int i = 0; i < n; ++i) { sum += a[i] * b[i]; }  // dot",
    "def f(x):\n    return {k: v for k, v in x.items() if v is not None}\n",
    "if (a && !b || c == 0x1F) {\r\n\t\tprintf(\"%d\\n\", *p->q);\r\n}",
    "SELECT * FROM heads WHERE layer>=5 AND score<>'n/a';",
    "<div class=\"map\">&nbsp;<b>L5H1</b></div>",
    "👩‍🔬👨‍👩‍👧‍👦 🇩🇪🇯🇵 👍🏽 "
    "❤️ 🤷🏿‍♀️ ☃︎ ⌚",
    "e\u0301 a\u0308\u0323 n\u0303 \u1E9B\u0323 \u212B \u2126 \uFB01 \u2460 \u00BD \u2167 \u3392",
    "100 % 1 000 000 §5 ©®™ €9.99 £1 ¥500 №7 ½ ¾ x² H₂O 10⁻³",
    "\u201CQuotes\u201D \u2018and\u2019 dashes \u2014 \u2013 \u2026 "
    "\u00AB ok \u00BB \u3001\u3002\uFF01\uFF1F",
    "ΑΒΓ абв 𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𝒷𝒹 ＦＵＬＬｗｉｄｔｈ １２３",
};

constexpr std::string_view kOdd[] = {
    " ",      "  ",     "\t",     "\n",      "\r\n", "\u00A0",     "\u3000", "\u200B",
    "\u200D", "\u2028", "\uFEFF", "\u00AD",  "\x01", "\x0B",       "\x7F",   "\u0085",
    "\u202E", "\uFFFD", "...",    "'",       "''",   "\"",         "_",      "__",
    "-",      "/",      "\\",     "▁",       "▁▁",   "Ġ",          "##",     "'s",
    "'LL",    "0",      "00",     "1234567", "a",    "I",          "the",    "ing",
    "é",      "ß",      "中",     "あ",      "ア",   "\U0001F600", "\u0301", "\u094D",
    "\u064B", "\u20DD", "\uE000", "ﷺ",       "Å",    "\U000E0041",
};

constexpr std::pair<char32_t, char32_t> kBlocks[] = {
    {0x20, 0x7E},     {0x20, 0x7E},     {0xA1, 0x17F},      {0x370, 0x3FF},     {0x400, 0x45F},
    {0x5D0, 0x5EA},   {0x621, 0x64A},   {0x905, 0x939},     {0xE01, 0xE30},     {0x1E00, 0x1EF9},
    {0x2010, 0x2027}, {0x2190, 0x22FF}, {0x2460, 0x24FF},   {0x3041, 0x30FA},   {0x4E00, 0x9FA5},
    {0xAC00, 0xD7A3}, {0xFF01, 0xFF9D}, {0x1F300, 0x1F5FF}, {0x1D400, 0x1D454},
};

class Writer {
 public:
  explicit Writer(std::uint64_t seed) : random_(seed) {}

  std::string Line() {
    std::string line;
    const std::size_t num_parts = 1 + Draw(6);
    for (std::size_t i = 0; i < num_parts; ++i) {
      AddPart(line);
      if (Draw(3) != 0) {
        line += ' ';
      }
    }
    return line;
  }

 private:
  // From 0 to below `count`.
  std::size_t Draw(std::size_t count) { return static_cast<std::size_t>(random_() % count); }

  std::string_view Pick(std::span<const std::string_view> texts) {
    return texts[Draw(texts.size())];
  }

  void AddPart(std::string& line) {
    switch (Draw(10)) {
      case 0:
        for (std::size_t i = 0; i < 6; ++i) {
          line += Pick(kOdd);
        }
        break;
      case 1:
        line.append(Draw(40) == 0 ? 1000 : 1 + Draw(40), ' ');
        break;
      case 2:
        AddRepeated(line);
        break;
      case 3:
        AddCharacters(line);
        break;
      case 4:
        AddPiece(line);
        break;
      default:
        line += Pick(kSentences);
        break;
    }
  }

  void AddRepeated(std::string& line) {
    const std::string_view text = Pick(kOdd);
    const std::size_t count = 2 + Draw(20);
    for (std::size_t i = 0; i < count; ++i) {
      line += text;
    }
  }

  // Part of a sentence, cut between characters.
  void AddPiece(std::string& line) {
    std::string_view text = Pick(kSentences);
    const auto is_inside = [&](std::size_t at) {
      return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
    };
    std::size_t begin = Draw(text.size());
    while (is_inside(begin)) {
      ++begin;
    }
    std::size_t end = begin + Draw(12);
    while (is_inside(end)) {
      ++end;
    }
    line += text.substr(begin, end - begin);
  }

  void AddCharacters(std::string& line) {
    const auto& [first, last] = kBlocks[Draw(std::size(kBlocks))];
    const std::size_t count = 1 + Draw(12);
    for (std::size_t i = 0; i < count; ++i) {
      Append(line, first + static_cast<char32_t>(Draw(last - first + 1)));
    }
  }

  static void Append(std::string& line, char32_t c) {
    const auto add = [&](char32_t bits) { line += static_cast<char>(bits); };
    if (c < 0x80) {
      add(c);
    } else if (c < 0x800) {
      add(0xC0 | (c >> 6U));
      add(0x80 | (c & 0x3FU));
    } else if (c < 0x10000) {
      add(0xE0 | (c >> 12U));
      add(0x80 | ((c >> 6U) & 0x3FU));
      add(0x80 | (c & 0x3FU));
    } else {
      add(0xF0 | (c >> 18U));
      add(0x80 | ((c >> 12U) & 0x3FU));
      add(0x80 | ((c >> 6U) & 0x3FU));
      add(0x80 | (c & 0x3FU));
    }
  }

  std::mt19937_64 random_;
};

}  // namespace

std::vector<std::string> MixedLines(std::size_t count, std::uint64_t seed) {
  Writer writer(seed);
  std::vector<std::string> lines;
  while (lines.size() < count) {
    lines.push_back(writer.Line());
  }
  return lines;
}

}  // namespace headscope
