// SPDX-License-Identifier: BSL-1.0
#include "plugin_factory.hpp"

#include "plugin_source.hpp"

#include <utility>

namespace iacctl::plugin {

plugin_factory::plugin_factory(log_sink log) : runtime_(std::make_shared<plugin_runtime>()), log_(std::move(log)) {}

auto plugin_factory::make(std::string address, plugin_location where,
    std::function<strider::infra::diagnostics()> check) const -> std::shared_ptr<providers::provider_source>
{
    client_options how;
    how.log = log_;
    return std::make_shared<plugin_source>(
        std::move(address), std::move(where), runtime_, std::move(how), std::move(check));
}

}  // namespace iacctl::plugin
