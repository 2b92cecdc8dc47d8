R"hiplib(// Short names of element types. bf16 and the 8-bit floats are held as their bits.
//@ f16
using f16 = _Float16;
//@ bf16
using bf16 = unsigned short;
//@ i64
using i64 = long;
//@ u64
using u64 = unsigned long;
//@ u32
using u32 = unsigned;
//@ i16
using i16 = short;
//@ u16
using u16 = unsigned short;
//@ i8
using i8 = signed char;
//@ u8
using u8 = unsigned char;
)hiplib"
