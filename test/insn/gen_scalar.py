#!/usr/bin/env python3
"""Scalar unit: scalar_int.insn, scalar_float.insn, scalar_control.insn."""
from exact import *
from writer import *

M32, M64 = 0xFFFFFFFF, (1 << 64) - 1
SECTION = "CDNA3 ISA 12.1-12.5, RDNA4 ISA 16.1-16.5"


def s32(x):
    return x - (1 << 32) if x >> 31 & 1 else x


def s64(x):
    return x - (1 << 64) if x >> 63 & 1 else x


def s16(x):
    x &= 0xFFFF
    return x - (1 << 16) if x >> 15 else x


def reg(n, wide):
    return f"s[{n}:{n + 1}]" if wide else f"s{n}"


def put(n, value, wide):
    return [["s", n, hex(value & M32)]] + ([["s", n + 1, hex(value >> 32 & M32)]] if wide else [])


class Scalar:
    def __init__(self, w):
        self.w = w

    def op(self, names, widths, out, f, count=12, scc_in=None, immediate=False, tie=False, archs9=CDNA):
        """f(*operands, scc) -> (result or None, scc or None). widths: True for 64 bits."""
        for rdna in (False, True):
            name = names[rdna] if isinstance(names, tuple) else names
            if not name:
                continue
            cols = [sample("i64" if w else "i32", count, (name, i)) for i, w in enumerate(widths)]
            for case, row in enumerate(zip(*cols)):
                scc = case & 1
                result, flag = f(*row, scc)
                state, operands = [["scc", scc]], []
                if out is not None:
                    operands.append(reg(0, out))
                for i, (value, wide) in enumerate(zip(row, widths)):
                    tied = tie and i == len(widths) - 1
                    state += put(0 if tied else 4 + 4 * i, value, wide)
                    if not tied:
                        operands.append(reg(4 + 4 * i, wide))
                expect = put(0, result, out) if out is not None else []
                expect.append(["scc", scc if flag is None else int(flag)])
                self.w.test(f"{name}_{case}", RDNA if rdna else archs9, [f"{name} {', '.join(operands)}"], state, expect, SECTION)


def integers():
    w = Writer("scalar_int.insn", "Integers of the scalar unit.")
    s = Scalar(w)
    nz = lambda r, m: (r & m, (r & m) != 0)
    for name, f in [("and", lambda a, b: a & b), ("or", lambda a, b: a | b), ("xor", lambda a, b: a ^ b), ("nand", lambda a, b: ~(a & b)),
                    ("nor", lambda a, b: ~(a | b)), ("xnor", lambda a, b: ~(a ^ b))]:
        for t, m, wide in (("b32", M32, False), ("b64", M64, True)):
            s.op(f"s_{name}_{t}", [wide] * 2, wide, lambda a, b, c: nz(f(a, b), m))
    for t, m, wide in (("b32", M32, False), ("b64", M64, True)):
        s.op((f"s_andn2_{t}", f"s_and_not1_{t}"), [wide] * 2, wide, lambda a, b, c: nz(a & ~b, m))
        s.op((f"s_orn2_{t}", f"s_or_not1_{t}"), [wide] * 2, wide, lambda a, b, c: nz(a | ~b, m))
        s.op(f"s_not_{t}", [wide], wide, lambda a, c: nz(~a, m))
        s.op(f"s_mov_{t}", [wide], wide, lambda a, c: (a, None))
        s.op(f"s_brev_{t}", [wide], wide, lambda a, c: (int(format(a, f"0{64 if wide else 32}b")[::-1], 2), None))
        s.op(f"s_cselect_{t}", [wide] * 2, wide, lambda a, b, c: (a if c else b, None))
        s.op(f"s_cmov_{t}", [wide] * 2, wide, lambda a, d, c: (a if c else d, None), tie=True)
        n = 64 if wide else 32
        s.op(f"s_bcnt1_i32_{t}", [wide], False, lambda a, c: nz(bin(a).count("1"), M32))
        s.op(f"s_bcnt0_i32_{t}", [wide], False, lambda a, c: nz(n - bin(a).count("1"), M32))
        low = lambda a: (a & -a).bit_length() - 1 if a else -1
        s.op((f"s_ff1_i32_{t}", f"s_ctz_i32_{t}"), [wide], False, lambda a, c: (low(a), None))
        s.op((f"s_ff0_i32_{t}", None), [wide], False, lambda a, c: (low(~a & m), None))
        s.op((f"s_flbit_i32_{t}", f"s_clz_i32_{'u64' if wide else 'u32'}"), [wide], False, lambda a, c: (n - a.bit_length() if a else -1, None))
        def cls(a, c):
            x = a ^ m if a >> (n - 1) else a
            return (n - x.bit_length() if x else -1), None
        s.op(("s_flbit_i32_i64" if wide else "s_flbit_i32", "s_cls_i32_i64" if wide else "s_cls_i32"), [wide], False, cls)
        s.op(f"s_wqm_{t}", [wide], wide, lambda a, c: nz(sum(15 << (4 * i) for i in range(n // 4) if a >> (4 * i) & 15), m))
        s.op(f"s_quadmask_{t}", [wide], wide, lambda a, c: nz(sum(1 << i for i in range(n // 4) if a >> (4 * i) & 15), m))
        s.op(f"s_bfm_{t}", [False] * 2, wide, lambda a, b, c: (((1 << (a & (n - 1))) - 1) << (b & (n - 1)) & m, None))
        s.op(f"s_bitset0_{t}", [False, wide], wide, lambda a, d, c: (d & ~(1 << (a & (n - 1))), None), tie=True)
        s.op(f"s_bitset1_{t}", [False, wide], wide, lambda a, d, c: (d | 1 << (a & (n - 1)), None), tie=True)
        s.op(f"s_bitcmp0_{t}", [wide, False], None, lambda a, b, c: (None, not a >> (b & (n - 1)) & 1))
        s.op(f"s_bitcmp1_{t}", [wide, False], None, lambda a, b, c: (None, a >> (b & (n - 1)) & 1))
        s.op(f"s_lshl_{t}", [wide, False], wide, lambda a, b, c: nz(a << (b & (n - 1)), m))
        s.op(f"s_lshr_{t}", [wide, False], wide, lambda a, b, c: nz(a >> (b & (n - 1)), m))
        key = s64 if wide else s32
        s.op(f"s_ashr_{'i64' if wide else 'i32'}", [wide, False], wide, lambda a, b, c: nz(key(a) >> (b & (n - 1)), m))
        def bfe(a, b, sign):
            offset, width = b & (n - 1), b >> 16 & 0x7F
            if width == 0:
                return 0
            x = (key(a) if sign else a) >> offset
            if width >= n:
                return x & m
            x &= (1 << width) - 1
            return (x - (1 << width) if sign and x >> (width - 1) else x) & m
        field = lambda b: (b & 0x3F) | (b >> 3 & 0x3F) << 16
        for u in "ui":
            for rdna in (False, True):
                name = f"s_bfe_{u}{n}"
                for case, (a, b) in enumerate(zip(sample("i64" if wide else "i32", 12, name), sample("i32", 12, name + "b"))):
                    r = bfe(a, field(b), u == "i")
                    w.test(f"{name}_{case}", RDNA if rdna else CDNA, [f"{name} {reg(0, wide)}, {reg(4, wide)}, s8"],
                           put(4, a, wide) + put(8, field(b), False), put(0, r, wide) + [["scc", int(r != 0)]], SECTION)
    s.op(("s_add_u32", "s_add_co_u32"), [False] * 2, False, lambda a, b, c: (a + b, a + b > M32))
    s.op(("s_sub_u32", "s_sub_co_u32"), [False] * 2, False, lambda a, b, c: (a - b, a < b))
    s.op(("s_addc_u32", "s_add_co_ci_u32"), [False] * 2, False, lambda a, b, c: (a + b + c, a + b + c > M32))
    s.op(("s_subb_u32", "s_sub_co_ci_u32"), [False] * 2, False, lambda a, b, c: (a - b - c, a < b + c))
    out = lambda r: not -2**31 <= r < 2**31
    s.op(("s_add_i32", "s_add_co_i32"), [False] * 2, False, lambda a, b, c: (a + b, out(s32(a) + s32(b))))
    s.op(("s_sub_i32", "s_sub_co_i32"), [False] * 2, False, lambda a, b, c: (a - b, out(s32(a) - s32(b))))
    s.op((None, "s_add_nc_u64"), [True] * 2, True, lambda a, b, c: (a + b & M64, None))
    s.op((None, "s_sub_nc_u64"), [True] * 2, True, lambda a, b, c: (a - b & M64, None))
    s.op((None, "s_mul_u64"), [True] * 2, True, lambda a, b, c: (a * b & M64, None))
    s.op("s_mul_i32", [False] * 2, False, lambda a, b, c: (a * b, None))
    s.op("s_mul_hi_u32", [False] * 2, False, lambda a, b, c: (a * b >> 32, None))
    s.op("s_mul_hi_i32", [False] * 2, False, lambda a, b, c: (s32(a) * s32(b) >> 32, None))
    for n in (1, 2, 3, 4):
        s.op(f"s_lshl{n}_add_u32", [False] * 2, False, lambda a, b, c: ((a << n) + b, (a << n) + b > M32))
    for t, key in (("u32", lambda x: x), ("i32", s32)):
        s.op(f"s_min_{t}", [False] * 2, False, lambda a, b, c: (min(a, b, key=key), key(a) < key(b)))
        s.op(f"s_max_{t}", [False] * 2, False, lambda a, b, c: (max(a, b, key=key), key(a) > key(b)))
        for name, f in [("eq", lambda a, b: a == b), ("lg", lambda a, b: a != b), ("lt", lambda a, b: a < b), ("le", lambda a, b: a <= b),
                        ("gt", lambda a, b: a > b), ("ge", lambda a, b: a >= b)]:
            s.op(f"s_cmp_{name}_{t}", [False] * 2, None, lambda a, b, c: (None, f(key(a), key(b))))
            for case, a in enumerate(sample("i32", 8, (name, t))):
                k = [0, 1, 0x7FFF, 0x8000, 0xFFFF, 5, a & 0xFFFF, 0x1234][case]
                value = s16(k) if t == "i32" else k
                w.test(f"s_cmpk_{name}_{t}_{case}", CDNA, [f"s_cmpk_{name}_{t} s0, {hex(k)}"], put(0, a, False),
                       [["scc", int(f(key(a), value))]], SECTION)
    s.op("s_cmp_eq_u64", [True] * 2, None, lambda a, b, c: (None, a == b))
    s.op("s_cmp_lg_u64", [True] * 2, None, lambda a, b, c: (None, a != b))
    s.op("s_abs_i32", [False], False, lambda a, c: nz(abs(s32(a)), M32))
    s.op("s_absdiff_i32", [False] * 2, False, lambda a, b, c: nz((lambda d: -d if s32(d & M32) < 0 else d)(a - b), M32))
    s.op("s_sext_i32_i8", [False], False, lambda a, c: ((a & 0xFF) - (256 if a & 0x80 else 0), None))
    s.op("s_sext_i32_i16", [False], False, lambda a, c: (s16(a), None))
    s.op("s_bitreplicate_b64_b32", [False], True, lambda a, c: (sum((a >> i & 1) * 3 << (2 * i) for i in range(32)), None))
    s.op("s_pack_ll_b32_b16", [False] * 2, False, lambda a, b, c: (a & 0xFFFF | b << 16, None))
    s.op("s_pack_lh_b32_b16", [False] * 2, False, lambda a, b, c: (a & 0xFFFF | b & 0xFFFF0000, None))
    s.op("s_pack_hh_b32_b16", [False] * 2, False, lambda a, b, c: (a >> 16 | b & 0xFFFF0000, None))
    s.op((None, "s_pack_hl_b32_b16"), [False] * 2, False, lambda a, b, c: (a >> 16 | b << 16, None))
    for rdna in (False, True):
        archs = RDNA if rdna else CDNA
        for case, (k, d) in enumerate(zip([0, 1, 0x7FFF, 0x8000, 0xFFFF, 0x1234], sample("i32", 6, "k"))):
            n = "s_addk_co_i32" if rdna else "s_addk_i32"
            r = s32(d) + s16(k)
            w.test(f"{n}_{case}", archs, [f"{n} s0, {hex(k)}"], put(0, d, False), put(0, r, False) + [["scc", int(out(r))]], SECTION)
            w.test(f"s_mulk_i32_{case}", archs, [f"s_mulk_i32 s0, {hex(k)}"], put(0, d, False), put(0, s32(d) * s16(k), False), SECTION)
            w.test(f"s_movk_i32_{case}", archs, [f"s_movk_i32 s0, {hex(k)}"], put(0, d, False), put(0, s16(k), False), SECTION)
            w.test(f"s_cmovk_i32_{case}", archs, [f"s_cmovk_i32 s0, {hex(k)}"], put(0, d, False) + [["scc", case & 1]],
                   put(0, s16(k) if case & 1 else d, False), SECTION)
        # exec: saved, then combined
        forms = {"and": lambda s, e: s & e, "or": lambda s, e: s | e, "xor": lambda s, e: s ^ e, "nand": lambda s, e: ~(s & e),
                 "nor": lambda s, e: ~(s | e), "xnor": lambda s, e: ~(s ^ e)}
        forms |= {"and_not0": lambda s, e: ~s & e, "and_not1": lambda s, e: s & ~e, "or_not0": lambda s, e: ~s | e, "or_not1": lambda s, e: s | ~e} if rdna else {
            "andn1": lambda s, e: ~s & e, "andn2": lambda s, e: s & ~e, "orn1": lambda s, e: ~s | e, "orn2": lambda s, e: s | ~e}
        for name, f in forms.items():
            for wide in (True, False) if rdna else (True,):
                m = M64 if wide else M32
                e, v = 0xF0F0A5A512345678 & m, 0x0FF012345A5A9999 & m
                r = f(v, e) & m
                waves = [64 if wide else 32]
                t = "b64" if wide else "b32"
                w.test(f"s_{name}_saveexec_{t}", archs, [f"s_{name}_saveexec_{t} {reg(0, wide)}, {reg(4, wide)}"],
                       put(4, v, wide) + [["exec", hex(e)]], put(0, e, wide) + [["exec", hex(r)], ["scc", int(r != 0)]], SECTION, waves)
                if name in ("and_not0", "and_not1", "andn1", "andn2"):
                    w.test(f"s_{name}_wrexec_{t}", archs, [f"s_{name}_wrexec_{t} {reg(0, wide)}, {reg(4, wide)}"],
                           put(4, v, wide) + [["exec", hex(e)]], put(0, r, wide) + [["exec", hex(r)], ["scc", int(r != 0)]], SECTION, waves)
        for wide in (False, True):
            t = "b64" if wide else "b32"
            w.test(f"s_movrels_{t}", archs, [f"s_movrels_{t} {reg(0, wide)}, {reg(4, wide)}"], [["m0", 6]] + put(10, 0x1234567890ABCDEF, wide),
                   put(0, 0x1234567890ABCDEF, wide), SECTION)
            w.test(f"s_movreld_{t}", archs, [f"s_movreld_{t} {reg(4, wide)}, {reg(0, wide)}"], [["m0", 8]] + put(0, 0x1234567890ABCDEF, wide),
                   put(12, 0x1234567890ABCDEF, wide), SECTION)
    w.test("s_movrelsd_2_b32", RDNA, ["s_movrelsd_2_b32 s4, s6"], [["m0", hex(5 << 16 | 3)], ["s", 9, "0x77"]], [["s", 9, "0x77"]], SECTION)
    w.close()


def floats():
    w = Writer("scalar_float.insn", "Floats of the scalar unit.")
    for kind, fmt in (("f32", F32), ("f16", F16)):
        def op(name, count, f, tie=False):
            cols = [sample(kind, 16, (name, i)) for i in range(count)]
            for case, row in enumerate(zip(*cols)):
                r = f(*row)
                state = [["s", 0 if tie and i == count - 1 else 4 + 4 * i, hex(x | (0x55550000 if kind == "f16" and not (tie and i == count - 1) else 0))] for i, x in enumerate(row)]
                regs = ", ".join(f"s{4 + 4 * i}" for i in range(count - (1 if tie else 0)))
                token = ("nan32" if kind == "f32" else "nan160x0") if r == "nan" else hex(r)
                w.test(f"{name}_{case}", RDNA, [f"{name} s0, {regs}"], state, [["s", 0, token]], SECTION)
        exact = lambda g: lambda *bits: pack(fmt, g(*(unpack(fmt, b) for b in bits)))
        op(f"s_add_{kind}", 2, exact(add))
        op(f"s_sub_{kind}", 2, exact(lambda a, b: add(a, neg(b))))
        op(f"s_mul_{kind}", 2, exact(mul))
        op(f"s_fmac_{kind}", 3, exact(fma), tie=True)
        from gen_vector import choose, rounding
        for largest, word, full in ((True, "max", "maximum"), (False, "min", "minimum")):
            op(f"s_{word}_num_{kind}", 2, choose(fmt, largest, False))
            op(f"s_{full}_{kind}", 2, choose(fmt, largest, True))
        for to in ("floor", "ceil", "trunc", "rndne"):
            op(f"s_{to}_{kind}", 1, exact(rounding(to)))
        a, b = sample(kind, 16, "cmp a"), sample(kind, 16, "cmp b")
        b = [x if i % 4 == 0 else y for i, (x, y) in enumerate(zip(a, b))]
        for case, (x, y) in enumerate(zip(a, b)):
            va, vb = unpack(fmt, x), unpack(fmt, y)
            u = "nan" in (va[1], vb[1])
            lt, gt, eq = less(va, vb), less(vb, va), equal(va, vb)
            for name, r in {"lt": lt, "gt": gt, "eq": eq, "le": lt or eq, "ge": gt or eq, "lg": lt or gt, "o": not u, "u": u, "nlt": not lt,
                            "ngt": not gt, "neq": not eq, "nle": not (lt or eq), "nge": not (gt or eq), "nlg": not (lt or gt)}.items():
                w.test(f"s_cmp_{name}_{kind}_{case}", RDNA, [f"s_cmp_{name}_{kind} s4, s8"], [["s", 4, hex(x)], ["s", 8, hex(y)]],
                       [["scc", int(r)]], SECTION)
    for case, (a, b, c) in enumerate(zip(*(sample("f32", 12, ("fmaak", i)) for i in range(3)))):
        r = pack(F32, fma(*(unpack(F32, x) for x in (a, b, c))))
        token = "nan32" if r == "nan" else hex(r)
        w.test(f"s_fmaak_f32_{case}", RDNA, [f"s_fmaak_f32 s0, s4, s8, {hex(c)}"], [["s", 4, hex(a)], ["s", 8, hex(b)]], [["s", 0, token]], SECTION)
        w.test(f"s_fmamk_f32_{case}", RDNA, [f"s_fmamk_f32 s0, s4, {hex(b)}, s8"], [["s", 4, hex(a)], ["s", 8, hex(c)]], [["s", 0, token]], SECTION)
    from gen_convert import to_int, from_int, narrow
    for case, x in enumerate(sample("f32", 20, "cvt")):
        for t, low, high in (("i32", -2**31, 2**31 - 1), ("u32", 0, 2**32 - 1)):
            w.test(f"s_cvt_{t}_f32_{case}", RDNA, [f"s_cvt_{t}_f32 s0, s4"], [["s", 4, hex(x)]], [["s", 0, hex(to_int(unpack(F32, x), low, high) & M32)]], SECTION)
        r = narrow(F32, F16, x)
        w.test(f"s_cvt_f16_f32_{case}", RDNA, ["s_cvt_f16_f32 s0, s4"], [["s", 4, hex(x)]], [["s", 0, "nan160x0" if r == "nan" else hex(r)]], SECTION)
        y = sample("f32", 20, "cvt b")[case]
        p = [pack(F16, unpack(F32, v), 3) for v in (x, y)]
        if "nan" not in p:
            w.test(f"s_cvt_pk_rtz_f16_f32_{case}", RDNA, ["s_cvt_pk_rtz_f16_f32 s0, s4, s8"], [["s", 4, hex(x)], ["s", 8, hex(y)]], [["s", 0, hex(p[0] | p[1] << 16)]], SECTION)
    for case, x in enumerate(sample("i32", 14, "cvt")):
        w.test(f"s_cvt_f32_i32_{case}", RDNA, ["s_cvt_f32_i32 s0, s4"], [["s", 4, hex(x)]], [["s", 0, hex(from_int(F32, s32(x)))]], SECTION)
        w.test(f"s_cvt_f32_u32_{case}", RDNA, ["s_cvt_f32_u32 s0, s4"], [["s", 4, hex(x)]], [["s", 0, hex(from_int(F32, x))]], SECTION)
    for case, x in enumerate(sample("packed", 14, "cvt")):
        for name, h in (("s_cvt_f32_f16", x & 0xFFFF), ("s_cvt_hi_f32_f16", x >> 16)):
            r = pack(F32, unpack(F16, h))
            w.test(f"{name}_{case}", RDNA, [f"{name} s0, s4"], [["s", 4, hex(x)]], [["s", 0, "nan32" if r == "nan" else hex(r)]], SECTION)
    w.close()


def control():
    w = Writer("scalar_control.insn", "Branches, calls, clocks, MODE, waits, fences.")
    for rdna in (False, True):
        archs, v, e = (RDNA, "vcc_lo", "exec_lo") if rdna else (CDNA, "vcc", "exec")
        skip = ["s_mov_b32 s0, 1", "s_mov_b32 s1, 2"]
        for name, state, taken in [("s_branch", [], 1), ("s_cbranch_scc0", [["scc", 0]], 1), ("s_cbranch_scc0", [["scc", 1]], 0),
                                   ("s_cbranch_scc1", [["scc", 1]], 1), ("s_cbranch_scc1", [["scc", 0]], 0),
                                   ("s_cbranch_vccz", [["vcc", 0]], 1), ("s_cbranch_vccz", [["vcc", 4]], 0),
                                   ("s_cbranch_vccnz", [["vcc", 4]], 1), ("s_cbranch_vccnz", [["vcc", 0]], 0),
                                   ("s_cbranch_execz", [["exec", 0]], 1), ("s_cbranch_execz", [["exec", 2]], 0),
                                   ("s_cbranch_execnz", [["exec", 2]], 1), ("s_cbranch_execnz", [["exec", 0]], 0)]:
            w.test(name, archs, [f"{name} 1"] + skip, state, [["s", 0, 0 if taken else 1], ["s", 1, 2]], SECTION)
        w.test("loop", archs, ["again:", "s_lshl1_add_u32 s0, s0, s1", "s_add_u32 s2, s2, -1" if not rdna else "s_add_co_u32 s2, s2, -1", "s_cmp_lg_u32 s2, 0", "s_cbranch_scc1 again"],
               [["s", 1, 1], ["s", 2, 5]], [["s", 0, 31], ["s", 2, 0]], SECTION)
        add = "s_add_co_u32 s4, s4, 12", "s_add_co_ci_u32 s5, s5, 0"
        add = add if rdna else ("s_add_u32 s4, s4, 12", "s_addc_u32 s5, s5, 0")
        # skips one instruction: s_getpc gives the address behind itself; 4 + 4 + 4 bytes further is the s_mov of s1
        w.test("s_getpc_setpc", archs, ["s_getpc_b64 s[4:5]", add[0].replace("12", "16"), add[1], "s_setpc_b64 s[4:5]", "s_mov_b32 s0, 1", "s_mov_b32 s1, 2"],
               [], [["s", 0, 0], ["s", 1, 2]], SECTION)
        w.test("s_swappc", archs, ["s_getpc_b64 s[4:5]", add[0].replace("12", "16"), add[1], "s_swappc_b64 s[6:7], s[4:5]", "s_mov_b32 s0, 1", "s_mov_b32 s1, 2"],
               [], [["s", 0, 0], ["s", 1, 2]], SECTION)
        w.test("s_call_b64", archs, ["s_call_b64 s[6:7], 1", "s_mov_b32 s0, 1", "s_mov_b32 s1, 2"], [], [["s", 0, 0], ["s", 1, 2]], SECTION)
        w.test("s_setreg_mode", archs, ["s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 3", "s_getreg_b32 s0, hwreg(HW_REG_MODE, 0, 4)"], [], [["s", 0, 3]], SECTION)
        w.test("s_setreg_b32", archs, ["s_setreg_b32 hwreg(HW_REG_MODE, 4, 4), s1", "s_getreg_b32 s0, hwreg(HW_REG_MODE, 4, 4)"], [["s", 1, 5]], [["s", 0, 5]], SECTION)
        nothing = ["s_nop 0", "s_sleep 1", "s_setprio 0", "s_icache_inv", "s_dcache_inv", "s_incperflevel 0", "s_decperflevel 0", "v_nop", "s_barrier" if not rdna else "s_barrier_signal -1",
                   "s_wakeup", "s_sendmsg sendmsg(MSG_INTERRUPT)", "s_sethalt 0", "s_setkill 0"]
        nothing += ["s_barrier_wait -1", "s_wait_loadcnt 0", "s_wait_storecnt 0", "s_wait_dscnt 0", "s_wait_kmcnt 0", "s_wait_loadcnt_dscnt 0",
                    "s_wait_storecnt_dscnt 0", "s_wait_idle", "s_delay_alu instid0(VALU_DEP_1)", "s_clause 0x1", "s_wait_alu 0xfffe", "global_inv scope:SCOPE_DEV", "global_wb scope:SCOPE_DEV",
                    "global_wbinv scope:SCOPE_SYS", "ds_nop", "s_ttracedata_imm 0", "s_ttracedata", "s_waitcnt 0", "s_wait_event 0", "s_sleep_var s0", "s_version UC_VERSION_GFX12", "v_pipeflush", "s_barrier_leave"] if rdna else [
                    "s_waitcnt vmcnt(0) lgkmcnt(0)", "s_dcache_wb", "s_dcache_inv_vol", "s_dcache_wb_vol", "ds_nop", "s_ttracedata", "v_clrexcp"]
        w.test("no_effect", archs, nothing + ["s_mov_b32 s0, 1"], [], [["s", 0, 1]], SECTION)
        w.test("s_endpgm", archs, ["s_endpgm", "s_mov_b32 s0, 1"], [], [["s", 0, 0]], SECTION)
        w.test("s_endpgm_saved", archs, ["s_endpgm_saved", "s_mov_b32 s0, 1"], [], [["s", 0, 0]], SECTION)
        w.test("s_sendmsghalt", archs, ["s_sendmsghalt sendmsg(MSG_INTERRUPT)", "s_mov_b32 s0, 1"], [], [["s", 0, 0]], SECTION)
    w.test("caches_gfx90a", ["gfx90a"], ["buffer_wbl2", "buffer_invl2", "buffer_wbinvl1", "buffer_wbinvl1_vol", "s_mov_b32 s0, 1"], [], [["s", 0, 1]], SECTION)
    w.test("caches_gfx94", ["gfx942", "gfx950"], ["buffer_wbl2 sc1", "buffer_inv sc1", "s_mov_b32 s0, 1"], [], [["s", 0, 1]], SECTION)
    for name in ("s_memtime", "s_memrealtime"):
        w.test(name, CDNA, [f"{name} s[4:5]", "s_waitcnt lgkmcnt(0)", f"{name} s[6:7]", "s_waitcnt lgkmcnt(0)", "s_cmp_lg_u64 s[4:5], s[6:7]"], [], [["scc", 1]], SECTION)
    w.test("s_sendmsg_rtn", RDNA, ["s_sendmsg_rtn_b64 s[4:5], sendmsg(MSG_RTN_GET_REALTIME)", "s_wait_kmcnt 0", "s_sendmsg_rtn_b64 s[6:7], sendmsg(MSG_RTN_GET_REALTIME)", "s_sendmsg_rtn_b32 s8, sendmsg(MSG_RTN_GET_REALTIME)",
                                   "s_cmp_lg_u64 s[4:5], s[6:7]"], [], [["scc", 1]], SECTION)
    w.test("s_round_mode", RDNA, ["s_round_mode 0x5", "s_denorm_mode 0xa", "s_getreg_b32 s0, hwreg(HW_REG_MODE, 0, 8)"], [], [["s", 0, "0xa5"]], SECTION)
    w.test("s_barrier_signal_isfirst", RDNA, ["s_barrier_signal_isfirst -1", "s_barrier_wait -1"], [], [["scc", 1]], SECTION)
    w.test("s_set_gpr_idx", CDNA, ["s_set_gpr_idx_on s0, gpr_idx(SRC0)", "v_mov_b32 v0, v2", "s_set_gpr_idx_off", "s_set_gpr_idx_on s0, gpr_idx(DST)", "v_mov_b32 v2, v1", "s_set_gpr_idx_off", "v_mov_b32 v5, v5"],
           [["s", 0, 3], ["v", 1, 11], ["v", 5, 55]], [["v", 0, 55], ["v", 5, 11]], "CDNA3 ISA 6.6 (GPR indexing)")
    w.test("s_set_gpr_idx_idx", CDNA, ["s_set_gpr_idx_on s0, gpr_idx(SRC0)", "s_set_gpr_idx_idx s1", "v_mov_b32 v0, v2", "s_set_gpr_idx_mode gpr_idx(DST)", "v_mov_b32 v2, v1", "s_set_gpr_idx_off", "v_mov_b32 v6, v6"],
           [["s", 0, 3], ["s", 1, 4], ["v", 1, 11], ["v", 6, 66]], [["v", 0, 66], ["v", 6, 11]], "CDNA3 ISA 6.6 (GPR indexing)")
    w.test("v_movrels", RDNA, ["v_movrels_b32 v0, v2", "v_movreld_b32 v3, v1", "v_movrelsd_b32 v7, v2", "v_mov_b32 v10, v10", "v_mov_b32 v5, v5", "v_mov_b32 v6, v6"],
           [["m0", 3], ["v", 1, 11], ["v", 5, 55]], [["v", 0, 55], ["v", 6, 11], ["v", 10, 55]], "RDNA4 ISA 16.8")
    w.test("v_movrelsd_2", RDNA, ["v_movrelsd_2_b32 v2, v2", "v_swaprel_b32 v7, v7", "v_mov_b32 v5, v5", "v_mov_b32 v6, v6", "v_mov_b32 v10, v10", "v_mov_b32 v11, v11"],
           [["m0", hex(4 << 16 | 3)], ["v", 5, 55], ["v", 10, 8], ["v", 11, 9]], [["v", 6, 55], ["v", 10, 9], ["v", 11, 8]], "RDNA4 ISA 16.8")
    w.close()


if __name__ == "__main__":
    integers()
    floats()
    control()
