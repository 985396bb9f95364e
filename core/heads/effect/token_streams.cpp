#include "core/heads/effect/token_streams.h"

#include <optional>

#include "core/base/half.h"
#include "core/heads/effect/weight_product.h"

namespace headscope {
namespace {

Result<FloatMatrix> Project(const Model& model,
                            const WeightProduct& product,
                            const LinearNeed& need,
                            const FloatMatrix& rows) {
  return product.Project(rows, ReadColumns(model, need, 0, ColumnCount(need)));
}

Result<FloatMatrix> Activated(Forward* forward,
                              const LayerDescription& layer,
                              const FloatMatrix& rows) {
  Backend& backend = forward->backend();
  HEADSCOPE_TRY(const auto made, backend.Make(rows.rows(), rows.cols()));
  backend.Load({rows.data(), static_cast<std::size_t>(rows.size())}, made.get());
  if (layer.xielu) {
    backend.Activate(ReadXielu(forward->model(), *layer.xielu), made.get());
  } else {
    backend.Activate(layer.activation, made.get());
  }
  FloatMatrix out(rows.rows(), rows.cols());
  backend.Read(*made, {out.data(), static_cast<std::size_t>(out.size())});
  return out;
}

// Applies the MLP of a layer to rows of the stream.
Result<FloatMatrix> Mlp(Forward* forward,
                        const WeightProduct& product,
                        const LayerDescription& layer,
                        const FloatMatrix& stream) {
  const Model& model = forward->model();
  // A parallel MLP without a norm of its own reads what the attention reads.
  const bool shares = layer.is_parallel && !layer.mlp_norm.before;
  HEADSCOPE_TRY(
      const auto read,
      NormedRows(forward, shares ? layer.attention_norm.before : layer.mlp_norm.before, stream));
  HEADSCOPE_TRY(auto up, Project(model, product, layer.mlp_up, read));
  if (layer.mlp_gate) {
    HEADSCOPE_TRY(const auto gate, Project(model, product, *layer.mlp_gate, read));
    HEADSCOPE_TRY(const auto open, Activated(forward, layer, gate));
    up.array() *= open.array();
  } else {
    HEADSCOPE_TRY(up, Activated(forward, layer, up));
  }
  HEADSCOPE_TRY(up, NormedRows(forward, layer.mlp_inner_norm, up));
  HEADSCOPE_TRY(const auto down, Project(model, product, layer.mlp_down, up));
  return NormedRows(forward, layer.mlp_norm.inside, down);
}

}  // namespace

Result<FloatMatrix> NormedRows(Forward* forward,
                               const std::optional<NormNeed>& norm,
                               const FloatMatrix& rows) {
  if (!norm) {
    return rows;
  }
  Backend& backend = forward->backend();
  HEADSCOPE_TRY(const auto made, backend.Make(rows.rows(), rows.cols()));
  backend.Load({rows.data(), static_cast<std::size_t>(rows.size())}, made.get());
  HEADSCOPE_TRY(backend.Norm(ReadNorm(forward->model(), *norm), *made, made.get()));
  FloatMatrix out(rows.rows(), rows.cols());
  backend.Read(*made, {out.data(), static_cast<std::size_t>(out.size())});
  return out;
}

Result<TokenStreams> MakeTokenStreams(Forward* forward,
                                      std::span<const std::int32_t> ids,
                                      const std::stop_token& stop) {
  const Model& model = forward->model();
  const ModelDescription& shape = model.description();
  const WeightProduct product(&forward->backend(), stop);
  const TensorView& table = *model.weights().Find(shape.token_embedding.name);
  const std::int64_t width = shape.embedding_dim();
  FloatMatrix rows(std::ssize(ids), width);
  for (std::int64_t i = 0; i < std::ssize(ids); ++i) {
    ConvertToFloat(table,
                   ids[static_cast<std::size_t>(i)] * width,
                   {rows.data() + i * width, static_cast<std::size_t>(width)});
  }
  rows *= static_cast<float>(shape.embedding_scale);
  const auto project = [&](bool is_due) -> Status {
    if (is_due && shape.embedding_projection) {
      HEADSCOPE_TRY(rows, Project(model, product, *shape.embedding_projection, rows));
    }
    return {};
  };
  HEADSCOPE_TRY(project(!shape.is_projected_last));
  HEADSCOPE_TRY(auto embedded, NormedRows(forward, shape.embedding_norm, rows));
  if (shape.is_projected_last) {
    rows = std::move(embedded);
    HEADSCOPE_TRY(project(true));
    embedded = std::move(rows);
  }
  TokenStreams streams{.embedded = std::move(embedded), .later = {}};
  const LayerDescription& first = shape.layer.front();
  if (first.experts) {
    return Fail(ErrorCode::kUnsupported,
                "a router chooses the first layer's MLP for each token of a text: what a token by "
                "itself becomes there is not known");
  }
  if (HasPlainBlocks(shape)) {
    return Fail(ErrorCode::kUnsupported,
                "blocks without attention stand among the layers, which join tokens too: what a "
                "token by itself becomes there is not known");
  }
  if (HasFurtherMlps(shape)) {
    return Fail(ErrorCode::kUnsupported,
                "the first layer has MLPs behind its own: what a token by itself becomes there is "
                "not known");
  }
  // Attention that adds nothing still leaves its norm, if that comes after it.
  HEADSCOPE_TRY(const auto stream,
                NormedRows(forward,
                           first.is_parallel ? std::nullopt : first.attention_norm.after,
                           streams.embedded));
  if (!first.has_mlp()) {
    streams.later = stream;
    return streams;
  }
  HEADSCOPE_TRY(const auto added, Mlp(forward, product, first, stream));
  HEADSCOPE_TRY(streams.later, NormedRows(forward, first.mlp_norm.after, stream + added));
  streams.later *= static_cast<float>(StreamFactorOf(model, first));
  return streams;
}

}  // namespace headscope
