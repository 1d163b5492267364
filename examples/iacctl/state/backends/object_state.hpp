// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_BACKENDS_OBJECT_STATE_HPP
#define IACCTL_STATE_BACKENDS_OBJECT_STATE_HPP

#include "object_store.hpp"
#include "state_client.hpp"

#include <memory>
#include <string>

namespace iacctl::backends {

/// How the states of one configuration are kept in a store.
struct object_layout {
    std::string of_default;  ///< the object of the workspace "default"
    std::string before;  ///< the text before the name of another workspace in the name of its object
    std::string after;  ///< the text after it
    std::string replaced_by_lock =
        {};  ///< the end of the name of an object that ".tflock" replaces in that of its lock

    bool uses_lock_objects = true;  ///< beside or in place of the locks of the store
    bool conditional = true;  ///< false: a document is written whatever its version is
    bool lock_id_is_version = false;  ///< users know a lock by the version of its object, as with Terraform
};

/// State documents as objects of a store. Locks are objects beside the documents, which only one client can create, or those
/// of the store, or both: then a lock is held if both are.
///
/// A document is only written if its text is the one that this client has read or written last, so that a write after the
/// loss of a lock cannot replace the state of another process. A document that was never read must not exist.
[[nodiscard]] auto make_object_state(std::shared_ptr<object_store> store, object_layout layout)
    -> std::shared_ptr<state_client>;

}  // namespace iacctl::backends

#endif  // IACCTL_STATE_BACKENDS_OBJECT_STATE_HPP
