// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PROVIDERS_PLUGIN_PLAN_CACHE_HPP
#define IACCTL_PROVIDERS_PLUGIN_PLAN_CACHE_HPP

#include "providers/provider.hpp"

#include <strider/infra/model/address.hpp>

#include <map>
#include <mutex>
#include <optional>
#include <utility>

namespace iacctl::plugin {

/// The responses of a process to plan requests, by address. An apply plans each object again, with more values known.
/// If the request does not differ from the earlier one, the response is already here. Thread-safe.
class plan_cache {
public:
    /// Replaces an earlier response for the same address.
    void add(providers::plan_request request, providers::planned answer)
    {
        auto const address = request.target;
        std::scoped_lock const held(lock_);
        all_.insert_or_assign(address, std::pair(std::move(request), std::move(answer)));
    }
    /// Removes and returns the response to the same request; nothing if there is none.
    [[nodiscard]] auto take(providers::plan_request const& request) -> std::optional<providers::planned>
    {
        std::scoped_lock const held(lock_);
        auto found = all_.extract(request.target);
        if (!found) return std::nullopt;
        auto& [earlier, answer] = found.mapped();
        bool const same = earlier.config == request.config && earlier.prior == request.prior
            && earlier.private_data == request.private_data;
        return same ? std::optional(std::move(answer)) : std::nullopt;
    }

private:
    std::mutex lock_;
    std::map<strider::infra::address, std::pair<providers::plan_request, providers::planned>> all_;
};

}  // namespace iacctl::plugin

#endif  // IACCTL_PROVIDERS_PLUGIN_PLAN_CACHE_HPP
