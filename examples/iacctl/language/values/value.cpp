// SPDX-License-Identifier: BSL-1.0
#include "value.hpp"

#include <unicode/bytestream.h>
#include <unicode/normalizer2.h>
#include <unicode/stringpiece.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <stdexcept>

namespace iacctl::language {

namespace detail {

struct string_node final : counted {
    explicit string_node(std::string initial) : text(std::move(initial)) {}
    std::string text;
};

struct number_node final : counted {
    explicit number_node(language::number initial) : of(std::move(initial)) {}
    language::number of;
};

struct compound_node : counted {
    type element;
    bool wholly_known = true;
    mark marks = mark::none;

    void note(value const& inner) noexcept
    {
        wholly_known = wholly_known && inner.wholly_known();
        marks |= inner.deep_marks();
    }
};

struct sequence_node final : compound_node {
    std::vector<value> elements;
};

struct entries_node final : compound_node {
    std::vector<value_entry> entries;
};

}  // namespace detail

namespace {

[[nodiscard]] auto sequence_of(type element, std::vector<value> elements) -> boost::intrusive_ptr<detail::counted const>
{
    auto* const node = new detail::sequence_node;
    node->element = std::move(element);
    for (auto const& inner : elements) node->note(inner);
    node->elements = std::move(elements);
    return node;
}

[[nodiscard]] auto entries_of(type element, std::vector<value_entry> entries)
    -> boost::intrusive_ptr<detail::counted const>
{
    // Most names differ in their first characters.
    auto const is_before = [](value_entry const& a, value_entry const& b) {
        bool const differ = !a.key.empty() && !b.key.empty() && a.key.front() != b.key.front();
        return differ ? static_cast<unsigned char>(a.key.front()) < static_cast<unsigned char>(b.key.front())
                      : a.key < b.key;
    };
    if (std::ranges::adjacent_find(entries, std::not_fn(is_before)) != entries.end()) {
        std::ranges::stable_sort(entries, is_before);
        auto out = entries.begin();
        for (auto in = entries.begin(); in != entries.end(); ++in) {
            if (std::next(in) != entries.end() && std::next(in)->key == in->key) continue;
            if (out != in) *out = std::move(*in);
            ++out;
        }
        entries.erase(out, entries.end());
    }
    auto* const node = new detail::entries_node;
    node->element = std::move(element);
    for (auto const& inner : entries) node->note(inner.of);
    node->entries = std::move(entries);
    return node;
}

void append_order_text(std::string& out, value const& v)
{
    if (v.is_unknown()) {
        out += '?';
        return;
    }
    if (v.is_null()) {
        out += '~';
        return;
    }
    auto const elements = [&](char open, char close) {
        out += open;
        for (auto const& inner : v.elements()) {
            append_order_text(out, inner);
            out += ';';
        }
        out += close;
    };
    switch (v.kind()) {
    case type_kind::number: out += v.as_number().short_text(); break;
    case type_kind::boolean: out += v.as_bool() ? 'T' : 'F'; break;
    case type_kind::string:
        out += '"';
        for (char const c : v.as_string()) {
            if (c == '"' || c == '\\') out += '\\';
            if (c == '\n') out += "\\n";
            else if (c == '\t') out += "\\t";
            else if (c == '\r') out += "\\r";
            else out += c;
        }
        out += '"';
        break;
    case type_kind::list:
    case type_kind::set: elements('[', ']'); break;
    case type_kind::tuple: elements('<', '>'); break;
    case type_kind::map:
        out += '{';
        for (auto const& [key, inner] : v.entries()) {
            append_order_text(out, value(key));
            out += ':';
            append_order_text(out, inner);
            out += ';';
        }
        out += '}';
        break;
    case type_kind::object:
        out += '<';
        for (auto const& [key, inner] : v.entries()) {
            append_order_text(out, inner);
            out += ';';
        }
        out += '>';
        break;
    case type_kind::dynamic: break;
    }
}

[[nodiscard]] auto is_ascii(std::string_view text) noexcept -> bool
{
    std::uint64_t all = 0;
    std::uint64_t eight = 0;
    for (; text.size() >= sizeof eight; text.remove_prefix(sizeof eight)) {
        std::memcpy(&eight, text.data(), sizeof eight);
        all |= eight;
    }
    eight = 0;
    if (!text.empty()) std::memcpy(&eight, text.data(), text.size());
    return ((all | eight) & 0x8080808080808080U) == 0;
}

}  // namespace

auto normalized(std::string_view text) -> std::string
{
    if (is_ascii(text)) return std::string(text);
    UErrorCode status = U_ZERO_ERROR;
    auto const* const form = icu::Normalizer2::getNFCInstance(status);
    if (U_FAILURE(status)) return std::string(text);
    std::string out;
    icu::StringByteSink<std::string> sink(&out);
    form->normalizeUTF8(
        0, icu::StringPiece(text.data(), static_cast<std::int32_t>(text.size())), sink, nullptr, status);
    return U_FAILURE(status) ? std::string(text) : out;
}

value::value(language::number number) : kind_(type_kind::number), data_(new detail::number_node(std::move(number))) {}

value::value(std::string_view text) : kind_(type_kind::string), data_(new detail::string_node(normalized(text))) {}

value::value(std::string text)
    : kind_(type_kind::string),
      data_(new detail::string_node(is_ascii(text) ? std::move(text) : normalized(text)))
{}

auto value::null(type t) -> value
{
    return value(std::move(t), state::null);
}

auto value::unknown(type t) -> value
{
    return value(std::move(t), state::unknown);
}

auto value::list(type element, std::vector<value> elements) -> value
{
    return value(type_kind::list, sequence_of(std::move(element), std::move(elements)));
}

auto value::set(type element, std::vector<value> elements) -> value
{
    mark moved = mark::none;
    for (auto& inner : elements) {
        moved |= inner.deep_marks();
        if (inner.deep_marks() != mark::none) inner = inner.unmarked_deep();
    }
    std::ranges::stable_sort(elements, set_less);
    // Two unknown elements may turn out to be different, so only wholly known duplicates are removed.
    auto const same = std::ranges::unique(
        elements, [](value const& a, value const& b) { return a.wholly_known() && a == b && !set_less(a, b); });
    elements.erase(same.begin(), same.end());
    return value(type_kind::set, sequence_of(std::move(element), std::move(elements))).with_marks(moved);
}

auto value::map(type element, std::vector<value_entry> entries) -> value
{
    return value(type_kind::map, entries_of(std::move(element), std::move(entries)));
}

auto value::tuple(std::vector<value> elements) -> value
{
    return value(type_kind::tuple, sequence_of({}, std::move(elements)));
}

auto value::object(std::vector<value_entry> entries) -> value
{
    return value(type_kind::object, entries_of({}, std::move(entries)));
}

auto value::sequence() const noexcept -> detail::sequence_node const*
{
    bool const is_sequence = kind_ == type_kind::list || kind_ == type_kind::set || kind_ == type_kind::tuple;
    return is_sequence && has_data() ? static_cast<detail::sequence_node const*>(data_.get()) : nullptr;
}

auto value::table() const noexcept -> detail::entries_node const*
{
    bool const is_table = kind_ == type_kind::map || kind_ == type_kind::object;
    return is_table && has_data() ? static_cast<detail::entries_node const*>(data_.get()) : nullptr;
}

void value::require(type_kind kind) const
{
    if (kind_ != kind || !has_data()) throw std::logic_error("a value has no data of the kind that is read");
}

auto value::get_type() const -> type
{
    if (!has_data()) return kind_ == type_kind::string ? type::string() : type(kind_, data_);
    switch (kind_) {
    case type_kind::boolean: return type::boolean();
    case type_kind::number: return type::number();
    case type_kind::string: return type::string();
    case type_kind::list: return type::list(sequence()->element);
    case type_kind::set: return type::set(sequence()->element);
    case type_kind::map: return type::map(table()->element);
    case type_kind::tuple: {
        std::vector<type> inner;
        inner.reserve(size());
        for (auto const& element : elements()) inner.push_back(element.get_type());
        return type::tuple(std::move(inner));
    }
    case type_kind::object: {
        std::vector<type_attribute> inner;
        inner.reserve(size());
        for (auto const& [key, element] : entries()) inner.push_back({key, element.get_type(), false});
        return type::object(std::move(inner));
    }
    case type_kind::dynamic: break;
    }
    return {};
}

auto value::wholly_known() const noexcept -> bool
{
    if (is_unknown()) return false;
    if (auto const* const node = sequence()) return node->wholly_known;
    if (auto const* const node = table()) return node->wholly_known;
    return true;
}

auto value::refined_not_null() const -> value
{
    value refined = *this;
    if (is_unknown() && kind_ != type_kind::dynamic) refined.not_null_ = true;
    return refined;
}

auto value::unknown_with_prefix(std::string_view prefix) -> value
{
    value made(prefix);
    made.state_ = state::unknown;
    made.not_null_ = true;
    return made;
}

auto value::known_prefix() const noexcept -> std::string_view
{
    if (kind_ != type_kind::string || data_ == nullptr) return {};
    return static_cast<detail::string_node const&>(*data_).text;
}

auto value::deep_marks() const noexcept -> mark
{
    if (auto const* const node = sequence()) return marks_ | node->marks;
    if (auto const* const node = table()) return marks_ | node->marks;
    return marks_;
}

auto value::with_marks(mark more) const -> value
{
    value marked = *this;
    marked.marks_ |= more;
    return marked;
}

auto value::unmarked() const -> value
{
    value plain = *this;
    plain.marks_ = mark::none;
    return plain;
}

auto value::unmarked_deep() const -> value
{
    value plain = unmarked();
    if (plain.deep_marks() == mark::none) return plain;
    if (auto const* const list = sequence()) {
        std::vector<value> inner;
        for (auto const& element : list->elements) inner.push_back(element.unmarked_deep());
        plain.data_ = sequence_of(list->element, std::move(inner));
    } else if (auto const* const map = table()) {
        std::vector<value_entry> inner;
        for (auto const& [key, element] : map->entries) inner.push_back({key, element.unmarked_deep()});
        plain.data_ = entries_of(map->element, std::move(inner));
    }
    return plain;
}

auto value::as_bool() const -> bool
{
    require(type_kind::boolean);
    return boolean_;
}

auto value::as_number() const -> language::number const&
{
    require(type_kind::number);
    return static_cast<detail::number_node const&>(*data_).of;
}

auto value::as_string() const -> std::string const&
{
    require(type_kind::string);
    return static_cast<detail::string_node const&>(*data_).text;
}

auto value::elements() const noexcept -> std::span<value const>
{
    auto const* const node = sequence();
    return node != nullptr ? std::span<value const>(node->elements) : std::span<value const>();
}

auto value::entries() const noexcept -> std::span<value_entry const>
{
    auto const* const node = table();
    return node != nullptr ? std::span<value_entry const>(node->entries) : std::span<value_entry const>();
}

auto value::size() const noexcept -> std::size_t
{
    return elements().size() + entries().size();
}

auto value::find(std::string_view key) const noexcept -> value const*
{
    auto const all = entries();
    // A linear search is faster for the few attributes of most objects.
    if (constexpr std::size_t few = 8; all.size() <= few) {
        for (value_entry const& e : all)
            if (e.key.size() == key.size() && e.key == key) return &e.of;
        return nullptr;
    }
    auto const found =
        std::ranges::lower_bound(all, key, {}, [](value_entry const& e) { return std::string_view(e.key); });
    return found != all.end() && found->key == key ? &found->of : nullptr;
}

namespace {

/// Returns whether two numbers have the same value or the same text. A whole number that was computed in double precision
/// has another value after it was stored as text.
[[nodiscard]] auto same_number(number const& a, number const& b) -> bool
{
    return std::is_eq(a <=> b) || (a.precision() != b.precision() && a.text() == b.text());
}

}  // namespace

auto operator==(value const& a, value const& b) noexcept -> bool
{
    if (a.kind_ != b.kind_ || a.state_ != b.state_ || a.marks_ != b.marks_ || a.not_null_ != b.not_null_) return false;
    if (!a.has_data()) return a.get_type() == b.get_type();
    switch (a.kind_) {
    case type_kind::boolean: return a.as_bool() == b.as_bool();
    case type_kind::number: return same_number(a.as_number(), b.as_number());
    case type_kind::string: return a.as_string() == b.as_string();
    case type_kind::list:
    case type_kind::set:
    case type_kind::tuple: {
        auto const& x = *a.sequence();
        auto const& y = *b.sequence();
        return &x == &y || (x.element == y.element && x.elements == y.elements);
    }
    case type_kind::map:
    case type_kind::object: {
        auto const& x = *a.table();
        auto const& y = *b.table();
        return &x == &y || (x.element == y.element && x.entries == y.entries);
    }
    case type_kind::dynamic: break;
    }
    return true;
}

auto set_less(value const& a, value const& b) -> bool
{
    if (a.is_null() || b.is_null()) return !a.is_null() && b.is_null();
    if (a.is_unknown() || b.is_unknown()) return a.is_known() && b.is_unknown();
    if (a.kind() == b.kind()) {
        if (a.is(type_kind::string)) return a.as_string() < b.as_string();
        if (a.is(type_kind::number)) {
            // Only in a set does Terraform distinguish the two zeros.
            auto const order = a.as_number() <=> b.as_number();
            return order < 0 || (order == 0 && a.as_number().is_negative() && !b.as_number().is_negative());
        }
        if (a.is(type_kind::boolean)) return !a.as_bool() && b.as_bool();
    }
    std::string x;
    std::string y;
    append_order_text(x, a);
    append_order_text(y, b);
    return x < y;
}

}  // namespace iacctl::language
