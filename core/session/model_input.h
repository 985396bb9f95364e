// What a person typed, as what a model takes: tokens and ids, checked.
//
// Errors   kInput (empty text, more tokens than positions, an id past the vocabulary, a model
// without a tokenizer), and what
//          the tokenizer returns.
// Threads  any.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/model/forward.h"
#include "core/model/model.h"
#include "core/text/tokenizer.h"

namespace headscope {

struct InputText {
  std::string text;
  std::optional<std::string> pair;
  std::vector<std::int32_t> ids;  // used instead of the text if not empty, exactly as given
  std::vector<std::int32_t> segment_ids = {};  // of `ids`, one each; empty: all 0
  // What an encoder-decoder's decoder reads: a text, or ids exactly as given; neither: generated.
  std::optional<std::string> target = {};
  std::vector<std::int32_t> target_ids = {};
  friend bool operator==(const InputText&, const InputText&) = default;
};

struct PreparedInput {
  std::shared_ptr<const Encoding> encoding;
  std::shared_ptr<const Encoding> target = {};  // null: no decoder, or still to be generated
  ForwardInput forward;
};

[[nodiscard]] Result<PreparedInput> PrepareInput(const Model& model,
                                                 const InputText& input,
                                                 std::stop_token stop);

// At most so many tokens are generated where no target is given.
inline constexpr std::int64_t kMostGenerated = 128;

// Where the model has a decoder and no target was given: generates one, greedily.
[[nodiscard]] Status CompleteTarget(Forward* forward, PreparedInput* input, std::stop_token stop);

// Rows of embeddings [n, d] in place of text: tokens are numbered.
[[nodiscard]] Result<PreparedInput> PrepareEmbeddings(const Model& model,
                                                      std::vector<float> values,
                                                      std::int64_t rows,
                                                      std::int64_t cols,
                                                      const std::string& name);

}  // namespace headscope
