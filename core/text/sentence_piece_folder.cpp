#include <array>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/quote.h"
#include "core/base/stop.h"
#include "core/text/folder_files.h"
#include "core/text/renumbered_model.h"
#include "core/text/sentence_piece.h"
#include "core/text/tokenizer_config.h"

namespace headscope::text {
namespace {

using Loaded = Result<std::shared_ptr<const Tokenizer>>;

// Fairseq numbered the pieces differently: its own special tokens replace the model's first pieces,
// and the mask comes last.
struct Renumbering {
  std::array<std::string_view, 5> first;  // may be empty
  std::size_t replaced = 0;               // how many of the model's pieces
  bool mask_takes_blanks = false;
};
constexpr Renumbering kXlmRoberta = {.first = {"<s>", "<pad>", "</s>", "<unk>"}, .replaced = 3};
constexpr Renumbering kCamembert = {
    .first = {"<s>NOTUSED", "<pad>", "</s>NOTUSED", "<unk>", "<unk>NOTUSED"},
    .replaced = 1,
    .mask_takes_blanks = true};
constexpr const char* kMask = "<mask>";
constexpr const char* kUnknownPiece = "<unk>";

// What a tokenizer class puts around a text unless its config says so.
struct SentenceClass {
  std::string_view name;                        // tokenizer_class
  std::array<std::string_view, 4> model_types;  // in config.json, if there is no class
  bool adds_bos = false;
  bool adds_eos = false;
  int num_extra_ids = 0;  // "<extra_id_0>" has the largest id
  const Renumbering* renumbering = nullptr;
};

constexpr SentenceClass kSentenceClasses[] = {
    {.name = "", .model_types = {}},
    {.name = "PreTrainedTokenizer", .model_types = {}},
    {.name = "LlamaTokenizer",
     .model_types = {"llama", "mistral", "mixtral", "phi3"},
     .adds_bos = true},
    {.name = "CodeLlamaTokenizer", .model_types = {}, .adds_bos = true},
    {.name = "GemmaTokenizer", .model_types = {"gemma", "gemma2"}, .adds_bos = true},
    {.name = "T5Tokenizer", .model_types = {"t5", "mt5"}, .adds_eos = true, .num_extra_ids = 100},
    {.name = "XLMRobertaTokenizer",
     .model_types = {"xlm-roberta"},
     .adds_bos = true,
     .adds_eos = true,
     .renumbering = &kXlmRoberta},
    {.name = "CamembertTokenizer",
     .model_types = {"camembert"},
     .adds_bos = true,
     .adds_eos = true,
     .renumbering = &kCamembert},
};

Result<std::vector<std::int32_t>> IdsOf(const std::string& piece,
                                        bool is_wanted,
                                        const Vocabulary& vocabulary,
                                        const std::string& name) {
  if (!is_wanted) {
    return std::vector<std::int32_t>();
  }
  if (const std::optional<std::int32_t> id = vocabulary.Id(piece)) {
    return std::vector<std::int32_t>{*id};
  }
  return Fail(ErrorCode::kFormat,
              fmt::format("{}: {} goes around every text, but the SentencePiece model lacks it",
                          name,
                          Quoted(piece)));
}

Status AddSpecials(const TokenizerConfig& config,
                   const SentenceClass& kind,
                   TokenizerSetup& setup) {
  const Vocabulary& vocabulary = setup.model->vocabulary();
  const bool is_gemma = kind.name == "GemmaTokenizer";
  const char* const begins = is_gemma ? "<bos>" : "<s>";
  const char* const ends = is_gemma ? "<eos>" : "</s>";
  HEADSCOPE_TRY(const auto bos, config.Token("bos_token", begins));
  HEADSCOPE_TRY(const auto eos, config.Token("eos_token", ends));
  HEADSCOPE_TRY(const auto add_bos, config.Boolean("add_bos_token", kind.adds_bos));
  HEADSCOPE_TRY(const auto add_eos, config.Boolean("add_eos_token", kind.adds_eos));
  HEADSCOPE_TRY(const auto bos_ids,
                IdsOf(bos.value_or(begins), add_bos, vocabulary, config.name()));
  HEADSCOPE_TRY(const auto eos_ids, IdsOf(eos.value_or(ends), add_eos, vocabulary, config.name()));
  setup.post_processor = Surround({.first = bos_ids,
                                   .last = eos_ids,
                                   .between = kind.renumbering != nullptr ? eos_ids : bos_ids});
  if (!config.Has("added_tokens_decoder")) {
    for (int i = 0; i < kind.num_extra_ids; ++i) {
      const std::int64_t id = vocabulary.end_id() + kind.num_extra_ids - 1 - i;
      HEADSCOPE_TRY(setup.added.Add(AddedToken{.id = static_cast<std::int32_t>(id),
                                               .content = fmt::format("<extra_id_{}>", i),
                                               .special = true},
                                    vocabulary,
                                    config.name()));
    }
  }
  if (kind.renumbering != nullptr && kind.renumbering->mask_takes_blanks) {
    HEADSCOPE_TRY(setup.added.Add(
        AddedToken{.id = *vocabulary.Id(kMask), .content = kMask, .special = true, .lstrip = true},
        vocabulary,
        config.name()));
  }
  std::vector<AddedToken> own = {SpecialToken(bos), SpecialToken(eos)};
  if (kind.renumbering != nullptr) {
    for (const std::string_view name : kind.renumbering->first) {
      own.push_back(SpecialToken(std::string(name)));
    }
    own.push_back(SpecialToken(kMask));
  }
  return config.AddTokens(own, vocabulary, setup.added);
}

// Numbers the pieces as fairseq does.
Status Renumber(const Renumbering& numbers,
                const std::string& name,
                const std::stop_token& stop,
                TokenizerSetup& setup) {
  StopPoll poll(stop);
  const Vocabulary& pieces = setup.model->vocabulary();
  Vocabulary vocabulary;
  for (const std::string_view piece : numbers.first) {
    if (!piece.empty()) {
      HEADSCOPE_TRY(vocabulary.Add(piece, vocabulary.end_id(), name));
    }
  }
  for (std::int64_t id = static_cast<std::int64_t>(numbers.replaced); id < pieces.end_id(); ++id) {
    HEADSCOPE_TRY(poll.Check());
    const std::string* piece = pieces.Piece(static_cast<std::int32_t>(id));
    if (piece != nullptr) {
      HEADSCOPE_TRY(vocabulary.Add(*piece, vocabulary.end_id(), name));
    }
  }
  HEADSCOPE_TRY(vocabulary.Add(kMask, vocabulary.end_id(), name));
  HEADSCOPE_TRY(
      setup.model,
      MakeRenumberedModel(std::move(setup.model), std::move(vocabulary), kUnknownPiece, name));
  setup.added = {};  // these had the SentencePiece model's ids
  return {};
}

}  // namespace

Loaded LoadSentencePiece(const std::filesystem::path& model_path,
                         const std::filesystem::path& folder,
                         const std::stop_token& stop) {
  HEADSCOPE_TRY(const auto config, TokenizerConfig::Read(folder));
  HEADSCOPE_TRY(const auto* kind, FindClass<SentenceClass>(kSentenceClasses, config, folder));
  HEADSCOPE_TRY(auto setup, ReadSentencePieceSetup(model_path, stop));
  if (kind->renumbering != nullptr) {
    HEADSCOPE_TRY(Renumber(*kind->renumbering, model_path.string(), stop, setup));
  }
  HEADSCOPE_TRY(AddSpecials(config, *kind, setup));
  setup.added.LookAsGiven();
  return TextTokenizer::Make(std::move(setup), stop);
}

}  // namespace headscope::text
