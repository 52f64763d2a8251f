// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * A Pi's memory as seen by root's programs, as far as rpi_ws281x needs it: /dev/mem and /dev/gpiomem with the registers of
 * a BCM2711 or BCM2835 (clock manager, PWM, PCM, DMA, function select), and /dev/vcio, through which the firmware lends
 * memory.
 *
 * The registers are plain memory. While a program uses them, a thread polls every few us and does what the hardware would:
 * data that a DMA channel feeds to the serialiser of PWM or PCM goes into the journal, and takes as long as on the wire.
 * Nothing is sent unless the clock, the block and the pin's function are set up. When nothing more happens, the pages are
 * taken back, so that the fault at the next access reports the program's return: at rest nothing runs. The poll interval is
 * shorter than the 10 us that rpi_ws281x sleeps before it spins on a bit, because simulated time stops while a program
 * spins.
 *
 * Not modelled: bits that are cleared by writing 1, interrupts, errors, clock sources other than the crystal, the jitter of
 * a fractional divisor. DMA reads all its data at the start, not word by word.
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
#include <linux/wait.h>
#include <linux/xarray.h>
#include "breadboard.h"

#define CLOCKS 0x101000
#define GPIO 0x200000
#define PCM 0x203000
#define PWM 0x20c000
#define DMA 0x007000
#define DMA_CHANNELS 11		/* those that are alike on both; 11 to 14 are different on a BCM2711 */
#define DMA_LITE 7		/* from this one on, a length has 16 bits */

#define CM_PCM 0x98
#define CM_PWM 0xa0
#define CM_PASSWORD 0x5a	/* in the highest byte; other writes are ignored */
#define CM_SOURCE 15
#define CM_CRYSTAL 1
#define CM_ENABLE BIT(4)
#define CM_KILL BIT(5)
#define CM_BUSY BIT(7)
#define CM_MASH (BIT(9) | BIT(10))	/* without it the divisor's fraction is ignored */

#define QUIET_MS 2		/* idle polls until the pages are taken back */

#define LENT 0x10000000		/* start of the memory that the firmware lends */
#define LENT_STEP 0x100000
#define LENT_MOST 16

static DEFINE_XARRAY(pages);	/* by number; created at the first access */
static DEFINE_MUTEX(making);
static u32 base, crystal;
static struct task_struct *thread;
static struct inode *memory;	/* /dev/mem as first opened */
static bool stirred;		/* a program accessed a page that had been taken back */
static DECLARE_WAIT_QUEUE_HEAD(stirring);

static struct page *page_of(unsigned long number)
{
	struct page *page = xa_load(&pages, number);

	if (page)
		return page;
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

/* ---- hardware blocks ---- */

struct clock {
	u32 at, control, divisor;
};

static struct clock pcm_clock = { CLOCKS + CM_PCM }, pwm_clock = { CLOCKS + CM_PWM };

/* Contents of a clock's register: what was written with the password, which it does not show. */
static u32 taken(u32 at, u32 was)
{
	u32 written = get(at);

	return written >> 24 == CM_PASSWORD ? written & 0xffffff : was;
}

static void run_clock(struct clock *clock)
{
	u32 control = taken(base + clock->at, clock->control) & ~CM_BUSY;
	bool runs = control & CM_ENABLE && !(control & CM_KILL) && (control & CM_SOURCE) == CM_CRYSTAL;

	clock->control = runs ? control | CM_BUSY : control & ~CM_ENABLE;
	clock->divisor = taken(base + clock->at + 4, clock->divisor);
	put(base + clock->at, clock->control);
	put(base + clock->at + 4, clock->divisor);
}

static u32 clock_hz(const struct clock *clock)
{
	u32 by = clock->control & CM_MASH ? clock->divisor : clock->divisor & ~0xfffu;

	return clock->control & CM_BUSY && by >> 12 ? div_u64((u64)crystal << 12, by) : 0;
}

static u32 function_at(unsigned int gpio)
{
	return base + GPIO + gpio / 10 * 4;
}

void registers_choose(unsigned int gpio, u32 function)
{
	u32 at = function_at(gpio), shift = gpio % 10 * 3;

	if (base)
		put(at, (get(at) & ~(7u << shift)) | function << shift);
}

/* Block that sends words bit by bit. */
struct sender {
	enum { BY_PWM, BY_PCM } what;
	u32 asks, at;				/* its number for DMA, and the address that DMA writes to */
	struct clock *clock;
	struct { u8 gpio, function; } pins[2];	/* possible GPIOs and their functions; GPIO 0 is none */
};

static const struct sender senders[] = {
	{ BY_PWM, 5, PWM + 0x18, &pwm_clock, { { 12, 4 }, { 18, 2 } } },
	{ BY_PCM, 2, PCM + 0x04, &pcm_clock, { { 21, 4 } } },
};

/* True if the first channel of the PWM sends the 32 bits of each word from DMA. */
static bool pwm_sends(void)
{
	u32 wanted = BIT(0) | BIT(1) | BIT(5);	/* on, serialising, and fed by the queue */

	return (get(base + PWM) & wanted) == wanted && get(base + PWM + 0x10) == 32 && get(base + PWM + 8) & BIT(31);
}

/* True if the PCM sends one frame of a 32-bit channel per word from DMA, and provides the clock itself. */
static bool pcm_sends(void)
{
	u32 wanted = BIT(0) | BIT(2) | BIT(9);	/* on, sending, and requesting DMA */
	u32 mode = get(base + PCM + 8), channels = get(base + PCM + 0x10);

	return (get(base + PCM) & wanted) == wanted && (mode >> 10 & 0x3ff) == 31 &&
	       !(mode & (BIT(28) | BIT(23) | BIT(21))) && channels >> 16 == 0xc008 && !(channels & BIT(14));
}

static void send(const struct sender *by, u32 source, u32 words, u32 hz)
{
	u32 both = BIT(8) | BIT(13), pwm = get(base + PWM), i;
	u32 step = by->what == BY_PWM && (pwm & both) == both ? 2 : 1;	/* two channels take alternate words */
	u32 flipped = by->what == BY_PWM && pwm & BIT(4) ? ~0 : 0, count = words / step, us;
	__be32 *drawn = kvmalloc(count * 4 + 4, GFP_KERNEL);

	for (i = 0; drawn && i < count; i++)
		drawn[i] = cpu_to_be32(get(source + i * step * 4) ^ flipped);
	for (i = 0; drawn && i < ARRAY_SIZE(by->pins) && by->pins[i].gpio; i++) {
		u32 gpio = by->pins[i].gpio;

		if ((get(function_at(gpio)) >> gpio % 10 * 3 & 7) == by->pins[i].function)
			journal_keep(by->what == BY_PWM ? PWM_SENT : PCM_SENT, gpio, hz, drawn, count * 4);
	}
	kvfree(drawn);
	us = div_u64((u64)count * 32 * 1000000, hz);
	usleep_range(us, us + 10);
}

/* Sends a control block's bytes. Returns false if nothing requests them. */
static bool feed(int channel, u32 control)
{
	u32 how = get(control), length = get(control + 12), wanted = BIT(6) | BIT(8);	/* as requested, word by word */
	int i;

	if (channel >= DMA_LITE)
		length &= 0xffff;
	if ((how & (wanted | BIT(4))) != wanted || length > LENT_STEP)
		return false;
	for (i = 0; i < ARRAY_SIZE(senders); i++) {
		const struct sender *by = &senders[i];
		u32 hz = clock_hz(by->clock);

		if ((how >> 16 & 31) != by->asks || get(control + 8) != 0x7e000000 + by->at || !hz)
			continue;
		if (by->what == BY_PWM ? !pwm_sends() : !pcm_sends())
			continue;
		send(by, get(control + 4) & 0x3fffffff, length / 4, hz);
		return true;
	}
	return false;
}

/* Returns true if it has more to do. */
static bool run_dma(int channel)
{
	u32 at = base + DMA + channel * 0x100, status = get(at), control = get(at + 4) & 0x3fffffff, next;

	if (status & BIT(31))
		put(at, status = 0);
	if (!(status & BIT(0)) || !control || !feed(channel, control))
		return false;
	next = get(control + 20);
	put(at + 4, next);
	put(at, (status & ~BIT(0)) | BIT(1) | !!next);
	return next;
}

static bool look(void)
{
	bool more = false;
	int channel;

	run_clock(&pwm_clock);
	run_clock(&pcm_clock);
	put(base + PCM, get(base + PCM) | BIT(21));	/* its queue is empty */
	for (channel = 0; channel < DMA_CHANNELS; channel++)
		more |= run_dma(channel);
	return more;
}

static int run(void *unused)
{
	ktime_t until;

	while (!kthread_should_stop()) {
		wait_event_idle(stirring, stirred || kthread_should_stop());
		stirred = false;
		until = ktime_add_ms(ktime_get(), QUIET_MS);
		while (look() || ktime_before(ktime_get(), until))
			usleep_range(4, 5);
		unmap_mapping_range(memory->i_mapping, 0, 0, 1);
		stirred |= look();	/* with the data written up to then */
	}
	return 0;
}

/* ---- devices ---- */

static vm_fault_t mapped_fault(struct vm_fault *fault)
{
	struct page *page = page_of(fault->pgoff);

	if (!page)
		return VM_FAULT_OOM;
	get_page(page);
	fault->page = page;
	if (memory) {
		stirred = true;
		wake_up(&stirring);
	}
	return 0;
}

static const struct vm_operations_struct mapping = { .fault = mapped_fault };

static int memory_mmap(struct file *file, struct vm_area_struct *area)
{
	vm_flags_set(area, VM_DONTEXPAND | VM_DONTDUMP);
	area->vm_ops = &mapping;
	return 0;
}

/* Like the real one, it gives full control of the machine. */
static int memory_open(struct inode *inode, struct file *file)
{
	if (!capable(CAP_SYS_RAWIO))
		return -EPERM;
	if (!memory) {
		ihold(inode);
		memory = inode;
	}
	file->f_mapping = memory->i_mapping;	/* so that all its pages can be taken back at once */
	return 0;
}

static const struct file_operations memory_file = {
	.owner = THIS_MODULE,
	.open = memory_open,
	.mmap = memory_mmap,
};
static const struct file_operations gpio_memory_file = { .owner = THIS_MODULE, .mmap = memory_mmap };

/* Messages to the firmware. Only those about lending memory are answered. */
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
	case 0x3000d: /* lock: its bus address */
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
	if (!page_of((base + GPIO) >> PAGE_SHIFT))	/* written to in atomic context */
		return -ENOMEM;
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
	iput(memory);
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
