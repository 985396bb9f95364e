#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/base/quote.h"
#include "core/io/conllu_parts.h"

namespace headscope::conllu {

using annotated::Problem;
using annotated::ProblemAt;

namespace {

// "e1[2/3]": the second of three parts of a mention.
struct Name {
  std::string_view entity;
  std::int64_t part = 1;
  std::int64_t parts = 1;
};

Name ReadName(std::string_view text, std::size_t entity_field) {
  const std::vector<std::string_view> fields = annotated::Fields(text, '-');
  // A closing bracket may name only the entity.
  Name name{fields.size() > entity_field ? fields[entity_field] : fields.front()};
  const std::size_t bracket = name.entity.find('[');
  if (bracket == std::string_view::npos || !name.entity.ends_with(']')) {
    return name;
  }
  const std::string_view inner = name.entity.substr(bracket + 1, name.entity.size() - bracket - 2);
  const std::size_t slash = inner.find('/');
  if (slash != std::string_view::npos) {
    name.part = annotated::ParseNumber(inner.substr(0, slash)).value_or(1);
    name.parts = annotated::ParseNumber(inner.substr(slash + 1)).value_or(1);
  }
  name.entity = name.entity.substr(0, bracket);
  return name;
}

// Deeper than in any language; bounds the search for a bracket's partner.
constexpr std::size_t kMostOpen = 256;

class MentionReader {
 public:
  MentionReader(const std::vector<AnnotatedWord>& words,
                std::size_t entity_field,
                annotated::Collector& collector)
      : words_(words), entity_field_(entity_field), collector_(collector) {}

  // Reads brackets such as "(e1-person(e2)e3)": each part ends with ")" or before the next "(".
  void Take(const EntityNote& note) {
    std::string_view rest = note.value;
    while (!rest.empty()) {
      const bool opens = rest.front() == '(';
      const std::size_t end = std::min(rest.find_first_of("()", opens ? 1 : 0), rest.size());
      const bool closes = end < rest.size() && rest[end] == ')';
      const std::string_view part = rest.substr(0, end);
      rest.remove_prefix(end + (closes ? 1 : 0));
      const Name name = ReadName(part.substr(opens ? 1 : 0), entity_field_);
      if (name.entity.empty() || (!opens && !closes)) {
        Warn(note, part, fmt::format("expected a name with a bracket, found {}", Quoted(part)));
        continue;
      }
      if (opens && open_.size() == kMostOpen) {
        Warn(note, part, fmt::format("a mention within {} others is left out", kMostOpen));
        continue;
      }
      if (opens) {
        open_.push_back({name, note.opens, note.line, part});
      }
      if (closes) {
        Close(note, name, part);
      }
    }
  }

  std::vector<Mention> Finish() {
    for (const Open& open : open_) {
      collector_.Warn(ProblemAt(open.line,
                                open.text,
                                fmt::format("the mention of {} that opens here has no end in its "
                                            "sentence, and is left out",
                                            Quoted(open.name.entity))));
    }
    for (const Split& split : split_) {
      mentions_.push_back(Joined(split));
    }
    annotated::SortMentions(mentions_);
    return std::move(mentions_);
  }

 private:
  struct Open {
    Name name;
    std::int64_t first = 0;
    annotated::Line line;
    std::string_view text;
  };
  struct Split {  // a mention in several parts
    Name name;
    std::vector<Mention> parts;
  };

  void Warn(const EntityNote& note, std::string_view part, std::string words) {
    collector_.Warn(ProblemAt(note.line, part, std::move(words)));
  }

  void Close(const EntityNote& note, const Name& name, std::string_view part) {
    const auto found = std::find_if(open_.rbegin(), open_.rend(), [&name](const Open& open) {
      return open.name.entity == name.entity && open.name.part == name.part;
    });
    if (found == open_.rend()) {
      Warn(note,
           part,
           fmt::format("the mention of {} that ends here has no beginning in its sentence, and is "
                       "left out",
                       Quoted(name.entity)));
      return;
    }
    Mention mention{found->first, note.closes, 0, std::string(name.entity)};
    open_.erase(std::next(found).base());
    // A mention of empty nodes only has no word.
    if (mention.first <= mention.last) {
      mention.head = annotated::HeadOfSpan(words_, mention.first, mention.last);
      Add(name, mention);
    }
  }

  void Add(const Name& name, const Mention& mention) {
    if (name.parts <= 1) {
      mentions_.push_back(mention);
    } else if (!split_.empty() && split_.back().name.entity == name.entity && name.part > 1) {
      split_.back().parts.push_back(mention);
    } else {
      split_.push_back({name, {mention}});
    }
  }

  // Joins from the first part's first word to the last part's last word; the head is the one
  // outside all parts.
  Mention Joined(const Split& split) const {
    Mention whole = split.parts.front();
    whole.last = split.parts.back().last;
    for (const Mention& part : split.parts) {
      const std::int64_t above = words_[static_cast<std::size_t>(part.head)].head;
      const bool is_within = std::ranges::any_of(split.parts, [above](const Mention& other) {
        return above >= other.first && above <= other.last;
      });
      if (!is_within) {
        whole.head = part.head;
        break;
      }
    }
    return whole;
  }

  const std::vector<AnnotatedWord>& words_;
  std::size_t entity_field_;
  annotated::Collector& collector_;
  std::vector<Open> open_;
  std::vector<Split> split_;
  std::vector<Mention> mentions_;
};

}  // namespace

std::vector<Mention> ReadMentions(const std::vector<EntityNote>& notes,
                                  const std::vector<AnnotatedWord>& words,
                                  std::size_t entity_field,
                                  annotated::Collector& collector) {
  MentionReader reader(words, entity_field, collector);
  for (const EntityNote& note : notes) {
    reader.Take(note);
  }
  return reader.Finish();
}

}  // namespace headscope::conllu
