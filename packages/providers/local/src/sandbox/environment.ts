/**
 * Variables that make a dynamic loader, a C library or a shell do something on its own. Programs of ours that run outside
 * a sandbox on the way into it must not see these from a tenant: `LD_PRELOAD` would be code of theirs with our rights.
 * The list is that of glibc for programs with raised rights (sysdeps/generic/unsecvars.h), and what shells and Perl read.
 */
const loaded =
  /^(LD_.*|GLIBC_.*|MALLOC_.*|GCONV_PATH|GETCONF_DIR|HOSTALIASES|LOCALDOMAIN|LOCPATH|MUSL_LOCPATH|NIS_PATH|NLSPATH|RESOLV_.*|RES_OPTIONS|TMPDIR|TZ|TZDIR|LANG|LANGUAGE|LC_.*|OUTPUT_CHARSET|ENV|BASH.*|SHELLOPTS|PS\d|IFS|CDPATH|SHELL|LIBMOUNT_.*|.*_DEBUG|POSIXLY_CORRECT|PERL.*|STEAD_.*)$/

export interface CarriedEnvironment {
  /** May be in the environment of our own programs on the way in. */
  readonly carried: Readonly<Record<string, string>>
  /** Must be set inside: `env NAME=value …`. */
  readonly inside: readonly string[]
}

export function carryEnvironment(env: Readonly<Record<string, string>>): CarriedEnvironment {
  const entries = Object.entries(env)
  return {
    carried: Object.fromEntries(entries.filter(([name]) => !loaded.test(name))),
    inside: entries.filter(([name]) => loaded.test(name)).map(([name, value]) => `${name}=${value}`),
  }
}

const standardPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** What every service has; its own words come after these. Nothing of ours is inherited. */
export const baseEnvironment = (home: string): Record<string, string> => ({ PATH: standardPath, HOME: home })
