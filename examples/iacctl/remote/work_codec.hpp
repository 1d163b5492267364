// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_REMOTE_COMMAND_CODEC_HPP
#define IACCTL_REMOTE_COMMAND_CODEC_HPP

#include <strider/remote/fields.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace iacctl::remote {

/// The name of the format below; workers of another one are rejected.
inline constexpr char const* application = "iacctl commands 1";
/// The variable of the environment that gives a worker the secret of the session.
inline constexpr char const* credential_variable = "IACCTL_WORKER_CREDENTIAL";
/// The longest output that a worker sends: the end of a longer one.
inline constexpr std::size_t longest_output = std::size_t{1} << 20U;

/// A program, its whole environment and the directory in which it runs.
struct command {
    std::vector<std::string> words;
    std::vector<std::string> environment;  ///< "NAME=VALUE"
    std::string directory;
};

/// The end of a program.
struct command_end {
    std::uint32_t start_error = 0;  ///< it could not be started: an errno
    std::uint32_t status = 0;       ///< as waitpid gives it
    bool stopped = false;           ///< by a cancellation
    std::string output;
};

/// Codec of programs and their ends.
struct command_codec {
    using action_type = command;
    using result_type = command_end;

    void encode_action(command const& c, std::string& to) const
    {
        strider::remote::field_writer out(to);
        out.text(c.directory);
        for (auto const* const list : {&c.words, &c.environment}) {
            out.number(static_cast<std::uint32_t>(list->size()));
            for (std::string const& one : *list) out.text(one);
        }
    }
    [[nodiscard]] auto decode_action(std::string_view bytes) const -> std::optional<command>
    {
        strider::remote::field_reader in(bytes);
        command c;
        c.directory = in.text();
        for (auto* const list : {&c.words, &c.environment})
            for (auto left = in.number<std::uint32_t>(); left > 0 && in.ok(); --left) list->emplace_back(in.text());
        return in.at_end() && !c.words.empty() ? std::optional(std::move(c)) : std::nullopt;
    }
    void encode_result(command_end const& e, std::string& to) const
    {
        auto const stopped = static_cast<std::uint8_t>(e.stopped);
        strider::remote::field_writer(to).number(e.start_error).number(e.status).number(stopped).text(e.output);
    }
    [[nodiscard]] auto decode_result(std::string_view bytes) const -> std::optional<command_end>
    {
        strider::remote::field_reader in(bytes);
        command_end e;
        e.start_error = in.number<std::uint32_t>();
        e.status = in.number<std::uint32_t>();
        e.stopped = in.number<std::uint8_t>() != 0;
        e.output = in.text();
        return in.at_end() ? std::optional(std::move(e)) : std::nullopt;
    }
};

}  // namespace iacctl::remote

#endif  // IACCTL_REMOTE_COMMAND_CODEC_HPP
