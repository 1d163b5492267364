// SPDX-License-Identifier: BSL-1.0
#include "data_source.hpp"

#include "resource_type.hpp"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace iacctl::providers {

namespace {

using language::type;
using strider::infra::failure;
using strider::infra::make_error;
template <class T>
using task = strider::infra::task<T>;

using outputs = std::map<std::string, value, std::less<>>;

auto about(std::string_view attribute, std::string summary, std::string detail) -> failure
{
    auto d = make_error(std::move(summary), std::move(detail));
    d.attribute = attribute;
    return failure(std::move(d));
}

auto invalid_backend(std::string_view attribute, std::string detail) -> failure
{
    return about(attribute, "Invalid backend configuration", std::move(detail));
}

// Of a state file of version 4, whoever wrote it.
auto read_outputs(std::string const& text) -> checked<outputs>
{
    auto const damaged = [](std::string detail) {
        return about({}, "Unsupported state file format", std::move(detail));
    };
    auto const parsed = nlohmann::json::parse(text, nullptr, false);
    if (parsed.is_discarded() || !parsed.is_object()) return damaged("The state file could not be parsed as JSON.");
    auto const version = parsed.find("version");
    if (version == parsed.end())
        return damaged("The state file does not have a \"version\" attribute, which is required to identify the format "
                       "version.");
    if (*version != 4)
        return damaged("The state file uses format version " + version->dump() + "; only version 4 can be read.");
    outputs found;
    auto const all = parsed.find("outputs");
    if (all == parsed.end() || !all->is_object()) return found;
    for (auto const& [name, output] : all->items()) {
        if (!output.is_object() || !output.contains("value") || !output.contains("type"))
            return damaged("The output \"" + name + "\" has no value or no type.");
        auto const of = language::type_from_json(output["type"].dump());
        auto read = of ? language::from_json(output["value"].dump(), *of) : language::result<value>(of.error());
        if (!read) return damaged("The output \"" + name + "\" cannot be read: " + read.error().message() + ".");
        found.insert_or_assign(name, std::move(*read));
    }
    return found;
}

/// The outputs of another state.
///
/// \source Terraform 1.11, the built-in data source terraform_remote_state: arguments, defaults, texts.
class terraform_remote_state_source final : public data_source {
public:
    [[nodiscard]] auto name() const noexcept -> std::string_view override { return "terraform_remote_state"; }
    [[nodiscard]] auto provider() const noexcept -> std::string_view override
    {
        return "provider[\"terraform.io/builtin/terraform\"]";
    }
    [[nodiscard]] auto schema() const noexcept -> language::schema const& override
    {
        static language::schema const s{{
            {.name = "backend", .of = type::string(), .required = true},
            {.name = "config", .of = type::dynamic(), .optional = true},
            {.name = "defaults", .of = type::dynamic(), .optional = true},
            {.name = "outputs", .of = type::dynamic(), .computed = true},
            {.name = "workspace", .of = type::string(), .optional = true},
        }};
        return s;
    }

    [[nodiscard]] auto read(value config) const -> task<checked<value>> override
    {
        co_return read_now(config.unmarked_deep());
    }

private:
    [[nodiscard]] static auto read_now(value const& config) -> checked<value>
    {
        std::string const backend(attribute(config, "backend").as_string());
        if (backend != "local")
            return invalid_backend("backend", "There is no backend type named \"" + backend + "\".");
        auto const found = read_local(config);
        if (!found) return found.error();

        value const defaults = attribute(config, "defaults");
        if (defaults.has_data() && !defaults.is(language::type_kind::object) && !defaults.is(language::type_kind::map))
            return about("defaults", "Invalid default values", "Defaults must be given in an object value.");
        outputs all;
        for (language::value_entry const& e : defaults.entries()) all.insert_or_assign(e.key, e.of);
        for (auto const& [name, v] : *found) all.insert_or_assign(name, v);
        std::vector<language::value_entry> entries;
        for (auto& [name, v] : all) entries.push_back({name, std::move(v)});
        return with(config, {{"outputs", value::object(std::move(entries))}});
    }

    [[nodiscard]] static auto read_local(value const& config) -> checked<outputs>
    {
        auto const unsuitable = [](std::string const& why) {
            return invalid_backend(
                "config", "The given configuration is not valid for backend \"local\": " + why + ".");
        };
        std::string path = "terraform.tfstate";
        std::string directory = "terraform.tfstate.d";
        value const given = attribute(config, "config");
        if (given.has_data() && !given.is(language::type_kind::object) && !given.is(language::type_kind::map))
            return unsuitable("an object is required");
        for (language::value_entry const& e : given.entries()) {
            if (e.key != "path" && e.key != "workspace_dir")
                return unsuitable("unexpected attribute \"" + e.key + "\"");
            if (e.of.is_null()) continue;
            if (!e.of.is(language::type_kind::string))
                return unsuitable("attribute \"" + e.key + "\": a string is required");
            (e.key == "path" ? path : directory) = e.of.as_string();
        }
        value const workspace = attribute(config, "workspace");
        if (workspace.has_data() && workspace.as_string() != "default")
            path = directory + "/" + std::string(workspace.as_string()) + "/terraform.tfstate";

        errno = 0;
        std::ifstream in(path, std::ios::binary);
        if (!in && errno == ENOENT)
            return about({}, "Unable to find remote state",
                "No stored state was found for the given workspace in the given backend.");
        std::string const text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
        if (!in.good() && !in.eof())
            return about({}, "Error loading state error",
                "error loading the remote state: " + path + ": " + std::string(std::strerror(errno)));
        return read_outputs(text);
    }
};

}  // namespace

auto terraform_remote_state() -> data_source const&
{
    static terraform_remote_state_source const instance;
    return instance;
}

auto to_be_read(data_source const& source, value const& config) -> value
{
    value result = config;
    for (language::schema_attribute const& a : source.schema().attributes)
        if (a.computed && attribute(result, a.name).is_null()) result = with(result, {{a.name, value::unknown(a.of)}});
    return result;
}

}  // namespace iacctl::providers
