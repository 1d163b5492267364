// SPDX-License-Identifier: BSL-1.0
#include "documents.hpp"

#include "base/characters.hpp"
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
    if (path.ends_with(".tf") || path.ends_with(".tofu")) return document_kind::configuration;
    if (path.ends_with(".tfvars")) return document_kind::values;
    if (path.ends_with(".tf.json") || path.ends_with(".tfvars.json") || path.ends_with(".tofu.json"))
        return document_kind::json;
    return document_kind::other;
}

// The loader does not read backups and hidden files.
auto is_read(std::string_view name) -> bool
{
    return !name.starts_with('.') && !name.ends_with('~') && kind_of_name(name) != document_kind::other;
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
    bool const native = kind_ == document_kind::configuration || kind_ == document_kind::values;
    content made;
    made.tree = language::parse_file(path_, native ? *text_ : std::string(), found);
    if (kind_ == document_kind::configuration) made.symbols = symbols_of(*made.tree);
    else if (kind_ == document_kind::values) made.symbols = symbols_of_values(*made.tree);
    return parsed_.emplace(std::move(made));
}

void document::open(std::string uri, std::string_view language, std::int64_t version)
{
    uri_ = std::move(uri);
    version_ = version;
    open_ = true;
    // A buffer without a file is classified by its language.
    if (kind_ != document_kind::other || path_.starts_with('/')) return;
    if (language == "terraform" || language == "opentofu" || language == "hcl") kind_ = document_kind::configuration;
    else if (language == "terraform-vars" || language == "opentofu-vars") kind_ = document_kind::values;
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
        for (auto const& one : file.symbols().declarations) use(file, one);
}

auto documents::find(symbol const& s) -> declared_symbol
{
    for (auto const& [path, file] : module(s.directory))
        for (auto const& one : file.symbols().declarations)
            if (one.key == s.key) return {&file, &one};
    return {};
}

auto documents::called(std::string const& directory, std::string const& key) -> std::string
{
    auto const block = find(symbol{directory, key});
    if (!block || block.of->block == nullptr) return {};
    auto const source = constant_text(block.of->block->content, "source");
    if (source.starts_with("./") || source.starts_with("../") || source == "." || source == "..") {
        auto path = (fs::path(directory) / source).lexically_normal().string();
        if (path.size() > 1 && path.ends_with('/')) path.pop_back();
        return path;
    }
    auto const [manifest, added] = manifests_.try_emplace(directory);
    if (added) {
        auto const file = fs::path(directory) / ".terraform" / language::module_manifest::place;
        if (auto const text = language::disk().read(file))
            if (auto read = language::module_manifest::parse(*text)) manifest->second = std::move(*read);
    }
    auto const installed = manifest->second.modules.find(std::string(block.of->name));
    if (installed == manifest->second.modules.end() || installed->second.directory.empty()) return {};
    return (fs::path(directory) / installed->second.directory).lexically_normal().string();
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

auto documents::roots(std::string const& directory) -> std::set<std::string>
{
    std::set<std::string> found;
    std::set<std::string> seen{directory};
    std::vector<std::string> waiting{directory};
    while (!waiting.empty()) {
        auto const one = std::move(waiting.back());
        waiting.pop_back();
        auto const above = callers(one);
        if (above.empty()) found.insert(one);
        for (auto const& caller : above)
            if (seen.insert(caller.directory).second) waiting.push_back(caller.directory);
    }
    if (found.empty()) found.insert(directory);
    return found;
}

auto documents::target(document const& in, symbol_use const& use) -> std::optional<symbol>
{
    auto const directory = directory_of(in.path());
    if (use.where == symbol_use::place::reference || use.where == symbol_use::place::value_in_file)
        return symbol{directory, use.key};
    auto child = called(directory, use.key);
    if (child.empty()) return std::nullopt;
    bool const output = use.where == symbol_use::place::output_of_module;
    return symbol{std::move(child), (output ? "output." : "var.") + std::string(use.name)};
}

auto documents::at(document const& in, std::uint32_t offset) -> std::optional<found_symbol>
{
    if (auto const* const declared = in.symbols().declaration_at(offset))
        return found_symbol{{directory_of(in.path()), declared->key}, declared->name_range, nullptr};
    auto const* const use = in.symbols().use_at(offset);
    if (use == nullptr) return std::nullopt;
    auto of = target(in, *use);
    if (!of) return std::nullopt;
    return found_symbol{*std::move(of), use->name_range, use};
}

auto documents::places_of(symbol const& s) -> std::vector<named_place>
{
    std::vector<named_place> places;
    for (auto const& [path, file] : module(s.directory)) {
        for (auto const& one : file.symbols().declarations)
            if (one.key == s.key) places.push_back({{&file, one.name_range}, true, true});
        for (auto const& one : file.symbols().uses) {
            bool const own = one.where == symbol_use::place::reference || one.where == symbol_use::place::value_in_file;
            if (own && one.key == s.key)
                places.push_back({{&file, one.name_range}, false, one.where == symbol_use::place::value_in_file});
        }
    }
    bool const output = s.key.starts_with("output.");
    if (!output && !s.key.starts_with("var.")) return places;
    auto const name = s.key.substr(s.key.find('.') + 1);
    auto const where = output ? symbol_use::place::output_of_module : symbol_use::place::argument_of_module;
    for (auto const& caller : callers(s.directory))
        for (auto const& [path, file] : module(caller.directory))
            for (auto const& one : file.symbols().uses)
                if (one.where == where && one.name == name && one.key == caller.key)
                    places.push_back({{&file, one.name_range}, false, !output});
    return places;
}

}  // namespace iacctl::lsp
