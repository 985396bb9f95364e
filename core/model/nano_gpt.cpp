#include "core/model/nano_gpt.h"

#include <limits>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/counted.h"
#include "core/base/mapped_file.h"
#include "core/base/quote.h"
#include "core/base/stop.h"
#include "core/base/utf8.h"
#include "core/io/json.h"
#include "core/io/json_text.h"
#include "core/io/pickle.h"
#include "core/io/torch_file.h"
#include "core/model/config.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;
using Kind = PickleValue::Kind;

tl::unexpected<Error> Bad(const std::string& name, std::string_view found) {
  return Fail(
      ErrorCode::kFormat,
      fmt::format("{}: {}, expected a dictionary with \"stoi\", a number for each character, "
                  "as nanoGPT's prepare.py writes it",
                  name,
                  found));
}

const PickleValue* FindNumbers(const Pickle& pickle) {
  const PickleValue& root = pickle.Root();
  for (std::size_t i = 0; root.kind == Kind::kDictionary && i < root.items.size(); i += 2) {
    const PickleValue& value = pickle.At(root.items[i + 1]);
    if (pickle.At(root.items[i]).text == "stoi" && value.kind == Kind::kDictionary) {
      return &value;
    }
  }
  return nullptr;
}

// Cuts texts into characters, and refuses those that it has no number for.
class CharacterTokenizer : public Tokenizer {
 public:
  CharacterTokenizer(std::shared_ptr<const Tokenizer> cutter,
                     std::set<std::string, std::less<>> known,
                     std::string name)
      : cutter_(std::move(cutter)), known_(std::move(known)), name_(std::move(name)) {}

  [[nodiscard]] Result<Encoding> Encode(std::string_view text,
                                        const EncodeOptions& options) const override {
    HEADSCOPE_TRY(CheckKnown(text));
    if (options.pair) {
      HEADSCOPE_TRY(CheckKnown(*options.pair));
    }
    return cutter_->Encode(text, options);
  }
  [[nodiscard]] Encoding Describe(std::span<const std::int32_t> ids) const override {
    return cutter_->Describe(ids);
  }
  [[nodiscard]] std::string Spell(std::span<const std::int32_t> ids) const override {
    return cutter_->Spell(ids);
  }
  [[nodiscard]] std::int64_t vocabulary_size() const override { return cutter_->vocabulary_size(); }

 private:
  [[nodiscard]] Status CheckKnown(std::string_view text) const {
    if (FirstInvalidByte(text)) {
      return {};  // which the cutter refuses
    }
    for (const Character& one : Characters(text)) {
      const std::string_view character = text.substr(one.begin, one.end - one.begin);
      if (!known_.contains(character)) {
        return Fail(ErrorCode::kInput,
                    fmt::format("{}: there is no {} among its {}, so the model cannot read it; "
                                "leave it out",
                                name_,
                                Quoted(character),
                                Counted(known_.size(), "character")));
      }
    }
    return {};
  }

  std::shared_ptr<const Tokenizer> cutter_;
  std::set<std::string, std::less<>> known_;
  std::string name_;
};

// Returns the name of the set that it was trained on, which must be a plain one.
Result<std::string> DatasetOf(const fs::path& checkpoint) {
  HEADSCOPE_TRY(const auto file, MappedFile::Open(checkpoint));
  HEADSCOPE_TRY(const auto config, TorchSettings(file.bytes(), checkpoint.string(), "config"));
  HEADSCOPE_TRY(const auto document, JsonDocument::Parse(config.value_or("{}"), "config"));
  HEADSCOPE_TRY(const auto root, JsonObject::Root(document));
  HEADSCOPE_TRY(const auto name, root.String("dataset", std::string()));
  const bool is_plain = name != "." && name != ".." && name.find_first_of("/\\") == name.npos;
  return is_plain ? name : std::string();
}

}  // namespace

Result<ModelDescription> ParseNanoGpt(std::string_view settings, const std::string& name) {
  std::string config(settings);
  config.insert(
      config.find('{') + 1,
      config.find(':') == config.npos ? R"("model_type":"nanogpt")" : R"("model_type":"nanogpt",)");
  HEADSCOPE_TRY(auto model, ParseConfig(config, name));
  model.note =
      "A checkpoint of nanoGPT does not say which form of GELU it was trained with; its later, "
      "exact one is used. Those before June 2023 used the tanh form.";
  return model;
}

Result<std::shared_ptr<const Tokenizer>> ParseCharacters(std::span<const std::byte> bytes,
                                                         const std::string& name) {
  HEADSCOPE_TRY(const auto pickle, ParsePickle(bytes, {}, name));
  const PickleValue* numbers = FindNumbers(pickle);
  if (numbers == nullptr || numbers->items.empty()) {
    return Bad(name, "holds no characters");
  }
  nlohmann::json vocabulary = nlohmann::json::object();
  std::set<std::string, std::less<>> known;
  for (std::size_t i = 0; i < numbers->items.size(); i += 2) {
    const PickleValue& character = pickle.At(numbers->items[i]);
    const PickleValue& number = pickle.At(numbers->items[i + 1]);
    if (character.kind != Kind::kText || character.text.empty() ||
        FirstInvalidByte(character.text) || number.kind != Kind::kInteger || number.integer < 0 ||
        number.integer > std::numeric_limits<std::int32_t>::max()) {
      return Bad(name, "holds something else than characters with numbers");
    }
    vocabulary[std::string(character.text)] = number.integer;
    known.emplace(character.text);
  }
  // Words are for the eye: each is cut into its characters.
  const nlohmann::ordered_json tokenizer = {
      {"pre_tokenizer",
       {{"type", "Split"},
        {"pattern", {{"Regex", "\\w+|[^\\w\\s]+|\\s+"}}},
        {"behavior", "Isolated"},
        {"invert", false}}},
      {"decoder", {{"type", "Fuse"}}},
      {"model",
       {{"type", "BPE"}, {"vocab", vocabulary}, {"merges", nlohmann::ordered_json::array()}}}};
  HEADSCOPE_TRY(auto cutter, ParseTokenizerJson(JsonText(tokenizer), name));
  return std::make_shared<const CharacterTokenizer>(std::move(cutter), std::move(known), name);
}

Result<std::shared_ptr<const Tokenizer>> LoadCheckpointTokenizer(const fs::path& checkpoint,
                                                                 const std::stop_token& stop) {
  HEADSCOPE_TRY(CheckStop(stop));
  std::error_code error;
  const fs::path folder = fs::absolute(checkpoint, error).parent_path();
  fs::path meta = folder / "meta.pkl";
  if (!fs::exists(meta, error)) {
    const std::string set = DatasetOf(checkpoint).value_or("");
    meta = folder.parent_path() / "data" / set / "meta.pkl";
    if (set.empty() || !fs::exists(meta, error)) {
      return nullptr;
    }
  }
  HEADSCOPE_TRY(const auto file, MappedFile::Open(meta));
  return ParseCharacters(file.bytes(), meta.string());
}

}  // namespace headscope
