// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_SYNTAX_SYNTAX_TREE_HPP
#define IACCTL_LANGUAGE_SYNTAX_SYNTAX_TREE_HPP

#include "diagnostic.hpp"
#include "language/values/value.hpp"
#include "source.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <memory>
#include <memory_resource>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace iacctl::language {

/// Nodes of expressions. They live in the arena of their tree, have no destructor to run, and refer to the text of the
/// file; places are byte ranges of that file.
namespace syntax {

enum class node_kind : std::uint8_t {
    literal,
    text,           // a template: literal parts and interpolations, always a string
    wrap,           // "${x}": just x
    join,           // a %{ for } in a template: the strings of a tuple, joined
    traversal,      // a.b[0]
    relative,       // (…).b[0]
    index,          // a[expression]
    splat,          // a[*].b, a.*.b
    item,           // the element a splat is at
    call,
    conditional,
    binary,
    unary,
    tuple,
    object,
    for_each,
    parentheses,
    json_string,    // a string of JSON syntax with a template in it
};

enum class operation : std::uint8_t {
    logical_or,
    logical_and,
    equal,
    not_equal,
    greater,
    greater_equal,
    less,
    less_equal,
    add,
    subtract,
    multiply,
    divide,
    modulo,
    negate,
    logical_not,
};

struct node {
    node_kind kind;
    byte_range range;
};

/// `.name` or `[constant]`.
struct step {
    std::string_view name;           // of an attribute; empty for an index
    value const* key = nullptr;      // of an index; null for an attribute
    byte_range range;
};

/// A constant. Texts and whole numbers, the most frequent constants, become a `value` only on demand.
class literal : public node {
public:
    literal(byte_range place, value const* constant) noexcept
        : node{node_kind::literal, place},
          length_(is_constant),
          constant_(constant)
    {}
    /// \pre The text lives as long as the tree.
    literal(byte_range place, std::string_view text) noexcept
        : node{node_kind::literal, place},
          length_(static_cast<std::uint32_t>(text.size())),
          text_(text.data())
    {}
    literal(byte_range place, std::int64_t whole) noexcept
        : node{node_kind::literal, place},
          length_(is_whole),
          whole_(whole)
    {}

    [[nodiscard]] auto constant() const -> value
    {
        if (length_ == is_constant) return *constant_;
        if (length_ == is_whole) return value(number(whole_, number::full_precision));
        return value(std::string_view(text_, length_));
    }
    /// The text, if it is one, as in the source, before normalisation.
    [[nodiscard]] auto text() const noexcept -> std::optional<std::string_view>
    {
        if (length_ == is_whole) return std::nullopt;
        if (length_ != is_constant) return std::string_view(text_, length_);
        if (!constant_->has_data() || !constant_->is(type_kind::string)) return std::nullopt;
        return constant_->as_string();
    }

private:
    // No file has that many bytes.
    static constexpr std::uint32_t is_constant = 0xFFFFFFFF;
    static constexpr std::uint32_t is_whole = 0xFFFFFFFE;

    std::uint32_t length_;  // of a text, or that it is none
    union {
        value const* constant_;
        char const* text_;
        std::int64_t whole_;
    };
};
struct text : node {
    std::span<node const* const> parts;
};
struct wrap : node {
    node const* inner;
};
struct join : node {
    node const* tuple;  // a `for_each`
};
struct traversal : node {
    std::string_view root;
    std::span<step const> steps;

    [[nodiscard]] auto root_range() const noexcept -> byte_range
    {
        return {range.begin, range.begin + static_cast<std::uint32_t>(root.size())};
    }
};
struct relative : node {
    node const* from;
    std::span<step const> steps;
};
struct index : node {
    node const* collection;
    node const* key;
    byte_range brackets;
};
struct splat : node {
    node const* from;
    node const* each;
    node const* item;
    byte_range marker;
};
struct call : node {
    std::string_view name;
    byte_range name_range;
    byte_range close;
    std::span<node const* const> arguments;
    bool expand_last;
};
struct conditional : node {
    node const* condition;
    node const* when_true;
    node const* when_false;
};
struct binary : node {
    operation op;
    node const* left;
    node const* right;
};
struct unary : node {
    operation op;
    byte_range symbol;
    node const* operand;
};
struct tuple : node {
    std::span<node const* const> elements;
};
struct object_item {
    node const* key;
    node const* of;
    bool computed_key;  // (key): an expression even where a name would do
};
struct object : node {
    byte_range open;
    std::span<object_item const> items;
};
struct for_each : node {
    std::string_view key_name;  // may be empty
    std::string_view value_name;
    node const* collection;
    node const* key;            // null when it builds a tuple
    node const* of;
    node const* condition;      // may be null
    byte_range open;
    byte_range close;
    bool group;
};
struct parentheses : node {
    node const* inner;
};
struct json_string : node {
    value const* raw;             // the value without evaluation of templates
    node const* inner;
    diagnostics const* problems;  // of the template, reported on evaluation
};

template <class Node>
[[nodiscard]] auto as(node const& n) noexcept -> Node const&
{
    return static_cast<Node const&>(n);
}

/// The first characters of an expression, to which messages about an argument point.
[[nodiscard]] auto start_range(node const& n) -> byte_range;

}  // namespace syntax

/// An expression of a file: a cheap handle that stays valid as long as its tree.
class expression {
public:
    expression() noexcept = default;
    expression(syntax::node const* node, source_file const* file) noexcept : node_(node), file_(file) {}

    [[nodiscard]] explicit operator bool() const noexcept { return node_ != nullptr; }
    [[nodiscard]] auto node() const noexcept -> syntax::node const& { return *node_; }
    [[nodiscard]] auto file() const noexcept -> source_file const* { return file_; }
    [[nodiscard]] auto range() const noexcept -> source_range { return node_ ? at(node_->range) : source_range{}; }
    [[nodiscard]] auto at(byte_range bytes) const noexcept -> source_range { return {file_, bytes}; }
    [[nodiscard]] auto with(syntax::node const* other) const noexcept -> expression { return {other, file_}; }

private:
    syntax::node const* node_ = nullptr;
    source_file const* file_ = nullptr;
};

/// JSON members that the reader of a body decides to treat as an argument or as a block.
namespace json {

enum class json_kind : std::uint8_t { invalid, null, boolean, number, string, array, object };

struct member;

struct value {
    json_kind kind = json_kind::invalid;
    byte_range range;
    byte_range open;
    byte_range close;
    language::value const* constant = nullptr;  // for scalars; strings are not parsed as templates
    std::span<value const* const> elements;
    std::span<member const> members;
    syntax::node const* expression = nullptr;
};

struct member {
    std::string_view name;
    value const* key = nullptr;
    value const* of = nullptr;
};

}  // namespace json

struct block;

struct attribute {
    std::string_view name;
    expression of;
    source_range range;
    json::member const* json = nullptr;  // of JSON syntax

    [[nodiscard]] auto name_range() const noexcept -> source_range
    {
        if (json) return {range.file, json->key->range};
        return {range.file, {range.bytes.begin, range.bytes.begin + static_cast<std::uint32_t>(name.size())}};
    }
};

/// Its lists are allocated in the memory of its tree; those of a copy are not.
struct body {
    std::pmr::vector<attribute> attributes;  // in the order of the file
    std::pmr::vector<block> blocks;
    source_range range;                      // from the opening brace on
    source_range missing;               // in JSON syntax: the range to which messages about missing items point
    bool json = false;

    [[nodiscard]] auto find(std::string_view name) const noexcept -> attribute const*;
    /// The range to which messages about a missing item point.
    [[nodiscard]] auto missing_item_range() const noexcept -> source_range
    {
        return json ? missing : source_range{range.file, {range.bytes.begin, range.bytes.begin}};
    }
};

struct label {
    std::string text;
    source_range range;
};

struct block {
    std::string_view type;
    std::pmr::vector<label> labels;
    body content;
    source_range type_range;
    source_range open_range;
    source_range close_range;
    bool json = false;

    /// Type and labels, to which messages about a whole block point.
    [[nodiscard]] auto header_range() const noexcept -> source_range
    {
        if (json) return open_range;
        return {
            type_range.file, between(type_range.bytes, labels.empty() ? type_range.bytes : labels.back().range.bytes)};
    }
};

/// One parsed file: its text, the arena of its nodes, and its body.
class syntax_tree {
public:
    explicit syntax_tree(std::unique_ptr<source_file> file) : file_(std::move(file)) {}

    [[nodiscard]] auto file() const noexcept -> source_file const& { return *file_; }
    [[nodiscard]] auto file() noexcept -> source_file& { return *file_; }
    [[nodiscard]] auto root() const noexcept -> body const& { return root_; }
    void set_root(body root) { root_ = std::move(root); }
    /// The memory for the lists of bodies and blocks.
    [[nodiscard]] auto memory() noexcept -> std::pmr::memory_resource* { return &arena_; }

    template <class Node>
    [[nodiscard]] auto make(Node node) -> Node*
    {
        static_assert(std::is_trivially_destructible_v<Node>, "nodes of the arena are never destroyed");
        return new (arena_.allocate(sizeof(Node), alignof(Node))) Node(node);
    }
    template <class List>
        requires requires(List const& items) {
            items.data();
            typename List::value_type;
        } && (!std::is_convertible_v<List const&, std::string_view>)
    [[nodiscard]] auto keep(List const& items) -> std::span<typename List::value_type const>
    {
        using T = typename List::value_type;
        static_assert(std::is_trivially_destructible_v<T>, "nodes of the arena are never destroyed");
        if (items.empty()) return {};
        auto* const kept = static_cast<T*>(arena_.allocate(sizeof(T) * items.size(), alignof(T)));
        std::uninitialized_copy(items.begin(), items.end(), kept);
        return {kept, items.size()};
    }
    [[nodiscard]] auto keep(std::string_view text) -> std::string_view
    {
        auto* const kept = static_cast<char*>(arena_.allocate(text.size() + 1, 1));
        std::uninitialized_copy(text.begin(), text.end(), kept);
        return {kept, text.size()};
    }
    [[nodiscard]] auto keep(value constant) -> value const* { return &constants_.emplace_back(std::move(constant)); }
    [[nodiscard]] auto keep(std::unique_ptr<diagnostics> problems) -> diagnostics const*
    {
        return problems->empty() ? nullptr : problems_.emplace_back(std::move(problems)).get();
    }

private:
    std::unique_ptr<source_file> file_;
    std::pmr::monotonic_buffer_resource arena_;
    std::deque<value> constants_;
    std::vector<std::unique_ptr<diagnostics>> problems_;
    body root_{std::pmr::vector<attribute>(&arena_), std::pmr::vector<block>(&arena_), {}, {}, false};
};

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_SYNTAX_SYNTAX_TREE_HPP
