// An error as a value: Result<T> for whatever is outside our control (files, drivers, text).
//
// Errors   Error::message is one sentence: the object, what was expected, what was found, what to
//          do.
#pragma once

#include <string>
#include <utility>

#include <tl/expected.hpp>

namespace headscope {

enum class ErrorCode {
  kIo,           // the system would not open, read, map or write it
  kFormat,       // the bytes do not follow the format
  kUnsupported,  // well formed, but not supported by this program
  kShape,        // two sizes that must agree differ
  kNumeric,      // NaN or infinity where a number is needed
  kInput,        // the text, ids or options asked for cannot be used
  kBackend,      // oneDNN reported an error
  kGl,           // the graphics driver reported an error
  kOutOfMemory,  // not enough memory
  kCancelled,    // stopped, because something newer was requested
  kGone,         // the model is no longer open
};

struct Error {
  ErrorCode code = ErrorCode::kIo;
  std::string message;
};

template <typename T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

// Makes an error to return: `return Fail(ErrorCode::kIo, "...")`.
[[nodiscard]] inline tl::unexpected<Error> Fail(ErrorCode code, std::string message) {
  return tl::unexpected<Error>(Error{code, std::move(message)});
}

// Passes on another result's error unchanged.
[[nodiscard]] inline tl::unexpected<Error> PassOn(Error error) {
  return tl::unexpected<Error>(std::move(error));
}

}  // namespace headscope

// HEADSCOPE_TRY(status) returns from the enclosing function with the error of a Status or Result,
// if it holds one. HEADSCOPE_TRY(const auto model, Model::Open(path)) also declares or sets a
// variable with the value otherwise.
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
