// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_RECORD_RECORD_STORE_HPP
#define IACCTL_STATE_RECORD_RECORD_STORE_HPP

#include "database.hpp"
#include "history_rows.hpp"
#include "records.hpp"
#include "recovery.hpp"
#include "state/backend.hpp"
#include "state/store_thread.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace iacctl::state {

/// Another process has written since this store has read, or has taken its locks.
class overtaken_error : public std::runtime_error {
public:
    overtaken_error() : std::runtime_error("another process has written to it") {}
};

/// The records that a record store has read. A derived class may add what it needs for its database.
struct journal_data {
    journal_data() = default;
    journal_data(journal_data const&) = delete;
    auto operator=(journal_data const&) -> journal_data& = delete;
    virtual ~journal_data() = default;

    field_hasher hasher;
    retention_policy keep;
    record_key key;
    dependency_catalog sets;  ///< those that the database has
    infra::document checks;  ///< results of checks, as last read or written
    std::uint64_t serial = 0;  ///< last read or written; others may have increased it since
    std::int64_t generation = 0;  ///< of the running command; 0: none
    std::string command = "change";
    expected<void> condition;  ///< the failure of an append; after it there are no further ones
};

/// The state of a workspace as a journal of records in a database: the part that does not depend on which one. A
/// derived class adds how its database is opened, changed and repaired.
///
/// An append writes only the records that its entries affect.
class record_store : public store {
public:
    [[nodiscard]] auto read() -> task<expected<infra::snapshot>> final;
    [[nodiscard]] auto read_now() -> expected<infra::snapshot> final;
    [[nodiscard]] auto append(std::span<infra::journal_entry const> batch, infra::snapshot const& after)
        -> task<strider::error_code> final;
    [[nodiscard]] auto append_now(std::span<infra::journal_entry const> batch, infra::snapshot const& after)
        -> expected<void> final;
    [[nodiscard]] auto condition() const -> expected<void> final { return data_->condition; }
    [[nodiscard]] auto begin_generation(std::string_view command) -> expected<std::int64_t> final;
    [[nodiscard]] auto end_generation(std::string_view result) -> expected<void> final;
    [[nodiscard]] auto generations() -> expected<std::vector<generation_record>> final;
    [[nodiscard]] auto entries_after(std::int64_t after) -> expected<std::vector<history_entry>> final;
    [[nodiscard]] auto read_at(std::int64_t sequence) -> expected<infra::snapshot> final;
    [[nodiscard]] auto place() const -> std::string final { return site().place; }

    /// As in `backend`.
    [[nodiscard]] auto salvage_choices() -> expected<std::vector<salvage_choice>>;
    [[nodiscard]] auto salvage(salvage_source from) -> expected<restored_state>;

    void set_retention_policy(retention_policy rule) { data_->keep = rule; }

protected:
    explicit record_store(std::unique_ptr<journal_data> data) : data_(std::move(data)) {}

    [[nodiscard]] virtual auto site() const -> state_site = 0;
    /// Of the derived class, because a running call uses its members.
    [[nodiscard]] virtual auto thread() -> store_thread& = 0;

    /// Reads and checks all records. \return nothing if nothing was ever written
    [[nodiscard]] virtual auto load() -> expected<std::optional<state_records>> = 0;
    /// Calls `work` in a transaction that reads one state: repeatedly if the connection is lost, not at all if nothing
    /// was ever written. The records have the key, the lineage and the serial, and receive damage.
    using view_work = std::function<void(database&, state_records&)>;
    [[nodiscard]] virtual auto view(view_work const& work) -> expected<void> = 0;

    /// The same for data that are not encrypted.
    [[nodiscard]] virtual auto view_without_key(std::function<void(database&)> const& work) -> expected<void> = 0;

    /// Prepares writing, and creates the state if it does not exist.
    [[nodiscard]] virtual auto make_ready() -> expected<void> = 0;
    /// Writes a batch in one transaction, which is durable when it returns.
    [[nodiscard]] virtual auto write(std::span<infra::journal_entry const> batch, infra::snapshot const& after)
        -> expected<void> = 0;
    /// Writes the begin of a command, with its user on a second line. \return its number
    [[nodiscard]] virtual auto begin(std::string_view command, std::int64_t now) -> std::int64_t = 0;
    /// Writes the end of the running command, and removes what is no longer needed.
    virtual void end(std::string_view result, std::int64_t now) = 0;

    /// The state before the first entry that `read_at` replays.
    struct history_base {
        infra::snapshot content;
        std::int64_t sequence = 0;
        bool is_gapless = false;  ///< each later sequence has an entry
        bool is_current = false;  ///< the requested state is the present one
    };
    /// \param entries  all of them
    [[nodiscard]] virtual auto base_before(database& db, state_records const& content,
        std::vector<entry_row> const& entries, std::int64_t sequence) -> expected<history_base> = 0;

    /// All that can be read of a damaged state.
    [[nodiscard]] virtual auto find_remains() -> expected<remains> = 0;
    /// Replaces the damaged state by a recovered one.
    [[nodiscard]] virtual auto replace(remains const& all, recipe const& chosen) -> expected<restored_state> = 0;

    enum class stage : std::uint8_t { reading, beginning, saving, ending };
    /// The failure for the exception that is being handled. Other exceptions than those of the database are thrown on.
    [[nodiscard]] virtual auto explain(stage during) -> infra::failure = 0;

    [[nodiscard]] auto data() const noexcept -> journal_data& { return *data_; }

    /// Does work, and returns the failure for an exception of the database.
    template <class Work>
    [[nodiscard]] auto attempt(stage during, Work const& work) -> decltype(work())
    {
        try {
            return work();
        } catch (...) {
            return explain(during);
        }
    }

private:
    // What remains of the state, if it is damaged.
    [[nodiscard]] auto remains_of_damage() -> expected<remains>;
    // Reads sets, then does more work, in one view.
    [[nodiscard]] auto view_with_sets(view_work const& work) -> expected<void>;
    [[nodiscard]] auto damaged_entry(messages::message<3> const& m, std::int64_t sequence) const -> infra::failure;

    std::unique_ptr<journal_data> data_;  // keeps its place when a store is moved
};

}  // namespace iacctl::state

#endif  // IACCTL_STATE_RECORD_RECORD_STORE_HPP
