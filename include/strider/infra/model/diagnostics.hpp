// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_MODEL_DIAGNOSTICS_HPP
#define STRIDER_INFRA_MODEL_DIAGNOSTICS_HPP

#include <strider/core/assert.hpp>
#include <strider/core/result.hpp>
#include <strider/infra/model/codes.hpp>

#include <boost/assert/source_location.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <numeric>
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
    std::uint32_t column = 0;  ///< of the first character, counted from 1; 0: only the line is known
    std::string context;             ///< `resource "terraform_data" "a"`
    std::string text;                ///< the source lines
    std::vector<std::string> notes;  ///< values in the failing expression
    std::uint32_t byte = 0;          ///< offset of the position in the file
    end_type end{};  ///< after the last character, if the program knows it
    std::uint32_t first_line = 0;  ///< number of the first line of the text; 0: it begins in `line`
    std::uint32_t mark = 0;  ///< offset of the position in the text, if the column is known

    /// True if there is a source.
    [[nodiscard]] explicit operator bool() const noexcept { return !file.empty(); }
    /// Compares all members.
    friend auto operator==(source_excerpt const&, source_excerpt const&) -> bool = default;
};

/// One problem: a stable code, its subject, and its source.
///
/// The engine provides a code and arguments; the program has the texts. A program, a provider or a store provides its
/// own code together with the texts. No floor converts a diagnostic: the view formats it as it was made.
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

/// Collects diagnostics in the order of their discovery.
///
/// All errors are counted. Only the first thousand errors and the first thousand warnings are stored, which bounds the
/// memory for any input; one more error, `codes::too_many_errors`, says so.
class diagnostics {
public:
    /// The number of errors, and of warnings, that are stored.
    static constexpr std::size_t most_kept = 1000;

    diagnostics() = default;
    /// Contains one diagnostic.
    diagnostics(diagnostic found) { add(std::move(found)); }
    /// Contains several diagnostics.
    diagnostics(std::initializer_list<diagnostic> all)
    {
        for (diagnostic const& found : all) add(found);
    }

    /// Adds a diagnostic.
    void add(diagnostic found)
    {
        bool const is_error = found.level == severity::error;
        std::size_t const count = is_error ? ++errors_ : ++warnings_;
        if (count <= most_kept) all_.push_back(std::move(found));
        else if (is_error && count == most_kept + 1)
            all_.push_back(make_error(codes::too_many_errors, {std::to_string(most_kept)}));
    }
    /// Adds several diagnostics.
    void add(diagnostics more)
    {
        for (diagnostic& found : more.all_) add(std::move(found));
    }
    /// Adds the diagnostics of a step that repeats a part of earlier steps: those that are not stored yet.
    /// \complexity O(stored diagnostics * new ones)
    void add_new(diagnostics more)
    {
        std::size_t const earlier = all_.size();
        for (diagnostic& found : more.all_) {
            auto const end = all_.begin() + static_cast<std::ptrdiff_t>(std::min(earlier, all_.size()));
            if (std::find(all_.begin(), end, found) == end) add(std::move(found));
        }
    }

    /// Changes each stored diagnostic, not its level: `change(diagnostic&)`.
    template <class Change>
    void update(Change change)
    {
        for (diagnostic& one : all_) change(one);
    }
    /// Changes errors to warnings.
    void lower_to_warnings()
    {
        for (diagnostic& one : all_) one.level = severity::warning;
        warnings_ += std::exchange(errors_, 0);
    }
    /// Removes all but the first diagnostic of a code.
    void keep_first(engine_code code)
    {
        bool found = false;
        std::vector<diagnostic> const all = std::exchange(all_, {});
        for (diagnostic const& one : all) {
            if (one.code != (*code).name || !std::exchange(found, true)) all_.push_back(one);
            else --(one.level == severity::error ? errors_ : warnings_);
        }
    }
    /// Sorts by a strict weak order; equivalent diagnostics keep their order.
    template <class Less>
    void sort(Less less)
    {
        std::vector<std::size_t> order(all_.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            if (less(all_[a], all_[b])) return true;
            return !less(all_[b], all_[a]) && a < b;
        });
        std::vector<diagnostic> sorted;
        for (std::size_t const one : order) sorted.push_back(std::move(all_[one]));
        all_ = std::move(sorted);
    }

    /// True if there is an error, stored or not.
    [[nodiscard]] auto has_errors() const noexcept -> bool { return errors_ > 0; }
    /// The number of errors, stored or not.
    [[nodiscard]] auto error_count() const noexcept -> std::size_t { return errors_; }
    /// True if no diagnostic is stored.
    [[nodiscard]] auto empty() const noexcept -> bool { return all_.empty(); }
    /// The number of stored diagnostics.
    [[nodiscard]] auto size() const noexcept -> std::size_t { return all_.size(); }
    /// The begin of the stored diagnostics.
    [[nodiscard]] auto begin() const noexcept { return all_.begin(); }
    /// The end of the stored diagnostics.
    [[nodiscard]] auto end() const noexcept { return all_.end(); }
    /// A stored diagnostic. \pre index < size()
    [[nodiscard]] auto operator[](std::size_t index) const -> diagnostic const& { return all_[index]; }
    /// The first one. \pre not empty
    [[nodiscard]] auto front() const -> diagnostic const& { return all_.front(); }
    /// The last one. \pre not empty
    [[nodiscard]] auto back() const -> diagnostic const& { return all_.back(); }

    /// Compares the stored diagnostics.
    friend auto operator==(diagnostics const& a, diagnostics const& b) -> bool { return a.all_ == b.all_; }

private:
    std::vector<diagnostic> all_;
    std::size_t errors_ = 0;
    std::size_t warnings_ = 0;
};

/// Changes errors to warnings.
[[nodiscard]] inline auto as_warnings(diagnostics all) -> diagnostics
{
    all.lower_to_warnings();
    return all;
}

/// Sets the address of those diagnostics that have none.
[[nodiscard]] inline auto with_address(diagnostics all, std::string const& address) -> diagnostics
{
    all.update([&](diagnostic& d) {
        if (d.address.empty()) d.address = address;
    });
    return all;
}

/// The diagnostics for a missing value: at least one error, perhaps with warnings. A class, so that a
/// `result<T, failure>` distinguishes it from a value.
class failure {
public:
    failure() = default;
    /// Fails with one or several diagnostics, in order of their discovery.
    explicit failure(diagnostics why) : why_(std::move(why)) {}

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
