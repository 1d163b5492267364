// SPDX-License-Identifier: BSL-1.0
#include "backend.hpp"

#include "language/evaluation/evaluate.hpp"
#include "language/syntax/parser.hpp"
#include "language/validation/schema.hpp"
#include "messages/commands.hpp"
#include "state/foreign_state.hpp"
#include "state/workspace_files.hpp"
#include "support/input_file.hpp"

#include <filesystem>
#include <system_error>
#include <utility>

namespace iacctl::app {

namespace {

namespace fs = std::filesystem;

auto backend_schema() -> language::schema const&
{
    static language::schema const local{
        {{"path", language::type::string(), false, true}, {"workspace_dir", language::type::string(), false, true}}};
    return local;
}

// The root module, with its state.
struct subject {
    fs::path const& directory;
    std::string_view workspace;
};

void judge_place(std::string_view name, std::string const& place, subject const& of,
    language::source_range const& where, language::diagnostics& found)
{
    state::terraform_places places;
    fs::path& set = name == "path" ? places.path : places.workspace_dir;
    if (fs::path(place).lexically_normal() == set) return;  // what it is without the setting
    set = place;
    std::string const argument = '"' + std::string(name) + '"';
    fs::path const file = places.file_of(of.workspace);
    std::error_code error;
    bool const concerns_this = name == (of.workspace == "default" ? "path" : "workspace_dir");
    auto const kept = (fs::path(state::workspaces_directory) / of.workspace).string();
    if (concerns_this && fs::is_regular_file(of.directory / file, error))
        found.add(language::error(
            messages::backend_setting_with_state, {kept, argument, state::way_to_take_over(file)}, where));
    else found.add(language::error(messages::unsupported_backend_setting, {kept, argument}, where));
}

void check_body_of_backend(language::body const& content, subject const& of, language::diagnostics& found)
{
    auto const before = found.error_count();
    language::check_body(content, backend_schema(), found);
    if (found.error_count() != before) return;
    language::value const settings =
        language::evaluate_body(content, backend_schema(), language::constant_scope(), found);
    if (found.error_count() != before) return;
    for (language::attribute const& given : content.attributes) {
        language::value const* const place = settings.find(given.name);
        if (place != nullptr && place->has_data()) judge_place(given.name, place->as_string(), of, given.range, found);
    }
}

}  // namespace

void check_backend(language::configuration const& of, std::string_view workspace, language::diagnostics& found)
{
    if (of.backend && of.backend->type == "local")
        check_body_of_backend(of.backend->content, {of.directory, workspace}, found);
}

auto check_backend_options(std::span<std::string const> options, fs::path const& directory, std::string_view workspace,
    language::diagnostics& found) -> std::vector<std::shared_ptr<language::syntax_tree>>
{
    std::vector<std::shared_ptr<language::syntax_tree>> kept;
    for (std::string const& text : options) {
        if (text.empty()) continue;
        if (auto const equals = text.find('='); equals != std::string::npos) {
            auto const name = text.substr(0, equals);
            if (backend_schema().find(name) == nullptr)
                found.add(language::error(messages::unknown_backend_argument, {name}));
            else judge_place(name, text.substr(equals + 1), {directory, workspace}, {}, found);
            continue;
        }
        auto content = read_input(text, input_kind::file_or_pipe);
        if (!content) {
            found.add(language::error(messages::unreadable_file, {text, content.error().message()}));
            continue;
        }
        auto const before = found.error_count();
        kept.push_back(language::parse_file(text, std::move(*content), found));
        if (found.error_count() == before) check_body_of_backend(kept.back()->root(), {directory, workspace}, found);
    }
    return kept;
}

}  // namespace iacctl::app
