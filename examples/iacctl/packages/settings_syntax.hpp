// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PACKAGES_SETTINGS_SYNTAX_HPP
#define IACCTL_PACKAGES_SETTINGS_SYNTAX_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace iacctl::packages {

/// A value of the first version of HCL, the language of CLI configuration files: a text, a list or an object. JSON is
/// nearly a subset of that language.
class setting {
public:
    enum class kind_type : std::uint8_t { text, list, object };

    kind_type kind = kind_type::text;
    std::string name;  ///< in an object; names may be repeated
    std::string text;  ///< also for numbers, true and false
    std::vector<setting> elements;  ///< of a list, or the members of an object, in the order of the file

    /// All objects under a name: blocks, or objects in a list.
    [[nodiscard]] auto objects(std::string_view name) const -> std::vector<setting const*>;
    /// Objects under a name and a label: `credentials "example.com" {}`.
    [[nodiscard]] auto labelled(std::string_view name) const -> std::vector<std::pair<std::string, setting const*>>;
    /// The last text under a name.
    [[nodiscard]] auto text_of(std::string_view name) const -> std::optional<std::string>;
    /// The texts of a list under a name; nothing if there is none.
    [[nodiscard]] auto texts_of(std::string_view name) const -> std::optional<std::vector<std::string>>;
};

class setting_error {
public:
    std::size_t line = 1;
    std::string why;
};

/// Parses a file into an object. A block with labels becomes nested objects, one per label.
[[nodiscard]] auto parse_settings(std::string_view text, setting_error& error) -> std::optional<setting>;

}  // namespace iacctl::packages

#endif  // IACCTL_PACKAGES_SETTINGS_SYNTAX_HPP
