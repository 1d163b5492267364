// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LSP_DOCUMENTS_HPP
#define IACCTL_LSP_DOCUMENTS_HPP

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
    json,  ///< either kind in JSON syntax
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
    [[nodiscard]] auto text() const noexcept -> std::string_view { return *text_; }
    [[nodiscard]] auto shared_text() const noexcept -> std::shared_ptr<std::string const> const& { return text_; }
    [[nodiscard]] auto lines() const -> text_lines const&;
    [[nodiscard]] auto tree() const -> language::syntax_tree const& { return *parsed().tree; }
    [[nodiscard]] auto symbols() const -> file_symbols const& { return parsed().symbols; }

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
    std::string directory;
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
    /// The texts of open documents, by path.
    [[nodiscard]] auto open_texts() const -> std::map<std::string, std::shared_ptr<std::string const>>;

    /// Calls `use(document const&, declaration const&)` for the declarations of a module.
    void for_each_declaration(
        std::string const& directory, std::function<void(document const&, declaration const&)> const& use);
    /// The declaration of a symbol, or null.
    struct declared_symbol {
        document const* in = nullptr;
        declaration const* of = nullptr;
        [[nodiscard]] explicit operator bool() const noexcept { return of != nullptr; }
    };
    [[nodiscard]] auto find(symbol const& s) -> declared_symbol;

    /// The directory of the module that a module block calls; empty: it is not installed.
    [[nodiscard]] auto called(std::string const& directory, std::string const& key) -> std::string;
    /// Module blocks of known modules that call the one in a directory.
    struct calling_module {
        std::string directory;
        std::string key;
    };
    [[nodiscard]] auto callers(std::string const& directory) -> std::vector<calling_module>;
    /// The directories of modules that call a module, directly or not, and are not called by known modules; the module
    /// itself if there are none.
    [[nodiscard]] auto roots(std::string const& directory) -> std::set<std::string>;

    /// The object to which a name refers, in whichever module it is declared.
    [[nodiscard]] auto target(document const& in, symbol_use const& use) -> std::optional<symbol>;
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

private:
    std::map<std::string, module_files> modules_;
    std::map<std::string, language::module_manifest> manifests_;  // by directory of the root module
};

}  // namespace iacctl::lsp

#endif  // IACCTL_LSP_DOCUMENTS_HPP
