// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_SYNTAX_PARSER_DETAIL_HPP
#define IACCTL_LANGUAGE_SYNTAX_PARSER_DETAIL_HPP

#include "base/name_lookup.hpp"
#include "diagnostic.hpp"
#include "scanner.hpp"
#include "syntax_tree.hpp"

#include <boost/container/small_vector.hpp>

#include <algorithm>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace iacctl::language::detail {

/// Recursive descent over the tokens of one file.
///
/// After a syntax error the parser is *recovering*: it reports nothing until it has reached the end of an argument or
/// block, so that one error is reported once.
class parser {
public:
    /// Nodes are allocated in `tree` and their places are in its file; the text is that of the excerpt.
    parser(syntax_tree& tree, excerpt e, text_form form, diagnostics& found)
        : tree_(tree),
          file_(tree.file()),
          source_(e),
          scanner_(tree.file(), e, form, found_by_scanner_),
          tokens_(std::clamp(e.text.size() + 1, scanner::least_room, most_tokens)),
          reported_(found)
    {
        refill();
    }
    parser(parser const&) = delete;
    auto operator=(parser const&) -> parser& = delete;

    void parse_root();
    [[nodiscard]] auto parse_lone_expression() -> syntax::node const*;
    [[nodiscard]] auto parse_lone_template() -> syntax::node const*;

private:
    void prefer_unclosed_bracket();

    using node_ptr = syntax::node const*;
    /// A list with room for eight elements without allocation, since most lists of a file are short.
    template <class T>
    using short_list = boost::container::small_vector<T, 8>;
    struct step_list : short_list<syntax::step> {
        /// Constructs the step in place, which is faster than a copy.
        void add(std::string_view name, value const* key, byte_range range)
        {
            auto& made = emplace_back();
            made.name = name;
            made.key = key;
            made.range = range;
        }
        syntax::traversal* from_name = nullptr;  // the name to which they apply, if it is a name alone
    };

    /// A part of a template before `%{` sequences are paired.
    struct template_part {
        enum class part_kind : std::uint8_t { literal, interpolation, if_, else_, endif, for_, endfor, end };
        part_kind kind;
        byte_range range;
        std::string_view text;           // of a literal
        node_ptr inner = nullptr;        // of an interpolation, a condition, a collection
        std::string_view key_name;
        std::string_view value_name;
    };
    using part_list = short_list<template_part>;
    /// The positions in the lists of items at which those of a body begin.
    struct item_marks {
        std::size_t attributes = 0;
        std::size_t blocks = 0;
        std::uint64_t names = 0;  // a bit of the hash of each attribute's name; names may share a bit
        name_lookup lookup;       // for names whose bit is taken
    };
    struct template_cursor {
        template_cursor() {}  // not defaulted: that would fill the memory of the parts with zeros first
        part_list parts;
        std::size_t at = 0;
    };

    /// Increments the depth of nesting during its lifetime.
    class nesting {
    public:
        explicit nesting(parser& owner) : owner_(owner) { ++owner_.depth_; }
        ~nesting() { --owner_.depth_; }
        nesting(nesting const&) = delete;
        auto operator=(nesting const&) -> nesting& = delete;
        [[nodiscard]] auto too_deep() const noexcept -> bool { return owner_.depth_ > largest_depth; }

    private:
        parser& owner_;
    };
    /// Sets whether newlines are tokens, which they are not inside brackets, and restores the setting at the end.
    class newlines {
    public:
        newlines(parser& owner, bool include) : owner_(owner), before_(std::exchange(owner.include_newlines_, include))
        {}
        ~newlines() { owner_.include_newlines_ = before_; }
        newlines(newlines const&) = delete;
        auto operator=(newlines const&) -> newlines& = delete;

    private:
        parser& owner_;
        bool before_;
    };

    static constexpr std::size_t largest_depth = 300;
    static constexpr std::size_t longest_chain = 3000;
    static constexpr std::size_t most_tokens = 1024;  // read ahead, unless a caller needs more

    // tokens
    [[nodiscard]] auto peek() -> token
    {
        while (next_->kind == token_kind::newline && !include_newlines_) advance();
        return *next_;
    }
    [[gnu::always_inline]] auto read() -> token
    {
        static_cast<void>(peek());
        previous_ = next_->range;
        token const taken = *next_;
        if (taken.kind != token_kind::end_of_file) advance();
        return taken;
    }
    void advance()
    {
        if (++next_ == end_) refill();
    }
    /// The token at a distance from the next one; `end_of_file` if there are not so many.
    [[nodiscard]] auto ahead(std::ptrdiff_t count) -> token
    {
        while (end_ - next_ <= count && end_[-1].kind != token_kind::end_of_file) refill();
        return next_[std::min(count, end_ - next_ - 1)];
    }
    /// The next token that is not a newline.
    [[nodiscard]] auto after_newlines() -> token
    {
        std::ptrdiff_t count = 0;
        while (ahead(count).kind == token_kind::newline) ++count;
        return ahead(count);
    }
    /// Reads more tokens. Tokens that have not been taken are kept.
    [[gnu::noinline]] void refill();
    /// Reports all errors, including those of the scanner in text that was not parsed.
    void finish();
    [[nodiscard]] auto previous_range() const noexcept -> byte_range { return previous_; }
    [[nodiscard]] auto text(byte_range range) const noexcept -> std::string_view
    {
        return {source_.text.data() + (range.begin - source_.offset), range.end - range.begin};
    }
    [[nodiscard]] auto text(token const& t) const noexcept -> std::string_view { return text(t.range); }
    [[nodiscard]] auto is_keyword(std::string_view word) -> bool;

    // errors: rare, so the code for them is kept apart from the common path
    [[gnu::cold]] void fail(messages::message<0> const& m, byte_range subject, byte_range context = {})
    {
        report(m, {}, subject, context);
    }
    template <std::size_t N>
    [[gnu::cold]] void fail(
        messages::message<N> const& m, messages::arguments<N> a, byte_range subject, byte_range context = {})
    {
        report(m, a, subject, context);
    }
    [[gnu::cold]] void report(messages::message_text const& text, std::span<std::string_view const> arguments,
        byte_range subject, byte_range context);
    /// Recovers, and reports an error at the place where the recovery ended, since the actual error is somewhere before
    /// it.
    [[gnu::cold]] auto fail_at_end(messages::message<0> const& m, token_kind end) -> token;
    [[nodiscard]] auto mistakes() const noexcept -> std::size_t { return mistakes_; }
    [[nodiscard, gnu::cold]] auto placeholder(byte_range range) -> node_ptr;
    [[nodiscard, gnu::cold]] auto too_deep(byte_range range) -> node_ptr;
    /// Skips to the end of brackets. Unclosed brackets end before the end of the block or template around them.
    [[gnu::cold]] auto recover(token_kind end) -> token;
    [[gnu::cold]] void recover_after_item();
    [[gnu::cold]] void recover_in_line();

    // bodies
    [[nodiscard]] auto parse_body(token_kind end, bool top) -> body;
    /// The body of a block that the file does not close. Following blocks that are not indented further than the first
    /// line of the block belong to the body around it.
    [[nodiscard, gnu::cold]] auto unclosed_body(item_marks const& since, byte_range open) -> body;
    /// Stores the place of a block of the file and its header, for messages.
    void name_region(block const& b);
    void parse_item(item_marks& marks, bool top);
    void parse_attribute(token const& name, item_marks& marks, bool single_line);
    void parse_block(token const& type, bool top);
    [[nodiscard]] auto parse_single_line_body(token const& type, token const& open) -> body;
    [[nodiscard]] auto marks() const noexcept -> item_marks { return {attributes_.size(), blocks_.size(), 0, {}}; }
    /// Returns a body with the items since a position.
    [[nodiscard]] auto body_of(item_marks const& since, byte_range range) -> body;
    [[nodiscard]] auto parse_quoted_label() -> label;
    [[nodiscard]] auto at(byte_range range) const noexcept -> source_range { return {&file_, range}; }

    // expressions
    [[nodiscard]] auto parse_expression() -> node_ptr;
    [[nodiscard]] auto parse_binary(node_ptr left, int least) -> node_ptr;
    [[nodiscard]] auto parse_operand() -> node_ptr;
    [[nodiscard]] auto parse_term() -> node_ptr;
    [[nodiscard]] auto parse_steps(node_ptr from) -> node_ptr;
    [[nodiscard]] auto parse_attribute_splat(node_ptr from, token const& dot, bool& stop) -> node_ptr;
    [[nodiscard]] auto parse_index(node_ptr from, step_list& steps) -> node_ptr;
    [[nodiscard]] auto with_steps(node_ptr from, step_list& steps) -> node_ptr;
    [[nodiscard]] auto parse_call(token const& name) -> node_ptr;
    [[nodiscard]] auto parse_tuple() -> node_ptr;
    [[nodiscard]] auto parse_object() -> node_ptr;
    [[nodiscard]] auto parse_for(token const& open) -> node_ptr;
    [[nodiscard]] auto parse_parentheses() -> node_ptr;
    [[nodiscard]] auto parse_number() -> node_ptr;

    // templates
    [[nodiscard]] auto parse_template() -> node_ptr;
    [[nodiscard]] auto template_of(template_cursor& cursor, byte_range whole) -> node_ptr;
    void parse_template_parts(part_list& parts, token_kind end, byte_range open);
    void parse_interpolation(token const& open, token_kind end, byte_range start, part_list& parts, bool& trim_next);
    void parse_control(token const& open, byte_range start, part_list& parts, bool& trim_next);
    [[nodiscard]] auto build_template(template_cursor& cursor) -> node_ptr;
    [[nodiscard]] auto build_if(template_cursor& cursor) -> node_ptr;
    [[nodiscard]] auto build_for(template_cursor& cursor) -> node_ptr;
    [[nodiscard]] auto text_of(std::span<node_ptr const> parts, byte_range if_empty) -> node_ptr;
    /// The meaning of a literal part: a view of the source if it contains no escapes.
    [[nodiscard]] auto meaning(token const& literal) -> std::string_view
    {
        return literal.plain ? text(literal) : unescaped(literal);
    }
    [[nodiscard]] auto unescaped(token const& literal) -> std::string_view;
    static void flush_indent(part_list& parts);
    void meld_literals(part_list& parts);

    template <class Node>
    [[nodiscard]] auto make(Node made) -> node_ptr
    {
        return tree_.make(made);
    }

    syntax_tree& tree_;
    source_file& file_;
    excerpt source_;
    diagnostics found_by_scanner_;
    scanner scanner_;
    std::vector<token> tokens_;
    token* next_ = tokens_.data();  // up to the end: tokens that were scanned and not taken yet
    token* end_ = tokens_.data();
    diagnostics found_;
    diagnostics& reported_;  // receives the errors of the scanner, then those of the parser
    byte_range previous_;
    std::vector<attribute> attributes_;  // of all bodies that are not closed yet,
    std::deque<block> blocks_;  // the innermost last
    syntax::traversal* last_name_ = nullptr;  // the last one that was read, while it has no steps
    bool include_newlines_ = true;
    bool recovering_ = false;
    std::size_t mistakes_ = 0;
    std::size_t depth_ = 0;
};

/// Parses text whose meaning is at an offset of the file of a tree. \pre The text lives as long as the tree.
[[nodiscard]] auto parse_expression_in(
    syntax_tree& tree, std::string_view text, std::uint32_t offset, diagnostics& found) -> syntax::node const*;
[[nodiscard]] auto parse_template_in(syntax_tree& tree, std::string_view text, std::uint32_t offset, diagnostics& found)
    -> syntax::node const*;

}  // namespace iacctl::language::detail

#endif  // IACCTL_LANGUAGE_SYNTAX_PARSER_DETAIL_HPP
