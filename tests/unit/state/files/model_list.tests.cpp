#include "app/state/files/model_list.h"

#include "tests/support/catch.h"
#include "tests/unit/state/state_driver.h"

namespace headscope {
namespace {

LibraryFound SomeModels() {
  LibraryFound library;
  library.bundled = {{"gpt-h8", "/assets/gpt-h8"}, {"english", "/assets/english"}};
  library.recent = {{"gpt-h8", "/assets/gpt-h8"}, {"my-bert", "/home/me/my-bert"}};
  library.cached = {{"acme/gpt", "/cache/models--acme--gpt"}, {"gpt", "/cache/models--gpt"}};
  return library;
}

std::vector<std::string> NamesFound(const AppState& state, std::string_view typed) {
  std::vector<std::string> names;
  for (const ModelChoice& model : FindModels(state, typed)) {
    names.push_back(model.name);
  }
  return names;
}

TEST_CASE("words find models by name and summary, whole names first, each folder once",
          "[state][files]") {
  test::StateDriver driver;
  driver.Do(SomeModels());
  using Names = std::vector<std::string>;
  CHECK(NamesFound(driver.state, "") == Names{});
  CHECK(NamesFound(driver.state, "   ") == Names{});
  CHECK(NamesFound(driver.state, "gPT") == Names{"gpt", "gpt-h8", "acme/gpt"});
  CHECK(NamesFound(driver.state, "gpt acme") == Names{"acme/gpt"});
  CHECK(NamesFound(driver.state, "nothing like it") == Names{});
  CHECK(NamesFound(driver.state, "12 layers") == Names{});
  driver.Do(ModelsLookedAt{{{"/home/me/my-bert", "bert · 12 layers × 2 heads"}}});
  CHECK(NamesFound(driver.state, "12 layers") == Names{"my-bert"});
}

TEST_CASE("a path or an address filters nothing", "[state][files]") {
  test::StateDriver driver;
  driver.Do(SomeModels());
  for (const char* typed :
       {"/gpt", "~/gpt", "./gpt", "../gpt", "  /gpt", "https://huggingface.co/acme/gpt"}) {
    INFO(typed);
    CHECK(LooksLikePath(typed));
    CHECK(FindModels(driver.state, typed).empty());
    driver.Do(EditModelPath{typed});
    CHECK_FALSE(IsFiltered(driver.state));
  }
  driver.Do(EditModelPath{"acme/gpt"});
  CHECK(IsFiltered(driver.state));
}

TEST_CASE("several words that are no path may be a sentence, a name with blanks around it is none",
          "[state][files]") {
  for (const char* typed :
       {"the old girl", "  the old girl gave the captain a map. ", "שלום עולם"}) {
    INFO(typed);
    CHECK(LooksLikeSentence(typed));
  }
  for (const char* typed : {"",
                            "   ",
                            "gpt",
                            " acme/gpt ",
                            "gpt-h8  ",
                            "./my model",
                            "/home/me/my model",
                            "~/my model"}) {
    INFO(typed);
    CHECK_FALSE(LooksLikeSentence(typed));
  }
}

TEST_CASE("a menu opens without the words of the last time, but with a path for another try",
          "[state][files]") {
  const Popup menu = GENERATE(Popup::kModels, Popup::kCompare);
  test::StateDriver driver;
  driver.ShowSomething();
  driver.Do(EditModelPath{"gpt"});
  driver.Do(OpenPopup{menu});
  CHECK(driver.state.dialogs.model_path.empty());
  driver.Do(EditModelPath{"/no/such"});
  driver.Do(OpenPopup{menu});
  CHECK(driver.state.dialogs.model_path == "/no/such");
}

TEST_CASE("every model of the lists is looked at, and a newly opened one again", "[state][files]") {
  test::StateDriver driver;
  driver.Do(SomeModels());
  REQUIRE(driver.Last<LookAtModels>() != nullptr);
  CHECK(driver.Last<LookAtModels>()->folders.size() == 6);
  driver.Open("alpha", 3, 4);
  REQUIRE(driver.state.model != nullptr);
  CHECK(driver.Last<LookAtModels>()->folders ==
        std::vector<std::filesystem::path>{driver.state.model->folder});
  driver.Do(ModelsLookedAt{{{driver.state.model->folder, "said"}}});
  CHECK(driver.state.recent_models.front().about == "said");
  CHECK(driver.state.recent_models.back().about.empty());
}

}  // namespace
}  // namespace headscope
