// SPDX-License-Identifier: BSL-1.0
#include "object_codec.hpp"

#include "language/validation/schema_values.hpp"
#include "marks.hpp"
#include "messages/program.hpp"
#include "messages/report.hpp"

#include <string>

namespace iacctl::program {

namespace infra = strider::infra;
using language::value;

namespace {

auto decoded(auto const& read, infra::address const& a, infra::object const& o) -> expected<value>
{
    if (!read)
        return infra::failure(messages::make_error(
            messages::state_attributes_misfit, {to_string(a), read.error().message()}, to_string(a)));
    return with_sensitive_paths(*read, o.sensitive.text());
}

}  // namespace

auto encode_object(providers::catalog const& known, infra::address const& a, std::string_view provider, value const& v)
    -> infra::object
{
    infra::object o;
    auto const* const schema = known.find_type(provider, a);
    value const bare = v.unmarked_deep();
    o.attributes = infra::document(schema == nullptr
            ? language::to_json(bare, bare.get_type())
            : language::to_json(language::without_left_out(bare, schema->content), schema->object_type));
    o.sensitive = infra::document(sensitive_paths(v));
    if (schema != nullptr) o.schema_version = schema->version;
    return o;
}

auto decode_object(providers::catalog const& known, infra::address const& a, infra::object const& o) -> expected<value>
{
    auto const* const schema = known.find_type(o.provider, a);
    if (schema == nullptr) return infra::failure(known.why_without_type(o.provider, a));
    // An object of another version of the provider may have more attributes.
    auto const read = language::from_json(o.attributes.text(), schema->object_type, language::other_members::dropped);
    return decoded(read, a, o);
}

auto decode_to_show(providers::catalog const& known, infra::address const& a, infra::object const& o) -> expected<value>
{
    if (known.find_type(o.provider, a) != nullptr) return decode_object(known, a, o);
    return decoded(language::from_json(o.attributes.text()), a, o);
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

auto decode_output(infra::output_value const& o) -> expected<value>
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
