// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_GRAPH_GRAPH_TABLES_HPP
#define STRIDER_INFRA_GRAPH_GRAPH_TABLES_HPP

#include <strider/infra/graph/nodes.hpp>
#include <strider/infra/model/change.hpp>
#include <strider/infra/model/dependency_set.hpp>
#include <strider/infra/model/lifecycle.hpp>
#include <strider/infra/model/plan_options.hpp>
#include <strider/infra/program/program.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace strider::infra {

/// What the numbers in the vertices of a graph refer to; shared by all policies of one pipeline.
template <program P>
class graph_tables {
public:
    using value_type = typename P::value_type;

    graph_tables(P const& wanted, std::vector<change<value_type>> const& changes, plan_mode mode)
        : wanted_(&wanted),
          changes_(&changes),
          mode_(mode)
    {
        std::map<std::string, std::uint32_t> providers;
        for (std::size_t i = 0; i < changes.size(); ++i) {
            providers.emplace(changes[i].provider, 0);
            blocks_.emplace(changes[i].config, static_cast<std::uint32_t>(blocks_.size()));
            if (changes[i].of_deposed && changes[i].what != action::no_op)
                deposed_[changes[i].target].push_back(static_cast<std::uint32_t>(i));
        }
        number_sets();
        for (auto& [name, number] : providers) {
            number = static_cast<std::uint32_t>(providers_.size());
            providers_.push_back(name);
        }
        std::size_t number = 0;
        for (auto const& d : wanted.declarations()) {
            if (kind_of(wanted, d) == declaration_kind::module)
                modules_.emplace(wanted.name_of(d), static_cast<std::uint32_t>(number));
            ++number;
        }
    }

    [[nodiscard]] auto wanted() const noexcept -> P const& { return *wanted_; }
    [[nodiscard]] auto mode() const noexcept -> plan_mode { return mode_; }
    [[nodiscard]] auto changes() const noexcept -> std::vector<change<value_type>> const& { return *changes_; }
    [[nodiscard]] auto change_of(node const& n) const -> change<value_type> const& { return (*changes_)[n.index]; }
    [[nodiscard]] auto declaration_of(node const& n) const -> decltype(auto)
    {
        return declaration_at(*wanted_, n.index);
    }
    /// A number for each resource block that has a change: what the stages know it by.
    [[nodiscard]] auto block_number(std::string_view config) const -> std::optional<std::uint32_t>
    {
        auto const found = blocks_.find(config);
        return found == blocks_.end() ? std::nullopt : std::optional(found->second);
    }
    [[nodiscard]] auto providers() const noexcept -> std::vector<std::string> const& { return providers_; }
    [[nodiscard]] auto deposed_of(address const& a) const -> std::span<std::uint32_t const>
    {
        auto const found = deposed_.find(a);
        return found == deposed_.end() ? std::span<std::uint32_t const>()
                                       : std::span<std::uint32_t const>(found->second);
    }
    /// What the prior objects of changes depended on, as far as that has changes, too; parts have smaller numbers. None where
    /// nothing is destroyed.
    struct numbered_set {
        std::vector<std::uint32_t> blocks;
        std::vector<std::size_t> parts;
    };
    [[nodiscard]] auto sets() const noexcept -> std::vector<numbered_set> const& { return sets_; }
    [[nodiscard]] auto set_of(dependency_set const& d) const -> std::optional<std::size_t>
    {
        auto const found = set_numbers_.find(d.id());
        return found == set_numbers_.end() ? std::nullopt : found->second;
    }
    /// Changes of one class are ordered alike: they are made by one provider in one instance of a module.
    [[nodiscard]] auto order_class(node const& n) const -> std::size_t { return classes_[n.index]; }
    [[nodiscard]] auto module_number(std::string const& name) const -> std::uint32_t { return modules_.at(name); }
    /// A number for each provider that has a change to make.
    [[nodiscard]] auto provider_number(std::string const& name) const -> std::optional<std::uint32_t>
    {
        for (std::size_t i = 0; i < providers_.size(); ++i)
            if (providers_[i] == name) return static_cast<std::uint32_t>(i);
        return std::nullopt;
    }

private:
    void number_sets()
    {
        std::map<std::pair<std::vector<module_step>, std::string_view>, std::size_t> classes;
        bool any_goes = false;
        for (auto const& c : *changes_) {
            classes_.push_back(classes.try_emplace({c.target.module(), c.provider}, classes.size()).first->second);
            any_goes = any_goes || destroys_object(c.what);
        }
        if (!any_goes) return;  // nothing waits for a destruction, nor does one wait
        for (auto const& c : *changes_) {
            auto const is_new = [&](dependency_set const& d) { return !set_numbers_.contains(d.id()); };
            c.stored_dependencies.for_each_set(is_new, [&](dependency_set const& d) {
                numbered_set set;
                for (std::string const& name : d.own_names())
                    if (auto const number = block_number(name)) set.blocks.push_back(*number);
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

    P const* wanted_;
    std::vector<change<value_type>> const* changes_;
    plan_mode mode_;
    std::vector<numbered_set> sets_;
    std::unordered_map<dependency_set::id_type, std::optional<std::size_t>>
        set_numbers_;  // none: nothing in it changes
    std::vector<std::size_t> classes_;
    std::vector<std::string> providers_;
    std::map<address, std::vector<std::uint32_t>> deposed_;
    std::unordered_map<std::string_view, std::uint32_t> blocks_;  // into the changes
    std::unordered_map<std::string, std::uint32_t> modules_;
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_GRAPH_GRAPH_TABLES_HPP
