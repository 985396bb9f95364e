#include "core/heads/effect/stream_keeper.h"

#include <algorithm>
#include <functional>

#include "core/heads/effect/column_matrix.h"
#include "core/heads/effect/norm_place.h"

namespace headscope {
namespace {

using Kind = NormPlace::Kind;

WriterKind KindOf(EmbeddingPart part) {
  switch (part) {
    case EmbeddingPart::kTokenType:
      return WriterKind::kTokenType;
    case EmbeddingPart::kPosition:
      return WriterKind::kPosition;
    case EmbeddingPart::kToken:
      break;
  }
  return WriterKind::kToken;
}

bool IsZero(std::span<const float> values) {
  return std::ranges::all_of(values, [](float value) { return value == 0.0F; });
}

}  // namespace

bool StreamKeeper::Wants(const NormNeed& norm) const {
  return !is_closed_ && FindNorm(stack(), norm).has_value();
}

void StreamKeeper::OnEmbedding(EmbeddingPart part, std::span<const double> row) {
  stream_.Add({.kind = KindOf(part)}, row);
}

void StreamKeeper::OnContext(LayerId layer,
                             std::span<const double> context,
                             const ProjectionColumns& output) {
  Settle();
  const std::int64_t heads = stack().heads;
  const auto weights = MatrixOf(output);
  const std::int64_t width = output.in / heads;
  std::vector<double> row(static_cast<std::size_t>(output.columns()));
  for (std::int64_t head = 0; head < heads; ++head) {
    const auto own = Eigen::VectorXd::Map(context.data() + head * width, width);
    Eigen::VectorXd::Map(row.data(), output.columns()) =
        weights.middleCols(head * width, width).cast<double>() * own;
    attention_.Add({.kind = WriterKind::kHead, .layer = layer, .head = head}, row);
  }
  if (!IsZero(output.bias)) {
    attention_.Add({.kind = WriterKind::kAttentionBias, .layer = layer},
                   std::vector<double>(output.bias.begin(), output.bias.end()));
  }
}

void StreamKeeper::OnMlp(LayerId layer, std::span<const double> row) {
  const LayerDescription& description = stack().layer[static_cast<std::size_t>(layer.layer)];
  // Experts have none.
  const std::vector<float> bias = description.experts ? std::vector<float>(row.size())
                                                      : ReadBiases(model_, description.mlp_down);
  std::vector<double> rest(row.begin(), row.end());
  std::transform(rest.begin(), rest.end(), bias.begin(), rest.begin(), std::minus<>());
  mlp_.Add({.kind = WriterKind::kMlp, .layer = layer}, rest);
  if (!IsZero(bias)) {
    mlp_.Add({.kind = WriterKind::kMlpBias, .layer = layer},
             std::vector<double>(bias.begin(), bias.end()));
  }
}

void StreamKeeper::OnNorm(const NormNeed& norm, std::span<const double> input) {
  const NormPlace place = *FindNorm(stack(), norm);
  if (place.kind == Kind::kBefore && &norm != before_) {
    return;
  }
  // Biases of a decoder's layers are separate from its encoder's; the final norm counts to the last
  // layer.
  const std::int64_t layer = place.kind == Kind::kFinal ? stack().layers - 1 : place.layer;
  const Writer bias{.kind = WriterKind::kNormBias,
                    .layer = {place.is_cross ? ModelPart::kCross : stack_, layer}};
  const NormWeights weights = ReadNorm(model_, norm);
  WrittenRows* rows = &stream_;
  if (place.kind == Kind::kInsideAttention) {
    rows = &attention_;
  } else if (place.kind == Kind::kInsideMlp) {
    rows = &mlp_;
  } else if (place.kind == Kind::kAfterAttention) {
    stream_.Take(&attention_);  // the MLP runs in parallel and adds its output later
  } else {
    Settle();
  }
  rows->Norm(weights, input, bias);
  is_closed_ = &norm == before_;
}

void StreamKeeper::Settle() {
  stream_.Take(&attention_);
  stream_.Take(&mlp_);
}

void StreamKeeper::Close() {
  if (!is_closed_) {
    Settle();
    is_closed_ = true;
  }
}

}  // namespace headscope
