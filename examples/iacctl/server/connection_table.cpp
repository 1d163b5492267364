// SPDX-License-Identifier: BSL-1.0
#include "connection_table.hpp"

#include <boost/asio/ip/address.hpp>

#include <algorithm>
#include <map>
#include <utility>

namespace iacctl::server {

namespace {

void close(connection& db) noexcept
{
    db.is_closing = true;
    if (db.stream != nullptr) db.stream->close();
}

}  // namespace

auto network_of(std::string const& peer) -> std::string
{
    boost::system::error_code error;
    auto const address = boost::asio::ip::make_address(peer, error);
    if (error || !address.is_v6() || address.to_v6().is_v4_mapped()) return peer;
    auto bytes = address.to_v6().to_bytes();
    std::fill(bytes.begin() + 8, bytes.end(), static_cast<unsigned char>(0));
    return boost::asio::ip::address_v6(bytes).to_string();
}

auto connection_table::add(std::string peer) -> position
{
    auto const open = std::count_if(all_.begin(), all_.end(), [](connection const& db) { return !db.is_closing; });
    if (static_cast<std::size_t>(open) >= most_) close_one();
    connection made;
    made.peer = std::move(peer);
    return all_.insert(all_.end(), std::move(made));
}

void connection_table::close_idle() noexcept
{
    for (connection& one : all_)
        if (one.is_idle) close(one);
}

void connection_table::close_one()
{
    bool const all_admitted = std::none_of(
        all_.begin(), all_.end(), [](connection const& given) { return !given.is_closing && !given.is_admitted; });
    auto const is_candidate = [&](connection const& c) { return !c.is_closing && c.is_admitted == all_admitted; };
    std::map<std::string, std::size_t> sizes;
    for (connection const& one : all_)
        if (is_candidate(one)) ++sizes[network_of(one.peer)];
    auto const largest =
        std::max_element(sizes.begin(), sizes.end(), [](auto const& a, auto const& b) { return a.second < b.second; });
    auto const found = std::find_if(all_.begin(), all_.end(),
        [&](connection const& db) { return is_candidate(db) && network_of(db.peer) == largest->first; });
    close(*found);
}

}  // namespace iacctl::server
