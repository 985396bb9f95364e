// A model, opened and checked: its description, its weights by name, its tokenizer. It may be a
// Hugging Face folder with weights in one safetensors file or in shards, a repository in the
// Hugging Face cache, a GGUF file, or the state of one attention module
// (core/model/attention_module.h).
//
// Errors   kIo, kFormat, kUnsupported, kShape, each one sentence that names the file and the key or
//          tensor; kCancelled. A fault in its tokenizer is not an error: see tokenizer_fault.
// Threads  Open: any but the drawing one; afterwards immutable, any thread reads. Computation is in
//          forward.h.
// Cost     Open maps the weights and checks every tensor's name, type and shape; it reads only the
//          weights that the fingerprint needs. It checks `stop` every few milliseconds.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/io/weight_store.h"
#include "core/model/block_description.h"
#include "core/text/tokenizer.h"

namespace headscope {

struct OpenOptions {
  // The number of heads of an attention module, whose file may not give it; for no other model.
  std::optional<std::int64_t> heads = {};
};

// The tokenizers of a model. If their files are unreadable, the model still opens, but reads no
// texts.
struct ModelTokenizers {
  std::shared_ptr<const Tokenizer> source;  // null: missing or unreadable
  std::shared_ptr<const Tokenizer> target;  // the same for targets, if `has_target`
  bool has_target = false;                  // target texts use a tokenizer of their own
  std::string fault;                        // why a tokenizer is unreadable; empty: none is
};

class Model {
 public:
  [[nodiscard]] static Result<std::shared_ptr<const Model>> Open(const std::filesystem::path& path,
                                                                 const OpenOptions& options = {},
                                                                 const std::stop_token& stop = {});

  // Returns `model` with another description, which uses `tensors` in addition to the model's own;
  // `keeper` owns them and the model. `what` distinguishes its name and fingerprint from the
  // model's.
  [[nodiscard]] static std::shared_ptr<const Model> WithTensors(const Model& model,
                                                                const std::string& what,
                                                                ModelDescription description,
                                                                TensorMap tensors,
                                                                std::shared_ptr<const void> keeper);

  // The path that was opened, a folder or a file.
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  // The path's name by ModelName (core/model/model_folder.h).
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const ModelDescription& description() const { return description_; }
  // Null: the model takes only ids.
  [[nodiscard]] const Tokenizer* tokenizer() const { return tokenizers_.source.get(); }
  // The tokenizer for a decoder's texts: the same one, unless the model has one per language.
  [[nodiscard]] const Tokenizer* target_tokenizer() const {
    return tokenizers_.has_target ? tokenizers_.target.get() : tokenizers_.source.get();
  }
  // Explains in a sentence why there is no tokenizer (or only one of two); empty if everything that
  // the files mention is there, even if that is none.
  [[nodiscard]] const std::string& tokenizer_fault() const { return tokenizers_.fault; }
  [[nodiscard]] const WeightStore& weights() const { return weights_; }
  [[nodiscard]] std::int64_t parameters() const { return parameters_; }
  // SHA-256 of its content, hexadecimal (core/model/fingerprint.h).
  [[nodiscard]] const std::string& fingerprint() const { return fingerprint_; }

 private:
  Model() = default;
  std::filesystem::path folder_;
  std::string name_;
  ModelDescription description_;
  WeightStore weights_;
  ModelTokenizers tokenizers_;
  std::int64_t parameters_ = 0;
  std::string fingerprint_;
  std::shared_ptr<const void> keeper_;  // owns tensors that are in no file of weights_
};

enum class TextSide { kSource, kTarget };

// Succeeds if the model reads such text; otherwise kInput says why it does not, followed by
// `instead`, what would work.
[[nodiscard]] Status CheckReadsText(const Model& model,
                                    std::string_view instead,
                                    TextSide side = TextSide::kSource);

// Opens only the tokenizer of a path that may hold a model: a GGUF file may have a vocabulary and
// no model. Null if there is none.
[[nodiscard]] Result<std::shared_ptr<const Tokenizer>> OpenTokenizer(
    const std::filesystem::path& path);

}  // namespace headscope
