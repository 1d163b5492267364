// SPDX-License-Identifier: BSL-1.0
#ifndef TESTS_IACCTL_PLUGINS_DRAWN_VALUE_HPP
#define TESTS_IACCTL_PLUGINS_DRAWN_VALUE_HPP

#include "language/values/type.hpp"
#include "language/values/value.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace iacctl::plugin::test {

/// Draws types and values of these types. `below(n)` is a random number from 0 to n - 1.
class value_source {
public:
    explicit value_source(std::function<std::size_t(std::size_t)> below) : below_(std::move(below)) {}

    [[nodiscard]] auto below(std::size_t end) const -> std::size_t { return below_(end); }

    [[nodiscard]] auto type(int levels = 3, bool may_be_dynamic = true) const -> language::type
    {
        using language::type;
        switch (below(levels > 0 ? 10 : 3)) {
        case 0: return type::boolean();
        case 1: return type::number();
        case 2: return type::string();
        // All elements of a collection have the same type, so the element type is not dynamic.
        case 3: return type::list(this->type(levels - 1, false));
        case 4: return type::set(this->type(levels - 1, false));
        case 5: return type::map(this->type(levels - 1, false));
        case 6: {
            std::vector<type> elements;
            for (auto left = below(4); left > 0; --left) elements.push_back(this->type(levels - 1, may_be_dynamic));
            return type::tuple(std::move(elements));
        }
        case 7:
        case 8: {
            std::vector<language::type_attribute> attributes;
            for (auto left = below(5); left > 0; --left)
                attributes.push_back({key(), this->type(levels - 1, may_be_dynamic)});
            return type::object(std::move(attributes));
        }
        default: return may_be_dynamic ? type::dynamic() : type::string();
        }
    }

    [[nodiscard]] auto value(language::type const& t, bool known = false) const -> language::value
    {
        using language::type_kind;
        using language::value;
        if (below(12) == 0) return value::null(t);
        if (!known && below(8) == 0) return unknown(t);
        switch (t.kind()) {
        case type_kind::boolean: return value(below(2) == 0);
        case type_kind::number: return number();
        case type_kind::string: return value(text());
        case type_kind::list: return value::list(t.element(), elements(t.element(), known));
        case type_kind::set: return value::set(t.element(), elements(t.element(), true));
        case type_kind::map: {
            std::vector<language::value_entry> entries;
            for (auto left = below(4); left > 0; --left) entries.push_back({key(), this->value(t.element(), known)});
            return value::map(t.element(), std::move(entries));
        }
        case type_kind::tuple: {
            std::vector<value> all;
            for (auto const& one : t.elements()) all.push_back(this->value(one, known));
            return value::tuple(std::move(all));
        }
        case type_kind::object: {
            std::vector<language::value_entry> entries;
            for (auto const& one : t.attributes()) entries.push_back({one.name, this->value(one.of, known)});
            return value::object(std::move(entries));
        }
        case type_kind::dynamic: return this->value(type(2, false), known);
        }
        return {};
    }

private:
    [[nodiscard]] auto unknown(language::type const& t) const -> language::value
    {
        using language::value;
        auto const kind = below(4);
        if (t.is(language::type_kind::string) && kind == 0) return value::unknown_with_prefix("arn:aws:iam::");
        return kind == 1 ? value::unknown(t).refined_not_null() : value::unknown(t);
    }

    [[nodiscard]] auto elements(language::type const& t, bool known) const -> std::vector<language::value>
    {
        std::vector<language::value> all;
        for (auto left = below(4); left > 0; --left) all.push_back(value(t, known));
        return all;
    }

    [[nodiscard]] auto number() const -> language::value
    {
        using language::value;
        static constexpr std::array<std::string_view, 14> edges{"0", "127", "128", "-32", "-33", "65535", "65536",
            "4294967296", "9223372036854775807", "-9223372036854775808", "18446744073709551616", "0.1", "-2.5", "1e40"};
        auto const half = std::int64_t{1} << below(62);
        switch (below(4)) {
        case 0: return value(language::number(half - static_cast<std::int64_t>(below(3))));
        case 1: return value(language::number(-half - static_cast<std::int64_t>(below(3))));
        case 2: return value(language::number(static_cast<double>(half) / 3));
        default: return value(*language::number::parse(edges[below(edges.size())]));
        }
    }

    [[nodiscard]] auto key() const -> std::string
    {
        return std::string(1, static_cast<char>('a' + below(20))) + (below(4) == 0 ? "<_" : "");
    }

    [[nodiscard]] auto text() const -> std::string
    {
        static constexpr std::array<std::string_view, 8> parts{
            "x", "\"", "\n", "\\", "\xc3\xa9", "e\xcc\x81", "\xf0\x9f\x98\x80", "<>&"};
        std::string made(below(50) == 0 ? 300 : 0, 'y');
        for (auto left = below(6); left > 0; --left) made += parts[below(parts.size())];
        return made;
    }

    std::function<std::size_t(std::size_t)> below_;
};

}  // namespace iacctl::plugin::test

#endif  // TESTS_IACCTL_PLUGINS_DRAWN_VALUE_HPP
