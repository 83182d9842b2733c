-- Never run. Copy this into your xmake.lua, and write what you would pass to git clone for URL.
package("freehold", function ()
    set_kind("library", {headeronly = true})
    set_description("Owning pointers and memory resources for C++20")
    set_license("BSL-1.0")
    add_urls("URL")
    add_versions("0.2.0", "v0.2.0")

    on_load(function (package)
        if package:is_plat("linux") then
            for _, symbol in ipairs({"freehold_hazard_pointers_v0_2", "freehold_rcu_domain_v0_2"}) do
                package:add("ldflags", "-Wl,--export-dynamic-symbol=" .. symbol)
                package:add("shflags", "-Wl,--export-dynamic-symbol=" .. symbol)
            end
        end
        -- RISC-V has no atomic instruction for one byte: compilers call a library.
        if package:is_arch("riscv.*") then
            package:add("syslinks", "atomic")
        end
    end)

    on_install(function (package)
        os.cp("include", package:installdir())
    end)

    on_test(function (package)
        local program = {test = "int main() { return *freehold::make_shared<int>(0); }"}
        local settings = {configs = {languages = "c++20"}, includes = "freehold/freehold.hpp"}
        assert(package:check_cxxsnippets(program, settings))
    end)
end)
