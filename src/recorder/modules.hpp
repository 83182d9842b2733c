#pragma once
// The program and its libraries: which of them an address is in, and where its tables for unwinding are.

#include <atomic>
#include <cstdint>

#include <link.h>
#include <sched.h>

namespace recorder {

struct module {
    std::uint64_t low, high;  // its memory
    std::uint64_t base;       // what is added to the addresses of its file
    const std::uint8_t* table;
    std::uint32_t number;
};

// Asked only for what no table of rules or sites knows, so one thread at a time may use it. The memory starts as zeros.
class module_list {
public:
    class use {  // of the list, by one thread
    public:
        explicit use(module_list& list) : list_(list) {
            // acquire: pairs with the release of the thread that used it before
            while (list_.used_.exchange(true, std::memory_order_acquire)) sched_yield();
        }
        ~use() { list_.used_.store(false, std::memory_order_release); }
        use(const use&) = delete;
        use& operator=(const use&) = delete;

        // Returns the module of an address, or null. `tell` is called with each that is new, and its name.
        template <class Tell>
        const module* of(std::uint64_t address, Tell tell) {
            const module* found = list_.known(address);
            if (found != nullptr) return found;
            list_.refresh(tell);
            return list_.known(address);
        }

        void forget() { list_.count_ = 0; }

    private:
        module_list& list_;
    };

private:
    static constexpr std::uint32_t most = 2048;

    const module* known(std::uint64_t address) const {
        for (std::uint32_t i = 0; i < count_; ++i)
            if (modules_[i].low <= address && address < modules_[i].high) return &modules_[i];
        return nullptr;
    }

    template <class Tell>
    void refresh(Tell& tell) {
        struct both {
            module_list& list;
            Tell& tell;
        } context{*this, tell};
        dl_iterate_phdr(
            [](dl_phdr_info* info, std::size_t, void* data) {
                both& given = *static_cast<both*>(data);
                given.list.add(*info, given.tell);
                return 0;
            },
            &context);
    }

    template <class Tell>
    void add(const dl_phdr_info& info, Tell& tell) {
        module found{~std::uint64_t{0}, 0, info.dlpi_addr, nullptr, next_};
        for (int i = 0; i < info.dlpi_phnum; ++i) {
            const auto& each = info.dlpi_phdr[i];
            const std::uint64_t start = info.dlpi_addr + each.p_vaddr;
            if (each.p_type == PT_LOAD && start < found.low) found.low = start;
            if (each.p_type == PT_LOAD && start + each.p_memsz > found.high) found.high = start + each.p_memsz;
            if (each.p_type == PT_GNU_EH_FRAME) found.table = reinterpret_cast<const std::uint8_t*>(start);
        }
        if (found.high == 0 || count_ == most || known(found.low) != nullptr) return;
        modules_[count_++] = found;
        ++next_;
        tell(found, info.dlpi_name);
    }

    std::atomic<bool> used_;
    std::uint32_t count_;
    std::uint32_t next_;  // numbers are not used again
    module modules_[most];
};

}
