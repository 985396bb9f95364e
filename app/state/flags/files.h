// What an import would do, how far two people agree, and the file that the flags on screen make.
//
// Threads  UI thread; plain values.
#pragma once

#include <string>
#include <vector>

#include "app/state/app_state.h"
#include "core/heads/flags/agreement.h"
#include "core/heads/flags/merge.h"

namespace headscope {

// The file holds the flags of the model in view.
[[nodiscard]] FlagFile FlagFileOf(const AppState& state, const ModelWork& work);

// The path in the dialog that a place is wanted for; empty: none is.
[[nodiscard]] std::string SavePathOf(const AppState& state, FileWanted wanted);

// What is typed in a dialog that saves: a new path asks and tells anew.
void EditPath(const std::string& path, SaveDraft* draft);
// `done` was written, or why not; false: a file is there, and a person is asked.
void TakeAnswer(const std::string& done, const Result<bool>& written, SaveDraft* draft);

struct ImportPlan {
  bool is_other_model = false;      // its flags become suggestions
  bool has_base = false;            // what both had is known
  FlagMerge merge;                  // of this model's
  std::vector<HeadFlag> suggested;  // of another model's
  std::int64_t left_out = 0;        // heads that this model has not
  std::string fault;                // why it cannot be taken, in a sentence
  std::int64_t undecided = 0;       // conflicts
  [[nodiscard]] bool can_take() const { return fault.empty() && undecided == 0; }
};
// Imports the file that was read into the flags as they are now.
[[nodiscard]] ImportPlan PlanImport(const AppState& state);

// "Anna (anna.json, 2026-11-23)"
[[nodiscard]] std::string FromWords(const std::string& author,
                                    const std::string& file,
                                    const std::string& day);

// Two that are compared.
struct AgreementLine {
  std::string who;  // "you and Anna"
  Kappa kappa;
  std::string fault;              // why they cannot be compared
  std::vector<HeadIndex> unlike;  // heads of which the two say something else
};
// Compares the two sides of the dialog with each other, and each with the suggestions of the scan.
[[nodiscard]] std::vector<AgreementLine> AgreementLines(const AppState& state);
// "unlike: L0H3, L1H2"; empty: there are none.
[[nodiscard]] std::string UnlikeWords(const AgreementLine& line);

}  // namespace headscope
