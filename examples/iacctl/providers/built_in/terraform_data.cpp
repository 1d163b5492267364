// SPDX-License-Identifier: BSL-1.0
#include "base/random.hpp"
#include "messages/providers.hpp"
#include "messages/report.hpp"
#include "providers/resource_type.hpp"

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace iacctl::providers {

namespace {

using language::type;
using strider::infra::lookup_answer;
using strider::infra::operation_kind;

auto new_id() -> std::string
{
    return iacctl::random_uuid();
}

auto store_schema() -> std::shared_ptr<language::schema const> const&
{
    static auto const made = std::make_shared<language::schema const>(
        language::schema{.attributes = {
                             {.name = "input", .of = type::dynamic(), .optional = true, .write_only = true},
                             {.name = "output", .of = type::dynamic(), .computed = true},
                             {.name = "replace", .of = type::boolean(), .optional = true},
                             {.name = "sensitive", .of = type::boolean(), .optional = true},
                             {.name = "sensitive_output", .of = type::dynamic(), .computed = true, .sensitive = true},
                             {.name = "version", .of = type::dynamic(), .optional = true},
                         }});
    return made;
}

/// The block `store` of a planned object: `input`, which is not stored, becomes one of the outputs.
class planned_store {
public:
    /// \param prior  the block before the change; null if there was none
    planned_store(value desired, value const& prior) : made_(std::move(desired))
    {
        // The value is not stored, but the configuration of the argument is sensitive nevertheless.
        value const hidden =
            attribute(made_, "input").is_sensitive() ? value().with_marks(language::mark::sensitive) : value();
        value const input = attribute(made_, "input").unmarked_deep();
        value const version = attribute(made_, "version").unmarked_deep();
        value output = attribute(prior, "output").unmarked_deep();
        value sensitive_output = attribute(prior, "sensitive_output").unmarked_deep();
        value const stored = sensitive_output.is_null() ? output : sensitive_output;
        if (attribute(prior, "sensitive").unmarked_deep() != attribute(made_, "sensitive").unmarked_deep()) put(stored);
        else made_ = with(made_, {{"output", std::move(output)}, {"sensitive_output", std::move(sensitive_output)}});
        bool const changes = version.is_null() ? !(stored.is_null() && input.is_null()) && stored != input
                                               : attribute(prior, "version").unmarked_deep() != version;
        // With a version, values that are null remain null.
        if (changes && !(stored.is_null() && input.is_null())) {
            put(value::unknown(input.get_type()));
            replaces_ = flag_of(made_, "replace");
        }
        made_ = with(made_, {{"input", hidden}});
    }

    [[nodiscard]] auto get() const -> value const& { return made_; }
    /// Returns whether the change of the output requires a new object.
    [[nodiscard]] auto replaces() const noexcept -> bool { return replaces_; }

private:
    void put(value const& output)
    {
        bool const sensitive = flag_of(made_, "sensitive");
        made_ =
            with(made_, {{"output", sensitive ? value() : output}, {"sensitive_output", sensitive ? output : value()}});
    }

    value made_;
    bool replaces_ = false;
};

// The unknown attribute of a block `store` that prevents a plan of its change.
auto unknown_part(value const& store) -> std::string_view
{
    if (store.is_null()) return {};
    for (std::string_view const name : {"sensitive", "replace"})
        if (store.is_unknown() || attribute(store, name).is_unknown()) return name;
    return {};
}

/// A value that is stored in state only.
///
/// \source Terraform 1.11, the built-in resource terraform_data, as recorded; its block `store`: Terraform 1.17.
class terraform_data_type final : public plain_resource_type {
public:
    [[nodiscard]] auto name() const noexcept -> std::string_view override { return "terraform_data"; }
    [[nodiscard]] auto provider() const noexcept -> std::string_view override
    {
        return "provider[\"terraform.io/builtin/terraform\"]";
    }
    [[nodiscard]] auto schema() const noexcept -> language::schema const& override
    {
        static language::schema const s{.attributes =
                                            {
                                                {.name = "id", .of = type::string(), .computed = true},
                                                {.name = "input", .of = type::dynamic(), .optional = true},
                                                {.name = "output", .of = type::dynamic(), .computed = true},
                                                {.name = "triggers_replace", .of = type::dynamic(), .optional = true},
                                            },
            .blocks = {{.name = "store",
                .how = language::nesting::single,
                .content = store_schema(),
                .left_out_if_null = true}},
            .built_in = true};
        return s;
    }

    [[nodiscard]] auto has_side_effects() const noexcept -> bool override { return false; }

    [[nodiscard]] auto plan(std::optional<value> const& prior, value const& desired) const -> expected<planned> override
    {
        value const store = attribute(desired, "store");
        if (auto const part = unknown_part(store); !part.empty())
            return problem_with("store", messages::make_error(messages::store_needs_known_value, {part}));
        if (!prior) return planned(new_object(desired));
        value const triggers = attribute(desired, "triggers_replace").unmarked_deep();
        if (attribute(*prior, "triggers_replace").unmarked_deep() != triggers) {
            planned made(new_object(desired), {path_of("triggers_replace")});
            // A new object has no previous version, so the output changes, too.
            value const before = with(attribute(*prior, "store"), {{"sensitive", value()}, {"version", value()}});
            if (!store.is_null() && planned_store(store, before).replaces())
                made.replace_paths.push_back({std::string("store"), std::string("input")});
            return made;
        }
        value const id = attribute(*prior, "id");
        value const bare = attribute(desired, "input").unmarked_deep();
        bool const same = attribute(*prior, "input").unmarked_deep() == bare;
        value const output = same ? attribute(*prior, "output") : not_yet(bare);
        if (store.is_null()) return planned(with(desired, {{"id", id}, {"output", output}}));
        planned_store const changed(store, attribute(*prior, "store"));
        if (changed.replaces()) return planned(new_object(desired), {{std::string("store"), std::string("input")}});
        return planned(with(desired, {{"id", id}, {"output", output}, {"store", changed.get()}}));
    }

protected:
    [[nodiscard]] auto read_now(value const& prior) const -> expected<std::optional<value>> override { return {prior}; }

    [[nodiscard]] auto apply_now(apply_request const& request) const -> applied override
    {
        if (!request.planned) return applied(std::nullopt);
        value made = *request.planned;
        if (attribute(made, "id").is_unknown()) made = with(made, {{"id", value(new_id())}});
        if (attribute(made, "output").is_unknown())
            made = with(made, {{"output", attribute(made, "input").unmarked_deep()}});
        // Only the configuration has the input of the store.
        for (std::string_view const name : {"output", "sensitive_output"})
            if (value const store = attribute(made, "store"); attribute(store, name).is_unknown()) {
                value const input = attribute(attribute(request.config, "store"), "input").unmarked_deep();
                made = with(made, {{"store", with(store, {{name, input}})}});
            }
        return applied(std::move(made));
    }

    // Objects exist in state only, so an operation that was not recorded did not take place.
    [[nodiscard]] auto look_up_now(apply_request const&) const -> looked_up override
    {
        return looked_up(lookup_answer::not_done);
    }
    [[nodiscard]] auto import_now(std::string const& id) const -> expected<value> override
    {
        return with(value::object({{"input", value()}, {"output", value()},
                        {"store", value::null(store_schema()->object_type())}, {"triggers_replace", value()}}),
            {{"id", value(id)}});
    }

private:
    // The output for an input, which is unknown before the apply.
    [[nodiscard]] static auto not_yet(value const& input) -> value
    {
        return input.is_null() ? input : value::unknown(input.get_type());
    }
    [[nodiscard]] static auto new_object(value const& desired) -> value
    {
        value const store = attribute(desired, "store");
        value made = with(desired,
            {{"id", value::unknown(type::string()).refined_not_null()},
                {"output", not_yet(attribute(desired, "input").unmarked_deep())}});
        if (store.is_null()) return made;
        return with(made, {{"store", planned_store(store, value()).get()}});
    }
};

}  // namespace

auto terraform_data() -> resource_type const&
{
    static terraform_data_type const instance;
    return instance;
}

}  // namespace iacctl::providers
