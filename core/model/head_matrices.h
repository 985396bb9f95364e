// Where a head's own matrices lie among its layer's products, and a file of them.
//
// Shapes   as x W reads them, x a row of the layer's input: W_Q and W_K [d, d_k], W_V [d, d_v], W_O
//          [d_v, d], b_Q and b_K [d_k], b_V [d_v]; b_O [d] is of the layer. Of all heads of a layer
//          the same behind an axis of heads, b_O once.
// Units    float32 as the forward's products read them: norms, rotary turns and scales of scores are
//          not folded in.
// Errors   kUnsupported: queries, keys or values are made of latents with a norm between. kIo.
// Threads  any.
// Cost     one head's matrix at a time.
// Source   docs/reference.md, "weights".
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "core/base/error.h"
#include "core/model/model.h"

namespace headscope {

// Columns of a product: [first, first + count).
struct ProductColumns {
  const LinearNeed* product = nullptr;
  std::int64_t first = 0;
  std::int64_t count = 0;
};

struct HeadMatrices {
  ProductColumns query;
  ProductColumns key;  // of the head of keys and values that it shares, as `value`
  ProductColumns value;
  ProductColumns output;  // inputs of the layer's output product, not columns
  std::int64_t key_head = 0;
};

// With latents the columns are of the products that read them; a key has those of its own there.
[[nodiscard]] HeadMatrices MatricesOfHead(const ModelDescription& model,
                                          LayerId layer,
                                          std::int64_t head);

// Writes one head, or without one all of the layer; as .safetensors or .npz. They must exist.
[[nodiscard]] Status WriteHeadMatrices(const std::filesystem::path& path,
                                       const Model& model,
                                       LayerId layer,
                                       std::optional<std::int64_t> head);

}  // namespace headscope
