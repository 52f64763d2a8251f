/* Perft for Pond in C, only for `make bench`, to show how fast it could be. Compiled for any processor of this type.
 *
 *     perft SIZE SPAWN TARGET DEPTH (counted|played)    prints the number of sequences, what was
 *                                                       looked at, and the CPU seconds
 *
 * Masks as in pond_hw/rules/grid.py. The whole is what a C programmer would write first: tables for neighbours and
 * reach, a structure for the position, a loop over the bits. With `played` every leaf is played and looked at.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef uint32_t Mask;

typedef struct {
    Mask light, dark, eggs, tadpoles; /* the others are frogs */
    int mover, spawn, scored; /* for both sides: light's + 32 * dark's */
} Position;

static int size, cells, target_score;
static Mask full, last, beside[25], leap[25];
static uint64_t looked_at;

static void prepare(void)
{
    cells = size * size;
    full = ((Mask)1 << cells) - 1;
    for (int c = 0; c < cells; c++) {
        int x = c % size, y = c / size;
        if (x == size - 1) last |= (Mask)1 << c;
        for (int d = 1; d <= 2; d++) {
            Mask m = 0;
            if (x - d >= 0) m |= (Mask)1 << (c - d);
            if (x + d < size) m |= (Mask)1 << (c + d);
            if (y - d >= 0) m |= (Mask)1 << (c - d * size);
            if (y + d < size) m |= (Mask)1 << (c + d * size);
            if (d == 1) beside[c] = m;
            leap[c] |= m;
        }
    }
}

static inline Position after(Position p, Mask source, int target)
{
    Mask here = (Mask)1 << target, moved = here | source, pieces, near, grown, alike, rows, columns;
    if (!source) {
        p.eggs |= here;
        p.spawn -= p.mover ? 32 : 1;
    } else if (p.tadpoles & source)
        p.tadpoles ^= moved;
    if (p.mover)
        p.dark ^= moved;
    else
        p.light ^= moved;
    pieces = p.light | p.dark;

    near = beside[target] & pieces;
    grown = near & (p.eggs | p.tadpoles);
    p.eggs ^= near & ~p.tadpoles;
    p.tadpoles ^= grown;

    alike = pieces & pieces >> 1 & ~last & ~((p.eggs ^ p.eggs >> 1) | (p.tadpoles ^ p.tadpoles >> 1));
    rows = alike & alike >> 1;
    alike = pieces & pieces >> size & ~((p.eggs ^ p.eggs >> size) | (p.tadpoles ^ p.tadpoles >> size));
    columns = alike & alike >> size;
    if (rows | columns) {
        Mask taken = rows | rows << 1 | rows << 2 | columns | columns << size | columns << 2 * size;
        p.scored += __builtin_popcount(p.light & taken) + 32 * __builtin_popcount(p.dark & taken);
        p.light &= ~taken;
        p.dark &= ~taken;
        p.eggs &= ~taken;
        p.tadpoles &= ~taken;
    }
    p.mover ^= 1;
    return p;
}

static int over(const Position *p)
{
    return (p->scored & 31) >= target_score || p->scored >> 5 >= target_score;
}

static uint64_t count(const Position *p)
{
    Mask empty = full & ~(p->light | p->dark), own = p->mover ? p->dark : p->light;
    Mask t = own & p->tadpoles, f = own & ~(p->eggs | p->tadpoles);
    uint64_t n = (p->mover ? p->spawn >> 5 : p->spawn & 31) ? __builtin_popcount(empty) : 0;
    for (; t; t &= t - 1) n += __builtin_popcount(beside[__builtin_ctz(t)] & empty);
    for (; f; f &= f - 1) n += __builtin_popcount(leap[__builtin_ctz(f)] & empty);
    return n;
}

static uint64_t perft(const Position *p, int depth, int counted)
{
    Mask empty, movers;
    uint64_t n = 0;
    if (depth == 0) {
        looked_at += p->eggs + 5 * p->tadpoles + 25 * p->light + 125 * (p->spawn ^ p->scored << 10);
        return 1;
    }
    if (over(p)) return 0;
    if (depth == 1 && counted) return count(p);
    empty = full & ~(p->light | p->dark);
    if (p->mover ? p->spawn >> 5 : p->spawn & 31)
        for (Mask e = empty; e; e &= e - 1) {
            Position next = after(*p, 0, __builtin_ctz(e));
            n += perft(&next, depth - 1, counted);
        }
    for (movers = (p->mover ? p->dark : p->light) & ~p->eggs; movers; movers &= movers - 1) {
        int c = __builtin_ctz(movers);
        Mask source = (Mask)1 << c;
        for (Mask e = (source & p->tadpoles ? beside[c] : leap[c]) & empty; e; e &= e - 1) {
            Position next = after(*p, source, __builtin_ctz(e));
            n += perft(&next, depth - 1, counted);
        }
    }
    return n;
}

int main(int argc, char **argv)
{
    Position start = {0};
    if (argc != 6) {
        fputs("perft SIZE SPAWN TARGET DEPTH counted|played\n", stderr);
        return 2;
    }
    size = atoi(argv[1]);
    start.spawn = 33 * atoi(argv[2]);
    target_score = atoi(argv[3]);
    prepare();
    clock_t begun = clock();
    uint64_t n = perft(&start, atoi(argv[4]), !strcmp(argv[5], "counted"));
    printf("%llu %llu %.6f\n", (unsigned long long)n, (unsigned long long)looked_at, (double)(clock() - begun) / CLOCKS_PER_SEC);
    return 0;
}
