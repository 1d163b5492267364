// SPDX-License-Identifier: BSL-1.0
#include "check_document.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>

namespace iacctl::program {

namespace {

using json = nlohmann::json;

auto text_of(json const& object, char const* member) -> std::string
{
    auto const found = object.is_object() ? object.find(member) : object.end();
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

auto is_one_of(std::string const& text, std::initializer_list<std::string_view> all) -> bool
{
    return std::ranges::find(all, text) != all.end();
}

template <class F>
auto is_list(json const& in, char const* member, F each) -> bool
{
    if (!in.contains(member) || in[member].is_null()) return true;
    return in[member].is_array() && std::ranges::all_of(in[member], each);
}

auto has_status(json const& one) -> bool
{
    return is_one_of(text_of(one, "status"), {"pass", "unknown", "fail", "error"});
}

auto is_message(json const& one) -> bool
{
    return one.is_string();
}

auto is_object(json const& one) -> bool
{
    return has_status(one) && !text_of(one, "object_addr").empty() && is_list(one, "failure_messages", is_message);
}

auto is_config(json const& one) -> bool
{
    return has_status(one) && is_one_of(text_of(one, "object_kind"), {"resource", "output", "check", "var"})
        && text_of(one, "config_addr").find('.') != std::string::npos && is_list(one, "objects", is_object);
}

}  // namespace

auto is_check_document(strider::infra::document const& of) -> bool
{
    if (of.empty()) return true;
    auto const parsed = json::parse(of.text(), nullptr, false);
    return parsed.is_array() && std::ranges::all_of(parsed, is_config);
}

}  // namespace iacctl::program
