// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_CLI_TELEMETRY_SPANS_HPP
#define IACCTL_CLI_TELEMETRY_SPANS_HPP

#include <strider/infra/model/diagnostics.hpp>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace iacctl::telemetry {

namespace infra = strider::infra;

/// A span of a trace of OpenTelemetry. The first span of a trace is the parent of the others.
struct span {
    std::string name;
    std::chrono::nanoseconds start{};  ///< since the Unix epoch
    std::chrono::nanoseconds end{};
    std::vector<std::pair<std::string, std::string>> attributes{};
    std::optional<std::string> error{};  ///< the reason why the work failed
};

/// The settings of an export by OTLP over HTTP, with JSON.
struct export_settings {
    std::string url;
    std::string version;  ///< of the program
    std::map<std::string, std::string> headers;
    std::chrono::milliseconds timeout{3000};
    std::map<std::string, std::string> resource;  ///< attributes
    std::string trace_id;         ///< 32 hexadecimal digits
    std::string parent_id;        ///< 16 hexadecimal digits; empty: the first span has no parent
    std::string trace_state;
    std::string trusted_pem;      ///< certificates of authorities; empty: those of the system
    std::string certificate_pem;  ///< with its key, shown to the server
    std::string key_pem;
};

/// Reads the settings from an environment; nothing: spans are not exported. An invalid variable gives a warning.
///
/// Spans are exported if OTEL_EXPORTER_OTLP_ENDPOINT or OTEL_EXPORTER_OTLP_TRACES_ENDPOINT is set, unless
/// OTEL_SDK_DISABLED, OTEL_TRACES_EXPORTER=none, or the flags of TRACEPARENT forbid it.
/// \param version  of the program
/// \source OpenTelemetry, "OpenTelemetry Protocol Exporter" and "Environment Variable Specification"; W3C, "Trace
/// Context"
[[nodiscard]] auto read_settings(std::map<std::string, std::string> const& environment, std::string const& version,
    infra::diagnostics& problems) -> std::optional<export_settings>;

/// The JSON of a trace, as the body of a request.
[[nodiscard]] auto request_text(export_settings const& settings, std::vector<span> const& spans) -> std::string;

/// Sends a trace. A failure gives a warning.
[[nodiscard]] auto send(export_settings const& settings, std::vector<span> const& spans) -> infra::diagnostics;

}  // namespace iacctl::telemetry

#endif  // IACCTL_CLI_TELEMETRY_SPANS_HPP
