// Rows of bars in the right part of the walk.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "app/views/kit/pen.h"

namespace headscope {

// Bars side by side around a line at 0; several values share a bar where there are more than pixels.
struct Strip {
  const char* id;
  std::size_t count = 0;
  std::function<double(std::size_t)> value;
  std::function<std::string(std::size_t)> tooltip;
  double largest = 0.0;  // what the whole height stands for; 0: the largest there is
  float height = 56.0F;  // unscaled
  std::size_t chosen = static_cast<std::size_t>(-1);
  bool is_signed = false;  // red above, blue below; else one colour
};

// Returns the value that was clicked; tells the one that is pointed at.
std::optional<std::size_t> DrawStrip(Pen* pen, const Strip& strip);

}  // namespace headscope
