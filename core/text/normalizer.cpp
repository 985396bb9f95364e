#include "core/text/normalizer.h"

#include <utility>
#include <vector>

#include "core/text/character_normalizers.h"
#include "core/text/json_readers.h"
#include "core/text/sentence_normalizers.h"
#include "core/text/unicode.h"
#include "core/text/unicode_form.h"

namespace headscope::text {
namespace {

class SequenceNormalizer : public Normalizer {
 public:
  explicit SequenceNormalizer(std::vector<std::unique_ptr<const Normalizer>> steps)
      : steps_(std::move(steps)) {}

  Status Apply(AlignedText& text) const override {
    for (const auto& step : steps_) {
      HEADSCOPE_TRY(step->Apply(text));
    }
    return {};
  }

  std::string BlankMarker() const override { return FirstBlankMarker(steps_); }

 private:
  std::vector<std::unique_ptr<const Normalizer>> steps_;
};

class PrependNormalizer : public Normalizer {
 public:
  explicit PrependNormalizer(std::string text) : edit_{0, 0, std::move(text)} {}

  Status Apply(AlignedText& text) const override {
    return text.empty() ? Status{} : text.Apply({&edit_, 1});
  }

 private:
  Edit edit_;
};

class ReplaceNormalizer : public Normalizer {
 public:
  ReplaceNormalizer(Pattern pattern, std::string content)
      : pattern_(std::move(pattern)), content_(std::move(content)) {}

  Status Apply(AlignedText& text) const override {
    HEADSCOPE_TRY(const auto matches, FindMatches(pattern_, text.text()));
    return text.Replace(matches, content_);
  }

  std::string BlankMarker() const override {
    const auto* needle = std::get_if<std::string>(&pattern_);
    return needle != nullptr && *needle == " " && content_ != " " ? content_ : std::string();
  }

 private:
  Pattern pattern_;
  std::string content_;
};

class FormNormalizer : public Normalizer {
 public:
  explicit FormNormalizer(UnicodeForm form) : form_(form) {}
  Status Apply(AlignedText& text) const override { return ToUnicodeForm(text, form_); }

 private:
  UnicodeForm form_;
};

class StripNormalizer : public Normalizer {
 public:
  StripNormalizer(bool left, bool right) : left_(left), right_(right) {}

  Status Apply(AlignedText& text) const override {
    const std::string& bytes = text.text();
    std::size_t begin = 0;
    std::size_t end = bytes.size();
    for (std::size_t next = 0; left_ && begin < end; begin = next) {
      if (!IsWhitespace(NextCharacter(bytes, next))) {
        break;
      }
    }
    for (std::size_t next = end; right_ && begin < end; end = next) {
      if (!IsWhitespace(PreviousCharacter(bytes, next))) {
        break;
      }
    }
    text = text.Slice(begin, end);
    return {};
  }

 private:
  bool left_;
  bool right_;
};

using ParsedNormalizer = Result<std::unique_ptr<const Normalizer>>;

ParsedNormalizer ParseReplace(const JsonObject& object) {
  HEADSCOPE_TRY(auto pattern, ParsePattern(object));
  HEADSCOPE_TRY(auto content, object.String("content"));
  return std::make_unique<ReplaceNormalizer>(std::move(pattern), std::move(content));
}

ParsedNormalizer ParseStrip(const JsonObject& object) {
  HEADSCOPE_TRY(const auto left, object.Boolean("strip_left", true));
  HEADSCOPE_TRY(const auto right, object.Boolean("strip_right", true));
  return std::make_unique<StripNormalizer>(left, right);
}

ParsedNormalizer ParseNormalizerSequence(const JsonObject& object, int nesting) {
  std::vector<std::unique_ptr<const Normalizer>> steps;
  const Status walked = ForEachStep(object, "normalizers", [&](const JsonObject& step) -> Status {
    ParsedNormalizer parsed = ParseNormalizer(step, nesting + 1);
    HEADSCOPE_TRY(parsed);
    steps.push_back(std::move(*parsed));
    return {};
  });
  HEADSCOPE_TRY(walked);
  return std::make_unique<SequenceNormalizer>(std::move(steps));
}

}  // namespace

std::unique_ptr<const Normalizer> MakeFormNormalizer(UnicodeForm form) {
  return std::make_unique<FormNormalizer>(form);
}

ParsedNormalizer ParseNormalizer(const JsonObject& object, int nesting) {
  HEADSCOPE_TRY(const auto type, object.String("type"));
  if (type == "Sequence" && nesting < kMaxNesting) {
    return ParseNormalizerSequence(object, nesting);
  }
  if (type == "Prepend") {
    HEADSCOPE_TRY(auto prefix, object.String("prepend"));
    return std::make_unique<PrependNormalizer>(std::move(prefix));
  }
  if (type == "Replace") {
    return ParseReplace(object);
  }
  if (type == "Strip") {
    return ParseStrip(object);
  }
  if (const std::optional<UnicodeForm> form = ParseUnicodeForm(type)) {
    return MakeFormNormalizer(*form);
  }
  if (type == "BertNormalizer") {
    return ParseBertNormalizer(object);
  }
  if (type == "Precompiled") {
    return ParsePrecompiled(object);
  }
  if (std::unique_ptr<const Normalizer> by_character = MakeCharacterNormalizer(type)) {
    return by_character;
  }
  return NotYet(object.name(), "normalizer", type);
}

}  // namespace headscope::text
