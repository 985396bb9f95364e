#include "core/model/fingerprint.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

#include <glib.h>

#include "core/base/stop.h"

namespace headscope {
namespace {

struct FreeChecksum {
  void operator()(GChecksum* checksum) const { g_checksum_free(checksum); }
};

class Sha256 {
 public:
  void Update(std::span<const std::byte> bytes) {
    // glib takes a signed length and treats -1 as "zero-terminated"; no piece here comes near 2
    // GiB.
    g_checksum_update(checksum_.get(),
                      reinterpret_cast<const guchar*>(bytes.data()),
                      static_cast<gssize>(bytes.size()));
  }
  // A number before each piece, so that moving bytes from one piece to the next changes the sum.
  void Update(std::uint64_t number) {
    std::array<std::byte, 8> bytes = {};
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      bytes[i] = static_cast<std::byte>((number >> (8U * i)) & 0xFFU);
    }
    Update(bytes);
  }
  [[nodiscard]] std::string Text() { return g_checksum_get_string(checksum_.get()); }

 private:
  std::unique_ptr<GChecksum, FreeChecksum> checksum_{g_checksum_new(G_CHECKSUM_SHA256)};
};

// Works in chunks, since a header may be long.
Status UpdateWhole(std::span<const std::byte> bytes, const std::stop_token& stop, Sha256* sum) {
  constexpr std::size_t kChunk = 1 << 20;
  while (!bytes.empty()) {
    HEADSCOPE_TRY(CheckStop(stop));
    const std::size_t size = std::min(bytes.size(), kChunk);
    sum->Update(bytes.first(size));
    bytes = bytes.subspan(size);
  }
  return {};
}

void UpdatePieces(std::span<const std::byte> bytes, Sha256* sum) {
  constexpr std::size_t kPiece = 16'384;
  sum->Update(bytes.size());
  if (bytes.size() <= 3 * kPiece) {
    sum->Update(bytes);
    return;
  }
  sum->Update(bytes.first(kPiece));
  sum->Update(bytes.subspan(bytes.size() / 2 - kPiece / 2, kPiece));
  sum->Update(bytes.last(kPiece));
}

}  // namespace

Result<std::string> Fingerprint(std::span<const std::byte> config,
                                const WeightStore& weights,
                                const std::stop_token& stop) {
  Sha256 sum;
  sum.Update(config.size());
  HEADSCOPE_TRY(UpdateWhole(config, stop, &sum));
  for (const WeightFile& file : weights.files()) {
    sum.Update(file.header.size());
    HEADSCOPE_TRY(UpdateWhole(std::as_bytes(std::span(file.header)), stop, &sum));
    sum.Update(file.mapped.bytes().size());
  }
  for (const auto& [name, tensor] : weights.tensors()) {
    HEADSCOPE_TRY(CheckStop(stop));
    UpdatePieces(tensor.bytes, &sum);
    if (!tensor.scales.empty()) {
      UpdatePieces(tensor.scales, &sum);
    }
    if (tensor.added != nullptr) {
      UpdatePieces(std::as_bytes(std::span(tensor.added->left)), &sum);
      UpdatePieces(std::as_bytes(std::span(tensor.added->right)), &sum);
    }
  }
  return sum.Text();
}

}  // namespace headscope
