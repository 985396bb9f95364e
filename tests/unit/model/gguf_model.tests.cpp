#include "core/model/gguf_model.h"

#include <array>
#include <map>

#include <fmt/format.h>

#include "core/model/model.h"
#include "tests/support/catch.h"
#include "tests/support/gguf_builder.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tiny_gguf.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;
using test::GgufBuilder;
using test::Says;
using test::TempFolder;
using test::TinyGguf;

}  // namespace

TEST_CASE("a GGUF file opens as the model it says it is", "[model][gguf]") {
  const auto model = TinyGguf().Open();
  INFO((model ? std::string() : model.error().message));
  REQUIRE(model);
  const ModelDescription& about = (*model)->description();
  CHECK(about.family == "llama");
  CHECK(about.precision == "F32");
  CHECK(about.layers == 1);
  CHECK(about.heads == 2);
  CHECK(about.kv_heads == 1);
  CHECK(about.head_dim == 4);
  CHECK(about.positions == 16);
  CHECK(about.vocabulary == 5);
  CHECK(about.ties_embeddings);
  CHECK(about.token_embedding.name == "token_embd.weight");
  CHECK((*model)->name() == "tiny");
  CHECK((*model)->tokenizer() == nullptr);
  CHECK((*model)->parameters() == 5 * 8 + 3 * 8 + 2 * 64 + 2 * 32 + 3 * 48);
  CHECK((*model)->fingerprint().size() == 64);
}

TEST_CASE("a vocabulary of a kind that is not known closes texts alone", "[model][gguf]") {
  TinyGguf tiny;
  tiny.file.Add("tokenizer.ggml.model", "riddle");
  const auto model = tiny.Open();
  REQUIRE(model);
  CHECK((*model)->tokenizer() == nullptr);
  CHECK_THAT((*model)->tokenizer_fault(), Says("tiny.gguf: "));
  CHECK_FALSE(CheckReadsText(**model, "type ids"));
}

TEST_CASE("a GGUF file of GPT-OSS needs the biases of each expert, and a sink for each head",
          "[model][gguf]") {
  TinyGguf tiny;
  tiny.architecture = "gpt-oss";
  tiny.settings["expert_count"] = 3;
  tiny.settings["expert_used_count"] = 2;
  tiny.settings["expert_feed_forward_length"] = 6;
  tiny.settings["attention.sliding_window"] = 4;
  for (const char* name : {"ffn_norm", "ffn_gate", "ffn_up", "ffn_down"}) {
    tiny.sizes.erase(fmt::format("blk.0.{}.weight", name));
  }
  tiny.sizes["blk.0.post_attention_norm.weight"] = {8};
  tiny.sizes["blk.0.attn_sinks.weight"] = {2};
  tiny.sizes["blk.0.ffn_gate_inp.weight"] = {8, 3};
  tiny.sizes["blk.0.ffn_gate_inp.bias"] = {3};
  for (const char* part : {"gate", "up", "down"}) {
    const bool is_down = part == std::string_view("down");
    const std::string name = fmt::format("blk.0.ffn_{}_exps.", part);
    tiny.sizes[name + "weight"] =
        is_down ? std::vector<std::uint64_t>{6, 8, 3} : std::vector<std::uint64_t>{8, 6, 3};
    tiny.sizes[name + "bias"] =
        is_down ? std::vector<std::uint64_t>{8, 3} : std::vector<std::uint64_t>{6, 3};
  }
  SECTION("which opens") {
    const auto model = tiny.Open();
    INFO((model ? std::string() : model.error().message));
    REQUIRE(model);
    const LayerDescription& layer = (*model)->description().layer.front();
    CHECK(layer.sinks->name == "blk.0.attn_sinks.weight");
    CHECK(layer.experts->expert[2].up.matrices.front().weight.name == "blk.0.ffn_up.2.weight");
    CHECK(layer.experts->expert[2].down.matrices.front().bias->shape ==
          std::vector<std::int64_t>{8});
  }
  SECTION("biases of too few experts") {
    tiny.sizes["blk.0.ffn_up_exps.bias"] = {6, 2};
    CHECK_THAT(tiny.Refused().message,
               Says("ffn_up_exps.bias\" is [2,6]") && Says("the first for 3 experts"));
  }
  SECTION("biases that are one number each") {
    tiny.sizes["blk.0.ffn_up_exps.bias"] = {3};
    CHECK_THAT(tiny.Refused().message, Says("ffn_up_exps.bias\" is [3], expected two dimensions"));
  }
  SECTION("a sink too many") {
    tiny.sizes["blk.0.attn_sinks.weight"] = {3};
    CHECK_THAT(tiny.Refused().message, Says("attn_sinks.weight\" is [3], expected [2]"));
  }
}

TEST_CASE("what a GGUF file leaves unsaid means the same in every architecture", "[model][gguf]") {
  TinyGguf tiny;
  tiny.architecture = GENERATE("llama", "gemma", "qwen3");
  tiny.settings.erase("attention.head_count_kv");
  for (const char* name : {"blk.0.attn_k.weight", "blk.0.attn_v.weight"}) {
    tiny.sizes[name] = {8, 8};
  }
  if (tiny.architecture == "qwen3") {
    tiny.sizes["blk.0.attn_q_norm.weight"] = {4};
    tiny.sizes["blk.0.attn_k_norm.weight"] = {4};
  }
  const auto model = tiny.Open();
  INFO((model ? tiny.architecture : model.error().message));
  REQUIRE(model);
  CHECK((*model)->description().kv_heads == 2);
  CHECK((*model)->description().head_dim == 4);
}

TEST_CASE("queries and keys of a llama lie interleaved, and no other rows", "[model][gguf]") {
  const auto model = TinyGguf().Open();
  REQUIRE(model);
  for (const auto& [name, tensor] : (*model)->weights().tensors()) {
    INFO(name);
    const bool turned = name == "blk.0.attn_q.weight" || name == "blk.0.attn_k.weight";
    CHECK(tensor.interleaved_rows == (turned ? 4 : 0));
  }
}

TEST_CASE("the output layer of a GGUF file is its own, or else the token embedding",
          "[model][gguf][output]") {
  const TempFolder folder;
  TinyGguf tiny;
  const auto tied = Model::Open(folder.Write("tied.gguf", tiny.Bytes()));
  REQUIRE(tied);
  CHECK((*tied)->description().output_layer->weight.name == "token_embd.weight");
  tiny.sizes["output.weight"] = {8, 5};
  const auto own = Model::Open(folder.Write("own.gguf", tiny.Bytes()));
  REQUIRE(own);
  CHECK((*own)->description().output_layer->weight.name == "output.weight");
  tiny.sizes["output.weight"] = {5, 8};
  const auto turned = Model::Open(folder.Write("turned.gguf", tiny.Bytes()));
  REQUIRE_FALSE(turned);
  CHECK_THAT(turned.error().message, Says("\"output.weight\"") && Says("expected [5,8]"));
}

TEST_CASE("the metadata of a GGUF file is a config.json", "[model][gguf]") {
  const TempFolder folder;
  TinyGguf tiny;
  tiny.file.Add("llama.rope.freq_base", 250000.0F).Add("llama.rope.dimension_count", 4U);
  tiny.file.Add("llama.rope.scaling.type", "linear").Add("llama.rope.scaling.factor", 4.0F);
  tiny.sizes["blk.0.attn_q.bias"] = {8};
  tiny.sizes["output.weight"] = {8, 5};
  const auto file = GgufFile::Open(folder.Write("m.gguf", tiny.Bytes()));
  REQUIRE(file);
  const auto config = GgufConfig(*file);
  REQUIRE(config);
  for (const char* part : {R"("model_type":"llama")",
                           R"("hidden_size":8)",
                           R"("num_hidden_layers":1)",
                           R"("num_key_value_heads":1)",
                           R"("max_position_embeddings":16)",
                           R"("rope_theta":250000.0)",
                           R"("rope_scaling":{"factor":4.0,"rope_type":"linear"})",
                           R"("vocab_size":5)",
                           R"("tie_word_embeddings":false)",
                           R"("attention_bias":true)",
                           R"("mlp_bias":false)"}) {
    CHECK_THAT(*config, Says(part));
  }
}

TEST_CASE("rotary scalings of GGUF are those of config.json", "[model][gguf]") {
  const TempFolder folder;
  TinyGguf tiny;
  std::string expected;
  SECTION("yarn") {
    tiny.file.Add("llama.rope.scaling.type", "yarn")
        .Add("llama.rope.scaling.factor", 4.0F)
        .Add("llama.rope.scaling.original_context_length", 8U)
        .Add("llama.rope.scaling.yarn_beta_fast", 16.0F)
        .Add("llama.rope.scaling.yarn_beta_slow", 2.0F);
    expected = R"({"beta_fast":16.0,"beta_slow":2.0,"factor":4.0,)"
               R"("original_max_position_embeddings":8,"rope_type":"yarn"})";
  }
  SECTION("yarn whose attention is scaled once more") {
    tiny.file.Add("llama.rope.scaling.type", "yarn")
        .Add("llama.rope.scaling.factor", 1.0F)
        .Add("llama.rope.scaling.attn_factor", 0.5F);
    expected = R"({"attention_factor":0.5,"factor":1.0,"rope_type":"yarn"})";
  }
  SECTION("the old key of a linear scaling") {
    tiny.file.Add("llama.rope.scale_linear", 2.0F);
    expected = R"({"factor":2.0,"rope_type":"linear"})";
  }
  const auto file = GgufFile::Open(folder.Write("m.gguf", tiny.Bytes()));
  REQUIRE(file);
  const auto config = GgufConfig(*file);
  REQUIRE(config);
  CHECK_THAT(*config, Says(R"("rope_scaling":)" + expected));
}

TEST_CASE("a GGUF model that cannot be is refused by its key or tensor", "[model][gguf]") {
  TinyGguf tiny;
  SECTION("an unknown architecture") {
    tiny.architecture = "mamba";
    const Error error = tiny.Refused();
    CHECK(error.code == ErrorCode::kUnsupported);
    CHECK_THAT(error.message, Says("\"mamba\"") && Says("llama") && Says("gpt2"));
  }
  SECTION("a tensor inside a block that the architecture has no place for") {
    const std::string tensor = GENERATE("blk.0.attn_q_norm.weight",
                                        "blk.0.ffn_down.bias",
                                        "blk.0.attn_sinks.weight",
                                        "blk.0.ffn_gate_inp.weight",
                                        "output_norm.bias");
    tiny.sizes[tensor] = {4};
    const Error error = tiny.Refused();
    CHECK(error.code == ErrorCode::kUnsupported);
    CHECK_THAT(error.message, Says("tensor \"" + tensor + "\" is none that a llama model"));
  }
  SECTION("a block past the last one") {
    tiny.sizes["blk.1.attn_norm.weight"] = {8};
    CHECK_THAT(tiny.Refused().message,
               Says("\"blk.1.attn_norm.weight\" is of layer 1, expected layers 0 to 0"));
  }
  SECTION("attention that looks ahead, or is scaled otherwise") {
    const std::string key = GENERATE("attention.scale", "attention.max_alibi_bias");
    tiny.file.Add("llama." + key, 0.25F);
    CHECK_THAT(tiny.Refused().message, Says("\"llama." + key + "\" is 0.25, expected none"));
  }
  SECTION("a setting that is missing") {
    tiny.settings.erase("block_count");
    CHECK_THAT(tiny.Refused().message, Says("\"llama.block_count\" is missing"));
  }
  SECTION("no heads, and no width of one") {
    tiny.architecture = GENERATE("llama", "gemma", "gemma2", "qwen3");
    tiny.settings["attention.head_count"] = 0;
    CHECK(!tiny.Refused().message.empty());
  }
  SECTION("more heads than columns") {
    tiny.architecture = GENERATE("llama", "gemma", "gemma2", "qwen3");
    tiny.settings["attention.head_count"] = 16;
    CHECK(!tiny.Refused().message.empty());
  }
  SECTION("a list in place of a number") {
    tiny.settings.erase("attention.head_count");
    tiny.file.Add("llama.attention.head_count", std::vector<std::int32_t>{2, 2});
    CHECK_THAT(tiny.Refused().message, Says("\"llama.attention.head_count\" is a list"));
  }
  SECTION("absurd sizes") {
    for (const char* key : {"block_count",
                            "embedding_length",
                            "feed_forward_length",
                            "attention.head_count",
                            "attention.head_count_kv",
                            "context_length"}) {
      for (const std::uint32_t value : {0U, 0xFFFFFFFFU}) {
        INFO(key << " " << value);
        TinyGguf absurd;
        absurd.settings[key] = value;
        static_cast<void>(absurd.Refused());
        absurd.file.Add("llama.rope.dimension_count", 4U);
        static_cast<void>(absurd.Refused());
      }
    }
  }
  SECTION("experts where the architecture has none") {
    tiny.architecture = "qwen3";
    tiny.settings["expert_count"] = 8;
    const Error error = tiny.Refused();
    CHECK(error.code == ErrorCode::kUnsupported);
    CHECK_THAT(error.message, Says("mixture of 8 experts"));
  }
  SECTION("experts that are weighed otherwise") {
    tiny.settings["expert_count"] = 8;
    tiny.settings["expert_used_count"] = 2;
    tiny.settings["expert_gating_func"] = 2;
    CHECK_THAT(tiny.Refused().message, Says("\"llama.expert_gating_func\" is 2, expected 1"));
  }
  SECTION("slopes of another size") {
    tiny.architecture = "mpt";
    tiny.file.Add("mpt.attention.layer_norm_epsilon", 1e-5F);
    tiny.file.Add("mpt.attention.max_alibi_bias", 16.0F);
    CHECK_THAT(tiny.Refused().message, Says("\"mpt.attention.max_alibi_bias\" is 16, expected 8"));
  }
  SECTION("Baichuan's larger one") {
    tiny.architecture = "baichuan";
    tiny.settings["block_count"] = 40;
    CHECK_THAT(tiny.Refused().message, Says("slopes on the scores"));
  }
  SECTION("heads that turn in part") {
    tiny.settings["rope.dimension_count"] = 2;
    CHECK_THAT(tiny.Refused().message, Says("\"llama.rope.dimension_count\" is 2"));
  }
  SECTION("a vocabulary and no model") {
    tiny.sizes.clear();
    CHECK_THAT(tiny.Refused().message, Says("token_embd.weight") && Says("only its vocabulary"));
  }
  SECTION("a missing tensor, by the file's name for it") {
    tiny.sizes.erase("blk.0.attn_k.weight");
    CHECK_THAT(
        tiny.Refused().message,
        Says("\"blk.0.attn_k.weight\" is missing") && Says("[4,8]") && Says("is the file whole?"));
  }
  SECTION("a tensor of another shape") {
    tiny.sizes["blk.0.attn_q.weight"] = {8, 6};
    CHECK_THAT(tiny.Refused().message,
               Says("\"blk.0.attn_q.weight\" is [6,8]") && Says("expected [8,8]"));
  }
  SECTION("angle factors of another length") {
    tiny.sizes["rope_freqs.weight"] = {3};
    CHECK_THAT(tiny.Refused().message, Says("rope_freqs.weight") && Says("expected F32 [2]"));
  }
  SECTION("angle factors that are not above 0") {
    tiny.sizes["rope_freqs.weight"] = {2};
    tiny.fill = 0.0F;
    CHECK_THAT(tiny.Refused().message, Says("rope_freqs.weight") && Says("holds 0"));
  }
}

TEST_CASE("what Gemma 4 lists of its layers is what its models have, or is refused",
          "[model][gguf]") {
  TinyGguf tiny;
  tiny.architecture = "gemma4";
  for (const char* key : {"feed_forward_length", "attention.head_count_kv"}) {
    tiny.settings.erase(key);
  }
  tiny.settings["block_count"] = 2;
  tiny.settings["attention.key_length"] = 8;
  tiny.settings["attention.key_length_swa"] = 4;
  tiny.settings["attention.sliding_window"] = 3;
  tiny.sizes["blk.1.attn_v.weight"] = {8, 8};  // without it, keys are the values
  using List = std::vector<std::int32_t>;
  const auto refused = [&](const List& inner, const List& keys, const std::string& slides) {
    TinyGguf one = tiny;
    one.file.Add("gemma4.feed_forward_length", inner);
    one.file.Add("gemma4.attention.head_count_kv", keys);
    one.file.AddRaw("gemma4.attention.sliding_window_pattern",
                    9,
                    test::Raw(std::uint32_t{7}) + test::Raw(std::uint64_t{slides.size()}) + slides);
    return one.Refused().message;
  };
  const std::string both{'\1', '\0'};
  CHECK_THAT(
      refused({6, 6, 6}, {1, 1}, both),
      Says("\"gemma4.feed_forward_length\" has 3 numbers, expected one for each of 2 layers"));
  CHECK_THAT(refused({6, 7}, {1, 1}, both),
             Says("\"gemma4.feed_forward_length\" differs from layer to layer"));
  CHECK_THAT(refused({6, 6}, {1, 2}, both),
             Says("\"gemma4.attention.head_count_kv\" differs from layer to layer"));
  CHECK_THAT(refused({6, 6}, {1, 2}, "\1\1"),
             Says("\"gemma4.attention.head_count_kv\" differs from layer to layer"));
  CHECK_THAT(refused({6, 6}, {1, 1}, "\1"),
             Says("\"gemma4.attention.sliding_window_pattern\" does not say of each of 2 layers"));
  tiny.settings["block_count"] = 4'000'000'000U;
  CHECK_THAT(refused({6, 6}, {1, 1}, both), Says("expected one for each of 4000000000 layers"));
}

TEST_CASE("angle factors of a GGUF file slow the angles", "[model][gguf]") {
  TinyGguf tiny;
  const auto plain = tiny.Open();
  tiny.sizes["rope_freqs.weight"] = {2};
  const auto slowed = tiny.Open();
  REQUIRE(plain);
  REQUIRE(slowed);
  const auto& before = (*plain)->description().rotary[0].table.inverse_frequency;
  const auto& after = (*slowed)->description().rotary[0].table.inverse_frequency;
  REQUIRE(before.size() == 2);
  REQUIRE(after.size() == 2);
  for (std::size_t i = 0; i < before.size(); ++i) {
    CHECK(after[i] == before[i] / 0.5);
  }
}

TEST_CASE("a GGUF file that does not say how text is cut says which rule was taken",
          "[model][gguf]") {
  TinyGguf tiny;
  tiny.file.Add("tokenizer.ggml.model", "gpt2")
      .Add("tokenizer.ggml.tokens", std::vector<std::string>{"a", "b", "c", "d", "e"});
  const TempFolder folder;
  const fs::path path = folder.Write("tiny.gguf", tiny.Bytes());
  const auto model = Model::Open(path);
  INFO((model ? "" : model.error().message));
  REQUIRE(model);
  CHECK_THAT((*model)->description().note, Says("tokenizer.ggml.pre") && Says("as GPT-2 cuts it"));
  CHECK(CuttingNote(folder.path()) == (*model)->description().note);
  tiny.file.Add("tokenizer.ggml.pre", "gpt-2");
  CHECK((*tiny.Open())->description().note.empty());
  CHECK((*TinyGguf().Open())->description().note.empty());
}

TEST_CASE("a model in several GGUF files opens from any of them", "[model][gguf]") {
  const TinyGguf tiny;
  const std::string whole = tiny.Bytes();
  const TempFolder folder;
  fs::create_directory(folder / "parts");
  const auto write = [&](const TinyGguf& part, int number) {
    folder.Write(fmt::format("parts/tiny-{:05}-of-00002.gguf", number), part.Bytes());
  };
  // Metadata in the first, as gguf-split has it; tensors in both.
  TinyGguf first = tiny;
  TinyGguf second = tiny;
  for (const auto& [name, sizes] : tiny.sizes) {
    (name < "blk.0.ffn" ? second : first).sizes.erase(name);
  }
  for (TinyGguf* part : {&first, &second}) {
    part->file.AddRaw("split.no", 2, test::Raw<std::uint16_t>(part == &first ? 0 : 1))
        .AddRaw("split.count", 2, test::Raw<std::uint16_t>(2))
        .AddRaw("split.tensors.count", 5, test::Raw(static_cast<std::int32_t>(tiny.sizes.size())));
  }
  write(first, 1);
  write(second, 2);
  for (const char* path :
       {"parts", "parts/tiny-00001-of-00002.gguf", "parts/tiny-00002-of-00002.gguf"}) {
    INFO(path);
    const auto model = Model::Open(folder / path);
    INFO((model ? "" : model.error().message));
    REQUIRE(model);
    CHECK((*model)->parameters() == (*tiny.Open())->parameters());
    CHECK((*model)->weights().files().size() == 2);
    CHECK((*model)->name() == (std::string(path) == "parts" ? "parts" : "tiny"));
  }
  const auto refused = [&](const char* path) {
    const auto model = Model::Open(folder / path);
    REQUIRE_FALSE(model.has_value());
    return model.error().message;
  };
  // A part that is not there, of another model, with tensors of an earlier one, or misnamed.
  fs::rename(folder / "parts/tiny-00001-of-00002.gguf", folder / "aside");
  CHECK_THAT(refused("parts"),
             Says("tiny-00001-of-00002.gguf: is not there, and the model is in 2 parts"));
  write(second, 1);
  CHECK_THAT(refused("parts"), Says("says that it is part 2 of 2 of a model, expected part 1"));
  write(tiny, 1);
  CHECK_THAT(refused("parts/tiny-00002-of-00002.gguf"), Says("says that it is part 1 of 1"));
  fs::rename(folder / "aside", folder / "parts/tiny-00001-of-00002.gguf");
  TinyGguf twice = second;
  twice.sizes["blk.0.attn_norm.weight"] = {8};
  first.sizes["blk.0.attn_norm.weight"] = {8};
  write(first, 1);
  write(twice, 2);
  CHECK_THAT(refused("parts"), Says("\"blk.0.attn_norm.weight\" lies in an earlier part"));
  TinyGguf less = second;
  less.sizes.erase("token_embd.weight");
  write(less, 2);
  CHECK_THAT(refused("parts"), Says("expected 11") && Says("split.tensors.count"));
  folder.Write("renamed.gguf", second.Bytes());
  CHECK_THAT(refused("renamed.gguf"), Says("expected a name such as renamed-00001-of-00002.gguf"));
  TinyGguf many = tiny;
  many.file.Add("split.count", 70'000U);
  folder.Write("many.gguf", many.Bytes());
  CHECK_THAT(refused("many.gguf"), Says("\"split.count\" is 70000"));
}

TEST_CASE("of a folder with a model and what reads its pictures the model opens", "[model][gguf]") {
  const TempFolder folder;
  folder.Write("tiny-q8.gguf", TinyGguf().Bytes());
  TinyGguf pictures;
  pictures.architecture = "clip";
  folder.Write("pictures.gguf", pictures.Bytes());
  const auto model = Model::Open(folder.path());
  INFO((model ? "" : model.error().message));
  REQUIRE(model);
  CHECK((*model)->description().family == "llama");
  const auto alone = Model::Open(folder / "pictures.gguf");
  REQUIRE_FALSE(alone.has_value());
  CHECK_THAT(alone.error().message, Says("mmproj") && Says("open the GGUF file of the model"));
  TinyGguf adapter;
  adapter.file.Add("general.type", "adapter");
  const auto refused = Model::Open(folder.Write("adapter.gguf", adapter.Bytes()));
  REQUIRE_FALSE(refused.has_value());
  CHECK_THAT(refused.error().message, Says("no whole model") && Says("llama-export-lora"));
  CHECK(Model::Open(folder.path()));
  TinyGguf mamba;
  mamba.architecture = "mamba";
  CHECK_THAT(mamba.Refused().message, Says("have no attention"));
}

TEST_CASE("a folder stands for the one GGUF file in it", "[model][gguf]") {
  const TempFolder folder;
  const TinyGguf tiny;
  folder.Write("a.gguf", tiny.Bytes());
  const auto model = Model::Open(folder.path());
  REQUIRE(model);
  CHECK((*model)->description().family == "llama");
  folder.Write("b.gguf", tiny.Bytes());
  const auto refused = Model::Open(folder.path());
  REQUIRE_FALSE(refused);
  CHECK_THAT(refused.error().message, Says("holds 2 GGUF files") && Says("a.gguf"));
  CHECK(Model::Open(folder / "b.gguf").has_value());
}

}  // namespace headscope
