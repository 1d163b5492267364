// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_GRAPH_DECLARED_RESOURCES_HPP
#define STRIDER_INFRA_GRAPH_DECLARED_RESOURCES_HPP

#include <strider/infra/model/address.hpp>
#include <strider/infra/model/change.hpp>
#include <strider/infra/model/lifecycle.hpp>
#include <strider/infra/program/program.hpp>

#include <cstddef>
#include <unordered_map>

namespace strider::infra {

/// Finds the declaration of a resource by its configuration address. Indexed when first asked: before there is any state
/// nobody asks.
///
/// \complexity O(1); the first question O(n) in the declarations.
template <program P>
class declared_resources {
public:
    explicit declared_resources(P const& wanted) : wanted_(&wanted) {}

    /// The number of the declaration, or `no_declaration`.
    [[nodiscard]] auto find(address const& block) -> std::size_t
    {
        if (!indexed_) index();
        auto const at = numbers_.find(block);
        return at == numbers_.end() ? no_declaration : at->second;
    }

private:
    void index()
    {
        std::size_t number = 0;
        for (auto const& d : wanted_->declarations()) {
            if (kind_of(*wanted_, d) == declaration_kind::resource) numbers_.emplace(wanted_->address_of(d), number);
            ++number;
        }
        indexed_ = true;
    }

    P const* wanted_;
    std::unordered_map<address, std::size_t> numbers_;
    bool indexed_ = false;
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_GRAPH_DECLARED_RESOURCES_HPP
