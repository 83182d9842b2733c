#pragma once
// collection_timeline: a file of the collections of a heap, which about:tracing and Perfetto show as a timeline.
//
//     freehold::traced_heap_options options;
//     options.on_collection = freehold::collection_timeline("collections.json");
//     freehold::traced_heap heap(options);
//
// The format is Chrome's trace events. A collection, or a step of one, is a bar as long as its pause; below it are the
// bytes that live. The times are those of std::chrono::steady_clock, as other tracers have them.
//
// Thread safety: none; each heap that another thread uses has its own. Exceptions: only the constructor throws.
// Cost: some microseconds in each collection: the file is complete after each, also if the program is killed.

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <mutex>  // brings the durations and the clock, for a tenth of what <chrono> costs
#include <system_error>
#include <utility>

#include "../core/exceptions.hpp"
#include "../traced/traced_heap_options.hpp"

namespace freehold::inline v0_2 {

class collection_timeline {
public:
    // Effects: begins the file, instead of one that is there. Throws: std::system_error if it can't be written;
    // std::bad_alloc.
    explicit collection_timeline(const char* path) : file_(std::fopen(path, "w")) {
        if (file_ == nullptr) detail::raise<std::system_error>(errno, std::generic_category(), path);
        std::fputs("[", file_.get());
        end_event();
    }

    // Effects: adds a collection: a traced_collection or a cyclic_collection.
    template <class Collection>
    void operator()(const Collection& done) noexcept {
        begin_event();
        if constexpr (requires { done.kind; }) {
            write_bar(name_of(done.kind), done);
            std::fprintf(file_.get(),
                         R"("surviving objects": %zu, "surviving bytes": %zu, "work": %zu}})"
                         ",\n",
                         std::size_t{done.surviving_objects}, std::size_t{done.surviving_bytes},
                         std::size_t{done.work});
            write_head("heap", 'C', done.started + done.pause);
            std::fprintf(file_.get(), R"("args": {"live bytes": %zu, "external bytes": %zu, "unused bytes": %zu}})",
                         std::size_t{done.live_bytes}, std::size_t{done.external_bytes},
                         std::size_t{done.heap_bytes - (done.live_bytes < done.heap_bytes ? done.live_bytes : 0)});
        } else {
            write_bar("cycle collection", done);
            std::fprintf(file_.get(), R"("visited objects": %zu, "destroyed objects": %zu}})",
                         std::size_t{done.visited_objects}, std::size_t{done.destroyed_objects});
        }
        end_event();
    }

private:
    [[nodiscard]] static const char* name_of(traced_pause kind) noexcept {
        switch (kind) {
            case traced_pause::young: return "young collection";
            case traced_pause::full: return "full collection";
            case traced_pause::mark_step: return "step of marking";
            case traced_pause::last_step: return "end of marking";
            case traced_pause::sweep_step: return "step of sweeping";
        }
        return "";
    }

    struct closer {
        void operator()(std::FILE* file) const noexcept { std::fclose(file); }
    };

    // Effects: replaces the end of the file.
    void begin_event() noexcept {
        std::fsetpos(file_.get(), &end_);
        std::fputs(std::exchange(separator_, ",\n"), file_.get());
    }

    void end_event() noexcept {
        std::fgetpos(file_.get(), &end_);
        std::fputs("\n]\n", file_.get());
        std::fflush(file_.get());
    }

    // Not as a floating-point number, which may have a comma.
    template <class Duration>
    void write_microseconds(const char* name, Duration time) noexcept {
        const auto count = static_cast<long long>(std::chrono::nanoseconds(time).count());
        std::fprintf(file_.get(), R"("%s": %lld.%03lld, )", name, count / 1000, count % 1000);
    }

    void write_head(const char* name, char phase, std::chrono::steady_clock::time_point time) noexcept {
        std::fprintf(file_.get(), R"({"name": "%s", "cat": "freehold", "ph": "%c", "pid": 1, "tid": 1, )", name, phase);
        write_microseconds("ts", time.time_since_epoch());
    }

    template <class Collection>
    void write_bar(const char* name, const Collection& done) noexcept {
        write_head(name, 'X', done.started);
        write_microseconds("dur", done.pause);
        std::fputs("\"args\": {", file_.get());
    }

    std::unique_ptr<std::FILE, closer> file_;
    std::fpos_t end_ = {};  // where the next event is written
    const char* separator_ = "\n";
};

}  // namespace freehold
