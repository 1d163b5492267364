// SPDX-License-Identifier: BSL-1.0
#include "difference.hpp"

#include "base/go_quoted.hpp"
#include "language/values/parts.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>

namespace iacctl::views {

namespace {

using infra::action;
using language::type;
using language::type_kind;
using language::value;

[[nodiscard]] auto is_mapping(value const& v) noexcept -> bool
{
    return v.has_data() && (v.is(type_kind::map) || v.is(type_kind::object));
}
[[nodiscard]] auto is_sequence(value const& v) noexcept -> bool
{
    return v.has_data() && (v.is(type_kind::list) || v.is(type_kind::set) || v.is(type_kind::tuple));
}

// Returns whether two values have the same text. Unknown values count as null in a sequence and as missing in an
// object, as in the text of a plan; marks and exact types are ignored.
[[nodiscard]] auto look_alike(value const& a, value const& b) -> bool
{
    if (!a.has_data() || !b.has_data()) return a.has_data() == b.has_data();
    if (is_sequence(a) && is_sequence(b))
        return std::ranges::equal(
            a.elements(), b.elements(), [](auto const& x, auto const& y) { return look_alike(x, y); });
    if (is_mapping(a) && is_mapping(b)) {
        auto const missing = [](language::value_entry const& entry) { return entry.of.is_unknown(); };
        auto const known = [&](value const& v) {
            return v.size() - static_cast<std::size_t>(std::ranges::count_if(v.entries(), missing));
        };
        return known(a) == known(b) && std::ranges::all_of(a.entries(), [&](auto const& entry) {
            auto const* other = b.find(entry.key);
            return missing(entry) || (other != nullptr && !other->is_unknown() && look_alike(entry.of, *other));
        });
    }
    return a.unmarked() == b.unmarked();
}

// The paths that continue below the current value.
class path_filter {
public:
    path_filter() = default;
    path_filter(std::vector<value_path> const& paths, bool inherits) : inherits_(inherits)
    {
        for (auto const& path : paths) rests_.emplace_back(path);
    }
    [[nodiscard]] static auto everything() -> path_filter
    {
        path_filter all;
        all.inherits_ = all.ended_ = true;
        return all;
    }
    /// Returns whether a path ends here, or above, if that is sufficient.
    [[nodiscard]] auto matches() const -> bool
    {
        return ended_ || std::ranges::any_of(rests_, [](auto const& rest) { return rest.empty(); });
    }
    [[nodiscard]] auto leads_on() const -> bool { return ended_ || !rests_.empty(); }
    [[nodiscard]] auto below(path_step const& step) const -> path_filter
    {
        path_filter next;
        next.inherits_ = inherits_;
        next.ended_ = inherits_ && matches();
        for (auto const& rest : rests_)
            if (!rest.empty() && rest.front() == step) next.rests_.push_back(rest.subspan(1));
        return next;
    }

private:
    std::vector<std::span<path_step const>> rests_;
    bool inherits_ = false;
    bool ended_ = false;
};

struct side {
    value of;
    bool present = false;  ///< exists, although it may be null
};

struct pair {
    side before;
    side after;
    path_filter replaces;
    path_filter relevant;

    [[nodiscard]] auto both_null() const -> bool { return before.of.is_null() && after.of.is_null(); }
    [[nodiscard]] auto at(path_step const& step, side b, side a) const -> pair
    {
        pair next{std::move(b), std::move(a), replaces.below(step), relevant.below(step)};
        if (!next.relevant.leads_on()) next.after = next.before;
        return next;
    }
    [[nodiscard]] auto as_destroy() const -> pair { return {before, {}, replaces, relevant}; }
    [[nodiscard]] auto as_create() const -> pair { return {{}, after, replaces, relevant}; }
};

[[nodiscard]] auto element(value const& v, std::size_t index) -> side
{
    auto const all = v.elements();
    return index < all.size() ? side{all[index], true} : side{};
}
[[nodiscard]] auto entry(value const& v, std::string const& key) -> side
{
    auto const* found = v.find(key);
    return found == nullptr ? side{} : side{*found, !found->is_unknown()};
}
[[nodiscard]] auto at_key(pair const& p, std::string const& key) -> pair
{
    return p.at(key, entry(p.before.of, key), entry(p.after.of, key));
}
[[nodiscard]] auto keys(pair const& entry) -> std::set<std::string>
{
    std::set<std::string> all;
    for (auto const& e : entry.before.of.entries()) all.insert(e.key);
    for (auto const& e : entry.after.of.entries()) all.insert(e.key);
    return all;
}

[[nodiscard]] auto from_presence(value const& before, value const& after) -> action
{
    if (before.is_null() == after.is_null()) return action::no_op;
    return before.is_null() ? action::create : action::destroy;
}
[[nodiscard]] auto combined(action current, action next) -> action
{
    if (next == action::no_op) return current;
    return current == next ? current : action::update;
}

void add(difference& to, difference element)
{
    to.action = combined(to.action, element.action);
    to.elements.push_back(std::move(element));
}

[[nodiscard]] auto compare(pair const& entry, type const& seen_as) -> difference;
[[nodiscard]] auto compare_dynamic(pair const& entry) -> difference;

[[nodiscard]] auto leaf(pair const& entry) -> difference
{
    difference out;
    out.before = entry.before.of;
    out.after = entry.after.of;
    bool const no_before = entry.before.of.is_null() && !entry.before.present;
    bool const no_after = entry.after.of.is_null() && !entry.after.present;
    if (no_before != no_after) out.action = no_before ? action::create : action::destroy;
    else if (!look_alike(entry.before.of, entry.after.of)) out.action = action::update;
    return out;
}

// The maximum number of comparisons for a shorter difference.
constexpr std::size_t most_cells = 16'000'000;

// The common elements at the ends of two long sequences.
[[nodiscard]] auto common_ends(std::span<value const> before, std::span<value const> after)
    -> std::vector<std::pair<std::size_t, std::size_t>>
{
    auto const shorter = std::min(before.size(), after.size());
    std::size_t head = 0;
    while (head < shorter && look_alike(before[head], after[head])) ++head;
    std::size_t tail = 0;
    while (head + tail < shorter && look_alike(before[before.size() - 1 - tail], after[after.size() - 1 - tail]))
        ++tail;
    std::vector<std::pair<std::size_t, std::size_t>> out;
    for (std::size_t i = 0; i < head; ++i) out.emplace_back(i, i);
    for (; tail > 0; --tail) out.emplace_back(before.size() - tail, after.size() - tail);
    return out;
}

// The longest common subsequence, as pairs of indices.
[[nodiscard]] auto common_part(std::span<value const> before, std::span<value const> after)
    -> std::vector<std::pair<std::size_t, std::size_t>>
{
    if (!before.empty() && after.size() > most_cells / before.size()) return common_ends(before, after);
    auto const rows = after.size() + 1;
    auto const columns = before.size() + 1;
    std::vector<std::uint32_t> length(rows * columns, 0);
    std::vector<bool> equal(rows * columns, false);
    for (std::size_t y = 1; y < rows; ++y)
        for (std::size_t x = 1; x < columns; ++x) {
            auto const here = y * columns + x;
            equal[here] = look_alike(before[x - 1], after[y - 1]);
            length[here] =
                equal[here] ? length[here - columns - 1] + 1 : std::max(length[here - 1], length[here - columns]);
        }
    std::vector<std::pair<std::size_t, std::size_t>> out;
    for (std::size_t x = columns - 1, y = rows - 1; x > 0 && y > 0;) {
        auto const here = y * columns + x;
        if (equal[here]) out.emplace_back(--x, --y);
        else if (length[here - 1] > length[here - columns]) --x;
        else --y;
    }
    std::ranges::reverse(out);
    return out;
}

// The elements of two sequences that are shown as a pair; npos: there is no element on that side.
[[nodiscard]] auto aligned(std::span<value const> before, std::span<value const> after)
    -> std::vector<std::pair<std::size_t, std::size_t>>
{
    constexpr auto none = static_cast<std::size_t>(-1);
    std::vector<std::pair<std::size_t, std::size_t>> out;
    auto const kept = [&](value const& b) {
        return std::ranges::any_of(after, [&](value const& a) { return look_alike(a, b); });
    };
    // Sequences of the same length are compared element by element, unless they are only reordered.
    if (before.size() == after.size()
        && (std::ranges::equal(before, after, look_alike) || !std::ranges::all_of(before, kept))) {
        for (std::size_t i = 0; i < before.size(); ++i) out.emplace_back(i, i);
        return out;
    }
    // The ends of the common elements are found by value, not by index: of several equal elements, the first one is
    // used.
    auto const common = common_part(before, after);
    std::size_t b = 0;
    std::size_t a = 0;
    for (std::size_t next = 0; b < before.size() || a < after.size() || next < common.size(); ++next) {
        auto const is_next = [&](value const& v) {
            return next < common.size() && look_alike(v, before[common[next].first]);
        };
        while (b < before.size() && !is_next(before[b])) {
            bool const objects =
                a < after.size() && is_mapping(before[b]) && is_mapping(after[a]) && !is_next(after[a]);
            out.emplace_back(b++, objects ? a++ : none);
        }
        while (a < after.size() && !is_next(after[a])) out.emplace_back(none, a++);
        if (next < common.size()) out.emplace_back(b++, a++);
    }
    return out;
}

[[nodiscard]] auto compare_sequence(pair const& entry, std::function<difference(pair const&)> const& inner)
    -> difference
{
    difference out;
    out.kind = difference_kind::sequence;
    out.action = from_presence(entry.before.of, entry.after.of);
    for (auto const& [b, a] : aligned(entry.before.of.elements(), entry.after.of.elements())) {
        auto const step = static_cast<std::int64_t>(std::min(b, a));
        auto next = entry.at(step, element(entry.before.of, b), element(entry.after.of, a));
        next.relevant = path_filter::everything();
        next.after = element(entry.after.of, a);
        add(out, inner(next));
    }
    return out;
}

[[nodiscard]] auto compare_tuple(pair const& entry, std::span<type const> types) -> difference
{
    difference out;
    out.kind = difference_kind::sequence;
    out.action = from_presence(entry.before.of, entry.after.of);
    for (std::size_t i = 0; i < types.size(); ++i)
        add(out,
            compare(entry.at(static_cast<std::int64_t>(i), element(entry.before.of, i), element(entry.after.of, i)),
                types[i]));
    return out;
}

// Pairs of elements of two sets with the same text, by index. An element without a partner is paired with the size of
// the other set.
[[nodiscard]] auto partners(std::span<value const> before, std::span<value const> after)
    -> std::vector<std::pair<std::size_t, std::size_t>>
{
    std::vector<std::pair<std::size_t, std::size_t>> out;
    std::vector<bool> taken(after.size(), false);
    for (std::size_t b = 0; b < before.size(); ++b) {
        std::size_t a = 0;
        while (a < after.size() && (taken[a] || !after[a].is_known() || !look_alike(before[b], after[a]))) ++a;
        if (a < after.size()) taken[a] = true;
        out.emplace_back(b, a);
    }
    for (std::size_t a = 0; a < after.size(); ++a)
        if (!taken[a]) out.emplace_back(before.size(), a);
    return out;
}

[[nodiscard]] auto compare_set(pair const& entry, type const& seen_as) -> difference
{
    difference out;
    out.kind = difference_kind::set;
    out.action = from_presence(entry.before.of, entry.after.of);
    auto const before = entry.before.of.elements();
    auto const after = entry.after.of.elements();
    for (auto const& [b, a] : partners(before, after)) {
        side const left = b < before.size() ? side{before[b], true} : side();
        side const right = a < after.size() ? side{after[a], true} : side();
        add(out, compare({left, right, {}, path_filter::everything()}, seen_as));
    }
    return out;
}

template <class Inner>
[[nodiscard]] auto compare_mapping(pair const& entry, difference_kind kind, Inner const& inner) -> difference
{
    difference out;
    out.kind = kind;
    out.action = from_presence(entry.before.of, entry.after.of);
    for (auto const& key : keys(entry)) {
        add(out, inner(at_key(entry, key)));
        out.names.push_back(key);
    }
    return out;
}

[[nodiscard]] auto compare_object(pair const& entry, type const& seen_as) -> difference
{
    difference out;
    out.kind = difference_kind::object;
    out.action = from_presence(entry.before.of, entry.after.of);
    for (auto const& [name, inner, optional] : seen_as.attributes()) {
        auto next = at_key(entry, name);
        next.before.present = next.after.present = false;
        auto found = compare(next, inner);
        if (found.action == action::no_op && next.both_null()) continue;
        add(out, std::move(found));
        out.names.push_back(name);
    }
    return out;
}

[[nodiscard]] auto compare_sensitive(pair const& entry, bool with_replacement,
    std::function<difference(pair const&)> const& inner) -> std::optional<difference>
{
    bool const before = entry.before.of.is_sensitive();
    bool const after = entry.after.of.is_sensitive();
    if (!before && !after) return std::nullopt;
    auto plain = entry;
    plain.before.of = entry.before.of.unmarked_deep();
    plain.after.of = entry.after.of.unmarked_deep();
    difference out;
    out.kind = difference_kind::sensitive;
    out.before_sensitive = before;
    out.after_sensitive = after;
    out.forces_replacement = with_replacement && entry.replaces.matches();
    out.elements.push_back(inner(plain));
    out.action = out.elements.front().action;
    bool const nothing = entry.both_null() && !entry.before.present && !entry.after.present;
    if (out.action == action::no_op && before != after && !nothing) out.action = action::update;
    return out;
}

[[nodiscard]] auto compare_unknown(pair const& entry, bool with_replacement,
    std::function<difference(pair const&)> const& inner) -> std::optional<difference>
{
    if (!entry.after.of.is_unknown()) return std::nullopt;
    difference out;
    out.kind = difference_kind::unknown;
    out.action = entry.before.of.is_null() ? action::create : action::update;
    out.forces_replacement = with_replacement && entry.replaces.matches();
    if (!entry.before.of.is_null()) out.elements.push_back(inner(entry.as_destroy()));
    return out;
}

// Compares values by structure, below an attribute of any type or an output, for which replacement is not reported.
[[nodiscard]] auto compare_dynamic(pair const& entry) -> difference
{
    if (auto found = compare_sensitive(entry, false, compare_dynamic)) return *std::move(found);
    if (auto found = compare_unknown(entry, false, compare_dynamic)) return *std::move(found);

    auto const& before = entry.before.of;
    auto const& after = entry.after.of;
    enum class shape { null, boolean, number, string, object, array };
    auto const shape_of = [](value const& v) {
        if (!v.has_data()) return shape::null;
        if (is_mapping(v)) return shape::object;
        if (is_sequence(v)) return shape::array;
        return v.is(type_kind::boolean) ? shape::boolean : v.is(type_kind::number) ? shape::number : shape::string;
    };
    auto const update = [&](pair const& both, shape as) {
        if (as == shape::object) return compare_mapping(both, difference_kind::object, compare_dynamic);
        if (as == shape::array) return compare_sequence(both, compare_dynamic);
        return leaf(both);
    };
    auto const from = shape_of(before);
    auto const to = shape_of(after);
    bool const created = from == shape::null && !entry.before.present;
    bool const destroyed = to == shape::null && !entry.after.present;
    if (from == to || created || destroyed) return update(entry, from == shape::null ? to : from);
    difference out;
    out.kind = difference_kind::type_change;
    out.action = action::update;
    out.elements.push_back(update(entry.as_destroy(), from));
    out.elements.push_back(update(entry.as_create(), to));
    return out;
}

[[nodiscard]] auto compare_known(pair const& entry, type const& seen_as) -> difference
{
    switch (seen_as.kind()) {
    case type_kind::dynamic: return compare_dynamic(entry);
    case type_kind::boolean:
    case type_kind::number:
    case type_kind::string: return leaf(entry);
    case type_kind::list:
        return compare_sequence(entry, [&](pair const& inner) { return compare(inner, seen_as.element()); });
    case type_kind::set: return compare_set(entry, seen_as.element());
    case type_kind::map:
        return compare_mapping(
            entry, difference_kind::mapping, [&](pair const& inner) { return compare(inner, seen_as.element()); });
    case type_kind::tuple: return compare_tuple(entry, seen_as.elements());
    case type_kind::object: return compare_object(entry, seen_as);
    }
    return {};
}

[[nodiscard]] auto compare(pair const& entry, type const& seen_as) -> difference
{
    auto const again = [&](pair const& inner) { return compare(inner, seen_as); };
    if (auto found = compare_sensitive(entry, true, again)) return *std::move(found);
    if (auto found = compare_unknown(entry, true, again)) return *std::move(found);
    auto out = compare_known(entry, seen_as);
    out.forces_replacement = out.forces_replacement || (!seen_as.is_dynamic() && entry.replaces.matches());
    return out;
}

using typed_names = std::vector<std::pair<std::string, type>>;

// The attributes of the schema, or those of the values.
[[nodiscard]] auto attributes(pair const& entry, resource_schema const* schema) -> typed_names
{
    typed_names out;
    if (schema == nullptr)
        for (auto const& key : keys(entry)) out.emplace_back(key, type());
    else
        for (auto const& attribute : schema->attributes) out.emplace_back(attribute.name, attribute.of);
    return out;
}

void add_blocks(difference& to, pair const& in, language::schema_block const& described_by);

[[nodiscard]] auto compare_block(pair const& entry, typed_names names, language::schema const* content) -> difference
{
    difference out;
    out.kind = difference_kind::block;
    out.action = from_presence(entry.before.of, entry.after.of);
    out.forces_replacement = entry.replaces.matches();
    std::ranges::sort(names, {}, &typed_names::value_type::first);
    for (auto const& [name, seen_as] : names) {
        auto next = at_key(entry, name);
        next.before.present = next.after.present = false;
        // Providers with the legacy type system cannot store a null string, so an empty string is treated as null.
        for (auto* one : {&next.before, &next.after})
            if (one->of.has_data() && one->of.is(type_kind::string) && one->of.as_string().empty())
                one->of = value::null(type::string()).with_marks(one->of.marks());
        auto found = compare(next, seen_as);
        if (found.action == action::no_op && next.both_null()) continue;
        add(out, std::move(found));
        out.names.push_back(name);
    }
    if (content != nullptr)
        for (auto const& one : content->blocks) add_blocks(out, entry, one);
    return out;
}

[[nodiscard]] auto compare_block(pair const& entry, language::schema const& described_by) -> difference
{
    auto const again = [&](pair const& inner) { return compare_block(inner, described_by); };
    if (auto found = compare_sensitive(entry, true, again)) return *std::move(found);
    if (auto found = compare_unknown(entry, true, again)) return *std::move(found);
    typed_names names;
    for (auto const& one : described_by.attributes) names.emplace_back(one.name, one.of);
    return compare_block(entry, std::move(names), &described_by);
}

// Compares the blocks of one type: those of a list by index, those of a set by value.
void add_blocks(difference& to, pair const& in, language::schema_block const& described_by)
{
    using language::nesting;
    auto all = at_key(in, described_by.name);
    all.before.present = all.after.present = false;
    auto const add_one = [&](pair const& entry, std::string label) {
        auto found = compare_block(entry, *described_by.content);
        found.forces_replacement = found.forces_replacement || all.replaces.matches();
        to.action = combined(to.action, found.action);
        to.blocks.push_back({described_by.name, std::move(label), std::move(found)});
    };
    bool const single = described_by.how == nesting::single || described_by.how == nesting::group;
    if (single || all.after.of.is_unknown()) {
        if (!all.both_null()) add_one(all, {});
        return;
    }
    if (is_mapping(all.before.of) || is_mapping(all.after.of)) {
        for (auto const& key : keys(all)) add_one(at_key(all, key), " " + go_quoted(key));
        return;
    }
    auto const before = all.before.of.elements();
    auto const after = all.after.of.elements();
    if (described_by.how != nesting::set) {
        for (std::size_t i = 0; i < std::max(before.size(), after.size()); ++i)
            add_one(all.at(static_cast<std::int64_t>(i), element(all.before.of, i), element(all.after.of, i)), {});
        return;
    }
    for (auto const& [b, a] : partners(before, after)) {
        auto one = all;
        one.before = b < before.size() ? side{before[b], true} : side();
        one.after = a < after.size() ? side{after[a], true} : side();
        add_one(one, {});
    }
}

/// Adds the texts that are sensitive. Short ones are omitted, because equal texts are not necessarily copies of them.
void add_secrets(value const& v, bool is_secret, std::set<std::string, std::less<>>& to)
{
    constexpr std::size_t shortest = 4;
    is_secret = is_secret || v.is_sensitive();
    if (is_secret && v.has_data() && v.is(type_kind::string) && v.as_string().size() >= shortest)
        to.insert(v.as_string());
    for (auto const& one : v.elements()) add_secrets(one, is_secret, to);
    for (auto const& [key, one] : v.entries()) add_secrets(one, is_secret, to);
}

[[nodiscard]] auto with_hidden_texts(value const& v, std::set<std::string, std::less<>> const& secrets) -> value
{
    bool const is_copy = v.has_data() && v.is(type_kind::string) && secrets.contains(v.as_string());
    if (is_copy) return v.with_marks(language::mark::sensitive);
    return language::with_parts(v, [&](value const& part, std::size_t) { return with_hidden_texts(part, secrets); });
}

/// The object with marks at copies of its sensitive texts: a provider may copy an argument to a computed attribute, which
/// has no mark then.
[[nodiscard]] auto with_hidden_copies(value v) -> value
{
    if (!v.has_deep(language::mark::sensitive)) return v;
    std::set<std::string, std::less<>> secrets;
    add_secrets(v, false, secrets);
    return with_hidden_texts(v, secrets);
}

}  // namespace

auto compare_resources(value const& before, value const& after, resource_schema const* schema,
    std::vector<value_path> const& replace_paths, std::vector<value_path> const* relevant) -> difference
{
    pair const whole{{with_hidden_copies(with_schema_marks(before, schema)), false},
        {with_hidden_copies(with_schema_marks(after, schema)), false}, path_filter(replace_paths, false),
        relevant == nullptr ? path_filter::everything() : path_filter(*relevant, true)};
    return compare_block(whole, attributes(whole, schema), schema == nullptr ? nullptr : schema->content);
}

auto compare_values(value const& before, value const& after) -> difference
{
    return compare_dynamic({{before, false}, {after, false}, {}, path_filter::everything()});
}

auto unchanged_value(value const& v, type const& seen_as) -> difference
{
    return compare({{v, false}, {v, false}, {}, path_filter::everything()}, seen_as);
}

}  // namespace iacctl::views
