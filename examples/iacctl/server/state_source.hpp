// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_SERVER_STATE_SOURCE_HPP
#define IACCTL_SERVER_STATE_SOURCE_HPP

#include "base/expected.hpp"
#include "state/backend.hpp"
#include "state/record/document_store.hpp"
#include "state/store_thread.hpp"

#include <strider/infra/model/snapshot.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace iacctl::server {

namespace infra = strider::infra;

/// A version of a state that can be read: a revision of a document, or the state after a command.
struct state_version {
    std::int64_t number = 0;  ///< identifies it in its workspace
    std::int64_t serial = 0;
    std::int64_t time = 0;  ///< milliseconds since 1970, UTC
    std::string author;  ///< empty: unknown
    std::string command;  ///< with its result; empty: unknown
    std::string lineage;
    std::int64_t size = 0;  ///< bytes; 0: unknown
    bool removed = false;
};

/// The begin or the end of an operation of an apply, as the state shows it.
struct run_step {
    enum class step_type : std::uint8_t { begun, done, failed };

    step_type what = step_type::begun;
    std::string address;
    std::string action;  ///< "create"
    std::int64_t time = 0;
};

/// A command that changes a state, as its lock and its writes of the state show it.
struct observed_run {
    std::string id;
    std::string operation;  ///< "apply"
    std::string who;
    std::int64_t begun = 0;
    std::optional<std::int64_t> ended;
    std::string result;  ///< at its end; empty: unknown
    bool end_is_assumed = false;  ///< it was not seen, and the command may go on
    std::vector<run_step> steps;  ///< since the last observation
};

/// A workspace without the content of its state.
struct workspace_overview {
    std::optional<state_version> last;
    std::vector<state::lock_description> locks;
    std::optional<observed_run> run;
    std::optional<std::size_t> resources;  ///< instances; nothing: unknown
    bool is_sealed = false;  ///< the content is encrypted, and this server has no key
    /// There are writes whose content was not read: what depends on it is not known yet.
    bool is_behind = false;
};

/// The parts of a workspace that an observation reads.
enum class observation_depth : std::uint8_t {
    surface,  ///< locks and versions; content only if it is not expensive
    content,  ///< also the content of all writes since the last observation of this depth
};

/// States that the console shows: the documents of this server, or those of the backend of a configuration.
///
/// Functions block, and are called on the thread of the source only.
class state_source {
public:
    state_source() = default;
    state_source(state_source const&) = delete;
    auto operator=(state_source const&) -> state_source& = delete;
    virtual ~state_source() = default;

    [[nodiscard]] virtual auto name() const noexcept -> std::string const& = 0;  ///< a part of paths
    [[nodiscard]] virtual auto type() const noexcept -> std::string_view = 0;  ///< "local"
    [[nodiscard]] virtual auto thread() noexcept -> state::store_thread& = 0;
    /// Other processes change its states: they must be observed again and again.
    [[nodiscard]] virtual auto is_shared() const noexcept -> bool = 0;

    [[nodiscard]] virtual auto workspaces() -> expected<std::vector<std::string>> = 0;
    /// Nothing: there is no such workspace.
    [[nodiscard]] virtual auto observe(std::string const& workspace, observation_depth depth)
        -> expected<std::optional<workspace_overview>> = 0;
    /// The newest first.
    [[nodiscard]] virtual auto history(std::string const& workspace) -> expected<std::vector<state_version>> = 0;
    /// The present state, or that of a version. Nothing: there is none.
    [[nodiscard]] virtual auto content(std::string const& workspace, std::optional<std::int64_t> version)
        -> expected<std::optional<infra::snapshot>> = 0;
    /// Releases a lock. \return false if it is no longer held
    [[nodiscard]] virtual auto release(std::string const& workspace, std::string const& id) -> expected<bool> = 0;
};

/// The documents of this server: the source "states". \param thread  of the store
[[nodiscard]] auto make_document_source(std::shared_ptr<state::document_store> store, state::store_thread& thread)
    -> std::unique_ptr<state_source>;
/// The states of a backend.
[[nodiscard]] auto make_backend_source(std::string name, std::shared_ptr<state::backend> of)
    -> std::unique_ptr<state_source>;

}  // namespace iacctl::server

#endif  // IACCTL_SERVER_STATE_SOURCE_HPP
