#define LOW(s) ((s) & 0x7f)
#define IS_LOW(s) (LOW(s) == 0)
