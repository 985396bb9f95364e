#include "core/compare/compare_export.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/atomic_file.h"
#include "core/heads/measure/head_name.h"
#include "core/io/json_text.h"
#include "core/io/safetensors.h"

namespace headscope {
namespace {

using Json = nlohmann::ordered_json;

std::string NameA(const Comparison& comparison, std::int64_t layer, std::int64_t head) {
  return HeadName({layer, head, comparison.part_a});
}

Json PairJson(const Comparison& comparison, std::int64_t layer, const HeadPair& pair) {
  Json json;
  json["a"] = NameA(comparison, layer, pair.a);
  json["b"] = HeadName({layer, pair.b, comparison.part_b});
  json["divergence"] = OrNull(pair.divergence);
  return json;
}

Status WriteTensors(const std::filesystem::path& path,
                    const Comparison& comparison,
                    std::map<std::string, std::string> metadata) {
  const auto layers = std::ssize(comparison.layers);
  const LayerComparison& first = comparison.layers.front();
  std::vector<float> divergence;
  std::vector<std::int32_t> partner;
  std::vector<float> pairs;
  std::vector<std::int64_t> numbers;
  for (const LayerComparison& layer : comparison.layers) {
    numbers.push_back(layer.layer);
    for (std::int64_t head = 0; head < layer.heads_a; ++head) {
      const HeadPair* const pair = layer.PairOf(head);
      const bool has_value = pair != nullptr && pair->divergence;
      divergence.push_back(has_value ? static_cast<float>(*pair->divergence)
                                     : std::numeric_limits<float>::quiet_NaN());
      partner.push_back(pair != nullptr ? static_cast<std::int32_t>(pair->b) : -1);
    }
    for (const double each : layer.divergences) {
      pairs.push_back(static_cast<float>(each));
    }
  }
  metadata["a"] = comparison.a;
  metadata["b"] = comparison.b;
  metadata["tokens"] = JsonText(comparison.queries.names);
  metadata["layers"] = JsonText(numbers);
  metadata["notes"] = JsonText(comparison.notes);
  const std::vector<TensorView> tensors = {
      {.name = "divergence",
       .type = DataType::kF32,
       .shape = {layers, first.heads_a},
       .bytes = std::as_bytes(std::span<const float>(divergence))},
      {.name = "partner",
       .type = DataType::kI32,
       .shape = {layers, first.heads_a},
       .bytes = std::as_bytes(std::span<const std::int32_t>(partner))},
      {.name = "pairs",
       .type = DataType::kF32,
       .shape = {layers, first.heads_a, first.heads_b},
       .bytes = std::as_bytes(std::span<const float>(pairs))}};
  return WriteSafetensors(path, tensors, metadata);
}

}  // namespace

std::string ComparisonJson(const Comparison& comparison) {
  const auto largest = LargestOf(comparison);
  Json json;
  json["a"] = comparison.a;
  json["b"] = comparison.b;
  json["tokens"] = comparison.queries.names;
  json["largest"] = largest ? PairJson(comparison, largest->layer, largest->pair) : Json(nullptr);
  for (const char* const list : {"ranking", "heads", "matrix", "layers", "pairs"}) {
    json[list] = Json::array();
  }
  for (const LargestDivergence& each : FurthestFirst(comparison)) {
    json["ranking"].push_back(NameA(comparison, each.layer, each.pair.a));
  }
  for (const LayerComparison& layer : comparison.layers) {
    Json& row = json["matrix"].emplace_back(Json::array());
    Json& pairs = json["pairs"].emplace_back(Json::array());
    for (std::int64_t head = 0; head < layer.heads_a; ++head) {
      const HeadPair* const pair = layer.PairOf(head);
      row.push_back(pair != nullptr ? OrNull(pair->divergence) : Json(nullptr));
      Json& of_head = pairs.emplace_back(Json::array());
      for (std::int64_t other = 0; other < layer.heads_b; ++other) {
        of_head.push_back(layer.num_rows > 0 ? Json(layer.Divergence(head, other)) : Json(nullptr));
      }
    }
    for (const HeadPair& pair : layer.pairs) {
      json["heads"].push_back(PairJson(comparison, layer.layer, pair));
    }
    Json& about = json["layers"].emplace_back();
    about["layer"] = layer.layer;
    about["mean"] = OrNull(layer.Mean());
    about["rows"] = layer.num_rows;
  }
  json["notes"] = comparison.notes;
  return JsonInLines(json, {"heads", "matrix", "layers", "pairs"});
}

Status WriteComparison(const std::filesystem::path& path,
                       const Comparison& comparison,
                       const std::map<std::string, std::string>& metadata) {
  if (path.extension() == ".json") {
    return WriteFileAtomically(path, std::string_view(ComparisonJson(comparison)));
  }
  if (path.extension() == ".safetensors") {
    return WriteTensors(path, comparison, metadata);
  }
  return Fail(ErrorCode::kInput,
              fmt::format("{}: a comparison is written as .json or .safetensors, found \"{}\"; "
                          "rename it",
                          path.string(),
                          path.extension().string()));
}

}  // namespace headscope
