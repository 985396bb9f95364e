// Measures what pairs of texts tell of roles. Pairs whose names are not one token each, or whose texts
// have other numbers of tokens, are left out.
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/causes/patch_file.h"
#include "core/causes/task_evidence.h"
#include "core/causes/token_names.h"
#include "core/heads/probe/probe.h"
#include "core/worker/found_evidence.h"
#include "core/worker/job.h"

namespace headscope {
namespace {

std::optional<PatchPair> PairThatFits(const Model& model,
                                      const PairLine& line,
                                      const std::stop_token& stop) {
  const auto clean = PrepareInput(model, {.text = line.clean, .pair = {}, .ids = {}}, stop);
  const auto corrupted = PrepareInput(model, {.text = line.corrupted, .pair = {}, .ids = {}}, stop);
  const auto right = ReadToken(model, line.right);
  const auto wrong = ReadToken(model, line.wrong);
  if (!clean || !corrupted || !right || !wrong) {
    return std::nullopt;
  }
  PatchPair pair{.clean = clean->forward,
                 .corrupted = corrupted->forward,
                 .right = *right,
                 .wrong = *wrong,
                 .row = std::ssize(clean->forward.ids) - 1};
  return CheckEvidencePair(model.description(), pair) ? std::optional(std::move(pair))
                                                      : std::nullopt;
}

}  // namespace

Status EvidenceJob::Run(Job* job) const {
  HEADSCOPE_TRY(job->opened->CheckModel(opening, "weights only, no model that could be run"));
  Forward* const forward = job->opened->forward();
  HEADSCOPE_TRY(const auto lines, ReadPairs(pairs));
  std::vector<PatchPair> fitting;
  for (const PairLine& line : lines) {
    if (auto pair = PairThatFits(forward->model(), line, job->stop)) {
      fitting.push_back(std::move(*pair));
    }
  }
  const auto tell = [job](double done) {
    constexpr std::int64_t kParts = 100;
    job->publish(Progress{static_cast<std::int64_t>(done * static_cast<double>(kParts)),
                          kParts,
                          "measuring evidence for roles"});
  };
  HEADSCOPE_TRY(CheckEvidenceModel(forward->model().description()));
  RoleEvidence evidence;
  if (std::ssize(fitting) >= kFewestPairs) {
    HEADSCOPE_TRY(evidence, FindRoleEvidence(forward, fitting, job->stop, [&](double done) {
                    tell(0.5 * done);
                  }));
  } else {
    const std::string why = fmt::format(
        "{}: the model reads {} of its {} pairs with each name as one token, expected {} "
        "or more; `headscope patch --evidence` takes pairs of your own",
        pairs.filename().string(),
        fitting.size(),
        lines.size(),
        kFewestPairs);
    for (const EvidenceKind kind :
         {EvidenceKind::kMovesNames, EvidenceKind::kSuppressesCopy, EvidenceKind::kStopsSubject}) {
      evidence.why_not[kind] = why;
    }
  }
  if (const auto maps = ReadTokenMaps(token_maps)) {
    HEADSCOPE_TRY(AddTaskEvidence(
        forward,
        TablesFor(forward->model(), *maps),
        ReadVocabulary(forward->model()).begin,
        job->stop,
        [&](double done) { tell(0.5 + 0.5 * done); },
        &evidence));
  } else {
    evidence.why_not[EvidenceKind::kSaysSuccessor] = maps.error().message;
    evidence.why_not[EvidenceKind::kCarriesTask] = maps.error().message;
  }
  if (evidence.all.empty()) {
    return Fail(ErrorCode::kInput, evidence.why_not.begin()->second);
  }
  FoundEvidence found{.evidence = std::move(evidence),
                      .input = pairs.filename().string(),
                      .pairs = std::ssize(fitting),
                      .of = std::ssize(lines)};
  job->publish(EvidenceFound{std::make_shared<const FoundEvidence>(std::move(found))});
  return {};
}

}  // namespace headscope
