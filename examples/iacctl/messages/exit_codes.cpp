// SPDX-License-Identifier: BSL-1.0
#include "exit_codes.hpp"

#include "backends.hpp"
#include "commands.hpp"
#include "encryption.hpp"
#include "engine.hpp"
#include "state.hpp"

namespace iacctl::messages {

namespace {

struct exit_code {
    message_text const* of;
    int value;
};

constexpr exit_code not_one[]{
    {&key_change_locked, 3},
    {&parts_locked, 3},
    {&state_parts_locked, 3},
    {&remote_state_locked, 3},
    {&served_states_in_use, 3},
    {&state_locked, 3},
    {&state_under_change, 3},
    // State is damaged, or not of this program.
    {&decryption_failed, 4},
    {&encryption_version_unknown, 4},
    {&remote_state_damaged, 4},
    {&remote_state_missing, 4},
    {&remote_state_older, 4},
    {&served_states_damaged, 4},
    {&served_states_lost, 4},
    {&served_states_too_new, 4},
    {&state_backup_damaged, 4},
    {&state_contradictory, 4},
    {&state_damaged, 4},
    {&state_database_damaged, 4},
    {&state_database_lost, 4},
    {&state_depends_on_instance, 4},
    {&state_depends_on_itself, 4},
    {&state_destroys_nothing, 4},
    {&state_duplicate_record, 4},
    {&state_file_relabelled, 4},
    {&state_file_too_new, 4},
    {&state_foreign_database, 4},
    {&state_header_damaged, 4},
    {&state_history_damaged, 4},
    {&state_history_incomplete, 4},
    {&state_invalid_dependency, 4},
    {&state_invalid_deposed_key, 4},
    {&state_log_damaged, 4},
    {&state_log_incomplete, 4},
    {&state_log_missing, 4},
    {&state_mark_damaged, 4},
    {&state_mark_missing, 4},
    {&state_misfiled_operation, 4},
    {&state_newer_format, 4},
    {&state_records_missing, 4},
    {&state_salvage_lost, 4},
    {&state_unknown_features, 4},
    {&state_without_attributes, 4},
    {&state_without_lineage, 4},
    {&state_without_object, 4},
    {&state_without_provider, 4},
    // A change is not recorded in state.
    {&mirror_conflicts, 5},
    {&mirror_rescued, 5},
    {&session_ended, 5},
    {&state_no_memory, 5},
    {&state_not_published, 5},
    {&state_not_saved, 5},
    {&state_other_lineage, 5},
    {&state_overtaken, 5},
    {&state_printed, 5},
    {&state_rescued, 5},
    {&state_serial_falls, 5},
    {&state_unsaved, 5},

    {&stale_plan, 6},
    {&stale_parts_of_plan, 6},
    {&undecided_action, 7},
    {&undecided_operation, 7},
    {&undecided_provisioners, 7},

    {&command_interrupted, 130},
};

}  // namespace

auto exit_code_of(std::string_view code) noexcept -> int
{
    for (exit_code const& one : not_one)
        if (one.of->code == code) return one.value;
    return 1;
}

}  // namespace iacctl::messages
