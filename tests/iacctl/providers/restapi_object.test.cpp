// SPDX-License-Identifier: BSL-1.0
#include "http_server.hpp"
#include "support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace {

using namespace providers_test;
using infra::lookup_answer;
using infra::operation_kind;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;

/// An API that keeps objects under /objects. Tests can give answers that come first.
class object_api {
public:
    auto operator()(asked const& q) -> answer
    {
        last = q;
        if (!first.empty()) {
            answer const said = first.front();
            first.erase(first.begin());
            if (said.status != 0) return said;
        }
        if (q.method == "POST") {
            std::string const id = q.body.find("\"id\"") == std::string::npos ? "new" : "7";
            objects[id] = id == "new" ? R"({"id":"new",)" + q.body.substr(1) : q.body;
            return {201, R"({"id":")" + id + "\"}"};
        }
        std::string const id = q.target.substr(q.target.rfind('/') + 1);
        if (!objects.contains(id)) return {404, "no such object"};
        if (q.method == "PUT") objects[id] = q.body;
        std::string const body = objects[id];
        if (q.method == "DELETE") objects.erase(id);
        return {200, body};
    }

    std::map<std::string, std::string> objects;
    std::vector<answer> first;  ///< answers before those of the API; status 0: no answer
    asked last;
};

class RestapiObject : public testing::Test {
protected:
    auto given(std::string_view data, entries more = {}) const -> entries
    {
        entries all{{"uri", text(server.url())}, {"path", text("/objects")}, {"data", text(data)},
            {"min_wait", value(iacctl::language::number(0.01))}};
        for (auto& one : more) all.push_back(std::move(one));
        return all;
    }
    auto planned_for(entries e) const -> value
    {
        return plan("restapi_object", {}, desired("restapi_object", std::move(e)))->after;
    }

    object_api api;
    http_server server{[this](asked const& q) { return api(q); }};
};

std::string const seven = R"({"id":"7","name":"Foo"})";

}  // namespace

TEST_F(RestapiObject, IsCreatedReadUpdatedAndDestroyedByItsVerbs)
{
    auto const made = create("restapi_object", given(seven));
    ASSERT_EQ(made.error(), "");
    EXPECT_EQ(text_at(*made, "id"), "7");
    EXPECT_EQ(text_at(at(*made, "api_data"), "name"), "Foo");
    EXPECT_EQ(text_at(*made, "api_response"), seven);
    EXPECT_EQ(text_at(*made, "create_response"), R"({"id":"7"})");
    EXPECT_EQ(**read("restapi_object", *made), *made);

    auto const change = plan("restapi_object", *made, desired("restapi_object", given(R"({"id":"7","name":"Bar"})")));
    auto const changed = apply("restapi_object", operation_kind::update, *made, change->after);
    ASSERT_TRUE(changed.object && !changed.failed());
    EXPECT_THAT(change->replace_paths, IsEmpty());
    EXPECT_EQ(text_at(at(*changed.object, "api_data"), "name"), "Bar");

    EXPECT_FALSE(apply("restapi_object", operation_kind::destroy, changed.object, {}).object);
    EXPECT_THAT(server.log(),
        ElementsAre("POST /objects", "GET /objects/7", "GET /objects/7", "PUT /objects/7", "GET /objects/7",
            "DELETE /objects/7"));
}

TEST_F(RestapiObject, UsesConfiguredPathsVerbsAndHeaders)
{
    auto const made = create("restapi_object",
        given(R"({"meta":{"uid":7},"id":"7"})",
            {{"id_attribute", text("meta/uid")}, {"create_path", text("/new")}, {"create_method", text("PUT")},
                {"read_path", text("/objects/{id}")}, {"query_string", text("a=b c")},
                {"create_returns_object", value(true)}, {"headers", pairs({{"X-Key", text("k")}})},
                {"bearer_token", text("t")}}));

    EXPECT_THAT(server.log(), ElementsAre("PUT /new?a=b%20c"));
    EXPECT_NE(made.error(), "");  // there is no /new to put to
    EXPECT_EQ(api.last.headers["X-Key"], "k");
    EXPECT_EQ(api.last.headers["Authorization"], "Bearer t");
    EXPECT_EQ(api.last.headers["Idempotency-Key"], "key-1");
    EXPECT_EQ(api.last.headers["Content-Type"], "application/json");
}

TEST_F(RestapiObject, UsesTheIdOfTheServerIfItHasNone)
{
    auto const made = create("restapi_object", given(R"({"name":"Foo"})"));

    EXPECT_EQ(text_at(*made, "id"), "new");
    EXPECT_EQ(text_at(*made, "data"), R"({"name":"Foo"})");
    EXPECT_EQ(text_at(**read("restapi_object", *made), "data"), R"({"name":"Foo"})");
}

TEST_F(RestapiObject, DetectsChangedAndMissingObjects)
{
    auto const made = create("restapi_object", given(seven));
    auto const forgiving = create("restapi_object", given(seven, {{"ignore_server_additions", value(true)}}));
    auto const blind = create("restapi_object", given(seven, {{"ignore_changes_to", texts({"name", "more"})}}));

    api.objects["7"] = R"({"id":"7","more":1,"name":"Foo"})";
    EXPECT_EQ(text_at(**read("restapi_object", *made), "data"), R"({"id":"7","more":1,"name":"Foo"})");
    EXPECT_EQ(text_at(**read("restapi_object", *forgiving), "data"), seven);
    api.objects["7"] = R"({"id":"7","more":1,"name":"Bar"})";
    auto const drifted = **read("restapi_object", *forgiving);
    EXPECT_EQ(text_at(drifted, "data"), R"({"id":"7","name":"Bar"})");
    EXPECT_EQ(text_at(**read("restapi_object", *blind), "data"), seven);
    auto const wanted = plan("restapi_object", drifted, desired("restapi_object", given(seven)));
    EXPECT_TRUE(at(wanted->after, "api_response").is_unknown());
    api.objects.clear();
    EXPECT_FALSE(read("restapi_object", *made)->has_value());
}

TEST_F(RestapiObject, IsReplacedIfAFieldOrAPathRequiresIt)
{
    auto const made = create("restapi_object", given(seven, {{"force_new", texts({"name"})}}));
    auto const because = [&](entries e) {
        return plan("restapi_object", *made, desired("restapi_object", std::move(e)))->replace_paths;
    };
    auto elsewhere = given(seven);
    elsewhere[1].of = text("/others");

    EXPECT_THAT(because(given(R"({"id":"7","name":"Bar"})", {{"force_new", texts({"name"})}})),
        ElementsAre(infra::attribute_path{"data", "name"}));
    EXPECT_THAT(because(given(R"({ "name" : "Foo", "id": "7" })", {{"force_new", texts({"name"})}})), IsEmpty());
    EXPECT_THAT(because(elsewhere), ElementsAre(iacctl::providers::path_of("path")));
}

TEST_F(RestapiObject, RetriesAfterFailuresOfTheServer)
{
    api.first = {{500, "oops"}, {503, "later", {{"Retry-After", "0"}}}};

    auto const made = create("restapi_object", given(seven, {{"max_retries", whole(2)}}));

    EXPECT_EQ(made.error(), "");
    EXPECT_THAT(server.log(), ElementsAre("POST /objects", "POST /objects", "POST /objects", "GET /objects/7"));
}

TEST_F(RestapiObject, FailsAfterTheConfiguredNumberOfRetries)
{
    api.first = {{500, "oops"}, {500, "oops"}, {404, ""}};

    auto const made = create("restapi_object", given(seven, {{"max_retries", whole(1)}}));

    EXPECT_THAT(made.error(), EndsWith("status 500: oops [api_create_failed]"));
    EXPECT_THAT(server.log(), ElementsAre("POST /objects", "POST /objects", "GET /objects/7"));
}

TEST_F(RestapiObject, DoesNotRetryRejectedRequests)
{
    api.first = {{422, "no"}};

    auto const made = create("restapi_object", given(seven, {{"max_retries", whole(5)}}));

    EXPECT_THAT(made.error(), EndsWith("status 422: no [api_create_failed]"));
    EXPECT_THAT(server.log(), ElementsAre("POST /objects"));
}

TEST_F(RestapiObject, IsFoundIfTheResponseToItsCreationWasLost)
{
    api.objects["7"] = seven;
    api.first = {{.hangs_up = true}};

    auto const made = create("restapi_object", given(seven, {{"max_retries", whole(5)}}));

    EXPECT_EQ(made.error(), "");
    EXPECT_THAT(server.log(), ElementsAre("POST /objects", "GET /objects/7"));
}

TEST_F(RestapiObject, IsNotCreatedTwiceIfItsCreationHasAnUnknownResult)
{
    api.first = {{.hangs_up = true}};

    auto const made = apply("restapi_object", operation_kind::create, {},
        planned_for(given(R"({"name":"Foo"})", {{"max_retries", whole(5)}})));

    EXPECT_TRUE(made.interrupted);
    EXPECT_THAT(server.log(), ElementsAre("POST /objects"));
}

TEST_F(RestapiObject, EndsRequestsThatTakeTooLong)
{
    auto const made = create("restapi_object", given(seven));
    api.first = {{.status = 200, .delay_ms = 200}};
    auto const slow = iacctl::providers::with(*made, {{"timeout", value(iacctl::language::number(0.05))}});

    auto const found = read("restapi_object", slow);

    EXPECT_THAT(found.error(), AllOf(HasSubstr("timed out"), EndsWith("[api_read_failed]")));
}

TEST_F(RestapiObject, ReportsThatNoServerListens)
{
    auto wanted = given(seven);
    wanted[0].of = text(dead_url());

    auto const made = create("restapi_object", wanted);

    EXPECT_THAT(made.error(), HasSubstr("Connection refused"));
}

TEST_F(RestapiObject, NamesTheArgumentThatAFailedRequestIsAbout)
{
    auto const about = [&](std::vector<answer> first, entries given) {
        api.first = std::move(first);
        return apply("restapi_object", operation_kind::create, {}, planned_for(std::move(given)))
            .problems.front()
            .attribute;
    };
    auto without_server = given(seven);
    without_server[0].of = text(dead_url());

    EXPECT_EQ(about({}, without_server), "uri");
    EXPECT_EQ(about({{422, "no"}}, given(seven)), "data");
    EXPECT_EQ(about({{403, "no"}}, given(seven)), "path");
    EXPECT_EQ(about({{403, "no"}}, given(seven, {{"create_path", text("/new")}})), "create_path");
    EXPECT_EQ(about({{201, "{}"}}, given(R"({"name":"Foo"})")), "data");
    EXPECT_EQ(about({{201, "{}"}}, given(R"({"name":"Foo"})", {{"id_attribute", text("uid")}})), "id_attribute");

    auto const made = create("restapi_object", given(seven));
    auto const change = [&](entries more) {
        return plan(
            "restapi_object", *made, desired("restapi_object", given(R"({"id":"7","name":"Bar"})", std::move(more))))
            ->after;
    };
    auto const about_update = [&](entries more) {
        api.first = {{400, "bad"}};
        return apply("restapi_object", operation_kind::update, *made, change(std::move(more)))
            .problems.front()
            .attribute;
    };
    EXPECT_EQ(about_update({}), "data");
    EXPECT_EQ(about_update({{"update_data", text("{}")}}), "update_data");
    api.first = {{403, "mine"}};
    EXPECT_EQ(apply("restapi_object", operation_kind::destroy, *made, {}).problems.front().attribute, "path");
}

TEST_F(RestapiObject, StaysInStateIfItCannotBeChangedOrDestroyed)
{
    auto const made = create("restapi_object", given(seven));
    auto const change = plan("restapi_object", *made, desired("restapi_object", given(R"({"id":"7","name":"Bar"})")));

    api.first = {{400, "bad"}};
    auto const changed = apply("restapi_object", operation_kind::update, *made, change->after);
    api.first = {{403, "mine"}};
    auto const destroyed = apply("restapi_object", operation_kind::destroy, *made, {});

    EXPECT_EQ(changed.object, *made);
    EXPECT_THAT(first_error(changed.problems), EndsWith("status 400: bad [api_update_failed]"));
    EXPECT_EQ(destroyed.object, *made);
    EXPECT_THAT(first_error(destroyed.problems), EndsWith("status 403: mine [api_delete_failed]"));
}

TEST_F(RestapiObject, StaysPendingIfNobodyKnowsWhetherItWasChangedOrDestroyed)
{
    auto const made = create("restapi_object", given(seven));
    auto const change = plan("restapi_object", *made, desired("restapi_object", given(R"({"id":"7","name":"Bar"})")));

    for (answer const& none : {answer{.hangs_up = true}, answer{503, "busy"}}) {
        api.first.assign(8, none);
        auto const changed = apply("restapi_object", operation_kind::update, *made, change->after);
        api.first.assign(8, none);
        auto const destroyed = apply("restapi_object", operation_kind::destroy, *made, {});

        EXPECT_TRUE(changed.interrupted);
        EXPECT_THAT(first_error(changed.problems), EndsWith("[api_update_failed]"));
        EXPECT_TRUE(destroyed.interrupted);
        EXPECT_THAT(first_error(destroyed.problems), EndsWith("[api_delete_failed]"));
    }
}

TEST_F(RestapiObject, IsNeitherCreatedNorChangedNorDestroyedByARedirectedRequest)
{
    auto const made = create("restapi_object", given(seven));
    answer const elsewhere{302, "", {{"Location", "/objects/7"}}};
    answer const here{307, "", {{"Location", "/objects/7"}}};
    auto const change = plan("restapi_object", *made, desired("restapi_object", given(R"({"id":"7","name":"Bar"})")));

    api.first = {elsewhere};
    EXPECT_THAT(create("restapi_object", given(R"({"id":"8"})")).error(), HasSubstr("302"));
    api.first = {elsewhere};
    EXPECT_TRUE(apply("restapi_object", operation_kind::update, *made, change->after).failed());
    api.first = {elsewhere};
    EXPECT_TRUE(apply("restapi_object", operation_kind::destroy, *made, {}).object);
    EXPECT_EQ(api.objects, (std::map<std::string, std::string>{{"7", seven}}));

    api.first = {here};
    EXPECT_FALSE(apply("restapi_object", operation_kind::destroy, *made, {}).object);
    EXPECT_THAT(api.objects, IsEmpty());
}

TEST_F(RestapiObject, IsLookedUpByItsId)
{
    auto const wanted = planned_for(given(seven));
    auto const find = [&](operation_kind kind, std::optional<value> prior, std::optional<value> planned) {
        return look_up("restapi_object", kind, std::move(prior), std::move(planned));
    };

    EXPECT_EQ(find(operation_kind::create, {}, wanted).answer, lookup_answer::not_done);
    api.objects["7"] = R"({"id":"7","name":"Foo","more":1})";
    auto const found = find(operation_kind::create, {}, wanted);
    ASSERT_EQ(found.answer, lookup_answer::done);
    EXPECT_TRUE(found.object->wholly_known());
    EXPECT_EQ(find(operation_kind::destroy, found.object, {}).answer, lookup_answer::not_done);
    api.objects["7"] = R"({"id":"7","name":"Bar"})";
    EXPECT_EQ(find(operation_kind::create, {}, wanted).answer, lookup_answer::unknown);
    EXPECT_EQ(find(operation_kind::update, found.object, found.object).answer, lookup_answer::not_done);
    api.first = {{500, ""}};
    EXPECT_EQ(find(operation_kind::create, {}, wanted).answer, lookup_answer::unknown);
    api.objects.clear();
    EXPECT_EQ(find(operation_kind::destroy, found.object, {}).answer, lookup_answer::done);
}

TEST_F(RestapiObject, IsImportedByItsUrl)
{
    api.objects["7"] = seven;

    auto const found = import_object("restapi_object", server.url() + "/objects/7");
    auto const wanted = plan("restapi_object", *found, desired("restapi_object", given(seven)));

    EXPECT_EQ(found.error(), "");
    EXPECT_EQ(text_at(*found, "path"), "/objects");
    EXPECT_THAT(wanted->replace_paths, IsEmpty());
    EXPECT_THAT(
        import_object("restapi_object", server.url() + "/objects/8").error(), EndsWith("[api_import_not_found]"));
    EXPECT_THAT(import_object("restapi_object", server.url() + "/7").error(), EndsWith("[api_import_path_invalid]"));
    EXPECT_THAT(import_object("restapi_object", "/objects/7").error(), EndsWith("[api_uri_missing]"));
}

TEST_F(RestapiObject, UsesTheConfigurationOfItsProvider)
{
    entries const own{{"path", text("/objects")}, {"data", text(seven)}, {"headers", pairs({{"X-Key", text("own")}})}};
    scoped_settings const provider("restapi_object",
        {{"uri", text(server.url())}, {"username", text("u")}, {"password", text("p")},
            {"headers", pairs({{"X-Key", text("usual")}, {"X-Other", text("o")}})}, {"update_method", text("POST")},
            {"create_returns_object", value(true)}});

    auto const made = create("restapi_object", own);
    auto const changed = apply("restapi_object", operation_kind::update, *made,
        plan("restapi_object", *made,
            desired("restapi_object", {{"path", text("/objects")}, {"data", text(R"({"id":"7","name":"Bar"})")}}))
            ->after);

    EXPECT_EQ(provider.error(), "");
    EXPECT_EQ(made.error(), "");
    EXPECT_TRUE(at(*made, "uri").is_null());
    EXPECT_TRUE(changed.object && !changed.failed());
    EXPECT_THAT(server.log(), ElementsAre("POST /objects", "POST /objects/7", "GET /objects/7"));
    EXPECT_EQ(api.last.headers["Authorization"], "Basic dTpw");
    EXPECT_EQ(api.last.headers["X-Key"], "usual");
    EXPECT_EQ(api.last.headers["X-Other"], "o");
    EXPECT_FALSE(apply("restapi_object", operation_kind::destroy, *made, {}).object);
    EXPECT_EQ(api.last.headers["X-Key"], "own");
    EXPECT_FALSE(read("restapi_object", *made)->has_value());
}

TEST_F(RestapiObject, IsPlannedWithoutARequestIfItsProviderIsUnknown)
{
    auto const made = create("restapi_object", given(seven));
    scoped_settings const provider("restapi_object", {{"uri", value::unknown(iacctl::language::type::string())}});
    auto const wanted = desired("restapi_object", {{"path", text("/objects")}, {"data", text(seven)}});

    EXPECT_EQ(provider.error(), "");
    EXPECT_EQ(plan("restapi_object", {}, wanted).error(), "");
    EXPECT_THAT(read("restapi_object", *made).error(), EndsWith("[api_not_configured]"));
    EXPECT_THAT(import_object("restapi_object", "/objects/7").error(), EndsWith("[api_not_configured]"));
    EXPECT_EQ(look_up("restapi_object", operation_kind::create, {}, *made).answer, lookup_answer::unknown);
}

TEST_F(RestapiObject, IsImportedByItsPathRelativeToTheProvider)
{
    api.objects["7"] = seven;
    scoped_settings const provider("restapi_object", {{"uri", text(server.url())}});

    auto const found = import_object("restapi_object", "/objects/7");

    EXPECT_EQ(found.error(), "");
    EXPECT_TRUE(at(*found, "uri").is_null());
    EXPECT_EQ(text_at(*found, "path"), "/objects");
}

TEST(RestapiProvider, RejectsInvalidNumbersAndUrls)
{
    EXPECT_THAT(
        scoped_settings("restapi_object", {{"uri", text("ftp://example.org")}}).error(), EndsWith("[api_uri_invalid]"));
    EXPECT_THAT(
        scoped_settings("restapi_object", {{"max_retries", whole(101)}}).error(), EndsWith("[attribute_too_large]"));
    EXPECT_EQ(scoped_settings("terraform_data", {}).error(), "");
}

TEST_F(RestapiObject, RespectsItsRateLimit)
{
    auto const made = create("restapi_object", given(seven, {{"rate_limit", whole(50)}}));
    auto const began = std::chrono::steady_clock::now();

    for (int i = 0; i < 5; ++i) EXPECT_TRUE(read("restapi_object", *made)->has_value());

    EXPECT_GE(std::chrono::steady_clock::now() - began, std::chrono::milliseconds(80));
}

TEST_F(RestapiObject, RejectsInvalidJsonAndUrls)
{
    auto elsewhere = given(seven);
    elsewhere[0].of = text("ftp://example.org");

    EXPECT_THAT(create("restapi_object", given("[1]")).error(), EndsWith("[api_data_not_object]"));
    EXPECT_THAT(create("restapi_object", elsewhere).error(), EndsWith("[api_uri_invalid]"));
    EXPECT_THAT(create("restapi_object", given(seven, {{"max_retries", value(iacctl::language::number(1.5))}})).error(),
        EndsWith("[attribute_not_whole]"));
    EXPECT_THAT(create("restapi_object", given(seven, {{"headers", pairs({{"A b", text("c")}})}})).error(),
        HasSubstr("invalid header"));
}

TEST_F(RestapiObject, DoesNotStoreResponsesThatAreNotText)
{
    std::string const binary = "{\"id\":\"7\",\"name\":\"\xFF\"}";
    api.first = {{201, binary}, {200, binary}};

    auto const made = apply("restapi_object", operation_kind::create, {}, planned_for(given(seven)));
    ASSERT_TRUE(made.object);
    EXPECT_THAT(first_error(made.problems), EndsWith("[api_created_not_utf8]"));
    EXPECT_EQ(text_at(*made.object, "id"), "7");
    EXPECT_EQ(text_at(*made.object, "create_response"), "");
    api.objects["7"] = binary;
    EXPECT_THAT(read("restapi_object", *made.object).error(), HasSubstr("not UTF-8"));
    auto const change =
        plan("restapi_object", *made.object, desired("restapi_object", given(R"({"id":"7","name":"Bar"})")));
    api.first = {{200, binary}, {200, binary}};
    auto const changed = apply("restapi_object", operation_kind::update, *made.object, change->after);
    EXPECT_THAT(first_error(changed.problems), EndsWith("[api_updated_not_utf8]"));
    EXPECT_EQ(text_at(*changed.object, "api_response"), "");
    EXPECT_TRUE(changed.object->wholly_known());
}
