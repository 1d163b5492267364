// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_TESTS_DURABILITY_FILE_RECORDER_HPP
#define IACCTL_TESTS_DURABILITY_FILE_RECORDER_HPP

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace iacctl::durability {

namespace fs = std::filesystem;

/// The number of a file or a directory, which is the same for all of its names.
using file_id = std::uint64_t;

/// A change of a file system, or a request to make changes durable.
struct operation {
    enum class kind_type : std::uint8_t {
        add_file,       ///< a name for a file, which may have other names
        add_directory,
        remove,         ///< of a name
        rename,
        write,
        truncate,
        synchronize,    ///< of a file or of the names in a directory
        fail_to_synchronize,  ///< the same with an error: nothing, a part or all may be durable
        drop,           ///< of a page after it: it was not written
        mark,           ///< no operation: a number that the program has reported
    };

    kind_type kind = kind_type::mark;
    file_id file = 0;  ///< synchronize: or directory
    file_id directory = 0;
    std::string name;
    file_id other_directory = 0;  ///< rename: of the new name
    std::string other_name;
    std::uint64_t offset = 0;  ///< of a write or a page; size of a truncate; number of a mark
    std::string data;
};

/// The calls that receive an injected error.
enum class failing_calls : std::uint8_t {
    all,
    synchronizations,       ///< fsync and fdatasync
    data_synchronizations,  ///< fdatasync
};

/// The content that a process reads after a failed synchronization of a file. A system treats the changed pages as written, and
/// reads them from the disk when it has removed them from its memory.
enum class pages_after_failure : std::uint8_t {
    kept,  ///< as the process wrote them
    dropped,  ///< as they were at the last synchronization
    mixed,  ///< each page in one of both ways
};

/// The error that calls receive in place of their effect.
struct injected_error {
    std::uint64_t at = 0;  ///< number of the first call that may fail, from 1
    int code = 0;  ///< errno
    bool half = false;  ///< a write stores half of its bytes first
    bool persistent = false;  ///< calls after it fail too, except removals; false: the first one of `calls`
    failing_calls calls = failing_calls::all;
    pages_after_failure pages = pages_after_failure::kept;
    std::uint64_t seed = 0;  ///< of mixed pages
};

/// Records the operations of all threads of this process on files below a directory, in the order of their effects.
///
/// The program defines the functions of the C library that change files, so calls of other libraries, such as SQLite,
/// are recorded too. Mapped memory is not recorded: SQLite maps only its index of the log, which it can build again.
/// \pre there is one recorder at a time
class file_recorder {
public:
    explicit file_recorder(fs::path const& root);
    file_recorder(file_recorder const&) = delete;
    auto operator=(file_recorder const&) -> file_recorder& = delete;
    ~file_recorder();

    void mark(std::uint64_t number);
    void inject(injected_error error) { error_ = error; }
    /// The number of calls that could have failed, including reads.
    [[nodiscard]] auto calls() const noexcept -> std::uint64_t { return calls_; }
    /// Number of calls that failed.
    [[nodiscard]] auto failures() const noexcept -> std::uint64_t { return failures_; }
    [[nodiscard]] auto operations() const noexcept -> std::vector<operation> const& { return operations_; }

private:
    friend class intercepted_call;

    /// The content of pages at the last synchronization of their file, by their offset.
    using page_table = std::map<std::uint64_t, std::string>;

    std::string root_;
    std::mutex mutex_;
    std::vector<operation> operations_;
    std::unordered_map<file_id, file_id> renumbered_;  // inode numbers that were used before
    file_id created_ = 0;
    std::unordered_map<file_id, page_table> changed_pages_;  // only if pages may be dropped
    std::optional<injected_error> error_;
    std::uint64_t calls_ = 0;
    std::uint64_t failures_ = 0;
};

}  // namespace iacctl::durability

#endif  // IACCTL_TESTS_DURABILITY_FILE_RECORDER_HPP
