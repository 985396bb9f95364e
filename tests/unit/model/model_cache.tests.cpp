#include "core/model/model_cache.h"

#include <cstdlib>

#include "core/model/model.h"
#include "tests/support/catch.h"
#include "tests/support/tiny_model.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;
using test::Says;
using test::TempFolder;
using test::TinyModel;

std::string ExampleCache(std::string_view id) {
  for (const Family* family : AllFamilies()) {
    if (family->id == id) {
      return std::string(family->example);
    }
  }
  return "";
}

// A repository as the hub's client leaves it: blobs, and snapshots of symbolic links.
fs::path WriteRepository(const fs::path& cache,
                         const std::string& folder_name,
                         const std::string& commit,
                         const TinyModel& model) {
  const fs::path folder = cache / folder_name;
  const fs::path blobs = folder / "blobs";
  const fs::path snapshot = folder / "snapshots" / commit;
  fs::create_directories(blobs / commit);
  fs::create_directories(snapshot);
  fs::create_directories(folder / "refs");
  model.Write(blobs / commit);
  for (const char* file : {"config.json", "model.safetensors"}) {
    fs::create_symlink("../../blobs/" + commit + "/" + file, snapshot / file);
  }
  std::ofstream(folder / "refs" / "main") << commit;
  return folder;
}

// A variable of the environment, put back at the end.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) {
      old_ = old;
    }
    value == nullptr ? unsetenv(name) : setenv(name, value, 1);
  }
  ~Variable() { old_ ? setenv(name_, old_->c_str(), 1) : unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  Variable(Variable&&) = delete;
  Variable& operator=(Variable&&) = delete;

 private:
  const char* name_;
  std::optional<std::string> old_;
};

TEST_CASE("the address of a model on the Hub names it", "[model][cache]") {
  for (const char* address : {"https://huggingface.co/acme/tiny",
                              "http://www.huggingface.co/acme/tiny/",
                              "huggingface.co/acme/tiny/tree/main",
                              "https://huggingface.co/acme/tiny/blob/main/config.json",
                              "https://huggingface.co/acme/tiny/resolve/main/a.gguf?download=true",
                              "hf.co/acme/tiny#uses"}) {
    INFO(address);
    CHECK(RepositoryOfAddress(address) == "acme/tiny");
  }
  CHECK(RepositoryOfAddress("https://huggingface.co/gpt2") == "gpt2");
  CHECK(RepositoryOfAddress("https://huggingface.co/gpt2/tree/main") == "gpt2");
  for (const char* other : {"acme/tiny",
                            "https://example.org/acme/tiny",
                            "https://huggingface.co/",
                            "https://huggingface.co",
                            "https://huggingface.co/datasets/acme/texts",
                            "/huggingface.co/acme/tiny",
                            ""}) {
    INFO(other);
    CHECK_FALSE(RepositoryOfAddress(other).has_value());
  }
}

}  // namespace

TEST_CASE("folders of the cache are named after their repositories", "[model][cache]") {
  CHECK(RepositoryName("/c/models--org--name") == "org/name");
  CHECK(RepositoryName("models--gpt2") == "gpt2");
  CHECK(RepositoryName("models--org--a--b") == "org/a--b");
  CHECK_FALSE(RepositoryName("datasets--org--name"));
  CHECK_FALSE(RepositoryName("models--"));
  CHECK_FALSE(RepositoryName("gpt2"));
}

TEST_CASE("the cache lies where the hub's variables say", "[model][cache]") {
  const Variable hub("HF_HUB_CACHE", nullptr);
  const Variable old_hub("HUGGINGFACE_HUB_CACHE", nullptr);
  const Variable home("HF_HOME", nullptr);
  const Variable caches("XDG_CACHE_HOME", nullptr);
  const Variable person("HOME", "/home/ada");
  CHECK(CacheFolder() == "/home/ada/.cache/huggingface/hub");
  const Variable set_caches("XDG_CACHE_HOME", "/caches");
  CHECK(CacheFolder() == "/caches/huggingface/hub");
  const Variable set_home("HF_HOME", "/hf");
  CHECK(CacheFolder() == "/hf/hub");
  const Variable set_old_hub("HUGGINGFACE_HUB_CACHE", "/old");
  CHECK(CacheFolder() == "/old");
  const Variable set_hub("HF_HUB_CACHE", "/new");
  CHECK(CacheFolder() == "/new");
}

TEST_CASE("models in the cache are listed with family and size", "[model][cache]") {
  const TempFolder cache;
  const TinyModel gpt2(ExampleCache("gpt2"));
  const TinyModel llama(ExampleCache("llama"));
  WriteRepository(cache.path(), "models--zoe--tiny", "abc1", llama);
  WriteRepository(cache.path(), "models--gpt2", "abc2", gpt2);
  fs::create_directories(cache / "models--empty--one/snapshots");
  fs::create_directories(cache / "datasets--a--b/snapshots/abc");
  fs::create_directories(cache / ".locks/models--gpt2");
  cache.Write("version.txt", "1");
  const auto models = ListCachedModels(cache.path());
  REQUIRE(models.size() == 2);
  CHECK(models[0].name == "gpt2");
  CHECK(models[0].family == "gpt2");
  CHECK(models[0].folder == cache / "models--gpt2");
  CHECK(models[0].bytes == fs::file_size(cache / "models--gpt2/blobs/abc2/model.safetensors"));
  CHECK(models[1].name == "zoe/tiny");
  CHECK(models[1].family == "llama");
  CHECK(ListCachedModels(cache / "nowhere").empty());
  CHECK(ListCachedModels("").empty());
}

TEST_CASE("a repository of the cache opens by its folder or its snapshot", "[model][cache]") {
  const TempFolder cache;
  const TinyModel gpt2(ExampleCache("gpt2"));
  const TinyModel llama(ExampleCache("llama"));
  const fs::path folder = WriteRepository(cache.path(), "models--org--name", "0a1b", gpt2);
  const auto model = Model::Open(folder);
  INFO((model ? std::string() : model.error().message));
  REQUIRE(model);
  CHECK((*model)->name() == "org/name");
  CHECK((*Model::Open(folder / "snapshots/0a1b"))->name() == "org/name");
  CHECK((*Model::Open((folder / "").string()))->name() == "org/name");

  // refs/main moves on to another commit, and the folder with it.
  WriteRepository(cache.path(), "models--org--name", "ffff", llama);
  CHECK((*Model::Open(folder))->description().family == "llama");

  CHECK(FindCachedModel(cache.path(), "org/name") == folder);
  CHECK_FALSE(FindCachedModel(cache.path(), "org/other"));
  CHECK_FALSE(FindCachedModel(cache.path(), "org"));
  CHECK_FALSE(FindCachedModel(cache.path(), "../models--org--name"));
  CHECK_FALSE(FindCachedModel(cache.path(), "org/name/more"));
  CHECK_FALSE(FindCachedModel(cache.path(), ""));
  CHECK_FALSE(FindCachedModel("", "org/name"));
}

TEST_CASE("a repository with several snapshots and no word which names them", "[model][cache]") {
  const TempFolder cache;
  const TinyModel gpt2(ExampleCache("gpt2"));
  const fs::path folder = WriteRepository(cache.path(), "models--org--name", "0a1b", gpt2);
  WriteRepository(cache.path(), "models--org--name", "ffff", gpt2);
  fs::remove(folder / "refs/main");
  const Variable variable("HF_HUB_CACHE", cache.path().c_str());
  for (const fs::path& path : {fs::path("org/name"), folder}) {
    const auto model = Model::Open(path);
    REQUIRE_FALSE(model.has_value());
    CHECK_THAT(model.error().message,
               Says("org/name: the Hugging Face cache holds 2 snapshots") &&
                   Says((folder / "snapshots/0a1b").string()) && Says("ffff") &&
                   !Says("no model of this name"));
  }
  CHECK(Model::Open(folder / "snapshots/0a1b"));
  fs::remove_all(folder / "snapshots/0a1b");
  CHECK(Model::Open(folder));  // the only one
  fs::remove_all(folder / "snapshots/ffff");
  const auto empty = Model::Open("org/name");
  REQUIRE_FALSE(empty.has_value());
  CHECK_THAT(empty.error().message, Says("no snapshot in it") && Says("hf download org/name"));
}

TEST_CASE("a ref that is no plain commit leads nowhere", "[model][cache]") {
  const TempFolder cache;
  const TinyModel tiny(ExampleCache("gpt2"));
  const fs::path folder = WriteRepository(cache.path(), "models--a--b", "0a1b", tiny);
  fs::create_directories(cache / "elsewhere");
  tiny.Write(cache / "elsewhere");
  for (const char* ref : {"../../elsewhere", "/etc", "..", "", "0a1b\n"}) {
    INFO(ref);
    std::ofstream(folder / "refs" / "main") << ref;
    // With one snapshot there is no doubt.
    CHECK(CurrentSnapshot(folder) == folder / "snapshots" / "0a1b");
  }
  fs::create_directories(folder / "snapshots" / "0000");
  std::ofstream(folder / "refs" / "main") << "../../elsewhere";
  CHECK_FALSE(CurrentSnapshot(folder));
  CHECK_FALSE(CurrentSnapshot(cache / "elsewhere"));
}

}  // namespace headscope
