#include "core/causes/word_layer.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "core/base/half.h"
#include "core/heads/effect/frozen_norm.h"
#include "core/heads/effect/weight_product.h"
#include "core/model/masked_output.h"
#include "core/model/output_layer.h"

namespace headscope {

// The parts of the layer, in the order in which they are applied.
struct WordLayer::Form {
  bool is_masked = false;
  double state_scale = 1.0;     // of states
  ProjectionColumns narrow;     // a product before the vocabulary's; `in` is 0: none
  bool is_transformed = false;  // that product is followed by an activation and a norm
  ActivationKind activation = ActivationKind::kGelu;
  NormWeights norm;
  const TensorView* weight = nullptr;
  std::vector<float> bias;  // empty: none
  double scale = 1.0;       // of logits without the bias
  double softcap = 0.0;
  std::unique_ptr<headscope::Linear> prepared;

  [[nodiscard]] std::vector<float> Row(std::int64_t id) const {
    std::vector<float> row(static_cast<std::size_t>(weight->shape[1]));
    ConvertToFloat(*weight, id * weight->shape[1], row);
    return row;
  }
  [[nodiscard]] double Bias(std::int64_t id) const {
    return bias.empty() ? 0.0 : static_cast<double>(bias[static_cast<std::size_t>(id)]);
  }
  [[nodiscard]] double Finished(double product, double added) const {
    const double logit = product * scale + added;
    return softcap > 0.0 ? softcap * std::tanh(logit / softcap) : logit;
  }
};

namespace {

FloatMatrix OneRow(std::span<const float> state) {
  return Eigen::Map<const FloatMatrix>(state.data(), 1, std::ssize(state));
}

Result<FloatMatrix> ActivatedRows(Backend* backend, ActivationKind kind, const FloatMatrix& rows) {
  HEADSCOPE_TRY(const auto made, backend->Make(rows.rows(), rows.cols()));
  backend->Load({rows.data(), static_cast<std::size_t>(rows.size())}, made.get());
  backend->Activate(kind, made.get());
  FloatMatrix out(rows.rows(), rows.cols());
  backend->Read(*made, {out.data(), static_cast<std::size_t>(out.size())});
  return out;
}

void ReadBias(const Model& model, const std::optional<TensorNeed>& need, std::vector<float>* bias) {
  if (need) {
    const TensorView& tensor = *model.weights().Find(need->name);
    bias->resize(static_cast<std::size_t>(ElementCount(tensor)));
    ConvertToFloat(tensor, 0, *bias);
  }
}

// In double, for a few rows.
Eigen::VectorXd Activated(ActivationKind kind, const Eigen::VectorXd& row) {
  const auto reference = MakeReferenceBackend();
  const auto made = reference->Make(1, row.size());
  const Eigen::VectorXf single = row.cast<float>();
  reference->Load({single.data(), static_cast<std::size_t>(single.size())}, made->get());
  reference->Activate(kind, made->get());
  Eigen::VectorXd out(row.size());
  reference->ReadDouble(**made, {out.data(), static_cast<std::size_t>(out.size())});
  return out;
}

void NormDouble(const NormWeights& norm, Eigen::VectorXd* row) {
  const std::span<double> values(row->data(), static_cast<std::size_t>(row->size()));
  ApplyFrozen(norm, NormScale(norm, values), values);
  for (std::size_t i = 0; i < norm.bias.size(); ++i) {
    values[i] += static_cast<double>(norm.bias[i]);
  }
}

Eigen::VectorXd Biases(const ProjectionColumns& columns) {
  return Eigen::VectorXf::Map(columns.bias.data(), columns.columns()).cast<double>();
}

}  // namespace

WordLayer::WordLayer(Forward* forward, std::unique_ptr<Form> form)
    : forward_(*forward), form_(std::move(form)) {}

WordLayer::~WordLayer() = default;

Result<std::unique_ptr<WordLayer>> WordLayer::Make(Forward* forward) {
  const Model& model = forward->model();
  const ModelDescription& shape = model.description();
  auto form = std::make_unique<Form>();
  const auto narrow_by = [&](const LinearNeed& need) {
    form->narrow = ReadColumns(model, need, 0, ColumnCount(need));
  };
  if (shape.decoder) {
    if (!shape.generation) {
      return Fail(ErrorCode::kInput,
                  fmt::format("{}: the file holds no output layer, so that nothing says the "
                              "target's next word; save the model with it",
                              model.weights().path().string()));
    }
    const GenerationRule& rule = *shape.generation;
    ReadBias(model, rule.bias, &form->bias);
    form->weight = model.weights().Find(rule.output.name);
    form->state_scale = rule.output_scale;
    form->softcap = rule.softcap;
  } else if (IsMasked(shape) && !shape.output_layer) {
    HEADSCOPE_TRY(const auto masked, MaskedOutputOf(model));
    form->is_masked = true;
    ReadBias(model, masked.bias, &form->bias);
    form->weight = model.weights().Find(masked.weight.name);
    if (masked.transform) {
      narrow_by(masked.transform->product);
      form->is_transformed = true;
      form->activation = masked.transform->activation;
      form->norm = ReadNorm(model, masked.transform->norm);
    }
  } else {
    HEADSCOPE_TRY(const auto layer, OutputLayerOf(model));
    form->weight = model.weights().Find(layer->weight.name);
    form->scale = layer->scale;
    ReadBias(model, layer->bias, &form->bias);
    form->softcap = layer->softcap;
    if (layer->projection) {
      narrow_by(*layer->projection);
    }
  }
  return std::unique_ptr<WordLayer>(new WordLayer(forward, std::move(form)));
}

bool WordLayer::is_masked() const {
  return form_->is_masked;
}

std::int64_t WordLayer::vocabulary() const {
  return form_->weight->shape[0];
}

double WordLayer::scale() const {
  return form_->scale;
}

double WordLayer::softcap() const {
  return form_->softcap;
}

Result<FloatMatrix> WordLayer::Logits(const FloatMatrix& states,
                                      const std::stop_token& stop) const {
  Backend& backend = forward_.backend();
  if (form_->prepared == nullptr) {
    HEADSCOPE_TRY(form_->prepared,
                  backend.Prepare({.layout = WeightLayout::kOutIn,
                                   .in = form_->weight->shape[1],
                                   .matrices = {{*form_->weight, std::nullopt}}},
                                  stop));
  }
  FloatMatrix read = states * static_cast<float>(form_->state_scale);
  if (form_->narrow.in > 0) {
    HEADSCOPE_TRY(read, WeightProduct(&backend, stop).Project(read, form_->narrow));
  }
  if (form_->is_transformed) {
    HEADSCOPE_TRY(read, ActivatedRows(&backend, form_->activation, read));
    HEADSCOPE_TRY(const auto made, backend.Make(read.rows(), read.cols()));
    backend.Load({read.data(), static_cast<std::size_t>(read.size())}, made.get());
    HEADSCOPE_TRY(backend.Norm(form_->norm, *made, made.get()));
    backend.Read(*made, {read.data(), static_cast<std::size_t>(read.size())});
  }
  HEADSCOPE_TRY(const auto in, backend.Make(read.rows(), read.cols()));
  HEADSCOPE_TRY(const auto out, backend.Make(read.rows(), vocabulary()));
  backend.Load({read.data(), static_cast<std::size_t>(read.size())}, in.get());
  HEADSCOPE_TRY(backend.Apply(*form_->prepared, *in, out.get(), stop));
  FloatMatrix logits(read.rows(), vocabulary());
  backend.Read(*out, {logits.data(), static_cast<std::size_t>(logits.size())});
  logits *= static_cast<float>(form_->scale);
  if (!form_->bias.empty()) {
    logits.rowwise() += Eigen::RowVectorXf::Map(form_->bias.data(), std::ssize(form_->bias));
  }
  if (const auto cap = static_cast<float>(form_->softcap); cap > 0.0F) {
    logits = ((logits.array() / cap).tanh() * cap).matrix();
  }
  return logits;
}

std::vector<double> WordLayer::LogitsOf(const FloatMatrix& states,
                                        std::span<const std::int32_t> ids) const {
  std::vector<double> logits;
  for (Eigen::Index row = 0; row < states.rows(); ++row) {
    Eigen::VectorXd read = states.row(row).transpose().cast<double>() * form_->state_scale;
    if (form_->narrow.in > 0) {
      read = (MatrixOf(form_->narrow).cast<double>() * read + Biases(form_->narrow)).eval();
    }
    if (form_->is_transformed) {
      read = Activated(form_->activation, read);
      NormDouble(form_->norm, &read);
    }
    for (const std::int32_t id : ids) {
      const std::vector<float> weights = form_->Row(id);
      const double product =
          read.dot(Eigen::VectorXf::Map(weights.data(), std::ssize(weights)).cast<double>());
      logits.push_back(form_->Finished(product, form_->Bias(id)));
    }
  }
  return logits;
}

// Goes back from the vocabulary's product to the states.
WordLayer::Linear WordLayer::Through(std::span<const float> state,
                                     std::vector<double> direction,
                                     double bias) const {
  Linear linear{.direction = std::move(direction), .rest = bias / form_->scale};
  if (form_->narrow.in > 0) {
    const Eigen::MatrixXd narrow = MatrixOf(form_->narrow).cast<double>();
    Eigen::VectorXd through =
        Eigen::VectorXd::Map(linear.direction.data(), std::ssize(linear.direction));
    if (form_->is_transformed) {
      const Eigen::VectorXd read =
          narrow * OneRow(state).transpose().cast<double>() * form_->state_scale +
          Biases(form_->narrow);
      const Eigen::VectorXd made = Activated(form_->activation, read);
      for (std::size_t i = 0; i < form_->norm.bias.size(); ++i) {
        linear.rest += linear.direction[i] * static_cast<double>(form_->norm.bias[i]);
      }
      PullBack(form_->norm, linear.direction);
      const double normed =
          NormScale(form_->norm, {made.data(), static_cast<std::size_t>(made.size())});
      for (Eigen::Index i = 0; i < made.size(); ++i) {
        // The activation as the factor that it is for this row.
        const double factor = read[i] == 0.0 ? 0.0 : made[i] / read[i];
        through[i] = linear.direction[static_cast<std::size_t>(i)] * normed * factor;
      }
    }
    linear.rest += through.dot(Biases(form_->narrow));
    const Eigen::VectorXd wide = narrow.transpose() * through;
    linear.direction.assign(wide.begin(), wide.end());
  }
  for (double& value : linear.direction) {
    value *= form_->state_scale;
  }
  return linear;
}

WordLayer::Linear WordLayer::LinearOf(std::span<const float> state, std::int32_t id) const {
  const std::vector<float> row = form_->Row(id);
  return Through(state, {row.begin(), row.end()}, form_->Bias(id));
}

WordLayer::Linear WordLayer::LinearOfMean(std::span<const float> state) const {
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(form_->weight->shape[1]);
  for (std::int64_t first = 0; first < vocabulary(); first += kTableRowsAtOnce) {
    const std::int64_t count = std::min(kTableRowsAtOnce, vocabulary() - first);
    sum += TableRows(*form_->weight, first, count).cast<double>().colwise().sum().transpose();
  }
  sum /= static_cast<double>(vocabulary());
  const double bias = std::accumulate(form_->bias.begin(), form_->bias.end(), 0.0) /
                      static_cast<double>(vocabulary());
  return Through(state, {sum.begin(), sum.end()}, bias);
}

}  // namespace headscope
