#include "core/model/model.h"

#include <utility>

#include <fmt/format.h>

#include "core/base/mapped_file.h"
#include "core/base/stop.h"
#include "core/base/thread_role.h"
#include "core/io/safetensors.h"
#include "core/io/torch_file.h"
#include "core/model/adapter.h"
#include "core/model/attention_module.h"
#include "core/model/config.h"
#include "core/model/fingerprint.h"
#include "core/model/foreign_config.h"
#include "core/model/generation_file.h"
#include "core/model/gguf_model.h"
#include "core/model/model_cache.h"
#include "core/model/model_folder.h"
#include "core/model/nano_gpt.h"
#include "core/model/packed_experts.h"
#include "core/model/tensor_names.h"
#include "core/model/tensor_needs.h"

namespace headscope {

namespace {

// The parts of a model that each way of storing it gives.
struct Parts {
  ModelDescription description;
  WeightStore weights;
  ModelTokenizers tokenizers;
  MappedFile config;  // empty if the weights hold it
  std::string said;   // used in its place: the options that the model was opened with
};

// Stores the tokenizer, or null and the reason; only cancellation is an error.
Status Take(Result<std::shared_ptr<const Tokenizer>> read,
            std::shared_ptr<const Tokenizer>* to,
            std::string* fault) {
  if (read) {
    *to = std::move(*read);
  } else if (read.error().code == ErrorCode::kCancelled) {
    return PassOn(std::move(read.error()));
  } else {
    *fault = std::move(read.error().message);
  }
  return {};
}

// Loads the tokenizer of the folder, or the one that the model names, from the Hugging Face cache.
Result<std::shared_ptr<const Tokenizer>> FindTokenizer(const ModelFiles& files,
                                                       const std::string& named,
                                                       const std::stop_token& stop) {
  std::vector<std::filesystem::path> folders = {files.folder};
  if (!files.adapter.empty()) {
    folders.insert(folders.begin(), files.adapter);
  }
  if (const auto repository =
          named.empty() ? std::nullopt : FindCachedModel(CacheFolder(), named)) {
    folders.push_back(CurrentSnapshot(*repository).value_or(*repository));
  }
  for (const std::filesystem::path& folder : folders) {
    HEADSCOPE_TRY(auto tokenizer, LoadTokenizer(folder, stop));
    if (tokenizer != nullptr) {
      return tokenizer;
    }
  }
  return nullptr;
}

Result<Parts> OpenFolder(const ModelFiles& files, const std::stop_token& stop) {
  Parts parts;
  HEADSCOPE_TRY(auto config, MappedFile::Open(files.config));
  parts.config = std::move(config);
  const std::span<const std::byte> bytes = parts.config.bytes();
  HEADSCOPE_TRY(auto description,
                ParseConfig({reinterpret_cast<const char*>(bytes.data()), bytes.size()},
                            files.config.string()));
  HEADSCOPE_TRY(auto weights,
                files.kind == ModelFiles::Kind::kShards
                    ? WeightStore::OpenShards(files.weights, stop)
                    : WeightStore::OpenSafetensors(files.weights, stop));
  if (FamilyOf(description).has_packed_experts) {
    HEADSCOPE_TRY(JoinBlocks(&weights));
  }
  HEADSCOPE_TRY(RefuseQuantised(weights.tensors(), weights.path().string()));
  if (!files.adapter.empty()) {
    HEADSCOPE_TRY(const auto merged, AddAdapter(files.adapter, description, &weights, stop));
    description.note += (description.note.empty() ? "" : " ") + merged;
  }
  ReadGenerationFile(files.folder, &description);
  HEADSCOPE_TRY(UseNamesOf(weights, FamilyOf(description).prefixes, &description));
  parts.description = std::move(description);
  parts.weights = std::move(weights);
  ModelTokenizers& made = parts.tokenizers;
  HEADSCOPE_TRY(Take(
      FindTokenizer(files, parts.description.tokenizer_name, stop), &made.source, &made.fault));
  if (parts.description.decoder) {
    std::string fault;
    HEADSCOPE_TRY(Take(LoadTargetTokenizer(files.folder, stop), &made.target, &fault));
    made.has_target = made.target != nullptr || !fault.empty();
    if (made.fault.empty()) {
      made.fault = std::move(fault);
    }
  }
  return parts;
}

// Opens a checkpoint of nanoGPT: the settings are in it, and a file beside it may name characters.
Result<Parts> OpenCheckpoint(const ModelFiles& files, const std::stop_token& stop) {
  const std::string name = files.weights.string();
  HEADSCOPE_TRY(auto weights, WeightStore::OpenSafetensors(files.weights, stop));
  HEADSCOPE_TRY(const auto settings,
                TorchSettings(weights.files().front().mapped.bytes(), name, kCheckpointSettings));
  Parts parts;
  parts.said = settings.value_or("{}");
  HEADSCOPE_TRY(auto description, ParseNanoGpt(parts.said, name));
  HEADSCOPE_TRY(UseNamesOf(weights, FamilyOf(description).prefixes, &description));
  parts.description = std::move(description);
  parts.weights = std::move(weights);
  HEADSCOPE_TRY(Take(LoadCheckpointTokenizer(files.weights, stop),
                     &parts.tokenizers.source,
                     &parts.tokenizers.fault));
  return parts;
}

Result<Parts> OpenGguf(const ModelFiles& files, const std::stop_token& stop) {
  HEADSCOPE_TRY(auto file, GgufFile::Open(files.weights, stop));
  HEADSCOPE_TRY(auto description, DescribeGguf(&file));
  if (!files.adapter.empty()) {
    HEADSCOPE_TRY(const auto names, GgufNames(file));
    HEADSCOPE_TRY(const auto merged,
                  AddAdapter(files.adapter, description, &file.weights, stop, names));
    description.note += (description.note.empty() ? "" : " ") + merged;
  }
  Parts parts;
  HEADSCOPE_TRY(
      Take(GgufTokenizer(file.metadata, stop), &parts.tokenizers.source, &parts.tokenizers.fault));
  parts.description = std::move(description);
  parts.weights = std::move(file.weights);
  return parts;
}

Result<Parts> OpenModule(const ModelFiles& files,
                         const OpenOptions& options,
                         const std::stop_token& stop) {
  HEADSCOPE_TRY(auto weights, WeightStore::OpenSafetensors(files.weights, stop));
  const std::string name = files.weights.string();
  HEADSCOPE_TRY(const auto header,
                ParseSafetensorsBytes(weights.files().front().mapped.bytes(), name));
  HEADSCOPE_TRY(RefuseQuantised(weights.tensors(), name));
  HEADSCOPE_TRY(auto description,
                DescribeAttentionModule({header.tensors, header.metadata, options.heads}, name));
  Parts parts;
  parts.said = fmt::format("num_heads {}", description.heads);
  parts.description = std::move(description);
  parts.weights = std::move(weights);
  return parts;
}

Result<Parts> OpenAny(const ModelFiles& files,
                      const OpenOptions& options,
                      const std::stop_token& stop) {
  if (files.kind == ModelFiles::Kind::kModule) {
    return OpenModule(files, options, stop);
  }
  if (options.heads) {
    return Fail(ErrorCode::kInput,
                fmt::format("{}: the model says how many heads it has; leave --head-count out, it "
                            "is for the state of a torch.nn.MultiheadAttention",
                            files.weights.string()));
  }
  if (files.kind == ModelFiles::Kind::kCheckpoint) {
    return OpenCheckpoint(files, stop);
  }
  return files.kind == ModelFiles::Kind::kGguf ? OpenGguf(files, stop) : OpenFolder(files, stop);
}

// Lets matrices that the file holds the other way round be read as the description has them.
void TurnMatrices(ModelDescription* description, WeightStore* weights) {
  std::vector<const TensorNeed*> needs;
  for (const TensorNeed* need : AllNeeds(description)) {
    needs.push_back(need);
  }
  if (const auto& layer = description->output_layer; layer && layer->is_stored) {
    needs.push_back(&layer->weight);
  }
  for (const TensorNeed* need : needs) {
    if (need->is_turned) {
      weights->Turn(need->name);
    }
  }
}

}  // namespace

Result<std::shared_ptr<const Model>> Model::Open(const std::filesystem::path& path,
                                                 const OpenOptions& options,
                                                 const std::stop_token& stop) {
  CheckNotDrawing("opening a model");
  HEADSCOPE_TRY(CheckStop(stop));
  HEADSCOPE_TRY(const auto files, FindModelFiles(path));
  HEADSCOPE_TRY(auto parts, OpenAny(files, options, stop));
  HEADSCOPE_TRY(const auto summary,
                CheckTensors(&parts.description,
                             parts.weights.tensors(),
                             parts.weights.path().string(),
                             files.config.empty() ? Expectation::kFile : Expectation::kConfig));
  parts.description.precision = summary.precision;
  TurnMatrices(&parts.description, &parts.weights);

  const std::shared_ptr<Model> model(new Model());
  model->folder_ = files.path;
  model->name_ = ModelName(files.path);
  model->parameters_ = summary.parameters;
  const std::span<const std::byte> config = parts.config.bytes();
  HEADSCOPE_TRY(
      auto fingerprint,
      Fingerprint(config.empty() ? std::as_bytes(std::span<const char>(parts.said)) : config,
                  parts.weights,
                  stop));
  model->fingerprint_ = std::move(fingerprint);
  model->description_ = std::move(parts.description);
  model->weights_ = std::move(parts.weights);
  model->tokenizers_ = std::move(parts.tokenizers);
  return model;
}

std::shared_ptr<const Model> Model::WithTensors(const Model& model,
                                                const std::string& what,
                                                ModelDescription description,
                                                TensorMap tensors,
                                                std::shared_ptr<const void> keeper) {
  const std::shared_ptr<Model> changed(new Model());
  changed->folder_ = model.folder_;
  changed->name_ = fmt::format("{} ({})", model.name_, what);
  changed->description_ = std::move(description);
  tensors.insert(model.weights_.tensors().begin(), model.weights_.tensors().end());
  changed->weights_ = WeightStore(model.weights_.path(), {}, std::move(tensors));
  changed->tokenizers_ = model.tokenizers_;
  changed->parameters_ = model.parameters_;
  changed->fingerprint_ = fmt::format("{} {}", model.fingerprint_, what);
  changed->keeper_ = std::move(keeper);
  return changed;
}

Status CheckReadsText(const Model& model, std::string_view instead, TextSide side) {
  if ((side == TextSide::kTarget ? model.target_tokenizer() : model.tokenizer()) != nullptr) {
    return {};
  }
  const std::string& fault = model.tokenizer_fault();
  return Fail(ErrorCode::kInput,
              fault.empty()
                  ? fmt::format("{}: there is no tokenizer beside or in this model, so it cannot "
                                "read text; {}",
                                model.folder().string(),
                                instead)
                  : fmt::format("{}; until its tokenizer can be read, {}", fault, instead));
}

Result<std::shared_ptr<const Tokenizer>> OpenTokenizer(const std::filesystem::path& path) {
  HEADSCOPE_TRY(const auto files, FindModelFiles(path));
  if (files.kind == ModelFiles::Kind::kModule) {
    return nullptr;
  }
  if (files.kind == ModelFiles::Kind::kCheckpoint) {
    return LoadCheckpointTokenizer(files.weights, {});
  }
  if (files.kind != ModelFiles::Kind::kGguf) {
    return FindTokenizer(files, {}, {});
  }
  HEADSCOPE_TRY(const auto file, GgufFile::Open(files.weights));
  return GgufTokenizer(file.metadata);
}

}  // namespace headscope
