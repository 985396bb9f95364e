#include "core/base/home_path.h"

#include <cstdlib>
#include <pwd.h>
#include <string>
#include <unistd.h>

#include "tests/support/catch.h"

namespace headscope {
namespace {

class WithHome {
 public:
  explicit WithHome(const char* home) {
    if (const char* before = std::getenv("HOME")) {
      before_ = before;
    }
    setenv("HOME", home, 1);
  }
  ~WithHome() { setenv("HOME", before_.c_str(), 1); }
  WithHome(const WithHome&) = delete;
  WithHome& operator=(const WithHome&) = delete;

 private:
  std::string before_;
};

TEST_CASE("a tilde is the home folder, where a shell reads it so", "[base][home]") {
  const WithHome home("/home/me");
  CHECK(ExpandHome("~") == "/home/me");
  CHECK(ExpandHome("~/models/a.gguf") == "/home/me/models/a.gguf");
  CHECK(ExpandHome("/a/~/b") == "/a/~/b");
  CHECK(ExpandHome("a~") == "a~");
  CHECK(ExpandHome("").empty());
}

TEST_CASE("a tilde and a name is that person's home folder", "[base][home]") {
  const passwd* me = getpwuid(getuid());
  REQUIRE(me != nullptr);
  const std::string name = me->pw_name;
  const std::string folder = me->pw_dir;
  CHECK(ExpandHome("~" + name) == folder);
  CHECK(ExpandHome("~" + name + "/x") == folder + "/x");
  CHECK(ExpandHome("~nobody-of-this-name/x") == "~nobody-of-this-name/x");
}

}  // namespace
}  // namespace headscope
