// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_SUPPORT_TOY_TEXT_HPP
#define STRIDER_TESTS_SUPPORT_TOY_TEXT_HPP

#include <strider/infra/sim/toy_program.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <istream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Toy programs as text, with one declaration on each line:
///
///     a size=1 kind=x                 resource toy.a
///     b from=$a.id other=$c[0].size   refers to attributes; of all instances, joined, where there is no key
///     local.x =$a.size                a value; also output.o, and module.m
///     check.c @before=$a.size:1       an assertion
///     m/a from=$m/b.id                module.m.toy.a
///     data.d id=$a.id                 data.toy.d: the attributes of an object
///     ephemeral.e size=1              ephemeral.toy.e
///     provider.q host=$a.id           the configuration of a provider
///     action.n size=$caller.size      action.toy.n, which resources of its module trigger
///     moved a b                       a statement that toy.a is toy.b now; also of module.m
///     removed a                       toy.a leaves state and is not destroyed
///     without q                       no provider has the name q
///
/// and words for the lifecycle: @cbd @cbd=false @prevent_destroy @keep @depends_on=a,m/b,module.m @count=2
/// @each=x,y @ignore=size @trigger=a.size @trigger+=a @provider=q @before=$a.size:1 @after=size:1 @sensitive, @import=id
/// (of one of many: @import[0]=id), and provisioners:
/// @create=command @destroy=command, @create?=command if it goes on after a failure. `$each` is the own key.
///
/// Triggers of actions: @on=EVENTS:ACTIONS as in @on=after_create,after_update:action.n[0],action.k[$each], @on=EVENTS:ACTIONS:TERM:TEXT
/// with a condition, and @on_taint and @on_warn for the effect of a failure. `$caller.size` is an attribute of the object whose
/// change invokes the action.
namespace strider::test {

namespace detail {

namespace is = strider::infra::sim;

[[nodiscard]] inline auto toy_name(std::string_view shorthand) -> std::string
{
    std::string name;
    for (std::size_t slash = shorthand.find('/'); slash != std::string_view::npos; slash = shorthand.find('/')) {
        name += "module." + std::string(shorthand.substr(0, slash)) + ".";
        shorthand.remove_prefix(slash + 1);
    }
    for (std::string_view const mode : {"data.", "ephemeral.", "action."})
        if (shorthand.starts_with(mode)) {
            name += mode;
            shorthand.remove_prefix(mode.size());
        }
    bool const spelled_out = shorthand.starts_with("local.") || shorthand.starts_with("output.")
        || shorthand.starts_with("module.") || shorthand.starts_with("check.") || shorthand.starts_with("provider.");
    return name + (spelled_out ? "" : "toy.") + std::string(shorthand);
}

}  // namespace detail

/// The address of "a", "a[0]", "m[0]/a", "data.d" or "module.m".
[[nodiscard]] inline auto toy_address(std::string_view shorthand) -> infra::address
{
    std::string const name = detail::toy_name(shorthand);
    std::string_view const last = shorthand.substr(shorthand.rfind('/') + 1);
    if (!last.starts_with("module.")) return infra::parse_address(name).value();
    auto const inside = infra::parse_address(name + ".toy.a").value();
    return {inside.module(), infra::resource_mode::managed, {}, {}, {}};
}

namespace detail {

[[nodiscard]] inline auto toy_key(std::string_view text) -> infra::instance_key
{
    std::int64_t index = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
    if (error == std::errc() && end == text.data() + text.size()) return infra::instance_key(index);
    return infra::instance_key(std::string(text));
}

/// "a", "a[0]", "a[0].size", "local.x"
struct toy_mention {
    std::string name;
    infra::instance_key key;
    std::string attribute;

    explicit toy_mention(std::string_view text)
    {
        std::size_t const slash = text.rfind('/');
        std::size_t const own = slash == std::string_view::npos ? 0 : slash + 1;
        std::string_view const last = text.substr(own);
        bool const spelled_out = last.starts_with("local.") || last.starts_with("output.")
            || last.starts_with("module.") || last.starts_with("provider.");
        std::size_t const mode = last.starts_with("data.") ? 5
            : last.starts_with("action.")                  ? 7
            : last.starts_with("ephemeral.")               ? 10
                                                           : 0;
        std::size_t const end = text.find_first_of(spelled_out ? "[" : "[.", own + mode);
        name = toy_name(text.substr(0, end));
        if (end == std::string_view::npos) return;
        std::string_view rest = text.substr(end);
        if (rest.front() == '[') {
            key = toy_key(rest.substr(1, rest.find(']') - 1));
            rest.remove_prefix(rest.find(']') + 1);
        }
        if (!rest.empty()) attribute = std::string(rest.substr(1));
    }
};

[[nodiscard]] inline auto toy_term(std::string_view text) -> is::toy_term
{
    if (text == "$each") return is::toy_term::own_key();
    if (!text.starts_with('$')) return is::toy_term(std::string(text));
    if (text.starts_with("$caller.")) return is::toy_term::of_caller(std::string(text.substr(8)));
    toy_mention m(text.substr(1));
    return is::toy_term::of(m.name, m.attribute.empty() ? "value" : m.attribute, m.key);
}

[[nodiscard]] inline auto split(std::string_view text, char at) -> std::vector<std::string>
{
    std::vector<std::string> words;
    std::istringstream in{std::string(text)};
    for (std::string word; std::getline(in, word, at);) words.push_back(word);
    return words;
}

[[nodiscard]] inline auto toy_event_of(std::string_view word) -> infra::trigger_event
{
    using enum infra::trigger_event;
    for (auto const& [name, event] : {std::pair<std::string_view, infra::trigger_event>{"before_create", before_create},
             {"after_create", after_create}, {"before_update", before_update}, {"after_update", after_update},
             {"before_destroy", before_destroy}, {"after_destroy", after_destroy}})
        if (word == name) return event;
    throw std::invalid_argument("no event: " + std::string(word));
}

/// "after_create:action.n[0],action.k[$each]:$caller.size:1"
[[nodiscard]] inline auto toy_trigger(std::string const& text, infra::failure_effect effect) -> is::toy_action_trigger
{
    auto const parts = split(text, ':');
    if (parts.size() != 2 && parts.size() != 4) throw std::invalid_argument("no trigger: " + text);
    is::toy_action_trigger made;
    made.on_failure = effect;
    for (std::string const& event : split(parts[0], ',')) made.events.push_back(toy_event_of(event));
    for (std::string const& word : split(parts[1], ',')) {
        toy_mention m(word);
        bool const own = m.key == infra::instance_key("$each");
        made.actions.push_back({m.name, own ? infra::instance_key() : m.key, own});
    }
    if (parts.size() == 4) made.condition.emplace(toy_term(parts[2]), parts[3]);
    return made;
}

inline void read_toy_word(is::toy_declaration& d, std::string const& word)
{
    std::size_t const mark = std::min(word.find('='), word.size());
    std::string const key = word.substr(0, mark);
    std::string const value = mark == word.size() ? "" : word.substr(mark + 1);
    if (!key.starts_with('@')) {
        d.attributes.emplace(key.empty() ? "value" : key, toy_term(value));
        return;
    }
    if (key == "@cbd") d.lifecycle.create_before_destroy = value != "false";
    else if (key == "@prevent_destroy") d.lifecycle.prevent_destroy = true;
    else if (key == "@keep") d.lifecycle.destroy = false;
    else if (key == "@provider") d.provider = value;
    else if (key == "@sensitive") d.sensitive = true;
    else if (key == "@count") d.count = toy_term(value);
    else if (key == "@each") d.for_each = toy_term(value);
    else if (key == "@ignore") d.ignored = split(value, ',');
    else if (key == "@depends_on") {
        for (std::string const& name : split(value, ',')) {
            toy_mention m(name);
            d.depends_on.push_back({m.name, m.key, d.place, true});
        }
    } else if (key == "@trigger" || key == "@trigger+") {
        toy_mention m(value);
        d.triggers.push_back({{m.name, m.key, d.place, false}, m.attribute, key == "@trigger+"});
    } else if (key == "@on" || key == "@on_taint" || key == "@on_warn") {
        using enum infra::failure_effect;
        d.action_triggers.push_back(toy_trigger(value, key == "@on" ? halt : key == "@on_taint" ? taint : warn));
    } else if (key == "@before" || key == "@after") {
        std::size_t const colon = value.find(':');
        auto const when = key == "@before" ? infra::condition_time::before : infra::condition_time::after;
        d.conditions.push_back({when, toy_term(value.substr(0, colon)), value.substr(colon + 1)});
    } else if (key.starts_with("@import")) {
        auto const bracket = key.find('[');
        auto const own = bracket == std::string::npos
            ? infra::instance_key()
            : toy_key(std::string_view(key).substr(bracket + 1, key.size() - bracket - 2));
        d.imports.emplace_back(own, toy_term(value));
    } else if (key.starts_with("@create") || key.starts_with("@destroy")) {
        infra::provisioner step;
        step.type = "run";
        step.index = d.steps.size();
        step.when = key.starts_with("@create") ? infra::provision_time::create : infra::provision_time::destroy;
        step.continue_on_failure = key.ends_with('?');
        d.steps.emplace_back(step, toy_term(value));
    } else throw std::invalid_argument("no such word in the toy: " + word);
}

/// \return true if the line is a statement about state, which was added to the program
[[nodiscard]] inline auto read_toy_statement(is::toy_program& program, std::string const& verb, std::istream& words)
    -> bool
{
    if (verb != "moved" && verb != "removed" && verb != "without") return false;
    std::string first;
    std::string second;
    words >> first;
    if (verb == "without") program.remove_provider(first);
    else if (verb == "removed") program.forget(toy_address(first));
    else if (words >> second) {
        infra::move_statement moved;
        moved.from = toy_address(first);
        moved.to = toy_address(second);
        program.add(std::move(moved));
    }
    return true;
}

}  // namespace detail

[[nodiscard]] inline auto toy(std::string_view text) -> infra::sim::toy_program
{
    infra::sim::toy_program program;
    std::istringstream lines{std::string(text)};
    std::uint32_t place = 0;
    for (std::string line; std::getline(lines, line);) {
        ++place;
        std::istringstream words(line);
        std::string shorthand;
        if (!(words >> shorthand) || detail::read_toy_statement(program, shorthand, words)) continue;
        infra::sim::toy_declaration d;
        d.place = place;
        d.name = detail::toy_name(shorthand);
        auto const path = detail::split(shorthand, '/');
        std::vector<infra::module_step> module;
        for (std::size_t i = 0; i + 1 < path.size(); ++i) module.push_back({path[i], {}});
        d.module = infra::to_string(module);
        std::string const& own = path.back();
        if (own.starts_with("check.")) d.kind = infra::declaration_kind::check;
        else if (own.starts_with("local.")) d.kind = infra::declaration_kind::value;
        else if (own.starts_with("module.")) d.kind = infra::declaration_kind::module;
        else if (own.starts_with("provider.")) d.kind = infra::declaration_kind::provider;
        else if (own.starts_with("output."))
            d.kind = module.empty() ? infra::declaration_kind::output : infra::declaration_kind::value;
        else {
            d.target = toy_address(shorthand);
            if (d.target.mode() == infra::resource_mode::ephemeral) d.kind = infra::declaration_kind::ephemeral;
            if (d.target.mode() == infra::resource_mode::action) d.kind = infra::declaration_kind::action;
        }
        for (std::string word; words >> word;) detail::read_toy_word(d, word);
        program.add(std::move(d));
    }
    return program;
}

}  // namespace strider::test

#endif  // STRIDER_TESTS_SUPPORT_TOY_TEXT_HPP
