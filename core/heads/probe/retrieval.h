// Texts in which a sentence is hidden and then asked for at the end:
//   ... Anna hid the letter in the garden. ... Tom hid the key in the kitchen. ...
//   Where did Anna hide the letter? Anna hid the letter in the garden.
// Rows of the answer know which key holds the next token, and, as a control, where the other
// sentence has its counterpart: a head that looks for what followed "in the" finds both equally
// often.
//
// Errors   kInput (no tokenizer, too few positions), kCancelled, the forward's errors.
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
  std::span<const std::string> texts = {};  // the text around the hidden sentences
  std::int64_t longest = 512;               // tokens, if the model can read that many
  std::uint64_t seed = 1;
};

[[nodiscard]] Result<ProbeCorpus> MakeRetrieval(const Model& model,
                                                const RetrievalSettings& settings,
                                                const std::stop_token& stop);

}  // namespace headscope
