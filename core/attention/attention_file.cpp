#include "core/attention/attention_file.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "core/attention/attention_check.h"
#include "core/attention/given_layer.h"
#include "core/base/check.h"
#include "core/base/counted.h"
#include "core/base/half.h"
#include "core/model/attention_module.h"
#include "core/model/config.h"
#include "core/model/fingerprint.h"
#include "core/model/model_folder.h"
#include "core/text/token_texts.h"

namespace headscope {
namespace {

// Parses "0-11", "5", "0,3-4" into a list; empty for any other form.
std::optional<std::vector<std::int64_t>> ParseLayerList(std::string_view text) {
  std::set<std::int64_t> layers;
  const auto number = [&](std::int64_t* value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return error == std::errc() && *value >= 0 && *value < kMaxLayers;
  };
  while (true) {
    std::int64_t first = 0;
    if (!number(&first)) {
      return std::nullopt;
    }
    std::int64_t last = first;
    if (text.starts_with('-')) {
      text.remove_prefix(1);
      if (!number(&last)) {
        return std::nullopt;
      }
    }
    for (std::int64_t layer = first; layer <= last; ++layer) {
      layers.insert(layer);
    }
    if (text.empty()) {
      return std::vector<std::int64_t>(layers.begin(), layers.end());
    }
    if (!text.starts_with(',')) {
      return std::nullopt;
    }
    text.remove_prefix(1);
  }
}

// Whether a file says that no query looks ahead: by its own entry, or by its family. Empty if it
// says nothing.
std::optional<bool> SaidCausal(const ArrayFile& file) {
  const std::string said = file.Text("causal");
  if (said == "true" || said == "True" || said == "1") {
    return true;
  }
  if (said == "false" || said == "False" || said == "0") {
    return false;
  }
  const std::string family = file.Text("family");
  for (const Family* known : AllFamilies()) {
    if (known->id == family) {
      const Result<ModelDescription> example = ParseConfig(known->example, "example");
      return example && !example->decoder ? std::optional(example->causal) : std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace

// Fills an AttentionFile step by step.
class AttentionFileMaker {
 public:
  AttentionFileMaker(ArrayFile file, std::string name) : name_(std::move(name)) {
    made_.file_ = std::move(file);
  }

  Result<std::shared_ptr<const AttentionFile>> Make(const std::string& tensor,
                                                    const std::stop_token& stop) {
    HEADSCOPE_TRY(made_.parts_, FindAttention(made_.file_, tensor, name_));
    for (GivenPart& own : made_.parts_) {
      own.layers = LayerNumbers(own);
    }
    HEADSCOPE_TRY(ReadTokens());
    for (GivenPart& own : made_.parts_) {
      HEADSCOPE_TRY(Check(&own, stop));
    }
    made_.precision_ = Name(made_.parts_.front().tensors.front().type);
    const std::string model = made_.file_.Text("model");
    made_.name_ = model.empty() ? ModelName(std::filesystem::path(name_)) : model;
    HEADSCOPE_TRY(made_.fingerprint_,
                  Fingerprint(std::as_bytes(std::span<const char>(made_.file_.header)),
                              WeightStore(made_.file_.path, {}, made_.file_.numbers),
                              stop));
    return std::shared_ptr<const AttentionFile>(new AttentionFile(std::move(made_)));
  }

 private:
  // Takes the layer numbers from the file's list if it matches the longest part (a part with fewer
  // layers takes the first ones); otherwise from the names of arrays; otherwise from 0.
  [[nodiscard]] std::vector<std::int64_t> LayerNumbers(const GivenPart& own) {
    std::size_t most = 0;
    for (const GivenPart& part : made_.parts_) {
      most = std::max(most, part.tensors.size());
    }
    const std::size_t count = own.tensors.size();
    const std::vector<std::int64_t>& named = own.layers;
    auto said = ParseLayerList(made_.file_.Text("layers"));
    if (said && said->size() == most) {
      said->resize(count);
      if (!named.empty() && named != *said && named != LayersFromZero(std::ssize(named))) {
        made_.notes_.push_back(fmt::format(
            "names of arrays number the layers {}, and its \"layers\" are {}; these are shown",
            LayersText(named),
            LayersText(*said)));
      }
      return *said;
    }
    std::vector<std::int64_t> plain = LayersFromZero(static_cast<std::int64_t>(count));
    if (named.empty()) {
      return plain;
    }
    if (named.back() >= kMaxLayers) {
      made_.notes_.push_back(
          fmt::format("names of arrays hold the numbers {}, more than a model has layers; they are "
                      "counted from 0",
                      LayersText(named)));
      return plain;
    }
    if (count > 1 && named.front() == 1 && named.back() == std::ssize(named)) {
      made_.notes_.push_back(fmt::format(
          "it counts its layers from 1: they are called as in the file, L1 to L{}, and none is L0",
          named.back()));
    }
    return named;
  }

  [[nodiscard]] const GivenPart* Part(ModelPart part) const {
    const auto found = std::ranges::find(made_.parts_, part, &GivenPart::part);
    return found != made_.parts_.end() ? &*found : nullptr;
  }

  // Two parts of one text must have equally many rows or columns.
  Status Agree(ModelPart a, std::int64_t size_a, ModelPart b, std::int64_t size_b) const {
    if (size_a == size_b) {
      return {};
    }
    return Fail(ErrorCode::kShape,
                fmt::format("{}: {} is of {} tokens and {} of {}, expected both to be of one text",
                            name_,
                            PartName(a),
                            size_a,
                            PartName(b),
                            size_b));
  }

  Status ReadTokens() {
    if (const GivenPart* whole = Part(ModelPart::kWhole)) {
      made_.encoding_ = Tokens("tokens", "token_ids", whole->queries);
      if (whole->keys != whole->queries || Has("key_tokens")) {
        made_.keys_ = Tokens("key_tokens", "key_ids", whole->keys);
      }
      if (whole->keys != whole->queries && !Has("key_tokens")) {
        made_.notes_.push_back(
            fmt::format("the maps are not square, [{},{}], and no \"key_tokens\" "
                        "say what the columns are",
                        whole->queries,
                        whole->keys));
      }
      return {};
    }
    const GivenPart* encoder = Part(ModelPart::kEncoder);
    const GivenPart* decoder = Part(ModelPart::kDecoder);
    const GivenPart* cross = Part(ModelPart::kCross);
    for (const GivenPart* own : {encoder, decoder}) {
      if (own != nullptr && own->queries != own->keys) {
        return Fail(ErrorCode::kShape,
                    fmt::format("{}: {} is of maps [{},{}], expected as many rows as columns",
                                name_,
                                PartName(own->part),
                                own->queries,
                                own->keys));
      }
    }
    if (encoder != nullptr && cross != nullptr) {
      HEADSCOPE_TRY(Agree(ModelPart::kEncoder, encoder->keys, ModelPart::kCross, cross->keys));
    }
    if (decoder != nullptr && cross != nullptr) {
      HEADSCOPE_TRY(
          Agree(ModelPart::kDecoder, decoder->queries, ModelPart::kCross, cross->queries));
    }
    const std::int64_t length = encoder != nullptr ? encoder->queries
                                : cross != nullptr ? cross->keys
                                                   : 0;
    made_.encoding_ = Tokens("tokens", "token_ids", length);
    if (decoder != nullptr || cross != nullptr) {
      made_.target_ = Tokens(
          "target_tokens", "target_ids", decoder != nullptr ? decoder->queries : cross->queries);
    }
    return {};
  }

  [[nodiscard]] bool Has(std::string_view name) const {
    const ArrayFile& file = made_.file_;
    return file.texts.contains(name) || file.metadata.contains(name) ||
           file.numbers.contains(name) || file.unreadable.contains(name);
  }

  // Makes `count` tokens from the file's texts, or numbers them if it has no matching texts, and
  // notes that.
  std::shared_ptr<const Encoding> Tokens(const std::string& name,
                                         const std::string& ids_name,
                                         std::int64_t count) {
    std::string why;
    const auto texts = made_.file_.Texts(name);
    if (!texts) {
      why = fmt::format("\"{}\" cannot be read ({})", name, texts.error().message);
    } else if (!*texts) {
      why = fmt::format("it holds no \"{}\"", name);
    } else if (static_cast<std::int64_t>((*texts)->size()) != count) {
      why = fmt::format("it holds {} \"{}\" for maps of {}", (*texts)->size(), name, count);
    } else {
      // Tokens that are numbers are used as ids if the file has no ids.
      auto ids = made_.file_.Integers(ids_name);
      if (ids && !*ids) {
        ids = made_.file_.Integers(name);
      }
      const bool has_ids = ids && *ids && static_cast<std::int64_t>((*ids)->size()) == count;
      const auto shown = made_.file_.Texts(name + "_shown");
      const bool has_shown =
          shown && *shown && static_cast<std::int64_t>((*shown)->size()) == count;
      return std::make_shared<const Encoding>(
          DescribeTexts(**texts,
                        has_ids ? **ids : std::vector<std::int64_t>(),
                        has_shown ? **shown : std::vector<std::string>()));
    }
    if (count > 0) {
      made_.notes_.push_back(why + "; they are numbered");
    }
    std::vector<std::int32_t> numbers(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = static_cast<std::int32_t>(i);
    }
    return std::make_shared<const Encoding>(DescribeAsNumbers(numbers));
  }

  Status Check(GivenPart* part, const std::stop_token& stop) {
    HEADSCOPE_TRY(const auto findings, CheckPart(*part, stop));
    for (std::string& sentence : FaultSentences(*part, findings)) {
      made_.notes_.push_back(std::move(sentence));
    }
    DecideMask(findings, part);
    part->windows = Windows(findings, *part);
    return {};
  }

  // Cells after the query are masked if every map leaves them exactly 0.
  void DecideMask(const PartFindings& findings, GivenPart* part) {
    const bool can_be_causal = part->queries == part->keys && part->queries > 1 &&
                               part->part != ModelPart::kEncoder && part->part != ModelPart::kCross;
    if (!can_be_causal) {
      AddMaskNote(*part, "no cell is masked");
      return;
    }
    const std::optional<bool> said = part->part == ModelPart::kWhole
                                         ? SaidCausal(made_.file_)
                                         : std::optional(true);  // a decoder
    const Fault& ahead = findings.looks_ahead;
    if (ahead.count == 0 && said.value_or(true)) {
      part->causal = true;
      AddMaskNote(*part, "cells after the query are masked: every map is exactly 0 there");
      return;
    }
    if (ahead.count == 0) {
      AddMaskNote(*part, "no cell is masked: the file says that it is not causal");
      return;
    }
    AddMaskNote(*part,
                fmt::format("no cell is masked: {} of {} {} a weight after the query",
                            ahead.count,
                            Counted(findings.maps, "map"),
                            ahead.count == 1 ? "has" : "have"));
    const std::string which =
        fmt::format("{} of {} {} at later tokens, first {} at query {} key {}",
                    ahead.count,
                    Counted(findings.maps, "map"),
                    ahead.count == 1 ? "looks" : "look",
                    GivenMapName(part->part,
                                 part->layers[static_cast<std::size_t>(ahead.place.layer)],
                                 ahead.place.head),
                    ahead.place.query,
                    ahead.place.key);
    if (said == true) {
      made_.notes_.push_back(which + ", in a model that is causal");
    } else if (2 * ahead.count <= findings.maps && said != false) {
      made_.notes_.push_back(which + ", which the others never do");
    }
  }

  void AddMaskNote(const GivenPart& part, const std::string& note) {
    if (made_.parts_.size() > 1) {
      made_.mask_note_ +=
          fmt::format("{}{}: {}", made_.mask_note_.empty() ? "" : "; ", PartName(part.part), note);
    } else {
      made_.mask_note_ = note;
    }
  }

  // Returns each layer's window according to the file, if its weights respect it.
  std::vector<std::int64_t> Windows(const PartFindings& findings, const GivenPart& part) const {
    std::vector<std::int64_t> windows(part.layers.size(), 0);
    const auto said = made_.file_.Integers("windows");
    if (!part.causal || !said || !*said || (*said)->size() != windows.size()) {
      return windows;
    }
    for (std::size_t i = 0; i < windows.size(); ++i) {
      const std::int64_t window = (**said)[i];
      windows[i] = window > 0 && findings.reach[i] < window ? window : 0;
    }
    return windows;
  }

  AttentionFile made_;
  std::string name_;
};

Result<std::shared_ptr<const AttentionFile>> AttentionFile::Make(ArrayFile file,
                                                                 const std::string& name,
                                                                 const std::string& tensor,
                                                                 const std::stop_token& stop) {
  return AttentionFileMaker(std::move(file), name).Make(tensor, stop);
}

Result<std::shared_ptr<const AttentionFile>> AttentionFile::Open(const std::filesystem::path& path,
                                                                 const std::string& tensor,
                                                                 const std::stop_token& stop) {
  HEADSCOPE_TRY(auto file, ArrayFile::Open(path));
  return Make(std::move(file), path.string(), tensor, stop);
}

bool HoldsAttention(const std::filesystem::path& path) {
  std::error_code error;
  const std::string ending = path.extension().string();
  if (!std::filesystem::is_regular_file(path, error)) {
    return false;
  }
  // Models do not come in these formats; opening the file reports what is wrong with its arrays.
  if (ending == ".npz" || ending == ".npy") {
    return true;
  }
  if (ending != ".safetensors") {
    return false;
  }
  const Result<ArrayFile> file = ArrayFile::Open(path);
  return file && !ModuleWidth(file->numbers) && FindAttention(*file, "", path.string());
}

Result<std::shared_ptr<const LayerAttention>> AttentionFile::Layer(
    std::size_t part,
    std::size_t layer,
    std::int64_t thumbnail_size,
    const std::stop_token& stop) const {
  HEADSCOPE_CHECK(part < parts_.size() && layer < parts_[part].layers.size(),
                  "the layer is in the file");
  const GivenPart& about = parts_[part];
  LayerAttention::Content content;
  content.part = about.part;
  content.layer = about.layers[layer];
  content.shape = {
      .queries = about.queries, .keys = about.keys, .heads = about.heads, .kv_heads = about.heads};
  content.rule.causal = about.causal;
  content.rule.window = about.windows[layer];
  content.given = GivenWeights{about.tensors[layer], file_.keeper};
  if (about.sinks) {
    content.given->sinks.resize(static_cast<std::size_t>(about.heads * about.queries));
    ConvertToFloat(*about.sinks,
                   static_cast<std::int64_t>(layer) * about.heads * about.queries,
                   content.given->sinks);
  }
  return MakeGivenLayer(std::move(content), thumbnail_size, stop);
}

}  // namespace headscope
