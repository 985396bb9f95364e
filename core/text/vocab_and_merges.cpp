#include <array>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/quote.h"
#include "core/text/bpe.h"
#include "core/text/byte_level_kinds.h"
#include "core/text/folder_files.h"
#include "core/text/text_tokenizer.h"
#include "core/text/tokenizer_config.h"

namespace headscope::text {
namespace {

using Loaded = Result<std::shared_ptr<const Tokenizer>>;

// The special tokens of a class; empty where it has none.
struct SpecialNames {
  std::string_view bos;
  std::string_view eos;
  std::string_view unknown;
  std::string_view separator = {};
  std::string_view padding = {};
  std::string_view cls = {};
  std::string_view mask = {};
};

constexpr std::string_view kEndOfText = "<|endoftext|>";
constexpr SpecialNames kOfGpt2 = {.bos = kEndOfText, .eos = kEndOfText, .unknown = kEndOfText};
constexpr SpecialNames kOfQwen2 = {
    .bos = {}, .eos = kEndOfText, .unknown = kEndOfText, .padding = kEndOfText};
constexpr SpecialNames kOfRoberta = {.bos = "<s>",
                                     .eos = "</s>",
                                     .unknown = "<unk>",
                                     .separator = "</s>",
                                     .padding = "<pad>",
                                     .cls = "<s>",
                                     .mask = "<mask>"};

// The defaults of a byte-level tokenizer class, for a tokenizer_config.json that does not set them.
struct ByteLevelClass {
  std::string_view name;
  std::string_view kind = "gpt-2";  // for MakeByteLevelKind
  SpecialNames names = kOfGpt2;
  bool surrounds = false;                            // <s> A </s> </s> B </s>
  std::array<std::string_view, 2> model_types = {};  // in config.json, if there is no class
};

constexpr ByteLevelClass kByteLevelClasses[] = {
    {.name = ""},
    {.name = "GPT2Tokenizer"},
    {.name = "CodeGenTokenizer"},
    {.name = "PreTrainedTokenizer"},
    {.name = "Qwen2Tokenizer",
     .kind = "qwen2",
     .names = kOfQwen2,
     .model_types = {"qwen2", "qwen3"}},
    {.name = "RobertaTokenizer",
     .names = kOfRoberta,
     .surrounds = true,
     .model_types = {"roberta"}},
    {.name = "BartTokenizer", .names = kOfRoberta, .surrounds = true, .model_types = {"bart"}},
};

Result<std::vector<std::int32_t>> IdsOf(const std::optional<std::string>& piece,
                                        std::string_view key,
                                        const Vocabulary& vocabulary,
                                        const std::string& name) {
  if (!piece) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: {} goes around every text, but is null", name, Quoted(key)));
  }
  if (const std::optional<std::int32_t> id = vocabulary.Id(*piece)) {
    return std::vector<std::int32_t>{*id};
  }
  return Fail(
      ErrorCode::kFormat,
      fmt::format("{}: {} goes around every text, but vocab.json lacks it", name, Quoted(*piece)));
}

Status AddSpecials(const TokenizerConfig& config,
                   const ByteLevelClass& kind,
                   TokenizerSetup& setup) {
  const Vocabulary& vocabulary = setup.model->vocabulary();
  std::vector<AddedToken> own;
  for (const auto& [key, name] : {std::pair("bos_token", kind.names.bos),
                                  std::pair("eos_token", kind.names.eos),
                                  std::pair("unk_token", kind.names.unknown),
                                  std::pair("sep_token", kind.names.separator),
                                  std::pair("pad_token", kind.names.padding),
                                  std::pair("cls_token", kind.names.cls),
                                  std::pair("mask_token", kind.names.mask)}) {
    HEADSCOPE_TRY(const auto token, config.Token(key, name));
    own.push_back(SpecialToken(token));
  }
  own.back().lstrip = kind.surrounds;
  HEADSCOPE_TRY(config.AddTokens(own, vocabulary, setup.added));
  HEADSCOPE_TRY(const auto add_bos, config.Boolean("add_bos_token", false));
  if (!kind.surrounds && !add_bos) {
    return {};
  }
  const char* const first_key = kind.surrounds ? "cls_token" : "bos_token";
  HEADSCOPE_TRY(const auto first_token,
                config.Token(first_key, kind.surrounds ? kind.names.cls : kind.names.bos));
  HEADSCOPE_TRY(const auto first, IdsOf(first_token, first_key, vocabulary, config.name()));
  if (!kind.surrounds) {
    setup.post_processor = Surround({.first = first, .last = {}, .between = first});
    return {};
  }
  HEADSCOPE_TRY(const auto last_token, config.Token("sep_token", kind.names.separator));
  HEADSCOPE_TRY(const auto last, IdsOf(last_token, "sep_token", vocabulary, config.name()));
  setup.post_processor = Surround({.first = first, .last = last, .between = last});
  return {};
}

}  // namespace

Loaded LoadByteLevel(const std::filesystem::path& vocab_path,
                     const std::filesystem::path& merges_path,
                     const std::filesystem::path& folder,
                     const std::stop_token& stop) {
  HEADSCOPE_TRY(const auto config, TokenizerConfig::Read(folder));
  HEADSCOPE_TRY(const auto* kind, FindClass<ByteLevelClass>(kByteLevelClasses, config, folder));
  HEADSCOPE_TRY(const auto prefix, config.Boolean("add_prefix_space", false));
  HEADSCOPE_TRY(auto vocabulary, Vocabulary::Read(vocab_path, stop));
  HEADSCOPE_TRY(const auto merges, OpenTokenizerFile(merges_path));
  TokenizerSetup setup;
  HEADSCOPE_TRY(auto cutting, MakeByteLevelKind(kind->kind, prefix, vocab_path.string()));
  setup.normalizer = std::move(cutting.normalizer);
  setup.pre_tokenizer = std::move(cutting.pre_tokenizer);
  HEADSCOPE_TRY(setup.model,
                MakeBpe(std::move(vocabulary),
                        Lines(merges.text()),
                        {.ignore_merges = cutting.ignore_merges},
                        merges_path.string(),
                        stop));
  HEADSCOPE_TRY(AddSpecials(config, *kind, setup));
  return TextTokenizer::Make(std::move(setup), stop);
}

}  // namespace headscope::text
