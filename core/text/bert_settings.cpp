#include "core/text/bert_settings.h"

#include <algorithm>
#include <array>

namespace headscope::text {
namespace {

constexpr std::array<std::string_view, 2> kBertTokenizerClasses = {"BertTokenizer",
                                                                   "DistilBertTokenizer"};
constexpr std::array<std::string_view, 2> kModelTypes = {"bert", "distilbert"};

}  // namespace

bool IsBertTokenizer(std::string_view tokenizer_class, std::string_view model_type) {
  return tokenizer_class.empty() ? std::ranges::find(kModelTypes, model_type) != kModelTypes.end()
                                 : std::ranges::find(kBertTokenizerClasses, tokenizer_class) !=
                                       kBertTokenizerClasses.end();
}

Result<BertNormalization> ReadBertNormalization(const TokenizerConfig& config) {
  HEADSCOPE_TRY(const auto lowercase, config.Boolean("do_lower_case", true));
  HEADSCOPE_TRY(const auto chinese, config.Boolean("tokenize_chinese_chars", true));
  HEADSCOPE_TRY(const auto accents, config.Boolean("strip_accents", lowercase));
  return BertNormalization{.clean_text = true,
                           .handle_chinese_chars = chinese,
                           .strip_accents = accents,
                           .lowercase = lowercase};
}

}  // namespace headscope::text
