// Arithmetic in double in which every result is moved by chance, by as much as float32 may round
// it: several runs of it show how far float32 takes a whole model from the exact result on one
// input, whatever the processor adds first (Monte Carlo arithmetic, Parker 1997).
//
// Errors   those of the reference backend.
// Threads  one.
#pragma once

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/half.h"
#include "core/base/random.h"
#include "core/compute/float_kernels.h"
#include "core/compute/precision.h"
#include "tests/support/float_bounds.h"
#include "tests/support/forwarding_backend.h"

namespace headscope::test {

struct Rounding {
  std::optional<std::uint64_t> seed = {};  // none: results are exact
  Precision precision = Precision::kF32;   // bfloat16: what products with weights take is rounded
};

class RoundingBackend : public ForwardingBackend {
 public:
  explicit RoundingBackend(const Rounding& rounding)
      : ForwardingBackend(MakeReferenceBackend()),
        rounding_(rounding),
        random_(rounding.seed.value_or(0)) {}

  std::string Description() const override { return "double, rounded by chance"; }

  Result<std::unique_ptr<Linear>> Prepare(const LinearSource& source,
                                          std::stop_token stop) override {
    std::vector<std::vector<float>> exact;
    std::vector<std::vector<float>> sizes;
    LinearSource rounded = source;
    LinearSource absolute = source;
    for (std::size_t i = 0; i < source.matrices.size(); ++i) {
      const TensorView& weight = source.matrices[i].weight;
      exact.emplace_back(static_cast<std::size_t>(ElementCount(weight)));
      ConvertToFloat(weight, 0, exact.back());
      Shorten(&exact.back());
      sizes.push_back(exact.back());
      for (float& value : sizes.back()) {
        value = std::abs(value);
      }
      const auto view = [&](const std::vector<float>& values) {
        return TensorView{
            weight.name, DataType::kF32, weight.shape, std::as_bytes(std::span(values))};
      };
      rounded.matrices[i].weight = view(exact.back());
      absolute.matrices[i].weight = view(sizes.back());
      absolute.matrices[i].bias.reset();
    }
    auto product = inner().Prepare(rounded, stop);
    HEADSCOPE_TRY(product);
    auto size = inner().Prepare(absolute, stop);
    HEADSCOPE_TRY(size);
    return std::make_unique<RoundingLinear>(std::move(*product), std::move(*size));
  }

  Status Apply(const Linear& linear,
               const Activations& in,
               Activations* out,
               std::stop_token stop) override {
    const auto& prepared = static_cast<const RoundingLinear&>(linear);
    const auto shortened = rounding_.precision == Precision::kF32
                               ? nullptr
                               : Copy(in, [this](double value) { return Shortened(value); });
    const Activations& from = shortened == nullptr ? in : *shortened;
    HEADSCOPE_TRY(inner().Apply(*prepared.product, from, out, stop));
    if (!rounding_.seed) {
      return {};
    }
    const auto absolute = Copy(in, [](double value) { return std::abs(value); });
    auto sizes = inner().Make(out->rows(), out->cols());
    HEADSCOPE_TRY(sizes);
    HEADSCOPE_TRY(inner().Apply(*prepared.size, *absolute, sizes->get(), stop));
    std::vector<double> values = Values(*out);
    const std::vector<double> size = Values(**sizes);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] += Chance() * kUnit * size[i];
    }
    Store(values, out);
    return {};
  }

  Status Norm(const NormWeights& norm, const Activations& in, Activations* out) override {
    // The mean is taken off what is rounded before, the weights are applied to it after.
    const auto from = Copy(in, [this](double value) { return Moved(2.0, value); });
    HEADSCOPE_TRY(inner().Norm(norm, *from, out));
    Move(4.0, out);
    return {};
  }
  void Rotate(const RotaryTable& table,
              std::int64_t heads,
              std::int64_t first_position,
              std::int64_t texts,
              Activations* inout) override {
    Move(2.0, inout);
    inner().Rotate(table, heads, first_position, texts, inout);
    Move(1.0, inout);
  }
  void Activate(ActivationKind kind, Activations* inout) override {
    Move(2.0, inout);
    inner().Activate(kind, inout);
    Move(4.0, inout);
  }
  void Activate(const Xielu& learnt, Activations* inout) override {
    Move(2.0, inout);
    inner().Activate(learnt, inout);
    Move(4.0, inout);
  }
  void Multiply(const Activations& factor, Activations* inout) override {
    inner().Multiply(factor, inout);
    Move(1.0, inout);
  }
  void Add(const Activations& term, Activations* inout) override {
    inner().Add(term, inout);
    Move(1.0, inout);
  }
  void Scale(double factor, Activations* inout) override {
    inner().Scale(factor, inout);
    Move(1.0, inout);
  }
  void Clamp(double least, double most, double added, Activations* inout) override {
    inner().Clamp(least, most, added, inout);
    Move(1.0, inout);
  }

  Status Attend(const AttentionInput& input,
                AttentionObserver* observer,
                Activations* context,
                std::stop_token stop) override {
    // Scores: each of their terms. Sums of values: each value.
    const double units = std::sqrt(static_cast<double>(input.shape.head_dim));
    const auto queries =
        Copy(*input.queries, [this, units](double value) { return Moved(units, value); });
    const auto values = Copy(*input.values, [this](double value) { return Moved(8.0, value); });
    AttentionInput moved = input;
    moved.queries = queries.get();
    moved.values = values.get();
    return inner().Attend(moved, observer, context, std::move(stop));
  }

 private:
  class RoundingLinear : public Linear {
   public:
    RoundingLinear(std::unique_ptr<Linear> product_in, std::unique_ptr<Linear> size_in)
        : Linear(product_in->in(), product_in->out()),
          product(std::move(product_in)),
          size(std::move(size_in)) {}
    std::unique_ptr<Linear> product;
    std::unique_ptr<Linear> size;  // of the magnitudes
  };

  double Chance() { return 2.0 * random_.Uniform() - 1.0; }

  double Moved(double units, double value) {
    return rounding_.seed ? value * (1.0 + units * kUnit * Chance()) : value;
  }

  [[nodiscard]] double Shortened(double value) const {
    if (rounding_.precision == Precision::kF32) {
      return value;
    }
    const auto single = static_cast<float>(value);
    std::uint16_t bits = 0;
    UsableKernels().front()->to_bfloat16(&single, &bits, 1);
    return static_cast<double>(Bfloat16ToFloat(bits));
  }

  void Shorten(std::vector<float>* values) const {
    for (float& value : *values) {
      value = static_cast<float>(Shortened(static_cast<double>(value)));
    }
  }

  [[nodiscard]] std::vector<double> Values(const Activations& in) const {
    std::vector<double> values(static_cast<std::size_t>(in.rows() * in.cols()));
    inner().ReadDouble(in, values);
    return values;
  }

  // As float32 stores them.
  void Store(const std::vector<double>& values, Activations* out) {
    inner().Load(std::vector<float>(values.begin(), values.end()), out);
  }

  template <typename Change>
  std::unique_ptr<Activations> Copy(const Activations& in, const Change& change) {
    std::vector<double> values = Values(in);
    for (double& value : values) {
      value = change(value);
    }
    auto copy = inner().Make(in.rows(), in.cols());
    Store(values, copy->get());
    return std::move(*copy);
  }

  void Move(double units, Activations* inout) {
    if (!rounding_.seed) {
      return;
    }
    std::vector<double> values = Values(*inout);
    for (double& value : values) {
      value = Moved(units, value);
    }
    Store(values, inout);
  }

  Rounding rounding_;
  RandomStream random_;
};

}  // namespace headscope::test
