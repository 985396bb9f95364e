#include "core/attention/attention_tensors.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/base/check.h"
#include "core/base/counted.h"
#include "core/base/half.h"
#include "core/base/quote.h"
#include "core/model/config.h"

namespace headscope {
namespace {

// The names that a part's array may have: as written by `attend`, and as in transformers' outputs.
struct PartNames {
  ModelPart part = ModelPart::kWhole;
  std::array<std::string_view, 2> names;
};
constexpr std::array<PartNames, 4> kParts = {{
    {ModelPart::kWhole, {"attention", "attentions"}},
    {ModelPart::kEncoder, {"encoder", "encoder_attentions"}},
    {ModelPart::kDecoder, {"decoder", "decoder_attentions"}},
    {ModelPart::kCross, {"cross", "cross_attentions"}},
}};

constexpr const char* kExpected = "expected attention [L,H,n,n], [H,n,n] for each layer, or [n,n]";

// A number in a name and the text around it, such as "layer." and ".weights" in "layer.12.weights":
// names with the same text around it form one list.
struct Numbered {
  std::string around;
  std::int64_t number = 0;
  bool is_word = false;  // stands alone, "attn_5", or follows a word for a layer, "layer5"
};

bool EndsInWordForLayer(std::string_view before) {
  constexpr std::array<std::string_view, 5> kWords = {"layer", "layers", "block", "l", "h"};
  const auto is_letter = [](unsigned char letter) { return std::isalnum(letter) != 0; };
  const auto begin = std::find_if_not(before.rbegin(), before.rend(), is_letter).base();
  std::string word(begin, before.end());
  std::ranges::transform(word, word.begin(), [](unsigned char letter) {
    return static_cast<char>(std::tolower(letter));
  });
  return word.empty() || std::ranges::find(kWords, word) != kWords.end();
}

// Returns every number in a name, in order.
std::vector<Numbered> NumbersOf(const std::string& name) {
  const auto is_digit = [](char letter) { return letter >= '0' && letter <= '9'; };
  std::vector<Numbered> numbers;
  for (auto first = std::find_if(name.begin(), name.end(), is_digit); first != name.end();) {
    const auto last = std::find_if_not(first, name.end(), is_digit);
    const auto begin = static_cast<std::size_t>(first - name.begin());
    const auto end = static_cast<std::size_t>(last - name.begin());
    Numbered numbered;
    const auto [stop, error] =
        std::from_chars(name.data() + begin, name.data() + end, numbered.number);
    if (error == std::errc()) {
      numbered.around = name.substr(0, begin) + "#" + name.substr(end);
      numbered.is_word = EndsInWordForLayer(std::string_view(name).substr(0, begin));
      numbers.push_back(std::move(numbered));
    }
    first = std::find_if(last, name.end(), is_digit);
  }
  return numbers;
}

class Finder {
 public:
  Finder(const ArrayFile& file, std::string name) : file_(file), name_(std::move(name)) {}

  Result<std::vector<GivenPart>> Find(const std::string& chosen) const {
    std::vector<GivenPart> parts;
    if (!chosen.empty()) {
      HEADSCOPE_TRY(AddWhole(ModelPart::kWhole, chosen, &parts));
      parts.back().layers = LayerInName(chosen, parts.back());
      return parts;
    }
    for (const PartNames& each : kParts) {
      for (const std::string_view array : each.names) {
        const bool is_new = parts.empty() || parts.back().part != each.part;
        if (is_new && IsThere(array)) {
          HEADSCOPE_TRY(AddWhole(each.part, std::string(array), &parts));
        }
      }
      if (each.part == ModelPart::kWhole && !parts.empty()) {
        AddSinks(&parts.front());
        return parts;  // these names take precedence over all others
      }
    }
    if (parts.empty()) {
      HEADSCOPE_TRY(AddByShape(&parts));
    }
    return parts;
  }

 private:
  [[nodiscard]] bool IsThere(std::string_view array) const {
    return file_.numbers.contains(array) || file_.unreadable.contains(array);
  }

  [[nodiscard]] tl::unexpected<Error> Wrong(const std::string& array,
                                            const TensorView& tensor,
                                            std::string_view expected) const {
    return Fail(ErrorCode::kShape,
                fmt::format("{}: array {} is {} {}, {}",
                            name_,
                            Quoted(array),
                            Name(tensor.type),
                            ShapeText(tensor.shape),
                            expected));
  }

  // Adds one array as layers of [H, n, m].
  Status AddWhole(ModelPart part, const std::string& array, std::vector<GivenPart>* parts) const {
    if (const auto reason = file_.unreadable.find(array); reason != file_.unreadable.end()) {
      return Fail(ErrorCode::kUnsupported, reason->second);
    }
    const auto found = file_.numbers.find(array);
    if (found == file_.numbers.end()) {
      return Fail(
          ErrorCode::kFormat,
          fmt::format("{}: there is no array {}; it holds {}", name_, Quoted(array), Names()));
    }
    const TensorView& tensor = found->second;
    std::vector<std::int64_t> shape = tensor.shape;
    if (shape.size() == 5 && shape[1] == 1) {
      shape.erase(shape.begin() + 1);
    }
    if (shape.size() == 5) {
      return Wrong(array, tensor, "a batch of several texts; save the one to look at, [:, 0]");
    }
    // A matrix is one map, a 3D array the heads of one layer. Matrices that are not square are
    // usually weights of a model.
    if (shape.size() == 2 && (shape[0] == shape[1] || part == ModelPart::kCross)) {
      shape = {1, 1, shape[0], shape[1]};
    } else if (shape.size() == 3) {
      shape = {1, shape[0], shape[1], shape[2]};
    }
    if (shape.size() != 4) {
      return Wrong(array, tensor, kExpected);
    }
    GivenPart added;
    added.part = part;
    added.name = array;
    HEADSCOPE_TRY(CheckSizes(array, tensor, shape, &added));
    const std::size_t bytes = tensor.bytes.size() / static_cast<std::size_t>(shape[0]);
    for (std::int64_t layer = 0; layer < shape[0]; ++layer) {
      TensorView own = tensor;
      own.shape = {shape[1], shape[2], shape[3]};
      own.bytes = tensor.bytes.subspan(static_cast<std::size_t>(layer) * bytes, bytes);
      added.tensors.push_back(std::move(own));
    }
    parts->push_back(std::move(added));
    return {};
  }

  // As `headscope attend` writes them, beside "attention".
  void AddSinks(GivenPart* part) const {
    const auto found = file_.numbers.find("sinks");
    if (found != file_.numbers.end() && IsFloatingPoint(found->second.type) &&
        found->second.shape ==
            std::vector<std::int64_t>{std::ssize(part->tensors), part->heads, part->queries}) {
      part->sinks = found->second;
    }
  }

  Status CheckSizes(const std::string& array,
                    const TensorView& tensor,
                    const std::vector<std::int64_t>& shape,
                    GivenPart* part) const {
    if (!IsFloatingPoint(tensor.type) || IsQuantised(tensor.type)) {
      return Wrong(array, tensor, "expected numbers of type F32, F16, BF16 or F64");
    }
    if (std::ranges::find(shape, 0) != shape.end()) {
      return Wrong(array, tensor, "expected at least one layer, head, query and key");
    }
    if (shape[0] > kMaxLayers || shape[1] > kMaxHeads || shape[0] * shape[1] > kMostGivenMaps) {
      return Wrong(array,
                   tensor,
                   fmt::format("expected at most {} layers, {} heads a layer and {} in all",
                               kMaxLayers,
                               kMaxHeads,
                               kMostGivenMaps));
    }
    part->heads = shape[1];
    part->queries = shape[2];
    part->keys = shape[3];
    return {};
  }

  // Without such a name: takes the only array of maps, or a list with one array per layer.
  Status AddByShape(std::vector<GivenPart>* parts) const {
    std::vector<std::string> maps;
    for (const auto& [array, tensor] : file_.numbers) {
      if (IsMaps(tensor)) {
        maps.push_back(array);
      }
    }
    if (maps.size() == 1) {
      HEADSCOPE_TRY(AddWhole(ModelPart::kWhole, maps.front(), parts));
      parts->back().layers = LayerInName(maps.front(), parts->back());
      return {};
    }
    for (const auto& [around, list] : Lists()) {
      if (list.size() == maps.size()) {
        return AddList(list, parts);
      }
    }
    if (const auto only = OnlyMatrix(); maps.empty() && only) {
      return AddWhole(ModelPart::kWhole, *only, parts);
    }
    if (maps.empty()) {
      return Fail(ErrorCode::kFormat, fmt::format("{}: {}, found {}", name_, kExpected, Names()));
    }
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: holds {} arrays of maps ({}), expected one called \"attention\"; "
                            "choose with --tensor {}",
                            name_,
                            maps.size(),
                            Names(),
                            Quoted(maps.front())));
  }

  static bool IsMaps(const TensorView& tensor) {
    const std::vector<std::int64_t>& shape = tensor.shape;
    return IsFloatingPoint(tensor.type) && shape.size() >= 3 && shape.size() <= 5 &&
           shape[shape.size() - 1] == shape[shape.size() - 2];
  }

  // Returns single-layer arrays whose names differ only in a number, keyed by the text around it.
  [[nodiscard]] std::map<std::string, std::map<std::int64_t, std::string>> Lists() const {
    std::map<std::string, std::map<std::int64_t, std::string>> lists;
    for (const auto& [array, tensor] : file_.numbers) {
      const std::vector<std::int64_t>& shape = tensor.shape;
      if (IsMaps(tensor) && (shape.size() == 3 || (shape.size() == 4 && shape[0] == 1))) {
        for (const Numbered& numbered : NumbersOf(array)) {
          lists[numbered.around].emplace(numbered.number, array);
        }
      }
    }
    return lists;
  }

  // Returns the layer number in a single-layer array's name, or nothing.
  [[nodiscard]] std::vector<std::int64_t> LayerInName(const std::string& array,
                                                      const GivenPart& part) const {
    const std::vector<Numbered> numbers = NumbersOf(array);
    if (part.tensors.size() != 1 || numbers.empty()) {
      return {};
    }
    const auto lists = Lists();
    const auto of_list = std::ranges::find_if(numbers, [&](const Numbered& numbered) {
      const auto list = lists.find(numbered.around);
      return list != lists.end() && list->second.size() > 1;
    });
    const Numbered& chosen = of_list != numbers.end() ? *of_list : numbers.back();
    return chosen.is_word || of_list != numbers.end() ? std::vector{chosen.number}
                                                      : std::vector<std::int64_t>();
  }

  // Returns a square matrix if it is the only one: the map of one head.
  [[nodiscard]] std::optional<std::string> OnlyMatrix() const {
    std::optional<std::string> only;
    for (const auto& [array, tensor] : file_.numbers) {
      if (tensor.shape.size() < 2) {
        continue;
      }
      if (only || tensor.shape.size() != 2 || tensor.shape[0] != tensor.shape[1]) {
        return std::nullopt;
      }
      only = array;
    }
    return only;
  }

  Status AddList(const std::map<std::int64_t, std::string>& layers,
                 std::vector<GivenPart>* parts) const {
    std::vector<GivenPart> each;
    for (const auto& [number, array] : layers) {
      HEADSCOPE_TRY(AddWhole(ModelPart::kWhole, array, &each));
      const GivenPart& first = each.front();
      const GivenPart& own = each.back();
      if (own.heads != first.heads || own.queries != first.queries || own.keys != first.keys) {
        return Wrong(array,
                     file_.numbers.find(array)->second,
                     fmt::format("expected [{},{},{}] as in {}",
                                 first.heads,
                                 first.queries,
                                 first.keys,
                                 Quoted(first.name)));
      }
    }
    HEADSCOPE_CHECK(!each.empty(), "a list has layers");
    GivenPart all = std::move(each.front());
    for (const auto& [layer, name] : layers) {
      all.layers.push_back(layer);
    }
    for (std::size_t i = 1; i < each.size(); ++i) {
      all.tensors.push_back(std::move(each[i].tensors.front()));
    }
    const auto count = static_cast<std::int64_t>(all.tensors.size());
    if (count > kMaxLayers || count * all.heads > kMostGivenMaps) {
      return Fail(ErrorCode::kFormat,
                  fmt::format("{}: holds {} of {}, expected at most {} maps",
                              name_,
                              Counted(count, "layer"),
                              Counted(all.heads, "head"),
                              kMostGivenMaps));
    }
    parts->push_back(std::move(all));
    return {};
  }

  // Returns the names of the file's first few arrays.
  [[nodiscard]] std::string Names() const {
    constexpr std::size_t kMost = 4;
    std::string names;
    std::size_t count = 0;
    for (const auto& [array, tensor] : file_.numbers) {
      if (++count <= kMost) {
        names += fmt::format(
            "{}{} {}", names.empty() ? "" : ", ", Quoted(array), ShapeText(tensor.shape));
      }
    }
    if (count > kMost) {
      names += fmt::format(" and {} more", count - kMost);
    }
    return names.empty() ? "no array of numbers" : names;
  }

  const ArrayFile& file_;
  std::string name_;
};

}  // namespace

Result<std::vector<GivenPart>> FindAttention(const ArrayFile& file,
                                             const std::string& chosen,
                                             const std::string& name) {
  return Finder(file, name).Find(chosen);
}

}  // namespace headscope
