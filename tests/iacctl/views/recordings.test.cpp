// SPDX-License-Identifier: BSL-1.0
#include "views/plan_text.hpp"

#include "language/values/value.hpp"
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

namespace views = iacctl::views;
namespace infra = strider::infra;
namespace language = iacctl::language;
using language::type;
using language::value;

[[nodiscard]] auto corpus() -> std::filesystem::path
{
    return std::filesystem::absolute(__FILE__).parent_path() / "../../../../shared/oracle/corpus";
}

[[nodiscard]] auto read(std::filesystem::path const& file) -> value
{
    std::ifstream in(file);
    std::string const text{std::istreambuf_iterator<char>(in), {}};
    return language::from_json(text).value();
}

[[nodiscard]] auto member(value const& v, std::string_view name) -> value
{
    auto const* found = v.find(name);
    return found == nullptr ? value() : *found;
}
[[nodiscard]] auto text_of(value const& given) -> std::string
{
    return given.has_data() ? given.as_string() : std::string();
}
[[nodiscard]] auto is_true(value const& v) -> bool
{
    return v.has_data() && v.is(language::type_kind::boolean) && v.as_bool();
}

// Recordings have names instead of ids, such as `<terraform_data.a["x"]#1>`. The quotes in them would be escaped, so
// this class replaces the names with other texts.
class stand_ins {
public:
    [[nodiscard]] auto hide(std::string const& text) -> std::string
    {
        std::string out;
        for (std::size_t at = 0; at < text.size();) {
            auto const end = text[at] == '<' ? text.find('>', at) : std::string::npos;
            auto const name = end == std::string::npos ? std::string() : text.substr(at, end + 1 - at);
            if (name.find('#') == std::string::npos) {
                out += text[at++];
                continue;
            }
            out += names_.try_emplace(name, "stand-in-" + std::to_string(names_.size()) + "-").first->second;
            at = end + 1;
        }
        return out;
    }
    [[nodiscard]] auto hide(value const& v) -> value
    {
        if (!v.has_data()) return v;
        if (v.is(language::type_kind::string)) return value(hide(v.as_string()));
        if (v.is(language::type_kind::tuple)) {
            std::vector<value> elements;
            for (auto const& e : v.elements()) elements.push_back(hide(e));
            return value::tuple(std::move(elements));
        }
        if (v.is(language::type_kind::object)) {
            std::vector<language::value_entry> entries;
            for (auto const& [key, inner] : v.entries()) entries.push_back({hide(key), hide(inner)});
            return value::object(std::move(entries));
        }
        return v;
    }
    [[nodiscard]] auto show(std::string text) const -> std::string
    {
        for (auto const& [name, token] : names_)
            for (auto at = text.find(token); at != std::string::npos; at = text.find(token, at + name.size()))
                text.replace(at, token.size(), name);
        return text;
    }

private:
    std::map<std::string, std::string> names_;
};

// Puts the unknown parts back into a planned value.
[[nodiscard]] auto with_unknown(value const& after, value const& unknown) -> value
{
    if (is_true(unknown)) return value::unknown();
    if (unknown.is(language::type_kind::object) && (after.is(language::type_kind::object) || after.is_null())) {
        std::vector<language::value_entry> entries(after.entries().begin(), after.entries().end());
        for (auto const& [key, inner] : unknown.entries())
            entries.push_back({key, with_unknown(member(after, key), inner)});
        return after.is_null() && entries.empty() ? after : value::object(std::move(entries));
    }
    if (unknown.is(language::type_kind::tuple) && after.is(language::type_kind::tuple)) {
        std::vector<value> elements;
        for (std::size_t i = 0; i < after.size(); ++i)
            elements.push_back(
                i < unknown.size() ? with_unknown(after.elements()[i], unknown.elements()[i]) : after.elements()[i]);
        return value::tuple(std::move(elements));
    }
    return after;
}

// Attributes in the form of the state, in which values of dynamic attributes have their type.
[[nodiscard]] auto stored(value const& attributes) -> value
{
    std::vector<language::value_entry> entries;
    for (auto const& [key, of] : attributes.entries()) {
        bool const typed = of.size() == 2 && of.find("value") != nullptr && of.find("type") != nullptr;
        entries.push_back({key, typed ? member(of, "value") : of});
    }
    return value::object(std::move(entries));
}

[[nodiscard]] auto action_of(value const& actions) -> infra::action
{
    std::string all;
    for (auto const& one : actions.elements()) all += one.as_string() + " ";
    static std::map<std::string, infra::action> const known = {{"no-op ", infra::action::no_op},
        {"create ", infra::action::create}, {"read ", infra::action::read}, {"update ", infra::action::update},
        {"delete ", infra::action::destroy}, {"delete create ", infra::action::destroy_then_create},
        {"create delete ", infra::action::create_then_destroy}};
    return known.at(all);
}

[[nodiscard]] auto reason_of(std::string_view text) -> infra::action_reason
{
    for (auto i = 0; i <= static_cast<int>(infra::action_reason::read_because_dependency_pending); ++i)
        if (to_string(static_cast<infra::action_reason>(i)) == text) return static_cast<infra::action_reason>(i);
    return infra::action_reason::none;
}

[[nodiscard]] auto schema_of(std::string const& resource_type) -> views::resource_schema const&
{
    static views::resource_schema const data = {
        {{"id", type::string()}, {"input", type()}, {"output", type()}, {"triggers_replace", type()}}, 0};
    static views::resource_schema const remote = {
        {{"backend", type::string()}, {"config", type()}, {"defaults", type()}, {"outputs", type()},
            {"workspace", type::string()}},
        0};
    return resource_type == "terraform_data" ? data : remote;
}

[[nodiscard]] auto view_of(value const& plan, value const& state, bool destroy, stand_ins& ids) -> views::plan_view
{
    views::plan_view out;
    out.mode = destroy ? infra::plan_mode::destroy : infra::plan_mode::normal;
    auto const resources = member(state, "resources");
    std::map<std::string, std::size_t> deposed_seen;
    for (auto const& [key, change] : member(plan, "changes").entries()) {
        auto const name = key.substr(0, key.find(" (deposed)"));
        views::change_view one;
        one.address = infra::parse_address(name.substr(0, name.find(" #"))).value();
        one.action = action_of(member(change, "actions"));
        one.reason = reason_of(text_of(member(change, "reason")));
        one.schema = &schema_of(one.address.type());
        auto from = name;
        if (auto const previous = text_of(member(change, "previous_address")); !previous.empty()) {
            one.previous_address = infra::parse_address(previous).value();
            from = previous;
        }
        auto const slot = member(resources, from);
        auto object = member(slot, "current");
        if (name != key) {
            one.deposed_key = "<key>";
            object = member(slot, "deposed").elements()[deposed_seen[name]++];
        }
        if (object.has_data() && one.action != infra::action::create && one.action != infra::action::read)
            one.before = ids.hide(stored(member(object, "attributes")));
        auto const kept = one.action == infra::action::no_op;
        one.after = kept ? one.before
                         : with_unknown(ids.hide(member(change, "after")), ids.hide(member(change, "after_unknown")));
        auto const replace_paths = member(change, "replace_paths");
        for (auto const& path : replace_paths.elements())
            one.replace_paths.push_back({path.elements().front().as_string()});
        out.changes.push_back(std::move(one));
    }
    for (auto const& [name, change] : member(plan, "outputs").entries()) {
        views::output_change_view one;
        one.name = name;
        one.action = action_of(member(change, "actions"));
        one.sensitive = is_true(member(change, "sensitive"));
        one.before = ids.hide(member(member(member(state, "outputs"), name), "value"));
        one.after = with_unknown(ids.hide(member(change, "after")), ids.hide(member(change, "after_unknown")));
        out.output_changes.push_back(std::move(one));
    }
    return out;
}

// Comments of blocks for which iacctl has a different wording.
constexpr std::pair<std::string_view, std::string_view> own_words[] = {
    {"(left over from a partially-failed replacement of this instance)", "(replaced before, but not destroyed then)"},
    {"(config refers to values not yet known)", "(some of its arguments are not known yet)"},
    {"(config will be reloaded to verify a check block)", "(read again for a check block)"},
    {"(depends on a resource or a module with changes pending)", "(an object that it depends on will change)"},
};

// The text without paragraphs of explanation, whose wording differs between programs. Headlines, blocks and sums
// remain.
[[nodiscard]] auto without_prose(std::string const& text) -> std::string
{
    std::istringstream in(text);
    std::string out;
    for (std::string line; std::getline(in, line);) {
        bool const is_known = line.starts_with(' ') || line.starts_with("Plan: ") || line.starts_with("No changes. ")
            || line.starts_with("Changes to Outputs:");
        if (!is_known) continue;
        for (auto const& [theirs, ours] : own_words)
            if (auto const at = line.find(theirs); at != std::string::npos) line.replace(at, theirs.size(), ours);
        out += line + '\n';
    }
    return out;
}

// The part of the output that the recording keeps.
[[nodiscard]] auto reduced(std::string text) -> std::string
{
    std::istringstream in(text);
    std::string out;
    for (std::string line; std::getline(in, line);) {
        line.erase(line.find_last_not_of(' ') + 1);
        out += line + '\n';
    }
    auto const begin = std::min(out.find_first_not_of('\n'), out.size());
    return out.substr(begin, out.find_last_not_of('\n') + 1 - begin);
}

}  // namespace

TEST(RecordedPlans, HaveTheBlocksThatTerraformWrote)
{
    if (!std::filesystem::is_directory(corpus())) GTEST_SKIP() << "there are no recordings here";

    std::size_t compared = 0;
    std::size_t passed_over = 0;
    std::vector<std::filesystem::path> files;
    for (auto const& entry : std::filesystem::directory_iterator(corpus()))
        if (entry.path().string().ends_with(".oracle.json")) files.push_back(entry.path());
    std::ranges::sort(files);
    for (auto const& file : files) {
        auto const recording = read(file);
        auto scenario_file = file.string();
        scenario_file.replace(scenario_file.rfind(".oracle."), 8, ".scenario.");
        auto const scenario = read(scenario_file);
        value state;
        auto const steps = member(recording, "steps");
        for (std::size_t i = 0; i < steps.size(); ++i) {
            auto const& step = steps.elements()[i];
            auto const plan = member(step, "plan");
            auto expected = text_of(member(plan, "text"));
            // The recording does not contain which values of resources are sensitive.
            auto const secret = expected.find("(sensitive value)") < expected.find("Changes to Outputs:");
            if (member(plan, "changes").has_data() && !secret) {
                bool destroy = false;
                for (auto const& arg : member(member(scenario, "steps").elements()[i], "args").elements())
                    destroy = destroy || arg.as_string() == "-destroy";
                stand_ins ids;
                auto const shown = reduced(ids.show(views::plan_text(view_of(plan, state, destroy, ids))));
                expected = expected.substr(0, expected.find("\n\nWarning:"));
                EXPECT_EQ(without_prose(shown), without_prose(expected)) << file.filename() << " step " << i;
                ++compared;
            } else if (!expected.empty()) {
                ++passed_over;
            }
            if (auto const after = member(step, "state"); after.has_data()) state = after;
        }
    }

    RecordProperty("compared", static_cast<int>(compared));
    RecordProperty("passed_over", static_cast<int>(passed_over));
    EXPECT_GT(compared, 300U) << passed_over << " passed over";
}
