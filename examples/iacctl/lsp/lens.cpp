// SPDX-License-Identifier: BSL-1.0
#include "lens.hpp"

#include "base/json_writer.hpp"

#include <cstddef>

namespace iacctl::lsp {

namespace {

auto lens(feature_context const& context, document const& in, language::byte_range at, std::string const& command)
    -> std::string
{
    return json_object().raw("range", context.range_text(in, at)).raw("command", command).done();
}

// The command is empty if the editor has none that shows references: the lens is only a text then.
auto references_command(feature_context const& context, document const& in, declaration const& d, std::size_t count)
    -> std::string
{
    auto const title = std::to_string(count) + (count == 1 ? " reference" : " references");
    auto const& name = context.client.references_command;
    json_object made;
    made.text("title", title).text("command", count == 0 ? std::string() : name);
    if (count == 0 || name.empty()) return made.done();
    auto const start = context.range_of(in, d.name_range).start;
    return made.raw("arguments", json_array().raw(position_json(start)).raw("{\"includeDeclaration\":false}").done())
        .done();
}

auto test_command(document const& in, std::string const& title) -> std::string
{
    return json_object()
        .text("title", title)
        .text("command", run_tests_command)
        .raw("arguments", json_array().text(in.uri()).done())
        .done();
}

}  // namespace

auto code_lenses(feature_context const& context, document const& in, run_states const& states) -> std::string
{
    json_array all;
    auto const usages = context.files.usages(context.files.module_of(in));
    auto const of_file = states.find(in.path());
    for (auto const& one : in.symbols().declarations) {
        std::size_t count = 0;
        if (one.kind == symbol_kind::run) {
            for (auto const& place : context.files.places_of(context.files.declared(in, one)))
                count += place.declares ? 0 : 1;
            std::string title = "Run the tests of this file";
            if (of_file != states.end())
                if (auto const last = of_file->second.find(std::string(one.name)); last != of_file->second.end())
                    title += " (last: " + last->second + ')';
            all.raw(lens(context, in, one.name_range, test_command(in, title)));
        } else if (auto const found = usages.find(one.key); found != usages.end()) {
            count = found->second.names;
        }
        all.raw(lens(context, in, one.name_range, references_command(context, in, one, count)));
    }
    return all.done();
}

}  // namespace iacctl::lsp
