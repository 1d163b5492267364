// SPDX-License-Identifier: BSL-1.0
#include "support.hpp"

#include <csignal>
#include <cstdlib>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "state/document/state_v4.hpp"
#include "state/record/commit_mark.hpp"
#include "state/record/document_store.hpp"
#include "state/record/rescue.hpp"

namespace iacctl::state::test {

namespace {

// A closed state with three resources, an output, a pending operation and two generations.
auto make_state(fs::path const& workspace) -> infra::snapshot
{
    auto store = sqlite_store::open(workspace, open_mode::read_write);
    EXPECT_TRUE(store->begin_generation("apply"));
    infra::snapshot s = create_one(*store, {}, "a");
    s = create_one(*store, s, "b");
    std::vector<entry> const batch{
        entry::output("o", {infra::document("\"value\""), infra::document("\"string\""), true}),
        entry::begin(some_operation("op", infra::operation_kind::create, infra::address("terraform_data", "p"))),
        entry::record(infra::address("terraform_data", "c", infra::instance_key("key")), {}, some_object("c"))};
    for (entry const& e : batch) EXPECT_TRUE(replay(s, e));
    EXPECT_TRUE(store->append_now(batch, s));
    EXPECT_TRUE(store->end_generation("ok"));
    return s;
}

// Reads a state in another process, so a crash or an endless loop of the reader does not end the tests.
enum class outcome { same, refused, different, crashed };

auto read_in_child(fs::path const& workspace, infra::snapshot const& expected) -> outcome
{
    pid_t const child = ::fork();
    if (child == 0) {
        ::alarm(20);
        auto store = sqlite_store::open(workspace, open_mode::read_only);
        auto const state = store ? store->read_now() : iacctl::expected<infra::snapshot>(store.error());
        if (!state) {
            infra::failure const why = state.error();
            bool const fine = kind_of(why) != state_error::none && exit_code_of(why) == 4
                && why.why().front().detail.find(workspace.string()) != std::string::npos;
            ::_exit(fine ? 1 : 4);
        }
        ::_exit(*state == expected ? 0 : 2);
    }
    int status = 0;
    if (::waitpid(child, &status, 0) != child || !WIFEXITED(status)) return outcome::crashed;
    switch (WEXITSTATUS(status)) {
    case 0: return outcome::same;
    case 1: return outcome::refused;
    case 2: return outcome::different;
    default: return outcome::crashed;
    }
}

}  // namespace

TEST(Damage, IsAlwaysDetected)
{
    temporary_directory const place;
    infra::snapshot const expected = make_state(place.workspace());
    std::string const sound = read_text(place.database());
    ASSERT_EQ(read_in_child(place.workspace(), expected), outcome::same);

    std::uint64_t const seed = 31;
    std::mt19937_64 random(seed);
    std::map<outcome, int> count;
    auto const below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
    for (int i = 0; i < 400; ++i) {
        std::string damaged = sound;
        std::size_t const at = below(damaged.size());
        // Half of the damage is in used bytes, because a small database consists mostly of empty pages.
        std::size_t const used = damaged.find_first_not_of('\0', at);
        std::size_t const hit = i % 2 == 0 && used != std::string::npos ? used : at;
        switch (i % 5) {
        case 0:
        case 1: damaged[hit] = static_cast<char>(damaged[hit] ^ static_cast<char>(1U << below(8))); break;
        case 2: damaged.replace(hit, std::min<std::size_t>(512, damaged.size() - hit), 512, '\0'); break;
        case 3: damaged.resize(at); break;
        default: {
            std::size_t const from = below(damaged.size() / 4096) * 4096;
            std::size_t const to = below(damaged.size() / 4096) * 4096;
            damaged.replace(to, 4096, damaged.substr(from, 4096));
        }
        }
        fs::remove(place.workspace() / "state.db-wal");
        fs::remove(place.workspace() / "state.db-shm");
        write_text(place.database(), damaged);

        outcome const result = read_in_child(place.workspace(), expected);

        ++count[result];
        ASSERT_TRUE(result == outcome::same || result == outcome::refused)
            << "seed " << seed << ", damage " << i << " at " << hit << " is "
            << (result == outcome::crashed ? "a crash" : "not noticed");
    }
    EXPECT_GT(count[outcome::same], 0);
    EXPECT_GT(count[outcome::refused], 100);
}

TEST(Damage, IsReportedInEachPartOfALargeState)
{
    temporary_directory const place;
    infra::snapshot expected;
    {
        auto store = sqlite_store::open(place.workspace(), open_mode::read_write);
        ASSERT_TRUE(store->begin_generation("apply"));
        // The order of the file is not that of addresses.
        for (std::int64_t i = 0; i < 6000;) {
            std::vector<entry> batch;
            for (std::int64_t const end = i + 1000; i < end; ++i) {
                infra::address const target("terraform_data", "a", infra::instance_key((i * 7919) % 6000));
                batch.push_back(entry::record(target, {}, some_object(std::to_string(i))));
                ASSERT_TRUE(replay(expected, batch.back()));
            }
            ASSERT_TRUE(store->append_now(batch, expected));
        }
        ASSERT_TRUE(store->end_generation("ok"));
        expected.lineage = store->lineage();
    }
    ASSERT_EQ(read_in_child(place.workspace(), expected), outcome::same);

    execute(place.database(), "UPDATE resource SET attributes = '{}' WHERE number % 1000 = 1");
    auto store = sqlite_store::open(place.workspace(), open_mode::read_only);
    auto const state = store->read_now();
    ASSERT_FALSE(state);
    std::set<std::string> damaged;
    for (infra::diagnostic const& one : state.error().why()) damaged.insert(one.address);
    EXPECT_EQ(damaged.size(), 6) << "one row of each batch";
}

TEST(Crash, LosesNoAcknowledgedWrite)
{
    for (std::uint64_t seed = 41; seed <= 52; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        temporary_directory const place;
        int channel[2];
        ASSERT_EQ(::pipe(channel), 0);

        pid_t const child = ::fork();
        if (child == 0) {
            random_history history(seed);
            auto store = sqlite_store::open(place.workspace(), open_mode::read_write);
            for (std::uint64_t appends = 1; appends <= 2000; ++appends) {
                auto const batch = history.batch(3);
                if (!store->append_now(batch, history.model())) ::_exit(1);
                if (::write(channel[1], &appends, sizeof appends) != sizeof appends) ::_exit(2);
            }
            ::_exit(0);
        }
        ::close(channel[1]);
        std::mt19937_64 random(seed);
        std::uint64_t const wanted = std::uniform_int_distribution<std::uint64_t>(0, 30)(random);
        std::uint64_t acknowledged = 0;
        while (acknowledged < wanted && ::read(channel[0], &acknowledged, sizeof acknowledged) == sizeof acknowledged) {
        }
        ::usleep(std::uniform_int_distribution<useconds_t>(0, 3000)(random));
        ::kill(child, SIGKILL);
        int status = 0;
        ::waitpid(child, &status, 0);
        while (::read(channel[0], &acknowledged, sizeof acknowledged) == sizeof acknowledged) {}
        ::close(channel[0]);
        ASSERT_TRUE(WIFSIGNALED(status)) << "the writer ended before it was killed";

        auto store = sqlite_store::open(place.workspace(), open_mode::read_write);
        ASSERT_TRUE(store) << error_text(store);
        auto const state = store->read_now();
        ASSERT_TRUE(state) << error_text(state);

        // The state is the result of the first appends: all acknowledged ones, and at most one more.
        random_history history(seed);
        for (std::uint64_t i = 0; i < acknowledged; ++i) [[maybe_unused]]
            auto const batch = history.batch(3);
        history.model().lineage = state->lineage;
        infra::snapshot const least = history.model();
        [[maybe_unused]] auto const batch = history.batch(3);
        infra::snapshot const most = history.model();
        bool const least_is_empty = acknowledged == 0 && state->lineage.empty() && *state == infra::snapshot();
        EXPECT_TRUE(least_is_empty || *state == least || *state == most) << acknowledged << " were acknowledged";
    }
}

// Runs in a child process, because a limit cannot be raised again and signals affect the whole process.
template <class F>
auto exit_code_in_child(F work) -> int
{
    pid_t const child = ::fork();
    if (child == 0) ::_exit(work());
    int status = 0;
    if (::waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
    return WEXITSTATUS(status);
}

TEST(FullDisk, FailsTheAppendAndKeepsEarlierEntries)
{
    temporary_directory const place;
    make_state(place.workspace());

    int const code = exit_code_in_child([&]() -> int {
        auto store = sqlite_store::open(place.workspace(), open_mode::read_write);
        if (!store) return 1;
        auto const before = store->read_now();
        if (!before) return 2;
        infra::snapshot s = *before;
        ::signal(SIGXFSZ, SIG_IGN);
        rlimit const limit{256 * 1024, 256 * 1024};
        if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return 3;

        infra::snapshot saved = s;
        expected<void> appended;
        for (int i = 0; i < 1000 && appended; ++i) {
            saved = s;
            infra::object large = some_object("x");
            large.attributes = infra::document('"' + std::string(20000, 'x') + '"');
            std::vector<entry> const batch{
                entry::record(infra::address("terraform_data", "n" + std::to_string(i)), {}, std::move(large))};
            if (!replay(s, batch.front())) return 4;
            appended = store->append_now(batch, s);
        }
        if (kind_of_result(appended) != state_error::not_saved) return 5;
        if (store->condition() || exit_code_of(store->condition().error()) != 5) return 6;
        std::vector<entry> const small{entry::output_removed("none")};
        if (store->append_now(small, s)) return 7;
        auto reader = sqlite_store::open(place.workspace(), open_mode::read_only);
        auto const now = reader ? reader->read_now() : expected<infra::snapshot>(reader.error());
        if (!now) return 8;
        return *now == saved ? 0 : 9;
    });

    EXPECT_EQ(code, 0);
}

TEST(FullDisk, RejectsAGenerationBeforeAnyOperation)
{
    temporary_directory const place;
    infra::snapshot const s = make_state(place.workspace());

    int const code = exit_code_in_child([&]() -> int {
        auto store = sqlite_store::open(place.workspace(), open_mode::read_write);
        ::signal(SIGXFSZ, SIG_IGN);
        rlimit const limit{4096, 4096};
        if (!store || ::setrlimit(RLIMIT_FSIZE, &limit) != 0) return 1;
        auto const generation = store->begin_generation("apply");
        if (generation) return 2;
        return exit_code_of(generation.error()) == 1 ? 0 : 3;
    });

    EXPECT_EQ(code, 0);
    auto store = sqlite_store::open(place.workspace(), open_mode::read_only);
    EXPECT_EQ(*store->read_now(), s);
}

// Files of this process grow no further during the lifetime of this object.
class limited_files {
public:
    explicit limited_files(rlim_t bytes)
    {
        ::getrlimit(RLIMIT_FSIZE, &before_);
        rlimit const limit{bytes, before_.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    limited_files(limited_files const&) = delete;
    auto operator=(limited_files const&) -> limited_files& = delete;
    ~limited_files()
    {
        ::setrlimit(RLIMIT_FSIZE, &before_);
        ::signal(SIGXFSZ, on_signal_);
    }

private:
    rlimit before_{};
    void (*on_signal_)(int) = ::signal(SIGXFSZ, SIG_IGN);
};

TEST(FullDisk, LeavesNoPartOfABackup)
{
    temporary_directory const place;
    infra::snapshot const s = make_state(place.workspace());
    auto store = sqlite_store::open(place.workspace(), open_mode::read_write);
    ASSERT_TRUE(store) << error_text(store);

    auto const begun = [&] {
        limited_files const full(4096);
        return store->begin_generation("apply");
    }();

    EXPECT_FALSE(begun);
    EXPECT_TRUE(fs::is_empty(place.workspace() / "backups"));
    EXPECT_EQ(*read_only(place.workspace()), s);
}

TEST(FullDisk, LeavesNoPartOfADatabaseOfDocuments)
{
    temporary_directory const place;
    fs::path const served = place.path() / "served";

    auto const refused = [&] {
        limited_files const full(4096);
        return document_store::open(served);
    }();

    EXPECT_EQ(codes_of(refused), std::vector<std::string>{"served_states_unusable"});
    EXPECT_TRUE(fs::is_empty(served));
    EXPECT_TRUE(document_store::open(served));
}

TEST(FullDisk, LeavesNoPartOfAMark)
{
    temporary_directory const place;
    fs::path const file = place.path() / "mark";

    int const code = exit_code_in_child([&]() -> int {
        ::signal(SIGXFSZ, SIG_IGN);
        rlimit const limit{10, 10};
        if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return 1;
        return commit_mark::make(file, {1, 2}) ? 0 : 2;
    });

    EXPECT_EQ(code, 0);
    EXPECT_TRUE(fs::is_empty(place.path()));
}

TEST(Rescue, WritesTheWholeStateIntoTheSpool)
{
    temporary_directory const place;
    infra::snapshot const s = make_state(place.workspace());
    rescue_places places;
    places.workspace_directory = place.workspace();

    rescue_copy const copy = write_rescue(s, places, "The disk is full.");

    ASSERT_EQ(copy.place, rescue_copy::place_type::file);
    EXPECT_EQ(copy.file.parent_path(), place.workspace() / "spool");
    EXPECT_EQ(exit_code_of(infra::failure(copy.reported)), 5);
    EXPECT_NE(copy.reported.detail.find("\n\n    iacctl state push " + copy.file.string()), std::string::npos);
    v4_additions more;
    auto const read = from_v4(read_text(copy.file), &more);
    ASSERT_TRUE(read) << error_text(read);
    EXPECT_TRUE(more.reports_operations);
    infra::snapshot newer = s;
    ++newer.serial;
    EXPECT_EQ(*read, newer);
    EXPECT_EQ(std::distance(fs::directory_iterator(copy.file.parent_path()), fs::directory_iterator()), 1);
}

TEST(Rescue, NamesTheFileThatTheCopyRestores)
{
    temporary_directory const place;
    rescue_places places;
    places.workspace_directory = place.workspace();
    places.options = " -state=f";

    rescue_copy const copy = write_rescue({}, places, {});

    EXPECT_NE(copy.reported.detail.find("\n\n    iacctl state push -state=f " + copy.file.string()), std::string::npos);
}

TEST(Rescue, UsesTheEmergencyDirectoryIfTheSpoolCannotBeWritten)
{
    temporary_directory const place;
    write_text(place.path() / "not-a-directory", "");
    rescue_places places;
    places.workspace_directory = place.path() / "not-a-directory";
    places.emergency_directory = place.path() / "emergency";

    rescue_copy const copy = write_rescue({}, places, {});

    ASSERT_EQ(copy.place, rescue_copy::place_type::file);
    EXPECT_EQ(copy.file.parent_path(), place.path() / "emergency");
    EXPECT_TRUE(from_v4(read_text(copy.file)));
}

TEST(Rescue, PrintsTheStateWhenNoFileCanBeWritten)
{
    temporary_directory const place;
    write_text(place.path() / "not-a-directory", "");
    rescue_places places;
    places.workspace_directory = place.path() / "not-a-directory";
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> const output(
        std::fopen((place.path() / "output").c_str(), "w"), &std::fclose);
    ASSERT_TRUE(output);
    places.output = ::fileno(output.get());

    rescue_copy const copy = write_rescue({}, places, {});

    EXPECT_EQ(copy.place, rescue_copy::place_type::output);
    EXPECT_TRUE(from_v4(read_text(place.path() / "output")));
}

}  // namespace iacctl::state::test
