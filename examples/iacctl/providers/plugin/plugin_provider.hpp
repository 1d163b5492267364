// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PROVIDERS_PLUGIN_PLUGIN_PROVIDER_HPP
#define IACCTL_PROVIDERS_PLUGIN_PLUGIN_PROVIDER_HPP

#include "base/expected.hpp"
#include "client.hpp"
#include "ephemeral_lease.hpp"
#include "plugin_source.hpp"
#include "private_data.hpp"
#include "providers/provider.hpp"

#include <strider/infra/model/address.hpp>
#include <strider/infra/model/diagnostics.hpp>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace iacctl::plugin {

/// A configuration of a provider that runs as a separate process.
class plugin_provider final : public providers::provider {
public:
    /// \pre `source` and `in` outlive it, and the schema of `source` is loaded
    plugin_provider(plugin_source& source, providers::provider_context const& in) : source_(&source), context_(&in) {}
    ~plugin_provider() override;

    [[nodiscard]] auto configure(providers::value settings) -> providers::task<strider::infra::diagnostics> override;
    [[nodiscard]] auto read(providers::read_request request)
        -> providers::task<expected<providers::read_result>> override;
    [[nodiscard]] auto plan(providers::plan_request request) -> providers::task<expected<providers::planned>> override;
    [[nodiscard]] auto apply(providers::apply_request request) -> providers::task<providers::applied> override;
    [[nodiscard]] auto look_up(providers::apply_request request) -> providers::task<providers::looked_up> override;
    [[nodiscard]] auto import_object(providers::import_request request)
        -> providers::task<expected<providers::read_result>> override;
    [[nodiscard]] auto read_data(providers::data_request request)
        -> providers::task<expected<providers::read_result>> override;
    [[nodiscard]] auto open_ephemeral(providers::data_request request)
        -> providers::task<expected<providers::read_result>> override;
    [[nodiscard]] auto close_ephemeral(strider::infra::address target)
        -> providers::task<strider::infra::diagnostics> override;
    [[nodiscard]] auto plan_action(providers::data_request request)
        -> providers::task<strider::infra::diagnostics> override;
    [[nodiscard]] auto invoke_action(providers::invoke_request request)
        -> providers::task<strider::infra::invoked> override;
    [[nodiscard]] auto list(providers::list_request request)
        -> providers::task<expected<providers::read_result>> override;
    void stop() noexcept override;

private:
    [[nodiscard]] auto find_type(strider::infra::address const& a) const -> providers::type_schema const*;
    /// Returns whether the provider is known to have accepted this configuration of the type, in MessagePack. The instances
    /// of a resource thus share one call if their arguments have the same values.
    [[nodiscard]] auto is_accepted(std::string_view type, std::string_view config) -> bool;
    void add_accepted(std::string const& type, std::string config);
    [[nodiscard]] auto plan_destroy(providers::apply_request const& request, providers::type_schema const& type,
        private_data& kept) -> providers::task<strider::infra::diagnostics>;

    /// Adds the block `provider_meta` of the module of an object.
    template <class Request>
    void write_meta(Request& to, strider::infra::address const& target) const;

    plugin_source* source_;
    providers::provider_context const* context_;
    std::shared_ptr<client> client_;
    std::optional<configured_client> reusable_;  // `client_`, if another instance may use it afterwards
    std::shared_ptr<plan_cache> earlier_plans_;  // of an instance that had this client before; null: none
    std::atomic<bool> stopped_ = false;
    std::mutex lock_;
    std::map<strider::infra::address, std::shared_ptr<ephemeral_lease>> leases_;
    // Recent configurations without problems, by type. Their number is limited.
    std::map<std::string, std::set<std::string, std::less<>>, std::less<>> accepted_;
};

}  // namespace iacctl::plugin

#endif  // IACCTL_PROVIDERS_PLUGIN_PLUGIN_PROVIDER_HPP
