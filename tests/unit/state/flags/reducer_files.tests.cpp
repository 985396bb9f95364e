// Files of flags, labelling blind, agreement, and the order of the grid.
#include <set>
#include <stdexcept>

#include "app/state/flags/files.h"
#include "app/state/heads/scores.h"
#include "app/state/inspect/grid_order.h"
#include "core/heads/scan/roles.h"
#include "tests/support/catch.h"
#include "tests/unit/state/heads/scan_stub.h"
#include "tests/unit/state/state_driver.h"

namespace headscope::test {
namespace {

// A copy of the last effect of a type; the test ends where there is none.
template <typename Effect>
Effect LastOf(const StateDriver& driver) {
  const Effect* const last = driver.Last<Effect>();
  if (last == nullptr) {
    throw std::runtime_error("there is no such effect");
  }
  return *last;
}

struct FlagFilesDriver : StateDriver {
  FlagFilesDriver() {
    ShowSomething();
    Do(SetAuthor{"Me"});
    Do(DayIs{"2026-11-23"});
  }
  void Scan() {
    Do(SetScreen{&kScoresScreen});
    Event(state.scan.request, HeadsScanned{StubScan()});
    Event(state.scan.request, Finished{});
  }
  void Flag(HeadIndex head, const std::string& role) { Do(AcceptSuggestion{head, role}); }
  [[nodiscard]] std::string RoleOf(HeadIndex head) const {
    const HeadFlag* const flag = FindFlag(FlagsInView(state), head);
    return flag != nullptr ? flag->role : "";
  }
  // The file that an export would write, as if it had been written.
  FlagFile Export() {
    Do(OpenPopup{Popup::kFlagExport});
    Do(StartFlagExport{});
    const auto write = LastOf<WriteFlags>(*this);
    FlagFile file = write.file;
    Do(FlagsExported{file, write.path, true});
    return file;
  }
  void Read(FlagFile file, const std::string& path = "/files/anna.json") {
    file.places.resize(file.flags.size());
    Do(ImportFlags{path});
    Do(FlagFileRead{path, FlagFileUse::kImport, file});
  }
};

// The roles that are suggested for a head.
std::vector<std::string> SuggestedFor(const StateDriver& driver, HeadIndex head) {
  const HeadSuggestions found = SuggestionsInView(driver.state);
  std::vector<std::string> roles;
  for (const Suggestion* one : found.Of(head)) {
    roles.push_back(one->role);
  }
  return roles;
}

GridLook Look(GridOrder order, GridFlags flags, const std::string& role, const std::string& least) {
  GridLook look;
  look.order = order;
  look.flags = flags;
  look.role = role;
  look.least = least;
  return look;
}

// Anna's flags on these heads of the model in view.
FlagFile AnnasFile(const StateDriver& driver,
                   const std::vector<std::pair<HeadIndex, std::string>>& says) {
  FlagFile file;
  file.model_name = "alpha";
  file.model_fingerprint = ShownModel(driver.state)->fingerprint;
  file.author = "Anna";
  for (const auto& [head, role] : says) {
    HeadFlag flag;
    flag.layer = head.layer;
    flag.head = head.head;
    flag.role = role;
    file.flags.push_back(flag);
  }
  return WithId(file);
}

TEST_CASE("a flag says who set it and when, and a file of flags the scan, too",
          "[state][flag_files]") {
  FlagFilesDriver driver;
  driver.Scan();
  driver.Flag({2, 3}, "induction");
  const HeadFlag* const flag = FindFlag(FlagsInView(driver.state), {2, 3});
  REQUIRE(flag != nullptr);
  CHECK(flag->author == "Me");
  CHECK(flag->date == "2026-11-23");
  const FlagFile file = driver.Export();
  CHECK(file.author == "Me");
  CHECK(file.model_name == "alpha");
  CHECK_THAT(file.scan, Says("all 40 probe sentences"));
  CHECK_THAT(file.flags.at(0).evidence, Says("it does so (strong)"));
  CHECK_FALSE(file.is_blind);
  CHECK(driver.state.flag_files.exporting.done == "/exports/alpha-flags.json");
  // Kept in the session, to merge with later.
  REQUIRE(driver.Last<StoreSession>() != nullptr);
  CHECK(LastOf<StoreSession>(driver).session.shared.at(0).id == file.id);
}

TEST_CASE("saving the same flag again on another day changes nothing", "[state][flag_files]") {
  FlagFilesDriver driver;
  driver.Flag({0, 0}, "broad");
  driver.Do(DayIs{"2026-11-24"});
  driver.Flag({0, 0}, "broad");
  CHECK(FindFlag(FlagsInView(driver.state), {0, 0})->date == "2026-11-23");
  driver.Do(UndoFlag);
  CHECK(driver.RoleOf({0, 0}).empty());
}

TEST_CASE("a file that is there is asked about before it is written over", "[state][flag_files]") {
  FlagFilesDriver driver;
  driver.Do(OpenPopup{Popup::kFlagExport});
  driver.Do(StartFlagExport{});
  CHECK_FALSE(LastOf<WriteFlags>(driver).overwrite);
  driver.Do(FlagsExported{LastOf<WriteFlags>(driver).file, "/exports/alpha-flags.json", false});
  CHECK(driver.state.flag_files.exporting.ask_overwrite);
  CHECK(FlagsInView(driver.state).shared.empty());
  driver.Do(StartFlagExport{.overwrite = true});
  CHECK(LastOf<WriteFlags>(driver).overwrite);
  driver.Do(FlagsExported{LastOf<WriteFlags>(driver).file,
                          "/exports/alpha-flags.json",
                          Fail(ErrorCode::kIo, "the disk is full")});
  CHECK(driver.state.flag_files.exporting.fault == "the disk is full");
  driver.Do(EditFlagExport{"/exports/other.csv"});
  CHECK(driver.state.flag_files.exporting.fault.empty());
  // The ending stays for the next one.
  driver.Do(OpenPopup{Popup::kFlagExport});
  CHECK(driver.state.flag_files.exporting.path == "/exports/alpha-flags.csv");
}

TEST_CASE("an import takes what they added; conflicts wait for a decision; one undo takes all back",
          "[state][flag_files]") {
  FlagFilesDriver driver;
  driver.Flag({0, 0}, "broad");
  driver.Flag({0, 1}, "broad");
  driver.Read(AnnasFile(driver, {{{0, 0}, "rare"}, {{0, 1}, "broad"}, {{1, 2}, "induction"}}));
  CHECK(driver.state.dialogs.popup == Popup::kFlagImport);
  ImportPlan plan = PlanImport(driver.state);
  CHECK(plan.fault.empty());
  CHECK_FALSE(plan.has_base);
  CHECK(plan.undecided == 1);
  driver.Do(TakeFlagImport);  // not yet
  CHECK(driver.RoleOf({1, 2}).empty());
  driver.Do(DecideConflict{HeadIndex{0, 0}, true});
  CHECK(PlanImport(driver.state).can_take());
  driver.Do(TakeFlagImport);
  CHECK(driver.state.dialogs.popup == Popup::kNone);
  CHECK(driver.RoleOf({0, 0}) == "rare");
  CHECK(driver.RoleOf({1, 2}) == "induction");
  CHECK(LastOf<StoreSession>(driver).session.flags.size() == 3);
  driver.Do(UndoFlag);
  CHECK(driver.RoleOf({0, 0}) == "broad");
  CHECK(driver.RoleOf({0, 1}) == "broad");
  CHECK(driver.RoleOf({1, 2}).empty());
  CHECK(LastOf<StoreSession>(driver).session.shared.empty());
  driver.Do(RedoFlag);
  CHECK(driver.RoleOf({0, 0}) == "rare");
}

TEST_CASE("two people who send a file to and fro lose nothing", "[state][flag_files]") {
  FlagFilesDriver me;
  me.Flag({0, 0}, "broad");
  me.Flag({0, 1}, "broad");
  const FlagFile first = me.Export();

  FlagFilesDriver anna;
  anna.Do(SetAuthor{"Anna"});
  anna.Read(first);
  CHECK(PlanImport(anna.state).merge.added.size() == 2);
  anna.Do(TakeFlagImport);
  anna.Flag({0, 0}, "rare");
  anna.Do(ClearFlag{{0, 1}});
  anna.Flag({1, 0}, "rare");
  const FlagFile second = anna.Export();
  CHECK(second.from == std::vector<std::string>{first.id});

  me.Flag({1, 1}, "syntactic");  // meanwhile
  me.Export();
  me.Read(second);
  const ImportPlan plan = PlanImport(me.state);
  CHECK(plan.has_base);
  CHECK(plan.undecided == 0);
  me.Do(TakeFlagImport);
  CHECK(me.RoleOf({0, 0}) == "rare");
  CHECK(me.RoleOf({0, 1}).empty());
  CHECK(me.RoleOf({1, 0}) == "rare");
  CHECK(me.RoleOf({1, 1}) == "syntactic");

  // Back to Anna, who changed what I changed, too.
  me.Flag({1, 0}, "broad");
  const FlagFile third = me.Export();
  anna.Flag({1, 0}, "induction");
  anna.Read(third);
  const ImportPlan back = PlanImport(anna.state);
  CHECK(back.merge.added == std::vector<HeadIndex>{{1, 1}});
  REQUIRE(back.merge.conflicts.size() == 1);
  CHECK(back.merge.conflicts[0].head == HeadIndex{1, 0});
  // Undone, the same file imports again.
  me.Do(UndoFlag);
  me.Do(UndoFlag);
  CHECK(me.RoleOf({0, 0}) == "broad");
  me.Read(second);
  CHECK(PlanImport(me.state).merge.changed == std::vector<HeadIndex>{{0, 0}});
}

TEST_CASE("another model's flags are suggestions, marked so, until they are removed or undone",
          "[state][flag_files]") {
  FlagFilesDriver driver;
  driver.Scan();
  FlagFile file = AnnasFile(
      driver, {{{1, 2}, "syntactic"}, {{0, 3}, "broad"}, {{2, 3}, "rare"}, {{9, 9}, "broad"}});
  file.model_name = "beta";
  file.model_fingerprint = "another";
  driver.Flag({0, 3}, "rare");
  const std::size_t flags = FlagsInView(driver.state).flags.size();
  driver.Read(file);
  const ImportPlan plan = PlanImport(driver.state);
  CHECK(plan.is_other_model);
  CHECK(plan.suggested.size() == 3);
  CHECK(plan.left_out == 1);
  driver.Do(TakeFlagImport);
  CHECK(FlagsInView(driver.state).flags.size() == flags);
  const HeadSuggestions found = SuggestionsInView(driver.state);
  REQUIRE(found.Of({2, 3}).size() == 2);  // after the scan's
  CHECK(found.Of({2, 3})[0]->from.empty());
  CHECK(found.Of({2, 3})[1]->from == "beta, another model");
  CHECK_THAT(found.Of({2, 3})[1]->why, Says("Anna flagged this head so in beta"));
  CHECK(AgreementOf(FlagsInView(driver.state), found, {0, 3}) == Agreement::kConflict);

  SECTION("accepted, it is a flag that says where it is from") {
    driver.Flag({1, 2}, "syntactic");
    CHECK_THAT(FindFlag(FlagsInView(driver.state), {1, 2})->evidence, Says("in beta"));
  }
  SECTION("rejected, it does not come back") {
    driver.Do(AskReject{{2, 3}, "rare"});
    driver.Do(RejectSuggestion);
    CHECK(SuggestedFor(driver, {2, 3}).size() == 1);
  }
  SECTION("undone, it is gone") {
    driver.Do(UndoFlag);
    CHECK(SuggestedFor(driver, {2, 3}).size() == 1);
  }
  SECTION("removed, it is gone") {
    driver.Do(ForgetOtherModel{file.id});
    CHECK(SuggestedFor(driver, {2, 3}).size() == 1);
    CHECK(LastOf<StoreSession>(driver).session.shared.empty());
  }
}

TEST_CASE("a file that cannot be read, or names heads that are not there, says so",
          "[state][flag_files]") {
  FlagFilesDriver driver;
  driver.Do(ImportFlags{"/files/a.csv"});
  driver.Do(FlagFileRead{"/files/a.csv",
                         FlagFileUse::kImport,
                         Fail(ErrorCode::kFormat, "a.csv: line 3, column 1: expected a head")});
  CHECK(PlanImport(driver.state).fault == "a.csv: line 3, column 1: expected a head");
  driver.Do(TakeFlagImport);
  driver.Read(AnnasFile(driver, {{{7, 0}, "broad"}}));
  CHECK_THAT(PlanImport(driver.state).fault, Says("there is no L7H0 in this model"));
  driver.Do(TakeFlagImport);
  CHECK(FlagsInView(driver.state).flags.empty());
  CHECK(FlagsInView(driver.state).shared.empty());
}

TEST_CASE("labelling blind hides scores and suggestions until the flags are saved",
          "[state][flag_files]") {
  FlagFilesDriver driver;
  driver.Scan();
  CHECK_FALSE(SuggestedFor(driver, {2, 3}).empty());
  driver.Do(LabelBlind{true});
  CHECK(ScanInView(driver.state) == nullptr);
  CHECK(TextScoresInView(driver.state) == nullptr);
  CHECK(SuggestedFor(driver, {2, 3}).empty());
  driver.Flag({2, 3}, "induction");
  CHECK(FindFlag(FlagsInView(driver.state), {2, 3})->evidence.empty());
  driver.Do(OpenPopup{Popup::kFlagExport});
  driver.Do(StartFlagExport{});
  FlagFile file = LastOf<WriteFlags>(driver).file;
  CHECK(file.is_blind);
  CHECK(file.scan.empty());
  driver.Do(FlagsExported{file, "/f.json", Fail(ErrorCode::kIo, "no")});
  CHECK(driver.state.flag_files.is_blind);  // nothing was saved
  driver.Do(StartFlagExport{});
  driver.Do(FlagsExported{file, "/f.json", true});
  CHECK_FALSE(driver.state.flag_files.is_blind);
  CHECK_FALSE(SuggestedFor(driver, {2, 3}).empty());
}

TEST_CASE("two files and the suggestions are compared over all heads", "[state][flag_files]") {
  FlagFilesDriver driver;
  driver.Scan();
  driver.Flag({2, 3}, "induction");
  driver.Flag({0, 1}, "broad");
  const FlagFile anna = AnnasFile(driver, {{{2, 3}, "induction"}, {{0, 2}, "rare"}});
  driver.Do(EditAgreement{FlagFileUse::kSecond, "/files/anna.json"});
  CHECK(LastOf<ReadFlags>(driver).use == FlagFileUse::kSecond);
  driver.Do(FlagFileRead{"/files/anna.json", FlagFileUse::kSecond, anna});
  std::vector<AgreementLine> lines = AgreementLines(driver.state);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].who == "Me and Anna");
  CHECK(lines[0].kappa.heads == 12);
  CHECK(lines[0].kappa.alike == 10);
  CHECK(lines[0].unlike == std::vector<HeadIndex>{{0, 1}, {0, 2}});
  CHECK(UnlikeWords(lines[0]) == "unlike: L0H1 and L0H2");
  CHECK(lines[1].who == "Me and the suggestions");
  CHECK(lines[2].who == "Anna and the suggestions");
  // What a person rejected stays a suggestion of the scan.
  driver.Do(AskReject{{1, 2}, "positional"});
  driver.Do(RejectSuggestion);
  CHECK(AgreementLines(driver.state)[1].kappa.alike == lines[1].kappa.alike);

  FlagFile other = anna;
  other.model_fingerprint = "another";
  other.model_name = "beta";
  driver.Do(EditAgreement{FlagFileUse::kFirst, "/files/ben.json"});
  driver.Do(FlagFileRead{"/files/ben.json", FlagFileUse::kFirst, other});
  lines = AgreementLines(driver.state);
  REQUIRE(lines.size() == 1);
  CHECK_THAT(lines[0].fault, Says("is of beta, and alpha is open"));
  driver.Do(EditAgreement{FlagFileUse::kFirst, ""});
  driver.Do(LabelBlind{true});
  CHECK(AgreementLines(driver.state).size() == 1);  // suggestions are hidden
}

TEST_CASE("a scan is saved once it is whole, and not while it is hidden", "[state][flag_files]") {
  FlagFilesDriver driver;
  driver.Do(OpenPopup{Popup::kScanSave});
  CHECK(driver.state.flag_files.saving_scan.path == "/exports/alpha-scan.txt");
  driver.Do(SaveScan{});
  CHECK(driver.Last<WriteScan>() == nullptr);
  driver.Scan();
  driver.Do(LabelBlind{true});
  driver.Do(SaveScan{});
  CHECK(driver.Last<WriteScan>() == nullptr);
  driver.Do(LabelBlind{false});
  driver.Do(SaveScan{});
  REQUIRE(driver.Last<WriteScan>() != nullptr);
  CHECK(LastOf<WriteScan>(driver).model == "/models/alpha");
  driver.Do(ScanSaved{"/exports/alpha-scan.txt", true});
  CHECK(driver.state.flag_files.saving_scan.done == "/exports/alpha-scan.txt");
}

TEST_CASE("the grid is sorted by role, flag and score, and filtered by all of them",
          "[state][grid]") {
  FlagFilesDriver driver;
  driver.Scan();
  driver.Flag({1, 0}, "broad");
  driver.Flag({2, 3}, "induction");
  CHECK(IsPlainGrid(driver.state));
  CHECK(GridHeads(driver.state).size() == 12);
  CHECK(GridHeads(driver.state).front() == HeadIndex{0, 0});
  CHECK(GridLookWords(driver.state) == "Sort and filter");
  const auto look = [&](const GridLook& wanted) {
    driver.Do(SetGridLook{wanted});
    return GridHeads(driver.state);
  };
  // Of roles the order is that of the editor: positional, ..., induction, ..., broad.
  std::vector<HeadIndex> heads = look(Look(GridOrder::kRole, GridFlags::kAll, "", ""));
  const std::vector<const Suggestion*> all = AllSuggestions(*driver.state.scan.report);
  std::set<HeadIndex> told = {{1, 0}, {2, 3}};
  for (const Suggestion* one : all) {
    told.insert(one->head);
  }
  CHECK(heads.front() == HeadIndex{1, 2});  // suggested: positional
  CHECK(heads[told.size() - 1] == HeadIndex{1, 0});
  CHECK(heads.size() == 12);
  heads = look(Look(GridOrder::kFlag, GridFlags::kAll, "", ""));
  CHECK(heads[0] == HeadIndex{1, 0});
  CHECK(heads[1] == HeadIndex{2, 3});
  CHECK(heads[2] == HeadIndex{1, 2});  // only suggested
  heads = look(Look(GridOrder::kScore, GridFlags::kAll, "", ""));
  CHECK(heads.front() == HeadIndex{2, 3});
  CHECK(heads.back() == HeadIndex{0, 0});
  CHECK(GridScoreTexts(driver.state, heads).front() == "0.55");
  CHECK(look(Look(GridOrder::kName, GridFlags::kFlagged, "", "")) ==
        std::vector<HeadIndex>{{1, 0}, {2, 3}});
  CHECK(look(Look(GridOrder::kName, GridFlags::kUnflagged, "", "")).size() == 10);
  CHECK(look(Look(GridOrder::kName, GridFlags::kAll, "broad", "")) ==
        std::vector<HeadIndex>{{1, 0}});
  CHECK(look(Look(GridOrder::kName, GridFlags::kAll, "", "0.5")) ==
        std::vector<HeadIndex>{{2, 2}, {2, 3}});
  CHECK(look(Look(GridOrder::kName, GridFlags::kAll, "", "half")).size() == 12);  // no number
  CHECK(GridLookWords(driver.state) == "Sort and filter");
  look(Look(GridOrder::kScore, GridFlags::kFlagged, "", ""));
  driver.Do(ShowOnly{Agreement::kOnlyMine});
  CHECK(GridHeads(driver.state) == std::vector<HeadIndex>{{1, 0}});
  CHECK(GridLookWords(driver.state) == "by score, flagged, only mine");
  // Blind, what rests on scores does not filter.
  driver.Do(LabelBlind{true});
  CHECK(GridHeads(driver.state) == std::vector<HeadIndex>{{1, 0}, {2, 3}});
  CHECK_THAT(WhyNoGridScores(driver.state), Says("hidden"));
  driver.Do(LabelBlind{false});
  driver.Do(SetGridLook{});
  driver.Do(ShowOnly{});
  CHECK(IsPlainGrid(driver.state));
  driver.Do(ShowHead{{2, 1}});
  CHECK(driver.state.selection.head == HeadIndex{2, 1});
  CHECK(driver.state.selection.head_locked);
}

}  // namespace
}  // namespace headscope::test
