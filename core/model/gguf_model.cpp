#include "core/model/gguf_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/base/half.h"
#include "core/base/quote.h"
#include "core/model/config.h"
#include "core/model/family_kit.h"
#include "core/model/gguf_architecture.h"
#include "core/model/model_folder.h"
#include "core/model/tensor_needs.h"
#include "core/model/unknown_tensors.h"
#include "core/text/gguf_vocabulary.h"

namespace headscope {
namespace {

// "blk.3.attn_output.weight": "blk.3."
std::string PrefixOf(const std::string& tensor) {
  const std::size_t number = tensor.find("blk.");
  const std::size_t end = number == std::string::npos ? number : tensor.find('.', number + 4);
  return end == std::string::npos ? std::string() : tensor.substr(0, end + 1);
}

std::string PrefixOf(const LinearNeed& need) {
  return PrefixOf(need.matrices.front().weight.name);
}

// Takes a number off the front of `text`; empty if there is none.
std::string_view TakeNumber(std::string_view* text) {
  const std::size_t end = std::min(text->find_first_not_of("0123456789"), text->size());
  const std::string_view number = text->substr(0, end);
  text->remove_prefix(end);
  return number;
}

// The file's name for `stem`; empty if there is none.
std::string Lookup(std::span<const GgufName> names, std::string_view stem) {
  for (const GgufName& name : names) {
    const std::size_t mark = name.ours.find('#');
    if (mark == std::string_view::npos) {
      if (name.ours == stem) {
        return std::string(name.theirs);
      }
      continue;
    }
    std::string_view rest = stem;
    if (!rest.starts_with(name.ours.substr(0, mark))) {
      continue;
    }
    rest.remove_prefix(mark);
    const std::string_view number = TakeNumber(&rest);
    if (!number.empty() && rest == name.ours.substr(mark + 1)) {
      const std::size_t place = name.theirs.find('#');
      return fmt::format(
          "{}{}{}", name.theirs.substr(0, place), number, name.theirs.substr(place + 1));
    }
  }
  return {};
}

// Translates "layers.3.mlp.up_proj.weight" to "blk.3.ffn_up.weight". A name that no table has stays
// unchanged, and is then reported as missing.
std::string FileName(const GgufArchitecture& architecture, const std::string& name) {
  std::string_view whole = name;
  std::string_view ending = ".weight";  // the file's names all have an ending
  const auto ended = [&](const std::string& theirs) {
    const bool is_whole = theirs.ends_with(".scale") || theirs.ends_with(".bias") ||
                          theirs.ends_with("ssm_a") || theirs.ends_with("ssm_d");
    return is_whole ? theirs : fmt::format("{}{}", theirs, ending);
  };
  for (const std::string_view own : {".weight", ".bias"}) {
    if (whole.ends_with(own)) {
      whole.remove_suffix(own.size());
      ending = own;
      break;
    }
  }
  for (const GgufStack& stack : architecture.stacks) {
    std::string_view stem = whole;
    if (!stem.starts_with(stack.ours)) {
      continue;
    }
    stem.remove_prefix(stack.ours.size());
    const std::string_view layer = TakeNumber(&stem);
    if (layer.empty() || !stem.starts_with('.')) {
      return name;
    }
    const std::string theirs = Lookup(stack.names, stem.substr(1));
    return theirs.empty() ? name : fmt::format("{}{}.{}", stack.theirs, layer, ended(theirs));
  }
  const std::string theirs = Lookup(architecture.names, whole);
  return theirs.empty() ? name : ended(theirs);
}

// In GGUF every matrix is [out, in], and joined queries, keys and values follow each other.
void TurnMatrix(LinearNeed* linear) {
  if (linear->layout == WeightLayout::kInOut) {
    linear->layout = WeightLayout::kOutIn;
    for (LinearNeed::Matrix& matrix : linear->matrices) {
      std::ranges::reverse(matrix.weight.shape);
    }
  }
}

// Joins parts that the family has separately and the file joined.
void JoinParts(const WeightStore& weights, const std::string& prefix, LinearNeed* linear) {
  const std::string joined = prefix + "attn_qkv";
  if (linear->matrices.size() == 1 || weights.Find(joined + ".weight") == nullptr) {
    return;
  }
  std::int64_t out = 0;
  for (const LinearNeed::Matrix& matrix : linear->matrices) {
    out += matrix.weight.rows ? matrix.weight.rows->count : matrix.weight.shape[0];
  }
  const bool has_bias = linear->matrices.front().bias.has_value();
  linear->matrices = {
      {.weight = {joined + ".weight", {out, linear->in}},
       .bias = has_bias ? std::optional(TensorNeed{joined + ".bias", {out}}) : std::nullopt}};
}

// The file's norm weights already include what a family adds to stored ones.
void DropOffset(std::optional<NormNeed>* norm) {
  if (*norm) {
    (*norm)->weight_offset = 0.0;
  }
}

// If the file has no output layer, the token embedding is used. None of the architectures projects.
void FindOutputLayer(const WeightStore& weights, ModelDescription* model) {
  constexpr const char* kOutput = "output.weight";
  const bool has_output = weights.Find(kOutput) != nullptr;
  if (model->generation) {
    model->generation->output.name = has_output ? kOutput : model->token_embedding.name;
  }
  if (!model->output_layer) {
    return;
  }
  OutputLayer& layer = *model->output_layer;
  layer.weight.name = has_output ? kOutput : model->token_embedding.name;
  layer.bias->name = "output.bias";
  if (weights.Find(layer.bias->name) == nullptr) {
    layer.bias.reset();
  }
}

void Adapt(const WeightStore& weights, ModelDescription* model) {
  DropOffset(&model->final_norm);
  for (LayerDescription& layer : model->layer) {
    TurnMatrix(&layer.query_key_value);
    TurnMatrix(&layer.output);
    DropOffset(&layer.query_norm);
    DropOffset(&layer.key_norm);
    TurnMatrix(&layer.mlp_up);
    if (layer.mlp_gate) {
      TurnMatrix(&*layer.mlp_gate);
    }
    TurnMatrix(&layer.mlp_down);
    for (NormPlaces* places : {&layer.attention_norm, &layer.mlp_norm}) {
      DropOffset(&places->before);
      DropOffset(&places->inside);
      DropOffset(&places->after);
    }
    layer.query_key_value.fused_heads = 0;  // in GGUF, queries, keys and values are separate
    JoinParts(weights, PrefixOf(layer.output), &layer.query_key_value);
  }
}

// A model that does not distinguish segments has no such tensor.
void DropMissingTokenTypes(const WeightStore& weights, ModelDescription* model) {
  if (model->token_type_embedding && weights.Find(model->token_type_embedding->name) == nullptr) {
    model->token_type_embedding.reset();
    model->token_types = 0;
  }
}

// Describes experts that a family has in one tensor for all, [experts, in, out], as the file holds
// them: each with matrices of its own, [out, in].
void PartExperts(ModelDescription* model) {
  for (std::size_t layer = 0; layer < model->layer.size(); ++layer) {
    auto& experts = model->layer[layer].experts;
    for (std::size_t i = 0; experts && i < experts->expert.size(); ++i) {
      MlpNeeds& expert = experts->expert[i];
      if (!expert.gate || expert.up.layout != WeightLayout::kInOut) {
        continue;
      }
      const std::int64_t inner = expert.down.in;
      const auto part = [&](std::string_view name, const LinearNeed& of, std::int64_t out) {
        return Product({MatrixPart(fmt::format("layers.{}.mlp.experts.{}.{}", layer, i, name),
                                   of.in,
                                   out,
                                   of.matrices.front().bias ? HasBias::kYes : HasBias::kNo)});
      };
      expert.up = part("up_proj", expert.up, inner);
      expert.gate = part("gate_proj", *expert.gate, inner);
      expert.down = part("down_proj", expert.down, expert.up.in);
    }
  }
}

// Names the parts of a tensor of all experts as tensors of their own.
Status NameParts(const std::string& prefix,
                 std::string_view part,
                 std::string_view ending,
                 std::size_t dimensions,
                 std::int64_t count,
                 WeightStore* weights) {
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < count; ++i) {
    names.push_back(fmt::format("{}{}.{}.{}", prefix, part, i, ending));
  }
  const std::string joined = fmt::format("{}{}_exps.{}", prefix, part, ending);
  const TensorView* tensor = weights->Find(joined);
  if (tensor != nullptr && (tensor->shape.size() != dimensions || tensor->shape.front() != count)) {
    return Fail(ErrorCode::kShape,
                fmt::format("{}: tensor {} is {}, expected {} dimensions, the first for {}; is the "
                            "file whole?",
                            weights->path().string(),
                            Quoted(joined),
                            ShapeText(tensor->shape),
                            dimensions == 3 ? "three" : "two",
                            Counted(count, "expert")));
  }
  weights->SplitParts(joined, names);
  return {};
}

// Experts of a layer lie in three tensors, or in older files each in three of its own. The gate of a
// shared one is a vector.
Status NameExperts(ModelDescription* model, WeightStore* weights) {
  for (const ExpertsDescription* experts : AllExperts(model)) {
    const std::string prefix = PrefixOf(experts->router);
    for (const char* part : {"ffn_gate", "ffn_up", "ffn_down"}) {
      HEADSCOPE_TRY(NameParts(prefix, part, "weight", 3, std::ssize(experts->expert), weights));
      HEADSCOPE_TRY(NameParts(prefix, part, "bias", 2, std::ssize(experts->expert), weights));
    }
    weights->MakeRow(prefix + "ffn_gate_inp_shexp.weight");
  }
  return {};
}

// Gates and what they gate may lie in one tensor, an expert's gates before the rest.
Status JoinGates(WeightStore* weights, ModelDescription* model) {
  constexpr std::string_view kJoined = "ffn_gate_up";
  for (ExpertsDescription* experts : AllExperts(model)) {
    const std::string prefix = PrefixOf(experts->router);
    if (weights->Find(fmt::format("{}{}_exps.weight", prefix, kJoined)) == nullptr) {
      continue;
    }
    HEADSCOPE_TRY(NameParts(prefix, kJoined, "weight", 3, std::ssize(experts->expert), weights));
    for (std::size_t i = 0; i < experts->expert.size(); ++i) {
      MlpNeeds& expert = experts->expert[i];
      const std::int64_t inner = expert.down.in;
      const LinearNeed::Matrix both{
          .weight = {fmt::format("{}{}.{}.weight", prefix, kJoined, i), {2 * inner, expert.up.in}},
          .bias = std::nullopt};
      expert.gate = Product({RowsOf(both, 0, inner)});
      expert.up = Product({RowsOf(both, inner, inner)});
    }
  }
  return {};
}

// Norms of each head's own lie in one tensor: a family that has one for each reads its rows.
void NameHeadNorms(const ModelDescription& model, WeightStore* weights) {
  for (const LayerDescription& one : model.layer) {
    for (const auto& [norm, part] :
         {std::pair(&one.query_norm, "attn_q_norm"), std::pair(&one.key_norm, "attn_k_norm")}) {
      if (!*norm || (*norm)->of_heads.empty() || (*norm)->of_heads.front().rows) {
        continue;
      }
      std::vector<std::string> names;
      for (const TensorNeed& own : (*norm)->of_heads) {
        names.push_back(own.name);
      }
      weights->SplitParts(fmt::format("{}{}.weight", PrefixOf(one.output), part), names);
    }
  }
}

// The file has a convolution's weights without the dimension of 1, and of a memory's fadings the rates.
void AdaptBlocks(const GgufArchitecture& architecture, std::vector<PlainBlock>* blocks) {
  for (PlainBlock& block : *blocks) {
    DropOffset(&block.norm);
    DropOffset(&block.mlp_norm);
    if (block.convolution) {
      block.convolution->taps.shape.erase(block.convolution->taps.shape.begin() + 1);
    }
    if (block.memory) {
      block.memory->taps.shape.erase(block.memory->taps.shape.begin() + 1);
      block.memory->is_log = false;
      block.memory->shape.is_tiled = architecture.tiles_values;
    }
    if (block.memory && block.memory->space) {  // columns and groups are dimensions
      block.memory->fading_log.shape.push_back(1);
      block.memory->space->skip.shape.push_back(1);
      NormNeed& norm = block.memory->norm;
      norm.weight.shape.insert(norm.weight.shape.begin(), 1);
      for (std::size_t group = 0; group < norm.of_heads.size(); ++group) {
        norm.of_heads[group].shape = {std::ssize(norm.of_heads), norm.weight.shape.back()};
        norm.of_heads[group].rows = RowRange{static_cast<std::int64_t>(group), 1};
      }
    }
  }
}

// Other names that a family's tensors may have say nothing in a GGUF file.
void DropStandIns(ModelDescription* model) {
  for (TensorNeed* need : AllNeeds(model)) {
    need->stand_ins.clear();
  }
  if (model->generation) {
    model->generation->output.stand_ins.clear();
  }
}

void MarkInterleaved(const ModelDescription& model, WeightStore* weights) {
  for (const LayerDescription& layer : model.layer) {
    for (const char* name : {"attn_q.weight", "attn_k.weight", "attn_q.bias", "attn_k.bias"}) {
      weights->InterleaveRows(PrefixOf(layer.output) + name, model.head_dim);
    }
  }
}

// Llama 3 scales its angles by factors that the file holds as a tensor.
Status ScaleAngles(const WeightStore& weights, std::vector<double>* inverse_frequency) {
  const TensorView* factors = weights.Find("rope_freqs.weight");
  if (factors == nullptr) {
    return {};
  }
  const std::string& name = weights.path().string();
  const auto pairs = static_cast<std::int64_t>(inverse_frequency->size());
  if (!IsFloatingPoint(factors->type) || factors->shape != std::vector<std::int64_t>{pairs}) {
    return Fail(ErrorCode::kShape,
                fmt::format("{}: tensor \"rope_freqs.weight\" is {} {}, expected F32 [{}]",
                            name,
                            Name(factors->type),
                            ShapeText(factors->shape),
                            pairs));
  }
  std::vector<float> values(inverse_frequency->size());
  ConvertToFloat(*factors, 0, values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i]) || values[i] <= 0.0F) {
      return Fail(ErrorCode::kNumeric,
                  fmt::format("{}: tensor \"rope_freqs.weight\" holds {}, expected numbers above 0",
                              name,
                              values[i]));
    }
    (*inverse_frequency)[i] /= static_cast<double>(values[i]);
  }
  return {};
}

}  // namespace

Result<ModelDescription> DescribeGguf(GgufFile* file) {
  HEADSCOPE_TRY(const auto architecture, FindGgufArchitecture(file->metadata));
  HEADSCOPE_TRY(const auto config, GgufConfig(*file));
  HEADSCOPE_TRY(auto model, ParseConfig(config, file->metadata.name()));
  PartExperts(&model);
  for (TensorNeed* need : AllNeeds(&model)) {
    need->name = FileName(*architecture, need->name);
  }
  DropStandIns(&model);
  for (std::string& part : model.unread) {
    part = FileName(*architecture, part);
  }
  model.unread.emplace_back("cross_attn_rel_b");
  if (const std::string note = CuttingNote(file->metadata); !note.empty()) {
    model.note = model.note.empty() ? note : model.note + " " + note;
  }
  AdaptBlocks(*architecture, &model.blocks_before);
  for (LayerDescription& layer : model.layer) {
    AdaptBlocks(*architecture, &layer.blocks_behind);
  }
  HEADSCOPE_TRY(NameExperts(&model, &file->weights));
  HEADSCOPE_TRY(JoinGates(&file->weights, &model));
  NameHeadNorms(model, &file->weights);
  FindOutputLayer(file->weights, &model);
  DropMissingTokenTypes(file->weights, &model);
  Adapt(file->weights, &model);
  if (architecture->interleaves_queries_and_keys) {
    MarkInterleaved(model, &file->weights);
  }
  for (std::size_t i = 0; i < model.rotary.size(); ++i) {
    if (i == 0 || architecture->scales_angles_of_windows) {
      HEADSCOPE_TRY(ScaleAngles(file->weights, &model.rotary[i].table.inverse_frequency));
    }
  }
  HEADSCOPE_TRY(RefuseUnknown(PlainNames(file->weights, {}), &model));
  return model;
}

Result<std::function<std::string(const std::string& name)>> GgufNames(const GgufFile& file) {
  HEADSCOPE_TRY(const auto architecture, FindGgufArchitecture(file.metadata));
  HEADSCOPE_TRY(const auto config, GgufConfig(file));
  HEADSCOPE_TRY(const auto model, ParseConfig(config, file.metadata.name()));
  const bool is_fused = model.layer.front().query_key_value.fused_heads > 0;
  const std::span<const std::string_view> prefixes = FamilyOf(model).prefixes;
  const WeightStore& weights = file.weights;
  return [=, &weights](const std::string& name) -> std::string {
    for (const std::string_view prefix : prefixes) {
      if (!name.starts_with(prefix)) {
        continue;
      }
      const std::string plain = name.substr(prefix.size());
      const std::string own =
          plain == "lm_head.weight" ? "output.weight" : FileName(*architecture, plain);
      if (weights.Find(own) != nullptr) {
        // The file has queries, keys and values of all heads in turn, not head by head.
        return is_fused && own.find("attn_qkv") != std::string::npos ? std::string() : own;
      }
    }
    return {};
  };
}

std::string CuttingNote(const GgufMetadata& metadata) {
  const auto model = metadata.String("tokenizer.ggml.model", "none");
  const auto kind = metadata.String("tokenizer.ggml.pre", "");
  if (!model || *model != "gpt2" || !kind || !kind->empty()) {
    return {};
  }
  return fmt::format(
      "{}: does not say how a text is cut before its pieces are joined (\"tokenizer.ggml.pre\"), "
      "so it is cut as GPT-2 cuts it; another rule would give other tokens in places",
      metadata.name());
}

std::string CuttingNote(const std::filesystem::path& path) {
  const Result<ModelFiles> files = FindModelFiles(path);
  if (!files || files->kind != ModelFiles::Kind::kGguf) {
    return {};
  }
  const Result<GgufFile> file = GgufFile::Open(files->weights);
  return file ? CuttingNote(file->metadata) : std::string();
}

Result<std::shared_ptr<const Tokenizer>> GgufTokenizer(const GgufMetadata& metadata,
                                                       const std::stop_token& stop) {
  HEADSCOPE_TRY(const auto model, metadata.String("tokenizer.ggml.model", "none"));
  if (model == "none" || model == "no_vocab") {
    return std::shared_ptr<const Tokenizer>();
  }
  GgufVocabulary vocabulary;
  vocabulary.name = metadata.name();
  vocabulary.model = model;
  const auto key = [](std::string_view rest) { return fmt::format("tokenizer.ggml.{}", rest); };
  // Stores a value in `to`, or keeps the first error.
  Status status;
  const auto take = [&status](auto result, auto* to) {
    if (!result) {
      status = status ? PassOn(std::move(result.error())) : status;
    } else {
      *to = std::move(*result);
    }
  };
  take(metadata.String(key("pre"), ""), &vocabulary.pre);
  take(metadata.Strings(key("tokens")), &vocabulary.tokens);
  take(metadata.Floats(key("scores")), &vocabulary.scores);
  take(metadata.Integers(key("token_type")), &vocabulary.types);
  take(metadata.Strings(key("merges")), &vocabulary.merges);
  take(metadata.Bytes(key("precompiled_charsmap")), &vocabulary.charsmap);
  constexpr std::int64_t kMostId = 0x7FFFFFFF;
  for (const auto& [name, to] : {std::pair("bos_token_id", &vocabulary.bos_id),
                                 std::pair("eos_token_id", &vocabulary.eos_id),
                                 std::pair("unknown_token_id", &vocabulary.unknown_id),
                                 std::pair("seperator_token_id", &vocabulary.separator_id),
                                 std::pair("cls_token_id", &vocabulary.cls_id)}) {
    if (metadata.Has(key(name))) {
      take(metadata.Integer(key(name), 0, kMostId), to);
    }
  }
  for (const auto& [name, to] :
       {std::pair("add_bos_token", &vocabulary.add_bos),
        std::pair("add_eos_token", &vocabulary.add_eos),
        std::pair("add_space_prefix", &vocabulary.add_space_prefix),
        std::pair("remove_extra_whitespaces", &vocabulary.remove_extra_whitespaces)}) {
    if (metadata.Has(key(name))) {
      take(metadata.Boolean(key(name)), to);
    }
  }
  HEADSCOPE_TRY(status);
  return MakeTokenizer(vocabulary, stop);
}

}  // namespace headscope
