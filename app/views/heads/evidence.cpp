// In the panel of a head: numbers for roles that attention alone cannot give.
#include <algorithm>
#include <string>

#include "app/state/heads/evidence_words.h"
#include "app/state/queries.h"
#include "app/views/heads/panels.h"
#include "app/views/kit/pen.h"
#include "app/views/kit/widgets.h"

namespace headscope {
namespace {

constexpr float kEvidenceLine = 20.0F;  // unscaled

void DrawEvidenceLine(Pen* pen, int which, const EvidenceLine& line) {
  Ui* const ui = pen->ui;
  const ThemeColors& colors = ui->colors();
  Row row = pen->Line(kEvidenceLine);
  Area(ui, "evidence", which, row.whole(), line.meaning + "\n" + line.beside);
  row.Cell(
      std::min(ui->Px(176.0F), pen->width * 0.38F), line.name, Type::kSmall, colors.text, 8.0F);
  row.Cell(ui->Px(112.0F),
           line.number,
           Type::kMonoSmall,
           line.is_clear ? colors.accent : colors.text,
           8.0F);
  row.Text(line.beside, Type::kSmall, colors.dim);
}

// The button, or how far it is, or why there is no answer.
void DrawAskingEvidence(Pen* pen) {
  Ui* const ui = pen->ui;
  const EvidenceState& evidence = ui->state.evidence;
  if (evidence.request != 0) {
    Row row = pen->Line(26.0F);
    if (row.Button("stop evidence",
                   {.text = "Stop", .tooltip = "Nothing is kept (Ctrl+.)", .type = Type::kSmall})) {
      ui->Do(CancelWork);
    }
    row.Skip(10.0F);
    row.Text(
        "measuring names, successors and tasks, of all heads…", Type::kSmall, ui->colors().muted);
    return;
  }
  const ButtonLook ask{
      .text = "What does it carry?",
      .tooltip =
          "Runs 48 pairs of sentences such as “When Mary and John went home, John gave a "
          "drink to”, splits each head's part in the name by key, and patches paths; then runs of "
          "numbers, days and months, and words beside their plurals, capitals, past tenses: all heads "
          "at once",
      .type = Type::kSmall};
  if (Button(ui,
             "find evidence",
             pen->Line(26.0F).Left(std::min(pen->width, ButtonWidth(*ui, ask))),
             ask)) {
    ui->Do(FindEvidence);
  }
  if (!evidence.fault.empty() && evidence.of && evidence.of->model == ui->state.model) {
    pen->Skip(6.0F);
    pen->Small("Not measured: " + evidence.fault, ui->colors().muted);
  }
}

}  // namespace

void DrawEvidence(Pen* pen) {
  Ui* const ui = pen->ui;
  const ThemeColors& colors = ui->colors();
  pen->Heading("Evidence for roles");
  pen->Skip(6.0F);
  if (const std::string why_not = WhyNoEvidence(ui->state); !why_not.empty()) {
    pen->Small(why_not, colors.muted);
    return;
  }
  const FoundEvidence* const found = EvidenceInView(ui->state);
  if (found == nullptr) {
    DrawAskingEvidence(pen);
    return;
  }
  int which = 0;
  for (const EvidenceLine& line : LinesOfEvidence(*found, ui->state.selection.head)) {
    DrawEvidenceLine(pen, which++, line);
  }
  pen->Skip(4.0F);
  pen->Small(
      EvidenceSource(*found) +
          ". Logits, of what stops a subject a share; ± one error. Backup heads may do the same work: a low number "
          "is no proof of no role.",
      colors.dim);
}

}  // namespace headscope
