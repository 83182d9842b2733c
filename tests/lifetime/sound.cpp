// clang-format off: a use a line
// 20 uses that do not dangle, of which no compiler may warn.

#include "uses.hpp"

int sound(freehold::atomic_shared_ptr<object>& cell, const freehold::weak_ptr<object>& weak, int number) {
    switch (number) {
        case 0: { const auto owner = sole(); object* used = owner.get(); return use(used); }
        case 1: { const auto owner = shared(); object* used = owner.get(); return use(used); }
        case 2: { const auto owner = local(); object* used = owner.get(); return use(used); }
        case 3: { const auto owner = biased(); object* used = owner.get(); return use(used); }
        case 4: { const auto owner = thin(); object* used = owner.get(); return use(used); }
        case 5: { const auto owner = intrusive(); counted* used = owner.get(); return use(used); }
        case 6: { const auto owner = linked(); object* used = owner.get(); return use(used); }
        case 7: { const auto owner = unique(); object* used = owner.get(); return use(used); }
        case 8: { return use(*sole()); }
        case 9: { return use(*shared()); }
        case 10: { return use(*intrusive()); }
        case 11: { const auto owner = sole(); freehold::borrowed_ptr<object> used = owner; return use(*used); }
        case 12: { const auto owner = shared(); freehold::borrowed_ptr<object> used = owner; return use(*used); }
        case 13: { const auto owner = thin(); freehold::borrowed_ptr<object> used = owner; return use(*used); }
        case 14: { return use(sole()->value); }
        case 15: { const int value = sole()->value; return use(value); }
        case 16: { const auto read = cell.snapshot(); object* used = read.get(); return use(used); }
        case 17: { return use(cell.snapshot()->value); }
        case 18: { object* used = nullptr; const auto owner = weak.lock(); used = owner.get(); return use(used); }
        case 19: { const auto first = weak.lock(); object* used = weak.lock().get(); return use(used); }
        default: return 0;
    }
}
