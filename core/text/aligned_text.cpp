#include "core/text/aligned_text.h"

#include <algorithm>

#include <fmt/format.h>

namespace headscope::text {
namespace {

Status CheckSize(std::size_t size) {
  if (size > AlignedText::kMaxBytes) {
    return Fail(ErrorCode::kInput,
                fmt::format("the text grows past {} bytes in the tokenizer's normalisation; give a "
                            "shorter text",
                            AlignedText::kMaxBytes));
  }
  return {};
}

}  // namespace

SourceRange AlignedText::At(std::size_t index) const {
  if (!sources_.empty()) {
    return sources_[index];
  }
  const auto begin = static_cast<std::uint32_t>(base_ + index);
  return {begin, begin + 1};
}

std::uint32_t AlignedText::BeginAt(std::size_t index) const {
  if (index < text_.size()) {
    return At(index).begin;
  }
  return text_.empty() ? base_ : At(text_.size() - 1).end;
}

SourceRange AlignedText::Source(std::size_t begin, std::size_t end) const {
  const std::uint32_t first = BeginAt(begin);
  return {first, end > begin ? std::max(first, At(end - 1).end) : first};
}

AlignedText AlignedText::Slice(std::size_t begin, std::size_t end) const {
  AlignedText slice(text_.substr(begin, end - begin));
  slice.base_ = BeginAt(begin);
  if (!sources_.empty()) {
    slice.sources_.assign(sources_.begin() + static_cast<std::ptrdiff_t>(begin),
                          sources_.begin() + static_cast<std::ptrdiff_t>(end));
  }
  return slice;
}

Status AlignedText::Apply(std::span<const Edit> edits) {
  if (edits.empty()) {
    return {};
  }
  std::size_t size = text_.size();
  for (const Edit& edit : edits) {
    size = size - (edit.end - edit.begin) + edit.replacement.size();
    HEADSCOPE_TRY(CheckSize(size));
  }
  std::string text;
  std::vector<SourceRange> sources;
  text.reserve(size);
  sources.reserve(size);
  std::size_t position = 0;
  const auto keep_until = [&](std::size_t end) {
    text.append(text_, position, end - position);
    for (; position < end; ++position) {
      sources.push_back(At(position));
    }
  };
  for (const Edit& edit : edits) {
    keep_until(edit.begin);
    text += edit.replacement;
    sources.insert(sources.end(), edit.replacement.size(), Source(edit.begin, edit.end));
    position = edit.end;
  }
  keep_until(text_.size());
  base_ = BeginAt(0);
  text_ = std::move(text);
  sources_ = std::move(sources);
  return {};
}

Status AlignedText::MapBytes(std::span<const std::string, 256> strings) {
  std::size_t size = 0;
  for (const char byte : text_) {
    size += strings[static_cast<unsigned char>(byte)].size();
  }
  HEADSCOPE_TRY(CheckSize(size));
  std::string text;
  std::vector<SourceRange> sources;
  text.reserve(size);
  sources.reserve(size);
  for (std::size_t i = 0; i < text_.size(); ++i) {
    const std::string& mapped = strings[static_cast<unsigned char>(text_[i])];
    text += mapped;
    sources.insert(sources.end(), mapped.size(), At(i));
  }
  base_ = BeginAt(0);
  text_ = std::move(text);
  sources_ = std::move(sources);
  return {};
}

}  // namespace headscope::text
