// SPDX-License-Identifier: BSL-1.0
// A make-like program over a cluster: a coordinator, and workers that run shell scripts as processes, on this machine
// or on the nodes of a Slurm allocation. Completed tasks are recorded, so after a failed or killed run, the next run
// continues at the same point.
#include "build_file.hpp"
#include "command.hpp"
#include "record.hpp"
#include "slurm_jobs.hpp"
#include "slurm_rest.hpp"

#include <strider/core.hpp>
#include <strider/remote.hpp>
#include <strider/walk/async_walk.hpp>

#include <range/v3/algorithm/any_of.hpp>
#include <range/v3/algorithm/none_of.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/host_name.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/json/src.hpp>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace cluster_make {
namespace {

namespace fs = std::filesystem;
using asio::ip::tcp;
using unix_stream = asio::local::stream_protocol;
using strider::error_code;
using coordinator = remote::basic_coordinator<command_codec>;
using worker = remote::basic_worker<commands>;

constexpr char const* usage =
    "usage: cluster_make [-f FILE] [--workers N] [--slots N] [--slurm [--rest SOCKET]] [--again TASK]... [TASK...]\n"
    "Runs the tasks of FILE (build.tasks) that are not done yet, or those that the named tasks need.\n"
    "  --workers N   number of workers: processes of this machine, or with --slurm nodes (2)\n"
    "  --slots N     number of tasks that a worker runs at once (2)\n"
    "  --slurm       start one worker per node of an allocation, by srun; a task with the attribute job is a job of "
    "its own\n"
    "  --rest SOCKET submit and cancel jobs by slurmrestd at this socket file, not by sbatch, squeue and scancel\n"
    "  --again TASK  run a task, and all that depend on it, although it is done\n"
    "The folder .cluster-make beside FILE has the record of done tasks and logs/TASK.log.\n";
constexpr char const* application = "cluster_make 1";

struct arguments {
    std::string file = "build.tasks";
    unsigned workers = 2;
    unsigned slots = 2;
    bool slurm = false;
    std::string rest;
    std::set<std::string> again;
    std::vector<std::string> wanted;
    std::string serve;  // in a worker: the address of the coordinator
};

struct usage_error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

auto parse(int argc, char** argv) -> arguments
{
    arguments a;
    for (int i = 1; i < argc; ++i) {
        std::string_view const word = argv[i];
        auto const value = [&]() -> std::string {
            if (++i == argc) throw usage_error(std::string(word) + " needs a value");
            return argv[i];
        };
        auto const number = [&]() -> unsigned {
            std::string const text = value();
            unsigned n = 0;
            auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
            if (error != std::errc() || end != text.data() + text.size() || n == 0 || n > 1000)
                throw usage_error(std::string(word) + " needs a number from 1 to 1000, not '" + text + "'");
            return n;
        };
        if (word == "-f") a.file = value();
        else if (word == "--workers") a.workers = number();
        else if (word == "--slots") a.slots = number();
        else if (word == "--slurm") a.slurm = true;
        else if (word == "--rest") a.rest = value();
        else if (word == "--again") a.again.insert(value());
        else if (word == "--serve") a.serve = value();
        else if (word.starts_with("-")) throw usage_error("unknown option " + std::string(word));
        else a.wanted.emplace_back(word);
    }
    return a;
}

// ---- worker ----

auto credential() -> std::string
{
    char const* const text = std::getenv("CLUSTER_MAKE_CREDENTIAL");
    return text == nullptr ? std::string() : text;
}

template <class Socket, class Endpoint>
auto serve_at(worker& w, Endpoint endpoint) -> asio::awaitable<error_code>
{
    Socket socket(co_await asio::this_coro::executor);
    auto connecting = socket.async_connect(endpoint, asio::as_tuple(asio::use_awaitable));
    auto const [refused] = co_await std::move(connecting);
    if (refused) co_return refused;
    auto serving = w.async_serve(std::move(socket), asio::as_tuple(asio::use_awaitable));
    auto const [error] = co_await std::move(serving);
    co_return error;
}

// Serves until the coordinator sends goodbye, or cannot be reached for ten seconds.
auto stay_connected(worker& w, std::string address, int& status) -> asio::awaitable<void>
{
    auto last = std::chrono::steady_clock::now();
    error_code error;
    do {
        auto const begun = std::chrono::steady_clock::now();
        if (address.starts_with("unix:")) {
            auto serving = serve_at<unix_stream::socket>(w, unix_stream::endpoint(address.substr(5)));
            error = co_await std::move(serving);
        } else {
            auto const colon = address.rfind(':');
            auto const port = static_cast<std::uint16_t>(std::stoul(address.substr(colon + 1)));
            auto serving =
                serve_at<tcp::socket>(w, tcp::endpoint(asio::ip::make_address(address.substr(4, colon - 4)), port));
            error = co_await std::move(serving);
        }
        bool const rejected = error == remote::remote_errc::not_authorized
            || error == remote::remote_errc::wrong_application || error == remote::remote_errc::draining;
        if (!error || rejected) break;
        auto const now = std::chrono::steady_clock::now();
        if (now - begun > std::chrono::seconds(1)) last = now;  // it was connected
        if (now - last > std::chrono::seconds(10)) break;
        asio::steady_timer pause(co_await asio::this_coro::executor, std::chrono::milliseconds(200));
        auto waiting = pause.async_wait(asio::use_awaitable);
        co_await std::move(waiting);
    } while (true);
    status = error && error != remote::remote_errc::draining ? 1 : 0;
    if (status != 0) std::cerr << "worker: " << error.message() << '\n';
}

auto run_worker(arguments const& a) -> int
{
    asio::io_context context(1);
    remote::worker_options options;
    char const* const node = std::getenv("SLURMD_NODENAME");
    options.name = node != nullptr ? node : asio::ip::host_name() + '-' + std::to_string(::getpid());
    options.application = application;
    options.credential = credential();
    options.slots = a.slots;
    for (std::string const& label : a.wanted) options.labels.push_back(label);
    worker w(context.get_executor(), commands(), options);
    asio::signal_set stop(context, SIGTERM);  // preemption: running tasks complete, all others are returned
    stop.async_wait([&](error_code error, int) {
        if (!error) w.drain();
    });
    int status = 0;
    asio::co_spawn(context, stay_connected(w, a.serve, status), [&](std::exception_ptr) { stop.cancel(); });
    context.run();
    return status;
}

// ---- coordinator ----

class build {
public:
    build(arguments a, strider::dag<task> tasks)
        : arguments_(std::move(a)),
          folder_(fs::absolute(arguments_.file).parent_path()),
          own_(folder_ / ".cluster-make"),
          tasks_(std::move(tasks)),
          context_(1),
          stop_(context_, SIGINT, SIGTERM),
          children_(context_, SIGCHLD)
    {
        fs::create_directories(own_ / "logs");
        fs::create_directories(own_ / "jobs");
        fs::permissions(own_, fs::perms::owner_all);
        record_.emplace((own_ / "record").string());
    }

    auto run() -> int
    {
        select();
        if (selected_.vertex_count() == 0) {
            std::cout << "nothing to do\n";
            return 0;
        }
        remote::coordinator_options options;
        options.application = application;
        options.credential = make_credential();
        options.generation = run_ = record_->next_run();
        options.worker_wait = std::chrono::seconds(60);
        options.observer = [](remote::coordinator_event const& event) { report(event); };
        coordinator workers(context_.get_executor(), {}, options);
        if (ranges::any_of(selected_.vertices(), [this](auto v) { return !is_job(selected_[v]); }))
            start_workers(workers);

        auto const make = [this](strider::vertex_id, task const& t) -> remote::request<command> {
            record_->add("begin", t);
            std::cout << "start  " << t.name << std::endl;
            return {command{t.script, folder_.string()}, t.name + '-' + std::to_string(t.digest), t.labels, !t.once};
        };
        auto const receive = [this](strider::vertex_id v, remote::reply<command_result> const& end) {
            return ended(selected_[v], end);
        };
        auto const visit = [this, on_workers = remote::visitor(workers, make, receive)](
                               strider::vertex_id v, task const& t, strider::visit_handle handle) mutable {
            if (is_job(t)) start_job(t, std::move(handle));
            else on_workers(v, t, std::move(handle));
        };
        int status = 1;
        asio::cancellation_signal signal;
        strider::async_walk(context_, selected_, visit, {},
            asio::bind_cancellation_slot(signal.slot(), [&](error_code error, strider::walk_report const& end) {
                status = error ? 1 : 0;
                summarize(end);
                is_over_ = true;
                stop_.cancel();
                workers.async_drain([&](error_code) { context_.stop(); });
            }));
        stop_.async_wait([&](error_code error, int) {
            if (!error) signal.emit(asio::cancellation_type::terminal);
        });
        context_.run();
        for (auto const id : processes_) ::kill(id, SIGTERM);
        for (auto const id : processes_) ::waitpid(id, nullptr, 0);
        return status;
    }

private:
    // Selects the tasks to run: the wanted ones, without those that are done and whose dependencies are done.
    void select()
    {
        std::set<std::string> needed(arguments_.wanted.begin(), arguments_.wanted.end());
        for (std::set<std::string> const& named : {needed, arguments_.again})
            for (std::string const& name : named) {
                if (ranges::none_of(tasks_.vertices(), [&](auto v) { return tasks_[v].name == name; }))
                    throw std::runtime_error(arguments_.file + ": there is no task " + name);
            }
        std::vector<strider::vertex_id> order(tasks_.vertices().begin(), tasks_.vertices().end());
        if (!needed.empty())
            for (auto v = order.rbegin(); v != order.rend(); ++v)
                if (needed.contains(tasks_[*v].name))
                    for (strider::vertex_id const d : tasks_.dependencies(*v)) needed.insert(tasks_[d].name);
        strider::digraph<task> draft;
        std::map<strider::vertex_id, strider::draft_vertex_id> runs;
        for (strider::vertex_id const v : order) {
            task const& t = tasks_[v];
            bool is_outdated = !record_->is_done(t) || arguments_.again.contains(t.name);
            for (strider::vertex_id const d : tasks_.dependencies(v)) is_outdated = is_outdated || runs.contains(d);
            if (!is_outdated || (!needed.empty() && !needed.contains(t.name))) continue;
            if (t.once && record_->is_unknown(t) && !arguments_.again.contains(t.name))
                throw std::runtime_error("task " + t.name
                    + " is not to be repeated, and the outcome of its last run is unknown; "
                      "check its effects, then run it with --again "
                    + t.name);
            runs.emplace(v, draft.add_vertex(t));
            for (strider::vertex_id const d : tasks_.dependencies(v))
                if (runs.contains(d)) draft.add_edge(runs.at(v), depends_on(runs.at(d)));
        }
        selected_ = strider::freeze(std::move(draft)).value();
    }

    [[nodiscard]] auto access() const -> std::unique_ptr<slurm_access>
    {
        if (arguments_.rest.empty()) return std::make_unique<slurm_commands>();
        return std::make_unique<slurm_rest>(arguments_.rest);
    }
    [[nodiscard]] auto is_job(task const& t) const -> bool { return arguments_.slurm && t.job; }
    [[nodiscard]] auto log_of(task const& t) const -> fs::path { return own_ / "logs" / (t.name + ".log"); }

    void start_job(task const& t, strider::visit_handle handle)
    {
        auto slot = handle.get_cancellation_slot();
        auto ended = [handle = std::move(handle)](std::exception_ptr failed, strider::visit_outcome outcome) mutable {
            handle(failed ? strider::visit_outcome::failure(std::move(failed)) : std::move(outcome));
        };
        asio::co_spawn(context_, run_job(t), asio::bind_cancellation_slot(slot, std::move(ended)));
    }
    // Submits a task as a job, unless an earlier run has done so and was killed.
    auto run_job(task const& t) -> asio::awaitable<strider::visit_outcome>
    {
        co_await asio::this_coro::throw_if_cancelled(false);
        std::string id = record_->job_of(t);
        if (!id.empty() && arguments_.again.contains(t.name)) {
            auto cancelling = jobs_.cancel(t, std::exchange(id, {}));
            co_await std::move(cancelling);
        }
        job_result end;
        if (!id.empty()) {
            std::cout << "wait   " << t.name << ", job " << id << std::endl;
            auto waiting = jobs_.end_of(t, id);
            end = co_await std::move(waiting);
            if (end.state == "UNKNOWN" && !t.once) id.clear();
        }
        if (id.empty()) {
            record_->add("begin", t);
            std::uint64_t const token = (std::uint64_t{run_} << 40U) + (std::uint64_t{++submitted_} << 16U);
            auto submitting = jobs_.submit(t, t.name + '-' + std::to_string(t.digest), token);
            try {
                id = co_await std::move(submitting);
            } catch (submission_refused const&) {
                record_->add("failed", t);  // nothing was run
                throw;
            }
            record_->add("job=" + id, t);
            std::cout << "start  " << t.name << ", job " << id << std::endl;
            auto waiting = jobs_.end_of(t, id);
            end = co_await std::move(waiting);
        }
        // A killed job may have done a part of its work.
        record_->add(end.is_done() ? "done" : end.has_exited() || !t.once ? "failed" : "begin", t);
        if (end.is_done()) {
            std::cout << "done   " << t.name << ", job " << id << std::endl;
            co_return strider::visit_outcome();
        }
        if ((co_await asio::this_coro::cancellation_state).cancelled() != asio::cancellation_type::none)
            co_return strider::visit_outcome(asio::error::operation_aborted);
        throw std::runtime_error(end.text(*t.job) + ", job " + id + ", see " + fs::relative(log_of(t)).string());
    }

    auto ended(task const& t, remote::reply<command_result> const& end) -> strider::visit_outcome
    {
        fs::path const log = log_of(t);
        std::ofstream(log, std::ios::binary) << end.result->output;
        bool const is_done = end.result->code == 0;
        record_->add(is_done ? "done" : "failed", t);
        if (is_done) {
            std::cout << "done   " << t.name << " on " << *end.worker << std::endl;
            return {};
        }
        throw std::runtime_error("exit code " + std::to_string(end.result->code) + " on " + *end.worker + ", see "
            + fs::relative(log).string());
    }
    void summarize(strider::walk_report const& report) const
    {
        for (strider::vertex_id const v : selected_.vertices())
            if (!report[v].is_done())
                std::cout << to_string(report[v].status()) << ' ' << selected_[v].name
                          << (report[v].message().empty() ? "" : ": " + report[v].message()) << '\n';
        std::cout << report.done() << " done, " << report.failed() << " failed, " << report.skipped() << " skipped, "
                  << report.cancelled() << " cancelled" << std::endl;
    }
    static void report(remote::coordinator_event const& event)
    {
        using kind = remote::coordinator_event::kind_type;
        if (event.kind == kind::worker_left && event.error)
            std::cout << "lost   worker " << event.worker << ": " << event.error.message() << std::endl;
        if (event.kind == kind::worker_rejected)
            std::cout << "reject worker " << event.worker << ": " << event.error.message() << std::endl;
        if (event.kind == kind::visit_repeated) std::cout << "repeat " << event.key << std::endl;
    }
    static auto make_credential() -> std::string
    {
        std::random_device device;
        std::string text;
        for (int i = 0; i < 8; ++i) text += std::to_string(device()) + '.';
        ::setenv("CLUSTER_MAKE_CREDENTIAL", text.c_str(), 1);
        return text;
    }

    // Workers connect to a socket file of the user, or over the network that the nodes share.
    void start_workers(coordinator& to)
    {
        std::string address;
        if (arguments_.slurm) {
            tcp::acceptor acceptor(context_, tcp::endpoint(tcp::v4(), 0));
            tcp::resolver resolver(context_);
            auto const own = resolver.resolve(tcp::v4(), asio::ip::host_name(), "");
            address = "tcp:" + own.begin()->endpoint().address().to_string() + ':'
                + std::to_string(acceptor.local_endpoint().port());
            asio::co_spawn(context_, accept(std::move(acceptor), to), asio::detached);
        } else {
            std::string const path = (own_ / ("socket-" + std::to_string(::getpid()))).string();
            ::unlink(path.c_str());
            unix_stream::acceptor acceptor(context_, unix_stream::endpoint(path));
            address = "unix:" + path;
            asio::co_spawn(context_, accept(std::move(acceptor), to), asio::detached);
        }
        program_ = fs::read_symlink("/proc/self/exe").string();
        std::string const slots = std::to_string(arguments_.slots);
        if (arguments_.slurm) {
            std::string const nodes = std::to_string(arguments_.workers);
            command_ = {"srun", "--no-kill", "--nodes=" + nodes, "--ntasks=" + nodes, "--ntasks-per-node=1",
                "--export=ALL", program_, "--slots", slots, "--serve", address};
        } else {
            command_ = {program_, "--slots", slots, "--serve", address};
        }
        for (unsigned i = 0; i < (arguments_.slurm ? 1 : arguments_.workers); ++i) start_process();
        watch_children();
    }
    template <class Acceptor>
    static auto accept(Acceptor acceptor, coordinator& to) -> asio::awaitable<void>
    {
        for (;;) {
            auto accepting = acceptor.async_accept(asio::use_awaitable);
            auto socket = co_await std::move(accepting);
            to.async_session(std::move(socket), asio::detached);
        }
    }
    void start_process()
    {
        std::vector<char*> words;
        for (std::string& word : command_) words.push_back(word.data());
        words.push_back(nullptr);
        ::pid_t const id = fork_with_default_signals();
        if (id < 0) throw std::system_error(errno, std::generic_category(), "fork");
        if (id == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGTERM);
            ::setpgid(0, 0);  // an interrupt of the terminal is for the coordinator
            ::execvp(words[0], words.data());
            std::perror(words[0]);
            ::_exit(127);
        }
        processes_.insert(id);
    }
    // A worker that dies is replaced, a few times.
    void watch_children()
    {
        children_.async_wait([this](error_code error, int) {
            if (error) return;
            for (::pid_t id = 0; (id = ::waitpid(-1, nullptr, WNOHANG)) > 0;) {
                if (processes_.erase(id) == 0 || is_over_ || replaced_ >= max_replacements) continue;
                ++replaced_;
                start_process();
            }
            watch_children();
        });
    }

    static constexpr unsigned max_replacements = 10;

    arguments arguments_;
    fs::path folder_;
    fs::path own_;
    strider::dag<task> tasks_;
    strider::dag<task> selected_;
    std::optional<record> record_;
    slurm_jobs jobs_{folder_.string(), own_.string(), access()};
    std::uint32_t run_ = 0;
    std::uint32_t submitted_ = 0;
    asio::io_context context_;
    asio::signal_set stop_;
    asio::signal_set children_;
    std::string program_;
    std::vector<std::string> command_;
    std::set<::pid_t> processes_;
    unsigned replaced_ = 0;
    bool is_over_ = false;
};

}  // namespace
}  // namespace cluster_make

auto main(int argc, char** argv) -> int
{
    using namespace cluster_make;
    try {
        arguments a = parse(argc, argv);
        if (!a.serve.empty()) return run_worker(a);
        auto graph = graph_of(read_tasks(a.file));
        return build(std::move(a), std::move(graph)).run();
    } catch (usage_error const& e) {
        std::cerr << "error: " << e.what() << '\n' << usage;
        return 2;
    } catch (std::exception const& e) {
        std::cerr << "error: " << e.what() << '\n';
        return 1;
    }
}
