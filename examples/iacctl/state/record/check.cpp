// SPDX-License-Identifier: BSL-1.0
#include "check.hpp"

#include "record_checks.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

namespace iacctl::state {

auto read_failure(workspace_files const& files, database_error const& error) -> infra::failure
{
    if (error.is_damage()) return infra::failure(damaged_database(files.site(), error));
    return make_failure(error.is_read_only() ? messages::state_not_writable : messages::state_unreadable,
        {files.database().string(), error.what()});
}

auto check_header(sqlite_database& db, workspace_files const& files, field_hasher& hasher) -> expected<meta_row>
{
    std::string const file = files.database().string();
    std::int64_t const owner = db.pragma("application_id");
    if (owner != application_id)
        return make_failure(messages::state_foreign_database, {file, std::to_string(owner), files.recovery_advice()});
    std::int64_t const format = db.pragma("user_version");
    if (format > format_version)
        return make_failure(
            messages::state_newer_format, {file, std::to_string(format), std::to_string(format_version)});
    if (format < 1) return make_failure(messages::state_header_damaged, {file, files.recovery_advice()});

    auto meta = meta_row::read(db, hasher);
    if (!meta) return make_failure(messages::state_header_damaged, {file, files.recovery_advice()});
    if (auto const ok = check_support(*meta, format_version, file); !ok) return ok.error();
    return *meta;
}

auto check_mark(meta_row const& meta, std::optional<commit_point> noted, workspace_files const& files) -> expected<void>
{
    std::error_code error;
    if (!noted) {
        // It may have been created after the check, together with the format that requires it.
        if (meta.format < first_format_with_mark || std::filesystem::exists(files.mark(), error)) return {};
        return make_failure(messages::state_mark_missing,
            {files.database().string(), files.mark().string(), continuation_advice(files)});
    }
    if (meta.point().covers(*noted)) return {};
    // SQLite has created an empty log by now.
    std::string const log = files.log().string();
    auto const size = std::filesystem::file_size(files.log(), error);
    bool const log_is_there = !error && size > 0;
    return make_failure(log_is_there ? messages::state_log_incomplete : messages::state_log_missing,
        {files.database().string(), std::to_string(noted->sequence), std::to_string(noted->epoch),
            std::to_string(meta.sequence), std::to_string(meta.epoch), log, continuation_advice(files)});
}

auto continuation_advice(workspace_files const& files) -> std::string
{
    return "The next apply would create the objects of such changes a second time. If you have a copy of the directory "
        + files.directory().string()
        + ", restore all of its files. To continue with the content that the database still has:\n\n    iacctl state "
          "restore "
        + files.database().string() + "\n\n" + files.recovery_advice();
}

auto find_key(meta_row const& meta, workspace_files const& files, field_hasher& hasher) -> expected<record_key>
{
    return find_key(
        meta, record_place::header(meta.hash(hasher)), files.encryption(), "the database " + files.database().string());
}

auto inspect(sqlite_database& db, workspace_files const& files, field_hasher& hasher) -> inspection
{
    transaction const unchanging(db, database::purpose::reading);
    inspection found;
    state_content& content = found.content;
    if (auto meta = check_header(db, files, hasher)) {
        content.meta = std::move(*meta);
        content.meta.describe(content.snapshot);
        auto key = find_key(content.meta, files, hasher);
        if (!key) {
            found.key = key.error();
            return found;
        }
        content.key = std::move(*key);
    } else {
        found.header = meta.error().why();
    }
    read_records(db, files.site(), hasher, content);
    if (found.header.empty() && content.damaged.empty()) content.is_complete = content.sum == content.meta.content;
    return found;
}

auto read_state(sqlite_database& db, workspace_files const& files, field_hasher& hasher) -> expected<state_content>
{
    auto found = inspect(db, files, hasher);
    if (!found.key) return found.key.error();
    if (!found.header.empty()) return infra::failure(std::move(found.header));
    infra::diagnostics why = problems_of(found.content, files.site());
    if (why.empty()) return std::move(found.content);

    auto const is_of_sqlite = [](infra::diagnostic const& d) {
        return d.code == messages::state_database_damaged.code;
    };
    if (std::ranges::none_of(why, is_of_sqlite))
        if (std::string const sqlite = db.quick_check(); !sqlite.empty())
            why.add(messages::make_error(
                messages::state_database_damaged, {files.database().string(), sqlite, files.recovery_advice()}));
    return infra::failure(std::move(why));
}

}  // namespace iacctl::state
