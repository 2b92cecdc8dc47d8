#!/usr/bin/env python3
"""Conversions, transcendentals and division: convert.insn, float8.insn, scaled.insn, trans.insn."""
import math
from fractions import Fraction

from exact import *
from writer import *

M32 = 0xFFFFFFFF
LANES = 32
SECTION = "CDNA3 ISA 12.8, RDNA4 ISA 16.8 (conversions)"


def to_int(v, low, high, how="trunc"):
    s, x = v
    if x == "nan":
        return 0
    if x == "inf":
        return low if s else high
    n = x.numerator // x.denominator
    rest = x - n
    if how == "floor" and s and rest:
        n += 1
    if how == "even" and (rest > Fraction(1, 2) or (rest == Fraction(1, 2) and n & 1)):
        n += 1
    return max(low, min(high, -n if s else n))


def from_int(fmt, n):
    return pack(fmt, of(Fraction(n)))


def narrow(a, b, bits, mode=0):
    return pack(b, unpack(a, bits), mode)


def floats_of(fmt, n, seed):
    return sample({F32: "f32", F16: "f16", F64: "f64"}[fmt], n, seed)


def small_format(name):
    """exponent bits, fraction bits, bias, specials"""
    return {"fp8fnuz": (4, 3, 8, "fnuz"), "bf8fnuz": (5, 2, 16, "fnuz"), "fp8": (4, 3, 7, "nan"), "bf8": (5, 2, 15, "ieee"),
            "fp6": (2, 3, 1, "none"), "bf6": (3, 2, 3, "none"), "fp4": (2, 1, 1, "none")}[name]


def small_unpack(name, bits):
    e, m, bias, special = small_format(name)
    s, field, frac = bits >> (e + m) & 1, bits >> m & ((1 << e) - 1), bits & ((1 << m) - 1)
    top = (1 << e) - 1
    if special == "fnuz" and bits == 1 << (e + m):
        return 0, "nan"
    if special == "nan" and field == top and frac == (1 << m) - 1:
        return s, "nan"
    if special == "ieee" and field == top:
        return s, "nan" if frac else "inf"
    if field == 0:
        return s, Fraction(frac) * Fraction(2) ** (1 - bias - m)
    return s, Fraction(frac | 1 << m) * Fraction(2) ** (field - bias - m)


def small_pack(name, v, saturate=False):
    """By search over all codes: the nearest value, ties to the even code. Beyond: NaN, infinity or the largest."""
    e, m, bias, special = small_format(name)
    s, x = v
    sign = s << (e + m)
    nan = 1 << (e + m) if special == "fnuz" else None
    finite = [(small_unpack(name, c)[1], c) for c in range(1 << (e + m)) if small_unpack(name, c)[1] not in ("nan", "inf")]
    largest = max(finite)
    step = largest[0] - sorted(finite)[-2][0]
    if x == "nan":
        return nan if nan is not None else ("any nan" if special in ("nan", "ieee") else sign | largest[1])
    over = x == "inf" or x >= largest[0] + step / 2 and not (x == largest[0] + step / 2 and largest[1] % 2 == 0)
    if x != "inf" and x == largest[0] + step / 2 and largest[1] % 2 == 0:
        over = False
    if over:
        if saturate or special == "none":
            return sign | largest[1]
        return {"fnuz": nan, "nan": "any nan", "ieee": sign | (largest[1] + 1)}[special]
    best = min(finite, key=lambda f: (abs(f[0] - x), f[1] % 2))
    code = best[1]
    return 0 if code == 0 and special == "fnuz" else sign | code


def conversions():
    w = Writer("convert.insn", "Conversions between floats and integers.")

    def op(n9, n12, src, dst, f, suffix=""):
        """src, dst: 32, 16, 64 bit kinds as in gen_vector."""
        from gen_vector import emit as put
        put(w, (n9, n12), [src] if isinstance(src, str) else src, dst, f, suffix=suffix, section=SECTION)
    for fmt, k in ((F32, "f32"), (F64, "f64")):
        u = lambda b, fmt=fmt: unpack(fmt, b)
        op(f"v_cvt_i32_{k}", f"v_cvt_i32_{k}", k, "i32", lambda a, u=u: to_int(u(a), -2**31, 2**31 - 1))
        op(f"v_cvt_u32_{k}", f"v_cvt_u32_{k}", k, "i32", lambda a, u=u: to_int(u(a), 0, 2**32 - 1))
        op(f"v_cvt_{k}_i32", f"v_cvt_{k}_i32", "i32", k, lambda a, fmt=fmt: from_int(fmt, a - 2**32 if a >> 31 else a))
        op(f"v_cvt_{k}_u32", f"v_cvt_{k}_u32", "i32", k, lambda a, fmt=fmt: from_int(fmt, a))
    u = lambda b: unpack(F32, b)
    op("v_cvt_flr_i32_f32", "v_cvt_floor_i32_f32", "f32", "i32", lambda a: to_int(u(a), -2**31, 2**31 - 1, "floor"))
    nearest = lambda a: to_int(unpack(F32, x) if (x := pack(F32, add(u(a), (0, Fraction(1, 2))))) != "nan" else NAN, -2**31, 2**31 - 1, "floor")
    op("v_cvt_rpi_i32_f32", "v_cvt_nearest_i32_f32", "f32", "i32", nearest)
    for i in range(4):
        op(f"v_cvt_f32_ubyte{i}", f"v_cvt_f32_ubyte{i}", "i32", "f32", lambda a, i=i: from_int(F32, a >> (8 * i) & 0xFF))
    op("v_cvt_off_f32_i4", "v_cvt_off_f32_i4", "i32", "f32", lambda a: pack(F32, of(Fraction((a & 15) - (16 if a & 8 else 0), 16))))
    op("v_cvt_f64_f32", "v_cvt_f64_f32", "f32", "f64", lambda a: narrow(F32, F64, a))
    op("v_cvt_f32_f64", "v_cvt_f32_f64", "f64", "f32", lambda a: narrow(F64, F32, a))
    op("v_cvt_f32_f16", "v_cvt_f32_f16", "f16", "f32", lambda a: narrow(F16, F32, a))
    op("v_cvt_f16_f32", "v_cvt_f16_f32", "f32", "f16", lambda a: narrow(F32, F16, a))
    h = lambda b: unpack(F16, b)
    op("v_cvt_f16_u16", "v_cvt_f16_u16", "i16", "f16", lambda a: from_int(F16, a))
    op("v_cvt_f16_i16", "v_cvt_f16_i16", "i16", "f16", lambda a: from_int(F16, a - 65536 if a >> 15 else a))
    op("v_cvt_u16_f16", "v_cvt_u16_f16", "f16", "i16", lambda a: to_int(h(a), 0, 65535))
    op("v_cvt_i16_f16", "v_cvt_i16_f16", "f16", "i16", lambda a: to_int(h(a), -32768, 32767))
    two = lambda a, b: a & 0xFFFF | (b & 0xFFFF) << 16
    finite = lambda b: b if unpack(F32, b)[1] != "nan" else 0x3FC00000
    from gen_vector import emit as put
    for n9, n12, f in [("v_cvt_pkrtz_f16_f32", "v_cvt_pk_rtz_f16_f32", lambda a: pack(F16, u(a), 3))]:
        for rdna in (False, True):
            a, b = ([finite(x) for x in sample("f32", LANES, (n9, i))] for i in range(2))
            w.test(n12 if rdna else n9, RDNA if rdna else CDNA, [f"{n12 if rdna else n9} v0, v2, v4"], [["v", 2] + words(a), ["v", 4] + words(b)],
                   [["v", 0] + words([two(f(x), f(y)) for x, y in zip(a, b)])], SECTION)
    clip = lambda x, low, high: max(low, min(high, x))
    s32 = lambda x: x - 2**32 if x >> 31 else x
    op("v_cvt_pk_i16_i32", "v_cvt_pk_i16_i32", ["i32"] * 2, "i32", lambda a, b: two(clip(s32(a), -32768, 32767), clip(s32(b), -32768, 32767)))
    op("v_cvt_pk_u16_u32", "v_cvt_pk_u16_u32", ["i32"] * 2, "i32", lambda a, b: two(min(a, 65535), min(b, 65535)))
    op(None, "v_cvt_pk_i16_f32", ["f32"] * 2, "i32", lambda a, b: two(to_int(u(a), -32768, 32767), to_int(u(b), -32768, 32767)))
    op(None, "v_cvt_pk_u16_f32", ["f32"] * 2, "i32", lambda a, b: two(to_int(u(a), 0, 65535), to_int(u(b), 0, 65535)))

    def norm(v, scale, low):
        s, x = v
        if x == "nan":
            return 0
        y = Fraction(10**9) if x == "inf" else x
        y = clip(-y if s else y, Fraction(low), Fraction(1)) * scale
        return to_int(of(y), -32768, 65535, "even")
    for fmt, k in ((F32, "f32"), (F16, "f16")):
        g = lambda b, fmt=fmt: unpack(fmt, b)
        # products that f32 does not hold exactly are rounded first; inputs with few bits avoid the question
        coarse = {"f32": lambda b: b & 0xFFFFF000 if unpack(F32, b)[1] not in ("nan",) else b, "f16": lambda b: b}[k]
        for t, scale, low in (("i16", 32767, -1), ("u16", 65535, 0)):
            for rdna in (False, True):
                n = f"v_cvt_pk_norm_{t}_{k}" if rdna else f"v_cvt_pknorm_{t}_{k}"
                a, b = ([coarse(x) for x in sample(k, LANES, (n, i))] for i in range(2))
                half = ".l" if rdna and k == "f16" else ""
                w.test(n, RDNA if rdna else CDNA, [f"{n} v0, v2{half}, v4{half}"], [["v", 2] + words(a), ["v", 4] + words(b)],
                       [["v", 0] + words([two(norm(g(x), scale, low), norm(g(y), scale, low)) for x, y in zip(a, b)])], SECTION)
            if k == "f16":
                op(f"v_cvt_norm_{t}_f16", f"v_cvt_norm_{t}_f16", "f16", "i16", lambda a, scale=scale, low=low: norm(h(a), scale, low))
    op("v_cvt_pk_u8_f32", "v_cvt_pk_u8_f32", ["f32", "i32", "i32"], "i32",
       lambda a, b, c: c & ~(255 << (8 * (b & 3))) | to_int(u(a), 0, 255, PK_U8) << (8 * (b & 3)))
    put(w, ("v_cvt_pkaccum_u8_f32", None), ["f32", "i32", "i32"], "i32",
        lambda a, b, c: c & ~(255 << (8 * (b & 3))) | to_int(u(a), 0, 255) << (8 * (b & 3)), tie=True, section=SECTION)
    # bf16 of gfx950
    put(w, ("v_cvt_f32_bf16", None), ["i16"], "f32", lambda a: "nan" if unpack(BF16, a)[1] == "nan" else a << 16, archs9=["gfx950"], section=SECTION)
    for name, fmt in (("bf16", BF16), ("f16", F16)):
        a, b = ([finite(x) for x in sample("f32", LANES, (name, i))] for i in range(2))
        w.test(f"v_cvt_pk_{name}_f32", ["gfx950"], [f"v_cvt_pk_{name}_f32 v0, v2, v4"], [["v", 2] + words(a), ["v", 4] + words(b)],
               [["v", 0] + words([two(narrow(F32, fmt, x), narrow(F32, fmt, y)) for x, y in zip(a, b)])], "CDNA4 ISA (conversions)")
        # stochastic rounding: without noise it cuts, with all ones below the cut it rounds any rest away from zero
        fmt_m = fmt.m
        plain = [0x3F800000 | x for x in (0x1234, 0x7FFFFF, 0x400000, 0, 0x012345)] + [0xC0490FDB, 0x41200000]
        for noise, mode in ((0, 3), (M32, None)):
            r = []
            for x in plain:
                s, v = unpack(F32, x)
                r.append(pack(fmt, (s, v), 3 if mode == 3 else (2 if s else 1)) | 0xABCD0000)
            w.test(f"v_cvt_sr_{name}_f32_{noise:x}", ["gfx950"], [f"v_cvt_sr_{name}_f32 v0, v2, v4"], [["v", 0, "0xabcd1234"], ["v", 2] + words(plain), ["v", 4, hex(noise)]],
                   [["v", 0] + words(r)], "CDNA4 ISA (stochastic rounding)")
    w.close()


PK_U8 = "trunc"


def float8():
    w = Writer("float8.insn", "8-bit floats: FNUZ on gfx942, OCP on gfx950 and gfx1201; every code, and rounding.")
    section = "CDNA3 ISA 7.x (FP8), OCP OFP8 1.0"
    groups = [(["gfx942"], "fnuz", False), (["gfx950"], "", False), (RDNA, "", True)]
    for archs, tail, rdna in groups:
        for f in ("fp8", "bf8"):
            name = f + tail
            single = lambda code: (lambda r: "nan32" if r == "nan" else hex(r))(pack(F32, small_unpack(name, code)))
            for first in range(0, 256, 32):
                codes = list(range(first, first + 32))
                byte = (first // 32) % 4
                data = [c << (8 * byte) | 0x55 << (8 * ((byte + 1) % 4)) for c in codes]
                select = f" byte_sel:{byte}" if byte else ""
                line = f"v_cvt_f32_{f} v0, v2{select}" if rdna else f"v_cvt_f32_{f}_sdwa v0, v2 src0_sel:BYTE_{byte}"
                w.test(f"v_cvt_f32_{f}_{first}", archs, [line], [["v", 2] + words(data)], [["v", 0] + [single(c) for c in codes]], section)
                word = first // 32 & 1
                pair = [(c | (c ^ 0x35) << 8) << (16 * word) for c in codes]
                line = f"v_cvt_pk_f32_{f} v[0:1], v2.{'h' if word else 'l'}" if rdna else f"v_cvt_pk_f32_{f}_sdwa v[0:1], v2 src0_sel:WORD_{word}"
                w.test(f"v_cvt_pk_f32_{f}_{first}", archs, [line], [["v", 2] + words(pair)],
                       [["v", 0] + [single(c) for c in codes], ["v", 1] + [single(c ^ 0x35) for c in codes]], section)
            # encode: every value, the middle between neighbours, a little to both sides, both signs
            finite = sorted({small_unpack(name, c)[1] for c in range(256) if small_unpack(name, c)[1] not in ("nan", "inf")})
            points = []
            for x, y in zip(finite, finite[1:]):
                mid = (x + y) / 2
                points += [x, mid, mid * (1 + Fraction(1, 2**20)), mid * (1 - Fraction(1, 2**20))]
            top = finite[-1]
            points += [top, top * 2, top * Fraction(17, 16), top * Fraction(33, 32), Fraction(2) ** 100, Fraction(2) ** -60]
            bits = [pack(F32, (i % 3 == 0, p), 3) for i, p in enumerate(points)] + [0, 0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000]
            bits += sample("f32", (32 - len(bits) % 32) % 32, name)
            def token(x, y, sat, keep, high):
                cx, cy = (small_pack(name, unpack(F32, b), sat) for b in (x, y))
                cx, cy = (0x7F | (b >> 24 & 0x80) if c == "any nan" else c for c, b in ((cx, x), (cy, y)))
                pair = cx | cy << 8
                return pair << 16 | keep & 0xFFFF if high else keep & 0xFFFF0000 | pair
            for sat in (False, True):
                mode = 0x3F0 | (1 << 23 if sat else 0)
                for start in range(0, len(bits), 32):
                    part = bits[start:start + 32]
                    other = part[::-1]
                    high = start // 32 & 1
                    dst = f"v0.{'h' if high else 'l'}" if rdna else "v0"
                    sel = "" if rdna or not high else " op_sel:[0,0,1]"
                    w.test(f"v_cvt_pk_{f}_f32_{start}{'_sat' if sat else ''}", archs, [f"v_cvt_pk_{f}_f32 {dst}, v2, v4{sel}"],
                           [["mode", hex(mode)], ["v", 0, "0xabcd1234"], ["v", 2] + words(part), ["v", 4] + words(other)],
                           [["v", 0] + words([token(x, y, sat, 0xABCD1234, high) for x, y in zip(part, other)])], section)
            # stochastic: no noise cuts; full noise rounds every rest away from zero
            plain = [p for p in points if finite[4] < p < finite[-2]][:32]
            plain = [pack(F32, (0, p), 3) for p in plain] + [pack(F32, (0, finite[9]), 3)] * (32 - len(plain))
            for noise in (0, M32):
                for byte in range(4):
                    codes = []
                    for x in plain:
                        v = unpack(F32, x)[1]
                        below = max(c for c in finite if c <= v)
                        target = below if noise == 0 or below == v else min(c for c in finite if c > v)
                        codes.append(small_pack(name, (0, target)))
                    keep = 0xABCD1234 & ~(0xFF << (8 * byte))
                    sel = (f" byte_sel:{byte}" if byte else "") if rdna else (f" op_sel:[0,0,{byte & 1},{byte >> 1}]" if byte else "")
                    w.test(f"v_cvt_sr_{f}_f32_{noise:x}_{byte}", archs, [f"v_cvt_sr_{f}_f32 v0, v2, v4{sel}"],
                           [["v", 0, "0xabcd1234"], ["v", 2] + words(plain), ["v", 4, hex(noise)]],
                           [["v", 0] + words([keep | c << (8 * byte) for c in codes])], section)
    w.close()


def scaled():
    w = Writer("scaled.insn", "Conversions with a block scale (gfx950).")
    section = "CDNA4 ISA (scaled conversions), OCP MX 1.0"
    scales = [127, 128, 120, 133, 127, 125, 132, 122]
    archs = ["gfx950"]
    width = lambda f: sum(small_format(f)[:2]) + 1
    def wide_token(kind, v):
        fmt = {"f32": F32, "f16": F16, "bf16": BF16}[kind]
        return pack(fmt, v)
    def scale_word(i):
        return scales[i % len(scales)] << 23 | 0x12345  # only the exponent counts
    def factor(i):
        return Fraction(2) ** (scales[i % len(scales)] - 127)
    # small to wide
    for f in ("fp8", "bf8", "fp4", "fp6", "bf6"):
        bits = width(f)
        codes = [c for c in range(1 << bits) if small_unpack(f, c)[1] not in ("nan", "inf")]
        for kind in ("f32", "f16", "bf16"):
            if f in ("fp6", "bf6"):
                regs = {"f32": 32, "f16": 16, "bf16": 16}[kind]
                lanes = 8
                columns = [[0] * lanes for _ in range(6)]
                results = [[None] * lanes for _ in range(32)]
                for lane in range(lanes):
                    whole = 0
                    for i in range(32):
                        c = codes[(lane * 32 + i * 7) % len(codes)]
                        whole |= c << (6 * i)
                        s, x = small_unpack(f, c)
                        results[i][lane] = wide_token(kind, (s, x * factor(lane)))
                    for d in range(6):
                        columns[d][lane] = whole >> (32 * d) & M32
                state = [["v", 40 + d] + words(c) for d, c in enumerate(columns)] + [["v", 50] + words([scale_word(i) for i in range(lanes)])]
                if kind == "f32":
                    expect = [["v", i] + words(results[i]) for i in range(32)]
                else:
                    expect = [["v", i] + words([results[2 * i][l] | results[2 * i + 1][l] << 16 for l in range(lanes)]) for i in range(16)]
                w.test(f"v_cvt_scalef32_pk32_{kind}_{f}", archs, [f"v_cvt_scalef32_pk32_{kind}_{f} v[0:{regs - 1}], v[40:45], v50"], state, expect, section)
                continue
            parts = 4 if f == "fp4" else 2
            for part in range(parts):
                lanes = 32
                a = [codes[(i * 5 + part) % len(codes)] for i in range(lanes)]
                b = [codes[(i * 3 + 1) % len(codes)] for i in range(lanes)]
                shift = 16 * part if f != "fp4" else 8 * part
                data = [(x | y << bits) << shift for x, y in zip(a, b)]
                r = [[wide_token(kind, (small_unpack(f, c)[0], small_unpack(f, c)[1] * factor(i))) for i, c in enumerate(col)] for col in (a, b)]
                sel = "" if part == 0 else (f" op_sel:[{part},0,0]" if f != "fp4" else f" op_sel:[{part & 1},{part >> 1},0]")
                dst = "v[0:1]" if kind == "f32" else "v0"
                expect = [["v", 0] + words(r[0]), ["v", 1] + words(r[1])] if kind == "f32" else [["v", 0] + words([x | y << 16 for x, y in zip(*r)])]
                w.test(f"v_cvt_scalef32_pk_{kind}_{f}_{part}", archs, [f"v_cvt_scalef32_pk_{kind}_{f} {dst}, v2, v4{sel}"],
                       [["v", 2] + words(data), ["v", 4] + words([scale_word(i) for i in range(lanes)])], expect, section)
            if f != "fp4" and kind != "bf16":
                for byte in range(4):
                    a = [codes[(i * 5 + byte) % len(codes)] for i in range(32)]
                    r = [wide_token(kind, (small_unpack(f, c)[0], small_unpack(f, c)[1] * factor(i))) for i, c in enumerate(a)]
                    third = ",0,0]" if kind == "f16" else ",0]"
                    sel = f" op_sel:[{byte & 1},{byte >> 1}{third}" if byte else ""
                    r = [x | 0xABCD0000 for x in r] if kind == "f16" else r
                    w.test(f"v_cvt_scalef32_{kind}_{f}_{byte}", archs, [f"v_cvt_scalef32_{kind}_{f} v0, v2, v4{sel}"],
                           [["v", 0, "0xabcd1234"], ["v", 2] + words([c << (8 * byte) for c in a]), ["v", 4] + words([scale_word(i) for i in range(32)])],
                           [["v", 0] + words(r)], section)
    # wide to small: values within reach, so that saturation does not matter
    fmts = {"f32": F32, "f16": F16, "bf16": BF16}
    for f in ("fp8", "bf8", "fp4", "fp6", "bf6"):
        bits = width(f)
        finite = sorted({small_unpack(f, c)[1] for c in range(1 << bits) if small_unpack(f, c)[1] not in ("nan", "inf")})
        mids = [(x + y) / 2 for x, y in zip(finite, finite[1:])]
        if f in ("fp8", "bf8"):  # what f16 can hold after scaling
            mids = [m for m in mids if Fraction(1, 64) < m < 400]
            finite = [x for x in finite if Fraction(1, 64) < x < 400]
        points = [p for m in mids for p in (m, m * Fraction(65, 64), m * Fraction(63, 64))] + finite
        for kind, fmt in fmts.items():
            def inputs(lanes, offset):
                out = []
                for i in range(lanes):
                    p = points[(i * 11 + offset) % len(points)] * factor(i)
                    out.append(pack(fmt, ((i + offset) % 3 == 0, p), 3))
                return out
            coded = lambda col: [small_pack(f, (s, x / factor(i))) for i, b in enumerate(col) for s, x in [unpack(fmt, b)]]
            if f in ("fp6", "bf6"):
                lanes = 8
                cols = [inputs(lanes, 3 * i) for i in range(32)]
                codes = [coded(c) for c in cols]
                whole = [sum(codes[i][l] << (6 * i) for i in range(32)) for l in range(lanes)]
                expect = [["v", d] + words([x >> (32 * d) for x in whole]) for d in range(6)]
                scale = [["v", 50] + words([scale_word(i) for i in range(lanes)])]
                if kind == "f32":
                    state = [["v", 8 + i] + words(cols[2 * i]) for i in range(16)] + [["v", 24 + i] + words(cols[2 * i + 1]) for i in range(16)] + scale
                    w.test(f"v_cvt_scalef32_2xpk16_{f}_f32", archs, [f"v_cvt_scalef32_2xpk16_{f}_f32 v[0:5], v[8:23], v[24:39], v50"], state, expect, section)
                    state = [["v", 8 + i] + words(cols[i]) for i in range(32)] + scale
                    regs = "v[8:39]"
                else:
                    state = [["v", 8 + i] + words([a | b << 16 for a, b in zip(cols[2 * i], cols[2 * i + 1])]) for i in range(16)] + scale
                    regs = "v[8:23]"
                    w.test(f"v_cvt_scalef32_pk32_{f}_{kind}", archs, [f"v_cvt_scalef32_pk32_{f}_{kind} v[0:5], {regs}, v50"], state, expect, section)
                # stochastic with exact values: the noise cannot change them
                exact = [[pack(fmt, ((i + l) % 2, finite[(i * 3 + l) % len(finite)] * factor(l))) for l in range(lanes)] for i in range(32)]
                codes = [coded(c) for c in exact]
                whole = [sum(codes[i][l] << (6 * i) for i in range(32)) for l in range(lanes)]
                expect = [["v", d] + words([x >> (32 * d) for x in whole]) for d in range(6)]
                if kind == "f32":
                    state = [["v", 8 + i] + words(exact[i]) for i in range(32)] + scale
                else:
                    state = [["v", 8 + i] + words([a | b << 16 for a, b in zip(exact[2 * i], exact[2 * i + 1])]) for i in range(16)] + scale
                w.test(f"v_cvt_scalef32_sr_pk32_{f}_{kind}", archs, [f"v_cvt_scalef32_sr_pk32_{f}_{kind} v[0:5], {regs}, v51, v50"], state + [["v", 51, "0x12345678"]], expect, section)
                continue
            a, b = inputs(32, 1), inputs(32, 6)
            ca, cb = coded(a), coded(b)
            scale = [["v", 6] + words([scale_word(i) for i in range(32)])]
            for part in range(4 if f == "fp4" else 2):
                shift = 8 * part if f == "fp4" else 16 * part
                mask = ((1 << (2 * bits)) - 1) << shift
                r = [0xABCD1234 & ~mask | (x | y << bits) << shift for x, y in zip(ca, cb)]
                count = 2 if kind == "f32" else 1
                sel = ""
                if part:
                    bits4 = [0, 0, part & 1, part >> 1] if f == "fp4" else [0, 0, 0, part]
                    sel = " op_sel:[" + ",".join(map(str, bits4)) + "]"
                    if f != "fp4" and kind != "f32":
                        sel = f" op_sel:[0,0,{part}]"
                if kind == "f32":
                    state, ops = [["v", 2] + words(a), ["v", 4] + words(b)], "v2, v4, v6"
                else:
                    state, ops = [["v", 2] + words([x | y << 16 for x, y in zip(a, b)])], "v2, v6"
                w.test(f"v_cvt_scalef32_pk_{f}_{kind}_{part}", archs, [f"v_cvt_scalef32_pk_{f}_{kind} v0, {ops}{sel}"], [["v", 0, "0xabcd1234"]] + state + scale,
                       [["v", 0] + words(r)], section)
            exact = [pack(fmt, (i % 2, finite[i * 3 % len(finite)] * factor(i))) for i in range(32)]
            ce = coded(exact)
            if f == "fp4":
                state = [["v", 2] + words(exact), ["v", 3] + words(exact)] if kind == "f32" else [["v", 2] + words([x | x << 16 for x in exact])]
                ops = "v[2:3], v4, v6" if kind == "f32" else "v2, v4, v6"
                w.test(f"v_cvt_scalef32_sr_pk_fp4_{kind}", archs, [f"v_cvt_scalef32_sr_pk_fp4_{kind} v0, {ops}"], [["v", 0, "0xabcd1234"], ["v", 4, "0x9abcdef0"]] + state + scale,
                       [["v", 0] + words([0xABCD1200 | c | c << 4 for c in ce])], section)
            else:
                w.test(f"v_cvt_scalef32_sr_{f}_{kind}", archs, [f"v_cvt_scalef32_sr_{f}_{kind} v0, v2, v4, v6"], [["v", 0, "0xabcd1234"], ["v", 2] + words(exact), ["v", 4, "0x9abcdef0"]] + scale,
                       [["v", 0] + words([0xABCD1200 | c for c in ce])], section)
    w.close()


def trans():
    w = Writer("trans.insn", "Transcendentals, within one step of the last place; division steps.")
    section = "CDNA3 ISA 12.8, RDNA4 ISA 16.8 (transcendentals)"
    x32 = [0x3F800000, 0x40000000, 0x3F000000, 0x40490FDB, 0x3FB504F3, 0x41200000, 0x42C80000, 0x3DCCCCCD, 0x447A0000, 0x3F7FFFFF]
    x16 = [0x3C00, 0x4000, 0x3800, 0x4248, 0x4900, 0x2E66, 0x5640, 0x3BFF]
    value = lambda fmt, b: float(signed(unpack(fmt, b)))
    tau = 2 * math.pi
    ops = {"exp": lambda x: 2.0 ** x, "log": math.log2, "rcp": lambda x: 1 / x, "rsq": lambda x: 1 / math.sqrt(x), "sqrt": math.sqrt,
           "sin": lambda x: math.sin(tau * x), "cos": lambda x: math.cos(tau * x)}
    for name, f in ops.items():
        trig = name in ("sin", "cos")
        for kind, fmt, xs in (("f32", F32, x32), ("f16", F16, x16)):
            xs = [b for b in xs if not trig or abs(value(fmt, b)) < 16]
            xs = [b for b in xs if not (name == "exp" and kind == "f16" and value(fmt, b) > 15)]
            steps = (64 if kind == "f32" else 2) if trig else 1
            def token(b):
                r = f(value(fmt, b))
                if trig:
                    r = 0.0 if abs(r) < 1e-12 else r
                t = pack(fmt, of(Fraction(r)))
                if trig and r == 0.0:
                    return "_"
                return f"{hex(t)}~{steps}" + ("h" if kind == "f16" else "")
            for rdna in (False, True):
                half = ".l" if rdna and kind == "f16" else ""
                w.test(f"v_{name}_{kind}", RDNA if rdna else CDNA, [f"v_{name}_{kind} v0{half}, v2{half}"], [["v", 2] + words(xs)], [["v", 0] + [token(b) for b in xs]], section)
            if name in ("exp", "log", "rcp", "rsq", "sqrt"):
                for i, b in enumerate(xs):
                    w.test(f"v_s_{name}_{kind}_{i}", RDNA, [f"v_s_{name}_{kind} s0, s2"], [["s", 2, hex(b)]], [["s", 0, token(b)]], section)
    for name in ("exp", "log"):
        w.test(f"v_{name}_legacy_f32", CDNA, [f"v_{name}_legacy_f32 v0, v2"], [["v", 2] + words(x32)],
               [["v", 0] + [hex(pack(F32, of(Fraction(ops[name](value(F32, b)))))) + "~1" for b in x32]], section)
    w.test("v_rcp_iflag_f32", ALL, ["v_rcp_iflag_f32 v0, v2"], [["v", 2] + words(x32)],
           [["v", 0] + [hex(pack(F32, of(Fraction(1) / signed(unpack(F32, b))))) + "~1" for b in x32]], section)
    # f64 forms give about 2^-23 and better, of which the upper dword is compared with one step
    for name in ("rcp", "rsq", "sqrt"):
        xs = [0x3FF0000000000000, 0x4000000000000000, 0x400921FB54442D18, 0x4024000000000000]
        r = [pack(F64, of(Fraction(ops[name](value(F64, b))))) for b in xs]
        w.test(f"v_{name}_f64", ALL, [f"v_{name}_f64 v[0:1], v[2:3]"], [["v", 2] + words(xs), ["v", 3] + words([x >> 32 for x in xs])],
               [["v", 1] + [hex(x >> 32) + "~1" for x in r]], section)
    specials = {"exp": [(0x7F800000, 0x7F800000), (0xFF800000, 0), (0, 0x3F800000)], "log": [(0, 0xFF800000), (0x7F800000, 0x7F800000), (0xBF800000, "nan32"), (0x3F800000, 0)],
                "rcp": [(0, 0x7F800000), (0x80000000, 0xFF800000), (0x7F800000, 0), (0xFF800000, 0x80000000)],
                "rsq": [(0, 0x7F800000), (0x7F800000, 0), (0xBF800000, "nan32")], "sqrt": [(0, 0), (0x80000000, 0x80000000), (0x7F800000, 0x7F800000), (0xBF800000, "nan32")],
                "sin": [(0x7F800000, "nan32"), (0, 0)], "cos": [(0x7F800000, "nan32"), (0, 0x3F800000)]}
    for name, rows in specials.items():
        for i, (x, y) in enumerate(rows + [(0x7FC00000, "nan32")]):
            w.test(f"v_{name}_f32_special_{i}", ALL, [f"v_{name}_f32 v0, v2"], [["v", 2, hex(x)]], [["v", 0] + words([y])], section)
    # division: scale, fixup on plain and special operands
    fix = [(0x40000000, 0x3F800000, 0x40000000, 0x40000000), (0x7FC00000, 0x3F800000, 0, 0), (0x3F800000, 0, 0x3F800000, 0x7F800000), (0, 0, 0x80000000, "nan32"),
           (0x3F800000, 0x80000000, 0x3F800000, 0xFF800000), (1, 0x7F800000, 0x3F800000, 0), (1, 0x7F800000, 0x7F800000, "nan32"), (0x3F800000, 0xBF800000, 0x3F800000, 0xBF800000)]
    for i, (q, d, n, r) in enumerate(fix):
        w.test(f"v_div_fixup_f32_{i}", ALL, ["v_div_fixup_f32 v0, v2, v4, v6"], [["v", 2, hex(q)], ["v", 4, hex(d)], ["v", 6, hex(n)]], [["v", 0] + words([r])], "CDNA3 ISA 12.11, RDNA4 ISA 16.11 (division)")
    w.test("v_div_fixup_f64", ALL, ["v_div_fixup_f64 v[0:1], v[2:3], v[4:5], v[6:7]"], [["v", 3, "0x40000000"], ["v", 5, "0xbff00000"], ["v", 7, "0x40000000"]],
           [["v", 0, 0], ["v", 1, "0xc0000000"]], section)
    for archs, h in ((CDNA, ""), (RDNA, ".l")):
        w.test("v_div_fixup_f16", archs, [f"v_div_fixup_f16 v0{h}, v2{h}, v4{h}, v6{h}"], [["v", 2, "0x4000"], ["v", 4, "0xbc00"], ["v", 6, "0x4000"]], [["v", 0, "0xc000"]], section)
    w.test("v_div_fixup_legacy_f16", CDNA, ["v_div_fixup_legacy_f16 v0, v2, v4, v6"], [["v", 2, "0x4000"], ["v", 4, "0xbc00"], ["v", 6, "0x4000"]], [["v", 0, "0xc000"]], section)
    for archs, v in ((CDNA, "vcc"), (RDNA, "vcc_lo")):
        waves = [32] if archs is RDNA else None
        w.test("v_div_scale_f32", archs, [f"v_div_scale_f32 v0, {v}, v2, v2, v4"], [["v", 2, "0x3f800000"], ["v", 4, "0x40400000"]], [["v", 0, "0x3f800000"], ["vcc", 0]], section, waves)
        w.test("v_div_scale_f64", archs, [f"v_div_scale_f64 v[0:1], {v}, v[2:3], v[2:3], v[4:5]"], [["v", 3, "0x3ff00000"], ["v", 5, "0x40080000"]], [["v", 1, "0x3ff00000"], ["vcc", 0]], section, waves)
    w.test("v_div_fmas_f32", ALL, ["v_div_fmas_f32 v0, v2, v4, v6"], [["v", 2, "0x40000000"], ["v", 4, "0x40400000"], ["v", 6, "0x3f800000"]], [["v", 0, "0x40e00000"]], section)
    w.test("v_div_fmas_f64", ALL, ["v_div_fmas_f64 v[0:1], v[2:3], v[4:5], v[6:7]"], [["v", 3, "0x40000000"], ["v", 5, "0x40080000"], ["v", 7, "0x3ff00000"]], [["v", 1, "0x401c0000"]], section)
    # 2/pi in pieces of 53 bits: the first segment for small operands is floor(2/pi * 2^53) * 2^-53, computed with an exact pi
    pi = Fraction(3141592653589793238462643383279502884197169399375105820974944592307816406286208998628034825342117068, 10**99)
    two_over_pi = 2 / pi
    for segment in (0, 1, 2):
        shift = 53 * segment
        piece = int(two_over_pi * 2 ** (shift + 53)) & ((1 << 53) - 1)
        r = pack(F64, of(Fraction(piece) * Fraction(2) ** (-53 - shift)))
        w.test(f"v_trig_preop_f64_{segment}", ALL, ["v_trig_preop_f64 v[0:1], v[2:3], v4"], [["v", 3, "0x3ff00000"], ["v", 4, segment]],
               [["v", 0] + words([r]), ["v", 1] + words([r >> 32])], section)
    w.close()


if __name__ == "__main__":
    conversions()
    float8()
    scaled()
    trans()
