// SPDX-License-Identifier: BSL-1.0
// State on a server with Terraform's HTTP protocol, with its mirror on this machine.
#include <backends/http_state.hpp>
#include <backends/remote_backend.hpp>

#include "iacctl/providers/http_server.hpp"
#include "iacctl/state/support.hpp"

#include <state/state_v4.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace iacctl::backends::test {
namespace {

namespace infra = strider::infra;
using providers_test::answer;
using providers_test::asked;
using state::open_mode;
using state::test::codes_of;
using state::test::error_text;
using state::test::kind_of_result;
using state::test::some_object;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// A server of the protocol with one document and one lock.
class state_server {
public:
    [[nodiscard]] auto settings() const -> http_settings
    {
        http_settings with;
        with.address = server_.url() + "/state";
        with.lock_address = with.unlock_address = server_.url() + "/lock";
        with.retries.most = 0;
        return with;
    }
    [[nodiscard]] auto log() const -> std::vector<std::string> { return server_.log(); }
    [[nodiscard]] auto document() -> std::optional<std::string>
    {
        std::lock_guard const guard(mutex_);
        return document_;
    }
    void put(std::optional<std::string> document)
    {
        std::lock_guard const guard(mutex_);
        document_ = std::move(document);
    }
    [[nodiscard]] auto lock() -> std::string
    {
        std::lock_guard const guard(mutex_);
        return lock_;
    }
    void take_lock(std::string by)
    {
        std::lock_guard const guard(mutex_);
        lock_ = std::move(by);
    }
    // From now on, writes are answered with this status; 0: they are performed.
    void refuse_writes(unsigned status)
    {
        std::lock_guard const guard(mutex_);
        refused_ = status;
    }
    // From now on, requests with this method are answered so; other requests are performed.
    void answer_to(std::string method, answer with)
    {
        std::lock_guard const guard(mutex_);
        answers_[std::move(method)] = std::move(with);
    }
    enum class loss { none, of_writes, from_the_next_write };
    // From now on, writes are performed, and the connection ends before the answer.
    void lose_answers(loss of)
    {
        std::lock_guard const guard(mutex_);
        loses_ = of;
        silent_ = false;
    }

private:
    auto respond(asked const& request) -> answer
    {
        std::lock_guard const guard(mutex_);
        if (silent_) return {.hangs_up = true};
        if (answers_.contains(request.method) && request.target != "/there") return answers_.at(request.method);
        if (request.target == "/lock") {
            if (request.method == "UNLOCK") {
                lock_.clear();
                return {};
            }
            if (!lock_.empty()) return {.status = 423, .body = lock_};
            lock_ = request.body;
            return {};
        }
        if (request.method == "GET") return document_ ? answer{.body = *document_} : answer{.status = 404};
        if (refused_ != 0) return {.status = refused_};
        if (request.method == "DELETE") document_.reset();
        else document_ = request.body;
        silent_ = loses_ == loss::from_the_next_write;
        return {.hangs_up = loses_ != loss::none};
    }

    std::mutex mutex_;
    std::optional<std::string> document_;
    std::string lock_;
    std::map<std::string, answer> answers_;
    unsigned refused_ = 0;
    loss loses_ = loss::none;
    bool silent_ = false;
    providers_test::http_server server_{[this](asked const& request) { return respond(request); }};
};

class RemoteBackend : public testing::Test {
protected:
    [[nodiscard]] auto backend() const -> remote_backend
    {
        return remote_backend(make_http_state(server.settings()), machine.path() / "mirror", {});
    }
    // The addresses in the state, read by a separate command.
    [[nodiscard]] auto addresses(open_mode mode = open_mode::read_only) const -> std::vector<std::string>
    {
        auto const now = backend().open("default", mode)->read_now();
        EXPECT_TRUE(now) << error_text(now);
        std::vector<std::string> all;
        if (now)
            for (auto const& [a, _] : now->resources) all.push_back(to_string(a));
        return all;
    }
    // Adds an object with a separate command. \return the failure at its end
    auto add(
        std::string const& name, std::function<void()> const& before_end = [] {}) const -> std::optional<infra::failure>
    {
        auto const in = backend();
        auto const store = in.open("default", open_mode::read_write);
        auto now = store->read_now();
        if (!now) return now.error();
        auto const generation = store->begin_generation("apply");
        if (!generation) return generation.error();
        std::vector<infra::journal_entry> const entries{
            infra::journal_entry::record(*infra::parse_address("terraform_data." + name), {}, some_object(name))};
        for (auto const& e : entries) EXPECT_TRUE(replay(*now, e));
        if (store->append_now(entries, *now)) return store->last_failure();
        before_end();
        return store->end_generation("complete");
    }
    [[nodiscard]] auto rescue_copies() const -> std::vector<std::filesystem::path>
    {
        std::vector<std::filesystem::path> all;
        for (auto const& file : std::filesystem::recursive_directory_iterator(machine.path()))
            if (file.path().filename().string().starts_with("rescue-")) all.push_back(file.path());
        return all;
    }
    [[nodiscard]] static auto lock_of(std::string const& who) -> std::string
    {
        lock_info info = lock_info::of_this_process("apply", "x");
        info.who = who;
        return info.text();
    }

    mutable state_server server;
    state::test::temporary_directory machine;
};

TEST_F(RemoteBackend, PublishesTheStateOfACommandAtItsEnd)
{
    EXPECT_EQ(add("a"), std::nullopt);
    EXPECT_EQ(add("b"), std::nullopt);

    auto const document = state::from_v4(server.document().value());
    ASSERT_TRUE(document) << error_text(document);
    EXPECT_EQ(document->resources.size(), 2U);
    EXPECT_THAT(addresses(), ElementsAre("terraform_data.a", "terraform_data.b"));
}

TEST_F(RemoteBackend, ReadsAndAdoptsTheStateOfAnotherMachine)
{
    ASSERT_EQ(add("a"), std::nullopt);
    auto theirs = state::from_v4(server.document().value()).value();
    ASSERT_TRUE(replay(
        theirs, infra::journal_entry::record(*infra::parse_address("terraform_data.other"), {}, some_object("other"))));
    server.put(state::to_v4(theirs, "1.11.4"));

    EXPECT_THAT(addresses(), ElementsAre("terraform_data.a", "terraform_data.other"));
    EXPECT_EQ(add("b"), std::nullopt);
    EXPECT_THAT(addresses(), ElementsAre("terraform_data.a", "terraform_data.b", "terraform_data.other"));
}

TEST_F(RemoteBackend, SetsAMirrorOfAnotherLineageAside)
{
    ASSERT_EQ(add("a"), std::nullopt);
    infra::snapshot other;
    other.lineage = "another";
    other.serial = 1;
    server.put(state::to_v4(other, "1.11.4"));

    EXPECT_EQ(add("b"), std::nullopt);

    EXPECT_THAT(addresses(), ElementsAre("terraform_data.b"));
    EXPECT_EQ(state::from_v4(server.document().value())->lineage, "another");
}

TEST_F(RemoteBackend, KeepsUnpublishedChangesUntilTheNextWriterPublishesThem)
{
    ASSERT_EQ(add("a"), std::nullopt);
    auto const before = server.document();
    server.refuse_writes(503);

    auto const failed = add("b");

    ASSERT_TRUE(failed);
    EXPECT_EQ(failed->why().front().code, "state_not_published");
    EXPECT_EQ(state::test::exit_code_of(*failed), 5);
    EXPECT_EQ(server.document(), before);
    EXPECT_THAT(addresses(), ElementsAre("terraform_data.a", "terraform_data.b"));

    server.refuse_writes(0);
    EXPECT_EQ(server.document(), before) << "a command that only reads does not publish";
    (void)addresses(open_mode::read_write);
    EXPECT_EQ(state::from_v4(server.document().value())->resources.size(), 2U);
}

TEST_F(RemoteBackend, RecognizesItsOwnStateIfTheReplyWasLost)
{
    ASSERT_EQ(add("a"), std::nullopt);
    server.lose_answers(state_server::loss::from_the_next_write);
    ASSERT_TRUE(add("b"));
    server.lose_answers(state_server::loss::of_writes);
    EXPECT_EQ(add("c"), std::nullopt) << "the document shows that it was written";

    EXPECT_THAT(addresses(), ElementsAre("terraform_data.a", "terraform_data.b", "terraform_data.c"));
}

TEST_F(RemoteBackend, WritesARescueCopyIfStateWasChangedInTwoPlacesAndUsesTheServer)
{
    ASSERT_EQ(add("a"), std::nullopt);
    auto theirs = state::from_v4(server.document().value()).value();
    server.refuse_writes(500);
    ASSERT_TRUE(add("b"));
    server.refuse_writes(0);
    ++theirs.serial;
    std::string const document = state::to_v4(theirs, "1.11.4");
    server.put(document);

    auto const reading = backend().open("default", open_mode::read_only)->read_now();
    EXPECT_THAT(codes_of(reading), ElementsAre("mirror_conflicts"));
    auto const refused = backend().open("default", open_mode::read_write)->read_now();

    EXPECT_THAT(codes_of(refused), ElementsAre("mirror_rescued"));
    EXPECT_EQ(state::test::exit_code_of(refused.error()), 5);
    EXPECT_EQ(server.document(), document);
    auto const copies = rescue_copies();
    ASSERT_EQ(copies.size(), 1U);
    EXPECT_THAT(error_text(refused), HasSubstr(copies.front().string()));
    EXPECT_EQ(state::from_v4(state::test::read_text(copies.front()))->resources.size(), 2U);
    EXPECT_THAT(addresses(), ElementsAre("terraform_data.a"));
    EXPECT_EQ(add("c"), std::nullopt);
    EXPECT_THAT(addresses(), ElementsAre("terraform_data.a", "terraform_data.c"));
}

TEST_F(RemoteBackend, WritesARescueCopyIfItsLockWasLostAndStateWasChanged)
{
    ASSERT_EQ(add("a"), std::nullopt);
    auto theirs = state::from_v4(server.document().value()).value();
    ++theirs.serial;

    auto const failed = add("b", [&] {
        server.put(state::to_v4(theirs, "1.11.4"));
        server.refuse_writes(409);
    });
    server.refuse_writes(0);

    ASSERT_TRUE(failed);
    EXPECT_EQ(failed->why().front().code, "mirror_rescued");
    EXPECT_EQ(rescue_copies().size(), 1U);
    EXPECT_THAT(addresses(), ElementsAre("terraform_data.a"));
}

TEST_F(RemoteBackend, ReplacesAMirrorWhoseUpdateWasInterrupted)
{
    ASSERT_EQ(add("a"), std::nullopt);
    ASSERT_EQ(add("b"), std::nullopt);
    std::filesystem::remove_all(machine.path() / "mirror" / "default");  // fewer entries than were noted

    EXPECT_THAT(addresses(), ElementsAre("terraform_data.a", "terraform_data.b"));
    EXPECT_EQ(add("c"), std::nullopt);
    EXPECT_THAT(addresses(), ElementsAre("terraform_data.a", "terraform_data.b", "terraform_data.c"));
}

TEST_F(RemoteBackend, LocksWithTheDescriptionThatTerraformWritesAndSendsItsIdWithTheState)
{
    auto const in = backend();
    {
        auto const held = in.lock("default", {"apply", {}, {}});
        ASSERT_TRUE(held) << error_text(held);
        auto const info = lock_info::parse(server.lock());
        ASSERT_TRUE(info);
        EXPECT_EQ(info->operation, "OperationTypeApply");
        EXPECT_THAT(info->who, HasSubstr("@"));
        auto const store = in.open("default", open_mode::read_write);
        ASSERT_TRUE(store->read_now());
        ASSERT_TRUE(store->begin_generation("apply"));
        infra::snapshot const empty;
        ASSERT_FALSE(store->append_now({}, empty));
        ASSERT_EQ(store->end_generation("complete"), std::nullopt);
        EXPECT_THAT(server.log(), testing::Contains("POST /state?ID=" + info->id));
    }
    EXPECT_EQ(server.lock(), "");
}

TEST_F(RemoteBackend, NamesTheHolderOfALockAndHowToReleaseIt)
{
    server.take_lock(lock_of("ada@engine"));

    auto const refused = backend().lock("default", {"plan", {}, {}});

    EXPECT_THAT(codes_of(refused), ElementsAre("remote_state_locked"));
    EXPECT_EQ(state::test::exit_code_of(refused.error()), 3);
    EXPECT_THAT(error_text(refused), HasSubstr("ada@engine"));
    EXPECT_THAT(error_text(refused), HasSubstr("force-unlock " + lock_info::parse(server.lock())->id));
}

TEST_F(RemoteBackend, WaitsForALockUntilTheTimeout)
{
    server.take_lock(lock_of("ada@engine"));
    int asked_to_stop = 0;

    auto const refused =
        backend().lock("default", {"plan", std::chrono::minutes(10), [&] { return ++asked_to_stop == 2; }});

    EXPECT_EQ(asked_to_stop, 2);
    EXPECT_THAT(codes_of(refused), ElementsAre("remote_state_locked"));
}

TEST_F(RemoteBackend, ReleasesALockByForce)
{
    server.take_lock(lock_of("ada@engine"));

    EXPECT_EQ(backend().force_unlock("default", lock_info::parse(server.lock())->id), std::nullopt);

    EXPECT_EQ(server.lock(), "");
}

TEST_F(RemoteBackend, ReportsEachStatusWithItsMeaning)
{
    for (auto const& [status, code] : std::vector<std::pair<unsigned, std::string>>{
             {401, "remote_state_needs_login"}, {403, "remote_state_denied"}, {418, "remote_state_refused"}}) {
        server.refuse_writes(status);
        auto const failed = backend().remove("default");
        ASSERT_TRUE(failed);
        EXPECT_EQ(failed->why().front().code, code);
    }
    auto lost = server.settings();
    lost.address = providers_test::dead_url();
    auto const unreachable = remote_backend(make_http_state(lost), machine.path() / "x", {}).exists("default");
    EXPECT_THAT(codes_of(unreachable), ElementsAre("remote_state_unreachable"));
    EXPECT_THAT(codes_of(backend().workspaces()), ElementsAre("backend_without_workspaces"));
}

TEST_F(RemoteBackend, TreatsARedirectedWriteAsFailed)
{
    for (unsigned const status : {301U, 302U, 303U}) {
        server.answer_to("POST", {.status = status, .headers = {{"Location", "/there"}}});
        auto const failed = add("a" + std::to_string(status));
        ASSERT_TRUE(failed) << status;
        EXPECT_EQ(failed->why().back().code, "remote_request_redirected");
        EXPECT_EQ(state::test::exit_code_of(*failed), status == 301 ? 5 : 1) << "the second command does not begin";
        EXPECT_EQ(server.document(), std::nullopt);
    }
    EXPECT_THAT(server.log(), Not(Contains("GET /there")));
}

TEST_F(RemoteBackend, SendsNoStateToAnotherServer)
{
    state_server other;
    for (unsigned const status : {301U, 307U, 308U}) {
        auto const where = other.settings().address + "?key=hush";
        server.answer_to("POST", {.status = status, .headers = {{"Location", where}}});
        auto const failed = add("a" + std::to_string(status));
        ASSERT_TRUE(failed) << status;
        EXPECT_EQ(failed->why().back().code, "remote_request_redirected");
        EXPECT_THAT(failed->why().back().detail, HasSubstr(other.settings().address));
        EXPECT_THAT(failed->why().back().detail, Not(HasSubstr("hush")));
    }
    EXPECT_THAT(other.log(), IsEmpty());
}

TEST_F(RemoteBackend, RepeatsAWriteThatThePathOfTheSameServerRedirects)
{
    server.answer_to("POST", {.status = 308, .headers = {{"Location", "/there"}}});
    EXPECT_EQ(add("a"), std::nullopt);
    EXPECT_THAT(server.log(), Contains("POST /there"));
    EXPECT_THAT(addresses(), ElementsAre("terraform_data.a"));
}

TEST_F(RemoteBackend, AcceptsOnlyTheDocumentedStatusOfAWrite)
{
    for (unsigned const status : {202U, 203U, 205U, 206U, 300U, 304U, 404U}) {
        server.answer_to("POST", {.status = status});
        auto const failed = add("a" + std::to_string(status));
        ASSERT_TRUE(failed) << status;
        EXPECT_EQ(failed->why().back().code, "remote_state_refused");
        if (status != 404) {
            server.answer_to("DELETE", {.status = status});
            EXPECT_TRUE(backend().remove("default")) << status;
        }
        server.answer_to("LOCK", {.status = status});
        EXPECT_FALSE(backend().lock("default", {"apply", {}, {}})) << status;
    }
    server.answer_to("LOCK", {.status = 201});
    EXPECT_FALSE(backend().lock("default", {"apply", {}, {}}));
    server.answer_to("GET", {.status = 206, .body = "{"});
    EXPECT_THAT(codes_of(backend().exists("default")), ElementsAre("remote_state_refused"));
}

TEST_F(RemoteBackend, TakesNoLockFromARedirection)
{
    for (unsigned const status : {301U, 302U, 303U}) {
        server.answer_to("LOCK", {.status = status, .headers = {{"Location", "/there"}}});
        EXPECT_THAT(codes_of(backend().lock("default", {"apply", {}, {}})), ElementsAre("remote_request_redirected"));
        server.answer_to("DELETE", {.status = status, .headers = {{"Location", "/there"}}});
        EXPECT_EQ(backend().remove("default")->why().front().code, "remote_request_redirected");
    }
}

TEST_F(RemoteBackend, ReportsALockThatIsNotReleased)
{
    for (unsigned const status : {202U, 302U, 500U}) {
        server.take_lock({});
        server.answer_to("UNLOCK", {.status = status, .headers = {{"Location", "/there"}}});
        std::vector<std::string> reported;
        state::lock_request request{"apply", {}, {}};
        request.on_remaining = [&](infra::failure const& why) {
            reported.push_back(why.why().front().code);
            EXPECT_THAT(why.why().front().detail, HasSubstr("force-unlock " + lock_info::parse(server.lock())->id));
        };
        {
            EXPECT_TRUE(backend().lock("default", request));
        }
        EXPECT_THAT(reported, ElementsAre("remote_lock_remains")) << status;
    }
}

TEST_F(RemoteBackend, IsSilentIfAnotherProcessHasReleasedItsLockByForce)
{
    server.answer_to("UNLOCK", {.status = 409, .body = lock_of("ada@engine")});
    state::lock_request request{"apply", {}, {}};
    request.on_remaining = [](infra::failure const& why) { ADD_FAILURE() << why.why().front().code; };
    EXPECT_TRUE(backend().lock("default", request));
}

TEST(LockInfo, IsReadAsItIsWritten)
{
    lock_info info = lock_info::of_this_process("state mv", "a \"path\"");
    EXPECT_EQ(info.operation, "OperationTypeStateMv");
    auto const again = lock_info::parse(info.text());
    ASSERT_TRUE(again);
    EXPECT_EQ(again->text(), info.text());
    EXPECT_FALSE(lock_info::parse("no JSON"));
    EXPECT_FALSE(lock_info::parse("{}"));
}

}  // namespace
}  // namespace iacctl::backends::test
