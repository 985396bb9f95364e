// Figures as SVG. What other programs draw and read from one: tests/e2e/svg_test.py.
#include <memory>
#include <string>
#include <vector>

#include <glib.h>

#include "core/figure/figure_format.h"
#include "core/figure/svg_canvas.h"
#include "core/figure/text_layout.h"
#include "core/figure/token_map.h"
#include "tests/support/catch.h"

namespace headscope {
namespace {

std::string DrawAsSvg(FigurePage page, std::vector<std::string> tokens) {
  TokenMapContent content;
  const auto n = std::ssize(tokens);
  content.query_tokens = content.key_tokens = std::move(tokens);
  content.map.queries = content.map.keys = n;
  for (std::int64_t cell = 0; cell < n * n; ++cell) {
    content.map.weights.push_back(static_cast<float>(cell % 7) / 7.0F);
  }
  TokenMap map(std::move(page), std::move(content));
  TextSetter setter;
  const Result<FigureSize> size = map.Measure(&setter);
  REQUIRE(size.has_value());
  const auto bytes = DrawSvg(&map, *size, &setter, {});
  REQUIRE(bytes.has_value());
  const auto* first = static_cast<const char*>(static_cast<const void*>(bytes->data()));
  return {first, bytes->size()};
}

std::size_t Count(const std::string& all, std::string_view words) {
  std::size_t count = 0;
  for (auto at = all.find(words); at != all.npos; at = all.find(words, at + 1)) {
    ++count;
  }
  return count;
}

// Parses it as XML and returns its texts.
std::vector<std::string> TextsOf(const std::string& svg) {
  struct Parsed {
    std::vector<std::string> texts;
    bool in_text = false;
  } parsed;
  GMarkupParser parser{};
  parser.start_element = [](GMarkupParseContext* /*context*/,
                            const gchar* name,
                            const gchar** /*names*/,
                            const gchar** /*values*/,
                            gpointer to,
                            GError** /*error*/) {
    static_cast<Parsed*>(to)->in_text = std::string_view(name) == "text";
  };
  parser.text = [](GMarkupParseContext* /*context*/,
                   const gchar* text,
                   gsize size,
                   gpointer to,
                   GError** /*error*/) {
    auto* const all = static_cast<Parsed*>(to);
    if (all->in_text) {
      all->texts.emplace_back(text, size);
      all->in_text = false;
    }
  };
  const std::unique_ptr<GMarkupParseContext, void (*)(GMarkupParseContext*)> context(
      g_markup_parse_context_new(&parser, {}, &parsed, nullptr), g_markup_parse_context_free);
  GError* error = nullptr;
  const bool is_whole =
      g_markup_parse_context_parse(
          context.get(), svg.data(), static_cast<gssize>(svg.size()), &error) != 0 &&
      g_markup_parse_context_end_parse(context.get(), &error) != 0;
  INFO((error != nullptr ? error->message : ""));
  CHECK(is_whole);
  g_clear_error(&error);
  return parsed.texts;
}

TEST_CASE("An SVG is the same bytes twice, and holds its words as text", "[figure][svg]") {
  const auto draw = [] {
    return DrawAsSvg(
        {.title = "L0H0", .caption = "A caption.", .notes = {"A note."}, .size_px = 500},
        {"one", "two", "three"});
  };
  const std::string once = draw();
  CHECK(once == draw());
  CHECK(once.starts_with("<svg "));
  const std::vector<std::string> texts = TextsOf(once);
  for (const char* word : {"L0H0", "A caption.", "A note."}) {
    CHECK(std::ranges::count(texts, word) == 1);
  }
  for (const char* token : {"one", "two", "three"}) {
    CHECK(std::ranges::count(texts, token) == 2);  // a row and a column
  }
}

TEST_CASE("Tokens of every script and none leave an SVG whole", "[figure][svg]") {
  const std::vector<std::string> tokens = {"\n",
                                           "",
                                           "<b>&\"'",
                                           "\u0627\u0644\u0633\u0644\u0627\u0645",
                                           std::string(20000, 'w'),
                                           "\U0001F600\U0001D54F",
                                           "\xFF\xFE",
                                           "\uFFFE\uFFFF",
                                           std::string("\0", 1),
                                           "\u4E2D\u6587",
                                           "a\u0301\u0301\u0301",
                                           "\U000E0001"};
  for (const int size : {300, 1600}) {
    const std::string svg = DrawAsSvg({.title = "\U0001F600 \xFF & <",
                                       .caption = std::string("\0\xFE", 2),
                                       .notes = {std::string("\x01\x02", 2)},
                                       .size_px = size},
                                      tokens);
    const std::vector<std::string> texts = TextsOf(svg);
    if (size == 1600) {
      // Signs side by side are parts of their own, so that no viewer joins them.
      for (const char* token : {"&lt;b&gt;</tspan><tspan>&amp;</tspan><tspan>&quot;</tspan>"
                                "<tspan>'</tspan>",
                                "\u0627\u0644\u0633\u0644\u0627\u0645"}) {
        CHECK(Count(svg, std::string(">") + token + "</text>") == 2);
      }
    }
    CHECK(svg.ends_with("</svg>\n"));
    CHECK(svg.find("\uFFFE") == svg.npos);
  }
}

TEST_CASE("Few cells are crisp shapes, many an image that is not smoothed", "[figure][svg]") {
  const auto draw = [](std::size_t tokens) {
    return DrawAsSvg({.title = "L0H0", .caption = "", .notes = {}, .size_px = 1000},
                     std::vector<std::string>(tokens, "t"));
  };
  const std::string few = draw(20);
  CHECK(few.find("<image") == few.npos);
  CHECK(few.find("crispEdges") != few.npos);
  const std::string many = draw(200);
  CHECK(Count(many, "data:image/png;base64,") == 1);
  CHECK(many.find("image-rendering:pixelated") != many.npos);
  CHECK(many.size() < 200'000);
}

TEST_CASE("What is drawn of a text is what is left of it", "[figure][text]") {
  TextSetter setter;
  TextStyle style;
  const std::string words = "abcdefghijklmnopqrstuvwxyz";
  CHECK(setter.Shown(words, style).utf8 == words);
  CHECK_FALSE(setter.Shown(words, style).is_right_to_left);
  style.max_width_px = 100.0;
  const TextShown cut = setter.Shown(words, style);
  CHECK(cut.extent.width <= 100.0);
  const std::size_t dots = cut.utf8.find("\u2026");
  REQUIRE(dots != cut.utf8.npos);
  CHECK(words.starts_with(cut.utf8.substr(0, dots)));
  CHECK(words.ends_with(cut.utf8.substr(dots + 3)));
  CHECK(dots > 2);
  style.max_width_px = 0.0;
  const std::string hebrew = "\u05e9\u05dc\u05d5\u05dd abc \u05e9";
  CHECK(setter.Shown(hebrew, style).utf8 == hebrew);  // as it is read, not as it stands
  CHECK(setter.Shown(hebrew, style).is_right_to_left);
}

TEST_CASE("XML holds no sign of its own from a text", "[figure][svg]") {
  CHECK(XmlText("a<b>&\"c") == "a&lt;b&gt;&amp;&quot;c");
  CHECK(XmlText("\x01\xFF\uFFFE") == "\uFFFD\uFFFD\uFFFD");
}

}  // namespace
}  // namespace headscope
