// SPDX-License-Identifier: BSL-1.0
// Uses a real provider "random" from its start to its end: probe PROGRAM [times]. Prints TAP; with `times`, prints only
// times in milliseconds as JSON, like the program in reference_client.
#include "providers/plugin/client.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

namespace asio = boost::asio;
using namespace iacctl::plugin;
using std::chrono::steady_clock;

constexpr int applies = 200;

// An object of random_id in MessagePack. All attributes without a given value have the value `others`.
auto random_id(std::string const& others, std::map<std::string, std::string> const& named) -> std::string
{
    std::string made = "\x88";
    for (std::string const name : {"b64_std", "b64_url", "byte_length", "dec", "hex", "id", "keepers", "prefix"}) {
        made += static_cast<char>(0xa0U | name.size());
        made += name;
        auto const found = named.find(name);
        made += found == named.end() ? others : found->second;
    }
    return made;
}

std::string const nothing = "\xc0";
std::string const unknown("\xd4\0\0", 3);

class times {
public:
    bool wanted = false;
    double first_plan = 0;
    std::vector<double> applies;
};

auto milliseconds_since(steady_clock::time_point begin) -> double
{
    return std::chrono::duration<double, std::milli>(steady_clock::now() - begin).count();
}

class checks {
public:
    auto operator()(bool right, std::string const& subject) -> bool
    {
        ++count;
        if (!quiet) std::cout << (right ? "ok " : "not ok ") << count << " - " << subject << std::endl;
        else if (!right) std::cerr << subject << std::endl;
        failed += right ? 0 : 1;
        return right;
    }

    bool quiet = false;
    int count = 0;
    int failed = 0;
};

// The response of a call, or nothing if the call has errors.
template <class Call>
auto answer(client& provider, typename Call::Request request, checks& check, std::string name)
    -> asio::awaitable<std::optional<typename Call::Response>>
{
    auto calling = provider.call<Call>(std::move(request));
    auto made = co_await std::move(calling);
    std::string why = made ? "" : ": " + made.error().what.detail;
    if (made)
        for (auto const& one : made->diagnostics()) why += ": " + one.summary() + " " + one.detail();
    if (!check(why.empty(), name + why)) co_return std::nullopt;
    co_return std::move(*made);
}

auto use(asio::any_io_executor executor, std::string program, times& measured, checks& check) -> asio::awaitable<void>
{
    auto const begin = steady_clock::now();
    iacctl::process_command command;
    command.words = {std::move(program)};
    auto starting = client::start(executor, "random", std::move(command), {});
    auto const started = co_await std::move(starting);
    if (!check(started.has_value(), "start" + (started ? "" : ": " + started.error().what.detail))) co_return;
    client& provider = **started;

    auto describing = answer<protocol::GetProviderSchema>(provider, {}, check, "GetProviderSchema");
    auto const schemas = co_await std::move(describing);
    if (!schemas) co_return;
    check(schemas->resource_schemas().contains("random_id"), "it has random_id");

    protocol::ValidateProviderConfig::Request provider_config;
    provider_config.mutable_config()->set_msgpack("\x80");
    auto checking =
        answer<protocol::ValidateProviderConfig>(provider, provider_config, check, "ValidateProviderConfig");
    (void)co_await std::move(checking);
    protocol::ConfigureProvider::Request configuration;
    configuration.set_terraform_version("1.11.4");
    configuration.mutable_config()->set_msgpack("\x80");
    auto configuring = answer<protocol::ConfigureProvider>(provider, configuration, check, "ConfigureProvider");
    (void)co_await std::move(configuring);

    std::string const config = random_id(nothing, {{"byte_length", "\x08"}});
    protocol::ValidateResourceConfig::Request validated;
    validated.set_type_name("random_id");
    validated.mutable_config()->set_msgpack(config);
    auto validating = answer<protocol::ValidateResourceConfig>(provider, validated, check, "ValidateResourceConfig");
    (void)co_await std::move(validating);

    protocol::PlanResourceChange::Request wanted;
    wanted.set_type_name("random_id");
    wanted.mutable_config()->set_msgpack(config);
    wanted.mutable_prior_state()->set_msgpack(nothing);
    wanted.mutable_proposed_new_state()->set_msgpack(
        random_id(unknown, {{"byte_length", "\x08"}, {"keepers", nothing}, {"prefix", nothing}}));
    auto planning = answer<protocol::PlanResourceChange>(provider, wanted, check, "PlanResourceChange");
    auto const planned = co_await std::move(planning);
    if (!planned) co_return;
    measured.first_plan = milliseconds_since(begin);
    check(
        planned->planned_state().msgpack().find(unknown) != std::string::npos, "the planned state has unknown values");

    protocol::ApplyResourceChange::Request change;
    change.set_type_name("random_id");
    *change.mutable_config() = wanted.config();
    *change.mutable_prior_state() = wanted.prior_state();
    *change.mutable_planned_state() = planned->planned_state();
    change.set_planned_private(planned->planned_private());
    auto applying = answer<protocol::ApplyResourceChange>(provider, change, check, "ApplyResourceChange");
    auto const made = co_await std::move(applying);
    if (!made) co_return;
    std::string const state = made->new_state().msgpack();
    check(state.find(unknown) == std::string::npos
            && state.find("\xa3"
                          "hex\xb0")
                != std::string::npos,
        "the new state has 16 hexadecimal digits and no unknown value");
    for (int i = 0; i < applies && measured.wanted; ++i) {
        auto const before = steady_clock::now();
        auto again = provider.call<protocol::ApplyResourceChange>(change);
        auto const same = co_await std::move(again);
        if (same) measured.applies.push_back(milliseconds_since(before));
    }

    protocol::ReadResource::Request read;
    read.set_type_name("random_id");
    *read.mutable_current_state() = made->new_state();
    auto reading = answer<protocol::ReadResource>(provider, read, check, "ReadResource");
    auto const found = co_await std::move(reading);
    check(found && found->new_state().msgpack() == state, "the object is found as it was made");

    protocol::ApplyResourceChange::Request removal;
    removal.set_type_name("random_id");
    removal.mutable_config()->set_msgpack(nothing);
    *removal.mutable_prior_state() = made->new_state();
    removal.mutable_planned_state()->set_msgpack(nothing);
    auto removing = answer<protocol::ApplyResourceChange>(provider, removal, check, "ApplyResourceChange, to destroy");
    auto const removed = co_await std::move(removing);
    check(removed && removed->new_state().msgpack() == nothing, "the object is gone");

    auto stopping = provider.stop();
    auto const said = co_await std::move(stopping);
    check(said.empty(), "Stop" + (said.empty() ? "" : ": " + said));
    auto closing = provider.close();
    co_await std::move(closing);
}

}  // namespace

int main(int count, char** arguments)
{
    if (count < 2) return 2;
    checks check;
    times measured;
    measured.wanted = check.quiet = count > 2 && std::string_view(arguments[2]) == "times";
    asio::io_context context(1);
    auto const done = [](std::exception_ptr thrown) {
        if (thrown) std::rethrow_exception(thrown);
    };
    asio::co_spawn(context, use(context.get_executor(), arguments[1], measured, check), done);
    context.run();
    if (!measured.wanted) {
        std::cout << "1.." << check.count << '\n';
    } else if (!measured.applies.empty()) {
        std::ranges::sort(measured.applies);
        std::cout << "{\"first_plan\": " << measured.first_plan
                  << ", \"one_apply\": " << measured.applies[measured.applies.size() / 2] << "}\n";
    }
    return check.failed == 0 ? 0 : 1;
}
