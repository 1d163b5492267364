// SPDX-License-Identifier: BSL-1.0
#include "module_finder.hpp"

#include "base/json.hpp"
#include "base/json_text.hpp"
#include "base/url_secrets.hpp"
#include "base/version.hpp"
#include "configuration.hpp"
#include "messages/configuration.hpp"

#include <utility>

namespace iacctl::language {

auto module_manifest::parse(std::string_view text) -> std::optional<module_manifest>
{
    auto const document = parse_json(text);
    auto const* const listed = document ? document->find("Modules") : nullptr;
    if (listed == nullptr || listed->elements() == nullptr) return std::nullopt;
    module_manifest made;
    for (iacctl::json const& one : *listed->elements())
        made.modules.insert_or_assign(
            one.text_of("Key"), installed_module{one.text_of("Source"), one.text_of("Version"), one.text_of("Dir")});
    return made;
}

auto module_manifest::text() const -> std::string
{
    std::string made = "{\"Modules\":[";
    bool first = true;
    for (auto const& [key, one] : modules) {
        made += first ? "{\"Key\":" : ",{\"Key\":";
        first = false;
        append_json_string(made, key);
        made += ",\"Source\":";
        append_json_string(made, without_url_secrets(one.source));
        if (!one.version.empty()) {
            made += ",\"Version\":";
            append_json_string(made, one.version);
        }
        made += ",\"Dir\":";
        append_json_string(made, one.directory.generic_string());
        made += '}';
    }
    return made + "]}";
}

auto module_key(std::vector<std::string> const& path) -> std::string
{
    std::string key;
    for (auto const& name : path) key += (key.empty() ? "" : ".") + name;
    return key;
}

auto manifest_finder::find(std::vector<std::string> const& path, module_call const& call, module_source const& source,
    diagnostics& found) -> std::optional<installed_module>
{
    auto const one = from_->modules.find(module_key(path));
    if (one == from_->modules.end() || one->second.directory.empty()) {
        found.add(error(messages::module_not_installed, {call.name}, call.range));
        return std::nullopt;
    }
    // The list has addresses without passwords; one that another program wrote may contain them.
    if (without_url_secrets(one->second.source) != without_url_secrets(source.text())) {
        found.add(error(messages::module_source_changed, {call.name}, call.source_range_));
        return std::nullopt;
    }
    auto const accepted = version_constraints::parse(call.version);
    auto const version = iacctl::version::parse(one->second.version);
    if (!call.version.empty() && (!accepted || !version || !accepted->allow_module(*version))) {
        found.add(error(messages::module_version_changed, {call.name, one->second.version, call.version}, call.range));
        return std::nullopt;
    }
    return one->second;
}

}  // namespace iacctl::language
