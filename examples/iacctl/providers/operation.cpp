// SPDX-License-Identifier: BSL-1.0
#include "operation.hpp"

#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "language/values/value_codec.hpp"
#include "messages/providers.hpp"
#include "messages/report.hpp"

#include <memory>
#include <type_traits>
#include <utility>

namespace iacctl::providers {

namespace {

using strider::infra::diagnostic;
using strider::infra::diagnostics;

auto encode_optional(std::optional<value> const& v) -> std::string
{
    return v ? language::encode_value(*v) : "null";
}

auto decode_optional(json const& j) -> std::optional<value>
{
    return j.is_null() ? std::nullopt : std::optional(language::decode_value(j));
}

template <class Texts>
auto encode_texts(Texts const& texts) -> std::string
{
    json_array all;
    for (std::string const& text : texts) all.text(text);
    return all.done();
}

// An enumeration as a number. \throws json_error
template <class E>
auto decode_enumeration(json const& j, E last) -> E
{
    auto const number = j.as_natural<std::uint8_t>();
    if (number > static_cast<std::uint8_t>(last)) throw json_error("a number is out of range");
    return static_cast<E>(number);
}

// The source is not encoded: providers do not know it.
auto encode_diagnostic(diagnostic const& problem) -> std::string
{
    return json_object()
        .text("summary", problem.summary)
        .text("detail", problem.detail)
        .text("address", problem.address)
        .flag("warning", problem.level == strider::infra::severity::warning)
        .text("attribute", problem.attribute)
        .text("code", problem.code)
        .raw("arguments", encode_texts(problem.arguments))
        .done();
}

auto decode_diagnostic(json const& j) -> diagnostic
{
    diagnostic made;
    made.summary = j.at("summary").as_text();
    made.detail = j.at("detail").as_text();
    made.address = j.at("address").as_text();
    if (j.at("warning").as_flag()) made.level = strider::infra::severity::warning;
    made.attribute = j.at("attribute").as_text();
    made.code = j.at("code").as_text();
    made.arguments = j.at("arguments").as_texts();
    return made;
}

template <class Decode>
auto decoded(std::string_view text, Decode decode) -> std::optional<std::invoke_result_t<Decode, json&>>
{
    auto made = read_document(text, decode, language::levels_of_values);
    return made ? std::optional(std::move(*made)) : std::nullopt;
}

}  // namespace

auto encode(operation const& o) -> std::string
{
    auto const pending =
        json_object().text("id", o.pending.operation).number("kind", static_cast<std::uint8_t>(o.pending.kind)).done();
    return json_object()
        .number("kind", static_cast<std::uint8_t>(o.kind))
        .text("type", o.type)
        .raw("settings", language::encode_value(o.settings))
        .raw("prior", encode_optional(o.prior))
        .raw("planned", encode_optional(o.planned))
        .raw("config", language::encode_value(o.config))
        .text("id", o.id)
        .raw("withheld", encode_texts(o.withheld))
        .raw("operation", pending)
        .done();
}

auto decode_operation(std::string_view text) -> std::optional<operation>
{
    return decoded(text, [](json const& from) {
        operation made;
        made.kind = decode_enumeration(from.at("kind"), operation::kind_type::read_data);
        made.type = from.at("type").as_text();
        made.settings = language::decode_value(from.at("settings"));
        made.prior = decode_optional(from.at("prior"));
        made.planned = decode_optional(from.at("planned"));
        made.config = language::decode_value(from.at("config"));
        made.id = from.at("id").as_text();
        for (json const& name : from.at("withheld").as_elements()) made.withheld.insert(name.as_text());
        made.pending.operation = from.at("operation").at("id").as_text();
        made.pending.kind =
            decode_enumeration(from.at("operation").at("kind"), strider::infra::operation_kind::destroy);
        return made;
    });
}

auto encode(operation_answer const& answer) -> std::string
{
    json_array problems;
    for (diagnostic const& one : answer.problems) problems.raw(encode_diagnostic(one));
    return json_object()
        .raw("object", encode_optional(answer.object))
        .raw("problems", problems.done())
        .flag("interrupted", answer.interrupted)
        .number("found", static_cast<std::uint8_t>(answer.found))
        .done();
}

auto decode_answer(std::string_view text) -> std::optional<operation_answer>
{
    return decoded(text, [](json const& from) {
        operation_answer made;
        made.object = decode_optional(from.at("object"));
        for (json const& one : from.at("problems").as_elements()) made.problems.add(decode_diagnostic(one));
        made.interrupted = from.at("interrupted").as_flag();
        made.found = decode_enumeration(from.at("found"), strider::infra::lookup_answer::unknown);
        return made;
    });
}

}  // namespace iacctl::providers
