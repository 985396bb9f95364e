#include "core/headcount/split_export.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <stop_token>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/attention/weight_bytes.h"
#include "core/base/atomic_file.h"
#include "core/io/json_text.h"
#include "core/io/safetensors.h"

namespace headscope {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kLeftOut =
    "the bias or sink that each trained head adds to its scores: it belongs to no other head count";

std::vector<std::int32_t> WidthsOf(const SplitCount& count) {
  std::vector<std::int32_t> widths;
  for (std::int64_t head = 0; head < count.heads; ++head) {
    widths.push_back(static_cast<std::int32_t>(count.attention->columns(head).size()));
  }
  return widths;
}

Json CountJson(const SplitCount& count, const ScoreRank& all_columns) {
  Json json;
  json["heads"] = count.heads;
  json["widths"] = WidthsOf(count);
  json["parameters"] = count.parameters;
  json["multiplies"] = count.multiplies;
  json["softmax_cells"] = count.softmax_cells;
  json["map_bytes"] = count.map_bytes;
  json["milliseconds"] = count.milliseconds;
  json["output_difference"] = count.output_difference;
  json["mean_divergence"] = OrNull(count.mean_divergence);
  json["effective_heads"] = count.effective_heads;
  json["unowned_columns"] = count.unowned_columns;
  json["largest_weight"] = count.largest_weight;
  json["milliseconds_apart"] = count.milliseconds_apart;
  json["timed_runs"] = count.timed_runs;
  for (const ScoreRank& rank : count.ranks) {
    json["score_ranks"].push_back(rank.Rank());
    json["effective_score_ranks"].push_back(rank.EffectiveRank());
  }
  if (!count.ranks.empty()) {
    json["score_rank_bound"] = count.ranks.front().Bound();
    json["score_left_out"] = all_columns.LeftOut(count.ranks.front().Bound());
  }
  if (count.kept) {
    for (std::int64_t head = 0; head < count.heads; ++head) {
      json["output_lost_without"].push_back(count.kept->Lost(std::span(&head, 1)));
    }
  }
  return json;
}

Json ScaleJson(const SplitAtScale& scale) {
  Json json;
  json["input_scale"] = scale.input_scale;
  json["counts"] = Json::array();
  for (const CountAtScale& count : scale.counts) {
    json["counts"].push_back({{"heads", count.heads},
                              {"output_difference", count.output_difference},
                              {"largest_weight", count.largest_weight}});
  }
  return json;
}

// Uses the names of `info`: in a model of one stack, the name of that stack.
std::string PartOf(const SplitResult& split) {
  const LayerAttention& cut = *split.counts.front().attention;
  return std::string(PartName(cut.part() != ModelPart::kWhole ? cut.part()
                              : cut.rule().causal             ? ModelPart::kDecoder
                                                              : ModelPart::kEncoder));
}

// The tensors of a file and the functions that make their bytes.
class Tensors {
 public:
  // `values` outlive this.
  void Add(std::string name,
           DataType type,
           std::vector<std::int64_t> shape,
           std::span<const std::byte> values) {
    tensors_.push_back(
        {.about = {.name = std::move(name), .type = type, .shape = std::move(shape), .bytes = {}},
         .bytes = &ready_.emplace_back(values)});
  }

  void AddMaps(std::string name, const std::shared_ptr<const LayerAttention>& attention) {
    WeightBytes& maps =
        maps_.emplace_back(std::move(name), std::vector{attention}, std::stop_token());
    tensors_.push_back({.about = maps.About(), .bytes = &maps});
    std::vector<std::int64_t>& shape = tensors_.back().about.shape;
    shape.erase(shape.begin());  // there is one layer
  }

  [[nodiscard]] const std::vector<StreamedTensor>& all() const { return tensors_; }

 private:
  std::deque<ReadyBytes> ready_;
  std::deque<WeightBytes> maps_;
  std::vector<StreamedTensor> tensors_;
};

Status WriteTensors(const std::filesystem::path& path,
                    const SplitResult& split,
                    SplitAbout metadata) {
  metadata["part"] = PartOf(split);
  metadata["layer"] = std::to_string(split.layer);
  metadata["trained_heads"] = std::to_string(split.trained_heads);
  metadata["segments"] = Name(split.request.segments);
  metadata["head_dim"] =
      split.request.head_dim ? std::to_string(*split.request.head_dim) : std::string("D/h");
  metadata["weights"] = Name(split.request.weights);
  metadata["input"] = Name(split.request.InputUsed());
  metadata["input_scale"] = fmt::format("{}", split.request.input_scale);
  metadata["seed"] = std::to_string(split.request.seed);
  if (split.leaves_bias_out) {
    metadata["left_out"] = kLeftOut;
  }
  Tensors tensors;
  std::deque<std::vector<std::int32_t>> numbers;  // the tensors refer to these
  for (const SplitCount& count : split.counts) {
    const std::string heads = std::to_string(count.heads);
    const std::int64_t queries = count.attention->shape().queries;
    const auto& widths = numbers.emplace_back(WidthsOf(count));
    auto& columns = numbers.emplace_back();
    for (std::int64_t head = 0; head < count.heads; ++head) {
      const std::vector<std::int32_t> own = count.attention->columns(head);
      columns.insert(columns.end(), own.begin(), own.end());
    }
    const std::int64_t model_dim = std::ssize(count.output) / std::max<std::int64_t>(1, queries);
    tensors.AddMaps("heads_" + heads, count.attention);
    tensors.Add("output_" + heads,
                DataType::kF32,
                {queries, model_dim},
                std::as_bytes(std::span(count.output)));
    tensors.Add("columns_" + heads,
                DataType::kI32,
                {std::ssize(columns)},
                std::as_bytes(std::span(columns)));
    tensors.Add("widths_" + heads, DataType::kI32, {count.heads}, std::as_bytes(std::span(widths)));
  }
  HEADSCOPE_TRY(CheckRoom(path, tensors.all(), "fewer heads"));
  return StreamSafetensors(path, tensors.all(), metadata);
}

}  // namespace

std::string SplitJson(const SplitResult& split, const SplitAbout& about) {
  const SplitRequest& request = split.request;
  Json json;
  for (const char* const name : {"model", "text", "target", "precision"}) {
    if (const auto found = about.find(name); found != about.end()) {
      json[name] = found->second;
    }
  }
  for (const char* const name : {"ids", "target_ids"}) {
    if (const auto found = about.find(name); found != about.end()) {
      json[name] = Json::parse(found->second);
    }
  }
  json["part"] = PartOf(split);
  json["layer"] = split.layer;
  json["trained_heads"] = split.trained_heads;
  json["segments"] = Name(request.segments);
  json["head_dim"] = request.head_dim ? Json(*request.head_dim) : Json(nullptr);
  json["weights"] = Name(request.weights);
  json["input"] = Name(request.InputUsed());
  json["input_scale"] = request.input_scale;
  json["seed"] = request.seed;
  if (split.leaves_bias_out) {
    json["left_out"] = kLeftOut;
  }
  for (const SplitAtScale& scale : split.scales) {
    json["scales"].push_back(ScaleJson(scale));
  }
  for (const SplitCount& count : split.counts) {
    json["counts"].push_back(CountJson(count, split.all_columns));
  }
  // Each count takes one line: otherwise thousands of widths would take a line each.
  return JsonInLines(json, {"scales", "counts"});
}

Status WriteSplit(const std::filesystem::path& path,
                  const SplitResult& split,
                  const SplitAbout& about) {
  if (path.extension() == ".json") {
    return WriteFileAtomically(path, std::string_view(SplitJson(split, about)));
  }
  if (path.extension() == ".safetensors") {
    return WriteTensors(path, split, about);
  }
  return Fail(ErrorCode::kInput,
              fmt::format("{}: a split is written as .safetensors or .json, found \"{}\"; rename "
                          "it",
                          path.string(),
                          path.extension().string()));
}

}  // namespace headscope
