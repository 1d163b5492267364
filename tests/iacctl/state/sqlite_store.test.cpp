// SPDX-License-Identifier: BSL-1.0
#include "support.hpp"

#include "state/record/meta_row.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/require.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_future.hpp>

#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <map>
#include <thread>
#include <type_traits>
#include <utility>

namespace iacctl::state::test {

namespace {

// A closed workspace with one resource.
auto small_state(temporary_directory const& place) -> infra::snapshot
{
    auto store = sqlite_store::open(place.workspace(), open_mode::read_write);
    if (!store) {
        ADD_FAILURE() << error_text(store);
        return {};
    }
    return create_one(*store, {}, "a");
}

auto backups_in(fs::path const& workspace) -> std::size_t
{
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(workspace / "backups"), fs::directory_iterator()));
}

// An executor whose `execute` returns late on a foreign thread. It counts the calls that have not returned yet.
template <class Executor>
class delaying_executor {
public:
    delaying_executor(Executor inner, std::atomic<int>& inside) : inner_(std::move(inner)), inside_(&inside) {}

    template <class F>
    void execute(F&& f) const
    {
        ++*inside_;
        inner_.execute(std::forward<F>(f));
        if (!inner_.running_in_this_thread()) std::this_thread::sleep_for(std::chrono::milliseconds(50));
        --*inside_;
    }
    template <class Property>
        requires boost::asio::can_query_v<Executor const&, Property>
    auto query(Property const& p) const -> decltype(auto)
    {
        return boost::asio::query(inner_, p);
    }
    template <class Property>
        requires boost::asio::can_require_v<Executor const&, Property>
    auto require(Property const& p) const
    {
        return delaying_executor<std::decay_t<decltype(boost::asio::require(inner_, p))>>(
            boost::asio::require(inner_, p), *inside_);
    }
    friend auto operator==(delaying_executor const&, delaying_executor const&) noexcept -> bool = default;

private:
    Executor inner_;
    std::atomic<int>* inside_;
};

}  // namespace

auto text_of(fs::path const& file, char const* sql) -> std::string
{
    sqlite_database db(file, open_mode::read_only);
    statement query = db.prepare(sql);
    return query.step() ? std::string(query.text(0)) : "no row";
}

TEST(SqliteStore, NamesObjectsByTheVerbatimTextsOfTheirKeys)
{
    temporary_directory const place;
    infra::address const target("terraform_data", "a", infra::instance_key(std::string("$${b}\x1b%{")));
    infra::snapshot s;
    {
        auto store = sqlite_store::open(place.workspace(), open_mode::read_write);
        ASSERT_TRUE(store) << error_text(store);
        auto const p = some_operation("create", infra::operation_kind::create, target);
        for (entry const& e : {entry::begin(p), entry::end(p, some_object("a"), false)}) {
            ASSERT_TRUE(replay(s, e));
            ASSERT_TRUE(store->append_now(std::vector<entry>{e}, s));
        }
    }
    std::string const name = "terraform_data.a[\"$${b}\x1b%{\"]";
    EXPECT_EQ(text_of(place.database(), "SELECT address FROM resource"), name);
    EXPECT_EQ(text_of(place.database(), "SELECT address FROM entry ORDER BY sequence LIMIT 1"), name);

    auto store = sqlite_store::open(place.workspace(), open_mode::read_write);
    ASSERT_TRUE(store) << error_text(store);
    auto const read = store->read_now();
    ASSERT_TRUE(read) << error_text(read);
    EXPECT_NE(read->find(target), nullptr);
}

TEST(SqliteStore, LeavesNoWorkOnTheExecutorOfItsCaller)
{
    temporary_directory const place;
    auto store = sqlite_store::open(place.workspace(), open_mode::read_write);
    ASSERT_TRUE(store) << error_text(store);
    std::atomic<int> inside = 0;
    boost::asio::thread_pool pool(2);
    delaying_executor const home(pool.get_executor(), inside);

    boost::asio::co_spawn(home, store->read(), boost::asio::detached);
    pool.join();

    EXPECT_EQ(inside, 0);
}

TEST(SqliteStore, ReadsAMissingStateAsEmptyAndCreatesNoFile)
{
    temporary_directory const place;

    auto const state = read_only(place.workspace());

    ASSERT_TRUE(state) << error_text(state);
    EXPECT_EQ(*state, infra::snapshot());
    EXPECT_TRUE(fs::is_empty(place.path()));
}

TEST(SqliteStore, CreatesNoFileBeforeTheFirstWrite)
{
    temporary_directory const place;

    auto store = sqlite_store::open(place.workspace(), open_mode::read_write);
    auto const state = store->read_now();

    ASSERT_TRUE(state) << error_text(state);
    EXPECT_TRUE(fs::is_empty(place.path()));
}

TEST(SqliteStore, ReadsAppendedEntriesAfterEachReopening)
{
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        temporary_directory const place;
        random_history history(seed);

        for (int i = 0; i < 15; ++i) {
            auto store = sqlite_store::open(place.workspace(), open_mode::read_write);
            ASSERT_TRUE(store) << error_text(store);
            for (int j = 0; j < 4; ++j) {
                auto const batch = history.batch(5);
                ASSERT_EQ(error_text(store->append_now(batch, history.model())), "");
                history.model().lineage = store->lineage();
            }
            auto const state = read_only(place.workspace());

            ASSERT_TRUE(state) << error_text(state);
            ASSERT_EQ(*state, history.model()) << "after reopening " << i;
        }
    }
}

TEST(SqliteStore, KeepsAHistoryThatReplaysToTheSameState)
{
    for (std::uint64_t seed = 11; seed <= 14; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        temporary_directory const place;
        random_history history(seed);
        auto store = sqlite_store::open(place.workspace(), open_mode::read_write);
        for (int i = 0; i < 60; ++i) {
            auto const batch = history.batch(4);
            ASSERT_TRUE(store->append_now(batch, history.model()));
        }

        auto const entries = store->entries_after(0);

        ASSERT_TRUE(entries) << error_text(entries);
        infra::snapshot replayed;
        std::int64_t sequence = 0;
        for (history_entry const& e : *entries) {
            ASSERT_EQ(e.sequence, ++sequence);
            ASSERT_TRUE(replay(replayed, e.entry));
        }
        EXPECT_EQ(replayed, history.model());
    }
}

TEST(SqliteStore, KeepsItsLineageAndIncrementsTheSerial)
{
    temporary_directory const place;
    infra::snapshot const first = small_state(place);

    auto store = sqlite_store::open(place.workspace(), open_mode::read_write);
    infra::snapshot const second = create_one(*store, *store->read_now(), "b");

    EXPECT_EQ(first.lineage.size(), 36U);
    EXPECT_EQ(second.lineage, first.lineage);
    EXPECT_GT(second.serial, first.serial);
    EXPECT_EQ(store->serial(), second.serial);
}

TEST(SqliteStore, CanBeUsedByCoroutinesOnItsOwnThread)
{
    temporary_directory const place;
    auto store = sqlite_store::open(place.workspace(), open_mode::read_write);
    boost::asio::thread_pool pool(1);
    random_history history(21);
    std::vector<std::thread::id> resumed;

    auto work = [&]() -> task<expected<infra::snapshot>> {
        for (int i = 0; i < 20; ++i) {
            auto const batch = history.batch(3);
            auto const error = co_await store->append(batch, history.model());
            resumed.push_back(std::this_thread::get_id());
            if (error) break;
        }
        auto result = co_await store->read();
        resumed.push_back(std::this_thread::get_id());
        co_return result;
    };
    auto const state = boost::asio::co_spawn(pool, work(), boost::asio::use_future).get();
    pool.join();  // the destructor alone would not wait until the thread of the store has released the pool

    history.model().lineage = store->lineage();
    ASSERT_TRUE(state) << error_text(state);
    EXPECT_EQ(*state, history.model());
    ASSERT_EQ(resumed.size(), 21U);
    for (auto const id : resumed) EXPECT_EQ(id, resumed.front());
}

TEST(SqliteStore, ShowsReadersOnlyCompleteAppends)
{
    temporary_directory const place;
    auto writer = sqlite_store::open(place.workspace(), open_mode::read_write);
    infra::snapshot s = create_one(*writer, {}, "a");

    auto reader = sqlite_store::open(place.workspace(), open_mode::read_only);
    auto const before = reader->read_now();
    s = create_one(*writer, s, "b");
    auto const after = reader->read_now();

    ASSERT_TRUE(before) << error_text(before);
    ASSERT_TRUE(after) << error_text(after);
    EXPECT_EQ(before->resources.size(), 1U);
    EXPECT_EQ(*after, s);
}

TEST(SqliteStore, RejectsWritesIfItWasOpenedForReading)
{
    temporary_directory const place;
    infra::snapshot s = small_state(place);
    auto store = sqlite_store::open(place.workspace(), open_mode::read_only);
    std::vector<entry> const batch{entry::output_removed("x")};
    ASSERT_TRUE(replay(s, batch.front()));

    auto const refused = store->append_now(batch, s);

    EXPECT_EQ(kind_of_result(refused), state_error::not_writable);
}

TEST(SqliteStore, RejectsAWriterAfterAWriteOfAnotherProcess)
{
    temporary_directory const place;
    small_state(place);
    auto slow = sqlite_store::open(place.workspace(), open_mode::read_write);
    auto fast = sqlite_store::open(place.workspace(), open_mode::read_write);
    infra::snapshot mine = *slow->read_now();
    infra::snapshot const theirs = create_one(*fast, *fast->read_now(), "b");

    std::vector<entry> const batch{entry::record(infra::address("terraform_data", "c"), {}, some_object("c"))};
    ASSERT_TRUE(replay(mine, batch.front()));
    auto const refused = slow->append_now(batch, mine);
    auto const again = slow->append_now(batch, mine);

    EXPECT_EQ(kind_of_result(refused), state_error::overtaken);
    EXPECT_FALSE(again);
    EXPECT_EQ(*read_only(place.workspace()), theirs);
}

TEST(SqliteStore, HidesADestroyedObjectAndPurgesItAtTheEnd)
{
    temporary_directory const place;
    auto store = sqlite_store::open(place.workspace(), open_mode::read_write);
    ASSERT_TRUE(store->begin_generation("apply"));
    infra::snapshot s = create_one(*store, {}, "a");
    std::vector<entry> const removal{entry::remove(infra::address("terraform_data", "a"), {})};
    ASSERT_TRUE(replay(s, removal.front()));
    ASSERT_TRUE(store->append_now(removal, s));

    auto const hidden = read_only(place.workspace());
    int const marked = number_of(place.database(), "SELECT count(*) FROM resource WHERE deleted = 1");
    auto const ended = store->end_generation("ok");

    EXPECT_TRUE(ended);
    EXPECT_TRUE(hidden->resources.empty());
    EXPECT_EQ(marked, 1);
    EXPECT_EQ(number_of(place.database(), "SELECT count(*) FROM resource"), 0);
    EXPECT_EQ(*read_only(place.workspace()), s);
}

TEST(SqliteStore, CreatesAnObjectAgainWhoseRowItHasRemoved)
{
    temporary_directory const place;
    auto store = sqlite_store::open(place.workspace(), open_mode::read_write);
    ASSERT_TRUE(store->begin_generation("apply"));
    infra::snapshot s = create_one(*store, {}, "a");
    std::vector<entry> const removal{entry::remove(infra::address("terraform_data", "a"), {})};
    ASSERT_TRUE(replay(s, removal.front()));
    ASSERT_TRUE(store->append_now(removal, s));
    ASSERT_TRUE(store->end_generation("ok"));

    ASSERT_TRUE(store->begin_generation("apply"));
    s = create_one(*store, s, "a");
    auto const ended = store->end_generation("ok");

    EXPECT_TRUE(ended) << error_text(ended);
    EXPECT_EQ(*read_only(place.workspace()), s);
}

TEST(SqliteStore, KeepsTheRowOfADestroyedDependencyOfALiveObject)
{
    temporary_directory const place;
    auto store = sqlite_store::open(place.workspace(), open_mode::read_write);
    ASSERT_TRUE(store->begin_generation("apply"));
    infra::snapshot s = create_one(*store, {}, "a");
    std::vector<entry> const batch{
        entry::record(infra::address("terraform_data", "b"), {}, some_object("b", {"terraform_data.a"})),
        entry::remove(infra::address("terraform_data", "a"), {})};
    for (entry const& e : batch) ASSERT_TRUE(replay(s, e));
    ASSERT_TRUE(store->append_now(batch, s));

    auto const ended = store->end_generation("ok");

    EXPECT_TRUE(ended);
    EXPECT_EQ(number_of(place.database(), "SELECT count(*) FROM resource WHERE deleted = 1"), 1);
    EXPECT_EQ(number_of(place.database(), "SELECT count(*) FROM edge WHERE dependency = 'terraform_data.a'"), 1);
    EXPECT_EQ(*read_only(place.workspace()), s);
}

TEST(SqliteStore, RemovesTheRowOfADestroyedDependencyIfAnotherInstanceIsThere)
{
    temporary_directory const place;
    auto store = sqlite_store::open(place.workspace(), open_mode::read_write);
    ASSERT_TRUE(store->begin_generation("apply"));
    auto const instance = [](std::int64_t i) { return infra::address("terraform_data", "a", infra::instance_key(i)); };
    infra::snapshot s;
    std::vector<entry> const batch{entry::record(instance(0), {}, some_object("a")),
        entry::record(instance(1), {}, some_object("a")),
        entry::record(infra::address("terraform_data", "b"), {}, some_object("b", {"terraform_data.a"})),
        entry::remove(instance(0), {})};
    for (entry const& e : batch) {
        ASSERT_TRUE(replay(s, e));
        ASSERT_EQ(error_text(store->append_now(std::vector<entry>{e}, s)), "");
    }
    ASSERT_EQ(number_of(place.database(), "SELECT count(*) FROM resource WHERE deleted = 1"), 1);

    ASSERT_TRUE(store->end_generation("ok"));

    EXPECT_EQ(number_of(place.database(), "SELECT count(*) FROM resource WHERE deleted = 1"), 0);
}

// Changes the tables to those of format 1.
void make_format_1(fs::path const& file)
{
    field_hasher hasher;
    meta_row meta;
    {
        sqlite_database db(file, open_mode::read_write);
        meta = *meta_row::read(db, hasher);
    }
    execute(file,
        "DROP VIEW edge;"
        "CREATE TABLE r (address TEXT NOT NULL, deposed TEXT NOT NULL, position INTEGER NOT NULL,"
        "  deleted INTEGER NOT NULL, attributes TEXT NOT NULL, document TEXT NOT NULL, sha256 BLOB NOT NULL,"
        "  PRIMARY KEY (address, deposed)) WITHOUT ROWID;"
        "INSERT INTO r SELECT address, deposed, position, deleted, attributes, document, sha256 FROM resource;"
        "DROP TABLE resource; ALTER TABLE r RENAME TO resource;"
        "CREATE TABLE s (position INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, document TEXT NOT NULL,"
        "  sha256 BLOB NOT NULL);"
        "INSERT INTO s SELECT * FROM dependency_set; DROP TABLE dependency_set; ALTER TABLE s RENAME TO dependency_set;"
        "CREATE VIEW edge AS SELECT address AS dependent FROM resource JOIN dependency_set;"
        "ALTER TABLE meta DROP COLUMN encryption; ALTER TABLE meta DROP COLUMN seal;"
        "PRAGMA user_version = 1;");
    sqlite_database db(file, open_mode::read_write);
    meta.format = 1;
    db.prepare("UPDATE meta SET format = 1, sha256 = ?").bind(meta.hash(hasher)).run();
}

TEST(SqliteStore, ReadsAStateOfFormatOneAndUpgradesItWhenItWrites)
{
    temporary_directory const place;
    infra::snapshot s;
    infra::object b = some_object("b");
    b.dependencies = infra::dependency_set({"terraform_data.a"}, {infra::dependency_set({"terraform_data.c"})});
    std::vector<entry> const first{entry::record(infra::address("terraform_data", "a"), {}, some_object("a")),
        entry::record(infra::address("terraform_data", "a"), "00000001", some_object("old")),
        entry::record(infra::address("terraform_data", "b"), {}, b)};
    for (entry const& e : first) ASSERT_TRUE(replay(s, e));
    ASSERT_TRUE(sqlite_store::open(place.workspace(), open_mode::read_write)->append_now(first, s));
    make_format_1(place.database());

    auto const before = read_only(place.workspace());
    int const format_before = number_of(place.database(), "PRAGMA user_version");
    std::vector<entry> const second{entry::record(infra::address("terraform_data", "a"), {}, some_object("new")),
        entry::remove(infra::address("terraform_data", "a"), "00000001"),
        entry::record(infra::address("terraform_data", "d"), {}, b)};
    {
        auto store = sqlite_store::open(place.workspace(), open_mode::read_write);
        s = *store->read_now();
        ASSERT_TRUE(store->begin_generation("apply"));
        for (entry const& e : second) ASSERT_TRUE(replay(s, e));
        ASSERT_EQ(error_text(store->append_now(second, s)), "");
        ASSERT_TRUE(store->end_generation("ok"));
    }
    auto const after = read_only(place.workspace());

    ASSERT_TRUE(before) << error_text(before);
    EXPECT_EQ(before->find(infra::address("terraform_data", "a"))->deposed.size(), 1U);
    EXPECT_EQ(format_before, 1);
    ASSERT_TRUE(after) << error_text(after);
    EXPECT_EQ(*after, s);
    EXPECT_EQ(number_of(place.database(), "PRAGMA user_version"), 4);
    EXPECT_EQ(number_of(place.database(), "SELECT format FROM meta"), 4);
    EXPECT_EQ(number_of(place.database(), "SELECT count(*) FROM edge"), 4);
}

TEST(SqliteStore, WritesNewRowsContiguously)
{
    temporary_directory const place;
    auto store = sqlite_store::open(place.workspace(), open_mode::read_write);
    infra::snapshot s;
    auto const append = [&](int first, int last, int step) {
        std::vector<entry> batch;
        for (int i = first; i < last; i += step) {
            std::string const name = "n" + std::to_string(i);
            infra::object o = some_object(name);
            o.dependencies = infra::dependency_set({"a.a"}, {infra::dependency_set({"a.b" + name})});
            batch.push_back(entry::record(infra::address("terraform_data", name), {}, o));
            ASSERT_TRUE(replay(s, batch.back()));
        }
        ASSERT_EQ(error_text(store->append_now(batch, s)), "");
    };
    append(0, 4000, 2);

    auto const before = fs::file_size(place.workspace() / "state.db-wal");
    append(1, 4000, 100);
    auto const pages = (fs::file_size(place.workspace() / "state.db-wal") - before) / 4096;

    // 40 objects, each with its own set, with names that are far apart in the order.
    EXPECT_LT(pages, 30U);
    EXPECT_EQ(read_only(place.workspace())->resources.size(), 2040U);
}

// The permissions of all files and directories below a directory, in octal.
auto modes_in(fs::path const& directory) -> std::map<std::string, unsigned>
{
    std::map<std::string, unsigned> modes;
    for (fs::directory_entry const& one : fs::recursive_directory_iterator(directory)) {
        std::string name = fs::relative(one.path(), directory).string();
        if (name.ends_with(".db") && name.find("backups/") != std::string::npos) name = "backup";
        modes[name] = static_cast<unsigned>(one.status().permissions());
    }
    return modes;
}

TEST(SqliteStore, CreatesFilesThatArePrivateToTheirOwner)
{
    temporary_directory const place;
    mode_t const before = ::umask(0);
    auto store = sqlite_store::open(place.workspace(), open_mode::read_write);
    ASSERT_TRUE(store->begin_generation("apply"));
    infra::snapshot const s = create_one(*store, {}, "a");
    ASSERT_TRUE(store->begin_generation("apply"));
    create_one(*store, s, "b");

    auto const modes = modes_in(place.path());
    ::umask(before);

    std::map<std::string, unsigned> const wanted{{".iacctl", 0700}, {".iacctl/.gitignore", 0600},
        {".iacctl/default", 0700}, {".iacctl/default/backups", 0700}, {".iacctl/default/lock", 0600},
        {".iacctl/default/spool", 0700}, {".iacctl/default/state.db", 0600}, {".iacctl/default/state.db-mark", 0600},
        {".iacctl/default/state.db-shm", 0600}, {".iacctl/default/state.db-wal", 0600}, {"backup", 0600}};
    EXPECT_EQ(modes, wanted);
    EXPECT_EQ(read_text(place.path() / ".iacctl" / ".gitignore"), "*\n");
}

TEST(SqliteStore, BacksUpStateBeforeEachGenerationAndPrunesBackupsAndHistory)
{
    temporary_directory const place;
    auto store = sqlite_store::open(place.workspace(), open_mode::read_write);
    store->set_retention_policy({2, -1000});
    infra::snapshot s;

    std::vector<std::size_t> backups;
    for (int i = 0; i < 6; ++i) {
        ASSERT_TRUE(store->begin_generation("apply " + std::to_string(i)));
        s = create_one(*store, s, "r" + std::to_string(i));
        ASSERT_TRUE(store->end_generation("ok"));
        backups.push_back(backups_in(place.workspace()));
    }

    EXPECT_EQ(backups, (std::vector<std::size_t>{0, 1, 2, 2, 2, 2}));
    EXPECT_EQ(number_of(place.database(), "SELECT min(number) FROM generation"), 5);
    EXPECT_EQ(number_of(place.database(), "SELECT min(generation) FROM entry"), 5);
    EXPECT_EQ(number_of(place.database(), "SELECT count(*) FROM entry"), 4);
    EXPECT_EQ(*read_only(place.workspace()), s);
}

TEST(SqliteStore, EmptiesItsLogAtTheEndOfAGeneration)
{
    temporary_directory const place;
    auto store = sqlite_store::open(place.workspace(), open_mode::read_write);
    ASSERT_TRUE(store->begin_generation("apply"));
    create_one(*store, {}, "a");
    fs::path const log = place.workspace() / "state.db-wal";
    auto const before = fs::file_size(log);

    ASSERT_TRUE(store->end_generation("ok"));

    EXPECT_GT(before, 0U);
    EXPECT_EQ(fs::file_size(log), 0U);
}

TEST(SqliteStore, MovesALongLogIntoTheDatabaseWhileTheCommandRuns)
{
    temporary_directory const place;
    auto store = sqlite_store::open(place.workspace(), open_mode::read_write);
    ASSERT_TRUE(store->begin_generation("apply"));
    infra::snapshot s;
    for (int i = 0; i < 5; ++i) {
        infra::object large = some_object("x");
        large.attributes = infra::document('"' + std::string(std::size_t{1} << 21U, 'x') + '"');
        std::vector<entry> const batch{
            entry::record(infra::address("terraform_data", "n" + std::to_string(i)), {}, std::move(large))};
        ASSERT_TRUE(replay(s, batch.front()));
        ASSERT_EQ(error_text(store->append_now(batch, s)), "");
    }

    auto const is_moved = [&] { return fs::file_size(place.database()) > std::uintmax_t{1} << 23U; };
    for (int i = 0; i < 2000 && !is_moved(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));

    EXPECT_TRUE(is_moved()) << "another thread moves it";
}

TEST(SqliteStore, EndsAGenerationWhileAReaderUsesTheLog)
{
    temporary_directory const place;
    auto store = sqlite_store::open(place.workspace(), open_mode::read_write);
    ASSERT_TRUE(store->begin_generation("apply"));
    infra::snapshot s = create_one(*store, {}, "a");
    sqlite_database reader(place.database(), open_mode::read_only);
    transaction const reading(reader, database::purpose::reading);
    ASSERT_EQ(reader.pragma("user_version"), 4);
    s = create_one(*store, s, "b");

    auto const begun = std::chrono::steady_clock::now();
    auto const ended = store->end_generation("ok");
    auto const waited = std::chrono::steady_clock::now() - begun;

    EXPECT_TRUE(ended) << error_text(ended);
    EXPECT_LT(waited, std::chrono::seconds(30)) << "the next command empties the log";
    EXPECT_EQ(*read_only(place.workspace()), s);
}

// Truncations by SQLite fail during the lifetime of this object.
class no_truncation {
public:
    no_truncation() { set(&fail); }
    no_truncation(no_truncation const&) = delete;
    auto operator=(no_truncation const&) -> no_truncation& = delete;
    ~no_truncation() { set(nullptr); }

    [[nodiscard]] static auto attempts() -> int { return attempts_; }

private:
    static auto fail(int, off_t) -> int
    {
        ++attempts_;
        errno = EIO;
        return -1;
    }
    static void set(int (*call)(int, off_t))
    {
        auto* const files = ::sqlite3_vfs_find(nullptr);
        files->xSetSystemCall(files, "ftruncate", reinterpret_cast<sqlite3_syscall_ptr>(call));
    }

    inline static std::atomic<int> attempts_ = 0;
};

TEST(SqliteStore, SavesAStateWhoseLogCannotBeTruncated)
{
    temporary_directory const place;
    infra::snapshot s;
    {
        auto store = sqlite_store::open(place.workspace(), open_mode::read_write);
        ASSERT_TRUE(store->begin_generation("apply"));
        s = create_one(*store, s, "a");
        no_truncation const refused;

        auto const ended = store->end_generation("ok");

        EXPECT_TRUE(ended) << error_text(ended);
        EXPECT_GT(refused.attempts(), 0);
    }
    EXPECT_EQ(*read_only(place.workspace()), s);
    auto store = sqlite_store::open(place.workspace(), open_mode::read_write);
    ASSERT_TRUE(store->begin_generation("apply"));
    s = create_one(*store, s, "b");
    EXPECT_TRUE(store->end_generation("ok"));
    EXPECT_EQ(*store->read_now(), s);
    EXPECT_TRUE(store->verify()->passed());
    EXPECT_EQ(fs::file_size(place.workspace() / "state.db-wal"), 0U);
}

TEST(SqliteStore, RejectsARunWithoutFreeSpace)
{
    temporary_directory const place;
    auto store = sqlite_store::open(place.workspace(), open_mode::read_write);
    space_estimate none;
    none.parallelism = 10;
    space_estimate small;
    small.entries = 10;
    space_estimate large;
    large.entries = 10;
    large.record_size = std::uint64_t{1} << 55U;

    EXPECT_TRUE(store->ensure_space(none));
    auto const fits = store->ensure_space(small);
    auto const refused = store->ensure_space(large);

    EXPECT_TRUE(fits);
    ASSERT_FALSE(refused);
    EXPECT_EQ(kind_of(refused.error()), state_error::no_space);
    EXPECT_EQ(exit_code_of(refused.error()), 1);
}

TEST(SqliteStore, ReportsADatabaseOfAnotherProgram)
{
    temporary_directory const place;
    fs::create_directories(place.workspace());
    execute(place.database(), "CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1);");
    std::string const before = read_text(place.database());

    auto const state = read_only(place.workspace());
    auto const writing = sqlite_store::open(place.workspace(), open_mode::read_write);

    EXPECT_EQ(kind_of_result(state), state_error::foreign_database) << error_text(state);
    EXPECT_EQ(kind_of_result(writing), state_error::foreign_database);
    EXPECT_EQ(exit_code_of(state.error()), 4);
    EXPECT_NE(error_text(state).find(place.database().string()), std::string::npos);
    EXPECT_EQ(read_text(place.database()), before);
}

TEST(SqliteStore, ReportsAFileThatIsNotADatabase)
{
    temporary_directory const place;
    fs::create_directories(place.workspace());
    write_text(place.database(), std::string(10000, 'x'));

    auto const state = read_only(place.workspace());

    EXPECT_EQ(kind_of_result(state), state_error::damaged) << error_text(state);
}

TEST(SqliteStore, ReportsANewerFormat)
{
    temporary_directory const place;
    small_state(place);
    execute(place.database(), "PRAGMA user_version = 99");

    auto const state = read_only(place.workspace());

    EXPECT_EQ(kind_of_result(state), state_error::newer_format) << error_text(state);
    EXPECT_EQ(exit_code_of(state.error()), 4);
}

TEST(SqliteStore, NamesTheResourceWhoseRowWasChanged)
{
    temporary_directory const place;
    small_state(place);
    execute(place.database(), "UPDATE resource SET attributes = '{\"id\":\"other\"}'");

    auto const state = read_only(place.workspace());

    ASSERT_EQ(kind_of_result(state), state_error::damaged) << error_text(state);
    EXPECT_EQ(state.error().why().front().address, "terraform_data.a");
    EXPECT_NE(error_text(state).find("terraform_data.a"), std::string::npos);
}

TEST(SqliteStore, NamesTheOutputAndTheOperationWhoseRowsWereChanged)
{
    temporary_directory const place;
    infra::snapshot s = small_state(place);
    std::vector<entry> const batch{
        entry::output("url", {infra::document("\"here\""), infra::document("\"string\""), false}),
        entry::begin(some_operation("left", infra::operation_kind::update, {"terraform_data", "a"}))};
    for (entry const& e : batch) ASSERT_TRUE(replay(s, e));
    {
        auto store = sqlite_store::open(place.workspace(), open_mode::read_write);
        ASSERT_EQ(error_text(store->append_now(batch, s)), "");
    }
    execute(place.database(),
        "UPDATE output SET document = replace(document, 'here', 'there');"
        "UPDATE pending SET document = replace(document, 'null', '1')");

    auto const state = read_only(place.workspace());

    ASSERT_FALSE(state);
    std::vector<std::string> found;
    for (infra::diagnostic const& d : state.error().why()) found.push_back(d.code + " " + d.address);
    EXPECT_EQ(found, (std::vector<std::string>{"state_damaged url", "state_damaged left"}));
}

TEST(SqliteStore, ReportsAMissingRow)
{
    temporary_directory const place;
    small_state(place);
    execute(place.database(), "DELETE FROM resource");

    auto const state = read_only(place.workspace());

    EXPECT_EQ(kind_of_result(state), state_error::damaged) << error_text(state);
}

TEST(SqliteStore, ReportsASecondRowOfOneObject)
{
    temporary_directory const place;
    small_state(place);
    execute(place.database(),
        "INSERT INTO resource SELECT NULL, address, deposed, position, deleted, attributes, document, sha256 FROM "
        "resource");

    auto const state = read_only(place.workspace());

    EXPECT_EQ(kind_of_result(state), state_error::damaged) << error_text(state);
    EXPECT_NE(error_text(state).find("terraform_data.a"), std::string::npos);
}

TEST(SqliteStore, ReportsAChangedSerial)
{
    temporary_directory const place;
    small_state(place);
    execute(place.database(), "UPDATE meta SET serial = serial + 1");

    auto const state = read_only(place.workspace());

    EXPECT_EQ(kind_of_result(state), state_error::damaged) << error_text(state);
}

TEST(SqliteStore, RejectsAContradictoryState)
{
    temporary_directory const place;
    {
        auto store = sqlite_store::open(place.workspace(), open_mode::read_write);
        infra::snapshot s;
        std::vector<entry> const batch{
            entry::record(infra::address("terraform_data", "a"), {}, some_object("a", {"terraform_data.a"}))};
        ASSERT_TRUE(replay(s, batch.front()));
        ASSERT_TRUE(store->append_now(batch, s)) << "a write is never refused for what it says";
    }

    auto const state = read_only(place.workspace());

    EXPECT_EQ(kind_of_result(state), state_error::damaged) << error_text(state);
    EXPECT_EQ(codes_of(state), (std::vector<std::string>{"state_contradictory", "state_depends_on_itself"}));
}

TEST(SqliteStore, DistinguishesALostDatabaseFromNoState)
{
    for (bool const emptied : {false, true}) {
        temporary_directory const place;
        small_state(place);
        if (emptied) write_text(place.database(), "");
        else fs::remove(place.database());

        auto const state = read_only(place.workspace());
        auto const writing = sqlite_store::open(place.workspace(), open_mode::read_write);

        EXPECT_EQ(kind_of_result(state), state_error::damaged) << error_text(state);
        EXPECT_EQ(kind_of_result(writing), state_error::damaged);
        EXPECT_EQ(exit_code_of(state.error()), 4);
    }
}

TEST(SqliteStore, TreatsALockWithoutADatabaseAsALostDatabase)
{
    temporary_directory const place;
    fs::create_directories(place.workspace());
    write_text(place.workspace() / "lock", "");

    auto const state = read_only(place.workspace());

    EXPECT_EQ(kind_of_result(state), state_error::damaged) << error_text(state);
}

TEST(SqliteStore, ReadsADirectoryThatCannotBeWritten)
{
    if (::geteuid() != 0) GTEST_SKIP() << "only root can become another user";
    temporary_directory const place;
    infra::snapshot const s = small_state(place);
    auto const open_to_others = [](fs::path const& file, fs::perms p) {
        fs::permissions(file, p, fs::perm_options::add);
    };
    for (fs::path const& directory : {place.path(), place.workspace().parent_path(), place.workspace()})
        open_to_others(directory, fs::perms::others_read | fs::perms::others_exec);
    for (char const* const file : {"state.db", "state.db-mark"})
        open_to_others(place.workspace() / file, fs::perms::others_read);

    pid_t const child = ::fork();
    if (child == 0) {
        if (::setgid(65534) != 0 || ::setuid(65534) != 0) ::_exit(9);
        auto const state = read_only(place.workspace());
        if (!state || *state != s) ::_exit(1);
        auto store = sqlite_store::open(place.workspace(), open_mode::read_write);
        if (store || kind_of(store.error()) != state_error::not_writable) ::_exit(2);
        if (exit_code_of(store.error()) != 1) ::_exit(3);
        auto fresh = sqlite_store::open(place.path() / ".iacctl" / "other", open_mode::read_write);
        if (!fresh || fresh->begin_generation("apply")) ::_exit(4);
        ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);

    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
    EXPECT_FALSE(fs::exists(place.path() / ".iacctl" / "other"));
}

}  // namespace iacctl::state::test
