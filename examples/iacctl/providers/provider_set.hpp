// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PROVIDERS_PROVIDER_SET_HPP
#define IACCTL_PROVIDERS_PROVIDER_SET_HPP

#include "data_source.hpp"
#include "language/schema.hpp"
#include "language/value.hpp"
#include "resource_type.hpp"

#include <strider/infra/concepts.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::providers {

/// All types of resources and provisioners that this program knows.
class provider_set {
public:
    /// The type of this name, or null.
    [[nodiscard]] static auto find(std::string_view type) noexcept -> resource_type const*;
    [[nodiscard]] static auto types() -> std::vector<resource_type const*> const&;
    [[nodiscard]] static auto data_types() -> std::vector<data_source const*> const&;
    /// The data source of this name, or null.
    [[nodiscard]] static auto find_data(std::string_view type) noexcept -> data_source const*;

    [[nodiscard]] auto read(strider::infra::read_request<value> request) -> task<checked<std::optional<value>>>;
    [[nodiscard]] auto plan(strider::infra::plan_request<value> request) -> task<checked<planned>>;
    [[nodiscard]] auto read_data(strider::infra::data_request<value> request) -> task<checked<value>>;
    [[nodiscard]] auto apply(apply_request request) -> task<applied>;
    [[nodiscard]] auto look_up(apply_request request) -> task<looked_up>;
    /// The object of a type that exists under an id.
    [[nodiscard]] auto import_object(strider::infra::address target, std::string id) -> task<checked<value>>;
    [[nodiscard]] auto provision(strider::infra::provision_request<value> request) -> task<strider::infra::diagnostics>;
    void stop() noexcept {}
};

}  // namespace iacctl::providers

#endif  // IACCTL_PROVIDERS_PROVIDER_SET_HPP
