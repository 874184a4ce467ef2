// The handlers of the server. A comment at the end of a line names the requests that run it.
#include <string.h>

static int sum(int number, int is_odd) { //= login list
  int sum = 0;                           //= login list
  for (int i = 0; i < number; i++) {     //= login list
    if (i % 2 == is_odd)                 //= login list
      sum += i;                          //= login list
    else                                 //= login list
      sum -= is_odd ? 1 : 2;             //= login list
  }                                      //= login list
  return sum;                            //= login list
} //= login list

static int login(void) { //= login
  return sum(9, 1);      //= login
} //= login

static int list(void) { //= list
  int all = 0;          //= list
  for (int i = 0; i < 3; i++) { //= list
    all += sum(i + 2, 0); //= list
    if (all > 1000) //= list
      return -1;
  } //= list
  return all; //= list
} //= list

static int logout(int is_known) { //= logout
  if (is_known)                   //= logout
    return 1;                     //= logout
  return 0;
} //= logout

int handle(const char *name) {    //= login list logout
  int result = 0;                 //= login list logout
  if (!strcmp(name, "login"))     //= login list logout
    result = login();             //= login
  if (!strcmp(name, "list"))      //= login list logout
    result = list();              //= list
  if (!strcmp(name, "logout"))    //= login list logout
    result = logout(1);           //= logout
  return result;                  //= login list logout
} //= login list logout
