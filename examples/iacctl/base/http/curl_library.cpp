// SPDX-License-Identifier: BSL-1.0
#include "curl_library.hpp"

#include "base/shared_library.hpp"

namespace iacctl::http {

namespace {

constexpr unsigned oldest_version = 0x075700;  // 7.87: CURLOPT_QUICK_EXIT

}  // namespace

auto curl_library::instance() -> curl_library const&
{
    static curl_library const one("libcurl.so.4");
    return one;
}

curl_library::curl_library(char const* file)
{
    shared_library library(file, "HTTP requests", "libcurl4");
    auto const find = [&](auto& function, char const* name) { library.find(function, name); };
    decltype(&::curl_global_init) global_init = nullptr;
    decltype(&::curl_version_info) version_info = nullptr;
    find(global_init, "curl_global_init");
    find(version_info, "curl_version_info");
    find(easy_init, "curl_easy_init");
    find(easy_cleanup, "curl_easy_cleanup");
    find(easy_setopt, "curl_easy_setopt");
    find(easy_getinfo, "curl_easy_getinfo");
    find(easy_strerror, "curl_easy_strerror");
    find(multi_init, "curl_multi_init");
    find(multi_cleanup, "curl_multi_cleanup");
    find(multi_setopt, "curl_multi_setopt");
    find(multi_add_handle, "curl_multi_add_handle");
    find(multi_remove_handle, "curl_multi_remove_handle");
    find(multi_socket_action, "curl_multi_socket_action");
    find(multi_info_read, "curl_multi_info_read");
    find(multi_strerror, "curl_multi_strerror");
    find(slist_append, "curl_slist_append");
    find(slist_free_all, "curl_slist_free_all");
    error_ = library.error();
    if (!error_.empty()) return;
    auto const* const version = version_info(CURLVERSION_NOW);
    if (version->version_num < oldest_version)
        error_ = std::string("HTTP requests need libcurl 7.87 or newer, but ") + file + " is " + version->version;
    has_authorities_file_ = version->cainfo != nullptr;
    if (error_.empty() && global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) error_ = "libcurl cannot be initialised";
}

}  // namespace iacctl::http
