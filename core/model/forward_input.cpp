#include "core/model/forward_input.h"

#include <cmath>
#include <span>

#include <fmt/format.h>

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

Status CheckEmbeddings(const ModelDescription& model, std::span<const float> embeddings) {
  const auto width = static_cast<std::size_t>(model.embedding_dim());
  if (embeddings.size() % width != 0) {
    return Fail(ErrorCode::kInput,
                fmt::format("the embeddings are {} numbers, expected a multiple of {}, the width "
                            "of one token",
                            embeddings.size(),
                            width));
  }
  for (std::size_t i = 0; i < embeddings.size(); ++i) {
    if (!std::isfinite(embeddings[i])) {
      return Fail(ErrorCode::kInput,
                  fmt::format("the embedding of token {} holds {} in column {}, expected finite "
                              "numbers",
                              i / width,
                              std::isnan(embeddings[i]) ? "NaN" : "infinity",
                              i % width));
    }
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
                fmt::format("there are {} segment ids for {} tokens, expected one for each token",
                            segments.size(),
                            tokens));
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

Status CheckTarget(const ModelDescription& model, std::span<const std::int32_t> ids) {
  if (ids.empty()) {
    return {};
  }
  if (!model.decoder) {
    return Fail(ErrorCode::kInput,
                fmt::format("a target is given, but {} models have no decoder that reads one; "
                            "leave it out",
                            model.family));
  }
  if (static_cast<std::int64_t>(ids.size()) > model.decoder->positions) {
    return Fail(ErrorCode::kInput,
                fmt::format("the target has {} tokens, but the decoder reads at most {}; shorten "
                            "it",
                            ids.size(),
                            model.decoder->positions));
  }
  return CheckIds(*model.decoder, ids);
}

}  // namespace

std::int64_t TokenCount(const ModelDescription& model, const ForwardInput& input) {
  return input.ids.empty()
             ? static_cast<std::int64_t>(input.embeddings.size()) / model.embedding_dim()
             : static_cast<std::int64_t>(input.ids.size());
}

Status CheckInput(const ModelDescription& model, const ForwardInput& input) {
  if (input.ids.empty() && input.embeddings.empty()) {
    return Fail(ErrorCode::kInput,
                "there is no token to look at, expected at least one; type a text");
  }
  if (input.ids.empty()) {
    HEADSCOPE_TRY(CheckEmbeddings(model, input.embeddings));
  }
  const std::int64_t tokens = TokenCount(model, input);
  if (tokens > model.positions) {
    return Fail(ErrorCode::kInput,
                fmt::format("the text has {} tokens, but the model reads at most {}; shorten it",
                            tokens,
                            model.positions));
  }
  HEADSCOPE_TRY(CheckSegments(model, input.segment_ids, tokens));
  HEADSCOPE_TRY(CheckIds(model, input.ids));
  return CheckTarget(model, input.target_ids);
}

}  // namespace headscope
