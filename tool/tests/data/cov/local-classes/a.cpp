template <class T> static T same(T t) { return t; }  //= 2
static int run(int t) {          //= 1
  struct local {                 //= ?
    int n;                       //= -
    local(int n) : n(n) {}       //= 2
    int used() {                 //= 1
      return n;                  //= 1
    }                            //= 1
    int unused() {               //= 0
      return n + 1;              //= 0
    }                            //= 0

    int unused_short() { return 3; } //= 0

    int unused_brace()           //= -
    {                            //= 0
      return n + 2;              //= 0
    }                            //= 0
  };                             //= ?
  enum class color {             //= ?
    red,                         //= -
    green,                       //= -
  };                             //= ?
  struct local list[] = {        //= 1
    local(t),                    //= 1
    same(local(t)),              //= 1
  };                             //= ?
  auto never = [](int x) {       //= 1
    return x;                    //= 0
  };                             //= ?
  local l = same(list[0]);       //= 1
  return l.used() + (t > 100 ? never(1) + l.unused_brace() + l.unused() + l.unused_short() : 0); //= 1
}                                //= 1
int main(int c, char **v) {      //= 1
  return run(c) == 7;            //= 1
}                                //= 1
