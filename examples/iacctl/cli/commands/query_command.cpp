// SPDX-License-Identifier: BSL-1.0
#include "base/durable_file.hpp"
#include "base/json_writer.hpp"
#include "base/shown_text.hpp"
#include "commands.hpp"
#include "interrupts.hpp"
#include "language/configuration/version_constraint.hpp"
#include "language/values/convert.hpp"
#include "language/values/parts.hpp"
#include "messages/commands.hpp"
#include "messages/report.hpp"
#include "run_progress.hpp"
#include "session.hpp"
#include "workspace/query.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace iacctl::commands {

namespace {

using language::value;

struct query_options : options_with<stream_options, variable_options, running_options, reading_lock_options,
                           read_file_options, message_options>,
                       query_file_options {
    std::string generated;

    query_options() { queries = true; }
    void declare(option_list& to)
    {
        to.with_value("generate-config-out", "FILE",
            "Write \"resource\" and \"import\" blocks for the objects that are found to FILE, which must not exist. "
            "With -json, the blocks are members of the printed objects instead.",
            generated, completion::file);
        options_with::declare(to);
    }
};

// The attributes of an identity in one line: "id=1,region=a".
auto identity_text(value const& v) -> std::string
{
    std::string text;
    for (auto const& [name, each] : v.entries()) {
        bool const plain = each.has_data() && each.is(language::type_kind::string);
        text += (text.empty() ? "" : ",") + name + "=" + (plain ? each.as_string() : language::to_json(each));
    }
    return text;
}

void print_text(session const& s, std::vector<workspace::list_result> const& lists)
{
    std::string empty;
    for (workspace::list_result const& list : lists) {
        auto const block = to_string(list.block);
        if (list.objects.empty()) empty += "\n - " + block;
        std::size_t width = 0;
        for (auto const& one : list.objects) width = std::max(width, identity_text(one.identity).size());
        for (auto const& one : list.objects) {
            auto identity = identity_text(one.identity);
            identity.resize(width, ' ');
            s.out() << block << "   " << shown_text(identity) << "   " << shown_text(one.display_name) << '\n';
        }
        if (!list.objects.empty()) s.out() << '\n';
    }
    if (!empty.empty()) (void)s.report(make_warning(messages::lists_without_objects, {empty}));
}

// The value with null in the place of sensitive and ephemeral values.
auto without_secrets(language::value const& v) -> language::value
{
    if (v.marks() != language::mark::none) return language::value::null(v.get_type());
    return language::with_parts(v, [](language::value const& part, std::size_t) { return without_secrets(part); });
}

void print_json(views::json_stream& to, workspace::list_result const& list)
{
    auto const block = to_string(list.block);
    auto const about = [&] {
        json_object made;
        made.text("address", block);
        return made;
    };
    auto start = about();
    start.text("resource_type", list.block.type());
    if (std::ranges::any_of(list.config.entries(), [](auto const& item) { return !item.of.is_null(); }))
        start.raw("input_config", language::to_json(without_secrets(list.config)));
    if (!list.sensitive.empty()) {
        json_array paths;
        for (std::string const& path : list.sensitive) paths.text(path);
        start.raw("sensitive_attribute_paths", paths.done());
    }
    to.message("list_start", block + ": Starting query...", start.done());
    for (auto const& one : list.objects) {
        auto found = about();
        found.text("display_name", one.display_name)
            .raw("identity", language::to_json(one.identity))
            .number("identity_version", list.identity_version)
            .text("resource_type", list.block.type());
        if (!one.object.is_null()) found.raw("resource_object", language::to_json(without_secrets(one.object)));
        if (!one.resource.empty()) found.text("config", one.resource).text("import_config", one.import);
        to.message("list_resource_found", block + ": Result found", found.done());
    }
    auto complete = about();
    complete.text("resource_type", list.block.type()).number("total", list.objects.size());
    to.message("list_complete", block + ": List complete", complete.done());
}

// Writes the configuration of all objects to the file of -generate-config-out.
auto write_configuration(session const& s, std::string const& file, std::vector<workspace::list_result> const& lists)
    -> int
{
    std::string text;
    for (workspace::list_result const& list : lists)
        for (auto const& one : list.objects)
            text += (text.empty() ? "" : "\n") + one.resource + "\n\n" + one.import + "\n";
    if (text.empty()) return 0;
    if (auto const error = write_new_file(file, text))
        return s.report(make_error(messages::unwritable_generated_file, {file, error.message()}));
    s.tell_written("generated configuration", file);
    return 0;
}

auto query(query_options const& options, session const& s) -> int
{
    if (auto* const to = s.stream()) to->version(language::language_version);
    bool const generates = !options.generated.empty();
    std::error_code ignored;
    if (generates && !s.machine_readable() && std::filesystem::exists(options.generated, ignored))
        return s.report(make_error(messages::generated_file_exists, {options.generated}));
    run_progress progress(s, options.concise);
    auto const result = workspace::query(s.workspace(), generates, {progress.observer(), {}});
    (void)progress.end();
    if (auto* const to = s.stream())
        for (workspace::list_result const& list : result.lists) print_json(*to, list);
    if (!s.machine_readable()) print_text(s, result.lists);
    if (int const code = s.report(result.problems); result.interrupted || code != 0)
        return result.interrupted ? interrupted_code : code;
    return generates && !s.machine_readable() ? write_configuration(s, options.generated, result.lists) : 0;
}

constexpr std::string_view examples_of_query[] = {
    "iacctl query", "iacctl query -json -var='region=eu-west-1'", "iacctl query -generate-config-out=found.tf"};

}  // namespace

constinit command const query_command{"query",
    {.configuration = configuration_use::values,
        .backend = true,
        .providers = true,
        .terminal = terminal_use::questions},
    begin<query>, "Find objects that exist",
    "Asks providers for the objects that blocks \"list\" in query files describe, and prints their identities. Query "
    "files are *.tfquery.hcl beside the configuration. Changes nothing.",
    {}, examples_of_query};

}  // namespace iacctl::commands
