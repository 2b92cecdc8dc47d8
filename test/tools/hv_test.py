"""`hv` in a tiny copy of the tree, with programs that stand in for cmake, ninja, apt-get, dpkg-query, id and sudo.

Each stand-in writes its name and arguments into a log, so a test reads what hv would have done to a machine.
"""
import os
import pathlib
import shutil
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOLS = ["bash", "sed", "tr", "find", "mkdir", "mv", "flock", "cat", "tail", "head", "grep", "readlink", "dirname", "touch",
         "nproc", "chmod", "sleep"]
STAND_INS = {
    "cmake": 'mkdir -p build; : > build/build.ninja',
    "ninja": '[ -z "${SLOW:-}" ] || sleep 0.3\n'
             '[ -z "${BREAK:-}" ] || { echo "x.cc:1: error: no"; exit 1; }\n'
             'printf \'#!/bin/sh\\necho "ran:$*"\\nexit ${STATUS:-0}\\n\' > "$2/hipvault"; chmod +x "$2/hipvault"',
    "apt-get": '[ "$1" = update ] || [ -n "${APT_FAILS:-}" ] || : > "$STATE/installed"\n'
               '[ -z "${APT_FAILS:-}" ] || { echo "E: no such package"; exit 100; }',
    "dpkg-query": '[ -e "$STATE/installed" ] && printf installed; exit 0',
    "id": 'echo "${FAKE_UID:-0}"',
    "ctest": 'exit 0',
}


class Tree:
    """A source tree of two files at a path with a space, and a PATH with nothing but the stand-ins."""

    def __init__(self, folder, sudo=False, installed=False):
        self.folder = pathlib.Path(folder)
        self.root = self.folder / "a tree"
        for name in ["src", "cmake", "test", "tools"]:
            (self.root / name).mkdir(parents=True)
        shutil.copy(ROOT / "hv", self.root / "hv")
        for name in ["CMakeLists.txt", "CMakePresets.json", "src/a.cc", "test/a_test.cc"]:
            (self.root / name).write_text("")
        (self.root / "tools/packages.txt").write_text("some-package  # why\n")
        if installed:
            (self.folder / "installed").write_text("")
        self.bin = self.folder / "bin"
        self.bin.mkdir()
        for tool in TOOLS:
            (self.bin / tool).symlink_to(shutil.which(tool))
        stand_ins = dict(STAND_INS, **({"sudo": 'exec "$@"', "env": 'shift; exec "$@"'} if sudo else
                                       {"env": 'shift; exec "$@"'}))
        for name, body in stand_ins.items():
            file = self.bin / name
            file.write_text(f'#!{shutil.which("bash")}\necho "{name} $*" >> "$STATE/log"\n{body}\n')
            file.chmod(0o755)

    def start(self, *words, hv=None, **variables):
        environment = {"PATH": str(self.bin), "STATE": str(self.folder), **variables}
        return subprocess.Popen([str(hv or self.root / "hv"), *words], env=environment, text=True, cwd="/",
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def run(self, *words, **more):
        process = self.start(*words, **more)
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err

    def calls(self, name):
        log = self.folder / "log"
        lines = log.read_text().splitlines() if log.exists() else []
        return [line for line in lines if line.split()[0] == name]

    def age(self):
        """Puts every source into the past, so that the stamp of the build is newer whatever the clock's grain."""
        for path in [self.root, *self.root.rglob("*")]:
            if "build" not in path.parts:
                os.utime(path, (1, 1))


def installs_builds_and_runs(folder):
    tree = Tree(folder)
    tree.age()
    code, out, err = tree.run("version", "two words")
    assert (code, out) == (0, "ran:version two words\n"), (code, out, err)
    assert tree.calls("apt-get")[-1].endswith("some-package"), tree.calls("apt-get")
    assert len(tree.calls("cmake")) == 1 and len(tree.calls("ninja")) == 1


def does_nothing_twice_and_notices_a_change(folder):
    tree = Tree(folder, installed=True)
    tree.age()
    tree.run("version")
    code, out, _ = tree.run("version")
    assert (code, out) == (0, "ran:version\n") and len(tree.calls("ninja")) == 1
    assert not tree.calls("apt-get")
    (tree.root / "src/a.cc").write_text("changed")
    os.utime(tree.root / "src/a.cc", (2**32, 2**32))
    tree.run("version")
    assert len(tree.calls("ninja")) == 2


def tests_are_built_when_only_a_test_changed(folder):
    tree = Tree(folder, installed=True)
    tree.age()
    assert tree.run("test", "-R", "x")[0] == 0
    assert tree.calls("ctest")[0].endswith("-R x"), tree.calls("ctest")
    os.utime(tree.root / "test/a_test.cc", (2**32, 2**32))
    tree.run("test")
    assert len(tree.calls("ninja")) == 2


def runs_through_a_link(folder):
    tree = Tree(folder, installed=True)
    link = tree.folder / "link to hv"
    link.symlink_to(tree.root / "hv")
    code, out, err = tree.run("gpus", hv=link)
    assert (code, out) == (0, "ran:gpus\n"), err
    assert (tree.root / "build/hipvault").exists()


def without_root_and_sudo_it_says_what_to_run(folder):
    tree = Tree(folder)
    code, out, err = tree.run("version", FAKE_UID="1000")
    assert code == 3 and out == "" and "run as root: apt-get install" in err and "some-package" in err, err
    assert not tree.calls("apt-get") and not tree.calls("ninja")


def with_sudo_it_installs(folder):
    tree = Tree(folder, sudo=True)
    code, _, err = tree.run("version", FAKE_UID="1000")
    assert code == 0, err
    assert tree.calls("sudo")[0] == "sudo apt-get update", tree.calls("sudo")


def failures_are_three_and_named(folder):
    tree = Tree(folder)
    code, _, err = tree.run("version", APT_FAILS="1")
    assert code == 3 and "E: no such package" in err and "apt.log" in err, err
    tree.run("version")
    os.utime(tree.root / "src/a.cc", (2**32, 2**32))
    code, out, err = tree.run("version", BREAK="1")
    assert code == 3 and out == "" and "x.cc:1: error: no" in err and "build.log" in err, err


def exit_code_is_the_programs_own(folder):
    tree = Tree(folder, installed=True)
    assert tree.run("verify", STATUS="1")[0] == 1


def two_at_once_install_and_build_once(folder):
    tree = Tree(folder)
    tree.age()
    both = [tree.start("version", SLOW="1") for _ in range(2)]
    for process in both:
        out, err = process.communicate(timeout=60)
        assert process.returncode == 0 and out == "ran:version\n", err
    assert len(tree.calls("ninja")) == 1, tree.calls("ninja")
    assert len([line for line in tree.calls("apt-get") if "install" in line]) == 1, tree.calls("apt-get")


def main():
    tests = [installs_builds_and_runs, does_nothing_twice_and_notices_a_change, tests_are_built_when_only_a_test_changed,
             runs_through_a_link, without_root_and_sudo_it_says_what_to_run, with_sudo_it_installs,
             failures_are_three_and_named, exit_code_is_the_programs_own, two_at_once_install_and_build_once]
    for test in tests:
        with tempfile.TemporaryDirectory() as folder:
            test(folder)
    print(f"{len(tests)} passed, 0 failed")


main()
