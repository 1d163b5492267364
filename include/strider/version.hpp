// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_VERSION_HPP
#define STRIDER_VERSION_HPP

/// The version, for the preprocessor. `tools/version.py` reads these three lines; the version is defined nowhere
/// else.
#define STRIDER_VERSION_MAJOR 0
#define STRIDER_VERSION_MINOR 1
#define STRIDER_VERSION_PATCH 0

namespace strider {

/// A version of the library, as in semantic versioning.
struct version_number {
    int major_number;
    int minor_number;
    int patch_number;
};

/// The version that a translation unit was compiled with.
inline constexpr version_number version{STRIDER_VERSION_MAJOR, STRIDER_VERSION_MINOR, STRIDER_VERSION_PATCH};

}  // namespace strider

#endif  // STRIDER_VERSION_HPP
