// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_FUZZ_REFERENCE_HPP
#define STRIDER_TESTS_FUZZ_REFERENCE_HPP

#include <strider/infra/model/change.hpp>
#include <strider/infra/model/plan_options.hpp>
#include <strider/infra/model/snapshot.hpp>
#include <strider/infra/sim/toy_program.hpp>

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace strider::test {

/// Facts that follow from the text of a program: dependencies, create_before_destroy, instances and values. It uses no graph, no
/// stage and no scope of the engine.
class program_reference {
public:
    using declaration = infra::sim::toy_declaration;

    explicit program_reference(infra::sim::toy_program const& p);

    [[nodiscard]] auto size() const -> std::size_t { return program_->declarations().size(); }
    [[nodiscard]] auto operator[](std::size_t i) const -> declaration const& { return program_->declarations()[i]; }
    [[nodiscard]] auto program() const -> infra::sim::toy_program const& { return *program_; }
    [[nodiscard]] auto find(std::string const& name) const -> std::optional<std::size_t>;
    /// The resource or action with a configuration address.
    [[nodiscard]] auto find(infra::address const& block) const -> std::optional<std::size_t>;

    /// All declarations that a declaration depends on.
    [[nodiscard]] auto closure(std::size_t i) const -> std::set<std::size_t> const& { return closures_[i]; }
    /// The resources among these dependencies, with their names in state.
    [[nodiscard]] auto dependencies(std::size_t i) const -> std::set<std::string>;
    /// Returns whether the flag is declared, or forced by a dependent.
    [[nodiscard]] auto creates_before_destroy(std::size_t i) const -> bool { return late_[i]; }
    /// Returns whether a declaration that is create_before_destroy refers to single instances of this one.
    [[nodiscard]] auto is_named_by_key(std::size_t i) const -> bool { return by_key_[i]; }

    /// Returns whether any declaration refers to single instances of this one.
    [[nodiscard]] auto is_mentioned_by_key(std::size_t i) const -> bool { return mentioned_[i]; }

    /// The instances of a resource, evaluated with the objects of a state; empty if they cannot be computed.
    [[nodiscard]] auto instances(std::size_t i, infra::snapshot const& s) const
        -> std::optional<std::vector<infra::address>>;
    /// The value of a term for an instance; empty if it cannot be computed.
    [[nodiscard]] auto value(infra::sim::toy_term const& t, infra::address const& a, infra::snapshot const& s) const
        -> std::optional<std::string>;

private:
    [[nodiscard]] auto keys(declaration const& d, infra::snapshot const& s) const
        -> std::optional<std::vector<infra::instance_key>>;
    void add_direct(std::size_t i, std::set<std::size_t>& to) const;
    void add_triggered(std::vector<std::set<std::size_t>>& direct) const;
    [[nodiscard]] static auto closure_of(std::vector<std::set<std::size_t>> const& direct, std::size_t i)
        -> std::set<std::size_t>;

    infra::sim::toy_program const* program_;
    std::map<std::string, std::size_t> by_name_;
    std::vector<std::set<std::size_t>> closures_;
    std::vector<bool> late_;
    std::vector<bool> by_key_;
    std::vector<bool> mentioned_;
};

/// Returns whether no order of the operations of some changes satisfies all rules of the graph specification. A
/// reference applies to all instances of its subject.
[[nodiscard]] auto is_contradictory(program_reference const& text,
    std::vector<infra::change<infra::sim::toy_value>> const& changes, infra::plan_mode mode) -> bool;

}  // namespace strider::test

#endif  // STRIDER_TESTS_FUZZ_REFERENCE_HPP
