// Runs side B of a comparison and compares it with the picture.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/attention/capture.h"
#include "core/base/byte_text.h"
#include "core/base/counted.h"
#include "core/compare/aligned_axis.h"
#include "core/compare/compared_pair.h"
#include "core/compare/weight_changes.h"
#include "core/figure/figure_context.h"
#include "core/heads/measure/head_name.h"
#include "core/model/head_widths.h"
#include "core/worker/figure_words.h"
#include "core/worker/job.h"

namespace headscope {
namespace {

constexpr std::int64_t kMostBytes = std::int64_t{2} << 30;  // for side B's queries and keys

using Layers = std::vector<std::shared_ptr<const LayerAttention>>;
using Tokens = std::shared_ptr<const Encoding>;

struct Run {
  std::string name;
  Layers layers = {};
  Tokens queries = {};
  Tokens keys = {};
  const InputText* input = nullptr;  // what was read; null: a file has its own tokens
  FigureContext about = {};          // what a figure says about it
};

Error OfSideB(Error error) {
  error.message = "side B: " + error.message;
  return error;
}

// Returns the part of side B that is compared with a part of side A.
Result<ModelPart> PartBeside(const std::vector<ModelPart>& parts, ModelPart part) {
  if (std::ranges::find(parts, part) != parts.end()) {
    return part;
  }
  const bool is_of_text = !HasTargetQueries(part);
  if (is_of_text && !HasTargetQueries(parts.front())) {
    return parts.front();
  }
  return Fail(
      ErrorCode::kInput,
      fmt::format("it has no {} attention to set beside that of side A; look at the encoder "
                  "of side A (P)",
                  PartName(part)));
}

Status CheckMemory(const StackDescription& stack, std::int64_t layers, std::int64_t tokens) {
  std::int64_t width = 0;
  for (std::int64_t layer = 0; layer < layers; ++layer) {
    width += (stack.heads + stack.kv_heads) * stack.WidthsAt(layer).key;
  }
  const auto wanted =
      static_cast<double>(tokens) * static_cast<double>(width) * static_cast<double>(sizeof(float));
  if (wanted > static_cast<double>(kMostBytes)) {
    return Fail(ErrorCode::kInput,
                fmt::format("its queries and keys would take {}, and {} is the most that is kept "
                            "beside the picture; compare a shorter text",
                            ByteText(static_cast<std::uint64_t>(wanted)),
                            ByteText(static_cast<std::uint64_t>(kMostBytes))));
  }
  return {};
}

Result<Run> RunModel(const CompareJob& request,
                     Forward* forward,
                     const InputText& input,
                     Job* job) {
  const Model& model = forward->model();
  const ModelDescription& about = model.description();
  HEADSCOPE_TRY(auto prepared, PrepareInput(model, input, job->stop));
  HEADSCOPE_TRY(const auto part, PartBeside(PartsOf(about), request.layers.front()->part()));
  if (HasTargetQueries(part) && prepared.forward.target_ids.empty()) {
    job->publish(Progress{0, 0, "generating the target of side B"});
    HEADSCOPE_TRY(CompleteTarget(forward, &prepared, job->stop));
  }
  Run run{.name = model.name(), .input = &input};
  run.queries = HasTargetQueries(part) ? prepared.target : prepared.encoding;
  run.keys = HasTargetKeys(part)        ? prepared.target
             : prepared.keys != nullptr ? prepared.keys
                                        : prepared.encoding;
  run.about.model = ModelLine(
      run.name, about.family, about.layers, about.heads, about.model_dim, HeadDimText(about));
  DescribeInput(input, *prepared.encoding, &run.about);
  const StackDescription& stack = StackOf(about, part);
  const std::int64_t last = std::min(stack.layers - 1, request.layers.back()->layer());
  HEADSCOPE_TRY(CheckMemory(stack, last + 1, std::ssize(run.keys->tokens)));
  CaptureOptions options;
  options.last_layer = last;
  if (about.decoder) {
    options.part = part;
  }
  const auto take = [&](std::shared_ptr<const LayerAttention> layer) -> Status {
    run.layers.push_back(std::move(layer));
    const std::int64_t done = std::ssize(run.layers);
    job->publish(
        Progress{done, 2 * (last + 1), fmt::format("layer {} of {} of side B", done, last + 1)});
    job->between_layers();
    return {};
  };
  HEADSCOPE_TRY(CaptureAttention(forward, prepared.forward, options, take, job->stop));
  return run;
}

Result<Run> ReadFile(const CompareJob& request, Job* job) {
  HEADSCOPE_TRY(const auto file, AttentionFile::Open(request.other.model, "", job->stop));
  std::vector<ModelPart> all;
  for (const GivenPart& part : file->parts()) {
    all.push_back(part.part);
  }
  HEADSCOPE_TRY(const auto part, PartBeside(all, request.layers.front()->part()));
  const auto chosen = static_cast<std::size_t>(std::ranges::find(all, part) - all.begin());
  Run run{.name = file->name()};
  for (std::size_t i = 0; i < file->parts()[chosen].layers.size(); ++i) {
    HEADSCOPE_TRY(auto layer, file->Layer(chosen, i, kThumbnailSize, job->stop));
    run.layers.push_back(std::move(layer));
    job->between_layers();
  }
  DescribeGiven(*file, &run.about);
  run.queries = HasTargetQueries(part) ? file->target() : file->encoding();
  run.keys = HasTargetKeys(part)       ? file->target()
             : file->keys() != nullptr ? file->keys()
                                       : file->encoding();
  return run;
}

// Cuts a layer of side A into another head count.
Result<Run> CutLayer(const CompareJob& request, Job* job) {
  SplitJob split;
  split.layer = request.other.cut_layer;
  split.opening = request.opening;
  split.split.head_counts = {request.other.cut_heads};
  split.split.keeps_outputs = false;
  if (const ModelPart part = request.layers.front()->part(); part != ModelPart::kWhole) {
    split.part = part;
  }
  std::shared_ptr<const SplitResult> result;
  Job own = *job;
  own.publish = [&result](Event::What what) {
    if (auto* const ready = std::get_if<SplitReady>(&what)) {
      result = std::move(ready->split);
    }
    return true;
  };
  HEADSCOPE_TRY(split.Run(&own));
  const LayerId id{request.layers.front()->part(), request.other.cut_layer};
  Run run{.name = fmt::format(
              "{} cut into {}", LayerName(id), Counted(request.other.cut_heads, "head")),
          .layers = {result->counts.front().attention},
          .queries = request.queries,
          .keys = request.keys};
  run.about.model = run.name;
  return run;
}

Result<Run> RunSideB(const CompareJob& request, const InputText& input, Job* job) {
  const std::filesystem::path& path = request.other.model;
  if (request.other.cut_heads > 0) {
    return CutLayer(request, job);
  }
  if (path.empty()) {
    HEADSCOPE_TRY(job->opened->Check(request.opening));
    if (job->opened->attention() != nullptr) {
      return Fail(ErrorCode::kInput,
                  "attention from a file cannot run another sentence; choose a model for side B");
    }
    HEADSCOPE_TRY(job->opened->Use(request.precision));
    return RunModel(request, job->opened->forward(), input, job);
  }
  if (HoldsAttention(path)) {
    return ReadFile(request, job);
  }
  std::unique_ptr<OtherModel>& other = job->opened->other();
  if (other == nullptr || other->path != path) {
    job->publish(Progress{0, 0, "opening side B"});
  }
  HEADSCOPE_TRY(const auto forward, job->opened->OpenBeside(path, &other, job->stop));
  return RunModel(request, forward, input, job);
}

// Aligns by tokens if they are the same, by words if one text was tokenized in two ways, and
// otherwise by the words that the two texts have in common.
Result<SharedAxis> AxisOf(const Tokens& a,
                          const Tokens& b,
                          const InputText* text,
                          const std::stop_token& stop) {
  SharedText shared{.a = *a, .b = *b};
  if (text != nullptr && !text->text.empty() && text->ids.empty()) {
    shared.text = &text->text;
    shared.pair = text->pair ? &*text->pair : nullptr;
  }
  auto axis = ShareAxis(shared);
  return axis ? std::move(axis) : AlignAxis(*a, *b, stop);
}

bool HaveSameTokens(const Encoding& a, const Encoding& b) {
  return std::ranges::equal(a.tokens, b.tokens, {}, &Token::id, &Token::id);
}

Result<ComparedPair> SetBeside(const CompareJob& request,
                               const InputText& input,
                               Run* run,
                               Job* job) {
  const ModelPart part = request.layers.front()->part();
  TokenLook look_b = request.look;
  if (!HaveSameTokens(*request.queries, *run->queries)) {
    look_b.hidden.clear();
  }
  HEADSCOPE_TRY(
      const auto a,
      SeeLayers({request.layers, request.queries, request.keys}, request.look, job->stop));
  HEADSCOPE_TRY(const auto b, SeeLayers({run->layers, run->queries, run->keys}, look_b, job->stop));
  const bool is_one_text = run->input != nullptr && input == request.input;
  const auto text_of = [&](bool is_target) {
    return is_one_text && !is_target ? &request.input : nullptr;
  };
  HEADSCOPE_TRY(auto queries,
                AxisOf(a.queries, b.queries, text_of(HasTargetQueries(part)), job->stop));
  HEADSCOPE_TRY(auto keys, AxisOf(a.keys, b.keys, text_of(HasTargetKeys(part)), job->stop));
  const auto progress = [job](std::int64_t done, std::int64_t layers) {
    job->publish(Progress{layers + done, 2 * layers, fmt::format("heads of layer {}", done)});
    job->between_layers();
  };
  HEADSCOPE_TRY(
      auto pair,
      PairUp(a, b, std::move(queries), std::move(keys), request.look, progress, job->stop));
  pair.comparison.a = request.name;
  pair.comparison.b = run->name;
  for (const auto& layer : pair.b) {
    pair.bytes_b += layer->byte_size();
  }
  pair.b_has_model = job->opened->other() != nullptr;
  pair.model_b = std::move(run->about.model);
  if (run->input != nullptr && !is_one_text) {
    pair.text_b = std::move(run->about.text);
  }
  pair.notes_b = std::move(run->about.notes);
  return pair;
}

}  // namespace

Status CompareJob::Run(Job* job) const {
  if (layers.empty()) {
    job->opened->other() = nullptr;
    job->opened->weights() = nullptr;
    return {};
  }
  if (other.model.empty()) {
    job->opened->other() = nullptr;
  }
  const InputText& read = other.input ? *other.input : input;
  auto run = RunSideB(*this, read, job);
  if (!run) {
    const bool is_plain =
        run.error().code == ErrorCode::kCancelled || run.error().code == ErrorCode::kGone;
    return tl::unexpected(is_plain ? run.error() : OfSideB(run.error()));
  }
  HEADSCOPE_TRY(auto pair, SetBeside(*this, read, &*run, job));
  job->publish(SidesCompared{std::make_shared<const ComparedPair>(std::move(pair))});
  return {};
}

}  // namespace headscope
