#include "core/text/merge_table.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/quote.h"

namespace headscope::text {
namespace {

std::uint64_t Key(std::int32_t left, std::int32_t right) {
  return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32U) |
         static_cast<std::uint32_t>(right);
}

}  // namespace

Status MergeTable::Add(std::string_view left,
                       std::string_view right,
                       const Vocabulary& vocabulary,
                       std::size_t prefix_bytes,
                       const std::string& name) {
  if (num_added_ >= kMaxMerges) {
    return Fail(ErrorCode::kFormat, fmt::format("{}: over {} merges", name, kMaxMerges));
  }
  const std::string joined =
      std::string(left).append(right.substr(std::min(prefix_bytes, right.size())));
  const auto left_id = vocabulary.Id(left);
  const auto right_id = vocabulary.Id(right);
  const auto joined_id = vocabulary.Id(joined);
  if (!left_id || !right_id || !joined_id) {
    const std::string_view missing = !left_id ? left : !right_id ? right : joined;
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: merge {} joins {} and {}, but the vocabulary has no {}",
                            name,
                            num_added_,
                            Quoted(left),
                            Quoted(right),
                            Quoted(missing)));
  }
  merges_.insert_or_assign(Key(*left_id, *right_id), Join{num_added_++, *joined_id});
  return {};
}

std::optional<Join> MergeTable::Find(std::int32_t left, std::int32_t right) const {
  const auto found = merges_.find(Key(left, right));
  return found == merges_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace headscope::text
