// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_SERVER_HISTORY_TEXT_HPP
#define IACCTL_SERVER_HISTORY_TEXT_HPP

#include "state/record/document_store.hpp"

#include <span>
#include <string>

namespace iacctl::server {

/// The revisions of a workspace as JSON.
[[nodiscard]] auto history_json(std::string const& workspace, std::span<state::document_revision const> revisions)
    -> std::string;

}  // namespace iacctl::server

#endif  // IACCTL_SERVER_HISTORY_TEXT_HPP
