// SPDX-License-Identifier: BSL-1.0
// Completion in shells.
#include "commands.hpp"
#include "completion.hpp"
#include "messages/catalogue.hpp"
#include "messages/commands.hpp"
#include "messages/report.hpp"
#include "session.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace iacctl::commands {

namespace {

struct shell_script {
    std::string_view shell;
    std::string_view text;
};

// Each script passes the text before the cursor to "__complete", which prints one candidate on each line, with a
// description after a tab. If there are no candidates, names of files complete the word.
constexpr std::array scripts{
    shell_script{"bash", R"(_iacctl() {
  local line=${COMP_LINE:0:COMP_POINT} word=${COMP_WORDS[COMP_CWORD]} whole i
  [[ $word != [=:] ]] || word=
  whole=${line##*[[:space:]]}
  mapfile -t COMPREPLY < <("$1" __complete -- "$line" 2>/dev/null)
  for i in "${!COMPREPLY[@]}"; do
    COMPREPLY[i]=${COMPREPLY[i]%%$'\t'*}
    COMPREPLY[i]=${COMPREPLY[i]#"${whole%"$word"}"}
  done
  [[ ${#COMPREPLY[@]} != 1 || ${COMPREPLY[0]} != *= ]] || compopt -o nospace
}
complete -o default -o nosort -F _iacctl iacctl
)"},
    shell_script{"zsh", R"(#compdef iacctl
_iacctl() {
  local -a found
  found=("${(@f)$($words[1] __complete -- "${(j: :)words[1,CURRENT-1]} $PREFIX" 2>/dev/null)}")
  found=("${(@)found%%$'\t'*}")
  found=(${found:#})
  if (( $#found )); then
    compadd -Q -S '' -- $found
  else
    compset -P '*='
    _files
  fi
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _iacctl "$@"
else
  compdef _iacctl iacctl
fi
)"},
    shell_script{"fish", R"(function __iacctl_candidates
  set -l found (command iacctl __complete -- (commandline -cp | string collect) 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c iacctl -f -a '(__iacctl_candidates)'
)"},
};

// The candidates for addresses: the instances in state, the resources that the root module declares, and the modules that it calls.
auto addresses(session const& s) -> std::vector<std::string>
{
    std::vector<std::string> all;
    if (auto const state = s.workspace().read_state())
        for (auto const& [address, _] : state->resources) all.push_back(to_string(address));
    auto const& declared = s.workspace().root().configuration();
    for (auto const& [address, one] : declared.resources)
        if (one.mode == language::resource_mode::managed) all.push_back(address);
    for (auto const& [name, _] : declared.modules) all.push_back("module." + name);
    std::ranges::sort(all);
    all.erase(std::ranges::unique(all).begin(), all.end());
    return all;
}

// The addresses of the modules with objects in state, and of those that the root module calls.
auto modules_of(session const& s) -> std::vector<std::string>
{
    std::set<std::string> all;
    if (auto const state = s.workspace().read_state())
        for (auto const& [address, _] : state->resources) {
            auto path = address.module();
            for (; !path.empty(); path.pop_back()) all.insert(to_string(path));
        }
    for (auto const& [name, call] : s.workspace().root().configuration().modules)
        if (!call.count && !call.for_each) all.insert("module." + name);
    return {all.begin(), all.end()};
}

auto workspaces(session const& s) -> std::vector<std::string>
{
    auto const in = s.workspace().backend();
    if (!in) return {};
    auto all = (*in)->workspaces();
    return all ? std::move(*all) : std::vector<std::string>();
}

auto codes() -> std::vector<std::string>
{
    std::vector<std::string> all;
    for (auto const& one : messages::all_messages()) all.emplace_back(one.code);
    return all;
}

auto completion_script(no_options const& options, session const& s) -> int
{
    auto const& requested = options.arguments;
    for (auto const& [shell, text] : scripts)
        if (!requested.empty() && requested.front() == shell) {
            s.out() << text;
            return 0;
        }
    return s.report(make_error(messages::arguments_missing, {s.runs().name, "one argument: bash, zsh or fish"}));
}

auto complete(no_options const& options, session const& s) -> int
{
    if (options.arguments.size() != 1) return 1;
    auto const values = [&](completion kind) {
        switch (kind) {
        case completion::address: return addresses(s);
        case completion::module: return modules_of(s);
        case completion::workspace: return workspaces(s);
        default: return codes();
        }
    };
    for (candidate const& one : complete_line(options.arguments.front(), values)) {
        s.out() << one.text;
        if (!one.description.empty()) s.out() << '\t' << one.description;
        s.out() << '\n';
    }
    return 0;
}

constexpr std::string_view examples_of_completion[] = {
    "source <(iacctl completion bash)", "iacctl completion fish > ~/.config/fish/completions/iacctl.fish"};

}  // namespace

constinit command const completion_command{"completion", {}, begin<completion_script>,
    "Print a script that completes commands in a shell",
    "Prints a script for bash, zsh or fish. The script completes commands, options, addresses in state, workspaces and "
    "names of files.",
    {"SHELL", 1, completion::nothing, false, "bash zsh fish"}, examples_of_completion};

// For the scripts of "completion".
constinit command const complete_command{"__complete", {.configuration = configuration_use::values, .providers = true},
    begin<complete>, {}, {}, {"LINE", 1}};

}  // namespace iacctl::commands
