// SPDX-License-Identifier: BSL-1.0
#include "known_schemas.hpp"

#include "providers/connection_settings.hpp"
#include "providers/provisioners.hpp"
#include "providers/redaction.hpp"
#include "workspace/program/declarations.hpp"

namespace iacctl::workspace {

auto known_schemas::resource(std::string_view provider, std::string_view type) const -> language::schema const*
{
    auto const* const known = catalog_->find_type(provider, strider::infra::resource_mode::managed, type);
    return known == nullptr ? nullptr : &known->content;
}

auto known_schemas::data_source(std::string_view provider, std::string_view type) const -> language::schema const*
{
    auto const* const known = catalog_->find_type(provider, strider::infra::resource_mode::data, type);
    return known == nullptr ? nullptr : &known->content;
}

auto known_schemas::ephemeral(std::string_view provider, std::string_view type) const -> language::schema const*
{
    auto const* const known = catalog_->find_type(provider, strider::infra::resource_mode::ephemeral, type);
    return known == nullptr ? nullptr : &known->content;
}

auto known_schemas::action(std::string_view provider, std::string_view type) const -> language::schema const*
{
    auto const* const known = catalog_->find_type(provider, strider::infra::resource_mode::action, type);
    return known == nullptr ? nullptr : &known->content;
}

auto known_schemas::list(std::string_view provider, std::string_view type) const -> language::schema const*
{
    auto const* const known = catalog_->find_type(provider, strider::infra::resource_mode::list, type);
    return known == nullptr ? nullptr : &known->content;
}

auto known_schemas::provisioner(std::string_view type) const -> language::schema const*
{
    return providers::provisioner_schema(type);
}

auto known_schemas::uses_connection(std::string_view provisioner) const -> bool
{
    return providers::uses_connection(provisioner);
}

auto known_schemas::types(std::string_view provider, language::resource_mode mode) const
    -> std::vector<std::string_view>
{
    std::vector<std::string_view> names;
    auto* const found = catalog_->find(provider);
    if (found == nullptr) return names;
    auto const schema = found->schema();
    if (!schema) return names;
    for (auto const& [name, type] : (*schema)->of(program::mode_of(mode))) names.push_back(name);
    return names;
}

auto known_schemas::connection() const -> language::schema const*
{
    bool const is_portable = how_ == validation::by_provider;
    return is_portable ? &providers::portable_connection_schema() : &providers::connection_schema();
}

auto known_schemas::provider(std::string_view address) const -> language::schema const*
{
    auto* const found = catalog_->find(address);
    if (found == nullptr) return nullptr;
    auto const schema = found->schema();
    return schema ? &(*schema)->settings : nullptr;
}

auto known_schemas::attribute_problems(language::configured_block block, std::string_view provider,
    std::string_view type, language::value const& v) const -> std::vector<language::attribute_problem>
{
    auto* const found = how_ == validation::by_provider ? catalog_->find(provider) : nullptr;
    if (found == nullptr) return {};
    auto wrong = found->validate(block, type, v.unmarked_deep());
    if (wrong.empty() || v.deep_marks() == language::mark::none) return wrong;
    providers::redaction hidden;
    hidden.hide(v);
    for (language::attribute_problem& one : wrong) {
        one.problem.summary = hidden.redacted(one.problem.summary);
        one.problem.detail = hidden.redacted(one.problem.detail);
    }
    return wrong;
}

auto known_schemas::functions() const -> language::function_source const*
{
    return catalog_;
}

auto known_schemas::built_in_release(std::string_view address) const -> std::string_view
{
    auto* const found = catalog_->find(address);
    return found == nullptr ? std::string_view() : found->release();
}

auto known_schemas::way_to_type(std::string_view provider, language::resource_mode mode, std::string_view type) const
    -> std::string
{
    using language::resource_mode;
    if (mode != resource_mode::data && mode != resource_mode::ephemeral) return {};
    auto const kind = mode == resource_mode::data ? "data." : "ephemeral.";
    return catalog_->way_to_real(provider, kind + std::string(type));
}

auto known_schemas::has_provider(std::string_view address) const -> bool
{
    return catalog_->find(address) != nullptr;
}

}  // namespace iacctl::workspace
