#include "core/io/torch_file.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/base/quote.h"
#include "core/base/stop.h"
#include "core/io/json_text.h"
#include "core/io/pickle.h"
#include "core/io/zip_file.h"

namespace headscope {
namespace {

using Kind = PickleValue::Kind;

constexpr std::string_view kPickled = "data.pkl";
constexpr std::size_t kMostDimensions = 8;

struct Storage {
  std::string_view name;
  DataType type;
};
constexpr std::array<Storage, 10> kStorages = {{{"torch FloatStorage", DataType::kF32},
                                                {"torch HalfStorage", DataType::kF16},
                                                {"torch BFloat16Storage", DataType::kBf16},
                                                {"torch DoubleStorage", DataType::kF64},
                                                {"torch LongStorage", DataType::kI64},
                                                {"torch IntStorage", DataType::kI32},
                                                {"torch ShortStorage", DataType::kI16},
                                                {"torch CharStorage", DataType::kI8},
                                                {"torch ByteStorage", DataType::kU8},
                                                {"torch BoolStorage", DataType::kBool}}};
constexpr std::string_view kTensor = "torch._utils _rebuild_tensor_v2";
constexpr std::string_view kOldTensor = "torch._utils _rebuild_tensor";
constexpr std::string_view kParameter = "torch._utils _rebuild_parameter";

// Every name that the pickle of a state may mention.
constexpr std::array<std::string_view, 15> kNames = [] {
  std::array<std::string_view, 15> names = {
      "collections OrderedDict", kTensor, kOldTensor, kParameter, "torch Size"};
  std::ranges::transform(kStorages, names.begin() + 5, &Storage::name);
  return names;
}();

class StateReader {
 public:
  StateReader(const Pickle& pickle,
              std::map<std::string, std::span<const std::byte>, std::less<>> storages,
              const std::string& file)
      : pickle_(pickle), storages_(std::move(storages)), file_(file) {}

  // The dictionary that holds tensors: one of the root's under a usual name, or the root, which may
  // hold a tensor beside it, such as a loss.
  [[nodiscard]] const PickleValue* FindState() const {
    const PickleValue& root = pickle_.Root();
    for (const std::string_view usual :
         {"state_dict", "model", "model_state_dict", "module", "net"}) {
      for (std::size_t i = 0; root.kind == Kind::kDictionary && i < root.items.size(); i += 2) {
        const PickleValue& value = pickle_.At(root.items[i + 1]);
        if (pickle_.At(root.items[i]).text == usual && HoldsTensors(value)) {
          return &value;
        }
      }
    }
    return HoldsTensors(root) ? &root : nullptr;
  }

  Status ReadAll(const PickleValue& state, TensorMap* tensors, const std::stop_token& stop) const {
    StopPoll poll(stop);
    for (std::size_t i = 0; i < state.items.size(); i += 2) {
      HEADSCOPE_TRY(poll.Check());
      const PickleValue& key = pickle_.At(state.items[i]);
      const PickleValue* call = TensorCall(state.items[i + 1]);
      if (key.kind != Kind::kText || call == nullptr) {
        continue;  // a number or a text that a module remembers
      }
      HEADSCOPE_TRY(auto tensor, Read(std::string(key.text), *call));
      (*tensors)[tensor.name] = tensor;
    }
    return {};
  }

 private:
  [[nodiscard]] bool Calls(const PickleValue& value, std::string_view name) const {
    return value.kind == Kind::kCall &&
           kNames[static_cast<std::size_t>(pickle_.At(value.items.front()).integer)] == name;
  }
  // The call that makes a tensor, by itself or within one that makes it a parameter.
  [[nodiscard]] const PickleValue* TensorCall(std::size_t index) const {
    const PickleValue* value = &pickle_.At(index);
    if (Calls(*value, kParameter) && value->items.size() > 1) {
      value = &pickle_.At(value->items[1]);
    }
    return Calls(*value, kTensor) || Calls(*value, kOldTensor) ? value : nullptr;
  }
  [[nodiscard]] bool HoldsTensors(const PickleValue& value) const {
    if (value.kind != Kind::kDictionary) {
      return false;
    }
    for (std::size_t i = 1; i < value.items.size(); i += 2) {
      if (TensorCall(value.items[i]) != nullptr) {
        return true;
      }
    }
    return false;
  }

  [[nodiscard]] std::optional<std::vector<std::int64_t>> Sizes(std::size_t index) const {
    const PickleValue* tuple = &pickle_.At(index);
    if (Calls(*tuple, "torch Size") && tuple->items.size() == 2) {
      tuple = &pickle_.At(tuple->items[1]);
    }
    if (tuple->kind != Kind::kTuple || tuple->items.size() > kMostDimensions) {
      return std::nullopt;
    }
    std::vector<std::int64_t> sizes;
    for (const std::size_t item : tuple->items) {
      if (pickle_.At(item).kind != Kind::kInteger || pickle_.At(item).integer < 0) {
        return std::nullopt;
      }
      sizes.push_back(pickle_.At(item).integer);
    }
    return sizes;
  }

  // The bytes and the type of what ("storage", type, key, device, count) names.
  Result<std::pair<std::span<const std::byte>, DataType>> FindStorage(const std::string& tensor,
                                                                      std::size_t index) const {
    const PickleValue& elsewhere = pickle_.At(index);
    const PickleValue* id =
        elsewhere.kind == Kind::kElsewhere ? &pickle_.At(elsewhere.items.front()) : nullptr;
    if (id == nullptr || id->kind != Kind::kTuple || id->items.size() < 3 ||
        pickle_.At(id->items[1]).kind != Kind::kName) {
      return Bad(tensor, "names no storage");
    }
    if (id->items.size() > 5 && pickle_.At(id->items[5]).kind != Kind::kNone) {
      return Bad(tensor, "has a storage that is a part of another");
    }
    const std::string_view type =
        kNames[static_cast<std::size_t>(pickle_.At(id->items[1]).integer)];
    const auto* storage = std::ranges::find(kStorages, type, &Storage::name);
    const auto bytes = storages_.find(pickle_.At(id->items[2]).text);
    if (storage == kStorages.end() || bytes == storages_.end()) {
      return Bad(tensor, "has a storage that is not in the file");
    }
    return std::pair(bytes->second, storage->type);
  }

  Result<TensorView> Read(std::string name, const PickleValue& call) const {
    if (call.items.size() < 5) {
      return Bad(name, "has too few arguments");
    }
    HEADSCOPE_TRY(const auto storage, FindStorage(name, call.items[1]));
    const PickleValue& offset = pickle_.At(call.items[2]);
    const auto shape = Sizes(call.items[3]);
    const auto strides = Sizes(call.items[4]);
    if (offset.kind != Kind::kInteger || offset.integer < 0 || !shape || !strides ||
        shape->size() != strides->size()) {
      return Bad(name, "has no sizes as expected");
    }
    const auto bytes = CheckedByteCount(*shape, storage.second);
    const std::uint64_t first = static_cast<std::uint64_t>(offset.integer);
    const std::uint64_t item = ByteSize(storage.second);
    if (!bytes || first > storage.first.size() / item ||
        *bytes > storage.first.size() - first * item) {
      return Bad(name, "lies beyond the bytes of its storage");
    }
    std::int64_t expected = 1;
    for (std::size_t i = shape->size(); i-- > 0;) {
      if (*bytes > 0 && (*shape)[i] > 1 && (*strides)[i] != expected) {
        return Fail(ErrorCode::kUnsupported,
                    fmt::format("{}: tensor {} is a view whose numbers lie in another order than "
                                "its rows; call .contiguous() on it and save again",
                                file_,
                                Quoted(name)));
      }
      expected *= std::max<std::int64_t>((*shape)[i], 1);
    }
    return TensorView{.name = std::move(name),
                      .type = storage.second,
                      .shape = *shape,
                      .bytes = storage.first.subspan(first * item, *bytes)};
  }

  [[nodiscard]] tl::unexpected<Error> Bad(const std::string& tensor, std::string_view what) const {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: tensor {} {}; is the file whole?", file_, Quoted(tensor), what));
  }

  const Pickle& pickle_;
  std::map<std::string, std::span<const std::byte>, std::less<>> storages_;
  const std::string& file_;
};

// The folder in the zip that holds everything, with a slash.
std::optional<std::string_view> FolderOf(const std::vector<ZipEntry>& entries) {
  for (const ZipEntry& entry : entries) {
    const std::string_view name = entry.name;
    if (name.ends_with(kPickled) &&
        (name.size() == kPickled.size() || name[name.size() - kPickled.size() - 1] == '/')) {
      return name.substr(0, name.size() - kPickled.size());
    }
  }
  return std::nullopt;
}

const PickleValue* FindKey(const Pickle& pickle,
                           const PickleValue& dictionary,
                           std::string_view key) {
  if (dictionary.kind != Kind::kDictionary) {
    return nullptr;
  }
  for (std::size_t i = 0; i < dictionary.items.size(); i += 2) {
    const PickleValue& one = pickle.At(dictionary.items[i]);
    if (one.kind == Kind::kText && one.text == key) {
      return &pickle.At(dictionary.items[i + 1]);
    }
  }
  return nullptr;
}

// Writes a dictionary's plain values.
std::string PlainJson(const Pickle& pickle, const PickleValue& dictionary) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (std::size_t i = 0; i < dictionary.items.size(); i += 2) {
    const PickleValue& key = pickle.At(dictionary.items[i]);
    const PickleValue& value = pickle.At(dictionary.items[i + 1]);
    if (key.kind != Kind::kText) {
      continue;
    }
    const std::string name(key.text);
    switch (value.kind) {
      case Kind::kNone:
        json[name] = nullptr;
        break;
      case Kind::kBoolean:
        json[name] = value.integer != 0;
        break;
      case Kind::kInteger:
        json[name] = value.integer;
        break;
      case Kind::kNumber:
        json[name] = value.number;
        break;
      case Kind::kText:
        json[name] = std::string(value.text);
        break;
      default:
        break;
    }
  }
  return JsonText(json);
}

tl::unexpected<Error> RefuseByteOrder(const std::string& name) {
  return Fail(ErrorCode::kUnsupported,
              fmt::format("{}: its numbers begin with the highest byte, expected the lowest; save "
                          "the state on such a machine",
                          name));
}

// The parts of a torch file: its pickle, and its storages by key.
struct Parts {
  std::span<const std::byte> pickled;
  Pickle pickle;
  std::map<std::string, std::span<const std::byte>, std::less<>> storages;
};

Result<Parts> OpenZip(std::span<const std::byte> bytes, const std::string& name) {
  HEADSCOPE_TRY(const auto entries, ListZip(bytes, name));
  const auto folder = FolderOf(entries);
  if (!folder) {
    return Fail(
        ErrorCode::kFormat,
        fmt::format("{}: there is no data.pkl in it, expected what torch.save writes", name));
  }
  Parts parts;
  for (const ZipEntry& entry : entries) {
    std::string_view inside = entry.name;
    if (!inside.starts_with(*folder)) {
      continue;
    }
    inside.remove_prefix(folder->size());
    const bool is_pickle = inside == kPickled;
    if ((is_pickle || inside.starts_with("data/")) && entry.method != 0) {
      return Fail(ErrorCode::kUnsupported,
                  fmt::format("{}: {} is packed in it, expected it as torch.save writes it; unpack "
                              "the file and save the state again",
                              name,
                              Quoted(entry.name)));
    }
    if (is_pickle) {
      parts.pickled = entry.packed;
    } else if (inside.starts_with("data/")) {
      parts.storages[std::string(inside.substr(5))] = entry.packed;
    } else if (inside == "byteorder" && entry.method == 0 && entry.packed.size() == 3) {
      return RefuseByteOrder(name);  // "big"
    }
  }
  HEADSCOPE_TRY(parts.pickle, ParsePickle(parts.pickled, kNames, name));
  return parts;
}

// A number that torch begins with, and the version of the format, each a pickle of its own.
constexpr std::string_view kOldStart(
    "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.\x80\x02M\xe9\x03.", 21);

bool StartsAsOld(std::span<const std::byte> bytes) {
  return bytes.size() >= kOldStart.size() &&
         std::string_view(reinterpret_cast<const char*>(bytes.data()), kOldStart.size()) ==
             kOldStart;
}

// The types of the storages that tensors of the pickle name.
std::map<std::string_view, DataType> StorageTypes(const Pickle& pickle) {
  std::map<std::string_view, DataType> types;
  for (const PickleValue& value : pickle.values) {
    const PickleValue* id =
        value.kind == Kind::kElsewhere ? &pickle.At(value.items.front()) : nullptr;
    if (id == nullptr || id->kind != Kind::kTuple || id->items.size() < 3 ||
        pickle.At(id->items[1]).kind != Kind::kName) {
      continue;
    }
    const std::string_view name = kNames[static_cast<std::size_t>(pickle.At(id->items[1]).integer)];
    const auto* storage = std::ranges::find(kStorages, name, &Storage::name);
    if (storage != kStorages.end()) {
      types[pickle.At(id->items[2]).text] = storage->type;
    }
  }
  return types;
}

// Before version 1.6: what the machine was like, the state, the keys of its storages, then for each
// of these its count and its numbers.
Result<Parts> OpenOld(std::span<const std::byte> bytes, const std::string& name) {
  std::span<const std::byte> rest = bytes.subspan(kOldStart.size());
  const auto next = [&]() -> Result<Pickle> {
    HEADSCOPE_TRY(
        auto pickle,
        ParsePickle(
            rest.first(std::min<std::size_t>(rest.size(), kMostPickleBytes)), kNames, name));
    rest = rest.subspan(pickle.bytes);
    return pickle;
  };
  HEADSCOPE_TRY(const auto machine, next());
  const PickleValue* order = FindKey(machine, machine.Root(), "little_endian");
  if (order != nullptr && order->kind == Kind::kBoolean && order->integer == 0) {
    return RefuseByteOrder(name);
  }
  Parts parts;
  const std::span<const std::byte> start = rest;
  HEADSCOPE_TRY(parts.pickle, next());
  parts.pickled = start.first(parts.pickle.bytes);
  HEADSCOPE_TRY(const auto keys, next());
  const auto types = StorageTypes(parts.pickle);
  for (const std::size_t item : keys.Root().items) {
    const std::string_view key = keys.At(item).text;
    const auto type = types.find(key);
    std::uint64_t count = 0;
    const bool has_count = rest.size() >= sizeof(count);
    if (has_count) {
      std::memcpy(&count, rest.data(), sizeof(count));
      rest = rest.subspan(sizeof(count));
    }
    const std::uint64_t size = type == types.end() ? 1 : ByteSize(type->second);
    if (!has_count || type == types.end() || count > rest.size() / size) {
      return Fail(
          ErrorCode::kFormat,
          fmt::format("{}: storage {} {}; is the file whole?",
                      name,
                      Quoted(key),
                      type == types.end() ? "belongs to no tensor" : "ends beyond the file"));
    }
    parts.storages[std::string(key)] = rest.first(static_cast<std::size_t>(count * size));
    rest = rest.subspan(static_cast<std::size_t>(count * size));
  }
  return parts;
}

Result<Parts> OpenParts(std::span<const std::byte> bytes, const std::string& name) {
  return StartsAsOld(bytes) ? OpenOld(bytes, name) : OpenZip(bytes, name);
}

}  // namespace

bool IsTorchFile(std::span<const std::byte> bytes) {
  constexpr std::string_view kZip("PK\x03\x04", 4);
  const std::string_view start(reinterpret_cast<const char*>(bytes.data()),
                               std::min<std::size_t>(bytes.size(), kZip.size()));
  if (start != kZip) {
    return StartsAsOld(bytes);
  }
  const auto entries = ListZip(bytes, "");
  return entries && FolderOf(*entries).has_value();
}

Result<SafetensorsHeader> ParseTorchBytes(std::span<const std::byte> bytes,
                                          const std::string& name,
                                          const std::stop_token& stop) {
  HEADSCOPE_TRY(auto parts, OpenParts(bytes, name));
  const std::span<const std::byte> pickled = parts.pickled;
  const StateReader reader(parts.pickle, std::move(parts.storages), name);
  const PickleValue* state = reader.FindState();
  if (state == nullptr) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: holds no dictionary of tensors, expected model.state_dict(), or a "
                            "checkpoint with one as \"state_dict\" or \"model\"",
                            name));
  }
  SafetensorsHeader made{.header = {reinterpret_cast<const char*>(pickled.data()), pickled.size()},
                         .tensors = {},
                         .metadata = {}};
  HEADSCOPE_TRY(reader.ReadAll(*state, &made.tensors, stop));
  return made;
}

Result<std::optional<std::string>> TorchSettings(std::span<const std::byte> bytes,
                                                 const std::string& name,
                                                 std::string_view key) {
  HEADSCOPE_TRY(const auto parts, OpenParts(bytes, name));
  const Pickle& pickle = parts.pickle;
  const PickleValue* found = FindKey(pickle, pickle.Root(), key);
  if (found == nullptr || found->kind != Kind::kDictionary) {
    return std::optional<std::string>();
  }
  return std::optional(PlainJson(pickle, *found));
}

}  // namespace headscope
