// SPDX-License-Identifier: BSL-1.0
#include "log.hpp"

#include "characters.hpp"
#include "durable_file.hpp"
#include "environment.hpp"
#include "file_descriptor.hpp"
#include "json.hpp"
#include "json_text.hpp"
#include "shown_text.hpp"
#include "timestamp.hpp"
#include "url_secrets.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <ctime>
#include <map>
#include <mutex>

namespace iacctl {

namespace {

constexpr std::array<std::string_view, 6> level_names{"TRACE", "DEBUG", "INFO", "WARN", "ERROR", "OFF"};

auto name_of(log_level level) -> std::string_view
{
    return level_names[static_cast<std::size_t>(level)];
}

// The settings do not change while the program runs.
auto core_settings() -> log_settings const&
{
    static log_settings const of = log_settings::from_environment("TF_LOG_CORE");
    return of;
}

struct log_file {
    file_descriptor descriptor;
    error_code error;
};

// Opens each file once, for all writers: if one of them closed a pipe, its reader would see the end of the log.
auto file_named(std::string const& path) -> log_file const&
{
    static std::mutex guard;
    static std::map<std::string, log_file> all;
    std::scoped_lock const held(guard);
    auto const [at, added] = all.try_emplace(path);
    if (added) {
        at->second.descriptor = file_descriptor(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
        if (!at->second.descriptor) at->second.error = last_error();
    }
    return at->second;
}

auto is_panic(std::string_view line) -> bool
{
    return line.starts_with("panic: ") || line.starts_with("fatal error: ");
}

auto record_of_json(json const& value) -> log_record
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

// Local time with milliseconds: "2026-01-31T12:00:00.000+0100".
auto log_time() -> std::string
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
        level_names, [&](std::string_view text) { return ascii_lower_case(text) == ascii_lower_case(name); });
    if (found == level_names.end()) return std::nullopt;
    return static_cast<log_level>(found - level_names.begin());
}

auto is_log_level(std::string_view name) -> bool
{
    return log_level_named(name) || ascii_lower_case(name) == "json";
}

auto log_record::of_line(std::string_view line) -> log_record
{
    if (line.starts_with('{'))
        if (auto const value = parse_json(line); value && value->members() != nullptr) return record_of_json(*value);
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

auto log_settings::from_environment(char const* first) -> log_settings
{
    log_settings made;
    std::string level = environment_variable(first);
    if (level.empty()) level = environment_variable("TF_LOG");
    if (level.empty()) return made;
    made.as_json = ascii_lower_case(level) == "json";
    made.level = log_level_named(level).value_or(log_level::trace);
    made.path = environment_variable("TF_LOG_PATH");
    return made;
}

auto log_settings::open() const -> boost::system::error_code
{
    return path.empty() ? error_code() : file_named(path).error;
}

log_writer::log_writer(log_settings settings) : how_(std::move(settings)), file_(STDERR_FILENO)
{
    if (how_.level == log_level::off || how_.path.empty()) return;
    if (auto const& file = file_named(how_.path); !file.error) file_ = file.descriptor.get();
}

void log_writer::operator()(log_record const& record)
{
    if (record.level < how_.level || how_.level == log_level::off) return;
    std::string const text = how_.as_json
        ? "{\"@timestamp\":\"" + microsecond_text() + "\"," + record.json_members() + "}"
        : log_time() + " " + shown_text(record.text());
    std::string const line = without_url_secrets(text) + "\n";
    static std::mutex guard;  // of all writers, because they write to the same file
    std::scoped_lock const held(guard);
    (void)write_all(file_, line);
}

auto is_logged(log_level level) -> bool
{
    return core_settings().level != log_level::off && level >= core_settings().level;
}

void write_log(log_level level, std::string_view name, std::string_view message,
    std::vector<std::pair<std::string, std::string>> fields)
{
    if (!is_logged(level)) return;
    static log_writer to(core_settings());
    to({level, std::string(name), std::string(message), std::move(fields)});
}

}  // namespace iacctl
