#pragma once
// Names a type at run time, with and without run-time type information.

#ifdef __cpp_rtti
#include <typeinfo>
#endif

namespace freehold::detail {

class type_key {
public:
    template <class T>
    [[nodiscard]] static type_key of() noexcept {
#ifdef __cpp_rtti
        return type_key(&typeid(T));
#else
        return type_key(&place<T>);
#endif
    }

    friend bool operator==(type_key a, type_key b) noexcept {
#ifdef __cpp_rtti
        return *a.key_ == *b.key_;  // also between shared libraries that keep their symbols apart
#else
        return a.key_ == b.key_;
#endif
    }

private:
#ifdef __cpp_rtti
    using key = const std::type_info*;
#else
    using key = const void*;

    template <class T>
    static inline constexpr char place = 0;
#endif

    explicit type_key(key k) noexcept : key_(k) {}

    key key_;
};

}  // namespace freehold::detail
