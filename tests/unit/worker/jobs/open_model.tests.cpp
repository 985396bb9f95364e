// Opening a model, stopped wherever it looks whether it shall stop: at drawn places, so that every
// long part of it is met.
#include <algorithm>
#include <ctime>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/random.h"
#include "core/base/stop.h"
#include "core/io/gguf.h"
#include "core/model/gguf_model.h"
#include "core/worker/job.h"
#include "tests/support/large_vocabularies.h"
#include "tests/support/temp_folder.h"
#include "tests/support/violations.h"
#include "tests/unit/worker/worker_harness.h"

namespace headscope {
namespace {

using test::Ids;
using test::kBart;
using test::kProbe;

double ProcessorMilliseconds() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
}

// What became of one request that was told to stop at its `stop_at`-th look; 0: never.
struct Ran {
  Status status;
  int looks = 0;
  double longest_ms = 0.0;  // of processor time from one look to the next, or to the end
  std::vector<Event::What> said;
};

Ran RunStopped(const OpenModelRequest& request, int stop_at, Opened* opened) {
  Ran ran;
  std::stop_source stop;
  double before = ProcessorMilliseconds();
  const auto look = [&] {
    const double now = ProcessorMilliseconds();
    ran.longest_ms = std::max(ran.longest_ms, now - before);
    before = now;
    if (++ran.looks == stop_at) {
      stop.request_stop();
    }
  };
  Job job{.opened = opened, .publish = {}, .stop = stop.get_token()};
  job.publish = [&](Event::What what) {
    if (!stop.stop_requested()) {
      ran.said.push_back(std::move(what));
    }
    return !stop.stop_requested();
  };
  const StopWatch watch(look);
  ran.status = request.Run(&job);
  ran.longest_ms = std::max(ran.longest_ms, ProcessorMilliseconds() - before);
  return ran;
}

std::size_t LayersOf(const AttendRequest& request, Opened* opened) {
  std::size_t layers = 0;
  Job job{.opened = opened,
          .publish =
              [&layers](const Event::What& what) {
                layers += std::holds_alternative<LayerReady>(what) ? 1U : 0U;
                return true;
              },
          .stop = {}};
  return request.Run(&job) ? layers : 0;
}

Opened OpenedProbe() {
  Opened opened([](Precision precision) { return MakeOnednnBackend(precision); });
  REQUIRE(RunStopped(OpenModelRequest{kProbe}, 0, &opened).status);
  return opened;
}

// `request` opens if nobody stops it; stopped at any look it ends there, says nothing, and leaves
// open what was open.
void CheckStopsAnywhere(const OpenModelRequest& request, std::uint64_t seed) {
  Opened opened = OpenedProbe();
  const auto before = opened.model();
  Opened other([](Precision precision) { return MakeOnednnBackend(precision); });
  const Ran whole = RunStopped(request, 0, &other);
  INFO(request.folder.string());
  INFO((whole.status ? "" : whole.status.error().message));
  REQUIRE(whole.status);
  REQUIRE(whole.looks > 2);
  RandomStream random(seed);
  std::vector<int> places = {1, whole.looks};
  for (int draw = 0; draw < 10; ++draw) {
    places.push_back(1 + static_cast<int>(random.Below(static_cast<std::uint64_t>(whole.looks))));
  }
  for (const int place : places) {
    INFO("look " << place << " of " << whole.looks);
    const Ran stopped = RunStopped(request, place, &opened);
    REQUIRE_FALSE(stopped.status);
    CHECK(stopped.status.error().code == ErrorCode::kCancelled);
    CHECK(stopped.looks == place);
    CHECK(stopped.said.empty());
    CHECK(opened.model() == before);
    CHECK(std::max(stopped.longest_ms, whole.longest_ms) < 50.0);
  }
  CHECK(LayersOf(Ids({5, 6, 7}), &opened) == 2);  // the probe's
}

// A folder with a small model and these tokenizer files in place of its own.
void WithTokenizer(const test::TempFolder& folder,
                   const std::vector<std::pair<const char*, std::string>>& files) {
  for (const char* name : {"config.json", "model.safetensors"}) {
    std::filesystem::copy_file(kProbe / name, folder / name);
  }
  for (const auto& [name, text] : files) {
    folder.Write(name, text);
  }
}

TEST_CASE("opening is stopped wherever it looks, whatever its tokenizer is", "[session][stop]") {
  const test::TempFolder folder;
  const int kind = GENERATE(range(0, 7));
  switch (kind) {
    case 0:
      WithTokenizer(folder, {{"tokenizer.json", test::BpeJson()}});
      break;
    case 1:
      WithTokenizer(folder, {{"tokenizer.json", test::UnigramJson()}});
      break;
    case 2:
      WithTokenizer(folder, {{"tokenizer.json", test::WordPieceJson()}});
      break;
    case 3:
      WithTokenizer(folder, {{"vocab.txt", test::VocabText()}});
      break;
    case 4: {
      const std::vector<std::string> pieces = test::ManyPieces();
      WithTokenizer(folder,
                    {{"vocab.json", test::IdsAsJson(pieces)},
                     {"merges.txt", fmt::format("{}", fmt::join(test::MergesOf(pieces), "\n"))}});
      break;
    }
    default:
      WithTokenizer(folder,
                    {{"tokenizer.model", test::SentencePieceFile(kind == 5 ? '\1' : '\2')}});
  }
  CheckStopsAnywhere(OpenModelRequest{folder.path()}, static_cast<std::uint64_t>(kind));
}

TEST_CASE("the vocabulary of a GGUF file is stopped wherever it looks", "[session][stop]") {
  const std::string model = GENERATE(as<std::string>(), "gpt2", "llama", "t5", "bert");
  test::GgufBuilder file;
  test::AddVocabulary(model, &file);
  const std::string bytes = file.Bytes();
  const auto load = [&bytes](int stop_at, int* looks) -> Status {
    std::stop_source stop;
    const StopWatch watch([&] {
      if (++*looks == stop_at) {
        stop.request_stop();
      }
    });
    const auto parsed =
        ParseGgufBytes(std::as_bytes(std::span(bytes)), "many.gguf", stop.get_token());
    HEADSCOPE_TRY(parsed);
    const auto tokenizer = GgufTokenizer(parsed->metadata, stop.get_token());
    HEADSCOPE_TRY(tokenizer);
    return {};
  };
  int whole = 0;
  REQUIRE(load(0, &whole));
  REQUIRE(whole > 10);
  RandomStream random(3);
  for (int draw = 0; draw < 10; ++draw) {
    const int place = 1 + static_cast<int>(random.Below(static_cast<std::uint64_t>(whole)));
    INFO(model << ", look " << place << " of " << whole);
    int looks = 0;
    const Status stopped = load(place, &looks);
    REQUIRE_FALSE(stopped);
    CHECK(stopped.error().code == ErrorCode::kCancelled);
    CHECK(looks == place);
  }
}

TEST_CASE("opening an encoder-decoder and the state of a module stops, too", "[session][stop]") {
  CheckStopsAnywhere(OpenModelRequest{kBart}, 1);
  OpenModelRequest module{test::SourceFolder() / "tests/golden/modules/fused_plain" /
                          "module.safetensors"};
  module.options.heads = 2;
  CheckStopsAnywhere(module, 2);
}

TEST_CASE("opening does not belong on the thread that draws", "[session][thread]") {
  Opened opened([](Precision precision) { return MakeOnednnBackend(precision); });
  test::Violations violations;
  const InThreadRole drawing(ThreadRole::kDrawing);
  CHECK(RunStopped(OpenModelRequest{kProbe}, 0, &opened).status);
  CHECK(std::ranges::count(violations.works(), std::string("opening a model")) == 1);
}

}  // namespace
}  // namespace headscope
