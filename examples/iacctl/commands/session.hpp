// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_COMMANDS_SESSION_HPP
#define IACCTL_COMMANDS_SESSION_HPP

#include "command_line.hpp"
#include "language/configuration/variables.hpp"
#include "language/validation/schema.hpp"
#include "plan_file.hpp"
#include "program/hcl_program.hpp"
#include "state/files.hpp"
#include "state/sqlite_store.hpp"
#include "state/workspace_lock.hpp"
#include "ui/json_stream.hpp"
#include "ui/text_style.hpp"
#include "workspaces.hpp"

#include <strider/infra/diagnostics.hpp>
#include <strider/infra/journal_entry.hpp>
#include <strider/infra/snapshot.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace iacctl::commands {

/// The schemas of all types that this program knows.
class known_schemas final : public language::schema_source {
public:
    [[nodiscard]] auto resource(std::string_view type) const -> language::schema const* override;
    [[nodiscard]] auto data_source(std::string_view type) const -> language::schema const* override;
    [[nodiscard]] auto provisioner(std::string_view type) const -> language::schema const* override;
    [[nodiscard]] auto provider(std::string_view address) const -> language::schema const* override;
    [[nodiscard]] auto has_provider(std::string_view address) const -> bool override;
    [[nodiscard]] auto belongs_to(language::schema const& type, std::string_view provider) const -> bool override;
    [[nodiscard]] auto connection() const -> language::schema const* override;
};

/// What the commands share: where output goes, and how configuration, variables and state are found.
class session {
public:
    /// \param workspace  found out once: another process may select another while this one works
    session(request const& asked, std::ostream& out, std::ostream& err, ui::text_options text, std::string workspace)
        : asked_(&asked),
          out_(&out),
          err_(&err),
          text_(text),
          workspace_(std::move(workspace)),
          stream_(out, [] { return state::timestamp(state::now_ms()); })
    {}

    [[nodiscard]] auto asked() const noexcept -> request const& { return *asked_; }
    [[nodiscard]] auto out() const noexcept -> std::ostream& { return *out_; }
    [[nodiscard]] auto err() const noexcept -> std::ostream& { return *err_; }
    [[nodiscard]] auto text() const noexcept -> ui::text_options const& { return text_; }
    [[nodiscard]] auto workspace() const noexcept -> std::string const& { return workspace_; }
    [[nodiscard]] auto workspace_directory() const -> std::filesystem::path
    {
        return directory_of_workspace(workspace());
    }

    /// Is everything to be said in lines of JSON?
    [[nodiscard]] auto machine_readable() const noexcept -> bool;
    /// Where these lines go.
    [[nodiscard]] auto stream() const noexcept -> ui::json_stream& { return stream_; }

    /// Whether somebody may be asked for what is missing: only by a command that plans, and not with -json, -input=false or
    /// TF_INPUT=0.
    [[nodiscard]] auto may_ask() const -> bool;

    /// Prints errors to standard error and warnings to standard output. Returns the exit code of the worst of them.
    auto show(infra::diagnostics const& all) const -> int;
    /// Shows what the command found; the exit code of the program is never better than the worst of all that was told.
    auto tell(infra::diagnostics const& all) const -> int;
    auto tell(infra::failure const& f) const -> int { return tell(f.why()); }
    /// The exit code of the program, after a command that returned `of_command`.
    [[nodiscard]] auto exit_code(int of_command) const noexcept -> int;

    /// The configuration of this directory, with all that can be said without values. Nothing after errors.
    [[nodiscard]] auto load_configuration(infra::diagnostics& problems) const -> std::optional<language::configuration>;
    /// The same, with diagnostics as the language has them; the configuration is there even after errors.
    [[nodiscard]] auto check_configuration(language::diagnostics& found) const -> language::configuration;
    /// The values of the variables of a configuration.
    [[nodiscard]] auto variables_of(language::configuration const& of, language::diagnostics& found) const
        -> language::variable_values;
    /// The configuration with the values of its variables, and perhaps with one file more in the root module.
    [[nodiscard]] auto load_program(infra::diagnostics& problems, std::string const& added = {}) const
        -> std::unique_ptr<program::hcl_program>;
    /// The configuration that a saved plan was made from. To be applied, it needs the ephemeral variables again.
    [[nodiscard]] auto load_program(saved_plan const& of, infra::diagnostics& problems) const
        -> std::unique_ptr<program::hcl_program>;

    [[nodiscard]] auto store(state::open_mode mode) const -> state::sqlite_store
    {
        return {workspace_directory(), mode};
    }
    /// State as it is now, without a lock.
    [[nodiscard]] auto read_state() const -> infra::checked<infra::snapshot>;
    /// Nothing if locking was switched off.
    [[nodiscard]] auto lock(std::string const& operation) const -> infra::checked<std::optional<state::workspace_lock>>
    {
        return lock(operation, workspace_directory());
    }
    /// The same for another workspace than that of this session.
    [[nodiscard]] auto lock(std::string const& operation, std::filesystem::path const& directory) const
        -> infra::checked<std::optional<state::workspace_lock>>;

    /// Writes entries to state as a command of their own, and applies them to `now`, the state as it was read.
    /// \param serial  the number that state has then, if it does not count on
    /// \return the exit code, after saying what went wrong
    [[nodiscard]] auto record(state::sqlite_store& store, infra::snapshot& now,
        std::vector<infra::journal_entry> const& entries, std::optional<std::uint64_t> serial = {}) const -> int;

private:
    // The variables of a plan that is applied: those it has, and ephemeral ones as they are given now.
    [[nodiscard]] auto variables_of(saved_plan const& of, language::configuration const& configuration,
        language::diagnostics& found) const -> std::map<std::string, language::value>;

    request const* asked_;
    std::ostream* out_;
    std::ostream* err_;
    ui::text_options text_;
    std::string workspace_;
    mutable ui::json_stream stream_;  // a shared sink, as the streams are
    mutable int told_ = 0;  // the worst exit code of what was told
};

/// Tells which blocks and which place of state this program has no use for.
void check_supported(language::configuration const& of, language::diagnostics& found);

/// The texts of all files of a configuration, by name.
[[nodiscard]] auto texts_of(language::configuration const& of) -> std::map<std::string, std::string>;

}  // namespace iacctl::commands

#endif  // IACCTL_COMMANDS_SESSION_HPP
