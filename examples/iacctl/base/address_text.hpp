// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BASE_ADDRESS_TEXT_HPP
#define IACCTL_BASE_ADDRESS_TEXT_HPP

#include <cstddef>
#include <string>
#include <string_view>

namespace iacctl {

/// Removes the keys of instances from the text of an address: `module.m["a"].t.n[0]` becomes `module.m.t.n`. A text without
/// keys is returned unchanged.
[[nodiscard]] inline auto without_instance_keys(std::string_view address) -> std::string
{
    std::string rest;
    rest.reserve(address.size());
    bool in_key = false;
    bool in_quotes = false;
    for (std::size_t i = 0; i < address.size(); ++i) {
        char const c = address[i];
        if (!in_key && c == '[') in_key = true;
        else if (!in_key) rest += c;
        else if (in_quotes && c == '\\') ++i;
        else if (c == '"') in_quotes = !in_quotes;
        else if (!in_quotes && c == ']') in_key = false;
    }
    return rest;
}

/// The name of an object in the texts that Terraform has too: the address of its instance, and the key of a deposed object.
/// \param deposed_key  empty: the current object
[[nodiscard]] inline auto object_title(std::string address, std::string_view deposed_key) -> std::string
{
    if (!deposed_key.empty()) address.append(" (deposed object ").append(deposed_key).append(")");
    return address;
}

}  // namespace iacctl

#endif  // IACCTL_BASE_ADDRESS_TEXT_HPP
