// NumPy arrays: .npy read, .npz (a zip of .npy) written. core/io/array_file.h reads .npz.
//
// Shapes   any, C order; Fortran order is refused.
// Errors   kIo, kFormat, kUnsupported, naming the file.
// Cost     ParseNpy holds one float32 per number in the file; ParseNpyArray and WriteNpz hold none.
// Source   NumPy format 1.0 to 3.0; zip through libzip.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/tensor_view.h"
#include "core/io/byte_source.h"

namespace headscope {

struct FloatArray {
  std::vector<std::int64_t> shape;
  std::vector<float> values;
};

// Reads F64, F32 and F16 arrays as float32. NaN and infinity are passed on unchanged.
[[nodiscard]] Result<FloatArray> ReadNpy(const std::filesystem::path& path);
[[nodiscard]] Result<FloatArray> ParseNpy(std::span<const std::byte> bytes,
                                          const std::string& name);

// An array as stored in the file: numbers of any type, unconverted, or texts.
struct NpyArray {
  std::vector<std::int64_t> shape;
  TensorView numbers;  // points into the given bytes; its name is not set
  bool is_text = false;
  std::vector<std::string> texts;  // from a '<U' or '|S' array, as UTF-8, one per element
};
[[nodiscard]] Result<NpyArray> ParseNpyArray(std::span<const std::byte> bytes,
                                             const std::string& name);

// The name that NumPy gives to numbers of a type: "<f4"; empty if it has no such numbers.
[[nodiscard]] std::optional<std::string> NumpyType(DataType type);

// One entry of an .npz: numbers, or a unicode array (shape {} for a single string).
struct NpzEntry {
  std::string name;                // without ".npy"
  TensorView numbers;              // used if `texts` is empty; its name is ignored
  std::vector<std::string> texts;  // UTF-8; stored as a '<U' array
  std::vector<std::int64_t> text_shape;
  ByteSource* bytes = nullptr;  // if set, makes the bytes of `numbers`, which then has none
};

// Entries are stored uncompressed in the given order, dated 1980, so that equal content gives equal
// files. Refuses BF16, which NumPy does not have, and texts that take more than 1 GiB as '<U',
// where every string takes as much room as the longest.
[[nodiscard]] Status WriteNpz(const std::filesystem::path& path, std::span<const NpzEntry> entries);

}  // namespace headscope
