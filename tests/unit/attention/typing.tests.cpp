// A text that is edited gives what it would have given if nothing had come before it.
#include <algorithm>
#include <cmath>

#include "tests/support/backends.h"
#include "tests/support/captured.h"
#include "tests/support/catch.h"
#include "tests/support/float_error.h"
#include "tests/support/folders.h"
#include "tests/support/random_input.h"
#include "tests/support/tiny_model.h"

namespace headscope {
namespace {

using test::LargestDifference;
using test::Layers;
using test::RandomIds;
using test::TinyModel;

using Ids = std::vector<std::int32_t>;

// Of a thumbnail's side: some of the texts have more tokens.
constexpr std::int64_t kCells = 9;

// How far two arrays lie apart, in parts of their largest number (of 1, if all are smaller).
double Apart(std::span<const float> left, std::span<const float> right) {
  double largest = 1.0;
  for (const float value : right) {
    if (std::isfinite(value)) {
      largest = std::max(largest, std::abs(static_cast<double>(value)));
    }
  }
  return LargestDifference(left, right) / largest;
}

// Everything that a layer holds and everything that is made from it.
double Apart(const LayerAttention& left, const LayerAttention& right) {
  const LayerAttention::Content& a = left.content();
  const LayerAttention::Content& b = right.content();
  double most = 0.0;
  for (const auto member : {&LayerAttention::Content::queries,
                            &LayerAttention::Content::keys,
                            &LayerAttention::Content::row_max,
                            &LayerAttention::Content::row_inverse_sum}) {
    most = std::max(most, Apart(a.*member, b.*member));
  }
  for (std::size_t head = 0; head < b.thumbnails.size(); ++head) {
    const auto index = static_cast<std::int64_t>(head);
    most = std::max({most,
                     Apart(a.thumbnails[head].mean, b.thumbnails[head].mean),
                     Apart(a.thumbnails[head].max, b.thumbnails[head].max),
                     Apart(test::MapOf(left, index), test::MapOf(right, index))});
  }
  return most;
}

// What a text's layers are in double; in float32, where nothing came before; and in double again,
// rounded by chance as float32 rounds.
struct Judges {
  Layers exact;
  Layers single;
  std::vector<Layers> rounded;
};

// Two results in float32 may each be four times as far from the exact one as chance put it once,
// and softmax rounds in both.
void CheckSame(const Layers& typed, const Layers& fresh, const Judges& judges) {
  REQUIRE(typed.size() == fresh.size());
  for (std::size_t i = 0; i < typed.size(); ++i) {
    const LayerAttention& layer = *typed[i];
    INFO(PartName(layer.part()) << " layer " << layer.layer());
    REQUIRE(layer.part() == fresh[i]->part());
    REQUIRE(layer.layer() == fresh[i]->layer());
    REQUIRE(layer.shape().queries == fresh[i]->shape().queries);
    REQUIRE(layer.shape().keys == fresh[i]->shape().keys);
    REQUIRE(layer.thumbnail(0).pooled == fresh[i]->thumbnail(0).pooled);
    CHECK(layer.rule().offset == 0);
    double of_float = test::SoftmaxBound(layer.shape().keys);
    for (const Layers& rounded : judges.rounded) {
      of_float = std::max(of_float, 4.0 * Apart(*rounded[i], *judges.exact[i]));
    }
    CHECK(Apart(*judges.single[i], *judges.exact[i]) <= of_float);
    CHECK(Apart(layer, *fresh[i]) <= 2.0 * of_float);
  }
}

// In double, and as the window runs.
std::vector<std::unique_ptr<Backend>> Backends() {
  std::vector<std::unique_ptr<Backend>> backends = test::AllBackends();
  backends.erase(backends.begin() + 1);
  return backends;
}

enum class Which { kReference, kOnednn };

// One forward whose texts follow each other, and for each a fresh one beside it.
class Editor {
 public:
  Editor(const std::shared_ptr<const Model>& model, Which which, std::int64_t thumbnail_size = 128)
      : exact_(model, backends_[0].get()),
        single_(model, backends_[1].get()),
        rounded_(model, &rounding_),
        typed_(model, backends_[which == Which::kOnednn ? 1 : 0].get()),
        which_(which) {
    const ModelDescription& about = model->description();
    options_.last_layer =
        std::max(about.layers, about.decoder ? about.decoder->layers : std::int64_t{0}) - 1;
    options_.thumbnail_size = thumbnail_size;
  }

  Layers Type(const ForwardInput& input) { return Run(&typed_, input, options_, &history_); }

  // Types the text and compares it with runs of its own.
  void Check(const ForwardInput& input) {
    Judges judges{
        Run(&exact_, input, options_, nullptr), Run(&single_, input, options_, nullptr), {}};
    for (int run = 0; run < 4; ++run) {
      judges.rounded.push_back(Run(&rounded_, input, options_, nullptr));
    }
    CheckSame(Type(input), which_ == Which::kOnednn ? judges.single : judges.exact, judges);
  }

  // Gives up after so many layers.
  void Abandon(const ForwardInput& input, int layers) {
    const Status status = CaptureAttention(
        &typed_,
        input,
        options_,
        [&](const auto& /*layer*/) -> Status {
          return layers-- > 0 ? Status() : Fail(ErrorCode::kCancelled, "enough");
        },
        {},
        &history_);
    CHECK_FALSE(status.has_value());
  }

  CaptureOptions& options() { return options_; }

  static Layers Run(Forward* forward,
                    const ForwardInput& input,
                    const CaptureOptions& options,
                    AttentionHistory* history) {
    Layers layers;
    const Status status = CaptureAttention(
        forward,
        input,
        options,
        [&](std::shared_ptr<const LayerAttention> layer) -> Status {
          layers.push_back(std::move(layer));
          return {};
        },
        {},
        history);
    INFO((status ? "" : status.error().message));
    REQUIRE(status.has_value());
    return layers;
  }

 private:
  std::vector<std::unique_ptr<Backend>> backends_ = Backends();
  test::RoundingBackend rounding_{{.seed = 1}};
  Forward exact_;
  Forward single_;
  Forward rounded_;
  Forward typed_;
  Which which_;
  AttentionHistory history_;
  CaptureOptions options_;
};

// What people do to a text, one after the other.
std::vector<Ids> Edits(Ids ids, const Ids& more) {
  std::vector<Ids> texts = {ids};
  const auto next = [&] { texts.push_back(ids); };
  ids.push_back(more[0]);  // append
  next();
  ids.insert(ids.end(), more.begin() + 1, more.begin() + 4);
  next();
  next();                      // the same again
  ids.resize(ids.size() - 2);  // delete from the end
  next();
  ids.insert(ids.begin() + 4, more[4]);  // insert in the middle
  next();
  ids.erase(ids.begin() + 2);
  next();
  ids.front() = ids.front() == 3 ? 4 : 3;  // replace the first
  next();
  ids.back() = ids.back() == 3 ? 4 : 3;
  next();
  ids.resize(1);
  next();
  ids.insert(ids.end(), more.begin(), more.end());
  next();
  return texts;
}

template <typename Check>
void ForAllTyped(Check check) {
  for (const Family* family : AllFamilies()) {
    for (const Which which : {Which::kReference, Which::kOnednn}) {
      INFO(family->id << (which == Which::kOnednn ? " on oneDNN" : " on the reference"));
      check(TinyModel(family->example), which);
    }
  }
}

}  // namespace

TEST_CASE("an edited text gives what a fresh run of it gives", "[attention][typing]") {
  ForAllTyped([](const TinyModel& tiny, Which which) {
    const ModelDescription& about = tiny.description;
    const Ids more = RandomIds(about, 6, 22).ids;
    Editor editor(tiny.Open(), which, kCells);
    ForwardInput input;
    if (about.decoder) {
      input.target_ids = RandomIds(*about.decoder, 5, 23).ids;
    }
    for (const Ids& ids : Edits(RandomIds(about, 8, 21).ids, more)) {
      input.ids = ids;
      editor.Check(input);
    }
  });
}

TEST_CASE("an edited target gives what a fresh run of it gives", "[attention][typing]") {
  ForAllTyped([](const TinyModel& tiny, Which which) {
    const ModelDescription& about = tiny.description;
    if (!about.decoder) {
      return;
    }
    const Ids more = RandomIds(*about.decoder, 6, 32).ids;
    ForwardInput input = RandomIds(about, 9, 33);
    Editor editor(tiny.Open(), which, kCells);
    for (const Ids& ids : Edits(RandomIds(*about.decoder, 6, 31).ids, more)) {
      input.target_ids = ids;
      editor.Check(input);
    }
    input.ids.back() = input.ids.back() == 3 ? 4 : 3;
    editor.Check(input);
    input.target_ids.push_back(more[1]);
    editor.Check(input);
  });
}

TEST_CASE("the same text is not computed again, nor the source of another target",
          "[attention][typing]") {
  ForAllTyped([](const TinyModel& tiny, Which which) {
    const ModelDescription& about = tiny.description;
    ForwardInput input = RandomIds(about, 7, 41);
    if (about.decoder) {
      input.target_ids = RandomIds(*about.decoder, 5, 42).ids;
    }
    Editor editor(tiny.Open(), which);
    const Layers first = editor.Type(input);
    CHECK(editor.Type(input) == first);
    if (about.decoder) {
      input.target_ids.push_back(input.target_ids.front());
      const Layers second = editor.Type(input);
      CHECK(std::equal(first.begin(), first.begin() + about.layers, second.begin()));
      CHECK(first.back() != second.back());
    }
  });
}

TEST_CASE("a text that was given up midway does no harm to the next", "[attention][typing]") {
  ForAllTyped([](const TinyModel& tiny, Which which) {
    const ModelDescription& about = tiny.description;
    const auto model = tiny.Open();
    const ForwardInput whole = RandomIds(about, 12, 51);
    for (const int layers : {0, 1, 2}) {
      Editor editor(model, which);
      ForwardInput input = whole;
      if (about.decoder) {
        input.target_ids = RandomIds(*about.decoder, 5, 52).ids;
      }
      editor.Abandon(input, layers);
      input.ids.resize(8);
      editor.Check(input);
      input.ids[5] = input.ids[5] == 3 ? 4 : 3;
      editor.Abandon(input, layers);
      input.ids = whole.ids;
      editor.Check(input);
    }
  });
}

TEST_CASE("a trained model's weights stay within a millionth", "[attention][typing]") {
  const Result<std::shared_ptr<const Model>> model =
      Model::Open(test::SourceFolder() / "assets/models/gpt-h8");
  REQUIRE(model.has_value());
  const Result<std::unique_ptr<Backend>> backend = MakeOnednnBackend();
  REQUIRE(backend.has_value());
  Forward typed(*model, backend->get());
  Forward fresh(*model, backend->get());
  AttentionHistory history;
  CaptureOptions options;
  options.last_layer = (*model)->description().layers - 1;
  ForwardInput input = RandomIds((*model)->description(), 60, 81);
  const ForwardInput more = RandomIds((*model)->description(), 12, 82);
  ForwardInput whole = input;
  whole.ids.insert(whole.ids.end(), more.ids.begin(), more.ids.end());
  const auto bounds = test::FloatErrors(*model, whole);
  for (const std::int32_t id : more.ids) {
    input.ids.push_back(id);
    const Layers of_typing = Editor::Run(&typed, input, options, &history);
    const Layers of_fresh = Editor::Run(&fresh, input, options, nullptr);
    for (std::size_t layer = 0; layer < of_fresh.size(); ++layer) {
      for (std::int64_t head = 0; head < (*model)->description().heads; ++head) {
        CHECK(LargestDifference(test::MapOf(*of_typing[layer], head),
                                test::MapOf(*of_fresh[layer], head)) <=
              std::min(1e-6, 2.0 * bounds[layer].maps));
      }
    }
  }
}

// Past the original length every position turns by another angle with each token.
TEST_CASE("positions that change with the length are computed again", "[attention][typing]") {
  const std::string dynamic = R"("rope_scaling": {"rope_type": "dynamic", "factor": 2.0})";
  const std::string longrope = R"("original_max_position_embeddings": 10,
      "rope_scaling": {"rope_type": "longrope", "short_factor": [1.0, 1.1],
                       "long_factor": [2.0, 3.0], "factor": 4.0})";
  for (const std::string& scaling : {dynamic, longrope}) {
    INFO(scaling);
    const TinyModel tiny(R"({"model_type": "llama", "num_hidden_layers": 3, "hidden_size": 12,
        "num_attention_heads": 3, "intermediate_size": 24, "vocab_size": 11,
        "max_position_embeddings": )" +
                         std::string(scaling == dynamic ? "10, " : "40, ") + scaling + "}");
    for (const Which which : {Which::kReference, Which::kOnednn}) {
      Editor editor(tiny.Open(), which);
      ForwardInput input = RandomIds(tiny.description, 8, 61);
      for (int token = 0; token < 6; ++token) {
        input.ids.push_back(token);
        editor.Check(input);
      }
      input.ids.resize(9);
      editor.Check(input);
    }
  }
}

TEST_CASE("segments, given embeddings and other settings are told apart", "[attention][typing]") {
  const TinyModel tiny(R"({"model_type": "bert", "num_hidden_layers": 3, "num_attention_heads": 3,
      "hidden_size": 12, "intermediate_size": 24, "max_position_embeddings": 32, "vocab_size": 11,
      "type_vocab_size": 2, "is_decoder": true})");
  REQUIRE(tiny.description.causal);
  for (const Which which : {Which::kReference, Which::kOnednn}) {
    Editor editor(tiny.Open(), which);
    ForwardInput input = RandomIds(tiny.description, 8, 71);
    editor.Check(input);
    input.segment_ids = {0, 0, 0, 1, 1, 1, 1, 1};
    editor.Check(input);
    input.segment_ids = {0, 0, 0, 0, 0, 1, 1, 1};
    editor.Check(input);

    ForwardInput embedded;
    embedded.embeddings.assign(8 * 12, 0.25F);
    editor.Check(embedded);
    embedded.embeddings[40] = 1.0F;
    editor.Check(embedded);

    editor.options().thumbnail_size = 4;
    editor.Check(embedded);
    editor.options().keep_states = true;
    editor.Check(embedded);
    const Layers with_states = editor.Type(embedded);
    CHECK(with_states[1]->content().attention_output.size() == 8 * 12);
  }
}

}  // namespace headscope
