// A file's tensors by plain names: without the prefixes of wrappers (torch.compile, DataParallel,
// FSDP, a model of images and text) and of a family's classes.
//
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
  // `prefixes` may be empty. The weights must outlive it.
  PlainNames(const WeightStore& weights, std::span<const std::string_view> prefixes);

  // Turns "module._orig_mod.model.layers.0.norm.gamma" into "layers.0.norm.weight".
  [[nodiscard]] std::string Plain(std::string_view full) const;
  // Returns the file's names of all tensors that could be meant, the likeliest first.
  [[nodiscard]] const std::vector<std::string>& Find(std::string_view plain) const;
  [[nodiscard]] bool Has(std::string_view plain) const { return !Find(plain).empty(); }

  // Makes a tensor known under another plain name as well.
  void Add(std::string_view plain, const std::string& full);
  // Prefers names with that tensor's prefix, and uses the prefix in messages. Returns false if the
  // file has no such name.
  bool PutFirst(std::string_view plain);
  [[nodiscard]] const std::string& prefix() const { return prefix_; }
  // Whether the prefix is more than a wrapper's: a class of the family saved the file.
  [[nodiscard]] bool has_class_prefix() const;

  [[nodiscard]] const WeightStore& weights() const { return weights_; }
  [[nodiscard]] const TensorView& At(const std::string& full) const { return *weights_.Find(full); }

 private:
  const WeightStore& weights_;
  std::vector<std::string_view> prefixes_;  // without prefixes that every model may have
  std::map<std::string, std::vector<std::string>, std::less<>> full_of_;
  std::string prefix_;
};

}  // namespace headscope
