#include "core/heads/effect/ablation.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "core/base/quote.h"
#include "core/base/random.h"
#include "core/heads/effect/token_losses.h"

namespace headscope {
namespace {

constexpr std::int64_t kAblationRunTokens = 512;  // per run, over the texts side by side
constexpr std::int64_t kMostMapCells = std::int64_t{1} << 27U;   // kept for one run
constexpr std::int64_t kMostHeldCells = std::int64_t{1} << 26U;  // kept for all

using KindMeans = std::array<HeadMean, kAblationKinds.size()>;

AblatedHead AblatedOf(HeadIndex head, double loss, const KindMeans& means) {
  AblatedHead ablated{.head = head, .loss = loss, .changes = {}};
  for (std::size_t kind = 0; kind < means.size(); ++kind) {
    const HeadScore change = MeanScore(means[kind]);
    ablated.changes[kind] = {
        change.score,
        change.error,
        change.score ? "" : "the maps of the longest text are too large to be kept"};
    ablated.tokens = std::max(ablated.tokens, change.rows);
    ablated.texts = std::max(ablated.texts, change.sequences);
  }
  return ablated;
}

}  // namespace

std::vector<HeadAblater::Group> HeadAblater::GroupsOf(const ProbeCorpus& corpus) {
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

HeadAblater::HeadAblater(std::shared_ptr<const Model> model,
                         Backend* backend,
                         const ProbeCorpus& corpus)
    : backend_(backend, *model), forward_(std::move(model), &backend_), groups_(GroupsOf(corpus)) {}

HeadAblater::~HeadAblater() = default;

Result<std::unique_ptr<HeadAblater>> HeadAblater::Make(std::shared_ptr<const Model> model,
                                                       Backend* backend,
                                                       const ProbeCorpus& corpus,
                                                       const std::stop_token& stop) {
  std::unique_ptr<HeadAblater> made(new HeadAblater(std::move(model), backend, corpus));
  HEADSCOPE_TRY(made->Begin(corpus.probe, stop));
  return made;
}

Status HeadAblater::Begin(const std::string& probe, const std::stop_token& stop) {
  HEADSCOPE_TRY(losses_, TokenLosses::Make(&forward_, stop));
  if (groups_.empty()) {
    return Fail(
        ErrorCode::kInput,
        fmt::format("{}: no text of it has a token to predict: nothing to ablate on", probe));
  }
  for (Group& group : groups_) {
    backend_.BeginClean();
    HEADSCOPE_TRY(group.clean, losses_->Run(group.texts, group.predicted, stop));
  }
  return {};
}

Result<std::vector<AblatedHead>> HeadAblater::Measure(
    std::span<const HeadIndex> heads,
    const std::stop_token& stop,
    const std::function<void(double done)>& on_part) {
  std::vector<KindMeans> means(heads.size());
  const bool keeps_maps = std::ranges::all_of(
      groups_, [&](const Group& group) { return MapCells(group) <= kMostMapCells; });
  const bool holds_maps = std::accumulate(groups_.begin(),
                                          groups_.end(),
                                          std::int64_t{0},
                                          [&](std::int64_t sum, const Group& group) {
                                            return sum + MapCells(group);
                                          }) <= kMostHeldCells;
  HeadMean clean;
  const auto parts = static_cast<double>(groups_.size() * heads.size());
  double done = 0.0;
  for (Group& group : groups_) {
    AddTexts(group, group.clean, nullptr, &clean);
    if (keeps_maps && group.maps.empty()) {
      backend_.BeginClean(&group.maps);
      HEADSCOPE_TRY(losses_->Run(group.texts, group.predicted, stop));
    }
    for (std::size_t place = 0; place < heads.size(); ++place) {
      if (on_part) {
        on_part(done++ / parts);
      }
      for (std::size_t kind = 0; kind < kAblationKinds.size(); ++kind) {
        if (kAblationKinds[kind] == AblationKind::kPattern && !keeps_maps) {
          continue;
        }
        backend_.Begin(heads[place].layer, heads[place].head, kAblationKinds[kind], &group.maps);
        HEADSCOPE_TRY(const auto without, losses_->Run(group.texts, group.predicted, stop));
        AddTexts(group, without, &group.clean, &means[place][kind]);
      }
    }
    if (!holds_maps) {
      group.maps = {};
    }
  }
  std::vector<AblatedHead> ablated;
  for (std::size_t place = 0; place < heads.size(); ++place) {
    ablated.push_back(AblatedOf(heads[place], clean.sum / clean.rows, means[place]));
  }
  return ablated;
}

std::int64_t HeadAblater::MapCells(const Group& group) const {
  const ModelDescription& shape = forward_.model().description();
  const std::int64_t tokens = group.texts.front()->tokens();
  return shape.layers * shape.heads * tokens * tokens * std::ssize(group.texts);
}

void HeadAblater::AddTexts(const Group& group,
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
  const std::int64_t of_layer = model->description().heads;
  HEADSCOPE_TRY(const auto ablater, HeadAblater::Make(std::move(model), backend, corpus, stop));
  std::vector<HeadAblation> all;
  for (const HeadIndex head : heads) {
    std::vector<HeadIndex> own_first = DrawControls(head, of_layer, settings);
    own_first.insert(own_first.begin(), head);
    const auto on_part = [&](double done) {
      if (settings.on_part) {
        settings.on_part(head, done);
      }
    };
    HEADSCOPE_TRY(const auto measured, ablater->Measure(own_first, stop, on_part));
    all.push_back({measured.front(), {measured.begin() + 1, measured.end()}});
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
