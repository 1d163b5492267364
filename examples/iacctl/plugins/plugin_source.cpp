// SPDX-License-Identifier: BSL-1.0
#include "plugin_source.hpp"

#include "messages/plugins.hpp"
#include "messages/report.hpp"
#include "plugin_provider.hpp"
#include "wire_diagnostics.hpp"
#include "wire_schema.hpp"
#include "wire_value.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace iacctl::plugins {

namespace {

namespace infra = strider::infra;
using infra::diagnostics;
using messages::make_error;

// The identities of a provider that has some.
auto read_identities(protocol::GetResourceIdentitySchemas::Response const& from, std::string_view provider,
    std::map<std::string, identity_schema, std::less<>>& to) -> diagnostics
{
    diagnostics problems = diagnostics_of(from.diagnostics(), {});
    for (auto const& [name, schema] : from.identity_schemas()) {
        auto const read = to_schema(schema);
        if (read) to.emplace(name, identity_schema{static_cast<std::uint64_t>(schema.version()), read->object_type()});
        else
            problems.push_back(make_error(messages::plugin_answer_invalid,
                {provider, "GetResourceIdentitySchemas", name + ": " + std::string(read.error().message())}));
    }
    return problems;
}

}  // namespace

plugin_source::plugin_source(std::string address, plugin_location where, std::shared_ptr<plugin_runtime> on,
    client_options how, std::function<diagnostics()> check)
    : address_(std::move(address)),
      where_(std::move(where)),
      runtime_(std::move(on)),
      how_(std::move(how)),
      check_(std::move(check))
{}

plugin_source::~plugin_source()
{
    close();
}

void plugin_source::close()
{
    std::scoped_lock const held(lock_);
    if (idle_ != nullptr) runtime_->close(std::exchange(idle_, nullptr));
    for (configured_client& one : std::exchange(configured_, {})) runtime_->close(std::move(one.of));
}

auto plugin_source::start() -> providers::task<outcome<std::shared_ptr<client>>>
{
    auto const executor = runtime_->executor();
    auto starting = std::holds_alternative<process_command>(where_)
        ? client::start(executor, address_, std::get<process_command>(where_), how_)
        : client::reattach(executor, address_, std::get<reattached_provider>(where_), how_);
    co_return co_await std::move(starting);
}

auto plugin_source::load() -> providers::task<diagnostics>
{
    auto starting = start();
    auto started = co_await std::move(starting);
    if (!started) co_return diagnostics{started.error().what};
    std::shared_ptr<client> const provider = std::move(*started);
    {
        std::scoped_lock const held(lock_);
        idle_ = provider;
    }
    auto calling = provider->call<protocol::GetProviderSchema>({});
    auto const answer = co_await std::move(calling);
    if (!answer) co_return diagnostics{answer.error().what};
    diagnostics problems = diagnostics_of(answer->diagnostics(), {});
    if (has_errors(problems)) co_return problems;

    auto made = to_provider_schema(*answer);
    if (!made) {
        problems.push_back(
            make_error(messages::plugin_answer_invalid, {address_, "GetProviderSchema", made.error().message()}));
        co_return problems;
    }
    properties_.plan_destroy = answer->server_capabilities().plan_destroy();
    properties_.schema_optional = answer->server_capabilities().get_provider_schema_optional();

    auto asking = provider->call<protocol::GetResourceIdentitySchemas>({});
    auto const identities = co_await std::move(asking);
    if (identities) append(problems, read_identities(*identities, address_, properties_.identities));
    else if (identities.error().status != failure::unimplemented) problems.push_back(identities.error().what);
    if (!has_errors(problems)) schema_ = std::move(*made);
    co_return problems;
}

auto plugin_source::schema() -> providers::expected<providers::provider_schema const*>
{
    std::call_once(once_, [this] {
        if (check_) problems_ = check_();
        if (!has_errors(problems_)) problems_ = runtime_->wait_for(load());
    });
    if (!schema_) return infra::failure(problems_);
    return &*schema_;
}

auto plugin_source::take_client() -> providers::task<outcome<std::shared_ptr<client>>>
{
    {
        std::scoped_lock const held(lock_);
        if (idle_ != nullptr) co_return std::exchange(idle_, nullptr);
    }
    auto starting = start();
    auto started = co_await std::move(starting);
    if (!started || properties_.schema_optional) co_return started;
    auto calling = (*started)->call<protocol::GetProviderSchema>({});
    auto const answer = co_await std::move(calling);
    if (answer) co_return started;
    runtime_->close(std::move(*started));
    co_return answer.error();
}

auto plugin_source::take_configured(std::string_view settings) -> std::optional<configured_client>
{
    std::scoped_lock const held(lock_);
    auto const usable = [&](configured_client const& one) { return one.settings == settings && one.of->is_open(); };
    auto const found = std::ranges::find_if(configured_, usable);
    if (found == configured_.end()) return std::nullopt;
    auto taken = std::move(*found);
    configured_.erase(found);
    return taken;
}

void plugin_source::give_back(configured_client one)
{
    std::scoped_lock const held(lock_);
    configured_.push_back(std::move(one));
}

auto plugin_source::make(providers::surroundings const&) -> std::shared_ptr<providers::provider>
{
    return std::make_shared<plugin_provider>(*this);
}

auto plugin_source::upgrade(infra::address const& a, infra::object const& stored) -> providers::expected<infra::object>
{
    auto const& all = schema_->of(a.mode());
    auto const type = all.find(a.type());
    if (type == all.end()) return stored;
    std::string const about = to_string(a);
    auto const upgrading = [&]() -> providers::task<outcome<protocol::UpgradeResourceState::Response>> {
        auto starting = take_client();
        auto started = co_await std::move(starting);
        if (!started) co_return started.error();
        protocol::UpgradeResourceState::Request request;
        request.set_type_name(a.type());
        request.set_version(static_cast<std::int64_t>(stored.schema_version));
        request.mutable_raw_state()->set_json(stored.attributes.text());
        auto calling = (*started)->call<protocol::UpgradeResourceState>(std::move(request));
        auto answer = co_await std::move(calling);
        std::scoped_lock const held(lock_);
        if (idle_ == nullptr) idle_ = std::move(*started);
        else runtime_->close(std::move(*started));
        co_return answer;
    };
    auto const answer = runtime_->wait_for(upgrading());
    if (!answer) return infra::failure(answer.error().what);
    diagnostics problems = diagnostics_of(answer->diagnostics(), about);
    if (has_errors(problems)) return infra::failure(std::move(problems));
    auto const& upgraded = answer->upgraded_state();
    auto const value = from_dynamic_value(upgraded.msgpack(), upgraded.json(), type->second.object_type);
    if (!value)
        return infra::failure(make_error(
            messages::plugin_answer_invalid, {address_, "UpgradeResourceState", value.error().message()}, about));
    infra::object made = stored;
    made.attributes = infra::document(language::to_json(*value, type->second.object_type));
    made.schema_version = type->second.version;
    return made;
}

}  // namespace iacctl::plugins
