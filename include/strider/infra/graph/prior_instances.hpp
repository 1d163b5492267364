// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_GRAPH_PRIOR_INSTANCES_HPP
#define STRIDER_INFRA_GRAPH_PRIOR_INSTANCES_HPP

#include <strider/infra/model/address.hpp>
#include <strider/infra/model/snapshot.hpp>

#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace strider::infra {

/// The instances of each resource block in state, with any keys, by configuration address.
class prior_instances {
public:
    using entry = std::pair<address const, resource_record> const*;

    /// \param previous  addresses before moves, by address
    explicit prior_instances(snapshot const& s, std::map<address, address> previous = {})
        : all_(&s),
          previous_(std::move(previous))
    {
        // This is mostly the order of blocks, too.
        for (auto const& record : s.resources)
            by_block_.try_emplace(by_block_.end(), record.first.config())->second.push_back(&record);
    }

    /// Returns the instances of a block, in ascending address.
    [[nodiscard]] auto of(address const& block) const -> std::vector<entry> const&
    {
        static std::vector<entry> const none;
        auto const found = by_block_.find(block);
        return found == by_block_.end() ? none : found->second;
    }
    [[nodiscard]] auto blocks() const noexcept -> std::map<address, std::vector<entry>> const& { return by_block_; }
    [[nodiscard]] auto previous(address const& a) const -> std::optional<address>
    {
        auto const found = previous_.find(a);
        return found == previous_.end() ? std::nullopt : std::optional(found->second);
    }
    [[nodiscard]] auto state() const noexcept -> snapshot const& { return *all_; }

private:
    snapshot const* all_;
    std::map<address, std::vector<entry>> by_block_;
    std::map<address, address> previous_;
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_GRAPH_PRIOR_INSTANCES_HPP
