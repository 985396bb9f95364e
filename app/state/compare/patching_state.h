// What is patched between the two texts of Compare: what a person chose, and what came of it.
//
// Threads  UI thread; results are shared and immutable.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/state/asked.h"
#include "core/worker/patched_texts.h"

namespace headscope {

// Heads' direct effects: what one gives arrives along paths that pass no other head.
struct PathLook {
  bool is_shown = false;                // in place of what is taken of heads
  std::optional<HeadInput> input = {};  // where it arrives; none: in the logits
  std::vector<HeadIndex> to = {};       // of these heads
  bool freezes_mlps = false;
  friend bool operator==(const PathLook&, const PathLook&) = default;
};

// A file of pairs in place of the two texts.
struct PatchFile {
  std::filesystem::path path;  // empty: none
  std::uint64_t asked = 0;     // another number: chosen again, so read again
  friend bool operator==(const PatchFile&, const PatchFile&) = default;
};

struct PatchLook {
  bool is_shown = false;  // in place of divergences
  PatchWhat of_heads = PatchWhat::kOutput;
  PatchWhat of_layers = PatchWhat::kStream;
  PatchDirection direction = PatchDirection::kDenoise;
  std::string right = {};  // tokens as typed; empty: what the two texts say
  std::string wrong = {};
  std::optional<std::int64_t> row = {};  // that the words are asked at; none: the last
  std::optional<std::int64_t> at = {};   // the only one of heads that is taken over; none: all
  PathLook paths = {};
  PatchFile file = {};
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
    PatchFile file = {};  // then nothing else is set but the direction
    friend bool operator==(const Pair&, const Pair&) = default;
  };
  struct Question {
    Pair pair;
    PatchWhat what = PatchWhat::kOutput;
    std::optional<std::int64_t> at = {};
    std::optional<PatchPaths> paths = {};
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
  std::vector<Pair> allowed;    // by a person, long as it takes
  PatchFile file_in_view;       // the last one of which there is something
  std::string file_fault;       // of one that could not be read
  std::uint64_t files_asked = 0;
};

}  // namespace headscope
