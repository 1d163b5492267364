// SPDX-License-Identifier: BSL-1.0
#include "agent_identity.hpp"

#include "base/child_process.hpp"
#include "base/input_file.hpp"
#include "base/trimmed.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace iacctl::ssh {

namespace {

// A public key: "ssh-ed25519 AAAA… comment".
struct public_key {
    std::string_view line;
    std::string_view content;
    std::string_view comment;
};

auto keys_in(std::string_view text) -> std::vector<public_key>
{
    std::vector<public_key> all;
    while (!text.empty()) {
        auto const end = std::min(text.find('\n'), text.size());
        std::string_view const line = trimmed(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        auto const first = line.find(' ');
        if (first == line.npos) continue;
        std::string_view const rest = line.substr(first + 1);
        auto const second = std::min(rest.find(' '), rest.size());
        all.push_back({line, rest.substr(0, second), trimmed(rest.substr(second))});
    }
    return all;
}

auto output_of(std::vector<std::string> words, std::set<std::string> withheld) -> strider::infra::task<std::string>
{
    child_command command;
    command.words = std::move(words);
    command.withheld = std::move(withheld);
    command.keeps_errors_apart = true;
    std::string output;
    auto running = run_child(std::move(command), [&](std::string_view got) {
        output += got;
        return true;
    });
    auto const outcome = co_await std::move(running);
    co_return outcome.succeeded() ? output : std::string();
}

}  // namespace

auto agent_key(std::string_view listed, std::string_view public_keys, std::string_view identity) -> std::string
{
    auto const all = keys_in(listed);
    auto const named = keys_in(public_keys);
    auto const is_exact = [&](public_key const& one) {
        return one.comment == identity || std::ranges::find(named, one.content, &public_key::content) != named.end();
    };
    auto const is_close = [&](public_key const& one) { return one.comment.ends_with(identity); };
    auto found = std::ranges::find_if(all, is_exact);
    if (found == all.end()) found = std::ranges::find_if(all, is_close);
    return found == all.end() ? std::string() : std::string(found->line) + "\n";
}

auto find_agent_key(std::string identity, std::set<std::string> withheld) -> strider::infra::task<std::string>
{
    auto listing = output_of({"ssh-add", "-L"}, withheld);
    std::string const listed = co_await std::move(listing);
    std::string keys;
    // The file may have the private key, which may be encrypted, or the public one.
    if (auto const content = read_input(identity); content && content->find("PRIVATE KEY") == content->npos)
        keys += *content + "\n";
    else if (content) {
        auto deriving = output_of({"ssh-keygen", "-y", "-P", "", "-f", identity}, std::move(withheld));
        keys += co_await std::move(deriving);
    }
    if (auto const content = read_input(identity + ".pub")) keys += *content;
    co_return agent_key(listed, keys, identity);
}

}  // namespace iacctl::ssh
