#include "core/model/adapter.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/half.h"
#include "core/base/quote.h"
#include "core/base/stop.h"
#include "core/compute/input_checks.h"
#include "core/io/json.h"
#include "core/model/config.h"
#include "core/model/model_cache.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSettings = "adapter_config.json";
constexpr std::array<const char*, 2> kWeights = {"adapter_model.safetensors", "adapter_model.bin"};
constexpr const char* kBaseKey = "base_model_name_or_path";
constexpr double kLargestAlpha = 1e9;

bool IsThere(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

fs::path WeightsIn(const fs::path& folder) {
  const auto* found =
      std::ranges::find_if(kWeights, [&](const char* name) { return IsThere(folder / name); });
  return found == kWeights.end() ? fs::path() : folder / *found;
}

// --- Settings.

// Returns a text of the adapter's settings; empty if they have none.
Result<std::string> TextOf(const fs::path& folder, std::string_view key) {
  HEADSCOPE_TRY(const auto document, JsonDocument::Read(folder / kSettings, kMaxConfigBytes));
  HEADSCOPE_TRY(const auto json, JsonObject::Root(document));
  return json.String(key, std::string());
}

// A factor for the modules whose name, or the end of it, is `module`.
struct Pattern {
  std::string module;
  bool is_whole = false;
  double value = 0.0;
};

struct AdapterSettings {
  double rank = 8.0;
  double alpha = 8.0;
  bool is_root_scaled = false;
  bool is_in_out = false;  // square matrices of the base are [in, out]
  std::vector<Pattern> alphas;
};

tl::unexpected<Error> Refuse(const JsonObject& json, std::string_view key, std::string_view found) {
  return Fail(ErrorCode::kUnsupported,
              fmt::format("{}: {} is {}, expected none; merge it into its base with peft's "
                          "merge_and_unload, save that with save_pretrained and open it",
                          json.name(),
                          Quoted(key),
                          found));
}

bool IsOff(JsonValue value) {
  const auto list = value.Array();
  const auto fields = value.Object();
  return value.is_null() || value.Boolean() == false || (list && list->empty()) ||
         (fields && fields->empty());
}

// Refuses what is more than two narrow matrices added to one. Newer kinds of LoRA have a "use_..." or
// a "..._config" of their own.
Status RefuseOtherKinds(const JsonObject& json) {
  constexpr std::array<std::string_view, 5> kOthers = {"lora_bias",
                                                       "layer_replication",
                                                       "trainable_token_indices",
                                                       "target_parameters",
                                                       "alora_invocation_tokens"};
  constexpr std::array<std::string_view, 5> kHarmless = {
      "use_rslora", "megatron_config", "eva_config", "loftq_config", "lora_ga_config"};
  for (const JsonField& field : json.Fields()) {
    const bool is_kind = field.key.starts_with("use_") || field.key.ends_with("_config") ||
                         std::ranges::find(kOthers, field.key) != kOthers.end();
    if (is_kind && !IsOff(field.value) &&
        std::ranges::find(kHarmless, field.key) == kHarmless.end()) {
      return Refuse(json, field.key, field.value.Boolean() == true ? "true" : "there");
    }
  }
  // Some ways to begin change the base, too.
  constexpr const char* kBegin = "init_lora_weights";
  const auto begin = json.Value(kBegin);
  const std::string_view text = begin ? begin->Text().value_or("") : "";
  if (text.starts_with("pissa") || text == "olora" || text == "corda" || text == "loftq" ||
      text == "lora_ga") {
    return Refuse(json, kBegin, Quoted(text));
  }
  return {};
}

Result<std::vector<Pattern>> ReadPatterns(const JsonObject& json, std::string_view key) {
  HEADSCOPE_TRY(const auto object, json.Object(key));
  std::vector<Pattern> patterns;
  for (const JsonField& field : object ? object->Fields() : JsonFields()) {
    std::string_view module = field.key;
    const bool is_whole = module.starts_with('^');
    module.remove_prefix(is_whole ? 1 : 0);
    const double value = field.value.Number().value_or(-1.0);
    if (module.find_first_of("*+?()[]{}|\\^$") != std::string_view::npos) {
      return Refuse(json, key, Quoted(field.key));
    }
    if (!(value > 0.0) || value > kLargestAlpha) {
      return Fail(ErrorCode::kFormat,
                  fmt::format("{}: {} gives {} for {}, expected a number above 0",
                              json.name(),
                              Quoted(key),
                              field.value.Minified(),
                              Quoted(field.key)));
    }
    patterns.push_back({.module = std::string(module), .is_whole = is_whole, .value = value});
  }
  return patterns;
}

Result<AdapterSettings> ReadSettings(const fs::path& folder) {
  HEADSCOPE_TRY(const auto document, JsonDocument::Read(folder / kSettings, kMaxConfigBytes));
  HEADSCOPE_TRY(const auto json, JsonObject::Root(document));
  HEADSCOPE_TRY(RefuseOtherKinds(json));
  AdapterSettings settings;
  HEADSCOPE_TRY(settings.rank, json.Number("r", 1.0, static_cast<double>(kMaxWidth), 8.0));
  HEADSCOPE_TRY(settings.alpha, json.Number("lora_alpha", 0.0, kLargestAlpha, 8.0));
  HEADSCOPE_TRY(settings.is_root_scaled, json.Boolean("use_rslora", false));
  HEADSCOPE_TRY(settings.is_in_out, json.Boolean("fan_in_fan_out", false));
  HEADSCOPE_TRY(settings.alphas, ReadPatterns(json, "alpha_pattern"));
  return settings;
}

// As peft: the first pattern that is the name, or what follows a dot in it.
double AlphaOf(const AdapterSettings& settings, std::string_view module) {
  const auto fits = [&](const Pattern& pattern) {
    return module == pattern.module ||
           (!pattern.is_whole && module.ends_with("." + pattern.module));
  };
  const auto found = std::ranges::find_if(settings.alphas, fits);
  return found == settings.alphas.end() ? settings.alpha : found->value;
}

// --- Tensors.

struct Pair {
  const TensorView* a = nullptr;
  const TensorView* b = nullptr;
  bool is_embedding = false;
};

struct AdapterTensors {
  std::map<std::string, Pair> pairs;               // by the name of the base's module
  std::map<std::string, const TensorView*> whole;  // by the name of the base's tensor
};

std::string Without(std::string name, std::string_view part) {
  if (const std::size_t at = name.find(part); at != std::string::npos) {
    name.erase(at, part.size());
  }
  return name;
}

Result<AdapterTensors> SortTensors(const WeightStore& adapter) {
  struct Ending {
    std::string_view text;
    bool is_a;
    bool is_embedding;
  };
  constexpr std::array<Ending, 4> kEndings = {{{".lora_A.weight", true, false},
                                               {".lora_B.weight", false, false},
                                               {".lora_embedding_A", true, true},
                                               {".lora_embedding_B", false, true}}};
  AdapterTensors sorted;
  for (const auto& [full, tensor] : adapter.tensors()) {
    std::string name = full;
    for (const std::string_view prefix : {"base_model.", "model."}) {
      name.erase(0,
                 full.starts_with("base_model.") && name.starts_with(prefix) ? prefix.size() : 0);
    }
    for (const std::string_view part : {".default", ".base_layer", ".modules_to_save"}) {
      name = Without(std::move(name), part);
    }
    const auto* ending =
        std::ranges::find_if(kEndings, [&](const Ending& one) { return name.ends_with(one.text); });
    if (ending != kEndings.end()) {
      Pair& pair = sorted.pairs[name.substr(0, name.size() - ending->text.size())];
      (ending->is_a ? pair.a : pair.b) = &tensor;
      pair.is_embedding = ending->is_embedding;
    } else if (name.find(".lora_") != std::string::npos) {
      return Fail(
          ErrorCode::kUnsupported,
          fmt::format("{}: tensor {} is none of LoRA's two matrices; merge the adapter into "
                      "its base with peft's merge_and_unload, save that with "
                      "save_pretrained and open it",
                      adapter.path().string(),
                      Quoted(full)));
    } else if (name.find(".original_module.") == std::string::npos) {
      sorted.whole[name] = &tensor;
    }
  }
  return sorted;
}

// Returns the base's name for a tensor: the classes that saved the two may have prefixes that
// differ. Empty: it has none, or several.
std::string NameInBase(const WeightStore& base, const std::string& name) {
  if (base.Find(name) != nullptr) {
    return name;
  }
  const auto ends_in = [](const std::string& longer, const std::string& part) {
    return longer.size() > part.size() && longer.ends_with(part) &&
           longer[longer.size() - part.size() - 1] == '.';
  };
  std::string found;
  for (const auto& [own, tensor] : base.tensors()) {
    if (ends_in(name, own) || ends_in(own, name)) {
      if (!found.empty()) {
        return {};
      }
      found = own;
    }
  }
  return found;
}

Status CheckMatrix(const TensorView& tensor, const std::string& file) {
  if (tensor.shape.size() == 2 && IsFloatingPoint(tensor.type) && tensor.shape[0] > 0 &&
      tensor.shape[1] > 0) {
    return {};
  }
  return Fail(ErrorCode::kShape,
              fmt::format("{}: tensor {} is {} {}, expected a matrix of F32, F16, BF16 or F64",
                          file,
                          Quoted(tensor.name),
                          Name(tensor.type),
                          ShapeText(tensor.shape)));
}

// Reads a matrix as float32, row by row or turned, each number times `factor`.
Result<std::vector<float>> ReadFloats(const TensorView& tensor, bool is_turned, double factor) {
  std::vector<float> values(static_cast<std::size_t>(ElementCount(tensor)));
  ConvertToFloat(tensor, 0, values);
  HEADSCOPE_TRY(CheckFinite(tensor, 0, values));
  std::vector<float> read(values.size());
  const auto rows = static_cast<std::size_t>(tensor.shape[0]);
  const auto cols = static_cast<std::size_t>(tensor.shape[1]);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t col = 0; col < cols; ++col) {
      read[is_turned ? col * rows + row : row * cols + col] =
          static_cast<float>(factor * static_cast<double>(values[row * cols + col]));
    }
  }
  return read;
}

tl::unexpected<Error> RefuseInGguf(const std::string& file,
                                   const std::string& what,
                                   const WeightStore& base) {
  return Fail(ErrorCode::kUnsupported,
              fmt::format("{}: holds {}, which {} has not as the adapter knows it (GGUF files "
                          "have other names and orders); put the folder with config.json and "
                          "model.safetensors that the file was made from in its place, or open the "
                          "GGUF file that llama-export-lora makes of the two",
                          file,
                          what,
                          base.path().string()));
}

// Makes what is added to a matrix of the base.
Result<std::shared_ptr<const NarrowProduct>> MakeProduct(const Pair& pair,
                                                         const TensorView& base,
                                                         double scale,
                                                         bool is_in_out,
                                                         const std::string& file) {
  HEADSCOPE_TRY(CheckMatrix(*pair.a, file));
  HEADSCOPE_TRY(CheckMatrix(*pair.b, file));
  const std::int64_t rank = pair.a->shape[0];
  const std::vector<std::int64_t> plain = {pair.b->shape[0], pair.a->shape[1]};
  const std::vector<std::int64_t> turned = {pair.a->shape[1], pair.b->shape[0]};
  const bool is_turned = base.shape == turned && (base.shape != plain || is_in_out);
  if (pair.b->shape[1] != rank || (base.shape != plain && !is_turned) ||
      (pair.is_embedding && base.shape != turned) || !IsFloatingPoint(base.type)) {
    return Fail(ErrorCode::kShape,
                fmt::format("{}: tensors {} {} and {} {} do not make up {} {} {} of the base; does "
                            "the adapter belong to it?",
                            file,
                            Quoted(pair.a->name),
                            ShapeText(pair.a->shape),
                            Quoted(pair.b->name),
                            ShapeText(pair.b->shape),
                            Quoted(base.name),
                            Name(base.type),
                            ShapeText(base.shape)));
  }
  auto product = std::make_shared<NarrowProduct>();
  const bool takes_turned = is_turned || pair.is_embedding;
  product->rank = rank;
  product->cols = base.shape[1];
  HEADSCOPE_TRY(product->left,
                takes_turned ? ReadFloats(*pair.a, true, 1.0) : ReadFloats(*pair.b, false, scale));
  HEADSCOPE_TRY(product->right,
                takes_turned ? ReadFloats(*pair.b, true, scale) : ReadFloats(*pair.a, false, 1.0));
  return std::shared_ptr<const NarrowProduct>(std::move(product));
}

// Puts tensors that the adapter holds whole in the place of the base's.
Status ReplaceWhole(const AdapterTensors& tensors, const std::string& file, WeightStore* weights) {
  for (const auto& [name, tensor] : tensors.whole) {
    const std::string own = NameInBase(*weights, name);
    const TensorView* base = own.empty() ? nullptr : weights->Find(own);
    if (base != nullptr && base->shape != tensor->shape) {
      return Fail(ErrorCode::kShape,
                  fmt::format("{}: tensor {} is {}, expected {} as in the base; does the adapter "
                              "belong to it?",
                              file,
                              Quoted(tensor->name),
                              ShapeText(tensor->shape),
                              ShapeText(base->shape)));
    }
    weights->Put(own.empty() ? name : own, *tensor);
  }
  return {};
}

// --- The base.

// Whether it is a GGUF file, or a folder that holds one.
bool HoldsGguf(const fs::path& place) {
  const auto is_one = [](const fs::path& path) {
    return path.extension() == ".gguf" && IsThere(path);
  };
  std::error_code error;
  const fs::directory_iterator all(place, error);
  return error ? is_one(place) : std::any_of(begin(all), end(all), is_one);
}

std::vector<fs::path> PlacesOf(const fs::path& base, const fs::path& folder) {
  const fs::path parent = fs::absolute(folder).lexically_normal().parent_path();
  const fs::path last = base.has_filename() ? base.filename() : base.parent_path().filename();
  std::vector<fs::path> places = {base};
  if (base.is_relative()) {
    places.insert(places.end(), {folder / base, parent / base});
  }
  places.insert(places.end(), {folder / last, parent / last});
  if (parent.filename() == last) {
    places.push_back(parent);
  }
  if (IsRepositoryName(base)) {
    if (auto cached = FindCachedModel(CacheFolder(), base.string())) {
      places.push_back(std::move(*cached));
    }
  }
  return places;
}

}  // namespace

bool IsAdapter(const fs::path& folder) {
  return IsThere(folder / kSettings) && TextOf(folder, "peft_type").value_or("") == "LORA";
}

bool IsAdapterFile(const fs::path& file) {
  const fs::path name = file.filename();
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  return (name == kSettings || std::ranges::find(kWeights, name) != kWeights.end()) &&
         IsThere(file) && IsAdapter(folder);
}

Result<fs::path> FindAdapterBase(const fs::path& folder) {
  HEADSCOPE_TRY(const auto base, TextOf(folder, kBaseKey));
  if (base.empty()) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: {} is missing, expected the model that the LoRA adapter is for, "
                            "such as a path",
                            (folder / kSettings).string(),
                            Quoted(kBaseKey)));
  }
  std::error_code error;
  for (const fs::path& place : PlacesOf(base, folder)) {
    // Another folder may have the same name.
    const bool is_model = IsThere(place / "config.json") || IsThere(place / kSettings) ||
                          CurrentSnapshot(place) || HoldsGguf(place);
    if (is_model && !fs::equivalent(place, folder, error)) {
      return place;
    }
  }
  const std::string name = fs::path(base).filename().string();
  return Fail(
      ErrorCode::kIo,
      fmt::format("{}: is a LoRA adapter of the model {}, which is neither there, nor as {} beside "
                  "the adapter{}; put the model's folder beside the adapter's",
                  folder.string(),
                  Quoted(base),
                  Quoted(name),
                  IsRepositoryName(base)
                      ? fmt::format(", nor in the Hugging Face cache; fetch it with `hf download "
                                    "{}`, or",
                                    base)
                      : ""));
}

Status CheckTakesAdapter(const ModelFiles& base, const fs::path& folder) {
  using Kind = ModelFiles::Kind;
  if (base.kind == Kind::kFolder || base.kind == Kind::kShards || base.kind == Kind::kGguf) {
    return {};
  }
  return Fail(ErrorCode::kUnsupported,
              fmt::format("{}: its base {} is kept in another form, expected a model folder with "
                          "config.json and model.safetensors",
                          folder.string(),
                          base.path.string()));
}

Result<std::string> AddAdapter(const fs::path& folder,
                               const ModelDescription& description,
                               WeightStore* weights,
                               const std::stop_token& stop,
                               const BaseNames& names) {
  HEADSCOPE_TRY(auto settings, ReadSettings(folder));
  const fs::path file = WeightsIn(folder);
  if (file.empty()) {
    return Fail(ErrorCode::kIo,
                fmt::format("{}: there is no adapter_model.safetensors in it, expected it beside "
                            "adapter_config.json",
                            folder.string()));
  }
  const std::string name = file.string();
  HEADSCOPE_TRY(auto adapter, WeightStore::OpenSafetensors(file, stop));
  HEADSCOPE_TRY(const auto tensors, SortTensors(adapter));
  // Matrices of GPT-2's kind, [in, out], whatever the adapter says; a GGUF file has none.
  settings.is_in_out = names == nullptr &&
                       (settings.is_in_out ||
                        description.layer.front().query_key_value.layout == WeightLayout::kInOut);
  if (names != nullptr && !tensors.whole.empty()) {
    const std::string& first = tensors.whole.begin()->first;
    return RefuseInGguf(name, fmt::format("tensor {} in place of the base's", first), *weights);
  }
  HEADSCOPE_TRY(ReplaceWhole(tensors, name, weights));
  std::set<std::int64_t> ranks;
  for (const auto& [module, pair] : tensors.pairs) {
    HEADSCOPE_TRY(CheckStop(stop));
    const std::string full = module + ".weight";
    const std::string own = names != nullptr ? names(full) : NameInBase(*weights, full);
    const TensorView* base = own.empty() ? nullptr : weights->Find(own);
    if (base == nullptr && names != nullptr) {
      return RefuseInGguf(name, fmt::format("matrices of {}", Quoted(module)), *weights);
    }
    if (base == nullptr) {
      return Fail(ErrorCode::kFormat,
                  fmt::format("{}: holds matrices of {}; {} has no such tensor; does the adapter "
                              "belong to it?",
                              name,
                              Quoted(module),
                              weights->path().string()));
    }
    if (pair.a == nullptr || pair.b == nullptr) {
      constexpr const char* kHalf = "{}: holds only one of two matrices of {}; is the file whole?";
      return Fail(ErrorCode::kFormat, fmt::format(kHalf, name, Quoted(module)));
    }
    const std::int64_t rank = pair.a->shape.empty() ? 0 : pair.a->shape[0];
    const auto ratio = static_cast<double>(std::max<std::int64_t>(rank, 1));
    const double scale =
        AlphaOf(settings, module) / (settings.is_root_scaled ? std::sqrt(ratio) : ratio);
    HEADSCOPE_TRY(auto product, MakeProduct(pair, *base, scale, settings.is_in_out, name));
    ranks.insert(rank);
    weights->AddTo(own, std::move(product));
  }
  if (ranks.empty() && tensors.whole.empty()) {
    return Fail(ErrorCode::kFormat, fmt::format("{}: holds no tensor; is the file whole?", name));
  }
  weights->KeepFilesOf(std::move(adapter));
  const std::string about = ranks.empty() ? "of whole tensors alone"
                            : ranks.size() == 1
                                ? fmt::format("of rank {}", *ranks.begin())
                                : fmt::format("of ranks {} to {}", *ranks.begin(), *ranks.rbegin());
  return fmt::format("LoRA adapter {} merged: the weights are those of {} with it.",
                     about,
                     (names != nullptr ? weights->path() : weights->path().parent_path()).string());
}

}  // namespace headscope
