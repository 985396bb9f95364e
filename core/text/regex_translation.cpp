#include "core/text/regex_translation.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <unicode/uchar.h>

namespace headscope::text {
namespace {

constexpr int kMaxNesting = 100;
constexpr std::string_view kNothing = "(?!)";

// Items of a class of PCRE2.
constexpr std::string_view kSpace = "\\p{Z}\\x09-\\x0d\\x85";
constexpr std::string_view kWord = "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}";
constexpr std::string_view kWordAlone =
    "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\xb2\\xb3\\xb9\\xbc-\\xbe";
constexpr std::string_view kHexDigit = "0-9a-fA-F";

struct NamedSet {
  std::string_view name;
  std::string_view items;
};

// Where PCRE2's own differ: its \s has U+180E, which Unicode took out of White_Space; its \w lacks
// marks and joining punctuation; its [:alpha:] is \p{L}.
constexpr NamedSet kNamedSets[] = {
    {"alnum", "\\p{Alphabetic}\\p{Nd}"},
    {"alpha", "\\p{Alphabetic}"},
    {"ascii", "\\x00-\\x7f"},
    {"assigned", "\\P{Cn}"},
    {"blank", "\\p{Zs}\\t"},
    {"cntrl", "\\p{Cc}"},
    {"digit", "\\p{Nd}"},
    {"graph", "\\p{L}\\p{M}\\p{N}\\p{P}\\p{S}\\p{Cf}\\p{Co}"},
    {"lower", "\\p{Lowercase}"},
    {"print", "\\p{L}\\p{M}\\p{N}\\p{P}\\p{S}\\p{Cf}\\p{Co}\\p{Zs}"},
    {"punct", "\\p{P}\\p{S}"},
    {"space", kSpace},
    {"upper", "\\p{Uppercase}"},
    {"word", kWord},
    {"xdigit", kHexDigit},
};

std::optional<std::string_view> ItemsOf(std::string_view name) {
  const auto* found =
      std::ranges::find_if(kNamedSets, [&](const NamedSet& set) { return set.name == name; });
  return found == std::end(kNamedSets) ? std::nullopt : std::optional(found->items);
}

// The name of a general category or a script as PCRE2 has it, where it is one: PCRE2 knows the
// former by its short name only, and takes a bare script for its extensions.
std::optional<std::string> PropertyOfPcre(const std::string& name) {
  const auto value_of = [&](UProperty property) {
    return u_getPropertyValueEnum(property, name.c_str());
  };
  if (const int mask = value_of(UCHAR_GENERAL_CATEGORY_MASK); mask != UCHAR_INVALID_CODE) {
    return u_getPropertyValueName(UCHAR_GENERAL_CATEGORY_MASK, mask, U_SHORT_PROPERTY_NAME);
  }
  if (const int script = value_of(UCHAR_SCRIPT); script != UCHAR_INVALID_CODE) {
    return fmt::format("sc:{}", u_getPropertyValueName(UCHAR_SCRIPT, script, U_LONG_PROPERTY_NAME));
  }
  return std::nullopt;
}

std::string Class(std::string_view items, bool negated) {
  return fmt::format("[{}{}]", negated ? "^" : "", items);
}

auto NoTranslation(std::string_view what) {
  return Fail(ErrorCode::kUnsupported, std::string(what));
}

// An escape, or a part of a class: items of a class, or (not empty) an expression of its own.
struct Escape {
  std::string items;
  std::string expression;
};

class Translator {
 public:
  explicit Translator(std::string_view pattern) : pattern_(pattern) {}

  Result<std::string> Run() {
    while (at_ < pattern_.size()) {
      HEADSCOPE_TRY(Step());
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool Sees(std::string_view text) const {
    return pattern_.substr(at_).starts_with(text);
  }

  Status Step() {
    const std::size_t begin = out_.size();
    const char c = pattern_[at_];
    if (c == '\\') {
      Result<Escape> escape = ParseEscape(false);
      HEADSCOPE_TRY(escape);
      out_ += escape->expression.empty() ? escape->items : escape->expression;
    } else if (c == '[') {
      ++at_;
      const Result<std::string> set = ParseClass(0);
      HEADSCOPE_TRY(set);
      out_ += *set;
    } else if (c == '(') {
      return OpenGroup();
    } else if (c == ')') {
      atom_ = groups_.empty() ? begin : groups_.back();
      if (!groups_.empty()) {
        groups_.pop_back();
      }
      Take(1);
      return {};
    } else if (c == '{') {
      return Repeat();
    } else if (c == '*' || c == '+' || c == '?' || c == '|') {
      Take(1);
      return {};
    } else {
      Take(1);
      while (at_ < pattern_.size() && (static_cast<unsigned char>(pattern_[at_]) & 0xC0U) == 0x80) {
        Take(1);
      }
    }
    atom_ = begin;
    return {};
  }

  void Take(std::size_t count) {
    out_ += pattern_.substr(at_, count);
    at_ = std::min(at_ + count, pattern_.size());
  }

  // Ruby's m is PCRE2's s; its ^ and $ are always at lines, its s is no option.
  Status OpenGroup() {
    groups_.push_back(out_.size());
    if (Sees("(?#")) {
      groups_.pop_back();
      at_ = std::min(pattern_.find(')', at_), pattern_.size() - 1) + 1;
      return {};
    }
    if (Sees("(?~")) {
      return NoTranslation("(?~");
    }
    Take(1);
    if (!Sees("?")) {
      return {};
    }
    const std::size_t end = pattern_.find_first_not_of("imx-", at_ + 1);
    if (end == std::string_view::npos || (pattern_[end] != ':' && pattern_[end] != ')')) {
      return {};  // a look-around, a name, or what PCRE2 will refuse
    }
    while (at_ < end) {
      out_ += pattern_[at_] == 'm' ? 's' : pattern_[at_];
      ++at_;
    }
    return {};
  }

  // {n}? and {n,m}+ repeat the repetition: in Ruby the first is not lazy, the second not
  // possessive.
  Status Repeat() {
    const std::size_t end = pattern_.find('}', at_);
    const std::string_view inside =
        end == std::string_view::npos ? "" : pattern_.substr(at_ + 1, end - at_ - 1);
    const std::size_t comma = inside.find(',');
    const bool is_interval = !inside.empty() && inside != "," &&
                             inside.find_first_not_of("0123456789,") == std::string_view::npos &&
                             comma == inside.rfind(',');
    if (!is_interval) {
      atom_ = out_.size();
      out_ += "\\{";
      ++at_;
      return {};
    }
    out_ += fmt::format("{{{}{}}}", comma == 0 ? "0" : "", inside);
    at_ = end + 1;
    if (Sees("+") || (Sees("?") && comma == std::string_view::npos)) {
      out_.insert(atom_, "(?:");
      out_ += ')';
      Take(1);
    }
    return {};
  }

  Result<Escape> ParseEscape(bool in_class) {
    if (at_ + 1 >= pattern_.size()) {
      return NoTranslation("a backslash at the end");
    }
    const char c = pattern_[at_ + 1];
    at_ += 2;
    switch (c) {
      case 's':
      case 'S':
        return OfItems(kSpace, in_class, c == 'S');
      case 'w':
      case 'W':
        return OfItems(in_class ? kWord : kWordAlone, in_class, c == 'W');
      case 'h':
      case 'H':
        return OfItems(kHexDigit, in_class, c == 'H');
      case 'p':
      case 'P':
        return Property(in_class, c == 'P');
      case 'v':
        return Escape{"\\x0b", ""};
      case 'u':
        return CodePoint();
      case 'Q':
      case 'E':
        return Escape{std::string(1, c), ""};
      case 'b':
      case 'B':
        if (in_class) {
          break;
        }
        return Escape{"", WordLimit(c == 'B')};
      default:
        break;
    }
    return Escape{std::string{'\\', c}, ""};
  }

  static Escape OfItems(std::string_view items, bool in_class, bool negated) {
    return negated || !in_class ? Escape{"", Class(items, negated)}
                                : Escape{std::string(items), ""};
  }

  static std::string WordLimit(bool negated) {
    return fmt::format("(?:(?<=[{0}])(?{1}[{0}])|(?<![{0}])(?{2}[{0}]))",
                       kWordAlone,
                       negated ? "=" : "!",
                       negated ? "!" : "=");
  }

  Result<Escape> Property(bool in_class, bool negated) {
    const std::size_t end = pattern_.find('}', at_);
    if (!Sees("{") || end == std::string_view::npos) {
      return Escape{negated ? "\\P" : "\\p", ""};
    }
    std::string name;
    for (const char c : pattern_.substr(at_ + 1, end - at_ - 1)) {
      if (c == '^' && name.empty()) {
        negated = !negated;
      } else if (c != ' ' && c != '_' && c != '-') {
        name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      }
    }
    at_ = end + 1;
    std::optional<std::string> property = PropertyOfPcre(name);
    const std::optional<std::string_view> items =
        name == "word" && !in_class ? kWordAlone : ItemsOf(name);
    if (!property && items) {
      return OfItems(*items, in_class, negated);
    }
    return Escape{fmt::format("\\{}{{{}}}", negated ? 'P' : 'p', property.value_or(name)), ""};
  }

  Result<Escape> CodePoint() {
    const std::string_view digits = pattern_.substr(at_, 4);
    if (digits.size() != 4 ||
        !std::ranges::all_of(digits, [](unsigned char c) { return std::isxdigit(c) != 0; })) {
      return NoTranslation("\\u without four hexadecimal digits");
    }
    at_ += 4;
    return Escape{fmt::format("\\x{{{}}}", digits), ""};
  }

  // After its opening bracket: an expression that matches one character.
  Result<std::string> ParseClass(int nesting) {
    if (nesting >= kMaxNesting) {
      return NoTranslation("classes within classes, too deep");
    }
    const bool negated = Sees("^");
    at_ += negated ? 1 : 0;
    std::vector<std::string> required;  // what stands left of each &&
    std::string items;
    std::vector<std::string> others;
    if (Sees("]")) {  // a bracket that comes first is a plain one
      items = "\\]";
      ++at_;
    }
    while (!Sees("]")) {
      if (at_ >= pattern_.size()) {
        return NoTranslation("a class without its end");
      }
      if (Sees("&&")) {
        at_ += 2;
        required.push_back(AnyOf(std::exchange(items, {}), std::exchange(others, {}), false));
        continue;
      }
      Result<Escape> part = ParseInClass(nesting);
      HEADSCOPE_TRY(part);
      items += part->items;
      if (!part->expression.empty()) {
        others.push_back(std::move(part->expression));
      }
    }
    ++at_;
    if (required.empty()) {
      return AnyOf(items, others, negated);
    }
    std::string all = AnyOf(items, others, false);
    for (const std::string& part : required) {
      all = fmt::format("(?={}){}", part, all);
    }
    return negated ? Not(all) : fmt::format("(?:{})", all);
  }

  Result<Escape> ParseInClass(int nesting) {
    const std::size_t named_end = Sees("[:") ? pattern_.find(":]", at_) : std::string_view::npos;
    if (named_end != std::string_view::npos) {
      return NamedClass(named_end);
    }
    if (Sees("[")) {
      ++at_;
      Result<std::string> inner = ParseClass(nesting + 1);
      HEADSCOPE_TRY(inner);
      return Escape{"", std::move(*inner)};
    }
    if (Sees("\\")) {
      return ParseEscape(true);
    }
    const char c = pattern_[at_++];
    return Escape{c == '^' ? "\\^" : std::string(1, c), ""};
  }

  Escape NamedClass(std::size_t end) {
    std::string_view name = pattern_.substr(at_ + 2, end - at_ - 2);
    at_ = end + 2;
    const bool negated = name.starts_with('^');
    name.remove_prefix(negated ? 1 : 0);
    const std::optional<std::string_view> known = ItemsOf(name);
    return known ? OfItems(*known, true, negated)
                 : Escape{fmt::format("[:{}{}:]", negated ? "^" : "", name), ""};
  }

  static std::string Not(std::string_view one) { return fmt::format("(?:(?!{})(?s:.))", one); }

  static std::string AnyOf(const std::string& items,
                           const std::vector<std::string>& others,
                           bool negated) {
    if (others.empty()) {
      return items.empty() ? (negated ? Not(kNothing) : std::string(kNothing))
                           : Class(items, negated);
    }
    std::string any = items.empty() ? "" : Class(items, false);
    for (const std::string& other : others) {
      any += (any.empty() ? "" : "|") + other;
    }
    any = fmt::format("(?:{})", any);
    return negated ? Not(any) : any;
  }

  std::string_view pattern_;
  std::size_t at_ = 0;
  std::string out_;
  std::size_t atom_ = 0;             // where the last atom begins in out_
  std::vector<std::size_t> groups_;  // where the open groups begin there
};

}  // namespace

Result<std::string> ToPcre(std::string_view pattern) {
  return Translator(pattern).Run();
}

}  // namespace headscope::text
