// core/figure/kinds/head_counts.cpp
#include <algorithm>

#include "core/figure/map_rows.h"
#include "tests/support/catch.h"
#include "tests/support/render_figure.h"
#include "tests/unit/figure/kind_fixture.h"

namespace headscope::test {
namespace {

TEST_CASE("Head counts are rows with the trained one marked, and a table", "[figure][counts]") {
  auto split = std::make_shared<SplitResult>();
  split->layer = 2;
  split->trained_heads = 2;
  for (const std::int64_t heads : {1, 2, 100}) {
    SplitCount count;
    count.heads = heads;
    count.parameters = 12345;
    count.multiplies = 23456789;
    count.attention = EvenLayer(2, heads, 3);
    split->counts.push_back(count);
  }
  FigureSubject subject{{}, {}, split, KindContext()};
  subject.context.size_px = 1200;
  const auto figure = MakeFigure(FigureOf::kCounts, subject);
  REQUIRE(figure.has_value());
  const auto& content = dynamic_cast<const MapRows&>(**figure).content();
  REQUIRE(content.rows.size() == 3);
  CHECK_FALSE(content.rows[0].marked);
  CHECK(content.rows[1].marked);
  CHECK(content.rows[1].maps.size() == 2);
  CHECK(DrawnWeights(content.rows[1].maps[1]) ==
        std::vector<float>{
            1.0F, -1.0F, -1.0F, 0.5F, 0.5F, -1.0F, 1.0F / 3.0F, 1.0F / 3.0F, 1.0F / 3.0F});
  CHECK(content.rows[1].maps[1].view.has_masked());
  CHECK(content.rows[2].maps.size() == 64);
  const std::vector<std::string>& notes = (*figure)->page().notes;
  CHECK(std::any_of(notes.begin(), notes.end(), [](const std::string& note) {
    return note.find("heads 0\u201363 are drawn") != std::string::npos;
  }));
  REQUIRE(content.table.size() == 4);
  CHECK(content.marked_table_row == 2);
  CHECK(content.table[1][2] == "12,345");
  CHECK(content.table[1][3] == "23.5 M");
  CHECK(test::RenderFigure(figure->get()).has_value());
}

}  // namespace
}  // namespace headscope::test
