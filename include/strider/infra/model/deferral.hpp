// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_MODEL_DEFERRAL_HPP
#define STRIDER_INFRA_MODEL_DEFERRAL_HPP

#include <strider/infra/model/change.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace strider::infra {

/// The reason why a plan cannot decide on an instance before another apply.
enum class deferral_reason : std::uint8_t {
    instance_count_unknown,   ///< count or for_each is not known
    resource_config_unknown,  ///< the provider needs values of the configuration that are not known
    provider_config_unknown,  ///< the provider needs values of its own configuration that are not known
    absent_prereq,            ///< the provider misses something that has to exist before
    deferred_prereq,          ///< the instance depends on one that is deferred
};

/// The number of reasons.
inline constexpr std::size_t deferral_reasons = 5;

/// The reason as a word: "instance_count_unknown".
[[nodiscard]] constexpr auto to_string(deferral_reason why) noexcept -> std::string_view
{
    constexpr std::array<std::string_view, deferral_reasons> words{"instance_count_unknown", "resource_config_unknown",
        "provider_config_unknown", "absent_prereq", "deferred_prereq"};
    return words[static_cast<std::size_t>(why)];
}

/// A change that the apply of this plan does not perform. A later plan decides on it.
///
/// The target may have an unknown key: then the change stands for all instances that may exist.
template <class V>
struct deferred_change {
    change<V> planned;  ///< as far as it is known now
    deferral_reason reason = deferral_reason::deferred_prereq;  ///< the first reason that was found
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_MODEL_DEFERRAL_HPP
