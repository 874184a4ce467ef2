# Clang 14 and 16 have no region for it: there it is no macro of the system.
case $CC in *14 | *16) how=-I ;; *) how=-isystem ;; esac
$CC $F $how inc a.c -o app && ./app
