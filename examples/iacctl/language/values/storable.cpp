// SPDX-License-Identifier: BSL-1.0
#include "storable.hpp"

#include "base/unicode.hpp"

#include <string>
#include <string_view>

namespace iacctl::language {

namespace {

[[nodiscard]] auto why_not_text(std::string_view bytes, char const* c) -> std::optional<failure>
{
    if (is_utf8(bytes)) return std::nullopt;
    return failure(std::string(c) + " that is not UTF-8: " + utf8_mistake(bytes));
}

}  // namespace

auto why_not_storable(value const& v) -> std::optional<failure>
{
    if (!v.has_data()) return std::nullopt;
    if (v.is(type_kind::string)) return why_not_text(v.as_string(), "text");
    if (v.is(type_kind::number) && v.as_number().is_infinite())
        return failure("a number that is infinite, as from a division by zero");
    std::size_t position = 0;
    for (auto const& element : v.elements()) {
        if (auto const why = why_not_storable(element)) return why->within("[" + std::to_string(position) + "]");
        ++position;
    }
    for (auto const& [key, element] : v.entries()) {
        if (auto why = why_not_text(key, "a key")) return why;
        if (auto const why = why_not_storable(element))
            return why->within(v.is(type_kind::object) ? "." + key : "[\"" + key + "\"]");
    }
    return std::nullopt;
}

}  // namespace iacctl::language
