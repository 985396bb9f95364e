// Runs a text through the steps of a training, one after another, for one head.
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "core/attention/capture.h"
#include "core/base/counted.h"
#include "core/base/stop.h"
#include "core/heads/flags/head_suggestions.h"
#include "core/heads/scan/head_scan.h"
#include "core/heads/scan/text_scores.h"
#include "core/worker/film_kept.h"
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

// A whole scan: one that was kept, or is made now. Null: there is none.
Result<std::shared_ptr<const HeadScanReport>> ScanOf(Forward* forward,
                                                     const FilmJob& asked,
                                                     const std::stop_token& stop) {
  const auto scan = HeadScan::Make(forward, asked.settings, asked.probes, asked.kept, stop);
  HEADSCOPE_TRY(CheckStop(stop));
  while (scan && asked.scans && !(*scan)->is_whole()) {
    HEADSCOPE_TRY((*scan)->Step(stop));
  }
  return scan && (*scan)->is_whole() ? std::make_shared<const HeadScanReport>((*scan)->Report())
                                     : nullptr;
}

std::string RolesIn(const HeadScanReport& report, HeadIndex head) {
  const HeadSuggestions suggestions(&report);
  std::string roles;
  for (const Suggestion* const one : suggestions.Of(head)) {
    if (roles.find(one->role) == roles.npos) {
      roles += (roles.empty() ? "" : ", ") + one->role;
    }
  }
  return roles.empty() ? "no role" : roles;
}

CaptureOptions LayersOf(const ModelDescription& model, HeadIndex head, bool all) {
  CaptureOptions options{.part = head.part == ModelPart::kWhole ? std::nullopt
                                                                : std::optional(head.part)};
  options.first_layer = all ? 0 : head.layer;
  options.last_layer =
      all ? StackOf(model, options.part.value_or(PartsOf(model).back())).layers - 1 : head.layer;
  return options;
}

// One forward gives the maps and the scores.
Result<std::shared_ptr<const FilmStepRun>> RunText(Forward* forward,
                                                   const FilmJob& asked,
                                                   FilmStepRun run,
                                                   FilmKept* kept,
                                                   const std::stop_token& stop) {
  const ModelDescription& model = forward->model().description();
  HEADSCOPE_TRY(auto prepared, PrepareInput(forward->model(), asked.input, stop));
  if (model.decoder && asked.head.part != ModelPart::kEncoder) {
    HEADSCOPE_TRY(CompleteTarget(forward, &prepared, stop));
  }
  const ForwardInput& input = prepared.forward;
  HEADSCOPE_TRY(
      CheckLayer(model,
                 {asked.head.part == ModelPart::kWhole ? PartsOf(model).back() : asked.head.part,
                  asked.head.layer}));
  // A model of several parts keeps those of the part that is asked for.
  const bool keeps = kept != nullptr && !model.decoder && asked.input.embeddings.empty() &&
                     kept->HasRoom(model, std::ssize(input.ids), std::ssize(input.target_ids));
  const CaptureOptions options = LayersOf(model, asked.head, keeps);
  const auto take = [&](std::shared_ptr<const LayerAttention> layer) -> Status {
    run.layers.push_back(std::move(layer));
    return {};
  };
  run.fingerprint = forward->model().fingerprint();
  if (model.reads_embeddings()) {
    HEADSCOPE_TRY(CaptureAttention(forward, input, options, take, stop));
  } else {
    const auto capture = MakeCapture(model, input, options, take);
    HEADSCOPE_TRY(
        auto scores,
        ScoreText(forward, *prepared.encoding, prepared.target.get(), stop, capture.get()));
    run.scores = std::make_shared<const ScoreReport>(std::move(scores));
  }
  auto made = std::make_shared<const FilmStepRun>(std::move(run));
  if (keeps) {
    kept->Keep(made);
  }
  return made;
}

Result<FilmFrame> RunStep(const SeriesModel& step,
                          const FilmJob& asked,
                          Backend* backend,
                          const std::stop_token& stop,
                          FilmKept* kept) {
  std::shared_ptr<const FilmStepRun> run = kept != nullptr ? kept->Find(step.folder) : nullptr;
  std::optional<Forward> forward;
  const auto open = [&]() -> Status {
    HEADSCOPE_TRY(auto model, Model::Open(step.folder, {}, stop));
    forward.emplace(std::move(model), backend);
    return {};
  };
  if (run == nullptr) {
    std::error_code failed;
    FilmStepRun begun{.folder = step.folder,
                      .written = std::filesystem::last_write_time(step.folder, failed)};
    HEADSCOPE_TRY(open());
    HEADSCOPE_TRY(run, RunText(&*forward, asked, std::move(begun), kept, stop));
  }
  FilmFrame frame{.step = step.value, .is_trained = step.is_trained, .folder = step.folder};
  for (const auto& layer : run->layers) {
    if (layer->layer() == asked.head.layer && layer->part() == asked.head.part &&
        asked.head.head < layer->shape().heads) {
      frame.map = {layer, asked.head.head};
    }
  }
  if (frame.map.layer == nullptr) {
    return Fail(ErrorCode::kInput, fmt::format("it has no head {}", HeadName(asked.head)));
  }
  frame.score = run->scores == nullptr ? "" : ScoreOnText(*run->scores, asked);
  frame.role = "not scanned";
  std::shared_ptr<const HeadScanReport> report =
      kept != nullptr ? kept->FindScan(run->fingerprint, asked.settings) : nullptr;
  if (report == nullptr &&
      (asked.scans || (!asked.kept.empty() && HasKeptScans(asked.kept, run->fingerprint)))) {
    if (!forward) {
      HEADSCOPE_TRY(open());
    }
    HEADSCOPE_TRY(report, ScanOf(&*forward, asked, stop));
    if (report != nullptr && kept != nullptr && kept->Find(step.folder) != nullptr) {
      kept->KeepScan(run->fingerprint, asked.settings, report);
    }
  }
  if (report != nullptr) {
    frame.role = RolesIn(*report, asked.head);
  }
  return frame;
}

}  // namespace

Result<FilmFrame> MakeFilmFrame(const SeriesModel& step,
                                const FilmJob& asked,
                                Backend* backend,
                                const std::stop_token& stop,
                                FilmKept* kept) {
  Result<FilmFrame> frame = RunStep(step, asked, backend, stop, kept);
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
  std::unique_ptr<FilmKept>& kept = job->opened->film();
  if (kept == nullptr) {
    kept = std::make_unique<FilmKept>();
  }
  kept->Begin(input, steps.size());
  for (std::int64_t done = 0; done < total; ++done) {
    const SeriesModel& step = steps[static_cast<std::size_t>(done)];
    job->publish(Progress{done, total, fmt::format("step {} of {}", done + 1, total)});
    HEADSCOPE_TRY(auto frame,
                  MakeFilmFrame(step, *this, job->opened->backend(), job->stop, kept.get()));
    job->publish(FilmFrameReady{static_cast<std::size_t>(done), std::move(frame)});
  }
  return {};
}

}  // namespace headscope
