// SPDX-License-Identifier: BSL-1.0
#include "base/duration.hpp"
#include "base/timestamp.hpp"
#include "messages/providers.hpp"
#include "messages/report.hpp"
#include "state_only_type.hpp"

#include <boost/asio/steady_timer.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace iacctl::providers {

namespace {

using messages::make_error;
using strider::infra::failure;

constexpr std::string_view time_provider = "provider[\"registry.terraform.io/hashicorp/time\"]";

auto optional_attribute(std::string_view name, language::type t, on_change change = on_change::update) -> attribute_rule
{
    return {{.name = std::string(name), .of = std::move(t), .optional = true}, change};
}

auto triggers_rule() -> attribute_rule
{
    return optional_attribute("triggers", language::type::map(language::type::string()), on_change::replace);
}

auto bad_timestamp(std::string_view attribute_name, std::string const& text) -> failure
{
    return problem_with(attribute_name, make_error(messages::time_invalid, {text}));
}

// The attributes of a time: "year" to "second", and "unix".
auto with_fields(value const& v, timestamp const& at) -> value
{
    using language::number;
    auto const f = at.fields();
    return with(v,
        {{"year", value(number(f.year))}, {"month", value(number(f.month))}, {"day", value(number(f.day))},
            {"hour", value(number(f.hour))}, {"minute", value(number(f.minute))}, {"second", value(number(f.second))},
            {"unix", value(number(at.unix_seconds()))}});
}

constexpr std::array<std::string_view, 7> time_fields{"year", "month", "day", "hour", "minute", "second", "unix"};

void add_field_rules(std::vector<attribute_rule>& rules)
{
    for (std::string_view const field : time_fields) rules.push_back(computed_rule(field, language::type::number()));
    rules.push_back(computed_rule("id"));
    rules.push_back(triggers_rule());
}

void add_time_rules(std::vector<attribute_rule>& rules)
{
    add_field_rules(rules);
    rules.push_back(
        {{.name = "rfc3339", .of = language::type::string(), .optional = true, .computed = true}, on_change::replace});
}

/// The time in `rfc3339` or another attribute; otherwise the current time.
auto base_time(value const& v, std::string_view name = "rfc3339") -> expected<timestamp>
{
    std::string const given = text_of(v, name);
    if (given.empty()) return timestamp::now();
    auto const read = timestamp::parse(given);
    if (!read) return bad_timestamp(name, given);
    return *read;
}

/// The time of the creation of an object.
///
/// \source hashicorp/time, resource time_static.
class time_static_type final : public state_only_type {
public:
    time_static_type()
        : state_only_type("time_static", time_provider, [] {
              std::vector<attribute_rule> rules;
              add_time_rules(rules);
              return rules;
          }())
    {}

    [[nodiscard]] auto plan(std::optional<value> const& prior, value const& desired) const -> expected<planned> override
    {
        auto made = state_only_type::plan(prior, desired);
        if (!made || prior || text_of(desired, "rfc3339").empty()) return made;
        auto known = create(made->after);
        if (!known) return known.error();
        return planned(std::move(*known));
    }

protected:
    [[nodiscard]] auto create(value const& planned) const -> expected<value> override
    {
        auto const at = base_time(planned);
        if (!at) return at.error();
        return at_time(planned, *at);
    }

    [[nodiscard]] auto import_now(std::string const& id) const -> expected<value> override
    {
        auto const at = timestamp::parse(id);
        if (!at) return failure(make_error(messages::time_static_import_invalid, {id}));
        return with(at_time(blank(), *at), {{"triggers", value::map(language::type::string(), {})}});
    }

private:
    static auto at_time(value const& v, timestamp const& at) -> value
    {
        // A configured time is stored exactly as it is written.
        std::string const given = text_of(v, "rfc3339");
        value const text(given.empty() ? at.text() : given);
        return with(with_fields(v, at), {{"rfc3339", text}, {"id", text}});
    }
};

auto missing_units(std::string const& names) -> failure
{
    return failure(make_error(messages::time_units_missing, {names}));
}

/// The parts of the id for an import.
auto parts_of(std::string const& id) -> std::vector<std::string>
{
    std::vector<std::string> parts(1);
    for (char const c : id) {
        if (c == ',') parts.emplace_back();
        else parts.back() += c;
    }
    return parts;
}

/// Sets the amounts after the base in the id of an imported object; null if there are none, nothing if one is not a
/// number or is out of range.
auto with_amounts(value const& v, std::vector<attribute_rule> const& units, std::vector<std::string> const& parts)
    -> std::optional<value>
{
    value found = v;
    bool any = false;
    for (std::size_t i = 0; i < units.size(); ++i) {
        if (parts[i + 1].empty()) continue;
        auto const number = language::number::parse_whole(parts[i + 1], 10);
        auto const whole = number ? number->as_int64() : std::nullopt;
        if (!whole || *whole < std::min<std::int64_t>(*units[i].at_least, 0) || *whole > *units[i].at_most)
            return std::nullopt;
        any = true;
        found = with(found, {{units[i].is.name, value(*number)}});
    }
    return any ? found : value();
}

// Units of time, the longest first, and the amount of each in a thousand years.
constexpr std::array<std::string_view, 6> units{"years", "months", "days", "hours", "minutes", "seconds"};
constexpr std::array<std::int64_t, 6> longest{1'000, 12'000, 365'000, 8'760'000, 525'600'000, 31'536'000'000};

/// Arguments with an amount of one unit each. \param least  the minimum; if it is negative, amounts are limited
/// symmetrically
auto unit_rules(std::string const& prefix, std::size_t count, std::int64_t least) -> std::vector<attribute_rule>
{
    std::vector<attribute_rule> rules;
    for (std::size_t i = 0; i < count; ++i) {
        rules.push_back(optional_attribute(prefix + std::string(units[i]), language::type::number()));
        rules.back().at_least = least < 0 ? -longest[i] : least;
        rules.back().at_most = longest[i];
    }
    return rules;
}

/// The base plus the amount of one unit. If there are several, the last one here is used, as in the original.
auto moved(value const& v, std::string const& prefix, timestamp const& base) -> timestamp
{
    auto const amount = [&](char const* unit) { return number_of(v, prefix + unit).value_or(0); };
    timestamp next = base;
    if (auto const days = amount("days")) next = base.plus_date(0, 0, days);
    if (auto const hours = amount("hours")) next = base.plus(std::chrono::hours(hours));
    if (auto const minutes = amount("minutes")) next = base.plus(std::chrono::minutes(minutes));
    if (auto const months = amount("months")) next = base.plus_date(0, months, 0);
    if (auto const seconds = amount("seconds")) next = base.plus(std::chrono::seconds(seconds));
    if (auto const years = amount("years")) next = base.plus_date(years, 0, 0);
    return next;
}

/// A time that expires at another time.
///
/// \source hashicorp/time, resource time_rotating.
class time_rotating_type final : public state_only_type {
public:
    time_rotating_type()
        : state_only_type("time_rotating", time_provider, [] {
              std::vector<attribute_rule> rules;
              add_time_rules(rules);
              for (attribute_rule& one : rotation_rules()) rules.push_back(std::move(one));
              rules.push_back(optional_attribute("rotation_rfc3339", language::type::string()));
              rules.back().is.computed = true;
              return rules;
          }())
    {}

    [[nodiscard]] auto plan(std::optional<value> const& prior, value const& desired) const -> expected<planned> override
    {
        auto made = state_only_type::plan(prior, desired);
        if (!made || !prior || !made->replace_paths.empty()) return made;
        bool changed = false;
        for (attribute_rule const& unit : rotation_rules())
            changed =
                changed || attribute(*prior, unit.is.name).unmarked() != attribute(desired, unit.is.name).unmarked();
        value const given = attribute(desired, "rotation_rfc3339").unmarked();
        changed = changed || (!given.is_null() && given != attribute(*prior, "rotation_rfc3339").unmarked());
        if (!changed) return made;
        if (expired(*prior)) made->replace_paths.push_back(path_of("rotation_rfc3339"));
        value const open = with(made->after, {{"rotation_rfc3339", given}});
        auto rotated = open.wholly_known() ? create(open) : expected<value>(unknown_again(made->after));
        if (!rotated) return rotated.error();
        made->after = std::move(*rotated);
        return made;
    }

protected:
    [[nodiscard]] auto prepare(value desired) const -> expected<value> override
    {
        bool any = !attribute(desired, "rotation_rfc3339").is_null();
        for (attribute_rule const& unit : rotation_rules()) any = any || !attribute(desired, unit.is.name).is_null();
        if (!any)
            return missing_units("\"rotation_minutes\", \"rotation_hours\", \"rotation_days\", \"rotation_months\", "
                                 "\"rotation_years\", \"rotation_rfc3339\"");
        for (auto const* const name : {"rfc3339", "rotation_rfc3339"}) {
            std::string const text = text_of(desired, name);
            if (!text.empty() && !timestamp::parse(text)) return bad_timestamp(name, text);
        }
        return desired;
    }

    [[nodiscard]] auto create(value const& planned) const -> expected<value> override
    {
        auto const base = base_time(planned);
        if (!base) return base.error();
        return rotating(planned, *base);
    }

    /// An expired time no longer exists.
    [[nodiscard]] auto read_now(value const& prior) const -> expected<std::optional<value>> override
    {
        if (expired(prior)) return std::optional<value>();
        return {prior};
    }

    [[nodiscard]] auto import_now(std::string const& id) const -> expected<value> override
    {
        auto const parts = parts_of(id);
        auto const wrong = [](messages::message<1> const& m, std::string const& text) {
            return failure(make_error(m, {text}));
        };
        if (parts.size() != 2 && parts.size() != 6) return wrong(messages::time_rotating_import_format, id);
        auto const base = timestamp::parse(parts[0]);
        if (!base) return wrong(messages::time_rotating_import_time_invalid, parts[0]);
        value found = with(blank(), {{"triggers", value::map(language::type::string(), {})}});
        if (parts.size() == 2) {
            if (!timestamp::parse(parts[1])) return wrong(messages::time_rotating_import_time_invalid, parts[1]);
            return rotating(with(found, {{"rotation_rfc3339", value(parts[1])}}), *base);
        }
        auto const amounts = with_amounts(found, rotation_rules(), parts);
        if (!amounts) return wrong(messages::time_rotating_import_amount_invalid, id);
        if (amounts->is_null()) return wrong(messages::time_rotating_import_format, id);
        return rotating(*amounts, *base);
    }

private:
    static auto rotation_rules() -> std::vector<attribute_rule> { return unit_rules("rotation_", 5, 1); }

    static auto expired(value const& v) -> bool
    {
        auto const at = timestamp::parse(text_of(v, "rotation_rfc3339"));
        return at && timestamp::now().unix_seconds() > at->unix_seconds();
    }

    static auto unknown_again(value v) -> value
    {
        for (std::string_view const field : time_fields)
            v = with(v, {{field, value::unknown(language::type::number())}});
        if (!attribute(v, "rotation_rfc3339").is_unknown())
            v = with(v, {{"rotation_rfc3339", value::unknown(language::type::string())}});
        return v;
    }

    static auto rotating(value const& v, timestamp const& base) -> expected<value>
    {
        timestamp next = moved(v, "rotation_", base);
        std::string const given = text_of(v, "rotation_rfc3339");
        if (!given.empty() && number_of(v, "rotation_years").value_or(0) == 0) {
            auto const read = timestamp::parse(given);
            if (!read) return bad_timestamp("rotation_rfc3339", given);
            next = *read;
        }
        std::string const written = text_of(v, "rfc3339");
        value const at(written.empty() ? base.text() : written);
        value const rotation(given.empty() ? next.text() : given);
        return with(with_fields(v, next), {{"rfc3339", at}, {"id", at}, {"rotation_rfc3339", rotation}});
    }
};

/// A time before or after another one by a given amount.
///
/// \source hashicorp/time, resource time_offset.
class time_offset_type final : public state_only_type {
public:
    time_offset_type()
        : state_only_type("time_offset", time_provider, [] {
              std::vector<attribute_rule> rules = offset_rules();
              add_field_rules(rules);
              rules.push_back(optional_attribute("base_rfc3339", language::type::string()));
              rules.back().is.computed = true;
              rules.push_back(computed_rule("rfc3339"));
              return rules;
          }())
    {}

    [[nodiscard]] auto plan(std::optional<value> const& prior, value const& desired) const -> expected<planned> override
    {
        auto made = state_only_type::plan(prior, desired);
        if (!made || !prior || !made->replace_paths.empty()) return made;
        bool changed = attribute(*prior, "base_rfc3339") != attribute(made->after, "base_rfc3339");
        for (attribute_rule const& unit : offset_rules())
            changed = changed || attribute(*prior, unit.is.name) != attribute(made->after, unit.is.name);
        if (!changed) return made;
        if (!made->after.wholly_known()) {
            for (attribute_rule const& rule : rules())
                if (rule.is.computed && !rule.is.optional)
                    made->after = with(made->after, {{rule.is.name, value::unknown(rule.is.of)}});
            return made;
        }
        auto at = create(made->after);
        if (!at) return at.error();
        made->after = std::move(*at);
        return made;
    }

protected:
    [[nodiscard]] auto prepare(value desired) const -> expected<value> override
    {
        bool any = false;
        for (attribute_rule const& unit : offset_rules()) any = any || !attribute(desired, unit.is.name).is_null();
        if (!any)
            return missing_units("\"offset_seconds\", \"offset_minutes\", \"offset_hours\", \"offset_days\", "
                                 "\"offset_months\", \"offset_years\"");
        std::string const base = text_of(desired, "base_rfc3339");
        if (!base.empty() && !timestamp::parse(base)) return bad_timestamp("base_rfc3339", base);
        return desired;
    }

    [[nodiscard]] auto create(value const& planned) const -> expected<value> override
    {
        auto const base = base_time(planned, "base_rfc3339");
        if (!base) return base.error();
        return offset(planned, *base);
    }

    [[nodiscard]] auto import_now(std::string const& id) const -> expected<value> override
    {
        auto const parts = parts_of(id);
        auto const base = timestamp::parse(parts[0]);
        auto const blank_object = with(blank(), {{"triggers", value::map(language::type::string(), {})}});
        bool const fits = base && parts.size() == 1 + units.size();
        auto const amounts = fits ? with_amounts(blank_object, offset_rules(), parts) : std::nullopt;
        if (!amounts || amounts->is_null()) return failure(make_error(messages::time_offset_import_format, {id}));
        return offset(with(*amounts, {{"base_rfc3339", value(parts[0])}}), *base);
    }

private:
    static auto offset_rules() -> std::vector<attribute_rule> { return unit_rules("offset_", units.size(), -1); }

    static auto offset(value const& v, timestamp const& base) -> value
    {
        auto const next = moved(v, "offset_", base);
        // A configured time is stored exactly as it is written.
        std::string const given = text_of(v, "base_rfc3339");
        value const from(given.empty() ? base.text() : given);
        return with(with_fields(v, next), {{"base_rfc3339", from}, {"id", from}, {"rfc3339", value(next.text())}});
    }
};

/// Waits on creation, on destruction, or both.
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

    [[nodiscard]] auto plan(std::optional<value> const& prior, value const& desired) const -> expected<planned> override
    {
        if (attribute(desired, "create_duration").is_null() && attribute(desired, "destroy_duration").is_null())
            return failure(make_error(messages::time_sleep_durations_missing));
        for (auto const* const name : {"create_duration", "destroy_duration"}) {
            value const given = attribute(desired, name);
            if (given.has_data() && !parse_simple_duration(text_of(desired, name)))
                return problem_with(
                    name, make_error(messages::time_sleep_duration_invalid, {name, text_of(desired, name)}));
        }
        return plan_by_rules(rules_, prior, desired);
    }

    [[nodiscard]] auto read(value prior) const -> task<expected<std::optional<value>>> override { co_return prior; }

    [[nodiscard]] auto apply(apply_request request) const -> task<applied> override
    {
        using strider::infra::operation_kind;
        if (request.operation.kind == operation_kind::update) co_return applied(std::move(request.planned));
        bool const destroys = !request.planned;
        value const of = destroys ? *request.prior : *request.planned;
        auto const duration = parse_simple_duration(text_of(of, destroys ? "destroy_duration" : "create_duration"));
        if (duration && duration->count() > 0) {
            // A cancellation ends the wait and is reported as a failure: nothing was created or destroyed.
            co_await strider::asio::this_coro::throw_if_cancelled(false);
            auto const executor = co_await strider::asio::this_coro::executor;
            strider::asio::steady_timer timer(executor, *duration);
            auto token = strider::asio::as_tuple(strider::asio::use_awaitable);
            auto waiting = timer.async_wait(token);
            auto const [error] = co_await std::move(waiting);
            if (error) co_return applied(destroys ? request.prior : std::nullopt, cancelled(destroys));
        }
        if (destroys) co_return applied(std::nullopt);
        co_return applied(with(of, {{"id", value(timestamp::now().text())}}));
    }

    [[nodiscard]] auto look_up(apply_request) const -> task<looked_up> override
    {
        co_return looked_up(strider::infra::lookup_answer::not_done);
    }

    [[nodiscard]] auto import_object(std::string id) const -> task<expected<value>> override
    {
        auto const comma = id.find(',');
        std::string const create = id.substr(0, comma);
        std::string const destroy = comma == std::string::npos ? std::string() : id.substr(comma + 1);
        if (comma == std::string::npos || destroy.find(',') != std::string::npos || (create.empty() && destroy.empty()))
            co_return wrong_id(messages::time_sleep_import_format, id);
        for (std::string const& text : {create, destroy})
            if (!text.empty() && !parse_simple_duration(text))
                co_return wrong_id(messages::time_sleep_import_duration_invalid, text);
        auto const given = [](std::string const& text) {
            return text.empty() ? value::null(language::type::string()) : value(text);
        };
        std::vector<language::value_entry> entries{{"create_duration", given(create)},
            {"destroy_duration", given(destroy)}, {"triggers", value::map(language::type::string(), {})},
            {"id", value(timestamp::now().text())}};
        co_return value::object(std::move(entries));
    }

private:
    static auto cancelled(bool destroying) -> strider::infra::diagnostics
    {
        return make_error(messages::time_sleep_cancelled, {destroying ? "Delete" : "Create"});
    }
    static auto wrong_id(messages::message<1> const& m, std::string const& text) -> failure
    {
        return failure(make_error(m, {text}));
    }

    std::vector<attribute_rule> rules_;
    language::schema schema_;
};

}  // namespace

auto time_offset() -> resource_type const&
{
    static time_offset_type const instance;
    return instance;
}

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
