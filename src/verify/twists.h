#pragma once
// Rows that kernels get wrong, made from ordinary values.
//
// Random normal rows have both signs, a maximum in the middle and no cancellation: an argmax that starts from 0, a sum
// that drops its last element or a maximum taken over half of the lanes is right on most of them. Each twist here
// changes a filled float tensor row by row (a row is the last axis), within the noted distribution where one is noted
// as normal; other notes (uniform(0.1, 1)) are left alone by the caller.

#include "base/random.h"
#include "record/tensor.h"
#include "verify/inputs.h"

namespace hipvault::verify {

// `twist` is one of those that take turns. Tensors beyond 64 Mi elements stay as they are.
void twist_rows(HostTensor& tensor, Twist twist, Random& random);

}  // namespace hipvault::verify
