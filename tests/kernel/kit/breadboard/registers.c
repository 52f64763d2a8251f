// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * A Pi's memory as root's programs see it, as far as rpi_ws281x needs it: /dev/mem and /dev/gpiomem with the registers of a
 * BCM2711 or BCM2835 (clock manager, PWM, PCM, DMA, function select), and /dev/vcio, through which the firmware lends memory.
 *
 * The registers are plain memory. A thread looks at them every 100 us while anybody has them mapped, and does what the
 * blocks would: what a DMA channel feeds to the PWM's or the PCM's serialiser goes into the journal, and takes as long as it
 * would on the wire. Nothing goes out where a clock, the block or the pin's function was not set up.
 */
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/mod_devicetable.h>
#include <linux/module.h>
#include <linux/of.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/xarray.h>
#include "breadboard.h"

#define CLOCKS 0x101000
#define GPIO 0x200000
#define PCM 0x203000
#define PWM 0x20c000
#define DMA 0x007000
#define DMA_CHANNELS 15

#define CM_PCM 0x98
#define CM_PWM 0xa0
#define CM_ENABLE BIT(4)
#define CM_KILL BIT(5)
#define CM_BUSY BIT(7)

#define LENT 0x10000000		/* where the memory begins that the firmware lends */
#define LENT_STEP 0x100000
#define LENT_MOST 16

static DEFINE_XARRAY(pages);	/* by their number; made when they are first looked at */
static DEFINE_MUTEX(making);
static u32 base, crystal;
static atomic_t mapped = ATOMIC_INIT(0);
static struct task_struct *thread;

static struct page *page_of(unsigned long number)
{
	struct page *page;

	mutex_lock(&making);
	page = xa_load(&pages, number);
	if (!page) {
		page = alloc_page(GFP_KERNEL | __GFP_ZERO);
		if (page && xa_err(xa_store(&pages, number, page, GFP_KERNEL))) {
			__free_page(page);
			page = NULL;
		}
	}
	mutex_unlock(&making);
	return page;
}

static volatile u32 *word(u32 address)
{
	struct page *page = page_of(address >> PAGE_SHIFT);

	return page ? page_address(page) + (address & ~PAGE_MASK & ~3u) : NULL;
}

static u32 get(u32 address)
{
	volatile u32 *at = word(address);

	return at ? READ_ONCE(*at) : 0;
}

static void put(u32 address, u32 value)
{
	volatile u32 *at = word(address);

	if (at)
		WRITE_ONCE(*at, value);
}

/* ---- what the blocks do -------------------------------------------------------------------------------------- */

/* A clock answers that it runs, and that it stands. */
static void run_clock(u32 at)
{
	u32 control = get(at);
	bool runs = control & CM_ENABLE && !(control & CM_KILL);

	if (runs != !!(control & CM_BUSY))
		put(at, runs ? control | CM_BUSY : control & ~(CM_BUSY | CM_ENABLE));
}

static u32 clock_hz(u32 at)
{
	u32 by = get(at + 4) & 0xffffff;

	return get(at) & CM_BUSY && by >> 12 ? div_u64((u64)crystal << 12, by) : 0;
}

/* The GPIO that has this alternative function, of those that could; -1 if none has. */
static int pin_with(const u8 (*could)[2], int count)
{
	int i;

	for (i = 0; i < count; i++)
		if ((get(base + GPIO + could[i][0] / 10 * 4) >> could[i][0] % 10 * 3 & 7) == could[i][1])
			return could[i][0];
	return -1;
}

/* A control block's bytes go out; false if nothing asks for them. */
static bool feed(u32 control)
{
	static const u8 pwm_pins[][2] = { { 12, 4 }, { 18, 2 } }, pcm_pins[][2] = { { 21, 4 } };
	u32 source = get(control + 4) & 0x3fffffff, length = get(control + 12), words = length / 4, i, us, hz;
	u32 peripheral = get(control) >> 16 & 31, pwm = get(base + PWM), pcm = get(base + PCM);
	bool by_pwm = peripheral == 5 && get(control + 8) == 0x7e000000 + PWM + 0x18;
	bool by_pcm = peripheral == 2 && get(control + 8) == 0x7e000000 + PCM + 0x04;
	int step = by_pwm && pwm & BIT(13) ? 2 : 1;	/* both channels take words in turn */
	int pin = by_pwm ? pin_with(pwm_pins, 2) : pin_with(pcm_pins, 1);
	__be32 *drawn;

	if (by_pwm) {
		if ((pwm & (BIT(0) | BIT(1) | BIT(5))) != (BIT(0) | BIT(1) | BIT(5)) || get(base + PWM + 0x10) != 32 ||
		    !(get(base + PWM + 8) & BIT(31)))
			return false;
		hz = clock_hz(base + CLOCKS + CM_PWM);
	} else if (by_pcm) {
		if ((pcm & (BIT(0) | BIT(2) | BIT(9))) != (BIT(0) | BIT(2) | BIT(9)))
			return false;
		hz = clock_hz(base + CLOCKS + CM_PCM);
	} else {
		return false;
	}
	if (!hz || pin < 0 || length > LENT_STEP)
		return false;
	drawn = kvmalloc(words / step * 4 + 4, GFP_KERNEL);
	if (!drawn)
		return false;
	for (i = 0; i < words / step; i++)
		drawn[i] = cpu_to_be32(get(source + i * step * 4));
	journal_keep(by_pwm ? PWM_SENT : PCM_SENT, pin, hz, drawn, words / step * 4);
	kvfree(drawn);
	us = div_u64((u64)(words / step) * 32 * 1000000, hz);
	usleep_range(us, us + 10);
	return true;
}

static void run_dma(u32 at)
{
	u32 status = get(at), control = get(at + 4) & 0x3fffffff;

	if (status & BIT(31)) {
		put(at, 0);
	} else if (status & BIT(0) && control && feed(control)) {
		put(at + 4, get(control + 20));
		put(at, (status & ~BIT(0)) | BIT(1));
	}
}

static int run(void *unused)
{
	int channel;

	while (!kthread_should_stop()) {
		if (!atomic_read(&mapped)) {
			set_current_state(TASK_INTERRUPTIBLE);
			if (!atomic_read(&mapped) && !kthread_should_stop())
				schedule();
			__set_current_state(TASK_RUNNING);
			continue;
		}
		run_clock(base + CLOCKS + CM_PWM);
		run_clock(base + CLOCKS + CM_PCM);
		put(base + PCM, get(base + PCM) | BIT(21));	/* its queue is empty */
		for (channel = 0; channel < DMA_CHANNELS; channel++)
			run_dma(base + DMA + channel * 0x100);
		usleep_range(100, 120);
	}
	return 0;
}

/* ---- the devices --------------------------------------------------------------------------------------------- */

static void mapped_open(struct vm_area_struct *area)
{
	atomic_inc(&mapped);
	wake_up_process(thread);
}

static void mapped_close(struct vm_area_struct *area)
{
	atomic_dec(&mapped);
}

static vm_fault_t mapped_fault(struct vm_fault *fault)
{
	struct page *page = page_of(fault->pgoff);

	if (!page)
		return VM_FAULT_OOM;
	get_page(page);
	fault->page = page;
	return 0;
}

static const struct vm_operations_struct mapping = {
	.open = mapped_open,
	.close = mapped_close,
	.fault = mapped_fault,
};

static int memory_mmap(struct file *file, struct vm_area_struct *area)
{
	vm_flags_set(area, VM_DONTEXPAND | VM_DONTDUMP);
	area->vm_ops = &mapping;
	mapped_open(area);
	return 0;
}

/* As the real one: whoever holds it holds the machine. */
static int memory_open(struct inode *inode, struct file *file)
{
	return capable(CAP_SYS_RAWIO) ? 0 : -EPERM;
}

static const struct file_operations memory_file = {
	.owner = THIS_MODULE,
	.open = memory_open,
	.mmap = memory_mmap,
};
static const struct file_operations gpio_memory_file = { .owner = THIS_MODULE, .mmap = memory_mmap };

/* Messages to the firmware, of which only those are answered that lend memory. */
static long firmware_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	static unsigned long lent;
	u32 message[16], size, handle;
	void __user *at = (void __user *)argument;

	if (_IOC_TYPE(command) != 100 || _IOC_NR(command) != 0)
		return -ENOTTY;
	if (get_user(size, (u32 __user *)at))
		return -EFAULT;
	if (size < 28 || size > sizeof(message))
		return -EINVAL;
	if (copy_from_user(message, at, size))
		return -EFAULT;
	message[1] = 0x80000000;
	message[4] |= 0x80000000;
	handle = message[5];
	switch (message[2]) {
	case 0x3000c: /* allocate */
		handle = ffz(lent);
		if (message[5] > LENT_STEP || handle >= LENT_MOST) {
			message[5] = 0;
		} else {
			lent |= BIT(handle);
			message[5] = handle + 1;
		}
		break;
	case 0x3000d: /* lock: where it is, as the firmware counts */
		message[5] = handle && lent & BIT(handle - 1) ? 0xc0000000 | (LENT + (handle - 1) * LENT_STEP) : 0;
		break;
	case 0x3000e: /* unlock */
		message[5] = 0;
		break;
	case 0x3000f: /* release */
		if (handle && handle <= LENT_MOST)
			lent &= ~BIT(handle - 1);
		message[5] = 0;
		break;
	default:
		message[1] = 0x80000001;
	}
	return copy_to_user(at, message, size) ? -EFAULT : 0;
}

static const struct file_operations firmware_file = { .owner = THIS_MODULE, .unlocked_ioctl = firmware_ioctl };

static struct miscdevice devices[] = {
	{ .minor = MISC_DYNAMIC_MINOR, .name = "mem", .fops = &memory_file },
	{ .minor = MISC_DYNAMIC_MINOR, .name = "gpiomem", .fops = &gpio_memory_file },
	{ .minor = MISC_DYNAMIC_MINOR, .name = "vcio", .fops = &firmware_file },
};

static int registers_probe(struct platform_device *device)
{
	int i, answer = 0;

	if (of_property_read_u32(device->dev.of_node, "pond,registers", &base) ||
	    of_property_read_u32(device->dev.of_node, "pond,crystal-hz", &crystal))
		return -EINVAL;
	thread = kthread_run(run, NULL, "breadboard");
	if (IS_ERR(thread))
		return PTR_ERR(thread);
	for (i = 0; i < ARRAY_SIZE(devices) && !answer; i++)
		answer = misc_register(&devices[i]);
	return answer;
}

static void registers_remove(struct platform_device *device)
{
	unsigned long number;
	struct page *page;
	int i;

	for (i = 0; i < ARRAY_SIZE(devices); i++)
		misc_deregister(&devices[i]);
	kthread_stop(thread);
	xa_for_each(&pages, number, page)
		put_page(page);
	xa_destroy(&pages);
}

static const struct of_device_id these[] = { { .compatible = "raspberrypi,bcm2835-firmware" }, {} };

struct platform_driver registers_driver = {
	.probe = registers_probe,
	.remove = registers_remove,
	.driver = { .name = "breadboard-registers", .of_match_table = these },
};
