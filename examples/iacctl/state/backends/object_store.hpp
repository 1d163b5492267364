// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_BACKENDS_OBJECT_STORE_HPP
#define IACCTL_STATE_BACKENDS_OBJECT_STORE_HPP

#include "base/expected.hpp"
#include "lock_info.hpp"
#include "state_client.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace iacctl::backends {

/// What an object is for. A lock is only read where the backend is configured, never after a redirection.
enum class object_use : std::uint8_t { document, lock };

/// An object of a store, as it was read.
struct stored_object {
    std::optional<std::string> text;  ///< nothing if there is no object, or an empty one
    std::string version;  ///< empty if there is no object
};

/// The state of an object in which it may be written.
class write_condition {
public:
    /// It does not exist.
    [[nodiscard]] static auto absent() -> write_condition { return {kind_type::absent, {}}; }
    /// It has a version; it does not exist if the version is empty.
    [[nodiscard]] static auto unchanged(std::string version) -> write_condition
    {
        auto const kind = version.empty() ? kind_type::absent : kind_type::unchanged;
        return {kind, std::move(version)};
    }
    [[nodiscard]] static auto any() -> write_condition { return {kind_type::any, {}}; }

    [[nodiscard]] auto is_absent() const noexcept -> bool { return kind_ == kind_type::absent; }
    [[nodiscard]] auto is_any() const noexcept -> bool { return kind_ == kind_type::any; }
    /// The version that the object must have. \pre neither `is_absent` nor `is_any`
    [[nodiscard]] auto version() const noexcept -> std::string const& { return version_; }

private:
    enum class kind_type : std::uint8_t { absent, unchanged, any };
    write_condition(kind_type kind, std::string version) : kind_(kind), version_(std::move(version)) {}

    kind_type kind_;
    std::string version_;
};

/// The reply to a write.
struct write_reply {
    enum class outcome_type : std::uint8_t {
        written,
        refused,  ///< the condition was not met, or another write of the object is in progress
        lock_lost,  ///< the store has locks of its own, and that of this process was released
    };
    outcome_type outcome = outcome_type::written;
    std::string version = {};  ///< of what was written
    std::string reason = {};  ///< of a refusal, for a message: "status 412 PreconditionFailed"
};

/// Locks that a store has apart from its objects. See `state_client` for the functions.
class store_locks {
public:
    store_locks() = default;
    store_locks(store_locks const&) = delete;
    auto operator=(store_locks const&) -> store_locks& = delete;
    virtual ~store_locks() = default;

    /// Returns whether the server compares the lock with each write. If not, it is read before each write.
    [[nodiscard]] virtual auto guards_writes() const noexcept -> bool = 0;
    [[nodiscard]] virtual auto lock(std::string const& key, lock_info const& as) -> expected<lock_attempt> = 0;
    [[nodiscard]] virtual auto unlock(std::string const& key, lock_info const& info) -> expected<void> = 0;
    [[nodiscard]] virtual auto holder(std::string const& key) -> expected<std::optional<lock_info>> = 0;
};

/// Named texts on a server that writes them on conditions. What a state needs beyond that is in `object_state`.
///
/// Calls must be sequential, and block. Failures name the server, without secrets. A failed write may have been performed.
class object_store {
public:
    object_store() = default;
    object_store(object_store const&) = delete;
    auto operator=(object_store const&) -> object_store& = delete;
    virtual ~object_store() = default;

    /// The type of the backend: "gcs".
    [[nodiscard]] virtual auto type() const noexcept -> std::string_view = 0;
    /// The address of an object for messages: "gs://bucket/key".
    [[nodiscard]] virtual auto place_of(std::string const& key) const -> std::string = 0;

    /// Reads an object, and verifies its checksum if the server sends one.
    [[nodiscard]] virtual auto get(std::string const& key, object_use use) -> expected<stored_object> = 0;
    [[nodiscard]] virtual auto put(std::string const& key, object_use use, std::string const& text,
        write_condition const& only_if) -> expected<write_reply> = 0;
    /// Reads a document after a write of it was refused, without comparing it with what the store has recorded about it.
    [[nodiscard]] virtual auto get_again(std::string const& key) -> expected<stored_object>
    {
        return get(key, object_use::document);
    }
    /// Called when a document is known to have been written: records what the store keeps about it elsewhere.
    [[nodiscard]] virtual auto record_written(std::string const&, std::string const&) -> expected<void> { return {}; }
    /// Removes an object; succeeds if there is none. The removal of a lock is requested only once: a second request could
    /// remove the lock that another client has taken since the first one was performed.
    /// \param version  the only version to remove, if the server can tell versions apart; empty: every one
    [[nodiscard]] virtual auto remove(std::string const& key, object_use use, std::string const& version)
        -> expected<void> = 0;
    /// The names of all objects that begin with a text.
    [[nodiscard]] virtual auto list(std::string const& prefix) -> expected<std::vector<std::string>> = 0;

    /// Locks of the store apart from its objects; null if it has none.
    [[nodiscard]] virtual auto locks() -> store_locks* { return nullptr; }
};

}  // namespace iacctl::backends

#endif  // IACCTL_STATE_BACKENDS_OBJECT_STORE_HPP
