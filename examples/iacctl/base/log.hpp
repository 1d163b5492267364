// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BASE_LOG_HPP
#define IACCTL_BASE_LOG_HPP

#include <boost/system/error_code.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace iacctl {

enum class log_level : std::uint8_t { trace, debug, info, warn, error, off };

/// Parses "TRACE" to "OFF", in any case; nothing for another text.
[[nodiscard]] auto log_level_named(std::string_view name) -> std::optional<log_level>;

/// Returns whether a variable such as TF_LOG may have this value: the name of a level, or JSON.
[[nodiscard]] auto is_log_level(std::string_view name) -> bool;

/// A log record of this program or of a provider.
class log_record {
public:
    log_level level = log_level::debug;
    std::string name;  ///< "provider.terraform-provider-random_v3.6.0"
    std::string message;
    std::vector<std::pair<std::string, std::string>> fields;  ///< strings unquoted, other values as JSON

    /// Parses a line of a provider's standard error: JSON of hclog, "[LEVEL] text", or any text.
    [[nodiscard]] static auto of_line(std::string_view line) -> log_record;
    /// "[DEBUG] NAME: MESSAGE: KEY=VALUE KEY="VALUE WITH SPACES"".
    [[nodiscard]] auto text() const -> std::string;
    /// The members of a JSON object in hclog's format, without a time.
    [[nodiscard]] auto json_members() const -> std::string;
};

/// Receives records. It may be called from any thread.
using log_sink = std::function<void(log_record const&)>;

/// The destination of logs, and the levels that are written.
class log_settings {
public:
    log_level level = log_level::off;  ///< records below it are dropped
    bool as_json = false;
    std::string path;  ///< a file to append to; empty: standard error

    /// Reads the variable `first` or else TF_LOG, and TF_LOG_PATH. The value JSON means TRACE in JSON; an invalid level
    /// means TRACE.
    [[nodiscard]] static auto from_environment(char const* first) -> log_settings;
    /// Opens the file to append to, if there is one. It stays open until the process ends. \return why that failed
    [[nodiscard]] auto open() const -> boost::system::error_code;
};

/// Writes records as lines with a time. Lines of several writers are not mixed. Write errors are ignored, so that a log
/// never ends the program.
class log_writer {
public:
    explicit log_writer(log_settings settings);

    void operator()(log_record const& record);

private:
    log_settings how_;
    int file_;
};

/// Returns whether TF_LOG_CORE, or else TF_LOG, enables records of this program with this level. \complexity O(1).
[[nodiscard]] auto is_logged(log_level level) -> bool;

/// Writes a record of this program if its level is logged. Thread-safe.
///
/// Fields contain no values of configuration or state, because logs are read by more people than state is.
/// \param name  the part of the program, for example "state"
void write_log(log_level level, std::string_view name, std::string_view message,
    std::vector<std::pair<std::string, std::string>> fields = {});

}  // namespace iacctl

#endif  // IACCTL_BASE_LOG_HPP
