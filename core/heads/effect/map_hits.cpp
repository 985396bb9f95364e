// The part of core/heads/effect/token_maps.h that uses the vocabulary.
#include <algorithm>

#include "core/base/stop.h"
#include "core/heads/effect/output_path.h"
#include "core/heads/effect/token_maps.h"
#include "core/heads/effect/token_streams.h"
#include "core/heads/effect/weight_product.h"
#include "core/model/latent_attention.h"
#include "core/model/scaled_context.h"

namespace headscope {
namespace {

// Few rows of the output matrix come first, since they already rule out most pairs.
constexpr std::int64_t kFirstRows = 512;

// A head and a pair on their pass through the vocabulary.
struct Race {
  Eigen::Index row = 0;  // in the rows that are compared
  double target = 0.0;   // logits
  double control = 0.0;
  std::int64_t above_target = 0;
  std::int64_t above_control = 0;

  [[nodiscard]] bool is_lost() const {
    return above_target >= kTopTargets && above_control >= kTopTargets;
  }
};

// Returns what the output matrix receives of what each head of a layer adds, [heads pairs, e].
Result<FloatMatrix> ReadOfLayer(Forward* forward,
                                const OutputPath& path,
                                const WeightProduct& product,
                                std::int64_t layer,
                                const FloatMatrix& stream) {
  const Model& model = forward->model();
  const ModelDescription& shape = model.description();
  const LayerDescription& one = shape.layer[static_cast<std::size_t>(layer)];
  const auto [key_width, width] = shape.WidthsOf(one);
  const ProjectionColumns values = ReadColumns(model,
                                               one.query_key_value,
                                               (shape.heads + shape.kv_heads) * key_width,
                                               shape.kv_heads * width);
  const ProjectionColumns output = ReadColumns(model, one.output, 0, shape.model_dim);
  HEADSCOPE_TRY(const auto read, NormedRows(forward, one.attention_norm.before, stream));
  HEADSCOPE_TRY(const auto made, product.Project(read, values));
  FloatMatrix asked(shape.heads * stream.rows(), path.layer().weight.shape[1]);
  for (std::int64_t head = 0; head < shape.heads; ++head) {
    const std::int64_t value_head = head / (shape.heads / shape.kv_heads);
    HEADSCOPE_TRY(const auto added,
                  product(made.middleCols(value_head * width, width),
                          MatrixOf(output).middleCols(head * width, width).transpose()));
    for (Eigen::Index pair = 0; pair < stream.rows(); ++pair) {
      std::vector<double> row(static_cast<std::size_t>(added.cols()));
      Eigen::VectorXd::Map(row.data(), added.cols()) = added.row(pair).cast<double>();
      const std::vector<double> through = path.Through(layer, std::move(row));
      asked.row(head * stream.rows() + pair) =
          Eigen::RowVectorXd::Map(through.data(), std::ssize(through)).cast<float>();
    }
  }
  return asked;
}

// Returns those whose target or control is among the ten.
Result<std::vector<Race>> RunRaces(const TensorView& table,
                                   const WeightProduct& product,
                                   std::span<const MappedToken> pairs,
                                   const FloatMatrix& asked,
                                   const std::stop_token& stop) {
  std::vector<Race> races;
  const auto count = static_cast<Eigen::Index>(pairs.size());
  FloatMatrix targets(count, asked.cols());
  for (Eigen::Index pair = 0; pair < count; ++pair) {
    targets.row(pair) = TableRows(table, pairs[static_cast<std::size_t>(pair)].target, 1);
  }
  const auto logit = [&](Eigen::Index row, Eigen::Index pair) {
    return asked.row(row).cast<double>().dot(targets.row(pair).cast<double>());
  };
  for (Eigen::Index row = 0; row < asked.rows(); ++row) {
    races.push_back({.row = row,
                     .target = logit(row, row % count),
                     .control = logit(row, (row % count + 1) % count)});
  }
  std::int64_t rows = kFirstRows;
  for (std::int64_t first = 0; first < table.shape[0] && !races.empty(); first += rows) {
    rows = std::min(first == 0 ? kFirstRows : kTableRowsAtOnce, table.shape[0] - first);
    HEADSCOPE_TRY(CheckStop(stop));
    FloatMatrix left(std::ssize(races), asked.cols());
    for (std::size_t race = 0; race < races.size(); ++race) {
      left.row(static_cast<Eigen::Index>(race)) = asked.row(races[race].row);
    }
    HEADSCOPE_TRY(const auto logits, product.TimesTransposed(left, TableRows(table, first, rows)));
    for (std::size_t place = 0; place < races.size(); ++place) {
      Race& race = races[place];
      const auto pair = static_cast<std::size_t>(race.row % count);
      const std::int64_t target = pairs[pair].target - first;
      const std::int64_t control = pairs[(pair + 1) % pairs.size()].target - first;
      for (std::int64_t id = 0; id < rows; ++id) {
        const auto other = static_cast<double>(logits(static_cast<Eigen::Index>(place), id));
        race.above_target += id != target && other > race.target ? 1 : 0;
        race.above_control += id != control && other > race.control ? 1 : 0;
      }
    }
    std::erase_if(races, [](const Race& race) { return race.is_lost(); });
  }
  return races;
}

}  // namespace

Result<MapHits> FindMapHits(Forward* forward,
                            std::span<const MappedToken> pairs,
                            const std::stop_token& stop) {
  const Model& model = forward->model();
  const ModelDescription& shape = model.description();
  HEADSCOPE_TRY(RefuseLatents(shape, "a map of tokens"));
  HEADSCOPE_TRY(RefuseScaledContext(shape, "a map of tokens"));
  HEADSCOPE_TRY(const auto path, OutputPath::Make(model, stop));
  const WeightProduct product(&forward->backend(), stop);
  std::vector<std::int32_t> sources;
  for (const MappedToken& pair : pairs) {
    sources.push_back(pair.source);
  }
  HEADSCOPE_TRY(const auto streams, MakeTokenStreams(forward, sources, stop));
  const TensorView& table = *model.weights().Find(path.layer().weight.name);
  const auto heads = static_cast<std::size_t>(shape.layers * shape.heads);
  MapHits hits;
  hits.target.assign(heads, std::vector<bool>(pairs.size()));
  hits.control = hits.target;
  for (std::int64_t layer = 0; layer < shape.layers; ++layer) {
    HEADSCOPE_TRY(
        const auto asked,
        ReadOfLayer(forward, path, product, layer, layer == 0 ? streams.embedded : streams.later));
    HEADSCOPE_TRY(const auto races, RunRaces(table, product, pairs, asked, stop));
    for (const Race& race : races) {
      const auto row = static_cast<std::size_t>(race.row);
      const std::size_t head = static_cast<std::size_t>(layer * shape.heads) + row / pairs.size();
      hits.target[head][row % pairs.size()] = race.above_target < kTopTargets;
      hits.control[head][row % pairs.size()] = race.above_control < kTopTargets;
    }
  }
  return hits;
}

}  // namespace headscope
