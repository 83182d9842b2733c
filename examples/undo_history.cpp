// Undo without copies: each version of a sheet is a tree of immutable nodes and shares its unchanged parts.
// Edges are local_thin_ptr, one word each: a tree has as many edges as nodes. Functions that read take borrowed_ptr.
// Look at with(): it makes new nodes on the path to one cell and shares all others with the old version.

#include <freehold/pointers/borrowed_ptr.hpp>
#include <freehold/pointers/thin_ptr.hpp>

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace {

struct node;
using tree = freehold::local_thin_ptr<const node>;

struct node {
    std::string cell;
    double value;
    tree left;
    tree right;
};

tree make_node(std::string cell, double value, tree left, tree right) {
    return freehold::make_thin<node, freehold::plain_counting>(std::move(cell), value, std::move(left),
                                                               std::move(right));
}

tree with(const tree& old, const std::string& cell, double value) {
    if (!old) return make_node(cell, value, nullptr, nullptr);
    if (cell < old->cell) return make_node(old->cell, old->value, with(old->left, cell, value), old->right);
    if (old->cell < cell) return make_node(old->cell, old->value, old->left, with(old->right, cell, value));
    return make_node(cell, value, old->left, old->right);
}

double value_of(freehold::borrowed_ptr<const node> sheet, const std::string& cell) {
    if (!sheet) return 0;
    if (cell == sheet->cell) return sheet->value;
    return value_of(cell < sheet->cell ? sheet->left : sheet->right, cell);
}

class editor {
public:
    void set(const std::string& cell, double value) {
        undone_.clear();
        versions_.push_back(with(sheet(), cell, value));
    }

    void undo() { move_last(versions_, undone_); }
    void redo() { move_last(undone_, versions_); }

    [[nodiscard]] const tree& sheet() const { return versions_.back(); }

private:
    static void move_last(std::vector<tree>& from, std::vector<tree>& to) {
        to.push_back(std::move(from.back()));
        from.pop_back();
    }

    std::vector<tree> versions_{nullptr};  // the empty sheet is the first
    std::vector<tree> undone_;
};

}  // namespace

int main() {
    editor sheet;
    for (const char* cell : {"m", "f", "t", "a", "h"}) sheet.set(cell, 1);
    const tree before = sheet.sheet();
    sheet.set("h", 2);
    const tree after = sheet.sheet();
    const bool shares = after->right == before->right && after->left->left == before->left->left;
    const bool keeps = value_of(before, "h") == 1 && value_of(after, "h") == 2;

    sheet.undo();
    const bool undone = sheet.sheet() == before;
    sheet.redo();
    const bool redone = sheet.sheet() == after;

    std::printf("shares: %d, keeps: %d, undone: %d, redone: %d\n", shares, keeps, undone, redone);
    return shares && keeps && undone && redone ? 0 : 1;
}
