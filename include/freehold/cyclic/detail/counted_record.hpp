#pragma once
// counted_record<Record, Counting>: what the weak pointers to one object share, owned by them and by the table.

#include <utility>

#include "../../counting/reference_count.hpp"

namespace freehold::detail {

template <class Record, counting_policy Counting>
class counted_record {
    struct counted {
        template <class... Arguments>
        explicit counted(Arguments&&... arguments) : record(std::forward<Arguments>(arguments)...) {}

        reference_count<Counting> owners;
        Record record;
    };

public:
    constexpr counted_record() noexcept = default;

    // Returns: the first owner of a new Record(arguments...). Throws: std::bad_alloc.
    template <class... Arguments>
    [[nodiscard]] static counted_record make(Arguments&&... arguments) {
        return counted_record(new counted(std::forward<Arguments>(arguments)...));
    }

    counted_record(const counted_record& other) noexcept : counted_record(other.shared_) {}
    counted_record(counted_record&& other) noexcept : shared_(std::exchange(other.shared_, nullptr)) {}

    counted_record& operator=(counted_record other) noexcept {
        swap(other);
        return *this;
    }

    ~counted_record() {
        if (shared_ != nullptr) shared_->owners.release([this]() noexcept { delete shared_; });
    }

    void reset() noexcept { *this = counted_record(); }
    void swap(counted_record& other) noexcept { std::swap(shared_, other.shared_); }

    [[nodiscard]] explicit operator bool() const noexcept { return shared_ != nullptr; }

    // Requires: it is not empty.
    [[nodiscard]] Record& operator*() const noexcept { return shared_->record; }
    [[nodiscard]] Record* operator->() const noexcept { return &shared_->record; }

private:
    explicit counted_record(counted* shared) noexcept : shared_(shared) {
        if (shared_ != nullptr) shared_->owners.acquire();
    }

    counted* shared_ = nullptr;
};

}  // namespace freehold::detail
