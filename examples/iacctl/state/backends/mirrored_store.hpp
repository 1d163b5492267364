// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_BACKENDS_MIRRORED_STORE_HPP
#define IACCTL_STATE_BACKENDS_MIRRORED_STORE_HPP

#include "base/expected.hpp"
#include "state/backend.hpp"
#include "state/record/sqlite_store.hpp"
#include "state/store_thread.hpp"
#include "state_client.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::backends {

/// The state of a workspace that a server stores as one document, with a mirror on this machine.
///
/// Every entry is durable in the mirror, an `sqlite_store`, before the append completes. The document is uploaded at
/// the end of a generation, and in a long generation after each `publishing_interval`. If an upload fails, nothing is
/// lost: the next command that writes uploads the state, unless the document on the server has changed meanwhile. In
/// that case it writes the state of the mirror to a rescue copy and fails, and later commands use the document of the
/// server.
///
/// mirror        server            read() returns
///   as published  as published      the mirror
///   as published  changed           the document of the server, which replaces the mirror with the next generation
///   changed       as published      the mirror; `read_write` publishes it first
///   changed       an upload without a reply, of an earlier state of the mirror: as above
///   changed       equal to mirror   the mirror: the reply to the last upload was lost
///   changed       changed           a failure; `read_write` writes a rescue copy and sets the mirror aside
///   any           gone back         a failure: the document is missing, damaged, or has a lower serial than before
///
/// A mirror with fewer entries than recorded is an interrupted replacement; it is handled as "server changed".
class mirrored_store final : public state::store {
public:
    static constexpr std::chrono::seconds publishing_interval{10};

    /// \param mirror     its directory, and the methods that encrypt it and the document
    /// \param lock_id    of the lock that is held; empty: none
    mirrored_store(std::shared_ptr<state_client> server, std::string workspace, state::workspace_files mirror,
        state::open_mode mode, std::shared_ptr<std::string const> lock_id,
        std::chrono::seconds interval = publishing_interval);

    [[nodiscard]] auto read() -> state::task<expected<infra::snapshot>> override;
    [[nodiscard]] auto read_now() -> expected<infra::snapshot> override;
    [[nodiscard]] auto read_to_replace() -> expected<state::replaced_state> override;
    [[nodiscard]] auto append(std::span<infra::journal_entry const> batch, infra::snapshot const& after)
        -> state::task<strider::error_code> override;
    [[nodiscard]] auto append_now(std::span<infra::journal_entry const> batch, infra::snapshot const& after)
        -> expected<void> override;
    [[nodiscard]] auto condition() const -> expected<void> override;
    [[nodiscard]] auto begin_generation(std::string_view command) -> expected<std::int64_t> override;
    [[nodiscard]] auto end_generation(std::string_view result) -> expected<void> override;
    [[nodiscard]] auto ensure_space(state::space_estimate planned) -> expected<void> override;
    [[nodiscard]] auto lineage() const -> std::string const& override;
    [[nodiscard]] auto place() const -> std::string override;
    /// The checks and the history of the mirror, which contains the commands of this machine.
    [[nodiscard]] auto verify() -> expected<state::verification> override { return mirror_->verify(); }
    [[nodiscard]] auto generations() -> expected<std::vector<state::generation_record>> override
    {
        return mirror_->generations();
    }
    [[nodiscard]] auto entries_after(std::int64_t after) -> expected<std::vector<state::history_entry>> override
    {
        return mirror_->entries_after(after);
    }
    [[nodiscard]] auto read_at(std::int64_t sequence) -> expected<infra::snapshot> override
    {
        return mirror_->read_at(sequence);
    }

    /// The file beside a mirror that names the last published document.
    [[nodiscard]] static auto publication_file_of(std::filesystem::path const& mirror) -> std::filesystem::path;
    /// The mirror and the document of the server, for `state repair`. \return a failure if state can be used as it is
    [[nodiscard]] auto salvage_choices() -> expected<std::vector<state::salvage_choice>>;
    /// Writes the state of the mirror to the server, with a serial above that of both.
    [[nodiscard]] auto republish() -> expected<state::restored_state>;
    /// Sets the mirror aside, with its state as a file, so that the document of the server is used as it is.
    [[nodiscard]] auto accept_document() -> expected<state::restored_state>;

private:
    // The document of the server and the position of the mirror when both had the same state.
    struct publication {
        std::string document;  // SHA-256 in hexadecimal digits; empty: there was no document
        std::int64_t sequence = 0;
        std::uint64_t serial = 0;
        std::vector<std::string> attempts = {};  // documents that were sent since, and may have been written

        // Returns whether a document is one that this mirror has sent.
        [[nodiscard]] auto has_sent(std::string const& there) const -> bool
        {
            return there == document || std::ranges::find(attempts, there) != attempts.end();
        }
    };

    [[nodiscard]] auto read_publication() const -> expected<publication>;
    [[nodiscard]] auto write_publication(publication const& noted) const -> expected<void>;
    /// Makes the name of the note durable before changes depend on it: a process that was killed may only have renamed it.
    [[nodiscard]] auto secure_publication() const -> expected<void>;
    // Adds a document that was sent, to which there was no reply.
    [[nodiscard]] auto note_attempt(std::string const& document) const -> expected<void>;
    [[nodiscard]] auto note_publication(std::string const& document, std::int64_t sequence, std::uint64_t serial)
        -> expected<void>;
    // The state in the document of the server; empty if there is none. \return a failure if it has gone back
    // \param serial  that it had before
    [[nodiscard]] auto read_document(std::optional<std::string> const& document, infra::snapshot const& mirrored,
        publication const& noted, std::uint64_t serial) const -> expected<infra::snapshot>;
    [[nodiscard]] auto unreadable(std::string const& document, infra::failure const& why,
        infra::snapshot const& mirrored) const -> infra::failure;
    // The failure if the document of the server can be used, or cannot be read at all.
    [[nodiscard]] auto check_unusable() -> expected<void>;
    // \pre `read_now` has reported that the document cannot be used
    [[nodiscard]] auto unusable_document() const -> expected<infra::snapshot>;
    [[nodiscard]] auto without_state() const -> infra::failure;
    // Begins with an empty mirror, because the next generation replaces the state as a whole.
    [[nodiscard]] auto start_over() -> expected<void>;
    [[nodiscard]] auto publish(infra::snapshot const& now) -> expected<void>;
    // Returns whether the document of the server has the state of the mirror.
    [[nodiscard]] auto is_document_of(std::optional<std::string> const& document, infra::snapshot const& mirrored) const
        -> expected<bool>;
    // Replaces the mirror by one without a state. \return the directory of the old one, which is kept as evidence
    [[nodiscard]] auto set_aside() -> expected<std::filesystem::path>;
    // Writes a rescue copy of the mirror, sets the mirror aside, and reports both.
    [[nodiscard]] auto rescue(infra::snapshot const& mirrored) -> infra::failure;
    // Replaces the content of the mirror by the document that was read.
    [[nodiscard]] auto take_over() -> expected<void>;

    std::shared_ptr<state_client> server_;
    std::string workspace_;
    state::workspace_files files_;
    std::filesystem::path directory_;
    state::open_mode mode_;
    std::shared_ptr<std::string const> lock_id_;
    std::optional<state::sqlite_store> mirror_;
    std::optional<infra::snapshot> foreign_;  // the document of the server, while it is newer than the mirror
    std::string foreign_text_;
    bool replaces_ = false;  // the next generation replaces a document that cannot be used
    std::chrono::seconds interval_;
    std::chrono::steady_clock::time_point published_;
    state::store_thread thread_;  // last, so that a running call ends before the other members are destroyed
};

}  // namespace iacctl::backends

#endif  // IACCTL_STATE_BACKENDS_MIRRORED_STORE_HPP
