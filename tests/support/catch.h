// Catch2 under either of its two major versions (Debian 12 has 2, Debian 13 has 3).
#pragma once
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif
