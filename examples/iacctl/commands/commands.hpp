// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_COMMANDS_COMMANDS_HPP
#define IACCTL_COMMANDS_COMMANDS_HPP

#include "session.hpp"

#include <ostream>
#include <string>
#include <vector>

namespace iacctl::commands {

// Each function runs the command of its name and returns the exit code of the program.
[[nodiscard]] auto init(session const& s) -> int;
[[nodiscard]] auto validate(session const& s) -> int;
[[nodiscard]] auto make_plan(session const& s) -> int;
[[nodiscard]] auto apply(session const& s) -> int;
[[nodiscard]] auto query(session const& s) -> int;
[[nodiscard]] auto refresh(session const& s) -> int;
[[nodiscard]] auto import_object(session const& s) -> int;
[[nodiscard]] auto graph(session const& s) -> int;
[[nodiscard]] auto simulate(session const& s) -> int;
[[nodiscard]] auto watch(session const& s) -> int;
[[nodiscard]] auto why(session const& s) -> int;
[[nodiscard]] auto show(session const& s) -> int;
[[nodiscard]] auto output(session const& s) -> int;
[[nodiscard]] auto version(session const& s) -> int;
[[nodiscard]] auto providers(session const& s) -> int;
[[nodiscard]] auto providers_lock(session const& s) -> int;
[[nodiscard]] auto providers_mirror(session const& s) -> int;
[[nodiscard]] auto providers_schema(session const& s) -> int;
[[nodiscard]] auto login(session const& s) -> int;
[[nodiscard]] auto logout(session const& s) -> int;
[[nodiscard]] auto lsp(session const& s) -> int;
[[nodiscard]] auto get(session const& s) -> int;
[[nodiscard]] auto modules(session const& s) -> int;
[[nodiscard]] auto workspace_list(session const& s) -> int;
[[nodiscard]] auto workspace_show(session const& s) -> int;
[[nodiscard]] auto workspace_new(session const& s) -> int;
[[nodiscard]] auto workspace_select(session const& s) -> int;
[[nodiscard]] auto workspace_delete(session const& s) -> int;
[[nodiscard]] auto force_unlock(session const& s) -> int;
[[nodiscard]] auto explain(session const& s) -> int;
[[nodiscard]] auto fmt(session const& s) -> int;
[[nodiscard]] auto console(session const& s) -> int;
[[nodiscard]] auto metadata_commands(session const& s) -> int;
[[nodiscard]] auto metadata_functions(session const& s) -> int;
[[nodiscard]] auto completion_script(session const& s) -> int;
[[nodiscard]] auto serve_commands(session const& s) -> int;
[[nodiscard]] auto complete(session const& s) -> int;
[[nodiscard]] auto state_identities(session const& s) -> int;
[[nodiscard]] auto state_list(session const& s) -> int;
[[nodiscard]] auto state_show(session const& s) -> int;
[[nodiscard]] auto state_pull(session const& s) -> int;
[[nodiscard]] auto state_push(session const& s) -> int;
[[nodiscard]] auto state_serve(session const& s) -> int;
[[nodiscard]] auto state_restore(session const& s) -> int;
[[nodiscard]] auto state_verify(session const& s) -> int;
[[nodiscard]] auto state_repair(session const& s) -> int;
[[nodiscard]] auto state_history(session const& s) -> int;
[[nodiscard]] auto state_log(session const& s) -> int;
[[nodiscard]] auto state_locks(session const& s) -> int;
[[nodiscard]] auto state_rm(session const& s) -> int;
[[nodiscard]] auto state_mv(session const& s) -> int;
[[nodiscard]] auto state_replace_provider(session const& s) -> int;
[[nodiscard]] auto test(session const& s) -> int;
[[nodiscard]] auto taint(session const& s) -> int;
[[nodiscard]] auto untaint(session const& s) -> int;
[[nodiscard]] auto state_resolve(session const& s) -> int;

}  // namespace iacctl::commands

#endif  // IACCTL_COMMANDS_COMMANDS_HPP
