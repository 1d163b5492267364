// SPDX-License-Identifier: BSL-1.0
#include "key_program.hpp"

#include "messages/encryption.hpp"
#include "messages/report.hpp"
#include "providers/child_process.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <exception>
#include <string_view>
#include <system_error>
#include <utility>

namespace iacctl::app {

auto run_key_program(std::vector<std::string> const& words, std::string const& input) -> infra::expected<std::string>
{
    namespace asio = boost::asio;
    constexpr std::size_t longest = std::size_t{1} << 20U;
    providers::child_command command;
    command.words = words;
    command.input = input;
    command.keeps_errors_apart = true;

    std::string output;
    auto const take = [&](std::string_view piece) {
        output += piece;
        return output.size() <= longest;
    };
    asio::io_context context;
    asio::cancellation_signal stop;
    asio::steady_timer time(context, std::chrono::minutes(1));
    bool late = false;
    time.async_wait([&](boost::system::error_code const& error) {
        if (error) return;
        late = true;
        stop.emit(asio::cancellation_type::terminal);
    });
    providers::child_outcome outcome;
    std::exception_ptr thrown;
    auto const done = [&](std::exception_ptr error, providers::child_outcome of) {
        thrown = std::move(error);
        outcome = std::move(of);
        time.cancel();
    };
    asio::co_spawn(
        context, providers::run_child(std::move(command), take), asio::bind_cancellation_slot(stop.slot(), done));
    context.run();
    if (thrown) std::rethrow_exception(thrown);
    if (outcome.succeeded()) return output;
    std::string why = late ? "it did not end within a minute" : outcome.text();
    if (outcome.start_error != 0) why = std::generic_category().message(outcome.start_error);
    return infra::failure(
        messages::make_error(messages::key_program_failed, {why, providers::shown_output(outcome.errors)}));
}

}  // namespace iacctl::app
