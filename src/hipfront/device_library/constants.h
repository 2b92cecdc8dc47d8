#pragma once
// Made from exact rational arithmetic (Machin's formula, series); hexadecimal so that no digit is lost.

constexpr unsigned long long kTwoOverPi[20] = {
    0xa2f9836e4e441529ull, 0xfc2757d1f534ddc0ull, 0xdb6295993c439041ull, 0xfe5163abdebbc561ull, 0xb7246e3a424dd2e0ull,
    0x6492eea09d1921cull,  0xfe1deb1cb129a73eull, 0xe88235f52ebb4484ull, 0xe99c7026b45f7e41ull, 0x3991d639835339f4ull,
    0x9c845f8bbdf9283bull, 0x1ff897ffde05980full, 0xef2f118b5a0a6d1full, 0x6d367ecf27cb09b7ull, 0x4f463f669e5fea2dull,
    0x7527bac7ebe5f17bull, 0x3d0739f78a5292eaull, 0x6bfb5fb11f8d5d08ull, 0x56033046fc7b6babull, 0xf0cfbc209af4361dull};
constexpr double kAtanHigh[9] = {0x0.0p+0,
                                 0x1.fd5ba9aac2f6ep-4,
                                 0x1.f5b75f92c80ddp-3,
                                 0x1.6f61941e4def1p-2,
                                 0x1.dac670561bb4fp-2,
                                 0x1.1e00babdefeb4p-1,
                                 0x1.4978fa3269ee1p-1,
                                 0x1.700a7c5784634p-1,
                                 0x1.921fb54442d18p-1};
constexpr double kAtanLow[9] = {0x0.0p+0,
                                -0x1.cd37686760c17p-59,
                                0x1.8ab6e3cf7afbdp-57,
                                -0x1.c63aae6f6e918p-56,
                                0x1.a2b7f222f65e2p-56,
                                -0x1.928df287a668fp-58,
                                0x1.2419a87f2a458p-56,
                                -0x1.8c34d25aadef6p-56,
                                0x1.1a62633145c07p-55};
constexpr double kPi = 0x1.921fb54442d18p+1, kPiLow = 0x1.1a62633145c07p-53;
constexpr double kHalfPi = 0x1.921fb54442d18p+0, kHalfPiLow = 0x1.1a62633145c07p-54;
constexpr double kLog2E = 0x1.71547652b82fep+0, kLog2ELow = 0x1.777d0ffda0d24p-56;
constexpr double kLog10E = 0x1.bcb7b1526e50ep-2, kLog10ELow = 0x1.95355baaafad3p-57;
constexpr double kLn2 = 0x1.62e42fefa39efp-1, kLn2Low = 0x1.abc9e3b39803fp-56;
constexpr double kLn10 = 0x1.26bb1bbb55516p+1, kLn10Low = -0x1.f48ad494ea3e9p-53;
constexpr double kLog10Of2 = 0x1.34413509f79ffp-2, kLog10Of2Low = -0x1.9dc1da994fd21p-59;
constexpr double kLn2Part1 = 0x1.62e42fee00000p-1,
                 kLn2Part2 = 0x1.a39ef35793c76p-33;  // the first has 32 bits: exact times an exponent
constexpr double kHalfPiPart1 = 0x1.921fb54400000p+0, kHalfPiPart2 = 0x1.0b4611a600000p-34,
                 kHalfPiPart3 = 0x1.3198a2e037073p-69;
