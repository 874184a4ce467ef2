// Hooks that do nothing, to know what programs cost without them and without a runtime.
int __llvm_profile_runtime;
void __llvm_profile_instrument_target(unsigned long value, void *record, unsigned site) {}
void __llvm_profile_instrument_memop(unsigned long size, void *record, unsigned site) {}
