// The options of each subcommand, as read, before anything is opened.
//
// Source   docs/reference.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/figure/color_scale.h"
#include "core/heads/measure/head_name.h"
#include "core/worker/model_input.h"

namespace headscope {

struct InputOptions {
  std::optional<std::string> text;
  std::optional<std::string> pair;
  std::optional<std::string> target;
  std::optional<std::string> text_file;
  std::optional<std::string> ids;
  std::optional<std::string> segment_ids;
  std::optional<std::string> target_ids;
  std::optional<std::string> embeddings;
  std::optional<std::string> key_embeddings;
  std::optional<std::string> value_embeddings;
  std::optional<std::int64_t> first_tokens;
  friend bool operator==(const InputOptions&, const InputOptions&) = default;
};

// A model or a file to compare with another.
struct ComparedOption {
  bool is_attention = false;
  std::string value;
  std::string tensor = {};  // in an attention file; empty: the obvious one
};

// Of train; its --head-dim, --seed and --out are those of others.
struct TrainOptions {
  std::int64_t heads = 4;
  std::int64_t layers = 2;
  std::int64_t model_dim = 64;
  std::int64_t vocabulary = 64;
  std::int64_t context = 80;
  std::string task = "copy";
  std::optional<std::string> periods;  // "8-50" or "32"
  std::int64_t batch = 16;
  std::int64_t steps = 1000;
  double rate = 0.003;
  std::int64_t warm_up = 100;
  std::optional<double> spread;
  bool alike = false;
  std::optional<double> noise;
  bool ones = false;
  std::int64_t mlp = 0;
  bool tied = false;
  bool sinusoids = false;
  bool own_segments = false;
  double disagreement = 0.0;
  std::int64_t every = 50;
  std::optional<std::string> from;
  std::optional<std::string> data;
  std::string optimizer = "adam";
};

// Of predict and patch.
struct CauseOptions {
  std::optional<std::string> rows;  // "last", "all" or "1,5"
  std::int64_t top = 10;
  std::optional<std::string> id;  // a token: " Mary" or "#5335"
  std::optional<std::string> against;
  std::optional<std::int64_t> row;
  std::optional<std::string> keys;  // heads: "L5H1,L0H3"
  bool lens = false;
  std::optional<std::string> mask;  // positions: "4,7"
  std::optional<std::string> without;
  std::optional<std::string> replace;
  bool by_position = false;
  std::optional<std::string> cut;  // edges: "L1H0:3,L1H0:5:3"
  bool control = false;
  // patch
  std::optional<std::string> corrupted;
  std::optional<std::string> corrupted_ids;
  std::optional<std::string> right;
  std::optional<std::string> wrong;
  std::optional<std::string> what;
  std::optional<std::int64_t> at;  // the only row that is taken over
  std::optional<std::string> direction;
  std::optional<std::string> from;
  std::optional<std::string> to;
  bool freeze_mlps = false;
  std::optional<std::string> pairs;
  bool evidence = false;  // of roles, in place of scores
};

struct Options {
  std::string model;
  std::optional<std::int64_t> head_count;  // for an attention module
  InputOptions input;
  std::string out;
  bool json = false;
  // attend
  std::optional<std::string> part;
  std::optional<std::string> layers;  // "0-3" or "2"
  std::string precision = "f32";
  // render
  std::optional<std::string> attention;
  std::string tensor;  // in the attention file; empty: the obvious one
  std::optional<std::string> head;
  std::optional<std::int64_t> layer;  // also for split
  bool all = false;
  bool each = false;                      // a file for each head of --layer or --all
  bool words = false;                     // pieces of a word merged
  std::string hide;                       // tokens: "special,first"
  std::optional<std::string> stop_words;  // a file
  bool renormalise = false;               // rows without what is hidden
  std::string view;
  bool all_steps = false;           // of a filmstrip
  bool roles = false;               // of a filmstrip: each step is scanned
  std::string tree;                 // a file of annotated sentences; empty: none
  std::string sentence;             // of it: a number from 1, or an id
  std::string tree_direction;       // empty: dependent-to-head
  std::vector<std::string> scores;  // files of `score`
  std::vector<std::string> runs;    // folders of `train`
  std::string metric = "previous_token";
  std::string second = "induction";  // of a scatter
  std::string curve = "sqrt";
  std::string range = "0:1";
  std::string colormap = "viridis";
  int size_px = 1600;
  std::string theme = "light";
  std::string preset;                // a name of core/figure/figure_preset.h
  std::optional<std::string> width;  // "8.9cm", "1600px"
  std::optional<double> font_points;
  bool no_labels = false;
  bool no_bar = false;
  bool no_caption = false;
  // split
  std::optional<std::string> head_counts;
  std::string segments = "contiguous";
  std::optional<std::int64_t> head_dim;
  std::string weights = "trained";
  std::optional<std::string> split_input;
  std::optional<double> input_scale;
  std::optional<std::uint64_t> seed;
  // score, merge
  std::string probe = "repeats";
  std::int64_t sequences = 10;
  std::string draw = "text";
  std::int64_t twins = 0;
  std::optional<std::int64_t> sentences;  // 0: all that the model knows
  std::optional<std::string> ablate;      // "L5H5,L1H0"
  std::optional<std::string> shard;       // "0/4"
  bool resume = false;
  bool across = false;  // with what models are compared by
  std::vector<std::string> parts;
  // compare: two of them, in the given order, and a --tensor without a file
  std::vector<ComparedOption> compared;
  std::string spare_tensor;
  std::optional<std::string> divergence_range;
  TrainOptions train;
  CauseOptions causes;
  // bench
  std::string tokens = "32,128,512,1024";
  bool bench_train = false;
  std::int64_t bench_steps = 200;
  // window
  std::string file;  // given without an option
  std::string session;
  double scale = 0.0;
  std::string screenshot;
  std::string frame_log;
  std::string preferences;
};

// Expands "~" at the start of every path: a shell leaves it unchanged in --model=~/x.
void ExpandHomes(Options* options);

// The error that ends a command. `usage`: exit status 2.
struct CommandError {
  // NOLINTNEXTLINE(google-explicit-constructor): HEADSCOPE_TRY passes failures on
  CommandError(Error failure, bool is_usage = false) : error(std::move(failure)), usage(is_usage) {}

  Error error;
  bool usage;
};
template <typename T>
using CommandResult = tl::expected<T, CommandError>;

[[nodiscard]] tl::unexpected<CommandError> Usage(std::string message);
[[nodiscard]] tl::unexpected<CommandError> NotYet(const std::string& what);

// Parses "1,2,3"; each in [least, most].
[[nodiscard]] CommandResult<std::vector<std::int64_t>> ParseNumbers(const std::string& text,
                                                                    const std::string& option,
                                                                    std::int64_t least,
                                                                    std::int64_t most);

// Parses "0-3" or "2" for a model of `layers` layers.
struct LayerRange {
  std::int64_t first = 0;
  std::int64_t last = 0;
  friend bool operator==(const LayerRange&, const LayerRange&) = default;
};
[[nodiscard]] CommandResult<LayerRange> ParseLayers(const std::string& text, std::int64_t layers);

// Parses "encoder", "decoder" or "cross".
[[nodiscard]] CommandResult<ModelPart> ParsePartName(const std::string& text);
// The same, but an error if the model has only one part; no text gives no part.
[[nodiscard]] CommandResult<std::optional<ModelPart>> ParsePart(
    const std::optional<std::string>& text, const ModelDescription& model);

// Parses curve, range and colour map by name; "lo:hi" is a fixed range.
[[nodiscard]] CommandResult<ColorScale> ParseColorScale(const Options& options);
[[nodiscard]] CommandResult<Theme> ParseTheme(const std::string& text);

// Reads --text, --text-file, --pair, --ids, --embeddings and the related options into the worker's
// form; files of embeddings are not opened.
[[nodiscard]] CommandResult<InputText> ReadInput(const InputOptions& options);
// True if any input option is given, even one that only goes with another.
[[nodiscard]] bool HasInput(const InputOptions& options);

}  // namespace headscope
