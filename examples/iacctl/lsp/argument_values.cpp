// SPDX-License-Identifier: BSL-1.0
#include "argument_values.hpp"

#include "base/provider_address.hpp"
#include "packages/lock_file.hpp"

#include <algorithm>
#include <array>
#include <concepts>
#include <filesystem>
#include <map>
#include <set>
#include <span>
#include <system_error>
#include <utility>

namespace iacctl::lsp {

namespace {

namespace fs = std::filesystem;

// Words that an argument accepts.
struct keyword_argument {
    std::string_view block;
    std::string_view argument;
    std::string_view words;  // with spaces between them
    bool quoted = false;
};
constexpr std::array keyword_arguments{
    keyword_argument{"action_trigger", "events",
        "after_create after_destroy after_update before_create before_destroy before_update"},
    keyword_argument{"action_trigger", "on_failure", "continue halt taint"},
    keyword_argument{"mock_data", "override_during", "apply plan"},
    keyword_argument{"mock_provider", "override_during", "apply plan"},
    keyword_argument{"mock_resource", "override_during", "apply plan"},
    keyword_argument{"override_data", "override_during", "apply plan"},
    keyword_argument{"override_module", "override_during", "apply plan"},
    keyword_argument{"override_resource", "override_during", "apply plan"},
    keyword_argument{"plan_options", "mode", "normal refresh-only"},
    keyword_argument{"provisioner", "on_failure", "continue fail"},
    keyword_argument{"provisioner", "when", "create destroy"},
    keyword_argument{"run", "command", "apply plan"},
    keyword_argument{"connection", "type", "ssh winrm", true},
};

// A set of kinds, with a bit for each.
constexpr auto kinds_of(std::same_as<symbol_kind> auto... kinds) -> unsigned
{
    return ((1U << static_cast<unsigned>(kinds)) | ...);
}

// The objects whose addresses an argument accepts.
struct address_argument {
    std::string_view block;  // empty: any
    std::string_view argument;
    unsigned kinds;
};
constexpr std::array address_arguments{
    address_argument{"action_trigger", "actions", kinds_of(symbol_kind::action)},
    address_argument{"import", "to", kinds_of(symbol_kind::resource)},
    address_argument{"lifecycle", "replace_triggered_by", kinds_of(symbol_kind::resource)},
    address_argument{"moved", "from", kinds_of(symbol_kind::resource, symbol_kind::module)},
    address_argument{"moved", "to", kinds_of(symbol_kind::resource, symbol_kind::module)},
    address_argument{"override_data", "target", kinds_of(symbol_kind::data)},
    address_argument{"override_module", "target", kinds_of(symbol_kind::module)},
    address_argument{"override_resource", "target", kinds_of(symbol_kind::resource)},
    address_argument{"plan_options", "replace", kinds_of(symbol_kind::resource)},
    address_argument{"plan_options", "target", kinds_of(symbol_kind::resource, symbol_kind::data, symbol_kind::module)},
    address_argument{"removed", "from", kinds_of(symbol_kind::resource, symbol_kind::module)},
    address_argument{"run", "expect_failures",
        kinds_of(symbol_kind::resource, symbol_kind::data, symbol_kind::ephemeral, symbol_kind::variable,
            symbol_kind::output, symbol_kind::check)},
    address_argument{"", "depends_on",
        kinds_of(symbol_kind::resource, symbol_kind::data, symbol_kind::ephemeral, symbol_kind::module)},
};

struct known_provider {
    std::string source;  // as written: "hashicorp/aws"
    std::string version;  // empty: unknown
};

// The providers that are available to a module, by the last part of their addresses.
auto known_providers(feature_context const& with, std::string const& directory)
    -> std::multimap<std::string, known_provider>
{
    std::map<std::string, std::string> versions;
    for (auto const& [address, source] : *with.known.about(directory).catalog)
        versions.emplace(address, std::string(source->release()));
    for (auto const& root : with.files.roots(directory)) {
        auto const locked = packages::lock_file::read(fs::path(root) / packages::lock_file::name);
        if (!locked) continue;
        for (auto const& [id, one] : locked->providers) versions.insert_or_assign(id.address(), one.selected.text());
    }
    std::multimap<std::string, known_provider> made;
    for (auto const& [address, version] : versions)
        if (!address.starts_with("terraform.io/"))
            made.emplace(provider_type(address), known_provider{shown_provider(address), version});
    return made;
}

// The constraint that accepts later minor versions: "~> 5.31" for "5.31.0"; empty without a version.
auto pessimistic(std::string_view version) -> std::string
{
    auto const last = version.rfind('.');
    if (last == std::string_view::npos) return {};
    return "~> " + std::string(version.substr(0, version.find('.', version.find('.') + 1)));
}

auto entry_text(known_provider const& of) -> std::string
{
    auto const version = pessimistic(of.version);
    return "{\n  source  = \"" + of.source + '"' + (version.empty() ? "" : "\n  version = \"" + version + '"') + "\n}";
}

class value_finder {
public:
    value_finder(feature_context const& context, document_place const& at, cursor const& where)
        : with_(context),
          at_(at),
          where_(where),
          block_(where.block()),
          blocks_(where.blocks()),
          directory_(module_around(context, at.in, where))
    {}

    auto run() -> std::optional<argument_values>
    {
        bool const text = where_.where == cursor::place::text;
        bool const found = (text && add_folders()) || add_of_required_provider() || add_keywords(text)
            || (!text && where_.where == cursor::place::value && add_addresses()) || (!text && add_passed_providers());
        if (!found) return std::nullopt;
        return std::move(made_);
    }

private:
    void add(std::string label, item_kind kind, std::string detail = {})
    {
        made_.items.push_back({std::move(label), kind, std::move(detail)});
    }

    // The string around the place up to the place.
    [[nodiscard]] auto typed() const -> std::string_view
    {
        auto const begin = where_.frames.back().begin + 1;
        return begin > at_.offset ? std::string_view() : at_.in.text().substr(begin, at_.offset - begin);
    }

    // Directories, in the source of a module.
    auto add_folders() -> bool
    {
        bool const of_module = block_.name == "module" || (block_.name == "mock_provider");
        if (!of_module || block_.attribute != "source" || is_in_object()) return false;
        auto const text = typed();
        auto const slash = text.rfind('/');
        auto const begin = at_.offset - static_cast<std::uint32_t>(text.size());
        auto const after = slash == std::string_view::npos ? 0 : static_cast<std::uint32_t>(slash) + 1;
        made_.word = language::byte_range{begin + after, std::max(at_.offset, where_.word.end)};
        if (slash == std::string_view::npos || !text.starts_with('.')) {
            made_.word = language::byte_range{begin, std::max(at_.offset, where_.word.end)};
            for (auto const* const one : {"./", "../"}) add(one, item_kind::folder);
            return true;
        }
        // A run of a test names modules relative to the configuration.
        auto const base = with_.files.module_of(at_.in);
        std::error_code problem;
        fs::directory_iterator entries(fs::path(base) / text.substr(0, slash + 1), problem);
        std::set<std::string> names;
        for (fs::directory_iterator const end; !problem && entries != end; entries.increment(problem)) {
            auto name = entries->path().filename().string();
            std::error_code ignored;
            if (!name.starts_with('.') && entries->is_directory(ignored)) names.insert(std::move(name));
        }
        for (auto const& name : names) add(name, item_kind::folder);
        if (text == "../" || text.ends_with("/../")) add("..", item_kind::folder);
        return true;
    }

    [[nodiscard]] auto is_in_object() const -> bool
    {
        return std::ranges::any_of(where_.frames, [](frame const& f) { return f.of == frame::kind::object; });
    }

    // Keys and texts in an entry of `required_providers`.
    auto add_of_required_provider() -> bool
    {
        if (block_.name != "required_providers" || block_.attribute.empty()) return false;
        auto const object = std::find_if(
            where_.frames.rbegin(), where_.frames.rend(), [](frame const& f) { return f.of == frame::kind::object; });
        if (object == where_.frames.rend()) return false;
        if (where_.where == cursor::place::key) {
            for (std::string const name : {"source", "version", "configuration_aliases"}) {
                if (std::ranges::find(object->written, name) != object->written.end()) continue;
                bool const list = name == "configuration_aliases";
                made_.items.push_back({name, item_kind::property, list ? "list of references" : "string", {},
                    name + " = " + (list ? "[$0]" : "\"$0\"")});
            }
            return true;
        }
        auto const providers = known_providers(with_, directory_);
        if (object->attribute == "source") {
            for (auto const& [name, one] : providers) add(one.source, item_kind::module, one.version);
        } else if (object->attribute == "version") {
            auto const written = with_.known.provider_address(directory_, block_.attribute);
            for (auto const& [name, one] : providers) {
                if (provider_address(one.source) != written || one.version.empty()) continue;
                add(pessimistic(one.version), item_kind::value, "later minor versions");
                add(one.version, item_kind::value, "the installed version");
                add(">= " + one.version, item_kind::value, "all later versions");
            }
        }
        if (where_.where == cursor::place::text) {
            auto const text = typed();
            made_.word = language::byte_range{
                at_.offset - static_cast<std::uint32_t>(text.size()), std::max(at_.offset, where_.word.end)};
        }
        return true;
    }

    auto add_keywords(bool text) -> bool
    {
        for (auto const& one : keyword_arguments) {
            if (one.block != block_.name || one.argument != block_.attribute || one.quoted != text) continue;
            auto words = one.words;
            while (!words.empty()) {
                auto const end = std::min(words.find(' '), words.size());
                add(std::string(words.substr(0, end)), item_kind::keyword);
                words.remove_prefix(std::min(end + 1, words.size()));
            }
            return true;
        }
        return false;
    }

    auto add_addresses() -> bool
    {
        auto const accepted = std::ranges::find_if(address_arguments, [&](address_argument const& one) {
            return one.argument == block_.attribute && (one.block.empty() || one.block == block_.name);
        });
        if (accepted == address_arguments.end() || is_in_object()) return false;
        // After a first word, `replace_triggered_by` may name an attribute.
        if (!where_.steps.empty() && accepted->argument == "replace_triggered_by") return false;
        std::string before;
        for (auto const& step : where_.steps) before += step + '.';
        std::map<std::string, symbol_kind> addresses;
        bool const past = accepted->argument == "from";
        auto const is_accepted = [&](symbol_kind kind) { return (accepted->kinds & kinds_of(kind)) != 0; };
        with_.files.for_each_declaration(directory_, [&](document const&, declaration const& d) {
            if (is_accepted(d.kind)) addresses.emplace(d.key, d.kind);
        });
        // The old address is that of an object in state which is no longer declared.
        if (past) {
            auto const declared = std::exchange(addresses, {});
            for (auto const& address : with_.known.undeclared_in_state(directory_))
                addresses.emplace(
                    address, address.starts_with("module.") ? symbol_kind::module : symbol_kind::resource);
            if (addresses.empty()) addresses = declared;
        }
        for (auto const& [address, kind] : addresses) {
            if (!address.starts_with(before) || is_around(address)) continue;
            auto const rest = address.substr(before.size());
            // After a dot, an item is a single name.
            auto const shown = before.empty() ? rest : rest.substr(0, rest.find('.'));
            if (std::ranges::find(made_.items, shown, &candidate::label) == made_.items.end())
                add(shown, kind == symbol_kind::module ? item_kind::module : item_kind::variable);
        }
        return true;
    }

    // Returns whether it is the address of the object around the place.
    [[nodiscard]] auto is_around(std::string const& address) const -> bool
    {
        for (auto const& one : at_.in.symbols().declarations)
            if (one.key == address && one.range.begin <= at_.offset && at_.offset <= one.range.end) return true;
        return false;
    }

    // The names of provider configurations: in a call of a module, on the left those of the module.
    auto add_passed_providers() -> bool
    {
        bool const passed = block_.attribute == "providers" && (block_.name == "module" || block_.name == "run");
        if (!passed || !is_in_object() || !where_.steps.empty()) return false;
        if (where_.where != cursor::place::key) return add_configurations(with_.files.module_of(at_.in));
        auto const child = block_.name == "run" ? directory_
            : block_.labels.empty()             ? std::string()
                                                : with_.files.called(directory_, "module." + block_.labels[0]);
        if (child.empty()) return true;
        for (auto const& [path, file] : with_.files.module(child))
            for (auto const& [name, one] : file.symbols().required_providers) {
                made_.items.push_back({name, item_kind::module, one.source, {}, name + " = $0"});
                for (auto const& alias : one.aliases)
                    made_.items.push_back({alias, item_kind::module, one.source, {}, alias + " = $0"});
            }
        return true;
    }

    auto add_configurations(std::string const& directory) -> bool
    {
        auto const add_of = [&](document const& in) {
            for (auto const& d : in.symbols().declarations)
                if (d.kind == symbol_kind::provider) add(d.key.substr(d.key.find('.') + 1), item_kind::module);
        };
        if (at_.in.kind() == document_kind::tests) add_of(at_.in);
        else
            for (auto const& [path, file] : with_.files.module(directory)) add_of(file);
        return true;
    }

    feature_context const& with_;
    document_place const& at_;
    cursor const& where_;
    frame const& block_;
    std::vector<frame const*> blocks_;
    std::string directory_;
    argument_values made_;
};

}  // namespace

auto values_of_argument(feature_context const& context, document_place const& at, cursor const& where)
    -> std::optional<argument_values>
{
    return value_finder(context, at, where).run();
}

auto provider_entries(feature_context const& context, std::string const& directory) -> std::vector<candidate>
{
    std::vector<candidate> made;
    for (auto const& [name, one] : known_providers(context, directory))
        made.push_back({name, item_kind::module, one.source, {}, escaped(name + " = " + entry_text(one))});
    return made;
}

auto provider_entry(feature_context const& context, std::string const& directory, std::string_view name) -> std::string
{
    auto const address = context.known.provider_address(directory, name);
    for (auto const& [type, one] : known_providers(context, directory))
        if (provider_address(one.source) == address) return entry_text(one);
    return entry_text({shown_provider(address), {}});
}

}  // namespace iacctl::lsp
