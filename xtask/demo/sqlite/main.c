// A shop's database in memory: one of the workloads that is named first, and a line to compare with.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sqlite3.h"

static sqlite3 *shop;

static void fail(const char *doing) {
    fprintf(stderr, "%s: %s\n", doing, sqlite3_errmsg(shop));
    exit(EXIT_FAILURE);
}

static void execute(const char *sql) {
    if (sqlite3_exec(shop, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail(sql);
}

// The sum of the first column, so that every row is really computed.
static double sum(const char *sql) {
    sqlite3_stmt *query;
    double total = 0;
    if (sqlite3_prepare_v2(shop, sql, -1, &query, NULL) != SQLITE_OK)
        fail(sql);
    while (sqlite3_step(query) == SQLITE_ROW)
        total += sqlite3_column_double(query, 0);
    if (sqlite3_finalize(query) != SQLITE_OK)
        fail(sql);
    return total;
}

static unsigned random_below(unsigned limit) {
    static unsigned seed = 42;
    seed = seed * 1103515245u + 12345u;
    return (seed >> 16) % limit;
}

static void fill(int customers, int orders) {
    sqlite3_stmt *insert;
    char text[64];
    execute("BEGIN;"
            "CREATE TABLE customer(id INTEGER PRIMARY KEY, name TEXT, city TEXT);"
            "CREATE TABLE purchase(id INTEGER PRIMARY KEY, customer INTEGER, day INTEGER, amount REAL, detail TEXT);");
    sqlite3_prepare_v2(shop, "INSERT INTO customer(name, city) VALUES(?, ?)", -1, &insert, NULL);
    for (int i = 0; i < customers; i++) {
        snprintf(text, sizeof text, "customer %05u", random_below(30000));
        sqlite3_bind_text(insert, 1, text, -1, SQLITE_TRANSIENT);
        snprintf(text, sizeof text, "city %u", random_below(50));
        sqlite3_bind_text(insert, 2, text, -1, SQLITE_TRANSIENT);
        if (sqlite3_step(insert) != SQLITE_DONE || sqlite3_reset(insert) != SQLITE_OK)
            fail("insert a customer");
    }
    sqlite3_finalize(insert);
    sqlite3_prepare_v2(shop, "INSERT INTO purchase(customer, day, amount, detail) VALUES(?, ?, ?, ?)", -1, &insert, NULL);
    for (int i = 0; i < orders; i++) {
        sqlite3_bind_int(insert, 1, 1 + (int)random_below((unsigned)customers));
        sqlite3_bind_int(insert, 2, (int)random_below(365));
        sqlite3_bind_double(insert, 3, random_below(10000) / 100.0);
        snprintf(text, sizeof text, "{\"item\":%u,\"gift\":%s}", random_below(500), i % 9 ? "false" : "true");
        sqlite3_bind_text(insert, 4, text, -1, SQLITE_TRANSIENT);
        if (sqlite3_step(insert) != SQLITE_DONE || sqlite3_reset(insert) != SQLITE_OK)
            fail("insert a purchase");
    }
    sqlite3_finalize(insert);
    execute("CREATE INDEX by_customer ON purchase(customer); CREATE INDEX by_day ON purchase(day, amount); COMMIT;");
}

static double reports(void) {
    double total = 0;
    for (int i = 0; i < 10; i++) {
        total += sum("SELECT sum(amount) FROM purchase JOIN customer ON customer.id = customer GROUP BY city ORDER BY 1");
        total += sum("SELECT day * sum(amount) FROM purchase WHERE day BETWEEN 90 AND 180 GROUP BY day HAVING count(*) > 3");
        total += sum("SELECT amount - avg(amount) OVER (PARTITION BY day ORDER BY id ROWS 5 PRECEDING) FROM purchase WHERE day < 120");
        total += sum("SELECT json_extract(detail, '$.item') FROM purchase WHERE json_extract(detail, '$.gift')");
        total += sum("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000) SELECT i % 7 FROM n");
    }
    return total;
}

static double searches(void) {
    double total = sum("SELECT count(*) FROM customer WHERE name LIKE '%99%' OR upper(city) GLOB '*4?'");
    sqlite3_stmt *query;
    sqlite3_prepare_v2(shop, "SELECT amount FROM purchase WHERE customer = ? AND day > ? ORDER BY amount DESC LIMIT 3", -1, &query, NULL);
    for (int i = 0; i < 120000; i++) {
        sqlite3_bind_int(query, 1, 1 + (int)random_below(4000));
        sqlite3_bind_int(query, 2, (int)random_below(300));
        while (sqlite3_step(query) == SQLITE_ROW)
            total += sqlite3_column_double(query, 0);
        sqlite3_reset(query);
    }
    sqlite3_finalize(query);
    return total;
}

static double changes(void) {
    for (int i = 0; i < 36; i++) {
        char sql[160];
        snprintf(sql, sizeof sql, "UPDATE purchase SET amount = amount * 1.01, detail = replace(detail, ':', ': ') WHERE day %% 12 = %d", i % 12);
        execute(sql);
        snprintf(sql, sizeof sql, "DELETE FROM purchase WHERE id %% 97 = %d", i);
        execute(sql);
        execute("INSERT INTO purchase SELECT NULL, customer, day, amount / 2, detail FROM purchase WHERE id % 50 = 3");
    }
    return sum("SELECT amount FROM purchase ORDER BY detail, amount");
}

int main(int count, char **words) {
    const char *workload = count > 1 ? words[1] : "reports";
    if (sqlite3_open(":memory:", &shop) != SQLITE_OK)
        fail("open a database");
    fill(4000, 60000);
    double result = 0;
    if (strcmp(workload, "reports") == 0)
        result = reports();
    else if (strcmp(workload, "searches") == 0)
        result = searches();
    else if (strcmp(workload, "changes") == 0)
        result = changes();
    else {
        fprintf(stderr, "usage: %s reports|searches|changes\n", words[0]);
        return EXIT_FAILURE;
    }
    printf("%s: %.2f\n", workload, result);
    return sqlite3_close(shop) == SQLITE_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
