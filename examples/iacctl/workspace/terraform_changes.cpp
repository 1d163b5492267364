// SPDX-License-Identifier: BSL-1.0
#include "terraform_changes.hpp"

#include "base/digest.hpp"
#include "base/durable_file.hpp"
#include "base/encoding.hpp"
#include "base/input_file.hpp"
#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "base/shell_words.hpp"
#include "base/terraform_version.hpp"
#include "messages/commands.hpp"
#include "messages/report.hpp"
#include "messages/state.hpp"
#include "state/document/difference.hpp"
#include "state/document/foreign_state.hpp"
#include "state/document/state_v4.hpp"
#include "state/state_error.hpp"

#include <map>
#include <utility>

namespace iacctl::workspace {

namespace fs = std::filesystem;

namespace {

// Sums of states of Terraform that this program has seen, by their places.
using seen_states = std::map<std::string, std::string>;

// It is beside the directory of the workspace, whose existence shows that there is a state.
auto seen_file(state::backend const& in, std::string const& workspace) -> fs::path
{
    auto const of_workspace = in.local_directory(workspace);
    if (of_workspace.empty()) return {};
    return of_workspace.parent_path() / ".taken-over" / (workspace + ".json");
}

// A file that is missing, or that is not readable, only means that nothing is known.
auto read_seen(fs::path const& file) -> seen_states
{
    seen_states all;
    auto const text = read_input(file);
    if (!text) return all;
    auto const whole = parse_json(*text);
    if (!whole || whole->members() == nullptr) return all;
    for (json::member const& one : *whole->members())
        if (one.value.text() != nullptr) all.emplace(one.name, *one.value.text());
    return all;
}

auto write_seen(fs::path const& file, seen_states const& all) -> expected<void>
{
    json_object text;
    for (auto const& [place, sum] : all) text.text(place, sum);
    error_code error = make_private_directories(file.parent_path());
    if (!error) error = replace_file(file, text.done() + "\n");
    if (!error) error = sync_directory(file.parent_path());
    if (error) return infra::failure(make_error(messages::state_not_writable, {file.string(), error.message()}));
    return {};
}

auto sum_of(infra::snapshot const& s) -> std::string
{
    return hex(digest(state::to_v4(s, terraform_version, true), digest_kind::sha256));
}

auto reason_of(infra::failure const& why) -> std::string
{
    infra::diagnostic const& first = why.why().front();
    return first.detail.empty() ? first.summary : first.summary + ": " + first.detail;
}

// The remedies that a message names for a state of Terraform: the commands that take it over, and the file to move away.
struct remedy {
    std::string commands;
    std::string file;
};

auto remedy_for(settings const& s, state_source const& from, std::string const& place, std::string const& option)
    -> remedy
{
    if (from.from->type() == "local") return {"    iacctl state push " + option + shell_word(place), place};
    return {"    terraform state pull > terraform.state\n    iacctl state push " + option + "terraform.state",
        (s.data_directory / "terraform.tfstate").string()};
}

}  // namespace

auto terraform_changes::of(root_module const& root) -> expected<terraform_changes>
{
    settings const& s = root.options();
    terraform_changes made(s);
    if (s.states != nullptr || s.state_files) return made;
    auto const remembered = remembered_backend(s);
    if (!remembered) return remembered.error();
    auto const chosen = *remembered ? **remembered : backend_choice::usual();
    made.files_ = terraform_state_paths_of(s, chosen);
    auto const where = sealed_place_of(root);
    if (!where) return where.error();
    made.taken_over_ = file_sources(s, chosen, *where);
    auto const note = recorded_server_of(s);
    if (!note) return made;
    if (note_digest(note) != chosen.decided_note) made.undecided_type_ = note->type;
    auto recorded = recorded_source(*note, chosen, *where);
    if (!recorded)
        made.warnings_.add(
            make_warning(messages::state_of_terraform_unchecked, {note->type, reason_of(recorded.error())}));
    else if (*recorded) made.taken_over_.push_back(std::move(**recorded));
    return made;
}

auto terraform_changes::check(infra::snapshot const& ours, state::backend const& in, purpose why,
    infra::diagnostics& warnings) const -> expected<void>
{
    settings const& s = *settings_;
    if (ours.lineage.empty()) {
        if (!undecided_type_.empty())
            return infra::failure(make_error(messages::state_in_terraform_backend,
                {undecided_type_, (s.data_directory / "terraform.tfstate").string()}));
        return state::check_foreign_state(s.workspace, ours, files_);
    }
    warnings.add_new(warnings_);
    fs::path const file = seen_file(in, s.workspace);
    auto const before = read_seen(file);
    auto seen = before;
    auto const our_place = in.open(s.workspace, state::open_mode::read_only)->place();
    for (state_source const& one : taken_over_) {
        auto const store = one.from->open(s.workspace, state::open_mode::read_only);
        std::string const place = store->place();
        if (place == our_place) continue;
        auto const theirs = store->read_now();
        if (!theirs) {
            warnings.add_new(make_warning(messages::state_of_terraform_unchecked, {place, reason_of(theirs.error())}));
            continue;
        }
        if (theirs->lineage != ours.lineage) continue;
        std::string const sum = sum_of(*theirs);
        auto const known = before.find(place);
        bool const was_changed = known != before.end() && known->second != sum;
        auto const serial = std::to_string(theirs->serial);
        if (theirs->serial > ours.serial) {
            auto const way = remedy_for(s, one, place, {});
            return infra::failure(make_error(messages::state_of_terraform_newer,
                {place, serial, std::to_string(ours.serial), way.commands, way.file}));
        }
        if (was_changed && !state::have_same_document(ours, *theirs)) {
            auto const way = remedy_for(s, one, place, "-force ");
            return infra::failure(make_error(messages::state_of_terraform_diverged,
                {place, serial, std::to_string(ours.serial), way.commands, way.file}));
        }
        seen[place] = sum;
    }
    if (why == purpose::to_apply && !file.empty() && seen != before) return write_seen(file, seen);
    return {};
}

auto record_taken_over(state_source const& from, migration::copy const& what, state::backend const& into)
    -> expected<void>
{
    fs::path const file = seen_file(into, what.to);
    if (file.empty()) return {};
    auto const store = from.from->open(what.from, state::open_mode::read_only);
    auto const theirs = store->read_now();
    if (!theirs) return theirs.error();
    auto seen = read_seen(file);
    seen[store->place()] = sum_of(*theirs);
    return write_seen(file, seen);
}

}  // namespace iacctl::workspace
