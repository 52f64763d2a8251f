/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * Simulated hardware beside a simulated Pi, and the commands of tests to it.
 *
 * The kernel's own drivers see chips; a test sees /sys/kernel/debug/breadboard:
 *
 *   do       a command per line: "ground 17", "lift 17", "in 500 ground 17" (500 us from now)
 *   journal  commands and data sent on the wires, with their instants; reading removes them
 *   told     state of each part, as text
 */
#ifndef BREADBOARD_H
#define BREADBOARD_H

#include <linux/platform_device.h>
#include <linux/seq_file.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#define WORDS 8			/* maximum per line of `do` */

/* Everything is read and changed under this lock. */
extern spinlock_t table;
extern struct platform_driver header_driver, i2c_driver, spi_driver, registers_driver;

/* Each handles its commands, with the table held: 0 if done, -ENOENT if the command is not its own, else an error. */
int header_do(int words, char **word);
int expanders_do(int words, char **word);
int converters_do(int words, char **word);

void header_tell(struct seq_file *to);
void expanders_tell(struct seq_file *to);
void converters_tell(struct seq_file *to);

/* journal.c */
enum { DONE = 1, SPI_SENT, PWM_SENT, PCM_SENT };

/* An entry of `journal`, followed by its bytes. All in native byte order. */
struct entry {
	u64 at;			/* CLOCK_MONOTONIC, in ns */
	u32 what;		/* DONE ... */
	u32 where;		/* for SPI bus * 256 + select; else the GPIO */
	u32 hz;			/* actual bits per second on the wire */
	u32 length;		/* number of bytes */
};

void journal_keep(u32 what, u32 where, u32 hz, const void *bytes, u32 length);
extern const struct file_operations journal_file;
void journal_clear(void);
u64 journal_lost(void);

/* registers.c: function of a pin, from its function select: 0 an input, 1 an output. Does nothing without registers. */
void registers_choose(unsigned int gpio, u32 function);

/* converters.c: a clock edge or a select on plain GPIOs, where software moves every bit. Table held. */
void converters_feel(u64 levels);
bool converters_answer(unsigned int gpio, bool *level);

#endif
