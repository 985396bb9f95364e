#include "core/model/foreign_kind.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fnmatch.h>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/mapped_file.h"
#include "core/base/quote.h"
#include "core/io/json.h"
#include "core/io/zip_file.h"
#include "core/model/config.h"
#include "core/model/model_folder.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostEntries = 10'000;

// --- Kinds by the bytes of a file.

bool StartsWith(std::string_view bytes, std::string_view magic) {
  return bytes.starts_with(magic);
}

bool IsZip(std::string_view bytes) {
  return StartsWith(bytes, {"PK\x03\x04", 4});
}

// Before version 1.6 torch.save wrote a bare pickle; a zip of it that is cut short does not open.
bool IsPickle(std::string_view bytes) {
  if (bytes.size() > 2 && bytes[0] == '\x80' && bytes[1] >= 2 && bytes[1] <= 5) {
    return true;
  }
  if (!IsZip(bytes)) {
    return false;
  }
  constexpr std::string_view kPickled = "data.pkl";
  const auto entries = ListZip(std::as_bytes(std::span(bytes)), "");
  if (!entries) {  // cut short: torch writes the pickle first
    return bytes.substr(0, 256).find(kPickled) != std::string_view::npos;
  }
  return std::ranges::any_of(*entries,
                             [&](const ZipEntry& entry) { return entry.name.ends_with(kPickled); });
}

// A version, then length and letters of the name of a class, "TransformerSpec".
bool IsCTranslate2(std::string_view bytes) {
  constexpr std::size_t kStart = 6;
  if (bytes.size() < kStart || bytes[0] > 16 ||
      bytes.substr(1, 3) != std::string_view("\0\0\0", 3)) {
    return false;
  }
  const auto length = static_cast<std::size_t>(static_cast<unsigned char>(bytes[4]));
  const std::string_view name = bytes.substr(kStart, length);
  return bytes[5] == '\0' && name.size() == length && name.find("Spec") != std::string_view::npos;
}

// llama.cpp's formats before GGUF: "ggml" and its relatives as 32-bit numbers.
bool IsOldGgml(std::string_view bytes) {
  return StartsWith(bytes, "lmgg") || StartsWith(bytes, "fmgg") || StartsWith(bytes, "tjgg") ||
         StartsWith(bytes, "algg");
}

bool IsHdf5(std::string_view bytes) {
  return StartsWith(bytes, "\x89HDF");
}

bool IsPacked(std::string_view bytes) {
  constexpr std::size_t kTarMark = 257;
  return IsZip(bytes) || StartsWith(bytes, "\x1f\x8b") || StartsWith(bytes, "BZh") ||
         StartsWith(bytes,
                    {"\xfd"
                     "7zXZ\0",
                     6}) ||
         StartsWith(bytes, "\x28\xb5\x2f\xfd") || StartsWith(bytes, "7z\xbc\xaf\x27\x1c") ||
         StartsWith(bytes, "Rar!") ||
         (bytes.size() > kTarMark && bytes.substr(kTarMark).starts_with("ustar"));
}

// --- The table.

// What follows the sentence as advice.
enum class Advice {
  kAsWritten,
  kSaveAgain,     // how to save it as safetensors with transformers; `advice` is what to pass
  kMergeAdapter,  // how to merge an adapter into its base
  kNameFolders,   // which folders in it hold models
};

struct ForeignKind {
  // Patterns of names with spaces between them, "*" for any letters; a folder's end in "/". Empty:
  // any file with matching bytes.
  std::string_view names;
  bool (*holds)(std::string_view bytes) = nullptr;  // null: the name decides
  std::string_view what;                            // "is ..."
  std::string_view advice;
  Advice kind = Advice::kAsWritten;
};

constexpr std::string_view kOriginal =
    "open the transformers model that it was made from, its folder or a GGUF file of it";

// Not a file name: KindOf gets this for a folder that holds folders with models.
constexpr std::string_view kFoldersOfModels = "//";

// The first match is used: of several files in a folder it should be the one that the user can do
// most about.
constexpr std::array kForeignKinds = std::to_array<ForeignKind>({
    {.names = "adapter_config.json adapter_model.safetensors adapter_model.bin",
     .what = "an adapter",
     .advice = "",
     .kind = Advice::kMergeAdapter},
    {.names = "consolidated.*",
     .what = "the weights in their makers' own form, with params.json",
     .advice = "fetch the model as transformers reads it, config.json and model.safetensors, which "
               "lie in the same repository or in one of the same name with -hf"},
    {.names = "model_index.json",
     .what = "a pipeline of diffusers, several models that make pictures",
     .advice = "open a language model"},
    {.names = "*.nemo",
     .what = "an archive of NeMo",
     .advice = "convert it to a Hugging Face folder with NeMo's own converters"},
    {.names = "zero_to_fp32.py global_step*/",
     .what = "what DeepSpeed leaves of a training, weights in shares",
     .advice = "join them with the zero_to_fp32.py that lies there, and save the result with "
               "save_pretrained"},
    {.names = "*.distcp pytorch_model_fsdp*/",
     .what = "a sharded checkpoint of a training (FSDP)",
     .advice = "join it with `accelerate merge-weights`, which writes model.safetensors"},
    {.names = kFoldersOfModels, .what = "", .advice = "", .kind = Advice::kNameFolders},
    {.names = "",
     .holds = &IsPickle,
     .what = "a pickle, which can run any code when it is read",
     .advice = "",
     .kind = Advice::kSaveAgain},
    {.names = "*.onnx *.onnx_data onnx/", .what = "a model in ONNX", .advice = kOriginal},
    {.names = "openvino_model.xml openvino_model.bin",
     .what = "a model of OpenVINO",
     .advice = kOriginal},
    {.names = "*.msgpack",
     .what = "weights of Flax",
     .advice = ", from_flax=True",
     .kind = Advice::kSaveAgain},
    {.names = "*.h5 *.keras saved_model.pb *.ckpt.index *.ckpt.meta *.ckpt.data-*",
     .what = "weights of TensorFlow",
     .advice = ", from_tf=True",
     .kind = Advice::kSaveAgain},
    {.names = "",
     .holds = &IsHdf5,
     .what = "weights in HDF5, as TensorFlow and Keras write them",
     .advice = kOriginal},
    {.names = "", .holds = &IsCTranslate2, .what = "a model of CTranslate2", .advice = kOriginal},
    {.names = "",
     .holds = &IsOldGgml,
     .what = "a ggml file, older than GGUF",
     .advice = "fetch the model as GGUF, or open the transformers model that it was made from"},
    {.names = "*.tflite *.mlmodel *.mlpackage/ *.engine *.plan *.pte *.ot *.llamafile",
     .what = "a model built for another program to run",
     .advice = kOriginal},
    {.names = "weights.npz weights.*.npz", .what = "weights of MLX", .advice = kOriginal},
    {.names = "*.npz *.npy",
     .what = "arrays of numpy",
     .advice = "where they are attention, open them in the window or with `headscope render "
               "--attention`"},
    {.names = "",
     .holds = &IsPacked,
     .what = "an archive",
     .advice = "unpack it and open the folder"},
});

bool FitsAny(std::string_view patterns, const std::string& name) {
  while (!patterns.empty()) {
    const std::size_t end = std::min(patterns.find(' '), patterns.size());
    if (fnmatch(std::string(patterns.substr(0, end)).c_str(), name.c_str(), 0) == 0) {
      return true;
    }
    patterns.remove_prefix(std::min(end + 1, patterns.size()));
  }
  return false;
}

// Files in a folder whose bytes are inspected; training leaves some with such names next to
// weights.
constexpr std::string_view kLookedAt = "*.bin *.pt *.pth *.pkl *.ckpt *.ggml *.zip *.tar *.gz *.7z";
constexpr std::string_view kNoWeights =
    "training_args.bin optimizer.* scheduler.* scaler.pt rng_state*.pth";

// --- Sentences.

fs::path FolderOf(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

// Quotes a path for a POSIX shell.
std::string ForShell(const fs::path& path) {
  std::string quoted = "'";
  for (const char letter : path.string()) {
    quoted += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  }
  return quoted + "'";
}

// The command keeps the class with its heads, and the rest of the folder with the tokenizer.
std::string SaveAgain(const fs::path& file, std::string_view told) {
  std::error_code error;
  const fs::path folder = FolderOf(file);
  if (fs::exists(folder / "model.safetensors", error) ||
      fs::exists(folder / "model.safetensors.index.json", error)) {
    return "model.safetensors lies beside it: open the folder";
  }
  const std::string_view trust = told.empty() ? "where you trust it, " : "";
  if (!fs::exists(folder / "config.json", error)) {
    return fmt::format(
        "{}load it in Python and keep it with save_pretrained, which writes "
        "config.json and model.safetensors",
        trust);
  }
  return fmt::format(
      "{}save it again, in the same folder, by transformers{}: python3 -c \"import sys, "
      "transformers as t; f = sys.argv[1]; c = t.AutoConfig.from_pretrained(f); getattr(t, "
      "(c.architectures or ['AutoModel'])[0]).from_pretrained(f{}).save_pretrained(f)\" {}",
      trust,
      told.empty() ? "" : " 4, as 5 does not read it",
      told,
      ForShell(folder));
}

std::string TextOf(const fs::path& file, std::string_view key) {
  const auto document = JsonDocument::Read(file, kMaxConfigBytes);
  if (!document) {
    return {};
  }
  const auto root = JsonObject::Root(*document);
  if (!root) {
    return {};
  }
  auto text = root->String(key, std::string());
  return text ? std::move(*text) : std::string();
}

// Returns peft's class for each kind of task.
std::string_view AdapterClass(std::string_view task) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kClasses = {
      {{"CAUSAL_LM", "AutoPeftModelForCausalLM"},
       {"SEQ_2_SEQ_LM", "AutoPeftModelForSeq2SeqLM"},
       {"SEQ_CLS", "AutoPeftModelForSequenceClassification"},
       {"TOKEN_CLS", "AutoPeftModelForTokenClassification"},
       {"QUESTION_ANS", "AutoPeftModelForQuestionAnswering"},
       {"FEATURE_EXTRACTION", "AutoPeftModelForFeatureExtraction"}}};
  const auto* found =
      std::ranges::find(kClasses, task, &std::pair<std::string_view, std::string_view>::first);
  return found == kClasses.end() ? "AutoPeftModel" : found->second;
}

std::string RefuseAdapter(const fs::path& file) {
  const fs::path folder = FolderOf(file);
  const fs::path about = folder / "adapter_config.json";
  const std::string kind = TextOf(about, "peft_type");
  const std::string base = TextOf(about, "base_model_name_or_path");
  const bool merges = kind.empty() || kind.find("LORA") != std::string::npos || kind == "LOHA" ||
                      kind == "LOKR" || kind == "IA3" || kind == "OFT" || kind == "BOFT" ||
                      kind == "VERA";
  std::string sentence = fmt::format(
      "{}: is {} adapter{}, not a whole model",
      folder.string(),
      kind.empty() || kind == "LORA" ? "a LoRA" : fmt::format("a PEFT ({})", Quoted(kind)),
      base.empty() ? "" : " of the model " + Quoted(base));
  if (!merges) {
    return sentence + ", and nothing merges it into its base; open the base model";
  }
  return fmt::format(
      "{}; merge it into its base and open the result: python3 -c \"import sys, peft, transformers "
      "as t; f, to = sys.argv[1:]; m = peft.{}.from_pretrained(f).merge_and_unload(); "
      "m.save_pretrained(to); "
      "t.AutoTokenizer.from_pretrained(m.config._name_or_path).save_pretrained(to)\" {} merged",
      std::move(sentence),
      AdapterClass(TextOf(about, "task_type")),
      ForShell(folder));
}

// Whether a folder inside the given one would open, or be rejected with advice.
bool HoldsModel(const fs::path& folder) {
  std::error_code error;
  const auto has = [&](const char* name) { return fs::exists(folder / name, error); };
  return has("adapter_config.json") || has("ckpt.pt") || has("cfg.json") ||
         (has("config.json") && (has("model.safetensors") || has("model.safetensors.index.json") ||
                                 has("pytorch_model.bin")));
}

std::string NameFolders(const fs::path& folder, std::vector<fs::path> models) {
  const auto step = [](const fs::path& path) {
    return StepOfCheckpoint(path.filename().string()).value_or(-1);
  };
  std::ranges::sort(models, {}, [&](const fs::path& path) { return std::pair(step(path), path); });
  std::error_code error;
  const bool is_sentence_transformer = fs::exists(folder / "modules.json", error);
  const bool is_training =
      std::ranges::all_of(models, [&](const fs::path& path) { return step(path) >= 0; });
  constexpr std::size_t kMost = 4;
  std::string names;
  for (std::size_t i = 0; i < models.size(); ++i) {
    if (i < kMost || i + 1 == models.size()) {
      names += (i == 0                  ? ""
                : i + 1 < models.size() ? ", "
                : i < kMost             ? " and "
                                        : ", ..., ") +
               models[i].filename().string();
    }
  }
  return fmt::format(
      "{}: is {}, {}; open {}{}",
      folder.string(),
      is_sentence_transformer
          ? "a sentence-transformers model whose transformer lies in a folder of its own"
      : is_training ? "the output of a training, which holds checkpoints"
                    : "no model itself, but holds folders with one",
      names,
      models.size() == 1 ? "" : "one of them, such as ",
      models.back().string());
}

Error RefuseAs(const ForeignKind& kind, const fs::path& path) {
  if (kind.kind == Advice::kMergeAdapter) {
    return {ErrorCode::kUnsupported, RefuseAdapter(path)};
  }
  return {ErrorCode::kUnsupported,
          fmt::format("{}: is {}, expected model.safetensors with config.json beside it, or a GGUF "
                      "file; {}",
                      path.string(),
                      kind.what,
                      kind.kind == Advice::kSaveAgain ? SaveAgain(path, kind.advice)
                                                      : std::string(kind.advice))};
}

std::size_t RankOf(std::string_view names) {
  return static_cast<std::size_t>(std::ranges::find(kForeignKinds, names, &ForeignKind::names) -
                                  kForeignKinds.begin());
}

// The first matching kind, as an index into the table; or the error if the file cannot be read.
struct Found {
  std::size_t rank = kForeignKinds.size();
  std::optional<Error> unreadable;
};

Found KindOf(const fs::path& path, const std::string& name, bool by_name_only) {
  Found found;
  std::string_view bytes;
  Result<MappedFile> file = MappedFile();
  if (!by_name_only) {
    file = MappedFile::Open(path);
    if (!file) {
      found.unreadable = std::move(file.error());
      return found;
    }
    bytes = {reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size()};
  }
  for (std::size_t i = 0; i < kForeignKinds.size(); ++i) {
    const ForeignKind& kind = kForeignKinds[i];
    const bool has_name = kind.names.empty() ? !by_name_only : FitsAny(kind.names, name);
    if (has_name && (kind.holds == nullptr || (!by_name_only && kind.holds(bytes)))) {
      found.rank = i;
      return found;
    }
  }
  return found;
}

}  // namespace

std::optional<Error> ForeignFile(const fs::path& file) {
  Found found = KindOf(file, file.filename().string(), false);
  if (found.unreadable) {
    return std::move(found.unreadable);
  }
  return found.rank < kForeignKinds.size()
             ? std::optional(RefuseAs(kForeignKinds[found.rank], file))
             : std::nullopt;
}

std::optional<Error> ForeignName(const fs::path& file) {
  const Found found = KindOf(file, file.filename().string(), true);
  return found.rank < kForeignKinds.size()
             ? std::optional(RefuseAs(kForeignKinds[found.rank], file))
             : std::nullopt;
}

std::optional<Error> ForeignFolder(const fs::path& folder) {
  std::size_t best = kForeignKinds.size();
  fs::path what;
  std::optional<Error> unreadable;
  std::vector<fs::path> models;
  std::size_t seen = 0;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end;
       !error && entry != end && ++seen <= kMostEntries;
       entry.increment(error)) {
    std::error_code ignored;
    const bool is_folder = entry->is_directory(ignored);
    const std::string name = entry->path().filename().string();
    if (is_folder && HoldsModel(entry->path())) {
      models.push_back(entry->path());
    }
    const bool is_looked_at = !is_folder && FitsAny(kLookedAt, name) && !FitsAny(kNoWeights, name);
    Found found = KindOf(entry->path(), is_folder ? name + "/" : name, !is_looked_at);
    if (found.unreadable) {
      unreadable = std::move(found.unreadable);
    }
    if (found.rank < best ||
        (found.rank == best && best < kForeignKinds.size() && entry->path() < what)) {
      best = found.rank;
      what = entry->path();
    }
  }
  const std::size_t named = RankOf(kFoldersOfModels);
  const bool has_config = fs::exists(folder / "config.json", error);
  if (!models.empty() && (best > named && (!has_config || best == kForeignKinds.size()))) {
    return Error{ErrorCode::kUnsupported, NameFolders(folder, std::move(models))};
  }
  return best < kForeignKinds.size() ? std::optional(RefuseAs(kForeignKinds[best], what))
                                     : std::move(unreadable);
}

}  // namespace headscope
