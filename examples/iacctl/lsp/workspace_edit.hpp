// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LSP_WORKSPACE_EDIT_HPP
#define IACCTL_LSP_WORKSPACE_EDIT_HPP

#include "base/json_writer.hpp"
#include "features.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace iacctl::lsp {

/// Edits of several documents, for a rename or a code action.
class workspace_edit {
public:
    explicit workspace_edit(feature_context const& context) : with_(context) {}

    void replace(document const& in, language::byte_range range, std::string_view text)
    {
        edits_[in.uri()].raw(json_object().raw("range", with_.range_text(in, range)).text("newText", text).done());
    }
    void insert(document const& in, std::uint32_t at, std::string_view text) { replace(in, {at, at}, text); }

    [[nodiscard]] auto empty() const noexcept -> bool { return edits_.empty(); }
    [[nodiscard]] auto done() const -> std::string
    {
        json_object changes;
        for (auto const& [uri, edits] : edits_) changes.raw(uri, edits.done());
        return json_object().raw("changes", changes.done()).done();
    }

private:
    feature_context const& with_;
    std::map<std::string, json_array> edits_;
};

}  // namespace iacctl::lsp

#endif  // IACCTL_LSP_WORKSPACE_EDIT_HPP
