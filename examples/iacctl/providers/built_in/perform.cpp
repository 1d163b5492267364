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
