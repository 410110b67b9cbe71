/** System calls that no service needs and that have been ways out of sandboxes: [x86_64, aarch64]; null where there is none. */
const denied: Readonly<Record<string, readonly [number, number | null]>> = {
  acct: [163, 89],
  add_key: [248, 217],
  bpf: [321, 280],
  clock_adjtime: [305, 266],
  clock_settime: [227, 112],
  delete_module: [176, 106],
  finit_module: [313, 273],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fsopen: [430, 430],
  fspick: [433, 433],
  init_module: [175, 105],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  io_uring_setup: [425, 425],
  ioperm: [173, null],
  iopl: [172, null],
  kcmp: [312, 272],
  kexec_file_load: [320, 294],
  kexec_load: [246, 104],
  keyctl: [250, 219],
  lookup_dcookie: [212, 18],
  mount: [165, 40],
  mount_setattr: [442, 442],
  move_mount: [429, 429],
  move_pages: [279, 239],
  name_to_handle_at: [303, 264],
  open_by_handle_at: [304, 265],
  open_tree: [428, 428],
  perf_event_open: [298, 241],
  pivot_root: [155, 41],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  quotactl: [179, 60],
  reboot: [169, 142],
  request_key: [249, 218],
  setns: [308, 268],
  settimeofday: [164, 170],
  swapoff: [168, 225],
  swapon: [167, 224],
  syslog: [103, 116],
  umount2: [166, 39],
  userfaultfd: [323, 282],
  vhangup: [153, 58],
}

interface Machine {
  readonly audit: number
  readonly clone: number
  readonly clone3: number
  readonly unshare: number
  readonly column: 0 | 1
}

const machines: Readonly<Record<string, Machine>> = {
  x64: { audit: 0xc000003e, clone: 56, clone3: 435, unshare: 272, column: 0 },
  arm64: { audit: 0xc00000b7, clone: 220, clone3: 435, unshare: 97, column: 1 },
}

// Of linux/bpf_common.h and linux/seccomp.h.
const load = 0x20
const jumpIfEqual = 0x15
const jumpIfAtLeast = 0x35
const jumpIfAnySet = 0x45
const answer = 0x06
const allow = 0x7fff0000
const refuse = 0x00050000
const [notPermitted, notImplemented] = [1, 38]
const offsets = { number: 0, architecture: 4, firstArgument: 16 }
/** CLONE_NEW* of every namespace: mount, cgroup, uts, ipc, user, pid, net. */
const anyNamespace = 0x7e020000
/** x86_64 has a second set of numbers from here on. */
const secondSet = 0x40000000

type Instruction = readonly [code: number, jumpTrue: number, jumpFalse: number, value: number]

/**
 * The filter as the kernel takes it; undefined for a processor it was not written for. `spared` are let pass: who enters a
 * sandbox under the filter must still be able to enter.
 */
export function seccompProgram(architecture: string, spared: readonly string[] = []): Buffer | undefined {
  const machine = machines[architecture]
  if (!machine) return undefined
  const refusedCalls = Object.entries(denied).filter(([name]) => !spared.includes(name))
  const numbers = refusedCalls.flatMap(([, each]) => each[machine.column] ?? [])
  // Every check jumps forward to one of the three answers that follow all of them.
  const checks: ((toEnd: number) => Instruction)[] = [
    () => [load, 0, 0, offsets.architecture],
    toEnd => [jumpIfEqual, 0, toEnd + refused, machine.audit],
    () => [load, 0, 0, offsets.number],
    toEnd => [jumpIfAtLeast, toEnd + refused, 0, secondSet],
    // The library then falls back to clone, whose flags can be seen here.
    toEnd => [jumpIfEqual, toEnd + unknown, 0, machine.clone3],
    ...numbers.map(
      number =>
        (toEnd: number): Instruction => [jumpIfEqual, toEnd + refused, 0, number],
    ),
    () => [jumpIfEqual, 1, 0, machine.clone],
    toEnd => [jumpIfEqual, 0, toEnd + allowed, machine.unshare],
    () => [load, 0, 0, offsets.firstArgument],
    toEnd => [jumpIfAnySet, toEnd + refused, toEnd + allowed, anyNamespace],
  ]
  const instructions = checks.map((check, index) => check(checks.length - index - 1))
  return assemble([
    ...instructions,
    [answer, 0, 0, allow],
    [answer, 0, 0, refuse | notPermitted],
    [answer, 0, 0, refuse | notImplemented],
  ])
}

const [allowed, refused, unknown] = [0, 1, 2]

function assemble(instructions: readonly Instruction[]): Buffer {
  const program = Buffer.alloc(instructions.length * 8)
  for (const [index, [code, jumpTrue, jumpFalse, value]] of instructions.entries()) {
    program.writeUInt16LE(code, index * 8)
    program.writeUInt8(jumpTrue, index * 8 + 2)
    program.writeUInt8(jumpFalse, index * 8 + 3)
    program.writeUInt32LE(value >>> 0, index * 8 + 4)
  }
  return program
}
