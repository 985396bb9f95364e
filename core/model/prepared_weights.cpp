#include "core/model/prepared_weights.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <new>
#include <utility>

#include <fmt/format.h>

#include "core/base/check.h"
#include "core/base/half.h"
#include "core/compute/input_checks.h"
#include "core/model/read_weights.h"

namespace headscope {
namespace {

Result<std::vector<float>> ReadVector(const TensorView& tensor) {
  std::vector<float> values(static_cast<std::size_t>(ElementCount(tensor)));
  ConvertToFloat(tensor, 0, values);
  HEADSCOPE_TRY(CheckFinite(tensor, 0, values));
  return values;
}

// Makes all queries, then all keys, then all values from the matrix that holds them head by head.
void PutInOrder(std::int64_t heads, LinearSource* source) {
  constexpr std::int64_t kKinds = 3;
  HEADSCOPE_CHECK(source->matrices.size() == 1 && source->layout == WeightLayout::kOutIn,
                  "columns of one matrix of rows can be put in order");
  const LinearSource::Matrix whole = std::move(source->matrices.front());
  const std::int64_t width = whole.weight.shape.front() / (kKinds * heads);
  source->matrices.clear();
  for (std::int64_t kind = 0; kind < kKinds; ++kind) {
    for (std::int64_t head = 0; head < heads; ++head) {
      const std::int64_t first = (kKinds * head + kind) * width;
      source->matrices.push_back(
          {RowsOf(whole.weight, first, width),
           whole.bias ? std::optional(RowsOf(*whole.bias, first, width)) : std::nullopt});
    }
  }
}

}  // namespace

// Model::Open has checked that every tensor of the description is there, with its shape.
const TensorView& PreparedWeights::Find(const TensorNeed& need) const {
  const TensorView* tensor = model_.weights().Find(need.name);
  HEADSCOPE_CHECK(tensor != nullptr, "an open model holds every tensor it needs");
  return *tensor;
}

Result<const Linear*> PreparedWeights::Get(const LinearNeed& need, std::stop_token stop) {
  const auto found = linears_.find(&need);
  if (found != linears_.end()) {
    return found->second.get();
  }
  LinearSource source;
  try {
    source = SourceOf(model_, need, &picked_);
  } catch (const std::bad_alloc&) {
    return Fail(ErrorCode::kOutOfMemory,
                fmt::format("no memory for \"{}\" in parts", need.matrices.front().weight.name));
  }
  if (need.fused_heads > 0) {
    PutInOrder(need.fused_heads, &source);
  }
  HEADSCOPE_TRY(auto prepared, backend_.Prepare(source, std::move(stop)));
  return linears_.emplace(&need, std::move(prepared)).first->second.get();
}

Result<const NormWeights*> PreparedWeights::Get(const NormNeed& need) {
  const auto found = norms_.find(&need);
  if (found != norms_.end()) {
    return found->second.get();
  }
  std::vector<float> weight;
  for (const TensorNeed& own : need.of_heads) {
    const TensorView& tensor = Find(own);
    HEADSCOPE_TRY(const auto part,
                  ReadVector(own.rows ? RowsOf(tensor, own.rows->first, own.rows->count) : tensor));
    weight.insert(weight.end(), part.begin(), part.end());
  }
  if (!need.weight.name.empty()) {
    HEADSCOPE_TRY(weight, ReadVector(Find(need.weight)));
  } else if (weight.empty()) {
    weight.assign(static_cast<std::size_t>(need.weight.shape.front()), 1.0F);
  }
  for (float& value : weight) {
    value = (value + static_cast<float>(need.weight_offset)) * static_cast<float>(need.factor);
  }
  auto norm = std::make_unique<NormWeights>(
      NormWeights{.kind = need.kind,
                  .weight = std::move(weight),
                  .bias = {},
                  .epsilon = need.epsilon,
                  .heads = std::max<std::int64_t>(std::ssize(need.of_heads), 1)});
  if (need.bias) {
    HEADSCOPE_TRY(auto bias, ReadVector(Find(*need.bias)));
    norm->bias = std::move(bias);
  }
  return norms_.emplace(&need, std::move(norm)).first->second.get();
}

Result<std::shared_ptr<const std::vector<float>>> PreparedWeights::Get(const TensorNeed& need) {
  std::shared_ptr<const std::vector<float>>& kept = vectors_[&need];
  if (kept == nullptr) {
    HEADSCOPE_TRY(auto values, ReadVector(Find(need)));
    kept = std::make_shared<const std::vector<float>>(std::move(values));
  }
  return kept;
}

Result<std::vector<float>> PreparedWeights::Read(
    const std::vector<std::vector<TensorNeed>>& parts) const {
  std::vector<float> all;
  for (const std::vector<TensorNeed>& part : parts) {
    std::vector<float> sum(static_cast<std::size_t>(part.front().shape.back()));
    for (const TensorNeed& need : part) {
      HEADSCOPE_TRY(const auto row, ReadVector(RowsOf(Find(need), need.rows->first, 1)));
      std::transform(sum.begin(), sum.end(), row.begin(), sum.begin(), std::plus<>());
    }
    all.insert(all.end(), sum.begin(), sum.end());
  }
  return all;
}

Result<Xielu> PreparedWeights::Get(const XieluNeed& need) {
  for (const TensorNeed* one : {&need.positive, &need.negative, &need.linear, &need.most}) {
    HEADSCOPE_TRY(Get(*one));  // finite numbers
  }
  return ReadXielu(model_, need);
}

Result<std::shared_ptr<const RelativeBias>> PreparedWeights::Get(const RelativeBiasNeed& need) {
  std::shared_ptr<const RelativeBias>& kept = biases_[&need];
  if (kept == nullptr) {
    HEADSCOPE_TRY(auto table, ReadVector(Find(need.table)));
    for (float& value : table) {
      value = static_cast<float>(need.factor * static_cast<double>(value));
    }
    kept = std::make_shared<const RelativeBias>(
        MakeRelativeBias(need.rule, need.table.shape[1], table));
  }
  return kept;
}

Result<std::shared_ptr<const PositionVectors>> PreparedWeights::Get(const PositionVectorsNeed& need,
                                                                    const LayerDescription& layer,
                                                                    std::int64_t heads,
                                                                    const std::stop_token& stop) {
  if (const auto found = positions_.find(&layer); found != positions_.end()) {
    return found->second;
  }
  HEADSCOPE_TRY(const auto table, ReadVector(Find(need.table)));
  HEADSCOPE_TRY(auto rows, backend_.Make(need.table.shape[0], need.table.shape[1]));
  backend_.Load(table, rows.get());
  if (need.norm) {
    HEADSCOPE_TRY(const NormWeights* norm, Get(*need.norm));
    HEADSCOPE_TRY(backend_.Norm(*norm, *rows, rows.get()));
  }
  PositionVectors made{
      .heads = heads, .row = RowsOfDistances(need.rule), .keys = {}, .queries = {}};
  made.span = std::ssize(made.row) / 2;
  const auto project = [&](const std::optional<LinearNeed>& by, std::vector<float>* out) -> Status {
    if (!by) {
      return {};
    }
    HEADSCOPE_TRY(const Linear* linear, Get(*by, stop));
    HEADSCOPE_TRY(auto projected, backend_.Make(rows->rows(), linear->out()));
    HEADSCOPE_TRY(backend_.Apply(*linear, *rows, projected.get(), stop));
    made.head_dim = linear->out() / heads;
    out->resize(static_cast<std::size_t>(rows->rows() * linear->out()));
    backend_.Read(*projected, *out);
    return {};
  };
  HEADSCOPE_TRY(project(layer.position_key, &made.keys));
  HEADSCOPE_TRY(project(layer.position_query, &made.queries));
  return positions_.emplace(&layer, std::make_shared<const PositionVectors>(std::move(made)))
      .first->second;
}

}  // namespace headscope
