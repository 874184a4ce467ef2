// A standalone interpreter in its smallest form: runs the script that is named first, with the other words in `arg`.
#include <stdio.h>
#include <stdlib.h>

#include "lauxlib.h"
#include "lua.h"
#include "lualib.h"

static int with_traceback(lua_State *state) {
    luaL_traceback(state, state, lua_tostring(state, 1), 1);
    return 1;
}

int main(int count, char **words) {
    if (count < 2) {
        fprintf(stderr, "usage: %s SCRIPT [WORD...]\n", words[0]);
        return EXIT_FAILURE;
    }
    lua_State *state = luaL_newstate();
    if (state == NULL) {
        fprintf(stderr, "%s: out of memory\n", words[0]);
        return EXIT_FAILURE;
    }
    luaL_openlibs(state);
    lua_createtable(state, count - 2, 2);
    for (int i = 0; i < count; i++) {
        lua_pushstring(state, words[i]);
        lua_rawseti(state, -2, i - 1);
    }
    lua_setglobal(state, "arg");
    lua_pushcfunction(state, with_traceback);
    int failed = luaL_loadfile(state, words[1]) != LUA_OK || lua_pcall(state, 0, 0, -2) != LUA_OK;
    if (failed)
        fprintf(stderr, "%s: %s\n", words[0], lua_tostring(state, -1));
    lua_close(state);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
