// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BASE_HTTP_CURL_LIBRARY_HPP
#define IACCTL_BASE_HTTP_CURL_LIBRARY_HPP

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

#include <string>

namespace iacctl::http {

/// Functions of libcurl, under their names without "curl_".
///
/// The library is loaded on first use: together with its dependencies it takes longer to load than this program does.
class curl_library {
public:
    /// Loads a shared library. \param file  as for dlopen
    explicit curl_library(char const* file);
    /// The library that sends requests.
    [[nodiscard]] static auto instance() -> curl_library const&;

    /// The reason why it cannot be used; empty: it can be used.
    [[nodiscard]] auto error() const noexcept -> std::string const& { return error_; }
    /// True if it was built to trust the certificates of authorities in a file.
    [[nodiscard]] auto has_authorities_file() const noexcept -> bool { return has_authorities_file_; }

    decltype(&::curl_easy_init) easy_init = nullptr;
    decltype(&::curl_easy_cleanup) easy_cleanup = nullptr;
    decltype(&::curl_easy_setopt) easy_setopt = nullptr;
    decltype(&::curl_easy_getinfo) easy_getinfo = nullptr;
    decltype(&::curl_easy_strerror) easy_strerror = nullptr;
    decltype(&::curl_multi_init) multi_init = nullptr;
    decltype(&::curl_multi_cleanup) multi_cleanup = nullptr;
    decltype(&::curl_multi_setopt) multi_setopt = nullptr;
    decltype(&::curl_multi_add_handle) multi_add_handle = nullptr;
    decltype(&::curl_multi_remove_handle) multi_remove_handle = nullptr;
    decltype(&::curl_multi_socket_action) multi_socket_action = nullptr;
    decltype(&::curl_multi_info_read) multi_info_read = nullptr;
    decltype(&::curl_multi_strerror) multi_strerror = nullptr;
    decltype(&::curl_slist_append) slist_append = nullptr;
    decltype(&::curl_slist_free_all) slist_free_all = nullptr;

private:
    std::string error_;
    bool has_authorities_file_ = false;
};

}  // namespace iacctl::http

#endif  // IACCTL_BASE_HTTP_CURL_LIBRARY_HPP
