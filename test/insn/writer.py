"""Writes .insn files: see README.md for the format."""
import random

CDNA = ["gfx90a", "gfx942", "gfx950"]
RDNA = ["gfx1201"]
ALL = CDNA + RDNA

SPECIAL32 = [0, 0x80000000, 0x3F800000, 0xBF800000, 0x3FC00000, 1, 0x80000001, 0x007FFFFF, 0x00800000, 0x80800000,
             0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000, 0x40490FDB, 0x3F000000, 0x4B000001,
             0xCB7FFFFF, 0x5F000000, 0xDF000001, 0x33800000, 0x3E22F983, 0x42FE0000, 0xC2FE0000]
SPECIAL16 = [0, 0x8000, 0x3C00, 0xBC00, 0x3E00, 1, 0x8001, 0x3FF, 0x400, 0x8400, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00, 0x7E00,
             0x4248, 0x3800, 0x6401, 0xE7FF]
SPECIAL64 = [x << 52 | y for x, y in [(0, 0), (0x800, 0), (0x3FF, 0), (0xBFF, 0), (0x3FF, 1 << 51), (0, 1), (0x800, 1),
                                      (1, 0), (0x7FE, (1 << 52) - 1), (0x7FF, 0), (0xFFF, 0), (0x7FF, 1 << 51),
                                      (0x400, 0x921FB54442D18), (0x433, 1), (0x3E0, 12345), (0x43E, 0), (0xC3E, 1)]]
INT32 = [0, 1, 2, 0xFFFFFFFF, 0x7FFFFFFF, 0x80000000, 0x80000001, 31, 32, 33, 0xFF, 0x100, 0xFFFF, 0x10000, 0x00800000,
         0xFF800000, 0x12345678, 0x89ABCDEF]
INT16 = [0, 1, 2, 0xFFFF, 0x7FFF, 0x8000, 0x8001, 15, 16, 0xFF, 0x100, 0x1234, 0xFEDC]


class Writer:
    def __init__(self, path, about):
        self.file = open(path, "w")
        self.count = 0
        self.file.write(f"# {about}\n# Written by a script in this folder; change that, not this.\n")

    def test(self, name, archs, code, state, expect, section, waves=None):
        """state and expect: lines such as "v 1 = …"; values are formatted by words()."""
        self.count += 1
        out = [f"test {name}", f"arch {' '.join(archs)}"]
        if waves:
            out.append("wave " + " ".join(map(str, waves)))
        out.append(f"section {section}")
        out += [" ".join(map(str, line)) for line in state]
        out += ["run " + line for line in code]
        out += ["expect"] + [" ".join(map(str, line)) for line in expect] + ["end", ""]
        self.file.write("\n".join(out))

    def close(self):
        self.file.close()
        print(self.file.name, self.count)


def words(values):
    return [v if isinstance(v, str) else hex(v & 0xFFFFFFFF) for v in values]


def sample(kind, count, seed):
    """`count` operands of a kind: f32 f16 f64 i32 i16 i64 packed; specials and random bits."""
    rng = random.Random(f"{kind} {seed}")
    special = {"f32": SPECIAL32, "f16": SPECIAL16, "f64": SPECIAL64, "i32": INT32, "i16": INT16,
               "i64": [a | b << 32 for a in (0, 1, 0xFFFFFFFF, 0x80000000) for b in (0, 1, 0xFFFFFFFF, 0x7FFFFFFF)],
               "packed": None, "ipacked": None}[kind]
    width = {"f32": 32, "f16": 16, "f64": 64, "i32": 32, "i16": 16, "i64": 64, "packed": 32, "ipacked": 32}[kind]
    values = []
    for i in range(count):
        if kind in ("packed", "ipacked"):
            source = SPECIAL16 if kind == "packed" else INT16
            low, high = (rng.choice(source) if rng.random() < 0.6 else rng.getrandbits(16) for _ in range(2))
            values.append(low | high << 16)
        elif rng.random() < 0.55:
            values.append(rng.choice(special))
        elif kind in ("f32", "f64", "f16") and rng.random() < 0.6:  # near 1, where results are finite
            e = {"f32": (127, 23), "f64": (1023, 52), "f16": (15, 10)}[kind]
            spread = {"f32": 20, "f64": 40, "f16": 6}[kind]
            values.append(rng.getrandbits(1) << (width - 1) | (e[0] + rng.randint(-spread, spread)) << e[1]
                          | rng.getrandbits(e[1]))
        else:
            values.append(rng.getrandbits(width))
    return values
