// SPDX-License-Identifier: BSL-1.0
#include "plugin_source.hpp"

#include "base/provider_address.hpp"
#include "messages/plugins.hpp"
#include "messages/report.hpp"
#include "plugin_provider.hpp"
#include "private_data.hpp"
#include "wire_diagnostics.hpp"
#include "wire_schema.hpp"
#include "wire_value.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace iacctl::plugin {

namespace {

namespace infra = strider::infra;
using infra::diagnostics;
using messages::make_error;

// Reads the identity schemas of a provider, if it has any.
auto read_identities(protocol::GetResourceIdentitySchemas::Response const& from, std::string_view provider,
    providers::provider_schema::types& to) -> diagnostics
{
    diagnostics problems = diagnostics_of(from.diagnostics(), {});
    for (auto const& [name, schema] : from.identity_schemas()) {
        auto read = to_schema(schema);
        if (read) to.try_emplace(name, *std::move(read), static_cast<std::uint64_t>(schema.version()));
        else
            problems.add(make_error(messages::plugin_answer_invalid,
                {provider, "GetResourceIdentitySchemas", name + ": " + std::string(read.error().message())}));
    }
    return problems;
}

}  // namespace

plugin_source::plugin_source(std::string address, plugin_location where, std::shared_ptr<plugin_runtime> on,
    client_options options, std::function<diagnostics()> check)
    : address_(std::move(address)),
      where_(std::move(where)),
      runtime_(std::move(on)),
      how_(std::move(options)),
      check_(std::move(check))
{}

plugin_source::~plugin_source()
{
    close();
}

void plugin_source::close()
{
    std::scoped_lock const held(lock_);
    for (auto* const one : {&idle_, &unconfigured_})
        if (*one != nullptr) runtime_->close(std::exchange(*one, nullptr));
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
    if (problems.has_errors()) co_return problems;

    auto made = to_provider_schema(*answer);
    if (!made) {
        problems.add(
            make_error(messages::plugin_answer_invalid, {address_, "GetProviderSchema", made.error().message()}));
        co_return problems;
    }
    properties_.plan_destroy = answer->server_capabilities().plan_destroy();
    properties_.move_state = answer->server_capabilities().move_resource_state();
    properties_.schema_optional = answer->server_capabilities().get_provider_schema_optional();

    auto asking = provider->call<protocol::GetResourceIdentitySchemas>({});
    auto const identities = co_await std::move(asking);
    if (identities) problems.add(read_identities(*identities, address_, made->identities));
    else if (identities.error().status != failure::unimplemented) problems.add(identities.error().what);
    if (problems.has_errors()) co_return problems;
    schema_ = std::move(*made);
    connect_functions(*schema_);
    co_return problems;
}

auto plugin_source::schema() -> expected<providers::provider_schema const*>
{
    std::call_once(once_, [this] {
        if (check_) problems_ = check_();
        if (!problems_.has_errors()) problems_ = runtime_->wait_for(load());
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
    auto const usable = [&](configured_client const& client) {
        return client.settings == settings && client.of->is_open();
    };
    auto const found = std::ranges::find_if(configured_, usable);
    if (found == configured_.end()) return std::nullopt;
    auto taken = std::move(*found);
    configured_.erase(found);
    return taken;
}

void plugin_source::give_back(configured_client client)
{
    std::scoped_lock const held(lock_);
    configured_.push_back(std::move(client));
}

void plugin_source::connect_functions(providers::provider_schema& schema)
{
    for (auto& [name, one] : schema.functions) {
        // A partly unknown value must not be passed either if the provider does not accept unknown values.
        std::vector<bool> unknown;
        for (auto& parameter : one.definition.parameters)
            unknown.push_back(std::exchange(parameter.allow_unknown, true));
        if (one.definition.variadic) unknown.push_back(std::exchange(one.definition.variadic->allow_unknown, true));
        one.definition.run = [this, &what = one, unknown = std::move(unknown)](language::arguments given,
                                 language::call_context const&) -> language::call_result<language::value> {
            for (std::size_t i = 0; i < given.size(); ++i)
                if (!unknown[std::min(i, unknown.size() - 1)] && !given[i].wholly_known())
                    return language::value::unknown(what.result);
            return call_function(what, given);
        };
    }
}

template <class Call>
auto plugin_source::ask(typename Call::Request request) -> outcome<typename Call::Response>
{
    auto const asking = [&]() -> providers::task<outcome<typename Call::Response>> {
        std::shared_ptr<client> with;
        {
            std::scoped_lock const held(lock_);
            with = unconfigured_;
        }
        if (with == nullptr) {
            auto starting = take_client();
            auto started = co_await std::move(starting);
            if (!started) co_return started.error();
            std::scoped_lock const held(lock_);
            if (unconfigured_ == nullptr) unconfigured_ = *started;
            else runtime_->close(std::move(*started));
            with = unconfigured_;
        }
        auto sending = with->template call<Call>(std::move(request));
        co_return co_await std::move(sending);
    };
    return runtime_->wait_for(asking());
}

template <class Call>
auto plugin_source::validate_by(std::string_view type, language::value const& v, language::type const& declared)
    -> std::vector<language::attribute_problem>
{
    typename Call::Request request;
    if constexpr (requires { request.set_type_name(std::string()); }) request.set_type_name(std::string(type));
    if constexpr (requires { request.mutable_client_capabilities(); })
        request.mutable_client_capabilities()->set_write_only_attributes_allowed(true);
    request.mutable_config()->set_msgpack(to_message_pack(v, declared));
    std::vector<language::attribute_problem> found;
    auto const answer = ask<Call>(std::move(request));
    if (!answer) return {providers::attribute_problem_of({}, answer.error().what)};
    auto const all = diagnostics_of(answer->diagnostics(), {});
    for (std::size_t i = 0; i < all.size(); ++i)
        found.push_back(
            providers::attribute_problem_of(path_of(answer->diagnostics(static_cast<int>(i)).attribute()), all[i]));
    return found;
}

auto plugin_source::validate(language::configured_block cb, std::string_view type, language::value const& v)
    -> std::vector<language::attribute_problem>
{
    auto const type_in = [&](providers::provider_schema::types const& all) {
        return all.find(type)->second.object_type;
    };
    switch (cb) {
    case language::configured_block::provider:
        return validate_by<protocol::ValidateProviderConfig>(type, v, schema_->settings.object_type());
    case language::configured_block::resource:
        return validate_by<protocol::ValidateResourceConfig>(type, v, type_in(schema_->resources));
    case language::configured_block::data_source:
        return validate_by<protocol::ValidateDataResourceConfig>(type, v, type_in(schema_->data_sources));
    case language::configured_block::action:
        return validate_by<protocol::ValidateActionConfig>(type, v, type_in(schema_->actions));
    case language::configured_block::list: {
        auto const& block = *schema_->lists.find(type)->second.content.find_block("config");
        auto found = validate_by<protocol::ValidateListResourceConfig>(type, *v.find("config"), block.object_type());
        for (auto& one : found) one.path.insert(one.path.begin(), std::string("config"));
        return found;
    }
    case language::configured_block::ephemeral: break;
    }
    return validate_by<protocol::ValidateEphemeralResourceConfig>(type, v, type_in(schema_->ephemeral_resources));
}

auto plugin_source::call_function(providers::function_schema const& schema, language::arguments given)
    -> language::call_result<language::value>
{
    protocol::CallFunction::Request request;
    request.set_name(schema.definition.name);
    for (std::size_t i = 0; i < given.size(); ++i)
        request.add_arguments()->set_msgpack(to_message_pack(given[i], schema.definition.parameter_at(i)->of));
    auto const answer = ask<protocol::CallFunction>(std::move(request));
    if (!answer) {
        auto const& why = answer.error().what;
        return language::call_failure(why.summary + (why.detail.empty() ? "" : ": " + why.detail));
    }
    if (answer->has_error()) {
        auto const& error = answer->error();
        if (!error.has_function_argument() || error.function_argument() < 0)
            return language::call_failure(error.text());
        return language::call_failure(static_cast<std::size_t>(error.function_argument()), error.text());
    }
    if (!answer->has_result()) return language::call_failure("the provider returned no result and no error");
    auto made = from_dynamic_value(answer->result().msgpack(), answer->result().json(), schema.result);
    if (!made) return language::call_failure("the provider returned an invalid result: " + made.error().text());
    return *std::move(made);
}

void plugin_source::cancel_functions() noexcept
{
    try {
        std::scoped_lock const held(lock_);
        if (unconfigured_ != nullptr) runtime_->close(unconfigured_);
    } catch (std::exception const&) {  // the calls end by themselves
    }
}

auto plugin_source::make(providers::provider_context const& in) -> std::shared_ptr<providers::provider>
{
    return std::make_shared<plugin_provider>(*this, in);
}

auto plugin_source::upgrade(infra::address const& a, infra::object const& stored) -> expected<infra::object>
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
        request.mutable_raw()->set_json(stored.attributes.text());
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
    if (problems.has_errors()) return infra::failure(std::move(problems));
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

auto plugin_source::upgrade_identity(infra::address const& a, infra::object const& stored) -> expected<infra::object>
{
    auto const* const schema = identity_of(a.type());
    if (schema == nullptr) return stored;
    auto kept = private_data::read(stored.private_data);
    if (kept.identity.empty() || kept.identity_version == schema->version) return stored;
    protocol::UpgradeResourceIdentity::Request request;
    request.set_type_name(a.type());
    request.set_version(static_cast<std::int64_t>(kept.identity_version));
    request.mutable_raw()->set_json(kept.identity);
    auto const answer = ask<protocol::UpgradeResourceIdentity>(std::move(request));
    if (!answer) return infra::failure(answer.error().what);
    std::string const about = to_string(a);
    diagnostics problems = diagnostics_of(answer->diagnostics(), about);
    if (problems.has_errors()) return infra::failure(std::move(problems));
    auto const& data = answer->upgraded_identity().identity_data();
    auto const value = from_dynamic_value(data.msgpack(), data.json(), schema->object_type);
    if (!value || value->is_null() || !value->wholly_known())
        return infra::failure(make_error(messages::plugin_answer_invalid,
            {address_, "UpgradeResourceIdentity", value ? "it has no complete identity" : value.error().message()},
            about));
    infra::object made = stored;
    kept.identity = language::to_json(*value, schema->object_type);
    kept.identity_version = schema->version;
    made.private_data = kept.write();
    return made;
}

auto plugin_source::move(infra::address const& from, infra::address const& to, infra::object const& stored)
    -> expected<infra::object>
{
    auto const type = schema_->resources.find(to.type());
    if (!properties_.move_state || type == schema_->resources.end()) return provider_source::move(from, to, stored);
    auto const kept = private_data::read(stored.private_data);
    protocol::MoveResourceState::Request request;
    request.set_source_provider_address(std::string(provider_address_in(stored.provider)));
    request.set_source_type_name(from.type());
    request.set_source_schema_version(static_cast<std::int64_t>(stored.schema_version));
    request.mutable_source_state()->set_json(stored.attributes.text());
    request.set_target_type_name(to.type());
    request.set_source_private(kept.bytes);
    if (!kept.identity.empty()) {
        request.mutable_source_identity()->set_json(kept.identity);
        request.set_source_identity_schema_version(static_cast<std::int64_t>(kept.identity_version));
    }
    auto const answer = ask<protocol::MoveResourceState>(std::move(request));
    if (!answer) return infra::failure(answer.error().what);
    std::string const about = to_string(to);
    diagnostics problems = diagnostics_of(answer->diagnostics(), about);
    if (problems.has_errors()) return infra::failure(std::move(problems));
    auto const& state = answer->target_state();
    auto const value = from_dynamic_value(state.msgpack(), state.json(), type->second.object_type);
    if (!value || value->is_null())
        return infra::failure(make_error(messages::plugin_answer_invalid,
            {address_, "MoveResourceState", value ? std::string("it has no object") : value.error().message()}, about));
    infra::object made = stored;
    made.attributes = infra::document(language::to_json(*value, type->second.object_type));
    made.schema_version = type->second.version;
    private_data now;
    now.bytes = answer->target_private();
    if (auto const* const schema = identity_of(to.type()); schema != nullptr && answer->has_target_identity()) {
        auto const& data = answer->target_identity().identity_data();
        auto const identity = from_dynamic_value(data.msgpack(), data.json(), schema->object_type);
        if (!identity)
            return infra::failure(make_error(
                messages::plugin_answer_invalid, {address_, "MoveResourceState", identity.error().message()}, about));
        if (!identity->is_null()) {
            now.identity = language::to_json(*identity, schema->object_type);
            now.identity_version = schema->version;
        }
    }
    made.private_data = now.write();
    return made;
}

}  // namespace iacctl::plugin
