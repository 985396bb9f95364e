#include "core/train/folder.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/atomic_file.h"
#include "core/base/half.h"
#include "core/base/stop.h"
#include "core/io/json.h"
#include "core/io/json_text.h"
#include "core/io/safetensors.h"
#include "core/train/tasks.h"
#include "core/train/wide_form.h"

namespace headscope {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kBegin = "<|begin|>";
constexpr std::int64_t kMostConfigBytes = 4'000'000;

std::string SymbolName(std::int64_t index) {
  std::string letters;
  for (std::int64_t rest = index / 8; rest >= 0; rest = rest / 26 - 1) {
    letters.insert(letters.begin(), static_cast<char>('a' + rest % 26));
  }
  return letters + std::to_string(index % 8);
}

std::string TokenName(TrainTask task, std::int32_t id) {
  if (id == 0) {
    return kBegin;
  }
  if (task == TrainTask::kMixture && id < kFirstMixtureSymbol) {
    return id < kAgainMark    ? std::string(1, static_cast<char>('A' + id - kFirstOpener))
           : id == kAgainMark ? "!"
           : id == kBar       ? "|"
                              : "?";
  }
  return SymbolName(id - 1);
}

std::string TokenizerText(const TrainSettings& settings) {
  Json vocabulary = Json::object();
  for (std::int64_t id = 0; id < settings.shape.vocabulary; ++id) {
    vocabulary[TokenName(settings.task, static_cast<std::int32_t>(id))] = id;
  }
  const Json begin = {{"SpecialToken", {{"id", kBegin}, {"type_id", 0}}}};
  const auto text = [](const char* name, int type) {
    return Json{{"Sequence", {{"id", name}, {"type_id", type}}}};
  };
  const Json tokenizer = {
      {"version", "1.0"},
      {"truncation", nullptr},
      {"padding", nullptr},
      {"added_tokens",
       Json::array({{{"id", 0},
                     {"content", kBegin},
                     {"single_word", false},
                     {"lstrip", false},
                     {"rstrip", false},
                     {"normalized", false},
                     {"special", true}}})},
      {"normalizer", nullptr},
      {"pre_tokenizer", {{"type", "WhitespaceSplit"}}},
      {"post_processor",
       {{"type", "TemplateProcessing"},
        {"single", Json::array({begin, text("A", 0)})},
        {"pair", Json::array({begin, text("A", 0), text("B", 1)})},
        {"special_tokens",
         {{kBegin,
           {{"id", kBegin}, {"ids", Json::array({0})}, {"tokens", Json::array({kBegin})}}}}}}},
      {"decoder", nullptr},
      {"model", {{"type", "WordLevel"}, {"vocab", vocabulary}, {"unk_token", kBegin}}}};
  return JsonText(tokenizer, 1) + "\n";
}

std::string TokenizerConfigText(const TrainShape& shape) {
  const Json config = {{"bos_token", kBegin},
                       {"model_max_length", shape.context},
                       {"tokenizer_class", "PreTrainedTokenizerFast"}};
  return JsonText(config, 1) + "\n";
}

std::string ConfigText(const WideForm& form) {
  const Json config = {{"architectures", Json::array({"GPT2LMHeadModel"})},
                       {"model_type", "gpt2"},
                       {"activation_function", "gelu_new"},
                       {"attn_pdrop", 0.0},
                       {"embd_pdrop", 0.0},
                       {"resid_pdrop", 0.0},
                       {"bos_token_id", 0},
                       {"eos_token_id", 0},
                       {"layer_norm_epsilon", form.epsilon},
                       {"n_ctx", form.context},
                       {"n_embd", form.model_dim},
                       {"n_head", form.heads},
                       {"n_inner", form.inner},
                       {"n_layer", form.layers},
                       {"n_positions", form.context},
                       {"tie_word_embeddings", form.tied},
                       {"torch_dtype", "float32"},
                       {"vocab_size", form.vocabulary}};
  return JsonText(config, 1) + "\n";
}

Status WriteWeights(const std::filesystem::path& folder, const WideForm& form) {
  std::vector<TensorView> views;
  for (const WideTensor& tensor : form.tensors) {
    views.push_back({.name = tensor.name,
                     .type = DataType::kF32,
                     .shape = tensor.shape,
                     .bytes = std::as_bytes(std::span(tensor.values))});
  }
  return WriteSafetensors(folder / "model.safetensors", views, {{"format", "pt"}});
}

Status MakeFolder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  return error ? Fail(ErrorCode::kIo, fmt::format("{}: {}", folder.string(), error.message()))
               : Status();
}

// One size of a config, against what is trained.
Status CheckSize(const JsonObject& config,
                 const char* key,
                 std::int64_t wanted,
                 std::optional<std::int64_t> fallback = std::nullopt) {
  constexpr std::int64_t kMostSize = std::int64_t{1} << 40;
  HEADSCOPE_TRY(const auto found, config.Integer(key, 0, kMostSize, fallback));
  if (found != wanted) {
    return Fail(
        ErrorCode::kShape,
        fmt::format(
            "{}: \"{}\" is {}, expected {} as the options say", config.name(), key, found, wanted));
  }
  return {};
}

Status CheckConfig(const std::filesystem::path& path, const TrainShape& shape) {
  HEADSCOPE_TRY(const auto document, JsonDocument::Read(path, kMostConfigBytes));
  HEADSCOPE_TRY(const auto config, JsonObject::Root(document));
  HEADSCOPE_TRY(const auto type, config.String("model_type", "gpt2"));
  HEADSCOPE_TRY(const auto activation, config.String("activation_function", "gelu_new"));
  HEADSCOPE_TRY(const auto tied, config.Boolean("tie_word_embeddings", true));
  HEADSCOPE_TRY(const auto epsilon, config.Number("layer_norm_epsilon", 0.0, 1000.0, 1e-5));
  const auto refuse = [&](const std::string& what) {
    return Fail(ErrorCode::kShape, fmt::format("{}: {}", config.name(), what));
  };
  if (type != "gpt2") {
    return refuse(fmt::format("\"model_type\" is \"{}\", expected \"gpt2\"", type));
  }
  if (shape.width() != shape.model_dim) {
    return refuse(
        fmt::format("its heads have n_embd / n_head columns, and --head-dim is {}; leave "
                    "--head-dim or --from out",
                    shape.head_dim));
  }
  HEADSCOPE_TRY(CheckSize(config, "n_layer", shape.layers));
  HEADSCOPE_TRY(CheckSize(config, "n_head", shape.heads));
  HEADSCOPE_TRY(CheckSize(config, "n_embd", shape.model_dim));
  HEADSCOPE_TRY(CheckSize(config, "vocab_size", shape.vocabulary));
  HEADSCOPE_TRY(
      CheckSize(config, config.Has("n_positions") ? "n_positions" : "n_ctx", shape.context));
  if (tied != shape.tied) {
    return refuse(tied ? "its output matrix is the embedding; give --tied"
                       : "its output matrix is its own; leave --tied out");
  }
  if (std::abs(epsilon - 1e-5) > 1e-12) {
    return refuse(fmt::format("\"layer_norm_epsilon\" is {}, expected 1e-5", epsilon));
  }
  if (shape.inner == 0) {
    return {};
  }
  if (activation != "gelu_new" && activation != "gelu_pytorch_tanh") {
    return refuse(
        fmt::format("\"activation_function\" is \"{}\", expected \"gelu_new\"", activation));
  }
  return CheckSize(config, "n_inner", shape.inner, 4 * shape.model_dim);
}

const TensorView* FindWeight(const WeightStore& store, const std::string& name) {
  const TensorView* found = store.Find("transformer." + name);
  return found != nullptr ? found : store.Find(name);
}

Result<std::vector<float>> ReadNumbers(const WeightStore& store, const TensorView& tensor) {
  if (!IsFloatingPoint(tensor.type)) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: tensor \"{}\" is {}, expected floating-point numbers",
                            store.path().string(),
                            tensor.name,
                            Name(tensor.type)));
  }
  std::vector<float> numbers(static_cast<std::size_t>(ElementCount(tensor)));
  ConvertToFloat(tensor, 0, numbers);
  return numbers;
}

// A network without an MLP reads a layout's MLP only if that adds nothing.
Status CheckNoMlp(const WeightStore& store, std::int64_t layers) {
  for (std::int64_t layer = 0; layer < layers; ++layer) {
    for (const char* part : {"weight", "bias"}) {
      const TensorView* found = FindWeight(store, fmt::format("h.{}.mlp.c_proj.{}", layer, part));
      if (found == nullptr) {
        continue;
      }
      HEADSCOPE_TRY(const auto numbers, ReadNumbers(store, *found));
      if (!std::ranges::all_of(numbers, [](float one) { return one == 0.0F; })) {
        return Fail(ErrorCode::kShape,
                    fmt::format("{}: tensor \"{}\" is not zero: the model has an MLP; give --mlp",
                                store.path().string(),
                                found->name));
      }
    }
  }
  return {};
}

}  // namespace

bool IsKeptStep(std::int64_t step) {
  const std::int64_t every = step <= 300 ? 50 : step <= 1000 ? 100 : step <= 5000 ? 500 : 5000;
  return step % every == 0;
}

std::filesystem::path FreeTrainFolder(const std::filesystem::path& wanted) {
  std::filesystem::path path = wanted;
  std::error_code error;
  for (int number = 2; std::filesystem::exists(path, error); ++number) {
    path = wanted;
    path += fmt::format("-{}", number);
  }
  return path;
}

Status PrepareTrainFolder(const std::filesystem::path& folder) {
  std::error_code error;
  if (std::filesystem::exists(folder, error) && !std::filesystem::is_empty(folder, error)) {
    return Fail(ErrorCode::kInput,
                fmt::format("{}: holds files already, expected a new or an empty folder; give "
                            "another --out",
                            folder.string()));
  }
  return MakeFolder(folder);
}

Status WriteTrainFolder(const std::filesystem::path& folder,
                        const TrainSettings& settings,
                        std::span<const float> weights,
                        const std::stop_token& stop) {
  const WideForm form = MakeWideForm(settings.shape, weights);
  HEADSCOPE_TRY(MakeFolder(folder));
  HEADSCOPE_TRY(WriteFileAtomically(folder / "tokenizer.json", TokenizerText(settings)));
  HEADSCOPE_TRY(CheckStop(stop));
  HEADSCOPE_TRY(
      WriteFileAtomically(folder / "tokenizer_config.json", TokenizerConfigText(settings.shape)));
  HEADSCOPE_TRY(CheckStop(stop));
  HEADSCOPE_TRY(WriteWeights(folder, form));
  HEADSCOPE_TRY(CheckStop(stop));
  return WriteFileAtomically(folder / "config.json", ConfigText(form));
}

Result<TrainSettings> SettingsOfFolder(const std::filesystem::path& folder, bool has_mlp) {
  constexpr std::int64_t kMostOfShape = 1 << 20;
  HEADSCOPE_TRY(const auto document, JsonDocument::Read(folder / "config.json", kMostConfigBytes));
  HEADSCOPE_TRY(const auto config, JsonObject::Root(document));
  TrainSettings settings;
  TrainShape& shape = settings.shape;
  const std::pair<const char*, std::int64_t*> sizes[] = {{"n_layer", &shape.layers},
                                                         {"n_head", &shape.heads},
                                                         {"n_embd", &shape.model_dim},
                                                         {"vocab_size", &shape.vocabulary}};
  for (const auto& [key, value] : sizes) {
    HEADSCOPE_TRY(*value, config.Integer(key, 1, kMostOfShape));
  }
  HEADSCOPE_TRY(
      shape.context,
      config.Integer(config.Has("n_positions") ? "n_positions" : "n_ctx", 1, kMostOfShape));
  if (has_mlp) {
    HEADSCOPE_TRY(shape.inner, config.Integer("n_inner", 1, kMostOfShape, 4 * shape.model_dim));
  }
  HEADSCOPE_TRY(shape.tied, config.Boolean("tie_word_embeddings", true));
  shape.head_dim = shape.model_dim / shape.heads;
  HEADSCOPE_TRY(const auto tokenizer,
                JsonDocument::Read(folder / "tokenizer.json", kMostConfigBytes));
  const auto model = tokenizer.root().Find("model");
  const auto vocabulary = model ? model->Find("vocab") : std::nullopt;
  for (const TrainTask task : {TrainTask::kCopy, TrainTask::kMixture}) {
    bool is_it = vocabulary.has_value();
    for (std::int64_t id = 0; is_it && id < shape.vocabulary; ++id) {
      const auto found = vocabulary->Find(TokenName(task, static_cast<std::int32_t>(id)));
      is_it = found && found->Integer() == id;
    }
    if (is_it) {
      settings.task = task;
      settings.periods = UsualPeriods(task, shape);
      HEADSCOPE_TRY(CheckTrainSettings(settings));
      return settings;
    }
  }
  return Fail(ErrorCode::kInput,
              fmt::format("{}: its tokens are not the symbols of a task, expected a model that "
                          "headscope train could have made",
                          folder.string()));
}

Result<std::vector<float>> ReadFirstWeights(const std::filesystem::path& folder,
                                            const TrainLayout& layout) {
  HEADSCOPE_TRY(CheckConfig(folder / "config.json", layout.shape));
  HEADSCOPE_TRY(const auto store, WeightStore::OpenSafetensors(folder / "model.safetensors"));
  std::vector<float> weights(static_cast<std::size_t>(layout.count));
  for (const TrainParameter& one : layout.all) {
    const TensorView* found = FindWeight(store, one.name);
    if (found == nullptr || found->shape != one.shape) {
      return Fail(ErrorCode::kShape,
                  fmt::format("{}: tensor \"{}\" is {}, expected {}",
                              store.path().string(),
                              one.name,
                              found == nullptr ? "missing" : ShapeText(found->shape),
                              ShapeText(one.shape)));
    }
    HEADSCOPE_TRY(const auto numbers, ReadNumbers(store, *found));
    if (!std::ranges::all_of(numbers, [](float number) { return std::isfinite(number); })) {
      return Fail(ErrorCode::kNumeric,
                  fmt::format("{}: tensor \"{}\" holds numbers that are not finite",
                              store.path().string(),
                              one.name));
    }
    std::ranges::copy(numbers, weights.begin() + one.begin);
  }
  if (layout.shape.inner == 0) {
    HEADSCOPE_TRY(CheckNoMlp(store, layout.shape.layers));
  }
  std::vector<float> held = weights;
  HoldSegments<float>(layout, held);
  if (held != weights) {
    return Fail(ErrorCode::kShape,
                fmt::format("{}: its heads read more than segments of their own; leave "
                            "--own-segments out",
                            store.path().string()));
  }
  return weights;
}

}  // namespace headscope
