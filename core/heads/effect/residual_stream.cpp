#include "core/heads/effect/residual_stream.h"

#include <algorithm>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "core/base/check.h"
#include "core/base/stop.h"
#include "core/heads/effect/column_matrix.h"
#include "core/heads/effect/frozen_norm.h"

namespace headscope {
std::string WriterName(const Writer& writer) {
  const std::int64_t layer = writer.layer.layer;
  const char letter = PartLetter(writer.layer.part);
  switch (writer.kind) {
    case WriterKind::kToken:
      return "token";
    case WriterKind::kTokenType:
      return "segment";
    case WriterKind::kPosition:
      return "position";
    case WriterKind::kHead:
      return fmt::format("{}{}H{}", letter, layer, writer.head);
    case WriterKind::kMlp:
      return fmt::format("MLP {}{}", letter, layer);
    case WriterKind::kAttentionBias:
      return fmt::format("attention bias {}{}", letter, layer);
    case WriterKind::kMlpBias:
      return fmt::format("MLP bias {}{}", letter, layer);
    case WriterKind::kNormBias:
      return layer < 0 ? "embedding norm bias" : fmt::format("norm bias {}{}", letter, layer);
    case WriterKind::kProjectionBias:
      return "projection bias";
  }
  return "";
}

std::vector<double> WrittenRows::Sum() const {
  std::vector<double> sum;
  for (const Part& part : parts_) {
    sum.resize(part.row.size());
    std::transform(sum.begin(), sum.end(), part.row.begin(), sum.begin(), std::plus<>());
  }
  return sum;
}

const std::vector<double>& WrittenRows::Of(const Writer& writer) const {
  const auto found = std::ranges::find(parts_, writer, &Part::writer);
  HEADSCOPE_CHECK(found != parts_.end(), "the writer is one of them");
  return found->row;
}

void WrittenRows::Add(const Writer& writer, std::span<const double> row) {
  const auto found = std::ranges::find(parts_, writer, &Part::writer);
  if (found == parts_.end()) {
    parts_.push_back({writer, {row.begin(), row.end()}});
    return;
  }
  std::transform(row.begin(), row.end(), found->row.begin(), found->row.begin(), std::plus<>());
}

void WrittenRows::Take(WrittenRows* others) {
  for (const Part& part : others->parts_) {
    Add(part.writer, part.row);
  }
  others->parts_.clear();
}

Result<WrittenRows> WrittenRows::Through(const ProjectionColumns& columns,
                                         const Writer& bias,
                                         const std::stop_token& stop) const {
  const Eigen::MatrixXd weights = MatrixOf(columns).cast<double>();
  WrittenRows made;
  for (const Part& part : parts_) {
    HEADSCOPE_TRY(CheckStop(stop));
    std::vector<double> row(static_cast<std::size_t>(columns.columns()));
    Eigen::VectorXd::Map(row.data(), columns.columns()) =
        weights * Eigen::VectorXd::Map(part.row.data(), columns.in);
    made.parts_.push_back({part.writer, std::move(row)});
  }
  if (std::ranges::any_of(columns.bias, [](float value) { return value != 0.0F; })) {
    made.Add(bias, std::vector<double>(columns.bias.begin(), columns.bias.end()));
  }
  return made;
}

void WrittenRows::Norm(const NormWeights& norm, std::span<const double> input, const Writer& bias) {
  const double scale = NormScale(norm, input);
  for (Part& part : parts_) {
    ApplyFrozen(norm, scale, part.row);
  }
  if (!norm.bias.empty()) {
    Add(bias, std::vector<double>(norm.bias.begin(), norm.bias.end()));
  }
}

}  // namespace headscope
