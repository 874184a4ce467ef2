# LLVM's %m is one name for all three.
unset LLVM_PROFILE_FILE
for n in a b c main; do
  case $n in main) how="-o app -ldl" ;; *) how="-fPIC -shared -o $n.so" ;; esac
  $CC $F -fprofile-instr-generate=prof/$n.profraw -fPIC -c $n.c
  $CC $F -Wl,--build-id $n.o $how
done
./app
# With the object files, which have no build id.
echo . > objs
