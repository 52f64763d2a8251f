// SPDX-License-Identifier: MIT OR GPL-2.0
/* Commands and data sent on the wires. The oldest entries are dropped when they are not read. */
#include <linux/fs.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "breadboard.h"

#define MOST (8u << 20)		/* maximum bytes */

struct kept {
	struct list_head list;
	struct entry entry;
	u8 bytes[];
};

static LIST_HEAD(all);
static DEFINE_SPINLOCK(lock);
static DEFINE_MUTEX(reading);	/* so that two readers do not get halves of an entry */
static size_t held;
static u64 lost;

static void forget(struct kept *kept)
{
	list_del(&kept->list);
	held -= sizeof(kept->entry) + kept->entry.length;
	kvfree(kept);
}

/* May be called with the table held. Never waits; bytes that do not fit are counted as lost. */
void journal_keep(u32 what, u32 where, u32 hz, const void *bytes, u32 length)
{
	struct kept *kept = kmalloc(struct_size(kept, bytes, length), GFP_ATOMIC | __GFP_NOWARN);
	unsigned long flags;

	spin_lock_irqsave(&lock, flags);
	if (!kept) {
		lost++;
	} else {
		kept->entry = (struct entry){ ktime_get_ns(), what, where, hz, length };
		memcpy(kept->bytes, bytes, length);
		list_add_tail(&kept->list, &all);
		held += sizeof(kept->entry) + length;
		while (held > MOST) {
			forget(list_first_entry(&all, struct kept, list));
			lost++;
		}
	}
	spin_unlock_irqrestore(&lock, flags);
}

/* Copies as many whole entries as fit. */
static ssize_t journal_read(struct file *file, char __user *to, size_t size, loff_t *place)
{
	struct kept *kept;
	ssize_t copied = 0;

	mutex_lock(&reading);
	for (;;) {
		size_t length;

		spin_lock_irq(&lock);
		kept = list_first_entry_or_null(&all, struct kept, list);
		length = kept ? sizeof(kept->entry) + kept->entry.length : 0;
		if (kept && copied + length <= size) {
			list_del(&kept->list);
			held -= length;
		} else {
			if (kept && !copied)
				copied = -EMSGSIZE;
			kept = NULL;
		}
		spin_unlock_irq(&lock);
		if (!kept)
			break;
		if (copy_to_user(to + copied, &kept->entry, sizeof(kept->entry)) ||
		    copy_to_user(to + copied + sizeof(kept->entry), kept->bytes, kept->entry.length))
			copied = -EFAULT;
		else
			copied += length;
		kvfree(kept);
		if (copied < 0)
			break;
	}
	mutex_unlock(&reading);
	return copied;
}

const struct file_operations journal_file = { .owner = THIS_MODULE, .read = journal_read };

void journal_clear(void)
{
	spin_lock_irq(&lock);
	while (!list_empty(&all))
		forget(list_first_entry(&all, struct kept, list));
	spin_unlock_irq(&lock);
}

u64 journal_lost(void)
{
	return lost;
}
