// SPDX-License-Identifier: BSL-1.0
#include "log.hpp"

#include "support/characters.hpp"
#include "support/environment.hpp"
#include "support/json.hpp"
#include "support/json_text.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <ctime>

namespace iacctl::plugins {

namespace {

constexpr std::array<std::string_view, 6> names{"TRACE", "DEBUG", "INFO", "WARN", "ERROR", "OFF"};

auto name_of(log_level level) -> std::string_view
{
    return names[static_cast<std::size_t>(level)];
}

auto is_panic(std::string_view line) -> bool
{
    return line.starts_with("panic: ") || line.starts_with("fatal error: ");
}

auto of_json(json const& value) -> log_record
{
    log_record made;
    for (auto const& [name, of] : *value.members()) {
        std::string const text = of.text() != nullptr ? *of.text() : compact_text(of);
        if (name == "@level") made.level = log_level_named(text).value_or(log_level::debug);
        else if (name == "@message") made.message = text;
        else if (name != "@timestamp") made.fields.emplace_back(name, text);
    }
    return made;
}

auto quoted_if_needed(std::string_view text) -> std::string
{
    bool const plain = !text.empty() && std::ranges::none_of(text, [](char c) {
        return static_cast<unsigned char>(c) <= ' ' || c == '"' || c == '=';
    });
    if (plain) return std::string(text);
    std::string made;
    append_json_string(made, text);
    return made;
}

void write_all(int file, std::string_view text)
{
    while (!text.empty()) {
        ssize_t const written = ::write(file, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

// Local time with milliseconds: "2026-01-31T12:00:00.000+0100".
auto now_text() -> std::string
{
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    std::tm parts{};
    ::localtime_r(&now.tv_sec, &parts);
    std::array<char, 32> day{};
    std::array<char, 8> zone{};
    std::strftime(day.data(), day.size(), "%Y-%m-%dT%H:%M:%S.", &parts);
    std::strftime(zone.data(), zone.size(), "%z", &parts);
    std::string const milliseconds = std::to_string(1000 + now.tv_nsec / 1'000'000).substr(1);
    return day.data() + milliseconds + zone.data();
}

}  // namespace

auto log_level_named(std::string_view name) -> std::optional<log_level>
{
    auto const found = std::ranges::find_if(
        names, [&](std::string_view one) { return ascii_lower_case(one) == ascii_lower_case(name); });
    if (found == names.end()) return std::nullopt;
    return static_cast<log_level>(found - names.begin());
}

auto log_record::of_line(std::string_view line) -> log_record
{
    std::string ignored;
    if (line.starts_with('{'))
        if (auto const value = parse_json(line, ignored); value && value->members() != nullptr) return of_json(*value);
    log_record made;
    made.level = is_panic(line) ? log_level::error : log_level::debug;
    if (auto const close = line.find(']'); line.starts_with('[') && close != line.npos)
        if (auto const level = log_level_named(line.substr(1, close - 1)); level && *level != log_level::off) {
            made.level = *level;
            line.remove_prefix(std::min(close + 2, line.size()));
        }
    made.message = line;
    return made;
}

auto log_record::text() const -> std::string
{
    std::string made = "[" + std::string(name_of(level)) + "] ";
    if (level == log_level::info || level == log_level::warn) made.insert(made.size() - 1, " ");
    if (!name.empty()) made += name + ": ";
    made += message;
    char const* before = ": ";
    for (auto const& [key, value] : fields) made += std::exchange(before, " ") + key + "=" + quoted_if_needed(value);
    return made;
}

auto log_record::json_members() const -> std::string
{
    std::string made = "\"@level\":\"" + ascii_lower_case(name_of(level)) + "\",\"@message\":";
    append_json_string(made, message);
    made += ",\"@module\":";
    append_json_string(made, name);
    for (auto const& [key, value] : fields) {
        if (key == "@module") continue;
        made += ',';
        append_json_string(made, key);
        made += ':';
        append_json_string(made, value);
    }
    return made;
}

auto log_settings::from_environment() -> log_settings
{
    log_settings made;
    std::string level = environment_variable("TF_LOG_PROVIDER");
    if (level.empty()) level = environment_variable("TF_LOG");
    if (level.empty()) return made;
    made.as_json = ascii_lower_case(level) == "json";
    made.level = log_level_named(level).value_or(log_level::trace);
    made.path = environment_variable("TF_LOG_PATH");
    return made;
}

log_writer::log_writer(log_settings how) : how_(std::move(how))
{
    if (how_.level != log_level::off && !how_.path.empty())
        file_ = file_descriptor(::open(how_.path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
}

void log_writer::operator()(log_record const& record)
{
    if (record.level < how_.level || how_.level == log_level::off) return;
    std::string line = now_text() + " " + record.text() + "\n";
    if (how_.as_json) line = "{\"@timestamp\":\"" + now_text() + "\"," + record.json_members() + "}\n";
    std::scoped_lock const held(guard_);
    write_all(file_ ? file_.get() : STDERR_FILENO, line);
}

}  // namespace iacctl::plugins
