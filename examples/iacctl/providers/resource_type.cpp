// SPDX-License-Identifier: BSL-1.0
#include "resource_type.hpp"

#include "messages/providers.hpp"
#include "messages/report.hpp"

#include <utility>
#include <vector>

namespace iacctl::providers {

auto import_refused() -> strider::infra::failure
{
    return strider::infra::failure(messages::make_error(messages::import_unsupported));
}

auto resource_type::settings_schema() const noexcept -> language::schema const&
{
    static language::schema const nothing;
    return nothing;
}

auto resource_type::configured(value const&) const -> expected<std::shared_ptr<resource_type const>>
{
    return std::shared_ptr<resource_type const>();
}

auto resource_type::import_object(std::string) const -> task<expected<value>>
{
    co_return import_refused();
}

auto plain_resource_type::read(value prior) const -> task<expected<std::optional<value>>>
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

auto plain_resource_type::import_object(std::string id) const -> task<expected<value>>
{
    co_return import_now(id);
}

auto plain_resource_type::import_now(std::string const&) const -> expected<value>
{
    return import_refused();
}

auto attribute(value const& v, std::string_view name) -> value
{
    value const* const found = v.find(name);
    return found == nullptr ? value() : *found;
}

auto with(value const& given, std::initializer_list<std::pair<std::string_view, value>> changed) -> value
{
    std::vector<language::value_entry> entries(given.entries().begin(), given.entries().end());
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

auto text_of(value const& given, std::string_view name) -> std::string
{
    value const* const v = given.find(name);
    return v != nullptr && v->has_data() && v->is(language::type_kind::string) ? v->as_string() : std::string();
}

auto number_of(value const& given, std::string_view name) -> std::optional<std::int64_t>
{
    value const* const v = given.find(name);
    if (v == nullptr || !v->has_data() || !v->is(language::type_kind::number)) return std::nullopt;
    return v->as_number().as_int64();
}

auto flag_of(value const& given, std::string_view name) -> bool
{
    value const* const v = given.find(name);
    return v != nullptr && v->has_data() && v->is(language::type_kind::boolean) && v->as_bool();
}

auto texts_of(value const& given, std::string_view name) -> std::vector<std::string>
{
    std::vector<std::string> all;
    if (value const* const v = given.find(name))
        for (value const& one : v->elements())
            if (one.has_data() && one.is(language::type_kind::string)) all.push_back(one.as_string());
    return all;
}

auto pairs_of(value const& given, std::string_view name) -> std::map<std::string, std::string>
{
    std::map<std::string, std::string> all;
    if (value const* const v = given.find(name))
        for (language::value_entry const& one : v->entries())
            if (one.of.has_data() && one.of.is(language::type_kind::string)) all.emplace(one.key, one.of.as_string());
    return all;
}

auto about_attribute(std::string_view name, strider::infra::diagnostic problem) -> strider::infra::diagnostic
{
    problem.attribute = name;
    return problem;
}

auto problem_with(std::string_view attribute_name, strider::infra::diagnostic problem) -> strider::infra::failure
{
    return strider::infra::failure(about_attribute(attribute_name, std::move(problem)));
}

auto path_of(std::string_view attribute_name) -> strider::infra::attribute_path
{
    return {std::string(attribute_name)};
}

}  // namespace iacctl::providers
