// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_SLURM_WORK_CODEC_HPP
#define IACCTL_SLURM_WORK_CODEC_HPP

#include <strider/remote/fields.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace iacctl::slurm {

/// The name of the format below; workers of another one are rejected.
inline constexpr char const* application = "iacctl work 2";
/// The variable of the environment that gives a worker the secret of the session: a certificate with its key.
inline constexpr char const* credential_variable = "IACCTL_WORKER_CREDENTIAL";
/// The longest output of a program that a worker sends: the end of a longer one.
inline constexpr std::size_t longest_output = std::size_t{1} << 20U;

/// A program, its whole environment and the directory in which it runs.
struct command {
    std::vector<std::string> words;
    std::vector<std::string> environment;  ///< "NAME=VALUE"
    std::string directory;
};

/// The end of a program.
struct command_result {
    std::uint32_t start_error = 0;  ///< it could not be started: an errno
    std::uint32_t status = 0;       ///< as waitpid gives it
    bool stopped = false;           ///< by a cancellation
    std::string output;
};

/// An operation of a built-in type, encoded by `providers::encode`, and the directory in which relative paths begin.
struct typed_operation {
    typed_operation() = default;  // g++ 12 destroys aggregates that are arguments of coroutines twice
    std::string directory;
    std::string content;
};

/// The end of an operation.
struct typed_answer {
    std::uint32_t directory_error = 0;  ///< it was not performed, since the directory cannot be entered: an errno
    std::string content;  ///< encoded by `providers::encode`
};

/// The work of a worker and its result, which is of the same kind.
using work = std::variant<command, typed_operation>;
using work_result = std::variant<command_result, typed_answer>;

/// Codec of work and its end.
struct work_codec {
    using action_type = work;
    using result_type = work_result;

    void encode_action(work const& w, std::string& to) const
    {
        strider::remote::field_writer out(to);
        out.number(static_cast<std::uint8_t>(w.index()));
        if (auto const* const o = std::get_if<typed_operation>(&w)) {
            out.text(o->directory).text(o->content);
            return;
        }
        auto const& c = std::get<command>(w);
        out.text(c.directory);
        for (auto const* const list : {&c.words, &c.environment}) {
            out.number(static_cast<std::uint32_t>(list->size()));
            for (std::string const& one : *list) out.text(one);
        }
    }
    [[nodiscard]] auto decode_action(std::string_view bytes) const -> std::optional<work>
    {
        strider::remote::field_reader in(bytes);
        auto const kind = in.number<std::uint8_t>();
        if (kind == 1) {
            typed_operation o;
            o.directory = in.text();
            o.content = in.text();
            return in.at_end() ? std::optional<work>(std::move(o)) : std::nullopt;
        }
        command c;
        c.directory = in.text();
        for (auto* const list : {&c.words, &c.environment})
            for (auto left = in.number<std::uint32_t>(); left > 0 && in.ok(); --left) list->emplace_back(in.text());
        bool const complete = in.at_end() && kind == 0 && !c.words.empty();
        return complete ? std::optional<work>(std::move(c)) : std::nullopt;
    }
    void encode_result(work_result const& w, std::string& to) const
    {
        strider::remote::field_writer out(to);
        out.number(static_cast<std::uint8_t>(w.index()));
        if (auto const* const a = std::get_if<typed_answer>(&w)) {
            out.number(a->directory_error).text(a->content);
            return;
        }
        auto const& e = std::get<command_result>(w);
        out.number(e.start_error).number(e.status).number(static_cast<std::uint8_t>(e.stopped)).text(e.output);
    }
    [[nodiscard]] auto decode_result(std::string_view bytes) const -> std::optional<work_result>
    {
        strider::remote::field_reader in(bytes);
        auto const kind = in.number<std::uint8_t>();
        if (kind == 1) {
            typed_answer a;
            a.directory_error = in.number<std::uint32_t>();
            a.content = in.text();
            return in.at_end() ? std::optional<work_result>(std::move(a)) : std::nullopt;
        }
        command_result e;
        e.start_error = in.number<std::uint32_t>();
        e.status = in.number<std::uint32_t>();
        e.stopped = in.number<std::uint8_t>() != 0;
        e.output = in.text();
        return in.at_end() && kind == 0 ? std::optional<work_result>(std::move(e)) : std::nullopt;
    }
};

}  // namespace iacctl::slurm

#endif  // IACCTL_SLURM_WORK_CODEC_HPP
