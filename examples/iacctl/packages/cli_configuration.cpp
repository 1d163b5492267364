// SPDX-License-Identifier: BSL-1.0
#include "cli_configuration.hpp"

#include "base/characters.hpp"
#include "base/environment.hpp"
#include "base/http/url.hpp"
#include "base/input_file.hpp"
#include "messages/installation.hpp"
#include "messages/report.hpp"
#include "settings_syntax.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <system_error>
#include <utility>

namespace iacctl::packages {

namespace fs = std::filesystem;

namespace {

// Like Go's os.ExpandEnv: replaces $NAME and ${NAME}.
auto with_variables(std::string_view text) -> std::string
{
    std::string made;
    while (!text.empty()) {
        auto const dollar = std::min(text.find('$'), text.size());
        made += text.substr(0, dollar);
        text.remove_prefix(dollar);
        if (text.empty()) break;
        bool const braced = text.size() > 1 && text[1] == '{';
        std::size_t const begin = braced ? 2 : 1;
        std::size_t end = begin;
        while (end < text.size() && (is_alphanumeric(text[end]) || text[end] == '_')) ++end;
        made += environment_variable(std::string(text.substr(begin, end - begin)).c_str());
        if (braced && end < text.size() && text[end] == '}') ++end;
        text.remove_prefix(end);
    }
    return made;
}

auto is_true(std::string const& text) -> bool
{
    return text == "1" || ascii_lower_case(text) == "true" || text == "t";
}

auto is_false(std::string const& text) -> bool
{
    return text == "0" || ascii_lower_case(text) == "false" || text == "f";
}

// Reads the settings of one file.
class settings_reader {
public:
    settings_reader(std::string shown, cli_configuration& into) : shown_(std::move(shown)), into_(into) {}

    auto read(setting const& file) && -> infra::diagnostics
    {
        for (setting const* const one : blocks_in(file, "provider_installation")) read_methods(*one);
        if (auto const directory = text_in(file, "plugin_cache_dir")) into_.plugin_cache = with_variables(*directory);
        into_.cache_may_break_lock_file =
            flag_in(file, "plugin_cache_may_break_dependency_lock_file").value_or(into_.cache_may_break_lock_file);
        // The program contacts no server to look for new versions, so these have no effect.
        for (auto const* const name : {"disable_checkpoint", "disable_checkpoint_signature"}) (void)flag_in(file, name);
        for (auto const& [host, block] : labelled_in(file, "credentials"))
            if (auto const name = host_named(host, "credentials"))
                if (auto const token = text_in(*block, "token")) into_.tokens.insert_or_assign(*name, *token);
        for (auto const& [host, block] : labelled_in(file, "host"))
            if (auto const name = host_named(host, "host"))
                for (setting const* const services : blocks_in(*block, "services"))
                    for (setting const& service : services->elements) {
                        if (service.kind == setting::kind_type::text)
                            into_.services[*name].insert_or_assign(service.name, service.text);
                        // Terraform describes some services of a host, such as that of logins, by an object.
                        else if (service.kind == setting::kind_type::list)
                            wrong("the service \"" + service.name + "\" of the host \"" + host + "\" is a list");
                    }
        for (auto const& [place, block] : labelled_in(file, "oci_credentials")) read_oci_credentials(place, *block);
        for (setting const* const one : blocks_in(file, "oci_default_credentials")) read_oci_defaults(*one);
        for (setting const* const one : blocks_in(file, "placement")) read_placement(*one);
        for (auto const& [name, block] : labelled_in(file, "credentials_helper")) {
            if (into_.helper) wrong("there is more than one block \"credentials_helper\"");
            into_.helper = {name, texts_in(*block, "args").value_or(std::vector<std::string>())};
        }
        return std::move(problems_);
    }

private:
    void wrong(std::string const& why)
    {
        problems_.add(messages::make_error(messages::invalid_cli_configuration, {shown_, why}));
    }

    // The arguments and blocks of these names. Reports members of another kind, which would have no effect.
    auto text_in(setting const& in, std::string_view name) -> std::optional<std::string>
    {
        for (setting const& one : in.elements)
            if (one.name == name && one.kind != setting::kind_type::text)
                wrong("\"" + one.name + "\" must be a string, but it is a list or a block");
        return in.text_of(name);
    }
    auto flag_in(setting const& in, std::string_view name) -> std::optional<bool>
    {
        auto const text = text_in(in, name);
        if (!text) return std::nullopt;
        bool const yes = is_true(*text);
        if (!yes && !is_false(*text))
            wrong("\"" + std::string(name) + "\" must be true or false, not \"" + *text + '"');
        return yes;
    }
    auto texts_in(setting const& in, std::string_view name) -> std::optional<std::vector<std::string>>
    {
        for (setting const& one : in.elements) {
            if (one.name != name) continue;
            bool const of_texts = one.kind == setting::kind_type::list
                && std::ranges::all_of(
                    one.elements, [](setting const& e) { return e.kind == setting::kind_type::text; });
            if (!of_texts) wrong("\"" + one.name + "\" must be a list of strings");
        }
        return in.texts_of(name);
    }
    auto blocks_in(setting const& in, std::string_view name) -> std::vector<setting const*>
    {
        for (setting const& one : in.elements)
            if (one.name == name && !has_objects(one)) wrong("\"" + one.name + "\" must be a block");
        return in.objects(name);
    }
    auto labelled_in(setting const& in, std::string_view name) -> std::vector<std::pair<std::string, setting const*>>
    {
        for (setting const* const one : blocks_in(in, name))
            for (setting const& member : one->elements)
                if (!has_objects(member))
                    wrong("\"" + std::string(name) + "\" must be a block with one label, but it has the argument \""
                        + member.name + '"');
        return in.labelled(name);
    }
    static auto has_objects(setting const& s) -> bool
    {
        return s.kind == setting::kind_type::object
            || (s.kind == setting::kind_type::list && std::ranges::all_of(s.elements, has_objects));
    }

    auto host_named(std::string const& host, char const* block) -> std::optional<std::string>
    {
        auto name = canonical_host(host);
        if (!name) wrong(std::string("a block \"") + block + "\" has an invalid host, \"" + host + "\"");
        return name;
    }

    void read_oci_credentials(std::string const& place, setting const& block)
    {
        auto const slash = std::min(place.find('/'), place.size());
        auto const host = canonical_host(place.substr(0, slash));
        if (!host) return wrong("a block \"oci_credentials\" has an invalid host, \"" + place + "\"");
        oci_credentials made;
        made.username = text_in(block, "username").value_or("");
        made.password = text_in(block, "password").value_or("");
        made.access_token = text_in(block, "access_token").value_or("");
        made.refresh_token = text_in(block, "refresh_token").value_or("");
        made.helper = text_in(block, "docker_credentials_helper").value_or("");
        int const ways = static_cast<int>(!made.username.empty()) + static_cast<int>(!made.helper.empty())
            + static_cast<int>(!made.access_token.empty() || !made.refresh_token.empty());
        if (ways != 1 || made.username.empty() != made.password.empty())
            return wrong("the block \"oci_credentials\" of \"" + place
                + "\" needs username and password, or access_token, or refresh_token, or docker_credentials_helper");
        if (!into_.oci.credentials.emplace(*host + place.substr(slash), std::move(made)).second)
            wrong("there is more than one block \"oci_credentials\" of \"" + place + "\"");
    }

    void read_oci_defaults(setting const& block)
    {
        if (auto const finds = flag_in(block, "discover_ambient_credentials")) into_.oci.discovers = *finds;
        if (auto const files = texts_in(block, "docker_style_config_files"))
            into_.oci.files.emplace(files->begin(), files->end());
        into_.oci.helper = text_in(block, "default_docker_credential_helper").value_or("");
    }

    void read_placement(setting const& block)
    {
        if (into_.placement) return wrong("there is more than one block \"placement\"");
        placement_settings made;
        made.executor = text_in(block, "executor").value_or("");
        if (made.executor != "local" && made.executor != "slurm")
            return wrong("the block \"placement\" needs the argument executor, which is \"slurm\" or \"local\"");
        for (setting const* const places : blocks_in(block, "places"))
            for (setting const& one : places->elements) {
                if (one.kind != setting::kind_type::text)
                    wrong("the place of \"" + one.name + "\" in the block \"placement\" is not a label");
                else if (!made.places.emplace(one.name, one.text).second)
                    wrong("\"" + one.name + "\" has two places in the block \"placement\"");
            }
        into_.placement = std::move(made);
    }

    // A part of an address that the patterns do not fix must be in the template, or providers would share a repository.
    void check_template(installation_method const& method)
    {
        std::string rest = method.location;
        for (auto const& [name, part] : installation_method::template_parts) {
            std::string const reference = "${" + std::string(name) + "}";
            auto const open = [of_part = part](
                                  provider_pattern const& pattern) { return pattern.leaves_open(of_part); };
            bool const varies = method.include.empty() || std::ranges::any_of(method.include, open);
            auto at = rest.find(reference);
            if (varies && at == std::string::npos && part != &provider_id::host)
                wrong("the repository_template \"" + method.location + "\" lacks " + reference);
            for (; at != std::string::npos; at = rest.find(reference)) rest.erase(at, reference.size());
        }
        if (rest.find('$') != std::string::npos)
            wrong("the repository_template \"" + method.location
                + "\" can only refer to ${hostname}, ${namespace} and ${type}");
    }

    void read_methods(setting const& block)
    {
        if (into_.methods) return wrong("there is more than one block \"provider_installation\"");
        into_.methods.emplace();
        for (setting const& one : block.elements) {
            setting holder;
            holder.elements.push_back(one);
            for (setting const* const method : blocks_in(holder, one.name)) read_method(one.name, *method);
        }
    }

    void read_method(std::string const& name, setting const& block)
    {
        if (name == "dev_overrides") return read_overrides(block);
        installation_method made;
        std::string argument;
        if (name == "filesystem_mirror") {
            made.kind = installation_method::kind_type::filesystem_mirror;
            argument = "path";
        } else if (name == "network_mirror") {
            made.kind = installation_method::kind_type::network_mirror;
            argument = "url";
        } else if (name == "oci_mirror") {
            made.kind = installation_method::kind_type::oci_mirror;
            argument = "repository_template";
        } else if (name != "direct") return wrong("there is no installation method \"" + name + "\"");
        if (!argument.empty()) {
            made.location = text_in(block, argument).value_or("");
            if (made.location.empty())
                return wrong("the method \"" + name + "\" needs the argument \"" + argument + "\"");
        }
        if (made.kind == installation_method::kind_type::network_mirror) {
            auto const place = http::url::parse(made.location);
            if (!place || !place->secure)
                return wrong(
                    "the URL of a network mirror must begin with \"https:\", but this is \"" + made.location + "\"");
        }
        for (auto const& [kind, patterns] :
            {std::pair("include", &made.include), std::pair("exclude", &made.exclude)}) {
            for (std::string const& text : texts_in(block, kind).value_or(std::vector<std::string>())) {
                auto pattern = provider_pattern::parse(text);
                if (pattern) patterns->push_back(std::move(*pattern));
                else
                    wrong("\"" + text
                        + "\" is not a pattern for providers, such as \"hashicorp/*\" or \"example.com/*/*\"");
            }
        }
        if (made.kind == installation_method::kind_type::oci_mirror) check_template(made);
        into_.methods->push_back(std::move(made));
    }

    void read_overrides(setting const& block)
    {
        if (!into_.methods->empty()) wrong("the block \"dev_overrides\" must come before all installation methods");
        for (setting const& one : block.elements) {
            auto const of = provider_id::parse(one.name);
            if (of && one.kind == setting::kind_type::text) into_.development_overrides.insert_or_assign(*of, one.text);
            else wrong("\"" + one.name + "\" in \"dev_overrides\" is not the source of a provider");
        }
    }

    std::string shown_;
    cli_configuration& into_;
    infra::diagnostics problems_;
};

}  // namespace

auto provider_pattern::parse(std::string_view text) -> std::optional<provider_pattern>
{
    auto const slashes = std::ranges::count(text, '/');
    if (slashes != 1 && slashes != 2) return std::nullopt;
    auto const of = provider_id::parse(text);
    if (!of) return std::nullopt;
    // After a wildcard, all further parts must be wildcards.
    bool const rest =
        (of->host == "*" && (of->name_space != "*" || of->type != "*")) || (of->name_space == "*" && of->type != "*");
    if (rest) return std::nullopt;
    provider_pattern made;
    made.parts_ = *of;
    return made;
}

auto provider_pattern::matches(provider_id const& p) const -> bool
{
    auto const fits = [](std::string const& pattern, std::string const& text) {
        return pattern == "*" || pattern == text;
    };
    return fits(parts_.host, p.host) && fits(parts_.name_space, p.name_space) && fits(parts_.type, p.type);
}

auto installation_method::serves(provider_id const& p) const -> bool
{
    auto const matching = [&](provider_pattern const& pattern) { return pattern.matches(p); };
    return (include.empty() || std::ranges::any_of(include, matching)) && std::ranges::none_of(exclude, matching);
}

auto canonical_host(std::string_view host) -> std::optional<std::string>
{
    bool const plain = !host.empty() && std::ranges::all_of(host, [](char c) {
        return is_alphanumeric(c) || c == '.' || c == '-' || c == ':' || static_cast<unsigned char>(c) >= 0x80;
    });
    if (!plain || host.starts_with('.') || host.starts_with('-') || host.starts_with(':') || host.ends_with(':'))
        return std::nullopt;
    if (host.ends_with(":443")) host.remove_suffix(4);
    auto const colon = host.find(':');
    if (colon != std::string_view::npos && !is_digits(host.substr(colon + 1))) return std::nullopt;
    return ascii_lower_case(host);
}

auto cli_configuration::add(std::string const& shown, std::string_view text) -> infra::diagnostics
{
    setting_error error;
    auto const file = parse_settings(text, error);
    if (!file)
        return {messages::make_error(
            messages::invalid_cli_configuration, {shown, "line " + std::to_string(error.line) + ": " + error.why})};
    return settings_reader(shown, *this).read(*file);
}

auto cli_configuration::load() -> expected<cli_configuration>
{
    cli_configuration made;
    auto const home = environment_variable("HOME");
    if (!home.empty()) made.directory = fs::path(home) / ".terraform.d";

    std::vector<fs::path> files;
    auto named = environment_variable("TF_CLI_CONFIG_FILE");
    if (named.empty()) named = environment_variable("TERRAFORM_CONFIG");
    if (!named.empty()) files.emplace_back(named);
    else if (!home.empty()) {
        files.push_back(fs::path(home) / ".terraformrc");
        std::set<fs::path> in_order;
        std::error_code missing;
        for (auto const& entry : fs::directory_iterator(made.directory, missing)) {
            auto const name = entry.path().filename().string();
            if ((name.ends_with(".tfrc") || name.ends_with(".tfrc.json")) && !name.starts_with('.'))
                in_order.insert(entry.path());
        }
        files.insert(files.end(), in_order.begin(), in_order.end());
    }
    infra::diagnostics problems;
    for (fs::path const& file : files) {
        auto const text = read_input(file);
        if (text) problems.add(made.add(file.string(), *text));
        else if (!is_missing(text.error()))
            problems.add(
                messages::make_error(messages::package_file_unreadable, {file.string(), text.error().message()}));
    }
    if (auto const cache = environment_variable("TF_PLUGIN_CACHE_DIR"); !cache.empty()) made.plugin_cache = cache;
    if (auto const may = environment_variable("TF_PLUGIN_CACHE_MAY_BREAK_DEPENDENCY_LOCK_FILE"); !may.empty())
        made.cache_may_break_lock_file = is_true(may);
    if (std::error_code ignored; !made.plugin_cache.empty() && !fs::is_directory(made.plugin_cache, ignored))
        problems.add(messages::make_error(messages::plugin_cache_missing, {made.plugin_cache.string()}));
    if (auto const registry = environment_variable("IACCTL_REGISTRY_HOST"); !registry.empty()) {
        auto const host = canonical_host(registry);
        if (host) made.default_registry = *host;
        else problems.add(messages::make_error(messages::invalid_registry_host, {registry}));
    }
    if (!problems.empty()) return infra::failure(std::move(problems));
    return made;
}

}  // namespace iacctl::packages
