// expect: freehold: the iterators of this container do not refer to what it holds.*names its parts
// at most 76 lines: the compiler names each template on the way to the member.
// A std::vector<traced_ptr>, whose iterators return copies. Only what has an address can be traced.
#include <freehold/traced/traced_heap.hpp>
#include <vector>

template <class T>
class made_elements {
public:
    using value_type = T;
    using size_type = std::size_t;

    struct const_iterator {
        T operator*() const { return *place; }
        const_iterator& operator++() { return ++place, *this; }
        bool operator==(const const_iterator&) const = default;
        const T* place;
    };

    const_iterator begin() const { return {elements_.data()}; }
    const_iterator end() const { return {elements_.data() + elements_.size()}; }
    size_type size() const { return elements_.size(); }
    size_type max_size() const { return elements_.max_size(); }

private:
    std::vector<T> elements_;
};

struct person {
    made_elements<freehold::traced_ptr<person>> friends;
};

void fill(freehold::traced_heap& heap) { static_cast<void>(heap.make<person>()); }
