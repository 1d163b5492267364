// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PROVIDERS_PROVIDER_SET_HPP
#define IACCTL_PROVIDERS_PROVIDER_SET_HPP

#include "language/schema.hpp"
#include "language/value.hpp"
#include "resource_type.hpp"

#include <strider/infra/concepts.hpp>

#include <optional>
#include <string_view>
#include <vector>

namespace iacctl::providers {

/// All types of resources and provisioners that this program knows.
class provider_set {
public:
    template <class T>
    using task = strider::infra::task<T>;

    /// The type of this name, or null.
    [[nodiscard]] static auto find(std::string_view type) noexcept -> resource_type const*;
    [[nodiscard]] static auto types() -> std::vector<resource_type const*> const&;

    [[nodiscard]] auto read(strider::infra::read_request<value> request) -> task<checked<std::optional<value>>>;
    [[nodiscard]] auto plan(strider::infra::plan_request<value> request) -> task<checked<planned>>;
    [[nodiscard]] auto apply(apply_request request) -> task<applied>;
    [[nodiscard]] auto look_up(apply_request request) -> task<looked_up>;
    [[nodiscard]] auto provision(strider::infra::provision_request<value> request) -> task<strider::infra::diagnostics>;
    void stop() noexcept {}
};

}  // namespace iacctl::providers

#endif  // IACCTL_PROVIDERS_PROVIDER_SET_HPP
