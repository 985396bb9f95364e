#include "core/heads/probe/choice.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace headscope {

Status KeepKnown(ProbeCorpus* corpus) {
  const std::size_t all = corpus->sequences.size();
  std::erase_if(corpus->sequences, &ProbeSequence::has_unknown_words);
  std::erase_if(corpus->notes,
                [](const std::string& note) { return note.ends_with(kOutOfScores); });
  for (std::string& note : corpus->notes) {
    constexpr std::string_view kKept = "kept";
    if (note.find(kUnknownWords) != std::string::npos && note.ends_with(kKept)) {
      note.replace(note.size() - kKept.size(), kKept.size(), "left out");
    }
  }
  if (std::ssize(corpus->sequences) < kFewestSentences) {
    return Fail(ErrorCode::kInput,
                fmt::format("the model knows all words of {} of the {} probe sentences: too few",
                            corpus->sequences.size(),
                            all));
  }
  return {};
}

void KeepSome(std::int64_t count, ProbeCorpus* corpus) {
  const std::int64_t all = std::ssize(corpus->sequences);
  if (count <= 0 || count >= all) {
    return;
  }
  std::vector<ProbeSequence> some;
  for (std::int64_t i = 0; i < count; ++i) {
    some.push_back(std::move(corpus->sequences[static_cast<std::size_t>(i * all / count)]));
  }
  corpus->sequences = std::move(some);
}

bool IsAmongSome(const ProbeCorpus& corpus, std::size_t place, std::size_t most) {
  const std::vector<ProbeSequence>& all = corpus.sequences;
  const std::size_t each = all.size() > 1 && all[1].is_control ? 2 : 1;  // with its control
  const std::size_t step = std::max<std::size_t>((all.size() / each + most - 1) / most, 1);
  return place / each % step == 0;
}

}  // namespace headscope
