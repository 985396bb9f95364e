#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/base/stop.h"
#include "core/text/bpe.h"
#include "core/text/folder_files.h"
#include "core/text/json_readers.h"
#include "core/text/text_tokenizer.h"
#include "core/text/unigram.h"
#include "core/text/word_level.h"
#include "core/text/word_piece.h"

namespace headscope {
namespace text {
namespace {

using Loaded = Result<std::shared_ptr<const Tokenizer>>;

// Files of old name no type.
std::optional<std::string> TypeByKeys(const JsonObject& model) {
  if (model.Has("merges")) {
    return "BPE";
  }
  if (model.Has("unk_id")) {
    return "Unigram";
  }
  if (model.Has("continuing_subword_prefix")) {
    return "WordPiece";
  }
  return std::nullopt;
}

Result<std::unique_ptr<const TokenModel>> ParseModel(const JsonObject& root,
                                                     const std::stop_token& stop) {
  const Result<std::optional<JsonObject>> model = root.Object("model");
  HEADSCOPE_TRY(model);
  if (!*model) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: \"model\" is missing; is this a tokenizer.json?", root.name()));
  }
  const Result<std::string> type = (*model)->String("type", TypeByKeys(**model));
  HEADSCOPE_TRY(type);
  if (*type == "BPE") {
    return ParseBpe(**model, stop);
  }
  if (*type == "Unigram") {
    return ParseUnigram(**model, stop);
  }
  if (*type == "WordPiece") {
    return ParseWordPiece(**model, stop);
  }
  if (*type == "WordLevel") {
    return ParseWordLevel(**model, stop);
  }
  return NotYet(root.name(), "model", *type);
}

// Whether the vocabulary is a list, which counts whole: equal pieces included.
bool HasList(const JsonObject& root) {
  const std::optional<JsonValue> model = root.Value("model");
  const std::optional<JsonValue> vocab = model ? model->Find("vocab") : std::nullopt;
  return vocab && vocab->Array().has_value();
}

Loaded ParseRoot(const JsonObject& root,
                 const std::optional<BertNormalization>& bert,
                 const std::stop_token& stop) {
  TokenizerSetup setup;
  const Result<std::optional<JsonObject>> normalizer = root.Object("normalizer");
  HEADSCOPE_TRY(normalizer);
  if (*normalizer) {
    Result<std::unique_ptr<const Normalizer>> parsed = ParseNormalizer(**normalizer);
    HEADSCOPE_TRY(parsed);
    setup.normalizer = std::move(*parsed);
  }
  const Result<std::optional<JsonObject>> pre_tokenizer = root.Object("pre_tokenizer");
  HEADSCOPE_TRY(pre_tokenizer);
  if (*pre_tokenizer) {
    Result<std::unique_ptr<const PreTokenizer>> parsed = ParsePreTokenizer(**pre_tokenizer);
    HEADSCOPE_TRY(parsed);
    setup.pre_tokenizer = std::move(*parsed);
  }
  const Result<std::optional<JsonObject>> post_processor = root.Object("post_processor");
  HEADSCOPE_TRY(post_processor);
  if (*post_processor) {
    Result<PostProcessor> parsed = ParsePostProcessor(**post_processor);
    HEADSCOPE_TRY(parsed);
    setup.post_processor = std::move(*parsed);
  }
  Result<std::unique_ptr<const TokenModel>> model = ParseModel(root, stop);
  HEADSCOPE_TRY(model);
  setup.model = std::move(*model);
  if (bert && setup.model->markers().continuation_prefix == "##") {
    setup.normalizer = MakeBertNormalizer(*bert);
  }
  const Result<std::optional<JsonArray>> added = root.Array("added_tokens");
  HEADSCOPE_TRY(added);
  if (*added) {
    const Vocabulary& vocabulary = setup.model->vocabulary();
    const std::int64_t pieces =
        HasList(root) ? vocabulary.end_id() : static_cast<std::int64_t>(vocabulary.size());
    Result<AddedTokens> parsed = AddedTokens::Parse(**added, vocabulary, pieces, root.name(), stop);
    HEADSCOPE_TRY(parsed);
    setup.added = std::move(*parsed);
  }
  return TextTokenizer::Make(std::move(setup), stop);
}

}  // namespace

Loaded MakeFromJson(const JsonDocument& document,
                    const std::optional<BertNormalization>& bert,
                    const std::stop_token& stop) {
  const Result<JsonObject> root = JsonObject::Root(document);
  HEADSCOPE_TRY(root);
  HEADSCOPE_TRY(CheckStop(stop));
  return ParseRoot(*root, bert, stop);
}

}  // namespace text

Result<std::shared_ptr<const Tokenizer>> ParseTokenizerJson(std::string_view json,
                                                            const std::string& name) {
  if (json.size() > text::kMaxTokenizerBytes) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: expected at most {} bytes, found {}",
                            name,
                            text::kMaxTokenizerBytes,
                            json.size()));
  }
  const Result<JsonDocument> document = JsonDocument::Parse(json, name);
  HEADSCOPE_TRY(document);
  return text::MakeFromJson(*document, std::nullopt, {});
}

}  // namespace headscope
