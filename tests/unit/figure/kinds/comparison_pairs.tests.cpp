// core/figure/kinds/comparison_pairs.cpp
#include <algorithm>

#include "core/compare/compare_export.h"
#include "core/figure/map_rows.h"
#include "tests/support/catch.h"
#include "tests/support/render_figure.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/figure/kind_fixture.h"

namespace headscope::test {
namespace {

TEST_CASE("Pairs are a map a layer, with the matching framed", "[figure][comparison]") {
  FigureSubject subject{{}, {}, nullptr, KindContext()};
  subject.comparison = SwappedHeads();
  const FigureKind* const kind = FindFigureKind(FigureOf::kComparison, "pairs");
  REQUIRE(kind != nullptr);
  const auto figure = kind->make(subject);
  REQUIRE(figure.has_value());
  const auto& content = dynamic_cast<const MapRows&>(**figure).content();
  REQUIRE(content.rows.size() == 1);
  REQUIRE(content.rows[0].maps.size() == 2);
  const FigureMap& map = content.rows[0].maps[1];
  CHECK(map.title == "L1");
  CHECK(map.queries == 3);
  CHECK(map.keys == 2);
  CHECK(map.weights == std::vector<float>{0.5F, 0.125F, 0.25F, 0.5F, 0.5F, 0.5F});
  REQUIRE(map.marks.size() == 2);
  CHECK(map.marks[0].row == 0);
  CHECK(map.marks[0].col == 1);
  CHECK(map.marks[0].text.empty());
  CHECK(test::RenderFigure(figure->get()).has_value());
}

TEST_CASE("Pairs name the heads that lie furthest apart, with how far", "[figure][comparison]") {
  FigureSubject subject{{}, {}, nullptr, KindContext()};
  subject.comparison = SwappedHeads();
  const auto figure = FindFigureKind(FigureOf::kComparison, "pairs")->make(subject);
  REQUIRE(figure.has_value());
  const auto& table = dynamic_cast<const MapRows&>(**figure).content().table;
  using Row = std::vector<std::string>;
  REQUIRE(table.size() == 5);
  CHECK(table[0] == Row{"furthest apart, of A against of B", "divergence"});
  CHECK(table[1] == Row{"L0H1 against L0H0", "0.2500"});
  CHECK(table[2] == Row{"L1H1 against L1H0", "0.2500"});
  CHECK(table[4] == Row{"L1H0 against L1H1", "0.1250"});
}

TEST_CASE("A comparison is written as numbers by either of its kinds", "[figure][comparison]") {
  const TempFolder folder;
  FigureSubject subject{{}, {}, nullptr, KindContext()};
  subject.comparison = SwappedHeads();
  subject.metadata = {{"text", "a text"}};
  for (const char* view : {"heatmap", "pairs"}) {
    const FigureKind* const kind = FindFigureKind(FigureOf::kComparison, view);
    REQUIRE(WriteFigure(folder / "c.json", *kind, subject));
    CHECK(ReadText(folder / "c.json") == ComparisonJson(*subject.comparison));
    CHECK(EndingsOf(*kind) == ".png, .pdf, .svg, .json, .safetensors or .html");
    // Each begins as the window knows it by, so that it may be written over.
    for (const NumbersFormat& format : kind->numbers) {
      const auto path = folder / ("c" + std::string(format.ending));
      REQUIRE(WriteFigure(path, *kind, subject));
      CHECK(ReadText(path).substr(format.start_at, format.start.size()) == format.start);
    }
  }
  const FigureKind* const head = FindFigureKind(FigureOf::kHead);
  CHECK(NumbersFormatOf(*head, "c.json") == nullptr);
  CHECK_FALSE(WriteFigure(folder / "h.json", *head, KindSubject(3, {0, 0})));
  subject.comparison = nullptr;
  CHECK_FALSE(
      WriteFigure(folder / "n.json", *FindFigureKind(FigureOf::kComparison, "pairs"), subject));
}

TEST_CASE("Forty layers of pairs are spread over rows", "[figure][comparison]") {
  auto made = std::make_shared<Comparison>(*SwappedHeads());
  while (made->layers.size() < 40) {
    made->layers.push_back(made->layers.front());
    made->layers.back().layer = std::ssize(made->layers) - 1;
  }
  FigureSubject subject{{}, {}, nullptr, KindContext()};
  subject.context.size_px = 1000;
  subject.comparison = made;
  const auto figure = FindFigureKind(FigureOf::kComparison, "pairs")->make(subject);
  REQUIRE(figure.has_value());
  std::size_t maps = 0;
  for (const FigureRow& row : dynamic_cast<const MapRows&>(**figure).content().rows) {
    maps += row.maps.size();
  }
  CHECK(maps == 40);
  CHECK(test::RenderFigure(figure->get()).has_value());
}

}  // namespace
}  // namespace headscope::test
