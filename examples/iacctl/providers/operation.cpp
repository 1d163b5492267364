// SPDX-License-Identifier: BSL-1.0
#include "operation.hpp"

#include "base/unicode.hpp"
#include "language/values/value_codec.hpp"
#include "messages/providers.hpp"
#include "messages/report.hpp"

#include <nlohmann/json.hpp>

#include <exception>
#include <memory>
#include <utility>

namespace iacctl::providers {

namespace {

using json = nlohmann::json;
using strider::infra::diagnostic;
using strider::infra::diagnostics;

auto encode_optional(std::optional<value> const& of) -> json
{
    return of ? language::encode_value(*of) : json();
}

auto decode_optional(json const& of) -> std::optional<value>
{
    return of.is_null() ? std::nullopt : std::optional(language::decode_value(of));
}

// An enumeration as a number. \throws language::malformed
template <class E>
auto decode_enumeration(json const& of, E last) -> E
{
    auto const number = of.get<std::uint8_t>();
    if (number > static_cast<std::uint8_t>(last)) throw language::malformed("a number is out of range");
    return static_cast<E>(number);
}

// The source is not encoded: providers do not know it.
auto encode_diagnostic(diagnostic const& of) -> json
{
    std::vector<std::string> arguments;
    for (std::string const& one : of.arguments) arguments.push_back(repaired_utf8(one));
    return {{"summary", repaired_utf8(of.summary)}, {"detail", repaired_utf8(of.detail)}, {"address", of.address},
        {"warning", of.level == strider::infra::severity::warning}, {"attribute", of.attribute}, {"code", of.code},
        {"arguments", std::move(arguments)}};
}

auto decode_diagnostic(json const& of) -> diagnostic
{
    diagnostic made;
    made.summary = of.at("summary").get<std::string>();
    made.detail = of.at("detail").get<std::string>();
    made.address = of.at("address").get<std::string>();
    if (of.at("warning").get<bool>()) made.level = strider::infra::severity::warning;
    made.attribute = of.at("attribute").get<std::string>();
    made.code = of.at("code").get<std::string>();
    made.arguments = of.at("arguments").get<std::vector<std::string>>();
    return made;
}

template <class Decode>
auto decoded(std::string_view text, Decode decode) -> std::optional<decltype(decode(json()))>
{
    try {
        return decode(json::parse(text));
    } catch (json::exception const&) {
        return std::nullopt;
    } catch (language::malformed const&) {
        return std::nullopt;
    }
}

}  // namespace

auto encode(operation const& of) -> std::string
{
    json made = {{"kind", static_cast<std::uint8_t>(of.kind)}, {"type", of.type},
        {"settings", language::encode_value(of.settings)}, {"prior", encode_optional(of.prior)},
        {"planned", encode_optional(of.planned)}, {"config", language::encode_value(of.config)}, {"id", of.id},
        {"withheld", of.withheld}};
    made["operation"] = {{"id", of.pending.operation}, {"kind", static_cast<std::uint8_t>(of.pending.kind)}};
    return made.dump();
}

auto decode_operation(std::string_view text) -> std::optional<operation>
{
    return decoded(text, [](json const& from) {
        operation made;
        made.kind = decode_enumeration(from.at("kind"), operation::kind_type::read_data);
        made.type = from.at("type").get<std::string>();
        made.settings = language::decode_value(from.at("settings"));
        made.prior = decode_optional(from.at("prior"));
        made.planned = decode_optional(from.at("planned"));
        made.config = language::decode_value(from.at("config"));
        made.id = from.at("id").get<std::string>();
        made.withheld = from.at("withheld").get<std::set<std::string>>();
        made.pending.operation = from.at("operation").at("id").get<std::string>();
        made.pending.kind =
            decode_enumeration(from.at("operation").at("kind"), strider::infra::operation_kind::destroy);
        return made;
    });
}

auto encode(operation_answer const& of) -> std::string
{
    json problems = json::array();
    for (diagnostic const& one : of.problems) problems.push_back(encode_diagnostic(one));
    return json{{"object", encode_optional(of.object)}, {"problems", std::move(problems)},
        {"interrupted", of.interrupted}, {"found", static_cast<std::uint8_t>(of.found)}}
        .dump();
}

auto decode_answer(std::string_view text) -> std::optional<operation_answer>
{
    return decoded(text, [](json const& from) {
        operation_answer made;
        made.object = decode_optional(from.at("object"));
        for (json const& one : from.at("problems")) made.problems.add(decode_diagnostic(one));
        made.interrupted = from.at("interrupted").get<bool>();
        made.found = decode_enumeration(from.at("found"), strider::infra::lookup_answer::unknown);
        return made;
    });
}

}  // namespace iacctl::providers
