#include "core/text/aligned_text.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace headscope::text {

AlignedText::AlignedText(std::string text)
    : text_(std::move(text)),
      most_bytes_(std::min(kMaxBytes, kFreeBytes + kMaxGrowth * text_.size())) {}

Status AlignedText::CheckSize(std::size_t size) const {
  if (size > most_bytes_) {
    return Fail(ErrorCode::kInput,
                fmt::format("the text grows past {} bytes in the tokenizer's normalisation; give a "
                            "shorter text",
                            most_bytes_));
  }
  return {};
}

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
  slice.most_bytes_ = most_bytes_;
  if (!sources_.empty()) {
    slice.sources_.assign(sources_.begin() + static_cast<std::ptrdiff_t>(begin),
                          sources_.begin() + static_cast<std::ptrdiff_t>(end));
  }
  return slice;
}

template <typename EditAt>
Status AlignedText::ApplyAll(std::size_t count, const EditAt& edit_at) {
  if (count == 0) {
    return {};
  }
  std::size_t size = text_.size();
  for (std::size_t i = 0; i < count; ++i) {
    const auto [range, content] = edit_at(i);
    size = size - (range.end - range.begin) + content.size();
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
  for (std::size_t i = 0; i < count; ++i) {
    const auto [range, content] = edit_at(i);
    keep_until(range.begin);
    text += content;
    sources.insert(sources.end(), content.size(), Source(range.begin, range.end));
    position = range.end;
  }
  keep_until(text_.size());
  base_ = BeginAt(0);
  text_ = std::move(text);
  sources_ = std::move(sources);
  return {};
}

Status AlignedText::Apply(std::span<const Edit> edits) {
  return ApplyAll(edits.size(), [&](std::size_t i) {
    return std::pair(ByteRange{edits[i].begin, edits[i].end},
                     std::string_view(edits[i].replacement));
  });
}

Status AlignedText::Replace(std::span<const ByteRange> ranges, std::string_view content) {
  return ApplyAll(ranges.size(), [&](std::size_t i) { return std::pair(ranges[i], content); });
}

Status AlignedText::Insert(std::size_t at, std::string_view content) {
  const ByteRange place{at, at};
  return Replace({&place, 1}, content);
}

Status AlignedText::MapBytes(std::span<const std::string, 256> strings) {
  return ApplyAll(text_.size(), [&](std::size_t i) {
    return std::pair(ByteRange{i, i + 1},
                     std::string_view(strings[static_cast<unsigned char>(text_[i])]));
  });
}

}  // namespace headscope::text
