#!/usr/bin/env python3
"""Between lanes and parts of registers: lanes.insn (DPP, permutations, readlane), parts.insn (SDWA, halves, dual issue), scratch."""
from fractions import Fraction

from exact import *
from writer import *

M32 = 0xFFFFFFFF
DPP = "CDNA3 ISA 12.17 (DPP), RDNA4 ISA 7.6"


def dpp_source(control, value, l, size):
    row, i = l & ~15, l & 15
    if control == "quad_perm":
        return (l & ~3) + value[l & 3]
    if control == "row_shl":
        return l + value if i + value < 16 else None
    if control == "row_shr":
        return l - value if i >= value else None
    if control == "row_ror":
        return row + (i - value) % 16
    if control == "wave_shl":
        return l + 1 if l + 1 < size else None
    if control == "wave_shr":
        return l - 1 if l else None
    if control == "wave_rol":
        return (l + 1) % size
    if control == "wave_ror":
        return (l - 1) % size
    if control == "row_mirror":
        return row + 15 - i
    if control == "row_half_mirror":
        return (l & ~7) + 7 - (l & 7)
    if control == "row_bcast":
        return (row - 1 if row else None) if value == 15 else (31 if l >= 32 else None)
    if control in ("row_newbcast", "row_share"):
        return row + value
    if control == "row_xmask":
        return row + (i ^ value)
    if control == "dpp8":
        return (l & ~7) + value[l & 7]


def text(control, value):
    if control in ("row_mirror", "row_half_mirror"):
        return control
    if control in ("quad_perm", "dpp8"):
        return f"{control}:[{','.join(map(str, value))}]"
    return f"{control}:{value}"


def dpp(w):
    common = [("quad_perm", (3, 1, 0, 2)), ("row_shl", 1), ("row_shl", 7), ("row_shr", 3), ("row_shr", 15), ("row_ror", 5), ("row_mirror", 0), ("row_half_mirror", 0)]
    cdna = common + [("wave_shl", 1), ("wave_shr", 1), ("wave_rol", 1), ("wave_ror", 1), ("row_bcast", 15), ("row_bcast", 31), ("row_newbcast", 6)]
    rdna = common + [("row_share", 6), ("row_xmask", 5), ("dpp8", (7, 0, 3, 1, 6, 2, 5, 4))]
    for is_rdna, controls in ((False, cdna), (True, rdna)):
        for size in ((64,) if not is_rdna else (32, 64)):
            a, b = sample("i32", size, 1), sample("i32", size, 2)
            for control, value in controls:
                for exec_mask, bound, rows, banks in ((M32 << 32 | M32, True, 15, 15), (M32 << 32 | M32, False, 15, 15), (0x5A5AF0F0_3C3C9999, True, 15, 15), (0x5A5AF0F0_3C3C9999, False, 5, 6)):
                    if control == "dpp8" and (not bound or rows != 15):
                        continue
                    mask = exec_mask & ((1 << size) - 1)
                    out = []
                    for l in range(size):
                        source = dpp_source(control, value, l, size)
                        valid = source is not None and mask >> source & 1
                        selected = rows >> (l // 16 & 3) & 1 and banks >> (l % 16 // 4) & 1
                        write = mask >> l & 1 and selected and (valid or bound or control == "dpp8")
                        out.append((a[source] if valid else 0) + b[l] if write else 0xABCD)
                    tail = text(control, value)
                    if control != "dpp8":
                        tail += f" row_mask:{hex(rows)} bank_mask:{hex(banks)}" + (" bound_ctrl:1" if bound else "")
                    op = "v_add_nc_u32_dpp" if is_rdna else "v_add_u32_dpp"
                    archs = RDNA if is_rdna else CDNA
                    w.test(f"{op}_{control}", archs, [f"{op} v0, v2, v4 {tail}"], [["exec", hex(exec_mask)], ["v", 0, "0xabcd"], ["v", 2] + words(a), ["v", 4] + words(b)],
                           [["v", 0] + words(out)], DPP, [size])
    # fetch-inactive, and a compare with DPP
    a = sample("i32", 32, 3)
    w.test("dpp_fi", RDNA, ["v_mov_b32_dpp v0, v2 row_share:3 row_mask:0xf bank_mask:0xf fi:1"], [["exec", "0x10001"], ["v", 0, "0xabcd"], ["v", 2] + words(a)],
           [["v", 0] + words([a[3] if l == 0 else a[19] if l == 16 else 0xABCD for l in range(32)])], DPP, [32])
    w.test("dpp8_fi", RDNA, ["v_mov_b32_dpp v0, v2 dpp8:[1,1,1,1,1,1,1,1] fi:1"], [["exec", "0x1"], ["v", 0, "0xabcd"], ["v", 2] + words(a)],
           [["v", 0] + words([a[1] if l == 0 else 0xABCD for l in range(32)])], DPP, [32])


def permutations(w):
    for is_rdna in (False, True):
        archs = RDNA if is_rdna else CDNA
        wait = ["s_wait_dscnt 0"] if is_rdna else ["s_waitcnt lgkmcnt(0)"]
        for size in ((64,) if not is_rdna else (32, 64)):
            a = sample("i32", size, 4)
            mask = 0xFFF0FFFF_0F0FFFFF & ((1 << size) - 1)
            address = [(l * 11 % size) * 4 + l % 4 for l in range(size)]
            on = lambda l: mask >> l & 1
            src = lambda l: address[l] // 4 % size
            w.test("ds_bpermute_b32", archs, ["ds_bpermute_b32 v0, v2, v4"] + wait, [["exec", hex(mask)], ["v", 0, 5], ["v", 2] + words(address), ["v", 4] + words(a)],
                   [["v", 0] + words([(a[src(l)] if on(src(l)) else 0) if on(l) else 5 for l in range(size)])], "CDNA3 ISA 11.x, RDNA4 ISA 12.x (LDS permutations)", [size])
            if is_rdna:
                w.test("ds_bpermute_fi_b32", archs, ["ds_bpermute_fi_b32 v0, v2, v4"] + wait, [["exec", hex(mask)], ["v", 0, 5], ["v", 2] + words(address), ["v", 4] + words(a)],
                       [["v", 0] + words([a[src(l)] if on(l) else 5 for l in range(size)])], "RDNA4 ISA 12.x", [size])
            out = [0] * size
            for l in range(size):
                if on(l):
                    out[src(l)] = a[l]
            w.test("ds_permute_b32", archs, ["ds_permute_b32 v0, v2, v4"] + wait, [["exec", hex(mask)], ["v", 0, 5], ["v", 2] + words(address), ["v", 4] + words(a)],
                   [["v", 0] + words([out[l] if on(l) else 5 for l in range(size)])], "CDNA3 ISA 11.x, RDNA4 ISA 12.x (LDS permutations)", [size])
            for offset, f in [(0x8000 | 0b10110001, lambda l: (l & ~3) + (0b10110001 >> (2 * (l & 3)) & 3)), (0x1F | 1 << 10, lambda l: l ^ 1), (0x1F | 16 << 10, lambda l: l ^ 16),
                              (0x18 | 3 << 5, lambda l: l & ~31 | (l & 0x18 | 3)), (0x1F | 31 << 10, lambda l: l ^ 31)]:
                w.test(f"ds_swizzle_b32_{offset:x}", archs, [f"ds_swizzle_b32 v0, v2 offset:{hex(offset)}"] + wait, [["exec", hex(mask)], ["v", 0, 5], ["v", 2] + words(a)],
                       [["v", 0] + words([(a[f(l)] if on(f(l)) else 0) if on(l) else 5 for l in range(size)])], "CDNA3 ISA 11.x, RDNA4 ISA 12.x (swizzle)", [size])
            first = (mask & ~7 & -(mask & ~7)).bit_length() - 1
            w.test("v_readfirstlane_b32", archs, ["v_readfirstlane_b32 s0, v2"], [["exec", hex(mask & ~7)], ["v", 2] + words(a)], [["s", 0, hex(a[first])]], "CDNA3 ISA 12.8, RDNA4 ISA 16.8", [size])
            w.test("v_readfirstlane_b32_none", archs, ["v_readfirstlane_b32 s0, v2"], [["exec", 0], ["v", 2] + words(a)], [["s", 0, hex(a[0])]], "CDNA3 ISA 12.8, RDNA4 ISA 16.8", [size])
            w.test("v_readlane_b32", archs, ["v_readlane_b32 s0, v2, s4"], [["exec", 0], ["s", 4, size - 3], ["v", 2] + words(a)], [["s", 0, hex(a[size - 3])]], "CDNA3 ISA 12.11, RDNA4 ISA 16.11", [size])
            w.test("v_writelane_b32", archs, ["s_mov_b32 m0, 9", "v_writelane_b32 v0, s4, m0"], [["exec", 0], ["s", 4, 77], ["v", 0, 5]], [["v", 0] + words([77 if l == 9 else 5 for l in range(size)])], "CDNA3 ISA 12.11, RDNA4 ISA 16.11", [size])
            w.test("v_swap_b32", archs, ["v_swap_b32 v0, v2"], [["exec", hex(mask)], ["v", 0] + words(a), ["v", 2, 5]],
                   [["v", 0] + words([5 if on(l) else a[l] for l in range(size)]), ["v", 2] + words([a[l] if on(l) else 5 for l in range(size)])], "CDNA3 ISA 12.8, RDNA4 ISA 16.8", [size])
    for size in (32, 64):
        a = sample("i32", size, 5)
        select = 0x0123456789ABCDEF ^ 0x5
        pick = lambda l: select >> (4 * (l & 15)) & 15
        full = (1 << size) - 1
        for x, flip in (("", 0), ("x", 16)):
            st = [["v", 2] + words(a), ["s", 4, hex(select & M32)], ["s", 5, hex(select >> 32)]]
            w.test(f"v_permlane{x}16_b32", RDNA, [f"v_permlane{x}16_b32 v0, v2, s4, s5"], st, [["v", 0] + words([a[((l & ~15) ^ flip) + pick(l)] for l in range(size)])], "RDNA4 ISA 16.11", [size])
            w.test(f"v_permlane{x}16_var_b32", RDNA, [f"v_permlane{x}16_var_b32 v0, v2, v4"], [["v", 2] + words(a), ["v", 4] + words([l * 7 % 16 for l in range(size)])],
                   [["v", 0] + words([a[((l & ~15) ^ flip) + l * 7 % 16] for l in range(size)])], "RDNA4 ISA 16.11", [size])
            # fi: inactive sources count; bc: else they give zero
            mask = 0x0F0F0F0F_33335555 & full
            for sel, fi, bc in (("op_sel:[1,0]", 1, 0), ("op_sel:[0,1]", 0, 1), ("", 0, 0)):
                src = lambda l: ((l & ~15) ^ flip) + pick(l)
                out = [7 if not mask >> l & 1 else a[src(l)] if fi or mask >> src(l) & 1 else 0 if bc else 7 for l in range(size)]
                w.test(f"v_permlane{x}16_b32{sel}", RDNA, [f"v_permlane{x}16_b32 v0, v2, s4, s5 {sel}"], st + [["v", 0, 7], ["exec", hex(mask)]], [["v", 0] + words(out)], "RDNA4 ISA 16.11", [size])
        w.test("v_permlane64_b32", RDNA, ["v_permlane64_b32 v0, v2"], [["v", 2] + words(a)], [["v", 0] + words([a[l ^ 32] if size == 64 else a[l] for l in range(size)])], "RDNA4 ISA 16.8", [size])
    a, b = sample("i32", 64, 6), sample("i32", 64, 7)
    for n in (16, 32):
        x, y = list(a), list(b)  # x: destination, y: source
        for l in range(64):
            if not l & n:
                x[l + n], y[l] = y[l], x[l + n]
        w.test(f"v_permlane{n}_swap_b32", ["gfx950"], [f"v_permlane{n}_swap_b32 v0, v2"], [["v", 0] + words(a), ["v", 2] + words(b)], [["v", 0] + words(x), ["v", 2] + words(y)], "CDNA4 ISA 12.8")


def sdwa(w):
    section = "CDNA3 ISA 12.16 (SDWA)"
    parts = {"BYTE_0": (0, 8), "BYTE_1": (8, 8), "BYTE_2": (16, 8), "BYTE_3": (24, 8), "WORD_0": (0, 16), "WORD_1": (16, 16), "DWORD": (0, 32)}
    a, b, old = sample("i32", 32, 8), sample("i32", 32, 9), 0x89ABCDEF
    get = lambda x, p, s=False: (lambda v, n: v - (1 << n) if s and v >> (n - 1) else v)(x >> parts[p][0] & ((1 << parts[p][1]) - 1), parts[p][1])
    for p0 in parts:
        for p1 in ("BYTE_2", "WORD_1", "DWORD"):
            for sext in (False, True):
                s = "sext(v2)" if sext else "v2"
                w.test(f"sdwa_{p0}_{p1}", CDNA, [f"v_add_u32_sdwa v0, {s}, v4 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:{p0} src1_sel:{p1}"], [["v", 2] + words(a), ["v", 4] + words(b)],
                       [["v", 0] + words([get(x, p0, sext) + get(y, p1) for x, y in zip(a, b)])], section)
    for dst, (shift, width) in parts.items():
        for unused in ("UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"):
            out = []
            for x, y in zip(a, b):
                v = (x ^ y) & ((1 << width) - 1)
                field = ((1 << width) - 1) << shift
                rest = 0
                if unused == "UNUSED_PRESERVE":
                    rest = old & ~field
                elif unused == "UNUSED_SEXT" and v >> (width - 1):
                    rest = ~(field | ((1 << shift) - 1)) & M32
                out.append(v << shift | rest)
            w.test(f"sdwa_{dst}_{unused}", CDNA, [f"v_xor_b32_sdwa v0, v2, v4 dst_sel:{dst} dst_unused:{unused} src0_sel:DWORD src1_sel:DWORD"], [["v", 0, hex(old)], ["v", 2] + words(a), ["v", 4] + words(b)],
                   [["v", 0] + words(out)], section)
    h, k = sample("packed", 32, 10), sample("packed", 32, 11)
    r = [pack(F16, add(unpack(F16, x >> 16), unpack(F16, y & 0xFFFF))) for x, y in zip(h, k)]
    w.test("sdwa_f16", CDNA, ["v_add_f16_sdwa v0, v2, v4 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_1 src1_sel:WORD_0"], [["v", 0, "0x1234"], ["v", 2] + words(h), ["v", 4] + words(k)],
           [["v", 0] + ["_" if x == "nan" else hex(x << 16 | 0x1234) for x in r]], section)
    mask = sum((((x >> 8 & 255) < (y & 0xFFFF)) << i) for i, (x, y) in enumerate(zip(a, b)))
    w.test("sdwa_cmp", CDNA, ["v_cmp_lt_u32_sdwa vcc, v2, v4 src0_sel:BYTE_1 src1_sel:WORD_0"], [["v", 2] + words(a), ["v", 4] + words(b)], [["vcc", hex(mask << 32 | mask)]], section)


def halves(w):
    a, b = sample("i32", 32, 12), sample("i32", 32, 13)
    lo, hi = lambda x: x & 0xFFFF, lambda x: x >> 16
    for d, x, y in (("l", "l", "h"), ("h", "h", "l"), ("h", "l", "l"), ("l", "h", "h")):
        part = {"l": lo, "h": hi}
        r = [(part[x](p) + part[y](q)) & 0xFFFF for p, q in zip(a, b)]
        out = [0xABCD0000 | v if d == "l" else v << 16 | 0x1234 for v in r]
        w.test(f"halves_{d}{x}{y}", RDNA, [f"v_add_nc_u16 v0.{d}, v2.{x}, v4.{y}"], [["v", 0, "0xabcd1234"], ["v", 2] + words(a), ["v", 4] + words(b)], [["v", 0] + words(out)], "RDNA4 ISA 7.x (16-bit operands)")
    w.test("v_swap_b16", RDNA, ["v_swap_b16 v0.l, v2.h"], [["v", 0] + words(a), ["v", 2] + words(b)],
           [["v", 0] + words([x & 0xFFFF0000 | y >> 16 for x, y in zip(a, b)]), ["v", 2] + words([y & 0xFFFF | (x & 0xFFFF) << 16 for x, y in zip(a, b)])], "RDNA4 ISA 16.8")
    r = [(hi(p) + lo(q)) & 0xFFFF for p, q in zip(a, b)]
    w.test("op_sel_u16", CDNA, ["v_add_i16 v0, v2, v4 op_sel:[1,0,1]"], [["v", 0, "0xabcd1234"], ["v", 2] + words(a), ["v", 4] + words(b)], [["v", 0] + words([x << 16 | 0x1234 for x in r])], "CDNA3 ISA 6.2 (op_sel)")


def dual(w):
    section = "RDNA4 ISA 7.6, 16.9 (VOPD)"
    n = 32
    f = [sample("f32", n, ("dual", i)) for i in range(6)]
    # operands whose results are no NaN, for simple expectations
    fine = lambda col: [x if unpack(F32, x)[1] not in ("nan", "inf") else 0x3F800000 for x in col]
    f = [fine(c) for c in f]
    calc = lambda g, *c: [pack(F32, g(*(unpack(F32, x) for x in row))) for row in zip(*c)]
    st = [["v", 2] + words(f[0]), ["v", 4] + words(f[1]), ["v", 3] + words(f[2]), ["v", 5] + words(f[3]), ["v", 0] + words(f[4]), ["v", 1] + words(f[5]), ["vcc", "0x5a5a1234"]]
    token = lambda r: ["nan32" if x == "nan" else hex(x) for x in r]
    pick = lambda largest: (lambda a, b: b if (less(a, b) if largest else less(b, a)) else a)
    ks = 0x40490FDB
    k = [ks] * n
    half = [sample("i32", n, ("dot", i)) for i in range(4)]
    ops = {"add_f32": (2, add), "sub_f32": (2, lambda a, b: add(a, neg(b))), "subrev_f32": (2, lambda a, b: add(b, neg(a))), "mul_f32": (2, mul),
           "mul_dx9_zero_f32": (2, lambda a, b: (0, Fraction(0)) if 0 in (a[1], b[1]) else mul(a, b)), "fmac_f32": (3, fma)}
    results = {}
    for name, (count, g) in ops.items():
        results[name] = [token(calc(g, f[0], f[1], *([f[4]] if count == 3 else []))), token(calc(g, f[2], f[3], *([f[5]] if count == 3 else [])))]
    results["mov_b32"] = [words(f[0]), words(f[2])]
    for name, big in (("max_num_f32", True), ("min_num_f32", False)):
        results[name] = [words([pick_bits(a, b, big) for a, b in zip(f[i], f[i + 1])]) for i in (0, 2)]
    results["cndmask_b32"] = [words([f[i + 1][l] if 0x5A5A1234 >> l & 1 else f[i][l] for l in range(n)]) for i in (0, 2)]
    for name, g in (("add_nc_u32", lambda a, b: a + b), ("lshlrev_b32", lambda a, b: b << (a & 31)), ("and_b32", lambda a, b: a & b)):
        results[name] = [None, words([g(a, b) for a, b in zip(f[2], f[3])])]
    results["fmaak_f32"] = [token(calc(fma, f[0], f[1], k)), token(calc(fma, f[2], f[3], k))]
    results["fmamk_f32"] = [token(calc(fma, f[0], k, f[1])), token(calc(fma, f[2], k, f[3]))]
    def line(name, side):
        d, a, b = (("v0", "v2", "v4"), ("v1", "v3", "v5"))[side]
        if name == "mov_b32":
            return f"v_dual_{name} {d}, {a}"
        if name == "fmaak_f32":
            return f"v_dual_{name} {d}, {a}, {b}, {hex(ks)}"
        if name == "fmamk_f32":
            return f"v_dual_{name} {d}, {a}, {hex(ks)}, {b}"
        return f"v_dual_{name} {d}, {a}, {b}"
    for x in results:
        if results[x][0] is None:
            continue
        for y in results:
            w.test(f"dual_{x}_{y}", RDNA, [f"{line(x, 0)} :: {line(y, 1)}"], st, [["v", 0] + results[x][0], ["v", 1] + results[y][1]], section, [32])
    # both halves read before either writes
    w.test("dual_exchange", RDNA, ["v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v1, v0"], [["v", 0] + words(f[0]), ["v", 1] + words(f[1])], [["v", 0] + words(f[1]), ["v", 1] + words(f[0])], section, [32])
    w.test("dual_reads_old", RDNA, ["v_dual_mov_b32 v0, v2 :: v_dual_add_f32 v1, v0, v3"], st, [["v", 0] + words(f[0]), ["v", 1] + token(calc(add, f[4], f[2]))], section, [32])
    # dot products whose exact sum needs no rounding
    ones = [0x3C003C00, 0x40003C00, 0xBC004400, 0x38003800] * 8
    other = [0x40004200, 0x3C00BC00, 0x44004000, 0x48003C00] * 8
    acc = [0x3F800000, 0x40000000, 0xC1200000, 0] * 8
    bf1, bf2 = [0x3F803F80, 0x40003F80, 0xBF804080, 0x3F003F00] * 8, [0x40004040, 0x3F80BF80, 0x40804000, 0x41003F80] * 8
    def dot(fmt, a, b, c):
        v = (0, Fraction(0))
        for i in range(2):
            v = add(v, mul(unpack(fmt, a >> (16 * i) & 0xFFFF), unpack(fmt, b >> (16 * i) & 0xFFFF)))
        return pack(F32, add(v, unpack(F32, c)))
    for t, fmt, p, q in (("f16", F16, ones, other), ("bf16", BF16, bf1, bf2)):
        r = [dot(fmt, x, y, z) for x, y, z in zip(p, q, acc)]
        s2 = [["v", 2] + words(p), ["v", 4] + words(q), ["v", 0] + words(acc), ["v", 3, 1], ["v", 6] + words(acc)]
        w.test(f"dual_dot2acc_f32_{t}", RDNA, [f"v_dual_dot2acc_f32_{t} v0, v2, v4 :: v_dual_mov_b32 v1, v3"], s2, [["v", 0] + words(r), ["v", 1, 1]], section, [32])
        w.test(f"v_dot2_f32_{t}", (["gfx950"] if t == "bf16" else CDNA) + RDNA, [f"v_dot2_f32_{t} v0, v2, v4, v6"], s2, [["v", 0] + words(r)], "CDNA3 ISA 12.10, RDNA4 ISA 16.10")
        if t == "f16":
            w.test("v_dot2c_f32_f16", CDNA, ["v_dot2c_f32_f16 v0, v2, v4"], s2, [["v", 0] + words(r)], "CDNA3 ISA 12.7")
        else:
            w.test("v_dot2c_f32_bf16", ["gfx950"], ["v_dot2c_f32_bf16 v0, v2, v4"], s2, [["v", 0] + words(r)], "CDNA4 ISA 12.7")
    small = lambda fmt, a, b, c: pack(fmt, add(add(mul(unpack(fmt, a & 0xFFFF), unpack(fmt, b & 0xFFFF)), mul(unpack(fmt, a >> 16), unpack(fmt, b >> 16))), unpack(fmt, c)))
    w.test("v_dot2_f16_f16", RDNA, ["v_dot2_f16_f16 v0.l, v2, v4, v6.l"], [["v", 2] + words(ones), ["v", 4] + words(other), ["v", 6, "0x3c00"]], [["v", 0] + words([small(F16, x, y, 0x3C00) for x, y in zip(ones, other)])], "RDNA4 ISA 16.11")
    w.test("v_dot2_bf16_bf16", RDNA, ["v_dot2_bf16_bf16 v0.l, v2, v4, v6.l"], [["v", 2] + words(bf1), ["v", 4] + words(bf2), ["v", 6, "0x3f80"]], [["v", 0] + words([small(BF16, x, y, 0x3F80) for x, y in zip(bf1, bf2)])], "RDNA4 ISA 16.11")
    from gen_convert import small_unpack
    e = [0x38403C44, 0x3C3C3C3C, 0xB8404030]
    for p in ("fp8", "bf8"):
        for q in ("fp8", "bf8"):
            r = []
            for x, y in zip(e, e[::-1]):
                v = (0, Fraction(0))
                for i in range(4):
                    v = add(v, mul(small_unpack(p, x >> (8 * i) & 255), small_unpack(q, y >> (8 * i) & 255)))
                r.append(pack(F32, add(v, unpack(F32, 0x3F800000))))
            w.test(f"v_dot4_f32_{p}_{q}", RDNA, [f"v_dot4_f32_{p}_{q} v0, v2, v4, v6"], [["v", 2] + words(e), ["v", 4] + words(e[::-1]), ["v", 6, "0x3f800000"]], [["v", 0] + words(r)], "RDNA4 ISA 16.10")


def pick_bits(a, b, big):
    if a << 1 & M32 == 0 and b << 1 & M32 == 0:
        return a & b if big else a | b
    va, vb = unpack(F32, a), unpack(F32, b)
    return b if (less(va, vb) if big else less(vb, va)) else a


def literals(w):
    """Operands that are constants: inline integers and floats, literals, special registers."""
    for rdna in (False, True):
        archs = RDNA if rdna else CDNA
        u = "v_add_nc_u32" if rdna else "v_add_u32"
        for c, v in (("64", 64), ("-16", M32 - 15), ("0.5", 0x3F000000), ("-4.0", 0xC0800000), ("0x12345678", 0x12345678)):
            w.test(f"constant_{c}", archs, [f"{u} v0, {c}, v2"], [["v", 2, 5]], [["v", 0, hex(v + 5 & M32)]], "CDNA3 ISA 6.1, RDNA4 ISA 7.1 (operands)")
        w.test("constant_f32", archs, ["v_mul_f32 v0, 0.5, v2"], [["v", 2, "0x40400000"]], [["v", 0, "0x3fc00000"]], "CDNA3 ISA 6.1, RDNA4 ISA 7.1 (operands)")
        w.test("constant_f64", archs, ["v_mul_f64 v[0:1], 0.5, v[2:3]"], [["v", 3, "0x40080000"]], [["v", 0, 0], ["v", 1, "0x3ff80000"]], "CDNA3 ISA 6.1, RDNA4 ISA 7.1 (operands)")
        w.test("constant_2pi", archs, ["v_mul_f32 v0, 0.15915494, v2"], [["v", 2, "0x3f800000"]], [["v", 0, "0x3e22f983"]], "CDNA3 ISA 6.1, RDNA4 ISA 7.1 (operands)")
        h = ".l" if rdna else ""
        w.test("constant_f16", archs, [f"v_mul_f16 v0{h}, 0.5, v2{h}"], [["v", 2, "0x4200"]], [["v", 0, "0x3e00"]], "CDNA3 ISA 6.1, RDNA4 ISA 7.1 (operands)")
        w.test("sgpr_and_scc", archs, [f"{u} v0, s4, v2", "s_cselect_b32 s5, s4, 0"], [["s", 4, 9], ["v", 2, 5], ["scc", 1]], [["v", 0, 14], ["s", 5, 9]], "CDNA3 ISA 6.1, RDNA4 ISA 7.1 (operands)")
        for k in ("fmaak", "fmamk"):
            ops = "v2, v4, 0x40490fdb" if k == "fmaak" else "v2, 0x40490fdb, v4"
            a, b, c = unpack(F32, 0x3FC00000), unpack(F32, 0x41200000), unpack(F32, 0x40490FDB)
            r = fma(a, b, c) if k == "fmaak" else fma(a, c, b)
            if True:
                w.test(f"v_{k}_f32", ["gfx942", "gfx950"] if not rdna else RDNA, [f"v_{k}_f32 v0, {ops}"], [["v", 2, "0x3fc00000"], ["v", 4, "0x41200000"]], [["v", 0, hex(pack(F32, r))]], "CDNA3 ISA 12.7, RDNA4 ISA 16.7")
            if rdna:
                ops16 = "v2.l, v4.l, 0x4248" if k == "fmaak" else "v2.l, 0x4248, v4.l"
                a, b, c = unpack(F16, 0x3E00), unpack(F16, 0x4900), unpack(F16, 0x4248)
                r = fma(a, b, c) if k == "fmaak" else fma(a, c, b)
                w.test(f"v_{k}_f16", RDNA, [f"v_{k}_f16 v0.l, {ops16}"], [["v", 2, "0x3e00"], ["v", 4, "0x4900"]], [["v", 0, hex(pack(F16, r))]], "RDNA4 ISA 16.7")
    # unfused multiply-add of gfx90a and, for f16, of all gfx9
    step = lambda fmt, a, b, c: pack(fmt, add(unpack(fmt, pack(fmt, mul(a, b))), c))
    a, b, c = 0x3F800001, 0x3F800003, 0xBF800000
    r = step(F32, *(unpack(F32, x) for x in (a, b, c)))
    for name, code in (("v_mad_f32", "v_mad_f32 v0, v2, v4, v6"), ("v_mac_f32", "v_mac_f32 v0, v2, v4"), ("v_madmk_f32", f"v_madmk_f32 v0, v2, {hex(b)}, v6"), ("v_madak_f32", f"v_madak_f32 v0, v2, v4, {hex(c)}"),
                       ("v_mad_legacy_f32", "v_mad_legacy_f32 v0, v2, v4, v6")):
        w.test(name, ["gfx90a"], [code], [["v", 0, hex(c)], ["v", 2, hex(a)], ["v", 4, hex(b)], ["v", 6, hex(c)]], [["v", 0, hex(r)]], "CDNA2 ISA 12.7")
    a, b, c = 0x3C01, 0x3C03, 0xBC00
    r = step(F16, *(unpack(F16, x) for x in (a, b, c)))
    for name, code in (("v_mad_f16", "v_mad_f16 v0, v2, v4, v6"), ("v_mac_f16", "v_mac_f16 v0, v2, v4"), ("v_madmk_f16", f"v_madmk_f16 v0, v2, {hex(b)}, v6"), ("v_madak_f16", f"v_madak_f16 v0, v2, v4, {hex(c)}"),
                       ("v_mad_legacy_f16", "v_mad_legacy_f16 v0, v2, v4, v6")):
        w.test(name, CDNA, [code], [["v", 0, hex(c)], ["v", 2, hex(a)], ["v", 4, hex(b)], ["v", 6, hex(c)]], [["v", 0, hex(r)]], "CDNA3 ISA 12.7")
    r = pack(F16, fma(*(unpack(F16, x) for x in (a, b, c))))
    w.test("v_fma_legacy_f16", CDNA, ["v_fma_legacy_f16 v0, v2, v4, v6"], [["v", 2, hex(a)], ["v", 4, hex(b)], ["v", 6, hex(c)]], [["v", 0, hex(r)]], "CDNA3 ISA 12.11")
    # registers of the accumulator file
    w.test("v_accvgpr", CDNA, ["v_accvgpr_write_b32 a0, v2", "v_accvgpr_mov_b32 a1, a0", "v_accvgpr_read_b32 v0, a1"], [["v", 2, 77]], [["v", 0, 77]], "CDNA3 ISA 12.10")
    # mqsad of four dwords
    byte = lambda x, i: x >> (8 * i) & 255
    msad = lambda a, b, c: c + sum(abs(byte(a, i) - byte(b, i)) for i in range(4) if byte(b, i)) & M32
    s0, s1, s2 = 0x123456789ABCDEF0, 0x00FF1280, (1, 2, 3, 4)
    r = [msad(s0 >> (8 * i) & M32, s1, s2[i]) for i in range(4)]
    w.test("v_mqsad_u32_u8", ALL, ["v_mqsad_u32_u8 v[0:3], v[4:5], v6, v[8:11]"], [["v", 4, hex(s0 & M32)], ["v", 5, hex(s0 >> 32)], ["v", 6, hex(s1)]] + [["v", 8 + i, x] for i, x in enumerate(s2)],
           [["v", i, hex(x)] for i, x in enumerate(r)], "CDNA3 ISA 12.11, RDNA4 ISA 16.11")
    # mullit: a product with rules for lighting
    lowest = 0xFF7FFFFF
    for i, (x, y, z, r) in enumerate([(0x40000000, 0x40400000, 0x3F800000, 0x40C00000), (0x40000000, lowest, 0x3F800000, lowest), (0x40000000, 0x40400000, 0xBF800000, lowest), (0, 0x7F800000, 0x3F800000, 0)]):
        w.test(f"v_mullit_f32_{i}", RDNA, ["v_mullit_f32 v0, v2, v4, v6"], [["v", 2, hex(x)], ["v", 4, hex(y)], ["v", 6, hex(z)]], [["v", 0, hex(r)]], "RDNA4 ISA 16.11")


if __name__ == "__main__":
    w = Writer("lanes.insn", "Operations between lanes.")
    dpp(w)
    permutations(w)
    w.close()
    w = Writer("parts.insn", "Parts of registers, dual issue, constants.")
    sdwa(w)
    halves(w)
    dual(w)
    literals(w)
    w.close()
