// Finds the places of values in a JSON text, for messages about a file that a user wrote or edited.
//
// Threads  the text must outlive it.
// Cost     one pass; stores a path per value, so only for files of a few megabytes.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/io/text_place.h"

namespace headscope {

class JsonPlaces {
 public:
  explicit JsonPlaces(std::string_view json);

  // The place of the first syntax error, or empty.
  [[nodiscard]] std::optional<TextPlace> fault() const;
  // Returns the place of the value at a path such as "/flags/3/role", or, if it is missing, of the
  // nearest value around it.
  [[nodiscard]] TextPlace At(std::string_view path) const;

 private:
  [[nodiscard]] bool Value(const std::string& path, int depth);
  template <typename TakeEntry>
  [[nodiscard]] bool List(char close, const TakeEntry& take);
  [[nodiscard]] std::optional<std::string_view> Text();
  [[nodiscard]] bool Word();
  void SkipBlanks();
  [[nodiscard]] bool Take(char c);

  std::string_view json_;
  std::size_t at_ = 0;
  bool is_whole_ = false;
  std::map<std::string, std::size_t, std::less<>> starts_;
};

}  // namespace headscope
