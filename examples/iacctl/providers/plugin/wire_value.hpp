// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PROVIDERS_PLUGIN_WIRE_VALUE_HPP
#define IACCTL_PROVIDERS_PLUGIN_WIRE_VALUE_HPP

#include "language/values/failure.hpp"
#include "language/values/type.hpp"
#include "language/values/value.hpp"

#include <string>
#include <string_view>

namespace iacctl::plugin {

// Values in the encodings of the plugin protocol: by their declared type, without marks. In JSON they have the format
// of `language::to_json` and `language::from_json` with a type.
// \source https://github.com/zclconf/go-cty/blob/main/docs/marshal.md, packages cty/msgpack and cty/json

/// The maximum depth of a value.
inline constexpr int deepest_value = 1000;

/// A value of a declared type in MessagePack. An attribute that the value lacks becomes null. A number is the smallest
/// integer type that holds it, a float64 if that is exact, or else decimal text. A value of type `any` is an array of
/// its type in JSON and the value. An unknown value is extension 0, or extension 12 with the known refinements: not
/// null, and the prefix of a string.
/// \pre The value has the declared type, except where that is `any`.
/// \complexity linear in the size of the value
[[nodiscard]] auto to_message_pack(language::value const& v, language::type const& declared) -> std::string;

/// Parses a value of a declared type from untrusted MessagePack. Errors, reported with their paths: too few or too many
/// bytes, another type, missing or unknown attributes, duplicate keys, text that is not UTF-8, NaN, and more than
/// `deepest_value` levels. Bounds of unknown numbers and lengths, which the language does not support, and refinements
/// of later versions of the format are ignored.
/// \complexity linear in the size of the bytes, plus the time to sort sets; memory in proportion to the bytes
[[nodiscard]] auto from_message_pack(std::string_view bytes, language::type const& declared)
    -> language::result<language::value>;

/// Parses the message `DynamicValue`, which has a value in one of two encodings. A message with neither is null.
[[nodiscard]] auto from_dynamic_value(std::string_view message_pack, std::string_view json,
    language::type const& declared) -> language::result<language::value>;

/// The value with the sensitive marks of another value at the same paths: values from a provider have no marks, and
/// those that it stores are not ephemeral. Paths that the value does not have are ignored.
[[nodiscard]] auto with_marks_of(language::value const& v, language::value const& marked) -> language::value;

}  // namespace iacctl::plugin

#endif  // IACCTL_PROVIDERS_PLUGIN_WIRE_VALUE_HPP
