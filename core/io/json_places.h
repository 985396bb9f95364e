// Where the values of a JSON text stand, for sentences about a file that a person wrote or changed.
//
// Threads  plain values; the text must outlive it.
// Cost     one pass; a path for each value, so for files of some megabytes.
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

  // The first thing that JSON does not allow; none: there is none.
  [[nodiscard]] std::optional<TextPlace> fault() const;
  // Of the value at a path such as "/flags/3/role"; of one that is not there the nearest value
  // around it.
  [[nodiscard]] TextPlace At(std::string_view path) const;

 private:
  [[nodiscard]] bool Value(const std::string& path, int depth);
  [[nodiscard]] bool Object(const std::string& path, int depth);
  [[nodiscard]] bool Array(const std::string& path, int depth);
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
