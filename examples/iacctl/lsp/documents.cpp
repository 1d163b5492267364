// SPDX-License-Identifier: BSL-1.0
#include "documents.hpp"

#include "base/characters.hpp"
#include "language/configuration/file_names.hpp"
#include "language/configuration/file_source.hpp"
#include "language/configuration/module_source.hpp"
#include "language/syntax/parser.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

namespace iacctl::lsp {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view file_scheme = "file://";
constexpr int deepest_folder = 16;
constexpr std::size_t most_folders = 20'000;

auto kind_of_name(std::string_view path) -> document_kind
{
    auto const name = path.substr(path.rfind('/') + 1);
    auto const is_values = name.ends_with(".tfvars") || name.ends_with(".tfvars.json");
    bool const is_mocks = name.ends_with(".tfmock.hcl") || name.ends_with(".tfmock.json");
    auto const kind =
        name.ends_with(".tf") || name.ends_with(".tofu") || name.ends_with(".tf.json") || name.ends_with(".tofu.json")
        ? document_kind::configuration
        : is_values                     ? document_kind::values
        : language::is_test_file(name)  ? document_kind::tests
        : language::is_query_file(name) ? document_kind::queries
        : is_mocks                      ? document_kind::mocks
                                        : document_kind::other;
    return kind != document_kind::other && name.ends_with(".json") ? document_kind::json : kind;
}

// The loader does not read backups and hidden files.
auto is_read(std::string_view name) -> bool
{
    return !name.starts_with('.') && !name.ends_with('~') && kind_of_name(name) != document_kind::other;
}

// The kind of a buffer without a file, by its language; nothing for another language.
auto kind_of_language(std::string_view language) -> std::optional<document_kind>
{
    if (language == "terraform" || language == "opentofu" || language == "hcl") return document_kind::configuration;
    if (language == "terraform-vars" || language == "opentofu-vars") return document_kind::values;
    if (language == "terraform-test" || language == "opentofu-test") return document_kind::tests;
    if (language == "terraform-search") return document_kind::queries;
    if (language == "terraform-mock" || language == "opentofu-mock") return document_kind::mocks;
    return std::nullopt;
}

// Returns whether the name is that of an object of the module of its file, so that its target needs no search.
auto is_plain(symbol_use const& use) -> bool
{
    bool const here = use.where == symbol_use::place::reference || use.where == symbol_use::place::value_in_file;
    return here && use.run.empty();
}

}  // namespace

auto path_of_uri(std::string_view uri) -> std::string
{
    if (!uri.starts_with(file_scheme)) return std::string(uri);
    auto rest = uri.substr(file_scheme.size());
    if (rest.starts_with("localhost/")) rest.remove_prefix(std::string_view("localhost").size());
    std::string path;
    for (std::size_t at = 0; at < rest.size(); ++at) {
        bool const escaped =
            rest[at] == '%' && at + 2 < rest.size() && hex_digit(rest[at + 1]) >= 0 && hex_digit(rest[at + 2]) >= 0;
        if (escaped) {
            path += static_cast<char>(hex_digit(rest[at + 1]) * 16 + hex_digit(rest[at + 2]));
            at += 2;
        } else {
            path += rest[at];
        }
    }
    auto normal = fs::path(path).lexically_normal().string();
    if (normal.size() > 1 && normal.ends_with('/')) normal.pop_back();
    return normal;
}

auto uri_of_path(std::string_view path) -> std::string
{
    if (!path.starts_with('/')) return std::string(path);
    std::string uri(file_scheme);
    for (char const c : path) {
        if (is_alphanumeric(c) || std::string_view("-._~/").find(c) != std::string_view::npos) {
            uri += c;
            continue;
        }
        static constexpr std::string_view digits = "0123456789ABCDEF";
        auto const byte = static_cast<unsigned char>(c);
        uri += {'%', digits[byte >> 4U], digits[byte & 15U]};
    }
    return uri;
}

auto directory_of(std::string_view path) -> std::string
{
    if (!path.starts_with('/')) return std::string(path);
    auto const slash = path.rfind('/');
    return std::string(slash == 0 ? "/" : path.substr(0, slash));
}

document::document(std::string path, std::string text)
    : path_(std::move(path)),
      kind_(kind_of_name(path_)),
      text_(std::make_shared<std::string const>(std::move(text)))
{}

auto document::lines() const -> text_lines const&
{
    if (!lines_) lines_.emplace(*text_);
    return *lines_;
}

auto document::parsed() const -> content const&
{
    if (parsed_) return *parsed_;
    strider::infra::diagnostics found;
    content made;
    made.tree = language::parse_file(path_, is_native() ? *text_ : std::string(), found);
    made.complete = !found.has_errors();
    if (declares()) made.symbols = symbols_of(*made.tree);
    else if (kind_ == document_kind::tests) made.symbols = symbols_of_tests(*made.tree);
    else if (kind_ == document_kind::values) made.symbols = symbols_of_values(*made.tree);
    return parsed_.emplace(std::move(made));
}

void document::open(std::string uri, std::string_view language, std::int64_t version)
{
    uri_ = std::move(uri);
    version_ = version;
    open_ = true;
    if (kind_ == document_kind::other && !path_.starts_with('/')) kind_ = kind_of_language(language).value_or(kind_);
}

void document::set_text(std::string text)
{
    lines_.reset();
    parsed_.reset();
    text_ = std::make_shared<std::string const>(std::move(text));
}

void documents::add_folder(std::string const& directory)
{
    std::error_code problem;
    std::set<std::string> found;
    fs::recursive_directory_iterator entries(directory, fs::directory_options::skip_permission_denied, problem);
    for (fs::recursive_directory_iterator const end; !problem && entries != end; entries.increment(problem)) {
        std::error_code ignored;
        auto const name = entries->path().filename().string();
        if (entries->is_directory(ignored)) {
            if (name.starts_with('.') || name == "node_modules" || entries.depth() == deepest_folder)
                entries.disable_recursion_pending();
        } else if (is_read(name)) {
            found.insert(entries->path().parent_path().lexically_normal().string());
            if (found.size() == most_folders) break;
        }
    }
    for (auto const& one : found) static_cast<void>(module(one));
}

void documents::remove_folder(std::string const& directory)
{
    auto const prefix = directory == "/" ? directory : directory + '/';
    std::erase_if(modules_, [&](auto const& item) {
        if (item.first != directory && !item.first.starts_with(prefix)) return false;
        return std::ranges::none_of(item.second, [](auto const& file) { return file.second.is_open(); });
    });
}

void documents::refresh(std::string const& directory)
{
    auto& files = modules_[directory];
    manifests_.erase(directory);
    auto const& disk = language::disk();
    std::vector<std::string> names;
    if (directory.starts_with('/'))
        if (auto listed = disk.list(directory)) names = std::move(*listed);
    std::set<std::string> present;
    for (auto const& name : names) {
        if (!is_read(name)) continue;
        auto path = (fs::path(directory) / name).string();
        auto const known = files.find(path);
        present.insert(path);
        if (known != files.end() && known->second.is_open()) continue;
        auto text = disk.read(path);
        if (!text) text = std::string();
        if (known == files.end()) files.emplace(path, document(path, std::move(*text)));
        else if (known->second.text() != *text) known->second.set_text(std::move(*text));
    }
    std::erase_if(files, [&](auto const& item) { return !item.second.is_open() && !present.contains(item.first); });
}

auto documents::open(std::string const& uri, std::string_view language, std::int64_t version, std::string text)
    -> document&
{
    auto const path = path_of_uri(uri);
    auto const directory = directory_of(path);
    refresh(directory);
    auto& files = modules_[directory];
    auto const [at, added] = files.try_emplace(path, path, std::string());
    at->second.open(uri, language, version);
    at->second.set_text(std::move(text));
    return at->second;
}

void documents::close(std::string const& path)
{
    if (auto* const found = find(path)) {
        found->close();
        refresh(directory_of(path));
    }
}

auto documents::find(std::string const& path) const -> document const*
{
    auto const files = modules_.find(directory_of(path));
    if (files == modules_.end()) return nullptr;
    auto const found = files->second.find(path);
    return found == files->second.end() ? nullptr : &found->second;
}

auto documents::find(std::string const& path) -> document*
{
    return const_cast<document*>(std::as_const(*this).find(path));
}

auto documents::module(std::string const& directory) -> module_files const&
{
    auto const known = modules_.find(directory);
    if (known != modules_.end()) return known->second;
    refresh(directory);
    return modules_[directory];
}

auto documents::open_texts() const -> std::map<std::string, std::shared_ptr<std::string const>>
{
    std::map<std::string, std::shared_ptr<std::string const>> texts;
    for (auto const& [directory, files] : modules_)
        for (auto const& [path, one] : files)
            if (one.is_open()) texts.emplace(path, one.shared_text());
    return texts;
}

void documents::for_each_declaration(
    std::string const& directory, std::function<void(document const&, declaration const&)> const& use)
{
    for (auto const& [path, file] : module(directory))
        if (file.declares())
            for (auto const& one : file.symbols().declarations) use(file, one);
}

auto documents::module_of(std::string const& directory) -> std::string
{
    if (!directory.ends_with("/tests")) return directory;
    bool const own = std::ranges::any_of(module(directory), [](auto const& file) { return file.second.declares(); });
    return own ? directory : directory_of(directory);
}

auto documents::dialect(std::string const& directory) -> language::dialect_choice
{
    std::vector<std::shared_ptr<language::syntax_tree>> trees;
    for (auto const& [path, file] : module(directory))
        if (file.kind() == document_kind::configuration) trees.push_back(file.shared_tree());
    return language::choose_dialect(trees);
}

void documents::for_each_file(std::string const& scope, std::function<void(document const&)> const& use)
{
    if (auto const* const test = std::as_const(*this).find(scope)) return use(*test);
    for (auto const& [path, file] : module(scope)) use(file);
    auto const tests = scope + "/tests";
    if (module_of(tests) == scope)
        for (auto const& [path, file] : module(tests)) use(file);
}

auto documents::find(symbol const& s) -> declared_symbol
{
    declared_symbol found;
    for_each_file(s.directory, [&](document const& in) {
        if (found.of != nullptr && (found.in->declares() || !in.declares())) return;
        for (auto const& one : in.symbols().declarations)
            if (one.key == s.key && found.of != &one) {
                found = {&in, &one};
                return;
            }
    });
    return found;
}

auto documents::local_module(std::string const& directory, std::string_view source) -> std::string
{
    if (!source.starts_with("./") && !source.starts_with("../") && source != "." && source != "..") return {};
    auto path = (fs::path(directory) / source).lexically_normal().string();
    if (path.size() > 1 && path.ends_with('/')) path.pop_back();
    return path;
}

auto documents::called_by(std::string const& directory, std::string_view name, std::string_view source) -> std::string
{
    if (auto local = local_module(directory, source); !local.empty()) return local;
    auto const [manifest, added] = manifests_.try_emplace(directory);
    if (added) {
        auto const file = fs::path(directory) / ".terraform" / language::module_manifest::place;
        if (auto const text = language::disk().read(file))
            if (auto read = language::module_manifest::parse(*text)) manifest->second = std::move(*read);
    }
    auto const installed = manifest->second.modules.find(std::string(name));
    if (installed == manifest->second.modules.end() || installed->second.directory.empty()) return {};
    return (fs::path(directory) / installed->second.directory).lexically_normal().string();
}

auto documents::called(std::string const& directory, std::string const& key) -> std::string
{
    auto const next = key.find(".module.");
    auto const block = find(symbol{directory, key.substr(0, next)});
    if (!block || block.of->block == nullptr) return {};
    auto child = called_by(directory, block.of->name, constant_text(block.of->block->content, "source"));
    return next == std::string::npos || child.empty() ? child : called(child, key.substr(next + 1));
}

auto documents::run_module(document const& test, std::string_view name) -> std::string
{
    auto directory = module_of(test);
    for (auto const& one : test.symbols().declarations) {
        if (one.kind != symbol_kind::run || one.name != name) continue;
        for (auto const& inner : one.block->content.blocks)
            if (inner.type == "module") return local_module(directory, constant_text(inner.content, "source"));
    }
    return directory;
}

auto documents::callers(std::string const& directory) -> std::vector<calling_module>
{
    std::vector<calling_module> found;
    std::vector<calling_module> calls;
    for (auto const& [from, files] : modules_)
        for (auto const& [path, file] : files)
            for (auto const& one : file.symbols().declarations)
                if (one.kind == symbol_kind::module) calls.push_back({from, one.key});
    for (auto& one : calls)
        if (called(one.directory, one.key) == directory) found.push_back(std::move(one));
    return found;
}

auto documents::modules_above(std::string const& directory) -> calling_modules
{
    calling_modules made;
    auto const first = module_of(directory);
    std::vector<std::string> waiting{first};
    while (!waiting.empty()) {
        auto const one = std::move(waiting.back());
        waiting.pop_back();
        auto const above = callers(one);
        if (above.empty()) made.roots.insert(one);
        for (auto const& caller : above)
            if (made.all.insert(caller.directory).second) waiting.push_back(caller.directory);
    }
    if (made.roots.empty()) made.roots.insert(first);
    return made;
}

auto documents::target(document const& in, symbol_use const& use) -> std::optional<symbol>
{
    // Values of a run are for the module that it executes.
    auto const directory = use.run.empty() ? module_of(in) : run_module(in, use.run);
    auto const in_child = [](std::string child, std::string key) -> std::optional<symbol> {
        if (child.empty()) return std::nullopt;
        return symbol{std::move(child), std::move(key)};
    };
    bool const of_run = in.kind() == document_kind::tests && use.key.starts_with("run.");
    switch (use.where) {
    case symbol_use::place::value_in_file: return in_child(directory, use.key);
    case symbol_use::place::reference: return in_child(of_run ? in.path() : directory, use.key);
    case symbol_use::place::output_of_module:
        return in_child(
            of_run ? run_module(in, use.key.substr(4)) : called(directory, use.key), "output." + std::string(use.name));
    case symbol_use::place::argument_of_module:
        return in_child(called(directory, use.key), "var." + std::string(use.name));
    case symbol_use::place::object_in_module: return in_child(called(directory, use.key), use.object);
    }
    return std::nullopt;
}

auto documents::declared(document const& in, declaration const& d) -> symbol
{
    return {d.kind == symbol_kind::run ? in.path() : module_of(in), d.key};
}

auto documents::at(document const& in, std::uint32_t offset) -> std::optional<found_symbol>
{
    if (auto const* const one = in.symbols().declaration_at(offset))
        return found_symbol{declared(in, *one), one->name_range, nullptr};
    auto const* const use = in.symbols().use_at(offset);
    if (use == nullptr) return std::nullopt;
    auto of = target(in, *use);
    if (!of) return std::nullopt;
    return found_symbol{*std::move(of), use->name_range, use};
}

auto documents::naming_files(std::string const& directory) -> std::map<std::string_view, document const*>
{
    std::map<std::string_view, document const*> found;
    auto const add = [&](document const& in) { found.emplace(in.path(), &in); };
    for_each_file(directory, add);
    for (auto const& one : modules_above(directory).all) for_each_file(one, add);
    // Runs of tests execute modules that no other module calls.
    std::vector<document const*> tests;
    for (auto const& [of, files] : modules_)
        for (auto const& [path, file] : files)
            if (file.kind() == document_kind::tests) tests.push_back(&file);
    for (auto const* const test : tests)
        if (std::ranges::any_of(test->symbols().declarations, [&](declaration const& d) {
                return d.kind == symbol_kind::run && run_module(*test, d.name) == directory;
            }))
            add(*test);
    return found;
}

auto documents::places_of(symbol const& s) -> std::vector<named_place>
{
    std::vector<named_place> places;
    bool const of_run = s.key.starts_with("run.");
    std::map<std::string_view, document const*> files;
    if (of_run) for_each_file(s.directory, [&](document const& in) { files.emplace(in.path(), &in); });
    else files = naming_files(s.directory);
    auto const name = std::string_view(s.key).substr(s.key.rfind('.') + 1);
    for (auto const& [path, in] : files) {
        bool const own = of_run || module_of(*in) == s.directory;
        if (own)
            for (auto const& one : in->symbols().declarations)
                if (one.key == s.key) places.push_back({{in, one.name_range}, true, true});
        for (auto const& one : in->symbols().uses) {
            // The last part of an address is the name of what it refers to, except of a provider.
            if (one.name != name && !s.key.starts_with("provider.")) continue;
            if (is_plain(one) && (!own || one.key != s.key)) continue;
            if (!is_plain(one) && target(*in, one) != s) continue;
            bool const value =
                one.where == symbol_use::place::value_in_file || one.where == symbol_use::place::argument_of_module;
            places.push_back({{in, one.name_range}, false, value});
        }
    }
    return places;
}

auto documents::usages(std::string const& directory) -> std::unordered_map<std::string, usage>
{
    using place = symbol_use::place;
    std::unordered_map<std::string, usage> made;
    auto const count = [&](symbol_use const& use, std::string const& key) {
        auto& of = made[key];
        ++of.names;
        if (use.where != place::value_in_file && use.where != place::argument_of_module) ++of.reads;
    };
    for (auto const& [path, in] : naming_files(directory)) {
        bool const own = module_of(*in) == directory;
        for (auto const& use : in->symbols().uses) {
            if (is_plain(use) && own) count(use, use.key);
            if (is_plain(use)) continue;
            if (auto const found = target(*in, use); found && found->directory == directory) count(use, found->key);
        }
    }
    return made;
}

}  // namespace iacctl::lsp
