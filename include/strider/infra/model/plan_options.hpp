// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_MODEL_PLAN_OPTIONS_HPP
#define STRIDER_INFRA_MODEL_PLAN_OPTIONS_HPP

#include <strider/infra/model/address.hpp>
#include <strider/infra/model/lifecycle.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace strider::infra {

enum class plan_mode : std::uint8_t { normal, destroy, refresh_only };

/// What a plan is asked for.
struct plan_options {
    plan_mode mode = plan_mode::normal;
    bool refresh = true;             ///< ask providers what became of objects
    bool under_way = false;  ///< who began the pending operations is still at work on them: they are not settled
    bool before_destroy = false;  ///< everything goes anyway: conditions that do not hold are only warnings
    std::vector<address> targets;  ///< only these and what they depend on; a module has no type
    std::vector<address> excludes;  ///< all but these and what depends on them; not together with targets
    std::vector<address> replace;  ///< instances to make anew although nothing else asks for it
    std::vector<import_target> imports;  ///< objects to take into state beside those that the program names
    std::uint32_t key_seed = 0;  ///< keys of deposed objects are made from it
};

/// A key for an object that is about to be deposed: the same for the same instance, seed and attempt.
[[nodiscard]] inline auto make_deposed_key(address const& target, std::uint32_t seed, std::uint32_t attempt)
    -> std::string
{
    std::uint32_t hash = 2166136261U ^ seed ^ (attempt * 0x9e3779b9U);  // FNV-1a
    for (char const c : to_string(target)) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
    std::string key(8, '0');
    for (std::size_t i = 0; i < 8; ++i) key[7 - i] = "0123456789abcdef"[hash >> (4 * i) & 15U];
    return key;
}

}  // namespace strider::infra

#endif  // STRIDER_INFRA_MODEL_PLAN_OPTIONS_HPP
