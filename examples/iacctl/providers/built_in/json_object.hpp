// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PROVIDERS_BUILT_IN_JSON_OBJECT_HPP
#define IACCTL_PROVIDERS_BUILT_IN_JSON_OBJECT_HPP

#include "language/values/value.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::providers {

/// Parses JSON text; nothing if it is not an object.
[[nodiscard]] auto json_object(std::string_view text) -> std::optional<language::value>;

/// The value at a path ("attributes/id") as text; nothing if there is none, or it is compound.
[[nodiscard]] auto json_text_at(language::value const& v, std::string_view path, char separator)
    -> std::optional<std::string>;
/// The same with compound values, which are returned as JSON.
[[nodiscard]] auto json_at(language::value const& v, std::string_view path, char separator)
    -> std::optional<language::value>;
[[nodiscard]] auto json_text(language::value const& v) -> std::string;

/// The difference between a configured object and the actual one.
class json_difference {
public:
    std::vector<std::string> ignored;  ///< paths of fields, "metadata.time", that are not compared
    bool ignores_additions = false;    ///< nor fields that are not configured
    bool found = false;                ///< by the last call: a difference

    /// The configured object, with the actual values where they differ. A configured null equals an absent field.
    [[nodiscard]] auto overlay(language::value const& desired, language::value const& there) -> language::value;

private:
    [[nodiscard]] auto merged(language::value const& desired, language::value const& there,
        std::vector<std::string> const& without) -> language::value;
};

}  // namespace iacctl::providers

#endif  // IACCTL_PROVIDERS_BUILT_IN_JSON_OBJECT_HPP
