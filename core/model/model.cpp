#include "core/model/model.h"

#include <utility>

#include <fmt/format.h>

#include "core/base/mapped_file.h"
#include "core/model/config.h"
#include "core/model/fingerprint.h"
#include "core/model/model_folder.h"
#include "core/model/tensor_needs.h"

namespace headscope {

Result<std::shared_ptr<const Model>> Model::Open(const std::filesystem::path& folder) {
  const Result<ModelFiles> files = FindModelFiles(folder);
  if (!files) {
    return PassOn(files.error());
  }
  const Result<MappedFile> config = MappedFile::Open(files->config);
  if (!config) {
    return PassOn(config.error());
  }
  const std::span<const std::byte> config_bytes = config->bytes();
  Result<ModelDescription> description =
      ParseConfig({reinterpret_cast<const char*>(config_bytes.data()), config_bytes.size()},
                  files->config.string());
  if (!description) {
    return PassOn(std::move(description.error()));
  }
  Result<WeightStore> weights = files->is_sharded ? WeightStore::OpenShards(files->weights)
                                                  : WeightStore::OpenSafetensors(files->weights);
  if (!weights) {
    return PassOn(std::move(weights.error()));
  }
  AddPrefix(FamilyOf(*description).prefixes, weights->tensors(), &*description);
  const Result<TensorSummary> summary =
      CheckTensors(&*description, weights->tensors(), files->weights.string());
  if (!summary) {
    return PassOn(summary.error());
  }
  description->precision = summary->precision;
  Result<std::shared_ptr<const Tokenizer>> tokenizer = LoadTokenizer(folder);
  if (!tokenizer) {
    return PassOn(std::move(tokenizer.error()));
  }

  const std::shared_ptr<Model> model(new Model());
  model->folder_ = folder;
  model->name_ = ModelName(folder);
  model->parameters_ = summary->parameters;
  model->fingerprint_ = Fingerprint(config_bytes, *weights);
  model->description_ = std::move(*description);
  model->weights_ = std::move(*weights);
  model->tokenizer_ = std::move(*tokenizer);
  return model;
}

}  // namespace headscope
