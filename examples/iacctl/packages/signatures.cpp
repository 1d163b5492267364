// SPDX-License-Identifier: BSL-1.0
#include "signatures.hpp"

#include "base/blocking_child.hpp"
#include "base/durable_file.hpp"
#include "base/encoding.hpp"
#include "messages/installation.hpp"
#include "messages/report.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <utility>

namespace iacctl::packages {

namespace fs = std::filesystem;

namespace {

// Removes the next line from the text and returns it without its end.
auto next_line(std::string_view& text) -> std::string_view
{
    auto const end = std::min(text.find('\n'), text.size());
    auto line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    while (line.ends_with('\r') || line.ends_with(' ')) line.remove_suffix(1);
    return line;
}

// The bytes in ASCII armor. The armor is removed because gpgv does not read it. \source RFC 4880, 6.2
auto without_armor(std::string_view text) -> std::optional<std::string>
{
    std::string bytes;
    while (!text.empty()) {
        if (!next_line(text).starts_with("-----BEGIN PGP PUBLIC KEY BLOCK")) continue;
        while (!text.empty() && !next_line(text).empty()) {}  // headers
        std::string content;
        for (;;) {
            if (text.empty()) return std::nullopt;
            auto const line = next_line(text);
            if (line.starts_with("-----END")) break;
            if (!line.starts_with('=')) content += line;  // such a line is the checksum
        }
        auto const decoded = from_base64(content);
        if (!decoded) return std::nullopt;
        bytes += *decoded;
    }
    if (bytes.empty()) return std::nullopt;
    return bytes;
}

}  // namespace

auto check_signature(std::string_view document, std::string_view signature, std::vector<std::string> const& keys,
    fs::path const& scratch) -> expected<std::string>
{
    auto const refuse = [](std::string const& why) {
        return infra::failure(messages::make_error(messages::signature_refused, {why}));
    };
    auto const write = [&](char const* name, std::string_view content) {
        throw_on(write_new_file(scratch / name, content));
        return (scratch / name).string();
    };
    if (keys.empty()) return refuse("the registry has no key for this provider");
    std::string ring;
    for (std::string const& key : keys) {
        auto const bytes = without_armor(key);
        if (!bytes) return refuse("a key of the registry is not in ASCII armor");
        ring += *bytes;
    }
    child_command command;
    command.words = {"gpgv", "--status-fd", "1", "--homedir", scratch.string(), "--keyring", write("keys.gpg", ring),
        "--", write("signature", signature), write("document", document)};
    auto const run = run_child(std::move(command), std::chrono::minutes(1), std::size_t{1} << 20U);
    // The status lines have more information than the exit code.
    std::optional<std::string> signer;
    bool valid = false;
    std::string bad;
    for (std::string_view rest = run.output; !rest.empty();) {
        auto line = next_line(rest);
        constexpr std::string_view mark = "[GNUPG:] ";
        if (!line.starts_with(mark)) continue;
        line.remove_prefix(mark.size());
        auto const word = line.substr(0, line.find(' '));
        auto const id = word.size() < line.size() ? line.substr(word.size() + 1, 16) : std::string_view();
        if (word == "GOODSIG" || word == "EXPKEYSIG") signer = std::string(id);
        if (word == "VALIDSIG") valid = true;
        if (word == "BADSIG" || word == "REVKEYSIG" || word == "EXPSIG") bad = word;
    }
    if (signer && valid && bad.empty()) return *signer;
    if (run.output.empty() && !run.succeeded())
        return refuse("the program gpgv, which verifies signatures, failed: " + run.why
            + (run.errors.empty() ? " (on Debian, it is in the package gpgv)" : "\n\n" + run.errors));
    return refuse("gpgv accepts no signature:\n\n" + run.errors);
}

}  // namespace iacctl::packages
