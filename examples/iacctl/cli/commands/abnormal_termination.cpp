// SPDX-License-Identifier: BSL-1.0
#include "abnormal_termination.hpp"

#include "base/process.hpp"
#include "messages/commands.hpp"
#include "messages/engine.hpp"
#include "messages/exit_codes.hpp"
#include "messages/state.hpp"
#include "state/persistent_lock.hpp"
#include "workspace/unsaved_changes.hpp"

#include <boost/system/system_error.hpp>

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <new>
#include <system_error>

namespace iacctl::commands {

namespace {

using state_text = std::array<std::string_view, 3>;

auto what_of_state() noexcept -> state_text
{
    if (!workspace::unsaved_changes::exist()) return {"\n\nState was not changed."};
    static constexpr std::string_view recorded =
        "\n\nState contains all operations that were saved before. It also records the operations that were running, "
        "and the next plan determines their results. If state could not be saved, a file ";
    auto const directory = workspace::unsaved_changes::rescue_directory();
    if (directory.empty()) return {recorded.substr(0, recorded.rfind(" If"))};
    return {recorded, directory,
        "/rescue-*.tfstate contains a copy; \"iacctl state push\" restores it, with -state=FILE if this command had "
        "that "
        "option."};
}

// A message of the catalogue with its argument, if it has one.
auto parts_of(messages::message_text const& text, std::string_view argument, state_text const& last) noexcept
    -> text_parts
{
    static constexpr std::string_view placeholder = "{0}";
    auto const at = text.detail.find(placeholder);
    bool const filled = at != std::string_view::npos;
    return {"\nError: ", text.summary, "\n\n", text.detail.substr(0, at), filled ? argument : std::string_view(),
        filled ? text.detail.substr(at + placeholder.size()) : std::string_view(), last[0], last[1], last[2], " [",
        text.code, "]\n"};
}

auto no_memory() noexcept -> text_parts
{
    return parts_of(messages::out_of_memory, {}, what_of_state());
}

auto internal_error(std::string_view why) noexcept -> text_parts
{
    return parts_of(messages::internal_error, why, what_of_state());
}

auto error_of_system(std::error_code const& code, char const* text) noexcept -> text_parts
{
    if (code == std::errc::too_many_files_open || code == std::errc::too_many_files_open_in_system)
        return parts_of(messages::too_many_open_files, {}, what_of_state());
    return internal_error(text);
}

std::atomic<bool> allocation_has_failed{false};

void print(text_parts const& text) noexcept
{
    for (std::string_view const part : text) print_to_standard_error(part);
}

[[noreturn]] void terminate() noexcept
{
    // Rethrowing the exception needs memory, and without memory it leads here again.
    static std::atomic<bool> again{false};
    bool const repeated = again.exchange(true);
    auto const thrown = repeated ? std::exception_ptr() : std::current_exception();
    auto const why = repeated || (!thrown && allocation_has_failed) ? no_memory() : termination_text(thrown);
    print(why);
    exit_immediately({}, abnormal_exit_code());
}

}  // namespace

void print_to_standard_error(std::string_view text) noexcept
{
    while (!text.empty()) {
        ssize_t const written = ::write(STDERR_FILENO, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

auto abnormal_exit_code() noexcept -> int
{
    return workspace::unsaved_changes::exist() ? messages::exit_code_of(messages::state_not_saved.code) : 1;
}

auto termination_text(std::exception_ptr const& why) noexcept -> text_parts
{
    try {
        if (why) std::rethrow_exception(why);
    } catch (std::bad_alloc const&) {
        return no_memory();
    } catch (std::system_error const& e) {
        // A thread that cannot be started.
        bool const short_of =
            e.code() == std::errc::resource_unavailable_try_again || e.code() == std::errc::not_enough_memory;
        return short_of ? no_memory() : error_of_system(e.code(), e.what());
    } catch (boost::system::system_error const& e) {
        return error_of_system(e.code(), e.what());
    } catch (std::exception const& e) {
        return internal_error(e.what());  // the text lives as long as `why`
    } catch (...) {}
    return internal_error("an exception of unknown type");
}

void report_incomplete_output() noexcept
{
    print(parts_of(messages::output_incomplete, {}, {}));
}

void exit_immediately(std::string_view message, int code) noexcept
{
    kill_processes();
    print_to_standard_error(message);
    state::persistent_lock::for_each(
        [](std::string_view release) { print(parts_of(messages::lock_left, release, {})); });
    ::_exit(code);
}

void install_terminate_handler() noexcept
{
    std::set_terminate(terminate);
}

void prepare_for_bad_alloc() noexcept
{
    allocation_has_failed = true;
    install_terminate_handler();
}

}  // namespace iacctl::commands
