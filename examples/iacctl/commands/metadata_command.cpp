// SPDX-License-Identifier: BSL-1.0
#include "commands.hpp"
#include "language/evaluation/functions.hpp"
#include "messages/commands.hpp"
#include "messages/report.hpp"
#include "ui/json_writer.hpp"

namespace iacctl::commands {

namespace {

auto parameter_json(std::string const& function, language::parameter const& of) -> std::string
{
    ui::json_object out;
    out.text("name", of.name);
    out.text_if("description", language::description_of(function + '.' + std::string(of.name)));
    if (of.allow_null) out.flag("is_nullable", true);
    return out.raw("type", language::type_to_json(of.of)).done();
}

auto signature_json(std::string const& name) -> std::string
{
    auto const of = language::signature_of(name);
    ui::json_object out;
    out.text_if("description", language::description_of(name));
    out.raw("return_type", language::type_to_json(of.result));
    if (!of.parameters.empty()) {
        ui::json_array parameters;
        for (auto const& one : of.parameters) parameters.raw(parameter_json(name, one));
        out.raw("parameters", parameters.done());
    }
    if (of.variadic) out.raw("variadic_parameter", parameter_json(name, *of.variadic));
    return out.done();
}

}  // namespace

auto metadata_functions(session const& s) -> int
{
    if (!s.requested().json) return s.report(make_error(messages::json_required, {s.requested().command}));
    ui::json_object all;
    for (std::string const prefix : {"", "core::"})
        for (auto const name : language::function_names())
            all.raw(prefix + std::string(name), signature_json(std::string(name)));
    ui::json_object document;
    document.text("format_version", "1.0").raw("function_signatures", all.done());
    s.out() << document.done() << '\n';
    return 0;
}

}  // namespace iacctl::commands
