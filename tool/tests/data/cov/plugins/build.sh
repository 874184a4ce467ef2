# LLVM's %m is one name for all three.
unset LLVM_PROFILE_FILE
for n in a b c main; do
  case $n in main) how="-o app -ldl" ;; *) how="-fPIC -shared -o $n.so" ;; esac
  $CC -w -fprofile-instr-generate=prof/$n.profraw -fcoverage-mapping -Wl,--build-id $n.c $how
done
./app
echo app a.so b.so c.so > objs
