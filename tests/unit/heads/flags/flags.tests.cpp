#include "core/heads/flags/flags.h"

#include "tests/support/catch.h"

namespace headscope {
namespace {

HeadFlag Flag(HeadIndex head, const std::string& role) {
  HeadFlag flag;
  flag.layer = head.layer;
  flag.head = head.head;
  flag.part = head.part;
  flag.role = role;
  return flag;
}

std::vector<HeadIndex> HeadsOf(const FlagSheet& sheet) {
  std::vector<HeadIndex> heads;
  for (const HeadFlag& flag : sheet.flags) {
    heads.push_back(HeadOf(flag));
  }
  return heads;
}

TEST_CASE("flags stand in the order of part, layer and head, one for each head", "[heads][flags]") {
  FlagSheet sheet;
  CHECK(SetFlag(&sheet, Flag({1, 0, ModelPart::kCross}, "broad")));
  CHECK(SetFlag(&sheet, Flag({2, 1, ModelPart::kEncoder}, "rare")));
  CHECK(SetFlag(&sheet, Flag({0, 3, ModelPart::kEncoder}, "rare")));
  CHECK(SetFlag(&sheet, Flag({2, 1, ModelPart::kEncoder}, "broad")));
  const std::vector<HeadIndex> expected = {
      {0, 3, ModelPart::kEncoder}, {2, 1, ModelPart::kEncoder}, {1, 0, ModelPart::kCross}};
  CHECK(HeadsOf(sheet) == expected);
  REQUIRE(FindFlag(sheet, {2, 1, ModelPart::kEncoder}) != nullptr);
  CHECK(FindFlag(sheet, {2, 1, ModelPart::kEncoder})->role == "broad");
  CHECK(FindFlag(sheet, {2, 1, ModelPart::kDecoder}) == nullptr);
}

TEST_CASE("what changes nothing is no step of undo", "[heads][flags]") {
  FlagSheet sheet;
  CHECK_FALSE(RemoveFlag(&sheet, {0, 0}));
  CHECK_FALSE(Undo(&sheet));
  CHECK(SetFlag(&sheet, Flag({0, 0}, "broad")));
  CHECK_FALSE(SetFlag(&sheet, Flag({0, 0}, "broad")));
  CHECK(Undo(&sheet));
  CHECK(sheet.flags.empty());
  CHECK_FALSE(Undo(&sheet));
}

TEST_CASE("undo and redo walk through every change, and a new change ends redo", "[heads][flags]") {
  FlagSheet sheet;
  SetFlag(&sheet, Flag({0, 0}, "broad"));
  SetFlag(&sheet, Flag({0, 0}, "rare"));
  CHECK(SetFlag(&sheet, Flag({0, 0}, "")));  // an empty role takes the flag away
  CHECK(sheet.flags.empty());
  CHECK(Undo(&sheet));
  CHECK(FindFlag(sheet, {0, 0})->role == "rare");
  CHECK(Undo(&sheet));
  CHECK(FindFlag(sheet, {0, 0})->role == "broad");
  CHECK(Redo(&sheet));
  CHECK(FindFlag(sheet, {0, 0})->role == "rare");
  CHECK(SetFlag(&sheet, Flag({1, 1}, "broad")));
  CHECK_FALSE(Redo(&sheet));
}

TEST_CASE("undo remembers the last two hundred changes", "[heads][flags]") {
  FlagSheet sheet;
  for (std::int64_t head = 0; head < 201; ++head) {
    SetFlag(&sheet, Flag({0, head}, "broad"));
  }
  int undone = 0;
  while (Undo(&sheet)) {
    ++undone;
  }
  CHECK(undone == 200);
  CHECK(HeadsOf(sheet) == std::vector<HeadIndex>{{0, 0}});
}

TEST_CASE("many heads are named by the first of them", "[heads][flags]") {
  const auto names = [](std::int64_t count) {
    std::vector<HeadIndex> heads;
    for (std::int64_t head = 0; head < count; ++head) {
      heads.push_back({1, head});
    }
    return NamesOf(heads);
  };
  CHECK(names(1) == "L1H0");
  CHECK(names(2) == "L1H0 and L1H1");
  CHECK(names(3) == "L1H0, L1H1 and L1H2");
  CHECK(names(7) == "L1H0, L1H1, L1H2, L1H3, L1H4, L1H5 and L1H6");
  CHECK(names(8) == "L1H0, L1H1, L1H2, L1H3, L1H4, L1H5 and 2 more");
}

TEST_CASE("a role is rejected and taken back, beside a flag or without one", "[heads]") {
  FlagSheet sheet;
  const HeadIndex head{1, 2};
  CHECK(RejectRole(&sheet, head, {"induction", "it is a duplicate head"}));
  CHECK_FALSE(RejectRole(&sheet, head, {"induction", "it is a duplicate head"}));
  CHECK(FindFlag(sheet, head) == nullptr);
  CHECK(OnlyFlags(sheet.flags).empty());
  REQUIRE(FindRejection(sheet, head, "induction") != nullptr);
  CHECK(FindRejection(sheet, head, "induction")->reason == "it is a duplicate head");
  CHECK(FindRejection(sheet, head, "duplicate") == nullptr);
  CHECK(FindRejection(sheet, {0, 0}, "induction") == nullptr);

  FlagSheet other;
  CHECK(SetFlag(&other, *FindEntry(sheet, head)));  // as a session brings it
  CHECK(FindRejection(other, head, "induction") != nullptr);

  HeadFlag flag = *FindEntry(sheet, head);
  flag.role = "duplicate";
  CHECK(SetFlag(&sheet, flag));
  CHECK(FindFlag(sheet, head) != nullptr);
  CHECK(RemoveFlag(&sheet, head));
  CHECK(FindFlag(sheet, head) == nullptr);
  CHECK(FindRejection(sheet, head, "induction") != nullptr);  // it was not about the flag

  CHECK(TakeBackRejection(&sheet, head, "induction"));
  CHECK(FindEntry(sheet, head) == nullptr);
  CHECK_FALSE(TakeBackRejection(&sheet, head, "induction"));
  CHECK(Undo(&sheet));
  CHECK(FindRejection(sheet, head, "induction") != nullptr);
  CHECK(Undo(&sheet));
  CHECK(FindFlag(sheet, head)->role == "duplicate");
}

}  // namespace
}  // namespace headscope
