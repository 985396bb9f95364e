// Catch2 under either of its two major versions (Debian 12 has 2, Debian 13 has 3).
#pragma once
#include <string>

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
namespace headscope::test {
inline auto Says(const std::string& part) {
  return Catch::Matchers::ContainsSubstring(part);
}
}  // namespace headscope::test
#else
#include <catch2/catch.hpp>
namespace headscope::test {
// A matcher for messages: CHECK_THAT(error.message, Says("wte.weight") && Says("expected")).
inline auto Says(const std::string& part) {
  return Catch::Matchers::Contains(part);
}
}  // namespace headscope::test
#endif
