// SPDX-License-Identifier: BSL-1.0
#include "dynamodb_table.hpp"

#include "base/json.hpp"
#include "base/json_text.hpp"
#include "base/timestamp.hpp"
#include "messages/backends.hpp"
#include "messages/report.hpp"

#include <utility>

namespace iacctl::backends {

using state::make_failure;

namespace {

constexpr int most_tries = 5;

auto in_json(std::string const& text) -> std::string
{
    std::string made;
    append_json_string(made, text);
    return made;
}

auto text_member(std::string const& name, std::string const& text) -> std::string
{
    return in_json(name) + ":{\"S\":" + in_json(text) + "}";
}

auto key_member(std::string const& key) -> std::string
{
    return "\"Key\":{" + text_member("LockID", key) + "}";
}

}  // namespace

dynamodb_table::dynamodb_table(
    dynamodb_settings settings, std::shared_ptr<aws_identity> identity, aws_connection connection)
    : with_(std::move(settings)),
      identity_(std::move(identity)),
      connection_(std::move(connection))
{}

auto dynamodb_table::lock(std::string const& key, lock_info const& as) -> expected<lock_attempt>
{
    for (int tries = 1;; ++tries) {
        auto const put = send("PutItem",
            "\"Item\":{" + text_member("LockID", key) + "," + text_member("Info", as.text())
                + "},\"ConditionExpression\":\"attribute_not_exists(LockID)\"");
        if (!put) return put.error();
        if (put->got.status == 200) return lock_attempt{true, std::nullopt};
        if (put->error != "ConditionalCheckFailedException") return refusal(*put);
        auto there = holder(key);
        if (!there) return there.error();
        if (!*there && tries < most_tries) continue;  // released meanwhile
        // The reply to an earlier attempt may have been lost: then the lock is that of this process.
        bool const is_own = *there && (*there)->id == as.id;
        return lock_attempt{is_own, is_own ? std::nullopt : std::move(*there), "the table " + with_.table};
    }
}

auto dynamodb_table::holder(std::string const& key) -> expected<std::optional<lock_info>>
{
    auto const there = read(key, "Info");
    if (!there) return there.error();
    if (!*there) return std::optional<lock_info>();
    return std::optional(lock_info::parse(**there).value_or(lock_info()));
}

auto dynamodb_table::unlock(std::string const& key, lock_info const& held) -> expected<void>
{
    auto const there = read(key, "Info");
    if (!there) return there.error();
    if (!*there) return {};
    auto const info = lock_info::parse(**there).value_or(lock_info());
    if (info.id != held.id)
        return make_failure(messages::lock_id_differs, {"the table " + with_.table, info.description(), held.id});
    // Only this lock is removed, also if another process has taken one since.
    return perform("DeleteItem",
        key_member(key) + ",\"ConditionExpression\":\"Info = :info\",\"ExpressionAttributeValues\":{"
            + text_member(":info", **there) + "}");
}

auto dynamodb_table::digest(std::string const& key) -> expected<std::optional<std::string>>
{
    return read(key, "Digest");
}

auto dynamodb_table::write_digest(std::string const& key, std::string const& digest) -> expected<void>
{
    return perform("PutItem", "\"Item\":{" + text_member("LockID", key) + "," + text_member("Digest", digest) + "}");
}

auto dynamodb_table::erase_digest(std::string const& key) -> expected<void>
{
    return perform("DeleteItem", key_member(key));
}

auto dynamodb_table::send(std::string const& operation, std::string const& members) -> expected<reply>
{
    auto const by = identity_->credentials();
    if (!by) return by.error();
    http::request r;
    r.method = "POST";
    r.url = (with_.endpoint.empty() ? connection_.endpoint("dynamodb", with_.region) : with_.endpoint) + "/";
    r.headers["Content-Type"] = "application/x-amz-json-1.0";
    r.headers["X-Amz-Target"] = "DynamoDB_20120810." + operation;
    r.body = "{\"TableName\":" + in_json(with_.table) + "," + members + "}";
    r.follows = http::redirections::none;
    sign(r, *by, with_.region, "dynamodb", timestamp::now().compact_text());
    reply made{connection_.send(client_, std::move(r)), {}};
    if (!made.got) return make_failure(messages::remote_state_unreachable, {made.got.url, made.got.reason()});
    auto const document = parse_json(made.got.body);
    std::string const type = document ? document->text_of("__type") : std::string();
    made.error = type.substr(type.find('#') == type.npos ? 0 : type.find('#') + 1);
    return made;
}

auto dynamodb_table::perform(std::string const& operation, std::string const& members) -> expected<void>
{
    auto const done = send(operation, members);
    if (!done) return done.error();
    // The condition of a removal fails if an earlier attempt, whose reply was lost, has removed the item.
    bool const is_gone = operation == "DeleteItem" && done->error == "ConditionalCheckFailedException";
    if (done->got.status == 200 || is_gone) return {};
    return refusal(*done);
}

auto dynamodb_table::read(std::string const& key, std::string const& member) -> expected<std::optional<std::string>>
{
    auto const got = send("GetItem", key_member(key) + ",\"ConsistentRead\":true");
    if (!got) return got.error();
    if (got->got.status != 200) return refusal(*got);
    auto const document = parse_json(got->got.body);
    if (!document) return refusal(*got);
    auto const* const item = document->find("Item");
    auto const* const found = item != nullptr ? item->find(member) : nullptr;
    if (found == nullptr) return std::optional<std::string>();
    return std::optional(found->text_of("S"));
}

auto dynamodb_table::refusal(reply const& from) const -> infra::failure
{
    return make_failure(messages::dynamodb_request_refused, {with_.table, std::to_string(from.got.status), from.error});
}

}  // namespace iacctl::backends
