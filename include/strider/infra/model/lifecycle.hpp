// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_MODEL_LIFECYCLE_HPP
#define STRIDER_INFRA_MODEL_LIFECYCLE_HPP

#include <strider/infra/model/address.hpp>
#include <strider/infra/model/object.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace strider::infra {

/// The kind of a declaration.
enum class declaration_kind : std::uint8_t {
    resource,  ///< objects, created and destroyed by a provider
    value,     ///< computed from others and not stored (a variable, a local, an output of a module)
    output,    ///< computed from others and stored in state
    check,     ///< assertions: a failure is a warning
    module,    ///< the begin of a scope: everything in it waits for its references
    provider,  ///< configuration of a provider; its name is that of the provider of objects
    ephemeral, ///< opened by a provider for the time of a walk, and not stored
    action,    ///< a call of a provider without an object, made when a resource triggers it or a plan names it
};

/// Rules of a declaration for replacement and destruction.
struct lifecycle {
    std::optional<bool> create_before_destroy;  ///< empty: not declared; a dependent may overrule it
    bool prevent_destroy = false;  ///< a rule may forbid the destruction of an instance
    bool destroy = true;           ///< false: objects leave state instead of being destroyed
};

/// A reference of one declaration to another, found without evaluation.
struct reference {
    std::string name;         ///< of the declaration
    instance_key key;         ///< the referenced instance, if the source names one
    std::uint32_t place = 0;  ///< position in the source, for the program
    bool explicit_only = false;  ///< named in depends_on, its value is not used
};

/// An existing object with an id or an identity, to be imported at an address.
struct import_target {
    address target;  ///< the instance that the object will belong to
    std::string id;  ///< of the existing object, in a format of its provider
    document identity{};  ///< in place of the id, in a format of the program; empty: the id counts
    /// The object is not known before an apply, or the target, which then has an unknown key. A plan defers the instances that the
    /// object may belong to.
    bool is_unknown = false;
};

/// The time at which a provisioner runs.
enum class provision_time : std::uint8_t { create, destroy };

/// A step of a declaration that runs when an object is created or destroyed.
struct provisioner {
    std::string type;  ///< for example "local-exec"
    std::size_t index = 0;  ///< among the provisioners of its declaration
    provision_time when = provision_time::create;  ///< with the creation or the destruction of the object
    bool continue_on_failure = false;  ///< a failure is an event only: no diagnostic, and the next step runs
};

/// A reference whose change replaces the objects of a declaration.
struct replace_trigger {
    reference subject;  ///< the declaration, and the instance if one is named
    std::string attribute;  ///< an attribute path in the syntax of the program; empty: the whole object
    bool by_creation = false;  ///< the creation of an instance of the subject fires it, too
};

/// The time at which a condition is checked.
enum class condition_time : std::uint8_t { before, after };

}  // namespace strider::infra

#endif  // STRIDER_INFRA_MODEL_LIFECYCLE_HPP
