// Texts in which a sentence is hidden and asked for at the end:
//   ... Anna hid the letter in the garden. ... Tom hid the key in the kitchen. ...
//   Where did Anna hide the letter? Anna hid the letter in the garden.
// Rows of the answer know which key holds the token that comes next, and, as its control, where the
// other sentence has one: whoever looks at what came after "in the" finds that as often.
//
// Errors   kInput (no tokenizer, too few positions), kCancelled, what the forward returns.
// Threads  any.
// Source   Wu 2024, "Retrieval Head Mechanistically Explains Long-Context Factuality".
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <string>

#include "core/heads/probe/probe.h"
#include "core/model/model.h"

namespace headscope {

struct RetrievalSettings {
  std::int64_t sequences = 10;
  std::span<const std::string> texts = {};  // what the sentences are hidden among
  std::int64_t longest = 512;               // tokens, as far as the model reads
  std::uint64_t seed = 1;
};

[[nodiscard]] Result<ProbeCorpus> MakeRetrieval(const Model& model,
                                                const RetrievalSettings& settings,
                                                const std::stop_token& stop);

}  // namespace headscope
