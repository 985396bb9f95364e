// Token ids as a person types them in place of a text: "ids: 5, 17, 3".
//
// Errors   kInput: what is no id, in one sentence.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/base/error.h"
#include "core/model/block_description.h"
#include "core/worker/model_input.h"

namespace headscope {

// Whether a text begins with "ids:".
[[nodiscard]] bool IsOfIds(std::string_view text);
// With or without "ids:" before them; numbers between commas or blanks, also none.
[[nodiscard]] Result<std::vector<std::int32_t>> ParseIds(std::string_view text);
[[nodiscard]] std::string IdsInWords(std::span<const std::int32_t> ids);

// Something to look at where there is no text: different ids of the vocabulary, drawn by a seed of
// their own, twice; before them the begin mark of a model that has one. Sixteen, or as many as the
// model has and reads; none: it has not two.
[[nodiscard]] std::vector<std::int32_t> RandomRepeat(const ModelDescription& model);

// What a text stands for: ids where it is of ids and they can be read, else itself.
[[nodiscard]] InputText InputOfText(const std::string& text);
// The same of a text with a second one and a target; "": there is none.
[[nodiscard]] InputText InputOfTexts(const std::string& text,
                                     const std::string& pair,
                                     const std::string& target);
// What that reads: text, second one, target.
[[nodiscard]] std::tuple<std::string, std::string, std::string> TextsOfInput(
    const InputText& input);
// What InputOfText reads: the ids where there are some, else the text.
[[nodiscard]] std::string TextOrIds(const std::string& text, std::span<const std::int32_t> ids);

}  // namespace headscope
