// SPDX-License-Identifier: BSL-1.0
// Terraform's HTTP protocol of states, request by request.
#include "server/state_service.hpp"

#include "support.hpp"

#include "base/digest.hpp"
#include "base/encoding.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

namespace iacctl::server::test {
namespace {

using state::document_store;
using testing::HasSubstr;
using testing::Not;

auto lock_text(std::string const& id, std::string const& who = "ann@host") -> std::string
{
    return R"({"ID":")" + id + R"(","Operation":"OperationTypeApply","Info":"","Who":")" + who
        + R"(","Version":"1.11.4","Created":"2026-11-22T15:00:00Z","Path":""})";
}

class StateService : public testing::Test {
protected:
    auto send(std::string method, std::string target, std::string body = {}, role as = role::write) -> reply
    {
        return service.respond({std::move(method), std::move(target), {}, std::move(body), {"ann", as}});
    }
    auto status(std::string method, std::string target, std::string body = {}, role as = role::write) -> unsigned
    {
        return send(std::move(method), std::move(target), std::move(body), as).status;
    }

    [[nodiscard]] static auto opened(std::filesystem::path const& at) -> std::shared_ptr<document_store>
    {
        return std::make_shared<document_store>(*document_store::open(at));
    }

    state::test::temporary_directory directory;
    state_service service{opened(directory.path())};
};

TEST_F(StateService, ReturnsTheStoredDocument)
{
    EXPECT_EQ(status("GET", "/states/a"), 404U);
    EXPECT_EQ(status("POST", "/states/a", document(1)), 200U);
    reply const got = send("GET", "/states/a");
    EXPECT_EQ(got.status, 200U);
    EXPECT_EQ(got.body, document(1));
    EXPECT_EQ(got.content_type, "application/json");
    EXPECT_EQ(got.headers.at("Content-MD5"), base64(digest(document(1), digest_kind::md5)));
    EXPECT_EQ(status("GET", "/states/b"), 404U);
    EXPECT_EQ(status("PUT", "/states/a", document(2)), 200U);
    EXPECT_EQ(send("GET", "/states/%61").body, document(2));
}

TEST_F(StateService, VerifiesTheChecksumOfADocument)
{
    std::string const text = document(1);
    state_request request{"POST", "/states/a", base64(digest("other", digest_kind::md5)), text, {"ann", role::write}};
    EXPECT_EQ(service.respond(request).status, 400U);
    EXPECT_EQ(status("GET", "/states/a"), 404U);
    request.content_md5 = base64(digest(text, digest_kind::md5));
    EXPECT_EQ(service.respond(request).status, 200U);
}

TEST_F(StateService, RejectsBodiesThatAreNotStates)
{
    for (char const* const body : {"", "{}", "no JSON", "[1]"})
        EXPECT_EQ(status("POST", "/states/a", body), 400U) << body;
    EXPECT_EQ(status("GET", "/states/a"), 404U);
}

TEST_F(StateService, GrantsTheLockToOneClient)
{
    EXPECT_EQ(status("LOCK", "/states/a", lock_text("one")), 200U);
    reply const second = send("LOCK", "/states/a", lock_text("two"));
    EXPECT_EQ(second.status, 423U);
    EXPECT_EQ(second.body, lock_text("one"));
    EXPECT_EQ(status("LOCK", "/states/a", lock_text("one")), 200U) << "the reply to the first was lost";
    EXPECT_EQ(status("LOCK", "/states/b", lock_text("two")), 200U) << "another state";
    EXPECT_EQ(status("UNLOCK", "/states/a", lock_text("two")), 409U);
    EXPECT_EQ(status("UNLOCK", "/states/a", lock_text("one")), 200U);
    EXPECT_EQ(status("UNLOCK", "/states/a", lock_text("one")), 200U) << "the reply to the first was lost";
    EXPECT_EQ(status("LOCK", "/states/a", lock_text("two")), 200U);
    EXPECT_EQ(status("UNLOCK", "/states/a"), 200U) << "force-unlock sends no body";
    EXPECT_EQ(status("LOCK", "/states/a", lock_text("three")), 200U);
    EXPECT_EQ(status("LOCK", "/states/c", "{}"), 400U);
    EXPECT_EQ(status("LOCK", "/states/c", lock_text("x", std::string(70'000, 'w'))), 413U);
    EXPECT_EQ(status("UNLOCK", "/states/a", "no JSON"), 400U);
}

TEST_F(StateService, AcceptsWritesOnlyFromTheHolderOfTheLock)
{
    EXPECT_EQ(status("LOCK", "/states/a", lock_text("one")), 200U);
    EXPECT_EQ(status("POST", "/states/a", document(1)), 423U);
    EXPECT_EQ(status("POST", "/states/a?ID=two", document(1)), 423U);
    EXPECT_EQ(status("DELETE", "/states/a"), 423U);
    EXPECT_EQ(status("POST", "/states/a?x=y&ID=one", document(1)), 200U);
    EXPECT_EQ(status("UNLOCK", "/states/a"), 200U);
    EXPECT_EQ(status("POST", "/states/a?ID=one", document(2)), 409U) << "its lock was broken";
    EXPECT_EQ(send("GET", "/states/a").body, document(1));
}

TEST_F(StateService, RejectsStatesThatDoNotSucceedTheCurrentOne)
{
    EXPECT_EQ(status("POST", "/states/a", document(5)), 200U);
    EXPECT_EQ(status("POST", "/states/a", document(5)), 200U) << "the reply to the first was lost";
    EXPECT_EQ(status("POST", "/states/a", document(5, "L", "other")), 409U);
    EXPECT_EQ(status("POST", "/states/a", document(4)), 409U);
    reply const foreign = send("POST", "/states/a", document(6, "M"));
    EXPECT_EQ(foreign.status, 409U);
    EXPECT_THAT(foreign.body, HasSubstr("lineage \"L\""));
    EXPECT_EQ(send("GET", "/states/a").body, document(5));
    EXPECT_EQ(status("DELETE", "/states/a"), 200U);
    EXPECT_EQ(status("GET", "/states/a"), 404U);
    EXPECT_EQ(status("POST", "/states/a", document(1, "M")), 200U);
}

TEST_F(StateService, AllowsReadersToReadOnly)
{
    EXPECT_EQ(status("POST", "/states/a", document(1)), 200U);
    EXPECT_EQ(status("GET", "/states/a", {}, role::read), 200U);
    EXPECT_EQ(status("GET", "/history/a", {}, role::read), 200U);
    EXPECT_EQ(status("POST", "/states/a", document(2), role::read), 403U);
    EXPECT_EQ(status("LOCK", "/states/a", lock_text("one"), role::read), 403U);
    EXPECT_EQ(status("UNLOCK", "/states/a", {}, role::read), 403U);
    EXPECT_EQ(status("DELETE", "/states/a", {}, role::read), 403U);
    EXPECT_EQ(send("GET", "/states/a").body, document(1));
}

TEST_F(StateService, RejectsNamesThatLeaveTheDirectory)
{
    for (char const* const path : {"/states/", "/states/..", "/states/.x", "/states/../b", "/states/a/b",
             "/states/a%2fb", "/states/%2e%2e", "/states/a%00", "/states/a%5cb", "/history/..", "/states/%zz"})
        EXPECT_EQ(status("GET", path), 400U) << path;
    EXPECT_EQ(status("GET", "/states/" + std::string(201, 'a')), 400U);
    EXPECT_EQ(status("GET", "/states/" + std::string(200, 'a')), 404U);
    EXPECT_EQ(status("GET", "/other"), 404U);
    EXPECT_EQ(status("GET", "//states/a"), 404U);
    EXPECT_EQ(status("GET", "states/a"), 404U);
    EXPECT_EQ(status("GET", ""), 404U);
    EXPECT_EQ(send("PATCH", "/states/a").headers.at("Allow"), "GET, POST, PUT, DELETE, LOCK, UNLOCK");
    EXPECT_EQ(status("POST", "/history/a"), 405U);
}

TEST_F(StateService, ShowsHistoryWithoutTheContentOfStates)
{
    EXPECT_EQ(status("POST", "/states/a", document(1, "L", "hush")), 200U);
    EXPECT_EQ(status("POST", "/states/a", document(2, "<i>", "hush")), 409U);
    EXPECT_EQ(status("DELETE", "/states/a"), 200U);
    EXPECT_EQ(status("POST", "/states/a", document(2, "<i>&", "hush")), 200U);

    reply const history = send("GET", "/history/a");
    EXPECT_EQ(history.content_type, "application/json");
    EXPECT_THAT(history.body, HasSubstr(R"("serial":2,"lineage":"\u003ci\u003e\u0026","time":)"));
    EXPECT_THAT(history.body, HasSubstr(R"("revision":2,"serial":1,)"));
    EXPECT_THAT(history.body, HasSubstr(R"("user":"ann","size":0,"deleted":true)"));
    EXPECT_EQ(status("GET", "/history/none"), 404U);
    EXPECT_THAT(history.body, Not(HasSubstr("hush")));

    EXPECT_EQ(send("GET", "/states/a?revision=1").body, document(1, "L", "hush"));
    EXPECT_EQ(status("GET", "/states/a?revision=2"), 404U) << "the removal";
    EXPECT_EQ(status("GET", "/states/b?revision=1"), 404U) << "of another state";
    EXPECT_EQ(status("GET", "/states/a?revision=x"), 400U);
}

TEST_F(StateService, DoesNotSendReasonsOfFailuresToClients)
{
    EXPECT_EQ(status("POST", "/states/a", document(1, "L", "original")), 200U);
    service = state_service(opened(directory.path() / "other"));
    std::string bytes = state::test::read_text(directory.path() / "states.db");
    auto const at = bytes.find("original");
    ASSERT_NE(at, bytes.npos);
    bytes[at] = 'X';
    state::test::write_text(directory.path() / "states.db", bytes);
    service = state_service(opened(directory.path()));
    reply const got = send("GET", "/states/a");
    EXPECT_EQ(got.status, 500U);
    EXPECT_THAT(got.body, Not(HasSubstr(directory.path().string())));
    ASSERT_TRUE(got.failure);
    EXPECT_THAT(state::test::error_text(*got.failure), HasSubstr("served_states_damaged"));
}

}  // namespace
}  // namespace iacctl::server::test
