/* Simulates the few files of a Raspberry Pi that an SPI driver opens, by LD_PRELOAD.
 *
 *   /proc/cpuinfo    contains the revision in POND_REVISION; so does the device tree, as on a 64-bit Pi
 *   /dev/gpiomem     is empty memory
 *   /dev/spidev0.0   writes transfers to the file POND_CAPTURE: length, clock in Hz and SPI mode, 32 bits each, then the
 *                    bytes. Transfers longer than POND_BUFSIZ are rejected, as by the kernel; while the file POND_BROKEN
 *                    exists, every transfer fails.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/spi/spidev.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SPIDEV "/dev/spidev0.0"

static int spi = -1;
static uint32_t mode, clock_hz = 500000;

static void *real(const char *name) { return dlsym(RTLD_NEXT, name); }

static int memory(long long size)
{
    int fd = memfd_create("simulated", 0);
    if (ftruncate(fd, size)) abort();
    return fd;
}

static int simulated(const char *path)
{
    if (!strcmp(path, SPIDEV)) return spi = memory(1);
    if (!strcmp(path, "/dev/gpiomem")) return memory(1LL << 33); /* large enough for the registers of any Pi */
    if (!strcmp(path, "/proc/cpuinfo") && getenv("POND_REVISION")) {
        int fd = memory(0);
        dprintf(fd, "Hardware\t: BCM2835\nRevision\t: %s\n", getenv("POND_REVISION"));
        lseek(fd, 0, SEEK_SET);
        return fd;
    }
    if (!strcmp(path, "/proc/device-tree/system/linux,revision") && getenv("POND_REVISION")) {
        int fd = memory(0);
        uint32_t revision = htonl(strtoul(getenv("POND_REVISION"), NULL, 16));
        if (pwrite(fd, &revision, sizeof revision, 0) < 0) abort();
        return fd;
    }
    return -1;
}

static long transfer(const void *bytes, uint32_t length, uint32_t hz)
{
    const char *most = getenv("POND_BUFSIZ"), *broken = getenv("POND_BROKEN");
    if (broken && !access(broken, F_OK)) { errno = EIO; return -1; }
    if (length > (most ? strtoul(most, NULL, 10) : 4096)) { errno = EMSGSIZE; return -1; }
    FILE *capture = fopen(getenv("POND_CAPTURE"), "ab");
    uint32_t header[] = {length, hz ? hz : clock_hz, mode};
    fwrite(header, sizeof header, 1, capture);
    fwrite(bytes, 1, length, capture);
    fclose(capture);
    return length;
}

#define OPENS(name)                                                        \
    int name(const char *path, int flags, ...)                             \
    {                                                                      \
        va_list rest;                                                      \
        va_start(rest, flags);                                             \
        mode_t permissions = va_arg(rest, mode_t);                         \
        va_end(rest);                                                      \
        int fd = simulated(path);                                          \
        if (fd >= 0) return fd;                                            \
        return ((int (*)(const char *, int, ...))real(#name))(path, flags, permissions); \
    }
OPENS(open)
OPENS(open64)

#define FOPENS(name)                                                       \
    FILE *name(const char *path, const char *how)                          \
    {                                                                      \
        int fd = simulated(path);                                          \
        if (fd >= 0) return fdopen(fd, how);                               \
        return ((FILE * (*)(const char *, const char *))real(#name))(path, how); \
    }
FOPENS(fopen)
FOPENS(fopen64)

ssize_t write(int fd, const void *bytes, size_t length)
{
    if (fd == spi && fd >= 0) return transfer(bytes, length, 0);
    return ((ssize_t (*)(int, const void *, size_t))real("write"))(fd, bytes, length);
}

int close(int fd)
{
    if (fd == spi) spi = -1;
    return ((int (*)(int))real("close"))(fd);
}

int ioctl(int fd, unsigned long request, ...)
{
    va_list rest;
    va_start(rest, request);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    if (fd != spi || fd < 0) return ((int (*)(int, unsigned long, ...))real("ioctl"))(fd, request, argument);
    switch (request) {
    case SPI_IOC_RD_MODE: *(uint8_t *)argument = mode; return 0;
    case SPI_IOC_WR_MODE: mode = *(uint8_t *)argument; return 0;
    case SPI_IOC_RD_BITS_PER_WORD: *(uint8_t *)argument = 8; return 0;
    case SPI_IOC_WR_BITS_PER_WORD: return *(uint8_t *)argument == 8 ? 0 : -1;
    case SPI_IOC_RD_MAX_SPEED_HZ: *(uint32_t *)argument = clock_hz; return 0;
    case SPI_IOC_WR_MAX_SPEED_HZ: clock_hz = *(uint32_t *)argument; return 0;
    case SPI_IOC_MESSAGE(1): {
        struct spi_ioc_transfer *one = argument;
        return transfer((const void *)(uintptr_t)one->tx_buf, one->len, one->speed_hz);
    }
    }
    errno = ENOTTY;
    return -1;
}
