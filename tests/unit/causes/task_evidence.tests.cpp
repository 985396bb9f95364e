#include "core/causes/task_evidence.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "core/causes/asked_heads.h"
#include "core/causes/prediction.h"
#include "core/causes/word_layer.h"
#include "core/compute/rows.h"
#include "core/model/layer_changes.h"
#include "tests/support/backends.h"
#include "tests/support/catch.h"
#include "tests/support/near.h"
#include "tests/unit/causes/word_models.h"

namespace headscope {
namespace {

using test::Near;
using test::WordModel;

// 0 to 1, 2 to 3 and so on: no word is another's partner.
TaskTable Partners(std::int32_t pairs) {
  TaskTable table{.name = "partners", .pairs = {}};
  for (std::int32_t i = 0; i < pairs; ++i) {
    table.pairs.push_back({2 * i, 2 * i + 1});
  }
  return table;
}

// 0 to 1 to 2 and so on.
TaskTable Order(std::int32_t words) {
  TaskTable table{.name = "successor", .pairs = {}, .is_order = true};
  for (std::int32_t i = 0; i + 1 < words; ++i) {
    table.pairs.push_back({i, i + 1});
  }
  return table;
}

// One row of a layer's heads is another; read and written by hand.
struct OneRow : LayerChanges {
  OneRow(Backend* backend, std::int64_t row) : backend(backend), row(row) {}
  Status ChangeContext(LayerId layer, Activations* context) override {
    std::vector<float> all = ReadRows(*backend, *context);
    const auto cols = static_cast<std::size_t>(context->cols());
    const auto first = static_cast<std::size_t>(row) * cols;
    rows[layer.layer].assign(all.begin() + static_cast<std::ptrdiff_t>(first),
                             all.begin() + static_cast<std::ptrdiff_t>(first + cols));
    if (changed && layer.layer == changed->layer) {
      const std::size_t width = own.size();
      std::ranges::copy(own,
                        all.begin() + static_cast<std::ptrdiff_t>(
                                          first + width * static_cast<std::size_t>(changed->head)));
      backend->Load(all, context);
    }
    return {};
  }
  Status OnEnd(ModelPart /*stack*/, const Activations& states) override {
    end = ReadRows(*backend, states);
    cols = states.cols();
    return {};
  }
  Backend* backend;
  std::int64_t row;
  std::optional<HeadIndex> changed = {};
  std::vector<float> own = {};
  std::map<std::int64_t, std::vector<float>> rows = {};
  std::vector<float> end = {};
  std::int64_t cols = 0;
};

double Lead(const WordLayer& words, const OneRow& run, const PatchPair& prompt) {
  FloatMatrix last(1, run.cols);
  std::copy_n(run.end.begin() + prompt.row * run.cols, run.cols, last.data());
  const std::array<std::int32_t, 2> ids = {prompt.right, prompt.wrong};
  const std::vector<double> logits = words.LogitsOf(last, ids);
  return logits[0] - logits[1];
}

std::string JoinedIds(const ForwardInput& input) {
  std::string text;
  for (const std::int32_t id : input.ids) {
    text += std::to_string(id) + " ";
  }
  return text;
}

}  // namespace

TEST_CASE("prompts of a task show partners, and those beside them another's", "[causes][task]") {
  const std::vector<std::int32_t> begin = {39};
  const auto prompts = TaskPrompts(Partners(16), begin);
  REQUIRE(std::ssize(prompts) == kTaskPrompts);
  std::set<std::string> different;
  for (const PatchPair& prompt : prompts) {
    const auto& clean = prompt.clean.ids;
    const auto& other = prompt.corrupted.ids;
    INFO(JoinedIds(prompt.clean));
    different.insert(JoinedIds(prompt.clean));
    REQUIRE(std::ssize(clean) == 2 * kDemonstrations + 2);
    REQUIRE(clean.size() == other.size());
    CHECK(clean.front() == 39);
    CHECK(prompt.row == std::ssize(clean) - 1);
    for (std::size_t i = 1; i + 1 < clean.size(); i += 2) {
      CHECK(clean[i] == other[i]);
      CHECK(clean[i] + 1 == clean[i + 1]);
      CHECK(clean[i] + 1 != other[i + 1]);
    }
    // The same words in both.
    CHECK(std::multiset(clean.begin(), clean.end()) == std::multiset(other.begin(), other.end()));
    CHECK(clean.back() + 1 == prompt.right);
    CHECK(std::ranges::find(clean, prompt.right) == clean.end());
    CHECK(std::ranges::find(clean, prompt.wrong) == clean.end());
    CHECK(prompt.wrong % 2 == 1);
    CHECK(prompt.wrong != prompt.right);
  }
  CHECK(different.size() > 12);
  // Too few words; and words that all have the same partner.
  CHECK(TaskPrompts(Partners(13), begin).empty());
  TaskTable same = Partners(16);
  for (MappedToken& pair : same.pairs) {
    pair.target = 1;
  }
  CHECK(TaskPrompts(same, begin).empty());
  // Of words in order the answer never stands in the prompt.
  for (const PatchPair& prompt : TaskPrompts(Order(30), {})) {
    CHECK(std::ranges::find(prompt.clean.ids, prompt.right) == prompt.clean.ids.end());
  }
}

TEST_CASE("prompts of successors are three in order, and a circle ends none", "[causes][task]") {
  const auto prompts = SuccessorPrompts(Order(40), {39});
  CHECK(std::ssize(prompts) == kSuccessorPrompts);
  for (const PatchPair& prompt : prompts) {
    const auto& ids = prompt.clean.ids;
    REQUIRE(ids.size() == 4);
    CHECK(ids[1] + 1 == ids[2]);
    CHECK(ids[2] + 1 == ids[3]);
    CHECK(ids[3] + 1 == prompt.right);
    CHECK(std::ranges::find(ids, prompt.wrong) == ids.end());
    CHECK(prompt.wrong != prompt.right);
  }
  CHECK(SuccessorPrompts(Order(7), {}).size() == 4);
  // Three that follow each other round and round have no fourth; five have no end.
  const auto round = [](std::int32_t words) {
    TaskTable table{.name = "successor", .pairs = {}, .is_order = true};
    for (std::int32_t i = 0; i < words; ++i) {
      table.pairs.push_back({i, (i + 1) % words});
    }
    return table;
  };
  CHECK(SuccessorPrompts(round(3), {}).empty());
  CHECK(SuccessorPrompts(round(4), {}).empty());  // none is left to set it against
  CHECK(SuccessorPrompts(round(5), {}).size() == 5);
}

TEST_CASE("a task's numbers are those of runs in which one row of a head is its mean elsewhere",
          "[causes][task]") {
  const auto model = WordModel(test::Gpt2Config(2, 2)).Open();
  const ModelDescription& shape = model->description();
  for (const auto& backend : test::AllBackends()) {
    Forward forward(model, backend.get());
    const auto words = WordLayer::Make(&forward);
    REQUIRE(words.has_value());
    const TaskTable table = Partners(16);
    RoleEvidence evidence;
    double told = 0.0;
    REQUIRE(AddTaskEvidence(
        &forward, {table}, {39}, {}, [&](double done) { told = done; }, &evidence));
    CHECK(told == 1.0);
    CHECK(evidence.why_not.contains(EvidenceKind::kSaysSuccessor));
    CHECK_FALSE(evidence.why_not.contains(EvidenceKind::kCarriesTask));
    const auto prompts = TaskPrompts(table, {39});
    const std::int64_t row = prompts.front().row;
    const auto mean_rows = [&](bool clean) {
      std::map<std::int64_t, std::vector<double>> mean;
      for (const PatchPair& prompt : prompts) {
        OneRow run(backend.get(), row);
        REQUIRE(forward.RunChanged(clean ? prompt.clean : prompt.corrupted, {}, &run, nullptr, {}));
        for (const auto& [layer, values] : run.rows) {
          mean[layer].resize(values.size());
          for (std::size_t i = 0; i < values.size(); ++i) {
            mean[layer][i] += static_cast<double>(values[i]) / static_cast<double>(prompts.size());
          }
        }
      }
      return mean;
    };
    const auto with_task = mean_rows(true);
    const auto without = mean_rows(false);
    for (const HeadIndex head : AllHeadsOf(shape)) {
      INFO(HeadName(head) << " on " << backend->Description());
      double score = 0.0;
      double control = 0.0;
      for (const PatchPair& prompt : prompts) {
        OneRow base(backend.get(), row);
        REQUIRE(forward.RunChanged(prompt.corrupted, {}, &base, nullptr, {}));
        const auto gain = [&](const std::map<std::int64_t, std::vector<double>>& mean) {
          OneRow run(backend.get(), row);
          const std::vector<double>& all = mean.at(head.layer);
          const std::size_t width = all.size() / static_cast<std::size_t>(shape.heads);
          for (std::size_t i = 0; i < width; ++i) {
            run.own.push_back(
                static_cast<float>(all[static_cast<std::size_t>(head.head) * width + i]));
          }
          run.changed = head;
          REQUIRE(forward.RunChanged(prompt.corrupted, {}, &run, nullptr, {}));
          return (Lead(**words, run, prompt) - Lead(**words, base, prompt)) /
                 static_cast<double>(prompts.size());
        };
        score += gain(with_task);
        control += gain(without);
      }
      const Evidence* const made = evidence.Find(EvidenceKind::kCarriesTask, head);
      REQUIRE(made != nullptr);
      CHECK(made->score == Near(score, 1e-5));
      CHECK(*made->control == Near(control, 1e-5));
      CHECK(made->cases == kTaskPrompts);
      CHECK(made->error.value_or(0.0) > 0.0);
      // Both are means over the last rows, of which only those with the task tell it.
      CHECK(made->score != *made->control);
    }
  }
}

TEST_CASE("what a head says of the successor goes through the last word's key alone",
          "[causes][task]") {
  const auto model = WordModel(test::Gpt2Config(2, 2)).Open();
  const auto backend = MakeReferenceBackend();
  Forward forward(model, backend.get());
  RoleEvidence evidence;
  REQUIRE(AddTaskEvidence(&forward, {Order(20)}, {}, {}, {}, &evidence));
  const auto prompts = SuccessorPrompts(Order(20), {});
  for (const HeadIndex head : AllHeadsOf(model->description())) {
    INFO(HeadName(head));
    double score = 0.0;
    double control = 0.0;
    for (const PatchPair& prompt : prompts) {
      PredictionQuestion question{.rows = {prompt.row}};
      question.row = prompt.row;
      question.id = prompt.right;
      question.against = prompt.wrong;
      question.has_shares = true;
      question.by_key = {head};
      const auto made = Predict(&forward, prompt.clean, question, nullptr, {});
      REQUIRE(made.has_value());
      const std::vector<double>& keys = made->shares->keys.at(head);
      score += keys[2] / static_cast<double>(prompts.size());
      control += (keys[0] + keys[1]) / 2.0 / static_cast<double>(prompts.size());
    }
    const Evidence* const made = evidence.Find(EvidenceKind::kSaysSuccessor, head);
    REQUIRE(made != nullptr);
    CHECK(made->score == Near(score, 1e-6));
    CHECK(*made->control == Near(control, 1e-6));
    CHECK(made->cases == std::ssize(prompts));
  }
}

TEST_CASE("tasks are of models that say the next word, and stop at once", "[causes][task]") {
  const auto backend = MakeReferenceBackend();
  const auto masked =
      WordModel((*std::ranges::find(AllFamilies(), "bert", &Family::id))->example).Open();
  Forward bert(masked, backend.get());
  RoleEvidence none;
  const Status refused = AddTaskEvidence(&bert, {Partners(16)}, {}, {}, {}, &none);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == ErrorCode::kUnsupported);
  const auto model = WordModel(test::Gpt2Config(2, 2)).Open();
  Forward forward(model, backend.get());
  std::stop_source stop;
  stop.request_stop();
  const Status stopped = AddTaskEvidence(&forward, {Partners(16)}, {}, stop.get_token(), {}, &none);
  REQUIRE_FALSE(stopped.has_value());
  CHECK(stopped.error().code == ErrorCode::kCancelled);
  // No table at all: both are said.
  RoleEvidence empty;
  REQUIRE(AddTaskEvidence(&forward, {}, {}, {}, {}, &empty));
  CHECK(empty.all.empty());
  CHECK(empty.why_not.size() == 2);
}

}  // namespace headscope
