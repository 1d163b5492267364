// SPDX-License-Identifier: BSL-1.0
#include "consistency.hpp"

#include "base/unicode.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <utility>
#include <variant>

namespace iacctl::program {

namespace {

using language::mark;
using language::nested_attributes;
using language::nesting;
using language::schema;
using language::schema_attribute;
using language::schema_block;
using language::type;
using language::type_kind;
using language::value;
using language::value_entry;

// Compares values without marks, and without the types of null and unknown values.
auto same(value const& a, value const& b) -> bool
{
    if (!a.has_data() || !b.has_data()) return a.is_null() == b.is_null() && a.is_unknown() == b.is_unknown();
    if (a.kind() != b.kind()) return false;
    switch (a.kind()) {
    case type_kind::boolean: return a.as_bool() == b.as_bool();
    case type_kind::number: return a.as_number() == b.as_number();
    case type_kind::string: return a.as_string() == b.as_string();
    case type_kind::map:
    case type_kind::object:
        return std::ranges::equal(a.entries(), b.entries(),
            [](value_entry const& x, value_entry const& y) { return x.key == y.key && same(x.of, y.of); });
    default: return std::ranges::equal(a.elements(), b.elements(), same);
    }
}

auto fits(type const& t, type const& declared) -> bool
{
    if (declared.is_dynamic() || t.is_dynamic()) return true;
    if (t.kind() != declared.kind()) return false;
    if (t.is_collection()) return fits(t.element(), declared.element());
    if (t.is(type_kind::tuple)) return std::ranges::equal(t.elements(), declared.elements(), fits);
    return std::ranges::equal(t.attributes(), declared.attributes(),
        [](auto const& x, auto const& y) { return x.name == y.name && fits(x.of, y.of); });
}

// A value in a message.
auto shown(value const& v) -> std::string
{
    constexpr std::size_t most = 120;
    if (v.is_unknown()) return "unknown";
    std::string text = language::to_json(v.unmarked_deep());
    if (text.size() <= most) return text;
    return text.substr(0, character_begin(text, most)) + "…";
}

// An attribute of an object: null if the object has none, unknown if the object is unknown.
auto part(value const& v, std::string_view name) -> value const&
{
    static value const nothing;
    static value const not_known = value::unknown();
    if (v.is_unknown()) return not_known;
    value const* const found = v.find(name);
    return found == nullptr ? nothing : *found;
}

class comparison {
public:
    [[nodiscard]] auto take() && -> std::vector<std::string> { return std::move(found_); }

    void plan(schema const& s, value const& prior, value const& requested, value const& planned)
    {
        if (requested.is_null() && planned.is_null()) return;
        if (planned.is_null()) return add_violation("nothing is planned, although something is configured");
        if (requested.is_null()) return add_violation("something is planned, although nothing is configured");
        if (planned.is_unknown()) return add_violation("a block as a whole is planned as unknown");
        plan_attributes(s, prior, requested, planned);
        for (schema_block const& b : s.blocks)
            in(b.name, [&] { plan_blocks(b, part(prior, b.name), part(requested, b.name), part(planned, b.name)); });
    }

    void compare(schema const& s, value const& planned, value const& actual)
    {
        if (planned.is_null() && actual.is_null()) return;
        if (planned.is_null()) return add_violation("was absent in the plan, and is there now");
        if (!actual.has_data()) return add_violation("was there in the plan, and is absent now");
        for (schema_attribute const& a : s.attributes)
            in(a.name, [&] { compare_attribute(a, part(planned, a.name), part(actual, a.name)); });
        for (schema_block const& b : s.blocks)
            in(b.name, [&] { compare_blocks(b, part(planned, b.name), part(actual, b.name)); });
    }

    void exists(schema const& s, value const& object)
    {
        if (!object.has_data()) return add_violation(object.is_null() ? "is null" : "is not known");
        auto const judge = [&](std::string const& name, type const& declared) {
            value const& v = part(object, name);
            in(name, [&] {
                if (!v.wholly_known()) add_violation("is not known, or parts of it are not");
                else if (!v.is_null() && !fits(v.get_type(), declared))
                    add_violation("is of type " + declared.friendly_name() + ", but has the type "
                        + v.get_type().friendly_name());
            });
        };
        for (schema_attribute const& a : s.attributes) judge(a.name, a.of);
        for (schema_block const& b : s.blocks) judge(b.name, b.attribute_type());
    }

private:
    using comparator = std::function<void(comparison&, value const&, value const&)>;
    using naming = std::string (*)(value const&);

    // A step from an object to its attribute, or to an element by index or key. It is formatted only when it is shown.
    struct key_step {
        std::string const* key;
    };
    using step = std::variant<std::string const*, std::size_t, key_step>;

    void add_violation(std::string const& subject)
    {
        std::string path;
        for (step const& one : path_) {
            if (auto const* const name = std::get_if<std::string const*>(&one)) path += "." + **name;
            else if (auto const* const i = std::get_if<std::size_t>(&one)) path += "[" + std::to_string(*i) + "]";
            else path += "[" + language::to_json(value(*std::get<key_step>(one).key)) + "]";
        }
        found_.push_back((path.empty() ? "the object" : path) + ": " + subject);
    }
    template <class Visit>
    void in(step s, Visit visit)
    {
        path_.push_back(s);
        visit();
        path_.pop_back();
    }
    template <class Visit>
    void in(std::string const& name, Visit visit)
    {
        in(step(&name), visit);
    }
    [[nodiscard]] static auto index(std::string const& key) -> step { return key_step{&key}; }

    void plan_attributes(schema const& s, value const& prior, value const& requested, value const& planned)
    {
        for (schema_attribute const& a : s.attributes)
            in(a.name, [&] { plan_attribute(a, part(prior, a.name), part(requested, a.name), part(planned, a.name)); });
    }

    void plan_attribute(schema_attribute const& is, value const& prior, value const& requested, value const& planned)
    {
        if (!planned.is_null() && !fits(planned.get_type(), is.of))
            return add_violation("has the type " + planned.get_type().friendly_name() + " in the plan, but is of type "
                + is.of.friendly_name());
        if (is.write_only) {
            if (!planned.is_null()) add_violation("is write-only, and has a value in the plan");
            return;
        }
        if (same(planned, requested)) return;
        if (!prior.is_null() && !requested.is_null() && same(planned, prior)) return;  // equivalent for the provider
        if (is.computed && (!is.optional || requested.is_null())) return;
        if (is.nested && !requested.is_null()) return plan_nested(*is.nested, prior, requested, planned);
        bool const secret =
            is.has_sensitive() || planned.has_deep(mark::sensitive) || requested.has_deep(mark::sensitive);
        if (secret) return add_violation("is not planned as configured (the value is sensitive)");
        add_violation("is planned as " + shown(planned) + ", but configured as " + shown(requested)
            + (prior.is_null() ? std::string() : ", and was " + shown(prior)));
    }

    // Checks configured nested attributes: a provider may choose only those inside that are computed.
    void plan_nested(nested_attributes const& are, value const& prior, value const& requested, value const& planned)
    {
        if (planned.is_null()) return add_violation("is planned as null, but configured");
        if (planned.is_unknown()) return add_violation("is planned as unknown, but configured");
        if (are.how == nesting::set) {  // a provider may mix elements, as in sets of blocks
            // Unknown elements may turn out to be equal.
            std::size_t const least = planned.wholly_known() ? planned.size() : 1;
            if (requested.wholly_known() && (requested.size() < least || requested.size() > planned.size()))
                add_violation(count("planned", planned, "configured", requested));
            return;
        }
        if (requested.is_unknown()) return add_violation("is not known yet, but planned as known");
        if (are.how == nesting::single) return plan_attributes(*are.content, prior, requested, planned);
        if (are.how == nesting::list && planned.size() != requested.size())
            return add_violation(count("planned", planned, "configured", requested));
        for (std::size_t i = 0; i < planned.elements().size(); ++i)
            in(i, [&] {
                bool const was = i < prior.elements().size();
                plan_attributes(
                    *are.content, was ? prior.elements()[i] : value(), requested.elements()[i], planned.elements()[i]);
            });
        for (value_entry const& e : planned.entries())
            in(index(e.key), [&] {
                if (requested.find(e.key) == nullptr) return add_violation("is planned, but not configured");
                plan_attributes(*are.content, part(prior, e.key), part(requested, e.key), e.of);
            });
        for (value_entry const& e : requested.entries())
            if (planned.find(e.key) == nullptr)
                in(index(e.key), [&] { add_violation("is configured, but not planned"); });
    }

    void plan_blocks(schema_block const& are, value const& prior, value const& requested, value const& planned)
    {
        if (are.how != nesting::single && planned.is_null()) return add_violation("blocks are planned as null");
        if (same(planned, requested)) return;
        if (requested.is_unknown()) return add_violation("blocks that are not known yet are planned as known");
        if (are.computed && (requested.is_null() || (are.how != nesting::single && requested.size() == 0))) return;
        if (planned.is_unknown()) return add_violation("blocks that are known are planned as unknown");
        switch (are.how) {
        case nesting::single:
        case nesting::group: return plan(*are.content, prior, requested, planned);
        case nesting::list:
            if (planned.size() != requested.size())
                return add_violation(count("planned", planned, "configured", requested));
            for (std::size_t i = 0; i < planned.size(); ++i)
                in(i, [&] {
                    bool const was = i < prior.elements().size();
                    plan(*are.content, was ? prior.elements()[i] : value(), requested.elements()[i],
                        planned.elements()[i]);
                });
            return;
        case nesting::map:
            for (value_entry const& e : planned.entries())
                in(index(e.key), [&] {
                    if (requested.find(e.key) == nullptr)
                        return add_violation("a block is planned that is not configured");
                    plan(*are.content, part(prior, e.key), part(requested, e.key), e.of);
                });
            for (value_entry const& e : requested.entries())
                if (planned.find(e.key) == nullptr)
                    in(index(e.key), [&] { add_violation("a block is configured that is not planned"); });
            return;
        case nesting::set:  // elements cannot be matched: a provider may mix prior and configured ones
            for (value const& e : planned.elements())
                if (e.is_unknown()) add_violation("a block as a whole is planned as unknown");
            return;
        }
    }

    void compare_attribute(schema_attribute const& is, value const& planned, value const& actual)
    {
        std::size_t const before = found_.size();
        if (!actual.is_null() && !fits(actual.get_type(), is.of))
            add_violation("is of type " + is.of.friendly_name() + ", but became " + actual.get_type().friendly_name());
        else compare_value(planned, actual);
        bool const secret = is.has_sensitive() || planned.has_deep(mark::sensitive) || actual.has_deep(mark::sensitive);
        if (!secret || found_.size() == before) return;
        found_.resize(before);
        add_violation("is not what was planned (the value is sensitive)");
    }

    void compare_value(value const& planned, value const& actual)
    {
        if (planned.is_unknown()) {
            if (planned.is_definitely_not_null() && actual.is_null())
                add_violation("became null, which the plan rules out");
            else if (!actual.is_null() && !fits(actual.get_type(), planned.get_type()))
                add_violation("was planned as " + planned.get_type().friendly_name() + ", but became "
                    + actual.get_type().friendly_name());
            return;
        }
        if (same(planned, actual)) return;
        if (!planned.has_data() || !actual.has_data() || planned.kind() != actual.kind())
            return add_violation("was planned as " + shown(planned) + ", but became " + shown(actual));
        switch (planned.kind()) {
        case type_kind::list:
        case type_kind::tuple:
            if (planned.size() != actual.size()) return add_violation(count("planned", planned, "there now", actual));
            for (std::size_t i = 0; i < planned.size(); ++i)
                in(i, [&] { compare_value(planned.elements()[i], actual.elements()[i]); });
            return;
        case type_kind::map:
        case type_kind::object:
            for (value_entry const& e : planned.entries())
                in(index(e.key), [&] {
                    if (actual.find(e.key) == nullptr) add_violation("was planned, and is missing now");
                    else compare_value(e.of, part(actual, e.key));
                });
            for (value_entry const& e : actual.entries())
                if (planned.find(e.key) == nullptr)
                    in(index(e.key), [&] { add_violation("was not planned, and is there now"); });
            return;
        case type_kind::set:
            return compare_set(
                planned, actual, [](value const& e) { return "the element " + shown(e); },
                [](comparison& c, value const& p, value const& a) { c.compare_value(p, a); });
        default: return add_violation("was planned as " + shown(planned) + ", but became " + shown(actual));
        }
    }

    void compare_blocks(schema_block const& are, value const& planned, value const& actual)
    {
        if (are.computed && are.how != nesting::single && actual.is_null()) return add_violation("blocks became null");
        if (planned.is_unknown()) {  // it may turn out to be no block
            if (!actual.is_null() && !fits(actual.get_type(), are.attribute_type()))
                add_violation("became " + actual.get_type().friendly_name());
            return;
        }
        if (are.how == nesting::single || are.how == nesting::group) return compare(*are.content, planned, actual);
        if (planned.is_null() || !actual.has_data()) return;
        if (are.how == nesting::set)
            return compare_set(
                planned, actual, [](value const&) { return std::string("a block"); },
                [&](comparison& c, value const& p, value const& a) { c.compare(*are.content, p, a); });
        if (are.how == nesting::list) {
            if (planned.size() != actual.size()) return add_violation(count("planned", planned, "there now", actual));
            for (std::size_t i = 0; i < planned.size(); ++i)
                in(i, [&] { compare(*are.content, planned.elements()[i], actual.elements()[i]); });
            return;
        }
        for (value_entry const& e : planned.entries())
            in(index(e.key), [&] {
                if (actual.find(e.key) == nullptr) add_violation("a block was planned that is missing now");
                else compare(*are.content, e.of, part(actual, e.key));
            });
        for (value_entry const& e : actual.entries())
            if (planned.find(e.key) == nullptr)
                in(index(e.key), [&] { add_violation("a block is there now that was not planned"); });
    }

    // Elements of sets have no names. Known elements must be present unchanged; every other one must result from an
    // unknown element, and every unknown element must have a result.
    void compare_set(value const& planned, value const& actual, naming name, comparator const& compare_elements)
    {
        auto const [were, are] = without_common(planned.elements(), actual.elements());
        if (were.empty() && are.empty()) return;
        std::vector<bool> explained(are.size());
        for (value const* const p : were) {
            bool found = false;
            for (std::size_t i = 0; i < are.size(); ++i) {
                if (found && explained[i]) continue;
                comparison alone;
                compare_elements(alone, *p, *are[i]);
                if (!alone.found_.empty()) continue;
                found = true;
                explained[i] = true;
            }
            // Two elements that turn out to be equal are one.
            found = found || (!p->wholly_known() && std::ranges::any_of(actual.elements(), [&](value const& a) {
                comparison alone;
                compare_elements(alone, *p, a);
                return alone.found_.empty();
            }));
            if (!found) add_violation(name(*p) + " was planned, and is missing now");
        }
        for (std::size_t i = 0; i < are.size(); ++i)
            if (!explained[i]) add_violation(name(*are[i]) + " was not planned, and is there now");
        if (actual.size() > planned.size()) add_violation(count("planned", planned, "there now", actual));
    }

    // The elements of the first of two sorted ranges that the second lacks.
    using few = std::vector<value const*>;
    static auto without_common(std::span<value const> a, std::span<value const> b) -> std::pair<few, few>
    {
        std::pair<few, few> left;
        std::size_t i = 0;
        std::size_t k = 0;
        while (i < a.size() && k < b.size()) {
            if (same(a[i], b[k])) {
                ++i;
                ++k;
            } else if (language::set_less(a[i], b[k])) left.first.push_back(&a[i++]);
            else left.second.push_back(&b[k++]);
        }
        for (; i < a.size(); ++i) left.first.push_back(&a[i]);
        for (; k < b.size(); ++k) left.second.push_back(&b[k]);
        return left;
    }

    static auto count(char const* first, value const& a, char const* second, value const& b) -> std::string
    {
        return std::to_string(a.size()) + " are " + first + ", " + std::to_string(b.size()) + " are " + second;
    }

    std::vector<std::string> found_;
    std::vector<step> path_;
};

}  // namespace

auto schema_violations(schema const& schema, value const& object) -> std::vector<std::string>
{
    comparison c;
    c.exists(schema, object);
    return std::move(c).take();
}

auto plan_violations(schema const& schema, std::optional<value> const& prior, value const& requested,
    value const& planned) -> std::vector<std::string>
{
    comparison c;
    c.plan(schema, prior.value_or(value()), requested, planned);
    return std::move(c).take();
}

auto result_violations(schema const& schema, value const& planned, value const& actual) -> std::vector<std::string>
{
    comparison c;
    c.compare(schema, planned, actual);
    return std::move(c).take();
}

}  // namespace iacctl::program
