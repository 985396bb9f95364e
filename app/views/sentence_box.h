// What ImGui's text field can hold without harm.
#pragma once

#include <string_view>

namespace headscope {

// One line, well-formed, no character beyond 16 bits, nothing that runs right to left. Any other
// text is shown as it is and not edited here.
[[nodiscard]] bool FieldCanHold(std::string_view utf8);

// Characters that the field's own font does not have: shown as a set text until it is edited.
[[nodiscard]] bool IsPlainForField(std::string_view utf8);

}  // namespace headscope
