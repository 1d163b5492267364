// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_SERVER_HISTORY_TEXT_HPP
#define IACCTL_SERVER_HISTORY_TEXT_HPP

#include "state/record/document_store.hpp"

#include <span>
#include <string>
#include <vector>

namespace iacctl::server {

/// A workspace, with its revisions, the newest first.
struct workspace_history {
    state::document_store::workspace_summary summary;
    std::vector<state::document_revision> revisions;
};

/// The revisions of a workspace as JSON.
[[nodiscard]] auto history_json(std::string const& workspace, std::span<state::document_revision const> revisions)
    -> std::string;
/// Workspaces, their locks and revisions as a self-contained HTML page.
[[nodiscard]] auto history_page(std::span<workspace_history const> all) -> std::string;

}  // namespace iacctl::server

#endif  // IACCTL_SERVER_HISTORY_TEXT_HPP
