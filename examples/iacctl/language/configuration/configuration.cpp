// SPDX-License-Identifier: BSL-1.0
#include "configuration.hpp"

#include "base/environment.hpp"
#include "block_decoder.hpp"
#include "block_shapes.hpp"
#include "file_names.hpp"
#include "language/evaluation/repetition.hpp"
#include "language/syntax/json_syntax.hpp"
#include "language/syntax/parser.hpp"
#include "messages/configuration.hpp"
#include "overrides.hpp"
#include "static_scope.hpp"
#include "version_constraint.hpp"

#include <boost/system/errc.hpp>
#include <boost/system/result.hpp>

#include <algorithm>
#include <optional>
#include <system_error>

namespace iacctl::language {

namespace {

namespace fs = std::filesystem;

class texts final : public file_source {
public:
    explicit texts(std::map<std::string, std::string> const& files) : files_(files) {}

    [[nodiscard]] auto list(fs::path const& directory) const -> boost::system::result<std::vector<std::string>> override
    {
        std::vector<std::string> names;
        for (auto const& [name, text] : files_)
            if (fs::path(name).parent_path() == directory) names.push_back(fs::path(name).filename().string());
        if (names.empty() && !directory.empty()) return make_error_code(boost::system::errc::no_such_file_or_directory);
        return names;
    }
    [[nodiscard]] auto read(fs::path const& path, input_kind) const -> boost::system::result<std::string> override
    {
        auto const found = files_.find(path.string());
        if (found == files_.end()) return make_error_code(boost::system::errc::no_such_file_or_directory);
        return found->second;
    }

private:
    std::map<std::string, std::string> const& files_;
};

class loader {
public:
    /// \param modules  null: called modules are not loaded
    loader(file_source const& files, module_finder* modules, diagnostics& found, load_options const& early = {})
        : files_(files),
          modules_(modules),
          found_(found),
          early_(early)
    {}

    [[nodiscard]] configuration load(fs::path const& directory, std::vector<std::string> path,
        fs::path const& package = {}, std::string version = {}, module_call const* from = nullptr,
        static_scope const* caller = nullptr)
    {
        configuration made;
        made.directory = directory.empty() ? "." : directory;
        made.path = std::move(path);
        made.package = package;
        made.version = std::move(version);
        if (made.path.empty()) root_ = directory;
        auto const before = found_.error_count();
        auto names = files_.list(directory);
        if (!names) {
            found_.add(error(messages::unreadable_directory, {made.directory.string(), names.error().message()}));
            made.complete = made.all_declared = false;
            made.index = std::make_unique<resource_index>();
            return made;
        }
        std::vector<std::shared_ptr<syntax_tree>> overrides;
        auto queries = made.path.empty() && early_.with_queries ? *names : std::vector<std::string>();
        parse_files(directory, std::move(*names), made, overrides, nullptr);
        parse_queries(directory, std::move(queries), made);
        made.dialect = choose_dialect(made.files);
        detail::merge_overrides(made.files, overrides, found_);
        auto const ordinary = made.files;
        made.files.insert(made.files.end(), overrides.begin(), overrides.end());
        for (auto const& tree : ordinary) {
            detail::block_decoder decoder(made, found_);
            if (is_query_file(tree->file().name())) decoder.decode_query(tree->root());
            else decoder.decode(tree->root());
        }
        made.all_declared = found_.error_count() == before;
        made.index = indexed(made);
        std::optional<static_scope> known;
        if (from != nullptr) known.emplace(made, *from, *caller);
        else
            known.emplace(
                made, [this, &made]() -> auto const& { return variables_of(made); }, early_.workspace, "modules");
        for (auto& [name, block] : made.providers)
            if (block.for_each)
                if (auto entries = evaluate_for_each(block.for_each, *known, found_))
                    block.instances = std::move(*entries);
        for (auto& [name, call] : made.modules) {
            if (modules_ == nullptr) break;
            if (call.computed_source || call.computed_version) compute_source(call, *known);
            load_child(made, call, *known);
            if (call.child) made.complete = made.complete && call.child->complete;
        }
        return made;
    }

    [[nodiscard]] auto load_state_place(fs::path const& directory) -> configuration
    {
        configuration made;
        made.directory = directory.empty() ? "." : directory;
        made.index = std::make_unique<resource_index>();
        auto names = files_.list(directory);
        if (!names) return made;
        std::vector<std::shared_ptr<syntax_tree>> overrides;
        parse_files(directory, std::move(*names), made, overrides, may_say_place);
        diagnostics of_others;
        detail::merge_overrides(made.files, overrides, of_others);
        auto const ordinary = made.files;
        made.files.insert(made.files.end(), overrides.begin(), overrides.end());
        for (auto const& tree : ordinary) detail::block_decoder(made, found_).decode_state_places(tree->root());
        return made;
    }

private:
    static constexpr std::size_t deepest = 50;

    // Returns whether the text may have a `backend`, `cloud` or `encryption` block. JSON may escape letters.
    [[nodiscard]] static auto may_say_place(std::string_view text, bool native) -> bool
    {
        auto const has = [&](std::string_view word) { return text.find(word) != std::string_view::npos; };
        return has("backend") || has("cloud") || has("encryption") || (!native && has("\\u"));
    }

    // Parses the files of a module for which `wanted` returns true, in the order of their names.
    void parse_files(fs::path const& directory, std::vector<std::string> names, configuration& into,
        std::vector<std::shared_ptr<syntax_tree>>& overrides, bool (*desired)(std::string_view text, bool native))
    {
        auto const before = found_.error_count();
        for (auto const& name : configuration_files(std::move(names))) {
            auto const kind = configuration_file_name::parse(name);
            auto tree = parse(directory / name, !kind->json, desired);
            if (!tree) continue;
            (kind->is_override() ? overrides : into.files).push_back(std::move(tree));
        }
        into.complete = found_.error_count() == before;
    }

    // Parses those of the files in a directory that contain queries.
    void parse_queries(fs::path const& directory, std::vector<std::string> names, configuration& into)
    {
        std::erase_if(names, [](std::string const& name) { return !is_query_file(name); });
        std::ranges::sort(names);
        auto const before = found_.error_count();
        for (auto const& name : names) {
            bool const native = name.ends_with(".hcl");
            auto tree = parse(directory / name, native, nullptr, detail::shapes::query_file);
            if (tree) into.files.push_back(std::move(tree));
        }
        into.complete = into.complete && found_.error_count() == before;
    }

    [[nodiscard]] auto parse(fs::path const& path, bool native, bool (*desired)(std::string_view text, bool native),
        body_shape const& json = detail::shapes::file) -> std::shared_ptr<syntax_tree>
    {
        auto const shown = path.lexically_normal().string();
        auto text = files_.read(path);
        if (!text) {
            found_.add(error(messages::unreadable_configuration_file, {shown, text.error().message()}));
            return nullptr;
        }
        if (desired != nullptr && !desired(*text, native)) return nullptr;
        if (native) return parse_file(shown, std::move(*text), found_);
        return parse_json_file(shown, std::move(*text), json, found_);
    }

    // A resource of the module takes precedence over data of a check with the same address.
    [[nodiscard]] static auto indexed(configuration const& c) -> std::unique_ptr<resource_index const>
    {
        auto made = std::make_unique<resource_index>();
        made->reserve(c.resources.size());
        for (auto const& [address, one] : c.resources) made->add(one);
        for (auto const& [name, one] : c.checks)
            if (one.data) made->add(*one.data);
        return made;
    }

    [[nodiscard]] auto variables_of(configuration const& root) -> static_scope::variable_map const&
    {
        if (!variables_) variables_ = early_.variables ? early_.variables(root) : static_scope::variable_map();
        return *variables_;
    }

    void compute_source(module_call& call, static_scope const& known)
    {
        if (call.computed_source) {
            auto const before = found_.error_count();
            call.source = static_string(call.computed_source, "source", known, found_).value_or("");
            if (call.source.empty() && found_.error_count() == before)
                found_.add(error(messages::empty_module_source, call.source_range_));
        }
        if (!call.computed_version) return;
        call.version = static_string(call.computed_version, "version", known, found_).value_or("");
        if (!call.version.empty() && !satisfies("0.0.0", call.version)) {
            found_.add(error(messages::invalid_version_constraint, {call.version}, call.computed_version.range()));
            call.version.clear();
        } else if (!call.version.empty() && call.source.starts_with('.'))
            found_.add(error(messages::version_of_local_module, {call.source}, call.source_range_));
    }

    void load_child(configuration const& caller, module_call& call, static_scope const& known)
    {
        if (call.source.empty()) return;
        std::string why;
        auto const source = module_source::parse(call.source, why);
        if (!source) {
            if (why.empty()) found_.add(error(messages::ambiguous_module_source, {call.source}, call.source_range_));
            else found_.add(error(messages::invalid_module_source, {call.source, why}, call.source_range_));
            return;
        }
        auto path = caller.path;
        path.push_back(call.name);
        if (path.size() > deepest) {
            found_.add(error(messages::modules_too_deep, {call.name, std::to_string(deepest)}, call.range));
            return;
        }
        if (source->kind == module_source::kind_type::local) return load_local(caller, call, std::move(path), known);
        if (source->kind == module_source::kind_type::remote && !call.version.empty()) {
            found_.add(error(messages::version_of_remote_module, {call.source}, call.source_range_));
            return;
        }
        auto const at = modules_->find(path, call, *source, found_);
        if (!at) return;
        auto const directory = (root_ / at->directory).lexically_normal();
        auto package = directory;
        // The package is as many directories above as its subdirectory has parts.
        if (!source->subdirectory.empty())
            for ([[maybe_unused]] auto const& name : fs::path(source->subdirectory)) package = package.parent_path();
        load_into(call, directory, std::move(path), package, at->version, known);
    }

    void load_local(
        configuration const& caller, module_call& call, std::vector<std::string> path, static_scope const& known)
    {
        auto const base = caller.directory == "." ? fs::path() : caller.directory;
        auto directory = (base / call.source).lexically_normal();
        if (!directory.has_filename()) directory = directory.parent_path();
        if (directory == ".") directory.clear();
        if (!caller.package.empty()) {
            auto const inside = directory.lexically_relative(caller.package);
            if (inside.empty() || *inside.begin() == "..") {
                found_.add(error(messages::module_path_leaves_package,
                    {call.name, call.source, caller.package.generic_string()}, call.source_range_));
                return;
            }
        }
        load_into(call, directory, std::move(path), caller.package, {}, known);
    }

    void load_into(module_call& call, fs::path const& directory, std::vector<std::string> path, fs::path const& package,
        std::string version, static_scope const& known)
    {
        if (auto const names = files_.list(directory); !names) {
            found_.add(error(messages::unreadable_module_directory,
                {call.name, directory.empty() ? "." : directory.string(), names.error().message()},
                call.source_range_));
            return;
        }
        call.child = std::make_shared<configuration>(
            load(directory, std::move(path), package, std::move(version), &call, &known));
        call.child->source = call.source;
    }

    file_source const& files_;
    module_finder* modules_;
    diagnostics& found_;
    load_options early_;
    std::optional<static_scope::variable_map> variables_;  // of the root module, computed on demand
    fs::path root_;
};

}  // namespace

auto configuration::find_resource(reference const& r) const -> resource const*
{
    switch (r.kind) {
    case reference_kind::resource: return index->find(resource_mode::managed, r.type, r.name);
    case reference_kind::data: return index->find(resource_mode::data, r.type, r.name);
    case reference_kind::ephemeral: return index->find(resource_mode::ephemeral, r.type, r.name);
    case reference_kind::action: return index->find(resource_mode::action, r.type, r.name);
    case reference_kind::list: return index->find(resource_mode::list, r.type, r.name);
    default: return nullptr;
    }
}

auto configuration::check_of(resource const& data) const -> check_block const*
{
    for (auto const& [name, one] : checks)
        if (one.data && &*one.data == &data) return &one;
    return nullptr;
}

auto configuration::display_name() const -> std::string
{
    if (path.empty()) return "the root module";
    std::string name;
    for (auto const& step : path) name += (name.empty() ? "module." : ".module.") + step;
    return name;
}

namespace {

[[nodiscard]] auto load_with_manifest(file_source const& files, fs::path const& directory, fs::path const& manifest,
    diagnostics& found, load_options const& early) -> configuration
{
    module_manifest installed;
    if (auto const text = files.read(manifest))
        if (auto read = module_manifest::parse(*text)) installed = std::move(*read);
    manifest_finder modules(installed);
    auto made = loader(files, &modules, found, early).load(directory, {});
    made.installed = std::move(installed);
    return made;
}

}  // namespace

auto load_configuration(
    fs::path const& directory, diagnostics& found, load_options const& early, file_source const& files) -> configuration
{
    auto data = environment_variable("TF_DATA_DIR");
    if (data.empty()) data = ".terraform";
    auto const root = directory == "." ? fs::path() : directory;
    return load_with_manifest(files, root, root / data / module_manifest::place, found, early);
}

auto load_configuration(
    fs::path const& directory, module_finder& modules, diagnostics& found, load_options const& early) -> configuration
{
    return loader(disk(), &modules, found, early).load(directory == "." ? fs::path() : directory, {});
}

auto load_module(fs::path const& directory, diagnostics& found) -> configuration
{
    return loader(disk(), nullptr, found).load(directory == "." ? fs::path() : directory, {});
}

auto load_state_place(fs::path const& directory, diagnostics& found, file_source const& files) -> configuration
{
    return loader(files, nullptr, found).load_state_place(directory == "." ? fs::path() : directory);
}

auto load_configuration(std::map<std::string, std::string> const& files, diagnostics& found, fs::path const& directory,
    load_options const& early) -> configuration
{
    texts const source(files);
    return load_with_manifest(source, directory == "." ? fs::path() : directory, manifest_name, found, early);
}

void for_each_module(configuration const& c, std::function<void(configuration const&)> const& visit)
{
    visit(c);
    for (auto const& [name, call] : c.modules)
        if (call.child) for_each_module(*call.child, visit);
}

auto connection_of(provisioner const& p, std::optional<body> const& of_resource) -> std::optional<body>
{
    if (!p.connection) return of_resource;
    body made = *p.connection;
    if (!of_resource) return made;
    for (attribute const& one : of_resource->attributes)
        if (!made.find(one.name)) made.attributes.push_back(one);
    made.blocks.insert(made.blocks.end(), of_resource->blocks.begin(), of_resource->blocks.end());
    return made;
}

}  // namespace iacctl::language
