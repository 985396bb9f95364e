// The subcommands, one file each: command_<name>.cpp.
//
// Errors   CommandError; nothing is written to --out when one is returned.
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
[[nodiscard]] CommandStatus RunSplit(const Options& options);
[[nodiscard]] CommandStatus RunCompare(const Options& options);
[[nodiscard]] CommandStatus RunScore(const Options& options);
[[nodiscard]] CommandStatus RunMerge(const Options& options);
[[nodiscard]] CommandStatus RunBench(const Options& options);

// --- what they share

[[nodiscard]] CommandResult<std::shared_ptr<const Model>> OpenModel(const Options& options);

// On standard error, where the model's tokenizer cannot be read: a note of why.
void SayTokenizerFault(const Model& model);

// Faults of a --text-file are told with its name: bytes that are no UTF-8, or no text at all.
[[nodiscard]] CommandStatus CheckTextFile(const InputOptions& options,
                                          const InputText& input,
                                          bool may_be_empty);

// A backend in the precision that the options ask for.
[[nodiscard]] CommandResult<std::unique_ptr<Backend>> MakeBackend(const Options& options);

// A model, an input and a backend, ready to run.
struct Run {
  std::shared_ptr<const Model> model;
  InputText text;  // as given
  PreparedInput input;
  std::unique_ptr<Backend> backend;
  std::unique_ptr<Forward> forward;  // after the backend: goes first
};
[[nodiscard]] CommandResult<Run> PrepareRun(const Options& options);

using Layers = std::vector<std::shared_ptr<const LayerAttention>>;

// Attention of layers first..last of a part (none: of every part), the target generated where the
// decoder runs and none was given. Progress goes to stderr if that is a terminal.
[[nodiscard]] CommandResult<Layers> AttendLayers(Run* run,
                                                 std::optional<ModelPart> part,
                                                 LayerRange range,
                                                 bool keep_states);

// The part that is drawn or cut: what --part says, else the encoder; of other models the whole.
[[nodiscard]] CommandResult<ModelPart> ChoosePart(const Options& options,
                                                  const ModelDescription& model);

// --out, with an ending among `endings` or, where a figure can be asked for, those of figures.
enum class Figures { kNo, kYes };
[[nodiscard]] CommandStatus CheckOutput(const Options& options,
                                        std::vector<std::string> endings,
                                        Figures figures);

// The kind of figure that --view asks for, and its file.
[[nodiscard]] CommandResult<const FigureKind*> ChooseFigure(const Options& options, FigureOf of);
[[nodiscard]] CommandStatus WriteFigureTo(const Options& options,
                                          const FigureKind& kind,
                                          const FigureSubject& subject);

// --curve, --range, --colormap, --theme and --size; DescribeRun adds model, text and tokens.
[[nodiscard]] CommandResult<FigureContext> ReadFigureContext(const Options& options);
void DescribeRun(const Run& run, const Options& options, FigureContext* context);

// With U+FFFD for every byte that is part of no character: names of folders may hold such bytes.
[[nodiscard]] std::string ValidUtf8(std::string_view bytes);

// Text to standard output, as ValidUtf8 makes it; a full disk behind it is an error.
[[nodiscard]] CommandStatus Print(std::string_view text);

}  // namespace headscope
