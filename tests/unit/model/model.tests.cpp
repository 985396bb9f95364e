#include "core/model/model.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/tiny_model.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;
using test::Says;
using test::TempFolder;
using test::TinyModel;

std::string Example(std::string_view id) {
  for (const Family* family : AllFamilies()) {
    if (family->id == id) {
      return std::string(family->example);
    }
  }
  return "";
}

Error RefusedModel(const fs::path& folder) {
  const auto model = Model::Open(folder);
  REQUIRE_FALSE(model.has_value());
  INFO(model.error().message);
  CHECK(model.error().message.find('\n') == std::string::npos);
  return model.error();
}

// The folder's one bad file, and what is said about it.
Error RefusedWith(const TinyModel& model) {
  const TempFolder folder;
  model.Write(folder.path());
  return RefusedModel(folder.path());
}

}  // namespace

TEST_CASE("a folder of each family opens, whatever its tensors start with", "[model][open]") {
  for (const Family* family : AllFamilies()) {
    for (const std::string_view prefix : family->prefixes) {
      INFO(family->id << " with the prefix \"" << prefix << "\"");
      TinyModel tiny(family->example);
      tiny.prefix = prefix;
      std::int64_t parameters = 0;
      for (const auto& [name, tensor] : tiny.tensors) {
        parameters += static_cast<std::int64_t>(tensor.values.size());
      }
      const auto model = tiny.Open();
      CHECK(model->description().family == family->id);
      CHECK(model->description().precision == "F32");
      CHECK(model->parameters() == parameters);
      CHECK(model->tokenizer() == nullptr);
      CHECK(model->description().token_embedding.name.starts_with(prefix));
    }
  }
}

TEST_CASE("an output layer counts as parameters only where it is not tied", "[model][open]") {
  TinyModel tiny(R"({"tie_word_embeddings": false,)" + Example("gpt2").substr(1));
  const std::int64_t without = tiny.Open()->parameters();
  tiny.tensors["lm_head.weight"] = tiny.tensors["wte.weight"];
  CHECK(tiny.Open()->parameters() == without + 11 * 12);
  tiny.config = Example("gpt2");
  CHECK(tiny.Open()->parameters() == without);
}

TEST_CASE("a model is named after its folder, or the one around hf", "[model][open]") {
  const TempFolder folder;
  const TinyModel tiny(Example("gpt2"));
  for (const char* name : {"small", "tiny/hf"}) {
    fs::create_directories(folder / name);
    tiny.Write(folder / name);
  }
  CHECK((*Model::Open(folder / "small"))->name() == "small");
  CHECK((*Model::Open(folder / "small/"))->name() == "small");
  CHECK((*Model::Open(folder / "small/."))->name() == "small");
  CHECK((*Model::Open(folder / "tiny/hf"))->name() == "tiny");
  fs::create_directory_symlink(folder / "small", folder / "link");
  CHECK((*Model::Open(folder / "link"))->name() == "link");
}

TEST_CASE("the fingerprint is the weights' and the config's, not the folder's", "[model][open]") {
  TinyModel tiny(Example("llama"));
  const std::string print = tiny.Open()->fingerprint();
  CHECK(print.size() == 64);
  CHECK(print.find_first_not_of("0123456789abcdef") == std::string::npos);
  CHECK(tiny.Open()->fingerprint() == print);
  tiny.tensors["norm.weight"].values.back() += 0.5F;
  const std::string other = tiny.Open()->fingerprint();
  CHECK(other != print);
  tiny.config += " ";
  CHECK(tiny.Open()->fingerprint() != other);
}

TEST_CASE("what is no model folder is refused with the reason", "[model][open]") {
  const TempFolder folder;
  const Error missing = RefusedModel(folder / "nothing");
  CHECK(missing.code == ErrorCode::kIo);
  CHECK_THAT(missing.message, Says("nothing: no such folder"));

  fs::create_directory(folder / "empty");
  CHECK_THAT(RefusedModel(folder / "empty").message, Says("the folder is empty"));

  fs::create_directory(folder / "text");
  folder.Write("text/notes.txt", "hello");
  CHECK_THAT(RefusedModel(folder / "text").message, Says("no config.json"));

  fs::create_directory(folder / "half");
  folder.Write("half/config.json", Example("gpt2"));
  CHECK_THAT(RefusedModel(folder / "half").message, Says("no model.safetensors"));

  CHECK_THAT(RefusedModel(folder / "text/notes.txt").message, Says("or a model folder"));
  CHECK_THAT(RefusedModel("").message, Says("no such folder"));
}

TEST_CASE("pickles and cut files are refused with what to do", "[model][open]") {
  const TempFolder folder;
  for (const char* name : {"pytorch_model.bin", "model.pt", "model.pth"}) {
    INFO(name);
    const fs::path inside = folder / (std::string("with_") + name);
    fs::create_directory(inside);
    std::ofstream(inside / "config.json") << Example("gpt2");
    std::ofstream(inside / name) << "PK\x03\x04 archive/data.pkl";
    for (const fs::path& path : {inside, inside / name}) {
      const Error error = RefusedModel(path);
      CHECK(error.code == ErrorCode::kUnsupported);
      CHECK_THAT(error.message, Says("pickle") && Says("save_pretrained") && Says(name));
    }
  }
  folder.Write("weights", std::string_view("\x80\x02}q\x00", 5));
  CHECK_THAT(RefusedModel(folder / "weights").message, Says("pickle"));

  folder.Write("model.gguf", "GGUF");
  CHECK_THAT(RefusedModel(folder / "model.gguf").message, Says("model.gguf") && Says("cut short"));
}

TEST_CASE("a model in shards is the model in one file", "[model][open]") {
  const TinyModel tiny(Example("llama"));
  const TempFolder folder;
  fs::create_directories(folder / "blobs");
  fs::create_directories(folder / "snapshot");
  std::vector<std::vector<TensorView>> shards(3);
  std::string map;
  for (const auto& [name, tensor] : tiny.tensors) {
    const std::size_t shard = map.size() % shards.size();
    shards[shard].push_back(
        {name, DataType::kF32, tensor.shape, std::as_bytes(std::span(tensor.values))});
    map += (map.empty() ? "\"" : ",\"") + name + "\":\"part-" + std::to_string(shard) + "\"";
  }
  for (std::size_t shard = 0; shard < shards.size(); ++shard) {
    // As the Hugging Face cache does it: the files lie elsewhere.
    const std::string name = std::to_string(shard);
    REQUIRE(WriteSafetensors(folder / ("blobs/" + name), shards[shard], {}));
    fs::create_symlink("../blobs/" + name, folder / ("snapshot/part-" + name));
  }
  folder.Write("snapshot/config.json", tiny.config);
  folder.Write("snapshot/model.safetensors.index.json", "{\"weight_map\":{" + map + "}}");
  const auto model = Model::Open(folder / "snapshot");
  INFO((model ? std::string() : model.error().message));
  REQUIRE(model);
  CHECK((*model)->weights().files().size() == 3);
  const auto whole = tiny.Open();
  CHECK((*model)->parameters() == whole->parameters());
  for (const auto& [name, tensor] : whole->weights().tensors()) {
    const TensorView* same = (*model)->weights().Find(name);
    REQUIRE(same != nullptr);
    CHECK(same->shape == tensor.shape);
    CHECK(std::ranges::equal(same->bytes, tensor.bytes));
  }
  fs::remove(folder / "blobs/1");
  CHECK_THAT(RefusedModel(folder / "snapshot").message, Says("part-1") && Says("index.json"));
}

TEST_CASE("a missing tensor is named with the shape it should have", "[model][open]") {
  TinyModel tiny(Example("gpt2"));
  tiny.prefix = "transformer.";
  tiny.tensors.erase("h.1.attn.c_attn.weight");
  const Error error = RefusedWith(tiny);
  CHECK(error.code == ErrorCode::kFormat);
  CHECK_THAT(error.message,
             Says("model.safetensors") && Says("\"transformer.h.1.attn.c_attn.weight\"") &&
                 Says("missing") && Says("[12,36]"));
}

TEST_CASE("a name that no class of the family writes is shown", "[model][open]") {
  TinyModel tiny(Example("llama"));
  tiny.prefix = "backbone.model.";
  CHECK_THAT(RefusedWith(tiny).message,
             Says("\"embed_tokens.weight\" is missing") &&
                 Says("\"backbone.model.embed_tokens.weight\"") &&
                 Says("expected \"model.\", \"transformer.\" or nothing before it"));
}

TEST_CASE("two tensors for one thing are refused where they differ", "[model][open]") {
  TinyModel tiny(Example("gpt2"));
  tiny.tensors["transformer.wpe.weight"] = tiny.tensors["wpe.weight"];
  CHECK(tiny.Open()->description().layers == 3);
  tiny.tensors["transformer.wpe.weight"].values.back() += 1.0F;
  CHECK_THAT(RefusedWith(tiny).message,
             Says("\"wpe.weight\"") && Says("\"transformer.wpe.weight\"") && Says("differ"));

  TinyModel old(Example("bert"));
  old.tensors["embeddings.LayerNorm.gamma"] = old.tensors["embeddings.LayerNorm.weight"];
  CHECK(old.Open()->description().layers == 3);
  old.tensors["embeddings.LayerNorm.gamma"].values.front() += 1.0F;
  CHECK_THAT(RefusedWith(old).message, Says("LayerNorm.gamma") && Says("differ"));
}

TEST_CASE("tied embeddings are one where a file holds one or the same twice", "[model][open]") {
  TinyModel tiny(Example("bart"));
  const auto own = tiny.Open();
  CHECK(own->description().token_embedding.name == "encoder.embed_tokens.weight");
  CHECK(own->description().decoder->token_embedding.name == "decoder.embed_tokens.weight");
  CHECK(own->description().generation->output.name == "decoder.embed_tokens.weight");

  tiny.tensors["shared.weight"] = tiny.tensors["encoder.embed_tokens.weight"];
  CHECK(tiny.Open()->description().token_embedding.name == "shared.weight");
  CHECK(tiny.Open()->description().decoder->token_embedding.name == "decoder.embed_tokens.weight");
  tiny.tensors.erase("encoder.embed_tokens.weight");
  tiny.tensors.erase("decoder.embed_tokens.weight");
  const auto shared = tiny.Open();
  CHECK(shared->description().token_embedding.name == "shared.weight");
  CHECK(shared->description().decoder->token_embedding.name == "shared.weight");
  CHECK(shared->description().generation->output.name == "shared.weight");
  tiny.tensors["lm_head.weight"] = tiny.tensors["shared.weight"];
  tiny.tensors["lm_head.weight"].values.front() += 1.0F;
  CHECK(tiny.Open()->description().generation->output.name == "lm_head.weight");
  tiny.tensors.erase("shared.weight");
  CHECK(tiny.Open()->description().token_embedding.name == "lm_head.weight");
  tiny.tensors.erase("lm_head.weight");
  CHECK_THAT(RefusedWith(tiny).message,
             Says("\"encoder.embed_tokens.weight\" is missing and so is \"shared.weight\""));
}

TEST_CASE("a tensor of the wrong shape is named with both shapes", "[model][open]") {
  TinyModel tiny(Example("llama"));
  tiny.tensors["layers.2.self_attn.k_proj.weight"].shape = {12, 8};
  const Error error = RefusedWith(tiny);
  CHECK(error.code == ErrorCode::kShape);
  CHECK_THAT(
      error.message,
      Says("layers.2.self_attn.k_proj.weight") && Says("is [12,8]") && Says("expected [8,12]"));
}

TEST_CASE("a tensor of whole numbers is refused by its type", "[model][open]") {
  const TempFolder folder;
  const TinyModel tiny(Example("gpt2"));
  tiny.Write(folder.path());
  std::vector<TensorView> views;
  for (const auto& [name, tensor] : tiny.tensors) {
    views.push_back({name,
                     name == "wpe.weight" ? DataType::kI32 : DataType::kF32,
                     tensor.shape,
                     std::as_bytes(std::span(tensor.values))});
  }
  REQUIRE(WriteSafetensors(folder / "model.safetensors", views, {}));
  const Error error = RefusedModel(folder.path());
  CHECK(error.code == ErrorCode::kUnsupported);
  CHECK_THAT(error.message, Says("\"wpe.weight\" is I32") && Says("expected F32"));
}

TEST_CASE("weights of another model, cut short or empty are refused", "[model][open]") {
  const TempFolder folder;
  const TinyModel tiny(Example("gpt2"));
  tiny.Write(folder.path());
  std::ofstream(folder / "config.json") << Example("llama");
  CHECK_THAT(RefusedModel(folder.path()).message, Says("embed_tokens.weight") && Says("missing"));
  std::ofstream(folder / "config.json") << tiny.config;
  REQUIRE(Model::Open(folder.path()).has_value());

  const auto size = fs::file_size(folder / "model.safetensors");
  for (const std::uintmax_t cut : {size - 1, size / 2, std::uintmax_t{9}, std::uintmax_t{0}}) {
    INFO(cut);
    fs::resize_file(folder / "model.safetensors", cut);
    CHECK_THAT(RefusedModel(folder.path()).message, Says("model.safetensors"));
  }
}

TEST_CASE("a config of absurd sizes is refused before anything is allocated", "[model][open]") {
  const TempFolder folder;
  const TinyModel tiny(Example("gpt2"));
  tiny.Write(folder.path());
  std::ofstream(folder / "config.json")
      << R"({"model_type": "gpt2", "n_layer": 1024, "n_head": 1, "n_embd": 131072,
             "n_positions": 134217728, "vocab_size": 16777216})";
  CHECK_THAT(RefusedModel(folder.path()).message, Says("[16777216,131072]"));
}

TEST_CASE("a tokenizer that cannot be read closes nothing else", "[model][open]") {
  struct Fault {
    std::map<std::string, std::string> files;
    std::string says;
  };
  const std::string lfs =
      "version https://git-lfs.github.com/spec/v1\noid sha256:1234\nsize 1842767\n";
  const std::vector<Fault> faults = {
      {{{"tokenizer.json", "{"}}, "tokenizer.json"},
      {{{"tokenizer.json", lfs}}, "tokenizer.json"},
      {{{"tokenizer.json", R"({"model":{"type":"Riddle"}})"}}, "Riddle"},
      {{{"tokenizer.json", R"({"pre_tokenizer":{"type":"Odd"},"model":{"type":"BPE"}})"}}, "Odd"},
      {{{"vocab.json", R"({"a":0})"}}, "merges.txt"},
      {{{"vocab.json", R"({"a":0})"}, {"merges.txt", "a b c\n"}}, "merges.txt"},
      {{{"vocab.txt", "a\nb\n"}}, "[CLS]"},
      {{{"tokenizer.model", "no protocol buffer"}}, "tokenizer.model"},
      {{{"vocab.json", R"({"a":0})"}, {"merges.txt", ""}, {"tokenizer_config.json", "["}},
       "tokenizer_config.json"},
      {{{"vocab.json", R"({"a":0})"}, {"merges.txt", ""}, {"special_tokens_map.json", "7"}},
       "special_tokens_map.json"},
  };
  const TinyModel tiny(Example("gpt2"));
  for (const Fault& fault : faults) {
    const TempFolder folder;
    tiny.Write(folder.path());
    for (const auto& [name, text] : fault.files) {
      folder.Write(name, text);
    }
    INFO(fault.says);
    const auto model = Model::Open(folder.path());
    INFO((model ? "" : model.error().message));
    REQUIRE(model);
    CHECK((*model)->tokenizer() == nullptr);
    CHECK_THAT((*model)->tokenizer_fault(), Says(fault.says));
    const Status reads = CheckReadsText(**model, "type ids");
    REQUIRE_FALSE(reads);
    CHECK(reads.error().code == ErrorCode::kInput);
    CHECK_THAT(reads.error().message,
               Says(fault.says) && Says("; until its tokenizer can be read, "
                                        "type ids"));
  }
  const auto none = CheckReadsText(*tiny.Open(), "type ids");
  REQUIRE_FALSE(none);
  CHECK_THAT(none.error().message, Says("there is no tokenizer") && Says("; type ids"));
  CHECK(tiny.Open()->tokenizer_fault().empty());
}

}  // namespace headscope
