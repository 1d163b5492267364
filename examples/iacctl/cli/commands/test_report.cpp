// SPDX-License-Identifier: BSL-1.0
#include "test_report.hpp"

#include "base/formatted.hpp"
#include "base/json_writer.hpp"
#include "base/unicode.hpp"
#include "messages/commands.hpp"
#include "messages/with_text.hpp"
#include "views.hpp"
#include "views/diagnostic_text.hpp"
#include "views/plan_json.hpp"
#include "views/plan_text.hpp"
#include "views/state_text.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace iacctl::commands {

namespace {

using testing::clean_up;
using testing::file_result;
using testing::run_result;
using testing::suite_result;
using testing::test_status;
using views::text_style;

// A failure and an error have the same word; diagnostics distinguish them.
auto word_for(test_status status) -> std::string_view
{
    return status == test_status::error ? "fail" : to_string(status);
}

auto summary_of(suite_result const& result) -> std::string
{
    auto const failed = result.count(test_status::fail) + result.count(test_status::error);
    auto text = formatted(" {} passed, {} failed", result.count(test_status::pass), failed);
    if (auto const skipped = result.count(test_status::skip); skipped > 0) text += formatted(", {} skipped", skipped);
    return text + '.';
}

// Returns whether there were tests and at least one was started.
auto has_run(suite_result const& result) -> bool
{
    return result.files.empty() || result.status > test_status::skip;
}

class text_view final : public testing::test_listener {
public:
    explicit text_view(session const& s) : s_(&s), paint_(s.text().colour) {}

    void begins(std::vector<language::test_file> const&) override {}
    void file_begins(std::string const& file) override { line(file, paint_(text_style::grey, "in progress")); }
    void run_begins(std::string const&, std::string const&) override {}
    void run_ends(std::string const&, run_result const& result) override
    {
        line("  run " + json_string(result.name), shown(result.status));
        if (result.plan)
            s_->out() << '\n' << views::plan_text(view_of(*result.plan, s_->schemas()), s_->text()) << '\n';
        if (result.state) {
            infra::diagnostics unreadable;
            s_->out() << '\n'
                      << views::state_text(view_of(*result.state, s_->schemas(), unreadable), s_->text()) << '\n';
            report(unreadable);
        }
        report(result.problems);
    }
    void tears_down(std::string const& file) override { line(file, paint_(text_style::grey, "tearing down")); }
    void clean_up_begins(std::string const&, std::string const&) override {}
    void clean_up_ends(std::string const& file, clean_up const& up) override
    {
        if (up.problems.has_errors())
            s_->err() << "An error stopped the destruction of the objects of " << file << '/' << up.run << ".\n";
        report(up.problems);
        if (up.left.empty()) return;
        s_->err() << "\nThese objects of " << file << '/' << up.run
                  << " still exist. No state contains them. Destroy them manually.\n";
        for (std::string const& one : up.left) s_->err() << "  - " << one << '\n';
        s_->err() << std::flush;
    }
    void is_interrupted(std::string const& file, int count, std::vector<std::string> const& left) override
    {
        s_->err() << (count == 1
                ? "\nInterrupt received. The run ends, and the objects of the tests are destroyed. A second "
                  "interrupt stops that, too.\n"
                : "\nThe second interrupt ends the tests. These objects of " + file + " still exist:\n");
        if (count > 1)
            for (std::string const& one : left) s_->err() << "  - " << one << '\n';
        s_->err() << std::flush;
    }
    void file_ends(file_result const& result) override
    {
        line(result.name, shown(result.status));
        report(result.problems);
    }
    void ends(suite_result const& result) override
    {
        s_->out() << '\n';
        if (!has_run(result)) {
            auto const skipped = result.count(test_status::skip);
            s_->out() << "Executed 0 tests" << (skipped > 0 ? formatted(", {} skipped.", skipped) : ".") << '\n';
            return;
        }
        bool const good = result.status <= test_status::pass;
        s_->out() << (good ? paint_(text_style::green, "Success!") : paint_(text_style::red, "Failure!"))
                  << summary_of(result) << '\n'
                  << std::flush;
    }

private:
    void line(std::string const& subject, std::string const& text)
    {
        s_->out() << subject << "... " << text << '\n' << std::flush;
    }
    [[nodiscard]] auto shown(test_status status) const -> std::string
    {
        auto const colour = status == test_status::pass ? text_style::green
            : status == test_status::skip               ? text_style::grey
                                                        : text_style::red;
        return paint_(colour, word_for(status));
    }
    void report(infra::diagnostics const& all) const
    {
        (void)s_->show(all);
        auto const is_warning = [](auto const& d) { return d.level == infra::severity::warning; };
        if (std::ranges::any_of(all, is_warning)) s_->out() << '\n';
        s_->out() << std::flush;
        s_->err() << std::flush;
    }

    session const* s_;
    views::painter paint_;
};

class json_view final : public testing::test_listener {
public:
    explicit json_view(session const& s) : s_(&s) {}

    void begins(std::vector<language::test_file> const& files) override
    {
        json_object all;
        std::size_t runs = 0;
        for (auto const& file : files) {
            json_array names;
            for (auto const& run : file.runs) names.text(run.name);
            runs += file.runs.size();
            all.raw(file.name, names.done());
        }
        report("test_abstract",
            formatted("Found {} file{} and {} run block{}", files.size(), files.size() == 1 ? "" : "s", runs,
                runs == 1 ? "" : "s"),
            all, {});
    }
    void file_begins(std::string const& file) override { of_file(file, "in progress", "starting"); }
    void run_begins(std::string const& file, std::string const& run) override
    {
        of_run(file, run, "in progress", "starting");
    }
    void run_ends(std::string const& file, run_result const& result) override
    {
        report("test_run", formatted("  {}... {}", json_string(result.name), word_for(result.status)),
            json_object()
                .text("path", file)
                .text("run", result.name)
                .text("progress", "complete")
                .text("status", to_string(result.status)),
            {file, result.name});
        if (result.plan)
            s_->stream()->test("test_plan", "-verbose flag enabled, printing plan",
                views::plan_json(view_of(*result.plan, s_->schemas())), {file, result.name});
        if (result.state) {
            infra::diagnostics unreadable;
            s_->stream()->test("test_state", "-verbose flag enabled, printing state",
                views::state_json(view_of(*result.state, s_->schemas(), unreadable)), {file, result.name});
            report(unreadable, {file, result.name});
        }
        report(result.problems, {file, result.name});
    }
    void tears_down(std::string const& file) override { of_file(file, "tearing down", "teardown"); }
    void clean_up_begins(std::string const& file, std::string const& run) override
    {
        of_run(file, run, "tearing down", "teardown");
    }
    void clean_up_ends(std::string const& file, clean_up const& up) override
    {
        if (!up.left.empty()) {
            json_array left;
            for (std::string const& one : up.left) {
                auto const key = one.find(" (");
                json_object object;
                object.text("instance", one.substr(0, key));
                if (key != std::string::npos) object.text("deposed_key", one.substr(key + 2, one.size() - key - 3));
                left.raw(object.done());
            }
            s_->stream()->test("test_cleanup",
                "Objects of " + file + "/" + up.run + " still exist. No state contains them. Destroy them manually.",
                json_object().raw("failed_resources", left.done()).done(), {file, up.run}, true);
        }
        report(up.problems, {file, up.run});
    }
    void is_interrupted(std::string const& file, int count, std::vector<std::string> const& left) override
    {
        json_array names;
        for (std::string const& one : left) names.raw(json_object().text("instance", one).done());
        s_->stream()->test("test_interrupt",
            count == 1 ? "Interrupt received. The objects of the tests are destroyed."
                       : "The second interrupt ends the tests.",
            json_object().raw("state", names.done()).done(), {file, {}}, true);
    }
    void file_ends(file_result const& result) override
    {
        report("test_file", formatted("{}... {}", result.name, word_for(result.status)),
            json_object()
                .text("path", result.name)
                .text("progress", "complete")
                .text("status", to_string(result.status)),
            {result.name, {}});
        report(result.problems, {result.name, {}});
    }
    void ends(suite_result const& result) override
    {
        auto const number = [&](test_status status) { return std::to_string(result.count(status)); };
        auto const status = result.files.empty() ? test_status::pass : result.status;
        auto const skipped = result.count(test_status::skip);
        auto const text = has_run(result) ? (status <= test_status::pass ? "Success!" : "Failure!") + summary_of(result)
            : skipped > 0                 ? formatted("Executed 0 tests, {} skipped.", skipped)
                                          : std::string("Executed 0 tests.");
        report("test_summary", text,
            json_object()
                .text("status", to_string(status))
                .raw("passed", number(test_status::pass))
                .raw("failed", number(test_status::fail))
                .raw("errored", number(test_status::error))
                .raw("skipped", number(test_status::skip)),
            {});
    }

private:
    using place = views::json_stream::test_place;

    void report(std::string_view type, std::string const& message, json_object const& content, place p)
    {
        s_->stream()->test(type, message, content.done(), p);
    }
    void report(infra::diagnostics const& all, place p)
    {
        for (infra::diagnostic const& d : all) s_->stream()->diagnostic(messages::with_text(d), p);
    }
    void of_file(std::string const& file, std::string_view words, std::string_view progress)
    {
        report("test_file", formatted("{}... {}", file, words),
            json_object().text("path", file).text("progress", progress), {file, {}});
    }
    void of_run(std::string const& file, std::string const& run, std::string_view words, std::string_view progress)
    {
        report("test_run", formatted("  {}... {}", json_string(run), words),
            json_object().text("path", file).text("run", run).text("progress", progress).raw("elapsed", "0"),
            {file, run});
    }

    session const* s_;
};

// A text for XML, in which not all characters are allowed.
auto escaped(std::string_view text) -> std::string
{
    std::string out;
    for (char const c : text) {
        switch (c) {
        case '&': out += "&amp;"; break;
        case '<': out += "&lt;"; break;
        case '>': out += "&gt;"; break;
        case '"': out += "&#34;"; break;
        case '\n': out += "&#xA;"; break;
        case '\t': out += "&#x9;"; break;
        default: out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
        }
    }
    return out;
}

auto attribute(std::string_view name, std::string_view text) -> std::string
{
    return " " + std::string(name) + "=\"" + escaped(text) + '"';
}

auto content(std::string_view text) -> std::string
{
    std::string out;
    for (char const c : text) out += static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' ? ' ' : c;
    for (auto at = out.find("]]>"); at != std::string::npos; at = out.find("]]>", at + 15))
        out.replace(at, 3, "]]]]><![CDATA[>");
    return "<![CDATA[" + out + "]]>";
}

auto text_of(infra::diagnostics const& all) -> std::string
{
    std::string text;
    for (infra::diagnostic const& d : all) text += views::diagnostic_text(messages::with_text(d));
    return text;
}

void write_case(std::string& out, suite_result const& suite, file_result const& file, std::size_t number)
{
    run_result const& run = file.runs[number];
    out += "    <testcase" + attribute("name", run.name) + attribute("classname", file.name);
    if (!run.begun.empty())
        out += attribute("time", formatted("{:.6f}", run.seconds)) + attribute("timestamp", run.begun);
    out += '>';
    infra::diagnostics failed;
    infra::diagnostics others;
    for (infra::diagnostic const& d : run.problems) {
        bool const is_error = d.level == infra::severity::error;
        bool const asserted = d.code == messages::test_assertion_failed.code;
        (run.status == test_status::error ? is_error : asserted) ? failed.add(d) : others.add(d);
    }
    auto const element = [&](std::string_view name, std::string const& message, std::string const& body) {
        out += "\n      <" + std::string(name) + (message.empty() ? "" : attribute("message", message)) + '>'
            + (body.empty() ? "" : content(body)) + "</" + std::string(name) + '>';
    };
    if (run.status == test_status::skip) {
        auto const before = std::find_if(file.runs.begin(), file.runs.begin() + static_cast<std::ptrdiff_t>(number),
            [](run_result const& result) { return result.status == test_status::error; });
        bool const after_error = before != file.runs.begin() + static_cast<std::ptrdiff_t>(number);
        if (suite.interrupted) element("skipped", "Skipped because of an interrupt", {});
        else if (after_error)
            element(
                "skipped", "Skipped because of an error before", "The run \"" + before->name + "\" ended in an error.");
        else element("skipped", {}, {});
    } else if (run.status == test_status::fail) {
        auto const first = failed.empty() ? std::string() : messages::with_text(failed.front()).detail;
        element("failure",
            formatted("{} of {} assertions failed{}: {}", failed.size(), run.assertions,
                failed.size() > 1 ? ", including" : "", first),
            text_of(failed));
    } else if (run.status == test_status::error) element("error", "Encountered an error", text_of(failed));
    if (!others.empty()) element("system-err", {}, text_of(others));
    out += run.status == test_status::pass && others.empty() ? "</testcase>\n" : "\n    </testcase>\n";
}

}  // namespace

auto test_view(session const& s) -> std::unique_ptr<testing::test_listener>
{
    if (s.prints_json()) return std::make_unique<json_view>(s);
    return std::make_unique<text_view>(s);
}

auto junit_xml(suite_result const& result) -> std::string
{
    std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?><testsuites>\n";
    for (file_result const& file : result.files) {
        auto const number = [&](test_status status) {
            return std::to_string(std::ranges::count(file.runs, status, &run_result::status));
        };
        out += "  <testsuite" + attribute("name", file.name) + attribute("tests", std::to_string(file.runs.size()))
            + attribute("skipped", number(test_status::skip)) + attribute("failures", number(test_status::fail))
            + attribute("errors", number(test_status::error)) + ">\n";
        for (std::size_t i = 0; i < file.runs.size(); ++i) write_case(out, result, file, i);
        if (file.problems.has_errors()) out += "    <system-err>" + content(text_of(file.problems)) + "</system-err>\n";
        out += "  </testsuite>\n";
    }
    return out + "</testsuites>";
}

}  // namespace iacctl::commands
