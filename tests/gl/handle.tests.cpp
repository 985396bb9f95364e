#include "app/gl/handle.h"

#include <type_traits>
#include <utility>
#include <vector>

#include <epoxy/gl.h>

#include "app/gl/objects.h"
#include "tests/gl/gl_fixture.h"
#include "tests/support/catch.h"

namespace headscope::gl {
namespace {

struct CountingTraits {
  static std::vector<unsigned>& Deleted() {
    static std::vector<unsigned> deleted;
    return deleted;
  }
  static void Delete(unsigned id) noexcept { Deleted().push_back(id); }
};
using Counted = Handle<CountingTraits>;

static_assert(!std::is_copy_constructible_v<Counted> && !std::is_copy_assignable_v<Counted>);
static_assert(std::is_nothrow_move_constructible_v<Counted>);

TEST_CASE("A handle deletes what it holds once", "[gl][handle]") {
  CountingTraits::Deleted().clear();
  {
    Counted first(7);
    Counted second(std::move(first));
    CHECK_FALSE(static_cast<bool>(first));  // NOLINT(bugprone-use-after-move): that is the test
    CHECK(second.id() == 7);
    Counted third(9);
    third = std::move(second);
    CHECK(CountingTraits::Deleted() == std::vector<unsigned>{9});
    Counted& same = third;
    third = std::move(same);
    CHECK(third.id() == 7);
  }
  CHECK(CountingTraits::Deleted() == std::vector<unsigned>{9, 7});
}

TEST_CASE("An empty handle deletes nothing", "[gl][handle]") {
  CountingTraits::Deleted().clear();
  static_cast<void>(Counted());
  CHECK(CountingTraits::Deleted().empty());
}

TEST_CASE("A texture is gone with its handle", "[gl][handle]") {
  static_cast<void>(TestWindow());
  unsigned id = 0;
  {
    const Texture texture = Texture::Create();
    id = texture.id();
    glBindTexture(GL_TEXTURE_2D, id);
    CHECK(glIsTexture(id) == GL_TRUE);
  }
  CHECK(glIsTexture(id) == GL_FALSE);
}

}  // namespace
}  // namespace headscope::gl
