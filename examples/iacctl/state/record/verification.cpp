// SPDX-License-Identifier: BSL-1.0
#include "check.hpp"
#include "commit_mark.hpp"
#include "record_checks.hpp"
#include "wal_check.hpp"

#include <cstddef>
#include <string>
#include <utility>

namespace iacctl::state {

namespace {

using result_type = state_check::result_type;

class verifier {
public:
    explicit verifier(workspace_files const& files) : files_(&files) {}

    auto run() -> expected<verification>
    {
        auto const found = files_->look();
        if (!found) return found.error();
        if (*found == workspace_files::condition::never_made) return std::move(done_);
        if (*found == workspace_files::condition::lost) {
            check("database", files_->lost_database().why());
            return std::move(done_);
        }
        auto const noted = commit_mark::read(files_->mark());
        check_log();
        try {
            sqlite_database db(files_->database(), open_mode::read_only);
            db.preserve();
            check_pages(db);
            auto all = inspect(db, *files_, hasher_);
            if (!all.key) return all.key.error();
            check("header", std::move(all.header));
            check_mark_of(all.content.meta, noted);
            check_records(done_, all.content, files_->site());
            done_.sequence = all.content.meta.sequence;
            done_.format = all.content.meta.format;
            check_history(done_, db, hasher_, all.content, files_->site(),
                all.header.empty() ? std::optional(all.content.meta.sequence) : std::nullopt);
            done_.content = std::move(all.content.snapshot);
        } catch (database_error const& error) {
            auto why = read_failure(*files_, error);
            if (!error.is_damage()) return why;
            check("database", why.why());
        }
        return std::move(done_);
    }

private:
    void check(std::string_view name, infra::diagnostics problems, std::string detail = {})
    {
        done_.add(name, std::move(problems), std::move(detail));
    }
    void skip(std::string_view name, char const* why) { done_.add_skipped(name, why); }
    void check_log()
    {
        infra::diagnostics problems;
        if (auto const broken = find_wal_damage(files_->log()))
            problems.add(messages::make_error(messages::state_log_damaged,
                {files_->database().string(), files_->log().string(), *broken, continuation_advice(*files_)}));
        check("write-ahead log", std::move(problems));
    }
    void check_pages(sqlite_database& db)
    {
        infra::diagnostics problems;
        for (std::string const& found : db.integrity_check())
            problems.add(messages::make_error(
                messages::state_database_damaged, {files_->database().string(), found, files_->recovery_advice()}));
        check("pages", std::move(problems));
    }
    void check_mark_of(meta_row const& meta, expected<std::optional<commit_point>> const& noted)
    {
        if (!noted) return check("mark", noted.error().why());
        if (done_.checks.back().result == result_type::failed) return skip("mark", "the header is damaged");
        auto const marked = check_mark(meta, *noted, *files_);
        check("mark", marked ? infra::diagnostics() : marked.error().why());
    }
    workspace_files const* files_;
    field_hasher hasher_;
    verification done_;
};

}  // namespace

auto verify_workspace(workspace_files const& files) -> expected<verification>
{
    return verifier(files).run();
}

}  // namespace iacctl::state
