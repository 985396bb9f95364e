#include "app/cli/command_line.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli/arguments.h"
#include "app/cli/command_table.h"
#include "app/cli/commands.h"
#include "app/cli/option_groups.h"
#include "app/cli/token_look.h"
#include "app/cli/window_options.h"
#include "app/files/assets.h"
#include "core/base/parse_number.h"
#include "core/base/quote.h"
#include "core/figure/figure_format.h"
#include "core/figure/figure_kind.h"

#ifndef HEADSCOPE_VERSION
#define HEADSCOPE_VERSION "0"
#endif

namespace headscope {
namespace {

constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;

// Prints one line, whatever the message contains.
int Report(const CommandError& error) {
  std::string line = ValidUtf8(error.error.message);
  for (char& character : line) {
    if (character == '\n' || character == '\r') {
      character = ' ';
    }
  }
  fmt::print(stderr, "headscope: {}\n", line);
  return error.usage ? kWrongUsage : kFailed;
}

void AddRender(CLI::App* app, Options* options) {
  AddModel(app, options);
  AddInput(app, &options->input);
  AddAttention(app, options);
  app->add_option("--head", options->head, "a head: L5H1; several, L0H1,L5H1, to numbered files");
  app->add_option("--layer", options->layer, "all heads of one layer");
  app->add_flag("--all", options->all, "all heads of all layers");
  app->add_flag(
      "--each", options->each, "with --layer or --all: a file for each head, out-L5H1.svg");
  app->add_flag("--all-steps",
                options->all_steps,
                "of --view filmstrip: every kept step of the training, not a dozen of them");
  app->add_flag("--roles",
                options->roles,
                "of --view filmstrip: scan each step for the roles that it suggests");
  app->add_option("--tree",
                  options->tree,
                  "with --view arcs: the head beside the tree of a sentence of this .conllu file")
      ->type_name(kFileValue);
  app->add_option("--sentence",
                  options->sentence,
                  "of --tree: its number from 1, or its id; it is the text where none is given");
  app->add_option("--tree-direction", options->tree_direction, "who is asked for whom")
      ->type_name("dependent-to-head|head-to-dependent");
  AddScores(app, options);
  AddView(
      app,
      options,
      {FigureOf::kHead, FigureOf::kLayer, FigureOf::kAll, FigureOf::kScores, FigureOf::kSeries});
  AddColours(app, options);
  AddSize(app, options);
  AddTokenLook(app, options);
  AddTheme(app, options, "of the picture");
  AddOut(
      app, options, FigureEndings() + "; tables of scores, runs and ranks .csv, .tex and .md, too");
}

void AddPage(CLI::App* app, Options* options) {
  AddModel(app, options);
  AddInput(app, &options->input);
  AddAttention(app, options);
  app->add_option("--head", options->head, "one head: L5H1");
  app->add_option("--layer", options->layer, "all heads of one layer");
  app->add_flag("--all", options->all, "all heads of all layers (the default)");
  AddScores(app, options);
  AddTokenLook(app, options);
  AddColours(app, options);
  AddTheme(app, options, "of the page");
  AddPrecision(app, options);
  AddPart(app, options);
  AddOut(app, options, ".html");
}

void AddSplit(CLI::App* app, Options* options) {
  AddModel(app, options);
  AddInput(app, &options->input);
  app->add_option("--layer", options->layer, "the layer to cut again");
  app->add_option("--heads", options->head_counts, "head counts: 1,2,4,8");
  app->add_option("--segments", options->segments, "how columns go to heads")
      ->type_name("contiguous|strided|random|overlapping")
      ->capture_default_str();
  app->add_option(
      "--head-dim", options->head_dim, "columns of each head (random and overlapping segments)");
  app->add_option("--weights", options->weights, "of the layer")
      ->type_name("trained|ones|random")
      ->capture_default_str();
  app->add_option("--input",
                  options->split_input,
                  "what enters the projections; normal by default with ones")
      ->type_name("layer|normal");
  app->add_option("--input-scale", options->input_scale, "multiplies the input");
  AddSeed(app, options, "of random draws");
  AddView(app, options, {FigureOf::kCounts});
  AddTheme(app, options, "of the picture");
  AddSize(app, options);
  AddColours(app, options);
  AddOut(
      app, options, ".safetensors, .json, " + FigureEndings() + "; ranks .csv, .tex and .md, too");
}

void AddWeights(CLI::App* app, Options* options) {
  AddModel(app, options);
  app->add_option("--head", options->head, "one head: L5H1");
  app->add_option("--layer", options->layer, "all heads of one layer");
  AddPart(app, options);
  AddOut(app, options, ".safetensors or .npz");
}

void AddTrain(CLI::App* app, Options* options) {
  TrainOptions* train = &options->train;
  const auto number = [&](const char* name, auto* value, const char* words) {
    app->add_option(name, *value, words)->capture_default_str();
  };
  number("--heads", &train->heads, "heads of a layer");
  app->add_option(
      "--head-dim", options->head_dim, "columns of a head; --model-dim / --heads if left out");
  number("--layers", &train->layers, "layers");
  number("--model-dim", &train->model_dim, "width of the model");
  number("--vocabulary", &train->vocabulary, "ids, the begin mark among them");
  number("--context", &train->context, "tokens of a row");
  number("--task", &train->task, "what is learnt");
  app->get_option("--task")->type_name("copy|mixture");
  app->add_option("--periods", train->periods, "lengths of repeated blocks: 8-50, or one, 32");
  number("--batch", &train->batch, "rows of a step");
  number("--steps", &train->steps, "how many");
  number("--rate", &train->rate, "how far a step goes");
  number("--warmup", &train->warm_up, "steps over which the rate rises to that");
  app->add_option("--spread", train->spread, "of the first weights; 0.1 if left out");
  app->add_flag("--alike", train->alike, "all heads of a layer begin with one head's weights");
  app->add_option("--noise", train->noise, "spread of what --alike adds to each head's weights");
  app->add_flag("--ones", train->ones, "every weight of the blocks' matrices begins as 1");
  number("--mlp", &train->mlp, "width of an MLP in each block; 0 for none");
  app->add_flag("--tied", train->tied, "the output matrix is the embedding");
  app->add_flag("--sinusoids", train->sinusoids, "positions are sines and cosines that stay");
  app->add_flag("--own-segments",
                train->own_segments,
                "a head reads its own --model-dim / --heads columns of its layer's input");
  number("--disagreement",
         &train->disagreement,
         "weight of how alike heads' maps are, beside the loss; 0 for none");
  AddSeed(app, options, "of first weights and batches");
  number("--every", &train->every, "steps from one line of numbers to the next");
  app->add_option("--from", train->from, "first weights: a folder of the same layout and sizes")
      ->type_name(kFileValue);
  app->add_option("--data", train->data, "rows of ids, in order, in place of a task's draws")
      ->type_name(kFileValue);
  number("--optimizer", &train->optimizer, "how weights change");
  app->get_option("--optimizer")->type_name("adam");
  app->add_flag("--resume", options->resume, "go on where a run to the same --out ended");
  app->add_option("--out", options->out, "the folder to write: a new or an empty one")
      ->type_name(kFileValue);
}

// The values given to compare: CLI11 keeps the values of each option, and the order of the options.
struct ComparedNames {
  std::vector<std::string> models;
  std::vector<std::string> files;
  std::vector<std::string> tensors;
  const CLI::Option* model = nullptr;
  const CLI::Option* attention = nullptr;
  const CLI::Option* tensor = nullptr;
};

void AddScore(CLI::App* app, Options* options) {
  AddModel(app, options);
  app->add_option("--probe",
                  options->probe,
                  "the texts; of files, .txt (a text a line), .ids (ids a line), .conllu, .tsv")
      ->type_name(kProbeValue)
      ->capture_default_str();
  app->add_option("--sequences", options->sequences, "of each period of repeats, or of retrieval")
      ->capture_default_str();
  app->add_option(
         "--draw", options->draw, "what repeats are made of: ids that occur in texts, or any")
      ->type_name("text|uniform")
      ->capture_default_str();
  app->add_option(
      "--sentences",
      options->sentences,
      "of a file: so many texts whose words the model knows, evenly from all; 0 is all");
  app->add_option("--twins", options->twins, "scrambled twins of the model to scan, too")
      ->capture_default_str();
  app->add_flag("--across",
                options->across,
                "the model's loss and how far its heads' directions overlap, too");
  app->add_option("--ablate",
                  options->ablate,
                  "heads to take away, L5H5,L1H0: what the model loses, beside ten others each");
  AddSeed(app, options, "of random draws, twins and the heads beside those taken away");
  app->add_option("--shard", options->shard, "I/N: only the share I of N, from 0; see merge");
  app->add_flag("--resume", options->resume, "go on where a scan to the same --out was stopped");
  AddPrecision(app, options);
  AddOut(app, options, ".json or .csv");
}

void AddBench(CLI::App* app, Options* options) {
  AddModel(app, options);
  app->add_option("--tokens", options->tokens, "lengths to time")->capture_default_str();
  AddPrecision(app, options);
  CLI::Option* const train =
      app->add_flag("--train", options->bench_train, "times steps of training in place of maps");
  for (const char* const other : {"--model", "--tokens", "--precision"}) {
    train->excludes(app->get_option(other));
  }
  app->add_option("--steps", options->bench_steps, "of each training, to time")
      ->capture_default_str()
      ->needs(train);
  app->add_flag("--json", options->json, "as JSON");
}

void AddCompare(CLI::App* app, Options* options, ComparedNames* names) {
  names->model = app->add_option("--model",
                                 names->models,
                                 "A or B, whichever is given first: what --model takes elsewhere")
                     ->type_name(kModelValue)
                     ->allow_extra_args(false);
  names->attention = app->add_option("--attention",
                                     names->files,
                                     "A or B: attention made elsewhere, .safetensors, .npz or .npy")
                         ->type_name(kFileValue)
                         ->allow_extra_args(false);
  app->add_option("--head-count",
                  options->head_count,
                  "heads of a torch.nn.MultiheadAttention whose file does not say it");
  names->tensor = app->add_option("--tensor",
                                  names->tensors,
                                  "which array of the --attention before it, where a file holds "
                                  "several; given once after both it is of both")
                      ->allow_extra_args(false);
  AddInput(app, &options->input);
  AddPart(app, options);
  AddPrecision(app, options);
  AddTokenLook(app, options);
  AddView(app, options, {FigureOf::kComparison});
  AddTheme(app, options, "of the picture");
  AddSize(app, options);
  app->add_option("--curve", options->curve, "from weight to colour")
      ->type_name("linear|sqrt|log")
      ->capture_default_str();
  app->add_option("--range",
                  options->divergence_range,
                  "low:high in nats; by default from 0 to the largest shown");
  app->add_option("--colormap", options->colormap, "the colours")
      ->type_name("viridis|cividis|blues|greys")
      ->capture_default_str();
  AddOut(app,
         options,
         ".json, .safetensors, " + FigureEndings() + "; weights .json, .csv, .tex and .md");
}

// Uses the order of the command line. A --tensor belongs to the preceding --attention; a single one
// that is not between two applies to all, and several apply to the files in order.
void TakeInOrder(const CLI::App& app, const ComparedNames& names, Options* options) {
  std::size_t models = 0;
  std::size_t tensors = 0;
  std::vector<std::size_t> before;  // number of files before each --tensor
  std::vector<std::size_t> files;   // index of each file among what is compared
  for (const CLI::Option* option : app.parse_order()) {
    if (option == names.model) {
      options->compared.push_back({false, names.models[models++]});
    } else if (option == names.attention) {
      files.push_back(options->compared.size());
      options->compared.push_back({true, names.files[files.size() - 1]});
    } else if (option == names.tensor) {
      before.push_back(files.size());
      ++tensors;
    }
  }
  const bool is_of_all = tensors == 1 && (before[0] == 0 || before[0] == files.size());
  for (std::size_t i = 0; i < tensors; ++i) {
    if (i >= files.size()) {
      options->spare_tensor = names.tensors[i];
    } else {
      options->compared[files[i]].tensor = names.tensors[i];
    }
  }
  for (const std::size_t file : files) {
    if (is_of_all) {
      options->compared[file].tensor = names.tensors[0];
    }
  }
}

KnownOptions OptionsOf(const CLI::App& app) {
  KnownOptions known;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      known.emplace("--" + name, option->get_items_expected_max() > 0);
    }
  }
  return known;
}

KnownCommands KnownOf(const CLI::App& app) {
  KnownCommands known{.options = OptionsOf(app), .subcommands = {}};
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    known.subcommands.emplace(command->get_name(), OptionsOf(*command));
  }
  return known;
}

// For shells and man, when the program is built or installed.
int Describe(const CLI::App& app, const std::string& form) {
  CommandTable table = ReadCommandTable(app);
  table.version = HEADSCOPE_VERSION;
  for (const std::filesystem::path& model : BundledModels()) {
    table.models.push_back(model.filename().string());
  }
  const std::string text = DescribeCommands(table, form);
  const CommandStatus status =
      text.empty() ? Usage(fmt::format("describe: {} is not bash, zsh, fish or man", Quoted(form)))
                   : Print(text);
  return status ? 0 : Report(status.error());
}

}  // namespace

int RunCommandLine(int argc, const char* const* argv, const WindowMode& window) {
  CLI::App app(
      "Headscope opens a sentence and shows what every attention head of a transformer looks at.");
  app.name("headscope");
  app.set_version_flag("--version", std::string("headscope ") + HEADSCOPE_VERSION);
  app.require_subcommand(0, 1);
  app.footer(
      "Heads are named L5H1, counted from 0 (E0H1, D0H1, X0H1 in an encoder-decoder). Without a "
      "subcommand the window opens.");

  Options options;
  AddModel(&app, &options);
  AddAttention(&app, &options);
  AddInput(&app, &options.input);
  app.add_option(
         "file", options.file, "what to open: a model, attention made elsewhere, or a session")
      ->type_name(kFileValue);
  app.add_option("--session", options.session, "a session file: flags are kept there")
      ->type_name(kFileValue);
  app.add_option("--view", options.view, "the first screen")->type_name(ViewValue(window.views));
  app.add_option("--scale", options.scale, "size of text and controls: 2 is twice as large");
  app.add_option("--screenshot",
                 options.screenshot,
                 "save a picture of the window once all is computed, and leave")
      ->type_name(kFileValue);
  app.add_option("--preferences",
                 options.preferences,
                 "a file of theme, colours and window, in place of the usual one")
      ->type_name(kFileValue);
  app.add_option("--frame-log", options.frame_log, "a line of timing for each drawn frame")
      ->type_name(kFileValue);

  CLI::App* info = app.add_subcommand("info", "what a model is: layers, heads, widths");
  AddModel(info, &options);
  info->add_flag("--json", options.json, "as JSON");

  CLI::App* tokenize = app.add_subcommand("tokenize", "the tokens of a text, as JSON");
  AddModel(tokenize, &options);
  AddInput(tokenize, &options.input);

  CLI::App* attend = app.add_subcommand("attend", "the attention of every head, as a file");
  AddModel(attend, &options);
  AddInput(attend, &options.input);
  AddPart(attend, &options);
  attend->add_option("--layers", options.layers, "0-3 or 2; all if left out");
  AddTokenLook(attend, &options);
  AddPrecision(attend, &options);
  AddOut(attend, &options, ".safetensors or .npz");

  CLI::App* render = app.add_subcommand("render", "a picture of a head, a layer or all heads");
  AddRender(render, &options);
  AddPrecision(render, &options);
  AddPart(render, &options);
  CLI::App* page =
      app.add_subcommand("page", "one HTML file that shows and tells, without a network");
  AddPage(page, &options);
  CLI::App* split =
      app.add_subcommand("split", "one layer's own weights cut into other numbers of heads");
  AddSplit(split, &options);
  AddPrecision(split, &options);
  AddPart(split, &options);

  CLI::App* weights =
      app.add_subcommand("weights", "a head's own matrices, or a layer's, as a file");
  AddWeights(weights, &options);

  CLI::App* score = app.add_subcommand("score", "what every head does over a corpus, in numbers");
  AddScore(score, &options);
  CLI::App* merge = app.add_subcommand("merge", "the shares of a scan, or of patching, as one");
  merge->add_option("parts", options.parts, "what score or patch --shard wrote")
      ->type_name(kFileValue);
  AddOut(merge, &options, ".json or .csv");

  CLI::App* train = app.add_subcommand(
      "train", "a small model from its first weights, as a folder with its steps");
  AddTrain(train, &options);
  CLI::App* predict =
      app.add_subcommand("predict", "the next word, its loss, and each head's share in it");
  AddPredict(predict, &options);
  CLI::App* patch =
      app.add_subcommand("patch", "which heads carry the difference between two texts");
  AddPatch(patch, &options);

  CLI::App* bench = app.add_subcommand("bench", "how fast this machine computes every map");
  AddBench(bench, &options);

  CLI::App* families = app.add_subcommand("families", "the types of models that open");
  families->add_flag("--json", options.json, "as JSON");

  CLI::App* compare =
      app.add_subcommand("compare", "two runs of one text, head by head: how far they lie apart");
  ComparedNames compared;
  AddCompare(compare, &options, &compared);

  std::string form;
  CLI::App* describe = app.add_subcommand("describe", "this table as bash, zsh, fish or man");
  describe->group("")->add_option("form", form)->required();

  CommandResult<std::vector<std::string>> arguments =
      PlainArguments(KnownOf(app), {argv + std::min(argc, 1), argv + argc});
  if (!arguments) {
    return Report(arguments.error());
  }
  std::ranges::reverse(*arguments);  // the order that CLI11 expects
  try {
    app.parse(*arguments);
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    return Report(
        {{ErrorCode::kInput, std::string(error.what()) + "; see headscope --help"}, true});
  }
  if (describe->parsed()) {
    return Describe(app, form);
  }
  TakeInOrder(*compare, compared, &options);
  ExpandHomes(&options);
  const std::map<const CLI::App*, CommandStatus (*)(const Options&)> commands = {
      {info, RunInfo},
      {tokenize, RunTokenize},
      {attend, RunAttend},
      {render, RunRender},
      {page, RunPage},
      {split, RunSplit},
      {compare, RunCompare},
      {weights, RunWeights},
      {score, RunScore},
      {merge, RunMerge},
      {train, RunTrain},
      {predict, RunPredict},
      {patch, RunPatch},
      {bench, RunBench},
      {families, RunFamilies},
  };
  for (const auto& [command, run] : commands) {
    if (command->parsed()) {
      const CommandStatus status = run(options);
      return status ? 0 : Report(status.error());
    }
  }
  const CommandResult<WindowArguments> wanted = ReadWindowArguments(options, window.views);
  return wanted ? window.open(*wanted) : Report(wanted.error());
}

}  // namespace headscope
