// Turns what the user typed into a model's input: tokens and ids, checked.
//
// Errors   kInput (empty text, more tokens than positions, an id outside the vocabulary, a model
//          without a tokenizer), kShape (embeddings of the wrong width), and the errors of the
//          tokenizer and of the .npy reader.
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
  std::vector<std::int32_t> segment_ids = {};  // one for each of `ids`; empty: all 0
  // What the decoder of an encoder-decoder reads: a text, or ids exactly as given; neither:
  // generated.
  std::optional<std::string> target = {};
  std::vector<std::int32_t> target_ids = {};
  // Files (.npy) instead of text: rows of embeddings [n, d], and the rows from which an attention
  // module makes its keys [m, kdim] and values [m, vdim], if these are different.
  std::filesystem::path embeddings = {};
  std::filesystem::path key_embeddings = {};
  std::filesystem::path value_embeddings = {};
  // Use only this many tokens from the start of a longer text or list of ids; 0: all.
  std::int64_t first_tokens = 0;
  friend bool operator==(const InputText&, const InputText&) = default;
};

struct PreparedInput {
  std::shared_ptr<const Encoding> encoding;
  std::shared_ptr<const Encoding> target = {};  // null: no decoder, or still to be generated
  std::shared_ptr<const Encoding> keys = {};    // null: queries look at the text itself
  ForwardInput forward;
};

// `could_read`, if given: if the text was rejected for having too many tokens and using only the
// first ones would help, how many the model can read; otherwise 0.
[[nodiscard]] Result<PreparedInput> PrepareInput(const Model& model,
                                                 const InputText& input,
                                                 std::stop_token stop,
                                                 std::int64_t* could_read = nullptr);

// The first sentences of the probes in a folder that the model reads, for means over other texts
// (core/causes/probe_means.h). kInput: no tokenizer, a model with a decoder of its own, whose
// sentences would need targets, or none that it reads; kIo: the folder holds none.
[[nodiscard]] Result<std::vector<ForwardInput>> ReadSentences(const Model& model,
                                                              const std::filesystem::path& probes,
                                                              const std::stop_token& stop);

// The most tokens that are generated if no target is given.
inline constexpr std::int64_t kMostGenerated = 128;

// If the model has a decoder and no target was given, generates one, greedily.
[[nodiscard]] Status CompleteTarget(Forward* forward,
                                    PreparedInput* input,
                                    const std::stop_token& stop);

// Returns a target as text; without a tokenizer, its numbers. The start token is left out.
[[nodiscard]] std::string SpellTarget(const Model& model, std::span<const std::int32_t> target_ids);

}  // namespace headscope
