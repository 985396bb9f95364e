#include "core/model/forward.h"

#include <algorithm>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "core/base/half.h"
#include "core/compute/rows.h"
#include "core/model/config.h"
#include "core/model/kept_keys.h"
#include "core/model/layer_changes.h"
#include "core/model/prepared_weights.h"
#include "core/model/read_weights.h"
#include "core/model/stack_pass.h"

namespace headscope {

struct Forward::State {
  std::shared_ptr<const Model> model;
  Backend* backend = nullptr;
  std::unique_ptr<PreparedWeights> weights;
  LinearNeed output_layer;  // for a model that generates

  // Adds the file's name if the fault is in the weights.
  Status InFile(Status status) const {
    if (!status &&
        (status.error().code == ErrorCode::kNumeric || status.error().code == ErrorCode::kShape)) {
      status.error().message =
          fmt::format("{}: {}", model->weights().path().string(), status.error().message);
    }
    return status;
  }

  // Runs one stack up to the last requested layer, or to its end if there is none.
  Status RunStack(StackPass* pass,
                  const StackDescription& stack,
                  std::optional<LayerId> last,
                  LayerObserver* observer,
                  std::int64_t first = 0) {
    if (observer != nullptr && observer->WantsEnd()) {
      last.reset();
    }
    for (std::int64_t layer = first; layer < stack.layers; ++layer) {
      HEADSCOPE_TRY(pass->Stopped());
      HEADSCOPE_TRY(pass->ChangeStream(layer));
      const LayerDescription& description = stack.layer[static_cast<std::size_t>(layer)];
      const bool is_last = last && last->layer == layer;
      const bool ends_in_cross = is_last && last->part == ModelPart::kCross;
      HEADSCOPE_TRY(InFile(pass->Attention(layer, is_last && !ends_in_cross, observer)));
      if (description.cross && (!is_last || ends_in_cross)) {
        HEADSCOPE_TRY(InFile(pass->Cross(layer, is_last, observer)));
      }
      if (is_last) {
        return {};
      }
      HEADSCOPE_TRY(InFile(pass->Mlp(layer)));
      HEADSCOPE_TRY(InFile(pass->RunBlocks(description.blocks_behind)));
    }
    HEADSCOPE_TRY(InFile(pass->FinalNorm()));
    return pass->End();
  }

  // Runs one stack for RunChanged, and gives its states.
  Result<std::unique_ptr<StackPass>> RunStackFrom(ModelPart part,
                                                  const ForwardInput& input,
                                                  const Restart& from,
                                                  const Activations* memory,
                                                  LayerChanges* changes,
                                                  LayerObserver* observer,
                                                  const std::stop_token& stop) {
    const StackDescription& stack = StackOf(model->description(), part);
    const bool is_decoder = part == ModelPart::kDecoder;
    auto pass = std::make_unique<StackPass>(part,
                                            stack,
                                            backend,
                                            weights.get(),
                                            is_decoder ? std::ssize(input.target_ids) / input.texts
                                                       : TokenCount(model->description(), input),
                                            input.texts,
                                            memory,
                                            Past(),
                                            stop);
    pass->ShowTo(observer);
    pass->ChangeBy(changes);
    const bool begins_here = from.stack == part && !from.hidden.empty();
    if (begins_here) {
      pass->Attended(from.context);
    }
    ForwardInput target{.ids = input.target_ids, .embeddings = {}};
    HEADSCOPE_TRY(InFile(begins_here ? pass->Begin(from.hidden, is_decoder ? target.ids : input.ids)
                         : is_decoder ? pass->Embed(target)
                                      : pass->Embed(input)));
    HEADSCOPE_TRY(RunStack(pass.get(), stack, {}, observer, begins_here ? from.layer : 0));
    return pass;
  }

  Status RunChanged(const ForwardInput& input,
                    const Restart& from,
                    LayerChanges* changes,
                    LayerObserver* observer,
                    const std::stop_token& stop) {
    if (!model->description().decoder) {
      return AsStatus(
          RunStackFrom(ModelPart::kWhole, input, from, nullptr, changes, observer, stop));
    }
    ActivationsPtr given;
    std::unique_ptr<StackPass> encoder;
    const Activations* memory = nullptr;
    if (from.memory.empty()) {
      HEADSCOPE_TRY(
          encoder,
          RunStackFrom(ModelPart::kEncoder, input, from, nullptr, changes, observer, stop));
      memory = &encoder->hidden();
    } else {
      HEADSCOPE_TRY(given, MakeRows(backend, from.memory, model->description().model_dim));
      memory = given.get();
    }
    if (input.target_ids.empty()) {
      return {};
    }
    return AsStatus(
        RunStackFrom(ModelPart::kDecoder, input, from, memory, changes, observer, stop));
  }

  template <typename T>
  static Status AsStatus(Result<T> result) {
    return result ? Status() : Status(PassOn(std::move(result.error())));
  }

  Status Run(const ForwardInput& input,
             LayerId last,
             LayerObserver* observer,
             const Past& past,
             const std::stop_token& stop) {
    const ModelDescription& description = model->description();
    const bool is_whole = last.part == ModelPart::kWhole;
    const bool ends_here = is_whole || last.part == ModelPart::kEncoder;
    if (!ends_here && !past.cross.empty()) {
      return Decode(nullptr, input, last, observer, past, stop);
    }
    StackPass pass(is_whole ? ModelPart::kWhole : ModelPart::kEncoder,
                   description,
                   backend,
                   weights.get(),
                   TokenCount(description, input),
                   input.texts,
                   nullptr,
                   ends_here ? past : Past(),
                   stop);
    pass.ShowTo(observer);
    HEADSCOPE_TRY(InFile(pass.Embed(input)));
    HEADSCOPE_TRY(
        RunStack(&pass, description, ends_here ? std::optional(last) : std::nullopt, observer));
    return ends_here ? Status() : Decode(&pass.hidden(), input, last, observer, past, stop);
  }

  Status Decode(const Activations* memory,
                const ForwardInput& input,
                LayerId last,
                LayerObserver* observer,
                const Past& past,
                const std::stop_token& stop) {
    const std::vector<std::int32_t>& ids = input.target_ids;
    StackPass pass(ModelPart::kDecoder,
                   *model->description().decoder,
                   backend,
                   weights.get(),
                   std::ssize(ids) / input.texts,
                   input.texts,
                   memory,
                   past,
                   stop);
    pass.ShowTo(observer);
    HEADSCOPE_TRY(InFile(pass.Embed({.ids = ids, .embeddings = {}})));
    return RunStack(&pass, *model->description().decoder, last, observer);
  }

  Result<std::vector<std::int32_t>> Generate(const ForwardInput& input,
                                             std::int64_t most_tokens,
                                             const std::stop_token& stop);
  Result<std::int32_t> Next(const Activations& states,
                            const std::vector<std::int32_t>& source,
                            const std::vector<std::int32_t>& made);
};

// Returns the id that the output layer finds most likely after the last of `states`, within the
// choices that the model's files allow.
Result<std::int32_t> Forward::State::Next(const Activations& states,
                                          const std::vector<std::int32_t>& source,
                                          const std::vector<std::int32_t>& made) {
  const GenerationRule& rule = *model->description().generation;
  const auto width = static_cast<std::size_t>(states.cols());
  std::vector<float> all(static_cast<std::size_t>(states.rows()) * width);
  backend->Read(states, all);
  HEADSCOPE_UNPACK(row, backend->Make(1, states.cols()));
  const std::span last = std::span(all).last(width);
  for (float& value : last) {
    value *= static_cast<float>(rule.output_scale);
  }
  backend->Load(last, row.get());
  HEADSCOPE_UNPACK(linear, weights->Get(output_layer, {}));
  HEADSCOPE_UNPACK(out, backend->Make(1, linear->out()));
  HEADSCOPE_TRY(InFile(backend->Apply(*linear, *row, out.get(), {})));
  std::vector<float> logits(static_cast<std::size_t>(linear->out()));
  backend->Read(*out, logits);
  if (rule.bias) {
    std::vector<float> bias(logits.size());
    ConvertToFloat(weights->Find(*rule.bias), 0, bias);
    std::transform(logits.begin(), logits.end(), bias.begin(), logits.begin(), std::plus<>());
  }
  Adjust(rule.choice, {.source = source, .made = made}, logits);
  return static_cast<std::int32_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

Result<std::vector<std::int32_t>> Forward::State::Generate(const ForwardInput& input,
                                                           std::int64_t most_tokens,
                                                           const std::stop_token& stop) {
  const ModelDescription& description = model->description();
  StackPass encoder(ModelPart::kEncoder,
                    description,
                    backend,
                    weights.get(),
                    TokenCount(description, input),
                    input.texts,
                    nullptr,
                    {},
                    stop);
  HEADSCOPE_TRY(InFile(encoder.Embed(input)));
  HEADSCOPE_TRY(RunStack(&encoder, description, std::nullopt, nullptr));
  KeptKeys kept(description.decoder->layers);
  std::vector<std::int32_t> ids = {description.start_id};
  const TokenChoice& choice = description.generation->choice;
  const std::int64_t most = std::min(
      {most_tokens + 1, description.decoder->positions, choice.most.value_or(kMaxPositions)});
  while (static_cast<std::int64_t>(ids.size()) < most) {
    const auto tokens = static_cast<std::int64_t>(ids.size());
    if (UnchangedTokens(*description.decoder, std::span(ids).first(ids.size() - 1), ids) <
        tokens - 1) {
      kept.Forget();
    }
    StackPass decoder(ModelPart::kDecoder,
                      *description.decoder,
                      backend,
                      weights.get(),
                      tokens,
                      1,
                      &encoder.hidden(),
                      kept.Kept(),
                      stop);
    HEADSCOPE_TRY(InFile(decoder.Embed({.ids = ids, .embeddings = {}})));
    HEADSCOPE_TRY(RunStack(&decoder, *description.decoder, std::nullopt, &kept));
    HEADSCOPE_UNPACK(next, Next(decoder.hidden(), input.ids, ids));
    if (std::ranges::find(choice.ends, next) != choice.ends.end()) {
      break;
    }
    ids.push_back(next);
  }
  return ids;
}

Forward::Forward(std::shared_ptr<const Model> model, Backend* backend)
    : state_(std::make_unique<State>()) {
  state_->model = std::move(model);
  state_->backend = backend;
  state_->weights = std::make_unique<PreparedWeights>(*state_->model, backend);
  if (const auto& generation = state_->model->description().generation) {
    state_->output_layer = {.layout = WeightLayout::kOutIn,
                            .in = generation->output.shape[1],
                            .matrices = {{.weight = generation->output, .bias = std::nullopt}}};
  }
}

Forward::~Forward() = default;

const Model& Forward::model() const {
  return *state_->model;
}

const std::shared_ptr<const Model>& Forward::shared_model() const {
  return state_->model;
}

Backend& Forward::backend() const {
  return *state_->backend;
}

Status Forward::Run(const ForwardInput& input,
                    std::int64_t last_layer,
                    LayerObserver* observer,
                    const std::stop_token& stop) {
  const ModelPart first = PartsOf(state_->model->description()).front();
  return Run(input, LayerId{first, last_layer}, observer, stop);
}

Status Forward::Run(const ForwardInput& input,
                    LayerId last,
                    LayerObserver* observer,
                    const std::stop_token& stop,
                    const Past& past) {
  const ModelDescription& description = state_->model->description();
  HEADSCOPE_TRY(CheckInput(description, input));
  HEADSCOPE_TRY(CheckLayer(description, last));
  if (last.part != ModelPart::kWhole && last.part != ModelPart::kEncoder &&
      input.target_ids.empty()) {
    return Fail(ErrorCode::kInput, "there is no target for the decoder to read; type one");
  }
  return state_->Run(input, last, observer, past, stop);
}

Status Forward::RunChanged(const ForwardInput& input,
                           const Restart& from,
                           LayerChanges* changes,
                           LayerObserver* observer,
                           const std::stop_token& stop) {
  HEADSCOPE_TRY(CheckInput(state_->model->description(), input));
  return state_->RunChanged(input, from, changes, observer, stop);
}

Result<std::vector<std::int32_t>> Forward::Generate(const ForwardInput& input,
                                                    std::int64_t most_tokens,
                                                    const std::stop_token& stop) {
  const ModelDescription& description = state_->model->description();
  HEADSCOPE_TRY(CheckInput(description, input));
  if (!description.generation) {
    return Fail(ErrorCode::kInput,
                fmt::format("{}: the file holds no output layer to generate a target with; give "
                            "the target",
                            state_->model->weights().path().string()));
  }
  if (const std::string& why = description.generation->choice.unsupported; !why.empty()) {
    return Fail(ErrorCode::kUnsupported, why);
  }
  return state_->Generate(input, most_tokens, stop);
}

Result<ProjectedRows> Forward::Project(LayerId layer,
                                       std::span<const float> rows,
                                       const std::stop_token& stop) {
  const ModelDescription& model = state_->model->description();
  HEADSCOPE_TRY(CheckLayer(model, layer));
  const StackDescription& stack = StackOf(model, layer.part);
  const auto& separate = stack.layer[static_cast<std::size_t>(layer.layer)].separate;
  const bool is_other_width =
      separate && (separate->key.in != stack.model_dim || separate->value.in != stack.model_dim);
  if (const auto& other = stack.layer[static_cast<std::size_t>(layer.layer)].keys_of) {
    return Fail(
        ErrorCode::kUnsupported,
        fmt::format("layer {} attends to the keys and values of layer {}; only a layer that "
                    "makes its own can be given another input",
                    layer.layer,
                    *other));
  }
  if (layer.part == ModelPart::kCross || is_other_width) {
    return Fail(
        ErrorCode::kUnsupported,
        fmt::format("layer {} makes its keys and values of something else than its queries; "
                    "only a layer that reads one input can be given another",
                    layer.layer));
  }
  const auto tokens = std::ssize(rows) / stack.model_dim;
  HEADSCOPE_CHECK(tokens * stack.model_dim == std::ssize(rows), "rows are as wide as the model");
  StackPass pass(
      layer.part, stack, state_->backend, state_->weights.get(), tokens, 1, nullptr, {}, stop);
  auto made = pass.ProjectRows(layer.layer, rows);
  if (!made) {
    return PassOn(state_->InFile(PassOn(std::move(made.error()))).error());
  }
  return made;
}

Result<const Linear*> Forward::OutputProjection(LayerId layer, std::stop_token stop) {
  const ModelDescription& model = state_->model->description();
  HEADSCOPE_TRY(CheckLayer(model, layer));
  Result<const Linear*> linear = state_->weights->Get(OutputNeedOf(model, layer), std::move(stop));
  if (!linear) {
    return PassOn(state_->InFile(PassOn(std::move(linear.error()))).error());
  }
  return linear;
}

Status CheckLayer(const ModelDescription& model, LayerId layer) {
  const bool is_whole = layer.part == ModelPart::kWhole;
  if (is_whole == model.decoder.has_value()) {
    return Fail(ErrorCode::kInput,
                fmt::format("{} models {}",
                            model.family,
                            is_whole ? "have an encoder and a decoder; choose encoder, decoder or "
                                       "cross"
                                     : "have one part only; leave the part out"));
  }
  const std::int64_t layers = StackOf(model, layer.part).layers;
  if (layer.layer < 0 || layer.layer >= layers) {
    return Fail(ErrorCode::kInput,
                fmt::format("layer {} was asked for, but the {} has the layers 0 to {}",
                            layer.layer,
                            is_whole ? "model" : PartName(layer.part),
                            layers - 1));
  }
  return {};
}

}  // namespace headscope
