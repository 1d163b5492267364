// SPDX-License-Identifier: BSL-1.0
#include "oci_credentials.hpp"

#include "base/blocking_child.hpp"
#include "base/encoding.hpp"
#include "base/environment.hpp"
#include "base/input_file.hpp"
#include "base/json.hpp"
#include "messages/installation.hpp"
#include "messages/report.hpp"

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace iacctl::packages {

namespace fs = std::filesystem;

namespace {

auto of_helper(std::string const& name) -> oci_credentials
{
    oci_credentials made;
    made.helper = name;
    return made;
}

// The number of parts of an address that match a pattern; 0: the pattern is for another repository.
auto parts_in_common(std::string_view pattern, std::string_view address) -> std::size_t
{
    if (!address.starts_with(pattern) || (address.size() > pattern.size() && address[pattern.size()] != '/')) return 0;
    std::size_t parts = 1;
    for (char const c : pattern) parts += c == '/' ? 1U : 0U;
    return parts;
}

auto usual_files() -> std::vector<fs::path>
{
    std::vector<fs::path> all;
    auto const add = [&](std::string const& directory, char const* name) {
        if (!directory.empty()) all.push_back(fs::path(directory) / name);
    };
    auto const home = environment_variable("HOME");
    auto settings = environment_variable("XDG_CONFIG_HOME");
    if (settings.empty() && !home.empty()) settings = home + "/.config";
    add(environment_variable("XDG_RUNTIME_DIR"), "containers/auth.json");
    add(settings, "containers/auth.json");
    add(home, ".docker/config.json");
    add(home, ".dockercfg");
    return all;
}

// Finds the most specific credentials; of equally specific ones, the first.
class credentials_search {
public:
    credentials_search(std::string const& registry, std::string const& repository)
        : registry_(registry),
          address_(registry + "/" + repository)
    {}

    void add(std::string_view pattern, oci_credentials const& found)
    {
        auto const parts = parts_in_common(pattern, address_);
        if (parts <= best_parts_) return;
        best_parts_ = parts;
        best_ = found;
    }

    auto add_file(fs::path const& file, bool required) -> infra::diagnostics
    {
        auto const unreadable = [&](std::string const& why) {
            return infra::diagnostics{messages::make_error(messages::package_file_unreadable, {file.string(), why})};
        };
        auto const text = read_input(file);
        if (!text)
            return required || !is_missing(text.error()) ? unreadable(text.error().message()) : infra::diagnostics();
        auto const document = parse_json(*text);
        if (!document) return unreadable(document.error().what());
        if (document->members() == nullptr) return unreadable("it is not a JSON object");
        bool const old = file.filename() == ".dockercfg";
        auto const* const entries = old ? &*document : document->find("auths");
        if (entries != nullptr && entries->members() != nullptr)
            for (json::member const& one : *entries->members()) add_entry(one.name, one.value);
        if (auto const* const helpers = document->find("credHelpers");
            helpers != nullptr && helpers->members() != nullptr)
            for (json::member const& one : *helpers->members())
                if (one.value.text() != nullptr) add(one.name, of_helper(*one.value.text()));
        if (usual_helper_.empty()) usual_helper_ = document->text_of("credsStore");
        return {};
    }

    [[nodiscard]] auto result(std::string const& usual_helper) -> expected<oci_credentials>
    {
        if (best_parts_ == 0) best_.helper = usual_helper.empty() ? usual_helper_ : usual_helper;
        if (best_.helper.empty()) return best_;
        return ask_helper(best_.helper);
    }

private:
    // "auths" has texts USER:PASSWORD in base64. Files of old versions name registries by URLs.
    void add_entry(std::string_view name, json const& entry)
    {
        if (auto const scheme = name.find("://"); scheme != std::string_view::npos) {
            name.remove_prefix(scheme + 3);
            name = name.substr(0, name.find('/'));
        }
        oci_credentials found;
        found.refresh_token = entry.text_of("identitytoken");
        auto const decoded = from_base64(entry.text_of("auth")).value_or("");
        if (auto const colon = decoded.find(':'); colon != std::string::npos) {
            found.username = decoded.substr(0, colon);
            found.password = decoded.substr(colon + 1);
            while (found.password.ends_with('\0')) found.password.pop_back();
        }
        // An entry without credentials means that a helper has them.
        if (!found.is_empty()) add(name, found);
    }

    auto ask_helper(std::string const& name) const -> expected<oci_credentials>
    {
        std::string const program = "docker-credential-" + name;
        auto const fail = [&](std::string const& why, std::string const& errors) {
            return infra::failure(
                messages::make_error(messages::credentials_helper_failed, {program, registry_, why, errors}));
        };
        child_command command;
        command.words = {program, "get"};
        command.input = registry_;
        auto const run = run_child(std::move(command), std::chrono::minutes(1), std::size_t{1} << 20U);
        // This text is the only way in which a helper reports that it has no credentials.
        if (run.output.find("credentials not found") != std::string::npos) return oci_credentials();
        if (!run.succeeded()) return fail(run.why, run.errors.empty() ? "" : " Its standard error:\n\n" + run.errors);
        auto const document = parse_json(run.output);
        if (!document || document->members() == nullptr) return fail("its output is not a JSON object", {});
        oci_credentials found;
        found.username = document->text_of("Username");
        std::string secret = document->text_of("Secret");
        if (found.username == "<token>") {
            found.username.clear();
            found.refresh_token = std::move(secret);
        } else found.password = std::move(secret);
        return found;
    }

    std::string registry_;
    std::string address_;
    std::size_t best_parts_ = 0;
    oci_credentials best_;
    std::string usual_helper_;
};

}  // namespace

auto oci_credentials_for(oci_settings const& from, std::string const& registry, std::string const& repository)
    -> expected<oci_credentials>
{
    credentials_search search(registry, repository);
    for (auto const& [pattern, found] : from.credentials) search.add(pattern, found);
    if (from.discovers) {
        for (fs::path const& file : from.files ? *from.files : usual_files())
            if (auto problems = search.add_file(file, from.files.has_value()); !problems.empty())
                return infra::failure(std::move(problems));
    }
    return search.result(from.helper);
}

}  // namespace iacctl::packages
