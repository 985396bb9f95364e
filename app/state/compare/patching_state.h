// What is patched between the two texts of Compare: what a person chose, and what came of it.
//
// Threads  UI thread; results are shared and immutable.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/state/asked.h"
#include "core/worker/patched_texts.h"

namespace headscope {

struct PatchLook {
  bool is_shown = false;  // in place of divergences
  PatchWhat of_heads = PatchWhat::kOutput;
  PatchWhat of_layers = PatchWhat::kStream;
  PatchDirection direction = PatchDirection::kDenoise;
  std::string right = {};  // tokens as typed; empty: what the two texts say
  std::string wrong = {};
  std::optional<std::int64_t> row = {};  // none: the last
  friend bool operator==(const PatchLook&, const PatchLook&) = default;
};

struct PatchingState : Asking {
  struct Pair {
    RequestId picture = 0;  // side A: that picture
    InputText corrupted;
    std::string right;
    std::string wrong;
    std::optional<std::int64_t> row;
    PatchDirection direction = PatchDirection::kDenoise;
    friend bool operator==(const Pair&, const Pair&) = default;
  };
  struct Question {
    Pair pair;
    PatchWhat what = PatchWhat::kOutput;
    friend bool operator==(const Question&, const Question&) = default;
  };
  struct Answer {
    Question of;
    std::shared_ptr<const PatchedTexts> patched;  // perhaps a part of it yet
  };

  std::optional<Question> wanted;  // asked for
  std::vector<Answer> answers;     // the newest last
  std::optional<Pair> fault_of;
  std::optional<Pair> stopped;  // by a person
  std::optional<Pair> allowed;  // by a person, long as it takes
};

}  // namespace headscope
