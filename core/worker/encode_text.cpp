#include "core/worker/encode_text.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/text/unknown_words.h"

namespace headscope {
namespace {

bool Cuts(const InputText& input, std::size_t tokens) {
  return input.first_tokens > 0 && static_cast<std::int64_t>(tokens) > input.first_tokens;
}

std::span<const std::int32_t> KeptIds(const InputText& input) {
  const std::span<const std::int32_t> ids = input.ids;
  return Cuts(input, ids.size()) ? ids.first(static_cast<std::size_t>(input.first_tokens)) : ids;
}

std::int64_t CutFrom(const InputText& input) {
  return Cuts(input, input.ids.size()) ? std::ssize(input.ids) : 0;
}

// The text's own tokens are those that the tokenizer makes without adding any around them.
Result<Encoding> Cut(const Tokenizer& tokenizer,
                     const InputText& input,
                     const std::stop_token& stop,
                     Encoding whole) {
  if (input.pair) {
    return Fail(ErrorCode::kInput,
                "two texts cannot be cut to their first tokens; shorten them, or give one");
  }
  EncodeOptions options;
  options.add_special = false;
  options.stop = stop;
  HEADSCOPE_TRY(const auto own, tokenizer.Encode(input.text, options));
  const auto is_same = [](const Token& a, const Token& b) { return a.id == b.id; };
  const auto found = std::search(
      whole.tokens.begin(), whole.tokens.end(), own.tokens.begin(), own.tokens.end(), is_same);
  const std::int64_t around = std::ssize(whole.tokens) - std::ssize(own.tokens);
  const std::int64_t kept = input.first_tokens - around;
  if (kept < 1 || found == whole.tokens.end()) {
    return Fail(ErrorCode::kInput,
                fmt::format("the first {} tokens hold nothing of the text, beside {} that the "
                            "tokenizer adds; take more",
                            input.first_tokens,
                            around));
  }
  whole.cut_from = std::ssize(whole.tokens);
  whole.tokens.erase(found + kept, found + std::ssize(own.tokens));
  const std::vector<Token> kept_tokens(own.tokens.begin(), own.tokens.begin() + kept);
  const auto end = static_cast<std::size_t>(kept_tokens.back().end);
  whole.unknown = text::FindUnknownWords(
      {std::string_view(input.text).substr(0, end), kept_tokens}, {"", {}}, stop);
  return whole;
}

}  // namespace

Result<Encoding> EncodeText(const Tokenizer& tokenizer,
                            const InputText& input,
                            const std::stop_token& stop) {
  if (!input.ids.empty()) {
    Encoding encoding = tokenizer.Describe(KeptIds(input));
    encoding.cut_from = CutFrom(input);
    return encoding;
  }
  EncodeOptions options;
  options.pair = input.pair;
  options.stop = stop;
  HEADSCOPE_TRY(auto encoding, tokenizer.Encode(input.text, options));
  return Cuts(input, encoding.tokens.size()) ? Cut(tokenizer, input, stop, std::move(encoding))
                                             : std::move(encoding);
}

Encoding NumberIds(const InputText& input) {
  Encoding encoding = DescribeAsNumbers(KeptIds(input));
  encoding.cut_from = CutFrom(input);
  return encoding;
}

}  // namespace headscope
