/* SPDX-License-Identifier: MIT */
/*
 * Init program of the simulated Pi: it mounts the file systems of a Linux, loads the breadboard, runs the command, writes
 * its exit status, and switches the machine off. The host's files are mounted read-only; writable are only tmpfs and the
 * one folder that was named.
 *
 * Its environment, from the kernel: POND_KIT, the folder of breadboard.ko; POND_WORK, the writable folder with `command`
 * and `status`.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#define PI_OS "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

/* rpi_ws281x reads this unless it is compiled for a 64-bit Pi, where it reads the device tree. */
static const char cpuinfo[] = "processor\t: 0\nmodel name\t: simulated\n\nHardware\t: BCM2835\nRevision\t: %s\n"
			      "Serial\t\t: 1000000012345678\nModel\t\t: %s\n";

static void check(int answer, const char *what)
{
	if (answer < 0)
		fprintf(stderr, "the simulated Pi cannot have %s: %s\n", what, strerror(errno));
}

static void give(const char *type, const char *where, unsigned long flags, const char *options)
{
	mkdir(where, 0755);
	check(mount(type, where, type, flags, options), where);
}

static void write_down(const char *path, const char *text)
{
	int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	check(file, path);
	if (file >= 0) {
		check(write(file, text, strlen(text)), path);
		close(file);
	}
}

static size_t told(const char *path, char *to, size_t size)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = file < 0 ? 0 : read(file, to, size - 1);

	if (file >= 0)
		close(file);
	to[length < 0 ? 0 : length] = 0;
	return length < 0 ? 0 : length;
}

/* Replaces revision and model of the host in /proc/cpuinfo. */
static void be_a_pi(void)
{
	char model[128], revision[8], code[16], text[512];
	const unsigned char *r = (void *)revision;

	told("/proc/device-tree/model", model, sizeof(model));
	if (told("/proc/device-tree/system/linux,revision", revision, sizeof(revision)) < 4)
		return;
	snprintf(code, sizeof(code), "%02x%02x%02x", r[1], r[2], r[3]);
	snprintf(text, sizeof(text), cpuinfo, code, model);
	write_down("/run/cpuinfo", text);
	check(mount("/run/cpuinfo", "/proc/cpuinfo", NULL, MS_BIND, NULL), "/proc/cpuinfo");
}

int main(void)
{
	const char *kit = getenv("POND_KIT"), *work = getenv("POND_WORK"), *slash;
	char path[512], answer[16];
	struct termios console;
	int status = 0, file;
	pid_t child;

	if (!kit || !work)
		return 1;
	if (!tcgetattr(1, &console)) { /* output unchanged */
		console.c_oflag &= ~OPOST;
		tcsetattr(1, TCSANOW, &console);
	}
	give("proc", "/proc", 0, NULL);
	give("sysfs", "/sys", 0, NULL);
	give("devtmpfs", "/dev", 0, NULL);
	give("devpts", "/dev/pts", 0, "ptmxmode=666");
	give("tmpfs", "/dev/shm", 0, NULL);
	give("tmpfs", "/run", 0, "mode=755");
	give("debugfs", "/sys/kernel/debug", 0, NULL);
	give("cgroup2", "/sys/fs/cgroup", 0, NULL);
	for (slash = strchr(work + 1, '/'); slash; slash = strchr(slash + 1, '/')) { /* it may replace an existing one */
		snprintf(path, sizeof(path), "%.*s", (int)(slash - work), work);
		mkdir(path, 0755);
	}
	mkdir(work, 0755);
	check(mount("none", work, "hostfs", 0, work), work);
	check(symlink("/proc/self/fd", "/dev/fd"), "/dev/fd");
	check(mkdir("/run/tmp", 01777) ?: chmod("/run/tmp", 01777), "/run/tmp");

	snprintf(path, sizeof(path), "%s/breadboard.ko", kit);
	file = open(path, O_RDONLY | O_CLOEXEC);
	check(file < 0 ? file : (int)syscall(SYS_finit_module, file, "", 0), path);
	be_a_pi();

	setenv("HOME", "/run", 1);
	setenv("TMPDIR", "/run/tmp", 1);
	setenv("PATH", PI_OS, 1);
	setenv("PYTHONDONTWRITEBYTECODE", "1", 1);
	snprintf(path, sizeof(path), "%s/command", work);
	child = fork();
	if (!child) {
		file = open("/dev/null", O_RDONLY);
		dup2(file, 0);
		setsid();
		if (!chdir(work))
			execl("/bin/sh", "sh", path, NULL);
		_exit(127);
	}
	while (waitpid(-1, &status, 0) != child) /* orphans become its children */
		;
	snprintf(answer, sizeof(answer), "%d\n", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	snprintf(path, sizeof(path), "%s/status", work);
	write_down(path, answer);
	sync();
	reboot(RB_POWER_OFF);
	return 1;
}
