// SPDX-License-Identifier: BSL-1.0
#include "analysis.hpp"

#include "base/characters.hpp"
#include "base/suggestion.hpp"
#include "base/unicode.hpp"
#include "language/configuration/provider_requirements.hpp"
#include "language/configuration/test_file.hpp"
#include "language/syntax/parser.hpp"
#include "messages/configuration.hpp"
#include "messages/with_text.hpp"
#include "workspace/available_providers.hpp"
#include "workspace/workspace.hpp"
#include "workspace/workspace_selection.hpp"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

namespace iacctl::lsp {

namespace {

namespace fs = std::filesystem;

auto absolute(std::string const& root, fs::path const& name) -> std::string
{
    return (fs::path(root) / name).lexically_normal().string();
}

// The files of the file system, replaced by the texts of open documents.
class open_files final : public language::file_source {
public:
    open_files(std::string root, std::map<std::string, std::shared_ptr<std::string const>> texts)
        : root_(std::move(root)),
          texts_(std::move(texts))
    {}

    [[nodiscard]] auto list(fs::path const& directory) const -> boost::system::result<std::vector<std::string>> override
    {
        auto names = file_source::list(directory);
        auto const prefix = absolute(root_, directory / "");
        for (auto one = texts_.lower_bound(prefix); one != texts_.end() && one->first.starts_with(prefix); ++one) {
            auto name = one->first.substr(prefix.size());
            if (name.find('/') != std::string::npos) continue;
            if (!names) names = std::vector<std::string>();
            if (std::ranges::find(*names, name) == names->end()) names->push_back(std::move(name));
        }
        return names;
    }
    [[nodiscard]] auto read(fs::path const& file, input_kind accepted) const
        -> boost::system::result<std::string> override
    {
        auto const open = texts_.find(absolute(root_, file));
        if (open != texts_.end()) return *open->second;
        return file_source::read(file, accepted);
    }

private:
    std::string root_;
    std::map<std::string, std::shared_ptr<std::string const>> texts_;
};

// Converts places of the language into those of the protocol.
class place_finder {
public:
    place_finder(std::string const& root, position_encoding encoding) : root_(root), encoding_(encoding) {}

    void add(language::syntax_tree const& tree) { files_.try_emplace(tree.file().name(), &tree.file()); }

    [[nodiscard]] auto path_of(std::string const& file) const -> std::string { return absolute(root_, file); }
    // Nothing if the file is not part of the configuration.
    [[nodiscard]] auto range_in_file(infra::source_excerpt const& excerpt) const -> language::source_range
    {
        auto const found = files_.find(excerpt.file);
        if (found == files_.end()) return {};
        return {found->second, {excerpt.byte, excerpt.end.byte}};
    }
    [[nodiscard]] auto range_of(language::source_range const& sr) -> range
    {
        return lines_of(*sr.file).range_of(sr.bytes, encoding_);
    }
    // The place in a text of a diagnostic, "main.tf:3,1-20".
    [[nodiscard]] auto named_in(std::string_view text) -> std::optional<language::source_range>
    {
        for (auto const& [name, file] : files_) {
            auto const found = text.find(name + ':');
            if (found == std::string_view::npos || (found > 0 && !is_separator(text[found - 1]))) continue;
            auto rest = text.substr(found + name.size() + 1);
            auto const line = number(rest, ',');
            auto const column = number(rest, '-');
            auto end_column = number(rest, '\0');
            if (!line || !column || !end_column || *line > file->last_line() || *line == 0) continue;
            auto const whole = file->line_range(*line);
            if (rest.starts_with(',')) end_column = whole.end - whole.begin + 1;  // it ends on another line
            return language::source_range{
                file, {offset_in(*file, whole, *column), offset_in(*file, whole, *end_column)}};
        }
        return std::nullopt;
    }
    [[nodiscard]] auto files() const noexcept -> auto const& { return files_; }

private:
    [[nodiscard]] static auto is_separator(char c) noexcept -> bool
    {
        return !is_alphanumeric(c) && c != '/' && c != '.';
    }

    // Removes digits and the character after them; '\0': any character.
    [[nodiscard]] static auto number(std::string_view& text, char after) -> std::optional<std::size_t>
    {
        std::size_t value = 0;
        std::size_t digits = 0;
        for (; digits < text.size() && digits < 9 && is_digit(text[digits]); ++digits)
            value = value * 10 + static_cast<std::size_t>(text[digits] - '0');
        if (digits == 0) return std::nullopt;
        text.remove_prefix(digits);
        if (after == '\0') return value;
        if (!text.starts_with(after)) return std::nullopt;
        text.remove_prefix(1);
        return value;
    }
    [[nodiscard]] static auto offset_in(
        language::source_file const& file, language::byte_range line, std::size_t column) -> std::uint32_t
    {
        auto const text = first_graphemes(file.text(line), column == 0 ? 0 : column - 1);
        return line.begin + static_cast<std::uint32_t>(text.size());
    }
    [[nodiscard]] auto lines_of(language::source_file const& file) -> text_lines const&
    {
        return lines_.try_emplace(&file, file.text()).first->second;
    }

    std::string const& root_;
    position_encoding encoding_;
    std::map<std::string, language::source_file const*> files_;
    std::map<language::source_file const*, text_lines> lines_;
};

// The place in a file that is not part of the configuration, such as the lock file. Its text is not known, so characters
// are those of ASCII.
auto line_of(infra::source_excerpt const& source) -> range
{
    position const start{source.line - 1, source.column == 0 ? 0 : source.column - 1};
    bool const ends = source.end.line > 0 && source.end.column > 0;
    return {start, ends ? position{source.end.line - 1, source.end.column - 1} : position{source.line, 0}};
}

auto problem_of(infra::diagnostic const& d, place_finder& places, std::string const& first_file) -> problem
{
    problem made;
    made.level = d.level;
    made.code = d.code;
    made.text = d.summary;
    if (!d.detail.empty()) made.text += (made.text.empty() ? "" : "\n") + d.detail;
    for (auto const& note : d.source.notes) made.text += "\n" + note;
    made.path = d.source ? places.path_of(d.source.file) : first_file;
    auto const subject = places.range_in_file(d.source);
    if (subject) made.at = places.range_of(subject);
    else if (d.source && d.source.line > 0) made.at = line_of(d.source);
    auto const named = places.named_in(d.detail);
    if (named && !d.source) {
        made.path = places.path_of(named->file->name());
        made.at = places.range_of(*named);
    } else if (named && *named != subject)
        made.related.push_back(
            {places.path_of(named->file->name()), places.range_of(*named), "The place that the message names."});
    return made;
}

// Reports values in files for variables that the root module does not declare, and values of wrong types.
void check_values(language::configuration const& root, workspace::settings const& settings,
    std::vector<std::string> const& more, infra::diagnostics& found, language::variable_values& values)
{
    language::variable_inputs inputs;
    inputs.directory = settings.directory;
    inputs.files = &settings.configuration_files();
    for (auto const& name : more) inputs.options.push_back({language::variable_option::option_kind::file, name});
    infra::diagnostics all;
    values = language::collect_variables(root, inputs, all);
    std::set<std::string> files;
    std::vector<std::string_view> declared;
    for (auto const& [name, _] : root.variables) declared.push_back(name);
    for (auto const& tree : values.files) {
        files.insert(tree->file().name());
        for (auto const& one : tree->root().attributes)
            if (!root.variables.contains(std::string(one.name)))
                found.add(language::warning(messages::undeclared_variable_in_file,
                    {one.name, tree->file().name(), did_you_mean(one.name, declared)}, one.name_range()));
    }
    for (auto const& one : all)
        if (files.contains(one.source.file)) found.add(one);
}

// The directories of modules by the names of the calls on the path to them.
using module_directories = std::map<std::vector<std::string>, std::string>;

auto directories_of(std::string const& root, language::configuration const& c) -> module_directories
{
    module_directories made;
    language::for_each_module(c, [&](language::configuration const& module) {
        auto directory = absolute(root, module.directory / ".");
        if (directory.size() > 1 && directory.ends_with('/')) directory.pop_back();
        made.emplace(module.path, std::move(directory));
    });
    return made;
}

void add_instances(infra::snapshot const& state, module_directories const& directories, root_data& known)
{
    for (auto const& [address, record] : state.resources) {
        if (!record.current) continue;
        std::vector<std::string> path;
        for (auto const& step : address.module()) {
            auto const above = directories.find(path);
            path.push_back(step.name);
            if (above != directories.end() && !directories.contains(path))
                known.lost_modules[above->second].insert("module." + step.name);
        }
        auto const directory = directories.find(path);
        if (directory == directories.end()) continue;
        auto const in_module = infra::address({}, address.mode(), address.type(), address.name(), {});
        known.instances[directory->second][to_string(in_module)].push_back(address);
    }
}

// The state of the files that an installation of providers changes.
auto installed_in(workspace::settings const& s) -> std::string
{
    auto text = language::disk().read(s.directory / ".terraform.lock.hcl");
    std::error_code problem;
    auto const changed = fs::last_write_time(s.directory / s.data_directory / "providers", problem);
    return (text ? *text : std::string()) + (problem ? "" : std::to_string(changed.time_since_epoch().count()));
}

}  // namespace

analyser::analyser(workspace::settings base, std::function<void()> ready)
    : base_(std::move(base)),
      ready_(std::move(ready)),
      thread_([this] { work(); })
{}

analyser::~analyser()
{
    {
        std::scoped_lock const lock(guard_);
        ending_ = true;
    }
    changed_.notify_one();
    thread_.join();
    for (auto const& [directory, one] : roots_) one.catalog->close();
}

void analyser::post(analysis_request request)
{
    {
        std::scoped_lock const lock(guard_);
        auto const same = std::ranges::find(waiting_, request.root, &analysis_request::root);
        if (same == waiting_.end()) {
            waiting_.push_back(std::move(request));
        } else {
            request.reload = request.reload || same->reload;
            *same = std::move(request);
        }
    }
    changed_.notify_one();
}

auto analyser::take() -> std::vector<analysis_result>
{
    std::scoped_lock const lock(guard_);
    return std::exchange(done_, {});
}

void analyser::deliver(analysis_result result)
{
    {
        std::scoped_lock const lock(guard_);
        done_.push_back(std::move(result));
    }
    ready_();
}

void analyser::work()
{
    for (;;) {
        std::unique_lock lock(guard_);
        changed_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
        if (ending_) return;
        auto const next = std::move(waiting_.front());
        waiting_.erase(waiting_.begin());
        lock.unlock();
        analysis_result made;
        try {
            auto found = analyse(next);
            if (!found) continue;
            made = *std::move(found);
        } catch (std::exception const& failure) {
            problem one;
            one.path = absolute(next.root, "main.tf");
            one.text = failure.what();
            made.problems.push_back(std::move(one));
        }
        made.root = next.root;
        made.number = next.number;
        deliver(std::move(made));
    }
}

auto analyser::superseded(analysis_request const& request) -> bool
{
    std::scoped_lock const lock(guard_);
    auto const newer = std::ranges::find(waiting_, request.root, &analysis_request::root);
    if (newer == waiting_.end()) return ending_;
    newer->reload = newer->reload || request.reload;
    return true;
}

auto analyser::analyse(analysis_request const& request) -> std::optional<analysis_result>
{
    analysis_result made;
    std::error_code problem;
    fs::current_path(request.root, problem);
    if (problem) return made;  // a directory that does not exist has no problems
    auto settings = base_;
    settings.directory = ".";
    settings.files = std::make_shared<open_files>(request.root, request.texts);
    settings.reads_queries = true;
    if (auto const selected = workspace::workspace_selection(settings.directory, settings.data_directory).current())
        settings.workspace = *selected;
    auto& providers = roots_[request.root];
    bool const fresh = providers.catalog == nullptr;
    if (request.reload || fresh) {
        auto installed = installed_in(settings);
        if (fresh || installed != providers.installed) {
            if (!fresh) providers.catalog->close();
            providers.problems = {};
            providers.installed = std::move(installed);
            providers.catalog = workspace::available_providers(
                settings.directory, settings.data_directory, settings.environment, providers.problems);
        }
    }
    settings.providers = providers.catalog;
    settings.provider_problems = providers.problems;
    workspace::workspace const workspace(settings);

    place_finder places(request.root, request.encoding);
    // An error in the lock file names its place.
    std::string const lock_name = ".terraform.lock.hcl";
    auto const lock_text = settings.configuration_files().read(settings.directory / lock_name);
    infra::diagnostics reported_by_catalog;
    auto const lock = language::parse_file(lock_name, lock_text ? *lock_text : std::string(), reported_by_catalog);
    places.add(*lock);
    module_directories directories;
    std::string first_file = absolute(request.root, "main.tf");
    infra::diagnostics of_values;
    language::variable_values values;
    std::vector<std::string> requested_parts;
    {
        // The next call moves from this configuration.
        auto const& root = workspace.root().configuration();
        directories = directories_of(request.root, root);
        if (!root.files.empty()) first_file = places.path_of(root.files.front()->file().name());
        language::for_each_module(root, [&](language::configuration const& module) {
            for (auto const& tree : module.files) places.add(*tree);
        });
        for (auto const& [address, place] : language::providers_asked_for(root)) requested_parts.push_back(address);
        std::vector<std::string> more;
        for (auto const& [path, text] : request.texts) {
            auto const name = fs::path(path).filename().string();
            bool const automatic = name == "terraform.tfvars" || name == "terraform.tfvars.json"
                || name.ends_with(".auto.tfvars") || name.ends_with(".auto.tfvars.json");
            bool const here = fs::path(path).parent_path() == request.root;
            if (here && !automatic && (name.ends_with(".tfvars") || name.ends_with(".tfvars.json")))
                more.push_back(name);
        }
        check_values(root, settings, more, of_values, values);
        for (auto const& tree : values.files) places.add(*tree);
        for (auto const& one : of_values) made.problems.push_back(problem_of(one, places, first_file));
    }
    if (superseded(request)) return std::nullopt;
    // Also if the configuration has syntax errors, for completion.
    static_cast<void>(settings.providers->load(requested_parts));
    if (superseded(request)) return std::nullopt;
    using how = workspace::known_schemas::validation;
    auto checked = workspace.validate(request.reload || fresh ? how::by_provider : how::by_schema);
    checked.found.add(std::move(checked.of_graph));
    auto const tests =
        language::load_test_files(settings.directory, "tests", checked.found, settings.configuration_files());
    for (auto const& test : tests) {
        language::check_run_references(test, checked.found);
        for (auto const& tree : test.trees) places.add(*tree);
    }
    language::sort_by_place(checked.found);
    for (auto const& one : messages::with_text(std::move(checked.found)))
        made.problems.push_back(problem_of(one, places, first_file));

    if (request.reload || fresh) {
        auto known = std::make_shared<root_data>();
        known->catalog = providers.catalog;
        known->workspace = workspace.name();
        for (auto const& [address, one] : *providers.catalog)
            if (one->is_built_in()) known->loaded.insert(address);
        for (auto const& address : requested_parts)
            if (auto* const one = providers.catalog->find(address); one != nullptr && one->schema())
                known->loaded.insert(std::string(one->address()));
        if (auto state = workspace.read_state()) {
            known->state = std::move(*state);
            add_instances(known->state, directories, *known);
        }
        made.known = std::move(known);
    }
    return made;
}

}  // namespace iacctl::lsp
