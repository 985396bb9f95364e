// What a dropped file or folder asks for.
#include <array>
#include <optional>

#include "app/window/library.h"
#include "tests/support/catch.h"
#include "tests/support/folders.h"
#include "tests/support/npy_bytes.h"
#include "tests/support/temp_folder.h"

namespace headscope::test {
namespace {

namespace fs = std::filesystem;

fs::path Golden(const char* name) {
  return SourceFolder() / "tests" / "golden" / name;
}

// The folder or file that is opened; empty: something else happens.
fs::path Opened(const Action& action) {
  const auto* open = action.As<OpenFolder>();
  return open != nullptr ? open->folder : fs::path();
}

std::string TextOf(const Action& action) {
  const auto* input = action.As<SetInput>();
  return input != nullptr ? input->input.text : "no text";
}

fs::path NpyOf(const TempFolder& folder, const char* name, const std::string& shape) {
  const std::array<float, 8> numbers = {0, 1, 2, 3, 4, 5, 6, 7};
  return folder.Write(name, NpyBytes("<f4", shape, RawBytes(std::span<const float>(numbers))));
}

TEST_CASE("a dropped folder is a model", "[ui][drop]") {
  const TempFolder folder;
  CHECK(Opened(ActionForDrop(Golden("data/gpt2_plain"))) == Golden("data/gpt2_plain"));
  CHECK(Opened(ActionForDrop(folder.path())) == folder.path());  // the core says what it lacks
}

TEST_CASE("a file of a model stands for its folder", "[ui][drop]") {
  for (const char* name : {"model.safetensors", "config.json", "tokenizer.json"}) {
    CHECK(Opened(ActionForDrop(SourceFolder() / "assets/models/probe" / name)) ==
          SourceFolder() / "assets/models/probe");
  }
}

TEST_CASE("what is no model but looks like one goes to the core, which names it", "[ui][drop]") {
  const TempFolder folder;
  for (const char* name : {"adapter_config.json", "model_index.json", "params.json", "x.onnx"}) {
    INFO(name);
    const auto path = folder.Write(name, "{}");
    CHECK(Opened(ActionForDrop(path)) == path);
  }
  // A vocabulary is a text like others where no config.json lies beside it.
  CHECK(TextOf(ActionForDrop(folder.Write("vocab.txt", "the\ncat\n"))) == "the\ncat");
  folder.Write("config.json", "{}");
  for (const char* name : {"vocab.txt", "tokenizer_config.json", "merges.txt"}) {
    INFO(name);
    CHECK(Opened(ActionForDrop(folder.Write(name, "{}"))) == folder.path());
  }
}

TEST_CASE("annotated texts and ids are for scoring heads, plain texts are texts", "[ui][drop]") {
  const TempFolder folder;
  for (const char* name : {"tree.conllu", "gap.tsv", "numbers.ids", "pro.txt.dev", "GAP.TSV"}) {
    const Action action = ActionForDrop(folder.Write(name, "1\tshe\n"));
    const auto* const probe = action.As<DropProbe>();
    REQUIRE(probe != nullptr);
    CHECK(probe->path == folder / name);
    CHECK(probe->screen->wants_scores);
  }
  CHECK(TextOf(ActionForDrop(folder.Write("lines.txt", "1 [She] saw [her]."))) ==
        "1 [She] saw [her].");
}

TEST_CASE("a text that heads can be scored on is offered for that, too", "[ui][drop]") {
  const TempFolder folder;
  const auto offer = [&](const char* name, const char* text) {
    const fs::path path = folder.Write(name, text);
    const std::vector<Action> actions = ActionsForDrops({&path, 1});
    CHECK(TextOf(actions.front()) != "no text");
    const auto* const made = actions.size() == 2 ? actions[1].As<OfferProbe>() : nullptr;
    return made != nullptr ? std::optional(*made) : std::nullopt;
  };
  const auto lines = offer("lines.TXT", "the cat sat\r\n\r\nthe dog ran\n");
  REQUIRE(lines.has_value());
  CHECK(lines->lines == 2);
  CHECK_FALSE(lines->has_mentions);
  const auto mentions = offer("wino.txt", "1 [She] saw [her].");
  REQUIRE(mentions.has_value());
  CHECK(mentions->has_mentions);
  CHECK_FALSE(offer("one.txt", "the cat sat\n").has_value());
  CHECK_FALSE(offer("lines.md", "the cat sat\nthe dog ran\n").has_value());
}

TEST_CASE("files that hold a model or maps open as they are", "[ui][drop]") {
  for (const char* name : {"gguf/llama/q8_0.gguf",
                           "data/probe_attention.safetensors",
                           "modules/fused/module.safetensors"}) {
    CHECK(Opened(ActionForDrop(Golden(name))) == Golden(name));
  }
  // Attention beside a model's files is not that model.
  const TempFolder folder;
  folder.Write("config.json", "{}");
  fs::copy(Golden("data/probe_attention.safetensors"), folder / "attention.safetensors");
  CHECK(Opened(ActionForDrop(folder / "attention.safetensors")) ==
        folder / "attention.safetensors");
}

TEST_CASE("a dropped text is the sentence", "[ui][drop]") {
  const TempFolder folder;
  CHECK(TextOf(ActionForDrop(folder.Write("a.txt", "the cat sat\n"))) == "the cat sat");
  CHECK(TextOf(ActionForDrop(folder.Write("b.TXT", "the cat sat\r\n"))) == "the cat sat");
  CHECK(TextOf(ActionForDrop(folder.Write("c.md", "two\nlines\n"))) == "two\nlines");
  CHECK(TextOf(ActionForDrop(folder.Write("d.text", ""))).empty());
}

TEST_CASE("a text too long to be one is refused by name", "[ui][drop]") {
  const TempFolder folder;
  const fs::path path = folder.Write("novel.txt", "");
  fs::resize_file(path, (std::uintmax_t{16} << 20) + 1);
  const Action action = ActionForDrop(path);
  const auto* error = action.As<ReportError>();
  REQUIRE(error != nullptr);
  CHECK(error->place == ErrorPlace::kText);
  CHECK_THAT(error->sentence, Says("novel.txt") && Says("16 MB"));
  const Action gone = ActionForDrop(folder / "gone.txt");
  REQUIRE(gone.As<ReportError>() != nullptr);
  CHECK_THAT(gone.As<ReportError>()->sentence, Says("gone.txt"));
}

TEST_CASE("a .json is a session, unless it lies in a model", "[ui][drop]") {
  const TempFolder folder;
  const Action action = ActionForDrop(folder.Write("work.json", "{}"));
  REQUIRE(action.As<OpenSession>() != nullptr);
  CHECK(action.As<OpenSession>()->path == folder / "work.json");
  folder.Write("config.json", "{}");
  CHECK(ActionForDrop(folder / "work.json").As<OpenSession>() != nullptr);
  CHECK(Opened(ActionForDrop(folder / "config.json")) == folder.path());
}

TEST_CASE("rows of a .npy are embeddings, more dimensions are maps", "[ui][drop]") {
  const TempFolder folder;
  const Action rows = ActionForDrop(NpyOf(folder, "rows.npy", "4, 2"));
  REQUIRE(rows.As<SetInput>() != nullptr);
  CHECK(rows.As<SetInput>()->input.embeddings == folder / "rows.npy");
  const fs::path maps = NpyOf(folder, "maps.npy", "2, 2, 2");
  CHECK(Opened(ActionForDrop(maps)) == maps);
}

TEST_CASE("what nobody knows is left to the core to name", "[ui][drop]") {
  const TempFolder folder;
  for (const char* name : {"thing.bin", "no ending", "thing.pt"}) {
    const fs::path path = folder.Write(name, "?");
    CHECK(Opened(ActionForDrop(path)) == path);
  }
  CHECK(Opened(ActionForDrop(folder / "not there")) == folder / "not there");
}

TEST_CASE("names of any bytes are kept as they are", "[ui][drop]") {
  const TempFolder folder;
  for (const char* name : {"100 % é\nnext.txt", "latin\xE9.txt", "\xF0\x9F\x98\x80.txt"}) {
    CHECK(TextOf(ActionForDrop(folder.Write(name, "the cat"))) == "the cat");
  }
  const fs::path odd = folder.Write("latin\xE9.unknown", "?");
  CHECK(Opened(ActionForDrop(odd)).native() == odd.native());
}

TEST_CASE("several files are several wishes, a model's files one", "[ui][drop]") {
  const TempFolder folder;
  const fs::path probe = SourceFolder() / "assets/models/probe";
  const std::array<fs::path, 5> paths = {probe / "config.json",
                                         probe / "model.safetensors",
                                         probe / "tokenizer.json",
                                         folder.Write("a.txt", "the cat"),
                                         folder.Write("b.txt", "the dog")};
  const std::vector<Action> actions = ActionsForDrops(paths);
  REQUIRE(actions.size() == 3);
  CHECK(Opened(actions[0]) == probe);
  CHECK(TextOf(actions[1]) == "the cat");
  CHECK(TextOf(actions[2]) == "the dog");
  CHECK(ActionsForDrops({}).empty());
}

}  // namespace
}  // namespace headscope::test
