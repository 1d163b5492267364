// SPDX-License-Identifier: BSL-1.0
#include "operation.hpp"

#include "built_in.hpp"
#include "language/values/storable.hpp"
#include "language/values/value_codec.hpp"
#include "messages/providers.hpp"
#include "messages/report.hpp"
#include "support/unicode.hpp"

#include <nlohmann/json.hpp>

#include <exception>
#include <memory>
#include <utility>

namespace iacctl::providers {

namespace {

namespace asio = strider::asio;
using json = nlohmann::json;
using strider::infra::diagnostic;
using strider::infra::diagnostics;
using strider::infra::resource_mode;

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

// Copies of the request for coroutines that take theirs apart.
auto request_of(operation const& what) -> apply_request
{
    return {what.pending, what.prior, what.planned, what.config};
}

// Texts that are not UTF-8 cannot be sent, nor stored.
void check_object(operation_answer& answer)
{
    if (!answer.object) return;
    auto const why = language::why_not_storable(*answer.object);
    if (!why) return;
    answer.object.reset();
    answer.problems.add(messages::make_error(messages::provider_result_not_storable,
        {why->path().empty() ? "it" : std::string_view(why->path()), why->message()}));
}

auto perform_on(resource_type const& type, operation const& what) -> task<operation_answer>
{
    operation_answer answer;
    if (what.kind == operation::kind_type::apply) {
        auto applying = type.apply(request_of(what));
        auto made = co_await std::move(applying);
        answer.object = std::move(made.object);
        answer.problems = std::move(made.problems);
        answer.interrupted = made.interrupted;
    } else if (what.kind == operation::kind_type::look_up) {
        auto asking = type.look_up(request_of(what));
        auto found = co_await std::move(asking);
        answer.found = found.answer;
        answer.object = std::move(found.object);
    } else if (what.kind == operation::kind_type::import_object) {
        auto importing = type.import_object(what.id);
        auto found = co_await std::move(importing);
        if (found) answer.object = std::move(*found);
        else answer.problems = found.error().why();
    } else {
        auto reading = type.read(what.prior.value_or(value()));
        auto found = co_await std::move(reading);
        if (found) answer.object = std::move(*found);
        else answer.problems = found.error().why();
    }
    co_return answer;
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

auto perform(operation what) -> task<operation_answer>
{
    co_await asio::this_coro::throw_if_cancelled(false);
    operation_answer answer;
    if (what.kind == operation::kind_type::read_data) {
        data_source const* const source = find_data_source(what.type);
        if (source == nullptr) {
            answer.problems = messages::make_error(messages::unknown_type_in_state, {what.type});
            co_return answer;
        }
        auto reading = source->read(what.config, {&what.withheld, {}});
        auto found = co_await std::move(reading);
        if (found) answer.object = std::move(*found);
        else answer.problems = found.error().why();
        check_object(answer);
        co_return answer;
    }
    resource_type const* type = find_resource_type(what.type);
    if (type == nullptr) {
        answer.problems = messages::make_error(messages::unknown_type_in_state, {what.type});
        co_return answer;
    }
    std::shared_ptr<resource_type const> own;
    if (!what.settings.is_null()) {
        auto configured = type->configured(what.settings);
        if (!configured) {
            answer.problems = configured.error().why();
            co_return answer;
        }
        own = std::move(*configured);
        if (own != nullptr) type = own.get();
    }
    auto performing = perform_on(*type, what);
    answer = co_await std::move(performing);
    check_object(answer);
    co_return answer;
}

auto can_be_placed(resource_mode mode, std::string_view type) noexcept -> bool
{
    if (mode == resource_mode::managed) return find_resource_type(type) != nullptr;
    // States are read with the encryption methods of the configuration.
    if (mode == resource_mode::data) return type != "terraform_remote_state" && find_data_source(type) != nullptr;
    return false;
}

}  // namespace iacctl::providers
