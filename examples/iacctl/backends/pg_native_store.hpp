// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BACKENDS_PG_NATIVE_STORE_HPP
#define IACCTL_BACKENDS_PG_NATIVE_STORE_HPP

#include "encryption/target.hpp"
#include "pg_database.hpp"
#include "pg_workspace.hpp"
#include "state/backend.hpp"
#include "state/dependency_catalog.hpp"
#include "state/digest.hpp"
#include "state/store_thread.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::backends {

/// The state of a workspace in the tables of a PostgreSQL database.
///
/// An append is one statement, thus one transaction: it writes rows of what its entries touch and nothing else, so that sessions
/// that have locks of different parts do not wait for each other. It writes only as long as the session of this process
/// is there, and records are encrypted with the key that this store knows.
class pg_native_store final : public state::store {
public:
    pg_native_store(std::shared_ptr<pg_database> in, std::string workspace, state::open_mode mode,
        std::shared_ptr<encryption::target const> sealed_with);

    [[nodiscard]] auto read() -> state::task<expected<infra::snapshot>> override;
    [[nodiscard]] auto read_now() -> expected<infra::snapshot> override;
    [[nodiscard]] auto append(std::span<infra::journal_entry const> batch, infra::snapshot const& after)
        -> state::task<strider::error_code> override;
    [[nodiscard]] auto append_now(std::span<infra::journal_entry const> batch, infra::snapshot const& after)
        -> strider::error_code override;
    [[nodiscard]] auto last_failure() const -> std::optional<infra::failure> override { return failure_; }
    [[nodiscard]] auto versions() const -> state::part_versions const* override { return &versions_; }
    [[nodiscard]] auto saved_serial() const -> std::optional<std::uint64_t> override { return serial_; }
    [[nodiscard]] auto current_versions(std::span<std::string const> parts) -> expected<state::part_versions> override;
    [[nodiscard]] auto begin_generation(std::string_view command) -> expected<std::int64_t> override;
    [[nodiscard]] auto end_generation(std::string_view result) -> std::optional<infra::failure> override;
    [[nodiscard]] auto ensure_space(state::space_estimate) -> std::optional<infra::failure> override { return {}; }
    [[nodiscard]] auto lineage() const -> std::string const& override { return lineage_; }
    [[nodiscard]] auto place() const -> std::string override { return database_->place_of(workspace_); }
    [[nodiscard]] auto generations() -> expected<std::vector<state::generation_record>> override;
    [[nodiscard]] auto entries_after(std::int64_t after) -> expected<std::vector<state::history_entry>> override;

private:
    struct content;

    // Work on the database, with what it throws as failures.
    template <class Work>
    [[nodiscard]] auto attempt(Work work) const -> decltype(work());

    [[nodiscard]] auto read_all(postgres::connection& on) -> content;
    void read_header(postgres::connection& on, content& to) const;
    void read_sets(postgres::connection& on, content& to);
    void read_resources(postgres::connection& on, content& to);
    void read_outputs(postgres::connection& on, content& to);
    void read_pending(postgres::connection& on, content& to);
    // Has a session, and a key that the configuration writes with.
    [[nodiscard]] auto make_ready() -> std::optional<infra::failure>;
    void damaged(content& in, std::string_view kind, std::string_view name) const;
    void keep_lineage(std::string const& of_state);
    // Numbers of what is about to be written, which sealed texts are bound to: without a key, the statement takes them.
    struct reserved {
        std::int64_t version = 0;
        std::vector<std::int64_t> sequences;
    };
    [[nodiscard]] auto reserve(std::size_t entries) const -> reserved;
    // The reason why an append did nothing.
    [[nodiscard]] auto refused() const -> infra::failure;
    void write(std::span<infra::journal_entry const> batch, infra::snapshot const& after);
    [[nodiscard]] auto failure_of(postgres::error const& e) const -> infra::failure;

    std::shared_ptr<pg_database> database_;
    std::string workspace_;
    state::open_mode mode_;
    std::shared_ptr<encryption::target const> sealed_with_;
    bool is_ready_ = false;
    pg_key key_;
    state::field_hasher hasher_;
    std::string lineage_;
    std::uint64_t serial_ = 0;  // of the state that was read or written last; others may have counted on
    state::part_versions versions_;
    state::dependency_catalog sets_;
    std::int64_t generation_ = 0;
    std::string command_ = "change";
    std::optional<infra::failure> failure_;
    state::store_thread thread_;  // last: a call that is under way ends first
};

}  // namespace iacctl::backends

#endif  // IACCTL_BACKENDS_PG_NATIVE_STORE_HPP
