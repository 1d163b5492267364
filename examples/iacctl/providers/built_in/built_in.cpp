// SPDX-License-Identifier: BSL-1.0
#include "built_in.hpp"

#include "base/provider_address.hpp"
#include "language/validation/schema_values.hpp"
#include "language/values/storable.hpp"
#include "messages/program.hpp"
#include "messages/providers.hpp"
#include "messages/report.hpp"
#include "placed_type.hpp"
#include "providers/action_type.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace iacctl::providers {

namespace {

using messages::make_error;
using strider::infra::diagnostics;
using strider::infra::failure;

auto unknown_type(strider::infra::address const& a) -> strider::infra::diagnostic
{
    return make_error(messages::unknown_type_in_state, {a.type()}, to_string(a));
}

void mark_sensitive(value& v, resource_type const& type)
{
    v = language::with_sensitive_marks(v, type.schema());
}

// Checks that state can store text and numbers in a form that other programs can read.
auto check_storable(strider::infra::address const& target, value const& v) -> diagnostics
{
    diagnostics problems;
    if (auto const why = language::why_not_storable(v))
        problems.add(make_error(messages::provider_result_not_storable,
            {why->path().empty() ? "it" : std::string_view(why->path()), why->message()}, to_string(target)));
    return problems;
}

auto about(strider::infra::address const& target, failure f) -> failure
{
    return failure(with_address(std::move(f).why(), to_string(target)));
}

class built_in_provider final : public provider {
public:
    // \param name  in the format of state files
    built_in_provider(std::string_view name, provider_context const& in) : name_(name), in_(&in) {}

    auto configure(value settings) -> task<diagnostics> override
    {
        diagnostics problems;
        for (resource_type const* type : resource_types()) {
            if (type->provider() != name_) continue;
            auto made = type->configured(settings);
            if (made && is_placed(strider::infra::resource_mode::managed, type->name()))
                made = std::make_shared<placed_type const>(*type, std::move(*made), settings, in_->placed);
            if (!made) problems = made.error().why();
            else if (*made != nullptr) configured_.insert_or_assign(type->name(), std::move(*made));
        }
        co_return problems;
    }

    auto read(read_request request) -> task<expected<read_result>> override
    {
        auto const* const type = find(request.target.type());
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

    auto plan(plan_request request) -> task<expected<planned>> override
    {
        if (request.target.mode() == strider::infra::resource_mode::data) {
            data_source const* const source = find_data_source(request.target.type());
            if (source == nullptr) co_return failure(unknown_type(request.target));
            co_return planned(to_be_read(*source, request.config));
        }
        auto const* const type = find(request.target.type());
        if (type == nullptr) co_return failure(unknown_type(request.target));
        auto made = type->plan(request.prior, request.config);
        if (!made) co_return about(request.target, made.error());
        mark_sensitive(made->after, *type);
        co_return made;
    }

    auto apply(apply_request request) -> task<applied> override
    {
        auto const target = request.operation.target;
        auto const* const type = find(target.type());
        if (type == nullptr) co_return applied(std::nullopt, unknown_type(target));
        auto applying = type->apply(std::move(request));
        auto outcome = co_await std::move(applying);
        if (!outcome.object) co_return outcome;
        outcome.problems.add(check_storable(target, *outcome.object));
        mark_sensitive(*outcome.object, *type);
        co_return outcome;
    }

    auto has_side_effects(std::string_view name) const -> bool override
    {
        auto const* const type = find(name);
        return type == nullptr || type->has_side_effects();
    }

    auto look_up(apply_request request) -> task<looked_up> override
    {
        auto const* const type = find(request.operation.target.type());
        if (type == nullptr) co_return looked_up();
        auto asking = type->look_up(std::move(request));
        auto found = co_await std::move(asking);
        if (found.object) mark_sensitive(*found.object, *type);
        co_return found;
    }

    auto import_object(import_request request) -> task<expected<read_result>> override
    {
        auto const* const type = find(request.target.type());
        if (type == nullptr) co_return failure(unknown_type(request.target));
        auto importing = type->import_object(std::move(request.id));
        auto found = co_await std::move(importing);
        if (!found) co_return about(request.target, found.error());
        if (auto wrong = check_storable(request.target, *found); !wrong.empty()) co_return failure(std::move(wrong));
        mark_sensitive(*found, *type);
        co_return read_result(std::move(*found));
    }

    auto read_data(data_request request) -> task<expected<read_result>> override
    {
        data_source const* const source = find_data_source(request.target.type());
        if (source == nullptr) co_return failure(unknown_type(request.target));
        data_context around{&in_->withheld, {}};
        if (in_->encryption) {
            around.encryption = {in_->encryption, &in_->encryption->of_remote_state(request.target)};
        }
        auto reading = is_placed(request.target.mode(), source->name())
            ? read_placed_data(std::string(source->name()), std::move(request.config), in_->withheld, in_->placed)
            : source->read(std::move(request.config), std::move(around));
        auto found = co_await std::move(reading);
        if (!found) co_return about(request.target, found.error());
        if (auto wrong = check_storable(request.target, *found); !wrong.empty()) co_return failure(std::move(wrong));
        auto warnings = source->warnings_about(found->unmarked_deep());
        co_return read_result(std::move(*found), {}, std::move(warnings));
    }

    auto invoke_action(invoke_request request) -> task<strider::infra::invoked> override
    {
        for (action_type const* one : action_types())
            if (one->name() == request.target.type()) {
                auto invoking = one->invoke(std::move(request), in_->withheld);
                co_return strider::infra::invoked(co_await std::move(invoking));
            }
        auto refusing = provider::invoke_action(std::move(request));
        co_return co_await std::move(refusing);
    }

private:
    [[nodiscard]] auto is_placed(strider::infra::resource_mode mode, std::string_view type) const -> bool
    {
        return in_->placed != nullptr && in_->placed->has(mode, type);
    }
    // The type with its settings; null if there is no such type.
    [[nodiscard]] auto find(std::string_view type) const -> resource_type const*
    {
        auto const found = configured_.find(type);
        return found != configured_.end() ? found->second.get() : find_resource_type(type);
    }

    std::string_view name_;
    provider_context const* in_;
    std::map<std::string_view, std::shared_ptr<resource_type const>> configured_;
};

// Parts of the releases beside the built-in types: "data.TYPE", "ephemeral.TYPE", and names of functions.
constexpr std::array<std::string_view, 4> beside_local{
    "data.local_command", "data.local_sensitive_file", "ephemeral.local_command", "direxists"};
constexpr std::array<std::string_view, 2> beside_random{"ephemeral.random_bytes", "ephemeral.random_password"};
constexpr std::array<std::string_view, 3> beside_time{"duration_parse", "rfc3339_parse", "unix_timestamp_parse"};

// A built-in provider, and the release of the real one whose types it has.
struct built_in_release {
    std::string_view name;  // in the format of state files
    std::string_view release = {};  // empty: there is no real provider, or the types differ from it
    std::span<std::string_view const> beside = {};
};

// Listed here, because types are constructed only when a command needs them.
constexpr std::array<built_in_release, 8> releases{{
    {"provider[\"registry.terraform.io/hashicorp/external\"]", "2.4.0"},
    {"provider[\"registry.terraform.io/hashicorp/http\"]", "3.6.0"},
    {"provider[\"registry.terraform.io/hashicorp/local\"]", "2.9.0", beside_local},
    {"provider[\"registry.terraform.io/hashicorp/null\"]", "3.3.1"},
    {"provider[\"registry.terraform.io/hashicorp/random\"]", "3.9.0", beside_random},
    {"provider[\"registry.terraform.io/hashicorp/time\"]", "0.14.2", beside_time},
    {"provider[\"registry.terraform.io/mastercard/restapi\"]"},
    {"provider[\"terraform.io/builtin/terraform\"]"},
}};

class built_in_source final : public provider_source {
public:
    explicit built_in_source(built_in_release const& of) : name_(of.name), of_(&of) {}

    [[nodiscard]] auto address() const noexcept -> std::string_view override { return provider_address_in(name_); }
    [[nodiscard]] auto is_built_in() const noexcept -> bool override { return true; }
    [[nodiscard]] auto release() const noexcept -> std::string_view override { return of_->release; }
    [[nodiscard]] auto lacks(std::string_view part) const -> bool override
    {
        return std::ranges::find(of_->beside, part) != of_->beside.end();
    }
    [[nodiscard]] auto schema() -> expected<provider_schema const*> override
    {
        std::call_once(once_, [this] {
            schema_.emplace();
            for (resource_type const* type : resource_types()) {
                if (type->provider() != name_) continue;
                schema_->settings = type->settings_schema();
                schema_->resources.emplace(type->name(), type_schema(type->schema(), type->schema_version()));
            }
            for (action_type const* one : action_types())
                if (one->provider() == name_) schema_->actions.emplace(one->name(), type_schema(one->schema()));
            for (data_source const* source : data_sources())
                if (source->provider() == name_)
                    schema_->data_sources.emplace(source->name(), type_schema(source->schema()));
        });
        return &*schema_;
    }
    [[nodiscard]] auto upgrade(strider::infra::address const& a, strider::infra::object const& stored)
        -> expected<strider::infra::object> override
    {
        auto const* const type = find_resource_type(a.type());
        if (type == nullptr) return stored;
        auto const& current = schema_->resources.find(type->name())->second;
        auto const read =
            language::from_json(stored.attributes.text(), current.object_type, language::other_members::dropped);
        if (!read)
            return failure(
                make_error(messages::state_attributes_misfit, {to_string(a), read.error().message()}, to_string(a)));
        auto upgraded = type->upgrade(*read);
        if (!upgraded) return about(a, upgraded.error());
        auto made = stored;
        made.attributes = strider::infra::document(language::to_json(*upgraded, current.object_type));
        made.schema_version = current.version;
        return made;
    }
    [[nodiscard]] auto move(strider::infra::address const& from, strider::infra::address const& to,
        strider::infra::object const& stored) -> expected<strider::infra::object> override
    {
        bool const supported = to.type() == "terraform_data" && from.type() == "null_resource"
            && provider_address_in(stored.provider).ends_with("/hashicorp/null");
        auto const text = language::type::string();
        auto const read = language::from_json(
            stored.attributes.text(), language::type::object({{"id", text}, {"triggers", language::type::map(text)}}));
        if (!supported || !read) return provider_source::move(from, to, stored);
        value const triggers = *read->find("triggers");
        auto const all = triggers.entries();
        value const replace = triggers.is_null() ? value() : value::object({all.begin(), all.end()});
        auto made = stored;
        made.attributes =
            strider::infra::document(language::to_json(value::object({{"id", *read->find("id")}, {"input", value()},
                                                           {"output", value()}, {"triggers_replace", replace}}),
                schema_->resources.find("terraform_data")->second.object_type));
        made.schema_version = 0;
        made.private_data = {};
        return made;
    }
    // A new object is planned, which needs no input or output. A type with settings could not be planned without them.
    [[nodiscard]] auto validate(language::configured_block cb, std::string_view type, value const& v)
        -> std::vector<language::attribute_problem> override
    {
        auto const* const planning = cb == language::configured_block::resource ? find_resource_type(type) : nullptr;
        if (planning == nullptr || !planning->settings_schema().attributes.empty()) return {};
        auto const made = planning->plan(std::nullopt, v);
        if (made) return {};
        std::vector<language::attribute_problem> found;
        for (strider::infra::diagnostic const& d : made.error().why()) {
            std::vector<language::path_step> path;
            if (!d.attribute.empty()) path.emplace_back(d.attribute);
            found.push_back(attribute_problem_of(std::move(path), d));
        }
        return found;
    }
    [[nodiscard]] auto make(provider_context const& in) -> std::shared_ptr<provider> override
    {
        return std::make_shared<built_in_provider>(name_, in);
    }

private:
    std::string_view name_;
    built_in_release const* of_;
    std::once_flag once_;
    std::optional<provider_schema> schema_;
};

}  // namespace

auto resource_types() -> std::span<resource_type const* const>
{
    static std::vector<resource_type const*> const all = [] {
        std::vector<resource_type const*> made{&local_file(), &local_sensitive_file(), &null_resource(),
            &random_bytes(), &random_id(), &random_integer(), &random_password(), &random_pet(), &random_shuffle(),
            &random_string(), &random_uuid(), &random_uuid4(), &random_uuid7(), &restapi_object(), &terraform_data(),
            &time_offset(), &time_rotating(), &time_sleep(), &time_static()};
        std::ranges::sort(made, {}, &resource_type::name);
        return made;
    }();
    return all;
}

auto data_sources() -> std::span<data_source const* const>
{
    static std::vector<data_source const*> const all{
        &external_data(), &http_data(), &local_file_data(), &null_data_source(), &terraform_remote_state()};
    return all;
}

auto find_resource_type(std::string_view name) noexcept -> resource_type const*
{
    static auto const by_name = [] {
        std::unordered_map<std::string_view, resource_type const*> made;
        for (resource_type const* one : resource_types()) made.emplace(one->name(), one);
        return made;
    }();
    auto const found = by_name.find(name);
    return found == by_name.end() ? nullptr : found->second;
}

auto find_data_source(std::string_view name) noexcept -> data_source const*
{
    for (data_source const* known : data_sources())
        if (known->name() == name) return known;
    return nullptr;
}

auto built_in_providers() -> std::span<std::shared_ptr<provider_source> const>
{
    static auto const all = [] {
        std::vector<std::shared_ptr<provider_source>> made;
        for (built_in_release const& one : releases) made.push_back(std::make_shared<built_in_source>(one));
        return made;
    }();
    return all;
}

auto built_in_list() -> std::string
{
    std::string text;
    for (auto const& one : built_in_providers()) text += (text.empty() ? "" : ", ") + shown_provider(one->address());
    return text;
}

}  // namespace iacctl::providers
