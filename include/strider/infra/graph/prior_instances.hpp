// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_GRAPH_PRIOR_INSTANCES_HPP
#define STRIDER_INFRA_GRAPH_PRIOR_INSTANCES_HPP

#include <strider/infra/model/address.hpp>
#include <strider/infra/model/dependency_set.hpp>
#include <strider/infra/model/snapshot.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace strider::infra {

/// The instances of each resource block in state, with any keys, by configuration address.
class prior_instances {
public:
    /// an address with its objects, inside the snapshot
    using entry = std::pair<address const, resource_record> const*;

    /// \param previous  addresses before moves, by address
    explicit prior_instances(snapshot const& s, std::map<address, address> previous = {})
        : all_(&s),
          previous_(std::move(previous))
    {
        // This is mostly the order of blocks, too.
        std::vector<entry>* of_last = nullptr;
        for (auto const& record : s.resources) {
            if (of_last == nullptr || !of_last->back()->first.is_of_resource(record.first))
                of_last = &by_block_.try_emplace(by_block_.end(), record.first.config())->second;
            of_last->push_back(&record);
        }
    }

    /// Returns the instances of a block, in ascending address.
    [[nodiscard]] auto of(address const& block) const -> std::vector<entry> const&
    {
        static std::vector<entry> const none;
        auto const found = by_block_.find(block);
        return found == by_block_.end() ? none : found->second;
    }
    /// Returns the entries of declared instances of a block, null where state has none, and then those of all its other instances
    /// in state. \param in_state  in ascending address; null: none
    /// \complexity O(n) if both are in one order, else O(n log n)
    [[nodiscard]] static auto with_declared(std::vector<entry> const* in_state, std::vector<address> const& declared)
        -> std::vector<entry>
    {
        static std::vector<entry> const none;
        std::vector<entry> const& there = in_state == nullptr ? none : *in_state;
        std::vector<bool> stays(there.size());
        std::vector<entry> all;
        all.reserve(std::max(declared.size(), there.size()));
        std::size_t next = 0;
        for (address const& a : declared) {
            if (next == there.size() || there[next]->first != a) {
                auto const at = std::lower_bound(
                    there.begin(), there.end(), a, [](entry e, address const& sought) { return e->first < sought; });
                next = static_cast<std::size_t>(at - there.begin());
            }
            bool const is_found = next < there.size() && there[next]->first == a;
            all.push_back(is_found ? there[next] : nullptr);
            if (is_found) stays[next++] = true;
        }
        for (std::size_t i = 0; i < there.size(); ++i)
            if (!stays[i]) all.push_back(there[i]);
        return all;
    }
    /// All resource blocks in state, each with its instances.
    [[nodiscard]] auto blocks() const noexcept -> std::map<address, std::vector<entry>> const& { return by_block_; }
    /// The address of an instance before a move; empty if it was not moved.
    [[nodiscard]] auto previous(address const& a) const -> std::optional<address>
    {
        if (previous_.empty()) return std::nullopt;
        auto const found = previous_.find(a);
        return found == previous_.end() ? std::nullopt : std::optional(found->second);
    }
    /// The snapshot given to the constructor.
    [[nodiscard]] auto state() const noexcept -> snapshot const& { return *all_; }

private:
    snapshot const* all_;
    std::map<address, std::vector<entry>> by_block_;
    std::map<address, address> previous_;
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_GRAPH_PRIOR_INSTANCES_HPP
