#include "core/model/model_summary.h"

#include <algorithm>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "core/io/gguf.h"
#include "core/io/json.h"
#include "core/model/config.h"
#include "core/model/gguf_model.h"
#include "core/model/model_cache.h"
#include "core/model/model_folder.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

std::uint64_t SizeOf(const fs::path& file) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(file, error);
  return error ? 0 : size;
}

std::uint64_t SizeOfWeights(const ModelFiles& files) {
  if (files.kind != ModelFiles::Kind::kShards) {
    return SizeOf(files.weights);
  }
  // All files of the weights' kind beside the index.
  const std::string index = files.weights.filename().string();
  const fs::path ending = index.find(".bin.") != index.npos ? ".bin" : ".safetensors";
  std::uint64_t bytes = 0;
  std::error_code error;
  for (fs::directory_iterator entry(files.folder, error), end; !error && entry != end;
       entry.increment(error)) {
    bytes += entry->path().extension() == ending ? SizeOf(entry->path()) : 0;
  }
  return bytes;
}

std::string LayoutOf(const ModelDescription& model) {
  const auto heads = [](const StackDescription& stack) {
    return fmt::format("{} head{}", stack.heads, stack.heads == 1 ? "" : "s");
  };
  if (!model.decoder) {
    return fmt::format("{} layer{} × {}", model.layers, model.layers == 1 ? "" : "s", heads(model));
  }
  return fmt::format("{} + {} layers × {}", model.layers, model.decoder->layers, heads(model));
}

std::optional<JsonDocument> ReadConfig(const ModelFiles& files, const std::stop_token& stop) {
  if (files.kind != ModelFiles::Kind::kGguf) {
    auto document = JsonDocument::Read(files.config, kMaxConfigBytes);
    return document ? std::optional(std::move(*document)) : std::nullopt;
  }
  const auto file = GgufFile::Open(files.weights, stop);
  if (!file) {
    return std::nullopt;
  }
  const auto config = GgufConfig(*file);
  if (!config) {
    return std::nullopt;
  }
  auto document = JsonDocument::Parse(*config, files.weights.string());
  return document ? std::optional(std::move(*document)) : std::nullopt;
}

}  // namespace

ModelSummary SummariseModel(const fs::path& path, const std::stop_token& stop) {
  ModelSummary summary;
  const auto files = FindModelFiles(path);
  if (!files || files->kind == ModelFiles::Kind::kModule) {
    return summary;
  }
  summary.bytes = SizeOfWeights(*files);
  const bool is_gguf = files->kind == ModelFiles::Kind::kGguf;
  summary.type = is_gguf ? "GGUF" : "";
  const std::optional<JsonDocument> config = ReadConfig(*files, stop);
  if (!config) {
    return summary;
  }
  const auto root = JsonObject::Root(*config);
  if (!root) {
    return summary;
  }
  if (const auto type = root->String("model_type", std::string())) {
    summary.type = *type + (is_gguf ? " in GGUF" : "");
  }
  if (const auto description = DescribeConfig(*root)) {
    summary.layout = LayoutOf(*description);
  }
  return summary;
}

std::string InWords(const ModelSummary& summary) {
  constexpr double kMega = 1e6;
  std::string words = summary.type;
  const auto add = [&words](const std::string& part) {
    words += (words.empty() ? "" : " · ") + part;
  };
  if (!summary.layout.empty()) {
    add(summary.layout);
  } else if (!summary.type.empty()) {
    add("does not open here");
  }
  if (summary.bytes > 0) {
    const double size = static_cast<double>(summary.bytes) / kMega;
    add(size >= 1000.0 ? fmt::format("{:.1f} GB", size / 1000.0)
        : size >= 10.0 ? fmt::format("{:.0f} MB", size)
                       : fmt::format("{:.1f} MB", std::max(size, 0.1)));
  }
  return words;
}

}  // namespace headscope
