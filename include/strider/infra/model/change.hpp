// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_MODEL_CHANGE_HPP
#define STRIDER_INFRA_MODEL_CHANGE_HPP

#include <strider/infra/model/action.hpp>
#include <strider/infra/model/address.hpp>
#include <strider/infra/model/dependency_set.hpp>
#include <strider/infra/model/object.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace strider::infra {

inline constexpr std::size_t no_declaration = static_cast<std::size_t>(-1);

/// Name of an attribute or key of a map, or index of a list.
using attribute_step = std::variant<std::string, std::int64_t>;
/// Position of a value within an object.
using attribute_path = std::vector<attribute_step>;

/// A planned action on one object, with everything that an apply needs to perform it.
template <class V>
struct change {
    address target;  ///< address after all moves
    std::string config;             ///< configuration address as text, by which dependencies refer to it
    std::string deposed_key;        ///< of the object to destroy, or reserved for it until the new object is created
    bool of_deposed = false;        ///< destroys a prior object, left by an earlier replacement
    infra::action what = action::no_op;  ///< the planned action; a replacement is one change
    action_reason reason = action_reason::none;  ///< explains the action to users; `none` if it needs no explanation
    std::optional<V> before;  ///< the prior object; empty: there is none
    std::optional<V> after;         ///< may be partly unknown
    std::vector<attribute_path> replace_paths;  ///< values whose changes require a replacement
    std::optional<address> previous;  ///< the address before a move
    std::optional<std::string> import_id;  ///< the object is imported with this id, or, if it is empty, by its identity
    document import_identity;  ///< of the object that is imported; empty: it is imported with its id
    /// number of the declaration; `no_declaration`: the object is no longer declared
    std::size_t declaration = no_declaration;
    std::string provider;  ///< name of the provider that performs the action
    document private_data;  ///< of the prior object
    document planned_data;  ///< private data of the plan, passed to the provider when the apply plans again
    dependency_set dependencies;  ///< of the planned object
    dependency_set stored_dependencies;  ///< of the prior object; of the planned one if there is none
    bool create_before_destroy = false;  ///< declared or forced
    bool stored_create_before_destroy = false;  ///< of the prior object
    bool keep = false;  ///< of the planned object: declared with `destroy = false`
    bool has_conditions = false;  ///< checked again by the apply, even if nothing changes

    /// The id, or else the identity, of an object that is imported, for messages. \pre `import_id` is set
    [[nodiscard]] auto import_name() const -> std::string const&
    {
        return import_identity.empty() ? *import_id : import_identity.text();
    }
};

/// Planned change of an output.
template <class V>
struct output_change {
    std::string name;  ///< of a root output
    std::size_t declaration = no_declaration;  ///< number of the declaration; `no_declaration`: the output is removed
    infra::action what = action::no_op;  ///< the planned action
    std::optional<V> before;  ///< the value in state; empty: none
    std::optional<V> after;  ///< the planned value, maybe partly unknown; empty: the output is removed
    bool sensitive = false;  ///< neither value may be displayed: one of them is sensitive
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_MODEL_CHANGE_HPP
