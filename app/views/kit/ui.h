// What a panel gets to draw with: the state to read, the actions to push, the scene below and ImGui
// above.
//
// Units    window pixels; Px turns unscaled design pixels into them.
// Threads  UI thread, between NewFrame and Render.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/platform/fonts.h"
#include "app/platform/key_press.h"
#include "app/render/renderer.h"
#include "app/render/scene.h"
#include "app/state/actions.h"
#include "app/views/kit/layout.h"
#include "app/views/kit/text_fields.h"
#include "app/views/maps/map_geometry.h"
#include "core/figure/stroke.h"
#include "core/figure/text_shades.h"
#include "core/figure/theme.h"
#include "core/figure/token_arcs.h"

struct ImDrawList;

namespace headscope {

class MapTextures;

// Where the tokens of a sentence stand; while they are being measured, where its first ones do.
struct TokenChips {
  std::shared_ptr<const Encoding> encoding;
  float width = 0.0F;
  float scale = 0.0F;
  std::vector<Rect> rects;
};

// Which tokens of a text read alike: counted once, not for every label of every frame.
struct RepeatedTokens {
  std::shared_ptr<const Encoding> encoding;
  std::vector<bool> repeats;
};

// The row whose weights are told: made again when another is pointed at.
struct ToldRow {
  MapView map;
  std::int64_t query = -1;
  std::vector<float> weights;  // [keys], exact
};

// A sentence on what a head does: made again for another map, row or role.
struct HeadSentence {
  MapView map;
  std::optional<std::int64_t> asked;  // a row that a person points at
  std::string role;
  std::string metric;
  std::optional<std::int64_t> row;  // that the words are of
  std::string words;
};

// Words of the open text that show what heads do: made once for a map and a role.
struct RoleExamples {
  MapView map;
  std::string role;
  std::string words;
};

// The order of the list of heads, while a scan goes on.
struct KeptOrder {
  std::string metric;
  HeadsOrder order = HeadsOrder::kScore;
  bool is_ascending = false;
  const void* of = nullptr;  // the scanned model
  std::vector<std::size_t> places;
};

// Cells made for one frame after another, to be drawn as a map.
struct DrawnCells {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::vector<float> values;
};

// The difference of two maps, made again when either is another.
struct TreeMemory {
  MapView one;
  MapView two;
  std::shared_ptr<const DrawnCells> difference;  // from 0 to 1, 0.5: none; null: nothing yet
  double largest = 0.0;                          // of the difference, without its sign
};

// What a view of heads last brought into sight, and in how much room: a sheet that opens over it, or
// another layout, may hide it again.
struct RevealedHead {
  std::uint32_t view = 0;
  HeadIndex head{-1, -1};
  std::int64_t count = -1;  // of the head counts; -1: the head itself
  Rect seen;
  bool locked = false;
  friend bool operator==(const RevealedHead&, const RevealedHead&) = default;
};

// Keys that no frame has handled yet: a frame stops at a key after which the others may mean
// something else.
struct KeyQueue {
  std::deque<KeyPress> waiting;
  int frames_for_field = 0;  // that they still wait for a field that is about to come
};

// What was kept of the row or the column that is pointed at, made again when another is.
struct PointedWeights {
  std::vector<MapView> maps;
  KeepRule rule;
  std::int64_t token = -1;
  bool is_key = false;
  KeptWeights kept;
};

// The words of a text in one line, as wide as they are written; while they are being measured, the
// first ones.
struct LineWords {
  std::shared_ptr<const Encoding> encoding;
  float scale = 0.0F;
  std::vector<LineWord> words;
  bool right_to_left = false;
};

// A text shaded by attention: made again when another question is asked.
struct ShadedWords {
  ShadeQuestion question;
  TextShades shades;
  std::shared_ptr<const Encoding> text;  // that is shaded
  std::string words;                     // what it is
};

// The lines of a thumbnail, made once for each.
struct ThumbnailLines {
  MapView of;
  Pooling pooling = Pooling::kMean;
  KeptWeights kept;  // of its cells
};

// What the Compare screen draws its maps of, made again when they or the look change.
struct CompareDrawing;  // app/views/compare/panels.h

// Facts about pointer and widgets that last longer than a frame and are nobody else's business.
// How far work was when it was first seen, so that the time it still takes can be told.
struct WorkPace {
  double since_s = 0.0;
  std::int64_t done = 0;
  std::int64_t total = 0;
};

struct ViewMemory {
  Popup open_popup = Popup::kNone;
  Rect popup_anchor;
  bool popup_appearing = false;
  HeadIndex hovered_head{-1, -1};
  RevealedHead revealed_head;       // by the view that was drawn last
  std::int64_t grid_columns = 0;    // of the grid, last frame; 0: layers are its rows
  std::int64_t figure_columns = 0;  // of kept figures, last frame
  std::pair<float, float> hovered_at{-1.0F, -1.0F};
  TextFields fields;
  KeyQueue keys;
  std::map<RequestId, WorkPace> work_paces;  // of what is under way
  RequestId working_on = 0;                  // of the status line, and since when
  double working_since_s = 0.0;
  std::string file_typed;  // letters that jump to a name in the list of files
  double file_typed_s = 0.0;
  std::filesystem::path listed_folder;  // of the list of files, last frame
  std::string filtered_by;              // the text that the list of models is filtered by
  std::int64_t pointed_model = 0;       // of the models that it finds
  std::int64_t pointed_command = 0;     // of the palette
  std::int64_t revealed_file = -1;      // the list of files last scrolled to it
  std::string revealed_metric;          // likewise the list of metrics
  bool why_in_full = false;             // a held cell's sources: all of them
  bool all_parts = false;               // of a logit
  bool map_dragged = false;
  bool pointing = false;                  // at a cell, a token or a bar, this frame
  bool pointing_in_tree = false;          // at a map of the head counts, this frame
  std::optional<MapPoint> pointed;        // what was last told of it
  std::string detail_shown;               // the screen and the title in the panel at the right
  std::optional<HeadIndex> pointed_head;  // of the grid, last frame
  Rect map_rect;                          // of the large map, last frame: the wheel zooms there
  std::optional<RowMarks> row_marks;      // beside it, last frame
  // The row that the token strip was last scrolled to, and the tokens of which it is one.
  std::pair<const Encoding*, std::int64_t> revealed{nullptr, -1};
  TokenChips chips;                      // of the text that is shaded
  TokenChips target_chips;               // of the target beside it
  std::vector<RepeatedTokens> repeated;  // of the texts on screen
  ToldRow told;
  HeadSentence head_sentence;
  KeptOrder list_order;
  std::string find_metric;                        // as typed
  std::vector<RoleExamples> role_examples;        // of the picture's layers
  std::set<std::string, std::less<>> open_roles;  // heads whose evidence is unfolded
  bool points_at_key = false;  // in a view of lines: at what looks at it, not at what it looks at
  PointedWeights pointed_weights;          // of those
  ShadedWords shaded;                      // the text, now
  std::optional<ShadedWords> kept_shades;  // one that was kept to be compared
  Rect sentence_place;                     // of its box, as last drawn
  std::string highest_typed;               // of a fixed range, in its menu
  bool shows_shade_difference = false;     // in place of the two
  std::vector<ThumbnailLines> thumbnail_lines;
  int thumbnails_made = 0;  // of those, in this frame
  std::shared_ptr<const std::vector<Stroke>> grid_strokes;
  Rect products_at;  // the chart of a pair's products, last frame
  TokenChips asked_chips;
  TokenChips shaded_chips;
  std::pair<float, float> shaded_at;  // where they begin in the window, last frame
  std::string find_token;             // as typed
  std::pair<const Encoding*, std::int64_t> text_revealed{nullptr, -1};
  LineWords query_words;     // under arcs
  LineWords key_words;       // of a text of its own
  float arcs_scroll = 0.0F;  // to the right, pixels
  std::pair<const Encoding*, std::int64_t> arcs_revealed{nullptr, -1};
  std::shared_ptr<const std::vector<Stroke>> strokes;  // in the panel at the right, last frame
  TreeMemory tree;
  std::shared_ptr<CompareDrawing> compare;
  std::uint32_t tooltip_item = 0;
  double tooltip_since_s = 0.0;
};

enum class Panel { kTop, kRail, kToolbar, kMiddle, kDetail, kStatus, kCount };

struct Ui {
  const AppState& state;
  std::vector<Action>* actions;
  Renderer* renderer;
  MapTextures* maps;
  Scene* scene;
  ViewMemory* memory;
  std::vector<KeyPress> keys = {};  // since the last frame; after the shortcuts what is left
  Fonts fonts;
  WindowLayout layout;
  float scale = 1.0F;
  double now_s = 0.0;
  // The desktop's selection that a middle click pastes; empty functions where there is none.
  std::function<std::string()> primary_selection = {};
  std::function<void(const std::string&)> set_primary_selection = {};
  float notices_from = 0.0F;  // a height in the window: above it are controls that stay in reach
  double wake_in_s = -1.0;    // another frame is wanted after this time; negative: none

  [[nodiscard]] float Px(float unscaled) const;
  [[nodiscard]] const ThemeColors& colors() const { return ColorsOf(state.theme); }
  [[nodiscard]] SceneRegion& region(Panel panel) const {
    return scene->regions[static_cast<std::size_t>(panel)];
  }
  void Do(Action action) const { actions->push_back(std::move(action)); }
  void WakeIn(double seconds);
};

// --- text
enum class Type { kBody, kSmall, kBold, kTitle, kMono, kMonoSmall };

[[nodiscard]] TextStyle StyleOf(const Ui& ui, Type type, float max_width = 0.0F);
[[nodiscard]] LabelTexture LabelOf(const Ui& ui,
                                   std::string_view text,
                                   Type type,
                                   float max_width = 0.0F);
// Draws text with its top left at (x, y); returns its width.
float DrawText(const Ui& ui,
               float x,
               float y,
               std::string_view text,
               Type type,
               Rgb color,
               float max_width = 0.0F);
// Centred vertically in `rect`, at its left.
float DrawTextIn(const Ui& ui,
                 const Rect& rect,
                 std::string_view text,
                 Type type,
                 Rgb color,
                 float max_width = 0.0F);
// The same, cut at its end where it does not fit: what tells it from its like stands at its
// beginning. The whole belongs in a tooltip.
void DrawBeginning(
    const Ui& ui, const Rect& rect, std::string_view text, Type type, Rgb color, float width);
[[nodiscard]] float TextWidth(const Ui& ui, std::string_view text, Type type);
[[nodiscard]] float LineHeight(const Ui& ui, Type type);
// Breaks at spaces and line ends to fit `width`, and within words that are wider; returns the
// height. Where `most_lines` is not 0, what is beyond is left out, and "…" says so.
float DrawParagraph(const Ui& ui,
                    float x,
                    float y,
                    float width,
                    std::string_view text,
                    Type type,
                    Rgb color,
                    int most_lines = 0);
[[nodiscard]] float ParagraphHeight(
    const Ui& ui, std::string_view text, float width, Type type, int most_lines = 0);
// Numbers that change with every move of the pointer: ImGui's own font, no textures made.
float DrawNumber(const Ui& ui, float x, float y, std::string_view text, Rgb color);
[[nodiscard]] float NumberWidth(const Ui& ui, std::string_view text);

// --- colour
[[nodiscard]] std::uint32_t ToImGui(Rgb color, float alpha = 1.0F);
[[nodiscard]] Rgb Blend(Rgb below, Rgb above, float amount);
// Text or background, whichever reads better on `fill`.
[[nodiscard]] Rgb ReadableOn(const Ui& ui, Rgb fill);

}  // namespace headscope
