// SPDX-License-Identifier: BSL-1.0
#include "relay.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <stdexcept>

extern char** environ;

namespace providers_test {

namespace {

// Arguments: the port of the server, the file of a certificate ("": a proxy), the file of the authority of client
// certificates.
constexpr auto program = R"py(
import os, socket, ssl, sys, threading
port, certificate, authority = sys.argv[1:]
if certificate:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    if authority:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(authority)

def say(text):
    print(text, flush=True)

def pump(source, sink):
    try:
        while data := source.recv(65536):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        pass

def serve(client):
    try:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if certificate:
            client = context.wrap_socket(client, server_side=True)
            say("resumed" if client.session_reused else "handshake")
        else:
            head = client.recv(1)
            if head == b"\5":
                client.recv(client.recv(1)[0])
                client.sendall(b"\5\0")
                size = client.recv(5)[4]
                name = client.recv(size).decode()
                say(f"SOCKS {name}:{int.from_bytes(client.recv(2), 'big')}")
                client.sendall(b"\5\0\0\1\0\0\0\0\0\0")
            while head != b"\5" and b"\r\n\r\n" not in head:
                head += client.recv(1)
            if head != b"\5":
                lines = head.decode().split("\r\n")
                fields = dict(line.split(": ", 1) for line in lines[1:] if line)
                say(lines[0].rsplit(" ", 1)[0] + f" ({fields.get('Proxy-Authorization', '')})"
                    + "".join(f" {name}" for name in fields if name.startswith(("Auth", "X-"))))
                client.sendall(b"HTTP/1.1 200 fine\r\nX-Proxy: yes\r\n\r\n")
        server = socket.create_connection(("127.0.0.1", int(port)))
        server.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=pump, args=(client, server), daemon=True).start()
        pump(server, client)
    except OSError:
        client.close()

listener = socket.create_server(("127.0.0.1", 0))
say(listener.getsockname()[1])

def accept():
    while True:
        threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()

threading.Thread(target=accept, daemon=True).start()
sys.stdin.read()
os._exit(0)
)py";

}  // namespace

auto relay::tls(std::string const& url, std::string const& certificate, std::string const& clients_of) -> relay
{
    return {url, certificate, clients_of};
}

auto relay::proxy(std::string const& url) -> relay
{
    return {url, "", ""};
}

relay::relay(std::string const& url, std::string const& certificate, std::string const& clients_of)
{
    auto const file_of = [this](std::string const& name, std::string const& content) {
        if (content.empty()) return std::string();
        std::ofstream(scratch_.path(name)) << content;
        return scratch_.path(name);
    };
    std::array<std::string, 6> words{"python3", "-c", program, url.substr(url.rfind(':') + 1),
        file_of("certificate", certificate), file_of("authority", clients_of)};
    std::array<char*, 7> arguments{};
    for (std::size_t i = 0; i < words.size(); ++i) arguments[i] = words[i].data();
    std::array<int, 2> in{};
    std::array<int, 2> out{};
    if (::pipe2(in.data(), O_CLOEXEC) != 0 || ::pipe2(out.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    int const failed = ::posix_spawnp(&child_, "python3", &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    ::close(in[0]);
    ::close(out[1]);
    input_ = in[1];
    output_ = ::fdopen(out[0], "r");
    if (failed != 0) throw std::runtime_error("python3 does not start");
    port_ = line();
}

relay::~relay()
{
    (void)log();
    std::fclose(output_);
    ::waitpid(child_, nullptr, 0);
}

auto relay::line() -> std::string
{
    std::array<char, 1024> text{};
    if (std::fgets(text.data(), text.size(), output_) == nullptr) return {};
    std::string made = text.data();
    made.pop_back();
    return made;
}

auto relay::log() -> std::vector<std::string>
{
    if (input_ >= 0) ::close(input_);
    input_ = -1;
    std::vector<std::string> all;
    for (std::string one = line(); !one.empty(); one = line()) all.push_back(one);
    return all;
}

}  // namespace providers_test
