// SPDX-License-Identifier: BSL-1.0
#include "slurm_executor.hpp"

#include "base/blocking_child.hpp"
#include "base/environment.hpp"
#include "base/file_descriptor.hpp"
#include "base/last_error.hpp"
#include "base/process.hpp"
#include "base/random.hpp"
#include "node_features.hpp"
#include "secure_stream.hpp"
#include "work_codec.hpp"

#include <strider/remote.hpp>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/host_name.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

namespace iacctl::slurm {

namespace {

namespace asio = strider::asio;
using asio::ip::tcp;
using strider::error_code;
using coordinator = strider::remote::basic_coordinator<work_codec>;

constexpr std::size_t kept_output = 2048;

// Serves one connection if the peer knows the secret of the session.
auto welcome(tcp::socket socket, asio::ssl::context& security, coordinator& to) -> asio::awaitable<void>
{
    secure_stream stream(std::move(socket), security);
    auto shaking = handshake(stream, asio::ssl::stream_base::server);
    if (co_await std::move(shaking)) co_return;
    to.async_session(std::move(stream), asio::detached);
}

auto accept(tcp::acceptor acceptor, asio::ssl::context& security, coordinator& to) -> asio::awaitable<void>
{
    for (;;) {
        auto accepting = acceptor.async_accept(asio::as_tuple(asio::use_awaitable));
        auto [error, socket] = co_await std::move(accepting);
        if (error) break;
        asio::co_spawn(acceptor.get_executor(), welcome(std::move(socket), security, to), asio::detached);
    }
}

// Variables that may contain secrets of the configuration or of registries. Workers do not need them.
auto secret_variables() -> std::set<std::string>
{
    std::set<std::string> names;
    for (auto const& [name, text] : environment())
        if (name.starts_with("TF_VAR_") || name.starts_with("TF_TOKEN_") || name.starts_with("TF_CLI_ARGS"))
            names.emplace(name);
    return names;
}

}  // namespace

class slurm_executor::cluster {
public:
    /// \param label  of the node of an allocation of its own; empty: on all nodes of the allocation in which this process runs
    explicit cluster(std::string label) : label_(std::move(label)), name_("iacctl-" + random_hex(12)) {}
    cluster(cluster const&) = delete;
    auto operator=(cluster const&) -> cluster& = delete;
    ~cluster()
    {
        if (!workers_) return;
        asio::post(context_, [this] { workers_->async_drain(asio::detached); });
        if (srun_) end_srun();
        workers_->close();
        context_.stop();
        if (thread_.joinable()) thread_.join();
    }

    // Starts the workers once. Returns the reason why there are no workers with the label; empty on success.
    auto start(std::string const& label) -> std::string
    {
        std::scoped_lock const held(lock_);
        if (label_.empty()) {
            if (!std::exchange(requested_, true))
                for (std::string& feature : features_of(environment_variable("SLURM_JOB_NODELIST")))
                    features_.insert(std::move(feature));
            if (!features_.contains(label)) return "no node of the allocation has the feature \"" + label + '"';
        }
        if (!std::exchange(started_, true)) {
            try {
                start_workers();
            } catch (std::exception const& e) {
                why_ = e.what();
            }
        }
        return why_;
    }
    [[nodiscard]] auto workers() noexcept -> coordinator& { return *workers_; }
    // The reason of an error: the last output of srun if it has ended.
    auto reason(error_code error) -> std::string
    {
        std::scoped_lock const held(lock_);
        return why_.empty() ? error.message() : why_;
    }

private:
    void start_workers()
    {
        tcp::acceptor acceptor(context_, tcp::endpoint(tcp::v4(), 0));
        tcp::resolver resolver(context_);
        auto const own = resolver.resolve(tcp::v4(), asio::ip::host_name(), "");
        auto const address =
            own.begin()->endpoint().address().to_string() + ':' + std::to_string(acceptor.local_endpoint().port());
        std::string const nodes = environment_variable("SLURM_JOB_NUM_NODES");
        bool const in_allocation = label_.empty();

        auto const secret = plugin::certificate::make();
        if (secret)
            security_ =
                tls_context(asio::ssl::context::tls_server, *secret, *secret, plugin::application_protocol::none);
        if (!security_) throw std::runtime_error("OpenSSL cannot make a certificate");
        strider::remote::coordinator_options options;
        options.application = application;
        // A new allocation may wait in the queue for any time; an existing one already has its nodes.
        options.worker_wait = in_allocation ? std::chrono::seconds(60) : std::chrono::seconds(0);

        process_command srun;
        srun.words = {"srun", "--job-name=" + name_, "--no-kill", "--ntasks-per-node=1", "--export=ALL"};
        if (in_allocation) {
            for (std::string const& word : {"--nodes=" + nodes, "--ntasks=" + nodes, std::string("--overlap")})
                srun.words.push_back(word);
        } else {
            for (std::string const& word :
                {std::string("--nodes=1"), std::string("--ntasks=1"), "--constraint=" + label_})
                srun.words.push_back(word);
        }
        for (std::string const& word :
            {std::filesystem::read_symlink("/proc/self/exe").string(), std::string("__worker"), address})
            srun.words.push_back(word);
        srun.withheld = secret_variables();
        srun.added.emplace(credential_variable, secret->secret_pem());
        std::array<int, 2> pipe{};
        if (::pipe2(pipe.data(), O_CLOEXEC) != 0) throw boost::system::system_error(last_error());
        file_descriptor reading(pipe[0]);
        file_descriptor const writing(pipe[1]);
        auto started = process::start(srun, {-1, writing.get(), writing.get()});
        if (!started) throw boost::system::system_error(started.error(), "srun");
        srun_.emplace(std::move(*started));
        workers_.emplace(context_.get_executor(), work_codec(), options);
        asio::co_spawn(context_, accept(std::move(acceptor), *security_, *workers_), asio::detached);
        asio::co_spawn(context_, watch(std::move(reading)), asio::detached);
        thread_ = std::thread([this] { context_.run(); });
    }

    // Reads the output of srun. After its end, nothing can be run any more.
    auto watch(file_descriptor reading) -> asio::awaitable<void>
    {
        asio::posix::stream_descriptor from(co_await asio::this_coro::executor, reading.release());
        std::string text;
        std::array<char, 1024> piece{};
        for (;;) {
            auto some = from.async_read_some(asio::buffer(piece), asio::as_tuple(asio::use_awaitable));
            auto const [error, size] = co_await std::move(some);
            if (error) break;
            text.append(piece.data(), size);
            if (text.size() > kept_output) text.erase(0, text.size() - kept_output);
        }
        while (text.ends_with('\n')) text.pop_back();
        {
            std::scoped_lock const held(lock_);
            why_ = "the step of Slurm has ended" + (text.empty() ? std::string() : " (" + text + ")");
        }
        workers_->close();
    }

    void end_srun()
    {
        if (ends_within(std::chrono::seconds(6))) return;
        if (!label_.empty()) {
            child_command cancel;
            cancel.words = {"scancel", "--name=" + name_};
            (void)run_child(std::move(cancel), std::chrono::seconds(5), kept_output);
        }
        srun_->signal(SIGTERM);
        (void)ends_within(std::chrono::seconds(5));
    }
    [[nodiscard]] auto ends_within(std::chrono::seconds longest) const -> bool
    {
        auto const end = std::chrono::steady_clock::now() + longest;
        while (!srun_->has_ended()) {
            if (std::chrono::steady_clock::now() > end) return false;
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
        return true;
    }

    std::string label_;
    std::string name_;
    std::mutex lock_;
    std::string why_;
    bool started_ = false;
    bool requested_ = false;  // for the features
    std::set<std::string> features_;  // of the nodes of the allocation in which this process runs
    asio::io_context context_{1};
    asio::executor_work_guard<asio::io_context::executor_type> work_ = asio::make_work_guard(context_);
    std::optional<asio::ssl::context> security_;
    std::optional<coordinator> workers_;
    std::optional<process> srun_;
    std::thread thread_;
};

/// The workers, and the obstacle if there are none or a worker did not report the end.
class slurm_executor::reply {
public:
    run_obstacle obstacle = run_obstacle::none;
    std::string obstacle_text;
    bool cancelled = false;  ///< before it was sent; no other member counts
    std::optional<work_result> end;
};

slurm_executor::slurm_executor() = default;
slurm_executor::~slurm_executor() = default;

auto slurm_executor::cluster_for(std::string const& label) -> cluster&
{
    bool const in_allocation =
        !environment_variable("SLURM_JOB_ID").empty() && !environment_variable("SLURM_JOB_NUM_NODES").empty();
    std::string const of = in_allocation ? std::string() : label;
    std::scoped_lock const held(lock_);
    auto& found = clusters_[of];
    if (found == nullptr) found = std::make_unique<cluster>(of);
    return *found;
}

template <class Work>
auto slurm_executor::send(std::string label, Work given, bool repeatable) -> strider::infra::task<reply>
{
    reply got;
    cluster& on = cluster_for(label);
    if (got.obstacle_text = on.start(label); !got.obstacle_text.empty()) {
        got.obstacle = run_obstacle::not_run;
        co_return got;
    }
    co_await asio::this_coro::throw_if_cancelled(false);
    strider::remote::request<work> request(std::move(given), {}, {label}, repeatable);
    auto running = on.workers().async_run(std::move(request), asio::as_tuple(asio::use_awaitable));
    auto [error, end] = co_await std::move(running);
    auto const state = co_await asio::this_coro::cancellation_state;
    got.cancelled = error == asio::error::operation_aborted && state.cancelled() != asio::cancellation_type::none;
    if (error) {
        bool const unknown = end.worker != nullptr;
        got.obstacle = unknown ? run_obstacle::outcome_unknown : run_obstacle::not_run;
        got.obstacle_text = !unknown
            ? on.reason(error)
            : "worker " + *end.worker + ": " + error.message() + (end.message.empty() ? "" : ": " + end.message);
        co_return got;
    }
    got.end = std::move(end.result);
    co_return got;
}

auto slurm_executor::run(std::string label, child_command cc, std::function<bool(std::string_view)> output)
    -> strider::infra::task<child_outcome>
{
    command sent;
    sent.environment = environment_of(cc);
    sent.directory = std::filesystem::absolute(cc.directory.empty() ? "." : cc.directory).string();
    sent.words = std::move(cc.words);
    auto running = send(std::move(label), std::move(sent), false);
    auto got = co_await std::move(running);
    child_outcome outcome;
    outcome.stopped = got.cancelled;
    if (got.cancelled) co_return outcome;
    outcome.obstacle = got.obstacle;
    outcome.obstacle_text = std::move(got.obstacle_text);
    auto const* const end = got.end ? std::get_if<command_result>(&*got.end) : nullptr;
    if (end == nullptr) co_return outcome;
    outcome.start_error = static_cast<int>(end->start_error);
    outcome.status = static_cast<int>(end->status);
    outcome.stopped = end->stopped;
    (void)output(end->output);
    co_return outcome;
}

auto slurm_executor::perform(std::string label, providers::operation o)
    -> strider::infra::task<providers::operation_outcome>
{
    typed_operation sent;
    sent.directory = std::filesystem::current_path().string();
    sent.content = providers::encode(o);
    auto running = send(std::move(label), std::move(sent), o.is_repeatable());
    auto got = co_await std::move(running);
    providers::operation_outcome outcome;
    outcome.obstacle = got.obstacle;
    outcome.obstacle_text = std::move(got.obstacle_text);
    if (got.cancelled) {
        outcome.obstacle = run_obstacle::not_run;
        outcome.obstacle_text = "it was cancelled";
    }
    if (outcome.obstacle != run_obstacle::none) co_return outcome;
    auto const* const end = got.end ? std::get_if<typed_answer>(&*got.end) : nullptr;
    if (end != nullptr && end->directory_error != 0) {
        outcome.obstacle = run_obstacle::not_run;
        outcome.obstacle_text = "the node cannot enter the directory " + std::filesystem::current_path().string() + ": "
            + std::generic_category().message(static_cast<int>(end->directory_error));
        co_return outcome;
    }
    auto answer = end == nullptr ? std::nullopt : providers::decode_answer(end->content);
    if (answer) outcome.answer = std::move(*answer);
    else {
        outcome.obstacle = run_obstacle::outcome_unknown;
        outcome.obstacle_text = "the response of the worker cannot be decoded";
    }
    co_return outcome;
}

}  // namespace iacctl::slurm
