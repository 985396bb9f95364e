#include <cstdint>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/atomic_file.h"
#include "core/base/check.h"
#include "core/io/safetensors.h"

namespace headscope {
namespace {

using Json = nlohmann::ordered_json;

void CheckShape(const TensorView& tensor) {
  std::size_t bytes = ByteSize(tensor.type);
  for (const std::int64_t dimension : tensor.shape) {
    HEADSCOPE_CHECK(dimension >= 0, "a dimension is not negative");
    bytes *= static_cast<std::size_t>(dimension);
  }
  HEADSCOPE_CHECK(bytes == tensor.bytes.size(), "a tensor's shape covers its bytes");
}

// The length in front of the header, and the header, padded with spaces to a multiple of 8 bytes.
std::string HeaderText(std::span<const TensorView> tensors,
                       const std::map<std::string, std::string>& metadata) {
  Json header = Json::object();
  if (!metadata.empty()) {
    header["__metadata__"] = metadata;
  }
  std::uint64_t offset = 0;
  for (const TensorView& tensor : tensors) {
    CheckShape(tensor);
    HEADSCOPE_CHECK(!header.contains(tensor.name), "tensors of one file have different names");
    const std::uint64_t end = offset + tensor.bytes.size();
    header[tensor.name] = {
        {"dtype", Name(tensor.type)}, {"shape", tensor.shape}, {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string json = header.dump(-1, ' ', false, Json::error_handler_t::replace);
  json.resize((json.size() + 7) / 8 * 8, ' ');
  std::string text;
  for (unsigned shift = 0; shift < 64; shift += 8) {
    text += static_cast<char>((json.size() >> shift) & 0xFFU);
  }
  return text + json;
}

}  // namespace

Status WriteSafetensors(const std::filesystem::path& path,
                        std::span<const TensorView> tensors,
                        const std::map<std::string, std::string>& metadata) {
  const std::string header = HeaderText(tensors, metadata);
  std::vector<std::span<const std::byte>> pieces;
  pieces.reserve(tensors.size() + 1);
  pieces.push_back(std::as_bytes(std::span(header)));
  for (const TensorView& tensor : tensors) {
    pieces.push_back(tensor.bytes);
  }
  return WritePiecesAtomically(path, pieces);
}

}  // namespace headscope
