#include <compare>
struct V { virtual ~V() { n++; } static int n; };     //= 2
int V::n = 0;
struct A : virtual V {
  A(int x) : A() { a = x; }                           //= 1
  A() : a(0) {}                                       //= 2
  ~A() override { n++; }                              //= 2
  int a;
};
struct T {
  T(int x) try : m(check(x)) {                        //= ?
  } catch (int) {                                     //= ?
    V::n += 100;                                      //= 1
  }                                                   //= ?
  static int check(int x) { if (x) throw x; return x; } //= 2
  int m;
};
bool operator==(const T &l, const T &r) { return l.m == r.m; } //= 1
struct O { auto operator<=>(const O &) const = default; int x; };
int main() {                                          //= 1
  { A a(3), b; if (a.a != 3 || b.a) return 1; }       //= 1
  T t(0);                                             //= 1
  try { T u(1); } catch (int) { V::n += 1000; }       //= 1
  O o{1}, p{2};                                       //= 1
  return !(t == t && o < p && V::n == 1104);          //= 1
}                                                     //= 1
