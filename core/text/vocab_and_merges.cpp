#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/quote.h"
#include "core/text/bpe.h"
#include "core/text/byte_level_kinds.h"
#include "core/text/folder_files.h"
#include "core/text/json_readers.h"
#include "core/text/text_tokenizer.h"
#include "core/text/tokenizer_config.h"

namespace headscope::text {
namespace {

using Loaded = Result<std::shared_ptr<const Tokenizer>>;

// What a class of byte-level tokenizers does where its tokenizer_config.json is silent.
struct ByteLevelClass {
  std::string_view name;
  std::string_view kind = "gpt-2";  // of MakeByteLevelKind
  bool surrounds = false;           // <s> A </s> </s> B </s>
  std::array<std::string_view, 2> bos_and_eos = {"<|endoftext|>", "<|endoftext|>"};
};

constexpr std::array<std::string_view, 2> kSentenceMarks = {"<s>", "</s>"};
constexpr ByteLevelClass kByteLevelClasses[] = {
    {.name = ""},
    {.name = "GPT2Tokenizer"},
    {.name = "CodeGenTokenizer"},
    {.name = "PreTrainedTokenizer"},
    {.name = "Qwen2Tokenizer", .kind = "qwen2"},
    {.name = "RobertaTokenizer", .surrounds = true, .bos_and_eos = kSentenceMarks},
    {.name = "BartTokenizer", .surrounds = true, .bos_and_eos = kSentenceMarks},
};

std::vector<std::string_view> Lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) {
      line.remove_suffix(1);
    }
    lines.push_back(line);
  }
  return lines;
}

Result<std::vector<std::int32_t>> IdsOf(const std::string& piece,
                                        const Vocabulary& vocabulary,
                                        const std::string& name) {
  if (const std::optional<std::int32_t> id = vocabulary.Id(piece)) {
    return std::vector<std::int32_t>{*id};
  }
  return Fail(
      ErrorCode::kFormat,
      fmt::format("{}: {} goes around every text, but vocab.json lacks it", name, Quoted(piece)));
}

Status AddSpecials(const TokenizerConfig& config,
                   const ByteLevelClass& kind,
                   TokenizerSetup& setup) {
  const Vocabulary& vocabulary = setup.model->vocabulary();
  const Result<std::string> bos = config.Token("bos_token", std::string(kind.bos_and_eos[0]));
  const Result<std::string> eos = config.Token("eos_token", std::string(kind.bos_and_eos[1]));
  const Result<std::string> unknown = config.Token("unk_token", "<unk>");
  const Result<std::string> pad = config.Token("pad_token", "<pad>");
  const Result<bool> add_bos = config.Boolean("add_bos_token", false);
  for (const auto* token : {&bos, &eos, &unknown, &pad}) {
    HEADSCOPE_TRY(*token);
  }
  HEADSCOPE_TRY(add_bos);
  HEADSCOPE_TRY(
      config.AddTokens({"<|endoftext|>", *bos, *eos, *unknown, *pad}, vocabulary, setup.added));
  if (kind.surrounds) {
    const std::optional<std::int32_t> mask = vocabulary.Id("<mask>");
    if (mask) {
      HEADSCOPE_TRY(setup.added.Add(
          AddedToken{.id = *mask, .content = "<mask>", .special = true, .lstrip = true},
          vocabulary,
          config.name()));
    }
  }
  if (!kind.surrounds && !*add_bos) {
    return {};
  }
  const Result<std::vector<std::int32_t>> first = IdsOf(*bos, vocabulary, config.name());
  HEADSCOPE_TRY(first);
  if (!kind.surrounds) {
    setup.post_processor = Surround({.first = *first, .last = {}, .between = *first});
    return {};
  }
  const Result<std::vector<std::int32_t>> last = IdsOf(*eos, vocabulary, config.name());
  HEADSCOPE_TRY(last);
  setup.post_processor = Surround({.first = *first, .last = *last, .between = *last});
  return {};
}

}  // namespace

Loaded LoadByteLevel(const std::filesystem::path& vocab_path,
                     const std::filesystem::path& merges_path,
                     const std::filesystem::path& folder,
                     const std::stop_token& stop) {
  const Result<TokenizerConfig> config = TokenizerConfig::Read(folder);
  HEADSCOPE_TRY(config);
  const auto* const kind = std::find_if(
      std::begin(kByteLevelClasses), std::end(kByteLevelClasses), [&](const ByteLevelClass& known) {
        return known.name == config->tokenizer_class();
      });
  if (kind == std::end(kByteLevelClasses)) {
    return NotYet(
        config->name(), "tokenizer_class without a tokenizer.json", config->tokenizer_class());
  }
  const Result<bool> prefix = config->Boolean("add_prefix_space", false);
  HEADSCOPE_TRY(prefix);
  Result<Vocabulary> vocabulary = Vocabulary::Read(vocab_path, stop);
  HEADSCOPE_TRY(vocabulary);
  const Result<MappedFile> merges = OpenTokenizerFile(merges_path);
  HEADSCOPE_TRY(merges);
  TokenizerSetup setup;
  Result<ByteLevelSetup> cutting = MakeByteLevelKind(kind->kind, *prefix, vocab_path.string());
  HEADSCOPE_TRY(cutting);
  setup.normalizer = std::move(cutting->normalizer);
  setup.pre_tokenizer = std::move(cutting->pre_tokenizer);
  const std::span<const std::byte> bytes = merges->bytes();
  Result<std::unique_ptr<const TokenModel>> model =
      MakeBpe(std::move(*vocabulary),
              Lines({reinterpret_cast<const char*>(bytes.data()), bytes.size()}),
              cutting->ignore_merges,
              merges_path.string(),
              stop);
  HEADSCOPE_TRY(model);
  setup.model = std::move(*model);
  HEADSCOPE_TRY(AddSpecials(*config, *kind, setup));
  return TextTokenizer::Make(std::move(setup), stop);
}

}  // namespace headscope::text
