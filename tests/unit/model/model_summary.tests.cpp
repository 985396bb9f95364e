#include "core/model/model_summary.h"

#include <fstream>

#include "core/model/config.h"
#include "tests/support/catch.h"
#include "tests/support/tiny_model.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;
using test::TempFolder;
using test::TinyModel;

TEST_CASE("a summary is made of the configuration and the size of the weights", "[model]") {
  const TempFolder folder;
  for (const Family* family : AllFamilies()) {
    INFO(family->id);
    const fs::path path = folder / std::string(family->id);
    fs::create_directory(path);
    std::ofstream(path / "config.json") << family->example;
    std::ofstream(path / "model.safetensors") << std::string(2'500'000, ' ');
    const ModelSummary summary = SummariseModel(path);
    const auto description = ParseConfig(family->example, "config.json");
    REQUIRE(description.has_value());
    CHECK(summary.bytes == 2'500'000);
    CHECK(summary.layout.starts_with(std::to_string(description->layers)));
    CHECK(summary.layout.find(std::to_string(description->heads) + " head") != std::string::npos);
    CHECK((summary.layout.find(" + ") != std::string::npos) == description->decoder.has_value());
    CHECK(InWords(summary).ends_with("· 2.5 MB"));
  }
}

TEST_CASE("the size of a model in parts is that of all of them", "[model]") {
  const TempFolder folder;
  std::ofstream(folder / "config.json") << R"({"model_type": "mamba"})";
  std::ofstream(folder / "model.safetensors.index.json") << R"({"weight_map": {}})";
  std::ofstream(folder / "model-00001-of-00002.safetensors") << std::string(1000, ' ');
  std::ofstream(folder / "model-00002-of-00002.safetensors") << std::string(500, ' ');
  std::ofstream(folder / "pytorch_model-00001-of-00001.bin") << std::string(70, ' ');
  const ModelSummary summary = SummariseModel(folder.path());
  CHECK(summary.bytes == 1500);
  CHECK(summary.type == "mamba");
  CHECK(summary.layout.empty());
  CHECK(InWords(summary) == "mamba · does not open here · 0.1 MB");
}

TEST_CASE("where nothing can be read there is nothing to say", "[model]") {
  const TempFolder folder;
  CHECK(InWords(SummariseModel(folder.path())).empty());
  CHECK(InWords(SummariseModel(folder / "none")).empty());
  std::ofstream(folder / "config.json") << "{";
  std::ofstream(folder / "model.safetensors") << "x";
  CHECK(InWords(SummariseModel(folder.path())) == "0.1 MB");
}

TEST_CASE("sizes are rounded as people say them", "[model]") {
  CHECK(InWords({.type = "llama", .layout = "2 layers × 1 head", .bytes = 1'234'000'000}) ==
        "llama · 2 layers × 1 head · 1.2 GB");
  CHECK(InWords({.type = "", .layout = "", .bytes = 12'345'678}) == "12 MB");
}

}  // namespace
}  // namespace headscope
