static int err;
#define FAIL(x) { err = x; return; }
#define BLOCK(x) { if (x) return 2; x = 3; }
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define ADD(a, b) (err += (a) + (b))
#define NOTHING(a) \
  do {             \
                   \
    /* why */      \
    err += a;      \
  } while (0)
static void fails(int x) {       //= 3
  if (x)                         //= 3
    FAIL(1);                     //= 1
  if (x)                         //= 2
    ADD(1,                       //= 0
        2);                      //= 0
  err++;                         //= 2
}                                //= 2
static int returns(int x) {      //= 1
  if (x)                         //= 1
    return -1;                   //= 1
  return MAX(x,                  //= 0
             3);                 //= 0
}                                //= ?
static int adds(int x) {         //= 1
  if (x)                         //= 1
    return -1;                   //= 1
  return ADD(x,                  //= 0

             // A comment.
             (3));               //= 0
}                                //= ?
static int blocks(int x) {       //= 1
  BLOCK(x)                       //= 1
  return 0;                      //= 0
}                                //= ?
int main() {                     //= 1
  fails(0);                      //= 1
  fails(0);                      //= 1
  fails(1);                      //= 1
  returns(1);                    //= 1
  adds(1);                       //= 1
  blocks(1);                     //= 1
  NOTHING(1);                    //= 1
  return 0;                      //= 1
}                                //= 1
