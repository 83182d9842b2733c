"""The reference says what a header declares and what stands above it, and leaves out what is not for users."""

import pytest

from freehold_lab.errors import LabError
from freehold_lab.site import headers, reference

HEADER = """\
#pragma once
// handle<T>: a pointer. See `other`.
//
//     handle<int> p;
//
// Thread safety: none. Cost: one word.

#include <cstddef>

namespace lib {

namespace detail {

// Hidden.
struct inner {};

}  // namespace detail

class declared;

// What it points to.
template <class T>
class handle {
    int hidden;

public:
    using element_type = T;

    // Postconditions: get() == nullptr.
    constexpr handle() noexcept = default;
    constexpr handle(std::nullptr_t) noexcept {}

    // Effects: takes `object`. Requires: one of
    //   a pointer     or nothing
    // Throws: nothing.
    template <class U>
        requires requires(U* object) { object->x; }
    explicit handle(U* object) : hidden(0), pointer_(object) {
        // Inside.
    }

    // Assignments are quick.

    handle& operator=(const handle&) = default;

    [[nodiscard]] T* get() const noexcept { return pointer_; }  // behind

    // Returns: whether they are *this or a<b> & more_of_it.
    [[nodiscard]] friend bool operator==(handle, handle) noexcept { return true; }

private:
    // Secret.
    void secret();

    T* pointer_ = nullptr;
};

struct options {
    int size = 1;   // of it
    int limit = 2;  // at most
};

// Effects: get of nothing.
int get();

int get() { return 1; }

}  // namespace lib

// Returns: a hash.
template <class T>
struct std::hash<lib::handle<T>> {
    int operator()(int) const { return 1; }
};
"""


def read(folder, text):
    (folder / "lib").mkdir()
    (folder / "lib" / "handle.hpp").write_text(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(headers, "INCLUDE", folder)
        (header,) = headers.read(headers.public())
    return header


@pytest.fixture(scope="module")
def header(tmp_path_factory):
    return read(tmp_path_factory.mktemp("include"), "#include <functional>\n" + HEADER)


def test_declarations_are_in_the_order_of_the_header(header):
    assert [entry.names for entry in header.entries] == [["handle"], ["options"], ["get"], ["std::hash"]]
    assert [entry.names for entry in header.entries[0].members] == [
        ["element_type"],
        ["handle", "handle"],
        ["handle"],
        [],
        ["operator="],
        ["get"],
        ["operator=="],
    ]


def test_a_declaration_has_neither_body_nor_initializers(header):
    _, two, template, *_ = header.entries[0].members
    assert two.code == ["constexpr handle() noexcept = default", "constexpr handle(std::nullptr_t) noexcept"]
    (code,) = template.code
    assert code.splitlines()[1:] == ["    requires requires(U* object) { object->x; }", "explicit handle(U* object)"]
    assert header.entries[0].code == ["template <class T>\nclass handle"]


def test_members_of_a_struct_keep_what_stands_behind_them(header):
    (members,) = header.entries[1].members
    assert members.code == ["int size = 1;   // of it", "int limit = 2;  // at most"]


def test_a_page_sets_the_parts_of_a_contract_apart(header):
    page = reference.page(header, None)
    assert "\n\n`handle<T>`: a pointer. See `other`.\n\n```cpp\nhandle<int> p;\n```\n\n" in page
    assert "\n\nThread safety\n:   None.\n\nCost\n:   One word.\n\n" in page
    assert (
        "\n\nEffects\n:   Takes `object`.\n\nRequires\n:   One of\n\n    ```text\n    a pointer     or nothing\n    ```"
        in page
    )
    assert "\n\nReturns\n:   Whether they are `*this` or `a<b>` &amp; `more_of_it`.\n" in page
    assert "\n\nEffects\n:   `get` of nothing.\n" in page  # a name keeps its letters
    assert "\n### `handle` constructors\n" in page
    assert "\nAssignments are quick.\n" in page


@pytest.mark.parametrize("hidden", ["Hidden", "inner", "Secret", "secret", "pointer_", "Inside", "declared", "return"])
def test_a_page_leaves_out_what_is_not_for_users(header, hidden):
    assert hidden in HEADER
    assert hidden not in reference.page(header, None)


GROUPS = """\
#pragma once
// box: holds.

class box {
public:
    using value_type = int;

    // Constructors

    // Effects: empty.
    box() noexcept;

    explicit box(int value);

    // Effects: as other.get() does.
    template <class T>
    box(T value);

    // Assignment: the old value goes last.

    box& operator=(const box&) = default;

    // All of these are quick.

    void reset();
    int get() const;
};
"""


@pytest.fixture(scope="module")
def groups(tmp_path_factory):
    return reference.page(read(tmp_path_factory.mktemp("groups"), GROUPS), None)


def test_overloads_without_a_comment_join_those_before_them(groups):
    code = "```cpp\nbox() noexcept;\nexplicit box(int value);\n```"
    assert f"{code}\n\nEffects\n:   Empty.\n\n```cpp\ntemplate <class T>\nbox(T value);\n```" in groups
    assert "\nEffects\n:   As `other.get()` does.\n" in groups


def test_the_names_of_groups_are_headings(groups):
    headings = [line for line in groups.splitlines() if line.startswith("#") and "include" not in line]
    assert headings == [
        "# handle.hpp",
        "## `box`",
        "### `value_type`",
        "### Constructors",
        "### Assignment",
        "#### `operator=`",
        "#### `reset`, `get`",
    ]


def test_a_remark_is_below_the_heading_of_what_follows_it(groups):
    assert "\n#### `operator=`\n\nThe old value goes last.\n\n```" in groups
    assert "\n#### `reset`, `get`\n\nAll of these are quick.\n\n```" in groups


def test_the_index_has_the_first_sentence(header):
    assert reference.sentence(header.opening) == "A pointer."


@pytest.mark.parametrize(
    ("comment", "expected"),
    [
        ("make<T>, take(x): of two: one. More.", "Of two: one."),
        ("A tree whose nodes: know. More.", "A tree whose nodes: know."),
        ("static_, const_cast: casts", "Casts"),
        ("What a policy is:", "What a policy is"),
    ],
)
def test_a_sentence_is_without_the_names_before_it(comment, expected):
    assert reference.sentence([comment]) == expected


def test_a_header_that_does_not_compile_is_one_line(tmp_path):
    with pytest.raises(LabError, match=r"handle\.hpp.*no_such_type") as fault:
        read(tmp_path, "#pragma once\nno_such_type x;\n")
    assert "\n" not in str(fault.value)
