#include "core/heads/scan/ablated_heads.h"

#include <algorithm>
#include <limits>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/atomic_file.h"
#include "core/base/mapped_file.h"
#include "core/io/json.h"
#include "core/io/json_or_null.h"

namespace headscope {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kAblationFormat = 1;
constexpr std::size_t kMostAblationBytes = std::size_t{64} << 20U;
constexpr double kAnyNumber = std::numeric_limits<double>::max();
constexpr std::int64_t kAnyCount = std::int64_t{1} << 53U;

std::string LineOf(const AblatedHead& head) {
  Json json;
  json["layer"] = head.head.layer;
  json["index"] = head.head.head;
  json["loss"] = head.loss;
  json["tokens"] = head.tokens;
  json["texts"] = head.texts;
  for (std::size_t kind = 0; kind < kAblationKinds.size(); ++kind) {
    const AblatedHead::Change& change = head.changes[kind];
    Json& one = json[std::string(AblationName(kAblationKinds[kind]))];
    one["change"] = OrNull(change.change);
    one["error"] = OrNull(change.error);
    one["why_not"] = change.why_not;
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

// None: the line is none of ours.
std::optional<AblatedHead> HeadOfLine(std::string_view line, const HeadsOfScan& heads) {
  const Result<JsonDocument> document = JsonDocument::Parse(line, "ablations");
  const auto json = document ? JsonObject::Of(document->root(), "ablations") : std::nullopt;
  if (!json) {
    return std::nullopt;
  }
  AblatedHead head;
  head.head.part = heads.part;
  for (const auto& [key, most, to] : {std::tuple("layer", heads.layers - 1, &head.head.layer),
                                      std::tuple("index", heads.heads - 1, &head.head.head),
                                      std::tuple("tokens", kAnyCount, &head.tokens),
                                      std::tuple("texts", kAnyCount, &head.texts)}) {
    const auto number = json->Integer(key, 0, most);
    if (!number) {
      return std::nullopt;
    }
    *to = *number;
  }
  const auto loss = json->Number("loss", -kAnyNumber, kAnyNumber);
  if (!loss) {
    return std::nullopt;
  }
  head.loss = *loss;
  for (std::size_t kind = 0; kind < kAblationKinds.size(); ++kind) {
    const auto one = json->Object(AblationName(kAblationKinds[kind]));
    auto why_not = one && *one ? (*one)->String("why_not", "") : std::string();
    if (!one || !*one || !why_not) {
      return std::nullopt;
    }
    AblatedHead::Change& change = head.changes[kind];
    change.why_not = std::move(*why_not);
    for (const auto& [key, to] :
         {std::pair("change", &change.change), std::pair("error", &change.error)}) {
      if (const auto value = (*one)->Value(key)) {
        *to = value->Number();
        if (!*to) {
          return std::nullopt;
        }
      }
    }
    if (!change.change && change.why_not.empty()) {
      return std::nullopt;
    }
  }
  return head;
}

}  // namespace

Result<AblatedHead> AblateOneHead(HeadAblater* ablater,
                                  HeadIndex head,
                                  const std::stop_token& stop) {
  AblationSettings alone;
  alone.controls = 0;
  HEADSCOPE_TRY(const auto measured, ablater->Measure(head, alone, stop));
  const HeadAblation& one = measured;
  AblatedHead ablated{.head = head, .loss = one.loss, .changes = {}};
  for (std::size_t kind = 0; kind < kAblationKinds.size(); ++kind) {
    const AblationChange& change = one.changes[kind];
    ablated.changes[kind] = {change.own.score, change.own.error, change.why_not};
    ablated.tokens = std::max(ablated.tokens, change.own.rows);
    ablated.texts = std::max(ablated.texts, change.own.sequences);
  }
  return ablated;
}

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
  Json json;
  json["headscope_ablations"] = kAblationFormat;
  json["fingerprint"] = fingerprint_;
  json["corpus"] = corpus_;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
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
    text += LineOf(one);
  }
  KeepFile(path_, text);
}

}  // namespace headscope
