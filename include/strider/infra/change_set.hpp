// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_CHANGE_SET_HPP
#define STRIDER_INFRA_CHANGE_SET_HPP

#include <strider/core/frozen_digraph.hpp>
#include <strider/infra/action.hpp>
#include <strider/infra/address.hpp>
#include <strider/infra/checks.hpp>
#include <strider/infra/diagnostics.hpp>
#include <strider/infra/journal_entry.hpp>
#include <strider/infra/nodes.hpp>
#include <strider/infra/object.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace strider::infra {

inline constexpr std::size_t no_declaration = static_cast<std::size_t>(-1);

/// What is to become of one object, and all that an apply needs to know to make it so.
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

enum class plan_mode : std::uint8_t { normal, destroy, refresh_only };

/// What an apply will do, and in which order: the graph was built when the plan was made, and is followed as it is.
template <class V>
struct basic_plan {
    plan_mode mode = plan_mode::normal;
    std::string lineage;       ///< of the state it was made from
    std::uint64_t serial = 0;  ///< any other, and the plan is stale
    std::vector<journal_entry> refreshed;  ///< what was found while planning; recorded before anything is done
    std::vector<change<V>> changes;        ///< by address; the current object first, then deposed ones
    std::vector<change<V>> drift;          ///< what had changed behind our back
    std::vector<output_change<V>> outputs;
    std::vector<std::string> providers;    ///< what provider vertices count
    frozen_digraph<node> graph;
    diagnostics warnings;
    diagnostics check_warnings;  ///< an apply looks at checks again, and has the last word
    bool targeted = false;   ///< not for all that is declared
    bool excluding = false;  ///< for all but some

    /// Is there anything to do that a user would want to confirm?
    [[nodiscard]] auto has_changes() const -> bool
    {
        for (auto const& c : changes)
            if (c.what != action::no_op || c.previous || c.import_id) return true;
        for (auto const& o : outputs)
            if (o.what != action::no_op) return true;
        return false;
    }
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_CHANGE_SET_HPP
