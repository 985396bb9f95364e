#include "core/compare/weight_changes.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/counted.h"
#include "core/base/digits.h"
#include "core/base/half.h"
#include "core/base/stop.h"
#include "core/compare/weight_groups.h"
#include "core/io/json_text.h"
#include "core/model/head_matrices.h"
#include "core/model/head_widths.h"
#include "core/model/read_weights.h"

namespace headscope {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kNumbersAtOnce = std::int64_t{1} << 18;
constexpr std::size_t kOutputMatrix = 3;  // of kHeadMatrices

// "2 layers of 4 heads, d 64, d_k 16, d_v 16", and what else heads' matrices depend on.
std::string ShapeWords(const StackDescription& stack) {
  const LayerDescription& first = stack.layer.front();
  const std::int64_t in = first.separate ? first.separate->query.in : FirstProduct(first).in;
  return fmt::format(
      "{} of {}{}, d {}, d_k {}, d_v {}{}{}",
      Counted(stack.layers, "layer"),
      Counted(stack.heads, "head"),
      stack.kv_heads == stack.heads
          ? ""
          : fmt::format(" over {}", Counted(stack.kv_heads, "key/value head")),
      stack.model_dim,
      HeadDimText(stack),
      ValueDimText(stack),
      first.latent ? fmt::format(", keys and values from a latent of {}", first.latent->key.in)
                   : "",
      in == stack.model_dim ? "" : fmt::format(", queries from {} numbers", in));
}

std::string ShapeWords(const ModelDescription& model) {
  const std::string own = ShapeWords(static_cast<const StackDescription&>(model));
  return model.decoder
             ? fmt::format("an encoder of {} and a decoder of {}", own, ShapeWords(*model.decoder))
             : own;
}

Status CheckPart(const ChangeSums& sums, const std::string& name) {
  return std::isfinite(sums.base) && std::isfinite(sums.other) && std::isfinite(sums.difference)
             ? Status{}
             : Fail(ErrorCode::kNumeric,
                    fmt::format("{}: one of the two models holds NaN or infinity there, expected "
                                "finite weights; choose another file",
                                name));
}

// Reads the same places of both models, a piece at a time.
class Pair {
 public:
  Pair(const Model& a, const Model& b, const std::stop_token& stop) : a_(a), b_(b), stop_(stop) {}

  [[nodiscard]] const ModelDescription& OfA() const { return a_.description(); }
  [[nodiscard]] const ModelDescription& OfB() const { return b_.description(); }

  // Columns of a product with their biases, of each a range of the inputs.
  Status Columns(ColumnReader* a,
                 ColumnReader* b,
                 std::int64_t first,
                 std::int64_t count,
                 InputRange inputs,
                 bool has_bias,
                 ChangeSums* sums) const {
    const std::int64_t step = std::max<std::int64_t>(1, kNumbersAtOnce / inputs.count);
    for (std::int64_t done = 0; done < count; done += step) {
      HEADSCOPE_TRY(CheckStop(stop_));
      const std::int64_t now = std::min(step, count - done);
      const ProjectionColumns of_a = a->Read(first + done, now, inputs);
      const ProjectionColumns of_b = b->Read(first + done, now, inputs);
      sums->Add(of_a.weight, of_b.weight);
      if (has_bias) {
        sums->Add(of_a.bias, of_b.bias);
      }
    }
    return {};
  }

  // False: the two are of different sizes.
  Result<bool> Product(const LinearNeed& a, const LinearNeed& b, ChangeSums* sums) const {
    const std::int64_t columns = ColumnCount(a);
    if (a.in != b.in || columns != ColumnCount(b)) {
      return false;
    }
    ColumnReader reader_a(a_, a);
    ColumnReader reader_b(b_, b);
    HEADSCOPE_TRY(Columns(
        &reader_a, &reader_b, 0, columns, {0, a.in}, IsBiased(a, 0) || IsBiased(b, 0), sums));
    return true;
  }

  bool Norm(const NormNeed& a, const NormNeed& b, ChangeSums* sums) const {
    NormWeights of_a = ReadNorm(a_, a);
    NormWeights of_b = ReadNorm(b_, b);
    if (of_a.weight.size() != of_b.weight.size()) {
      return false;
    }
    sums->Add(of_a.weight, of_b.weight);
    if (!of_a.bias.empty() || !of_b.bias.empty()) {
      of_a.bias.resize(of_a.weight.size());  // 0 where there is none
      of_b.bias.resize(of_b.weight.size());
      sums->Add(of_a.bias, of_b.bias);
    }
    return true;
  }

  Result<bool> Tensor(const TensorNeed& a, const TensorNeed& b, ChangeSums* sums) const {
    PickedBytes picked;
    const TensorView of_a = PartOf(a_, a, &picked);
    const TensorView of_b = PartOf(b_, b, &picked);
    if (of_a.shape != of_b.shape) {
      return false;
    }
    const std::int64_t count = ElementCount(of_a);
    std::vector<float> values_a;
    std::vector<float> values_b;
    for (std::int64_t done = 0; done < count; done += kNumbersAtOnce) {
      HEADSCOPE_TRY(CheckStop(stop_));
      const auto now = static_cast<std::size_t>(std::min(kNumbersAtOnce, count - done));
      values_a.resize(now);
      values_b.resize(now);
      ConvertToFloat(of_a, done, values_a);
      ConvertToFloat(of_b, done, values_b);
      sums->Add(values_a, values_b);
    }
    return true;
  }

  // None: the two are of different sizes, or have different parts.
  Result<std::optional<ChangeSums>> All(const WeightGroup& a, const WeightGroup& b) const {
    ChangeSums sums;
    if (a.products.size() != b.products.size() || a.norms.size() != b.norms.size() ||
        a.tensors.size() != b.tensors.size()) {
      return std::nullopt;
    }
    bool are_alike = true;
    for (std::size_t i = 0; i < a.products.size() && are_alike; ++i) {
      HEADSCOPE_TRY(are_alike, Product(*a.products[i], *b.products[i], &sums));
    }
    for (std::size_t i = 0; i < a.norms.size() && are_alike; ++i) {
      HEADSCOPE_TRY(CheckStop(stop_));
      are_alike = Norm(*a.norms[i], *b.norms[i], &sums);
    }
    for (std::size_t i = 0; i < a.tensors.size() && are_alike; ++i) {
      HEADSCOPE_TRY(are_alike, Tensor(*a.tensors[i], *b.tensors[i], &sums));
    }
    if (are_alike && a.bias_of != nullptr && b.bias_of != nullptr &&
        (IsBiased(*a.bias_of, 0) || IsBiased(*b.bias_of, 0))) {
      sums.Add(ReadBiases(a_, *a.bias_of), ReadBiases(b_, *b.bias_of));
    }
    return are_alike ? std::optional(sums) : std::nullopt;
  }

  // The heads of a layer; keys and values that several share are read once.
  Result<std::vector<WeightChange>> Heads(LayerId layer) const {
    const StackDescription& stack = StackOf(OfA(), layer.part);
    const std::array<ProductColumns HeadMatrices::*, 3> kinds = {
        &HeadMatrices::query, &HeadMatrices::key, &HeadMatrices::value};
    const HeadMatrices first_a = MatricesOfHead(OfA(), layer, 0);
    const HeadMatrices first_b = MatricesOfHead(OfB(), layer, 0);
    std::vector<WeightChange> heads(static_cast<std::size_t>(stack.heads));
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
      ColumnReader a(a_, *(first_a.*kinds[kind]).product);
      ColumnReader b(b_, *(first_b.*kinds[kind]).product);
      std::vector<std::optional<ChangeSums>> read(heads.size());
      for (std::size_t head = 0; head < heads.size(); ++head) {
        const HeadMatrices place = MatricesOfHead(OfA(), layer, static_cast<std::int64_t>(head));
        const ProductColumns& columns = place.*kinds[kind];
        auto& sums = read[kind == 0 ? head : static_cast<std::size_t>(place.key_head)];
        if (!sums) {
          sums.emplace();
          HEADSCOPE_TRY(Columns(&a,
                                &b,
                                columns.first,
                                columns.count,
                                {0, columns.product->in},
                                IsBiased(*columns.product, columns.first) ||
                                    IsBiased(*(first_b.*kinds.at(kind)).product, columns.first),
                                &*sums));
        }
        heads[head].matrices.at(kind) = *sums;
      }
    }
    ColumnReader a(a_, *first_a.output.product);
    ColumnReader b(b_, *first_b.output.product);
    const std::int64_t width = ColumnCount(*first_a.output.product);
    for (std::size_t head = 0; head < heads.size(); ++head) {
      const auto index = static_cast<std::int64_t>(head);
      const HeadMatrices place = MatricesOfHead(OfA(), layer, index);
      WeightChange& change = heads[head];
      HEADSCOPE_TRY(Columns(&a,
                            &b,
                            0,
                            width,
                            {place.output.first, place.output.count},
                            false,  // the layer's
                            &change.matrices.at(kOutputMatrix)));
      change.head = HeadIndex{layer.layer, index, layer.part};
      change.name = HeadName(*change.head);
      for (const ChangeSums& sums : change.matrices) {
        change.all.Add(sums);
      }
    }
    return heads;
  }

  // Adds each group that both have, and a note of each that cannot be compared.
  Status Groups(const std::vector<WeightGroup>& a,
                const std::vector<WeightGroup>& b,
                WeightChanges* changes) const {
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
      if (a[i].IsEmpty() && b[i].IsEmpty()) {
        continue;
      }
      HEADSCOPE_TRY(const auto sums, All(a[i], b[i]));
      if (!sums) {
        changes->notes.push_back(
            fmt::format("Not compared, as the two differ in size or kind there: {}.", a[i].name));
      } else if (sums->numbers > 0) {
        HEADSCOPE_TRY(CheckPart(*sums, a[i].name));
        changes->parts.push_back({.name = a[i].name, .head = {}, .all = *sums});
      }
    }
    if (a.size() != b.size()) {
      changes->notes.emplace_back("Not compared, as one of the two has none: output layer.");
    }
    return {};
  }

 private:
  const Model& a_;
  const Model& b_;
  const std::stop_token& stop_;
};

TableCell NumberCell(const std::optional<double>& number) {
  return number ? TableCell{WithDigits(*number, 4), *number} : TableCell{"–"};
}

TableCell ChangeCell(const ChangeSums& sums) {
  return {ChangeText(sums), sums.Change()};
}

Json SumsJson(const ChangeSums& sums) {
  return {{"change", OrNull(sums.Change())},
          {"cosine", OrNull(sums.Cosine())},
          {"numbers", sums.numbers}};
}

}  // namespace

void ChangeSums::Add(std::span<const float> a, std::span<const float> b) {
  double of_a = 0.0;
  double of_b = 0.0;
  double apart = 0.0;
  double together = 0.0;
  const std::size_t count = std::min(a.size(), b.size());
#pragma omp simd reduction(+ : of_a, of_b, apart, together)
  for (std::size_t i = 0; i < count; ++i) {
    const double x = a[i];
    const double y = b[i];
    of_a += x * x;
    of_b += y * y;
    apart += (x - y) * (x - y);
    together += x * y;
  }
  numbers += static_cast<std::int64_t>(count);
  base += of_a;
  other += of_b;
  difference += apart;
  product += together;
}

void ChangeSums::Add(const ChangeSums& more) {
  numbers += more.numbers;
  base += more.base;
  other += more.other;
  difference += more.difference;
  product += more.product;
}

std::optional<double> ChangeSums::Change() const {
  if (difference == 0.0) {
    return 0.0;
  }
  return base > 0.0 ? std::optional(std::sqrt(difference / base)) : std::nullopt;
}

std::optional<double> ChangeSums::Cosine() const {
  const double sizes = std::sqrt(base * other);  // so that equal parts give 1
  return sizes > 0.0 ? std::optional(std::clamp(product / sizes, -1.0, 1.0)) : std::nullopt;
}

WeightComparison::WeightComparison(std::shared_ptr<const Model> a, std::shared_ptr<const Model> b)
    : a_(std::move(a)), b_(std::move(b)) {
  changes_.a = a_->name();
  changes_.b = b_->name();
  const ModelDescription& about = a_->description();
  for (const ModelPart part : PartsOf(about)) {
    const StackDescription& stack = StackOf(about, part);
    for (std::int64_t layer = 0; layer < stack.layers; ++layer) {
      layers_.push_back({part, layer});
    }
    if (stack.kv_heads < stack.heads) {
      changes_.notes.push_back(fmt::format(
          "{} heads share each head of keys and values: W_K and W_V count for every one of them.",
          stack.heads / stack.kv_heads));
    }
  }
}

Result<std::unique_ptr<WeightComparison>> WeightComparison::Make(std::shared_ptr<const Model> a,
                                                                 std::shared_ptr<const Model> b) {
  const std::string of_a = ShapeWords(a->description());
  const std::string of_b = ShapeWords(b->description());
  if (of_a != of_b) {
    return Fail(
        ErrorCode::kInput,
        fmt::format("weights are compared number by number, which needs models of one shape: "
                    "{} has {}, and {} has {}",
                    a->name(),
                    of_a,
                    b->name(),
                    of_b));
  }
  return std::unique_ptr<WeightComparison>(new WeightComparison(std::move(a), std::move(b)));
}

Result<std::shared_ptr<const WeightChanges>> WeightComparison::Run(const OnStep& on_step,
                                                                   const std::stop_token& stop) {
  const Pair pair(*a_, *b_, stop);
  const std::int64_t layers = std::ssize(layers_);
  for (; done_ <= layers; ++done_) {
    on_step(done_, layers + 1);
    WeightChanges step;
    if (done_ < layers) {
      const LayerId layer = layers_[static_cast<std::size_t>(done_)];
      HEADSCOPE_TRY(step.parts, pair.Heads(layer));
      for (const WeightChange& head : step.parts) {
        HEADSCOPE_TRY(CheckPart(head.all, head.name));
      }
      HEADSCOPE_TRY(
          pair.Groups(GroupsOfLayer(pair.OfA(), layer), GroupsOfLayer(pair.OfB(), layer), &step));
    } else {
      HEADSCOPE_TRY(pair.Groups(GroupsOfModel(pair.OfA()), GroupsOfModel(pair.OfB()), &step));
    }
    std::ranges::move(step.parts, std::back_inserter(changes_.parts));
    std::ranges::move(step.notes, std::back_inserter(changes_.notes));
  }
  auto made = std::make_shared<WeightChanges>(changes_);
  std::ranges::stable_sort(made->parts, std::ranges::greater{}, [](const WeightChange& part) {
    return part.all.Change().value_or(std::numeric_limits<double>::infinity());
  });
  return made;
}

std::string ChangeText(const ChangeSums& sums) {
  if (sums.numbers == 0) {
    return "–";
  }
  const auto change = sums.Change();
  return change ? WithDigits(*change, 4) : "new";
}

Table WeightChangeTable(const WeightChanges& changes) {
  Table table{
      .title = fmt::format("What changed between {} and {}", changes.a, changes.b),
      .caption = fmt::format(
          "Change: |A − B| / |A|, Frobenius norms, A the base ({}), B {}; cosine of the two "
          "parts' numbers. Of a head: its columns of W_Q, W_K, W_V with their biases and its "
          "rows of W_O, all together and each.",
          changes.a,
          changes.b),
      .columns = {{.name = "part", .key = "part"},
                  {.name = "change", .key = "change", .is_number = true},
                  {.name = "cosine", .key = "cosine", .is_number = true}},
      .rows = {}};
  for (const std::string_view matrix : kHeadMatrices) {
    table.columns.push_back(
        {.name = std::string(matrix), .key = std::string(matrix), .is_number = true});
  }
  table.columns.push_back({.name = "numbers", .key = "numbers", .is_number = true});
  for (const std::string& note : changes.notes) {
    table.caption += " " + note;
  }
  for (const WeightChange& part : changes.parts) {
    auto& row = table.rows.emplace_back();
    row = {{part.name}, ChangeCell(part.all), NumberCell(part.all.Cosine())};
    for (const ChangeSums& matrix : part.matrices) {
      row.push_back(matrix.numbers > 0 ? ChangeCell(matrix) : TableCell{"–"});
    }
    row.push_back({fmt::format("{}", part.all.numbers), static_cast<double>(part.all.numbers)});
  }
  return table;
}

std::string WeightChangeJson(const WeightChanges& changes) {
  Json json = {{"a", changes.a}, {"b", changes.b}, {"base", "a"}, {"parts", Json::array()}};
  for (const WeightChange& part : changes.parts) {
    Json& row = json["parts"].emplace_back();
    row["part"] = part.name;
    row["head"] = part.head ? Json(part.name) : Json(nullptr);
    row.update(SumsJson(part.all));
    for (std::size_t i = 0; part.head && i < kHeadMatrices.size(); ++i) {
      row["matrices"][std::string(kHeadMatrices.at(i))] = SumsJson(part.matrices.at(i));
    }
  }
  json["notes"] = changes.notes;
  return JsonInLines(json, {"parts"});
}

}  // namespace headscope
