// Scans of all parts of an encoder-decoder, as files.
#include <algorithm>
#include <set>
#include <tuple>

#include <nlohmann/json.hpp>

#include "core/heads/probe/target.h"
#include "core/heads/scan/score_report.h"
#include "core/model/twin.h"
#include "tests/support/backends.h"
#include "tests/support/catch.h"
#include "tests/support/copying_bart.h"

namespace headscope {

TEST_CASE("shares of an encoder-decoder's scan merge to one run, every head with its part",
          "[heads]") {
  const auto model = test::CopyingBart().Open();
  const auto backend = MakeReferenceBackend();
  Forward forward(model, backend.get());
  const auto corpus =
      MakeRepeats(*model, ReadVocabulary(*model), {.sequences = 60, .from_texts = false});
  REQUIRE(corpus);
  const auto targets = MakeTargets(*model, *corpus);
  REQUIRE(targets);
  ScanPart whole{.about = DescribeScan(*model, *corpus), .done = {}};
  whole.about.twins = 1;
  const auto twin = MakeTwin(model, 2, {});
  REQUIRE(twin);
  Forward of_twin(*twin, backend.get());
  const auto batches = CutBatches(*corpus);
  REQUIRE(batches.size() >= 3);
  for (const auto& [of, first] :
       {std::pair(&forward, std::size_t{0}), std::pair(&of_twin, batches.size())}) {
    for (std::size_t batch = 0; batch < batches.size(); ++batch) {
      auto sums = RunBatch(of,
                           *corpus,
                           {.measures = first == 0, .sequences = first == 0, .targets = &*targets},
                           batches[batch],
                           {});
      REQUIRE(sums);
      whole.done.emplace(static_cast<std::int64_t>(first + batch), std::move(*sums));
    }
  }
  std::optional<ScanPart> merged;
  for (const std::size_t share : {2U, 0U, 3U, 1U}) {
    ScanPart one{.about = whole.about, .done = {}};
    for (const auto& [batch, sums] : whole.done) {
      if (static_cast<std::size_t>(batch) % 4 == share) {
        one.done.emplace(batch, sums);
      }
    }
    auto read = ParsePart(PartText(one), "share.json");
    REQUIRE(read);
    CHECK(read->about == whole.about);
    if (!merged) {
      merged = std::move(*read);
    } else {
      REQUIRE(MergePart(std::move(*read), "share.json", &*merged));
    }
  }
  const auto report_of = [](const ScanPart& part) {
    return MakeReport(part.about, *TotalOf(part), *TwinScoresOf(part));
  };
  const ScoreReport report = report_of(whole);
  CHECK(ReportJson(report) == ReportJson(report_of(*merged)));
  CHECK(ReportCsv(report) == ReportCsv(report_of(*merged)));

  const auto json = nlohmann::json::parse(ReportJson(report));
  std::vector<std::string> names;
  std::set<std::string> keys;
  for (const auto& head : json["heads"]) {
    names.push_back(head["head"]);
    CHECK(head["part"] == (names.back()[0] == 'E'   ? "encoder"
                           : names.back()[0] == 'D' ? "decoder"
                                                    : "cross"));
    std::set<std::string> own;
    for (const auto& [id, score] : head["scores"].items()) {
      own.insert(id);
      CHECK((score["score"].is_null() == score.contains("why_not")));
    }
    CHECK((keys.empty() || own == keys));
    keys = own;
  }
  CHECK(names == std::vector<std::string>{"E0H0", "E0H1", "D0H0", "D0H1", "X0H0", "X0H1"});
  CHECK(json["heads"][4]["scores"]["previous_token"]["score"].is_null());
  CHECK(json["heads"][2]["scores"]["source:+0"]["score"].is_null());
  CHECK(json["heads"][4]["scores"]["source:+0"]["score"] > 0.99);
  CHECK(json["heads"][4]["suggested"][0]["twin"] < 0.5);
  CHECK(json["heads"][4]["suggested"][0]["stability"] == 1.0);

  // What sequences had by themselves adds up to the sums, of every part.
  const auto total = TotalOf(*merged);
  REQUIRE(total);
  for (const auto& [part, id, head] : {std::tuple(0, "previous_token", 0),
                                       std::tuple(1, "source:+0", 0),
                                       std::tuple(1, "source_token", 1)}) {
    const BatchSums& sums = total->more[static_cast<std::size_t>(part)];
    const HeadMetric* const metric = FindMetric(id);
    const auto place = static_cast<std::size_t>(metric - AllMetrics().data());
    const auto of_head = static_cast<std::size_t>(head);
    std::vector<double> difference(corpus->groups.size());
    std::int64_t control_rows = 0;
    for (const auto& one : sums.sequences) {
      CHECK_FALSE(corpus->sequences[one->place].is_control);
      const auto found = std::ranges::find(one->metrics, place, &SequenceMeans::Metric::metric);
      REQUIRE(found != one->metrics.end());
      control_rows += found->control_rows;
      const auto control = static_cast<double>(found->ControlOf(of_head));
      difference[one->group] += metric->is_place
                                    ? control - static_cast<double>(found->ChanceOf(of_head))
                                    : static_cast<double>(found->score[of_head]) - control;
    }
    CHECK(std::ssize(sums.sequences) == whole.about.sequences);
    for (std::size_t group = 0; group < difference.size(); ++group) {
      const MetricSums& of_group = sums.rows[place][group];
      INFO(id);
      CHECK(difference[group] ==
            Approx(of_group.heads[of_head].difference).epsilon(1e-4).margin(1e-4));
      control_rows -= of_group.control_rows;
    }
    CHECK(control_rows == 0);
  }
  CHECK(json["heads"][4]["scores"]["nearest_head"]["nearest"] == "X0H1");

  std::string damaged = PartText(whole);
  const std::size_t more = damaged.find("\"more\":[");
  REQUIRE(more != std::string::npos);
  damaged.replace(more, 6, "\"mere\"");
  const auto refused = ParsePart(damaged, "share.json");
  REQUIRE_FALSE(refused);
  CHECK_THAT(refused.error().message, test::Says("a batch has not the parts of its model"));
  for (const char* const parts : {R"([["decoder",100000,100000]])",
                                  R"([["cross",1,2]])",
                                  R"([["decoder",1,-2],["cross",1,2]])",
                                  R"([["decoder",1,2],["cross",1,2],["cross",1,2]])",
                                  R"([["decoder",1]])",
                                  R"(["decoder"])"}) {
    std::string head = PartHeadText(whole.about);
    const std::size_t begin = head.find("[[\"decoder\"");
    REQUIRE(begin != std::string::npos);
    head.replace(begin, head.find("]]", begin) + 2 - begin, parts);
    INFO(head);
    CHECK_FALSE(ParsePart(head, "share.json"));
  }
}

}  // namespace headscope
