// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_TESTS_DURABILITY_DISK_MODEL_HPP
#define IACCTL_TESTS_DURABILITY_DISK_MODEL_HPP

#include "file_recorder.hpp"

#include <map>
#include <random>
#include <string>
#include <vector>

namespace iacctl::durability {

/// The part of the unsynchronized changes that a crash loses.
enum class loss {
    nothing,     ///< the process ended, the system did not
    everything,  ///< no change was written yet
    some,        ///< any changes of content, in parts of 512 bytes; of the changes of names the last ones
    any,         ///< any changes of content and of names
};

/// A file system with the changes that are durable and those that are not.
///
/// The model is weaker than every usual file system: a file that was synchronized has its content, but has its name
/// only if the directory was synchronized too; changes that were not synchronized become durable in any order, and a
/// write in any of its parts. After a failed synchronization of a file, nothing, a part or all of its changes are
/// durable, and later synchronizations do not change that, because the system treats the changes as written. A page
/// that the system has dropped was not written. Changes of names are in the journal of a file system, which accepts no
/// change after an error of it; they stay as they were.
class disk_model {
public:
    /// The initial content of the directory is durable.
    explicit disk_model(fs::path const& root);

    void apply(operation const& done);
    /// The process has ended, and the system has not: another process works on its files, which have other numbers there. The
    /// changes that are not durable may still be lost.
    /// \pre the names below the directory are those of the model with all changes
    void continue_in(fs::path const& directory);
    /// Writes the files after a crash to a directory that does not exist.
    void write_image(fs::path const& to, loss lost, std::mt19937_64& random) const;

private:
    enum class certainty_type : std::uint8_t {
        pending,  ///< may be lost until the next synchronization
        uncertain,  ///< may be lost for ever
        durable,  ///< an uncertain change precedes it
    };
    struct change {
        bool truncates = false;
        std::uint64_t offset = 0;
        std::string data;
        certainty_type certainty = certainty_type::pending;
    };
    struct node {
        bool is_directory = false;
        std::string content;
        std::vector<change> changes;
    };
    using name_table = std::map<file_id, std::map<std::string, file_id>>;

    void read(fs::path const& directory, file_id id);
    /// Removes the changes of a part of a file that are not durable.
    static void drop(node& of, std::uint64_t from, std::uint64_t to);
    void synchronize(file_id id);
    void fail_to_synchronize(file_id id);
    void write_directory(
        fs::path const& to, file_id id, name_table const& names, loss lost, std::mt19937_64& random) const;

    file_id root_ = 0;
    std::map<file_id, node> nodes_;
    name_table names_;
    std::vector<operation> renamings_;  // of names, not durable
};

}  // namespace iacctl::durability

#endif  // IACCTL_TESTS_DURABILITY_DISK_MODEL_HPP
