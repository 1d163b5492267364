// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PROVIDERS_PLUGIN_PLUGIN_FACTORY_HPP
#define IACCTL_PROVIDERS_PLUGIN_PLUGIN_FACTORY_HPP

#include "base/log.hpp"
#include "plugin_location.hpp"
#include "providers/provider.hpp"

#include <strider/infra/model/diagnostics.hpp>

#include <functional>
#include <memory>
#include <string>

namespace iacctl::plugin {

class plugin_runtime;

/// Makes the sources of providers that are separate programs. One thread serves the connections with all of them.
/// Its header includes neither the messages of the protocol nor TLS.
class plugin_factory {
public:
    /// \param log  receives the logs of the providers; empty: they are dropped
    explicit plugin_factory(log_sink log);

    /// Makes a source, which starts its provider on first use. \param address  of the provider
    /// \param check  called before the first start of the program, which errors prevent. Empty: there is no check
    [[nodiscard]] auto make(std::string address, plugin_location where,
        std::function<strider::infra::diagnostics()> check = {}) const -> std::shared_ptr<providers::provider_source>;

private:
    std::shared_ptr<plugin_runtime> runtime_;
    log_sink log_;
};

}  // namespace iacctl::plugin

#endif  // IACCTL_PROVIDERS_PLUGIN_PLUGIN_FACTORY_HPP
