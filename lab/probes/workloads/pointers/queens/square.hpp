#pragma once
// A square of the board, on which a queen may stand.

namespace lab::queens {

struct square {
    int column;
    int row;
};

inline bool safe(square one, square other) {
    const int right = other.column - one.column;
    const int down = other.row - one.row;
    return right != 0 && down != 0 && right != down && right != -down;
}

}  // namespace lab::queens
