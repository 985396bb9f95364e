#include "core/compute/quantised_kernels.h"

#include <cstring>
#include <vector>

#include "core/base/quantised.h"
#include "core/base/random.h"
#include "tests/support/catch.h"

namespace headscope {
namespace {

TEST_CASE("every form of a decoder gives the same bits", "[compute][quantised]") {
  for (auto at = static_cast<int>(DataType::kQ40); at <= static_cast<int>(DataType::kMxfp4); ++at) {
    const auto type = static_cast<DataType>(at);
    INFO(Name(type));
    const StorageBlock size = BlockOf(type);
    constexpr std::size_t kBlocks = 40;
    RandomStream random(7);
    std::vector<std::byte> blocks(kBlocks * size.bytes);
    for (std::byte& byte : blocks) {
      byte = static_cast<std::byte>(random.Below(256));
    }
    std::vector<float> expected(kBlocks * size.elements);
    DequantiseBlocks(type, blocks.data(), kBlocks, expected.data());
    for (const DecodeBlocks decode : UsableDecodersOf(type)) {
      std::vector<float> got(expected.size());
      decode(blocks.data(), kBlocks, got.data());
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < got.size(); ++i) {
        // Random scales may be NaN, whose bits the order of a sum's terms decides.
        const bool is_same = std::memcmp(&got[i], &expected[i], sizeof(float)) == 0 ||
                             (got[i] != got[i] && expected[i] != expected[i]);
        wrong += is_same ? 0U : 1U;
      }
      CHECK(wrong == 0);
    }
  }
}

}  // namespace
}  // namespace headscope
