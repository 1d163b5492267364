// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_VALUES_FAILURE_HPP
#define IACCTL_LANGUAGE_VALUES_FAILURE_HPP

#include <boost/system/result.hpp>

#include <stdexcept>
#include <string>
#include <utility>

namespace iacctl::language {

/// The reason why a value could not be made: a sentence, and the path inside the value (".port", "[2]").
class failure {
public:
    failure() = default;
    explicit failure(std::string message) : message_(std::move(message)) {}

    [[nodiscard]] auto message() const noexcept -> std::string const& { return message_; }
    [[nodiscard]] auto path() const noexcept -> std::string const& { return path_; }
    /// Path and message: ".port: a number is required".
    [[nodiscard]] auto text() const -> std::string { return path_.empty() ? message_ : path_ + ": " + message_; }
    /// The same failure with a step in front of its path.
    [[nodiscard]] auto within(std::string const& step) const -> failure
    {
        failure outer = *this;
        outer.path_.insert(0, step);
        return outer;
    }

private:
    std::string message_;
    std::string path_;
};

template <class T>
using result = boost::system::result<T, failure>;

[[noreturn]] inline void throw_exception_from_error(failure const& error, boost::source_location const&)
{
    throw std::runtime_error(error.text());
}

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_VALUES_FAILURE_HPP
