// A file's tensors by plain names: without what wrappers (torch.compile, DataParallel, FSDP, a
// model of pictures and text) and a family's classes put before them.
//
// Threads  any.
// Cost     names only.
// Source   transformers' from_pretrained, which finds a model's tensors with and without its
//          classes' prefixes; safetensors.torch.save_model, which stores tied tensors once and says
//          in the metadata which name stands for which.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/weight_store.h"

namespace headscope {

class PlainNames {
 public:
  // `prefixes` may be empty. What the weights hold must outlive it.
  PlainNames(const WeightStore& weights, std::span<const std::string_view> prefixes);

  // "module._orig_mod.model.layers.0.norm.gamma" is "layers.0.norm.weight".
  [[nodiscard]] std::string Plain(std::string_view full) const;
  // The file's names of every tensor that could be meant, the likeliest first.
  [[nodiscard]] const std::vector<std::string>& Find(std::string_view plain) const;
  [[nodiscard]] bool Has(std::string_view plain) const { return !Find(plain).empty(); }

  // Finds a tensor under the name of another as well.
  void Add(std::string_view plain, const std::string& full);
  // What stands before that tensor's name goes before the others, and stands in messages. False:
  // the file has no such name.
  bool PutFirst(std::string_view plain);
  [[nodiscard]] const std::string& prefix() const { return prefix_; }
  // More than a wrapper's: a class of the family saved the file.
  [[nodiscard]] bool has_class_prefix() const;

  [[nodiscard]] const WeightStore& weights() const { return weights_; }
  [[nodiscard]] const TensorView& At(const std::string& full) const { return *weights_.Find(full); }

 private:
  const WeightStore& weights_;
  std::vector<std::string_view> prefixes_;  // without what every model may have before them
  std::map<std::string, std::vector<std::string>, std::less<>> full_of_;
  std::string prefix_;
};

}  // namespace headscope
