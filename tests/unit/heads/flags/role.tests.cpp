#include "core/heads/flags/role.h"

#include <set>

#include "tests/support/catch.h"

namespace headscope {
namespace {

TEST_CASE("Roles differ in id and in colour", "[heads][role]") {
  std::set<std::string_view> ids;
  std::set<std::uint32_t> colors;
  for (const Role& role : kRoles) {
    CHECK(ids.insert(role.id).second);
    CHECK(colors.insert(role.rgb).second);
    CHECK(role.rgb <= 0xFFFFFFU);
    CHECK(role.rgb != 0U);  // 0 says "no flag" in figures
    CHECK_FALSE(role.meaning.empty());
  }
}

}  // namespace
}  // namespace headscope
