// Memory that both sides use through one pointer: managed, pinned, registered, with pointers inside.
#include "check.h"
struct Node {
  int value;
  Node* next;
};
__global__ void walk(Node* head, int* sum) {
  for (Node* n = head; n; n = n->next) *sum += n->value, n->value = -n->value;
}
int main() {
  Node* nodes;
  int* sum;
  HIP(hipMallocManaged(&nodes, 10 * sizeof(Node)));
  HIP(hipHostMalloc(&sum, 4, hipHostMallocDefault));
  *sum = 0;
  for (int i = 0; i < 10; ++i) nodes[i] = {i + 1, i < 9 ? &nodes[i + 1] : nullptr};
  walk<<<1, 1>>>(nodes, sum);
  HIP(hipDeviceSynchronize());
  EXPECT(*sum == 55 && nodes[4].value == -5);
  std::vector<Node> own(3);
  for (int i = 0; i < 3; ++i) own[i] = {100, i < 2 ? &own[i + 1] : nullptr};
  HIP(hipHostRegister(own.data(), own.size() * sizeof(Node), hipHostRegisterDefault));
  Node* seen;
  HIP(hipHostGetDevicePointer((void**)&seen, own.data(), 0));
  walk<<<1, 1>>>(seen, sum);
  HIP(hipDeviceSynchronize());
  EXPECT(*sum == 355 && own[2].value == -100);
  HIP(hipHostUnregister(own.data()));
  hipPointerAttribute_t attributes;
  HIP(hipPointerGetAttributes(&attributes, nodes));
  EXPECT(attributes.isManaged && attributes.type == hipMemoryTypeManaged);
}
