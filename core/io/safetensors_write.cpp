#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/atomic_file.h"
#include "core/base/check.h"
#include "core/io/json_text.h"
#include "core/io/safetensors.h"

namespace headscope {
namespace {

using Json = nlohmann::ordered_json;

std::uint64_t BytesOf(const TensorView& tensor) {
  const std::optional<std::uint64_t> bytes = CheckedByteCount(tensor.shape, tensor.type);
  HEADSCOPE_CHECK(bytes.has_value(), "a shape has a size");
  return *bytes;
}

// Makes the header with its length in front, padded with spaces to a multiple of 8 bytes.
std::string HeaderText(std::span<const StreamedTensor> tensors,
                       const std::map<std::string, std::string>& metadata) {
  Json header = Json::object();
  if (!metadata.empty()) {
    header["__metadata__"] = metadata;
  }
  std::uint64_t offset = 0;
  for (const StreamedTensor& streamed : tensors) {
    const TensorView& tensor = streamed.about;
    HEADSCOPE_CHECK(!header.contains(tensor.name), "tensors of one file have different names");
    const std::uint64_t end = offset + BytesOf(tensor);
    header[tensor.name] = {
        {"dtype", Name(tensor.type)}, {"shape", tensor.shape}, {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string json = JsonText(header);
  json.resize((json.size() + 7) / 8 * 8, ' ');
  std::string text;
  for (unsigned shift = 0; shift < 64; shift += 8) {
    text += static_cast<char>((json.size() >> shift) & 0xFFU);
  }
  return text + json;
}

// Gives the header, then each tensor's bytes.
class Pieces {
 public:
  Pieces(std::string_view header, std::span<const StreamedTensor> tensors)
      : header_(header), tensors_(tensors) {}

  Result<std::span<const std::byte>> Next() {
    if (!header_.empty()) {
      return std::as_bytes(std::span(std::exchange(header_, {})));
    }
    for (; !tensors_.empty(); tensors_ = tensors_.subspan(1)) {
      if (!begun_) {
        tensors_.front().bytes->Rewind();
        left_ = BytesOf(tensors_.front().about);
        begun_ = true;
      }
      Result<std::span<const std::byte>> piece = tensors_.front().bytes->Next();
      if (!piece || !piece->empty()) {
        left_ -= piece ? piece->size() : 0;
        return piece;
      }
      HEADSCOPE_CHECK(left_ == 0, "a tensor's shape covers its bytes");
      begun_ = false;
    }
    return std::span<const std::byte>();
  }

 private:
  std::string_view header_;
  std::span<const StreamedTensor> tensors_;
  bool begun_ = false;
  std::uint64_t left_ = 0;  // of the first of tensors_
};

}  // namespace

Status StreamSafetensors(const std::filesystem::path& path,
                         std::span<const StreamedTensor> tensors,
                         const std::map<std::string, std::string>& metadata) {
  const std::string header = HeaderText(tensors, metadata);
  Pieces pieces(header, tensors);
  return WritePiecesAtomically(path, [&pieces] { return pieces.Next(); });
}

Status WriteSafetensors(const std::filesystem::path& path,
                        std::span<const TensorView> tensors,
                        const std::map<std::string, std::string>& metadata) {
  std::deque<ReadyBytes> sources;
  std::vector<StreamedTensor> streamed;
  for (const TensorView& tensor : tensors) {
    HEADSCOPE_CHECK(BytesOf(tensor) == tensor.bytes.size(), "a tensor's shape covers its bytes");
    streamed.push_back({.about = tensor, .bytes = &sources.emplace_back(tensor.bytes)});
  }
  return StreamSafetensors(path, streamed, metadata);
}

}  // namespace headscope
