// SPDX-License-Identifier: BSL-1.0
#include "base/durable_file.hpp"
#include "base/file_descriptor.hpp"
#include "base/random.hpp"
#include "base/timestamp.hpp"
#include "pruning.hpp"
#include "state/record_text.hpp"
#include "state/stored_name.hpp"
#include "store_impl.hpp"

#include <boost/asio/post.hpp>

#include <fcntl.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <set>
#include <system_error>
#include <unordered_set>
#include <utility>
#include <vector>

namespace iacctl::state {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t page_size = 4096;
constexpr std::uint64_t long_log = 16 * 1024 * 1024;
// The number of pages that an entry changes when it is committed alone: entry, row, pending, meta, and the pages above
// them.
constexpr std::uint64_t pages_an_entry = 6;

auto bytes_text(std::uint64_t bytes) -> std::string
{
    return std::to_string((bytes + 1023) / 1024) + " KiB";
}

constexpr char const* select_documents = "SELECT address, deposed, position, deleted, document FROM resource";

// The object of a row, without its attributes.
template <class Store>
auto object_of(statement const& row, Store const& in) -> std::optional<infra::object>
{
    auto const text = in.key.cipher.open(row.text(4), [&] {
        return record_place::resource(
            record_place::part_type::document, row.text(0), row.text(1), row.integer(2), row.integer(3) != 0);
    });
    return text ? read_object(*text, {}, in.sets) : std::nullopt;
}

}  // namespace

void sqlite_store::impl::begin(std::string_view command, std::int64_t now)
{
    transaction writing(*db, database::purpose::writing);
    catch_up();
    meta_row next = meta;
    ++next.epoch;
    ++next.generation;
    statement add = db->prepare("INSERT INTO generation VALUES (?, ?, ?, NULL, NULL, ?, ?)");
    add.bind(next.generation).bind(command).bind(now).bind(next.serial).bind(next.sequence).run();
    commit(writing, std::move(next));
    throw_on(mark.sync());
    own_epoch = meta.epoch;
}

void sqlite_store::impl::end(std::string_view result, std::int64_t now)
{
    transaction writing(*db, database::purpose::writing);
    catch_up();
    sum_ = meta.content;
    if (is_alone()) {
        purge_deleted();
        prune_history(now);
    }
    statement close = db->prepare("UPDATE generation SET ended = ?, result = ?, serial = ? WHERE number = ?");
    close.bind(now).bind(result).bind(meta.serial).bind(generation).run();
    meta_row next = meta;
    next.content = sum_;
    commit(writing, std::move(next));
}

void sqlite_store::impl::purge_deleted()
{
    struct deleted_row {
        std::int64_t number;
        std::string config;
        digest hash;
    };
    std::vector<deleted_row> gone;
    statement marked = db->prepare("SELECT number, address, sha256 FROM resource WHERE deleted = 1");
    while (marked.step()) {
        auto const target = read_stored_name(marked.text(1));
        std::string config = target ? infra::to_string(target->config()) : std::string();
        gone.push_back({marked.integer(0), std::move(config), marked.hash(2)});
    }
    // Damage is reported by the next read; until then no set is considered unreferenced.
    if (gone.empty() || !read_new_sets()) return;

    std::set<std::string, std::less<>> alive;
    std::set<std::string, std::less<>> desired;
    std::unordered_set<infra::dependency_set::id_type> seen;
    auto const is_new = [&](infra::dependency_set const& set) { return seen.insert(set.id()).second; };
    auto const want = [&](infra::dependency_set const& set) {
        desired.insert(set.own_names().begin(), set.own_names().end());
    };
    statement live = db->prepare(select_documents);
    while (live.step()) {
        if (live.integer(3) != 0) continue;
        if (auto const target = read_stored_name(live.text(0))) alive.insert(infra::to_string(target->config()));
        if (auto const object = object_of(live, *this)) object->dependencies.for_each_set(is_new, want);
    }
    statement drop = db->prepare("DELETE FROM resource WHERE number = ?");
    for (deleted_row const& row : gone) {
        if (desired.contains(row.config) && !alive.contains(row.config)) continue;
        drop.bind(row.number).run();
        sum_.subtract(row.hash);
    }
    index.reset();
}

void sqlite_store::impl::prune_history(std::int64_t now)
{
    if (auto const old = find_old_history(*db, keep, now)) remove_history(*db, *old);
    auto const removed = prune_sets(*db, hasher, key);
    if (removed.empty()) return;
    for (digest const& hash : removed) sum_.subtract(hash);
    sets.clear();
    sets_known = false;
    last_set = 0;
}

void sqlite_store::impl::back_up(std::int64_t now)
{
    std::string const stamp = timestamp::of_unix_ms(now).compact_text();
    std::array<char, 32> number{};
    std::snprintf(number.data(), number.size(), "-%06lld", static_cast<long long>(meta.generation + 1));
    throw_on(make_private_directories(files.backups()));
    fs::path const target = files.backups() / (stamp + number.data() + ".db");
    fs::path const draft = files.backups() / (".draft-" + random_hex(8));
    std::error_code ignored;
    try {
        db->copy_to(draft);
        throw_on(sync_file(draft));
        fs::rename(draft, target);
        throw_on(sync_directory(files.backups()));
    } catch (...) {
        fs::remove(draft, ignored);
        throw;
    }
}

void sqlite_store::impl::prune_backups() const
{
    std::error_code error;
    std::vector<fs::path> all;
    for (fs::directory_iterator it(files.backups(), error), end; !error && it != end; it.increment(error))
        if (it->path().extension() == ".db") all.push_back(it->path());
    std::sort(all.begin(), all.end());
    auto const keep_last = static_cast<std::size_t>(std::max<std::int64_t>(keep.generations, 1));
    if (all.size() <= keep_last) return;
    all.resize(all.size() - keep_last);
    auto const oldest = fs::file_time_type::clock::now() - std::chrono::milliseconds(keep.milliseconds);
    for (fs::path const& backup : all) {
        auto const written = fs::last_write_time(backup, error);
        if (!error && written < oldest) fs::remove(backup, error);
    }
}

void sqlite_store::impl::checkpoint_if_long()
{
    if (static_cast<std::uint64_t>(log_pages) * page_size < long_log || checkpoint_runs.exchange(true)) return;
    if (!checkpoint_thread) checkpoint_thread.emplace(1);
    boost::asio::post(*checkpoint_thread, [this] {
        try {
            if (!checkpointer) checkpointer.emplace(files.database(), open_mode::read_write);
            checkpointer->execute("PRAGMA wal_checkpoint(PASSIVE)");
        } catch (database_error const&) {
            // The log remains longer; the next commit reports a failure of the disk.
            checkpointer.reset();
        }
        checkpoint_runs = false;
    });
}

void sqlite_store::impl::empty_log()
{
    if (checkpoint_thread) {
        checkpoint_thread->join();
        checkpoint_thread.reset();
    }
    checkpointer.reset();
    db->wait_for_others(false);
    try {
        db->execute("PRAGMA wal_checkpoint(TRUNCATE)");
    } catch (database_error const&) {
        // A reader may use the log, or the disk may fail. The log is durable, and the next command empties it.
    }
    db->wait_for_others(true);
}

auto sqlite_store::begin(std::string_view command, std::int64_t now) -> std::int64_t
{
    if (impl_->meta.sequence > 0 && !impl_->backed_up) impl_->back_up(now);
    impl_->backed_up = false;
    impl_->begin(command, now);
    return impl_->meta.generation;
}

void sqlite_store::end(std::string_view result, std::int64_t now)
{
    impl_->end(result, now);
    impl_->empty_log();
    impl_->prune_backups();
}

auto sqlite_store::ensure_space(space_estimate planned) -> expected<void>
{
    impl& self = *impl_;
    if (auto const ok = self.make_ready(); !ok) return ok.error();
    std::uint64_t const record = std::max({planned.record_size, self.observed_record, std::uint64_t{512}});
    std::uint64_t const largest = std::max(self.largest_record, record);
    std::uint64_t const log = std::min(planned.entries * pages_an_entry * page_size, 2 * long_log);
    std::uint64_t const need = log + planned.entries * record * 2 + planned.parallelism * largest;

    struct statvfs disk{};
    fs::path const& directory = self.files.directory();
    if (::statvfs(directory.c_str(), &disk) != 0)
        return make_failure(messages::state_not_writable, {directory.string(), last_error().message()});
    std::uint64_t const free = static_cast<std::uint64_t>(disk.f_bavail) * disk.f_frsize;
    if (free < need)
        return make_failure(messages::state_no_space, {bytes_text(need), directory.string(), bytes_text(free)});

    // SQLite reads only frames that it has written, so space after them does no harm.
    file_descriptor const file(::open(self.files.log().c_str(), O_WRONLY | O_CLOEXEC));
    if (file && log > 0 && ::fallocate(file.get(), FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(log)) != 0
        && (errno == ENOSPC || errno == EDQUOT))
        return make_failure(messages::state_space_not_granted, {bytes_text(need), directory.string()});
    return {};
}

}  // namespace iacctl::state
