#pragma once
// callback<Argument>: any function that takes an Argument. As std::function, without the cost of including
// <functional>.

#include <concepts>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

namespace freehold::detail {

// Copies share the function.
template <class Argument>
class callback {
public:
    callback() = default;
    callback(std::nullptr_t) noexcept {}

    template <class Function>
        requires(!std::same_as<std::remove_cvref_t<Function>, callback> &&
                 std::is_invocable_v<std::decay_t<Function>&, Argument>)
    callback(Function&& function)
        : function_(std::make_shared<std::decay_t<Function>>(std::forward<Function>(function))),
          call_([](void* called, Argument argument) {
              static_cast<void>((*static_cast<std::decay_t<Function>*>(called))(static_cast<Argument>(argument)));
          }) {}

    [[nodiscard]] explicit operator bool() const noexcept { return call_ != nullptr; }

    // Requires: there is a function.
    void operator()(Argument argument) const { call_(function_.get(), static_cast<Argument>(argument)); }

private:
    std::shared_ptr<void> function_;
    void (*call_)(void*, Argument) = nullptr;
};

}  // namespace freehold::detail
