// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PROVIDERS_PLUGIN_PLUGIN_SOURCE_HPP
#define IACCTL_PROVIDERS_PLUGIN_PLUGIN_SOURCE_HPP

#include "base/expected.hpp"
#include "client.hpp"
#include "language/values/type.hpp"
#include "plan_cache.hpp"
#include "plugin_location.hpp"
#include "plugin_runtime.hpp"
#include "providers/provider.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::plugin {

/// Properties that a provider declares and only its client uses.
class plugin_properties {
public:
    bool plan_destroy = false;         ///< it plans destroys, too
    bool move_state = false;           ///< it can take over objects of other types
    bool schema_optional = false;      ///< it answers calls even if its schema was not requested
};

/// A configured process of a provider.
class configured_client {
public:
    std::string settings;  ///< in MessagePack
    std::shared_ptr<client> of;
    strider::infra::diagnostics warnings;  ///< of the configuration
    std::shared_ptr<plan_cache> plans;
};

/// A provider that is a separate program.
class plugin_source final : public providers::provider_source {
public:
    /// \param check  called before the first start of the program, which errors prevent. Empty: there is no check
    plugin_source(std::string address, plugin_location where, std::shared_ptr<plugin_runtime> on,
        client_options options, std::function<strider::infra::diagnostics()> check = {});
    ~plugin_source() override;

    [[nodiscard]] auto address() const noexcept -> std::string_view override { return address_; }
    /// Starts the provider. The first instance uses the same process.
    [[nodiscard]] auto schema() -> expected<providers::provider_schema const*> override;
    [[nodiscard]] auto make(providers::provider_context const& in) -> std::shared_ptr<providers::provider> override;
    [[nodiscard]] auto validate(language::configured_block cb, std::string_view type, language::value const& v)
        -> std::vector<language::attribute_problem> override;
    void cancel_functions() noexcept override;
    void close() override;
    void join() override { runtime_->join(); }
    [[nodiscard]] auto upgrade(strider::infra::address const& a, strider::infra::object const& stored)
        -> expected<strider::infra::object> override;
    [[nodiscard]] auto upgrade_identity(strider::infra::address const& a, strider::infra::object const& stored)
        -> expected<strider::infra::object> override;

    [[nodiscard]] auto move(strider::infra::address const& from, strider::infra::address const& to,
        strider::infra::object const& stored) -> expected<strider::infra::object> override;

    /// A client that is not used by an instance. \pre the schema is loaded
    [[nodiscard]] auto take_client() -> providers::task<outcome<std::shared_ptr<client>>>;
    /// A client that was given back by an instance with these settings; nothing if there is none. An apply thus uses
    /// the processes of its plan.
    [[nodiscard]] auto take_configured(std::string_view settings) -> std::optional<configured_client>;
    /// Stores a client for the next instance with the same settings.
    void give_back(configured_client client);
    /// \pre the schema is loaded
    [[nodiscard]] auto loaded_schema() const noexcept -> providers::provider_schema const& { return *schema_; }
    /// The identity of objects of a type; null: they have none. \pre the schema is loaded
    [[nodiscard]] auto identity_of(std::string_view type) const noexcept -> providers::type_schema const*
    {
        auto const found = schema_->identities.find(type);
        return found == schema_->identities.end() ? nullptr : &found->second;
    }
    [[nodiscard]] auto properties() const noexcept -> plugin_properties const& { return properties_; }
    [[nodiscard]] auto runtime() const noexcept -> std::shared_ptr<plugin_runtime> const& { return runtime_; }

private:
    [[nodiscard]] auto start() -> providers::task<outcome<std::shared_ptr<client>>>;
    [[nodiscard]] auto load() -> providers::task<strider::infra::diagnostics>;
    /// Calls a process that is not configured, and waits for the response. The first call starts it.
    template <class Call>
    [[nodiscard]] auto ask(typename Call::Request request) -> outcome<typename Call::Response>;
    template <class Call>
    [[nodiscard]] auto validate_by(std::string_view type, language::value const& v, language::type const& declared)
        -> std::vector<language::attribute_problem>;
    /// Makes the functions of a schema call the provider.
    void connect_functions(providers::provider_schema& schema);
    [[nodiscard]] auto call_function(providers::function_schema const& schema, language::arguments given)
        -> language::call_result<language::value>;

    std::string address_;
    plugin_location where_;
    std::shared_ptr<plugin_runtime> runtime_;
    client_options how_;
    std::function<strider::infra::diagnostics()> check_;
    std::once_flag once_;
    std::optional<providers::provider_schema> schema_;
    plugin_properties properties_;
    strider::infra::diagnostics problems_;  // the reason why there is no schema
    std::mutex lock_;
    std::shared_ptr<client> idle_;  // started for the schema, not configured
    std::vector<configured_client> configured_;  // used by no instance
    std::shared_ptr<client> unconfigured_;  // answers calls that need no configuration
};

}  // namespace iacctl::plugin

#endif  // IACCTL_PROVIDERS_PLUGIN_PLUGIN_SOURCE_HPP
