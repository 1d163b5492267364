// SPDX-License-Identifier: BSL-1.0
// The rules of writes, locks and lists that all stores of objects share.
#include "state/backends/object_state.hpp"

#include "iacctl/state/support.hpp"
#include "messages/backends.hpp"
#include "state/backends/remote_backend.hpp"
#include "state_client_test.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace iacctl::backends::test {
namespace {

using state::test::error_text;
using testing::ElementsAre;
using outcome = write_reply::outcome_type;

// The objects of a server, which several clients share.
class object_map {
public:
    struct object {
        std::string text;
        std::string version;
    };
    [[nodiscard]] auto text_of(std::string const& key) const -> std::string
    {
        return objects.contains(key) ? objects.at(key).text : "none";
    }
    void put(std::string const& key, std::string text) { objects[key] = {std::move(text), std::to_string(++writes)}; }
    // The version changes without the text, as when the metadata of a blob are written.
    void touch(std::string const& key) { objects.at(key).version = std::to_string(++writes); }

    std::map<std::string, object> objects;
    int writes = 0;
};

// What goes wrong with the next write.
enum class fault : std::uint8_t { none, lost_request, lost_reply, repeated, refused, lock_lost };

// Locks of the server apart from its objects, by key.
class memory_locks final : public store_locks {
public:
    [[nodiscard]] auto guards_writes() const noexcept -> bool override { return guards; }
    [[nodiscard]] auto lock(std::string const& key, lock_info const& as) -> expected<lock_attempt> override
    {
        auto const [at, is_new] = held.try_emplace(key, as);
        return lock_attempt{is_new, is_new ? std::nullopt : std::optional(at->second)};
    }
    [[nodiscard]] auto unlock(std::string const& key, lock_info const&) -> expected<void> override
    {
        held.erase(key);
        return {};
    }
    [[nodiscard]] auto holder(std::string const& key) -> expected<std::optional<lock_info>> override
    {
        return held.contains(key) ? std::optional(held.at(key)) : std::nullopt;
    }

    std::map<std::string, lock_info> held;
    bool guards = false;
};

class memory_store final : public object_store {
public:
    explicit memory_store(std::shared_ptr<object_map> of) : of_(std::move(of)) {}

    [[nodiscard]] auto type() const noexcept -> std::string_view override { return "memory"; }
    [[nodiscard]] auto place_of(std::string const& key) const -> std::string override { return "memory:" + key; }
    [[nodiscard]] auto get(std::string const& key, object_use) -> expected<stored_object> override
    {
        auto const found = of_->objects.find(key);
        if (found == of_->objects.end()) return stored_object();
        auto const& [text, version] = found->second;
        return stored_object{text.empty() ? std::nullopt : std::optional(text), version};
    }
    [[nodiscard]] auto put(std::string const& key, object_use, std::string const& text, write_condition const& only_if)
        -> expected<write_reply> override
    {
        auto const now = std::exchange(next, fault::none);
        if (now == fault::lost_request) return unreachable();
        if (now == fault::lock_lost) return write_reply{.outcome = outcome::lock_lost};
        if (now == fault::refused) return write_reply{.outcome = outcome::refused, .reason = "busy"};
        if (now == fault::repeated) write(key, text);  // the client sends it again, because the reply was lost
        auto const there = of_->objects.find(key);
        bool const is_met = only_if.is_any()
            || (only_if.is_absent() ? there == of_->objects.end()
                                    : there != of_->objects.end() && there->second.version == only_if.version());
        if (!is_met) return write_reply{.outcome = outcome::refused, .reason = "changed"};
        write(key, text);
        if (now == fault::lost_reply) return unreachable();
        return write_reply{.version = of_->objects.at(key).version};
    }
    [[nodiscard]] auto remove(std::string const& key, object_use, std::string const& version) -> expected<void> override
    {
        if (std::exchange(next, fault::none) == fault::lost_reply) {
            of_->objects.erase(key);
            if (!taken_then.empty()) of_->put(key, taken_then);
            return unreachable();
        }
        removed_version = version;
        of_->objects.erase(key);
        return {};
    }
    [[nodiscard]] auto list(std::string const& prefix) -> expected<std::vector<std::string>> override
    {
        std::vector<std::string> all;
        for (auto const& [key, _] : of_->objects)
            if (key.starts_with(prefix)) all.push_back(key);
        return all;
    }

    [[nodiscard]] auto record_written(std::string const& key, std::string const& text) -> expected<void> override
    {
        recorded = key + " " + text;
        return {};
    }
    [[nodiscard]] auto locks() -> store_locks* override { return own_locks; }

    fault next = fault::none;
    std::string taken_then;  // the lock that another client takes after a removal whose reply is lost
    std::string removed_version;
    std::string recorded;
    store_locks* own_locks = nullptr;

private:
    void write(std::string const& key, std::string const& text) { of_->put(key, text); }
    static auto unreachable() -> infra::failure
    {
        return state::make_failure(messages::remote_state_unreachable, {"memory", "no reply"});
    }

    std::shared_ptr<object_map> of_;
};

class ObjectState : public state_client_test {
protected:
    static auto layout() -> object_layout { return {.of_default = "app", .before = "env/", .after = "/app"}; }
    [[nodiscard]] auto another() const -> std::shared_ptr<state_client>
    {
        return make_object_state(std::make_shared<memory_store>(server), layout());
    }

    std::shared_ptr<object_map> const server = std::make_shared<object_map>();
    std::shared_ptr<memory_store> const store = std::make_shared<memory_store>(server);
    std::shared_ptr<state_client> const client = make_object_state(store, layout());
};

TEST_F(ObjectState, NamesTheObjectsOfWorkspaces)
{
    EXPECT_EQ(code_of(client->put("default", "one", "")), "");
    EXPECT_EQ(code_of(client->put("blue", "two", "")), "");
    EXPECT_TRUE(client->lock("blue", info)->held);
    for (char const* const name : {"env/a/b/app", "env/app", "env/red/web", "env//app"}) server->put(name, "x");
    auto const all = client->workspaces();

    EXPECT_EQ(server->text_of("app"), "one");
    EXPECT_EQ(server->text_of("env/blue/app"), "two");
    EXPECT_EQ(server->text_of("env/blue/app.tflock"), info.text());
    EXPECT_EQ(client->place_of("blue"), "memory:env/blue/app");
    ASSERT_TRUE(all) << error_text(all);
    EXPECT_THAT(*all, ElementsAre("default", "blue"));
}

TEST_F(ObjectState, ReplacesTheEndOfANameInThatOfItsLock)
{
    auto const like_gcs = make_object_state(store,
        {.of_default = "p/default.tfstate", .before = "p/", .after = ".tfstate", .replaced_by_lock = ".tfstate"});

    EXPECT_TRUE(like_gcs->lock("default", info)->held);
    EXPECT_TRUE(like_gcs->lock("blue", info)->held);
    EXPECT_EQ(code_of(like_gcs->put("default", "one", info.id)), "");

    EXPECT_EQ(server->text_of("p/default.tflock"), info.text());
    EXPECT_EQ(server->text_of("p/blue.tflock"), info.text());
    EXPECT_THAT(like_gcs->workspaces().value(), ElementsAre("default"));
}

TEST_F(ObjectState, WritesOnlyTheTextThatItHasRead)
{
    auto const late = another();
    expect_writes_of_known_documents(*client, *late);
    EXPECT_EQ(code_of(late->erase("default")), "");
    EXPECT_EQ(code_of(client->put("default", "five", "")), "remote_state_conflict");
    EXPECT_EQ(server->text_of("app"), "none");
}

TEST_F(ObjectState, WritesIfOnlyTheVersionHasChanged)
{
    EXPECT_EQ(code_of(client->put("default", "one", "")), "");
    server->touch("app");
    EXPECT_EQ(code_of(client->put("default", "two", "")), "");
    EXPECT_EQ(server->text_of("app"), "two");

    EXPECT_EQ(get(*client, "blue"), "none");
    server->put("env/blue/app", "");
    EXPECT_EQ(code_of(client->put("blue", "three", "")), "") << "an empty object is no document";
}

TEST_F(ObjectState, RecognizesAWriteWhoseReplyWasLost)
{
    store->next = fault::repeated;
    EXPECT_EQ(code_of(client->put("default", "one", "")), "");
    EXPECT_EQ(code_of(client->put("default", "two", "")), "");
    EXPECT_EQ(server->text_of("app"), "two");

    store->next = fault::lost_reply;
    EXPECT_EQ(code_of(client->put("default", "three", "")), "remote_state_unreachable");
    EXPECT_EQ(code_of(client->put("default", "four", "")), "") << "it replaces its own text";
    EXPECT_EQ(server->text_of("app"), "four");

    store->next = fault::lost_request;
    EXPECT_EQ(code_of(client->put("default", "five", "")), "remote_state_unreachable");
    EXPECT_EQ(code_of(client->put("default", "six", "")), "");
}

TEST_F(ObjectState, RecognizesEachOfItsWritesWhoseRepliesWereLost)
{
    EXPECT_EQ(code_of(client->put("default", "one", "")), "");
    store->next = fault::lost_reply;
    EXPECT_EQ(code_of(client->put("default", "two", "")), "remote_state_unreachable");
    store->next = fault::lost_request;
    EXPECT_EQ(code_of(client->put("default", "three", "")), "remote_state_unreachable");

    EXPECT_EQ(code_of(client->put("default", "four", "")), "") << "it replaces the second of its texts";
    EXPECT_EQ(server->text_of("app"), "four");
}

TEST_F(ObjectState, DoesNotTakeTheTextOfAnotherForItsOwnAfterALostReply)
{
    EXPECT_EQ(get(*client), "none");
    store->next = fault::lost_reply;
    EXPECT_EQ(code_of(client->put("default", "one", "")), "remote_state_unreachable");
    server->put("app", "theirs");

    EXPECT_EQ(code_of(client->put("default", "two", "")), "remote_state_conflict");
    EXPECT_EQ(server->text_of("app"), "theirs");
}

TEST_F(ObjectState, RepeatsAWriteThatAnotherRequestDelays)
{
    store->next = fault::refused;
    EXPECT_EQ(code_of(client->put("default", "one", "")), "");
    store->next = fault::refused;
    EXPECT_TRUE(client->lock("default", info)->held);
}

TEST_F(ObjectState, WritesWhateverThereIsIfConditionsAreOff)
{
    auto with = layout();
    with.conditional = false;
    auto const unconditional = make_object_state(store, with);
    server->put("app", "theirs");
    EXPECT_EQ(code_of(unconditional->put("default", "one", "")), "");
    EXPECT_EQ(server->text_of("app"), "one");
}

TEST_F(ObjectState, HasAnExclusiveLock)
{
    expect_exclusive_lock(*client, *another());
    EXPECT_EQ(store->removed_version, "1");
    EXPECT_EQ(server->text_of("app.tflock"), other.text());
}

TEST_F(ObjectState, IsWrittenInTwoWorkspacesThatOneProcessHasLocked)
{
    state::test::temporary_directory const machine;
    remote_backend const backend(client, machine.path() / "mirror", {});
    std::vector<std::unique_ptr<state::held_lock>> held;
    for (char const* const workspace : {"default", "blue"}) {
        auto lock = backend.lock(workspace, {"init", {}, {}});
        ASSERT_TRUE(lock) << error_text(lock);
        held.push_back(std::move(*lock));
    }

    for (char const* const workspace : {"default", "blue"}) {
        auto const store = backend.open(workspace, state::open_mode::read_write);
        ASSERT_TRUE(store->read_now());
        ASSERT_TRUE(store->begin_generation("init"));
        ASSERT_TRUE(store->append_now({}, {}));
        auto const ended = store->end_generation("complete");
        EXPECT_TRUE(ended) << workspace << ": " << error_text(ended);
    }
    EXPECT_NE(server->text_of("app"), "none");
    EXPECT_NE(server->text_of("env/blue/app"), "none");
}

TEST_F(ObjectState, RecognizesItsLockIfAReplyWasLost)
{
    store->next = fault::repeated;
    EXPECT_TRUE(client->lock("default", info)->held);
}

TEST_F(ObjectState, DoesNotRemoveTheLockOfAnotherIfTheReplyToItsRemovalWasLost)
{
    EXPECT_TRUE(client->lock("default", info)->held);
    store->next = fault::lost_reply;
    EXPECT_EQ(code_of(client->unlock("default", info)), "");
    EXPECT_EQ(server->text_of("app.tflock"), "none");

    EXPECT_TRUE(client->lock("default", info)->held);
    store->next = fault::lost_reply;
    store->taken_then = other.text();
    EXPECT_EQ(code_of(client->unlock("default", info)), "");
    EXPECT_EQ(server->text_of("app.tflock"), other.text());
}

TEST_F(ObjectState, DoesNotWriteAfterItsLockWasBroken)
{
    EXPECT_TRUE(client->lock("default", info)->held);
    server->put("app.tflock", other.text());
    EXPECT_EQ(code_of(client->put("default", "late", info.id)), "remote_lock_lost");
    server->objects.erase("app.tflock");
    EXPECT_EQ(code_of(client->put("default", "late", info.id)), "remote_lock_lost");
    store->next = fault::lock_lost;
    EXPECT_EQ(code_of(client->put("default", "late", "")), "remote_lock_lost");
    EXPECT_EQ(server->text_of("app"), "none");
}

TEST_F(ObjectState, HasTwoIdsOfALockThatUsersKnowByItsVersion)
{
    auto with = layout();
    with.lock_id_is_version = true;
    auto const like_gcs = make_object_state(store, with);
    EXPECT_TRUE(like_gcs->lock("default", info)->held);

    auto const held = like_gcs->holder("default");

    ASSERT_TRUE(held);
    EXPECT_EQ(held->id, "1");
    EXPECT_TRUE(held->has_id("1"));
    EXPECT_TRUE(held->has_id(info.id));
    EXPECT_FALSE(held->has_id(""));
    EXPECT_EQ(like_gcs->lock("default", other)->holder->id, "1");
    EXPECT_EQ(code_of(like_gcs->put("default", "one", info.id)), "");
    EXPECT_EQ(code_of(like_gcs->unlock("default", *held)), "");
    EXPECT_EQ(server->text_of("app.tflock"), "none");
}

TEST_F(ObjectState, DoesNotReleaseALockThatCannotBeRead)
{
    server->put("app.tflock", "not JSON");
    EXPECT_FALSE(client->lock("default", info)->held);
    EXPECT_EQ(code_of(client->unlock("default", info)), "lock_id_differs");
    EXPECT_EQ(server->text_of("app.tflock"), "not JSON");
}

TEST_F(ObjectState, HoldsBothLocksOfAStoreThatHasItsOwn)
{
    memory_locks locks;
    store->own_locks = &locks;
    EXPECT_TRUE(client->lock("default", info)->held);
    EXPECT_EQ(locks.held.at("app").id, info.id);
    EXPECT_EQ(server->text_of("app.tflock"), info.text());
    EXPECT_EQ(code_of(client->unlock("default", info)), "");
    EXPECT_TRUE(locks.held.empty());
    EXPECT_EQ(server->text_of("app.tflock"), "none");

    locks.held.emplace("app", other);
    auto const attempt = client->lock("default", info);
    ASSERT_TRUE(attempt) << error_text(attempt);
    EXPECT_FALSE(attempt->held);
    EXPECT_EQ(attempt->holder->id, other.id);
    EXPECT_EQ(server->text_of("app.tflock"), "none") << "the first lock is released";
}

TEST_F(ObjectState, ReadsALockOfTheStoreBeforeAWriteUnlessTheServerComparesIt)
{
    memory_locks locks;
    store->own_locks = &locks;
    auto with = layout();
    with.uses_lock_objects = false;
    auto const other_client = make_object_state(store, with);
    EXPECT_TRUE(other_client->lock("default", info)->held);
    EXPECT_EQ(other_client->holder("default")->id, info.id);
    EXPECT_EQ(code_of(other_client->put("default", "one", info.id)), "");
    locks.held.at("app") = other;
    EXPECT_EQ(code_of(other_client->put("default", "two", info.id)), "remote_lock_lost");
    locks.guards = true;
    EXPECT_EQ(code_of(other_client->put("default", "two", info.id)), "");
}

TEST_F(ObjectState, TellsTheStoreWhatWasWritten)
{
    EXPECT_EQ(code_of(client->put("default", "one", "")), "");
    EXPECT_EQ(store->recorded, "app one");
    store->next = fault::repeated;
    EXPECT_EQ(code_of(client->put("default", "two", "")), "");
    EXPECT_EQ(store->recorded, "app two");
}

TEST_F(ObjectState, HasNoLocksIfTheyAreOff)
{
    auto with = layout();
    with.uses_lock_objects = false;
    auto const without = make_object_state(store, with);
    EXPECT_FALSE(without->can_lock());
    EXPECT_EQ(code_of(without->unlock("default", info)), "");
    EXPECT_EQ(without->holder("default"), std::nullopt);
}

}  // namespace
}  // namespace iacctl::backends::test
