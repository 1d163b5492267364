// SPDX-License-Identifier: BSL-1.0
#include "provider_set.hpp"

#include "language/values/storable.hpp"
#include "messages/providers.hpp"
#include "messages/report.hpp"
#include "provisioners.hpp"
#include "support/provider_address.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

namespace iacctl::providers {

namespace {

using messages::make_error;
using strider::infra::diagnostics;
using strider::infra::failure;

auto unknown_type(strider::infra::address const& a) -> strider::infra::diagnostic
{
    return make_error(messages::unknown_type_in_state, {a.type()}, to_string(a));
}

// What the schema calls sensitive is marked, whoever made the value.
void mark_sensitive(value& of, resource_type const& type)
{
    for (language::schema_attribute const& one : type.schema().attributes) {
        if (!one.sensitive) continue;
        value const* const found = of.find(one.name);
        if (found != nullptr && !found->is_null() && !found->is_sensitive())
            of = with(of, {{one.name, found->with_marks(language::mark::sensitive)}});
    }
}

// Whatever type has made a value: state stores text and numbers that others can read.
auto check_storable(strider::infra::address const& target, value const& of) -> diagnostics
{
    diagnostics problems;
    if (auto const why = language::why_not_storable(of))
        problems.push_back(make_error(messages::provider_result_not_storable,
            {why->path().empty() ? "it" : std::string_view(why->path()), why->message()}, to_string(target)));
    return problems;
}

auto about(strider::infra::address const& target, failure of) -> failure
{
    diagnostics all = std::move(of).why();
    for (strider::infra::diagnostic& d : all)
        if (d.address.empty()) d.address = to_string(target);
    return failure(std::move(all));
}

}  // namespace

auto provider_set::types() -> std::vector<resource_type const*> const&
{
    static std::vector<resource_type const*> const all = [] {
        std::vector<resource_type const*> made{&local_file(), &local_sensitive_file(), &null_resource(),
            &random_bytes(), &random_id(), &random_integer(), &random_password(), &random_pet(), &random_shuffle(),
            &random_string(), &random_uuid(), &restapi_object(), &terraform_data(), &time_offset(), &time_rotating(),
            &time_sleep(), &time_static()};
        std::ranges::sort(made, {}, &resource_type::name);
        return made;
    }();
    return all;
}

auto provider_set::find(std::string_view type) noexcept -> resource_type const*
{
    static auto const by_name = [] {
        std::unordered_map<std::string_view, resource_type const*> made;
        for (resource_type const* one : types()) made.emplace(one->name(), one);
        return made;
    }();
    auto const found = by_name.find(type);
    return found == by_name.end() ? nullptr : found->second;
}

namespace {

// All providers that there is a type of, as state files write them.
auto known_providers() -> std::set<std::string_view> const&
{
    static std::set<std::string_view> const all = [] {
        std::set<std::string_view> made;
        for (resource_type const* type : provider_set::types()) made.insert(type->provider());
        for (data_source const* source : provider_set::data_types()) made.insert(source->provider());
        return made;
    }();
    return all;
}

}  // namespace

auto provider_set::settings_of(std::string_view provider) -> language::schema const*
{
    for (resource_type const* type : types())
        if (type->provider() == provider) return &type->settings_schema();
    static language::schema const nothing;
    return known_providers().contains(provider) ? &nothing : nullptr;
}

auto provider_set::find_provider(std::string_view address) -> std::string_view
{
    bool const usual = is_usual_provider(address);
    for (std::string_view const known : known_providers()) {
        auto const theirs = provider_address_in(known);
        bool const same_type =
            theirs.starts_with(usual_provider_host) && provider_type(theirs) == provider_type(address);
        if (theirs == address || (same_type && usual)) return known;
    }
    return {};
}

auto provider_set::configure(std::string name, value settings) -> task<diagnostics>
{
    diagnostics problems;
    for (resource_type const* type : types()) {
        auto const at = name.find(type->provider());
        if (at == std::string::npos || (at > 0 && name[at - 1] != '.')) continue;
        auto made = type->configured(settings);
        if (!made) problems = made.error().why();
        else if (*made != nullptr) {
            std::scoped_lock const held(lock_);
            configured_.insert_or_assign({name, type->name()}, std::move(*made));
        }
    }
    co_return problems;
}

auto provider_set::find(std::string_view type, std::string const& provider) const
    -> std::shared_ptr<resource_type const>
{
    resource_type const* const usual = find(type);
    if (usual == nullptr) return nullptr;
    std::scoped_lock const held(lock_);
    if (configured_.empty()) return {std::shared_ptr<void>(), usual};
    auto const told = configured_.find({provider, usual->name()});
    if (told != configured_.end()) return told->second;
    return {std::shared_ptr<void>(), usual};
}

auto provider_set::read(strider::infra::read_request<value> request) -> task<expected<read_result>>
{
    auto const type = find(request.target.type(), request.provider);
    if (type == nullptr) co_return failure(unknown_type(request.target));
    auto reading = type->read(request.prior);
    auto found = co_await std::move(reading);
    if (!found) co_return about(request.target, found.error());
    read_result result(std::move(*found), std::move(request.private_data));
    if (!result.object || *result.object == request.prior) co_return result;
    if (auto wrong = check_storable(request.target, *result.object); !wrong.empty())
        co_return failure(std::move(wrong));
    mark_sensitive(*result.object, *type);
    co_return result;
}

auto provider_set::plan(strider::infra::plan_request<value> request) -> task<expected<planned>>
{
    if (request.target.mode() == strider::infra::resource_mode::data) {
        data_source const* const source = find_data(request.target.type());
        if (source == nullptr) co_return failure(unknown_type(request.target));
        co_return planned(to_be_read(*source, request.config));
    }
    auto const type = find(request.target.type(), request.provider);
    if (type == nullptr) co_return failure(unknown_type(request.target));
    auto made = type->plan(request.prior, request.config);
    if (!made) co_return about(request.target, made.error());
    mark_sensitive(made->after, *type);
    co_return made;
}

auto provider_set::data_types() -> std::vector<data_source const*> const&
{
    static std::vector<data_source const*> const all{
        &external_data(), &http_data(), &local_file_data(), &null_data_source(), &terraform_remote_state()};
    return all;
}

auto provider_set::find_data(std::string_view type) noexcept -> data_source const*
{
    for (data_source const* known : data_types())
        if (known->name() == type) return known;
    return nullptr;
}

auto provider_set::read_data(strider::infra::data_request<value> request) -> task<expected<read_result>>
{
    data_source const* const source = find_data(request.target.type());
    if (source == nullptr) co_return failure(unknown_type(request.target));
    data_surroundings around{&withheld_, {}};
    if (encryption_) {
        std::string name;
        for (auto const& step : request.target.module()) name += step.name + '.';
        around.encryption = {encryption_, &encryption_->of_remote_state(name + request.target.name())};
    }
    auto reading = source->read(std::move(request.config), std::move(around));
    auto found = co_await std::move(reading);
    if (!found) co_return about(request.target, found.error());
    if (auto wrong = check_storable(request.target, *found); !wrong.empty()) co_return failure(std::move(wrong));
    auto warnings = source->warnings_about(found->unmarked_deep());
    co_return read_result(std::move(*found), {}, std::move(warnings));
}

auto provider_set::apply(apply_request request) -> task<applied>
{
    auto const type = find(request.operation.target.type(), request.operation.provider);
    if (type == nullptr) {
        diagnostics problems;
        problems.push_back(unknown_type(request.operation.target));
        co_return applied(std::nullopt, std::move(problems));
    }
    auto const target = request.operation.target;
    auto applying = type->apply(std::move(request));
    auto outcome = co_await std::move(applying);
    if (!outcome.object) co_return outcome;
    for (auto& wrong : check_storable(target, *outcome.object)) outcome.problems.push_back(std::move(wrong));
    mark_sensitive(*outcome.object, *type);
    co_return outcome;
}

auto provider_set::look_up(apply_request request) -> task<looked_up>
{
    auto const type = find(request.operation.target.type(), request.operation.provider);
    if (type == nullptr) co_return looked_up();
    auto asking = type->look_up(std::move(request));
    auto found = co_await std::move(asking);
    if (found.object) mark_sensitive(*found.object, *type);
    co_return found;
}

auto provider_set::import_object(strider::infra::import_request request) -> task<expected<read_result>>
{
    auto const type = find(request.target.type(), request.provider);
    if (type == nullptr) co_return failure(unknown_type(request.target));
    auto importing = type->import_object(std::move(request.id));
    auto found = co_await std::move(importing);
    if (!found) co_return about(request.target, found.error());
    if (auto wrong = check_storable(request.target, *found); !wrong.empty()) co_return failure(std::move(wrong));
    mark_sensitive(*found, *type);
    co_return read_result(std::move(*found));
}

auto provider_set::provision(strider::infra::provision_request<value> request) -> task<diagnostics>
{
    return providers::provision(std::move(request), withheld_);
}

}  // namespace iacctl::providers
