// Lists the fields of kept figures in sessions (core/io/fields.h).
//
// Errors   kFormat: a member of another type, a figure of none of these.
// Source   our own format (app/state/figures/recipe.h).
#pragma once

#include "app/state/figures/recipe.h"
#include "app/state/view_names.h"
#include "core/heads/flags/fields.h"

namespace headscope {

inline constexpr FieldNames<FigureOf, 13> kFiguresOf = {{{{FigureOf::kHead, "head"},
                                                          {FigureOf::kLayer, "layer"},
                                                          {FigureOf::kAll, "all"},
                                                          {FigureOf::kCounts, "counts"},
                                                          {FigureOf::kComparison, "comparison"},
                                                          {FigureOf::kPair, "pair"},
                                                          {FigureOf::kScores, "scores"},
                                                          {FigureOf::kSeries, "series"},
                                                          {FigureOf::kAblation, "ablation"},
                                                          {FigureOf::kEffects, "effects"},
                                                          {FigureOf::kTraining, "training"},
                                                          {FigureOf::kWord, "word"},
                                                          {FigureOf::kLosses, "losses"}}},
                                                        kWrongName};

void EachField(FieldsOf<FigureRecipe> auto& recipe, auto& visit) {
  visit("model", recipe.model);
  visit("text", recipe.text);
  visit("pair", recipe.pair, kSkipsEmpty);
  visit("target", recipe.target, kSkipsEmpty);
  visit("part", recipe.head.part, kPartNames, kSkipsEmpty);
  visit("layer", recipe.head.layer);
  visit("head", recipe.head.head);
  visit.Raw("view", recipe.view_json);
}

void EachField(FieldsOf<RememberedFigure> auto& figure, auto& visit) {
  visit("of", figure.of, kFiguresOf);
  visit("kind", figure.view);
  visit("title", figure.title);
  visit("about", figure.about);
  visit("file", figure.file);
  visit("heads_were_off", figure.needs_caption);
  visit("made_of", figure.recipe);
}

}  // namespace headscope
