/* Moves the wall clock of one process tree, while it runs; every other clock is left true.
 *
 * FOLIOT_FAKE_TIME names a file of eight bytes: nanoseconds to add, in this machine's byte order, rewritten in place.
 * What waits until a time of the wall clock is told by the true one, so that a moved clock lengthens no wait.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000LL
#define BOOT_MAX 1000000000LL /* a later time cannot be one since boot: the wait is by the wall clock */

static const long long none = 0;
static const volatile long long *offset = &none;

__attribute__((constructor)) static void attach(void) {
    const char *file = getenv("FOLIOT_FAKE_TIME");
    int fd = file ? open(file, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0)
        return;
    void *page = mmap(NULL, sizeof *offset, PROT_READ, MAP_SHARED, fd, 0);
    close(fd);
    if (page != MAP_FAILED)
        offset = page;
}

/* The function below ours. glibc keeps condition variables of 2002 under the same names: the newer ones are meant. */
static void *next(const char *name) {
    void *found = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
    return found ? found : dlsym(RTLD_NEXT, name);
}
#define NEXT(name)                      \
    static __typeof__(name) *real;      \
    if (!real)                          \
        real = (__typeof__(name) *)next(#name)

static struct timespec moved(struct timespec time, long long by) {
    long long at = time.tv_sec * SECOND + time.tv_nsec + by;
    return (struct timespec){.tv_sec = at / SECOND, .tv_nsec = at % SECOND};
}

static struct timespec truly(const struct timespec *until) {
    return until->tv_sec > BOOT_MAX ? moved(*until, -*offset) : *until;
}

/* -- reading ----------------------------------------------------------------------------------------------------- */

int clock_gettime(clockid_t clock, struct timespec *time) {
    NEXT(clock_gettime);
    int failed = real(clock, time);
    if (!failed && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        *time = moved(*time, *offset);
    return failed;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    (void)zone;
    struct timespec now;
    int failed = clock_gettime(CLOCK_REALTIME, &now);
    time->tv_sec = now.tv_sec;
    time->tv_usec = now.tv_nsec / 1000;
    return failed;
}

time_t time(time_t *store) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (store)
        *store = now.tv_sec;
    return now.tv_sec;
}

int timespec_get(struct timespec *time, int base) {
    return base == TIME_UTC && clock_gettime(CLOCK_REALTIME, time) == 0 ? base : 0;
}

/* -- waiting ----------------------------------------------------------------------------------------------------- */

int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until) {
    NEXT(pthread_cond_timedwait);
    struct timespec at = truly(until);
    return real(condition, mutex, &at);
}

int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                           const struct timespec *until) {
    NEXT(pthread_cond_clockwait);
    struct timespec at = truly(until);
    return real(condition, mutex, clock, &at);
}

int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *until) {
    NEXT(pthread_mutex_timedlock);
    struct timespec at = truly(until);
    return real(mutex, &at);
}

int sem_timedwait(sem_t *semaphore, const struct timespec *until) {
    NEXT(sem_timedwait);
    struct timespec at = truly(until);
    return real(semaphore, &at);
}

int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *until) {
    NEXT(sem_clockwait);
    struct timespec at = truly(until);
    return real(semaphore, clock, &at);
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *request, struct timespec *remaining) {
    NEXT(clock_nanosleep);
    struct timespec at = flags & TIMER_ABSTIME ? truly(request) : *request;
    return real(clock, flags, &at, remaining);
}
