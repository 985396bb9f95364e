#include "core/text/byte_level_kinds.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "core/text/json_readers.h"

namespace headscope::text {
namespace {

constexpr std::string_view kLlama3 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|)"
    R"( ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kQwen2 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}|)"
    R"( ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kTekken =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|)"
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|)"
    R"(\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kGpt4o =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+)"
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*)"
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
    R"(\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kBloom = R"( ?[^(\s|.,!?…。，、।۔،)]+)";
constexpr std::string_view kSigns = R"([\p{P}$+<=>^~|`]+)";
constexpr std::string_view kThreeDigits = "[0-9][0-9][0-9]";

// The text is split by each pattern in turn; "" is GPT-2's pattern.
struct ByteLevelKind {
  std::string_view name;
  std::array<std::string_view, 4> patterns;
  std::size_t num_patterns = 1;
  bool is_nfc = false;
  bool ignore_merges = false;
};

constexpr ByteLevelKind kByteLevelKinds[] = {
    {.name = "gpt-2", .patterns = {""}},
    {.name = "phi-2", .patterns = {""}},
    {.name = "mpt", .patterns = {""}},
    {.name = "exaone4", .patterns = {""}},
    {.name = "jina-es", .patterns = {""}},
    {.name = "jina-de", .patterns = {""}},
    {.name = "jina-v1-en", .patterns = {""}},
    {.name = "roberta-bpe", .patterns = {""}},
    {.name = "jina-v2-es", .patterns = {""}},
    {.name = "jina-v2-de", .patterns = {""}},
    {.name = "olmo", .patterns = {""}, .is_nfc = true},
    {.name = "gpt-neox", .patterns = {""}, .is_nfc = true},
    {.name = "default",
     .patterns = {R"([\p{P}$+<=>^~|]+)", "", R"(\p{N}+)", kThreeDigits},
     .num_patterns = 4},
    {.name = "falcon", .patterns = {kSigns, "", kThreeDigits}, .num_patterns = 3},
    {.name = "starcoder", .patterns = {R"(\p{N})", ""}, .num_patterns = 2},
    {.name = "refact", .patterns = {R"(\p{N})", ""}, .num_patterns = 2},
    {.name = "command-r", .patterns = {R"(\p{N})", ""}, .num_patterns = 2},
    {.name = "smollm", .patterns = {R"(\p{N})", ""}, .num_patterns = 2},
    {.name = "codeshell", .patterns = {R"(\p{N})", ""}, .num_patterns = 2},
    {.name = "exaone", .patterns = {R"(\p{N})", ""}, .num_patterns = 2},
    {.name = "minerva-7b", .patterns = {R"(\p{N})", ""}, .num_patterns = 2},
    {.name = "bloom", .patterns = {kBloom}},
    {.name = "poro-chat", .patterns = {kBloom}},
    {.name = "gpt3-finnish", .patterns = {kBloom}},
    {.name = "viking", .patterns = {kBloom, R"(\p{N})"}, .num_patterns = 2},
    {.name = "tekken", .patterns = {kTekken}, .ignore_merges = true},
    {.name = "gpt-4o", .patterns = {kGpt4o}},
    {.name = "llama4", .patterns = {kGpt4o}},
    {.name = "llama-bpe", .patterns = {kLlama3}, .ignore_merges = true},
    {.name = "llama3", .patterns = {kLlama3}, .ignore_merges = true},
    {.name = "llama-v3", .patterns = {kLlama3}, .ignore_merges = true},
    {.name = "falcon3", .patterns = {kLlama3}, .ignore_merges = true},
    {.name = "dbrx", .patterns = {kLlama3}},
    {.name = "smaug-bpe", .patterns = {kLlama3}},
    {.name = "qwen2", .patterns = {kQwen2}, .is_nfc = true},
    {.name = "megrez", .patterns = {kQwen2}, .is_nfc = true},
    {.name = "stablelm2", .patterns = {kQwen2}, .is_nfc = true},
    {.name = "deepseek-r1-qwen", .patterns = {kQwen2}, .is_nfc = true},
};

}  // namespace

Result<ByteLevelSetup> MakeByteLevelKind(std::string_view kind,
                                         bool add_prefix_space,
                                         const std::string& name) {
  const auto* const found = std::find_if(
      std::begin(kByteLevelKinds), std::end(kByteLevelKinds), [&](const ByteLevelKind& candidate) {
        return candidate.name == (kind.empty() ? "gpt-2" : kind);
      });
  if (found == std::end(kByteLevelKinds)) {
    return NotYet(name, "tokenizer.ggml.pre", kind);
  }
  std::vector<std::unique_ptr<const PreTokenizer>> steps;
  for (std::size_t i = 0; i < found->num_patterns; ++i) {
    const std::string_view pattern = found->patterns[i].empty() ? kGpt2Pattern : found->patterns[i];
    HEADSCOPE_TRY(auto regex, Regex::Compile(pattern, name));
    steps.push_back(MakeCutting(AtMatches(std::move(regex), SplitBehavior::kIsolated, false)));
  }
  ByteLevelSetup setup;
  if (found->is_nfc) {
    setup.normalizer = MakeFormNormalizer(UnicodeForm::kNfc);
  }
  setup.pre_tokenizer = MakeByteLevel(add_prefix_space, MakeSequence(std::move(steps)));
  setup.ignore_merges = found->ignore_merges;
  return setup;
}

}  // namespace headscope::text
