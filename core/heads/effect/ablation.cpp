#include "core/heads/effect/ablation.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "core/base/quote.h"
#include "core/base/random.h"
#include "core/heads/effect/token_losses.h"
#include "core/heads/measure/head_means.h"

namespace headscope {
namespace {

constexpr std::int64_t kAblationRunTokens = 512;  // per run, over the texts side by side
constexpr std::int64_t kMostMapCells = std::int64_t{1} << 27U;   // kept for one run
constexpr std::int64_t kMostHeldCells = std::int64_t{1} << 26U;  // kept for all

// Texts of one length.
struct Group {
  std::vector<const ProbeSequence*> texts;
  std::vector<std::vector<std::int64_t>> predicted;
  std::vector<double> clean;   // losses, summed over the predicted tokens
  AblatingBackend::Maps maps;  // of the whole model; may be empty
};

std::vector<Group> GroupsOf(const ProbeCorpus& corpus) {
  std::vector<const ProbeSequence*> texts;
  for (const ProbeSequence& sequence : corpus.sequences) {
    if (!sequence.is_control && !PredictedTokens(sequence, corpus.is_repeats()).empty()) {
      texts.push_back(&sequence);
    }
  }
  std::ranges::stable_sort(texts, {}, &ProbeSequence::tokens);
  std::vector<Group> groups;
  for (const ProbeSequence* text : texts) {
    const bool fits = !groups.empty() && groups.back().texts.front()->tokens() == text->tokens() &&
                      (std::ssize(groups.back().texts) + 1) * text->tokens() <= kAblationRunTokens;
    if (!fits) {
      groups.emplace_back();
    }
    groups.back().texts.push_back(text);
    groups.back().predicted.push_back(PredictedTokens(*text, corpus.is_repeats()));
  }
  return groups;
}

}  // namespace

class HeadAblater::Runs {
 public:
  Runs(std::shared_ptr<const Model> model, Backend* backend, const ProbeCorpus& corpus)
      : backend_(backend, *model),
        forward_(std::move(model), &backend_),
        groups_(GroupsOf(corpus)) {}

  Status Begin(const std::string& probe, const std::stop_token& stop) {
    HEADSCOPE_TRY(auto losses, TokenLosses::Make(&forward_, stop));
    losses_ = std::move(losses);
    if (groups_.empty()) {
      return Fail(
          ErrorCode::kInput,
          fmt::format("{}: no text of it has a token to predict: nothing to ablate on", probe));
    }
    for (Group& group : groups_) {
      backend_.BeginClean();
      HEADSCOPE_TRY(auto clean, losses_->Run(group.texts, group.predicted, stop));
      group.clean = std::move(clean);
    }
    return {};
  }

  Result<HeadAblation> Measure(HeadIndex head,
                               const AblationSettings& settings,
                               const std::stop_token& stop) {
    const ModelDescription& shape = forward_.model().description();
    HeadAblation ablation{
        .head = head, .controls = DrawControls(head, shape.heads, settings), .changes = {}};
    std::vector<HeadIndex> all = {head};
    all.insert(all.end(), ablation.controls.begin(), ablation.controls.end());
    // [kind][head]
    std::vector<std::vector<HeadMean>> means(kAblationKinds.size(),
                                             std::vector<HeadMean>(all.size()));
    const bool keeps_maps = std::ranges::all_of(
        groups_, [&](const Group& group) { return MapCells(group) <= kMostMapCells; });
    const bool holds_maps = std::accumulate(groups_.begin(),
                                            groups_.end(),
                                            std::int64_t{0},
                                            [&](std::int64_t sum, const Group& group) {
                                              return sum + MapCells(group);
                                            }) <= kMostHeldCells;
    HeadMean clean;
    const auto parts = static_cast<double>(groups_.size() * all.size());
    double done = 0.0;
    for (Group& group : groups_) {
      AddTexts(group, group.clean, nullptr, &clean);
      if (keeps_maps && group.maps.empty()) {
        backend_.BeginClean(&group.maps);
        HEADSCOPE_TRY(losses_->Run(group.texts, group.predicted, stop));
      }
      for (std::size_t place = 0; place < all.size(); ++place) {
        if (settings.on_part) {
          settings.on_part(head, done++ / parts);
        }
        for (std::size_t kind = 0; kind < kAblationKinds.size(); ++kind) {
          if (kAblationKinds[kind] == AblationKind::kPattern && !keeps_maps) {
            continue;
          }
          backend_.Begin(all[place].layer, all[place].head, kAblationKinds[kind], &group.maps);
          HEADSCOPE_TRY(const auto without, losses_->Run(group.texts, group.predicted, stop));
          AddTexts(group, without, &group.clean, &means[kind][place]);
        }
      }
      if (!holds_maps) {
        group.maps = {};
      }
    }
    ablation.loss = clean.sum / clean.rows;
    for (std::size_t kind = 0; kind < kAblationKinds.size(); ++kind) {
      ablation.changes[kind] = ChangeOf(means[kind]);
    }
    return ablation;
  }

 private:
  [[nodiscard]] std::int64_t MapCells(const Group& group) const {
    const ModelDescription& shape = forward_.model().description();
    const std::int64_t tokens = group.texts.front()->tokens();
    return shape.layers * shape.heads * tokens * tokens * std::ssize(group.texts);
  }

  static void AddTexts(const Group& group,
                       const std::vector<double>& losses,
                       const std::vector<double>* less,
                       HeadMean* to) {
    for (std::size_t text = 0; text < losses.size(); ++text) {
      to->AddText(losses[text] - (less != nullptr ? (*less)[text] : 0.0),
                  0.0,
                  0.0,
                  static_cast<double>(group.predicted[text].size()));
    }
  }

  static AblationChange ChangeOf(const std::vector<HeadMean>& means) {
    AblationChange change{.own = MeanScore(means.front()), .controls = {}};
    if (!change.own.score) {
      change.why_not = "the maps of the longest text are too large to be kept";
      return change;
    }
    change.own.chance = std::nullopt;
    for (std::size_t control = 1; control < means.size(); ++control) {
      change.controls.push_back(means[control].sum / means[control].rows);
    }
    const auto count = static_cast<double>(change.controls.size());
    if (count > 0.0) {
      const double mean =
          std::accumulate(change.controls.begin(), change.controls.end(), 0.0) / count;
      change.control_mean = mean;
      double squares = 0.0;
      for (const double one : change.controls) {
        squares += (one - mean) * (one - mean);
      }
      if (count > 1.0) {
        change.control_spread = std::sqrt(squares / (count - 1.0));
      }
    }
    return change;
  }

  AblatingBackend backend_;
  Forward forward_;
  std::vector<Group> groups_;
  std::unique_ptr<TokenLosses> losses_;
};

HeadAblater::HeadAblater(std::unique_ptr<Runs> runs) : runs_(std::move(runs)) {}

HeadAblater::~HeadAblater() = default;

Result<std::unique_ptr<HeadAblater>> HeadAblater::Make(std::shared_ptr<const Model> model,
                                                       Backend* backend,
                                                       const ProbeCorpus& corpus,
                                                       const std::stop_token& stop) {
  auto runs = std::make_unique<Runs>(std::move(model), backend, corpus);
  HEADSCOPE_TRY(runs->Begin(corpus.probe, stop));
  return std::unique_ptr<HeadAblater>(new HeadAblater(std::move(runs)));
}

Result<HeadAblation> HeadAblater::Measure(HeadIndex head,
                                          const AblationSettings& settings,
                                          const std::stop_token& stop) {
  return runs_->Measure(head, settings, stop);
}

std::string_view AblationName(AblationKind kind) {
  switch (kind) {
    case AblationKind::kZero:
      return "zero";
    case AblationKind::kMean:
      return "mean";
    case AblationKind::kPattern:
      break;
  }
  return "pattern";
}

std::vector<HeadIndex> DrawControls(HeadIndex head,
                                    std::int64_t heads_of_layer,
                                    const AblationSettings& settings) {
  std::vector<HeadIndex> others;
  for (std::int64_t other = 0; other < heads_of_layer; ++other) {
    if (other != head.head) {
      others.push_back({head.layer, other, head.part});
    }
  }
  RandomStream random(settings.seed * 1'000'003 +
                      static_cast<std::uint64_t>(head.layer * heads_of_layer + head.head));
  for (std::size_t i = others.size(); i > 1; --i) {
    std::swap(others[i - 1], others[random.Below(i)]);
  }
  others.resize(std::min(others.size(), static_cast<std::size_t>(settings.controls)));
  return others;
}

Result<std::vector<HeadAblation>> AblateHeads(std::shared_ptr<const Model> model,
                                              Backend* backend,
                                              const ProbeCorpus& corpus,
                                              std::span<const HeadIndex> heads,
                                              const AblationSettings& settings,
                                              const std::stop_token& stop) {
  HEADSCOPE_TRY(const auto ablater, HeadAblater::Make(std::move(model), backend, corpus, stop));
  std::vector<HeadAblation> all;
  for (const HeadIndex head : heads) {
    HEADSCOPE_TRY(auto one, ablater->Measure(head, settings, stop));
    all.push_back(std::move(one));
  }
  return all;
}

Result<std::vector<HeadIndex>> ReadHeadList(std::string_view text, const ModelDescription& model) {
  std::vector<HeadIndex> heads;
  for (bool is_more = true; is_more;) {
    const std::size_t comma = text.find(',');
    const std::string_view name = text.substr(0, comma);
    const auto head = ParseHeadName(name);
    const bool is_one = head && head->part == ModelPart::kWhole && head->layer >= 0 &&
                        head->layer < model.layers && head->head >= 0 && head->head < model.heads;
    if (!is_one) {
      return Fail(ErrorCode::kInput,
                  fmt::format("{} is not a head of this model, which has L0H0 to {}",
                              Quoted(std::string(name)),
                              HeadName({model.layers - 1, model.heads - 1})));
    }
    heads.push_back(*head);
    is_more = comma != text.npos;
    text.remove_prefix(is_more ? comma + 1 : text.size());
  }
  return heads;
}

}  // namespace headscope
