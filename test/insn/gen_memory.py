#!/usr/bin/env python3
"""Memory: memory_global.insn, memory_lds.insn, memory_scalar.insn. Bytes are moved by Python integers and `struct`."""
import random
import struct

from exact import *
from writer import *

M32 = 0xFFFFFFFF
GLOBAL = "CDNA3 ISA 9, 12.14-12.15, RDNA4 ISA 11, 16.15-16.16"
LDS = "CDNA3 ISA 11, 12.13, RDNA4 ISA 12, 16.14"
DATA = [random.Random(5).getrandbits(32) for _ in range(512)]


def image(words_):
    return bytearray(struct.pack(f"<{len(words_)}I", *words_))


def dwords(data):
    return list(struct.unpack(f"<{len(data) // 4}I", bytes(data)))


def extend(raw, size, sign):
    return int.from_bytes(raw[:size], "little", signed=sign) & M32


LOADS = [("ubyte", "u8", 1, False), ("sbyte", "i8", 1, True), ("ushort", "u16", 2, False), ("sshort", "i16", 2, True), ("dword", "b32", 4, False),
         ("dwordx2", "b64", 8, False), ("dwordx3", "b96", 12, False), ("dwordx4", "b128", 16, False)]
D16 = [("ubyte_d16", "d16_u8", 1, False, False), ("ubyte_d16_hi", "d16_hi_u8", 1, False, True), ("sbyte_d16", "d16_i8", 1, True, False),
       ("sbyte_d16_hi", "d16_hi_i8", 1, True, True), ("short_d16", "d16_b16", 2, False, False), ("short_d16_hi", "d16_hi_b16", 2, False, True)]
STORES = [("byte", "b8", 1, 0), ("short", "b16", 2, 0), ("dword", "b32", 4, 0), ("dwordx2", "b64", 8, 0), ("dwordx3", "b96", 12, 0), ("dwordx4", "b128", 16, 0),
          ("byte_d16_hi", "d16_hi_b8", 1, 16), ("short_d16_hi", "d16_hi_b16", 2, 16)]

U = lambda bits: (1 << bits) - 1
S = lambda x, bits: x - (1 << bits) if x >> (bits - 1) & 1 else x


def atomics(bits):
    m = U(bits)
    return [("swap", f"swap_b{bits}", lambda o, d, c: d), ("add", f"add_u{bits}", lambda o, d, c: o + d & m), ("sub", f"sub_u{bits}", lambda o, d, c: o - d & m),
            ("smin", f"min_i{bits}", lambda o, d, c: min(o, d, key=lambda x: S(x, bits))), ("umin", f"min_u{bits}", lambda o, d, c: min(o, d)),
            ("smax", f"max_i{bits}", lambda o, d, c: max(o, d, key=lambda x: S(x, bits))), ("umax", f"max_u{bits}", lambda o, d, c: max(o, d)),
            ("and", f"and_b{bits}", lambda o, d, c: o & d), ("or", f"or_b{bits}", lambda o, d, c: o | d), ("xor", f"xor_b{bits}", lambda o, d, c: o ^ d),
            ("inc", f"inc_u{bits}", lambda o, d, c: 0 if o >= d else o + 1), ("dec", f"dec_u{bits}", lambda o, d, c: d if o == 0 or o > d else o - 1),
            ("cmpswap", f"cmpswap_b{bits}", lambda o, d, c: d if o == c else o)]


def float_add(fmt):
    return lambda o, d, c: pack(fmt, add(unpack(fmt, o), unpack(fmt, d)))


def pair_add(fmt):
    f = float_add(fmt)
    return lambda o, d, c: f(o & 0xFFFF, d & 0xFFFF, 0) | f(o >> 16, d >> 16, 0) << 16


def float_pick(fmt, largest):
    def f(o, d, c):
        vo, vd = unpack(fmt, o), unpack(fmt, d)
        if "nan" in (vo[1], vd[1]):
            return d if vo[1] == "nan" else o
        return d if (less(vo, vd) if largest else less(vd, vo)) else o
    return f


PLAIN = [0x3F800000, 0x40200000, 0xC0490FDB, 0x44444444, 0xBF000000, 0x3DCCCCCD, 0x42F00000, 0xC2F00000]
PLAIN64 = [0x3FF0000000000000, 0xC00921FB54442D18, 0x4059000000000000, 0xBFE0000000000000]
PLAIN16 = [0x3C004000, 0xC2483800, 0x49005640, 0xBC003E00]
PLAINB = [0x3F804000, 0xC0493F00, 0x41204334, 0xBF803FC0]


def cells(kind, n, seed):
    r = random.Random(seed)
    if kind == "i32":
        return [r.choice([0, 1, 5, M32, 0x80000000, r.getrandbits(32)]) for _ in range(n)]
    if kind == "i64":
        return [r.choice([0, 1, 5, U(64), 1 << 63, r.getrandbits(64)]) for _ in range(n)]
    return [r.choice({"f32": PLAIN, "f64": PLAIN64, "pf16": PLAIN16, "pbf16": PLAINB}[kind]) for _ in range(n)]


def vector_memory(w):
    lanes = 32
    for space in ("global", "flat", "buffer"):
        for rdna in (False, True):
            archs = RDNA if rdna else CDNA
            wait = ["s_wait_loadcnt 0", "s_wait_storecnt 0"] if rdna else ["s_waitcnt vmcnt(0) lgkmcnt(0)"]
            # address registers, by lane: v20 = offset (with saddr), or v[20:21] made from the base
            def address(stride, offset):
                """(set-up instructions, state, operands for the instruction with {d} the data)"""
                offsets = [(l * 7 % 32) * stride for l in range(lanes)]
                st = [["v", 20] + words(offsets)]
                tail = f" offset:{offset}" if offset else ""
                if space == "global":
                    return [], st, "{d}, v20, s[4:5]" + tail, "v20, {d}, s[4:5]" + tail, offsets
                if space == "flat":
                    setup = ["v_mov_b32 v23, s5", "v_add_co_u32 v22, vcc_lo, v20, s4", "v_add_co_ci_u32 v23, vcc_lo, 0, v23, vcc_lo"] if rdna else [
                        "v_mov_b32 v23, s5", "v_add_co_u32 v22, vcc, s4, v20", "v_addc_co_u32 v23, vcc, 0, v23, vcc"]
                    return setup, st, "{d}, v[22:23]" + tail, "v[22:23], {d}" + tail, offsets
                # raw buffer: base, no stride, bytes, format word
                setup = ["s_mov_b32 s6, 0x800", "s_mov_b32 s7, 0x31004000" if rdna else "s_mov_b32 s7, 0x00020000"]
                soff = "null" if rdna else "0"
                return setup, st, "{d}, v20, s[4:7], " + soff + " offen" + tail, "{d}, v20, s[4:7], " + soff + " offen" + tail, offsets
            flat_waves = [32] if rdna and space == "flat" else None
            for n9, n12, size, sign in LOADS:
                setup, st, form, _, offsets = address(16 if size > 4 else 4, 8)
                name = f"{space}_load_{n12 if rdna else n9}"
                data = image(DATA)
                regs = max(1, size // 4)
                dst = "v0" if regs == 1 else f"v[0:{regs - 1}]"
                got = [[extend(data[o + 8 + 4 * r:], size, sign) if size < 4 else int.from_bytes(data[o + 8 + 4 * r:o + 12 + 4 * r], "little") for o in offsets] for r in range(regs)]
                w.test(name, archs, setup + [f"{name} " + form.format(d=dst)] + wait, st + [["memory", "s4"] + words(DATA)], [["v", r] + words(g) for r, g in enumerate(got)], GLOBAL, flat_waves)
            for n9, n12, size, sign, high in D16:
                setup, st, form, _, offsets = address(4, 8)
                name = f"{space}_load_{n12 if rdna else n9}"
                data = image(DATA)
                got = [extend(data[o + 8:], size, sign) & 0xFFFF for o in offsets]
                got = [0x1234 | g << 16 if high else 0xABCD0000 | g for g in got]
                w.test(name, archs, setup + [f"{name} " + form.format(d="v0")] + wait, st + [["v", 0, "0xabcd1234"], ["memory", "s4"] + words(DATA)], [["v", 0] + words(got)], GLOBAL, flat_waves)
            for n9, n12, size, shift in STORES:
                setup, st, _, form, offsets = address(16 if size > 4 else 4, 8)
                name = f"{space}_store_{n12 if rdna else n9}"
                data = image(DATA)
                regs = max(1, size // 4)
                src = "v0" if regs == 1 else f"v[0:{regs - 1}]"
                cols = [sample("i32", lanes, (name, r)) for r in range(regs)]
                for l, o in enumerate(offsets):
                    whole = b"".join(struct.pack("<I", cols[r][l] >> shift if size < 4 else cols[r][l]) for r in range(regs))
                    data[o + 8:o + 8 + size] = whole[:size]
                # 64-lane waves store the same again
                w.test(name, archs, setup + [f"{name} " + form.format(d=src)] + wait, st + [["v", r] + words(c) for r, c in enumerate(cols)] + [["memory", "s4"] + words(DATA)],
                       [["memory"] + words(dwords(data))], GLOBAL, flat_waves)
            kinds = [(n9, n12, f, 32, "i32", ALL) for n9, n12, f in atomics(32)] + [(n9 + "_x2", n12, f, 64, "i64", ALL) for n9, n12, f in atomics(64)]
            kinds += [("add_f32", "add_f32", float_add(F32), 32, "f32", ALL), ("pk_add_f16", "pk_add_f16", pair_add(F16), 32, "pf16", ALL)]
            kinds += [("pk_add_bf16", "pk_add_bf16", pair_add(BF16), 32, "pbf16", ["gfx1201"] + (["gfx950"] if space == "buffer" else ["gfx942", "gfx950"]))]
            if not rdna:
                kinds += [("add_f64", None, float_add(F64), 64, "f64", CDNA), ("min_f64", None, float_pick(F64, False), 64, "f64", CDNA), ("max_f64", None, float_pick(F64, True), 64, "f64", CDNA)]
            else:
                kinds += [(None, "min_num_f32", float_pick(F32, False), 32, "f32", RDNA), (None, "max_num_f32", float_pick(F32, True), 32, "f32", RDNA),
                          (None, "sub_clamp_u32", lambda o, d, c: max(0, o - d), 32, "i32", RDNA), (None, "cond_sub_u32", lambda o, d, c: o - d if o >= d else o, 32, "i32", RDNA)]
            for n9, n12, f, bits, kind, where in kinds:
                where = [a for a in archs if a in where]
                if kind in ("f32",) and not rdna and space == "flat":
                    where = [a for a in where if a != "gfx90a"]
                if kind == "pf16" and space == "flat" and not rdna:
                    where = [a for a in where if a != "gfx90a"]
                if not where:
                    continue
                base = n12 if rdna else n9
                name = f"{space}_atomic_{base}"
                size = bits // 8
                # 32 lanes on 32 cells of their own: in waves of 64 the upper half would do it again, so it is switched off
                offsets = [(l * 7 % 32) * size for l in range(lanes)]
                old = cells(kind, 32, name)
                new = cells(kind, lanes, name + "d")
                comp = [old[o // size] if l % 2 else c for l, (o, c) in enumerate(zip(offsets, cells(kind, lanes, name + "c")))]
                after = list(old)
                returned = []
                for l, o in enumerate(offsets):
                    returned.append(after[o // size])
                    after[o // size] = f(after[o // size], new[l], comp[l])
                flatten = lambda vals: [x >> (32 * h) & M32 for x in vals for h in range(size // 4)]
                setup, st, _, _, _ = address(size, 0)
                st = [["v", 20] + words(offsets), ["exec", hex(M32)]]
                cas = "cmpswap" in base
                regs = size // 4 * (2 if cas else 1)
                data = "v2" if regs == 1 else f"v[2:{1 + regs}]"
                dst = "v0" if size == 4 else "v[0:1]"
                for h in range(size // 4):
                    st.append(["v", 2 + h] + words([x >> (32 * h) for x in new]))
                    if cas:
                        st.append(["v", 2 + size // 4 + h] + words([x >> (32 * h) for x in comp]))
                place = {"global": "v20, {d}, s[4:5]", "flat": "v[22:23], {d}", "buffer": "{d}, v20, s[4:7], " + ("null" if rdna else "0") + " offen"}[space]
                for returns in (False, True):
                    flag = "" if not returns else (" th:TH_ATOMIC_RETURN" if rdna else {"gfx90a": " glc"}.get("", " sc0"))
                    groups = [(where, flag)] if rdna or not returns else [([a for a in where if a == "gfx90a"], " glc"), ([a for a in where if a != "gfx90a"], " sc0")]
                    for group, tail in groups:
                        if not group:
                            continue
                        line = f"{name} " + ((dst + ", ") if returns and space != "buffer" else "") + place.format(d=data) + tail
                        expect = [["memory"] + words(flatten(after))]
                        if returns:
                            at = 2 if space == "buffer" else 0
                            # the upper lanes of waves of 64 are off and keep what they had
                            for h in range(size // 4):
                                upper = [] if rdna else [x >> (32 * h) for x in new] if space == "buffer" else [0] * 32
                                expect.append(["v", at + h] + words([x >> (32 * h) for x in returned] + upper))
                        w.test(name + ("_rtn" if returns else ""), group, setup + [line] + wait, st + [["memory", "s4"] + words(flatten(old))], expect[:1] if not returns else expect, GLOBAL, [32] if rdna else [64])


def buffers(w):
    # outside of the descriptor: loads give zero, stores and atomics do nothing
    for rdna in (False, True):
        archs = RDNA if rdna else CDNA
        word3 = "0x31004000" if rdna else "0x00020000"
        soff = "null" if rdna else "0"
        wait = ["s_wait_loadcnt 0"] if rdna else ["s_waitcnt vmcnt(0)"]
        load, store = ("buffer_load_b32", "buffer_store_b32") if rdna else ("buffer_load_dword", "buffer_store_dword")
        offs = [0, 60, 64, 68, 0x7FFFFFFC, 0xFFFFFFFC]
        data = DATA[:32]
        inside = lambda o: o + 4 <= 64
        w.test("buffer_bounds_load", archs, ["s_mov_b32 s6, 64", f"s_mov_b32 s7, {word3}", f"{load} v0, v20, s[4:7], {soff} offen"] + wait,
               [["v", 20] + words(offs), ["v", 0, 7], ["memory", "s4"] + words(data)], [["v", 0] + words([data[o // 4] if inside(o) else 0 for o in offs])], GLOBAL)
        after = list(data)
        for l, o in enumerate(offs):
            if inside(o):
                after[o // 4] = 0x99
        w.test("buffer_bounds_store", archs, ["s_mov_b32 s6, 64", f"s_mov_b32 s7, {word3}", f"{store} v0, v20, s[4:7], {soff} offen"] + wait,
               [["v", 20] + words(offs), ["v", 0, "0x99"], ["memory", "s4"] + words(data)], [["memory"] + words(after)], GLOBAL)
        # structured: stride 8 in word 1, index in the first register, offset in the second
        st = "s_or_b32 s5, s5, 0x80000"
        index = [0, 3, 1, 15, 16, 2]
        w.test("buffer_structured", archs, [st, "s_mov_b32 s6, 16", f"s_mov_b32 s7, {word3}", f"{load} v0, v[20:21], s[4:7], {soff} idxen offen"] + wait,
               [["v", 20] + words(index), ["v", 21, 4], ["memory", "s4"] + words(data)], [["v", 0] + words([data[2 * i + 1] if i < 16 else 0 for i in index])], GLOBAL)


def scalar_memory():
    w = Writer("memory_scalar.insn", "Scalar loads.")
    for rdna in (False, True):
        archs = RDNA if rdna else CDNA
        wait = "s_wait_kmcnt 0" if rdna else "s_waitcnt lgkmcnt(0)"
        word3 = "0x31004000" if rdna else "0x00020000"
        for n9, n12, count in [("dword", "b32", 1), ("dwordx2", "b64", 2), ("dwordx4", "b128", 4), ("dwordx8", "b256", 8), ("dwordx16", "b512", 16), (None, "b96", 3)]:
            n = n12 if rdna else n9
            if not n:
                continue
            dst = "s20" if count == 1 else f"s[20:{19 + count}]"
            for tail, at in (("0x20", 8), ("s8", 4), ("s8 offset:0x10", 8)):
                off = tail if not (rdna and tail == "s8") else "s8 offset:0x0"
                w.test(f"s_load_{n}", archs, [f"s_load_{n} {dst}, s[4:5], {off}", wait], [["s", 8, 16], ["memory", "s4"] + words(DATA[:64])],
                       [["s", 20 + i, hex(DATA[at + i])] for i in range(count)], GLOBAL)
            w.test(f"s_buffer_load_{n}", archs, ["s_mov_b32 s6, 0x100", f"s_mov_b32 s7, {word3}", f"s_buffer_load_{n} {dst}, s[4:7], 0x20", wait], [["memory", "s4"] + words(DATA[:64])],
                   [["s", 20 + i, hex(DATA[8 + i])] for i in range(count)], GLOBAL)
        if rdna:
            data = image(DATA[:64])
            for t, size, sign in (("u8", 1, False), ("i8", 1, True), ("u16", 2, False), ("i16", 2, True)):
                for at in (32, 33 if size == 1 else 34):
                    w.test(f"s_load_{t}_{at}", RDNA, [f"s_load_{t} s20, s[4:5], {hex(at)}", wait], [["memory", "s4"] + words(DATA[:64])], [["s", 20, hex(extend(data[at:], size, sign))]], GLOBAL)
                    w.test(f"s_buffer_load_{t}_{at}", RDNA, ["s_mov_b32 s6, 0x100", f"s_mov_b32 s7, {word3}", f"s_buffer_load_{t} s20, s[4:7], {hex(at)}", wait], [["memory", "s4"] + words(DATA[:64])],
                           [["s", 20, hex(extend(data[at:], size, sign))]], GLOBAL)
            for line in ("s_prefetch_inst s[4:5], 0, s8, 1", "s_prefetch_inst_pc_rel 0, s8, 1", "s_prefetch_data s[4:5], 0, s8, 1", "s_prefetch_data_pc_rel 0, s8, 1", "s_buffer_prefetch_data s[4:7], 0, s8, 1"):
                w.test(line.split()[0], RDNA, [line, "s_mov_b32 s20, 3"], [["memory", "s4"] + words(DATA[:64])], [["s", 20, 3]], GLOBAL)
    w.close()


def lds():
    w = Writer("memory_lds.insn", "LDS.")
    lanes = 32
    table = DATA[:256]
    for rdna in (False, True):
        archs = RDNA if rdna else CDNA
        wait = ["s_wait_dscnt 0"] if rdna else ["s_waitcnt lgkmcnt(0)"]
        rd, wr = ("load", "store") if rdna else ("read", "write")
        offsets16 = [(l * 7 % 32) * 16 for l in range(lanes)]
        offsets4 = [(l * 7 % 32) * 4 for l in range(lanes)]
        state = [["lds"] + words(table)]
        for t, size, sign in [("u8", 1, False), ("i8", 1, True), ("u16", 2, False), ("i16", 2, True), ("b32", 4, False), ("b64", 8, False), ("b96", 12, False), ("b128", 16, False)]:
            data, regs = image(table), max(1, size // 4)
            offs = offsets16 if size > 4 else offsets4
            dst = "v0" if regs == 1 else f"v[0:{regs - 1}]"
            got = [[extend(data[o + 16:], size, sign) if size < 4 else int.from_bytes(data[o + 16 + 4 * r:o + 20 + 4 * r], "little") for o in offs] for r in range(regs)]
            w.test(f"ds_{rd}_{t}", archs, [f"ds_{rd}_{t} {dst}, v20 offset:16"] + wait, [["v", 20] + words(offs)] + state, [["v", r] + words(g) for r, g in enumerate(got)], LDS)
        for t, size, sign in [("u8", 1, False), ("i8", 1, True), ("u16", 2, False)]:
            for high in (False, True):
                n = f"ds_{rd}_{t}_d16" + ("_hi" if high else "")
                data = image(table)
                got = [extend(data[o + 16:], size, sign) & 0xFFFF for o in offsets4]
                w.test(n, archs, [f"{n} v0, v20 offset:16"] + wait, [["v", 20] + words(offsets4), ["v", 0, "0xabcd1234"]] + state,
                       [["v", 0] + words([0x1234 | g << 16 if high else 0xABCD0000 | g for g in got])], LDS)
        for t, size, shift in [("b8", 1, 0), ("b16", 2, 0), ("b32", 4, 0), ("b64", 8, 0), ("b96", 12, 0), ("b128", 16, 0), ("b8_d16_hi", 1, 16), ("b16_d16_hi", 2, 16)]:
            data, regs = image(table), max(1, size // 4)
            offs = offsets16 if size > 4 else offsets4
            src = "v2" if regs == 1 else f"v[2:{1 + regs}]"
            cols = [sample("i32", lanes, (t, r)) for r in range(regs)]
            for l, o in enumerate(offs):
                whole = b"".join(struct.pack("<I", cols[r][l] >> shift if size < 4 else cols[r][l]) for r in range(regs))
                data[o + 16:o + 16 + size] = whole[:size]
            w.test(f"ds_{wr}_{t}", archs, [f"ds_{wr}_{t} v20, {src} offset:16"] + wait, [["v", 20] + words(offs)] + [["v", 2 + r] + words(c) for r, c in enumerate(cols)] + state,
                   [["lds"] + words(dwords(data))], LDS)
        for t, size in (("b32", 4), ("b64", 8)):
            for st64 in (False, True):
                stride = size * (64 if st64 else 1)
                form = {False: f"2_{t}" if not rdna else f"_2addr_{t}", True: f"2st64_{t}" if not rdna else f"_2addr_stride64_{t}"}[st64]
                o0, o1 = (0, 1) if st64 else (3, 9)
                regs = size // 4
                small = [(l * 7 % 32) * 8 for l in range(lanes)] if not st64 else [(l * 3 % 16) * size for l in range(lanes)]
                data = image(table)
                pick = lambda o, r: int.from_bytes(data[o + 4 * r:o + 4 * r + 4], "little")
                dst = f"v[0:{2 * regs - 1}]"
                expect = [["v", e * regs + r] + words([pick(o + off * stride, r) for o in small]) for e, off in enumerate((o0, o1)) for r in range(regs)]
                w.test(f"ds_{rd}{form}", archs, [f"ds_{rd}{form} {dst}, v20 offset0:{o0} offset1:{o1}"] + wait, [["v", 20] + words(small)] + state, expect, LDS)
                cols = [[sample("i32", lanes, (form, e, r)) for r in range(regs)] for e in range(2)]
                new = image(table)
                single = [l * 16 % 512 for l in range(lanes)] if not st64 else [l * size for l in range(16)]
                o0s, o1s = (0, 1) if not st64 else (0, 1)
                count = len(single)
                for l, o in enumerate(single):
                    for e, off in enumerate((o0s, o1s)):
                        for r in range(regs):
                            at = o + off * stride + 4 * r
                            new[at:at + 4] = struct.pack("<I", cols[e][r][l])
                cols = [[c[:count] for c in e] for e in cols]
                a, b = ("v2", "v6") if regs == 1 else ("v[2:3]", "v[6:7]")
                st = [["v", 20] + words(single)] + [["v", 2 + 4 * e + r] + words(cols[e][r]) for e in range(2) for r in range(regs)]
                w.test(f"ds_{wr}{form}", archs, [f"ds_{wr}{form} v20, {a}, {b} offset0:{o0s} offset1:{o1s}"] + wait, st + state, [["lds"] + words(dwords(new))], LDS)
                xchg = ("ds_storexchg_2addr" + ("_stride64" if st64 else "") + f"_rtn_{t}") if rdna else (f"ds_wrxchg2{'st64' if st64 else ''}_rtn_{t}")
                old = image(table)
                expect = [["v", 0 + e * regs + r] + words([int.from_bytes(old[o + off * stride + 4 * r:o + off * stride + 4 * r + 4], "little") for o in single]) for e, off in enumerate((o0s, o1s)) for r in range(regs)]
                active = M32 if count == 32 else 0xFFFF
                expect = [line if count == 32 else line + ["_"] * 16 for line in expect]
                w.test(xchg, archs, [f"{xchg} {dst}, v20, {a}, {b} offset0:{o0s} offset1:{o1s}"] + wait, st + [["exec", hex(active)]] + state, [["lds"] + words(dwords(new))] +
                       ([e for e in expect] if rdna else []), LDS, [32] if rdna else None)
        # atomics
        ops = []
        for bits in (32, 64):
            u, i, b = f"u{bits}", f"i{bits}", f"b{bits}"
            k = f"i{bits}"
            by = {n9: f for n9, n12, f in atomics(bits)}
            ops += [("add", u, by["add"], bits, k), ("sub", u, by["sub"], bits, k), ("rsub", u, lambda o, d, c, m=U(bits): d - o & m, bits, k), ("inc", u, by["inc"], bits, k), ("dec", u, by["dec"], bits, k),
                    ("min", i, by["smin"], bits, k), ("max", i, by["smax"], bits, k), ("min", u, by["umin"], bits, k), ("max", u, by["umax"], bits, k),
                    ("and", b, by["and"], bits, k), ("or", b, by["or"], bits, k), ("xor", b, by["xor"], bits, k), ("mskor", b, lambda o, d, c: o & ~c | d, bits, k)]
            ops += [("cmpstore" if rdna else "cmpst", b, by["cmpswap"], bits, k), ("storexchg" if rdna else "wrxchg", b, by["swap"], bits, k)]
        n = "_num" if rdna else ""
        ops += [("add", "f32", float_add(F32), 32, "f32"), (f"min{n}", "f32", float_pick(F32, False), 32, "f32"), (f"max{n}", "f32", float_pick(F32, True), 32, "f32"),
                (f"min{n}", "f64", float_pick(F64, False), 64, "f64"), (f"max{n}", "f64", float_pick(F64, True), 64, "f64"), ("pk_add", "f16", pair_add(F16), 32, "pf16"), ("pk_add", "bf16", pair_add(BF16), 32, "pbf16")]
        if rdna:
            ops += [("sub_clamp", "u32", lambda o, d, c: max(0, o - d), 32, "i32"), ("cond_sub", "u32", lambda o, d, c: o - d if o >= d else o, 32, "i32")]
        else:
            ops += [("add", "f64", float_add(F64), 64, "f64"), ("cmpst", "f32", lambda o, d, c: d if o == c else o, 32, "f32"), ("cmpst", "f64", lambda o, d, c: d if o == c else o, 64, "f64"),
                    ("wrap", "b32", lambda o, d, c: o - c if o >= c else o + d & M32, 32, "i32")]
        ops += [("condxchg32", "b64", lambda o, d, c: ((d & 0x7FFFFFFF) if d >> 31 & 1 else o & M32) | (((d >> 32 & 0x7FFFFFFF) if d >> 63 else o >> 32) << 32), 64, "i64")]
        for name, t, f, bits, kind in ops:
            size = bits // 8
            where = [a for a in archs if not (kind in ("pf16", "pbf16") and a == "gfx90a")]
            offsets = [(l * 7 % 32) * size for l in range(lanes)]
            seed = f"{name}{t}"
            old, new = cells(kind, 32, seed), cells(kind, lanes, seed + "d")
            two = name in ("cmpst", "cmpstore", "mskor", "wrap")
            comp = [old[o // size] if l % 2 and "cmp" in name else c for l, (o, c) in enumerate(zip(offsets, cells(kind, lanes, seed + "c")))]
            after, returned = list(old), []
            for l, o in enumerate(offsets):
                returned.append(after[o // size])
                after[o // size] = f(after[o // size], new[l], comp[l])
            flatten = lambda vals: [x >> (32 * h) & M32 for x in vals for h in range(size // 4)]
            regs = lambda at: f"v{at}" if size == 4 else f"v[{at}:{at + 1}]"
            # of two data operands the first is the compared value, but the new one in ds_cmpstore
            first, second = (new, comp) if name == "cmpstore" or not two else (comp, new)
            st = [["v", 20] + words(offsets), ["exec", hex(M32)]] + [["v", 2 + h] + words([x >> (32 * h) for x in first]) for h in range(size // 4)]
            data = regs(2)
            if two:
                st += [["v", 6 + h] + words([x >> (32 * h) for x in second]) for h in range(size // 4)]
                data += ", " + regs(6)
            only_rtn = name in ("wrxchg", "storexchg", "wrap", "condxchg32")
            waves = [32] if rdna else [64]
            if not only_rtn:
                w.test(f"ds_{name}_{t}", where, [f"ds_{name}_{t} v20, {data}"] + wait, st + [["lds"] + words(flatten(old))], [["lds"] + words(flatten(after))], LDS, waves)
            expect = [["lds"] + words(flatten(after))]
            if rdna:
                expect += [["v", h] + words([x >> (32 * h) for x in returned]) for h in range(size // 4)]
            else:  # the upper lanes are off and keep what they had
                expect += [["v", h] + words([x >> (32 * h) for x in returned] + ["0"] * 32) for h in range(size // 4)]
            w.test(f"ds_{name}_rtn_{t}", where, [f"ds_{name}_rtn_{t} {regs(0)}, v20, {data}"] + wait, st + [["lds"] + words(flatten(old))], expect, LDS, waves)
        for n in (64,) if not rdna else (32, 64):
            w.test(f"ds_{rd}_addtid", archs, ["s_mov_b32 m0, 8", f"ds_{rd}_addtid_b32 v0 offset:4"] + wait, state, [["v", 0] + words([table[3 + l] for l in range(n)])], LDS, [n])
            new = list(table)
            for l in range(n):
                new[3 + l] = 0x100 + l
            w.test(f"ds_{wr}_addtid", archs, ["s_mov_b32 m0, 8", f"ds_{wr}_addtid_b32 v1 offset:4"] + wait, state + [["v", 1] + words([0x100 + l for l in range(n)])], [["lds"] + words(new)], LDS, [n])
    # transposed reads of gfx950: a row of 16 lanes, each with 8 bytes of a matrix whose rows are 16 elements
    for bits, size, name in ((16, 8, "b64_tr_b16"), (8, 8, "b64_tr_b8"), (4, 8, "b64_tr_b4"), (6, 12, "b96_tr_b6")):
        count = size * 8 // bits
        whole = int.from_bytes(bytes(image(table)), "little")
        def element(lane, e):
            at = lane * 16 * 8 + e * bits
            return whole >> at & ((1 << bits) - 1)
        results = []
        for l in range(64):
            value = 0
            for e in range(count):
                position = 16 * e + l % 16
                value |= element(l // 16 * 16 + position // count, position % count) << (e * bits)
            results.append(value)
        w.test(f"ds_read_{name}", ["gfx950"], [f"ds_read_{name} v[0:{size // 4 - 1}], v20", "s_waitcnt lgkmcnt(0)"], [["v", 20] + words([16 * l for l in range(64)]), ["lds"] + words(table)],
               [["v", r] + words([x >> (32 * r) for x in results]) for r in range(size // 4)], "CDNA4 ISA 11 (assumed layout)")
    # from memory to LDS: lane l's element goes to M0 + offset + l * size
    for name, size, sign, archs in [("ubyte", 1, False, CDNA), ("sbyte", 1, True, CDNA), ("ushort", 2, False, CDNA), ("sshort", 2, True, CDNA), ("dword", 4, False, CDNA), ("dwordx3", 12, False, ["gfx950"]), ("dwordx4", 16, False, ["gfx950"])]:
        data = image(DATA)
        offs = [(l * 5 % 64) * (16 if size > 4 else 4) for l in range(64)]
        step = max(size, 4)
        out = image([0] * 256)
        for l, o in enumerate(offs):
            piece = struct.pack("<I", extend(data[o:], size, sign)) if size < 4 else bytes(data[o:o + size])
            at = 16 + l * step
            if at + step <= len(out):
                out[at:at + step] = piece
        if size > 4:
            out = image([0] * 512)
            for l, o in enumerate(offs):
                out[16 + l * step:16 + l * step + size] = data[o:o + size]
        for arch in archs:
            line = f"global_load_lds_{name} v20, s[4:5]" if arch != "gfx90a" else f"global_load_{name} v20, s[4:5] lds"
            w.test(f"global_load_lds_{name}", [arch], ["s_mov_b32 m0, 16", line, "s_waitcnt vmcnt(0)"], [["v", 20] + words(offs), ["memory", "s4"] + words(DATA), ["lds"] + words([0] * (256 if size <= 4 else 512))],
                   [["lds"] + words(dwords(out))], GLOBAL)
    w.close()


def scratch(w):
    """Each lane's own memory: four known dwords are stored, then one access, then what it did is looked at."""
    for rdna in (False, True):
        archs = RDNA if rdna else CDNA
        wait = ["s_wait_loadcnt 0", "s_wait_storecnt 0"] if rdna else ["s_waitcnt vmcnt(0)"]
        put4, get4 = ("scratch_store_b128", "scratch_load_b128") if rdna else ("scratch_store_dwordx4", "scratch_load_dwordx4")
        cols = [sample("i32", 32, ("scratch", i)) for i in range(4)]
        state = [["v", 4 + i] + words(c) for i, c in enumerate(cols)] + [["v", 20] + words([16 * (l % 8) for l in range(32)]), ["s", 4, 32], ["s", 5, 40]]
        prepare = [f"{put4} v20, v[4:7], off offset:16"] + wait
        lane_bytes = [struct.pack("<4I", *(c[l] for c in cols)) for l in range(32)]
        for n9, n12, size, sign in LOADS:
            name = f"scratch_load_{n12 if rdna else n9}"
            regs = max(1, size // 4)
            dst = "v0" if regs == 1 else f"v[0:{regs - 1}]"
            got = [[extend(b[4 * r:], size, sign) if size < 4 else int.from_bytes(b[4 * r:4 * r + 4], "little") for b in lane_bytes] for r in range(regs)]
            w.test(name, archs, prepare + [f"{name} {dst}, v20, off offset:16"] + wait, state, [["v", r] + words(g) for r, g in enumerate(got)], GLOBAL)
        for n9, n12, size, sign, high in D16:
            name = f"scratch_load_{n12 if rdna else n9}"
            got = [extend(b, size, sign) & 0xFFFF for b in lane_bytes]
            w.test(name, archs, prepare + [f"{name} v0, v20, off offset:16"] + wait, state + [["v", 0, "0xabcd1234"]],
                   [["v", 0] + words([0x1234 | g << 16 if high else 0xABCD0000 | g for g in got])], GLOBAL)
        for n9, n12, size, shift in STORES:
            name = f"scratch_store_{n12 if rdna else n9}"
            regs = max(1, size // 4)
            src = "v8" if regs == 1 else f"v[8:{7 + regs}]"
            new = [sample("i32", 32, (name, r)) for r in range(regs)]
            out = []
            for l in range(32):
                whole = b"".join(struct.pack("<I", new[r][l] >> shift if size < 4 else new[r][l]) for r in range(regs))
                b = bytearray(lane_bytes[l])
                b[:size] = whole[:size]
                out.append(dwords(b))
            w.test(name, archs, prepare + [f"{name} v20, {src}, off offset:16"] + wait + [f"{get4} v[0:3], v20, off offset:16"] + wait, state + [["v", 8 + r] + words(c) for r, c in enumerate(new)],
                   [["v", r] + words([o[r] for o in out]) for r in range(4)], GLOBAL)
        # the address from a scalar register, and none at all
        word = "b32" if rdna else "dword"
        w.test("scratch_scalar_base", archs, [f"scratch_store_{word} off, v4, s4 offset:8"] + wait + [f"scratch_load_{word} v0, off, s5"] + wait, state, [["v", 0] + words(cols[0])], GLOBAL)
    for t, size, sign in (("ubyte", 1, False), ("sbyte", 1, True), ("ushort", 2, False), ("sshort", 2, True), ("dword", 4, False)):
        cols = [sample("i32", 64, ("scratch lds", t))]
        out = [0] * 80
        for l in range(64):
            out[4 + l] = extend(struct.pack("<I", cols[0][l]), size, sign)
        for archs, line in ((["gfx942", "gfx950"], f"scratch_load_lds_{t} off, s4"), (["gfx90a"], f"scratch_load_{t} off, s4 lds")):
            w.test(f"scratch_load_lds_{t}", archs, ["scratch_store_dword off, v4, s4", "s_waitcnt vmcnt(0)", "s_mov_b32 m0, 16", line, "s_waitcnt vmcnt(0)"],
                   [["s", 4, 32], ["v", 4] + words(cols[0]), ["lds"] + words([0] * 80)], [["lds"] + words(out)], GLOBAL)


if __name__ == "__main__":
    w = Writer("memory_vector.insn", "Global, flat and buffer accesses.")
    vector_memory(w)
    buffers(w)
    scratch(w)
    w.close()
    scalar_memory()
    lds()
