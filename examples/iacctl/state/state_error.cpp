// SPDX-License-Identifier: BSL-1.0
#include "state_error.hpp"

#include "messages/backends.hpp"
#include "messages/engine.hpp"

#include <cstddef>
#include <string>

namespace iacctl::state {

namespace {

struct kind_of_message {
    state_error kind;
    messages::message_text const* of;
};

// The most frequent message of each kind comes first.
constexpr kind_of_message kinds[]{
    {state_error::unreadable, &messages::state_unreadable},
    {state_error::unreadable, &messages::state_backup_empty},
    {state_error::unreadable, &messages::state_backup_unreadable},
    {state_error::unreadable, &messages::state_no_backup},
    {state_error::not_writable, &messages::state_not_writable},
    {state_error::not_writable, &messages::served_states_unusable},
    {state_error::not_writable, &messages::state_earlier_attempt_failed},
    {state_error::not_writable, &messages::state_is_read_only},
    {state_error::not_writable, &messages::state_lock_is_link},
    {state_error::not_writable, &messages::state_restore_failed},
    {state_error::not_writable, &messages::state_workspace_not_made},
    {state_error::not_saved, &messages::state_not_saved},
    {state_error::not_saved, &messages::state_no_memory},
    {state_error::not_saved, &messages::state_printed},
    {state_error::not_saved, &messages::state_rescued},
    {state_error::not_saved, &messages::state_unsaved},
    {state_error::damaged, &messages::state_damaged},
    {state_error::damaged, &messages::served_states_damaged},
    {state_error::damaged, &messages::served_states_lost},
    {state_error::damaged, &messages::state_backup_damaged},
    {state_error::damaged, &messages::state_contradictory},
    {state_error::damaged, &messages::state_database_damaged},
    {state_error::damaged, &messages::state_database_lost},
    {state_error::damaged, &messages::state_duplicate_record},
    {state_error::damaged, &messages::state_file_relabelled},
    {state_error::damaged, &messages::state_header_damaged},
    {state_error::damaged, &messages::state_history_damaged},
    {state_error::damaged, &messages::state_history_incomplete},
    {state_error::damaged, &messages::state_log_damaged},
    {state_error::damaged, &messages::state_log_incomplete},
    {state_error::damaged, &messages::state_log_missing},
    {state_error::damaged, &messages::state_mark_damaged},
    {state_error::damaged, &messages::state_mark_missing},
    {state_error::damaged, &messages::state_records_missing},
    {state_error::damaged, &messages::state_salvage_lost},
    // Contradictions that the engine detects.
    {state_error::damaged, &messages::state_depends_on_instance},
    {state_error::damaged, &messages::state_depends_on_itself},
    {state_error::damaged, &messages::state_destroys_nothing},
    {state_error::damaged, &messages::state_invalid_dependency},
    {state_error::damaged, &messages::state_invalid_deposed_key},
    {state_error::damaged, &messages::state_misfiled_operation},
    {state_error::damaged, &messages::state_without_attributes},
    {state_error::damaged, &messages::state_without_lineage},
    {state_error::damaged, &messages::state_without_object},
    {state_error::damaged, &messages::state_without_provider},

    {state_error::foreign_database, &messages::state_foreign_database},
    {state_error::newer_format, &messages::state_newer_format},
    {state_error::newer_format, &messages::served_states_too_new},
    {state_error::newer_format, &messages::state_file_too_new},
    {state_error::newer_format, &messages::state_unknown_features},
    {state_error::locked, &messages::state_locked},
    {state_error::locked, &messages::served_states_in_use},
    {state_error::locked, &messages::state_parts_locked},
    {state_error::locked, &messages::state_under_change},
    {state_error::locked, &messages::parts_locked},
    {state_error::locked, &messages::key_change_locked},
    {state_error::locked, &messages::remote_state_locked},
    {state_error::overtaken, &messages::state_overtaken},
    {state_error::overtaken, &messages::session_ended},
    {state_error::overtaken, &messages::state_other_lineage},
    {state_error::overtaken, &messages::state_serial_falls},
    {state_error::no_space, &messages::state_no_space},
    {state_error::no_space, &messages::state_space_not_granted},
    {state_error::foreign_state, &messages::state_of_terraform},
    {state_error::foreign_state, &messages::state_of_terraform_diverged},
    {state_error::foreign_state, &messages::state_of_terraform_newer},
    {state_error::foreign_state, &messages::state_of_terraform_unreadable},
    {state_error::invalid_file, &messages::state_file_invalid_member},
    {state_error::invalid_file, &messages::state_file_empty},
    {state_error::invalid_file, &messages::state_file_flat_attributes},
    {state_error::invalid_file, &messages::state_file_has_object_twice},
    {state_error::invalid_file, &messages::state_file_invalid_word},
    {state_error::invalid_file, &messages::state_file_missing_member},
    {state_error::invalid_file, &messages::state_file_not_json},
    {state_error::invalid_file, &messages::state_file_too_old},
    {state_error::invalid_file, &messages::state_file_without_version},
    {state_error::cannot_resolve, &messages::state_decision_does_not_fit},
    {state_error::cannot_resolve, &messages::state_decision_without_attributes},
    {state_error::cannot_resolve, &messages::state_no_operations},
    {state_error::cannot_resolve, &messages::state_no_such_operation},
    {state_error::cannot_resolve, &messages::state_several_operations},
};

auto usual_message(state_error kind) noexcept -> messages::message_text const*
{
    for (kind_of_message const& one : kinds)
        if (one.kind == kind) return one.of;
    return nullptr;
}

class category : public boost::system::error_category {
public:
    [[nodiscard]] auto name() const noexcept -> char const* override { return "iacctl.state"; }
    [[nodiscard]] auto message(int value) const -> std::string override
    {
        auto const* const usual = usual_message(static_cast<state_error>(value));
        return usual == nullptr ? "unknown" : std::string(usual->summary);
    }
};

}  // namespace

auto code_of(state_error kind) noexcept -> std::string_view
{
    auto const* const usual = usual_message(kind);
    return usual == nullptr ? std::string_view() : usual->code;
}

auto kind_of(std::string_view code) noexcept -> state_error
{
    for (kind_of_message const& one : kinds)
        if (one.of->code == code) return one.kind;
    return state_error::none;
}

auto kind_of(infra::failure const& f) noexcept -> state_error
{
    for (infra::diagnostic const& d : f.why())
        if (state_error const kind = kind_of(d); kind != state_error::none) return kind;
    return state_error::none;
}

auto state_category() noexcept -> boost::system::error_category const&
{
    static category const instance;
    return instance;
}

}  // namespace iacctl::state
