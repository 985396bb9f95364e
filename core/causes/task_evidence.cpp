#include "core/causes/task_evidence.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/base/random.h"
#include "core/causes/logit_shares.h"
#include "core/causes/probe_means.h"
#include "core/causes/scatter.h"
#include "core/causes/word_layer.h"

namespace headscope {
namespace {

constexpr std::uint64_t kTaskSeed = 1;
// A prompt's words and the one it is set against, with some choice.
constexpr std::int64_t kFewestTaskPairs = 2 * (kDemonstrations + 2);
constexpr std::size_t kFewestChains = 5;
constexpr std::int64_t kChain = 3;
constexpr int kMostTries = 50 * kTaskPrompts;

// Numbers of one prompt, of each head.
struct OfPrompt {
  std::vector<double> scores;
  std::vector<double> controls;
};

void AddMeans(EvidenceKind kind,
              const std::vector<HeadIndex>& heads,
              const std::vector<OfPrompt>& prompts,
              RoleEvidence* evidence) {
  for (std::size_t head = 0; head < heads.size(); ++head) {
    std::vector<double> scores;
    std::vector<double> controls;
    for (const OfPrompt& prompt : prompts) {
      scores.push_back(prompt.scores[head]);
      controls.push_back(prompt.controls[head]);
    }
    evidence->all.push_back(EvidenceOf(kind, heads[head], scores, controls));
  }
}

bool HasPositions(const ModelDescription& model, const PatchPair& prompt) {
  return CheckInput(model, prompt.clean).has_value();
}

Result<OfPrompt> SuccessorShares(Forward* forward,
                                 const WordLayer& words,
                                 const std::vector<HeadIndex>& heads,
                                 const PatchPair& prompt,
                                 const std::stop_token& stop) {
  ShareRun run(*forward, {.row = prompt.row, .by_key = heads}, nullptr);
  HEADSCOPE_TRY(forward->RunChanged(prompt.clean, {}, &run, &run, stop));
  HEADSCOPE_TRY(const LogitShares lead, run.Split(words, prompt.right, prompt.wrong));
  OfPrompt made;
  for (const HeadIndex head : heads) {
    const std::vector<double>& keys = lead.keys.at(head);
    const auto last = static_cast<std::size_t>(prompt.row);
    double others = 0.0;
    for (std::size_t key = 0; key < last; ++key) {
      others += keys[key];
    }
    made.scores.push_back(keys[last]);
    made.controls.push_back(others / static_cast<double>(last));
  }
  return made;
}

Status AddSuccessors(Forward* forward,
                     const std::vector<TaskTable>& tables,
                     const std::vector<std::int32_t>& begin,
                     const std::stop_token& stop,
                     const OnEvidence& on_part,
                     RoleEvidence* evidence) {
  std::vector<PatchPair> prompts;
  for (const TaskTable& table : tables) {
    if (table.is_order) {
      std::ranges::move(SuccessorPrompts(table, begin), std::back_inserter(prompts));
    }
  }
  const ModelDescription& model = forward->model().description();
  if (prompts.size() < kFewestChains || !HasPositions(model, prompts.front())) {
    evidence->why_not[EvidenceKind::kSaysSuccessor] = fmt::format(
        "the model reads {} of three numbers, days or months in order, each as one "
        "token, expected {} or more",
        Counted(std::ssize(prompts), "run"),
        kFewestChains);
    return {};
  }
  HEADSCOPE_TRY(const auto words, WordLayer::Make(forward));
  const std::vector<HeadIndex> heads = AllHeadsOf(model);
  std::vector<OfPrompt> made;
  for (const PatchPair& prompt : prompts) {
    HEADSCOPE_TRY(made.emplace_back(), SuccessorShares(forward, *words, heads, prompt, stop));
    on_part(static_cast<double>(made.size()) / static_cast<double>(prompts.size()));
  }
  AddMeans(EvidenceKind::kSaysSuccessor, heads, made, evidence);
  return {};
}

using RowsOfLayers = std::map<std::pair<ModelPart, std::int64_t>, std::vector<float>>;

// What each layer's heads write at the last row on the mean over these texts, in a text's rows.
Result<RowsOfLayers> MeanLastRows(Forward* forward,
                                  std::vector<ForwardInput> texts,
                                  const std::vector<HeadIndex>& heads,
                                  const std::stop_token& stop) {
  const std::int64_t rows = std::ssize(texts.front().ids);
  ProbeMeans means(std::move(texts));
  HEADSCOPE_TRY(means.Run(forward, stop));
  RowsOfLayers last;
  for (const HeadIndex head : heads) {  // in order: side by side
    const std::vector<float> own = means.MeanAt(head, rows - 1);
    std::ranges::copy(own, std::back_inserter(last[{head.part, head.layer}]));
  }
  for (auto& [layer, row] : last) {
    row.insert(row.begin(), row.size() * static_cast<std::size_t>(rows - 1), 0.0F);
  }
  return last;
}

// What the lead gains with each head's output at the last row from these.
Result<std::vector<double>> GainsOf(Patching* patching,
                                    const std::vector<HeadIndex>& heads,
                                    const RowsOfLayers& rows,
                                    std::int64_t row,
                                    const std::stop_token& stop) {
  std::vector<std::vector<Patching::Thing>> runs;
  for (const HeadIndex head : heads) {
    const LayerId layer{head.part, head.layer};
    runs.push_back({{.what = PatchWhat::kOutput,
                     .layer = layer,
                     .head = head.head,
                     .row = row,
                     .rows = rows.at({head.part, head.layer})}});
  }
  HEADSCOPE_TRY(auto gains, patching->Run(runs, stop));
  for (double& gain : gains) {
    gain -= patching->corrupted_metric();
  }
  return gains;
}

Status RunTask(Forward* forward,
               const std::vector<PatchPair>& prompts,
               const std::vector<HeadIndex>& heads,
               const std::stop_token& stop,
               const OnEvidence& on_part,
               std::vector<OfPrompt>* made) {
  std::vector<ForwardInput> clean;
  std::vector<ForwardInput> corrupted;
  for (const PatchPair& prompt : prompts) {
    clean.push_back(prompt.clean);
    corrupted.push_back(prompt.corrupted);
  }
  HEADSCOPE_TRY(const auto with_task, MeanLastRows(forward, std::move(clean), heads, stop));
  HEADSCOPE_TRY(const auto without, MeanLastRows(forward, std::move(corrupted), heads, stop));
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    HEADSCOPE_TRY(const auto patching,
                  Patching::Make(forward, prompts[i], PatchDirection::kDenoise, stop));
    OfPrompt& one = made->emplace_back();
    HEADSCOPE_TRY(one.scores, GainsOf(patching.get(), heads, with_task, prompts[i].row, stop));
    HEADSCOPE_TRY(one.controls, GainsOf(patching.get(), heads, without, prompts[i].row, stop));
    on_part(static_cast<double>(i + 1) / static_cast<double>(prompts.size()));
  }
  return {};
}

Status AddTasks(Forward* forward,
                const std::vector<TaskTable>& tables,
                const std::vector<std::int32_t>& begin,
                const std::stop_token& stop,
                const OnEvidence& on_part,
                RoleEvidence* evidence) {
  const ModelDescription& model = forward->model().description();
  std::vector<std::vector<PatchPair>> tasks;
  std::size_t most = 0;
  for (const TaskTable& table : tables) {
    most = std::max(most, table.pairs.size());
    auto prompts = TaskPrompts(table, begin);
    if (!prompts.empty() && HasPositions(model, prompts.front())) {
      tasks.push_back(std::move(prompts));
    }
  }
  if (tasks.empty()) {
    evidence->why_not[EvidenceKind::kCarriesTask] = fmt::format(
        "no table has enough words that the model reads as one token each (the best one {}, "
        "expected {} or more), or the model reads fewer tokens than a prompt has",
        most,
        kFewestTaskPairs);
    return {};
  }
  const std::vector<HeadIndex> heads = AllHeadsOf(model);
  std::vector<OfPrompt> made;
  for (std::size_t task = 0; task < tasks.size(); ++task) {
    HEADSCOPE_TRY(RunTask(
        forward,
        tasks[task],
        heads,
        stop,
        [&](double done) {
          on_part((static_cast<double>(task) + done) / static_cast<double>(tasks.size()));
        },
        &made));
  }
  AddMeans(EvidenceKind::kCarriesTask, heads, made, evidence);
  return {};
}

PatchPair PromptOf(std::vector<std::int32_t> clean,
                   std::vector<std::int32_t> corrupted,
                   std::int32_t right,
                   std::int32_t wrong) {
  PatchPair pair;
  pair.row = std::ssize(clean) - 1;
  pair.clean.ids = std::move(clean);
  pair.corrupted.ids = std::move(corrupted);
  pair.right = right;
  pair.wrong = wrong;
  return pair;
}

}  // namespace

std::vector<TaskTable> TablesFor(const Model& model, const std::vector<WordPairs>& maps) {
  std::vector<TaskTable> tables;
  if (model.tokenizer() == nullptr) {
    return tables;
  }
  for (const WordPairs& map : maps) {
    TaskTable table{map.name, SingleTokenPairs(*model.tokenizer(), map), map.name == "successor"};
    const std::int64_t vocabulary = model.description().vocabulary;
    std::erase_if(table.pairs, [vocabulary](const MappedToken& pair) {
      return pair.source >= vocabulary || pair.target >= vocabulary;
    });
    tables.push_back(std::move(table));
  }
  return tables;
}

std::vector<PatchPair> TaskPrompts(const TaskTable& table, const std::vector<std::int32_t>& begin) {
  std::vector<PatchPair> prompts;
  if (std::ssize(table.pairs) < kFewestTaskPairs) {
    return prompts;
  }
  RandomStream random(kTaskSeed);
  std::vector<MappedToken> pairs = table.pairs;
  constexpr auto kShown = static_cast<std::size_t>(kDemonstrations);
  // Where every word has the same partner there is none to set it against.
  for (int tries = 0; tries < kMostTries && std::ssize(prompts) < kTaskPrompts; ++tries) {
    for (std::size_t i = 0; i < kShown + 2; ++i) {
      std::swap(pairs[i], pairs[i + random.Below(pairs.size() - i)]);
    }
    const MappedToken asked = pairs[kShown];
    std::vector<std::int32_t> clean = begin;
    std::vector<std::int32_t> corrupted = begin;
    for (std::size_t i = 0; i < kShown; ++i) {
      clean.insert(clean.end(), {pairs[i].source, pairs[i].target});
      corrupted.insert(corrupted.end(), {pairs[i].source, pairs[(i + 1) % kShown].target});
    }
    clean.push_back(asked.source);
    corrupted.push_back(asked.source);
    // Of words in order one may be another's partner: then the answer stands in the prompt.
    const std::int32_t other = pairs[kShown + 1].target;
    if (std::ranges::find(clean, asked.target) == clean.end() &&
        std::ranges::find(clean, other) == clean.end() && other != asked.target) {
      prompts.push_back(PromptOf(std::move(clean), std::move(corrupted), asked.target, other));
    }
  }
  if (std::ssize(prompts) < kTaskPrompts) {
    prompts.clear();
  }
  return prompts;
}

std::vector<PatchPair> SuccessorPrompts(const TaskTable& table,
                                        const std::vector<std::int32_t>& begin) {
  std::map<std::int32_t, std::int32_t> next;
  std::set<std::int32_t> words;
  for (const MappedToken& pair : table.pairs) {
    next[pair.source] = pair.target;
    words.insert({pair.source, pair.target});
  }
  RandomStream random(kTaskSeed);
  std::vector<PatchPair> all;
  for (const MappedToken& pair : table.pairs) {
    std::vector<std::int32_t> chain = {pair.source};
    while (std::ssize(chain) <= kChain && next.contains(chain.back())) {
      chain.push_back(next.at(chain.back()));
    }
    std::set<std::int32_t> used(chain.begin(), chain.end());
    const bool is_whole = std::ssize(used) > kChain;
    used.insert(begin.begin(), begin.end());
    std::vector<std::int32_t> others;
    std::ranges::set_difference(words, used, std::back_inserter(others));
    if (!is_whole || others.empty()) {
      continue;
    }
    const std::int32_t right = chain.back();
    chain.pop_back();
    chain.insert(chain.begin(), begin.begin(), begin.end());
    all.push_back(PromptOf(chain, chain, right, others[random.Below(others.size())]));
  }
  // Spread over the table.
  std::vector<PatchPair> prompts;
  const std::size_t count = std::min(all.size(), static_cast<std::size_t>(kSuccessorPrompts));
  for (std::size_t i = 0; i < count; ++i) {
    prompts.push_back(all[i * all.size() / count]);
  }
  return prompts;
}

Status AddTaskEvidence(Forward* forward,
                       const std::vector<TaskTable>& tables,
                       const std::vector<std::int32_t>& begin,
                       const std::stop_token& stop,
                       const OnEvidence& on_part,
                       RoleEvidence* evidence) {
  const auto tell = [&on_part](double done) {
    if (on_part) {
      on_part(done);
    }
  };
  HEADSCOPE_TRY(CheckEvidenceModel(forward->model().description()));
  HEADSCOPE_TRY(AddSuccessors(
      forward, tables, begin, stop, [&](double done) { tell(0.2 * done); }, evidence));
  return AddTasks(
      forward, tables, begin, stop, [&](double done) { tell(0.2 + 0.8 * done); }, evidence);
}

}  // namespace headscope
