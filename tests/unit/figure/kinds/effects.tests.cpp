// What heads do to a word, and layers at positions, as a picture and as numbers.
#include <string>

#include "core/figure/figure_kind.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/figure/kind_fixture.h"

namespace headscope {
namespace {

FigureSubject SubjectWith(EffectMap map) {
  FigureSubject subject;
  subject.context = test::KindContext();
  subject.effects = std::make_shared<const EffectMap>(std::move(map));
  return subject;
}

EffectMap MapOfHeads() {
  return {.title = "Shares",
          .caption = "Each head's share.",
          .words = "share",
          .shape = {ModelPart::kWhole, 2, 2},
          .values = {0.5, -0.25, std::nullopt, -0.001},
          .errors = {0.125, 0.0625, 0.0, 0.5},
          .restored = {3, 1, std::nullopt, std::nullopt}};
}

std::string Written(std::string_view view, const EffectMap& map, std::string_view ending) {
  const test::TempFolder folder;
  const auto path = folder / ("f" + std::string(ending));
  const FigureKind* const kind = FindFigureKind(FigureOf::kEffects, view);
  REQUIRE(kind != nullptr);
  const Status written = WriteFigure(path, *kind, SubjectWith(map));
  INFO((written ? "" : written.error().message));
  REQUIRE(written.has_value());
  return test::ReadText(path);
}

}  // namespace

TEST_CASE("Shares of heads as numbers have a line for each head that has one", "[figure][kinds]") {
  CHECK(Written(kPlainView, MapOfHeads(), ".csv") ==
        "head,score,error,restored\nL0H0,0.5,0.125,3\nL0H1,-0.25,0.0625,1\nL1H1,-0.001,0.5,\n");
  EffectMap at = MapOfHeads();
  at.at = 4;
  CHECK(Written(kPlainView, at, ".csv")
            .starts_with("head,score,error,restored,at\nL0H0,0.5,0.125,3,4\n"));
  EffectMap single = MapOfHeads();
  single.errors.clear();
  single.restored.clear();
  CHECK(Written(kPlainView, single, ".csv").find("L0H0,0.5,,\n") != std::string::npos);
}

TEST_CASE("Shares of layers at positions have token and both numbers", "[figure][kinds]") {
  EffectMap map{.title = "Patching: stream",
                .caption = "Clean, corrupted.",
                .words = "share",
                .shape = {ModelPart::kWhole, 2, 3},
                .values = {0.0, 1.0, 0.25, 0.0, 0.5, 0.75},
                .columns = {"When", "Mary / John", "and"}};
  const std::string csv = Written(kPositionsView, map, ".csv");
  CHECK(csv.starts_with("layer,position,token,score,error,restored\n0,0,When,0"));
  CHECK(csv.find("\n1,1,Mary / John,0.5,,\n") != std::string::npos);
  CHECK(std::ranges::count(csv, '\n') == 7);
  CHECK(Written(kPositionsView, map, ".svg").find("<svg") != std::string::npos);
  CHECK(Written(kPositionsView, map, ".pdf").starts_with("%PDF"));
  CHECK(Written(kPositionsView, map, ".png").starts_with("\x89PNG"));
}

}  // namespace headscope
