// The sentence, and beside it what an encoder-decoder's decoder reads.
#include <string>

#include <fmt/format.h>

#include "app/state/queries.h"
#include "app/views/kit/detail_header.h"
#include "app/views/kit/text_box.h"
#include "app/views/panels.h"
#include "core/base/counted.h"

namespace headscope {
namespace {

std::string TokenWords(const AppState& state, const Encoding* encoding) {
  if (encoding == nullptr || NoticeAt(state, ErrorPlace::kText) != nullptr || IsOutdated(state)) {
    return "";
  }
  const std::size_t tokens = encoding->tokens.size();
  std::string words = encoding->cut_from > 0
                          ? fmt::format("first {} of {} tokens", tokens, encoding->cut_from)
                          : Counted(tokens, "token");
  if (const UnknownWords& unknown = encoding->unknown; unknown.unknown > 0) {
    words += fmt::format(" · {} of {} unknown", unknown.unknown, Counted(unknown.words, "word"));
  }
  return words;
}

// What the note cannot say in its few words.
std::string TokenTooltip(const Encoding* encoding) {
  std::string text;
  if (encoding != nullptr && encoding->cut_from > 0) {
    text = fmt::format(
        "The text has {} tokens. Its first are run, as many as the model reads with those that "
        "its tokenizer adds.",
        encoding->cut_from);
  }
  if (encoding != nullptr && encoding->unknown.unknown > 0) {
    text += text.empty() ? "" : "\n";
    text += UnknownSentence(encoding->unknown);
  }
  return text;
}

// A model that reads no text shows none: that of the model before comes back with a model that does.
std::string_view SourceText(const AppState& state) {
  const bool is_unread = state.model != nullptr && state.model->reads_ids_alone();
  return !state.typed_ids.empty() ? state.typed_ids
         : is_unread              ? std::string_view()
                                  : state.input.text;
}

// Whether nobody gave the target that the picture has.
bool IsGenerated(const Attendance& said) {
  return said.target != nullptr && !said.input.target && said.input.target_ids.empty();
}

// What stands in the target's box while nobody has typed one.
std::string GeneratedWords(const Ui& ui, const Attendance& said) {
  const Attendance& pending = ui.state.pending;
  const bool can_generate = ui.state.model == nullptr || ui.state.model->generates_target();
  if (can_generate && !pending.layers.empty() && pending.target == nullptr && StaleTooLong(ui)) {
    return "generating …";
  }
  if (IsGenerated(said)) {
    return said.generated.empty() ? "(the generated text ends at once)" : said.generated;
  }
  return can_generate ? "Type a target, or leave it to be generated"
                      : "Type a target: this file cannot generate one";
}

}  // namespace

void DrawSentence(Ui* ui, const Rect& rect) {
  ui->memory->sentence_place = rect;
  const AppState& state = ui->state;
  const InputText& input = state.input;
  if (state.model != nullptr && !state.model->reads_tokens()) {
    DrawOwnText(ui, rect);
    return;
  }
  const bool reads_text = state.model == nullptr || state.model->takes_text;
  Rect first = rect;
  const Encoding* encoding =
      state.pending.encoding != nullptr ? state.pending.encoding.get() : state.shown.encoding.get();
  const std::string tokens = TokenWords(state, encoding);
  const std::string about_tokens = tokens.empty() ? "" : TokenTooltip(encoding);
  if (input.pair) {
    first.width = (rect.width - ui->Px(8.0F)) / 2.0F;
  }
  DrawTextBox(
      ui,
      first,
      {.name = kSentenceField,
       .text = SourceText(state),
       .hint = reads_text ? "Type a sentence"
               : state.model->tokenizer_fault.empty()
                   ? "No tokenizer here: type ids, as in ids: 1, 2, 3"
                   : "Tokenizer not read: type ids, as in ids: 1, 2, 3",
       .hint_color = ui->colors().dim,
       .tooltip = "The heads follow as you type (/ or Ctrl+L goes here). \"ids: 5, 17, 3\" gives "
                  "token ids in place of a text",
       .note = input.pair ? "" : tokens,
       .note_tooltip = about_tokens,
       .clear_tooltip = {},
       .edit = [](const std::string& text) -> Action { return EditText{text}; }});
  if (input.pair) {
    Rect second = first;
    second.x += first.width + ui->Px(8.0F);
    DrawTextBox(ui,
                second,
                {.name = "pair",
                 .text = *input.pair,
                 .hint = {},
                 .hint_color = ui->colors().dim,
                 .tooltip = "The second sentence of the pair",
                 .note = tokens,
                 .note_tooltip = about_tokens,
                 .clear_tooltip = "Go on with the first sentence alone",
                 .least_beside_note = 200.0F,
                 .edit = [](const std::string& text) -> Action { return EditPair{text}; }});
  }
}

void DrawTarget(Ui* ui, const Rect& rect) {
  const AppState& state = ui->state;
  const InputText& input = state.input;
  const bool is_given = input.target.has_value() || !input.target_ids.empty();
  const Attendance& said = state.pending.target != nullptr ? state.pending : state.shown;
  const std::string text =
      state.typed_target_ids.empty() ? input.target.value_or("") : state.typed_target_ids;
  TextBox box{.name = kTargetField,
              .text = text,
              .hint = GeneratedWords(*ui, said),
              .hint_color = ui->colors().muted,
              .tooltip =
                  "The target: what the decoder reads. Type one, or leave it empty and the "
                  "model generates it, greedily (Ctrl+T goes here)",
              .note = is_given || IsGenerated(said) ? TokenWords(state, said.target.get()) : "",
              .clear_tooltip = is_given ? "Let the model generate the target" : "",
              .least_beside_note = 200.0F,
              .edit = [](const std::string& given) -> Action { return EditTarget{given}; }};
  if (!is_given && IsGenerated(said)) {
    box.note = box.note.empty() ? "generated" : "generated · " + box.note;
  }
  DrawTextBox(ui, rect, box);
}

}  // namespace headscope
