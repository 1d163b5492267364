// SPDX-License-Identifier: BSL-1.0
#include "storable.hpp"

#include "base/unicode.hpp"

#include <string>
#include <string_view>

namespace iacctl::language {

namespace {

[[nodiscard]] auto why_not_text(std::string_view bytes, char const* what) -> std::optional<failure>
{
    if (is_utf8(bytes)) return std::nullopt;
    return failure(std::string(what) + " that is not UTF-8: " + utf8_mistake(bytes));
}

}  // namespace

auto why_not_storable(value const& of) -> std::optional<failure>
{
    if (!of.has_data()) return std::nullopt;
    if (of.is(type_kind::string)) return why_not_text(of.as_string(), "text");
    if (of.is(type_kind::number) && of.as_number().is_infinite())
        return failure("a number that is infinite, as from a division by zero");
    std::size_t position = 0;
    for (auto const& element : of.elements()) {
        if (auto const why = why_not_storable(element)) return why->within("[" + std::to_string(position) + "]");
        ++position;
    }
    for (auto const& [key, element] : of.entries()) {
        if (auto why = why_not_text(key, "a key")) return why;
        if (auto const why = why_not_storable(element))
            return why->within(of.is(type_kind::object) ? "." + key : "[\"" + key + "\"]");
    }
    return std::nullopt;
}

}  // namespace iacctl::language
