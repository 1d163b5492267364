// SPDX-License-Identifier: BSL-1.0
#include "catalog.hpp"

#include "base/provider_address.hpp"
#include "messages/catalogue.hpp"
#include "messages/providers.hpp"
#include "messages/report.hpp"

#include <future>
#include <string>
#include <utility>
#include <vector>

namespace iacctl::providers {

auto provider_source::move(strider::infra::address const& from, strider::infra::address const& to,
    strider::infra::object const& stored) -> expected<strider::infra::object>
{
    return strider::infra::failure(messages::make_error(messages::moved_between_types,
        {from.type(), provider_address_in(stored.provider), to.type(), address()}, to_string(to)));
}

list_request::list_request(strider::infra::address block, std::string configuration, value const& arguments)
    : target(std::move(block)),
      provider(std::move(configuration)),
      config(*arguments.find("config"))
{
    if (value const& most = *arguments.find("limit"); !most.is_null()) limit = most.as_number().as_int64().value_or(-1);
    if (value const& whole = *arguments.find("include_resource"); !whole.is_null()) with_objects = whole.as_bool();
}

auto list_schema(language::schema config) -> language::schema
{
    language::schema_block block;
    block.name = "config";
    block.how = language::nesting::group;
    block.max_items = 1;
    block.min_items = std::ranges::any_of(config.attributes, &language::schema_attribute::required) ? 1 : 0;
    block.content = std::make_shared<language::schema const>(std::move(config));
    language::schema made;
    made.attributes.push_back({.name = "include_resource", .of = language::type::boolean(), .optional = true});
    made.attributes.push_back({.name = "limit", .of = language::type::number(), .optional = true});
    made.blocks.push_back(std::move(block));
    made.validated_by_provider = true;
    return made;
}

auto provider::list(list_request request) -> task<expected<read_result>>
{
    co_return strider::infra::failure(
        messages::make_error(messages::objects_not_listed, {request.target.type()}, to_string(request.target)));
}

auto provider::invoke_action(invoke_request request) -> task<strider::infra::invoked>
{
    co_return strider::infra::invoked(
        messages::make_error(messages::action_not_performed, {request.target.type()}, to_string(request.target)));
}

auto attribute_problem_of(std::vector<language::path_step> path, strider::infra::diagnostic const& problem)
    -> language::attribute_problem
{
    language::attribute_problem made{std::move(path), {}};
    if (problem.level == strider::infra::severity::warning) made.problem.level = language::severity::warning;
    made.problem.summary = problem.summary;
    made.problem.detail = problem.detail;
    if (auto const* const known = messages::find_message(problem.code)) made.problem.code = known->code;
    return made;
}

catalog::catalog(std::span<std::shared_ptr<provider_source> const> built_in)
{
    for (auto const& source : built_in) add(source);
}

auto catalog::built_in_list() const -> std::string
{
    std::string text;
    for (auto const& [address, source] : all_)
        if (source->is_built_in()) text += (text.empty() ? "" : ", ") + shown_provider(address);
    return text;
}

void catalog::add(std::shared_ptr<provider_source> source)
{
    auto const [at, added] = all_.insert_or_assign(std::string(source->address()), source);
    by_address_.insert_or_assign(at->first, source.get());
}

auto catalog::find(std::string_view address) const -> provider_source*
{
    auto const exact = by_address_.find(address);
    if (exact != by_address_.end()) return exact->second;
    if (!is_usual_provider(address)) return nullptr;
    for (auto const& [known, one] : all_) {
        bool const is_it = known.starts_with(usual_provider_host) && provider_type(known) == provider_type(address);
        if (is_it && one->is_built_in()) return one.get();
    }
    return nullptr;
}

auto catalog::load(std::span<std::string const> addresses) const -> std::map<std::string, strider::infra::diagnostics>
{
    std::map<std::string, std::future<expected<provider_schema const*>>> all;
    for (std::string const& address : addresses)
        if (provider_source* const one = find(address); one != nullptr)
            all.emplace(address, std::async(one->is_built_in() ? std::launch::deferred : std::launch::async, [one] {
                return one->schema();
            }));
    std::map<std::string, strider::infra::diagnostics> problems;
    for (auto& [address, loading] : all)
        if (auto const schema = loading.get(); !schema) problems.emplace(address, schema.error().why());
    return problems;
}

auto catalog::why_without_type(std::string_view provider, strider::infra::address const& a) const
    -> strider::infra::diagnostics
{
    auto const address = provider_address_in(provider);
    provider_source* const one = find(address);
    auto const about = to_string(a);
    if (one == nullptr)
        return {messages::make_error(
            messages::provider_of_object_missing, {shown_provider(address), about, built_in_list()}, about)};
    if (auto const schema = one->schema(); !schema) {
        auto problems = schema.error().why();
        problems.update([&](strider::infra::diagnostic& problem) { problem.address = about; });
        return problems;
    }
    return {messages::make_error(messages::unknown_type_in_state, {a.type()}, about)};
}

auto catalog::way_to_real(std::string_view provider, std::string_view part) const -> std::string
{
    provider_source* const one = find(provider);
    if (one == nullptr || !one->lacks(part)) return {};
    auto const shown = shown_provider(one->address());
    return " The real provider of this release, " + std::string(one->release())
        + ", has it. To use it, run \"iacctl providers "
          "lock "
        + shown
        + "\", which selects the real provider in the lock file, and \"iacctl init\", which installs "
          "it. Without a network, \"iacctl init -plugin-dir=DIR\" installs it from a directory of packages.";
}

auto catalog::find_function(std::string_view provider, std::string_view name) const -> language::function const*
{
    provider_source* const one = find(provider);
    if (one == nullptr) return nullptr;
    auto const schema = one->schema();
    if (!schema) return nullptr;
    auto const found = (*schema)->functions.find(name);
    return found == (*schema)->functions.end() ? nullptr : &found->second.definition;
}

void catalog::cancel_functions() const
{
    for (auto const& [address, one] : all_) one->cancel_functions();
}

void catalog::close() const
{
    for (auto const& [address, one] : all_) one->close();
    for (auto const& [address, one] : all_) one->join();
}

auto catalog::find_type(std::string_view provider, strider::infra::resource_mode mode, std::string_view type) const
    -> type_schema const*
{
    provider_source* const one = find(provider_address_in(provider));
    if (one == nullptr) return nullptr;
    auto const schema = one->schema();
    if (!schema) return nullptr;
    auto const& all = (*schema)->of(mode);
    auto const found = all.find(type);
    return found == all.end() ? nullptr : &found->second;
}

}  // namespace iacctl::providers
