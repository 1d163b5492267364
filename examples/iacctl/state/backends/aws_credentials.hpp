// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_BACKENDS_AWS_CREDENTIALS_HPP
#define IACCTL_STATE_BACKENDS_AWS_CREDENTIALS_HPP

#include "aws_connection.hpp"
#include "aws_signature.hpp"
#include "base/expected.hpp"
#include "base/http/blocking_client.hpp"
#include "base/timestamp.hpp"

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace iacctl::backends {

/// The names and values in one section of a file of profiles.
using aws_profile = std::map<std::string, std::string>;

/// The files that contain profiles. Of two files, the later one counts.
struct aws_profile_files {
    std::vector<std::filesystem::path> credentials;
    std::vector<std::filesystem::path> configuration;

    /// The profile from both kinds of files; credentials files take precedence.
    [[nodiscard]] auto read(std::string const& name) const -> aws_profile;
    [[nodiscard]] auto contain(std::string const& name) const -> bool;
    /// The names of the files, for messages.
    [[nodiscard]] auto text() const -> std::string;
    /// A section of the configuration, such as "sso-session NAME".
    [[nodiscard]] auto read_section(std::string const& title) const -> aws_profile;
};

/// A role that is assumed with other credentials, or with a token of an identity provider.
struct aws_role {
    std::string arn;
    std::string session_name;  ///< empty: a name of this program
    std::string external_id;
    std::string policy;
    std::string source_identity;
    std::optional<std::chrono::seconds> duration;
    std::vector<std::string> policy_arns;
    std::map<std::string, std::string> tags;
    std::vector<std::string> transitive_tag_keys;
    std::string token;  ///< of an identity provider
    std::filesystem::path token_file;  ///< a file with it, which is read for each request
};

struct aws_identity_settings {
    aws_credentials given;  ///< from arguments; they take precedence
    std::string profile;  ///< empty: "default"
    bool profile_is_argument = false;  ///< then it takes precedence over keys in the environment
    aws_profile_files files;
    std::string region;  ///< of STS
    std::string sts_endpoint;  ///< a URL; empty: that of AWS
    std::string sso_endpoint;  ///< a URL; empty: that of AWS
    std::optional<aws_role> role;  ///< assumed with the credentials that were found
    std::optional<aws_role> web_identity;  ///< takes the place of other credentials
    bool uses_metadata = true;  ///< the metadata service of an instance is asked
    std::string metadata_endpoint;  ///< a URL; empty: that of AWS
    std::vector<std::string> allowed_accounts;  ///< empty: all
    std::vector<std::string> forbidden_accounts;
    aws_connection connection;
};

/// The credentials of requests. They are found when they are requested first, and again five minutes before they end.
///
/// \source AWS, "AWS SDKs and Tools Reference Guide", "Standardized credential providers"
class aws_identity {
public:
    explicit aws_identity(aws_identity_settings settings) : with_(std::move(settings)) {}

    /// \return a failure that names the source which has refused, or all sources if none is configured
    [[nodiscard]] auto credentials() -> expected<aws_credentials>;

private:
    struct obtained {
        aws_credentials value;
        std::optional<timestamp> end;  // nothing: they do not expire
    };

    [[nodiscard]] auto obtain() -> expected<obtained>;
    [[nodiscard]] auto of_chain() -> expected<obtained>;
    [[nodiscard]] auto of_profile(std::string const& name, int depth) -> expected<std::optional<obtained>>;
    [[nodiscard]] auto of_role_in_profile(std::string const& name, aws_profile const& p, int depth)
        -> expected<std::optional<obtained>>;
    [[nodiscard]] auto of_named_source(std::string const& source) -> expected<std::optional<obtained>>;
    [[nodiscard]] auto of_program(std::string const& name, std::string const& command) -> expected<obtained>;
    [[nodiscard]] auto of_sign_on(std::string const& name, aws_profile const& p) -> expected<obtained>;
    [[nodiscard]] auto of_container() -> expected<std::optional<obtained>>;
    [[nodiscard]] auto of_metadata() -> expected<std::optional<obtained>>;
    [[nodiscard]] auto assume(aws_role const& role, std::optional<aws_credentials> const& by) -> expected<obtained>;
    [[nodiscard]] auto check_account(aws_credentials const& of) -> expected<void>;
    [[nodiscard]] auto ask_sts(std::string const& form, std::optional<aws_credentials> const& by) -> http::response;

    aws_identity_settings with_;
    std::optional<obtained> known_;
    http::blocking_client client_;
};

}  // namespace iacctl::backends

#endif  // IACCTL_STATE_BACKENDS_AWS_CREDENTIALS_HPP
