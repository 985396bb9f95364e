#include "core/heads/effect/key_composition.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <utility>

#include "core/base/check.h"
#include "core/base/random.h"
#include "core/base/stop.h"
#include "core/heads/effect/frozen_norm.h"
#include "core/heads/effect/weight_product.h"
#include "core/model/latent_attention.h"
#include "core/model/scaled_context.h"

namespace headscope {
namespace {

using Matrix = FloatMatrix;

// The number of random heads on each side of the random pairs.
constexpr std::int64_t kRandomHeads = 16;
constexpr std::uint64_t kRandomSeed = 1;

// One head's part of a pair, from its products of W_Q and W_K, or of W_O and W_V.
struct Side {
  Matrix outer;       // W_Q W_Q^T, or W_V W_V^T
  double size = 0.0;  // ||W_QK||, or ||W_OV||
};

double Sum(const Matrix& left, const Matrix& right) {
  return left.cast<double>().cwiseProduct(right.cast<double>()).sum();
}

// `inner`: W_K W_K^T, or W_O^T W_O.
Side MakeSide(Matrix outer, const Matrix& inner) {
  const double square = Sum(outer, inner);
  return {.outer = std::move(outer), .size = std::sqrt(std::max(0.0, square))};
}

// `meeting`: W_K W_O [head_dim, value_dim].
double Compose(const Side& later, const Matrix& meeting, const Side& earlier) {
  const double square = Sum(later.outer * meeting, meeting * earlier.outer);
  const double sizes = later.size * earlier.size;
  return sizes > 0.0 ? std::sqrt(std::max(0.0, square)) / sizes : 0.0;
}

template <typename Change>
void ChangeRows(const Change& change, Matrix* rows) {
  std::vector<double> row(static_cast<std::size_t>(rows->cols()));
  for (Eigen::Index i = 0; i < rows->rows(); ++i) {
    Eigen::VectorXd::Map(row.data(), rows->cols()) = rows->row(i).cast<double>();
    change(std::span<double>(row));
    rows->row(i) = Eigen::VectorXd::Map(row.data(), rows->cols()).cast<float>();
  }
}

// Passes the rows through the norm, with scale 1.
void PassNorm(const Model& model, const std::optional<NormNeed>& need, Matrix* rows) {
  if (need) {
    const NormWeights norm = ReadNorm(model, *need);
    ChangeRows([&](std::span<double> row) { ApplyFrozen(norm, 1.0, row); }, rows);
  }
}

// Columns of the joined product as they read the stream, [count, d].
Matrix Readers(const Model& model,
               const LayerDescription& layer,
               std::int64_t first,
               std::int64_t count) {
  Matrix rows = MatrixOf(ReadColumns(model, layer.query_key_value, first, count));
  if (layer.attention_norm.before) {
    const NormWeights norm = ReadNorm(model, *layer.attention_norm.before);
    ChangeRows([&](std::span<double> row) { PullBack(norm, row); }, &rows);
  }
  return rows;
}

// The columns of queries or keys with the norm's weights, if there is one: each head's own, or its
// part of a norm over all heads.
Matrix NormedReaders(const Model& model,
                     const LayerDescription& layer,
                     const std::optional<NormNeed>& norm,
                     std::int64_t first,
                     std::int64_t heads,
                     std::int64_t width) {
  Matrix rows = Readers(model, layer, first, heads * width);
  if (!norm) {
    return rows;
  }
  const NormWeights whole = ReadNorm(model, *norm);
  const std::int64_t parts = std::ssize(whole.weight) / width;
  for (std::int64_t head = 0; head < heads; ++head) {
    NormWeights own{.kind = whole.kind, .weight = {}, .bias = {}, .epsilon = whole.epsilon};
    const auto from = whole.weight.begin() + head % parts * width;
    own.weight.assign(from, from + width);
    Matrix turned = rows.middleRows(head * width, width).transpose();
    ChangeRows([&](std::span<double> row) { ApplyFrozen(own, 1.0, row); }, &turned);
    rows.middleRows(head * width, width) = turned.transpose();
  }
  return rows;
}

// What the heads of a layer read with, and the other side of that product; one for each head, or
// one for each group of heads that shares it.
struct ReadSide {
  Matrix rows;   // [heads or groups, width]: multiplied with what is written
  Matrix apart;  // same shape
  std::int64_t width = 0;
};

using ComposedSink = std::function<void(HeadIndex later, HeadIndex earlier, double share)>;

// Goes up the layers, collecting what the writers have written so far.
class Composer {
 public:
  Composer(const Model& model, const WeightProduct& product, std::stop_token stop)
      : model_(model), shape_(model.description()), product_(product), stop_(std::move(stop)) {}

  // Computes how much each of these heads of the layer reads of it.
  Status Read(std::int64_t layer,
              CompositionWay way,
              std::span<const std::int64_t> heads,
              const ComposedSink& sink) const {
    if (writers_.empty() || heads.empty()) {
      return {};
    }
    const ReadSide reading = ReadingOf(layer, way);
    const std::int64_t width = reading.width;
    HEADSCOPE_TRY(const auto meeting, product_.TimesTransposed(reading.rows, written_));
    HEADSCOPE_TRY(const auto earlier, Earlier());
    for (const std::int64_t head : heads) {
      HEADSCOPE_TRY(CheckStop(stop_));
      const std::int64_t row = PlaceIn(reading.rows, width, head);
      HEADSCOPE_TRY(const auto outer,
                    Gram(reading.apart.middleRows(PlaceIn(reading.apart, width, head), width)));
      HEADSCOPE_TRY(const auto inner, Gram(reading.rows.middleRows(row, width)));
      const Side later = MakeSide(outer, inner);
      for (std::size_t writer = 0; writer < earlier.size(); ++writer) {
        const Matrix met = meeting.block(
            row, static_cast<Eigen::Index>(writer) * shape_.value_dim, width, shape_.value_dim);
        sink({layer, head}, writers_[writer], Compose(later, met, earlier[writer]));
      }
    }
    return {};
  }

  // Adds what these heads of the layer write, and takes everything on to the next layer.
  Status Write(std::int64_t layer, std::span<const std::int64_t> heads) {
    const LayerDescription& one = shape_.layer[static_cast<std::size_t>(layer)];
    const std::int64_t width = shape_.value_dim;
    if (!heads.empty()) {
      const Matrix values = Values(one);
      const Matrix output = Output(one);
      for (const std::int64_t head : heads) {
        HEADSCOPE_TRY(auto outer, Gram(values.middleRows(PlaceIn(values, width, head), width)));
        values_.push_back(std::move(outer));
        writers_.push_back({layer, head});
        written_.conservativeResize(written_.rows() + width, shape_.model_dim);
        written_.bottomRows(width) = output.middleRows(head * width, width);
      }
    }
    PassNorm(model_, one.attention_norm.after, &written_);
    PassNorm(model_, one.mlp_norm.after, &written_);
    return {};
  }

 private:
  // Returns the first row of a head, or of the group that it belongs to.
  [[nodiscard]] std::int64_t PlaceIn(const Matrix& rows,
                                     std::int64_t width,
                                     std::int64_t head) const {
    return head / (shape_.heads / (rows.rows() / width)) * width;
  }

  [[nodiscard]] Matrix Values(const LayerDescription& one) const {
    const std::int64_t first = (shape_.heads + shape_.kv_heads) * shape_.head_dim;
    return Readers(model_, one, first, shape_.kv_heads * shape_.value_dim);
  }
  [[nodiscard]] Matrix Output(const LayerDescription& one) const {
    Matrix output = MatrixOf(ReadColumns(model_, one.output, 0, shape_.model_dim)).transpose();
    PassNorm(model_, one.attention_norm.inside, &output);
    return output;
  }

  [[nodiscard]] ReadSide ReadingOf(std::int64_t layer, CompositionWay way) const {
    const LayerDescription& one = shape_.layer[static_cast<std::size_t>(layer)];
    if (way == CompositionWay::kValues) {
      return {.rows = Values(one), .apart = Output(one), .width = shape_.value_dim};
    }
    const std::int64_t width = shape_.head_dim;
    Matrix queries = NormedReaders(model_, one, one.query_norm, 0, shape_.heads, width);
    Matrix keys =
        NormedReaders(model_, one, one.key_norm, shape_.heads * width, shape_.kv_heads, width);
    if (way == CompositionWay::kQueries) {
      std::swap(queries, keys);
    }
    return {.rows = std::move(keys), .apart = std::move(queries), .width = width};
  }

  [[nodiscard]] Result<Matrix> Gram(const Matrix& rows) const {
    return product_.TimesTransposed(rows, rows);
  }

  [[nodiscard]] Result<std::vector<Side>> Earlier() const {
    std::vector<Side> sides;
    for (std::size_t writer = 0; writer < values_.size(); ++writer) {
      HEADSCOPE_TRY(const auto inner,
                    Gram(written_.middleRows(static_cast<Eigen::Index>(writer) * shape_.value_dim,
                                             shape_.value_dim)));
      sides.push_back(MakeSide(values_[writer], inner));
    }
    return sides;
  }

  const Model& model_;
  const StackDescription& shape_;
  const WeightProduct& product_;
  std::stop_token stop_;
  std::vector<HeadIndex> writers_;
  std::vector<Matrix> values_;  // [writers]: W_V W_V^T
  Matrix written_;              // [writers value_dim, d]: W_O^T of each
};

// The pairs to compute: heads are [layers heads].
struct ComposedPairs {
  CompositionWay way = CompositionWay::kKeys;
  std::vector<bool> readers;
  std::vector<bool> writers;
};

Status ComposeAll(const Model& model,
                  const WeightProduct& product,
                  const ComposedPairs& pairs,
                  const ComposedSink& sink,
                  const std::stop_token& stop) {
  const StackDescription& shape = model.description();
  HEADSCOPE_TRY(RefuseLatents(shape, "composition"));
  if (HasNeighbours(shape)) {
    return Fail(
        ErrorCode::kUnsupported,
        "this model adds what neighbouring tokens make of each other after its first layer; "
        "composition needs one stream from head to head");
  }
  if (HasPlainBlocks(shape)) {
    return Fail(ErrorCode::kUnsupported,
                "this model has blocks without attention among its layers, which join tokens too; "
                "composition needs one stream from head to head");
  }
  HEADSCOPE_TRY(RefuseScaledContext(shape, "composition"));
  if (NormsHeadsTogether(shape, 0) && shape.layer.front().query_norm->kind == NormKind::kLayer) {
    return Fail(ErrorCode::kUnsupported,
                "this model takes the mean of all heads from their queries and keys: what one head "
                "reads cannot be told apart; composition needs heads of their own");
  }
  Composer composer(model, product, stop);
  const auto chosen = [&](const std::vector<bool>& all, std::int64_t layer) {
    std::vector<std::int64_t> heads;
    for (std::int64_t head = 0; head < shape.heads; ++head) {
      if (all[static_cast<std::size_t>(layer * shape.heads + head)]) {
        heads.push_back(head);
      }
    }
    return heads;
  };
  const auto last = std::find(pairs.readers.rbegin(), pairs.readers.rend(), true);
  const std::int64_t layers =
      (std::distance(last, pairs.readers.rend()) + shape.heads - 1) / shape.heads;
  for (std::int64_t layer = 0; layer < layers; ++layer) {
    HEADSCOPE_TRY(CheckStop(stop));
    HEADSCOPE_TRY(composer.Read(layer, pairs.way, chosen(pairs.readers, layer), sink));
    HEADSCOPE_TRY(composer.Write(layer, chosen(pairs.writers, layer)));
  }
  return {};
}

struct RandomComposition {
  double mean = 0.0;
  double spread = 0.0;
};

// Computes mean and spread over all pairs of random heads. `reading_width`: the width with which
// the later head reads.
Result<RandomComposition> ComposeRandom(const StackDescription& shape,
                                        std::int64_t reading_width,
                                        const WeightProduct& product,
                                        const std::stop_token& stop) {
  RandomStream random(kRandomSeed);
  const auto draw = [&](std::int64_t width) {
    Matrix rows(width, shape.model_dim);
    for (Eigen::Index i = 0; i < rows.size(); ++i) {
      rows.data()[i] = static_cast<float>(random.Normal());
    }
    return rows;
  };
  std::vector<Side> later;
  std::vector<Side> earlier;
  Matrix keys(kRandomHeads * reading_width, shape.model_dim);
  Matrix outputs(kRandomHeads * shape.value_dim, shape.model_dim);
  const auto add = [&](std::int64_t width, Matrix* met, std::vector<Side>* sides) -> Status {
    HEADSCOPE_TRY(CheckStop(stop));
    const Matrix apart = draw(width);
    const Matrix own = draw(width);
    HEADSCOPE_TRY(auto outer, product.TimesTransposed(apart, apart));
    HEADSCOPE_TRY(const auto inner, product.TimesTransposed(own, own));
    met->middleRows(std::ssize(*sides) * width, width) = own;
    sides->push_back(MakeSide(std::move(outer), inner));
    return {};
  };
  for (std::int64_t i = 0; i < kRandomHeads; ++i) {
    HEADSCOPE_TRY(add(reading_width, &keys, &later));
    HEADSCOPE_TRY(add(shape.value_dim, &outputs, &earlier));
  }
  HEADSCOPE_TRY(const auto meeting, product.TimesTransposed(keys, outputs));
  double sum = 0.0;
  double squares = 0.0;
  for (std::size_t one = 0; one < later.size(); ++one) {
    for (std::size_t two = 0; two < earlier.size(); ++two) {
      const double drawn = Compose(later[one],
                                   meeting.block(static_cast<Eigen::Index>(one) * reading_width,
                                                 static_cast<Eigen::Index>(two) * shape.value_dim,
                                                 reading_width,
                                                 shape.value_dim),
                                   earlier[two]);
      sum += drawn;
      squares += drawn * drawn;
    }
  }
  const auto pairs = static_cast<double>(later.size() * earlier.size());
  const double mean = sum / pairs;
  return RandomComposition{mean, std::sqrt(std::max(0.0, squares / pairs - mean * mean))};
}

}  // namespace

Result<KeyComposition> ComposeKeys(Forward* forward,
                                   const std::vector<bool>& writers,
                                   const std::stop_token& stop) {
  const Model& model = forward->model();
  const StackDescription& shape = model.description();
  HEADSCOPE_CHECK(std::ssize(writers) == shape.layers * shape.heads, "each head writes or not");
  const WeightProduct product(&forward->backend(), stop);
  KeyComposition composition;
  composition.largest.resize(writers.size());
  composition.writer.resize(writers.size(), -1);
  const auto take = [&](HeadIndex later, HeadIndex earlier, double share) {
    const auto place = static_cast<std::size_t>(later.layer * shape.heads + later.head);
    if (share > composition.largest[place].value_or(-1.0)) {
      composition.largest[place] = share;
      composition.writer[place] = earlier.layer * shape.heads + earlier.head;
    }
  };
  const ComposedPairs pairs{.way = CompositionWay::kKeys,
                            .readers = std::vector<bool>(writers.size(), true),
                            .writers = writers};
  HEADSCOPE_TRY(ComposeAll(model, product, pairs, take, stop));
  HEADSCOPE_TRY(const auto random, ComposeRandom(shape, shape.head_dim, product, stop));
  composition.random_mean = random.mean;
  composition.random_spread = random.spread;
  return composition;
}

Result<CompositionPartners> FindCompositionPartners(Forward* forward,
                                                    HeadIndex head,
                                                    const std::stop_token& stop) {
  const Model& model = forward->model();
  const StackDescription& shape = model.description();
  if (head.layer < 0 || head.layer >= shape.layers || head.head < 0 || head.head >= shape.heads) {
    return Fail(ErrorCode::kInput, "the model has no such head");
  }
  const WeightProduct product(&forward->backend(), stop);
  const std::vector<bool> none(static_cast<std::size_t>(shape.layers * shape.heads));
  std::vector<bool> own = none;
  own[static_cast<std::size_t>(head.layer * shape.heads + head.head)] = true;
  // Marks the heads of later layers, or of earlier ones.
  const auto others = [&](bool later) {
    std::vector<bool> all = none;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::int64_t layer = static_cast<std::int64_t>(i) / shape.heads;
      all[i] = later ? layer > head.layer : layer < head.layer;
    }
    return all;
  };
  CompositionPartners partners;
  std::optional<RandomComposition> random;
  for (const CompositionWay way : kCompositionWays) {
    const bool is_other_width = way == CompositionWay::kValues && shape.value_dim != shape.head_dim;
    if (!random || is_other_width) {
      HEADSCOPE_TRY(
          random,
          ComposeRandom(shape, is_other_width ? shape.value_dim : shape.head_dim, product, stop));
    }
    for (const bool is_later : {false, true}) {
      std::vector<CompositionPartner>& to = is_later ? partners.read_by : partners.reads;
      const auto take = [&](HeadIndex later, HeadIndex earlier, double share) {
        HeadIndex other = is_later ? later : earlier;
        other.part = head.part;
        to.push_back({other, way, share, random->mean, random->spread});
      };
      const ComposedPairs pairs{.way = way,
                                .readers = is_later ? others(true) : own,
                                .writers = is_later ? own : others(false)};
      HEADSCOPE_TRY(ComposeAll(model, product, pairs, take, stop));
    }
  }
  for (auto* found : {&partners.reads, &partners.read_by}) {
    std::ranges::stable_sort(*found, std::greater<>(), &CompositionPartner::sigmas);
  }
  return partners;
}

}  // namespace headscope
