#include "core/worker/continued_text.h"

#include "core/text/tokenizer.h"

namespace headscope {
namespace {

constexpr std::size_t kMostTextBytes = 4'000;

}  // namespace

std::vector<std::string> TextsWith(const Model& model,
                                   const std::string& text,
                                   std::span<const std::int32_t> ids,
                                   std::span<const std::int32_t> tokens) {
  std::vector<std::string> texts(tokens.size());
  const Tokenizer* const tokenizer = model.tokenizer();
  if (tokenizer == nullptr || text.empty() || text.size() > kMostTextBytes) {
    return texts;
  }
  std::vector<std::int32_t> longer(ids.begin(), ids.end());
  const std::string spelled = tokenizer->Spell(longer);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    longer.push_back(tokens[i]);
    const std::string more = tokenizer->Spell(longer);
    if (more.size() > spelled.size() && more.starts_with(spelled)) {
      const std::string tried = text + more.substr(spelled.size());
      const Result<Encoding> encoding = tokenizer->Encode(tried, {});
      if (encoding && encoding->Ids() == longer) {
        texts[i] = tried;
      }
    }
    longer.pop_back();
  }
  return texts;
}

}  // namespace headscope
