#include "tests/reference/logits_reference.h"

#include <cmath>
#include <stdexcept>
#include <utility>

#include "core/base/half.h"
#include "core/model/read_weights.h"

namespace headscope::reference {
namespace {

struct Rule {
  const TensorNeed* weight = nullptr;
  const TensorNeed* bias = nullptr;
  const LinearNeed* projection = nullptr;
  double scale = 1.0;
  double softcap = 0.0;
};

Rule RuleOf(const ModelDescription& model) {
  const auto address = [](const auto& one) { return one ? &*one : nullptr; };
  if (const auto& rule = model.generation) {
    return {&rule->output, address(rule->bias), nullptr, rule->output_scale, rule->softcap};
  }
  if (const auto& layer = model.output_layer; layer && layer->is_stored && !model.decoder) {
    return {&layer->weight,
            address(layer->bias),
            address(layer->projection),
            layer->scale,
            layer->softcap};
  }
  return {};
}

// The norm that the last states go through: the stack's, or the last layer's.
const NormNeed* LastNorm(const StackDescription& stack) {
  const auto& norm = stack.final_norm ? stack.final_norm : stack.layer.back().mlp_norm.after;
  return norm ? &*norm : nullptr;
}

class LastStates : public LayerObserver {
 public:
  LastStates(const NormNeed* norm, const Backend* backend) : norm_(norm), backend_(backend) {}

  AttentionObserver* BeginLayer(LayerId /*layer*/) override { return nullptr; }
  bool WantsWrites() override { return true; }
  bool WantsEnd() override { return true; }
  void OnNorm(const NormNeed& norm, const Activations& input) override {
    if (&norm == norm_) {
      rows.resize(static_cast<std::size_t>(input.rows() * input.cols()));
      backend_->ReadDouble(input, rows);
    }
  }

  std::vector<double> rows;

 private:
  const NormNeed* norm_;
  const Backend* backend_;
};

std::vector<double> Numbers(const Model& model, const TensorNeed& need) {
  const TensorView& tensor = *model.weights().Find(need.name);
  std::vector<float> values(static_cast<std::size_t>(ElementCount(tensor)));
  ConvertToFloat(tensor, 0, values);
  return {values.begin(), values.end()};
}

void Normalise(const NormWeights& norm, std::vector<double>* rows) {
  const std::size_t width = norm.weight.size();
  for (std::size_t first = 0; first < rows->size(); first += width) {
    double* row = rows->data() + first;
    double mean = 0.0;
    for (std::size_t i = 0; norm.kind == NormKind::kLayer && i < width; ++i) {
      mean += row[i] / static_cast<double>(width);
    }
    double square = 0.0;
    for (std::size_t i = 0; i < width; ++i) {
      square += (row[i] - mean) * (row[i] - mean) / static_cast<double>(width);
    }
    for (std::size_t i = 0; i < width; ++i) {
      row[i] =
          (row[i] - mean) / std::sqrt(square + norm.epsilon) * static_cast<double>(norm.weight[i]) +
          (norm.bias.empty() ? 0.0 : static_cast<double>(norm.bias[i]));
    }
  }
}

// in [rows, width] times the matrix [outputs, width], turned.
std::vector<double> Product(const std::vector<double>& in,
                            const std::vector<double>& matrix,
                            std::size_t width) {
  std::vector<double> out;
  for (std::size_t row = 0; row < in.size(); row += width) {
    for (std::size_t output = 0; output < matrix.size(); output += width) {
      double sum = 0.0;
      for (std::size_t i = 0; i < width; ++i) {
        sum += in[row + i] * matrix[output + i];
      }
      out.push_back(sum);
    }
  }
  return out;
}

}  // namespace

std::vector<double> Logits(const std::shared_ptr<const Model>& model, const ForwardInput& input) {
  const ModelDescription& description = model->description();
  const Rule rule = RuleOf(description);
  const StackDescription& stack = description.decoder ? *description.decoder : description;
  const NormNeed* norm = LastNorm(stack);
  if (rule.weight == nullptr || norm == nullptr) {
    return {};
  }
  const auto backend = MakeReferenceBackend();
  Forward forward(model, backend.get());
  LastStates states(norm, backend.get());
  const LayerId last{description.decoder ? ModelPart::kDecoder : ModelPart::kWhole,
                     stack.layers - 1};
  const Status run = forward.Run(input, last, &states, {});
  if (!run) {
    throw std::runtime_error(run.error().message);
  }
  std::vector<double> rows = std::move(states.rows);
  Normalise(ReadNorm(*model, *norm), &rows);
  if (rule.projection != nullptr) {
    const ProjectionColumns narrow =
        ReadColumns(*model, *rule.projection, 0, ColumnCount(*rule.projection));
    rows = Product(
        rows, {narrow.weight.begin(), narrow.weight.end()}, static_cast<std::size_t>(narrow.in));
  }
  const std::vector<double> matrix = Numbers(*model, *rule.weight);
  std::vector<double> logits =
      Product(rows, matrix, static_cast<std::size_t>(rule.weight->shape.back()));
  const auto bias = rule.bias != nullptr ? Numbers(*model, *rule.bias) : std::vector<double>();
  for (std::size_t i = 0; i < logits.size(); ++i) {
    logits[i] *= rule.scale;
    logits[i] += bias.empty() ? 0.0 : bias[i % bias.size()];
    if (rule.softcap > 0.0) {
      logits[i] = rule.softcap * std::tanh(logits[i] / rule.softcap);
    }
  }
  return logits;
}

}  // namespace headscope::reference
