// Flags as files, to give to others and to read elsewhere: JSON or CSV, by the file's ending.
//
// JSON holds all there is. CSV has a row for each head and these columns, of which `head` and `role`
// must be there and others may be left out:
//   head      L5H1; E0H1, D0H1, X0H1 in an encoder-decoder
//   role, note, colour, author, date
//   evidence  the numbers that the flag was set with
//   rejected  a line for each suggested role that is not the head's: "role: reason"
//   model, fingerprint, scan, blind, id, from   of the file, the same in each row
// A row without a role only rejects some.
//
// Errors   kIo, kInput (an ending that is neither), kFormat: one sentence with line and column.
// Threads  plain values; writing as core/base/atomic_file.h.
// Source   docs/reference.md, "Files of flags". Our own format: "headscope_flags": 1.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/part_heads.h"
#include "core/heads/flags/flags.h"
#include "core/io/text_place.h"

namespace headscope {

struct FlagFile {
  std::string id;                 // of what was written; stays when the file is edited
  std::vector<std::string> from;  // files of flags that went into these, the oldest first
  std::string model_name;
  std::string model_fingerprint;
  std::string author;
  std::string date;             // "2026-11-23"
  std::string scan;             // what suggestions rested on, in words; empty: there was no scan
  bool is_blind = false;        // scores and suggestions were hidden until this was written
  std::vector<HeadFlag> flags;  // sorted by part, layer, head; a head at most once
  std::vector<TextPlace> places = {};  // of each flag in the file that was read
};

// Fills in the id.
[[nodiscard]] FlagFile WithId(FlagFile file);

[[nodiscard]] std::string FlagFileJson(const FlagFile& file);
[[nodiscard]] std::string FlagFileCsv(const FlagFile& file);
[[nodiscard]] Status WriteFlagFile(const std::filesystem::path& path, const FlagFile& file);

// `name` is for errors.
[[nodiscard]] Result<FlagFile> ParseFlagJson(std::string_view text, const std::string& name);
[[nodiscard]] Result<FlagFile> ParseFlagCsv(std::string_view text, const std::string& name);
[[nodiscard]] Result<FlagFile> ReadFlagFile(const std::filesystem::path& path);
// Whether a file begins as one that may be written over.
[[nodiscard]] bool LooksLikeFlagFile(const std::filesystem::path& path);

// A flag of a head that the model has not: with line and column.
[[nodiscard]] Status CheckHeads(const FlagFile& file,
                                const std::vector<PartHeads>& parts,
                                const std::string& name);

}  // namespace headscope
