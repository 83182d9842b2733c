// Objects that leak in ways a reader knows, and others that do not. It says "ready", and waits.

#include <unistd.h>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <vector>

struct Session;

struct Timer {
    std::function<void()> callback;
    std::shared_ptr<Session> of;
};

struct Session : std::enable_shared_from_this<Session> {
    long number = 0;
    std::vector<std::shared_ptr<Timer>> timers;
};

struct Node {
    std::shared_ptr<Node> next;
    std::weak_ptr<Node> previous;
};

struct Picture {
    char bytes[5000];
};

std::vector<std::shared_ptr<Node>> kept;
std::map<int, std::weak_ptr<Picture>> pictures;
std::shared_ptr<Session> served;
std::vector<std::shared_ptr<Node>> last;  // its end is where malloc's free memory begins: malloc has that address, too

[[gnu::noinline]] void leak() {
    for (int i = 0; i < 30; ++i) {
        const auto session = std::make_shared<Session>();
        session->timers.push_back(std::make_shared<Timer>());
        session->timers.back()->of = session;
    }
    for (int i = 0; i < 20; ++i) {
        const auto timer = std::make_shared<Timer>();
        timer->callback = [timer] { timer->of.reset(); };
    }
    const std::shared_ptr<Node> first(new Node), second(new Node);
    first->next = second;
    second->next = first;
}

[[gnu::noinline]] void hold() {
    for (int i = 0; i < 10; ++i) {
        kept.push_back(std::make_shared<Node>());
        kept.back()->next = std::make_shared<Node>();
        kept.back()->next->previous = kept.back();
        pictures[i] = std::make_shared<Picture>();
    }
    served = std::make_shared<Session>();
    const auto node = std::make_shared<Node>();
    last.resize(2000);
    last[0] = node;
}

[[gnu::noinline]] void scrub() {
    char frame[10000];
    std::memset(frame, 0, sizeof frame);
    asm volatile("" : : "r"(frame) : "memory");
}

int main() {
    std::setbuf(stdout, nullptr);
    std::setbuf(stdin, nullptr);
    leak();
    hold();
    scrub();
    std::puts("ready");
    return static_cast<int>(std::getchar());
}
