// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_MODEL_CHANGE_HPP
#define STRIDER_INFRA_MODEL_CHANGE_HPP

#include <strider/infra/model/action.hpp>
#include <strider/infra/model/address.hpp>
#include <strider/infra/model/dependency_set.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace strider::infra {

inline constexpr std::size_t no_declaration = static_cast<std::size_t>(-1);

/// A planned action on one object, with all that an apply needs to carry it out.
template <class V>
struct change {
    address target;
    std::string config;             ///< configuration address as text: what dependencies name it by
    std::string deposed_key;        ///< of the object that goes, or (create_then_destroy) reserved for it
    bool of_deposed = false;        ///< it is a prior object that goes, left over from an earlier replacement
    infra::action what = action::no_op;
    action_reason reason = action_reason::none;
    std::optional<V> before;
    std::optional<V> after;         ///< parts of it may be unknown
    std::vector<std::string> replace_paths;
    std::optional<address> previous;  ///< where the object was before it moved here
    std::optional<std::string> import_id;  ///< the object enters state under this id
    std::size_t declaration = no_declaration;
    std::string provider;
    dependency_set dependencies;         ///< of the object that will be
    dependency_set stored_dependencies;  ///< of the object that is; of the new one where there is none
    bool create_before_destroy = false;            ///< declared or forced
    bool stored_create_before_destroy = false;     ///< of the object that is
    bool has_conditions = false;                   ///< to be checked again at apply, even if nothing changes
};

template <class V>
struct output_change {
    std::string name;
    std::size_t declaration = no_declaration;
    infra::action what = action::no_op;
    std::optional<V> before;
    std::optional<V> after;
    bool sensitive = false;
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_MODEL_CHANGE_HPP
