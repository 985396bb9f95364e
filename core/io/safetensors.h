// Safetensors files, mapped and fully checked before a tensor is read, and written whole or not at
// all.
//
// Shapes   any; product(shape) * item size == bytes.size() holds for every tensor, and the tensors
//          cover the data exactly: they neither overlap nor leave holes.
// Units    a tensor may start at any byte (files exist whose headers are not padded): read numbers
//          with memcpy or ConvertToFloat (core/base/half.h), never through a cast pointer.
// Errors   kIo, kFormat, kUnsupported (F8, F4 and complex types, which the program cannot compute
//          with); the message names the file and the tensor. A header over 100 MB is refused.
// Cost     reading looks at the header only.
// Source   the safetensors format: 8 bytes of header length, a JSON header, the tensors' bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/tensor_view.h"
#include "core/io/byte_source.h"
#include "core/io/weight_store.h"

namespace headscope {

// Reads bytes in memory that outlive the result. WeightStore (core/io/weight_store.h) opens files.
struct SafetensorsHeader {
  std::string_view header;
  TensorMap tensors;
  MetadataMap metadata;
};
[[nodiscard]] Result<SafetensorsHeader> ParseSafetensorsBytes(std::span<const std::byte> bytes,
                                                              const std::string& name,
                                                              const std::stop_token& stop = {});

// Writes tensors in the given order, with string metadata (views must stay alive during the call,
// names must differ). The first tensor starts at a multiple of 8 bytes. Invalid UTF-8 in names or
// metadata is written as U+FFFD.
[[nodiscard]] Status WriteSafetensors(const std::filesystem::path& path,
                                      std::span<const TensorView> tensors,
                                      const std::map<std::string, std::string>& metadata);
// The same for tensors whose bytes are made while they are written.
[[nodiscard]] Status StreamSafetensors(const std::filesystem::path& path,
                                       std::span<const StreamedTensor> tensors,
                                       const std::map<std::string, std::string>& metadata);

}  // namespace headscope
