// SPDX-License-Identifier: BSL-1.0
#ifndef TESTS_IACCTL_PLUGINS_DRAWN_OBJECT_HPP
#define TESTS_IACCTL_PLUGINS_DRAWN_OBJECT_HPP

#include "drawn_value.hpp"
#include "planned_schema.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace iacctl::plugin::test {

/// The form of a drawn object: a known configuration, a configuration with unknown parts, or an object that a provider
/// has made.
enum class origin : std::uint8_t { known_configuration, configuration, provider };

/// Draws objects of a schema. There are only a few different strings, so elements of sets often correspond to each
/// other.
class object_source {
public:
    object_source(value_source source, origin o) : source_(std::move(source)), origin_(o) {}

    [[nodiscard]] auto object(language::schema const& s) const -> language::value
    {
        using language::nesting;
        using language::value;
        std::vector<language::value_entry> entries;
        for (auto const& one : s.attributes) entries.push_back({one.name, attribute(one)});
        for (auto const& one : s.blocks) {
            auto const type = one.attribute_type();
            if (one.how == nesting::single && source_.below(3) == 0) entries.push_back({one.name, value::null(type)});
            else if (one.how != nesting::group && is_unknown()) entries.push_back({one.name, value::unknown(type)});
            else entries.push_back({one.name, collection(one.how, *one.content)});
        }
        return value::object(std::move(entries));
    }

private:
    [[nodiscard]] auto is_unknown() const -> bool { return origin_ == origin::configuration && source_.below(8) == 0; }

    [[nodiscard]] auto text() const -> language::value { return language::value(source_.below(2) == 0 ? "a" : "b"); }

    [[nodiscard]] auto attribute(language::schema_attribute const& sa) const -> language::value
    {
        using language::value;
        bool const is_configuration = origin_ != origin::provider;
        if (is_configuration && sa.computed && (!sa.optional || source_.below(2) == 0)) return value::null(sa.of);
        if (source_.below(4) == 0) return value::null(sa.of);
        if (is_unknown()) return value::unknown(sa.of);
        if (sa.nested) return collection(sa.nested->how, *sa.nested->content);
        if (!sa.of.is(language::type_kind::set)) return text();
        std::vector<value> elements;
        for (auto left = source_.below(3); left > 0; --left) elements.push_back(text());
        return value::set(sa.of.element(), std::move(elements));
    }

    [[nodiscard]] auto collection(language::nesting n, language::schema const& s) const -> language::value
    {
        using language::nesting;
        using language::value;
        if (n == nesting::single || n == nesting::group) return object(s);
        auto const type = s.object_type();
        if (n == nesting::map) {
            std::vector<language::value_entry> entries;
            for (auto left = source_.below(3); left > 0; --left)
                entries.push_back({std::string(1, static_cast<char>('x' + source_.below(3))), object(s)});
            return value::map(type, std::move(entries));
        }
        std::vector<value> elements;
        for (auto left = source_.below(4); left > 0; --left) elements.push_back(object(s));
        if (type.has_dynamic()) return value::tuple(std::move(elements));
        return n == nesting::list ? value::list(type, std::move(elements)) : value::set(type, std::move(elements));
    }

    value_source source_;
    origin origin_;
};

}  // namespace iacctl::plugin::test

#endif  // TESTS_IACCTL_PLUGINS_DRAWN_OBJECT_HPP
