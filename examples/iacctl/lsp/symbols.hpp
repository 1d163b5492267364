// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LSP_SYMBOLS_HPP
#define IACCTL_LSP_SYMBOLS_HPP

#include "language/syntax/syntax_tree.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::lsp {

enum class symbol_kind : std::uint8_t {
    resource,
    data,
    ephemeral,
    action,
    variable,
    local,
    module,
    output,
    provider,
    check,
    list,
    run
};

/// An object that a module declares. The members refer to the tree of its file.
struct declaration {
    symbol_kind kind = symbol_kind::resource;
    std::string key;  ///< the address: "aws_vpc.main", "var.region", "output.id", "provider.aws.west", "run.setup"
    std::string_view type;  ///< of a resource
    std::string_view name;
    language::byte_range name_range;  ///< without quotes
    language::byte_range range;  ///< of the block or argument
    language::block const* block = nullptr;  ///< null: a local value
    language::attribute const* argument = nullptr;  ///< of a local value
};

/// An occurrence of the name of an object other than its declaration.
struct symbol_use {
    enum class place : std::uint8_t {
        reference,  ///< in the same module
        output_of_module,  ///< the name of an output, after `module.NAME`, or in a test after `run.NAME`
        argument_of_module,  ///< the name of a variable, in a module block
        value_in_file,  ///< the name of a variable, in a file of values or in a block `variables` of a test
        object_in_module,  ///< the name of a resource, in an address that begins with modules
    };

    place where = place::reference;
    std::string key;  ///< as in a declaration; for another module: the key of the module block, or the keys of several
    std::string object = {};  ///< of `object_in_module`: the key in that module
    std::string_view name;
    language::byte_range name_range;
    language::byte_range range;  ///< of the whole reference or argument
    std::span<language::syntax::step const> rest;  ///< steps after the object and its key
    std::string_view run = {};  ///< in a run of a test: its name, because it may execute another module
};

/// The declarations of a file and the uses of objects, each in the order of the file.
struct file_symbols {
    std::vector<declaration> declarations;
    std::vector<symbol_use> uses;
    struct required_provider {
        std::string source;
        std::vector<std::string> aliases;  ///< of configurations that the module receives: "aws.west"
        language::byte_range name_range;
        language::byte_range range;  ///< of the argument
    };
    std::map<std::string, required_provider, std::less<>> required_providers;  ///< by local name

    /// \complexity O(log n)
    [[nodiscard]] auto use_at(std::uint32_t offset) const -> symbol_use const*;
    /// The declaration whose name is at an offset, or null.
    [[nodiscard]] auto declaration_at(std::uint32_t offset) const -> declaration const*;
};

/// The symbols of a configuration file, or a file with queries, in native syntax.
[[nodiscard]] auto symbols_of(language::syntax_tree const& tree) -> file_symbols;
/// The symbols of a file with tests.
[[nodiscard]] auto symbols_of_tests(language::syntax_tree const& tree) -> file_symbols;
/// The symbols of a file with values of variables.
[[nodiscard]] auto symbols_of_values(language::syntax_tree const& tree) -> file_symbols;

/// The text of an argument that is a constant string, or nothing.
[[nodiscard]] auto constant_text(language::body const& in, std::string_view argument) -> std::string_view;
/// The text of a member of an object, if it is a constant string.
[[nodiscard]] auto member_text(language::expression const& of, std::string_view key) -> std::string_view;

/// The range of a block from its type to its closing brace.
[[nodiscard]] auto whole_range(language::block const& b) noexcept -> language::byte_range;
/// The range of a label without its quotes.
[[nodiscard]] auto inner_range(language::label const& l) noexcept -> language::byte_range;

}  // namespace iacctl::lsp

#endif  // IACCTL_LSP_SYMBOLS_HPP
