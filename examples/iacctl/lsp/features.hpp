// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LSP_FEATURES_HPP
#define IACCTL_LSP_FEATURES_HPP

#include "documents.hpp"
#include "positions.hpp"
#include "schema_index.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace iacctl::lsp {

/// The capabilities of an editor that affect responses.
struct client_abilities {
    position_encoding encoding = position_encoding::utf16;
    bool snippets = false;
    bool markdown = false;  ///< of hovers
    bool markdown_completion = false;
    bool hierarchical_symbols = false;
    bool related_information = false;
    bool label_offsets = false;
    bool registers_watchers = false;
    bool tags_diagnostics = false;
    bool refreshes_lenses = false;
    std::string references_command = {};  ///< the command that shows the references of a position; empty: none
};

/// The inputs of all responses.
struct feature_context {
    documents& files;
    schema_index const& known;
    client_abilities const& client;

    [[nodiscard]] auto range_of(document const& in, language::byte_range br) const -> range
    {
        return in.lines().range_of(br, client.encoding);
    }
    [[nodiscard]] auto range_text(document const& in, language::byte_range range) const -> std::string
    {
        return range_json(range_of(in, range));
    }
};

/// The place of a request.
struct document_place {
    document const& in;
    std::uint32_t offset = 0;
};

/// The module to which references at a place refer: a run of a test may execute another one.
[[nodiscard]] inline auto module_around(feature_context const& with, document const& in, cursor const& where)
    -> std::string
{
    auto const blocks = where.blocks();
    bool const run =
        in.kind() == document_kind::tests && !blocks.empty() && blocks[0]->name == "run" && !blocks[0]->labels.empty();
    auto executed = run ? with.files.run_module(in, blocks[0]->labels[0]) : std::string();
    return executed.empty() ? with.files.module_of(in) : executed;
}

}  // namespace iacctl::lsp

#endif  // IACCTL_LSP_FEATURES_HPP
