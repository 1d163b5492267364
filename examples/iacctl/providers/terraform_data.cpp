// SPDX-License-Identifier: BSL-1.0
#include "resource_type.hpp"

#include "support/random.hpp"

#include <array>
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

/// A value that lives in state and nowhere else.
///
/// \source Terraform 1.11, the built-in resource terraform_data, as recorded.
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
            .built_in = true};
        return s;
    }

    [[nodiscard]] auto plan(std::optional<value> const& prior, value const& wanted) const -> expected<planned> override
    {
        value const input = attribute(wanted, "input");
        value const bare = input.unmarked_deep();
        value const unknown_id = value::unknown(type::string()).refined_not_null();
        value const new_output = bare.is_null() ? bare : value::unknown(bare.get_type());
        if (!prior) return planned(with(wanted, {{"id", unknown_id}, {"output", new_output}}));
        value const triggers = attribute(wanted, "triggers_replace").unmarked_deep();
        if (attribute(*prior, "triggers_replace").unmarked_deep() != triggers) {
            return planned(with(wanted, {{"id", unknown_id}, {"output", new_output}}), {path_of("triggers_replace")});
        }
        bool const same = attribute(*prior, "input").unmarked_deep() == bare;
        value const output = same ? attribute(*prior, "output") : value::unknown(bare.get_type());
        return planned(with(wanted, {{"id", attribute(*prior, "id")}, {"output", output}}));
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
        return applied(std::move(made));
    }

    // Nothing exists but what state has: what was not recorded did not happen.
    [[nodiscard]] auto look_up_now(apply_request const&) const -> looked_up override
    {
        return looked_up(lookup_answer::not_done);
    }
    [[nodiscard]] auto import_now(std::string const& id) const -> expected<value> override
    {
        return with(value::object({{"input", value()}, {"output", value()}, {"triggers_replace", value()}}),
            {{"id", value(id)}});
    }
};

}  // namespace

auto terraform_data() -> resource_type const&
{
    static terraform_data_type const instance;
    return instance;
}

}  // namespace iacctl::providers
