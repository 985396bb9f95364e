// Composition partners: when they are asked for, whose are shown, and their words.
#include "app/state/heads/partner_words.h"
#include "app/state/heads/scores.h"
#include "app/state/work_under_way.h"
#include "tests/support/catch.h"
#include "tests/unit/state/heads/scan_stub.h"
#include "tests/unit/state/state_driver.h"

namespace headscope::test {
namespace {

constexpr ScreenKind kWithPartners{.id = "heads", .wants_scores = true};

CompositionPartner Partner(HeadIndex head, CompositionWay way, double sigmas) {
  return {head, way, 0.1 + 0.01 * sigmas, 0.1, 0.01};
}

struct PartnersDriver : StateDriver {
  PartnersDriver() {
    ShowSomething();
    Do(SetScreen{&kWithPartners});
  }
  void Scan() {
    Event(state.scan.request, HeadsScanned{StubScan()});
    Event(state.scan.request, Finished{});
  }
  void AnswerPartners() {
    CompositionPartners found;
    found.reads = {Partner({0, 1}, CompositionWay::kKeys, 9.0)};
    Event(state.partners.request,
          PartnersFound{std::make_shared<const CompositionPartners>(found)});
    Event(state.partners.request, Finished{});
  }
};

}  // namespace

TEST_CASE("partners of the selected head are asked for once the scan is whole",
          "[state][partners]") {
  PartnersDriver driver;
  CHECK(driver.CountRequests<PartnersJob>() == 0);
  driver.Scan();
  REQUIRE(driver.CountRequests<PartnersJob>() == 1);
  CHECK(Busy(driver.state));
  CHECK(PartnersInView(driver.state) == nullptr);
  driver.AnswerPartners();
  REQUIRE(PartnersInView(driver.state) != nullptr);
  CHECK(PartnersInView(driver.state)->answer->reads.size() == 1);
  driver.Do(StepHead{.layers = 1, .heads = 0});
  CHECK(PartnersInView(driver.state) == nullptr);
  CHECK(driver.CountRequests<PartnersJob>() == 2);

  SECTION("what fails says why, once") {
    driver.Event(driver.state.partners.request, Failed{{ErrorCode::kInput, "no such head"}});
    REQUIRE(PartnersInView(driver.state) != nullptr);
    CHECK(PartnersInView(driver.state)->answer == nullptr);
    CHECK(PartnersInView(driver.state)->fault == "no such head");
    CHECK(driver.CountRequests<PartnersJob>() == 2);
  }
  SECTION("what is stopped is asked for again") {
    driver.Event(driver.state.partners.request, Failed{{ErrorCode::kCancelled, "stopped"}});
    CHECK(driver.CountRequests<PartnersJob>() == 3);
  }
  SECTION("another model's are not shown") {
    driver.AnswerPartners();
    CHECK(PartnersInView(driver.state) != nullptr);
    const HeadIndex head = driver.state.selection.head;
    driver.Open("beta", 3, 4);
    driver.Answer(6);
    driver.Do(ClickHead{head});
    CHECK(driver.state.selection.head == head);
    CHECK(PartnersInView(driver.state) == nullptr);
  }
}

TEST_CASE("the partners that stand out are shown, with the one that looks back",
          "[state][partners]") {
  const HeadScanReport report = *StubScan();  // L1H2 looks at the previous token
  const HeadSuggestions roles(&report);
  const std::vector<CompositionPartner> all = {Partner({0, 0}, CompositionWay::kValues, 20.0),
                                               Partner({0, 1}, CompositionWay::kKeys, 15.0),
                                               Partner({0, 2}, CompositionWay::kQueries, 12.0),
                                               Partner({1, 2}, CompositionWay::kQueries, 9.0),
                                               Partner({1, 2}, CompositionWay::kKeys, 5.0),
                                               Partner({1, 1}, CompositionWay::kKeys, 2.5)};
  CHECK(ShownPartners(all, roles, 3) ==
        std::vector<const CompositionPartner*>{&all[0], &all[1], &all[4]});
  CHECK(ShownPartners(all, HeadSuggestions(), 3) ==
        std::vector<const CompositionPartner*>{&all[0], &all[1], &all[2]});
  CHECK(ShownPartners(all, roles, 9).size() == 5);  // the last lies within what is random
  CHECK(ShownPartners({}, roles, 3).empty());
}

TEST_CASE("a partner's words name who reads whom", "[state][partners]") {
  const CompositionPartner one = Partner({0, 3}, CompositionWay::kKeys, 12.4);
  CHECK(SigmaText(one) == "+12 σ");
  CHECK_THAT(PartnerWords(one, {1, 2}, false),
             Says("The keys of L1H2 read what L0H3 writes: 0.224, random weights of this size "
                  "0.100 ± 0.010"));
  CHECK_THAT(PartnerWords(Partner({2, 0}, CompositionWay::kValues, 4.0), {1, 2}, true),
             Says("The values of L2H0 read what L1H2 writes"));
  CHECK(WayName(CompositionWay::kQueries) == "queries");
}

}  // namespace headscope::test
