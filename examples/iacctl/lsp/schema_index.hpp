// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LSP_SCHEMA_INDEX_HPP
#define IACCTL_LSP_SCHEMA_INDEX_HPP

#include "cursor.hpp"
#include "documents.hpp"
#include "language/validation/schema.hpp"
#include "providers/catalog.hpp"

#include <strider/infra/model/address.hpp>
#include <strider/infra/model/snapshot.hpp>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::lsp {

namespace infra = strider::infra;

/// The data about a root module that do not come from its files.
struct root_data {
    std::shared_ptr<providers::catalog const> catalog;
    std::set<std::string> loaded;  ///< addresses of providers with loaded schemas
    std::string workspace;  ///< its name
    infra::snapshot state;
    /// The instances in state of each resource, by directory of its module and address in it.
    std::map<std::string, std::map<std::string, std::vector<infra::address>>> instances;
    /// Calls of modules whose objects are in state and that the module in a directory does not have: "module.net".
    std::map<std::string, std::set<std::string>> lost_modules;
};

/// An argument, or a type of nested blocks, that a body may have.
struct body_item {
    std::string name;
    bool is_block = false;
    std::size_t labels = 0;  ///< of a block
    bool required = false;
    bool computed = false;  ///< computed and not optional: it cannot be set
    bool sensitive = false;
    bool deprecated = false;
    std::string type;
    std::string documentation;
};

/// The contents of a kind of body.
struct body_description {
    std::vector<body_item> items;
    std::string documentation;

    [[nodiscard]] auto find(std::string_view name) const -> body_item const*;
};

/// The kind of the resources that a declaration, or a block of this type, declares.
[[nodiscard]] auto mode_of(symbol_kind kind) noexcept -> infra::resource_mode;
[[nodiscard]] auto mode_of(std::string_view block) noexcept -> infra::resource_mode;

/// A type in the notation of the language: `list(string)`.
[[nodiscard]] auto type_text(language::type const& t) -> std::string;

/// Answers queries about schemas and state from the available data.
class schema_index {
public:
    explicit schema_index(documents& d);

    void update(std::string const& root, std::shared_ptr<root_data const> known);
    /// The data about a root module that calls the module in a directory; those about built-in providers if there is
    /// none.
    [[nodiscard]] auto about(std::string const& directory) const -> root_data const&;

    /// The address of the provider with a local name in a module.
    [[nodiscard]] auto provider_address(std::string const& directory, std::string_view local) const -> std::string;
    [[nodiscard]] auto provider_schema(std::string const& directory, std::string_view local) const
        -> providers::provider_schema const*;
    /// The schema of a resource type. \param provider  the argument `provider`; empty: the type determines it
    [[nodiscard]] auto type_schema(std::string const& directory, infra::resource_mode mode, std::string_view type,
        std::string_view provider = {}) const -> language::schema const*;
    /// The schema of a declared resource.
    [[nodiscard]] auto schema_of(std::string const& directory, declaration const& d) const -> language::schema const*;
    /// All types that the providers of a module have, with their schemas.
    [[nodiscard]] auto types(std::string const& directory, infra::resource_mode mode) const
        -> std::map<std::string, language::schema const*>;

    /// The content of the innermost of nested blocks, or of the file, without words of a program that the module does
    /// not follow.
    [[nodiscard]] auto describe(document const& in, std::span<frame const* const> blocks) const -> body_description;

    /// The current value of a resource or of a part of it, in the syntax of the language. Sensitive values are hidden.
    /// Nothing if state does not have it. \param steps  names after the resource
    struct shown_value {
        std::string address;
        std::string text;
    };
    [[nodiscard]] auto values(std::string const& directory, std::string const& address,
        std::span<std::string const> steps) const -> std::vector<shown_value>;

    /// The addresses of managed resources, and of calls of modules, that are in state and not declared by a module.
    [[nodiscard]] auto undeclared_in_state(std::string const& directory) const -> std::vector<std::string>;
    /// Returns whether state has objects of a declaration.
    [[nodiscard]] auto is_in_state(symbol const& s) const -> bool;

private:
    documents& documents_;
    root_data built_in_;
    std::map<std::string, std::shared_ptr<root_data const>> roots_;
};

/// The parts of an object of a schema.
[[nodiscard]] auto items_of(language::schema const& s) -> std::vector<body_item>;

/// The part of an object at the end of steps: an attribute, or nested blocks.
struct schema_part {
    language::type of;
    language::schema_attribute const* attribute = nullptr;
    language::schema const* content = nullptr;  ///< of nested attributes or blocks
};
[[nodiscard]] auto part_of(language::schema const& s, std::span<std::string const> steps) -> std::optional<schema_part>;

}  // namespace iacctl::lsp

#endif  // IACCTL_LSP_SCHEMA_INDEX_HPP
