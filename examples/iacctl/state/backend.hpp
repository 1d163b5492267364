// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_BACKEND_HPP
#define IACCTL_STATE_BACKEND_HPP

#include "encryption/target.hpp"
#include "history.hpp"
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

/// The room that a run will need.
struct space_estimate {
    std::uint64_t entries = 0;
    std::uint64_t parallelism = 1;
    std::uint64_t record_size = 0;  ///< 0: as observed in state
};

/// Versions of parts of a state: every change of a part gives it another one. A part that is not there has none. A resource with keys
/// of instances has a version that changes with each of them.
using part_versions = std::unordered_map<std::string, std::int64_t>;

/// The state of one workspace: a model of `infra::state_store`.
///
/// An append that has completed without error is durable. One that failed is final: the store refuses all that follow, since
/// nobody knows what is saved; `write_rescue` then keeps what would be lost. Calls are made one after another. The coroutines
/// work on a thread of the store's own; the functions with `_now` block.
class store {
public:
    static constexpr bool keeps_lineage = true;

    virtual ~store() = default;

    /// All of it, verified. Where no state was ever written: an empty snapshot without lineage.
    [[nodiscard]] virtual auto read() -> task<expected<infra::snapshot>> = 0;
    [[nodiscard]] virtual auto read_now() -> expected<infra::snapshot> = 0;

    /// \param after  state with the batch applied; must live until this completes
    /// \return a `state_error`; `last_failure()` says more
    [[nodiscard]] virtual auto append(std::span<infra::journal_entry const> batch, infra::snapshot const& after)
        -> task<strider::error_code> = 0;
    [[nodiscard]] virtual auto append_now(std::span<infra::journal_entry const> batch, infra::snapshot const& after)
        -> strider::error_code = 0;

    /// The reason why an append failed, for the user; nothing if none did.
    [[nodiscard]] virtual auto last_failure() const -> std::optional<infra::failure> = 0;

    /// Versions of all parts, as they were when state was last read; nothing: a state has one version, its serial number.
    [[nodiscard]] virtual auto versions() const -> part_versions const* { return nullptr; }
    /// Versions of some parts as they are now. \pre versions() is not null
    [[nodiscard]] virtual auto current_versions(std::span<std::string const>) -> expected<part_versions>
    {
        return part_versions();
    }

    /// The serial number of the state that this store has saved last, if others may change other parts of it at the same time: a
    /// rescue copy has the next one, so that it replaces nothing that others have saved since.
    [[nodiscard]] virtual auto saved_serial() const -> std::optional<std::uint64_t> { return std::nullopt; }

    /// Begins a command that changes state.
    /// \return the number of the generation
    [[nodiscard]] virtual auto begin_generation(std::string_view command) -> expected<std::int64_t> = 0;
    /// Ends it. Does nothing without a begin.
    /// \return the part that could not be done; state itself is complete either way
    [[nodiscard]] virtual auto end_generation(std::string_view result) -> std::optional<infra::failure> = 0;
    /// Refuses before anything is done if there is no room for a run, and reserves it if it can.
    [[nodiscard]] virtual auto ensure_space(space_estimate planned) -> std::optional<infra::failure> = 0;

    /// Empty until something was written. The first append makes it, unless its snapshot brings one.
    [[nodiscard]] virtual auto lineage() const -> std::string const& = 0;
    /// The place of state, as a message names it.
    [[nodiscard]] virtual auto place() const -> std::string = 0;

    /// Makes every check, and goes on after one that fails.
    /// \return a failure if the store has no such checks, or could not read; damage is part of the result
    [[nodiscard]] virtual auto verify() -> expected<verification> { return has_no_history(); }
    /// The commands that changed state and are not forgotten yet, oldest first.
    [[nodiscard]] virtual auto generations() -> expected<std::vector<generation_record>> { return has_no_history(); }
    /// Entries with a sequence above `after`, verified, oldest first.
    [[nodiscard]] virtual auto entries_after(std::int64_t) -> expected<std::vector<history_entry>>
    {
        return has_no_history();
    }
    /// State as it was after the entry of that sequence.
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

/// The parts of a state that a command depends on: addresses of instances, and outputs under `name_of_output`. Sorted.
///
/// The address of a resource, without a key, stands for all of its instances where it is read, also for those that are not there yet.
struct state_parts {
    std::vector<std::string> written;  ///< what it changes
    std::vector<std::string> read;  ///< what the changes are computed from, and nothing of `written`

    [[nodiscard]] static auto name_of_output(std::string_view name) -> std::string
    {
        return "output " + std::string(name);
    }
};

/// The terms under which a lock is asked for.
struct lock_request {
    std::string operation;
    /// The time during which to try again, at growing distances of 0.1 s to 2 s; 0: once.
    std::chrono::milliseconds timeout{0};
    /// Asked between two attempts; true: give up, as if the time were over.
    std::function<bool()> stop;
    /// Exclusive locks of the parts that are written, shared ones of those that are read; nothing: an exclusive lock of the whole
    /// workspace, which a backend without locks of parts always takes.
    std::optional<state_parts> parts{};
};

/// The lock of a workspace, released when this is destroyed.
class held_lock {
public:
    held_lock() = default;
    held_lock(held_lock const&) = delete;
    auto operator=(held_lock const&) -> held_lock& = delete;
    virtual ~held_lock() = default;

    /// Takes locks of parts in place of those that are held. On failure they stay as they are.
    /// \pre the lock was taken with parts
    /// \return the reason has `state_error::locked`, and names the holder and the parts
    [[nodiscard]] virtual auto exchange(lock_request const&) -> std::optional<infra::failure> { return std::nullopt; }
};

/// A lock that is held now, as a list of locks shows it. A text that is not known is empty.
struct lock_description {
    std::string id;  ///< for `force-unlock`; empty: the lock ends with its holder, and cannot be released
    std::string holder;  ///< the process, the user and the host
    std::string operation;  ///< "apply"
    std::string since;  ///< RFC 3339, UTC
    bool of_workspace = true;  ///< exclusive on the whole workspace; false: on the addresses below
    std::vector<std::string> written;  ///< exclusive: addresses that the holder changes
    std::vector<std::string> read;  ///< shared: addresses that the holder depends on
};

/// A place that has the states of all workspaces of one configuration.
class backend {
public:
    backend() = default;
    backend(backend const&) = delete;
    auto operator=(backend const&) -> backend& = delete;
    virtual ~backend() = default;

    /// The type, as the `backend` block of a configuration names it.
    [[nodiscard]] virtual auto type() const noexcept -> std::string_view = 0;

    /// All workspaces: the default, then those with a state, by name.
    [[nodiscard]] virtual auto workspaces() const -> expected<std::vector<std::string>> = 0;
    /// Was anything ever saved for this workspace?
    [[nodiscard]] virtual auto exists(std::string const& workspace) const -> expected<bool> = 0;
    /// Makes the workspace with an empty state, if there is none.
    [[nodiscard]] virtual auto make(std::string const& workspace) const -> std::optional<infra::failure> = 0;
    /// Removes the workspace with its state. \pre the lock is held, or locking was switched off
    [[nodiscard]] virtual auto remove(std::string const& workspace) const -> std::optional<infra::failure> = 0;
    /// The state of a workspace. Nothing is read or made before the first call that needs it; `read_only` never makes anything,
    /// `read_write` does with the first append or generation.
    [[nodiscard]] virtual auto open(std::string const& workspace, open_mode mode) const -> std::unique_ptr<store> = 0;

    /// Takes the exclusive lock of a workspace, which it makes if there is none.
    /// \return the reason has `state_error::locked`, and names the holder
    [[nodiscard]] virtual auto lock(std::string const& workspace, lock_request const& requested) const
        -> expected<std::unique_ptr<held_lock>> = 0;
    /// Are there locks of parts of a state?
    [[nodiscard]] virtual auto locks_parts() const noexcept -> bool { return false; }
    /// Does somebody hold the lock now?
    [[nodiscard]] virtual auto is_locked(std::string const& workspace) const -> bool = 0;
    /// A phrase about the holder of the lock: "apply, process 17 of user@host"; nothing if it is not known.
    [[nodiscard]] virtual auto holder(std::string const& workspace) const -> std::optional<std::string> = 0;
    /// The locks that others hold now, the oldest first.
    [[nodiscard]] virtual auto locks(std::string const& workspace) const -> expected<std::vector<lock_description>> = 0;
    /// The error while somebody else holds the lock: names the holder, and what to do.
    /// \param operations  lines about those that are under way, if it is refused because of them
    [[nodiscard]] virtual auto lock_failure(std::string const& workspace, std::string const& operations = {}) const
        -> infra::failure = 0;

    /// Releases a lock that a process has left behind, or that somebody else still holds.
    /// \param id  of the lock, as the error about it names it
    [[nodiscard]] virtual auto force_unlock(std::string const& workspace, std::string const& id) const
        -> std::optional<infra::failure> = 0;

    /// Puts a database in the place of that of a workspace. \pre the lock is held, or was switched off
    /// \param from  a backup, or the database itself; empty: the newest backup
    [[nodiscard]] virtual auto restore(std::string const& workspace, std::filesystem::path const&) const
        -> expected<restored_state>
    {
        return make_failure(messages::state_without_salvage, {type(), workspace});
    }
    /// The states that can be made from a damaged one, with what each of them loses. Changes nothing.
    /// \return a failure if state is not damaged, or this backend has nothing to make another one from
    [[nodiscard]] virtual auto salvage_choices(std::string const& workspace) const
        -> expected<std::vector<salvage_choice>>
    {
        return make_failure(messages::state_without_salvage, {type(), workspace});
    }
    /// Puts one of them in the place of the damaged state, which is kept. \pre the lock is held, or was switched off
    [[nodiscard]] virtual auto salvage(std::string const& workspace, salvage_source) const -> expected<restored_state>
    {
        return make_failure(messages::state_without_salvage, {type(), workspace});
    }

    /// The methods that encrypt the states, and copies of them that cannot be saved there.
    [[nodiscard]] virtual auto sealed_with() const noexcept -> encryption::target const& = 0;

    /// The directory on this machine for what cannot be saved in the workspace, such as rescue copies.
    [[nodiscard]] virtual auto local_directory(std::string const& workspace) const -> std::filesystem::path = 0;
};

}  // namespace iacctl::state

#endif  // IACCTL_STATE_BACKEND_HPP
