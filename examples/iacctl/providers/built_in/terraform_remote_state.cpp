// SPDX-License-Identifier: BSL-1.0
#include "language/values/convert.hpp"
#include "messages/backends.hpp"
#include "messages/catalogue.hpp"
#include "messages/providers.hpp"
#include "messages/report.hpp"
#include "providers/data_source.hpp"
#include "providers/resource_type.hpp"
#include "state/backends/file_state.hpp"
#include "state/backends/foreign_types.hpp"
#include "state/backends/remote_backend.hpp"
#include "state/backends/types.hpp"
#include "state/document/foreign_state.hpp"
#include "state/workspace_name.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace iacctl::providers {

namespace {

using language::type;
using messages::make_error;
using strider::infra::failure;

using outputs = std::map<std::string, value, std::less<>>;

auto demand_of(type const& t) -> std::string
{
    return t.is(language::type_kind::string) ? "a string"
        : t.is(language::type_kind::boolean) ? "true or false"
        : t.is(language::type_kind::number)  ? "a number"
                                             : "a value of the type " + t.constraint_name();
}

auto outputs_of(strider::infra::snapshot const& state) -> expected<outputs>
{
    outputs found;
    for (auto const& [name, output] : state.outputs) {
        auto const of = language::type_from_json(output.type.text());
        auto read = of ? language::from_json(output.value.text(), *of) : language::result<value>(of.error());
        if (!read)
            return problem_with(
                "config", make_error(messages::remote_state_output_unreadable, {name, read.error().message()}));
        found.insert_or_assign(name, std::move(*read));
    }
    return found;
}

/// The outputs of another state, in any backend of this program. The backend "local" reads the state of this program
/// with the given name, or else a state file of Terraform.
///
/// \source Terraform 1.11, the built-in data source terraform_remote_state: arguments, defaults.
class terraform_remote_state_source final : public data_source {
public:
    [[nodiscard]] auto name() const noexcept -> std::string_view override { return "terraform_remote_state"; }
    [[nodiscard]] auto provider() const noexcept -> std::string_view override
    {
        return "provider[\"terraform.io/builtin/terraform\"]";
    }
    [[nodiscard]] auto schema() const noexcept -> language::schema const& override
    {
        static language::schema const s{.attributes =
                                            {
                                                {.name = "backend", .of = type::string(), .required = true},
                                                {.name = "config", .of = type::dynamic(), .optional = true},
                                                {.name = "defaults", .of = type::dynamic(), .optional = true},
                                                {.name = "outputs", .of = type::dynamic(), .computed = true},
                                                {.name = "workspace", .of = type::string(), .optional = true},
                                            },
            .judge = judge};
        return s;
    }

    [[nodiscard]] auto read(value config, data_context around) const -> task<expected<value>> override
    {
        value const bare = config.unmarked_deep();
        auto const* const of = backends::find_type(text_of(bare, "backend"));
        if (of == nullptr) co_return no_backend(text_of(bare, "backend"));
        auto const settings = settings_of(bare, *of);
        if (!settings) co_return settings.error();
        std::string workspace = text_of(bare, "workspace");
        if (workspace.empty()) workspace = state::default_workspace;
        auto const in = backend_of(*of, *settings, workspace, around.encryption);
        if (!in) co_return about_config(in.error());
        auto const store = (*in)->open(workspace, state::open_mode::read_only);
        auto reading = store->read();
        auto const found = co_await std::move(reading);
        if (!found) co_return about_document(found.error());
        if (found->lineage.empty() && found->outputs.empty() && found->resources.empty())
            co_return problem_with("config", make_error(messages::remote_state_not_found));
        co_return answer(config, outputs_of(*found));
    }

private:
    // Validates the configuration before the read. Backends that only Terraform supports are reported by the read.
    [[nodiscard]] static auto judge(value const& config) -> std::optional<language::attribute_problem>
    {
        if (!attribute(config, "backend").has_data()) return std::nullopt;
        std::string const backend = text_of(config, "backend");
        auto const complain = [](failure const& why) {
            auto const& first = why.why().front();
            language::attribute_problem found{{first.attribute}, {}};
            found.problem.summary = first.summary;
            found.problem.detail = first.detail;
            found.problem.code = messages::find_message(first.code)->code;
            return found;
        };
        if (auto const* const of = backends::find_type(backend)) {
            auto const settings = settings_of(config, *of);
            return settings ? std::nullopt : std::optional(complain(settings.error()));
        }
        bool const is_foreign =
            backend != backends::cloud_block && backends::find_foreign_arguments(backend) != nullptr;
        if (is_foreign || backend == "pg") return std::nullopt;  // a program without PostgreSQL lacks "pg"
        return complain(no_backend(backend));
    }
    [[nodiscard]] static auto no_backend(std::string const& name) -> failure
    {
        return problem_with(
            "backend", make_error(messages::remote_state_backend_unknown, {name, backends::names_of_types()}));
    }

    [[nodiscard]] static auto answer(value const& config, expected<outputs> const& found) -> expected<value>
    {
        if (!found) return found.error();
        // Only the arguments keep their marks: "outputs" is what the data source makes of them.
        value const defaults = attribute(config, "defaults").unmarked_deep();
        if (defaults.has_data() && !defaults.is(language::type_kind::object) && !defaults.is(language::type_kind::map))
            return problem_with("defaults", make_error(messages::remote_state_defaults_not_object));
        outputs all;
        for (language::value_entry const& e : defaults.entries()) all.insert_or_assign(e.key, e.of);
        for (auto const& [name, v] : *found) all.insert_or_assign(name, v);
        std::vector<language::value_entry> entries;
        for (auto& [name, v] : all) entries.push_back({name, std::move(v)});
        return with(config, {{"outputs", value::object(std::move(entries))}});
    }

    // Removes the diagnostic whose remedies concern the state of this configuration.
    [[nodiscard]] static auto about_document(failure const& f) -> failure
    {
        auto const all = f.why();
        strider::infra::diagnostics why;
        for (strider::infra::diagnostic const& one : all)
            if (all.size() == 1 || one.code != messages::remote_state_damaged.code) why.add(one);
        return failure(std::move(why));
    }
    [[nodiscard]] static auto unsuitable(strider::infra::diagnostic problem) -> failure
    {
        return problem_with("config", std::move(problem));
    }
    // Arguments of a backend are parts of "config".
    [[nodiscard]] static auto about_config(failure const& f) -> failure
    {
        auto why = f.why();
        why.update([](strider::infra::diagnostic& d) { d.attribute = "config"; });
        return failure(std::move(why));
    }

    /// The settings for a backend: the attributes that it supports, converted to their types.
    [[nodiscard]] static auto settings_of(value const& config, backends::backend_type const& backend) -> expected<value>
    {
        value const given = attribute(config, "config");
        value const none = backends::no_settings(backend);
        if (!given.has_data()) return none;
        if (!given.is(language::type_kind::object) && !given.is(language::type_kind::map))
            return unsuitable(make_error(messages::remote_state_config_not_object));
        auto const known = backend.arguments().object_type();
        std::vector<language::value_entry> settings(none.entries().begin(), none.entries().end());
        for (language::value_entry const& e : given.entries()) {
            auto const* const at = known.find(e.key);
            if (at == nullptr)
                return unsuitable(make_error(messages::remote_state_config_attribute_unknown, {backend.name, e.key}));
            auto const* const argument = backend.arguments().find(e.key);
            bool const is_object = argument != nullptr && argument->nested;
            auto converted = language::convert(e.of, is_object ? argument->nested->configured : at->of);
            if (!converted)
                return unsuitable(make_error(
                    messages::remote_state_config_attribute_wrong, {backend.name, e.key, demand_of(at->of)}));
            settings.push_back({e.key, std::move(*converted)});
        }
        return value::object(std::move(settings));
    }

    [[nodiscard]] static auto backend_of(backends::backend_type const& type, value const& settings,
        std::string const& workspace, std::shared_ptr<encryption::target const> const& encryption)
        -> expected<std::shared_ptr<state::backend>>
    {
        backends::place here;
        here.encryption = encryption;
        auto made = type.make(settings, here);
        if (!made || type.name != "local") return made;
        auto const exists = (*made)->exists(workspace);
        if (!exists) return exists.error();
        if (*exists) return made;
        auto const places = state::terraform_state_paths::of_record({"local", language::to_json(settings)});
        return std::shared_ptr<state::backend>(std::make_shared<backends::remote_backend>(
            backends::make_file_state(places), here.mirror_of("file", places.path.string()), encryption));
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
