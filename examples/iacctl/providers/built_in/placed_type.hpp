// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PROVIDERS_BUILT_IN_PLACED_TYPE_HPP
#define IACCTL_PROVIDERS_BUILT_IN_PLACED_TYPE_HPP

#include "base/expected.hpp"
#include "providers/operation.hpp"
#include "providers/resource_type.hpp"

#include <memory>
#include <set>
#include <string>
#include <string_view>

namespace iacctl::providers {

/// A built-in type whose operations another machine performs. Plans are made on this machine, without a request to
/// another one.
///
/// An operation that was not performed is an error. If the outcome of an apply is unknown, the result is `interrupted`.
class placed_type final : public resource_type {
public:
    /// \param here  outlives this object
    /// \param configured  with the settings; null: there is nothing to tell
    /// \param settings  of the provider; null: none
    placed_type(resource_type const& here, std::shared_ptr<resource_type const> configured, value settings,
        std::shared_ptr<operation_runner> on);

    [[nodiscard]] auto name() const noexcept -> std::string_view override { return here_->name(); }
    [[nodiscard]] auto provider() const noexcept -> std::string_view override { return here_->provider(); }
    [[nodiscard]] auto schema() const noexcept -> language::schema const& override { return here_->schema(); }
    [[nodiscard]] auto schema_version() const noexcept -> std::uint64_t override { return here_->schema_version(); }
    [[nodiscard]] auto settings_schema() const noexcept -> language::schema const& override
    {
        return here_->settings_schema();
    }
    [[nodiscard]] auto plan(std::optional<value> const& prior, value const& desired) const -> expected<planned> override
    {
        return (configured_ == nullptr ? *here_ : *configured_).plan(prior, desired);
    }
    [[nodiscard]] auto read(value prior) const -> task<expected<std::optional<value>>> override;
    [[nodiscard]] auto apply(apply_request request) const -> task<applied> override;
    [[nodiscard]] auto look_up(apply_request request) const -> task<looked_up> override;
    [[nodiscard]] auto import_object(std::string id) const -> task<expected<value>> override;

private:
    [[nodiscard]] auto begin(operation::kind_type kind) const -> operation;
    [[nodiscard]] auto begin(operation::kind_type kind, apply_request request) const -> operation;

    resource_type const* here_;
    std::shared_ptr<resource_type const> configured_;
    value settings_;
    std::shared_ptr<operation_runner> on_;
};

/// Reads data of a built-in type on another machine.
[[nodiscard]] auto read_placed_data(std::string type, value config, std::set<std::string> withheld,
    std::shared_ptr<operation_runner> on) -> task<expected<value>>;

}  // namespace iacctl::providers

#endif  // IACCTL_PROVIDERS_BUILT_IN_PLACED_TYPE_HPP
