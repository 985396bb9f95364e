// Building blocks for the files in families/: sizes under each family's own keys, norms and
// products by tensor name.
//
// Errors   kFormat (missing, of the wrong type, absurd, contradictory), kUnsupported; each names
//          the file and the key.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/io/json.h"
#include "core/model/block_description.h"
#include "core/model/config.h"
#include "core/model/layer_lists.h"

namespace headscope {

struct StackSizes {
  std::int64_t layers = 0;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t model_dim = 0;
  std::int64_t head_dim = 0;
  std::int64_t inner = 0;
  std::int64_t positions = 0;
  std::int64_t vocabulary = 0;
};

// The keys of config.json; an empty key is not read.
struct SizeKeys {
  std::string_view layers = "num_hidden_layers";
  std::string_view heads = "num_attention_heads";
  std::string_view kv_heads = {};  // missing: default_kv_heads
  std::string_view model_dim = "hidden_size";
  std::string_view head_dim = {};  // missing: default_head_dim, or model width / heads
  std::string_view inner = "intermediate_size";
  std::string_view positions = "max_position_embeddings";
  std::string_view vocabulary = "vocab_size";
  std::optional<std::int64_t> default_layers = {};
  std::optional<std::int64_t> default_model_dim = {};
  std::optional<std::int64_t> default_inner = {};
  std::optional<std::int64_t> default_heads = {};
  std::optional<std::int64_t> default_kv_heads = {};  // none: as many as heads
  std::optional<std::int64_t> default_head_dim = {};
  std::optional<std::int64_t> default_vocabulary = {};
  std::optional<std::int64_t> default_positions = {};
  std::optional<std::int64_t> default_inner_factor = {};  // times the model's width
};

[[nodiscard]] Result<StackSizes> ReadSizes(const JsonObject& json, const SizeKeys& keys);

// Makes a description with its counts and room for the layers; its only tensor is the token
// embedding.
[[nodiscard]] ModelDescription StartDescription(std::string_view family,
                                                const StackSizes& sizes,
                                                std::string token_embedding);

// Makes an output layer with one row per token, as wide as the token embedding's; a bias is used
// only if the file has one.
[[nodiscard]] OutputLayer OutputNamed(const std::string& name, const ModelDescription& model);

// Reads "final_logit_softcapping", which is `usual` if it is missing; null: none.
[[nodiscard]] Result<double> ReadLogitCap(const JsonObject& json, double usual);

enum class HasBias { kNo, kYes };

// `name` has no ".weight". A root-mean-square norm has no bias; without a name, it has no weights.
[[nodiscard]] NormNeed LayerNorm(const std::string& name,
                                 std::int64_t width,
                                 double epsilon,
                                 HasBias bias = HasBias::kYes);
[[nodiscard]] NormNeed RmsNorm(const std::string& name, std::int64_t width, double epsilon);
[[nodiscard]] NormPlaces NormBefore(NormNeed norm);

// Makes a matrix [out, in]; RowsOf takes some of its rows and of its bias, Product puts several side by
// side.
[[nodiscard]] LinearNeed::Matrix MatrixPart(const std::string& name,
                                            std::int64_t in,
                                            std::int64_t out,
                                            HasBias bias);
[[nodiscard]] LinearNeed::Matrix RowsOf(LinearNeed::Matrix whole,
                                        std::int64_t first,
                                        std::int64_t count);
[[nodiscard]] LinearNeed Product(std::vector<LinearNeed::Matrix> parts);

// Replaces parts of tensor names, the first that fits in each name and each rule in turn: a family
// that is another's layout under other names. The output layer keeps its name.
struct OtherName {
  std::string_view usual;
  std::string_view own;
};
void UseOtherNames(std::span<const OtherName> names, ModelDescription* model);
// In what an encoder-decoder's encoder alone has.
void UseOtherNamesInEncoder(std::span<const OtherName> names, ModelDescription* model);

// Returns 1 / sqrt(head_dim).
[[nodiscard]] double UsualScale(std::int64_t head_dim);

// Returns ALiBi's slopes, each times `factor`.
[[nodiscard]] std::shared_ptr<const RelativeBias> AlibiBias(std::int64_t heads, double factor);

[[nodiscard]] Result<HasBias> ReadBias(const JsonObject& json, std::string_view key, bool fallback);

// Returns the longest text of which BigBird's attention sees everything; in longer ones it sees blocks
// drawn by chance.
[[nodiscard]] Result<std::int64_t> MostSeenWhole(const JsonObject& json, std::int64_t positions);

}  // namespace headscope
