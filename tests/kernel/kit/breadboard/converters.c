// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * The SPI buses. Sent data goes to the journal, at the clock that a Pi's divider really gives. MCP3008s answer
 * as in their data sheet (DS21295), on a bus of the kernel or on plain GPIOs where software moves every bit.
 *
 *   chip A spi 1 0           MCP3008 with the name A, on bus 1, select 0
 *   chip D pins 5 6 13 26    another: its clock, MOSI, MISO and select are these GPIOs
 *   count A3 700             its level at an input, 0 to 1023
 *   stuck A 0|1, stuck A no  its MISO wire is stuck at this level; it works again
 */
#include <linux/delay.h>
#include <linux/mod_devicetable.h>
#include <linux/module.h>
#include <linux/of.h>
#include <linux/spi/spi.h>
#include "breadboard.h"

#define CHIPS 8			/* A to H */
#define RATE 3600000		/* maximum clock of an MCP3008 at 5 V */

enum { FREE, SPI, PINS };

static struct converter {
	int on;
	u32 bus, select;			/* on SPI */
	u8 clock, mosi, miso, chosen;		/* on PINS */
	u16 count[8];
	int stuck;				/* -1: not selected */
	bool started, out, next;
	int bits;				/* since the start bit */
	u32 request, answer;
} chips[CHIPS];

static u64 before;			/* last levels of the GPIOs */

static void choose(struct converter *chip)
{
	chip->started = false;
	chip->out = chip->next = true;
}

/* A rising edge of its clock takes a bit in. `next` is its output after the falling edge: after the start bit, four more
 * and one clock to measure, a zero, then ten bits of the count, highest first, and then the same again from the lowest
 * one on. */
static void rise(struct converter *chip, bool in)
{
	int place;

	if (!chip->started) {
		chip->started = in;
		chip->bits = 0;
		chip->request = 0;
		return;
	}
	chip->bits++;
	if (chip->bits <= 4) {
		chip->request = chip->request << 1 | in;
		if (chip->bits == 4) {
			u32 channel = chip->request & 7;
			int away = chip->count[channel] - chip->count[channel ^ 1];

			chip->answer = chip->request & 8 ? chip->count[channel] : max(away, 0);
		}
		return;
	}
	place = chip->bits - 6;		/* 0: highest bit of ten */
	if (place < 0)
		chip->next = 0;
	else if (place < 10)
		chip->next = chip->answer >> (9 - place) & 1;
	else
		chip->next = place < 19 ? chip->answer >> (place - 9) & 1 : 0;
}

static void fall(struct converter *chip)
{
	chip->out = chip->next;
}

static bool says(const struct converter *chip)
{
	return chip->stuck < 0 ? chip->out : chip->stuck;
}

/* ---- plain GPIOs ---- */

void converters_feel(u64 levels)
{
	struct converter *chip;

	for (chip = chips; chip < chips + CHIPS; chip++) {
		if (chip->on != PINS)
			continue;
		if (levels & BIT_ULL(chip->chosen))
			choose(chip);
		else if (levels & ~before & BIT_ULL(chip->clock))
			rise(chip, levels & BIT_ULL(chip->mosi));
		else if (~levels & before & BIT_ULL(chip->clock))
			fall(chip);
	}
	before = levels;
}

bool converters_answer(unsigned int gpio, bool *level)
{
	struct converter *chip;

	for (chip = chips; chip < chips + CHIPS; chip++) {
		if (chip->on == PINS && chip->miso == gpio && (chip->stuck >= 0 || !(before & BIT_ULL(chip->chosen)))) {
			*level = says(chip);
			return true;
		}
	}
	return false;
}

/* ---- buses of the kernel ---- */

struct bus {
	u32 core;		/* source of the clock in Hz */
	struct converter *chosen;
};

static struct converter *at(u32 bus, u32 select)
{
	struct converter *chip;

	for (chip = chips; chip < chips + CHIPS; chip++)
		if (chip->on == SPI && chip->bus == bus && chip->select == select)
			return chip;
	return NULL;
}

static int spi_begin(struct spi_controller *host, struct spi_message *message)
{
	struct bus *bus = spi_controller_get_devdata(host);
	unsigned long flags;

	spin_lock_irqsave(&table, flags);
	bus->chosen = at(host->bus_num, spi_get_chipselect(message->spi, 0));
	if (bus->chosen)
		choose(bus->chosen);
	spin_unlock_irqrestore(&table, flags);
	return 0;
}

/* Between two transfers of a message that asks for it, the kernel deselects for a moment. */
static void spi_select(struct spi_device *to, bool level)
{
	struct bus *bus = spi_controller_get_devdata(to->controller);
	unsigned long flags;

	spin_lock_irqsave(&table, flags);
	if (bus->chosen)
		choose(bus->chosen);
	spin_unlock_irqrestore(&table, flags);
}

/* Both the BCM2835's SPI and the Pi 5's divide by an even number and never exceed the requested clock. */
static u32 divided(u32 core, u32 asked)
{
	u32 by = DIV_ROUND_UP(core, asked ?: 1);

	by += by & 1;
	return core / (by ?: 2);
}

static int spi_transfer(struct spi_controller *host, struct spi_device *to, struct spi_transfer *transfer)
{
	struct bus *bus = spi_controller_get_devdata(host);
	u32 hz = divided(bus->core, transfer->speed_hz), us, i;
	const u8 *out = transfer->tx_buf;
	u8 *in = transfer->rx_buf;
	unsigned long flags;
	int bit;

	transfer->effective_speed_hz = hz;
	if (out)
		journal_keep(SPI_SENT, host->bus_num << 8 | spi_get_chipselect(to, 0), hz, out, transfer->len);
	spin_lock_irqsave(&table, flags);
	for (i = 0; i < transfer->len && (bus->chosen || in); i++) {
		u8 said = 0;

		for (bit = 7; bit >= 0 && bus->chosen; bit--) {
			said = said << 1 | (hz <= RATE ? says(bus->chosen) : bit & 1);	/* too fast: garbage */
			rise(bus->chosen, out && out[i] >> bit & 1);
			fall(bus->chosen);
		}
		if (in)
			in[i] = said;
	}
	spin_unlock_irqrestore(&table, flags);
	us = div_u64((u64)transfer->len * 8 * 1000000, hz);
	if (us)
		usleep_range(us, us + 10);
	return 0;
}

static int spi_probe(struct platform_device *device)
{
	struct spi_controller *host = devm_spi_alloc_host(&device->dev, sizeof(struct bus));
	struct bus *bus;

	if (!host)
		return -ENOMEM;
	bus = spi_controller_get_devdata(host);
	bus->core = 500000000;
	of_property_read_u32(device->dev.of_node, "pond,core-hz", &bus->core);
	host->dev.of_node = device->dev.of_node;
	host->bus_num = -1;
	host->use_gpio_descriptors = true;
	host->mode_bits = SPI_CPOL | SPI_CPHA | SPI_CS_HIGH | SPI_NO_CS | SPI_LSB_FIRST;
	host->bits_per_word_mask = SPI_BPW_MASK(8);
	host->flags = SPI_CONTROLLER_GPIO_SS;
	host->prepare_message = spi_begin;
	host->set_cs = spi_select;
	host->transfer_one = spi_transfer;
	return devm_spi_register_controller(&device->dev, host);
}

static const struct of_device_id these[] = {
	{ .compatible = "brcm,bcm2835-spi" },
	{ .compatible = "brcm,bcm2835-aux-spi" },
	{ .compatible = "snps,dw-apb-ssi" },
	{}
};

struct platform_driver spi_driver = {
	.probe = spi_probe,
	.driver = { .name = "breadboard-spi", .of_match_table = these },
};

/* ---- commands ---- */

static struct converter *called(const char *text)
{
	return text[0] >= 'A' && text[0] < 'A' + CHIPS ? &chips[text[0] - 'A'] : NULL;
}

int converters_do(int words, char **word)
{
	struct converter *chip = words > 1 ? called(word[1]) : NULL;
	u32 channel, value;

	if (!strcmp(word[0], "chip")) {
		if (!chip || words < 5)
			return -EINVAL;
		memset(chip, 0, sizeof(*chip));
		chip->stuck = -1;
		if (!strcmp(word[2], "spi") && words == 5) {
			if (kstrtouint(word[3], 10, &chip->bus) || kstrtouint(word[4], 10, &chip->select))
				return -EINVAL;
			chip->on = SPI;
			return 0;
		}
		if (strcmp(word[2], "pins") || words != 7)
			return -EINVAL;
		if (kstrtou8(word[3], 10, &chip->clock) || kstrtou8(word[4], 10, &chip->mosi) ||
		    kstrtou8(word[5], 10, &chip->miso) || kstrtou8(word[6], 10, &chip->chosen))
			return -EINVAL;
		chip->on = PINS;
		return 0;
	}
	if (!strcmp(word[0], "count")) {
		if (words != 3 || !chip || kstrtouint(word[1] + 1, 10, &channel) || channel > 7 ||
		    kstrtouint(word[2], 10, &value) || value > 1023)
			return -EINVAL;
		chip->count[channel] = value;
		return 0;
	}
	if (!strcmp(word[0], "stuck")) {
		if (words != 3 || !chip)
			return -EINVAL;
		if (!strcmp(word[2], "no"))
			chip->stuck = -1;
		else if (kstrtouint(word[2], 10, &value) || value > 1)
			return -EINVAL;
		else
			chip->stuck = value;
		return 0;
	}
	return -ENOENT;
}

void converters_tell(struct seq_file *to)
{
	int i, channel;

	for (i = 0; i < CHIPS; i++) {
		if (chips[i].on == FREE)
			continue;
		seq_printf(to, "%c:", 'A' + i);
		for (channel = 0; channel < 8; channel++)
			seq_printf(to, " %u", chips[i].count[channel]);
		seq_putc(to, '\n');
	}
}
