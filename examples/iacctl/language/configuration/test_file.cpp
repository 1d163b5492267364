// SPDX-License-Identifier: BSL-1.0
#include "test_file.hpp"

#include "block_decoder.hpp"
#include "block_shapes.hpp"
#include "file_names.hpp"
#include "language/syntax/json_syntax.hpp"
#include "language/syntax/parser.hpp"
#include "language/syntax/scanner.hpp"
#include "messages/configuration.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace iacctl::language {

namespace {

namespace fs = std::filesystem;

/// Returns whether it is a hidden file or a temporary file of an editor.
[[nodiscard]] auto is_passed_over(std::string_view name) -> bool
{
    return name.starts_with('.') || name.ends_with('~') || (name.starts_with('#') && name.ends_with('#'));
}

[[nodiscard]] auto name_of(test_override::kind_type type) -> std::string_view
{
    static constexpr std::array<std::string_view, 3> names{"override_resource", "override_data", "override_module"};
    return names[static_cast<std::size_t>(type)];
}

/// The kind of the address that a traversal is.
[[nodiscard]] auto kind_of_target(syntax::traversal const& t) -> std::optional<test_override::kind_type>
{
    std::vector<std::string_view> words{t.root};
    for (auto const& step : t.steps)
        if (!step.key) words.push_back(step.name);
    std::size_t at = 0;
    while (at + 1 < words.size() && words[at] == "module") at += 2;
    if (at == words.size()) return at == 0 ? std::nullopt : std::optional(test_override::kind_type::module);
    bool const data = words[at] == "data";
    if (at + (data ? 3U : 2U) != words.size()) return std::nullopt;
    return data ? test_override::kind_type::data : test_override::kind_type::resource;
}

class test_decoder final : private detail::block_decoder {
public:
    /// \param scratch  holds the trees
    test_decoder(configuration& scratch, fs::path const& directory, file_source const& files, diagnostics& found)
        : block_decoder(scratch, found),
          directory_(directory),
          files_(files)
    {}

    void decode_file(body const& b, test_file& made)
    {
        namespace shapes = detail::shapes;
        check_body(b, shapes::test_file, found_);
        block const* settings = nullptr;
        bool parallel = false;
        for (auto const& one : b.blocks) {
            if (one.type != "test") continue;
            if (settings) refuse_second(one, *settings);
            else parallel = decode_settings(one);
            settings = settings ? settings : &one;
        }
        block const* variables = nullptr;
        for (auto const& one : b.blocks) {
            if (one.type == "variables") {
                if (variables) refuse_second(one, *variables);
                else made.variables = decode_variables(one);
                variables = &one;
            } else if (one.type == "variable" && one.labels.size() == 1) decode_variable(one);
            else if (one.type == "provider" && one.labels.size() == 1) add_provider(made, configured_provider(one));
            else if (one.type == "mock_provider" && one.labels.size() == 1) add_provider(made, mocked_provider(one));
            else if (one.type.starts_with("override_")) decode_override(one, made.overrides, false);
            else if (one.type == "run" && one.labels.size() == 1) made.runs.push_back(decode_run(one, parallel));
        }
        made.definitions = std::move(into_.variables);
        for (auto const& [name, one] : made.definitions)
            if (auto const set = made.variables.find(name); set != made.variables.end())
                found_.add(error(messages::duplicate_variable, {name, set->second.range().text()}, one.range));
        std::map<std::string_view, source_range> names;
        for (auto const& run : made.runs) {
            auto const [first, fresh] = names.emplace(run.name, run.range);
            if (!fresh) found_.add(error(messages::duplicate_test_run, {run.name, first->second.text()}, run.range));
        }
    }

private:
    void refuse_second(block const& again, block const& first)
    {
        found_.add(error(messages::second_test_block, {again.type, first.header_range().text()}, again.header_range()));
    }

    void refuse_experiment(source_range place, std::string_view name)
    {
        found_.add(error(messages::experimental_test_feature, {name}, place));
    }

    [[nodiscard]] auto decode_settings(block const& b) -> bool
    {
        check_body(b.content, detail::shapes::test_settings, found_);
        if (auto const* const one = b.content.find("skip_cleanup")) refuse_experiment(one->name_range(), one->name);
        auto const* const parallel = b.content.find("parallel");
        return parallel && constant_bool(*parallel, found_).value_or(false);
    }

    [[nodiscard]] auto decode_variables(block const& b) -> std::map<std::string, expression, std::less<>>
    {
        for (auto const& one : b.content.blocks)
            found_.add(error(messages::unexpected_block, {one.type}, one.type_range));
        std::map<std::string, expression, std::less<>> made;
        for (auto const& one : b.content.attributes) made.emplace(one.name, one.of);
        return made;
    }

    /// An expression that may be an object, as far as its syntax shows.
    [[nodiscard]] auto object_of(attribute const& a) -> expression
    {
        using enum syntax::node_kind;
        auto const kind = a.of.node().kind;
        if (kind == literal || kind == text || kind == tuple)
            found_.add(error(messages::test_values_not_object, a.of.range()));
        return a.of;
    }

    [[nodiscard]] auto decode_time(body const& b, bool otherwise) -> bool
    {
        auto const* const one = b.find("override_during");
        if (!one) return otherwise;
        auto const word = keyword_of(*one, found_);
        if (word != "plan" && word != "apply")
            found_.add(error(messages::unknown_test_keyword, {"override_during", "plan or apply"}, one->of.range()));
        return word == "plan";
    }

    void decode_override(block const& b, std::vector<test_override>& into, bool in_plan)
    {
        test_override made;
        made.kind = b.type == "override_module" ? test_override::kind_type::module
            : b.type == "override_data"         ? test_override::kind_type::data
                                                : test_override::kind_type::resource;
        bool const module = made.kind == test_override::kind_type::module;
        check_body(b.content, module ? detail::shapes::test_outputs : detail::shapes::test_values, found_);
        made.range = b.header_range();
        made.in_plan = decode_time(b.content, in_plan);
        if (auto const* const one = b.content.find(module ? "outputs" : "values")) made.values = object_of(*one);
        auto const* const target = b.content.find("target");
        if (!target) return;
        made.target = decode_address(*target);
        if (!made.target) return;
        if (kind_of_target(*as_traversal(made.target)) != made.kind) {
            found_.add(error(messages::invalid_override_target, {b.type}, made.target.range()));
            return;
        }
        auto const text = [](expression const& address) {
            auto const& path = *as_traversal(address);
            return traversal_text(path, path.steps.size());
        };
        auto const same =
            std::ranges::find_if(into, [&](auto const& other) { return text(other.target) == text(made.target); });
        if (same != into.end()) {
            found_.add(error(
                messages::duplicate_override, {name_of(made.kind), text(made.target), same->range.text()}, made.range));
            return;
        }
        into.push_back(std::move(made));
    }

    void add_provider(test_file& to, std::optional<test_provider> made)
    {
        if (!made) return;
        auto key = made->key();
        auto const range = made->range;
        auto const [first, fresh] = to.providers.emplace(std::move(key), std::move(*made));
        if (!fresh)
            found_.add(error(messages::duplicate_test_provider, {first->first, first->second.range.text()}, range));
    }

    [[nodiscard]] auto configured_provider(block const& b) -> std::optional<test_provider>
    {
        into_.providers.clear();
        decode_provider(b);
        if (into_.providers.empty()) return std::nullopt;
        auto& made = into_.providers.begin()->second;
        test_provider provider{made.name, made.alias, {}, {}, {}, made.range};
        provider.configured = std::move(made);
        return provider;
    }

    [[nodiscard]] auto mocked_provider(block const& b) -> std::optional<test_provider>
    {
        check_body(b.content, detail::shapes::test_mock_provider, found_);
        if (!check_provider_name(b.labels[0].text, b.labels[0].range)) return std::nullopt;
        test_provider made{b.labels[0].text, {}, {}, {}, {}, b.header_range()};
        if (auto const* const alias = b.content.find("alias")) {
            made.alias = constant_string(*alias, found_).value_or("");
            if (!is_identifier(made.alias))
                found_.add(error(messages::invalid_name, {"provider configuration alias", made.alias}));
        }
        bool const in_plan = decode_time(b.content, false);
        decode_mocks(b.content, made, in_plan);
        if (auto const* const source = b.content.find("source"))
            if (auto const from = constant_string(*source, found_)) read_mocks(*from, *source, made, in_plan);
        return made;
    }

    void decode_mocks(body const& b, test_provider& made, bool in_plan)
    {
        for (auto const& one : b.blocks) {
            if (one.type.starts_with("override_")) decode_override(one, made.overrides, in_plan);
            if (!one.type.starts_with("mock_") || one.labels.size() != 1) continue;
            check_body(one.content, detail::shapes::test_mock, found_);
            test_mock mock{one.type == "mock_data" ? resource_mode::data : resource_mode::managed, one.labels[0].text,
                {}, decode_time(one.content, in_plan), one.header_range()};
            if (auto const* const values = one.content.find("defaults")) mock.defaults = object_of(*values);
            auto const same = std::ranges::find_if(
                made.mocks, [&](auto const& other) { return other.mode == mock.mode && other.type == mock.type; });
            if (same == made.mocks.end()) made.mocks.push_back(std::move(mock));
            else
                found_.add(error(
                    messages::duplicate_test_mock, {one.type, mock.type, same->range.text()}, one.header_range()));
        }
    }

    /// Adds the mocks from the files of a directory for types without a mock in the block itself.
    void read_mocks(std::string const& from, attribute const& place, test_provider& made, bool in_plan)
    {
        auto const at = (directory_ / from).lexically_normal();
        auto listed = files_.list(at);
        if (!listed) {
            found_.add(error(messages::unreadable_mocks, {at.string(), listed.error().message()}, place.of.range()));
            return;
        }
        auto names = *std::move(listed);
        std::erase_if(names, [](std::string const& name) {
            bool const is_mock = name.ends_with(".tfmock.hcl") || name.ends_with(".tfmock.json");
            return !is_mock || is_passed_over(name);
        });
        std::ranges::sort(names);
        test_provider read;
        for (auto const& name : names) {
            auto const tree = parse(at / name, detail::shapes::test_mocks);
            if (!tree) continue;
            check_body(tree->root(), detail::shapes::test_mocks, found_);
            decode_mocks(tree->root(), read, in_plan);
        }
        auto const own_mocks = made.mocks.size();
        for (auto& mock : read.mocks) {
            auto const own = made.mocks.begin() + static_cast<std::ptrdiff_t>(own_mocks);
            if (std::none_of(made.mocks.begin(), own,
                    [&](auto const& other) { return other.mode == mock.mode && other.type == mock.type; }))
                made.mocks.push_back(std::move(mock));
        }
        // The first override of an object takes precedence.
        made.overrides.insert(made.overrides.end(), read.overrides.begin(), read.overrides.end());
    }

public:
    [[nodiscard]] auto parse(fs::path const& path, body_shape const& shape) -> std::shared_ptr<syntax_tree>
    {
        auto const shown = path.lexically_normal().string();
        auto text = files_.read(path);
        if (!text) {
            found_.add(error(messages::unreadable_configuration_file, {shown, text.error().message()}));
            return nullptr;
        }
        auto tree = shown.ends_with(".json") ? parse_json_file(shown, std::move(*text), shape, found_)
                                             : parse_file(shown, std::move(*text), found_);
        into_.files.push_back(tree);
        return tree;
    }

private:
    [[nodiscard]] auto addresses(attribute const& a) -> std::vector<expression>
    {
        std::vector<expression> made;
        for (auto const& written : static_list(a.of, found_)) {
            auto const one = unquoted_reference(written, into_.files, found_);
            auto const* const path = as_traversal(one);
            auto const kind = path ? kind_of_target(*path) : std::nullopt;
            if (kind) made.push_back(one);
            else found_.add(error(messages::static_reference_required, one.range()));
        }
        return made;
    }

    void decode_plan_options(block const& b, test_run& made)
    {
        auto const& content = b.content;
        check_body(content, detail::shapes::test_plan_options, found_);
        if (auto const* const one = content.find("mode")) {
            auto const word = keyword_of(*one, found_);
            // The word is not an identifier of the language, but a subtraction.
            auto const text = one->of.file()->text(one->of.range().bytes);
            made.refresh_only = word == "refresh-only" || text == "refresh-only";
            if (!made.refresh_only && word != "normal")
                found_.add(error(messages::unknown_test_keyword, {"mode", "normal or refresh-only"}, one->of.range()));
        }
        if (auto const* const one = content.find("refresh")) made.refresh = constant_bool(*one, found_).value_or(true);
        if (auto const* const one = content.find("replace")) made.replace = addresses(*one);
        if (auto const* const one = content.find("target")) made.target = addresses(*one);
        if (!made.refresh && made.refresh_only)
            found_.add(error(messages::contradictory_test_options, {"refresh = false"}, b.header_range()));
        if (made.refresh_only && !made.replace.empty())
            found_.add(error(messages::contradictory_test_options, {"replace"}, b.header_range()));
    }

    void decode_module_of_run(block const& b, test_run& made)
    {
        check_body(b.content, detail::shapes::test_module, found_);
        module_call call;
        call.name = made.name;
        call.range = b.header_range();
        if (auto const* const one = b.content.find("version"))
            if (auto const text = decode_constraint(*one); text && check_constraint(*text, one->of.range()))
                call.version = *text;
        if (auto const* const one = b.content.find("source")) {
            call.source = constant_string(*one, found_).value_or("");
            call.source_range_ = one->of.range();
            std::string why;
            auto const source = module_source::parse(call.source, why);
            if (!source || source->kind == module_source::kind_type::remote) {
                found_.add(error(messages::module_source_not_for_tests, {call.source}, call.source_range_));
                return;
            }
            if (source->kind == module_source::kind_type::local && !call.version.empty())
                found_.add(error(messages::version_of_local_module, {call.source}, call.source_range_));
        }
        made.module = std::move(call);
    }

    [[nodiscard]] auto decode_run(block const& b, bool parallel) -> test_run
    {
        auto const& content = b.content;
        check_body(content, detail::shapes::test_run, found_);
        test_run made;
        made.name = b.labels[0].text;
        made.range = b.header_range();
        made.parallel = parallel;
        static_cast<void>(check_name(b.labels[0], "run block name"));
        std::map<std::string_view, block const*> single;
        for (auto const& one : content.blocks) {
            if (one.type == "variables" || one.type == "plan_options" || one.type == "module") {
                auto const [first, fresh] = single.emplace(one.type, &one);
                if (!fresh) {
                    refuse_second(one, *first->second);
                    continue;
                }
            }
            if (one.type == "variables") made.variables = decode_variables(one);
            else if (one.type == "plan_options") decode_plan_options(one, made);
            else if (one.type == "module") decode_module_of_run(one, made);
            else if (one.type == "assert") made.assertions.push_back(decode_rule(one, "assert"));
            else if (one.type == "backend") refuse_experiment(one.header_range(), one.type);
            else if (one.type.starts_with("override_")) decode_override(one, made.overrides, false);
        }
        if (auto const* const one = content.find("skip_cleanup")) refuse_experiment(one->name_range(), one->name);
        if (auto const* const one = content.find("command")) {
            auto const word = keyword_of(*one, found_);
            if (word == "plan") made.command = test_run::command_type::plan;
            else if (word != "apply")
                found_.add(error(messages::unknown_test_keyword, {"command", "apply or plan"}, one->of.range()));
        }
        if (auto const* const one = content.find("providers")) {
            module_call passed;
            decode_passed_providers(*one, passed);
            made.providers = std::move(passed.providers);
        }
        if (auto const* const one = content.find("expect_failures")) made.expect_failures = decode_depends_on(*one);
        if (made.module) made.state_key = made.module->source;
        if (auto const* const one = content.find("state_key"))
            made.state_key = constant_string(*one, found_).value_or("");
        if (auto const* const one = content.find("parallel"))
            made.parallel = constant_bool(*one, found_).value_or(false);
        return made;
    }

    fs::path directory_;
    file_source const& files_;
};

/// Calls `use` for each reference to a run.
template <class Use>
void for_each_run_reference(test_run const& in, Use const& use)
{
    auto const search = [&](expression const& e) {
        if (!e) return;
        diagnostics ignored;
        for (auto const& r : references_of(e, ignored))
            if (r.kind == reference_kind::resource && r.type == "run") use(r);
    };
    for (auto const& [name, one] : in.variables) search(one);
    for (auto const& rule : in.assertions) {
        search(rule.condition);
        search(rule.error_message);
    }
}

}  // namespace

void check_run_references(test_file const& file, diagnostics& found)
{
    std::set<std::string_view> before;
    for (test_run const& run : file.runs) {
        for_each_run_reference(run, [&](reference const& r) {
            if (!before.contains(r.name)) found.add(error(messages::unknown_test_run, {r.name}, r.range));
        });
        before.insert(run.name);
    }
}

auto load_test_files(fs::path const& directory, fs::path const& tests, diagnostics& found, file_source const& files)
    -> std::vector<test_file>
{
    std::set<fs::path> names;
    for (auto const& below : {fs::path(), tests.lexically_normal()})
        if (auto there = files.list(directory / below))
            for (std::string const& name : test_files(*std::move(there)))
                names.insert((below / name).lexically_normal());
    std::vector<test_file> all;
    auto const base = directory == "." ? fs::path() : directory;
    for (auto const& name : names) {
        configuration scratch;
        test_decoder decoder(scratch, base, files, found);
        test_file made;
        made.name = name.generic_string();
        auto const before = found.error_count();
        auto const tree = decoder.parse(base / name, detail::shapes::test_file);
        if (tree && found.error_count() == before) decoder.decode_file(tree->root(), made);
        made.trees = std::move(scratch.files);
        all.push_back(std::move(made));
    }
    return all;
}

}  // namespace iacctl::language
