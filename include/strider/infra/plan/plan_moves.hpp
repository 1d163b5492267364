// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_PLAN_PLAN_MOVES_HPP
#define STRIDER_INFRA_PLAN_PLAN_MOVES_HPP

#include <strider/core/result.hpp>
#include <strider/infra/model/change.hpp>
#include <strider/infra/model/plan_options.hpp>
#include <strider/infra/model/selection.hpp>
#include <strider/infra/plan/basic_plan.hpp>
#include <strider/infra/plan/implied_moves.hpp>
#include <strider/infra/plan/moves.hpp>
#include <strider/infra/program/declaration_index.hpp>
#include <strider/infra/program/instances.hpp>
#include <strider/infra/program/program.hpp>
#include <strider/infra/program/state_statements.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace strider::infra {

/// Moves of objects in a plan: rewrites state before planning, and checks the statements against the configuration
/// afterwards.
template <program P>
class plan_moves {
    using value_type = typename P::value_type;

public:
    /// The program must outlive this object.
    explicit plan_moves(declaration_index<P> declared)
        : declared_(std::move(declared)),
          configuration_(&declared_.configuration())
    {}

    /// Returns state with all objects at the addresses that the configuration states.
    [[nodiscard]] auto apply(snapshot prior) const -> result<moved_state, failure>
    {
        if constexpr (has_moves<P>) {
            std::vector<move_statement> statements;
            for (move_statement const& s : configuration_->moves()) statements.push_back(s);
            implied_moves<P> const implied(declared_, statements);
            moved_state begun;
            begun.state = std::move(prior);
            implied.follow_modules_of_others(begun);
            auto moved = apply_moves(std::move(begun), statements);
            if (!moved) {
                // A cycle often follows from another error, which says more.
                auto wrong = check_moves(statements);
                return wrong.has_errors() ? result<moved_state, failure>(failure(std::move(wrong))) : moved;
            }
            implied.follow(*moved);
            if (auto problems = convert(*moved); problems.has_errors()) return failure(std::move(problems));
            follow_moves(*moved);
            return moved;
        } else {
            moved_state unmoved;
            unmoved.state = std::move(prior);
            return unmoved;
        }
    }

    /// Records moves, which apply independently of the rest of the plan.
    static void note(moved_state const& moved, basic_plan<value_type>& plan)
    {
        for (journal_entry& e : entries_of(moved)) plan.refreshed.push_back(std::move(e));
        if (moved.blocked.empty()) return;
        std::vector<std::string> pairs;
        for (auto const& [from, to] : moved.blocked) {
            pairs.push_back(to_string(from));
            pairs.push_back(to_string(to));
        }
        plan.warnings.add(make_warning(codes::blocked_moves, std::move(pairs)));
    }

    /// Warns of objects that the plan destroys because a statement omits a key, or names one that is not declared.
    /// \pre the plan has all changes
    [[nodiscard]] auto lost([[maybe_unused]] basic_plan<value_type> const& plan) const -> diagnostics
    {
        diagnostics found;
        if constexpr (has_moves<P>) {
            std::vector<address> created;
            for (auto const& c : plan.changes)
                if (c.what == action::create) created.push_back(c.target);
            for (auto const& c : plan.changes) {
                if (c.what != action::destroy || c.of_deposed) continue;
                for (move_statement const& s : configuration_->moves()) {
                    bool const is_target = moved_to(reversed(s), c.target).has_value();
                    if (c.previous ? is_target && is_no_instance(s, c) : omits_key(s, c.target, created))
                        found.add(warning_of(s, c));
                }
            }
        }
        return found;
    }

    /// Reports moves that contradict the declarations, or that the options do not cover.
    [[nodiscard]] auto check([[maybe_unused]] moved_state const& prior,
        [[maybe_unused]] basic_plan<value_type> const& plan, [[maybe_unused]] plan_options const& options) const
        -> diagnostics
    {
        diagnostics found;
        if constexpr (has_moves<P>) {
            std::vector<move_statement> statements;
            for (move_statement const& s : configuration_->moves()) statements.push_back(s);
            if (statements.empty() && prior.previous.empty()) return found;
            found = check_moves(statements);
            std::vector<address> declared;
            if (options.mode != plan_mode::destroy)
                for (auto const& c : plan.changes)
                    if (c.declaration != no_declaration && !c.of_deposed && c.what != action::destroy)
                        declared.push_back(c.target);
            found.add(check_moved_objects(statements, declared));
            std::set<std::string> not_covered;
            for (auto const& [to, from] : prior.previous)
                for (address const& a : {to, from})
                    if (!is_covered(options, a)) not_covered.insert(to_string(a.resource()));
            if (!not_covered.empty() && !options.excludes.empty()) {
                std::vector<std::string> excluded;
                for (address const& a : options.excludes)
                    excluded.push_back(a.type().empty() ? to_string(a.module()) : to_string(a));
                found.add(make_error(codes::moved_objects_excluded, std::move(excluded)));
            } else if (!not_covered.empty()) {
                found.add(make_error(codes::moved_objects_not_targeted,
                    std::vector<std::string>(not_covered.begin(), not_covered.end())));
            }
        }
        return found;
    }

private:
    // True if the destination is not an instance of what the statement moves.
    [[nodiscard]] static auto is_no_instance(move_statement const& s, change<value_type> const& c) -> bool
    {
        bool const is_resource = !detail::is_module(s.to);
        return c.reason == action_reason::delete_because_no_module
            || (is_resource && c.reason == action_reason::delete_because_wrong_repetition);
    }

    // True if the statement would move an object if it did not omit keys of its address: what it moves there is now created.
    [[nodiscard]] static auto omits_key(move_statement const& s, address const& a, std::vector<address> const& created)
        -> bool
    {
        if (moved_to(s, a) || !names_without_keys(s, a)) return false;
        return std::ranges::any_of(
            created, [&](address const& there) { return moved_to(reversed(s), there).has_value(); });
    }

    [[nodiscard]] static auto warning_of(move_statement const& s, change<value_type> const& c) -> diagnostic
    {
        diagnostic made = c.previous
            ? make_warning(codes::moved_to_no_instance, {to_string(*c.previous), to_string(c.target)})
            : make_warning(codes::moved_without_key,
                  {move_endpoint_text(s, s.from), move_endpoint_text(s, s.to), to_string(c.target)});
        made.source = s.source;
        return made;
    }

    // Gives moved objects the form that their new addresses require.
    [[nodiscard]] auto convert([[maybe_unused]] moved_state& moved) const -> diagnostics
    {
        diagnostics problems;
        if constexpr (converts_moved_objects<P>)
            for (auto const& [to, from] : moved.previous) {
                std::size_t const number = declared_.find(to.config());
                if (number == no_declaration) continue;
                auto const convert_one = [&](object& o) {
                    auto made = configuration_->convert_moved(declared_[number], from, to, o);
                    if (made) o = std::move(*made);
                    else problems.add(made.error().why());
                };
                resource_record& record = moved.state.resources.at(to);
                if (record.current) convert_one(*record.current);
                for (auto& [key, old] : record.deposed) convert_one(old);
            }
        return problems;
    }

    declaration_index<P> declared_;
    P const* configuration_;
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_PLAN_PLAN_MOVES_HPP
