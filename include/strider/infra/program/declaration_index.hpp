// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_PROGRAM_DECLARATION_INDEX_HPP
#define STRIDER_INFRA_PROGRAM_DECLARATION_INDEX_HPP

#include <strider/infra/model/address.hpp>
#include <strider/infra/model/change.hpp>
#include <strider/infra/model/lifecycle.hpp>
#include <strider/infra/program/instances.hpp>
#include <strider/infra/program/name_index.hpp>
#include <strider/infra/program/program.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace strider::infra {

/// A reference to a declaration that exists.
struct resolved_reference {
    std::size_t declaration = no_declaration;  ///< number of the declaration; `no_declaration`: not resolved
    instance_key key;            ///< of the one instance that is referred to, if the source names one
    std::uint32_t place = 0;     ///< as in `reference`
    bool explicit_only = false;  ///< as in `reference`
};

/// Kinds, modules and references of all declarations, as numbers of declarations; finds declarations by name and by address.
///
/// Calls the program once per declaration. A copy shares the content. The program must outlive all copies.
/// \complexity construction O(declarations + references); every query O(1)
template <program P>
class declaration_index {
public:
    /// Reads all declarations of a program. \pre the program outlives the index and its copies
    declaration_index(P const& configuration)  // NOLINT(google-explicit-constructor): a view of the program
        : configuration_(&configuration),
          content_(std::make_shared<content const>(configuration))
    {}

    /// The program that was read.
    [[nodiscard]] auto configuration() const noexcept -> P const& { return *configuration_; }
    /// Number of declarations.
    [[nodiscard]] auto size() const noexcept -> std::size_t { return content_->kinds.size(); }
    /// The declaration with a number, as the program returns it. \pre number < size()
    [[nodiscard]] auto operator[](std::size_t number) const -> decltype(auto)
    {
        return declaration_at(*configuration_, number);
    }

    /// The kind of a declaration. \pre number < size()
    [[nodiscard]] auto kind(std::size_t number) const noexcept -> declaration_kind { return content_->kinds[number]; }
    /// Declaration of the module that contains a declaration; `no_declaration` for the root.
    [[nodiscard]] auto module(std::size_t number) const noexcept -> std::size_t { return content_->modules[number]; }
    /// References of a declaration to others or to itself, in the order of the program.
    [[nodiscard]] auto references(std::size_t number) const noexcept -> std::span<resolved_reference const>
    {
        auto const& first = content_->first_reference;
        return std::span(content_->references).subspan(first[number], first[number + 1] - first[number]);
    }

    /// The declaration with a name, or `no_declaration`.
    [[nodiscard]] auto find(std::string_view name) const -> std::size_t
    {
        return content_->names.find(name).value_or(no_declaration);
    }
    /// The resource or action with a configuration address, or `no_declaration`.
    [[nodiscard]] auto find(address const& block) const -> std::size_t
    {
        auto const found = content_->resources.find(block);
        return found == content_->resources.end() ? no_declaration : found->second;
    }
    /// Numbers of all names. Shared with evaluation scopes.
    [[nodiscard]] auto names() const noexcept -> std::shared_ptr<name_index const>
    {
        return {content_, &content_->names};
    }

private:
    struct content {
        name_index names;
        std::unordered_map<address, std::size_t> resources;
        std::vector<declaration_kind> kinds;
        std::vector<std::size_t> modules;
        std::vector<resolved_reference> references;
        std::vector<std::size_t> first_reference;  // of each declaration; the end of the last

        explicit content(P const& p) : names(declaration_names(p))
        {
            resources.reserve(names.size());
            for (auto const& d : p.declarations()) {
                kinds.push_back(kind_of(p, d));
                if (kinds.back() == declaration_kind::resource || kinds.back() == declaration_kind::action)
                    resources.emplace(p.address_of(d), kinds.size() - 1);
                modules.push_back(names.find(module_of(p, d)).value_or(no_declaration));
                first_reference.push_back(references.size());
                for (reference const& r : p.references(d))
                    if (auto const named = names.find(r.name))
                        references.push_back({*named, r.key, r.place, r.explicit_only});
            }
            first_reference.push_back(references.size());
        }
    };

    P const* configuration_;
    std::shared_ptr<content const> content_;
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_PROGRAM_DECLARATION_INDEX_HPP
