// SPDX-License-Identifier: BSL-1.0
#include "placed_type.hpp"

#include "messages/providers.hpp"
#include "messages/report.hpp"

#include <utility>

namespace iacctl::providers {

namespace {

using messages::make_error;
using strider::infra::diagnostics;
using strider::infra::failure;

auto obstacle_of(std::string_view type, operation_outcome const& end) -> diagnostics
{
    auto const& what =
        end.obstacle == run_obstacle::not_run ? messages::operation_not_placed : messages::operation_outcome_unknown;
    return make_error(what, {type, end.obstacle_text});
}

// The answer; its errors and obstacles as a failure.
auto answer_of(std::string_view type, operation_outcome end) -> expected<operation_answer>
{
    // These operations only read, so their outcome is never unknown.
    if (end.obstacle != run_obstacle::none)
        return failure(make_error(messages::operation_not_placed, {type, end.obstacle_text}));
    if (end.answer.problems.has_errors()) return failure(std::move(end.answer.problems));
    return std::move(end.answer);
}

}  // namespace

placed_type::placed_type(resource_type const& here, std::shared_ptr<resource_type const> configured, value settings,
    std::shared_ptr<operation_runner> on)
    : here_(&here),
      configured_(std::move(configured)),
      settings_(std::move(settings)),
      on_(std::move(on))
{}

auto placed_type::begin(operation::kind_type kind) const -> operation
{
    operation made;
    made.kind = kind;
    made.type = name();
    if (configured_ != nullptr) made.settings = settings_;
    return made;
}

auto placed_type::begin(operation::kind_type kind, apply_request request) const -> operation
{
    operation made = begin(kind);
    made.prior = std::move(request.prior);
    made.planned = std::move(request.planned);
    made.config = std::move(request.config);
    made.pending = std::move(request.operation);
    return made;
}

auto placed_type::read(value prior) const -> task<expected<std::optional<value>>>
{
    auto what = begin(operation::kind_type::read);
    what.prior = std::move(prior);
    auto performing = on_->perform(std::move(what));
    auto end = co_await std::move(performing);
    auto answer = answer_of(name(), std::move(end));
    if (!answer) co_return answer.error();
    co_return std::move(answer->object);
}

auto placed_type::apply(apply_request request) const -> task<applied>
{
    auto prior = request.prior;
    auto performing = on_->perform(begin(operation::kind_type::apply, std::move(request)));
    auto end = co_await std::move(performing);
    if (end.obstacle == run_obstacle::not_run) co_return applied(std::move(prior), obstacle_of(name(), end));
    if (end.obstacle == run_obstacle::outcome_unknown) {
        auto unknown = applied::unknown();
        unknown.problems = obstacle_of(name(), end);
        co_return unknown;
    }
    applied made(std::move(end.answer.object), std::move(end.answer.problems));
    made.interrupted = end.answer.interrupted;
    co_return made;
}

auto placed_type::look_up(apply_request request) const -> task<looked_up>
{
    auto performing = on_->perform(begin(operation::kind_type::look_up, std::move(request)));
    auto end = co_await std::move(performing);
    if (end.obstacle != run_obstacle::none) co_return looked_up();
    co_return looked_up(end.answer.found, std::move(end.answer.object));
}

auto placed_type::import_object(std::string id) const -> task<expected<value>>
{
    auto what = begin(operation::kind_type::import_object);
    what.id = std::move(id);
    auto performing = on_->perform(std::move(what));
    auto end = co_await std::move(performing);
    auto answer = answer_of(name(), std::move(end));
    if (!answer) co_return answer.error();
    if (!answer->object) co_return import_refused();
    co_return std::move(*answer->object);
}

auto read_placed_data(std::string type, value config, std::set<std::string> withheld,
    std::shared_ptr<operation_runner> on) -> task<expected<value>>
{
    operation what;
    what.kind = operation::kind_type::read_data;
    what.type = type;
    what.config = std::move(config);
    what.withheld = std::move(withheld);
    auto performing = on->perform(std::move(what));
    auto end = co_await std::move(performing);
    auto answer = answer_of(type, std::move(end));
    if (!answer) co_return answer.error();
    co_return answer->object.value_or(value());
}

}  // namespace iacctl::providers
