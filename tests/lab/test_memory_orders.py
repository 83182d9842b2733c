"""Each memory order of a header is found, and what is one step weaker."""

from freehold_lab.memory_orders import switched, weakenings, without_order

HEADER = """
// relaxed: not memory_order_acquire
void f(int* p, std::memory_order order = std::memory_order_seq_cst);
x.load(std::memory_order_acquire);
x.fetch_add(1, std::memory_order_acq_rel);
__atomic_store_n(&y, g(1), __ATOMIC_SEQ_CST);
x.load(std::memory_order_seq_cst);
x.exchange(1, std::memory_order_seq_cst);
std::atomic_thread_fence(std::memory_order_release);
"""


def test_each_order_is_weakened_and_each_fence_removed():
    assert [(each.text.strip(), each.becomes) for each in weakenings(HEADER)] == [
        ("std::memory_order_acquire", "std::memory_order_relaxed"),
        ("std::memory_order_acq_rel", "std::memory_order_acquire"),
        ("std::memory_order_acq_rel", "std::memory_order_release"),
        ("__ATOMIC_SEQ_CST", "__ATOMIC_RELEASE"),
        ("std::memory_order_seq_cst", "std::memory_order_acquire"),
        ("std::memory_order_seq_cst", "std::memory_order_acq_rel"),
        ("std::memory_order_release", "std::memory_order_relaxed"),
        ("std::atomic_thread_fence(std::memory_order_release);", ";"),
    ]


def test_a_program_may_choose_among_all_when_it_runs():
    text = "x.fetch_add(1, std::memory_order_acq_rel);\nfence(std::memory_order_release);\n"
    assert switched(text, enumerate(weakenings(text))) == (
        "x.fetch_add(1, (is_mutant(0) ? std::memory_order_acquire : is_mutant(1) ? std::memory_order_release : "
        "std::memory_order_acq_rel));\n"
        " if (!is_mutant(3)) { fence((is_mutant(2) ? std::memory_order_relaxed : std::memory_order_release)); }\n"
    )


def test_an_operation_without_an_order_is_found():
    assert list(without_order("x.load();\nx->fetch_add(f(1));\nx.store(1, std::memory_order_release);\n")) == [
        "load()",
        "fetch_add(f(1))",
    ]
