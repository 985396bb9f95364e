#include "core/heads/decide/copy_role.h"

#include "tests/support/catch.h"

namespace headscope {
namespace {

std::size_t CopyTextsOf(std::size_t texts, bool with_controls) {
  ProbeCorpus corpus{.probe = "made", .groups = {""}, .sequences = {}};
  for (std::size_t i = 0; i < texts; ++i) {
    corpus.sequences.emplace_back();
    if (with_controls) {
      corpus.sequences.emplace_back();
      corpus.sequences.back().is_control = true;
    }
  }
  std::size_t count = 0;
  for (std::size_t place = 0; place < corpus.sequences.size(); ++place) {
    const bool is_one = IsCopyText(corpus, place);
    CHECK_FALSE((is_one && corpus.sequences[place].is_control));
    count += is_one ? 1 : 0;
  }
  return count;
}

HeadCopy CopyOf(double mean, double spread, double raised, double lowered) {
  HeadCopy copy;
  for (int text = 0; text < 10; ++text) {
    const double own = mean + (text % 2 == 0 ? spread : -spread);
    copy.sum += 4.0 * own;
    copy.rows += 4.0;
    copy.texts += 1.0;
    copy.mean += own;
    copy.mean_square += own * own;
  }
  copy.ranked = 30.0;
  copy.raised = raised;
  copy.lowered = lowered;
  return copy;
}

}  // namespace

TEST_CASE("a few texts, spread over a corpus, are run for effects on logits", "[heads]") {
  for (const bool with_controls : {false, true}) {
    CHECK(CopyTextsOf(1, with_controls) == 1);
    CHECK(CopyTextsOf(24, with_controls) == 24);
    CHECK(CopyTextsOf(25, with_controls) == 13);
    CHECK(CopyTextsOf(60, with_controls) == 20);
    const std::size_t many = CopyTextsOf(5000, with_controls);
    CHECK(many >= 20);
    CHECK(many <= 24);
  }
}

TEST_CASE("copying needs a clear sign, a size, and the token among the five that move most",
          "[heads]") {
  CHECK(CopySign(CopyOf(2.0, 0.5, 20.0, 0.0)) == 1);
  CHECK(CopySign(CopyOf(-2.0, 0.5, 0.0, 20.0)) == -1);
  CHECK(CopySign(CopyOf(2.0, 0.5, 14.0, 0.0)) == 0);      // in less than half of the rows
  CHECK(CopySign(CopyOf(2.0, 0.5, 0.0, 20.0)) == 0);      // up, but not among the first
  CHECK(CopySign(CopyOf(0.1, 0.5, 30.0, 0.0)) == 0);      // within three errors of 0
  CHECK(CopySign(CopyOf(0.016, 0.001, 30.0, 0.0)) == 0);  // clear of 0, and next to nothing
  CHECK(CopySign(CopyOf(-0.006, 0.001, 0.0, 30.0)) == 0);
  CHECK(CopySign(HeadCopy()) == 0);
  CHECK(WhyNoCopySign(CopyOf(-0.016, 0.001, 0.0, 30.0)) ==
        "it lowers that token's logit by .02 ± < .01, under .10: no suppression");
  CHECK(WhyNoCopySign(CopyOf(2.0, 0.5, 14.0, 0.0)) ==
        "it raises that token's logit by 2.00 ± .17, but that token is among the 5 that it raises "
        "most in 14 of 30 sampled rows, under half: no copying");
  CHECK(
      WhyNoCopySign(CopyOf(-2.0, 0.01, 0.0, 3.0)) ==
      "it lowers that token's logit by 2.00 ± < .01, but that token is among the 5 that it lowers "
      "most in 3 of 30 sampled rows, under half: no suppression");
  CHECK(WhyNoCopySign(CopyOf(0.1, 0.5, 30.0, 0.0)) ==
        "it raises that token's logit by .10 ± .17, within 3 standard errors of 0");
  CHECK_THAT(WhyNoCopySign(HeadCopy()), test::Says("under 5 texts or sampled rows"));
  CHECK(MeanScore(CopyOf(2.0, 0.5, 0.0, 0.0)).rows == 40);
  CHECK_FALSE(MeanScore(HeadCopy()).score.has_value());
  const Suggestion down = DescribeCopy(CopyOf(-2.0, 0.5, 0.0, 20.0), {3, 1}, Verdict::kBorderline);
  CHECK(down.role == "suppresses");
  CHECK(down.verdict == Verdict::kBorderline);  // no surer than what it looks at
  CHECK_THAT(down.why, test::Says("L3H1 lowers the logit of the token that it looks at by 2.00"));
}

}  // namespace headscope
