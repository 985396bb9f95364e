#include "app/cli/option_groups.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli/command_table.h"
#include "core/base/parse_number.h"
#include "core/base/quote.h"
#include "core/figure/figure_format.h"

namespace headscope {
namespace {

// CLI11 would turn a number that is too large into the largest one.
std::string CheckSeed(const std::string& text) {
  return ParseAs<std::uint64_t>(text) ? ""
                                      : fmt::format("{} is not a whole number from 0 to {}",
                                                    Quoted(text),
                                                    std::numeric_limits<std::uint64_t>::max());
}

}  // namespace

void AddModel(CLI::App* app, Options* options) {
  app->add_option("--model",
                  options->model,
                  "a model folder, a .gguf file, the .safetensors state of a "
                  "torch.nn.MultiheadAttention, or the name of a bundled model")
      ->type_name(kModelValue);
  app->add_option("--head-count",
                  options->head_count,
                  "heads of a torch.nn.MultiheadAttention whose file does not say it");
}

void AddPrecision(CLI::App* app, Options* options) {
  app->add_option("--precision", options->precision, "what products are computed in")
      ->type_name("f32|bf16")
      ->capture_default_str();
}

void AddTheme(CLI::App* app, Options* options, const char* words) {
  app->add_option("--theme", options->theme, words)
      ->type_name("light|dark|print")
      ->capture_default_str();
}

void AddSeed(CLI::App* app, Options* options, const char* words) {
  app->add_option("--seed", options->seed, words)->check(CheckSeed);
}

void AddInput(CLI::App* app, InputOptions* input) {
  app->add_option("--text", input->text, "the text; the tokenizer adds what it adds (BOS, ...)");
  app->add_option("--pair", input->pair, "a second text");
  app->add_option("--target", input->target, "the target text of an encoder-decoder model");
  app->add_option(
         "--text-file", input->text_file, "a UTF-8 file; the end of its last line is left out")
      ->type_name(kFileValue);
  app->add_option("--ids", input->ids, "token numbers, exactly as given: 1,2,3");
  app->add_option("--segment-ids", input->segment_ids, "token types, one for each of --ids");
  app->add_option("--first-tokens",
                  input->first_tokens,
                  "use so many tokens of a longer text, those around it counted");
  app->add_option("--target-ids", input->target_ids, "token numbers of the target");
  app->add_option(
         "--embeddings", input->embeddings, "an .npy file [n,d] in place of the token embeddings")
      ->type_name(kFileValue);
  app->add_option("--key-embeddings",
                  input->key_embeddings,
                  "an .npy file [m,kdim] for the keys of a torch.nn.MultiheadAttention")
      ->type_name(kFileValue);
  app->add_option(
         "--value-embeddings", input->value_embeddings, "an .npy file [m,vdim] for its values")
      ->type_name(kFileValue);
}

void AddPart(CLI::App* app, Options* options) {
  app->add_option("--part", options->part, "which maps of an encoder-decoder model")
      ->type_name("encoder|decoder|cross");
}

void AddOut(CLI::App* app, Options* options, const std::string& endings) {
  app->add_option("--out", options->out, "the file to write: " + endings)->type_name(kFileValue);
}

void AddSize(CLI::App* app, Options* options) {
  app->add_option("--size",
                  options->size_px,
                  fmt::format("pixels of a picture's longer side; on a PDF's page {} make an inch",
                              kPixelsPerInch))
      ->capture_default_str();
  app->add_option("--preset",
                  options->preset,
                  "what a picture is for; column: 8.9 cm, two-columns: 18.3 cm, poster: 60 cm")
      ->type_name("screen|slide|column|two-columns|poster");
  app->add_option(
      "--width", options->width, "a picture's width: 8.9cm or 1600px, in place of --size");
  app->add_option("--font-size", options->font_points, "points of a picture's labels and caption");
  app->add_flag("--no-labels", options->no_labels, "a picture without the tokens beside its map");
  app->add_flag("--no-bar", options->no_bar, "a picture without the bar of colours");
  app->add_flag("--no-caption", options->no_caption, "a picture without caption and notes");
}

// Adds --view with the views of the available figures.
void AddView(CLI::App* app, Options* options, std::initializer_list<FigureOf> subjects) {
  std::vector<std::string_view> views;
  for (const FigureOf of : subjects) {
    for (const std::string_view view : ViewsOf(of)) {
      if (std::ranges::find(views, view) == views.end()) {
        views.push_back(view);
      }
    }
  }
  app->add_option("--view", options->view, "what is drawn")
      ->type_name(fmt::format("{}", fmt::join(views, "|")));
}

void AddAttention(CLI::App* app, Options* options) {
  app->add_option("--attention",
                  options->attention,
                  "attention made elsewhere: .safetensors, .npz or .npy, with its tokens")
      ->type_name(kFileValue);
  app->add_option("--tensor", options->tensor, "which array of it, where it holds several");
}

void AddColours(CLI::App* app, Options* options) {
  app->add_option("--curve", options->curve, "from weight to colour")
      ->type_name("linear|sqrt|log")
      ->capture_default_str();
  app->add_option("--range",
                  options->range,
                  "the weights that the colours span (rows that see one key do not count)")
      ->type_name("LOW:HIGH|row|head|layer|global")
      ->capture_default_str();
  app->add_option("--colormap", options->colormap, "the colours")
      ->type_name("viridis|cividis|blues|greys")
      ->capture_default_str();
}

void AddScores(CLI::App* app, Options* options) {
  app->add_option("--scores",
                  options->scores,
                  "what headscope score wrote, in place of a model; several: models in a row")
      ->type_name(kFileValue)
      ->allow_extra_args(false);
  app->add_option(
         "--runs",
         options->runs,
         "a folder of what headscope train wrote, in place of a model: curves by head count")
      ->type_name(kFileValue)
      ->allow_extra_args(false);
  app->add_option("--metric", options->metric, "of --scores: the score that is drawn")
      ->capture_default_str();
  app->add_option("--second", options->second, "of --scores: the other one of a scatter")
      ->capture_default_str();
}

}  // namespace headscope
