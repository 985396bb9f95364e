// Heads taken away from the open text, on the worker.
#include <cmath>

#include "core/causes/next_word.h"
#include "core/worker/job.h"
#include "core/worker/text_said.h"
#include "tests/support/catch.h"
#include "tests/support/near.h"
#include "tests/unit/worker/worker_harness.h"

namespace headscope {
namespace {

using test::Harness;
using test::Ids;
using test::kBart;
using test::kProbe;
using test::Near;
using test::Only;
using test::Says;

HeadsOffJob Off(std::vector<HeadIndex> heads, Replacement replacement = Replacement::kZero) {
  return {.off = {std::move(heads), replacement}};
}

double LossAt(const NextWordSaid& said) {
  return said.word->prediction.rows.front().next->loss;
}

}  // namespace

TEST_CASE("later layers and losses follow the heads that are off", "[worker][heads off]") {
  Harness harness;
  harness.Wait(harness.Submit(OpenModelRequest{kProbe}));
  const auto whole_layers = Only<LayerReady>(harness.Wait(harness.Submit(Ids({5, 6, 7, 5, 9}))));
  const auto events = harness.Wait(harness.Submit(Off({{0, 1}})));
  const auto layers = Only<LayerReady>(events);
  REQUIRE(layers.size() == 1);
  CHECK(layers[0].layer->layer() == 1);
  CHECK(layers[0].layer != whole_layers[1].layer);
  CHECK(layers[0].layer->thumbnail(0).mean != whole_layers[1].layer->thumbnail(0).mean);
  const auto said = Only<TextSaid>(events);
  REQUIRE(said.size() == 1);
  REQUIRE(said[0].whole != nullptr);
  REQUIRE(said[0].without != nullptr);
  CHECK(said[0].whole->losses.rows.size() == 5);
  CHECK(said[0].whole->likeliest.size() == 5);
  CHECK(*said[0].whole->losses.loss != Near(*said[0].without->losses.loss, 1e-4));

  // The next word says the same of a row, whole and without.
  for (const bool is_off : {false, true}) {
    NextWordJob job{.row = 2};
    job.off = is_off ? Off({{0, 1}}).off : HeadsOff{};
    const auto word = Only<NextWordSaid>(harness.Wait(harness.Submit(job)));
    REQUIRE(word.size() == 1);
    const NamedLosses& losses = is_off ? *said[0].without : *said[0].whole;
    CHECK(LossAt(word[0]) == Near(losses.losses.rows[2].next->loss, 1e-5));
  }

  // The losses alone are the whole model's.
  const auto alone = Only<TextSaid>(harness.Wait(harness.Submit(LossesJob{})));
  REQUIRE(alone.size() == 1);
  CHECK(alone[0].without == nullptr);
  CHECK(*alone[0].whole->losses.loss == *said[0].whole->losses.loss);

  // Its mean over the text is another thing in its place.
  const auto mean =
      Only<TextSaid>(harness.Wait(harness.Submit(Off({{0, 1}}, Replacement::kTextMean))));
  CHECK(*mean[0].without->losses.loss != Near(*said[0].without->losses.loss, 1e-5));
}

TEST_CASE("another text forgets what was kept of the one before", "[worker][heads off]") {
  Harness harness;
  harness.Wait(harness.Submit(OpenModelRequest{kProbe}));
  harness.Wait(harness.Submit(Ids({5, 6, 7, 5})));
  harness.Wait(harness.Submit(Off({{1, 0}})));
  harness.Wait(harness.Submit(Ids({9, 8, 7})));
  const auto said = Only<TextSaid>(harness.Wait(harness.Submit(Off({{1, 0}}))));
  REQUIRE(said.size() == 1);
  CHECK(said[0].whole->losses.rows.size() == 3);
}

TEST_CASE("heads of an encoder change all that reads it", "[worker][heads off]") {
  Harness harness;
  harness.Wait(harness.Submit(OpenModelRequest{kBart}));
  const auto all = Only<LayerReady>(harness.Wait(harness.Submit(Ids({5, 6, 7, 5}))));
  const auto layers =
      Only<LayerReady>(harness.Wait(harness.Submit(Off({{0, 1, ModelPart::kEncoder}}))));
  CHECK(layers.size() + 1 == all.size());
  const auto cross =
      Only<LayerReady>(harness.Wait(harness.Submit(Off({{0, 1, ModelPart::kDecoder}}))));
  REQUIRE_FALSE(cross.empty());
  CHECK(cross.front().layer->part() == ModelPart::kCross);
}

TEST_CASE("no head is off without a text, or where there is none", "[worker][heads off]") {
  Harness harness;
  harness.Wait(harness.Submit(OpenModelRequest{kProbe}));
  const auto early = Only<Failed>(harness.Wait(harness.Submit(Off({{0, 0}}))));
  REQUIRE(early.size() == 1);
  CHECK_THAT(early[0].error.message, Says("there is no text yet"));
  harness.Wait(harness.Submit(Ids({5, 6, 7})));
  const auto beyond = Only<Failed>(harness.Wait(harness.Submit(Off({{7, 0}}))));
  REQUIRE(beyond.size() == 1);
  CHECK_THAT(beyond[0].error.message, Says("no head L7H0"));
}

TEST_CASE("a mean over other texts is of the bundled sentences, run once for a model",
          "[worker][heads off]") {
  Harness harness;
  harness.Wait(harness.Submit(OpenModelRequest{test::SourceFolder() / "assets/models/english"}));
  InputText text;
  text.text = "The old captain saw the old lamp.";
  harness.Wait(harness.Submit(AttendRequest{.input = text}));
  HeadsOffJob job = Off({{1, 1}}, Replacement::kProbeMean);
  job.probes = test::SourceFolder() / "assets/probes";
  const auto told = [&] {
    const auto events = harness.Wait(harness.Submit(job));
    const auto said = Only<TextSaid>(events);
    REQUIRE(said.size() == 1);
    return std::pair(*said[0].without->losses.loss, Only<Progress>(events).size());
  };
  const auto [loss, parts] = told();
  CHECK(parts == 200);
  const auto [again, more] = told();
  CHECK(again == loss);
  CHECK(more == 0);
  job.off.replacement = Replacement::kZero;
  CHECK(told().first != Near(loss, 1e-5));
  // A model without a tokenizer reads no sentences.
  harness.Wait(harness.Submit(OpenModelRequest{kBart}));
  harness.Wait(harness.Submit(Ids({5, 6, 7, 5})));
  job.off = {{{0, 1, ModelPart::kEncoder}}, Replacement::kProbeMean};
  const auto failed = Only<Failed>(harness.Wait(harness.Submit(job)));
  REQUIRE(failed.size() == 1);
  CHECK_THAT(failed[0].error.message, Says("no tokenizer"));
}

}  // namespace headscope
