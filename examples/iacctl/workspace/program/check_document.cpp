// SPDX-License-Identifier: BSL-1.0
#include "check_document.hpp"

#include "base/json.hpp"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>

namespace iacctl::program {

namespace {

auto is_one_of(std::string_view text, std::initializer_list<std::string_view> all) -> bool
{
    return std::ranges::find(all, text) != all.end();
}

template <class F>
auto is_list(iacctl::json const& in, std::string_view member, F each) -> bool
{
    iacctl::json const* const list = in.find(member);
    if (list == nullptr || list->is_null()) return true;
    return list->elements() != nullptr && std::ranges::all_of(*list->elements(), each);
}

auto has_status(iacctl::json const& j) -> bool
{
    return is_one_of(j.text_of("status"), {"pass", "unknown", "fail", "error"});
}

auto is_message(iacctl::json const& j) -> bool
{
    return j.text() != nullptr;
}

auto is_object(iacctl::json const& j) -> bool
{
    return has_status(j) && !j.text_of("object_addr").empty() && is_list(j, "failure_messages", is_message);
}

auto is_config(iacctl::json const& j) -> bool
{
    return has_status(j) && is_one_of(j.text_of("object_kind"), {"resource", "output", "check", "var"})
        && j.text_of("config_addr").find('.') != std::string_view::npos && is_list(j, "objects", is_object);
}

}  // namespace

auto is_check_document(strider::infra::document const& d) -> bool
{
    if (d.empty()) return true;
    auto const parsed = parse_json(d.text());
    return parsed && parsed->elements() != nullptr && std::ranges::all_of(*parsed->elements(), is_config);
}

}  // namespace iacctl::program
