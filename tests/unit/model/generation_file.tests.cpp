#include "core/model/generation_file.h"

#include <string>

#include "core/model/config.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace headscope {
namespace {

using test::Says;

ModelDescription Bart(const std::string& settings = "") {
  for (const Family* family : AllFamilies()) {
    if (family->id == "bart") {
      return ParseConfig("{" + settings + std::string(family->example).substr(1), "config.json")
          .value();
    }
  }
  return {};
}

ModelDescription With(const std::string& generation) {
  const test::TempFolder folder;
  folder.Write("generation_config.json", generation);
  ModelDescription model = Bart();
  ReadGenerationFile(folder.path(), &model);
  return model;
}

TEST_CASE("odd values of generation close no model", "[model][generation]") {
  for (const char* settings : {R"({"eos_token_id": [2, 3, null, "x", 1e400]})",
                               R"({"eos_token_id": null, "bos_token_id": null})",
                               R"({"bos_token_id": [0], "decoder_start_token_id": -1})",
                               R"({"max_length": null, "no_repeat_ngram_size": null})",
                               R"({"bos_token_id": 1000000000000000019884624838656})",
                               R"({"temperature": NaN, "top_k": "many", "bad_words_ids": 7})"}) {
    INFO(settings);
    const ModelDescription model = With(settings);
    CHECK(model.generation->choice.unsupported.empty());
    CHECK(model.start_id == 2);
  }
}

TEST_CASE("what makes no target possible is said instead", "[model][generation]") {
  for (const auto& [settings, says] : std::initializer_list<std::pair<const char*, const char*>>{
           {R"({"repetition_penalty": Infinity})", "\"repetition_penalty\" is Infinity"},
           {R"({"max_length": 1000000000000000019884624838656})", "\"max_length\" is 1000000000"},
           {R"({"min_length": -1})", "\"min_length\" is -1"},
           {"[]", "expected a JSON object"},
           {"{", "expected JSON"}}) {
    INFO(settings);
    CHECK_THAT(With(settings).generation->choice.unsupported,
               Says("generation_config.json: ") && Says(says) && Says("give the target"));
  }
  CHECK_THAT(Bart(R"("repetition_penalty": NaN, )").generation->choice.unsupported,
             Says("config.json: \"repetition_penalty\" is NaN"));
}

}  // namespace
}  // namespace headscope
