// Evidence for roles that attention alone cannot give: what heads do to the right and the wrong token
// of pairs of texts, as numbers with controls. Both tokens stand in the clean text before its row, as in
// "When Mary and John went home, John gave a drink to": right Mary, wrong John.
//
//   moves names         what the head adds to the lead of the right token over the wrong one through the
//                       keys that are the right token, weights and norms held
//                         control: the same through as many of the other keys
//   suppresses a copy   minus what it adds to the lead of the right token over a token that is not in
//                       the text, drawn at random, through those keys
//                         control: the same through as many of the other keys
//   stops the repeated  the share of the difference between both texts that changes where the head's
//   subject             output reaches, along direct paths, the queries of those that move names most;
//                       noising
//                         control: the queries of as many other heads of the same layers
//
// Units    logits, of the last a share (1: all). Chance is 0: a head that writes nothing.
// Errors   kInput (no pair, one without its tokens, or with all of the vocabulary), kUnsupported (a
//          model that does not say the next word, or has an encoder), those of core/causes/patching.h.
// Threads  the backend's.
// Cost     a forward for each pair, its heads split by key; for the last, three runs for each head
//          before the receivers, twice.
// Source   Wang 2022 (name movers, S-inhibition); McDougall 2023 (copy suppression).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/causes/patching.h"

namespace headscope {

// The last two: core/causes/task_evidence.h.
enum class EvidenceKind {
  kMovesNames,
  kSuppressesCopy,
  kStopsSubject,
  kSaysSuccessor,
  kCarriesTask
};
inline constexpr std::size_t kEvidenceKinds = 5;
[[nodiscard]] std::string_view EvidenceName(EvidenceKind kind);   // "moves_names"
[[nodiscard]] std::string_view EvidenceWords(EvidenceKind kind);  // "moves names"

struct Evidence {
  EvidenceKind kind = EvidenceKind::kMovesNames;
  HeadIndex head;
  double score = 0.0;
  std::optional<double> control = {};  // none: the layers have no other heads
  std::optional<double> error = {};    // of score minus control, or of the score; none: one pair
  double chance = 0.0;
  std::int64_t cases = 0;
  friend bool operator==(const Evidence&, const Evidence&) = default;
};

// The means over cases, the error of their difference.
[[nodiscard]] Evidence EvidenceOf(EvidenceKind kind,
                                  HeadIndex head,
                                  const std::vector<double>& scores,
                                  const std::vector<double>& controls);

struct RoleEvidence {
  std::vector<Evidence> all;         // by kind, then by head
  std::vector<HeadIndex> receivers;  // that move names most, of the last kind
  std::vector<HeadIndex> other_receivers;
  std::map<EvidenceKind, std::string> why_not;  // why a kind is not measured

  [[nodiscard]] const Evidence* Find(EvidenceKind kind, HeadIndex head) const;  // null: none
};

// Is told now and then the finished part, 0 to 1.
using OnEvidence = std::function<void(double done)>;

[[nodiscard]] Result<RoleEvidence> FindRoleEvidence(Forward* forward,
                                                    const std::vector<PatchPair>& pairs,
                                                    const std::stop_token& stop,
                                                    const OnEvidence& on_part = {});

// kUnsupported: a model that does not say the next word, has an encoder, or cannot be split.
[[nodiscard]] Status CheckEvidenceModel(const ModelDescription& model);
// kInput: a token does not stand before the row.
[[nodiscard]] Status CheckEvidencePair(const ModelDescription& model, const PatchPair& pair);

}  // namespace headscope
