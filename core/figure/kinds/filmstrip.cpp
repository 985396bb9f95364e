// One head over the steps of a training.
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/base/sentence.h"
#include "core/figure/figure_kind.h"
#include "core/figure/film_figure.h"

namespace headscope {
namespace {

Result<std::unique_ptr<Figure>> MakeFilmstrip(const FigureSubject& subject) {
  if (subject.film == nullptr) {
    return Fail(ErrorCode::kInput,
                "there is no filmstrip to draw; a model with kept steps has one");
  }
  const FilmStrip& film = *subject.film;
  const ColorScale scale = ScaleOfFilm(subject.context.scale, film);
  FigureContext context = subject.context;
  context.scale = scale;
  context.flags.clear();
  FilmContent content;
  std::vector<std::string> notes;
  ModelPart part = film.head.part;
  for (const FilmFrame& frame : film.frames) {
    if (frame.map.layer == nullptr) {
      if (!frame.why_not.empty()) {
        notes.push_back(fmt::format("{}: {}", StepName(frame), Ended(frame.why_not)));
      }
      continue;
    }
    FigureMap map = MapOf(frame.map, {}, context);
    map.title = StepName(frame);
    part = frame.map.layer->part();
    content.frames.push_back({std::move(map), frame.score, frame.role});
  }
  if (content.frames.empty()) {
    return Fail(ErrorCode::kInput, "no step of the filmstrip could be drawn");
  }
  const std::size_t shown = content.frames.size();
  FigurePage page = PageOf(context, part, HeadName(film.head) + " over its training");
  page.notes.push_back(FilmRangeWords(scale));
  page.notes.push_back(
      fmt::format("Numbers below are its score of {} on this text alone; roles are those that a "
                  "whole scan of that step suggests.",
                  ScoreName(film)));
  if (shown < film.all) {
    page.notes.push_back(fmt::format("{} of {} steps are shown.", shown, film.all));
  }
  page.notes.insert(page.notes.end(), notes.begin(), notes.end());
  return std::make_unique<FilmFigure>(std::move(page), std::move(content));
}

}  // namespace

extern const FigureKind kFilmstripFigure;
const FigureKind kFilmstripFigure{
    .of = FigureOf::kHead, .view = "filmstrip", .make = MakeFilmstrip};

}  // namespace headscope
