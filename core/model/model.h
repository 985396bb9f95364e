// A model, opened and checked: its description, its weights by name, its tokenizer. It is a folder
// of Hugging Face, with weights in one safetensors file or in shards, a repository of the Hugging
// Face cache, a GGUF file, or the state of one attention module (core/model/attention_module.h).
//
// Errors   kIo, kFormat, kUnsupported, kShape, each one sentence that names the file and the key or
//          tensor; kCancelled. Those of its tokenizer are no error: see tokenizer_fault.
// Threads  Open: any but the one that draws; afterwards immutable, any thread reads. Computation is
//          in forward.h.
// Cost     Open maps the weights and checks every tensor's name, type and shape; of the weights it
//          reads what the fingerprint needs. It looks at `stop` every few milliseconds of its work.
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
  // The heads of an attention module, whose file may not say it; of nothing else.
  std::optional<std::int64_t> heads = {};
};

// What a model's texts are read with. Files that cannot be read close nothing but texts.
struct ModelTokenizers {
  std::shared_ptr<const Tokenizer> source;  // null: there is none, or it cannot be read
  std::shared_ptr<const Tokenizer> target;  // where `has_target`: the same
  bool has_target = false;                  // a target's texts are read with another one
  std::string fault;                        // why what cannot be read cannot; empty: all can
};

class Model {
 public:
  [[nodiscard]] static Result<std::shared_ptr<const Model>> Open(const std::filesystem::path& path,
                                                                 const OpenOptions& options = {},
                                                                 const std::stop_token& stop = {});

  // `model` with another description of itself, which reads `tensors` beside the model's own; they
  // and the model are kept by `keeper`. `what` tells it from the model by name and fingerprint.
  [[nodiscard]] static std::shared_ptr<const Model> WithTensors(const Model& model,
                                                                const std::string& what,
                                                                ModelDescription description,
                                                                TensorMap tensors,
                                                                std::shared_ptr<const void> keeper);

  // The path that was opened, a folder or a file.
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  // The name that ModelName (core/model/model_folder.h) makes of the path.
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const ModelDescription& description() const { return description_; }
  // Null: the model takes ids only.
  [[nodiscard]] const Tokenizer* tokenizer() const { return tokenizers_.source.get(); }
  // What a decoder's texts are read with: the same, unless the model reads two languages in two
  // ways.
  [[nodiscard]] const Tokenizer* target_tokenizer() const {
    return tokenizers_.has_target ? tokenizers_.target.get() : tokenizers_.source.get();
  }
  // Why there is no tokenizer (or only one of two), in a sentence; empty: it has all that its files
  // speak of, which may be none.
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
  std::shared_ptr<const void> keeper_;  // of tensors that lie in no file of weights_
};

enum class TextSide { kSource, kTarget };

// Nothing where the model reads such text; else kInput: why it does not, and then `instead`, what
// would do.
[[nodiscard]] Status CheckReadsText(const Model& model,
                                    std::string_view instead,
                                    TextSide side = TextSide::kSource);

// The tokenizer of what lies at a path that somebody calls a model, the rest left shut: a GGUF file
// may hold a vocabulary and no model. Null: it has none.
[[nodiscard]] Result<std::shared_ptr<const Tokenizer>> OpenTokenizer(
    const std::filesystem::path& path);

}  // namespace headscope
