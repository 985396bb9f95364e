#include "core/text/byte_level_kinds.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "core/text/json_readers.h"
#include "core/text/unicode_form.h"

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

constexpr std::string_view kDigit = R"(\p{N})";

// Several names mean the same. The text is split by each pattern in turn; unused places are empty.
struct ByteLevelKind {
  std::array<std::string_view, 10> names;
  std::array<std::string_view, 4> patterns;
  bool is_nfc = false;
  bool ignore_merges = false;
};

constexpr ByteLevelKind kByteLevelKinds[] = {
    {.names = {"gpt-2",
               "phi-2",
               "mpt",
               "exaone4",
               "jina-es",
               "jina-de",
               "jina-v1-en",
               "roberta-bpe",
               "jina-v2-es",
               "jina-v2-de"},
     .patterns = {kGpt2Pattern}},
    {.names = {"olmo", "gpt-neox"}, .patterns = {kGpt2Pattern}, .is_nfc = true},
    {.names = {"default"},
     .patterns = {R"([\p{P}$+<=>^~|]+)", kGpt2Pattern, R"(\p{N}+)", kThreeDigits}},
    {.names = {"falcon"}, .patterns = {kSigns, kGpt2Pattern, kThreeDigits}},
    {.names = {"starcoder", "refact", "command-r", "smollm", "codeshell", "exaone", "minerva-7b"},
     .patterns = {kDigit, kGpt2Pattern}},
    {.names = {"bloom", "poro-chat", "gpt3-finnish"}, .patterns = {kBloom}},
    {.names = {"viking"}, .patterns = {kBloom, kDigit}},
    {.names = {"tekken"}, .patterns = {kTekken}, .ignore_merges = true},
    {.names = {"gpt-4o", "llama4"}, .patterns = {kGpt4o}},
    {.names = {"llama-bpe", "llama3", "llama-v3", "falcon3", "lfm2"},
     .patterns = {kLlama3},
     .ignore_merges = true},
    {.names = {"dbrx", "smaug-bpe"}, .patterns = {kLlama3}},
    {.names = {"qwen2", "megrez", "stablelm2", "deepseek-r1-qwen"},
     .patterns = {kQwen2},
     .is_nfc = true},
};

}  // namespace

Result<ByteLevelSetup> MakeByteLevelKind(std::string_view kind,
                                         bool add_prefix_space,
                                         const std::string& name) {
  const std::string_view wanted = kind.empty() ? "gpt-2" : kind;
  const auto* const found = std::ranges::find_if(kByteLevelKinds, [&](const auto& candidate) {
    return std::ranges::find(candidate.names, wanted) != candidate.names.end();
  });
  if (found == std::end(kByteLevelKinds)) {
    return NotYet(name, "tokenizer.ggml.pre", kind);
  }
  std::vector<PreTokenizer> steps;
  for (const std::string_view pattern : found->patterns) {
    if (!pattern.empty()) {
      HEADSCOPE_TRY(auto regex, Regex::Compile(pattern, name));
      steps.push_back(MakeCutting(AtMatches(std::move(regex), SplitBehavior::kIsolated, false)));
    }
  }
  ByteLevelSetup setup;
  if (found->is_nfc) {
    setup.normalizer.apply = ToNfc;
  }
  setup.pre_tokenizer = MakeByteLevel(add_prefix_space, JoinSteps(std::move(steps)));
  setup.ignore_merges = found->ignore_merges;
  return setup;
}

}  // namespace headscope::text
