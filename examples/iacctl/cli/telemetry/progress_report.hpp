// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_CLI_TELEMETRY_PROGRESS_REPORT_HPP
#define IACCTL_CLI_TELEMETRY_PROGRESS_REPORT_HPP

#include <strider/infra/model/diagnostics.hpp>

#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::telemetry {

namespace infra = strider::infra;

/// The address in IACCTL_REPORT, "https://host/reports/SOURCE/NAME"; nothing if it is not set. A user and a password
/// that the address lacks are TF_HTTP_USERNAME and TF_HTTP_PASSWORD.
struct report_address {
    std::string url;
    std::string authorization;  ///< the header; empty: the URL has it, or there is none

    [[nodiscard]] static auto from_environment() -> std::optional<report_address>;
};

/// A line of JSON that a report may contain: its texts are cut, so that a huge one of a provider or a configuration does
/// not keep a console from accepting the report. Empty if it is too long in spite of this.
[[nodiscard]] auto report_line(std::string_view line) -> std::string;

/// Sends lines to an address once. \return the reason if it does not accept them
[[nodiscard]] auto send_report(report_address const& to, std::string lines) -> std::optional<infra::diagnostic>;

/// A stream whose lines are sent to an address while the command runs, several at once. What is not accepted is sent
/// again, also after a gap of the connection. A failure never affects the command.
class progress_report {
public:
    /// \param operation  what the command does: "apply"
    /// \param also  receive the same lines
    progress_report(report_address to, std::string operation, std::vector<std::ostream*> also);
    progress_report(progress_report const&) = delete;
    auto operator=(progress_report const&) -> progress_report& = delete;
    /// Ends as after a failed command, unless `end` was called.
    ~progress_report();

    [[nodiscard]] auto stream() -> std::ostream&;
    /// Names what the command does, as a saved plan has told it. \param to  a stream of a report, or another one
    static void rename(std::ostream& to, std::string operation);
    /// Sends the rest, for at most five seconds. \return the first reason why lines were not sent
    [[nodiscard]] auto end(bool succeeded) -> std::optional<infra::diagnostic>;

private:
    class sender;
    class buffer;

    std::unique_ptr<sender> sender_;
    std::unique_ptr<buffer> buffer_;
    std::ostream stream_{nullptr};
};

}  // namespace iacctl::telemetry

#endif  // IACCTL_CLI_TELEMETRY_PROGRESS_REPORT_HPP
