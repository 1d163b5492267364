// SPDX-License-Identifier: BSL-1.0
#include "server.hpp"

#include "base/json_writer.hpp"
#include "code_actions.hpp"
#include "completion.hpp"
#include "hover.hpp"
#include "links.hpp"
#include "messages/configuration.hpp"
#include "messages/with_text.hpp"
#include "outline.hpp"
#include "unused.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <iterator>
#include <utility>

namespace iacctl::lsp {

namespace {

// The delay between the last change of a text and its check.
constexpr std::chrono::milliseconds pause_of_typing(60);

constexpr std::string_view watched_files =
    "**/*.{tf,tofu,tfvars,tf.json,tofu.json,tfvars.json,tftest.hcl,tofutest.hcl,tfquery.hcl,tfmock.hcl,tftest.json,"
    "tofutest.json,tfquery.json,tfmock.json,terraform.lock.hcl}";

auto text_of(json const* j) -> std::string
{
    return j == nullptr || j->text() == nullptr ? std::string() : *j->text();
}

auto is_true(json const* j) -> bool
{
    return j != nullptr && j->boolean() != nullptr && *j->boolean();
}

// The member at a path: "textDocument.hover.contentFormat".
auto member(json const& j, std::initializer_list<std::string_view> path) -> json const*
{
    json const* now = &j;
    for (auto const name : path)
        if (now != nullptr) now = now->find(name);
    return now;
}

auto elements_of(json const* j) -> json::array const&
{
    static json::array const none;
    return j == nullptr || j->elements() == nullptr ? none : *j->elements();
}

auto has_text(json const* list, std::string_view desired) -> bool
{
    return std::ranges::any_of(elements_of(list), [&](json const& j) { return text_of(&j) == desired; });
}

auto abilities_in(json const& j) -> client_abilities
{
    client_abilities made;
    for (auto const& one : elements_of(member(j, {"general", "positionEncodings"}))) {
        auto const encoding = encoding_named(text_of(&one));
        // The encoding of the texts needs no conversion.
        if (encoding == position_encoding::utf8) made.encoding = *encoding;
    }
    auto const in_document = [&](std::initializer_list<std::string_view> path) {
        auto const* const document = j.find("textDocument");
        return document == nullptr ? nullptr : member(*document, path);
    };
    made.snippets = is_true(in_document({"completion", "completionItem", "snippetSupport"}));
    made.markdown = has_text(in_document({"hover", "contentFormat"}), "markdown");
    made.markdown_completion =
        has_text(in_document({"completion", "completionItem", "documentationFormat"}), "markdown");
    made.hierarchical_symbols = is_true(in_document({"documentSymbol", "hierarchicalDocumentSymbolSupport"}));
    made.related_information = is_true(in_document({"publishDiagnostics", "relatedInformation"}));
    made.label_offsets =
        is_true(in_document({"signatureHelp", "signatureInformation", "parameterInformation", "labelOffsetSupport"}));
    made.tags_diagnostics = in_document({"publishDiagnostics", "tagSupport"}) != nullptr;
    made.refreshes_lenses = is_true(member(j, {"workspace", "codeLens", "refreshSupport"}));
    made.references_command = text_of(member(j, {"experimental", "showReferencesCommandId"}));
    made.registers_watchers = is_true(member(j, {"workspace", "didChangeWatchedFiles", "dynamicRegistration"}));
    return made;
}

auto capabilities(client_abilities const& abilities) -> std::string
{
    json_object sync;
    sync.flag("openClose", true).raw("change", "2").raw("save", "{\"includeText\":false}");
    json_array triggers;
    for (auto const* const one : {".", "\"", "{", "/"}) triggers.text(one);
    json_array types;
    for (auto const one : semantic_token_types) types.text(one);
    json_object tokens;
    tokens.raw("legend", json_object().raw("tokenTypes", types.done()).raw("tokenModifiers", "[]").done());
    tokens.flag("full", true);
    json_object folders;
    folders.flag("supported", true).flag("changeNotifications", true);
    json_object made;
    made.text("positionEncoding", name_of(abilities.encoding)).raw("textDocumentSync", sync.done());
    made.raw("completionProvider", json_object().raw("triggerCharacters", triggers.done()).done());
    made.raw("signatureHelpProvider", "{\"triggerCharacters\":[\"(\",\",\"]}");
    for (auto const* const name : {"hoverProvider", "definitionProvider", "declarationProvider", "referencesProvider",
             "documentHighlightProvider", "documentSymbolProvider", "workspaceSymbolProvider",
             "documentFormattingProvider", "foldingRangeProvider"})
        made.flag(name, true);
    made.raw("codeActionProvider", "{\"codeActionKinds\":[\"quickfix\",\"refactor\"]}");
    made.raw("codeLensProvider", "{\"resolveProvider\":false}");
    made.raw("documentLinkProvider", "{\"resolveProvider\":false}");
    made.raw(
        "executeCommandProvider", json_object().raw("commands", json_array().text(run_tests_command).done()).done());
    made.raw("renameProvider", "{\"prepareProvider\":true}").raw("semanticTokensProvider", tokens.done());
    made.raw("workspace", json_object().raw("workspaceFolders", folders.done()).done());
    return made.done();
}

auto invalid(std::string text) -> request_error
{
    return {error_code::invalid_params, std::move(text)};
}

}  // namespace

server::server(
    workspace::settings base, std::string version, sender send, std::function<void()> ready, test_runner run_tests)
    : send_(std::move(send)),
      version_(std::move(version)),
      run_tests_(std::move(run_tests)),
      analyser_(std::move(base), std::move(ready))
{}

void server::receive(std::string_view bytes)
{
    reader_.add(bytes);
    while (auto next = reader_.next()) {
        if (auto const* const problem = std::get_if<request_error>(&*next)) {
            waiting_.push_back({malformed_message{*problem}});
            continue;
        }
        auto parsed = parse_message(std::get<std::string>(*next));
        if (auto* const one = std::get_if<message>(&parsed)) take(std::move(*one));
        else waiting_.push_back({std::get<malformed_message>(std::move(parsed))});
    }
}

void server::take(message m)
{
    if (m.method != "$/cancelRequest") {
        waiting_.push_back({std::move(m)});
        return;
    }
    auto const* const id = m.params.find("id");
    if (id == nullptr) return;
    auto const text = compact_text(*id);
    for (auto& one : waiting_)
        if (auto const* const other = std::get_if<message>(&one.of); other != nullptr && other->id == text)
            one.cancelled = true;
}

auto server::answer_next() -> bool
{
    if (waiting_.empty() || ended_) return false;
    auto const next = std::move(waiting_.front());
    waiting_.pop_front();
    if (auto const* const bad = std::get_if<malformed_message>(&next.of)) {
        send_(error_message(bad->id, bad->why));
        return true;
    }
    auto const& one = std::get<message>(next.of);
    if (one.method.empty()) return true;  // a response, which is ignored
    if (one.id.empty()) {
        try {
            notify(one);
        } catch (std::exception const& failure) {
            // A notification has no response.
            json_object log;
            log.raw("type", "1").text("message", one.method + ": " + failure.what());
            send_(notification_message("window/logMessage", log.done()));
        }
        return true;
    }
    if (next.cancelled) {
        respond(one.id, request_error{error_code::request_cancelled, "The request was cancelled."});
        return true;
    }
    try {
        respond(one.id, handle(one));
    } catch (std::exception const& failure) {
        respond(one.id, request_error{error_code::internal_error, failure.what()});
    }
    return true;
}

void server::respond(std::string_view id, answer const& a)
{
    if (auto const* const result = std::get_if<std::string>(&a)) send_(result_message(id, *result));
    else send_(error_message(id, std::get<request_error>(a)));
}

auto server::handle(message const& m) -> answer
{
    if (phase_ == phase::shut_down) return request_error{error_code::invalid_request, "The server has been shut down."};
    if (m.method == "initialize") {
        if (phase_ != phase::created)
            return request_error{error_code::invalid_request, "The server is already initialized."};
        return initialize(m.params);
    }
    if (phase_ == phase::created)
        return request_error{error_code::server_not_initialized, "The first request must be \"initialize\"."};
    if (m.method == "shutdown") {
        phase_ = phase::shut_down;
        return "null";
    }
    if (m.method == "workspace/symbol") {
        auto const* const query = m.params.find("query");
        if (query == nullptr || query->text() == nullptr) return invalid("The member query must be a string.");
        return workspace_symbols({files_, known_, client_}, *query->text());
    }
    if (m.method == "workspace/executeCommand") return execute(m.params);
    if (m.method.starts_with("textDocument/")) return about_document(m);
    return request_error{error_code::method_not_found, "There is no method \"" + m.method + "\"."};
}

auto server::about_document(message const& m) -> answer
{
    using with_document = std::string (*)(feature_context const&, document const&);
    using with_place = std::string (*)(feature_context const&, document_place const&);
    struct document_method {
        std::string_view name;
        with_document run;
    };
    struct place_method {
        std::string_view name;
        with_place run;
    };
    static constexpr std::array of_document{
        document_method{"documentLink", document_links},
        document_method{"documentSymbol", document_symbols},
        document_method{"foldingRange", folding_ranges},
        document_method{"formatting", formatting},
        document_method{"semanticTokens/full", semantic_tokens},
    };
    static constexpr std::array of_place{
        place_method{"completion", completion},
        place_method{"declaration", declaration_of},
        place_method{"definition", definition},
        place_method{"documentHighlight", document_highlight},
        place_method{"hover", hover},
        place_method{"prepareRename", prepare_rename},
        place_method{"signatureHelp", signature_help},
    };
    auto const method = std::string_view(m.method).substr(std::string_view("textDocument/").size());
    auto const whole = std::ranges::find(of_document, method, &document_method::name);
    auto const placed = std::ranges::find(of_place, method, &place_method::name);
    bool const other = method == "references" || method == "rename" || method == "codeAction" || method == "codeLens";
    if (whole == of_document.end() && placed == of_place.end() && !other)
        return request_error{error_code::method_not_found, "There is no method \"" + m.method + "\"."};
    if (member(m.params, {"textDocument", "uri"}) == nullptr)
        return invalid("The member textDocument must have a uri.");
    auto const* const in = find(m.params);
    if (in == nullptr) return invalid("The document is not open, and belongs to no module of the workspace.");
    feature_context const with{files_, known_, client_};
    if (whole != of_document.end()) return whole->run(with, *in);
    if (method == "codeAction") return actions_in(*in, m.params);
    if (method == "codeLens") return code_lenses(with, *in, run_states_);
    auto const at = position_in(m.params.find("position"));
    if (!at) return invalid("The member position must be a position.");
    document_place const place{*in, in->lines().offset_of(*at, client_.encoding)};
    if (placed != of_place.end()) return placed->run(with, place);
    if (method == "rename") return rename_at(place, m.params);
    return references(with, place, is_true(member(m.params, {"context", "includeDeclaration"})));
}

auto server::rename_at(document_place const& at, json const& params) -> answer
{
    auto const* const name = params.find("newName");
    if (name == nullptr || name->text() == nullptr) return invalid("The member newName must be a string.");
    return rename({files_, known_, client_}, at, *name->text(), renamed_);
}

auto server::actions_in(document const& in, json const& params) -> answer
{
    auto const selected = range_in(params.find("range"));
    if (!selected) return invalid("The member range must be a range.");
    language::byte_range const bytes{
        in.lines().offset_of(selected->start, client_.encoding), in.lines().offset_of(selected->end, client_.encoding)};
    return code_actions({files_, known_, client_}, {in, bytes, params.find("context"), renamed_});
}

auto server::execute(json const& params) -> answer
{
    auto const command = text_of(params.find("command"));
    if (command != run_tests_command) return invalid("There is no command \"" + command + "\".");
    auto const& arguments = elements_of(params.find("arguments"));
    auto const path = arguments.empty() ? std::string() : path_of_uri(text_of(&arguments.front()));
    auto const* const in = std::as_const(files_).find(path);
    if (in == nullptr || in->kind() != document_kind::tests)
        return invalid("The argument of the command must be the URI of a file with tests.");
    // A document that was never saved has no directory.
    auto const directory = files_.module_of(*in);
    if (!path.starts_with(directory + '/'))
        return request_error{error_code::request_failed, "Save the document first: only files can be tested."};
    if (!tested_.insert(path).second) return request_error{error_code::request_failed, "These tests are running."};
    run_tests_(directory, path.substr(directory.size() + 1), [this, path, directory](test_output const& output) {
        auto results = read_test_results(output.lines, directory);
        if (results.summary.empty()) results.summary = "The tests did not run (" + output.end + ").";
        take_test_results(path, std::move(results));
    });
    return "null";
}

void server::take_test_results(std::string const& path, test_results results)
{
    tested_.erase(path);
    run_states_.insert_or_assign(path, std::move(results.runs));
    std::set<std::string> paths{path};
    for (auto const& [one, problems] : test_problems_) paths.insert(one);
    test_problems_.clear();
    for (auto const& one : results.problems) {
        auto const* const in = std::as_const(files_).find(one.path.empty() ? path : one.path);
        if (in == nullptr) continue;
        auto const size = static_cast<std::uint32_t>(in->text().size());
        problem found{in->path(),
            in->lines().range_of({std::min(one.at.begin, size), std::min(one.at.end, size)}, client_.encoding),
            one.is_error ? language::severity::error : language::severity::warning, one.code, one.text, {}};
        test_problems_[in->path()].push_back(problem_json(found));
        paths.insert(in->path());
    }
    publish(paths);
    send_(notification_message("window/showMessage",
        json_object()
            .raw("type", results.passed ? "3" : "1")
            .text("message", path.substr(path.rfind('/') + 1) + ": " + results.summary)
            .done()));
    if (client_.refreshes_lenses) send_(request_message("\"lenses\"", "workspace/codeLens/refresh", "null"));
}

auto server::find(json const& params) -> document*
{
    auto const path = path_of_uri(text_of(member(params, {"textDocument", "uri"})));
    if (path.starts_with('/')) static_cast<void>(files_.module(directory_of(path)));
    return files_.find(path);
}

auto server::initialize(json const& params) -> answer
{
    phase_ = phase::initialized;
    if (auto const* const abilities = params.find("capabilities")) client_ = abilities_in(*abilities);
    for (auto const& one : elements_of(params.find("workspaceFolders")))
        folders_.push_back(path_of_uri(text_of(one.find("uri"))));
    if (folders_.empty()) {
        auto root = path_of_uri(text_of(params.find("rootUri")));
        if (root.empty()) root = text_of(params.find("rootPath"));
        if (!root.empty()) folders_.push_back(std::move(root));
    }
    std::erase_if(folders_, [](std::string const& text) { return !text.starts_with('/'); });
    // Before the first request about names in other modules.
    for (auto const& one : folders_) files_.add_folder(one);
    json_object result;
    result.raw("capabilities", capabilities(client_));
    result.raw("serverInfo", json_object().text("name", "iacctl").text("version", version_).done());
    return result.done();
}

void server::start()
{
    if (!client_.registers_watchers) return;
    json_object options;
    options.raw("watchers", json_array().raw(json_object().text("globPattern", watched_files).done()).done());
    json_object registration;
    registration.text("id", "files").text("method", "workspace/didChangeWatchedFiles");
    registration.raw("registerOptions", options.done());
    send_(request_message("\"files\"", "client/registerCapability",
        json_object().raw("registrations", json_array().raw(registration.done()).done()).done()));
}

void server::notify(message const& m)
{
    if (m.method == "exit") {
        ended_ = true;
        return;
    }
    if (phase_ != phase::initialized) return;
    if (m.method == "initialized") return start();
    if (m.method == "textDocument/didOpen") return did_open(m.params);
    if (m.method == "textDocument/didChange") return did_change(m.params);
    if (m.method == "textDocument/didClose") return did_close(m.params);
    if (m.method == "workspace/didChangeWatchedFiles") return did_change_files(m.params);
    if (m.method == "workspace/didChangeWorkspaceFolders") return did_change_folders(m.params);
    if (m.method == "textDocument/didSave")
        if (auto const* const saved = find(m.params)) check(directory_of(saved->path()), true);
}

void server::did_open(json const& params)
{
    auto const uri = text_of(member(params, {"textDocument", "uri"}));
    if (uri.empty()) return;
    auto const* const version = member(params, {"textDocument", "version"});
    auto& opened = files_.open(uri, text_of(member(params, {"textDocument", "languageId"})),
        version == nullptr ? 0 : version->integer().value_or(0), text_of(member(params, {"textDocument", "text"})));
    check(directory_of(opened.path()), true);
}

void server::did_change(json const& params)
{
    auto* const changed = find(params);
    if (changed == nullptr || !changed->is_open()) return;
    for (auto const& one : elements_of(params.find("contentChanges"))) {
        auto const* const text = one.find("text");
        if (text == nullptr || text->text() == nullptr) continue;
        if (one.find("range") == nullptr) {
            changed->set_text(*text->text());
            continue;
        }
        auto const part = range_in(one.find("range"));
        if (!part) continue;
        auto const begin = changed->lines().offset_of(part->start, client_.encoding);
        auto const end = changed->lines().offset_of(part->end, client_.encoding);
        std::string made(changed->text().substr(0, begin));
        made += *text->text();
        made += changed->text().substr(end);
        changed->set_text(std::move(made));
    }
    if (auto const* const version = member(params, {"textDocument", "version"}))
        changed->set_version(version->integer().value_or(0));
    // They are about an earlier text.
    test_problems_.erase(changed->path());
    check(directory_of(changed->path()), false);
}

void server::did_close(json const& params)
{
    auto const* const closed = find(params);
    if (closed == nullptr) return;
    auto const path = closed->path();
    files_.close(path);
    check(directory_of(path), false);
}

void server::did_change_files(json const& params)
{
    std::set<std::string> directories;
    for (auto const& one : elements_of(params.find("changes"))) {
        auto const path = path_of_uri(text_of(one.find("uri")));
        if (path.starts_with('/')) directories.insert(directory_of(path));
    }
    for (auto const& one : directories) {
        files_.refresh(one);
        check(one, true);
    }
}

void server::did_change_folders(json const& params)
{
    auto const* const event = params.find("event");
    if (event == nullptr) return;
    for (auto const& one : elements_of(event->find("removed"))) {
        auto const path = path_of_uri(text_of(one.find("uri")));
        std::erase(folders_, path);
        files_.remove_folder(path);
    }
    for (auto const& one : elements_of(event->find("added"))) {
        auto path = path_of_uri(text_of(one.find("uri")));
        if (!path.starts_with('/')) continue;
        files_.add_folder(path);
        folders_.push_back(std::move(path));
    }
}

void server::check(std::string const& directory, bool reload)
{
    if (!directory.starts_with('/')) return;
    auto const at = clock::now() + pause_of_typing;
    for (auto const& root : files_.roots(directory)) {
        auto const [one, added] = due_.try_emplace(root, due_check{at, reload});
        if (!added) one->second = {at, reload || one->second.reload};
        // A running check is outdated.
        roots_[root].number = ++number_;
    }
}

auto server::run_due(clock::time_point now) -> std::optional<clock::time_point>
{
    std::optional<clock::time_point> next;
    for (auto one = due_.begin(); one != due_.end();) {
        if (one->second.at > now) {
            next = next ? std::min(*next, one->second.at) : one->second.at;
            ++one;
            continue;
        }
        analysis_request request;
        request.root = one->first;
        request.texts = files_.open_texts();
        request.encoding = client_.encoding;
        request.reload = one->second.reload;
        request.number = roots_[one->first].number;
        analyser_.post(std::move(request));
        one = due_.erase(one);
    }
    return next;
}

void server::take_results()
{
    for (auto& one : analyser_.take()) {
        if (one.known) known_.update(one.root, one.known);
        auto& root = roots_[one.root];
        if (one.number != root.number || phase_ != phase::initialized) continue;
        std::set<std::string> paths;
        for (auto const& [path, problems] : root.problems) paths.insert(path);
        root.problems.clear();
        for (auto const& found : one.problems) {
            root.problems[found.path].push_back(problem_json(found));
            paths.insert(found.path);
        }
        // Diagnostics are also published for an open document without problems: they are for its current version.
        for (auto const& [directory, files] : files_.modules())
            for (auto const& [path, file] : files)
                if (file.is_open() && files_.roots(directory).contains(one.root)) paths.insert(path);
        publish(paths);
    }
}

auto server::other_problems(document const& in) -> std::vector<std::string>
{
    std::vector<std::string> all;
    if (auto const found = test_problems_.find(in.path()); found != test_problems_.end()) all = found->second;
    for (auto const& one : unused_declarations(files_, in)) {
        auto const problem = messages::with_text(language::warning(messages::unused_declaration, {one.what, one.name}));
        json_object made;
        // A hint: it is no reason to refuse the configuration.
        made.raw("range", range_json(in.lines().range_of(one.name_range, client_.encoding))).raw("severity", "4");
        made.text("code", problem.code).text("source", "iacctl");
        made.text("message", problem.summary + '\n' + problem.detail);
        if (client_.tags_diagnostics) made.raw("tags", "[1]");
        all.push_back(made.done());
    }
    return all;
}

auto server::problem_json(problem const& p) const -> std::string
{
    json_object made;
    made.raw("range", range_json(p.at)).raw("severity", p.level == language::severity::error ? "1" : "2");
    made.text_if("code", p.code).text("source", "iacctl").text("message", p.text);
    if (client_.related_information && !p.related.empty()) {
        json_array all;
        for (auto const& one : p.related) {
            json_object place;
            place.text("uri", uri_of_path(one.path)).raw("range", range_json(one.at));
            all.raw(json_object().raw("location", place.done()).text("message", one.text).done());
        }
        made.raw("relatedInformation", all.done());
    }
    return made.done();
}

void server::publish(std::set<std::string> const& paths)
{
    for (auto const& path : paths) {
        // Several roots may call a module and have the same diagnostics.
        std::vector<std::string> all;
        for (auto const& [root, one] : roots_) {
            auto const found = one.problems.find(path);
            if (found == one.problems.end()) continue;
            for (auto const& text : found->second)
                if (std::ranges::find(all, text) == all.end()) all.push_back(text);
        }
        auto const* const file = std::as_const(files_).find(path);
        bool const open = file != nullptr && file->is_open();
        if (open) std::ranges::copy(other_problems(*file), std::back_inserter(all));
        if (all.empty() && !open && !published_.contains(path)) continue;
        if (all.empty()) published_.erase(path);
        else published_.insert(path);
        json_array list;
        for (auto const& one : all) list.raw(one);
        json_object params;
        params.text("uri", file == nullptr ? uri_of_path(path) : file->uri());
        if (open) params.raw("version", std::to_string(file->version()));
        send_(notification_message("textDocument/publishDiagnostics", params.raw("diagnostics", list.done()).done()));
    }
}

}  // namespace iacctl::lsp
