// Evaluates expressions, one a line: for tests of which each runs some of it.
#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const char *at;
static long variables[26];

static long sum(void);

static int is(char c) {
    while (*at == ' ')
        at++;
    if (*at == c && c != 0) {
        at++;
        return 1;
    }
    return 0;
}

static long number(int base) {
    long value = 0;
    for (; isxdigit(*at); at++) {
        int digit = isdigit(*at) ? *at - '0' : tolower(*at) - 'a' + 10;
        if (digit >= base)
            return -1;
        value = value * base + digit;
    }
    return value;
}

static long power(long base, long exponent) {
    long value = 1;
    for (long i = 0; i < exponent; i++)
        value *= base;
    return value;
}

static long function(const char *name) {
    long first = sum();
    long second = is(',') ? sum() : first;
    is(')');
    if (strcmp(name, "max") == 0)
        return first < second ? second : first;
    if (strcmp(name, "even") == 0)
        return first % 2 == 0 && first != 0;
    if (strcmp(name, "next") == 0)
        return first + 1;
    return first < 0 ? -first : first;
}

static long value(void) {
    while (*at == ' ')
        at++;
    switch (*at) {
    case '(': {
        at++;
        long inner = sum();
        is(')');
        return inner;
    }
    case '-':
        at++;
        return -value();
    case '!':
        at++;
        return !value();
    case '0':
        if (at[1] == 'x') {
            at += 2;
            return number(16);
        }
    }
    if (isdigit(*at))
        return number(10);
    char name[8] = "";
    for (int i = 0; i < 7 && islower(*at); i++)
        name[i] = *at++;
    if (is('('))
        return function(name);
    return variables[(name[0] | 32) % 26];
}

static long product(void) {
    long left = value();
    for (;;) {
        if (is('*'))
            left *= value();
        else if (is('^'))
            left = power(left, value());
        else if (is('/')) {
            long right = value();
            if (right == 0) {
                puts("division by zero");
                return 0;
            }
            left /= right;
        } else
            return left;
    }
}

static long sum(void) {
    long left = product();
    for (;;) {
        if (is('+'))
            left += product();
        else if (is('-'))
            left -= product();
        else
            return left;
    }
}

static void line(void) {
    if (islower(at[0]) && at[1] == '=') {
        int name = at[0] % 26;
        at += 2;
        variables[name] = sum();
        return;
    }
    printf("%ld\n", sum());
}

int main(int argc, char **argv) {
    static char text[1 << 12];
    FILE *file = fopen(argv[1], "r");
    if (argc < 2 || !file)
        return 1;
    while (fgets(text, sizeof text, file)) {
        at = text;
        line();
    }
    return variables[0] == 1 && variables[1] == 1;
}
