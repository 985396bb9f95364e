#include "app/views/inspect/tree_view.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/inspect/text_tree.h"
#include "app/views/inspect/arcs_frame.h"
#include "app/views/kit/detail_header.h"
#include "app/views/kit/widgets.h"
#include "core/figure/tree_arcs.h"

namespace headscope {
namespace {

constexpr float kTreeReach = 5.0F;  // of the pointer, unscaled

constexpr std::array<SegmentChoice, 2> kDirections = {{
    {"to governor", "Each word is asked for its governor"},
    {"to dependents", "Each governor is asked for its dependents"},
}};

std::string FormOf(const TextTree& tree, std::int64_t word) {
  return tree.sentence->words[static_cast<std::size_t>(word)].form;
}

// "det: “the” should look at “sailor”, its governor. L1H3 looks most at “old”."
std::string EdgeWords(const TextTree& tree,
                      const TreeAnswers& answers,
                      const TreeEdge& edge,
                      const std::string& head) {
  const bool is_up = answers.direction == PairDirection::kDependentToHead;
  const std::int64_t query = is_up ? edge.dependent : edge.governor;
  std::string words = fmt::format("{}: “{}” depends on “{}”.",
                                  edge.relation,
                                  FormOf(tree, edge.dependent),
                                  FormOf(tree, edge.governor));
  if (edge.match == EdgeMatch::kNotAsked) {
    return words + " It is not asked.";
  }
  const auto looks = std::ranges::find(answers.head, query, &HeadEdge::query);
  if (looks != answers.head.end()) {
    words += fmt::format(" At “{}” {} looks most at “{}” ({:.2f}): {}.",
                         FormOf(tree, query),
                         head,
                         FormOf(tree, looks->key),
                         looks->weight,
                         edge.match == EdgeMatch::kAgrees ? "both agree" : "they do not agree");
  }
  return words;
}

std::string HeadEdgeWords(const TextTree& tree, const HeadEdge& edge, const std::string& head) {
  return fmt::format("At “{}” {} looks most at “{}” ({:.3f}).",
                     FormOf(tree, edge.query),
                     head,
                     FormOf(tree, edge.key),
                     edge.weight);
}

// The words of the arc under the pointer; empty: there is none.
std::string WordsAt(const TreeDrawing& drawing,
                    const TextTree& tree,
                    const TreeAnswers& answers,
                    const std::string& head,
                    const ArcsPointer& at,
                    float reach) {
  std::string words;
  const auto is_nearer = [&](std::size_t stroke) {
    if (stroke >= drawing.strokes.size()) {
      return false;
    }
    const float distance = DistanceTo(drawing.strokes[stroke], at.x, at.y);
    const bool nearer = distance <= reach;
    reach = nearer ? distance : reach;
    return nearer;
  };
  for (std::size_t i = 0; i < drawing.edge_arcs.size(); ++i) {
    if (is_nearer(drawing.edge_arcs[i])) {
      words = EdgeWords(tree, answers, answers.edges[i], head);
    }
  }
  for (std::size_t i = 0; i < drawing.head_arcs.size(); ++i) {
    if (is_nearer(drawing.head_arcs[i])) {
      words = HeadEdgeWords(tree, answers.head[i], head);
    }
  }
  return words;
}

void DrawLabels(const Ui& ui,
                const TreeDrawing& drawing,
                const TreeAnswers& answers,
                const Rect& clip) {
  const float height = LineHeight(ui, Type::kMonoSmall);
  std::vector<float> widths;
  for (const EdgeLabel& label : drawing.labels) {
    widths.push_back(TextWidth(ui, answers.edges[label.edge].relation, Type::kMonoSmall));
  }
  const std::vector<bool> shown = LabelsWithRoom(drawing, answers, widths, height);
  ImDrawList* const list = ImGui::GetWindowDrawList();
  list->PushClipRect({clip.x, clip.y}, {clip.x + clip.width, clip.y + clip.height}, true);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const EdgeLabel& label = drawing.labels[i];
    if (shown[i]) {
      DrawText(ui,
               label.x - widths[i] / 2.0F,
               label.y - height - ui.Px(1.0F),
               answers.edges[label.edge].relation,
               Type::kMonoSmall,
               label.color);
    }
  }
  list->PopClipRect();
}

}  // namespace

void DrawTreeSwitch(Row* row) {
  // A row has the panel that it is in.
  Ui* const ui = row->ui();
  const AppState& state = ui->state;
  const std::string why_not = WhyNoTree(state);
  const bool shows = ShowsTree(state);
  if (row->Button(
          "beside tree",
          {.text = "tree",
           .tooltip = why_not.empty() ? "The text’s tree above the line, the head’s largest "
                                        "weight of each word below it"
                                      : std::string_view(why_not),
           .active = shows,
           .enabled = why_not.empty()})) {
    HeadLook next = state.head_look;
    next.beside_tree = !shows;
    ui->Do(SetHeadLook{std::move(next)});
  }
  if (const auto sentence = SentenceInView(state)) {
    row->Skip(6.0F);
    const std::string name =
        fmt::format("{} / {}", *sentence + 1, state.treebank->text.sentences.size());
    if (row->Button("sentence before",
                    {.text = "‹", .tooltip = "The sentence before, with a tree"})) {
      ui->Do(StepSentence{-1});
    }
    row->Skip(4.0F);
    row->Text(name, Type::kSmall, ui->colors().muted);
    row->Skip(4.0F);
    if (row->Button("sentence after", {.text = "›", .tooltip = "The next sentence with a tree"})) {
      ui->Do(StepSentence{1});
    }
  }
  if (shows) {
    row->Skip(6.0F);
    const bool is_down = state.head_look.tree_direction == PairDirection::kHeadToDependent;
    const int pressed = Segments(ui,
                                 "tree direction",
                                 row->Left(SegmentsWidth(*ui, kDirections)),
                                 kDirections,
                                 is_down ? 1 : 0);
    if (pressed >= 0) {
      HeadLook next = state.head_look;
      next.tree_direction =
          pressed == 1 ? PairDirection::kHeadToDependent : PairDirection::kDependentToHead;
      ui->Do(SetHeadLook{std::move(next)});
    }
  }
}

void DrawTreeArcs(Pen* pen, const HeadPanel& panel) {
  Ui* const ui = pen->ui;
  const FullMap& full = panel.full;
  ArcsFrame frame;
  PlaceArcs(ui, *pen, panel, true, &frame);
  RevealQuery(ui, panel, &frame);
  const auto tree = TreeInView(ui->state);
  const TreeAnswers* const answers = TreeAnswersInView(ui->state);
  const bool is_measured = std::ssize(frame.queries.middles) == full.map.queries();
  const std::string head = full.is_joined ? "the map" : HeadName(ui->state.selection.head);
  TreeDrawing drawing;
  if (answers != nullptr && tree != nullptr && is_measured) {
    const float room = LineHeight(*ui, Type::kMonoSmall) + ui->Px(4.0F);
    drawing = DrawTree(*answers,
                       WordMiddles(*tree, frame.queries),
                       {.left = frame.place.left,
                        .top = frame.query_row.y,
                        .bottom = frame.query_row.y + frame.query_row.height,
                        .rise = std::max(ui->Px(16.0F), frame.place.rise - room),
                        .fall = 0.7F * frame.place.rise,
                        .unit = ui->scale,
                        .theme = ui->state.theme});
  }
  PlaceStrokes(ui, drawing.strokes, frame.view, panel.dimmed);
  const auto point = Within(ui->state.selection.point, full.map.queries(), full.map.keys());
  std::vector<bool> ends(full.query_tokens->tokens.size(), true);
  for (std::size_t token = 0; tree != nullptr && token < tree->word.size(); ++token) {
    ends[token] = tree->word[token] >= 0;
  }
  DrawWordRow(*ui,
              {.tokens = *full.query_tokens,
               .line = frame.queries,
               .place = frame.query_row,
               .query = point ? std::optional(point->query) : std::nullopt,
               .key = point ? point->key : std::nullopt,
               .ends = std::move(ends)},
              frame.place.left);
  if (answers != nullptr && tree != nullptr) {
    DrawLabels(*ui, drawing, *answers, frame.view);
  }
  if (is_measured) {
    const ArcsPointer pointer = HandleWords(ui, frame, panel);
    if (pointer.is_elsewhere && answers != nullptr && tree != nullptr) {
      const std::string words =
          WordsAt(drawing, *tree, *answers, head, pointer, ui->Px(kTreeReach));
      if (!words.empty()) {
        ImGui::BeginTooltip();
        TooltipText(ui, words);
        ImGui::EndTooltip();
      }
    }
  }
  pen->y = frame.view.y + frame.view.height;
  pen->Skip(10.0F);
  std::string words = ui->state.tree_answers.fault;
  if (answers != nullptr) {
    words = fmt::format("{} {} Tree: {}.",
                        AnswerWords(*answers, head),
                        TreeLegendWords(answers->direction),
                        tree->source);
  }
  const float before = pen->y;
  pen->Small(words, ui->colors().muted);
  pen->y = std::max(pen->y, before + 4.0F * LineHeight(*ui, Type::kSmall));
  pen->Skip(4.0F);
}

}  // namespace headscope
