// libamdhip64.so is the whole room hipfront; a shared library needs one source of its own.
namespace hipvault::hipfront {
extern const char kStandIn[] = "hipvault's stand-in for libamdhip64";
}
