// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_SERVER_RUN_RECORD_HPP
#define IACCTL_SERVER_RUN_RECORD_HPP

#include "base/json.hpp"
#include "state_source.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace iacctl::server {

/// A command that changes a state: what it plans, what runs, what has ended. It is known from its reports, or else from
/// the lock and the writes of the state.
class run_record {
public:
    /// The operations that are kept; later ones are only counted.
    static constexpr std::size_t most_operations = 5000;
    static constexpr std::size_t most_problems = 50;
    /// The bytes of a text that are kept: of an address, of another name, and of a part of a problem.
    static constexpr std::size_t longest_address = 1000;
    static constexpr std::size_t longest_name = 100;
    static constexpr std::size_t longest_text = 8000;

    run_record(std::string id, std::string const& verb, std::string const& who, std::int64_t begun, bool reported);

    [[nodiscard]] auto id() const noexcept -> std::string const& { return id_; }
    [[nodiscard]] auto is_reported() const noexcept -> bool { return reported_; }
    [[nodiscard]] auto has_ended() const noexcept -> bool { return ended_.has_value(); }
    /// Returns true if the run sends reports and has not ended.
    [[nodiscard]] auto is_reporting() const noexcept -> bool { return reported_ && !ended_; }
    [[nodiscard]] auto has_failures() const noexcept -> bool { return failed_ > 0; }
    [[nodiscard]] auto last_news() const noexcept -> std::int64_t { return news_; }

    void note(run_step const& step);
    /// A line of the machine-readable output of an apply. A line of another type is a sign of life only.
    /// \param now  milliseconds since 1970, UTC
    /// \source Terraform, "Machine-readable UI"
    void note(json const& line, std::int64_t now);
    /// Returns whether a part of its reports is new. The parts of a sender have rising numbers, and it repeats one whose
    /// reply it did not receive.
    [[nodiscard]] auto take_part(std::int64_t number) noexcept -> bool
    {
        return number > std::exchange(part_, std::max(part_, number));
    }
    /// Names what it does: "destroy".
    void rename(std::string const& verb);
    /// Ends it, unless it has ended. This end replaces one that was assumed.
    void end(std::int64_t when, std::string const& result);
    /// Ends it because nothing is heard of it. It goes on with the next news.
    void assume_end(std::int64_t when, std::string const& result);
    /// There is news of it: an end that was assumed is none.
    void go_on();

    /// Returns true if one of the kept operations has changed the object.
    [[nodiscard]] auto has_done(std::string_view address) const -> bool;
    /// Returns true if the run went on at this time, in milliseconds, within a minute: reports arrive later than writes, or earlier.
    [[nodiscard]] auto went_on_at(std::int64_t when) const noexcept -> bool;

    /// The parts of a text.
    enum class depth : std::uint8_t {
        counts,  ///< who does what since when, and counts
        summary,  ///< also the operations that run, the last that have ended, and the first problem
        whole,  ///< all operations and problems
    };
    /// Returns the run as JSON.
    [[nodiscard]] auto text(depth of) const -> std::string;

private:
    struct operation {
        std::string address;
        std::string action;
        std::int64_t begun = 0;
        std::optional<std::int64_t> ended{};
        bool failed = false;
    };

    void begin(std::string_view address, std::string_view action, std::int64_t time);
    void finish(std::string_view address, std::string_view action, std::int64_t time, bool failed);
    [[nodiscard]] static auto json_of(operation const& one) -> std::string;

    std::string id_;
    std::string operation_;
    std::string who_;
    std::int64_t begun_ = 0;
    std::int64_t news_ = 0;
    std::int64_t part_ = 0;
    std::optional<std::int64_t> ended_;
    bool end_is_assumed_ = false;
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
