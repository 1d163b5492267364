// SPDX-License-Identifier: BSL-1.0
#include "blocking_child.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <exception>
#include <string_view>
#include <system_error>
#include <utility>

namespace iacctl {

auto run_child(child_command command, std::chrono::milliseconds longest_time, std::size_t longest_output)
    -> finished_child
{
    namespace asio = boost::asio;
    command.keeps_errors_apart = true;
    finished_child made;
    bool too_much = false;
    auto const take = [&](std::string_view piece) {
        made.output += piece;
        too_much = made.output.size() > longest_output;
        return !too_much;
    };
    asio::io_context context;
    asio::cancellation_signal stop;
    asio::steady_timer time(context, longest_time);
    bool late = false;
    time.async_wait([&](boost::system::error_code const& error) {
        if (error) return;
        late = true;
        stop.emit(asio::cancellation_type::terminal);
    });
    child_outcome outcome;
    std::exception_ptr thrown;
    auto const done = [&](std::exception_ptr error, child_outcome co) {
        thrown = std::move(error);
        outcome = std::move(co);
        time.cancel();
    };
    asio::co_spawn(context, run_child(std::move(command), take), asio::bind_cancellation_slot(stop.slot(), done));
    context.run();
    if (thrown) std::rethrow_exception(thrown);
    made.errors = shown_output(outcome.errors);
    if (outcome.start_error != 0) made.why = std::generic_category().message(outcome.start_error);
    else if (late) {
        auto const seconds = std::chrono::duration_cast<std::chrono::seconds>(longest_time).count();
        made.why = seconds == 60 ? "it did not end within a minute"
                                 : "it did not end within " + std::to_string(seconds) + " s";
    } else if (too_much) made.why = "it wrote more than " + std::to_string(longest_output) + " bytes";
    else if (!outcome.succeeded()) made.why = outcome.text();
    return made;
}

}  // namespace iacctl
