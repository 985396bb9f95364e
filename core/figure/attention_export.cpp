#include "core/figure/attention_export.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <fstream>
#include <iterator>
#include <map>
#include <new>
#include <optional>
#include <set>
#include <span>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/check.h"
#include "core/io/npy.h"
#include "core/io/safetensors.h"

namespace headscope {
namespace {

std::string Gigabytes(std::uint64_t bytes) {
  return fmt::format("{:.1f} GB", static_cast<double>(bytes) * 1e-9);
}

// What the system says can be allocated without swapping; nothing where it does not say.
std::optional<std::uint64_t> FreeMemory() {
  std::ifstream file("/proc/meminfo");
  std::string key;
  std::uint64_t kilobytes = 0;
  std::string unit;
  while (file >> key >> kilobytes) {
    std::getline(file, unit);
    if (key == "MemAvailable:") {
      return kilobytes * 1024;
    }
  }
  return std::nullopt;
}

Status CheckRoom(const std::filesystem::path& path,
                 const AttentionShape& shape,
                 std::size_t layers,
                 std::uint64_t bytes) {
  const std::string what = fmt::format("{}: attention [{},{},{},{}] takes {}",
                                       path.string(),
                                       layers,
                                       shape.heads,
                                       shape.queries,
                                       shape.keys,
                                       Gigabytes(bytes));
  const std::optional<std::uint64_t> memory = FreeMemory();
  if (memory && bytes > *memory / 10 * 9) {
    return Fail(ErrorCode::kOutOfMemory,
                fmt::format("{}, but {} of memory is free; ask for fewer layers or a shorter text",
                            what,
                            Gigabytes(*memory)));
  }
  std::error_code error;
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  const std::filesystem::space_info space = std::filesystem::space(folder, error);
  if (!error && bytes > space.available) {
    return Fail(ErrorCode::kIo,
                fmt::format("{}, but {} is free on its disk; write it elsewhere or ask for fewer "
                            "layers",
                            what,
                            Gigabytes(space.available)));
  }
  return {};
}

using Layers = std::vector<std::shared_ptr<const LayerAttention>>;

// One part's layers and all their weights.
struct PartWeights {
  Layers layers;
  std::vector<float> weights;

  [[nodiscard]] TensorView View() const {
    const AttentionShape& shape = layers[0]->shape();
    return {
        .name = std::string(PartName(layers[0]->part())),
        .type = DataType::kF32,
        .shape = {static_cast<std::int64_t>(layers.size()), shape.heads, shape.queries, shape.keys},
        .bytes = std::as_bytes(std::span<const float>(weights))};
  }
};

// The parts that the layers are of, in order.
std::vector<PartWeights> ByPart(const Layers& layers) {
  std::vector<PartWeights> parts;
  for (const ModelPart part :
       {ModelPart::kWhole, ModelPart::kEncoder, ModelPart::kDecoder, ModelPart::kCross}) {
    PartWeights own;
    std::ranges::copy_if(layers, std::back_inserter(own.layers), [&](const auto& layer) {
      return layer->part() == part;
    });
    if (!own.layers.empty()) {
      parts.push_back(std::move(own));
    }
  }
  return parts;
}

Status AddWeights(const std::filesystem::path& path,
                  const std::stop_token& stop,
                  PartWeights* part) {
  const AttentionShape& shape = part->layers[0]->shape();
  const auto cells = static_cast<std::size_t>(shape.queries * shape.keys);
  const auto heads = static_cast<std::size_t>(shape.heads);
  const std::size_t count = part->layers.size() * heads * cells;
  HEADSCOPE_TRY(CheckRoom(path, shape, part->layers.size(), 4 * count));
  try {
    part->weights.resize(count);
    std::span<float> rest = part->weights;
    for (const auto& layer : part->layers) {
      HEADSCOPE_CHECK(layer->shape().heads == shape.heads &&
                          layer->shape().queries == shape.queries &&
                          layer->shape().keys == shape.keys,
                      "layers of one text have one shape");
      for (std::int64_t head = 0; head < shape.heads; ++head) {
        if (stop.stop_requested()) {
          return Fail(ErrorCode::kCancelled, "the export was stopped");
        }
        layer->Map(head, rest.first(cells));
        rest = rest.subspan(cells);
      }
    }
    return {};
  } catch (const std::bad_alloc&) {
    return Fail(ErrorCode::kOutOfMemory,
                fmt::format("{}: {} of attention do not fit in memory; ask for fewer layers or a "
                            "shorter text",
                            path.string(),
                            Gigabytes(4 * count)));
  }
}

// "0-11", "5", "0,3-4"; the layers of any part.
std::string LayersText(const AttentionExport& attention) {
  std::set<std::int64_t> layers;
  for (const auto& layer : attention.layers) {
    layers.insert(layer->layer());
  }
  std::string text;
  for (auto layer = layers.begin(); layer != layers.end();) {
    const std::int64_t first = *layer;
    std::int64_t last = first;
    for (++layer; layer != layers.end() && *layer == last + 1; ++layer) {
      ++last;
    }
    text += fmt::format("{}{}", text.empty() ? "" : ",", first);
    if (last > first) {
      text += fmt::format("-{}", last);
    }
  }
  return text;
}

std::vector<std::string> Texts(const Encoding& encoding) {
  std::vector<std::string> texts;
  for (const Token& token : encoding.tokens) {
    texts.push_back(token.text);
  }
  return texts;
}

Status WriteTensors(const std::filesystem::path& path,
                    const AttentionExport& attention,
                    const std::vector<TensorView>& weights) {
  // Byte-level vocabularies may hold what is no valid text by itself.
  const auto list = [](const auto& values) {
    return nlohmann::json(values).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  };
  std::map<std::string, std::string> metadata = {{"tokens", list(Texts(attention.encoding))},
                                                 {"token_ids", list(attention.encoding.Ids())},
                                                 {"model", attention.model},
                                                 {"family", attention.family},
                                                 {"precision", attention.precision},
                                                 {"layers", LayersText(attention)}};
  if (attention.target != nullptr) {
    metadata["target_tokens"] = list(Texts(*attention.target));
    metadata["target_ids"] = list(attention.target->Ids());
  }
  return WriteSafetensors(path, weights, metadata);
}

Status WriteArrays(const std::filesystem::path& path,
                   const AttentionExport& attention,
                   const std::vector<TensorView>& weights) {
  std::vector<NpzEntry> entries;
  for (const TensorView& view : weights) {
    entries.push_back({.name = view.name, .numbers = view, .texts = {}, .text_shape = {}});
  }
  std::deque<std::vector<std::int64_t>> numbers;  // what the entries look at
  const auto add = [&](const char* tokens, const char* ids, const Encoding& encoding) {
    const auto count = static_cast<std::int64_t>(encoding.tokens.size());
    entries.push_back(
        {.name = tokens, .numbers = {}, .texts = Texts(encoding), .text_shape = {count}});
    std::vector<std::int64_t>& own = numbers.emplace_back();
    for (const Token& token : encoding.tokens) {
      own.push_back(token.id);
    }
    const TensorView view{.name = ids,
                          .type = DataType::kI64,
                          .shape = {count},
                          .bytes = std::as_bytes(std::span<const std::int64_t>(own))};
    entries.push_back({.name = ids, .numbers = view, .texts = {}, .text_shape = {}});
  };
  add("tokens", "token_ids", attention.encoding);
  if (attention.target != nullptr) {
    add("target_tokens", "target_ids", *attention.target);
  }
  const auto text = [&](const char* name, const std::string& value) {
    entries.push_back({.name = name, .numbers = {}, .texts = {value}, .text_shape = {}});
  };
  text("model", attention.model);
  text("family", attention.family);
  text("precision", attention.precision);
  text("layers", LayersText(attention));
  return WriteNpz(path, entries);
}

}  // namespace

Status WriteAttention(const std::filesystem::path& path,
                      const AttentionExport& attention,
                      std::stop_token stop) {
  HEADSCOPE_CHECK(!attention.layers.empty() && !attention.encoding.tokens.empty(),
                  "an export has a layer and a token");
  const bool tensors = path.extension() == ".safetensors";
  if (!tensors && path.extension() != ".npz") {
    return Fail(ErrorCode::kInput,
                fmt::format("{}: attention is written as .safetensors or .npz, found \"{}\"; "
                            "rename it",
                            path.string(),
                            path.extension().string()));
  }
  std::vector<PartWeights> parts = ByPart(attention.layers);
  std::vector<TensorView> weights;
  for (PartWeights& part : parts) {
    HEADSCOPE_TRY(AddWeights(path, stop, &part));
    weights.push_back(part.View());
  }
  return tensors ? WriteTensors(path, attention, weights) : WriteArrays(path, attention, weights);
}

}  // namespace headscope
