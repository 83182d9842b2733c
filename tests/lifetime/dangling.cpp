// clang-format off: a use a line
// 40 uses of an object whose owner, a temporary, may have been the last. test_lifetime.py counts the warnings.

#include "uses.hpp"

int dangling(freehold::atomic_shared_ptr<object>& cell, const freehold::weak_ptr<object>& weak, int number) {
    switch (number) {
        case 0: { object* used = sole().get(); return use(used); }
        case 1: { object& used = *sole(); return use(used); }
        case 2: { int& used = sole()->value; return use(used); }
        case 3: { object* used = shared().get(); return use(used); }
        case 4: { object& used = *shared(); return use(used); }
        case 5: { int& used = shared()->value; return use(used); }
        case 6: { object* used = local().get(); return use(used); }
        case 7: { object& used = *local(); return use(used); }
        case 8: { int& used = local()->value; return use(used); }
        case 9: { object* used = biased().get(); return use(used); }
        case 10: { object& used = *biased(); return use(used); }
        case 11: { int& used = biased()->value; return use(used); }
        case 12: { object* used = thin().get(); return use(used); }
        case 13: { object& used = *thin(); return use(used); }
        case 14: { int& used = thin()->value; return use(used); }
        case 15: { counted* used = intrusive().get(); return use(used); }
        case 16: { counted& used = *intrusive(); return use(used); }
        case 17: { int& used = intrusive()->value; return use(used); }
        case 18: { object* used = linked().get(); return use(used); }
        case 19: { object& used = *linked(); return use(used); }
        case 20: { int& used = linked()->value; return use(used); }
        case 21: { object* used = unique().get(); return use(used); }
        case 22: { object& used = *unique(); return use(used); }
        case 23: { int& used = unique()->value; return use(used); }
        case 24: { freehold::borrowed_ptr<object> used = sole(); return use(*used); }
        case 25: { freehold::borrowed_ptr<object> used = shared(); return use(*used); }
        case 26: { freehold::borrowed_ptr<object> used = local(); return use(*used); }
        case 27: { freehold::borrowed_ptr<object> used = biased(); return use(*used); }
        case 28: { freehold::borrowed_ptr<object> used = thin(); return use(*used); }
        case 29: { freehold::borrowed_ptr<counted> used = intrusive(); return use(*used); }
        case 30: { freehold::borrowed_ptr<object> used = linked(); return use(*used); }
        case 31: { freehold::borrowed_ptr<object> used = unique(); return use(*used); }
        case 32: { object* used = cell.snapshot().get(); return use(used); }
        case 33: { object& used = *cell.snapshot(); return use(used); }
        case 34: { int& used = cell.snapshot()->value; return use(used); }
        case 35: { object* used = cell.load().get(); return use(used); }
        case 36: { freehold::borrowed_ptr<object> used = cell.load(); return use(*used); }
        case 37: { object* used = weak.lock().get(); return use(used); }
        case 38: { int& used = weak.lock()->value; return use(used); }
        case 39: { freehold::borrowed_ptr<object> used = weak.lock(); return use(*used); }
        default: return 0;
    }
}
