// Words made a sentence: errors and reasons are told without a full stop, and some end by themselves.
#pragma once

#include <string>
#include <string_view>

namespace headscope {

// Adds the full stop that is missing: none after ". ? ! …", and none to nothing.
[[nodiscard]] inline std::string Ended(std::string_view words) {
  constexpr std::string_view kEnds = ".?!";
  const bool ends = words.empty() || kEnds.find(words.back()) != kEnds.npos || words.ends_with("…");
  return std::string(words) + (ends ? "" : ".");
}

// Begins with a capital as well: "Eigenvalues of it." of "eigenvalues of it". ASCII alone is changed.
[[nodiscard]] inline std::string Sentence(std::string_view words) {
  std::string sentence = Ended(words);
  if (!sentence.empty() && sentence.front() >= 'a' && sentence.front() <= 'z') {
    sentence.front() = static_cast<char>(sentence.front() - 'a' + 'A');
  }
  return sentence;
}

}  // namespace headscope
