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

    bool creates(service const& s) const { return s.verb == "start" || s.verb == "restart"; }
    bool remains(service const& s) const { return s.verb != "stop"; }
    std::vector<service> destroyers(service const& s) const
    {
        if (s.verb == "start") return {};
        return {service{s.name, "stop old", s.overlap}};
    }
    std::string key(service const& s) const { return s.name; }
    std::vector<std::string> stored_dependencies(service const& s) const
    {
        auto const found = used.find(s.name);
        return found == used.end() ? std::vector<std::string>() : found->second;
    }
    strider::ordering ordered(service const&, service const&) const { return strider::ordering::required; }

    bool can_create_before_destroy(service const&) const { return true; }
    bool creates_before_destroy(service const& s) const { return s.overlap; }
    void force_create_before_destroy(service& s, service const&) const { s.overlap = true; }

    bool is_creator(service const& s) const { return creates(s); }
    bool is_destroyer(service const& s) const { return s.verb == "stop old"; }
    bool destroys_after_create(service const& s) const { return s.overlap; }

    std::string name(service const& s) const { return s.verb + " " + s.name; }
    std::string reason(service const&, service const&, strider::edge_origin origin) const
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
