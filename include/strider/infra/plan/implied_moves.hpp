// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_PLAN_IMPLIED_MOVES_HPP
#define STRIDER_INFRA_PLAN_IMPLIED_MOVES_HPP

#include <strider/infra/model/address.hpp>
#include <strider/infra/model/move_statement.hpp>
#include <strider/infra/plan/moves.hpp>
#include <strider/infra/program/declaration_index.hpp>
#include <strider/infra/program/instances.hpp>
#include <strider/infra/program/program.hpp>
#include <strider/infra/program/state_statements.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace strider::infra {

/// Moves without a statement: between the only instance of a resource or module and the first of many, after `count` was
/// added or removed. A statement that mentions the resource or module replaces them.
template <has_moves P>
class implied_moves {
public:
    /// All references must outlive this object.
    implied_moves(declaration_index<P> const& declared, std::vector<move_statement> const& statements)
        : declared_(&declared),
          statements_(&statements)
    {}

    /// Moves instances of modules, before the statements: except instances to which a statement applies.
    void follow_modules_of_others(moved_state& in) const
    {
        auto const is_subject = [this](address const& a) {
            return std::ranges::any_of(
                *statements_, [&](move_statement const& s) { return moved_to(s, a).has_value(); });
        };
        move(in, [&](address const& a) { return is_subject(a) ? std::nullopt : in_modules(a); });
        in.blocked.clear();  // `follow` tries again
    }

    /// Moves instances of modules and of resources, after the statements.
    void follow(moved_state& in) const
    {
        move(in, [this](address const& a) { return in_modules(a); });
        move(in, [&](address const& a) { return in_resource(in, a); });
    }

private:
    template <class NewAddress>
    static void move(moved_state& in, NewAddress const& to)
    {
        std::vector<std::pair<address, address>> todo;
        for (auto const& [a, _] : in.state.resources)
            if (auto there = to(a); there && *there != a) todo.emplace_back(a, std::move(*there));
        for (auto const& [from, there] : todo) move_instance(in, from, there);
    }

    // The key of the same instance, according to the present declaration.
    [[nodiscard]] auto key_in(std::size_t declaration, instance_key const& key) const -> instance_key
    {
        instance_key const first(std::int64_t{0});
        auto const repetition = declared_->configuration().repetition_of((*declared_)[declaration]);
        bool const is_one = repetition == repetition_kind::single || repetition == repetition_kind::optional;
        if (repetition == repetition_kind::count && !key) return first;
        return is_one && key == first ? instance_key() : key;
    }

    // The address in the modules that contain the declaration; nothing if there is no declaration.
    [[nodiscard]] auto in_modules(address const& a) const -> std::optional<address>
    {
        if (a.module().empty()) return std::nullopt;
        std::size_t declaration = declared_->find(a.config());
        if (declaration == no_declaration) return std::nullopt;
        std::vector<module_step> path = a.module();
        for (std::size_t depth = path.size(); depth-- > 0;) {
            declaration = declared_->module(declaration);
            if (declaration == no_declaration) return std::nullopt;
            if (!is_mentioned(a.module(), depth + 1)) path[depth].key = key_in(declaration, path[depth].key);
        }
        return address(std::move(path), a.mode(), a.type(), a.name(), a.key());
    }

    [[nodiscard]] auto in_resource(moved_state const& in, address const& a) const -> std::optional<address>
    {
        std::size_t const declaration = declared_->find(a.config());
        if (a.mode() != resource_mode::managed || declaration == no_declaration) return std::nullopt;
        auto const was = in.previous.find(a);
        if (was != in.previous.end() && was->second.config() != a.config()) return std::nullopt;
        address const to = a.instance(key_in(declaration, a.key()));
        return is_mentioned(a) || is_mentioned(to) ? std::nullopt : std::optional(to);
    }

    // True if a statement mentions the module of the first steps of a path.
    [[nodiscard]] auto is_mentioned(std::vector<module_step> const& path, std::size_t depth) const -> bool
    {
        std::vector<std::string> names;
        for (std::size_t i = 0; i < depth; ++i) names.push_back(path[i].name);
        auto const is_end = [&](move_statement const& s, address const& end) {
            std::vector<std::string> named = s.within;
            for (module_step const& step : end.module()) named.push_back(step.name);
            return detail::is_module(end) && named == names;
        };
        return std::ranges::any_of(
            *statements_, [&](move_statement const& s) { return is_end(s, s.from) || is_end(s, s.to); });
    }

    // True if a statement mentions the instance. Statements about modules do not mention their resources.
    [[nodiscard]] auto is_mentioned(address const& a) const -> bool
    {
        return std::ranges::any_of(*statements_, [&](move_statement const& s) {
            return !detail::is_module(s.from) && (moved_to(s, a) || moved_to(reversed(s), a));
        });
    }

    declaration_index<P> const* declared_;
    std::vector<move_statement> const* statements_;
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_PLAN_IMPLIED_MOVES_HPP
