// SPDX-License-Identifier: BSL-1.0
#include "console.hpp"

#include "base/bounded_array.hpp"
#include "base/characters.hpp"
#include "base/cut_text.hpp"
#include "base/http/url.hpp"
#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "messages/server.hpp"
#include "state/backends/lock_info.hpp"
#include "state/workspace_name.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <charconv>
#include <ranges>

namespace iacctl::server {

namespace asio = boost::asio;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

constexpr std::size_t longest_run_id = 100;
constexpr std::size_t longest_report = std::size_t{1} << 20U;
constexpr std::size_t most_entries = 10'000;
constexpr std::size_t most_parts = 200;
constexpr std::size_t most_attributes = 20;
constexpr std::size_t longest_drift = std::size_t{64} << 10U;  // of a workspace, which is a part of each of its events
constexpr std::size_t most_found = 200;
constexpr std::size_t most_runs = 8;  // of a workspace
constexpr auto search_time = milliseconds(150);  // of one request, so that it does not delay others
constexpr auto change_time = milliseconds(2000);  // of the search for the last change of an object, in short pieces
constexpr auto watch_interval = milliseconds(400);
constexpr auto longest_interval = milliseconds(30'000);
constexpr std::int64_t silent_run = 10 * 60 * 1000;  // milliseconds
constexpr std::int64_t silent_after_lock = 15 * 1000;

auto json_error(unsigned status, std::string_view text) -> reply
{
    reply made = json_reply(json_object().text("error", text).done());
    made.status = status;
    return made;
}

auto nothing_here() -> reply
{
    return json_error(404, "There is nothing at this address.");
}

auto number_in(std::string_view query, std::string_view name) -> expected<std::optional<std::int64_t>>
{
    std::string const text = query_parameter(query, name);
    if (text.empty()) return std::optional<std::int64_t>();
    std::int64_t number = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size())
        return state::make_failure(messages::console_version_invalid, {text});
    return std::optional(number);
}

auto words_of(std::string_view text) -> std::vector<std::string>
{
    std::vector<std::string> words;
    std::string word;
    for (char const c : std::string(text) + ' ') {
        if (c != ' ') word += c;
        else if (!word.empty()) words.push_back(ascii_lower_case(std::exchange(word, {})));
    }
    return words;
}

auto list_of(std::vector<std::string> const& all) -> std::string
{
    json_array made;
    for (std::size_t i = 0; i < all.size() && i < most_parts; ++i) made.text(all[i]);
    return made.done();
}

auto json_of(state::lock_description const& held, std::string const& workspace) -> std::string
{
    json_object made;
    made.text_if("id", held.id).text("holder", held.holder).text("operation", held.operation).text("since", held.since);
    if (!held.id.empty()) made.text("release", backends::release_command(workspace, held.id));
    made.flag("whole", held.of_workspace);
    if (!held.of_workspace) {
        made.raw("written", list_of(held.written)).number("written_count", held.written.size());
        made.raw("read", list_of(held.read)).number("read_count", held.read.size());
    }
    return made.done();
}

auto json_of(state_version const& v) -> std::string
{
    json_object made;
    made.raw("version", std::to_string(v.number)).raw("serial", std::to_string(v.serial));
    made.raw("time", std::to_string(v.time)).text_if("author", v.author).text_if("command", v.command);
    made.text_if("lineage", v.lineage);
    if (v.size > 0) made.raw("size", std::to_string(v.size));
    if (v.removed) made.flag("removed", true);
    return made.done();
}

auto without_prefix(std::string_view& path, std::string_view prefix) -> bool
{
    if (!path.starts_with(prefix)) return false;
    path.remove_prefix(prefix.size());
    return true;
}

// A drifted object, without members that are not expected.
auto drifted_object(json const& one) -> std::string
{
    json_array attributes;
    json const* const names = one.find("attributes");
    std::size_t count = 0;
    if (names != nullptr && names->elements() != nullptr)
        for (json const& name : *names->elements())
            if (name.text() != nullptr && count++ < most_attributes)
                attributes.text(cut_text(*name.text(), run_record::longest_name));
    if (count > most_attributes) attributes.text("and " + std::to_string(count - most_attributes) + " more");
    json_object made;
    made.text("address", cut_text(one.text_of("address"), run_record::longest_address));
    made.text("change", one.text_of("change") == "deleted" ? "deleted" : "changed");
    return made.raw("attributes", attributes.done()).done();
}

// The drift that a line reports: the first objects, and the number of the others.
auto drift_of(json const& line, std::string const& by, std::int64_t now) -> std::string
{
    bounded_array objects(longest_drift);
    for (json const& one : *line.find("drifted")->elements()) objects.raw(drifted_object(one));
    std::uint64_t left_out = objects.left_out();
    if (json const* const before = line.find("left_out")) left_out += before->natural().value_or(0);
    json_object made;
    made.text("time", cut_text(line.text_of("time"), run_record::longest_name)).raw("checked", std::to_string(now));
    made.text_if("by", by).raw("objects", objects.done());
    if (left_out > 0) made.number("left_out", left_out);
    return made.done();
}

}  // namespace

console::console(std::vector<state_source*> sources, std::shared_ptr<providers::catalog const> known, log_function log,
    std::function<std::int64_t()> now)
    : sources_(std::move(sources)),
      known_(std::move(known)),
      text_(*known_),
      log_(std::move(log)),
      now_(std::move(now))
{}

void console::wake()
{
    for (auto* const timer : waiting_) timer->cancel();
}

void console::stop()
{
    stopping_ = true;
    wake();
}

void console::touch(entry& e)
{
    std::string const before = std::exchange(e.text, {});
    if (text_of(e) == before) return;
    e.version = ++version_;
    wake();
}

auto console::changed(milliseconds most) -> task<void>
{
    if (stopping_) co_return;
    asio::steady_timer timer(co_await asio::this_coro::executor, most);
    struct registration {
        using list = std::list<asio::steady_timer*>;
        list* all;
        list::iterator at;
        registration(list& in, asio::steady_timer& one) : all(&in), at(in.insert(in.end(), &one)) {}
        registration(registration const&) = delete;
        auto operator=(registration const&) -> registration& = delete;
        ~registration() { all->erase(at); }
    } const registered(waiting_, timer);
    auto waiting = timer.async_wait(asio::as_tuple(asio::use_awaitable));
    co_await std::move(waiting);
}

auto console::source(std::string_view name) const -> state_source*
{
    auto const found = std::ranges::find_if(sources_, [&](auto const* one) { return one->name() == name; });
    return found == sources_.end() ? nullptr : *found;
}

auto console::place_in(std::string_view path) const -> std::optional<place>
{
    auto const slash = path.find('/');
    if (slash == path.npos) return std::nullopt;
    auto* const found = source(http::percent_decoded(path.substr(0, slash)));
    auto workspace = state_name_in(path.substr(slash + 1));
    if (found == nullptr || !workspace) return std::nullopt;
    return place(found, *std::move(workspace));
}

auto console::entry_of(state_source& source, std::string const& workspace) -> entry*
{
    auto const found = entries_.find({source.name(), workspace});
    return found == entries_.end() || !found->second.known ? nullptr : &found->second;
}

auto console::run_of(entry& e, std::string_view id) -> run_record*
{
    auto const found = std::ranges::find(e.runs, id, &run_record::id);
    return found == e.runs.end() ? nullptr : &*found;
}

auto console::add_run(entry& e, run_record made) -> run_record&
{
    // The run that ended first is forgotten, or else the one without news for the longest time.
    auto const by_news = [](run_record const& run) { return std::pair(!run.has_ended(), run.last_news()); };
    if (e.runs.size() >= most_runs) e.runs.erase(std::ranges::min_element(e.runs, {}, by_news));
    return e.runs.emplace_back(std::move(made));
}

void console::take(entry& e, workspace_overview found)
{
    auto observed = std::exchange(found.run, std::nullopt);
    e.known = std::move(found);
    e.reading = reading_state::done;
    std::int64_t const now = now_();
    // A command that reports its progress and was killed sends nothing for a long time. A command that has released its
    // lock has ended, even without a report of that.
    bool const has_released = observed && observed->ended;
    for (run_record& run : e.runs) {
        bool const is_open = run.is_reporting() && e.known->locks.empty();
        if (!is_open || now - run.last_news() <= (has_released ? silent_after_lock : silent_run)) continue;
        if (run.has_failures()) run.assume_end(now, "failed");
        else run.assume_end(now, has_released ? "" : "interrupted");
    }
    // A command that reports is known from its reports; its lock and its writes tell nothing else.
    bool const is_reported = std::ranges::any_of(e.runs, &run_record::is_reporting)
        || (has_released && !e.runs.empty() && e.runs.back().is_reported());
    if (!observed || is_reported) return touch(e);
    run_record* known = run_of(e, observed->id);
    if (known == nullptr)
        known = &add_run(e, {observed->id, observed->operation, observed->who, observed->begun, false});
    for (run_step const& step : observed->steps) known->note(step);
    if (!observed->ended) known->go_on();
    else if (observed->end_is_assumed) known->assume_end(*observed->ended, observed->result);
    else known->end(*observed->ended, observed->result);
    touch(e);
}

auto console::observe(state_source& source, std::string workspace, bool somebody_asks) -> task<void>
{
    bool const is_seen = somebody_asks || viewers_ > 0;
    auto const depth = is_seen ? observation_depth::content : observation_depth::surface;
    auto observing = source.thread().run([&] { return source.observe(workspace, depth); });
    auto found = co_await std::move(observing);
    if (!found) {
        log_(found.error());
        // It is read again after the next write.
        if (auto* const e = entry_of(source, workspace)) {
            e->known->is_behind = false;
            if (e->reading == reading_state::waiting) e->reading = reading_state::failed;
            touch(*e);
        }
        co_return;
    }
    auto const key = std::pair(source.name(), workspace);
    if (*found) {
        auto const [at, added] = entries_.try_emplace(key, entry{&source, workspace});
        take(at->second, std::move(**found));
        co_return;
    }
    auto const gone = entries_.find(key);
    if (gone == entries_.end() || !gone->second.known) co_return;
    // A command reports before it has made its workspace.
    bool const is_reported = std::ranges::any_of(gone->second.runs,
        [&](run_record const& run) { return run.is_reporting() && now_() - run.last_news() <= silent_run; });
    if (is_reported) co_return;
    gone->second.known.reset();
    gone->second.runs.clear();
    gone->second.drift.clear();
    touch(gone->second);
}

auto console::observe_all(state_source& source) -> task<void>
{
    auto listing = source.thread().run([&] { return source.workspaces(); });
    auto const names = co_await std::move(listing);
    if (!names) {
        log_(names.error());
        co_return;
    }
    std::vector<std::string> all = *names;
    // Viewers see the names of all workspaces at once, and the content of each after it is read.
    for (std::string const& name : all) {
        entry& e = entries_.try_emplace({source.name(), name}, entry{&source, name}).first->second;
        if (e.known) continue;
        e.known.emplace().is_behind = true;
        e.reading = reading_state::waiting;
        touch(e);
    }
    for (auto const& [key, e] : entries_)
        if (key.first == source.name() && e.known && std::ranges::find(all, key.second) == all.end())
            all.push_back(key.second);
    for (std::string const& name : all) {
        if (stopping_) co_return;
        auto observing = observe(source, name);
        co_await std::move(observing);
    }
}

auto console::catch_up(state_source& source) -> task<void>
{
    std::vector<std::string> behind;
    for (auto const& [_, e] : entries_)
        if (e.source == &source && e.known && e.known->is_behind) behind.push_back(e.name);
    for (std::string const& name : behind) {
        if (stopping_) co_return;
        auto observing = observe(source, name, true);
        co_await std::move(observing);
    }
}

auto console::watch(state_source& source) -> task<void>
{
    while (!stopping_) {
        auto const begun = steady_clock::now();
        auto observing = observe_all(source);
        co_await std::move(observing);
        // Requests report each change of the states of this server, but not that a command sends no more reports. A slow
        // source is observed less often.
        auto const least = source.is_shared() ? watch_interval : longest_interval;
        auto const taken = std::chrono::duration_cast<milliseconds>(steady_clock::now() - begun);
        auto const until = steady_clock::now() + std::clamp(taken * 3, least, longest_interval);
        while (!stopping_ && (viewers_ == 0 || steady_clock::now() < until)) {
            auto const left = std::chrono::duration_cast<milliseconds>(until - steady_clock::now()) + milliseconds(1);
            auto waiting = changed(viewers_ == 0 ? longest_interval : left);
            co_await std::move(waiting);
            if (viewers_ == 0) continue;
            auto reading = catch_up(source);
            co_await std::move(reading);
        }
    }
}

auto console::viewer::next() -> std::string
{
    std::string events;
    if (!std::exchange(has_begun_, true))
        events = "event: hello\ndata: "
            + json_object().raw("now", std::to_string(of_->now_())).raw("sources", of_->sources_text()).done() + "\n\n";
    for (auto& [key, e] : of_->entries_) {
        if (e.version <= seen_ || (!e.known && seen_ == 0)) continue;
        events += e.known ? "event: workspace\ndata: " : "event: gone\ndata: ";
        events += of_->text_of(e);
        events += "\n\n";
    }
    if (!events.empty()) events += "event: time\ndata: " + std::to_string(of_->now_()) + "\n\n";
    seen_ = of_->version_;
    return events;
}

auto console::sources_text() const -> std::string
{
    json_array made;
    for (auto const* one : sources_) made.raw(json_object().text("name", one->name()).text("type", one->type()).done());
    return made.done();
}

auto console::text_of(entry& e) -> std::string const&
{
    if (!e.text.empty()) return e.text;
    json_object made;
    made.text("source", e.source->name()).text("name", e.name);
    if (e.known) {
        if (e.known->last) made.raw("last", json_of(*e.known->last));
        if (e.known->resources) made.number("resources", *e.known->resources);
        if (e.known->is_sealed) made.flag("sealed", true);
        // A document is the state of the default workspace of the configuration that names it.
        std::string const workspace = e.source->is_shared() ? e.name : std::string(state::default_workspace);
        json_array locks;
        for (auto const& one : e.known->locks) locks.raw(json_of(one, workspace));
        made.raw("locks", locks.done());
        if (e.reading == reading_state::waiting) made.flag("unread", true);
        if (e.reading == reading_state::failed) made.flag("unreadable", true);
        if (!e.runs.empty()) made.raw("run", e.runs.back().text(run_record::depth::summary));
        json_array others;
        for (run_record const& run : e.runs | std::views::reverse | std::views::drop(1))
            others.raw(run.text(run.has_ended() ? run_record::depth::counts : run_record::depth::summary));
        if (!others.empty()) made.raw("other_runs", others.done());
        made.raw_if("drift", e.drift);
    }
    return e.text = made.done();
}

auto console::refusal(infra::failure const& why) -> reply
{
    // The client receives reasons about its request or the content of a state. Others could contain paths of this machine.
    static constexpr std::string_view open_codes[] = {"console_version_invalid", "served_state_sealed",
        "state_history_pruned", "state_without_history", "lock_id_differs", "state_not_locked"};
    auto const& first = why.why().front();
    bool const is_open = std::ranges::find(open_codes, first.code) != std::end(open_codes)
        || state::kind_of(first) == state::state_error::invalid_file;
    if (is_open) {
        reply made = json_error(409, first.detail);
        if (first.code == "console_version_invalid") made.status = 400;
        return made;
    }
    log_(why);
    return json_error(500, "The states of this source cannot be read. The log of the server contains the reason.");
}

auto console::respond(state_request const& request, bool is_genuine) -> task<reply>
{
    auto [path, query_view] = request_target(request.target);
    std::string query(query_view);
    bool const reads = request.method == "GET";
    auto const only = [](std::string_view method) {
        reply made = json_error(405, "This resource supports the method " + std::string(method) + ".");
        made.headers["Allow"] = method;
        return made;
    };
    bool const is_graph = without_prefix(path, "/console/graph/");
    if (!is_graph && !without_prefix(path, "/console/api/")) co_return nothing_here();
    if (!is_graph && (path == "workspaces" || path == "search")) {
        if (!reads) co_return only("GET");
        auto answering = path == "search" ? search(std::move(query)) : workspaces();
        co_return co_await std::move(answering);
    }
    std::string const kind(is_graph ? std::string_view("graph") : path.substr(0, path.find('/')));
    if (!is_graph) path.remove_prefix(std::min(path.size(), kind.size() + 1));
    static constexpr std::string_view kinds[] = {
        "history", "state", "resource", "change", "difference", "run", "unlock", "graph"};
    auto at = place_in(path);
    if (!at || std::ranges::find(kinds, kind) == std::end(kinds)) co_return nothing_here();
    if (kind == "unlock") {
        if (request.method != "POST") co_return only("POST");
        if (request.by.may != role::write)
            co_return json_error(403, "This user can read states, but cannot release locks.");
        if (!is_genuine)
            co_return json_error(403, "The request does not have the token of its session in the header X-CSRF-Token.");
        auto unlocking = unlock(std::move(*at), request);
        co_return co_await std::move(unlocking);
    }
    if (!reads) co_return only("GET");
    if (kind == "run") {
        auto* const e = entry_of(*at->first, at->second);
        if (e != nullptr && e->known->is_behind) {
            auto observing = observe(*at->first, at->second, true);
            co_await std::move(observing);
        }
        std::string const id = query_parameter(query, "id");
        run_record const* const run = e == nullptr || e->runs.empty() ? nullptr
            : id.empty()                                              ? &e->runs.back()
                                                                      : run_of(*e, id);
        co_return run != nullptr ? json_reply(run->text(run_record::depth::whole)) : nothing_here();
    }
    auto answering = kind == "history" ? history(std::move(*at))
        : kind == "change"             ? last_change(std::move(*at), std::move(query))
        : kind == "difference"         ? difference(std::move(*at), std::move(query))
                                       : content(std::move(*at), kind, std::move(query));
    co_return co_await std::move(answering);
}

auto console::workspaces() -> task<reply>
{
    for (auto* const one : sources_) {
        bool const is_watched = viewers_ > 0 || !one->is_shared();
        auto observing = is_watched ? catch_up(*one) : observe_all(*one);
        co_await std::move(observing);
    }
    json_array all;
    for (auto& [_, e] : entries_)
        if (e.known) all.raw(text_of(e));
    json_object made;
    made.raw("now", std::to_string(now_())).raw("sources", sources_text()).raw("workspaces", all.done());
    co_return json_reply(made.done());
}

auto console::history(place at) -> task<reply>
{
    auto reading = at.first->thread().run([&] { return at.first->history(at.second); });
    auto const found = co_await std::move(reading);
    if (!found) co_return refusal(found.error());
    json_array versions;
    for (state_version const& one : *found) versions.raw(json_of(one));
    co_return json_reply(json_object().raw("versions", versions.done()).done());
}

auto console::content(place at, std::string_view kind, std::string query) -> task<reply>
{
    auto const version = number_in(query, "version");
    if (!version) co_return refusal(version.error());
    std::string const address = query_parameter(query, "address");
    std::string const what(kind);
    std::string made;
    auto const work = [&]() -> expected<bool> {
        auto const s = at.first->content(at.second, *version);
        if (!s) return s.error();
        if (!*s) return false;
        if (what == "state") made = text_.content(**s);
        else if (what == "resource") made = text_.object(**s, address);
        else
            made = state_json::graph(**s, at.first->name(), at.second,
                "/console/#/w/" + http::percent_encoded(at.first->name()) + "/" + http::percent_encoded(at.second));
        return !made.empty();
    };
    auto reading = at.first->thread().run(work);
    auto const done = co_await std::move(reading);
    if (!done) co_return refusal(done.error());
    if (!*done) co_return json_error(404, what == "resource" ? "The state has no such object." : "There is no state.");
    if (what != "graph") co_return json_reply(std::move(made));
    co_return reply{200, std::move(made), "text/html; charset=utf-8"};
}

auto console::last_change(place at, std::string query) -> task<reply>
{
    std::string const address = query_parameter(query, "address");
    auto reading = at.first->thread().run([&] { return at.first->history(at.second); });
    auto const versions = co_await std::move(reading);
    if (!versions) co_return refusal(versions.error());
    // Versions are read one by one, from the newest, so that the requests of others come between.
    auto const until = steady_clock::now() + change_time;
    std::optional<std::string> now;
    std::size_t same = 0;  // the oldest version with the present object
    for (std::size_t i = 0; i < versions->size(); ++i) {
        if (i > 0 && steady_clock::now() > until) break;
        auto const work = [&] { return at.first->content(at.second, versions->at(i).number); };
        auto looking = at.first->thread().run(work);
        auto const content = co_await std::move(looking);
        if (!content && i > 0) break;  // the history ends here
        if (!content) co_return refusal(content.error());
        auto object = *content ? state_json::object_content(**content, address) : std::optional<std::string>();
        if (i == 0 && !object) co_return json_error(404, "The state has no such object.");
        if (i == 0) now = std::move(object);
        else if (object != now)
            co_return json_reply(
                change_text(at, address, versions->at(same), object ? "update" : "create", versions->at(i).number));
        same = i;
    }
    if (!now) co_return json_error(404, "There is no state.");
    co_return json_reply(change_text(at, address, versions->at(same), {}, std::nullopt));
}

auto console::change_text(place const& at, std::string const& address, state_version const& version,
    std::string_view action, std::optional<std::int64_t> before) -> std::string
{
    json_object made;
    made.raw("version", json_of(version)).text_if("action", action);
    if (before) made.raw("before", std::to_string(*before));
    if (auto const* const e = entry_of(*at.first, at.second)) {
        auto const newest_first = e->runs | std::views::reverse;
        auto const run = std::ranges::find_if(
            newest_first, [&](run_record const& one) { return one.went_on_at(version.time) && one.has_done(address); });
        if (run != newest_first.end()) made.text("run", run->id());
    }
    return made.done();
}

auto console::difference(place at, std::string query) -> task<reply>
{
    auto const from = number_in(query, "from");
    if (!from) co_return refusal(from.error());
    auto const to = number_in(query, "to");
    if (!to) co_return refusal(to.error());
    if (!*from) co_return json_error(400, "The parameter \"from\" is missing.");
    std::string made;
    auto const work = [&]() -> expected<bool> {
        // A version without a state, such as a removed one, is compared as an empty state.
        auto const before = at.first->content(at.second, *from);
        if (!before) return before.error();
        auto const after = at.first->content(at.second, *to);
        if (!after) return after.error();
        infra::snapshot const none;
        made = text_.difference(before->value_or(none), after->value_or(none));
        return true;
    };
    auto reading = at.first->thread().run(work);
    auto const done = co_await std::move(reading);
    co_return done ? json_reply(std::move(made)) : refusal(done.error());
}

auto console::search(std::string query) -> task<reply>
{
    auto const words = words_of(query_parameter(query, "q"));
    if (words.empty()) co_return json_error(400, "The parameter \"q\" is missing.");
    std::string const after = query_parameter(query, "after");
    // The order of the entries, which is that of pairs and not that of paths.
    auto const slash = std::min(after.find('/'), after.size());
    std::pair const begin(after.substr(0, slash), after.substr(std::min(slash + 1, after.size())));
    auto const is_behind = [&](place const& at) { return std::pair(at.first->name(), at.second) > begin; };
    bool is_cut = false;
    auto const until = steady_clock::now() + search_time;
    std::vector<std::string> found;
    std::string last = after;
    bool is_complete = true;
    std::size_t unreadable = 0;
    std::vector<place> all;
    for (auto const& [_, e] : entries_)
        if (e.known && !e.known->is_sealed) all.emplace_back(e.source, e.name);
    for (place const& at : all) {
        std::string const name = at.first->name() + "/" + at.second;
        // The workspace of the last reply may be gone.
        if (!after.empty() && !is_behind(at)) continue;
        if (steady_clock::now() > until || found.size() >= most_found) {
            is_complete = false;
            break;
        }
        std::size_t const before = found.size();
        std::string const where = json_object().text("source", at.first->name()).text("name", at.second).done();
        auto const work = [&] {
            auto const s = at.first->content(at.second, std::nullopt);
            // One more than is sent tells that there are more.
            if (s && *s) text_.search(found, **s, words, where, most_found + 1);
            return s || s.error().why().front().code == "served_state_sealed";
        };
        auto reading = at.first->thread().run(work);
        bool const is_read = co_await std::move(reading);
        if (!is_read) ++unreadable;
        if (found.size() > most_found && before > 0) {
            // The next request begins with this workspace.
            found.resize(before);
            is_complete = false;
            break;
        }
        last = name;
        if (found.size() > most_found) {
            found.pop_back();
            is_cut = true;
        }
    }
    json_array results;
    for (std::string const& one : found) results.raw(one);
    json_object made;
    made.raw("results", results.done());
    if (!is_complete) made.text("next", last);
    if (is_cut) made.flag("cut", true);
    if (unreadable > 0) made.number("unreadable", unreadable);
    co_return json_reply(made.done());
}

auto console::unlock(place at, state_request const& request) -> task<reply>
{
    auto const body = parse_json(request.body);
    std::string const id = body ? body->text_of("id") : std::string();
    if (id.empty()) co_return json_error(400, "The body is not {\"id\":\"ID\"}.");
    auto releasing = at.first->thread().run([&] { return at.first->release(at.second, id); });
    auto const released = co_await std::move(releasing);
    if (!released) co_return refusal(released.error());
    auto observing = observe(*at.first, at.second);
    co_await std::move(observing);
    if (!*released) co_return json_error(409, "The lock with this ID is no longer held.");
    co_return json_reply(json_object().flag("released", true).done());
}

auto console::report(state_request const& request) -> task<reply>
{
    auto [path, query] = request_target(request.target);
    if (request.method != "POST") {
        reply made = json_error(405, "This resource supports the method POST.");
        made.headers["Allow"] = "POST";
        co_return made;
    }
    if (request.by.may != role::write) co_return json_error(403, "This user can read states, but cannot report.");
    (void)without_prefix(path, "/reports/");
    auto const at = place_in(path);
    if (!at) co_return nothing_here();
    if (request.body.size() > longest_report) co_return json_error(413, "A report must be shorter than 1 MiB.");
    std::string const id = query_parameter(query, "run");
    std::string const operation = query_parameter(query, "operation");
    std::string const result = query_parameter(query, "end");
    auto const part = number_in(query, "part");
    if (!part) co_return json_error(400, "The parameter \"part\" must be a number.");
    if (id.size() > longest_run_id) co_return json_error(400, "The ID of a run must be shorter than 100 bytes.");
    // A command reports before it has made its workspace.
    if (entries_.size() >= most_entries && entry_of(*at->first, at->second) == nullptr) co_return nothing_here();
    entry* const e = &entries_.try_emplace({at->first->name(), at->second}, entry{at->first, at->second}).first->second;
    if (!e->known) e->known.emplace();
    std::int64_t const now = now_();
    run_record* run = id.empty() ? nullptr : run_of(*e, id);
    if (run == nullptr && !id.empty()) {
        // The source has seen the lock and the writes of this command as a run without reports: it is the same run.
        std::erase_if(e->runs, [](run_record const& one) { return !one.is_reported() && !one.has_ended(); });
        auto const& locks = e->known->locks;
        run = &add_run(*e, {id, "apply", locks.empty() ? request.by.name : locks.front().holder, now, true});
    }
    if (run != nullptr && *part && !run->take_part(**part))
        co_return json_reply(json_object().number("lines", 0).done());
    if (run != nullptr && !operation.empty()) run->rename(operation);
    std::size_t taken = 0;
    std::string_view rest = request.body;
    while (!rest.empty()) {
        auto const line = parse_json(rest.substr(0, rest.find('\n')));
        rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1);
        if (!line || line->members() == nullptr) continue;
        json const* const drifted = line->find("drifted");
        if (drifted != nullptr && drifted->elements() != nullptr) e->drift = drift_of(*line, request.by.name, now);
        else if (run != nullptr) run->note(*line, now);
        else continue;
        ++taken;
    }
    if (run != nullptr && !result.empty()) run->end(now, result);
    touch(*e);
    co_return json_reply(json_object().number("lines", taken).done());
}

}  // namespace iacctl::server
