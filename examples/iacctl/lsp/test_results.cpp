// SPDX-License-Identifier: BSL-1.0
#include "test_results.hpp"

#include "base/json.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <utility>

namespace iacctl::lsp {

namespace {

auto offset_in(json const& range, std::string_view which) -> std::uint32_t
{
    auto const* const end = range.find(which);
    auto const* const byte = end == nullptr ? nullptr : end->find("byte");
    return byte == nullptr ? 0 : static_cast<std::uint32_t>(byte->natural().value_or(0));
}

auto problem_in(json const& diagnostic, std::string const& directory) -> test_problem
{
    test_problem made;
    made.is_error = diagnostic.text_of("severity") == "error";
    made.code = diagnostic.text_of("code");
    made.text = diagnostic.text_of("summary");
    if (auto const detail = diagnostic.text_of("detail"); !detail.empty()) made.text += '\n' + detail;
    if (auto const* const range = diagnostic.find("range")) {
        made.path = (std::filesystem::path(directory) / range->text_of("filename")).lexically_normal().string();
        made.at = {offset_in(*range, "start"), offset_in(*range, "end")};
    }
    auto const* const snippet = diagnostic.find("snippet");
    auto const* const values = snippet == nullptr ? nullptr : snippet->find("values");
    if (values != nullptr && values->elements() != nullptr)
        for (auto const& one : *values->elements())
            made.text += '\n' + one.text_of("traversal") + ' ' + one.text_of("statement");
    return made;
}

}  // namespace

auto read_test_results(std::string_view output, std::string const& directory) -> test_results
{
    test_results made;
    while (!output.empty()) {
        auto const end = std::min(output.find('\n'), output.size());
        auto const line = parse_json(output.substr(0, end));
        output.remove_prefix(std::min(end + 1, output.size()));
        if (!line) continue;
        auto const type = line->text_of("type");
        if (auto const* const run = line->find("test_run"); run != nullptr && !run->text_of("status").empty())
            made.runs.insert_or_assign(run->text_of("run"), run->text_of("status"));
        if (auto const* const one = line->find("diagnostic")) made.problems.push_back(problem_in(*one, directory));
        auto const* const summary = line->find("test_summary");
        if (summary == nullptr) continue;
        made.summary = line->text_of("@message");
        made.passed = summary->text_of("status") == "pass";
    }
    return made;
}

}  // namespace iacctl::lsp
