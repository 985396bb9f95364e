// One head over the kept steps of a training.
#include <cstdio>
#include <memory>
#include <string>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "app/cli/commands.h"
#include "app/cli/subject.h"
#include "app/files/assets.h"
#include "core/figure/film_steps.h"
#include "core/figure/film_strip.h"
#include "core/model/model_series.h"
#include "core/worker/film_request.h"

namespace headscope {

CommandStatus RenderFilm(const Options& options, const FigureKind& kind) {
  if (options.attention || !options.head) {
    return Usage("--view filmstrip needs a model with kept steps, and one head: --head L5H1");
  }
  HEADSCOPE_TRY(auto context, ReadFigureContext(options));
  HEADSCOPE_TRY(auto run, PrepareRun(options));
  HEADSCOPE_TRY(const auto subject, FindSubject(options, HeadsOf(run.model->description())));
  const std::filesystem::path folder = ResolveModel(options.model);
  const ModelSeries series = FindSeries(folder);
  if (series.checkpoints.empty()) {
    return Fail(
        ErrorCode::kInput,
        fmt::format("{}: it has no kept steps of its training, expected folders step-<N> in it; "
                    "`headscope train` writes such folders",
                    folder.string()));
  }
  FilmJob asked{.steps = options.all_steps ? series.checkpoints
                                           : ChooseSteps(series.checkpoints, kFilmFrames),
                .head = *subject.head,
                .input = run.text,
                .metric = options.metric,
                .scans = options.roles};
  asked.probes = AssetsFolder() / "probes";
  FilmStrip film{
      .head = asked.head, .metric = asked.metric, .frames = {}, .all = series.checkpoints.size()};
  const bool terminal = isatty(STDERR_FILENO) == 1;
  for (const SeriesModel& step : asked.steps) {
    if (terminal) {
      fmt::print(stderr, "\rstep {} of {}\033[K", film.frames.size() + 1, asked.steps.size());
    }
    HEADSCOPE_TRY(auto frame, MakeFilmFrame(step, asked, run.backend.get(), {}));
    film.frames.push_back(std::move(frame));
  }
  if (terminal) {
    fmt::print(stderr, "\r\033[K");
  }
  DescribeRun(run, options, &context);
  FigureSubject drawn{{}, asked.head, nullptr, std::move(context)};
  drawn.film = std::make_shared<const FilmStrip>(std::move(film));
  return WriteFigureTo(options, kind, drawn);
}

}  // namespace headscope
