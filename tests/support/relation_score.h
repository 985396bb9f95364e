// Scores of single heads on cases of a relation, and cases that are made up.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/heads/decide/relations.h"

namespace headscope {

inline HeadScore RelationScore(const RelationCases& relation, std::size_t head) {
  return RelationScores(relation, head + 1)[head];
}

inline void SetBit(std::size_t head, HeadBits* bits) {
  (*bits)[head / 64] |= std::uint64_t{1} << (head % 64);
}

}  // namespace headscope
