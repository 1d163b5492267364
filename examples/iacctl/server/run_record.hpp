// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_SERVER_RUN_RECORD_HPP
#define IACCTL_SERVER_RUN_RECORD_HPP

#include "base/json.hpp"
#include "state_source.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace iacctl::server {

/// A command that changes a state: what it plans, what runs, what has ended. It is known from its reports, or else from
/// the lock and the writes of the state.
class run_record {
public:
    /// The operations that are kept; later ones are only counted.
    static constexpr std::size_t most_operations = 5000;
    static constexpr std::size_t most_problems = 50;

    run_record(std::string id, std::string operation, std::string who, std::int64_t begun, bool reported)
        : id_(std::move(id)),
          operation_(std::move(operation)),
          who_(std::move(who)),
          begun_(begun),
          reported_(reported)
    {}

    [[nodiscard]] auto id() const noexcept -> std::string const& { return id_; }
    [[nodiscard]] auto is_reported() const noexcept -> bool { return reported_; }
    [[nodiscard]] auto has_ended() const noexcept -> bool { return ended_.has_value(); }
    [[nodiscard]] auto has_failures() const noexcept -> bool { return failed_ > 0; }
    [[nodiscard]] auto last_news() const noexcept -> std::int64_t { return news_; }

    void note(run_step const& step);
    /// A line of the machine-readable output of an apply. Lines of other types have no effect.
    /// \param now  milliseconds since 1970, UTC
    /// \source Terraform, "Machine-readable UI"
    void note(json const& line, std::int64_t now);
    void end(std::int64_t when, std::string result);

    /// JSON with counts, the operations that run, and the last that have ended. \param whole  all operations
    [[nodiscard]] auto text(bool whole) const -> std::string;

private:
    struct operation {
        std::string address;
        std::string action;
        std::int64_t begun = 0;
        std::optional<std::int64_t> ended{};
        bool failed = false;
    };

    void begin(std::string address, std::string action, std::int64_t time);
    void finish(std::string const& address, std::string const& action, std::int64_t time, bool failed);
    [[nodiscard]] static auto json_of(operation const& one) -> std::string;

    std::string id_;
    std::string operation_;
    std::string who_;
    std::int64_t begun_ = 0;
    std::int64_t news_ = 0;
    std::optional<std::int64_t> ended_;
    std::string result_;
    bool reported_ = false;
    std::size_t planned_ = 0;  // 0: unknown
    std::size_t done_ = 0;
    std::size_t failed_ = 0;
    std::vector<operation> operations_;  // by their begin
    std::map<std::string, std::size_t> running_;  // by address
    std::vector<std::size_t> last_ended_;
    std::vector<std::string> problems_;  // JSON
};

}  // namespace iacctl::server

#endif  // IACCTL_SERVER_RUN_RECORD_HPP
