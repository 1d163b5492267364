// SPDX-License-Identifier: BSL-1.0
#include "wire_value.hpp"

#include "base/in_quotes.hpp"
#include "base/unicode.hpp"
#include "language/values/parts.hpp"
#include "message_pack.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace iacctl::plugin {

namespace {

using language::failure;
using language::mark;
using language::number;
using language::result;
using language::type;
using language::type_attribute;
using language::type_kind;
using language::value;
using language::value_entry;
using item_kind = packed_item::kind;

constexpr std::size_t usual_size = 240;  // the size of most objects in MessagePack
constexpr std::int8_t plain_unknown = 0;
constexpr std::int8_t refined_unknown = 12;
enum refinement : std::uint64_t { nullness = 1, string_prefix = 2 };
// Limits of go-cty for the refinements of an unknown value.
constexpr std::size_t longest_prefix = 256;
constexpr std::size_t longest_refinements = 1024;

[[nodiscard]] auto position(std::size_t index) -> std::string
{
    return "[" + std::to_string(index) + "]";
}

class encoder {
public:
    explicit encoder(std::string& out) noexcept : out_(out) {}

    void put(value const& v, type const& declared)
    {
        if (declared.is_dynamic()) {
            if (v.is(type_kind::dynamic)) return v.is_unknown() ? put_unknown(v) : out_.nil();
            type const own = v.get_type();
            out_.array(2);
            out_.bytes(language::type_to_json(own));
            return put(v, own);
        }
        if (v.is_unknown()) return put_unknown(v);
        if (v.is_null()) return out_.nil();
        // A value of another type is written with its own type, so that its reader rejects it.
        if (!v.is(declared.kind()) || (v.is(type_kind::tuple) && v.size() != declared.elements().size()))
            return put(v, v.get_type());
        switch (v.kind()) {
        case type_kind::boolean: return out_.boolean(v.as_bool());
        case type_kind::number: return put_number(v.as_number());
        case type_kind::string: return out_.text(v.as_string());
        case type_kind::list:
        case type_kind::set:
            out_.array(v.size());
            for (value const& element : v.elements()) put(element, declared.element());
            return;
        case type_kind::tuple: {
            out_.array(v.size());
            auto desired = declared.elements().begin();
            for (value const& element : v.elements()) put(element, *desired++);
            return;
        }
        case type_kind::map:
            out_.map(v.size());
            for (auto const& [key, element] : v.entries()) {
                out_.text(key);
                put(element, declared.element());
            }
            return;
        case type_kind::object: return put_object(v, declared);
        case type_kind::dynamic: return;
        }
    }

private:
    void put_object(value const& v, type const& declared)
    {
        auto const attributes = declared.attributes();
        out_.map(attributes.size());
        auto entry = v.entries().begin();
        auto const end = v.entries().end();
        for (type_attribute const& attribute : attributes) {
            out_.text(attribute.name);
            while (entry != end && entry->key < attribute.name) ++entry;
            if (entry != end && entry->key == attribute.name) put(entry->of, attribute.of);
            else out_.nil();
        }
    }

    void put_number(number const& n)
    {
        if (auto const whole = n.as_int64()) return out_.integer(*whole);
        double const real = n.as_double();
        if (n.is_infinite() || (!n.is_whole() && std::is_eq(number(real) <=> n))) return out_.real(real);
        out_.text(n.text());
    }

    void put_unknown(value const& v)
    {
        if (!v.is_definitely_not_null()) return out_.extension(plain_unknown, std::string_view("\0", 1));
        std::string known;
        packed_writer refinements(known);
        auto prefix = v.known_prefix();
        if (prefix.size() > longest_prefix)
            prefix = settled_prefix(prefix.substr(0, character_begin(prefix, longest_prefix - 1)));
        refinements.map(prefix.empty() ? 1 : 2);
        refinements.integer(nullness);
        refinements.boolean(false);
        if (!prefix.empty()) {
            refinements.integer(string_prefix);
            refinements.text(prefix);
        }
        out_.extension(refined_unknown, known);
    }

    packed_writer out_;
};

[[nodiscard]] auto required(type const& t) -> failure
{
    return failure(t.constraint_name() + " is required");
}

[[nodiscard]] auto broken() -> failure
{
    return failure("the bytes end too early, or are not MessagePack");
}

/// The common type of the elements of a collection of `any`, or of a type that contains `any`.
[[nodiscard]] auto common_type(std::vector<value const*> const& elements) -> result<type>
{
    type common;
    for (value const* const element : elements) {
        type of = element->get_type();
        if (of.is_dynamic() || of == common) continue;
        if (!common.is_dynamic()) return failure("elements of a collection are of different types");
        common = std::move(of);
    }
    return common;
}

class decoder {
public:
    explicit decoder(std::string_view bytes) noexcept : in_(bytes) {}

    [[nodiscard]] auto read(type const& declared) -> result<value>
    {
        auto made = next(declared);
        if (made && in_.remaining() > 0)
            return failure("the value is followed by " + std::to_string(in_.remaining()) + " more bytes");
        return made;
    }

private:
    [[nodiscard]] auto next(type const& declared) -> result<value>
    {
        auto const item = in_.next();
        if (!item) return broken();
        if (*item == item_kind::extension) return unknown(*item, declared);
        if (*item == item_kind::nil) return value::null(declared);
        switch (declared.kind()) {
        case type_kind::boolean:
            if (*item == item_kind::boolean) return value(item->flag);
            break;
        case type_kind::number: return number_of(*item);
        case type_kind::string:
            if (*item != item_kind::text) break;
            if (!is_utf8(item->content)) return not_text("text", item->content);
            return value(item->content);
        case type_kind::dynamic:
        case type_kind::list:
        case type_kind::set:
        case type_kind::tuple:
            if (*item == item_kind::array) return nested(&decoder::sequence, *item, declared);
            break;
        case type_kind::map:
            if (*item == item_kind::map) return nested(&decoder::map, *item, declared);
            break;
        case type_kind::object:
            if (*item == item_kind::map) return nested(&decoder::object, *item, declared);
            break;
        }
        return required(declared);
    }

    using part = result<value> (decoder::*)(packed_item const&, type const&);
    [[nodiscard]] auto nested(part p, packed_item const& item, type const& declared) -> result<value>
    {
        if (depth_ == deepest_value) return failure("a value is nested too deeply");
        ++depth_;
        auto made = (this->*p)(item, declared);
        --depth_;
        return made;
    }

    [[nodiscard]] static auto not_text(std::string const& subject, std::string_view bytes) -> failure
    {
        return failure(subject + " is not UTF-8: " + utf8_mistake(bytes));
    }

    [[nodiscard]] static auto number_of(packed_item const& item) -> result<value>
    {
        switch (item.is) {
        case item_kind::natural: return value(number(std::size_t{item.natural}));
        case item_kind::negative: return value(number(item.negative));
        case item_kind::real:
            if (std::isnan(item.real)) return failure("a number is required, but this value is NaN");
            return value(number(item.real));
        case item_kind::text:
            if (auto const parsed = number::parse(item.content)) return value(*parsed);
            [[fallthrough]];
        default: return required(type::number());
        }
    }

    [[nodiscard]] static auto unknown(packed_item const& item, type const& declared) -> result<value>
    {
        value const plain = value::unknown(declared);
        if (item.content.size() <= 1) return plain;
        if (item.extension_type != refined_unknown)
            return failure("the extension " + std::to_string(item.extension_type) + " is not supported");
        if (item.content.size() > longest_refinements)
            return failure("the refinements of an unknown value are longer than 1024 bytes");
        static failure const wrong("the refinements of an unknown value cannot be read");
        packed_reader in(item.content);
        auto const all = in.next();
        if (!all || *all != item_kind::map) return wrong;
        bool not_null = false;
        std::string_view prefix;
        for (std::uint64_t left = all->natural; left > 0; --left) {
            auto const key = in.next();
            if (!key || (*key != item_kind::natural && *key != item_kind::negative)) return wrong;
            bool const of_null = *key == item_kind::natural && key->natural == nullness;
            bool const of_prefix = *key == item_kind::natural && key->natural == string_prefix;
            if (!of_null && !of_prefix) {
                if (!in.skip()) return wrong;
                continue;
            }
            auto const known = in.next();
            if (!known || *known != (of_null ? item_kind::boolean : item_kind::text)) return wrong;
            if (of_prefix && (!declared.is(type_kind::string) || !is_utf8(known->content))) return wrong;
            if (of_prefix) prefix = known->content;
            else if (known->flag) return value::null(declared);
            else not_null = true;
        }
        if (!not_null) return plain;
        // In the language, only strings that are not null have a prefix.
        return prefix.empty() ? plain.refined_not_null() : value::unknown_with_prefix(prefix);
    }

    [[nodiscard]] auto sequence(packed_item const& item, type const& declared) -> result<value>
    {
        if (declared.is_dynamic()) return dynamic(item);
        bool const is_tuple = declared.is(type_kind::tuple);
        if (is_tuple && item.natural != declared.elements().size())
            return failure("a tuple of " + std::to_string(declared.elements().size()) + " elements is required, "
                + std::to_string(item.natural) + " are given");
        std::vector<value> elements;
        elements.reserve(plausible(item.natural));
        for (std::size_t i = 0; i < item.natural; ++i) {
            auto element = next(is_tuple ? declared.elements()[i] : declared.element());
            if (!element) return element.error().within(position(i));
            elements.push_back(*std::move(element));
        }
        if (is_tuple) return value::tuple(std::move(elements));
        std::vector<value*> all;
        if (declared.element().has_dynamic())
            for (value& element : elements) all.push_back(&element);
        auto of = element_type(declared, all);
        if (!of) return of.error();
        return declared.is(type_kind::list) ? value::list(*std::move(of), std::move(elements))
                                            : value::set(*std::move(of), std::move(elements));
    }

    /// Reads an array of a type in JSON and a value of that type.
    [[nodiscard]] auto dynamic(packed_item const& item) -> result<value>
    {
        if (item.natural != 2) return failure("a value of any type is an array of its type and itself");
        auto const text = in_.next();
        if (!text || (*text != item_kind::bytes && *text != item_kind::text))
            return failure("the type of a value cannot be read");
        auto const of = language::type_from_json(text->content);
        if (!of) return failure("the type of a value cannot be read: " + of.error().text());
        return next(of->without_optional());
    }

    [[nodiscard]] auto map(packed_item const& item, type const& declared) -> result<value>
    {
        std::vector<value_entry> entries;
        entries.reserve(plausible(item.natural));
        for (std::uint64_t left = item.natural; left > 0; --left) {
            auto const key = key_of();
            if (!key) return key.error();
            auto element = next(declared.element());
            if (!element) return element.error().within("[" + in_quotes(*key) + "]");
            entries.push_back({language::normalized(*key), *std::move(element)});
        }
        std::vector<value*> all;
        if (declared.element().has_dynamic())
            for (value_entry& e : entries) all.push_back(&e.of);
        auto of = element_type(declared, all);
        if (!of) return of.error();
        return without_repetition(item, value::map(*std::move(of), std::move(entries)));
    }

    [[nodiscard]] auto object(packed_item const& item, type const& declared) -> result<value>
    {
        auto const attributes = declared.attributes();
        if (item.natural != attributes.size())
            return failure("an object of " + std::to_string(attributes.size()) + " attributes is required, "
                + std::to_string(item.natural) + " are given");
        std::vector<value_entry> entries;
        entries.reserve(plausible(item.natural));
        for (type_attribute const& expected : attributes) {
            auto const key = key_of();
            if (!key) return key.error();
            // Attributes are usually sorted by name.
            type_attribute const* const attribute = expected.name == *key ? &expected : declared.find(*key);
            if (attribute == nullptr) return failure("the attribute " + in_quotes(*key) + " is not supported");
            auto inner = next(attribute->of);
            if (!inner) return inner.error().within("." + attribute->name);
            entries.push_back({attribute->name, *std::move(inner)});
        }
        return without_repetition(item, value::object(std::move(entries)));
    }

    [[nodiscard]] auto key_of() -> result<std::string_view>
    {
        auto const key = in_.next();
        if (!key) return broken();
        if (*key != item_kind::text) return failure("a key that is a string is required");
        if (!is_utf8(key->content)) return not_text("a key", key->content);
        return key->content;
    }

    [[nodiscard]] static auto without_repetition(packed_item const& item, value made) -> result<value>
    {
        if (made.size() != item.natural) return failure("a key occurs twice");
        return made;
    }

    /// The type of the elements of a collection. Elements without a type are given it.
    [[nodiscard]] static auto element_type(type const& declared, std::vector<value*> const& elements) -> result<type>
    {
        if (elements.empty()) return declared.element();
        auto common = common_type({elements.begin(), elements.end()});
        if (!common) return common;
        for (value* const element : elements)
            if (element->is(type_kind::dynamic) && element->is_null()) *element = value::null(*common);
        return common;
    }

    /// Limits a reservation to the number of elements that the remaining bytes can hold.
    [[nodiscard]] auto plausible(std::uint64_t count) const noexcept -> std::size_t
    {
        return static_cast<std::size_t>(std::min<std::uint64_t>(count, in_.remaining()));
    }

    packed_reader in_;
    int depth_ = 0;
};

}  // namespace

auto to_message_pack(value const& v, type const& declared) -> std::string
{
    std::string out;
    out.reserve(usual_size);
    encoder(out).put(v, declared);
    return out;
}

auto from_message_pack(std::string_view bytes, type const& declared) -> result<value>
{
    return decoder(bytes).read(declared);
}

auto from_dynamic_value(std::string_view message_pack, std::string_view json, type const& declared) -> result<value>
{
    if (!message_pack.empty()) return from_message_pack(message_pack, declared);
    if (!json.empty()) return language::from_json(json, declared);
    return value::null(declared);
}

auto with_marks_of(value const& v, value const& marked) -> value
{
    if (marked.deep_marks() == mark::none) return v;
    value const whole = v.with_marks(marked.marks() & mark::sensitive);
    // The marks of elements are on the set.
    if (!v.has_data() || v.kind() != marked.kind() || v.is(type_kind::set)) return whole;
    return language::with_parts(whole, [&](value const& part, std::size_t position) {
        if (position < marked.elements().size()) return with_marks_of(part, marked.elements()[position]);
        auto const* const same =
            position < whole.entries().size() ? marked.find(whole.entries()[position].key) : nullptr;
        return same ? with_marks_of(part, *same) : part;
    });
}

}  // namespace iacctl::plugin
