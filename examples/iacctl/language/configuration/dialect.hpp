// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_CONFIGURATION_DIALECT_HPP
#define IACCTL_LANGUAGE_CONFIGURATION_DIALECT_HPP

#include "language/syntax/diagnostic.hpp"
#include "language/syntax/syntax_tree.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace iacctl::language {

/// The programs whose languages are supported.
enum class origin_program : std::uint8_t { terraform, opentofu };

[[nodiscard]] auto to_string(origin_program program) noexcept -> std::string_view;

/// Selects the program whose rules a module follows where Terraform and OpenTofu differ. The first of these decides:
///
/// 1. `language { compatible_with { opentofu = … } }` selects OpenTofu, `terraform { language = TF2021 }` Terraform.
/// 2. A file with the ending `.tofu` or `.tofu.json` selects OpenTofu.
/// 3. A `required_version` that only compatible releases of Terraform fulfil selects Terraform.
/// 4. Otherwise the module follows Terraform, but may also use what only OpenTofu has.
struct dialect_choice {
    enum class reason : std::uint8_t { language, file_ending, required_version, none };

    origin_program follows = origin_program::terraform;
    reason by = reason::none;
    source_range at;       ///< what decided, if it is a part of a file
    std::string file;      ///< the file that decided by its ending

    /// True if the module may use a word of the program.
    [[nodiscard]] auto accepts(origin_program program) const noexcept -> bool
    {
        return by == reason::none || follows == program;
    }
    /// The reason of the choice: `the file main.tofu`, `required_version at main.tf line 2`.
    [[nodiscard]] auto reason_text() const -> std::string;
};

/// Selects the program for a module. \param files  its files, without those that override others
[[nodiscard]] auto choose_dialect(std::span<std::shared_ptr<syntax_tree> const> files) -> dialect_choice;

/// Reports a word that only one program has, in a module that follows the other.
/// \param word   as in `lifecycle.enabled`
/// \param since  the version of the program that introduced it
void check_word(dialect_choice const& choice, origin_program program, std::string_view word, std::string_view since,
    source_range place, diagnostics& found);

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_CONFIGURATION_DIALECT_HPP
