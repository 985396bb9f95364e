#include "core/headcount/split_export.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/atomic_file.h"
#include "core/io/safetensors.h"

namespace headscope {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kLeftOut =
    "the bias that each trained head adds to its scores: it belongs to no other head count";

std::vector<std::int32_t> WidthsOf(const SplitCount& count) {
  std::vector<std::int32_t> widths;
  for (const auto& own : count.columns) {
    widths.push_back(static_cast<std::int32_t>(own.size()));
  }
  return widths;
}

Json CountJson(const SplitCount& count) {
  Json json;
  json["heads"] = count.heads;
  json["widths"] = WidthsOf(count);
  json["parameters"] = count.parameters;
  json["multiplies"] = count.multiplies;
  json["softmax_cells"] = count.softmax_cells;
  json["map_bytes"] = count.map_bytes;
  json["milliseconds"] = count.milliseconds;
  json["output_difference"] = count.output_difference;
  json["mean_divergence"] = count.mean_divergence ? Json(*count.mean_divergence) : Json(nullptr);
  json["effective_heads"] = count.effective_heads;
  json["unowned_columns"] = count.unowned_columns;
  return json;
}

template <typename Number>
TensorView View(std::string name,
                DataType type,
                std::vector<std::int64_t> shape,
                const std::vector<Number>& values) {
  return {.name = std::move(name),
          .type = type,
          .shape = std::move(shape),
          .bytes = std::as_bytes(std::span<const Number>(values))};
}

Status WriteTensors(const std::filesystem::path& path,
                    const SplitResult& split,
                    std::map<std::string, std::string> metadata) {
  metadata["layer"] = std::to_string(split.layer);
  metadata["trained_heads"] = std::to_string(split.trained_heads);
  metadata["segments"] = "contiguous";
  metadata["weights"] = "trained";
  if (split.leaves_bias_out) {
    metadata["left_out"] = kLeftOut;
  }
  std::vector<TensorView> tensors;
  std::deque<std::vector<std::int32_t>> numbers;  // what the views look at
  for (const SplitCount& count : split.counts) {
    const std::string heads = std::to_string(count.heads);
    const auto& widths = numbers.emplace_back(WidthsOf(count));
    auto& columns = numbers.emplace_back();
    for (const auto& own : count.columns) {
      columns.insert(columns.end(), own.begin(), own.end());
    }
    const std::int64_t model_dim =
        split.queries > 0 ? static_cast<std::int64_t>(count.output.size()) / split.queries : 0;
    tensors.push_back(View(
        "heads_" + heads, DataType::kF32, {count.heads, split.queries, split.keys}, count.maps));
    tensors.push_back(
        View("output_" + heads, DataType::kF32, {split.queries, model_dim}, count.output));
    tensors.push_back(View(
        "columns_" + heads, DataType::kI32, {static_cast<std::int64_t>(columns.size())}, columns));
    tensors.push_back(View("widths_" + heads, DataType::kI32, {count.heads}, widths));
  }
  return WriteSafetensors(path, tensors, metadata);
}

}  // namespace

std::string SplitJson(const SplitResult& split) {
  // A line for each count: thousands of widths would take a line each otherwise.
  std::string text = fmt::format(
      "{{\n  \"layer\": {},\n  \"trained_heads\": {},\n{}  \"counts\": [",
      split.layer,
      split.trained_heads,
      split.leaves_bias_out ? fmt::format("  \"left_out\": \"{}\",\n", kLeftOut) : std::string());
  for (std::size_t i = 0; i < split.counts.size(); ++i) {
    text += (i > 0 ? ",\n    " : "\n    ") + CountJson(split.counts[i]).dump();
  }
  return text + "\n  ]\n}\n";
}

Status WriteSplit(const std::filesystem::path& path,
                  const SplitResult& split,
                  const std::map<std::string, std::string>& metadata) {
  if (path.extension() == ".json") {
    return WriteFileAtomically(path, std::string_view(SplitJson(split)));
  }
  if (path.extension() == ".safetensors") {
    return WriteTensors(path, split, metadata);
  }
  return Fail(ErrorCode::kInput,
              fmt::format("{}: a split is written as .safetensors, .json or .png, found \"{}\"; "
                          "rename it",
                          path.string(),
                          path.extension().string()));
}

}  // namespace headscope
