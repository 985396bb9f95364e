#include "core/causes/role_evidence.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "core/base/random.h"
#include "core/causes/logit_shares.h"
#include "core/causes/random_heads.h"
#include "core/causes/scatter.h"
#include "core/causes/word_layer.h"
#include "core/model/masked_output.h"

namespace headscope {
namespace {

constexpr std::size_t kReceivers = 3;
constexpr std::uint64_t kEvidenceSeed = 1;

constexpr std::array<std::pair<std::string_view, std::string_view>, kEvidenceKinds> kNames = {
    {{"moves_names", "moves names"},
     {"suppresses_copy", "suppresses a copy"},
     {"stops_subject", "stops the repeated subject"},
     {"says_successor", "says the successor"},
     {"carries_task", "carries a task"}}};  // in the order of EvidenceKind

// What each head does in one pair, and what it does through other keys.
struct PairShares {
  std::vector<double> moved;
  std::vector<double> moved_elsewhere;
  std::vector<double> lowered;
  std::vector<double> lowered_elsewhere;
};

std::optional<double> ErrorOf(const std::vector<double>& values) {
  if (values.size() < 2) {
    return std::nullopt;
  }
  const auto count = static_cast<double>(values.size());
  return std::sqrt(SquaresAroundMean(values) / (count * (count - 1.0)));
}

std::span<const std::int32_t> TokensBefore(const PatchPair& pair) {
  return std::span(pair.clean.ids).first(static_cast<std::size_t>(pair.row) + 1);
}

// A token that stands nowhere in the text.
Result<std::int32_t> DrawAbsent(std::int64_t vocabulary,
                                const std::vector<std::int32_t>& ids,
                                RandomStream* random) {
  if (std::ssize(std::set(ids.begin(), ids.end())) >= vocabulary) {
    return Fail(
        ErrorCode::kInput,
        fmt::format("a clean text has all {} tokens of the vocabulary, so that none is left "
                    "to set a copy against; give shorter texts",
                    vocabulary));
  }
  while (true) {
    const auto drawn =
        static_cast<std::int32_t>(random->Below(static_cast<std::uint64_t>(vocabulary)));
    if (std::ranges::find(ids, drawn) == ids.end()) {
      return drawn;
    }
  }
}

Result<PairShares> SharesOf(Forward* forward,
                            const WordLayer& words,
                            const std::vector<HeadIndex>& heads,
                            const PatchPair& pair,
                            RandomStream* random,
                            const std::stop_token& stop) {
  ShareRun run(*forward, {.row = pair.row, .by_key = heads}, nullptr);
  HEADSCOPE_TRY(forward->RunChanged(pair.clean, {}, &run, &run, stop));
  HEADSCOPE_TRY(const LogitShares lead, run.Split(words, pair.right, pair.wrong));
  HEADSCOPE_TRY(const auto absent, DrawAbsent(words.vocabulary(), pair.clean.ids, random));
  HEADSCOPE_TRY(const LogitShares copy, run.Split(words, pair.right, absent));
  const std::span<const std::int32_t> tokens = TokensBefore(pair);
  // Through the right token's keys, and as many of the others.
  const auto through = [&](const std::vector<double>& keys) {
    double right = 0.0;
    double rest = 0.0;
    double count = 0.0;
    double others = 0.0;
    for (std::size_t key = 0; key < tokens.size(); ++key) {
      if (tokens[key] == pair.right) {
        right += keys[key];
        count += 1.0;
      } else if (tokens[key] != pair.wrong) {
        rest += keys[key];
        others += 1.0;
      }
    }
    return std::pair(right, others > 0.0 ? rest / others * count : 0.0);
  };
  PairShares made;
  for (const HeadIndex head : heads) {
    const auto [moved, elsewhere] = through(lead.keys.at(head));
    made.moved.push_back(moved);
    made.moved_elsewhere.push_back(elsewhere);
    const auto [raised, raised_elsewhere] = through(copy.keys.at(head));
    made.lowered.push_back(-raised);
    made.lowered_elsewhere.push_back(-raised_elsewhere);
  }
  return made;
}

// Those that move names most, clear of their control by two errors, behind the first layer.
std::vector<HeadIndex> ReceiversIn(const std::vector<Evidence>& moves) {
  std::vector<Evidence> clear;
  std::ranges::copy_if(moves, std::back_inserter(clear), [](const Evidence& one) {
    return one.head.layer > 0 && one.score - *one.control > 2.0 * one.error.value_or(0.0);
  });
  std::ranges::stable_sort(
      clear, std::greater<>(), [](const Evidence& one) { return one.score - *one.control; });
  clear.resize(std::min(clear.size(), kReceivers));
  std::vector<HeadIndex> heads;
  std::ranges::transform(
      clear, std::back_inserter(heads), [](const Evidence& one) { return one.head; });
  std::ranges::sort(heads);
  return heads;
}

std::vector<HeadReading> QueriesOf(const std::vector<HeadIndex>& heads) {
  std::vector<HeadReading> readings;
  for (const HeadIndex head : heads) {
    readings.push_back({head, HeadInput::kQueries});
  }
  return readings;
}

// The effect of each sender on the queries of these heads, over the pairs.
Result<std::vector<PatchScore>> ScoresOfPaths(Forward* forward,
                                              const std::vector<PatchPair>& pairs,
                                              const std::vector<HeadIndex>& senders,
                                              const std::vector<HeadIndex>& receivers,
                                              const std::stop_token& stop,
                                              const OnEvidence& on_part) {
  std::vector<std::vector<HeadIndex>> alone;
  for (const HeadIndex head : senders) {
    alone.push_back({head});
  }
  std::vector<PatchedPair> patched;
  for (const PatchPair& pair : pairs) {
    HEADSCOPE_TRY(const auto patching, Patching::Make(forward, pair, PatchDirection::kNoise, stop));
    PatchedPair& made = patched.emplace_back();
    made.clean = patching->clean_metric();
    made.corrupted = patching->corrupted_metric();
    HEADSCOPE_TRY(
        made.metrics,
        patching->RunPaths(
            alone, {.from = senders, .to = QueriesOf(receivers), .freezes_mlps = false}, stop));
    on_part(static_cast<double>(patched.size()) / static_cast<double>(pairs.size()));
  }
  return ScoresOfPairs(patched, PatchDirection::kNoise);
}

}  // namespace

Evidence EvidenceOf(EvidenceKind kind,
                    HeadIndex head,
                    const std::vector<double>& scores,
                    const std::vector<double>& controls) {
  std::vector<double> lifts;
  std::ranges::transform(scores, controls, std::back_inserter(lifts), std::minus<>());
  return {.kind = kind,
          .head = head,
          .score = MeanOfAll(scores),
          .control = MeanOfAll(controls),
          .error = ErrorOf(lifts),
          .cases = std::ssize(scores)};
}

std::string_view EvidenceName(EvidenceKind kind) {
  return kNames.at(static_cast<std::size_t>(kind)).first;
}

std::string_view EvidenceWords(EvidenceKind kind) {
  return kNames.at(static_cast<std::size_t>(kind)).second;
}

const Evidence* RoleEvidence::Find(EvidenceKind kind, HeadIndex head) const {
  const auto found = std::ranges::find_if(
      all, [&](const Evidence& one) { return one.kind == kind && one.head == head; });
  return found == all.end() ? nullptr : &*found;
}

Status CheckEvidenceModel(const ModelDescription& model) {
  if (model.decoder || IsMasked(model)) {
    return Fail(ErrorCode::kUnsupported,
                "evidence of these roles is measured in models that say the next word, without an "
                "encoder");
  }
  return CheckShares(model);
}

Status CheckEvidencePair(const ModelDescription& model, const PatchPair& pair) {
  HEADSCOPE_TRY(CheckPair(model, pair));
  const auto stands = [&](std::int32_t id) {
    const auto tokens = TokensBefore(pair);
    return std::ranges::find(tokens, id) != tokens.end();
  };
  for (const auto& [name, id] : {std::pair("right", pair.right), std::pair("wrong", pair.wrong)}) {
    if (!stands(id)) {
      return Fail(ErrorCode::kInput,
                  fmt::format("the {} token, #{}, does not stand in the clean text up to row {}: "
                              "evidence is of what heads read there",
                              name,
                              id,
                              pair.row));
    }
  }
  return {};
}

Result<RoleEvidence> FindRoleEvidence(Forward* forward,
                                      const std::vector<PatchPair>& pairs,
                                      const std::stop_token& stop,
                                      const OnEvidence& on_part) {
  const ModelDescription& model = forward->model().description();
  HEADSCOPE_TRY(CheckEvidenceModel(model));
  if (pairs.empty()) {
    return Fail(ErrorCode::kInput, "there is no pair of texts");
  }
  for (const PatchPair& pair : pairs) {
    HEADSCOPE_TRY(CheckEvidencePair(model, pair));
  }
  const auto tell = [&on_part](double done) {
    if (on_part) {
      on_part(done);
    }
  };
  HEADSCOPE_TRY(const auto words, WordLayer::Make(forward));
  const std::vector<HeadIndex> heads = AllHeadsOf(model);
  RandomStream random(kEvidenceSeed);
  std::vector<PairShares> shares;
  for (const PatchPair& pair : pairs) {
    HEADSCOPE_TRY(shares.emplace_back(), SharesOf(forward, *words, heads, pair, &random, stop));
    tell(0.2 * static_cast<double>(shares.size()) / static_cast<double>(pairs.size()));
  }
  const auto of_head = [&shares](std::vector<double> PairShares::*what, std::size_t head) {
    std::vector<double> values;
    for (const PairShares& pair : shares) {
      values.push_back((pair.*what)[head]);
    }
    return values;
  };
  RoleEvidence made;
  for (std::size_t i = 0; i < heads.size(); ++i) {
    made.all.push_back(EvidenceOf(EvidenceKind::kMovesNames,
                                  heads[i],
                                  of_head(&PairShares::moved, i),
                                  of_head(&PairShares::moved_elsewhere, i)));
  }
  made.receivers = ReceiversIn(made.all);
  for (std::size_t i = 0; i < heads.size(); ++i) {
    made.all.push_back(EvidenceOf(EvidenceKind::kSuppressesCopy,
                                  heads[i],
                                  of_head(&PairShares::lowered, i),
                                  of_head(&PairShares::lowered_elsewhere, i)));
  }
  if (made.receivers.empty()) {
    made.why_not[EvidenceKind::kStopsSubject] =
        "no head behind the first layer moves names, so none can be told where to look";
    return made;
  }
  std::vector<HeadIndex> senders = heads;
  const std::int64_t first = made.receivers.front().layer;
  std::erase_if(senders, [&](HeadIndex head) { return head.layer >= first; });
  const auto scores = ScoresOfPaths(
      forward, pairs, senders, made.receivers, stop, [&](double done) { tell(0.2 + 0.4 * done); });
  if (!scores) {
    if (scores.error().code != ErrorCode::kInput) {
      return tl::unexpected(scores.error());
    }
    made.why_not[EvidenceKind::kStopsSubject] = scores.error().message;
    return made;
  }
  std::vector<PatchScore> controls;
  const auto others = DrawOthers(model, {.heads = made.receivers}, 1, kEvidenceSeed);
  if (others) {
    made.other_receivers = others->front().heads;
    HEADSCOPE_TRY(
        controls,
        ScoresOfPaths(forward, pairs, senders, made.other_receivers, stop, [&](double done) {
          tell(0.6 + 0.4 * done);
        }));
  }
  for (std::size_t i = 0; i < senders.size(); ++i) {
    made.all.push_back(
        {.kind = EvidenceKind::kStopsSubject,
         .head = senders[i],
         .score = (*scores)[i].score,
         .control = controls.empty() ? std::nullopt : std::optional(controls[i].score),
         .error = (*scores)[i].error,
         .cases = std::ssize(pairs)});
  }
  return made;
}

}  // namespace headscope
