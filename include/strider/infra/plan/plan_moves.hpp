// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_PLAN_PLAN_MOVES_HPP
#define STRIDER_INFRA_PLAN_PLAN_MOVES_HPP

#include <strider/infra/model/change.hpp>
#include <strider/infra/model/plan_options.hpp>
#include <strider/infra/model/selection.hpp>
#include <strider/infra/plan/basic_plan.hpp>
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
    [[nodiscard]] auto apply(snapshot prior) const -> expected<moved_state>
    {
        if constexpr (has_moves<P>) {
            std::vector<move_statement> statements;
            for (move_statement const& s : configuration_->moves()) statements.push_back(s);
            auto moved = apply_moves(std::move(prior), statements);
            if (!moved) return moved;
            // Statements about modules do not mention their resources.
            auto const mentioned = [&](address const& a) {
                return std::any_of(statements.begin(), statements.end(), [&](move_statement const& s) {
                    if (detail::is_module(s.from)) return false;
                    move_statement back = s;
                    std::swap(back.from, back.to);
                    return moved_to(s, a) || moved_to(back, a);
                });
            };
            std::vector<std::pair<address, address>> implied;
            for (auto const& [a, _] : moved->state.resources) {
                instance_key const first(std::int64_t{0});
                if (a.mode() != resource_mode::managed || (a.key() && a.key() != first)) continue;
                std::size_t const number = declared_.find(a.config());
                if (number == no_declaration) continue;
                auto const was = moved->previous.find(a);
                bool const renamed = was != moved->previous.end() && was->second.config() != a.config();
                if (renamed) continue;
                repetition_kind const repetition = configuration_->repetition_of(declared_[number]);
                bool const to_many = repetition == repetition_kind::count && !a.key();
                bool const to_one =
                    (repetition == repetition_kind::single || repetition == repetition_kind::optional) && a.key();
                if (!to_many && !to_one) continue;
                address const to(a.module(), a.mode(), a.type(), a.name(), to_many ? first : instance_key());
                if (!mentioned(a) && !mentioned(to)) implied.emplace_back(a, to);
            }
            for (auto const& [from, to] : implied) move_instance(*moved, from, to);
            if (auto problems = convert(*moved); has_errors(problems)) return failure(std::move(problems));
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
        plan.warnings.push_back(make_warning(codes::blocked_moves, std::move(pairs)));
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
            for (diagnostic& d : check_moved_objects(statements, declared)) found.push_back(std::move(d));
            std::set<std::string> not_covered;
            for (auto const& [to, from] : prior.previous)
                for (address const& a : {to, from})
                    if (!is_covered(options, a)) not_covered.insert(to_string(a.resource()));
            if (!not_covered.empty() && !options.excludes.empty()) {
                std::vector<std::string> excluded;
                for (address const& a : options.excludes)
                    excluded.push_back(a.type().empty() ? to_string(a.module()) : to_string(a));
                found.push_back(make_error(codes::moved_objects_excluded, std::move(excluded)));
            } else if (!not_covered.empty()) {
                found.push_back(make_error(codes::moved_objects_not_targeted,
                    std::vector<std::string>(not_covered.begin(), not_covered.end())));
            }
        }
        return found;
    }

private:
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
                    else append(problems, made.error().why());
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
