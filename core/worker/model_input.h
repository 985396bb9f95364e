// What a person typed, as what a model takes: tokens and ids, checked.
//
// Errors   kInput (empty text, more tokens than positions, an id past the vocabulary, a model
//          without a tokenizer), kShape (embeddings of another width), and what the tokenizer and
//          the reader of .npy files return.
// Threads  any.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
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
  // Files (.npy) in place of text: rows of embeddings [n, d], and those that an attention module
  // makes its keys [m, kdim] and values [m, vdim] of, where these are others.
  std::filesystem::path embeddings = {};
  std::filesystem::path key_embeddings = {};
  std::filesystem::path value_embeddings = {};
  // How many of the first tokens of a longer text or list of ids are used; 0: all.
  std::int64_t first_tokens = 0;
  friend bool operator==(const InputText&, const InputText&) = default;
};

struct PreparedInput {
  std::shared_ptr<const Encoding> encoding;
  std::shared_ptr<const Encoding> target = {};  // null: no decoder, or still to be generated
  std::shared_ptr<const Encoding> keys = {};    // null: every query looks at the text itself
  ForwardInput forward;
};

// `could_read`, if given: how many tokens the model reads, where the text was refused for having
// more and a cut to its first ones would do; else 0.
[[nodiscard]] Result<PreparedInput> PrepareInput(const Model& model,
                                                 const InputText& input,
                                                 std::stop_token stop,
                                                 std::int64_t* could_read = nullptr);

// The most tokens that are generated where no target is given.
inline constexpr std::int64_t kMostGenerated = 128;

// Where the model has a decoder and no target was given: generates one, greedily.
[[nodiscard]] Status CompleteTarget(Forward* forward, PreparedInput* input, std::stop_token stop);

// What a target reads as; without a tokenizer its numbers. The start token is left out.
[[nodiscard]] std::string SpellTarget(const Model& model, std::span<const std::int32_t> target_ids);

}  // namespace headscope
