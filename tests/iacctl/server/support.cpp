// SPDX-License-Identifier: BSL-1.0
#include "support.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <array>
#include <stdexcept>
#include <utility>

namespace iacctl::server::test {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

auto endpoint_of(std::string const& url) -> tcp::endpoint
{
    auto const colon = url.rfind(':');
    return {asio::ip::make_address("127.0.0.1"), static_cast<asio::ip::port_type>(std::stoi(url.substr(colon + 1)))};
}

template <auto Free>
struct freed_by {
    template <class T>
    void operator()(T* item) const
    {
        static_cast<void>(Free(item));
    }
};
using certificate_ptr = std::unique_ptr<X509, freed_by<X509_free>>;
using key_ptr = std::unique_ptr<EVP_PKEY, freed_by<EVP_PKEY_free>>;
using bio_ptr = std::unique_ptr<BIO, freed_by<BIO_free_all>>;

auto text_of(bio_ptr const& from) -> std::string
{
    char* data = nullptr;
    auto const size = BIO_get_mem_data(from.get(), &data);
    return {data, static_cast<std::size_t>(size)};
}

void extend(X509* certificate, X509* issuer, int number, char const* value)
{
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
    auto* const extension = X509V3_EXT_conf_nid(nullptr, &context, number, value);
    X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
}

auto make(std::string const& name, identity const* by) -> identity
{
    static long serial = 0;
    key_ptr const key(EVP_EC_gen("P-256"));
    certificate_ptr const made(X509_new());
    certificate_ptr issuer;
    key_ptr issuer_key;
    if (by != nullptr) {
        bio_ptr const certificate(BIO_new_mem_buf(by->certificate.data(), static_cast<int>(by->certificate.size())));
        issuer.reset(PEM_read_bio_X509(certificate.get(), nullptr, nullptr, nullptr));
        bio_ptr const private_key(BIO_new_mem_buf(by->key.data(), static_cast<int>(by->key.size())));
        issuer_key.reset(PEM_read_bio_PrivateKey(private_key.get(), nullptr, nullptr, nullptr));
    }
    X509_set_version(made.get(), 2);
    ASN1_INTEGER_set(X509_get_serialNumber(made.get()), ++serial);
    X509_gmtime_adj(X509_getm_notBefore(made.get()), -3600);
    X509_gmtime_adj(X509_getm_notAfter(made.get()), 3600);
    X509_set_pubkey(made.get(), key.get());
    X509_NAME_add_entry_by_txt(X509_get_subject_name(made.get()), "CN", MBSTRING_UTF8,
        reinterpret_cast<unsigned char const*>(name.c_str()), -1, -1, 0);
    X509_set_issuer_name(made.get(), X509_get_subject_name(issuer ? issuer.get() : made.get()));
    if (by == nullptr) extend(made.get(), made.get(), NID_basic_constraints, "critical,CA:TRUE");
    else extend(made.get(), issuer.get(), NID_subject_alt_name, "IP:127.0.0.1");
    X509_sign(made.get(), issuer_key ? issuer_key.get() : key.get(), EVP_sha256());
    bio_ptr const certificate(BIO_new(BIO_s_mem()));
    PEM_write_bio_X509(certificate.get(), made.get());
    bio_ptr const private_key(BIO_new(BIO_s_mem()));
    PEM_write_bio_PrivateKey(private_key.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
    return {text_of(certificate), text_of(private_key)};
}

}  // namespace

running_server::running_server(server_options options)
    : server_(opened(std::move(options))),
      thread_([this] { server_.run(); })
{}

auto running_server::opened(server_options options) -> http_server
{
    if (options.listen.empty()) options.listen = "127.0.0.1:0";
    options.log = [this](std::string const& line) {
        std::lock_guard const guard(mutex_);
        log_.push_back(line);
    };
    auto made = http_server::open(std::move(options));
    if (!made) throw std::runtime_error(state::test::error_text(made));
    return std::move(*made);
}

running_server::~running_server()
{
    stop();
}

void running_server::stop()
{
    if (!thread_.joinable()) return;
    server_.stop();
    thread_.join();
}

auto running_server::log() const -> std::vector<std::string>
{
    std::lock_guard const guard(mutex_);
    return log_;
}

struct lossy_relay::pair {
    explicit pair(tcp::socket s) : client(std::move(s)), server(client.get_executor()) {}

    tcp::socket client;
    tcp::socket server;
};

lossy_relay::lossy_relay(std::string const& url)
    : server_(endpoint_of(url)),
      acceptor_(context_, tcp::endpoint(asio::ip::make_address("127.0.0.1"), 0))
{
    asio::co_spawn(context_, accept(), asio::detached);
    thread_ = std::thread([this] { context_.run(); });
}

lossy_relay::~lossy_relay()
{
    context_.stop();
    thread_.join();
}

auto lossy_relay::url() const -> std::string
{
    return "http://127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port());
}

auto lossy_relay::accept() -> asio::awaitable<void>
{
    for (;;) {
        auto accepting = acceptor_.async_accept(asio::use_awaitable);
        auto of = std::make_shared<pair>(co_await std::move(accepting));
        boost::system::error_code failed;
        of->server.connect(server_, failed);
        if (failed) continue;
        asio::co_spawn(context_, forward(of, false), asio::detached);
        asio::co_spawn(context_, forward(of, true), asio::detached);
    }
}

auto lossy_relay::forward(std::shared_ptr<pair> entry, bool is_reply) -> asio::awaitable<void>
{
    auto const token = asio::as_tuple(asio::use_awaitable);
    tcp::socket& from = is_reply ? entry->server : entry->client;
    tcp::socket& to = is_reply ? entry->client : entry->server;
    std::array<char, 4096> piece{};
    for (;;) {
        auto reading = from.async_read_some(asio::buffer(piece), token);
        auto const [error, size] = co_await std::move(reading);
        bool const loses = is_reply && !error && to_lose_.exchange(0) == 1;
        if (loses) ++lost_;
        if (error || loses) break;
        auto writing = asio::async_write(to, asio::buffer(piece, size), token);
        auto const [failed, written] = co_await std::move(writing);
        if (failed) break;
    }
    entry->client.close();
    entry->server.close();
}

auto make_authority(std::string const& name) -> identity
{
    return make(name, nullptr);
}

auto make_identity(std::string const& name, identity const& by) -> identity
{
    return make(name, &by);
}

held_connection::held_connection(std::string const& url, std::string const& bytes)
    : context_(std::make_unique<asio::io_context>()),
      socket_(*context_)
{
    socket_.connect(endpoint_of(url));
    boost::system::error_code ignored;
    asio::write(socket_, asio::buffer(bytes), ignored);
}

auto exchange(std::string const& url, std::string const& bytes) -> std::string
{
    asio::io_context context;
    tcp::socket socket(context);
    socket.connect(endpoint_of(url));
    boost::system::error_code ignored;
    asio::write(socket, asio::buffer(bytes), ignored);
    std::string got;
    asio::read(socket, asio::dynamic_buffer(got), ignored);
    return got;
}

}  // namespace iacctl::server::test
