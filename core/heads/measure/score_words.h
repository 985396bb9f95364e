// Shares with their errors, as sentences about heads have them.
//
// Threads  any.
#pragma once

#include <optional>
#include <string>

namespace headscope {

// ".93", "1.00"
[[nodiscard]] std::string ShareWords(double share);
// ".01"; "< .01" where two digits would say that there is none.
[[nodiscard]] std::string ErrorWords(double error);
// ".93 ± .01", ".54 ± < .01"; without an error ".93".
[[nodiscard]] std::string WithError(double share, std::optional<double> error);

}  // namespace headscope
