// SPDX-License-Identifier: BSL-1.0
#include "perform.hpp"

#include "built_in.hpp"
#include "language/values/storable.hpp"
#include "messages/providers.hpp"
#include "messages/report.hpp"

#include <memory>
#include <utility>

namespace iacctl::providers {

namespace {

namespace asio = strider::asio;
using strider::infra::resource_mode;

// Copies of the request for coroutines that take theirs apart.
auto request_of(operation const& o) -> apply_request
{
    return {o.pending, o.prior, o.planned, o.config};
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

auto perform_on(resource_type const& type, operation const& o) -> task<operation_answer>
{
    operation_answer answer;
    if (o.kind == operation::kind_type::apply) {
        auto applying = type.apply(request_of(o));
        auto made = co_await std::move(applying);
        answer.object = std::move(made.object);
        answer.problems = std::move(made.problems);
        answer.interrupted = made.interrupted;
    } else if (o.kind == operation::kind_type::look_up) {
        auto asking = type.look_up(request_of(o));
        auto found = co_await std::move(asking);
        answer.found = found.answer;
        answer.object = std::move(found.object);
    } else if (o.kind == operation::kind_type::import_object) {
        auto importing = type.import_object(o.id);
        auto found = co_await std::move(importing);
        if (found) answer.object = std::move(*found);
        else answer.problems = found.error().why();
    } else {
        auto reading = type.read(o.prior.value_or(value()));
        auto found = co_await std::move(reading);
        if (found) answer.object = std::move(*found);
        else answer.problems = found.error().why();
    }
    co_return answer;
}

}  // namespace

auto perform(operation o) -> task<operation_answer>
{
    co_await asio::this_coro::throw_if_cancelled(false);
    operation_answer answer;
    if (o.kind == operation::kind_type::read_data) {
        data_source const* const source = find_data_source(o.type);
        if (source == nullptr) {
            answer.problems = messages::make_error(messages::unknown_type_in_state, {o.type});
            co_return answer;
        }
        auto reading = source->read(o.config, {&o.withheld, {}});
        auto found = co_await std::move(reading);
        if (found) answer.object = std::move(*found);
        else answer.problems = found.error().why();
        check_object(answer);
        co_return answer;
    }
    resource_type const* type = find_resource_type(o.type);
    if (type == nullptr) {
        answer.problems = messages::make_error(messages::unknown_type_in_state, {o.type});
        co_return answer;
    }
    std::shared_ptr<resource_type const> own;
    if (!o.settings.is_null()) {
        auto configured = type->configured(o.settings);
        if (!configured) {
            answer.problems = configured.error().why();
            co_return answer;
        }
        own = std::move(*configured);
        if (own != nullptr) type = own.get();
    }
    auto performing = perform_on(*type, o);
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
