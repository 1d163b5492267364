// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_WALK_REPORT_HPP
#define STRIDER_WALK_WALK_REPORT_HPP

#include <strider/core/assert.hpp>
#include <strider/core/vertex_id.hpp>
#include <strider/walk/asio.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

namespace strider {

/// Errors of a walk as a whole.
enum class walk_errc : std::uint8_t {
    vertex_failed = 1,  ///< at least one visit failed; the report contains its outcome
    cancelled,          ///< no visit failed, but the walk was cancelled or stopped before every vertex was visited
    stalled,            ///< the degrees of the graph do not match its edges; some vertices never became ready
    abandoned,          ///< a completion handle was destroyed without a call
    policy_threw,       ///< a ready queue, a limit or a trace threw an exception, which ended the walk
    part_failed,        ///< the visit was done, but a vertex that it added was not
    timed_out,  ///< no visit failed, and nothing cancelled the walk, but its timeout passed before every vertex was visited
    context_destroyed,  ///< the context of the executor was destroyed before the end of a walk for which a thread waits
};

}  // namespace strider

/// \cond
template <>
struct boost::system::is_error_code_enum<strider::walk_errc> : std::true_type {};
/// \endcond

namespace strider {

/// The category of `walk_errc`. `walk_errc::cancelled` is equivalent to `errc::operation_canceled`, `walk_errc::timed_out` to
/// `errc::timed_out`.
[[nodiscard]] inline auto walk_category() noexcept -> boost::system::error_category const&
{
    class category final : public boost::system::error_category {
    public:
        [[nodiscard]] auto name() const noexcept -> char const* override { return "strider.walk"; }
        [[nodiscard]] auto message(int value) const -> std::string override
        {
            switch (static_cast<walk_errc>(value)) {
            case walk_errc::vertex_failed: return "a vertex failed";
            case walk_errc::cancelled: return "the walk was cancelled";
            case walk_errc::stalled: return "the walk stalled: the graph is inconsistent";
            case walk_errc::abandoned: return "a visit was abandoned: its handle was destroyed without a call";
            case walk_errc::policy_threw: return "a policy of the walk threw an exception";
            case walk_errc::part_failed: return "a vertex that the visit added failed";
            case walk_errc::timed_out: return "the timeout of the walk passed";
            case walk_errc::context_destroyed: return "the context of the executor was destroyed during the walk";
            }
            return "unknown error of a walk";
        }
        [[nodiscard]] auto default_error_condition(int value) const noexcept -> boost::system::error_condition override
        {
            switch (static_cast<walk_errc>(value)) {
            case walk_errc::cancelled: return make_error_condition(boost::system::errc::operation_canceled);
            case walk_errc::timed_out: return make_error_condition(boost::system::errc::timed_out);
            default: return {value, *this};
            }
        }
    };
    static category const instance;
    return instance;
}

/// Makes an error code of `walk_category`.
[[nodiscard]] inline auto make_error_code(walk_errc code) noexcept -> error_code
{
    return {static_cast<int>(code), walk_category()};
}

/// The end of a vertex. `skipped` is not a failure: a dependency failed or was skipped, or the visit returned it because the vertex
/// was not needed.
enum class visit_status : std::uint8_t { done, failed, skipped, cancelled };

/// Returns the name of a status.
[[nodiscard]] constexpr auto to_string(visit_status status) noexcept -> std::string_view
{
    constexpr std::array<std::string_view, 4> words{"done", "failed", "skipped", "cancelled"};
    return words[static_cast<std::size_t>(status)];
}

namespace detail {

template <class E>
[[nodiscard]] auto make_error(E error) noexcept -> error_code
{
    if constexpr (boost::system::is_error_code_enum<E>::value) return error_code(error);
    else return error_code(std::error_code(error));
}

}  // namespace detail

/// The result of one visit: returned by a visitor, and stored in the report for each vertex.
///
/// A default constructed outcome is *done*. An error code of Boost or of the standard library converts, and a value of an
/// enumeration of such codes: success is done, any other value failed.
class [[nodiscard]] visit_outcome {
public:
    visit_outcome() = default;
    /// Implicit: success if there is no error, else a failure.
    visit_outcome(error_code error) noexcept  // NOLINT(google-explicit-constructor): visitors return error codes
        : error_(error),
          status_(error.failed() ? visit_status::failed : visit_status::done)
    {}
    /// Implicit: as for an `error_code` of Boost.
    visit_outcome(std::error_code error) noexcept  // NOLINT(google-explicit-constructor): visitors return error codes
        : visit_outcome(error_code(error))
    {}
    /// Implicit: an enumeration of error codes, of Boost or of the standard library. The value 0 is success.
    template <class E>
        requires(boost::system::is_error_code_enum<E>::value || std::is_error_code_enum_v<E>)
    visit_outcome(E error) noexcept  // NOLINT(google-explicit-constructor): visitors return error codes
        : visit_outcome(detail::make_error(error))
    {}

    /// A visit that has succeeded.
    static auto done() noexcept -> visit_outcome { return {}; }
    /// Done without a change of the result: in a partial run this is no reason to visit the dependents.
    static auto unchanged() noexcept -> visit_outcome
    {
        visit_outcome outcome;
        outcome.unchanged_ = true;
        return outcome;
    }
    /// A visit that has failed; `walk_errc::vertex_failed` stands for a code that is no error.
    static auto failure(error_code error) noexcept -> visit_outcome
    {
        return {visit_status::failed, error ? error : error_code(make_error_code(walk_errc::vertex_failed)), nullptr};
    }
    /// Stores the exception, and its error code; `walk_errc::vertex_failed` if it has none, or that of a success.
    [[gnu::cold]] static auto failure(std::exception_ptr exception) noexcept -> visit_outcome
    {
        error_code const error = code_of(exception);
        visit_outcome outcome = failure(error);
        outcome.exception_ = std::move(exception);
        return outcome;
    }
    /// A vertex that was not visited because a dependency failed or was skipped, or whose visit found that it is not needed.
    static auto skipped() noexcept -> visit_outcome { return {visit_status::skipped, {}, nullptr}; }
    /// A vertex that was not visited, or whose visit was ended, because the walk was stopped.
    static auto cancelled(error_code error = asio::error::operation_aborted) noexcept -> visit_outcome
    {
        return {visit_status::cancelled, error, nullptr};
    }

    /// The kind of the outcome.
    [[nodiscard]] auto status() const noexcept -> visit_status { return status_; }
    /// True if the status is `done`, also if the outcome is unchanged.
    [[nodiscard]] auto is_done() const noexcept -> bool { return status_ == visit_status::done; }
    /// True if the visit changed nothing, or if a partial run did not include the vertex.
    [[nodiscard]] auto is_unchanged() const noexcept -> bool { return unchanged_; }
    /// The error of a failure or cancellation; `walk_errc::vertex_failed` for an exception without an error code.
    [[nodiscard]] auto error() const noexcept -> error_code { return error_; }
    /// The exception of the visitor, or null.
    [[nodiscard]] auto exception() const& noexcept -> std::exception_ptr const& { return exception_; }
    /// As above, by value.
    [[nodiscard]] auto exception() && noexcept -> std::exception_ptr { return std::move(exception_); }

    /// The text of the exception if there is one, else of the error code; empty if the outcome is done.
    [[nodiscard]] auto message() const -> std::string
    {
        if (!exception_) return status_ == visit_status::done || !error_ ? std::string() : error_.message();
        try {
            std::rethrow_exception(exception_);
        } catch (std::exception const& thrown) {
            return thrown.what();
        } catch (...) {
            return "an exception of unknown type";
        }
    }

private:
    visit_outcome(visit_status status, error_code error, std::exception_ptr exception) noexcept
        : error_(error),
          exception_(std::move(exception)),
          status_(status)
    {}

    // Success for an exception without an error code.
    static auto code_of(std::exception_ptr const& exception) noexcept -> error_code
    {
        try {
            if (exception) std::rethrow_exception(exception);
        } catch (boost::system::system_error const& thrown) {
            return thrown.code();
        } catch (std::system_error const& thrown) {
            return thrown.code();
        } catch (...) {}
        return {};
    }

    error_code error_;
    std::exception_ptr exception_;
    visit_status status_ = visit_status::done;
    bool unchanged_ = false;
};

namespace detail {

// Constructs what only a walk constructs.
struct walk_access {
    template <class T, class... Args>
    [[nodiscard]] static auto make(Args&&... args) -> T
    {
        return T(std::forward<Args>(args)...);
    }
};

// The results that a walk has at its end.
struct report_content {
    std::size_t size = 0;
    std::size_t id_bound = 0;
    std::vector<std::pair<vertex_id, visit_outcome>> not_done{};  // each vertex at most once; also unchanged ones
    std::optional<std::vector<vertex_id>> selected{};  // in a partial run; ascending
    std::exception_ptr exception{};  // that ended the walk
    bool is_rest_cancelled = false;  // vertices outside of `not_done` are not known to be done
    bool is_timed_out = false;  // the timeout has ended the walk
    bool is_lost = false;  // the context was destroyed before the end
};

}  // namespace detail

/// The outcomes of all vertices. done + failed + skipped + cancelled is the number of vertices.
///
/// Only outcomes other than done are stored, so the report of a walk without them allocates nothing.
class walk_report {
public:
    /// A vertex with its outcome.
    using entry = std::pair<vertex_id, visit_outcome>;

    walk_report() = default;
    /// A report with the outcome of each vertex, by the index of its id.
    explicit walk_report(std::vector<visit_outcome> outcomes)
    {
        content_.size = content_.id_bound = outcomes.size();
        for (std::size_t i = 0; i < outcomes.size(); ++i)
            if (!outcomes[i].is_done() || outcomes[i].is_unchanged())
                content_.not_done.push_back({vertex_id(i), std::move(outcomes[i])});
        count_not_done();
    }

    /// Returns the outcome of `v`. \pre v is a vertex of the walk \complexity O(log V)
    [[nodiscard]] auto operator[](vertex_id v) const& -> visit_outcome const&
    {
        STRIDER_ASSERT(v.index() < content_.id_bound, "the vertex was part of the walk");
        static visit_outcome const done;
        static visit_outcome const cancelled = visit_outcome::cancelled();
        static visit_outcome const unchanged = visit_outcome::unchanged();
        if (content_.selected && !std::ranges::binary_search(*content_.selected, v)) return unchanged;
        auto const at = std::ranges::lower_bound(content_.not_done, v, {}, &entry::first);
        if (at != content_.not_done.end() && at->first == v) return at->second;
        return content_.is_rest_cancelled ? cancelled : done;
    }
    /// As above, by value.
    [[nodiscard]] auto operator[](vertex_id v) && -> visit_outcome { return std::as_const(*this)[v]; }
    /// The outcomes other than done, and unchanged ones, in ascending id.
    [[nodiscard]] auto not_done() const& noexcept -> std::span<entry const> { return content_.not_done; }
    /// As above, moved out of a temporary report.
    [[nodiscard]] auto not_done() && noexcept -> std::vector<entry> { return std::move(content_.not_done); }
    /// The number of vertices of the walk, including those that a partial run did not include.
    [[nodiscard]] auto size() const noexcept -> std::size_t { return content_.size; }
    /// The number of vertices with this status.
    [[nodiscard]] auto count(visit_status status) const noexcept -> std::size_t
    {
        return counts_[static_cast<std::size_t>(status)];
    }
    /// The number of vertices that are done, including those that a partial run did not include.
    [[nodiscard]] auto done() const noexcept -> std::size_t { return count(visit_status::done); }
    /// The number of vertices that failed, including those with `walk_errc::part_failed`.
    [[nodiscard]] auto failed() const noexcept -> std::size_t { return count(visit_status::failed); }
    /// The number of vertices that were not visited because a direct or indirect dependency failed or was skipped, and of those
    /// whose visits returned `visit_outcome::skipped()`.
    [[nodiscard]] auto skipped() const noexcept -> std::size_t { return count(visit_status::skipped); }
    /// The number of vertices whose visits were cancelled or never started, by a stop, an exception or a stalled walk.
    [[nodiscard]] auto cancelled() const noexcept -> std::size_t { return count(visit_status::cancelled); }

    /// The number of unchanged vertices, including those that a partial run did not include.
    [[nodiscard]] auto unchanged() const noexcept -> std::size_t
    {
        auto const said = std::ranges::count_if(not_done(), &visit_outcome::is_unchanged, &entry::second);
        return static_cast<std::size_t>(said) + (content_.selected ? size() - content_.selected->size() : 0);
    }

    /// The vertices whose own visit failed, in ascending id, without those skipped or failed because of them.
    [[nodiscard]] auto root_causes() const -> std::vector<vertex_id>
    {
        std::vector<vertex_id> causes;
        causes.reserve(failed());
        for (auto const& [v, outcome] : not_done())
            if (outcome.status() == visit_status::failed && outcome.error() != make_error_code(walk_errc::part_failed))
                causes.push_back(v);
        return causes;
    }

    /// The error of the walk as a whole. A failure takes precedence over a cancellation; skipped vertices have no
    /// effect. If an exception ended the walk, its error code: `errc::not_enough_memory`, or
    /// `walk_errc::policy_threw` if it has none or that of a success. `walk_errc::context_destroyed` if the end of the walk is not known.
    [[nodiscard]] auto error() const noexcept -> error_code
    {
        if (exception()) return code_of_end();
        if (content_.is_lost) return make_error_code(walk_errc::context_destroyed);
        if (failed() != 0) return make_error_code(walk_errc::vertex_failed);
        if (stalled_) return make_error_code(walk_errc::stalled);
        if (cancelled() == 0) return {};
        return make_error_code(content_.is_timed_out ? walk_errc::timed_out : walk_errc::cancelled);
    }

    /// The exception that was thrown outside of visitors and ended the walk, or null. Exceptions of visitors are in
    /// the outcomes of their vertices.
    [[nodiscard]] auto exception() const& noexcept -> std::exception_ptr const& { return content_.exception; }
    /// As above, by value.
    [[nodiscard]] auto exception() && noexcept -> std::exception_ptr { return std::move(content_.exception); }

private:
    friend detail::walk_access;

    explicit walk_report(detail::report_content content) noexcept : content_(std::move(content))
    {
        std::ranges::sort(content_.not_done, {}, &entry::first);
        count_not_done();
    }

    [[nodiscard]] auto code_of_end() const noexcept -> error_code
    {
        error_code found;
        try {
            std::rethrow_exception(exception());
        } catch (std::bad_alloc const&) {
            found = make_error_code(boost::system::errc::not_enough_memory);
        } catch (boost::system::system_error const& thrown) {
            found = thrown.code();
        } catch (std::system_error const& thrown) {
            found = thrown.code();
        } catch (...) {}
        return found ? found : make_error_code(walk_errc::policy_threw);
    }
    void count_not_done() noexcept
    {
        auto const rest = content_.is_rest_cancelled ? visit_status::cancelled : visit_status::done;
        counts_[static_cast<std::size_t>(rest)] = size() - content_.not_done.size();
        for (auto const& [_, outcome] : content_.not_done) {
            ++counts_[static_cast<std::size_t>(outcome.status())];
            stalled_ = stalled_
                || (outcome.status() == visit_status::cancelled
                    && outcome.error() == make_error_code(walk_errc::stalled));
        }
    }

    detail::report_content content_;
    std::array<std::size_t, 4> counts_{};
    bool stalled_ = false;
};

/// Completion signature of a walk.
using walk_signature = void(error_code, walk_report);

}  // namespace strider

#endif  // STRIDER_WALK_WALK_REPORT_HPP
