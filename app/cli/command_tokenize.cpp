#include <cstdio>
#include <utility>

#include <fmt/format.h>

#include "app/cli/commands.h"
#include "app/files/assets.h"
#include "core/io/json_text.h"
#include "core/model/gguf_model.h"
#include "core/worker/encode_text.h"

namespace headscope {

CommandStatus RunTokenize(const Options& options) {
  const InputOptions& given = options.input;
  if (given.target || given.target_ids || given.segment_ids || given.embeddings) {
    return Usage("tokenize takes a text or ids: --text, --pair, --text-file or --ids");
  }
  HEADSCOPE_TRY(auto input, ReadInput(given));
  const std::filesystem::path path = ResolveModel(options.model);
  const Result<std::shared_ptr<const Tokenizer>> opened = OpenTokenizer(path);
  if (!opened) {
    Error error = opened.error();
    if (error.code == ErrorCode::kUnsupported) {
      error.message +=
          "; commands that run the model take token numbers in place of a text (--ids)";
    }
    return PassOn(std::move(error));
  }
  HEADSCOPE_TRY(CheckTextFile(given, input, true));
  const Tokenizer* tokenizer = opened->get();
  if (tokenizer == nullptr && path.extension() == ".safetensors") {
    return Fail(ErrorCode::kInput,
                fmt::format("{}: an attention module reads embeddings, no text, and has no "
                            "tokenizer; name a model",
                            path.string()));
  }
  if (tokenizer == nullptr) {
    return Fail(ErrorCode::kInput,
                fmt::format("{}: there is no tokenizer, such as a tokenizer.json, beside or in "
                            "this model; put the model's own there",
                            path.string()));
  }
  // Not PrepareInput: a text longer than the model's positions still has tokens.
  HEADSCOPE_TRY(const auto encoding, EncodeText(*tokenizer, input, {}));
  if (const std::string note = CuttingNote(path); !note.empty()) {
    fmt::print(stderr, "headscope: {}\n", ValidUtf8(note));
  }
  nlohmann::ordered_json json;
  json["ids"] = nlohmann::json::array();
  json["tokens"] = nlohmann::json::array();
  json["words"] = nlohmann::json::array();
  for (const Token& token : encoding.tokens) {
    json["ids"].push_back(token.id);
    json["tokens"].push_back(token.text);
    json["words"].push_back(token.word < 0 ? nlohmann::ordered_json()
                                           : nlohmann::ordered_json(token.word));
  }
  return Print(JsonText(json) + "\n");
}

}  // namespace headscope
