// SPDX-License-Identifier: BSL-1.0
#include "resource_type.hpp"

#include <utility>
#include <vector>

namespace iacctl::providers {

auto import_refused() -> strider::infra::failure
{
    return strider::infra::failure(strider::infra::make_error("Resource Import Not Implemented",
        "This resource does not support import. Please contact the provider developer for additional information."));
}

auto resource_type::import_object(std::string) const -> task<checked<value>>
{
    co_return import_refused();
}

auto plain_resource_type::read(value prior) const -> task<checked<std::optional<value>>>
{
    co_return read_now(prior);
}

auto plain_resource_type::apply(apply_request request) const -> task<applied>
{
    co_return apply_now(request);
}

auto plain_resource_type::look_up(apply_request request) const -> task<looked_up>
{
    co_return look_up_now(request);
}

auto plain_resource_type::import_object(std::string id) const -> task<checked<value>>
{
    co_return import_now(id);
}

auto plain_resource_type::import_now(std::string const&) const -> checked<value>
{
    return import_refused();
}

auto attribute(value const& of, std::string_view name) -> value
{
    value const* const found = of.find(name);
    return found == nullptr ? value() : *found;
}

auto with(value const& of, std::initializer_list<std::pair<std::string_view, value>> changed) -> value
{
    std::vector<language::value_entry> entries(of.entries().begin(), of.entries().end());
    for (auto const& [name, v] : changed) {
        bool found = false;
        for (language::value_entry& e : entries)
            if (e.key == name) {
                e.of = v;
                found = true;
            }
        if (!found) entries.push_back({std::string(name), v});
    }
    return value::object(std::move(entries));
}

}  // namespace iacctl::providers
