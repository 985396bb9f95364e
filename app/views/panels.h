// Every panel of the window: reads the state, pushes actions, draws into the scene and with ImGui.
// One file each.
#pragma once

#include "app/views/kit/pen.h"

namespace headscope {

void DrawTopBar(Ui* ui);
void DrawSentence(Ui* ui, const Rect& rect);
void DrawOwnText(Ui* ui, const Rect& rect);  // in its place, where no text is typed
void DrawTarget(Ui* ui, const Rect& rect);
void DrawRail(Ui* ui);
void DrawStatusLine(Ui* ui);

// Toolbars return their height: they wrap where the window is narrow.
[[nodiscard]] float DrawMapToolbar(Ui* ui, const Rect& area);
[[nodiscard]] float DrawCountsToolbar(Ui* ui, const Rect& area);
[[nodiscard]] float DrawHeadsToolbar(Ui* ui, const Rect& area);
void DrawGrid(Ui* ui, const Rect& area);
void DrawCounts(Ui* ui, const Rect& area);
void DrawHeads(Ui* ui, const Rect& area);
void DrawHelp(Ui* ui, const Rect& area);
[[nodiscard]] float DrawCompareToolbar(Ui* ui, const Rect& area);
void DrawCompare(Ui* ui, const Rect& area);
void DrawNotices(Ui* ui, const Rect& area);
// A band of words where the maps are not of the model and text above.
void DrawOutdatedNote(Pen* pen);
// Why the model reads no text, where its tokenizer cannot be read and a picture stands.
void DrawTokenizerNote(Pen* pen);
void DrawEmpty(Ui* ui, const Rect& area);

void DrawFlagLine(Pen* pen);  // of the selected head; or how to set one
void DrawHeadDetail(Ui* ui);
void DrawCountsDetail(Ui* ui);
void DrawHeadsDetail(Ui* ui);
void DrawCompareDetail(Ui* ui);
[[nodiscard]] bool TakeCompareLetter(Ui* ui, char letter);

void DrawPopups(Ui* ui);
void DrawModelMenu(Ui* ui);
void DrawCompareMenu(Ui* ui);
void DrawPatchRowsMenu(Ui* ui);
void DrawSamplesMenu(Ui* ui);
void DrawColourMenu(Ui* ui);
void DrawTokensMenu(Ui* ui);
void DrawQuestionsMenu(Ui* ui);
void DrawRangeMenu(Ui* ui);
void DrawPoolingMenu(Ui* ui);
void DrawLayerMenu(Ui* ui);
void DrawColumnsMenu(Ui* ui);
void DrawWeightsMenu(Ui* ui);
void DrawInputMenu(Ui* ui);
void DrawTryCountsMenu(Ui* ui);
void DrawJumpBox(Ui* ui);
void DrawPalette(Ui* ui);
void DrawFlagEditor(Ui* ui);
void DrawRejectBox(Ui* ui);
void DrawFlagFilesMenu(Ui* ui);
void DrawFlagExport(Ui* ui);
void DrawFlagImport(Ui* ui);
void DrawAgreement(Ui* ui);
void DrawScanSave(Ui* ui);
void DrawProbeMenu(Ui* ui);
void DrawGridLook(Ui* ui);
void DrawTrainMenu(Ui* ui);
void DrawExportDialog(Ui* ui);
void DrawHeadCountMenu(Ui* ui);
void DrawEmbeddingsDialog(Ui* ui);
void DrawFileList(Ui* ui);
void DrawSessions(Ui* ui);
void DrawWorkMenu(Ui* ui);

// Everything, for one frame.
void DrawWindow(Ui* ui);

}  // namespace headscope
