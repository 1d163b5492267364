// SPDX-License-Identifier: BSL-1.0
#include "state_view.hpp"

#include "language/validation/schema_values.hpp"

#include <algorithm>
#include <utility>

namespace iacctl::views {

auto shown_before(std::vector<infra::module_step> const& a, std::vector<infra::module_step> const& b) -> bool
{
    return a.size() != b.size() ? a.size() < b.size() : a < b;
}

auto shown_before(infra::address const& a, infra::address const& b) -> bool
{
    if (a.module() != b.module()) return shown_before(a.module(), b.module());
    if (a.mode() != b.mode()) return a.mode() == infra::resource_mode::data;
    if (a.type() != b.type()) return a.type() < b.type();
    if (a.name() != b.name()) return a.name() < b.name();
    return a.key() < b.key();
}

auto with_schema_marks(language::value const& attributes, resource_schema const* schema) -> language::value
{
    if (schema == nullptr || !attributes.has_data()) return attributes;
    if (schema->content != nullptr)
        return language::without_left_out(
            language::with_sensitive_marks(attributes, *schema->content), *schema->content);
    if (std::ranges::none_of(schema->attributes, &attribute_schema::sensitive)) return attributes;
    std::vector<language::value_entry> entries(attributes.entries().begin(), attributes.entries().end());
    for (auto& [name, of] : entries) {
        auto const found = std::ranges::find(schema->attributes, name, &attribute_schema::name);
        if (found != schema->attributes.end() && found->sensitive) of = of.with_marks(language::mark::sensitive);
    }
    return language::value::object(std::move(entries)).with_marks(attributes.marks());
}

}  // namespace iacctl::views
