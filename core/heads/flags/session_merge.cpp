#include "core/heads/flags/session_merge.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/file_lock.h"
#include "core/heads/flags/merge.h"

namespace headscope {
namespace {

constexpr std::chrono::milliseconds kPatience{2000};

// A file may flag a head twice: both are kept as long as nobody changes the head.
using Head = std::tuple<ModelPart, std::int64_t, std::int64_t>;
using FlagsByHead = std::map<Head, std::vector<HeadFlag>>;

FlagsByHead FlagsOf(const SessionFile& session) {
  FlagsByHead by_head;
  for (const HeadFlag& flag : session.flags) {
    by_head[{flag.part, flag.layer, flag.head}].push_back(flag);
  }
  return by_head;
}

const std::vector<HeadFlag>& At(const FlagsByHead& flags, const Head& head) {
  static const std::vector<HeadFlag> kNone;
  const auto found = flags.find(head);
  return found != flags.end() ? found->second : kNone;
}

// The keys of both; of one that both have, their value.
std::string BothKeys(const std::string& mine, const std::string& theirs) {
  if (mine.empty() || mine == theirs) {
    return theirs;
  }
  using Json = nlohmann::ordered_json;
  Json merged = Json::parse(theirs, nullptr, false);
  const Json added = Json::parse(mine, nullptr, false);
  if (!merged.is_object()) {
    return mine;
  }
  for (const auto& [key, value] : added.items()) {
    if (!merged.contains(key)) {
      merged[key] = value;
    }
  }
  return merged.dump();
}

// The file's entries, without what this window removed, and with what it added.
std::vector<SharedFlags> BothShared(const SessionFile& base,
                                    const SessionFile& mine,
                                    const SessionFile& theirs) {
  const auto has = [](const std::vector<SharedFlags>& all, const SharedFlags& one) {
    return std::ranges::find(all, one) != all.end();
  };
  std::vector<SharedFlags> both;
  for (const SharedFlags& one : theirs.shared) {
    if (has(mine.shared, one) || !has(base.shared, one)) {
      both.push_back(one);
    }
  }
  for (const SharedFlags& one : mine.shared) {
    if (!has(both, one) && !has(base.shared, one)) {
      both.push_back(one);
    }
  }
  return both;
}

}  // namespace

SessionFile MergeSessions(const SessionFile& base,
                          const SessionFile& mine,
                          const SessionFile& theirs) {
  SessionFile merged = theirs;
  const auto model = [](auto& session) {
    return std::tie(session.model_path, session.model_name, session.model_fingerprint);
  };
  const auto text = [](auto& session) {
    return std::tie(session.text, session.pair, session.target);
  };
  const auto selection = [](auto& session) {
    return std::tie(session.selected_part, session.selected_layer, session.selected_head);
  };
  if (model(mine) != model(base)) {
    model(merged) = model(mine);
  }
  if (text(mine) != text(base)) {
    text(merged) = text(mine);
  }
  if (selection(mine) != selection(base)) {
    selection(merged) = selection(mine);
  }
  if (mine.view_json != base.view_json) {
    merged.view_json = mine.view_json;
  }
  merged.shared = BothShared(base, mine, theirs);
  merged.unknown_json = BothKeys(mine.unknown_json, theirs.unknown_json);

  const FlagsByHead was = FlagsOf(base);
  const FlagsByHead now = FlagsOf(mine);
  FlagsByHead heads = FlagsOf(theirs);
  for (const FlagsByHead* changes : {&was, &now}) {
    for (const auto& [head, ignored] : *changes) {
      std::vector<HeadFlag> flags = At(now, head);
      if (flags == At(was, head)) {
        continue;
      }
      if (const auto& other = At(heads, head); !flags.empty() && !other.empty()) {
        flags.front().unknown_json =
            BothKeys(flags.front().unknown_json, other.front().unknown_json);
      }
      heads[head] = std::move(flags);
    }
  }
  merged.flags.clear();
  for (auto& [head, flags] : heads) {
    merged.flags.insert(merged.flags.end(), flags.begin(), flags.end());
  }
  return merged;
}

std::vector<HeadIndex> HeadsInConflict(const SessionFile& base,
                                       const SessionFile& mine,
                                       const SessionFile& theirs) {
  std::vector<HeadIndex> heads;
  std::ranges::transform(MergeFlags(base.flags, mine.flags, theirs.flags).conflicts,
                         std::back_inserter(heads),
                         &FlagConflict::head);
  return heads;
}

SessionFile WithFlagsOf(SessionFile to, const SessionFile& from, std::span<const HeadIndex> heads) {
  const auto is_one = [heads](const HeadFlag& flag) {
    return std::ranges::find(heads, HeadOf(flag)) != heads.end();
  };
  std::erase_if(to.flags, is_one);
  std::ranges::copy_if(from.flags, std::back_inserter(to.flags), is_one);
  return to;
}

Result<UpdatedSession> UpdateSession(const std::filesystem::path& path,
                                     const SessionFile& base,
                                     const SessionFile& mine) {
  HEADSCOPE_TRY(const auto lock, FileLock::Take(path, kPatience));
  std::error_code ignored;
  UpdatedSession updated{.session = mine, .conflicts = {}};
  if (std::filesystem::exists(path, ignored)) {
    const Result<SessionFile> theirs = LoadSession(path);
    if (theirs && !theirs->model_fingerprint.empty() &&
        theirs->model_fingerprint != mine.model_fingerprint) {
      return Fail(ErrorCode::kInput,
                  fmt::format("{}: it now belongs to the model {}, whose weights are others than "
                              "those of {}; the file is left as it is, save the session under "
                              "another name",
                              path.string(),
                              theirs->model_name,
                              mine.model_name));
    }
    if (theirs) {  // what is no session is refused below
      updated.conflicts = HeadsInConflict(base, mine, *theirs);
      updated.session = MergeSessions(base, WithFlagsOf(mine, base, updated.conflicts), *theirs);
    }
  }
  HEADSCOPE_TRY(SaveSession(path, updated.session));
  return updated;
}

}  // namespace headscope
