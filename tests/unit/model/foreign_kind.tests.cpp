#include "core/model/foreign_kind.h"

#include <functional>

#include "core/model/model.h"
#include "core/model/model_folder.h"
#include "tests/support/catch.h"
#include "tests/support/gguf_builder.h"
#include "tests/support/tiny_model.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;
using test::Says;
using test::TempFolder;
using test::TinyModel;
using namespace std::string_literals;

std::string KindExample(std::string_view id) {
  for (const Family* family : AllFamilies()) {
    if (family->id == id) {
      return std::string(family->example);
    }
  }
  return "";
}

std::string WhyNot(const fs::path& path) {
  const auto model = Model::Open(path);
  REQUIRE_FALSE(model.has_value());
  CHECK(model.error().message.find('\n') == std::string::npos);
  return model.error().message;
}

// As Git leaves a large file without LFS.
constexpr const char* kLfsPointer =
    "version https://git-lfs.github.com/spec/v1\noid sha256:0123\nsize 548105171\n";

}  // namespace

TEST_CASE("a folder without weights says what lies there instead", "[model][foreign]") {
  struct Case {
    std::string file;
    std::string bytes;
    std::string says;
    std::string advice;
  };
  const std::vector<Case> cases = {
      {"model.onnx", "\x08\x07\x12", "a model in ONNX", "made from"},
      {"onnx/model.onnx", "\x08\x07\x12", "a model in ONNX", "made from"},
      {"tf_model.h5", "\x89HDF\r\n", "weights of TensorFlow", "from_tf=True"},
      {"saved_model.pb", "\x08\x01", "weights of TensorFlow", "from_tf=True"},
      {"flax_model.msgpack", "\x81", "weights of Flax", "from_flax=True"},
      {"model.bin", "\x06\0\0\0\x10\0TransformerSpec\0"s, "a model of CTranslate2", "made from"},
      {"ggml-model.bin", "lmgg\0\0"s, "a ggml file, older than GGUF", "as GGUF"},
      {"ggml-model.bin", "tjgg\x03\0"s, "a ggml file, older than GGUF", "as GGUF"},
      {"chat.nemo", "config", "an archive of NeMo", "converters"},
      {"model.zip", "PK\x03\x04\x14\0"s, "an archive", "unpack"},
      {"consolidated.00.pth", "PK\x03\x04\x14\0"s, "makers' own form", "-hf"},
      {"consolidated.safetensors", "x", "makers' own form", "-hf"},
      {"model_index.json", "{}", "a pipeline of diffusers", "language model"},
      {"pytorch_model.bin", "\x80\x02}q\0."s, "a pickle", "save_pretrained"},
      {"pytorch_model.bin", "PK\x03\x04 archive/data.pkl", "a pickle", "save_pretrained"},
      {"pytorch_model.bin", kLfsPointer, "a Git LFS pointer", "git lfs pull"},
      {"zero_to_fp32.py", "", "DeepSpeed", "zero_to_fp32.py"},
  };
  for (const bool has_config : {false, true}) {
    for (const Case& one : cases) {
      INFO(one.file << (has_config ? " with" : " without") << " config.json");
      const TempFolder folder;
      fs::create_directories((folder / one.file).parent_path());
      folder.Write(one.file, one.bytes);
      if (has_config) {
        folder.Write("config.json", KindExample("gpt2"));
      }
      const std::string refusal = WhyNot(folder.path());
      const bool is_told = has_config || !one.advice.starts_with("from_");
      CHECK_THAT(refusal, Says(one.says) && Says(is_told ? one.advice : "save_pretrained"));
      if (one.says != "a pickle") {
        CHECK_THAT(refusal, !Says("pickle"));
      }
    }
  }
}

TEST_CASE("a file alone is named for what it is", "[model][foreign]") {
  const TempFolder folder;
  const std::string start = "\x06\0\0\0\x10\0TransformerSpec\0"s;
  CHECK_THAT(WhyNot(folder.Write("model.bin", start)), Says("a model of CTranslate2"));
  CHECK_THAT(WhyNot(folder.Write("old.bin", "fmgg")), Says("a ggml file"));
  CHECK_THAT(WhyNot(folder.Write("all.zip", "PK\x03\x04")), Says("an archive"));
  CHECK_THAT(WhyNot(folder.Write("all.tgz", "\x1f\x8b\x08")), Says("an archive"));
  CHECK_THAT(WhyNot(folder.Write("best.pt", "PK\x03\x04\x14 best/data.pkl")), Says("a pickle"));
  CHECK_THAT(WhyNot(folder.Write("maps.npz", "PK\x03\x04")), Says("arrays of numpy"));
  CHECK_THAT(WhyNot(folder.Write("notes.txt", "hello")), Says("is a file, expected"));
  for (const char* name : {"model.safetensors", "model.gguf", "x.bin", "config.json"}) {
    INFO(name);
    CHECK_THAT(WhyNot(folder.Write(name, kLfsPointer)), Says(name) && Says("a Git LFS pointer"));
  }
}

TEST_CASE("any file of a folder may be a pointer of Git LFS, and is called one",
          "[model][foreign]") {
  for (const char* name : {"model.safetensors", "config.json"}) {
    const TempFolder folder;
    TinyModel(KindExample("gpt2")).Write(folder.path());
    folder.Write(name, kLfsPointer);
    CHECK_THAT(WhyNot(folder.path()), Says(name) && Says("a Git LFS pointer"));
  }
}

TEST_CASE("an adapter names its base and what to do", "[model][foreign]") {
  const TempFolder folder;
  for (const auto& [type, advice] :
       {std::pair("LORA", "hf download"), std::pair("IA3", "merge_and_unload")}) {
    folder.Write("adapter_config.json",
                 R"({"task_type": "SEQ_CLS",
                     "base_model_name_or_path": "google-bert/bert-base-uncased", "peft_type": ")" +
                     std::string(type) + "\"}");
    folder.Write("adapter_model.safetensors", "x");
    for (const fs::path& path :
         {folder.path(), folder / "adapter_config.json", folder / "adapter_model.safetensors"}) {
      INFO(path);
      CHECK_THAT(WhyNot(path),
                 Says("of the model \"google-bert/bert-base-uncased\"") && Says(advice));
    }
  }
  folder.Write("adapter_config.json", R"({"peft_type": "PREFIX_TUNING"})");
  CHECK_THAT(WhyNot(folder.path()), Says("PREFIX_TUNING") && Says("open the base model"));
}

TEST_CASE("a folder that holds folders with models names them", "[model][foreign]") {
  const TinyModel tiny(KindExample("gpt2"));
  const TempFolder folder;
  folder.Write("training_args.bin", "PK\x03\x04");
  for (const char* name : {"checkpoint-1000", "checkpoint-500"}) {
    fs::create_directory(folder / name);
    tiny.Write(folder / name);
    folder.Write(std::string(name) + "/optimizer.pt", "PK\x03\x04");
  }
  CHECK_THAT(WhyNot(folder.path()),
             Says("output of a training") && Says("checkpoint-500 and checkpoint-1000") &&
                 Says("open one of them, such as " + (folder / "checkpoint-1000").string()));

  const TempFolder sentences;
  for (const char* name : {"0_Transformer", "1_Pooling"}) {
    fs::create_directory(sentences / name);
  }
  tiny.Write(sentences / "0_Transformer");
  sentences.Write("1_Pooling/config.json", R"({"word_embedding_dimension": 8})");
  sentences.Write("modules.json", "[]");
  CHECK_THAT(WhyNot(sentences.path()),
             Says("a sentence-transformers model") &&
                 Says("open " + (sentences / "0_Transformer").string()));
  CHECK_THAT(WhyNot(sentences / "1_Pooling"), Says("sentence-transformers does after one"));
  // Where the transformer lies in the root it opens.
  tiny.Write(sentences.path());
  CHECK(Model::Open(sentences.path()));
}

TEST_CASE("the recipe for a pickle keeps the folder and quotes its name", "[model][foreign]") {
  const TempFolder folder;
  fs::create_directory(folder / "it's");
  folder.Write("it's/config.json", KindExample("gpt2"));
  folder.Write("it's/pytorch_model.bin", "\x80\x02}q\0."s);
  CHECK_THAT(WhyNot(folder / "it's"),
             Says("save_pretrained(f)\" '" + folder.path().string() + "/it'\\''s'"));
  TinyModel(KindExample("gpt2")).Write(folder / "it's");
  CHECK(Model::Open(folder / "it's"));
  CHECK_THAT(WhyNot(folder / "it's/pytorch_model.bin"), Says("open the folder"));
}

TEST_CASE("a file of a model's folder stands for the folder", "[model][foreign]") {
  const TinyModel tiny(KindExample("llama"));
  const TempFolder folder;
  fs::create_directory(folder / "small");
  tiny.Write(folder / "small");
  folder.Write("small/tokenizer_config.json", "{}");
  for (const char* name : {"model.safetensors", "config.json", "tokenizer_config.json"}) {
    INFO(name);
    const auto model = Model::Open(folder / "small" / name);
    INFO((model ? "" : model.error().message));
    REQUIRE(model);
    CHECK((*model)->name() == "small");
    CHECK((*model)->folder() == folder / "small");
    CHECK(FolderOfModelFile(folder / "small" / name) == folder / "small");
  }
  CHECK(FolderOfModelFile(folder / "small/nothing.safetensors").empty());
  // Weights of another name are opened as they are named.
  fs::rename(folder / "small/model.safetensors", folder / "small/model.fp16.safetensors");
  CHECK_THAT(WhyNot(folder / "small"), Says("model.fp16.safetensors; where these are the weights"));
  CHECK(Model::Open(folder / "small/model.fp16.safetensors"));
  fs::rename(folder / "small/model.fp16.safetensors",
             folder / "small/model-00001-of-00002.safetensors");
  CHECK_THAT(WhyNot(folder / "small"), Says("no model.safetensors.index.json"));
}

TEST_CASE("a link to nothing is named", "[model][foreign]") {
  const TempFolder folder;
  folder.Write("config.json", KindExample("gpt2"));
  fs::create_symlink("../blobs/0123", folder / "model.safetensors");
  CHECK_THAT(WhyNot(folder.path()), Says("is a link to ../blobs/0123, which is not there"));
}

}  // namespace headscope
