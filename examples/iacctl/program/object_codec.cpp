// SPDX-License-Identifier: BSL-1.0
#include "object_codec.hpp"

#include "marks.hpp"
#include "messages/program.hpp"
#include "messages/providers.hpp"
#include "messages/report.hpp"
#include "providers/provider_set.hpp"

#include <string>
#include <unordered_map>

namespace iacctl::program {

namespace infra = strider::infra;
using language::value;

auto schema_of(infra::address const& a) -> language::schema const*
{
    if (a.mode() == infra::resource_mode::data) {
        auto const* const source = providers::provider_set::find_data(a.type());
        return source == nullptr ? nullptr : &source->schema();
    }
    auto const* const type = providers::provider_set::find(a.type());
    return type == nullptr ? nullptr : &type->schema();
}

namespace {

// Every object that is written or read needs one: they are made once.
auto object_type_of(language::schema const& schema) -> language::type const&
{
    static auto const all = [] {
        std::unordered_map<language::schema const*, language::type> made;
        for (auto const* type : providers::provider_set::types())
            made.emplace(&type->schema(), type->schema().object_type());
        for (auto const* source : providers::provider_set::data_types())
            made.emplace(&source->schema(), source->schema().object_type());
        return made;
    }();
    return all.at(&schema);
}

}  // namespace

auto encode_object(infra::address const& a, value const& v) -> infra::object
{
    infra::object o;
    language::schema const* const schema = schema_of(a);
    language::type const type = schema != nullptr ? object_type_of(*schema) : v.get_type();
    o.attributes = infra::document(language::to_json(v.unmarked_deep(), type));
    o.sensitive = infra::document(sensitive_paths(v));
    return o;
}

auto decode_object(infra::address const& a, infra::object const& o) -> infra::expected<value>
{
    language::schema const* const schema = schema_of(a);
    if (schema == nullptr)
        return infra::failure(messages::make_error(messages::unknown_type_in_state, {a.type()}, to_string(a)));
    auto read = language::from_json(o.attributes.text(), object_type_of(*schema));
    if (!read)
        return infra::failure(messages::make_error(
            messages::state_attributes_misfit, {to_string(a), read.error().message()}, to_string(a)));
    return with_sensitive_paths(*read, o.sensitive.text());
}

auto encode_output(value const& v, bool sensitive) -> infra::output_value
{
    value const bare = v.unmarked_deep();
    infra::output_value o;
    o.value = infra::document(language::to_json(bare));
    o.type = infra::document(language::type_to_json(bare.get_type()));
    o.sensitive = sensitive;
    return o;
}

auto decode_output(infra::output_value const& o) -> infra::expected<value>
{
    auto const broken = [](std::string const& why) {
        return infra::failure(messages::make_error(messages::state_output_unreadable, {why}));
    };
    auto const type = language::type_from_json(o.type.text());
    if (!type) return broken(type.error().message());
    auto read = language::from_json(o.value.text(), *type);
    if (!read) return broken(read.error().message());
    return o.sensitive ? read->with_marks(language::mark::sensitive) : *read;
}

}  // namespace iacctl::program
