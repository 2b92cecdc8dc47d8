#pragma once
// float4 and its relatives: x y z w, component-wise operators, make_* functions, on host and device. C++11 and later.

#define __HV_VEC __attribute__((host)) __attribute__((device)) __attribute__((always_inline)) inline

template <class T, unsigned N>
struct HIP_vector_type;

template <class T>
struct alignas(sizeof(T)) HIP_vector_type<T, 1> {
  using value_type = T;
  T x;
  HIP_vector_type() = default;
  __HV_VEC constexpr HIP_vector_type(T a) : x(a) {}
  template <class U>
  __HV_VEC explicit constexpr HIP_vector_type(const HIP_vector_type<U, 1>& o) : x(static_cast<T>(o.x)) {}
  __HV_VEC T& operator[](unsigned i) { return (&x)[i]; }
  __HV_VEC const T& operator[](unsigned i) const { return (&x)[i]; }
  __HV_VEC HIP_vector_type& operator+=(const HIP_vector_type& o) {
    x += o.x;
    return *this;
  }
  __HV_VEC HIP_vector_type& operator-=(const HIP_vector_type& o) {
    x -= o.x;
    return *this;
  }
  __HV_VEC HIP_vector_type& operator*=(const HIP_vector_type& o) {
    x *= o.x;
    return *this;
  }
  __HV_VEC HIP_vector_type& operator/=(const HIP_vector_type& o) {
    x /= o.x;
    return *this;
  }
  __HV_VEC HIP_vector_type& operator%=(const HIP_vector_type& o) {
    x %= o.x;
    return *this;
  }
  __HV_VEC HIP_vector_type& operator&=(const HIP_vector_type& o) {
    x &= o.x;
    return *this;
  }
  __HV_VEC HIP_vector_type& operator|=(const HIP_vector_type& o) {
    x |= o.x;
    return *this;
  }
  __HV_VEC HIP_vector_type& operator^=(const HIP_vector_type& o) {
    x ^= o.x;
    return *this;
  }
  __HV_VEC HIP_vector_type& operator<<=(const HIP_vector_type& o) {
    x <<= o.x;
    return *this;
  }
  __HV_VEC HIP_vector_type& operator>>=(const HIP_vector_type& o) {
    x >>= o.x;
    return *this;
  }
  __HV_VEC HIP_vector_type operator-() const { return {static_cast<T>(-x)}; }
  __HV_VEC HIP_vector_type operator~() const { return {static_cast<T>(~x)}; }
  __HV_VEC HIP_vector_type& operator++() {
    ++x;
    return *this;
  }
  __HV_VEC HIP_vector_type& operator--() {
    --x;
    return *this;
  }
  __HV_VEC bool operator==(const HIP_vector_type& o) const { return x == o.x; }
  __HV_VEC bool operator!=(const HIP_vector_type& o) const { return !(*this == o); }
};

template <class T>
struct alignas(2 * sizeof(T)) HIP_vector_type<T, 2> {
  using value_type = T;
  T x, y;
  HIP_vector_type() = default;
  __HV_VEC explicit constexpr HIP_vector_type(T all) : x(all), y(all) {}
  __HV_VEC constexpr HIP_vector_type(T x_, T y_) : x(x_), y(y_) {}
  template <class U>
  __HV_VEC explicit constexpr HIP_vector_type(const HIP_vector_type<U, 2>& o)
      : x(static_cast<T>(o.x)), y(static_cast<T>(o.y)) {}
  __HV_VEC T& operator[](unsigned i) { return (&x)[i]; }
  __HV_VEC const T& operator[](unsigned i) const { return (&x)[i]; }
  __HV_VEC HIP_vector_type& operator+=(const HIP_vector_type& o) {
    x += o.x, y += o.y;
    return *this;
  }
  __HV_VEC HIP_vector_type& operator-=(const HIP_vector_type& o) {
    x -= o.x, y -= o.y;
    return *this;
  }
  __HV_VEC HIP_vector_type& operator*=(const HIP_vector_type& o) {
    x *= o.x, y *= o.y;
    return *this;
  }
  __HV_VEC HIP_vector_type& operator/=(const HIP_vector_type& o) {
    x /= o.x, y /= o.y;
    return *this;
  }
  __HV_VEC HIP_vector_type& operator%=(const HIP_vector_type& o) {
    x %= o.x, y %= o.y;
    return *this;
  }
  __HV_VEC HIP_vector_type& operator&=(const HIP_vector_type& o) {
    x &= o.x, y &= o.y;
    return *this;
  }
  __HV_VEC HIP_vector_type& operator|=(const HIP_vector_type& o) {
    x |= o.x, y |= o.y;
    return *this;
  }
  __HV_VEC HIP_vector_type& operator^=(const HIP_vector_type& o) {
    x ^= o.x, y ^= o.y;
    return *this;
  }
  __HV_VEC HIP_vector_type& operator<<=(const HIP_vector_type& o) {
    x <<= o.x, y <<= o.y;
    return *this;
  }
  __HV_VEC HIP_vector_type& operator>>=(const HIP_vector_type& o) {
    x >>= o.x, y >>= o.y;
    return *this;
  }
  __HV_VEC HIP_vector_type operator-() const { return {static_cast<T>(-x), static_cast<T>(-y)}; }
  __HV_VEC HIP_vector_type operator~() const { return {static_cast<T>(~x), static_cast<T>(~y)}; }
  __HV_VEC HIP_vector_type& operator++() {
    ++x, ++y;
    return *this;
  }
  __HV_VEC HIP_vector_type& operator--() {
    --x, --y;
    return *this;
  }
  __HV_VEC bool operator==(const HIP_vector_type& o) const { return x == o.x && y == o.y; }
  __HV_VEC bool operator!=(const HIP_vector_type& o) const { return !(*this == o); }
};

template <class T>
struct alignas(alignof(T)) HIP_vector_type<T, 3> {
  using value_type = T;
  T x, y, z;
  HIP_vector_type() = default;
  __HV_VEC explicit constexpr HIP_vector_type(T all) : x(all), y(all), z(all) {}
  __HV_VEC constexpr HIP_vector_type(T x_, T y_, T z_) : x(x_), y(y_), z(z_) {}
  template <class U>
  __HV_VEC explicit constexpr HIP_vector_type(const HIP_vector_type<U, 3>& o)
      : x(static_cast<T>(o.x)), y(static_cast<T>(o.y)), z(static_cast<T>(o.z)) {}
  __HV_VEC T& operator[](unsigned i) { return (&x)[i]; }
  __HV_VEC const T& operator[](unsigned i) const { return (&x)[i]; }
  __HV_VEC HIP_vector_type& operator+=(const HIP_vector_type& o) {
    x += o.x, y += o.y, z += o.z;
    return *this;
  }
  __HV_VEC HIP_vector_type& operator-=(const HIP_vector_type& o) {
    x -= o.x, y -= o.y, z -= o.z;
    return *this;
  }
  __HV_VEC HIP_vector_type& operator*=(const HIP_vector_type& o) {
    x *= o.x, y *= o.y, z *= o.z;
    return *this;
  }
  __HV_VEC HIP_vector_type& operator/=(const HIP_vector_type& o) {
    x /= o.x, y /= o.y, z /= o.z;
    return *this;
  }
  __HV_VEC HIP_vector_type& operator%=(const HIP_vector_type& o) {
    x %= o.x, y %= o.y, z %= o.z;
    return *this;
  }
  __HV_VEC HIP_vector_type& operator&=(const HIP_vector_type& o) {
    x &= o.x, y &= o.y, z &= o.z;
    return *this;
  }
  __HV_VEC HIP_vector_type& operator|=(const HIP_vector_type& o) {
    x |= o.x, y |= o.y, z |= o.z;
    return *this;
  }
  __HV_VEC HIP_vector_type& operator^=(const HIP_vector_type& o) {
    x ^= o.x, y ^= o.y, z ^= o.z;
    return *this;
  }
  __HV_VEC HIP_vector_type& operator<<=(const HIP_vector_type& o) {
    x <<= o.x, y <<= o.y, z <<= o.z;
    return *this;
  }
  __HV_VEC HIP_vector_type& operator>>=(const HIP_vector_type& o) {
    x >>= o.x, y >>= o.y, z >>= o.z;
    return *this;
  }
  __HV_VEC HIP_vector_type operator-() const { return {static_cast<T>(-x), static_cast<T>(-y), static_cast<T>(-z)}; }
  __HV_VEC HIP_vector_type operator~() const { return {static_cast<T>(~x), static_cast<T>(~y), static_cast<T>(~z)}; }
  __HV_VEC HIP_vector_type& operator++() {
    ++x, ++y, ++z;
    return *this;
  }
  __HV_VEC HIP_vector_type& operator--() {
    --x, --y, --z;
    return *this;
  }
  __HV_VEC bool operator==(const HIP_vector_type& o) const { return x == o.x && y == o.y && z == o.z; }
  __HV_VEC bool operator!=(const HIP_vector_type& o) const { return !(*this == o); }
};

template <class T>
struct alignas((4 * sizeof(T) > 16 ? 16 : 4 * sizeof(T))) HIP_vector_type<T, 4> {
  using value_type = T;
  T x, y, z, w;
  HIP_vector_type() = default;
  __HV_VEC explicit constexpr HIP_vector_type(T all) : x(all), y(all), z(all), w(all) {}
  __HV_VEC constexpr HIP_vector_type(T x_, T y_, T z_, T w_) : x(x_), y(y_), z(z_), w(w_) {}
  template <class U>
  __HV_VEC explicit constexpr HIP_vector_type(const HIP_vector_type<U, 4>& o)
      : x(static_cast<T>(o.x)), y(static_cast<T>(o.y)), z(static_cast<T>(o.z)), w(static_cast<T>(o.w)) {}
  __HV_VEC T& operator[](unsigned i) { return (&x)[i]; }
  __HV_VEC const T& operator[](unsigned i) const { return (&x)[i]; }
  __HV_VEC HIP_vector_type& operator+=(const HIP_vector_type& o) {
    x += o.x, y += o.y, z += o.z, w += o.w;
    return *this;
  }
  __HV_VEC HIP_vector_type& operator-=(const HIP_vector_type& o) {
    x -= o.x, y -= o.y, z -= o.z, w -= o.w;
    return *this;
  }
  __HV_VEC HIP_vector_type& operator*=(const HIP_vector_type& o) {
    x *= o.x, y *= o.y, z *= o.z, w *= o.w;
    return *this;
  }
  __HV_VEC HIP_vector_type& operator/=(const HIP_vector_type& o) {
    x /= o.x, y /= o.y, z /= o.z, w /= o.w;
    return *this;
  }
  __HV_VEC HIP_vector_type& operator%=(const HIP_vector_type& o) {
    x %= o.x, y %= o.y, z %= o.z, w %= o.w;
    return *this;
  }
  __HV_VEC HIP_vector_type& operator&=(const HIP_vector_type& o) {
    x &= o.x, y &= o.y, z &= o.z, w &= o.w;
    return *this;
  }
  __HV_VEC HIP_vector_type& operator|=(const HIP_vector_type& o) {
    x |= o.x, y |= o.y, z |= o.z, w |= o.w;
    return *this;
  }
  __HV_VEC HIP_vector_type& operator^=(const HIP_vector_type& o) {
    x ^= o.x, y ^= o.y, z ^= o.z, w ^= o.w;
    return *this;
  }
  __HV_VEC HIP_vector_type& operator<<=(const HIP_vector_type& o) {
    x <<= o.x, y <<= o.y, z <<= o.z, w <<= o.w;
    return *this;
  }
  __HV_VEC HIP_vector_type& operator>>=(const HIP_vector_type& o) {
    x >>= o.x, y >>= o.y, z >>= o.z, w >>= o.w;
    return *this;
  }
  __HV_VEC HIP_vector_type operator-() const {
    return {static_cast<T>(-x), static_cast<T>(-y), static_cast<T>(-z), static_cast<T>(-w)};
  }
  __HV_VEC HIP_vector_type operator~() const {
    return {static_cast<T>(~x), static_cast<T>(~y), static_cast<T>(~z), static_cast<T>(~w)};
  }
  __HV_VEC HIP_vector_type& operator++() {
    ++x, ++y, ++z, ++w;
    return *this;
  }
  __HV_VEC HIP_vector_type& operator--() {
    --x, --y, --z, --w;
    return *this;
  }
  __HV_VEC bool operator==(const HIP_vector_type& o) const { return x == o.x && y == o.y && z == o.z && w == o.w; }
  __HV_VEC bool operator!=(const HIP_vector_type& o) const { return !(*this == o); }
};

// clang-format off: it would tear op##= apart
#define __HV_VECTOR_OPERATOR(op)                                                                    \
  template <class T, unsigned N>                                                                    \
  __HV_VEC HIP_vector_type<T, N> operator op(HIP_vector_type<T, N> a, const HIP_vector_type<T, N>& b) { \
    a op##= b;                                                                                     \
    return a;                                                                                       \
  }                                                                                                 \
  template <class T, unsigned N, class U, class = decltype(static_cast<T>(U()))>                    \
  __HV_VEC HIP_vector_type<T, N> operator op(HIP_vector_type<T, N> a, U b) {                        \
    a op##= HIP_vector_type<T, N>(static_cast<T>(b));                                              \
    return a;                                                                                       \
  }                                                                                                 \
  template <class T, unsigned N, class U, class = decltype(static_cast<T>(U()))>                    \
  __HV_VEC HIP_vector_type<T, N> operator op(U a, const HIP_vector_type<T, N>& b) {                 \
    HIP_vector_type<T, N> all(static_cast<T>(a));                                                   \
    all op##= b;                                                                                   \
    return all;                                                                                     \
  }                                                                                                 \
  template <class T, unsigned N, class U, class = decltype(static_cast<T>(U()))>                    \
  __HV_VEC HIP_vector_type<T, N>& operator op##=(HIP_vector_type<T, N> & a, U b) {                \
    a op##= HIP_vector_type<T, N>(static_cast<T>(b));                                              \
    return a;                                                                                       \
  }
__HV_VECTOR_OPERATOR(+)
__HV_VECTOR_OPERATOR(-)
__HV_VECTOR_OPERATOR(*)
__HV_VECTOR_OPERATOR(/)
__HV_VECTOR_OPERATOR(%)
__HV_VECTOR_OPERATOR(&)
__HV_VECTOR_OPERATOR(|)
__HV_VECTOR_OPERATOR(^)
__HV_VECTOR_OPERATOR(<<)
__HV_VECTOR_OPERATOR(>>)
#undef __HV_VECTOR_OPERATOR
// clang-format on
typedef HIP_vector_type<char, 1> char1;
typedef HIP_vector_type<char, 2> char2;
typedef HIP_vector_type<char, 3> char3;
typedef HIP_vector_type<char, 4> char4;
__HV_VEC constexpr char1 make_char1(char x) { return char1(x); }
__HV_VEC constexpr char2 make_char2(char x, char y) { return char2(x, y); }
__HV_VEC constexpr char3 make_char3(char x, char y, char z) { return char3(x, y, z); }
__HV_VEC constexpr char4 make_char4(char x, char y, char z, char w) { return char4(x, y, z, w); }
typedef HIP_vector_type<unsigned char, 1> uchar1;
typedef HIP_vector_type<unsigned char, 2> uchar2;
typedef HIP_vector_type<unsigned char, 3> uchar3;
typedef HIP_vector_type<unsigned char, 4> uchar4;
__HV_VEC constexpr uchar1 make_uchar1(unsigned char x) { return uchar1(x); }
__HV_VEC constexpr uchar2 make_uchar2(unsigned char x, unsigned char y) { return uchar2(x, y); }
__HV_VEC constexpr uchar3 make_uchar3(unsigned char x, unsigned char y, unsigned char z) { return uchar3(x, y, z); }
__HV_VEC constexpr uchar4 make_uchar4(unsigned char x, unsigned char y, unsigned char z, unsigned char w) {
  return uchar4(x, y, z, w);
}
typedef HIP_vector_type<short, 1> short1;
typedef HIP_vector_type<short, 2> short2;
typedef HIP_vector_type<short, 3> short3;
typedef HIP_vector_type<short, 4> short4;
__HV_VEC constexpr short1 make_short1(short x) { return short1(x); }
__HV_VEC constexpr short2 make_short2(short x, short y) { return short2(x, y); }
__HV_VEC constexpr short3 make_short3(short x, short y, short z) { return short3(x, y, z); }
__HV_VEC constexpr short4 make_short4(short x, short y, short z, short w) { return short4(x, y, z, w); }
typedef HIP_vector_type<unsigned short, 1> ushort1;
typedef HIP_vector_type<unsigned short, 2> ushort2;
typedef HIP_vector_type<unsigned short, 3> ushort3;
typedef HIP_vector_type<unsigned short, 4> ushort4;
__HV_VEC constexpr ushort1 make_ushort1(unsigned short x) { return ushort1(x); }
__HV_VEC constexpr ushort2 make_ushort2(unsigned short x, unsigned short y) { return ushort2(x, y); }
__HV_VEC constexpr ushort3 make_ushort3(unsigned short x, unsigned short y, unsigned short z) {
  return ushort3(x, y, z);
}
__HV_VEC constexpr ushort4 make_ushort4(unsigned short x, unsigned short y, unsigned short z, unsigned short w) {
  return ushort4(x, y, z, w);
}
typedef HIP_vector_type<int, 1> int1;
typedef HIP_vector_type<int, 2> int2;
typedef HIP_vector_type<int, 3> int3;
typedef HIP_vector_type<int, 4> int4;
__HV_VEC constexpr int1 make_int1(int x) { return int1(x); }
__HV_VEC constexpr int2 make_int2(int x, int y) { return int2(x, y); }
__HV_VEC constexpr int3 make_int3(int x, int y, int z) { return int3(x, y, z); }
__HV_VEC constexpr int4 make_int4(int x, int y, int z, int w) { return int4(x, y, z, w); }
typedef HIP_vector_type<unsigned int, 1> uint1;
typedef HIP_vector_type<unsigned int, 2> uint2;
typedef HIP_vector_type<unsigned int, 3> uint3;
typedef HIP_vector_type<unsigned int, 4> uint4;
__HV_VEC constexpr uint1 make_uint1(unsigned int x) { return uint1(x); }
__HV_VEC constexpr uint2 make_uint2(unsigned int x, unsigned int y) { return uint2(x, y); }
__HV_VEC constexpr uint3 make_uint3(unsigned int x, unsigned int y, unsigned int z) { return uint3(x, y, z); }
__HV_VEC constexpr uint4 make_uint4(unsigned int x, unsigned int y, unsigned int z, unsigned int w) {
  return uint4(x, y, z, w);
}
typedef HIP_vector_type<long, 1> long1;
typedef HIP_vector_type<long, 2> long2;
typedef HIP_vector_type<long, 3> long3;
typedef HIP_vector_type<long, 4> long4;
__HV_VEC constexpr long1 make_long1(long x) { return long1(x); }
__HV_VEC constexpr long2 make_long2(long x, long y) { return long2(x, y); }
__HV_VEC constexpr long3 make_long3(long x, long y, long z) { return long3(x, y, z); }
__HV_VEC constexpr long4 make_long4(long x, long y, long z, long w) { return long4(x, y, z, w); }
typedef HIP_vector_type<unsigned long, 1> ulong1;
typedef HIP_vector_type<unsigned long, 2> ulong2;
typedef HIP_vector_type<unsigned long, 3> ulong3;
typedef HIP_vector_type<unsigned long, 4> ulong4;
__HV_VEC constexpr ulong1 make_ulong1(unsigned long x) { return ulong1(x); }
__HV_VEC constexpr ulong2 make_ulong2(unsigned long x, unsigned long y) { return ulong2(x, y); }
__HV_VEC constexpr ulong3 make_ulong3(unsigned long x, unsigned long y, unsigned long z) { return ulong3(x, y, z); }
__HV_VEC constexpr ulong4 make_ulong4(unsigned long x, unsigned long y, unsigned long z, unsigned long w) {
  return ulong4(x, y, z, w);
}
typedef HIP_vector_type<long long, 1> longlong1;
typedef HIP_vector_type<long long, 2> longlong2;
typedef HIP_vector_type<long long, 3> longlong3;
typedef HIP_vector_type<long long, 4> longlong4;
__HV_VEC constexpr longlong1 make_longlong1(long long x) { return longlong1(x); }
__HV_VEC constexpr longlong2 make_longlong2(long long x, long long y) { return longlong2(x, y); }
__HV_VEC constexpr longlong3 make_longlong3(long long x, long long y, long long z) { return longlong3(x, y, z); }
__HV_VEC constexpr longlong4 make_longlong4(long long x, long long y, long long z, long long w) {
  return longlong4(x, y, z, w);
}
typedef HIP_vector_type<unsigned long long, 1> ulonglong1;
typedef HIP_vector_type<unsigned long long, 2> ulonglong2;
typedef HIP_vector_type<unsigned long long, 3> ulonglong3;
typedef HIP_vector_type<unsigned long long, 4> ulonglong4;
__HV_VEC constexpr ulonglong1 make_ulonglong1(unsigned long long x) { return ulonglong1(x); }
__HV_VEC constexpr ulonglong2 make_ulonglong2(unsigned long long x, unsigned long long y) { return ulonglong2(x, y); }
__HV_VEC constexpr ulonglong3 make_ulonglong3(unsigned long long x, unsigned long long y, unsigned long long z) {
  return ulonglong3(x, y, z);
}
__HV_VEC constexpr ulonglong4 make_ulonglong4(unsigned long long x, unsigned long long y, unsigned long long z,
                                              unsigned long long w) {
  return ulonglong4(x, y, z, w);
}
typedef HIP_vector_type<float, 1> float1;
typedef HIP_vector_type<float, 2> float2;
typedef HIP_vector_type<float, 3> float3;
typedef HIP_vector_type<float, 4> float4;
__HV_VEC constexpr float1 make_float1(float x) { return float1(x); }
__HV_VEC constexpr float2 make_float2(float x, float y) { return float2(x, y); }
__HV_VEC constexpr float3 make_float3(float x, float y, float z) { return float3(x, y, z); }
__HV_VEC constexpr float4 make_float4(float x, float y, float z, float w) { return float4(x, y, z, w); }
typedef HIP_vector_type<double, 1> double1;
typedef HIP_vector_type<double, 2> double2;
typedef HIP_vector_type<double, 3> double3;
typedef HIP_vector_type<double, 4> double4;
__HV_VEC constexpr double1 make_double1(double x) { return double1(x); }
__HV_VEC constexpr double2 make_double2(double x, double y) { return double2(x, y); }
__HV_VEC constexpr double3 make_double3(double x, double y, double z) { return double3(x, y, z); }
__HV_VEC constexpr double4 make_double4(double x, double y, double z, double w) { return double4(x, y, z, w); }
