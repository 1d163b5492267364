// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_VERSION_HPP
#define STRIDER_VERSION_HPP

// Every header includes this one before any other code, so this is the first error of a compiler. It is also the last one:
// a compiler stops at an `#include` of a file that does not exist, and would otherwise report errors of all other headers.
#if __cplusplus < 202002L && (!defined(_MSVC_LANG) || _MSVC_LANG < 202002L)
#error "strider needs C++20: compile with -std=c++20 or later (g++ 12, clang 16, or newer)"
#include "the error above"
#elif !defined(__cpp_exceptions) && !defined(_CPPUNWIND)
#error "strider needs exceptions: compile without -fno-exceptions (-fno-rtti is supported)"
#include "the error above"
#endif

/// The version, for the preprocessor. `tools/version.py` reads these three lines; the version is defined nowhere
/// else.
#define STRIDER_VERSION_MAJOR 0
#define STRIDER_VERSION_MINOR 2
#define STRIDER_VERSION_PATCH 0

namespace strider {

/// A version of the library, as in semantic versioning.
struct version_number {
    int major_number;  ///< incremented by an incompatible change of the interface, from 1.0.0 on
    int minor_number;  ///< incremented by an addition, and before 1.0.0 by an incompatible change
    int patch_number;  ///< incremented by a correction
};

/// The version that a translation unit was compiled with.
inline constexpr version_number version{STRIDER_VERSION_MAJOR, STRIDER_VERSION_MINOR, STRIDER_VERSION_PATCH};

}  // namespace strider

#endif  // STRIDER_VERSION_HPP
