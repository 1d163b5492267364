// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_MODEL_LIFECYCLE_HPP
#define STRIDER_INFRA_MODEL_LIFECYCLE_HPP

#include <strider/infra/model/address.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace strider::infra {

/// What a declaration is a declaration of.
enum class declaration_kind : std::uint8_t {
    resource,  ///< objects, made and destroyed by a provider
    value,     ///< computed from others and forgotten (a variable, a local, an output of a module)
    output,    ///< computed from others and kept in state
    check,     ///< assertions: what does not hold is told, and stops nothing
    module,    ///< the begin of a scope: what it refers to is waited for by all that lies in it
    provider,  ///< what a provider is told before it works; named as objects name who made them
};

/// What a declaration says about how its objects come and go.
struct lifecycle {
    std::optional<bool> create_before_destroy;
    bool prevent_destroy = false;
};

/// A mention of one declaration by another, found without evaluating anything.
struct reference {
    std::string name;         ///< of the declaration
    instance_key key;         ///< the one instance that is meant, where the source says so
    std::uint32_t place = 0;  ///< where, for the program to render
    bool explicit_only = false;  ///< named in depends_on, its value is not used
};

/// An object that exists under an id and is to enter state at an address.
struct import_target {
    address target;
    std::string id;
};

/// When a provisioner runs.
enum class provision_time : std::uint8_t { create, destroy };

/// A step beside the provider that a declaration asks for when an object is made or destroyed.
struct provisioner {
    std::string type;
    std::size_t index = 0;  ///< among those of its declaration
    provision_time when = provision_time::create;
    bool go_on_after_failure = false;
};

/// A thing whose change replaces the objects of the declaration that names it.
struct replace_trigger {
    reference subject;
    std::string attribute;  ///< a part of it, as the program writes paths; empty: the whole
};

/// When a condition is checked.
enum class condition_time : std::uint8_t { before, after };

}  // namespace strider::infra

#endif  // STRIDER_INFRA_MODEL_LIFECYCLE_HPP
