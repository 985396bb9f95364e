#include "app/cli/commands.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "app/files/assets.h"
#include "core/attention/capture.h"
#include "core/compute/precision.h"
#include "core/figure/figure_format.h"
#include "core/text/unicode.h"

namespace headscope {

Result<std::shared_ptr<const Model>> OpenModel(const Options& options) {
  return Model::Open(ResolveModel(options.model), {.heads = options.head_count});
}

void SayTokenizerFault(const Model& model) {
  if (!model.tokenizer_fault().empty()) {
    fmt::print(stderr,
               "headscope: note: {}; the model takes token numbers (--ids)\n",
               ValidUtf8(model.tokenizer_fault()));
  }
}

CommandResult<std::unique_ptr<Backend>> MakeBackend(const Options& options) {
  const std::optional<Precision> precision = ParsePrecision(options.precision);
  if (!precision) {
    return Usage("--precision: expected f32 or bf16");
  }
  HEADSCOPE_TRY(auto backend, MakeOnednnBackend(*precision));
  return backend;
}

Status CheckUtf8(const std::string& file, std::string_view text) {
  if (const std::optional<std::size_t> offset = FirstInvalidByte(text)) {
    return Fail(ErrorCode::kInput,
                fmt::format("{}: not UTF-8 from byte {} of its text on (0x{:02x}); convert it "
                            "to UTF-8",
                            file,
                            *offset,
                            static_cast<unsigned char>(text[*offset])));
  }
  return {};
}

Status CheckTextFile(const InputOptions& options, const InputText& input, bool may_be_empty) {
  if (!options.text_file) {
    return {};
  }
  const std::string file = *options.text_file;
  HEADSCOPE_TRY(CheckUtf8(file, input.text));
  if (input.text.empty() && !may_be_empty) {
    return Fail(ErrorCode::kInput, fmt::format("{}: the file is empty, expected a text", file));
  }
  return {};
}

// Like PrepareInput, which mentions the window's boxes, but mentions options.
Status CheckReadsGiven(const Model& model, const InputText& text) {
  if (!text.text.empty() && !model.description().reads_embeddings()) {
    HEADSCOPE_TRY(CheckReadsText(model, "give token numbers with --ids"));
  }
  return text.target && model.description().decoder
             ? CheckReadsText(model, "give token numbers with --target-ids", TextSide::kTarget)
             : Status{};
}

CommandResult<Run> PrepareRun(const Options& options) {
  Run run;
  HEADSCOPE_TRY(run.text, ReadInput(options.input));
  HEADSCOPE_TRY(CheckTextFile(options.input, run.text, false));
  HEADSCOPE_TRY(run.model, OpenModel(options));
  HEADSCOPE_TRY(CheckReadsGiven(*run.model, run.text));
  SayTokenizerFault(*run.model);
  std::int64_t could_read = 0;
  Result<PreparedInput> input = PrepareInput(*run.model, run.text, {}, &could_read);
  if (!input) {
    Error error = std::move(input.error());
    if (could_read > 0) {
      error.message += fmt::format(", or give --first-tokens {} to use its start", could_read);
    }
    return PassOn(std::move(error));
  }
  run.input = std::move(*input);
  HEADSCOPE_TRY(run.backend, MakeBackend(options));
  run.forward = std::make_unique<Forward>(run.model, run.backend.get());
  return run;
}

CommandResult<ModelPart> ChoosePart(const Options& options, const ModelDescription& model) {
  HEADSCOPE_TRY(const auto part, ParsePart(options.part, model));
  return part.value_or(PartsOf(model).front());
}

CommandResult<Layers> AttendLayers(Run* run,
                                   std::optional<ModelPart> part,
                                   LayerRange range,
                                   bool keep_states) {
  if (part != ModelPart::kEncoder) {
    HEADSCOPE_TRY(CompleteTarget(run->forward.get(), &run->input, {}));
  }
  CaptureOptions capture;
  capture.part = part;
  capture.first_layer = range.first;
  capture.last_layer = range.last;
  capture.keep_states = keep_states;
  const bool terminal = isatty(STDERR_FILENO) == 1;
  Layers layers;
  const Status status = CaptureAttention(
      run->forward.get(),
      run->input.forward,
      capture,
      [&](std::shared_ptr<const LayerAttention> layer) -> Status {
        if (terminal) {
          fmt::print(stderr, "\rlayer {} of {}", layer->layer() + 1, range.last + 1);
        }
        layers.push_back(std::move(layer));
        return {};
      },
      {});
  if (terminal) {
    fmt::print(stderr, "\r\033[K");
  }
  HEADSCOPE_TRY(status);
  return layers;
}

CommandStatus CheckOutput(const Options& options,
                          std::vector<std::string> endings,
                          Figures figures) {
  if (figures == Figures::kYes) {
    for (const FigureFormat& format : AllFigureFormats()) {
      endings.emplace_back(format.ending);
    }
  }
  if (options.out.empty()) {
    return Usage(
        fmt::format("--out is missing: give a file that ends in {}", fmt::join(endings, " or ")));
  }
  const std::string ending = std::filesystem::path(options.out).extension().string();
  if (std::ranges::find(endings, ending) != endings.end()) {
    return {};
  }
  return Usage(fmt::format(
      "--out {}: expected a file that ends in {}", options.out, fmt::join(endings, " or ")));
}

std::vector<std::string> NumberEndings(const FigureKind& kind) {
  std::vector<std::string> endings;
  for (const NumbersFormat& format : kind.numbers) {
    endings.emplace_back(format.ending);
  }
  return endings;
}

CommandResult<const FigureKind*> ChooseFigure(const Options& options, FigureOf of) {
  const FigureKind* kind = FindFigureKind(of, options.view.empty() ? kPlainView : options.view);
  if (kind != nullptr) {
    return kind;
  }
  if (options.view == "lines") {
    return NotYet("--view lines");
  }
  return Usage(
      fmt::format("--view: \"{}\" is not {}", options.view, fmt::join(ViewsOf(of), " or ")));
}

CommandStatus WriteFigureTo(const Options& options,
                            const FigureKind& kind,
                            const FigureSubject& subject) {
  HEADSCOPE_TRY(WriteFigure(options.out, kind, subject));
  return {};
}

std::string ValidUtf8(std::string_view bytes) {
  std::string valid;
  for (std::size_t at = 0; at < bytes.size();) {
    AppendCharacter(valid, NextCharacter(bytes, at));
  }
  return valid;
}

CommandStatus Print(std::string_view text) {
  const std::string valid = ValidUtf8(text);
  if (std::fwrite(valid.data(), 1, valid.size(), stdout) != valid.size() ||
      std::fflush(stdout) != 0) {
    return Fail(ErrorCode::kIo,
                fmt::format("standard output: cannot be written ({})", std::strerror(errno)));
  }
  return {};
}

}  // namespace headscope
