// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PLUGINS_WIRE_VALUE_HPP
#define IACCTL_PLUGINS_WIRE_VALUE_HPP

#include "language/values/failure.hpp"
#include "language/values/type.hpp"
#include "language/values/value.hpp"

#include <string>
#include <string_view>

namespace iacctl::plugins {

// Values as the plugin protocol carries them: by their type, and with no marks. In JSON they are what `language::to_json` and
// `language::from_json` write and read by a type.
// \source https://github.com/zclconf/go-cty/blob/main/docs/marshal.md, packages cty/msgpack and cty/json

/// Values that are nested deeper are refused.
inline constexpr int deepest_value = 1000;

/// A value of a declared type in MessagePack. An attribute that the value lacks becomes null. Numbers are the smallest integer
/// that holds them, a float64 where that is exact, else decimal text; a value of type `any` is an array of its type in JSON and
/// itself. Unknown values are extension 0, or extension 12 with what is known of them: that they are not null, and the prefix
/// of a string.
/// \pre The value has the declared type, where that is not `any`.
/// \complexity linear in the size of the value
[[nodiscard]] std::string to_message_pack(language::value const& of, language::type const& declared);

/// Reads a value of a declared type from MessagePack that may come from anywhere. Refused, with the path to it: bytes that are
/// too few or too many, another type, attributes that are missing or unknown, keys that occur twice, text that is not UTF-8,
/// NaN, and more than `deepest_value` levels. Bounds of unknown numbers and lengths, which the language does not keep, are
/// passed over, as are refinements that a later version of the format may add.
/// \complexity linear in the size of the bytes, plus what it takes to sort sets; memory in proportion to the bytes
[[nodiscard]] language::result<language::value> from_message_pack(
    std::string_view bytes, language::type const& declared);

/// Reads the message `DynamicValue`, which has a value in one of two encodings. None of them stands for null.
[[nodiscard]] language::result<language::value> from_dynamic_value(
    std::string_view message_pack, std::string_view json, language::type const& declared);

/// The value with the sensitive marks that another one has in the same places: what a provider returns has none, and what it
/// stores is not ephemeral. Places that the value does not have are passed over.
[[nodiscard]] language::value with_marks_of(language::value const& of, language::value const& marked);

}  // namespace iacctl::plugins

#endif  // IACCTL_PLUGINS_WIRE_VALUE_HPP
