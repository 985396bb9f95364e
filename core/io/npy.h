// NumPy arrays: .npy read, .npz (a zip of .npy) written. core/io/array_file.h reads .npz.
//
// Shapes   any, C order; Fortran order is refused with a sentence.
// Errors   kIo, kFormat, kUnsupported, naming the file.
// Threads  any.
// Cost     ParseNpy holds one float32 for each number of the file; ParseNpyArray and WriteNpz hold
//          none of them.
// Source   NumPy format 1.0 to 3.0; zip through libzip.
#pragma once

#include <cstdint>
#include <filesystem>
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

// F64, F32 and F16 arrays, as float32. Numbers that are not finite are passed on as they are.
[[nodiscard]] Result<FloatArray> ReadNpy(const std::filesystem::path& path);
[[nodiscard]] Result<FloatArray> ParseNpy(std::span<const std::byte> bytes,
                                          const std::string& name);

// An array as it lies in the file: numbers of any type, unread, or texts.
struct NpyArray {
  std::vector<std::int64_t> shape;
  TensorView numbers;  // its bytes are those given; its name is not set
  bool is_text = false;
  std::vector<std::string> texts;  // of a '<U' or '|S' array, as UTF-8, one for each element
};
[[nodiscard]] Result<NpyArray> ParseNpyArray(std::span<const std::byte> bytes,
                                             const std::string& name);

// One entry of an .npz: numbers, or a unicode array (shape {} for a single string).
struct NpzEntry {
  std::string name;                // without ".npy"
  TensorView numbers;              // used if texts is empty; its name is not
  std::vector<std::string> texts;  // UTF-8; stored as a '<U' array
  std::vector<std::int64_t> text_shape;
  ByteSource* bytes = nullptr;  // makes those of `numbers`, which then holds none
};

// Entries lie uncompressed in the order given, dated 1980, so that equal content gives equal files.
// Texts longer than 1 GiB as '<U' (every string takes the place of the longest) are refused, and
// BF16, which NumPy does not have.
[[nodiscard]] Status WriteNpz(const std::filesystem::path& path, std::span<const NpzEntry> entries);

}  // namespace headscope
