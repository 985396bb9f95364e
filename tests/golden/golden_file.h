// Golden files: what transformers computed, and the ids that it computed it for.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "core/io/json.h"
#include "core/io/safetensors.h"
#include "core/model/forward.h"
#include "tests/support/catch.h"

namespace headscope::test {

template <typename T>
T Must(Result<T> result) {
  INFO((result ? "" : result.error().message));
  REQUIRE(result.has_value());
  return std::move(*result);
}

// Numbers in the metadata; none where there is no such key.
inline std::vector<std::int32_t> ReadIds(const WeightStore& file, const std::string& key) {
  std::vector<std::int32_t> ids;
  const auto text = file.metadata().find(key);
  if (text == file.metadata().end()) {
    return ids;
  }
  const JsonDocument list = Must(JsonDocument::Parse(text->second, key));
  const std::optional<JsonArray> array = list.root().Array();
  REQUIRE(array.has_value());
  for (const JsonValue id : *array) {
    ids.push_back(static_cast<std::int32_t>(id.Integer().value()));
  }
  return ids;
}

// The numbers of an F32 tensor, [first axis][the rest].
inline std::vector<float> Values(const TensorView& tensor) {
  REQUIRE(tensor.type == DataType::kF32);
  std::vector<float> values(tensor.bytes.size() / sizeof(float));
  std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
  return values;
}

inline const TensorView& Tensor(const WeightStore& file, const std::string& name) {
  const TensorView* tensor = file.Find(name);
  INFO(name);
  REQUIRE(tensor != nullptr);
  return *tensor;
}

}  // namespace headscope::test
