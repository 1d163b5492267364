// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_GRAPH_GRAPH_TABLES_HPP
#define STRIDER_INFRA_GRAPH_GRAPH_TABLES_HPP

#include <strider/infra/graph/nodes.hpp>
#include <strider/infra/model/change.hpp>
#include <strider/infra/model/dependency_set.hpp>
#include <strider/infra/model/invocation.hpp>
#include <strider/infra/model/lifecycle.hpp>
#include <strider/infra/model/plan_options.hpp>
#include <strider/infra/program/declaration_index.hpp>
#include <strider/infra/program/program.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace strider::infra {

/// The tables that the numbers in the vertices of a graph refer to; shared by all policies of one pipeline.
template <program P>
class graph_tables {
public:
    using value_type = typename P::value_type;  ///< values of the program

    /// Numbers the resources, providers and deposed objects of the changes. \pre `changes` outlives the tables
    /// \param invocations  outlives the tables, too
    /// \param left_out  declarations that the plan leaves out, by number
    graph_tables(declaration_index<P> declared, std::vector<change<value_type>> const& changes, plan_mode mode,
        std::vector<invocation<value_type>> const& invocations = no_invocations(), std::set<std::size_t> left_out = {})
        : declared_(std::move(declared)),
          changes_(&changes),
          invocations_(&invocations),
          mode_(mode),
          left_out_(std::move(left_out))
    {
        std::map<std::string_view, std::uint32_t> providers;
        for (std::size_t i = 0; i < changes.size(); ++i) {
            providers.emplace(changes[i].provider, 0);
            blocks_.push_back(
                block_numbers_.emplace(changes[i].config, static_cast<std::uint32_t>(block_numbers_.size()))
                    .first->second);
            if (changes[i].of_deposed && changes[i].what == action::destroy)
                deposed_[changes[i].target].push_back(static_cast<std::uint32_t>(i));
        }
        for (auto const& one : invocations) providers.emplace(one.provider, 0);
        number_sets();
        for (auto& [name, number] : providers) {
            number = static_cast<std::uint32_t>(providers_.size());
            providers_.emplace_back(name);
            if (std::size_t const d = declared_.find(name); d != no_declaration) configured_.emplace(d, number);
        }
        for (auto const& c : changes) provider_of_change_.push_back(providers.find(c.provider)->second);
        for (auto const& one : invocations) provider_of_invocation_.push_back(providers.find(one.provider)->second);
    }

    /// The parts of one run, as given to the constructor.
    /// @{
    [[nodiscard]] auto declared() const noexcept -> declaration_index<P> const& { return declared_; }
    [[nodiscard]] auto configuration() const noexcept -> P const& { return declared_.configuration(); }
    [[nodiscard]] auto mode() const noexcept -> plan_mode { return mode_; }
    [[nodiscard]] auto changes() const noexcept -> std::vector<change<value_type>> const& { return *changes_; }
    [[nodiscard]] auto invocations() const noexcept -> std::vector<invocation<value_type>> const&
    {
        return *invocations_;
    }
    /// @}
    /// The change of a creator or a destroyer. \pre the vertex has such a role
    [[nodiscard]] auto change_of(node const& n) const -> change<value_type> const& { return (*changes_)[n.index]; }
    /// The declaration of a vertex. \pre the index of its role is that of a declaration
    [[nodiscard]] auto declaration_of(node const& n) const -> decltype(auto) { return declared_[n.index]; }
    /// True if the vertex is a declaration that the plan leaves out.
    [[nodiscard]] auto is_left_out(node const& n) const -> bool
    {
        return n.role == node_role::declaration && left_out_.contains(n.index);
    }
    /// True if the vertex is a declaration of this kind.
    [[nodiscard]] auto declares(node const& n, declaration_kind kind) const noexcept -> bool
    {
        return n.role == node_role::declaration && declared_.kind(n.index) == kind;
    }
    /// Number of the resource that the change of a vertex belongs to. Resources with changes are numbered.
    [[nodiscard]] auto block_of(node const& n) const -> std::uint32_t { return blocks_[n.index]; }
    /// The distinct providers of the changes and invocations in ascending name, by number.
    [[nodiscard]] auto providers() const noexcept -> std::vector<std::string> const& { return providers_; }
    /// Numbers of the changes that destroy deposed objects of an instance; empty if there is none.
    [[nodiscard]] auto deposed_of(address const& a) const -> std::span<std::uint32_t const>
    {
        auto const found = deposed_.find(a);
        return found == deposed_.end() ? std::span<std::uint32_t const>()
                                       : std::span<std::uint32_t const>(found->second);
    }
    /// The stored dependencies of the changes, reduced to those with changes; parts have smaller numbers. Empty if
    /// nothing is destroyed.
    struct numbered_set {
        std::vector<std::uint32_t> blocks;  ///< resources with changes, by number; without those of the parts
        std::vector<std::size_t> parts;  ///< positions of further sets in `sets()`, each smaller than its own
    };
    /// All numbered sets; empty if nothing is destroyed.
    [[nodiscard]] auto sets() const noexcept -> std::vector<numbered_set> const& { return sets_; }
    /// Position of a set in `sets()`; empty if no resource in it has a change. \complexity O(1) on average
    [[nodiscard]] auto set_of(dependency_set const& d) const -> std::optional<std::size_t>
    {
        auto const found = set_numbers_.find(d.id());
        return found == set_numbers_.end() ? std::nullopt : found->second;
    }
    /// Returns the order class of a change: same provider, same instance of a module. Changes of one class have the
    /// same order.
    [[nodiscard]] auto order_class(node const& n) const -> std::size_t { return classes_[n.index]; }
    /// Number of the provider of the change or invocation of a vertex, in `providers()`.
    [[nodiscard]] auto provider_of(node const& n) const -> std::uint32_t
    {
        return n.role == node_role::invocation ? provider_of_invocation_[n.index] : provider_of_change_[n.index];
    }
    /// Number of the provider that the declaration of a vertex configures, if it has changes.
    [[nodiscard]] auto configured_provider(node const& n) const -> std::optional<std::uint32_t>
    {
        auto const found = configured_.find(n.index);
        return found == configured_.end() ? std::nullopt : std::optional(found->second);
    }

private:
    [[nodiscard]] static auto no_invocations() -> std::vector<invocation<value_type>> const&
    {
        static std::vector<invocation<value_type>> const none;
        return none;
    }

    void number_sets()
    {
        std::map<std::pair<std::vector<module_step>, std::string_view>, std::size_t> classes;
        bool any_destroyed = false;
        for (auto const& c : *changes_) {
            classes_.push_back(classes.try_emplace({c.target.module(), c.provider}, classes.size()).first->second);
            any_destroyed = any_destroyed || destroys_object(c.what);
        }
        if (!any_destroyed) return;  // without destruction there is nothing to order
        for (auto const& c : *changes_) {
            auto const is_new = [&](dependency_set const& d) { return !set_numbers_.contains(d.id()); };
            c.stored_dependencies.for_each_set(is_new, [&](dependency_set const& d) {
                numbered_set set;
                for (std::string const& name : d.own_names())
                    if (auto const found = block_numbers_.find(name); found != block_numbers_.end())
                        set.blocks.push_back(found->second);
                for (dependency_set const& part : d.parts())
                    if (auto const number = set_of(part)) set.parts.push_back(*number);
                auto& number = set_numbers_[d.id()];
                if (set.blocks.empty() && set.parts.empty()) return;
                if (set.blocks.empty() && set.parts.size() == 1) {
                    number = set.parts.front();
                    return;
                }
                number = sets_.size();
                sets_.push_back(std::move(set));
            });
        }
    }

    declaration_index<P> declared_;
    std::vector<change<value_type>> const* changes_;
    std::vector<invocation<value_type>> const* invocations_;
    plan_mode mode_;
    std::set<std::size_t> left_out_;
    std::vector<numbered_set> sets_;
    std::unordered_map<dependency_set::id_type, std::optional<std::size_t>>
        set_numbers_;  // empty: no dependency in the set changes
    std::vector<std::size_t> classes_;
    std::vector<std::string> providers_;
    std::map<address, std::vector<std::uint32_t>> deposed_;
    std::unordered_map<std::string_view, std::uint32_t> block_numbers_;  // into the changes
    std::vector<std::uint32_t> blocks_;  // by change
    std::vector<std::uint32_t> provider_of_change_;
    std::vector<std::uint32_t> provider_of_invocation_;
    std::map<std::size_t, std::uint32_t> configured_;  // providers by declaration
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_GRAPH_GRAPH_TABLES_HPP
