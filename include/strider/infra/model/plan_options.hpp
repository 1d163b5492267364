// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_MODEL_PLAN_OPTIONS_HPP
#define STRIDER_INFRA_MODEL_PLAN_OPTIONS_HPP

#include <strider/infra/model/address.hpp>
#include <strider/infra/model/lifecycle.hpp>
#include <strider/infra/model/snapshot.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace strider::infra {

enum class plan_mode : std::uint8_t { normal, destroy, refresh_only };

/// Options of a plan.
struct plan_options {
    /// the goal: the configuration, no object at all, or a state that equals the real objects
    plan_mode mode = plan_mode::normal;
    bool refresh = true;             ///< read the current objects from providers
    /// with `refresh`: read an object only if the plan by its stored value changes it; nothing before a destroy
    bool minimal_refresh = false;
    bool under_way = false;  ///< the process of the pending operations is still running: they are not settled
    bool shown_only = false;  ///< the plan will not be applied: without changes, it has no graph
    bool before_destroy = false;  ///< all objects will be destroyed: failed conditions are only warnings
    std::vector<address> targets;  ///< only these and their dependencies; a module has no type
    std::vector<address> excludes;  ///< all but these and their dependents; not together with targets
    std::vector<address> replace;  ///< instances to replace without another reason
    std::vector<address> invoke;  ///< actions to invoke; only in the mode refresh_only
    std::vector<import_target> imports;  ///< objects to import besides those that the program names
    std::uint32_t key_seed = 0;  ///< seed for the keys of deposed objects
};

/// Makes the key of an object to be deposed: equal for the same instance, seed and attempt.
[[nodiscard]] inline auto make_deposed_key(address const& target, std::uint32_t seed, std::uint32_t attempt)
    -> std::string
{
    std::uint32_t hash = 2166136261U ^ seed ^ (attempt * 0x9e3779b9U);  // FNV-1a
    for (char const c : to_string(target)) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
    std::string key(8, '0');
    for (std::size_t i = 0; i < 8; ++i) key[7 - i] = "0123456789abcdef"[hash >> (4 * i) & 15U];
    return key;
}

/// Makes the key of an object to be deposed, other than those of the objects that are deposed already.
/// \param prior  the objects of the instance; null: none
[[nodiscard]] inline auto unused_deposed_key(address const& target, std::uint32_t seed, resource_record const* prior)
    -> std::string
{
    for (std::uint32_t attempt = 0;; ++attempt) {
        std::string key = make_deposed_key(target, seed, attempt);
        if (prior == nullptr || !prior->deposed.contains(key)) return key;
    }
}

}  // namespace strider::infra

#endif  // STRIDER_INFRA_MODEL_PLAN_OPTIONS_HPP
