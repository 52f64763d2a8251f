// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * The GPIOs of a Pi with simulated wires: switches to ground, a matrix of switches, converters read bit by bit.
 *
 * An output is stronger than ground, ground than the pin's own pull; a pin without any is an antenna.
 * An input that goes to ground, or comes back from it, causes an interrupt, as on a Pi.
 *
 *   ground N, lift N     closes, opens a switch from GPIO N to ground
 *   close D S, part D S  closes, opens the switch at the crossing of the driven line D and the sense line S
 *   diodes 0|1           current through a crossing flows both ways, or from S to D only (1)
 *   deaf 0|1             the pins do not answer at all
 *   edges 0|1            inputs cause interrupts (1)
 */
#include <linux/gpio/driver.h>
#include <linux/hash.h>
#include <linux/irq.h>
#include <linux/irqdesc.h>
#include <linux/ktime.h>
#include <linux/mod_devicetable.h>
#include <linux/module.h>
#include <linux/of.h>
#include <linux/pinctrl/pinconf-generic.h>
#include "breadboard.h"

#define LINES 64
#define CROSSINGS 64
#define HUM 50000000		/* ns for which an antenna keeps a level */

static u64 outputs, driven, pulled_up, pulled_down;	/* settings of the lines by programs, a bit each */
static u64 grounded;
static struct { u8 drive, sense; } closed[CROSSINGS];
static unsigned int closings, shorts;
static bool diodes = true, deaf, edges = true;

static struct gpio_chip *header;
static u64 low_before;					/* lines that were low at the last check for edges */
static DECLARE_BITMAP(rising, LINES);			/* awaited edges; not under the table's lock */
static DECLARE_BITMAP(falling, LINES);
static DECLARE_BITMAP(unmasked, LINES);

static u64 low_lines(void)
{
	u64 low = grounded | (outputs & ~driven), before;
	unsigned int i;

	do {
		before = low;
		for (i = 0; i < closings; i++) {
			u64 drive = BIT_ULL(closed[i].drive), sense = BIT_ULL(closed[i].sense);

			if (low & drive)
				low |= sense;
			if (!diodes && low & sense)
				low |= drive;
		}
	} while (low != before);
	return low;
}

/* After a possible change of a level, with the table held: an interrupt for each input that changed. */
static void header_feel(void)
{
	u64 low = low_lines(), changed = (low ^ low_before) & ~outputs;
	unsigned int line;

	low_before = low;
	if (!header || !edges)
		return;
	for (line = 0; line < header->ngpio; line++)
		if (changed & BIT_ULL(line) && test_bit(line, unmasked) &&
		    test_bit(line, low & BIT_ULL(line) ? falling : rising))
			generic_handle_domain_irq_safe(header->irq.domain, line);
}

static int level(unsigned int line)
{
	u64 bit = BIT_ULL(line), low = low_lines();
	bool answer;

	if (outputs & driven & low)
		shorts++;
	if (outputs & bit)
		return !!(driven & bit);
	if (low & bit)
		return 0;
	if (converters_answer(line, &answer))
		return answer;
	if (pulled_up & bit)
		return 1;
	if (pulled_down & bit)
		return 0;
	return hash_32(line + LINES * (u32)div_u64(ktime_get_ns(), HUM), 1);
}

static int header_get(struct gpio_chip *chip, unsigned int line)
{
	unsigned long flags;
	int answer = -EIO;

	spin_lock_irqsave(&table, flags);
	if (!deaf)
		answer = level(line);
	spin_unlock_irqrestore(&table, flags);
	return answer;
}

static void header_set(struct gpio_chip *chip, unsigned int line, int value)
{
	unsigned long flags;

	spin_lock_irqsave(&table, flags);
	driven = value ? driven | BIT_ULL(line) : driven & ~BIT_ULL(line);
	converters_feel(driven & outputs);
	header_feel();
	spin_unlock_irqrestore(&table, flags);
}

static int header_get_direction(struct gpio_chip *chip, unsigned int line)
{
	return outputs & BIT_ULL(line) ? GPIO_LINE_DIRECTION_OUT : GPIO_LINE_DIRECTION_IN;
}

static int header_input(struct gpio_chip *chip, unsigned int line)
{
	unsigned long flags;

	spin_lock_irqsave(&table, flags);
	outputs &= ~BIT_ULL(line);
	registers_choose(line, 0);
	header_feel();
	spin_unlock_irqrestore(&table, flags);
	return 0;
}

static int header_output(struct gpio_chip *chip, unsigned int line, int value)
{
	unsigned long flags;

	spin_lock_irqsave(&table, flags);
	outputs |= BIT_ULL(line);
	registers_choose(line, 1);
	spin_unlock_irqrestore(&table, flags);
	header_set(chip, line, value);
	return 0;
}

static int header_set_config(struct gpio_chip *chip, unsigned int line, unsigned long config)
{
	u64 bit = BIT_ULL(line);
	unsigned long flags;
	int answer = 0;

	spin_lock_irqsave(&table, flags);
	switch (pinconf_to_config_param(config)) {
	case PIN_CONFIG_BIAS_PULL_UP:
		pulled_up |= bit;
		pulled_down &= ~bit;
		break;
	case PIN_CONFIG_BIAS_PULL_DOWN:
		pulled_down |= bit;
		pulled_up &= ~bit;
		break;
	case PIN_CONFIG_BIAS_DISABLE:
		pulled_up &= ~bit;
		pulled_down &= ~bit;
		break;
	default:
		answer = -ENOTSUPP;
	}
	spin_unlock_irqrestore(&table, flags);
	return answer;
}

static void header_mask(struct irq_data *data)
{
	clear_bit(irqd_to_hwirq(data), unmasked);
	gpiochip_disable_irq(irq_data_get_irq_chip_data(data), irqd_to_hwirq(data));
}

static void header_unmask(struct irq_data *data)
{
	gpiochip_enable_irq(irq_data_get_irq_chip_data(data), irqd_to_hwirq(data));
	set_bit(irqd_to_hwirq(data), unmasked);
}

static int header_set_type(struct irq_data *data, unsigned int type)
{
	if (!edges || type & ~IRQ_TYPE_EDGE_BOTH)
		return -EINVAL;
	assign_bit(irqd_to_hwirq(data), rising, type & IRQ_TYPE_EDGE_RISING);
	assign_bit(irqd_to_hwirq(data), falling, type & IRQ_TYPE_EDGE_FALLING);
	return 0;
}

static const struct irq_chip header_irqs = {
	.name = "breadboard-header",
	.irq_mask = header_mask,
	.irq_unmask = header_unmask,
	.irq_set_type = header_set_type,
	.flags = IRQCHIP_IMMUTABLE,
	GPIOCHIP_IRQ_RESOURCE_HELPERS,
};

/* Another GPIO chip of the Pi, whose lines are not connected. */
static int nowhere_get(struct gpio_chip *chip, unsigned int line)
{
	return 0;
}

static void nowhere_set(struct gpio_chip *chip, unsigned int line, int value)
{
}

static int nowhere_direction(struct gpio_chip *chip, unsigned int line)
{
	return 0;
}

static int nowhere_output(struct gpio_chip *chip, unsigned int line, int value)
{
	return 0;
}

static int header_probe(struct platform_device *device)
{
	struct gpio_chip *chip = devm_kzalloc(&device->dev, sizeof(*chip), GFP_KERNEL);
	u32 lines;

	if (!chip)
		return -ENOMEM;
	if (of_property_read_string(device->dev.of_node, "label", &chip->label) ||
	    of_property_read_u32(device->dev.of_node, "ngpios", &lines) || lines > LINES)
		return -EINVAL;
	chip->parent = &device->dev;
	chip->owner = THIS_MODULE;
	chip->base = -1;
	chip->ngpio = lines;
	if (of_property_read_bool(device->dev.of_node, "pond,header")) {
		chip->get = header_get;
		chip->set = header_set;
		chip->get_direction = header_get_direction;
		chip->direction_input = header_input;
		chip->direction_output = header_output;
		chip->set_config = header_set_config;
		gpio_irq_chip_set_chip(&chip->irq, &header_irqs);
		chip->irq.handler = handle_simple_irq;
		chip->irq.default_type = IRQ_TYPE_NONE;
		header = chip;
	} else {
		chip->get = nowhere_get;
		chip->set = nowhere_set;
		chip->direction_input = nowhere_direction;
		chip->direction_output = nowhere_output;
	}
	return devm_gpiochip_add_data(&device->dev, chip, NULL);
}

static const struct of_device_id these[] = {
	{ .compatible = "brcm,bcm2835-gpio" },
	{ .compatible = "brcm,bcm2711-gpio" },
	{ .compatible = "raspberrypi,firmware-gpio" },
	{ .compatible = "raspberrypi,rp1-gpio" },
	{ .compatible = "brcm,brcmstb-gpio" },
	{}
};
MODULE_DEVICE_TABLE(of, these);

struct platform_driver header_driver = {
	.probe = header_probe,
	.driver = { .name = "breadboard-header", .of_match_table = these },
};

static int header_act(int words, char **word);

int header_do(int words, char **word)
{
	int answer = header_act(words, word);

	header_feel();
	return answer;
}

static int number(const char *text, unsigned int below, unsigned int *to)
{
	int answer = kstrtouint(text, 10, to);

	return answer ?: *to < below ? 0 : -ERANGE;
}

static int crossing(bool close, unsigned int drive, unsigned int sense)
{
	unsigned int i;

	for (i = 0; i < closings; i++)
		if (closed[i].drive == drive && closed[i].sense == sense)
			break;
	if (close && i == closings) {
		if (closings == CROSSINGS)
			return -ENOSPC;
		closed[closings].drive = drive;
		closed[closings++].sense = sense;
	} else if (!close && i < closings) {
		closed[i] = closed[--closings];
	}
	return 0;
}

static int header_act(int words, char **word)
{
	unsigned int one, other;
	bool first = !strcmp(word[0], "ground") || !strcmp(word[0], "close");

	if (!strcmp(word[0], "ground") || !strcmp(word[0], "lift")) {
		if (words == 2 && strchr(word[1], '.'))
			return -ENOENT;	/* of an expander */
		if (words != 2 || number(word[1], LINES, &one))
			return -EINVAL;
		grounded = first ? grounded | BIT_ULL(one) : grounded & ~BIT_ULL(one);
		return 0;
	}
	if (!strcmp(word[0], "close") || !strcmp(word[0], "part")) {
		if (words != 3 || number(word[1], LINES, &one) || number(word[2], LINES, &other))
			return -EINVAL;
		return crossing(first, one, other);
	}
	if (!strcmp(word[0], "diodes"))
		return words == 2 ? kstrtobool(word[1], &diodes) : -EINVAL;
	if (!strcmp(word[0], "deaf"))
		return words == 2 ? kstrtobool(word[1], &deaf) : -EINVAL;
	if (!strcmp(word[0], "edges"))
		return words == 2 ? kstrtobool(word[1], &edges) : -EINVAL;
	return -ENOENT;
}

void header_tell(struct seq_file *to)
{
	seq_printf(to, "outputs: %016llx\ndriven: %016llx\npulled up: %016llx\npulled down: %016llx\n", outputs, driven,
		   pulled_up, pulled_down);
	seq_printf(to, "grounded: %016llx\nshorts: %u\n", grounded, shorts);
}
