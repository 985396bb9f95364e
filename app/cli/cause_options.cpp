// The options of predict and patch.
#include <CLI/CLI.hpp>

#include "app/cli/command_table.h"
#include "app/cli/option_groups.h"
#include "core/figure/figure_format.h"

namespace headscope {
namespace {

constexpr const char* kTokenHelp = "one token as text, or its number as #5";

}  // namespace

void AddEffectPicture(CLI::App* app, Options* options) {
  AddTheme(app, options, "of the picture");
  AddSize(app, options);
}

void AddPredict(CLI::App* app, Options* options) {
  CauseOptions& causes = options->causes;
  AddModel(app, options);
  AddInput(app, &options->input);
  app->add_option("--rows", causes.rows, "whose next words: last (the default), all, or 1,5");
  app->add_option("--top", causes.top, "so many likeliest tokens of each")->capture_default_str();
  app->add_option(
      "--id",
      causes.id,
      std::string("whose logit is split over the heads, by default the likeliest: ") + kTokenHelp);
  app->add_option("--against", causes.against, "split the lead over this token instead");
  app->add_option("--row", causes.row, "of the split and of --lens, by default the last of --rows");
  app->add_option("--keys", causes.keys, "heads whose shares are split over the keys: L5H1,L0H3");
  app->add_flag("--lens", causes.lens, "the words that the stream would say after each layer");
  app->add_option("--mask", causes.mask, "positions whose words a masked model must say: 4,7");
  app->add_option("--without", causes.without, "heads that are taken away: L5H1,L0H3");
  app->add_option("--replace",
                  causes.replace,
                  "what they give instead: 0, their mean over sentences, or over this text")
      ->type_name("zero|mean|text");
  app->add_flag("--by-position",
                causes.by_position,
                "with --replace mean: the mean of each position over sentences");
  app->add_option(
      "--cut",
      causes.cut,
      "edges of attention that are cut: L1H0:3 (the key 3 in every row), L1H0:5:3 (in row 5)");
  app->add_flag("--renormalise", options->renormalise, "rows with an edge cut add up to 1 again");
  app->add_flag(
      "--control", causes.control, "what other heads of the same layers cost, drawn ten times");
  app->add_option("--seed", options->seed, "of --control, by default 1");
  AddPrecision(app, options);
  AddEffectPicture(app, options);
  AddOut(app, options, ".json, .csv, or a picture of the shares, " + FigureEndings());
}

void AddPatch(CLI::App* app, Options* options) {
  CauseOptions& causes = options->causes;
  AddModel(app, options);
  AddInput(app, &options->input);
  app->add_option("--corrupted", causes.corrupted, "the other text, of as many tokens as --text");
  app->add_option("--corrupted-ids", causes.corrupted_ids, "the other one's token numbers");
  app->add_option(
      "--right", causes.right, std::string("the token of the clean text: ") + kTokenHelp);
  app->add_option("--wrong", causes.wrong, "the token of the corrupted text");
  app->add_option("--row", causes.row, "the row that says them, by default the last");
  app->add_option("--what", causes.what, "what is taken from the other text, by default output")
      ->type_name("output|pattern|queries|keys|values|stream|mlp|attention");
  app->add_option(
      "--at", causes.at, "take a head's output, queries, keys or values in this row only");
  app->add_option("--direction",
                  causes.direction,
                  "denoise (the default): from the clean text into a run of the corrupted one; "
                  "noise (the default of paths): the other way round")
      ->type_name("denoise|noise");
  app->add_option("--from", causes.from, "senders of paths, each alone: L0H1,L0H2, or all");
  app->add_option(
      "--to",
      causes.to,
      "what they are to change: later heads' queries, keys or values, L9H9:q,L9H6:q; or logits");
  app->add_flag("--freeze-mlps", causes.freeze_mlps, "paths do not go through MLPs");
  app->add_option("--pairs",
                  causes.pairs,
                  "a .tsv file of pairs, a line each: clean, corrupted, right, wrong")
      ->type_name(kFileValue);
  app->add_flag(
      "--evidence",
      causes.evidence,
      "numbers for roles in place of scores: who moves names, suppresses a copy, stops the "
      "repeated subject");
  app->add_option("--shard", options->shard, "I/N: only the share I of N of the pairs; see merge");
  app->add_flag("--resume", options->resume, "go on where a run to the same --out was stopped");
  AddPrecision(app, options);
  AddEffectPicture(app, options);
  AddOut(app, options, ".json, .csv, or a picture, " + FigureEndings());
}

}  // namespace headscope
