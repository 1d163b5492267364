// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PROVIDERS_PROVIDER_SET_HPP
#define IACCTL_PROVIDERS_PROVIDER_SET_HPP

#include "data_source.hpp"
#include "encryption/target.hpp"
#include "language/validation/schema.hpp"
#include "language/values/value.hpp"
#include "resource_type.hpp"

#include <strider/infra/model/address.hpp>
#include <strider/infra/model/diagnostics.hpp>
#include <strider/infra/program/provisioners.hpp>
#include <strider/infra/program/requests.hpp>
#include <strider/infra/program/task.hpp>

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace iacctl::providers {

/// All types of resources and provisioners that this program knows, and what their providers were told.
class provider_set {
public:
    /// \param withheld  variables of the environment that programs of provisioners and data sources do not get
    /// \param encryption  of states that data sources read; null: none
    explicit provider_set(
        std::set<std::string> withheld = {}, std::shared_ptr<encryption::targets const> encryption = {})
        : withheld_(std::move(withheld)),
          encryption_(std::move(encryption))
    {}
    provider_set(provider_set const&) = delete;
    auto operator=(provider_set const&) -> provider_set& = delete;

    /// The type of this name, or null.
    [[nodiscard]] static auto find(std::string_view type) noexcept -> resource_type const*;
    [[nodiscard]] static auto types() -> std::vector<resource_type const*> const&;
    [[nodiscard]] static auto data_types() -> std::vector<data_source const*> const&;
    /// The data source of this name, or null.
    [[nodiscard]] static auto find_data(std::string_view type) noexcept -> data_source const*;

    /// What a provider can be told, by how state files write it (`provider["…"]`); null: there is no such provider here.
    [[nodiscard]] static auto settings_of(std::string_view provider) -> language::schema const*;
    /// The provider of an address ("registry.terraform.io/hashicorp/local"), as state files write it; empty: none of this
    /// program. Without a word about it every provider is of hashicorp, so there each is found by its last part.
    [[nodiscard]] static auto find_provider(std::string_view address) -> std::string_view;

    /// Tells a provider, under the name that objects name it by: `module.m.provider["…"].alias`.
    [[nodiscard]] auto configure(std::string name, value settings) -> task<strider::infra::diagnostics>;

    [[nodiscard]] auto read(strider::infra::read_request<value> request) -> task<expected<read_result>>;
    [[nodiscard]] auto plan(strider::infra::plan_request<value> request) -> task<expected<planned>>;
    [[nodiscard]] auto read_data(strider::infra::data_request<value> request) -> task<expected<read_result>>;
    [[nodiscard]] auto apply(apply_request request) -> task<applied>;
    [[nodiscard]] auto look_up(apply_request request) -> task<looked_up>;
    /// The object of a type that exists under an id.
    [[nodiscard]] auto import_object(strider::infra::import_request request) -> task<expected<read_result>>;
    [[nodiscard]] auto provision(strider::infra::provision_request<value> request) -> task<strider::infra::diagnostics>;

private:
    // A type as the provider of that name has it; null if there is no such type.
    [[nodiscard]] auto find(std::string_view type, std::string const& provider) const
        -> std::shared_ptr<resource_type const>;

    std::set<std::string> withheld_;
    std::shared_ptr<encryption::targets const> encryption_;
    mutable std::mutex lock_;
    std::map<std::pair<std::string, std::string_view>, std::shared_ptr<resource_type const>> configured_;
};

}  // namespace iacctl::providers

#endif  // IACCTL_PROVIDERS_PROVIDER_SET_HPP
