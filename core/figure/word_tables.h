// What a model says at a row, as tables and as a map of heads. For core/figure/kinds only, and for words
// beside their figures.
//
// Errors   kInput: nothing was said, or the model cannot be split.
// Threads  any.
#pragma once

#include "core/base/error.h"
#include "core/causes/next_word.h"
#include "core/figure/effect_map.h"
#include "core/figure/figure_kind.h"
#include "core/io/table.h"

namespace headscope {

[[nodiscard]] Result<std::shared_ptr<const NextWord>> WordOf(const FigureSubject& subject);

// "the logit of “captain” at row 3, “old”", "the lead of “captain” over “man” at row 3, “old”"
[[nodiscard]] std::string SplitWords(const NextWord& word);

// Each head's share of the logit.
[[nodiscard]] Result<EffectMap> ShareMapOf(const NextWord& word);
// Every part's, the largest first.
[[nodiscard]] Result<Table> SharePartsOf(const NextWord& word);
// The likeliest tokens of the stream after each layer: a line for each layer as people read it, and a
// line for each token.
[[nodiscard]] Result<Table> LensOfWord(const NextWord& word);
[[nodiscard]] Result<Table> LensNumbers(const NextWord& word);

// A page of such a table: its caption says of which model and text it is, too.
[[nodiscard]] FigurePage WordPage(const FigureContext& context,
                                  const NextWord& word,
                                  const Table& table);
// The list of parts with that caption, for files.
[[nodiscard]] Result<Table> TableOfParts(const FigureSubject& subject);

}  // namespace headscope
