// SPDX-License-Identifier: BSL-1.0
#include "backend.hpp"

#include "base/durable_file.hpp"
#include "base/input_file.hpp"
#include "base/json.hpp"
#include "base/json_text.hpp"
#include "early_scope.hpp"
#include "messages/commands.hpp"
#include "messages/report.hpp"
#include "state/backends/remote_backend.hpp"
#include "state/backends/types.hpp"
#include "state/record/workspace_files.hpp"

#include <string>
#include <utility>
#include <vector>

namespace iacctl::workspace {

namespace fs = std::filesystem;

namespace {

auto below(settings const& s, fs::path const& name) -> fs::path
{
    return s.directory == "." ? name : s.directory / name;
}

constexpr std::int64_t file_version = 1;

// The backend "local" with the files of -state.
auto state_files_backend(backend_choice const& chosen, backends::state_files const& files, backends::place const& place)
    -> expected<std::shared_ptr<state::backend>>
{
    if (chosen.type != "local") return infra::failure(make_error(messages::state_file_of_backend, {chosen.type}));
    auto const mirrors = place.mirror_of("file", files.state.string() + '\n' + files.out.string());
    return std::shared_ptr<state::backend>(
        std::make_shared<backends::remote_backend>(backends::make_file_state(files), mirrors, place.encryption));
}

}  // namespace

auto place_of(settings const& s) -> backends::place
{
    return {s.directory, below(s, fs::path(state::workspaces_directory) / ".mirrors"), {}};
}

auto sealed_place_of(root_module const& root) -> expected<backends::place>
{
    auto const methods = root.encryption();
    if (!methods) return methods.error();
    auto place = place_of(root.options());
    place.encryption = {*methods, &(*methods)->state};
    return place;
}

auto backend_file(settings const& s) -> fs::path
{
    bool const usual = (s.data_directory / "").lexically_normal() == settings().data_directory / "";
    return below(s, (usual ? fs::path(state::workspaces_directory) : s.data_directory) / "backend.json");
}

auto remembered_backend(settings const& s) -> expected<std::optional<backend_choice>>
{
    fs::path const file = backend_file(s);
    auto const refused = [&](std::string_view why) {
        return infra::failure(make_error(messages::remembered_backend_unreadable, {file.string(), why}));
    };
    auto const text = read_input(file);
    if (!text && is_missing(text.error())) return std::optional<backend_choice>();
    if (!text) return infra::failure(make_error(messages::unreadable_file, {file.string(), text.error().message()}));
    auto const whole = parse_json(*text);
    if (!whole) return refused(whole.error().what());
    json const* const version = whole->find("version");
    json const* const backend = whole->find("backend");
    if (version == nullptr || version->integer() != file_version || backend == nullptr)
        return refused("its version is not supported");
    json const* const type = backend->find("type");
    json const* const hash = backend->find("hash");
    json const* const config = backend->find("config");
    if (type == nullptr || type->text() == nullptr || hash == nullptr || hash->text() == nullptr || config == nullptr)
        return refused("a member is missing");
    if (backends::find_type(*type->text()) == nullptr)
        return refused("this version of iacctl does not have the backend");
    auto given = settings_from_json(*type->text(), compact_text(*config));
    if (!given) return given.error();
    json const* const decided = whole->find("decided_note");
    return std::optional(backend_choice{*type->text(), std::move(*given), *hash->text(),
        decided != nullptr && decided->text() != nullptr ? *decided->text() : std::string()});
}

auto remember(settings const& s, backend_choice const& chosen) -> expected<void>
{
    std::string text = "{\n  \"version\": " + std::to_string(file_version) + ",\n  \"backend\": {\n    \"type\": ";
    append_json_string(text, chosen.type);
    auto const type = backends::find_type(chosen.type)->arguments().object_type();
    text += ",\n    \"config\": " + language::to_json(chosen.settings, type) + ",\n    \"hash\": ";
    append_json_string(text, chosen.hash);
    text += "\n  },\n  \"decided_note\": ";
    append_json_string(text, chosen.decided_note);
    text += "\n}\n";
    fs::path const file = backend_file(s);
    error_code error = make_private_directories(file.parent_path());
    if (!error) error = state::keep_out_of_version_control(file.parent_path());
    if (!error) error = replace_file(file, text);
    if (!error) error = sync_directory(file.parent_path());
    if (error)
        return infra::failure(make_error(messages::remembered_backend_unwritable, {file.string(), error.message()}));
    return {};
}

auto declared_backend(root_module const& module, infra::diagnostics& found) -> std::optional<backend_choice>
{
    auto const& root = module.state_place(found);
    if (found.has_errors()) return std::nullopt;
    std::vector<language::body const*> blocks;
    if (root.backend) blocks.push_back(&root.backend->content);
    early_scope const values(module, blocks, "backend");
    return declared_backend(root, found, values.values());
}

auto chosen_backend(root_module const& root) -> expected<backend_choice>
{
    infra::diagnostics found;
    auto declared = declared_backend(root, found);
    if (!declared) return infra::failure(found);
    auto remembered = remembered_backend(root.options());
    if (!remembered) return remembered.error();
    if (!*remembered) {
        if (declared->is_usual()) return *declared;
        return infra::failure(make_error(messages::backend_not_initialized, {declared->type}));
    }
    backend_choice& before = **remembered;
    if (before.type == declared->type && before.hash == declared->hash) return std::move(before);
    return infra::failure(changed_backend(before, *declared));
}

auto lockable_backends(root_module const& root) -> expected<std::vector<std::shared_ptr<state::backend>>>
{
    std::vector<std::shared_ptr<state::backend>> all;
    auto selected = backend_of(root);
    if (selected) return std::vector{std::move(*selected)};
    std::string const& code = selected.error().why().front().code;
    if (code != messages::backend_changed.code && code != messages::backend_not_initialized.code)
        return selected.error();
    infra::diagnostics found;
    auto const declared = declared_backend(root, found);
    auto const before = remembered_backend(root.options());
    if (!before) return before.error();
    auto const place = sealed_place_of(root);
    if (!place) return place.error();
    for (backend_choice const& one : {before->value_or(backend_choice::usual()), *declared}) {
        auto made = make_backend(one, *place);
        if (!made) return made.error();
        all.push_back(std::move(*made));
    }
    return all;
}

auto backend_of(root_module const& root) -> expected<std::shared_ptr<state::backend>>
{
    if (root.options().states != nullptr) return root.options().states;
    auto const chosen = chosen_backend(root);
    if (!chosen) return chosen.error();
    auto const place = sealed_place_of(root);
    if (!place) return place.error();
    return root.options().state_files ? state_files_backend(*chosen, *root.options().state_files, *place)
                                      : make_backend(*chosen, *place);
}

}  // namespace iacctl::workspace
