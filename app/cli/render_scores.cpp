// Pictures and tables of scores that headscope score wrote.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "app/cli/commands.h"
#include "core/base/counted.h"
#include "core/base/parse_number.h"
#include "core/heads/scan/score_file.h"
#include "core/model/model_series.h"

namespace headscope {
namespace {

constexpr std::string_view kSeriesView = "series";
constexpr std::string_view kAblationView = "ablation";

// The files of one model.
struct FilesOfModel {
  std::string name;
  std::string fingerprint;
  std::vector<ScoreFile> files;
};

CommandResult<std::vector<FilesOfModel>> ReadByModel(const Options& options) {
  std::vector<FilesOfModel> models;
  for (const std::string& path : options.scores) {
    HEADSCOPE_TRY(auto file, ReadScores(path));
    const ScanAbout& about = file.report.about;
    auto found = std::ranges::find_if(models, [&](const FilesOfModel& model) {
      return model.fingerprint == about.fingerprint && model.name == about.model;
    });
    if (found == models.end()) {
      found = models.insert(models.end(), {about.model, about.fingerprint, {}});
    }
    found->files.push_back(std::move(file));
  }
  return models;
}

// Those on texts, else those on repeats.
std::optional<ModelNumbers> NumbersOfFiles(const std::vector<ScoreFile>& files) {
  std::optional<ModelNumbers> numbers;
  for (const ScoreFile& file : files) {
    const auto& own = file.report.numbers;
    if (own && (!numbers || numbers->is_of_repeats || !own->is_of_repeats)) {
      numbers = own;
    }
  }
  return numbers;
}

// The step of "copy-h8/step-400".
std::string StepOf(const std::string& name) {
  const std::string last = std::filesystem::path(name).filename().string();
  for (const std::string_view prefix : {"step-", "checkpoint-"}) {
    if (last.starts_with(prefix)) {
      return last.substr(prefix.size());
    }
  }
  return "";
}

// What the models are told apart by: steps, numbers of heads, or their names.
void NamePlaces(ShownScores* shown) {
  const auto is_step = [](const ShownModel& model) { return !StepOf(model.name).empty(); };
  const auto is_member = [](const ShownModel& model) {
    return ParseFamilyMember(model.name).has_value();
  };
  shown->is_training = std::ranges::any_of(shown->models, is_step);
  const bool are_counts = !shown->is_training && std::ranges::all_of(shown->models, is_member);
  shown->across = shown->is_training ? "steps of training"
                  : are_counts       ? "heads in a layer"
                                     : "models";
  for (ShownModel& model : shown->models) {
    const std::string step = StepOf(model.name);
    model.label = shown->is_training ? (step.empty() ? "trained" : step)
                  : are_counts       ? fmt::format("{}", ParseFamilyMember(model.name)->heads)
                                     : model.name;
  }
}

FigureOf SubjectOf(const Options& options, std::size_t models) {
  return options.view == kAblationView ? FigureOf::kAblation
         : models > 1                  ? FigureOf::kSeries
                                       : FigureOf::kScores;
}

CommandResult<std::shared_ptr<const AblationReport>> FindAblation(
    const Options& options, const std::vector<FilesOfModel>& models) {
  const auto head = ParseHeadName(options.head.value_or(""));
  if (!head) {
    return Usage("--view ablation: say which head with --head L5H1");
  }
  std::vector<std::string> names;
  for (const ScoreFile& file : models.front().files) {
    for (const HeadAblation& one : file.ablations) {
      if (one.own.head == *head) {
        AblationReport report;
        report.own = one.own;
        report.controls = one.controls;
        report.done = report.total = std::ssize(one.controls) + 1;
        report.probe = file.report.about.draw.empty() ? file.report.about.probe : "repeats";
        return std::make_shared<const AblationReport>(std::move(report));
      }
      names.push_back(HeadName(one.own.head));
    }
  }
  return Fail(ErrorCode::kInput,
              fmt::format("--head {}: the scores have no ablation of it, but of {}; make it with "
                          "score --ablate {}",
                          *options.head,
                          names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", ")),
                          HeadName(*head)));
}

CommandResult<ShownScores> ScoresToShow(const Options& options,
                                        const std::vector<FilesOfModel>& models) {
  ShownScores shown;
  for (const FilesOfModel& model : models) {
    shown.models.push_back(
        {.name = model.name,
         .label = {},
         .report = std::make_shared<const HeadScanReport>(ScanOfFiles(model.files)),
         .numbers = NumbersOfFiles(model.files)});
  }
  NamePlaces(&shown);
  shown.part = models.front().files.front().report.about.heads.part;
  if (options.part) {
    HEADSCOPE_TRY(shown.part, ParsePartName(*options.part));
  }
  shown.metric = MetricOfPart(options.metric, shown.part);
  shown.second = MetricOfPart(options.second, shown.part);
  shown.roles = shown.models.front().report;
  return shown;
}

}  // namespace

CommandStatus RenderScores(const Options& options) {
  if (options.attention || HasInput(options.input) || !options.model.empty()) {
    return Usage("--scores holds all that is drawn: leave --model, --attention and the input out");
  }
  HEADSCOPE_TRY(const auto models, ReadByModel(options));
  const FigureOf of = SubjectOf(options, models.size());
  const bool is_plain =
      options.view.empty() || options.view == kSeriesView || options.view == kAblationView;
  const FigureKind* const kind =
      FindFigureKind(of, is_plain ? kPlainView : std::string_view(options.view));
  if (kind == nullptr || (options.view == kSeriesView && of != FigureOf::kSeries)) {
    return Usage(fmt::format("--view: \"{}\" is not a picture of {}; there are {}",
                             options.view,
                             of == FigureOf::kSeries ? "several models" : "one model's scores",
                             of == FigureOf::kSeries ? "series, curves, across, relations and roles"
                                                     : "heatmap, list, relations, roles, scatter "
                                                       "and ablation"));
  }
  HEADSCOPE_TRY(CheckOutput(options, NumberEndings(*kind), Figures::kYes));
  FigureSubject subject;
  HEADSCOPE_TRY(subject.context, ReadFigureContext(options));
  const HeadsOfScan& heads = models.front().files.front().report.about.heads;
  subject.context.model = fmt::format("{}, {} \u00d7 {}",
                                      models.front().name,
                                      Counted(heads.layers, "layer"),
                                      Counted(heads.heads, "head"));
  if (of == FigureOf::kAblation) {
    HEADSCOPE_TRY(subject.ablation, FindAblation(options, models));
  } else {
    HEADSCOPE_TRY(auto shown, ScoresToShow(options, models));
    subject.scores = std::make_shared<const ShownScores>(std::move(shown));
  }
  return WriteFigureTo(options, *kind, subject);
}

}  // namespace headscope
