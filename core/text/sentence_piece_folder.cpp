#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/quote.h"
#include "core/text/folder_files.h"
#include "core/text/parts.h"
#include "core/text/sentence_piece.h"
#include "core/text/tokenizer_config.h"

namespace headscope::text {
namespace {

using Loaded = Result<std::shared_ptr<const Tokenizer>>;

// What a class of tokenizers puts around a text, where its config is silent.
struct SentenceClass {
  std::string_view name;                        // tokenizer_class
  std::array<std::string_view, 4> model_types;  // of config.json, where there is no class
  bool adds_bos = false;
  bool adds_eos = false;
  int num_extra_ids = 0;  // "<extra_id_0>" has the largest id
};

constexpr SentenceClass kClasses[] = {
    {.name = "", .model_types = {}},
    {.name = "PreTrainedTokenizer", .model_types = {}},
    {.name = "LlamaTokenizer",
     .model_types = {"llama", "mistral", "mixtral", "phi3"},
     .adds_bos = true},
    {.name = "CodeLlamaTokenizer", .model_types = {}, .adds_bos = true},
    {.name = "GemmaTokenizer", .model_types = {"gemma", "gemma2"}, .adds_bos = true},
    {.name = "T5Tokenizer", .model_types = {"t5", "mt5"}, .adds_eos = true, .num_extra_ids = 100},
};

const SentenceClass* FindClass(std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(kClasses), std::end(kClasses), [&](const SentenceClass& candidate) {
        return candidate.name == name;
      });
  return found == std::end(kClasses) ? nullptr : found;
}

const SentenceClass* FindModelType(std::string_view type) {
  const auto* const found =
      std::find_if(std::begin(kClasses), std::end(kClasses), [&](const SentenceClass& candidate) {
        return !type.empty() &&
               std::find(candidate.model_types.begin(), candidate.model_types.end(), type) !=
                   candidate.model_types.end();
      });
  return found == std::end(kClasses) ? &kClasses[0] : found;
}

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
                   TokenizerParts& parts) {
  const Vocabulary& vocabulary = parts.model->vocabulary();
  const Result<std::string> bos =
      config.Token("bos_token", kind.name == "GemmaTokenizer" ? "<bos>" : "<s>");
  const Result<std::string> eos =
      config.Token("eos_token", kind.name == "GemmaTokenizer" ? "<eos>" : "</s>");
  const Result<bool> add_bos = config.Boolean("add_bos_token", kind.adds_bos);
  const Result<bool> add_eos = config.Boolean("add_eos_token", kind.adds_eos);
  HEADSCOPE_TRY(bos);
  HEADSCOPE_TRY(eos);
  HEADSCOPE_TRY(add_bos);
  HEADSCOPE_TRY(add_eos);
  const auto bos_ids = IdsOf(*bos, *add_bos, vocabulary, config.name());
  const auto eos_ids = IdsOf(*eos, *add_eos, vocabulary, config.name());
  HEADSCOPE_TRY(bos_ids);
  HEADSCOPE_TRY(eos_ids);
  parts.post_processor = Surround({.first = *bos_ids, .last = *eos_ids, .between = *bos_ids});
  HEADSCOPE_TRY(config.AddTokens({*bos, *eos}, vocabulary, parts.added));
  if (!config.Has("added_tokens_decoder")) {
    for (int i = 0; i < kind.num_extra_ids; ++i) {
      const std::int64_t id = vocabulary.end_id() + kind.num_extra_ids - 1 - i;
      HEADSCOPE_TRY(parts.added.Add(AddedToken{.id = static_cast<std::int32_t>(id),
                                               .content = fmt::format("<extra_id_{}>", i),
                                               .special = true},
                                    vocabulary,
                                    config.name()));
    }
  }
  return {};
}

}  // namespace

Loaded LoadSentencePiece(const std::filesystem::path& model_path,
                         const std::filesystem::path& folder) {
  const Result<TokenizerConfig> config = TokenizerConfig::Read(folder / "tokenizer_config.json");
  if (!config) {
    return PassOn(config.error());
  }
  const SentenceClass* kind = FindClass(config->tokenizer_class());
  if (kind == nullptr) {
    return NotYet(
        config->name(), "tokenizer_class without a tokenizer.json", config->tokenizer_class());
  }
  if (config->tokenizer_class().empty()) {
    const Result<TokenizerConfig> model_config = TokenizerConfig::Read(folder / "config.json");
    if (!model_config) {
      return PassOn(model_config.error());
    }
    const Result<std::string> type = model_config->Token("model_type", "");
    HEADSCOPE_TRY(type);
    kind = FindModelType(*type);
  }
  Result<TokenizerParts> parts = ReadSentencePieceParts(model_path);
  if (!parts) {
    return PassOn(std::move(parts.error()));
  }
  HEADSCOPE_TRY(AddSpecials(*config, *kind, *parts));
  return TextTokenizer::Make(std::move(*parts));
}

}  // namespace headscope::text
