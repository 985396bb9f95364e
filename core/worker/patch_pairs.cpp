#include "core/worker/patch_pairs.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/causes/kept_pairs.h"
#include "core/causes/patch_file.h"
#include "core/causes/token_names.h"
#include "core/model/masked_output.h"
#include "core/worker/job.h"
#include "core/worker/patched_texts.h"

namespace headscope {
namespace {

constexpr auto kBetweenPairs = std::chrono::milliseconds(50);

Result<PatchPair> PairOfLine(const Model& model,
                             const PatchQuestion& question,
                             const PairLine& line,
                             const std::stop_token& stop) {
  PatchPair pair;
  for (const auto& [text, input] :
       {std::pair(&line.clean, &pair.clean), std::pair(&line.corrupted, &pair.corrupted)}) {
    InputText read;
    read.text = *text;
    HEADSCOPE_TRY(auto prepared, PrepareInput(model, read, stop));
    *input = std::move(prepared.forward);
    if (model.description().decoder && input->target_ids.empty()) {
      input->target_ids = {model.description().start_id};
    }
  }
  HEADSCOPE_TRY(pair.right, ReadToken(model, line.right));
  HEADSCOPE_TRY(pair.wrong, ReadToken(model, line.wrong));
  HEADSCOPE_TRY(CheckTokensDiffer(model, pair.right, pair.wrong, "right and wrong"));
  HEADSCOPE_TRY(pair.row, RowOfWord(model, pair));
  HEADSCOPE_TRY(CheckPair(model.description(), pair));
  HEADSCOPE_TRY(CheckRowTaken(model.description(), question, LengthsOf(pair)));
  return pair;
}

Result<std::vector<PatchPair>> ReadPatchPairs(const Model& model,
                                              const PatchQuestion& question,
                                              const std::filesystem::path& path,
                                              const std::vector<PairLine>& lines,
                                              const std::stop_token& stop) {
  std::vector<PatchPair> pairs;
  for (const PairLine& line : lines) {
    auto pair = PairOfLine(model, question, line, stop);
    if (!pair) {
      Error error = std::move(pair.error());
      if (error.code != ErrorCode::kCancelled) {
        error.message = fmt::format("{}: line {}: {}", path.string(), line.line, error.message);
      }
      return tl::unexpected(std::move(error));
    }
    pairs.push_back(std::move(*pair));
  }
  return pairs;
}

// Means over these pairs; their scores are ratios of means. Of paths the last metric is of all
// senders together.
void PutMeans(std::vector<PatchScore> scores,
              const std::vector<PatchedPair>& done,
              PatchedTexts* made) {
  const auto mean = [&done](const auto& of) {
    double sum = 0.0;
    for (const PatchedPair& pair : done) {
      sum += of(pair);
    }
    return sum / static_cast<double>(done.size());
  };
  made->pairs = std::ssize(done);
  made->clean = mean([](const PatchedPair& pair) { return pair.clean; });
  made->corrupted = mean([](const PatchedPair& pair) { return pair.corrupted; });
  made->metrics.clear();
  for (std::size_t i = 0; i < scores.size(); ++i) {
    made->metrics.push_back(mean([i](const PatchedPair& pair) { return pair.metrics[i]; }));
  }
  made->scores = std::move(scores);
  if (made->paths) {
    made->together = made->metrics.back();
    made->metrics.pop_back();
    made->scores.pop_back();
  }
}

std::vector<PatchedPair> InOrder(const PatchPart& part) {
  std::vector<PatchedPair> done;
  for (const auto& [index, pair] : part.done) {
    done.push_back(pair);
  }
  return done;
}

// Takes over what an earlier run did. None: it is kept nowhere, which is no reason to fail.
std::optional<KeptPairs> KeepUnder(const std::filesystem::path& folder, PatchPart* part) {
  if (folder.empty()) {
    return std::nullopt;
  }
  KeptPairs kept(PlaceOfPairs(folder, part->about));
  const bool is_kept = kept.Begin(true, part) || kept.Begin(false, part);
  return is_kept ? std::optional(std::move(kept)) : std::nullopt;
}

}  // namespace

Result<std::int64_t> RowOfWord(const Model& model, const PatchPair& pair) {
  if (!IsMasked(model.description())) {
    return std::ssize(model.description().decoder ? pair.clean.target_ids : pair.clean.ids) - 1;
  }
  const std::optional<std::int32_t> mask = MaskTokenOf(model);
  const std::size_t rows = std::min(pair.clean.ids.size(), pair.corrupted.ids.size());
  for (std::size_t row = 0; mask && row < rows; ++row) {
    if (pair.clean.ids[row] == *mask && pair.corrupted.ids[row] == *mask) {
      return static_cast<std::int64_t>(row);
    }
  }
  return Fail(ErrorCode::kInput,
              "a masked model says the word at a masked place: write [MASK] (or <mask>, as its "
              "vocabulary has it) at the same place of both texts");
}

Status PatchPairsOfFile(const PatchJob& request, Job* job) {
  Forward* const forward = job->opened->forward();
  const Model& model = forward->model();
  const ModelDescription& shape = model.description();
  HEADSCOPE_TRY(const auto lines, ReadPairs(request.pairs));
  const PatchQuestion question{.what = request.what,
                               .direction = request.direction,
                               .at = request.paths ? std::nullopt : request.at,
                               .paths = request.paths};
  HEADSCOPE_TRY(const auto pairs, ReadPatchPairs(model, question, request.pairs, lines, job->stop));
  PatchedTexts made;
  made.what = request.what;
  made.direction = request.direction;
  made.paths = request.paths;
  const PatchLengths lengths = LengthsOf(pairs.front());
  made.at = question.at;
  made.heads = request.paths ? request.paths->from : HeadsTaken(shape, question, lengths);
  made.is_masked = IsMasked(shape);
  made.file = request.pairs.filename().string();
  made.pairs_in_all = std::ssize(pairs);
  PatchPart part{.about = DescribePatching(model, question, lines, lengths), .done = {}};
  if (made.is_masked) {
    part.about.pairs += "at the masked row\n";  // the command line takes the last one
  }
  const std::optional<KeptPairs> kept = KeepUnder(request.kept, &part);
  auto said = std::chrono::steady_clock::now();
  const auto tell = [&]() -> Status {
    const std::vector<PatchedPair> done = InOrder(part);
    HEADSCOPE_TRY(auto scores, ScoresOfPairs(done, request.direction));
    said = std::chrono::steady_clock::now();
    PutMeans(std::move(scores), done, &made);
    job->publish(TextsPatched{std::make_shared<const PatchedTexts>(made)});
    return {};
  };
  if (!part.done.empty() && part.done.size() < pairs.size()) {
    static_cast<void>(tell());  // what an earlier run did; more may tell the texts apart
  }
  for (std::int64_t index = 0; index < std::ssize(pairs); ++index) {
    if (part.done.contains(index)) {
      continue;
    }
    const auto on_part = [&](std::span<const double>) {
      job->publish(
          Progress{std::ssize(part.done),
                   std::ssize(pairs),
                   fmt::format("patching: pair {} of {}", part.done.size() + 1, pairs.size())});
      job->between_layers();
    };
    HEADSCOPE_TRY(
        auto patched,
        PatchPairOf(forward, pairs[static_cast<std::size_t>(index)], question, job->stop, on_part));
    if (kept) {
      static_cast<void>(kept->Keep(index, patched));  // what is not kept is computed again
    }
    part.done[index] = std::move(patched);
    if (part.done.size() < pairs.size() &&
        std::chrono::steady_clock::now() - said >= kBetweenPairs) {
      static_cast<void>(tell());
    }
  }
  if (kept) {
    kept->Remove();
  }
  if (Status told = tell(); !told) {
    told.error().message = request.pairs.string() + ": " + told.error().message;
    return told;
  }
  return {};
}

}  // namespace headscope
