#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>

#include <fmt/format.h>

#include "core/base/check.h"
#include "core/base/half.h"
#include "core/compute/backend.h"
#include "core/compute/input_checks.h"
#include "core/compute/reference_attention.h"

namespace headscope {
namespace {

std::size_t Count(std::int64_t rows, std::int64_t cols) {
  return static_cast<std::size_t>(rows * cols);
}

class ReferenceActivations : public Activations {
 public:
  ReferenceActivations(std::int64_t rows, std::int64_t cols)
      : Activations(rows, cols), cells(Count(rows, cols)) {}
  double* Row(std::int64_t row) { return cells.data() + row * cols(); }
  const double* Row(std::int64_t row) const { return cells.data() + row * cols(); }

  std::vector<double> cells;
};

class ReferenceLinear : public Linear {
 public:
  ReferenceLinear(std::int64_t in, std::int64_t out)
      : Linear(in, out), weight(Count(in, out)), bias(static_cast<std::size_t>(out)) {}

  std::vector<double> weight;  // [in, out]
  std::vector<double> bias;    // [out]
};

const std::vector<double>& Cells(const Activations& in) {
  return static_cast<const ReferenceActivations&>(in).cells;
}
ReferenceActivations& Mutable(Activations* out) {
  return *static_cast<ReferenceActivations*>(out);
}

// Reads elements [first, first + out.size()) in double; a stored double keeps all its digits.
Status ReadElements(const TensorView& tensor, std::int64_t first, std::span<double> out) {
  std::vector<float> values(out.size());
  ConvertToFloat(tensor, first, values);
  HEADSCOPE_TRY(CheckFinite(tensor, first, values));
  if (tensor.type == DataType::kF64 && tensor.is_plain()) {
    std::memcpy(out.data(),
                tensor.bytes.data() + static_cast<std::size_t>(first) * sizeof(double),
                out.size_bytes());
  } else {
    std::copy(values.begin(), values.end(), out.begin());
  }
  return {};
}

double Activated(ActivationKind kind, double x) {
  switch (kind) {
    case ActivationKind::kGelu:
      return 0.5 * x * (1.0 + std::erf(x / std::sqrt(2.0)));
    case ActivationKind::kGeluTanh:
      return 0.5 * x * (1.0 + std::tanh(std::sqrt(2.0 / M_PI) * (x + 0.044715 * x * x * x)));
    case ActivationKind::kQuickGelu:
      return x / (1.0 + std::exp(-1.702 * x));
    case ActivationKind::kRelu:
      return x > 0.0 ? x : 0.0;
    case ActivationKind::kReluSquared:
      return x > 0.0 ? x * x : 0.0;
    case ActivationKind::kSigmoid:
      return 1.0 / (1.0 + std::exp(-x));
    case ActivationKind::kSilu:
      return x / (1.0 + std::exp(-x));
    case ActivationKind::kSoftplus:
      return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
    case ActivationKind::kSolu:  // needs its whole row
      break;
    case ActivationKind::kTanh:
      return std::tanh(x);
  }
  HEADSCOPE_CHECK(false, "every activation has a formula");
}

// x softmax(x).
void ActivateSolu(std::span<double> row) {
  const double largest = *std::ranges::max_element(row);
  double sum = 0.0;
  for (const double x : row) {
    sum += std::exp(x - largest);
  }
  for (double& x : row) {
    x *= std::exp(x - largest) / sum;
  }
}

class ReferenceBackend : public Backend {
 public:
  explicit ReferenceBackend(ReferenceForm form) : form_(form) {}

  std::string Description() const override {
    return form_ == ReferenceForm::kPerHead ? "reference, double, per head"
                                            : "reference, double, stacked";
  }

  Result<std::unique_ptr<Activations>> Make(std::int64_t rows, std::int64_t cols) override {
    HEADSCOPE_TRY(CheckSize(rows, cols));
    try {
      return std::make_unique<ReferenceActivations>(rows, cols);
    } catch (const std::bad_alloc&) {
      return Fail(ErrorCode::kOutOfMemory,
                  fmt::format("no memory for [{},{}] numbers; use a shorter text", rows, cols));
    }
  }

  void Load(std::span<const float> values, Activations* out) override {
    std::vector<double>& cells = Mutable(out).cells;
    HEADSCOPE_CHECK(values.size() == cells.size(), "as many values as the activations hold");
    std::copy(values.begin(), values.end(), cells.begin());
  }

  void LoadRows(std::span<const float> values, std::int64_t first, Activations* out) override {
    CheckRows(static_cast<std::int64_t>(values.size()), first, *out);
    std::copy(values.begin(), values.end(), Mutable(out).Row(first));
  }

  void Read(const Activations& in, std::span<float> out) const override {
    HEADSCOPE_CHECK(out.size() == Cells(in).size(), "as many values as the activations hold");
    std::transform(Cells(in).begin(), Cells(in).end(), out.begin(), [](double value) {
      return static_cast<float>(value);
    });
  }

  void ReadDouble(const Activations& in, std::span<double> out) const override {
    HEADSCOPE_CHECK(out.size() == Cells(in).size(), "as many values as the activations hold");
    std::copy(Cells(in).begin(), Cells(in).end(), out.begin());
  }

  Result<std::unique_ptr<Linear>> Prepare(const LinearSource& source,
                                          std::stop_token stop) override;
  Status Apply(const Linear& linear,
               const Activations& in,
               Activations* out,
               std::stop_token stop) override;
  Status Gather(const TensorView& table,
                std::span<const std::int32_t> ids,
                Activations* out) override;
  Status Norm(const NormWeights& norm, const Activations& in, Activations* out) override;
  void Slice(const Activations& in, std::int64_t first, Activations* out) override;
  void PlaceInHeads(const Activations& in,
                    std::int64_t heads,
                    std::int64_t first,
                    std::int64_t width,
                    Activations* out) override {
    const std::int64_t head_dim = out->cols() / heads;
    HEADSCOPE_CHECK(in.rows() == out->rows() && first + width <= head_dim &&
                        (in.cols() == width || in.cols() == heads * width),
                    "the columns lie within a head");
    const std::int64_t step = in.cols() == width ? 0 : width;
    for (std::int64_t row = 0; row < in.rows(); ++row) {
      const double* from = static_cast<const ReferenceActivations&>(in).Row(row);
      for (std::int64_t head = 0; head < heads; ++head) {
        std::copy_n(from + head * step, width, Mutable(out).Row(row) + head * head_dim + first);
      }
    }
  }
  void CopyRows(const Activations& in, std::int64_t first, Activations* out) override {
    HEADSCOPE_CHECK(in.cols() == out->cols(), "rows have the same width");
    CheckRows(static_cast<std::int64_t>(Cells(in).size()), first, *out);
    std::copy(Cells(in).begin(), Cells(in).end(), Mutable(out).Row(first));
  }
  void TakeRows(const Activations& in,
                std::span<const std::int64_t> rows,
                Activations* out) const override {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::copy_n(static_cast<const ReferenceActivations&>(in).Row(rows[i]),
                  in.cols(),
                  Mutable(out).Row(static_cast<std::int64_t>(i)));
    }
  }
  void AddRows(const Activations& in,
               std::span<const std::int64_t> rows,
               std::span<const double> factors,
               Activations* inout) override {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double* from =
          static_cast<const ReferenceActivations&>(in).Row(static_cast<std::int64_t>(i));
      double* to = Mutable(inout).Row(rows[i]);
      for (std::int64_t col = 0; col < in.cols(); ++col) {
        to[col] += factors[i] * from[col];
      }
    }
  }
  void Rotate(const RotaryTable& table,
              std::int64_t heads,
              std::int64_t first_position,
              std::int64_t texts,
              Activations* inout) override;

  void Activate(ActivationKind kind, Activations* inout) override {
    if (kind == ActivationKind::kSolu) {
      const auto width = static_cast<std::size_t>(inout->cols());
      for (std::int64_t row = 0; row < inout->rows(); ++row) {
        ActivateSolu(
            std::span(Mutable(inout).cells).subspan(static_cast<std::size_t>(row) * width, width));
      }
      return;
    }
    for (double& value : Mutable(inout).cells) {
      value = Activated(kind, value);
    }
  }

  void Activate(const Xielu& learnt, Activations* inout) override {
    for (double& x : Mutable(inout).cells) {
      x = learnt.linear * x + (x > 0.0
                                   ? learnt.positive * x * x
                                   : learnt.negative * (std::expm1(std::min(x, learnt.most)) - x));
    }
  }

  void Multiply(const Activations& factor, Activations* inout) override {
    Combine(factor, inout, [](double a, double b) { return a * b; });
  }

  void Add(const Activations& term, Activations* inout) override {
    Combine(term, inout, [](double a, double b) { return a + b; });
  }

  void Scale(double factor, Activations* inout) override {
    for (double& value : Mutable(inout).cells) {
      value *= factor;
    }
  }

  void Clamp(double least, double most, double added, Activations* inout) override {
    for (double& value : Mutable(inout).cells) {
      value = std::clamp(value, least, most) + added;
    }
  }

  Status Attend(const AttentionInput& input,
                AttentionObserver* observer,
                Activations* context,
                std::stop_token stop) override {
    HEADSCOPE_TRY(CheckAttention(input, context));
    const auto text_of = [&](auto& cells) {
      const std::size_t count = cells.size() / static_cast<std::size_t>(input.texts);
      return std::span(cells).subspan(static_cast<std::size_t>(input.text) * count, count);
    };
    const ReferenceAttentionInput spans{.shape = input.shape,
                                        .rule = input.rule,
                                        .queries = text_of(Cells(*input.queries)),
                                        .keys = text_of(Cells(*input.keys)),
                                        .values = text_of(Cells(*input.values))};
    const std::span<double> out =
        context == nullptr ? std::span<double>() : text_of(Mutable(context).cells);
    return ReferenceAttend(form_, spans, observer, out, std::move(stop));
  }

 private:
  template <typename Operation>
  static void Combine(const Activations& term, Activations* inout, Operation operation) {
    std::vector<double>& cells = Mutable(inout).cells;
    HEADSCOPE_CHECK(Cells(term).size() == cells.size(), "both have the same shape");
    std::transform(cells.begin(), cells.end(), Cells(term).begin(), cells.begin(), operation);
  }

  ReferenceForm form_;
};

Result<std::unique_ptr<Linear>> ReferenceBackend::Prepare(const LinearSource& source,
                                                          std::stop_token stop) {
  HEADSCOPE_TRY(const auto out, CheckSource(source));
  try {
    auto linear = std::make_unique<ReferenceLinear>(source.in, out);
    std::int64_t column = 0;
    for (const LinearSource::Matrix& matrix : source.matrices) {
      const bool in_out = source.layout == WeightLayout::kInOut;
      const std::int64_t rows = matrix.weight.shape[0];
      const std::int64_t cols = matrix.weight.shape[1];
      const std::int64_t matrix_out = in_out ? cols : rows;
      std::vector<double> row(static_cast<std::size_t>(cols));
      for (std::int64_t r = 0; r < rows; ++r) {
        if (stop.stop_requested()) {
          return Fail(ErrorCode::kCancelled, "reading the weights was stopped");
        }
        HEADSCOPE_TRY(ReadElements(matrix.weight, r * cols, row));
        for (std::int64_t c = 0; c < cols; ++c) {
          const std::int64_t to = in_out ? r * out + column + c : c * out + column + r;
          linear->weight[static_cast<std::size_t>(to)] = row[static_cast<std::size_t>(c)];
        }
      }
      if (matrix.bias) {
        HEADSCOPE_TRY(ReadElements(
            *matrix.bias,
            0,
            std::span(linear->bias)
                .subspan(static_cast<std::size_t>(column), static_cast<std::size_t>(matrix_out))));
      }
      column += matrix_out;
    }
    return linear;
  } catch (const std::bad_alloc&) {
    return Fail(ErrorCode::kOutOfMemory,
                fmt::format("no memory for \"{}\" in double", source.matrices.front().weight.name));
  }
}

Status ReferenceBackend::Apply(const Linear& linear,
                               const Activations& in,
                               Activations* out,
                               std::stop_token stop) {
  HEADSCOPE_TRY(CheckApply(linear, in, *out));
  const auto& prepared = static_cast<const ReferenceLinear&>(linear);
  const auto& from = static_cast<const ReferenceActivations&>(in);
  constexpr std::int64_t kPolledColumns = 1024;
  for (std::int64_t row = 0; row < in.rows(); ++row) {
    double* to = Mutable(out).Row(row);
    std::copy(prepared.bias.begin(), prepared.bias.end(), to);
    for (std::int64_t begin = 0; begin < linear.out(); begin += kPolledColumns) {
      if (stop.stop_requested()) {
        return Fail(ErrorCode::kCancelled, "the product was stopped");
      }
      const std::int64_t end = std::min(begin + kPolledColumns, linear.out());
      for (std::int64_t i = 0; i < linear.in(); ++i) {
        const double factor = from.Row(row)[i];
        const double* weight = prepared.weight.data() + i * linear.out();
        for (std::int64_t o = begin; o < end; ++o) {
          to[o] += factor * weight[o];
        }
      }
    }
  }
  return {};
}

Status ReferenceBackend::Gather(const TensorView& table,
                                std::span<const std::int32_t> ids,
                                Activations* out) {
  HEADSCOPE_TRY(CheckTable(table, ids, *out));
  const auto cols = static_cast<std::size_t>(out->cols());
  for (std::size_t row = 0; row < ids.size(); ++row) {
    HEADSCOPE_TRY(ReadElements(
        table, ids[row] * out->cols(), std::span(Mutable(out).cells).subspan(row * cols, cols)));
  }
  return {};
}

Status ReferenceBackend::Norm(const NormWeights& norm, const Activations& in, Activations* out) {
  HEADSCOPE_TRY(CheckNorm(norm, in, *out));
  const std::size_t cols = norm.weight.size() / static_cast<std::size_t>(norm.heads);
  const double count = static_cast<double>(cols);
  for (std::size_t first = 0; first < Cells(in).size(); first += cols) {
    const double* from = Cells(in).data() + first;
    double* to = Mutable(out).cells.data() + first;
    const std::size_t own = first % norm.weight.size();  // the head's first weight
    double mean = 0.0;
    if (norm.kind == NormKind::kLayer) {
      for (std::size_t i = 0; i < cols; ++i) {
        mean += from[i];
      }
      mean /= count;
    }
    double square = 0.0;
    for (std::size_t i = 0; i < cols; ++i) {
      square += (from[i] - mean) * (from[i] - mean);
    }
    const double inverse = 1.0 / std::sqrt(square / count + norm.epsilon);
    for (std::size_t i = 0; i < cols; ++i) {
      const double bias = norm.bias.empty() ? 0.0 : static_cast<double>(norm.bias[own + i]);
      to[i] = (from[i] - mean) * inverse * static_cast<double>(norm.weight[own + i]) + bias;
    }
  }
  return {};
}

void ReferenceBackend::Slice(const Activations& in, std::int64_t first, Activations* out) {
  HEADSCOPE_CHECK(in.rows() == out->rows() && first >= 0 && first + out->cols() <= in.cols(),
                  "the slice lies within the columns");
  for (std::int64_t row = 0; row < in.rows(); ++row) {
    std::copy_n(static_cast<const ReferenceActivations&>(in).Row(row) + first,
                out->cols(),
                Mutable(out).Row(row));
  }
}

void ReferenceBackend::Rotate(const RotaryTable& table,
                              std::int64_t heads,
                              std::int64_t first_position,
                              std::int64_t texts,
                              Activations* inout) {
  const auto pairs = static_cast<std::int64_t>(table.inverse_frequency.size());
  HEADSCOPE_CHECK(heads > 0 && inout->cols() % heads == 0 && 2 * pairs <= inout->cols() / heads,
                  "the pairs lie within a head");
  HEADSCOPE_CHECK(texts > 0 && inout->rows() % texts == 0, "the texts are of one length");
  const std::int64_t tokens = inout->rows() / texts;
  const std::int64_t width = inout->cols() / heads;
  for (std::int64_t row = 0; row < inout->rows(); ++row) {
    for (std::int64_t head = 0; head < heads; ++head) {
      double* x = Mutable(inout).Row(row) + head * width;
      for (std::int64_t i = 0; i < pairs; ++i) {
        const double angle = static_cast<double>(first_position + row % tokens) *
                             table.inverse_frequency[static_cast<std::size_t>(i)];
        const double cosine = std::cos(angle) * table.attention_factor;
        const double sine = std::sin(angle) * table.attention_factor;
        double& low = x[table.First(static_cast<std::size_t>(i))];
        double& high = *(&low + table.Distance());
        const double before = low;
        low = before * cosine - high * sine;
        high = high * cosine + before * sine;
      }
    }
  }
}

}  // namespace

std::unique_ptr<Backend> MakeReferenceBackend(ReferenceForm form) {
  return std::make_unique<ReferenceBackend>(form);
}

}  // namespace headscope
