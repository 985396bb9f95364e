#include "core/causes/probe_means.h"

#include <deque>
#include <map>

#include "core/causes/asked_heads.h"
#include "core/causes/prediction.h"
#include "core/causes/text_without.h"
#include "core/causes/word_layer.h"
#include "core/compute/rows.h"
#include "core/model/layer_changes.h"
#include "tests/support/backends.h"
#include "tests/support/catch.h"
#include "tests/support/near.h"
#include "tests/unit/causes/changed_maps.h"
#include "tests/unit/causes/word_models.h"

namespace headscope {
namespace {

using test::Near;
using test::WordModel;

// What each layer's heads leave, of one text.
struct WrittenRows : LayerChanges {
  explicit WrittenRows(Forward* forward, const ForwardInput& text) : forward(forward) {
    REQUIRE(forward->RunChanged(text, {}, this, nullptr, {}));
  }
  Status ChangeContext(LayerId layer, Activations* context) override {
    rows[layer.layer] = ReadRows(forward->backend(), *context);
    return {};
  }
  Forward* forward;
  std::map<std::int64_t, std::vector<float>> rows;
};

// Texts of 1, 2, ... tokens, so that each position is reached by one text less.
std::vector<ForwardInput> TextsOf(std::int64_t count) {
  std::vector<ForwardInput> texts;
  for (std::int64_t text = 0; text < count; ++text) {
    ForwardInput one;
    for (std::int64_t row = 0; row <= text; ++row) {
      one.ids.push_back(static_cast<std::int32_t>((3 + 7 * text + 5 * row * row) % 40));
    }
    texts.push_back(std::move(one));
  }
  return texts;
}

constexpr std::int64_t kTexts = 14;

}  // namespace

TEST_CASE("a head's mean over texts is the mean of its rows, of all or of a position",
          "[causes][probe means]") {
  const auto model = WordModel(test::Gpt2Config(2, 3)).Open();
  const ModelDescription& shape = model->description();
  for (const auto& backend : test::AllBackends()) {
    Forward forward(model, backend.get());
    ProbeMeans means(TextsOf(kTexts));
    double told = 0.0;
    REQUIRE(means.Run(&forward, {}, [&](double done) { told = done; }));
    CHECK(told == 1.0);
    CHECK(means.IsDone());
    std::deque<WrittenRows> written;
    for (const ForwardInput& text : TextsOf(kTexts)) {
      written.emplace_back(&forward, text);
    }
    const auto heads = static_cast<std::size_t>(shape.heads);
    const auto width = static_cast<std::size_t>(StackOf(shape, ModelPart::kWhole).value_dim);
    const auto mean_of = [&](HeadIndex head, std::size_t column, std::optional<std::size_t> row) {
      double sum = 0.0;
      double count = 0.0;
      for (const WrittenRows& text : written) {
        const std::vector<float>& rows = text.rows.at(head.layer);
        for (std::size_t at = 0; at * heads * width < rows.size(); ++at) {
          if (!row || *row == at) {
            const auto first = (at * heads + static_cast<std::size_t>(head.head)) * width;
            sum += static_cast<double>(rows[first + column]);
            count += 1.0;
          }
        }
      }
      return sum / count;
    };
    for (const HeadIndex head : AllHeadsOf(shape)) {
      const std::vector<float> mean = means.MeanOf(head);
      const std::vector<float> placed = means.MeansByPosition(head, kTexts + 3);
      REQUIRE(mean.size() == width);
      REQUIRE(placed.size() == width * (kTexts + 3));
      for (std::size_t column = 0; column < width; ++column) {
        CHECK(static_cast<double>(mean[column]) == Near(mean_of(head, column, {}), 1e-6));
        for (std::size_t row = 0; row < kTexts + 3; ++row) {
          // Row 4 is the last one that ten of the fourteen texts reach.
          const auto own = row <= 4 ? std::optional(row) : std::nullopt;
          CHECK(static_cast<double>(placed[row * width + column]) ==
                Near(mean_of(head, column, own), 1e-6));
        }
      }
    }
  }
}

TEST_CASE("means that are stopped go on where they were", "[causes][probe means]") {
  const auto model = WordModel(test::Gpt2Config(2, 2)).Open();
  const auto backend = MakeReferenceBackend();
  Forward forward(model, backend.get());
  ProbeMeans whole(TextsOf(kTexts));
  REQUIRE(whole.Run(&forward, {}));
  ProbeMeans stopped(TextsOf(kTexts));
  int runs = 0;
  while (!stopped.IsDone()) {
    std::stop_source stop;
    const Status status = stopped.Run(&forward, stop.get_token(), [&](double /*done*/) {
      stop.request_stop();  // the next text is stopped on its way
    });
    REQUIRE((status.has_value() || status.error().code == ErrorCode::kCancelled));
    REQUIRE(++runs <= kTexts);
  }
  CHECK(runs == kTexts);
  for (const HeadIndex head : AllHeadsOf(model->description())) {
    CHECK(stopped.MeanOf(head) == whole.MeanOf(head));
    CHECK(stopped.MeansByPosition(head, 9) == whole.MeansByPosition(head, 9));
  }
}

TEST_CASE("a text runs with the mean over others in place of heads, in every family",
          "[causes][probe means]") {
  int families = 0;
  for (const Family* family : AllFamilies()) {
    const auto model = WordModel(family->example).Open();
    const ModelDescription& shape = model->description();
    if (shape.decoder) {
      continue;
    }
    INFO(family->id);
    const auto backend = MakeReferenceBackend();
    Forward forward(model, backend.get());
    std::vector<ForwardInput> others;
    for (std::int64_t rows = 1; rows <= 6; ++rows) {
      others.push_back(test::WordInput(shape, rows));
    }
    auto means = std::make_shared<ProbeMeans>(others);
    REQUIRE(means->Run(&forward, {}));
    const ForwardInput input = test::WordInput(shape, 5);
    TextWithout text(&forward, input);
    const std::vector<HeadIndex> heads = {AllHeadsOf(shape).front(), AllHeadsOf(shape).back()};
    for (const Replacement replacement : {Replacement::kProbeMean, Replacement::kPositionMean}) {
      const HeadsOff off{heads, replacement};
      test::Layers made;
      text.Use(nullptr);
      const Status refused = text.Run(off, test::Into(&made), {});
      REQUIRE_FALSE(refused.has_value());
      CHECK(refused.error().code == ErrorCode::kUnsupported);
      text.Use(means);
      REQUIRE(text.Run(off, test::Into(&made), {}));
      RemovedHeads removed(forward);
      for (const HeadIndex head : heads) {
        removed.Remove(head,
                       replacement == Replacement::kProbeMean ? means->MeanOf(head)
                                                              : means->MeansByPosition(head, 5));
      }
      test::CheckSameMaps(made, test::FromTheStart(&forward, input, &removed, off));
    }
    ++families;
  }
  CHECK(families > 20);
}

TEST_CASE("each row of a head takes its own replacement", "[causes][probe means]") {
  const auto model = WordModel(test::Gpt2Config(1, 2)).Open();
  const auto backend = MakeReferenceBackend();
  Forward forward(model, backend.get());
  const ForwardInput input = test::WordInput(model->description(), 4);
  const auto width =
      static_cast<std::size_t>(StackOf(model->description(), ModelPart::kWhole).value_dim);
  std::vector<float> replacement(4 * width);
  for (std::size_t i = 0; i < replacement.size(); ++i) {
    replacement[i] = static_cast<float>(i) / 8.0F - 1.0F;
  }
  RemovedHeads removed(forward);
  removed.Remove({0, 1}, replacement);
  struct Seen : LayerChanges {
    Seen(Forward* forward, RemovedHeads* removed) : forward(forward), removed(removed) {}
    Status ChangeContext(LayerId layer, Activations* context) override {
      before = ReadRows(forward->backend(), *context);
      HEADSCOPE_TRY(removed->ChangeContext(layer, context));
      after = ReadRows(forward->backend(), *context);
      return {};
    }
    Forward* forward;
    RemovedHeads* removed;
    std::vector<float> before;
    std::vector<float> after;
  } seen(&forward, &removed);
  REQUIRE(forward.RunChanged(input, {}, &seen, nullptr, {}));
  for (std::size_t row = 0; row < 4; ++row) {
    for (std::size_t column = 0; column < width; ++column) {
      CHECK(seen.after[2 * row * width + column] == seen.before[2 * row * width + column]);
      CHECK(seen.after[(2 * row + 1) * width + column] == replacement[row * width + column]);
    }
  }
}

}  // namespace headscope
