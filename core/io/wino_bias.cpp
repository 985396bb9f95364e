// WinoBias: one sentence per line, with brackets around mentions of the same person. The other
// person has no brackets in that line ("[The developer] argued with the designer because [he]
// ..."), but has them in another line: so a phrase of two or more words that any line brackets is a
// mention wherever it occurs, of an entity of its own.
#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "core/base/stop.h"
#include "core/io/annotated_lines.h"
#include "core/io/annotated_words.h"

namespace headscope {
namespace {

// Splits "12 [She] left" into {"12", "[She] left"}.
std::pair<std::string_view, std::string_view> CutWinoNumber(std::string_view text) {
  text = annotated::Trimmed(text);
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const bool has_number = digits > 0 && digits < text.size() && text[digits] == ' ';
  return has_number ? std::pair(text.substr(0, digits), annotated::Trimmed(text.substr(digits)))
                    : std::pair(std::string_view(), text);
}

annotated::OrProblem<AnnotatedSentence> ReadWinoLine(const annotated::Line& line) {
  HEADSCOPE_TRY(annotated::CheckLine(line));
  const auto [number, marked] = CutWinoNumber(line.text);
  AnnotatedSentence sentence;
  sentence.id = number;
  sentence.line = line.number;
  std::vector<std::int64_t> cuts;  // begin and end of each bracket in turn
  for (std::size_t i = 0; i < marked.size(); ++i) {
    const bool is_open = cuts.size() % 2 == 1;
    if (marked[i] != '[' && marked[i] != ']') {
      sentence.text += marked[i];
      continue;
    }
    if ((marked[i] == '[') == is_open) {
      return annotated::FailAt(
          line,
          marked.substr(i),
          is_open ? "a bracket opens within another" : "a bracket closes that has not opened");
    }
    cuts.push_back(std::ssize(sentence.text));
  }
  if (cuts.size() % 2 == 1) {
    return annotated::FailAt(line, line.text, "a bracket opens and does not close");
  }
  if (cuts.size() < 4) {
    return annotated::FailAt(line, line.text, "expected brackets around two mentions or more");
  }
  Result<std::vector<AnnotatedWord>> words = annotated::CutWords(sentence.text, cuts);
  if (!words) {
    return annotated::FailAt(line, line.text, words.error().message);
  }
  sentence.words = std::move(*words);
  for (std::size_t i = 0; i < cuts.size(); i += 2) {
    Mention mention = annotated::MentionOf(sentence.words, cuts[i], cuts[i + 1], "1");
    if (mention.last < mention.first) {
      return annotated::FailAt(line, line.text, "there is no word between two brackets");
    }
    sentence.mentions.push_back(std::move(mention));
  }
  return sentence;
}

std::string PhraseOf(const AnnotatedSentence& sentence, std::int64_t first, std::int64_t last) {
  std::string phrase;
  for (std::int64_t word = first; word <= last; ++word) {
    phrase += phrase.empty() ? "" : " ";
    for (const char letter : sentence.words[static_cast<std::size_t>(word)].form) {
      phrase += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    }
  }
  return phrase;
}

// All bracketed phrases, and the largest number of words in one.
class WinoPhrases {
 public:
  void Add(const AnnotatedSentence& sentence) {
    for (const Mention& mention : sentence.mentions) {
      const std::int64_t words = mention.last - mention.first + 1;
      if (words >= 2 && words <= kMostWords) {
        phrases_.insert(PhraseOf(sentence, mention.first, mention.last));
        longest_ = std::max(longest_, words);
      }
    }
  }

  // Adds mentions of phrases outside the line's own brackets that differ from the bracketed ones.
  void AddOthersTo(AnnotatedSentence* sentence) const {
    const std::vector<Mention> own = sentence->mentions;
    std::set<std::string> meant;
    for (const Mention& mention : own) {
      meant.insert(PhraseOf(*sentence, mention.first, mention.last));
    }
    const auto words = std::ssize(sentence->words);
    for (std::int64_t first = 0; first < words; ++first) {
      for (std::int64_t last = std::min(first + longest_, words) - 1; last > first; --last) {
        const bool is_own = std::ranges::any_of(own, [&](const Mention& mention) {
          return mention.first <= last && mention.last >= first;
        });
        std::string phrase = is_own ? "" : PhraseOf(*sentence, first, last);
        if (phrases_.contains(phrase) && !meant.contains(phrase)) {
          sentence->mentions.push_back(
              {.first = first, .last = last, .head = last, .entity = std::move(phrase)});
          first = last;
        }
      }
    }
    annotated::SortMentions(sentence->mentions);
  }

 private:
  static constexpr std::int64_t kMostWords = 8;
  std::set<std::string> phrases_;
  std::int64_t longest_ = 0;
};

}  // namespace

bool HasMentionsInBrackets(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  const std::string_view line = text.substr(begin, text.find('\n', begin) - begin);
  std::size_t at = 0;
  for (int bracket = 0; bracket < 2 && at != line.npos; ++bracket) {
    at = line.find('[', at);
    at = at != line.npos ? line.find(']', at) : at;
  }
  return at != line.npos;
}

Result<AnnotatedText> ParseWinoBias(std::string_view bytes,
                                    const std::string& name,
                                    const std::stop_token& stop) {
  HEADSCOPE_TRY(auto text,
                annotated::ReadLines(annotated::LineCutter(bytes), name, stop, ReadWinoLine));
  WinoPhrases phrases;
  for (const AnnotatedSentence& sentence : text.sentences) {
    phrases.Add(sentence);
  }
  for (AnnotatedSentence& sentence : text.sentences) {
    HEADSCOPE_TRY(CheckStop(stop));
    phrases.AddOthersTo(&sentence);
  }
  return text;
}

}  // namespace headscope
