// SPDX-License-Identifier: BSL-1.0
#include "recorded_type.hpp"
#include "timestamp.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace iacctl::providers {

namespace {

using strider::infra::failure;
using strider::infra::make_error;

constexpr std::string_view time_provider = "provider[\"registry.terraform.io/hashicorp/time\"]";

auto optional_attribute(std::string_view name, language::type of, on_change change = on_change::update)
    -> attribute_rule
{
    return {{.name = std::string(name), .of = std::move(of), .optional = true}, change};
}

auto triggers_rule() -> attribute_rule
{
    return optional_attribute("triggers", language::type::map(language::type::string()), on_change::replace);
}

auto bad_timestamp(std::string const& text) -> failure
{
    return failure(make_error("Invalid RFC3339 String Value",
        "A string value was provided that is not valid RFC3339 string format.\n\nGiven Value: " + text));
}

// The attributes of a time: "year" to "second", and "unix".
auto with_fields(value const& of, timestamp const& at) -> value
{
    using language::number;
    auto const f = at.fields();
    return with(of,
        {{"year", value(number(f.year))}, {"month", value(number(f.month))}, {"day", value(number(f.day))},
            {"hour", value(number(f.hour))}, {"minute", value(number(f.minute))}, {"second", value(number(f.second))},
            {"unix", value(number(at.unix_seconds()))}});
}

void add_time_rules(std::vector<attribute_rule>& rules)
{
    for (std::string_view const field : {"year", "month", "day", "hour", "minute", "second", "unix"})
        rules.push_back(computed_rule(field, language::type::number()));
    rules.push_back(
        {{.name = "rfc3339", .of = language::type::string(), .optional = true, .computed = true}, on_change::replace});
    rules.push_back(computed_rule("id"));
    rules.push_back(triggers_rule());
}

/// What is given as `rfc3339`, or now.
auto base_time(value const& of) -> checked<timestamp>
{
    std::string const given = text_of(of, "rfc3339");
    if (given.empty()) return timestamp::now();
    auto const read = timestamp::parse(given);
    if (!read) return bad_timestamp(given);
    return *read;
}

/// The time at which an object was made, kept.
///
/// \source hashicorp/time, resource time_static.
class time_static_type final : public recorded_type {
public:
    time_static_type()
        : recorded_type("time_static", time_provider, [] {
              std::vector<attribute_rule> rules;
              add_time_rules(rules);
              return rules;
          }())
    {}

    [[nodiscard]] auto plan(std::optional<value> const& prior, value const& wanted) const -> checked<planned> override
    {
        auto made = recorded_type::plan(prior, wanted);
        if (!made || prior || text_of(wanted, "rfc3339").empty()) return made;
        auto known = create(made->after);
        if (!known) return known.error();
        return planned(std::move(*known));
    }

protected:
    [[nodiscard]] auto create(value const& planned) const -> checked<value> override
    {
        auto const at = base_time(planned);
        if (!at) return at.error();
        return at_time(planned, *at);
    }

    [[nodiscard]] auto import_now(std::string const& id) const -> checked<value> override
    {
        auto const at = timestamp::parse(id);
        if (!at)
            return failure(make_error("Import time static error",
                "The id that was supplied could not be parsed as RFC3339.\n\nOriginal Error: \"" + id
                    + "\" is no such time."));
        return with(at_time(blank(), *at), {{"triggers", value::map(language::type::string(), {})}});
    }

private:
    static auto at_time(value const& of, timestamp const& at) -> value
    {
        // As it was written, where it was: the text is kept to the letter.
        std::string const given = text_of(of, "rfc3339");
        value const text(given.empty() ? at.text() : given);
        return with(with_fields(of, at), {{"rfc3339", text}, {"id", text}});
    }
};

constexpr std::array<std::string_view, 5> rotation_units{
    "rotation_years", "rotation_months", "rotation_days", "rotation_hours", "rotation_minutes"};
// A thousand years of each.
constexpr std::array<std::int64_t, 5> longest_rotations{1'000, 12'000, 365'000, 8'760'000, 525'600'000};

/// A time that is gone when another has come.
///
/// \source hashicorp/time, resource time_rotating.
class time_rotating_type final : public recorded_type {
public:
    time_rotating_type()
        : recorded_type("time_rotating", time_provider, [] {
              std::vector<attribute_rule> rules;
              add_time_rules(rules);
              for (std::size_t i = 0; i < rotation_units.size(); ++i) {
                  rules.push_back(optional_attribute(rotation_units[i], language::type::number()));
                  rules.back().at_least = 1;
                  rules.back().at_most = longest_rotations[i];
              }
              rules.push_back(optional_attribute("rotation_rfc3339", language::type::string()));
              rules.back().is.computed = true;
              return rules;
          }())
    {}

    [[nodiscard]] auto plan(std::optional<value> const& prior, value const& wanted) const -> checked<planned> override
    {
        auto made = recorded_type::plan(prior, wanted);
        if (!made || !prior || !made->replace_paths.empty()) return made;
        bool changed = false;
        for (std::string_view const unit : rotation_units)
            changed = changed || attribute(*prior, unit).unmarked() != attribute(wanted, unit).unmarked();
        value const given = attribute(wanted, "rotation_rfc3339").unmarked();
        changed = changed || (!given.is_null() && given != attribute(*prior, "rotation_rfc3339").unmarked());
        if (!changed) return made;
        if (expired(*prior)) made->replace_paths.emplace_back("rotation_rfc3339");
        value const open = with(made->after, {{"rotation_rfc3339", given}});
        auto rotated = open.wholly_known() ? create(open) : checked<value>(unknown_again(made->after));
        if (!rotated) return rotated.error();
        made->after = std::move(*rotated);
        return made;
    }

protected:
    [[nodiscard]] auto prepare(value wanted) const -> checked<value> override
    {
        bool any = !attribute(wanted, "rotation_rfc3339").is_null();
        for (std::string_view const unit : rotation_units) any = any || !attribute(wanted, unit).is_null();
        if (!any)
            return failure(make_error("Missing Attribute Configuration",
                "At least one of these attributes must be configured: "
                "[rotation_minutes,rotation_hours,rotation_days,rotation_months,rotation_years,rotation_rfc3339]"));
        for (auto const* const name : {"rfc3339", "rotation_rfc3339"}) {
            std::string const text = text_of(wanted, name);
            if (!text.empty() && !timestamp::parse(text)) return bad_timestamp(text);
        }
        return wanted;
    }

    [[nodiscard]] auto create(value const& planned) const -> checked<value> override
    {
        auto const base = base_time(planned);
        if (!base) return base.error();
        return rotating(planned, *base);
    }

    /// What has expired is gone.
    [[nodiscard]] auto read_now(value const& prior) const -> checked<std::optional<value>> override
    {
        if (expired(prior)) return std::optional<value>();
        return {prior};
    }

    [[nodiscard]] auto import_now(std::string const& id) const -> checked<value> override
    {
        std::vector<std::string> parts(1);
        for (char const c : id) {
            if (c == ',') parts.emplace_back();
            else parts.back() += c;
        }
        auto const wrong_format = [&](std::string const& wanted) {
            return failure(
                make_error("Unexpected Format of ID", "Unexpected format of ID (\"" + id + "\"), expected " + wanted));
        };
        auto const wrong = [](std::string const& why) {
            return failure(make_error("Import time rotating error",
                "The parameter that was supplied could not be parsed.\n\nOriginal Error: " + why));
        };
        if (parts.size() != 2 && parts.size() != 6)
            return wrong_format("BASETIMESTAMP,YEARS,MONTHS,DAYS,HOURS,MINUTES or BASETIMESTAMP,ROTATIONTIMESTAMP");
        auto const base = timestamp::parse(parts[0]);
        if (!base) return wrong("\"" + parts[0] + "\" is no RFC3339 time.");
        value found = with(blank(), {{"triggers", value::map(language::type::string(), {})}});
        if (parts.size() == 2) {
            if (!timestamp::parse(parts[1])) return wrong("\"" + parts[1] + "\" is no RFC3339 time.");
            return rotating(with(found, {{"rotation_rfc3339", value(parts[1])}}), *base);
        }
        bool any = false;
        for (std::size_t i = 0; i < rotation_units.size(); ++i) {
            if (parts[i + 1].empty()) continue;
            auto const number = language::number::parse_whole(parts[i + 1], 10);
            auto const whole = number ? number->as_int64() : std::nullopt;
            if (!whole || *whole < 0 || *whole > longest_rotations[i])
                return wrong("could not parse rotation (\"" + parts[i + 1] + "\") as int.");
            any = true;
            found = with(found, {{rotation_units[i], value(*number)}});
        }
        if (!any)
            return wrong_format("BASETIMESTAMP,YEARS,MONTHS,DAYS,HOURS,MINUTES where at least one rotation value is "
                                "non-empty");
        return rotating(found, *base);
    }

private:
    static auto expired(value const& of) -> bool
    {
        auto const at = timestamp::parse(text_of(of, "rotation_rfc3339"));
        return at && timestamp::now().unix_seconds() > at->unix_seconds();
    }

    static auto unknown_again(value of) -> value
    {
        for (std::string_view const field : {"year", "month", "day", "hour", "minute", "second", "unix"})
            of = with(of, {{field, value::unknown(language::type::number())}});
        if (!attribute(of, "rotation_rfc3339").is_unknown())
            of = with(of, {{"rotation_rfc3339", value::unknown(language::type::string())}});
        return of;
    }

    // Of several units the last one named here counts.
    static auto rotating(value const& of, timestamp const& base) -> checked<value>
    {
        auto const amount = [&](std::string_view unit) { return number_of(of, unit).value_or(0); };
        timestamp next = base;
        if (auto const days = amount("rotation_days")) next = base.plus_date(0, 0, days);
        if (auto const hours = amount("rotation_hours")) next = base.plus(std::chrono::hours(hours));
        if (auto const minutes = amount("rotation_minutes")) next = base.plus(std::chrono::minutes(minutes));
        if (auto const months = amount("rotation_months")) next = base.plus_date(0, months, 0);
        std::string const given = text_of(of, "rotation_rfc3339");
        if (!given.empty()) {
            auto const read = timestamp::parse(given);
            if (!read) return bad_timestamp(given);
            next = *read;
        }
        if (auto const years = amount("rotation_years")) next = base.plus_date(years, 0, 0);
        std::string const written = text_of(of, "rfc3339");
        value const at(written.empty() ? base.text() : written);
        value const rotation(given.empty() ? next.text() : given);
        return with(with_fields(of, next), {{"rfc3339", at}, {"id", at}, {"rotation_rfc3339", rotation}});
    }
};

/// Waits when it is made, when it is destroyed, or both.
///
/// \source hashicorp/time, resource time_sleep.
class time_sleep_type final : public resource_type {
public:
    time_sleep_type()
        : rules_{optional_attribute("create_duration", language::type::string()),
              optional_attribute("destroy_duration", language::type::string()), triggers_rule(), computed_rule("id")},
          schema_(schema_of(rules_))
    {}

    [[nodiscard]] auto name() const noexcept -> std::string_view override { return "time_sleep"; }
    [[nodiscard]] auto provider() const noexcept -> std::string_view override { return time_provider; }
    [[nodiscard]] auto schema() const noexcept -> language::schema const& override { return schema_; }

    [[nodiscard]] auto plan(std::optional<value> const& prior, value const& wanted) const -> checked<planned> override
    {
        if (attribute(wanted, "create_duration").is_null() && attribute(wanted, "destroy_duration").is_null())
            return failure(make_error("Invalid Attribute Combination",
                "At least one attribute out of [create_duration,destroy_duration] must be specified"));
        for (auto const* const name : {"create_duration", "destroy_duration"}) {
            value const given = attribute(wanted, name);
            if (given.has_data() && !parse_simple_duration(text_of(wanted, name)))
                return problem_with(name, "Invalid Attribute Value Match",
                    "Attribute " + std::string(name)
                        + " must be a number immediately followed by ms (milliseconds), s (seconds), m (minutes), or h "
                          "(hours). For example, \"30s\" for 30 seconds., got: "
                        + text_of(wanted, name));
        }
        return plan_by_rules(rules_, prior, wanted);
    }

    [[nodiscard]] auto read(value prior) const -> task<checked<std::optional<value>>> override { co_return prior; }

    [[nodiscard]] auto apply(apply_request request) const -> task<applied> override
    {
        using strider::infra::operation_kind;
        if (request.operation.kind == operation_kind::update) co_return applied(std::move(request.planned));
        bool const destroys = !request.planned;
        value const of = destroys ? *request.prior : *request.planned;
        auto const duration = parse_simple_duration(text_of(of, destroys ? "destroy_duration" : "create_duration"));
        if (duration && duration->count() > 0) {
            // A cancellation ends the wait, and is told as a failure: nothing has been made or destroyed.
            co_await strider::asio::this_coro::throw_if_cancelled(false);
            auto const executor = co_await strider::asio::this_coro::executor;
            strider::asio::steady_timer timer(executor, *duration);
            auto token = strider::asio::as_tuple(strider::asio::use_awaitable);
            auto waiting = timer.async_wait(token);
            auto const [error] = co_await std::move(waiting);
            if (error)
                co_return applied(destroys ? request.prior : std::nullopt,
                    one_error(destroys ? "Delete time sleep error" : "Create time sleep error",
                        "Original Error: context canceled"));
        }
        if (destroys) co_return applied(std::nullopt);
        co_return applied(with(of, {{"id", value(timestamp::now().text())}}));
    }

    [[nodiscard]] auto look_up(apply_request) const -> task<looked_up> override
    {
        co_return looked_up(strider::infra::lookup_answer::not_done);
    }

    [[nodiscard]] auto import_object(std::string id) const -> task<checked<value>> override
    {
        auto const comma = id.find(',');
        std::string const create = id.substr(0, comma);
        std::string const destroy = comma == std::string::npos ? std::string() : id.substr(comma + 1);
        if (comma == std::string::npos || destroy.find(',') != std::string::npos || (create.empty() && destroy.empty()))
            co_return failure(make_error("Unexpected Format of ID",
                "Unexpected format of ID (\"" + id
                    + "\"), expected CREATEDURATION,DESTROYDURATION where at least one value is non-empty"));
        for (std::string const& text : {create, destroy})
            if (!text.empty() && !parse_simple_duration(text))
                co_return failure(make_error("Import time sleep error",
                    "The create_duration cannot be parsed\n\nOriginal Error: \"" + text + "\" is no duration."));
        auto const given = [](std::string const& text) {
            return text.empty() ? value::null(language::type::string()) : value(text);
        };
        std::vector<language::value_entry> entries{{"create_duration", given(create)},
            {"destroy_duration", given(destroy)}, {"triggers", value::map(language::type::string(), {})},
            {"id", value(timestamp::now().text())}};
        co_return value::object(std::move(entries));
    }

private:
    std::vector<attribute_rule> rules_;
    language::schema schema_;
};

}  // namespace

auto time_rotating() -> resource_type const&
{
    static time_rotating_type const instance;
    return instance;
}

auto time_sleep() -> resource_type const&
{
    static time_sleep_type const instance;
    return instance;
}

auto time_static() -> resource_type const&
{
    static time_static_type const instance;
    return instance;
}

}  // namespace iacctl::providers
