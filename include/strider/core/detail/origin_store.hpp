// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_CORE_DETAIL_ORIGIN_STORE_HPP
#define STRIDER_CORE_DETAIL_ORIGIN_STORE_HPP

#include <strider/core/edge.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace strider::detail {

// The origins of the edges of one graph in eight bytes each: the number of the rule, and the place. Each rule is stored
// once.
class origin_store {
public:
    using packed = std::uint64_t;

    [[nodiscard]] auto pack(edge_origin origin) -> packed
    {
        return packed{number_of(origin.made_by())} << 32U | origin.place();
    }
    [[nodiscard]] auto unpack(packed p) const -> edge_origin
    {
        std::size_t const rule = p >> 32U;
        return {rule == 0 ? edge_rules::unspecified : rules_[rule - 1], static_cast<std::uint32_t>(p)};
    }

private:
    // Returns 0 for the unspecified rule. A rule that is defined twice with the same name may have two numbers.
    [[nodiscard]] auto number_of(edge_rule rule) -> std::size_t
    {
        if (is(rule, edge_rules::unspecified)) return 0;
        for (std::size_t i = rules_.size(); i > 0; --i)
            if (is(rule, rules_[i - 1])) return i;
        rules_.push_back(rule);
        return rules_.size();
    }
    [[nodiscard]] static auto is(edge_rule a, edge_rule b) noexcept -> bool
    {
        return a.name().data() == b.name().data();
    }

    std::vector<edge_rule> rules_;
};

}  // namespace strider::detail

#endif  // STRIDER_CORE_DETAIL_ORIGIN_STORE_HPP
