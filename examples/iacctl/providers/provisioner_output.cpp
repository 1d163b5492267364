// SPDX-License-Identifier: BSL-1.0
#include "provisioner_output.hpp"

#include "base/child_process.hpp"

#include <cstddef>
#include <utility>

namespace iacctl::providers {

namespace {

constexpr std::size_t remembered_output = 8 * 1024;
constexpr std::size_t longest_line = 64 * 1024;  // longer ones are printed in parts

}  // namespace

provisioner_output::provisioner_output(std::function<void(std::string_view)> print, language::value const& config)
    : print_(std::move(print)),
      marks_(marks_text(config))
{}

void provisioner_output::report(std::string const& line) const
{
    print_(is_suppressed() ? suppressed_line(marks_) : hidden_.redacted(line));
}

void provisioner_output::take(std::string_view output)
{
    kept_ += output;
    if (kept_.size() > remembered_output) kept_.erase(0, kept_.size() - remembered_output);
    for (char const c : output) {
        if (c == '\n') {
            report(line_);
            line_.clear();
        } else if (c != '\r') line_ += c;
        if (line_.size() < longest_line) continue;
        report(line_);
        line_.clear();
    }
}

void provisioner_output::finish()
{
    if (!line_.empty()) report(line_);
    line_.clear();
}

auto provisioner_output::shown(std::string text) const -> std::string
{
    return is_suppressed() ? hidden_text(marks_, "the provisioner") : std::move(text);
}

auto provisioner_output::shown_end() const -> std::string
{
    return is_suppressed() ? "  " + hidden_text(marks_, "the provisioner") : hidden_.redacted(shown_output(kept_));
}

}  // namespace iacctl::providers
