#include "core/model/forward_input.h"

#include <cmath>
#include <iterator>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "core/base/check.h"
#include "core/base/counted.h"

namespace headscope {
namespace {

Status CheckIds(const StackDescription& model, std::span<const std::int32_t> ids) {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < 0 || ids[i] >= model.vocabulary) {
      return Fail(ErrorCode::kInput,
                  fmt::format("token {} has the id {}, but the model's vocabulary has the ids 0 "
                              "to {}; was it tokenized for another model?",
                              i,
                              ids[i],
                              model.vocabulary - 1));
    }
  }
  return {};
}

struct EmbeddingsUse {
  std::string_view what;  // "embedding", "key embedding"
  std::int64_t width = 0;
};

Status CheckEmbeddings(const EmbeddingsUse& use, std::span<const float> embeddings) {
  const auto width = static_cast<std::size_t>(use.width);
  if (embeddings.size() % width != 0) {
    return Fail(ErrorCode::kInput,
                fmt::format("the {}s are {}, expected a multiple of {}, the width of one token",
                            use.what,
                            Counted(embeddings.size(), "number"),
                            width));
  }
  for (std::size_t i = 0; i < embeddings.size(); ++i) {
    if (!std::isfinite(embeddings[i])) {
      return Fail(ErrorCode::kInput,
                  fmt::format("the {} of token {} holds {} in column {}, expected finite numbers",
                              use.what,
                              i / width,
                              std::isnan(embeddings[i]) ? "NaN" : "infinity",
                              i % width));
    }
  }
  return {};
}

// Makes the error for a missing input of an attention module, where the input that would replace it
// does not fit.
Status NeedsOwn(std::string_view what,
                std::string_view option,
                std::int64_t width,
                std::int64_t found) {
  return Fail(ErrorCode::kInput,
              fmt::format("this module makes its {} of embeddings {} wide, and what it is given is "
                          "{} wide; give them with {}",
                          what,
                          width,
                          found,
                          option));
}

// Checks the inputs of an attention module, where one may replace another.
Status CheckModuleInputs(const SeparateProjections& module, const ForwardInput& input) {
  const std::int64_t key_width = module.key.in;
  const std::int64_t value_width = module.value.in;
  const bool has_keys = !input.key_embeddings.empty();
  const bool has_values = !input.value_embeddings.empty();
  if (!has_keys && module.query.in != key_width) {
    return NeedsOwn("keys", "--key-embeddings", key_width, module.query.in);
  }
  if (!has_values && key_width != value_width) {
    return NeedsOwn("values", "--value-embeddings", value_width, key_width);
  }
  HEADSCOPE_TRY(CheckEmbeddings({"key embedding", key_width}, input.key_embeddings));
  HEADSCOPE_TRY(CheckEmbeddings({"value embedding", value_width}, input.value_embeddings));
  const std::int64_t keys = has_keys ? std::ssize(input.key_embeddings) / key_width
                                     : std::ssize(input.embeddings) / module.query.in;
  const std::int64_t values = std::ssize(input.value_embeddings) / value_width;
  if (has_values && values != keys) {
    return Fail(ErrorCode::kInput,
                fmt::format("there are value embeddings of {} for the keys of {}, expected "
                            "one for each key",
                            Counted(values, "token"),
                            keys));
  }
  return {};
}

Status CheckSegments(const ModelDescription& model,
                     std::span<const std::int32_t> segments,
                     std::int64_t tokens) {
  if (segments.empty()) {
    return {};
  }
  if (model.token_types == 0) {
    return Fail(ErrorCode::kInput,
                fmt::format("segments are given, but {} models tell none apart; leave them out",
                            model.family));
  }
  if (static_cast<std::int64_t>(segments.size()) != tokens) {
    return Fail(ErrorCode::kInput,
                fmt::format("there {} {} for {}, expected one for each token",
                            segments.size() == 1 ? "is" : "are",
                            Counted(segments.size(), "segment id"),
                            Counted(tokens, "token")));
  }
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (segments[i] < 0 || segments[i] >= model.token_types) {
      return Fail(ErrorCode::kInput,
                  fmt::format("token {} has the segment id {}, but the model has the segments 0 "
                              "to {}",
                              i,
                              segments[i],
                              model.token_types - 1));
    }
  }
  return {};
}

// `texts` is the number of targets, all of one length.
Status CheckTarget(const ModelDescription& model,
                   std::span<const std::int32_t> ids,
                   std::int64_t texts) {
  if (ids.empty()) {
    return {};
  }
  if (!model.decoder) {
    return Fail(ErrorCode::kInput,
                fmt::format("a target is given, but {} models have no decoder that reads one; "
                            "leave it out",
                            model.family));
  }
  HEADSCOPE_CHECK(std::ssize(ids) % texts == 0,
                  "targets that are run side by side are of one length");
  const std::int64_t tokens = std::ssize(ids) / texts;
  if (tokens > model.decoder->positions) {
    return Fail(ErrorCode::kInput,
                fmt::format("the target has {} tokens, but the decoder reads at most {}; shorten "
                            "it",
                            tokens,
                            model.decoder->positions));
  }
  return CheckIds(*model.decoder, ids);
}

}  // namespace

std::int64_t TokenCount(const ModelDescription& model, const ForwardInput& input) {
  const std::int64_t tokens =
      input.ids.empty() ? static_cast<std::int64_t>(input.embeddings.size()) / model.embedding_dim()
                        : static_cast<std::int64_t>(input.ids.size());
  return tokens / input.texts;
}

std::int64_t KeyCount(const ModelDescription& model, const ForwardInput& input) {
  return input.key_embeddings.empty()
             ? TokenCount(model, input)
             : std::ssize(input.key_embeddings) / model.layer.front().separate->key.in;
}

Status CheckInput(const ModelDescription& model, const ForwardInput& input) {
  if (model.reads_embeddings() && input.embeddings.empty()) {
    return Fail(ErrorCode::kInput,
                fmt::format("an attention module reads embeddings, not tokens; give them with "
                            "--embeddings, an .npy file [n,{}]",
                            model.model_dim));
  }
  if (input.ids.empty() && input.embeddings.empty()) {
    return Fail(ErrorCode::kInput,
                "there is no token to look at, expected at least one; type a text");
  }
  if (input.ids.empty() && model.token_inputs) {
    return Fail(
        ErrorCode::kInput,
        fmt::format("{} models read each token in every layer, too, which embeddings do not "
                    "tell; give --ids or a text",
                    model.family));
  }
  if (input.ids.empty()) {
    HEADSCOPE_TRY(CheckEmbeddings({"embedding", model.embedding_dim()}, input.embeddings));
  }
  if (model.reads_embeddings()) {
    HEADSCOPE_TRY(CheckModuleInputs(*model.layer.front().separate, input));
  } else if (!input.key_embeddings.empty() || !input.value_embeddings.empty()) {
    return Fail(ErrorCode::kInput,
                fmt::format("{} models make keys and values of the text they read; leave "
                            "--key-embeddings and --value-embeddings out",
                            model.family));
  }
  const std::int64_t tokens = TokenCount(model, input);
  HEADSCOPE_CHECK(
      input.texts >= 1 && (input.texts == 1 || std::ssize(input.ids) == tokens * input.texts),
      "texts that are run side by side are of one length");
  if (tokens > model.positions) {
    return Fail(ErrorCode::kInput,
                fmt::format("the text has {} tokens, but the model reads at most {}; shorten it",
                            tokens,
                            model.positions));
  }
  HEADSCOPE_TRY(CheckSegments(model, input.segment_ids, tokens * input.texts));
  HEADSCOPE_TRY(CheckIds(model, input.ids));
  return CheckTarget(model, input.target_ids, input.texts);
}

}  // namespace headscope
