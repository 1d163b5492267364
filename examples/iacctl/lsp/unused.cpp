// SPDX-License-Identifier: BSL-1.0
#include "unused.hpp"

#include "base/provider_address.hpp"

#include <algorithm>
#include <utility>

namespace iacctl::lsp {

namespace {

class unused_finder {
public:
    unused_finder(documents& files, document const& in)
        : files_(files),
          in_(in),
          directory_(files.module_of(in)),
          usages_(files.usages(directory_))
    {}

    auto run() -> std::vector<unused_declaration>
    {
        bool complete = true;
        files_.for_each_file(directory_, [&](document const& one) { complete = complete && one.is_complete(); });
        if (!complete) return {};
        for (auto const& one : in_.symbols().declarations) {
            auto const what = kind_of(one);
            if (!what.empty() && !is_used(one)) found_.push_back({what, name_of(one), one.name_range, one.range});
        }
        for (auto const& [name, one] : in_.symbols().required_providers)
            if (!is_provider_used(name)) found_.push_back({"required provider", name, one.name_range, one.range});
        return std::move(found_);
    }

private:
    // The name of the kind in messages; empty: a declaration of this kind has an effect even if nothing refers to it.
    [[nodiscard]] static auto kind_of(declaration const& d) -> std::string_view
    {
        switch (d.kind) {
        case symbol_kind::variable: return "variable";
        case symbol_kind::local: return "local value";
        case symbol_kind::data: return "data source";
        case symbol_kind::provider:
            return std::ranges::count(d.key, '.') > 1 ? "provider configuration" : std::string_view();
        default: return {};
        }
    }

    [[nodiscard]] static auto name_of(declaration const& d) -> std::string_view
    {
        return d.kind == symbol_kind::provider ? std::string_view(d.key).substr(d.key.find('.') + 1) : d.name;
    }

    [[nodiscard]] auto is_used(declaration const& d) const -> bool
    {
        auto const found = usages_.find(d.key);
        return (found != usages_.end() && found->second.reads > 0) || is_in_json(d.name);
    }

    // References in JSON syntax are not collected.
    [[nodiscard]] auto is_in_json(std::string_view name) const -> bool { return has_text(document_kind::json, name); }

    [[nodiscard]] auto has_text(document_kind kind, std::string_view text) const -> bool
    {
        return std::ranges::any_of(files_.module(directory_), [&](auto const& item) {
            return item.second.kind() == kind && item.second.text().find(text) != std::string_view::npos;
        });
    }

    [[nodiscard]] auto is_provider_used(std::string const& name) const -> bool
    {
        bool used = is_in_json(name) || has_text(document_kind::configuration, "provider::" + name + "::");
        files_.for_each_declaration(directory_, [&](document const&, declaration const& d) {
            // A module receives the providers of its caller.
            used = used || d.kind == symbol_kind::module;
            if (d.kind == symbol_kind::provider)
                used = used || local_provider_name(std::string_view(d.key).substr(d.key.find('.') + 1)) == name;
            used = used || (!d.type.empty() && d.type.substr(0, d.type.find('_')) == name);
        });
        for (auto const& [key, count] : usages_)
            used = used || key == "provider." + name || key.starts_with("provider." + name + '.');
        return used;
    }

    documents& files_;
    document const& in_;
    std::string directory_;
    std::unordered_map<std::string, documents::usage> usages_;
    std::vector<unused_declaration> found_;
};

}  // namespace

auto unused_declarations(documents& files, document const& in) -> std::vector<unused_declaration>
{
    return in.declares() ? unused_finder(files, in).run() : std::vector<unused_declaration>();
}

}  // namespace iacctl::lsp
