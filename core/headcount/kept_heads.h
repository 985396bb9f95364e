// What a layer's output loses when only some of its heads are kept and the others write 0: for every
// choice of heads at once, since the output is the sum of what heads write.
//
// Shapes   gram [D, D], products [h, h], row-major and symmetric.
// Units    lost: the norm of what the other heads write over the norm of the output with its bias; it may
//          be over 1, since heads may cancel each other out.
// Errors   kBackend, kCancelled.
// Threads  GramOfOutput: the backend's. ProductsOfHeads: OpenMP's. The rest: any.
// Cost     gram: D^2 d / 2 multiplications, once a layer; products: n D^2 / 2, whatever h is. Measured up
//          to kMostKeptWidth columns and kMostKeptHeads heads.
// Source   docs/reference.md, "split".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "core/base/error.h"
#include "core/compute/backend.h"

namespace headscope {

inline constexpr std::int64_t kMostKeptWidth = 2048;
inline constexpr std::int64_t kMostKeptHeads = 64;

// The dot products of an output projection's rows, [D, D]: of what each column of the heads writes.
[[nodiscard]] Result<std::vector<double>> GramOfOutput(Backend* backend,
                                                       const Linear& output,
                                                       const std::stop_token& stop);

struct KeptHeads {
  std::int64_t heads = 0;
  std::vector<double> products;  // of what two heads write, over all rows
  double output_square = 0.0;    // of the whole output

  // What is lost without these heads, each named once.
  [[nodiscard]] double Lost(std::span<const std::int64_t> without) const;
};

// `joined` [n, D] is what the heads found before the projection, `columns` whose is which; none where
// heads share columns, since it is not known then what each of them adds.
[[nodiscard]] Result<std::optional<KeptHeads>> KeptHeadsOf(
    std::span<const double> gram,
    std::span<const float> joined,
    std::span<const float> output,
    const std::vector<std::vector<std::int32_t>>& columns,
    const std::stop_token& stop);

// The control: what other choices of as many heads lose. All of them where there are at most
// kMostChoices, else as many draws.
inline constexpr std::int64_t kMostChoices = 1000;
struct OtherChoices {
  std::int64_t choices = 0;
  bool is_all = true;
  double least = 0.0;
  double mean = 0.0;
  double most = 0.0;
};
[[nodiscard]] OtherChoices LostByOthers(const KeptHeads& heads, std::int64_t without);

}  // namespace headscope
