// Runs a text through the steps of a training, one after another, for one head.
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/attention/capture.h"
#include "core/base/counted.h"
#include "core/base/stop.h"
#include "core/heads/flags/head_suggestions.h"
#include "core/heads/scan/head_scan.h"
#include "core/heads/scan/text_scores.h"
#include "core/worker/job.h"

namespace headscope {
namespace {

// The head's score on this text alone, in words.
std::string ScoreOnText(const ScoreReport& first, const FilmJob& asked) {
  const ScoreReport* report = &first;
  for (const ScoreReport& more : first.more) {
    if (more.about.heads.part == asked.head.part) {
      report = &more;
    }
  }
  const NamedScores* const scores = FindScores(report->scores, asked.metric);
  const HeadsOfScan& heads = report->about.heads;
  if (scores == nullptr || heads.part != asked.head.part || asked.head.head >= heads.heads) {
    return "–";
  }
  const auto place = static_cast<std::size_t>(asked.head.layer * heads.heads + asked.head.head);
  if (place >= scores->heads.size() || !scores->heads[place].score) {
    return "–";
  }
  const HeadScore& score = scores->heads[place];
  return fmt::format(
      "{:.2f} ({})", *score.score, score.rows > 0 ? Counted(score.rows, "row") : "no rows");
}

// What a whole scan that was kept suggests.
Result<std::string> RoleOf(Forward* forward, const FilmJob& asked, const std::stop_token& stop) {
  const std::string not_scanned = "not scanned";
  const bool has_kept =
      !asked.kept.empty() && HasKeptScans(asked.kept, forward->model().fingerprint());
  if (!asked.scans && !has_kept) {
    return not_scanned;
  }
  const auto scan = HeadScan::Make(forward, asked.settings, asked.probes, asked.kept, stop);
  HEADSCOPE_TRY(CheckStop(stop));
  while (scan && asked.scans && !(*scan)->is_whole()) {
    HEADSCOPE_TRY((*scan)->Step(stop));
  }
  if (!scan || !(*scan)->is_whole()) {
    return not_scanned;
  }
  const HeadScanReport report = (*scan)->Report();
  const HeadSuggestions suggestions(&report);
  std::string roles;
  for (const Suggestion* const one : suggestions.Of(asked.head)) {
    if (roles.find(one->role) == roles.npos) {
      roles += (roles.empty() ? "" : ", ") + one->role;
    }
  }
  return roles.empty() ? "no role" : roles;
}

Result<FilmFrame> RunStep(const SeriesModel& step,
                          const FilmJob& asked,
                          Backend* backend,
                          const std::stop_token& stop) {
  HEADSCOPE_TRY(auto model, Model::Open(step.folder, {}, stop));
  const ModelDescription description = model->description();
  Forward forward(std::move(model), backend);
  HEADSCOPE_TRY(auto prepared, PrepareInput(forward.model(), asked.input, stop));
  if (description.decoder && asked.head.part != ModelPart::kEncoder) {
    HEADSCOPE_TRY(CompleteTarget(&forward, &prepared, stop));
  }
  FilmFrame frame{.step = step.value, .is_trained = step.is_trained, .folder = step.folder};
  const auto take = [&](std::shared_ptr<const LayerAttention> layer) -> Status {
    if (layer->layer() == asked.head.layer && layer->part() == asked.head.part &&
        asked.head.head < layer->shape().heads) {
      frame.map = {std::move(layer), asked.head.head};
    }
    return {};
  };
  HEADSCOPE_TRY(CaptureAttention(
      &forward,
      prepared.forward,
      {.part = asked.head.part == ModelPart::kWhole ? std::nullopt : std::optional(asked.head.part),
       .first_layer = asked.head.layer,
       .last_layer = asked.head.layer},
      take,
      stop));
  if (frame.map.layer == nullptr) {
    return Fail(ErrorCode::kInput, fmt::format("it has no head {}", HeadName(asked.head)));
  }
  if (description.reads_embeddings()) {
    frame.score = "";
  } else {
    HEADSCOPE_TRY(const auto scores,
                  ScoreText(&forward, *prepared.encoding, prepared.target.get(), stop));
    frame.score = ScoreOnText(scores, asked);
  }
  HEADSCOPE_TRY(frame.role, RoleOf(&forward, asked, stop));
  return frame;
}

}  // namespace

Result<FilmFrame> MakeFilmFrame(const SeriesModel& step,
                                const FilmJob& asked,
                                Backend* backend,
                                const std::stop_token& stop) {
  Result<FilmFrame> frame = RunStep(step, asked, backend, stop);
  HEADSCOPE_TRY(CheckStop(stop));
  if (frame) {
    return frame;
  }
  return FilmFrame{.step = step.value,
                   .is_trained = step.is_trained,
                   .folder = step.folder,
                   .why_not = frame.error().message};
}

Status FilmJob::Run(Job* job) const {
  HEADSCOPE_TRY(job->opened->Use(job->opened->precision()));
  const std::int64_t total = std::ssize(steps);
  for (std::int64_t done = 0; done < total; ++done) {
    const SeriesModel& step = steps[static_cast<std::size_t>(done)];
    job->publish(Progress{done, total, fmt::format("step {} of {}", done + 1, total)});
    HEADSCOPE_TRY(auto frame, MakeFilmFrame(step, *this, job->opened->backend(), job->stop));
    job->publish(FilmFrameReady{static_cast<std::size_t>(done), std::move(frame)});
  }
  return {};
}

}  // namespace headscope
