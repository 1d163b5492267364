// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PROVIDERS_BUILT_IN_PET_WORDS_HPP
#define IACCTL_PROVIDERS_BUILT_IN_PET_WORDS_HPP

#include <array>
#include <string_view>

namespace iacctl::providers {

/// The words in names of pets.
inline constexpr std::array pet_adverbs = std::to_array<std::string_view>(
    {"barely", "bravely", "brightly", "calmly", "clearly", "deeply", "eagerly", "fairly", "firmly", "gently", "gladly",
        "greatly", "hardly", "highly", "kindly", "lightly", "loudly", "mainly", "merrily", "mildly", "neatly", "nicely",
        "openly", "oddly", "plainly", "proudly", "quickly", "quietly", "rarely", "really", "safely", "simply", "slowly",
        "smoothly", "softly", "surely", "swiftly", "truly", "warmly", "wholly"});

inline constexpr std::array pet_adjectives =
    std::to_array<std::string_view>({"able", "agile", "amber", "ample", "azure", "bold", "brave", "brisk", "bright",
        "calm", "candid", "clever", "cosy", "crisp", "curious", "daring", "dapper", "eager", "early", "elegant", "fair",
        "fancy", "fine", "fleet", "fluffy", "fond", "frank", "fresh", "gentle", "giant", "glad", "golden", "grand",
        "happy", "hardy", "honest", "humble", "jolly", "keen", "kind", "lively", "loyal", "lucky", "mellow", "merry",
        "mighty", "modest", "neat", "nimble", "noble", "patient", "plucky", "polite", "proud", "quick", "quiet",
        "rapid", "ready", "rosy", "royal", "sharp", "shiny", "silent", "silver", "sleek", "smart", "snug", "spry",
        "steady", "sunny", "swift", "tender", "tidy", "trusty", "upbeat", "vivid", "warm", "wise", "witty", "zesty"});

inline constexpr std::array pet_names = std::to_array<std::string_view>(
    {"adder", "alpaca", "ant", "badger", "bat", "bear", "beaver", "bee", "beetle", "bison", "bobcat", "buck", "camel",
        "carp", "cat", "cicada", "cobra", "cod", "condor", "coyote", "crab", "crane", "cricket", "crow", "cub", "deer",
        "dingo", "dog", "dolphin", "donkey", "dove", "duck", "eagle", "eel", "egret", "elk", "emu", "ermine", "falcon",
        "fawn", "ferret", "finch", "fox", "frog", "gecko", "gibbon", "goat", "goose", "grouse", "gull", "hare", "hawk",
        "hedgehog", "heron", "hippo", "hornet", "horse", "husky", "ibex", "ibis", "iguana", "jackal", "jay", "kestrel",
        "kite", "kiwi", "koala", "lamb", "lark", "lemur", "leopard", "lion", "lizard", "llama", "lobster", "lynx",
        "magpie", "marmot", "marten", "mink", "mole", "moose", "moth", "mouse", "mule", "newt", "ocelot", "octopus",
        "orca", "oriole", "osprey", "otter", "owl", "ox", "oyster", "panda", "parrot", "penguin", "perch", "pheasant",
        "pig", "pike", "plover", "pony", "puffin", "puma", "quail", "rabbit", "raccoon", "ram", "raven", "robin",
        "rook", "salmon", "seal", "shark", "sheep", "shrew", "skunk", "sloth", "snail", "sparrow", "spider", "squid",
        "stag", "starling", "stoat", "stork", "swan", "tapir", "tern", "thrush", "tiger", "toad", "trout", "tuna",
        "turtle", "viper", "vole", "walrus", "wasp", "weasel", "whale", "wolf", "wombat", "wren", "yak", "zebra"});

}  // namespace iacctl::providers

#endif  // IACCTL_PROVIDERS_BUILT_IN_PET_WORDS_HPP
