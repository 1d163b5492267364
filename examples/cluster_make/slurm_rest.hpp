// SPDX-License-Identifier: BSL-1.0
#ifndef CLUSTER_MAKE_SLURM_REST_HPP
#define CLUSTER_MAKE_SLURM_REST_HPP

#include "slurm_access.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/write.hpp>
#include <boost/json.hpp>

#include <array>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

namespace cluster_make {

/// Access with slurmrestd at a socket file, with version 0.0.38 of its interface. The owner of the file is the user of
/// the jobs.
class slurm_rest final : public slurm_access {
public:
    explicit slurm_rest(std::string socket) : socket_(std::move(socket)) {}

    auto submit(job_request what) -> asio::awaitable<std::string> override
    {
        std::ifstream in(what.script, std::ios::binary);
        std::string const script{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
        boost::json::object environment;
        for (char** one = ::environ; *one != nullptr; ++one) {
            std::string_view const text = *one;
            auto const sign = text.find('=');
            if (sign == std::string_view::npos || text.starts_with("CLUSTER_MAKE_CREDENTIAL=")) continue;
            environment[text.substr(0, sign)] = text.substr(sign + 1);
        }
        environment["CLUSTER_MAKE_KEY"] = what.key;
        boost::json::object job{{"name", what.name}, {"current_working_directory", what.folder},
            {"standard_output", what.log}, {"open_mode", "truncate"}, {"requeue", what.requeue},
            {"environment", std::move(environment)}};
        if (!what.features.empty()) job["constraints"] = what.features;
        if (!what.needs.time.empty()) job["time_limit"] = minutes_of(what.needs.time);
        if (!what.needs.cpus.empty()) job["cpus_per_task"] = number_of(what.needs.cpus, "cpus");
        if (!what.needs.memory.empty()) job["memory_per_node"] = megabytes_of(what.needs.memory);
        if (!what.needs.nodes.empty()) job["nodes"] = number_of(what.needs.nodes, "nodes");
        boost::json::object const body{{"job", std::move(job)}, {"script", script}};
        auto asking = ask("POST", "/job/submit", boost::json::serialize(body));
        auto const answer = co_await std::move(asking);
        auto const* const id = answer.if_contains("job_id");
        if (id == nullptr || !id->is_number() || id->to_number<std::int64_t>() <= 0)
            throw submission_refused("slurmrestd: " + problem_in(answer));
        co_return std::to_string(id->to_number<std::int64_t>());
    }

    auto cancel(std::string name, std::string id) -> asio::awaitable<void> override
    {
        auto asking = jobs();
        auto const all = co_await std::move(asking);
        if (!all || !all->contains(id) || all->at(id).name != name) co_return;
        auto cancelling = ask("DELETE", "/job/" + id + "?signal=SIGTERM", {});
        (void)co_await std::move(cancelling);
    }

    auto jobs() -> asio::awaitable<std::optional<jobs_by_id>> override
    {
        try {
            auto asking = ask("GET", "/jobs", {});
            auto const answer = co_await std::move(asking);
            jobs_by_id all;
            for (boost::json::value const& one : answer.at("jobs").as_array()) {
                auto const& job = one.as_object();
                all.emplace(std::to_string(job.at("job_id").to_number<std::int64_t>()),
                    reported_job{std::string(job.at("name").as_string()), std::string(job.at("job_state").as_string()),
                        job.at("exit_code").to_number<std::uint32_t>() >> 8U});
            }
            co_return all;
        } catch (std::exception const&) {  // no answer, or an answer that cannot be parsed
            co_return std::nullopt;
        }
    }

    /// The minutes of a time in the syntax of sbatch: MINUTES[:SECONDS], HOURS:MINUTES:SECONDS,
    /// DAYS-HOURS[:MINUTES[:SECONDS]].
    [[nodiscard]] static auto minutes_of(std::string const& time) -> std::int64_t
    {
        auto const dash = time.find('-');
        std::int64_t seconds = dash == std::string::npos ? 0 : 86'400 * number_of(time.substr(0, dash), "time");
        std::vector<std::int64_t> parts;
        std::string rest = dash == std::string::npos ? time : time.substr(dash + 1);
        for (std::string part; !rest.empty(); rest = rest.substr(std::min(part.size() + 1, rest.size()))) {
            part = rest.substr(0, rest.find(':'));
            parts.push_back(number_of(part, "time"));
        }
        std::vector<std::int64_t> units{3600, 60, 1};
        if (dash == std::string::npos && parts.size() < 3) units = {60, 1};
        if (parts.empty() || parts.size() > units.size()) throw submission_refused("time=" + time + " is not a time");
        for (std::size_t i = 0; i < parts.size(); ++i) seconds += parts[i] * units[i];
        return (seconds + 59) / 60;
    }

    /// The megabytes of an amount in the syntax of sbatch: a number with K, M, G or T.
    [[nodiscard]] static auto megabytes_of(std::string amount) -> std::int64_t
    {
        constexpr std::string_view units = "KMGT";
        auto const unit = amount.empty() ? std::string_view::npos : units.find(amount.back());
        if (unit != std::string_view::npos) amount.pop_back();
        std::int64_t const number = number_of(amount, "memory");
        if (unit == 0) return (number + 1023) / 1024;
        return number << (10 * (unit == std::string_view::npos ? 0 : unit - 1));
    }

private:
    static auto number_of(std::string const& text, std::string const& name) -> std::int64_t
    {
        std::int64_t number = 0;
        auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (error != std::errc() || end != text.data() + text.size() || number < 0)
            throw submission_refused(name + "=" + text + " is not a number");
        return number;
    }

    static auto problem_in(boost::json::object const& answer) -> std::string
    {
        auto const* const errors = answer.if_contains("errors");
        if (errors != nullptr && errors->is_array())
            for (boost::json::value const& one : errors->get_array())
                for (auto const* const name : {"description", "error"})
                    if (auto const* const text = one.is_object() ? one.get_object().if_contains(name) : nullptr;
                        text != nullptr && text->is_string())
                        return std::string(text->get_string());
        return "it answered without a reason";
    }

    // \throws an exception if there is no answer, or it is not JSON
    auto ask(std::string method, std::string path, std::string body) -> asio::awaitable<boost::json::object>
    {
        using protocol = asio::local::stream_protocol;
        protocol::socket socket(co_await asio::this_coro::executor);
        auto connecting = socket.async_connect(protocol::endpoint(socket_), asio::as_tuple(asio::use_awaitable));
        if (auto const [error] = co_await std::move(connecting); error)
            throw submission_refused(socket_ + ": " + error.message());
        std::string const request = method + " /slurm/v0.0.38" + path
            + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: "
            + std::to_string(body.size()) + "\r\n\r\n" + body;
        auto writing = asio::async_write(socket, asio::buffer(request), asio::use_awaitable);
        co_await std::move(writing);
        std::string answer;
        std::array<char, 16384> piece{};
        std::optional<std::string_view> content;
        while (!(content = content_of(answer))) {
            auto reading = socket.async_read_some(asio::buffer(piece), asio::use_awaitable);
            std::size_t const size = co_await std::move(reading);
            answer.append(piece.data(), size);
        }
        co_return boost::json::parse(boost::json::string_view(content->data(), content->size())).as_object();
    }

    // The content of an answer; nothing: a part of it is missing.
    static auto content_of(std::string_view answer) -> std::optional<std::string_view>
    {
        constexpr std::string_view field = "Content-Length: ";
        auto const end = answer.find("\r\n\r\n");
        auto const length = answer.find(field);
        if (end == std::string_view::npos || length == std::string_view::npos || length > end) return std::nullopt;
        std::size_t size = 0;
        (void)std::from_chars(answer.data() + length + field.size(), answer.data() + end, size);
        if (answer.size() < end + 4 + size) return std::nullopt;
        return answer.substr(end + 4, size);
    }

    std::string socket_;
};

}  // namespace cluster_make

#endif  // CLUSTER_MAKE_SLURM_REST_HPP
