// SPDX-License-Identifier: BSL-1.0
#include "iacctl/state/support.hpp"
#include "trial.hpp"

#include <state/document/state_v4.hpp>
#include <state/encryption/target.hpp>
#include <state/record/restore.hpp>
#include <workspace/plan_file.hpp>

#include <strider/core/digraph.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <utility>

namespace iacctl::durability {

namespace {

using namespace state;
using namespace state::test;
using result_type = verdict::result_type;
using file_map = std::map<std::string, std::string>;

/// Files, one of which is damaged.
struct subject {
    std::string name;
    std::uint64_t share = 0;  ///< of 100 damages
    file_map files;
    std::vector<std::string> damaged;  ///< one of these
    /// \param number  the number of the trial, which selects one of several variants
    std::function<verdict(fs::path const& root, std::uint64_t number)> judge;
};

/// Damages a text in a random way. \return a description of the damage
class damager {
public:
    explicit damager(std::mt19937_64& random) : random_(random) {}

    auto damage(std::string& text) -> std::string
    {
        std::string const sound = text;
        for (;;) {
            std::string const way = once(text);
            if (text != sound) return way;
        }
    }

private:
    auto below(std::size_t n) -> std::size_t { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }
    auto once(std::string& text) -> std::string
    {
        std::size_t at = below(text.size());
        // Half of all damages hit a place that is in use: a small database is mostly empty pages.
        if (below(2) == 0) at = std::min(text.find_first_not_of('\0', at), at + text.size()) % text.size();
        static constexpr std::array<std::size_t, 6> sizes{1, 16, 512, 1024, 4096, 4120};
        std::size_t const size = std::min(sizes[below(sizes.size())], text.size());
        std::size_t const block = at / size * size;
        std::size_t const other = below(text.size()) / size * size;
        std::size_t const length = std::min({size, text.size() - block, text.size() - other});
        std::string const where = " at " + std::to_string(at) + ", " + std::to_string(size) + " bytes";
        switch (below(8)) {
        case 0:
        case 1: text[at] = static_cast<char>(text[at] ^ static_cast<char>(1U << below(8))); return "flip" + where;
        case 2:
            text.replace(at, std::min(size, text.size() - at), std::min(size, text.size() - at), '\0');
            return "zero" + where;
        case 3: text.resize(at); return "truncate" + where;
        case 4: text.insert(block, text.substr(block, size)); return "duplicate" + where;
        case 5:
            text.replace(block, length, text.substr(other, length));
            return "copy from " + std::to_string(other) + where;
        case 6: {
            std::string const first = text.substr(block, length);
            text.replace(block, length, text.substr(other, length));
            text.replace(other, length, first);
            return "swap with " + std::to_string(other) + where;
        }
        default:
            for (std::size_t i = at; i < std::min(at + size, text.size()); ++i) text[i] = static_cast<char>(random_());
            return "noise" + where;
        }
    }

    std::mt19937_64& random_;
};

auto files_of(fs::path const& root) -> file_map
{
    file_map all;
    for (auto const& one : fs::recursive_directory_iterator(root))
        if (one.is_regular_file() && !one.path().string().ends_with("-shm"))
            all[fs::relative(one.path(), root).string()] = read_text(one.path());
    return all;
}

void write_files(file_map const& files, fs::path const& root)
{
    for (auto const& [name, text] : files) {
        fs::create_directories((root / name).parent_path());
        write_text(root / name, text);
    }
}

auto workspace_at(fs::path const& root, bool encrypted) -> workspace_files
{
    if (!encrypted) return workspace_files(root / ".iacctl" / "default");
    std::vector<encryption::method> methods{
        {"method.aes_gcm.main", encryption::make_key_file("key_provider.file.main", root / "key"), {}}};
    return workspace_files(
        root / ".iacctl" / "default", std::make_shared<encryption::target const>("state", std::move(methods)));
}

// Three commands with all kinds of entries.
auto write_state(fs::path const& root, std::uint64_t seed, bool encrypted, bool with_log, file_map& files)
    -> infra::snapshot
{
    if (encrypted) write_text(root / "key", std::string(64, '1') + "\n");
    random_history history(seed);
    sqlite_store store(workspace_at(root, encrypted), open_mode::read_write);
    for (int command = 0; command < 3; ++command) {
        if (!store.begin_generation("apply")) throw std::runtime_error("cannot prepare");
        for (int i = 0; i < 12; ++i)
            if (!store.append_now(history.batch(3), history.model())) throw std::runtime_error("cannot prepare");
        if (command < 2 || !with_log)
            if (!store.end_generation("complete")) throw std::runtime_error("cannot prepare");
    }
    infra::snapshot result = history.model();
    result.lineage = store.lineage();
    files = files_of(root);
    return result;
}

auto refused(infra::failure const& why) -> verdict
{
    if (kind_of(why) != state_error::none && exit_code_of(why) == 4) return {};
    return {result_type::lost, "refused with exit code " + std::to_string(exit_code_of(why)) + ": " + error_text(why)};
}

auto has_code(infra::failure const& why) -> verdict
{
    return why.why().front().code.empty() ? verdict{result_type::lost, "refused without a code"} : verdict{};
}

// Alternately reads the damaged files, reads them for a write, and checks them.
auto judge_database(workspace_files const& files, infra::snapshot const& expected, std::uint64_t number) -> verdict
{
    auto const mode = number % 2 == 0 ? open_mode::read_only : open_mode::read_write;
    {
        sqlite_store store(files, mode);
        auto const now = store.read_now();
        if (!now) return refused(now.error());
        if (*now != expected) return {result_type::different, "read without an error"};
        if (number % 4 == 2) return store.verify() ? verdict{} : verdict{result_type::lost, "cannot be verified"};
        if (mode == open_mode::read_only) return {};
        infra::snapshot after = *now;
        std::vector<entry> const batch{
            entry::record(infra::address("terraform_data", "later"), {}, some_object("later"))};
        if (!replay(after, batch.front())) return {result_type::different, "an entry does not fit"};
        // A damage of parts that were not read may be detected now.
        if (!store.append_now(batch, after)) return {};
        auto const again = sqlite_store(files, open_mode::read_only).read_now();
        if (!again) return refused(again.error());
        if (*again != after) return {result_type::different, "after a write"};
    }
    return {};
}

auto database_subject(std::string name, std::uint64_t share, std::uint64_t seed, bool encrypted, bool with_log,
    std::vector<std::string> which) -> subject
{
    temporary_directory const place;
    subject made{std::move(name), share, {}, {}, {}};
    auto const state =
        std::make_shared<infra::snapshot const>(write_state(place.path(), seed, encrypted, with_log, made.files));
    for (std::string const& one : which) made.damaged.push_back(".iacctl/default/" + one);
    made.judge = [=](fs::path const& root, std::uint64_t number) {
        return judge_database(workspace_at(root, encrypted), *state, number);
    };
    return made;
}

// A backup that replaces state: it must be sound, or be refused.
auto backup_subject(std::uint64_t share, std::uint64_t seed) -> subject
{
    temporary_directory const place;
    subject made{"backup", share, {}, {}, {}};
    write_state(place.path(), seed, false, false, made.files);
    for (auto const& [name, text] : made.files)
        if (name.find("/backups/") != std::string::npos) made.damaged.assign(1, name);
    if (!restore(workspace_at(place.path(), false), {})) throw std::runtime_error("cannot restore");
    auto const state = std::make_shared<infra::snapshot const>(*read_only(place.workspace()));
    made.judge = [=](fs::path const& root, std::uint64_t) -> verdict {
        auto const files = workspace_at(root, false);
        if (!restore(files, files.newest_backup())) {
            auto const unchanged = read_only(files.directory());
            return unchanged ? verdict{} : verdict{result_type::lost, "the state is missing: " + error_text(unchanged)};
        }
        auto const now = read_only(files.directory());
        if (!now) return refused(now.error());
        return *now == *state ? verdict{} : verdict{result_type::different, "restored"};
    };
    return made;
}

auto sample_plan() -> workspace::saved_plan
{
    using language::value;
    workspace::saved_plan s;
    s.files.emplace("main.tf", "resource \"terraform_data\" \"a\" {\n  input = \"a value\"\n}\n");
    s.variables.emplace("v", value("text"));
    s.workspace = "default";
    s.created = "2026-01-31T12:00:00Z";
    s.prior.lineage = "l";
    for (int i = 0; i < 3; ++i) {
        infra::change<value> c;
        c.target = infra::address("terraform_data", "a" + std::to_string(i));
        c.config = infra::to_string(c.target);
        c.what = infra::action::create;
        c.after = value::object({{"input", value("a value")}});
        c.declaration = 0;
        c.provider = "p";
        s.what.changes.push_back(c);
    }
    s.what.providers = {"p"};
    s.what.lineage = "l";
    s.what.serial = 7;
    strider::digraph<infra::node> g;
    for (std::uint32_t i = 0; i < 3; ++i) g.add_vertex({infra::node_role::creator, true, i, 0});
    s.what.graph = strider::freeze(g).value();
    return s;
}

auto plan_subject(std::uint64_t share) -> subject
{
    temporary_directory const place;
    if (!workspace::write_plan(place.path() / "plan", sample_plan())) throw std::runtime_error("cannot write a plan");
    std::string const sound = read_text(place.path() / "plan");
    return {"plan", share, {{"plan", sound}}, {"plan"}, [=](fs::path const& root, std::uint64_t) -> verdict {
                auto const read = workspace::read_plan(root / "plan");
                if (!read) return has_code(read.error());
                if (!workspace::write_plan(root / "again", *read))
                    return {result_type::lost, "cannot be written again"};
                return read_text(root / "again") == sound ? verdict{}
                                                          : verdict{result_type::different, "read without an error"};
            }};
}

// The format of Terraform has no checksum, so the test only requires that an accepted text is written again as it was
// read.
auto interchange_subject(std::uint64_t share, infra::snapshot const& state) -> subject
{
    return {"interchanged state", share, {{"state", to_v4(state, "1.11.4")}}, {"state"},
        [](fs::path const& root, std::uint64_t) -> verdict {
            auto const read = from_v4(read_text(root / "state"));
            if (!read) return has_code(read.error());
            auto const again = from_v4(to_v4(*read, "1.11.4"));
            return again && *again == *read ? verdict{}
                                            : verdict{result_type::different, "differs from the text that was read"};
        }};
}

auto sealed_subject(std::uint64_t share, infra::snapshot const& state) -> subject
{
    temporary_directory const place;
    write_text(place.path() / "key", std::string(64, '1') + "\n");
    auto const text = seal_v4(to_v4(state, "1.11.4"), state, workspace_at(place.path(), true).encryption());
    if (!text) throw std::runtime_error("cannot encrypt a state");
    return {"encrypted interchanged state", share, {{"state", *text}, {"key", std::string(64, '1') + "\n"}}, {"state"},
        [=](fs::path const& root, std::uint64_t) -> verdict {
            workspace_files const with = workspace_at(root, true);
            auto const read = from_sealed_v4(read_text(root / "state"), with.encryption(), "the state");
            if (!read) return has_code(read.error());
            return *read == state ? verdict{} : verdict{result_type::different, "read without an error"};
        }};
}

auto make_subjects(std::uint64_t seed) -> std::vector<subject>
{
    file_map ignored;
    temporary_directory const place;
    infra::snapshot interchanged;
    for (int i = 0; i < 6; ++i) {
        entry const e = entry::record(infra::address("terraform_data", "r" + std::to_string(i)), {}, some_object("x"));
        if (!replay(interchanged, e)) throw std::runtime_error("cannot prepare");
    }
    interchanged.lineage = "lineage";
    std::vector<subject> all;
    all.push_back(database_subject("database", 30, seed, false, false, {"state.db"}));
    all.push_back(database_subject(
        "database with its log", 30, seed + 1, false, true, {"state.db", "state.db-wal", "state.db-wal"}));
    all.push_back(database_subject("mark", 2, seed + 2, false, true, {"state.db-mark"}));
    all.push_back(database_subject("encrypted database", 8, seed + 3, true, true, {"state.db", "state.db-wal"}));
    all.push_back(backup_subject(5, seed + 4));
    all.push_back(plan_subject(15));
    all.push_back(interchange_subject(5, interchanged));
    all.push_back(sealed_subject(5, interchanged));
    return all;
}

}  // namespace

auto try_damages(trial_options const& options) -> tally
{
    tally all;
    for (subject const& of : make_subjects(options.seed)) {
        fs::remove_all(options.directory);
        fs::create_directories(options.directory);
        std::string way;
        auto const trial = [&](std::uint64_t number) -> verdict {
            fs::path const root = options.directory / std::to_string(number);
            std::mt19937_64 random(options.seed * 1000003 + number);
            file_map files = of.files;
            std::string const& name = of.damaged[random() % of.damaged.size()];
            way = name + ", " + damager(random).damage(files.at(name));
            write_files(files, root);
            verdict found = of.judge(root, number);
            if (found.result == result_type::sound) fs::remove_all(root);
            return found;
        };
        all += try_all(options.damages * of.share / 100, options, trial,
            [&](std::uint64_t number) { return of.name + ", damage " + std::to_string(number) + ": " + way; });
    }
    return all;
}

}  // namespace iacctl::durability
