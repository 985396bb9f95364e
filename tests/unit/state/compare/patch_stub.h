// Shares of patching that are made up, for tests of what is shown.
#pragma once

#include <memory>
#include <string>

#include "core/worker/patch_request.h"
#include "core/worker/patched_texts.h"

namespace headscope::test {

// The thing at place i restores i / 10 - 0.2 of the difference.
inline void PutStubShares(PatchedTexts* made) {
  made->metrics.clear();
  for (std::size_t place = 0; place < made->count(); ++place) {
    const double share = static_cast<double>(place) / 10.0 - 0.2;
    made->metrics.push_back(made->base() + share * (made->source() - made->base()));
  }
}

// Of 3 layers with 4 heads and 6 tokens: the metric is 3 in A and -1 in B.
inline std::shared_ptr<const PatchedTexts> StubPatched(
    PatchWhat what, PatchDirection direction = PatchDirection::kDenoise) {
  PatchedTexts made;
  made.what = what;
  made.direction = direction;
  made.row = 5;
  made.row_name = "to";
  made.right = {.id = 7, .name = "Mary"};
  made.wrong = {.id = 8, .name = "John"};
  made.likely_clean = {made.right, made.wrong};
  made.likely_corrupted = {made.wrong, made.right};
  made.clean = 3.0;
  made.corrupted = -1.0;
  if (IsOfHeads(what)) {
    for (std::int64_t layer = 0; layer < 3; ++layer) {
      for (std::int64_t head = 0; head < 4; ++head) {
        made.heads.push_back({layer, head});
      }
    }
  } else {
    made.layers = 3;
    made.positions = {"when", "Mary / John", "and", "John / Mary", "went", "to"};
  }
  PutStubShares(&made);
  return std::make_shared<const PatchedTexts>(std::move(made));
}

// The answer to what is asked: of the senders alone, or over so many of a file's 4 pairs.
inline std::shared_ptr<const PatchedTexts> StubAnswer(const PatchJob& job, std::int64_t pairs = 4) {
  PatchedTexts made = *StubPatched(job.what, job.direction);
  if (job.at && IsOfHeads(job.what) && !job.paths) {
    made.at = job.at;
    made.at_name = "Mary / John";
  }
  if (job.paths) {
    made.paths = job.paths;
    made.heads = job.paths->from;
    made.together = made.base() + 0.75 * (made.source() - made.base());
  }
  if (!job.pairs.empty()) {
    made.right = made.wrong = {};
    made.row_name.clear();
    made.file = job.pairs.filename().string();
    made.pairs = pairs;
    made.pairs_in_all = 4;
    made.scores.assign(made.count(), {.score = 0.0, .error = 0.05, .restored = 3});
  }
  PutStubShares(&made);
  return std::make_shared<const PatchedTexts>(std::move(made));
}

}  // namespace headscope::test
