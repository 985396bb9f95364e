// A GGUF model of a few numbers.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/model/model.h"
#include "tests/support/catch.h"
#include "tests/support/gguf_builder.h"
#include "tests/support/temp_folder.h"

namespace headscope::test {

// A llama of one layer, all weights 0.5; sizes as the file lists them, changed at will.
struct TinyGguf {
  std::map<std::string, std::vector<std::uint64_t>> sizes = {
      {"token_embd.weight", {8, 5}},
      {"output_norm.weight", {8}},
      {"blk.0.attn_norm.weight", {8}},
      {"blk.0.attn_q.weight", {8, 8}},
      {"blk.0.attn_k.weight", {8, 4}},
      {"blk.0.attn_v.weight", {8, 4}},
      {"blk.0.attn_output.weight", {8, 8}},
      {"blk.0.ffn_norm.weight", {8}},
      {"blk.0.ffn_up.weight", {8, 6}},
      {"blk.0.ffn_gate.weight", {8, 6}},
      {"blk.0.ffn_down.weight", {6, 8}},
  };
  std::map<std::string, std::uint32_t> settings = {
      {"block_count", 1},
      {"embedding_length", 8},
      {"feed_forward_length", 6},
      {"attention.head_count", 2},
      {"attention.head_count_kv", 1},
      {"context_length", 16},
  };
  std::string architecture = "llama";
  float fill = 0.5F;
  GgufBuilder file;

  [[nodiscard]] std::string Bytes() const {
    GgufBuilder whole = file;
    whole.Add("general.architecture", architecture.c_str());
    for (const auto& [key, value] : settings) {
      whole.Add(architecture + "." + key, value);
    }
    whole.Add(architecture + ".attention.layer_norm_rms_epsilon", 1e-5F);
    for (const auto& [name, size] : sizes) {
      std::uint64_t count = 1;
      for (const std::uint64_t one : size) {
        count *= one;
      }
      std::string data;
      for (std::uint64_t i = 0; i < count; ++i) {
        data += Raw(fill);
      }
      whole.AddTensor(name, 0, size, data);
    }
    return whole.Bytes();
  }

  [[nodiscard]] Result<std::shared_ptr<const Model>> Open() const {
    const TempFolder folder;
    return Model::Open(folder.Write("tiny.gguf", Bytes()));
  }

  [[nodiscard]] Error Refused() const {
    const auto model = Open();
    REQUIRE_FALSE(model);
    INFO(model.error().message);
    CHECK(model.error().message.find('\n') == std::string::npos);
    CHECK_THAT(model.error().message, Says("tiny.gguf: "));
    return model.error();
  }
};

}  // namespace headscope::test
