"""What statistics_json.hpp prints is JSON, and says what the statistics say."""

import json
import subprocess
from pathlib import Path

from freehold_lab.setup import environment

INCLUDE = Path(__file__).parents[2] / "include"
PROGRAM = r"""
#include <freehold/memory/concurrent_pool_resource.hpp>
#include <freehold/memory/statistics_json.hpp>

int main() {
    freehold::counting_resource below;
    freehold::concurrent_pool_resource pool(&below);
    freehold::counting_resource above(freehold::counting_resource::by_scope{}, &pool);
    const freehold::counting_resource::scope odd(above, "a \"name\"\\ with\t\n\x01 and \xc3\xa9");
    void* const small = above.allocate(40);
    void* const large = above.allocate(100'000);
    freehold::print_json(stdout, pool.statistics());
    freehold::print_json(stdout, pool.quiet_statistics());
    freehold::print_json(stdout, freehold::page_cache::shared().statistics());
    freehold::print_json(stdout, freehold::used_and_held{above, below});
    above.deallocate(large, 100'000);
    above.deallocate(small, 40);
}
"""


def test_all_statistics_are_json(tmp_path):
    source, program = tmp_path / "statistics.cpp", tmp_path / "statistics"
    source.write_text(PROGRAM)
    compiler = environment.compilers()[-1].path
    subprocess.run([compiler, "-std=c++20", f"-I{INCLUDE}", source, "-pthread", "-o", program], check=True)
    printed = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    at_any_time, quiet, pages, both = [json.loads(line) for line in printed.splitlines()]
    assert at_any_time["live"] is None
    assert at_any_time["mapped"] == quiet["mapped"]
    assert quiet["large_blocks"] == 1
    assert [each["live"] for each in quiet["classes"] if each["block_bytes"] == 64] == [1]
    assert pages["mapped"] == pages["in_use"] + pages["idle"]
    assert both["used"]["live_bytes"] == 100_040
    assert both["held"]["live_bytes"] == 100_040 + both["unused_bytes"]
    assert both["used"]["scopes"][1]["name"] == 'a "name"\\ with\t\n\x01 and é'
    assert both["used"]["scopes"][1]["bytes"] == 100_040
