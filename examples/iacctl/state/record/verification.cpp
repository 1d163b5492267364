// SPDX-License-Identifier: BSL-1.0
#include "check.hpp"
#include "commit_mark.hpp"
#include "history_rows.hpp"
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
            if (all.locked) return *all.locked;
            check("header", std::move(all.header));
            check_mark_of(all.content.meta, noted);
            check_rows(all);
            check_history(db, all);
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
    void check_rows(inspection& all)
    {
        done_.rows = all.content.rows;
        done_.bytes = all.content.bytes;
        done_.sequence = all.content.meta.sequence;
        done_.format = all.content.meta.format;
        bool const sound = all.damaged.empty();
        check("rows", std::move(all.damaged),
            counted(all.content.rows, " row, ", " rows, ") + counted(all.content.bytes, " byte", " bytes"));
        if (!sound || done_.checks[done_.checks.size() - 3].result == result_type::failed) {
            skip("checksum", "rows or the header are damaged");
            return skip("structure", "rows or the header are damaged");
        }
        infra::diagnostics missing;
        if (!all.complete)
            missing.add(messages::make_error(
                messages::state_records_missing, {files_->database().string(), files_->recovery_advice()}));
        check("checksum", std::move(missing));
        if (!all.complete) return skip("structure", "records are missing");
        check("structure", std::move(all.contradictions),
            counted(all.content.snapshot.resources.size(), " resource instance", " resource instances"));
    }
    void check_history(database& db, inspection const& all)
    {
        infra::diagnostics problems;
        std::size_t entries = 0;
        std::int64_t last = 0;
        auto const at = [&](messages::message<3> const& m, std::int64_t sequence) {
            problems.add(messages::make_error(
                m, {files_->database().string(), std::to_string(sequence), files_->recovery_advice()}));
        };
        try {
            for_each_entry(db, hasher_, all.content.sets, all.content.key.cipher, 0, [&](entry_row row) {
                std::int64_t const sequence = row.content.sequence;
                if (last != 0 && sequence != last + 1) at(messages::state_history_incomplete, last + 1);
                if (row.damaged) at(messages::state_history_damaged, sequence);
                last = sequence;
                ++entries;
                return true;
            });
            if (all.header.empty() && entries != 0 && last != all.content.meta.sequence)
                at(messages::state_history_incomplete, last + 1);
        } catch (database_error const& error) {
            if (!error.is_damage()) throw;
            problems.add(read_failure(*files_, error).why());
        }
        check("history", std::move(problems), counted(entries, " entry", " entries"));
    }

    workspace_files const* files_;
    field_hasher hasher_;
    verification done_;
};

}  // namespace

auto counted(std::size_t number, char const* c, char const* many) -> std::string
{
    return std::to_string(number) + (number == 1 ? c : many);
}

void verification::add(std::string_view name, infra::diagnostics found, std::string detail)
{
    bool const failed = !found.empty();
    if (failed) detail = counted(found.size(), " error", " errors");
    checks.push_back({name, failed ? result_type::failed : result_type::passed, std::move(detail)});
    problems.add(std::move(found));
}

auto verify_workspace(workspace_files const& files) -> expected<verification>
{
    return verifier(files).run();
}

}  // namespace iacctl::state
