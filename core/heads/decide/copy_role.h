// Which heads copy what they look at, and which suppress it.
//
// A head copies where its mean effect is kLeastEffect or more, is above 0 by kCopyErrors standard
// errors, and the token is among the CopyEffect::kTop that it raises most in half of the sampled rows;
// it suppresses likewise.
//
// Units    logits.
// Source   docs/reference.md, "Roles".
#pragma once

#include <string>

#include "core/heads/decide/decision.h"
#include "core/heads/effect/copy_sums.h"

namespace headscope {

inline constexpr double kCopyErrors = 3.0;
inline constexpr double kLeastEffect = 0.1;  // logits; heads at step 0 reach .09

// 1: copies, -1: suppresses, 0: neither is clear.
[[nodiscard]] int CopySign(const HeadCopy& head);
// Where there is no sign, which of its conditions fails: "it raises that token's logit by .46 ± .01,
// but is ...".
[[nodiscard]] std::string WhyNoCopySign(const HeadCopy& head);
// The role of a head with a sign, "copies" or "suppresses"; as sure as that of what it looks at.
[[nodiscard]] Suggestion DescribeCopy(const HeadCopy& copy, HeadIndex head, Verdict verdict);

}  // namespace headscope
