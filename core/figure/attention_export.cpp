#include "core/figure/attention_export.h"

#include <algorithm>
#include <map>
#include <unistd.h>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/io/npy.h"
#include "core/io/safetensors.h"

namespace headscope {
namespace {

constexpr std::int64_t kRowsPerLook = 64;  // between looks at the stop token

std::string LayerText(const AttentionExport& attention) {
  const std::int64_t first = attention.layers.front()->layer();
  const std::int64_t last = attention.layers.back()->layer();
  return first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last);
}

Status CheckSize(const std::filesystem::path& path, std::int64_t bytes) {
  const std::int64_t memory =
      static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  if (bytes <= memory / 2) {
    return {};
  }
  return Fail(ErrorCode::kOutOfMemory,
              fmt::format("{}: the maps are {:.1f} GB together, this machine has {:.1f} GB of "
                          "memory; choose fewer layers with --layers",
                          path.string(),
                          static_cast<double>(bytes) / 1e9,
                          static_cast<double>(memory) / 1e9));
}

Result<std::vector<float>> AllMaps(const AttentionExport& attention, const std::stop_token& stop) {
  const AttentionShape& shape = attention.layers.front()->shape();
  std::vector<float> maps(attention.layers.size() *
                          static_cast<std::size_t>(shape.heads * shape.queries * shape.keys));
  std::span<float> rest(maps);
  for (const auto& layer : attention.layers) {
    for (std::int64_t head = 0; head < shape.heads; ++head) {
      for (std::int64_t begin = 0; begin < shape.queries; begin += kRowsPerLook) {
        if (stop.stop_requested()) {
          return Fail(ErrorCode::kCancelled, "stopped");
        }
        const std::int64_t end = std::min(shape.queries, begin + kRowsPerLook);
        const auto cells = static_cast<std::size_t>((end - begin) * shape.keys);
        layer->Rows(head, begin, end, rest.first(cells));
        rest = rest.subspan(cells);
      }
    }
  }
  return maps;
}

std::string Json(const nlohmann::json& value) {
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

NpzEntry TextEntry(const std::string& name, const std::string& text) {
  NpzEntry entry;
  entry.name = name;
  entry.texts = {text};
  return entry;
}

Status WriteNpzFile(const std::filesystem::path& path,
                    const AttentionExport& attention,
                    TensorView maps) {
  std::vector<std::string> tokens;
  std::vector<std::int64_t> ids;
  for (const Token& token : attention.encoding->tokens) {
    tokens.push_back(token.text);
    ids.push_back(token.id);
  }
  const auto count = static_cast<std::int64_t>(ids.size());
  std::vector<NpzEntry> entries(3);
  entries[0].name = "attention";
  entries[0].numbers = std::move(maps);
  entries[1].name = "tokens";
  entries[1].texts = tokens;
  entries[1].text_shape = {count};
  entries[2].name = "token_ids";
  entries[2].numbers = {.name = "token_ids",
                        .type = DataType::kI64,
                        .shape = {count},
                        .bytes = std::as_bytes(std::span<const std::int64_t>(ids))};
  entries.push_back(TextEntry("model", attention.model));
  entries.push_back(TextEntry("family", attention.family));
  entries.push_back(TextEntry("precision", attention.precision));
  entries.push_back(TextEntry("layers", LayerText(attention)));
  return WriteNpz(path, entries);
}

Status WriteSafetensorsFile(const std::filesystem::path& path,
                            const AttentionExport& attention,
                            const TensorView& maps) {
  nlohmann::json tokens = nlohmann::json::array();
  nlohmann::json ids = nlohmann::json::array();
  for (const Token& token : attention.encoding->tokens) {
    tokens.push_back(token.text);
    ids.push_back(token.id);
  }
  const std::map<std::string, std::string> metadata = {{"tokens", Json(tokens)},
                                                       {"token_ids", Json(ids)},
                                                       {"model", attention.model},
                                                       {"family", attention.family},
                                                       {"precision", attention.precision},
                                                       {"layers", LayerText(attention)}};
  return WriteSafetensors(path, std::span(&maps, 1), metadata);
}

}  // namespace

Status WriteAttention(const std::filesystem::path& path,
                      const AttentionExport& attention,
                      std::stop_token stop) {
  if (attention.layers.empty()) {
    return Fail(ErrorCode::kInput, fmt::format("{}: there is no layer to write", path.string()));
  }
  const AttentionShape& shape = attention.layers.front()->shape();
  const auto layers = static_cast<std::int64_t>(attention.layers.size());
  HEADSCOPE_TRY(CheckSize(path,
                          layers * shape.heads * shape.queries * shape.keys *
                              static_cast<std::int64_t>(sizeof(float))));
  const Result<std::vector<float>> maps = AllMaps(attention, stop);
  if (!maps) {
    return PassOn(maps.error());
  }
  TensorView view{.name = "attention",
                  .type = DataType::kF32,
                  .shape = {layers, shape.heads, shape.queries, shape.keys},
                  .bytes = std::as_bytes(std::span<const float>(*maps))};
  return path.extension() == ".npz" ? WriteNpzFile(path, attention, std::move(view))
                                    : WriteSafetensorsFile(path, attention, view);
}

}  // namespace headscope
