// SPDX-License-Identifier: BSL-1.0
#include "plugin_provider.hpp"

#include "base/terraform_version.hpp"
#include "language/validation/schema_values.hpp"
#include "messages/plugins.hpp"
#include "messages/providers.hpp"
#include "messages/report.hpp"
#include "proposed_new.hpp"
#include "replacement.hpp"
#include "wire_diagnostics.hpp"
#include "wire_value.hpp"

#include <boost/asio/detached.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace iacctl::plugin {

namespace {

namespace infra = strider::infra;
using infra::diagnostics;
using language::value;
using messages::make_error;
using providers::applied;
using providers::apply_request;
using providers::looked_up;
using providers::planned;
using providers::read_result;
using providers::task;
using providers::type_schema;

auto to_failure(failure const& why, std::string const& about) -> infra::failure
{
    infra::diagnostic what = why.what;
    if (what.address.empty()) what.address = about;
    return infra::failure(std::move(what));
}

void write(protocol::DynamicValue& to, value const& v, language::type const& type)
{
    to.set_msgpack(to_message_pack(v.unmarked_deep(), type));
}

void write_null(protocol::DynamicValue& to, language::type const& type)
{
    to.set_msgpack(to_message_pack(value::null(type), type));
}

// Converts an object from a provider; the error names the call.
auto read_object(protocol::DynamicValue const& from, language::type const& type, std::string_view provider,
    std::string_view call, std::string const& about) -> expected<value>
{
    auto read = from_dynamic_value(from.msgpack(), from.json(), type);
    if (read) return *read;
    return infra::failure(make_error(messages::plugin_answer_invalid, {provider, call, read.error().message()}, about));
}

auto reason_of(protocol::Deferred const& why) -> infra::deferral_reason
{
    switch (why.reason()) {
    case protocol::Deferred::PROVIDER_CONFIG_UNKNOWN: return infra::deferral_reason::provider_config_unknown;
    case protocol::Deferred::ABSENT_PREREQ: return infra::deferral_reason::absent_prereq;
    default: return infra::deferral_reason::resource_config_unknown;
    }
}

// The reason why a provider defers its answer. \param allowed  if false, a deferral is added to `problems` as an error
template <class Answer>
auto deferral_of(Answer const& answer, bool allowed, std::string_view provider, std::string_view call,
    std::string const& about, diagnostics& problems) -> std::optional<infra::deferral_reason>
{
    if (!answer.has_deferred()) return std::nullopt;
    if (allowed) return reason_of(answer.deferred());
    problems.add(make_error(messages::plugin_answer_invalid, {provider, call, "it defers the answer"}, about));
    return std::nullopt;
}

auto deferred_read(infra::deferral_reason why, diagnostics problems) -> read_result
{
    read_result made({}, {}, std::move(problems));
    made.deferred = why;
    return made;
}

// Removes values of write-only attributes, which are never stored and which a provider must not return.
auto remove_write_only(value& object, type_schema const& type, std::string_view provider, std::string_view call,
    std::string const& about) -> diagnostics
{
    value without = language::without_write_only(object, type.content);
    if (without == object) return {};
    object = std::move(without);
    return {make_error(
        messages::plugin_answer_invalid, {provider, call, "it has a value for a write-only attribute"}, about)};
}

// Marks a value from a provider: by its schema, and where `before` is marked.
auto marked(value const& v, type_schema const& type, value const& before) -> value
{
    return language::with_sensitive_marks(with_marks_of(v, before), type.content);
}

void write_identity(protocol::ResourceIdentityData& to, private_data const& kept, type_schema const& schema)
{
    if (kept.identity.empty()) return;
    auto const read = language::from_json(kept.identity, schema.object_type);
    if (read) write(*to.mutable_identity_data(), *read, schema.object_type);
}

// The data of an answer, and the error in its identity; an answer without an identity keeps the previous one.
struct kept_answer {
    private_data data;
    std::string problem{};  // empty: nothing
};

// Only the planned identity of a new object may have unknown parts, which become known in the apply.
auto kept_of(std::string const& bytes, protocol::ResourceIdentityData const* identity, type_schema const* schema,
    private_data const& before, bool unknown_allowed = false) -> kept_answer
{
    kept_answer made;
    made.data.bytes = bytes;
    made.data.identity = before.identity;
    made.data.identity_version = before.identity_version;
    if (identity == nullptr) return made;
    auto const& encoded = identity->identity_data();
    if (encoded.msgpack().empty() && encoded.json().empty()) return made;
    if (schema == nullptr) {
        made.problem = "it has an identity, but its type has no identity schema";
        return made;
    }
    auto const read = from_dynamic_value(encoded.msgpack(), encoded.json(), schema->object_type);
    if (!read) {
        made.problem = "its identity does not have the type of the schema";
    } else if (read->is_null()) {
        return made;
    } else if (!read->wholly_known()) {
        if (!unknown_allowed) made.problem = "its identity has unknown values";
    } else {
        made.data.identity = language::to_json(*read, schema->object_type);
        made.data.identity_version = schema->version;
    }
    return made;
}

void allow(protocol::ClientCapabilities& capabilities, bool deferral = false)
{
    capabilities.set_write_only_attributes_allowed(true);
    capabilities.set_store_planned_private(true);
    capabilities.set_computed_blocks_allowed(true);
    capabilities.set_deferral_allowed(deferral);
}

}  // namespace

plugin_provider::~plugin_provider()
{
    for (auto const& [target, lease] : leases_) lease->abandon();
    if (client_ == nullptr) return;
    if (reusable_ && !stopped_) source_->give_back(std::move(*reusable_));
    else source_->runtime()->close(std::move(client_));
}

void plugin_provider::stop() noexcept
{
    stopped_ = true;
    if (client_ == nullptr) return;
    auto stopping = [](std::shared_ptr<client> c) -> boost::asio::awaitable<void> {
        auto asking = c->stop();
        (void)co_await std::move(asking);
    };
    try {
        boost::asio::co_spawn(source_->runtime()->executor(), stopping(client_), boost::asio::detached);
    } catch (std::exception const&) {  // the provider ends its work without the request
    }
}

auto plugin_provider::find_type(infra::address const& a) const -> type_schema const*
{
    auto const& all = source_->loaded_schema().of(a.mode());
    auto const found = all.find(a.type());
    return found == all.end() ? nullptr : &found->second;
}

auto plugin_provider::is_accepted(std::string_view type, std::string_view config) -> bool
{
    std::scoped_lock const held(lock_);
    auto const found = accepted_.find(type);
    return found != accepted_.end() && found->second.contains(config);
}

void plugin_provider::add_accepted(std::string const& type, std::string config)
{
    constexpr std::size_t most = 16;
    std::scoped_lock const held(lock_);
    auto& of_type = accepted_[type];
    if (of_type.size() == most) of_type.clear();
    of_type.insert(std::move(config));
}

template <class Request>
void plugin_provider::write_meta(Request& to, infra::address const& target) const
{
    auto const& schema = source_->loaded_schema().meta;
    if (!schema || !context_->meta) return;
    auto const meta = context_->meta(source_->address(), target);
    if (meta) write(*to.mutable_provider_meta(), *meta, schema->object_type());
}

auto plugin_provider::configure(value settings) -> task<diagnostics>
{
    auto const type = source_->loaded_schema().settings.object_type();
    std::string const config = to_message_pack(settings.unmarked_deep(), type);
    reusable_ = source_->take_configured(config);
    if (reusable_) {
        client_ = reusable_->of;
        earlier_plans_ = std::exchange(reusable_->plans, std::make_shared<plan_cache>());
        co_return reusable_->warnings;
    }
    auto starting = source_->take_client();
    auto started = co_await std::move(starting);
    if (!started) co_return diagnostics{started.error().what};
    client_ = std::move(*started);

    protocol::ValidateProviderConfig::Request validation;
    validation.mutable_config()->set_msgpack(config);
    auto validating = client_->call<protocol::ValidateProviderConfig>(std::move(validation));
    auto const valid = co_await std::move(validating);
    if (!valid) co_return diagnostics{valid.error().what};
    diagnostics problems = diagnostics_of(valid->diagnostics(), {});
    if (problems.has_errors()) co_return problems;

    protocol::ConfigureProvider::Request request;
    request.set_terraform_version(std::string(terraform_version));
    request.mutable_config()->set_msgpack(config);
    allow(*request.mutable_client_capabilities(), context_->deferral_allowed);
    auto configuring = client_->call<protocol::ConfigureProvider>(std::move(request));
    auto const configured = co_await std::move(configuring);
    if (!configured) co_return diagnostics{configured.error().what};
    problems.add(diagnostics_of(configured->diagnostics(), {}));
    // Values that are unknown in a plan are known in its apply.
    if (!problems.has_errors() && settings.wholly_known())
        reusable_ = configured_client{config, client_, problems, std::make_shared<plan_cache>()};
    co_return problems;
}

auto plugin_provider::read(providers::read_request request) -> task<expected<read_result>>
{
    std::string const about = to_string(request.target);
    auto const* const type = find_type(request.target);
    if (type == nullptr)
        co_return infra::failure(make_error(messages::unknown_type_in_state, {request.target.type()}, about));
    auto const kept = private_data::read(request.private_data);
    auto const* const identity = source_->identity_of(request.target.type());
    protocol::ReadResource::Request requested;
    requested.set_type_name(request.target.type());
    write(*requested.mutable_current_state(), request.prior, type->object_type);
    requested.set_private_data(kept.bytes);
    allow(*requested.mutable_client_capabilities(), context_->deferral_allowed);
    write_meta(requested, request.target);
    if (identity != nullptr) write_identity(*requested.mutable_current_identity(), kept, *identity);
    auto calling = client_->call<protocol::ReadResource>(std::move(requested));
    auto const answer = co_await std::move(calling);
    if (!answer) co_return to_failure(answer.error(), about);
    diagnostics problems = diagnostics_of(answer->diagnostics(), about);
    auto const deferral =
        deferral_of(*answer, context_->deferral_allowed, source_->address(), "ReadResource", about, problems);
    if (problems.has_errors()) co_return infra::failure(std::move(problems));
    if (deferral) co_return deferred_read(*deferral, std::move(problems));
    auto object = read_object(answer->new_state(), type->object_type, source_->address(), "ReadResource", about);
    if (!object) co_return object.error();
    if (object->is_null()) co_return read_result({}, {}, std::move(problems));
    auto const now =
        kept_of(answer->private_data(), answer->has_new_identity() ? &answer->new_identity() : nullptr, identity, kept);
    if (!now.problem.empty())
        co_return infra::failure(
            make_error(messages::plugin_answer_invalid, {source_->address(), "ReadResource", now.problem}, about));
    co_return read_result(marked(*object, *type, request.prior), now.data.write(), std::move(problems));
}

auto plugin_provider::plan(providers::plan_request request) -> task<expected<planned>>
{
    std::string const about = to_string(request.target);
    auto const* const type = find_type(request.target);
    if (type == nullptr)
        co_return infra::failure(make_error(messages::unknown_type_in_state, {request.target.type()}, about));
    value const config = request.config.unmarked_deep();
    if (request.target.mode() == infra::resource_mode::data)
        co_return planned(marked(planned_data(type->content, config), *type, request.config));
    if (earlier_plans_)
        if (auto same = earlier_plans_->take(request)) co_return *std::move(same);

    diagnostics problems;
    // Parts of the prior object that replace ignored ones are not declared, so they are not validated.
    std::string packed = to_message_pack(request.declared.value_or(request.config).unmarked_deep(), type->object_type);
    if (!is_accepted(request.target.type(), packed)) {
        protocol::ValidateResourceConfig::Request validation;
        validation.set_type_name(request.target.type());
        validation.mutable_config()->set_msgpack(packed);
        allow(*validation.mutable_client_capabilities());
        auto validating = client_->call<protocol::ValidateResourceConfig>(std::move(validation));
        auto const valid = co_await std::move(validating);
        if (!valid) co_return to_failure(valid.error(), about);
        problems = diagnostics_of(valid->diagnostics(), about);
        if (problems.has_errors()) co_return infra::failure(std::move(problems));
        if (problems.empty()) add_accepted(request.target.type(), std::move(packed));
    }

    value const prior = request.prior ? request.prior->unmarked_deep() : value::null(type->object_type);
    value const open = with_open_blocks(type->content, config);
    value const stored = language::without_write_only(open, type->content);
    auto const kept = private_data::read(request.private_data);
    auto const* const identity = source_->identity_of(request.target.type());
    protocol::PlanResourceChange::Request requested;
    requested.set_type_name(request.target.type());
    write(*requested.mutable_prior_state(), prior, type->object_type);
    write(*requested.mutable_proposed_new_state(), proposed_new(type->content, prior, stored), type->object_type);
    write(*requested.mutable_config(), open, type->object_type);
    requested.set_prior_private(kept.bytes);
    requested.set_planned_private(private_data::read(request.planned_data).bytes);
    allow(*requested.mutable_client_capabilities(), context_->deferral_allowed);
    write_meta(requested, request.target);
    if (identity != nullptr) write_identity(*requested.mutable_prior_identity(), kept, *identity);
    auto calling = client_->call<protocol::PlanResourceChange>(std::move(requested));
    auto const answer = co_await std::move(calling);
    if (!answer) co_return to_failure(answer.error(), about);
    problems.add(diagnostics_of(answer->diagnostics(), about));
    auto const deferral =
        deferral_of(*answer, context_->deferral_allowed, source_->address(), "PlanResourceChange", about, problems);
    if (problems.has_errors()) co_return infra::failure(std::move(problems));
    auto object =
        read_object(answer->planned_state(), type->object_type, source_->address(), "PlanResourceChange", about);
    if (!object) co_return object.error();
    if (object->is_null())
        co_return infra::failure(make_error(
            messages::plugin_answer_invalid, {source_->address(), "PlanResourceChange", "it plans no object"}, about));
    std::vector<infra::attribute_path> named;
    for (auto const& path : answer->requires_replace()) named.push_back(path_of(path));
    auto replacement = replacement_of(prior, *object, type->content, named);
    if (!replacement.invalid.empty())
        co_return infra::failure(make_error(messages::plugin_answer_invalid,
            {source_->address(), "PlanResourceChange",
                "it requires a replacement because of a path that no object has"},
            about));
    planned made(marked(*object, *type, request.config));
    made.replace_paths = std::move(replacement.paths);
    auto const* const planned_identity = answer->has_planned_identity() ? &answer->planned_identity() : nullptr;
    private_data const before = request.prior ? kept : private_data();
    bool const created = !request.prior || !made.replace_paths.empty();
    auto const now = kept_of(answer->planned_private(), planned_identity, identity, before, created);
    if (!now.problem.empty())
        co_return infra::failure(make_error(
            messages::plugin_answer_invalid, {source_->address(), "PlanResourceChange", now.problem}, about));
    made.private_data = now.data.write();
    made.warnings = std::move(problems);
    made.legacy_type_system = answer->legacy_type_system();
    made.deferred = deferral;
    if (reusable_ && !deferral && request.config.wholly_known()) reusable_->plans->add(std::move(request), made);
    co_return made;
}

auto plugin_provider::plan_destroy(apply_request const& request, type_schema const& type, private_data& kept)
    -> task<diagnostics>
{
    if (!source_->properties().plan_destroy) co_return diagnostics();
    protocol::PlanResourceChange::Request requested;
    requested.set_type_name(request.operation.target.type());
    write(*requested.mutable_prior_state(), *request.prior, type.object_type);
    write_null(*requested.mutable_proposed_new_state(), type.object_type);
    write_null(*requested.mutable_config(), type.object_type);
    requested.set_prior_private(kept.bytes);
    allow(*requested.mutable_client_capabilities());
    write_meta(requested, request.operation.target);
    if (auto const* const identity = source_->identity_of(request.operation.target.type()); identity != nullptr)
        write_identity(*requested.mutable_prior_identity(), kept, *identity);
    auto calling = client_->call<protocol::PlanResourceChange>(std::move(requested));
    auto const answer = co_await std::move(calling);
    if (!answer) co_return diagnostics{answer.error().what};
    kept.bytes = answer->planned_private();
    co_return diagnostics_of(answer->diagnostics(), to_string(request.operation.target));
}

auto plugin_provider::apply(apply_request request) -> task<applied>
{
    std::string const about = to_string(request.operation.target);
    auto const* const type = find_type(request.operation.target);
    if (type == nullptr)
        co_return applied(
            request.prior, {make_error(messages::unknown_type_in_state, {request.operation.target.type()}, about)});
    // After an error the object and its data are unchanged.
    auto const unchanged = [&](diagnostics problems) {
        applied same(request.prior, std::move(problems));
        same.private_data = request.private_data;
        return same;
    };
    auto kept = private_data::read(request.private_data);
    diagnostics problems;
    if (!request.planned) {
        auto planning = plan_destroy(request, *type, kept);
        problems = co_await std::move(planning);
        if (problems.has_errors()) co_return unchanged(std::move(problems));
    }
    auto const* const identity = source_->identity_of(request.operation.target.type());
    protocol::ApplyResourceChange::Request requested;
    requested.set_type_name(request.operation.target.type());
    if (request.prior) write(*requested.mutable_prior_state(), *request.prior, type->object_type);
    else write_null(*requested.mutable_prior_state(), type->object_type);
    if (request.planned) {
        write(*requested.mutable_planned_state(), *request.planned, type->object_type);
        write(*requested.mutable_config(), request.config, type->object_type);
    } else {
        write_null(*requested.mutable_planned_state(), type->object_type);
        write_null(*requested.mutable_config(), type->object_type);
    }
    requested.set_planned_private(kept.bytes);
    write_meta(requested, request.operation.target);
    if (identity != nullptr) write_identity(*requested.mutable_planned_identity(), kept, *identity);
    auto calling = client_->call<protocol::ApplyResourceChange>(std::move(requested));
    auto const answer = co_await std::move(calling);
    if (!answer) {
        problems.add(to_failure(answer.error(), about).why().front());
        // Whatever the status is, the provider may have carried out the request, or a part of it.
        bool const unknown = answer.error().sent;
        applied none = unchanged(std::move(problems));
        none.interrupted = unknown;
        co_return none;
    }
    problems.add(diagnostics_of(answer->diagnostics(), about));
    auto object = read_object(answer->new_state(), type->object_type, source_->address(), "ApplyResourceChange", about);
    if (!object) {  // an object that cannot be read may exist
        problems.add(object.error().why());
        applied none = unchanged(std::move(problems));
        none.interrupted = true;
        co_return none;
    }
    applied done;
    done.problems = std::move(problems);
    done.legacy_type_system = answer->legacy_type_system();
    if (object->is_null()) co_return done;
    done.problems.add(remove_write_only(*object, *type, source_->address(), "ApplyResourceChange", about));
    done.object = marked(*object, *type, request.planned ? *request.planned : *request.prior);
    auto const now =
        kept_of(answer->private_data(), answer->has_new_identity() ? &answer->new_identity() : nullptr, identity, kept);
    if (!now.problem.empty())  // the object is stored and tainted, as after each error
        done.problems.add(make_error(
            messages::plugin_answer_invalid, {source_->address(), "ApplyResourceChange", now.problem}, about));
    done.private_data = now.data.write();
    co_return done;
}

// The protocol has no call for it. For an object that existed before, the provider can be requested to read it.
auto plugin_provider::look_up(apply_request request) -> task<looked_up>
{
    if (!request.prior || request.operation.kind == infra::operation_kind::create) co_return looked_up();
    providers::read_request requested(
        request.operation.target, request.operation.provider, *request.prior, request.private_data);
    auto reading = read(std::move(requested));
    auto const found = co_await std::move(reading);
    if (!found) co_return looked_up();
    bool const destroys = request.operation.kind == infra::operation_kind::destroy;
    if (destroys || !found->object)
        co_return looked_up(
            destroys == found->object.has_value() ? infra::lookup_answer::not_done : infra::lookup_answer::done);
    looked_up now(infra::lookup_answer::done, found->object);
    now.private_data = found->private_data;
    co_return now;
}

auto plugin_provider::import_object(providers::import_request request) -> task<expected<read_result>>
{
    std::string const about = to_string(request.target);
    auto const* const type = find_type(request.target);
    if (type == nullptr)
        co_return infra::failure(make_error(messages::unknown_type_in_state, {request.target.type()}, about));
    protocol::ImportResourceState::Request requested;
    requested.set_type_name(request.target.type());
    auto const* const identity = source_->identity_of(request.target.type());
    if (request.identity.empty()) requested.set_id(request.id);
    else if (identity != nullptr) {
        private_data requested_parts;
        requested_parts.identity = request.identity.text();
        write_identity(*requested.mutable_identity(), requested_parts, *identity);
    }
    allow(*requested.mutable_client_capabilities(), context_->deferral_allowed);
    auto calling = client_->call<protocol::ImportResourceState>(std::move(requested));
    auto const answer = co_await std::move(calling);
    if (!answer) co_return to_failure(answer.error(), about);
    diagnostics problems = diagnostics_of(answer->diagnostics(), about);
    auto const deferral =
        deferral_of(*answer, context_->deferral_allowed, source_->address(), "ImportResourceState", about, problems);
    if (problems.has_errors()) co_return infra::failure(std::move(problems));
    if (deferral) co_return deferred_read(*deferral, std::move(problems));
    // Imports one object for one address; further objects from a provider belong to it.
    auto const& all = answer->imported_resources();
    auto const found =
        std::ranges::find_if(all, [&](auto const& item) { return item.type_name() == request.target.type(); });
    if (found == all.end()) co_return read_result({}, {}, std::move(problems));
    auto object = read_object(found->state(), type->object_type, source_->address(), "ImportResourceState", about);
    if (!object) co_return object.error();
    if (object->is_null()) co_return read_result({}, {}, std::move(problems));
    auto const kept =
        kept_of(found->private_data(), found->has_identity() ? &found->identity() : nullptr, identity, {});
    if (!kept.problem.empty())
        co_return infra::failure(make_error(
            messages::plugin_answer_invalid, {source_->address(), "ImportResourceState", kept.problem}, about));
    if (!request.identity.empty() && kept.data.identity.empty())
        co_return infra::failure(make_error(messages::plugin_answer_invalid,
            {source_->address(), "ImportResourceState",
                "it has no identity, although the object is imported by its identity"},
            about));
    co_return read_result(
        language::with_sensitive_marks(*object, type->content), kept.data.write(), std::move(problems));
}

auto plugin_provider::read_data(providers::data_request request) -> task<expected<read_result>>
{
    std::string const about = to_string(request.target);
    auto const* const type = find_type(request.target);
    if (type == nullptr)
        co_return infra::failure(make_error(messages::unknown_type_in_state, {request.target.type()}, about));
    protocol::ValidateDataResourceConfig::Request validation;
    validation.set_type_name(request.target.type());
    write(*validation.mutable_config(), request.config, type->object_type);
    auto validating = client_->call<protocol::ValidateDataResourceConfig>(std::move(validation));
    auto const valid = co_await std::move(validating);
    if (!valid) co_return to_failure(valid.error(), about);
    diagnostics problems = diagnostics_of(valid->diagnostics(), about);
    if (problems.has_errors()) co_return infra::failure(std::move(problems));

    protocol::ReadDataSource::Request requested;
    requested.set_type_name(request.target.type());
    write(*requested.mutable_config(), request.config, type->object_type);
    write_meta(requested, request.target);
    allow(*requested.mutable_client_capabilities(), context_->deferral_allowed);
    auto calling = client_->call<protocol::ReadDataSource>(std::move(requested));
    auto const answer = co_await std::move(calling);
    if (!answer) co_return to_failure(answer.error(), about);
    problems.add(diagnostics_of(answer->diagnostics(), about));
    auto const deferral =
        deferral_of(*answer, context_->deferral_allowed, source_->address(), "ReadDataSource", about, problems);
    if (problems.has_errors()) co_return infra::failure(std::move(problems));
    if (deferral) co_return deferred_read(*deferral, std::move(problems));
    auto object = read_object(answer->state(), type->object_type, source_->address(), "ReadDataSource", about);
    if (!object) co_return object.error();
    if (object->is_null()) co_return read_result({}, {}, std::move(problems));
    co_return read_result(marked(*object, *type, request.config), {}, std::move(problems));
}

auto plugin_provider::open_ephemeral(providers::data_request request) -> task<expected<read_result>>
{
    std::string const about = to_string(request.target);
    auto const* const type = find_type(request.target);
    if (type == nullptr)
        co_return infra::failure(make_error(messages::unknown_type_in_state, {request.target.type()}, about));
    value const config = request.config.unmarked_deep();
    if (!config.wholly_known())
        co_return read_result(marked(planned_data(type->content, config), *type, request.config));
    protocol::ValidateEphemeralResourceConfig::Request validation;
    validation.set_type_name(request.target.type());
    write(*validation.mutable_config(), config, type->object_type);
    auto validating = client_->call<protocol::ValidateEphemeralResourceConfig>(std::move(validation));
    auto const valid = co_await std::move(validating);
    if (!valid) co_return to_failure(valid.error(), about);
    diagnostics problems = diagnostics_of(valid->diagnostics(), about);
    if (problems.has_errors()) co_return infra::failure(std::move(problems));

    constexpr auto call = "OpenEphemeralResource";
    protocol::OpenEphemeralResource::Request requested;
    requested.set_type_name(request.target.type());
    write(*requested.mutable_config(), config, type->object_type);
    allow(*requested.mutable_client_capabilities(), context_->deferral_allowed);
    auto calling = client_->call<protocol::OpenEphemeralResource>(std::move(requested));
    auto const answer = co_await std::move(calling);
    if (!answer) co_return to_failure(answer.error(), about);
    problems.add(diagnostics_of(answer->diagnostics(), about));
    auto const deferral = deferral_of(*answer, context_->deferral_allowed, source_->address(), call, about, problems);
    if (problems.has_errors()) co_return infra::failure(std::move(problems));
    if (deferral) co_return read_result(marked(planned_data(type->content, config), *type, request.config));
    auto const lease = std::make_shared<ephemeral_lease>(
        source_->runtime()->executor(), client_, request.target.type(), about, answer->private_data());
    {
        std::scoped_lock const held(lock_);
        leases_.insert_or_assign(request.target, lease);
    }
    if (answer->has_renew_at()) lease->renew_at(time_of(answer->renew_at()));
    auto object = read_object(answer->result(), type->object_type, source_->address(), call, about);
    if (!object) co_return object.error();
    if (object->is_null() || !object->wholly_known())
        co_return infra::failure(make_error(messages::plugin_answer_invalid,
            {source_->address(), call, object->is_null() ? "it has no object" : "it has unknown values"}, about));
    co_return read_result(marked(*object, *type, request.config), {}, std::move(problems));
}

auto plugin_provider::close_ephemeral(infra::address target) -> task<diagnostics>
{
    std::shared_ptr<ephemeral_lease> lease;
    {
        std::scoped_lock const held(lock_);
        auto const found = leases_.find(target);
        if (found == leases_.end()) co_return diagnostics();
        lease = std::move(found->second);
        leases_.erase(found);
    }
    auto closing = lease->close();
    co_return co_await std::move(closing);
}

auto plugin_provider::plan_action(providers::data_request request) -> task<diagnostics>
{
    std::string const about = to_string(request.target);
    auto const* const type = find_type(request.target);
    if (type == nullptr)
        co_return diagnostics{make_error(messages::action_not_performed, {request.target.type()}, about)};
    value const config = request.config.unmarked_deep();
    protocol::ValidateActionConfig::Request validation;
    validation.set_type_name(request.target.type());
    write(*validation.mutable_config(), config, type->object_type);
    auto validating = client_->call<protocol::ValidateActionConfig>(std::move(validation));
    auto const valid = co_await std::move(validating);
    if (!valid) co_return to_failure(valid.error(), about).why();
    diagnostics problems = diagnostics_of(valid->diagnostics(), about);
    if (problems.has_errors()) co_return problems;
    protocol::PlanAction::Request requested;
    requested.set_type_name(request.target.type());
    write(*requested.mutable_config(), config, type->object_type);
    allow(*requested.mutable_client_capabilities());
    auto calling = client_->call<protocol::PlanAction>(std::move(requested));
    auto const answer = co_await std::move(calling);
    if (!answer) co_return to_failure(answer.error(), about).why();
    problems.add(diagnostics_of(answer->diagnostics(), about));
    (void)deferral_of(*answer, false, source_->address(), "PlanAction", about, problems);
    co_return problems;
}

auto plugin_provider::invoke_action(providers::invoke_request request) -> task<infra::invoked>
{
    std::string const about = to_string(request.target);
    auto const* const type = find_type(request.target);
    if (type == nullptr)
        co_return infra::invoked(make_error(messages::action_not_performed, {request.target.type()}, about));
    protocol::InvokeAction::Request requested;
    requested.set_type_name(request.target.type());
    write(*requested.mutable_config(), request.config.unmarked_deep(), type->object_type);
    allow(*requested.mutable_client_capabilities());
    auto const completed = std::make_shared<std::optional<protocol::Diagnostics>>();
    auto take = [completed, print = request.print](protocol::InvokeAction::Event event) {
        if (event.has_progress()) print(event.progress().message());
        else if (event.has_completed()) completed->emplace(event.completed());
        return true;
    };
    auto invoking = client_->stream<protocol::InvokeAction>(std::move(requested), std::move(take));
    auto const answer = co_await std::move(invoking);
    if (answer && *completed) co_return infra::invoked(diagnostics_of((*completed)->diagnostics(), about));
    infra::invoked unknown;
    if (answer)
        unknown.problems.add(make_error(messages::plugin_answer_invalid,
            {source_->address(), "InvokeAction", "the stream ended without the event \"completed\""}, about));
    else unknown.problems = to_failure(answer.error(), about).why();
    unknown.interrupted = answer || answer.error().sent;
    co_return unknown;
}

auto plugin_provider::list(providers::list_request request) -> task<expected<read_result>>
{
    constexpr auto call = "ListResource";
    std::string const about = to_string(request.target);
    auto const& all = source_->loaded_schema();
    auto const arguments = all.lists.find(request.target.type());
    auto const objects = all.resources.find(request.target.type());
    auto const* const identity = source_->identity_of(request.target.type());
    if (arguments == all.lists.end())
        co_return infra::failure(make_error(messages::objects_not_listed, {request.target.type()}, about));
    if (objects == all.resources.end() || identity == nullptr)
        co_return infra::failure(make_error(messages::plugin_answer_invalid,
            {source_->address(), "GetProviderSchema", "it lists objects of a type without identities"}, about));
    auto const config_type = arguments->second.content.find_block("config")->object_type();
    protocol::ValidateListResourceConfig::Request validation;
    validation.set_type_name(request.target.type());
    write(*validation.mutable_config(), request.config, config_type);
    write(*validation.mutable_include_resource_object(), value(request.with_objects), language::type::boolean());
    write(*validation.mutable_limit(), value(language::number(request.limit)), language::type::number());
    auto validating = client_->call<protocol::ValidateListResourceConfig>(std::move(validation));
    auto const valid = co_await std::move(validating);
    if (!valid) co_return to_failure(valid.error(), about);
    diagnostics problems = diagnostics_of(valid->diagnostics(), about);
    if (problems.has_errors()) co_return infra::failure(std::move(problems));

    // Owned by the call and by this coroutine, which ends before a cancelled call does.
    struct listing {
        std::vector<value> found;
        diagnostics problems;
    };
    auto const results = std::make_shared<listing>();
    auto const refuse = [results, about, provider = source_->address()](std::string_view why) {
        results->problems.add(make_error(messages::plugin_answer_invalid, {provider, call, why}, about));
        return false;
    };
    auto take = [results, refuse, about, type = &objects->second, identity, request](
                    protocol::ListResource::Event event) {
        results->problems.add(diagnostics_of(event.diagnostics(), about));
        if (results->problems.has_errors()) return false;
        auto const& encoded = event.identity().identity_data();
        if (encoded.msgpack().empty() && encoded.json().empty())
            return !results->problems.empty() || refuse("an object has no identity");
        auto const named = from_dynamic_value(encoded.msgpack(), encoded.json(), identity->object_type);
        if (!named || named->is_null() || !named->wholly_known())
            return refuse("an identity does not have the type of the schema");
        value state = value::null(type->object_type);
        if (request.with_objects && event.has_resource_object()) {
            auto const& whole = event.resource_object();
            auto const read = from_dynamic_value(whole.msgpack(), whole.json(), type->object_type);
            if (!read || !read->wholly_known()) return refuse("an object does not have the type of the schema");
            state = language::with_sensitive_marks(*read, type->content);
        }
        results->found.push_back(value::object(
            {{"display_name", value(event.display_name())}, {"identity", *named}, {"state", std::move(state)}}));
        return static_cast<std::int64_t>(results->found.size()) < request.limit;
    };
    if (request.limit == 0) co_return read_result(value::tuple({}), {}, std::move(problems));
    protocol::ListResource::Request requested;
    requested.set_type_name(request.target.type());
    write(*requested.mutable_config(), request.config, config_type);
    requested.set_include_resource_object(request.with_objects);
    requested.set_limit(request.limit);
    auto calling = client_->stream<protocol::ListResource>(std::move(requested), std::move(take));
    auto const answer = co_await std::move(calling);
    if (!answer) co_return to_failure(answer.error(), about);
    problems.add(std::move(results->problems));
    if (problems.has_errors()) co_return infra::failure(std::move(problems));
    co_return read_result(value::tuple(std::move(results->found)), {}, std::move(problems));
}

}  // namespace iacctl::plugin
