// SPDX-License-Identifier: BSL-1.0
// Descriptions of the commands and of the language for programs.
#include "base/json_writer.hpp"
#include "command_table.hpp"
#include "commands.hpp"
#include "help.hpp"
#include "language/evaluation/functions.hpp"
#include "messages/commands.hpp"
#include "messages/report.hpp"
#include "session.hpp"

namespace iacctl::commands {

namespace {

auto parameter_json(std::string const& function, language::parameter const& p) -> std::string
{
    json_object out;
    out.text("name", p.name);
    out.text_if("description", language::description_of(function + '.' + std::string(p.name)));
    if (p.allow_null) out.flag("is_nullable", true);
    return out.raw("type", language::type_to_json(p.of)).done();
}

auto signature_json(std::string const& name) -> std::string
{
    auto const of = language::signature_of(name);
    json_object out;
    out.text_if("description", language::description_of(name));
    out.raw("return_type", language::type_to_json(of.result));
    if (!of.parameters.empty()) {
        json_array parameters;
        for (auto const& one : of.parameters) parameters.raw(parameter_json(name, one));
        out.raw("parameters", parameters.done());
    }
    if (of.variadic) out.raw("variadic_parameter", parameter_json(name, *of.variadic));
    return out.done();
}

auto option_json(option const& o) -> std::string
{
    json_object out;
    out.text("name", o.name).text("usage", usage_of(o)).text("help", o.help);
    return out.done();
}

auto options_json(option_list const& all) -> std::string
{
    json_array options;
    for (option const& one : all.all()) options.raw(option_json(one));
    return options.done();
}

auto command_json(command const& c) -> std::string
{
    json_object out;
    out.text("name", c.name).text("summary", c.summary).text_if("description", c.description);
    out.text_if("arguments", c.positional.usage);
    if (auto const parsed = c.begin == nullptr ? nullptr : c.begin())
        out.raw("options", options_json(parsed->options()));
    json_array examples;
    for (auto const& one : c.examples) examples.text(one);
    return out.raw_if("examples", examples.empty() ? std::string() : examples.done()).done();
}

auto metadata_commands(document_options const& options, session const& s) -> int
{
    if (!options.json) return s.report(make_error(messages::json_required, {s.runs().name}));
    json_array commands;
    for (command const* const one : all_commands())
        if (!is_hidden(*one)) commands.raw(command_json(*one));
    option_list accepted;
    global_options global;
    global.declare(accepted);
    json_object document;
    document.text("format_version", "1.0")
        .raw("global_options", options_json(accepted))
        .raw("commands", commands.done());
    s.out() << document.done() << '\n';
    return 0;
}

auto metadata_functions(document_options const& options, session const& s) -> int
{
    if (!options.json) return s.report(make_error(messages::json_required, {s.runs().name}));
    json_object all;
    for (std::string const prefix : {"", "core::"})
        for (auto const name : language::function_names())
            all.raw(prefix + std::string(name), signature_json(std::string(name)));
    json_object document;
    document.text("format_version", "1.0").raw("function_signatures", all.done());
    s.out() << document.done() << '\n';
    return 0;
}

}  // namespace

constinit command const metadata_commands_command{"metadata commands", {}, begin<metadata_commands>,
    "Describe all commands", "Prints the commands with their options as JSON."};

constinit command const metadata_functions_command{"metadata functions", {}, begin<metadata_functions>,
    "Describe all functions", "Prints the signatures of the functions of the language as JSON."};

}  // namespace iacctl::commands
