#include "core/model/nano_gpt.h"

#include <fstream>
#include <string>

#include "core/model/model.h"
#include "tests/support/catch.h"
#include "tests/support/folders.h"
#include "tests/support/temp_folder.h"

namespace headscope {
namespace {

using namespace std::string_literals;
using test::Says;
using test::TempFolder;

namespace fs = std::filesystem;

fs::path GoldenNano(const std::string& name) {
  return test::SourceFolder() / "tests" / "golden" / "nano_gpt" / name;
}

Result<std::shared_ptr<const Tokenizer>> Characters(const std::string& bytes) {
  return ParseCharacters(std::as_bytes(std::span(bytes)), "meta.pkl");
}

std::string RefusedMeta(const std::string& bytes) {
  const auto tokenizer = Characters(bytes);
  REQUIRE_FALSE(tokenizer.has_value());
  CHECK_THAT(tokenizer.error().message, Says("meta.pkl: "));
  return tokenizer.error().message;
}

// {"stoi": {"a": 1, "b": 0, " ": 2}}
const std::string kMeta =
    "\x80\x04}\x8c\x04stoi}(\x8c\x01"
    "aK\x01\x8c\x01"
    "bK\x00\x8c\x01 K\x02us."s;

}  // namespace

TEST_CASE("a checkpoint of nanoGPT opens by its file and by its folder", "[model][nano]") {
  for (const fs::path& path : {GoldenNano("plain"), GoldenNano("plain") / "ckpt.pt"}) {
    const auto model = Model::Open(path);
    REQUIRE(model.has_value());
    const ModelDescription& shape = (*model)->description();
    CHECK(shape.family == "gpt2");
    CHECK(shape.layers == 2);
    CHECK(shape.heads == 3);
    CHECK(shape.positions == 24);
    CHECK(shape.vocabulary == 32);
    CHECK(shape.layer[0].activation == ActivationKind::kGelu);
    CHECK(shape.layer[0].query_key_value.matrices.front().bias.has_value());
    CHECK_THAT(shape.note, Says("GELU"));
    REQUIRE((*model)->tokenizer() != nullptr);
    CHECK((*model)->weights().Find("_orig_mod.transformer.wte.weight") != nullptr);
  }
  const auto bare = Model::Open(GoldenNano("no_bias"));
  REQUIRE(bare.has_value());
  CHECK_FALSE((*bare)->description().layer[0].query_key_value.matrices.front().bias.has_value());
  CHECK_FALSE((*bare)->description().final_norm->bias.has_value());
  CHECK((*bare)->tokenizer() == nullptr);
  CHECK((*bare)->tokenizer_fault().empty());
}

TEST_CASE("characters are found where nanoGPT keeps them", "[model][nano]") {
  const TempFolder folder;
  fs::create_directories(folder / "out");
  fs::create_directories(folder / "data/letters");  // as the checkpoint says
  fs::copy(GoldenNano("no_bias") / "ckpt.pt", folder / "out/ckpt.pt");
  fs::copy(GoldenNano("plain") / "meta.pkl", folder / "data/letters/meta.pkl");
  const auto model = Model::Open(folder / "out");
  REQUIRE(model.has_value());
  CHECK((*model)->tokenizer() != nullptr);
}

TEST_CASE("a text is cut into its characters", "[model][nano]") {
  const auto tokenizer = Characters(kMeta);
  REQUIRE(tokenizer.has_value());
  const auto encoding = (*tokenizer)->Encode("ab ba", {});
  REQUIRE(encoding.has_value());
  CHECK(encoding->Ids() == std::vector<std::int32_t>{1, 0, 2, 0, 1});
  CHECK((*tokenizer)->vocabulary_size() == 3);
  CHECK((*tokenizer)->Spell(std::vector<std::int32_t>{1, 2, 0}) == "a b");

  const auto golden = LoadCheckpointTokenizer(GoldenNano("plain") / "ckpt.pt", {});
  REQUIRE(golden.has_value());
  const auto words = (*golden)->Encode("abc z!\n", {});
  REQUIRE(words.has_value());
  CHECK(words->Ids() == std::vector<std::int32_t>{6, 7, 8, 1, 32 - 1, 2, 0});
  const auto refused = (*golden)->Encode("abc é", {});
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == ErrorCode::kInput);
  CHECK_THAT(refused.error().message, Says("no \"é\" among its 32 characters"));
  CHECK((*golden)->Encode("", {}).has_value());
}

TEST_CASE("a meta.pkl that is more than numbers of characters is refused", "[model][nano]") {
  CHECK_THAT(RefusedMeta("cos\nsystem\n(S'touch x'\ntR."),
             Says("\"os.system\"") && Says("not run"));
  CHECK_THAT(RefusedMeta("\x80\x04}."s), Says("stoi"));
  CHECK_THAT(RefusedMeta("\x80\x04K\x01."s), Says("stoi"));
  CHECK_THAT(RefusedMeta("\x80\x04}\x8c\x04stoi}s."s), Says("no characters"));
  CHECK_THAT(RefusedMeta("\x80\x04}\x8c\x04stoi}\x8c\x01\xffK\x01ss."s), Says("something else"));
  CHECK_THAT(RefusedMeta("\x80\x04}\x8c\x04stoi}\x8c\x01"
                         "aJ\xff\xff\xff\xffss."s),
             Says("something else"));
  for (std::size_t size = 0; size < kMeta.size(); ++size) {
    RefusedMeta(kMeta.substr(0, size));
  }
}

TEST_CASE("a checkpoint whose settings do not fit its weights is refused", "[model][nano]") {
  CHECK(
      ParseNanoGpt(R"({"n_layer":2,"n_head":2,"n_embd":4,"block_size":8,"vocab_size":5})", "x.pt"));
  for (const char* settings :
       {"{}",
        R"({"n_layer":2,"n_head":3,"n_embd":4,"block_size":8,"vocab_size":5})",
        R"({"n_layer":1e9,"n_head":2,"n_embd":4,"block_size":8})"}) {
    const auto model = ParseNanoGpt(settings, "x.pt");
    REQUIRE_FALSE(model.has_value());
    CHECK_THAT(model.error().message, Says("x.pt: "));
  }
}

}  // namespace headscope
