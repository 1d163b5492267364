// SPDX-License-Identifier: BSL-1.0
#include "base/unicode.hpp"
#include "file_content.hpp"
#include "function_table.hpp"
#include "language/evaluation/evaluate.hpp"
#include "language/syntax/parser.hpp"
#include "language/syntax/scanner.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include <sys/stat.h>

namespace iacctl::language::detail {

namespace {

namespace fs = std::filesystem;

/// The scope of a template: the values that were passed to it.
class template_scope final : public scope {
public:
    template_scope(value const& given, call_context context) : given_(given), context_(std::move(context))
    {
        context_.in_template = true;
    }

    [[nodiscard]] auto variable(std::string_view name) const -> value const* override { return given_.find(name); }
    [[nodiscard]] auto resolve(reference const&, diagnostics&) const -> value override { return value::unknown(); }
    [[nodiscard]] auto context() const noexcept -> call_context const& override { return context_; }

private:
    value const& given_;
    call_context context_;
};

[[nodiscard]] auto first_error(diagnostics const& problems) -> std::string
{
    std::string text;
    for (auto const& one : problems) {
        if (one.level != severity::error || !text.empty()) continue;
        text = place_text(one.source) + ": " + one.summary + "; " + one.detail;
        if (text.ends_with('.')) text.pop_back();  // the enclosing sentence has one
    }
    if (problems.error_count() > 1) text += " (and " + std::to_string(problems.error_count() - 1) + " more errors)";
    return text;
}

[[nodiscard]] auto render(expression const& e, value const& given, call_context const& in) -> call_result<value>
{
    if (!given.is(type_kind::map) && !given.is(type_kind::object))
        return call_failure(1, "a map or an object is required");
    if (!given.is_known()) return value::unknown();
    for (auto const& entry : given.entries())
        if (identifier_length(entry.key) != entry.key.size() || entry.key.empty())
            return call_failure(
                1, "a template cannot refer to the key " + to_json(value(entry.key)) + ", which is not a name");
    std::optional<call_failure> missing;
    for_each_traversal(e, [&](syntax::traversal const& t) {
        if (missing || given.find(t.root)) return;
        missing = call_failure(1,
            "it has no " + to_json(value(t.root)) + ", which the template refers to at " + e.at(t.root_range()).text());
    });
    if (missing) return *missing;
    diagnostics found;
    auto made = evaluate(e, template_scope(given, in), found);
    if (found.has_errors()) return call_failure(first_error(found));
    return made;
}

[[nodiscard]] auto refuse_nesting(char const* name, call_context const& in) -> std::optional<call_failure>
{
    if (!in.in_template) return std::nullopt;
    return call_failure("a template cannot render another one with " + std::string(name));
}

[[nodiscard]] auto templatefile(arguments given, call_context const& in) -> call_result<value>
{
    if (auto problem = refuse_nesting("templatefile", in)) return *problem;
    mark const marks = given[0].marks() | given[1].marks();
    if (given[0].is_unknown() || given[1].is_unknown()) return value::unknown().with_marks(deep_marks(given));
    auto read = read_text_file(given[0]);
    if (!read) return read.error();
    diagnostics found;
    auto const parsed = parse_template(given[0].as_string(), std::move(read->bytes), found);
    if (found.has_errors()) return call_failure(first_error(found));
    auto made = render(parsed.root, given[1].unmarked(), in);
    if (!made) return made.error();
    return made->with_marks(marks);
}

[[nodiscard]] auto templatestring(arguments given, call_context const& in) -> call_result<value>
{
    if (auto problem = refuse_nesting("templatestring", in)) return *problem;
    mark const marks = given[0].marks() | given[1].marks();
    if (given[0].is_unknown() || given[1].is_unknown()) return value::unknown().with_marks(deep_marks(given));
    if (given[0].is_null() || !given[0].is(type_kind::string)) return call_failure(0, "a string is required");
    diagnostics found;
    auto const parsed = parse_template("<templatestring argument>", given[0].as_string(), found);
    if (found.has_errors()) return call_failure(0, first_error(found));
    auto made = render(parsed.root, given[1].unmarked(), in);
    if (!made) return made.error();
    return made->with_marks(marks);
}

// fileset

/// Expands braces in a pattern: `{a,b}` gives one pattern with each. False if braces are not balanced.
[[nodiscard]] auto without_braces(std::string const& pattern, std::vector<std::string>& out) -> bool
{
    static constexpr std::size_t most = 1000;
    std::size_t open = std::string::npos;
    for (std::size_t i = 0, depth = 0; i < pattern.size(); ++i) {
        if (pattern[i] == '\\') {
            ++i;
        } else if (pattern[i] == '{' && depth++ == 0) {
            open = i;
        } else if (pattern[i] == '}') {
            if (depth == 0) return false;
            if (--depth > 0) continue;
            std::size_t start = open + 1;
            for (std::size_t j = start, inner = 0; j <= i; ++j) {
                if (pattern[j] == '{') ++inner;
                if (pattern[j] == '}' && j < i) --inner;
                if (j < i && (pattern[j] != ',' || inner > 0)) continue;
                auto const one = pattern.substr(0, open) + pattern.substr(start, j - start) + pattern.substr(i + 1);
                if (out.size() > most || !without_braces(one, out)) return false;
                start = j + 1;
            }
            return true;
        }
        if (i + 1 == pattern.size() && depth > 0) return false;
    }
    out.push_back(pattern);
    return true;
}

/// Returns whether a name matches a pattern of `*`, `?`, `[a-z]` and `[^a-z]`; nothing if the pattern is malformed.
[[nodiscard]] auto fits(std::u32string_view pattern, std::u32string_view name) -> std::optional<bool>
{
    while (!pattern.empty()) {
        char32_t const c = pattern.front();
        if (c == U'*') {
            while (pattern.starts_with(U'*')) pattern.remove_prefix(1);
            for (std::size_t skip = 0; skip <= name.size(); ++skip) {
                auto const rest = fits(pattern, name.substr(skip));
                if (!rest || *rest) return rest;
            }
            return false;
        }
        bool matches = !name.empty();
        std::size_t length = 1;
        if (c == U'[') {
            bool const inverted = pattern.size() > 1 && pattern[1] == U'^';
            std::size_t at = inverted ? 2 : 1;
            // Nothing at the end of the class, and for a hyphen that is not between two characters.
            auto const character = [&]() -> std::optional<char32_t> {
                if (at >= pattern.size() || pattern[at] == U'-' || pattern[at] == U']') return std::nullopt;
                if (pattern[at] == U'\\' && ++at == pattern.size()) return std::nullopt;
                return pattern[at++];
            };
            bool inside = false;
            if (!inverted && pattern.substr(at).starts_with(U']')) return std::nullopt;
            while (at < pattern.size() && pattern[at] != U']') {
                auto const low = character();
                bool const is_range = low && at < pattern.size() && pattern[at] == U'-';
                at += is_range ? 1 : 0;
                auto const high = is_range ? character() : low;
                if (!high) return std::nullopt;
                inside = inside || (!name.empty() && *low <= name.front() && name.front() <= *high);
            }
            if (at >= pattern.size()) return std::nullopt;
            matches = matches && inside != inverted;
            length = at + 1;
        } else if (c != U'?') {
            if (c == U'\\') {
                if (pattern.size() < 2) return std::nullopt;
                length = 2;
            }
            matches = matches && name.front() == pattern[length - 1];
        }
        if (!matches) return false;
        pattern.remove_prefix(length);
        name.remove_prefix(1);
    }
    return name.empty();
}

class file_finder {
public:
    static constexpr std::size_t deepest = 100;

    /// False if a pattern is malformed.
    [[nodiscard]] auto find(
        fs::path const& in, std::string const& shown, std::span<std::string const> parts, std::size_t depth) -> bool
    {
        if (depth > deepest) return true;
        std::error_code problem;
        if (parts.empty()) {
            if (fs::is_regular_file(in, problem)) found_.insert(shown);
            return true;
        }
        auto const& part = parts.front();
        bool const any_depth = part == "**";
        bool const any_file = any_depth && parts.size() == 1;
        if (any_depth && !any_file && !find(in, shown, parts.subspan(1), depth)) return false;
        if (!any_depth && part.find_first_of("*?[\\") == std::string::npos)
            return !fs::exists(in / part, problem) || find(in / part, below(shown, part), parts.subspan(1), depth + 1);
        fs::directory_iterator entries(in, problem);
        if (problem) return any_depth || fits(code_points(part), U"").has_value();
        for (fs::directory_iterator const end; entries != end; entries.increment(problem)) {
            if (problem) return true;
            auto const name = entries->path().filename().string();
            if (any_depth) {
                bool const go = entries->is_directory(problem);
                if (go && !descend(entries->path(), below(shown, name), parts, depth + 1)) return false;
                if (!go && any_file && !find(entries->path(), below(shown, name), {}, depth + 1)) return false;
                continue;
            }
            auto const match = fits(code_points(part), code_points(name));
            if (!match) return false;
            if (*match && !find(entries->path(), below(shown, name), parts.subspan(1), depth + 1)) return false;
        }
        return true;
    }

    [[nodiscard]] auto found() const noexcept -> std::set<std::string> const& { return found_; }

private:
    /// Looks below a directory, unless a link leads back to a directory that contains it.
    [[nodiscard]] auto descend(
        fs::path const& in, std::string const& shown, std::span<std::string const> parts, std::size_t depth) -> bool
    {
        struct ::stat about{};
        if (::stat(in.c_str(), &about) != 0) return true;
        std::pair const identity(about.st_dev, about.st_ino);
        if (std::ranges::find(entered_, identity) != entered_.end()) return true;
        entered_.push_back(identity);
        bool const well_formed = find(in, shown, parts, depth);
        entered_.pop_back();
        return well_formed;
    }
    [[nodiscard]] static auto below(std::string const& shown, std::string const& name) -> std::string
    {
        return shown.empty() ? name : shown + "/" + name;
    }
    std::set<std::string> found_;
    std::vector<std::pair<::dev_t, ::ino_t>> entered_;  // directories from the first one to the current one
};

[[nodiscard]] auto fileset(arguments given) -> call_result<value>
{
    mark const marks = given[0].marks() | given[1].marks();
    if (auto problem = refuse_file_name(given[0])) return *problem;
    // As in Terraform, ".." removes the name before it, also if no directory has that name.
    auto const folder = (fs::path(given[0].as_string()) / "./").lexically_normal();
    auto const& pattern = given[1].as_string();
    auto const malformed = [&] {
        auto const joined = (folder / pattern).lexically_normal().string();
        auto const shown = marks == mark::none ? to_json(value(joined)) : "(sensitive value)";
        return call_failure("the pattern " + shown + " is not well-formed");
    };
    std::vector<std::string> plain;
    if (!without_braces(pattern, plain)) return malformed();
    file_finder finder;
    for (auto const& one : plain) {
        std::vector<std::string> parts;
        for (auto const& part : fs::path("./" + one).lexically_normal())
            if (!part.empty() && part != ".") parts.push_back(part.string());
        if (!finder.find(folder, "", parts, 0)) return malformed();
    }
    std::vector<value> made;
    for (auto const& name : finder.found()) {
        auto text = system_text(name, "the file name");
        if (!text) return text.error();
        made.push_back(*std::move(text));
    }
    return value::set(type::string(), std::move(made)).with_marks(marks);
}

}  // namespace

void add_template_functions(function_table& table)
{
    parameter const path{"path", type::string(), false, false, true};
    table.add_in("templatefile",
        {{"path", type::string(), false, true, true}, {"vars", type::dynamic(), false, true, true}}, type::dynamic(),
        templatefile);
    table.add_in("templatestring",
        {{"template", type::dynamic(), true, true, true}, {"vars", type::dynamic(), false, true, true}},
        type::dynamic(), templatestring);
    table.add("fileset", {path, {"pattern", type::string(), false, false, true}}, type::set(type::string()), fileset);
}

}  // namespace iacctl::language::detail
