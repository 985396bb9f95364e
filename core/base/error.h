// What went wrong, as a value: Result<T> for what lies outside our control (files, drivers, text).
//
// Errors   Error::message is one sentence: the object, what was expected, what was found, what to
//          do.
// Threads  plain values.
#pragma once

#include <string>
#include <utility>

#include <tl/expected.hpp>

namespace headscope {

enum class ErrorCode {
  kIo,           // the system would not open, read, map or write it
  kFormat,       // the bytes do not say what the format demands
  kUnsupported,  // well formed, but a thing that this program does not do
  kShape,        // two sizes that must agree do not
  kNumeric,      // not-a-number or infinity where a number is needed
  kInput,        // the text, ids or options asked for cannot be used
  kBackend,      // oneDNN refused
  kGl,           // the graphics driver refused
  kOutOfMemory,  // more memory than there is
  kCancelled,    // stopped because something newer was asked for
  kGone,         // of a model that is open no more
};

struct Error {
  ErrorCode code = ErrorCode::kIo;
  std::string message;
};

template <typename T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

// An error to return: `return Fail(ErrorCode::kIo, "...")`.
[[nodiscard]] inline tl::unexpected<Error> Fail(ErrorCode code, std::string message) {
  return tl::unexpected<Error>(Error{code, std::move(message)});
}

// The error of another result, to pass on as it stands.
[[nodiscard]] inline tl::unexpected<Error> PassOn(Error error) {
  return tl::unexpected<Error>(std::move(error));
}

}  // namespace headscope

// HEADSCOPE_TRY(status) returns the error of a Status or a Result from the enclosing function, if it holds
// one. HEADSCOPE_TRY(const auto model, Model::Open(path)) declares, or sets, what it holds otherwise.
#define HEADSCOPE_TRY(first, ...) \
  HEADSCOPE_TRY_##__VA_OPT__(AND_DECLARE)(__COUNTER__, first __VA_OPT__(, ) __VA_ARGS__)

#define HEADSCOPE_TRY_(counter, status)                                  \
  do {                                                                   \
    if (auto&& headscope_status = (status); !headscope_status) {         \
      return ::tl::make_unexpected(std::move(headscope_status.error())); \
    }                                                                    \
  } while (false)

#define HEADSCOPE_TRY_AND_DECLARE(counter, declaration, ...) \
  HEADSCOPE_TRY_INTO(HEADSCOPE_NAMED(headscope_result_, counter), declaration, __VA_ARGS__)
#define HEADSCOPE_TRY_INTO(result, declaration, ...)           \
  auto result = __VA_ARGS__;                                   \
  if (!result) {                                               \
    return ::tl::make_unexpected(std::move((result).error())); \
  }                                                            \
  declaration = *std::move(result)
#define HEADSCOPE_NAMED(name, counter) HEADSCOPE_JOINED(name, counter)
#define HEADSCOPE_JOINED(name, counter) name##counter
