// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_CONFIGURATION_FILE_NAMES_HPP
#define IACCTL_LANGUAGE_CONFIGURATION_FILE_NAMES_HPP

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::language {

/// The name of a file of configuration: `*.tf`, `*.tf.json`, or for OpenTofu `*.tofu`, `*.tofu.json`.
struct configuration_file_name {
    std::string_view base;  ///< without the ending
    bool json = false;
    bool opentofu = false;

    /// Nothing for a file of another kind, for hidden files and for temporary files of editors.
    [[nodiscard]] static auto parse(std::string_view name) noexcept -> std::optional<configuration_file_name>;
    /// True if the file replaces parts of others.
    [[nodiscard]] auto is_override() const noexcept -> bool;
};

/// True for the name of a file with queries: `*.tfquery.hcl`, `*.tfquery.json`.
[[nodiscard]] auto is_query_file(std::string_view name) noexcept -> bool;

/// True for the name of a file with tests: `*.tftest.hcl`, `*.tftest.json`, or for OpenTofu `*.tofutest.hcl`,
/// `*.tofutest.json`.
[[nodiscard]] auto is_test_file(std::string_view name) noexcept -> bool;

/// Selects the files with tests from the names in a directory; in ascending order. A `.tofutest` file replaces the
/// `.tftest` file with the same base name and the same format.
[[nodiscard]] auto test_files(std::vector<std::string> names) -> std::vector<std::string>;

/// Selects the files of a module from the names in its directory; in ascending order. A `.tofu` file replaces the `.tf`
/// file with the same base name, and `.tofu.json` replaces `.tf.json`.
[[nodiscard]] auto configuration_files(std::vector<std::string> names) -> std::vector<std::string>;

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_CONFIGURATION_FILE_NAMES_HPP
