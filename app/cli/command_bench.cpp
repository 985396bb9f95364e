#include <thread>

#include <fmt/format.h>

#include "app/cli/commands.h"
#include "core/io/json_text.h"
#include "core/worker/bench.h"

namespace headscope {
namespace {

std::string BenchTable(const std::string& heading, const std::vector<BenchCase>& cases) {
  std::string text =
      heading + "\n" +
      fmt::format("{:>8} {:>12} {:>12} {:>12} {:>7} {:>12} {:>11} {:>12} {:>12} {:>13} {:>13}\n",
                  "tokens",
                  "first ms",
                  "median ms",
                  "oneDNN ms",
                  "share",
                  "one more ms",
                  "weights ms",
                  "head off ms",
                  "of forwards",
                  "resident MB",
                  "all maps MB");
  for (const BenchCase& bench : cases) {
    const auto number = [](double value) { return fmt::format("{:.2f}", value); };
    text += fmt::format(
        "{:>8} {:>12.2f} {:>12.2f} {:>12.2f} {:>7.2f} {:>12} {:>11} {:>12} {:>12} {:>13.1f} {:>13.1f}\n",
        bench.tokens,
        bench.first_ms,
        bench.median_ms,
        bench.onednn_ms,
        bench.share,
        bench.appended ? number(bench.appended->milliseconds) : "-",
        bench.appended ? number(bench.appended->weights_ms) : "-",
        bench.head_off ? number(bench.head_off->first_ms) : "-",
        bench.head_off ? number(bench.head_off->first_ms / bench.median_ms) : "-",
        static_cast<double>(bench.resident_bytes) / 1e6,
        static_cast<double>(bench.map_bytes) / 1e6);
  }
  return text;
}

}  // namespace

CommandStatus RunBench(const Options& options) {
  HEADSCOPE_TRY(auto lengths, ParseNumbers(options.tokens, "--tokens", 1, std::int64_t{1} << 24));
  HEADSCOPE_TRY(const auto model, OpenModel(options));
  const std::int64_t positions = model->description().positions;
  const bool by_default = options.tokens == Options{}.tokens;
  if (by_default) {
    std::erase_if(lengths, [&](std::int64_t length) { return length > positions; });
    if (lengths.empty()) {
      lengths.push_back(positions);
    }
  }
  HEADSCOPE_TRY(auto backend, MakeBackend(options));
  Forward forward(model, backend.get());
  std::vector<BenchCase> cases;
  const Precision precision = *ParsePrecision(options.precision);  // MakeBackend accepted it
  for (const std::int64_t length : lengths) {
    HEADSCOPE_TRY(const auto bench, BenchLength(&forward, length, precision));
    cases.push_back(bench);
  }
  const unsigned threads = std::thread::hardware_concurrency();
  if (!options.json) {
    return Print(BenchTable(fmt::format("{}, {}", model->name(), backend->Description()), cases));
  }
  nlohmann::ordered_json json;
  json["model"] = model->name();
  json["threads"] = threads;
  json["precision"] = options.precision;
  json["backend"] = backend->Description();
  json["cases"] = nlohmann::ordered_json::array();
  for (const BenchCase& bench : cases) {
    nlohmann::ordered_json entry;
    entry["tokens"] = bench.tokens;
    entry["first_ms"] = bench.first_ms;
    entry["median_ms"] = bench.median_ms;
    entry["onednn_ms"] = bench.onednn_ms;
    entry["share"] = bench.share;
    entry["resident_bytes"] = bench.resident_bytes;
    entry["map_bytes"] = bench.map_bytes;
    entry["appended_ms"] = nullptr;
    entry["weights_ms"] = nullptr;
    entry["weight_passes"] = nullptr;
    if (bench.appended) {
      entry["appended_ms"] = bench.appended->milliseconds;
      entry["weights_ms"] = bench.appended->weights_ms;
      entry["weight_passes"] = bench.appended->milliseconds / bench.appended->weights_ms;
    }
    entry["head_off_ms"] = nullptr;
    entry["head_off_again_ms"] = nullptr;
    entry["head_off_forwards"] = nullptr;
    if (bench.head_off) {
      entry["head_off_ms"] = bench.head_off->first_ms;
      entry["head_off_again_ms"] = bench.head_off->again_ms;
      entry["head_off_forwards"] = bench.head_off->first_ms / bench.median_ms;
    }
    json["cases"].push_back(std::move(entry));
  }
  return Print(JsonText(json, 1) + "\n");
}

}  // namespace headscope
