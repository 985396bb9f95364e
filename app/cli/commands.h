// The subcommands, one file each: command_<name>.cpp.
//
// Errors   CommandError; nothing is written to --out when one is returned, but for the steps of a
//          training that ends early.
// Threads  the main thread, which owns the backend here.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "app/cli/options.h"
#include "core/attention/layer_attention.h"
#include "core/compute/backend.h"
#include "core/figure/figure_kind.h"
#include "core/model/forward.h"
#include "core/model/model.h"
#include "core/worker/model_input.h"

namespace headscope {

using CommandStatus = CommandResult<void>;

[[nodiscard]] CommandStatus RunInfo(const Options& options);
[[nodiscard]] CommandStatus RunTokenize(const Options& options);
[[nodiscard]] CommandStatus RunAttend(const Options& options);
[[nodiscard]] CommandStatus RunRender(const Options& options);
[[nodiscard]] CommandStatus RunPage(const Options& options);
[[nodiscard]] CommandStatus RunSplit(const Options& options);
[[nodiscard]] CommandStatus RunCompare(const Options& options);
[[nodiscard]] CommandStatus RunWeights(const Options& options);
[[nodiscard]] CommandStatus RunScore(const Options& options);
[[nodiscard]] CommandStatus RunMerge(const Options& options);
[[nodiscard]] CommandStatus RunTrain(const Options& options);
[[nodiscard]] CommandStatus RunPredict(const Options& options);
[[nodiscard]] CommandStatus RunPatch(const Options& options);
[[nodiscard]] CommandStatus RunBench(const Options& options);
[[nodiscard]] CommandStatus RunFamilies(const Options& options);

// --- what they share

[[nodiscard]] Result<std::shared_ptr<const Model>> OpenModel(const Options& options);

// Notes on standard error why the model's tokenizer cannot be read, if so.
void SayTokenizerFault(const Model& model);

// Errors   bytes of the file's text that are not UTF-8.
[[nodiscard]] Status CheckUtf8(const std::string& file, std::string_view text);

// Errors   about a --text-file name it: bytes that are not UTF-8, or no text at all.
[[nodiscard]] Status CheckTextFile(const InputOptions& options,
                                   const InputText& input,
                                   bool may_be_empty);

// Makes a backend with the requested precision.
[[nodiscard]] CommandResult<std::unique_ptr<Backend>> MakeBackend(const Options& options);

// A model, an input and a backend, ready to run.
struct Run {
  std::shared_ptr<const Model> model;
  InputText text;  // as given
  PreparedInput input;
  std::unique_ptr<Backend> backend;
  std::unique_ptr<Forward> forward;  // after the backend: destroyed first
};
[[nodiscard]] CommandResult<Run> PrepareRun(const Options& options);

using Layers = std::vector<std::shared_ptr<const LayerAttention>>;

// Computes attention of layers first..last of a part (none: of every part); a missing target is
// generated if the decoder runs. Progress goes to stderr if that is a terminal.
[[nodiscard]] CommandResult<Layers> AttendLayers(Run* run,
                                                 std::optional<ModelPart> part,
                                                 LayerRange range,
                                                 bool keep_states);

// Returns the part to draw or cut: --part, otherwise the encoder; the whole for models without
// parts.
[[nodiscard]] CommandResult<ModelPart> ChoosePart(const Options& options,
                                                  const ModelDescription& model);

// Checks --out: its extension must be among `endings` or, with Figures::kYes, those of figures.
enum class Figures { kNo, kYes };
[[nodiscard]] CommandStatus CheckOutput(const Options& options,
                                        std::vector<std::string> endings,
                                        Figures figures);

// Draws --scores: what headscope score wrote.
[[nodiscard]] CommandStatus RenderScores(const Options& options);
// The same of --runs, what `train` wrote.
[[nodiscard]] CommandStatus RenderRuns(const Options& options);

// Draws one head over the kept steps of a training.
[[nodiscard]] CommandStatus RenderFilm(const Options& options, const FigureKind& kind);

// The endings of a kind's files of numbers.
[[nodiscard]] std::vector<std::string> NumberEndings(const FigureKind& kind);

// The kind of figure named by --view, and writing its file.
[[nodiscard]] CommandResult<const FigureKind*> ChooseFigure(const Options& options, FigureOf of);
[[nodiscard]] CommandStatus WriteFigureTo(const Options& options,
                                          const FigureKind& kind,
                                          const FigureSubject& subject);

// Reads --curve, --range, --colormap, --theme and --size; DescribeRun adds model, text and tokens.
[[nodiscard]] CommandResult<FigureContext> ReadFigureContext(const Options& options);
void DescribeRun(const Run& run, const Options& options, FigureContext* context);

// Replaces every byte that is not part of a character by U+FFFD: folder names may contain such
// bytes.
[[nodiscard]] std::string ValidUtf8(std::string_view bytes);

// Writes text to standard output through ValidUtf8; a full disk is an error.
[[nodiscard]] CommandStatus Print(std::string_view text);

}  // namespace headscope
