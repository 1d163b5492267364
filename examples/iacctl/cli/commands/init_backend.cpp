// SPDX-License-Identifier: BSL-1.0
// Initializes the backend of a configuration: its settings, the states that are copied to it, and the stored choice for
// later commands.
#include "init_backend.hpp"

#include "base/environment.hpp"
#include "base/expected.hpp"
#include "messages/commands.hpp"
#include "messages/report.hpp"
#include "state/document/foreign_state.hpp"
#include "state/memory_backend.hpp"
#include "state/workspace_name.hpp"
#include "views/state_text.hpp"
#include "workspace/migration.hpp"
#include "workspace/terraform_changes.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace iacctl::commands {

namespace {

enum class consent : std::uint8_t { given, refused, impossible };

class backend_initialization {
public:
    backend_initialization(session const& s, init_options const& options, workspace::backend_choice desired)
        : s_(s),
          options_(options),
          of_(s.workspace().options()),
          desired_(std::move(desired))
    {}

    // \return the exit code
    auto run(std::optional<workspace::backend_choice> before) -> int
    {
        bool const may_change = options_.migrate || options_.force_copy || options_.reconfigure;
        bool const unchanged = before && before->same_as(desired_);
        if (before && !unchanged && !may_change) return s_.report(workspace::changed_backend(*before, desired_));
        auto place = workspace::sealed_place_of(s_.workspace().root());
        if (!place) return s_.report(place.error());
        place_ = std::move(*place);
        auto made = workspace::make_backend(desired_, place_);
        if (!made) return s_.report(made.error());
        to_ = std::move(*made);
        if (options_.dry_run) return try_out(before, unchanged);
        if (!options_.reconfigure) {
            if (int const code = copy_all(before, unchanged); code != 0) return code;
        }
        auto note = workspace::note_digest(workspace::recorded_server_of(of_));
        if (!before && !options_.reconfigure && desired_.is_usual() && note.empty()) return 0;
        desired_.decided_note = !undecided_ ? std::move(note) : before ? before->decided_note : std::string();
        if (auto const done = workspace::remember(of_, desired_); !done) return s_.report(done.error());
        if (!unchanged) s_.tell("The backend of this directory is now \"" + desired_.type + "\".");
        return select_workspace();
    }

    [[nodiscard]] auto of_terraform() const noexcept -> takeover
    {
        return undecided_ ? takeover::refused : takeover::complete;
    }

private:
    auto try_out(std::optional<workspace::backend_choice> const& before, bool unchanged) -> int
    {
        auto const is_made = to_->is_made();
        if (!is_made) return s_.report(is_made.error());
        // A read would create storage that does not exist.
        auto const wanted = to_;
        if (!*is_made) to_ = std::make_shared<state::memory_backend>();
        place_there_ = [wanted](std::string const& workspace) {
            return wanted->open(workspace, state::open_mode::read_only)->place();
        };
        int const code = copy_all(before, unchanged);
        if (code == 0)
            s_.tell(
                found_any_ ? "Nothing was copied or changed, because of -dry-run." : "There are no states to copy.");
        return code;
    }

    // Copies states from all possible places, first from the previous backend.
    auto copy_all(std::optional<workspace::backend_choice> const& before, bool unchanged) -> int
    {
        if (!unchanged) {
            auto const previous = before ? *before : workspace::backend_choice::usual();
            if (!previous.same_as(desired_)) {
                auto made = workspace::make_backend(previous, place_);
                if (!made) return s_.report(made.error());
                if (int const code = copy({std::move(*made), "the backend \"" + previous.type + "\"", false});
                    code != 0)
                    return code;
            }
        }
        workspace::backend_choice chosen = desired_;
        if (before) chosen.decided_note = before->decided_note;
        auto const sources = workspace::terraform_sources(s_.workspace().root(), chosen);
        if (!sources) return s_.report(sources.error());
        for (workspace::state_source const& one : *sources)
            if (int const code = copy(one); code != 0) return code;
        return 0;
    }

    auto copy(workspace::state_source const& source) -> int
    {
        auto prepared = workspace::migration::prepare(of_, source, to_);
        if (!prepared) return s_.report(prepared.error());
        bool const asks = !prepared->copies().empty();
        if (asks || (options_.dry_run && !prepared->same().empty())) describe(source, *prepared);
        if (!options_.force_copy)
            if (auto const conflict = prepared->find_conflict()) return s_.report(*conflict);
        if (prepared->empty() || options_.dry_run) return 0;
        switch (asks ? ask(source) : consent::given) {
        case consent::given: break;
        case consent::refused:
            undecided_ = undecided_ || source.is_terraform;
            s_.tell("No state was copied.");
            return 0;
        case consent::impossible:
            return s_.report(make_error(
                source.is_terraform ? messages::terraform_state_not_taken_over : messages::migration_needs_answer));
        }
        std::vector<std::filesystem::path> saved;
        auto const done = prepared->run(of_, saved);
        for (auto const& file : saved) s_.tell("The state that was replaced is in " + file.string() + ".");
        if (!done) return s_.report(done.error());
        if (source.is_terraform)
            for (auto const& one : prepared->copies())
                if (auto const noted = workspace::record_taken_over(source, one, *to_); !noted)
                    return s_.report(noted.error());
        // Two modes of one storage do not keep a state each.
        bool const keeps_originals = source.from->type() != to_->type();
        if (asks)
            s_.tell("States copied: " + std::to_string(prepared->copies().size())
                + (keeps_originals ? ". The originals are unchanged." : "."));
        done_.push_back(std::move(*prepared));
        return 0;
    }

    void describe(workspace::state_source const& source, workspace::migration const& m)
    {
        found_any_ = true;
        s_.tell("\nStates in " + source.name + ", to be copied to the backend \"" + desired_.type + "\":");
        for (auto const& one : m.copies()) {
            std::string line = "  - workspace \"" + one.from + "\": " + views::resource_instances(one.resources)
                + ", serial " + std::to_string(one.serial);
            if (one.from != one.to) line += ", as workspace \"" + one.to + '"';
            if (!one.replaced.lineage.empty())
                line += std::string(", which replaces ")
                    + (one.conflicts ? "another state with " : "an earlier version with ")
                    + views::resource_instances(one.replaced.resources.size()) + ", serial "
                    + std::to_string(one.replaced.serial);
            s_.tell(line);
            if (!options_.dry_run) continue;
            s_.tell("    from " + source.from->open(one.from, state::open_mode::read_only)->place());
            s_.tell("    to " + place_there_(one.to));
        }
        if (options_.dry_run)
            for (auto const& workspace : m.same())
                s_.tell("  - workspace \"" + workspace + "\": the same state is there already");
        for (auto const& workspace : m.left())
            s_.tell("  - workspace \"" + workspace + "\": not copied, because the backend has only one workspace");
        if (!s_.machine_readable()) s_.out() << '\n';
    }

    auto ask(workspace::state_source const& source) const -> consent
    {
        if (options_.force_copy) return consent::given;
        if (!s_.input_allowed() || s_.machine_readable()) return consent::impossible;
        s_.out() << (source.is_terraform
                ? "Take over these states? If you answer \"no\", nothing is copied, and iacctl makes\n"
                  "no plans until the states are taken over."
                : "Copy these states? If you answer \"no\", nothing is copied, and the backend keeps\n"
                  "its states.")
                 << "\n\nEnter a value (yes or no): " << std::flush;
        auto const answer = s_.read_answer();
        s_.out() << '\n';
        if (!answer) return consent::impossible;
        return *answer == "yes" ? consent::given : consent::refused;
    }

    // In a backend with only the default workspace, no other workspace can be selected.
    auto select_workspace() const -> int
    {
        std::string const usual(state::default_workspace);
        if (of_.workspace == usual || !environment_variable("TF_WORKSPACE").empty()) return 0;
        auto const one_only = workspace::has_one_workspace(*to_);
        if (!one_only) return s_.report(one_only.error());
        if (!*one_only) return 0;
        if (!selection_here().select(usual))
            return s_.report(make_error(messages::workspace_selection_not_saved, {usual}));
        s_.tell("The workspace is now \"" + usual + "\", which is the only one of this backend.");
        return 0;
    }

    session const& s_;
    init_options const& options_;
    workspace::settings const& of_;
    backends::place place_;
    workspace::backend_choice desired_;
    std::shared_ptr<state::backend> to_;
    std::vector<workspace::migration> done_;  // completed migrations, which hold their locks
    bool found_any_ = false;  // states to copy
    std::function<std::string(std::string const&)> place_there_;  // of a workspace in the desired backend
    bool undecided_ = false;  // there are states of Terraform that were not taken over
};

// Adds the arguments that `terraform init` has stored in addition to the block, if this program has never been
// initialized here.
auto add_noted(workspace::backend_choice& to, workspace::settings const& s) -> expected<void>
{
    auto const note = state::read_terraform_backend_record(s.directory / s.data_directory);
    if (!note || note->type != to.type || to.type == "local") return {};
    auto const noted = workspace::settings_from_json(note->type, note->config);
    if (!noted) return noted.error();
    std::vector<language::value_entry> all;
    for (language::value_entry const& e : to.settings.entries()) {
        auto const* const theirs = noted->find(e.key);
        all.push_back(e.of.is_null() && theirs != nullptr ? language::value_entry{e.key, *theirs} : e);
    }
    to.settings = language::value::object(std::move(all));
    return {};
}

}  // namespace

auto init_backend(session const& s, init_options const& options, language::configuration const& root)
    -> or_exit<takeover>
{
    workspace::settings const& of = s.workspace().options();
    infra::diagnostics found;
    auto desired = workspace::declared_backend(s.workspace().root(), found);
    std::vector<std::shared_ptr<language::syntax_tree>> kept;
    // Without a block, options have no effect.
    if (!root.backend && !options.backend_options.empty())
        found.add(language::warning(messages::backend_options_without_backend));
    else if (root.backend && desired) kept = workspace::add_backend_options(*desired, options.backend_options, found);
    language::sort_by_place(found);
    if (int const code = s.report(found); code != 0) return exit_code{code};
    if (!found.empty() && !s.machine_readable()) s.out() << '\n';

    std::optional<workspace::backend_choice> before;
    if (!options.reconfigure) {
        auto remembered = workspace::remembered_backend(of);
        if (!remembered) return exit_code{s.report(remembered.error())};
        before = std::move(*remembered);
    }
    // Options of an earlier init stay valid as long as the block is the same and there are no new options.
    if (before && options.backend_options.empty() && before->type == desired->type && before->hash == desired->hash)
        desired = before;
    if (!before && !options.reconfigure)
        if (auto const done = add_noted(*desired, of); !done) return exit_code{s.report(done.error())};
    backend_initialization selected(s, options, *desired);
    if (int const code = selected.run(std::move(before)); code != 0) return exit_code{code};
    if (options.dry_run) return selected.of_terraform();
    auto const secrets = workspace::secrets_in(*desired);
    for (std::string const& name : secrets)
        (void)s.report(make_warning(messages::backend_secret_stored, {name, workspace::backend_file(of).string()}));
    if (!secrets.empty() && !s.machine_readable()) s.out() << '\n';
    return selected.of_terraform();
}

}  // namespace iacctl::commands
