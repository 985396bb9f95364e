#include "app/state/sessions.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace headscope {
namespace {

constexpr std::size_t kUndoSteps = 200;

HeadIndex HeadOf(const HeadFlag& flag) {
  return {flag.layer, flag.head, flag.part};
}

auto Find(const std::vector<HeadFlag>& flags, HeadIndex head) {
  return std::ranges::find(flags, head, HeadOf);
}

void Remember(FlagSheet* sheet) {
  sheet->undo.push_back(sheet->flags);
  if (sheet->undo.size() > kUndoSteps) {
    sheet->undo.erase(sheet->undo.begin());
  }
  sheet->redo.clear();
}

}  // namespace

const HeadFlag* FindFlag(const FlagSheet& sheet, HeadIndex head) {
  const auto found = Find(sheet.flags, head);
  return found != sheet.flags.end() ? &*found : nullptr;
}

bool SetFlag(FlagSheet* sheet, const HeadFlag& flag) {
  const HeadIndex head = HeadOf(flag);
  if (flag.role.empty()) {
    return RemoveFlag(sheet, head);
  }
  const HeadFlag* now = FindFlag(*sheet, head);
  if (now != nullptr && *now == flag) {
    return false;
  }
  Remember(sheet);
  std::erase_if(sheet->flags, [head](const HeadFlag& other) { return HeadOf(other) == head; });
  const auto after = std::find_if(sheet->flags.begin(), sheet->flags.end(), [&](const auto& other) {
    return std::tuple(other.part, other.layer, other.head) >
           std::tuple(flag.part, flag.layer, flag.head);
  });
  sheet->flags.insert(after, flag);
  return true;
}

bool RemoveFlag(FlagSheet* sheet, HeadIndex head) {
  const auto found = Find(sheet->flags, head);
  if (found == sheet->flags.end()) {
    return false;
  }
  const auto index = found - sheet->flags.begin();
  Remember(sheet);
  sheet->flags.erase(sheet->flags.begin() + index);
  return true;
}

bool Undo(FlagSheet* sheet) {
  if (sheet->undo.empty()) {
    return false;
  }
  sheet->redo.push_back(std::exchange(sheet->flags, std::move(sheet->undo.back())));
  sheet->undo.pop_back();
  return true;
}

bool Redo(FlagSheet* sheet) {
  if (sheet->redo.empty()) {
    return false;
  }
  sheet->undo.push_back(std::exchange(sheet->flags, std::move(sheet->redo.back())));
  sheet->redo.pop_back();
  return true;
}

std::string SessionFileName(const std::string& model_name, const std::string& fingerprint) {
  std::string name;
  for (const char c : model_name.substr(0, 60)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_';
    name += plain ? c : '_';
  }
  return name + "-" + fingerprint.substr(0, 12) + ".json";
}

}  // namespace headscope
