// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_TESTS_STATE_SUPPORT_HPP
#define IACCTL_TESTS_STATE_SUPPORT_HPP

#include "base/expected.hpp"

#include "messages/exit_codes.hpp"
#include "state/record/sqlite_store.hpp"
#include "state/state_error.hpp"

#include <strider/infra/journal/journal_entry.hpp>
#include <strider/infra/model/snapshot.hpp>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <stdlib.h>

namespace iacctl::state::test {

namespace fs = std::filesystem;
using entry = infra::journal_entry;

/// A directory that is removed at the end of the test.
class temporary_directory {
public:
    explicit temporary_directory(fs::path const& in = fs::temp_directory_path())
    {
        std::string name = (in / "iacctl-state-XXXXXX").string();
        if (::mkdtemp(name.data()) != nullptr) path_ = name;
    }
    temporary_directory(temporary_directory const&) = delete;
    auto operator=(temporary_directory const&) -> temporary_directory& = delete;
    ~temporary_directory()
    {
        std::error_code ignored;
        if (!path_.empty()) fs::remove_all(path_, ignored);
    }

    [[nodiscard]] auto path() const -> fs::path const& { return path_; }
    [[nodiscard]] auto workspace() const -> fs::path { return path_ / ".iacctl" / "default"; }
    [[nodiscard]] auto database() const -> fs::path { return workspace() / "state.db"; }

private:
    fs::path path_;
};

[[nodiscard]] inline auto read_text(fs::path const& file) -> std::string
{
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

inline void write_text(fs::path const& file, std::string const& text)
{
    std::ofstream(file, std::ios::binary | std::ios::trunc) << text;
}

/// The whole text of a failure, for messages of tests.
[[nodiscard]] inline auto error_text(infra::failure const& f) -> std::string
{
    std::string text;
    for (infra::diagnostic const& d : f.why()) text += d.code + ": " + d.summary + ": " + d.detail + '\n';
    return text;
}

template <class T>
[[nodiscard]] auto error_text(expected<T> const& result) -> std::string
{
    return result ? std::string() : error_text(result.error());
}

template <class T>
[[nodiscard]] auto kind_of_result(expected<T> const& result) -> state_error
{
    return result ? state_error::none : kind_of(result.error());
}

/// The codes of a failure; empty: there is a value.
template <class T>
[[nodiscard]] auto codes_of(expected<T> const& result) -> std::vector<std::string>
{
    std::vector<std::string> all;
    if (!result)
        for (infra::diagnostic const& d : result.error().why()) all.push_back(d.code);
    return all;
}

[[nodiscard]] inline auto exit_code_of(infra::failure const& f) -> int
{
    return messages::exit_code_of(f.why().front().code);
}

/// The state that a read-only command finds.
[[nodiscard]] inline auto read_only(fs::path const& workspace) -> expected<infra::snapshot>
{
    auto store = sqlite_store::open(workspace, open_mode::read_only);
    if (!store) return store.error();
    return store->read_now();
}

[[nodiscard]] inline auto some_object(std::string const& id, std::vector<std::string> dependencies = {})
    -> infra::object
{
    infra::object o;
    o.attributes = infra::document("{\"id\":\"" + id + "\"}");
    o.provider = "provider[\"terraform.io/builtin/terraform\"]";
    o.dependencies = std::move(dependencies);
    return o;
}

[[nodiscard]] inline auto some_operation(std::string id, infra::operation_kind kind, infra::address target)
    -> infra::pending_operation
{
    infra::pending_operation p;
    p.operation = std::move(id);
    p.kind = kind;
    p.target = std::move(target);
    p.provider = "provider[\"terraform.io/builtin/terraform\"]";
    p.request = infra::document("{\"input\":null}");
    return p;
}

/// Generates a sequence of valid entries, as an engine would, and applies them to a model.
class random_history {
public:
    enum class texts { any_bytes, unicode };

    explicit random_history(std::uint64_t seed, texts t = texts::any_bytes) : random_(seed), texts_(t) {}

    [[nodiscard]] auto model() const -> infra::snapshot const& { return model_; }
    [[nodiscard]] auto model() -> infra::snapshot& { return model_; }

    auto next() -> entry
    {
        for (;;) {
            entry e = propose();
            infra::snapshot after = model_;
            if (!replay(after, e)) continue;
            std::string const lineage = std::exchange(after.lineage, "for the check");
            if (!infra::verify_integrity(after).empty()) continue;
            after.lineage = lineage;
            model_ = std::move(after);
            return e;
        }
    }
    auto batch(std::size_t longest) -> std::vector<entry>
    {
        std::vector<entry> entries;
        for (std::size_t i = pick(longest) + 1; i > 0; --i) entries.push_back(next());
        return entries;
    }
    auto pick(std::size_t below) -> std::size_t
    {
        return std::uniform_int_distribution<std::size_t>(0, below - 1)(random_);
    }

private:
    auto text() -> std::string
    {
        static std::vector<std::string> const parts{"a", "Z", "\"", "\\", "\n", "<&>", "\xC3\xA4", "\xE2\x80\xA8", "0",
            "", "\xFF", std::string(1, '\0'), "long text without any meaning at all"};
        std::string all;
        for (std::size_t i = pick(6); i > 0; --i) {
            std::string const& part = parts[pick(parts.size())];
            bool const bytes = part == "\xFF" || part == std::string(1, '\0');
            if (!bytes || texts_ == texts::any_bytes) all += part;
        }
        return all;
    }
    auto target() -> infra::address
    {
        std::vector<infra::module_step> module;
        if (pick(4) == 0) module.push_back({"m", pick(2) == 0 ? infra::instance_key() : infra::instance_key(text())});
        infra::instance_key key;
        if (pick(3) == 0) key = infra::instance_key(static_cast<std::int64_t>(pick(3)));
        else if (pick(3) == 0) key = infra::instance_key(std::string("k") + std::to_string(pick(2)) + "\"\n");
        auto const mode = pick(8) == 0 ? infra::resource_mode::data : infra::resource_mode::managed;
        return {std::move(module), mode, "type", "n" + std::to_string(pick(4)), std::move(key)};
    }
    auto existing() -> infra::address
    {
        if (model_.resources.empty() || pick(5) == 0) return target();
        auto at = model_.resources.begin();
        std::advance(at, static_cast<std::ptrdiff_t>(pick(model_.resources.size())));
        return at->first;
    }
    auto object() -> infra::object
    {
        infra::object o = some_object("x");
        o.attributes = infra::document("{\"id\":\"" + std::to_string(pick(1000)) + "\"}" + text());
        o.sensitive = infra::document(text());
        if (pick(4) == 0) o.private_data = infra::document(R"({"private":"bnVsbA=="})");
        o.provider = "p" + text();
        if (pick(2) == 0) o.dependencies = {"data.type.x", "module.q.type.y", "type.z"};
        if (pick(2) == 0) {
            o.dependencies = infra::dependency_set({"type.n" + std::to_string(pick(4))}, {o.dependencies, last_});
            last_ = o.dependencies;
        }
        o.schema_version = pick(2) == 0 ? pick(9) : ~std::uint64_t{0};
        o.tainted = pick(4) == 0;
        o.create_before_destroy = pick(4) == 0;
        return o;
    }
    auto deposed_key() -> std::string { return "0000000" + std::to_string(pick(3)); }
    auto propose() -> entry
    {
        using kind = infra::operation_kind;
        std::size_t const choice = pick(20);
        if (choice < 7) {
            auto p = some_operation("op-" + std::to_string(counter_++), static_cast<kind>(pick(4)), existing());
            p.request = infra::document(text());
            if (pick(2) == 0) p.sensitive = infra::document(text());
            if (pick(2) == 0) p.deposed_key = deposed_key();
            return entry::begin(std::move(p));
        }
        if (choice < 14 && !model_.pending.empty()) {
            auto at = model_.pending.begin();
            std::advance(at, static_cast<std::ptrdiff_t>(pick(model_.pending.size())));
            std::optional<infra::object> result;
            if (pick(3) != 0) result = object();
            return entry::end(at->second, std::move(result), pick(3) == 0);
        }
        if (choice < 16) return entry::record(existing(), pick(4) == 0 ? deposed_key() : std::string(), object());
        if (choice < 18) return entry::remove(existing(), pick(4) == 0 ? deposed_key() : std::string());
        if (choice < 19) {
            infra::output_value value{infra::document(text()), infra::document("\"string\""), pick(2) == 0};
            return entry::output("out" + std::to_string(pick(3)), std::move(value));
        }
        return entry::output_removed("out" + std::to_string(pick(3)));
    }

    std::mt19937_64 random_;
    texts texts_;
    infra::snapshot model_;
    infra::dependency_set last_;
    std::uint64_t counter_ = 0;
};

/// Executes statements in a database of a state.
inline void execute(fs::path const& file, char const* sql)
{
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open(file.c_str(), &db), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(db, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
    sqlite3_close(db);
}

/// The number that a query of a database of a state returns.
[[nodiscard]] inline auto number_of(fs::path const& file, char const* sql) -> int
{
    sqlite3* db = nullptr;
    sqlite3_stmt* query = nullptr;
    int result = -1;
    if (sqlite3_open(file.c_str(), &db) == SQLITE_OK && sqlite3_prepare_v2(db, sql, -1, &query, nullptr) == SQLITE_OK
        && sqlite3_step(query) == SQLITE_ROW)
        result = sqlite3_column_int(query, 0);
    sqlite3_finalize(query);
    sqlite3_close(db);
    return result;
}

/// Creates one resource with two entries, which are appended one by one. \return the state after them
inline auto create_one(sqlite_store& store, infra::snapshot s, std::string const& name) -> infra::snapshot
{
    auto const p = some_operation("create-" + name + std::to_string(s.serial), infra::operation_kind::create,
        infra::address("terraform_data", name));
    for (entry const& e : {entry::begin(p), entry::end(p, some_object(name), false)}) {
        EXPECT_TRUE(replay(s, e));
        EXPECT_TRUE(store.append_now(std::vector<entry>{e}, s));
    }
    s.lineage = store.lineage();
    return s;
}

}  // namespace iacctl::state::test

#endif  // IACCTL_TESTS_STATE_SUPPORT_HPP
