for n in a b c; do $CXX $F $n.cpp -o $n && ./$n; done
echo a b c > objs
