#include "core/text/unicode_form.h"

#include <vector>

#include <fmt/format.h>
#include <unicode/bytestream.h>
#include <unicode/normalizer2.h>
#include <unicode/stringpiece.h>

#include "core/text/unicode.h"

namespace headscope::text {
namespace {

// Reordering marks is quadratic in the length of a run.
constexpr std::size_t kMaxRunBytes = 16'384;

Status Normalize(const icu::Normalizer2& normalizer,
                 std::string_view run,
                 std::size_t begin,
                 std::vector<Edit>& edits) {
  if (run.size() == 1) {
    return {};  // ASCII is the same in every form
  }
  if (run.size() > kMaxRunBytes) {
    return Fail(ErrorCode::kInput,
                fmt::format("the text has a run of {} bytes of combining characters, which the "
                            "tokenizer would have to sort; at most {} are read",
                            run.size(),
                            kMaxRunBytes));
  }
  Edit edit{begin, begin + run.size(), {}};
  icu::StringByteSink<std::string> sink(&edit.replacement);
  UErrorCode error = U_ZERO_ERROR;
  const icu::StringPiece piece(run.data(), static_cast<std::int32_t>(run.size()));
  normalizer.normalizeUTF8(0, piece, sink, nullptr, error);
  if (U_FAILURE(error)) {
    return Fail(ErrorCode::kInput,
                fmt::format("the text cannot be normalised: {}", u_errorName(error)));
  }
  if (edit.replacement != run) {
    edits.push_back(std::move(edit));
  }
  return {};
}

using Instance = const icu::Normalizer2*(UErrorCode& error);

Status ToForm(AlignedText& text, Instance* instance) {
  UErrorCode error = U_ZERO_ERROR;
  const icu::Normalizer2* normalizer = instance(error);
  if (U_FAILURE(error)) {
    return Fail(ErrorCode::kIo, "ICU cannot load its normalisation data; install it again");
  }
  const std::string_view bytes = text.text();
  std::vector<Edit> edits;
  std::size_t run_begin = 0;
  for (const auto& [begin, end, character] : Characters(bytes)) {
    if (begin > run_begin && normalizer->hasBoundaryBefore(static_cast<UChar32>(character)) != 0) {
      HEADSCOPE_TRY(
          Normalize(*normalizer, bytes.substr(run_begin, begin - run_begin), run_begin, edits));
      run_begin = begin;
    }
  }
  if (run_begin < bytes.size()) {
    HEADSCOPE_TRY(Normalize(*normalizer, bytes.substr(run_begin), run_begin, edits));
  }
  return text.Apply(edits);
}

}  // namespace

Status ToNfc(AlignedText& text) {
  return ToForm(text, icu::Normalizer2::getNFCInstance);
}

Status ToNfd(AlignedText& text) {
  return ToForm(text, icu::Normalizer2::getNFDInstance);
}

Status ToNfkc(AlignedText& text) {
  return ToForm(text, icu::Normalizer2::getNFKCInstance);
}

Status ToNfkd(AlignedText& text) {
  return ToForm(text, icu::Normalizer2::getNFKDInstance);
}

}  // namespace headscope::text
