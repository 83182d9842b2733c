#pragma once
// passkey<T>: a key that only T can make, for public constructors that only T may call.
//
//     class account {
//     public:
//         static freehold::shared_ptr<account> open() {
//             return freehold::make_shared<account>(freehold::passkey<account>());
//         }
//         explicit account(freehold::passkey<account>);
//     };
//
// So make_shared and the other creation functions can call constructors that are private in effect.
// Thread safety: any. Exceptions: none. Cost: none.

namespace freehold::inline v0_2 {

template <class T>
class passkey {
    friend T;
    constexpr passkey() noexcept {}  // NOLINT(modernize-use-equals-default): it stays nobody else's
};

}  // namespace freehold
