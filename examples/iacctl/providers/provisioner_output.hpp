// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PROVIDERS_PROVISIONER_OUTPUT_HPP
#define IACCTL_PROVIDERS_PROVISIONER_OUTPUT_HPP

#include "language/values/value.hpp"
#include "redaction.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace iacctl::providers {

/// Passes on what a provisioner prints, line by line. If its configuration has marks, lines are replaced.
class provisioner_output {
public:
    /// \param config  of the provisioner
    provisioner_output(std::function<void(std::string_view)> print, language::value const& config);

    /// Replaces the marked parts of a value in lines.
    void hide(language::value const& v) { hidden_.hide(v); }
    /// Prints a whole line.
    void report(std::string const& line) const;
    /// Prints the lines of output of a program, in which a line may be incomplete.
    void take(std::string_view output);
    /// Prints the incomplete line, if there is one.
    void finish();

    /// Returns whether the configuration has marks.
    [[nodiscard]] auto is_suppressed() const noexcept -> bool { return !marks_.empty(); }
    /// A text, or the reason why it is not shown.
    [[nodiscard]] auto shown(std::string text) const -> std::string;
    /// The end of the output for a message, or the reason why it is not shown.
    [[nodiscard]] auto shown_end() const -> std::string;

private:
    std::function<void(std::string_view)> print_;
    std::string marks_;
    redaction hidden_;
    std::string line_;
    std::string kept_;
};

}  // namespace iacctl::providers

#endif  // IACCTL_PROVIDERS_PROVISIONER_OUTPUT_HPP
