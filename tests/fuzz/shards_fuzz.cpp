#include "core/io/weight_store.h"
#include "tests/fuzz/input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headscope;
  const Result<ShardIndex> index = ParseShardIndex(fuzz::Text(data, size), "fuzz.json");
  if (!index) {
    fuzz::CheckMessage(index.error(), "fuzz.json: ");
    return 0;
  }
  HEADSCOPE_CHECK(!index->tensors_of.empty(), "an index names a shard");
  for (const auto& [shard, tensors] : index->tensors_of) {
    HEADSCOPE_CHECK(std::filesystem::path(shard).filename() == shard && shard != "..",
                    "a shard lies in the folder of its index");
    HEADSCOPE_CHECK(!tensors.empty(), "a shard is there for a tensor");
  }
  return 0;
}
