// SPDX-License-Identifier: BSL-1.0
#include "workload.hpp"

#include "iacctl/state/support.hpp"

#include <base/durable_file.hpp>
#include <state/backends/file_state.hpp>
#include <state/backends/remote_backend.hpp>
#include <state/document/difference.hpp>
#include <state/document/state_v4.hpp>
#include <state/encryption/target.hpp>
#include <state/record/check.hpp>
#include <state/record/local_backend.hpp>
#include <state/record/rescue.hpp>
#include <state/record/restore.hpp>
#include <state/record/sqlite_database.hpp>
#include <state/record/sqlite_store.hpp>
#include <state/record/workspace_files.hpp>
#include <workspace/pushed_state.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <stdexcept>
#include <thread>
#include <utility>

namespace iacctl::durability {

namespace {

using namespace state;
using namespace state::test;
using result_type = verdict::result_type;
using batch_type = std::vector<entry>;

/// Entries in batches, and the state after each batch; `states[0]` is the state before.
struct script {
    std::vector<batch_type> batches;
    std::vector<infra::snapshot> states{1};
    std::size_t generation_length = 6;  ///< batches of one command

    void add(batch_type batch)
    {
        infra::snapshot after = states.back();
        for (entry const& e : batch)
            if (!replay(after, e)) throw std::logic_error("an entry of a workload does not fit");
        states.push_back(std::move(after));
        batches.push_back(std::move(batch));
    }
};

auto random_script(std::uint64_t seed, std::size_t length) -> script
{
    script made;
    random_history history(seed);
    while (made.batches.size() < length) made.add(history.batch(3));
    made.generation_length = 3 + seed % 4;
    return made;
}

// The entries of three applies and a destroy: creates, updates, replacements in both orders, failures.
auto apply_script() -> script
{
    script made;
    std::uint64_t operations = 0;
    using kind = infra::operation_kind;
    auto const address = [](int i) { return infra::address("terraform_data", "r" + std::to_string(i)); };
    auto const object = [](std::string const& id, int dependency) {
        return some_object(id,
            dependency < 0 ? std::vector<std::string>() : std::vector{"terraform_data.r" + std::to_string(dependency)});
    };
    auto const call = [&](kind what, int i, std::string const& deposed, std::optional<infra::object> result,
                          bool failed) {
        auto p = some_operation("operation-" + std::to_string(++operations), what, address(i));
        p.deposed_key = deposed;
        made.add({entry::begin(p)});
        made.add({entry::end(p, std::move(result), failed)});
    };
    for (int i = 0; i < 6; ++i) call(kind::create, i, {}, object("first", i - 1), false);
    made.add({entry::output("o", {infra::document("\"v\""), infra::document("\"string\""), false})});
    call(kind::update, 0, {}, object("updated", -1), false);
    call(kind::destroy, 1, {}, std::nullopt, false);  // replaced: destroy, then create
    call(kind::create, 1, {}, object("second", 0), false);
    call(kind::create, 2, "00000001", object("second", 1), false);  // replaced: create, then destroy
    call(kind::destroy, 2, "00000001", std::nullopt, false);
    call(kind::create, 3, "00000002", std::nullopt, true);  // the deposed object is the current one again
    call(kind::update, 4, {}, object("partial", 3), true);
    infra::object tainted = object("tainted", 4);
    tainted.tainted = true;
    call(kind::create, 6, {}, tainted, true);
    call(kind::create, 5, "00000003", object("second", 4), false);
    call(kind::destroy, 5, "00000003", object("first", 4), true);  // a deposed object remains
    call(kind::destroy, 5, "00000003", std::nullopt, false);
    call(kind::destroy, 6, {}, std::nullopt, false);
    made.add({entry::output_removed("o")});
    made.generation_length = 13;
    return made;
}

auto workspace_of(fs::path const& root) -> fs::path
{
    return root / ".iacctl" / "default";
}

// A store, and what must outlive it.
struct opened_store {
    std::unique_ptr<backend> in;
    std::unique_ptr<held_lock> lock;
    std::unique_ptr<store> at;
};
using store_opener = std::function<opened_store(open_mode)>;
using opener_for = std::function<store_opener(fs::path const& root)>;

auto plain_files(fs::path const& root) -> workspace_files
{
    return workspace_files(workspace_of(root));
}

auto database_of(workspace_files files) -> store_opener
{
    return [files = std::move(files)](open_mode mode) {
        auto store = std::make_unique<sqlite_store>(files, mode);
        // Old backups and entries are removed too.
        store->set_retention_policy({1, 0});
        return opened_store{{}, {}, std::move(store)};
    };
}

auto plain_database(fs::path const& root) -> store_opener
{
    return database_of(plain_files(root));
}

// A state file of another program as the server, with a mirror below the workspace.
auto mirrored_file(fs::path const& root) -> store_opener
{
    return [=](open_mode mode) {
        fs::path const file = root / "terraform.tfstate";
        opened_store made;
        made.in = std::make_unique<backends::remote_backend>(
            backends::make_file_state({file, file, {}}), root / ".iacctl" / "remote", nullptr);
        lock_request asked;
        asked.operation = "apply";
        if (mode == open_mode::read_write)
            if (auto held = made.in->lock("default", asked)) made.lock = std::move(*held);
        made.at = made.in->open("default", mode);
        return made;
    };
}

auto without_lineage(infra::snapshot s) -> infra::snapshot
{
    s.lineage.clear();
    return s;
}

// Plays a script from one of its batches on, divided into commands.
auto play(script const& of, store_opener const& open, std::size_t from, reporter const& report) -> bool
{
    opened_store const opened = open(open_mode::read_write);
    store& store = *opened.at;
    if (auto const now = store.read_now(); !now) return false;
    bool complete = true;
    for (std::size_t i = from; i < of.batches.size(); ++i) {
        if (i == from || i % of.generation_length == 0) {
            if (i != from && !store.end_generation("complete")) complete = false;
            if (!store.begin_generation("apply")) return false;
            report(i);  // what it has read is durable
        }
        if (!store.append_now(of.batches[i], of.states[i + 1])) return false;
        report(i + 1);
    }
    return store.end_generation("complete") && complete;
}

auto describe(infra::snapshot const& s) -> std::string
{
    return "serial " + std::to_string(s.serial) + ", " + std::to_string(s.resources.size()) + " resources, "
        + std::to_string(s.pending.size()) + " pending";
}

// The state must be the last reported one or a later one: one more batch may have been in progress.
auto judge_script(script const& of, store_opener const& open, std::uint64_t reported, reporter const& report) -> verdict
{
    std::size_t reached = reported;
    {
        opened_store const opened = open(open_mode::read_write);
        store& store = *opened.at;
        auto const now = store.read_now();
        if (!now) return {result_type::lost, error_text(now)};
        infra::snapshot const found = without_lineage(*now);
        while (reached < of.states.size() && reached <= reported + 1 && of.states[reached] != found) ++reached;
        if (reached == of.states.size() || reached > reported + 1) {
            bool const earlier = std::find(of.states.begin(), of.states.end(), found) != of.states.end();
            return {earlier ? result_type::lost : result_type::different,
                "reported: " + std::to_string(reported) + ", found: " + describe(found)};
        }
        if (reached > 0) {
            auto const checked = store.verify();
            if (!checked) return {result_type::lost, "verify: " + error_text(checked)};
            if (!checked->passed())
                return {result_type::lost, "verify: " + error_text(infra::failure(checked->problems))};
        }
    }
    if (!play(of, open, reached, report)) return {result_type::lost, "the rest cannot be written"};
    auto const end = open(open_mode::read_only).at->read_now();
    if (!end) return {result_type::lost, "at the end: " + error_text(end)};
    if (without_lineage(*end) != of.states.back())
        return {result_type::different, "does not converge: " + describe(*end)};
    return {};
}

// A backup with its last name is complete, whenever the power failed. Returns the reason why one is not.
auto damaged_backup(workspace_files const& files) -> std::string
{
    std::error_code missing;
    for (fs::directory_iterator it(files.backups(), missing), end; !missing && it != end; it.increment(missing)) {
        if (it->path().extension() != ".db") continue;
        std::string const name = it->path().filename().string() + ": ";
        try {
            field_hasher hasher;
            sqlite_database db(it->path(), open_mode::read_only);
            db.preserve();
            if (auto const content = read_state(db, files, hasher); !content) return name + error_text(content);
        } catch (database_error const& failed) {
            return name + failed.what();
        }
    }
    return {};
}

auto scripted(std::string name, script of, opener_for const& at = plain_database) -> workload
{
    auto const shared = std::make_shared<script const>(std::move(of));
    return {std::move(name), [](fs::path const&) {},
        [=](fs::path const& root, reporter const& report) { return play(*shared, at(root), 0, report); },
        shared->batches.size(),
        [=](fs::path const& root, std::uint64_t reported, reporter const& report) {
            if (std::string why = damaged_backup(plain_files(root)); !why.empty())
                return verdict{result_type::lost, "backup " + why};
            return judge_script(*shared, at(root), reported, report);
        }};
}

// The log of a process that was killed, which the next one recovers.
auto recovery(std::uint64_t seed) -> workload
{
    auto const whole = std::make_shared<script const>(random_script(seed, 9));
    auto const head = std::make_shared<script>(*whole);
    head->batches.resize(5);
    workload made;
    made.name = "recovery";
    made.steps = whole->batches.size();
    made.prepare = [=](fs::path const& root) {
        fs::path const living = root / "living";
        sqlite_store store(plain_files(living), open_mode::read_write);
        for (std::size_t i = 0; i < head->batches.size(); ++i)
            if (!store.append_now(head->batches[i], head->states[i + 1])) throw std::runtime_error("cannot prepare");
        fs::copy(living / ".iacctl", root / ".iacctl", fs::copy_options::recursive);
        fs::remove(workspace_of(root) / "state.db-shm");
    };
    made.run = [=](fs::path const& root, reporter const& report) {
        report(head->batches.size());
        return play(*whole, plain_database(root), head->batches.size(), report);
    };
    made.judge = [=](fs::path const& root, std::uint64_t reported, reporter const& report) {
        auto const least = std::max<std::uint64_t>(reported, head->batches.size());
        return judge_script(*whole, plain_database(root), least, report);
    };
    return made;
}

// A database of an earlier format, which the first command that writes converts.
auto upgrade(fs::path const& sample) -> workload
{
    auto const of = std::make_shared<script>();
    workload made;
    made.name = "upgrade of format " + sample.filename().string();
    made.steps = 3;
    auto const prepare = [=](fs::path const& root) {
        fs::create_directories(workspace_of(root) / "backups");
        for (char const* const name : {"state.db", "state.db-mark"})
            if (fs::exists(sample / name)) fs::copy_file(sample / name, workspace_of(root) / name);
        write_text(workspace_of(root) / "lock", "");
    };
    temporary_directory const place;
    prepare(place.path());
    auto const before = sqlite_store(plain_files(place.path()), open_mode::read_only).read_now();
    if (!before) throw std::runtime_error("the sample " + sample.string() + " cannot be read: " + error_text(before));
    of->states.front() = without_lineage(*before);
    for (int i = 0; i < 3; ++i)
        of->add({entry::record(infra::address("terraform_data", "new" + std::to_string(i)), {}, some_object("new"))});
    made.prepare = prepare;
    made.run = [=](fs::path const& root, reporter const& report) { return play(*of, plain_database(root), 0, report); };
    made.judge = [=](fs::path const& root, std::uint64_t reported, reporter const& report) {
        return judge_script(*of, plain_database(root), reported, report);
    };
    return made;
}

auto key_target(fs::path const& root, std::string const& digits) -> store_opener
{
    std::vector<encryption::method> methods;
    for (char const digit : digits) {
        fs::path const file = root / (std::string("key-") + digit);
        methods.push_back({std::string("method.aes_gcm.") + digit,
            encryption::make_key_file(std::string("key_provider.file.") + digit, file), {}});
    }
    return database_of(
        workspace_files(workspace_of(root), std::make_shared<encryption::target const>("state", std::move(methods))));
}

// Another key for records and backups.
auto rollover(std::uint64_t seed) -> workload
{
    auto const whole = std::make_shared<script const>(random_script(seed, 6));
    workload made;
    made.name = "change of the key";
    made.steps = whole->batches.size();
    std::size_t const head = 3;
    made.prepare = [=](fs::path const& root) {
        for (char const digit : {'1', '2'})
            write_text(root / (std::string("key-") + digit), std::string(64, digit) + "\n");
        script first = *whole;
        first.batches.resize(head);
        if (!play(first, key_target(root, "1"), 0, [](std::uint64_t) {})) throw std::runtime_error("cannot prepare");
    };
    made.run = [=](fs::path const& root, reporter const& report) {
        report(head);
        return play(*whole, key_target(root, "21"), head, report);
    };
    made.judge = [=](fs::path const& root, std::uint64_t reported, reporter const& report) {
        return judge_script(*whole, key_target(root, "21"), std::max<std::uint64_t>(reported, head), report);
    };
    return made;
}

// A damaged database that is replaced. After a crash in between, the damage is reported, and the same command completes
// the work.
auto repair(std::string name, std::function<bool(workspace_files const&)> const& put, bool has_log,
    std::size_t expected) -> workload
{
    auto const of = std::make_shared<script const>([] {
        script made;
        for (int i = 0; i < 4; ++i)
            made.add({entry::record(infra::address("terraform_data", "r" + std::to_string(i)), {}, some_object("x"))});
        return made;
    }());
    workload made;
    made.name = std::move(name);
    made.steps = 1;
    made.prepare = [=](fs::path const& root) {
        std::optional<sqlite_database> second;  // a connection that keeps the log
        for (std::size_t const i : {0U, 2U}) {
            if (i == 2 && has_log) second.emplace(plain_files(root).database(), open_mode::read_write);
            sqlite_store store(plain_files(root), open_mode::read_write);
            if (!store.begin_generation("apply") || !store.append_now(of->batches[i], of->states[i + 1])
                || !store.append_now(of->batches[i + 1], of->states[i + 2]) || !store.end_generation("complete"))
                throw std::runtime_error("cannot prepare");
        }
        if (!second) second.emplace(plain_files(root).database(), open_mode::read_write);
        second->preserve(has_log);
        if (second
                ->prepare("UPDATE resource SET attributes = replace(attributes, '\"id\":\"x\"', '\"id\":\"y\"')"
                          " WHERE address LIKE '%r3'")
                .run()
            != 1)
            throw std::runtime_error("no record to damage");
    };
    made.run = [=](fs::path const& root, reporter const& report) {
        if (!put(plain_files(root))) return false;
        report(1);
        return true;
    };
    made.judge = [=](fs::path const& root, std::uint64_t reported, reporter const&) -> verdict {
        auto const read = [&] { return sqlite_store(plain_files(root), open_mode::read_only).read_now(); };
        auto now = read();
        if (!now && reported > 0) return {result_type::lost, error_text(now)};
        if (!now && exit_code_of(now.error()) != 4) return {result_type::lost, "no exit code 4: " + error_text(now)};
        if (!now) {
            if (!put(plain_files(root)))
                return {result_type::lost, "cannot be repaired again after: " + error_text(now)};
            now = read();
            if (!now) return {result_type::lost, "after the second repair: " + error_text(now)};
        }
        if (now->resources.size() == expected) return {};
        return {result_type::different, describe(*now)};
    };
    return made;
}

// The work of one of several operators on its own objects. Sets of dependencies are shared with other operators.
auto operator_script(std::uint64_t seed, std::string const& who, std::size_t length) -> script
{
    script made;
    std::mt19937_64 random(seed);
    infra::dependency_set const shared({"t.shared"}, {infra::dependency_set({"t.of_all"}, {})});
    for (int number = 0; made.batches.size() < length; ++number) {
        using kind = infra::operation_kind;
        infra::address const target("terraform_data", who + std::to_string(random() % 3));
        bool const exists = made.states.back().find(target) != nullptr;
        auto const what = !exists ? kind::create : random() % 3 == 0 ? kind::destroy : kind::update;
        auto const p = some_operation(who + "-" + std::to_string(number), what, target);
        std::optional<infra::object> result;
        if (what != kind::destroy) {
            result = some_object(who + std::to_string(number));
            result->dependencies = infra::dependency_set({"t." + who + std::to_string(random() % 2)}, {shared});
        }
        made.add({entry::begin(p)});
        made.add({entry::end(p, std::move(result), false)});
        if (random() % 4 == 0)
            made.add(
                {entry::output(who, {infra::document(std::to_string(number)), infra::document("\"number\""), false})});
    }
    made.generation_length = 4 + random() % 3;
    return made;
}

// An operator with locks of its parts, which plays a script from one of its batches on.
class running_operator {
public:
    running_operator(fs::path const& root, std::string const& who, script const& of, std::size_t from)
        : in_(root),
          of_(&of),
          first_(from),
          next_(from)
    {
        lock_request asked;
        asked.operation = "apply";
        asked.parts.emplace();
        for (int i = 0; i < 3; ++i) asked.parts->written.push_back("terraform_data." + who + std::to_string(i));
        asked.parts->written.push_back(state_parts::name_of_output(who));
        auto held = in_.lock("default", asked);
        if (!held) return;
        held_ = std::move(*held);
        store_ = in_.open("default", open_mode::read_write);
        dynamic_cast<sqlite_store&>(*store_).set_retention_policy({1, 0});
        auto now = store_->read_now();
        works_ = now.has_value();
        is_open_ = works_;
        if (now) model_ = std::move(*now);
    }
    [[nodiscard]] auto is_complete() const noexcept -> bool { return next_ == of_->batches.size(); }
    [[nodiscard]] auto done() const noexcept -> std::size_t { return next_; }
    /// Writes one batch. \param begun  what it has read is durable \return false: an error was reported
    auto step(std::function<void()> const& begun = [] {}) -> bool
    {
        if (works_ && (next_ == first_ || next_ % of_->generation_length == 0)) {
            works_ = (next_ == first_ || store_->end_generation("complete")) && store_->begin_generation("apply");
            if (works_) begun();
        }
        if (!works_) return false;
        for (entry const& e : of_->batches[next_])
            if (!replay(model_, e)) throw std::logic_error("an entry of an operator does not fit");
        works_ = store_->append_now(of_->batches[next_], model_).has_value();
        if (works_) ++next_;
        return works_;
    }
    /// The state with all batches, also with one that could not be written. \pre is_open()
    [[nodiscard]] auto model() const -> infra::snapshot
    {
        infra::snapshot whole = model_;
        if (auto const saved = store_->saved_serial()) whole.serial = *saved;  // as an apply does
        return whole;
    }
    [[nodiscard]] auto is_open() const noexcept -> bool { return is_open_; }
    /// As an apply that could not save its state.
    [[nodiscard]] auto places(rescue_places with) const -> rescue_places
    {
        with.lineage = store_->lineage();
        with.replaces = store_->replaceable_ids();
        return with;
    }
    auto finish() -> bool { return works_ && (next_ == first_ || store_->end_generation("complete")); }

private:
    local_backend in_;
    script const* of_;
    std::size_t first_;
    std::size_t next_;
    infra::snapshot model_;
    std::unique_ptr<held_lock> held_;
    std::unique_ptr<store> store_;
    bool works_ = false;
    bool is_open_ = false;
};

// Two operators on one workspace, with locks of different parts.
struct operator_pair {
    static constexpr std::uint64_t radix = 1000;  // of the numbers of complete batches of both, as one number
    static constexpr std::array<char const*, 2> names{"ann", "bob"};

    std::array<script, 2> of;
    std::uint64_t seed = 0;
    bool in_turn = true;  // false: each on a thread of its own

    [[nodiscard]] auto steps() const -> std::uint64_t { return of[0].batches.size() * radix + of[1].batches.size(); }
    [[nodiscard]] auto play(fs::path const& root, std::array<std::size_t, 2> from, reporter const& report) const -> bool
    {
        std::mutex guard;
        auto const tell = [&](std::size_t who, std::size_t done) {
            std::lock_guard const lock(guard);
            from[who] = done;
            report(from[0] * radix + from[1]);
        };
        running_operator ann(root, names[0], of[0], from[0]);
        running_operator bob(root, names[1], of[1], from[1]);
        std::array<running_operator*, 2> const both{&ann, &bob};
        std::array<bool, 2> works{true, true};
        auto const step = [&](std::size_t who) {
            works[who] = both[who]->step([&] { tell(who, both[who]->done()); });
            if (works[who]) tell(who, both[who]->done());
        };
        auto const finish = [&](std::size_t who) { works[who] = works[who] && both[who]->finish(); };
        auto const goes_on = [&](std::size_t who) { return works[who] && !both[who]->is_complete(); };
        if (in_turn) {
            std::mt19937_64 random(seed);
            while (goes_on(0) || goes_on(1))
                if (std::size_t const who = random() % 2; goes_on(who)) step(who);
            for (std::size_t const who : {0U, 1U}) finish(who);
        } else {
            auto const work = [&](std::size_t who) {
                while (goes_on(who)) step(who);
                finish(who);
            };
            std::jthread const other([&] { work(1); });
            work(0);
        }
        return works[0] && works[1];
    }
    // The state after these numbers of batches of the two operators.
    [[nodiscard]] auto state(std::size_t ann, std::size_t bob) const -> infra::snapshot
    {
        infra::snapshot both = of[0].states[ann];
        infra::snapshot other = of[1].states[bob];
        both.serial += other.serial;
        both.resources.merge(other.resources);
        both.outputs.merge(other.outputs);
        both.pending.merge(other.pending);
        return both;
    }
    [[nodiscard]] auto judge(fs::path const& root, std::uint64_t reported, reporter const& report) const -> verdict
    {
        std::array<std::size_t, 2> reached{reported / radix, reported % radix};
        {
            sqlite_store store(plain_files(root), open_mode::read_write);
            auto const now = store.read_now();
            if (!now) return {result_type::lost, error_text(now)};
            infra::snapshot const found = without_lineage(*now);
            auto const find = [&] {
                for (std::size_t a = reached[0]; a < std::min(reached[0] + 2, of[0].states.size()); ++a)
                    for (std::size_t b = reached[1]; b < std::min(reached[1] + 2, of[1].states.size()); ++b)
                        if (state(a, b) == found) {
                            reached = {a, b};
                            return true;
                        }
                return false;
            };
            if (!find()) {
                std::string const least = describe(state(reached[0], reached[1]));
                bool const less = found.serial < state(reached[0], reached[1]).serial;
                return {less ? result_type::lost : result_type::different,
                    "reported: " + least + ", found: " + describe(found)};
            }
            if (reached != std::array<std::size_t, 2>{}) {
                auto const checked = store.verify();
                if (!checked) return {result_type::lost, "verify: " + error_text(checked)};
                if (!checked->passed())
                    return {result_type::lost, "verify: " + error_text(infra::failure(checked->problems))};
            }
        }
        if (!play(root, reached, report)) return {result_type::lost, "the rest cannot be written"};
        auto const end = sqlite_store(plain_files(root), open_mode::read_only).read_now();
        if (!end) return {result_type::lost, "at the end: " + error_text(end)};
        if (without_lineage(*end) == state(of[0].batches.size(), of[1].batches.size())) return {};
        return {result_type::different, "does not converge: " + describe(*end)};
    }
};

auto operators_at_work(std::uint64_t seed, bool in_turn) -> workload
{
    auto const pair = std::make_shared<operator_pair>();
    pair->seed = seed;
    pair->in_turn = in_turn;
    for (std::size_t const who : {0U, 1U})
        pair->of.at(who) = operator_script(seed * 2 + who, operator_pair::names.at(who), 11);
    workload made;
    made.name =
        "two operators " + std::string(in_turn ? "in turn" : "at the same time") + ", seed " + std::to_string(seed);
    made.steps = pair->steps();
    made.prepare = [](fs::path const&) {};
    made.run = [=](fs::path const& root, reporter const& report) { return pair->play(root, {}, report); };
    made.judge = [=](fs::path const& root, std::uint64_t reported, reporter const& report) {
        return pair->judge(root, reported, report);
    };
    return made;
}

// A file that is replaced has the old content or the new one.
auto replacement() -> workload
{
    auto const text = [](char c) { return std::string(5000, c); };
    workload made;
    made.name = "replacement of a file";
    made.steps = 1;
    made.prepare = [=](fs::path const& root) { write_text(root / "file", text('a')); };
    made.run = [=](fs::path const& root, reporter const& report) {
        if (replace_file(root / "file", text('b'), 0600)) return false;
        report(1);
        return true;
    };
    made.judge = [=](fs::path const& root, std::uint64_t, reporter const&) -> verdict {
        std::string const now = read_text(root / "file");
        if (now == text('a') || now == text('b')) return {};
        return {now.empty() ? result_type::lost : result_type::different, std::to_string(now.size()) + " bytes"};
    };
    return made;
}

// When the place of a rescue copy is reported, the copy contains the complete state.
auto rescue() -> workload
{
    auto const of = std::make_shared<script const>(apply_script());
    auto const state = std::make_shared<infra::snapshot>(of->states[20]);
    state->lineage = "lineage";
    workload made;
    made.name = "rescue copy";
    made.steps = 1;
    made.prepare = [=](fs::path const& root) {
        if (!plain_files(root).make()) throw std::runtime_error("cannot prepare");
    };
    made.run = [=](fs::path const& root, reporter const& report) {
        rescue_places places;
        places.workspace_directory = workspace_of(root);
        places.output = -1;
        if (write_rescue(*state, places, "why").place != rescue_copy::place_type::file) return false;
        report(1);
        return true;
    };
    made.judge = [=](fs::path const& root, std::uint64_t reported, reporter const&) -> verdict {
        std::uint64_t copies = 0;
        for (auto const& file : fs::directory_iterator(plain_files(root).spool())) {
            if (file.path().filename().string().starts_with(".draft-")) continue;
            auto const read = from_v4(read_text(file.path()));
            if (!read) return {result_type::lost, error_text(read)};
            infra::snapshot expected = *state;
            expected.serial = read->serial;
            if (*read != expected) return {result_type::different, describe(*read)};
            ++copies;
        }
        return copies < reported ? verdict{result_type::lost, "no copy"} : verdict{};
    };
    return made;
}

// A command that cannot save its state writes a copy, which `state push` accepts without -force, whatever part of the last
// transaction is stored.
auto rescue_of_a_script() -> workload
{
    auto const of = std::make_shared<script const>(apply_script());
    auto const place_of = [](fs::path const& root) {
        rescue_places places;
        places.workspace_directory = workspace_of(root);
        places.output = -1;
        return places;
    };
    workload made;
    made.name = "rescue of a script";
    made.steps = of->batches.size();
    made.prepare = [](fs::path const&) {};
    made.run = [=](fs::path const& root, reporter const& report) {
        running_operator one(root, "r", *of, 0);
        while (!one.is_complete()) {
            if (!one.step()) {
                if (one.is_open()) (void)write_rescue(one.model(), one.places(place_of(root)), "why");
                return false;
            }
            report(one.done());
        }
        return one.finish();
    };
    made.judge = [=](fs::path const& root, std::uint64_t reported, reporter const& report) -> verdict {
        std::vector<fs::path> copies;
        fs::path const spool = plain_files(root).spool();
        if (fs::exists(spool))
            for (auto const& file : fs::directory_iterator(spool))
                if (!file.path().filename().string().starts_with(".draft-")) copies.push_back(file.path());
        if (copies.empty()) return judge_script(*of, plain_database(root), reported, report);
        auto const pushed = workspace::parse_pushed(read_text(copies.front()));
        if (!pushed) return {result_type::lost, "the copy: " + error_text(pushed)};
        local_backend in(root);
        auto const stored = in.open("default", open_mode::read_write);
        auto now = stored->read_now();
        if (!now) return {result_type::lost, error_text(now)};
        auto const entries = entries_between(*now, pushed->content);
        if (entries.empty()) return {};  // the copy was pushed before the fault
        if (auto const conflict = workspace::find_conflict(*now, *pushed, stored->content_id()))
            return {result_type::lost, "the copy is refused: " + conflict->code};
        for (entry const& e : entries)
            if (!replay(*now, e)) return {result_type::different, "the copy does not fit"};
        if (!stored->append_now(entries, *now)) return {result_type::lost, "the copy cannot be saved"};
        return {};
    };
    return made;
}

}  // namespace

auto make_workloads(std::uint64_t seed, fs::path const& samples) -> std::vector<workload>
{
    std::vector<workload> all;
    all.push_back(scripted("apply", apply_script()));
    for (std::uint64_t i = 0; i < 5; ++i)
        all.push_back(scripted("history " + std::to_string(seed + i), random_script(seed + i, 14)));
    all.push_back(scripted("apply on a mirrored file", apply_script(), mirrored_file));
    all.push_back(recovery(seed));
    for (std::uint64_t i = 0; i < 2; ++i) all.push_back(operators_at_work(seed + i, true));
    all.push_back(operators_at_work(seed, false));
    std::vector<fs::path> formats;
    for (auto const& one : fs::directory_iterator(samples))
        if (fs::exists(one.path() / "state.db")) formats.push_back(one.path());
    std::sort(formats.begin(), formats.end());
    for (fs::path const& one : formats) all.push_back(upgrade(one));
    all.push_back(rollover(seed));
    auto const restores = [](workspace_files const& files) { return restore(files, {}).has_value(); };
    auto const salvages = [](workspace_files const& files) {
        return sqlite_store(files, open_mode::read_write).salvage(salvage_source::rows).has_value();
    };
    all.push_back(repair("restore", restores, false, 2));
    all.push_back(repair("restore beside a log", restores, true, 2));
    all.push_back(repair("salvage of rows", salvages, false, 3));
    all.push_back(repair("salvage of rows and a log", salvages, true, 3));
    all.push_back(replacement());
    all.push_back(rescue());
    all.push_back(rescue_of_a_script());
    return all;
}

}  // namespace iacctl::durability
