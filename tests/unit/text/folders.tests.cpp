// Folders without a tokenizer.json, or with settings beside it: the ids that transformers gives.
#include "tests/support/folders.h"

#include <fstream>
#include <sstream>

#include "core/io/json.h"
#include "tests/support/catch.h"
#include "tests/unit/text/temporary_folder.h"
#include "tests/unit/text/tiny_tokenizers.h"

namespace headscope {
namespace {

const std::filesystem::path kVectors =
    test::SourceFolder() / "tests" / "golden" / "data" / "tokenizers";

std::string BytesOfFile(const std::filesystem::path& path) {
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return bytes.str();
}

}  // namespace

TEST_CASE("the files of a folder give transformers' ids", "[text][folders]") {
  const auto document = JsonDocument::Read(kVectors / "folders.json", 1U << 20U);
  REQUIRE(document.has_value());
  const JsonFields cases = document->root().Object().value();
  CHECK(cases.size() >= 20);
  for (const auto& [name, value] : cases) {
    const TemporaryFolder folder;
    const JsonFields files = value.Find("files").value().Object().value();
    for (const auto& [file, content] : files) {
      const std::string text(content.Text().value());
      folder.Write(std::string(file),
                   text.starts_with('@') ? BytesOfFile(kVectors / text.substr(1)) : text);
    }
    INFO(name);
    const auto tokenizer = LoadTokenizer(folder.path());
    INFO((tokenizer ? "" : tokenizer.error().message));
    REQUIRE(tokenizer.has_value());
    REQUIRE(*tokenizer != nullptr);
    const JsonArray rows = value.Find("texts").value().Array().value();
    for (const JsonValue row : rows) {
      const JsonArray columns = row.Array().value();
      const std::string_view text = columns.at(0).Text().value();
      std::vector<std::int32_t> expected;
      const JsonArray ids = columns.at(1).Array().value();
      for (const JsonValue id : ids) {
        expected.push_back(static_cast<std::int32_t>(id.Integer().value()));
      }
      INFO(text);
      CHECK(EncodeOrFail(**tokenizer, text).Ids() == expected);
    }
  }
}

}  // namespace headscope
