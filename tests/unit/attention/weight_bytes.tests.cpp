#include "core/attention/weight_bytes.h"

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace headscope {
namespace {

StreamedTensor Bytes(std::int64_t count) {
  StreamedTensor tensor;
  tensor.about.name = "attention";
  tensor.about.type = DataType::kF32;
  tensor.about.shape = {count / 4};
  return tensor;
}

TEST_CASE("the arrays of a file have to fit on the disk together", "[attention][room]") {
  const test::TempFolder folder;
  const auto path = folder / "maps.safetensors";
  const auto room = static_cast<std::int64_t>(std::filesystem::space(folder / "").available);
  const std::vector<StreamedTensor> small = {Bytes(4096), Bytes(4096)};
  CHECK(CheckRoom(path, small, "fewer heads"));
  // Each fits by itself.
  const std::vector<StreamedTensor> large = {Bytes(room / 3), Bytes(room / 3), Bytes(room)};
  const Status status = CheckRoom(path, large, "fewer heads");
  REQUIRE_FALSE(status);
  CHECK(status.error().code == ErrorCode::kIo);
  CHECK_THAT(status.error().message,
             test::Says(path.string()) && test::Says("in 3 arrays takes") &&
                 test::Says("on the disk") && test::Says("fewer heads"));
  CHECK(CheckRoom(path, {&large[0], 1}, "fewer heads"));
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const std::vector<StreamedTensor> beyond = {Bytes(most), Bytes(most), Bytes(most)};
  CHECK_FALSE(CheckRoom(path, beyond, "fewer heads"));
}

}  // namespace
}  // namespace headscope
