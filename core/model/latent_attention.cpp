#include "core/model/latent_attention.h"

#include <utility>

#include <fmt/format.h>

namespace headscope {
namespace {

constexpr double kLatentEpsilon = 1e-6;  // no setting changes it

}  // namespace

Result<LatentSizes> ReadLatentSizes(const JsonObject& json) {
  const bool is_direct = json.IsNull("q_lora_rank");
  HEADSCOPE_TRY(
      const auto query_rank,
      is_direct ? Result<std::int64_t>(0) : json.Integer("q_lora_rank", 1, kMaxInnerWidth, 1536));
  HEADSCOPE_TRY(const auto rank, json.Integer("kv_lora_rank", 1, kMaxInnerWidth, 512));
  HEADSCOPE_TRY(const auto plain, json.Integer("qk_nope_head_dim", 1, kMaxWidth / 2, 128));
  HEADSCOPE_TRY(const auto turned, json.Integer("qk_rope_head_dim", 2, kMaxWidth / 2, 64));
  HEADSCOPE_TRY(const auto value, json.Integer("v_head_dim", 1, kMaxWidth, 128));
  HEADSCOPE_TRY(const auto bias, ReadBias(json, "attention_bias", false));
  return LatentSizes{.query_rank = query_rank,
                     .rank = rank,
                     .plain = plain,
                     .turned = turned,
                     .value = value,
                     .bias = bias};
}

LatentProjections LatentsNamed(const std::string& attention,
                               const LatentSizes& latent,
                               const StackSizes& sizes) {
  const std::int64_t width = sizes.model_dim;
  const std::int64_t head_dim = latent.head_dim();
  const std::int64_t head_pair = latent.plain + latent.value;
  LatentProjections made;
  if (latent.query_rank > 0) {
    made.query_latent = Latent{
        .down =
            Product({MatrixPart(attention + "q_a_proj", width, latent.query_rank, latent.bias)}),
        .norm = RmsNorm(attention + "q_a_layernorm", latent.query_rank, kLatentEpsilon)};
  }
  const LinearNeed::Matrix query =
      MatrixPart(attention + (latent.query_rank > 0 ? "q_b_proj" : "q_proj"),
                 latent.query_rank > 0 ? latent.query_rank : width,
                 sizes.heads * head_dim,
                 HasBias::kNo);
  const LinearNeed::Matrix down =
      MatrixPart(attention + "kv_a_proj_with_mqa", width, latent.rank + latent.turned, latent.bias);
  const LinearNeed::Matrix up =
      MatrixPart(attention + "kv_b_proj", latent.rank, sizes.heads * head_pair, HasBias::kNo);
  std::vector<LinearNeed::Matrix> queries;
  std::vector<LinearNeed::Matrix> keys;
  std::vector<LinearNeed::Matrix> values;
  for (std::int64_t head = 0; head < sizes.heads; ++head) {
    // What rotates comes first.
    queries.push_back(RowsOf(query, head * head_dim + latent.plain, latent.turned));
    queries.push_back(RowsOf(query, head * head_dim, latent.plain));
    keys.push_back(RowsOf(up, head * head_pair, latent.plain));
    values.push_back(RowsOf(up, head * head_pair + latent.plain, latent.value));
  }
  made.query = Product(std::move(queries));
  made.key = Product(std::move(keys));
  made.value = Product(std::move(values));
  made.key_value_latent = {
      .down = Product({RowsOf(down, 0, latent.rank)}),
      .norm = RmsNorm(attention + "kv_a_layernorm", latent.rank, kLatentEpsilon)};
  made.shared_key = Product({RowsOf(down, latent.rank, latent.turned)});
  return made;
}

Status RefuseLatents(const StackDescription& stack, std::string_view what) {
  if (!HasLatents(stack)) {
    return {};
  }
  return Fail(ErrorCode::kUnsupported,
              fmt::format("this model makes its keys and values of a narrow latent that it norms; "
                          "{} needs one matrix from a layer's input to each of them",
                          what));
}

}  // namespace headscope
