// Loads Marian's files: a SentencePiece model for each language, and the ids in a vocab.json.
#include <utility>

#include <fmt/format.h>

#include "core/text/folder_files.h"
#include "core/text/renumbered_model.h"
#include "core/text/sentence_piece.h"
#include "core/text/tokenizer_config.h"

namespace headscope::text {
namespace {

constexpr std::string_view kOpen = ">>";
constexpr std::string_view kClose = "<<";
constexpr const char* kMarianEnd = "</s>";
constexpr const char* kMarianUnknown = "<unk>";

// Adds the end mark after the text or the pair; a mark of a language (">>fr<<") may begin a text.
Status AddSpecials(const TokenizerConfig& config,
                   const std::optional<std::string>& unknown,
                   TokenizerSetup& setup) {
  const Vocabulary& vocabulary = setup.model->vocabulary();
  HEADSCOPE_TRY(const auto end, config.Token("eos_token", kMarianEnd));
  HEADSCOPE_TRY(const auto padding, config.Token("pad_token", "<pad>"));
  const std::string ends = end.value_or(kMarianEnd);
  const std::optional<std::int32_t> end_id = vocabulary.Id(ends);
  if (!end_id) {
    return Fail(
        ErrorCode::kFormat,
        fmt::format("{}: {} ends every text, but vocab.json lacks it", config.name(), ends));
  }
  const TemplateItem last{.ids = {*end_id}};
  setup.post_processor.single.push_back(last);
  setup.post_processor.pair.push_back(last);
  HEADSCOPE_TRY(config.AddTokens(
      {SpecialToken(end), SpecialToken(unknown), SpecialToken(padding)}, vocabulary, setup.added));
  Status status;
  vocabulary.ForEach([&](const std::string& piece, std::int32_t id) {
    if (status && piece.size() >= 4 && piece.starts_with(kOpen) && piece.ends_with(kClose)) {
      status =
          setup.added.Add(AddedToken{.id = id, .content = piece, .special = true, .is_mark = true},
                          vocabulary,
                          config.name());
    }
  });
  setup.added.ReadMarks({.open = std::string(kOpen),
                         .close = std::string(kClose),
                         .unknown_id = *vocabulary.Id(unknown.value_or(kMarianUnknown))});
  return status;
}

}  // namespace

Result<std::shared_ptr<const Tokenizer>> LoadMarian(const std::filesystem::path& pieces_path,
                                                    const std::filesystem::path& vocab_path,
                                                    const std::stop_token& stop) {
  HEADSCOPE_TRY(const auto config, TokenizerConfig::Read(vocab_path.parent_path()));
  HEADSCOPE_TRY(auto setup, ReadSentencePieceSetup(pieces_path, stop));
  HEADSCOPE_TRY(auto vocabulary, Vocabulary::Read(vocab_path, stop));
  HEADSCOPE_TRY(const auto unknown, config.Token("unk_token", kMarianUnknown));
  HEADSCOPE_TRY(setup.model,
                MakeRenumberedModel(std::move(setup.model),
                                    std::move(vocabulary),
                                    unknown.value_or(kMarianUnknown),
                                    vocab_path.string()));
  setup.added = {};  // these had the SentencePiece model's ids
  HEADSCOPE_TRY(AddSpecials(config, unknown, setup));
  setup.added.LookAsGiven();
  return TextTokenizer::Make(std::move(setup), stop);
}

}  // namespace headscope::text
