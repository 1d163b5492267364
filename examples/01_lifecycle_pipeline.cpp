// SPDX-License-Identifier: BSL-1.0
// A user-defined lifecycle policy: services restart in an order that follows their dependencies at the last start.
#include <strider/lifecycle.hpp>

#include <iostream>
#include <map>
#include <string>
#include <vector>

struct service {
    std::string name;
    std::string verb;  // start, restart, stop
    bool overlap = false;  // start the new one before the old one stops
};

// The policy of the stages. `used` contains the dependencies of each running service at its start.
struct service_policy {
    std::map<std::string, std::vector<std::string>> used;

    auto creates(service const& s) const -> bool { return s.verb == "start" || s.verb == "restart"; }
    auto remains(service const& s) const -> bool { return s.verb != "stop"; }
    auto destroyers(service const& s) const -> std::vector<service>
    {
        if (s.verb == "start") return {};
        return {service{s.name, "stop old", s.overlap}};
    }
    auto key(service const& s) const -> std::string { return s.name; }
    auto stored_dependencies(service const& s) const -> std::vector<std::string>
    {
        auto const found = used.find(s.name);
        return found == used.end() ? std::vector<std::string>() : found->second;
    }
    auto ordered(service const&, service const&) const -> strider::ordering { return strider::ordering::required; }

    auto can_create_before_destroy(service const&) const -> bool { return true; }
    auto creates_before_destroy(service const& s) const -> bool { return s.overlap; }
    void force_create_before_destroy(service& s, service const&) const { s.overlap = true; }

    auto is_creator(service const& s) const -> bool { return creates(s); }
    auto is_destroyer(service const& s) const -> bool { return s.verb == "stop old"; }
    auto destroys_after_create(service const& s) const -> bool { return s.overlap; }

    auto name(service const& s) const -> std::string { return s.verb + " " + s.name; }
    auto reason(service const&, service const&, strider::edge_origin origin) const -> std::string
    {
        return std::string(to_string(origin.made_by()));
    }
};

void print(char const* title, bool web_overlaps)
{
    strider::digraph<service> draft;
    auto const database = draft.add_vertex({"database", "restart"});
    auto const web = draft.add_vertex({"web", "restart", web_overlaps});
    draft.add_vertex({"legacy", "stop"});
    draft.add_edge(web, depends_on(database), strider::edge_rules::reference);

    service_policy const policy{{{"web", {"database"}}, {"legacy", {"database"}}}};
    auto const stages = strider::forced_cbd{policy} | strider::destroy_split{policy} | strider::cbd_inversion{policy}
        | strider::cycle_validation{policy};
    auto const graph = stages(draft).value();

    std::cout << title << '\n';
    auto const order = strider::topological_order(graph).value();
    for (auto const v : order) std::cout << "  " << policy.name(graph[v]) << '\n';
}

int main()
{
    print("one after the other:", false);
    print("web overlaps, so what it needs overlaps too:", true);
}
