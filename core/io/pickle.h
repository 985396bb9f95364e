// Reads a pickle without running anything: numbers, texts, tuples, lists and dictionaries, and calls
// of functions that the caller lists, which are kept as values and never made.
//
// Errors   kFormat (cut short, an operation on the wrong kind of value), kUnsupported (a name that
//          is not listed, an operation that only other objects need, sizes beyond the bounds); each
//          names the file.
// Threads  pure; the bytes must outlive what is read from them.
// Cost     one pass; at most kMostPickleValues values of some 100 bytes.
// Source   Python's pickletools, protocols 2 to 5.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace headscope {

inline constexpr std::uint64_t kMostPickleBytes = std::uint64_t{16} << 20U;
inline constexpr std::size_t kMostPickleValues = 2'000'000;

struct PickleValue {
  enum class Kind {
    kNone,
    kBoolean,
    kInteger,
    kNumber,
    kText,
    kBytes,
    kTuple,
    kList,
    kDictionary,
    kName,       // of a function or class: `integer` is its place in the list
    kElsewhere,  // what is stored beside the pickle: `items` holds its id
    kCall        // `items`: the name, then its arguments
  };
  Kind kind = Kind::kNone;
  std::int64_t integer = 0;
  double number = 0.0;
  std::string_view text = {};
  std::vector<std::size_t> items = {};  // values; of a dictionary key, value, key, value, ...
};

struct Pickle {
  std::vector<PickleValue> values;
  std::size_t root = 0;
  std::size_t bytes = 0;  // of the pickle; others may follow

  [[nodiscard]] const PickleValue& At(std::size_t value) const { return values[value]; }
  [[nodiscard]] const PickleValue& Root() const { return values[root]; }
};

// `names` are what the pickle may mention, as "module name".
[[nodiscard]] Result<Pickle> ParsePickle(std::span<const std::byte> bytes,
                                         std::span<const std::string_view> names,
                                         const std::string& file);

}  // namespace headscope
