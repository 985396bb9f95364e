// Marian's folders: two SentencePiece models, one vocabulary of ids, as transformers reads them.
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "core/io/json.h"
#include "tests/support/catch.h"
#include "tests/support/folders.h"
#include "tests/unit/text/temporary_folder.h"
#include "tests/unit/text/tiny_tokenizers.h"

namespace headscope {
namespace {

const std::filesystem::path kMarian =
    test::SourceFolder() / "tests" / "golden" / "data" / "tokenizers";

std::string Bytes(const std::string& name) {
  std::ostringstream bytes;
  bytes << std::ifstream(kMarian / name, std::ios::binary).rdbuf();
  return bytes.str();
}

struct MarianFolder {
  MarianFolder() {
    folder.Write("source.spm", Bytes("unigram.model"));
    folder.Write("target.spm", Bytes("bpe_rules.model"));
    folder.Write("vocab.json", golden->root().Find("vocab")->Minified());
  }
  Result<JsonDocument> golden = JsonDocument::Read(kMarian / "marian.json", 1U << 20U);
  TemporaryFolder folder;
};

void CheckRows(const Tokenizer& tokenizer, const JsonArray& rows) {
  CHECK(rows.size() > 20);
  for (const JsonValue row : rows) {
    const JsonArray columns = row.Array().value();
    const std::string_view text = columns.at(0).Text().value();
    std::vector<std::int32_t> expected;
    const JsonArray ids = columns.at(1).Array().value();
    for (const JsonValue id : ids) {
      expected.push_back(static_cast<std::int32_t>(id.Integer().value()));
    }
    CAPTURE(text);
    CHECK(EncodeOrFail(tokenizer, text).Ids() == expected);
  }
}

TEST_CASE("Marian's two languages give transformers' ids", "[text][loader]") {
  const MarianFolder marian;
  const auto source = LoadTokenizer(marian.folder.path());
  REQUIRE(source.has_value());
  REQUIRE(*source != nullptr);
  const auto target = LoadTargetTokenizer(marian.folder.path());
  REQUIRE(target.has_value());
  REQUIRE(*target != nullptr);
  CheckRows(**source, marian.golden->root().Find("source")->Array().value());
  CheckRows(**target, marian.golden->root().Find("target")->Array().value());
}

TEST_CASE("a target has a tokenizer of its own only where its files are", "[text][loader]") {
  const MarianFolder marian;
  std::filesystem::remove(marian.folder.path() / "target.spm");
  const auto target = LoadTargetTokenizer(marian.folder.path());
  REQUIRE(target.has_value());
  CHECK(*target == nullptr);
}

TEST_CASE("a vocabulary without what every text ends with is refused", "[text][loader]") {
  const MarianFolder marian;
  marian.folder.Write("vocab.json", R"({"<unk>": 0, "the": 1})");
  const auto no_end = LoadTokenizer(marian.folder.path());
  REQUIRE_FALSE(no_end.has_value());
  CHECK(no_end.error().message.find("</s>") != std::string::npos);
  marian.folder.Write("vocab.json", R"({"</s>": 0, "the": 1})");
  const auto no_unknown = LoadTokenizer(marian.folder.path());
  REQUIRE_FALSE(no_unknown.has_value());
  CHECK(no_unknown.error().message.find("<unk>") != std::string::npos);
}

}  // namespace
}  // namespace headscope
