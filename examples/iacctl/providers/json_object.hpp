// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PROVIDERS_JSON_OBJECT_HPP
#define IACCTL_PROVIDERS_JSON_OBJECT_HPP

#include "language/values/value.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::providers {

/// Text of JSON as a value, if it is an object.
[[nodiscard]] auto json_object(std::string_view text) -> std::optional<language::value>;

/// What lies at a path ("attributes/id"), as text; nothing if there is nothing, or something that is no plain value.
[[nodiscard]] auto json_text_at(language::value const& of, std::string_view path, char separator)
    -> std::optional<std::string>;
/// The same for what may be compound, which is then written as JSON.
[[nodiscard]] auto json_at(language::value const& of, std::string_view path, char separator)
    -> std::optional<language::value>;
[[nodiscard]] auto json_text(language::value const& of) -> std::string;

/// What differs between an object as it was wanted and as it is.
class json_difference {
public:
    std::vector<std::string> ignored;  ///< paths of fields, "metadata.time", that are none of it
    bool ignores_additions = false;    ///< nor what is there and was not wanted
    bool found = false;                ///< by the last call

    /// What is wanted, with what is there where that is different. A wish for null is met by absence.
    [[nodiscard]] auto overlay(language::value const& desired, language::value const& there) -> language::value;

private:
    [[nodiscard]] auto merged(language::value const& desired, language::value const& there,
        std::vector<std::string> const& without) -> language::value;
};

}  // namespace iacctl::providers

#endif  // IACCTL_PROVIDERS_JSON_OBJECT_HPP
