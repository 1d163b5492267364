// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_SQLITE_STORE_HPP
#define IACCTL_STATE_SQLITE_STORE_HPP

#include "database.hpp"
#include "state_error.hpp"

#include <strider/infra/journal/journal_entry.hpp>
#include <strider/infra/model/snapshot.hpp>
#include <strider/walk/asio.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::state {

/// The coroutine type of the engine.
template <class T>
using task = boost::asio::awaitable<T>;

/// An entry as history keeps it.
struct history_entry {
    std::int64_t sequence = 0;
    std::int64_t generation = 0;
    std::int64_t epoch = 0;
    std::int64_t time = 0;  ///< milliseconds since 1970, UTC
    infra::journal_entry entry;
};

/// How much room a run will need.
struct space_estimate {
    std::uint64_t entries = 0;
    std::uint64_t parallelism = 1;
    std::uint64_t record_size = 0;  ///< 0: as observed in state
};

/// What is kept of the past: entries and backups that are neither among the last ones nor young are removed.
struct keep_rule {
    std::int64_t generations = 20;
    std::int64_t milliseconds = std::int64_t{7} * 24 * 60 * 60 * 1000;
};

/// The state of a workspace in an SQLite database: a model of `infra::state_store`.
///
/// An append that has completed without error is durable. One that failed is final: the store refuses all that follow,
/// since nobody knows what the disk holds; `write_rescue` then keeps what would be lost. Calls are made one after
/// another. The coroutines do their work on a thread of the store's own, which begins with the first of them; the
/// twins with `_now` block.
///
/// A row is one object. An append reads and writes only rows of what its entries touch.
class sqlite_store {
public:
    static constexpr bool keeps_lineage = true;

    /// Opened by the first call that needs it. Nothing is made: `read_only` never does, `read_write` with the first append or
    /// generation.
    /// \param workspace_directory  `.iacctl/<workspace>`
    sqlite_store(std::filesystem::path workspace_directory, open_mode mode);
    /// The same, opened now.
    [[nodiscard]] static auto open(std::filesystem::path workspace_directory, open_mode mode) -> checked<sqlite_store>;

    sqlite_store(sqlite_store&&) noexcept;
    auto operator=(sqlite_store&&) noexcept -> sqlite_store&;
    ~sqlite_store();

    /// All of it, verified row by row. Where no state was ever written: an empty snapshot without lineage.
    [[nodiscard]] auto read() -> task<checked<infra::snapshot>>;
    [[nodiscard]] auto read_now() -> checked<infra::snapshot>;

    /// \param after  state with the batch applied; must live until this completes
    /// \return a `state_error`; `last_failure()` says more
    [[nodiscard]] auto append(std::span<infra::journal_entry const> batch, infra::snapshot const& after)
        -> task<strider::error_code>;
    [[nodiscard]] auto append_now(std::span<infra::journal_entry const> batch, infra::snapshot const& after)
        -> strider::error_code;

    /// Why an append failed, for the user; nothing if none did.
    [[nodiscard]] auto last_failure() const -> std::optional<infra::failure>;

    /// Begins a command that changes state: backs up what there is, takes a new epoch.
    [[nodiscard]] auto begin_generation(std::string_view command) -> checked<std::int64_t>;
    /// Ends it: removes what is deleted for good and what is too old, empties the log. Does nothing without a begin.
    /// \return what could not be done; state itself is complete either way
    [[nodiscard]] auto end_generation(std::string_view result) -> std::optional<infra::failure>;
    /// Refuses before anything is done if there is no room for a run, and reserves it if it can.
    [[nodiscard]] auto ensure_space(space_estimate planned) -> std::optional<infra::failure>;

    /// Entries with a sequence above `after`, verified, oldest first.
    [[nodiscard]] auto entries_after(std::int64_t after) -> checked<std::vector<history_entry>>;

    /// Empty until something was written. The first append makes it, unless its snapshot brings one.
    [[nodiscard]] auto lineage() const -> std::string const&;
    [[nodiscard]] auto serial() const -> std::uint64_t;
    [[nodiscard]] auto directory() const -> std::filesystem::path const&;
    void set_keep_rule(keep_rule rule);

private:
    struct impl;

    std::unique_ptr<impl> impl_;
};

}  // namespace iacctl::state

#endif  // IACCTL_STATE_SQLITE_STORE_HPP
