// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_PLAN_RECOVER_PENDING_HPP
#define STRIDER_INFRA_PLAN_RECOVER_PENDING_HPP

#include <strider/infra/journal/journal_entry.hpp>
#include <strider/infra/model/lifecycle.hpp>
#include <strider/infra/model/move_statement.hpp>
#include <strider/infra/model/snapshot.hpp>
#include <strider/infra/plan/moves.hpp>
#include <strider/infra/program/declaration_index.hpp>
#include <strider/infra/program/ephemeral.hpp>
#include <strider/infra/program/evaluation_scope.hpp>
#include <strider/infra/program/program.hpp>
#include <strider/infra/program/provider.hpp>
#include <strider/infra/program/provider_configuration.hpp>
#include <strider/infra/program/provisioners.hpp>
#include <strider/infra/program/requests.hpp>
#include <strider/infra/program/state_statements.hpp>
#include <strider/infra/program/task.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

namespace strider::infra {

namespace detail {

template <program P, provider_for<P> Provider>
class pending_recovery {
    using value_type = typename P::value_type;

public:
    pending_recovery(declaration_index<P> declared, Provider& provider)
        : declared_(std::move(declared)),
          configuration_(&declared_.configuration()),
          provider_(&provider),
          scope_(declared_.names())
    {}

    [[nodiscard]] auto run(snapshot& prior, std::vector<journal_entry>& entries) -> task<diagnostics>
    {
        diagnostics problems;
        end_unfinished(prior, entries);
        auto const pending = prior.pending;
        auto configuring = configure_providers(prior);
        problems = co_await std::move(configuring);
        if (!problems.empty()) co_return problems;
        for (auto const& [_, operation] : pending) {
            looked_up<value_type> found;
            if (operation.kind != operation_kind::invoke) {
                auto looking_up = look_up(prior, operation);
                found = co_await std::move(looking_up);
            }
            if (auto undecided = undecided_part(operation, found.answer)) {
                problems.add(std::move(*undecided));
                continue;
            }
            std::optional<object> result;
            if (found.object) {
                result = configuration_->encode(operation.target, operation.provider, *found.object);
                result->provider = operation.provider;
                result->private_data = found.private_data;
                if (object const* const old = prior_object(prior, operation); old != nullptr) {
                    result->dependencies = old->dependencies;
                    result->create_before_destroy = old->create_before_destroy;
                    result->keep = old->keep;
                }
                // The steps after an interrupted create may be missing.
                result->tainted = operation.kind == operation_kind::create
                    && (found.answer != lookup_answer::done || operation.provisioned
                        || is_provisioned(operation.target));
                result->unfinished = result->tainted;
            }
            entries.push_back(
                journal_entry::end(operation, std::move(result), found.answer == lookup_answer::not_done));
            (void)replay(prior, entries.back());
        }
        co_return problems;
    }

private:
    // The part of an operation that only a user can decide. Provisioners of a destroy precede the call of the provider,
    // so a call that was not made does not show that they did not run. No provider is able to look up an action.
    [[nodiscard]] static auto undecided_part(pending_operation const& operation, lookup_answer found)
        -> std::optional<diagnostic>
    {
        std::string const target = to_string(operation.target);
        if (operation.kind == operation_kind::invoke) return make_error(codes::undecided_action, {target}, target);
        if (found == lookup_answer::unknown)
            return make_error(codes::undecided_operation, {std::string(to_string(operation.kind)), target}, target);
        bool const provisioned = operation.provisioned && operation.kind == operation_kind::destroy;
        if (provisioned && found == lookup_answer::not_done)
            return make_error(codes::undecided_provisioners, {target}, target);
        return std::nullopt;
    }

    // Ends creates whose objects were recorded: the objects exist, and keep their unfinished flag.
    static void end_unfinished(snapshot& prior, std::vector<journal_entry>& entries)
    {
        std::vector<journal_entry> ends;
        for (auto const& [_, operation] : prior.pending)
            if (object const* const made = created_by(prior, operation); made != nullptr)
                ends.push_back(journal_entry::end(operation, *made, false));
        for (journal_entry& e : ends) {
            (void)replay(prior, e);
            entries.push_back(std::move(e));
        }
    }

    // Finds configurations by the provider names that objects store.
    [[nodiscard]] auto configure_providers(snapshot const& prior) -> task<diagnostics>
    {
        diagnostics problems;
        std::vector<bool> seen(declared_.size());
        std::vector<std::size_t> order;
        for (auto const& [_, operation] : prior.pending)
            if (auto const number = declared_.find(operation.provider); number != no_declaration)
                add_with_dependencies(number, seen, order);
        for (std::size_t const number : order) {
            auto const& d = declared_[number];
            declaration_kind const kind = declared_.kind(number);
            if (kind == declaration_kind::resource) {
                publish_objects(number, prior, problems);
                continue;
            }
            if (kind == declaration_kind::check) continue;
            if (kind == declaration_kind::provider) {
                auto configuring = configure(*configuration_, *provider_, d, scope_);
                auto config = co_await std::move(configuring);
                if (config) scope_.publish(number, std::move(*config));
                else problems.add(config.error().why());
            } else if (kind == declaration_kind::ephemeral) {
                auto opening = open_instances(*configuration_, *provider_, d, number, scope_);
                problems.add(co_await std::move(opening));
            } else if (auto value = configuration_->evaluate(d, address(), scope_))
                scope_.publish(number, std::move(*value));
            else problems.add(value.error().why());
        }
        co_return problems;
    }

    // A declaration follows its references and its module. References of resources are omitted, because their objects
    // are as in state. Planning reports cycles. Not recursive: only memory limits the length of chains.
    void add_with_dependencies(std::size_t first, std::vector<bool>& seen, std::vector<std::size_t>& order) const
    {
        struct frame {
            std::size_t number;
            std::vector<std::size_t> dependencies;  // not visited yet, the next one last
        };
        std::vector<frame> path;
        auto const enter = [&](std::size_t number) {
            if (seen[number]) return;
            seen[number] = true;
            path.push_back({number, dependencies_of(number)});
        };
        enter(first);
        while (!path.empty()) {
            frame& top = path.back();
            if (top.dependencies.empty()) {
                order.push_back(top.number);
                path.pop_back();
                continue;
            }
            std::size_t const next = top.dependencies.back();
            top.dependencies.pop_back();
            enter(next);
        }
    }
    [[nodiscard]] auto dependencies_of(std::size_t number) const -> std::vector<std::size_t>
    {
        std::vector<std::size_t> all;
        if (declared_.kind(number) != declaration_kind::resource)
            for (resolved_reference const& r : std::views::reverse(declared_.references(number)))
                all.push_back(r.declaration);
        if (std::size_t const module = declared_.module(number); module != no_declaration) all.push_back(module);
        return all;
    }

    void publish_objects(std::size_t number, snapshot const& prior, diagnostics& problems)
    {
        address const block = configuration_->address_of(declared_[number]);
        std::vector<address> instances;
        for (auto const& [a, record] : prior.resources)
            if (record.current && a.config() == block) instances.push_back(a);
        scope_.expand(number, instances);
        for (address const& a : instances) {
            auto value = configuration_->decode(a, *prior.find(a)->current);
            if (value) scope_.publish(number, a, std::move(*value));
            else problems.add(value.error().why());
        }
    }

    // The object with which an operation started: the current one, or the one that it deposed.
    [[nodiscard]] static auto prior_object(snapshot const& prior, pending_operation const& operation) -> object const*
    {
        auto const* const record = prior.find(operation.target);
        if (record == nullptr) return nullptr;
        if (auto const old = record->deposed.find(operation.deposed_key); old != record->deposed.end())
            return &old->second;
        return record->current ? &*record->current : nullptr;
    }

    // True if provisioners follow the creation. Without a declaration nothing is known of them.
    [[nodiscard]] auto is_provisioned([[maybe_unused]] address const& target) const -> bool
    {
        if constexpr (has_provisioners<P>) {
            std::size_t const number = declared_.find(present(target).config());
            if (number == no_declaration) return true;
            for (provisioner const& step : configuration_->provisioners(declared_[number]))
                if (step.when == provision_time::create) return true;
        }
        return false;
    }
    // The address to which an object will be moved.
    [[nodiscard]] auto present(address target) const -> address
    {
        if constexpr (has_moves<P>)
            for (move_statement const& s : configuration_->moves())
                if (auto moved = moved_to(s, target)) target = *std::move(moved);
        return target;
    }

    [[nodiscard]] auto look_up(snapshot const& prior, pending_operation operation) -> task<looked_up<value_type>>
    {
        std::optional<value_type> before;
        std::optional<value_type> planned;
        document private_data;
        if (object const* const old = prior_object(prior, operation); old != nullptr) {
            if (auto decoded = configuration_->decode(operation.target, *old)) before = std::move(*decoded);
            private_data = old->private_data;
        }
        if (!operation.request.empty()) {
            object asked;
            asked.attributes = operation.request;
            asked.sensitive = operation.sensitive;
            asked.provider = operation.provider;
            if (auto decoded = configuration_->decode(operation.target, asked)) planned = std::move(*decoded);
        }
        apply_request<value_type> request(
            std::move(operation), std::move(before), std::move(planned), {}, std::move(private_data));
        looked_up<value_type> answer;
        if constexpr (looks_up_operations<Provider, P>) {
            auto answering = provider_->look_up(std::move(request));
            answer = co_await std::move(answering);
        }
        co_return answer;
    }

    declaration_index<P> declared_;
    P const* configuration_;
    Provider* provider_;
    evaluation_scope<value_type> scope_;
};

}  // namespace detail

/// Determines the results of operations without a recorded end, before planning.
///
/// Looks the operations up at their providers, which it configures first. The configurations see objects as they are
/// in state, and objects that do not exist as unknown.
/// \param prior    the state; the results are applied to it
/// \param entries  receives the results
/// \return errors: results that only a user can supply, or errors in a configuration
template <program P, provider_for<P> Provider>
[[nodiscard]] auto recover_pending(declaration_index<P> declared, Provider& provider, snapshot& prior,
    std::vector<journal_entry>& entries) -> task<diagnostics>
{
    detail::pending_recovery<P, Provider> recovery(std::move(declared), provider);
    auto running = recovery.run(prior, entries);
    co_return co_await std::move(running);
}

}  // namespace strider::infra

#endif  // STRIDER_INFRA_PLAN_RECOVER_PENDING_HPP
