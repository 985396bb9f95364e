#include "app/platform/imgui_layer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <imgui.h>
#if IMGUI_VERSION_NUM >= 18900
#include <imgui_internal.h>
#endif
#if __has_include(<imgui_freetype.h>)
#include <imgui_freetype.h>
#define HEADSCOPE_IMGUI_FREETYPE 1
#endif

#include "app/platform/font_files.h"

namespace headscope {
namespace {

// Latin with its extensions, Greek, Cyrillic, punctuation, superscripts, currency, arrows, signs.
// Other scripts are drawn as labels set by Pango.
constexpr std::array<ImWchar, 21> kText = {0x0020, 0x007E, 0x00A0, 0x024F, 0x0370, 0x03FF, 0x0400,
                                           0x045F, 0x1E9E, 0x1E9E, 0x2010, 0x2027, 0x2030, 0x205E,
                                           0x2070, 0x209C, 0x20AC, 0x20AC, 0x2190, 0x2199, 0};
constexpr std::array<ImWchar, 5> kTitle = {0x0020, 0x007E, 0x00A0, 0x00FF, 0};

// Signs that the panels use; those missing in Inter and JetBrains Mono come from another font.
constexpr std::u32string_view kSigns = U"−√×÷≤≥≈∞·–—…▸▾▴◂✓✕✗⚑⌘◉◎▦◫▤⇄◐☑☐●○■□▲▼◆⏎⎋⌫␣Δ∑";

std::vector<ImWchar> AsRanges(std::span<const char32_t> characters) {
  std::vector<ImWchar> ranges;
  for (const char32_t character : characters) {
    ranges.push_back(static_cast<ImWchar>(character));
    ranges.push_back(static_cast<ImWchar>(character));
  }
  ranges.push_back(0);
  return ranges;
}

bool IsReadable(const FontFile& font) {
  std::error_code error;
  return !font.path.empty() && std::filesystem::is_regular_file(font.path, error) &&
         std::filesystem::file_size(font.path, error) > 0;
}

// `em` in pixels. ImGui's own size is the line height.
ImFont* Add(const FontFile& font, double em, const ImWchar* ranges, ImFont* merge_into) {
  if (!IsReadable(font)) {
    return nullptr;
  }
  ImFontConfig config;
  config.FontNo = font.face;
  config.MergeMode = merge_into != nullptr;
#ifdef HEADSCOPE_IMGUI_FREETYPE
  config.FontBuilderFlags = ImGuiFreeTypeBuilderFlags_LightHinting;
#endif
  return ImGui::GetIO().Fonts->AddFontFromFileTTF(
      font.path.c_str(), static_cast<float>(em * LineHeight(font)), &config, ranges);
}

}  // namespace

struct ImGuiLayer::CharacterRanges {
  std::vector<std::vector<ImWchar>> kept;

  ImFont* AddWithSigns(const FontFile& font, double em) {
    ImFont* const added = Add(font, em, kText.data(), nullptr);
    if (added == nullptr) {
      return nullptr;
    }
    const std::vector<char32_t> signs(kSigns.begin(), kSigns.end());
    std::vector<char32_t> left = MissingCharacters(font, signs);
    std::vector<char32_t> own;
    std::copy_if(signs.begin(), signs.end(), std::back_inserter(own), [&](char32_t sign) {
      return std::find(left.begin(), left.end(), sign) == left.end();
    });
    Add(font, em, kept.emplace_back(AsRanges(own)).data(), added);
    for (int other = 0; other < 3 && !left.empty(); ++other) {
      const FontFile substitute = FindFontFor(left);
      if (!IsReadable(substitute)) {
        break;
      }
      Add(substitute, em, kept.emplace_back(AsRanges(left)).data(), added);
      left = MissingCharacters(substitute, left);
    }
    return added;
  }
};

ImGuiLayer::ImGuiLayer(GLFWwindow* window, double scale)
    : ranges_(std::make_unique<CharacterRanges>()) {
  context_ = ImGui::CreateContext();
  ImGui::SetCurrentContext(context_);
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.LogFilename = nullptr;
  io.ConfigInputTextCursorBlink = false;  // a blinking caret would keep drawing frames
#ifdef HEADSCOPE_IMGUI_FREETYPE
  io.Fonts->FontBuilderIO = ImGuiFreeType::GetBuilderForFreeType();
#endif
  io.Fonts->Flags |= ImFontAtlasFlags_NoPowerOfTwoHeight;
  io.Fonts->TexDesiredWidth = 1024;  // the width that OpenGL 3.3 guarantees
  AddFonts(scale);
  ImGui_ImplGlfw_InitForOpenGL(window, true);
  ImGui_ImplOpenGL3_Init("#version 330 core");
}

void ImGuiLayer::AddFonts(double scale) {
  fonts_.text = ranges_->AddWithSigns(FindFont("Inter", FontWeight::kRegular), 14.0 * scale);
  fonts_.title =
      Add(FindFont("Inter", FontWeight::kSemiBold), 22.0 * scale, kTitle.data(), nullptr);
  fonts_.mono =
      ranges_->AddWithSigns(FindFont("JetBrains Mono", FontWeight::kRegular), 12.0 * scale);
  if (fonts_.text == nullptr) {
    ImGui::GetIO().Fonts->AddFontDefault();
  }
}

void ImGuiLayer::SetScale(double scale) {
  ImGui::SetCurrentContext(context_);
  ImGui::GetIO().Fonts->Clear();
  ranges_->kept.clear();
  AddFonts(scale);
  ImGui_ImplOpenGL3_DestroyFontsTexture();
  ImGui_ImplOpenGL3_CreateFontsTexture();
}

ImGuiLayer::~ImGuiLayer() {
  ImGui::SetCurrentContext(context_);
  ImGui_ImplOpenGL3_Shutdown();
  ImGui_ImplGlfw_Shutdown();
  ImGui::DestroyContext(context_);
}

void ImGuiLayer::Begin(double frame_s) {
  ImGui::SetCurrentContext(context_);
  ImGui_ImplOpenGL3_NewFrame();
  ImGui_ImplGlfw_NewFrame();
  constexpr double kDoubleClickSeconds = 0.3;
  ImGui::GetIO().MouseDoubleClickTime = static_cast<float>(kDoubleClickSeconds + 3.0 * frame_s);
  ImGui::NewFrame();
}

#if IMGUI_VERSION_NUM >= 18900
std::uint64_t ImGuiLayer::events_given() const {
  return context_->InputEventsNextEventId - 1;
}
std::uint64_t ImGuiLayer::events_taken() const {
  const ImVector<ImGuiInputEvent>& waiting = context_->InputEventsQueue;
  return waiting.empty() ? events_given() : waiting.front().EventId - 1;
}
#else
std::uint64_t ImGuiLayer::events_given() const {
  return 0;
}
std::uint64_t ImGuiLayer::events_taken() const {
  return 0;
}
#endif

void ImGuiLayer::Render() {
  ImGui::Render();
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

}  // namespace headscope
