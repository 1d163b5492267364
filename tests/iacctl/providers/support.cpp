// SPDX-License-Identifier: BSL-1.0
#include "support.hpp"
#include "providers/built_in/perform.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstdlib>
#include <exception>

namespace providers_test {

namespace {

namespace asio = strider::asio;
using iacctl::providers::built_in_providers;
using iacctl::providers::catalog;
using iacctl::providers::find_data_source;
using iacctl::providers::find_resource_type;
using iacctl::providers::provider_set;

template <class T>
auto run(infra::task<T> work, std::int64_t cancel_after_ms = 0) -> T
{
    asio::io_context context;
    std::optional<T> result;
    std::exception_ptr thrown;
    asio::cancellation_signal stop;
    asio::steady_timer timer(context);
    if (cancel_after_ms > 0) {
        timer.expires_after(std::chrono::milliseconds(cancel_after_ms));
        timer.async_wait([&](auto error) {
            if (!error) stop.emit(asio::cancellation_type::terminal);
        });
    }
    auto done = [&](std::exception_ptr failed, T made) {
        thrown = failed;
        result.emplace(std::move(made));
        timer.cancel();
    };
    asio::co_spawn(context, std::move(work), asio::bind_cancellation_slot(stop.slot(), std::move(done)));
    context.run();
    if (thrown) std::rethrow_exception(thrown);
    return std::move(*result);
}

// The provider configuration that `scoped_settings` sets: the name by which objects refer to it, and its settings.
std::string scoped_name;
value scoped_values;

// A runner that performs the operations of all types that can be placed.
class elsewhere final : public iacctl::providers::operation_runner {
public:
    [[nodiscard]] auto has(infra::resource_mode mode, std::string_view type) const -> bool override
    {
        return iacctl::providers::can_be_placed(mode, type);
    }
    [[nodiscard]] auto perform(iacctl::providers::operation o)
        -> iacctl::providers::task<iacctl::providers::operation_outcome> override
    {
        performed.push_back(o);
        iacctl::providers::operation_outcome outcome;
        outcome.obstacle = obstacle;
        outcome.obstacle_text = why;
        if (obstacle != iacctl::run_obstacle::none) co_return outcome;
        auto sent = iacctl::providers::decode_operation(encode(o));
        auto performing = iacctl::providers::perform(std::move(sent).value());
        auto const answer = co_await std::move(performing);
        outcome.answer = iacctl::providers::decode_answer(encode(answer)).value();
        co_return outcome;
    }

    iacctl::run_obstacle obstacle = iacctl::run_obstacle::none;
    std::string why;
    std::vector<iacctl::providers::operation> performed;
};
std::shared_ptr<elsewhere> other_machine;

auto test_context() -> iacctl::providers::provider_context
{
    iacctl::providers::provider_context made;
    made.placed = other_machine;
    return made;
}

// A plug-in with one type.
class plugin final : public iacctl::providers::provider_source {
public:
    plugin(std::string address, std::string_view type) : address_(std::move(address))
    {
        schema_.resources.emplace(type, iacctl::providers::type_schema(find_resource_type(type)->schema()));
    }
    [[nodiscard]] auto address() const noexcept -> std::string_view override { return address_; }
    [[nodiscard]] auto schema() -> iacctl::expected<iacctl::providers::provider_schema const*> override
    {
        return &schema_;
    }
    [[nodiscard]] auto make(iacctl::providers::provider_context const&)
        -> std::shared_ptr<iacctl::providers::provider> override
    {
        return nullptr;
    }

private:
    std::string address_;
    iacctl::providers::provider_schema schema_;
};

// Configured providers.
struct fresh_providers {
    fresh_providers()
    {
        if (!scoped_name.empty()) problems = run(all.configure(scoped_name, scoped_values));
    }
    provider_set all{std::make_shared<catalog>(built_in_providers()), test_context()};
    infra::diagnostics problems;
};

auto address_of(std::string_view type) -> infra::address
{
    return infra::address(std::string(type), "a");
}

auto name_of(std::string_view type) -> std::string
{
    return scoped_name.empty() ? std::string(find_resource_type(type)->provider()) : scoped_name;
}

auto request(std::string_view type, infra::operation_kind kind, std::optional<value> prior,
    std::optional<value> planned) -> apply_request
{
    infra::pending_operation operation;
    operation.operation = "key-1";
    operation.kind = kind;
    operation.target = address_of(type);
    operation.provider = name_of(type);
    return {std::move(operation), std::move(prior), std::move(planned)};
}

}  // namespace

auto text(std::string_view content) -> value
{
    return value(content);
}

auto whole(std::int64_t n) -> value
{
    return value(iacctl::language::number(n));
}

auto texts(std::vector<std::string> const& contents) -> value
{
    std::vector<value> all;
    for (std::string const& one : contents) all.emplace_back(one);
    return value::list(iacctl::language::type::string(), std::move(all));
}

auto pairs(entries e) -> value
{
    return value::map(iacctl::language::type::string(), std::move(e));
}

auto desired(iacctl::language::schema const& s, entries given) -> value
{
    entries all;
    for (auto const& one : s.attributes) all.push_back({one.name, value::null(one.of)});
    for (auto const& one : s.blocks) all.push_back({one.name, value::null(one.attribute_type())});
    for (auto& one : given) all.push_back(std::move(one));
    return value::object(std::move(all));
}

auto desired(std::string_view type, entries given) -> value
{
    return desired(find_resource_type(type)->schema(), std::move(given));
}

auto first_error(infra::diagnostics const& problems) -> std::string
{
    if (problems.empty()) return {};
    infra::diagnostic const& first = problems.front();
    return first.summary + ": " + first.detail + " [" + first.code + "]";
}

auto plan(std::string_view type, std::optional<value> const& prior, value const& wanted) -> result_or_error<planned>
{
    fresh_providers providers;
    auto made = run(providers.all.plan(infra::plan_request<value>(address_of(type), name_of(type), prior, wanted)));
    if (!made) return result_or_error<planned>::error(first_error(made.error().why()));
    return *made;
}

auto apply(std::string_view type, infra::operation_kind kind, std::optional<value> prior, std::optional<value> planned,
    std::int64_t cancel_after_ms) -> applied
{
    fresh_providers providers;
    return run(providers.all.apply(request(type, kind, std::move(prior), std::move(planned))), cancel_after_ms);
}

auto look_up(std::string_view type, infra::operation_kind kind, std::optional<value> prior,
    std::optional<value> planned) -> looked_up
{
    fresh_providers providers;
    return run(providers.all.look_up(request(type, kind, std::move(prior), std::move(planned))));
}

auto read(std::string_view type, value const& prior) -> result_or_error<std::optional<value>>
{
    fresh_providers providers;
    auto found = run(providers.all.read(infra::read_request<value>(address_of(type), name_of(type), prior)));
    if (!found) return result_or_error<std::optional<value>>::error(first_error(found.error().why()));
    return found->object;
}

auto import_object(std::string_view type, std::string const& id) -> result_or_error<value>
{
    fresh_providers providers;
    auto found = run(providers.all.import_object(infra::import_request(address_of(type), name_of(type), id)));
    if (!found) return result_or_error<value>::error(first_error(found.error().why()));
    return *found->object;
}

auto read_data(std::string_view type, entries given, std::set<std::string> const& withheld) -> result_or_error<value>
{
    auto const* const source = find_data_source(type);
    auto in = test_context();
    in.withheld = withheld;
    provider_set providers(std::make_shared<catalog>(built_in_providers()), std::move(in));
    infra::address const target({}, infra::resource_mode::data, std::string(type), "a", {});
    auto found = run(providers.read_data(infra::data_request<value>(
        target, std::string(source->provider()), desired(source->schema(), std::move(given)))));
    if (!found) return result_or_error<value>::error(first_error(found.error().why()));
    return *found->object;
}

auto warnings_about(std::string_view type, value const& read) -> std::string
{
    return first_error(find_data_source(type)->warnings_about(read));
}

auto create(std::string_view type, entries given) -> result_or_error<value>
{
    auto const wanted = plan(type, std::nullopt, desired(type, std::move(given)));
    if (!wanted.error().empty()) return result_or_error<value>::error(wanted.error());
    auto const made = apply(type, infra::operation_kind::create, std::nullopt, wanted->after);
    if (!made.object || made.failed()) return result_or_error<value>::error(first_error(made.problems));
    return *made.object;
}

scoped_settings::scoped_settings(std::string_view type, entries settings)
{
    auto const* const of = find_resource_type(type);
    scoped_name = std::string(of->provider()) + ".scoped_settings";
    scoped_values = desired(of->settings_schema(), std::move(settings));
}

scoped_settings::~scoped_settings()
{
    scoped_name.clear();
    scoped_values = value();
}

auto scoped_settings::error() const -> std::string
{
    return first_error(fresh_providers().problems);
}

auto at(value const& v, std::string_view name) -> value
{
    value const* const found = v.find(name);
    return found == nullptr ? value() : found->unmarked_deep();
}

auto text_at(value const& v, std::string_view name) -> std::string
{
    value const found = at(v, name);
    return found.has_data() && found.is(iacctl::language::type_kind::string) ? found.as_string() : std::string();
}

auto number_at(value const& v, std::string_view name) -> std::int64_t
{
    value const found = at(v, name);
    return found.has_data() ? found.as_number().as_int64().value_or(-1) : -1;
}

simulated_placement::simulated_placement()
{
    other_machine = std::make_shared<elsewhere>();
}

simulated_placement::~simulated_placement()
{
    other_machine.reset();
}

// NOLINTNEXTLINE(readability-convert-member-functions-to-static): it is about this object
void simulated_placement::fail_with(iacctl::run_obstacle obstacle, std::string why)
{
    other_machine->obstacle = obstacle;
    other_machine->why = std::move(why);
}

// NOLINTNEXTLINE(readability-convert-member-functions-to-static): it is about this object
auto simulated_placement::performed() const -> std::vector<iacctl::providers::operation> const&
{
    return other_machine->performed;
}

auto apply_with_placed_plugin(std::string_view type) -> applied
{
    simulated_placement const placed;
    auto with = std::make_shared<catalog>(built_in_providers());
    std::string_view const name = find_resource_type(type)->provider();
    constexpr std::string_view before = "provider[\"";
    with->add(std::make_shared<plugin>(std::string(name.substr(before.size(), name.size() - before.size() - 2)), type));
    provider_set all(with, test_context());
    return run(all.apply(request(type, infra::operation_kind::create, {}, desired(type, {}))));
}

scratch_directory::scratch_directory()
{
    std::string name = (std::filesystem::temp_directory_path() / "providers-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
}

scratch_directory::~scratch_directory()
{
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

}  // namespace providers_test
