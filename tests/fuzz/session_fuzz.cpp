#include "core/heads/flags/session_file.h"
#include "tests/fuzz/input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headscope;
  const Result<SessionFile> session = ParseSession(fuzz::Text(data, size), "fuzz.json");
  if (!session) {
    fuzz::CheckMessage(session.error(), "fuzz.json: ");
    return 0;
  }
  // What was accepted is written in a form that is accepted, and nothing of it is lost.
  const Result<SessionFile> again = ParseSession(SessionText(*session), "fuzz.json");
  HEADSCOPE_CHECK(again.has_value(), "a session that opens can be saved and opened");
  HEADSCOPE_CHECK(*again == *session, "a session is saved as it is");
  return 0;
}
