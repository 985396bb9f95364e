#include "core/heads/key_composition.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "core/base/check.h"
#include "core/base/random.h"
#include "core/base/stop.h"
#include "core/heads/frozen_norm.h"
#include "core/heads/weight_product.h"

namespace headscope {
namespace {

using Matrix = FloatMatrix;

// Each side of as many random pairs.
constexpr std::int64_t kRandomHeads = 16;
constexpr std::uint64_t kRandomSeed = 1;

// What of the products with W_Q and W_K, or with W_O and W_V, a pair is made of.
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

// The rows are what a norm makes of these.
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

// Those of queries or keys, which each head may norm once more.
Matrix NormedReaders(const Model& model,
                     const LayerDescription& layer,
                     const std::optional<NormNeed>& norm,
                     std::int64_t first,
                     std::int64_t heads,
                     std::int64_t width) {
  Matrix rows = Readers(model, layer, first, heads * width);
  for (std::int64_t head = 0; norm && head < heads; ++head) {
    Matrix turned = rows.middleRows(head * width, width).transpose();
    PassNorm(model, norm, &turned);
    rows.middleRows(head * width, width) = turned.transpose();
  }
  return rows;
}

// Walks up the layers with what the writers have written so far.
class Composer {
 public:
  Composer(const Model& model, const WeightProduct& product, std::stop_token stop)
      : model_(model), shape_(model.description()), product_(product), stop_(std::move(stop)) {}

  // What each head of the layer reads of it.
  Status Read(std::size_t layer, KeyComposition* composition) {
    if (values_.empty()) {
      const auto heads = static_cast<std::size_t>(shape_.heads);
      composition->largest.resize(composition->largest.size() + heads);
      composition->writer.resize(composition->largest.size(), -1);
      return {};
    }
    const LayerDescription& one = shape_.layer[layer];
    const std::int64_t width = shape_.head_dim;
    const Matrix queries = NormedReaders(model_, one, one.query_norm, 0, shape_.heads, width);
    const Matrix keys =
        NormedReaders(model_, one, one.key_norm, shape_.heads * width, shape_.kv_heads, width);
    const Result<Matrix> meeting = product_(keys, written_.transpose());
    HEADSCOPE_TRY(meeting);
    const Result<std::vector<Side>> earlier = Earlier();
    HEADSCOPE_TRY(earlier);
    for (std::int64_t head = 0; head < shape_.heads; ++head) {
      HEADSCOPE_TRY(CheckStop(stop_));
      const std::int64_t key_head = head / (shape_.heads / shape_.kv_heads);
      const Result<Matrix> outer = Gram(queries.middleRows(head * width, width));
      HEADSCOPE_TRY(outer);
      const Result<Matrix> inner = Gram(keys.middleRows(key_head * width, width));
      HEADSCOPE_TRY(inner);
      const Side later = MakeSide(*outer, *inner);
      double most = -1.0;
      std::int64_t of = -1;
      for (std::size_t writer = 0; writer < earlier->size(); ++writer) {
        const Matrix met = meeting->block(key_head * width,
                                          static_cast<Eigen::Index>(writer) * shape_.value_dim,
                                          width,
                                          shape_.value_dim);
        const double composed = Compose(later, met, (*earlier)[writer]);
        if (composed > most) {
          most = composed;
          of = places_[writer];
        }
      }
      composition->largest.emplace_back(most);
      composition->writer.push_back(of);
    }
    return {};
  }

  // Adds what the writers of the layer write, and takes all of it to the next one.
  Status Write(std::size_t layer, std::span<const std::int64_t> heads) {
    const LayerDescription& one = shape_.layer[layer];
    const std::int64_t width = shape_.value_dim;
    if (!heads.empty()) {
      const std::int64_t first = (shape_.heads + shape_.kv_heads) * shape_.head_dim;
      const Matrix values = Readers(model_, one, first, shape_.kv_heads * width);
      Matrix output = MatrixOf(ReadColumns(model_, one.output, 0, shape_.model_dim)).transpose();
      PassNorm(model_, one.attention_norm.inside, &output);
      for (const std::int64_t head : heads) {
        const std::int64_t value_head = head / (shape_.heads / shape_.kv_heads);
        Result<Matrix> outer = Gram(values.middleRows(value_head * width, width));
        HEADSCOPE_TRY(outer);
        values_.push_back(std::move(*outer));
        places_.push_back(static_cast<std::int64_t>(layer) * shape_.heads + head);
        written_.conservativeResize(written_.rows() + width, shape_.model_dim);
        written_.bottomRows(width) = output.middleRows(head * width, width);
      }
    }
    PassNorm(model_, one.attention_norm.after, &written_);
    PassNorm(model_, one.mlp_norm.after, &written_);
    return {};
  }

 private:
  [[nodiscard]] Result<Matrix> Gram(const Matrix& rows) const {
    return product_(rows, rows.transpose());
  }

  [[nodiscard]] Result<std::vector<Side>> Earlier() const {
    std::vector<Side> sides;
    for (std::size_t writer = 0; writer < values_.size(); ++writer) {
      const Result<Matrix> inner = Gram(written_.middleRows(
          static_cast<Eigen::Index>(writer) * shape_.value_dim, shape_.value_dim));
      HEADSCOPE_TRY(inner);
      sides.push_back(MakeSide(values_[writer], *inner));
    }
    return sides;
  }

  const Model& model_;
  const StackDescription& shape_;
  const WeightProduct& product_;
  std::stop_token stop_;
  std::vector<Matrix> values_;        // [writers]: W_V W_V^T
  std::vector<std::int64_t> places_;  // [writers]: among all heads
  Matrix written_;                    // [writers value_dim, d]: W_O^T of each
};

// Mean and spread over all pairs of random heads.
Status ComposeRandom(const StackDescription& shape,
                     const WeightProduct& product,
                     const std::stop_token& stop,
                     KeyComposition* composition) {
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
  Matrix keys(kRandomHeads * shape.head_dim, shape.model_dim);
  Matrix outputs(kRandomHeads * shape.value_dim, shape.model_dim);
  const auto add = [&](std::int64_t width, Matrix* met, std::vector<Side>* sides) -> Status {
    HEADSCOPE_TRY(CheckStop(stop));
    const Matrix apart = draw(width);
    const Matrix own = draw(width);
    Result<Matrix> outer = product(apart, apart.transpose());
    HEADSCOPE_TRY(outer);
    const Result<Matrix> inner = product(own, own.transpose());
    HEADSCOPE_TRY(inner);
    met->middleRows(std::ssize(*sides) * width, width) = own;
    sides->push_back(MakeSide(std::move(*outer), *inner));
    return {};
  };
  for (std::int64_t i = 0; i < kRandomHeads; ++i) {
    HEADSCOPE_TRY(add(shape.head_dim, &keys, &later));
    HEADSCOPE_TRY(add(shape.value_dim, &outputs, &earlier));
  }
  const Result<Matrix> meeting = product(keys, outputs.transpose());
  HEADSCOPE_TRY(meeting);
  double sum = 0.0;
  double squares = 0.0;
  for (std::size_t one = 0; one < later.size(); ++one) {
    for (std::size_t two = 0; two < earlier.size(); ++two) {
      const double drawn = Compose(later[one],
                                   meeting->block(static_cast<Eigen::Index>(one) * shape.head_dim,
                                                  static_cast<Eigen::Index>(two) * shape.value_dim,
                                                  shape.head_dim,
                                                  shape.value_dim),
                                   earlier[two]);
      sum += drawn;
      squares += drawn * drawn;
    }
  }
  const auto pairs = static_cast<double>(later.size() * earlier.size());
  composition->random_mean = sum / pairs;
  composition->random_spread =
      std::sqrt(std::max(0.0, squares / pairs - sum / pairs * (sum / pairs)));
  return {};
}

}  // namespace

Result<KeyComposition> ComposeKeys(Forward* forward,
                                   const std::vector<bool>& writers,
                                   const std::stop_token& stop) {
  const Model& model = forward->model();
  const StackDescription& shape = model.description();
  HEADSCOPE_CHECK(std::ssize(writers) == shape.layers * shape.heads, "each head writes or not");
  const WeightProduct product(&forward->backend(), stop);
  Composer composer(model, product, stop);
  KeyComposition composition;
  for (std::int64_t layer = 0; layer < shape.layers; ++layer) {
    HEADSCOPE_TRY(CheckStop(stop));
    std::vector<std::int64_t> writing;
    for (std::int64_t head = 0; head < shape.heads; ++head) {
      if (writers[static_cast<std::size_t>(layer * shape.heads + head)]) {
        writing.push_back(head);
      }
    }
    const auto place = static_cast<std::size_t>(layer);
    HEADSCOPE_TRY(composer.Read(place, &composition));
    HEADSCOPE_TRY(composer.Write(place, writing));
  }
  HEADSCOPE_TRY(ComposeRandom(shape, product, stop, &composition));
  return composition;
}

}  // namespace headscope
