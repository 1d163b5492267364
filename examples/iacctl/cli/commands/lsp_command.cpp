// SPDX-License-Identifier: BSL-1.0
#include "base/child_process.hpp"
#include "commands.hpp"
#include "lsp/server.hpp"
#include "session.hpp"

#include <strider/version.hpp>

#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace iacctl::commands {

namespace {

namespace asio = boost::asio;

constexpr std::size_t longest_output = std::size_t{64} << 20U;  // of tests

// A server on standard input and standard output. This thread answers messages one after another. Between two messages
// it reads, so that a request can be cancelled before it is processed.
class connection {
public:
    connection(session const& s, std::string version)
        : out_(s.out()),
          input_(context_, ::dup(STDIN_FILENO)),
          due_(context_),
          server_(
              s.workspace().options(), std::move(version), [this](std::string const& content) { send(content); },
              [this] { asio::post(context_, [this] { server_.take_results(); }); },
              [this](
                  auto const& directory, auto const& file, auto done) { run_tests(directory, file, std::move(done)); })
    {
        // The processes of providers must end with the server.
        signals_.async_wait([this](boost::system::error_code error, int) { closed_ = closed_ || !error; });
    }

    // Serves until the client ends. \return the exit code
    auto run() -> int
    {
        read();
        while (!server_.has_ended() && !closed_ && out_) context_.run_one();
        return server_.exit_code();
    }

private:
    void read()
    {
        input_.async_read_some(asio::buffer(buffer_), [this](boost::system::error_code error, std::size_t count) {
            server_.receive(std::string_view(buffer_.data(), count));
            if (error) at_end_ = true;
            else read();
            answer();
        });
    }

    // Answers one message.
    void answer()
    {
        if (answering_) return;
        answering_ = true;
        asio::post(context_, [this] {
            answering_ = false;
            if (server_.answer_next()) answer();
            else closed_ = at_end_;
            wait();
        });
    }

    void wait()
    {
        auto const next = server_.run_due(lsp::server::clock::now());
        if (!next) return;
        due_.expires_at(*next);
        due_.async_wait([this](boost::system::error_code error) {
            if (!error) wait();
        });
    }

    // Another process runs the tests, so that a long test delays no answer.
    void run_tests(
        std::string const& directory, std::string const& file, std::function<void(lsp::test_output const&)> done)
    {
        child_command command;
        command.words = {"/proc/self/exe", "test", "-json", "-filter=" + file};
        command.directory = directory;
        auto output = std::make_shared<lsp::test_output>();
        auto running = run_child(std::move(command), [output](std::string_view got) {
            output->lines.append(got);
            return output->lines.size() <= longest_output;
        });
        asio::co_spawn(context_, std::move(running),
            [output, done = std::move(done)](std::exception_ptr const& thrown, child_outcome const& outcome) {
                bool const started = !thrown && outcome.start_error == 0;
                output->end = thrown ? "the process could not be observed"
                    : started        ? outcome.text()
                                     : std::generic_category().message(outcome.start_error);
                if (output->lines.size() > longest_output) output->end += ", after more than 64 MiB of output";
                done(*output);
            });
    }

    void send(std::string const& content) { out_ << lsp::framed(content) << std::flush; }

    std::ostream& out_;
    asio::io_context context_{1};
    asio::posix::stream_descriptor input_;
    asio::steady_timer due_;
    asio::signal_set signals_{context_, SIGHUP, SIGINT, SIGTERM};
    std::vector<char> buffer_ = std::vector<char>(std::size_t{64} << 10U);
    bool answering_ = false;
    bool at_end_ = false;  // the client sends no further messages
    bool closed_ = false;  // and all messages are answered
    lsp::server server_;
};

auto lsp(no_options const&, session const& s) -> int
{
    std::string const version = std::to_string(strider::version.major_number) + "."
        + std::to_string(strider::version.minor_number) + "." + std::to_string(strider::version.patch_number);
    return connection(s, version).run();
}

}  // namespace

constinit command const lsp_command{"lsp", {.configuration = configuration_use::directory, .providers = true},
    begin<lsp>, "Serve an editor with the Language Server Protocol",
    "Runs a language server on standard input and standard output: diagnostics, code actions, definitions, references, "
    "rename, hover, completion, signatures, code lenses, links, symbols and formatting for the configurations and "
    "tests "
    "of the editor's folders."};

}  // namespace iacctl::commands
