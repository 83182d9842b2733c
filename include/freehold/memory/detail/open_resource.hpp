#pragma once
// A resource that may be derived from, as the standard's may.

#include <cstddef>
#include <memory_resource>

namespace freehold::detail {

// Memory: what the memory comes from, with the functions of a resource.
template <class Memory>
class open_resource : public std::pmr::memory_resource {
public:
    open_resource(const open_resource&) = delete;
    open_resource& operator=(const open_resource&) = delete;
    ~open_resource() override = default;

    void release() noexcept { memory_.release(); }

    [[nodiscard]] std::pmr::memory_resource* upstream_resource() const noexcept { return memory_.upstream_resource(); }

protected:
    template <class... Arguments>
    explicit open_resource(Arguments... arguments) : memory_(arguments...) {}

    [[nodiscard]] const Memory& memory() const noexcept { return memory_; }

    void* do_allocate(std::size_t bytes, std::size_t alignment) override { return memory_.allocate(bytes, alignment); }

    void do_deallocate(void* block, std::size_t bytes, std::size_t alignment) override {
        memory_.deallocate(block, bytes, alignment);
    }

    [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
        return this == &other;
    }

private:
    Memory memory_;
};

}  // namespace freehold::detail
