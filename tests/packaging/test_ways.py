"""A program can use Freehold by the build tools and package managers that docs/guide/installing.md says are tested."""

import os
import shutil

import pytest

from consuming import CONSUMER, ROOT, VERSION, run, run_consumer, tool

SOURCES = [CONSUMER / "main.cpp", CONSUMER / "other.cpp"]


@pytest.fixture
def make(request, tmp_path):
    return Make(request.getfixturevalue, tmp_path)


class Make:
    """Builds the consumer: each function is a way, and returns the program."""

    def __init__(self, get, folder):
        self.get, self.folder = get, folder

    def pkg_config(self):
        return self._by_pkg_config(os.environ | {"PKG_CONFIG_PATH": f"{self.get('prefix')}/share/pkgconfig"})

    def meson_by_pkg_config(self):
        tool("pkg-config", "pkgconf")
        environment = os.environ | {"PKG_CONFIG_PATH": f"{self.get('prefix')}/share/pkgconfig"}
        return self._by_meson(CONSUMER, f"found: YES {VERSION}", env=environment)

    def meson_by_cmake(self):
        environment = os.environ | {"PKG_CONFIG_LIBDIR": ""}
        setting = f"--cmake-prefix-path={self.get('prefix')}"
        return self._by_meson(CONSUMER, f"found: YES {VERSION}", setting, env=environment)

    def meson_subproject(self):
        project = self._project()
        shutil.copytree(self.get("repository"), project / "subprojects/freehold", ignore=shutil.ignore_patterns(".git"))
        return self._by_meson(project, "Executing subproject freehold")

    def meson_wrap(self):
        project = self._project()
        (project / "subprojects").mkdir()
        wrap = (ROOT / "packaging/meson/freehold.wrap").read_text()
        assert "url = URL\n" in wrap
        (project / "subprojects/freehold.wrap").write_text(wrap.replace("URL", f"file://{self.get('repository')}"))
        return self._by_meson(project, "Executing subproject freehold")

    def debian(self):
        cpack, dpkg = tool("cpack", "cmake"), tool("dpkg-deb", "dpkg")
        build = self.folder / "build"
        run("cmake", "-G", "Ninja", "-S", ROOT, "-B", build, "-DFREEHOLD_BUILD_TESTS=OFF")
        run(cpack, "-G", "DEB", "--config", build / "CPackConfig.cmake", "-B", self.folder)
        package = self.folder / f"libfreehold-dev_{VERSION}_all.deb"
        assert "./usr/include/freehold/freehold.hpp" in run(dpkg, "--contents", package)
        root = self.folder / "root"
        run(dpkg, "--extract", package, root)
        paths = {"PKG_CONFIG_SYSROOT_DIR": str(root), "PKG_CONFIG_LIBDIR": f"{root}/usr/share/pkgconfig"}
        return self._by_pkg_config(os.environ | paths)

    def conan(self):
        conan = tool("conan", "the Python packages of lab/requirements/packaging.txt")
        tree = self.folder / "freehold"
        shutil.copytree(self.get("repository"), tree)
        environment = os.environ | {"CONAN_HOME": str(self.folder / "home")}
        run(conan, "profile", "detect", env=environment)
        run(conan, "create", tree, "--no-remote", "--settings=compiler.cppstd=20", env=environment)
        [program] = tree.glob("tests/packaging/consumer/build/**/consumer")
        return program

    def bazel(self):
        bazel = tool("bazel", "bazel-bootstrap")
        project = self._project()
        (project / "WORKSPACE.bazel").write_text(
            'load("@bazel_tools//tools/build_defs/repo:http.bzl", "http_archive")\n'
            f'http_archive(name = "freehold", strip_prefix = "freehold-{VERSION}", urls = ["file://{self.get("archive")}"])\n'
        )
        start = [bazel, f"--output_user_root={self.folder / 'bazel'}", "--batch"]
        rules = [f"--override_repository=rules_{name}={path}" for name, path in self._rules().items()]
        run(*start, "build", "-c", "opt", *rules, "//:consumer", cwd=project)
        return project / "bazel-bin/consumer"

    def _rules(self):
        """Returns what Bazel 4.2 would download: Debian's rules for Java, and a name for each of its own for C++, for
        which Debian's are too new."""
        folder = self.folder / "rules_cc"
        (folder / "cc").mkdir(parents=True)
        (folder / "WORKSPACE").touch()
        (folder / "cc/BUILD").touch()
        names = ("cc_binary", "cc_library", "cc_toolchain", "cc_toolchain_suite")
        (folder / "cc/defs.bzl").write_text("".join(f"{name} = native.{name}\n" for name in names))
        return {"cc": folder, "java": "/usr/share/bazel/rules/java"}

    def _project(self):
        return shutil.copytree(CONSUMER, self.folder / "project")

    def _by_pkg_config(self, environment):
        flags = run(tool("pkg-config", "pkgconf"), "--cflags", "--libs", f"freehold = {VERSION}", env=environment)
        program = self.folder / "consumer"
        run("g++", "-std=c++20", "-O2", "-Wall", "-Wextra", "-Werror", *SOURCES, *flags.split(), "-o", program)
        return program

    def _by_meson(self, project, said, *settings, **more):
        meson, build = tool("meson", "meson"), self.folder / "build"
        assert said in run(meson, "setup", "--buildtype=release", *settings, build, project, **more)
        run(meson, "compile", "-C", build)
        return build / "consumer"


IN_EACH_TEST = ["pkg_config", "meson_by_pkg_config"]
WAYS = [name for name, value in vars(Make).items() if callable(value) and not name.startswith("_")]


@pytest.mark.parametrize(
    "way", [pytest.param(way, marks=[] if way in IN_EACH_TEST else pytest.mark.full) for way in WAYS]
)
def test_a_program_is_built_and_runs(way, make):
    run_consumer(getattr(make, way)())
