// Attention from a file, opened and checked: maps with their tokens, from .safetensors, .npz or
// .npy, written by `headscope attend` or any other program.
//
// Shapes   as core/attention/attention_tensors.h.
// Errors   kIo, kFormat, kShape, kUnsupported if nothing can be shown; notes() lists faults in what
//          can be shown. kCancelled.
// Threads  immutable after Open; any thread reads.
// Cost     Open reads every weight once; weights stay in the file, and a layer holds only
//          thumbnails.
// Source   docs/reference.md, "attend" and "Attention files".
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "core/attention/attention_tensors.h"
#include "core/attention/layer_attention.h"
#include "core/base/error.h"
#include "core/io/array_file.h"
#include "core/text/tokenizer.h"

namespace headscope {

class AttentionFile {
 public:
  // `tensor` is the array to show from a file with several; if it is empty, the program chooses.
  [[nodiscard]] static Result<std::shared_ptr<const AttentionFile>> Open(
      const std::filesystem::path& path, const std::string& tensor, const std::stop_token& stop);
  // The same for arrays in memory that outlive the result; for tests and fuzzing.
  [[nodiscard]] static Result<std::shared_ptr<const AttentionFile>> Make(
      ArrayFile file,
      const std::string& name,
      const std::string& tensor,
      const std::stop_token& stop);

  [[nodiscard]] const std::filesystem::path& path() const { return file_.path; }
  // The name of the model that made it, or else of the file.
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::string family() const { return file_.Text("family"); }
  [[nodiscard]] const std::string& precision() const { return precision_; }  // "F16", as stored
  [[nodiscard]] std::string text() const { return file_.Text("text"); }
  [[nodiscard]] const std::string& fingerprint() const { return fingerprint_; }
  [[nodiscard]] const std::vector<GivenPart>& parts() const { return parts_; }

  // The text; for an encoder-decoder, the text that the encoder read.
  [[nodiscard]] const std::shared_ptr<const Encoding>& encoding() const { return encoding_; }
  [[nodiscard]] const std::shared_ptr<const Encoding>& target() const { return target_; }
  // The tokens of the columns if these are another text; null: the same text.
  [[nodiscard]] const std::shared_ptr<const Encoding>& keys() const { return keys_; }

  // Faults found in the file, one sentence each; and how the program decided which cells are
  // masked.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }
  [[nodiscard]] const std::string& mask_note() const { return mask_note_; }

  // Returns a layer of parts()[part], by its index in the part, with its thumbnails.
  [[nodiscard]] Result<std::shared_ptr<const LayerAttention>> Layer(
      std::size_t part,
      std::size_t layer,
      std::int64_t thumbnail_size,
      const std::stop_token& stop) const;

 private:
  friend class AttentionFileMaker;
  AttentionFile() = default;

  ArrayFile file_;
  std::string name_;
  std::string precision_;
  std::string fingerprint_;
  std::vector<GivenPart> parts_;
  std::shared_ptr<const Encoding> encoding_;
  std::shared_ptr<const Encoding> target_;
  std::shared_ptr<const Encoding> keys_;
  std::vector<std::string> notes_;
  std::string mask_note_;
};

// Whether a file's arrays are attention rather than a model. False also if they are neither.
[[nodiscard]] bool HoldsAttention(const std::filesystem::path& path);

}  // namespace headscope
