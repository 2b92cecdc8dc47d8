"""tools/check_layers must pass on this tree and fail on each planted violation."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLANTED = [
    ("src/verify/planted.h", '#include "tile/program.h"\n', "verify may not include tile"),
    ("src/sim/planted.cc", '#include "ir/program.h"\n', "sim may not include ir"),
    ("src/schedule/planted.cc", 'bool b = arch == "gfx942";\n', "names an arch"),
    ("src/base/planted.h", '#include "nowhere/thing.h"\n', "is no room"),
    ("src/verify/planted.cc", '#include "llvm/Object/ELF.h"\n', "LLVM's headers stay in"),
    ("src/layers.txt", "base : engine\nengine : base\n", "a cycle"),
    ("src/layers.txt", "base :\nnowhere : base\n", "is not a folder"),
]


def run(root):
    done = subprocess.run([sys.executable, str(ROOT / "tools/check_layers"), str(root)], capture_output=True, text=True)
    return done.returncode, done.stdout


def main():
    code, text = run(ROOT)
    assert code == 0, text
    for path, content, expected in PLANTED:
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder)
            shutil.copytree(ROOT / "src", copy / "src")
            (copy / path).write_text(content)
            code, text = run(copy)
            assert code == 1 and expected in text, f"{path}: expected '{expected}', got {code}: {text}"
    print(f"{len(PLANTED) + 1} passed, 0 failed")


main()
