#include "core/figure/attention_export.h"

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <map>
#include <new>
#include <optional>
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

Result<std::vector<float>> AllWeights(const std::filesystem::path& path,
                                      const AttentionExport& attention,
                                      const std::stop_token& stop) {
  const AttentionShape& shape = attention.layers[0]->shape();
  const auto cells = static_cast<std::size_t>(shape.queries * shape.keys);
  const auto heads = static_cast<std::size_t>(shape.heads);
  const std::size_t count = attention.layers.size() * heads * cells;
  HEADSCOPE_TRY(CheckRoom(path, shape, attention.layers.size(), 4 * count));
  try {
    std::vector<float> weights(count);
    std::span<float> rest = weights;
    for (const auto& layer : attention.layers) {
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
    return weights;
  } catch (const std::bad_alloc&) {
    return Fail(ErrorCode::kOutOfMemory,
                fmt::format("{}: {} of attention do not fit in memory; ask for fewer layers or a "
                            "shorter text",
                            path.string(),
                            Gigabytes(4 * count)));
  }
}

// "0-11", "5", "0,3-4".
std::string LayersText(const AttentionExport& attention) {
  std::string text;
  for (std::size_t i = 0; i < attention.layers.size();) {
    const std::int64_t first = attention.layers[i]->layer();
    std::int64_t last = first;
    for (++i; i < attention.layers.size() && attention.layers[i]->layer() == last + 1; ++i) {
      ++last;
    }
    text += fmt::format("{}{}", text.empty() ? "" : ",", first);
    if (last > first) {
      text += fmt::format("-{}", last);
    }
  }
  return text;
}

Status WriteTensors(const std::filesystem::path& path,
                    const AttentionExport& attention,
                    const TensorView& weights) {
  nlohmann::json tokens = nlohmann::json::array();
  for (const Token& token : attention.encoding.tokens) {
    tokens.push_back(token.text);
  }
  // Byte-level vocabularies may hold what is no valid text by itself.
  constexpr auto kReplace = nlohmann::json::error_handler_t::replace;
  const std::map<std::string, std::string> metadata = {
      {"tokens", tokens.dump(-1, ' ', false, kReplace)},
      {"token_ids", nlohmann::json(attention.encoding.Ids()).dump()},
      {"model", attention.model},
      {"family", attention.family},
      {"precision", attention.precision},
      {"layers", LayersText(attention)}};
  return WriteSafetensors(path, std::span(&weights, 1), metadata);
}

Status WriteArrays(const std::filesystem::path& path,
                   const AttentionExport& attention,
                   const TensorView& weights) {
  std::vector<std::string> tokens;
  std::vector<std::int64_t> ids;
  for (const Token& token : attention.encoding.tokens) {
    tokens.push_back(token.text);
    ids.push_back(token.id);
  }
  const auto count = static_cast<std::int64_t>(ids.size());
  const TensorView id_view{.name = "token_ids",
                           .type = DataType::kI64,
                           .shape = {count},
                           .bytes = std::as_bytes(std::span<const std::int64_t>(ids))};
  const auto text = [](const char* name, const std::string& value) {
    return NpzEntry{.name = name, .numbers = {}, .texts = {value}, .text_shape = {}};
  };
  const std::vector<NpzEntry> entries = {
      {.name = "attention", .numbers = weights, .texts = {}, .text_shape = {}},
      {.name = "tokens", .numbers = {}, .texts = tokens, .text_shape = {count}},
      {.name = "token_ids", .numbers = id_view, .texts = {}, .text_shape = {}},
      text("model", attention.model),
      text("family", attention.family),
      text("precision", attention.precision),
      text("layers", LayersText(attention))};
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
  const auto weights = AllWeights(path, attention, stop);
  if (!weights) {
    return PassOn(weights.error());
  }
  const AttentionShape& shape = attention.layers[0]->shape();
  const TensorView view{.name = "attention",
                        .type = DataType::kF32,
                        .shape = {static_cast<std::int64_t>(attention.layers.size()),
                                  shape.heads,
                                  shape.queries,
                                  shape.keys},
                        .bytes = std::as_bytes(std::span<const float>(*weights))};
  return tensors ? WriteTensors(path, attention, view) : WriteArrays(path, attention, view);
}

}  // namespace headscope
