// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_TESTS_LANGUAGE_FIXTURES_HPP
#define IACCTL_TESTS_LANGUAGE_FIXTURES_HPP

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace iacctl::language::testing {

/// Configurations outside of the project. Tests that use them are skipped if the folder is absent.
inline auto const fixtures_root = std::filesystem::path(__FILE__).parent_path() / "../../../../shared/fixtures";

[[nodiscard]] inline auto content_of(std::filesystem::path const& path) -> std::string
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace iacctl::language::testing

#endif  // IACCTL_TESTS_LANGUAGE_FIXTURES_HPP
