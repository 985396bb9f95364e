#include "core/io/pickle.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "core/base/quote.h"

namespace headscope {
namespace {

using Kind = PickleValue::Kind;

class Reader {
 public:
  Reader(std::span<const std::byte> bytes,
         std::span<const std::string_view> names,
         const std::string& file)
      : bytes_(bytes), names_(names), file_(file) {}

  Result<Pickle> Run() {
    while (true) {
      const std::size_t at = at_;
      HEADSCOPE_TRY(const auto code, Number<std::uint8_t>());
      if (code == '.') {
        HEADSCOPE_TRY(made_.root, Pop());
        made_.bytes = at_;
        return std::move(made_);
      }
      HEADSCOPE_TRY(Step(code, at));
      if (std::max({made_.values.size(), stack_.size(), memo_.size()}) > kMostPickleValues) {
        return Fail(ErrorCode::kUnsupported,
                    fmt::format("{}: its pickle holds more than {} values, more than any model's",
                                file_,
                                kMostPickleValues));
      }
    }
  }

 private:
  tl::unexpected<Error> Bad(std::string_view what) const {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: its pickle {} at byte {}; is the file whole?", file_, what, at_));
  }

  Result<std::string_view> Take(std::uint64_t count) {
    if (count > bytes_.size() - at_) {
      return Bad("ends too early");
    }
    const std::string_view taken(reinterpret_cast<const char*>(bytes_.data()) + at_, count);
    at_ += count;
    return taken;
  }
  template <typename Type>
  Result<Type> Number() {
    HEADSCOPE_TRY(const auto taken, Take(sizeof(Type)));
    Type number{};
    std::memcpy(&number, taken.data(), sizeof(Type));
    return number;
  }
  Result<std::string_view> Line() {
    const auto* first = reinterpret_cast<const char*>(bytes_.data()) + at_;
    const auto* end = static_cast<const char*>(std::memchr(first, '\n', bytes_.size() - at_));
    if (end == nullptr) {
      return Bad("ends too early");
    }
    at_ += static_cast<std::size_t>(end - first) + 1;
    return std::string_view(first, static_cast<std::size_t>(end - first));
  }

  Status Push(PickleValue value) {
    made_.values.push_back(std::move(value));
    stack_.push_back(made_.values.size() - 1);
    return {};
  }
  Status PushInteger(std::int64_t integer) {
    return Push({.kind = Kind::kInteger, .integer = integer});
  }
  Result<std::size_t> Pop() {
    if (stack_.size() <= (marks_.empty() ? 0 : marks_.back())) {
      return Bad("takes a value that is not there");
    }
    const std::size_t value = stack_.back();
    stack_.pop_back();
    return value;
  }
  // Takes everything since the last mark.
  Result<std::vector<std::size_t>> PopToMark() {
    if (marks_.empty()) {
      return Bad("looks for a mark that is not there");
    }
    const auto first = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
    std::vector<std::size_t> items(first, stack_.end());
    stack_.erase(first, stack_.end());
    marks_.pop_back();
    return items;
  }
  Status PushTuple(std::size_t count) {
    PickleValue tuple{.kind = Kind::kTuple};
    for (std::size_t i = 0; i < count; ++i) {
      HEADSCOPE_TRY(const auto item, Pop());
      tuple.items.push_back(item);
    }
    std::ranges::reverse(tuple.items);
    return Push(std::move(tuple));
  }
  // Adds items to the container on top of the stack.
  Status Extend(const std::vector<std::size_t>& items, Kind kind) {
    if (stack_.empty() || made_.values[stack_.back()].kind != kind ||
        (kind == Kind::kDictionary && items.size() % 2 != 0)) {
      return Bad("adds to something that holds nothing");
    }
    std::vector<std::size_t>& held = made_.values[stack_.back()].items;
    held.insert(held.end(), items.begin(), items.end());
    return {};
  }

  Status PushText(std::uint64_t size, Kind kind = Kind::kText) {
    HEADSCOPE_TRY(const auto text, Take(size));
    return Push({.kind = kind, .text = text});
  }
  template <typename Size>
  Status PushSized(Kind kind) {
    HEADSCOPE_TRY(const auto size, Number<Size>());
    return PushText(size, kind);
  }

  Status PushName(std::string_view module, std::string_view name) {
    const std::string whole = fmt::format("{} {}", module, name);
    const auto found = std::ranges::find(names_, std::string_view(whole));
    if (found == names_.end()) {
      return Fail(
          ErrorCode::kUnsupported,
          fmt::format("{}: its pickle asks Python for {}, which is not run; expected tensors and "
                      "plain containers alone: save model.state_dict()",
                      file_,
                      Quoted(fmt::format("{}.{}", module, name))));
    }
    return Push({.kind = Kind::kName, .integer = found - names_.begin()});
  }

  Status Call() {
    HEADSCOPE_TRY(const auto arguments, Pop());
    HEADSCOPE_TRY(const auto function, Pop());
    if (made_.values[function].kind != Kind::kName ||
        made_.values[arguments].kind != Kind::kTuple) {
      return Bad("calls something that is no function");
    }
    // An ordered dictionary is one like any other.
    if (names_[static_cast<std::size_t>(made_.values[function].integer)] ==
        "collections OrderedDict") {
      return Push({.kind = Kind::kDictionary});
    }
    PickleValue call{.kind = Kind::kCall, .items = made_.values[arguments].items};
    call.items.insert(call.items.begin(), function);
    return Push(std::move(call));
  }

  Status Recall(std::uint64_t key) {
    const auto found = memo_.find(key);
    if (found == memo_.end()) {
      return Bad("recalls what it did not keep");
    }
    stack_.push_back(found->second);
    return {};
  }
  Status Keep(std::uint64_t key) {
    if (stack_.empty()) {
      return Bad("keeps a value that is not there");
    }
    memo_[key] = stack_.back();
    return {};
  }

  // A whole number of up to eight bytes, the lowest first.
  Status PushLong() {
    HEADSCOPE_TRY(const auto size, Number<std::uint8_t>());
    HEADSCOPE_TRY(const auto digits, Take(size));
    if (size > sizeof(std::int64_t)) {
      return Bad("holds a number of more than 64 bits");
    }
    std::uint64_t number = size > 0 && (static_cast<unsigned char>(digits.back()) & 0x80U) != 0
                               ? ~std::uint64_t{0}
                               : 0;
    for (std::size_t i = size; i-- > 0;) {
      number = (number << 8U) | static_cast<unsigned char>(digits[i]);
    }
    return PushInteger(static_cast<std::int64_t>(number));
  }
  // Eight bytes, the highest first.
  Status PushNumber() {
    HEADSCOPE_TRY(const auto bytes, Take(sizeof(double)));
    std::string turned(bytes.rbegin(), bytes.rend());
    double number = 0.0;
    std::memcpy(&number, turned.data(), sizeof(number));
    return Push({.kind = Kind::kNumber, .number = number});
  }

  Status Step(std::uint8_t code, std::size_t at) {
    switch (code) {
      case 0x80:  // PROTO
        return Take(1).map([](auto) {});
      case 0x95:  // FRAME
        return Take(8).map([](auto) {});
      case '(':
        marks_.push_back(stack_.size());
        return {};
      case '0':
        return Pop().map([](auto) {});
      case '1':
        return PopToMark().map([](const auto&) {});
      case 'N':
        return Push({});
      case 0x88:
      case 0x89:
        return Push({.kind = Kind::kBoolean, .integer = code == 0x88 ? 1 : 0});
      case 'J':
        return Number<std::int32_t>().and_then([&](auto n) { return PushInteger(n); });
      case 'K':
        return Number<std::uint8_t>().and_then([&](auto n) { return PushInteger(n); });
      case 'M':
        return Number<std::uint16_t>().and_then([&](auto n) { return PushInteger(n); });
      case 0x8A:
        return PushLong();
      case 'G':
        return PushNumber();
      case 'X':
      case 'T':
        return PushSized<std::uint32_t>(Kind::kText);
      case 'U':
      case 0x8C:
        return PushSized<std::uint8_t>(Kind::kText);
      case 0x8D:
        return PushSized<std::uint64_t>(Kind::kText);
      case 'B':
        return PushSized<std::uint32_t>(Kind::kBytes);
      case 'C':
        return PushSized<std::uint8_t>(Kind::kBytes);
      case ')':
        return PushTuple(0);
      case 0x85:
      case 0x86:
      case 0x87:
        return PushTuple(code - 0x84U);
      case 't':
      case 'l':
      case 'd': {
        HEADSCOPE_TRY(auto items, PopToMark());
        const Kind kind = code == 't'   ? Kind::kTuple
                          : code == 'l' ? Kind::kList
                                        : Kind::kDictionary;
        return Push({.kind = kind, .items = std::move(items)});
      }
      case ']':
        return Push({.kind = Kind::kList});
      case '}':
        return Push({.kind = Kind::kDictionary});
      case 'a': {
        HEADSCOPE_TRY(const auto item, Pop());
        return Extend({item}, Kind::kList);
      }
      case 'e': {
        HEADSCOPE_TRY(const auto items, PopToMark());
        return Extend(items, Kind::kList);
      }
      case 's': {
        HEADSCOPE_TRY(const auto value, Pop());
        HEADSCOPE_TRY(const auto key, Pop());
        return Extend({key, value}, Kind::kDictionary);
      }
      case 'u': {
        HEADSCOPE_TRY(const auto items, PopToMark());
        return Extend(items, Kind::kDictionary);
      }
      case 'c': {
        HEADSCOPE_TRY(const auto module, Line());
        HEADSCOPE_TRY(const auto name, Line());
        return PushName(module, name);
      }
      case 0x93: {
        HEADSCOPE_TRY(const auto name, Pop());
        HEADSCOPE_TRY(const auto module, Pop());
        return PushName(made_.values[module].text, made_.values[name].text);
      }
      case 'Q': {
        HEADSCOPE_TRY(const auto id, Pop());
        return Push({.kind = Kind::kElsewhere, .items = {id}});
      }
      case 'R':
        return Call();
      case 'b':  // what an object remembers of itself: a dictionary needs none of it
        return Pop().map([](auto) {});
      case 'q':
        return Number<std::uint8_t>().and_then([&](auto key) { return Keep(key); });
      case 'r':
        return Number<std::uint32_t>().and_then([&](auto key) { return Keep(key); });
      case 0x94:
        return Keep(memo_.size());
      case 'h':
        return Number<std::uint8_t>().and_then([&](auto key) { return Recall(key); });
      case 'j':
        return Number<std::uint32_t>().and_then([&](auto key) { return Recall(key); });
      default:
        return Fail(
            ErrorCode::kUnsupported,
            fmt::format("{}: its pickle has the operation 0x{:02x} at byte {}, which tensors "
                        "and plain containers do not need; save model.state_dict() with "
                        "torch.save",
                        file_,
                        code,
                        at));
    }
  }

  std::span<const std::byte> bytes_;
  std::span<const std::string_view> names_;
  const std::string& file_;
  std::size_t at_ = 0;
  Pickle made_;
  std::vector<std::size_t> stack_;
  std::vector<std::size_t> marks_;  // sizes of the stack
  std::unordered_map<std::uint64_t, std::size_t> memo_;
};

}  // namespace

Result<Pickle> ParsePickle(std::span<const std::byte> bytes,
                           std::span<const std::string_view> names,
                           const std::string& file) {
  if (bytes.size() > kMostPickleBytes) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("{}: its pickle is {} bytes, expected at most {}",
                            file,
                            bytes.size(),
                            kMostPickleBytes));
  }
  return Reader(bytes, names, file).Run();
}

}  // namespace headscope
