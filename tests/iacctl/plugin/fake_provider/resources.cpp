// SPDX-License-Identifier: BSL-1.0
#include "resources.hpp"

#include "schemas.hpp"

#include "base/characters.hpp"
#include "providers/plugin/wire_value.hpp"

#include <ctime>
#include <stdexcept>
#include <utility>

#include <unistd.h>

namespace fake {

namespace {

using iacctl::plugin::from_dynamic_value;
using iacctl::plugin::to_message_pack;
using language::type;
using language::value;

auto read(protocol::DynamicValue const& dynamic_value, type const& declared) -> value
{
    auto made = from_dynamic_value(dynamic_value.msgpack(), dynamic_value.json(), declared);
    if (!made) throw std::runtime_error("a value cannot be read");
    return std::move(*made);
}

// The identity of "fake_simple": its name, and a region that is always the same.
auto identity_type() -> type
{
    return type::object({{"name", type::string()}, {"region", type::string()}});
}

void write_identity(protocol::ResourceIdentityData& to, value const& name)
{
    value const whole = value::object({{"name", name}, {"region", value("here")}});
    to.mutable_identity_data()->set_msgpack(to_message_pack(whole, identity_type()));
}

auto same(value const* a, value const* b) -> bool
{
    return a != nullptr && b != nullptr && *a == *b;
}

template <class Diagnostics>
void report(Diagnostics& into, std::string const& summary, std::string const& attribute)
{
    auto& one = *into.Add();
    one.set_severity(protocol::Diagnostic::ERROR);
    one.set_summary(summary);
    one.set_detail("The fake provider does not like it.");
    if (!attribute.empty()) one.mutable_attribute()->add_steps()->set_attribute_name(attribute);
}

// Reports the keys of blocks `some` that have a value, each with its path.
template <class Diagnostics>
void report_keys(Diagnostics& into, value const& v, std::string_view wrong, std::string const& summary)
{
    value const* const some = v.has_data() ? v.find("some") : nullptr;
    for (std::size_t i = 0; some != nullptr && some->has_data() && i < some->elements().size(); ++i) {
        value const* const key = some->elements()[i].find("key");
        if (key == nullptr || !key->has_data() || key->as_string() != wrong) continue;
        report(into, summary, "some");
        auto& path = *into.rbegin()->mutable_attribute();
        path.add_steps()->set_element_key_int(static_cast<std::int64_t>(i));
        path.add_steps()->set_attribute_name("key");
    }
}

}  // namespace

resources::resources(int version, int more, std::string lie)
    : version_(version),
      lie_(std::move(lie)),
      schemas_(all_schemas(version, more))
{
    if (lie_ == "no_meta") schemas_.clear_provider_meta();
}

auto resources::schema_of(std::string const& type) const -> protocol::Schema const&
{
    return schemas_.resource_schemas().at(type);
}

auto resources::reply(protocol::GetProviderSchema, protocol::GetProviderSchema::Request const&) const
    -> protocol::GetProviderSchema::Response
{
    auto made = schemas_;
    if (version_ == 5) translate_to_version_5(made);
    return made;
}

auto resources::reply(protocol::GetResourceIdentitySchemas, protocol::GetResourceIdentitySchemas::Request const&) const
    -> protocol::GetResourceIdentitySchemas::Response
{
    protocol::GetResourceIdentitySchemas::Response made;
    auto& schema = (*made.mutable_identity_schemas())["fake_simple"];
    schema.set_version(2);
    for (char const* const name : {"name", "region"}) {
        auto& one = *schema.add_identity_attributes();
        one.set_name(name);
        one.set_type("\"string\"");
    }
    schema.mutable_identity_attributes(0)->set_required_for_import(true);
    schema.mutable_identity_attributes(1)->set_optional_for_import(true);
    return made;
}

auto resources::reply(protocol::UpgradeResourceIdentity, protocol::UpgradeResourceIdentity::Request const& to) const
    -> protocol::UpgradeResourceIdentity::Response
{
    // In version 1, the name was called title, and there was no region.
    protocol::UpgradeResourceIdentity::Response made;
    auto const old = language::from_json(to.raw().json());
    value const* const title = old.value().find("title");
    if (title == nullptr || to.version() != 1) report(*made.mutable_diagnostics(), "Unknown identity", "");
    else write_identity(*made.mutable_upgraded_identity(), *title);
    return made;
}

auto resources::reply(protocol::ValidateProviderConfig, protocol::ValidateProviderConfig::Request const& to) const
    -> protocol::ValidateProviderConfig::Response
{
    protocol::ValidateProviderConfig::Response made;
    value const config = read(to.config(), type_of(schemas_.provider().block()));
    value const* const endpoint = config.find("endpoint");
    if (endpoint != nullptr && endpoint->has_data() && endpoint->as_string() == "bad")
        report(*made.mutable_diagnostics(), "Invalid endpoint", "endpoint");
    return made;
}

auto resources::reply(protocol::ConfigureProvider, protocol::ConfigureProvider::Request const&) const
    -> protocol::ConfigureProvider::Response
{
    return {};
}

auto resources::reply(protocol::StopProvider, protocol::StopProvider::Request const&) const
    -> protocol::StopProvider::Response
{
    return {};
}

auto resources::reply(protocol::ValidateResourceConfig, protocol::ValidateResourceConfig::Request const& to) const
    -> protocol::ValidateResourceConfig::Response
{
    protocol::ValidateResourceConfig::Response made;
    value const config = read(to.config(), type_of(schema_of(to.type_name()).block()));
    value const* const name = config.find("name");
    if (name != nullptr && name->has_data() && name->as_string().empty())
        report(*made.mutable_diagnostics(), "Empty name", "name");
    report_keys(*made.mutable_diagnostics(), config, "bad", "Bad key");
    return made;
}

auto resources::reply(protocol::UpgradeResourceState, protocol::UpgradeResourceState::Request const& to) const
    -> protocol::UpgradeResourceState::Response
{
    // In version 0 of "fake_simple", the name was called title.
    protocol::UpgradeResourceState::Response made;
    type const declared = type_of(schema_of(to.type_name()).block());
    auto const old = language::from_json(to.raw().json());
    value state = old.value();
    if (value const* const title = state.find("title"); title != nullptr && to.version() == 0)
        state = with(state, "name", *title);
    std::vector<language::value_entry> entries;
    for (auto const& one : declared.attributes()) {
        value const* const found = state.find(one.name);
        entries.push_back({one.name, found == nullptr ? value::null(one.of) : *found});
    }
    std::string const text = language::to_json(value::object(std::move(entries)));
    auto const current = language::from_json(text, declared);
    made.mutable_upgraded_state()->set_msgpack(to_message_pack(current.value(), declared));
    return made;
}

auto resources::reply(protocol::ReadResource, protocol::ReadResource::Request const& to) const
    -> protocol::ReadResource::Response
{
    protocol::ReadResource::Response made;
    *made.mutable_new_state() = to.current_state();
    if (lie_ == "deferred_read") made.mutable_deferred()->set_reason(protocol::Deferred::ABSENT_PREREQ);
    made.set_private_data(to.private_data());
    return made;
}

auto resources::reply(protocol::PlanResourceChange, protocol::PlanResourceChange::Request const& to) const
    -> protocol::PlanResourceChange::Response
{
    protocol::PlanResourceChange::Response made;
    auto const& schema = schema_of(to.type_name());
    type const declared = type_of(schema.block());
    value const prior = read(to.prior_state(), declared);
    value const proposed = read(to.proposed_new_state(), declared);
    value after = proposed.is_null() ? proposed : planned(schema.block(), proposed);
    report_keys(*made.mutable_diagnostics(), proposed, "not planned", "Key not planned");
    for (auto const& nested : schema.block().block_types()) {
        if (!nested.block().computed() || !after.has_data()) continue;
        if (!to.client_capabilities().computed_blocks_allowed())
            report(*made.mutable_diagnostics(), "Blocks cannot be computed", "");
        value const configured = *read(to.config(), declared).find(nested.type_name());
        value const open = value::unknown(configured.get_type());
        if (configured.is_null())
            after = with(after, nested.type_name(), prior.has_data() ? *prior.find(nested.type_name()) : open);
        else if (lie_ == "planned_blocks") after = with(after, nested.type_name(), open);
    }
    if (prior.has_data() && after.has_data() && prior.find("name") != nullptr
        && !same(prior.find("name"), after.find("name")))
        made.add_requires_replace()->add_steps()->set_attribute_name("name");
    if ((lie_ == "planned" || lie_ == "legacy") && after.has_data()) after = with(after, "value", value("a lie"));
    if (lie_ == "planned_secret" && after.has_data()) after = with(after, "secret", value("kept"));
    value const meta =
        to.has_provider_meta() ? read(to.provider_meta(), type_of(schemas_.provider_meta().block())) : value();
    if (meta.has_data()) {
        report(*made.mutable_diagnostics(), "Planned for module " + meta.find("module")->as_string(), "");
        made.mutable_diagnostics()->rbegin()->set_severity(protocol::Diagnostic::WARNING);
    }
    if (lie_ == "deferred") made.mutable_deferred()->set_reason(protocol::Deferred::ABSENT_PREREQ);
    value const* const name = proposed.has_data() ? proposed.find("name") : nullptr;
    if (to.client_capabilities().deferral_allowed() && name != nullptr && name->is_unknown())
        made.mutable_deferred()->set_reason(protocol::Deferred::RESOURCE_CONFIG_UNKNOWN);
    made.set_legacy_type_system(lie_ == "legacy");
    made.set_planned_private(to.prior_private().empty() ? "planned" : to.prior_private());
    if (lie_ == "generates" && to.client_capabilities().store_planned_private() && prior.is_null()) {
        // A key that can be repeated only with the private data of the first plan.
        if (to.planned_private().empty()) made.set_planned_private("key of process " + std::to_string(getpid()));
        else made.set_planned_private(to.planned_private());
        after = with(after, "key", value(made.planned_private()));
        write_identity(*made.mutable_planned_identity(), *after.find("name"));
    }
    made.mutable_planned_state()->set_msgpack(lie_ == "msgpack" ? "\xc1" : to_message_pack(after, declared));
    return made;
}

auto resources::reply(protocol::ApplyResourceChange, protocol::ApplyResourceChange::Request const& to) const
    -> protocol::ApplyResourceChange::Response
{
    protocol::ApplyResourceChange::Response answer;
    if (to.type_name() == "fake_echo") {
        *answer.mutable_new_state() = to.planned_state();
        return answer;
    }
    type const declared = type_of(schema_of(to.type_name()).block());
    value const before = read(to.planned_state(), declared);
    report_keys(*answer.mutable_diagnostics(), before, "not applied", "Key not applied");
    value after = lie_ == "unknown" ? before : made(before, "");
    if (lie_ == "applied" && after.has_data()) after = with(after, "value", value("a lie"));
    if (lie_ == "null_blocks") after = with(after, "some", value::null(after.find("some")->get_type()));
    if (lie_ == "applied_secret" && after.has_data()) after = with(after, "secret", value("kept"));
    answer.mutable_new_state()->set_msgpack(lie_ == "type" ? "\xa1x" : to_message_pack(after, declared));
    answer.set_private_data(to.planned_private() + "+applied");
    if (to.type_name() == "fake_simple" && after.has_data())
        write_identity(
            *answer.mutable_new_identity(), lie_ == "identity_unknown" ? value::unknown() : *after.find("name"));
    if (lie_ == "identity_type") answer.mutable_new_identity()->mutable_identity_data()->set_msgpack("\xa1x");
    answer.set_legacy_type_system(lie_ == "legacy");
    return answer;
}

auto resources::reply(protocol::ImportResourceState, protocol::ImportResourceState::Request const& to) const
    -> protocol::ImportResourceState::Response
{
    protocol::ImportResourceState::Response answer;
    value const name =
        to.has_identity() ? *read(to.identity().identity_data(), identity_type()).find("name") : value(to.id());
    if (to.type_name() != "fake_simple" || name.as_string() == "gone") {
        report(*answer.mutable_diagnostics(), "Cannot import non-existent object " + std::string(name.as_string()), "");
        return answer;
    }
    type const declared = type_of(schema_of(to.type_name()).block());
    value state = made(planned(schema_of(to.type_name()).block(), language::from_json("{}", declared).value()), "");
    state = with(with(state, "name", name), "id", name);
    auto& one = *answer.add_imported_resources();
    one.set_type_name(to.type_name());
    one.mutable_state()->set_msgpack(to_message_pack(state, declared));
    one.set_private_data("imported");
    write_identity(*one.mutable_identity(), name);
    return answer;
}

auto resources::reply(protocol::MoveResourceState, protocol::MoveResourceState::Request const& to) const
    -> protocol::MoveResourceState::Response
{
    protocol::MoveResourceState::Response answer;
    if (to.source_type_name() != "fake_0" || to.target_type_name() != "fake_simple") {
        report(*answer.mutable_diagnostics(), "Move not supported", "");
        return answer;
    }
    type const declared = type_of(schema_of("fake_simple").block());
    auto const state = language::from_json(to.source_state().json(), declared);
    answer.mutable_target_state()->set_msgpack(to_message_pack(state.value(), declared));
    answer.set_target_private(to.source_private());
    write_identity(*answer.mutable_target_identity(), *state.value().find("name"));
    return answer;
}

auto resources::reply(protocol::ValidateDataResourceConfig, protocol::ValidateDataResourceConfig::Request const&) const
    -> protocol::ValidateDataResourceConfig::Response
{
    return {};
}

auto resources::reply(protocol::ReadDataSource, protocol::ReadDataSource::Request const& to) const
    -> protocol::ReadDataSource::Response
{
    protocol::ReadDataSource::Response answer;
    auto const& block = schemas_.data_source_schemas().at(to.type_name()).block();
    value const config = read(to.config(), type_of(block));
    if (config.find("name")->as_string() == "gone") {
        report(*answer.mutable_diagnostics(), "Not found", "name");
        return answer;
    }
    answer.mutable_state()->set_msgpack(to_message_pack(made(planned(block, config), ""), type_of(block)));
    return answer;
}

auto resources::reply(
    protocol::ValidateEphemeralResourceConfig, protocol::ValidateEphemeralResourceConfig::Request const&) const
    -> protocol::ValidateEphemeralResourceConfig::Response
{
    return {};
}

auto resources::reply(protocol::ValidateActionConfig, protocol::ValidateActionConfig::Request const& to) const
    -> protocol::ValidateActionConfig::Response
{
    protocol::ValidateActionConfig::Response answer;
    auto const& block = schemas_.action_schemas().at(to.type_name()).schema().block();
    if (read(to.config(), type_of(block)) == value::object({{"message", value("wrong")}}))
        report(*answer.mutable_diagnostics(), "a wrong message", "message");
    return answer;
}

auto resources::reply(protocol::PlanAction, protocol::PlanAction::Request const& to) const
    -> protocol::PlanAction::Response
{
    protocol::PlanAction::Response answer;
    auto const& block = schemas_.action_schemas().at(to.type_name()).schema().block();
    if (read(to.config(), type_of(block)) == value::object({{"message", value("unplannable")}}))
        report(*answer.mutable_diagnostics(), "it cannot be planned", "message");
    return answer;
}

auto resources::events(protocol::InvokeAction, protocol::InvokeAction::Request const& to) const
    -> std::vector<protocol::InvokeAction::Event>
{
    auto const& block = schemas_.action_schemas().at(to.type_name()).schema().block();
    std::string const message = read(to.config(), type_of(block)).find("message")->as_string();
    std::vector<protocol::InvokeAction::Event> all(3);
    all[0].mutable_progress()->set_message("told " + message);
    all[1].mutable_progress()->set_message("told it again");
    all[2].mutable_completed();
    if (message == "fail") report(*all[2].mutable_completed()->mutable_diagnostics(), "nobody listens", "message");
    if (message == "endless") all.pop_back();
    return all;
}

auto resources::reply(protocol::ValidateListResourceConfig,
    protocol::ValidateListResourceConfig::Request const& to) const -> protocol::ValidateListResourceConfig::Response
{
    protocol::ValidateListResourceConfig::Response answer;
    auto const& block = schemas_.list_resource_schemas().at(to.type_name()).block();
    value const config = read(to.config(), type_of(block));
    if (*config.find("prefix") == value("bad")) report(*answer.mutable_diagnostics(), "a bad prefix", "prefix");
    return answer;
}

auto resources::events(protocol::ListResource, protocol::ListResource::Request const& to) const
    -> std::vector<protocol::ListResource::Event>
{
    value const config = read(to.config(), type_of(schemas_.list_resource_schemas().at(to.type_name()).block()));
    std::string const prefix = config.find("prefix")->has_data() ? config.find("prefix")->as_string() : "object";
    auto const size = config.find("size")->as_number().as_int64().value_or(0);
    type const object = type_of(schema_of(to.type_name()).block());
    std::vector<protocol::ListResource::Event> all;
    if (prefix == "warn") {
        auto& warning = *all.emplace_back().add_diagnostics();
        warning.set_severity(protocol::Diagnostic::WARNING);
        warning.set_summary("one region did not answer");
    }
    for (std::int64_t i = 0; i < size; ++i) {
        auto& event = all.emplace_back();
        value const name(prefix + std::to_string(i));
        event.set_display_name("Object " + std::to_string(i));
        if (prefix != "lie") write_identity(*event.mutable_identity(), name);
        if (prefix == "fail" && i == 1) report(*event.mutable_diagnostics(), "no permission", "");
        if (!to.include_resource_object()) continue;
        std::vector<language::value_entry> entries;
        for (auto const& one : object.attributes())
            entries.push_back({one.name, one.name == "name" ? name : value::null(one.of)});
        event.mutable_resource_object()->set_msgpack(to_message_pack(value::object(std::move(entries)), object));
    }
    return all;
}

auto resources::reply(protocol::OpenEphemeralResource, protocol::OpenEphemeralResource::Request const& to) const
    -> protocol::OpenEphemeralResource::Response
{
    protocol::OpenEphemeralResource::Response answer;
    auto const& block = schemas_.ephemeral_resource_schemas().at(to.type_name()).block();
    value const config = read(to.config(), type_of(block));
    answer.mutable_result()->set_msgpack(to_message_pack(made(planned(block, config), ""), type_of(block)));
    answer.mutable_renew_at()->set_seconds(std::time(nullptr) + 1);
    answer.set_private_data("opened");
    return answer;
}

auto resources::reply(protocol::RenewEphemeralResource, protocol::RenewEphemeralResource::Request const& to) const
    -> protocol::RenewEphemeralResource::Response
{
    protocol::RenewEphemeralResource::Response answer;
    answer.mutable_renew_at()->set_seconds(std::time(nullptr) + 1);
    answer.set_private_data(to.private_data() + "+renewed");
    return answer;
}

auto resources::reply(protocol::CloseEphemeralResource, protocol::CloseEphemeralResource::Request const&) const
    -> protocol::CloseEphemeralResource::Response
{
    return {};
}

auto resources::reply(protocol::CallFunction, protocol::CallFunction::Request const& to) const
    -> protocol::CallFunction::Response
{
    protocol::CallFunction::Response answer;
    if (to.name() != "shout" || to.arguments_size() != 1) {
        answer.mutable_error()->set_text("there is no such function");
        return answer;
    }
    value const words = read(to.arguments(0), type::string());
    if (words.as_string().empty()) {
        answer.mutable_error()->set_text("there are no words");
        answer.mutable_error()->set_function_argument(0);
        return answer;
    }
    value const loud(iacctl::ascii_upper_case(std::string_view(words.as_string())));
    answer.mutable_result()->set_msgpack(to_message_pack(loud, type::string()));
    return answer;
}

}  // namespace fake
