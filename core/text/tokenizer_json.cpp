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

// Old files name no type; returns it by the model's keys.
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
  HEADSCOPE_TRY(const auto model, root.Object("model"));
  if (!model) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: \"model\" is missing; is this a tokenizer.json?", root.name()));
  }
  HEADSCOPE_TRY(const auto type, model->String("type", TypeByKeys(*model)));
  if (type == "BPE") {
    return ParseBpe(*model, stop);
  }
  if (type == "Unigram") {
    return ParseUnigram(*model, stop);
  }
  if (type == "WordPiece") {
    return ParseWordPiece(*model, stop);
  }
  if (type == "WordLevel") {
    return ParseWordLevel(*model, stop);
  }
  return NotYet(root.name(), "model", type);
}

// Whether the vocabulary is a list, whose whole length counts, equal pieces included.
bool HasList(const JsonObject& root) {
  const std::optional<JsonValue> model = root.Value("model");
  const std::optional<JsonValue> vocab = model ? model->Find("vocab") : std::nullopt;
  return vocab && vocab->Array().has_value();
}

Loaded ParseRoot(const JsonObject& root,
                 const std::optional<BertNormalization>& bert,
                 const std::stop_token& stop) {
  TokenizerSetup setup;
  HEADSCOPE_TRY(const auto normalizer, root.Object("normalizer"));
  if (normalizer) {
    HEADSCOPE_TRY(setup.normalizer, ParseNormalizer(*normalizer));
  }
  HEADSCOPE_TRY(const auto pre_tokenizer, root.Object("pre_tokenizer"));
  if (pre_tokenizer) {
    HEADSCOPE_TRY(setup.pre_tokenizer, ParsePreTokenizer(*pre_tokenizer));
  }
  HEADSCOPE_TRY(const auto post_processor, root.Object("post_processor"));
  if (post_processor) {
    HEADSCOPE_TRY(setup.post_processor, ParsePostProcessor(*post_processor));
  }
  HEADSCOPE_TRY(setup.model, ParseModel(root, stop));
  if (bert && setup.model->markers().continuation_prefix == "##") {
    setup.normalizer = MakeBertNormalizer(*bert);
  }
  HEADSCOPE_TRY(const auto added, root.Array("added_tokens"));
  if (added) {
    const Vocabulary& vocabulary = setup.model->vocabulary();
    const std::int64_t pieces =
        HasList(root) ? vocabulary.end_id() : static_cast<std::int64_t>(vocabulary.size());
    HEADSCOPE_TRY(setup.added, AddedTokens::Parse(*added, vocabulary, pieces, root.name(), stop));
  }
  return TextTokenizer::Make(std::move(setup), stop);
}

}  // namespace

Loaded MakeFromJson(const JsonDocument& document,
                    const std::optional<BertNormalization>& bert,
                    const std::stop_token& stop) {
  HEADSCOPE_TRY(const auto root, JsonObject::Root(document));
  HEADSCOPE_TRY(CheckStop(stop));
  return ParseRoot(root, bert, stop);
}

}  // namespace text

Result<std::shared_ptr<const Tokenizer>> ParseTokenizerJson(std::string_view json,
                                                            const std::string& name) {
  HEADSCOPE_TRY(text::CheckTokenizerSize(json, name));
  HEADSCOPE_TRY(const auto document, JsonDocument::Parse(json, name));
  return text::MakeFromJson(document, std::nullopt, {});
}

}  // namespace headscope
