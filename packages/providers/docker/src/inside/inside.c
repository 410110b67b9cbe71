// What we put into every container, read-only, as /.stead/inside: images need no shell, no nc and no kill of their own.
// It has no libc, so that it is a few kilobytes and runs anywhere Linux does. Built by build.sh; program.ts holds the result.
//
//   hold                     waits for TERM: keeps a network that several services share
//   run FILE                 becomes the command in FILE, with the environment in FILE: secrets that `inspect` must not show
//   session FILE WORDS...    prints its process id, then becomes WORDS, with the environment in FILE (- for none)
//   signal NUMBER PID        to the process group of a session
//   end PID                  kills everything in a session
//   relay PORT               carries input and output to a port of this container, for health checks
//
// FILE: words that each end with a zero byte. NAME=value..., an empty word, then the words of the command.

typedef unsigned long size;
typedef long word;

#if defined(__x86_64__)
enum { READ = 0, WRITE = 1, CLOSE = 3, LSEEK = 8, MMAP = 9, SIGPROCMASK = 14, GETPID = 39, SOCKET = 41, CONNECT = 42,
       SHUTDOWN = 48, FORK_CLONE = 56, EXECVE = 59, EXIT = 231, KILL = 62, SETSID = 112, SIGTIMEDWAIT = 128,
       GETDENTS = 217, OPENAT = 257 };
static word call(word n, word a, word b, word c, word d, word e, word f) {
  register word r10 __asm__("r10") = d;
  register word r8 __asm__("r8") = e;
  register word r9 __asm__("r9") = f;
  word result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}
__asm__(".global _start\n_start: mov %rsp, %rdi\n and $-16, %rsp\n call begin\n");
#elif defined(__aarch64__)
enum { GETDENTS = 61, LSEEK = 62, READ = 63, WRITE = 64, CLOSE = 57, OPENAT = 56, EXIT = 94, KILL = 129,
       SIGPROCMASK = 135, SIGTIMEDWAIT = 137, SETSID = 157, GETPID = 172, SOCKET = 198, CONNECT = 203, SHUTDOWN = 210,
       FORK_CLONE = 220, EXECVE = 221, MMAP = 222 };
static word call(word n, word a, word b, word c, word d, word e, word f) {
  register word x8 __asm__("x8") = n;
  register word x0 __asm__("x0") = a;
  register word x1 __asm__("x1") = b;
  register word x2 __asm__("x2") = c;
  register word x3 __asm__("x3") = d;
  register word x4 __asm__("x4") = e;
  register word x5 __asm__("x5") = f;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
  return x0;
}
__asm__(".global _start\n_start: mov x0, sp\n bl begin\n");
#endif

#define sys(n, a, b, c) call(n, (word)(a), (word)(b), (word)(c), 0, 0, 0)
enum { AT_FDCWD = -100, SIGKILL = 9, SIGCHLD = 17, SIGINT = 2, SIGTERM = 15, EACCES = 13, NOT_FOUND = 127, NOT_RUN = 126 };

static void leave(int code) {
  for (;;) sys(EXIT, code, 0, 0);
}

static size length(const char *text) {
  size n = 0;
  while (text[n]) n++;
  return n;
}

static int begins(const char *text, const char *with) {
  while (*with) if (*text++ != *with++) return 0;
  return 1;
}

static int same(const char *a, const char *b) { return begins(a, b) && length(a) == length(b); }

static void say(const char *text) { sys(WRITE, 2, text, length(text)); }

static word number(const char *text) {
  word value = 0;
  while (*text >= '0' && *text <= '9') value = value * 10 + (*text++ - '0');
  return value;
}

enum { MOST = 4096 };
static char *environment[MOST + 1];
static char *words[MOST + 1];

/** How many characters of NAME= two entries have in common, when that is all of it. */
static int sameName(const char *a, const char *b) {
  while (*a == *b && *a && *a != '=') a++, b++;
  return *a == '=' && *b == '=';
}

static void put(char *entry) {
  int i = 0;
  for (; environment[i]; i++) if (sameName(environment[i], entry)) break;
  if (i == MOST) say("stead: the environment is too large\n"), leave(NOT_RUN);
  environment[i] = entry;
}

/** Adds the environment of a file to ours. Answers the words that follow it. */
static char **readFile(const char *path) {
  word file = sys(OPENAT, AT_FDCWD, path, 0);
  word bytes = file < 0 ? -1 : sys(LSEEK, file, 0, 2);
  if (bytes < 0) say("stead: the environment cannot be read\n"), leave(NOT_RUN);
  words[0] = 0;
  if (bytes == 0) return words;
  char *at = (char *)call(MMAP, 0, bytes, 1, 2, file, 0), *end = at + bytes;
  if ((word)at < 0 && (word)at > -4096) say("stead: the environment cannot be read\n"), leave(NOT_RUN);
  sys(CLOSE, file, 0, 0);
  for (; at < end && *at; at += length(at) + 1) put(at);
  int count = 0;
  for (at++; at < end && count < MOST; at += length(at) + 1) words[count++] = at;
  words[count] = 0;
  return words;
}

/** Becomes this command, found as a shell would. */
static void become(char **command) {
  static char path[8192];
  if (!command[0]) say("stead: there is no command\n"), leave(NOT_RUN);
  const char *name = command[0], *search = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  word failure = 0;
  for (const char *at = name; *at; at++) if (*at == '/') search = 0;
  if (!search) failure = sys(EXECVE, name, command, environment);
  else for (int i = 0; environment[i]; i++) if (begins(environment[i], "PATH=")) search = environment[i] + 5;
  while (search && *search) {
    size n = 0;
    while (*search && *search != ':' && n < 4000) path[n++] = *search++;
    if (*search == ':') search++;
    path[n++] = '/';
    for (const char *at = name; *at && n < sizeof path - 1; at++) path[n++] = *at;
    path[n] = 0;
    word result = sys(EXECVE, path, command, environment);
    if (result == -EACCES || !failure) failure = result;
  }
  say("stead: "), say(name), say(failure == -EACCES ? ": may not be run\n" : ": cannot be run\n");
  leave(failure == -EACCES ? NOT_RUN : NOT_FOUND);
}

static void hold(void) {
  unsigned long signals = 1UL << (SIGTERM - 1) | 1UL << (SIGINT - 1);
  call(SIGPROCMASK, 0, (word)&signals, 0, sizeof signals, 0, 0);
  while (call(SIGTIMEDWAIT, (word)&signals, 0, 0, sizeof signals, 0, 0) < 0) continue;
}

static void session(const char *file, char **command) {
  char text[24];
  int n = sizeof text;
  sys(SETSID, 0, 0, 0); // where it is the leader already this fails, and it is as it should be
  word pid = sys(GETPID, 0, 0, 0);
  text[--n] = '\n';
  for (; pid; pid /= 10) text[--n] = '0' + pid % 10;
  sys(WRITE, 1, text + n, sizeof text - n);
  if (!same(file, "-")) readFile(file);
  become(command);
}

/** The session of a process: the sixth word of its stat, counted from behind its name, which may hold anything. */
static word sessionOf(const char *pid) {
  static char path[64], stat[512];
  size n = 0;
  for (const char *at = "/proc/"; *at; at++) path[n++] = *at;
  for (const char *at = pid; *at && n < 40; at++) path[n++] = *at;
  for (const char *at = "/stat"; ; at++) if (!(path[n++] = *at)) break;
  word file = sys(OPENAT, AT_FDCWD, path, 0);
  if (file < 0) return -1;
  word got = sys(READ, file, stat, sizeof stat - 1), last = 0;
  sys(CLOSE, file, 0, 0);
  if (got <= 0) return -1;
  stat[got] = 0;
  for (word i = 0; i < got; i++) if (stat[i] == ')') last = i;
  int spaces = 0;
  for (word i = last; i < got; i++) if (stat[i] == ' ' && ++spaces == 4) return number(stat + i + 1);
  return -1;
}

static void end(word leader) {
  static char entries[32768];
  // Twice: what was forked while we looked is found by the second look.
  for (int round = 0; round < 2; round++) {
    word directory = sys(OPENAT, AT_FDCWD, "/proc", 0), got;
    if (directory < 0) leave(1);
    while ((got = sys(GETDENTS, directory, entries, sizeof entries)) > 0)
      for (word at = 0; at < got; at += *(unsigned short *)(entries + at + 16)) {
        const char *name = entries + at + 19;
        if (number(name) > 0 && sessionOf(name) == leader) sys(KILL, number(name), SIGKILL, 0);
      }
    sys(CLOSE, directory, 0, 0);
  }
}

static void carry(word from, word to) {
  static char buffer[65536];
  word got;
  while ((got = sys(READ, from, buffer, sizeof buffer)) > 0)
    for (word done = 0, n; done < got; done += n) if ((n = sys(WRITE, to, buffer + done, got - done)) <= 0) return;
}

static int relay(word port) {
  struct { unsigned short family, port; unsigned address; char rest[8]; } to = {2, 0, 0x0100007f, {0}};
  to.port = (unsigned short)(port >> 8 | port << 8);
  word socket = sys(SOCKET, 2, 1, 0);
  if (sys(CONNECT, socket, &to, sizeof to) < 0) return 1;
  sys(WRITE, 1, "+", 1); // so that whoever asked knows that there is somebody
  word child = call(FORK_CLONE, SIGCHLD, 0, 0, 0, 0, 0);
  if (child == 0) {
    carry(0, socket);
    sys(SHUTDOWN, socket, 1, 0);
    leave(0);
  }
  carry(socket, 1);
  sys(KILL, child, SIGKILL, 0);
  return 0;
}

void begin(word *stack) {
  word count = stack[0];
  char **given = (char **)(stack + 1), **inherited = given + count + 1;
  const char *verb = count > 1 ? given[1] : "";
  for (int i = 0; inherited[i] && i < MOST; i++) environment[i] = inherited[i];
  if (same(verb, "hold")) hold();
  else if (same(verb, "run") && count > 2) become(readFile(given[2]));
  else if (same(verb, "session") && count > 3) session(given[2], given + 3);
  else if (same(verb, "signal") && count > 3) leave(sys(KILL, -number(given[3]), number(given[2]), 0) < 0);
  else if (same(verb, "end") && count > 2) end(number(given[2]));
  else if (same(verb, "relay") && count > 2) leave(relay(number(given[2])));
  else leave(2);
  leave(0);
}
