// SPDX-License-Identifier: MIT OR GPL-2.0
/* The module: does what a test commands, at once or at a later instant, and creates the chips. */
#include <linux/debugfs.h>
#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include "breadboard.h"

DEFINE_SPINLOCK(table);

static struct dentry *folder;

/* ---- commands ---- */

static int act(char *line)
{
	static int (*const those[])(int, char **) = { header_do, expanders_do, converters_do };
	char *word[WORDS], *next;
	int words = 0, i, answer = -ENOENT;

	while ((next = strsep(&line, " ")))
		if (*next && words < WORDS)
			word[words++] = next;
	if (!words)
		return 0;
	for (i = 0; i < ARRAY_SIZE(those) && answer == -ENOENT; i++)
		answer = those[i](words, word);
	return answer;
}

/* Commands for later. A trembling hand is a row of these. */
struct later {
	struct list_head list;
	ktime_t at;
	char line[];
};

static LIST_HEAD(to_come);	/* next one first; under the table's lock */
static struct hrtimer clock;

static int do_now(const char *line)
{
	char copy[128];
	int answer;

	strscpy(copy, line, sizeof(copy));
	answer = act(copy);
	if (!answer)
		journal_keep(DONE, 0, 0, line, strlen(line));
	return answer;
}

static enum hrtimer_restart strike(struct hrtimer *timer)
{
	struct later *next;
	enum hrtimer_restart again = HRTIMER_NORESTART;
	unsigned long flags;

	spin_lock_irqsave(&table, flags);
	while ((next = list_first_entry_or_null(&to_come, struct later, list))) {
		if (ktime_after(next->at, ktime_get())) {
			hrtimer_set_expires(timer, next->at);
			again = HRTIMER_RESTART;
			break;
		}
		list_del(&next->list);
		if (do_now(next->line))
			pr_warn("breadboard: cannot do: %s\n", next->line);
		kfree(next);
	}
	spin_unlock_irqrestore(&table, flags);
	return again;
}

static int put_off(const char *line, u64 us)
{
	struct later *later = kmalloc(struct_size(later, line, strlen(line) + 1), GFP_ATOMIC), *each;
	struct list_head *before = &to_come;

	if (!later)
		return -ENOMEM;
	later->at = ktime_add_us(ktime_get(), us);
	strcpy(later->line, line);
	list_for_each_entry(each, &to_come, list) {
		if (ktime_after(each->at, later->at))
			break;
		before = &each->list;
	}
	list_add(&later->list, before);
	return 0;
}

static int do_line(char *line)
{
	char *rest = line;
	u64 us;
	int answer;

	if (strncmp(line, "in ", 3))
		return do_now(line);
	rest = line + 3;
	line = strsep(&rest, " ");
	answer = kstrtou64(line, 10, &us);
	return answer ?: rest ? put_off(rest, us) : -EINVAL;
}

/* Does the lines of a write without a gap. */
static ssize_t do_write(struct file *file, const char __user *from, size_t size, loff_t *place)
{
	char *lines, *line, *rest;
	ktime_t first = KTIME_MAX;
	struct later *next;
	int answer = 0;

	if (size > 65536)
		return -E2BIG;
	lines = memdup_user_nul(from, size);
	if (IS_ERR(lines))
		return PTR_ERR(lines);
	rest = lines;
	spin_lock_irq(&table);
	while (!answer && (line = strsep(&rest, "\n")))
		if (*line)
			answer = do_line(line);
	next = list_first_entry_or_null(&to_come, struct later, list);
	if (next)
		first = next->at;
	spin_unlock_irq(&table);
	if (first != KTIME_MAX)
		hrtimer_start(&clock, first, HRTIMER_MODE_ABS_SOFT);
	kfree(lines);
	return answer == -ENOENT ? -EINVAL : answer ?: size;
}

static const struct file_operations do_file = { .owner = THIS_MODULE, .write = do_write };

static int told_show(struct seq_file *to, void *unused)
{
	spin_lock_irq(&table);
	header_tell(to);
	expanders_tell(to);
	converters_tell(to);
	spin_unlock_irq(&table);
	seq_printf(to, "lost: %llu\n", journal_lost());
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(told);

/* ---- module ---- */

static struct platform_driver *const drivers[] = { &header_driver, &i2c_driver, &spi_driver, &registers_driver };

static int __init breadboard_init(void)
{
	int answer;

	hrtimer_init(&clock, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
	clock.function = strike;
	answer = platform_register_drivers(drivers, ARRAY_SIZE(drivers));
	if (answer)
		return answer;
	folder = debugfs_create_dir("breadboard", NULL);
	debugfs_create_file("do", 0200, folder, NULL, &do_file);
	debugfs_create_file("journal", 0400, folder, NULL, &journal_file);
	debugfs_create_file("told", 0444, folder, NULL, &told_fops);
	return 0;
}

static void __exit breadboard_exit(void)
{
	struct later *each, *next;

	debugfs_remove_recursive(folder);
	hrtimer_cancel(&clock);
	list_for_each_entry_safe(each, next, &to_come, list)
		kfree(each);
	platform_unregister_drivers(drivers, ARRAY_SIZE(drivers));
	journal_clear();
}

module_init(breadboard_init);
module_exit(breadboard_exit);
MODULE_LICENSE("Dual MIT/GPL");
MODULE_DESCRIPTION("The chips of a Pond board, and what hands do to them, beside a simulated Raspberry Pi");
