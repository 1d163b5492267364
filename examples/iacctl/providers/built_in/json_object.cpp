// SPDX-License-Identifier: BSL-1.0
#include "json_object.hpp"

#include "base/unicode.hpp"

#include <algorithm>
#include <utility>

namespace iacctl::providers {

using language::type_kind;
using language::value;

auto json_object(std::string_view text) -> std::optional<value>
{
    if (!is_utf8(text)) return std::nullopt;
    auto read = language::from_json(text);
    if (!read || !read->is(type_kind::object) || !read->has_data()) return std::nullopt;
    return std::move(*read);
}

auto json_at(value const& v, std::string_view path, char separator) -> std::optional<value>
{
    value here = v;
    for (;;) {
        auto const end = path.find(separator);
        value const* const next = here.find(path.substr(0, end));
        if (next == nullptr) return std::nullopt;
        here = value(*next);
        if (end == std::string_view::npos) return here;
        path.remove_prefix(end + 1);
    }
}

auto json_text(value const& v) -> std::string
{
    return v.has_data() && v.is(type_kind::string) ? v.as_string() : language::to_json(v);
}

auto json_text_at(value const& v, std::string_view path, char separator) -> std::optional<std::string>
{
    auto const found = json_at(v, path, separator);
    if (!found || !found->has_data() || !found->get_type().is_primitive()) return std::nullopt;
    return json_text(*found);
}

auto json_difference::overlay(value const& desired, value const& there) -> value
{
    found = false;
    return merged(desired, there, ignored);
}

auto json_difference::merged(value const& desired, value const& there, std::vector<std::string> const& without) -> value
{
    auto const is_ignored = [&](std::string const& key) { return std::ranges::find(without, key) != without.end(); };
    std::vector<language::value_entry> entries;
    for (language::value_entry const& e : desired.entries()) {
        value const* const actual = there.find(e.key);
        if (is_ignored(e.key) || (actual == nullptr ? e.of.is_null() : *actual == e.of)) {
            entries.push_back(e);
            continue;
        }
        bool const both = actual != nullptr && actual->is(type_kind::object) && e.of.is(type_kind::object)
            && actual->has_data() && e.of.has_data();
        if (both) {
            std::vector<std::string> deeper;
            for (std::string const& path : without)
                if (path.starts_with(e.key + ".")) deeper.push_back(path.substr(e.key.size() + 1));
            entries.push_back({e.key, merged(e.of, *actual, deeper)});
            continue;
        }
        found = true;
        if (actual != nullptr) entries.push_back({e.key, *actual});
    }
    for (language::value_entry const& e : there.entries()) {
        if (ignores_additions || is_ignored(e.key) || desired.find(e.key) != nullptr) continue;
        found = true;
        entries.push_back(e);
    }
    return value::object(std::move(entries));
}

}  // namespace iacctl::providers
