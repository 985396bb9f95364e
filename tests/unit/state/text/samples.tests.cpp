// Which text stands in the window when a model opens.
#include "app/state/text/samples.h"

#include "tests/support/catch.h"
#include "tests/unit/state/state_driver.h"

namespace headscope::test {
namespace {

Sample MakeSample(const std::string& text, const std::string& model, bool only_model = false) {
  Sample sample;
  sample.text = text;
  sample.model = model;
  sample.only_model = only_model;
  return sample;
}

LibraryFound SomeLibrary() {
  LibraryFound library;
  library.samples = {MakeSample("a map of the island", "gpt-h8"),
                     MakeSample("a0 c3", "copy-h4", true),
                     MakeSample("the sailor", "probe", true),
                     MakeSample("red, green", "probe", true),
                     MakeSample("if (a)", "")};
  library.bundled = {{.name = "gpt-h8", .folder = "/models/gpt-h8"},
                     {.name = "probe", .folder = "/models/probe"}};
  return library;
}

void OpenOne(StateDriver* driver, const std::string& name) {
  driver->Open(name, 2, 4);
  driver->Answer(4);
}

TEST_CASE("each model opens on the sample that was chosen for it", "[state][samples]") {
  StateDriver driver;
  driver.Do(SomeLibrary());
  const auto [name, text] = GENERATE(table<std::string, std::string>({
      {"gpt-h8", "a map of the island"},
      {"gpt-h2", "a map of the island"},
      {"copy-h4", "a0 c3"},
      {"copy-h1", "a0 c3"},
      {"copy-h16/step-64", "a0 c3"},
      {"probe", "the sailor"},
      {"bert-base-uncased", "a map of the island"},
  }));
  driver.Do(Start{.model = "/models/" + name, .input = {}, .session = {}});
  driver.Do(ModelReady{driver.state.opening.request, StateDriver::Model(name, 2, 4)});
  CHECK(driver.state.pending.input.text == text);
}

TEST_CASE("the sample goes with the model, until a person gives a text", "[state][samples]") {
  StateDriver driver;
  driver.Do(SomeLibrary());
  driver.Do(Start{.model = "/models/gpt-h8", .input = {}, .session = {}});
  driver.Do(ModelReady{driver.state.opening.request, StateDriver::Model("gpt-h8", 2, 4)});
  driver.Answer(4);
  OpenOne(&driver, "copy-h8");
  CHECK(driver.state.shown.input.text == "a0 c3");
  OpenOne(&driver, "probe");
  CHECK(driver.state.shown.input.text == "the sailor");
  driver.Do(ChooseSample{3});
  OpenOne(&driver, "gpt-h4");  // a list of the probe's words
  CHECK(driver.state.shown.input.text == "a map of the island");
  driver.Do(EditText{"my own words"});
  driver.Answer(4);
  OpenOne(&driver, "copy-h8");
  CHECK(driver.state.shown.input.text == "my own words");
  driver.Do(EditText{""});  // nothing is given any more
  OpenOne(&driver, "copy-h4");
  CHECK(driver.state.shown.input.text == "a0 c3");
}

TEST_CASE("a sample for any model stays when another model opens", "[state][samples]") {
  StateDriver driver;
  driver.Do(SomeLibrary());
  OpenOne(&driver, "gpt-h8");
  driver.Do(ChooseSample{4});
  driver.Answer(4);
  OpenOne(&driver, "probe");
  CHECK(driver.state.shown.input.text == "if (a)");
}

TEST_CASE("a sample that opens its own model is the one that was chosen", "[state][samples]") {
  StateDriver driver;
  driver.Do(SomeLibrary());
  OpenOne(&driver, "gpt-h8");
  driver.Do(ChooseSample{3});
  driver.Do(ModelReady{driver.state.opening.request, StateDriver::Model("probe", 2, 4)});
  driver.Answer(4);
  CHECK(driver.state.shown.input.text == "red, green");
}

TEST_CASE("a sample names heads and numbers of the open model alone", "[state][samples]") {
  Sample sample = MakeSample("the sea", "english");
  sample.about = "Look for copies.";
  sample.of_model = "L1H3 does (0.92).";
  const ModelInfo own = *StateDriver::Model("english", 4, 8);
  const ModelInfo other = *StateDriver::Model("gpt-h8", 4, 8);
  CHECK(AboutSample(sample, &own) == "Look for copies. L1H3 does (0.92).");
  CHECK(AboutSample(sample, &other) == "Look for copies.");
  CHECK(AboutSample(sample, nullptr) == "Look for copies.");
  CHECK_FALSE(IsMadeFor(MakeSample("x", ""), &other));
}

TEST_CASE("a text from the command line or a session is a person's own", "[state][samples]") {
  StateDriver driver;
  driver.Do(SomeLibrary());
  driver.Do(Start{.model = "/models/copy-h4",
                  .input = InputText{.text = "a1", .pair = {}, .ids = {}},
                  .session = {}});
  driver.Do(ModelReady{driver.state.opening.request, StateDriver::Model("copy-h4", 2, 4)});
  CHECK(driver.state.pending.input.text == "a1");
}

}  // namespace
}  // namespace headscope::test
