#include "core/heads/scan/ablated_heads.h"

#include <algorithm>
#include <limits>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "core/base/atomic_file.h"
#include "core/base/mapped_file.h"
#include "core/io/fields.h"

namespace headscope {
namespace {

constexpr std::int64_t kAblationFormat = 1;
constexpr std::size_t kMostAblationBytes = std::size_t{64} << 20U;
}  // namespace

void EachField(FieldsOf<AblatedHead::Change> auto& change, auto& visit) {
  constexpr double kMost = std::numeric_limits<double>::max();
  visit("change", change.change, {.least = -kMost, .most = kMost});
  visit("error", change.error, {.least = -kMost, .most = kMost});
  visit("why_not", change.why_not);
}

void EachField(FieldsOf<AblatedHead> auto& head, auto& visit) {
  constexpr FieldRule kCount = {.most = 0x1p53, .is_needed = true};
  constexpr double kMost = std::numeric_limits<double>::max();
  visit("layer", head.head.layer, kCount);
  visit("index", head.head.head, kCount);
  visit("loss", head.loss, {.least = -kMost, .most = kMost, .is_needed = true});
  visit("tokens", head.tokens, kCount);
  visit("texts", head.texts, kCount);
  for (std::size_t kind = 0; kind < kAblationKinds.size(); ++kind) {
    visit(AblationName(kAblationKinds[kind]), head.changes[kind]);
  }
}

namespace {

// Returns nothing if the line is none of ours.
std::optional<AblatedHead> HeadOfLine(std::string_view line, const HeadsOfScan& heads) {
  const Result<JsonDocument> document = JsonDocument::Parse(line, "ablations");
  if (!document) {
    return std::nullopt;
  }
  AblatedHead head;
  head.head.part = heads.part;
  FieldReader reader(document->root(), [](std::string_view) { return "ablations"; });
  EachField(head, reader);
  const bool is_there = head.head.layer < heads.layers && head.head.head < heads.heads;
  const auto is_whole = [](const AblatedHead::Change& change) {
    return change.change || !change.why_not.empty();
  };
  return reader.status() && is_there && std::ranges::all_of(head.changes, is_whole)
             ? std::optional(std::move(head))
             : std::nullopt;
}

}  // namespace

AblatedHeads::AblatedHeads(const ScanAbout& about, const std::filesystem::path& folder)
    : fingerprint_(about.fingerprint), corpus_(about.corpus), heads_(about.heads) {
  if (folder.empty()) {
    return;
  }
  path_ = folder / fmt::format("{}-{}.ablations", fingerprint_.substr(0, 32), corpus_);
  if (!Read()) {
    measured_.clear();
  }
}

std::string AblatedHeads::FirstLine() const {
  nlohmann::ordered_json json;
  json["headscope_ablations"] = kAblationFormat;
  json["fingerprint"] = fingerprint_;
  json["corpus"] = corpus_;
  return JsonText(json) + "\n";
}

// A file that is damaged, or of something else, counts as none.
bool AblatedHeads::Read() {
  const Result<MappedFile> file = MappedFile::Open(path_);
  if (!file || file->bytes().size() > kMostAblationBytes) {
    return false;
  }
  std::string_view text(reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size());
  const std::string first = FirstLine();
  if (!text.starts_with(first)) {
    return false;
  }
  text.remove_prefix(first.size());
  for (std::size_t end = text.find('\n'); end != text.npos; end = text.find('\n')) {
    auto head = HeadOfLine(text.substr(0, end), heads_);
    if (!head) {
      return false;
    }
    measured_.push_back(std::move(*head));
    text.remove_prefix(end + 1);
  }
  return true;
}

const AblatedHead* AblatedHeads::Find(HeadIndex head) const {
  const auto found = std::ranges::find(measured_, head, &AblatedHead::head);
  return found != measured_.end() ? &*found : nullptr;
}

void AblatedHeads::Keep(const AblatedHead& head) {
  std::erase_if(measured_, [&](const AblatedHead& one) { return one.head == head.head; });
  measured_.push_back(head);
  if (path_.empty()) {
    return;
  }
  std::string text = FirstLine();
  for (const AblatedHead& one : measured_) {
    text += JsonText(FieldsToJson(one)) + "\n";
  }
  KeepFile(path_, text);
}

}  // namespace headscope
