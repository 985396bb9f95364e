#include "core/heads/measure/head_name.h"

#include <array>
#include <charconv>
#include <cstddef>

#include <fmt/format.h>

namespace headscope {
namespace {

// Reads a text from left to right; every step says whether it matched.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  void SkipSpaces() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t')) {
      rest_.remove_prefix(1);
    }
  }

  // Letters match whatever their case; `word` is lower case.
  [[nodiscard]] bool Word(std::string_view word) {
    if (rest_.size() < word.size()) {
      return false;
    }
    for (std::size_t i = 0; i < word.size(); ++i) {
      const char letter =
          rest_[i] >= 'A' && rest_[i] <= 'Z' ? static_cast<char>(rest_[i] - 'A' + 'a') : rest_[i];
      if (letter != word[i]) {
        return false;
      }
    }
    rest_.remove_prefix(word.size());
    return true;
  }

  [[nodiscard]] bool Number(std::int64_t* out) {
    if (rest_.empty() || rest_.front() < '0' || rest_.front() > '9') {
      return false;
    }
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), *out);
    if (error != std::errc()) {
      return false;
    }
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return true;
  }

  [[nodiscard]] bool AtEnd() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

}  // namespace

std::string LayerName(LayerId layer) {
  return fmt::format("{}{}", PartLetter(layer.part), layer.layer);
}

std::string LayerWords(LayerId layer) {
  switch (layer.part) {
    case ModelPart::kEncoder:
      return fmt::format("Encoder layer {}", layer.layer);
    case ModelPart::kDecoder:
      return fmt::format("Decoder layer {}", layer.layer);
    case ModelPart::kCross:
      return fmt::format("Cross-attention layer {}", layer.layer);
    case ModelPart::kWhole:
      break;
  }
  return fmt::format("Layer {}", layer.layer);
}

std::string HeadName(HeadIndex index) {
  return fmt::format("{}H{}", LayerName({index.part, index.layer}), index.head);
}

std::optional<HeadIndex> ParseHeadName(std::string_view text) {
  Reader reader(text);
  HeadIndex index;
  reader.SkipSpaces();
  struct Form {
    std::string_view word;
    std::string_view letter;
    ModelPart part;
  };
  constexpr std::array<Form, 4> kForms = {{{"layer", "l", ModelPart::kWhole},
                                           {"encoder", "e", ModelPart::kEncoder},
                                           {"decoder", "d", ModelPart::kDecoder},
                                           {"cross", "x", ModelPart::kCross}}};
  bool long_form = false;
  bool short_form = false;
  for (const Form& form : kForms) {
    long_form = reader.Word(form.word);
    short_form = !long_form && reader.Word(form.letter);
    if (long_form || short_form) {
      index.part = form.part;
      break;
    }
  }
  reader.SkipSpaces();
  if (long_form && index.part != ModelPart::kWhole && reader.Word("layer")) {
    reader.SkipSpaces();
  }
  if (!reader.Number(&index.layer)) {
    return std::nullopt;
  }
  const Reader after_layer = reader;
  reader.SkipSpaces();
  if (long_form) {
    if (!reader.Word("head")) {
      return std::nullopt;
    }
  } else if (short_form) {
    if (!reader.Word("h")) {
      return std::nullopt;
    }
  } else {
    reader = after_layer;
    if (!reader.Word(".") && !reader.Word("-") && !reader.Word(" ")) {
      return std::nullopt;
    }
  }
  reader.SkipSpaces();
  if (!reader.Number(&index.head)) {
    return std::nullopt;
  }
  reader.SkipSpaces();
  return reader.AtEnd() ? std::optional(index) : std::nullopt;
}

}  // namespace headscope
