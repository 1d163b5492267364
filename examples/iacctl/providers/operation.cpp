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

auto encode_optional(std::optional<value> const& v) -> json
{
    return v ? language::encode_value(*v) : json();
}

auto decode_optional(json const& j) -> std::optional<value>
{
    return j.is_null() ? std::nullopt : std::optional(language::decode_value(j));
}

// An enumeration as a number. \throws language::malformed
template <class E>
auto decode_enumeration(json const& j, E last) -> E
{
    auto const number = j.get<std::uint8_t>();
    if (number > static_cast<std::uint8_t>(last)) throw language::malformed("a number is out of range");
    return static_cast<E>(number);
}

// The source is not encoded: providers do not know it.
auto encode_diagnostic(diagnostic const& problem) -> json
{
    std::vector<std::string> arguments;
    for (std::string const& one : problem.arguments) arguments.push_back(repaired_utf8(one));
    return {{"summary", repaired_utf8(problem.summary)}, {"detail", repaired_utf8(problem.detail)},
        {"address", problem.address}, {"warning", problem.level == strider::infra::severity::warning},
        {"attribute", problem.attribute}, {"code", problem.code}, {"arguments", std::move(arguments)}};
}

auto decode_diagnostic(json const& j) -> diagnostic
{
    diagnostic made;
    made.summary = j.at("summary").get<std::string>();
    made.detail = j.at("detail").get<std::string>();
    made.address = j.at("address").get<std::string>();
    if (j.at("warning").get<bool>()) made.level = strider::infra::severity::warning;
    made.attribute = j.at("attribute").get<std::string>();
    made.code = j.at("code").get<std::string>();
    made.arguments = j.at("arguments").get<std::vector<std::string>>();
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

auto encode(operation const& o) -> std::string
{
    json made = {{"kind", static_cast<std::uint8_t>(o.kind)}, {"type", o.type},
        {"settings", language::encode_value(o.settings)}, {"prior", encode_optional(o.prior)},
        {"planned", encode_optional(o.planned)}, {"config", language::encode_value(o.config)}, {"id", o.id},
        {"withheld", o.withheld}};
    made["operation"] = {{"id", o.pending.operation}, {"kind", static_cast<std::uint8_t>(o.pending.kind)}};
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

auto encode(operation_answer const& answer) -> std::string
{
    json problems = json::array();
    for (diagnostic const& one : answer.problems) problems.push_back(encode_diagnostic(one));
    return json{{"object", encode_optional(answer.object)}, {"problems", std::move(problems)},
        {"interrupted", answer.interrupted}, {"found", static_cast<std::uint8_t>(answer.found)}}
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
