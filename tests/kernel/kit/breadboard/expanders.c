// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * An I2C bus with MCP23017s as in their data sheet (DS20001952), or PCF8575s (SCPS121), which have no
 * registers; and faults of the two wires. Their INT pins are not connected.
 *
 *   plug 20, unplug 20            adds a chip at address 0x20, just powered up; removes it
 *   plug 20 pcf8575               the same with a PCF8575: its P0 is called A here, its P1 B
 *   ground 20.A0, lift 20.A0      closes, opens a switch from one of its pins to ground
 *   floating 20 5a5a              levels of its pins that are neither driven nor pulled, port A in the lower half
 *   reset 20                      brown-out: every register is as after power-on
 *   nak 10000                     number of transfers in a million that are not answered, although the chip is there
 *   dead 0|1                      no chip answers
 *   held 0|1                      SDA is held low: a transfer takes as long as the kernel waits, and fails
 *   says 00, says chips           every byte read is this one; the chips answer again
 */
#include <linux/delay.h>
#include <linux/i2c.h>
#include <linux/mod_devicetable.h>
#include <linux/module.h>
#include <linux/of.h>
#include "breadboard.h"

enum { IODIR, IPOL, GPINTEN, DEFVAL, INTCON, IOCON, GPPU, INTF, INTCAP, GPIO, OLAT, KINDS };

#define BANK BIT(7)		/* of IOCON: each port has its own block */
#define SEQOP BIT(5)		/* the pointer stays within its pair */
#define CHIPS 8
#define FIRST 0x20

static struct expander {
	bool there, bare;	/* bare: a PCF8575, whose pins are in OLAT */
	u8 reg[KINDS][2];
	u8 pointer;
	u16 grounded, floating;
} chips[CHIPS];

static u32 naks, dice = 1;
static bool dead, held;
static int says = -1;
static u64 transfers;
static u32 patience;		/* maximum ms that the kernel waited for the latest transfer */

static void reset(struct expander *chip)
{
	memset(chip->reg, 0, sizeof(chip->reg));
	chip->reg[IODIR][0] = chip->reg[IODIR][1] = 0xff;
	if (chip->bare)
		chip->reg[OLAT][0] = chip->reg[OLAT][1] = 0xff;
	chip->pointer = 0;
}

static u8 pins(struct expander *chip, int port)
{
	u8 pulled = chip->reg[GPPU][port], inputs = chip->reg[IODIR][port];
	u8 outside = (pulled | (chip->floating >> (8 * port) & ~pulled)) & ~(chip->grounded >> (8 * port));

	return (outside & inputs) | (chip->reg[OLAT][port] & ~inputs);
}

static bool place(struct expander *chip, int *kind, int *port)
{
	if (chip->reg[IOCON][0] & BANK) {
		*kind = chip->pointer & 0xf;
		*port = chip->pointer >> 4 & 1;
	} else {
		*kind = chip->pointer >> 1;
		*port = chip->pointer & 1;
	}
	return *kind < KINDS;
}

static void step(struct expander *chip)
{
	u8 control = chip->reg[IOCON][0];

	if (control & SEQOP) {
		if (!(control & BANK))
			chip->pointer ^= 1;
	} else if (control & BANK) {
		chip->pointer = (chip->pointer & 0x10) | ((chip->pointer & 0xf) + 1) % KINDS;
	} else {
		chip->pointer = (chip->pointer + 1) % (2 * KINDS);
	}
}

static u8 take(struct expander *chip)
{
	int kind, port;
	u8 said = 0;

	if (chip->bare) {
		port = chip->pointer++ & 1;
		return chip->reg[OLAT][port] & ~(chip->grounded >> (8 * port));
	}
	if (place(chip, &kind, &port)) {
		said = chip->reg[kind][port];
		if (kind == GPIO)
			said = pins(chip, port) ^ (chip->reg[IPOL][port] & chip->reg[IODIR][port]);
	}
	step(chip);
	return said;
}

static void give(struct expander *chip, u8 value)
{
	int kind, port;

	if (chip->bare) {
		chip->reg[OLAT][chip->pointer++ & 1] = value;
		return;
	}
	if (place(chip, &kind, &port) && kind != INTF && kind != INTCAP) {
		if (kind == IOCON)
			chip->reg[IOCON][0] = chip->reg[IOCON][1] = value & ~1;
		else
			chip->reg[kind == GPIO ? OLAT : kind][port] = value;
	}
	step(chip);
}

static struct expander *answering(u16 address)
{
	struct expander *chip = address < FIRST || address >= FIRST + CHIPS ? NULL : &chips[address - FIRST];

	dice = dice * 1664525 + 1013904223;
	if (dead || !chip || !chip->there || (u64)dice * 1000000 >> 32 < naks)
		return NULL;
	return chip;
}

static int transfer(struct i2c_adapter *bus, struct i2c_msg *messages, int count)
{
	u32 hz = *(u32 *)i2c_get_adapdata(bus), bits = 0, us;
	int i, j, answer = count;
	unsigned long flags;

	spin_lock_irqsave(&table, flags);
	transfers++;
	patience = jiffies_to_msecs(bus->timeout);
	if (held)
		answer = -ETIMEDOUT;
	for (i = 0; i < count && answer == count; i++) {
		struct i2c_msg *message = &messages[i];
		struct expander *chip = answering(message->addr);

		bits += 9;
		if (!chip) {
			answer = -EREMOTEIO;	/* error of i2c-bcm2835 and the Pi 5's i2c-designware */
			break;
		}
		if (chip->bare)
			chip->pointer = 0;	/* each message begins with P0 */
		for (j = 0; j < message->len; j++) {
			if (message->flags & I2C_M_RD) {
				message->buf[j] = take(chip);
				if (says >= 0)
					message->buf[j] = says;
			} else if (!j && !chip->bare) {
				chip->pointer = message->buf[0];
			} else {
				give(chip, message->buf[j]);
			}
		}
		bits += 9 * message->len;
	}
	spin_unlock_irqrestore(&table, flags);
	us = div_u64((u64)bits * 1000000, hz);
	if (answer == -ETIMEDOUT)
		us = jiffies_to_usecs(bus->timeout);
	if (us)
		usleep_range(us, us + 10);
	return answer;
}

static u32 abilities(struct i2c_adapter *bus)
{
	return I2C_FUNC_I2C | I2C_FUNC_SMBUS_EMUL;
}

static const struct i2c_algorithm algorithm = { .xfer = transfer, .functionality = abilities };

/* The Pi 5's bus cannot send only an address. */
static const struct i2c_adapter_quirks designware = { .flags = I2C_AQ_NO_ZERO_LEN };

static int i2c_probe(struct platform_device *device)
{
	struct i2c_adapter *bus = devm_kzalloc(&device->dev, sizeof(*bus), GFP_KERNEL);
	u32 *hz = devm_kzalloc(&device->dev, sizeof(*hz), GFP_KERNEL);

	if (!bus || !hz)
		return -ENOMEM;
	*hz = 100000;
	of_property_read_u32(device->dev.of_node, "clock-frequency", hz);
	bus->owner = THIS_MODULE;
	bus->algo = &algorithm;
	bus->dev.parent = &device->dev;
	bus->dev.of_node = device->dev.of_node;
	if (of_device_is_compatible(device->dev.of_node, "snps,designware-i2c"))
		bus->quirks = &designware;
	strscpy(bus->name, dev_name(&device->dev), sizeof(bus->name));
	i2c_set_adapdata(bus, hz);
	return devm_i2c_add_adapter(&device->dev, bus);
}

static const struct of_device_id these[] = {
	{ .compatible = "brcm,bcm2835-i2c" },
	{ .compatible = "snps,designware-i2c" },
	{}
};

struct platform_driver i2c_driver = {
	.probe = i2c_probe,
	.driver = { .name = "breadboard-i2c", .of_match_table = these },
};

static struct expander *called(const char *text)
{
	unsigned int address;

	if (kstrtouint(text, 16, &address) || address < FIRST || address >= FIRST + CHIPS)
		return NULL;
	return &chips[address - FIRST];
}

/* 20.A0 */
static int switched(const char *text, bool ground)
{
	char name[3] = { text[0], text[0] ? text[1] : 0 };
	struct expander *chip = called(name);
	u16 bit;

	if (!chip || strlen(text) != 5 || text[2] != '.' || (text[3] != 'A' && text[3] != 'B') ||
	    text[4] < '0' || text[4] > '7')
		return -EINVAL;
	bit = BIT(text[4] - '0' + (text[3] == 'B' ? 8 : 0));
	chip->grounded = ground ? chip->grounded | bit : chip->grounded & ~bit;
	return 0;
}

int expanders_do(int words, char **word)
{
	struct expander *chip = words > 1 ? called(word[1]) : NULL;
	unsigned int value;

	if (!strcmp(word[0], "ground") || !strcmp(word[0], "lift"))
		return words == 2 ? switched(word[1], word[0][0] == 'g') : -EINVAL;
	if (!strcmp(word[0], "plug") || !strcmp(word[0], "unplug") || !strcmp(word[0], "reset")) {
		if (!chip)
			return -EINVAL;
		if (word[0][0] == 'p' || word[0][0] == 'u')
			chip->there = word[0][0] == 'p';
		if (word[0][0] == 'p')
			chip->bare = words > 2 && !strcmp(word[2], "pcf8575");
		reset(chip);
		return 0;
	}
	if (!strcmp(word[0], "floating"))
		return words == 3 && chip ? kstrtou16(word[2], 16, &chip->floating) : -EINVAL;
	if (!strcmp(word[0], "nak"))
		return words == 2 ? kstrtouint(word[1], 10, &naks) : -EINVAL;
	if (!strcmp(word[0], "dead"))
		return words == 2 ? kstrtobool(word[1], &dead) : -EINVAL;
	if (!strcmp(word[0], "held"))
		return words == 2 ? kstrtobool(word[1], &held) : -EINVAL;
	if (!strcmp(word[0], "says")) {
		if (words != 2)
			return -EINVAL;
		if (!strcmp(word[1], "chips"))
			says = -1;
		else if (kstrtouint(word[1], 16, &value) || value > 0xff)
			return -EINVAL;
		else
			says = value;
		return 0;
	}
	return -ENOENT;
}

void expanders_tell(struct seq_file *to)
{
	int i, kind;

	seq_printf(to, "transfers: %llu\npatience: %u\n", transfers, patience);
	for (i = 0; i < CHIPS; i++) {
		if (!chips[i].there)
			continue;
		seq_printf(to, "%02x:", FIRST + i);
		for (kind = 0; kind < KINDS; kind++)
			seq_printf(to, " %02x%02x", chips[i].reg[kind][0], chips[i].reg[kind][1]);
		seq_putc(to, '\n');
	}
}
