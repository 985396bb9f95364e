// Attention made elsewhere, opened and checked: maps with their tokens, from .safetensors, .npz or
// .npy, as `headscope attend` or anybody else wrote them.
//
// Shapes   as core/attention/attention_tensors.h.
// Errors   kIo, kFormat, kShape, kUnsupported where nothing can be shown; what can be shown and is
//          not as it should be is said in notes(). kCancelled.
// Threads  immutable after Open; any thread reads.
// Cost     Open reads every weight once; they stay in the file, and a layer holds thumbnails only.
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
  // `tensor`: the array to show where a file holds several; empty: the one that is meant.
  [[nodiscard]] static Result<std::shared_ptr<const AttentionFile>> Open(
      const std::filesystem::path& path, const std::string& tensor, const std::stop_token& stop);
  // The same on arrays in memory that outlive the result; for tests and fuzzing.
  [[nodiscard]] static Result<std::shared_ptr<const AttentionFile>> Make(
      ArrayFile file,
      const std::string& name,
      const std::string& tensor,
      const std::stop_token& stop);

  [[nodiscard]] const std::filesystem::path& path() const { return file_.path; }
  // The name of the model it came from, or of the file.
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::string family() const { return file_.Text("family"); }
  [[nodiscard]] const std::string& precision() const { return precision_; }  // "F16", as stored
  [[nodiscard]] std::string text() const { return file_.Text("text"); }
  [[nodiscard]] const std::string& fingerprint() const { return fingerprint_; }
  [[nodiscard]] const std::vector<GivenPart>& parts() const { return parts_; }

  // The text; of an encoder-decoder, what the encoder read.
  [[nodiscard]] const std::shared_ptr<const Encoding>& encoding() const { return encoding_; }
  [[nodiscard]] const std::shared_ptr<const Encoding>& target() const { return target_; }
  // Columns that are another text's; null: they are the text's.
  [[nodiscard]] const std::shared_ptr<const Encoding>& keys() const { return keys_; }

  // What is not as it should be, a sentence each; and how it was decided which cells are masked.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }
  [[nodiscard]] const std::string& mask_note() const { return mask_note_; }

  // A layer of parts()[part], by its place in it, with its thumbnails.
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

// Whether a file, by its arrays, is attention rather than a model. False also where it is neither.
[[nodiscard]] bool HoldsAttention(const std::filesystem::path& path);

}  // namespace headscope
