// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LSP_SERVER_HPP
#define IACCTL_LSP_SERVER_HPP

#include "analysis.hpp"
#include "documents.hpp"
#include "features.hpp"
#include "lens.hpp"
#include "navigation.hpp"
#include "protocol.hpp"
#include "schema_index.hpp"
#include "test_results.hpp"
#include "workspace/settings.hpp"

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace iacctl::lsp {

/// A language server for configurations. It performs no input or output: its caller passes bytes to it, sends its
/// responses, and calls `run_due` when a check is due.
/// \source Language Server Protocol 3.17
class server {
public:
    using clock = std::chrono::steady_clock;
    using sender = std::function<void(std::string const& content)>;

    /// \param base  the common settings of all root modules: all except directory, workspace and providers
    /// \param send  receives the contents of messages to the client
    /// \param ready  called on another thread when there are results for `take_results`
    /// \param run_tests  runs the tests of a file for the command of a code lens
    server(
        workspace::settings base, std::string version, sender send, std::function<void()> ready, test_runner run_tests);

    /// Stores the messages in bytes from the client. Processes cancellations of stored requests immediately.
    void receive(std::string_view bytes);
    /// Processes the first stored message. \return false if there is none
    auto answer_next() -> bool;
    /// Publishes the diagnostics of finished checks.
    void take_results();
    /// Starts the checks that are due. \return the time of the next one
    auto run_due(clock::time_point now) -> std::optional<clock::time_point>;

    /// Returns whether the client has sent the notification "exit".
    [[nodiscard]] auto has_ended() const noexcept -> bool { return ended_; }
    /// 0 if the client requested a shutdown before "exit".
    [[nodiscard]] auto exit_code() const noexcept -> int { return phase_ == phase::shut_down ? 0 : 1; }

private:
    enum class phase : std::uint8_t { created, initialized, shut_down };
    using answer = std::variant<std::string, request_error>;

    void take(message m);
    void respond(std::string_view id, answer const& a);
    [[nodiscard]] auto handle(message const& m) -> answer;
    void notify(message const& m);

    [[nodiscard]] auto initialize(json const& params) -> answer;
    void start();
    [[nodiscard]] auto about_document(message const& m) -> answer;
    [[nodiscard]] auto rename_at(document_place const& at, json const& params) -> answer;
    [[nodiscard]] auto actions_in(document const& in, json const& params) -> answer;
    [[nodiscard]] auto execute(json const& params) -> answer;
    void take_test_results(std::string const& path, test_results results);

    void did_open(json const& params);
    void did_change(json const& params);
    void did_close(json const& params);
    void did_change_files(json const& params);
    void did_change_folders(json const& params);

    /// Schedules checks of the roots of a module.
    void check(std::string const& directory, bool reload);
    void publish(std::set<std::string> const& paths);
    // Diagnostics of a file that do not come from a check of a root: unused declarations, results of tests.
    [[nodiscard]] auto other_problems(document const& in) -> std::vector<std::string>;
    [[nodiscard]] auto problem_json(problem const& p) const -> std::string;
    [[nodiscard]] auto find(json const& params) -> document*;

    struct due_check {
        clock::time_point at;
        bool reload = false;
    };
    struct published_root {
        std::uint64_t number = 0;  // of the last request
        std::map<std::string, std::vector<std::string>> problems;  // as JSON, by path
    };

    sender send_;
    std::string version_;
    phase phase_ = phase::created;
    bool ended_ = false;
    message_reader reader_;
    struct stored {
        std::variant<message, malformed_message> of;
        bool cancelled = false;
    };
    std::deque<stored> waiting_;

    client_abilities client_;
    documents files_;
    schema_index known_{files_};
    std::vector<std::string> folders_;
    std::optional<renamed_object> renamed_;
    test_runner run_tests_;
    std::set<std::string> tested_;  // paths of files whose tests are running
    run_states run_states_;
    std::map<std::string, std::vector<std::string>> test_problems_;  // as JSON, by path
    std::map<std::string, due_check> due_;  // by root
    std::map<std::string, published_root> roots_;
    std::set<std::string> published_;  // paths with diagnostics
    std::uint64_t number_ = 0;
    analyser analyser_;  // last, so that its thread ends before the other members are destroyed
};

}  // namespace iacctl::lsp

#endif  // IACCTL_LSP_SERVER_HPP
