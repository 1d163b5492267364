// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LSP_DOCUMENTS_HPP
#define IACCTL_LSP_DOCUMENTS_HPP

#include "language/configuration/dialect.hpp"
#include "language/configuration/module_finder.hpp"
#include "language/syntax/syntax_tree.hpp"
#include "positions.hpp"
#include "symbols.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace iacctl::lsp {

/// The path of a file URI. Another URI is returned unchanged, and is not the path of any file.
[[nodiscard]] auto path_of_uri(std::string_view uri) -> std::string;
[[nodiscard]] auto uri_of_path(std::string_view path) -> std::string;
/// The path of the directory of a file.
[[nodiscard]] auto directory_of(std::string_view path) -> std::string;

enum class document_kind : std::uint8_t {
    configuration,
    values,  ///< of variables: *.tfvars
    tests,
    queries,
    mocks,  ///< of tests: *.tfmock.hcl
    json,  ///< any of these kinds in JSON syntax
    other,
};

/// The text of a file: from the editor if the file is open there, otherwise from the file system. It is parsed on first
/// use.
class document {
public:
    document(std::string path, std::string text);

    [[nodiscard]] auto path() const noexcept -> std::string const& { return path_; }
    [[nodiscard]] auto uri() const -> std::string { return uri_.empty() ? uri_of_path(path_) : uri_; }
    [[nodiscard]] auto kind() const noexcept -> document_kind { return kind_; }
    [[nodiscard]] auto is_native() const noexcept -> bool
    {
        return kind_ != document_kind::json && kind_ != document_kind::other;
    }
    /// Returns whether it declares objects of its module: a file of configuration or with queries.
    [[nodiscard]] auto declares() const noexcept -> bool
    {
        return kind_ == document_kind::configuration || kind_ == document_kind::queries;
    }
    [[nodiscard]] auto text() const noexcept -> std::string_view { return *text_; }
    [[nodiscard]] auto shared_text() const noexcept -> std::shared_ptr<std::string const> const& { return text_; }
    [[nodiscard]] auto lines() const -> text_lines const&;
    [[nodiscard]] auto tree() const -> language::syntax_tree const& { return *parsed().tree; }
    [[nodiscard]] auto shared_tree() const -> std::shared_ptr<language::syntax_tree> const& { return parsed().tree; }
    [[nodiscard]] auto symbols() const -> file_symbols const& { return parsed().symbols; }
    /// False: declarations and references may be missing because of syntax errors.
    [[nodiscard]] auto is_complete() const -> bool { return parsed().complete; }

    [[nodiscard]] auto is_open() const noexcept -> bool { return open_; }
    [[nodiscard]] auto version() const noexcept -> std::int64_t { return version_; }

    void open(std::string uri, std::string_view language, std::int64_t version);
    void close() { open_ = false; }
    void set_version(std::int64_t version) noexcept { version_ = version; }
    void set_text(std::string text);

private:
    struct content {
        std::shared_ptr<language::syntax_tree> tree;
        file_symbols symbols;
        bool complete = true;
    };
    [[nodiscard]] auto parsed() const -> content const&;

    std::string path_;
    std::string uri_;  // as written by the editor
    document_kind kind_;
    std::shared_ptr<std::string const> text_;
    std::int64_t version_ = 0;
    bool open_ = false;
    mutable std::optional<text_lines> lines_;
    mutable std::optional<content> parsed_;
};

/// A place in a document.
struct location {
    document const* in = nullptr;
    language::byte_range range;
};

/// An object of a module: the directory and the address.
struct symbol {
    std::string directory;  ///< of a run of a test: the path of its file, because each file has names of its own
    std::string key;

    friend auto operator==(symbol const&, symbol const&) -> bool = default;
};

/// All documents of the workspace folders and of the directories of open files, by module.
class documents {
public:
    using module_files = std::map<std::string, document>;  ///< by path

    /// Adds the modules below a directory. Hidden directories are ignored.
    void add_folder(std::string const& directory);
    void remove_folder(std::string const& directory);
    /// Reads the files of a directory again, except open ones.
    void refresh(std::string const& directory);

    auto open(std::string const& uri, std::string_view language, std::int64_t version, std::string text) -> document&;
    /// Reads the file again from the file system. \return its directory
    void close(std::string const& path);
    [[nodiscard]] auto find(std::string const& path) -> document*;
    [[nodiscard]] auto find(std::string const& path) const -> document const*;

    /// The files of a module. They are read if the directory is not known yet.
    [[nodiscard]] auto module(std::string const& directory) -> module_files const&;
    [[nodiscard]] auto modules() const noexcept -> std::map<std::string, module_files> const& { return modules_; }
    /// The module to which the files of a directory belong: that of the directory above for a directory "tests" that
    /// has no configuration itself.
    [[nodiscard]] auto module_of(std::string const& directory) -> std::string;
    [[nodiscard]] auto module_of(document const& in) -> std::string { return module_of(directory_of(in.path())); }
    /// The program whose rules a module follows.
    [[nodiscard]] auto dialect(std::string const& directory) -> language::dialect_choice;
    /// Calls `use` for the files of a module and of its directory of tests; with the path of a test, only for that
    /// file.
    void for_each_file(std::string const& scope, std::function<void(document const&)> const& use);
    /// The texts of open documents, by path.
    [[nodiscard]] auto open_texts() const -> std::map<std::string, std::shared_ptr<std::string const>>;

    /// Calls `use(document const&, declaration const&)` for the declarations of a module, without those of tests.
    void for_each_declaration(
        std::string const& directory, std::function<void(document const&, declaration const&)> const& use);
    /// The declaration of a symbol, or null.
    struct declared_symbol {
        document const* in = nullptr;
        declaration const* of = nullptr;
        [[nodiscard]] explicit operator bool() const noexcept { return of != nullptr; }
    };
    [[nodiscard]] auto find(symbol const& s) -> declared_symbol;

    /// The directory of the module that a module block calls, or a chain of them: "module.a.module.b"; empty: it is not
    /// installed.
    [[nodiscard]] auto called(std::string const& directory, std::string const& key) -> std::string;
    /// Module blocks of known modules that call the one in a directory.
    struct calling_module {
        std::string directory;
        std::string key;
    };
    [[nodiscard]] auto callers(std::string const& directory) -> std::vector<calling_module>;
    /// The directory of the module that a run of a test executes. \param name  without "run."
    [[nodiscard]] auto run_module(document const& test, std::string_view name) -> std::string;
    /// The directories of the modules that call a module, directly or not.
    struct calling_modules {
        std::set<std::string> all;
        std::set<std::string> roots;  ///< those that known modules do not call; the module itself if there are none
    };
    [[nodiscard]] auto modules_above(std::string const& directory) -> calling_modules;
    [[nodiscard]] auto roots(std::string const& directory) -> std::set<std::string>
    {
        return modules_above(directory).roots;
    }

    /// The object to which a name refers, in whichever module it is declared.
    [[nodiscard]] auto target(document const& in, symbol_use const& use) -> std::optional<symbol>;
    /// The object that a declaration declares.
    [[nodiscard]] auto declared(document const& in, declaration const& d) -> symbol;
    /// The object whose name is at a place, with the range of that name.
    struct found_symbol {
        symbol of;
        language::byte_range name;
        symbol_use const* use = nullptr;  ///< null: a declaration
    };
    [[nodiscard]] auto at(document const& in, std::uint32_t offset) -> std::optional<found_symbol>;
    /// All occurrences of the name of an object in all known modules.
    struct named_place {
        location at;
        bool declares = false;
        bool writes = false;  ///< declares it or gives it a value
    };
    [[nodiscard]] auto places_of(symbol const& s) -> std::vector<named_place>;

    /// The uses of the objects of a module in all known modules, by key. A run of a test is not counted.
    struct usage {
        std::size_t names = 0;
        std::size_t reads = 0;  ///< without values for variables
    };
    [[nodiscard]] auto usages(std::string const& directory) -> std::unordered_map<std::string, usage>;

private:
    // The files in which objects of a module may be named, by path.
    [[nodiscard]] auto naming_files(std::string const& directory) -> std::map<std::string_view, document const*>;
    // The directory of the module in a source, as a block in a file of `directory` has it; empty: it is not a path.
    [[nodiscard]] static auto local_module(std::string const& directory, std::string_view source) -> std::string;
    [[nodiscard]] auto called_by(std::string const& directory, std::string_view name, std::string_view source)
        -> std::string;

    std::map<std::string, module_files> modules_;
    std::map<std::string, language::module_manifest> manifests_;  // by directory of the root module
};

}  // namespace iacctl::lsp

#endif  // IACCTL_LSP_DOCUMENTS_HPP
