// SPDX-License-Identifier: BSL-1.0
#include "migration.hpp"

#include "base/digest.hpp"
#include "base/durable_file.hpp"
#include "base/encoding.hpp"
#include "base/random.hpp"
#include "base/terraform_version.hpp"
#include "base/timestamp.hpp"
#include "messages/backends.hpp"
#include "messages/commands.hpp"
#include "messages/report.hpp"
#include "pushed_state.hpp"
#include "state/backends/file_state.hpp"
#include "state/backends/remote_backend.hpp"
#include "state/backends/types.hpp"
#include "state/document/difference.hpp"
#include "state/document/state_v4.hpp"
#include "state/record/workspace_files.hpp"
#include "state/workspace_name.hpp"
#include "state_access.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

namespace iacctl::workspace {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view local = "local";

auto has_content(infra::snapshot const& s) -> bool
{
    return !s.resources.empty() || !s.outputs.empty() || !s.pending.empty();
}

auto recorded_backend_of(settings const& s) -> std::optional<state::terraform_backend_record>
{
    return state::read_terraform_backend_record(s.directory / s.data_directory);
}

auto note_file(settings const& s) -> std::string
{
    return (s.data_directory / "terraform.tfstate").string();
}

// The workspaces that may have a state.
auto workspaces_of(state::backend const& in) -> expected<std::vector<std::string>>
{
    auto const one = has_one_workspace(in);
    if (!one) return one.error();
    if (*one) return std::vector{std::string(state::default_workspace)};
    return in.workspaces();
}

// The state of a workspace is in the other mode of its storage, which does not use the present one.
auto is_in_other_mode(infra::failure const& why) -> bool
{
    std::string const& code = why.why().front().code;
    return code == messages::state_in_native_mode.code || code == messages::state_in_interchange_mode.code;
}

auto read_from(state::backend const& in, std::string const& workspace) -> expected<infra::snapshot>
{
    return in.open(workspace, state::open_mode::read_only)->read_now();
}

// Writes a file with a state that is about to be replaced.
auto save_replaced(settings const& s, state::backend const& in, migration::copy const& c) -> expected<fs::path>
{
    auto const root = place_of(s).mirrors.parent_path();
    fs::path const directory = root / ".replaced";
    fs::path const file = directory
        / (std::string(in.type()) + "-" + c.to + "-" + timestamp::now().compact_text() + "-" + random_hex(4)
            + ".tfstate");
    error_code error = make_private_directories(directory);
    if (!error) error = state::keep_out_of_version_control(root);
    auto const text = state::seal_v4(state::to_v4(c.replaced, terraform_version, true), c.replaced, in.sealed_with());
    if (!text) return text.error();
    if (!error) error = write_new_file(file, *text);
    if (!error) error = sync_directory(directory);
    if (error) return infra::failure(make_error(messages::state_not_writable, {file.string(), error.message()}));
    return file;
}

}  // namespace

auto has_one_workspace(state::backend const& in) -> expected<bool>
{
    auto const all = in.workspaces();
    if (all) return false;
    if (all.error().why().front().code == messages::backend_without_workspaces.code) return true;
    return all.error();
}

auto terraform_state_paths_of(settings const& s, backend_choice const& chosen)
    -> std::vector<state::terraform_state_paths>
{
    std::vector<state::terraform_state_paths> all;
    auto const add = [&](state::terraform_state_paths paths) {
        auto const resolve = [&](fs::path& name) {
            name = (s.directory == "." ? name : s.directory / name).lexically_normal();
        };
        resolve(paths.path);
        resolve(paths.workspace_dir);
        if (std::ranges::find(all, paths) == all.end()) all.push_back(std::move(paths));
    };
    if (auto const note = recorded_backend_of(s); note && note->type == local)
        add(state::terraform_state_paths::of_record(*note));
    if (chosen.type == local)
        add(state::terraform_state_paths::of_record({chosen.type, language::to_json(chosen.settings)}));
    add({});
    return all;
}

auto recorded_server_of(settings const& s) -> std::optional<state::terraform_backend_record>
{
    auto note = recorded_backend_of(s);
    return note && note->type != local ? note : std::nullopt;
}

auto note_digest(std::optional<state::terraform_backend_record> const& note) -> std::string
{
    if (!note) return {};
    return hex(digest(note->type + note->config, digest_kind::sha256));
}

auto recorded_source(state::terraform_backend_record const& note, backend_choice const& chosen,
    backends::place const& where) -> expected<std::optional<state_source>>
{
    if (backends::find_type(note.type) == nullptr) return std::optional<state_source>();
    auto given = settings_from_json(note.type, note.config);
    if (!given) return given.error();
    backend_choice const theirs{note.type, std::move(*given), {}, {}};
    if (theirs.same_as(chosen)) return std::optional<state_source>();
    auto made = make_backend(theirs, where);
    if (!made) return made.error();
    return std::optional(state_source{std::move(*made), "the backend \"" + note.type + "\" of Terraform", true});
}

auto file_sources(settings const& s, backend_choice const& chosen, backends::place const& where)
    -> std::vector<state_source>
{
    std::vector<state_source> all;
    for (auto const& places : terraform_state_paths_of(s, chosen)) {
        auto files = backends::make_file_state(places);
        auto const mirrors = where.mirror_of("file", places.path.string());
        all.push_back({std::make_shared<backends::remote_backend>(std::move(files), mirrors, where.encryption),
            places.path.string() + " and " + places.workspace_dir.string() + " of Terraform", true});
    }
    return all;
}

auto terraform_sources(root_module const& root, backend_choice const& chosen) -> expected<std::vector<state_source>>
{
    settings const& of = root.options();
    auto const where = sealed_place_of(root);
    if (!where) return where.error();
    std::vector<state_source> all;
    if (auto const note = recorded_server_of(of); note && note_digest(note) != chosen.decided_note) {
        if (backends::find_type(note->type) == nullptr)
            return infra::failure(make_error(messages::unsupported_terraform_backend, {note->type, note_file(of)}));
        auto recorded = recorded_source(*note, chosen, *where);
        if (!recorded) return recorded.error();
        if (*recorded) all.push_back(std::move(**recorded));
    }
    for (state_source& one : file_sources(of, chosen, *where)) all.push_back(std::move(one));
    return all;
}

auto migration::prepare(settings const& s, state_source const& source, std::shared_ptr<state::backend> to)
    -> expected<migration>
{
    migration made(source.from, std::move(to));
    made.to_->begin_migration();
    auto const workspaces = workspaces_of(*made.from_);
    if (!workspaces) return workspaces.error();
    auto const one_only = has_one_workspace(*made.to_);
    if (!one_only) return one_only.error();
    bool const several = workspaces->size() > 1;
    for (std::string const& workspace : *workspaces) {
        auto const there = read_from(*made.from_, workspace);
        // An earlier migration moved the state, and was interrupted before the backend was stored.
        if (!there && is_in_other_mode(there.error())) continue;
        if (!there) return there.error();
        bool const is_default = workspace == state::default_workspace;
        if (!has_content(*there) && (is_default || there->lineage.empty() || source.is_terraform)) continue;
        if (*one_only && several && workspace != s.workspace) {
            made.left_.push_back(workspace);
            continue;
        }
        copy one{workspace, *one_only ? std::string(state::default_workspace) : workspace, {}, false,
            there->resources.size(), there->serial, there->lineage};
        auto now = read_from(*made.to_, one.to);
        if (!now) return now.error();
        bool const exists = !now->lineage.empty();
        if (exists && state::have_same_document(*now, *there)) {
            if (made.to_->type() != local) made.copied_.push_back(one.to);
            made.same_.push_back(one.to);
            continue;
        }
        if (exists && source.is_terraform) continue;
        one.conflicts = has_content(*now) && (now->lineage != there->lineage || now->serial >= there->serial);
        one.replaced = std::move(*now);
        made.copies_.push_back(std::move(one));
    }
    return made;
}

auto migration::find_conflict() const -> std::optional<infra::diagnostic>
{
    std::string lines;
    auto const described = [](std::uint64_t serial, std::string const& lineage, std::size_t resources) {
        return "serial " + std::to_string(serial) + ", lineage " + lineage + ", "
            + state::counted(resources, " resource instance", " resource instances");
    };
    for (copy const& one : copies_)
        if (one.conflicts)
            lines += "\n  - workspace \"" + one.to
                + "\" there: " + described(one.replaced.serial, one.replaced.lineage, one.replaced.resources.size())
                + "\n    to be copied: " + described(one.serial, one.lineage, one.resources);
    if (lines.empty()) return std::nullopt;
    return make_error(messages::migration_conflict, {to_->type(), lines});
}

auto migration::run(settings const& s, std::vector<fs::path>& saved) -> expected<void>
{
    auto const hold = [&](state::backend const& in, std::string const& workspace) -> expected<void> {
        auto held = take_lock(s, in, workspace);
        if (!held) return held.error();
        held_.push_back(std::move(*held));
        return {};
    };
    for (copy const& one : copies_) {
        if (auto const done = hold(*from_, one.from); !done) return done;
        if (auto const done = hold(*to_, one.to); !done) return done;
    }
    // The next command that opens a copy to write sends it to the server, if that has not been done.
    for (std::string const& workspace : copied_) {
        if (auto const done = hold(*to_, workspace); !done) return done;
        auto const now = to_->open(workspace, state::open_mode::read_write)->read_now();
        if (!now) return now.error();
        if (auto const ok = to_->end_migration(workspace); !ok) return ok.error();
    }
    for (copy const& one : copies_) {
        s.check_interrupts();
        auto there = read_from(*from_, one.from);
        if (!there) return there.error();
        auto const store = to_->open(one.to, state::open_mode::read_write);
        auto now = store->read_now();
        if (!now) return now.error();
        if (now->lineage != one.replaced.lineage || now->serial != one.replaced.serial)
            return infra::failure(make_error(messages::migration_overtaken, {one.to, store->place()}));
        if (has_content(*now)) {
            auto file = save_replaced(s, *to_, one);
            if (!file) return file.error();
            saved.push_back(std::move(*file));
        }
        if (auto const written = write_pushed(s, *store, std::move(*now), *there); !written) return written.error();
        if (auto const ok = to_->end_migration(one.to); !ok) return ok.error();
    }
    return {};
}

}  // namespace iacctl::workspace
