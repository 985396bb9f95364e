// Figures as a PDF. What other programs read from one: tests/e2e/figures_test.py.
#include <string>

#include "core/figure/figure_format.h"
#include "core/figure/map_rows.h"
#include "core/figure/text_layout.h"
#include "core/figure/token_map.h"
#include "tests/support/catch.h"

namespace headscope {
namespace {

TokenMapContent MapOfTokens(std::vector<std::string> tokens) {
  TokenMapContent content;
  const auto n = std::ssize(tokens);
  content.query_tokens = content.key_tokens = std::move(tokens);
  content.map.queries = content.map.keys = n;
  for (std::int64_t cell = 0; cell < n * n; ++cell) {
    content.map.weights.push_back(static_cast<float>(cell % 7) / 7.0F);
  }
  return content;
}

struct Made {
  FigureSize size;
  std::string bytes;
};

Made DrawAs(std::string_view ending, FigurePage page, TokenMapContent content) {
  TokenMap map(std::move(page), std::move(content));
  TextSetter setter;
  const Result<FigureSize> size = map.Measure(&setter);
  REQUIRE(size.has_value());
  const FigureFormat* format = FormatOf("f" + std::string(ending));
  REQUIRE(format != nullptr);
  const auto bytes = format->draw(&map, *size, &setter, {});
  REQUIRE(bytes.has_value());
  const auto* first = static_cast<const char*>(static_cast<const void*>(bytes->data()));
  return {*size, std::string(first, bytes->size())};
}

bool Holds(const Made& made, const std::string& words) {
  return made.bytes.find(words) != std::string::npos;
}

TEST_CASE("A PDF is the same bytes twice, without a date", "[figure][pdf]") {
  const auto draw = [] {
    return DrawAs(".pdf",
                  {.title = "L0H0", .caption = "A caption.", .notes = {}, .size_px = 500},
                  MapOfTokens({"one", "two", "three"}));
  };
  const Made once = draw();
  CHECK(once.bytes == draw().bytes);
  CHECK(once.bytes.starts_with("%PDF-1.5"));
  CHECK_FALSE(Holds(once, "Date"));
}

TEST_CASE("Tokens of every script and none leave a PDF whole", "[figure][pdf]") {
  const std::vector<std::string> tokens = {"\n",
                                           "",
                                           "\u0627\u0644\u0633\u0644\u0627\u0645",
                                           std::string(20000, 'w'),
                                           "\U0001F600\U0001D54F",
                                           "\xFF\xFE",
                                           std::string("\0", 1),
                                           "\u4E2D\u6587",
                                           "a\u0301\u0301\u0301",
                                           "\U000E0001"};
  for (const int size : {300, 1600}) {
    const Made made = DrawAs(".pdf",
                             {.title = "\U0001F600 \xFF",
                              .caption = std::string("\0\xFE", 2),
                              .notes = {std::string("\x01\x02", 2)},
                              .size_px = size},
                             MapOfTokens(tokens));
    CHECK(made.bytes.ends_with("%%EOF\n"));
    CHECK(std::max(made.size.width, made.size.height) == size);
  }
}

TEST_CASE("Large cells are shapes and small ones an image", "[figure][pdf]") {
  const auto draw = [](std::int64_t tokens) {
    return DrawAs(".pdf",
                  {.title = "L0H0", .caption = "", .notes = {}, .size_px = 1000},
                  MapOfTokens(std::vector<std::string>(static_cast<std::size_t>(tokens), "t")));
  };
  CHECK_FALSE(Holds(draw(60), "/Subtype /Image"));
  CHECK(Holds(draw(400), "/Subtype /Image"));
  CHECK(Holds(draw(400), "/Interpolate false"));
}

}  // namespace
}  // namespace headscope
