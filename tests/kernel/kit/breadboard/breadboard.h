/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * What lies on the breadboard beside a simulated Pi, and what hands do to it.
 *
 * The kernel's own drivers see chips; a test sees /sys/kernel/debug/breadboard:
 *
 *   do       a line is something done: "ground 17", "lift 17", "in 500 ground 17" (500 us from now)
 *   journal  what was done and what went out on the wires, each with its instant; read once, then it is gone
 *   told     how it all stands, for people
 */
#ifndef BREADBOARD_H
#define BREADBOARD_H

#include <linux/platform_device.h>
#include <linux/seq_file.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#define WORDS 8			/* in a line of `do`, at most */

/* All that lies there is looked at and changed under this. */
extern spinlock_t table;
extern struct platform_driver header_driver, i2c_driver, spi_driver, registers_driver;

/* Each takes what is meant for it, with the table held: 0 if done, -ENOENT if it is not for it, else what is wrong. */
int header_do(int words, char **word);
int expanders_do(int words, char **word);
int converters_do(int words, char **word);

void header_tell(struct seq_file *to);
void expanders_tell(struct seq_file *to);
void converters_tell(struct seq_file *to);

/* journal.c */
enum { DONE = 1, SPI_SENT, PWM_SENT, PCM_SENT };

/* An entry as a reader of `journal` gets it; its bytes follow it. All in the byte order of the machine. */
struct entry {
	u64 at;			/* CLOCK_MONOTONIC, in ns */
	u32 what;		/* DONE ... */
	u32 where;		/* of SPI the bus * 256 + its select; else the GPIO that it came out at */
	u32 hz;			/* bits a second on the wire, as they really were */
	u32 length;		/* of the bytes */
};

void journal_keep(u32 what, u32 where, u32 hz, const void *bytes, u32 length);
extern const struct file_operations journal_file;
void journal_clear(void);
u64 journal_lost(void);

/* registers.c: what a pin is, as its function select says: 0 an input, 1 an output. Nothing where there are no registers. */
void registers_choose(unsigned int gpio, u32 function);

/* converters.c: a clock edge or a select on plain GPIOs, where a program moves every bit by itself. Table held. */
void converters_feel(u64 levels);
bool converters_answer(unsigned int gpio, bool *level);

#endif
