// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_POSTGRES_CONNECTION_HPP
#define IACCTL_STATE_POSTGRES_CONNECTION_HPP

#include "base/database_error.hpp"
#include "result_set.hpp"

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace iacctl::postgres {

/// A statement failed, or there is no connection. The message contains no password.
class error : public database_error {
public:
    error(std::string const& message, std::string state) : database_error(message), state_(std::move(state)) {}

    /// The SQLSTATE; empty if the error does not come from the server.
    [[nodiscard]] auto state() const noexcept -> std::string const& { return state_; }
    /// Returns whether the connection has ended. Then it is unknown whether the last statement was executed.
    [[nodiscard]] auto is_loss() const noexcept -> bool;

private:
    std::string state_;
};

/// The parameters of a connection: from a connection string, then from libpq's environment and files.
class connection_settings {
public:
    /// \param connection_string  a URI, or keywords and values; empty: only the environment
    /// \throws error  if it is invalid; the message does not quote it
    explicit connection_settings(std::string const& connection_string);

    [[nodiscard]] auto given() const noexcept -> std::map<std::string, std::string> const& { return given_; }
    /// The value for a connection; empty: none.
    [[nodiscard]] auto value_of(std::string const& keyword) const -> std::string;
    /// "postgres://db.example.com:5432/infra": host, port and database.
    [[nodiscard]] auto place() const -> std::string;
    /// The text with the password replaced.
    [[nodiscard]] auto without_password(std::string text) const -> std::string;

private:
    std::map<std::string, std::string> given_;
    std::map<std::string, std::string> defaults_;
};

/// A connection to a PostgreSQL server. Statements are sent without blocking and awaited on an `io_context` of the
/// connection; a call blocks its thread until the answer has arrived. Calls must be sequential.
class connection {
public:
    /// \throws error
    explicit connection(connection_settings settings);
    connection(connection&&) noexcept;
    auto operator=(connection&&) noexcept -> connection&;
    ~connection();

    /// Executes one statement, in its own transaction unless one was begun. \throws error
    auto query(std::string const& statement, parameters const& p = {}) -> result_set;
    /// Executes statements separated by semicolons, in one transaction unless one was begun. \throws error
    void execute(std::string const& statements);

    [[nodiscard]] auto is_lost() const -> bool;
    /// The process id of the server process of this connection.
    [[nodiscard]] auto server_process() const -> int;

    /// The time without progress after which a connection is considered lost.
    static constexpr std::chrono::seconds longest_silence{120};
    /// The time limit for connecting, unless `connect_timeout` is set.
    static constexpr std::chrono::seconds longest_attempt{15};

private:
    struct impl;

    std::unique_ptr<impl> impl_;
};

}  // namespace iacctl::postgres

#endif  // IACCTL_STATE_POSTGRES_CONNECTION_HPP
