// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_POSTGRES_RESULT_SET_HPP
#define IACCTL_STATE_POSTGRES_RESULT_SET_HPP

#include "pq_library.hpp"

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::postgres {

/// The rows that a statement returned. Views live as long as the set.
class result_set {
public:
    result_set() = default;
    explicit result_set(PGresult* gresult) : result_(gresult) {}

    [[nodiscard]] auto size() const -> int { return pq().ntuples(result_.get()); }
    [[nodiscard]] auto columns() const -> int { return pq().nfields(result_.get()); }
    /// The number of rows that the statement returned or changed.
    [[nodiscard]] auto changed() const -> int { return std::atoi(pq().cmdTuples(result_.get())); }
    [[nodiscard]] auto is_null(int row, int column) const -> bool
    {
        return pq().getisnull(result_.get(), row, column) != 0;
    }
    /// Empty for NULL.
    [[nodiscard]] auto text(int row, int column) const -> std::string_view
    {
        return {pq().getvalue(result_.get(), row, column),
            static_cast<std::size_t>(pq().getlength(result_.get(), row, column))};
    }
    /// 0 for NULL. \pre the column is an integer
    [[nodiscard]] auto integer(int row, int column) const -> std::int64_t;
    [[nodiscard]] auto boolean(int row, int column) const -> bool { return text(row, column) == "t"; }
    /// The bytes of a `bytea`; empty for other types.
    [[nodiscard]] auto bytes(int row, int column) const -> std::string;
    /// The elements of a `text[]` of one dimension.
    [[nodiscard]] auto texts(int row, int column) const -> std::vector<std::string>;

private:
    struct clear {
        void operator()(PGresult* gresult) const { pq().clear(gresult); }
    };
    [[nodiscard]] static auto pq() -> pq_library const& { return pq_library::instance(); }

    std::unique_ptr<PGresult, clear> result_;
};

/// The values of $1, $2 ... of a statement, in their text form.
class parameters {
public:
    auto add(std::string text) -> parameters&
    {
        values_.emplace_back(std::move(text));
        return *this;
    }
    auto add(std::int64_t number) -> parameters& { return add(std::to_string(number)); }
    auto add(bool flag) -> parameters& { return add(std::string(flag ? "t" : "f")); }
    auto add(char const*) -> parameters& = delete;
    auto add_null() -> parameters&
    {
        values_.emplace_back();
        return *this;
    }
    /// A `bytea`.
    auto add_bytes(std::string_view bytes) -> parameters&;
    /// A `text[]`.
    auto add_texts(std::vector<std::string> const& elements) -> parameters&;

    [[nodiscard]] auto values() const noexcept -> std::vector<std::optional<std::string>> const& { return values_; }

private:
    std::vector<std::optional<std::string>> values_;
};

/// Builds a `text[]` element by element; `finish` returns its text form.
class array_text {
public:
    void add(std::string_view element);
    void add(std::int64_t number);
    void add_bytes(std::string_view bytes);
    [[nodiscard]] auto finish() -> std::string;

private:
    void separate() { text_ += text_.empty() ? '{' : ','; }

    std::string text_;
};

/// An identifier in SQL: `"states"`.
[[nodiscard]] auto quoted_identifier(std::string_view name) -> std::string;

/// A text literal in SQL: `'it''s'`.
[[nodiscard]] auto quoted_literal(std::string_view text) -> std::string;

}  // namespace iacctl::postgres

#endif  // IACCTL_STATE_POSTGRES_RESULT_SET_HPP
