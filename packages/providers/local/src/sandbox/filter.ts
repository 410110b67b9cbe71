import { findProgram } from '../machine/programs.ts'
import { seccompProgram } from './seccomp.ts'

/** The number of `prctl`, which is how a process puts itself under a filter. */
const prctl: Readonly<Record<string, number>> = { x64: 157, arm64: 167 }

/**
 * Gives up new rights (38), loads a filter (22, mode 2) and becomes the command. A constant, like the programs for the shell:
 * the number, the filter in hexadecimal and the command arrive as arguments. `struct sock_fprog` is a count and a pointer.
 */
const loadFilter = `
my ($prctl, $filter) = (shift, pack('H*', shift));
my $program = pack('S x![P] P', length($filter) / 8, $filter);
syscall($prctl + 0, 38, 1, 0, 0, 0) == 0 or die "rights cannot be given up: $!\\n";
syscall($prctl + 0, 22, 2, $program, 0, 0) == 0 or die "the filter cannot be loaded: $!\\n";
exec { $ARGV[0] } @ARGV;
die "$ARGV[0]: $!\\n";
`

/**
 * The words that put a command, and whatever it starts, under the filter of system calls. For what bubblewrap did not start:
 * nothing of util-linux can load one before its version 2.41. None where there is no Perl, or no filter.
 */
export function filterWords(): readonly string[] {
  const [perl, number] = [findProgram('perl'), prctl[process.arch]]
  const filter = seccompProgram(process.arch, ['setns'])
  if (perl === undefined || number === undefined || !filter) return []
  return [perl, '-e', loadFilter, String(number), filter.toString('hex')]
}
