#include "core/train/kept_state.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "core/base/digest.h"
#include "core/base/half.h"
#include "core/base/parse_number.h"
#include "core/base/stop.h"
#include "core/io/safetensors.h"
#include "core/train/folder.h"
#include "core/train/record.h"

namespace headscope {
namespace {

constexpr std::string_view kStepPrefix = "step-";

struct NamedNumbers {
  const char* name;
  std::span<const std::byte> bytes;
  DataType type;
  std::int64_t count;
};

std::vector<NamedNumbers> NumbersIn(const TrainState& state, const std::vector<double>& losses) {
  const auto floats = [](const char* name, const std::vector<float>& values) {
    return NamedNumbers{name, std::as_bytes(std::span(values)), DataType::kF32, std::ssize(values)};
  };
  return {floats("weights", state.weights),
          floats("first_moments", state.first),
          floats("second_moments", state.second),
          {"losses", std::as_bytes(std::span(losses)), DataType::kF64, std::ssize(losses)}};
}

// Tells a file whose bytes are not those that were written.
std::string DigestOfState(const std::vector<NamedNumbers>& numbers, std::string_view step) {
  Digest digest;
  digest.Add(step);
  for (const NamedNumbers& one : numbers) {
    digest.AddBytes({reinterpret_cast<const char*>(one.bytes.data()), one.bytes.size()});
  }
  return digest.Text();
}

template <typename Number>
bool ReadValues(const WeightStore& store,
                const char* name,
                DataType type,
                std::vector<Number>* values) {
  const TensorView* const found = store.Find(name);
  if (found == nullptr || found->type != type || found->shape.size() != 1) {
    return false;
  }
  values->resize(static_cast<std::size_t>(found->shape.front()));
  std::memcpy(values->data(), found->bytes.data(), found->bytes.size());
  return true;
}

std::string MetadataOf(const WeightStore& store, std::string_view key) {
  const auto found = store.metadata().find(key);
  return found != store.metadata().end() ? found->second : "";
}

}  // namespace

Status WriteTrainState(const std::filesystem::path& folder,
                       const TrainSettings& settings,
                       const TrainState& state) {
  std::vector<double> losses = {state.first_loss};
  losses.insert(losses.end(), state.recent_losses.begin(), state.recent_losses.end());
  const std::vector<NamedNumbers> numbers = NumbersIn(state, losses);
  std::vector<TensorView> views;
  for (const NamedNumbers& one : numbers) {
    views.push_back({.name = one.name, .type = one.type, .shape = {one.count}, .bytes = one.bytes});
  }
  const std::string step = std::to_string(state.step);
  return WriteSafetensors(folder / kTrainStateFile,
                          views,
                          {{"format", "pt"},
                           {"step", step},
                           {"settings", TrainSettingsText(settings)},
                           {"digest", DigestOfState(numbers, step)}});
}

std::filesystem::path KeptStepFolder(const std::filesystem::path& folder, std::int64_t step) {
  return folder / fmt::format("{}{}", kStepPrefix, step);
}

std::vector<std::pair<std::int64_t, std::filesystem::path>> KeptStepFolders(
    const std::filesystem::path& folder) {
  std::vector<std::pair<std::int64_t, std::filesystem::path>> steps;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with(kStepPrefix)) {
      if (const auto step =
              ParseAs<std::int64_t>(std::string_view(name).substr(kStepPrefix.size()))) {
        steps.emplace_back(*step, entry->path());
      }
    }
  }
  std::ranges::sort(steps, std::ranges::greater());
  return steps;
}

Status WriteKeptStep(const std::filesystem::path& folder,
                     const TrainSettings& settings,
                     const TrainState& state,
                     const std::stop_token& stop) {
  const std::filesystem::path step = KeptStepFolder(folder, state.step);
  std::error_code error;
  std::filesystem::create_directories(step, error);  // what fails is said by what follows
  HEADSCOPE_TRY(WriteTrainState(step, settings, state));
  HEADSCOPE_TRY(CheckStop(stop));
  return WriteTrainFolder(step, settings, state.weights, stop);
}

Result<KeptTrain> ReadTrainState(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / kTrainStateFile;
  HEADSCOPE_TRY(const auto store, WeightStore::OpenSafetensors(path));
  const auto torn = [&](std::string_view what) {
    return Fail(
        ErrorCode::kFormat,
        fmt::format("{}: {}, expected the whole state of a training run", path.string(), what));
  };
  const auto step = ParseAs<std::int64_t>(MetadataOf(store, "step"));
  if (!step || *step < 0) {
    return torn("it names no step");
  }
  KeptTrain kept;
  HEADSCOPE_TRY(kept.settings, ParseTrainSettings(MetadataOf(store, "settings"), path.string()));
  HEADSCOPE_TRY(CheckTrainSettings(kept.settings));
  kept.state.step = *step;
  std::vector<double> losses;
  if (!ReadValues(store, "weights", DataType::kF32, &kept.state.weights) ||
      !ReadValues(store, "first_moments", DataType::kF32, &kept.state.first) ||
      !ReadValues(store, "second_moments", DataType::kF32, &kept.state.second) ||
      !ReadValues(store, "losses", DataType::kF64, &losses) || losses.empty()) {
    return torn("some of its numbers are missing");
  }
  const auto count = static_cast<std::size_t>(MakeTrainLayout(kept.settings.shape).count);
  if (kept.state.weights.size() != count || kept.state.first.size() != count ||
      kept.state.second.size() != count) {
    return torn(
        fmt::format("it has {} weights, its settings make {}", kept.state.weights.size(), count));
  }
  if (DigestOfState(NumbersIn(kept.state, losses), std::to_string(*step)) !=
      MetadataOf(store, "digest")) {
    return torn("its numbers are not those that were written");
  }
  kept.state.first_loss = losses.front();
  kept.state.recent_losses.assign(losses.begin() + 1, losses.end());
  return kept;
}

FoundTrain FindTrainState(const std::filesystem::path& folder) {
  FoundTrain found;
  // The folder's own state may be older than a kept step's, where the run ended between the two.
  Result<KeptTrain> own = ReadTrainState(folder);
  if (own) {
    found.kept = std::move(*own);
  } else {
    found.faults.push_back(own.error().message);
  }
  for (const auto& [step, path] : KeptStepFolders(folder)) {
    if (found.kept && step <= found.kept->state.step) {
      break;
    }
    Result<KeptTrain> kept = ReadTrainState(path);
    if (kept) {
      found.kept = std::move(*kept);
      break;
    }
    std::error_code error;
    if (std::filesystem::exists(path / "config.json", error)) {  // else it was just being written
      found.faults.push_back(kept.error().message);
    }
  }
  return found;
}

}  // namespace headscope
