// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_SERVER_CONSOLE_HPP
#define IACCTL_SERVER_CONSOLE_HPP

#include "base/timestamp.hpp"
#include "providers/catalog.hpp"
#include "request.hpp"
#include "run_record.hpp"
#include "state_json.hpp"
#include "state_source.hpp"

#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace iacctl::server {

/// The console of a team: what is known of all workspaces of all sources, as JSON and as a stream of events.
///
///   GET  /console/api/workspaces                all workspaces: serial, last change, locks, run, drift
///   GET  /console/api/history/SOURCE/NAME       the versions of a state
///   GET  /console/api/state/SOURCE/NAME         resources and outputs; ?version=NUMBER
///   GET  /console/api/resource/SOURCE/NAME      the attributes of one object: ?address=ADDRESS, &version=NUMBER
///   GET  /console/api/change/SOURCE/NAME        the version that last changed an object: ?address=ADDRESS
///   GET  /console/api/difference/SOURCE/NAME    between two versions: ?from=NUMBER&to=NUMBER
///   GET  /console/api/run/SOURCE/NAME           all operations of the last command, or of a known one: ?id=ID
///   GET  /console/api/search                    ?q=WORDS; &after=SOURCE/NAME goes on behind a workspace
///   POST /console/api/unlock/SOURCE/NAME        releases a lock: {"id":"…"}
///   GET  /console/graph/SOURCE/NAME             a page with the dependencies of all objects; ?version=NUMBER
///   POST /reports/SOURCE/NAME                   lines of the output of `apply -json` (?run=ID, &part=NUMBER, &operation=NAME) and of
///                                               `watch -json`
///
/// All functions are called on the thread of the server, on which their coroutines run; sources work on their own
/// threads.
class console {
public:
    template <class T>
    using task = state::task<T>;
    using log_function = std::function<void(infra::failure const&)>;

    /// \param sources  outlive the console, except its destruction
    /// \param now  milliseconds since 1970, UTC
    console(std::vector<state_source*> sources, std::shared_ptr<providers::catalog const> known, log_function log,
        std::function<std::int64_t()> now = now_ms);

    /// The reply to a request of a known user. \param is_genuine  the request has the token of its session
    [[nodiscard]] auto respond(state_request const& request, bool is_genuine) -> task<reply>;
    /// Takes the reports of commands.
    [[nodiscard]] auto report(state_request const& request) -> task<reply>;

    /// Reads what is known of a workspace again. The content of writes is read only if somebody looks at it.
    [[nodiscard]] auto observe(state_source& source, std::string workspace, bool somebody_asks = false) -> task<void>;
    /// The same for a document of this server, which a request has changed.
    [[nodiscard]] auto observe_document(std::string workspace) -> task<void>
    {
        return observe(*sources_.front(), std::move(workspace));
    }
    /// Observes a source until `stop`: once at first, then repeatedly while there is a viewer.
    [[nodiscard]] auto watch(state_source& source) -> task<void>;
    [[nodiscard]] auto sources() const noexcept -> std::vector<state_source*> const& { return sources_; }
    void stop();

    /// A receiver of events, as long as this object exists.
    class viewer {
    public:
        explicit viewer(console& of) : of_(&of)
        {
            ++of_->viewers_;
            of_->wake();
        }
        viewer(viewer const&) = delete;
        auto operator=(viewer const&) -> viewer& = delete;
        ~viewer() { --of_->viewers_; }

        /// The events since the last call, in the format of server-sent events; empty: none. The first call returns
        /// the present state of everything.
        [[nodiscard]] auto next() -> std::string;
        [[nodiscard]] auto has_news() const noexcept -> bool { return of_->version_ > seen_; }

    private:
        console* of_;
        std::uint64_t seen_ = 0;
        bool has_begun_ = false;
    };
    [[nodiscard]] auto viewers() const noexcept -> std::size_t { return viewers_; }
    /// Waits until something has changed, at most for a time.
    [[nodiscard]] auto changed(std::chrono::milliseconds most) -> task<void>;

private:
    enum class reading_state : std::uint8_t { waiting, failed, done };
    struct entry {
        state_source* source = nullptr;
        std::string name;
        std::optional<workspace_overview> known{};  // nothing: it is gone
        std::vector<run_record> runs{};  // by their begin
        reading_state reading = reading_state::done;  // of a source that was listed
        std::string drift{};  // JSON; empty: nothing was reported
        std::uint64_t version = 0;
        std::string text{};  // JSON; empty: to be made
    };
    using place = std::pair<state_source*, std::string>;

    void wake();
    /// Tells what has changed to those who watch.
    void touch(entry& e);
    [[nodiscard]] auto text_of(entry& e) -> std::string const&;
    [[nodiscard]] auto source(std::string_view name) const -> state_source*;
    [[nodiscard]] auto place_in(std::string_view path) const -> std::optional<place>;
    [[nodiscard]] auto entry_of(state_source& source, std::string const& workspace) -> entry*;
    [[nodiscard]] auto observe_all(state_source& source) -> task<void>;
    /// Reads the writes that nobody has looked at until now.
    [[nodiscard]] auto catch_up(state_source& source) -> task<void>;
    void take(entry& e, workspace_overview found);
    [[nodiscard]] static auto run_of(entry& e, std::string_view id) -> run_record*;
    [[nodiscard]] static auto add_run(entry& e, run_record made) -> run_record&;

    [[nodiscard]] auto workspaces() -> task<reply>;
    [[nodiscard]] auto history(place at) -> task<reply>;
    [[nodiscard]] auto content(place at, std::string_view kind, std::string query) -> task<reply>;
    [[nodiscard]] auto last_change(place at, std::string query) -> task<reply>;
    [[nodiscard]] auto change_text(place const& at, std::string const& address, state_version const& version,
        std::string_view action, std::optional<std::int64_t> before) -> std::string;
    [[nodiscard]] auto difference(place at, std::string query) -> task<reply>;
    [[nodiscard]] auto search(std::string query) -> task<reply>;
    [[nodiscard]] auto unlock(place at, state_request const& request) -> task<reply>;
    [[nodiscard]] auto refusal(infra::failure const& why) -> reply;
    [[nodiscard]] auto sources_text() const -> std::string;

    std::vector<state_source*> sources_;
    std::shared_ptr<providers::catalog const> known_;
    state_json text_;
    log_function log_;
    std::function<std::int64_t()> now_;
    std::map<std::pair<std::string, std::string>, entry> entries_;  // by the names of source and workspace
    std::uint64_t version_ = 1;  // a viewer that has seen nothing is behind it
    std::size_t viewers_ = 0;
    std::list<boost::asio::steady_timer*> waiting_;
    bool stopping_ = false;
};

}  // namespace iacctl::server

#endif  // IACCTL_SERVER_CONSOLE_HPP
