// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_TESTS_BACKENDS_POSTGRES_SERVER_HPP
#define IACCTL_TESTS_BACKENDS_POSTGRES_SERVER_HPP

#include "iacctl/state/support.hpp"

#include "state/backend.hpp"
#include "state/backends/state_client.hpp"

#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

namespace iacctl::backends::test {

/// The PostgreSQL server of this test program, on a Unix socket, with the defaults of fsync and synchronous_commit: on.
class postgres_server {
public:
    /// The server, which the first call starts; null if PostgreSQL is not installed.
    [[nodiscard]] static auto instance() -> postgres_server const*
    {
        static postgres_server const one;
        return one.runs_ ? &one : nullptr;
    }
    postgres_server(postgres_server const&) = delete;
    auto operator=(postgres_server const&) -> postgres_server& = delete;
    ~postgres_server()
    {
        if (runs_) (void)run("pg_ctl -D " + data() + " -m immediate stop");
    }

    /// The URL of the database `postgres`, in a form that libpq and Go's driver read.
    [[nodiscard]] auto url() const -> std::string
    {
        return "postgres://strider@/postgres?host=" + directory() + "&sslmode=disable";
    }
    [[nodiscard]] auto directory() const -> std::string { return place_.path().string(); }

private:
    postgres_server()
    {
        namespace fs = std::filesystem;
        std::error_code error;
        for (fs::directory_iterator at("/usr/lib/postgresql", error), end; !error && at != end; at.increment(error))
            if (fs::exists(at->path() / "bin" / "initdb")) programs_ = (at->path() / "bin").string();
        if (programs_.empty()) return;
        fs::permissions(place_.path(), fs::perms::owner_all | fs::perms::group_exec | fs::perms::others_exec);
        // The server refuses to run as root.
        if (::geteuid() == 0) {
            as_ = "setpriv --reuid=nobody --regid=nogroup --clear-groups ";
            if (std::system(("chown nobody " + directory()).c_str()) != 0) return;
        }
        runs_ = run("initdb -D " + data() + " -A trust -U strider --no-sync") == 0
            && run("pg_ctl -D " + data() + " -w -l " + directory()
                   + "/log -o \"-c listen_addresses='' -c "
                     "unix_socket_directories="
                   + directory() + "\" start")
                == 0;
    }
    [[nodiscard]] auto data() const -> std::string { return directory() + "/data"; }
    [[nodiscard]] auto run(std::string const& command) const -> int
    {
        std::string const in = "cd " + directory() + " && " + as_ + programs_ + "/" + command;
        return std::system((in + " >/dev/null 2>&1 </dev/null").c_str());
    }

    state::test::temporary_directory place_;
    std::string programs_;
    std::string as_;
    bool runs_ = false;
};

[[nodiscard]] inline auto instance(std::string const& name) -> infra::address
{
    return *infra::parse_address("terraform_data." + name);
}

/// The request of an apply for locks of parts.
[[nodiscard]] inline auto request(std::vector<std::string> written, std::vector<std::string> read = {})
    -> state::lock_request
{
    state::lock_request asked;
    asked.operation = "apply";
    asked.parts = state::state_parts{std::move(written), std::move(read)};
    return asked;
}

}  // namespace iacctl::backends::test

/// Skips a test that needs a server if PostgreSQL is not installed.
#define IACCTL_NEEDS_POSTGRES()                                                                                        \
    if (iacctl::backends::test::postgres_server::instance() == nullptr) GTEST_SKIP() << "(needs postgresql)"

#endif  // IACCTL_TESTS_BACKENDS_POSTGRES_SERVER_HPP
