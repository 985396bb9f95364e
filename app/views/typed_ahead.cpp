#include "app/views/typed_ahead.h"

#include "app/views/keys.h"

namespace headscope {

void TypedAhead::AwaitField(std::string_view typed) {
  constexpr int kMostFrames = 5;
  frames_left_ = kMostFrames;
  characters_.insert(characters_.end(), typed.begin(), typed.end());
}

void TypedAhead::BeginFrame(std::vector<KeyPress>* keys) {
  if (frames_left_ == 0) {
    return;
  }
  --frames_left_;
  ImVector<ImWchar>& came = ImGui::GetIO().InputQueueCharacters;
  characters_.insert(characters_.end(), came.begin(), came.end());
  keys_.insert(keys_.end(), keys->begin(), keys->end());
  came.resize(0);
  keys->clear();
  if (frames_left_ > 0 && !KeysAreTaken()) {
    return;
  }
  frames_left_ = 0;
  for (const ImWchar character : characters_) {
    came.push_back(character);
  }
  keys->swap(keys_);
  characters_.clear();
}

}  // namespace headscope
