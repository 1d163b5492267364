// SPDX-License-Identifier: BSL-1.0
// State on a server with Terraform's HTTP protocol, with its mirror on this machine.
#include "state/backends/remote_backend.hpp"
#include "state/backends/http_state.hpp"
#include "state/backends/mirrored_store.hpp"

#include "iacctl/providers/http_server.hpp"
#include "iacctl/state/support.hpp"

#include "state/document/state_v4.hpp"

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
    void answer_to(std::string method, answer a)
    {
        std::lock_guard const guard(mutex_);
        answers_[std::move(method)] = std::move(a);
    }
    enum class loss { none, of_writes, from_the_next_write };
    // From now on, writes are performed, and the connection ends before the answer.
    void lose_answers(loss l)
    {
        std::lock_guard const guard(mutex_);
        loses_ = l;
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
    auto add(std::string const& name, std::function<void()> const& before_end = [] {}) const -> expected<void>
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
        if (auto const saved = store->append_now(entries, *now); !saved) return saved.error();
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
    EXPECT_TRUE(add("a"));
    EXPECT_TRUE(add("b"));

    auto const document = state::from_v4(server.document().value());
    ASSERT_TRUE(document) << error_text(document);
    EXPECT_EQ(document->resources.size(), 2U);
    EXPECT_THAT(addresses(), ElementsAre("terraform_data.a", "terraform_data.b"));
}

TEST_F(RemoteBackend, ReadsAndAdoptsTheStateOfAnotherMachine)
{
    ASSERT_TRUE(add("a"));
    auto theirs = state::from_v4(server.document().value()).value();
    ASSERT_TRUE(replay(
        theirs, infra::journal_entry::record(*infra::parse_address("terraform_data.other"), {}, some_object("other"))));
    server.put(state::to_v4(theirs, "1.11.4"));

    EXPECT_THAT(addresses(), ElementsAre("terraform_data.a", "terraform_data.other"));
    EXPECT_TRUE(add("b"));
    EXPECT_THAT(addresses(), ElementsAre("terraform_data.a", "terraform_data.b", "terraform_data.other"));
}

TEST_F(RemoteBackend, SetsAMirrorOfAnotherLineageAside)
{
    ASSERT_TRUE(add("a"));
    infra::snapshot other;
    other.lineage = "another";
    other.serial = 1;
    server.put(state::to_v4(other, "1.11.4"));

    EXPECT_TRUE(add("b"));

    EXPECT_THAT(addresses(), ElementsAre("terraform_data.b"));
    EXPECT_EQ(state::from_v4(server.document().value())->lineage, "another");
}

TEST_F(RemoteBackend, KeepsUnpublishedChangesUntilTheNextWriterPublishesThem)
{
    ASSERT_TRUE(add("a"));
    auto const before = server.document();
    server.refuse_writes(503);

    auto const failed = add("b");

    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().why().front().code, "state_not_published");
    EXPECT_EQ(state::test::exit_code_of(failed.error()), 5);
    EXPECT_EQ(server.document(), before);
    EXPECT_THAT(addresses(), ElementsAre("terraform_data.a", "terraform_data.b"));

    server.refuse_writes(0);
    EXPECT_EQ(server.document(), before) << "a command that only reads does not publish";
    (void)addresses(open_mode::read_write);
    EXPECT_EQ(state::from_v4(server.document().value())->resources.size(), 2U);
}

TEST_F(RemoteBackend, RecognizesItsOwnStateIfTheReplyWasLost)
{
    ASSERT_TRUE(add("a"));
    server.lose_answers(state_server::loss::from_the_next_write);
    ASSERT_FALSE(add("b"));
    server.lose_answers(state_server::loss::of_writes);
    EXPECT_TRUE(add("c")) << "the document shows that it was written";

    EXPECT_THAT(addresses(), ElementsAre("terraform_data.a", "terraform_data.b", "terraform_data.c"));
}

TEST_F(RemoteBackend, PublishesOverAnEarlierStateOfItsOwnIfTheReplyWasLost)
{
    ASSERT_TRUE(add("a"));
    server.lose_answers(state_server::loss::from_the_next_write);
    {
        mirrored_store store(make_http_state(server.settings()), "default",
            state::workspace_files(machine.path() / "mirror" / "default"), open_mode::read_write,
            std::make_shared<std::string const>(), std::chrono::seconds(0));
        auto now = store.read_now().value();
        ASSERT_TRUE(store.begin_generation("apply"));
        for (std::string const name : {"b", "c"}) {
            auto const entry =
                infra::journal_entry::record(*infra::parse_address("terraform_data." + name), {}, some_object(name));
            ASSERT_TRUE(replay(now, entry));
            ASSERT_TRUE(store.append_now(std::vector{entry}, now));
        }
        EXPECT_THAT(codes_of(store.end_generation("complete")), Contains("state_not_published"));
    }
    EXPECT_EQ(state::from_v4(server.document().value())->resources.size(), 2U) << "the one with b was written";

    server.lose_answers(state_server::loss::none);
    EXPECT_TRUE(add("d")) << "nobody else has changed the state";
    EXPECT_THAT(
        addresses(), ElementsAre("terraform_data.a", "terraform_data.b", "terraform_data.c", "terraform_data.d"));
    EXPECT_THAT(rescue_copies(), IsEmpty());
}

TEST_F(RemoteBackend, NotesADocumentThatWasSentAgainOnceAndALimitedNumberOfOthers)
{
    ASSERT_TRUE(add("a"));
    server.refuse_writes(503);
    auto const mirror = machine.path() / "mirror" / "default";
    mirrored_store store(make_http_state(server.settings()), "default", state::workspace_files(mirror),
        open_mode::read_write, std::make_shared<std::string const>(), std::chrono::seconds(0));
    auto const size_of_note = [&] { return std::filesystem::file_size(mirrored_store::publication_file_of(mirror)); };
    auto now = store.read_now().value();
    ASSERT_TRUE(store.begin_generation("apply"));
    ++now.serial;
    ASSERT_TRUE(store.append_now({}, now));
    auto const size = size_of_note();
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(store.append_now({}, now));
    EXPECT_EQ(size_of_note(), size);
    for (int i = 0; i < 1100; ++i) {
        ++now.serial;
        ASSERT_TRUE(store.append_now({}, now));
    }
    EXPECT_LT(size_of_note(), 70'000U) << "a note of a thousand documents";
    EXPECT_GT(size_of_note(), 60'000U);
}

TEST_F(RemoteBackend, WritesARescueCopyIfStateWasChangedInTwoPlacesAndUsesTheServer)
{
    ASSERT_TRUE(add("a"));
    auto theirs = state::from_v4(server.document().value()).value();
    server.refuse_writes(500);
    ASSERT_FALSE(add("b"));
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
    EXPECT_TRUE(add("c"));
    EXPECT_THAT(addresses(), ElementsAre("terraform_data.a", "terraform_data.c"));
}

TEST_F(RemoteBackend, WritesARescueCopyIfItsLockWasLostAndStateWasChanged)
{
    ASSERT_TRUE(add("a"));
    auto theirs = state::from_v4(server.document().value()).value();
    ++theirs.serial;

    auto const failed = add("b", [&] {
        server.put(state::to_v4(theirs, "1.11.4"));
        server.refuse_writes(409);
    });
    server.refuse_writes(0);

    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().why().front().code, "mirror_rescued");
    EXPECT_EQ(rescue_copies().size(), 1U);
    EXPECT_THAT(addresses(), ElementsAre("terraform_data.a"));
}

TEST_F(RemoteBackend, ReplacesAMirrorWhoseUpdateWasInterrupted)
{
    ASSERT_TRUE(add("a"));
    ASSERT_TRUE(add("b"));
    std::filesystem::remove_all(machine.path() / "mirror" / "default");  // fewer entries than were noted

    EXPECT_THAT(addresses(), ElementsAre("terraform_data.a", "terraform_data.b"));
    EXPECT_TRUE(add("c"));
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
        ASSERT_TRUE(store->append_now({}, empty));
        ASSERT_TRUE(store->end_generation("complete"));
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

    EXPECT_TRUE(backend().force_unlock("default", lock_info::parse(server.lock())->id));

    EXPECT_EQ(server.lock(), "");
}

TEST_F(RemoteBackend, ReportsEachStatusWithItsMeaning)
{
    for (auto const& [status, code] : std::vector<std::pair<unsigned, std::string>>{
             {401, "remote_state_needs_login"}, {403, "remote_state_denied"}, {418, "remote_state_refused"}}) {
        server.refuse_writes(status);
        auto const failed = backend().remove("default");
        ASSERT_FALSE(failed);
        EXPECT_EQ(failed.error().why().front().code, code);
    }
    auto lost = server.settings();
    lost.address = providers_test::dead_url();
    auto const unreachable = remote_backend(make_http_state(lost), machine.path() / "x", {}).exists("default");
    EXPECT_THAT(codes_of(unreachable), ElementsAre("remote_state_unreachable"));
    std::string const detail = unreachable.error().why().front().detail;
    EXPECT_THAT(detail, HasSubstr(lost.address));
    EXPECT_EQ(detail.find("http://"), detail.rfind("http://")) << detail;
    EXPECT_THAT(codes_of(backend().workspaces()), ElementsAre("backend_without_workspaces"));
}

TEST_F(RemoteBackend, PublishesAHigherSerialWithoutOtherChanges)
{
    ASSERT_TRUE(add("a"));
    auto const raise = [&] {
        auto const in = backend();
        auto const store = in.open("default", open_mode::read_write);
        auto now = store->read_now();
        ASSERT_TRUE(now) << error_text(now);
        ASSERT_TRUE(store->begin_generation("state push"));
        now->serial += 10;
        ASSERT_TRUE(store->append_now({}, *now));
        (void)store->end_generation("complete");
    };

    raise();
    auto const first = state::from_v4(server.document().value())->serial;
    EXPECT_GT(first, 10U);
    server.refuse_writes(500);
    raise();
    server.refuse_writes(0);
    EXPECT_THAT(addresses(open_mode::read_write), ElementsAre("terraform_data.a"));
    EXPECT_EQ(state::from_v4(server.document().value())->serial, first + 10);
}

TEST_F(RemoteBackend, RefusesAServerThatHasLostTheState)
{
    ASSERT_TRUE(add("a"));
    ASSERT_TRUE(add("b"));
    auto const document = server.document();
    for (answer const& one :
        {answer{.status = 404}, answer{.status = 404, .body = "<html></html>"}, answer{}, answer{.status = 204}}) {
        server.answer_to("GET", one);
        for (open_mode const mode : {open_mode::read_only, open_mode::read_write}) {
            auto const refused = backend().open("default", mode)->read_now();
            EXPECT_THAT(codes_of(refused), ElementsAre("remote_state_missing")) << one.status;
            EXPECT_EQ(state::test::exit_code_of(refused.error()), 4);
            EXPECT_THAT(error_text(refused), HasSubstr("serial " + std::to_string(state::from_v4(*document)->serial)));
        }
        EXPECT_FALSE(add("c"));
    }
    server.answer_to("GET", {.body = *document});
    EXPECT_THAT(addresses(), ElementsAre("terraform_data.a", "terraform_data.b"));
}

TEST_F(RemoteBackend, RefusesAnOlderStateOfTheSameLineage)
{
    ASSERT_TRUE(add("a"));
    auto const old = server.document();
    ASSERT_TRUE(add("b"));
    auto const latest = server.document();
    server.put(old);

    auto const refused = backend().open("default", open_mode::read_only)->read_now();

    EXPECT_THAT(codes_of(refused), ElementsAre("remote_state_older"));
    EXPECT_EQ(state::test::exit_code_of(refused.error()), 4);
    for (auto const& one : {old, latest})
        EXPECT_THAT(error_text(refused), HasSubstr("serial " + std::to_string(state::from_v4(*one)->serial)));
    EXPECT_FALSE(add("c"));
    EXPECT_EQ(server.document(), old);
    EXPECT_THAT(rescue_copies(), IsEmpty());
}

TEST_F(RemoteBackend, RefusesAnOlderStateAlsoIfChangesAreNotPublished)
{
    ASSERT_TRUE(add("a"));
    auto const old = server.document();
    ASSERT_TRUE(add("b"));
    server.refuse_writes(500);
    ASSERT_FALSE(add("c"));
    server.refuse_writes(0);

    server.put(old);
    EXPECT_THAT(
        codes_of(backend().open("default", open_mode::read_write)->read_now()), ElementsAre("remote_state_older"));
    server.put(std::nullopt);
    EXPECT_THAT(
        codes_of(backend().open("default", open_mode::read_write)->read_now()), ElementsAre("remote_state_missing"));

    ASSERT_TRUE(backend().salvage("default", state::salvage_source::mirror));
    EXPECT_THAT(addresses(), ElementsAre("terraform_data.a", "terraform_data.b", "terraform_data.c"));
}

TEST_F(RemoteBackend, WritesTheMirrorToTheServerAgainOnRequest)
{
    ASSERT_TRUE(add("a"));
    auto const old = server.document().value();
    ASSERT_TRUE(add("b"));
    auto const latest = server.document().value();
    EXPECT_THAT(codes_of(backend().salvage_choices("default")), ElementsAre("remote_state_is_sound"));
    EXPECT_THAT(
        codes_of(backend().salvage("default", state::salvage_source::server)), ElementsAre("remote_state_is_sound"));
    for (std::optional<std::string> const& broken :
        {std::optional<std::string>(old), {}, {latest.substr(0, latest.size() / 2)}}) {
        server.put(broken);
        auto const choices = backend().salvage_choices("default");
        ASSERT_TRUE(choices) << error_text(choices);
        ASSERT_EQ(choices->size(), 2U);
        EXPECT_EQ(choices->front().content.resources.size(), 2U);

        auto const done = backend().salvage("default", state::salvage_source::mirror);

        ASSERT_TRUE(done) << error_text(done);
        auto const there = state::from_v4(server.document().value());
        EXPECT_GT(there->serial, state::from_v4(latest)->serial);
        EXPECT_EQ(there->serial, done->serial);
        EXPECT_THAT(addresses(), ElementsAre("terraform_data.a", "terraform_data.b"));
    }
    EXPECT_TRUE(add("c"));
    EXPECT_THAT(
        codes_of(backend().salvage("default", state::salvage_source::rows)), ElementsAre("state_salvage_not_offered"));
}

TEST_F(RemoteBackend, AcceptsTheDocumentOfTheServerOnRequestAndKeepsTheMirror)
{
    ASSERT_TRUE(add("a"));
    auto const old = server.document();
    ASSERT_TRUE(add("b"));
    server.put(old);

    auto const done = backend().salvage("default", state::salvage_source::server);

    ASSERT_TRUE(done) << error_text(done);
    EXPECT_EQ(state::from_v4(state::test::read_text(done->replaced))->resources.size(), 2U);
    EXPECT_THAT(addresses(), ElementsAre("terraform_data.a"));
    EXPECT_TRUE(add("c"));
    server.put(std::nullopt);
    ASSERT_TRUE(backend().salvage("default", state::salvage_source::server));
    EXPECT_THAT(addresses(), IsEmpty());
    EXPECT_TRUE(add("d"));
    EXPECT_THAT(addresses(), ElementsAre("terraform_data.d"));
}

TEST_F(RemoteBackend, NamesTheServerOfADamagedDocumentAndTheCopy)
{
    ASSERT_TRUE(add("a"));
    auto const document = server.document().value();
    for (std::string const& broken : {document.substr(0, document.size() / 2), std::string("null"), std::string("{}"),
             std::string("<html>login please</html>")}) {
        server.put(broken);
        auto const refused = backend().open("default", open_mode::read_write)->read_now();
        ASSERT_FALSE(refused);
        EXPECT_EQ(codes_of(refused).front(), "remote_state_damaged");
        EXPECT_EQ(state::test::exit_code_of(refused.error()), 4);
        EXPECT_THAT(error_text(refused), HasSubstr(server.settings().address));
        EXPECT_THAT(error_text(refused), HasSubstr((machine.path() / "mirror" / "default").string()));
        EXPECT_FALSE(backend().salvage("default", state::salvage_source::server));
    }
}

TEST_F(RemoteBackend, ReplacesADocumentThatCannotBeUsedAsAWhole)
{
    ASSERT_TRUE(add("a"));
    auto const document = server.document().value();
    ASSERT_TRUE(add("b"));
    for (bool const has_content : {true, false}) {
        server.put(document.substr(0, document.size() / 2));
        auto const in = backend();
        auto const store = in.open("default", open_mode::read_write);
        auto replaced = store->read_to_replace();
        ASSERT_TRUE(replaced) << error_text(replaced);
        EXPECT_TRUE(replaced->is_unusable);
        ASSERT_TRUE(store->begin_generation("state push"));
        std::vector<infra::journal_entry> entries;
        if (has_content)
            entries.push_back(
                infra::journal_entry::record(*infra::parse_address("terraform_data.n"), {}, some_object("n")));
        for (auto const& e : entries) EXPECT_TRUE(replay(replaced->now, e));
        replaced->now.serial += 5;
        ASSERT_TRUE(store->append_now(entries, replaced->now));
        EXPECT_TRUE(store->end_generation("complete"));

        auto const there = state::from_v4(server.document().value());
        ASSERT_TRUE(there) << error_text(there);
        EXPECT_GT(there->serial, state::from_v4(document)->serial);
        EXPECT_EQ(there->lineage, state::from_v4(document)->lineage);
        EXPECT_EQ(addresses(), has_content ? std::vector<std::string>{"terraform_data.n"} : std::vector<std::string>());
    }
    auto const sound = backend().open("default", open_mode::read_write)->read_to_replace();
    ASSERT_TRUE(sound) << error_text(sound);
    EXPECT_FALSE(sound->is_unusable);
}

TEST_F(RemoteBackend, TreatsARedirectedWriteAsFailed)
{
    for (unsigned const status : {301U, 302U, 303U}) {
        server.answer_to("POST", {.status = status, .headers = {{"Location", "/there"}}});
        auto const failed = add("a" + std::to_string(status));
        ASSERT_FALSE(failed) << status;
        EXPECT_EQ(failed.error().why().back().code, "remote_request_redirected");
        EXPECT_EQ(state::test::exit_code_of(failed.error()), status == 301 ? 5 : 1)
            << "the second command does not begin";
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
        ASSERT_FALSE(failed) << status;
        EXPECT_EQ(failed.error().why().back().code, "remote_request_redirected");
        EXPECT_THAT(failed.error().why().back().detail, HasSubstr(other.settings().address));
        EXPECT_THAT(failed.error().why().back().detail, Not(HasSubstr("hush")));
    }
    EXPECT_THAT(other.log(), IsEmpty());
}

TEST_F(RemoteBackend, RepeatsAWriteThatThePathOfTheSameServerRedirects)
{
    server.answer_to("POST", {.status = 308, .headers = {{"Location", "/there"}}});
    EXPECT_TRUE(add("a"));
    EXPECT_THAT(server.log(), Contains("POST /there"));
    EXPECT_THAT(addresses(), ElementsAre("terraform_data.a"));
}

TEST_F(RemoteBackend, AcceptsOnlyTheDocumentedStatusOfAWrite)
{
    for (unsigned const status : {202U, 203U, 205U, 206U, 300U, 304U, 404U}) {
        server.answer_to("POST", {.status = status});
        auto const failed = add("a" + std::to_string(status));
        ASSERT_FALSE(failed) << status;
        EXPECT_EQ(failed.error().why().back().code, "remote_state_refused");
        if (status != 404) {
            server.answer_to("DELETE", {.status = status});
            EXPECT_FALSE(backend().remove("default")) << status;
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
        EXPECT_EQ(backend().remove("default").error().why().front().code, "remote_request_redirected");
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
