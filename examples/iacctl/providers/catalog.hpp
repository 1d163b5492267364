// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PROVIDERS_CATALOG_HPP
#define IACCTL_PROVIDERS_CATALOG_HPP

#include "provider.hpp"

#include <strider/infra/model/address.hpp>
#include <strider/infra/model/diagnostics.hpp>

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

namespace iacctl::providers {

/// The providers that are available to a command.
class catalog final : public language::function_source {
public:
    /// \param built_in  the providers that it contains at first
    explicit catalog(std::span<std::shared_ptr<provider_source> const> built_in);
    catalog(catalog const&) = delete;
    auto operator=(catalog const&) -> catalog& = delete;

    /// Adds a provider. It replaces a built-in one with the same address.
    void add(std::shared_ptr<provider_source> source);

    /// Returns the provider at an address; null if there is none. An address in the default namespace also finds a
    /// built-in provider with that name in another namespace of the default registry.
    [[nodiscard]] auto find(std::string_view address) const -> provider_source*;
    [[nodiscard]] auto begin() const { return all_.begin(); }
    [[nodiscard]] auto end() const { return all_.end(); }

    /// Returns a function of a provider; null if there is none, or its schema could not be loaded.
    [[nodiscard]] auto find_function(std::string_view provider, std::string_view name) const
        -> language::function const* override;

    /// Loads the schemas of providers, if they are available. \return the reasons why schemas could not be loaded, by
    /// the addresses of their providers
    [[nodiscard]] auto load(std::span<std::string const> addresses) const
        -> std::map<std::string, strider::infra::diagnostics>;

    /// Returns why `find_type` finds no type for an object in state: the provider is missing, it does not work, or it
    /// does not have the type. \param provider  as for `find_type`
    [[nodiscard]] auto why_without_type(std::string_view provider, strider::infra::address const& a) const
        -> strider::infra::diagnostics;

    [[nodiscard]] auto way_to_function(std::string_view provider, std::string_view name) const -> std::string override
    {
        return way_to_real(provider, name);
    }
    /// Advice how to use the real provider for a part that the built-in one lacks, for the end of a message. Empty if the real
    /// provider lacks it, too. \param part  as for `provider_source::lacks`
    [[nodiscard]] auto way_to_real(std::string_view provider, std::string_view part) const -> std::string;

    /// Cancels running calls of functions. Thread-safe.
    void cancel_functions() const;
    /// Ends all processes of providers and waits for their ends. Afterwards only loaded data are available.
    void close() const;

    /// Returns the schema of a type of a provider; null if there is none, or its schema could not be loaded.
    /// \param provider  an address, or the name of a configuration: `module.m.provider["ADDRESS"].alias`
    [[nodiscard]] auto find_type(std::string_view provider, strider::infra::resource_mode mode,
        std::string_view type) const -> type_schema const*;
    [[nodiscard]] auto find_type(std::string_view provider, strider::infra::address const& a) const
        -> type_schema const*
    {
        return find_type(provider, a.mode(), a.type());
    }

private:
    /// The built-in providers, for messages.
    [[nodiscard]] auto built_in_list() const -> std::string;

    std::map<std::string, std::shared_ptr<provider_source>> all_;
    // The same, for `find`, which a plan calls several times for each object. The keys are those of `all_`.
    std::unordered_map<std::string_view, provider_source*> by_address_;
};

}  // namespace iacctl::providers

#endif  // IACCTL_PROVIDERS_CATALOG_HPP
