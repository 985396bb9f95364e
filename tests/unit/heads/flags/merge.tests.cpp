#include "core/heads/flags/merge.h"

#include <algorithm>

#include "tests/support/catch.h"

namespace headscope {
namespace {

using Heads = std::vector<HeadIndex>;

HeadFlag Flag(std::int64_t head, const std::string& role, const std::string& note = "") {
  HeadFlag flag;
  flag.head = head;
  flag.role = role;
  flag.note = note;
  return flag;
}

HeadFlag Rejecting(HeadFlag flag, const std::string& role, const std::string& reason) {
  flag.rejected.push_back({role, reason});
  return flag;
}

SharedFlags Shared(const std::string& id, SharedBy by, const std::vector<HeadFlag>& flags) {
  SharedFlags shared;
  shared.id = id;
  shared.by = by;
  shared.flags = flags;
  return shared;
}

// The flags after an import that takes their side of these conflicts.
std::vector<HeadFlag> After(const std::vector<HeadFlag>& mine,
                            const FlagMerge& merge,
                            const Heads& theirs = {}) {
  FlagSheet sheet;
  sheet.flags = mine;
  TakeImport(&sheet, ChangesOf(merge, theirs), {});
  return sheet.flags;
}

TEST_CASE("what only one side changed is taken, from either side", "[heads][flag_merge]") {
  const std::vector<HeadFlag> base = {
      Flag(0, "broad"), Flag(1, "broad"), Flag(2, "broad"), Flag(3, "broad"), Flag(4, "broad")};
  const std::vector<HeadFlag> mine = {
      Flag(0, "broad"), Flag(1, "rare"), Flag(2, "broad"), Flag(4, "broad"), Flag(6, "rare")};
  const std::vector<HeadFlag> theirs = {
      Flag(0, "broad"), Flag(1, "broad"), Flag(2, "induction"), Flag(3, "broad"), Flag(5, "rare")};
  const FlagMerge merge = MergeFlags(base, mine, theirs);
  CHECK(merge.conflicts.empty());
  CHECK(merge.same == Heads{{0, 0}});
  CHECK(merge.kept == Heads{{0, 1}, {0, 6}});
  CHECK(merge.changed == Heads{{0, 2}});
  CHECK(merge.removed == Heads{{0, 4}});
  CHECK(merge.added == Heads{{0, 5}});
  CHECK(After(mine, merge) == std::vector<HeadFlag>{Flag(0, "broad"),
                                                    Flag(1, "rare"),
                                                    Flag(2, "induction"),
                                                    Flag(5, "rare"),
                                                    Flag(6, "rare")});
}

TEST_CASE("what both changed to the same is one; differently, a conflict", "[heads][flag_merge]") {
  const std::vector<HeadFlag> base = {Flag(0, "broad"), Flag(1, "broad"), Flag(2, "broad")};
  HeadFlag theirs_dated = Flag(0, "rare");
  theirs_dated.author = "Anna";
  theirs_dated.evidence = "numbers";
  const std::vector<HeadFlag> mine = {Flag(0, "rare"), Flag(1, "rare"), Flag(2, "broad", "sure")};
  const std::vector<HeadFlag> theirs = {theirs_dated, Flag(1, "induction")};
  const FlagMerge merge = MergeFlags(base, mine, theirs);
  CHECK(merge.same == Heads{{0, 0}});
  REQUIRE(merge.conflicts.size() == 2);
  CHECK(merge.conflicts[0].head == HeadIndex{0, 1});
  CHECK(merge.conflicts[0].mine == Flag(1, "rare"));
  CHECK(merge.conflicts[0].theirs == Flag(1, "induction"));
  CHECK(merge.conflicts[1].head == HeadIndex{0, 2});  // I wrote a note, they took the flag away
  CHECK(merge.changes.empty());
  CHECK(After(mine, merge) == mine);
  CHECK(After(mine, merge, {{0, 1}, {0, 2}}) ==
        std::vector<HeadFlag>{Flag(0, "rare"), Flag(1, "induction")});
}

TEST_CASE("where nobody knows what both had, whatever differs is a conflict",
          "[heads][flag_merge]") {
  const std::vector<HeadFlag> mine = {Flag(0, "broad"), Flag(1, "broad")};
  const std::vector<HeadFlag> theirs = {Flag(1, "rare"), Flag(2, "rare")};
  const FlagMerge merge = MergeFlags({}, mine, theirs);
  CHECK(merge.kept == Heads{{0, 0}});
  CHECK(merge.added == Heads{{0, 2}});
  REQUIRE(merge.conflicts.size() == 1);
  CHECK(merge.conflicts[0].head == HeadIndex{0, 1});
}

TEST_CASE("rejected roles are merged each on its own, beside the flag", "[heads][flag_merge]") {
  const std::vector<HeadFlag> base = {Rejecting(Flag(0, "broad"), "rare", "no")};
  const std::vector<HeadFlag> mine = {
      Rejecting(Rejecting(Flag(0, "broad"), "rare", "no"), "induction", "mine")};
  const std::vector<HeadFlag> theirs = {
      Rejecting(Rejecting(Flag(0, "syntactic"), "induction", "theirs"), "duplicate", "x")};
  const FlagMerge merge = MergeFlags(base, mine, theirs);
  CHECK(merge.conflicts.empty());
  const std::vector<HeadFlag> after = After(mine, merge);
  REQUIRE(after.size() == 1);
  CHECK(after[0].role == "syntactic");
  // They took "rare" back; both reasons of "induction" stay.
  CHECK(after[0].rejected ==
        std::vector<RejectedRole>{{"induction", "mine; theirs"}, {"duplicate", "x"}});
}

TEST_CASE("a conflict about a flag keeps what both reject, whoever wins", "[heads][flag_merge]") {
  const std::vector<HeadFlag> mine = {Rejecting(Flag(0, "broad"), "rare", "a")};
  const std::vector<HeadFlag> theirs = {Rejecting(Flag(0, "induction"), "duplicate", "b")};
  const FlagMerge merge = MergeFlags({}, mine, theirs);
  REQUIRE(merge.conflicts.size() == 1);
  const Heads side = GENERATE(Heads{}, Heads{{0, 0}});
  const std::vector<HeadFlag> after = After(mine, merge, side);
  REQUIRE(after.size() == 1);
  CHECK(after[0].role == (side.empty() ? "broad" : "induction"));
  CHECK(after[0].rejected == std::vector<RejectedRole>{{"rare", "a"}, {"duplicate", "b"}});
}

// Each way that three states of a head can stand to each other.
TEST_CASE("no change of one side is ever lost without a conflict", "[heads][flag_merge]") {
  const std::vector<std::string> roles = {"", "broad", "rare", "induction"};
  const auto of = [](const std::string& role) {
    return role.empty() ? std::vector<HeadFlag>{} : std::vector<HeadFlag>{Flag(0, role)};
  };
  for (const std::string& base : roles) {
    for (const std::string& mine : roles) {
      for (const std::string& theirs : roles) {
        INFO(base << " / " << mine << " / " << theirs);
        const FlagMerge merge = MergeFlags(of(base), of(mine), of(theirs));
        const std::vector<HeadFlag> after = After(of(mine), merge);
        const bool both_differ = mine != base && theirs != base && mine != theirs;
        CHECK(merge.conflicts.size() == (both_differ ? 1U : 0U));
        CHECK(after == of(mine == base ? theirs : mine));
        CHECK(After(of(mine), merge, {{0, 0}}) == of(both_differ || mine == base ? theirs : mine));
      }
    }
  }
}

TEST_CASE("undo takes a whole import back, and redo brings it again", "[heads][flag_merge]") {
  FlagSheet sheet;
  SetFlag(&sheet, Flag(0, "broad"));
  SetFlag(&sheet, Flag(1, "broad"));
  const std::vector<HeadFlag> before = sheet.flags;
  const std::vector<HeadFlag> theirs = {Flag(0, "rare"), Flag(2, "rare"), Flag(3, "rare")};
  const FlagMerge merge = MergeFlags({}, sheet.flags, theirs);
  const SharedFlags shared = Shared("aa", SharedBy::kImport, theirs);
  TakeImport(&sheet, ChangesOf(merge, {{0, 0}}), shared);
  const std::vector<HeadFlag> after = sheet.flags;
  CHECK(after.size() == 4);
  CHECK(sheet.shared.size() == 1);
  CHECK(Undo(&sheet));
  CHECK(sheet.flags == before);
  CHECK(sheet.shared.empty());
  CHECK(Redo(&sheet));
  CHECK(sheet.flags == after);
  CHECK(sheet.shared == std::vector<SharedFlags>{shared});
  CHECK(Undo(&sheet));
  CHECK(Undo(&sheet));  // the flag before
  CHECK(sheet.flags.size() == 1);
}

TEST_CASE("what both had is an export that comes back, or what went into the file",
          "[heads][flag_merge]") {
  const SharedFlags sent = Shared("aa", SharedBy::kExport, {Flag(0, "broad")});
  const SharedFlags got = Shared("bb", SharedBy::kImport, {Flag(1, "broad")});
  const SharedFlags other = Shared("cc", SharedBy::kOtherModel, {Flag(2, "broad")});
  const std::vector<SharedFlags> shared = {sent, got, other};
  FlagFile file;
  file.id = "aa";
  CHECK(BaseOf(file, shared) == sent.flags);  // edited elsewhere
  file.id = "zz";
  CHECK(BaseOf(file, shared).empty());
  file.from = {"aa", "bb"};
  CHECK(BaseOf(file, shared) == got.flags);
  file.from = {"aa", "cc"};
  CHECK(BaseOf(file, shared) == sent.flags);
  // What came once comes again after it was undone: it is not its own base.
  file.id = "bb";
  file.from.clear();
  CHECK(BaseOf(file, shared).empty());
}

}  // namespace
}  // namespace headscope
