// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_BACKEND_HPP
#define IACCTL_STATE_BACKEND_HPP

#include "base/expected.hpp"
#include "history.hpp"
#include "state/encryption/target.hpp"
#include "state_error.hpp"

#include <strider/infra/journal/journal_entry.hpp>
#include <strider/infra/model/snapshot.hpp>
#include <strider/walk/asio.hpp>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace iacctl::state {

/// The coroutine type of the engine.
template <class T>
using task = boost::asio::awaitable<T>;

enum class open_mode : std::uint8_t { read_only, read_write };

/// The storage that a run is expected to need.
struct space_estimate {
    std::uint64_t entries = 0;
    std::uint64_t parallelism = 1;
    std::uint64_t record_size = 0;  ///< 0: the size observed so far
};

/// Versions of parts of a state. Every change of a part changes its version. A part that does not exist has none. The
/// version of a resource with several instances changes with each of them.
using part_versions = std::unordered_map<std::string, std::int64_t>;

/// The present state, for a command that replaces all of it.
struct replaced_state {
    infra::snapshot now;
    /// The present state cannot be used: it is damaged, missing or too old on its server. `now` has its lineage and the
    /// highest known serial, and no content.
    bool is_unusable = false;
};

/// The state of one workspace: a model of `infra::state_store`.
///
/// An append that completes without an error is durable. After a failed append, the store refuses all further calls, as
/// the saved state is unknown; `write_rescue` then saves the state elsewhere. Calls must be sequential. The coroutines
/// run on a thread of the store; the functions with `_now` block.
class store {
public:
    static constexpr bool keeps_lineage = true;

    virtual ~store() = default;

    /// The whole state, verified. If no state was ever written: an empty snapshot without lineage.
    [[nodiscard]] virtual auto read() -> task<expected<infra::snapshot>> = 0;
    [[nodiscard]] virtual auto read_now() -> expected<infra::snapshot> = 0;
    /// \pre `read_write`, and the next generation writes the new state as a whole
    [[nodiscard]] virtual auto read_to_replace() -> expected<replaced_state>
    {
        auto now = read_now();
        if (!now) return now.error();
        return replaced_state{std::move(*now)};
    }

    /// \param after  the state with the batch applied; must live until the append completes
    /// \return a `state_error`; `append_now` and `condition` give the details
    [[nodiscard]] virtual auto append(std::span<infra::journal_entry const> batch, infra::snapshot const& after)
        -> task<strider::error_code> = 0;
    [[nodiscard]] virtual auto append_now(std::span<infra::journal_entry const> batch, infra::snapshot const& after)
        -> expected<void> = 0;

    /// A failure, for the user, if an append has failed: the store then refuses all further calls.
    [[nodiscard]] virtual auto condition() const -> expected<void> = 0;

    /// The versions of all parts when state was last read; null if a state has only one version, its serial number.
    [[nodiscard]] virtual auto versions() const -> part_versions const* { return nullptr; }
    /// The current versions of some parts. \pre versions() is not null
    [[nodiscard]] virtual auto current_versions(std::span<std::string const>) -> expected<part_versions>
    {
        return part_versions();
    }

    /// The serial number that this store saved last, if other processes may change other parts of the state at the same
    /// time. A rescue copy has the next number, so that it cannot replace later changes of others.
    [[nodiscard]] virtual auto saved_serial() const -> std::optional<std::uint64_t> { return std::nullopt; }

    /// Identifies the content that was read or saved last; empty: contents cannot be told apart.
    [[nodiscard]] virtual auto content_id() const -> std::string { return {}; }
    /// The contents that may be stored after a failed append: those before and after its transaction, because a failed
    /// synchronization may have stored nothing, a part or all. A rescue copy may replace each of them. Empty: nothing is
    /// known, or other processes have changed the content.
    [[nodiscard]] virtual auto replaceable_ids() const -> std::vector<std::string> { return {}; }

    /// Begins a command that changes state.
    /// \return the number of the generation
    [[nodiscard]] virtual auto begin_generation(std::string_view command) -> expected<std::int64_t> = 0;
    /// Ends the command. Does nothing without `begin_generation`.
    /// \return the reason why maintenance failed; the state itself is complete in any case
    [[nodiscard]] virtual auto end_generation(std::string_view result) -> expected<void> = 0;
    /// Checks that there is enough storage for a run before it starts, and reserves it if possible.
    [[nodiscard]] virtual auto ensure_space(space_estimate planned) -> expected<void> = 0;

    /// Empty until the first append, which generates it unless the snapshot has one.
    [[nodiscard]] virtual auto lineage() const -> std::string const& = 0;
    /// The place of state for messages.
    [[nodiscard]] virtual auto place() const -> std::string = 0;

    /// Runs every check, also after one has failed.
    /// \return a failure if the store has no checks or cannot be read; damage is part of the result
    [[nodiscard]] virtual auto verify() -> expected<verification> { return has_no_history(); }
    /// The commands that changed state and are still in the history, oldest first.
    [[nodiscard]] virtual auto generations() -> expected<std::vector<generation_record>> { return has_no_history(); }
    /// Entries with a sequence above `after`, verified, oldest first.
    [[nodiscard]] virtual auto entries_after(std::int64_t) -> expected<std::vector<history_entry>>
    {
        return has_no_history();
    }
    /// The state after the entry with that sequence.
    [[nodiscard]] virtual auto read_at(std::int64_t) -> expected<infra::snapshot> { return has_no_history(); }

protected:
    [[nodiscard]] auto has_no_history() const -> infra::failure
    {
        return make_failure(messages::state_without_history, {place()});
    }

    store() = default;
    store(store const&) = default;
    store(store&&) = default;
    auto operator=(store const&) -> store& = default;
    auto operator=(store&&) -> store& = default;
};

/// The parts of a state that a command writes or reads: addresses of instances, and outputs under `name_of_output`.
/// Sorted.
///
/// In `read`, the address of a resource without a key includes all of its instances, also those that do not exist yet.
struct state_parts {
    std::vector<std::string> written;  ///< the parts that it changes
    std::vector<std::string> read;  ///< the parts on which the changes depend, without those of `written`

    [[nodiscard]] static auto name_of_output(std::string_view name) -> std::string
    {
        return "output " + std::string(name);
    }
};

/// The conditions of a lock.
struct lock_request {
    std::string operation;
    /// The time during which to retry, at intervals that grow from 0.1 s to 2 s; 0: one attempt.
    std::chrono::milliseconds timeout{0};
    /// Called between two attempts; true ends them, as a timeout does.
    std::function<bool()> stop;
    /// Requests exclusive locks of the parts in `written` and shared locks of those in `read`. Nothing: an exclusive
    /// lock of the whole workspace, which a backend without locks of parts takes in any case.
    std::optional<state_parts> parts{};
    bool reads = false;  ///< without parts: a backend may permit such locks of several processes at the same time
    /// Called if the lock could not be released and remains when the process ends.
    std::function<void(infra::failure const&)> on_remaining{};
};

/// The lock of a workspace, which is released on destruction.
class held_lock {
public:
    held_lock() = default;
    held_lock(held_lock const&) = delete;
    auto operator=(held_lock const&) -> held_lock& = delete;
    virtual ~held_lock() = default;

    /// Replaces the held locks of parts by others. On failure they do not change.
    /// \pre The lock was taken with parts.
    /// \return the reason has `state_error::locked`, and names the holder and the parts
    [[nodiscard]] virtual auto exchange(lock_request const&) -> expected<void> { return {}; }

    /// Checks that `exchange` would succeed, for a command that only reads: it keeps the held locks, or takes the others.
    /// \param requested  without parts \param parts  returns the parts; not called if they are not needed
    /// \pre The lock was taken with parts.
    /// \return as that of `exchange`
    [[nodiscard]] virtual auto check(lock_request requested, std::function<state_parts()> const& parts)
        -> expected<void>
    {
        requested.parts = parts();
        return exchange(requested);
    }
};

/// A lock that is held now, for a list of locks. Unknown texts are empty.
struct lock_description {
    std::string id;  ///< for `force-unlock`; empty: the lock ends with its holder, and cannot be released
    std::string holder;  ///< the process, the user and the host
    std::string operation;  ///< "apply"
    std::string since;  ///< RFC 3339, UTC
    bool of_workspace = true;  ///< exclusive on the whole workspace; false: on the addresses below
    std::vector<std::string> written;  ///< exclusive: addresses that the holder changes
    std::vector<std::string> read;  ///< shared: addresses that the holder depends on
};

/// The place of the states of all workspaces of one configuration.
class backend {
public:
    backend() = default;
    backend(backend const&) = delete;
    auto operator=(backend const&) -> backend& = delete;
    virtual ~backend() = default;

    /// The label of the `backend` block.
    [[nodiscard]] virtual auto type() const noexcept -> std::string_view = 0;

    /// False if the storage does not exist: the first request for a state makes it.
    [[nodiscard]] virtual auto is_made() const -> expected<bool> { return true; }
    /// All workspaces: the default, then those with a state, by name.
    [[nodiscard]] virtual auto workspaces() const -> expected<std::vector<std::string>> = 0;
    /// Returns whether anything was ever saved for this workspace.
    [[nodiscard]] virtual auto exists(std::string const& workspace) const -> expected<bool> = 0;
    /// Creates the workspace with an empty state, if it does not exist.
    [[nodiscard]] virtual auto make(std::string const& workspace) const -> expected<void> = 0;
    /// Removes the workspace with its state. \pre the lock is held, or locking is disabled
    [[nodiscard]] virtual auto remove(std::string const& workspace) const -> expected<void> = 0;
    /// The state of a workspace. Nothing is read or created before the first call that needs it. `read_only` never
    /// creates anything; `read_write` creates the state with the first append or generation.
    [[nodiscard]] virtual auto open(std::string const& workspace, open_mode mode) const -> std::unique_ptr<store> = 0;

    /// Takes the exclusive lock of a workspace, and creates the workspace if it does not exist.
    /// \return the reason has `state_error::locked`, and names the holder
    [[nodiscard]] virtual auto lock(std::string const& workspace, lock_request const& requested) const
        -> expected<std::unique_ptr<held_lock>> = 0;
    /// Returns whether a workspace must exist to be locked, so that a command that only reads cannot lock it before.
    [[nodiscard]] virtual auto lock_creates_workspace() const noexcept -> bool { return false; }
    /// Returns whether there are locks of parts of a state.
    [[nodiscard]] virtual auto locks_parts() const noexcept -> bool { return false; }
    /// Returns whether any process holds the lock now.
    [[nodiscard]] virtual auto is_locked(std::string const& workspace) const -> bool = 0;
    /// A phrase about the holder of the lock: "apply, process 17 of user@host"; nothing if it is unknown.
    [[nodiscard]] virtual auto holder(std::string const& workspace) const -> std::optional<std::string> = 0;
    /// The locks that other processes hold now, the oldest first.
    [[nodiscard]] virtual auto locks(std::string const& workspace) const -> expected<std::vector<lock_description>> = 0;
    /// The error for a lock that another process holds. It names the holder and a remedy.
    /// \param operations  lines about the operations that are in progress, if these are the reason
    [[nodiscard]] virtual auto lock_failure(std::string const& workspace, std::string const& operations = {}) const
        -> infra::failure = 0;

    /// Releases a lock that its process has left behind or still holds.
    /// \param id  of the lock, as reported by the error about it
    [[nodiscard]] virtual auto force_unlock(std::string const& workspace, std::string const& id) const
        -> expected<void> = 0;

    /// Replaces the database of a workspace. \pre the lock is held, or locking is disabled
    /// \param from  a backup, or the current database; empty: the newest backup
    [[nodiscard]] virtual auto restore(std::string const& workspace, std::filesystem::path const&) const
        -> expected<restored_state>
    {
        return make_failure(messages::state_without_salvage, {type(), workspace});
    }
    /// The states that can be recovered from a damaged one, with the losses of each. Changes nothing.
    /// \return a failure if the state is not damaged, or the backend cannot recover states
    [[nodiscard]] virtual auto salvage_choices(std::string const& workspace) const
        -> expected<std::vector<salvage_choice>>
    {
        return make_failure(messages::state_without_salvage, {type(), workspace});
    }
    /// Replaces a damaged state by one of these; the damaged one is kept. \pre the lock is held, or locking is disabled
    [[nodiscard]] virtual auto salvage(std::string const& workspace, salvage_source) const -> expected<restored_state>
    {
        return make_failure(messages::state_without_salvage, {type(), workspace});
    }

    /// Prepares this backend to receive states: those of another mode of the same storage may be replaced.
    virtual void begin_migration() {}
    /// Makes the received state the only one of a workspace, if the storage has it in another mode, too.
    [[nodiscard]] virtual auto end_migration(std::string const&) const -> expected<void> { return {}; }

    /// The methods that encrypt states, and copies of them that cannot be saved in the workspace.
    [[nodiscard]] virtual auto sealed_with() const noexcept -> encryption::target const& = 0;

    /// The directory on this machine for data that cannot be saved in the workspace, such as rescue copies.
    [[nodiscard]] virtual auto local_directory(std::string const& workspace) const -> std::filesystem::path = 0;
};

}  // namespace iacctl::state

#endif  // IACCTL_STATE_BACKEND_HPP
