#!/usr/bin/env python3
"""Vector arithmetic: vector_int.insn, vector_float.insn, vector_half.insn, vector_double.insn, vector_packed.insn."""
from fractions import Fraction

from exact import *
from writer import *

M32, M64 = 0xFFFFFFFF, (1 << 64) - 1
LANES = 32
MANUAL = {"int": "CDNA3 ISA 12.7-12.11, RDNA4 ISA 16.7-16.13", "float": "CDNA3 ISA 12.7-12.11, RDNA4 ISA 16.7-16.13"}


def s32(x):
    return x - (1 << 32) if x & 0x80000000 else x


def s16(x):
    x &= 0xFFFF
    return x - (1 << 16) if x & 0x8000 else x


def s64(x):
    return x - (1 << 64) if x >> 63 & 1 else x


def s24(x):
    x &= 0xFFFFFF
    return x - (1 << 24) if x & 0x800000 else x


def clamp(x, low, high):
    return max(low, min(high, x))


WIDE = {"f64", "i64"}
HALF = {"f16", "i16"}


def register(kind, n, rdna, half="l"):
    if kind in WIDE:
        return f"v[{n}:{n + 1}]"
    return f"v{n}.{half}" if rdna and kind in HALF else f"v{n}"


def results(kind, values, keep):
    """Lines of `expect` for v0 (and v1)."""
    if kind in WIDE:
        low = ["_" if v == "nan" else hex(v & M32) for v in values]
        high = ["nan64" if v == "nan" else hex(v >> 32 & M32) for v in values]
        return [["v", 0] + low, ["v", 1] + high]
    if kind in HALF:
        top = 0xABCD0000 if keep else 0
        return [["v", 0] + [f"nan16{hex(top >> 16)}" if v == "nan" else hex((v & 0xFFFF) | top) for v in values]]
    return [["v", 0] + ["nan32" if v == "nan" else v if isinstance(v, str) else hex(v & M32) for v in values]]


def emit(w, names, kinds, out, f, keep9=False, suffix="", state=(), section="", archs9=CDNA, tie=False, seed=0, mode=None):
    """names: (CDNA's, RDNA's); None where there is none. tie: the destination is the last source."""
    for rdna in (False, True):
        name = names[rdna]
        if not name:
            continue
        columns = [sample(k, LANES, (name, i, seed)) for i, k in enumerate(kinds)]
        values = [f(*row) for row in zip(*columns)]
        lines, operands = list(state), [register(out, 0, rdna)]
        if mode is not None:
            lines.append(["mode", hex(mode)])
        for i, (kind, column) in enumerate(zip(kinds, columns)):
            n = 0 if tie and i == len(kinds) - 1 else 2 + 2 * i
            if kind in HALF and (n or not rdna):
                column = [v | 0x55AA0000 for v in column]
            elif kind in HALF:
                column = [v | 0xABCD0000 for v in column]
            lines.append(["v", n] + words([v & M32 for v in column]))
            if kind in WIDE:
                lines.append(["v", n + 1] + words([v >> 32 for v in column]))
            if not (tie and i == len(kinds) - 1):
                operands.append(register(kind, n, rdna))
        if not tie:
            lines.append(["v", 0, hex(0xABCD1234)])
        w.test(name + suffix.replace(" ", "_"), RDNA if rdna else archs9, [f"{name} {', '.join(operands)}{suffix}"], lines,
               results(out, values, rdna or keep9), section or MANUAL["int"])


def ints():
    w = Writer("vector_int.insn", "Integers, bit patterns and 16-bit integers.")
    u, i2, i3 = "i32", ["i32"] * 2, ["i32"] * 3
    two = lambda n9, n12, f, **k: emit(w, (n9, n12), i2, u, f, **k)
    three = lambda n9, n12, f, **k: emit(w, (n9, n12), i3, u, f, **k)
    one = lambda n9, n12, f, **k: emit(w, (n9, n12), ["i32"], u, f, **k)
    two("v_add_u32", "v_add_nc_u32", lambda a, b: a + b)
    two("v_sub_u32", "v_sub_nc_u32", lambda a, b: a - b)
    two("v_subrev_u32", "v_subrev_nc_u32", lambda a, b: b - a)
    two("v_add_u32", "v_add_nc_u32", lambda a, b: min(a + b, M32), suffix=" clamp")
    two("v_sub_u32", "v_sub_nc_u32", lambda a, b: max(a - b, 0), suffix=" clamp")
    two("v_add_i32", "v_add_nc_i32", lambda a, b: a + b)
    two("v_sub_i32", "v_sub_nc_i32", lambda a, b: a - b)
    two("v_add_i32", "v_add_nc_i32", lambda a, b: clamp(s32(a) + s32(b), -2**31, 2**31 - 1), suffix=" clamp")
    two("v_mul_lo_u32", "v_mul_lo_u32", lambda a, b: a * b)
    two("v_mul_hi_u32", "v_mul_hi_u32", lambda a, b: a * b >> 32)
    two("v_mul_hi_i32", "v_mul_hi_i32", lambda a, b: s32(a) * s32(b) >> 32)
    two("v_mul_u32_u24", "v_mul_u32_u24", lambda a, b: (a & 0xFFFFFF) * (b & 0xFFFFFF))
    two("v_mul_i32_i24", "v_mul_i32_i24", lambda a, b: s24(a) * s24(b))
    two("v_mul_hi_u32_u24", "v_mul_hi_u32_u24", lambda a, b: (a & 0xFFFFFF) * (b & 0xFFFFFF) >> 32)
    two("v_mul_hi_i32_i24", "v_mul_hi_i32_i24", lambda a, b: s24(a) * s24(b) >> 32)
    two("v_lshlrev_b32", "v_lshlrev_b32", lambda a, b: b << (a & 31))
    two("v_lshrrev_b32", "v_lshrrev_b32", lambda a, b: b >> (a & 31))
    two("v_ashrrev_i32", "v_ashrrev_i32", lambda a, b: s32(b) >> (a & 31))
    for name, f in [("and", lambda a, b: a & b), ("or", lambda a, b: a | b), ("xor", lambda a, b: a ^ b),
                    ("xnor", lambda a, b: ~(a ^ b))]:
        two(f"v_{name}_b32", f"v_{name}_b32", f)
    for t, key in (("u32", lambda x: x), ("i32", s32)):
        two(f"v_max_{t}", f"v_max_{t}", lambda a, b: max(a, b, key=key))
        two(f"v_min_{t}", f"v_min_{t}", lambda a, b: min(a, b, key=key))
        three(f"v_max3_{t}", f"v_max3_{t}", lambda a, b, c: max(a, b, c, key=key))
        three(f"v_min3_{t}", f"v_min3_{t}", lambda a, b, c: min(a, b, c, key=key))
        three(f"v_med3_{t}", f"v_med3_{t}", lambda a, b, c: sorted((a, b, c), key=key)[1])
        three(None, f"v_maxmin_{t}", lambda a, b, c: min(max(a, b, key=key), c, key=key))
        three(None, f"v_minmax_{t}", lambda a, b, c: max(min(a, b, key=key), c, key=key))
    three("v_add3_u32", "v_add3_u32", lambda a, b, c: a + b + c)
    three("v_lshl_add_u32", "v_lshl_add_u32", lambda a, b, c: (a << (b & 31)) + c)
    three("v_add_lshl_u32", "v_add_lshl_u32", lambda a, b, c: (a + b & M32) << (c & 31))
    three("v_lshl_or_b32", "v_lshl_or_b32", lambda a, b, c: a << (b & 31) | c)
    three("v_and_or_b32", "v_and_or_b32", lambda a, b, c: a & b | c)
    three("v_or3_b32", "v_or3_b32", lambda a, b, c: a | b | c)
    three(None, "v_xor3_b32", lambda a, b, c: a ^ b ^ c)
    three("v_xad_u32", "v_xad_u32", lambda a, b, c: (a ^ b) + c)
    three("v_bfi_b32", "v_bfi_b32", lambda a, b, c: a & b | ~a & c)
    three("v_bfe_u32", "v_bfe_u32", lambda a, b, c: a >> (b & 31) & ((1 << (c & 31)) - 1))

    def bfe_i32(a, b, c):
        offset, width = b & 31, c & 31
        if width == 0:
            return 0
        if offset + width >= 32:
            return s32(a) >> offset
        field = a >> offset & ((1 << width) - 1)
        return field - (1 << width) if field >> (width - 1) else field
    three("v_bfe_i32", "v_bfe_i32", bfe_i32)
    two("v_bfm_b32", "v_bfm_b32", lambda a, b: ((1 << (a & 31)) - 1) << (b & 31))
    three("v_alignbit_b32", "v_alignbit_b32", lambda a, b, c: (a << 32 | b) >> (c & 31))
    three("v_alignbyte_b32", "v_alignbyte_b32", lambda a, b, c: (a << 32 | b) >> (8 * (c & 3)))
    three("v_mad_u32_u24", "v_mad_u32_u24", lambda a, b, c: (a & 0xFFFFFF) * (b & 0xFFFFFF) + c)
    three("v_mad_i32_i24", "v_mad_i32_i24", lambda a, b, c: s24(a) * s24(b) + c)

    def perm(a, b, c):
        both, r = a << 32 | b, 0
        for i in range(4):
            s = c >> (8 * i) & 0xFF
            if s >= 13:
                byte = 0xFF
            elif s == 12:
                byte = 0
            elif s >= 8:
                byte = 0xFF if both >> (16 * (s - 8) + 15) & 1 else 0
            else:
                byte = both >> (8 * s) & 0xFF
            r |= byte << (8 * i)
        return r
    three("v_perm_b32", "v_perm_b32", perm)
    sel = [0x07060504, 0x03020100, 0x0C0B0A09, 0x080D0E00, 0x01040507]
    for n12 in (False, True):
        for c in sel:
            a, b = sample("i32", LANES, 1), sample("i32", LANES, 2)
            w.test(f"v_perm_b32_{c:x}", RDNA if n12 else CDNA, ["v_perm_b32 v0, v2, v4, v6"],
                   [["v", 2] + words(a), ["v", 4] + words(b), ["v", 6, hex(c)]],
                   [["v", 0] + words([perm(x, y, c) for x, y in zip(a, b)])], MANUAL["int"])
    byte = lambda x, i: x >> (8 * i) & 0xFF
    sad = lambda a, b, c, masked=False: c + sum(abs(byte(a, i) - byte(b, i)) for i in range(4) if not masked or byte(b, i))
    three("v_sad_u8", "v_sad_u8", sad)
    three("v_sad_hi_u8", "v_sad_hi_u8", lambda a, b, c: (sad(a, b, 0) << 16) + c)
    three("v_sad_u16", "v_sad_u16", lambda a, b, c: c + abs((a & 0xFFFF) - (b & 0xFFFF)) + abs((a >> 16) - (b >> 16)))
    three("v_sad_u32", "v_sad_u32", lambda a, b, c: c + abs(a - b))
    three("v_msad_u8", "v_msad_u8", lambda a, b, c: sad(a, b, c, True))
    three("v_lerp_u8", "v_lerp_u8",
          lambda a, b, c: sum(((byte(a, i) + byte(b, i) + (c >> (8 * i) & 1)) >> 1) << (8 * i) for i in range(4)))
    quad = lambda a, b, c, m: sum(((sad(a >> (8 * i) & M32, b, c >> (16 * i) & 0xFFFF, m)) & 0xFFFF) << (16 * i) for i in range(4))
    emit(w, ("v_qsad_pk_u16_u8",) * 2, ["i64", "i32", "i64"], "i64", lambda a, b, c: quad(a, b, c, False))
    emit(w, ("v_mqsad_pk_u16_u8",) * 2, ["i64", "i32", "i64"], "i64", lambda a, b, c: quad(a, b, c, True))
    one("v_not_b32", "v_not_b32", lambda a: ~a)
    one("v_mov_b32", "v_mov_b32", lambda a: a)
    one("v_bfrev_b32", "v_bfrev_b32", lambda a: int(f"{a:032b}"[::-1], 2))
    one("v_ffbh_u32", "v_clz_i32_u32", lambda a: 32 - a.bit_length() if a else -1)
    one("v_ffbl_b32", "v_ctz_i32_b32", lambda a: (a & -a).bit_length() - 1 if a else -1)

    def ffbh_i32(a):
        x = a ^ M32 if a >> 31 else a
        return 32 - x.bit_length() if x else -1
    one("v_ffbh_i32", "v_cls_i32", ffbh_i32)
    one("v_sat_pk_u8_i16" , None, lambda a: clamp(s16(a), 0, 255) | clamp(s16(a >> 16), 0, 255) << 8)
    two("v_bcnt_u32_b32", "v_bcnt_u32_b32", lambda a, b: bin(a).count("1") + b)
    emit(w, ("v_prng_b32", None), ["i32"], u, lambda a: (a << 1 & M32) ^ (197 if a >> 31 else 0), archs9=["gfx950"])
    for table in (0x96, 0xE8, 0x01, 0x80, 0x5A):
        def logic(a, b, c, table=table):
            r = 0
            for bit in range(32):
                i = (a >> bit & 1) * 4 + (b >> bit & 1) * 2 + (c >> bit & 1)
                r |= (table >> i & 1) << bit
            return r
        emit(w, ("v_bitop3_b32", None), i3, u, logic, archs9=["gfx950"], suffix=f" bitop3:{hex(table)}")
        emit(w, ("v_bitop3_b16", None), ["i16"] * 3, "i16", lambda a, b, c: logic(a, b, c) & 0xFFFF, archs9=["gfx950"],
             suffix=f" bitop3:{hex(table)}")
    for t, low, high in (("i8", -128, 127), ("u8", 0, 255)):
        emit(w, (f"v_ashr_pk_{t}_i32", None), i3, "i16",
             lambda a, b, c: (clamp(s32(a) >> (c & 31), low, high) & 0xFF) | (clamp(s32(b) >> (c & 31), low, high) & 0xFF) << 8,
             archs9=["gfx950"], keep9=True)
    # 64 bits
    emit(w, ("v_lshlrev_b64",) * 2, ["i32", "i64"], "i64", lambda a, b: b << (a & 63))
    emit(w, ("v_lshrrev_b64",) * 2, ["i32", "i64"], "i64", lambda a, b: b >> (a & 63))
    emit(w, ("v_ashrrev_i64",) * 2, ["i32", "i64"], "i64", lambda a, b: s64(b) >> (a & 63) & M64)
    emit(w, ("v_lshl_add_u64", None), ["i64", "i32", "i64"], "i64", lambda a, b, c: (a << (b & 7)) + c, archs9=["gfx942", "gfx950"])
    emit(w, ("v_mov_b64", None), ["i64"], "i64", lambda a: a, archs9=["gfx942", "gfx950"])
    # 16 bits
    h2, h3 = ["i16"] * 2, ["i16"] * 3
    two16 = lambda n9, n12, f, **k: emit(w, (n9, n12), h2, "i16", f, **k)
    three16 = lambda n9, n12, f, **k: emit(w, (n9, n12), h3, "i16", f, keep9=True, **k)
    two16("v_add_u16", "v_add_nc_u16", lambda a, b: a + b)
    two16("v_sub_u16", "v_sub_nc_u16", lambda a, b: a - b)
    two16("v_subrev_u16", None, lambda a, b: b - a)
    two16("v_add_u16", "v_add_nc_u16", lambda a, b: min(a + b, 0xFFFF), suffix=" clamp")
    two16("v_add_i16", "v_add_nc_i16", lambda a, b: a + b, keep9=True)
    two16("v_sub_i16", "v_sub_nc_i16", lambda a, b: a - b, keep9=True)
    two16("v_mul_lo_u16", "v_mul_lo_u16", lambda a, b: a * b)
    two16("v_lshlrev_b16", "v_lshlrev_b16", lambda a, b: b << (a & 15))
    two16("v_lshrrev_b16", "v_lshrrev_b16", lambda a, b: b >> (a & 15))
    two16("v_ashrrev_i16", "v_ashrrev_i16", lambda a, b: s16(b) >> (a & 15))
    for name, f in [("and", lambda a, b: a & b), ("or", lambda a, b: a | b), ("xor", lambda a, b: a ^ b)]:
        two16(None, f"v_{name}_b16", f)
    emit(w, (None, "v_not_b16"), ["i16"], "i16", lambda a: ~a)
    emit(w, (None, "v_mov_b16"), ["i16"], "i16", lambda a: a)
    emit(w, (None, "v_sat_pk_u8_i16"), ["i32"], "i16", lambda a: clamp(s16(a), 0, 255) | clamp(s16(a >> 16), 0, 255) << 8)
    emit(w, (None, "v_cvt_u32_u16"), ["i16"], "i32", lambda a: a)
    emit(w, (None, "v_cvt_i32_i16"), ["i16"], "i32", lambda a: s16(a))
    for t, key in (("u16", lambda x: x & 0xFFFF), ("i16", s16)):
        two16(f"v_max_{t}", f"v_max_{t}", lambda a, b: max(a, b, key=key))
        two16(f"v_min_{t}", f"v_min_{t}", lambda a, b: min(a, b, key=key))
        three16(f"v_max3_{t}", f"v_max3_{t}", lambda a, b, c: max(a, b, c, key=key))
        three16(f"v_min3_{t}", f"v_min3_{t}", lambda a, b, c: min(a, b, c, key=key))
        three16(f"v_med3_{t}", f"v_med3_{t}", lambda a, b, c: sorted((a, b, c), key=key)[1])
        three16(f"v_mad_{t}", f"v_mad_{t}", lambda a, b, c: a * b + c)
        emit(w, (f"v_mad_legacy_{t}", None), h3, "i16", lambda a, b, c: a * b + c)
    emit(w, ("v_mad_u32_u16",) * 2, ["i16", "i16", "i32"], "i32", lambda a, b, c: a * b + c)
    emit(w, ("v_mad_i32_i16",) * 2, ["i16", "i16", "i32"], "i32", lambda a, b, c: s16(a) * s16(b) + c)
    emit(w, ("v_pack_b32_f16",) * 2, ["i16", "i16"], "i32", lambda a, b: a | b << 16)
    # carries: a second result and a carry-in, both lane masks
    for rdna in (False, True):
        a, b = sample("i32", LANES, 5), sample("i32", LANES, 6)
        mask = lambda flags: sum(f << i for i, f in enumerate(flags)) * ((1 << 32) + 1)
        carry_in = 0x5A5A1234_5A5A1234
        vcc = "vcc_lo" if rdna else "vcc"
        for n9, n12, f in [("v_add_co_u32", "v_add_co_u32", lambda x, y, c: x + y),
                           ("v_sub_co_u32", "v_sub_co_u32", lambda x, y, c: x - y),
                           ("v_subrev_co_u32", "v_subrev_co_u32", lambda x, y, c: y - x),
                           ("v_addc_co_u32", "v_add_co_ci_u32", lambda x, y, c: x + y + c),
                           ("v_subb_co_u32", "v_sub_co_ci_u32", lambda x, y, c: x - y - c),
                           ("v_subbrev_co_u32", "v_subrev_co_ci_u32", lambda x, y, c: y - x - c)]:
            name = n12 if rdna else n9
            tail = f", {vcc}" if n9 in ("v_addc_co_u32", "v_subb_co_u32", "v_subbrev_co_u32") else ""
            r = [f(x, y, carry_in >> i & 1) for i, (x, y) in enumerate(zip(a, b))]
            w.test(name, RDNA if rdna else CDNA, [f"{name} v0, {vcc}, v2, v4{tail}"],
                   [["v", 2] + words(a), ["v", 4] + words(b), ["vcc", hex(carry_in)]],
                   [["v", 0] + words(r), ["vcc", hex(mask([int(not 0 <= x <= M32) for x in r]))]], MANUAL["int"],
                   waves=[32] if rdna else None)
        a, b, c = sample("i32", LANES, 7), sample("i32", LANES, 8), sample("i64", LANES, 9)
        for n, f, ok in [("u64_u32", lambda x, y, z: x * y + z, lambda r, x, y, z: r > M64),
                         ("i64_i32", lambda x, y, z: s32(x) * s32(y) + s64(z), lambda r, x, y, z: not -2**63 <= r < 2**63)]:
            name = f"v_mad_co_{n}" if rdna else f"v_mad_{n}"
            r = [f(x, y, z) for x, y, z in zip(a, b, c)]
            flags = [int(ok(v, x, y, z)) for v, x, y, z in zip(r, a, b, c)]
            w.test(name, RDNA if rdna else CDNA, [f"{name} v[0:1], {vcc}, v2, v4, v[6:7]"],
                   [["v", 2] + words(a), ["v", 4] + words(b), ["v", 6] + words(c), ["v", 7] + words([x >> 32 for x in c])],
                   [["v", 0] + words(r), ["v", 1] + words([x >> 32 for x in r]), ["vcc", hex(mask(flags))]], MANUAL["int"],
                   waves=[32] if rdna else None)
    # selects by a lane mask
    a, b, m = sample("i32", LANES, 10), sample("i32", LANES, 11), 0xF0F0AAAA
    picked = [y if m >> i & 1 else x for i, (x, y) in enumerate(zip(a, b))]
    w.test("v_cndmask_b32", CDNA, ["v_cndmask_b32 v0, v2, v4, vcc"],
           [["v", 2] + words(a), ["v", 4] + words(b), ["vcc", hex(m << 32 | m)]], [["v", 0] + words(picked)], MANUAL["int"])
    w.test("v_cndmask_b32", RDNA, ["v_cndmask_b32 v0, v2, v4, vcc_lo"],
           [["v", 2] + words(a), ["v", 4] + words(b), ["vcc", hex(m)]], [["v", 0] + words(picked)], MANUAL["int"], [32])
    w.test("v_cndmask_b16", RDNA, ["v_cndmask_b16 v0.l, v2.l, v4.h, vcc_lo"],
           [["v", 0, "0xabcd0000"], ["v", 2] + words(a), ["v", 4] + words(b), ["vcc", hex(m)]],
           [["v", 0] + words([0xABCD0000 | (y >> 16 if m >> i & 1 else x & 0xFFFF) for i, (x, y) in enumerate(zip(a, b))])],
           MANUAL["int"], [32])
    for name, base in (("lo", 0), ("hi", 32)):
        for archs, waves in ((CDNA, [64]), (RDNA, [32])):
            lanes = waves[0]
            r = [bin(m & ((1 << clamp(l - base, 0, 32)) - 1)).count("1") + 7 for l in range(lanes)]
            w.test(f"v_mbcnt_{name}", archs, [f"v_mbcnt_{name}_u32_b32 v0, v2, v4"], [["v", 2, hex(m)], ["v", 4, "7"]],
                   [["v", 0] + words(r)], MANUAL["int"], waves)
    dots(w)
    w.close()


def dots(w):
    part = lambda x, width, i, sign: (lambda f: f - (1 << width) if sign and f >> (width - 1) else f)(x >> (width * i) & ((1 << width) - 1))
    dot = lambda a, b, c, width, sa, sb: sum(part(a, width, i, sa) * part(b, width, i, sb) for i in range(32 // width)) + c
    i3 = ["i32"] * 3
    for width, bits in ((8, 4), (4, 8)):
        emit(w, (f"v_dot{bits}_i32_i{width}", None), i3, "i32", lambda a, b, c: dot(a, b, c, width, True, True))
        emit(w, (f"v_dot{bits}_i32_i{width}", None), i3, "i32", lambda a, b, c: clamp(dot(a, b, s32(c), width, True, True), -2**31, 2**31 - 1), suffix=" clamp")
        emit(w, (f"v_dot{bits}_u32_u{width}",) * 2, i3, "i32", lambda a, b, c: dot(a, b, c, width, False, False))
        emit(w, (f"v_dot{bits}_u32_u{width}",) * 2, i3, "i32", lambda a, b, c: min(dot(a, b, c, width, False, False), M32), suffix=" clamp")
        emit(w, (f"v_dot{bits}c_i32_i{width}", None), i3, "i32", lambda a, b, c: dot(a, b, c, width, True, True), tie=True)
        for na, nb in ((0, 0), (1, 0), (0, 1), (1, 1)):
            emit(w, (None, f"v_dot{bits}_i32_iu{width}"), i3, "i32", lambda a, b, c: dot(a, b, c, width, na, nb),
                 suffix=f" neg_lo:[{na},{nb},0]")
    for t, sign in (("i", True), ("u", False)):
        emit(w, (f"v_dot2_{t}32_{t}16", None), i3, "i32", lambda a, b, c: dot(a, b, c, 16, sign, sign))
    emit(w, ("v_dot2c_i32_i16", None), i3, "i32", lambda a, b, c: dot(a, b, c, 16, True, True), tie=True)


# ---- floats

FORMATS = {"f32": F32, "f16": F16, "f64": F64}


def numbers(fmt, f):
    return lambda *bits: pack(fmt, f(*(unpack(fmt, b) for b in bits)))


def choose(fmt, largest, nan_wins):
    """max/min on bits."""
    def pick(a, b):
        va, vb = unpack(fmt, a), unpack(fmt, b)
        if "nan" in (va[1], vb[1]):
            if nan_wins or (va[1] == "nan" and vb[1] == "nan"):
                return "nan"
            return b if va[1] == "nan" else a
        if va[1] == 0 and vb[1] == 0:
            return (a & b) if largest else (a | b)
        return (b if less(va, vb) else a) if largest else (a if less(va, vb) else b)
    return pick


def chain(*pairs):
    """Two pick functions over three operands; a NaN in the middle stays one."""
    first, second = pairs

    def f(a, b, c, quiet):
        r = first(a, b)
        return second(quiet if r == "nan" else r, c)
    return f


def rounding(to):
    def f(v):
        if v[1] in ("nan", "inf"):
            return v
        s, x = v
        whole = x.numerator // x.denominator
        rest = x - whole
        up = {"trunc": 0, "floor": bool(rest) and s, "ceil": bool(rest) and not s,
              "rndne": rest > Fraction(1, 2) or (rest == Fraction(1, 2) and whole & 1)}[to]
        return s, Fraction(whole + int(up))
    return f


def floats(kind):
    fmt, name = FORMATS[kind], {"f32": "float", "f16": "half", "f64": "double"}[kind]
    w = Writer(f"vector_{name}.insn", f"Arithmetic on {kind}, by exact fractions.")
    t = kind
    both = lambda n9, n12, k, f, **kw: emit(w, (n9 and f"v_{n9}_{t}", n12 and f"v_{n12}_{t}"), [kind] * k, kind, f, section=MANUAL["float"], **kw)
    same = lambda n, k, f, **kw: both(n, n, k, f, **kw)
    quiet = fmt.inf | fmt.quiet
    same("add", 2, numbers(fmt, add))
    same("mul", 2, numbers(fmt, mul))
    if kind != "f64":
        same("sub", 2, numbers(fmt, lambda a, b: add(a, neg(b))))
        same("subrev", 2, numbers(fmt, lambda a, b: add(b, neg(a))))
    same("fma", 3, numbers(fmt, fma), keep9=kind == "f16")
    if kind == "f32":
        both("fmac", "fmac", 3, numbers(fmt, fma), tie=True)
    if kind == "f16":
        both(None, "fmac", 3, numbers(fmt, fma), tie=True)
    if kind == "f64":
        both("fmac", None, 3, numbers(fmt, fma), tie=True)
    for largest, word in ((True, "max"), (False, "min")):
        both(word, f"{word}_num", 2, choose(fmt, largest, False))
        full = "maximum" if largest else "minimum"
        both(None, full, 2, choose(fmt, largest, True))
    if kind != "f64":
        mx, mn = choose(fmt, True, False), choose(fmt, False, False)
        gx, gn = choose(fmt, True, True), choose(fmt, False, True)
        tri = lambda n9, n12, f, **kw: both(n9, n12, 3, lambda a, b, c: f(a, b, c, quiet), **kw)
        keep = {"keep9": kind == "f16"}
        tri("max3", "max3_num", chain(mx, mx), **keep)
        tri("min3", "min3_num", chain(mn, mn), **keep)
        tri(None, "maxmin_num", chain(mx, mn))
        tri(None, "minmax_num", chain(mn, mx))
        tri(None, "maximum3", chain(gx, gx))
        tri(None, "minimum3", chain(gn, gn))
        tri(None, "maximumminimum", chain(gx, gn))
        tri(None, "minimummaximum", chain(gn, gx))
        if kind == "f32":
            emit(w, ("v_maximum3_f32", None), [kind] * 3, kind, lambda a, b, c: chain(gx, gx)(a, b, c, quiet), archs9=["gfx950"])
            emit(w, ("v_minimum3_f32", None), [kind] * 3, kind, lambda a, b, c: chain(gn, gn)(a, b, c, quiet), archs9=["gfx950"])

        def med3(a, b, c):
            if "nan" in [unpack(fmt, x)[1] for x in (a, b, c)]:
                return chain(mn, mn)(a, b, c, quiet)
            largest = mx(mx(a, b), c)
            if equal(unpack(fmt, largest), unpack(fmt, a)):
                return mx(b, c)
            if equal(unpack(fmt, largest), unpack(fmt, b)):
                return mx(a, c)
            return mx(a, b)
        both("med3", "med3_num", 3, med3, **keep)
    for to in ("floor", "ceil", "trunc", "rndne"):
        same(to, 1, numbers(fmt, rounding(to)))

    def fract(v):
        if v[1] in ("nan", "inf"):
            return NAN
        r = add(v, neg(rounding("floor")(v)))
        top = unpack(fmt, 0 | (fmt.bias << fmt.m) - 1)  # the largest below 1
        return top if r[1] > top[1] else (0, r[1])
    same("fract", 1, numbers(fmt, fract))

    def frexp_mant(v):
        if v[1] in ("nan", "inf") or v[1] == 0:
            return v
        return v[0], v[1] / Fraction(2) ** (floor_log2(v[1]) + 1)

    def frexp_exp(v):
        return 0 if v[1] in ("nan", "inf") or v[1] == 0 else floor_log2(v[1]) + 1
    same("frexp_mant", 1, numbers(fmt, frexp_mant))
    out = "i16" if kind == "f16" else "i32"
    emit(w, (f"v_frexp_exp_{out}_{t}",) * 2, [kind], out, lambda a: frexp_exp(unpack(fmt, a)), section=MANUAL["float"])

    def ldexp(a, e):
        v = unpack(fmt, a)
        n = clamp(s16(e) if kind == "f16" else s32(e), -5000, 5000)
        return pack(fmt, v if v[1] in ("nan", "inf") else (v[0], v[1] * Fraction(2) ** n))
    emit(w, (f"v_ldexp_{t}",) * 2, [kind, "i16" if kind == "f16" else "i32"], kind, ldexp, section=MANUAL["float"])
    if kind == "f32":
        def legacy_mul(a, b):
            return (0, Fraction(0)) if 0 in (a[1], b[1]) else mul(a, b)
        both("mul_legacy", "mul_dx9_zero", 2, numbers(fmt, legacy_mul))
        both(None, "fma_dx9_zero", 3, numbers(fmt, lambda a, b, c: c if 0 in (a[1], b[1]) else fma(a, b, c)))
        def cube(x, y, z):
            ax, ay, az = x[1], y[1], z[1]
            if az >= ax and az >= ay:
                return (5 if z[0] and z[1] else 4), (neg(x) if z[0] and z[1] else x), neg(y), z
            if ay >= ax:
                return (3 if y[0] and y[1] else 2), x, (neg(z) if y[0] and y[1] else z), y
            return (1 if x[0] and x[1] else 0), (z if x[0] and x[1] else neg(z)), neg(y), x
        finite = lambda b: b if unpack(fmt, b)[1] not in ("nan", "inf") else 0x3F800000
        for which, n in enumerate(("id", "sc", "tc", "ma")):
            def f(a, b, c, which=which):
                r = cube(*(unpack(fmt, finite(x)) for x in (a, b, c)))[which]
                return pack(fmt, of(Fraction(r))) if which == 0 else pack(fmt, (r[0], r[1] * 2) if which == 3 else r)
            # operands without NaN or infinity, whose order is not specified
            for rdna in (False, True):
                cols = [[finite(x) for x in sample("f32", LANES, (n, i))] for i in range(3)]
                w.test(f"v_cube{n}_f32", RDNA if rdna else CDNA, [f"v_cube{n}_f32 v0, v2, v4, v6"],
                       [["v", 2 + 2 * i] + words(c) for i, c in enumerate(cols)],
                       [["v", 0] + words([f(*row) for row in zip(*cols)])], MANUAL["float"])
    modifiers(w, kind, fmt)
    rounding_modes(w, kind, fmt)
    compares(w, kind, fmt)
    w.close()


def modifiers(w, kind, fmt):
    """neg, abs, omod, clamp, on v_add and v_fma."""
    t = kind
    cases = [(" clamp", lambda v: v if v[1] == 0 and not v[0] else (0, Fraction(0)) if v[1] == "nan" or v[0] else (0, Fraction(1)) if v[1] == "inf" or v[1] > 1 else v)]
    # The output multiplier works on the rounded result and, by the manual, only where denormals are flushed.
    for suffix, g in cases:
        f = lambda a, b: pack(fmt, g(unpack(fmt, x) if (x := pack(fmt, add(unpack(fmt, a), unpack(fmt, b)))) != "nan" else NAN))
        emit(w, (f"v_add_{t}",) * 2, [kind] * 2, kind, f, suffix=suffix, section="CDNA3 ISA 6.2, RDNA4 ISA 7.2 (output modifiers)")
    for rdna in (False, True):
        a, b, c = (sample(kind, LANES, (kind, "neg", i)) for i in range(3))
        r = [pack(fmt, fma(neg(unpack(fmt, x)), (0, unpack(fmt, y)[1]), (1, unpack(fmt, z)[1]))) for x, y, z in zip(a, b, c)]
        reg = lambda n: register(kind, n, rdna)
        state = []
        for n, column in ((2, a), (4, b), (6, c)):
            state.append(["v", n] + words([x & M32 for x in column]))
            if kind == "f64":
                state.append(["v", n + 1] + words([x >> 32 for x in column]))
        state.append(["v", 0, "0xabcd1234"])
        w.test(f"v_fma_{t}_neg_abs", RDNA if rdna else CDNA, [f"v_fma_{t} {reg(0)}, -{reg(2)}, |{reg(4)}|, -|{reg(6)}|"], state,
               results(kind, r, rdna or kind == "f16"), "CDNA3 ISA 6.2, RDNA4 ISA 7.2 (input modifiers)")


def rounding_modes(w, kind, fmt):
    for mode in (1, 2, 3):
        bits = 0x3F0 | (mode if kind == "f32" else mode << 2)
        emit(w, (f"v_add_{kind}",) * 2, [kind] * 2, kind, lambda a, b: pack(fmt, add(unpack(fmt, a), unpack(fmt, b), mode), mode),
             mode=bits, seed=mode, section="CDNA3 ISA 4.4, RDNA4 ISA 4.5 (MODE)")
        emit(w, (f"v_mul_{kind}",) * 2, [kind] * 2, kind, lambda a, b: pack(fmt, mul(unpack(fmt, a), unpack(fmt, b)), mode),
             mode=bits, seed=mode, section="CDNA3 ISA 4.4, RDNA4 ISA 4.5 (MODE)")
        emit(w, (f"v_fma_{kind}",) * 2, [kind] * 3, kind, lambda a, b, c: pack(fmt, fma(*(unpack(fmt, x) for x in (a, b, c)), mode), mode),
             mode=bits, seed=mode, keep9=kind == "f16", section="CDNA3 ISA 4.4, RDNA4 ISA 4.5 (MODE)")
    shift = 4 if kind == "f32" else 6
    tiny = lambda v: v[1] not in ("nan", "inf") and v[1] != 0 and v[1] < Fraction(2) ** (1 - fmt.bias)
    for flush in (0, 1, 2):  # bit 0: operands kept; bit 1: results kept
        bits = 0x3F0 & ~(3 << shift) | flush << shift
        operand = lambda v: (v[0], Fraction(0)) if tiny(v) and not flush & 1 else v
        def f(a, b):
            r = pack(fmt, add(operand(unpack(fmt, a)), operand(unpack(fmt, b))))
            if r == "nan":
                return r
            return r & fmt.sign if not r & fmt.inf and not flush & 2 else r
        emit(w, (f"v_add_{kind}",) * 2, [kind] * 2, kind, f, mode=bits, seed=("flush", flush), section="CDNA3 ISA 4.4, RDNA4 ISA 4.5 (MODE)")


def compares(w, kind, fmt):
    def predicates(a, b):
        u = "nan" in (a[1], b[1])
        lt, gt, eq = less(a, b), less(b, a), equal(a, b)
        return {"lt": lt, "gt": gt, "eq": eq, "le": lt or eq, "ge": gt or eq, "lg": lt or gt, "o": not u, "u": u,
                "nlt": not lt, "ngt": not gt, "neq": not eq, "nle": not (lt or eq), "nge": not (gt or eq), "nlg": not (lt or gt), "f": False, "tru": True}
    a, b = sample(kind, LANES, 21), sample(kind, LANES, 22)
    b = [y if i % 4 else x for i, (x, y) in enumerate(zip(a, b))]
    state = lambda: [[f"v", n + h] + words([x >> (32 * h) & M32 for x in c]) for n, c in ((2, a), (4, b)) for h in range(2 if kind == "f64" else 1)]
    for name in predicates(unpack(fmt, 0), unpack(fmt, 0)):
        mask = sum(predicates(unpack(fmt, x), unpack(fmt, y))[name] << i for i, (x, y) in enumerate(zip(a, b)))
        for rdna in (False, True):
            if rdna and name in ("f", "tru"):
                continue
            vcc, e = ("vcc_lo", "exec_lo") if rdna else ("vcc", "exec")
            ops = f"{register(kind, 2, rdna)}, {register(kind, 4, rdna)}"
            full = mask if rdna else mask << 32 | mask
            common = dict(section=MANUAL["float"], waves=[32] if rdna else None)
            w.test(f"v_cmp_{name}_{kind}", RDNA if rdna else CDNA, [f"v_cmp_{name}_{kind} {vcc}, {ops}"], state(), [["vcc", hex(full)]], **common)
            first = "" if rdna else "vcc, "
            w.test(f"v_cmpx_{name}_{kind}", RDNA if rdna else CDNA, [f"v_cmpx_{name}_{kind} {first}{ops}"], state(), [["exec", hex(full)]], **common)
    if kind != "f64" or True:
        def classes(bits):
            s, x = unpack(fmt, bits)
            if x == "nan":
                return 2 if bits & fmt.quiet else 1
            if x == "inf":
                return 4 if s else 512
            if x == 0:
                return 32 if s else 64
            small = x < Fraction(2) ** (1 - fmt.bias)
            return (16 if small else 8) if s else (128 if small else 256)
        m = [1 << (i % 10) | 1 << (i * 7 % 10) for i in range(LANES)]
        mask = sum(bool(classes(x) & y) << i for i, (x, y) in enumerate(zip(a, m)))
        for rdna in (False, True):
            vcc = "vcc_lo" if rdna else "vcc"
            full = mask if rdna else mask << 32 | mask
            st = state()[:2 if kind == "f64" else 1] + [["v", 4] + words(m)]
            right = "v4.l" if rdna and kind == "f16" else "v4"
            w.test(f"v_cmp_class_{kind}", RDNA if rdna else CDNA, [f"v_cmp_class_{kind} {vcc}, {register(kind, 2, rdna)}, {right}"], st,
                   [["vcc", hex(full)]], MANUAL["float"], [32] if rdna else None)
            first = "" if rdna else "vcc, "
            w.test(f"v_cmpx_class_{kind}", RDNA if rdna else CDNA, [f"v_cmpx_class_{kind} {first}{register(kind, 2, rdna)}, {right}"], st,
                   [["exec", hex(full)]], MANUAL["float"], [32] if rdna else None)


def int_compares():
    w = Writer("vector_compare_int.insn", "Comparisons of integers.")
    for kind, t, key in [("i32", "i32", s32), ("i32", "u32", lambda x: x), ("i64", "i64", s64), ("i64", "u64", lambda x: x),
                         ("i16", "i16", s16), ("i16", "u16", lambda x: x)]:
        a, b = sample(kind, LANES, 31), sample(kind, LANES, 32)
        b = [y if i % 4 else x for i, (x, y) in enumerate(zip(a, b))]
        st = [["v", n + h] + words([x >> (32 * h) & M32 for x in c]) for n, c in ((2, a), (4, b)) for h in range(2 if kind == "i64" else 1)]
        for name, f in [("lt", lambda x, y: x < y), ("le", lambda x, y: x <= y), ("gt", lambda x, y: x > y), ("ge", lambda x, y: x >= y),
                        ("eq", lambda x, y: x == y), ("ne", lambda x, y: x != y), ("f", lambda x, y: False), ("t", lambda x, y: True)]:
            mask = sum(f(key(x), key(y)) << i for i, (x, y) in enumerate(zip(a, b)))
            for rdna in (False, True):
                if rdna and name in "ft":
                    continue
                vcc = "vcc_lo" if rdna else "vcc"
                full = mask if rdna else mask << 32 | mask
                ops = f"{register(kind, 2, rdna)}, {register(kind, 4, rdna)}"
                common = dict(section=MANUAL["int"], waves=[32] if rdna else None)
                w.test(f"v_cmp_{name}_{t}", RDNA if rdna else CDNA, [f"v_cmp_{name}_{t} {vcc}, {ops}"], st, [["vcc", hex(full)]], **common)
                first = "" if rdna else "vcc, "
                w.test(f"v_cmpx_{name}_{t}", RDNA if rdna else CDNA, [f"v_cmpx_{name}_{t} {first}{ops}"], st, [["exec", hex(full)]], **common)
    w.close()


def packed():
    w = Writer("vector_packed.insn", "Pairs of halves and of f32.")
    lo, hi = lambda x: x & 0xFFFF, lambda x: x >> 16
    def pair(f):
        def g(*v):
            a, b = f(*map(lo, v)), f(*map(hi, v))
            return a, b
        return g
    def emit_pair(n9, n12, count, f, kind="packed", suffix="", archs9=CDNA, tie=False):
        for rdna in (False, True):
            name = (n9, n12)[rdna]
            if not name:
                continue
            cols = [sample(kind, LANES, (name, i, suffix)) for i in range(count)]
            if kind == "packed":  # results that are no NaN, whose payload the pairs would have to say twice
                rows = list(zip(*cols))
                rows = [row if "nan" not in pair(f)(*row) else tuple(0x3C003E00 for _ in row) for row in rows]
                cols = list(zip(*rows))
            r = [(lambda p: lo(p[0]) | lo(p[1]) << 16)(pair(f)(*row)) for row in zip(*cols)]
            last = 0 if tie else 2 + 2 * (count - 1)
            regs = [f"v{2 + 2 * i}" for i in range(count - (1 if tie else 0))]
            w.test(name, RDNA if rdna else archs9, [f"{name} v0, {', '.join(regs)}{suffix}"],
                   [["v", 0 if tie and i == count - 1 else 2 + 2 * i] + words(c) for i, c in enumerate(cols)], [["v", 0] + words(r)],
                   "CDNA3 ISA 12.10, RDNA4 ISA 16.10 (VOP3P)")
    h = lambda f: numbers(F16, f)
    emit_pair("v_pk_add_f16", "v_pk_add_f16", 2, h(add))
    emit_pair("v_pk_mul_f16", "v_pk_mul_f16", 2, h(mul))
    emit_pair("v_pk_fma_f16", "v_pk_fma_f16", 3, h(fma))
    emit_pair("v_pk_fmac_f16", "v_pk_fmac_f16", 3, h(fma), tie=True)
    emit_pair("v_pk_max_f16", "v_pk_max_num_f16", 2, choose(F16, True, False))
    emit_pair("v_pk_min_f16", "v_pk_min_num_f16", 2, choose(F16, False, False))
    emit_pair(None, "v_pk_maximum_f16", 2, choose(F16, True, True))
    emit_pair(None, "v_pk_minimum_f16", 2, choose(F16, False, True))
    gx, gn = choose(F16, True, True), choose(F16, False, True)
    emit_pair("v_pk_maximum3_f16", None, 3, lambda a, b, c: chain(gx, gx)(a, b, c, 0x7E00), archs9=["gfx950"])
    emit_pair("v_pk_minimum3_f16", None, 3, lambda a, b, c: chain(gn, gn)(a, b, c, 0x7E00), archs9=["gfx950"])
    ip = lambda n, count, f, **k: emit_pair(n, n, count, f, kind="ipacked", **k)
    ip("v_pk_add_u16", 2, lambda a, b: a + b)
    ip("v_pk_sub_u16", 2, lambda a, b: a - b)
    ip("v_pk_add_i16", 2, lambda a, b: a + b)
    ip("v_pk_sub_i16", 2, lambda a, b: a - b)
    ip("v_pk_add_u16", 2, lambda a, b: min(a + b, 65535), suffix=" clamp")
    ip("v_pk_sub_u16", 2, lambda a, b: max(a - b, 0), suffix=" clamp")
    ip("v_pk_add_i16", 2, lambda a, b: clamp(s16(a) + s16(b), -32768, 32767), suffix=" clamp")
    ip("v_pk_sub_i16", 2, lambda a, b: clamp(s16(a) - s16(b), -32768, 32767), suffix=" clamp")
    ip("v_pk_mul_lo_u16", 2, lambda a, b: a * b)
    ip("v_pk_mad_u16", 3, lambda a, b, c: a * b + c)
    ip("v_pk_mad_i16", 3, lambda a, b, c: a * b + c)
    ip("v_pk_lshlrev_b16", 2, lambda a, b: b << (a & 15))
    ip("v_pk_lshrrev_b16", 2, lambda a, b: b >> (a & 15))
    ip("v_pk_ashrrev_i16", 2, lambda a, b: s16(b) >> (a & 15))
    for t, key in (("u16", lambda x: x), ("i16", s16)):
        ip(f"v_pk_max_{t}", 2, lambda a, b: max(a, b, key=key))
        ip(f"v_pk_min_{t}", 2, lambda a, b: min(a, b, key=key))
    # op_sel: the low result takes high halves of the first operand; the high one low halves of the second
    for rdna in (False, True):
        a, b = sample("ipacked", LANES, 51), sample("ipacked", LANES, 52)
        r = [((hi(x) + lo(y)) & 0xFFFF) | ((hi(x) + lo(y)) & 0xFFFF) << 16 for x, y in zip(a, b)]
        w.test("v_pk_add_u16_op_sel", RDNA if rdna else CDNA, ["v_pk_add_u16 v0, v2, v4 op_sel:[1,0] op_sel_hi:[1,0]"],
               [["v", 2] + words(a), ["v", 4] + words(b)], [["v", 0] + words(r)], "CDNA3 ISA 12.10, RDNA4 ISA 16.10 (VOP3P)")
    # pairs of f32
    for name, count, f in [("v_pk_add_f32", 2, add), ("v_pk_mul_f32", 2, mul), ("v_pk_fma_f32", 3, fma)]:
        cols = [[sample("f32", LANES, (name, i, h)) for h in range(2)] for i in range(count)]
        state = [["v", 2 + 2 * i + h] + words(cols[i][h]) for i in range(count) for h in range(2)]
        expect = [["v", h] + ["nan32" if r == "nan" else hex(r) for r in (numbers(F32, f)(*row) for row in zip(*(c[h] for c in cols)))] for h in range(2)]
        regs = ", ".join(f"v[{2 + 2 * i}:{3 + 2 * i}]" for i in range(count))
        w.test(name, CDNA, [f"{name} v[0:1], {regs}"], state, expect, "CDNA3 ISA 12.10 (VOP3P)")
        swapped = [["v", 0] + ["nan32" if r == "nan" else hex(r) for r in (numbers(F32, f)(*row) for row in zip(cols[0][1], *(c[0] for c in cols[1:])))],
                   ["v", 1] + ["nan32" if r == "nan" else hex(r) for r in (numbers(F32, f)(*row) for row in zip(cols[0][0], *(c[1] for c in cols[1:])))]]
        sel = "[1" + ",0" * (count - 1) + "]"
        sel_hi = "[0" + ",1" * (count - 1) + "]"
        w.test(name + "_op_sel", CDNA, [f"{name} v[0:1], {regs} op_sel:{sel} op_sel_hi:{sel_hi}"], state, swapped, "CDNA3 ISA 12.10 (VOP3P)")
    a = [sample("i32", LANES, (53, h)) for h in range(4)]
    w.test("v_pk_mov_b32", CDNA, ["v_pk_mov_b32 v[0:1], v[2:3], v[4:5] op_sel:[1,0]"], [["v", 2 + i] + words(c) for i, c in enumerate(a)],
           [["v", 0] + words(a[1]), ["v", 1] + words(a[2])], "CDNA3 ISA 12.10 (VOP3P)")
    # mixed precision: f32 or either half of each operand
    for rdna in (False, True):
        cols = [sample("f32", LANES, (54, 0)), sample("packed", LANES, (54, 1)), sample("packed", LANES, (54, 2))]
        state = [["v", 2 + 2 * i] + words(c) for i, c in enumerate(cols)] + [["v", 0, "0xabcd1234"]]
        vals = [fma(unpack(F32, a), unpack(F16, lo(b)), unpack(F16, hi(c))) for a, b, c in zip(*cols)]
        tail = "op_sel:[0,0,1] op_sel_hi:[0,1,1]"
        arch = RDNA if rdna else ["gfx90a", "gfx942", "gfx950"]
        w.test("v_fma_mix_f32", arch, [f"v_fma_mix_f32 v0, v2, v4, v6 {tail}"], state,
               [["v", 0] + ["nan32" if (r := pack(F32, v)) == "nan" else hex(r) for v in vals]], "CDNA3 ISA 12.10, RDNA4 ISA 16.10")
        # to f16 by way of f32, whose rounding comes first
        once = lambda v: pack(F16, v if v[1] in ("nan", "inf") else unpack(F32, pack(F32, v)))
        halves = [once(v) for v in vals]
        w.test("v_fma_mixlo_f16", arch, [f"v_fma_mixlo_f16 v0, v2, v4, v6 {tail}"], state,
               [["v", 0] + ["nan160xabcd" if r == "nan" else hex(r | 0xABCD0000) for r in halves]], "CDNA3 ISA 12.10, RDNA4 ISA 16.10")
        w.test("v_fma_mixhi_f16", arch, [f"v_fma_mixhi_f16 v0, v2, v4, v6 {tail}"], state,
               [["v", 0] + ["_" if r == "nan" else hex(r << 16 | 0x1234) for r in halves]], "CDNA3 ISA 12.10, RDNA4 ISA 16.10")
    w.close()


if __name__ == "__main__":
    ints()
    for kind in ("f32", "f16", "f64"):
        floats(kind)
    int_compares()
    packed()
