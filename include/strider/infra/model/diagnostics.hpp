// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_MODEL_DIAGNOSTICS_HPP
#define STRIDER_INFRA_MODEL_DIAGNOSTICS_HPP

#include <strider/core/assert.hpp>
#include <strider/core/result.hpp>
#include <strider/infra/model/codes.hpp>

#include <boost/assert/source_location.hpp>

#include <cstdint>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace strider::infra {

enum class severity : std::uint8_t { error, warning };

/// The source of a diagnostic with the text to display. No source if the file is empty.
struct source_excerpt {
    /// The position after the last character.
    struct end_type {
        std::uint32_t line = 0;  ///< counted from 1
        std::uint32_t column = 0;  ///< counted from 1
        std::uint32_t byte = 0;  ///< offset in the file
        /// Compares all members.
        friend auto operator==(end_type const&, end_type const&) -> bool = default;
    };
    std::string file;  ///< name to display; empty: there is no source
    std::uint32_t line = 0;  ///< of the first character, counted from 1
    std::uint32_t column = 0;  ///< of the first character, counted from 1
    std::string context;             ///< `resource "terraform_data" "a"`
    std::string text;                ///< the source line
    std::vector<std::string> notes;  ///< values in the failing expression
    std::uint32_t byte = 0;          ///< offset of the position in the file
    end_type end{};  ///< after the last character, if the program knows it

    /// Compares all members.
    friend auto operator==(source_excerpt const&, source_excerpt const&) -> bool = default;
};

/// One problem: a stable code, its subject, and its source.
///
/// The engine provides a code and arguments; the program has the texts. A program, a provider or a store provides its
/// own code together with the texts.
struct diagnostic {
    std::string summary;  ///< the problem in one line; empty in diagnostics of the engine
    std::string detail;  ///< the explanation; may have several lines, or none
    std::string address;  ///< the instance, if there is one
    source_excerpt source;  ///< the position in the configuration, if it is known
    severity level = severity::error;  ///< only errors make a plan or an apply fail
    std::string attribute{};  ///< an attribute of its configuration, from which the program finds the source
    std::string code{};  ///< stable, for programs; may be empty
    std::vector<std::string> arguments{};  ///< of a code of the engine, as `codes` lists them

    /// Compares all members.
    friend auto operator==(diagnostic const&, diagnostic const&) -> bool = default;
};

using diagnostics = std::vector<diagnostic>;

/// Makes a diagnostic of the engine. \pre the number of arguments matches the code
[[nodiscard]] inline auto coded(
    severity level, engine_code code, std::vector<std::string> arguments, std::string address) -> diagnostic
{
    STRIDER_ASSERT((*code).takes(arguments.size()), "the number of arguments matches the code");
    return {{}, {}, std::move(address), {}, level, {}, std::string((*code).name), std::move(arguments)};
}
[[nodiscard]] inline auto make_error(
    engine_code code, std::vector<std::string> arguments = {}, std::string address = {}) -> diagnostic
{
    return coded(severity::error, code, std::move(arguments), std::move(address));
}
[[nodiscard]] inline auto make_warning(
    engine_code code, std::vector<std::string> arguments = {}, std::string address = {}) -> diagnostic
{
    return coded(severity::warning, code, std::move(arguments), std::move(address));
}

/// Appends `more` to `to`.
inline void append(diagnostics& to, diagnostics more)
{
    to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

/// Changes errors to warnings.
[[nodiscard]] inline auto as_warnings(diagnostics all) -> diagnostics
{
    for (diagnostic& d : all) d.level = severity::warning;
    return all;
}

/// Removes all but the first diagnostic of a code. \complexity O(diagnostics)
inline void keep_first(diagnostics& all, engine_code code)
{
    bool found = false;
    std::erase_if(all, [&](diagnostic const& d) { return d.code == (*code).name && std::exchange(found, true); });
}

/// True if any diagnostic is an error.
[[nodiscard]] inline auto has_errors(diagnostics const& all) -> bool
{
    for (diagnostic const& d : all)
        if (d.level == severity::error) return true;
    return false;
}

/// The diagnostics for a missing value: at least one error, perhaps with warnings. A class, so that a
/// `result<T, failure>` distinguishes it from a value.
class failure {
public:
    failure() = default;
    /// Fails with several diagnostics, in order of their discovery.
    explicit failure(diagnostics why) : why_(std::move(why)) {}
    /// Fails with one diagnostic.
    explicit failure(diagnostic why) { why_.push_back(std::move(why)); }

    /// The diagnostics, in order of their discovery.
    [[nodiscard]] auto why() const& noexcept -> diagnostics const& { return why_; }
    /// Overload for temporaries, such as `result<T, failure>::error()` returns: returns a value, so no reference dangles.
    [[nodiscard]] auto why() && noexcept -> diagnostics { return std::move(why_); }

private:
    diagnostics why_;
};

/// Found by `boost::system::result`; \throws std::runtime_error always.
[[noreturn]] inline void throw_exception_from_error(failure const& f, boost::source_location const&)
{
    throw std::runtime_error(f.why().empty() ? "failure" : f.why().front().code + f.why().front().summary);
}

}  // namespace strider::infra

#endif  // STRIDER_INFRA_MODEL_DIAGNOSTICS_HPP
