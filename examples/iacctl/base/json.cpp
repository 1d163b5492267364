// SPDX-License-Identifier: BSL-1.0
#include "json.hpp"

#include "json_reader.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <system_error>

namespace iacctl {

namespace {

/// Builds the value of a text; the members of objects are sorted.
class builder final : public json_events {
public:
    [[nodiscard]] auto take() -> json { return std::move(done_); }

private:
    struct level {
        bool is_object = false;
        std::string name;
        json::array elements;
        json::object members;
    };

    auto null() -> std::string_view override { return put(json()); }
    auto boolean(bool flag) -> std::string_view override { return put(json(flag)); }
    auto number(std::string_view text) -> std::string_view override
    {
        return put(json(json::number{std::string(text)}));
    }
    auto string(std::string_view text) -> std::string_view override { return put(json(std::string(text))); }
    auto open(bool object) -> std::string_view override
    {
        open_.push_back({object, {}, {}, {}});
        return {};
    }
    auto name(std::string_view text) -> std::string_view override
    {
        open_.back().name = text;
        return {};
    }
    auto close() -> std::string_view override
    {
        level top = std::move(open_.back());
        open_.pop_back();
        if (!top.is_object) return put(json(std::move(top.elements)));
        json made(std::move(top.members));
        auto const same = [](json::member const& a, json::member const& b) { return a.name == b.name; };
        auto const& sorted = *made.members();
        if (std::adjacent_find(sorted.begin(), sorted.end(), same) != sorted.end())
            return "a name occurs twice in one object";
        return put(std::move(made));
    }
    auto put(json made) -> std::string_view
    {
        if (open_.empty()) done_ = std::move(made);
        else if (open_.back().is_object)
            open_.back().members.push_back({std::move(open_.back().name), std::move(made)});
        else open_.back().elements.push_back(std::move(made));
        return {};
    }

    std::vector<level> open_;
    json done_;
};

/// The member with a name, or the one before which it belongs.
template <class Members>
auto place_of(Members& all, std::string_view name)
{
    return std::ranges::lower_bound(all, name, {}, [](json::member const& m) -> std::string_view { return m.name; });
}

/// The value with a name; null if there is none, or no object.
template <class Members>
auto value_in(Members* all, std::string_view name) -> decltype(&all->front().value)
{
    if (all == nullptr) return nullptr;
    auto const at = place_of(*all, name);
    return at == all->end() || at->name != name ? nullptr : &at->value;
}

/// The integer that a text is; nothing if it is none, or out of range.
template <class N>
auto number_in(std::string const& text) -> std::optional<N>
{
    N value = 0;
    char const* const end = text.data() + text.size();
    auto const read = std::from_chars(text.data(), end, value);
    if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
    return value;
}

template <class T>
auto expected(T* found, char const* why) -> T&
{
    if (found == nullptr) throw json_error(why);
    return *found;
}

template <class T>
auto present(T* found, std::string_view name) -> T&
{
    if (found == nullptr) throw json_error("\"" + std::string(name) + "\" is missing");
    return *found;
}

template <class Elements>
auto element_of(Elements& all, std::size_t position) -> decltype(all[position])
{
    if (position >= all.size()) throw json_error("a list is too short");
    return all[position];
}

}  // namespace

json::json() noexcept = default;
json::json(number value) : value_(std::move(value)) {}
json::json(std::string value) : value_(std::move(value)) {}
json::json(array value) : value_(std::move(value)) {}
json::json(json const&) = default;
json::json(json&&) noexcept = default;
auto json::operator=(json const&) -> json& = default;
auto json::operator=(json&&) noexcept -> json& = default;
json::~json() = default;

json::json(object value) : value_(std::move(value))
{
    auto& members = std::get<object>(value_);
    auto const before = [](member const& a, member const& b) { return a.name < b.name; };
    if (!std::is_sorted(members.begin(), members.end(), before)) std::sort(members.begin(), members.end(), before);
}

auto json::find(std::string_view name) const noexcept -> json const*
{
    return value_in(members(), name);
}

auto json::text_of(std::string_view name) const -> std::string
{
    auto const* const found = find(name);
    return found == nullptr || found->text() == nullptr ? std::string() : *found->text();
}

auto json::integer() const noexcept -> std::optional<std::int64_t>
{
    number const* const n = numeric();
    return n == nullptr ? std::nullopt : number_in<std::int64_t>(n->text);
}

auto json::natural() const noexcept -> std::optional<std::uint64_t>
{
    number const* const n = numeric();
    return n == nullptr ? std::nullopt : number_in<std::uint64_t>(n->text);
}

auto json::at(std::string_view name) const -> json const&
{
    return present(find(name), name);
}

auto json::at(std::string_view name) -> json&
{
    return present(value_in(std::get_if<object>(&value_), name), name);
}

auto json::at(std::size_t position) const -> json const&
{
    return element_of(as_elements(), position);
}

auto json::at(std::size_t position) -> json&
{
    return element_of(as_elements(), position);
}

auto json::as_flag() const -> bool
{
    return expected(boolean(), "true or false is expected");
}

auto json::as_text() const -> std::string const&
{
    return expected(text(), "a text is expected");
}

auto json::as_elements() const -> array const&
{
    return expected(elements(), "a list is expected");
}

auto json::as_elements() -> array&
{
    return expected(std::get_if<array>(&value_), "a list is expected");
}

auto json::as_members() const -> object const&
{
    return expected(members(), "an object is expected");
}

auto json::as_texts() const -> std::vector<std::string>
{
    std::vector<std::string> all;
    for (json const& element : as_elements()) all.push_back(element.as_text());
    return all;
}

auto json::as_integer() const -> std::int64_t
{
    auto const found = integer();
    return expected(found ? &*found : nullptr, "a number is out of range");
}

void json::set(std::string_view name, json value)
{
    auto& all = expected(std::get_if<object>(&value_), "an object is expected");
    auto const at = place_of(all, name);
    if (at != all.end() && at->name == name) at->value = std::move(value);
    else all.insert(at, {std::string(name), std::move(value)});
}

auto json::operator==(json const& other) const -> bool
{
    return value_ == other.value_;
}

auto parse_json(std::string_view text, std::size_t levels) -> strider::result<json, json_error>
{
    builder events;
    auto const problem = read_json(text, events, levels);
    if (!problem) return events.take();
    auto const line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(problem->at), '\n');
    return json_error("line " + std::to_string(line) + ": " + problem->why);
}

void append_compact(std::string& out, json const& value)
{
    if (value.is_null()) {
        out += "null";
    } else if (auto const* b = value.boolean()) {
        out += *b ? "true" : "false";
    } else if (auto const* n = value.numeric()) {
        out += n->text;
    } else if (auto const* s = value.text()) {
        append_json_string(out, *s);
    } else if (auto const* a = value.elements()) {
        char before = '[';
        if (a->empty()) out += '[';
        for (json const& element : *a) {
            out += before;
            before = ',';
            append_compact(out, element);
        }
        out += ']';
    } else {
        auto const& members = *value.members();
        char before = '{';
        if (members.empty()) out += '{';
        for (json::member const& m : members) {
            out += before;
            before = ',';
            append_json_string(out, m.name);
            out += ':';
            append_compact(out, m.value);
        }
        out += '}';
    }
}

auto compact_text(json const& value) -> std::string
{
    std::string text;
    append_compact(text, value);
    return text;
}

}  // namespace iacctl
