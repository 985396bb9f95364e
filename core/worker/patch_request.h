// The request to patch between the open text and another one, and its answer
// (core/worker/requests.h).
//
// Threads  as there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "core/causes/patching.h"
#include "core/worker/model_input.h"
#include "core/worker/opening.h"
#include "core/worker/request_rule.h"

namespace headscope {

struct PatchedTexts;  // core/worker/patched_texts.h

// Takes one thing after another from the run of one text over into the run of the other: of every
// head, or of every layer at every position. The clean text is the input of the last AttendRequest.
// kInput: texts of unequal numbers of tokens, a row or token that is not there, or two texts between
// which the metric does not differ; kUnsupported: bfloat16; and of a file of pairs its own errors,
// with the line.
struct PatchJob {
  InputText corrupted;
  // Tokens as typed, a blank before them or none, or "#5335". Empty: the likeliest of each text, or
  // where these are the same, the first of their likeliest that differ.
  std::string right = {};
  std::string wrong = {};
  std::optional<std::int64_t> row = {};  // none: the last one, or the masked one of a masked model
  std::optional<std::int64_t> at = {};   // the only row of heads that is taken over; none: all
  PatchWhat what = PatchWhat::kOutput;
  PatchDirection direction = PatchDirection::kDenoise;
  // In place of `what`: heads' outputs along direct paths. No senders: every head before the receivers.
  std::optional<PatchPaths> paths = {};
  // Means over the pairs of this file (core/causes/patch_file.h) in place of the two texts.
  std::filesystem::path pairs = {};
  // Where what is done of them is kept until all is, so that the same request goes on with it (a folder);
  // empty: nowhere.
  std::filesystem::path kept = {};
  Opening opening = {};  // as in AttendRequest

  static constexpr RequestRule kRule{.turn = 4, .is_about = Topic::kText};
  [[nodiscard]] Status Run(Job* job) const;
};

// Published repeatedly where it takes long; the last one is whole.
struct TextsPatched {
  std::shared_ptr<const PatchedTexts> patched;
};

}  // namespace headscope
